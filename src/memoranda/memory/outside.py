"""The world as one recall sees it: files in checkouts, turns and records of this memory. Caches for that long only,
but for verdicts on files that are as they were (`memory/looked.py`)."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Sequence

from memoranda.memory.looked import OFTEN, Looked, Seen, stamp, sure
from memoranda.model.errors import Unavailable
from memoranda.model.locator import Anchor, EvidenceLocator, FileLocator, TurnLocator, parse_anchor, parse_locator
from memoranda.model.query import Verdict
from memoranda.model.turn import Turn
from memoranda.model.world import Lineage, Unseen
from memoranda.truth.tree import Checkouts, read_inside

if TYPE_CHECKING:
    from memoranda.ports import SymbolReader


class Outside:
    """A `World`. `turns` gives the turns a locator names, None when that session was never captured here."""

    def __init__(
        self,
        checkouts: Checkouts,
        project_top: Path | None,
        turns: Callable[[TurnLocator], Sequence[Turn] | None],
        digest: Callable[[str], str | None],
        evidence: Callable[[EvidenceLocator], str | None],
        rewritten: Callable[[TurnLocator], str],
        looked: Looked,
        anew: bool = False,
    ) -> None:
        """`anew` says that what git knows is asked again, whatever an earlier look found."""
        self._checkouts, self._top, self._turns, self._digest = checkouts, project_top, turns, digest
        self._evidence, self._rewritten, self._looked, self._anew = evidence, rewritten, looked, anew
        self._files: dict[tuple[str | None, str], bytes | Unseen | None] = {}
        self._symbols: dict[tuple[str, int, int], Sequence[tuple[str, tuple[int, int]]]] = {}  # by path and bytes
        self._heads: dict[Path, str] = {}  # the commit that is checked out
        self._tops: dict[str, Path | None] = {}  # of repositories
        self._stamps: dict[str, str] = {}  # of files, from before they were read
        self._seen: dict[str, str] = {}  # stamps of files that need perhaps not be read
        self._states: dict[str, str] = {}  # of checkouts
        self._asked: set[str] = set()  # anchors about which git was asked
        self._verdicts: dict[str, Verdict] = {}

    def file(self, locator: FileLocator) -> bytes | None:
        key = (locator.repo, locator.path)
        if key not in self._files:
            try:
                self._files[key] = self._read(locator)
            except Unseen as error:
                self._files[key] = error
        found = self._files[key]
        if isinstance(found, Unseen):
            raise found
        return found

    def _read(self, locator: FileLocator) -> bytes | None:
        top = self._top_of(locator.repo or "")
        if top is None:
            raise Unseen("no checkout of that repository is known here" if locator.repo else "it names no repository")
        self._stamps[f"{top}/{locator.path}"] = sure(f"{top}/{locator.path}")  # before it is read
        return read_inside(top, locator.path)

    def _top_of(self, repo: str) -> Path | None:
        if repo not in self._tops:
            self._tops[repo] = self._checkouts.top(repo) if repo else self._top
        return self._tops[repo]

    def symbols(self, locator: FileLocator, data: bytes) -> Sequence[tuple[str, tuple[int, int]]]:
        """Raises `Unseen` with what to install, when that would mend it."""
        from memoranda.ports import discover

        key = (locator.path, len(data), hash(data))
        if key in self._symbols:
            return self._symbols[key]
        reason = "no plug-in here reads symbols"
        for name in discover.names("symbol_readers"):
            try:
                reader: SymbolReader = discover.load("symbol_readers", name)()
                self._symbols[key] = reader.definitions(locator.path, data)
                return self._symbols[key]
            except Unavailable as error:
                reason = f"{error.message} ({error.hint})"
        raise Unseen(reason)

    # -- what git knows

    def commit(self, locator: FileLocator) -> str:
        from memoranda.truth.lineage import head_of

        top = self._top_of(locator.repo or "")
        if top is not None and top not in self._heads:
            self._heads[top] = head_of(top)
        return "" if top is None else self._heads[top]

    def lineages(self, asked: Sequence[Anchor], versions: bool = False) -> Sequence[Lineage | None]:
        from memoranda.truth import lineage

        found: list[Lineage | None] = [None] * len(asked)
        by_top: dict[Path, list[int]] = defaultdict(list)
        for n, anchor in enumerate(asked):
            assert isinstance(anchor.locator, FileLocator)
            top = self._top_of(anchor.locator.repo or "")
            if top is not None:
                by_top[top].append(n)
                self._asked.add(str(anchor))
        for top, numbers in by_top.items():
            self._checkout(str(top))  # its state from before git is asked
            wanted = [lineage.Asked(*self._about(asked[n])) for n in numbers]
            for n, one in zip(numbers, lineage.lineages(top, wanted, versions), strict=True):
                found[n] = one
        return found

    def _about(self, anchor: Anchor) -> tuple[str, str, bool]:
        assert isinstance(anchor.locator, FileLocator)
        return anchor.locator.path, anchor.commit, self.file(anchor.locator) is not None

    def _checkout(self, top: str) -> str:
        """What a checkout's state is, "" when it cannot be said."""
        from memoranda.truth.lineage import state_of

        if top not in self._states:
            self._states[top] = state_of(Path(top))
        return self._states[top]

    # -- earlier looks

    def looked(self, anchor: str) -> Verdict | None:
        if anchor in self._verdicts:
            return self._verdicts[anchor]
        seen = self._looked.get(anchor) if anchor.startswith("file:") else None
        if seen is None or seen.top != str(self._top_of(seen.repo)):
            return None
        if seen.state != "fresh" and (self._anew or not seen.checkout or self._checkout(seen.top) != seen.checkout):
            return None
        if self._stamped(seen.top, seen.paths) != seen.stamps:
            return None
        self._verdicts[anchor] = Verdict(anchor, seen.state, seen.reason, seen.now)
        return self._verdicts[anchor]

    def note(self, verdicts: Sequence[Verdict]) -> None:
        for verdict in verdicts:
            if verdict.anchor not in self._verdicts:
                self._verdicts[verdict.anchor] = verdict
                if verdict.anchor.startswith("file:") and (verdict.state == "fresh" or verdict.anchor in self._asked):
                    self._keep(verdict)
        self._looked.save(OFTEN)

    def _keep(self, verdict: Verdict) -> None:
        """For the next time, with the stamps that the files had before they were read."""
        locator = parse_anchor(verdict.anchor).locator
        now = parse_locator(verdict.now) if verdict.now else locator
        assert isinstance(locator, FileLocator)
        assert isinstance(now, FileLocator)
        top = str(self._top_of(locator.repo or ""))
        state = "" if verdict.state == "fresh" else self._checkout(top)
        paths = "\n".join(dict.fromkeys((locator.path, now.path)))
        stamps = [self._stamps.get(f"{top}/{path}", "") for path in paths.split("\n")]
        if all(stamps) and (verdict.state == "fresh" or state):
            found = (verdict.state, verdict.reason, verdict.now)
            self._looked.put(verdict.anchor, Seen(locator.repo or "", top, paths, "\n".join(stamps), state, *found))

    def _stamped(self, top: str, paths: str) -> str:
        """The stamps of files as they are now."""
        found = []
        for path in paths.split("\n"):
            file = f"{top}/{path}"
            if file not in self._seen:
                self._seen[file] = self._stamps.get(file) or stamp(file)
            found.append(self._seen[file])
        return "\n".join(found)

    # -- this memory

    def turn(self, locator: TurnLocator) -> str | None:
        if not locator.harness:
            raise Unseen("only the hash of the quoted words travels with this memory")
        turns = self._turns(locator)
        if turns is None:
            raise Unseen("that session was not captured here")
        if not turns:
            return None
        return "\n".join(turn.text for turn in turns)

    def rewritten(self, locator: TurnLocator) -> str:
        return self._rewritten(locator) if locator.harness else ""

    def record(self, id: str) -> str | None:
        return self._digest(id)

    def evidence(self, locator: EvidenceLocator) -> str | None:
        return self._evidence(locator)
