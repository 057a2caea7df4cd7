"""Real memories in temporary folders: nothing here touches the user's own."""

from support.memories import memory, open_as, settings

__all__ = ["memory", "open_as", "settings"]
