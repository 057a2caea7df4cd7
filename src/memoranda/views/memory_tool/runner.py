"""The tool as the `anthropic` package's tool runner takes it; loaded when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memoranda.model.errors import Unavailable
from memoranda.views.memory_tool.commands import MemoryTool
from memoranda.views.memory_tool.paths import Fault

if TYPE_CHECKING:
    from memoranda.memory.memory import Memory


def anthropic_tool(memory: Memory) -> Any:
    """A `BetaAbstractMemoryTool` over a memory, for `client.beta.messages.tool_runner(tools=[...])`.

    Raises `Unavailable` without the `anthropic` package.
    """
    try:
        from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError
    except ImportError:
        raise Unavailable("the anthropic package is not installed", 'pip install "memoranda[anthropic]"') from None
    tool = MemoryTool(memory)

    class Tool(BetaAbstractMemoryTool):
        def execute(self, command: Any) -> str:
            try:
                return tool.run(command.to_dict())
            except Fault as fault:
                raise ToolError(str(fault)) from fault

        def view(self, command: Any) -> str:
            return self.execute(command)

        create = str_replace = insert = delete = rename = view

    return Tool()
