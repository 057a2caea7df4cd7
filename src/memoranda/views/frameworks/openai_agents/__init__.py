"""The OpenAI Agents SDK's `Session` over the turns of a memory: `AgentsSession("name", memory)`."""

from memoranda.views.frameworks.openai_agents.session import HARNESS, AgentsSession

__all__ = ["HARNESS", "AgentsSession"]
