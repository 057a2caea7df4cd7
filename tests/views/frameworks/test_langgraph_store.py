"""The store beside LangGraph's own in-memory one: the same calls, the same answers; and what only records can do."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Callable

import pytest
from support.doors import AGENT, PERSON, WEB
from support.invented import tokens

from memoranda import Memory
from memoranda.model.errors import Invalid
from memoranda.views.frameworks.langgraph import RECORDS, NotStored, langgraph_store

base = pytest.importorskip("langgraph.store.base", reason="LangGraph is not installed: make frameworks")

Do = Callable[[Any], Any]
NESTED = {"kind": "Memory", "content": {"likes": ["tea", None, 1.5, True]}, "n": 2**70}


@pytest.fixture
def agent(open_as: Callable[..., Memory]) -> Memory:
    return open_as(AGENT)


@pytest.fixture
def store(agent: Memory) -> Any:
    return langgraph_store(agent, base, asyncio.to_thread)


def _filled(store: Any, **more: Any) -> None:
    store.put(("users", "ada"), "prefs", {"theme": "dark", "size": 3, **more})
    store.put(("users", "ada"), "note", {"text": "Ada deploys on Fridays", "size": 5, **more})
    store.put(("users", "bob", "deep"), "note", {**NESTED, **more})
    store.put(("teams",), "note", {"text": "The team answers pages within ten minutes", **more})


SCRIPTS: dict[str, Do] = {
    "get": lambda s: s.get(("users", "ada"), "prefs"),
    "get nothing": lambda s: s.get(("users", "ada"), "nothing"),
    "get from above": lambda s: s.get(("users",), "ada"),
    "nested": lambda s: s.get(("users", "bob", "deep"), "note"),
    "put again": lambda s: (s.put(("teams",), "note", {"a": 1}), s.get(("teams",), "note")),
    "put the same": lambda s: (s.put(("teams",), "note", {"a": 1}), s.put(("teams",), "note", {"a": 1})),
    "there and back": lambda s: (
        s.put(("t",), "k", {"a": 1}),
        s.put(("t",), "k", {"a": 2}),
        s.put(("t",), "k", {"a": 1}),
        s.get(("t",), "k"),
    ),
    "white space": lambda s: (s.put(("t",), "k", {"a": "b c"}), s.put(("t",), "k", {"a": "b  c"}), s.get(("t",), "k")),
    "the same elsewhere": lambda s: (s.put(("t",), "k", NESTED), s.get(("t",), "k"), s.get(("teams",), "note")),
    "delete": lambda s: (s.delete(("teams",), "note"), s.get(("teams",), "note"), s.search(("teams",))),
    "delete what was put twice": lambda s: (
        s.put(("teams",), "note", {"a": 1}),
        s.delete(("teams",), "note"),
        s.get(("teams",), "note"),
    ),
    "delete nothing": lambda s: s.delete(("teams",), "nothing"),
    "put after delete": lambda s: (
        s.put(("teams",), "day", {"a": "the same"}),
        s.delete(("teams",), "day"),
        s.put(("teams",), "day", {"a": "the same"}),
        s.get(("teams",), "day"),
    ),
    "filter": lambda s: s.search(("users",), filter={"size": 3}),
    "filter by order": lambda s: s.search(("users", "ada"), filter={"size": {"$gt": 2, "$lte": 4}}),
    "filter inside": lambda s: s.search((), filter={"content": {"likes": ["tea", None, 1.5, True]}}),
    "not under a longer name": lambda s: s.search(("user",)),
    "namespaces": lambda s: s.list_namespaces(),
    "namespaces below": lambda s: s.list_namespaces(prefix=("users",)),
    "namespaces cut": lambda s: s.list_namespaces(max_depth=1),
    "namespaces by a star": lambda s: s.list_namespaces(prefix=("users", "*", "deep")),
    "namespaces by their end": lambda s: s.list_namespaces(suffix=("deep",)),
    "namespaces paged": lambda s: s.list_namespaces(limit=1, offset=1),
    "an empty namespace": lambda s: s.put((), "k", {"a": 1}),
    "a dot": lambda s: s.put(("a.b",), "k", {"a": 1}),
    "reserved": lambda s: s.put(("langgraph", "x"), "k", {"a": 1}),
    "time to live": lambda s: s.put(("a",), "k", {"a": 1}, ttl=5),
}


def _said(do: Do, store: Any) -> Any:
    try:
        found = do(store)
    except Exception as error:
        return type(error).__name__
    return _plain(found)


def _plain(found: Any) -> Any:
    """Without times, which differ."""
    if isinstance(found, (list, tuple)):
        return [_plain(one) for one in found]
    return (found.namespace, found.key, found.value) if isinstance(found, base.Item) else found


def test_answers_as_langgraphs_own_store(store: Any) -> None:
    """Script after script in one memory: what was deleted by the last is in nobody's way."""
    from langgraph.store.memory import InMemoryStore

    for name, do in SCRIPTS.items():
        theirs = InMemoryStore()
        for one in (store, theirs):
            _filled(one, script=name)
        assert _said(do, store) == _said(do, theirs), name
        for item in store.search((), limit=100):
            store.delete(item.namespace, item.key)
        assert store.search(()) == [], name


