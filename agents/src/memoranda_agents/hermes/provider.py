"""The memory provider that Hermes loads: a file of its own that starts our hook command and imports nothing of ours."""

from __future__ import annotations

import json

from memoranda.ports import Wish

PLUGIN = """\
name: memoranda
version: 1.0.0
description: "memoranda: what is always in mind, and turns taken in as they are said."
"""

_TEXT = '''\
# Made by `memoranda connect`; `memoranda disconnect` takes it away.
"""memoranda for Hermes: puts the core block into the context and has turns taken in. Its tools come by MCP."""

import json
import os
import subprocess

from agent.memory_provider import MemoryProvider

COMMAND = %(command)s
WISHES = %(wishes)s


def ask(event, data, wishes):
    """What the hook command answers, "" for nothing, for a fault, and after three seconds."""
    command = [*COMMAND, "hook", "hermes", event, *wishes]
    try:
        done = subprocess.run(command, input=json.dumps(data).encode(), capture_output=True, timeout=3)
        return json.loads(done.stdout).get("additionalContext", "") if done.stdout else ""
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""


class Memoranda(MemoryProvider):
    name = "memoranda"
    session = ""
    inner = False

    def is_available(self):
        return os.access(COMMAND[0], os.X_OK)

    def initialize(self, session_id, **kwargs):
        self.session = session_id
        self.inner = kwargs.get("agent_context", "primary") != "primary"

    def on_session_switch(self, new_session_id, **kwargs):
        self.session = new_session_id

    def said(self, **more):
        return {"session_id": self.session, "cwd": os.getcwd(), "inner": self.inner, **more}

    def system_prompt_block(self):
        return ask("system", self.said(), WISHES) if WISHES else ""

    def prefetch(self, query, *, session_id=""):
        return ask("prompt", self.said(prompt=query), WISHES) if WISHES else ""

    def sync_turn(self, user_content, assistant_content, *, session_id="", messages=None):
        ask("turn", self.said(), [])

    def get_tool_schemas(self):
        return []


def register(ctx):
    ctx.register_memory_provider(Memoranda())
'''


def provider(wish: Wish) -> str:
    """The whole text of the provider. JSON arrays of strings are Python's too."""
    wishes = [flag for flag, on in (("--core", wish.core), ("--recall", wish.recall)) if on]
    return _TEXT % {"command": json.dumps(list(wish.command)), "wishes": json.dumps(wishes)}
