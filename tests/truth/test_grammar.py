"""The record grammar: identity of printing and parsing, agreement with YAML readers, and every flaw by its line."""

from dataclasses import replace

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from memoranda.model.errors import Invalid
from memoranda.model.problem import Problem
from memoranda.model.record import Category, Channel, Confidence, Durability, Record
from memoranda.truth.grammar import (
    HEADER_BYTES,
    ORDER,
    RECORD_BYTES,
    TYPED,
    RecordFlaw,
    parse_record,
    print_record,
    seal,
    utc,
)

GOOD = """---
id: mem_4f2a91c07d55
created: "2026-07-02T16:40:00Z"
category: preference
source: user_message
channel: direct_session
durability: durable
confidence: high
screened: "3"
---
Tabs, not spaces.
"""

RECORD = Record(
    id="",
    created="2026-07-02T16:40:00Z",
    category=Category.PREFERENCE,
    source="user_message",
    channel=Channel.DIRECT_SESSION,
    durability=Durability.DURABLE,
    confidence=Confidence.HIGH,
    screened="3",
    body="Tabs, not spaces.",
)

#: Characters a header may hold, with those that mean something to YAML drawn often.
_unsafe = st.characters(exclude_categories=["Cs", "Cc", "Cn"], exclude_characters="\u2028\u2029\ufeff")
texts = st.one_of(
    st.text(_unsafe, max_size=30),
    st.text("\"\\'`#:-?,[]{}&*!|>%@ ~=<a1_.", max_size=15),
    st.sampled_from(
        ["true", "No", "NULL", "~", "1e3", "0x1f", "12:30:45", "1_000", "2026-07-02", "y", ".nan", "<<", "="]
    ),
)
lists = st.lists(texts, max_size=4).map(tuple)
keys = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,12}", fullmatch=True).filter(
    lambda key: key not in ORDER and key.lower() not in TYPED
)
ids = st.lists(st.from_regex(r"mem_[0-9a-f]{12}", fullmatch=True), max_size=3).map(tuple)
bodies = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200).filter(lambda body: body.strip())


@st.composite
def records(draw: st.DrawFn) -> Record:
    return replace(
        RECORD,
        body=draw(bodies),
        source=draw(texts.filter(bool)),
        principal=draw(texts) or None,
        scope=draw(texts) or None,
        entities=draw(lists),
        tags=draw(lists),
        supersedes=draw(ids),
        anchors=draw(lists),
        hold=draw(lists),
        extra=tuple(
            sorted(draw(st.dictionaries(keys, st.one_of(texts.filter(bool), lists.filter(bool)), max_size=3)).items())
        ),
    )


@given(records())
@settings(max_examples=150, deadline=None)
def test_what_is_printed_parses_to_the_same_and_prints_the_same(record: Record) -> None:
    sealed = seal(record)
    data = print_record(sealed)
    again = parse_record(data, "x.md")
    assert sealed.intact
    assert again == sealed
    assert print_record(again) == data


@given(records())
@settings(max_examples=150, deadline=None)
def test_every_yaml_reader_reads_the_header_as_the_same_strings(record: Record) -> None:
    sealed = seal(record)
    header = print_record(sealed).decode().split("\n---\n")[0][4:] + "\n"
    ours = {key: getattr(sealed, key) for key in ORDER if getattr(sealed, key)} | dict(sealed.extra)
    ours = {key: list(value) if isinstance(value, tuple) else str(value) for key, value in ours.items()}
    assert yaml.load(header, Loader=yaml.BaseLoader) == ours
    assert yaml.load(header, Loader=yaml.SafeLoader) == ours
    assert dict(YAML(typ="safe", pure=True).load(header)) == ours


@given(st.binary(max_size=400))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_a_record_or_a_flaw_with_a_line(data: bytes) -> None:
    for attempt in (data, b"---\n" + data, GOOD.encode()[:60] + data + GOOD.encode()[60:]):
        found = _record_or_problem(attempt)
        if isinstance(found, Problem):
            assert found.line is not None
            assert 1 <= found.line <= attempt.count(b"\n") + 2
            assert found.hint
        else:
            canonical = print_record(found)
            assert print_record(parse_record(canonical, "x.md")) == canonical


