"""How often a function is read: what one reading tells the next one knows, and what is refused is not read in vain."""

from __future__ import annotations

import itertools
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from test_compile_generators import by_names
from test_compile_stores_records import Model, along_what_changes, another_one, under_two_names

import ccc
from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import closures, elaborate, turns
from ccc.compile.frontend.earlier import Earlier, Items, Sites
from ccc.compile.frontend.lent import Changed, Site
from ccc.compile.frontend.memory.stored import one_region
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import Regions
from ccc.compile.frontend.turns import in_turns
from ccc.objects import REAL, TEXT, Object


def shown(m: Model, x: float) -> Any:
    seen = along_what_changes(m, x)
    under_two_names(m, x)
    another_one(m, x)
    return sum(seen) * x + np.sum(m.q["v"]) + sum(m.q["k"]) + m.p["sub"]["a"] * x


def counted(f: Any, *args: Any) -> tuple[Any, int]:
    """What a compiled function gives, and how often it was read."""
    times = 0
    read = elaborate.read_program

    def reading(*given: Any) -> Any:
        nonlocal times
        times += 1
        return read(*given)

    with patch.object(elaborate, "read_program", reading):
        return ccc.compiled(f)(*args), times


def test_a_model_is_read_a_few_times() -> None:
    value, times = counted(shown, Model(), 1.5)
    assert value == pytest.approx(shown(Model(), 1.5), rel=1e-14)
    assert times <= 24


def test_generators_that_are_kept_are_read_a_few_times() -> None:
    value, times = counted(by_names, 1.5, 4)
    assert value == by_names(1.5, 4)
    assert times <= 26


def lazily(x: float, xs: list[float]) -> Any:
    log = [x]

    def some(a: float) -> Any:
        b = 0.5 * a
        yield b
        for v in xs:
            for v in range(3):
                yield a + v
        log.append(b)
        yield b * a

    left = iter(itertools.chain(some(1.5 * x), [0.5]))
    s = next(left) + next(left)
    for u in left:
        s += 0.5 * u
    return s + sum(log)


def test_a_branch_in_which_a_store_becomes_wider_tells_more_than_one_part() -> None:
    value, times = counted(lazily, 1.5, [1.0, 2.0])
    assert value == lazily(1.5, [1.0, 2.0])
    assert times <= 10


def test_what_was_refused_is_read_again_where_that_may_differ() -> None:
    sites, times = Sites(), 0
    of_empty: Object = REAL
    earlier = Earlier(sites, lambda: Items(of_empty))

    def read(items: Items) -> None:
        nonlocal times
        times += 1
        assert "asked" in sites.known or "asked" not in sites
        raise Changed([Site(0)])

    def refused() -> int:
        with pytest.raises(Changed):
            earlier.plain(frozenset(), read, True)
        return times

    assert [refused(), refused()] == [1, 1]
    sites.add("another")
    of_empty = TEXT
    assert refused() == 1
    sites.add("asked")
    assert [refused(), refused()] == [2, 2]
    assert earlier.lent() == {Site(0)}


def test_what_stores_would_mend_on_a_larger_stack_is_refused_for_the_stack() -> None:
    def refused() -> str:
        with pytest.raises(ccc.CCCError) as found:
            in_turns(reading, Earlier(Sites(), lambda: Items(REAL)))
        return found.value.code

    def reading(regions: Regions | None, asked: Any) -> None:
        raise unsupported("CC011" if regions is None else "CC060", "refused", None)

    assert refused() == "CC060"
    with patch.object(turns, "is_larger", lambda: True):
        assert refused() == "CC011"


def deep(x: float) -> float:
    t = x

    def first(v: float) -> None:
        nonlocal t
        t = 0.5 * t + v * x

    def second(v: float) -> None:
        first(v)
        first(v * v)

    def third(v: float) -> None:
        second(v)
        second(v + x)

    def fourth(v: float) -> None:
        third(v)

    def fifth(v: float) -> None:
        fourth(v)

    def sixth(v: float) -> None:
        fifth(v)

    sixth(x)
    return t


def test_functions_within_functions_that_change_names_are_not_read_twice_at_each_depth() -> None:
    times, read = 0, closures.inlined

    def reading(e: Any, function: Any, given: Any) -> Any:
        nonlocal times
        times += function.name == "first"
        return read(e, function, given)

    with patch.object(closures, "inlined", reading):
        assert ccc.value_with_gradient(deep)(0.7)[0] == deep(0.7)
    assert 4 <= times <= 4 * 6


def test_items_that_were_asked_for_may_be_others() -> None:
    now, given = list[Object]([REAL]), list[Object]()
    earlier = Earlier(Sites(), lambda: Items(now[0]))

    def read(items: Items) -> None:
        given.append(items.object())
        raise unsupported("CC011", "it changes", None, help="copy it")

    for now[0] in (REAL, REAL, TEXT):
        with pytest.raises(ccc.errors.CCCError, match="it changes"):
            earlier.plain(frozenset(), read, True)
    assert given == [REAL, TEXT]


def test_alternatives_of_one_class_become_one_region() -> None:
    regions = Regions()
    places = [("here", Site), ("there", Site), ("another", Changed)]
    a, b, c = [regions.at(place, StoredAs.OBJECT, cls) for place, cls in places]
    regions.grew = False
    one_region([REAL, a.object, c.object, b.object])
    assert a.root() is b.root() is not c.root() and regions.grew
