"""The core sheet: which records the core block holds, in what order, and how to tell at a glance that it still does.

A hook has a tenth of a second, which is less than it takes to load what decides about core. So whoever has decided
leaves a sheet in the user's state, and the hook only looks whether anything came since that could change the answer:

- every file the answer rests on (records of core, what they rest on, what replaced them, anchored files, settings,
  trust) is named with its stamp;
- folders of records are named with their times: in one that changed, files that are younger than the sheet are read,
  and one that names any record of the answer spoils it;
- event files are named with their sizes: what was appended since spoils it when it names such a record;
- it is no longer right when the first record's window ends, and never older than a day.

The sheet holds no words: they are read from the record files each time. When in doubt it is spoilt, and whoever finds
it so decides anew. Nothing here loads more than it must.
"""

from __future__ import annotations

import json
import os
import time

TYPE_CHECKING = False  # `typing` itself takes longer to load than a sheet to read
if TYPE_CHECKING:
    from typing import Any, Iterable, Iterator, Mapping

FORMAT = 1
NAME = "core-sheet.json"
#: Times of files tick coarsely (10 ms on Linux, 2 s on FAT): what changed this shortly before counts as changed since.
_TICK_NS = 3_000_000_000
_DAY_NS = 86_400_000_000_000
_MOST_BYTES = 1 << 20
_HEADER_BYTES = 8192


def core_line(body: str, marks: str) -> str:
    """A record as it stands in the core block, without a newline at its end."""
    return f"- {body.strip().replace(chr(10), chr(10) + '  ')} [{marks}]"


def stamp(path: str) -> str:
    """Changes whenever the file may have; "" when it cannot be looked at."""
    try:
        facts = os.stat(path)
    except OSError:
        return ""
    return f"{facts.st_size}-{facts.st_mtime_ns}-{facts.st_ino}"


def look(root: str) -> dict[str, Any]:
    """What of a memory's folders a sheet remembers: taken before the answer is worked out, and written with it."""
    made = time.time_ns()
    folders = {}
    for folder in _folders(root):
        changed = os.stat(os.path.join(root, folder)).st_mtime_ns
        folders[folder] = changed if made - changed > _TICK_NS else 0
    events = {path: os.stat(os.path.join(root, path)).st_size for path in _event_files(root)}
    return {"format": FORMAT, "made": made, "core": _core(root), "folders": folders, "events": events}


def text(root: str, sheet: Mapping[str, Any], now: str, budget: int = 0) -> str | None:
    """The core block as it stands now, None when the sheet is spoilt or for another budget (0: whatever it is for).
    `now` is UTC ISO.

    Raises nothing: a sheet that cannot be understood is spoilt.
    """
    try:
        if sheet["format"] != FORMAT or (budget and sheet["budget"] != budget) or now >= sheet["until"]:
            return None
        age = time.time_ns() - sheet["made"]
        if not 0 <= age < _DAY_NS or sheet["core"] != _core(root):
            return None
        if any(stamp(path) != known for path, known in sheet["files"].items()):
            return None
        if _came(root, sheet) or _happened(root, sheet):
            return None
        return "\n".join(core_line(_body(root, path), marks) for path, marks in sheet["entries"])
    except (OSError, KeyError, TypeError, ValueError, AttributeError):
        return None


def load(folder: str) -> dict[str, Any] | None:
    """The sheet in a folder of the user's state, None when there is none that can be read."""
    try:
        with open(os.path.join(folder, NAME), "rb") as file:
            found = json.loads(file.read(_MOST_BYTES))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _core(root: str) -> dict[str, str]:
    """The files in core/ with their stamps."""
    folder = os.path.join(root, "core")
    try:
        names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except FileNotFoundError:
        return {}
    return {name: stamp(os.path.join(folder, name)) for name in names}


def _folders(root: str) -> Iterator[str]:
    """records/ and every folder below it; what is not there is left out. A folder's name has no dot in it."""
    todo = ["records"]
    while todo:
        folder = todo.pop()
        try:
            names = os.listdir(os.path.join(root, folder))
        except (FileNotFoundError, NotADirectoryError):
            continue
        yield folder
        todo += [f"{folder}/{name}" for name in names if "." not in name]


def _came(root: str, sheet: Mapping[str, Any]) -> bool:
    """Whether a record file came since that has to do with the answer."""
    changed = [
        folder
        for folder, known in sheet["folders"].items()
        if not known or os.stat(os.path.join(root, folder)).st_mtime_ns != known
    ]
    ids: list[bytes] = [id.encode() for id in sheet["ids"]]
    since = sheet["made"] - _TICK_NS
    for folder in changed or (() if sheet["folders"] else ("records",)):
        try:
            entries = list(os.scandir(os.path.join(root, folder)))
        except FileNotFoundError:
            continue
        for entry in entries:
            if "." not in entry.name and f"{folder}/{entry.name}" not in sheet["folders"]:
                return True  # a new month: rare enough to be decided anew
            if entry.name.endswith(".md") and entry.stat(follow_symlinks=False).st_ctime_ns >= since:
                with open(entry.path, "rb") as file:
                    head = entry.name.encode() + file.read(_HEADER_BYTES)
                if any(id in head for id in ids):
                    return True
    return False


def _event_files(root: str) -> Iterator[str]:
    try:
        writers = os.listdir(os.path.join(root, "events"))
    except FileNotFoundError:
        return
    for writer in writers:
        if "." not in writer:
            for name in os.listdir(os.path.join(root, "events", writer)):
                if name.endswith(".jsonl"):
                    yield f"events/{writer}/{name}"


def _happened(root: str, sheet: Mapping[str, Any]) -> bool:
    """Whether an event was written since that has to do with the answer."""
    files = list(_event_files(root))
    if sheet["events"].keys() - set(files):
        return True
    wanted: Iterable[bytes] = [b'"erased"', b'"rescanned"', *(id[4:].encode() for id in sheet["ids"])]
    for path in files:
        known = sheet["events"].get(path, 0)
        size = os.stat(os.path.join(root, path)).st_size
        if size < known:
            return True
        if size > known:
            with open(os.path.join(root, path), "rb") as file:
                file.seek(known)
                news = file.read()
            if any(word in news for word in wanted):
                return True
    return False


def _body(root: str, path: str) -> str:
    """The words of a record file that is known to be one."""
    with open(os.path.join(root, path), "rb") as file:
        return file.read().split(b"\n---\n", 1)[1].decode()
