"""A real git repository whose files a test writes, commits, moves and branches."""

from __future__ import annotations

import subprocess
from pathlib import Path

_WHO = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]


class Repository:
    def __init__(self, top: Path) -> None:
        self.top = top
        top.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q")

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *_WHO, *words], cwd=self.top, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def write(self, path: str, text: str) -> Path:
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def commit(self, **files: str) -> str:
        """Commit everything, `files` (name without .py -> text) written before; the commit's name."""
        for name, text in files.items():
            self.write(f"{name}.py", text)
        self.git("add", "--all")
        self.git("commit", "-q", "--allow-empty", "-m", "x")
        return self.git("rev-parse", "HEAD")
