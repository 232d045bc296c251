"""What the compiler knows of Python's functions is what Python does: each fact is tried, and a wrong one is found."""

from __future__ import annotations

import builtins
import enum
import functools
import io
import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from types import NoneType
from typing import Any, ClassVar

import pytest
from checks import agrees

import ccc
from ccc.compile.frontend.python_functions import FIRST, TABLE, UNKNOWN, Facts, of
from ccc.errors import CCCError


class Counted:
    """An iterator that counts what is asked of it."""

    def __init__(self, items: list[Any]) -> None:
        self.items, self.taken, self.asked = iter(items), 0, 0

    def __iter__(self) -> Counted:
        self.asked += 1
        return self

    def __next__(self) -> Any:
        self.taken += 1
        return next(self.items)


ITEMS = ([3, 0, 2], [(1, 2), (3, 4), (5, 6)])
FIRSTS: tuple[Any, ...] = (None, lambda *xs: xs[0])
"""What stands before what is iterated: functions."""


def calls(function: Any, iterates: slice) -> Iterator[tuple[int, int]]:
    """Calls of a function, where Python takes them, with a counting iterator where it iterates: how many of its items
    were taken by then, and how often it is iterated when the result is asked for one."""
    for items in ITEMS:
        for first in FIRSTS:
            for more in ((), (2,), (float,), (iter([1, 0]),)):
                counted = Counted(list(items))
                try:
                    found = function(*[first] * (iterates.start or 0), counted, *more)
                    taken = counted.taken
                    if isinstance(found, Iterator):
                        next(found, None)
                except (TypeError, ValueError):
                    continue
                yield taken, counted.asked


class Number(enum.IntEnum):
    """A number with a name."""

    TWO = 2


class Asked:
    """An object that notes in `seen` which of its methods are asked."""

    seen: ClassVar[list[str]] = []

    def __getattribute__(self, name: str) -> Any:
        Asked.seen.append("__getattribute__")
        return object.__getattribute__(self, name)


SAME: tuple[list[int], ...] = ([], [], [])
"""What is equal, and not one."""


def answering(name: str, result: Any) -> Callable[..., Any]:
    def method(*args: Any) -> Any:
        Asked.seen.append(name)
        return result

    return method


ANSWERS: dict[str, Any] = {
    "__abs__": 1, "__float__": 1.0, "__int__": 1, "__round__": 1, "__divmod__": (1, 1), "__reversed__": iter(()),
    "__floor__": 1, "__ceil__": 1, "__trunc__": 1, "__str__": "s", "__repr__": "s", "__format__": "s",
    "__setattr__": None,
}  # fmt: skip
for _name, _result in ANSWERS.items():
    setattr(Asked, _name, answering(_name, _result))


def asked_by(function: Any, *more: Any) -> set[str]:
    """The methods of an object that a call asks."""
    Asked.seen.clear()
    with redirect_stdout(io.StringIO()):
        tried(function, (Asked(), *more))
    return set(Asked.seen)


def tried(function: Any, args: tuple[Any, ...]) -> Any:
    """What a call gives, None where it raises."""
    try:
        return function(*args)
    except (TypeError, ValueError, OverflowError, AttributeError):
        return None


def depends_on_order(function: Any, whole: bool) -> bool:
    """Whether what it gives depends on the order of numbers, whole ones alone, or of texts."""
    for items in [[3, 1, 2]] if whole else [[3, 1, 2], [1e32, 1e16, 0.75, -1e32, -1e16], ["b", "a", "c"]]:
        found = [tried(function, (iter(order),)) for order in itertools.permutations(items)]
        if any(x != found[0] for x in found):
            return True
    return False


def by_number(function: Any) -> bool:
    """Whether members of an `IntEnum` are numbers to a function."""
    for args in ((2,), (2, 3), ([2, 1],)):
        plain = tried(function, args)
        named = tried(function, tuple([Number.TWO if a == 2 else [Number.TWO, 1] if a == [2, 1] else a for a in args]))
        if plain != named or (isinstance(plain, str) and plain == repr(2)):
            return False
    return True


def leaves(function: Any, behind: int) -> bool:
    """Whether items of an iterator are left where all was taken of what a function gives of it."""
    for first, more in itertools.product((*FIRSTS, lambda *xs: xs[0] < 2), ((), (2,), ([1],), ([1, 0],))):
        items = iter([(1,), (2,), (3,)] if function is itertools.starmap else [1, 2, 3, 4])
        found = tried(function, (*[first] * behind, items, *more))
        whole = isinstance(found, Iterator) and tried(list, (itertools.islice(found, 20),)) is not None
        if whole and next(items, None) is not None:
            return True
    return False


