"""Who speaks through a framework: always an agent, under the name its caller opened the memory with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memoranda.model.errors import Invalid
from memoranda.model.record import Channel

if TYPE_CHECKING:
    from memoranda.memory.memory import Memory


def agents_only(memory: Memory) -> Memory:
    """The memory, unless it is open as a person's: what a model says must not weigh as what a person says."""
    if memory.door.channel is Channel.DIRECT_SESSION:
        raise Invalid(
            "this memory is open with a person's voice",
            'open it as an agent: Memory.open(door=Door(Channel.AGENT, "its name"))',
        )
    return memory
