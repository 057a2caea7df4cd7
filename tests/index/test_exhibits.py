"""Extracts are cut into passages with exact places, taken into the index and out of it again, and cached."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Callable

from hypothesis import given
from hypothesis import strategies as st

from memoranda.extract.wire import parse_extract, print_extract
from memoranda.index import Index
from memoranda.index.exhibits import chunks, passages
from memoranda.index.extracts import Extracts
from memoranda.model.evidence import Exhibit, Extract, Retention, Segment
from memoranda.model.fragment import Box, Extent, Fragment, Span, check_fragment, hull, parse_fragment
from memoranda.model.index import Search
from memoranda.model.outcome import Screened

SHA = "ab" * 32


def all_of(record: object) -> bool:
    return True


def exhibit(sha: str = SHA, name: str = "talk.wav") -> Exhibit:
    return Exhibit(sha, 9, "audio/wav", name, "media", "owner", "2026-07-02T16:40:00Z", Retention.KEEP, "", "3",
                   Extent(micros=600_000_000))  # fmt: skip


def spoken(words: list[tuple[str, bool]]) -> Extract:
    segments = tuple(
        Segment(word, Fragment(time=Span(n * 500_000, n * 500_000 + 400_000)), gap)
        for n, (word, gap) in enumerate(words)
    )
    return Extract("test 1", "audio/wav", Extent(micros=600_000_000), segments)


def words_found(index: Index, text: str) -> list[str]:
    return [row.doc for row in index.rankings(Search(text, ("words",))).get("words", ()) if row.kind == "evidence"]


@given(st.lists(st.tuples(st.from_regex(r"[a-z]{1,12}", fullmatch=True), st.booleans()), max_size=300))
def test_every_word_stands_in_one_passage_whose_place_holds_it(words: list[tuple[str, bool]]) -> None:
    extract = spoken(words)
    found = passages(SHA, extract)
    assert found == passages(SHA, extract)
    assert " ".join(p.text.replace("\n", " ") for p in found).split() == [word for word, _ in words]
    at = 0
    for number, passage in enumerate(found):
        assert passage.number == number
        place = parse_fragment(passage.locator.partition("#")[2])
        check_fragment(place, extract.extent)
        count = len(passage.text.split())
        assert place == hull(s.place for s in extract.segments[at : at + count])
        at += count
        assert len(passage.text) <= 420


def test_passages_do_not_reach_over_pages_nor_mix_what_is_heard_and_seen() -> None:
    page = [Segment(f"line {n}", Fragment(page=1 + n // 2, box=Box(0, 10 * n, 50, 9))) for n in range(4)]
    found = passages(SHA, Extract("t", "application/pdf", Extent(pages=((99, 99), (99, 99))), tuple(page)))
    assert [p.text for p in found] == ["line 0\nline 1", "line 2\nline 3"]
    assert found[1].locator.endswith("#page=2&xywh=0,20,50,19")
    film = (Segment("said", Fragment(time=Span(0, 1))), Segment("seen", Fragment(time=Span(0, 1), box=Box(0, 0, 1, 1))))
    assert [p.text for p in passages(SHA, Extract("t", "video/mp4", Extent(micros=9), film))] == ["said", "seen"]


def test_a_long_paragraph_is_cut_and_each_part_has_its_own_characters() -> None:
    text = "one sentence of some length. " * 100
    segment = Segment(text.strip(), Fragment(chars=(1000, 1000 + len(text.strip()))))
    found = passages(SHA, Extract("t", "text/plain", Extent(chars=9999), (segment,)))
    assert len(found) > 2
    for passage in found:
        first, last = passage.locator.rpartition("=")[2].split(",")
        assert segment.text[int(first) - 1000 : int(last) - 1000] == passage.text


def test_places_that_are_equal_share_one_document() -> None:
    rows = tuple(Segment(f"row {n} " + "x" * 300, Fragment(page=1), gap=True) for n in range(4))
    found = chunks(exhibit(), Extract("t", "x/y", Extent(pages=((0, 0),)), rows))
    assert [(doc.rpartition("#")[2], len(some)) for doc, some in found.items()] == [("page=1", 4)]
    keys = [chunk.key for some in found.values() for chunk in some]
    assert len(set(keys)) == 4


def test_extracts_come_into_the_index_change_and_go(truth: Any, open_index: Callable[..., Index]) -> None:
    index = open_index(model=None)
    truth.extracts[SHA] = (exhibit(), spoken([("lighthouse", False), ("painted", True)]))
    index.sync(truth, all_of)
    assert words_found(index, "lighthouse") == [f"evidence:sha256:{SHA}#t=,0.9"]
    again = Extract("test 2", "audio/wav", Extent(micros=9_000_000), (Segment("harbour", Fragment(time=Span(0, 9))),))
    truth.extracts[SHA] = (exhibit(), again)
    state = index.sync(truth, all_of)
    assert (state.current, state.passages) == (True, 1)
    assert words_found(index, "lighthouse") == []
    assert len(words_found(index, "harbour")) == 1
    del truth.extracts[SHA]
    assert index.sync(truth, all_of).passages == 0
    assert words_found(index, "harbour") == []


def test_a_rebuilt_index_holds_the_same_exhibits_and_keeps_the_cache(
    truth: Any, open_index: Callable[..., Index], described: Callable[[Index], str]
) -> None:
    index = open_index(model=None)
    for n in range(3):
        truth.extracts[f"{n}" * 64] = (exhibit(f"{n}" * 64), spoken([(f"word{n}", True), ("shared", False)]))
    cache = Extracts(index.folder, print_extract, parse_extract)
    cache.put(SHA, Screened(spoken([("kept", False)]), "3"))
    index.sync(truth, all_of)
    before = described(index)
    index.drop()
    assert cache.get(SHA) == spoken([("kept", False)])
    index.sync(truth, all_of)
    assert described(index) == before


def test_the_cache_is_whole_or_absent_and_of_one_extractor(tmp_path: Path) -> None:
    cache = Extracts(tmp_path, print_extract, parse_extract)
    assert (cache.stamps(), cache.get(SHA)) == ({}, None)
    first = spoken([("one", False)])
    cache.put(SHA, Screened(first, "3"))
    assert cache.get(SHA) == first
    second = Extract("other 2", "audio/wav", Extent(micros=1), ())
    cache.put(SHA, Screened(second, "3"))
    assert cache.get(SHA) == second
    assert len(list((tmp_path / "extracts").iterdir())) == 1
    place = next((tmp_path / "extracts").iterdir())
    for data in (b"", b"{}", place.read_bytes()[:-5], place.read_bytes().replace(b"other 2", b"other 3")):
        place.write_bytes(data)
        assert cache.get(SHA) is None
    cache.drop(SHA)
    assert cache.stamps() == {}
    shutil.rmtree(tmp_path / "extracts")
    assert cache.stamps() == {}
