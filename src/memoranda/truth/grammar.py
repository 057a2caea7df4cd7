"""One strict parser and one printer for record files: docs/format.md, section *Record*, as code.

`parse_record` reads bytes, `print_record` makes the canonical bytes, `seal` names a record by them. For canonical
input `print_record(parse_record(x)) == x`. The parser also reads what a hand edit leaves (keys in another order,
quotes where none are needed); such a file no longer matches its name, and `Record.intact` says so. Nothing here
touches the disk.
"""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from typing import Mapping, TypeVar
from unicodedata import normalize

from memoranda.model.errors import Invalid
from memoranda.model.problem import Problem
from memoranda.model.record import Category, Channel, Confidence, Durability, Record
from memoranda.model.values import replace

RECORD_BYTES = 64 * 1024
HEADER_BYTES = 8 * 1024
HEADER_KEYS = 64

_DOOR = ("category", "source", "channel", "principal", "durability", "confidence", "screened")
SCALARS = ("id", "created", "observed", *_DOOR, "scope")
LISTS = ("entities", "tags", "supersedes", "contradicts", "derived_from", "anchors", "hold")
ORDER = SCALARS + LISTS
REQUIRED = ("id", "created", "category", "source", "channel", "durability", "confidence", "screened")
_ID_LISTS = ("supersedes", "contradicts", "derived_from")

#: Plain words that some YAML 1.1 or 1.2 reader takes for a boolean, a null or a number, in any case.
TYPED = frozenset(["true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"])

Value = str | tuple[str, ...]
Fields = dict[str, tuple[Value, int]]
_Word = TypeVar("_Word", Category, Channel, Confidence, Durability)

_WORD = r"[A-Za-z0-9_./@+-]"
_PLAIN = rf"[A-Za-z_]{_WORD}*(?: {_WORD}+)*"
_QUOTED = r'"[^"\\]*(?:\\["\\][^"\\]*)*"'
_ITEM = rf"(?:{_PLAIN}|{_QUOTED})"
_KEY = r"[A-Za-z][A-Za-z0-9_-]{0,63}"
_is_plain = re.compile(_PLAIN).fullmatch
_is_key = re.compile(_KEY).fullmatch
_items = re.compile(_ITEM).findall
_line = re.compile(rf"({_KEY}): +(?:({_PLAIN})|({_QUOTED})|(\[ *(?:{_ITEM}(?: *, *{_ITEM})*)? *\])) *").fullmatch
_escape = re.compile(r"\\(.)").sub
_is_id = re.compile(r"mem_[0-9a-f]{12}").fullmatch
_is_time = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII).fullmatch

# C0 (the newline between header lines apart), DEL, C1, line and paragraph separator, byte order mark, surrogates,
# noncharacters. Some YAML reader drops each of those, refuses it or takes it for the end of a line. What is forbidden
# is listed, not what is allowed: the class of the rest takes 9 ms to compile.
_ends = "".join(f"{chr((plane << 16) + 0xFFFE)}-{chr((plane << 16) + 0xFFFF)}" for plane in range(1, 17))
_forbidden = re.compile(
    "[\x00-\t\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufdd0-\ufdef\ufeff\ufffe\uffff" + _ends + "]"
).search


