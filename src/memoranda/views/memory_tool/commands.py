"""The six commands of Anthropic's memory tool, with the texts its reference implementation gives.

What changes a file replaces its record by a new one, through the door: the screen looks at it, the old one stays in
history, and what the door refuses or holds is said as an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from memoranda.model.errors import MemorandaError
from memoranda.model.outcome import Held, Known, Outcome, Refused
from memoranda.model.record import Channel, Record
from memoranda.views.memory_tool.paths import ROOT, Fault, relative
from memoranda.views.memory_tool.texts import content, listing, numbered, snippet
from memoranda.views.memory_tool.tree import Tree

if TYPE_CHECKING:
    from memoranda.memory.memory import Memory

#: Arguments of each command: name -> its type. A name with "?" may be left out.
_ARGUMENTS: dict[str, dict[str, type]] = {
    "view": {"path": str, "view_range?": list},
    "create": {"path": str, "file_text": str},
    "str_replace": {"path": str, "old_str": str, "new_str": str},
    "insert": {"path": str, "insert_line": int, "insert_text": str},
    "delete": {"path": str},
    "rename": {"old_path": str, "new_path": str},
}


class MemoryTool:
    """The tool over one memory. It speaks with the voice of the door that the memory was opened through."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def run(self, input: Mapping[str, Any]) -> str:
        """Do one command, as the model gave it; returns the text of the tool's result. Raises `Fault`."""
        command = input.get("command")
        wanted = _ARGUMENTS.get(command) if isinstance(command, str) else None
        if wanted is None:
            raise Fault(f"Unknown command: use one of {', '.join(_ARGUMENTS)}")
        given: dict[str, Any] = {}
        for name, kind in wanted.items():
            value = input.get(name.rstrip("?"))
            if value is None and name.endswith("?"):
                continue
            if not isinstance(value, kind) or isinstance(value, bool):
                raise Fault(f"`{name.rstrip('?')}` of {command} must be a {kind.__name__}")
            given[name.rstrip("?")] = value
        try:
            return str(getattr(self, str(command))(**given))
        except MemorandaError as error:
            raise Fault(_said(error.message, error.hint)) from error

    def view(self, path: str, view_range: list[int] | None = None) -> str:
        """A folder's content two levels deep, or a file's lines with numbers."""
        place, tree = relative(path), Tree(self._memory)
        record = tree.file(place)
        if record is None:
            if not tree.folder(place):
                raise Fault(f"The path {path} does not exist. Please provide a valid path.")
            return listing(path, tree.below(place))
        self._memory.get(record.id)  # so that these words are known again when they come back
        return numbered(path, content(record), view_range)

    def create(self, path: str, file_text: str) -> str:
        """A new file, never over one that is there."""
        place, tree = self._new_place(path), Tree(self._memory)
        if in_the_way := tree.vacant(place):
            raise Fault(f"File {path if in_the_way == place else f'{ROOT}/{in_the_way}'} already exists")
        outcome = self._memory.remember(file_text, scope=f"{ROOT}/{place}")
        if isinstance(outcome, Known):
            raise Fault(f"File {path} already exists")
        _kept(outcome)
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old_str: str, new_str: str) -> str:
        """One exact place in a file, replaced."""
        record = self._file(path)
        text = content(record)
        at = _places(text, old_str)
        if not at:
            raise Fault(f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}.")
        if len(at) > 1:
            lines = ", ".join(str(text.count("\n", 0, place) + 1) for place in at)
            raise Fault(
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {lines}. "
                "Please ensure it is unique"
            )
        new = text[: at[0]] + new_str + text[at[0] + len(old_str) :]
        self._revise(record, new)
        return snippet(new, text.count("\n", 0, at[0]))

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Text after a line of a file; 0 puts it first."""
        record = self._file(path)
        lines = content(record).removesuffix("\n").split("\n")
        if not 0 <= insert_line <= len(lines):
            raise Fault(
                f"Invalid `insert_line` parameter: {insert_line}. It should be within the range [0, {len(lines)}]."
            )
        lines.insert(insert_line, insert_text.rstrip("\n"))
        self._revise(record, "\n".join(lines) + "\n")
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        """Forget the record of a file, or of every file in a folder: all or none."""
        place, tree = relative(path), Tree(self._memory)
        if not place:
            raise Fault("Cannot delete the /memories directory itself")
        self._memory.forget_whole(self._all(tree, place, path).values(), f"deleted as {ROOT}/{place}")
        return f"Successfully deleted {path}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Another path for a file, or for everything in a folder."""
        old, tree = relative(old_path), Tree(self._memory)
        if not old:
            raise Fault("Cannot rename the /memories directory itself")
        new = self._new_place(new_path)
        if tree.vacant(new) or f"{new}/".startswith(f"{old}/"):
            raise Fault(f"The destination {new_path} already exists")
        for name, record in self._all(tree, old, old_path).items():
            _kept(self._memory.revise(record.id, record.body, scope="/".join(filter(None, (ROOT, new, name)))))
        return f"Successfully renamed {old_path} to {new_path}"

    def _file(self, path: str) -> Record:
        place, tree = relative(path), Tree(self._memory)
        record = tree.file(place)
        if record is None:
            if tree.folder(place):
                raise Fault(f"The path {path} is not a file.")
            raise Fault(f"The path {path} does not exist. Please provide a valid path.")
        return record

    def _all(self, tree: Tree, place: str, path: str) -> Mapping[str, Record]:
        """The file at a place under "", or everything in the folder there."""
        record = tree.file(place)
        found = {"": record} if record is not None else tree.below(place)
        if not found:
            raise Fault(f"The path {path} does not exist")
        return found

    def _new_place(self, path: str) -> str:
        place = relative(path)
        if place.split("/")[0] == "core" and self._memory.door.channel is not Channel.DIRECT_SESSION:
            raise Fault("only a person puts a record in core: `memoranda promote ID --core` at a terminal")
        return place

    def _revise(self, record: Record, text: str) -> None:
        if text.strip() != record.body.strip():
            _kept(self._memory.revise(record.id, text, scope=record.scope))


def _places(text: str, wanted: str) -> list[int]:
    """Where `wanted` stands, overlapping places too; nothing stands nowhere."""
    found, at = [], text.find(wanted) if wanted else -1
    while at >= 0:
        found.append(at)
        at = text.find(wanted, at + 1)
    return found


def _kept(outcome: Outcome) -> None:
    if isinstance(outcome, Refused):
        raise Fault(_said(outcome.message, outcome.hint))
    if isinstance(outcome, Held):
        why = ", ".join(outcome.record.hold)
        raise Fault(f"{outcome.record.id} is held and has no effect until a person releases it ({why})")
    if isinstance(outcome, Known):
        raise Fault(f"this is already kept as {outcome.record.id}; nothing was changed")


def _said(message: str, hint: str) -> str:
    return f"{message}; {hint}" if hint else message
