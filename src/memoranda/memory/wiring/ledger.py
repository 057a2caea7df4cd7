"""What was put into whose settings, kept in the user's state: by it exactly that is taken out again.

One file, `agents.json`. It is written before the settings are: where a change was noted and not made, taking it out
finds nothing and changes nothing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Mapping

from memoranda.memory.wiring.edits import Piece
from memoranda.model.errors import Corrupt
from memoranda.model.values import dataclass
from memoranda.ports import Edit
from memoranda.truth.files import make_private_folder, replace

NAME = "agents.json"


@dataclass(frozen=True, slots=True)
class Put:
    """What stands in one file: each edit with its pieces, in order. `after` is the SHA-256 of the file's bytes then.

    `made` says that the file was not there before.
    """

    path: Path
    after: str
    made: bool
    edits: tuple[tuple[Edit, tuple[Piece, ...]], ...]


@dataclass(frozen=True, slots=True)
class Connected:
    """One agent that is connected, and what its user agreed to. `folders` were made for it."""

    core: bool
    recall: bool
    rules: bool
    puts: tuple[Put, ...]
    folders: tuple[str, ...] = ()


def load(state: Path) -> dict[str, Connected]:
    """Agents by name. Raises `Corrupt` when the file cannot be read as one: nothing is taken out by guess."""
    try:
        rows = json.loads((state / NAME).read_bytes())["agents"]
        return {name: _connected(row) for name, row in rows.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise Corrupt(
            f"{state / NAME} cannot be read", "restore it, or take out by hand what names memoranda, and delete it"
        ) from None


def save(state: Path, agents: Mapping[str, Connected]) -> None:
    """Raises `Unavailable`."""
    rows = {name: _row(connected) for name, connected in sorted(agents.items())}
    text = json.dumps({"format": 1, "agents": rows}, indent=1) + "\n"
    make_private_folder(state)
    replace(state, NAME, text.encode(), private=True)


def _row(connected: Connected) -> dict[str, Any]:
    files = []
    for put in connected.puts:
        edits = [
            {
                "form": edit.form,
                "place": list(edit.place),
                "value": edit.value,
                "append": edit.append,
                "pieces": [list(piece) for piece in pieces],
            }
            for edit, pieces in put.edits
        ]
        files.append({"path": str(put.path), "after": put.after, "made": put.made, "edits": edits})
    return {
        "core": connected.core,
        "recall": connected.recall,
        "rules": connected.rules,
        "files": files,
        "folders": list(connected.folders),
    }


def _connected(row: Mapping[str, Any]) -> Connected:
    puts = []
    for file in row["files"]:
        path = Path(file["path"])
        edits = tuple(
            (
                Edit(path, edit["form"], edit["value"], tuple(edit["place"]), edit["append"]),
                tuple(Piece(int(at), str(text)) for at, text in edit["pieces"]),
            )
            for edit in file["edits"]
        )
        puts.append(Put(path, file["after"], file["made"], edits))
    return Connected(row["core"], row["recall"], row["rules"], tuple(puts), tuple(row["folders"]))
