"""One tool call: arguments in, an operation run, a result out.

The operation is the command of the same name, run with a door of its own: what it decides, refuses and says is the
same here as there. Only the arguments arrive as JSON and the page is written for a model.
"""

from __future__ import annotations

import json
from argparse import Namespace
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Mapping

from memoranda.model.errors import Invalid, MemorandaError
from memoranda.views.commands.call import Call, Command, command, expected
from memoranda.views.commands.progress import Progress
from memoranda.views.commands.reply import Reply, failed
from memoranda.views.mcp.desk import Desk
from memoranda.views.mcp.page import MOST_CHARACTERS, ToolPage, weight, written_call
from memoranda.views.operations import Argument, operation
from memoranda.views.operations.tools import Parameter, Tool, arguments
from memoranda.views.terminal import to_json

if TYPE_CHECKING:
    from pathlib import Path

    from memoranda.memory import Memory
    from memoranda.model.record import Door
    from memoranda.model.settings import Settings

#: A document is for programs, which take more than a model does; beyond this it is refused.
MOST_DOCUMENT_CHARACTERS = 64_000
_MOST_ITEMS = 100
_MOST_NUMBER = 1_000_000
#: Outcomes that a model must not take for success.
_NOT_DONE = frozenset({"refused", "held"})
_REPEATED = 500  # characters of arguments that the next call may repeat


class DeskCall(Call):
    """A call that comes from a program: its memories stay open and nothing is read from standard input."""

    standard_input = False

    def __init__(self, desk: Desk, args: Namespace, door: Door) -> None:
        super().__init__(args, door, terminal=False, progress=Progress(quiet=True))
        self._desk = desk

    @property
    def cwd(self) -> Path:
        return self._desk.cwd

    def settings(self) -> Settings:
        return self._desk.settings()

    def _opened(self, place: Path | None) -> AbstractContextManager[Memory]:
        return self._desk.opened(place, self.door)


def run(desk: Desk, of: Tool, given: Mapping[str, Any], door: Door, instead: Command | None = None) -> Reply:
    """Run the tool's operation, or `instead`. Raises `MemorandaError`, whatever goes wrong."""
    try:
        return (instead or command(of.name))(DeskCall(desk, _namespace(desk, of, given), door))
    except Exception as error:
        raise expected(error, "call status; if it fails too, a person can run: memoranda check") from error


def result(desk: Desk, of: Tool, given: Mapping[str, Any], door: Door) -> dict[str, Any]:
    """The result of `tools/call`: text complete in itself, and structured content only where it was asked for."""
    as_json = given.get("format") == "json"
    try:
        part = _number("part", given.get("part", 1))
        blocks: list[dict[str, Any]] = []
        reply = run(desk, of, given, door, _opening(blocks) if of.name == "open" else None)
        if as_json:
            made = _documented(reply.document(), reply.outcome in _NOT_DONE)
        else:
            made = _content(_part(of, given, reply, max(part, 1)), reply.outcome in _NOT_DONE)
        return {**made, "content": [*made["content"], *(blocks if part <= 1 else [])]}
    except MemorandaError as error:
        return _documented(failed(error), True) if as_json else _content(refusal(error), True)


def refusal(error: MemorandaError) -> str:
    """An error as a model reads it: what went wrong, and the next step."""
    page = ToolPage()
    page.line(f"{error.code}: {error.message}")
    if error.hint:
        page.line(f"next: {error.hint}")
    return page.parts()[0]


def drawn(reply: Reply) -> ToolPage:
    """A reply with its problems and notices, on a page for a model."""
    page = ToolPage()
    reply.draw(page)
    for problem in tuple(reply.problems)[:5]:
        page.line(f"problem: {problem}")
    for notice in reply.notices:
        page.line(f"notice: {notice}")
    return page


