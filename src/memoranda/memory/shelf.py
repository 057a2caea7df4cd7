"""What `Store` knows of evidence: its bytes, what was read out of them, and whether a place in them still holds."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Mapping, Sequence

from memoranda.model.errors import Corrupt, NotFound, Unavailable
from memoranda.model.locator import EvidenceLocator, parse_locator
from memoranda.model.world import Unseen
from memoranda.ports import discover

if TYPE_CHECKING:
    from memoranda.index import Index
    from memoranda.index.extracts import Extracts
    from memoranda.memory.catalog import Catalog
    from memoranda.memory.store import Store
    from memoranda.model.event import Event
    from memoranda.model.evidence import Exhibit, Extract, Passage
    from memoranda.model.record import Record
    from memoranda.model.standing import Standing
    from memoranda.truth.evidence import EvidenceStore
    from memoranda.truth.folder import Folder
    from memoranda.truth.lock import WriteLock


def place_of(sha256: str) -> str:
    """The locator of a whole exhibit."""
    return f"evidence:sha256:{sha256}"


class Shelf:
    """Part of `Store`. Memories without evidence pay one look at a folder that is not there."""

    folder: Folder
    lock: WriteLock
    index: Index
    #: Said with every answer: how current a copy of a published memory is.
    notices: tuple[str, ...] = ()
    #: Where a published memory lies that is read here, "" for a memory in a folder.
    address: str = ""

    def instead(self) -> Store | None:
        """Another memory that answers when this one cannot be reached, None for none."""
        return None

    if TYPE_CHECKING:

        @property
        def catalog(self) -> Catalog: ...

        def all_events(self) -> Sequence[Event]: ...

        def trusted(self, digest: str) -> bool: ...

        def read(self, id: str) -> Record | None: ...

        def standing(self, record: Record) -> Standing: ...

    @cached_property
    def evidence(self) -> EvidenceStore:
        from memoranda.truth.evidence import EvidenceStore

        return EvidenceStore(self.folder, self.lock)

    @cached_property
    def extracts(self) -> Extracts:
        from memoranda.extract.wire import parse_extract, print_extract
        from memoranda.index.extracts import Extracts

        return Extracts(self.folder.root / ".index", print_extract, parse_extract)

    # -- the index's view

    def extract_stamps(self) -> Mapping[str, str]:
        """hash -> stamp of the extracts of exhibits whose bytes are here."""
        if not (self.folder.root / ".index" / "extracts").exists():
            return {}
        return {sha: stamp for sha, stamp in self.extracts.stamps().items() if self.evidence.size(sha) is not None}

    def extract(self, sha256: str) -> tuple[Exhibit, Extract] | None:
        """An exhibit with what was read out of it; None when it has to be read again."""
        try:
            exhibit = self.evidence.facts(sha256)
        except Corrupt:
            return None
        found = self.extracts.get(sha256) if exhibit is not None else None
        return (exhibit, found) if exhibit is not None and found is not None else None

    def unread(self) -> int:
        """How many exhibits have to be read again before they are found."""
        if not (self.folder.root / "evidence").exists():
            return 0
        read = self.extract_stamps()
        return sum(1 for sha in self.evidence.hashes() if sha not in read and self.evidence.size(sha) is not None)

    def over(self, today: str) -> bool:
        """Whether a retention pass would find something to let go or to ask about."""
        if not (self.folder.root / "evidence").exists():
            return False
        return any(e.over(today) and self.evidence.size(e.sha256) is not None for e in self.evidence.all()[0])

    @property
    def extracts_gone(self) -> bool:
        """True when there is evidence and the whole cache of extracts was deleted. Two looks at folders."""
        root = self.folder.root
        return (root / "evidence").exists() and not (root / ".index" / "extracts").exists()

    def passage(self, locator: str, number: int) -> tuple[Exhibit, Passage] | None:
        """The passage of that number, if it is still the one the index knows under this locator."""
        parsed = parse_locator(locator)
        assert isinstance(parsed, EvidenceLocator)
        if parsed.sha256 not in self._passages:
            from memoranda.index.exhibits import passages

            found = self.extract(parsed.sha256) if self.evidence.size(parsed.sha256) is not None else None
            self._passages[parsed.sha256] = (found[0], passages(parsed.sha256, found[1])) if found else None
        kept = self._passages[parsed.sha256]
        if kept is None or number >= len(kept[1]) or kept[1][number].locator != locator:
            return None
        return kept[0], kept[1][number]

    @cached_property
    def _passages(self) -> dict[str, tuple[Exhibit, Sequence[Passage]] | None]:
        return {}

    # -- the world an anchor is held against

    def exhibit_flaw(self, locator: EvidenceLocator) -> str | None:
        """Why what an anchor names is not there as it was, None when it is.

        Raises `Unseen` for evidence that never was in this memory, `Invalid` for a place that it does not have.
        """
        exhibit = self.evidence.facts(locator.sha256)
        if exhibit is None:
            raise Unseen("that evidence is not in this memory")
        try:
            self.check_place(locator.fragment, exhibit)
        except Unavailable as error:
            raise Unseen(error.message) from None
        size = self.evidence.size(locator.sha256)
        if size is None:
            return f"its exhibit is gone: {self.farewell(locator.sha256)}"
        return None if size == exhibit.size else "the bytes of its exhibit are damaged"

    def check_place(self, text: str, exhibit: Exhibit) -> None:
        """Raises `Invalid` unless an exhibit has that place, `Unavailable` for a kind that no plug-in here knows."""
        from memoranda.model.fragment import check_fragment, parse_fragment

        if not text:
            return
        fragment = parse_fragment(text)
        check_fragment(fragment, exhibit.extent)
        kinds = [discover.load("locator_kinds", n)() for n in discover.names("locator_kinds")] if fragment.other else []
        for name, value in fragment.other:
            known = [kind for kind in kinds if kind.name == name]
            if not known:
                raise Unavailable(f"nothing here knows places by {name}=", "install the plug-in that reads such media")
            known[0].check(known[0].parse(value), exhibit.extent)

    def farewell(self, sha256: str) -> str:
        """When and why the bytes went, as the events say."""
        target = place_of(sha256)
        gone = [e for e in self.all_events() if e.kind == "dropped" and e.target == target and self.trusted(e.digest)]
        return f"dropped {gone[-1].ts[:10]} ({gone[-1].cause})" if gone else "nobody says why"

    def relying(self, sha256: str) -> list[str]:
        """The records that rest on an exhibit and are neither retired nor rejected, sorted by id."""
        records = map(self.read, sorted(self.catalog.cites.get(place_of(sha256), ())))
        standing = ((record, self.standing(record)) for record in records if record is not None)
        return [record.id for record, s in standing if not (s.retired or s.rejected)]

    def exhibit(self, name: str) -> Exhibit:
        """The exhibit of a hash, its beginning, or a locator. Raises `NotFound`, `Invalid`."""
        return self.evidence.find(name)

    def bytes_of(self, exhibit: Exhibit) -> None:
        """Raises `NotFound` saying why when the bytes are gone."""
        if self.evidence.size(exhibit.sha256) is None:
            raise NotFound(f"the bytes of {exhibit.name} are gone: {self.farewell(exhibit.sha256)}")
