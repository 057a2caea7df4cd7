"""What evidence costs and how well it is read.

usage: evidence.py [--megabytes N] [--film-megabytes N] [--clips DIR] [--screens N] [--folder DIR] [--only NAME ...]

- store: a file of random bytes is hashed, then copied, hashed again and synced into a memory; megabytes a second.
- speech: word error rate and times real time over the clips of a folder (`*.wav`, `*.mp3` and `truth.json`, an object
  {"audio": {name: words}}); without one, over sentences spoken by espeak-ng. Words are compared in lower case without
  punctuation, hyphens read as spaces.
- screens: clean screenshots drawn with Pillow; the share of their words that are read.
- film: the most memory an extraction of a film of uncompressed pictures with sound takes, child and parent.

Each extraction runs behind its fences, with its start and its model's loading.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import sys
import tempfile
import time
import wave
from contextlib import suppress
from pathlib import Path
from typing import Callable, Iterator

from _report import report

from memoranda.extract import run
from memoranda.model.evidence import Exhibit, Retention
from memoranda.model.fragment import Extent
from memoranda.model.outcome import Screened
from memoranda.truth.evidence import EvidenceStore, fingerprint
from memoranda.truth.folder import Folder
from memoranda.truth.lock import WriteLock

#: Published word error rates of whisper tiny.en on LibriSpeech test-clean and test-other (Radford et al. 2022,
#: appendix D.1.1), the nearest to read speech.
PUBLISHED = (0.056, 0.146)
_SENTENCES = (
    "The harbour committee will meet on Thursday morning.",
    "Please move the blue boxes to the second floor.",
    "We decided to keep the old bridge until next summer.",
    "The train from the north arrives twenty minutes late.",
)
_VOCABULARY = """
build deploy branch merge error warning retry timeout window button cancel settings account invoice
total balance history search results filter export import network server client request response header token cache
memory record anchor evidence session version release notes changed removed added failed passed running queued
finished"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=1024)
    parser.add_argument("--film-megabytes", type=int, default=128)
    parser.add_argument("--clips", type=Path)
    parser.add_argument("--screens", type=int, default=5)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--only", nargs="*", default=["store", "speech", "screens", "film"])
    options = parser.parse_args()
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        parts: dict[str, Callable[[], Iterator[dict[str, object]]]] = {
            "store": lambda: store(Path(folder), options.megabytes),
            "speech": lambda: speech(Path(folder), options.clips),
            "screens": lambda: screens(Path(folder), options.screens),
            "film": lambda: film(Path(folder), options.film_megabytes),
        }
        for name in options.only:
            rows += parts[name]()
    report("evidence", rows)


