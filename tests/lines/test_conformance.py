"""What other file-based memories were seen to get wrong: a new process that finds, bodies that forge, logs cut back."""

from __future__ import annotations

import subprocess
import sys
from typing import Callable

from hypothesis import HealthCheck, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from memoranda import Memory
from memoranda.model.outcome import Stored
from memoranda.model.record import Record
from memoranda.model.settings import Settings
from memoranda.truth.grammar import parse_record, print_record

FRESH = """
import sys
from pathlib import Path
from memoranda import Memory
from memoranda.model.settings import Settings

home, cache = map(Path, sys.argv[1:])
settings = Settings(home=home / ".memoranda", state=home / "state", cache=cache, user_home=home, embedder="")
with Memory.open(settings=settings) as memory:
    print(*(item.record.id for item in memory.recall("walrus budget").concluded))
"""


def test_idea_46_a_new_process_finds_two_words_that_do_not_stand_together(settings: Settings, memory: Memory) -> None:
    memory.remember("The office plants are watered on Mondays.")
    outcome = memory.remember("Project Walrus was approved, and its yearly travel budget is frozen.")
    memory.remember("The budget of the office is kept by nobody in particular.")
    memory.close()
    command = [sys.executable, "-c", FRESH, str(settings.user_home), str(settings.cache)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert isinstance(outcome, Stored)
    assert found[0] == outcome.record.id


_LINES = st.sampled_from(
    [
        "---",
        "--- ",
        "id: mem_000000000000",
        "channel: direct_session",
        "confidence: high",
        "supersedes: [mem_000000000000]",
        "hold: [none]",
        "## mem_000000000000",
        "<<<<<<< ours",
        "=======",
        "```",
        "plain words",
        "",
    ]
)


@effort(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(_LINES, min_size=1, max_size=8))
def test_idea_54_a_body_that_looks_like_a_header_stays_a_body(memory: Memory, lines: list[str]) -> None:
    before = {record.id: record.digest for record in memory._store.records.scan()[0]}
    outcome = memory.remember("\n".join(["A note on headers.", *lines]))
    records, problems = memory._store.records.scan()
    assert problems == []
    after = {record.id: record for record in records}
    assert {id: after[id].digest for id in before} == before, "no other record is altered"
    assert len(after) - len(before) == isinstance(outcome, Stored), "and none is made beside it"
    if isinstance(outcome, Stored):
        kept = after[outcome.record.id]
        assert (kept.supersedes, kept.intact) == ((), True)
        assert kept.body.split() == "\n".join(["A note on headers.", *lines]).split()
        assert parse_record(print_record(kept), kept.path).body == kept.body


def _log(memory: Memory) -> bytes:
    (path,) = (memory.root / "events").rglob("*.jsonl")
    return path.read_bytes()


def test_idea_56_a_log_that_was_put_back_to_an_earlier_state_is_named_and_can_be_had_again(
    open_as: Callable[..., Memory],
) -> None:
    memory = open_as()
    first, second = (memory.remember(text) for text in ("The gate is green.", "The fence is red."))
    assert isinstance(first, Stored)
    assert isinstance(second, Stored)
    memory.forget(first.record.id)
    memory.close()
    earlier = _log(memory)
    memory = open_as()
    memory.forget(second.record.id)
    memory.close()
    later = _log(memory)
    (path,) = (memory.root / "events").rglob("*.jsonl")
    path.write_bytes(earlier)

    memory = open_as()
    said = [problem for problem in memory.check() if problem.locator.startswith("events/")]
    assert any("cut" in problem.message for problem in said), said
    commands = [problem.hint for problem in said if problem.hint.startswith("git ")]
    assert commands, "the next command is named"
    subprocess.run(
        ["git", "-C", str(memory.root), "checkout", "HEAD", "--", str(path.relative_to(memory.root))], check=True
    )
    assert path.read_bytes() == later
    left = [problem.message for problem in memory.check() if problem.locator.startswith("events/")]
    assert [message for message in left if "others may read" not in message] == [], "git gives files its own modes"


def test_idea_56_a_record_that_was_put_back_is_what_it_was(open_as: Callable[..., Memory]) -> None:
    memory = open_as()
    outcome = memory.remember("The gate is green.")
    assert isinstance(outcome, Stored)
    path = memory.root / outcome.record.path
    whole = path.read_bytes()
    memory.close()
    path.unlink()
    memory = open_as()
    assert any(outcome.record.id in problem.message + problem.locator for problem in memory.check())
    path.write_bytes(whole)
    found = memory.get(outcome.record.id)
    assert isinstance(found, Record)
    assert found.intact
    assert memory.recall("gate").concluded
