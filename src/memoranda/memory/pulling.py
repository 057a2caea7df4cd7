"""The files of a published memory, rebuilt in a folder of their own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Sequence

from memoranda.model.problem import Problem
from memoranda.model.share import Head
from memoranda.ports import Screener
from memoranda.share.arrive import rebuilt
from memoranda.share.copy import Copy


def rebuild(copy: Copy, head: Head, place: Path, screeners: Sequence[Screener]) -> tuple[int, tuple[Problem, ...]]:
    """Beside its final name first, so that what is there is whole; how many rows, and what was left out."""
    half = place.with_name(f".{place.name}.{os.getpid()}.part")
    shutil.rmtree(half, ignore_errors=True)
    try:
        _, rows, problems = rebuilt(copy, head, half, screeners)
        os.rename(half, place)
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return rows, problems
