"""Prints what the sweeps counted, below the tests' own summary."""

from __future__ import annotations

import json
from typing import Any


def pytest_terminal_summary(terminalreporter: Any) -> None:
    reports = [report for word in ("passed", "failed") for report in terminalreporter.stats.get(word, ())]
    tallies = [json.loads(value) for report in reports for name, value in report.user_properties if name == "tally"]
    for tally in tallies:
        parts = []
        for name, value in tally.items():
            parts.append(f"{name} {sum(value.values())}" if isinstance(value, dict) else f"{name} {value}")
        terminalreporter.write_line("; ".join(parts))
