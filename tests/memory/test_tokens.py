"""Tokens: who may exist, and the files their secrets lie in."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from memoranda.memory.settings import load
from memoranda.memory.tokens import CHANNELS, FOLDER, Tokens, open_tokens, parse
from memoranda.model.errors import Conflict, Invalid
from memoranda.model.record import CHANNEL_TABLE, Channel
from memoranda.model.settings import Settings


def settings_of(tmp_path: Path, text: str = "") -> Settings:
    file = tmp_path / "settings.toml"
    file.write_text(text)
    return load({"HOME": str(tmp_path), "MEMORANDA_SETTINGS": str(file)})


def test_without_settings_there_is_one_and_its_secret_is_the_owners_alone(tmp_path: Path) -> None:
    (token,) = open_tokens(settings_of(tmp_path)).known
    assert (token.name, token.channel, token.writes) == ("agent", Channel.AGENT, True)
    assert stat.S_IMODE(token.file.stat().st_mode) == 0o600
    assert stat.S_IMODE(token.file.parent.stat().st_mode) == 0o700
    assert len(token.file.read_text().strip()) >= 43  # 256 bits


def test_a_secret_stays_until_its_file_is_deleted(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    secret = open_tokens(settings).known[0].file.read_bytes().strip()
    assert open_tokens(settings).holder(secret) is not None
    (settings.state / FOLDER / "agent").unlink()
    assert open_tokens(settings).holder(secret) is None


def test_each_is_what_its_settings_say_and_only_its_own_secret_opens_it(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, '[tokens.ci]\nchannel = "tool"\nmay = ["read"]\n[tokens.editor]\n')
    tokens = open_tokens(settings)
    assert [(t.name, t.channel, t.writes) for t in tokens.known] == [
        ("ci", Channel.TOOL, False), ("editor", Channel.AGENT, True)
    ]  # fmt: skip
    for token in tokens.known:
        assert tokens.holder(token.file.read_bytes().strip()) is token
    for wrong in (b"", b"x" * 43, tokens.known[0].digest, tokens.known[0].file.read_bytes().strip()[:-1]):
        assert tokens.holder(wrong) is None


def test_no_token_weighs_as_a_person_does() -> None:
    weights = {CHANNEL_TABLE[channel][0] for channel in CHANNELS}
    assert max(weights) == CHANNEL_TABLE[Channel.AGENT][0]


@pytest.mark.parametrize(
    "table",
    [
        {}, [], "agent", {"": {}}, {"a/b": {}}, {"../x": {}}, {"A": {}}, {"a" * 33: {}}, {"ci": []},
        {"ci": {"role": 1}}, {"ci": {"channel": "direct_session"}}, {"ci": {"channel": "quoted"}},
        {"ci": {"channel": "import"}},
        {"ci": {"channel": 1}}, {"ci": {"may": []}}, {"ci": {"may": "read"}}, {"ci": {"may": ["erase"]}},
        {"ci": {"may": [["read"]]}},
    ],
)  # fmt: skip
def test_what_cannot_be_understood_is_no_token(table: Any) -> None:
    with pytest.raises(Invalid) as raised:
        parse(table)
    assert raised.value.hint


@pytest.mark.parametrize("how", ["readable", "link", "short", "empty", "folder"])
def test_a_file_that_is_no_secret_of_ours_is_refused_and_named(how: str, tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    path = open_tokens(settings).known[0].file
    secret = path.read_text()
    if how == "readable":
        path.chmod(0o644)
    else:
        path.unlink()
        elsewhere = tmp_path / "elsewhere"
        elsewhere.write_text(secret)
        elsewhere.chmod(0o600)
        if how == "link":
            path.symlink_to(elsewhere)
        elif how == "folder":
            path.mkdir()
        else:
            path.write_text("short\n" if how == "short" else "")
            path.chmod(0o600)
    with pytest.raises(Conflict, match="tokens/agent"):
        open_tokens(settings)


def test_many_who_start_at_once_agree_on_one_secret(tmp_path: Path) -> None:
    settings = settings_of(tmp_path)
    gate = threading.Barrier(8)
    found: list[Tokens] = []

    def start() -> None:
        gate.wait()
        found.append(open_tokens(settings))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({tokens.known[0].digest for tokens in found}) == 1
    assert os.listdir(settings.state / FOLDER) == ["agent"]
