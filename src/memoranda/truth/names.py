"""Names of files: ASCII, lower case, valid on Windows and where case does not count."""

from __future__ import annotations

import hashlib
import re
from unicodedata import normalize

from memoranda.model.errors import Invalid
from memoranda.model.record import Record

SLUG_LENGTH = 48
SESSION_LENGTH = 80

#: Names that Windows keeps for devices, with any extension.
_DEVICES = frozenset(["con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))])
_is_session_name = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}").fullmatch
_is_harness = re.compile(r"[a-z0-9_-]{1,32}").fullmatch


def slug(body: str) -> str:
    """Up to 48 of [a-z0-9-] from the first words, for eyes only; "record" when no letter survives."""
    head = normalize("NFKD", body[: 4 * SLUG_LENGTH]).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", head)
    text = ""
    for word in words:
        if len(text) + len(word) + 1 > SLUG_LENGTH:
            break
        text = f"{text}-{word}" if text else word
    return text or "".join(words)[:SLUG_LENGTH] or "record"


def record_name(record: Record) -> str:
    """`<id>-<slug>.md`."""
    return f"{record.id}-{slug(record.body)}.md"


def record_folder(record: Record) -> str:
    """`records/2026/07`, by the month of `created`."""
    return f"records/{record.created[:4]}/{record.created[5:7]}"


def session_name(session: str) -> str:
    """The stem of a session's turns file; two ids never share one by chance."""
    if _is_session_name(session) and session.split(".", 1)[0] not in _DEVICES:
        return session
    digest = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    stem = re.sub(r"[^a-z0-9._-]", "_", session[:SESSION_LENGTH])
    stem = re.sub(r"^[^a-z0-9]", "_", stem)
    if stem.split(".", 1)[0] in _DEVICES:
        stem = "_" + stem
    return f"{stem}-{digest}"


def harness_name(harness: str) -> str:
    """The harness as a folder's name. Raises `Invalid`."""
    if not _is_harness(harness) or harness in _DEVICES:
        raise Invalid(f"{harness[:40]!r} cannot name a harness", "use [a-z0-9_-], at most 32")
    return harness
