"""The same memories as the tests of the lines use."""

from lines.conftest import memory, open_as, settings

__all__ = ["memory", "open_as", "settings"]
