"""The one place that reads the environment and the user's settings file.

Order: environment over file over defaults. The file is `$XDG_CONFIG_HOME/memoranda/settings.toml` (or
`MEMORANDA_SETTINGS`); it belongs to the user and is the only file that may choose plug-ins. A memory's own
memory.toml is never read here.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Mapping

from memoranda.model.errors import Invalid
from memoranda.model.settings import Settings

_NUMBERS = ("embed_seconds", "core_tokens", "lock_seconds")
_TEXTS = ("embedder", "backend", "classifier")


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from `environ` (default: the process's). Raises `Invalid` naming file or variable and the mend."""
    env = dict(os.environ if environ is None else environ)
    user = Path(env.get("HOME") or env.get("USERPROFILE") or Path.home())
    file = Path(env.get("MEMORANDA_SETTINGS") or _folder(env, user, "XDG_CONFIG_HOME", ".config") / "settings.toml")
    chosen = _read(file)
    for name in (*_TEXTS, *_NUMBERS):
        value = env.get(f"MEMORANDA_{name.upper()}")
        if value is not None:
            chosen[name] = value
    return Settings(
        home=Path(env.get("MEMORANDA_HOME") or user / ".memoranda").expanduser(),
        state=Path(env.get("MEMORANDA_STATE") or _folder(env, user, "XDG_STATE_HOME", ".local/state")),
        cache=Path(env.get("MEMORANDA_CACHE") or _folder(env, user, "XDG_CACHE_HOME", ".cache")),
        user_home=user,
        commit=_flag(chosen.get("commit", True)),
        variables=env,
        **_typed(chosen, file),
    )


def _folder(env: Mapping[str, str], user: Path, variable: str, fallback: str) -> Path:
    """A folder of the XDG base directory specification; a relative value is ignored, as it says."""
    named = env.get(variable, "")
    if not named and sys.platform == "win32":  # not run on Windows yet, see docs/limits.md
        return Path(env.get("LOCALAPPDATA") or user) / "memoranda"
    return (Path(named) if Path(named).is_absolute() else user / fallback) / "memoranda"


def _read(file: Path) -> dict[str, Any]:
    try:
        data = file.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Invalid(f"{file}: {error.strerror}", "make the settings file readable") from None
    import tomllib  # most users have no such file

    try:
        return tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Invalid(f"{file}: {error}", "mend or remove the settings file") from None


def _typed(chosen: Mapping[str, Any], file: Path) -> dict[str, Any]:
    typed: dict[str, Any] = {name: str(chosen[name]) for name in _TEXTS if name in chosen}
    for name in _NUMBERS:
        if name not in chosen:
            continue
        try:
            number = float(chosen[name])
        except (TypeError, ValueError):
            number = -1.0
        if not 0 <= number < 1e9:
            raise Invalid(
                f"setting {name!r} must be a number of zero or more, not {chosen[name]!r}", f"see {file} or MEMORANDA_*"
            )
        typed[name] = int(number) if name == "core_tokens" else number
    return typed


def _flag(value: Any) -> bool:
    return str(value).lower() not in ("0", "false", "no", "off")
