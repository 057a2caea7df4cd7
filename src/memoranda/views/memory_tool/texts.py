"""The texts of results: listings, numbered lines, the snippet after a change."""

from __future__ import annotations

from typing import Mapping

from memoranda.model.record import Record
from memoranda.views.memory_tool.paths import Fault

#: What the tool's reference shows at most, and how wide it prints the number of a line.
MOST_LINES = 999_999
_WIDTH = 6
#: Lines of a listing at most, the file names of 200 records: about 4,000 tokens.
_MOST_LISTED = 200
_AROUND = 2  # lines before and after a change


def content(record: Record) -> str:
    """A record as a file: its body, which ends in one newline."""
    return f"{record.body}\n"


def listing(path: str, files: Mapping[str, Record]) -> str:
    """What lies in a folder, two levels deep, without names that begin with a dot. A folder's size is the sum of what
    is in it. Beyond 200 lines it says how many more there are."""
    sizes: dict[str, int] = {}
    total = 0
    for name, record in files.items():
        parts = name.split("/")
        if any(part.startswith(".") for part in parts):
            continue
        size = len(content(record).encode())
        total += size
        for depth in range(1, min(len(parts), 3)):
            folder = "/".join(parts[:depth]) + "/"
            sizes[folder] = sizes.get(folder, 0) + size
        if len(parts) <= 2:
            sizes[name] = size
    names = sorted(sizes, key=lambda name: [part for part in name.split("/") if part])
    lines = [f"{size_of(total)}\t{path}", *(f"{size_of(sizes[name])}\t{path}/{name}" for name in names[:_MOST_LISTED])]
    if len(names) > _MOST_LISTED:
        lines.append(f"({len(names) - _MOST_LISTED} more are not listed; view a folder to see what is in it)")
    head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
    return "\n".join([head, *lines])


def numbered(path: str, text: str, view_range: list[int] | None) -> str:
    """A file's lines with their numbers, or those of a range from 1, whose end may be -1."""
    lines = text.split("\n")
    if len(lines) > MOST_LINES:
        raise Fault(f"File {path} exceeds maximum line limit of 999,999 lines.")
    first, last = 1, len(lines)
    if view_range and len(view_range) == 2 and all(isinstance(number, int) for number in view_range):
        first = max(1, view_range[0])
        last = last if view_range[1] == -1 else view_range[1]
    return f"Here's the content of {path} with line numbers:\n" + "\n".join(_lines(lines[first - 1 : last], first))


def snippet(text: str, changed: int) -> str:
    """The lines around the one that a change began in, `changed` from 0."""
    first = max(0, changed - _AROUND)
    around = text.split("\n")[first : changed + _AROUND + 1]
    head = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
    return "\n".join([head, *_lines(around, first + 1)])


def _lines(lines: list[str], first: int) -> list[str]:
    return [f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, first)]


def size_of(count: int) -> str:
    """Bytes as the tool prints them: 0B, 512B, 1.5K, 4K."""
    unit = 0
    size = float(count)
    while size >= 1024 and unit < 3:
        size, unit = size / 1024, unit + 1
    return f"{int(size)}{'BKMG'[unit]}" if size == int(size) else f"{size:.1f}{'BKMG'[unit]}"
