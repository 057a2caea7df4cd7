"""Every backend we ship passes the suite that third parties use."""

from __future__ import annotations

from pathlib import Path

from memoranda.builtin import embedded, in_memory
from memoranda.ports.contracts.index_backends import IndexBackendContract
from memoranda.ports.protocols import IndexBackend


class TestEmbedded(IndexBackendContract):
    def backend(self, folder: Path) -> IndexBackend:
        return embedded.make(folder)


class TestInMemory(IndexBackendContract):
    def backend(self, folder: Path) -> IndexBackend:
        return in_memory.make(folder)
