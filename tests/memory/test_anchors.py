"""Anchors into real repositories: what a record weighs when its ground moved, changed, went or is on another branch."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest
from support.doors import AGENT
from support.repository import Repository

from memoranda import Memory
from memoranda.anchor import state
from memoranda.builtin import symbols
from memoranda.model.errors import Unavailable
from memoranda.model.outcome import Stored
from memoranda.model.query import Concluded
from memoranda.model.turn import Block, Turn
from memoranda.truth import git

CODE = "import os\n\nRETRIES = 5\n\n\ndef capped(count):\n    return min(count, RETRIES)\n"
PLACE = "client.py#L6-L7"


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "shop")


def keep(memory: Memory, repo: Repository, place: str = PLACE, text: str = "Retries are capped at five") -> str:
    outcome = memory.remember(text, anchors=[f"{repo.top}/{place}"])
    assert isinstance(outcome, Stored)
    return outcome.record.id


def hit(memory: Memory) -> Concluded:
    (found,) = memory.recall("how are retries capped?").concluded
    return found


def weight(memory: Memory) -> tuple[str, float]:
    """The verdict on the only anchor, and what all factors come to."""
    found = hit(memory)
    total = 1.0
    for factor in found.because:
        total *= factor.multiplier
    return found.verdicts[0].state, total


def test_b40_edited_deleted_or_moved_out_halves_and_restoring_clears_it(memory, repo):
    repo.commit(client=CODE)
    keep(memory, repo)
    file = repo.top / "client.py"
    assert weight(memory) == ("fresh", 1.0)
    file.write_text(CODE.replace("min", "max"))
    assert weight(memory) == ("changed", 0.5)
    file.unlink()
    assert weight(memory) == ("gone", 0.5)
    repo.write("elsewhere/notes.txt", CODE.replace("min", "max"))
    assert weight(memory) == ("gone", 0.5)
    file.write_text(CODE)
    assert weight(memory) == ("fresh", 1.0)


@pytest.mark.parametrize("way", ["staged", "committed", "untold", "with other changes"])
def test_b40_c5_a_renamed_file_is_moved_and_costs_nothing(memory, repo, way):
    repo.commit(client=CODE)
    keep(memory, repo)
    if way == "untold":
        (repo.top / "client.py").rename(repo.top / "retry.py")
    else:
        repo.git("mv", "client.py", "retry.py")
    if way == "with other changes":
        repo.write("retry.py", "# what is retried\n" + CODE)
    if way in ("committed", "with other changes"):
        repo.commit()
    assert weight(memory) == ("moved", 1.0)
    found = hit(memory)
    assert found.states == ("current",)
    lines = "#L7-L8" if way == "with other changes" else "#L6-L7"
    assert found.verdicts[0].now.endswith(f"/retry.py{lines}")
    assert [factor.name for factor in found.because] == ["moved"]
    assert memory.verify()[0].stale is False


def test_b40_a_file_that_was_renamed_and_changed_inside_the_anchor_is_changed(memory, repo):
    repo.commit(client=CODE)
    keep(memory, repo)
    repo.git("mv", "client.py", "retry.py")
    repo.commit(retry=CODE.replace("min", "max"))
    assert weight(memory) == ("changed", 0.5)
    assert "was renamed to file:retry.py and reads differently there" in hit(memory).verdicts[0].reason


def test_c5_an_edit_outside_the_anchored_lines_leaves_the_record_grounded(memory, repo):
    repo.commit(client=CODE)
    keep(memory, repo)
    repo.commit(client=CODE.replace("RETRIES = 5", "RETRIES = 6"))
    assert weight(memory) == ("fresh", 1.0)
    repo.commit(client="import sys\n" + CODE)
    assert weight(memory) == ("moved", 1.0)
    assert hit(memory).verdicts[0].reason == "file:client.py#L6-L7 stands at L7-L8 now"


def test_c5_a_single_line_is_followed_by_what_stands_around_it(memory, repo):
    repo.commit(client=CODE)
    keep(memory, repo, "client.py#L3")
    repo.write("client.py", "# first\n" + CODE)
    assert weight(memory) == ("moved", 1.0)
    repo.write("client.py", "# first\n" + CODE.replace("RETRIES = 5", "RETRIES = 6") + "OTHER = 5\n")
    assert weight(memory) == ("changed", 0.5)


def test_c6_what_was_taken_on_a_branch_is_unknown_elsewhere_and_fresh_after_the_merge(memory, repo):
    repo.commit(client="import os\n")
    repo.git("checkout", "-q", "-b", "caps")
    repo.commit(client=CODE)
    id = keep(memory, repo)
    assert weight(memory) == ("fresh", 1.0)
    repo.git("checkout", "-q", "main")
    assert weight(memory) == ("unknown", 1.0)
    assert "stands on caps, which is not checked out" in hit(memory).verdicts[0].reason
    assert "unknown" in hit(memory).states
    repo.git("merge", "-q", "caps")
    assert weight(memory) == ("fresh", 1.0)
    repo.commit(client=CODE.replace("min", "max"))
    assert weight(memory) == ("changed", 0.5), "this branch held it and lost it"
    assert memory.verify(id)[0].stale
    (repo.top / "client.py").unlink()
    assert weight(memory) == ("gone", 0.5)


@pytest.mark.parametrize("way", ["squashed", "rebased"])
def test_c6_a_branch_that_came_in_by_other_commits_counts_as_held(memory, repo, way):
    repo.commit(client="import os\n")
    repo.git("checkout", "-q", "-b", "caps")
    repo.commit(client=CODE)
    keep(memory, repo)
    repo.git("checkout", "-q", "main")
    repo.commit(other="x = 1\n")
    if way == "squashed":
        repo.git("merge", "-q", "--squash", "caps")
    else:
        repo.git("cherry-pick", "caps")
    repo.commit()
    repo.git("branch", "-q", "-D", "caps")
    assert weight(memory) == ("fresh", 1.0)
    repo.commit(client="import os\n")
    assert weight(memory) == ("changed", 0.5)


def test_c6_in_a_clone_that_never_saw_the_commit_it_is_unknown(open_as, repo, tmp_path):
    repo.commit(client="import os\n")
    clone = tmp_path / "clone"
    repo.git("clone", "-q", str(repo.top), str(clone))
    repo.commit(client=CODE)
    memory = open_as(AGENT)
    keep(memory, repo)
    shutil.move(str(repo.top), str(tmp_path / "away"))
    assert weight(memory) == ("unknown", 1.0), "no checkout is known"
    other = Repository(clone)
    keep(memory, other, "client.py#L1", "Nothing about it at all")  # which makes the clone known
    (found,) = [c for c in memory.recall("how are retries capped?").concluded if "capped" in c.record.body]
    assert found.verdicts[0].state == "unknown"
    assert "no part of what is checked out" in found.verdicts[0].reason


def test_c6_what_was_never_committed_is_changed_when_it_changes(memory, repo):
    repo.commit(client="import os\n")
    repo.write("client.py", CODE)
    keep(memory, repo)
    assert weight(memory) == ("fresh", 1.0)
    repo.write("client.py", CODE.replace("min", "max"))
    assert weight(memory) == ("changed", 0.5)


def test_an_anchor_that_names_no_commit_is_judged_by_what_the_history_held(memory, repo):
    repo.commit(client=CODE)
    repo.git("checkout", "-q", "-b", "side")
    repo.commit(other=CODE)
    id = keep(memory, repo, "other.py#L6-L7")
    (anchor,) = memory.get(id).anchors
    bare = anchor.rpartition("@")[0]
    repo.git("checkout", "-q", "main")
    assert state(bare, memory._store.world()).state == "unknown"
    repo.write("client.py", CODE.replace("min", "max"))
    assert state(bare.replace("other.py", "client.py"), memory._store.world()).state == "changed"


def test_b45_anchors_that_hold_are_looked_at_without_a_model_or_a_process(memory, repo, monkeypatch):
    repo.commit(**{f"f{n}": CODE.replace("5", str(n)) for n in range(20)})
    for n in range(20):
        keep(memory, repo, f"f{n}.py#L3", f"Retries of part {n} are capped")
    memory.verify()
    monkeypatch.setattr(git, "command", lambda *_: pytest.fail("git was started"))
    assert {v.state for one in memory.verify() for v in one.verdicts} == {"fresh"}


def test_c5_a_symbol_is_fresh_wherever_it_stands_in_its_file_and_changed_by_an_edit_inside(memory, repo):
    repo.commit(client=CODE)
    keep(memory, repo, "client.py#symbol=capped")
    repo.commit(client="import sys\n\n\n" + CODE.replace("RETRIES = 5", "RETRIES = 6"))
    assert weight(memory) == ("fresh", 1.0)
    repo.git("mv", "client.py", "retry.py")
    assert weight(memory) == ("moved", 1.0)
    repo.git("mv", "retry.py", "client.py")
    repo.commit(client=CODE.replace("min", "max"))
    assert weight(memory) == ("changed", 0.5)
    repo.commit(client="import os\n")
    assert "no symbol of the file any more" in hit(memory).verdicts[0].reason


def test_a_symbol_without_the_extra_is_unknown_and_says_what_to_install(memory, repo, monkeypatch):
    repo.commit(client=CODE)
    keep(memory, repo, "client.py#symbol=capped")
    monkeypatch.setattr(symbols, "find_spec", lambda name: None)
    assert weight(memory) == ("unknown", 1.0)
    assert hit(memory).verdicts[0].reason == 'tree_sitter is not installed (pip install "memoranda[code]")'
    with pytest.raises(Unavailable, match="memoranda\\[code\\]"):
        keep(memory, repo, "client.py#symbol=capped", "Another statement about it")


def test_c5_verify_shows_the_old_source_beside_the_new_one_oldest_ground_first(memory, repo):
    repo.commit(client=CODE)
    first = keep(memory, repo)
    second = keep(memory, repo, "client.py#L3", "The number of retries is five")
    repo.commit(client="import sys\n" + CODE.replace("min", "max").replace("= 5", "= 6"))
    looked = memory.verify()
    assert [one.record.id for one in looked] == sorted([first, second], key=lambda id: (memory.get(id).created, id))
    by_id = {one.record.id: one for one in looked}
    (side,) = by_id[first].sides
    assert side.before == "def capped(count):\n    return min(count, RETRIES)"
    assert side.after == "def capped(count):\n    return max(count, RETRIES)"
    assert side.source.startswith("commit ")
    assert side.place.endswith("/client.py#L7-L8")
    assert by_id[first].verdicts[0].now == side.place
    assert by_id[second].sides[0].before == "RETRIES = 5"
    repo.commit(client=CODE)
    assert [one.sides for one in memory.verify()] == [(), ()]


def test_verify_of_everything_shows_the_beginning_of_long_pieces_and_of_one_record_more(memory, repo):
    repo.commit(client="".join(f"line_{n} = {n}\n" for n in range(30)))
    id = keep(memory, repo, "client.py#L1-L30")
    repo.commit(client="".join(f"line_{n} = {n + 1}\n" for n in range(30)))
    (many,) = memory.verify()[0].sides
    assert (many.before.count("\n"), many.longer) == (5, True)
    (one,) = memory.verify(id)[0].sides
    assert (one.before.count("\n"), one.after.count("\n"), one.longer) == (29, 29, False)


def test_c1_one_byte_changed_in_a_cited_file_or_turn_is_found_by_verify(memory, repo):
    repo.commit(client=CODE)
    memory.say([Turn("s1", "t1", "user", "claude", (Block("text", "Cap the retries at five, please."),))])
    (turn,) = memory.conversation("claude", "s1")
    place = f"turn:claude/s1/{turn.turn}"
    outcome = memory.remember("Retries are capped", anchors=[f"{repo.top}/client.py#L6-L7", place])
    assert isinstance(outcome, Stored)
    assert [v.state for v in memory.verify(outcome.record.id)[0].verdicts] == ["fresh", "fresh"]
    (file,) = memory.root.glob("turns/**/*.jsonl")
    file.chmod(0o600)
    file.write_bytes(file.read_bytes().replace(b"at five, please", b"at nine, please"))
    (repo.top / "client.py").write_text(CODE.replace("min", "mix"))
    states = {v.anchor.partition(":")[0]: v.state for v in memory.verify(outcome.record.id)[0].verdicts}
    assert states == {"file": "changed", "turn": "changed"}


def test_a_cited_turn_that_a_rescan_cut_is_redacted_and_one_that_somebody_changed_is_not(memory):
    memory.say([Turn("s1", "t1", "user", "claude", (Block("text", "The key of staging is swordfish."),))])
    outcome = memory.remember("Staging has a key", anchors=["turn:claude/s1/t1"])
    assert isinstance(outcome, Stored)
    (file,) = memory.root.glob("turns/**/*.jsonl")
    file.chmod(0o600)

    def state_after(word: str) -> tuple[str, bool]:
        file.write_bytes(file.read_bytes().replace(b"swordfish", word.encode()))
        (one,) = memory.verify(outcome.record.id)
        return one.verdicts[0].state, one.stale

    assert state_after("cut-away") == ("changed", True)
    new = hashlib.sha256(b"The key of staging is cut-away.").hexdigest()
    memory._store.event("rescanned", "turn:claude/s1/t1", f"{'0' * 64} -> {new} some-rule")
    (one,) = memory.verify(outcome.record.id)
    assert (one.verdicts[0].state, one.stale) == ("redacted", False)
    assert "some-rule" in one.verdicts[0].reason
    file.write_bytes(file.read_bytes().replace(b"cut-away", b"something else"))
    assert memory.verify(outcome.record.id)[0].verdicts[0].state == "changed"
