"""A memory, a user's home, and capture between them: what tests of capture stand on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from memoranda.index import Index
from memoranda.model.index import Search
from memoranda.model.problem import Problem
from memoranda.model.query import Filters
from memoranda.model.turn import Turn
from memoranda.ports import discover
from memoranda.remember.capture import CaptureReport, capture
from memoranda.truth.folder import Folder
from memoranda.truth.lock import WriteLock
from memoranda.truth.turns import TurnStore
from memoranda_agents import claude, codex

NOW = "2026-07-02T16:40:00Z"


class Place:
    """A memory and a user's home, and capture between them."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.memory = root / "memory"
        self.cache = root / "cache"
        self.home.mkdir(parents=True)
        self.memory.mkdir()
        self.folder = Folder(self.memory, "personal")  # as init leaves it, without the git repository
        self.open()

    def open(self) -> None:
        lock = WriteLock(self.memory / ".lock", 10)
        self.store = TurnStore(self.folder, "w0123456789ab", lock)
        maker = discover.load("index_backends", "embedded")
        self.index = Index(self.memory / ".index", maker, None, self.cache)

    def capture(self, *paths: Path, readers: list[Any] | None = None, **more: Any) -> CaptureReport:
        more.setdefault("screeners", ())
        screeners = more.pop("screeners")
        readers = readers or [claude.make(), codex.make()]
        return capture(readers, self.store, self.index, screeners, lambda: NOW, home=self.home, paths=paths, **more)

    def write(self, name: str, *records: dict[str, Any], mode: str = "w") -> Path:
        path = self.home / ".claude" / "projects" / "-w-app" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode, encoding="utf-8") as file:
            file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        return path

    def turns(self, session: str | None = None) -> list[Turn]:
        found = []
        for file in self.store.files():
            for item in self.store.read(file.path):
                assert not isinstance(item, Problem), item
                found.append(item[0])
        found.sort(key=lambda turn: (turn.session, turn.seq))
        return [turn for turn in found if session in (None, turn.session)]

    def bytes(self) -> dict[str, bytes]:
        turns = self.memory / "turns"
        return {str(path.relative_to(turns)): path.read_bytes() for path in turns.rglob("*") if path.is_file()}

    def found(self, words: str) -> list[str]:
        ranked = self.index.rankings(Search(words, ("words",), 50, filters=Filters()))["words"]
        return [row.doc for row in ranked]


def say(uuid: str, text: object, session: str = "s1", **more: object) -> dict[str, Any]:
    message = {"role": "user", "content": text}
    stamp = f"2026-01-01T00:00:{int(uuid.strip('abcdefgh-') or 0) % 60:02d}.000Z"
    return {"type": "user", "uuid": uuid, "sessionId": session, "timestamp": stamp, "message": message} | more
