"""Our own words are known again when they come back, and what came from outside is not laundered by going round."""

from __future__ import annotations

import json
import random
import shutil
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Callable

import pytest
from support.doors import AGENT, PERSON, WEB

from memoranda import Memory
from memoranda.model.outcome import Held, Known, Stored
from memoranda.model.record import Authority, Channel, Door, Record
from memoranda.model.settings import Settings

Open = Callable[..., Memory]
FACT = "The parser reads whole files because streaming kept the entire backlog of the importer in memory"


def stored(memory: Memory, text: str, **more: Any) -> Record:
    outcome = memory.remember(text, **more)
    assert isinstance(outcome, Stored), outcome
    return outcome.record


def bodies(memory: Memory) -> int:
    return sum(1 for place in ("core", "records", "held") for _ in (memory.root / place).rglob("*.md"))


def test_what_recall_gave_out_and_comes_back_is_the_record_it_came_from(open_as: Open) -> None:
    person, agent = open_as(PERSON), open_as(AGENT)
    record = stored(person, FACT, category="decision")
    agent.recall("why does the parser read whole files")
    again = agent.remember(f"As recalled: {FACT.lower()}.")
    assert isinstance(again, Known)
    assert (again.record.id, again.reasons) == (record.id, ("echo",))
    assert bodies(agent) == 1


def test_before_it_was_given_out_it_is_no_echo(open_as: Open) -> None:
    stored(open_as(PERSON), FACT, category="decision")
    stored(open_as(AGENT), f"As everyone here knows: {FACT.lower()}.")


@pytest.mark.parametrize(
    "changed", [FACT.replace("whole", "no whole"), FACT + " of 64 GB", FACT.replace("kept", "never kept")]
)
def test_a_number_or_a_negation_is_news(open_as: Open, changed: str) -> None:
    record = stored(open_as(PERSON), FACT, category="decision")
    agent = open_as(AGENT)
    agent.recall("why does the parser read whole files")
    new = stored(agent, changed)
    assert new.derived_from == (record.id,)


def test_a_correction_repeats_what_it_corrects_and_does_not_rest_on_it(open_as: Open) -> None:
    record = stored(open_as(PERSON), FACT, category="decision")
    agent = open_as(AGENT)
    agent.recall("why does the parser read whole files")
    new = stored(agent, FACT.replace("importer", "exporter"), supersedes=[record.id])
    assert new.derived_from == ()


def test_c9_an_outside_word_said_again_by_an_agent_stays_outside(open_as: Open) -> None:
    page = stored(
        open_as(WEB), "The importer of the shop is documented at https://docs.example.org/importer for all teams"
    )
    agent = open_as(AGENT)
    agent.recall("where is the importer documented", weak=True)
    text = (
        "We decided to follow it: the importer of the shop is documented at https://docs.example.org/importer, 2 teams"
    )
    new = stored(agent, text, category="decision", durability="durable", confidence="high")
    assert new.derived_from == (page.id,)
    assert agent.history(new.id)[0].authority is Authority.EXTERNAL
    assert (new.durability.value, new.confidence.value) == ("transient", "low")


def test_c9_taking_the_ground_away_raises_nothing(open_as: Open) -> None:
    page = stored(
        open_as(WEB), "The importer of the shop is documented at https://docs.example.org/importer for all teams"
    )
    agent = open_as(AGENT)
    new = stored(agent, "The importer needs a proxy in front of it", derived_from=[page.id])
    (agent.root / page.path).unlink()
    agent.reindex()
    assert agent.history(new.id)[0].authority is Authority.EXTERNAL


WORDS = ("alpha bridge cedar delta ember fjord garnet harbor indigo jasper kernel lumen mortar nickel onyx").split()  # noqa: SIM905


