"""The operations on evidence: take in, list, show, read again, verify, drop, and open a piece of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Iterable, Sequence

from memoranda.memory.shelf import place_of
from memoranda.memory.times import now
from memoranda.model.errors import Conflict, Invalid, NotFound, Unavailable
from memoranda.model.locator import EvidenceLocator, parse_anchor, parse_locator
from memoranda.model.problem import Problem
from memoranda.model.record import Channel
from memoranda.model.values import dataclass, replace

if TYPE_CHECKING:
    from memoranda.memory.retention import Drops
    from memoranda.memory.store import Store
    from memoranda.model.evidence import Cut, Exhibit, Passage
    from memoranda.model.outcome import Refused
    from memoranda.model.query import Answer
    from memoranda.remember.exhibit import Kept


@dataclass(frozen=True, slots=True)
class ExhibitView:
    """An exhibit as it stands. `extracted` is False when it has to be read again before it is found."""

    exhibit: Exhibit
    locator: str
    present: bool
    extracted: bool
    records: tuple[str, ...] = ()
    farewell: str = ""
    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Opened:
    """A piece of an exhibit as a file of its own: what was cut, and the words that stand there."""

    path: Path
    locator: str
    media_type: str
    exhibit: Exhibit
    facts: tuple[tuple[str, str], ...]
    text: str


class Exhibits:
    """Part of `Memory`."""

    _store: Store

    def add_evidence(
        self, path: Path | str, *, name: str = "", origin: str = "", retention: str = "", days: int | None = None
    ) -> Kept | Refused:
        """Read, screen and keep one file. Nothing of it is kept when it holds a credential or cannot be looked at.

        `retention` is keep, window (default; `days`, 30 unless the user chose otherwise) or discard, and is fixed from
        here on. What media says is external; only a person may say otherwise by `origin`. Raises `Invalid`,
        `NotFound`, `Unavailable` (an extra is missing), `Conflict` (the file changed meanwhile).
        """
        from memoranda.memory.media import Bench, claim
        from memoranda.remember.exhibit import take_in

        store = self._store.fresh()
        store.recover()
        source = Path(path)
        said = claim(store, name or source.name, origin, retention, days)
        return take_in(source, said, Bench(store), now())

    def evidence(self) -> tuple[tuple[ExhibitView, ...], tuple[Problem, ...]]:
        """Every exhibit, newest first, and the facts that cannot be read."""
        store = self._store.fresh()
        exhibits, problems = store.evidence.all()
        stamps = store.extract_stamps()
        exhibits.sort(key=lambda e: (e.created, e.sha256), reverse=True)
        return tuple(self._view(exhibit, exhibit.sha256 in stamps) for exhibit in exhibits), tuple(problems)

    def show_evidence(self, name: str) -> ExhibitView:
        """One exhibit with all its passages. `name` is a hash, its beginning, or a locator. Raises `NotFound`."""
        from memoranda.index.exhibits import passages
        from memoranda.recall.show import authority_of

        store = self._store.fresh()
        exhibit = store.exhibit(name)
        found = store.extract(exhibit.sha256) if store.evidence.size(exhibit.sha256) is not None else None
        if found is None:
            return self._view(exhibit, False)
        pieces = tuple(passages(exhibit.sha256, found[1]))
        store.hand_out((p.locator, p.text, authority_of(exhibit.origin)) for p in pieces)
        return self._view(exhibit, True, pieces, found[1].notes)

    def _view(
        self, exhibit: Exhibit, extracted: bool, passages: tuple[Passage, ...] = (), notes: tuple[str, ...] = ()
    ) -> ExhibitView:
        store = self._store
        present = store.evidence.size(exhibit.sha256) is not None
        return ExhibitView(
            exhibit=exhibit,
            locator=place_of(exhibit.sha256),
            present=present,
            extracted=extracted and present,
            records=tuple(store.relying(exhibit.sha256)),
            farewell="" if present else store.farewell(exhibit.sha256),
            passages=passages,
            notes=notes,
        )

    def extract_evidence(self, name: str | None = None) -> tuple[int, tuple[Problem, ...]]:
        """Read exhibits again whose extract is missing or was made by another version; with `name` that one in any
        case. How many were read, and why others could not be: what today's rules reject is among them."""
        from memoranda.memory.media import read_again

        store = self._store.fresh()
        exhibits = [store.exhibit(name)] if name else store.evidence.all()[0]
        found = read_again(store, exhibits, always=bool(name))
        store.catch_up()
        return found

    def verify_evidence(self, name: str | None = None) -> tuple[int, tuple[Problem, ...]]:
        """Hash the bytes of all exhibits, or of one, and compare; how many are sound, and those that are not."""
        from memoranda.truth.evidence import fingerprint

        store = self._store.fresh()
        exhibits = [store.exhibit(name)] if name else store.evidence.all()[0]
        sound, problems = 0, []
        for exhibit in exhibits:
            place = store.evidence.path(exhibit.sha256)
            if store.evidence.size(exhibit.sha256) is None:
                continue
            if fingerprint(place)[0] == exhibit.sha256:
                sound += 1
            else:
                problems.append(Problem(str(place), f"{exhibit.name}: its bytes were changed", "restore a backup"))
        return sound, tuple(problems)

    def drop_evidence(self, names: Iterable[str] = (), *, consent: bool = False) -> Drops:
        """Without names: a retention pass, which drops what is over and nothing rests on, and asks about the rest.
        With names: those, at a person's word alone; what records rest on only with `consent`. Raises `Invalid`."""
        from memoranda.memory.retention import drop_named, run_pass

        store, chosen = self._store.fresh(), tuple(names)
        if (chosen or consent) and store.door.channel is not Channel.DIRECT_SESSION:
            raise Invalid("only a person can drop what is not over yet", "run the command yourself, at a terminal")
        if chosen:
            done = drop_named(store, [store.exhibit(name) for name in chosen], consent)
        else:
            done = run_pass(store, now()[:10])
        if done.dropped:
            store.catch_up()
        return done

    def open_evidence(self, name: str, into: Path | str | None = None) -> Opened:
        """The exact piece that a locator names (or a record's first anchor to evidence), cut out and encoded anew.

        `into` is the new file, or a folder for it (the working folder when left out); nothing is replaced. No more of
        the exhibit is read than the piece needs. Raises `NotFound` when the bytes are gone, `Invalid`, `Conflict`.
        """
        from memoranda.memory.media import cut, scratch_folder

        store = self._store.fresh()
        locator = self._place(name)
        exhibit = store.exhibit(locator.sha256)
        store.bytes_of(exhibit)
        store.check_place(locator.fragment, exhibit)
        with scratch_folder() as scratch:
            made = cut(store, exhibit, locator, Path(scratch))
            target = _copied(Path(scratch) / made.name, _target(exhibit, locator, made, into))
        return Opened(target, str(locator), made.media_type, exhibit, made.facts, self._words(exhibit, locator))

    @staticmethod
    def _with_unread(answer: Answer, stores: Sequence[Store]) -> Answer:
        """An answer that says when evidence could not be searched, and how current what is read elsewhere is."""
        said = tuple(notice for store in stores for notice in store.notices)
        answer = replace(answer, notices=(*answer.notices, *said)) if said else answer
        waiting = sum(store.unread() for store in stores if store.extracts_gone)
        if not waiting:
            return answer
        notice = f"{waiting} exhibits were not searched, they have to be read again: memoranda evidence extract"
        return replace(answer, notices=(*answer.notices, notice))

    def _place(self, name: str) -> EvidenceLocator:
        """What is to be opened: a locator, with or without `evidence:`, or a record that rests on evidence."""
        text = f"evidence:{name}" if name.startswith("sha256:") else name
        if text.startswith("evidence:"):
            head, hash_, fragment = text.partition("#")
            exhibit = self._store.exhibit(head)
            parsed = parse_locator(place_of(exhibit.sha256) + hash_ + fragment)
            assert isinstance(parsed, EvidenceLocator)
            return parsed
        record = self._store.find(name)
        places = (parse_anchor(anchor).locator for anchor in record.anchors)
        found = next((place for place in places if isinstance(place, EvidenceLocator)), None)
        if found is None:
            raise NotFound(f"{record.id} rests on no evidence", f"memoranda history {record.id}")
        return found

    def _words(self, exhibit: Exhibit, locator: EvidenceLocator) -> str:
        """What was read in the piece."""
        from memoranda.memory.media import words_in
        from memoranda.recall.show import authority_of

        found = self._store.extract(exhibit.sha256)
        text = words_in(found[1], locator.fragment) if found else ""
        if text:
            self._store.hand_out([(str(locator), text, authority_of(exhibit.origin))])
        return text


def _target(exhibit: Exhibit, locator: EvidenceLocator, made: Cut, into: Path | str | None) -> Path:
    """The file that was asked for, or one named after exhibit and place in the folder that was."""
    folder = Path(into) if into is not None else Path.cwd()
    if not folder.is_dir():
        return folder
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(exhibit.name).stem).strip("-.")[:60] or exhibit.sha256[:12]
    place = re.sub(r"[^A-Za-z0-9.,-]+", "-", locator.fragment)[:60]
    return folder / f"{stem}{'-' if place else ''}{place}{Path(made.name).suffix}"


def _copied(made: Path, target: Path) -> Path:
    try:
        with made.open("rb") as source, target.open("xb") as file:
            while block := source.read(1 << 20):
                file.write(block)
    except FileExistsError:
        raise Conflict(f"{target} is already there", "name another file: --out") from None
    except OSError as error:
        raise Unavailable(f"{target}: {error.strerror}", "name another file: --out") from None
    return target
