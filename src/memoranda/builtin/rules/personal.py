"""Details of a person in prose: addresses, dates of birth, health, a precise place. Forms, cues and statistics of form.

English first, with the street words of a dozen other languages. Candidates come from short literals; a street needs
its own word (*Street*, *Via*, *-gatan*), a postal form of its own, or a cue such as *lives at* before it. A name
counts only beside such a detail: alone it is no secret, and capitals are everywhere in notes on software.
"""

from __future__ import annotations

import re
from typing import Iterator

from memoranda.builtin.rules.digits import number_starts
from memoranda.builtin.rules.lens import Lens
from memoranda.model.outcome import Finding

_CAP = r"(?:[^\W\d_a-z][\w'’.-]{0,24}|d[aeiou]s?|von|van|der|den|de|la|le|z|ul\.|af|y)"
_KIND = (
    r"(?:Streets?|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Squares?|Sq|Plaza|Place|Pl|Way|Terrace|"
    r"Highway|Hwy|Parkway|Pkwy|Crescent|Close|Mews|Alley|Row|Grove|Gardens|Hill|Circle|Cir|Trail|Pike|Pass|Union|Str|str|"
    r"utca|út|u|tér|ulica|Straat|Strasse|Straße|Crossing|Dam|Crest|Loop|Ridge|View|Bridge|Station|Port|Mill|Island)"
)
_NUMBER = r"[0-9]{1,5}(?:[-/][0-9]{1,4})?[A-Za-z]?"
# 12 Main Street · 594 Hegedûs Gyula utca 76
_TYPED = re.compile(rf"{_NUMBER},?[ \t]{{1,2}}(?:{_CAP}[ \t]{{1,2}}){{1,5}}{_KIND}\b\.?(?:[ \t]{_NUMBER}\b)?")
# Via Franscini 71 · 137 Avenue Teboulbi · Rua do Arenque 1634
_LEADING_WORDS = (
    "via viale piazza corso rua rúa calle c/ rue avenida av. avenue boulevard place chemin largo travessa strada "
    "ul. al. plac praça plaza paseo camino quai impasse"
)
_LEADING = frozenset(_LEADING_WORDS.split(" "))
_CAPS = rf"{_CAP}(?:[ \t]{{1,2}}{_CAP}){{0,4}}"  # each word ends at a blank: nothing to try twice
_LED = re.compile(
    rf"{_NUMBER},?[ \t]{{1,2}}(?i:{'|'.join(map(re.escape, sorted(_LEADING)))})[ \t]{_CAPS}(?:,?[ \t]{_NUMBER}\b)?"
)
# Søndergade 52 · Kiannonkatu 98 · Brucker Bundesstrasse 31
_ENDING_WORDS = (
    "straße strasse stræde strate str. gasse weg platz allee damm ufer vej gade gata gatan vägen väg vei veien gaten "
    "katu tie kuja polku laan straat plein kade gracht utca körút ulice útja brücke"
)
_ENDINGS = tuple(_ENDING_WORDS.split(" "))
_UNITS = frozenset(("apt", "suite", "ste", "apartment", "flat", "unit", "psc", "box", "postfach", "apartado"))
_MILITARY = re.compile(r"[AFD]PO[ \t,]{1,2}A[AEP][ \t]\Z")
_CAPITAL = re.compile(rf"{_CAP}\Z")
_CUE = re.compile(
    r"(?i)(?:address(?:es)?\b[^.\n]{0,24}|adresse\b[^.\n]{0,12}|"
    r"(?:live|lives|lived|living|resid\w+|wohn\w*|habit\w*)[ \t](?:now[ \t])?(?:in|at|on|der|à|en)|side[ \t]of|"
    r"located[ \t](?:at|in|on)|(?:office|home|house|shop|store|place|party|restaurant)[ \t]is[ \t](?:at|in|on)|"
    r"meet(?:ing)?[ \t](?:\w+[ \t])?(?:at|on|in)|corner[ \t]of|return[ \t]to|linked[ \t][^.\n]{1,40}to|"
    r"(?:deliver|ship|send|sent|mail|taxi|uber|ride|cab|moved?|moving|relocat\w+)[ \t](?:[^.\n]{1,40}[ \t])?(?:to|at)|"
    r"it'?s[ \t](?:in|at|on))[:,\s]{1,4}\Z"
)
# One of these is in every cue: asked first, since most numbers have none before them.
_CUE_STEMS = (
    "addres", "adress", "live", "living", "resid", "wohn", "habit", "locat", " is ", "meet", "corner", "return",
    "linked", "deliver", "ship", "sen", "mail", "taxi", "uber", "ride", "cab", "mov", "it's", "its", "side",
)  # fmt: skip
_BARE = re.compile(rf"{_NUMBER},?[ \t]{{1,2}}{_CAPS}(?:,?[ \t]{_NUMBER}\b)?")
# What goes on behind a street: its unit, a town, a country, a code; over up to four short lines.
_TAIL = re.compile(
    r"(?:[ \t]{0,3},?[ \t]{0,3}\r?\n?[ \t>]{0,4},?[ \t]{0,2}(?:(?i:apt|suite|unit|floor|fl)\.?[ \t]#?[0-9]{1,5}|"
    r"[^\W\d_a-z][^\W\d_]{1,20}(?:[ \t-][^\W\d_a-z][^\W\d_]{1,20}){0,3}|[A-Z]{2,3}|[0-9]{4,6}(?:-[0-9]{3,4})?|"
    r"[0-9]{2,3}[ -][0-9]{2,3}|nan)\b){1,7}"
)
_HEAD = re.compile(r"(?:[0-9]{1,6}[ \t\n]{1,3}){1,2}\Z")

