"""Processes that keep one conversation at once, one of them killed: every turn that was acknowledged is there, once."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import Callable

from memoranda import Memory
from memoranda.model.settings import Settings

TURNS = 40

CHILD = """
import sys
from pathlib import Path
from memoranda import Memory
from memoranda.model.record import Channel, Door
from memoranda.model.settings import Settings
from memoranda.model.turn import Block, Turn

home, cache, name, many = sys.argv[1:]
settings = Settings(home=Path(home) / ".memoranda", state=Path(home) / "state", cache=Path(cache),
                    user_home=Path(home), embedder="", commit=False, lock_seconds=120.0)
with Memory.open(settings=settings, door=Door(Channel.AGENT, name, "test")) as memory:
    for n in range(int(many)):
        memory.say([Turn("talk", f"{name}-{n}", "user", "mine", (Block("text", f"{name} said word{n}"),))])
        print(f"{name}-{n}", flush=True)
"""


def test_three_talk_in_one_session_and_one_of_them_is_killed(
    settings: Settings, open_as: Callable[..., Memory]
) -> None:
    memory = open_as()
    memory.say([])
    home, cache = str(settings.user_home), str(settings.cache)

    def child(name: str, many: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", CHILD, home, cache, name, str(many)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    doomed, others = child("doomed", 100_000), [child(name, TURNS) for name in ("ann", "bob")]
    assert doomed.stdout is not None
    told = [doomed.stdout.readline().strip() for _ in range(25)]
    doomed.send_signal(signal.SIGKILL)
    told += doomed.communicate(timeout=60)[0].split()
    for other in others:
        out, err = other.communicate(timeout=120)
        assert other.returncode == 0, err
        told += out.split()

    kept = [turn.turn for turn in memory.conversation("mine", "talk")]
    assert set(told) <= set(kept)
    assert len(set(kept)) == len(kept)
    assert len(set(kept) - set(told)) <= 1  # what was durable when it was killed and not yet told
    assert [turn.seq for turn in memory.conversation("mine", "talk")] == [*range(len(kept))]
    for name in ("ann", "bob"):
        assert f"{name}-{TURNS - 1}" in {said.turn for said in memory.recall(f"{name} word{TURNS - 1}").said}
    memory.reindex()
    assert [turn.turn for turn in memory.conversation("mine", "talk")] == kept
