"""Real memories in temporary folders: nothing here touches the user's own."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Callable, Iterator

import pytest

from memoranda import Memory
from memoranda.model.record import Door
from memoranda.model.settings import Settings
from support.doors import PERSON


def shared_cache() -> Path:
    """One cache for all tests of this user: compiled rules and vectors by content, which no test can tell apart."""
    return Path(tempfile.gettempdir()) / f"memoranda-tests-{os.getuid()}"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    home = tmp_path / "user"
    home.mkdir()
    return Settings(
        home=home / ".memoranda",
        state=home / "state",
        cache=shared_cache(),
        user_home=home,
        embedder="",
        variables={"HOME": str(home)},
    )


@pytest.fixture
def open_as(settings: Settings) -> Iterator[Callable[..., Memory]]:
    """Opens the personal memory (or another path) through a door; closes all at the end."""
    opened: list[Memory] = []

    def opener(door: Door = PERSON, path: Path | None = None, **more: object) -> Memory:
        memory = Memory.init(path, settings=settings, door=door, **more)  # type: ignore[arg-type]
        opened.append(memory)
        return memory

    yield opener
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_as: Callable[..., Memory]) -> Memory:
    return open_as()
