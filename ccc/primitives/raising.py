"""Where a primitive may raise, as it says of itself (`ccc.primitives.facts`), and where it does so when it is tried.

What is elementwise raises in an array where it does so in an item, or where two sizes do not combine. One that says
nothing of itself is tried at the edges of what its arguments can be, and may raise where these have no such values:

    numbers    0, -1, a half, large and small ones, infinity, not a number
    arrays     of no items, of two, of three along each axis whose size is not known; of such numbers
    lists      none, one and three of such items, all of them, dicts likewise

The registry's tests try those of the language, and hold what they say against it.

>>> from ccc.objects import REAL, Array
>>> from ccc.primitives.elementary_math import exp, tanh
>>> may_raise(exp, (REAL,), {}), may_raise(tanh, (REAL,), {})
(True, False)
>>> from ccc.primitives.reductions import max_, mean
>>> [may_raise(p, (Array("float64", ("n",)),), {"axis": None}) for p in (max_, mean)]
[True, False]
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from math import inf, nan
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ccc.errors import UnknownObject
from ccc.locks import Lock
from ccc.objects import Array, Bool, Int, List, Map, Object, Product, Real, Record, Static, Text, array
from ccc.primitives.domains import LARGEST, Known, Sizes, combine
from ccc.primitives.facts import FILLING, FOREIGN, MAY, NEVER, SIZES, STORAGE
from ccc.primitives.primitive import REMEMBERED, Primitive, elementwise
from ccc.primitives.sizes import Sized
from ccc.records import made

REALS = (0.0, -1.0, 0.5, 1000.0, LARGEST, -LARGEST, nan, inf, -inf, 1e-30, 2.0)
INTEGERS = (0, -1, 1, 5, 1000)
COUNTS = (0, 2, 3)
MOST = 2000
"""So many combinations of arguments are tried, evenly from all."""

T = TypeVar("T")
_lock = Lock()


def may_raise(
    p: Primitive, args: Sequence[Object], params: dict[str, Any],
    known: Callable[[], Sequence[tuple[int, Any]]] = tuple, sizes: Callable[[], Sizes] | None = None,
) -> bool:  # fmt: skip
    """Whether a primitive raises at some arguments of these objects; `known` gives those that are numbers already, or
    `AtLeast` some number, each with its position, and `sizes` what is known of the sizes of arrays.

    >>> from ccc.primitives.bilinear import matmul
    >>> from ccc.primitives.sizes import Sized, dim
    >>> matrix, n, m = Array("float64", ("n", "n")), dim("x", 0), dim("x", 1)
    >>> [may_raise(matmul, (matrix, matrix), {}, sizes=lambda: Sizes([Sized(matrix, (n, m)), Sized(matrix, shape)]))
    ...  for shape in ((n, m), (m, n))]
    [True, False]
    """
    if p.effect:
        return True
    if p.program is not None:
        return bool(p.program.raises)
    uncombined, raises = by_objects(p, tuple(args), params)
    if uncombined:
        found = None if sizes is None else sizes()
        if found is None or not combine(found.of, found.same):
            return True
    return raises and _may_raise_still(p, args, params, known, None if p.type_rule is elementwise else sizes)


def by_objects(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> tuple[bool, bool]:
    """Whether the sizes of arrays may not combine, and whether a primitive may raise at arguments whose sizes do, where
    no more than their objects is known; remembered.

    >>> from ccc.primitives.arithmetic import div
    >>> by_objects(div, (Array("float64", ("n",)), Real()), {}), by_objects(div, (Real(), Real()), {})
    ((False, False), (False, True))
    """
    key = (args, tuple(params.items()))
    try:
        found = p.raised.get(key)
    except TypeError:  # a parameter without a hash: found out each time
        return _by_objects(p, args, params)
    if found is None:
        found = _kept(p, key, _by_objects(p, args, params))
    return found


def _by_objects(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> tuple[bool, bool]:
    uncombined = p.type_rule is elementwise and not combine([Sized(a) for a in args])
    raises = p.raises
    if raises is not None and not callable(raises):
        return uncombined, raises == MAY
    args = items_of(args) if p.type_rule is elementwise else args
    if raises is None:
        return uncombined, _remembered(p, args, params, ())
    return uncombined, raises(*_all_known(args, {}, None), **params)


def may_overflow(
    p: Primitive, args: Sequence[Object], known: Callable[[], Sequence[tuple[int, Any]]] = tuple
) -> bool:
    """Whether a power raises at some numbers of Python's, however large these are.

    >>> from ccc.primitives.arithmetic import power
    >>> [may_overflow(power, (Real(), Int()), lambda n=n: [(1, n)]) for n in (0, 1, 2)]
    [False, False, True]
    """
    if not p.powers or not callable(p.raises):
        return False
    facts = dict(known())
    return p.raises(*[Known(a, *_between(facts.get(i)), largest=sys.float_info.max) for i, a in enumerate(args)])


def item_may_raise(
    p: Primitive, args: Sequence[Object], params: dict[str, Any], known: Callable[[], Sequence[tuple[int, Any]]] = tuple
) -> bool:
    """Whether an elementwise primitive raises at some items.

    >>> from ccc.primitives.elementary_numpy import power
    >>> [item_may_raise(power, (Array(a, ("n",)), Array(b, ("m",))), {}) for a, b in (("int64",) * 2, ("float64",) * 2)]
    [True, False]
    """
    return by_objects(p, tuple(args), params)[1] and _may_raise_still(p, args, params, known, None)


def items_of(args: Sequence[Object]) -> tuple[Object, ...]:
    """Arrays as arrays of one item."""
    return tuple([array(a.dtype, ("1",)) if isinstance(a, Array) and a.axes != () else a for a in args])


def _may_raise_still(
    p: Primitive, args: Sequence[Object], params: dict[str, Any], known: Callable[[], Sequence[tuple[int, Any]]],
    sizes: Callable[[], Sizes] | None,
) -> bool:
    """The same of one that may raise as far as the objects tell, with what is known of numbers and sizes."""
    raises = p.raises
    if raises is not None and not callable(raises):
        return True
    facts = dict(known())
    if not facts and (sizes is None or raises is None):
        return True
    args = items_of(args) if p.type_rule is elementwise else args
    if raises is None:
        return _remembered(p, tuple(args), params, tuple(facts.items()))
    return raises(*_all_known(args, facts, None if sizes is None else sizes()), **params)


def _all_known(args: Sequence[Object], known: dict[int, Any], sizes: Sizes | None) -> list[Known]:
    if sizes is None:
        return [Known(a, *_between(known.get(i))) for i, a in enumerate(args)]
    return [Known(a, *_between(known.get(i)), sizes.of[i], *sizes[1:]) for i, a in enumerate(args)]


def _between(x: Any) -> tuple[float, float]:
    """Between which a number lies."""
    if x is None:
        return -inf, inf
    return (x.least, inf) if isinstance(x, AtLeast) else (x, x)


def may_warn(p: Primitive, args: Sequence[Object], params: dict[str, Any]) -> bool:
    """Whether NumPy would see an overflow, a division by zero or an invalid value at some arguments of these objects.

    >>> from ccc.primitives.arithmetic import div, neg
    >>> may_warn(div, (Real("float64"), Real("float64")), {}), may_warn(div, (Real(), Real()), {})
    (True, False)
    """
    if p.effect or p.program is not None or (p.raises == NEVER and p.work in QUIET_WORK):
        return False
    if p.memory is FOREIGN and p.raises == MAY:
        return True
    args = items_of(args) if p.type_rule is elementwise else args
    return _remembered(p, tuple(args), params, (), FloatingPointError)


QUIET_WORK = (STORAGE, FILLING, SIZES)
"""The kinds of work in which no number is computed."""
QUIET = ("ignore", "warn")
"""The modes of `np.errstate` that raise nothing and call nothing."""


def under(p: Primitive, errors: tuple[tuple[str, Any], ...]) -> Primitive:
    """A primitive within `np.errstate` of these modes, the same each time."""
    key = "under", errors
    if key not in p.kept:
        def value(*xs: Any, **params: Any) -> Any:
            with np.errstate(**dict(errors)):
                return p.value(*xs, **params)

        p.kept[key] = replace(p, of=p.plain, value=value, errors=errors,
                              raises=MAY if is_loud(errors) else p.raises)
    return p.kept[key]


def within(around: tuple[tuple[str, Any], ...], given: dict[Any, Any]) -> tuple[tuple[str, Any], ...]:
    """The modes of `np.errstate` with these arguments, within others.

    >>> within(within((), {"all": "ignore"}), {"over": "raise"})
    (('divide', 'ignore'), ('invalid', 'ignore'), ('over', 'raise'), ('under', 'ignore'))
    """
    whole = given.get("all")
    spread = {} if whole is None else dict.fromkeys(("divide", "over", "under", "invalid"), whole)
    own = {name: mode for name, mode in given.items() if name != "all" and mode is not None}
    return tuple(sorted({**dict(around), **spread, **own}.items()))


def is_loud(errors: tuple[tuple[str, Any], ...]) -> bool:
    """Whether something else than a warning may happen: an exception, a call."""
    return any(mode not in QUIET for _, mode in errors)


class AtLeast(NamedTuple):
    """Numbers that are not less than one."""

    least: float


def _remembered(
    p: Primitive, args: tuple[Object, ...], params: dict[str, Any], known: tuple[Any, ...],
    kind: type[Exception] = Exception,
) -> bool:
    key = (args, tuple(params.items()), tuple([(i, type(x), x) for i, x in known]), kind)
    try:
        found = p.raised.get(key)
    except TypeError:  # a parameter without a hash: tried each time
        return tried(p, args, params, dict(known), kind)
    if found is None:
        found = _kept(p, key, tried(p, args, params, dict(known), kind))
    return found


def _kept(p: Primitive, key: Any, found: T) -> T:
    """What was found of a primitive, which remembers it: so that it lives no longer than that."""
    if len(p.raised) >= REMEMBERED:
        p.raised.clear()
    p.raised[key] = found
    return found


def tried(
    p: Primitive, args: tuple[Object, ...], params: dict[str, Any], known: dict[int, Any], kind: type[Exception]
) -> bool:
    """Whether an exception of this kind is raised at some edge; that which NumPy's modes decide on is.

    >>> from ccc.objects import REAL
    >>> from ccc.primitives.arithmetic import div
    >>> tried(div, (REAL, REAL), {}, {}, Exception), tried(div, (REAL, REAL), {}, {1: AtLeast(1.0)}, Exception)
    (True, False)
    """
    try:
        choices = [_choices(a, known.get(i, AtLeast(-inf))) for i, a in enumerate(args)]
    except UnknownObject:
        return True
    total = 1
    for found in choices:
        total *= len(found)
    with _lock, warnings.catch_warnings(), np.errstate(all="ignore" if kind is Exception else "raise"):
        warnings.simplefilter("ignore")
        for xs in islice(product(*choices), 0, None, 1 + total // MOST):
            try:
                p.value(*xs, **params)
            except kind:
                return True
            except Exception:  # another one than is asked for
                continue
    return False


def _choices(a: Object, known: Any) -> list[Any]:
    if not isinstance(known, AtLeast):
        return [known]
    return [x for x in edges(a) if known.least == -inf or not x < known.least]


def edges(a: Object) -> Iterator[Any]:
    """Values of an object at which a function may raise that takes others.

    >>> [x.shape for x in edges(Array("bool", ("n", "1")))]
    [(0, 1), (0, 1), (2, 1), (2, 1), (3, 1), (3, 1)]
    """
    match a:
        case Real("float" | "any"):
            yield from REALS
        case Real("fraction"):
            yield from map(Fraction, (0, -1, 3))
        case Real(kind):
            with np.errstate(all="ignore"):
                yield from map(np.dtype(kind).type, REALS)
                yield np.finfo(kind).max
        case Int("int" | "any"):
            yield from INTEGERS
        case Int(kind):
            yield from np.array(INTEGERS).astype(kind)
        case Bool(kind):
            yield from (np.True_, np.False_) if kind == "bool_" else (True, False)
        case Array(dtype, axes):
            for shape in ((), (0,), (2,), (2, 3)) if axes is None else product(*map(_sizes, axes)):
                for item in _items(np.dtype(dtype)):
                    yield np.full(shape, item).astype(dtype)
        case Record(parts, cls, names):
            yield from (made(cls, names, found) for found in _parts(parts))
        case Product(parts):
            yield from map(tuple, _parts(parts))
        case List(item):
            yield []
            found = list(edges(item))
            for x in found:
                yield from ([x], [x] * 3)
            yield found
        case Map(key, item):
            yield {}
            yield from ({k: x} for k in islice(edges(key), 2) for x in edges(item))
        case Text():
            yield from ("", "a")
        case Static(value):
            yield value
        case _:
            raise UnknownObject(f"no edges of {a}")


def _sizes(axis: str) -> tuple[int, ...]:
    return (1,) if axis == "1" else COUNTS if axis == "n" else (1, *COUNTS)


def _items(dtype: np.dtype[Any]) -> tuple[Any, ...]:
    if dtype.kind == "f":
        return (0, 1, nan, -inf, np.finfo(dtype).max)
    return (True, False) if dtype.kind == "b" else (0, -1, 5)


def _parts(parts: Sequence[Object]) -> Iterator[list[Any]]:
    """Parts of a tuple, all at an edge of theirs."""
    found = [list(edges(part)) for part in parts]
    for i in range(max(map(len, found), default=1)):
        yield [xs[i % len(xs)] for xs in found]