def test_lists_what_was_put_last_first_in_pages(store: Any) -> None:
    _filled(store)
    keys = {(item.namespace, item.key) for item in store.search(())}
    assert len(keys) == 4
    pages = [item for offset in range(4) for item in store.search((), limit=1, offset=offset)]
    assert {(item.namespace, item.key) for item in pages} == keys
    assert [item.updated_at for item in pages] == sorted((item.updated_at for item in pages), reverse=True)


def test_a_search_with_words_is_a_recall_below_the_namespace(store: Any) -> None:
    _filled(store)
    item = store.search(("users",), query="when does Ada deploy?")[0]
    assert (item.key, item.value["text"], item.score > 0) == ("note", "Ada deploys on Fridays", True)
    assert store.search(("teams",), query="when does Ada deploy?") == []


def test_a_namespace_is_not_crowded_out_by_others_that_say_the_same(store: Any) -> None:
    for n in range(220):
        store.put(("users", f"person{n}"), "drink", {"text": f"Person {n} prefers tea to coffee"})
    store.put(("users", "ada"), "drink", {"text": "Prefers tea with milk, and no coffee after a long lunch in town"})
    store.put(("users", "ada"), "desk", {"text": "Sits by the window"})
    assert [item.key for item in store.search(("users", "ada"), query="tea or coffee?")] == ["drink"]
    assert len(store.search(("users",), query="tea or coffee?", limit=50)) == 50


def test_an_overwrite_supersedes_and_a_deletion_leaves_its_history(store: Any, agent: Memory) -> None:
    store.put(("users",), "day", {"text": "Ada deploys on Fridays"})
    first = store.get(("users",), "day")
    store.put(("users",), "day", {"text": "Ada deploys on Mondays"})
    after = store.get(("users",), "day")
    assert after.created_at == first.created_at
    assert [r.body for r in agent.current_records()] == ["Ada deploys on Mondays"]
    [record] = agent.current_records()
    assert [entry.state for entry in agent.history(record.id)] == ["current", "superseded"]
    store.delete(("users",), "day")
    assert agent.current_records() == ()
    assert [entry.state for entry in agent.history(record.id)] == ["retired", "retired"]
    assert store.search((), query="when does Ada deploy?") == []


def test_an_item_that_is_not_to_be_searched_is_kept_and_not_recalled(store: Any) -> None:
    store.put(("users",), "day", {"text": "Ada deploys on Fridays"}, index=False)
    assert store.get(("users",), "day").value == {"text": "Ada deploys on Fridays"}
    assert store.search(("users",), query="Ada deploys") == []
    store.put(("users",), "day", {"text": "Ada deploys on Fridays"})
    assert len(store.search(("users",), query="Ada deploys")) == 1
    with pytest.raises(Invalid, match="is searched"):
        store.put(("users",), "day", {"text": "Ada deploys on Fridays"}, index=False)


