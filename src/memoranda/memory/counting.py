"""What a text costs in tokens: by the embedder's own tokenizer where it has one on this disk, else by the estimate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable

from memoranda.model.errors import MemorandaError
from memoranda.model.settings import Settings
from memoranda.ports import discover
from memoranda.recall.tokens import estimate

if TYPE_CHECKING:
    from memoranda.recall import CoreBlock

#: The estimate is at least this part of what WordPiece counts: it gives a run of six letters, which can be six
#: tokens, 1.2 (recall/tokens.py). Below that no tokenizer need be loaded, which takes 0.2 s.
SURE = 6


def counter(settings: Settings) -> Callable[[str], int]:
    """The higher of the estimate and what the tokenizer says; the estimate alone without one."""
    if not settings.embedder:
        return estimate
    try:
        exact: Callable[[str], int] | None = getattr(discover.load("embedders", settings.embedder)(), "tokens", None)
        if exact is None:
            return estimate
        exact("ready")
    except MemorandaError:
        return estimate
    found = exact
    return lambda text: max(estimate(text), found(text))


def fitted(render: Callable[[Callable[[str], int]], CoreBlock], settings: Settings) -> CoreBlock:
    """The block that `render` makes with a count of tokens: by the estimate where even six times that fits, else
    counted."""
    block = render(estimate)
    if block.tokens * SURE <= block.budget and not any(name.endswith("(over budget)") for name in block.left_out):
        return block
    return render(counter(settings))
