"""OpenCode: the server in its configuration, a plug-in for the hooks, rules in AGENTS.md. From 1.18.33."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Iterator, Sequence

from memoranda.ports import Edit, Wish
from memoranda_agents.scripts import script
from memoranda_agents.wire import SERVER, rules

_BODY = """\
export const Memoranda = async ({ directory }) => {
  const blocks = new Map();
  const parents = new Map();
  const said = (session) => ({ session_id: session, cwd: directory, parent: parents.get(session) });
  return {
    "chat.message": async (input, output) => {
      if (!WISHES.length) return;
      const prompt = (output.parts ?? []).filter((part) => part.type === "text").map((part) => part.text).join("\\n");
      const data = { ...said(input.sessionID), prompt };
      const core = WISHES.includes("--core") ? ask("system", data, ["--core"]) : "";
      const found = WISHES.includes("--recall") ? ask("prompt", data, ["--recall"]) : "";
      blocks.set(input.sessionID, [await core, await found].filter(Boolean));
    },
    "experimental.chat.system.transform": async (input, output) => {
      output.system.push(...(blocks.get(input.sessionID) ?? []));
    },
    event: async ({ event }) => {
      const info = event.properties?.info;
      if (event.type === "session.created" && info?.parentID) parents.set(info.id, info.parentID);
      if (event.type === "session.idle") await ask("idle", said(event.properties.sessionID), []);
    },
  };
};
"""


class OpenCodeWiring:
    """See `AgentWiring` for the promises."""

    title = "OpenCode"
    program = ("opencode", "npm install -g opencode-ai")

    def edits(self, wish: Wish) -> Sequence[Edit]:
        return tuple(self._edits(wish))

    def _edits(self, wish: Wish) -> Iterator[Edit]:
        base = wish.variables.get("XDG_CONFIG_HOME") or wish.home / ".config"
        place = Path(base) / "opencode"
        with_comments = place / "opencode.jsonc"
        entry: dict[str, Any] = {"type": "local", "command": [*wish.command, "mcp"], "enabled": True}
        if wish.repeated:
            entry["environment"] = dict(wish.repeated)
        file = with_comments if with_comments.exists() else place / "opencode.json"
        yield Edit(file, "json", entry, ("mcp", SERVER))
        yield Edit(place / "plugin" / "memoranda.js", "file", script(wish, "opencode", _BODY))
        yield from rules(place / "AGENTS.md", wish)

    def notes(self, wish: Wish) -> Sequence[str]:
        return ()


def make() -> OpenCodeWiring:
    """The wiring, for the entry point."""
    return OpenCodeWiring()
