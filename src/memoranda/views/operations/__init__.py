"""The one table of operations. Command line help, completion and `docs/reference/` are made from it.

It is data: it imports nothing of the SDK, so that the command line can start without it.
"""

from __future__ import annotations

from memoranda.views.operations.care import CARE
from memoranda.views.operations.everyday import EVERYDAY
from memoranda.views.operations.media import MEDIA
from memoranda.views.operations.serving import SERVING
from memoranda.views.operations.sharing import SHARING
from memoranda.views.operations.start import START
from memoranda.views.operations.table import Argument, Operation

__all__ = ["EXIT_CODES", "GLOBALS", "GROUPS", "OPERATIONS", "Argument", "Operation", "operation"]

OPERATIONS: tuple[Operation, ...] = START + EVERYDAY + MEDIA + CARE + SHARING + SERVING

GROUPS = {
    "start": "start",
    "use": "every day",
    "care": "look after",
    "share": "share with others",
    "serve": "serve programs",
}

GLOBALS: tuple[Argument, ...] = (
    Argument("--memory", "use the memory in this folder, or one published at this address", metavar="PLACE"),
    Argument("--project", "use the project memory of the repository you stand in", "flag"),
    Argument("--json", "print one JSON document", "flag"),
    Argument("--color", "colour the output", choices=("auto", "always", "never"), default="auto"),
    Argument("--quiet", "print no notices and no progress", "flag"),
    Argument("--verbose", "print more detail", "flag"),
    Argument("--version", "print name and version", "flag"),
)

EXIT_CODES: tuple[tuple[int, str, str], ...] = (
    (0, "done", "it was done; stored and known are 0"),
    (1, "no", "it was done and the answer is no: nothing recalled, refused, held, problems found"),
    (2, "invalid", "the request is wrong: an argument, a locator, a filter"),
    (3, "not_found", "the memory, record, session, turn or path is not there"),
    (4, "busy", "another process holds what is needed; try again"),
    (5, "conflict", "what is there contradicts the request"),
    (6, "unavailable", "something outside is missing: an extra, a model, a working file system"),
    (7, "corrupt", "stored bytes are damaged"),
    (70, "internal", "a fault of memoranda itself"),
    (130, "interrupted", "stopped by Ctrl-C; what was acknowledged is kept"),
)


def operation(command: str) -> Operation | None:
    """The operation behind a command, None when there is none."""
    return next((op for op in OPERATIONS if op.command == command), None)
