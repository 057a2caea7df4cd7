"""The one place that reads the environment and the user's settings file.

Order: environment over file over defaults. The file is `$XDG_CONFIG_HOME/memoranda/settings.toml` (or
`MEMORANDA_SETTINGS`); it belongs to the user and is the only file that may choose plug-ins. A memory's own
memory.toml is never read here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Mapping

from memoranda.memory import places
from memoranda.model.errors import Invalid
from memoranda.model.grant import Grant
from memoranda.model.settings import Settings

_NUMBERS = ("embed_seconds", "core_tokens", "pass_tokens", "lock_seconds", "evidence_days")
_TEXTS = ("embedder", "backend", "classifier")


def load(environ: Mapping[str, str] | None = None) -> Settings:
    """Settings from `environ` (default: the process's). Raises `Invalid` naming file or variable and the mend."""
    env = dict(os.environ if environ is None else environ)
    if not places.user(env):
        env["HOME"] = str(Path.home())
    file = Path(places.settings(env))
    chosen = _read(file)
    for name in (*_TEXTS, *_NUMBERS, "agents_promote"):
        value = env.get(f"MEMORANDA_{name.upper()}")
        if value is not None:
            chosen[name] = value
    return Settings(
        home=Path(places.home(env)),
        state=Path(places.state(env)),
        cache=Path(places.cache(env)),
        user_home=Path(places.user(env)),
        commit=_flag(chosen.get("commit", True)),
        agents_promote=_flag(chosen.get("agents_promote", False)),
        grants=_grants(chosen, file),
        embedders=_embedders(chosen, file, env),
        variables=env,
        **_typed(chosen, file),
    )


def table(name: str, environ: Mapping[str, str]) -> Any:
    """A table of the user's settings file that few commands need, as it stands there; None when there is none."""
    return _read(Path(places.settings(environ))).get(name)


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
        typed[name] = int(number) if name.endswith(("_tokens", "_days")) else number
    return typed


def _grants(chosen: Mapping[str, Any], file: Path) -> tuple[Grant, ...]:
    if "grants" not in chosen:
        return ()
    from memoranda.memory.grants import parse_grants  # most users have none

    return parse_grants(chosen["grants"], str(file))


def _embedders(chosen: Mapping[str, Any], file: Path, env: Mapping[str, str]) -> dict[str, str]:
    """The table `embedders`: the folder of a memory -> the model for it. The environment's choice is for all."""
    rows = chosen.get("embedders", {})
    if not isinstance(rows, dict) or not all(isinstance(name, str) for name in rows.values()):
        raise Invalid(f"{file}: embedders is no table of folders and names", '[embedders]\n"~/.memoranda" = "hub"')
    if "MEMORANDA_EMBEDDER" in env:
        return {}
    user = places.user(env)
    spelled = {folder: user + folder[1:] if folder.startswith("~/") else folder for folder in rows}
    return {os.path.realpath(spelled[folder]): name for folder, name in rows.items()}


def _flag(value: Any) -> bool:
    return str(value).lower() not in ("0", "false", "no", "off")
