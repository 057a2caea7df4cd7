"""The plug-in folder for Claude Code says the same as `connect claude` does."""

from __future__ import annotations

import json
import re
from pathlib import Path

import memoranda
from memoranda.ports import Wish, discover

PLUGIN = Path(__file__).parents[2] / "plugins" / "claude-code"


def read(path):
    return json.loads((PLUGIN / path).read_text())


def test_server_and_hooks_are_those_that_connect_puts_in(tmp_path):
    wish = Wish(("memoranda",), tmp_path, {}, {}, core=True, recall=False, rules=False)
    servers, hooks = {}, {}
    for edit in discover.load("wirings", "claude")().edits(wish):
        if edit.append:
            hooks.setdefault(edit.place[1], []).append(edit.value)
        else:
            servers[edit.place[1]] = {key: value for key, value in edit.value.items() if key != "type"}
    assert read(".mcp.json")["mcpServers"] == servers
    assert read("hooks/hooks.json")["hooks"] == hooks


def test_version_and_licence_are_those_of_the_package():
    assert read(".claude-plugin/plugin.json")["version"] == memoranda.__version__
    assert (PLUGIN / "LICENSE").read_text() == (PLUGIN.parents[1] / "LICENSE").read_text()


def test_the_skill_keeps_to_its_form():
    text = (PLUGIN / "skills" / "memoranda" / "SKILL.md").read_text()
    header = re.match(r"---\nname: ([a-z0-9-]{1,64})\ndescription: (.{1,1024})\n---\n", text)
    assert header is not None
    assert header[1] == "memoranda"