def gives_again(function: Any, behind: int) -> bool:
    """Whether what a function gives of some objects has one of them twice."""
    for first, more in itertools.product(FIRSTS, ((), (2,), ([object(), object()],))):
        given = [object() for _ in range(4)]
        with redirect_stdout(io.StringIO()):
            found = tried(function, (*[first] * behind, given, *more))
        given_out = tried(list, (inside(found),)) if isinstance(found, (Iterator, tuple)) else None
        reached = list(map(id, given_out or ()))
        if any(reached.count(id(x)) > 1 for x in (*given, given)):
            return True
    return False


def inside(found: Any, depth: int = 3) -> Iterator[Any]:
    """What iterators and tuples give, and those in them."""
    for x in itertools.islice(found, 20):
        yield x
        if depth and isinstance(x, (Iterator, tuple)):
            yield from inside(x, depth - 1)


def wrong(function: Any, facts: Facts) -> set[str]:
    """The facts of a function that do not hold."""
    seen = list(calls(function, facts.iterates if facts.iterating else FIRST)) if facts.takes else []
    one = facts.one and [*map(tried, [function] * 2, [([1], [2]), ([1],)])]
    given = [tried(function, args) for args in ((2,), (2, 3), (2.5,), (0.5,), ("2",), (2, 3, 5), ("a",), ([2.0],))]
    holds = {
        "iterates": not facts.iterating or (bool(seen) and all(asked for _, asked in seen)),
        "takes": not seen or {"all": all, "some": any, "in turn": all, "": any}[facts.takes](
            {"all": taken == 4, "some": 0 < taken < 4, "in turn": taken == 0}[facts.takes] for taken, _ in seen),
        "one": not one or (one[0] in ([1], [2]) and one[1] == 1),
        "any_order": not facts.any_order or not depends_on_order(function, facts.any_order == "whole numbers"),
        "method": facts.method in ("", *asked_by(function, *[1] * (function is divmod))),
        "of_numbers": not facts.of_numbers or all(type(y) in (int, float, bool, str, tuple, NoneType) for y in given),
        "asks": facts.asks != "numbers" or by_number(function),
        "by_class": not facts.by_class or tried(function, (object(),)) is None,
        "shows": not facts.shows or bool({"__str__", "__repr__", "__format__"} & asked_by(function)),
        "of_attributes": not facts.of_attributes or function is object.__setattr__ or any(
            {"__getattribute__", "__setattr__"} & asked_by(function, *more) for more in ((), ("a",), ("a", 1))),
        "of_class": not facts.of_class or not any(
            "__getattribute__" in asked_by(function, *more) for more in ((), (Asked,), ("a",))),
        "by_place": not facts.by_place or len({function(x) for x in SAME}) == len(SAME),
        "again": facts.again == gives_again(function, facts.iterates.start or 0),
        "leaves": facts.takes != "in turn" or facts.leaves == leaves(function, facts.iterates.start or 0),
    }
    return {fact for fact, held in holds.items() if not held}


@pytest.mark.parametrize("function", TABLE, ids=lambda f: getattr(f, "__name__", ""))
def test_what_is_known_of_a_function_is_what_it_does(function: Any) -> None:
    assert not wrong(function, TABLE[function])


