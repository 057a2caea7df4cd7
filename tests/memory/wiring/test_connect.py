"""Connecting and disconnecting whole files: any wishes one after the other, and out again to the same bytes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoranda.memory.wiring import ledger
from memoranda.memory.wiring.connect import connect, disconnect
from memoranda.ports import Edit, Wish

SERVER = {"command": "/opt/memoranda", "args": ["mcp"]}


class Wiring:
    """One file of each form, two of them with several edits."""

    title, program = "Robot", ("robot", "get robot")

    def edits(self, wish):
        home = wish.home
        found = [Edit(home / "settings.json", "json", SERVER, ("mcpServers", "memoranda"))]
        found.append(Edit(home / "config.toml", "toml", '[mcp.memoranda]\ncommand = "x"\n', ("mcp", "memoranda")))
        found.append(Edit(home / "deep/er/config.yaml", "yaml", "memoranda:\n  cmd: x\n", ("extensions", "memoranda")))
        for event, on in (("Start", wish.core), ("Prompt", wish.recall), ("Stop", True)):
            found += [Edit(home / "settings.json", "json", {"run": event}, ("hooks", event), append=True)] if on else []
        found += [Edit(home / "RULES.md", "section", "Ask first.")] if wish.rules else []
        return [*found, Edit(home / "plug" / "memoranda.js", "file", f"// {wish.core}\n")]

    def notes(self, wish):
        return ("trust it",)


FILES = {
    "settings.json": [
        None,
        "",
        "{}",
        '{\n  // a\n  "x": [1, 2,], /* b */\n}\n',
        '{"hooks":{"Stop":[1]}}',
        "{\r\n}\r\n",
        "no json",
    ],
    "config.toml": [None, "", "a = 1", "# c\n[b]\nd = 2\n", "[mcp.other]\r\ne = 1\r\n", "no = = toml"],
    "deep/er/config.yaml": [None, "", "a: 1", "extensions:\n  # mine\n  other:\n    cmd: y\n", "extensions: {}\n"],
    "RULES.md": [None, "", "# Mine\n", "no line end", "a\r\nb\r\n"],
}
WISHES = st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=4)


def contents(home: Path) -> dict[str, bytes]:
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in home.rglob("*") if path.is_file()}


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.fixed_dictionaries({name: st.sampled_from(texts) for name, texts in FILES.items()}), WISHES)
def test_a47_any_wishes_one_after_the_other_and_out_again_leave_the_same_bytes(tmp_path_factory, texts, wishes):
    base = tmp_path_factory.mktemp("home")
    home, state = base / "home", base / "state"
    home.mkdir()
    for name, text in texts.items():
        if text is not None:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_bytes(text.encode())
    before, folders = contents(home), {path for path in home.rglob("*") if path.is_dir()}
    for core, recall, rules in wishes:
        wish = Wish(("/opt/memoranda",), home, {}, {}, core, recall, rules)
        connect("robot", Wiring(), wish, state)
        after = contents(home)
        assert not connect("robot", Wiring(), wish, state).changes
        assert contents(home) == after
    disconnect("robot", "Robot", state)
    assert contents(home) == before
    assert {path for path in home.rglob("*") if path.is_dir()} == folders
    assert ledger.load(state) == {}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def test_nothing_is_written_when_it_is_only_asked(home, tmp_path):
    wired = connect("robot", Wiring(), Wish(("x",), home, {}, {}), tmp_path / "state", write=False)
    assert len(wired.changes) == 5
    assert contents(home) == {}
    assert not (tmp_path / "state").exists()


def test_what_cannot_be_put_in_is_told_with_the_text_to_add_and_the_rest_is_done(home, tmp_path):
    (home / "settings.json").write_text('{"mcpServers": {"memoranda": {"command": "mine"}}}')
    (home / "config.toml").write_bytes(b"\xff")
    wired = connect("robot", Wiring(), Wish(("x",), home, {}, {}), tmp_path / "state")
    told = {path.name: why for path, why, _ in wired.by_hand}
    assert "something else" in told["settings.json"]
    assert "UTF-8" in told["config.toml"]
    assert '"run": "Stop"' in (home / "settings.json").read_text()
    assert (home / "RULES.md").exists()


def test_a_connect_that_dies_after_it_noted_and_before_it_wrote_is_taken_out_without_harm(home, tmp_path, monkeypatch):
    (home / "settings.json").write_text("{ }")
    monkeypatch.setattr("memoranda.memory.wiring.connect._write", lambda changes: None)
    connect("robot", Wiring(), Wish(("x",), home, {}, {}), tmp_path / "state")
    monkeypatch.undo()
    disconnect("robot", "Robot", tmp_path / "state")
    assert contents(home) == {"settings.json": b"{ }"}


def test_files_of_ours_are_private_until_a_file_there_says_otherwise(home, tmp_path):
    (home / "settings.json").write_text("{}")
    os.chmod(home / "settings.json", 0o644)
    connect("robot", Wiring(), Wish(("x",), home, {}, {}), tmp_path / "state")
    assert (home / "settings.json").stat().st_mode & 0o777 == 0o644
    assert (home / "plug/memoranda.js").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "state" / ledger.NAME).stat().st_mode & 0o777 == 0o600