_MONTH = r"(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mai|juin|juil|août|okt|dez)[\w.éû]{0,8}"
_YEAR = "(?:19|20)[0-9]{2}"
_DAY = (
    rf"(?:{_YEAR}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,2}}|[0-9]{{1,2}}[-/.][0-9]{{1,2}}[-/.](?:19|20)?[0-9]{{2}}|"
    rf"{_MONTH}[ \t][0-9]{{1,2}}(?:st|nd|rd|th)?,?[ \t]{_YEAR}|"
    rf"[0-9]{{1,2}}(?:st|nd|rd|th|\.)?[ \t]{_MONTH},?[ \t]{_YEAR})"
)
_BORN = re.compile(
    rf"(?i:birth(?:day|date)?|born|dob|geboren|geburtsdatum|né|née|nacid[oa])\b[^\n0-9]{{0,24}}?({_DAY})(?![0-9])"
)
_WHO = re.compile(
    r"(?i)\b(?:i|he|she|they|we|who|wife|husband|son|daughter|mother|father|mom|dad|sister|brother|patient|colleague|"
    r"employee|friend|partner|boss|manager|child|baby|er|sie|[A-Z][a-z]+|my|his|her|their)\b"
)
_ILLNESS = (
    r"(?i:cancer|leuk[a]?emia|lymphoma|tumou?r|diabetes|hiv|hepatitis|epilepsy|asthma|depression|anxiety|"
    r"bipolar(?: disorder)?|schizophrenia|ptsd|adhd|autism|dementia|alzheimer'?s|parkinson'?s|multiple sclerosis|"
    r"arthritis|anorexia|bulimia|burn-?out|addiction|alcoholism|heart (?:attack|disease|failure)|stroke|migraines?|"
    r"covid(?:-19)?|pneumonia|kidney (?:disease|failure)|lupus|crohn'?s|celiac disease|endometriosis|miscarriage|"
    r"high blood pressure|hypertension|an? (?:eating|panic|mood|personality) disorder)"
)
_HEALTH = re.compile(
    r"(?i:(?:diagnosed with|diagnosis (?:is|was|of)|suffers? from|suffering from|suffered (?:from )?|has|have|had|with)"
    rf"[ \t](?:[\w-]{{1,12}}[ \t]){{0,3}}?){_ILLNESS}\b"
    r"|(?i:(?:is|was|am|'s|be|got|became) (?:[0-9a-z]{1,6} (?:weeks?|months?) )?pregnant)\b"
    r"|(?i:hiv[- ]positive|tests? positive for hiv)\b"
    r"|(?i:(?:depressi\w+|cancer|hiv)(?: medication| treatment| therapy))\b"
)
_HEALTH_STEMS = (b"diagnos", b"suffer", b"pregnan", b"hiv", b"cancer", b"depress", b"diabet")
_POINT = re.compile(
    r"-?[0-9]{1,3}\.[0-9]{4,8}[°]?[ \t]{0,2}[NSns]?[,; \t]{1,3}(?:[\w]{2,9}[\"']?[:=][ \t]?)?"
    r"-?[0-9]{1,3}\.[0-9]{4,8}(?![0-9.])"
)
_NAME = re.compile(
    r"(?:(?i:mr|mrs|ms|dr|prof|herr|frau|mme|m)\.?[ \t])?[^\W\d_a-z][\w'’-]{1,20}"
    r"(?:[ \t](?:[^\W\d_a-z]\.?[ \t])?[^\W\d_a-z][\w'’-]{1,24}){1,2}"
)
_NO_NAME_WORDS = (
    "the a an and or of for to in on at we i it this that if when where suite apt unit street road avenue po box "
    "use set run see add get new old api http https json yaml linux windows mac docker python address phone email "
    "name from with our your"
)
_NO_NAME = frozenset(_NO_NAME_WORDS.split(" "))
_LOCAL = re.compile(r"\(?0?[0-9]{1,4}\)?(?:[ \t/.-]{1,2}[0-9]{2,5}){1,4}(?![0-9])|[0-9]{8,11}(?![0-9])")
_CALL = re.compile(
    r"(?i)(?:phone|mobile|cell|tel|fax|desk|call|telefon|handy|t[ée]l[ée]phone|whatsapp|answering|reach|messages?|"
    r"dial|text|registered)\b[^.0-9]{0,16}\Z"
)