class RecordFlaw(Exception):
    """A record file that cannot be read; `problem` names file, line and the next step."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def parse_record(data: bytes, path: str) -> Record:
    """The record in `data`, with `digest` and `path` set. Raises `RecordFlaw`, which never quotes a value."""
    header, body_start = _split(data, path)
    fields = _fields(header, path)
    body = _trimmed(_text(data[body_start:], path, header.count("\n") + 4))
    if not body.strip():
        raise _flaw(path, "the record has no body", "write one statement below the header", header.count("\n") + 3)
    return _record(fields, body, _digest(data, body_start), path)


def print_record(record: Record) -> bytes:
    """The canonical bytes. A record without an id is printed without that line: the bytes its digest is over.

    Raises `Invalid` for what the grammar forbids.
    """
    lines = ["---\n"]
    for key in ORDER:
        value = getattr(record, key)
        if value:
            lines.append(f"{key}: {_print_value(key, value)}\n")
    for key, value in sorted(record.extra):
        if not _is_key(key) or key.lower() in TYPED or key in ORDER:
            raise Invalid(f"a record header cannot have the key {key[:64]!r}", "keys are [A-Za-z][A-Za-z0-9_-]*")
        if value:
            lines.append(f"{key}: {_print_value(key, value)}\n")
    lines.append("---\n")
    header = "".join(lines).encode()
    if len(lines) - 2 > HEADER_KEYS or len(header) > HEADER_BYTES:
        raise Invalid("the record's header is too large", f"at most {HEADER_KEYS} keys and {HEADER_BYTES} bytes")
    data = header + _print_body(record.body)
    if len(data) > RECORD_BYTES:
        raise Invalid(f"the record is {len(data)} bytes long", f"at most {RECORD_BYTES}; say it shorter or split it")
    return data


def seal(record: Record) -> Record:
    """The record as it reads from its canonical bytes, with the id and digest those bytes give it.

    Raises `Invalid` for what the grammar forbids. Reading back what is about to be written is the last check that
    printer and parser agree.
    """
    bare = print_record(replace(record, id=""))
    name = f"mem_{hashlib.sha256(bare).hexdigest()[:12]}"
    try:
        return parse_record(b"---\nid: " + name.encode() + b"\n" + bare[4:], record.path)
    except RecordFlaw as flaw:
        raise Invalid(f"the record cannot be written: {flaw.problem.message}", flaw.problem.hint) from flaw


def utc(text: str) -> str:
    """An ISO 8601 time as UTC `YYYY-MM-DDTHH:MM:SSZ`; a time without a zone counts as UTC. Raises `Invalid`."""
    try:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Invalid(f"{text[:40]!r} is not a time", "write it like 2026-07-02T16:40:00Z") from None
    return f"{moment.replace(microsecond=0, tzinfo=None).isoformat()}Z"


# Printing


def _print_value(key: str, value: Value) -> str:
    if isinstance(value, str):
        return _print_scalar(key, value)
    return "[" + ", ".join(_print_scalar(key, item) for item in value) + "]"


def _print_scalar(key: str, text: str) -> str:
    text = normalize("NFC", text)
    if _is_plain(text) and text.lower() not in TYPED:
        return text
    if _forbidden(text) or "\n" in text:
        raise Invalid(f"{key} holds a line break, a control character or a noncharacter", "write it on one line")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _print_body(body: str) -> bytes:
    body = normalize("NFC", body.replace("\r\n", "\n").replace("\r", "\n"))
    body = _trimmed(body)
    if not body.strip():
        raise Invalid("the record has no body", "say what is to be remembered")
    try:
        return f"{body}\n".encode()
    except UnicodeEncodeError:
        raise Invalid("the body holds a lone surrogate, which UTF-8 cannot write") from None


def _trimmed(body: str) -> str:
    """Without blank lines at its start and white space at its end; the first line's own indentation stays."""
    lead = len(body) - len(body.lstrip(" \t\n"))
    return body[body.rfind("\n", 0, lead) + 1 :].rstrip(" \t\n")


# Parsing


def _flaw(path: str, message: str, hint: str, line: int) -> RecordFlaw:
    return RecordFlaw(Problem(path, message, hint, line))


