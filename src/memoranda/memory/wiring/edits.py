"""One change of one settings file, as pieces of text that are put in; and the way back.

`apply` never replaces and never reorders: it only puts text in, so the same pieces taken out give the bytes that were
there. When a person has edited the file meanwhile, `undo` finds what is ours by its place and its value instead, and
takes nothing that is no longer ours.
"""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any, Callable, NamedTuple, Sequence

from memoranda.memory.wiring.jsonc import Node, parse
from memoranda.model.errors import Conflict, Invalid
from memoranda.ports.protocols import Edit

BEGIN, END = "<!-- memoranda: begin -->", "<!-- memoranda: end -->"


class Piece(NamedTuple):
    """Text that was put in at a place (code points) of the text as it was just before."""

    at: int
    text: str


def satisfied(text: str, edit: Edit) -> bool:
    """Whether the file says already what the edit wants."""
    if edit.form == "json":
        node = _find(parse(text), edit.place) if text.strip() else None
        found = None if node is None else node.value
        return (isinstance(found, list) and edit.value in found) if edit.append else bool(found == edit.value)
    if edit.form == "toml":
        return bool(_toml_at(text, edit.place) == _toml_at(edit.value, edit.place))
    if edit.form == "file":
        return bool(text == edit.value)
    if edit.form == "section":
        return _wrapped(edit) in text.replace("\r\n", "\n")
    wanted = [line.strip() for line in edit.value.strip("\n").split("\n")]
    lines = [line.strip() for line in text.split("\n")]
    return any(lines[at : at + len(wanted)] == wanted for at in range(len(lines)))


def apply(text: str, edit: Edit) -> list[Piece]:
    """The pieces to put in, in order, none when it is satisfied.

    Raises `Conflict` when something else stands in the place, `Invalid` when the file cannot be understood.
    """
    if satisfied(text, edit):
        return []
    pieces = _FORMS[edit.form](text, edit)
    after = put(text, pieces)
    if not satisfied(after, edit):
        raise Invalid("the change would not be understood", "add what is shown by hand")
    return pieces


def put(text: str, pieces: Sequence[Piece]) -> str:
    """The text with the pieces put in, one after the other."""
    for piece in pieces:
        text = text[: piece.at] + piece.text + text[piece.at :]
    return text


def take(text: str, pieces: Sequence[Piece]) -> str | None:
    """The text without the pieces, None when they do not stand where they were put."""
    for piece in reversed(pieces):
        if text[piece.at : piece.at + len(piece.text)] != piece.text:
            return None
        text = text[: piece.at] + text[piece.at + len(piece.text) :]
    return text


def undo(text: str, edit: Edit, pieces: Sequence[Piece]) -> str:
    """The text without what the edit put in, though other things were changed since. What differs from the edit by
    now is somebody's and stays."""
    if not pieces:
        return text
    if edit.form == "json":
        return _json_without(text, edit)
    for piece in pieces:  # one run of whole lines each
        if text.count(piece.text) == 1:
            text = text.replace(piece.text, "")
        elif text.count(piece.text.strip()) == 1:
            text = text.replace(piece.text.strip(), "")
    return text


# -- JSON


def _json(text: str, edit: Edit) -> list[Piece]:
    line = _newline(text)
    if not text.strip():
        value: Any = [edit.value] if edit.append else edit.value
        for key in reversed(edit.place):
            value = {key: value}
        return [Piece(len(text), _printed(value, "", "  ", line) + line)]
    node, rest = parse(text), list(edit.place)
    while rest and isinstance(node.value, dict) and rest[0] in node.members:
        node = node.members[rest.pop(0)]
    if not rest and edit.append and isinstance(node.value, list):
        return _added(text, node, None, edit.value, line)
    if not rest or not isinstance(node.value, dict):
        raise Conflict(f"something else stands at {'.'.join(edit.place)}", "it was left as it is")
    value = [edit.value] if edit.append else edit.value
    for key in reversed(rest[1:]):
        value = {key: value}
    return _added(text, node, rest[0], value, line)


def _added(text: str, node: Node, key: str | None, value: Any, line: str) -> list[Piece]:
    """The pieces that add a member (or with no key an item) at the end of a container."""
    outer = _indent(text, node.start)
    single = "\n" not in text[node.start : node.end]
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    if single and node.parts:
        compact = name + json.dumps(value, ensure_ascii=False)
        if node.comma:
            return [Piece(node.comma, f" {compact}")]
        return [Piece(node.parts[-1].end, f", {compact}")]
    step = _step(text)
    inner = outer + step
    if node.parts:
        begin = list(node.keys.values())[-1] if node.keys else node.parts[-1].start
        own = _indent(text, begin)
        inner = own if len(own) > len(outer) else inner
    body = f"{line}{inner}{name}{_printed(value, inner, step, line)}"
    pieces = []
    at = node.inner
    if node.parts and not node.comma:
        pieces.append(Piece(node.parts[-1].end, ","))
        at += 1
    if single:
        body += line + outer
    return [*pieces, Piece(at, body)]


