"""How many tokens a text costs, estimated high and without a tokenizer, so that a budget is never exceeded."""

from __future__ import annotations

import math
import re

#: Letters a token for English prose and code come to 4.0 to 4.6 with the usual byte-pair vocabularies; 3.6 leaves
#: room for code and hashes.
_ASCII_PER_TOKEN = 3.6
_OTHER = re.compile(r"[^\x00-\x7f]+")


def estimate(text: str) -> int:
    """A token for every 3.6 ASCII characters, for every two of other alphabets, for every CJK one; two beyond."""
    if text.isascii():
        return math.ceil(len(text) / _ASCII_PER_TOKEN)
    others = "".join(_OTHER.findall(text))
    cost = (len(text) - len(others)) / _ASCII_PER_TOKEN
    for char in others:
        cost += 0.5 if char < "\u0e00" else 1.0 if char <= "\uffff" else 2.0
    return math.ceil(cost)
