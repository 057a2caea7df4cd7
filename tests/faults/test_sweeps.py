"""The long sweeps as tests: every kill, every error, every power cut. `make faults` runs them and prints tallies."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from faults.operations import OPERATIONS
from faults.power import possible

FOLDER = Path(__file__).resolve().parent

#: How often a process is killed at a call that changes nothing; at one that changes something it is always.
READING = "20"


def _traceable() -> bool:
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, check=False).returncode == 0


def _tally(record_property: Any, program: str, *arguments: str) -> dict[str, Any]:
    """What a sweep counted. Run apart, since it forks and must have no threads."""
    command = [sys.executable, str(FOLDER / program), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    tally: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    record_property("tally", json.dumps({**tally, "wrong": len(tally.get("wrong", ()))}))
    return tally


traced = pytest.mark.skipif(not _traceable(), reason="needs strace and the right to trace")


@traced
@pytest.mark.parametrize("name", ["fsync", "linkat"])
def test_c15_a_few_errors_of_remember(record_property: Any, name: str) -> None:
    tally = _tally(record_property, "errors.py", "remember", "--most", "2", "--names", name)
    assert tally["wrong"] == []
    assert tally["failed"] > 0


@pytest.mark.slow
@traced
@pytest.mark.parametrize("operation", OPERATIONS)
def test_f01_f02_f03_c15_killed_at_every_call(record_property: Any, operation: str) -> None:
    tally = _tally(record_property, "kill.py", operation, "--reading", READING)
    assert tally["wrong"] == []
    assert sum(tally["kills"].values()) > 50


@pytest.mark.slow
@traced
@pytest.mark.parametrize("operation", ["remember", "forget", "capture"])
def test_f08_to_f15_errors_at_every_call(record_property: Any, operation: str) -> None:
    tally = _tally(record_property, "errors.py", operation, "--most", "12")
    assert tally["wrong"] == []
    assert tally["failed"] > 0
    assert tally["unharmed"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("system", ["ext4", "xfs"])
def test_f04_f05_c15_power_cut(record_property: Any, system: str) -> None:
    reason = possible(system)
    if reason:
        pytest.skip(reason)
    tally = _tally(record_property, "power.py", system)
    assert tally["wrong"] == []
    assert tally["lost"] == 0
    assert tally["acknowledged"] >= 2000