def _record_or_problem(data: bytes) -> Record | Problem:
    try:
        return parse_record(data, "x.md")
    except RecordFlaw as flaw:
        return flaw.problem


def _flaw(text: str | bytes) -> tuple[int | None, str]:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(RecordFlaw) as caught:
        parse_record(data, "records/x.md")
    problem = caught.value.problem
    assert problem.hint, "every flaw names the next step"
    return problem.line, problem.message


def _with(line: str) -> str:
    """The good record with one more header line, its eleventh."""
    return GOOD.replace('screened: "3"\n', f'screened: "3"\n{line}\n')


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "no header"),
        ("Just a note.\n", 1, "no header"),
        ("--- \nid: x\n---\n", 1, "no header"),
        ("---\nid: x\n", 1, "never closed"),
        ("---\n---\nbody\n", 2, "key: value"),
        ("\ufeff" + GOOD, 1, "byte order mark"),
        (GOOD.replace("\n", "\r\n"), 1, "carriage return"),
        (GOOD.replace("Tabs,", "Tabs\r,"), 11, "carriage return"),
        (GOOD.encode().replace(b"user_message", b"user\xffmessage"), 5, "not UTF-8"),
        (GOOD.encode().replace(b"Tabs", b"T\xe9bs"), 11, "not UTF-8"),
        (_with("tags: [a]\ntags: [b]"), 11, "twice"),
        (_with("note: &x a"), 10, "an anchor"),
        (_with("note: *x"), 10, "an alias"),
        (_with("note: !!python/object:os.system x"), 10, "a tag"),
        (_with("<<: *x"), 10, "key: value"),
        (_with("# comment"), 10, "comment"),
        (_with("note: a # comment"), 10, "needs quotes"),
        (_with("note: |"), 10, "block"),
        (_with("note: >-"), 10, "block"),
        (_with("note: {a: b}"), 10, "mapping"),
        (_with("note: 'a'"), 10, "single quotes"),
        (_with("tags:\n  - a"), 10, "no value"),
        (_with("tags: [a, [b]]"), 10, "not a list"),
        (_with("tags: [a,, b]"), 10, "not a list"),
        (_with("tags: [1, 2]"), 10, "not a list"),
        (_with("tags: [true]"), 10, "bare word"),
        (_with("note: No"), 10, "bare word"),
        (_with("note: 12"), 10, "needs quotes"),
        (_with("note: 2026-07-02"), 10, "needs quotes"),
        (_with("note: ~"), 10, "needs quotes"),
        (_with('note: "a\\n"'), 10, "quoted"),
        (_with('note: "a" b'), 10, "quoted"),
        (_with("note:a"), 10, "no space"),
        (_with("  note: a"), 10, "indented"),
        (_with(""), 10, "key: value"),
        (_with("on: a"), 10, "boolean or null"),
        (_with("9a: a"), 10, "key: value"),
        (_with('note: "a\tb"'), 10, "control"),
        (_with('note: "a\u0085trust: owner"'), 10, "control"),
        (_with('note: "a\u2028b"'), 10, "control"),
        (_with('note: "\ufdd0"'), 10, "control"),
        (_with('note: "a\x00"'), 10, "control"),
        (_with("note: é"), 10, "needs quotes"),
        (_with("tags: a"), 10, "not a list"),
        (_with("scope: [a]"), 10, "is a list"),
        (_with("supersedes: [m-7]"), 10, "not a record id"),
        (_with('observed: "2026-07-02"'), 10, "UTC"),
        (_with('observed: "2026-13-02T00:00:00Z"'), 10, "UTC"),
        (GOOD.replace("preference", "opinion"), 4, "unknown word"),
        (GOOD.replace("direct_session", "telepathy"), 6, "unknown word"),
        (GOOD.replace("mem_4f2a91c07d55", "mem_4F2A91C07D55"), 2, "id"),
        (GOOD.replace("16:40:00Z", "16:40:00+02:00"), 3, "UTC"),
        (GOOD.replace("user_message", '""'), 5, "empty"),
        (GOOD.replace("Tabs, not spaces.\n", ""), 10, "no body"),
        (GOOD.replace("Tabs, not spaces.\n", " \n\t\n"), 10, "no body"),
        (_with("\n".join(f"k{n}: a" for n in range(60))), 66, "more than 64 keys"),
        (_with(f'note: "{"a" * HEADER_BYTES}"'), 1, "header is longer"),
        (GOOD + "a" * RECORD_BYTES, 1, "longer than"),
    ],
)
def test_b3_each_flaw_is_named_with_its_line(text: str | bytes, line: int, words: str) -> None:
    found_line, message = _flaw(text)
    assert words in message
    assert found_line == line


