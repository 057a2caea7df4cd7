"""Paths a model names. They are names in a tree of records and are never given to the file system; what would climb
out of the tree is refused all the same, in the words that models know."""

from __future__ import annotations

import unicodedata
from urllib.parse import unquote

ROOT = "/memories"

#: The limits that Anthropic's managed memory stores set for a path (beta of 2026-07-22).
_MOST_BYTES = 1024
_MOST_SEGMENTS = 20
#: Escapes within escapes are undone this often; who nests deeper is refused.
_MOST_ESCAPES = 8


class Fault(Exception):
    """What a command answers when it did nothing: `str()` is the text for the model, sent as an error."""


def relative(path: str) -> str:
    """The path below `/memories` without slashes at its ends, "" for `/memories` itself. Raises `Fault`."""
    if path != ROOT and not path.startswith(ROOT + "/"):
        raise Fault(f"Path must start with /memories, got: {path}")
    if any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in path):
        raise Fault("Path must not hold control or format characters")
    if _climbs(path):
        raise Fault(f"Path {path} would escape /memories directory")
    segments = _walk(unicodedata.normalize("NFC", path[len(ROOT) :]))
    if segments is None:
        raise Fault(f"Path {path} would escape /memories directory")
    if len(segments) > _MOST_SEGMENTS or len(path.encode()) > _MOST_BYTES:
        raise Fault(f"Path is too long: at most {_MOST_SEGMENTS} names and {_MOST_BYTES} bytes")
    return "/".join(segments)


def _walk(path: str) -> list[str] | None:
    """The names of a path with `.` and `..` followed; None when that leads above its start."""
    names: list[str] = []
    for name in path.split("/"):
        if name == "..":
            if not names:
                return None
            names.pop()
        elif name not in ("", "."):
            names.append(name)
    return names


def _climbs(path: str) -> bool:
    """Whether a reader that undoes escapes, or takes a backslash for a slash, would go up where this one does not."""
    plain = path
    for _ in range(_MOST_ESCAPES):
        undone = unquote(plain)
        if undone == plain:
            break
        plain = undone
    else:
        return True
    plain = unicodedata.normalize("NFKC", plain).replace("\\", "/")
    return plain != path and (".." in plain.split("/") or any(unicodedata.category(c) == "Cc" for c in plain))
