"""Every target we ship passes the suite that third parties use."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

import pytest
from support.publishing import bucket, s3

from memoranda.builtin.targets import folder, objects
from memoranda.ports.contracts.share_targets import ShareTargetContract
from memoranda.ports.sharing import ShareTarget


@pytest.fixture(scope="module")
def server() -> Iterator[dict[str, str]]:
    with s3() as variables:
        yield variables


class TestFolder(ShareTargetContract):
    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path) -> None:
        self.root = tmp_path / "shared"

    def target(self) -> ShareTarget:
        return folder.make(str(self.root), {})


class TestS3(ShareTargetContract):
    @pytest.fixture(autouse=True)
    def place(self, server: dict[str, str]) -> None:
        self.variables, self.address = server, bucket(server)

    def target(self) -> ShareTarget:
        return objects.make(self.address, self.variables)