PLANTED: list[tuple[str, Any, dict[str, Any]]] = [
    ("iterates", builtins.map, {"iterates": FIRST}), ("iterates", functools.reduce, {"iterates": FIRST}),
    ("iterates", builtins.abs, {"iterates": FIRST}), ("takes", builtins.zip, {"takes": "all"}),
    ("takes", builtins.sum, {"takes": "some"}), ("takes", builtins.any, {"takes": "in turn"}),
    ("takes", builtins.list, {"takes": "in turn"}), ("takes", itertools.accumulate, {"takes": "all"}),
    ("takes", itertools.product, {"takes": "in turn"}), ("takes", builtins.next, {"takes": "all"}),
    ("any_order", builtins.list, {"any_order": "numbers"}), ("any_order", builtins.sum, {"any_order": "numbers"}),
    ("any_order", math.prod, {"any_order": "numbers"}), ("any_order", builtins.tuple, {"any_order": "whole numbers"}),
    ("method", builtins.bool, {"method": "__abs__"}), ("method", math.floor, {"method": "__ceil__"}),
    ("of_numbers", builtins.list, {"of_numbers": True}), ("of_numbers", builtins.reversed, {"of_numbers": True}),
    ("asks", builtins.repr, {"asks": "numbers"}), ("by_class", builtins.bool, {"by_class": True}),
    ("by_class", builtins.str, {"by_class": True}), ("shows", builtins.abs, {"shows": True}),
    ("of_attributes", builtins.abs, {"of_attributes": True}), ("one", builtins.sum, {"one": True}),
    ("of_class", builtins.getattr, {"of_class": True}), ("of_class", builtins.vars, {"of_class": True}),
    ("by_place", builtins.len, {"by_place": True}), ("leaves", itertools.compress, {"leaves": False}),
    ("leaves", itertools.chain, {"leaves": True}), ("again", itertools.pairwise, {"again": False}),
    ("again", itertools.repeat, {"again": False}), ("again", builtins.zip, {"again": True}),
]


@pytest.mark.parametrize(("fact", "function", "planted"), PLANTED)
def test_a_planted_wrong_fact_is_found(fact: str, function: Any, planted: dict[str, Any]) -> None:
    assert fact in wrong(function, TABLE[function]._replace(**planted))


def test_each_fact_is_planted() -> None:
    assert {fact for fact, _, _ in PLANTED} == {*Facts._fields} - {"into"}  # which says how a call is read


def test_of_others_nothing_is_known() -> None:
    class List(list):  # type: ignore[type-arg]
        pass

    assert of(List) is of(lambda xs: xs) is of([]) is of(None) is UNKNOWN


def shadowed(x: float) -> float:
    """`list` is a function of the user's, which leaves the generator where it is."""
    def gen() -> Iterator[float]:
        try:
            yield x
            yield 2.0 * x
        finally:
            print("done")

    def list(it: Iterator[float]) -> float:
        return next(it)

    g = gen()
    y = list(g)
    print("after")
    return y


def test_a_function_of_the_users_is_not_taken_for_the_one_of_pythons_whose_name_it_has() -> None:
    """What the generator does where it is dropped came before what is printed behind the call."""
    with pytest.raises(CCCError, match="a generator that does something where it is dropped is kept"):
        ccc.compiled(shadowed)(2.0)


def reduced(x: float) -> float:
    it = iter([x, 2.0 * x, 3.0 * x])
    next(it)
    return functools.reduce(lambda a, b: a * b, it)


def compressed(x: float) -> float:
    """The items behind the last selector are not made."""
    def gen() -> Iterator[float]:
        for k in range(4):
            print(k)
            yield x * k

    return sum(itertools.compress(gen(), [1, 0])) + x


def paired(x: float) -> float:
    it = iter([x, 2.0 * x, 3.0 * x, 5.0 * x])
    next(it)
    return sum([a * b for a, b in itertools.combinations(it, 2)])


def crossed(x: float) -> float:
    it = iter([x, 2.0 * x, 3.0 * x])
    next(it)
    return sum([a * b for a, b in itertools.product(it, [1.0, x])])


@pytest.mark.parametrize("f", [reduced, paired, crossed])
def test_what_takes_all_takes_what_an_iterator_has_left(f: Callable[[float], float]) -> None:
    agrees(f, 1.7)


def test_what_leaves_items_takes_no_more_of_a_generator_than_python(capsys: pytest.CaptureFixture[str]) -> None:
    """It printed 3, too: all items were made before the selectors were asked."""
    for run in (compressed, ccc.compiled(compressed)):
        assert run(2.0) == 2.0
        assert capsys.readouterr().out == "0\n1\n2\n"


def multiplied(x: float, k: int) -> float:
    return x * math.prod({k, 3, 5})


def test_a_product_of_whole_numbers_asks_for_no_order() -> None:
    agrees(multiplied, 1.5, 2)


def begun(x: float, k: int) -> float:
    return x * sum({k, 3, 5}, 0.1)


def both(x: float, k: int) -> float:
    return x * sum({k, 3} | {5, 3}, 0.1)


def test_a_sum_that_begins_with_a_float_does() -> None:
    agrees(begun, 1.5, 2)
    with pytest.raises(NotImplementedError, match="the order of a set is not known"):
        ccc.compiled(both)(1.0, 2)
