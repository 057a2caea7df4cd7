"""What each agent's settings get, held as golden files. Rewritten with MEMORANDA_GOLDEN=write."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from memoranda.memory.wiring.connect import connect, disconnect
from memoranda.ports import Wish, discover
from memoranda.ports.contracts.wirings import AgentWiringContract

GOLDEN = Path(__file__).parent / "golden"
AGENTS = discover.names("wirings")


def wish(home, **more):
    values = {"core": True, "recall": True, "rules": True, **more}
    variables = {"HOME": str(home)}
    return Wish(("/opt/memoranda/bin/memoranda",), home, variables, {"MEMORANDA_HOME": "/data/memory"}, **values)


def files(home):
    return {path.relative_to(home).as_posix(): path.read_text() for path in sorted(home.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("agent", AGENTS)
def test_the_files_of_an_agent_are_as_documented(agent, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    connect(agent, discover.load("wirings", agent)(), wish(home), tmp_path / "state")
    text = "".join(f"== ~/{path}\n{words}" for path, words in files(home).items())
    golden = GOLDEN / f"{agent}.txt"
    if os.environ.get("MEMORANDA_GOLDEN") == "write":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)
    assert text == golden.read_text()


@pytest.mark.parametrize("agent", AGENTS)
def test_a47_in_and_out_leaves_nothing_and_twice_is_once(agent, tmp_path):
    home, wiring = tmp_path / "home", discover.load("wirings", agent)()
    home.mkdir()
    last: object = None
    for wanted in (wish(home), wish(home, recall=False), wish(home, core=False, rules=False), wish(home)):
        edits = wiring.edits(wanted)
        assert bool(connect(agent, wiring, wanted, tmp_path / "state").changes) == (edits != last)
        last = edits
        before = files(home)
        assert not connect(agent, wiring, wanted, tmp_path / "state").changes
        assert files(home) == before
    disconnect(agent, wiring.title, tmp_path / "state")
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("agent", AGENTS)
def test_a22_without_the_users_word_nothing_is_wired_that_says_anything(agent, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    connect(agent, discover.load("wirings", agent)(), wish(home, core=False, recall=False, rules=False), tmp_path / "s")
    text = "".join(files(home).values())
    scripts = text.count("const WISHES = [];")
    assert text.count("const WISHES") == scripts
    assert scripts or ("--core" not in text and "--recall" not in text)
    assert "mcp" in text


@pytest.mark.parametrize("agent", AGENTS)
class TestContract(AgentWiringContract):
    """The suite that third parties use, for each of ours."""

    @pytest.fixture(autouse=True)
    def _agent(self, agent):
        self.agent = agent

    def wiring(self):
        return discover.load("wirings", self.agent)()


@pytest.mark.parametrize("agent", [name for name in AGENTS if name in discover.names("hooks")])
def test_every_event_that_is_wired_is_one_that_the_hook_knows(agent, tmp_path):
    dialect = discover.load("hooks", agent)()
    home = tmp_path / "home"
    home.mkdir()
    connect(agent, discover.load("wirings", agent)(), wish(home), tmp_path / "state")
    text = "".join(files(home).values())
    events = re.findall(rf"hook {agent} (\w+)", text) + re.findall(r'\bask\("(\w+)"', text)
    assert events
    assert all(dialect.hear(event, {}, {}).moment != "none" for event in events)
