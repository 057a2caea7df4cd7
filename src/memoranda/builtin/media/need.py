"""Says whether the libraries of an extractor are installed, without loading them."""

from __future__ import annotations

from importlib.util import find_spec

from memoranda.model.errors import Unavailable


def need(what: str, modules: tuple[str, ...], extra: str = "media") -> None:
    """Raises `Unavailable` naming the media that cannot be read and the command that mends it."""
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise Unavailable(f"{what} cannot be read: {missing[0]} is not installed", f'pip install "memoranda[{extra}]"')


def version(distribution: str) -> str:
    """The installed version of a distribution, for stamps."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return "none"
