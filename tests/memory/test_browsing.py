"""Sessions listed, scanned and sketched from the turns files."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memoranda import Memory
from memoranda.index.chunk import PIECE_CHARS, pieces
from memoranda.model.errors import Invalid, NotFound
from memoranda.model.settings import Settings


def turn(session: str, n: int, text: str, role: str = "user", **more: Any) -> dict[str, Any]:
    kind = more.pop("type", "text")
    return {
        "format": 1, "session": session, "turn": f"t{n}", "ts": f"2026-07-{n + 1:02}T10:00:00Z", "role": role,
        "harness": "mine", "blocks": [{"type": kind, "text": text}],
    } | more  # fmt: skip


def captured(memory: Memory, folder: Path, *rows: dict[str, Any]) -> Memory:
    path = folder / "a.turns.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    memory.capture([path], embed_seconds=0)
    return memory


def test_sessions_newest_first_with_title_opening_and_paging(memory: Memory, tmp_path: Path) -> None:
    captured(
        memory, tmp_path,
        turn("old", 0, "<context>injected</context>"), turn("old", 1, "why did the\nkettle stop?"),
        turn("old", 2, "because", "assistant", title="First title"), turn("old", 3, "ok", title="Kettle repairs"),
        turn("new", 5, "second session", cwd="/w/app", branch="main", parent_session="old"),
    )  # fmt: skip
    page = memory.sessions(limit=1)
    assert (page.total, page.next, [entry.session for entry in page.sessions]) == (2, 1, ["new"])
    (first,) = page.sessions
    assert (first.cwd, first.branch, first.parent, first.turns) == ("/w/app", "main", "old", 1)
    (second,) = memory.sessions(limit=1, offset=1).sessions
    assert (second.title, second.opening) == ("Kettle repairs", "why did the kettle stop?")
    assert (second.began, second.ended, second.turns) == ("2026-07-01T10:00:00Z", "2026-07-04T10:00:00Z", 4)
    assert memory.sessions(offset=5).next is None
    with pytest.raises(Invalid):
        memory.sessions(limit=0)


def test_sessions_filtered_by_time_agent_and_folder(memory: Memory, tmp_path: Path) -> None:
    captured(memory, tmp_path, turn("a", 0, "x", cwd="/w/app"), turn("b", 9, "y", cwd="/w/other"))
    assert [e.session for e in memory.sessions(since="2026-07-05T00:00:00Z").sessions] == ["b"]
    assert [e.session for e in memory.sessions(until="2026-07-05T00:00:00Z").sessions] == ["a"]
    assert [e.session for e in memory.sessions(repo=["/w"]).sessions] == ["b", "a"]
    assert [e.session for e in memory.sessions(repo=["app"]).sessions] == ["a"]
    assert not memory.sessions(harness=["claude"]).sessions


def git(folder: Path, *args: str) -> None:
    name = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", *name, *args], cwd=folder, check=True, capture_output=True)


def test_a_repository_is_known_by_every_remote_and_after_its_folder_is_gone(memory: Memory, tmp_path: Path) -> None:
    top = tmp_path / "checkout"
    top.mkdir()
    git(top, "init", "-q")
    git(top, "commit", "-q", "--allow-empty", "-m", "start")
    git(top, "remote", "add", "origin", "git@example.org:me/fork.git")
    git(top, "remote", "add", "upstream", "https://example.org/acme/billing")
    git(top, "worktree", "add", "-q", str(tmp_path / "tree"))
    captured(
        memory, tmp_path,
        turn("a", 0, "kettle in the main tree", cwd=str(top)),
        turn("b", 1, "kettle beside", cwd=str(tmp_path / "tree")),
        turn("c", 2, "kettle elsewhere", cwd="/nowhere"),
    )  # fmt: skip
    assert {e.session for e in memory.sessions(repo=["acme/billing"]).sessions} == {"a", "b"}
    assert {e.session for e in memory.sessions(repo=["me/fork"]).sessions} == {"a", "b"}
    top.rename(tmp_path / "moved")
    assert {e.session for e in memory.sessions(repo=["acme/billing"]).sessions} == {"a", "b"}
    found = memory.recall("kettle", repo=["acme/billing"], lexical=True)
    assert {said.session for said in found.said} == {"a", "b"}


def test_a62_a_needle_across_a_seam_of_pieces_is_found(memory: Memory, tmp_path: Path) -> None:
    seam = PIECE_CHARS
    text = "x" * (seam - 4) + "NEEDLEHERE" + "x" * 2000
    assert not any("NEEDLEHERE" in text[start:end] for start, end in pieces(text))
    captured(memory, tmp_path, turn("s", 0, text), turn("s", 1, "nothing"))
    found = memory.scan("s", "NEEDLEHERE")
    (hit,) = found.hits
    assert (hit.seq, text[hit.start : hit.end], hit.locator) == (
        0,
        "NEEDLEHERE",
        f"turn:mine/s/t0#char={hit.start},{hit.end}",
    )
    assert hit.before + hit.match + hit.after in text


def test_a62_nothing_found_says_what_was_looked_at(memory: Memory, tmp_path: Path) -> None:
    captured(memory, tmp_path, turn("s", 0, "abc"), turn("s", 1, "de"), turn("s", 2, "f.g"))
    found = memory.scan("mine/s", "a.c")
    assert (found.hits, found.first, found.last, found.total) == ((), 0, 2, 3)
    assert (found.turns, found.blocks, found.characters, found.redacted) == (3, 3, 8, 0)
    part = memory.scan("s", "a", first=1, last=1)
    assert (part.hits, part.first, part.last, part.turns) == ((), 1, 1, 1)
    assert len(memory.scan("s", "F.G", ignore_case=True).hits) == 1
    with pytest.raises(Invalid):
        memory.scan("s", "")


def test_a62_what_was_redacted_is_counted(memory: Memory, tmp_path: Path) -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    captured(memory, tmp_path, turn("s", 0, f"token {token} here"))
    found = memory.scan("s", token)
    assert (found.hits, found.redacted) == ((), 1)


def test_a62_many_places_stop_between_turns(memory: Memory, tmp_path: Path) -> None:
    captured(memory, tmp_path, *(turn("s", n, "ab " * 4) for n in range(5)))
    found = memory.scan("s", "ab", limit=9)
    assert (len(found.hits), found.last, found.next) == (8, 1, 2)
    rest = memory.scan("s", "ab", first=2)
    assert (len(rest.hits), rest.next) == (12, None)


def test_a_session_is_found_by_its_beginning_and_doubt_is_refused(memory: Memory, tmp_path: Path) -> None:
    captured(memory, tmp_path, turn("abcd-1", 0, "x"), turn("abcd-2", 1, "x"), turn("Odd id/ü", 2, "odd"))
    assert memory.scan("abcd-1", "x").hits
    assert memory.scan("turn:mine/abcd-2/0", "x").session == "abcd-2"
    with pytest.raises(Invalid):
        memory.scan("abcd", "x")
    with pytest.raises(NotFound):
        memory.scan("nope", "x")


def test_a63_a_sketch_collapses_repeats_reports_clamps_and_repeats_itself(memory: Memory, tmp_path: Path) -> None:
    rows = [turn("s", 0, "please repair the copper kettle in the galley")]
    rows += [turn("s", n, "running the same check again", "assistant") for n in range(1, 6)]
    rows += [turn("s", 6, "the thermostat was soldered backwards " * 200, "assistant")]
    rows += [turn("s", 7, "line of output " * 500, "tool", type="tool_result")]
    rows += [turn("s", n, f"remark number{n} about valve{n} and gasket{n}", "assistant") for n in range(8, 20)]
    rows += [turn("s", 20, "done: the kettle whistles", "assistant")]
    captured(memory, tmp_path, *rows)
    found = memory.sketch("s", units=5, max_chars=1500)
    assert [unit.seq for unit in found.units] == sorted(unit.seq for unit in found.units)
    assert (found.units[0].seq, found.units[-1].seq) == (0, 20)
    assert (found.turns, found.blocks, found.repeated) == (21, 21, 4)
    assert len(found.units) == 5
    assert found.left_out == 21 - 4 - 5
    assert found.shortened == sum(len(unit.text) < unit.length for unit in found.units)
    assert found.characters <= 1500
    assert found == memory.sketch("s", units=5, max_chars=1500)
    everything = memory.sketch("s", units=99)
    assert len({unit.text for unit in everything.units}) == len(everything.units)


def test_a61_a_turn_over_the_ceiling_is_whole_and_names_the_next(memory: Memory, tmp_path: Path) -> None:
    big = "0123456789" * 100_000
    captured(memory, tmp_path, turn("s", 0, "before"), turn("s", 1, big), turn("s", 2, "after"), turn("s", 3, "end"))
    found = memory.get("turn:mine/s/t1", before=1, after=2)
    assert [shown.text == big for shown in found.turns] == [True]  # type: ignore[union-attr]
    assert (found.shortened, found.total) == (True, 4)  # type: ignore[union-attr]
    assert found.next == "turn:mine/s/2..3"  # type: ignore[union-attr]
    onward = memory.get(found.next)  # type: ignore[union-attr, arg-type]
    assert [shown.text for shown in onward.turns] == ["after", "end"]  # type: ignore[union-attr]


def test_a39_a_sub_agents_session_is_listed_with_the_one_that_started_it(memory: Memory, settings: Settings) -> None:
    folder = settings.user_home / ".claude" / "projects" / "-w-app"
    main = "0790ea37-90df-4d30-8fdf-0bfe301b8f3e"
    for path, sidechain in ((folder / f"{main}.jsonl", False), (folder / main / "subagents" / "agent-7.jsonl", True)):
        path.parent.mkdir(parents=True, exist_ok=True)
        record = {"type": "user", "uuid": f"u{sidechain}", "sessionId": main, "isSidechain": sidechain,
                  "timestamp": "2026-07-01T00:00:00Z", "message": {"content": "look around"}}  # fmt: skip
        path.write_text(json.dumps({"type": "ai-title", "aiTitle": "A look"}) + "\n" + json.dumps(record) + "\n")
    memory.capture(embed_seconds=0)
    found = {entry.session: entry for entry in memory.sessions().sessions}
    assert found["agent-7"].parent == main
    assert found[main].parent is None
    assert found[main].title == "A look"
