"""Computes the ids of the record files beside this script, from docs/format.md alone: no code of this project.

python ids.py [FILE...]      prints "<id>  <file>" and exits 1 when a file's id line says something else
"""

import hashlib
import sys
from pathlib import Path


def digest_of(data: bytes) -> str:
    """SHA-256 over every byte but the header's id line."""
    lines = data.split(b"\n")
    first = next(number for number, line in enumerate(lines) if line.startswith(b"id: "))
    return hashlib.sha256(b"\n".join(lines[:first] + lines[first + 1 :])).hexdigest()


def main(names: list[str]) -> int:
    paths = [Path(name) for name in names] or sorted(Path(__file__).parent.glob("*.md"))
    wrong = 0
    for path in paths:
        data = path.read_bytes()
        name = f"mem_{digest_of(data)[:12]}"
        print(f"{name}  {path.name}")
        wrong += f"\nid: {name}\n".encode() not in data
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
