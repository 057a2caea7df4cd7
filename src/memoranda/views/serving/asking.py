"""An operation run for a program: its arguments arrive as JSON, and its memories stay open.

The operation is the command of the same name, run with a door of its own: what it decides, refuses and says is the
same here as there.
"""

from __future__ import annotations

import json
from argparse import Namespace
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Mapping

from memoranda.model.errors import Invalid
from memoranda.views.commands.call import Call, Command, command, expected
from memoranda.views.commands.progress import Progress
from memoranda.views.commands.reply import Reply, failed
from memoranda.views.operations import Argument, operation
from memoranda.views.operations.tools import Parameter
from memoranda.views.serving.desk import Desk
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

Taken = Mapping[str, tuple[Parameter, Argument]]


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

    def _opened(self, place: Path | str | None) -> AbstractContextManager[Memory]:
        return self._desk.opened(place, self.door)


def run(
    desk: Desk, name: str, taken: Taken, given: Mapping[str, Any], door: Door, hint: str, instead: Command | None = None
) -> Reply:
    """Run the operation of that name, or `instead`. `taken` says which of its arguments may be `given`, by the names
    they come under; `hint` is the next step after a fault of ours. Raises `MemorandaError`, whatever goes wrong."""
    try:
        return (instead or command(name))(DeskCall(desk, _namespace(desk, name, taken, given), door))
    except Exception as error:
        raise expected(error, hint) from error


def bounded(document: dict[str, Any]) -> dict[str, Any]:
    """A document, or the one that says that it would be too long."""
    if weight(to_json(document)) <= MOST_DOCUMENT_CHARACTERS:
        return document
    return failed(Invalid("too long for one document", "ask for less (limit, budget_tokens)"))


def weight(text: str) -> int:
    """How much of a client's bound a text takes: characters as JSON, in UTF-16 units."""
    return len(json.dumps(text, ensure_ascii=False).encode("utf-16-le", "surrogatepass")) // 2 - 2


def _namespace(desk: Desk, name: str, taken: Taken, given: Mapping[str, Any]) -> Namespace:
    """What the command would have parsed. Unknown arguments are ignored here: clients add some of their own."""
    op = operation(name)
    assert op is not None
    args = Namespace(
        command=name, memory=str(desk.named) if desk.named else None, project=desk.only_project, json=False,
        quiet=True, verbose=False, color="never",
    )  # fmt: skip
    for argument in op.arguments:
        default = False if argument.kind == "flag" else argument.default
        setattr(args, _attribute(argument), [] if argument.kind == "many" and default is None else default)
    for key, (parameter, argument) in taken.items():
        value = given.get(key)
        if value is None or value == "":
            if parameter.default is not None:
                setattr(args, _attribute(argument), parameter.default)
            elif not argument.name.startswith("-") and not argument.optional:
                raise Invalid(f"{key} is missing", f"give {key}: {parameter.help or argument.help}")
            continue
        setattr(args, _attribute(argument), _value(key, argument, value))
    return args


def _attribute(argument: Argument) -> str:
    return argument.name.lstrip("-").replace("-", "_")


def _value(name: str, argument: Argument, value: Any) -> Any:
    """A JSON value as the command's argument. Numbers and lists that a model sent as strings are taken as meant."""
    if argument.kind == "flag":
        return _flag(name, value)
    if argument.kind == "number":
        return whole_number(name, value)
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


def whole_number(name: str, value: Any) -> int:
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