def test_a_passing_remark_is_found_since_it_was_put(store: Any) -> None:
    store.put(("users",), "now", {"text": "ok, tea"})
    assert [item.key for item in store.search((), query="tea")] == ["now"]


def test_what_cannot_be_kept_is_said_and_nothing_of_it_is_kept(store: Any, agent: Memory) -> None:
    secret = tokens()["stripe-live"]
    for value in ({"text": f"the token is {secret}"}, {"deep": [{"token": secret}]}, {"text": "x" * 2001}):
        with pytest.raises(NotStored) as error:
            store.put(("users",), "k", value)
        assert error.value.outcome.word == "refused"
        assert secret not in str(error.value)
    with pytest.raises(NotStored):
        store.put(("users", secret), "k", {"a": 1})
    for field in (["text"], ["a.b"]):
        with pytest.raises(NotImplementedError, match="searched as a whole"):
            store.put(("users",), "k", {"text": "a"}, index=field)
    with pytest.raises(NotImplementedError, match="do not expire"):
        store.batch([base.PutOp(("users",), "k", {"text": "a"}, None, 5.0)])
    with pytest.raises(ValueError, match="kept as JSON"):
        store.put(("users",), "k", {"a": (1, 2)})
    assert (agent.ids(), store.search(())) == ((), [])


def test_what_is_held_is_said_and_the_old_value_stays(open_as: Callable[..., Memory], store: Any) -> None:
    store.put(("users",), "day", {"text": "Ada deploys on Fridays"})
    outside = langgraph_store(open_as(WEB), base)
    for _ in range(2):
        with pytest.raises(NotStored, match="until a person releases it") as error:
            outside.put(("users",), "day", {"text": "Ada deploys on Sundays"})
    assert error.value.outcome.record.hold
    assert store.get(("users",), "day").value == {"text": "Ada deploys on Fridays"}


def test_records_of_other_doors_can_be_read_and_found_and_say_what_they_weigh(
    open_as: Callable[..., Memory], store: Any
) -> None:
    kept = open_as(PERSON).remember("Deploys need two approvals")
    open_as(WEB).remember("Reference: the manual of deploys is at https://example.org/deploys", category="reference")
    id = kept.record.id  # type: ignore[union-attr]
    item = store.get(RECORDS, id)
    assert item.value == {"text": "Deploys need two approvals", "category": "note", "authority": "owner"}
    found = {one.value["authority"] for one in store.search((), query="deploys approvals manual")}
    assert found == {"owner", "external"}
    assert store.list_namespaces() == [RECORDS]
    assert [one.key for one in store.search(RECORDS, filter={"authority": "owner"})] == [id]
    with pytest.raises(base.InvalidNamespaceError):
        store.put(RECORDS, "k", {"text": "a"})
    with pytest.raises(Invalid, match="weighs more"):
        store.delete(RECORDS, id)


def test_two_who_put_at_once_are_settled_by_the_next(open_as: Callable[..., Memory], store: Any, agent: Memory) -> None:
    other = open_as(AGENT)
    store.put(("t",), "k", {"text": "first of all"})
    [old] = agent.current_records()
    for memory, text in ((agent, "the harbour is north"), (other, "the harbour is south")):
        memory.remember(text, supersedes=[old.id], scope=old.scope)
    assert store.get(("t",), "k").value["text"] in ("the harbour is north", "the harbour is south")
    assert len(store.search(("t",))) == len(store.search(("t",), query="harbour")) == 1
    store.put(("t",), "k", {"text": "settled"})
    assert [r.body for r in agent.current_records()] == ["settled"]
    assert store.get(("t",), "k").value == {"text": "settled"}


