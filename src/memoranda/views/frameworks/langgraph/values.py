"""A value as the body of a record, and back, exactly.

`{"text": "…"}` is the sentence itself where that loses nothing, every other value one line of JSON. A body that is no
JSON object is such a sentence, so nothing needs to be told beside it.
"""

from __future__ import annotations

import json
import re
from typing import Any, Mapping
from unicodedata import is_normalized

_TEXT = "text"
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f]")


def written(value: Mapping[str, Any], beside: str = "") -> str:
    """The body for a value. `beside` is the body it replaces: two that differ in white space alone are made to differ
    in letters, since to a record they would say the same. Raises `ValueError` for what JSON cannot give back."""
    text = _sentence(value) or _json(value, ascii_only=False)
    if not _kept_as_it_is(text):
        text = _json(value, ascii_only=True)
    if text != beside and text.split() == beside.split():
        text = _json(value, ascii_only=True).replace(" ", "\\u0020")  # spaces stand only inside strings
    return text


def read(body: str) -> dict[str, Any]:
    """The value of a body."""
    found = _object(body)
    return {_TEXT: body} if found is None else found


def _sentence(value: Mapping[str, Any]) -> str:
    """The text of a value that is nothing but a text, "" where a record would not keep it or read it as it is."""
    text = value.get(_TEXT) if len(value) == 1 else None
    if not isinstance(text, str) or text != text.strip() or _object(text) is not None:
        return ""
    return text if _kept_as_it_is(text) and not _CONTROL.search(text) else ""


def _kept_as_it_is(text: str) -> bool:
    return is_normalized("NFC", text) and not _SURROGATE.search(text)


def _object(text: str) -> dict[str, Any] | None:
    if not text.startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _json(value: Mapping[str, Any], *, ascii_only: bool) -> str:
    try:
        text = json.dumps(dict(value), ensure_ascii=ascii_only, separators=(",", ":"), allow_nan=False)
        same = json.loads(text) == value
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"a value is kept as JSON, and this one cannot be: {type(error).__name__}") from error
    if not same:
        raise ValueError("a value is kept as JSON, and this one would not come back as it is (a tuple, or other keys)")
    return text
