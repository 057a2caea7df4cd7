"""The suite a wiring must pass. Derive a class named `Test…` from it and say how yours is made.

    class TestMine(AgentWiringContract):
        def wiring(self): return make()

Needs pytest to run, nothing else.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memoranda.ports.protocols import AgentWiring, Wish

HOME = Path("/home/someone")
COMMAND = ("/opt/memoranda/bin/memoranda",)


class AgentWiringContract:
    """The promises of `AgentWiring`, as tests."""

    def wiring(self) -> AgentWiring:
        """A wiring, ready to use."""
        raise NotImplementedError

    def wish(self, **more: Any) -> Wish:
        values = {"core": True, "recall": True, "rules": True, **more}
        return Wish(COMMAND, HOME, {"HOME": str(HOME)}, {"MEMORANDA_HOME": "/data"}, **values)

    def test_it_names_the_agent_and_how_it_is_installed(self) -> None:
        wiring = self.wiring()
        program, install = wiring.program
        assert wiring.title.strip()
        assert bool(program) == bool(install)

    def test_the_same_wish_gives_the_same_edits(self) -> None:
        assert list(self.wiring().edits(self.wish())) == list(self.wiring().edits(self.wish()))

    def test_every_edit_is_whole_and_below_the_users_home(self) -> None:
        for edit in self.wiring().edits(self.wish()):
            assert edit.path.is_relative_to(HOME)
            assert ".." not in edit.path.parts
            json.dumps(edit.value)
            wanted = {"json": 1, "toml": 1, "yaml": 2, "section": 0, "file": 0}[edit.form]
            assert len(edit.place) >= wanted
            assert edit.form == "json" or isinstance(edit.value, str)
            assert edit.form == "json" or not edit.append

    def test_the_agent_is_told_how_to_start_the_server(self) -> None:
        told = [json.dumps(edit.value) for edit in self.wiring().edits(self.wish())]
        assert any(COMMAND[0] in text and "mcp" in text for text in told)

    def test_what_was_not_agreed_to_is_not_wired(self) -> None:
        shy = [json.dumps(edit.value) for edit in self.wiring().edits(self.wish(core=False, recall=False, rules=False))]
        assert not any("hook" in text and (" --core" in text or " --recall" in text) for text in shy)

    def test_notes_are_a_line_each(self) -> None:
        assert all(note.strip() and "\n" not in note for note in self.wiring().notes(self.wish()))
