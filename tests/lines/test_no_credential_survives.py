"""End to end: whatever door a credential comes through, no file of the user's holds it afterwards."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from pathlib import Path
from typing import Callable

import pytest
from support.doors import AGENT

from memoranda import Memory
from memoranda.model.errors import MemorandaError
from memoranda.model.outcome import Refused
from memoranda.model.settings import Settings

TOKEN = "gh" + "p_" + "aB3dE5fG7h" * 3 + "Jk9Lm2"
KEY = "-----BEGIN RSA PRIVATE" + " KEY-----\n" + "MIIEow8xQ2z9" * 20 + "\n-----END RSA PRIVATE" + " KEY-----"
URL = "postgres://app:" + "Xk29sLq83nVb" + "@db.internal/main"
LIVE = "sk_" + "live_" + "4hT9sKw2Lq8Zx5Rv7Bn3Mc1D"
SECRETS = {
    "token": (TOKEN, TOKEN),
    "key": (KEY, "MIIEow8xQ2z9" * 4),
    "url": (URL, "Xk29sLq83nVb"),
    "live": (LIVE, LIVE),
}


def traces(roots: list[Path], value: str) -> list[Path]:
    """Files below the roots whose name or bytes hold the value."""
    files = [Path(folder) / name for root in roots for folder, _, names in os.walk(root) for name in names]
    return [f for f in files if value in f.name or (f.is_file() and value.encode() in f.read_bytes())]


def transcript(path: Path, text: str) -> Path:
    rows = [
        {"type": "user", "uuid": "u1", "sessionId": "s1", "timestamp": "2026-05-04T09:00:00Z", "cwd": "/w",
         "message": {"role": "user", "content": f"use {text} please"}},
        {"type": "assistant", "uuid": "a1", "parentUuid": "u1", "sessionId": "s1", "timestamp": "2026-05-04T09:00:09Z",
         "cwd": "/w", "message": {"role": "assistant", "content": [
             {"type": "text", "text": json.dumps({"env": text})},
             {"type": "tool_use", "id": "t1", "name": "sh", "input": {"command": f"export T='{text}'"}}]}},
    ]  # fmt: skip
    path.mkdir()
    (path / "s1.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("name", SECRETS)
def test_b22_a50_nothing_holds_a_credential_after_any_door(
    name: str,
    settings: Settings,
    open_as: Callable[..., Memory],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    secret, core = SECRETS[name]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    caplog.set_level(logging.DEBUG)
    told = []
    for memory in (open_as(), open_as(AGENT)):
        for fields in ({}, {"source": secret}, {"tags": (secret,)}, {"entities": (secret,)}, {"scope": secret}):
            body = "The runner uses a key" if fields else f"The runner uses {secret}"
            result = memory.remember(body, **fields)  # type: ignore[arg-type]
            assert isinstance(result, Refused)
            told.append(repr(result))
        for fields in ({"supersedes": (secret,)}, {"contradicts": (secret,)}, {"derived_from": (secret,)}):
            result = memory.remember("The runner uses a key", **fields)
            assert isinstance(result, Refused)
            told.append(repr(result))
        for fields in ({"anchors": (secret,)}, {"category": secret}, {"observed": secret}):
            with pytest.raises(MemorandaError) as caught:
                memory.remember("The runner uses a key", **fields)  # type: ignore[arg-type]
            told.append(str(caught.value))
        memory.capture([transcript(tmp_path / f"history-{len(told)}", secret)], embed_seconds=0)
        told.append(repr(memory.recall("which key does the runner use?")))
    roots = [settings.home, settings.state, settings.cache, scratch, tmp_path / "user"]
    assert traces(roots, core) == []
    words = "".join(told) + caplog.text + "".join(capfd.readouterr())
    assert core not in words


def test_b22_dropped_markdown_with_a_credential_is_not_indexed_and_not_repeated(
    open_as: Callable[..., Memory], settings: Settings, tmp_path: Path
) -> None:
    memory = open_as()
    (memory.root / "records").mkdir(exist_ok=True)
    (memory.root / "records" / "note.md").write_text(f"The runner uses {TOKEN} for pushes\n")
    told = repr(memory.adopt())
    told += repr(memory.recall("what does the runner use for pushes?")) + repr(memory.check())
    assert TOKEN not in told
    assert list(traces([memory.root / ".index", settings.state, settings.cache], TOKEN)) == []
