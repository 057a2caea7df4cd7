"""Turns: what was said, kept verbatim, one line each."""

from __future__ import annotations

from typing import Literal, get_args

from memoranda.model.values import dataclass

BlockType = Literal["text", "thinking", "tool_use", "tool_result"]
BLOCK_TYPES: tuple[str, ...] = get_args(BlockType)
#: Who speaks in the histories that are read.
ROLES = ("user", "assistant", "system", "tool")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a turn. `text` is exact but for the marked redactions and elisions.

    `marks` are words like "redacted:aws-access-token" or "elided:image/png", in the order they were made.
    """

    type: BlockType
    text: str
    tool: str | None = None
    tool_use_id: str | None = None
    marks: tuple[str, ...] = ()

    @property
    def form(self) -> bool:
        """True for what only a program reads (mark `item:<program>`): kept, and shown to nobody who did not ask."""
        return bool(self.marks) and any(mark.startswith("item:") for mark in self.marks)

    @property
    def searched(self) -> bool:
        """False for our own words coming back (`echo`) and for what only a program reads."""
        return not self.marks or not ("echo" in self.marks or self.form)


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of one session.

    `turn` is the harness's own id (or, where it has none, `<session>-<n>` with n counted by the reader); identity is
    (harness, session, turn), never the text. `seq` counts retained turns of a session from 0 and is set when the
    turn is stored (-1 before). `ts` is the transcript's time in UTC ("" when it has none), `captured` ours.
    `parent_session` links a sub-agent or fork to where it came from; `flags` are words like "meta", "summary",
    "sidechain", "echo".
    """

    session: str
    turn: str
    role: str
    harness: str
    blocks: tuple[Block, ...]
    ts: str = ""
    seq: int = -1
    cwd: str | None = None
    branch: str | None = None
    parent: str | None = None
    parent_session: str | None = None
    flags: tuple[str, ...] = ()
    captured: str = ""
    screened: str = ""
    extra: tuple[tuple[str, object], ...] = ()

    @property
    def text(self) -> str:
        """The stored text of all blocks joined by one newline: what a turn anchor is taken over."""
        return "\n".join(block.text for block in self.blocks)

    @property
    def words(self) -> str:
        """The same without what only a program reads, unless there is nothing else."""
        return "\n".join(block.text for block in self.blocks if not block.form) or self.text
