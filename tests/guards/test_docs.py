"""Examples in the documentation are run as they stand.

A fenced `sh` or `python` block whose line above is `<!-- run -->` is run. The blocks of one page run in order, in one
folder and one home of their own, so that later ones may build on earlier ones; each must end well. One under
`<!-- run where PACKAGE is installed -->` is left out elsewhere, and the page then counts as skipped.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.memories import shared_cache

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(
    r"^<!-- run(?: where (?P<needs>\w+) is installed)? -->\n+```(?P<language>sh|python)\n(?P<code>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Example:
    language: str
    code: str
    line: int
    needs: str = ""

    @property
    def missing(self) -> bool:
        return bool(self.needs) and importlib.util.find_spec(self.needs) is None


def examples(text: str) -> list[Example]:
    """The marked blocks of a page; `line` is that of the first line of code."""
    return [
        Example(found["language"], found["code"], text.count("\n", 0, found.start("code")) + 1, found["needs"] or "")
        for found in BLOCK.finditer(text)
    ]


def pages() -> list[str]:
    found = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "AGENTS.md", ROOT / "CONTRIBUTING.md"]
    found += [ROOT / "agents" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [str(path.relative_to(ROOT)) for path in found if path.is_file() and examples(path.read_text("utf-8"))]


def run(page: str, example: Example, home: Path) -> None:
    """Runs one block in `home`; fails with the page, the line and all it printed."""
    command = ["bash", "-euo", "pipefail", "-c"] if example.language == "sh" else [sys.executable, "-c"]
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORANDA", "XDG", "GIT"))}
    variables["MEMORANDA_CACHE"] = str(shared_cache())  # compiled rules and vectors by content: made once
    variables |= {"HOME": str(home), "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [*command, example.code], check=False, cwd=home, env=variables, capture_output=True, text=True, timeout=120
    )
    if done.returncode:
        pytest.fail(f"{page}:{example.line} exited {done.returncode}\n{done.stdout}{done.stderr}", pytrace=False)


@pytest.mark.parametrize("page", pages())
def test_marked_examples_run_as_written(page: str, tmp_path: Path) -> None:
    found = examples((ROOT / page).read_text("utf-8"))
    for example in found:
        if not example.missing:
            run(page, example, tmp_path)
    if absent := {example.needs for example in found if example.missing}:
        pytest.skip(f"not all was run: {', '.join(sorted(absent))} is not installed")


PAGE = """
```sh
exit 1  # not marked, not run
```

<!-- run -->
```sh
echo kept > note
```

<!-- run -->

```python
assert open("note").read() == "kept\\n"
```

<!-- run -->
```sh
false
true
```

<!-- run where nothing_of_this_name is installed -->
```sh
false
```
"""


def test_the_runner_finds_marked_blocks_and_fails_with_them(tmp_path: Path) -> None:
    first, second, third, fourth = examples(PAGE)
    assert [block.missing for block in (first, second, third, fourth)] == [False, False, False, True]
    assert [(block.language, block.line) for block in (first, second, third)] == [("sh", 8), ("python", 14), ("sh", 19)]
    run("page", first, tmp_path)
    run("page", second, tmp_path)
    with pytest.raises(pytest.fail.Exception, match="page:19 exited 1"):
        run("page", third, tmp_path)
