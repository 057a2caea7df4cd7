"""Sessions that are made here, the same every time, in the shape of Claude Code's files.

About a quarter of their bytes are text that is kept (measured on real sessions: 28 %), with words of a Zipf-like
vocabulary and code-like tool output.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any, Sequence

TURN_BYTES = 4_000
#: The records of a round of work, and those of a short question.
ROUND, QUESTION = ("user", "assistant", "result", "progress"), ("user", "assistant")


class Words:
    """Text with the repetition of real text: few words often, many words seldom."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        letters = "etaoinshrdlucmfwypvbgkqjxz"
        self._known = [
            "".join(self.draw.choices(letters, weights=range(26, 0, -1), k=self.draw.randint(2, 11)))
            for _ in range(30_000)
        ]
        self._weights = [1 / (n + 3) for n in range(len(self._known))]
        self._drawn = self.draw.choices(self._known, self._weights, k=200_000)

    def text(self, length: int) -> str:
        at = self.draw.randrange(len(self._drawn) - length // 2)
        return " ".join(self._drawn[at : at + length // 6])

    def code(self, length: int) -> str:
        words = self.text(length).split(" ")
        lines = [
            f"{n:6d}\t    self.{words[n]}_{words[n + 1]}({words[n + 2]}={n}, path='src/{words[n + 3]}.py')"
            for n in range(0, len(words) - 4, 5)
        ]
        return "\n".join(lines)


def record(session: int, n: int, words: Words, kind: str) -> dict[str, Any]:
    uuid = f"{session:08x}-0000-4000-8000-{n:012x}"
    head = {
        "parentUuid": f"{session:08x}-0000-4000-8000-{n - 1:012x}",
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/dev/harbor",
        "sessionId": f"{session:08x}-0000-4000-8000-000000000000",
        "version": "2.1.42",
        "gitBranch": "main",
        "type": kind,
        "uuid": uuid,
        "timestamp": f"2026-05-{1 + session % 28:02d}T{n // 3600 % 24:02d}:{n // 60 % 60:02d}:{n % 60:02d}.000Z",
    }
    if kind == "progress":
        return head | {"data": {"type": "bash_progress", "output": words.code(TURN_BYTES)}}
    if kind == "result":
        output = words.code(TURN_BYTES)
        content = [{"type": "tool_result", "tool_use_id": f"toolu_{n - 1}", "content": output}]
        twice = {"stdout": output, "stderr": "", "original": output}  # the file says a result more than once
        return head | {"type": "user", "message": {"role": "user", "content": content}, "toolUseResult": twice}
    if kind == "assistant":
        call = {"command": words.text(200), "description": words.text(60)}
        blocks = [
            {"type": "text", "text": words.text(600)},
            {"type": "tool_use", "id": f"toolu_{n}", "name": "Bash", "input": call},
        ]
        usage = {"input_tokens": n, "output_tokens": 7, "cache_read_input_tokens": 1}
        return head | {"message": {"role": "assistant", "model": "m", "content": blocks, "usage": usage}}
    return head | {"message": {"role": "user", "content": words.text(300)}}


def session(root: Path, n: int, size: int, words: Words, kinds: Sequence[str] = ()) -> Path:
    """Write session `n` of about `size` bytes below `root/home`, and its path. `kinds` are the records of a round."""
    folder = root / "home" / ".claude" / "projects" / f"-home-dev-p{n % 40}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{n:08x}-0000-4000-8000-000000000000.jsonl"
    written = count = 0
    with path.open("w", encoding="utf-8") as file:
        while written < size:
            for kind in kinds or (ROUND if size > 10_000 else QUESTION):
                line = json.dumps(record(n, count, words, kind), separators=(",", ":")) + "\n"
                written += len(line)
                count += 1
                file.write(line)
    return path


def repeated(root: Path, megabytes: int, words: Words) -> Path:
    """One session of many megabytes, made quickly: it says the same every ten of them, in new records, and most of it
    is progress, so that a twentieth is text."""
    path = session(root, 0, 10_000_000, words, ("user", "assistant", "result", *["progress"] * 20))
    lines = path.read_bytes().splitlines(keepends=True)
    size = sum(map(len, lines))
    with path.open("ab") as file:
        for n in range(1, -(-megabytes * 1_000_000 // size)):
            file.writelines(line.replace(b'"uuid":"00000000-0000-', b'"uuid":"00000000-%04x-' % n) for line in lines)
    return path


def grow(path: Path, words: Words) -> None:
    """One more turn at the end of a session."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record(0, 10**6 + path.stat().st_size, words, "user")) + "\n")


def wide(path: Path, megabytes: int) -> None:
    """A line of many megabytes behind the others, and a turn behind it."""
    with path.open("a", encoding="utf-8") as file:
        file.write('{"type":"user","message":{"role":"user","content":"')
        for _ in range(megabytes):
            file.write("wide " * 200_000)
        file.write('"}}\n')
    grow(path, Words(11))
