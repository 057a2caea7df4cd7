"""An embedder whose model the user names and a model hub delivers: `embedder = "hub"` in the user's settings.

MEMORANDA_HUB_MODEL is one of the repositories below, MEMORANDA_HUB_REVISION the 40 hex digits of a commit, so that the
files cannot change under an index. They are fetched at the first text and kept in the hub client's own cache; with
HF_HUB_OFFLINE=1 only that cache is asked. Needs `pip install 'memoranda[hub]'`.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Mapping

from memoranda.builtin.onnx_embedder import Habits, ModelFiles, OnnxEmbedder
from memoranda.model.errors import Invalid, Unavailable
from memoranda.model.values import dataclass

MODEL = "MEMORANDA_HUB_MODEL"
REVISION = "MEMORANDA_HUB_REVISION"


@dataclass(frozen=True, slots=True)
class HubModel:
    """What a hub does not say in one place: which file, how wide, and what the model wants (from its model card)."""

    file: str
    dims: int
    habits: Habits


MODELS: Mapping[str, HubModel] = {
    "BAAI/bge-small-en-v1.5": HubModel(
        "onnx/model.onnx",
        384,
        Habits(512, "first", query_prefix="Represent this sentence for searching relevant passages: "),
    ),
    "intfloat/multilingual-e5-small": HubModel(
        "onnx/model.onnx",
        384,
        Habits(512, "mean", query_prefix="query: ", passage_prefix="passage: "),
    ),
}


def make(variables: Mapping[str, str] = os.environ) -> OnnxEmbedder:
    """The embedder the user's variables name; fetches nothing yet. Raises `Invalid` for an unknown model or a
    revision that is not a full commit id."""
    name, revision = variables.get(MODEL, ""), variables.get(REVISION, "")
    model = MODELS.get(name)
    if model is None:
        raise Invalid(f"{MODEL} names no known model: {name or 'it is not set'}", f"known: {', '.join(MODELS)}")
    if not re.fullmatch(r"[0-9a-f]{40}", revision):
        raise Invalid(f"{REVISION} must be a commit of {name}", "40 hex digits; a branch or tag may change")
    return OnnxEmbedder(
        f"{name}/{model.file}@{revision[:12]}",
        model.dims,
        model.habits,
        lambda: ModelFiles(_fetch(name, revision, model.file), _fetch(name, revision, "tokenizer.json")),
    )


def _fetch(name: str, revision: str, file: str) -> Path:
    try:
        from huggingface_hub import hf_hub_download
    except ImportError as error:
        raise Unavailable("a hub model needs huggingface_hub", "pip install 'memoranda[hub]'") from error
    try:
        return Path(hf_hub_download(name, file, revision=revision))
    # Its errors come from the hub, the network, the disk and its HTTP library, which has changed before.
    except Exception as error:
        hint = "fetch it once while online, or choose embedder = minilm"
        raise Unavailable(f"cannot get {file} of {name} at {revision[:12]}: {type(error).__name__}", hint) from error