@pytest.mark.parametrize(
    "key", ["id", "created", "category", "source", "channel", "durability", "confidence", "screened"]
)
def test_b3_each_required_key_is_missed_by_name(key: str) -> None:
    lines = [line for line in GOOD.splitlines(keepends=True) if not line.startswith(f"{key}:")]
    line, message = _flaw("".join(lines))
    assert f"required key {key}" in message
    assert line == 9


def test_no_flaw_quotes_a_value() -> None:
    secret = "hunter2-AKIA"
    for line in (
        f"note: &{secret}",
        f"{secret}",
        f"note: '{secret}'",
        f"tags: [{secret}: x]",
        f"supersedes: [{secret}]",
    ):
        with pytest.raises(RecordFlaw) as caught:
            parse_record(_with(line).encode(), "x.md")
        assert secret not in str(caught.value)


def test_b4_a_hand_edit_still_reads_but_is_not_intact() -> None:
    canonical = print_record(seal(RECORD))
    header, body = canonical.decode().split("\n---\n")
    lines = header.split("\n")[1:]
    shuffled = "\n".join(["---", *reversed(lines), "---", "", "", body]).replace("user_message", '"user_message"')
    record = parse_record(shuffled.encode(), "x.md")
    assert not record.intact
    assert replace(record, id="") == RECORD
    assert print_record(record) == canonical


def test_a_hand_edit_may_space_lists_freely() -> None:
    record = parse_record(_with('tags:   [ a ,"b c",d ]  ').encode(), "x.md")
    assert record.tags == ("a", "b c", "d")
    assert parse_record(_with("tags: []").encode(), "x.md").tags == ()


def test_a_body_may_hold_fences_and_id_lines() -> None:
    body = "---\nid: mem_000000000000\n---\n\n---"
    sealed = seal(replace(RECORD, body=body))
    assert parse_record(print_record(sealed), "").body == body
    assert sealed.intact


def test_printing_makes_nfc_and_line_feeds() -> None:
    sealed = seal(replace(RECORD, body="\n \n  cafe\u0301\r\nb\rc \n\n", entities=("e\u0301",), source="u\u0308"))
    assert sealed.body == "  café\nb\nc"
    assert sealed.entities == ("é",)
    assert sealed.source == "ü"


@pytest.mark.parametrize(
    "change",
    [
        {"source": "a\nb"},
        {"scope": "a\u2028"},
        {"entities": ("\x1b[31m",)},
        {"principal": "\ud800"},
        {"tags": ("\ufeff",)},
        {"body": "\ud800"},
        {"body": " \n\t"},
        {"body": "a" * RECORD_BYTES},
        {"tags": ("a" * HEADER_BYTES,)},
        {"extra": (("on", "x"),)},
        {"extra": (("category", "x"),)},
        {"extra": (("a b", "x"),)},
        {"supersedes": ("m-7",)},
        {"source": ""},
    ],
)
def test_what_the_grammar_forbids_is_invalid_to_write(change: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        seal(replace(RECORD, **change))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2026-07-02T16:40:00Z", "2026-07-02T16:40:00Z"),
        ("2026-07-02T18:40:00+02:00", "2026-07-02T16:40:00Z"),
        ("2026-07-02T16:40:00.123456Z", "2026-07-02T16:40:00Z"),
        ("2026-07-02 16:40", "2026-07-02T16:40:00Z"),
        ("2026-07-02", "2026-07-02T00:00:00Z"),
        ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00Z"),
    ],
)
def test_b5_times_become_utc(given: str, expected: str) -> None:
    assert utc(given) == expected


def test_b5_nonsense_is_no_time() -> None:
    for text in ("yesterday", "", "2026-02-30", "0001-01-01T00:00:00+10:00"):
        with pytest.raises(Invalid):
            utc(text)
