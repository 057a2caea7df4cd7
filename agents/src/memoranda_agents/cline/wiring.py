"""Cline's command line: the server in its settings, a plug-in for the hooks and the rules. From 3.0.65."""

from __future__ import annotations

import json
from typing import Iterator, Sequence

from memoranda.ports import Edit, Wish
from memoranda_agents.scripts import script
from memoranda_agents.wire import RULES, SERVER, folder, server

_BODY = """\
const RULES = %s;
let session = "";
const said = (snapshot) => ({
  session_id: session,
  cwd: process.cwd(),
  parent: snapshot?.parentAgentId ?? "",
  prompt: words(snapshot),
});

function words(snapshot) {
  const last = (snapshot?.messages ?? []).filter((message) => message.role === "user").at(-1);
  const parts = Array.isArray(last?.content) ? last.content : [];
  return typeof last?.content === "string" ? last.content : parts.map((part) => part.text ?? "").join("\\n");
}

export default {
  name: "memoranda",
  manifest: { capabilities: ["hooks", "rules"] },
  setup(api, context) {
    session = context?.session?.sessionId ?? "";
    if (RULES) api.registerRule({ id: "memoranda", content: RULES, source: "memoranda" });
  },
  hooks: {
    beforeRun: async ({ snapshot }) => {
      const text = WISHES.length ? await ask("run", said(snapshot), WISHES) : "";
      return text ? { appendContext: text } : undefined;
    },
    afterRun: async ({ snapshot }) => {
      await ask("done", said(snapshot), []);
    },
  },
};
"""


class ClineWiring:
    """See `AgentWiring` for the promises."""

    title = "Cline"
    program = ("cline", "npm install -g cline")

    def edits(self, wish: Wish) -> Sequence[Edit]:
        return tuple(self._edits(wish))

    def _edits(self, wish: Wish) -> Iterator[Edit]:
        place = folder(wish, "CLINE_DIR", ".cline")
        file = place / "data" / "settings" / "cline_mcp_settings.json"
        yield Edit(file, "json", {"transport": {"type": "stdio", **server(wish)}}, ("mcpServers", SERVER))
        body = _BODY % json.dumps(RULES if wish.rules else "")
        yield Edit(place / "plugins" / "memoranda.js", "file", script(wish, "cline", body))

    def notes(self, wish: Wish) -> Sequence[str]:
        return ()


def make() -> ClineWiring:
    """The wiring, for the entry point."""
    return ClineWiring()
