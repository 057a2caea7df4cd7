"""The suite an index backend must pass. Derive a class named `Test…` from it and say how yours is made.

    class TestMine(IndexBackendContract):
        def backend(self, folder): return make(folder)

Needs pytest to run (for `tmp_path`), nothing else.
"""

from __future__ import annotations

from array import array
from hashlib import sha256
from math import sqrt
from pathlib import Path
from typing import Callable, Mapping, Sequence

from memoranda.model.errors import Conflict
from memoranda.model.index import Changes, Chunk, Search
from memoranda.model.query import Filters, Ranked
from memoranda.ports.protocols import IndexBackend

#: A phrase of each script with words around it, and what is asked.
SCRIPTS = {
    "Chinese": ("我们决定使用本地数据库来保存记忆", "本地数据库"),
    "Japanese": ("会議の議事録はサーバーに保存されています", "議事録"),
    "Korean": ("우리는 배포를 금요일에 하지 않기로 했다", "배포를 금요일에"),
    "Thai": ("เราตัดสินใจใช้ฐานข้อมูลในเครื่อง", "ฐานข้อมูล"),
    "Arabic": ("قَرَّرْنا استخدام قاعدة البيانات المحلية", "قاعدة البيانات"),
    "Hebrew": ("החלטנו להשתמש במסד נתונים מקומי", "מסד נתונים"),
    "Hindi": ("हमने स्थानीय डेटाबेस का उपयोग करने का निर्णय लिया", "स्थानीय डेटाबेस"),
    "Russian": ("Мы решили хранить записи в локальной базе", "локальной базе"),
    "French": ("La réunion a été déplacée à l'été prochain", "réunion déplacée"),
    "French without accents": ("Le déjeuner créole était très apprécié", "dejeuner creole"),
    "snake_case": ("the helper parse_turn_file() reads it", "parse_turn_file"),
    "camelCase asked as words": ("call getUserProfile(id) first", "user profile"),
    "camelCase asked as snake_case": ("then loadSessionIndex runs", "load_session_index"),
    "path": ("see src/memoranda/truth/grammar.py for it", "truth/grammar.py"),
    "error message": (
        "it failed: ValueError: unknown extension ?<a at position 3",
        "ValueError: unknown extension ?<a",
    ),
    "mixed": ("部署用Docker容器运行staging环境", "Docker容器"),
}


