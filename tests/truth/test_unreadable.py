"""A folder that may not be read is not an empty one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memoranda.model.errors import Unavailable
from memoranda.truth.folder import Folder
from memoranda.truth.lock import WriteLock
from memoranda.truth.records import RecordStore


def test_records_that_cannot_be_listed_are_not_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may read everything, so the refusal is the system call's, made here."""
    folder = Folder.init(tmp_path / "m", "personal")
    store = RecordStore(folder, WriteLock(folder.root / ".lock", 1.0))
    assert store.stamps() == {}
    real = os.scandir

    def refuse(path: object) -> object:
        if str(path).endswith("records"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)  # type: ignore[call-overload]

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(Unavailable, match="records"):
        store.stamps()
