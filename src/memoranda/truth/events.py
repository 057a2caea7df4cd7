"""The event log: one hash chain per writer, read as the union of all of them."""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Callable, Iterable, Iterator, Mapping

from memoranda.model.errors import Corrupt
from memoranda.model.event import Event
from memoranda.model.problem import Problem
from memoranda.model.values import replace
from memoranda.truth.files import append, explained, last_line
from memoranda.truth.folder import Folder, sorted_entries
from memoranda.truth.lock import WriteLock
from memoranda.truth.sums import Sums

_is_month = re.compile(r"\d{4}-\d\d\.jsonl", re.ASCII).fullmatch
_is_writer = re.compile(r"w[0-9a-f]{12}").fullmatch
_RESTORE = "compare it with `git log` or a backup; what follows it is still read"


def _now() -> datetime:
    return datetime.now(UTC)


def print_event(event: Event) -> bytes:
    """The line without its newline."""
    row = {
        "n": event.n,
        "prev": event.prev,
        "ts": event.ts,
        "kind": event.kind,
        "target": event.target,
        "principal": event.principal,
        "cause": event.cause,
        "seen": dict(sorted((event.seen or {}).items())),
    }
    return json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "backslashreplace")


def parse_event(line: bytes, writer: str) -> Event:
    """Raises `ValueError` saying what is wrong."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("not a JSON object") from None
    if type(row) is not dict:
        raise ValueError("not a JSON object")
    n, seen = row.get("n"), row.get("seen", {})
    if type(n) is not int or n < 0:
        raise ValueError("n is not a number from 0")
    if type(seen) is not dict or not all(type(count) is int for count in seen.values()):
        raise ValueError("seen is not a table of numbers")
    return Event(
        n=n,
        prev=_text(row, "prev"),
        ts=_text(row, "ts"),
        kind=_text(row, "kind"),
        target=_text(row, "target"),
        principal=_text(row, "principal"),
        cause=_text(row, "cause"),
        seen=seen,
        writer=writer,
        digest=hashlib.sha256(line).hexdigest(),
    )


def _text(row: dict[str, Any], key: str) -> str:
    value = row.get(key, "")
    if type(value) is not str:
        raise ValueError(f"{key} is not a string")
    return value


class EventLog:
    """The events of one memory. Only this clone's own chain is appended to."""

    def __init__(
        self,
        folder: Folder,
        writer: str,
        lock: WriteLock,
        clock: Callable[[], datetime] = _now,
        sums: Sums | None = None,
    ) -> None:
        self.folder = folder
        self.writer = writer
        self.lock = lock
        self._clock = clock
        self._sums = sums

    def append(self, kind: str, target: str, principal: str = "", cause: str = "") -> Event:
        """Chain one event, durable when this returns. Never give it content: it is in git for good.

        Raises `Corrupt` when the chain's last line cannot be read, `Busy`, `Unavailable`.
        """
        ts = self._clock().strftime("%Y-%m-%dT%H:%M:%SZ")
        with self.lock.hold():
            last, month = self._last(self.writer)
            seen = {}
            for writer in self._writers():
                other = None if writer == self.writer else self._last(writer)[0]
                if other:
                    seen[writer] = other.n
            event = Event(
                n=last.n + 1 if last else 0,
                prev=last.digest if last else "",
                ts=ts,
                kind=kind,
                target=target,
                principal=principal,
                cause=cause,
                seen=seen,
                writer=self.writer,
            )
            line = print_event(event)
            # Never an earlier month than the chain's last: a clock set back must not reorder it.
            path = f"events/{self.writer}/{max(month, ts[:7])}.jsonl"
            facts = append(self.folder.root, {path: line + b"\n"}, self.folder.private)
            if self._sums is not None:
                self._sums.note({path: line + b"\n"}, {path: facts[path].st_size})
        return replace(event, digest=hashlib.sha256(line).hexdigest())

    def read(self) -> tuple[list[Event], list[Problem]]:
        """Every event in one order that respects each chain and what its writer had seen, and every flaw.

        A line that the next one is not chained to was altered: it is named, and is not among the events.
        """
        problems: list[Problem] = []
        return chain_of({writer: self._files(writer, problems) for writer in self._writers()}, problems), problems

    def stamp(self) -> object:
        """Changes whenever an event was added by anyone."""
        found = []
        for writer in self._writers():
            for month in self._months(writer):
                with suppress(FileNotFoundError):
                    facts = os.stat(f"{self.folder.root}/events/{writer}/{month}")
                    found.append((writer, month, facts.st_size, facts.st_mtime_ns, facts.st_ino))
        return found

    def _writers(self) -> list[str]:
        entries = sorted_entries(self.folder.root, "events")
        return [entry.name for entry in entries if _is_writer(entry.name) and entry.is_dir(follow_symlinks=False)]

    def _months(self, writer: str) -> list[str]:
        entries = sorted_entries(self.folder.root, f"events/{writer}")
        return [entry.name for entry in entries if _is_month(entry.name) and entry.is_file(follow_symlinks=False)]

    def _last(self, writer: str) -> tuple[Event | None, str]:
        """A chain's last event and its month; a torn tail does not count."""
        for name in reversed(self._months(writer)):
            path = f"events/{writer}/{name}"
            with explained(self.folder.root / path):
                line = last_line(self.folder.root / path)
            if not line:
                continue
            try:
                return parse_event(line, writer), name[:7]
            except ValueError as error:
                if writer != self.writer:
                    return None, ""
                raise Corrupt(f"the last line of {path} is broken: {error}", _RESTORE) from None
        return None, ""

    def _files(self, writer: str, problems: list[Problem]) -> Iterator[tuple[str, bytes]]:
        for name in self._months(writer):
            path = f"events/{writer}/{name}"
            try:
                yield path, (self.folder.root / path).read_bytes()
            except OSError as error:
                problems.append(Problem(path, f"cannot be read ({error.strerror})", "check its owner and mode"))


