"""Where a user's folders are, from the environment alone. Loads nothing, since the hook command starts with it."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # `typing` itself takes longer to load than all of this
if TYPE_CHECKING:
    from typing import Mapping

#: The variables that say where things are. A program that is started for us elsewhere may need them repeated.
VARIABLES = ("MEMORANDA_HOME", "MEMORANDA_STATE", "MEMORANDA_CACHE", "MEMORANDA_SETTINGS")

#: A hook of an agent that a hook or `memoranda ask` started does nothing: nothing of ours goes round in circles.
HOOKS_OFF = "MEMORANDA_HOOK_OFF"


def user(env: Mapping[str, str]) -> str:
    """The user's home folder, "" when nothing names one."""
    return env.get("HOME") or env.get("USERPROFILE") or ""


def home(env: Mapping[str, str]) -> str:
    """The personal memory."""
    return os.path.expanduser(env.get("MEMORANDA_HOME") or os.path.join(user(env), ".memoranda"))


def state(env: Mapping[str, str]) -> str:
    """What is known of memories and agents outside every memory: writers, trust, wiring."""
    return env.get("MEMORANDA_STATE") or _folder(env, "XDG_STATE_HOME", ".local/state")


def cache(env: Mapping[str, str]) -> str:
    """What can be made again: vectors by content, compiled rules."""
    return env.get("MEMORANDA_CACHE") or _folder(env, "XDG_CACHE_HOME", ".cache")


def settings(env: Mapping[str, str]) -> str:
    """The user's settings file."""
    return env.get("MEMORANDA_SETTINGS") or os.path.join(_folder(env, "XDG_CONFIG_HOME", ".config"), "settings.toml")


def _folder(env: Mapping[str, str], variable: str, fallback: str) -> str:
    """A folder of the XDG base directory specification; a relative value is ignored, as it says."""
    named = env.get(variable, "")
    if not named and sys.platform == "win32":  # not run on Windows yet, see docs/limits.md
        return os.path.join(env.get("LOCALAPPDATA") or user(env), "memoranda")
    base = named if os.path.isabs(named) else os.path.join(user(env), fallback)
    return os.path.join(base, "memoranda")
