"""Published rows as a Lance dataset, which anything that reads Lance can open (lance.org).

Local work alone: a folder that mirrors a target holds the newest manifest and the data files that are wanted. Appending
needs no data that is already there, so a push of ten rows to a million sends ten. Vectors are half floats, all those of
a row in one column of Lance's multi-vector kind, which its own vector indexes take as it is. Needs
`pip install 'memoranda[lance]'`.
"""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping

from memoranda.model.errors import Corrupt, Unavailable
from memoranda.model.share import SCHEMA, Contents, Part, Row, Stamp

#: Rows that are written at once; bounds memory.
_BATCH = 512
#: Rows of a data file: a first push of more makes several, so that no download is too large to repeat.
_PART_ROWS = 100_000
_FORMAT = "2.1"
_TEXTS = ("id", "kind", "digest", "ts", "harness", "session", "turn", "role", "repo", "category", "channel", "path")
_LONG = ("frame", "text")
_KEY = "memoranda."


def make() -> LanceRows:
    return LanceRows()


class LanceRows:
    """See `ports.RowTable`."""

    def describe(self, folder: Path, manifest: str) -> Contents:
        table = _open(folder, manifest)
        stamp = _stamp(table.schema.metadata or {})
        parts = []
        for fragment in table.get_fragments():
            files = [file.path for file in fragment.metadata.files]
            if len(files) != 1 or fragment.metadata.deletion_file is not None:
                raise Unavailable("the table was rewritten by another program", "push to a new target")
            parts.append(Part(_plain(files[0]), int(fragment.metadata.physical_rows)))
        return Contents(int(table.version), stamp, tuple(parts))

    def rows(self, folder: Path, manifest: str, part: Part) -> Iterator[Row]:
        table = _open(folder, manifest)
        for fragment in table.get_fragments():
            if fragment.metadata.files[0].path == part.name:
                try:
                    for batch in fragment.to_batches(batch_size=_BATCH):
                        yield from _rows(batch)
                except (OSError, ValueError, KeyError, RuntimeError) as error:
                    raise Corrupt(f"{part.name} cannot be read: {type(error).__name__}", "fetch it again") from error
                return
        raise Corrupt(f"{part.name} is not in this version of the table")

    def append(self, folder: Path, rows: Iterable[Row], stamp: Stamp) -> Mapping[str, Path]:
        pa, lance = _arrow(), _lance()
        schema = _schema(stamp)
        before = _files(folder)
        newest = max((_version(name) for name in _manifests(folder)), default=0)

        def batches() -> Iterator[Any]:
            left = iter(rows)
            while some := list(islice(left, _BATCH)):
                yield _batch(some, schema, stamp)

        lance.write_dataset(
            pa.RecordBatchReader.from_batches(schema, batches()),
            str(folder),
            mode="append" if newest else "create",
            max_rows_per_file=_PART_ROWS,
            max_bytes_per_file=1 << 30,
            data_storage_version=_FORMAT,
        )
        new = [path for path in sorted(_files(folder) - before) if not path.endswith(".json")]
        new.sort(key=lambda path: path.startswith("_versions/"))
        return {path: folder / path for path in new}


def _open(folder: Path, manifest: str) -> Any:
    """The version in one manifest. Lance itself goes by the newest one that lies there."""
    try:
        return _lance().dataset(str(folder), version=_version(manifest))
    except (OSError, ValueError, RuntimeError) as error:
        raise Corrupt(f"the table's manifest {manifest} cannot be read: {type(error).__name__}") from error


def _version(manifest: str) -> int:
    """The version in a manifest's name: they count down from 2^64 - 1, so that a listing shows the newest first."""
    stem = manifest.removesuffix(".manifest")
    if not (stem.isdigit() and len(stem) == 20):
        raise Corrupt(f"{manifest[:40]!r} is no manifest of a table")
    return (1 << 64) - 1 - int(stem)


def _manifests(folder: Path) -> list[str]:
    try:
        return [name for name in os.listdir(folder / "_versions") if name.endswith(".manifest")]
    except FileNotFoundError:
        return []


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _plain(name: str) -> str:
    """A data file's name from a manifest somebody else wrote: it must not lead anywhere."""
    if not name.endswith(".lance") or "/" in name or "\\" in name or name.startswith("."):
        raise Corrupt(f"{name[:40]!r} is no name of a data file")
    return name


