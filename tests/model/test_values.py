"""Our dataclasses behave as the standard library's do."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any, ClassVar, Generic, Iterable, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoranda.model import values

T = TypeVar("T")


def both(frozen: bool) -> tuple[type[Any], type[Any]]:
    """The same class body, ours and theirs."""

    class Spot(Generic[T]):
        """A body with everything that is used."""

        kind: ClassVar[str] = "spot"
        x: int
        name: str = "n"
        tags: tuple[str, ...] = ()

        @property
        def twice(self) -> int:
            return self.x * 2

    theirs = dataclasses.dataclass(frozen=frozen, slots=True)(Spot)
    ours = values.dataclass(frozen=frozen, slots=True)(Spot)
    return ours, theirs


@values.dataclass(frozen=True, slots=True)
class Base:
    a: int
    b: str = "b"


@values.dataclass(frozen=True, slots=True)
class Derived(Base):
    c: list[int] = values.field(default_factory=list)


@values.dataclass(slots=True)
class Pile:
    items: dict[str, int] = values.field(default_factory=dict)


@values.dataclass(frozen=True, slots=True)
class Marked:
    a: int
    place: str = values.field(default="", compare=False)


@values.dataclass(frozen=True, slots=True)
class Nothing:
    pass


@pytest.mark.parametrize("frozen", [True, False])
@given(st.integers(), st.text(), st.lists(st.text(max_size=3)))
def test_shown_equal_and_hashed_as_theirs(frozen: bool, x: int, name: str, tags: Iterable[str]) -> None:
    ours, theirs = both(frozen)
    for arguments in ((x,), (x, name), (x, name, tuple(tags))):
        mine, other = ours(*arguments), theirs(*arguments)
        assert repr(mine) == repr(other)
        assert (mine == ours(*arguments), mine == other, mine == ours(x + 1)) == (True, False, False)
        assert mine.twice == other.twice
        assert ours.kind == theirs.kind
        assert dataclasses.asdict(mine) == dataclasses.asdict(other) == values.as_dict(mine)
        assert [one.name for one in dataclasses.fields(mine)] == list(values.names_of(mine)) == ["x", "name", "tags"]
        assert values.replace(mine, x=7) == dataclasses.replace(mine, x=7) == ours(7, *arguments[1:])
        assert (type(mine).__hash__ is None) == (type(other).__hash__ is None) == (not frozen)
    if frozen:
        assert hash(ours(x, name)) == hash(ours(x, name))


@pytest.mark.parametrize("arguments", [((), {}), ((1, "a", (), 4), {}), ((1,), {"x": 2}), ((1,), {"y": 2})])
def test_wrong_arguments_are_refused_as_theirs(arguments: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
    for made in both(True):
        with pytest.raises(TypeError):
            made(*arguments[0], **arguments[1])


def test_frozen_is_frozen_and_has_no_room_for_more() -> None:
    value = Derived(1)
    for change in (lambda: setattr(value, "a", 2), lambda: delattr(value, "a"), lambda: setattr(value, "z", 2)):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    with pytest.raises(AttributeError):
        Pile().other = 1  # type: ignore[attr-defined]
    assert not hasattr(value, "__dict__")


def test_fields_are_inherited_and_factories_make_each_their_own() -> None:
    assert repr(Derived(1, c=[2])) == "Derived(a=1, b='b', c=[2])"
    assert Derived(1).c is not Derived(1).c
    one, other = Pile(), Pile()
    one.items["a"] = 1
    assert other.items == {}
    assert dataclasses.replace(Derived(1), a=3) == Derived(3)
    match Derived(1, "z"):
        case Derived(a, b):
            assert (a, b) == (1, "z")


def test_a_field_may_be_left_out_of_comparing() -> None:
    assert Marked(1, "here") == Marked(1, "there")
    assert hash(Marked(1, "here")) == hash(Marked(1))
    assert Marked(1) != Marked(2)
    assert repr(Marked(1, "here")) == "Marked(a=1, place='here')"
    assert [one.compare for one in dataclasses.fields(Marked)] == [True, False]


def test_copied_and_pickled() -> None:
    for value in (Derived(1, "x", [3]), Pile({"a": 1}), Nothing()):
        assert copy.copy(value) == copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value
    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(Nothing())


def test_replace_takes_standard_dataclasses_too() -> None:
    @dataclasses.dataclass(frozen=True)
    class Other:
        a: int

    assert values.replace(Other(1), a=2) == Other(2)
