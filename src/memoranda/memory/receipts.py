"""What this machine published where, noted after it landed: so that `status` can tell without asking anybody."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from memoranda.memory.store import Store
from memoranda.model.values import dataclass
from memoranda.truth.files import make_private_folder, replace
from memoranda.truth.places import state_folder

if TYPE_CHECKING:
    from memoranda.model.share import Pushed


@dataclass(frozen=True, slots=True)
class Receipt:
    """`ours` of what this memory holds is at the target, `held` stays here; rows of others count for nothing."""

    target: str
    at: str
    commit: str
    ours: int
    held: int


def write(store: Store, pushed: Pushed, now: str) -> None:
    """Note a push; the commit of the last one that wrote anything stays."""
    folder = _folder(store)
    make_private_folder(folder)
    before = next((receipt for receipt in read(store) if receipt.target == pushed.target), None)
    commit = pushed.commit or (before.commit if before else "")
    told = {
        "target": pushed.target,
        "at": now,
        "commit": commit,
        "ours": pushed.ours,
        "held": pushed.held_back,
    }
    replace(folder, f"{sha256(pushed.target.encode()).hexdigest()[:16]}.json", json.dumps(told).encode(), True)


def read(store: Store) -> tuple[Receipt, ...]:
    """Every receipt, by target. One that cannot be read is as good as none: the next push writes it anew."""
    found = []
    for path in sorted(_folder(store).glob("*.json")):
        try:
            found.append(Receipt(**json.loads(path.read_text())))
        except (OSError, ValueError, TypeError):
            continue
    return tuple(sorted(found, key=lambda receipt: receipt.target))


def _folder(store: Store) -> Path:
    return Path(state_folder(str(store.settings.state), str(store.folder.root))) / "pushed"
