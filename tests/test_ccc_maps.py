"""Finite maps as an object and its primitives: types, cotangents that lack keys, and terms that hold maps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ccc
from ccc.additive import ZERO, add, dense
from ccc.combinators import const, id_, primitive, prod
from ccc.coproducts import join
from ccc.objects import INT, REAL, TEXT, UNIT, List, Map, Product, Static, array, is_discrete
from ccc.objects_of_values import object_of
from ccc.primitives import boundary, maps, zero_trees
from ccc.primitives.arithmetic import add as plus, mul as times
from ccc.probes import materialised, vjp

FLOATS = Map(TEXT, REAL)


def test_types() -> None:
    assert str(FLOATS) == "{text: R}" and str(Map(Product((INT, INT)), List(REAL))) == "{(int, int): [R]}"
    assert is_discrete(Map(TEXT, INT)) and not is_discrete(FLOATS)
    assert object_of(["a", "b"]) == List(TEXT)
    assert maps.map_of([(1, "a"), (2, "b")], [INT, REAL]) == Map(Product((INT, TEXT)), REAL)


@pytest.mark.parametrize(("a", "b", "expected"), [
    (Map(UNIT, UNIT), FLOATS, FLOATS),
    (Map(INT, INT), Map(INT, REAL), Map(INT, REAL)),
    (Map(INT, REAL), Map(TEXT, REAL), None),
    (Map(INT, REAL), Map(INT, List(REAL)), None),
    (Map(Static("a"), REAL), Map(Static("b"), REAL), FLOATS),
])
def test_joins(a: Map, b: Map, expected: Map | None) -> None:
    assert join(a, b) == join(b, a) == expected


def test_what_has_no_common_type_is_refused() -> None:
    with pytest.raises(TypeError, match="the keys of a dict must share a type: found an integer and a text"):
        maps.put.type_of((Map(INT, REAL), REAL, TEXT), {})
    with pytest.raises(TypeError, match="the items of a dict must share a type: found a real number and a list"):
        maps.put.type_of((Map(INT, REAL), List(REAL), INT), {})


def test_reading_touches_one_item() -> None:
    m = {"a": 1.0, "b": 2.0}
    ct, key = maps.lookup.pullback(3.0, 2.0, m, "b")  # type: ignore[misc]
    assert key is ZERO and dense(ct) == {"b": 3.0}
    assert dense(add(ct, ct)) == {"b": 6.0}
    assert add({"a": 1.0}, ct) == {"a": 1.0, "b": 3.0}
    assert add({"a": 1.0}, {"c": 2.0, "a": 0.5}) == {"a": 1.5, "c": 2.0}


def test_a_lacking_key_is_zero() -> None:
    assert maps.entry({}, 5.0, "a") == 0.0
    assert np.array_equal(maps.entry({}, np.ones(2), "a"), np.zeros(2))
    assert maps.without_entry({"a": 1.0}, "b") == {"a": 1.0}
    assert boundary.conform({"b": 1.0}, {"a": 2.0, "b": np.float64(3.0), "c": 1}) == {"a": 0.0, "b": 1.0, "c": None}
    assert zero_trees.add_trees({"a": [1.0]}, {"a": [2.0], "b": [5.0]}) == {"a": [3.0], "b": [5.0]}
    assert materialised({"a": 2.0}, {"a": 1.0, "b": 3.0}, FLOATS) == {"a": 2.0, "b": 0.0}


def test_updates_leave_the_old_map_alone() -> None:
    m = {1: 1.0}
    found = [maps.put(m, 2.0, 2), maps.remove(m, 1), maps.merged(m, {1: 5.0}), maps.copied(m)]
    found.append(maps.add_entry(m, 1.0, 1))
    assert m == {1: 1.0} and found == [{1: 1.0, 2: 2.0}, {}, {1: 5.0}, {1: 1.0}, {1: 2.0}]


def test_order_is_that_of_insertion() -> None:
    m: Any = maps.put(maps.put({3: 1.0, 1: 2.0}, 5.0, 2), 7.0, 3)
    assert maps.keys_of(m) == [3, 1, 2] and maps.values_of(m, [3, 1, 2]) == [7.0, 2.0, 5.0] and maps.last_key(m) == 2


@pytest.mark.parametrize("p", [maps.lookup, maps.remove])
def test_a_missing_key_raises_with_the_key(p: Any) -> None:
    with pytest.raises(KeyError) as found:
        p({1: 2.0}, (1, 2))
    assert found.value.args == ((1, 2),)


def test_a_term_that_holds_a_map() -> None:
    """x |-> ({"a": x, "b": 3 x} with "a" replaced by x * x)["a"] + ["b"], in every exponential."""
    x, three = id_(REAL), const(REAL, 3.0, REAL)
    mul, adds = ccc.primitive(times, REAL, REAL), ccc.primitive(plus, REAL, REAL)
    made = prod(x, prod(x, three) >> mul) >> primitive(maps.mapping, REAL, REAL, keys=("a", "b"), key=TEXT)
    key = [const(REAL, k, Static(k)) for k in "ab"]
    changed = prod(made, prod(x, x) >> mul, key[0]) >> primitive(maps.put, FLOATS, REAL, Static("a"))
    items = [prod(changed, k) >> primitive(maps.lookup, FLOATS, Static(n)) for k, n in zip(key, "ab", strict=True)]
    term = prod(*items) >> adds
    for exponential in (ccc.Delta(), ccc.AdditiveMap(), ccc.AnyDerivative()):
        value, pullback = vjp(term, exponential=exponential)(2.0)
        assert (value, pullback(1.0)) == (10.0, 7.0)
    assert ccc.functor(ccc.Forward(), term)((2.0, 1.0)) == (10.0, 7.0)


def test_arrays_as_items() -> None:
    a = array("float64", ("n",))
    assert maps.put.type_of((Map(UNIT, UNIT), a, INT), {}) == Map(INT, a)
    ct, v, _ = maps.put.pullback({1: np.ones(2)}, None, {}, np.zeros(2), 1)  # type: ignore[misc]
    assert ct == {} and np.array_equal(v, np.ones(2))


