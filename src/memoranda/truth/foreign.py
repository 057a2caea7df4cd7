"""Markdown that is no record yet: plain text, a header in another tool's words, or a file of many notes.

Everything a file says of itself is a claim: what becomes of it is decided by the door. Nothing here raises for odd
input; what cannot be understood is text. Shapes that are read:

1. plain Markdown: one statement;
2. a header between `---` lines with `key: value`, lists as `[a, b]` or as `- item` lines, and ids shorter or longer
   than ours (MemoFS, as its manifesto describes records; hand-written records);
3. a notes file of MemoFS: each note under `## <ISO time> — <title>`, then `- kind:`, `- tags:`, `- confidence:`,
   `- source:`, `- metadata:` lines, a blank line, and the text.
"""

from __future__ import annotations

import json
import re
from typing import Mapping, Sequence, TypeVar

from memoranda.model.errors import Invalid
from memoranda.model.record import Category, Channel, Confidence, Durability, Record
from memoranda.model.values import dataclass
from memoranda.truth.grammar import utc

#: Longer files are documents, and are refused by the door anyway.
FILE_BYTES = 1 << 20
_Word = TypeVar("_Word", Category, Channel, Confidence, Durability)
Value = str | tuple[str, ...]

_note = re.compile(r"^## (\d{4}-\d\d-\d\dT[0-9:.]+Z)(?:[ \t]+[—-][ \t]+(.+?))?[ \t]*$", re.MULTILINE)
_bullet = re.compile(r"- ([a-z]+):[ \t]*(.*)").fullmatch
_pair = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,63}):(?:[ \t]+(.*))?").fullmatch
_item = re.compile(r"[ \t]*-[ \t]+(.*)").fullmatch
_is_alias = re.compile(r"[A-Za-z][A-Za-z0-9_-]{2,63}").fullmatch


@dataclass(frozen=True, slots=True)
class Written:
    """One statement found in a file, with what the file claims about it. `headed` says that there was a header."""

    body: str
    headed: bool = False
    category: Category | None = None
    channel: Channel | None = None
    durability: Durability | None = None
    confidence: Confidence | None = None
    source: str = ""
    observed: str | None = None
    scope: str | None = None
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    anchored: bool = False


def read_foreign(data: bytes) -> tuple[Written, ...]:
    """The statements in a Markdown file, () when there is no text in it. Raises `Invalid` for what is not UTF-8."""
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise Invalid("the file is not UTF-8", "save it as UTF-8") from None
    header, body = _split(text)
    if header is None and _note.search(text):
        return tuple(note for note in _notes(text) if note.body)
    if not body.strip():
        return ()
    return (_written(header, body.strip()) if header else Written(body.strip()),)


def as_written(record: Record) -> Written:
    """A record's words and claims; its id becomes a name under which it can be found."""
    return Written(
        body=record.body,
        headed=True,
        category=record.category,
        channel=record.channel,
        durability=record.durability,
        confidence=record.confidence,
        source=record.source,
        observed=record.observed,
        scope=record.scope,
        entities=record.entities,
        tags=record.tags,
        supersedes=record.supersedes,
        aliases=(record.id,),
        anchored=bool(record.anchors),
    )


def _split(text: str) -> tuple[dict[str, Value] | None, str]:
    """The header's fields, None without one, and what follows it."""
    if not text.startswith("---\n"):
        return None, text
    end = text.find("\n---\n", 3)
    if end < 0:
        return None, text
    fields = _fields(text[4:end].split("\n"))
    return (fields, text[end + 5 :]) if fields is not None else (None, text)


def _fields(lines: Sequence[str]) -> dict[str, Value] | None:
    """None when the lines are no header; comments and what is indented under a key we do not read are passed over."""
    fields: dict[str, Value] = {}
    key = ""
    for line in lines:
        pair, item = _pair(line), _item(line)
        if pair:
            key = pair[1].lower()
            fields[key] = _value(pair[2] or "")
        elif item and key:
            there = fields[key]
            fields[key] = (*(there if isinstance(there, tuple) else ()), _bare(item[1]))
        elif line.strip() and not line.startswith(("#", " ", "\t")):
            return None
    return fields


def _value(text: str) -> Value:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return tuple(filter(None, (_bare(part) for part in text[1:-1].split(","))))
    return _bare(text)


def _bare(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _written(fields: Mapping[str, Value], body: str) -> Written:
    return Written(
        body=body,
        headed=True,
        category=_word(Category, fields.get("category") or fields.get("kind")),
        channel=_word(Channel, fields.get("channel")),
        durability=_word(Durability, fields.get("durability")),
        confidence=_confidence(fields.get("confidence")),
        source=_text(fields.get("source")),
        observed=_time(fields.get("observed") or fields.get("created") or fields.get("timestamp")),
        scope=_text(fields.get("scope")) or None,
        entities=_list(fields.get("entities")),
        tags=_list(fields.get("tags")),
        supersedes=_list(fields.get("supersedes")),
        aliases=tuple(filter(_is_alias, (*_list(fields.get("id")), *_list(fields.get("alias"))))),
        anchored=any(key.startswith("anchor") for key in fields),
    )


def _notes(text: str) -> list[Written]:
    """The notes of a file. A line in a note's text that looks like a heading begins another, as it does there."""
    heads = list(_note.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    found = []
    for head, end in zip(heads, ends, strict=True):
        facts, body = _bullets(text[head.end() : end].strip("\n").split("\n"))
        title = (head[2] or "").strip()
        fields: dict[str, Value] = {**facts, "created": head[1], "id": _metadata_id(facts.get("metadata", ""))}
        fields["tags"] = () if facts.get("tags") == "none" else tuple(_list(facts.get("tags")))
        found.append(_written(fields, _titled(title, body)))
    return found


def _titled(title: str, body: str) -> str:
    return f"{title}\n\n{body}".strip() if title and title not in body else body


def _bullets(lines: Sequence[str]) -> tuple[dict[str, str], str]:
    facts: dict[str, str] = {}
    for number, line in enumerate(lines):
        bullet = _bullet(line)
        if bullet is None:
            return facts, "\n".join(lines[number:]).strip()
        facts[bullet[1]] = bullet[2].strip()
    return facts, ""


def _metadata_id(text: str) -> str:
    try:
        row = json.loads(text)
    except ValueError:
        return ""
    id = row.get("id") if isinstance(row, dict) else None
    return id if isinstance(id, str) else ""


def _word(kind: type[_Word], value: Value | None) -> _Word | None:
    try:
        return kind(_text(value).lower())
    except ValueError:
        return None


def _confidence(value: Value | None) -> Confidence | None:
    """A word, or a number from 0 to 1 as other tools write it."""
    try:
        number = float(_text(value))
    except ValueError:
        return _word(Confidence, value)
    return Confidence.HIGH if number >= 0.8 else Confidence.MEDIUM if number >= 0.5 else Confidence.LOW


def _time(value: Value | None) -> str | None:
    try:
        return utc(_text(value)) if value else None
    except Invalid:
        return None


def _text(value: Value | None) -> str:
    return value if isinstance(value, str) else " ".join(value or ())


def _list(value: Value | None) -> tuple[str, ...]:
    items = [part.strip() for part in value.split(",")] if isinstance(value, str) else (value or ())
    return tuple(dict.fromkeys(filter(None, items)))
