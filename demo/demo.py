"""An agent's past becomes a memory you can read: `make demo`.

Everything happens below .demo/ with a home folder of its own. The Claude Code histories are real, the one of Codex was
written for this demonstration (tests/fixtures/CREDITS.md), the project is a toy. Each step prints the command it runs;
a step that does not hold what it promises ends the demonstration with exit code 1.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import shutil
import string
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any, NoReturn

HERE = Path(__file__).resolve().parent
STAGE = HERE.parent / ".demo"
HOME = STAGE / "home"
HARBOR = STAGE / "harbor"
MEMORY = HOME / ".memoranda"
QUESTION = "why did we leave the streaming parser"
COLOUR = sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def main() -> None:
    began = time.monotonic()
    set_the_stage()
    capture()
    recall()
    supersede()
    go_stale()
    refuse()
    look_at_files()
    rebuild()
    title(f"Done in {time.monotonic() - began:.0f} seconds. The memory is still there: {shown(MEMORY)}")


def set_the_stage() -> None:
    shutil.rmtree(STAGE, ignore_errors=True)
    shutil.copytree(HERE / "histories", HOME)
    shutil.copytree(HERE / "project", HARBOR, ignore=shutil.ignore_patterns("__pycache__"))
    for command in ("init -q .", "add .", "commit -q -m harbor"):
        run(["git", *command.split()], quiet=True)


def capture() -> None:
    title("1  Make a memory and take in what agents wrote down")
    say("A home folder with the histories of Claude Code and Codex, as they lie on a developer's machine.")
    memoranda("init")
    memoranda("capture")
    say("Everything can be found by words at once. The rest gets its vectors now:")
    memoranda("embed")
    if ask("status")["turns"] < 20:
        fail("capture took in too little")


def recall() -> None:
    title("2  Ask, and read the words that were said")
    memoranda("recall", QUESTION, "--limit", "2")
    said = ask("recall", QUESTION)["said"]
    if not any("streaming parser" in hit["text"] for hit in said):
        fail("the passage was not found")
    say("The line under a passage opens the turns around it. It works as printed:")
    memoranda("get", said[0]["locator"], "--before", "1", "--after", "1")


def supersede() -> None:
    title("3  Keep a preference, and change your mind")
    memoranda("remember", "I prefer no deploys on Fridays", "--category", "preference")
    old = concluded("deploys on Fridays")["record"]["id"]
    new = "Deploys are fine on any weekday now: rollback is automatic"
    memoranda("remember", new, "--category", "preference", "--supersedes", old)
    say("The old record stays on disk; recall gives the new one, history gives both.")
    memoranda("history", old)
    if concluded("may we deploy on Fridays")["record"]["body"] != new:
        fail("the correction did not win")


def go_stale() -> None:
    title("4  Rest a fact on the code, change the code, and see it go stale")
    fact = "The manifest import refuses files over 200 MB"
    memoranda("remember", fact, "--category", "constraint", "--anchor", "manifest/whole.py#L6")
    memoranda("recall", "how large may a manifest be", "--kind", "record", "--limit", "1")
    code = HARBOR / "manifest" / "whole.py"
    code.write_text(code.read_text().replace("200_000_000", "500_000_000"))
    run(["git", "diff", "-U0", "--", "manifest/whole.py"])
    memoranda("recall", "how large may a manifest be", "--kind", "record", "--limit", "1")
    if "stale" not in concluded("how large may a manifest be")["states"]:
        fail("the record should be stale")


def refuse() -> None:
    title("5  A secret is refused, and nothing is written")
    token = fake_token()
    memoranda("remember", f"the deploy token is {token}", expect=1, hide=token)
    found = [p for p in STAGE.rglob("*") if p.is_file() and token.encode() in p.read_bytes()]
    say(f"files below {shown(STAGE)} that contain it: {len(found)}")
    if found:
        fail("the secret reached the disk")


def look_at_files() -> None:
    title("6  The memory is a folder of plain files")
    prompt("find .memoranda -type f", HOME)
    for path in sorted(MEMORY.rglob("*")):
        inside = path.relative_to(MEMORY)
        if path.is_file() and not any(part in (".git", ".index") for part in inside.parts):
            print(f"  .memoranda/{inside}")
    record = next(MEMORY.glob("records/*/*/*deploys-are-fine*"))
    prompt(f"cat .memoranda/{record.relative_to(MEMORY)}", HOME)
    print(record.read_text(encoding="utf-8"), end="")


def rebuild() -> None:
    title("7  Delete the index, build it again, ask again")
    say("The records of steps 3 and 4 are found by words so far; they get their vectors first.")
    memoranda("embed")
    before = ask("recall", QUESTION)
    prompt("rm -r .memoranda/.index", HOME)
    shutil.rmtree(MEMORY / ".index")
    memoranda("reindex")
    after = ask("recall", QUESTION)
    different = [part for part in after if part != "index" and before[part] != after[part]]
    if different:
        fail(f"the answer is not the same: {', '.join(different)}")
    say(f"The same answer, equal in every byte: {len(after['said'])} passages, {len(json.dumps(after)):,} characters.")


# -- how the steps are run and shown


def memoranda(*words: str, expect: int = 0, hide: str = "") -> None:
    """Run one command for all to see."""
    run(["memoranda", *words], expect=expect, hide=hide)


def ask(*words: str) -> Any:
    """Run one command unseen; what its JSON document holds as data."""
    done = subprocess.run(
        [program("memoranda"), "--json", *words], cwd=HARBOR, env=environment(), stdout=subprocess.PIPE, check=False
    )
    return json.loads(done.stdout)["data"]


def concluded(question: str) -> Any:
    """The first record of an answer."""
    found = ask("recall", question)["concluded"]
    return found[0] if found else fail(f"no record answers {question!r}")


def run(words: list[str], expect: int = 0, hide: str = "", quiet: bool = False) -> None:
    if not quiet:
        line = shlex.join(words)
        prompt(line.replace(hide, hide[:7] + "…") if hide else line, HARBOR)
    done = subprocess.run([program(words[0]), *words[1:]], cwd=HARBOR, env=environment(), check=False)
    if done.returncode != expect:
        fail(f"{words[0]} {words[1]} exited with {done.returncode}, not {expect}")


def program(name: str) -> str:
    """The console script beside this Python first, so that the demonstration shows this installation."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else name


