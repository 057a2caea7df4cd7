"""What holds for every test."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """A shell that starts the suite in the background has it ignore Ctrl-C, and every program started from it would."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