@pytest.mark.parametrize("count", [30, pytest.param(200, marks=pytest.mark.slow)])
def test_c9_chains_of_saying_it_again_never_raise_authority(settings: Settings, tmp_path: Path, count: int) -> None:
    """Summarise, say again after a recall, say part of it, copy the files to another memory and read them there."""
    from dataclasses import replace

    draw = random.Random(4)
    doors = [WEB, Door(Channel.EMAIL, None, "t"), Door(Channel.IMPORT, None, "t")]
    where = replace(settings, commit=False)
    ends: list[tuple[str, Authority]] = []
    with ExitStack() as opened:
        outsides = [opened.enter_context(Memory.init(settings=where, door=door)) for door in doors]
        agent = opened.enter_context(Memory.open(settings=where, door=AGENT))
        for number in range(count):
            outside = draw.choice(outsides)
            text = " ".join(draw.sample(WORDS, 10)) + f" topic{number} is documented in docs/wire.md"
            record = stored(outside, text)
            least = outside.history(record.id)[0].authority
            for step in range(draw.randint(1, 2)):
                how = draw.choice(("summary", "again", "part"))
                body = record.body if how != "summary" else f"In short topic{number} was described in round {step}"
                agent.get(record.id)
                if how == "part":
                    body = " ".join(body.split()[: max(7, len(body.split()) // 2)]) + f" and {step} more nodes"
                grounds = [record.id] if how == "summary" else []
                result = agent.remember(body, derived_from=grounds, durability="durable", confidence="high")
                assert isinstance(result, Stored | Known | Held), result
                record = result.record
            ends.append((record.id, least))
    copy = replace(where, home=tmp_path / "copy" / ".memoranda", state=tmp_path / "elsewhere")
    shutil.copytree(where.home, copy.home)
    for place in (where, copy):
        with Memory.open(settings=place, door=AGENT) as reader:
            for id, least in ends:
                assert reader.history(id)[0].authority <= least, id
    assert len(ends) == count


def transcript(home: Path, turns: list[tuple[str, str, Any]]) -> None:
    project = home / ".claude" / "projects" / "-w"
    project.mkdir(parents=True, exist_ok=True)
    later = (datetime.now(UTC) + timedelta(seconds=5)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    with (project / "s1.jsonl").open("a") as file:
        for id, role, content in turns:
            row = {"type": role, "uuid": id, "sessionId": "s1", "timestamp": later, "cwd": "/w"}
            file.write(json.dumps({**row, "message": {"role": role, "content": content}}) + "\n")


def test_a20_a_loop_of_fifty_rounds_grows_nothing(open_as: Open, settings: Settings) -> None:
    """Recall, the answer in the transcript, the agent says it again, capture, and from the beginning."""
    stored(open_as(PERSON), FACT, category="decision")
    agent = open_as(AGENT)
    passages = None
    for round_ in range(50):
        answer = agent.recall("why does the parser read whole files", lexical=True)
        words = "\n".join([*(hit.record.body for hit in answer.concluded), *(hit.text for hit in answer.said)])
        blocks = [{"type": "tool_result", "tool_use_id": f"t{round_}", "content": words}]
        transcript(
            settings.user_home,
            [(f"u{round_}", "user", blocks), (f"a{round_}", "assistant", [{"type": "text", "text": words}])],
        )
        if round_ % 10 == 9:  # a capture costs a second
            report = agent.capture(embed_seconds=0)
            assert report.turns == 20
            now = agent.status().index.passages
            passages = passages or now
            assert now == passages
        assert isinstance(agent.remember(words), Known)
    assert bodies(agent) == 1
    view = agent.get("turn:claude/s1/0..99")
    assert view.turns[0].blocks[0].text == FACT  # type: ignore[union-attr]
    assert all("echo" in block.marks for turn in view.turns for block in turn.blocks)  # type: ignore[union-attr]


def test_a_session_is_not_tainted_by_one_echo(open_as: Open, settings: Settings) -> None:
    stored(open_as(PERSON), FACT, category="decision")
    agent = open_as(AGENT)
    agent.recall("why does the parser read whole files", lexical=True)
    own = "I looked at the queue and found that the worker pool is too small for the nightly import"
    transcript(settings.user_home, [("u1", "user", FACT), ("u2", "user", own)])
    agent.capture(embed_seconds=0)
    assert [hit.text for hit in agent.recall("worker pool nightly import", lexical=True).said] == [own]


def test_a_turn_from_before_the_words_were_given_out_is_where_they_come_from(open_as: Open, settings: Settings) -> None:
    stored(open_as(PERSON), FACT, category="decision")
    agent = open_as(AGENT)
    agent.recall("why does the parser read whole files", lexical=True)
    project = settings.user_home / ".claude" / "projects" / "-w"
    project.mkdir(parents=True)
    row = {"type": "user", "uuid": "u1", "sessionId": "s1", "timestamp": "2026-05-04T09:00:00.000Z", "cwd": "/w"}
    (project / "s1.jsonl").write_text(json.dumps({**row, "message": {"role": "user", "content": FACT}}) + "\n")
    agent.capture(embed_seconds=0)
    assert agent.get("turn:claude/s1/0").turns[0].blocks[0].marks == ()  # type: ignore[union-attr]


def test_the_log_of_what_was_given_out_holds_no_word(open_as: Open, settings: Settings) -> None:
    stored(open_as(PERSON), FACT, category="decision")
    open_as(AGENT).recall("why does the parser read whole files")
    logs = list(settings.state.rglob("handed.b64"))
    assert len(logs) == 1
    from base64 import b64decode

    data = b"".join(b64decode(line) for line in logs[0].read_bytes().splitlines())
    assert not any(word.encode() in data for word in FACT.split() if len(word) > 4)
