"""Builds the argument parser from the operation table. Errors become `Invalid`, so that they leave like any other."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn, Sequence

from memoranda.model.errors import Invalid
from memoranda.views.operations import EXIT_CODES, GLOBALS, GROUPS, OPERATIONS, Argument, Operation, operation

_SHORT = {"--memory": "-C", "--quiet": "-q", "--verbose": "-v", "--version": "-V", "--limit": "-n"}


class _Parser(argparse.ArgumentParser):
    def _get_formatter(self) -> argparse.HelpFormatter:
        """argparse makes one for each argument, to look at its form, and for the terminal's width takes in `shutil`
        with three compressors: 7 ms. Our help is drawn by `shell.py`."""
        return argparse.HelpFormatter(self.prog, width=80)

    def error(self, message: str) -> NoReturn:
        command = self.prog.partition(" ")[2]
        raise Invalid(message, f"see: memoranda help {command}".rstrip())


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments as a namespace: `command` ("" for none), the globals, and the command's own.

    Raises `Invalid`. `--help` sets `command` to "help" and `topic` to the command it stood beside.
    """
    command = _command(argv)
    if command and operation(command) is None:
        import difflib

        close = difflib.get_close_matches(command, [op.command for op in OPERATIONS], 1, 0.6)
        hint = f"did you mean: memoranda {close[0]}" if close else "see: memoranda help"
        raise Invalid(f"there is no command {command!r}", hint)
    found = operation(command) if command else None
    parser = _Parser(prog=f"memoranda {command}".rstrip(), add_help=False, allow_abbrev=False)
    for argument in GLOBALS:
        _add(parser, argument)
    parser.add_argument("-h", "--help", action="store_true")
    if found is None:
        args = parser.parse_args(list(argv))
        args.command = "help" if args.help else ""
        args.topic = None
        return args
    rest = list(argv)
    if {"-h", "--help"} & set(rest[: rest.index("--")] if "--" in rest else rest):
        return _help(command)
    parser.add_argument("command", choices=[command], help=argparse.SUPPRESS)
    for argument in found.arguments:
        _add(parser, argument)
    return parser.parse_intermixed_args(rest)


def usage(op: Operation) -> str:
    """The first line of a command's help."""
    parts = ["memoranda", op.command]
    for argument in op.arguments:
        if not argument.name.startswith("-"):
            name = argument.metavar or argument.name.upper()
            name += "..." if argument.kind in ("many", "words") else ""
            parts.append(f"[{name}]" if argument.optional else name)
    if any(argument.name.startswith("-") for argument in op.arguments):
        parts.append("[options]")
    return " ".join(parts)


def option(argument: Argument) -> str:
    """An argument as help shows it: `-n, --limit N`."""
    name = argument.name
    if not name.startswith("-"):
        return argument.metavar or name.upper()
    name = f"{_SHORT[name]}, {name}" if name in _SHORT else name
    if argument.kind == "flag":
        return name
    value = "{" + ",".join(argument.choices) + "}" if argument.choices else argument.metavar
    return f"{name} {value or {'number': 'N', 'seconds': 'S'}.get(argument.kind, 'VALUE')}"


def help_text(command: str | None) -> str:
    """The help of one command, or of all. Raises `Invalid` for an unknown one."""
    if not command:
        return _overview()
    op = operation(command)
    if op is None:
        raise Invalid(f"there is no command {command!r}", "see: memoranda help")
    lines = [*(f"  {example}" for example in op.examples), "", f"usage: {usage(op)}", "", *_fold(op.about, 2, 88), ""]
    for argument in op.arguments:
        lines += _row(option(argument), argument.help + _default(argument))
    if op.no:
        lines += ["", f"exit code 1: {op.no}"]
    return "\n".join([*lines, "", "global options: memoranda help"]) + "\n"


def _overview() -> str:
    lines = ["memory for AI agents that a person can read, audit and trust", ""]
    lines += ["usage: memoranda [global options] COMMAND ...", ""]
    for group, title in GROUPS.items():
        lines.append(f"{title}:")
        for op in OPERATIONS:
            if op.group == group:
                lines.append(f"  {op.command:<12}{op.summary}")
        lines.append("")
    lines.append("global options (before or after the command):")
    for argument in GLOBALS:
        lines += _row(option(argument), argument.help)
    lines += ["", "exit codes: " + ", ".join(f"{code} {word}" for code, word, _ in EXIT_CODES)]
    lines += ["", "memoranda alone shows how things stand and the next step"]
    return "\n".join(lines) + "\n"


def _command(argv: Sequence[str]) -> str:
    """The first word that is neither a global option nor the value of one."""
    values = {"-C", *(a.name for a in GLOBALS if a.kind == "word")}
    skip = False
    for word in argv:
        if skip or word.startswith("-"):
            skip = not skip and word in values
            continue
        return word
    return ""


def _help(command: str) -> argparse.Namespace:
    return argparse.Namespace(
        command="help", topic=command, memory=None, project=False, json=False, color="auto", quiet=False,
        verbose=False, version=False, help=True,
    )  # fmt: skip


def _add(parser: argparse.ArgumentParser, argument: Argument) -> None:
    names = [_SHORT[argument.name]] if argument.name in _SHORT else []
    names.append(argument.name)
    settings: dict[str, Any] = {}
    if argument.kind == "flag":
        parser.add_argument(*names, action="store_true")
        return
    if argument.choices:
        settings["choices"] = argument.choices
    positional = not argument.name.startswith("-")
    if argument.kind == "number":
        settings["type"] = _whole
    elif argument.kind == "seconds":
        settings["type"] = _seconds
    if positional:
        if argument.kind == "words":
            settings["nargs"] = "+"
        elif argument.kind == "many":
            settings["nargs"] = "*"
        elif argument.optional:
            settings["nargs"] = "?"
        settings["metavar"] = argument.metavar or argument.name.upper()
    else:
        if argument.kind == "many":
            settings["action"] = "append"
        settings["default"] = argument.default
        settings["metavar"] = argument.metavar or None
    parser.add_argument(*names, **settings)


def _whole(text: str) -> int:
    value = int(text)
    if not 0 <= value <= 1_000_000:
        raise ValueError
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1e9:
        raise ValueError
    return value


_whole.__name__ = "whole number"
_seconds.__name__ = "number of seconds"


def _default(argument: Argument) -> str:
    return f" (default {argument.default})" if argument.default not in (None, "") else ""


def _row(left: str, right: str) -> list[str]:
    folded = _fold(right, 28, 88)
    if len(left) > 24:
        return [f"  {left}", *folded]
    return [f"  {left:<26}{folded[0].lstrip()}", *folded[1:]]


def _fold(text: str, indent: int, width: int) -> list[str]:
    lines, line = [], ""
    for word in text.split():
        if line and indent + len(line) + 1 + len(word) > width:
            lines.append(" " * indent + line)
            line = word
        else:
            line = f"{line} {word}".lstrip()
    return [*lines, " " * indent + line]
