"""The commands on evidence as a user runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

TOKEN = "gh" + "p_" + "aB3dE5fG7h" * 3 + "Jk9Lm2"
PAGE = "The ferry to the island leaves at noon.\n\nTickets are sold in the blue kiosk.\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    run(tmp_path / "home", "init")
    (tmp_path / "home" / "page.txt").write_text(PAGE)
    return tmp_path / "home"


def run(home: Path, *words: str, expect: int = 0, **more: str) -> str:
    cache = Path(tempfile.gettempdir()) / f"memoranda-tests-{os.getuid()}"
    variables = {"PATH": os.environ["PATH"], "HOME": str(home), "MEMORANDA_CACHE": str(cache),
                 "MEMORANDA_EMBEDDER": "", "GIT_CONFIG_GLOBAL": "/dev/null", **more}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "memoranda.views.cli", *words],
        cwd=home, env=variables, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == expect, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def data(home: Path, *words: str, expect: int = 0) -> Any:
    document = json.loads(run(home, "--json", *words, expect=expect).splitlines()[0])
    assert document["ok"] is (expect == 0)
    return document["outcome"], document["data"]


@pytest.mark.slow
def test_a_file_is_added_listed_shown_recalled_opened_and_cited(home: Path) -> None:
    assert "There is no evidence" in run(home, "evidence", expect=1)
    outcome, added = data(home, "evidence", "add", "page.txt", "--retention", "keep")
    sha = added[0]["exhibit"]["sha256"]
    assert (outcome, added[0]["exhibit"]["retention"], added[0]["known"]) == ("kept", "keep", False)
    assert data(home, "evidence", "add", "page.txt")[0] == "known"
    assert f"sha256:{sha[:12]}  page.txt" in run(home, "evidence", "list")
    shown = run(home, "evidence", "show", f"sha256:{sha[:12]}")
    assert "| Tickets are sold in the blue kiosk." in shown
    found = run(home, "recall", "--lexical", "blue kiosk")
    assert "0 records concluded, 0 passages said, 1 passage shown." in found
    assert "[shown 1] page.txt type=text/plain origin=media authority=external" in found
    command = next(line for line in found.splitlines() if "open 'evidence:" in line).partition("'")[2].rstrip("'")
    outcome, opened = data(home, "open", command, "--out", "piece.txt")
    assert outcome == "opened"
    assert "blue kiosk" in (home / "piece.txt").read_text()
    assert opened["text"]
    assert "already there" in run(home, "open", command, "--out", "piece.txt", expect=5)
    stored = data(home, "remember", "Tickets come from the kiosk", "--evidence", f"sha256:{sha[:12]}#char=40,75")[1]
    assert stored["record"]["anchors"] == [f"evidence:sha256:{sha}#char=40,75"]
    assert "1 anchors of 1 records: 1 fresh" in run(home, "verify", stored["record"]["id"])
    assert data(home, "evidence", "verify")[1] == {"sound": 1}
    assert data(home, "evidence", "extract")[1] == {"extracted": 0}
    assert "Nothing is over." in run(home, "evidence", "drop")


def test_what_is_refused_says_where_and_keeps_the_value_to_itself(home: Path) -> None:
    (home / "bad.txt").write_text(f"Fine so far.\n\nThe key is {TOKEN}.\n")
    told = run(home, "evidence", "add", "page.txt", "bad.txt", expect=1)
    assert "kept  page.txt" in told
    assert "rejected: char=13," in told
    assert TOKEN not in told


def test_an_agent_may_not_drop_or_name_an_origin(home: Path) -> None:
    assert "only a person" in run(home, "evidence", "drop", "sha256:000000", expect=2)
    assert "only a person" in run(home, "evidence", "add", "page.txt", "--origin", "direct_session", expect=2)


def test_requests_that_make_no_sense_are_named(home: Path) -> None:
    assert "name a file" in run(home, "evidence", "add", expect=2)
    assert "not there" in run(home, "evidence", "add", "none.wav", expect=3)
    assert "no evidence" in run(home, "open", "sha256:000000", expect=3)
    assert "days are those of a window" in run(
        home, "evidence", "add", "page.txt", "--retention", "keep", "--days", "3", expect=2
    )


def test_b72_the_window_is_the_users_to_choose(home: Path) -> None:
    from datetime import UTC, datetime, timedelta

    run(home, "evidence", "add", "page.txt", MEMORANDA_EVIDENCE_DAYS="7")
    until = data(home, "evidence", "list")[1][0]["exhibit"]["until"]
    assert until == (datetime.now(UTC) + timedelta(days=7)).strftime("%Y-%m-%d")