def store(folder: Path, megabytes: int) -> Iterator[dict[str, object]]:
    source = folder / "random"
    block = os.urandom(1 << 20)
    with source.open("wb") as file:
        for n in range(megabytes):
            file.write(n.to_bytes(8, "big") + block[8:])
    kept = EvidenceStore(Folder.init(folder / "memory", "personal"), WriteLock(folder / "memory" / ".lock"))
    start, cpu = time.perf_counter(), time.process_time()
    sha256, size = fingerprint(source)
    hashed, hashed_cpu = time.perf_counter() - start, time.process_time() - cpu
    exhibit = Exhibit(sha256, size, "video/mp4", "random", "media", "", "2026-01-01T00:00:00Z", Retention.KEEP, "", "",
                      Extent())  # fmt: skip
    start, cpu = time.perf_counter(), time.process_time()
    kept.add(source, Screened(exhibit, "0"))
    stored, stored_cpu = time.perf_counter() - start, time.process_time() - cpu
    yield {
        "what": "hashing",
        "MB": megabytes,
        "MB/s": round(size / 1e6 / hashed),
        "MB/CPU s": round(size / 1e6 / hashed_cpu),
    }
    yield {"what": "hashing, copying, syncing", "MB": megabytes, "MB/s": round(size / 1e6 / stored),
           "MB/CPU s": round(size / 1e6 / stored_cpu)}  # fmt: skip
    yield {"what": "memory of it", "MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}


def speech(folder: Path, clips: Path | None) -> Iterator[dict[str, object]]:
    wrong = words = 0
    seconds = taken = 0.0
    truth = json.loads((clips / "truth.json").read_text())["audio"] if clips else spoken(folder)
    place = clips or folder
    for name, said in truth.items():
        found = [path for path in (place / name, place / "audio" / name) if path.is_file()]
        if not said or not found:
            continue
        reader = run.reader_for(found[0])
        start = time.perf_counter()
        extract, _ = run.extract(found[0], reader, run.limits_for(reader.media_type, found[0].stat().st_size))
        taken += time.perf_counter() - start
        seconds += extract.extent.micros / 1e6
        heard = " ".join(segment.text for segment in extract.segments)
        wrong += distance(plain(said), plain(heard))
        words += len(plain(said))
        print(f"{name}: {heard}", file=sys.stderr)
    if not words:
        print("no clip with known words was found", file=sys.stderr)
        return
    yield {"what": "speech", "clips": len(truth), "words": words, "WER": round(wrong / words, 3),
           "published": "{} to {}".format(*PUBLISHED), "x real time": round(seconds / taken, 1)}  # fmt: skip
    path = joined([p for name in truth for p in (place / name, place / "audio" / name) if p.is_file()], folder)
    reader = run.reader_for(path)
    start = time.perf_counter()
    extract, _ = run.extract(path, reader, run.limits_for(reader.media_type, path.stat().st_size))
    length, taken = extract.extent.micros / 1e6, time.perf_counter() - start
    yield {"what": "speech in one file", "clips": 1, "words": len(extract.segments), "seconds": round(length),
           "x real time": round(length / taken, 1)}  # fmt: skip


def joined(paths: list[Path], folder: Path) -> Path:
    """The clips one after another, again and again, as one WAV file of two minutes."""
    import av

    resampler = av.AudioResampler(format="s16", layout="mono", rate=16_000)
    data = b""
    for path in paths:
        with suppress(av.FFmpegError), av.open(str(path)) as container:
            for frame in container.decode(audio=0):
                data += b"".join(bytes(part.planes[0])[: part.samples * 2] for part in resampler.resample(frame))
            resampler = av.AudioResampler(format="s16", layout="mono", rate=16_000)
    target = folder / "joined.wav"
    with wave.open(str(target), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes((data * (120 * 32_000 // max(1, len(data)) + 1))[: 120 * 32_000])
    return target


def spoken(folder: Path) -> dict[str, str]:
    """Sentences as WAV files, by name."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from support import media

    return {media.speech(folder / f"{n}.wav", text).name: text for n, text in enumerate(_SENTENCES)}


def plain(text: str) -> list[str]:
    return re.sub(r"[^a-z0-9' ]+", " ", text.lower().replace("mr.", "mister")).split()


def distance(a: list[str], b: list[str]) -> int:
    """Words put in, left out or exchanged (Levenshtein)."""
    last = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        row = [i]
        for j, right in enumerate(b, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (left != right)))
        last = row
    return last[-1]


def screens(folder: Path, number: int) -> Iterator[dict[str, object]]:
    from PIL import Image, ImageDraw, ImageFont

    choose = random.Random(7)
    found = total = 0
    taken = 0.0
    for n in range(number):
        image = Image.new("RGB", (1280, 720), "white")
        draw = ImageDraw.Draw(image)
        words = []
        for line in range(14):
            row = [choose.choice(_VOCABULARY.split()) for _ in range(7)]
            draw.text((40, 30 + 48 * line), " ".join(row), fill=(20, 20, 20), font=ImageFont.load_default(24))
            words += row
        path = folder / f"screen{n}.png"
        image.save(path)
        reader = run.reader_for(path)
        start = time.perf_counter()
        extract, _ = run.extract(path, reader, run.limits_for(reader.media_type, 0))
        taken += time.perf_counter() - start
        read = plain(" ".join(segment.text for segment in extract.segments))
        total += len(words)
        for word in words:
            if word in read:
                read.remove(word)
                found += 1
    yield {"what": "screenshots", "screens": number, "words": total, "read": round(found / total, 4),
           "seconds each": round(taken / number, 1)}  # fmt: skip


def film(folder: Path, megabytes: int) -> Iterator[dict[str, object]]:
    import av
    import numpy

    path = folder / "film.mkv"
    still = numpy.full((720, 1280, 3), 255, numpy.uint8)
    with av.open(str(path), "w") as made:
        stream = made.add_stream("rawvideo", rate=25)
        stream.width, stream.height, stream.pix_fmt = 1280, 720, "yuv420p"
        sound = made.add_stream("pcm_s16le", rate=16_000, layout="mono")
        noise = numpy.random.default_rng(7).integers(-2000, 2000, (1, 640), numpy.int16)
        for n in range(max(25, megabytes * 1_000_000 // (1280 * 720 * 3 // 2))):
            still[:40, :40] = n % 255
            frame = av.VideoFrame.from_ndarray(still, format="rgb24")
            made.mux(stream.encode(frame))
            heard = av.AudioFrame.from_ndarray(noise, format="s16", layout="mono")
            heard.sample_rate = 16_000
            made.mux(sound.encode(heard))
        made.mux(stream.encode(None))
        made.mux(sound.encode(None))
    reader = run.reader_for(path)
    start = time.perf_counter()
    extract, _ = run.extract(path, reader, run.limits_for(reader.media_type, path.stat().st_size))
    taken = time.perf_counter() - start
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    yield {"what": "film", "MB": round(path.stat().st_size / 1e6),
           "seconds": extract.extent.micros // 1_000_000,
           "seconds taken": round(taken, 1), "child MiB": most, "parent MiB": own}  # fmt: skip


if __name__ == "__main__":
    main()
