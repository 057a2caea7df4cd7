"""Reads agent traces in Parquet: a row is a session, its `messages` a list of chat messages as JSON texts.

The layout in which Hugging Face publishes traces. Needs pyarrow (`pip install "memoranda-agents[parquet]"`), loaded
when a file is read. Such a table is data that somebody named: none is looked for.
"""

from __future__ import annotations

import errno
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Mapping

from memoranda.model.problem import Problem
from memoranda.model.turn import Block, Turn
from memoranda.ports.protocols import Batch, Source
from memoranda.ports.reading import blank, compact, identifier, named, string, utc, whole

HARNESS = "traces"
_ROWS = 16  # sessions held at a time
_OPTIONAL = ("sent_at", "harness", "metadata")
_is_harness = re.compile(r"[a-z0-9_-]{1,32}").fullmatch


class ParquetReader:
    """Reads agent traces in Parquet. See `TranscriptReader` for the promises."""

    harness = HARNESS

    def find(self, home: Path, variables: Mapping[str, str]) -> Iterator[Source]:
        """None: traces have no place of their own."""
        return iter(())

    def claims(self, path: Path, head: bytes) -> Source | None:
        """Every Parquet file; whether its columns are those of traces is told when it is read."""
        return named(path, HARNESS) if head.startswith(b"PAR1") else None

    def read(self, source: Source, cursor: str | None) -> Iterator[Batch]:
        """All turns when the file changed. Raises `OSError` when it cannot be read, or pyarrow is not there."""
        return whole(source, cursor, lambda skipped, problems: _turns(source, skipped, problems))


def _turns(source: Source, skipped: Counter[str], problems: list[Problem]) -> Iterator[Turn]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise OSError(errno.ENOENT, 'pyarrow is missing: pip install "memoranda-agents[parquet]"') from None
    try:
        with parquet.ParquetFile(source.path) as table:
            names = table.schema_arrow.names
            if not {"session_id", "messages"} <= set(names):
                problems.append(Problem(source.key, "no columns session_id and messages", "it holds no agent traces"))
                return
            wanted = [name for name in ("session_id", "messages", *_OPTIONAL) if name in names]
            for batch in table.iter_batches(_ROWS, columns=wanted):
                for row in batch.to_pylist():
                    yield from _session(row, skipped)
    except pyarrow.ArrowException as error:
        problems.append(Problem(source.key, f"not readable as Parquet ({type(error).__name__})", "fetch it again"))


def _session(row: Mapping[str, Any], skipped: Counter[str]) -> Iterator[Turn]:
    """A session's turns: `<session>-<n>`, n counted over the turns that are kept."""
    session, messages = identifier(row["session_id"]), row["messages"]
    if session is None or not isinstance(messages, list):
        skipped["row without a session"] += 1
        return
    harness, sent = row.get("harness"), row.get("sent_at")
    stated = harness if isinstance(harness, str) and _is_harness(harness) else HARNESS
    ts = utc(sent if isinstance(sent, str) else str(sent or "").replace(" ", "T", 1))
    cwd, before = string(_object(row.get("metadata")).get("cwd")), None
    n = 0
    for text in messages:
        message = _object(text)
        blocks = tuple(block for block in _blocks(message) if not blank(block.text))
        if not blocks:
            skipped["message without text" if message else "message that is no JSON"] += 1
            continue
        id = f"{session}-{n}"
        yield Turn(session, id, string(message.get("role")) or "user", stated, blocks, ts, cwd=cwd, parent=before)
        before, n = id, n + 1


def _blocks(message: Mapping[str, Any]) -> Iterator[Block]:
    thought, text = message.get("reasoning_content"), message.get("content")
    if isinstance(thought, str):
        yield Block("thinking", thought)
    if isinstance(text, str):
        if message.get("role") == "tool":
            yield Block("tool_result", text, string(message.get("name")), string(message.get("tool_call_id")))
        else:
            yield Block("text", text)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            given = function.get("arguments")
            words = given if isinstance(given, str) else compact({} if given is None else given)
            yield Block("tool_use", words, string(function.get("name")), string(call.get("id")))


def _object(text: object) -> dict[str, Any]:
    try:
        value = json.loads(text) if isinstance(text, str) else text
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {}
