"""The command that was given, to be given again with something changed."""

from __future__ import annotations

import shlex
from typing import Collection, Mapping

from memoranda.views.commands.call import Call
from memoranda.views.operations import operation


def again(call: Call, name: str, change: Mapping[str, object] | None = None, leave: Collection[str] = ()) -> str:
    """The command with the options it was given, but for those in `leave` and with those in `change`, and without its
    text. Options that stand at their defaults are not repeated."""
    parts = [f"{call.me} {name}"]
    found = operation(name)
    for argument in found.arguments if found else ():
        option = argument.name
        if not option.startswith("-") or option in leave:
            continue
        value = (change or {}).get(option, getattr(call.args, option[2:].replace("-", "_"), None))
        if value is True:
            parts.append(option)
        elif value and value != argument.default:
            parts += [f"{option} {shlex.quote(str(v))}" for v in (value if isinstance(value, list) else [value])]
    return " ".join(parts)