class IndexBackendContract:
    """The promises of `IndexBackend`, as tests."""

    def backend(self, folder: Path) -> IndexBackend:
        """A backend over an empty folder; called again with the same folder it opens what is there, if it lasts."""
        raise NotImplementedError

    # --- words

    def test_c22_phrases_of_every_script_are_found_by_words(self, tmp_path: Path) -> None:
        for n, (script, (text, asked)) in enumerate(SCRIPTS.items()):
            made = self.backend(tmp_path / str(n))
            made.apply(Changes(add=[record("mem_aaaaaaaaaaaa", text), *turns([text, "nothing of that sort", "12345"])]))
            for kind, doc in (("record", "mem_aaaaaaaaaaaa"), ("turn", "turn:claude/s/t0")):
                assert [row.doc for row in words(made, asked, kind)][:1] == [doc], (script, kind)

    def test_evidence_is_a_kind_of_its_own(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        doc = f"evidence:sha256:{'ab' * 32}#t=61,81"
        text = "the lighthouse is painted red"
        piece = Chunk(key=f"{doc}#0.0", doc=doc, kind="evidence", text=text, content=digest(text), end=len(text))
        made.apply(Changes(add=[record("mem_aaaaaaaaaaaa", text), *turns([text]), piece]))
        found = made.search(Search("painted lighthouse", ("words",)))["words"]
        assert {row.kind for row in found} == {"record", "turn", "evidence"}
        alone = made.search(Search("painted lighthouse", ("words",), filters=Filters(kinds=("evidence",))))["words"]
        assert [(row.doc, row.kind, row.end) for row in alone] == [(doc, "evidence", len(text))]
        made.apply(Changes(remove=[doc]))
        assert {row.kind for row in made.search(Search("lighthouse", ("words",)))["words"]} == {"record", "turn"}

    def test_no_question_is_syntax(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        made.apply(Changes(add=[record("mem_aaaaaaaaaaaa", "plain words"), *turns(["plain words"])]))
        for asked in ('"', "foo AND (", "a:b^~*", "title:", "\\", "NOT", "(((", "😀", " ", "\0", "x" * 9000):
            assert words(made, asked) == [], asked
            both = {row.doc for row in words(made, f"{asked} plain")}
            assert both == {"mem_aaaaaaaaaaaa", "turn:claude/s/t0"}, asked

    def test_question_words_do_not_drown_the_rest(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        made.apply(Changes(add=turns(["why did you do that to the thing", "parser dropped", "what is it and why"])))
        assert words(made, "why did we drop the parser", "turn")[0].doc.endswith("t1")

    def test_a_neighbour_lifts_what_answers(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        said = ["which database holds the invoices of spring", "we keep invoices there", "rain", "rain", "rain", "rain"]
        other = turns(["we keep invoices here"], session="other")
        made.apply(Changes(add=[*turns(said), *other]))
        docs = [row.doc for row in words(made, "database that keeps invoices of spring", "turn")]
        assert docs.index("turn:claude/s/t1") < docs.index("turn:claude/other/t0")

    def test_dates_and_speakers_are_found(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        made.apply(Changes(add=turns(["one", "two"], title="2026-07-02 2 July 2026 caroline")))
        assert len(words(made, "what did Caroline say on 2 July 2026")) == 2

    # --- the three signals

    def test_b48_each_signal_finds_what_the_others_cannot(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        by_word = record("mem_aaaaaaaaaaaa", "the quick brown fox")
        by_vector = record("mem_bbbbbbbbbbbb", "etwas ganz anderes")
        by_name = record("mem_cccccccccccc", "rolled back twice", entities=("Staging-Env",))
        vectors = {by_word.key: unit(1, 0), by_vector.key: unit(0, 1), by_name.key: unit(1, 0)}
        made.apply(Changes(add=[by_word, by_vector, by_name], vectors=vectors))
        found = made.search(Search("fox in staging env", ("words", "dense", "entities"), vector=unit(0, 1)))
        assert [row.doc for row in found["words"]] == [by_word.doc]
        assert found["dense"][0].doc == by_vector.doc
        assert [row.doc for row in found["entities"]] == [by_name.doc]
        without = made.search(Search("fox in staging env", ("words",)))
        assert set(without) == {"words"}
        assert by_vector.doc not in {row.doc for row in without["words"]}

    def test_what_neighbours_complete_covers_more_than_a_word_said_often(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        shared = turns(["the gateway drops retries", "and since when?", "since friday"], session="a")
        often = turns(["gateway gateway gateway"], session="b")
        made.apply(Changes(add=[*shared, *often, record("mem_aaaaaaaaaaaa", "gateway retries friday")]))
        turn = Filters(kinds=("turn",))
        rows = made.search(Search("gateway retries friday", ("covered",), filters=turn))["covered"]
        assert [(row.session, row.seq) for row in rows] == [("a", 0), ("a", 2), ("b", 0)]
        only = made.search(Search("gateway", ("covered",), filters=Filters(sessions=("b",))))["covered"]
        assert [row.session for row in only] == ["b"]

    def test_covered_is_the_share_of_a_question_that_a_row_holds(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        kept = [record("mem_aaaaaaaaaaaa", "the gateway retries"), record("mem_bbbbbbbbbbbb", "the gateway")]
        made.apply(Changes(add=[*kept, *turns(["the parser lost lines"], session="a")]))

        def shares(text: str) -> dict[str, float]:
            return {row.doc: row.score for row in made.search(Search(text, ("covered",)))["covered"]}

        whole = shares("gateway retries")
        assert 0.9 < whole["mem_aaaaaaaaaaaa"] < 1.1
        assert 0 < whole["mem_bbbbbbbbbbbb"] < 0.6
        assert shares("gateway retries zeppelin umbrella")["mem_aaaaaaaaaaaa"] < 0.6  # what nobody says is asked too
        assert [0.9 < score < 1.1 for score in shares("parser lines").values()] == [True]
        assert shares("zeppelin umbrella") == {}

    def test_no_vector_no_dense_ranking(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        made.apply(Changes(add=turns(["words"])))
        assert set(made.search(Search("words", ("words", "dense"), vector=None))) == {"words"}

    def test_dense_order_is_by_cosine(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        chunks = [turns(["x"], session=name)[0] for name in "abcd"]  # apart, since neighbours may lend
        angles = [(1.0, 0.0), (0.8, 0.6), (0.0, 1.0), (-1.0, 0.0)]
        made.apply(Changes(add=chunks, vectors={c.key: unit(*xy) for c, xy in zip(chunks, angles, strict=True)}))
        rows = made.search(Search("", ("dense",), vector=unit(1, 0)))["dense"]
        assert [row.session for row in rows] == ["a", "b", "c", "d"]
        assert abs(rows[1].score - 0.8) < 0.02

    def test_a15_vectors_of_another_width_are_refused_whole(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        chunks = turns(["a", "b"])
        made.apply(Changes(add=chunks, vectors={chunks[0].key: unit(1, 0)}))
        wide = unit(1, 0, 0)
        assert conflicts(lambda: made.apply(Changes(vectors={chunks[1].key: wide}, notes={"n": "1"})))
        assert made.notes("n") == {}
        assert made.pending(9)[0].unembedded == 1
        assert conflicts(lambda: made.search(Search("", ("dense",), vector=wide)))

    # --- order, depth and filters

    def test_ties_are_broken_by_key(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        chunks = turns(["same words here"] * 3, session="b") + turns(["same words here"] * 3, session="a")
        made.apply(Changes(add=chunks, vectors={c.key: unit(1, 0) for c in chunks}))
        found = made.search(Search("same words", ("words", "dense"), vector=unit(1, 0)))
        for signal, rows in found.items():
            by_score: dict[float, list[str]] = {}
            for row in rows:
                by_score.setdefault(row.score, []).append(row.key)
            assert all(keys == sorted(keys) for keys in by_score.values()), signal
            assert len(rows) == 6

    def test_a_cut_among_equals_is_made_by_key(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        for n in reversed(range(60)):
            made.apply(Changes(add=turns(["yes"], session=f"s{n:02}")))
        rows = made.search(Search("yes", ("words",), depth=5))["words"]
        assert [row.session for row in rows] == ["s00", "s01", "s02", "s03", "s04"]

    def test_many_turns_do_not_crowd_out_a_record(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        made.apply(
            Changes(add=[*turns(["staging deploy staging deploy"] * 30), record("mem_aaaaaaaaaaaa", "a deploy")])
        )
        rows = made.search(Search("staging deploy", ("words",), depth=5))["words"]
        assert len([row for row in rows if row.kind == "turn"]) == 5
        assert len([row for row in rows if row.kind == "record"]) == 1

    def test_filters_hold_before_the_search(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        many = turns(["alpha beta"] * 50, role="assistant")
        few = turns(
            ["alpha"] * 3, session="x", role="user", ts="2026-03-05T10:00:00Z", repo="/home/me/tek", harness="codex"
        )
        chunks = [*many, *few, record("mem_aaaaaaaaaaaa", "alpha")]
        made.apply(Changes(add=chunks, vectors={c.key: unit(1, 0) if c in many else unit(0.9, 0.1) for c in chunks}))
        for filters in (
            Filters(roles=("user",)),
            Filters(sessions=("x",)),
            Filters(harnesses=("codex",)),
            Filters(repos=("/home/me/tek",)),
            Filters(repos=("/home/me",)),
            Filters(repos=("tek",)),
            Filters(since="2026-03-05", until="2026-03-05", kinds=("turn",)),
            Filters(since="2026-03-05T10:00:00Z", until="2026-03-05T10:00:00Z"),
        ):
            found = made.search(Search("alpha", ("words", "dense"), depth=3, vector=unit(1, 0), filters=filters))
            for signal, rows in found.items():
                assert [row.session for row in rows] == ["x"] * 3, (filters, signal)
        for nothing in (Filters(roles=("nobody",)), Filters(repos=("/home/m",)), Filters(until="2019-01-01")):
            assert words(made, "alpha", filters=nothing) == []
        assert [row.kind for row in words(made, "alpha", filters=Filters(kinds=("record",)))] == ["record"]
        assert len(words(made, "alpha", filters=Filters(types=("text",)))) == 53

    def test_rows_tell_where_they_stand(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        chunk = Chunk(
            key="turn:claude/a%2Fb/t%201#2.1",
            doc="turn:claude/a%2Fb/t%201",
            kind="turn",
            text="exactly here",
            content=digest("exactly here"),
            harness="claude",
            session="a/b",
            role="tool",
            type="tool_result",
            ts="2026-07-02T16:40:00.125Z",
            seq=7,
            block=2,
            start=900,
            end=912,
            tier=3,
        )
        made.apply(Changes(add=[chunk]))
        (row,) = words(made, "exactly")
        told = (row.key, row.doc, row.kind, row.harness, row.session, row.role, row.type, row.ts)
        assert told == (
            chunk.key, chunk.doc, "turn", "claude", "a/b", "tool", "tool_result", "2026-07-02T16:40:00.125Z"
        )  # fmt: skip
        assert (row.seq, row.block, row.start, row.end) == (7, 2, 900, 912)

    # --- steps

    def test_removed_documents_are_gone_and_unknown_ones_no_error(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        made.apply(Changes(add=[record("mem_aaaaaaaaaaaa", "kept away", entities=("thing",)), *turns(["kept here"])]))
        made.apply(Changes(remove=["mem_aaaaaaaaaaaa", "mem_ffffffffffff", "turn:claude/s/none"]))
        assert [row.doc for row in words(made, "kept thing")] == ["turn:claude/s/t0"]
        assert list(made.search(Search("thing", ("entities",)))["entities"]) == []
        made.apply(Changes(remove=["turn:claude/s/t0"]))
        assert words(made, "kept") == []
        assert made.pending(9)[0].passages == 0

    def test_adding_again_replaces(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        made.apply(Changes(add=[*turns(["old words"]), record("mem_aaaaaaaaaaaa", "old words")]))
        made.apply(Changes(add=[*turns(["new words"]), record("mem_aaaaaaaaaaaa", "new words")]))
        assert words(made, "old") == []
        assert len(words(made, "new")) == 2
        made.apply(Changes(add=turns(["new words"])))
        assert (made.pending(9)[0].passages, made.pending(9)[0].documents) == (2, 2)

    def test_one_step_removes_adds_and_embeds_in_that_order(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        made.apply(Changes(add=[record("mem_aaaaaaaaaaaa", "first")], notes={"a/1": "x", "a/2": "y", "b/1": "z"}))
        again = record("mem_aaaaaaaaaaaa", "second")
        made.apply(
            Changes(
                remove=["mem_aaaaaaaaaaaa"],
                add=[again],
                vectors={again.key: unit(1, 0)},
                notes={"a/1": None, "a/3": "w"},
            )
        )
        assert made.notes("a/") == {"a/2": "y", "a/3": "w"}
        assert [row.doc for row in words(made, "second")] == ["mem_aaaaaaaaaaaa"]
        assert made.pending(9)[0].unembedded == 0

    def test_a43_searchable_before_embedded_and_pending_in_order(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        tool = turns(["tool says"], session="t", ts="2026-09-01T00:00:00Z", type="tool_result", tier=3)
        old, new = turns(["old prose"], session="o", ts="2026-01-01T00:00:00Z"), turns(["new prose"], session="n")
        made.apply(Changes(add=[*tool, *old, *new, record("mem_aaaaaaaaaaaa", "a record")]))
        assert words(made, "prose") != []
        census, pending = made.pending(3)
        assert (census.passages, census.documents, census.unembedded) == (4, 4, 4)
        assert [p.doc for p in pending] == ["mem_aaaaaaaaaaaa", "turn:claude/n/t0", "turn:claude/o/t0"]
        assert pending[0].content == digest("a record")
        made.apply(Changes(vectors={pending[0].key: unit(1, 0), "unknown#0.0": unit(1, 0)}))
        assert [p.doc for p in made.pending(1)[1]] == ["turn:claude/n/t0"]

    def test_a41_adding_more_leaves_what_is_embedded(self, tmp_path: Path) -> None:
        made = self.backend(tmp_path / "index")
        first = turns(["one", "two"])
        made.apply(Changes(add=first, vectors={c.key: unit(1, 0) for c in first}))
        made.apply(Changes(add=turns(["one", "two", "three"])))
        assert [p.doc for p in made.pending(9)[1]] == ["turn:claude/s/t2"]


def record(id: str, text: str, entities: tuple[str, ...] = ()) -> Chunk:
    return Chunk(
        key=f"{id}#0.0",
        doc=id,
        kind="record",
        text=text,
        content=digest(text),
        entities=entities,
        ts="2026-07-01T00:00:00Z",
        end=len(text),
        tier=0,
    )


def turns(
    texts: Sequence[str],
    session: str = "s",
    role: str = "user",
    ts: str = "2026-07-02T16:40:00Z",
    repo: str = "",
    harness: str = "claude",
    type: str = "text",
    tier: int = 1,
    title: str = "",
) -> list[Chunk]:
    """One turn a text, in one session, turn ids t0, t1, …"""
    return [
        Chunk(
            key=f"turn:{harness}/{session}/t{n}#0.0",
            doc=f"turn:{harness}/{session}/t{n}",
            kind="turn",
            text=text,
            content=digest(text),
            title=title,
            harness=harness,
            session=session,
            repo=repo,
            role=role,
            type=type,
            ts=ts,
            seq=n,
            end=len(text),
            tier=tier,
        )
        for n, text in enumerate(texts)
    ]


def unit(*values: float) -> memoryview:
    """A unit vector in that direction."""
    length = sqrt(sum(value * value for value in values))
    return memoryview(array("f", (value / length for value in values)))


def conflicts(call: Callable[[], object]) -> bool:
    """Whether a call is refused as a conflict."""
    try:
        call()
    except Conflict:
        return True
    return False


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def words(
    made: IndexBackend,
    asked: str,
    kind: str | None = None,
    filters: Filters = Filters(),  # noqa: B008 - frozen
) -> Sequence[Ranked]:
    found: Mapping[str, Sequence[Ranked]] = made.search(Search(asked, ("words",), filters=filters))
    return [row for row in found["words"] if kind in (None, row.kind)]
