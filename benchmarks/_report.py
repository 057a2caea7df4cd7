"""How every benchmark reports: one table for people, one JSON object for programs, with the date and the machine."""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Mapping, Sequence


def machine() -> dict[str, str | int]:
    """What figures depend on; nothing that names the machine or its folders."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return {"cpu": model, "cores": cores, "system": platform.system(), "python": platform.python_version()}


def report(name: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Prints the rows (each a measure, a figure, a unit and optionally a target) as a table, then as JSON."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    cells = [columns, *([str(row.get(column, "")) for column in columns] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(columns))]
    host, date = machine(), datetime.now(UTC).date().isoformat()
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    print(f"{name}: {date}, {host['cpu']}, {host['cores']} cores, Python {host['python']}, load {load}")
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    print(json.dumps({"benchmark": name, "date": date, "machine": host, "load": load, "rows": list(rows)}))