def _part(of: Tool, given: Mapping[str, Any], reply: Reply, part: int) -> str:
    parts = drawn(reply).parts()
    if part > len(parts):
        raise Invalid(f"this answer has {len(parts)} parts", "leave part out to begin again")
    if len(parts) == 1:
        return parts[0]
    text = f"{parts[part - 1]}\npart {part} of {len(parts)}"
    if part < len(parts):
        following = {**{name: given[name] for name in arguments(of) if name in given}, "part": part + 1}
        call = written_call(of.name, following)
        text += f"; call: {call if weight(call) <= _REPEATED else f'{of.name} again as it was, with part {part + 1}'}"
    return text + "\n"


def _content(text: str, error: bool) -> dict[str, Any]:
    assert weight(text) <= MOST_CHARACTERS, weight(text)
    return {"content": [{"type": "text", "text": text}], "isError": error}


def _documented(document: dict[str, Any], error: bool) -> dict[str, Any]:
    """Both sides whole, since some clients show a model the text alone and others the document alone."""
    text = to_json(document)
    if weight(text) > MOST_DOCUMENT_CHARACTERS:
        document = failed(
            Invalid("too long for one document", "ask for less (limit, budget_tokens) or leave format out")
        )
        text, error = to_json(document), True
    return {"content": [{"type": "text", "text": text}], "structuredContent": document, "isError": error}


def _opening(blocks: list[dict[str, Any]]) -> Command:
    from memoranda.views.mcp.opening import opened

    return lambda call: opened(call, blocks)


def _namespace(desk: Desk, of: Tool, given: Mapping[str, Any]) -> Namespace:
    """What the command would have parsed. Unknown arguments are ignored: clients add some of their own."""
    op = operation(of.name)
    assert op is not None
    args = Namespace(
        command=of.name, memory=str(desk.named) if desk.named else None, project=desk.only_project, json=False,
        quiet=True, verbose=False, color="never",
    )  # fmt: skip
    for argument in op.arguments:
        default = False if argument.kind == "flag" else argument.default
        setattr(args, _attribute(argument), [] if argument.kind == "many" and default is None else default)
    for name, (parameter, argument) in arguments(of).items():
        value = given.get(name)
        if value is None or value == "":
            if parameter.default is not None:
                setattr(args, _attribute(argument), parameter.default)
            elif not argument.name.startswith("-") and not argument.optional:
                raise Invalid(f"{name} is missing", f"give {name}: {parameter.help or argument.help}")
            continue
        setattr(args, _attribute(argument), _value(name, argument, parameter, value))
    return args


def _attribute(argument: Argument) -> str:
    return argument.name.lstrip("-").replace("-", "_")


def _value(name: str, argument: Argument, parameter: Parameter, value: Any) -> Any:
    """A JSON value as the command's argument. Numbers and lists that a model sent as strings are taken as meant."""
    if argument.kind == "flag":
        return _flag(name, value)
    if argument.kind == "number":
        return _number(name, value)
    if argument.kind == "words":
        return [_text(name, value)]
    items = _items(name, value) if argument.kind == "many" else [_text(name, value)]
    for item in items:
        if argument.choices and item not in argument.choices:
            raise Invalid(f"{name} has no such value", f"use one of {', '.join(argument.choices)}")
    return items if argument.kind == "many" else items[0]


def _flag(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise Invalid(f"{name} is neither true nor false", "give true, or leave it out")


def _number(name: str, value: Any) -> int:
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal() and len(value) < 10:
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_NUMBER:
        raise Invalid(f"{name} is not a whole number from 0 to {_MOST_NUMBER:,}", "give a number, or leave it out")
    return value


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise Invalid(f"{name} is not a text", "give a string")
    return value


def _items(name: str, value: Any) -> list[str]:
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise Invalid(f"{name} is not a list", "give a list of strings") from None
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or len(value) > _MOST_ITEMS:
        raise Invalid(f"{name} is not a list of at most {_MOST_ITEMS}", "give a list of strings")
    return [_text(name, item) for item in value]
