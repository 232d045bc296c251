"""What machine code says of a primitive in its table is what Python and NumPy do, and a wrong fact is found."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from native_checks import modules
from test_ccc_primitives_acts import ACTS, run
from test_ccc_primitives_samples import SAMPLES

pytest.importorskip("llvmlite")

import ccc
from ccc.compile.native import handlers, scalars, whole_numbers
from ccc.compile.native.table import ALWAYS, IN_ARMS, NOTHING, TABLE, Entry, Facts, entry
from ccc.primitives import (
    arithmetic,
    bilinear,
    creation,
    drawing,
    effects,
    elementary_numpy,
    lists,
    maps,
    rearranging,
    reductions,
    structure,
    texts,
)
from ccc.primitives.primitive import Primitive

HELD = ("zeros", "sizes", "fill", "bits", "structural", "orders", "sameness", "by_order", "by_test")
"""The facts that say what a primitive computes."""
BY_CODE = ("exact", "unsigned", "by_number", "columns", "ends")
"""Those that say how machine code is made of it, which is run."""
SIGN = np.uint64(2**63)
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


def is_of_order(p: Primitive, facts: Facts, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether numbers of uint64 are compared or chosen as numbers with a sign are that stand in the same order."""
    for given in product([*WIDE, np.uint64(0)], repeat=len(args)) if 0 < len(args) < 3 else ():
        with np.errstate(all="ignore"):
            y, z = p.value(*given, **params), p.value(*[(x ^ SIGN).view(np.int64) for x in given], **params)
        chosen = np.asarray(z).dtype.kind == "i"
        if np.asarray(y).dtype.kind not in "bu" or y != (np.int64(z).view(np.uint64) ^ SIGN if chosen else z):
            return False
    return True


def renamed(x: Any, keys: bool = False) -> Any:
    """A value with other texts and whole numbers, no two alike, in another order."""
    if isinstance(x, dict):
        return {renamed(k, True): renamed(v, keys) for k, v in x.items()}
    if isinstance(x, list | tuple):
        return type(x)([renamed(v, keys) for v in x])
    if isinstance(x, str):
        return f"{9 - len(x)}{''.join([chr(159 - ord(c)) if 33 <= ord(c) <= 126 else c for c in reversed(x)])}"
    return -7 * x if keys and type(x) is int else x


OF_KEYS: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "check_size": [(({"a": 1.5}, 1), {})],
    **{name: [((a, b), {}) for a, b in product(("a", "b", "ab"), repeat=2)]
       for name in ("equal", "np.equal", "not_equal", "np.not_equal", "less", "add", "within")},
}
"""Samples with texts, where those of the registry have none."""


