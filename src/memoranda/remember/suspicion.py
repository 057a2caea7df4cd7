"""Named suspicions: reasons for which a record is kept without effect until a person has read it.

Provenance decides, wording only adds to it. What comes from outside never becomes a standing instruction, whatever it
says: it lasts only as something to look up (`classify`), stays out of core and replaces nothing of ours. The rules
here name what a person should see first. They are written to be read and to be wrong on the side of asking: phrase
lists alone miss nine of ten attacks that are worded like anybody's notes.

Each rule is a line of `RULES`: a name, the highest authority it looks at, and a question to the text.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Callable, Iterator, Sequence

from memoranda.model.record import Authority, Candidate
from memoranda.model.values import dataclass
from memoranda.remember import wording
from memoranda.screen.views import pieces

# Format characters that ordinary writing needs: joiners, soft hyphen, direction marks of right-to-left scripts.
_PLAIN_FORMAT = "\u200c\u200d\u00ad\u200e\u200f\u061c"
_BLANKS = "\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u3164\uffa0\u2800"
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a]{2,6}\U000e007f")  # England, Scotland, Wales: tags by design
_IN_WORD = re.compile("(?<=[A-Za-z])[\u200b-\u200f\u2060\ufeff]+(?=[A-Za-z])")
_WORD_END = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]\u200b|\u200b[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
)
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")  # one chooses a form of a sign; a row is a message
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

#: Cyrillic and Greek letters that cannot be told from a Latin one by eye (from the Unicode confusables, by hand).
_STRANGE = "асеорхуіјѕԁһԛԝАВЕКМНОРСТХІЈЅοαρνιΑΒΕΗΙΚΜΝΟΡΤΧΥΖ"
_LATIN = "aceopxyijsdhqwABEKMHOPCTXIJSoapviABEHIKMNOPTXYZ"
LOOK_ALIKES = str.maketrans(_STRANGE, _LATIN)
_WORD = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True)
class Statement:
    """What the rules look at: every text of a candidate as it is (`fields`), and as it may be read (`readings`)."""

    fields: tuple[str, ...]
    readings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """`most` is the highest authority that the rule looks at."""

    name: str
    most: Authority
    fires: Callable[[Statement], bool]


def suspicions(candidate: Candidate, authority: Authority) -> Iterator[str]:
    """The names of the rules that fire for a candidate of this authority (its channel's, or less by what it is
    derived from)."""
    fields = (candidate.body, candidate.source, candidate.scope or "", *candidate.entities, *candidate.tags)
    said = tuple(text for text in fields if text)
    statement = Statement(said, tuple(_readings(said, authority.outside)))
    for rule in RULES:
        if authority <= rule.most and rule.fires(statement):
            yield rule.name


def hidden(text: str) -> bool:
    """True for characters that a reader does not see, but for those that ordinary writing needs."""
    text = text.replace("\r\n", "\n")  # how Windows ends a line; alone, a return writes over what stood before it
    if text.isascii():
        return bool(_CONTROL.search(text))
    text = _WORD_END.sub("", _FLAG.sub("", text.removeprefix("\ufeff")))
    if _IN_WORD.search(text) or _SELECTORS.search(text) or _CONTROL.search(text):
        return True
    return any(c in _BLANKS or (c not in _PLAIN_FORMAT and unicodedata.category(c) in ("Cf", "Co", "Cn")) for c in text)


def look_alikes(text: str) -> Iterator[str]:
    """Words that read as Latin and hold Cyrillic or Greek letters. An acronym with an ending (`APIшный`) is none."""
    if text.isascii():
        return
    found = _WORD.findall(unicodedata.normalize("NFC", text))
    for word in found:
        strange = [c for c in word if "\u0370" <= c <= "\u052f"]
        if not strange or not all(ord(c) in LOOK_ALIKES for c in strange):
            continue
        latin = any(c.isascii() for c in word)
        inflected = re.fullmatch(r"[A-Z]{2,}[\u0430-\u045f]+", word)
        alone = len(word) > 3 and all(other.isascii() or other == word for other in found)
        if (latin and not inflected) or (not latin and alone):
            yield word


def unseen(text: str) -> Iterator[str]:
    """What eyes miss in a text, in words for a person."""
    tags = "".join(chr(ord(c) - 0xE0000) for c in text if 0xE0020 <= ord(c) <= 0xE007E)
    if tags:
        yield f"tag characters in it read: {tags}"
    codes = sorted({ord(c) for c in text if unicodedata.category(c) in ("Cf", "Co", "Cn", "Cc") and c not in "\n\t"})
    if codes:
        yield "characters that are not seen: " + " ".join(f"U+{code:04X}" for code in codes[:12])
    for word in look_alikes(text):
        strange = sorted({c for c in word if not c.isascii()})
        yield f"{word} holds " + ", ".join(f"U+{ord(c):04X} {unicodedata.name(c, '?').lower()}" for c in strange)


def plain(text: str) -> str:
    """A text as a reader takes it: forms folded, what is invisible gone, look-alikes as Latin, lower case."""
    if not text.isascii():
        tags = "".join(chr(ord(c) - 0xE0000) if 0xE0020 <= ord(c) <= 0xE007E else c for c in text)
        kept = "".join(c for c in tags if unicodedata.category(c) not in ("Cf", "Co") and c not in _BLANKS)
        text = unicodedata.normalize("NFKC", kept).translate(LOOK_ALIKES)
    return " ".join(text.casefold().split())


def _readings(fields: Sequence[str], decoded: bool) -> Iterator[str]:
    """The texts as a reader takes them and, from outside, everything that they decode to."""
    for text in fields:
        yield plain(text)
        for piece in pieces(text, thorough=True) if decoded else ():
            if piece.view != "joined":
                yield plain(piece.text)


def _says(*patterns: str) -> Callable[[Statement], bool]:
    found = re.compile("|".join(patterns))
    return lambda statement: any(found.search(reading) for reading in statement.readings)


_is_standing = _says(*wording.STANDING)
_is_claim = _says(*wording.CLAIM)
_is_outside_claim = _says(*wording.APPROVAL)
_is_posing = _says(*wording.POSING)

RULES: tuple[Rule, ...] = (
    Rule("hidden-characters", Authority.OWNER, lambda said: any(map(hidden, said.fields))),
    Rule("look-alike-letters", Authority.REVIEWED, lambda said: any(any(look_alikes(text)) for text in said.fields)),
    Rule("claims-authority", Authority.VERIFIED, _is_claim),
    Rule("claims-approval", Authority.EXTERNAL, _is_outside_claim),
    Rule("poses-as-system", Authority.EXTERNAL, _is_posing),
    Rule("standing-instruction", Authority.EXTERNAL, _is_standing),
)
