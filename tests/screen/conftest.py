"""The two screeners as shipped, made once a session."""

from __future__ import annotations

from typing import Sequence

import pytest

from memoranda.builtin import screen_kingfisher, screen_rules
from memoranda.ports import Screener


@pytest.fixture(scope="session")
def screeners(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Screener]:
    """Compiled rules are kept beside all test folders of this user, so that only the first run compiles them."""
    cache = tmp_path_factory.getbasetemp().parent / "compiled-rules"
    return (screen_kingfisher.make(cache), screen_rules.make())
