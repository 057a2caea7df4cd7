"""A memory in a dataset repository, against a stand-in for the hub. Rows A24, A26, A27, A28, A56, A59, A60."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Iterator

import pytest
from support.doors import PERSON
from support.hub import READ, WRITE, Hub, Repository, hub
from support.publishing import another, files, say

from memoranda import Memory
from memoranda.model.errors import Denied, Invalid, NotFound, Offline
from memoranda.model.settings import Settings
from memoranda.model.values import replace

ADDRESS = "hf://datasets/ada/memory"


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with hub() as state:
        yield state


def known_as(settings: Settings, place: Hub, token: str) -> Settings:
    more = {"HF_ENDPOINT": place.endpoint, **({"HF_TOKEN": token} if token else {})}
    return replace(settings, variables={**settings.variables, **more})


@pytest.fixture
def own(settings: Settings, place: Hub) -> Settings:
    return known_as(settings, place, WRITE)


@pytest.fixture
def memory(own: Settings, tmp_path: Path) -> Iterator[Memory]:
    with Memory.init(settings=own, door=PERSON) as memory:
        memory.remember("The tree parser was left because of its memory.")
        say(memory, tmp_path / "spool", "s1", "Why did we leave the tree parser?", "It took four gigabytes.")
        yield memory


def test_a24_a59_it_is_made_private_on_consent_and_one_push_is_one_commit(memory: Memory, place: Hub) -> None:
    with pytest.raises(NotFound, match="there is no memory"):
        memory.push(ADDRESS)
    assert place.repositories == {}
    pushed = memory.push(ADDRESS, create=True)
    repository = place.repositories["ada/memory"]
    assert (repository.private, pushed.rows, pushed.created) == (True, 3, True)
    assert repository.messages == ["initial commit", "push: 1 records, 2 turns"]
    assert memory.push(ADDRESS).rows == 0
    assert not [request for request in place.requests if "inference" in request or "/models/" in request]


def test_a59_a_repository_that_is_there_keeps_whom_it_lets_in(memory: Memory, place: Hub) -> None:
    place.repositories["ada/memory"] = Repository(private=False)
    place.repositories["ada/memory"].add({"README.md": b"# Mine\n"}, "initial commit")
    with pytest.raises(NotFound):
        memory.push(ADDRESS)
    memory.push(ADDRESS, create=True)
    assert place.repositories["ada/memory"].private is False


def test_a60_the_card_rides_in_the_same_commit_and_its_numbers_are_right(
    memory: Memory, place: Hub, tmp_path: Path
) -> None:
    import lance

    memory.push(ADDRESS, create=True)
    repository = place.repositories["ada/memory"]
    card = repository.files["README.md"].decode()
    assert "| rows | 3 |" in card
    repository.add({**repository.files, "README.md": ("# Ours\n" + card + "Ask first.\n").encode()}, "by hand")
    say(memory, tmp_path / "spool", "s1", "And now?", first=2)
    memory.push(ADDRESS)
    card = repository.files["README.md"].decode()
    assert card.startswith("# Ours\n")
    assert card.endswith("Ask first.\n")
    for path, data in repository.files.items():
        (tmp_path / "all" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "all" / path).write_bytes(data)
    count = lance.dataset(str(tmp_path / "all" / "memory.lance")).count_rows()
    assert f"| rows | {count} |" in card


def test_a26_a27_a_warm_recall_is_one_request_and_a_new_push_is_seen(
    memory: Memory, own: Settings, place: Hub, tmp_path: Path
) -> None:
    memory.push(ADDRESS, create=True)
    with Memory.shared(ADDRESS, settings=another(own, tmp_path / "there"), door=PERSON) as reader:
        assert reader.recall("tree parser").concluded[0].memory == ADDRESS
        place.requests.clear()
        assert reader.recall("tree parser").concluded
        assert place.requests == ["GET /api/datasets/ada/memory/revision/main"]
        say(memory, tmp_path / "spool", "s2", "The zygote daemon answers to xylophone.")
        memory.push(ADDRESS)
        assert reader.recall("xylophone").said
        reader.pull(tmp_path / "pulled")
    assert files(tmp_path / "pulled") == files(memory.root)


def test_a_push_of_nothing_new_is_one_request(memory: Memory, place: Hub) -> None:
    memory.push(ADDRESS, create=True)
    place.requests.clear()
    memory.push(ADDRESS)
    assert len(place.requests) == 1


def test_a56_two_writers_at_once_are_both_there(own: Settings, place: Hub, tmp_path: Path) -> None:
    machines = [another(own, tmp_path / str(n)) for n in range(3)]
    for number, machine in enumerate(machines):
        with Memory.init(settings=machine, door=PERSON) as one:
            say(one, tmp_path / "spool", f"s{number}", f"The word of machine {number}.")
            if not number:
                one.push(ADDRESS, create=True)
                say(one, tmp_path / "spool", "s0", "Another word.", first=1)
    start = threading.Barrier(3)

    def push(machine: Settings) -> None:
        with Memory.open(settings=machine, door=PERSON) as one:
            start.wait(60)
            one.push(ADDRESS, yes=True)

    threads = [threading.Thread(target=push, args=(machine,)) for machine in machines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    with Memory.shared(ADDRESS, settings=another(own, tmp_path / "there"), door=PERSON) as reader:
        assert len(reader.recall("word machine", limit=20).said) == 4


def test_a_token_that_may_only_read(memory: Memory, settings: Settings, place: Hub, tmp_path: Path) -> None:
    memory.push(ADDRESS, create=True)
    before = place.repositories["ada/memory"].sha
    there = another(known_as(settings, place, READ), tmp_path / "there")
    with Memory.init(settings=there, door=PERSON) as other:
        other.remember("The oven is set to 230 degrees.")
        with pytest.raises(Denied, match="does not let us write") as refusal:
            other.push(ADDRESS, yes=True)
        assert "hf auth login" in refusal.value.hint
        with pytest.raises(Denied):
            other.push("hf://datasets/ada/another", create=True)
    assert place.repositories["ada/memory"].sha == before
    with Memory.shared(ADDRESS, settings=there, door=PERSON) as reader:
        assert reader.recall("tree parser").concluded


def test_missing_private_offline_and_malformed_are_told_apart(
    memory: Memory, settings: Settings, own: Settings, place: Hub, tmp_path: Path
) -> None:
    memory.push(ADDRESS, create=True)
    with Memory.shared("hf://datasets/ada/none", settings=own) as missing, pytest.raises(NotFound):
        missing.recall("x")
    nobody = another(known_as(settings, place, ""), tmp_path / "nobody")
    with Memory.shared(ADDRESS, settings=nobody) as private, pytest.raises(Denied, match="private"):
        private.recall("x")
    away = replace(own, variables={**own.variables, "HF_ENDPOINT": "http://127.0.0.1:9"})
    alone = another(away, tmp_path / "away")
    with Memory.shared("hf://datasets/ada/never", settings=alone) as gone, pytest.raises(Offline):
        gone.recall("x")
    for wrong in ("hf://ada/memory", "hf://datasets/ada", "hf://datasets/ada/../x", "hf://datasets/a b/c"):
        with pytest.raises(Invalid):
            Memory.shared(wrong, settings=own)
