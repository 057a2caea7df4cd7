"""A candidate passes whole or is refused whole.

Order: credentials and sensitive details first, in every field and in the fields joined; form only afterwards, so that
a proposed split never repeats what was refused. A refusal names rule, layer and field and never the value.
"""

from __future__ import annotations

import re
from typing import Sequence

from memoranda.model.outcome import Finding, Refused, Screened
from memoranda.model.record import Candidate
from memoranda.model.values import dataclass, replace
from memoranda.ports import Screener
from memoranda.screen.form import flaw
from memoranda.screen.halves import Half, halves
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
_LEAVE_OUT = "leave the value out: say where it is kept, or write a placeholder such as <token>"
_HIDDEN = re.compile("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]|(?<=\\w)[\u200b\u2060\ufeff](?=\\w)")


@dataclass(frozen=True, slots=True)
class _Part:
    """Where a field's text stands in what is looked at."""

    name: str
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class _Layout:
    """What is looked at: the fields, the body first, and from `alone` on all of them again, end to end."""

    text: str
    parts: tuple[_Part, ...]
    alone: int

    def fields(self, finding: Finding) -> list[str]:
        """The fields over which a finding reaches, each once, in order."""
        touched = (p.name for p in self.parts if finding.start < p.start + p.size and p.start < finding.end)
        return list(dict.fromkeys(touched))

    def by_chance(self, finding: Finding) -> bool:
        """Of what is only there end to end, a token whose own form reaches over an edge alone says something."""
        sure = finding.layer == "credentials" and finding.validated and len(self.fields(finding)) > 1
        return finding.start >= self.alone and not sure


def screen(
    candidate: Candidate, screeners: Sequence[Screener], recent: Sequence[tuple[str, str]] = ()
) -> Screened[Candidate] | Refused:
    """The candidate as one that may be written, or why not. Raises `Unavailable` when a screener fails.

    `recent` are ids and bodies of the records before it, newest first: a credential in two halves meets there.
    """
    fields = _fields(candidate)
    if sum(len(value) for _, value in fields) > _LIMIT:
        return _refused(Finding("too-long", "form"), "text", f"it is longer than {_LIMIT:,} characters")
    layout = _laid_out(fields)
    findings = [f for f in _looked(layout, screeners) if not layout.by_chance(f)]
    if barred := _barred(findings, layout):
        return barred
    if recent and (half := halves(candidate.body, recent, screeners)):
        return _in_two(half)
    noted = [placed for f in findings if (placed := _within(f, layout.parts[0])) is not None]
    return _formed(candidate, noted, rules_of(screeners))


def policy(finding: Finding) -> str:
    """What a personal detail does to a record: refuse, hold or pass."""
    if finding.layer != "personal":
        return "pass"
    return next((what for kind, what in PERSONAL.items() if finding.rule.startswith(kind)), "pass")


def reasons_to_hold(screened: Screened[Candidate]) -> tuple[str, ...]:
    """Why a person should look at a candidate that passed: one `personal:<rule>` for each kind of detail in it."""
    return tuple(dict.fromkeys(f"personal:{f.rule}" for f in screened.findings if policy(f) == "hold"))


def _looked(layout: _Layout, screeners: Sequence[Screener]) -> list[Finding]:
    """Findings in the fields, and in what they are end to end: there only as it stands and decoded, not mangled too."""
    found = look(layout.text[: layout.alone], screeners, thorough=True)
    if layout.alone < len(layout.text):
        behind = look(layout.text[layout.alone :], screeners)
        found += [replace(f, start=f.start + layout.alone, end=f.end + layout.alone) for f in behind]
    return found


def _barred(findings: list[Finding], layout: _Layout) -> Refused | None:
    """The refusal for the first finding that bars, with all others that stand in the same fields; None without one."""
    bad = [f for f in findings if f.layer == "credentials" or policy(f) == "refuse"]
    if not bad:
        return None
    first, fields = bad[0], layout.fields(bad[0])
    kind = "a credential" if first.layer == "credentials" else "a sensitive personal detail"
    seen = f", seen through {first.view}" if first.view else ""
    return Refused(
        f"refused: {' and '.join(fields)} {'holds' if len(fields) == 1 else 'together hold'} {kind} "
        f"(rule {first.rule}, layer {first.layer}{seen})",
        _LEAVE_OUT,
        tuple(_shown(f, layout) for f in bad if layout.fields(f) == fields),
    )


def _in_two(half: Half) -> Refused:
    """The refusal of a body that completes what a record before it begins, or the other way round."""
    return Refused(
        f"refused: body together with record {half.record} holds a credential "
        f"(rule {half.finding.rule}, layer credentials, in two halves)",
        f"leave the value out; {half.record} holds the other half: memoranda forget {half.record}",
        (half.finding,),
    )


def _within(finding: Finding, part: _Part) -> Finding | None:
    """A finding as one of a part, cut at its edges; None when it lies elsewhere."""
    start, end = max(finding.start, part.start), min(finding.end, part.start + part.size)
    return replace(finding, start=start - part.start, end=end - part.start) if start < end else None


def _shown(finding: Finding, layout: _Layout) -> Finding:
    """With its span in the body; what stands in other fields has none."""
    places = (_within(finding, part) for part in layout.parts if part.name == "body")
    return next((placed for placed in places if placed is not None), replace(finding, start=0, end=0))


def _formed(candidate: Candidate, noted: list[Finding], rules: str) -> Screened[Candidate] | Refused:
    wrong = flaw(candidate.body)
    if wrong is not None:
        finding = Finding(wrong.rule, "form")
        return Refused(f"refused: {wrong.message}", wrong.hint, (finding,), wrong.proposed)
    hidden = [Finding("hidden-characters", "policy", m.start(), m.end()) for m in _HIDDEN.finditer(candidate.body)]
    return Screened(candidate, rules, tuple(noted + hidden[:16]))


def _fields(candidate: Candidate) -> list[tuple[str, str]]:
    """Every text of a candidate under its field's name, the body first."""
    fields = [("body", candidate.body)]
    fields += [(name, value) for name in _FIELDS if (value := getattr(candidate, name))]
    return fields + [(name, value) for name in _LISTS for value in getattr(candidate, name)]


def _laid_out(fields: list[tuple[str, str]]) -> _Layout:
    """The fields with a separator between, then the further ones before and behind the body: halves meet there."""
    again = [*fields[1:], fields[0], *fields[1:]] if len(fields) > 1 else []
    text = SEPARATOR.join(value for _, value in fields)
    parts, at = [], 0
    for name, value in fields:
        parts.append(_Part(name, at, len(value)))
        at += len(value) + len(SEPARATOR)
    for name, value in again:
        parts.append(_Part(name, at, len(value)))
        at += len(value)
    joined = SEPARATOR + "".join(value for _, value in again) if again else ""
    return _Layout(text + joined, tuple(parts), len(text) + 1)


def _refused(finding: Finding, field: str, why: str) -> Refused:
    return Refused(f"refused: {field}: {why}", "remember one fact at a time", (finding,))