def chain_of(files: Mapping[str, Iterable[tuple[str, bytes]]], problems: list[Problem]) -> list[Event]:
    """The events of files (path, bytes) by writer, oldest month first, in one order that respects each chain.

    Every flaw becomes a problem; a line that the next one is not chained to is not among the events.
    """
    return _in_order({writer: _chain(writer, of_writer, problems) for writer, of_writer in files.items()})


def _chain(writer: str, files: Iterable[tuple[str, bytes]], problems: list[Problem]) -> list[Event]:
    events: list[Event] = []
    digest, n, where = "", -1, ("", 0)
    for path, data in files:
        lines = data.split(b"\n")
        if lines.pop():
            problems.append(Problem(path, "the last line is cut short", "the next event moves it", len(lines) + 1))
        for number, line in enumerate(lines, 1):
            try:
                event = parse_event(line, writer)
            except ValueError as error:
                problems.append(Problem(path, f"broken event: {error}", _RESTORE, number))
                digest, n, where = hashlib.sha256(line).hexdigest(), n + 1, (path, number)
                continue
            if event.n != n + 1:
                problems.append(Problem(path, f"event {n + 1} should stand here, not {event.n}", _RESTORE, number))
            elif event.prev != digest:
                problems.append(_altered(path, number, where))
                if events and events[-1].digest == digest:
                    events.pop()
            events.append(event)
            digest, n, where = event.digest, event.n, (path, number)
    return events


def _altered(path: str, number: int, before: tuple[str, int]) -> Problem:
    if not before[1]:
        return Problem(path, "the first event is chained to a line that is not here", _RESTORE, number)
    message = f"the line was changed after line {number} of {path} was chained to it"
    return Problem(before[0], message, _RESTORE, before[1])


def _in_order(chains: dict[str, list[Event]]) -> list[Event]:
    """Merge chains: earliest time first among the heads whose writer had seen nothing that is still to come."""
    heads = {writer: 0 for writer, events in chains.items() if events}
    passed = dict.fromkeys(chains, -1)
    ordered: list[Event] = []
    while heads:
        waiting = [chains[writer][at] for writer, at in heads.items()]
        ready = [
            event
            for event in waiting
            if all(passed[writer] >= n for writer, n in (event.seen or {}).items() if writer in heads)
        ]
        event = min(ready or waiting, key=lambda event: (event.ts, event.writer))
        ordered.append(event)
        passed[event.writer] = event.n
        heads[event.writer] += 1
        if heads[event.writer] == len(chains[event.writer]):
            del heads[event.writer]
    return ordered
