"""A flaw in the data, reported beside the good results and never instead of them."""

from __future__ import annotations

from memoranda.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One flaw.

    `locator` names the file (relative to the memory, or an outside path) and is followed by `:line` when `line` is
    set (1-based). `message` says what is wrong without quoting unscreened text; `hint` is the next step.
    """

    locator: str
    message: str
    hint: str = ""
    line: int | None = None

    def __str__(self) -> str:
        where = self.locator if self.line is None else f"{self.locator}:{self.line}"
        return f"{where}: {self.message}" + (f" ({self.hint})" if self.hint else "")


class Unread(Problem):
    """Not a flaw of the data: the system would not give it just now, and may the next time."""

    __slots__ = ()
