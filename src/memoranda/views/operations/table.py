"""What an operation and an argument are.

Named tuples, like all that the command line needs to start: making a dataclass costs half a millisecond and its
module ten.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

CATEGORIES = ("preference", "decision", "constraint", "goal", "reference", "summary", "note")
DURABILITIES = ("durable", "transient")
CONFIDENCES = ("high", "medium", "low")
ROLES = ("user", "assistant", "system", "tool")
TYPES = ("text", "thinking", "tool_use", "tool_result")
KINDS = ("record", "turn", "evidence")
SHELLS = ("bash", "zsh", "fish")

Kind = Literal["word", "words", "many", "flag", "number", "seconds"]


class Argument(NamedTuple):
    """One argument. Positional without leading dashes.

    `kind`: a word; `words` (positional, joined); `many` (an option that may be repeated, or a positional list); a
    flag; a whole number; seconds (a decimal number). `optional` is for positionals.
    """

    name: str
    help: str
    kind: Kind = "word"
    default: int | float | str | None = None
    choices: tuple[str, ...] = ()
    metavar: str = ""
    optional: bool = False


class Operation(NamedTuple):
    """One thing that can be done, under the same word at every door.

    `name` is the SDK method ("" where the command line alone has it), `command` the command. `no` says what exit
    code 1 means here ("" when it cannot happen). `group` orders the help.
    """

    name: str
    command: str
    summary: str
    about: str
    arguments: tuple[Argument, ...] = ()
    mutates: bool = False
    no: str = ""
    examples: tuple[str, ...] = ()
    group: str = "use"


ID = Argument("id", "a record id, or six or more of its hex digits", metavar="ID")
HARNESS = Argument("--harness", "only this agent's histories; may be repeated", "many", metavar="NAME")
