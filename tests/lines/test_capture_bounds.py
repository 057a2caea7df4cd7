"""C16, C19: fixed memory and a first minute, by the benchmark itself: small in the quick run, whole in the slow one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Mapping

import pytest
from support.memories import shared_cache

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "capture.py"


def measured(*options: str) -> Mapping[str, float]:
    """The figures by measure; those with a bound in memory are held against it. The benchmark itself holds that all
    was captured and is found, and that nothing is read twice."""
    command = [sys.executable, str(BENCHMARK), "--cache", str(shared_cache()), "--only", *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout.splitlines()[-1])["rows"]
    bounded = [row for row in rows if row["unit"] == "MB" and row["target"]]
    assert bounded
    for row in bounded:
        assert row["figure"] <= float(row["target"].removeprefix("<= ")), row
    return {row["measure"]: row["figure"] for row in rows}


def test_c16_memory_is_bounded_for_a_large_file_and_for_many() -> None:
    figures = measured("large", "crowd", "--large-megabytes", "20", "--crowd-sessions", "200")
    assert any(name.startswith("one file of 20 MB") for name in figures)


def test_c19_the_newest_of_many_sessions_is_found_by_its_words_in_a_new_process() -> None:
    assert "150 sessions, recallable by words" in measured("minute", "--minute-sessions", "150")


@pytest.mark.slow
@pytest.mark.parametrize("part", ["large", "line", "crowd"])
def test_c16_memory_is_bounded_whatever_there_is_to_read(part: str) -> None:
    assert measured(part)


@pytest.mark.slow
def test_a44_c19_nineteen_thousand_sessions_are_found_by_words() -> None:
    """How long it took is for the benchmark to say: a minute, on two cores that do nothing else."""
    assert "19000 sessions, recallable by words" in measured("minute")
