"""Memory for AI agents that a person can read, audit and trust.

    from memoranda import Memory

    memory = Memory.open()
    memory.remember("Deploys to staging are fine on any weekday", category="preference")
    answer = memory.recall("when may we deploy?")

Plain files are the truth; every index is a view of them. Importing this module loads no library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memoranda.memory import Memory as Memory

__version__ = "0.1.0"
__all__ = ["Memory", "__version__"]


def __getattr__(name: str) -> Any:
    if name == "Memory":
        from memoranda.memory import Memory

        return Memory
    raise AttributeError(f"module 'memoranda' has no attribute {name!r}")
