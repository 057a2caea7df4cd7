"""Pictures: the words in them with their boxes, in pixels of the picture as it is seen (turned upright).

The size is taken from the header and bounded before a pixel is decoded; of moving pictures the first is read.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from memoranda.builtin.media import ocr
from memoranda.builtin.media.need import need, version
from memoranda.model.errors import Invalid
from memoranda.model.evidence import Cut, Extract, Segment
from memoranda.model.fragment import Box, Extent, Fragment, check_fragment

_TYPES = {
    "image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WEBP", "image/bmp": "BMP",
    "image/tiff": "TIFF",
}  # fmt: skip
MOST_PIXELS = 40_000_000


def make() -> Images:
    need("image/*", ("PIL",))
    need("image/*", ("rapidocr", "cv2"), "ocr")
    return Images()


class Images:
    """An `Extractor` of pictures."""

    @property
    def stamp(self) -> str:
        return f"images 1, pillow {version('pillow')}, {ocr.stamp()}"

    def claims(self, head: bytes, guess: str) -> str:
        return guess if guess in _TYPES else ""

    def extract(self, path: Path, media_type: str, scratch: Path) -> Extract:
        image, about = _upright(path, media_type)
        segments = tuple(Segment(text, Fragment(box=Box(*box))) for text, box in ocr.read(image))
        extent = Extent(width=image.width, height=image.height)
        return Extract(self.stamp, media_type, extent, segments, about=tuple(about))

    def cut(self, path: Path, media_type: str, fragment: Fragment, scratch: Path) -> Cut:
        if fragment.time is not None or fragment.page is not None or fragment.chars is not None:
            raise Invalid(f"#{fragment} cannot be cut out of a picture", "use xywh=")
        image, _ = _upright(path, media_type)
        check_fragment(fragment, Extent(width=image.width, height=image.height))
        if fragment.box is not None:
            image = image.crop(corners(fragment.box, image.width, image.height))
        image.save(scratch / "crop.png")
        return Cut("crop.png", "image/png", (("width", str(image.width)), ("height", str(image.height))))


def corners(box: Box, width: int, height: int) -> tuple[int, int, int, int]:
    """Left, upper, right, lower in pixels; percent are rounded outwards."""
    if not box.percent:
        return box.x, box.y, box.x + box.w, box.y + box.h
    right, low = -(-(box.x + box.w) * width // 100), -(-(box.y + box.h) * height // 100)
    return box.x * width // 100, box.y * height // 100, max(right, 1), max(low, 1)


def _upright(path: Path, media_type: str) -> tuple[Any, list[str]]:
    """The picture as RGB, turned as its header says, and the texts it carries beside."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS
    warnings.simplefilter("error")
    try:
        with Image.open(path, formats=[_TYPES.get(media_type, "PNG")]) as opened:
            if opened.width * opened.height > MOST_PIXELS:
                raise Invalid(f"a picture of {opened.width} x {opened.height} is too large", "make it smaller first")
            about = [str(value)[:10_000] for value in opened.info.values() if isinstance(value, str)]
            about += [str(value)[:10_000] for value in opened.getexif().values() if isinstance(value, str)]
            return ImageOps.exif_transpose(opened).convert("RGB"), about
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise Invalid("this picture is larger than it may be", "make it smaller first") from None
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Warning, OverflowError, MemoryError):
        raise Invalid("it is no picture that can be decoded") from None
