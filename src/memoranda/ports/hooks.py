"""What a dialect of hooks promises: one agent's words for what happens in it, in and out.

Apart from the other promises, since a hook has a tenth of a second: this loads nothing but `typing`.
"""

from __future__ import annotations

from typing import Any, Literal, Mapping, NamedTuple, Protocol

#: start: a session begins with an empty context. resume: it goes on, with what it had. compacted: the context was cut
#: and what was put in may be gone. prompt: a person asks. stop: the agent has answered. none: nothing for us.
Moment = Literal["start", "resume", "compacted", "prompt", "stop", "none"]


class Heard(NamedTuple):
    """What a hook was told, in our words; "" for what the agent does not say.

    `inner` says that it comes from a sub-agent, `headless` that no person is at this session. `can_say` says that
    what is answered at this event gets into the model's context.
    """

    moment: Moment
    session: str = ""
    transcript: str = ""
    cwd: str = ""
    prompt: str = ""
    inner: bool = False
    headless: bool = False
    can_say: bool = False


class HookDialect(Protocol):
    """How one agent tells its hooks what happened, and hears what they say. Never raises for odd data."""

    def hear(self, event: str, data: Mapping[str, Any], variables: Mapping[str, str]) -> Heard:
        """`event` is the agent's own word, as the hook was registered; `data` what came on standard input."""

    def say(self, event: str, text: str) -> str:
        """What to print so that the model gets `text`."""