_DIGIT, _OPEN, _APART = ord("0"), b" \n\t(>", (b" ", b"-", b".", b"/", b")")
_DIGITS = re.compile(rb"0{1,12}")
_BYTE_ENDINGS = tuple(word.encode("latin-1") for word in (*_ENDINGS, *_UNITS, "apt.", "ul.") if word.isprintable())


def find(lens: Lens) -> Iterator[Finding]:
    """Every rule of this module, in no order."""
    places = list(_reachable(lens))
    yield from places
    yield from _people(lens.text, [place for place in places if place.rule == "address"])
    yield from _births(lens)
    yield from _health(lens)
    yield from _points(lens)


def _reachable(lens: Lens) -> Iterator[Finding]:
    """Addresses, and telephone numbers in a local form beside a word that says so."""
    text, reached = lens.text, 0
    for at, end, apart in _numbers(lens):
        if at < reached:
            continue
        local = _LOCAL.match(text, at - 1 if at and text[at - 1] == "(" else at) if apart else None
        if local and 7 <= sum(c.isdigit() for c in local.group()) <= 12 and _CALL.search(text[max(0, at - 40) : at]):
            reached = local.end()
            yield Finding("phone", "personal", local.start(), reached, validated=False)
            continue
        span = None if apart else _street(text, at, end, max(reached, at - 60))
        if span is None:
            continue
        start, end = span
        tail = _TAIL.match(text, end)
        head = _HEAD.search(text[max(reached, start - 16) : start])
        start -= len(head.group()) if head else 0
        reached = tail.end() if tail else end
        yield Finding("address", "personal", start, reached, validated=False)


def _numbers(lens: Lens) -> Iterator[tuple[int, int, bool]]:
    """Start and end of numbers that a street or a person may have, left to right, and whether they go on in groups as
    telephone numbers do. Most numbers have neither a word before them nor a name behind, so bytes are asked first."""
    shape = lens.shape
    for at in _starts(lens):
        number = _DIGITS.match(shape, at)
        end = number.end() if number else at
        after = shape[end : end + 2]
        if end - at > 7 or (after[:1] in _APART and after[1:] in (b"0", b" ", b"(")):
            yield at, end, True
        elif after[:1] in (b" ", b",") and _capital(after[1:].strip() or shape[end + 2 : end + 3]):
            yield at, end, False
        elif at > 2:
            first = max(shape.rfind(b" ", max(0, at - 26), at - 1), shape.rfind(b"\n", max(0, at - 26), at - 1)) + 1
            if _capital(shape[first : first + 1]) or lens.low[first : at - 1].endswith(_BYTE_ENDINGS):
                yield at, end, False


