"""The index room: equal to the truth after sync, disposable, never mixing models, whole after any stop."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

import pytest

from memoranda.builtin import hashing
from memoranda.index import Index, statement
from memoranda.model.errors import Busy, Conflict, Corrupt, Unavailable
from memoranda.model.index import Search
from memoranda.model.problem import Problem
from memoranda.model.record import Durability, Record

Opener = Callable[..., Index]


def everything(record: Record) -> bool:
    return True


def durable(record: Record) -> bool:
    return record.durability is Durability.DURABLE


def docs(index: Index, asked: str, **more: Any) -> list[str]:
    return [row.doc for row in index.rankings(Search(asked, ("words",), **more)).get("words", ())]


# --- equal to the truth


def test_sync_takes_in_and_out_only_the_difference(index: Index, truth: Any) -> None:
    one = truth.keep("mem_aaaaaaaaaaaa", "staging deploys are fine")
    truth.keep("mem_bbbbbbbbbbbb", "the streaming parser was dropped")
    truth.say("s1", "why did we drop the parser", "because it lost lines")
    state = index.sync(truth, everything)
    assert (state.current, state.passages, state.pending, state.unembedded) == (True, 4, 0, 4)
    assert docs(index, "staging") == ["mem_aaaaaaaaaaaa"]

    truth.reads.clear()
    index.sync(truth, everything)
    assert truth.reads == []

    del truth.records[one]
    truth.say("s1", "and staging stayed")
    index.sync(truth, everything)
    assert truth.reads == [truth.path("s1")]
    assert docs(index, "staging") == ["turn:claude/s1/s1-2"]
    assert index.notes("record/mem_aaaaaaaaaaaa") == {}
    assert index.notes(f"statement/{statement('staging deploys are fine', None)}") == {}


def test_a_changed_and_a_moved_record_are_read_again(index: Index, truth: Any) -> None:
    path = truth.keep("mem_aaaaaaaaaaaa", "old words")
    index.sync(truth, everything)
    truth.keep("mem_aaaaaaaaaaaa", "new words")
    index.sync(truth, everything)
    assert (docs(index, "old"), docs(index, "new")) == ([], ["mem_aaaaaaaaaaaa"])
    truth.records["core/mem_aaaaaaaaaaaa.md"] = truth.records.pop(path)
    index.sync(truth, everything)
    assert docs(index, "new") == ["mem_aaaaaaaaaaaa"]
    assert list(index.notes("record/")) == ["record/mem_aaaaaaaaaaaa/core/mem_aaaaaaaaaaaa.md"]


def test_notes_of_records_are_the_small_map(index: Index, truth: Any) -> None:
    truth.keep(
        "mem_bbbbbbbbbbbb",
        "b",
        supersedes=("mem_aaaaaaaaaaaa",),
        anchors=("turn:claude/s1/x#char=0,4@sha256:" + "0" * 64, "file:src/a.py#L1-L3@sha256:" + "1" * 64),
        scope="tek",
    )
    index.sync(truth, everything)
    ((name, value),) = index.notes("record/").items()
    assert name == "record/mem_bbbbbbbbbbbb/records/2026/07/mem_bbbbbbbbbbbb.md"
    assert json.loads(value) == {
        "stamp": "v1",
        "digest": "bbbbbbbbbbbb" * 5 + "0000",
        "category": "note",
        "created": "2026-07-02T16:40:00Z",
        "durability": "durable",
        "wanted": True,
    }
    assert list(index.notes("successor/")) == ["successor/mem_aaaaaaaaaaaa/mem_bbbbbbbbbbbb"]
    assert list(index.notes("cites/")) == [
        "cites/file:src/a.py/mem_bbbbbbbbbbbb",
        "cites/turn:claude/s1/x/mem_bbbbbbbbbbbb",
    ]
    assert list(index.notes("statement/")) == [f"statement/{statement('b', 'tek')}/mem_bbbbbbbbbbbb"]
    assert list(index.notes("scope/")) == ["scope/tek/mem_bbbbbbbbbbbb"]


def test_b8_records_that_are_not_wanted_leave_the_index_and_stay_on_the_map(index: Index, truth: Any) -> None:
    path = truth.keep("mem_aaaaaaaaaaaa", "passing thought", durability=Durability.TRANSIENT)
    index.sync(truth, durable)
    assert docs(index, "thought") == []
    assert json.loads(index.notes("record/")[f"record/mem_aaaaaaaaaaaa/{path}"])["wanted"] is False
    index.sync(truth, everything, again=("mem_aaaaaaaaaaaa",))
    assert docs(index, "thought") == ["mem_aaaaaaaaaaaa"]
    index.sync(truth, durable, again=None)
    assert docs(index, "thought") == []


def test_broken_records_are_left_out_and_not_read_each_time(index: Index, truth: Any) -> None:
    truth.keep("mem_aaaaaaaaaaaa", "fine")
    truth.records["records/2026/07/broken.md"] = Problem("records/2026/07/broken.md", "no header")
    index.sync(truth, everything)
    truth.reads.clear()
    assert index.sync(truth, everything).current
    assert truth.reads == []
    assert docs(index, "fine") == ["mem_aaaaaaaaaaaa"]


def test_echoes_are_kept_out(index: Index, truth: Any) -> None:
    truth.say("s1", "recalled words", flags=("echo",))
    truth.say("s1", "own words")
    index.sync(truth, everything)
    assert docs(index, "words") == ["turn:claude/s1/s1-1"]


def test_capture_adds_turns_and_notes_in_one_step(index: Index, truth: Any) -> None:
    turns = truth.say("s1", "one alpha", "two alpha")
    index.add_turns(turns, truth.reached(turns), {"cursor/claude/x": "99"})
    assert len(docs(index, "alpha")) == 2
    assert index.notes("cursor/") == {"cursor/claude/x": "99"}
    assert json.loads(index.notes("turnfile/")[f"turnfile/{truth.path('s1')}"]) == {"size": 20, "seq": 1}
    truth.reads.clear()
    assert index.sync(truth, everything).current
    assert truth.reads == []


def test_what_capture_did_not_hand_over_is_found_by_sync(index: Index, truth: Any) -> None:
    turns = truth.say("s1", "one alpha")
    index.add_turns(turns, truth.reached(turns), {})
    truth.say("s1", "two alpha")
    index.sync(truth, everything)
    assert len(docs(index, "alpha")) == 2


def test_a_budget_leaves_the_rest_pending(index: Index, truth: Any) -> None:
    for n in range(5):
        truth.say(f"s{n}", "alpha")
    state = index.sync(truth, everything, seconds=0.0)
    assert not state.current
    assert state.pending > 0
    while index.sync(truth, everything, seconds=0.0).pending:
        pass
    assert len(docs(index, "alpha")) == 5


# --- disposable


def test_b12_deleted_mid_way_and_built_again_it_is_the_same(
    open_index: Opener, truth: Any, described: Callable[[Index], str], tmp_path: Path
) -> None:
    for n in range(30):
        truth.keep(f"mem_{n:012x}", f"record number {n} about deploys", entities=("staging",))
        truth.say(f"s{n}", f"turn {n} about deploys", "and its answer")
    clean = open_index("clean")
    clean.sync(truth, everything)
    script = textwrap.dedent(
        f"""
        import importlib.util, sys, os, signal
        from pathlib import Path
        from memoranda.builtin import embedded
        from memoranda.index import Index
        spec = importlib.util.spec_from_file_location("c", {str(Path(__file__).with_name("conftest.py"))!r})
        c = importlib.util.module_from_spec(spec); sys.modules["c"] = c; spec.loader.exec_module(c)
        truth = c.Truth()
        for n in range(30):
            truth.keep(f"mem_{{n:012x}}", f"record number {{n}} about deploys", entities=("staging",))
            truth.say(f"s{{n}}", f"turn {{n}} about deploys", "and its answer")
        index = Index(Path({str(tmp_path / "killed" / ".index")!r}), embedded.make, None, Path("."))
        left = int(sys.argv[1])
        def progress(word, done, total):
            global left
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)
        from memoranda.index import sync
        sync.STEP_CHUNKS = 3
        index.sync(truth, lambda r: True, progress=progress)
        """
    )
    for steps in (0, 2, 7):
        run = subprocess.run([sys.executable, "-c", script, str(steps)], capture_output=True, text=True, check=False)
        assert run.returncode == -signal.SIGKILL, run.stderr
        killed = open_index("killed")
        killed.sync(truth, everything)
        assert described(killed) == described(clean)
        assert rows(killed) == rows(clean)
        killed.drop()
        assert not (tmp_path / "killed/.index/map.sqlite").exists()
        killed.close()


def test_git_never_sees_it(index: Index, truth: Any) -> None:
    truth.keep("mem_aaaaaaaaaaaa", "x")
    index.sync(truth, everything)
    assert (index.folder / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("how", ["truncate", "zero", "delete", "noise"])
def test_c4_damage_is_told_and_made_anew(open_index: Opener, truth: Any, model: Any, how: str) -> None:
    truth.keep("mem_aaaaaaaaaaaa", "alpha in a record")
    truth.say("s1", "alpha in a turn", "and more", "and more")
    first = open_index()
    first.sync(truth, everything)
    first.embed(truth.text_of, None)
    dense = Search("", ("dense",), vector=model.query("alpha in a turn"))
    wanted = rows(first, "alpha"), first.rankings(dense)
    first.close()
    names = sorted(str(p.relative_to(first.folder)) for p in first.folder.rglob("*") if p.is_file())
    spared = {"lock", ".gitignore", "words/.managed.json", "words/.tantivy-writer.lock", "words/.tantivy-meta.lock"}
    for name in names:
        path = first.folder / name
        if name in spared or not path.exists() or not path.stat().st_size:
            continue
        damage(path, how)
        again = open_index()
        again.sync(truth, everything)
        again.rankings(dense)
        again.embed(truth.text_of, None)
        assert (rows(again, "alpha"), again.rankings(dense)) == wanted, name
        assert "anew" in again.state().note or name in ("stamp.json", "checked.json") or how == "delete", name
        again.close()


def test_another_cutting_is_made_anew(index: Index, truth: Any) -> None:
    truth.keep("mem_aaaaaaaaaaaa", "x")
    index.sync(truth, everything)
    stamp = json.loads((index.folder / "stamp.json").read_text())
    (index.folder / "stamp.json").write_text(json.dumps({**stamp, "chunking": 0}))
    truth.reads.clear()
    state = index.sync(truth, everything)
    assert truth.reads == ["records/2026/07/mem_aaaaaaaaaaaa.md"]
    assert "anew" in state.note


def test_a_turns_file_that_lost_bytes_starts_it_anew(index: Index, truth: Any) -> None:
    truth.say("s1", "secret words", "other words")
    index.sync(truth, everything)
    truth.sessions[truth.path("s1")] = [replace(truth.sessions[truth.path("s1")][1], seq=0)]
    index.sync(truth, everything)
    assert docs(index, "secret") == []
    assert docs(index, "other") == ["turn:claude/s1/s1-1"]


# --- vectors


def test_a41_only_new_passages_are_embedded(open_index: Opener, truth: Any, model: Any) -> None:
    index = open_index()
    truth.say("s1", "one", "two")
    index.sync(truth, everything)
    assert index.embed(truth.text_of, None) == 2
    truth.say("s1", "three")
    index.sync(truth, everything)
    assert index.embed(truth.text_of, None) == 1
    assert sorted(model.given) == ["one", "three", "two"]
    assert index.state().unembedded == 0


def test_a11_b12_a_deleted_index_embeds_nothing_twice(open_index: Opener, truth: Any, model: Any) -> None:
    truth.say("s1", "one", "two", "one")
    index = open_index()
    index.sync(truth, everything)
    index.embed(truth.text_of, None)
    asked = Search("", ("dense",), vector=model.query("two"))
    before = index.rankings(asked)
    assert len(model.given) == 2
    index.drop()
    index.sync(truth, everything)
    assert index.embed(truth.text_of, None) == 3
    other = open_index("worktree")
    other.sync(truth, everything)
    assert other.embed(truth.text_of, None) == 3
    assert len(model.given) == 2
    assert index.rankings(asked) == before == other.rankings(asked)


def test_b13_another_model_after_a_rebuild(open_index: Opener, truth: Any) -> None:
    truth.say("s1", "the parser broke", "plum cake")
    first = open_index()
    first.sync(truth, everything)
    first.embed(truth.text_of, None)
    first.drop()
    wider = hashing.HashingEmbedder(96)
    second = open_index(model=wider)
    second.sync(truth, everything)
    assert second.embed(truth.text_of, None) == 2
    vector = second.query_vector("parser broken")
    assert second.rankings(Search("", ("dense",), vector=vector))["dense"][0].doc == "turn:claude/s1/s1-0"


def test_a14_another_model_is_refused_and_nothing_written(open_index: Opener, truth: Any) -> None:
    truth.say("s1", "one")
    index = open_index()
    index.sync(truth, everything)
    index.embed(truth.text_of, None)
    truth.say("s1", "two")
    index.sync(truth, everything)
    index.close()
    before = bytes_of(index.folder)
    other = open_index(model=hashing.HashingEmbedder(96))
    for act in (lambda: other.embed(truth.text_of, None), lambda: other.query_vector("one")):
        with pytest.raises(Conflict, match=r"hashing-1/64.*hashing-1/96"):
            act()
    other.close()
    assert bytes_of(index.folder) == before


def test_a15_an_unstamped_index_of_another_width_is_refused(open_index: Opener, truth: Any) -> None:
    truth.say("s1", "one", "two")
    index = open_index(model=hashing.HashingEmbedder(383))
    index.sync(truth, everything)
    index.embed(truth.text_of, None)
    truth.say("s1", "three")
    index.sync(truth, everything)
    index.close()
    (index.folder / "stamp.json").unlink()
    other = open_index(model=hashing.HashingEmbedder(384))
    with pytest.raises(Conflict, match=r"384.*383"):
        other.embed(truth.text_of, None)
    with pytest.raises(Conflict, match=r"384.*383"):
        other.rankings(Search("", ("dense",), vector=other.query_vector("one")))
    assert other.state().unembedded == 1


def test_records_first_then_the_newest_prose(open_index: Opener, truth: Any, model: Any) -> None:
    truth.say("s1", "old prose", "new prose")
    truth.say("s2", "tool says", type="tool_result")
    truth.keep("mem_aaaaaaaaaaaa", "a record")
    index = open_index()
    index.sync(truth, everything)
    while index.embed(truth.text_of, 0.0):
        pass
    assert model.given == []
    index.embed(truth.text_of, None)
    assert set(model.given) == {"a record", "new prose", "old prose", "tool says"}


def test_an_interrupted_embedding_leaves_whole_steps(open_index: Opener, truth: Any, model: Any) -> None:
    truth.say("s1", *(f"text number {n}" for n in range(200)))
    index = open_index()
    index.sync(truth, everything)

    def stop(word: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.embed(truth.text_of, None, stop)
    assert 0 < index.state().unembedded < 200
    index.embed(truth.text_of, None)
    assert index.state().unembedded == 0
    assert len(model.given) == 200


def test_a_passage_that_changed_meanwhile_is_passed_over(index: Index, truth: Any) -> None:
    truth.say("s1", "one", "two")
    index.sync(truth, everything)
    assert index.embed(lambda pending: "something else", None) == 0
    assert index.embed(lambda pending: None, None) == 0
    assert index.embed(truth.text_of, None) == 2


def test_no_vectors_no_question_vector(open_index: Opener, truth: Any) -> None:
    truth.say("s1", "one")
    index = open_index()
    assert index.query_vector("one") is None
    index.sync(truth, everything)
    assert index.query_vector("one") is None
    assert open_index(model=None).query_vector("one") is None


def test_erased_vectors_leave_the_cache(open_index: Opener, truth: Any, model: Any, tmp_path: Path) -> None:
    truth.say("s1", "one", "two")
    index = open_index()
    index.sync(truth, everything)
    pending = {truth.text_of(p): p.content for p in index._opened().pending(9)[1]}
    index.embed(truth.text_of, None)
    assert index.forget_vectors([pending["one"]]) == 1
    (cache,) = (tmp_path / "cache/vectors").glob("*/vectors.bin")
    assert bytes.fromhex(pending["one"]) not in cache.read_bytes()
    assert bytes.fromhex(pending["two"]) in cache.read_bytes()


# --- processes and folders


def test_a_second_writer_waits_then_is_told_who(open_index: Opener, truth: Any, tmp_path: Path) -> None:
    truth.say("s1", "one")
    index = open_index(lock_seconds=0.1)
    index.sync(truth, everything)
    code = (
        "import sys, time; from pathlib import Path; from memoranda.index.stamp import lock\n"
        f"with lock(Path({str(index.folder)!r}), 1):\n print('held', flush=True); time.sleep(30)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Busy, match=str(holder.pid)):
            index.put_notes({"a": "b"})
        assert docs(index, "one") == ["turn:claude/s1/s1-0"]  # readers never lock
        os.kill(holder.pid, signal.SIGKILL)
    index.put_notes({"a": "b"})
    assert index.notes("a") == {"a": "b"}


def test_a_reader_sees_what_another_process_adds(open_index: Opener, truth: Any) -> None:
    reader, writer = open_index(), open_index()
    truth.say("s1", "alpha")
    writer.sync(truth, everything)
    assert len(docs(reader, "alpha")) == 1
    truth.say("s1", "alpha again")
    writer.sync(truth, everything)
    writer.embed(truth.text_of, None)
    assert len(docs(reader, "alpha")) == 2
    assert reader.state().unembedded == 0


def test_without_a_folder_nothing_is_made_and_nothing_found(index: Index) -> None:
    assert index.rankings(Search("x", ("words",))) == {}
    assert index.notes("") == {}
    assert index.state().passages == 0
    assert index.embed(lambda pending: None, None) == 0
    index.drop()
    assert not index.folder.exists()


def test_a_folder_that_cannot_be_written_is_unavailable(index: Index, truth: Any) -> None:
    if os.geteuid() == 0:
        index.folder.parent.parent.mkdir(exist_ok=True)
        index.folder.parent.write_text("a file where the memory's folder would be")
        truth.say("s1", "one")
        with pytest.raises(Unavailable):
            index.sync(truth, everything)
        return
    index.folder.parent.mkdir(parents=True)
    index.folder.parent.chmod(0o500)
    truth.say("s1", "one")
    with pytest.raises(Unavailable):
        index.sync(truth, everything)


def test_damage_without_a_truth_at_hand_is_corrupt(open_index: Opener, truth: Any) -> None:
    truth.say("s1", "one")
    index = open_index()
    index.sync(truth, everything)
    index.close()
    damage(index.folder / "map.sqlite", "noise")
    with pytest.raises(Corrupt) as caught:
        open_index().rankings(Search("one", ("words",)))
    assert "reindex" in caught.value.hint


def test_words_alone_load_neither_numpy_nor_a_model(truth: Any, index: Index) -> None:
    truth.keep("mem_aaaaaaaaaaaa", "alpha")
    truth.say("s1", "alpha")
    index.sync(truth, everything)
    code = textwrap.dedent(
        f"""
        import sys
        import memoranda.index, memoranda.builtin.embedded
        assert not {{"numpy", "tantivy", "onnxruntime", "sqlite3"}} & set(sys.modules) - {{"sqlite3"}}, "at import"
        from pathlib import Path
        from memoranda.model.index import Search
        def model(): raise AssertionError("a model was opened")
        index = memoranda.index.Index(Path({str(index.folder)!r}), memoranda.builtin.embedded.make, model, Path("."))
        rows = index.rankings(Search("alpha", ("words", "entities")))["words"]
        assert len(rows) == 2, rows
        assert not {{"numpy", "onnxruntime", "tokenizers"}} & set(sys.modules), "at search"
        """
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_step_is_whole_for_readers_when_the_writer_is_killed(open_index: Opener, truth: Any, tmp_path: Path) -> None:
    """Killed between the commit of the words and that of the map, the index is made anew and says so."""
    truth.say("s1", "alpha one")
    index = open_index()
    index.sync(truth, everything)
    index.close()
    code = textwrap.dedent(
        f"""
        import os, signal
        from pathlib import Path
        from memoranda.builtin.embedded import make
        from memoranda.builtin.embedded.lexical import Lexical
        from memoranda.ports.contracts.index_backends import turns
        from memoranda.model.index import Changes
        commit = Lexical.commit
        def killed(self):
            commit(self)
            os.kill(os.getpid(), signal.SIGKILL)
        Lexical.commit = killed
        make(Path({str(index.folder)!r})).apply(Changes(add=turns(["alpha two"], session="s2"), notes={{"n": "1"}}))
        """
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    reader = open_index()
    assert docs(reader, "alpha") == ["turn:claude/s1/s1-0"]
    assert reader.notes("n") == {}
    truth.say("s2", "alpha three")
    state = reader.sync(truth, everything)
    assert "anew" in state.note
    assert sorted(docs(reader, "alpha")) == ["turn:claude/s1/s1-0", "turn:claude/s2/s2-0"]


def rows(index: Index, asked: str = "deploys answer record") -> Any:
    return index.rankings(Search(asked, ("words", "entities")))


def bytes_of(folder: Path) -> dict[str, bytes]:
    volatile = ("-shm", "lock", "checked.json")
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and not p.name.endswith(volatile)}


def damage(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "delete":
        path.unlink()
    elif how == "truncate":
        path.write_bytes(data[: len(data) // 2])
    elif how == "zero":
        path.write_bytes(bytes(len(data)))
    else:
        path.write_bytes(bytes((byte * 7 + n * 13 + 5) % 256 for n, byte in enumerate(data)))
