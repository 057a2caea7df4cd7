"""What was put into each session's context unasked: a digest of it, and how many tokens that was in all.

One small file a session in the user's state, named by the hash of agent and session; it holds a digest and numbers,
never words. Losing it loses the count, and core is put in once more. Hooks start with this, so it loads little.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from typing import Iterator, Mapping, NamedTuple

from memoranda.memory import places

_MOST_LOG = 1 << 18


class Given(NamedTuple):
    """What one session was given: the digest of the core block it has ("" for none), and all tokens so far.

    `shown` are the ids of records that the automatic pass put before it.
    """

    agent: str
    session: str
    digest: str = ""
    tokens: int = 0
    times: int = 0
    at: int = 0
    shown: tuple[str, ...] = ()


def folder(variables: Mapping[str, str]) -> str:
    return os.path.join(places.state(variables), "hooks")


def given(variables: Mapping[str, str], agent: str, session: str) -> Given | None:
    """What is known of a session, None for nothing."""
    return _read(_path(variables, agent, session))


def give(variables: Mapping[str, str], now: Given) -> bool:
    """Keep what a session was given; False when it could not be written."""
    path = _path(variables, now.agent, now.session)
    temp = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        with open(os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump(now._replace(at=int(time.time()))._asdict(), file)
        os.replace(temp, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temp)
        return False
    return True


def all_given(variables: Mapping[str, str]) -> Iterator[Given]:
    """Every session that was given something, in no order."""
    try:
        names = os.listdir(os.path.join(folder(variables), "sessions"))
    except OSError:
        return
    for name in names:
        found = _read(os.path.join(folder(variables), "sessions", name))
        if found is not None:
            yield found


def log(variables: Mapping[str, str], line: str) -> None:
    """One line into the log of hooks; what cannot be written is not."""
    path = os.path.join(folder(variables), "hooks.log")
    try:
        if not os.path.isdir(folder(variables)):
            os.mkdir(folder(variables), 0o700)  # and nothing above it: where nothing of ours is, nothing is made
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        if os.path.exists(path) and os.path.getsize(path) > _MOST_LOG:
            flags |= os.O_TRUNC
        fd = os.open(path, flags, 0o600)
        os.write(fd, f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {line}\n".encode("utf-8", "replace"))
        os.close(fd)
    except OSError:
        return


def _path(variables: Mapping[str, str], agent: str, session: str) -> str:
    key = hashlib.sha256(f"{agent}/{session}".encode("utf-8", "backslashreplace")).hexdigest()[:16]
    return os.path.join(folder(variables), "sessions", f"{key}.json")


def _read(path: str) -> Given | None:
    try:
        with open(path, "rb") as file:
            row = json.load(file)
        agent, session, digest = (str(row[key]) for key in ("agent", "session", "digest"))
        tokens, times, at = (int(row[key]) for key in ("tokens", "times", "at"))
        return Given(agent, session, digest, tokens, times, at, tuple(map(str, row["shown"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None