def _schema(stamp: Stamp) -> Any:
    pa = _arrow()
    packed = {"lance-encoding:compression": "zstd"}
    span = pa.struct([(name, pa.int32()) for name in ("block", "start", "end")])
    fields = [pa.field(name, pa.string()) for name in _TEXTS]
    fields += [pa.field("seq", pa.int32()), *(pa.field(name, pa.large_string(), metadata=packed) for name in _LONG)]
    fields.append(pa.field("passages", pa.list_(span)))
    if stamp.dims:
        fields.append(pa.field("vectors", pa.list_(pa.list_(pa.float16(), stamp.dims))))
    told = {"schema": stamp.schema, "embedder": stamp.embedder, "dims": stamp.dims, "project": stamp.project}
    return pa.schema(fields, metadata={_KEY + name: str(value) for name, value in told.items()})


def _stamp(metadata: Mapping[bytes, bytes]) -> Stamp:
    told = {key.decode(): value.decode("utf-8", "replace") for key, value in metadata.items()}
    try:
        stamp = Stamp(
            int(told[_KEY + "schema"]), told[_KEY + "embedder"], int(told[_KEY + "dims"]), told[_KEY + "project"]
        )
    except (KeyError, ValueError):
        raise Corrupt("the table is no published memory", "choose another target") from None
    if stamp.schema > SCHEMA:
        raise Unavailable(f"the memory is published in schema {stamp.schema}; this program reads {SCHEMA}", "update it")
    return stamp


def _batch(rows: list[Row], schema: Any, stamp: Stamp) -> Any:
    pa = _arrow()
    columns: dict[str, Any] = {name: pa.array([getattr(row, name) for row in rows], pa.string()) for name in _TEXTS}
    columns["seq"] = pa.array([row.seq for row in rows], pa.int32())
    for name in _LONG:
        columns[name] = pa.array([getattr(row, name) for row in rows], pa.large_string())
    spans = [[dict(zip(("block", "start", "end"), span, strict=True)) for span in row.spans] for row in rows]
    columns["passages"] = pa.array(spans, schema.field("passages").type)
    if stamp.dims:
        columns["vectors"] = _vectors(rows, stamp.dims)
    return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)


def _vectors(rows: list[Row], dims: int) -> Any:
    import numpy as np

    pa = _arrow()
    offsets, data = [0], []
    for row in rows:
        flat = np.frombuffer(row.vectors, dtype=np.float32)
        data.append(flat.astype(np.float16))
        offsets.append(offsets[-1] + len(flat) // dims)
    values = pa.FixedSizeListArray.from_arrays(pa.array(np.concatenate(data), pa.float16()), dims)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values)


def _rows(batch: Any) -> Iterator[Row]:
    """Columns that we do not know are passed over, those that came later than these rows are empty."""
    import numpy as np

    known = set(batch.schema.names)
    texts = {name: batch.column(name).to_pylist() for name in (*_TEXTS, *_LONG) if name in known}
    seqs, passages = batch.column("seq").to_pylist(), batch.column("passages").to_pylist()
    vectors = batch.column("vectors") if "vectors" in known else None
    for at in range(batch.num_rows):
        flat = memoryview(b"")
        if vectors is not None and vectors[at].is_valid:
            halves = vectors[at].values.flatten().to_numpy(zero_copy_only=False)
            flat = memoryview(np.asarray(halves, dtype=np.float32).tobytes())
        spans = tuple((span["block"], span["start"], span["end"]) for span in passages[at] or ())
        fields = {name: values[at] or "" for name, values in texts.items()}
        yield Row(**fields, seq=seqs[at], spans=spans, vectors=flat)


def _lance() -> Any:
    os.environ.setdefault("LANCE_LOG", "error")  # it tells of a new dataset as if that were a warning
    try:
        import lance
    except ImportError as error:
        raise Unavailable("published memories are Lance tables", "pip install 'memoranda[lance]'") from error
    return lance


def _arrow() -> Any:
    _lance()
    import pyarrow

    return pyarrow
