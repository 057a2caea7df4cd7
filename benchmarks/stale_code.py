"""Stale memory in code: facts about a real repository, then the commits that break some of them.

usage: stale_code.py [--repository PATH] [--pairs N] [--ranges N] [--gap COMMITS] [--seed N]

Facts are taken at one commit and judged at a later one, for pairs of commits spread over the history (this
repository's own unless another is named). Two sets, each with a truth that no part of this package works out:

- *ranges*: "these lines read so", for runs of one to twenty lines of random places. Truth is git's own diff (histogram,
  renames followed): live when it carries every line over, with nothing in between; dead when it does not and the text
  stands nowhere in the file either. Text that stands elsewhere in the file though the diff calls it new (a block that
  was carried over other code, or another piece that reads the same) is counted apart.
- *constants*: "this function works with NAME = value", for functions of Python files that use a constant of their
  module, anchored to the function's lines. Truth is the syntax tree: live while the function is there, uses the name,
  and the name has that value; dead inside when the function does not any more; dead outside when only the value
  changed, which no anchor to the function can see.

"Served" is what a reader is given without a warning (fresh, moved, unknown); "flagged" what reads stale (changed,
gone). Beside ours: no check at all; the whole file's hash; the same lines at the same numbers; the text anywhere in the
file it was in. --sweep prints what other values of the two thresholds would do (docs/decisions/0008).
"""

from __future__ import annotations

import argparse
import ast
import random
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Iterator, Mapping, NamedTuple, Sequence

from _report import report

from memoranda.anchor import states, take, text
from memoranda.memory import Memory
from memoranda.memory.store import Store
from memoranda.model.locator import FileLocator
from memoranda.model.record import Channel, Door
from memoranda.model.settings import Settings

_SERVED = ("fresh", "moved", "unknown")
_ENDINGS = (".py", ".md", ".toml", ".js", ".ts", ".go", ".rs", ".java", ".c", ".h", ".rb")


Tally = Counter[tuple[str, str]]


