"""Anthropic's memory tool (`memory_20250818`) over a memory: files that a model edits, kept as records.

`MemoryTool(memory).run({"command": "view", "path": "/memories"})` answers any client; `anthropic_tool(…)` is
what the `anthropic` package's tool runner takes.
"""

from memoranda.views.memory_tool.commands import MemoryTool
from memoranda.views.memory_tool.paths import Fault
from memoranda.views.memory_tool.runner import anthropic_tool

__all__ = ["Fault", "MemoryTool", "anthropic_tool"]
