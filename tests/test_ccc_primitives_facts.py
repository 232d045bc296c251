"""What primitives say of themselves (`ccc.primitives.facts`) against what NumPy does with arguments of many forms."""

from __future__ import annotations

import itertools
import math
import random
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from checks import arrays, parts_of
from test_ccc_primitives_samples import SAMPLES, Sample

from ccc.categories.enclosure_rules import rule_of
from ccc.compile.program.ranges import SMALLEST
from ccc.errors import InexactPrimitive, MissingDerivative, UnknownObject
from ccc.objects import Array, Int, Object, Record, array
from ccc.objects_of_values import object_of
from ccc.primitives import (
    along,
    arithmetic,
    bilinear,
    boundary,
    contractions,
    creation,
    decompositions,
    elementary_math,
    elementary_numpy,
    folds,
    gamma,
    indexing,
    joining,
    lists,
    maps,
    matrices,
    primitive,
    products,
    rearranging,
    reductions,
    registry,
    shaping,
    sizes,
    structure,
    texts,
    updating,
    zero_trees,
)
from ccc.primitives.domains import below, empty, several
from ccc.primitives.facts import (
    ANY,
    AT_ZERO,
    ENTRIES,
    FILLING,
    FOREIGN,
    IN_ORDER,
    MAGNITUDE,
    MAY,
    MOVEMENT,
    NEVER,
    NEW,
    NOTHING,
    NOWHERE,
    SIZES,
    STORAGE,
    UNIT,
    Beside,
    Memory,
    beside,
    changed,
    holds,
    in_row,
    items_of,
    jointly,
    may_be,
    out_of,
    refolded,
    same,
    separately,
    turned,
    view,
    wrapped,
)
from ccc.primitives.primitive import Primitive, elementwise
from ccc.primitives.raising import AtLeast, edges, may_raise, tried
from ccc.records import like

pytestmark = pytest.mark.always


def filled(x: Any) -> Any:
    """A value with an array for each number."""
    if not isinstance(x, list | dict):
        return np.array([x, 0.5 * x]) if isinstance(x, float) else x.copy() if isinstance(x, np.ndarray) else x
    return like(x, [filled(part) for part in parts_of(x) or ()])


FORMS: dict[str, Callable[[Any], Any]] = {
    "plain": lambda x: x,
    "fortran": lambda x: np.asfortranarray(x) if x.ndim else x,
    "backwards": lambda x: x[::-1].copy()[::-1] if x.ndim else x,
    "strided": lambda x: np.repeat(x, 2, axis=0)[::2] if x.ndim else x,
    "single": lambda x: x.astype(np.float32) if x.dtype.kind == "f" else x,
}


def each_array(form: Callable[[Any], Any], x: Any) -> Any:
    """A value with each of its arrays, new each time, in a form."""
    parts = parts_of(x)
    if parts is not None:
        return like(x, [each_array(form, part) for part in parts])
    return form(x.copy()) if isinstance(x, np.ndarray) else x


def moved(x: Any, r: random.Random, all_kinds: bool = False) -> Any:
    """A value of the same structure, kinds and sizes with other real numbers, or with others of all kinds."""
    parts = parts_of(x)
    if parts is not None:
        return like(x, [moved(part, r, all_kinds) for part in parts])
    if all_kinds and isinstance(x, bool | np.bool_ | int | np.integer):
        return type(x)(1 - x)
    if all_kinds and isinstance(x, str):
        return x[::-1]
    if all_kinds and isinstance(x, np.ndarray) and x.dtype.kind in "iub":
        return (1 - x.astype(int)).astype(x.dtype)
    if isinstance(x, np.ndarray) and x.dtype.kind == "f":
        return (x + np.reshape([r.uniform(-1.0, 1.0) for _ in range(x.size)], x.shape)).astype(x.dtype)
    return type(x)(x + r.uniform(-1.0, 1.0)) if isinstance(x, float | np.floating) else x


def containers(x: Any) -> Iterator[Any]:
    """The lists and maps in a value, itself first."""
    if isinstance(x, list | dict):
        yield x
    for part in parts_of(x) or ():
        yield from containers(part)


def bits(x: Any) -> Any:
    parts = parts_of(x)
    if parts is not None:
        return type(x), [bits(key) for key in x] if isinstance(x, dict) else [], [bits(part) for part in parts]
    return (type(x), x.dtype, x.shape, x.tobytes()) if isinstance(x, np.ndarray) else (type(x), repr(x))


def entries(x: Any) -> set[float]:
    """The numbers in a value, as single precision has them."""
    parts = parts_of(x)
    if parts is not None:
        return {v for part in parts for v in entries(part)}
    if not isinstance(x, np.ndarray | np.generic | float | int):
        return set()
    return set(np.ravel(x).astype(np.float32).tolist())


def share(a: Any, b: Any) -> bool:
    ones = [x for x in arrays(a) if isinstance(x, np.ndarray)]
    return any(np.shares_memory(x, y) for x in ones for y in arrays(b) if isinstance(y, np.ndarray))


