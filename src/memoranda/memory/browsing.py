"""The operations that read what was said without a question: which sessions there are, and what stands in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Iterable

from memoranda.memory.repositories import Repositories
from memoranda.memory.times import stretch
from memoranda.model.errors import Invalid

if TYPE_CHECKING:
    from memoranda.memory.results import ScanView, SessionsPage, SketchView
    from memoranda.memory.store import Store


class Browsing:
    """Part of `Memory`."""

    _store: Store

    @property
    def _repositories(self) -> Repositories:
        return Repositories(self._store.settings.state, self._store.checkouts)

    def _folders_of(self, repos: Iterable[str]) -> Iterable[str]:
        """What a filter by repository means for the index, which knows folders: each name, and the folders it has."""
        for name in repos:
            yield name
            yield from self._repositories.folders(name)

    def sessions(
        self,
        *,
        limit: int = 50,
        offset: int = 0,
        since: str | None = None,
        until: str | None = None,
        harness: Iterable[str] = (),
        repo: Iterable[str] = (),
    ) -> SessionsPage:
        """The sessions that were captured, newest first, a page at a time.

        `repo` is a folder, its name, `owner/name` of a remote, or a root commit. Raises `Invalid` for a limit of 0, an
        agent that is not known, or times that end before they begin.
        """
        from memoranda.memory.browse import known_agents, sessions

        if not 1 <= limit <= 1000:
            raise Invalid(f"a page of {limit} sessions cannot be shown", "ask for 1 to 1000")
        first, last = stretch(since, until)
        page = sessions(
            self._store.turn_store,
            self._repositories.names,
            limit=limit,
            offset=offset,
            since=first,
            until=last,
            harnesses=(agents := tuple(harness)),
            repo=tuple(repo),
        )
        if not page.sessions:
            known_agents(agents, self._store.turn_store)
        return page

    def scan(
        self,
        session: str,
        text: str,
        *,
        ignore_case: bool = False,
        first: int = 0,
        last: int | None = None,
        context: int = 100,
        limit: int = 200,
    ) -> ScanView:
        """Every place where `text` stands in a session, letter for letter, and how much was looked at.

        `session` is an id, its unique beginning, `<harness>/<session>` or a turn locator. Raises `NotFound`, `Invalid`.
        """
        from memoranda.memory.browse import find_session
        from memoranda.memory.scan import scan

        store = self._store.turn_store
        found = find_session(store, session)
        return scan(store, *found, text, ignore_case=ignore_case, first=first, last=last, context=context, limit=limit)

    def sketch(self, session: str, *, units: int = 8, max_chars: int = 8000) -> SketchView:
        """A sample of a session in its own words, the same every time. It can never show that something is absent.

        `units` is brought into 1 to 40, `max_chars` into 240 to 40,000. Raises `NotFound`, `Invalid`.
        """
        from memoranda.memory.browse import find_session
        from memoranda.memory.sketch import sketch

        store = self._store.turn_store
        found = find_session(store, session)
        return sketch(store, *found, units=min(max(units, 1), 40), max_chars=min(max(max_chars, 240), 40_000))
