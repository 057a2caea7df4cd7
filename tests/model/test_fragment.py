"""W3C media fragments, read strictly and printed in one form (B68)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoranda.model.errors import Invalid
from memoranda.model.fragment import Box, Extent, Fragment, Span, check_fragment, hull, parse_fragment
from memoranda.model.locator import parse_locator

HASH = "evidence:sha256:" + "0a" * 32


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("t=10,20", 10, 20), ("t=npt:10,20", 10, 20), ("t=,20", 0, 20), ("t=10", 10, None), ("t=0,0.5", 0, 0.5),
        ("t=61.25,81", 61.25, 81), ("t=01:01,01:21", 61, 81), ("t=0:01:01,0:01:21.5", 61, 81.5),
        ("t=100:00:00", 360000, None), ("t=npt:,0:00:20", 0, 20), ("t=10%2C20", 10, 20), ("%74=10,20", 10, 20),
        ("t=1.1234567,2", 1.123456, 2), ("t=5.,6", 5, 6),
    ],
)  # fmt: skip
def test_b68_every_npt_form_of_time_is_read(text: str, start: float, end: float | None) -> None:
    want = Span(round(start * 1_000_000), None if end is None else round(end * 1_000_000))
    assert parse_fragment(text).time == want


@pytest.mark.parametrize(
    "text",
    [
        "", "t", "t=", "t=,", "t=10,", "t=20,10", "t=10,10", "t=a,b", "t=-1,2", "t=1,2,3", "t=npt:", "t=1:2",
        "t=60:00:1", "t=00:60", "t=1:60:00", "t=0:00:1", "t=smpte:0:00:01", "t=clock:2026-01-01T00:00:00Z",
        "t=1s,2s", "t= 1,2",
        "xywh=", "xywh=1,2,3", "xywh=1,2,3,4,5", "xywh=1,2,0,4", "xywh=1,2,3,0", "xywh=-1,2,3,4", "xywh=1.5,2,3,4",
        "xywh=percent:50,0,60,10", "xywh=percent:0,99,1,2", "xywh=inch:1,2,3,4", "xywh=pixel:", "page=0", "page=-1",
        "page=a", "page=01", "page=", "char=5,5", "char=6,5", "char=1", "t=1&t=2", "&t=1", "t=1&", "t=1&&page=2", "T=1",
        "t=%zz", "t=1%", "a\nb=1", "=1", "t=%00", "t=%ff", "1a=2", "t=1;2",
    ],
)  # fmt: skip
def test_b68_malformed_fragments_are_refused(text: str) -> None:
    with pytest.raises(Invalid):
        parse_fragment(text)
    with pytest.raises(Invalid):
        parse_locator(f"{HASH}#{text}")


def test_a_locator_keeps_the_canonical_form() -> None:
    assert str(parse_locator(f"{HASH}#xywh=pixel:1,2,3,4&t=0:01:01,0:01:21.50")) == f"{HASH}#t=61,81.5&xywh=1,2,3,4"
    assert str(parse_locator(HASH)) == HASH
    assert parse_fragment("beat=3&page=2").other == (("beat", "3"),)


FULL = Extent(micros=11_000_000, width=640, height=480, pages=((612, 792), (842, 595)))


@pytest.mark.parametrize(
    "text", ["t=0,11", "t=10.9", "xywh=0,0,640,480", "page=2&xywh=0,0,842,595", "page=1", "xywh=percent:0,0,100,100"]
)
def test_b68_a_place_inside_the_exhibit_passes(text: str) -> None:
    check_fragment(parse_fragment(text), FULL)


@pytest.mark.parametrize(
    "text", ["t=0,11.000001", "t=11", "xywh=1,0,640,480", "page=3", "page=1&xywh=0,0,613,10", "char=0,1"]
)
def test_b68_a_place_past_the_exhibit_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        check_fragment(parse_fragment(text), FULL)


@pytest.mark.parametrize("text", ["t=1", "xywh=0,0,1,1", "xywh=percent:0,0,1,1", "page=1"])
def test_b68_a_kind_of_place_that_the_exhibit_lacks_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        check_fragment(parse_fragment(text), Extent())


def _spans(draw: st.DrawFn) -> Span:
    start = draw(st.integers(0, 10**13))
    return Span(start, draw(st.none() | st.integers(start + 1, 10**14)))


def _boxes(draw: st.DrawFn) -> Box:
    if draw(st.booleans()):
        x, y = draw(st.integers(0, 99)), draw(st.integers(0, 99))
        return Box(x, y, draw(st.integers(1, 100 - x)), draw(st.integers(1, 100 - y)), True)
    sides = st.integers(1, 10**6)
    return Box(draw(sides), draw(sides), draw(sides), draw(sides))


fragments = st.builds(
    Fragment,
    page=st.none() | st.integers(1, 10**6),
    time=st.none() | st.composite(_spans)(),
    box=st.none() | st.composite(_boxes)(),
    chars=st.none() | st.tuples(st.integers(0, 99), st.integers(100, 200)),
    other=st.none().map(lambda _: ()) | st.just((("beat", "3 & 4=%"),)),
).filter(lambda fragment: fragment != Fragment())


@given(fragments)
def test_what_is_printed_parses_to_the_same_value(fragment: Fragment) -> None:
    assert parse_fragment(str(fragment)) == fragment
    assert str(parse_fragment(str(fragment))) == str(fragment)


@given(st.text(alphabet="t=xywhpagecr0123456789.,:&%npt ", max_size=24))
def test_any_text_is_read_or_refused_and_nothing_else(text: str) -> None:
    try:
        fragment = parse_fragment(text)
    except Invalid:
        return
    assert parse_fragment(str(fragment)) == fragment


@given(st.lists(st.composite(_spans)(), min_size=1, max_size=5))
def test_a_hull_holds_every_part(spans: list[Span]) -> None:
    whole = hull(Fragment(time=span) for span in spans)
    assert whole is not None
    assert whole.time is not None
    for span in spans:
        assert whole.time.start <= span.start
        assert whole.time.end is None or (span.end is not None and span.end <= whole.time.end)


def test_places_of_two_pages_have_no_hull() -> None:
    one, two = parse_fragment("page=1&xywh=0,0,5,5"), parse_fragment("page=2&xywh=0,0,5,5")
    assert hull([one, two]) is None
    assert str(hull([one, parse_fragment("page=1&xywh=10,20,5,5")])) == "page=1&xywh=0,0,15,25"
