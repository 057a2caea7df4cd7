"""The SDK: one handle on one memory.

Every method is one operation of the operation table; views translate to and from these and decide nothing. Nothing
heavy is loaded before a method needs it, and recall by words alone never loads a model.
"""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Callable, Iterable, Sequence, TypeVar

from memoranda.memory import handing
from memoranda.memory import settings as environment
from memoranda.memory.naming import documents
from memoranda.memory.parts import Parts
from memoranda.memory.pending import PendingText
from memoranda.memory.reading import view
from memoranda.memory.reasons import screened
from memoranda.memory.second import free_second
from memoranda.memory.store import Store
from memoranda.memory.times import moment, now, stretch
from memoranda.model.errors import Invalid, NotFound, Unavailable
from memoranda.model.locator import FileLocator, TurnLocator, parse_locator
from memoranda.model.outcome import Outcome
from memoranda.model.problem import Problem
from memoranda.model.query import Answer, Filters, Query
from memoranda.model.record import Candidate, Category, Channel, Confidence, Door, Durability, Record
from memoranda.model.settings import Settings
from memoranda.model.turn import BLOCK_TYPES
from memoranda.ports import TranscriptReader, discover

if TYPE_CHECKING:
    from memoranda.memory.inline import InlineMedia
    from memoranda.memory.results import Status, TurnsView
    from memoranda.remember.capture import CaptureReport

#: What the SDK is without a principal: an agent's voice (SPEC section 1, the channel table).
_AGENT = Door(Channel.AGENT, None, "sdk")

E = TypeVar("E", bound=StrEnum)

Progress = Callable[[str, int, int], None]


