"""Reading what was published: pinned, warm, current, offline, and by more than one. Rows A24 to A28."""

from __future__ import annotations

import http.server
import json
import threading
from pathlib import Path
from typing import Callable, Iterator

import pytest
from support.doors import AGENT, PERSON
from support.publishing import Wire, another, files, say

from memoranda import Memory
from memoranda.memory.remote import RemoteStore
from memoranda.model.errors import Busy, Conflict, Denied, Invalid, NotFound, Offline
from memoranda.model.record import Authority
from memoranda.model.settings import Settings
from memoranda.model.values import replace

QUESTION = "why did we leave the tree parser"


@pytest.fixture
def wire(server: dict[str, str]) -> Iterator[Wire]:
    wire = Wire(server["AWS_ENDPOINT_URL"])
    yield wire
    wire.close()


@pytest.fixture
def wired(settings: Settings, server: dict[str, str], wire: Wire) -> Settings:
    return replace(settings, variables={**settings.variables, **server, "AWS_ENDPOINT_URL": wire.address})


@pytest.fixture
def address(new_bucket: Callable[[], str]) -> str:
    return new_bucket()


@pytest.fixture
def writer(wired: Settings, tmp_path: Path, address: str) -> Iterator[Memory]:
    """A memory on one machine, published."""
    with Memory.init(settings=wired, door=PERSON) as memory:
        memory.remember("The tree parser was left because of its memory.")
        say(memory, tmp_path / "spool", "s1", "Why did we leave the tree parser?", "It took four gigabytes.")
        memory.push(address, create=True)
        yield memory


@pytest.fixture
def reader(wired: Settings, tmp_path: Path, address: str, writer: Memory) -> Iterator[Memory]:
    """Another machine that reads it."""
    with Memory.shared(address, settings=another(wired, tmp_path / "there"), door=PERSON) as memory:
        yield memory


def test_a_published_memory_is_recalled_with_its_address_and_as_a_strangers(reader: Memory, address: str) -> None:
    answer = reader.recall(QUESTION)
    assert {hit.memory for hit in (*answer.said, *answer.concluded)} == {address}
    assert answer.concluded[0].authority is Authority.FOREIGN
    assert answer.said[0].text == "Why did we leave the tree parser?"
    assert answer.notices == ()


def test_a26_a_warm_recall_asks_one_question_and_fetches_nothing(reader: Memory, wire: Wire) -> None:
    reader.recall(QUESTION)
    wire.start_counting()
    answer = reader.recall(QUESTION)
    assert answer.said
    assert len(wire.requests) == 1
    assert "list-type" in wire.requests[0]


def test_a26_another_process_finds_the_copy_warm(reader: Memory, wire: Wire, address: str) -> None:
    reader.recall(QUESTION)
    wire.start_counting()
    with Memory.shared(address, settings=reader._store.settings, door=AGENT) as second:
        assert second.recall(QUESTION).said
    assert len(wire.requests) == 1


def test_a27_a_new_push_is_seen_by_the_next_recall(
    reader: Memory, writer: Memory, tmp_path: Path, address: str
) -> None:
    reader.recall(QUESTION)
    say(writer, tmp_path / "spool", "s2", "The zygote daemon answers to xylophone.")
    writer.push(address)
    assert [said.text for said in reader.recall("xylophone").said] == ["The zygote daemon answers to xylophone."]


def test_a27_what_was_retired_is_recalled_no_more(reader: Memory, writer: Memory, address: str) -> None:
    (concluded,) = reader.recall(QUESTION).concluded
    writer.forget(concluded.record.id)
    writer.push(address)
    assert reader.recall(QUESTION).concluded == ()


