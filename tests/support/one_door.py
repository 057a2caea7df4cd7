"""A credential for every rule, as texts to bring to a door, and the search for what is left of them."""

from __future__ import annotations

import os
from pathlib import Path

from support.families import samples, stated
from support.invented import others

#: rule -> (a text that holds it, what may be found nowhere)
HELD = {rule: (stated(rule, token), token) for rule, token in samples()}
HELD |= {f"{name} itself": (f"It is {text}", text[-24:]) for name, text in others().items()}
_CREDENTIALS = [core.encode() for _, core in HELD.values()]


def traces(*roots: Path) -> list[str]:
    """Files that hold any of the credentials, by name or in their bytes."""
    found = []
    for root in roots:
        for folder, _, names in os.walk(root):
            for name in names:
                path = Path(folder) / name
                if path.is_file():
                    data = name.encode() + path.read_bytes()
                    found += [f"{path}: {core.decode()[:12]}" for core in _CREDENTIALS if core in data]
    return found


def told(words: str) -> list[str]:
    """The beginnings of those that some words repeat."""
    return [core[:12] for _, core in HELD.values() if core in words]
