"""What a command hands back, and the one JSON document that every view makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Sequence

if TYPE_CHECKING:
    from memoranda.model.errors import MemorandaError
    from memoranda.model.problem import Problem
    from memoranda.model.query import IndexState
    from memoranda.views.terminal import Page


def _nothing(page: Page) -> None:
    return None


class Reply(NamedTuple):
    """A command's result.

    `outcome` is a stable word, `data` what JSON shows (any value of the SDK), `draw` puts it on a page. `code` is 0
    or 1. `problems` are drawn after the page, `notices` too; both are part of the JSON document.
    """

    outcome: str
    data: Any = None
    draw: Callable[[Page], None] = _nothing
    code: int = 0
    problems: Sequence[Problem] = ()
    notices: Sequence[str] = ()
    state: IndexState | None = None

    def document(self) -> dict[str, Any]:
        """The reply as the JSON document that every view gives."""
        return _document(self.code == 0, self.outcome, self.data, self.problems, self.notices, self.state)


def failed(error: MemorandaError) -> dict[str, Any]:
    """An error as the JSON document that every view gives."""
    return _document(False, error.code, {"message": error.message, "hint": error.hint}, (), (), None)


def _document(
    ok: bool, outcome: str, data: Any, problems: Sequence[Problem], notices: Sequence[str], index: IndexState | None
) -> dict[str, Any]:
    from memoranda.views.render.plain import plain

    return {"format": 1, "ok": ok, "outcome": outcome, "data": plain(data), "problems": plain(tuple(problems)),
            "notices": list(notices), "index": plain(index) if index else {}}  # fmt: skip
