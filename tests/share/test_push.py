"""Pushing: what goes, what stays, and that it converges. Rows A24, A51, A52, A54, A55, A56, A57, A60."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Callable, Sequence

import pytest
from support.doors import PERSON
from support.publishing import another, say

from memoranda import Memory
from memoranda.model.errors import Conflict, NotFound, Unavailable
from memoranda.model.outcome import Finding
from memoranda.model.settings import Settings
from memoranda.share import gate

Open = Callable[..., Memory]


@pytest.fixture
def target(tmp_path: Path) -> str:
    return str(tmp_path / "published")


def rows(target: str) -> list[dict[str, object]]:
    """All rows, as anybody reads them."""
    import lance

    found: list[dict[str, object]] = lance.dataset(f"{target}/memory.lance").to_table().to_pylist()
    return found


def test_a24_raw_passages_are_published_and_anybody_can_read_them(memory: Memory, tmp_path: Path, target: str) -> None:
    memory.remember("The parser is a streaming one.")
    say(memory, tmp_path / "spool", "s1", "Why did we leave the tree parser?", "It took four gigabytes.")
    pushed = memory.push(target, create=True)
    assert (pushed.rows, pushed.there, pushed.ours, pushed.created) == (3, 3, 3, True)
    texts = {str(row["text"]).strip() for row in rows(target)}
    assert texts == {"The parser is a streaming one.", "Why did we leave the tree parser?", "It took four gigabytes."}


def test_without_consent_nothing_is_made(memory: Memory, target: str) -> None:
    memory.remember("The parser is a streaming one.")
    with pytest.raises(NotFound, match="there is no memory"):
        memory.push(target)
    assert not Path(target).exists()
    asked: list[str] = []
    with pytest.raises(NotFound):
        memory.push(target, ask=lambda question: bool(asked.append(question)))
    assert len(asked) == 1
    assert not Path(target).exists()


def test_a59_a_folder_is_made_for_its_owner_alone(memory: Memory, target: str) -> None:
    memory.remember("The parser is a streaming one.")
    memory.push(target, create=True)
    made = [Path(target), *Path(target).rglob("*")]
    assert {path.stat().st_mode & 0o777 for path in made if path.is_dir()} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in made if path.is_file()} == {0o600}


def test_a_second_push_sends_what_came_since(memory: Memory, tmp_path: Path, target: str) -> None:
    memory.remember("The parser is a streaming one.")
    memory.push(target, create=True)
    again = memory.push(target)
    assert (again.rows, again.there, again.commit) == (0, 1, "")
    say(memory, tmp_path / "spool", "s1", "Why did we leave the tree parser?")
    third = memory.push(target)
    assert (third.rows, third.there) == (1, 2)
    assert len({row["id"] for row in rows(target)}) == len(rows(target)) == 2


class _Screener:
    """Stands in for one of ours."""

    def __init__(self, rules: str, look: Callable[[Sequence[str]], Sequence[Sequence[Finding]]]) -> None:
        self.rules, self.look = rules, look


def _crash(texts: Sequence[str]) -> Sequence[Sequence[Finding]]:
    raise RuntimeError("out of luck")


@pytest.mark.parametrize(
    "look",
    [
        _crash,
        lambda texts: [[] for _ in texts],
        lambda texts: [],
        lambda texts: [[Finding("x", "credentials", 0, 10**9)] for _ in texts],
        lambda texts: [None for _ in texts],
        lambda texts: [[Finding("x", "credentials", 0, 1)] for _ in texts],
    ],
    ids=["crashes", "sees nothing", "answers less", "names no place", "answers nonsense", "looks at the start only"],
)
def test_a51_a_screener_that_cannot_be_relied_on_stops_everything(
    memory: Memory, target: str, look: Callable[[Sequence[str]], Sequence[Sequence[Finding]]]
) -> None:
    memory.remember("The parser is a streaming one.")
    real = memory._store.screeners()
    memory._store.__dict__["_screeners"] = [_Screener(real[0].rules, look), *real[1:]]
    with pytest.raises((Unavailable, TypeError)):
        memory.push(target, create=True)
    assert not Path(target).exists()


def test_a51_a_missing_screener_stops_everything(memory: Memory, target: str) -> None:
    memory.remember("The parser is a streaming one.")
    memory._store.__dict__["_screeners"] = list(memory._store.screeners())[1:]
    with pytest.raises(Unavailable, match="is missing"):
        memory.push(target, create=True)
    assert not Path(target).exists()


def test_a51_what_is_planted_is_found_by_each_of_ours(memory: Memory) -> None:
    """Else the gate would refuse to work now and then."""
    gate_ = gate.Gate(memory._store.screeners())
    assert [gate_.reasons(["Nothing is wrong with this."]) for _ in range(40)] == [[()]] * 40


def _plant(memory: Memory, path: Path, text: str) -> None:
    """Put words into a turn that came past the door, as an older door would have let in."""
    (file,) = (memory.root / "turns").rglob("*.jsonl")
    file.write_text(file.read_text().replace("PLACE", text))


@pytest.mark.parametrize("kind", ["split", "escaped", "base64"])
def test_a52_a_disguised_credential_stays_here(memory: Memory, tmp_path: Path, target: str, kind: str) -> None:
    token = gate._credential()
    say(memory, tmp_path / "spool", "s1", "A clean turn.", "The key is PLACE and so on.")
    disguised = {
        "split": f"{token[:20]}\\n{token[20:]}",
        "escaped": "".join(f"\\\\u{ord(sign):04x}" for sign in token),
        "base64": base64.b64encode(f"token={token}".encode()).decode(),
    }[kind]
    _plant(memory, tmp_path, disguised)
    pushed = memory.push(target, create=True)
    assert (pushed.rows, pushed.held_back) == (1, 1)
    assert [row["text"] for row in rows(target)] == ["A clean turn."]


def test_a54_all_held_publishes_nothing_and_says_so(memory: Memory, tmp_path: Path, target: str) -> None:
    say(memory, tmp_path / "spool", "s1", "Write to jo.weaver@looms.example.com about it.")
    pushed = memory.push(target, create=True)
    assert (pushed.rows, pushed.held, pushed.all_held) == (0, (("e-mail", 1),), True)
    assert not Path(target).exists()


def test_a54_partly_held_publishes_the_rest(memory: Memory, tmp_path: Path, target: str) -> None:
    say(memory, tmp_path / "spool", "s1", "Write to jo.weaver@looms.example.com about it.", "A clean turn.")
    pushed = memory.push(target, create=True)
    assert (pushed.rows, pushed.held_back, pushed.all_held) == (1, 1, False)
    assert memory.receipts()[0].held == 1


def test_a_person_may_say_that_a_detail_leaves_and_nobody_else(open_as: Open, tmp_path: Path, target: str) -> None:
    from support.doors import AGENT

    from memoranda.model.errors import Invalid

    memory = open_as(PERSON)
    say(memory, tmp_path / "spool", "s1", "Write to jo.weaver@looms.example.com about it.")
    with pytest.raises(Invalid):
        open_as(AGENT).push(target, create=True, allow=["e-mail"])
    assert memory.push(target, create=True, allow=["e-mail"]).rows == 1


def test_held_retired_and_edited_records_stay_here(open_as: Open, target: str) -> None:
    from support.doors import WEB

    memory = open_as(PERSON)
    kept = memory.remember("The parser is a streaming one.")
    gone = memory.remember("The build takes nine minutes.")
    edited = memory.remember("The cache lies in memory.")
    waiting = open_as(WEB).remember("The parser is a tree.", supersedes=[kept.record.id])  # type: ignore[union-attr]
    assert type(waiting).__name__ == "Held"
    memory.forget(gone.record.id)  # type: ignore[union-attr]
    path = memory.root / edited.record.path  # type: ignore[union-attr]
    path.write_text(path.read_text().replace("memory", "a file"))
    pushed = memory.push(target, create=True)
    assert {row["id"] for row in rows(target)} == {kept.record.id}  # type: ignore[union-attr]
    assert dict(pushed.held) == {"waits for a person": 1, "edited by hand": 1}


def test_a_record_that_is_retired_later_is_retracted(memory: Memory, target: str) -> None:
    record = memory.remember("The build takes nine minutes.").record  # type: ignore[union-attr]
    memory.push(target, create=True)
    memory.forget(record.id)
    pushed = memory.push(target)
    assert (pushed.rows, pushed.retracted) == (1, 1)
    assert {row["id"] for row in rows(target)} == {record.id, f"gone:{record.id}"}
    assert memory.push(target).rows == 0


def test_a55_a_memory_that_has_nothing_in_common_is_not_added(
    memory: Memory, settings: Settings, tmp_path: Path, target: str
) -> None:
    memory.remember("The parser is a streaming one.")
    memory.push(target, create=True)
    with Memory.init(settings=another(settings, tmp_path / "b"), door=PERSON) as other:
        other.remember("The oven is set to 230 degrees.")
        with pytest.raises(Conflict, match="nothing of this memory"):
            other.push(target)
        asked: list[str] = []
        with pytest.raises(Conflict):
            other.push(target, ask=lambda question: bool(asked.append(question)))
        assert len(asked) == 1
        assert len(rows(target)) == 1
        assert other.push(target, ask=lambda question: True).rows == 1


def test_a57_what_others_push_does_not_count_as_mine(
    memory: Memory, settings: Settings, tmp_path: Path, target: str
) -> None:
    memory.remember("The parser is a streaming one.")
    memory.push(target, create=True)
    with Memory.init(settings=another(settings, tmp_path / "b"), door=PERSON) as other:
        other.remember("The oven is set to 230 degrees.")
        other.push(target, yes=True)
    memory.push(target)
    (receipt,) = memory.receipts()
    assert (receipt.ours, len(rows(target))) == (1, 2)


def test_another_model_and_another_project_are_refused(
    memory: Memory, settings: Settings, tmp_path: Path, target: str
) -> None:
    from memoranda.model.values import replace

    with_model = replace(settings, embedder="hashing")
    with Memory.open(settings=with_model, door=PERSON) as one:
        one.remember("The parser is a streaming one.")
        one.push(target, create=True)
    import lance

    stamped = {k.decode(): v.decode() for k, v in lance.dataset(f"{target}/memory.lance").schema.metadata.items()}
    assert stamped["memoranda.embedder"].startswith("hashing")
    assert (stamped["memoranda.schema"], stamped["memoranda.project"]) == ("1", "")
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    with Memory.init(tmp_path / "shop", project=True, settings=settings, door=PERSON) as project:
        project.remember("The shop sells looms.")
        with pytest.raises(Conflict, match="holds a personal memory"):
            project.push(target, yes=True)


def test_a60_the_card_counts_and_leaves_a_persons_words_alone(memory: Memory, tmp_path: Path, target: str) -> None:
    memory.remember("The parser is a streaming one.")
    memory.push(target, create=True)
    card = Path(target) / "README.md"
    card.write_text("# Ours\n\nAsk Kim first.\n" + card.read_text() + "\nThe end.\n")
    say(memory, tmp_path / "spool", "s1", "One.", "Two.")
    memory.push(target)
    words = card.read_text()
    assert words.startswith("# Ours\n\nAsk Kim first.\n")
    assert words.endswith("\nThe end.\n")
    assert "| turns | 2 |" in words
    assert "| rows | 3 |" in words
    assert len(rows(target)) == 3
    card.write_text("# All mine\n")
    say(memory, tmp_path / "spool", "s1", "Three.", first=2)
    memory.push(target)
    assert card.read_text() == "# All mine\n"


def test_a53_scrub_converges(memory: Memory, tmp_path: Path, target: str) -> None:
    token = gate._credential()
    hidden = base64.b64encode(f"token={token}".encode()).decode()
    say(
        memory, tmp_path / "spool", "s1", "A clean turn.", "Ask jo.weaver@looms.example.com for it.", "It is PLACE now."
    )
    _plant(memory, tmp_path, hidden)
    assert (memory.push(target, create=True).rows, memory.receipts()[0].held) == (1, 2)
    looked = memory.scrub(apply=False)
    assert (looked.turns, len(looked.cut), looked.left, looked.applied) == (3, 2, (), False)
    assert memory.push(target).held_back == 2  # looking changed nothing
    assert len(memory.scrub().cut) == 2
    shipped = memory.push(target)
    assert (shipped.rows, shipped.held) == (2, ())
    before = {path: path.read_bytes() for path in memory.root.rglob("*.jsonl")}
    again = memory.scrub()
    assert (again.turns, again.cut, again.left) == (3, (), ())
    assert {path: path.read_bytes() for path in memory.root.rglob("*.jsonl")} == before
    texts = {str(row["text"]) for row in rows(target)}
    assert texts >= {"A clean turn.", "Ask [REDACTED:e-mail] for it."}
    assert hidden not in "".join(map(str, rows(target)))
    assert memory.check() == ()


def test_scrub_leaves_what_may_stay_and_names_records(memory: Memory, tmp_path: Path, target: str) -> None:
    say(memory, tmp_path / "spool", "s1", "Ask jo.weaver@looms.example.com for it.")
    record = memory.remember("Write to jo.weaver@looms.example.com about looms.").record  # type: ignore[union-attr]
    assert memory.scrub(keep=["e-mail"]).cut == ()
    found = memory.scrub()
    assert (len(found.cut), [kept.place for kept in found.left]) == (1, [record.id])
