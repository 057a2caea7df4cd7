"""docs/limits.md: each limit names what shows it, and what it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "limits.md").read_text("utf-8")
ROWS = [
    (number, cells)
    for number, line in enumerate(PAGE.splitlines(), 1)
    if line.startswith("| ")
    for cells in [re.split(r"(?<!\\) \| ", line.strip("| ")) if " | " in line else [line.strip("| ")]]
]
HEADS = ("limit", "what", "which", "reader", "agent", "part")

#: What this design leaves open by its nature: none of it may fall off the page.
OPEN = (
    "Poisoning is a trade-off",
    "No benchmark shows that a memory changed behaviour",
    "policy, not truth",
    "Erasure ends where somebody else's clone begins",
    "The same user's programs can act as that user",
    "A cloud agent that recalls sends passages to its provider",
    "It does not synthesise",
)
_FILE = re.compile(r"`((?:tests|agents|benchmarks|docs|src|tools|demo|recall|screen|builtin|share)/[\w./\[\]*-]*)")
_PAGE = re.compile(r"\]\(([\w./-]*)(?:#[\w-]*)?\)")


@pytest.mark.parametrize("limit", OPEN)
def test_b79_what_is_open_by_nature_is_told(limit: str) -> None:
    assert limit in PAGE


def test_b79_each_limit_names_what_shows_it() -> None:
    flaws = [f"docs/limits.md:{number} {flaw}" for number, cells in ROWS for flaw in flaws_of(cells)]
    assert len(ROWS) > 100
    assert not flaws


def test_b79_a_limit_without_ground_would_be_found() -> None:
    assert flaws_of(["alone"])
    assert flaws_of(["a limit", ""])
    assert flaws_of(["a limit", "By design."])
    assert flaws_of(["a limit", "`tests/nowhere.py`"])
    assert flaws_of(["a limit", "[a page](decisions/nowhere.md)"])
    assert not flaws_of(["a limit", "No number yet."])


def flaws_of(cells: list[str]) -> list[str]:
    if cells[0] in HEADS or set(cells[0]) <= {"-", "|"}:
        return []
    if len(cells) != 2 or not cells[1].strip():
        return ["does not say in a second cell what shows it"]
    shown, roots = cells[1], (ROOT, ROOT / "src" / "memoranda")
    flaws = [
        f"names {file}, which is not there"
        for file in _FILE.findall(shown)
        if not any((root / file).exists() for root in roots)
    ]
    flaws += [f"leads to {page}" for page in _PAGE.findall(shown) if page and not (ROOT / "docs" / page).exists()]
    if not re.search(r"\d|`|\]\(|No (number|test|benchmark|figure|run)", shown):
        flaws += ["gives neither a number nor a test, nor says that there is none"]
    return flaws
