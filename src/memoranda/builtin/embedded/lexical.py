"""The words of turns in tantivy: no stored text, no positions, an English stemmer over folded words of any script.

Each document has a `row` (of map.sqlite), a fast field, and facets to filter by. Queries are built of terms, never
parsed, so no text of a user can be syntax.
"""

from __future__ import annotations

import errno
import json
import os
import re
import time
import zlib
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Collection, Iterator, Sequence

from memoranda.builtin import words
from memoranda.builtin.embedded.whole import Checked, segment_whole
from memoranda.builtin.weights import Weights, rarest, worth
from memoranda.model.errors import Busy, Corrupt, Unavailable

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

_FIELDS = ("body", "title", "names")
#: Longer tokens (in bytes) are no words: base64 and minified blobs. A SHA-512 in hex has 128.
_LONGEST = 130
_HEAP_BYTES = 64_000_000
_THREADS = 1
_MOST = 1_000_000

#: Bounds of time in milliseconds, None for none.
Span = tuple[int, int] | None


@cache
def analyzer() -> Any:
    """Cuts at whatever is neither letter nor digit, lowers, drops accents, stems. Needs tantivy."""
    import tantivy

    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    for step in (
        tantivy.Filter.remove_long(_LONGEST),
        tantivy.Filter.lowercase(),
        tantivy.Filter.ascii_fold(),
        tantivy.Filter.stemmer("english"),
    ):
        builder = builder.filter(step)
    return builder.build()


def terms(text: str) -> tuple[list[str], list[str]]:
    """The terms of a question for bodies and titles, and for the parts of identifiers."""
    body, names = words.question(text)
    analyze = analyzer().analyze
    return list(dict.fromkeys(analyze(body))), list(dict.fromkeys(analyze(names)))


@contextmanager
def native() -> Iterator[None]:
    """What tantivy says, which is all `ValueError`: `Busy` for its lock, `Unavailable` for what the system refused,
    `Corrupt` for the rest, since only bytes that are not as it wrote them are left."""
    try:
        yield
    except ValueError as error:
        if "LockBusy" in str(error):
            raise Busy("another process holds the word index", "try again when it is done") from error
        number = re.search(r"(?:\(os error |\bcode: )(\d+)\b", str(error))
        if number and int(number[1]) not in _MISSING:
            reason = errno.errorcode.get(int(number[1]), number[1])
            raise Unavailable(
                f"the word index cannot be used now ({reason})", "free space, allow writing, try again"
            ) from error
        raise Corrupt(f"the word index is damaged: {error}") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # on bytes it did not expect; it has no import path
            raise
        raise Corrupt(f"the word index is damaged: {error}") from None


#: What the system says of a file that is not there; anything else it says is not the index's fault.
_MISSING = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR}
#: The files of a segment.
_KINDS = ("term", "idx", "pos", "store", "fast", "fieldnorm")
#: How often files are looked for that a writer may just be joining.
_LOOKS = 5
#: The lock of a writer that was killed may outlive ours by the time the system takes to close its files.
_LOCK_SECONDS = 2.0


