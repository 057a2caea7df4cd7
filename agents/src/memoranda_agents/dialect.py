"""Hooks of most agents are one dialect with other names: one table an agent, read here.

JSON comes on standard input, JSON goes out (Claude Code's form, which Codex, Gemini CLI, Qwen Code, VS Code and others
read or imitate). Loads nothing heavy: it is on the way of every hook.
"""

from __future__ import annotations

import json
from typing import Any, Literal, Mapping, NamedTuple

from memoranda.ports.hooks import Heard, Moment
from memoranda_agents.headless import Signs, headless

#: How an answer is put: Claude's envelope, one key, or one key in snake case.
Form = Literal["envelope", "additionalContext", "additional_context"]


class Dialect(NamedTuple):
    """One agent's hooks. See `HookDialect` for the promises.

    `moments` are its events in our words; `speaks` those whose answer the model sees. The other fields name the keys
    of what it says; a key of `inner` that holds something says that a sub-agent is speaking.
    """

    moments: Mapping[str, Moment]
    speaks: frozenset[str]
    signs: Signs
    form: Form = "envelope"
    session: str = "session_id"
    transcript: str = "transcript_path"
    inner: tuple[str, ...] = ("agent_id", "parent_session_id")

    def hear(self, event: str, data: Mapping[str, Any], variables: Mapping[str, str]) -> Heard:
        moment = self.moments.get(event, "none")
        if moment == "start":
            moment = _START.get(_text(data, "source"), "start")
        inner = any(data.get(key) for key in self.inner)
        return Heard(
            moment,
            session=_text(data, self.session) or _text(data, "sessionId"),  # VS Code starts hooks of others
            transcript=_text(data, self.transcript),
            cwd=_text(data, "cwd"),
            prompt=_text(data, "prompt"),
            inner=inner,
            headless=not inner
            and moment != "none"
            and (data.get("headless") is True or headless(self.signs, variables)),
            can_say=event in self.speaks,
        )

    def say(self, event: str, text: str) -> str:
        if self.form == "envelope":
            answer: dict[str, Any] = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
        else:
            answer = {self.form: text}
        return json.dumps(answer)


#: What a session's start can be a start of. A fork has a copy of what was said, and so of what was put in.
_START: Mapping[str, Moment] = {"resume": "resume", "compact": "compacted", "fork": "resume"}


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""
