"""Programs of ours that agents load as plug-ins of their own: JavaScript that starts our hook command.

A plug-in knows nothing but how to ask: it hands on what happened and puts what comes back where the agent wants it.
"""

from __future__ import annotations

import json

from memoranda.ports import Wish

#: Asks the hook command and gives its text, "" when there is none, when it fails, and after three seconds.
_ASK = """\
import { spawn } from "node:child_process";

const COMMAND = %(command)s;
const WISHES = %(wishes)s;

function ask(event, data, wishes) {
  return new Promise((resolve) => {
    let out = "";
    const child = spawn(COMMAND[0], [...COMMAND.slice(1), "hook", "%(agent)s", event, ...wishes], {
      stdio: ["pipe", "pipe", "ignore"],
      timeout: 3000,
    });
    child.on("error", () => resolve(""));
    child.stdin.on("error", () => {});
    child.stdout.on("data", (part) => (out += part));
    child.on("close", () => {
      try {
        resolve(JSON.parse(out).additionalContext ?? "");
      } catch {
        resolve("");
      }
    });
    child.stdin.end(JSON.stringify(data));
  });
}
"""


def script(wish: Wish, agent: str, body: str) -> str:
    """The whole text of a plug-in. `body` uses `ask` and `WISHES`."""
    wishes = [flag for flag, on in (("--core", wish.core), ("--recall", wish.recall)) if on]
    head = "// Made by `memoranda connect`; `memoranda disconnect` takes it away.\n"
    ask = _ASK % {"command": json.dumps(list(wish.command)), "wishes": json.dumps(wishes), "agent": agent}
    return f"{head}{ask}\n{body}"