def tells_the_same(p: Primitive, facts: Facts, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether it does with other texts or keys what it does with these, so that only which are the same counts."""
    for given, named in OF_KEYS.get(p.name, [(args, params)]):
        others = [x if p is maps.check_size and type(x) is int else renamed(x, True) for x in given]
        y = p.value(*others, **{name: renamed(x, True) for name, x in named.items()})
        if repr(renamed(p.value(*given, **named), True)) != repr(y):
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
    HELD, (has_zeros, has_sizes, is_filled, is_of_bits, is_structural, is_of_order, tells_the_same, moves_by_order,
           chooses_by_test), strict=True))


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


SAID = [p for p, each in TABLE.items() if any(says(each.facts, name) for name in HELD)]


@pytest.mark.parametrize("p", SAID, ids=repr)
def test_facts_hold(p: Primitive) -> None:
    assert not wrong(p, TABLE[p].facts)


PLANTED: list[tuple[str, Primitive, Any]] = [
    ("zeros", arithmetic.add, (0,)), ("zeros", arithmetic.div, (1,)), ("sizes", creation.full, 0),
    ("fill", creation.ones, 0.0), ("fill", creation.full, 0.0), ("bits", elementary_numpy.less, True),
    ("bits", elementary_numpy.floor_divide, True), ("structural", reductions.sum_, True),
    ("structural", structure.add_item, True), ("by_order", rearranging.sort, (rearranging.take_along_axis_onto, 1)),
    ("by_order", rearranging.unsorted, (rearranging.take_along_axis, 2)),
    ("orders", elementary_numpy.subtract, True), ("orders", elementary_numpy.floor_divide, True),
    ("orders", elementary_numpy.logical_and, True), ("sameness", arithmetic.less, True),
    ("sameness", texts.within, True), ("sameness", arithmetic.add, True),
    ("by_test", arithmetic.largest, arithmetic.less),
    ("by_test", arithmetic.smallest, arithmetic.greater), ("by_test", arithmetic.largest, arithmetic.greater_equal),
]


@pytest.mark.parametrize(("fact", "p", "planted"), PLANTED)
def test_a_planted_wrong_fact_is_found(fact: str, p: Primitive, planted: Any) -> None:
    assert fact in wrong(p, replace(TABLE[p].facts if p in TABLE else NOTHING, **{fact: planted}))


def test_each_fact_is_planted() -> None:
    held = {fact for fact, _, _ in PLANTED}
    assert held == set(HELD) and {fact for fact, *_ in MACHINE} == set(BY_CODE)
    assert held | set(BY_CODE) == {field.name for field in fields(Facts)}
    assert len(handlers.MODULES) > 20
    assert lists.append in SAID and bilinear.matmul not in SAID


# -- what machine code is made of --------------------------------------------------------------------------------------


def function_of(text: str, p: Primitive) -> Callable[..., Any]:
    """A new function `f`, of a text in which the primitive is `p`."""
    file = f"<{p.name} in {text}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    scope: dict[str, Any] = {"p": p, "np": np}
    exec(compile(text, file, "exec"), scope)
    return scope["f"]


def same(text: str, p: Primitive, *args: Any) -> bool:
    """Whether machine code gives the bits that Python gives."""
    f = function_of(text, p)
    with np.errstate(all="ignore"):
        found, wanted = ccc.compiled(f, backend="native")(*args), f(*args)
    return type(found) is type(wanted) and np.asarray(found).tobytes() == np.asarray(wanted).tobytes()


def computes_unsigned(p: Primitive) -> bool:
    """Whether numbers of uint64 are computed as NumPy computes them; as Python's, those that are of 63 bits."""
    by = np.array([3, 5, 2, 1, 7], np.uint64)
    one = p is arithmetic.to_int
    return same("def f(a):\n    return int(a[0]) + int(a[3])\n" if one else "def f(a, b):\n    return p(a, b)\n",
                p, *([WIDE % SIGN] if one else [WIDE, by]))


def computes_by_number(p: Primitive) -> bool:
    """Whether items of an array and one number give what NumPy gives of them: roots, of what has none by powers."""
    a = np.array([-np.inf, -0.0, 0.0, 2.0, 5.5])
    return all(same("def f(a, n):\n    return p(a, n)\n", p, a, n) for n in (0.5, 2.0))


def computes_exactly(p: Primitive) -> bool:
    """Whether whole numbers that surely do not overflow give what they do in Python."""
    one = p is arithmetic.neg
    terms = "p(i)" if one else "p(i, j) * 100 + p(j, 3)"
    loops = "    for i in range(5):\n        for j in range(7):\n"
    text = f"def f(x):\n    s = 0.0\n{loops}            s += x[0] * ({terms})\n    return s\n"
    return same(text, p, np.array([1.0]))


def reads_columns(p: Primitive) -> bool:
    """Whether code in loops copies the few columns of a matrix, and reads the copies where the primitive stands."""
    text = """def f(X, R, sweeps):
    Z, total = X * 1.0, X * 0.5
    for _ in range(sweeps):
        for _ in range(sweeps):
            total += p(Z, R * np.cos(total[0, 0])) * total
    return np.sum(total)
"""
    f, texts = function_of(text, p), list[str]()
    args = np.ones((400, 3)) * 0.5, np.linspace(0.0, 1.0, 9).reshape(3, 3), 3
    with pytest.MonkeyPatch.context() as patch:
        texts = modules(patch)
        ccc.compiled(f, backend="native")(*args)
    return bool(texts) and "call void @ccc_column" in texts[-1]


def leaves(p: Primitive) -> bool:
    """Whether something always happens that machine code leaves to others: an exception, or in arms what is shown."""
    _, (printed, _, raised) = run(p, dict(ACTS)[p]())
    return bool(raised) or (TABLE[p].facts.ends == IN_ARMS and bool(printed))


MADE: dict[str, Callable[[Primitive], bool]] = dict(zip(
    BY_CODE, (computes_exactly, computes_unsigned, computes_by_number, reads_columns, leaves), strict=True))


@pytest.mark.parametrize(("name", "p"), [(name, p) for name in BY_CODE for p, each in TABLE.items()
                                         if says(each.facts, name)], ids=str)
def test_machine_code_is_made_as_is_said(name: str, p: Primitive) -> None:
    assert MADE[name](p)


MACHINE: list[tuple[str, Primitive, Any]] = [
    ("unsigned", elementary_numpy.mod, scalars.modulo), ("unsigned", arithmetic.right_shift, whole_numbers.right_shift),
    ("unsigned", elementary_numpy.floor_divide, scalars.floor_divide),
    ("by_number", elementary_numpy.power, scalars.power), ("by_number", elementary_numpy.power, scalars.mul),
    ("exact", arithmetic.add, TABLE[arithmetic.sub].facts.exact),
    ("exact", arithmetic.mul, TABLE[arithmetic.add].facts.exact),
    ("columns", bilinear.matmul, False), ("columns", bilinear.inner, True),
    ("ends", effects.show, ALWAYS), ("ends", drawing.draw, ALWAYS), ("ends", effects.warn, IN_ARMS),
]


@pytest.mark.parametrize(("fact", "p", "planted"), MACHINE)
def test_a_planted_wrong_way_is_found(fact: str, p: Primitive, planted: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(TABLE, p, Entry(entry(p).lower, entry(p).number, replace(entry(p).facts, **{fact: planted})))
    assert not MADE[fact](p)
