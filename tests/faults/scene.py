"""One memory with its user's state in a folder of its own, copied from a template before each fault."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from support.doors import PERSON

from memoranda import Memory
from memoranda.model.record import Door
from memoranda.model.settings import Settings

TRUTH = ("core", "records", "held", "events", "turns")


def cache() -> Path:
    """Compiled screening rules, shared with the other tests: compiling them takes seconds."""
    import tempfile

    return Path(tempfile.gettempdir()) / f"memoranda-tests-{os.getuid()}"


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything of one user below `base`; nothing else on the machine is touched."""

    base: Path

    @property
    def root(self) -> Path:
        return self.base / "memory"

    def settings(self, **more: object) -> Settings:
        chosen: dict[str, object] = {"embedder": "", "lock_seconds": 20.0, **more}
        return Settings(
            home=self.root,
            state=self.base / "state",
            cache=cache(),
            user_home=self.base,
            variables={"HOME": str(self.base)},
            **chosen,  # type: ignore[arg-type]
        )

    def open(self, door: Door = PERSON, **more: object) -> Memory:
        return Memory.open(settings=self.settings(**more), door=door)

    def init(self, **more: object) -> Memory:
        return Memory.init(settings=self.settings(**more), door=PERSON)

    def restore(self, template: Scene) -> None:
        """Be as the template was. memory.toml is linked, so that this is the memory itself and no copy of it."""
        shutil.rmtree(self.base, ignore_errors=True)
        shutil.copytree(template.base, self.base, symlinks=True, copy_function=_copy)

    def truth(self) -> dict[str, bytes]:
        """path -> bytes of every file of the truth; files that are still being written are left out."""
        found = {}
        for name in TRUTH:
            for path in sorted((self.root / name).rglob("*")):
                if path.is_file() and not path.name.startswith(".tmp-"):
                    found[str(path.relative_to(self.root))] = path.read_bytes()
        return found

    def temps(self) -> list[str]:
        """Files whose writing was cut short and that nobody has put away."""
        found = (path.relative_to(self.root) for path in self.root.rglob(".tmp-*"))
        return sorted(str(path) for path in found if path.parts[0] not in ("lost+found", ".index", ".git"))


def _copy(source: str, target: str) -> None:
    if source.endswith("/memory.toml"):
        os.link(source, target)
    else:
        shutil.copy2(source, target)
