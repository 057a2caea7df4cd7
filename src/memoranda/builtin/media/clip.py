"""Cuts a film: exactly the frames and samples of a range, decoded and encoded anew into an MP4 file."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from memoranda.model.errors import Invalid
from memoranda.model.evidence import Cut
from memoranda.model.fragment import MICRO, Span

_CLOCK = Fraction(1, 90_000)


def write_film(path: Path, span: Span, box: tuple[int, int, int, int] | None, offset: int, scratch: Path) -> Cut:
    """The frames that begin within the span, cropped to `box` (left, upper, right, lower), with their sound.

    `offset` (microseconds) is where the file's own clock begins. Reads from the key frame before the span to its end.
    """
    import av

    first = (span.start + offset) / MICRO
    last = None if span.end is None else (span.end + offset) / MICRO
    try:
        with av.open(str(path), metadata_errors="ignore") as source, av.open(str(scratch / "clip.mp4"), "w") as made:
            film = _Film(source, made, first, last, box)
            film.pictures()
            if source.streams.audio and box is None:
                film.sound()
            film.finish()
            if not film.count:
                raise Invalid("no frame begins within that range", "take a longer one")
    except av.FFmpegError:
        raise Invalid("that range cannot be decoded") from None
    facts = (("frames", str(film.count)), ("first", f"{film.times[0] - offset / MICRO:.6f}"),
             ("last", f"{film.times[1] - offset / MICRO:.6f}"), ("width", str(film.size[0])),
             ("height", str(film.size[1])))  # fmt: skip
    return Cut("clip.mp4", "video/mp4", facts)


class _Film:
    """One clip under way."""

    def __init__(self, source: Any, made: Any, first: float, last: float | None, box: Any) -> None:
        import av

        self.source, self.made, self.first, self.last, self.box = source, made, first, last, box
        stream = source.streams.video[0]
        width = (box[2] - box[0]) if box else stream.width
        height = (box[3] - box[1]) if box else stream.height
        self.size = (width, height)
        self.count, self.times = 0, (0.0, 0.0)
        even = width % 2 == 0 and height % 2 == 0
        self.film = made.add_stream("libx264", rate=stream.average_rate or 25, options={"crf": "18", "preset": "fast"})
        self.film.width, self.film.height = width, height
        self.film.pix_fmt = "yuv420p" if even else "yuv444p"  # half of an odd side is no number
        self.film.time_base = self.film.codec_context.time_base = _CLOCK
        self.audio = None
        if source.streams.audio and box is None:
            sound = source.streams.audio[0]
            self.audio = made.add_stream("aac", rate=sound.rate, layout="stereo" if sound.channels > 1 else "mono")
            self.resampler = av.AudioResampler(format="fltp", layout=self.audio.layout, rate=sound.rate)

    def _from(self, stream: Any, before: float) -> Any:
        at = max(0.0, self.first - before)
        self.source.seek(int(at * MICRO), backward=True)
        return self.source.decode(stream)

    def pictures(self) -> None:
        import av

        for frame in self._from(self.source.streams.video[0], 0.0):
            time = float(frame.time or 0.0)
            if time < self.first - 1e-6:
                continue
            if self.last is not None and time >= self.last - 1e-6:
                break
            image = frame.to_ndarray(format="rgb24")
            if self.box:
                left, upper, right, lower = self.box
                image = image[upper:lower, left:right].copy()
            fresh = av.VideoFrame.from_ndarray(image, format="rgb24")
            fresh.time_base, fresh.pts = _CLOCK, round((time - self.first) / _CLOCK)
            self.made.mux(self.film.encode(fresh))
            self.times = (self.times[0] if self.count else time, time)
            self.count += 1

    def sound(self) -> None:
        import av

        stream, audio = self.source.streams.audio[0], self.audio
        assert audio is not None
        rate, at = stream.rate, 0
        for frame in self._from(stream, 0.5):
            time = float(frame.time or 0.0)
            if self.last is not None and time >= self.last:
                break
            for made in self.resampler.resample(frame):
                samples = made.to_ndarray()
                low = max(0, round((self.first - time) * rate))
                high = samples.shape[1] if self.last is None else round((self.last - time) * rate)
                part = samples[:, low : min(high, samples.shape[1])]
                if part.shape[1] == 0:
                    continue
                fresh = av.AudioFrame.from_ndarray(part.copy(), format="fltp", layout=audio.layout.name)
                fresh.sample_rate, fresh.pts, fresh.time_base = rate, at, Fraction(1, rate)
                at += part.shape[1]
                self.made.mux(audio.encode(fresh))

    def finish(self) -> None:
        self.made.mux(self.film.encode(None))
        if self.audio is not None:
            self.made.mux(self.audio.encode(None))