def test_a_batch_is_done_in_order_and_ends_where_it_fails(store: Any) -> None:
    put = base.PutOp(("t",), "k", {"a": 1})
    assert [_plain(one) for one in store.batch([put, base.GetOp(("t",), "k")])] == [None, (("t",), "k", {"a": 1})]
    with pytest.raises(ValueError, match="kept as JSON"):
        store.batch([base.PutOp(("t",), "x", {"a": 1}), base.PutOp(("t",), "y", {"a": {1}}), put])
    assert (store.get(("t",), "x").value, store.get(("t",), "y")) == ({"a": 1}, None)
    with pytest.raises(NotImplementedError, match="str is no operation"):
        store.batch(["get"])


def test_a_person_corrects_an_item_in_plain_words_and_no_agent_deletes_that(
    open_as: Callable[..., Memory], store: Any
) -> None:
    store.put(("users", "ada"), "day", {"text": "Ada deploys on Fridays"})
    person = open_as(PERSON)
    [item] = person.current_records()
    person.remember("Ada deploys on Tuesdays", supersedes=[item.id], scope=item.scope)
    assert store.get(("users", "ada"), "day").value == {"text": "Ada deploys on Tuesdays"}
    with pytest.raises(Invalid, match="weighs more"):
        store.delete(("users", "ada"), "day")
    assert store.get(("users", "ada"), "day").value == {"text": "Ada deploys on Tuesdays"}


def test_many_threads_and_the_event_loop_share_one_store(store: Any) -> None:
    def work(name: str) -> None:
        for n in range(3):
            store.put(("t", name), str(n), {"n": n})

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()

    async def asked() -> list[Any]:
        await asyncio.gather(*(store.aput(("t", "loop"), str(n), {"n": n}) for n in range(3)))
        return [await store.aget(("t", "loop"), str(n)) for n in range(3)]

    items = asyncio.run(asked())
    for thread in threads:
        thread.join()
    assert [item.value["n"] for item in items] == [0, 1, 2]
    assert len(store.search(("t",), limit=20)) == 12


def test_a_persons_voice_is_not_lent_to_a_framework(open_as: Callable[..., Memory]) -> None:
    with pytest.raises(Invalid, match="a person's voice"):
        langgraph_store(open_as(PERSON), base)


def test_a_graph_remembers_and_another_run_recalls(store: Any, open_as: Callable[..., Memory]) -> None:
    """A real graph with a scripted model: what one thread was told, another is answered from, with its provenance."""
    from langchain_core.language_models.fake_chat_models import FakeListChatModel
    from langgraph.graph import END, START, StateGraph
    from langgraph.runtime import Runtime
    from typing_extensions import TypedDict

    class State(TypedDict):
        said: str
        answer: str

    model = FakeListChatModel(responses=["noted", "on Fridays"])

    def remember(state: State, runtime: Runtime[Any]) -> dict[str, str]:
        assert runtime.store is not None
        if state["said"].endswith("?"):
            return {}
        runtime.store.put(("users", "ada"), "day", {"text": state["said"]})
        return {}

    def answer(state: State, runtime: Runtime[Any]) -> dict[str, str]:
        assert runtime.store is not None
        known = runtime.store.search(("users", "ada"), query=state["said"])
        prompt = f"{[item.value['text'] for item in known]} {state['said']}"
        return {"answer": f"{prompt} -> {model.invoke(prompt).content}"}

    graph = StateGraph(State)
    graph.add_node("remember", remember)
    graph.add_node("answer", answer)
    graph.add_edge(START, "remember")
    graph.add_edge("remember", "answer")
    graph.add_edge("answer", END)
    runnable = graph.compile(store=store)
    runnable.invoke({"said": "Ada deploys on Fridays", "answer": ""})
    done = runnable.invoke({"said": "when does Ada deploy?", "answer": ""})
    assert done["answer"] == "['Ada deploys on Fridays'] when does Ada deploy? -> on Fridays"
    with pytest.raises(NotStored, match="holds a credential"):  # the graph's caller is told
        runnable.invoke({"said": f"the key is {tokens()['stripe-live']}", "answer": ""})
    [found] = open_as(PERSON).recall("when does Ada deploy?").concluded
    assert (found.record.channel, found.record.principal) == ("agent", "robot")
