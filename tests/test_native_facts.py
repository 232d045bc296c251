"""What machine code says of a primitive in its table is what Python and NumPy do, and a wrong fact is found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from test_ccc_primitives_samples import SAMPLES

pytest.importorskip("llvmlite")

from ccc.compile.native import handlers
from ccc.compile.native.table import NOTHING, TABLE, Facts
from ccc.primitives import arithmetic, bilinear, creation, elementary_numpy, lists, rearranging, reductions, structure
from ccc.primitives.primitive import Primitive

HELD = ("zeros", "sizes", "fill", "bits", "structural", "by_order", "by_test")
"""The facts that say what a primitive computes; the others say how machine code is made of it."""
WIDE = np.array([1, 2**63 + 5, 2**64 - 3, 7, 2**62], np.uint64)
"""Numbers of uint64 of which some would be negative with a sign."""


def says(facts: Facts, name: str) -> bool:
    """Whether a fact is said."""
    return getattr(facts, name) is not getattr(NOTHING, name)


def samples(p: Primitive) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Arguments and parameters of a primitive."""
    yield from [(s.args, s.params) for s in SAMPLES.get(p.name, ())]


def numbers(x: Any) -> Any:
    """The numbers of a value in an array; None where it holds others."""
    with suppress(TypeError, ValueError):
        found = np.asarray(x, float)
        return found
    return None


def has_zeros(p: Primitive, facts: Facts, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether the result is zero where an argument among the `zeros` is."""
    for i in facts.zeros:
        y = numbers(p.value(*args[:i], args[i] * 0.0, *args[i + 1 :], **params))
        if y is None or np.any(y != 0.0):
            return False
    return True


def has_sizes(p: Primitive, facts: Facts, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether the sizes of a new array are its last arguments."""
    return np.shape(p.value(*args, **params)) == args[facts.sizes :]


def is_filled(p: Primitive, facts: Facts, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether all numbers of a result are the one that it is filled with."""
    y = numbers(p.value(*args, **params))
    return y is None or bool(np.all(y == facts.fill))


def is_of_bits(p: Primitive, facts: Facts, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether numbers of uint64 give the bits that they give as numbers with a sign."""
    if not 0 < len(args) < 3 or {"dtype", "axis"} & {*params}:
        return True
    for given in product(WIDE, repeat=len(args)):
        with np.errstate(all="ignore"):
            y, z = p.value(*given, **params), p.value(*[x.view(np.int64) for x in given], **params)
        if np.asarray(y).astype(np.uint64) != np.asarray(z).astype(np.uint64):
            return False
    return True


def is_structural(p: Primitive, facts: Facts, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether it does with lists of anything what it does with lists of numbers."""
    given = [[object() for _ in x] if isinstance(x, list) else x for x in args]
    try:
        found = p.value(*given, **params)
    except TypeError:
        return False
    held = [x for xs in given if isinstance(xs, list) for x in xs] + given
    return all(any(x is y for y in held) or isinstance(x, int) for x in (found if isinstance(found, list) else [found]))


def moves_by_order(p: Primitive, facts: Facts, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether the items are moved as by the order of the last argument."""
    assert facts.by_order is not None
    q, count = facts.by_order
    axis = params.get("axis", -1)
    order = np.argsort(args[-1], axis=axis, kind="stable")
    return np.array_equal(p.value(*args, **params), q.value(*args[:count], order, axis=axis))


def chooses_by_test(p: Primitive, facts: Facts, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether the second of two numbers is given where a test holds of it and the first."""
    assert facts.by_test is not None
    pairs = ((1.0, 2.0), (2.0, 1.0), (0.0, -0.0), (-0.0, 0.0))
    return all(repr(p.value(a, b)) == repr(b if facts.by_test.value(b, a) else a) for a, b in pairs)


CHECKS: dict[str, Callable[..., bool]] = dict(zip(
    HELD, (has_zeros, has_sizes, is_filled, is_of_bits, is_structural, moves_by_order, chooses_by_test), strict=True))


def wrong(p: Primitive, facts: Facts) -> set[str]:
    """The facts of a primitive that do not hold at its samples."""
    found = set[str]()
    for name in [name for name in HELD if says(facts, name)]:
        for args, params in samples(p):
            with np.errstate(all="ignore"):
                try:
                    held = p.name == "range" or CHECKS[name](p, facts, args, params)  # which is known by its ends
                except (TypeError, ValueError, LookupError, ArithmeticError):
                    held = False
            found |= set() if held else {name}
    return found


SAID = [p for p, entry in TABLE.items() if any(says(entry.facts, name) for name in HELD)]


@pytest.mark.parametrize("p", SAID, ids=repr)
def test_facts_hold(p: Primitive) -> None:
    assert not wrong(p, TABLE[p].facts)


PLANTED: list[tuple[str, Primitive, Any]] = [
    ("zeros", arithmetic.add, (0,)), ("zeros", arithmetic.div, (1,)), ("sizes", creation.full, 0),
    ("fill", creation.ones, 0.0), ("fill", creation.full, 0.0), ("bits", elementary_numpy.less, True),
    ("bits", elementary_numpy.floor_divide, True), ("structural", reductions.sum_, True),
    ("structural", structure.add_item, True), ("by_order", rearranging.sort, (rearranging.take_along_axis_onto, 1)),
    ("by_order", rearranging.unsorted, (rearranging.take_along_axis, 2)),
    ("by_test", arithmetic.largest, arithmetic.less),
    ("by_test", arithmetic.smallest, arithmetic.greater), ("by_test", arithmetic.largest, arithmetic.greater_equal),
]


@pytest.mark.parametrize(("fact", "p", "planted"), PLANTED)
def test_a_planted_wrong_fact_is_found(fact: str, p: Primitive, planted: Any) -> None:
    assert fact in wrong(p, replace(TABLE[p].facts if p in TABLE else NOTHING, **{fact: planted}))


def test_each_fact_is_planted() -> None:
    assert {fact for fact, _, _ in PLANTED} == set(HELD) <= {field.name for field in fields(Facts)}
    assert len(handlers.MODULES) > 20
    assert lists.append in SAID and bilinear.matmul not in SAID
