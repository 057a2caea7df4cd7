"""A candidate passes whole or is refused whole.

Order: credentials and sensitive details first, in every field and in the fields joined; form only afterwards, so that
a proposed split never repeats what was refused. A refusal names rule, layer and field and never the value.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Sequence

from memoranda.model.outcome import Finding, Refused, Screened
from memoranda.model.record import Candidate
from memoranda.ports import Screener
from memoranda.screen.form import flaw
from memoranda.screen.halves import halves
from memoranda.screen.look import SEPARATOR, look, rules_of

#: What happens to a record with a personal detail, by the beginning of the rule's name: it is refused, held for a
#: person, or (what is not named: e-mail, since maintainers' addresses are public) passes and is noted.
PERSONAL: dict[str, str] = {
    "iban": "refuse",
    "us-ssn": "refuse",
    "national-id": "refuse",
    "health": "hold",
    "person-address": "hold",
    "address": "hold",
    "birth-date": "hold",
    "precise-location": "hold",
    "phone": "hold",
}
_LIMIT = 65_536  # characters that are looked at; anything longer is refused for its size, unlooked
_FIELDS = ("source", "observed", "scope")
_LISTS = ("entities", "tags", "supersedes", "contradicts", "derived_from", "anchors", "aliases")
_HIDDEN = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]|(?<=\\w)[\u200b\u2060\ufeff](?=\\w)")


def screen(
    candidate: Candidate, screeners: Sequence[Screener], recent: Sequence[str] = ()
) -> Screened[Candidate] | Refused:
    """The candidate as one that may be written, or why not. Raises `Unavailable` when a screener fails.

    `recent` are the bodies of the records before it, newest first: a credential in two halves meets there.
    """
    fields = _fields(candidate)
    if sum(len(text) for _, text in fields) > _LIMIT:
        return _refused(Finding("too-long", "form"), "text", f"it is longer than {_LIMIT:,} characters")
    barred, noted = _seen(fields, look(SEPARATOR.join(text for _, text in fields), screeners, thorough=True))
    if barred:
        return barred
    if recent and (half := halves(candidate.body, recent, screeners)):
        return _barred("body, with a record before it,", [half])
    return _formed(candidate, noted, rules_of(screeners))


def policy(finding: Finding) -> str:
    """What a personal detail does to a record: refuse, hold or pass."""
    if finding.layer != "personal":
        return "pass"
    return next((what for kind, what in PERSONAL.items() if finding.rule.startswith(kind)), "pass")


def reasons_to_hold(screened: Screened[Candidate]) -> tuple[str, ...]:
    """Why a person should look at a candidate that passed: one `personal:<rule>` for each kind of detail in it."""
    return tuple(dict.fromkeys(f"personal:{f.rule}" for f in screened.findings if policy(f) == "hold"))


def _seen(fields: list[tuple[str, str]], findings: list[Finding]) -> tuple[Refused | None, list[Finding]]:
    """The refusal for the first field with something barred, else what is only worth noting in the body."""
    start, noted = 0, []
    for name, text in fields:
        end = start + len(text)
        here = [replace(f, start=f.start - start, end=f.end - start) for f in findings if start <= f.start < end]
        barred = [f for f in here if f.layer == "credentials" or policy(f) == "refuse"]
        if barred:
            return _barred(name, barred), []
        noted += here if name == "body" else []
        start = end + len(SEPARATOR)
    return None, noted


def _formed(candidate: Candidate, noted: list[Finding], rules: str) -> Screened[Candidate] | Refused:
    wrong = flaw(candidate.body)
    if wrong is not None:
        finding = Finding(wrong.rule, "form")
        return Refused(f"refused: {wrong.message}", wrong.hint, (finding,), wrong.proposed)
    hidden = [Finding("hidden-characters", "policy", m.start(), m.end()) for m in _HIDDEN.finditer(candidate.body)]
    return Screened(candidate, rules, tuple(noted + hidden[:16]))


def _fields(candidate: Candidate) -> list[tuple[str, str]]:
    """Every text of a candidate under its field's name, the body first; last all of them end to end, so that halves
    of a credential in two fields meet."""
    fields = [("body", candidate.body)]
    for name in _FIELDS:
        value = getattr(candidate, name)
        if value:
            fields.append((name, value))
    for name in _LISTS:
        fields.extend((name, value) for value in getattr(candidate, name))
    if len(fields) > 1:
        rest = "".join(text for _, text in fields[1:])
        fields.append(("the fields together", rest + candidate.body + rest))
    return fields


def _barred(field: str, findings: list[Finding]) -> Refused:
    first = findings[0]
    kind = "a credential" if first.layer == "credentials" else "a sensitive personal detail"
    seen = f", seen through {first.view}" if first.view else ""
    return Refused(
        f"refused: {field} holds {kind} (rule {first.rule}, layer {first.layer}{seen})",
        "leave the value out: say where it is kept, or write a placeholder such as <token>",
        tuple(f if field == "body" else replace(f, start=0, end=0) for f in findings),
    )


def _refused(finding: Finding, field: str, why: str) -> Refused:
    return Refused(f"refused: {field}: {why}", "remember one fact at a time", (finding,))
