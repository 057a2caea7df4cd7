"""Finds plug-ins by entry point and loads them only when asked for.

Groups: memoranda.embedders, memoranda.index_backends, memoranda.screeners,
memoranda.classifiers, memoranda.readers, memoranda.answerers. A plug-in is an entry
point whose value is a callable that makes the object. Names come from the user's settings, never from a memory.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Callable

from memoranda.model.errors import NotFound, Unavailable

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUPS = ("embedders", "index_backends", "screeners", "classifiers", "readers", "answerers")


@cache
def _points(group: str) -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # brings the mail parser along, so only when something is looked up

    return {point.name: point for point in entry_points(group=f"memoranda.{group}")}


def names(group: str) -> tuple[str, ...]:
    """The names installed under a group, sorted; loads nothing."""
    return tuple(sorted(_points(group)))


def load(group: str, name: str) -> Callable[..., Any]:
    """The maker of one plug-in. Raises `NotFound` for an unknown name, `Unavailable` when its libraries are missing."""
    point = _points(group).get(name)
    if point is None:
        known = ", ".join(names(group)) or "none"
        raise NotFound(f"no plug-in {name!r} in memoranda.{group}", f"installed: {known}")
    try:
        maker: Callable[..., Any] = point.load()
    except ImportError as error:
        package = point.dist.name if point.dist else "its package"
        raise Unavailable(
            f"plug-in {name!r} cannot be loaded: {error.name or 'a library'} is missing",
            f"reinstall {package} with its extras",
        ) from error
    return maker