def _json_without(text: str, edit: Edit) -> str:
    """Take out the member or item that equals the edit's value, and containers that are empty without it."""
    try:
        root = parse(text)
    except Invalid:
        return text
    path = [root]
    for key in edit.place:
        child = path[-1].members.get(key)
        if child is None:
            return text
        path.append(child)
    keys: list[str | int] = list(edit.place)
    if edit.append:
        where = next((i for i, item in enumerate(path[-1].items) if item.value == edit.value), None)
        if where is None:
            return text
        keys.append(where)
    elif path.pop().value != edit.value:
        return text
    while len(path) > 1 and len(path[-1].parts) == 1:  # it would be left empty
        keys.pop()
        path.pop()
    return _cut(text, path[-1], keys[len(path) - 1])


def _cut(text: str, node: Node, key: str | int) -> str:
    """The text without one member or item, its line and its comma."""
    starts = list(node.keys.values()) or [item.start for item in node.items]
    where = list(node.members).index(key) if isinstance(key, str) else key
    start, end = starts[where], node.parts[where].end
    if where + 1 < len(starts):  # up to the next one
        return text[:start] + text[starts[where + 1] :]
    before = node.parts[where - 1].end if where else node.start + 1
    if node.comma and where:
        return text[:before] + text[node.comma - 1 :]
    return text[:before] + text[max(end, node.comma) :]


def _find(node: Node, place: Sequence[str]) -> Node | None:
    for key in place:
        child = node.members.get(key)
        if child is None:
            return None
        node = child
    return node


def _printed(value: Any, indent: str, step: str, line: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=step).replace("\n", line + indent)


def _indent(text: str, at: int) -> str:
    """The white space at the beginning of the line that holds a place."""
    begin = text.rfind("\n", 0, at) + 1
    match = re.match(r"[ \t]*", text[begin:at])
    return match[0] if match else ""


def _step(text: str) -> str:
    """One level of indentation as the file has it: that of its first indented line."""
    match = re.search(r"\n([ \t]+)\S", text)
    return match[1] if match else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


# -- TOML, YAML, sections of a text, whole files


def _toml(text: str, edit: Edit) -> list[Piece]:
    """A table of its own at the end. What the file holds otherwise must read as before."""
    if _toml_at(text, edit.place) is not None:
        raise Conflict(f"something else stands at {'.'.join(edit.place)}", "it was left as it is")
    piece = _at_end(text, edit.value)
    try:
        tomllib.loads(put(text, [piece]).replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise Invalid(f"it cannot be added ({error})", "add what is shown by hand") from None
    return [piece]


def _toml_at(text: str, place: Sequence[str]) -> Any:
    try:
        found: Any = tomllib.loads(text.lstrip("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        raise Invalid(f"it is no TOML ({error})", "mend it, or add what is shown by hand") from None
    for key in place:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _yaml(text: str, edit: Edit) -> list[Piece]:
    """An entry below a top-level key, in lines of its own; the key at the end where it is not there.

    YAML is not parsed: a key that holds something on its own line is not touched.
    """
    key, name = edit.place
    line = _newline(text)
    head = re.search(rf"^{re.escape(key)}:[ \t]*(.*?)[ \t]*\r?$", text, re.MULTILINE)
    if head is None:
        entry = "\n".join("  " + part for part in edit.value.rstrip("\n").split("\n"))
        return [_at_end(text, f"{key}:\n{entry}\n", gap=False)]
    if head[1] and not head[1].startswith("#"):
        raise Invalid(f"{key} holds something on its own line", "add what is shown by hand")
    after = text[head.end() :]
    block = re.match(r"(?:\r?\n(?:[ \t]+[^\n]*|[ \t]*#[^\n]*|[ \t]*(?=\n|\r\n)))*", after)
    if block and re.search(rf"^[ \t]+[\"']?{re.escape(name)}[\"']?:", block[0], re.MULTILINE):
        raise Conflict(f"something else stands at {key}.{name}", "it was left as it is")
    first = re.search(r"^([ \t]+)[^\s#]", block[0], re.MULTILINE) if block else None
    indent = first[1] if first else "  "
    entry = "".join(line + indent + part for part in edit.value.rstrip("\n").split("\n"))
    return [Piece(head.end(), entry)]


def _section(text: str, edit: Edit) -> list[Piece]:
    if BEGIN in text:
        raise Conflict("another section of memoranda stands in it", "it was left as it is")
    return [_at_end(text, _wrapped(edit) + "\n")]


def _file(text: str, edit: Edit) -> list[Piece]:
    if text:
        raise Conflict("there is a file of that name", "it was left as it is")
    return [Piece(0, edit.value)]


def _wrapped(edit: Edit) -> str:
    return f"{BEGIN}\n{edit.value.strip()}\n{END}"


def _at_end(text: str, value: str, gap: bool = True) -> Piece:
    """Whole lines at the end, after an empty one where something stands before."""
    line = _newline(text)
    lead = (
        ""
        if not text
        else (line if text.endswith("\n") else line * 2)
        if gap
        else ("" if text.endswith("\n") else line)
    )
    return Piece(len(text), lead + value.replace("\n", line))


_FORMS: dict[str, Callable[[str, Edit], list[Piece]]] = {
    "json": _json, "toml": _toml, "yaml": _yaml, "section": _section, "file": _file,
}  # fmt: skip
