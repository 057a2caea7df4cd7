"""A plug-in that fails in the worst way."""

from __future__ import annotations

from typing import Sequence

from memoranda.model.outcome import Finding


class Leaky:
    """A screener that quotes what it looks at when it fails."""

    rules = "leaky 1"

    def look(self, texts: Sequence[str]) -> Sequence[Sequence[Finding]]:
        raise ValueError(f"cannot read {texts[0]}")
