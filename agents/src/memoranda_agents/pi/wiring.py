"""pi: the server in mcp.json, an extension for the hooks, rules in AGENTS.md. From 1.6.0."""

from __future__ import annotations

from typing import Iterator, Sequence

from memoranda.ports import Edit, Wish
from memoranda_agents.scripts import script
from memoranda_agents.wire import SERVER, folder, rules, server

_BODY = """\
export default function (pi) {
  const said = (ctx) => ({
    session_id: ctx.sessionManager?.getSessionId?.() ?? "",
    transcript_path: ctx.sessionManager?.getSessionFile?.() ?? "",
    cwd: ctx.cwd,
    headless: !ctx.hasUI,
  });
  pi.on("before_agent_start", async (event, ctx) => {
    if (!WISHES.length) return;
    const data = { ...said(ctx), prompt: event.prompt ?? "" };
    const core = WISHES.includes("--core") ? ask("system", data, ["--core"]) : "";
    const found = WISHES.includes("--recall") ? ask("prompt", data, ["--recall"]) : "";
    const text = [await core, await found].filter(Boolean).join("\\n");
    if (text && event.systemPromptOptions?.sections) event.systemPromptOptions.sections["memoranda"] = text;
    else if (text) return { systemPrompt: event.systemPrompt + "\\n\\n" + text };
  });
  pi.on("agent_settled", async (_event, ctx) => {
    await ask("settled", said(ctx), []);
  });
}
"""


class PiWiring:
    """See `AgentWiring` for the promises."""

    title = "pi"
    program = ("pi", "npm install -g @earendil-works/pi-coding-agent")

    def edits(self, wish: Wish) -> Sequence[Edit]:
        return tuple(self._edits(wish))

    def _edits(self, wish: Wish) -> Iterator[Edit]:
        place = folder(wish, "PI_CODING_AGENT_DIR", ".pi/agent")
        # Else tools are reached by code alone, and a model that has to search first does not think of asking.
        entry = {**server(wish), "toolExposure": {"recall": "direct"}}
        yield Edit(place / "mcp.json", "json", entry, ("mcpServers", SERVER))
        yield Edit(place / "extensions" / "memoranda.js", "file", script(wish, "pi", _BODY))
        yield from rules(place / "AGENTS.md", wish)

    def notes(self, wish: Wish) -> Sequence[str]:
        return ()


def make() -> PiWiring:
    """The wiring, for the entry point."""
    return PiWiring()
