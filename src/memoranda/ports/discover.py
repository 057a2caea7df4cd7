"""Finds plug-ins by entry point and loads them only when asked for.

Groups: memoranda.embedders, memoranda.index_backends, memoranda.screeners, memoranda.slow_screeners (asked on request
only), memoranda.classifiers, memoranda.readers, memoranda.answerers, memoranda.hooks, memoranda.wirings,
memoranda.extractors, memoranda.locator_kinds, memoranda.symbol_readers, memoranda.share_targets (by an address's
scheme; "file" is a folder), memoranda.row_tables. A plug-in is an entry point whose value is a callable that makes the
object. Names come from the user's settings, never from a memory.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from typing import Any, Callable, Iterator, NamedTuple

from memoranda.model.errors import NotFound, Unavailable

GROUPS = (
    "embedders",
    "index_backends",
    "screeners",
    "slow_screeners",
    "classifiers",
    "readers",
    "answerers",
    "hooks",
    "wirings",
    "extractors",
    "locator_kinds",
    "symbol_readers",
    "share_targets",
    "row_tables",
)


class Point(NamedTuple):
    """An entry point: the callable at `attribute` of `module`, declared by a `package`."""

    module: str
    attribute: str
    package: str

    def load(self) -> Any:
        found: Any = import_module(self.module)
        for name in filter(None, self.attribute.split(".")):
            found = getattr(found, name)
        return found


def _points(group: str) -> dict[str, Point]:
    return _declared().get(f"memoranda.{group}", {})


@cache
def _declared() -> dict[str, dict[str, Point]]:
    """Our groups -> name -> entry point, as installed packages declare them.

    Looks for `entry_points.txt` where installers put it, a millisecond; importlib.metadata takes seventy, which is half
    of what a recall may, and is asked where something lies on the path that only it can read (a zip file).
    """
    groups: dict[str, dict[str, Point]] = {}
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except NotADirectoryError:
            return _declared_anywhere()
        except OSError:
            continue
        for name in sorted(names):
            if name.endswith((".dist-info", ".egg-info")):
                for group, key, point in _lines(os.path.join(folder, name), name.partition("-")[0]):
                    groups.setdefault(group, {}).setdefault(key, point)
    return groups or _declared_anywhere()


def _lines(folder: str, package: str) -> Iterator[tuple[str, str, Point]]:
    """The entry points of one package that are ours (packaging.python.org, Entry points specification)."""
    try:
        with open(os.path.join(folder, "entry_points.txt"), "rb") as file:
            data = file.read()
    except OSError:
        return
    if b"memoranda." not in data:
        return
    group = ""
    for line in data.decode("utf-8", "replace").splitlines():
        line = line.strip()
        if line.startswith("["):
            group = line.strip("[]").strip()
        elif group.startswith("memoranda.") and "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            module, _, attribute = value.partition("[")[0].partition(":")
            yield group, name.strip(), Point(module.strip(), attribute.strip(), package)


def _declared_anywhere() -> dict[str, dict[str, Point]]:
    from importlib.metadata import entry_points

    groups: dict[str, dict[str, Point]] = {}
    for group in GROUPS:
        for point in entry_points(group=f"memoranda.{group}"):
            package = point.dist.name if point.dist else "its package"
            found = Point(point.module, point.attr, package)
            groups.setdefault(f"memoranda.{group}", {}).setdefault(point.name, found)
    return groups


def names(group: str) -> tuple[str, ...]:
    """The names installed under a group, sorted; loads nothing."""
    return tuple(sorted(_points(group)))


def find(group: str, name: str) -> Point:
    """Where one plug-in is made; loads nothing. Raises `NotFound` for an unknown name."""
    point = _points(group).get(name)
    if point is None:
        known = ", ".join(names(group)) or "none"
        raise NotFound(f"no plug-in {name!r} in memoranda.{group}", f"installed: {known}")
    return point


def load(group: str, name: str) -> Callable[..., Any]:
    """The maker of one plug-in. Raises `NotFound` for an unknown name, `Unavailable` when its libraries are missing."""
    point = find(group, name)
    try:
        maker: Callable[..., Any] = point.load()
    except ImportError as error:
        raise Unavailable(
            f"plug-in {name!r} cannot be loaded: {error.name or 'a library'} is missing",
            f"reinstall {point.package} with its extras",
        ) from error
    return maker
