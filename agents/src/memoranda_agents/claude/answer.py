"""Claude Code as an answerer: one print, no tools, no servers, no settings, no session left behind."""

from __future__ import annotations

import json
from typing import Sequence


class ClaudeAnswerer:
    """See `Answerer` for the promises. Written from version 2.1.332."""

    program = "claude"

    def arguments(self) -> Sequence[str]:
        """Tools, servers, settings (with their hooks) and commands are all switched off."""
        return (
            "-p", "--output-format", "json", "--tools", "", "--strict-mcp-config", "--mcp-config", '{"mcpServers":{}}',
            "--setting-sources", "", "--disable-slash-commands", "--no-session-persistence",
        )  # fmt: skip

    def answer(self, output: str) -> str | None:
        """The result of the one document it prints."""
        try:
            value = json.loads(output)
        except ValueError:
            return None
        if not isinstance(value, dict) or value.get("is_error") is not False:
            return None
        result = value.get("result")
        return result if isinstance(result, str) and result.strip() else None


def make() -> ClaudeAnswerer:
    """The answerer, for the entry point."""
    return ClaudeAnswerer()