def _starts(lens: Lens) -> list[int]:
    """Where such numbers may begin, left to right."""
    shape = lens.shape
    if lens.places is not None:
        return number_starts(lens.places.numpy, shape)
    starts = {0} if shape[:1] == b"0" else set()
    for literal in (b"0 A", b"0, A", b"0 ?"):
        for at in lens.hits(shape, literal):
            first = at
            while first and at - first < 6 and shape[first - 1] == _DIGIT:
                first -= 1
            if not first or shape[first - 1] in _OPEN:
                starts.add(first)
    for literal in (b"a 0", b"a. 0", b"a: 0", b": (0", b"a (0", b"A 0", b":\n0", b":\n(0"):
        starts.update(at + len(literal) - 1 for at in lens.hits(shape, literal))
    return sorted(starts)


def _capital(byte: bytes) -> bool:
    """A capital, or a letter that one byte cannot tell."""
    return byte in (b"A", b"?") or byte >= b"\xc0"


def _cued(before: str) -> bool:
    """Whether a cue for an address ends here."""
    low = before.lower()
    return any(stem in low for stem in _CUE_STEMS) and _CUE.search(before) is not None


def _street(text: str, at: int, end: int, floor: int) -> tuple[int, int] | None:
    """The street that the number from `at` to `end` belongs to, before or behind it."""
    before = text[max(floor, text.rfind("\n", floor, at) + 1) : at]
    after = text[end : end + 2]
    if after[:1] in (" ", ",", "\t"):
        for pattern in (_TYPED, _LED):
            if match := pattern.match(text, at):
                return match.span()
        if _cued(before) and (match := _BARE.match(text, at)):
            return match.span()
    return _named(before, at, end) if before[-1:] in " \t(" else None


def _named(before: str, at: int, end: int) -> tuple[int, int] | None:
    """A street whose name stands before its number: by its ending, by the word it begins with, or after a cue."""
    words = before.split()
    if not words:
        return None
    last = words[-1].lower()
    if last.rstrip(".") in _UNITS or (len(last) > 5 and last.endswith(_ENDINGS)) or _MILITARY.search(before):
        return at - len(words[-1]) - 1, end
    start = at
    for word in reversed(words[-5:]):
        start = before.rfind(word, 0, start - at + len(before)) - len(before) + at
        if word.lower() in _LEADING:
            return start, end
        if not _CAPITAL.match(word):
            break
        if _cued(before[: start - at + len(before)]):
            return start, end
    return None


def _people(text: str, places: list[Finding]) -> Iterator[Finding]:
    """A name in the 120 characters before an address."""
    for place in places[:64]:
        for match in _NAME.finditer(text, max(0, place.start - 120), place.start):
            if not any(word.lower().strip(".") in _NO_NAME for word in match.group().split()):
                yield Finding("person-address", "personal", match.start(), match.end(), validated=False)
                break


def _births(lens: Lens) -> Iterator[Finding]:
    for stem in (b"birth", b"born", b"dob", b"gebor"):
        for at in lens.hits(lens.low, stem):
            if match := _BORN.match(lens.text, at):
                yield Finding("birth-date", "personal", *match.span(1), validated=False)


def _health(lens: Lens) -> Iterator[Finding]:
    text = lens.text
    for stem in _HEALTH_STEMS:
        for at in lens.hits(lens.low, stem):
            low = max(0, at - 40)
            for match in _HEALTH.finditer(text, low, min(len(text), at + 60)):
                if match.start() <= at < match.end() and _WHO.search(text[max(0, low - 40) : match.start()]):
                    yield Finding("health", "personal", *match.span(), validated=False)
                    break


def _points(lens: Lens) -> Iterator[Finding]:
    """Coordinates with four or more decimals: eleven metres or better."""
    text, reached = lens.text, 0
    for at in lens.hits(lens.shape, b".0000"):
        if at < reached:
            continue
        start = at
        while start and at - start < 4 and (text[start - 1].isdigit() or text[start - 1] == "-"):
            start -= 1
        match = _POINT.match(text, start)
        if match:
            reached = match.end()
            first, second = (float(n) for n in re.findall(r"-?[0-9]+\.[0-9]+", match.group())[:2])
            if abs(first) <= 90 and abs(second) <= 180 and (abs(first) > 1 or abs(second) > 1):
                yield Finding("precise-location", "personal", start, match.end(), validated=False)
