"""Many processes that capture and remember in one memory at once: everything is kept, indexed and found."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

from memoranda import Memory
from memoranda.model.index import Search
from memoranda.model.settings import Settings

CAPTURES, REMEMBERS, SESSIONS, TURNS = 8, 3, 6, 12

CHILD = """
import sys
from pathlib import Path
from memoranda import Memory
from memoranda.model.record import Channel, Door
from memoranda.model.settings import Settings
from memoranda.remember import capture as line

line.FLUSH_BYTES = 800  # dozens of steps, so that processes take turns
home, cache, histories, what = map(str, sys.argv[1:])
settings = Settings(home=Path(home) / ".memoranda", state=Path(home) / "state", cache=Path(cache),
                    user_home=Path(home), embedder="", commit=False, lock_seconds=120.0)
with Memory.open(settings=settings, door=Door(Channel.DIRECT_SESSION, "owner", "test")) as memory:
    if what == "capture":
        report = memory.capture([Path(histories)], embed_seconds=0)
        print(memory.status().index.note)
    else:
        for n in range(5):
            memory.remember(f"writer{what} settled matter{n} for good", category="decision")
            memory.recall(f"matter{n}", lexical=True)
        print(memory.status().index.note)
"""


def histories(folder: Path, name: str) -> None:
    folder.mkdir(parents=True)
    for s in range(SESSIONS):
        rows = [
            {
                "type": "user",
                "uuid": f"{name}-{s}-{t}",
                "sessionId": f"{name}-s{s}",
                "timestamp": f"2026-01-01T00:{t:02d}:00.000Z",
                "message": {"role": "user", "content": f"folder{name} session{s} turn{t} " + f"word{s * t} " * 20},
            }
            for t in range(TURNS)
        ]
        (folder / f"{name}-s{s}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a49_eight_captures_and_three_writers_at_once(settings: Settings, open_as: Callable[..., Memory]) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        for n in range(CAPTURES // 2):  # each folder is captured by two at once
            histories(Path(scratch) / str(n), str(n))
        memory = open_as()
        memory.remember("the very first statement")
        memory.recall("first", lexical=True)
        made = (memory.root / ".index" / "map.sqlite").stat().st_ino
        whats = [*["capture"] * CAPTURES, *map(str, range(REMEMBERS))]
        children = [
            subprocess.Popen(
                [
                    sys.executable,
                    "-c",
                    CHILD,
                    settings.user_home,
                    settings.cache,
                    f"{scratch}/{n % (CAPTURES // 2)}",
                    what,
                ],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for n, what in enumerate(whats)
        ]
        ended = [(child.communicate(), child.returncode) for child in children]
    assert [code for _, code in ended] == [0] * len(children), [err[-600:] for (_, err), code in ended if code]
    assert {out.strip() for (out, _), _ in ended} == {""}  # nobody met damage
    index = memory._store.index
    found = [
        {row.doc for row in index.rankings(Search(f"folder{n}", ("words",), 2 * SESSIONS * TURNS))["words"]}
        for n in range(CAPTURES // 2)
    ]
    assert [len(docs) for docs in found] == [SESSIONS * TURNS] * (CAPTURES // 2)  # before anything is taken in again
    assert len(index.notes("cursor/")) == CAPTURES // 2 * SESSIONS
    assert memory.recall("matter3 settled", lexical=True, limit=9).index.current
    assert len(memory.recall("matter3 settled", lexical=True, limit=9).concluded) >= REMEMBERS
    assert (memory.root / ".index" / "map.sqlite").stat().st_ino == made
    kept = [path.read_bytes().count(b"\n") for path in (memory.root / "turns").rglob("*.jsonl")]
    assert sum(kept) == CAPTURES // 2 * SESSIONS * TURNS
