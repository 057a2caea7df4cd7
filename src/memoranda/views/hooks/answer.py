"""What one hook does: hear, decide, say. The decision is here, the agent's words are its dialect's."""

from __future__ import annotations

import json
import os
import select
import sys
import time
from typing import TYPE_CHECKING, Any, Mapping

from memoranda.ports import discover

if TYPE_CHECKING:
    from memoranda.ports.hooks import Heard, HookDialect

#: A test's way to have a person where there is none.
HEADLESS = "MEMORANDA_HOOK_HEADLESS"
#: How long standard input may say nothing, and how much it may say.
STDIN_SECONDS, STDIN_BYTES = 0.3, 8 << 20


def answer(agent: str, event: str, wishes: frozenset[str], variables: Mapping[str, str]) -> str:
    """What to print, "" for nothing."""
    dialect: HookDialect = discover.load("hooks", agent)()
    heard = dialect.hear(event, _stdin(), variables)
    if heard.moment == "none" or heard.inner or (heard.headless and variables.get(HEADLESS) != "1"):
        return ""
    if heard.moment == "stop":
        from memoranda.views.hooks.worker import start

        start(agent, heard.transcript, variables)
        return ""
    text = _core(agent, heard, variables) if "--core" in wishes else ""
    if "--recall" in wishes and heard.moment == "prompt" and heard.can_say:
        from memoranda.views.hooks.passing import passing

        text = "\n".join(filter(None, (text, passing(agent, heard, variables))))
    return dialect.say(event, text) if text else ""


def _core(agent: str, heard: Heard, variables: Mapping[str, str]) -> str:
    """The core block where this session lacks it as it is now, "" where it does not."""
    from memoranda.memory.given import Given, give, given

    known = given(variables, agent, heard.session)
    before = known or Given(agent, heard.session)
    if not heard.can_say:
        if heard.moment == "compacted" and known:  # what was put in may be gone: the next prompt brings it again
            give(variables, before._replace(digest=""))
        return ""
    from memoranda.views.hooks.block import block

    text, tokens, digest = block(variables, heard.cwd)
    begins = heard.moment in ("start", "compacted")
    if not digest and (begins or not before.digest):  # nothing there, and nothing to take back
        return ""
    if not begins and digest == before.digest:
        return ""
    kept = give(variables, before._replace(digest=digest, tokens=before.tokens + tokens, times=before.times + 1))
    # A session of which nothing can be kept would be given core with every prompt: it has what it began with.
    return text if kept or begins else ""


def _stdin() -> dict[str, Any]:
    """The JSON object on standard input, {} for none. An input that stays open is not waited for."""
    data = b""
    try:
        fd = sys.stdin.fileno() if sys.stdin else -1
        if fd < 0 or os.isatty(fd):
            return {}
        end = time.monotonic() + STDIN_SECONDS
        while len(data) < STDIN_BYTES and (left := end - time.monotonic()) > 0:
            if os.name == "posix" and not select.select([fd], [], [], left)[0]:
                break
            more = os.read(fd, 1 << 16)
            data += more
            if not more or (data.rstrip()[-1:] == b"}" and _object(data) is not None):
                break
    except (OSError, ValueError):
        pass
    return _object(data) or {}


def _object(data: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
