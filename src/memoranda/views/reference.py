"""Prints the reference of all commands as Markdown, for docs/reference/commands.md:

python -m memoranda.views.reference > docs/reference/commands.md
"""

from __future__ import annotations

import sys

from memoranda.views.commands.parser import option, usage
from memoranda.views.operations import EXIT_CODES, GLOBALS, GROUPS, OPERATIONS, Argument, Operation


def reference() -> str:
    """The page, made from the operation table alone."""
    lines = [
        "# Commands",
        "",
        "Made from the operation table by `python -m memoranda.views.reference`; do not edit.",
        "",
    ]
    lines += ["| command | SDK | changes something | what it does |", "|---|---|---|---|"]
    for op in OPERATIONS:
        sdk = f"`Memory.{op.name}`" if op.name else "-"
        lines.append(f"| [`{op.command}`](#{op.command}) | {sdk} | {'yes' if op.mutates else 'no'} | {op.summary} |")
    lines += ["", "Global options, before or after the command:", "", *_table(GLOBALS)]
    lines += ["", "| exit code | word | meaning |", "|---|---|---|"]
    lines += [f"| {code} | {word} | {meaning} |" for code, word, meaning in EXIT_CODES]
    for group, title in GROUPS.items():
        lines += ["", f"## To {title}" if group != "use" else f"## {title.capitalize()}"]
        for op in OPERATIONS:
            if op.group == group:
                lines += _section(op)
    return "\n".join(lines) + "\n"


def _section(op: Operation) -> list[str]:
    lines = ["", f"### {op.command}", "", op.about, "", "```", usage(op), "```", ""]
    lines += [*_table(op.arguments), ""] if op.arguments else []
    if op.no:
        lines += [f"Exit code 1: {op.no}.", ""]
    return [*lines, "Examples:", "", "```sh", *op.examples, "```"]


def _table(arguments: tuple[Argument, ...]) -> list[str]:
    rows = ["| argument | meaning |", "|---|---|"]
    for argument in arguments:
        default = f"; default {argument.default}" if argument.default not in (None, "") else ""
        rows.append(f"| `{option(argument).replace('|', chr(92) + '|')}` | {argument.help}{default} |")
    return rows


if __name__ == "__main__":
    sys.stdout.write(reference())
