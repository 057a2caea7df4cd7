"""Real memories in temporary folders, and the screeners as shipped."""

from typing import Sequence

import pytest
from support.memories import memory, open_as, settings, shared_cache

from memoranda.builtin import screen_kingfisher, screen_rules
from memoranda.ports import Screener

__all__ = ["memory", "open_as", "settings"]


@pytest.fixture(scope="session")
def screeners() -> Sequence[Screener]:
    return (screen_kingfisher.make(shared_cache()), screen_rules.make())