class Fact(NamedTuple):
    """What was said of lines of a file at the first commit; `name`, `value` and `function` for a constant's use."""

    path: str
    lines: tuple[int, int]
    function: str = ""
    name: str = ""
    value: str = ""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repository", type=Path, default=Path(__file__).resolve().parents[1])
    parser.add_argument("--pairs", type=int, default=6)
    parser.add_argument("--ranges", type=int, default=400)
    parser.add_argument("--gap", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sweep", action="store_true")
    options = parser.parse_args()
    counts: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory() as folder:
        repo = Repository(options.repository, Path(folder) / "clone")
        user = Path(folder) / "user"
        user.mkdir()
        settings = Settings(user / "memory", user / "state", user / "cache", user, embedder="", commit=False)
        Memory.init(settings=settings).close()
        pairs = repo.pairs(options.pairs, options.gap)
        for old, new in pairs:
            judge(repo, settings, old, new, options, counts)
    rows = [
        row(set_, method, tally) for key, tally in sorted(counts.items()) for set_, _, method in [key.partition("/")]
    ]
    report(f"stale memory in code, {len(pairs)} pairs of commits {options.gap} apart", rows)


def row(set_: str, method: str, tally: Tally) -> dict[str, object]:
    found: dict[str, object] = {"facts": set_, "method": method}
    for truth in dict.fromkeys(truth for truth, _ in sorted(tally, key=_column)):
        total = tally[truth, "served"] + tally[truth, "flagged"]
        if not total:
            continue
        wrong = "flagged" if truth == "live" else "served"
        found[f"{truth} {wrong}"] = f"{tally[truth, wrong]}/{total} {100 * tally[truth, wrong] / total:.1f}%"
    return found


def _column(key: tuple[str, str]) -> tuple[int, str]:
    order = ("live", "dead", "dead outside", "elsewhere")
    return (order.index(key[0]) if key[0] in order else len(order)), key[0]


def judge(
    repo: Repository,
    settings: Settings,
    old: str,
    new: str,
    options: argparse.Namespace,
    counts: dict[str, Tally],
) -> None:
    chance = random.Random(f"{options.seed} {old}")
    repo.checkout(old)
    before = repo.files()
    ranges = list(some_ranges(before, options.ranges, chance))
    constants = list(uses(before))
    store = Store(settings.home, settings, Door(Channel.AGENT, None, "benchmark"))
    key = store.checkouts.note(repo.top)
    world = store.world()
    facts = [*ranges, *constants]
    anchors = [str(take(FileLocator(f.path, key, f.lines), world)) for f in facts]
    named = [FileLocator(f.path, key, symbol=f.function) for f in constants]
    symbols = [str(take(place, world)) for place in named]
    repo.checkout(new)
    after = repo.files()
    renames, maps = repo.diff(old, new)
    truths = [
        *(truth_of_range(f, before, after, renames, maps) for f in ranges),
        *(truth_of_use(f, after, renames) for f in constants),
    ]
    sets = ["ranges"] * len(ranges) + ["constants"] * len(constants)

    def count(method: str, answers: Sequence[bool], skip: int = 0) -> None:
        for set_, truth, served in zip(sets[skip:], truths[skip:], answers, strict=True):
            tally = counts.setdefault(f"{set_}/{method}", Counter())
            tally[truth, "served" if served else "flagged"] += 1

    count("0 no check", [True] * len(facts))
    count("1 whole file", [after.get(f.path) == before[f.path] for f in facts])
    count("2 same line numbers", [cut(after.get(f.path, ""), f.lines) == cut(before[f.path], f.lines) for f in facts])
    count("3 text anywhere in the file", [stands(cut(before[f.path], f.lines), after.get(f.path, "")) for f in facts])
    # Each look with a handle of its own and anew, so that nothing is remembered between thresholds.
    count("4 memoranda", [v.state in _SERVED for v in states(anchors, store.world(anew=True))])
    count("4 memoranda, symbols", [v.state in _SERVED for v in states(symbols, store.world(anew=True))], len(ranges))
    if options.sweep:
        counts.setdefault("heirs/at least so alike, in percent", Counter()).update(
            heirs([f for f, t in zip(ranges, truths, strict=False) if t == "dead"], before, after, chance)
        )
    for distinct in (0, 8, 16, 48, 10**9) if options.sweep else ():
        text.DISTINCT, kept = distinct, text.DISTINCT
        bare = [anchor.rpartition("@")[0] for anchor in anchors]
        for name, asked in (("", anchors), (" without the commit", bare)):
            answers = [v.state in _SERVED for v in states(asked, store.world(anew=True))]
            count(f"5 DISTINCT {distinct}{name}", answers)
        text.DISTINCT = kept
    if options.sweep:
        bare = [anchor.rpartition("@")[0] for anchor in anchors]
        count(
            f"5 DISTINCT {text.DISTINCT} without the commit",
            [v.state in _SERVED for v in states(bare, store.world(anew=True))],
        )
    store.close()


def heirs(facts: Sequence[Fact], before: Mapping[str, str], after: Mapping[str, str], chance: random.Random) -> Tally:
    """How alike dead lines are to what took their place, and to other lines of the same file, by threshold."""
    tally: Tally = Counter()
    for fact in facts:
        if fact.path not in after or stands(cut(before[fact.path], fact.lines), after[fact.path]):
            continue
        old, new = before[fact.path].split("\n"), after[fact.path].split("\n")
        place = text.onto(new, old, fact.lines)
        count = fact.lines[1] - fact.lines[0] + 1
        other = chance.randint(1, max(1, len(new) - count))
        for limit in (30, 40, 50, 60, 70):
            for truth, lines in (("heir", place), ("other lines", (other, other + count - 1))):
                score = text.alike(text.cut(old, fact.lines), text.cut(new, lines)) if lines else 0.0
                tally[f"{truth} {limit}", "served" if 100 * score >= limit else "flagged"] += 1
    return tally


# -- facts


def some_ranges(files: Mapping[str, str], number: int, chance: random.Random) -> Iterator[Fact]:
    names = sorted(name for name, content in files.items() if name.endswith(_ENDINGS) and content.strip())
    while number and names:
        name = chance.choice(names)
        lines = files[name].split("\n")
        first = chance.randint(1, max(1, len(lines) - 1))
        last = min(first + chance.choice((0, 0, 1, 2, 4, 9, 19)), max(1, len(lines) - 1))
        if any(line.strip() for line in lines[first - 1 : last]):
            number -= 1
            yield Fact(name, (first, last))


def uses(files: Mapping[str, str]) -> Iterator[Fact]:
    """Functions that use a constant of their module, at most three of a file."""
    for name in sorted(files):
        tree = parsed(files[name]) if name.endswith(".py") else None
        if tree is None:
            continue
        values, found = constants_of(tree), 0
        for function, node in functions_of(tree):
            used = sorted({n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in values})
            if used and found < 3:
                found += 1
                lines = (node.lineno, node.end_lineno or node.lineno)
                yield Fact(name, lines, function, used[0], values[used[0]])


def constants_of(tree: ast.Module) -> dict[str, str]:
    found = {}
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            if isinstance(target, ast.Name) and target.id.isupper() and getattr(node, "value", None) is not None:
                found[target.id] = ast.dump(node.value)  # type: ignore[union-attr, arg-type]
    return found


def functions_of(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{n.name}", n) for n in node.body if isinstance(n, ast.FunctionDef))


def parsed(content: str) -> ast.Module | None:
    try:
        return ast.parse(content)
    except (SyntaxError, ValueError):
        return None


# -- truth


def truth_of_range(
    fact: Fact,
    before: Mapping[str, str],
    after: Mapping[str, str],
    renames: Mapping[str, str],
    maps: Mapping[str, Mapping[int, int]],
) -> str:
    path = renames.get(fact.path, fact.path)
    if path not in after:
        return "dead"
    first, last = fact.lines
    if path == fact.path and before[fact.path] == after[path]:
        return "live"
    lines = maps.get(fact.path)
    if lines is None:  # renamed only
        return "live" if before[fact.path] == after[path] else "dead"
    where = [lines.get(n) for n in range(first, last + 1)]
    if where[0] is not None and where == list(range(where[0], where[0] + len(where))):
        return "live"
    return "elsewhere" if stands(cut(before[fact.path], fact.lines), after[path]) else "dead"


def truth_of_use(fact: Fact, after: Mapping[str, str], renames: Mapping[str, str]) -> str:
    tree = parsed(after.get(renames.get(fact.path, fact.path), ""))
    node = dict(functions_of(tree)).get(fact.function) if tree else None
    if tree is None or node is None or not any(isinstance(n, ast.Name) and n.id == fact.name for n in ast.walk(node)):
        return "dead"
    return "live" if constants_of(tree).get(fact.name) == fact.value else "dead outside"


def cut(content: str, lines: tuple[int, int]) -> list[str]:
    return content.split("\n")[lines[0] - 1 : lines[1]]


def stands(wanted: Sequence[str], content: str) -> bool:
    return bool(wanted) and f"\n{chr(10).join(wanted)}\n" in f"\n{content}\n"


# -- the repository


class Repository:
    """A clone that is checked out at one commit after the other."""

    def __init__(self, source: Path, top: Path) -> None:
        self.top = top
        subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(source), str(top)], check=True, capture_output=True)

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.top, check=True, capture_output=True)
        return done.stdout.decode("utf-8", "replace")

    def pairs(self, number: int, gap: int) -> list[tuple[str, str]]:
        commits = self.git("rev-list", "--first-parent", "--reverse", "HEAD").split()
        last = max(1, len(commits) - gap - 1)
        starts = sorted({last * n // number for n in range(1, number + 1)})
        return [(commits[at], commits[min(at + gap, len(commits) - 1)]) for at in starts]

    def checkout(self, commit: str) -> None:
        self.git("checkout", "-q", "--force", "-B", "main", commit)

    def files(self) -> dict[str, str]:
        found = {}
        for name in self.git("ls-files", "-z").split("\0"):
            file = self.top / name
            if name and file.is_file() and not file.is_symlink() and file.stat().st_size < 1 << 20:
                try:
                    found[name] = file.read_bytes().decode().replace("\r\n", "\n").replace("\r", "\n")
                except UnicodeDecodeError:
                    continue
        return found

    def diff(self, old: str, new: str) -> tuple[dict[str, str], dict[str, dict[int, int]]]:
        """(path -> path it was renamed to; path -> old line -> new line, for files that changed)."""
        renames: dict[str, str] = {}
        maps: dict[str, dict[int, int]] = {}
        said = self.git("diff", "--histogram", "-M", "-U0", "--no-color", "--no-ext-diff", old, new)
        path, total = "", 0
        at_old = at_new = 1
        for line in [*said.split("\n"), "diff --git end"]:
            if line.startswith("diff --git "):
                if path:
                    maps[path].update(zip(range(at_old, total + 1), range(at_new, at_new + total), strict=False))
                path = ""
            elif line.startswith("rename from "):
                source = line[12:]
            elif line.startswith("rename to "):
                renames[source] = line[10:]
            elif line.startswith("--- a/"):
                path = line[6:].rstrip("\t")
                total = self.git("show", f"{old}:{path}").count("\n")
                at_old, at_new = 1, 1
                maps[path] = {}
            elif line.startswith("@@ ") and path:
                _, minus, plus, *_ = line.split(" ")
                (a, n), (b, m) = (parts(side) for side in (minus, plus))
                upto = a if n else a + 1
                maps[path].update(zip(range(at_old, upto), range(at_new, at_new + upto), strict=False))
                at_old, at_new = upto + n, (b if m else b + 1) + m
        return renames, maps


def parts(side: str) -> tuple[int, int]:
    first, _, count = side[1:].partition(",")
    return int(first), int(count or 1)


if __name__ == "__main__":
    main()
