"""The user's settings, as one frozen value. Only `memory.settings` reads environment and files to make it."""

from __future__ import annotations

import os
from pathlib import Path

from memoranda.model.grant import Grant
from memoranda.model.values import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user chose. Nothing here ever comes from a memory's own memory.toml.

    `home` is the personal memory, `state` holds writers and trust, `cache` the vectors by content. `embedder` names
    an entry point of group memoranda.embedders ("" turns vectors off), `embedders` says which for single memories, by
    their folder; `backend` is one of memoranda.index_backends,
    `classifier` one of memoranda.classifiers ("" asks nobody).
    `embed_seconds` is the budget of one capture for embeddings, `core_tokens` that of the core block, `pass_tokens`
    that of what the automatic pass puts before a prompt, `lock_seconds`
    how long a bounded wait for the write lock lasts, `evidence_days` how long a window keeps evidence.
    `agents_promote` lets agents put records in core. `grants` say whose records are received, and what they may do.
    """

    home: Path
    state: Path
    cache: Path
    user_home: Path
    embedder: str = "minilm"
    backend: str = "embedded"
    classifier: str = ""
    embed_seconds: float = 5.0
    core_tokens: int = 1500
    pass_tokens: int = 400
    lock_seconds: float = 10.0
    evidence_days: int = 30
    commit: bool = True
    agents_promote: bool = False
    grants: tuple[Grant, ...] = ()
    embedders: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)

    def of(self, root: Path) -> Settings:
        """The settings as they are for the memory in this folder."""
        named = self.embedders.get(os.path.realpath(root))
        return self if named is None else replace(self, embedder=named)
