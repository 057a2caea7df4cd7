"""What a person is promised of captured histories, on whole memories: order, budgets, lost sources, a later model."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
import sqlite3
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

import pytest
from support.doors import PERSON

from memoranda import Memory
from memoranda.memory.pending import PendingText
from memoranda.model.errors import Busy
from memoranda.model.settings import Settings
from memoranda.model.values import replace
from memoranda.remember import capture as module

FIXTURES = Path(__file__).parents[1] / "fixtures" / "transcripts"


def history(settings: Settings, session: str, *said: str, day: int = 1, folder: str = "-w-app") -> Path:
    """A history of Claude Code in the user's home; turns ten minutes apart."""
    path = settings.user_home / ".claude" / "projects" / folder / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "type": "user" if n % 2 == 0 else "assistant",
            "uuid": f"{session}-{n}",
            "sessionId": session,
            "timestamp": f"2026-03-{day:02d}T10:{10 * n % 60:02d}:00.000Z",
            "message": {"role": "user" if n % 2 == 0 else "assistant", "content": text},
        }
        for n, text in enumerate(said)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def kept(memory: Memory) -> dict[str, list[str]]:
    """The lines of each session, whatever file they are in, without the time of capture."""
    found: dict[str, list[str]] = {}
    for path in sorted((memory.root / "turns").rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            del row["captured"]
            found.setdefault(row["harness"] + "/" + row["session"], []).append(json.dumps(row, sort_keys=True))
    return found


def said(memory: Memory, query: str, **more: Any) -> list[dict[str, Any]]:
    """What a recall quotes, in order, but for the memory's own place."""
    found = memory.recall(query, limit=20, budget_tokens=20_000, **more)
    return [{key: value for key, value in asdict(passage).items() if key != "ref"} for passage in found.said]  # type: ignore[call-overload]


def test_a3_contradicting_facts_of_two_sessions_are_both_recalled_and_the_newer_is_told(
    settings: Settings, memory: Memory
) -> None:
    history(settings, "old", "The gateway listens on port 8080", day=3)
    history(settings, "new", "The gateway listens on port 9090", day=20)
    memory.capture(embed_seconds=0)
    found = memory.recall("which port does the gateway listen on", lexical=True).said
    assert {passage.session: passage.ts[:10] for passage in found} == {"old": "2026-03-03", "new": "2026-03-20"}
    assert {passage.session: passage.text.split()[-1] for passage in found} == {"old": "8080", "new": "9090"}


def test_a6_fresh_homes_give_the_same_turns_and_the_same_recall(tmp_path: Path, settings: Settings) -> None:
    answers = []
    for name in ("one", "two"):
        home = tmp_path / name
        shutil.copytree(FIXTURES / "claude" / "sessions", home / ".claude" / "projects" / "-w-app")
        places = {"home": home / ".memoranda", "state": home / "state", "user_home": home}
        own = replace(settings, variables={"HOME": str(home)}, **places)
        with Memory.init(settings=own, door=PERSON) as memory:
            memory.capture(embed_seconds=0)
            answers.append((kept(memory), said(memory, "session files and their tests", lexical=True)))
    assert answers[0][1]
    assert answers[0] == answers[1]


def rows(memory: Memory) -> set[tuple[object, ...]]:
    """The index's rows but for their numbers: what piece of what turn, its content and whether it has a vector."""
    with sqlite3.connect(memory.root / ".index" / "map.sqlite") as link:
        return set(
            link.execute(
                "SELECT p.prefix || d.tail, d.seq, d.ts, c.block, c.start, c.stop, c.tier, c.embedded, c.content "
                "FROM chunk c JOIN doc d ON d.no = c.doc JOIN place p ON p.no = d.place"
            )
        )


def alone() -> list[Path]:
    """The fixtures none of whose sessions stands in a second file, too."""
    files = sorted(p for name in ("claude", "codex") for p in (FIXTURES / name).rglob("*.jsonl"))
    named: dict[str, set[Path]] = {}
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            named.setdefault(str(json.loads(line).get("sessionId", path)), set()).add(path)
    twice = set().union(*(paths for paths in named.values() if len(paths) > 1))
    return [path for path in files if path not in twice]


@pytest.mark.parametrize("whole", [True, False])
def test_a7_at_once_in_tiers_or_in_any_order_the_rows_are_the_same(
    tmp_path: Path, settings: Settings, whole: bool
) -> None:
    """Where a session stands in several files, its turns are numbered as they came; all else is the same."""
    files = alone() if whole else sorted(p for name in ("claude", "codex") for p in (FIXTURES / name).rglob("*.jsonl"))

    def at_once(memory: Memory) -> None:
        memory.capture(files, embed_seconds=60)

    def in_tiers(memory: Memory) -> None:
        memory.capture(files, embed_seconds=0)
        for tier in (1, 2, 3):  # what is embedded first is what tells most
            index = memory._store.index
            wanted = {p.key for p in index._opened().pending(10_000)[1] if p.tier <= tier}
            text_of = PendingText(memory._store)
            index.embed(lambda one, wanted=wanted, read=text_of: read(one) if one.key in wanted else None, None)  # type: ignore[misc]

    def in_any_order(memory: Memory) -> None:
        for path in random.Random(7).sample(files, len(files)):
            memory.capture([path], embed_seconds=0)
        memory.embed()

    found = []
    for way in (at_once, in_tiers, in_any_order):
        home = tmp_path / way.__name__
        home.mkdir()
        places = {"home": home / ".memoranda", "state": home / "state", "user_home": home}
        own = replace(settings, embedder="hashing", variables={"HOME": str(home)}, **places)
        with Memory.init(settings=own, door=PERSON) as memory:
            way(memory)
            told = rows(memory)
            assert len(told) > 40
            assert all(embedded for *_, embedded, _ in told)
            found.append((told, said(memory, "session files and their tests")))
    if whole:
        assert found[0][1]
        assert found[0] == found[1] == found[2]
    else:
        unnumbered = [{(doc, *rest) for doc, _, *rest in told} for told, _ in found]
        assert unnumbered[0] == unnumbered[1] == unnumbered[2]


def test_a11_vectors_of_another_model_are_made_from_the_turn_files_alone(settings: Settings) -> None:
    folder = history(settings, "x", "gone soon").parent
    for path in (FIXTURES / "claude" / "sessions").glob("*.jsonl"):
        shutil.copy(path, folder)
    with Memory.init(settings=replace(settings, embedder="hashing"), door=PERSON) as memory:
        memory.capture(embed_seconds=60)
        passages = memory.status().index.passages
        assert memory.status().index.model.startswith("hashing-")
    shutil.rmtree(settings.user_home / ".claude")
    shutil.rmtree(memory.root / ".index")
    with Memory.open(settings=replace(settings, embedder="minilm"), door=PERSON) as memory:
        index = memory.status().index
        assert (index.passages, index.unembedded) == (passages, passages)
        assert memory.embed() == passages
        index = memory.status().index
        assert not index.model.startswith("hashing-")
        assert (index.unembedded, index.signals[-1]) == (0, "dense")
        found = memory.recall("how are several sessions handled?").said
        assert any(signal == "dense" for passage in found for signal, _ in passage.ranks)


class Clock:
    """A second passes whenever it is looked at."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def test_a42_a_budget_takes_the_newest_sessions_first_and_status_tells_the_rest(
    settings: Settings, memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(9):
        path = history(settings, f"s{n}", f"the harbour of day{n} was closed", "noted", day=n + 1)
        os.utime(path, (1_770_000_000 + 86_400 * n,) * 2)
    monkeypatch.setitem(module.capture.__kwdefaults__, "clock", Clock())  # type: ignore[attr-defined]
    report = memory.capture(seconds=4, embed_seconds=0)
    left = report.sources_pending
    assert 0 < left < 9
    found = memory.recall("harbour closed", lexical=True, limit=20, budget_tokens=20_000).said
    assert {passage.session for passage in found} == {f"s{n}" for n in range(left, 9)}
    stands = memory.status()
    assert stands.sources_pending == left
    assert stands.next[0] == "memoranda capture"
    monkeypatch.setitem(module.capture.__kwdefaults__, "clock", lambda: 0.0)  # type: ignore[attr-defined]
    memory.capture(embed_seconds=0)
    assert memory.status().sources_pending == 0
    assert "memoranda capture" not in memory.status().next
    assert memory.recall("harbour day0", lexical=True).said


def test_a43_words_are_found_while_vectors_wait_and_status_counts_them(settings: Settings) -> None:
    history(settings, "s1", "The ferry leaves from pier seven", "I wrote that down", "And the bus from gate two")
    with Memory.init(settings=replace(settings, embedder="hashing"), door=PERSON) as memory:
        memory.capture(embed_seconds=0)
        index = memory.status().index
        assert (index.passages, index.unembedded) == (3, 3)
        assert "memoranda embed" in memory.status().next
        assert memory.recall("ferry pier").said[0].text == "The ferry leaves from pier seven"
        assert memory.embed() == 3
        assert memory.status().index.unembedded == 0
        assert "memoranda embed" not in memory.status().next
        assert memory.recall("ferry pier").said[0].text == "The ferry leaves from pier seven"


def test_c2_turns_outlive_the_agents_clean_up_and_status_names_what_is_gone(settings: Settings, memory: Memory) -> None:
    gone = [history(settings, f"s{n}", f"lighthouse number{n} is lit") for n in range(3)]
    history(settings, "s3", "lighthouse number3 is lit")
    memory.capture(embed_seconds=0)
    for path in gone:
        path.unlink()

    def recalled() -> set[str]:
        return {p.session for p in memory.recall("lighthouse lit", lexical=True, limit=20).said}

    report = memory.capture(embed_seconds=0)
    assert (report.turns, report.sources_gone) == (0, 3)
    assert recalled() == {"s0", "s1", "s2", "s3"}
    memory.reindex()
    assert recalled() == {"s0", "s1", "s2", "s3"}
    memory.capture(embed_seconds=0)
    stands = memory.status()
    assert (stands.sources_gone, stands.gone) == (3, tuple(map(str, gone)))
    memory.capture([settings.user_home / ".claude"], embed_seconds=0)  # files that are named say nothing of the others
    assert memory.status().gone == tuple(map(str, gone))


def test_a49_one_that_cannot_have_the_lock_waits_its_time_and_says_busy(settings: Settings, memory: Memory) -> None:
    history(settings, "s1", "waiting is no loss")
    with Memory.open(settings=replace(settings, lock_seconds=0.05), door=PERSON) as other:
        with memory._store.lock.hold(), pytest.raises(Busy):
            other.capture(embed_seconds=0)
        assert not kept(memory)
        assert other.capture(embed_seconds=0).turns == 1
    assert memory.recall("waiting loss", lexical=True).said


@pytest.fixture
def events() -> Iterator[Callable[[], list[tuple[str, str]]]]:
    """What this thread opens, lists or connects to from the first call on, as (event, its first argument)."""
    seen: list[tuple[str, str]] = []
    on = [False]

    def hook(name: str, arguments: Sequence[object]) -> None:
        if on[0] and name.partition(".")[0] in ("open", "os", "socket", "subprocess", "glob"):
            seen.append((name, str(arguments[0]) if arguments else ""))

    sys.addaudithook(hook)

    def start() -> list[tuple[str, str]]:
        on[0] = True
        seen.clear()
        return seen

    yield start
    on[0] = False


def test_a64_status_walks_no_agents_tree_and_asks_nobody(
    settings: Settings, memory: Memory, events: Callable[[], list[tuple[str, str]]]
) -> None:
    for n, folder in itertools.product(range(4), range(5)):
        history(settings, f"s{folder}{n}", "one", "two", folder=f"-w-{folder}")
    memory.capture(embed_seconds=0)
    seen = events()
    first = memory.status()
    few = len(seen)
    for n in range(60):  # histories that no capture has seen yet cost it nothing
        history(settings, f"new{n}", "three", folder=f"-w-new{n}")
    seen = events()
    again = memory.status()
    assert again == first
    assert len(seen) <= few
    assert not [name for name, _ in seen if name.startswith(("socket", "subprocess", "os.system", "os.posix_spawn"))]
    assert not [place for _, place in seen if str(settings.user_home / ".claude") in place]


def test_a64_every_warning_names_the_next_command(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    with Memory.init(settings=replace(settings, embedder="hashing"), door=PERSON) as memory:
        assert memory.status().next == ("memoranda capture",)
        history(settings, "s1", "one", "two")
        memory.capture(embed_seconds=0)
        assert memory.status().next == ("memoranda embed",)
        memory.embed()
        assert memory.status().next[0].startswith("memoranda recall")
        place = memory.root / "records" / "note" / "2026-07" / "mem_0123456789ab.md"
        place.parent.mkdir(parents=True)
        place.write_text("no record at all")
        assert memory.status().problems == 1
        assert memory.status().next == ("memoranda check",)
        monkeypatch.setattr("memoranda.ports.discover.names", lambda group: () if group == "readers" else ("rules",))
        assert 'pip install "memoranda[agents]"' in memory.status().next
