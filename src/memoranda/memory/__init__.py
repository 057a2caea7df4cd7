"""The SDK, and the only place where the rooms are wired together. Importing this loads nothing of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memoranda.memory.memory import Memory as Memory

__all__ = ["Memory"]


def __getattr__(name: str) -> Any:
    if name == "Memory":
        from memoranda.memory.memory import Memory

        return Memory
    raise AttributeError(f"module 'memoranda.memory' has no attribute {name!r}")
