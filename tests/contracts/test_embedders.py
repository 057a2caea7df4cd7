"""Every embedder we ship passes the suite that third parties use."""

from __future__ import annotations

import pytest

from memoranda.builtin import hashing, minilm
from memoranda.model.errors import Unavailable
from memoranda.ports.contracts.embedders import EmbedderContract
from memoranda.ports.protocols import Embedder


class TestHashing(EmbedderContract):
    def embedder(self) -> Embedder:
        return hashing.make()


class TestMiniLM(EmbedderContract):
    def embedder(self) -> Embedder:
        try:
            return minilm.make()
        except Unavailable as error:
            pytest.skip(error.message)
