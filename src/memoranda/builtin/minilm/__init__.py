"""The default embedder: all-MiniLM-L6-v2, int8, 384 wide, 256 tokens, English. The files lie beside this module.

`model.json` is their card: names, hashes, and where the weights came from. The stamp is read from it; hashing the
model at every start would cost more than loading it.
"""

from __future__ import annotations

import json
from pathlib import Path

from memoranda.builtin.onnx_embedder import Habits, ModelFiles, OnnxEmbedder
from memoranda.model.errors import Unavailable

FOLDER = Path(__file__).parent


def make(folder: Path = FOLDER) -> OnnxEmbedder:
    """The embedder over the files in `folder`. Raises `Unavailable` when they are not (all) there."""
    files = ModelFiles(folder / "model.onnx", folder / "tokenizer.json")
    try:
        card = json.loads((folder / "model.json").read_bytes())
        stamp = f"{card['name']}/{card['variant']}/{card['files']['model.onnx'][:12]}"
        habits = Habits(window=card["window"], pooling="inside")
        dims = int(card["dims"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _missing("its card model.json") from error
    for path in (files.model, files.tokenizer):
        if not path.is_file():
            raise _missing(path.name)
    return OnnxEmbedder(stamp, dims, habits, lambda: files, files.tokenizer)


def _missing(what: str) -> Unavailable:
    hint = "in a checkout: make model; otherwise: pip install --force-reinstall memoranda"
    return Unavailable(f"the embedding model is not installed ({what} is missing or unreadable)", hint)