def wrong(p: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> list[str]:
    """The facts of a primitive that do not hold for these arguments."""
    found = list[str]()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        y = p.value(*args, **params)
        memory = p.memory_of(params)
        found += ["memory"] * (not fits(memory, y, args))
        if isinstance(y, np.ndarray) and all(x.flags.writeable for x in arrays(args) if isinstance(x, np.ndarray)):
            read_only = p.is_read_only(tuple(map(object_of, args)), params)
            found += ["read_only"] * (read_only is not None and read_only is y.flags.writeable)
        shape = np.shape(y) if isinstance(y, np.ndarray | float | np.floating) else None
        i = p.like_of(params)
        if i is not None and isinstance(y, list):
            found += ["like"] * (len(args[i]) != len(y))
        elif i is not None and shape is not None:
            found += ["like"] * (isinstance(args[i], np.ndarray) and np.shape(args[i]) != shape)
            found += ["like"] * (p.type_rule is elementwise and bool(args[1:]))  # of arguments that broadcast
        for i in [i for i in range(len(args)) if i in p.sizes]:
            for x in (moved(args[i], random.Random(1), all_kinds=True), *elsewhere(args[i])):
                found += ["sizes"] * (tried_bits(p, (*args[:i], x, *args[i + 1 :]), params) != bits(y))
        if p.overwrites is not None and p.type_rule is not elementwise:
            found += ["overwrites"] * (not is_update(p, args, params, y))
        found += ["bounds"] * (p.bounds != ANY and not within_bounds(p, args, params))
        groups = p.linear_of(params).groups(len(args))
        found += ["linear"] * any(linear_in(p, group, args, params) is False for group in groups)
        found += ["shape"] * wrong_sizes(p, args, params, y)
        if primitive.fits(p) and not params and isinstance(args[0], np.ndarray) and args[0].ndim:
            found += ["fits"] * (bits(p.value(args[0], args[0], **params)) != bits(args[0]))
        if p.increasing:
            found += ["increasing"] * (not increases(p, args, params))
        if p.magnitudes is not None:
            found += ["magnitudes"] * (not has_magnitudes(p, args, params))
        if p.modulus is not None:
            found += ["modulus"] * (not stays_near(p, args, params))
        if p.enclosed:
            found += ["enclosed"] * (not is_enclosed(p, args, params))
        if p.turns_of(len(args)) is not None and not params:
            found += ["turns"] * (not is_monotone_between(p, len(args)))
        if p.finite != ANY:
            found += ["finite"] * (not overflows_beyond(p))
        if p.powers:
            found += ["powers"] * any(not np.isclose(p.value(x, n), math.prod([x] * n)) for x in (-1.5, 0.5)
                                      for n in range(5))
        if p.remainder is not None:
            found += ["remainder"] * (not remains(p, args, params))
        if p.shares:
            found += ["shares"] * (not gives_shares(p))
        if p.adding:
            found += ["adding"] * (not adds(p, args, params))
        if p.adds:
            found += ["adds"] * (not adds_others(p, args, params, y))
        if p.reads is not None:
            found += ["reads"] * (not reads_there(p, args, params, y))
        if p.writes is not None:
            found += ["writes"] * (not writes_there(p, args, params, y))
        if p.as_tuple:
            found += ["as_tuple"] * (type(getattr(np, p.name.removeprefix("np."))(*args, **params)) is not tuple)
        if p.axis is not None:
            found += ["axis"] * (tried_at(np.shape(args[0]), p.axis(params)) != y)
        if p.commutative:
            found += ["commutative"] * (bits(p.value(*args[::-1], **params)) != bits(y))
            found += ["commutative"] * (tried_bits(p, (0.0, -0.0), params) != tried_bits(p, (-0.0, 0.0), params))
        if p.ufunc is not None and any(isinstance(x, np.ndarray) for x in args):
            found += ["ufunc"] * (bits(p.ufunc(*args)) != bits(y))
        if p.work == MOVEMENT:
            found += ["work"] * (not entries(y) <= entries(args) | {0.0, 1.0})
            found += ["work"] * (bool(truths(y)) and not truths(args))
        if p.work == SIZES and memory.how == "new":
            for others in (tuple([moved(x, random.Random(1)) for x in args]), *zip(*map(elsewhere, args), strict=True)):
                found += ["work"] * (bits(p.value(*others, **params)) != bits(y))
        if p.work == ENTRIES:
            found += ["work"] * (not goes_by_entries(p, args, params, y))
        if p.work == FILLING:
            found += ["work"] * (not is_filled(y, args))
        if p.exact:
            found += ["exact"] * (not stays_exact(p, args, params))
        if p.chooses:
            found += ["chooses"] * (bits(y) not in [bits(x) for x in args])
        if p.unseen:
            found += ["unseen"] * (y is not args[0])
        if p.is_unchanged(params) and object_of(y) == object_of(args[0]):
            found += ["unchanged"] * (bits(y) != bits(args[0]))
        if p.whole:
            found += ["whole"] * (not stays_whole(p, args, params))
    return found


def adds_others(p: Primitive, args: tuple[Any, ...], params: dict[str, Any], y: Any) -> bool:
    """Whether what an argument has more the result has more, of each argument that something is added to."""
    for i in p.adds:
        if not isinstance(args[i], int | float | np.ndarray | np.number) or isinstance(args[i], bool):
            continue
        more = np.arange(1.0, np.size(args[i]) + 1.0).reshape(np.shape(args[i]))
        z = p.value(*args[:i], args[i] + (more if np.ndim(args[i]) else 1.0), *args[i + 1:], **params)
        if np.shape(z) != np.shape(y) or not np.allclose(np.asarray(z) - y, np.broadcast_to(more, np.shape(y))):
            return False
    return True


def place(args: tuple[Any, ...], first: int, params: dict[str, Any]) -> Any:
    """Which entries of the first argument are at the places that stand from one on; None where none are said."""
    try:
        found = np.zeros(np.shape(args[0]), bool)
        found[indexing.key_of(params["pattern"], args[first:])] = True
        return found
    except (TypeError, LookupError, StopIteration, RuntimeError):
        return None


def reads_there(p: Primitive, args: tuple[Any, ...], params: dict[str, Any], y: Any) -> bool:
    """Whether a result depends on the entries at its places, on each of them, and on no others."""
    there = place(args, p.reads or 0, params)
    if there is None:
        return False
    elsewhere = p.value(np.where(there, args[0], np.asarray(args[0]) + 1), *args[1:], **params)
    moved = p.value(np.where(there, np.asarray(args[0]) + 1, args[0]), *args[1:], **params)
    return bits(elsewhere) == bits(y) and bool(np.all(np.asarray(moved) != y))


def writes_there(p: Primitive, args: tuple[Any, ...], params: dict[str, Any], y: Any) -> bool:
    """Whether a result has other entries than the first argument at its places alone, and others for other values."""
    there = place(args, p.writes or 0, params)
    if there is None:
        return False
    moved = p.value(args[0], np.asarray(args[1]) + 1.5, *args[2:], **params)
    return bits(y[~there]) == bits(args[0][~there]) and bool(np.all((moved != y)[there]))


def tried_at(shape: tuple[int, ...], axis: int) -> int | None:
    return shape[axis] if -len(shape) <= axis < len(shape) else None


def is_update(p: Primitive, args: tuple[Any, ...], params: dict[str, Any], y: Any) -> bool:
    """Whether a result may be made in the memory of the argument that is overwritten: it is of that type and, where
    that has sizes, of those, and each of its entries or items reads no other one of that argument than itself."""
    i = p.overwrites or 0
    old = args[i]
    if isinstance(old, tuple) and isinstance(y, tuple):
        return len(old) == len(y)  # type: ignore[reportUnknownArgumentType]
    if isinstance(old, np.ndarray) and isinstance(y, np.ndarray):
        if old.shape != y.shape:
            return False
    elif not isinstance(old, list | dict) or type(old) is not type(y):  # type: ignore[reportUnknownArgumentType]
        return False
    elif isinstance(old, dict) and [k for k in old if k in y] != list(y)[: sum(k in y for k in old)]:
        return False  # what stays does not stand first
    numbers = old.dtype.kind == "f" if isinstance(old, np.ndarray) else set(map(type, old)) <= {float}
    for k in range(min(np.size(old), 4) if numbers and not isinstance(old, dict) else 0):
        other = deepcopy(old)
        (other.flat if isinstance(other, np.ndarray) else other)[k] += 3.25  # type: ignore[reportIndexIssue]
        with suppress(ArithmeticError, LookupError, ValueError):
            z = p.value(*args[:i], other, *args[i + 1 :], **params)
            before, after = np.ravel(y), np.ravel(z)
            if len(before) != len(after) or set(np.flatnonzero((before != after) & (before == before))) - {k}:
                return False
    return True


def is_filled(y: Any, args: tuple[Any, ...]) -> bool:
    """Whether a result holds zeros, or what the arguments hold, as it is there; a number is none of an array's."""
    given = [x for x in arrays(args) if isinstance(x, np.ndarray)]
    made = [x for x in arrays(y) if isinstance(x, np.ndarray)]
    if parts_of(y) is None and (bool(given) if not made else share(y, args)):
        return False
    whole = all(len(entries(x)) < 2 or any(bits(x.tolist()) == bits(a.tolist()) for a in given) for x in made)
    return whole and not {v for v in entries(y) if v == v} - entries(args) - {0.0}


def leaves(x: Any) -> list[Any]:
    """The numbers, arrays and what else is in a value."""
    parts = parts_of(x)
    return [x] if parts is None else [leaf for part in parts for leaf in leaves(part)]


def rounded(x: Any, of: type) -> Any:
    """A value with exact whole numbers for its finite floats."""
    parts = parts_of(x)
    if parts is not None:
        return like(x, [rounded(part, of) for part in parts])
    return of(round(x)) if isinstance(x, float) and math.isfinite(x) else x


def stays_exact(p: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether rationals stay rationals, where the type rule does not say that there are floats: all numbers being
    exact, or the first ones alone beside integers, as a base is beside its exponent."""
    return any(leaves_no_rationals(p, tuple([rounded(x, of if i else Fraction) for i, x in enumerate(args)]), params)
               for of in (Fraction, int))


def leaves_no_rationals(p: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether no float comes of these arguments, if exact numbers and what stands beside them are all there is."""
    if not {Fraction} <= set(map(type, leaves(args))) <= {Fraction, int, bool, str, type(None)}:
        return True
    try:
        y = leaves(p.value(*args, **params))
    except (ArithmeticError, LookupError, ValueError):
        return True
    except (AttributeError, TypeError):  # it takes floats alone
        return False
    with suppress(InexactPrimitive):
        if "Real('float')" in repr(p.type_of(tuple(map(object_of, args)), params)):
            return True
    return not any(isinstance(v, float | np.floating | np.ndarray) for v in y)


def tried_bits(p: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """The bits of a result, or None where there is none."""
    try:
        return bits(p.value(*args, **params))
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None


def goes_by_entries(p: Primitive, args: tuple[Any, ...], params: dict[str, Any], y: Any) -> bool:
    """Whether an entry of an argument reaches no more of the result than its neighbours and what is broadcast."""
    for i, x in enumerate(args):
        if not isinstance(x, np.ndarray) or x.size < 2 or i in p.sizes:
            continue
        if not isinstance(y, np.ndarray) or not y.ndim:
            return False
        first = np.reshape(np.arange(x.size), x.shape) == 0
        other = np.where(first, ~x if x.dtype.kind == "b" else 2 * x, x)
        with suppress(ArithmeticError, LookupError, TypeError, ValueError):
            z = p.value(*args[:i], other, *args[i + 1 :], **params)
            reached = np.count_nonzero((z != y) & ((z == z) | (y == y))) if np.shape(z) == y.shape else y.size + 1
            if reached > 2 * max(1, y.size // x.size):
                return False
    return True


def within_bounds(p: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether results lie between the bounds, at these numbers and elsewhere."""
    low, high = p.bounds
    of_one = p.type_rule is elementwise and not params and len(args) == 1
    swept = [(k / 16.0,) for k in range(-64, 65)] if of_one else []
    for given in (args, *zip(*map(elsewhere, args), strict=True), *swept):
        with suppress(ArithmeticError, LookupError, TypeError, ValueError):
            if not all(low <= v <= high for v in reals(p.value(*given, **params)) if v == v):
                return False
    return True


def risen(x: Any, r: random.Random) -> Any:
    """A value with some of its real numbers larger."""
    if isinstance(x, np.ndarray) and x.dtype.kind == "f":
        by = np.reshape([r.choice((0.0, 0.5, 3.0)) for _ in range(x.size)], x.shape)
        return (x + by).astype(x.dtype)
    return type(x)(x + r.choice((0.0, 0.5, 3.0))) if isinstance(x, float | np.floating) else x


def has_magnitudes(p: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether a linear function has, up to their signs, the factors that it says, of each number of its argument."""
    x, *rest = args
    units = [np.reshape(row, np.shape(x)) for row in np.eye(np.size(x))]
    columns = [np.abs(p.value(unit, *rest, **params)) for unit in units]
    assert p.magnitudes is not None
    found = p.magnitudes(np.abs(np.asarray(x, float)), *rest, **params)
    wanted = sum([abs(v) * column for v, column in zip(np.ravel(x), columns, strict=True)])
    return bool(np.allclose(found, wanted))


def nearby(x: Any, r: random.Random, far: float) -> Any:
    """A value with other real numbers, at most so far from it."""
    if isinstance(x, np.ndarray) and x.dtype.kind == "f":
        return x + far * np.reshape([r.choice((-1.0, 0.0, 1.0, r.uniform(-1, 1))) for _ in range(x.size)], x.shape)
    return x + far * r.uniform(-1.0, 1.0) if isinstance(x, float | np.floating) else x


def stays_near(p: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether results are no farther apart than the modulus says, at arguments that are so far apart."""
    assert p.modulus is not None
    r = random.Random(3)
    for far in (0.01, 0.5, 8.0):
        others = [x if i in p.sizes else nearby(x, r, far) for i, x in enumerate(args)]
        apart = [abs(y - x) if isinstance(x, np.ndarray | float) and i not in p.sizes else x
                 for i, (x, y) in enumerate(zip(args, others, strict=True))]
        try:
            gap = np.abs(np.asarray(p.value(*others, **params)) - np.asarray(p.value(*args, **params)))
        except (ArithmeticError, ValueError):
            continue
        if not np.all((gap <= p.modulus(*apart, **params) * (1.0 + 1e-6) + 1e-5) | (gap != gap)):
            return False
    return True


def is_enclosed(p: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether results lie between the bounds, for arguments between theirs."""
    r = random.Random(4)
    numbers = [isinstance(x, np.ndarray | float) for x in args]
    if any(moves and np.asarray(x).dtype != np.float64 for x, moves in zip(args, numbers, strict=True)):
        return True  # the bounds are of another format
    for far in (1e-3, 0.1, 2.0):
        given = [(x - far, x + far) if moves else x for x, moves in zip(args, numbers, strict=True)]
        if p.enclosed == "chosen":
            given[1] = (np.max(given[2][0], **params), np.max(given[2][1], **params))
        low, high = rule_of(p)(p, *given, close=2.0**-52, **params)
        for _ in range(8):
            with suppress(ArithmeticError, ValueError):
                near = [nearby(x, r, far) if moves else x for x, moves in zip(args, numbers, strict=True)]
                if p.enclosed == "chosen":  # from the last argument
                    near[1] = np.max(near[2], **params)
                y = np.asarray(p.value(*near, **params))
                slack = 1e-12 * np.abs(y)
                if np.any((y < np.asarray(low) - slack) | (y > np.asarray(high) + slack)):
                    return False
    return True


def overflows_beyond(p: Primitive) -> bool:
    """Whether results at the numbers within which they are said to be floats are next to what is larger than any."""
    for end, beyond in zip(p.finite, (-math.inf, math.inf), strict=True):
        if end == beyond:
            continue
        if not sys.float_info.max / 2.0 < abs(p.value(end)) < math.inf:
            return False
        with suppress(OverflowError):
            p.value(end * 1.001)
            return False
    return True


@cache
def is_monotone_between(p: Primitive, count: int) -> bool:
    """Whether a function of numbers rises or falls in each of them between the places where it says that it turns or
    has no bounds, the others kept."""
    where = list(zip(p.turns_of(count) or (), p.poles_of(count), strict=True))
    for i, kept in itertools.product(range(count), (-2.5, -0.75, 0.5, 1.75)):
        if not p.within[0] < kept < p.within[1]:
            continue
        places = {max(-4.0, p.within[0]), min(4.0, p.within[1])}
        for first, step in where[i]:
            if first != math.inf:
                alone = step in (0.0, math.inf)
                places.update([first] if alone else [first + k * step for k in range(-4, 4)])
        for low, high in itertools.pairwise(sorted(places)):
            near = [low + (high - low) * k / 40 for k in range(1, 40)]
            ys: list[float] = []
            for x in near:
                with np.errstate(all="ignore"), suppress(ValueError, ArithmeticError, TypeError, MissingDerivative):
                    # where it has a value
                    ys.append(float(p.value(*[x if j == i else kept for j in range(count)])))
            steps = [b - a for a, b in itertools.pairwise(ys) if not math.isnan(a + b)]
            if not (all(d >= -1e-14 for d in steps) or all(d <= 1e-14 for d in steps)):
                return False
    return True


def remains(p: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether what a quotient leaves lies where it says, and is that of the number divided up to a whole multiple."""
    r = random.Random(5)
    low, high = p.remainder or (0.0, 0.0)
    for _ in range(40):
        a, b = r.uniform(-9.0, 9.0), r.choice((-2.5, -1.0, 0.75, 3.0))
        share, turns = p.value(a, b) / b, (a - p.value(a, b)) / b
        if not (low - 1e-9 <= share <= high + 1e-9 and abs(turns - round(turns)) < 1e-9):
            return False
    return True


def gives_shares(p: Primitive) -> bool:
    """Whether it gives all of its first argument to the one that was chosen, none to another one, and parts at ties."""
    whole, none, part = [p.value(3.0, 2.0, *xs) for xs in ((2.0, 1.0), (1.0, 2.0), (2.0, 2.0))]
    return (whole, none) == (3.0, 0.0) and 0.0 <= part <= 3.0


FACTORS = (-1.0, 1e-3, 1e3, -1e3, 0.0, math.inf, -math.inf, math.nan)


def elsewhere(x: Any) -> list[Any]:
    """A value with other real numbers: times some factors, and with sizes of one."""
    parts = parts_of(x)
    if parts:
        return [like(x, list(given)) for given in zip(*map(elsewhere, parts), strict=True)]
    if parts is not None or not reals(x):
        return [x] * (len(FACTORS) + 1)
    return [type(x)(y) if isinstance(x, float) else y.astype(x.dtype)
            for y in [*[np.asarray(x) * factor for factor in FACTORS], np.copysign(1.0, x)]]


def truths(x: Any) -> list[float]:
    """The truth values in a value."""
    parts = parts_of(x)
    if parts is not None:
        return [v for part in parts for v in truths(part)]
    return [float(x)] if isinstance(x, bool) else reals(x, "b")


def stays_whole(p: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether whole numbers give whole numbers."""
    whole = [np.ceil(x).astype(int) if isinstance(x, np.ndarray) else math.ceil(x) for x in args]
    y = p.value(*[np.where(x == 0, 1, x) if isinstance(x, np.ndarray) else x or 1 for x in whole], **params)
    return np.asarray(y).dtype.kind in "iub"


def increases(p: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether a function gives no less for larger numbers, wherever it gives something."""
    if len(args) != 1 or params or isinstance(args[0], np.ndarray):
        r, ups = random.Random(3), range(6)
        rows = [args, *[tuple([risen(x, r) for x in args]) for _ in ups]]
        pairs = [(a, tuple([risen(x, r) for x in a])) for a in rows]
        found = [[np.asarray(p.value(*given, **params)) for given in pair] for pair in pairs]
        return all(np.all((a <= b) | np.isnan(a) | np.isnan(b)) for a, b in found)
    ys = list[float]()
    for x in (-math.inf, -1e3, -20.0, *np.linspace(-4.0, 4.0, 81).tolist(), 20.0, 1e3, math.inf):
        with suppress(ArithmeticError, TypeError, ValueError):
            ys.append(float(p.value(x)))
    ys = [y for y in ys if y == y]
    return len(ys) > 1 and sorted(ys) == ys


def adds(p: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether what is linear gives no less than zero for what is not, and products of whole numbers give whole ones."""
    groups = p.linear_of(params).groups(len(args))
    group = {i for found in groups for i in found}
    positive = [above_zero(x) if i in group else x for i, x in enumerate(args)]
    whole = [np.ceil(x) if i in group else x for i, x in enumerate(positive)] if len(groups) > 1 else positive
    found, counted = [reals(p.value(*given, **params)) for given in (positive, whole)]
    return not group or (all(y >= 0.0 for y in found) and all(len(groups) == 1 or y % 1.0 == 0.0 for y in counted))


def above_zero(x: Any) -> Any:
    """A value with the magnitudes of its real numbers."""
    parts = parts_of(x)
    if parts is not None:
        return like(x, [above_zero(part) for part in parts])
    return abs(x) if isinstance(x, float | np.floating) or (isinstance(x, np.ndarray) and x.dtype.kind == "f") else x


def varied(x: Any, r: random.Random) -> Any:
    """A value of the same structure and sizes with random real numbers."""
    parts = parts_of(x)
    if parts is not None:
        return like(x, [varied(part, r) for part in parts])
    if isinstance(x, np.ndarray):
        dtype = x.dtype if x.dtype.kind == "f" else np.dtype(float)
        return np.reshape([r.uniform(-2.0, 2.0) for _ in range(x.size)], x.shape).astype(dtype)
    if isinstance(x, float | np.floating):
        return type(x)(r.uniform(-2.0, 2.0))
    return r.uniform(-2.0, 2.0) if type(x) is int or isinstance(x, np.integer) else x


def combined(s: float, x: Any, y: Any) -> Any:
    """`s * x + y` of values of one structure."""
    parts = parts_of(x)
    if parts is not None:
        return like(x, [combined(s, a, b) for a, b in zip(parts, parts_of(y) or (), strict=True)])
    if isinstance(x, np.ndarray):
        return (s * x + y).astype(x.dtype)
    return type(x)(s * x + y) if isinstance(x, float | np.floating) else x


def reals(x: Any, kinds: str = "f") -> list[float]:
    """The real numbers in a value, or those of other kinds of NumPy."""
    parts = parts_of(x)
    if parts is not None:
        return [v for part in parts for v in reals(part, kinds)]
    found = np.asarray(x) if isinstance(x, np.ndarray | np.generic | float | int) else np.zeros(0)
    return np.ravel(found).astype(float).tolist() if found.dtype.kind in kinds else []


def linear_in(p: Primitive, group: tuple[int, ...], args: tuple[Any, ...], params: dict[str, Any]) -> bool | None:
    """Whether a result is linear in some arguments at random numbers, and twice as large at twice as large ones,
    to the last bit where one is zero: what is next to a number is not. None where these have none, or it is zero."""
    if not all(i < len(args) and reals(varied(args[i], random.Random(0))) for i in group):
        return None
    r = random.Random(2)

    def at(xs: list[Any]) -> Any:
        return p.value(*[xs[group.index(i)] if i in group else x for i, x in enumerate(args)], **params)

    for _ in range(3):
        xs, ys = [[varied(args[i], r) for i in group] for _ in range(2)]
        s = r.uniform(-2.0, 2.0)
        left, right = at([combined(s, x, y) for x, y in zip(xs, ys, strict=True)]), combined(s, at(xs), at(ys))
        if not any(reals(left)):
            return False if reals(left, "iub") else None
        single = any(np.asarray(x).dtype == np.float32 for x in (*arrays(left), *arrays(args)))
        if not np.allclose(reals(left), reals(right), 1e-3 if single else 1e-9, 1e-4 if single else 1e-9):
            return False
    for i in range(len(xs)):
        some = [combined(-1.0, x, x) if k == i else x for k, x in enumerate(xs)]
        with suppress(ZeroDivisionError):  # of what raises at zero
            twice = at([combined(1.0, x, x) for x in some])
            if not np.array_equal(reals(twice), 2.0 * np.asarray(list(reals(at(some)))), equal_nan=True):
                return False
    return True


def sized(x: Any, i: int, known: bool) -> sizes.Sized:
    """What is known of an argument where only which one it is is known, or whole numbers too."""
    a = object_of(x)
    if isinstance(a, Array):
        shape = tuple([sizes.ONE if n == 1 else sizes.dim(i, k) for k, n in enumerate(x.shape)])
        return sizes.Sized(a, shape)
    if isinstance(x, list):
        return sizes.Sized(a, (sizes.dim(i, 0),))
    number = None if not isinstance(a, Int) else sizes.constant(int(x)) if known else sizes.of_atom(sizes.Number(i))
    return sizes.Sized(a, None, number)


def evaluated(n: sizes.Size, args: tuple[Any, ...]) -> int:
    """The number that a size is for arguments."""
    return n.constant + sum([times * of_atom(atom, args) for atom, times in n.terms])


def of_atom(atom: Any, args: tuple[Any, ...]) -> int:
    match atom:
        case sizes.Dim(i, axis):
            return len(args[i]) if isinstance(args[i], list) else args[i].shape[axis]
        case sizes.Number(i):
            return int(args[i])
        case sizes.Made(n):
            return evaluated(n, args)
        case sizes.Clip(n, most):
            found = max(evaluated(n, args), 0)
            return found if most is None else min(found, most)
        case sizes.Told(n, shape, others):
            found, entries = evaluated(n, args), math.prod([evaluated(m, args) for m in shape])
            rest = [m for m in [evaluated(m, args) for m in others] if m >= 0]
            return found if found >= 0 else entries // math.prod(rest)
        case sizes.Part():
            whole, *ends = [None if n is None else evaluated(n, args) for n in atom]
            return len(range(whole or 0)[slice(*ends)])
        case sizes.Common(several):
            found = {evaluated(n, args) for n in several} - {1}
            assert len(found) <= 1
            return found.pop() if found else 1
    raise AssertionError(atom)


def wrong_sizes(p: Primitive, args: tuple[Any, ...], params: dict[str, Any], y: Any) -> bool:
    """Whether a result has other sizes than the primitive says, or is another whole number."""
    a = object_of(y)
    for known in (False, True):
        given = [sized(x, i, known) for i, x in enumerate(args)]
        if isinstance(a, Int) and not isinstance(y, list):
            n = sizes.number_of(p, given, params)
            if n is not None and evaluated(n, args) != int(y):
                return True
        elif isinstance(y, np.ndarray) and y.ndim:
            typed = p.type_rule(p, tuple([s.object for s in given]), params)
            if not isinstance(typed, Array) or typed.axes is None:
                continue
            shape = sizes.shape_of(p, given, params, typed)
            for n, size in zip(shape or [], y.shape, strict=False):
                if n is not None and evaluated(n, args) != size:
                    return True
        elif isinstance(y, list) and p.shape is not None:
            shape = p.shape(given, params)
            if shape and shape[0] is not None and evaluated(shape[0], args) != len(y):  # type: ignore[reportUnknownArgumentType]
                return True
    return False


def fits(memory: Memory, y: Any, args: tuple[Any, ...]) -> bool:
    """Whether a result has the memory that a primitive says."""
    sharing = [i for i, x in enumerate(args) if share(y, x)]
    inside = [c for x in args for c in containers(x)]
    itself = isinstance(y, list | dict | np.ndarray) and any(y is x for x in (*args, *inside))
    if memory.is_new and itself:
        return False
    of = [args[i] for i in memory.of if i < len(args)] or list(args)
    if any(not memory.reaches(i) for i in sharing):
        return False
    match memory.how:
        case "new":
            lies = memory.entries == "once" or not isinstance(y, np.ndarray) or y.flags.c_contiguous
            lies = lies or (memory.entries == "as given" and not np.asarray(args[0]).flags.c_contiguous)
            return lies and not any(c is d for c in containers(y) for d in inside)
        case "same":
            return y is of[0]
        case "view" | "may be":
            both = isinstance(of[0], np.ndarray) and isinstance(y, np.ndarray) and bool(y.size)
            return not both or shows(memory, y, of[0])
        case "items":
            items = [item for x in of for item in items_in(x)]
            twice = [x for x in items_in(y) if count(items_in(y), x) > count(items, x) and count(items, x)]
            return memory.entries == "repeated" or not twice
        case "holds":
            parts = [x for x in items_in(y) if x is not None]
            held = all(count(of, x) for x in parts)
            return held and (memory.entries == "repeated" or all(count(parts, x) <= count(of, x) for x in parts))
        case "changed" | "within":
            same = kept(y, of[0])
            new = [x for x in items_in(y) if not count(items_in(of[0]), x)]
            put = memory.how == "within" or all(count(of[1:], x) for x in new)
            pairs = zip(items_in(of[0]), items_in(y), strict=False)
            rows = not memory.by_row or all(has_changed_row(a, b) for a, b in pairs if a is not b)
            return put and rows and len(same) >= max(len(y), len(of[0])) - 1
        case _:
            return True


def has_changed_row(before: Any, after: Any) -> bool:
    """Whether of two rows the second has the items of the first but for one, or for one at its end."""
    if isinstance(before, np.ndarray):
        return np.shape(before) == np.shape(after) and int(np.count_nonzero(before != after)) <= 1
    if not isinstance(before, list) or not isinstance(after, list):
        return False
    return len(kept(after, before)) >= max(len(before), len(after)) - 1


def shows(memory: Memory, y: Any, x: Any) -> bool:
    """Whether an array has the entries of another as it is said, and is a view of it where it is said to be one."""
    in_order = memory.entries == "in order"
    as_it_lies = in_order and x.flags.c_contiguous
    if not share(y, x) and (memory.how == "view" or as_it_lies):
        return False
    if as_it_lies and not y.flags.c_contiguous:
        return False
    numbers = sorted(np.ravel(y).tolist()), sorted(np.ravel(x).tolist())
    if memory.is_whole and (numbers[0] != numbers[1] or (in_order and bits(np.ravel(y)) != bits(np.ravel(x)))):
        return False
    places = np.ravel(places_in(y)) if memory.entries != "repeated" and share(y, x) else np.zeros(0)
    return len(set(places.tolist())) == len(places)


def places_in(x: Any) -> Any:
    """The places in memory of the entries of an array, from that of the first one."""
    return sum([np.reshape(np.arange(n) * step, [-1 if i == axis else 1 for i in range(x.ndim)])
                for axis, (n, step) in enumerate(zip(x.shape, x.strides, strict=True))], np.zeros(x.shape, int))


def items_in(x: Any) -> list[Any]:
    """The items of a list, tuple, record or map; of all else nothing."""
    return list(parts_of(x) or ())


def count(items: list[Any], x: Any) -> int:
    return sum([x is item for item in items])


def kept(y: Any, x: Any) -> list[Any]:
    """The items that stand in two lists at the same place from the front or the back, or in two maps under one key."""
    if isinstance(y, dict):
        return [key for key in y if key in x and y[key] is x[key]]
    front = [a is b for a, b in zip(y, x, strict=False)]
    back = [a is b for a, b in zip(y[::-1], x[::-1], strict=False)]
    first = [*front, False].index(False)
    return [*y[:first], *y[len(y) - min([*back, False].index(False), min(len(x), len(y)) - first):]]


def sampled() -> list[Primitive]:
    return [p for p in (*registry.PRIMITIVES, *registry.TAPES) if SAMPLES.get(p.name) and not p.effect]


@pytest.mark.parametrize("p", sampled(), ids=repr)
def test_facts_hold_for_arguments_of_all_forms(p: Primitive) -> None:
    for s in SAMPLES[p.name]:
        for name, form in FORMS.items():
            args = tuple([each_array(form, x) for x in s.args])
            assert not wrong(p, args, s.params), (name, args, s.params)


@pytest.mark.parametrize("p", [p for p in registry.PRIMITIVES if p.work in (STORAGE, FILLING)], ids=repr)
def test_memory_of_what_holds_arrays(p: Primitive) -> None:
    """Of what is in lists and maps too: that a copied map holds the arrays of the first was not said."""
    for s in SAMPLES.get(p.name, ()):
        args = tuple(map(filled, s.args))
        try:
            y = p.value(*args, **s.params)
        except (TypeError, ValueError):  # it takes lists of numbers alone
            continue
        assert fits(p.memory_of(s.params), y, args), (s, y)


def made_in_place(p: Primitive, s: Sample) -> Any:
    """What is in the first argument behind the statement that makes the result there."""
    names = [f"x{i}" for i in range(len(s.args))]
    given = dict(zip(names, deepcopy(s.args), strict=True))
    exec(p.in_place.format(*names) if isinstance(p.in_place, str) else p.in_place(*names), given)
    return given["x0"]


@pytest.mark.parametrize("p", [p for p in registry.PRIMITIVES if p.in_place], ids=repr)
def test_what_is_made_in_place_is_the_result(p: Primitive) -> None:
    for s in SAMPLES[p.name]:
        assert bits(made_in_place(p, s)) == bits(s.result(p))


def test_a_wrong_statement_is_found() -> None:
    planted = replace(lists.append, in_place="{0}.insert(0, {1})")
    assert any(bits(made_in_place(planted, s)) != bits(s.result(planted)) for s in SAMPLES["append"])


def test_every_primitive_says_what_it_is() -> None:
    for p in (*registry.PRIMITIVES, *registry.TAPES):
        with pytest.raises(ValueError, match="does not say whose memory"):
            registry.register({}, replace(p, memory=FOREIGN))
        assert p.name in SAMPLES or p.effect or p in registry.TAPES


@pytest.mark.parametrize("p", [p for p in (*registry.PRIMITIVES, *registry.TAPES) if p.name in SAMPLES], ids=repr)
def test_what_is_linear_says_so(p: Primitive) -> None:
    def seen(i: int | None) -> set[bool | None]:
        """What is found in argument `i`, or in all together, where the primitive does not say that it is linear."""
        found = set[bool | None]()
        for s in SAMPLES[p.name]:
            group = tuple(range(len(s.args))) if i is None else (i,)
            groups = p.linear_of(s.params).groups(len(s.args))
            silent = not groups if i is None else i < len(s.args) and not any(i in known for known in groups)
            if silent and not p.effect:
                try:
                    with np.errstate(all="ignore"):
                        found.add(linear_in(p, group, s.args, s.params))
                except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError):  # of random sizes
                    found.add(False)
        return found - {None}

    assert seen(None) != {True}
    assert not [i for i in range(4) if i not in p.sizes and seen(i) == {True}]


# -- where primitives raise --------------------------------------------------------------------------------------------


def as_maps(a: Object) -> Object:
    """Dicts of constant keys as maps."""
    return maps.as_map(a) if isinstance(a, Record) and a.cls is dict and a.names else a


def unsized(a: Object) -> Object:
    """An array of whose sizes nothing is known."""
    return array(a.dtype, ("?",) * len(a.axes)) if isinstance(a, Array) and a.axes else a


def rankless(a: Object) -> Object:
    """An array of whose axes nothing is known."""
    return array(a.dtype, None) if isinstance(a, Array) and a.axes else a


def kinds(p: Primitive, s: Sample) -> Iterator[tuple[tuple[Object, ...], dict[int, Any]]]:
    """The objects of the arguments of a sample, and what may be known of numbers among them."""
    objects = tuple(map(object_of, s.args))
    literals = {i: x for i, x in enumerate(s.args) if type(x) in (int, float)}
    yield objects, literals
    of_maps = any(p is q for q in vars(maps).values())
    for change in (as_maps if of_maps else lambda a: a, unsized, rankless):
        yield tuple(map(change, objects)), {}
    for least in (0, SMALLEST):
        yield objects, {i: AtLeast(least) for i in literals}
        for i, x in literals.items():
            yield objects, {j: x if j == i else AtLeast(least) for j in literals}


def misjudged(p: Primitive) -> list[Any]:
    """Where a primitive raises that says it does not; and its name, where it says that it may and never does."""
    found = list[Any]()
    said, raised = set[bool](), set[bool]()  # of arrays whose rank is not known, and of others
    for s in SAMPLES[p.name]:
        for objects, known in kinds(p, s):
            try:
                for a in objects:
                    list(edges(a))
                p.type_of(objects, s.params)
            except (UnknownObject, TypeError, ValueError, IndexError):  # what the compiler refuses
                continue
            says = may_raise(p, objects, s.params, known.items)  # type: ignore[reportArgumentType]
            if isinstance(p.raises, Beside):
                says = may_raise(p.raises.other, objects, s.params)
            does = tried(p, objects, s.params, known, Exception)
            found += [(objects, s.params, known)] * (does and not says)
            without = any(isinstance(a, Array) and a.axes is None for a in objects)
            said |= {without} if says else set()
            raised |= {without} if says and does else set()
    return found + [p.name] * bool(said - raised)


@pytest.mark.share(6)
@pytest.mark.parametrize("p", [p for p in registry.PRIMITIVES if p.name in SAMPLES and not p.effect], ids=repr)
def test_where_a_primitive_raises(p: Primitive) -> None:
    assert not misjudged(p)


@pytest.mark.parametrize(("p", "planted"), [
    (elementary_math.exp, NEVER), (elementary_math.log, below(0)), (elementary_math.tanh, MAY),
    (elementary_math.sin, NEVER), (arithmetic.div, NEVER), (arithmetic.weight_sum, NEVER),
    (arithmetic.to_int, several), (reductions.max_, NEVER), (reductions.mean, empty), (indexing.index, NEVER),
    (joining.from_list, NEVER), (folds.fsum, NEVER), (folds.sum_, NEVER), (joining.concatenate, NEVER),
    (structure.item, NEVER), (structure.length, MAY), (maps.lookup, NEVER), (maps.put, MAY), (creation.zeros, NEVER),
    (matrices.inv, NEVER), (shaping.transpose, MAY), (elementary_numpy.power, NEVER), (bilinear.outer, MAY),
    (decompositions.signdet, NEVER), (reductions.sum_, NEVER), (rearranging.triu, NEVER), (matrices.trace, NEVER),
    (shaping.flip, NEVER),
    (decompositions.signdet, beside(arithmetic.add)),
], ids=lambda x: getattr(x, "__name__", None) or repr(x))  # fmt: skip
def test_a_planted_place_to_raise_is_found(p: Primitive, planted: Any) -> None:
    assert misjudged(replace(p, raises=planted))


PLANTED: list[tuple[str, Primitive, dict[str, Any]]] = [
    ("as_tuple", shaping.size, {"as_tuple": True}),
    ("memory", shaping.transpose, {"memory": NEW}), ("memory", indexing.index, {"memory": NEW}),
    ("memory", indexing.index, {"memory": view()}), ("memory", elementary_numpy.exp, {"memory": view()}),
    ("memory", structure.item, {"memory": NEW}), ("memory", lists.append, {"memory": items_of(1)}),
    ("memory", lists.append, {"memory": NEW}), ("memory", structure.pack, {"memory": same()}),
    ("memory", shaping.broadcast_to, {"memory": NEW}), ("memory", lists.concat, {"memory": same(1)}),
    ("memory", shaping.reshape_like, {"memory": may_be(1)}), ("memory", boundary.own, {"memory": same()}),
    ("memory", structure.part, {"memory": out_of(1)}), ("memory", structure.rows, {"memory": NEW}),
    ("memory", shaping.transpose, {"memory": wrapped()}), ("memory", shaping.ravel, {"memory": wrapped()}),
    ("memory", shaping.reshape, {"memory": turned()}), ("memory", shaping.roll, {"memory": refolded()}),
    ("memory", shaping.broadcast_to, {"memory": turned()}), ("memory", shaping.broadcast_to, {"memory": view()}),
    ("memory", rearranging.diagonal, {"memory": turned()}), ("memory", shaping.flip, {"memory": refolded()}),
    ("memory", creation.zeros_like, {"memory": IN_ORDER}),
    ("memory", lists.concat, {"memory": changed(0, 1)}), ("memory", lists.concat, {"memory": holds()}),
    ("memory", lists.repeated, {"memory": items_of()}), ("memory", maps.merged, {"memory": changed(0, 1)}),
    ("memory", folds.copies, {"memory": holds(0)}), ("memory", lists.sliced, {"memory": changed()}),
    ("memory", along.set_along, {"memory": changed(0, 1)}), ("memory", maps.remove, {"memory": changed(1)}),
    ("memory", structure.add_item, {"memory": in_row(0, 1)}), ("memory", maps.add_entry, {"memory": in_row(0, 1)}),
    ("memory", lists.set_item, {"memory": in_row(0, 1)}), ("like", lists.append, {"like": 0}),
    ("like", lists.without_last, {"like": 0}), ("like", lists.concat, {"like": 1}),
    ("read_only", shaping.broadcast_to, {"read_only": False}),
    ("read_only", rearranging.diagonal, {"read_only": False}), ("read_only", matrices.diag, {"read_only": True}),
    ("read_only", shaping.transpose, {"read_only": True}),
    ("ufunc", arithmetic.sub, {"ufunc": np.add}), ("ufunc", arithmetic.div, {"ufunc": np.floor_divide}),
    ("sizes", arithmetic.mul, {"sizes": (0,)}), ("sizes", arithmetic.mul, {"sizes": (1,)}),
    ("sizes", elementary_math.isinf, {"sizes": (0,)}), ("sizes", elementary_numpy.where, {"sizes": (0,)}),
    ("sizes", arithmetic.bit_xor, {"sizes": (1,)}), ("sizes", reductions.any_, {"sizes": (0,)}),
    ("bounds", elementary_math.sinh, {"bounds": MAGNITUDE}), ("bounds", elementary_math.log10, {"bounds": UNIT}),
    ("bounds", elementary_math.erfc, {"bounds": UNIT}), ("bounds", elementary_numpy.arcsin, {"bounds": UNIT}),
    ("bounds", matrices.trace, {"bounds": MAGNITUDE}), ("bounds", rearranging.tril, {"bounds": MAGNITUDE}),
    ("increasing", elementary_math.isinf, {"increasing": True}),
    ("like", elementary_numpy.bitwise_xor, {"like": 0}), ("like", elementary_numpy.ldexp, {"like": 0}),
    ("commutative", elementary_numpy.fmin, {"commutative": True}),
    ("work", reductions.sum_, {"work": ENTRIES}), ("work", products.cumprod, {"work": ENTRIES}),
    ("work", elementary_numpy.isnan, {"work": SIZES}), ("work", elementary_numpy.equal, {"work": SIZES}),
    ("memory", zero_trees.add_trees, {"memory": NEW}), ("sizes", texts.within, {"sizes": (0,)}),
    ("sizes", elementary_math.lcm, {"sizes": (1,)}), ("sizes", maps.from_pairs, {"sizes": (0,)}),
    ("sizes", arithmetic.both, {"sizes": (0,)}), ("sizes", elementary_math.isnan, {"sizes": (0,)}),
    ("work", elementary_numpy.greater, {"work": MOVEMENT}), ("work", elementary_math.isinf, {"work": MOVEMENT}),
    ("chooses", arithmetic.add, {"chooses": True}), ("chooses", elementary_math.log, {"chooses": True}),
    ("unseen", arithmetic.neg, {"unseen": True}), ("unseen", elementary_math.exp, {"unseen": True}),
    ("unchanged", elementary_numpy.absolute, {"unchanged": True}), ("unchanged", shaping.flip, {"unchanged": True}),
    ("whole", elementary_math.log, {"whole": True}), ("whole", arithmetic.div, {"whole": True}),
    ("sizes", boundary.conform, {"sizes": (0, 1)}), ("sizes", reductions.sum_, {"sizes": (0,)}),
    ("like", reductions.sum_, {"like": 0}), ("like", shaping.transpose, {"like": 0}),
    ("like", shaping.reshape_like, {"like": 0}), ("like", joining.piece, {"like": lambda params: 0}),
    ("bounds", elementary_numpy.sinh, {"bounds": (0.0, np.inf)}),
    ("bounds", elementary_numpy.cosh, {"bounds": (2.0, 3.0)}),
    ("bounds", elementary_numpy.sinc, {"bounds": (-0.21, 1.0)}), ("overwrites", maps.merged, {"overwrites": 1}),
    ("shape", arithmetic.sub, {"shape": arithmetic.add.shape}),
    ("like", joining.piece, {"like": lambda params: 1}),
    ("shape", lists.sliced, {"shape": lambda args, params: [sizes.dim(0, 0)]}),
    ("increasing", elementary_math.cosh, {"increasing": True}), ("increasing", arithmetic.sub, {"increasing": True}),
    ("increasing", elementary_numpy.sin, {"increasing": True}), ("adding", arithmetic.sub, {"adding": True}),
    ("increasing", elementary_numpy.reciprocal, {"increasing": True}),
    ("increasing", elementary_numpy.hypot, {"increasing": True}),
    ("finite", gamma.gamma, {"finite": (-math.inf, 170.0)}), ("finite", gamma.lgamma, {"finite": (-math.inf, 2e305)}),
    ("turns", gamma.gamma, {"within": (-math.inf, math.inf)}), ("turns", gamma.lgamma, {"turns": NOWHERE}),
    ("modulus", elementary_numpy.sinc, {"modulus": lambda d: 0.2 * d}),
    ("modulus", reductions.std, {"modulus": lambda d, **params: 0.1 * np.max(d)}),
    ("enclosed", products.prod, {"enclosed": "magnitudes"}),
    ("enclosed", rearranging.order_weights, {"enclosed": "magnitudes"}),
    ("turns", arithmetic.div, {"poles": None, "turns": NOWHERE}), ("turns", elementary_numpy.sin, {"turns": AT_ZERO}),
    ("turns", elementary_math.tan, {"poles": AT_ZERO}), ("turns", elementary_numpy.hypot, {"turns": NOWHERE}),
    ("turns", elementary_math.atan2, {"turns": NOWHERE}),
    ("powers", arithmetic.mul, {"powers": True}), ("powers", elementary_numpy.arctan2, {"powers": True}),
    ("remainder", elementary_numpy.mod, {"remainder": (-1.0, 0.5)}), ("adding", contractions.cross, {"adding": True}),
    ("shares", elementary_math.hypot, {"shares": True}), ("increasing", elementary_numpy.fabs, {"increasing": True}),
    ("remainder", elementary_math.fmod, {"remainder": (0.0, 1.0)}),
    ("commutative", arithmetic.sub, {"commutative": True}),
    ("commutative", elementary_numpy.divide, {"commutative": True}),
    ("linear", elementary_numpy.exp, {"linear": jointly(0)}), ("linear", arithmetic.mul, {"linear": jointly(0, 1)}),
    ("linear", arithmetic.add, {"linear": separately(0, 1)}), ("linear", arithmetic.div, {"linear": separately(0, 1)}),
    ("linear", shaping.astype, {"linear": jointly(0)}), ("linear", creation.ones_like, {"linear": jointly(0)}),
    ("linear", matrices.solve, {"linear": jointly(0)}), ("linear", updating.set_at, {"linear": separately(0, 1)}),
    ("linear", lists.append, {"linear": jointly(1)}), ("linear", reductions.max_, {"linear": jointly()}),
    ("bounds", creation.ones, {"bounds": NOTHING}),
    ("overwrites", reductions.sum_, {"overwrites": 0}), ("overwrites", structure.length, {"overwrites": 0}),
    ("overwrites", updating.take_at, {"overwrites": 0}),
    ("work", elementary_numpy.exp, {"work": MOVEMENT}), ("work", reductions.mean, {"work": MOVEMENT}),
    ("work", rearranging.sort, {"work": SIZES}), ("work", creation.full, {"work": SIZES}),
    ("shape", creation.zeros, {"shape": lambda args, params: [sizes.constant(2)] * len(args)}),
    ("shape", creation.arange, {"shape": lambda args, params: [args[-1].number]}),
    ("shape", creation.eye, {"shape": lambda args, params: [sizes.constant(2)] * 2}),
    ("shape", joining.concatenate, {"shape": lambda args, params: args[0].shape}),
    ("shape", indexing.index, {"shape": lambda args, params: args[0].shape}),
    ("shape", shaping.dim, {"shape": lambda args, params: sizes.along(args[0], 0)}),
    ("shape", shaping.transpose, {"type_rule": lambda p, args, params: args[0]}),
    ("shape", shaping.reshape, {"shape": lambda args, params: [a.number for a in args[:0:-1]]}),
    ("fits", rearranging.triu_onto, {"memory": may_be(0)}),
    ("work", elementary_numpy.exp, {"work": FILLING}), ("work", reductions.max_, {"work": FILLING}),
    ("work", shaping.transpose, {"work": FILLING}), ("work", rearranging.sort, {"work": FILLING}),
    ("work", joining.concatenate, {"work": FILLING}), ("work", creation.arange, {"work": FILLING}),
    ("exact", elementary_math.exp, {"exact": True}), ("exact", elementary_math.hypot, {"exact": True}),
    ("exact", arithmetic.to_float, {"exact": True}),
    ("adds", arithmetic.sub, {"adds": (0, 1)}), ("adds", arithmetic.mul, {"adds": (0,)}),
    ("adds", indexing.add_at, {"adds": (1,)}), ("adds", updating.set_at, {"adds": (0,)}),
    ("reads", indexing.index, {"reads": 2}), ("reads", shaping.roll, {"reads": 1}),
    ("writes", updating.set_at, {"writes": 3}), ("writes", indexing.add_at, {"writes": 1}),
    ("axis", shaping.dim, {"axis": lambda params: 0}), ("axis", structure.length, {"axis": lambda params: 1}),
    ("adding", elementary_numpy.subtract, {"adding": True}),
    ("overwrites", shaping.flip, {"overwrites": 0}), ("overwrites", rearranging.sort, {"overwrites": 0}),
    ("overwrites", updating.set_at, {"overwrites": 1}), ("overwrites", lists.append, {"overwrites": 1}),
    ("overwrites", lists.concat, {"overwrites": 1}), ("overwrites", products.cumsum, {"overwrites": 0}),
]


@pytest.mark.parametrize(("fact", "p", "planted"), PLANTED, ids=lambda x: getattr(x, "name", None))
def test_a_planted_wrong_fact_is_found(fact: str, p: Primitive, planted: dict[str, Any]) -> None:
    false = replace(p, **planted)
    found: set[str] = set()
    for s in SAMPLES[p.name]:
        for form in FORMS.values():
            found.update(wrong(false, tuple([each_array(form, x) for x in s.args]), s.params))
        if false.work in (STORAGE, FILLING):
            args = tuple(map(filled, s.args))
            with suppress(TypeError, ValueError):  # of lists of numbers alone
                y = p.value(*args, **s.params)
                found.update(() if fits(false.memory_of(s.params), y, args) else {"memory"})
    assert fact in found
