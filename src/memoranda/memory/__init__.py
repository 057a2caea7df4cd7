"""The SDK, and the only place where the rooms are wired together."""

from memoranda.memory.memory import Memory

__all__ = ["Memory"]