def environment() -> dict[str, str]:
    """This environment with a home of its own, and without what would lead out of it."""
    hidden = ("MEMORANDA", "XDG_", "GIT_", "CLAUDE_CONFIG_DIR", "CODEX_HOME")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    git = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_PAGER": "cat"}
    for who in ("AUTHOR", "COMMITTER"):
        git |= {f"GIT_{who}_NAME": "harbor", f"GIT_{who}_EMAIL": "harbor@example.org"}
    return {**kept, **git, "HOME": str(HOME)}


def fake_token() -> str:
    """A token that nobody owns, in the form of a real one: random, with the checksum that form has."""
    alphabet = string.digits + string.ascii_uppercase + string.ascii_lowercase
    body = "".join(secrets.choice(alphabet) for _ in range(30))
    rest, check = zlib.crc32(body.encode()), ""
    for _ in range(6):
        rest, digit = divmod(rest, 62)
        check = alphabet[digit] + check
    return f"ghp_{body}{check}"


def title(text: str) -> None:
    print(f"\n\n\x1b[1m{text}\x1b[0m" if COLOUR else f"\n\n{text}", flush=True)
    print("─" * min(len(text), 78), flush=True)


def say(text: str) -> None:
    print(f"\n{text}", flush=True)


def prompt(command: str, folder: Path) -> None:
    place = "~" if folder == HOME else folder.name
    print(f"\n\x1b[2m{place} $\x1b[0m {command}" if COLOUR else f"\n{place} $ {command}", flush=True)


def shown(path: Path) -> str:
    return os.path.relpath(path, HERE.parent)


def fail(message: str) -> NoReturn:
    sys.stdout.flush()
    sys.exit(f"\nthe demonstration failed: {message}")


if __name__ == "__main__":
    main()
