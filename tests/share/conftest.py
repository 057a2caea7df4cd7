"""Memories that are published to folders and to an S3 server; nothing here touches the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Iterator

import pytest
from support.memories import memory, open_as
from support.memories import settings as shared
from support.publishing import bucket, private, s3

from memoranda.model.settings import Settings

__all__ = ["memory", "open_as", "shared"]


@pytest.fixture
def settings(shared: Settings, tmp_path: Path) -> Settings:
    return private(shared, tmp_path)


@pytest.fixture(scope="session")
def server() -> Iterator[dict[str, str]]:
    with s3() as variables:
        yield variables


@pytest.fixture
def new_bucket(server: dict[str, str]) -> Callable[[], str]:
    return lambda: bucket(server)
