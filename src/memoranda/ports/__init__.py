"""The promises a plug-in makes. Each is a Protocol of at most four members that names no library.

`discover` finds plug-ins by entry point, ours like anybody's; `contracts` holds one test suite a promise. Importing
this loads no promise: each comes when it is first named, since a hook has no time for those it does not need.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memoranda.ports.hooks import Heard, HookDialect
    from memoranda.ports.protocols import (
        AgentWiring,
        Answerer,
        Batch,
        Classifier,
        Edit,
        Embedder,
        Extractor,
        IndexBackend,
        LocatorKind,
        Screener,
        Source,
        SymbolReader,
        TranscriptReader,
        Wish,
    )
    from memoranda.ports.sharing import RowTable, ShareTarget

__all__ = [
    "AgentWiring",
    "Answerer",
    "Batch",
    "Classifier",
    "Edit",
    "Embedder",
    "Extractor",
    "Heard",
    "HookDialect",
    "IndexBackend",
    "LocatorKind",
    "RowTable",
    "Screener",
    "ShareTarget",
    "Source",
    "SymbolReader",
    "TranscriptReader",
    "Wish",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'memoranda.ports' has no attribute {name!r}")
    module = {"Heard": "hooks", "HookDialect": "hooks", "RowTable": "sharing", "ShareTarget": "sharing"}.get(
        name, "protocols"
    )
    return getattr(import_module(f"memoranda.ports.{module}"), name)
