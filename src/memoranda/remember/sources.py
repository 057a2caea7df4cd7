"""Which histories there are: those each reader finds, or those among the files and folders that were named."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Callable, Iterator, Mapping, Sequence

from memoranda.model.problem import Problem
from memoranda.ports.protocols import Source, TranscriptReader
from memoranda.ports.reading import HEAD_BYTES, walk

Found = tuple[TranscriptReader, Source]
#: The note in which a capture leaves word of itself.
LAST = "capture/last"


def find(
    readers: Sequence[TranscriptReader],
    home: Path | None,
    variables: Mapping[str, str],
    paths: Sequence[Path],
    problems: list[Problem],
    skipped: Counter[str],
) -> list[Found]:
    """The histories named by `paths`, or else all on this machine, each with its reader.

    What is in the way is added to `problems`; files of no known agent inside a named folder are counted in `skipped`.
    """
    if paths:
        return list(_named(readers, paths, problems, skipped))
    return list(_discovered(readers, home, variables, problems))


def _discovered(
    readers: Sequence[TranscriptReader], home: Path | None, variables: Mapping[str, str], problems: list[Problem]
) -> Iterator[Found]:
    """The histories each reader finds. A reader that fails at it loses its own only."""
    for reader in readers:
        try:
            for source in reader.find(home or Path.home(), variables):
                yield reader, source
        except Exception as error:  # a plug-in may fail in any way
            problems.append(Problem(reader.harness, f"its histories could not be listed: {cause(error)}"))


def _named(
    readers: Sequence[TranscriptReader], paths: Sequence[Path], problems: list[Problem], skipped: Counter[str]
) -> Iterator[Found]:
    """The histories among the files named, and among all files of the folders named."""
    for path in paths:
        if path.is_dir():
            for name, _ in walk(path, ("",)):
                claimed = _claimed(readers, Path(name), problems)
                if claimed is None:
                    skipped["file of no known agent"] += 1
                else:
                    yield claimed
        else:
            claimed = _claimed(readers, path, problems)
            if claimed is not None:
                yield claimed
            elif path.is_file():
                agents = ", ".join(reader.harness for reader in readers)
                problems.append(Problem(str(path), "no reader knows this file", f"there are readers for: {agents}"))
            else:
                problems.append(Problem(str(path), "no such file or folder"))


def _claimed(readers: Sequence[TranscriptReader], path: Path, problems: list[Problem]) -> Found | None:
    real = Path(os.path.realpath(path))
    if not real.is_file():
        return None
    try:
        with real.open("rb") as file:
            head = file.read(HEAD_BYTES)
        for reader in readers:
            source = reader.claims(real, head)
            if source is not None:
                return reader, source
    except Exception as error:
        problems.append(Problem(str(path), f"could not be looked at: {cause(error)}"))
    return None


def outlived(notes: Callable[[str], Mapping[str, str]]) -> dict[str, str | None]:
    """Of what captures noted beside the index, that which nothing else knows: the histories that are no longer there,
    and when somebody looked. Whoever makes the index anew takes it over; the others are read again."""
    gone = {name: mark for name, mark in notes("cursor/").items() if not os.path.lexists(name.split("/", 2)[2])}
    return {**gone, **notes(LAST)}


def cause(error: Exception) -> str:
    """What went wrong, without anything a file may have put into a message."""
    return error.strerror or type(error).__name__ if isinstance(error, OSError) else type(error).__name__
