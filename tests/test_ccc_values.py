"""Classes of values are dataclasses in all but how they are made."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any

import pytest

from ccc.objects import INT, REAL, UNIT, Array, Product, Record
from ccc.values import slotted, value


class Written:
    """What the classes below say themselves."""

    __slots__ = ()

    def __str__(self) -> str:
        return "written"


def declared(make: Any) -> type:
    """One class with all that fields may say, made by a decorator."""

    @make
    class Step(Written):
        """A step."""

        name: str
        size: int = 1
        span: Any = field(default=None, compare=False, repr=False)
        seen: dict[str, Any] = field(default_factory=dict, init=False, compare=False)
        twice: int = field(init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "twice", 2 * self.size)

        def of_super(self) -> str:
            return Written.__str__(self)

    return Step


OURS, THEIRS = declared(value(checked=True)), declared(dataclass(frozen=True, slots=True))
GIVEN: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    (("a",), {}), (("a", 1), {}), (("a", 1, "here"), {}), (("b",), {}), (("a",), {"size": 2}), ((), {"name": "a"}),
]


def test_they_are_equal_hashed_and_shown_as_dataclasses_are():
    pairs = [(OURS(*args, **kwargs), THEIRS(*args, **kwargs)) for args, kwargs in GIVEN]
    for a, b in pairs:
        assert hash(a) == hash(b) and repr(a) == repr(b) and str(a) == "written" and a.twice == b.twice
        assert [a == other for other, _ in pairs] == [b == other for _, other in pairs] and a != b
    assert pairs[0][0].seen == {} and pairs[0][0].seen is not pairs[1][0].seen


@pytest.mark.parametrize("attribute", ["__slots__", "__match_args__", "__doc__", "__module__", "__qualname__"])
def test_the_classes_have_the_same_attributes(attribute: str):
    assert getattr(OURS, attribute) == getattr(THEIRS, attribute)


def test_dataclasses_knows_their_fields():
    said = [[(f.name, f.type, f.default, f.init, f.repr, f.compare) for f in dataclasses.fields(cls)]
            for cls in (OURS, THEIRS)]
    assert said[0] == said[1] and len(said[0]) == 5
    assert dataclasses.replace(OURS("a", 2), size=3) == OURS("a", 3)
    assert dataclasses.asdict(OURS("a")) == dataclasses.asdict(THEIRS("a"))
    assert [f.name for f in dataclasses.fields(Record)] == ["parts", "cls", "names"]


@pytest.mark.parametrize("args", [(), ("a", 1, 2, 3)])
def test_what_is_missing_or_too_much_is_named(args: tuple[Any, ...]):
    with pytest.raises(TypeError, match=r"Step.__init__\(\) (missing|takes)"):
        OURS(*args)


def test_those_that_are_checked_do_not_change():
    made = OURS("a")
    with pytest.raises(FrozenInstanceError, match="'name'"):
        made.name = "b"
    with pytest.raises(FrozenInstanceError, match="'size'"):
        del made.size
    assert made == OURS("a")


def test_the_others_change_where_they_are_slotted():
    @slotted
    class Count:
        times: int = 0

    a, b = Count(), Count()
    a.times += 1
    assert (a.times, b.times) == (1, 0) and a != b and len({a, b}) == 2
    with pytest.raises(AttributeError):
        a.more = 1  # type: ignore[attr-defined]


@value(checked=True)
class Place:
    name: str
    line: int = field(default=0, compare=False)


RECORD = Record((REAL, INT), dict, ("a", "b"))


@pytest.mark.parametrize("x", [REAL, UNIT, Array("float64", ("n", "1")), RECORD, Place("a", 2)])
def test_they_are_copied_and_pickled(x: Any):
    for found in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert found == x and repr(found) == repr(x)


def test_one_class_is_not_equal_to_one_that_it_is_made_of():
    assert Record((REAL,), dict, ("a",)) != Product((REAL,)) and Product((REAL,)) != Record((REAL,), dict, ("a",))