class Memory(Parts):
    """A memory that is open: `with Memory.open() as memory: ...`.

    Not for several threads at once; open one handle a thread. Any number of processes may share a memory.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    # -- opening

    @classmethod
    def init(
        cls,
        path: Path | str | None = None,
        *,
        project: bool = False,
        settings: Settings | None = None,
        door: Door | None = None,
    ) -> Memory:
        """Make a memory and open it: the personal one, or with `project` `<repository>/.memoranda` around `path`.

        Harmless where one is already. Raises `Invalid` when `project` finds no repository, `Unavailable` when the
        folder cannot be written.
        """
        from memoranda.truth.folder import Folder
        from memoranda.truth.identity import Ledger

        settings = settings or environment.load()
        root = _project_root(path) if project else Path(path or settings.home)
        if not (root / "memory.toml").exists():
            Folder.init(root, "project" if project else "personal")
            Ledger(settings.state, root.resolve()).adopt_as_own()
        return cls.open(root, settings=settings, door=door)

    @classmethod
    def open(
        cls,
        path: Path | str | None = None,
        *,
        project: bool = False,
        settings: Settings | None = None,
        door: Door | None = None,
    ) -> Memory:
        """Open a memory that is there. Raises `NotFound` naming the command that makes one."""
        settings = settings or environment.load()
        root = _project_root(path) if project else Path(path or settings.home)
        return cls(Store(root.resolve(), settings, door or _AGENT))

    @staticmethod
    def nearest_project(start: Path | str | None = None) -> Path | None:
        """The project memory around a folder, None when there is none; asks no git."""
        top = _repository(Path(start or Path.cwd()).resolve())
        return top / ".memoranda" if top and (top / ".memoranda" / "memory.toml").exists() else None

    def close(self) -> None:
        """Commit what is waiting and let go of the index."""
        self._store.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def root(self) -> Path:
        return self._store.folder.root

    @property
    def kind(self) -> str:
        return self._store.folder.kind

    @property
    def own(self) -> bool:
        return self._store.own

    @property
    def name(self) -> str:
        return self._store.name

    # -- writing

    def remember(
        self,
        text: str,
        *,
        category: Category | str | None = None,
        durability: Durability | str | None = None,
        confidence: Confidence | str | None = None,
        source: str = "",
        supersedes: Iterable[str] = (),
        contradicts: Iterable[str] = (),
        derived_from: Iterable[str] = (),
        anchors: Iterable[str] = (),
        entities: Iterable[str] = (),
        tags: Iterable[str] = (),
        observed: str | None = None,
        scope: str | None = None,
        inferred: bool = False,
    ) -> Outcome:
        """Take one statement through the door.

        `inferred` says that it is a summary or a guess, which becomes its source and weighs less. `anchors` are
        locators, or paths like "src/app.py#L10-L24" relative to the working folder. Returns `Stored`,
        `Known`, `Held` or `Refused`; stored and held are durable when this returns. Raises `Invalid` for words that
        are no category and the like, `Busy` when the write lock stays taken, `Unavailable` when nothing can be
        written.
        """
        from memoranda.remember.line import remember

        candidate = Candidate(
            body=text,
            source="agent_inference" if inferred else source,
            category=_word(Category, category, "category"),
            durability=_word(Durability, durability, "durability"),
            confidence=_word(Confidence, confidence, "confidence"),
            observed=moment(observed, "observed") if observed else None,
            entities=tuple(entities),
            tags=tuple(tags),
            supersedes=tuple(supersedes),
            contradicts=tuple(contradicts),
            derived_from=tuple(derived_from),
            anchors=tuple(self._locator(text) for text in anchors),
            scope=scope,
            inferred=inferred,
        )
        self._store.recover()
        if candidate.supersedes or candidate.contradicts or candidate.derived_from:  # else the line looks
            self._store.renewed()
        return remember(candidate, self._store.door, self._store, free_second(self._store, text, scope, now))

    def _locator(self, text: str) -> str:
        """A locator as it is, a path made into one, a short name of evidence made whole."""
        if text.startswith(("sha256:", "evidence:")):
            return str(self._place(text))
        path, hash_, fragment = text.partition("#")
        with suppress(Invalid):
            parsed = parse_locator(text)
            if not isinstance(parsed, FileLocator) or parsed.repo or not self._store.project:
                return str(parsed)
            return text
        there = False
        with suppress(OSError, ValueError):  # longer than a name may be, or holding what no name holds
            there = Path(path).exists()
        if not there:
            raise Invalid(  # not quoted: nothing has looked at it yet
                "an anchor is neither a locator nor a file here",
                "give a path in a git repository, like src/app.py#L10-L24, or a turn: locator from recall",
            )
        found = self._store.checkouts.locate(Path(path).resolve())
        if self._store.project and Path(path).resolve().is_relative_to(self.root.parent):
            found = FileLocator(Path(path).resolve().relative_to(self.root.parent).as_posix())
        return str(found) + (hash_ + fragment)

    def capture(
        self,
        paths: Sequence[Path | str] = (),
        *,
        harness: str | None = None,
        seconds: float | None = None,
        embed_seconds: float | None = None,
        check: bool = False,
        keep_media: bool = False,
        progress: Progress | None = None,
    ) -> CaptureReport:
        """Take in the histories of the agents on this machine, or those named, and embed within the budget.

        `seconds` bounds the reading (the rest waits for the next capture); `embed_seconds` defaults to the user's
        setting (5), 0 leaves vectors for later. `check` reads and reports, and writes nothing. `keep_media` takes media
        that stand inside turns in as evidence. Interrupting is safe.
        Raises `Unavailable` when no reader is installed, `NotFound` when nothing that was named is there, and
        `Invalid` for a project memory, which holds no turns.
        """
        from memoranda.remember.capture import capture
        from memoranda.remember.echo import Echoes

        if self._store.project:
            raise Invalid("a project memory holds no turns", "capture into the personal memory: leave --project out")
        if paths and not any(Path(path).exists() for path in paths):
            raise NotFound(f"{paths[0]}: no such file or folder", "name files or folders of histories")
        if check:
            from memoranda.remember.rehearse import rehearse

            own = self._store.settings
            files = [Path(p) for p in paths]
            return rehearse(self._readers(harness), home=own.user_home, variables=own.variables, paths=files)
        self._store.fresh().recover()
        self._store.index.sync(self._store, self._store.wanted)
        self._take_dropped()
        echoes = Echoes(self._store.handed_out()).mark
        media = self._inline() if keep_media else None
        report = capture(
            self._readers(harness),
            self._store.turn_store,
            self._store.index,
            self._store.screeners(),
            now,
            home=self._store.settings.user_home,
            variables=self._store.settings.variables,
            paths=[Path(p) for p in paths],
            seconds=seconds,
            progress=progress,
            echoes=echoes if media is None else media.before(echoes),
        )
        if self._store.index.behind:  # it was made anew meanwhile
            self._store.index.sync(self._store, self._store.wanted, progress=progress)
        if media is not None:
            report = media.told(report, self._store)
        seconds = self._store.settings.embed_seconds if embed_seconds is None else embed_seconds
        if seconds > 0:
            with suppress(Unavailable):  # without a model everything works by words, and status says so
                self.embed(seconds, progress)
        return report

    def _inline(self) -> InlineMedia:
        from memoranda.memory.inline import InlineMedia

        return InlineMedia()

    def _take_dropped(self) -> None:
        """Plain Markdown that was dropped into the record folders, as an import: nobody was shown it."""
        from memoranda.memory.strays import dropped

        found = dropped(self._store)
        if found:
            from memoranda.memory.adopt import adopt_all

            adopt_all(self._store, found, (), now())

    def _readers(self, harness: str | None) -> list[TranscriptReader]:
        names = discover.names("readers")
        if not names:
            raise Unavailable("no reader of agent histories is installed", 'pip install "memoranda[agents]"')
        if harness is not None and harness not in names:
            raise Invalid(f"no reader for {harness!r}", f"installed: {', '.join(names)}")
        return [discover.load("readers", name)() for name in names if harness in (None, name)]

    def embed(self, seconds: float | None = None, progress: Progress | None = None) -> int:
        """Give passages that wait for one their vector, newest first, prose before tools; returns how many.

        Raises `Unavailable` when no model is there, `Conflict` when the index was made with another.
        """
        self._store.fresh().quick_sync()  # what was kept a moment ago waits, too
        texts = PendingText(self._store)
        return self._store.index.embed(texts, seconds, progress)

    # -- reading

    def recall(
        self,
        text: str,
        *,
        limit: int = 8,
        since: str | None = None,
        until: str | None = None,
        role: Iterable[str] = (),
        type: Iterable[str] = (),
        harness: Iterable[str] = (),
        repo: Iterable[str] = (),
        session: Iterable[str] = (),
        kind: Iterable[str] = (),
        history: bool = False,
        lexical: bool = False,
        budget_tokens: int = 4000,
        neighbours: int = 1,
        weak: bool = False,
        as_of: str | None = None,
        also: Sequence[Memory] = (),
        why: Iterable[str] = (),
    ) -> Answer:
        """What is known about `text`, in two sections, with where it comes from and whether it still holds.

        Days for `since`, `until` and `as_of` are inclusive. `as_of` (a time, or a commit of this memory) answers as
        the memory knew then. `also` are further memories, merged within each signal before fusing. `why` names records
        and turns of which the answer says why they are not in it. Raises `Invalid` for an unknown filter value or an
        unknown agent, `NotFound` for a name in `why` that is nowhere; an empty answer is no error.
        """
        from memoranda.recall import recall

        then = None if as_of is None else self._point(as_of)
        first, last = stretch(since, until)
        stores = self._asked(also)
        query = Query(
            text=text,
            limit=limit,
            filters=Filters(
                kinds=_known(kind, ("record", "turn", "evidence"), "kind"),
                since=first,
                until=last,
                roles=tuple(role),
                types=_known(type, BLOCK_TYPES, "type"),
                harnesses=tuple(harness),
                repos=tuple(self._folders_of(repo)),
                sessions=tuple(session),
            ),
            history=history,
            lexical=lexical,
            budget_tokens=budget_tokens,
            neighbours=neighbours,
            weak=weak,
            as_of=then.at if then else "",
            why=documents(why, stores),
        )
        if then is None:
            answer = recall(query, stores, now())
        else:
            from memoranda.memory.past import Past

            answer = recall(query, [Past(stores[0], then), *(Past(s, then.moment) for s in stores[1:])], then.at)
        for store in stores:
            store.hand_out(handing.of_answer(answer))
        if answer.empty:
            from memoranda.memory.facets import known_values

            known_values(query.filters, *(store.turn_store for store in stores))
        return self._with_unread(answer, stores)

    def get(self, locator: str, *, before: int = 3, after: int = 3) -> TurnsView | Record:
        """The exact turns around a turn locator, or the record of an id or prefix. Raises `NotFound`, `Invalid`."""
        store = self._store.fresh()
        if not locator.startswith("turn:"):
            record = store.find(locator)
            store.hand_out(handing.of_records(store, [record]))
            return record
        parsed = parse_locator(locator)
        assert isinstance(parsed, TurnLocator)
        found = view(store.turn_store, parsed, before, after)
        store.hand_out(handing.of_turns(found))
        return found

    def prepare(self, tell: Callable[[str], None] = lambda words: None) -> None:
        """Have the screening rules ready. The first time on a machine they are compiled, which takes seconds; `tell`
        is given one line before that, and nothing otherwise."""
        screeners = self._store.screeners()
        if not all(getattr(screener, "compiled", True) for screener in screeners):
            tell("compiling the screening rules, once on this machine (some seconds)")
            for screener in screeners:
                screener.look(["ready"])

    def status(self) -> Status:
        """How this memory stands. Walks no history and loads no model."""
        from memoranda.memory.status import status

        return status(self._store.fresh())

    def check(self, *, deep: bool = False, repair: bool = False) -> tuple[Problem, ...]:
        """Every flaw that can be found by reading: files, ids, chains, anchors' form, index drift, permissions.

        `deep` also reads every turn and every byte of evidence. `repair` rebuilds what is derived and nothing else;
        then what is left is returned.
        """
        from memoranda.memory.check import check

        return check(self._store.fresh(), deep, repair)

    # -- a person decides

    def trust(self) -> int:
        """Trust every record and event of this memory as it stands now; returns how many were new.

        Only at a door that a person came through: raises `Invalid` for an agent.
        """
        store = self._store.fresh()
        if store.door.channel is not Channel.DIRECT_SESSION:
            raise Invalid("only a person at a terminal can trust a memory", "run `memoranda trust` yourself")
        digests = {e.digest for e in store.catalog.entries.values()} | {e.digest for e in store.all_events()}
        new = [d for d in sorted(digests) if not store.trusted(d)]
        store.ledger.trust(new)
        store.catch_up(again=None)
        return len(new)

    def forget(self, id_or_prefix: str, reason: str = "") -> Record:
        """Retire a record by an event: it stays on disk and in history, and is recalled no more. Raises `Invalid` for
        a reason that holds a credential, and for a record that weighs more than this door."""
        store = self._store.fresh()
        record = store.find(id_or_prefix)
        if store.door.channel is not Channel.DIRECT_SESSION and store.authority(record) > store.door_authority:
            raise Invalid(f"{record.id} weighs more than this door", "a person can forget it at a terminal")
        store.event("retired", record.digest, screened(reason, store.screeners))
        store.catch_up()
        return record


def _repository(start: Path) -> Path | None:
    """The top of the repository around a folder: where `.git` lies (a folder, or a file in a worktree)."""
    return next((p for p in (start, *start.parents) if (p / ".git").exists()), None)


def _project_root(path: Path | str | None) -> Path:
    start = Path(path or Path.cwd()).resolve()
    if start.name == ".memoranda":
        return start
    top = _repository(start)
    if top is None:
        raise Invalid(f"{start} is not inside a git repository", "run `git init` first, or leave --project out")
    return top / ".memoranda"


def _word(kind: type[E], value: E | str | None, name: str) -> E | None:
    if value is None:
        return None
    try:
        return kind(value)
    except ValueError:
        raise Invalid(f"there is no such {name}", f"use one of {', '.join(kind)}") from None


def _known(values: Iterable[str], allowed: Sequence[str], name: str) -> tuple[str, ...]:
    chosen = tuple(values)
    for value in chosen:
        if value not in allowed:
            raise Invalid(f"there is no such {name}", f"use one of {', '.join(allowed)}")
    return chosen
