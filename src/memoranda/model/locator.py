"""Locators name a place; an anchor is a locator and the fingerprint of what stood there.

One grammar, parsed once here into frozen values, printed by `str()`; parsing what was printed gives the same value.
Forms (SPEC section 1, docs/format.md):

    mem_7c10e3a94b21
    turn:<harness>/<session>/<turn id or seq>[..<seq>][#char=a,b]
    file:[<root commit>/]<percent-encoded path>[#L10[-L24]][#symbol=name]
    evidence:sha256:<64 hex>[#<media fragment>]

An anchor adds `@sha256:<64 hex>`, and for a file `@<commit>` that was checked out then.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from memoranda.model.errors import Invalid
from memoranda.model.values import dataclass

_RECORD = re.compile(r"mem_[0-9a-f]{12}")
_PREFIX = re.compile(r"(?:mem_)?([0-9a-f]{6,64})")
_HARNESS = re.compile(r"[a-z0-9_-]{1,32}")
_REPO = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SHA = re.compile(r"[0-9a-f]{64}")
_LINES = re.compile(r"L([1-9][0-9]{0,8})(?:-L([1-9][0-9]{0,8}))?")
_CHAR = re.compile(r"char=([0-9]{1,12}),([0-9]{1,12})")
_SEQ = re.compile(r"0|[1-9][0-9]{0,11}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SAFE = "-._~"
_is_plain = re.compile(r"[A-Za-z0-9._~-]+").fullmatch


def _encode(part: str, safe: str = "") -> str:
    return part if _is_plain(part) else quote(part, safe=_SAFE + safe)


def _decode(part: str, whole: str) -> str:
    try:
        text = unquote(part, errors="strict")
    except UnicodeDecodeError:
        raise Invalid(f"locator {whole!r} has a percent escape that is not UTF-8") from None
    if not text or _CONTROL.search(text):
        raise Invalid(f"locator {whole!r} has an empty part or a control character")
    return text


@dataclass(frozen=True, slots=True)
class RecordLocator:
    """A record by its name."""

    id: str

    def __str__(self) -> str:
        return self.id


@dataclass(frozen=True, slots=True)
class TurnLocator:
    """A turn, or a range of turns by seq, or a span of code points of a turn's text.

    All empty is the bare `turn:`, a turn that is not named here (project records keep only the hash of the quoted
    words). Otherwise either `turn` (the harness's own id) or `seq` is set. `last` (a seq, inclusive) makes it a range,
    `char` a span of the stored text of all blocks joined by one newline.
    """

    harness: str
    session: str
    turn: str | None = None
    seq: int | None = None
    last: int | None = None
    char: tuple[int, int] | None = None

    def __str__(self) -> str:
        if not self.harness:
            return "turn:"
        if self.turn is not None:
            place = _encode(self.turn)
            if self.turn.isascii() and self.turn.isdigit():  # an id of digits only must not read as a seq
                place = f"%{ord(self.turn[0]):02X}{self.turn[1:]}"
            place = place.replace("..", "%2E%2E")  # nor two dots in an id as a range
        else:
            place = str(self.seq)
        text = f"turn:{self.harness}/{_encode(self.session)}/{place}"
        if self.last is not None:
            text += f"..{self.last}"
        if self.char is not None:
            text += f"#char={self.char[0]},{self.char[1]}"
        return text


@dataclass(frozen=True, slots=True)
class FileLocator:
    """A file of a repository, whole, or by lines (1-based, inclusive), or by symbol.

    `repo` is the repository's root commit, None inside a project memory. `path` is relative to the repository's top,
    POSIX style.
    """

    path: str
    repo: str | None = None
    lines: tuple[int, int] | None = None
    symbol: str | None = None

    def __str__(self) -> str:
        text = "file:" + (f"{self.repo}/" if self.repo else "") + _encode(self.path, "/")
        if self.lines is not None:
            first, last = self.lines
            text += f"#L{first}" if first == last else f"#L{first}-L{last}"
        if self.symbol is not None:
            text += f"#symbol={_encode(self.symbol)}"
        return text


@dataclass(frozen=True, slots=True)
class EvidenceLocator:
    """Evidence bytes by hash, with an optional media fragment in its canonical form (`model.fragment`)."""

    sha256: str
    fragment: str = ""

    def __str__(self) -> str:
        return f"evidence:sha256:{self.sha256}" + (f"#{self.fragment}" if self.fragment else "")


Locator = RecordLocator | TurnLocator | FileLocator | EvidenceLocator


@dataclass(frozen=True, slots=True)
class Anchor:
    """A locator and the SHA-256 of what stood there ("" for evidence, which carries its own).

    `commit` is the one that was checked out when a file was looked at, "" when git could not tell.
    """

    locator: Locator
    sha256: str = ""
    commit: str = ""

    def __str__(self) -> str:
        if not self.sha256:
            return str(self.locator)
        return f"{self.locator}@sha256:{self.sha256}" + (f"@{self.commit}" if self.commit else "")


def parse_locator(text: str) -> Locator:
    """Read any locator. Raises `Invalid` naming the form that was expected."""
    if _RECORD.fullmatch(text):
        return RecordLocator(text)
    kind, colon, rest = text.partition(":")
    if not colon or _CONTROL.search(text):
        raise Invalid(
            f"{text[:80]!r} is not a locator",
            "use mem_<12 hex>, turn:<harness>/<session>/<turn>, file:<path>#L1-L9 or evidence:sha256:<hash>",
        )
    if kind == "turn":
        return _turn(rest, text)
    if kind == "file":
        return _file(rest, text)
    if kind == "evidence":
        return _evidence(rest, text)
    raise Invalid(f"unknown kind of locator {kind[:20]!r}", "kinds are mem_…, turn:, file: and evidence:")


def parse_anchor(text: str) -> Anchor:
    """Read a locator with its `@sha256:` fingerprint. Raises `Invalid`; evidence must not carry one."""
    place, mark, digest = text.rpartition("@sha256:")
    if not mark:
        locator = parse_locator(text)
        if isinstance(locator, EvidenceLocator):
            return Anchor(locator)
        raise Invalid(f"anchor {text[:80]!r} has no fingerprint", "an anchor ends in @sha256:<64 hex>")
    digest, at, commit = digest.partition("@")
    if not _SHA.fullmatch(digest) or (at and not _REPO.fullmatch(commit)):
        raise Invalid(f"anchor {text[:80]!r} has a malformed fingerprint", "it takes 64 lower-case hex digits")
    locator = parse_locator(place)
    if isinstance(locator, EvidenceLocator):
        raise Invalid("an evidence locator already carries its fingerprint and takes no @ part")
    if at and not isinstance(locator, FileLocator):
        raise Invalid(f"anchor {text[:80]!r} names a commit, which only files have")
    return Anchor(locator, digest, commit)


def id_prefix(text: str) -> str:
    """The hex digits of a record id or of a prefix of one (six or more). Raises `Invalid`."""
    match = _PREFIX.fullmatch(text.strip().lower())
    if not match:
        raise Invalid(f"{text[:80]!r} is not a record id", "give mem_ and at least six hex digits")
    return match.group(1)


def _turn(rest: str, whole: str) -> TurnLocator:
    if not rest:
        return TurnLocator("", "")
    rest, hash_, fragment = rest.partition("#")
    parts = rest.split("/")
    if len(parts) != 3 or not _HARNESS.fullmatch(parts[0]):
        raise Invalid(f"turn locator {whole[:80]!r} is malformed", "it reads turn:<harness>/<session>/<turn or seq>")
    place, dots, last = parts[2].partition("..")
    if dots and not _SEQ.fullmatch(last):
        raise Invalid(f"turn locator {whole[:80]!r} has a malformed range", "a range ends in ..<seq>")
    char = None
    if hash_:
        match = _CHAR.fullmatch(fragment)
        if not match or int(match[1]) > int(match[2]) or dots:
            raise Invalid(f"turn locator {whole[:80]!r} has a malformed span", "a span reads #char=<start>,<end>")
        char = (int(match[1]), int(match[2]))
    numbered = bool(_SEQ.fullmatch(place))
    locator = TurnLocator(
        harness=parts[0],
        session=_decode(parts[1], whole),
        turn=None if numbered else _decode(place, whole),
        seq=int(place) if numbered else None,
        last=int(last) if dots else None,
        char=char,
    )
    if locator.seq is not None and locator.last is not None and locator.last < locator.seq:
        raise Invalid(f"turn locator {whole[:80]!r} runs backwards")
    return locator


def _file(rest: str, whole: str) -> FileLocator:
    place, *fragments = rest.split("#")
    repo, slash, path = place.partition("/")
    if slash and _REPO.fullmatch(repo):
        place = path
    else:
        repo = ""
    decoded = _decode(place, whole)
    segments = decoded.split("/")
    if decoded.startswith("/") or "\\" in decoded or any(s in ("", ".", "..") for s in segments):
        raise Invalid(f"file locator {whole[:80]!r} must be a relative path without . or ..")
    lines: tuple[int, int] | None = None
    symbol: str | None = None
    for fragment in fragments:
        match = _LINES.fullmatch(fragment)
        if match and lines is None and symbol is None:
            lines = (int(match[1]), int(match[2] or match[1]))
            if lines[1] < lines[0]:
                raise Invalid(f"file locator {whole[:80]!r} has lines that run backwards")
        elif fragment.startswith("symbol=") and symbol is None:
            symbol = _decode(fragment[len("symbol=") :], whole)
        else:
            raise Invalid(f"file locator {whole[:80]!r} has an unknown fragment", "use #L10-L24 or #symbol=name")
    return FileLocator(path=decoded, repo=repo or None, lines=lines, symbol=symbol)


def _evidence(rest: str, whole: str) -> EvidenceLocator:
    rest, hash_, fragment = rest.partition("#")
    algorithm, colon, digest = rest.partition(":")
    if algorithm != "sha256" or not colon or not _SHA.fullmatch(digest):
        raise Invalid(f"evidence locator {whole[:80]!r} is malformed", "it reads evidence:sha256:<64 hex>[#t=10,20]")
    if not hash_:
        return EvidenceLocator(digest)
    from memoranda.model.fragment import parse_fragment  # few locators have one

    return EvidenceLocator(digest, str(parse_fragment(fragment)))