def test_a25_a_push_in_the_middle_of_a_recall_is_not_in_it(
    reader: Memory, writer: Memory, tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader.recall(QUESTION)
    store = reader._store
    assert isinstance(store, RemoteStore)
    rankings = store.rankings
    impatient = replace(store.settings, lock_seconds=0.0)

    def and_then_somebody_pushes(search: object) -> object:
        found = rankings(search)  # type: ignore[arg-type]
        say(writer, tmp_path / "spool", "s1", "And then it was rewritten.", first=2)
        writer.push(address)
        with Memory.shared(address, settings=impatient, door=PERSON) as second, pytest.raises(Busy):
            second.recall(QUESTION)
        return found

    monkeypatch.setattr(store, "rankings", and_then_somebody_pushes)
    answer = reader.recall("four gigabytes")
    assert answer.said[0].text == "It took four gigabytes."
    assert not any("rewritten" in near.text for said in answer.said for near in said.after)
    monkeypatch.undo()
    assert any("rewritten" in near.text for said in reader.recall("four gigabytes").said for near in said.after)


def test_a28_offline_the_copy_answers_and_says_so(reader: Memory, wire: Wire, address: str) -> None:
    reader.recall(QUESTION)
    wire.start_counting(cut_at=1)
    answer = reader.recall(QUESTION)
    assert answer.said
    (notice,) = answer.notices
    assert address in notice
    assert "answered from the copy here" in notice


def test_missing_empty_offline_and_shut_are_told_apart(
    wired: Settings, tmp_path: Path, wire: Wire, new_bucket: Callable[[], str]
) -> None:
    with Memory.shared(new_bucket(), settings=wired) as missing, pytest.raises(NotFound, match="there is no memory"):
        missing.recall(QUESTION)
    with Memory.shared("s3://no-such-bucket-here/m", settings=wired) as none, pytest.raises(NotFound, match="bucket"):
        none.recall(QUESTION)
    with _refusing() as shut:
        locked = replace(wired, variables={**wired.variables, "AWS_ENDPOINT_URL": shut})
        with Memory.shared("s3://theirs/m", settings=locked) as denied, pytest.raises(Denied) as refusal:
            denied.recall(QUESTION)
        assert "AWS_ACCESS_KEY_ID" in refusal.value.hint
    wire.start_counting(cut_at=1)
    with Memory.shared(new_bucket(), settings=wired) as away, pytest.raises(Offline, match="no copy of it here yet"):
        away.recall(QUESTION)
    with pytest.raises(Invalid):
        Memory.shared("ftp://somewhere/m", settings=wired)


class _refusing:
    """A server that lets nobody in."""

    def __enter__(self) -> str:
        class Shut(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = b"<Error><Code>AccessDenied</Code><Message>no</Message></Error>"
                self.send_response(403)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shut)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_port}"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def test_several_memories_in_one_recall_each_say_where_it_came_from(
    reader: Memory, settings: Settings, tmp_path: Path, address: str
) -> None:
    with Memory.init(settings=reader._store.settings, door=PERSON) as own:
        own.remember("The tree parser is still in the old branch.")
        answer = own.recall("tree parser", also=[reader])
    assert {concluded.memory for concluded in answer.concluded} == {"personal", address}


