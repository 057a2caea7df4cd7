"""What holds for every test."""

from __future__ import annotations

import os
import signal

#: As `make test` does: no test may reach the hub. The library reads this when it is imported.
os.environ["HF_HUB_OFFLINE"] = "1"


def pytest_configure() -> None:
    """A shell that starts the suite in the background has it ignore Ctrl-C, and every program started from it would."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
