"""Where a user's folders are, and what was put into sessions: read from the environment and from small files alone."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from memoranda.memory import given, places
from memoranda.memory.given import Given
from memoranda.memory.settings import load


def test_folders_follow_the_users_home_and_its_standard_variables():
    plain = {"HOME": "/u"}
    assert places.home(plain) == "/u/.memoranda"
    assert places.state(plain) == "/u/.local/state/memoranda"
    assert places.cache(plain) == "/u/.cache/memoranda"
    assert places.settings(plain) == "/u/.config/memoranda/settings.toml"
    moved = {**plain, "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "relative", "XDG_CONFIG_HOME": "/c"}
    assert places.state(moved) == "/s/memoranda"
    assert places.cache(moved) == "/u/.cache/memoranda"
    assert places.settings(moved) == "/c/memoranda/settings.toml"
    named = {
        **moved,
        "MEMORANDA_HOME": "/m",
        "MEMORANDA_STATE": "/n",
        "MEMORANDA_CACHE": "/o",
        "MEMORANDA_SETTINGS": "/p",
    }
    assert [f(named) for f in (places.home, places.state, places.cache, places.settings)] == ["/m", "/n", "/o", "/p"]


def test_settings_say_the_same_places(tmp_path):
    env = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "s")}
    found = load(env)
    assert found.home == Path(places.home(env))
    assert (found.state, found.cache) == (Path(places.state(env)), Path(places.cache(env)))


def test_agents_promote_only_where_the_users_settings_say_so(tmp_path):
    assert not load({"HOME": str(tmp_path)}).agents_promote
    file = tmp_path / ".config/memoranda/settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text("agents_promote = true\npass_tokens = 200\n")
    assert load({"HOME": str(tmp_path)}).agents_promote
    assert load({"HOME": str(tmp_path)}).pass_tokens == 200


@pytest.fixture
def env(tmp_path):
    (tmp_path / ".local/state/memoranda").mkdir(parents=True)
    return {"HOME": str(tmp_path)}


def test_c18_what_a_session_was_given_is_kept_by_agent_and_session_and_holds_no_words(env):
    one = Given("claude", "s/../1", "d" * 16, 200, 1, shown=("mem_0123456789ab",))
    assert given.give(env, one)
    assert given.give(env, Given("codex", "s/../1", "", 0, 0))
    assert given.given(env, "claude", "s/../1") == one._replace(at=given.given(env, "claude", "s/../1").at)
    assert given.given(env, "claude", "other") is None
    assert {g.agent for g in given.all_given(env)} == {"claude", "codex"}
    files = list(Path(given.folder(env), "sessions").iterdir())
    assert all(file.stat().st_mode & 0o777 == 0o600 for file in files)


@pytest.mark.parametrize("junk", ["", "[]", "{}", json.dumps({"agent": "x"}), "\x00"])
def test_a_file_that_cannot_be_read_as_one_is_nothing(env, junk):
    given.give(env, Given("claude", "s"))
    for path in Path(given.folder(env), "sessions").iterdir():
        path.write_text(junk)
    assert given.given(env, "claude", "s") is None
    assert list(given.all_given(env)) == []


def test_what_cannot_be_kept_is_said_and_leaves_nothing_half(env):
    Path(given.folder(env)).mkdir()
    Path(given.folder(env), "sessions").write_text("a file")
    assert not given.give(env, Given("claude", "s"))
    given.log(env, "hook: a line")
    assert "hook: a line" in Path(given.folder(env), "hooks.log").read_text()


def test_the_log_begins_anew_when_it_is_long_and_is_not_begun_where_nothing_of_ours_is(env, tmp_path):
    given.log(env, "x" * (1 << 18))
    given.log(env, "after")
    given.log(env, "at last")
    assert os.path.getsize(Path(given.folder(env), "hooks.log")) < 1000
    given.log({"HOME": str(tmp_path / "nobody")}, "lost")
    assert not (tmp_path / "nobody").exists()
