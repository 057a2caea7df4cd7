"""The demonstration's own parts."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture
def demo() -> ModuleType:
    path = Path(__file__).parents[2] / "demo" / "demo.py"
    spec = importlib.util.spec_from_file_location("demo_script", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_demo_stays_below_its_folder(demo: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMORANDA_HOME", "XDG_STATE_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "GIT_DIR"):
        monkeypatch.setenv(name, "/elsewhere")
    assert "/elsewhere" not in demo.environment().values()
    assert Path(demo.environment()["HOME"]).is_relative_to(demo.STAGE)


def test_the_fake_token_is_new_each_time(demo: ModuleType) -> None:
    first, second = demo.fake_token(), demo.fake_token()
    assert first != second
    assert len(first) == 40


def test_a_step_that_does_not_hold_ends_the_demo_with_1(demo: ModuleType) -> None:
    with pytest.raises(SystemExit) as caught:
        demo.fail("not so")
    assert isinstance(caught.value.code, str)  # a message is exit code 1
