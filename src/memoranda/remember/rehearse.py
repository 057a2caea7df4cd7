"""What a capture of some histories would find, without keeping anything: no memory is needed and nothing is written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Mapping, Sequence

from memoranda.model.problem import Problem
from memoranda.ports.protocols import TranscriptReader
from memoranda.remember.capture import CaptureReport, flaw_of
from memoranda.remember.sources import cause, find


def rehearse(
    readers: Sequence[TranscriptReader],
    *,
    home: Path | None = None,
    variables: Mapping[str, str] | None = None,
    paths: Sequence[Path] = (),
) -> CaptureReport:
    """Read histories from their beginning and report on them as `capture` would on a memory that is empty.

    `duplicates` counts turns whose id stood there before in the same session. Holds the ids of all turns in memory.
    """
    problems, skipped = list[Problem](), Counter[str]()
    counts, sessions, ids = Counter[str](), set[tuple[str, str]](), set[tuple[str, str, str]]()
    found = find(readers, home, variables or {}, paths, problems, skipped)
    for reader, source in found:
        try:
            for batch in reader.read(source, None):
                for turn in batch.turns:
                    flaw = flaw_of(turn)
                    if flaw:
                        problems.append(Problem(source.key, f"a turn would be left out: {flaw}"))
                        continue
                    id = (turn.harness, turn.session, turn.turn)
                    counts["duplicates"] += id in ids
                    ids.add(id)
                    sessions.add(id[:2])
                    counts["text"] += sum(len(block.text.encode("utf-8", "surrogatepass")) for block in turn.blocks)
                skipped.update(batch.skipped or {})
                problems += batch.problems
                counts["read"] += batch.bytes_read
                counts["refused"] += batch.refused
        except Exception as error:  # a plug-in may fail in any way
            problems.append(Problem(source.key, f"could not be read on: {cause(error)}"))
    return CaptureReport(
        turns=len(ids),
        sessions=len(sessions),
        duplicates=counts["duplicates"],
        bytes_read=counts["read"],
        text_bytes=counts["text"],
        sources=len(found),
        sources_refused=counts["refused"],
        skipped=dict(sorted(skipped.items())),
        problems=tuple(problems),
    )
