"""Where the user's state of one memory lies. Loads nothing heavy, since the hook command needs it."""

from __future__ import annotations

import hashlib
import os


def state_folder(state: str, root: str) -> str:
    """The folder of the memory at `root`; it need not be there yet."""
    key = hashlib.sha256(os.path.realpath(root).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return os.path.join(state, "memories", key)
