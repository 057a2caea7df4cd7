"""Grants: what the user lets a principal do to a memory by what they send, and where.

They stand in the user's settings, or a server's. What travels with a memory (`Tightening`) can only take away.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Iterable

from memoranda.model.values import dataclass

#: The principal of everybody who signed with no key that the settings name.
ANYONE = "*"


class Deed(StrEnum):
    """write: send records, which last as they say when the sender is known; supersede: replace what other senders
    sent; forget: retire what they sent themselves. Nothing that is sent ever silences a record of ours."""

    WRITE = "write"
    SUPERSEDE = "supersede"
    FORGET = "forget"


@dataclass(frozen=True, slots=True)
class Grant:
    """What one principal may do. `keys` are public ssh keys as (kind, base64); `scopes` are patterns like "shop/*",
    none for every scope, also for records without one."""

    principal: str
    may: tuple[Deed, ...]
    scopes: tuple[str, ...] = ()
    keys: tuple[tuple[str, str], ...] = ()

    def allows(self, deed: Deed, scope: str | None) -> bool:
        return deed in self.may and within(scope, self.scopes)


@dataclass(frozen=True, slots=True)
class Tightening:
    """What a memory itself asks of those whose records it takes in; every field only takes away."""

    signed: bool = False
    principals: tuple[str, ...] | None = None
    scopes: tuple[str, ...] = ()

    def admits(self, principal: str | None, scope: str | None) -> bool:
        if principal is None:
            return not self.signed and self.principals is None and within(scope, self.scopes)
        return (self.principals is None or principal in self.principals) and within(scope, self.scopes)


#: Where the settings say nothing of those who are not known: their records come in, foreign, and weigh least.
STRANGERS = Grant(ANYONE, (Deed.WRITE, Deed.FORGET))


def grant_of(principal: str | None, grants: Iterable[Grant]) -> Grant:
    """The grant that counts for a principal (None: not known)."""
    wanted = principal or ANYONE
    return next((grant for grant in grants if grant.principal == wanted), STRANGERS)


def within(scope: str | None, scopes: tuple[str, ...]) -> bool:
    """True when there is no bound, or the scope fits one of the patterns. What holds everywhere fits no pattern."""
    from fnmatch import fnmatchcase  # few ever come here

    return not scopes or (scope is not None and any(fnmatchcase(scope, pattern) for pattern in scopes))
