"""Reads the words of a picture, with the small PP-OCRv6 models that come inside the rapidocr package."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

from memoranda.builtin.media.need import need, version

Found = list[tuple[str, tuple[int, int, int, int]]]


def stamp() -> str:
    """Package, version and models, "none" where it is not installed."""
    return f"rapidocr {version('rapidocr')} PP-OCRv6 small, upright" if find_spec("rapidocr") else "none"


def read(image: Any) -> Found:
    """Lines of an RGB `PIL.Image` with x, y, width and height in its pixels, top to bottom. Raises `Unavailable`."""
    import numpy

    result = _engine()(numpy.asarray(image)[:, :, ::-1])  # the engine takes BGR
    if result is None or result.boxes is None or result.txts is None:
        return []
    lines = []
    for corners, text in zip(result.boxes, result.txts, strict=False):
        xs, ys = [float(point[0]) for point in corners], [float(point[1]) for point in corners]
        x, y = max(0, int(min(xs))), max(0, int(min(ys)))
        right, low = min(image.width, int(max(xs)) + 1), min(image.height, int(max(ys)) + 1)
        if text.strip() and right > x and low > y:
            lines.append((" ".join(text.split()), (x, y, right - x, low - y)))
    return lines


@cache
def _engine() -> Any:
    need("image/*", ("rapidocr", "cv2"), "ocr")
    import logging

    logging.disable(logging.CRITICAL)
    from rapidocr import RapidOCR

    # Whether a line stands on its head is not asked: the small model for it turned long upright lines over.
    # One line at a time: six at once were no quicker on two cores and took 80 MB more.
    return RapidOCR(params={"Global.use_cls": False, "Rec.rec_batch_num": 1})
