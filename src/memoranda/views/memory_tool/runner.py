"""The tool as the `anthropic` package's tool runner takes it. The package's classes are handed in, never imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoranda.views.memory_tool.commands import MemoryTool
from memoranda.views.memory_tool.paths import Fault

if TYPE_CHECKING:
    from memoranda.memory.memory import Memory


def anthropic_tool(memory: Memory, base: Any, error: type[Exception]) -> Any:
    """A tool over a memory, for `client.beta.messages.tool_runner(tools=[...])`.

    `base` is `anthropic.lib.tools.BetaAbstractMemoryTool` and `error` its `ToolError`.
    """
    tool = MemoryTool(memory)

    def execute(self: Any, command: Any) -> str:
        try:
            return tool.run(command.to_dict())
        except Fault as fault:
            raise error(str(fault)) from fault

    names = ("execute", "view", "create", "str_replace", "insert", "delete", "rename")
    return type("Tool", (base,), dict.fromkeys(names, execute))()