def _text(data: bytes, path: str, first_line: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        raise _flaw(path, "not UTF-8", "save the file as UTF-8", line) from None


def _split(data: bytes, path: str) -> tuple[str, int]:
    """The header's lines without the fences, and where the body begins."""
    if len(data) > RECORD_BYTES:
        raise _flaw(path, f"longer than {RECORD_BYTES} bytes", "a record is one statement; split or shorten it", 1)
    if data.startswith(b"\xef\xbb\xbf"):
        raise _flaw(path, "begins with a byte order mark", "save the file as UTF-8 without BOM", 1)
    carriage = data.find(b"\r")
    if carriage >= 0:
        line = data.count(b"\n", 0, carriage) + 1
        raise _flaw(path, "holds a carriage return", "save the file with LF line ends", line)
    if not data.startswith(b"---\n"):
        raise _flaw(path, "has no header", "a record begins with a line ---, then key: value lines, then ---", 1)
    if data.endswith(b"\n---"):
        data += b"\n"
    end = data.find(b"\n---\n", 3)
    if end < 0:
        raise _flaw(path, "the header is never closed", "end it with a line ---", 1)
    if end + 5 > HEADER_BYTES:
        raise _flaw(path, f"the header is longer than {HEADER_BYTES} bytes", "shorten it", 1)
    return _text(data[4:end], path, 2), end + 5


def _fields(header: str, path: str) -> Fields:
    bad = _forbidden(header)
    if bad:
        line = header.count("\n", 0, bad.start()) + 2
        raise _flaw(path, "a control or invisible separator character in the header", "remove it", line)
    fields: Fields = {}
    for number, text in enumerate(header.split("\n"), 2):
        match = _line(text)
        if match is None:
            raise _flaw(path, *_why(text), number)
        key, plain, quoted, listed = match.groups()
        if key.lower() in TYPED:
            raise _flaw(path, "a key that YAML reads as a boolean or null", "use another word", number)
        if key in fields:
            raise _flaw(path, f"the key {key} stands twice", f"it stands first in line {fields[key][1]}", number)
        if plain is not None:
            fields[key] = (_plain(plain, path, number), number)
        elif quoted is not None:
            fields[key] = (_unquote(quoted), number)
        else:
            fields[key] = (tuple(_item(item, path, number) for item in _items(listed)), number)
    if len(fields) > HEADER_KEYS:
        raise _flaw(path, f"more than {HEADER_KEYS} keys", "remove some", HEADER_KEYS + 2)
    return fields


def _plain(text: str, path: str, line: int) -> str:
    if text.lower() in TYPED:
        raise _flaw(path, "a bare word that YAML reads as a boolean, null or number", 'put it in "quotes"', line)
    return text


def _item(text: str, path: str, line: int) -> str:
    return _unquote(text) if text[0] == '"' else _plain(text, path, line)


def _unquote(text: str) -> str:
    return _escape(r"\1", text[1:-1]) if "\\" in text else text[1:-1]


_STARTS = {
    "#": ("a comment line", "comments are not in the record grammar; move it to the body"),
    " ": ("an indented line", "each key and its value stand on one line"),
    "-": ("a list over several lines", "write lists on one line: [a, b]"),
}
_VALUES = {
    "&": "an anchor",
    "*": "an alias",
    "!": "a tag",
    "|": "a block value",
    ">": "a block value",
    "'": "single quotes",
    "{": "a mapping",
    "#": "a comment",
}


def _why(line: str) -> tuple[str, str]:
    """What is wrong with a header line that does not match, and the next step. Never quotes the line."""
    if line[:1] in _STARTS:
        return _STARTS[line[:1]]
    key, colon, value = line.partition(":")
    if not colon or not _is_key(key):
        return "not a `key: value` line", "keys are [A-Za-z][A-Za-z0-9_-]*, one a line"
    if not value.strip():
        return f"{key} has no value", "give it one or remove the line"
    if not value.startswith(" "):
        return f"no space after `{key}:`", "write key: value"
    value = value.strip()
    if value[0] in _VALUES:
        return f"{key} has {_VALUES[value[0]]}, which is not in the record grammar", 'write the value in "quotes"'
    if value[0] == "[":
        return f"{key} is not a list of plain or quoted strings on one line", 'write [a, "b c"]'
    if value[0] == '"':
        return f"{key} has a malformed quoted string", r"end it with a quote; the only escapes are \" and \\"
    return f"{key} has a value that needs quotes", f'write {key}: "…"'


def _digest(data: bytes, body_start: int) -> str:
    """SHA-256 of the file without its id line (the whole file when it has none)."""
    start = data.find(b"\nid:", 0, body_start) + 1
    if not start:
        return hashlib.sha256(data).hexdigest()
    rest = hashlib.sha256(data[:start])
    rest.update(data[data.find(b"\n", start) + 1 :])
    return rest.hexdigest()


def _record(fields: Fields, body: str, digest: str, path: str) -> Record:
    last = len(fields) + 2
    for key in REQUIRED:
        if key not in fields:
            raise _flaw(path, f"the required key {key} is missing", f"add {key}: …", last)
        if not fields[key][0]:
            raise _flaw(path, f"{key} is empty", "give it a value", fields[key][1])
    text = {key: _scalar(fields, key, path) for key in SCALARS if key in fields}
    lists = {key: _list(fields, key, path) for key in LISTS if key in fields}
    if not _is_id(text["id"]):
        raise _flaw(path, "the id is malformed", "an id is mem_ and 12 hex digits", fields["id"][1])
    for key in ("created", "observed"):
        if text.get(key) and not _valid_time(text[key]):
            raise _flaw(path, f"{key} is not a UTC time", 'write it like "2026-07-02T16:40:00Z"', fields[key][1])
    for key in _ID_LISTS:
        if not all(map(_is_id, lists.get(key, ()))):
            raise _flaw(
                path, f"{key} holds something that is not a record id", "ids are mem_ and 12 hex", fields[key][1]
            )
    extra = tuple(sorted((key, value) for key, (value, _) in fields.items() if key not in _KNOWN))
    return Record(
        id=text["id"],
        created=text["created"],
        category=_word(Category, text, "category", fields, path),
        source=text["source"],
        channel=_word(Channel, text, "channel", fields, path),
        durability=_word(Durability, text, "durability", fields, path),
        confidence=_word(Confidence, text, "confidence", fields, path),
        screened=text["screened"],
        body=body,
        principal=text.get("principal") or None,
        observed=text.get("observed") or None,
        scope=text.get("scope") or None,
        extra=extra,
        digest=digest,
        path=path,
        **lists,
    )


_KNOWN = frozenset(ORDER)


def _scalar(fields: Fields, key: str, path: str) -> str:
    value, line = fields[key]
    if not isinstance(value, str):
        raise _flaw(path, f"{key} is a list", "it takes one value", line)
    return value


def _list(fields: Fields, key: str, path: str) -> tuple[str, ...]:
    value, line = fields[key]
    if isinstance(value, str):
        raise _flaw(path, f"{key} is not a list", f"write {key}: [a, b]", line)
    return value


def _word(kind: type[_Word], text: Mapping[str, str], key: str, fields: Fields, path: str) -> _Word:
    try:
        return kind(text[key])
    except ValueError:
        words = ", ".join(kind)
        raise _flaw(path, f"{key} has an unknown word", f"it is one of {words}", fields[key][1]) from None


def _valid_time(text: str) -> bool:
    if not _is_time(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
