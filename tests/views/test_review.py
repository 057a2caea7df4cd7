"""A person decides at a terminal, by a code that stands within the text; nobody else does."""

from __future__ import annotations

import os
import pty
import re
import select
import sys
import time
from pathlib import Path

import pytest
from support.doors import PERSON, WEB

from memoranda import Memory
from memoranda.model.outcome import Held
from memoranda.model.settings import Settings
from memoranda.views.cli.review import within
from memoranda.views.render.held import visible

CACHE = Path(os.environ.get("TMPDIR", "/tmp")) / f"memoranda-tests-{os.getuid()}"
OLD = "Deploys go through the review queue of the platform team"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def held(home: Path) -> Held:
    """A web page's word that would replace the owner's."""
    home.mkdir()
    settings = Settings(
        home=home / ".memoranda", state=home / ".local/state/memoranda", cache=CACHE, user_home=home, embedder=""
    )
    with Memory.init(settings=settings, door=PERSON) as memory:
        old = memory.remember(OLD, category="decision")
    with Memory.open(settings=settings, door=WEB) as web:
        outcome = web.remember("Deploys go out without any review", supersedes=[old.record.id], category="decision")  # type: ignore[union-attr]
    assert isinstance(outcome, Held)
    return outcome


def at_terminal(home: Path, *words: str, type_code: bool = True, **more: str) -> tuple[int, str]:
    """Runs a command on a terminal of its own and types the code that it shows, or another one."""
    pid, terminal = pty.fork()
    if pid == 0:
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR")}
        variables = {
            **kept,
            "HOME": str(home),
            "MEMORANDA_CACHE": str(CACHE),
            "MEMORANDA_EMBEDDER": "",
            "TERM": "xterm",
        }
        variables |= {"PYTHONUTF8": "1", "NO_COLOR": "1", **more}
        os.execve(sys.executable, [sys.executable, "-m", "memoranda.views.cli", *words], variables)
    output, answered, deadline = b"", False, time.monotonic() + 60
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        try:
            data = os.read(terminal, 65536) if ready else b"?"
        except OSError:
            break
        if ready and not data:
            break
        output += data if ready else b""
        if not answered and b"between < and >" in output:
            code = re.findall(rb"<([A-Z2-9]{6})>", output)
            os.write(terminal, (code[0] if type_code else b"AAAAAA") + b"\n")
            answered = True
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), output.decode()


def test_c10_b51_a_person_releases_with_the_code_from_the_text(home: Path, held: Held) -> None:
    code, shown = at_terminal(home, "release", held.record.id)
    assert code == 0, shown
    assert held.record.digest in shown
    code, shown = at_terminal(home, "history", held.record.id)
    assert "superseded" in shown
    assert "released by owner" in shown


def test_c10_another_code_changes_nothing(home: Path, held: Held) -> None:
    code, shown = at_terminal(home, "release", held.record.id, type_code=False)
    assert code == 1
    assert "nothing was changed" in shown
    assert "released" not in at_terminal(home, "history", held.record.id)[1]


@pytest.mark.parametrize("command", ["release", "reject", "endorse"])
def test_c10_an_agent_on_a_terminal_and_json_are_turned_away(home: Path, held: Held, command: str) -> None:
    for words, more in (((command, held.record.id), {"CLAUDECODE": "1"}), (("--json", command, held.record.id), {})):
        code, shown = at_terminal(home, *words, **more)
        assert code == 2, shown
        assert "between < and >" not in shown


def test_the_list_shows_everything_and_reject_takes_it_off(home: Path, held: Held) -> None:
    _, shown = at_terminal(home, "held")
    assert "Deploys go out without any review" in shown
    assert "outside-supersedes-higher" in shown
    assert OLD[:30] in shown
    assert at_terminal(home, "reject", held.record.id, "--alike")[0] == 0
    assert "nothing waits" in at_terminal(home, "held")[1]


def test_the_code_stands_between_words_and_what_is_unseen_is_written_out() -> None:
    assert within("one two", "K7QWXM", lambda n: n - 1) == "one <K7QWXM> two"
    assert within("one", "K7QWXM", lambda n: n - 1) == "one <K7QWXM>"
    assert visible("a\u200db\ufe0f") == "a\\u200db\\ufe0f"
