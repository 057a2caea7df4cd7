"""Plug-ins are found as importlib.metadata finds them, only sooner."""

from __future__ import annotations

import sys
import zipfile
from importlib.metadata import entry_points
from pathlib import Path
from typing import Iterator

import pytest

from memoranda.model.errors import NotFound, Unavailable
from memoranda.ports import discover


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    discover._declared.cache_clear()
    yield
    discover._declared.cache_clear()


def declare(folder: Path, name: str, text: str) -> None:
    place = folder / f"{name}-1.0.dist-info"
    place.mkdir(parents=True)
    (place / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (place / "entry_points.txt").write_text(text)


@pytest.mark.parametrize("group", discover.GROUPS)
def test_the_same_as_importlib_metadata(group: str) -> None:
    theirs = {point.name: point.load for point in entry_points(group=f"memoranda.{group}")}
    assert discover.names(group) == tuple(sorted(theirs))
    for name, load in theirs.items():
        assert discover.load(group, name) is load()


def test_a_package_of_somebody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "# ours\n[console_scripts]\nx = y:z\n\n[ memoranda.readers ]\nodd=json:JSONDecoder.decode [extra]\n; no\n"
    declare(tmp_path, "somebody_else", text + "lost = no_such_module:make\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path), str(tmp_path / "missing")])
    assert {"claude", "lost", "odd"} <= set(discover.names("readers"))
    import json

    assert discover.load("readers", "odd") is json.JSONDecoder.decode
    with pytest.raises(Unavailable) as caught:
        discover.load("readers", "lost")
    assert caught.value.hint == "reinstall somebody_else with its extras"
    with pytest.raises(NotFound):
        discover.load("readers", "nothing")


def test_where_only_importlib_can_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile(tmp_path / "wheel.zip", "w") as file:
        file.writestr("zipped-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: zipped\nVersion: 1.0\n")
        file.writestr("zipped-1.0.dist-info/entry_points.txt", "[memoranda.readers]\nzipped = json:loads\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "wheel.zip")])
    assert {"claude", "zipped"} <= set(discover.names("readers"))


def test_a_wheel_is_loaded_by_what_it_declares() -> None:
    assert discover.load("index_backends", "embedded").__name__ == "make"
