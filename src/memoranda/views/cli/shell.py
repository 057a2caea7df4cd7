"""Commands that need no memory: help and completion."""

from __future__ import annotations

from memoranda.views.commands.call import Call
from memoranda.views.commands.parser import help_text
from memoranda.views.commands.reply import Reply
from memoranda.views.operations import GLOBALS, OPERATIONS, Operation
from memoranda.views.terminal import Page


def help_(call: Call) -> Reply:
    text = help_text(call.args.topic)
    return Reply("help", {"text": text}, lambda page: _verbatim(page, text))


def completion(call: Call) -> Reply:
    script = {"bash": bash, "zsh": zsh, "fish": fish}[call.args.shell]()
    return Reply("completion", {"script": script}, lambda page: _verbatim(page, script))


def bash() -> str:
    """A completion script for bash."""
    cases = "\n".join(f'    {op.command}) words="{" ".join([*_options(op), *_choices(op)])}" ;;' for op in OPERATIONS)
    return f"""# bash completion for memoranda
_memoranda() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" word command="" words=""
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case " {_commands()} " in *" $word "*) command="$word"; break ;; esac
  done
  case "$command" in
    "") words="{_commands()} {_globals()}" ;;
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _memoranda memoranda
"""


def zsh() -> str:
    """A completion script for zsh."""
    commands = "\n".join(f"    '{op.command}:{op.summary.replace(chr(39), '')}'" for op in OPERATIONS)
    cases = "\n".join(
        f"    {op.command}) compadd -- {' '.join([*_options(op), *_choices(op)])}; _files ;;" for op in OPERATIONS
    )
    return f"""#compdef memoranda
_memoranda() {{
  local -a commands
  commands=(
{commands}
  )
  local word command=""
  for word in ${{words[2,CURRENT-1]}}; do
    if (( ${{commands[(I)$word:*]}} )); then command=$word; break; fi
  done
  case $command in
    "") _describe command commands; compadd -- {_globals()} ;;
{cases}
  esac
}}
_memoranda "$@"
"""


def fish() -> str:
    """A completion script for fish."""
    lines = ["# fish completion for memoranda"]
    for op in OPERATIONS:
        summary = op.summary.replace("'", "")
        lines.append(f"complete -c memoranda -n __fish_use_subcommand -f -a {op.command} -d '{summary}'")
    for argument in GLOBALS:
        lines.append(f"complete -c memoranda -l {argument.name[2:]} -d '{argument.help}'")
    for op in OPERATIONS:
        seen = f"-n '__fish_seen_subcommand_from {op.command}'"
        for argument in op.arguments:
            choices = f" -a '{' '.join(argument.choices)}'" if argument.choices else ""
            if argument.name.startswith("-"):
                value = "" if argument.kind == "flag" else " -x" if argument.choices else " -r"
                about = argument.help.replace("'", "")
                lines.append(f"complete -c memoranda {seen} -l {argument.name[2:]}{value}{choices} -d '{about}'")
            elif choices:
                lines.append(f"complete -c memoranda {seen} -f{choices}")
    return "\n".join(lines) + "\n"


def _verbatim(page: Page, text: str) -> None:
    page.lines += text.rstrip("\n").split("\n")


def _commands() -> str:
    return " ".join(op.command for op in OPERATIONS)


def _globals() -> str:
    return " ".join(argument.name for argument in GLOBALS)


def _options(op: Operation) -> list[str]:
    return [argument.name for argument in op.arguments if argument.name.startswith("-")] + ["--json", "--help"]


def _choices(op: Operation) -> list[str]:
    if op.command == "help":
        return [other.command for other in OPERATIONS]
    return [choice for a in op.arguments if not a.name.startswith("-") for choice in a.choices]