def test_vectors_come_along_and_meet_no_others(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memoranda.builtin import hashing

    vectors = replace(settings, embedder="hashing")
    target = str(tmp_path / "published")
    with Memory.init(settings=vectors, door=PERSON) as memory:
        memory.remember("The tree parser was left because of its memory.")
        say(memory, tmp_path / "spool", "s1", *(f"Passage {n} about looms." for n in range(20)))
        memory.push(target, create=True)
    kind = type(hashing.make())
    monkeypatch.setattr(kind, "passages", lambda self, texts: pytest.fail("nothing was to be embedded"))
    there = another(vectors, tmp_path / "there")
    with Memory.shared(target, settings=there, door=PERSON) as reader:
        answer = reader.recall("looms")
        assert (answer.index.unembedded, "dense" in answer.index.signals) == (0, True)
    own = [path for path in there.cache.iterdir() if path.name != "shared" and not path.is_symlink()]
    assert not any(path.name.endswith(".bin") for folder in own for path in folder.rglob("*"))


def test_a24_lance_itself_searches_the_published_vectors(settings: Settings, tmp_path: Path) -> None:
    import lance
    import numpy as np

    from memoranda.builtin import hashing

    target = tmp_path / "published"
    with Memory.init(settings=replace(settings, embedder="hashing"), door=PERSON) as memory:
        say(memory, tmp_path / "spool", "s1", *(f"Passage {n} is about looms." for n in range(20)), "Kettles whistle.")
        memory.push(str(target), create=True)
    question = np.frombuffer(hashing.make().query("Kettles whistle."), dtype=np.float32)
    nearest = {"column": "vectors", "q": question, "k": 1, "metric": "cosine"}
    (found,) = lance.dataset(str(target / "memory.lance")).to_table(nearest=nearest).to_pylist()
    assert found["text"] == "Kettles whistle."


def test_a_reader_writes_nothing(reader: Memory, writer: Memory) -> None:
    reader.recall(QUESTION)
    before = files(writer.root)
    with pytest.raises(Invalid, match="only read from here"):
        reader.remember("I was here.")
    (concluded,) = reader.recall(QUESTION).concluded
    with pytest.raises(Invalid):
        reader.forget(concluded.record.id)
    assert files(writer.root) == before


def test_the_files_are_rebuilt_to_the_byte(reader: Memory, writer: Memory, tmp_path: Path, address: str) -> None:
    say(writer, tmp_path / "spool", "s3", "Ein Wort: \u00fcberall \U0001f642.", 'A "quote", a \\ud83d, a tab\t.')
    writer.push(address)
    say(writer, tmp_path / "spool", "s3", "It goes on.", first=2)
    writer.push(address)
    rows, problems = reader.pull(tmp_path / "pulled")
    assert (rows, problems) == (6, ())
    assert files(tmp_path / "pulled") == files(writer.root)
    with pytest.raises(Conflict):
        reader.pull(tmp_path / "pulled")


def test_a_lone_surrogate_survives(settings: Settings, tmp_path: Path) -> None:
    target = str(tmp_path / "published")
    with Memory.init(settings=settings, door=PERSON) as memory:
        say(memory, tmp_path / "spool", "s1", "half \ud83d of a pair")
        memory.push(target, create=True)
        with Memory.shared(target, settings=another(settings, tmp_path / "there")) as reader:
            reader.pull(tmp_path / "pulled")
        assert files(tmp_path / "pulled") == files(memory.root)


def test_the_copy_is_for_its_user_alone(reader: Memory) -> None:
    reader.recall(QUESTION)
    store = reader._store
    assert isinstance(store, RemoteStore)
    assert store.copy.root.stat().st_mode & 0o077 == 0


def test_a_target_that_was_made_anew_is_copied_anew(settings: Settings, tmp_path: Path) -> None:
    import shutil

    target = tmp_path / "published"
    with Memory.init(settings=settings, door=PERSON) as memory:
        memory.remember("The oven is set to 230 degrees.")
        memory.push(str(target), create=True)
        with Memory.shared(str(target), settings=another(settings, tmp_path / "there"), door=PERSON) as reader:
            assert reader.recall("oven").concluded
            shutil.rmtree(target)
            gone = memory.recall("oven").concluded[0].record
            memory.forget(gone.id)
            memory.remember("The kettle whistles at seven.")
            memory.push(str(target), create=True)
            assert reader.recall("kettle").concluded
            assert reader.recall("oven").concluded == ()


def test_a_hostile_row_is_left_out_and_named(settings: Settings, tmp_path: Path) -> None:
    """Rows that say another name, lead out of the folder, or hold a credential."""
    from memoranda.builtin.lance_rows import make
    from memoranda.builtin.targets.folder import FolderTarget
    from memoranda.model.share import Row, Stamp
    from memoranda.share.gate import _credential
    from memoranda.share.ids import pack, path_of

    def line(turn: str, text: str, session: str = "s1") -> str:
        told = {"format": 1, "session": session, "turn": turn, "seq": 0, "ts": "2026-07-02T16:40:00Z"}
        told |= {"captured": "2026-07-02T16:40:00Z", "screened": "3", "role": "user", "harness": "mine"}
        return json.dumps(told | {"blocks": [{"type": "text", "text": text}]})

    token = _credential()
    rows = [
        Row("turn:mine/s1/t1", "turn", "0" * 16, "", line("t1", "A fine turn."), "turns/../../../etc/x"),
        Row("turn:mine/s1/t2", "turn", "0" * 16, "", line("t9", "Another name."), ""),
        Row("turn:mine/s1/t3", "turn", "0" * 16, "", line("t3", f"token {token}"), ""),
        Row("turn:mine/..%2F..%2Fup/t4", "turn", "0" * 16, "", line("t4", "Up.", "../../up"), "turns/a/../../up"),
        Row("mem_000000000000", "record", "0" * 16, "A lie.\n", "---\nid: mem_000000000000\n---\n", "../x"),
        Row("boo", "spell", "", "", "", ""),
    ]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    new = make().append(scratch / "memory.lance", rows, Stamp())
    sent = {f"memory.lance/{path}": file for path, file in new.items()}
    (part,) = [path for path in new if path.startswith("data/")]
    (scratch / "ids").write_bytes(pack({row.id: "" for row in rows}))
    sent[path_of(part.removeprefix("data/"))] = scratch / "ids"
    FolderTarget(tmp_path / "published").commit(sent, None, "evil")
    there = another(settings, tmp_path / "there")
    with Memory.shared(str(tmp_path / "published"), settings=there, door=PERSON) as reader:
        texts = [said.text for said in reader.recall("fine turn token", weak=True).said]
        assert sorted(texts) == ["A fine turn.", "token [REDACTED:github-pat]"]
        store = reader._store
        assert isinstance(store, RemoteStore)
        assert len(store.problems) == 3
    kept = [path for path in there.cache.rglob("*") if path.is_file() and not path.is_symlink()]
    assert all(token.encode() not in path.read_bytes() for path in kept)
    assert not any(path.name.startswith("up") for path in tmp_path.rglob("up*"))
