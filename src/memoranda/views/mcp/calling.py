"""One tool call: arguments in, an operation run, a result out. What is decided here is how a model reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Sequence

from memoranda.model.errors import Invalid, MemorandaError
from memoranda.views.commands.call import Command
from memoranda.views.commands.reply import Reply, failed
from memoranda.views.mcp.page import MOST_CHARACTERS, ToolPage, written_call
from memoranda.views.operations.tools import Tool, arguments
from memoranda.views.serving import asking
from memoranda.views.serving.asking import bounded, weight, whole_number
from memoranda.views.terminal import to_json

if TYPE_CHECKING:
    from memoranda.model.record import Door
    from memoranda.views.serving.desk import Desk
    from memoranda.views.serving.opening import Piece

#: Outcomes that a model must not take for success.
_NOT_DONE = frozenset({"refused", "held"})
_REPEATED = 500  # characters of arguments that the next call may repeat


def run(desk: Desk, of: Tool, given: Mapping[str, Any], door: Door, instead: Command | None = None) -> Reply:
    """Run the tool's operation, or `instead`. Raises `MemorandaError`, whatever goes wrong."""
    hint = "call status; if it fails too, a person can run: memoranda check"
    return asking.run(desk, of.name, arguments(of), given, door, hint, instead)


def result(desk: Desk, of: Tool, given: Mapping[str, Any], door: Door) -> dict[str, Any]:
    """The result of `tools/call`: text complete in itself, and structured content only where it was asked for."""
    as_json = given.get("format") == "json"
    try:
        part = whole_number("part", given.get("part", 1))
        pieces: list[Piece] = []
        reply = run(desk, of, given, door, _opening(pieces) if of.name == "open" else None)
        if as_json:
            made = _documented(reply.document(), reply.outcome in _NOT_DONE)
        else:
            made = _content(_part(of, given, reply, max(part, 1)), reply.outcome in _NOT_DONE)
        return {**made, "content": [*made["content"], *_blocks(pieces if part <= 1 else ())]}
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
    fit = bounded(document)
    return {
        "content": [{"type": "text", "text": to_json(fit)}],
        "structuredContent": fit,
        "isError": error or fit is not document,
    }


def _opening(pieces: list[Piece]) -> Command:
    from memoranda.views.serving.opening import opened

    return lambda call: opened(call, pieces)


def _blocks(pieces: Sequence[Piece]) -> list[dict[str, Any]]:
    if not pieces:
        return []
    from memoranda.views.mcp.opening import block

    return [block(piece) for piece in pieces]
