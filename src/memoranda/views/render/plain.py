"""Values of the SDK as JSON-ready data. Field names are those of the values; tuples of pairs become objects."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Any, Mapping

from memoranda.model.record import Authority
from memoranda.model.values import names_of

_PAIRS = frozenset({"ranks", "withheld", "trace", "extra", "sizes", "skipped"})


def plain(value: Any) -> Any:
    """`value` as dicts, lists, strings and numbers, keys in the order of the fields. Raises `TypeError` for others."""
    if value is None or (isinstance(value, bool | int | float | str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Authority):
        return value.word
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if names := names_of(value):
        return {name: _field(name, getattr(value, name)) for name in names if not name.startswith("_")}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list | set | frozenset):
        items = sorted(value) if isinstance(value, set | frozenset) else value
        return [plain(item) for item in items]
    raise TypeError(f"{type(value).__name__} cannot be shown as JSON")


def _field(name: str, value: Any) -> Any:
    if name in _PAIRS and isinstance(value, tuple) and all(isinstance(i, tuple) and len(i) == 2 for i in value):
        return {str(key): plain(item) for key, item in value}
    return plain(value)
