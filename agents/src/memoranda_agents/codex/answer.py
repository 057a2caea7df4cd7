"""Codex as an answerer: one execution, nothing it could call, nothing it may write, no session left behind."""

from __future__ import annotations

import json
from typing import Sequence

_SILENCED = (
    "apps", "browser_use", "computer_use", "goals", "hooks", "image_generation", "in_app_browser", "memories",
    "multi_agent", "plugins", "shell_tool", "skill_search", "sleep_tool", "tool_suggest", "unified_exec", "view_image",
)  # fmt: skip


class CodexAnswerer:
    """See `Answerer` for the promises. Written from version 0.171.0."""

    program = "codex"

    def arguments(self) -> Sequence[str]:
        """The user's servers and every feature that brings a tool are off; what is left may read and write nothing."""
        off = [part for name in _SILENCED for part in ("--disable", name)]
        return (
            "exec", "--json", "--skip-git-repo-check", "--ephemeral", "--ignore-user-config", "--sandbox", "read-only",
            "-c", "mcp_servers={}", "-c", 'web_search="disabled"', "-c", "project_doc_max_bytes=0", *off, "-",
        )  # fmt: skip

    def answer(self, output: str) -> str | None:
        """The last message among the events; none when the turn failed."""
        last = None
        for line in output.splitlines():
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if not isinstance(event, dict):
                continue
            item = event.get("item")
            if event.get("type") in ("turn.failed", "error"):
                return None
            if event.get("type") == "item.completed" and isinstance(item, dict) and item.get("type") == "agent_message":
                text = item.get("text")
                last = text if isinstance(text, str) and text.strip() else last
        return last


def make() -> CodexAnswerer:
    """The answerer, for the entry point."""
    return CodexAnswerer()
