"""Details of a person in prose: what is found, and what only looks like it."""

from __future__ import annotations

import pytest

from memoranda.builtin import screen_rules

OWN = screen_rules.make()
FOUND = {
    "address": (
        "He lives at 12 Old Mill Street now",
        "Send it to 594 Hegedûs Gyula utca 76",
        "The parcel went to Via Franscini 71",
        "Anna wohnt in der Brucker Bundesstrasse 31",
        "Deliver to PSC 6293, Box 8158",
        "It is Søndergade 52 in town",
        "137 Avenue Teboulbi is the place",
        "She is at Suite 460 today",
    ),
    "person-address": ("Maria Keller lives at 12 Old Mill Street", "Dr. Jonas Weber, 9 Harbour Road"),
    "phone": (
        "call him on 079 0442 1744",
        "Phone: (08) 8747 6301",
        "her number is +49 171 5550199",
        "reach me at 541-714-1388",
    ),
    "birth-date": (
        "He was born on 12 March 1981",
        "date of birth: 1975-04-02",
        "DOB 4/14/1962",
        "geboren am 3.5.1990",
    ),
    "health": (
        "She was diagnosed with diabetes in May",
        "My colleague suffers from depression",
        "Our manager is 4 months pregnant",
        "He is HIV-positive",
        "the patient has breast cancer",
    ),
    "precise-location": ("the house is at 48.858370, 2.294481", "lat: 40.689247, lon: -74.044502"),
    "e-mail": ("write to anna.meier" + "@mail-host.de",),
    "iban": ("pay to GB82 WEST 1234 5698 7654 32",),
    "us-ssn": ("her SSN is 536-22-8726",),
}
CLEAN = (
    "Step 12 follows after Python 3 is installed",
    "See line 42 of Worker.py and Table 7",
    "Port 8080 is open, 3 Workers are running",
    "Born2beRoot is an exercise, released in 2019",
    "The cache suffers from lock contention",
    "The release was born in a hackathon",
    "We diagnosed the leak with a heap dump",
    "Phone support is out of scope for v2",
    "Scores are 0.1234, 0.5678 on both runs",
    "The build has 12 Main targets",
    "During 1971, Mayo was founded",
    "String 12 is cut, monitoring 3 hosts",
    "Timeout is 30 Seconds in CI",
    "coordinates: x=0.5000, y=0.2500",
)


def rules(text: str) -> set[str]:
    return {f.rule for f in OWN.look([text])[0] if f.layer == "personal"}


@pytest.mark.parametrize("kind", FOUND)
def test_b24_each_kind_is_found(kind: str) -> None:
    missed = [text for text in FOUND[kind] if kind not in rules(text)]
    assert len(missed) <= len(FOUND[kind]) // 8, missed


def test_c14_what_only_looks_like_it_is_not() -> None:
    assert [(text, rules(text)) for text in CLEAN if rules(text)] == []


@pytest.mark.parametrize(
    "text", ["A " * 40_000, "Via 1 " * 20_000, "12 Aa" * 20_000, "1 " * 60_000, "Aa. 0" * 20_000, "born " * 20_000]
)
def test_hostile_prose_is_looked_at_in_bounded_steps(text: str) -> None:
    OWN.look([text])  # a pattern that tries its words in every grouping would not come back