class Lexical:
    """One folder of tantivy. Any number of processes read it, one writes: from its first `add` to `commit`."""

    def __init__(self, folder: Path, weights: Weights, checked: Checked | None = None) -> None:
        self._folder = folder
        self._weights = weights
        self._checked = checked or Checked(folder.parent)
        self._meta: tuple[bytes, tuple[str, ...]] = (b"", ())
        self._index: Any = None
        self._writer: Any = None
        self._searcher: Any = None
        self._schema: Any = None
        self._document: Any = None
        self._links: TemporaryDirectory[str] | None = None

    @property
    def stamp(self) -> int:
        """The number of the last commit, as the folder says; 0 for none. Raises `Corrupt` when it says nothing."""
        path = self._folder / "meta.json"
        try:
            return int(json.loads(path.read_bytes())["opstamp"])
        except FileNotFoundError:
            return 0
        except (ValueError, KeyError, TypeError) as error:
            raise Corrupt(f"{path.name} of the word index is damaged") from error

    def look(self, stamp: int, total: int) -> None:
        """Raises `Corrupt` unless every file of the last commit is as it was written; cheap for what was looked at.

        `stamp` and `total` are what `told` said of the commit that the map knows: tantivy has no sum of its own over
        meta.json. A later commit is one whose writer is still at it, or was killed, and then its `stamp` tells.
        """
        for _ in range(_LOOKS):
            try:
                data = (self._folder / "meta.json").read_bytes()
            except FileNotFoundError:
                return
            if data != self._meta[0]:
                told, names = _segments(data)
                if told == stamp and zlib.crc32(data) != total:
                    raise Corrupt("meta.json of the word index is not as it was written")
                self._meta = (data, names)
            try:
                for name in self._meta[1]:
                    self._checked.see(self._folder / name, segment_whole)
                return
            except FileNotFoundError as error:  # a writer may have joined segments meanwhile
                gone = error
        raise Corrupt("a file of the word index is missing") from gone

    def told(self) -> tuple[int, int]:
        """The number of the last commit and the CRC-32 of what says so; (0, 0) for none."""
        try:
            return self.stamp, zlib.crc32((self._folder / "meta.json").read_bytes())
        except FileNotFoundError:
            return 0, 0

    def open(self, create: bool) -> bool:
        """Open the folder; False when it does not exist and may not be made."""
        if self._index is not None:
            return True
        if not (self._folder / "meta.json").exists() and not create:
            return False
        with native():
            self._open()
        return True

    def _open(self) -> None:
        import tantivy

        builder = tantivy.SchemaBuilder()
        for name in _FIELDS:
            builder.add_text_field(name, tokenizer_name="memoranda", index_option="freq")
        builder.add_text_field("facets", tokenizer_name="whitespace", index_option="basic")
        builder.add_integer_field("row", fast=True, indexed=True)
        builder.add_integer_field("ts", indexed=True)
        self._schema = builder.build()
        self._folder.mkdir(parents=True, exist_ok=True)
        self._index = tantivy.Index(self._schema, str(self._opened_at()))
        self._index.register_tokenizer("memoranda", analyzer())
        self._index.config_reader(reload_policy="manual")

    def _opened_at(self) -> Path:
        """Where tantivy finds the files. It locks even to read, so a folder that cannot be written is opened through
        links from one that can."""
        if os.access(self._folder, os.W_OK):
            return self._folder
        from tempfile import TemporaryDirectory

        self._links = TemporaryDirectory(prefix="memoranda-words-")
        for path in self._folder.iterdir():
            if not path.name.endswith(".lock"):
                os.symlink(path.absolute(), f"{self._links.name}/{path.name}")
        return Path(self._links.name)

    def add(self, row: int, text: str, title: str, facets: str, ts: int | None) -> None:
        """Queue one passage; visible after `commit`."""
        if self._writer is None:
            import tantivy

            self.open(create=True)
            self._writer = self._taken()
            self._document = tantivy.Document
        fields: dict[str, Any] = {"body": words.fold(text), "facets": facets, "row": row}
        names = words.identifiers(text)
        if names:
            fields["names"] = names
        if title:
            fields["title"] = words.fold(title)
        if ts is not None:
            fields["ts"] = ts
        self._writer.add_document(self._document(**fields))

    def commit(self) -> None:
        """Make everything queued durable and visible, and let the writer go: another process may be next."""
        if self._writer is not None:
            with native():
                self._writer.commit()
                self._writer.wait_merging_threads()
            self._writer = None

    def rollback(self) -> None:
        """Forget what is queued and let the writer go."""
        self._writer = None

    def _taken(self) -> Any:
        until = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                with native():
                    return self._index.writer(_HEAP_BYTES, _THREADS)
            except Busy:
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def refresh(self) -> None:
        """See the newest commit from now on."""
        self._searcher = None
        if self._links is not None:
            self.close()

    def close(self) -> None:
        self._writer = self._searcher = self._index = None
        if self._links is not None:
            self._links.cleanup()
            self._links = None

    def search(self, text: str, depth: int, facets: Sequence[Sequence[str]], span: Span) -> dict[int, float]:
        """Scores of the best rows for a question.

        `facets` are groups of which each must match in one member, `span` bounds the time in milliseconds. At least
        `depth` times the pool are looked at, and never a part of equal ones only.
        """
        with native():
            return self._search(text, depth, facets, span)

    def _search(self, text: str, depth: int, facets: Sequence[Sequence[str]], span: Span) -> dict[int, float]:
        if not self.open(create=False):
            return {}
        if self._searcher is None:
            self._index.reload()
            self._searcher = self._index.searcher()
        query = self._query(text, facets, span)
        if query is None:
            return {}
        wanted = max(depth * self._weights.pool, 1)
        while True:
            hits = self._searcher.search(query, wanted, count=False).hits
            if len(hits) < wanted or wanted >= _MOST or hits[-1][0] < hits[depth - 1][0] * 0.9999:
                break
            wanted *= 8
        if len(hits) == wanted:  # the last ones may be some of many equal ones: leave them all out
            floor = hits[-1][0] * 1.00001
            hits = [hit for hit in hits if hit[0] > floor] or hits
        places = [address for _, address in hits]
        rows = self._searcher.fast_field_values("row", places)
        return {row: score for row, (score, _) in zip(rows, hits, strict=True)}

    def held(self, text: str, rows: Collection[int]) -> tuple[dict[int, int], list[float]]:
        """Which words of a question's each row's body holds, as bits, and what the word of each bit is worth (its
        inverse document frequency). Rows that hold none are left out.

        Each word that is there adds its power of two to the score, and such sums are exact in any order.
        """
        if not rows or not self.open(create=False) or self._searcher is None:
            return {}, []
        from tantivy import Occur, Query

        with native():
            common = [(self._searcher.doc_freq("body", term), place, term) for place, term in enumerate(terms(text)[0])]
            asked = rarest(common)
            among = Query.const_score_query(Query.term_set_query(self._schema, "row", list(rows)), 0.0)
            words_held = [
                Query.const_score_query(Query.term_query(self._schema, "body", term, "basic"), float(1 << bit))
                for bit, (_, _, term) in enumerate(asked)
            ]
            query = Query.boolean_query([(Occur.Must, among), *((Occur.Should, one) for one in words_held)])
            hits = [hit for hit in self._searcher.search(query, len(rows), count=False).hits if hit[0] >= 1.0]
            found = self._searcher.fast_field_values("row", [address for _, address in hits])
            every = self._searcher.num_docs
        counts = [worth(every, many) for many, _, _ in asked]
        return {row: int(score) for row, (score, _) in zip(found, hits, strict=True)}, counts

    def _query(self, text: str, facets: Sequence[Sequence[str]], span: Span) -> Any:
        from tantivy import FieldType, Occur, Query

        body, names = terms(text)
        clauses = []
        for field, asked, weight in (
            ("body", body, 1.0),
            ("body", [name for name in names if name not in body], self._weights.names),
            ("title", body, self._weights.title),
            ("names", names, self._weights.names),
        ):
            for term in asked:
                one = Query.term_query(self._schema, field, term, "freq")
                clauses.append(one if weight == 1.0 else Query.boost_query(one, weight))
        if not clauses:
            return None
        query = _pairwise(clauses)
        bounds = [Query.term_set_query(self._schema, "facets", list(group)) for group in facets]
        if span is not None:
            bounds.append(Query.range_query(self._schema, "ts", FieldType.Integer, *span))
        if bounds:
            bounded = [(Occur.Must, Query.const_score_query(bound, 0.0)) for bound in bounds]
            query = Query.boolean_query([(Occur.Must, query), *bounded])
        return query


def _segments(meta: bytes) -> tuple[int, tuple[str, ...]]:
    """The number of a commit and the names of its segments' files, as meta.json tells them."""
    try:
        told = json.loads(meta)
        ids = [segment["segment_id"].replace("-", "") for segment in told["segments"]]
        if any(segment["deletes"] for segment in told["segments"]):
            raise Corrupt("the word index holds deletions, which nobody made")
        return int(told["opstamp"]), tuple(f"{id}.{kind}" for id in ids for kind in _KINDS)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Corrupt("meta.json of the word index is damaged") from error


def _pairwise(clauses: Sequence[Any]) -> Any:
    """The union of the clauses as a tree of unions of two.

    A union of many adds up scores in an order that depends on how the index is cut into segments, and sums of 32-bit
    numbers depend on the order; a sum of two does not. So the same truth gives the same scores to the last bit.
    """
    from tantivy import Occur, Query

    while len(clauses) > 1:
        pairs = [clauses[at : at + 2] for at in range(0, len(clauses), 2)]
        clauses = [
            Query.boolean_query([(Occur.Should, one) for one in pair]) if len(pair) == 2 else pair[0] for pair in pairs
        ]
    return clauses[0]
