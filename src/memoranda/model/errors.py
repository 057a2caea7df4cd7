"""The one exception family: what could not be done, and what to do next.

A flaw in the data is not an exception but a `Problem`; a decision is not one either but an `Outcome`.
"""

from __future__ import annotations

from typing import ClassVar


class MemorandaError(Exception):
    """Something could not be done.

    `code` is a stable word for programs, `exit_code` the process's exit status, `hint` the next step for a person.
    """

    code: ClassVar[str] = "internal"
    exit_code: ClassVar[int] = 70

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class Invalid(MemorandaError):
    """The request itself is wrong: an argument, a locator, a filter."""

    code = "invalid"
    exit_code = 2


class NotFound(MemorandaError):
    """The named memory, record, session, turn or path is not here."""

    code = "not_found"
    exit_code = 3


class Busy(MemorandaError):
    """Another process holds what is needed; trying again later may work."""

    code = "busy"
    exit_code = 4


class Conflict(MemorandaError):
    """What is here contradicts the request: an edited file, another model's index."""

    code = "conflict"
    exit_code = 5


class Unavailable(MemorandaError):
    """Something outside is missing: an extra, a model, a working file system."""

    code = "unavailable"
    exit_code = 6


class Offline(Unavailable):
    """Nobody answers where a shared memory lies; a copy taken earlier may stand in."""


class Denied(Unavailable):
    """Whoever keeps a shared memory knows us not, or lets us not do this."""


class Corrupt(MemorandaError):
    """Stored bytes are damaged and nothing derived can stand in for them."""

    code = "corrupt"
    exit_code = 7
