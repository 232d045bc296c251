"""`functools`, `operator`, `itertools` and the folds of `math` in programs, and functions that decorators made."""

# pyright: reportCallIssue=false, reportArgumentType=false

from __future__ import annotations

import collections
import contextlib
import functools
import itertools
import math
import numbers
import operator
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from checks import agrees, agrees_in_value

import ccc
from ccc.compile.diagnostics import CompileError

XS = [0.7, 1.9, 1.2, 2.6]
V = np.array([0.7, 1.9, 1.2, 2.6])


@dataclass
class Point:
    x: float
    y: float

    def scaled(self, k: float, *, by: float = 1.0) -> Point:
        return Point(self.x * k * by, self.y * k)

    def __add__(self, other: Point) -> Point:
        return Point(self.x + other.x, self.y + other.y)


class Pair(NamedTuple):
    left: float
    right: float


# -- functools -------------------------------------------------------------------------------------------------------


def reduces(xs: list[float], k: float) -> float:
    a = functools.reduce(operator.mul, xs, 1.0)
    b = functools.reduce(lambda total, x: total * k + x, xs)
    c = functools.reduce(operator.add, [k, 2.0, k * k])
    d = functools.reduce(lambda p, x: (p[0] + x, p[1] * x), xs, (0.0, k))
    return a * b + c + d[0] * d[1] + functools.reduce(lambda f, x: f + x * i_of(x), range(4), k)


def i_of(x: float) -> float:
    return x * 0.5


class Vector:
    def __init__(self, x: float, y: float) -> None:
        self.x, self.y = x, y

    def __iter__(self) -> Any:
        return iter([self.x, self.y])

    def __add__(self, other: Vector) -> Vector:
        return Vector(self.x + other.x, self.y + other.y)


def deepened(f: Any, k: int) -> Any:
    return f if k <= 0 else deepened(lambda t: math.atan(f(0.5 * t)), k - 1)


def starts_and_functions_that_could_be_iterated(xs: list[float], k: float) -> float:
    f = deepened(math.sin, len(xs))
    start: Any = None if k > 1.0 else k
    total = sum([Vector(x, k) for x in xs], Vector(k, 2.0))
    folded = functools.reduce(lambda a, b: a + b, [Vector(x, k) for x in xs], Vector(0.5, k))
    begun = functools.reduce(lambda a, b: b if a is None else a * b, xs, start)
    return sum(map(f, xs)) + total.x * total.y * folded.x + begun


def reduces_arrays(v: Any) -> Any:
    m = functools.reduce(np.matmul, [np.outer(v, v), np.outer(v, v * 0.5), np.outer(v, v)])
    return np.sum(m) + functools.reduce(operator.add, v) * functools.reduce(lambda a, b: a * b, v)


def reduces_points(xs: list[float], k: float) -> float:
    p = functools.reduce(operator.add, [Point(x, k * x) for x in (1.0, k, 3.0)], Point(0.0, xs[0]))
    return p.x * p.y


def power_of(base: float, exponent: float, scale: float = 1.0) -> float:
    return scale * base**exponent


SQUARED = functools.partial(power_of, exponent=2.0)


def partials(x: float, k: float) -> float:
    cube = functools.partial(power_of, exponent=3.0, scale=k)
    nested = functools.partial(functools.partial(power_of, x), 1.5, scale=2.0)
    return SQUARED(x) + cube(x) + nested() + cube(k, scale=1.0) + sum(map(functools.partial(operator.mul, k), [x, 2.0]))


@functools.cache
def squared(x: float) -> float:
    return x * x


@functools.cache
def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def doubled(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return 2.0 * function(*args, **kwargs)

    return wrapper


@doubled
def product_of(x: float, y: float = 3.0, *, z: float = 1.0) -> float:
    return x * y * z


def times(n: int) -> Callable[..., Any]:
    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(x: float) -> float:
            for _ in range(n):
                x = function(x)
            return x

        return wrapper

    return decorator


@times(3)
def logistic(x: float) -> float:
    return 2.7 * x * (1.0 - x)


def decorated(x: float, k: float) -> float:
    return squared(x) * product_of(x, z=k) + product_of(x, k) + fibonacci(6) * x + logistic(x * 0.3)


@functools.singledispatch
def size_of(value: Any) -> Any:
    return value * 2.0


@size_of.register
def _(value: Point) -> Any:
    return value.x * value.y


@size_of.register(np.ndarray)
def _(value: Any) -> Any:
    return np.sum(value * value)


def dispatched(x: float, v: Any) -> Any:
    return size_of(Point(x, x)) + size_of(v) * size_of(x)


# -- operator --------------------------------------------------------------------------------------------------------

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.mod]


def operators(x: float, k: float) -> float:
    s = 0.0
    for f in OPERATORS:
        s = s + f(x, k)
    for g in (operator.neg, operator.pos, operator.abs, abs):
        s = s * 1.1 + g(x)
    t = x if operator.lt(x, k) and not operator.eq(x, k) and operator.not_(operator.ge(x, 100.0)) else k
    p = operator.add(Point(x, k), Point(k, k))
    a, b, c = operator.itemgetter(2, 0, -1)([x, k, x * k])
    return s * t + p.x * p.y + operator.getitem([x, k], 1) * a * b + c + operator.floordiv(x, k) * k


GET = operator.itemgetter(1)
OF_X = operator.attrgetter("x")
SCALED = operator.methodcaller("scaled", 2.0, by=3.0)


def getters(x: float, k: float) -> float:
    points = [Point(x, k), Point(k, 2.0), Point(x * k, 1.0)]
    first = min(points, key=OF_X)
    rows = sorted([(x, k), (1.0, 2.0 * k)], key=GET)
    both = operator.attrgetter("x", "y")(SCALED(points[0]))
    total = sum(map(operator.attrgetter("y"), points))
    best = max(dict(zip("ab", [(1, x), (2, k * 3.0)], strict=True)).values(), key=operator.itemgetter(1))
    return first.x * first.y + rows[0][0] * rows[1][1] + both[0] * both[1] + total + best[1]


def attributes(x: float, k: float) -> float:
    p = Point(x, k)
    p.x = x * k
    s = p.x * getattr(p, "z", 3.0) + math.sin(x)
    return s + (1.0 if hasattr(p, "y") and not hasattr(p, "w") and hasattr(x, "is_integer") else 100.0) * k


# -- itertools -------------------------------------------------------------------------------------------------------


def accumulates(xs: list[float], k: float) -> float:
    s = sum(itertools.accumulate(xs)) + list(itertools.accumulate([k, 2.0, k], operator.mul))[-1]
    s = s + sum(itertools.accumulate(xs, lambda a, b: a * k + b, initial=k))
    for a, b in itertools.pairwise(itertools.accumulate(xs, max)):
        s = s + a * b
    return s


def chains(xs: list[float], k: float) -> float:
    s = 0.0
    for i, x in enumerate(itertools.chain(xs, [k, 1.0], xs)):
        s = s + x * i
    rows = [[x * j for j in range(3)] for x in xs]
    return s + sum(itertools.chain.from_iterable(rows)) * k + sum(itertools.chain([k], (2.0,)))


def windows(xs: list[float], k: float) -> float:
    s = sum((b - a) ** 2 for a, b in itertools.pairwise(xs)) + sum(x * y for x, y in itertools.pairwise([k, 1.0, k]))
    s = s + sum(itertools.islice(xs, 2)) * k + sum(itertools.islice(xs, 1, None, 2))
    return s + sum(itertools.islice(itertools.count(2, 3), 4)) * k


def endless(xs: list[float], k: float) -> float:
    s = sum(x * w for x, w in zip(xs, itertools.repeat(k))) + sum(x * i for i, x in zip(itertools.count(1), xs))
    s = s + sum(a * b for a, b in zip([k, 2.0, k * k], itertools.cycle([1.0, k])))
    return s + sum(map(pow, [k, 2.0], itertools.repeat(2))) + sum(itertools.repeat(k, 3))


def selects(xs: list[float], k: float) -> float:
    s = sum(a * b for a, b in itertools.combinations([k, 2.0, k * k], 2))
    s = s + sum(a * b - a for a, b in itertools.permutations((k, 3.0)))
    s = s + sum(a * b for a, b in itertools.product([k, 2.0], repeat=2)) + sum(
        a * b for a, b in itertools.product(xs, [k, 1.0]))
    s = s + sum(itertools.compress(xs, [1, 0, 1, 1])) + sum(itertools.filterfalse(lambda x: x > k, xs))
    s = s + sum(itertools.takewhile(lambda x: x < 2.0, xs)) + sum(itertools.dropwhile(lambda x: x < k, xs)) * k
    s = s + sum(itertools.starmap(lambda a, b: a * b, [(k, 2.0), (3.0, k)]))
    return s + sum(a * b for a, b in itertools.zip_longest([k, 2.0], [k], fillvalue=1.5))


# -- math ------------------------------------------------------------------------------------------------------------


def folds(xs: list[float], k: float) -> float:
    s = math.prod(xs) + math.prod([k, 2, k], start=k) + math.fsum(xs) * k + math.fsum([k, 2.0, k * k])
    s = s + math.prod(x * k for x in xs) + math.fsum(x * x for x in xs if x > 1.0)
    return s + math.dist((k, 1.0, 2.0), [0.5, k, k]) + math.hypot(k, 1.0, k * 2.0)


def lengths(xs: list[float], k: float) -> float:
    s = math.hypot(*xs) * k + math.dist(xs, [0.5] * len(xs)) ** 2 + math.hypot(*(np.array(xs) * k))
    try:
        return s + math.dist(xs, [k])
    except ValueError as error:
        return s * len(str(error))


def numbers_asked(xs: list[float], k: float) -> float:
    s, n = k * (37).bit_length() + (3.0).is_integer() + int.from_bytes(b"\x01\x02", "big") * k, len(xs)
    for i, x in enumerate(xs):
        s += x * (n * i).bit_length() - (i - 5).bit_count() * k + (x if (x * 2.0).is_integer() else x * x)
    return s * n.bit_length()


def ranges_asked(x: float, n: int) -> float:
    up, down, found = range(1, n, 2), range(n, 0, -2), 0.0
    for k in range(3):
        found += x * up.index(2 * k + 1) + range(k, n).count(x * 2.0) + range(n).index(k + 1.0)
    try:
        found += range(k, n).index(n)
    except ValueError as error:
        found += len(str(error))
    place = down.index
    found += up.count("4")
    return found * up.count(4) + x * down.count(n - 2) + place(n - 4) * up.start + up.stop * down.step


def numbers_tested(x: float, k: float) -> float:
    s = x if math.isclose(x, k, rel_tol=0.5) else x * k
    s = s * 2.0 if math.isclose(x, x + 1e-12) and not math.isclose(x, k) else s
    return s * math.gcd(12, 18) + math.comb(5, 2) * x + math.factorial(3)


# -- classes ---------------------------------------------------------------------------------------------------------


def classes(x: float, v: Any, p: Point) -> Any:
    s = x * 2.0 if isinstance(x, (int, float)) and isinstance(x, numbers.Real) else 0.0
    s = s * 3.0 if type(x) is float and not isinstance(v, (list, tuple)) and isinstance(v, np.ndarray) else 0.0
    s = s + (p.x if isinstance(p, Point | Pair) and type(p) is Point else 0.0)
    return s * (2.0 if callable(i_of) and not callable(x) and isinstance([x], list) else 1.0) + np.sum(v)


def classes_of_libraries(x: float) -> float:
    texts, z, one = (f"{x:.2f}", "x" + str(x), "a" if x > 0.0 else "b"), x + 1j, functools.partial(max, x)
    seen: Any = collections.Counter("abb"), collections.defaultdict(float), [x].append, z * np.exp(x)
    asked = [isinstance(t, str) and type(t) is str and not isinstance(t, list) for t in texts]
    asked += [isinstance(z, complex), isinstance(z, numbers.Number), not isinstance(z, float)]
    asked += [isinstance(one, functools.partial), not isinstance(one, types.MethodType)]
    asked += [isinstance(v, c) for v, c in zip(seen, (collections.Counter, collections.defaultdict,
                                                      types.BuiltinMethodType, complex), strict=True)]
    asked += [not hasattr(v, name) for v in (x, [x], seen[0], None) for name in ("__call__", "__name__")]
    asked += [hasattr(Pair(x, x), "__iter__"), hasattr(z, "imag"), not hasattr(z, "__len__"), hasattr(one, "func")]
    return x * sum([2.0 ** i for i, yes in enumerate(asked) if yes])


def nothing_happens(x: float, k: float) -> float:
    with contextlib.nullcontext(), np.errstate(all="ignore"):
        if x > k:
            return x
        k = k * x
    return k


CASES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (reduces, (XS, 1.3)), (starts_and_functions_that_could_be_iterated, (XS, 0.6)), (reduces_arrays, (V,)),
    (reduces_points, (XS, 1.3)), (partials, (1.2, 0.7)),
    (decorated, (1.2, 0.7)), (dispatched, (1.2, V)), (operators, (2.3, 0.7)), (getters, (1.2, 0.7)),
    (attributes, (1.2, 0.7)), (accumulates, (XS, 1.3)), (chains, (XS, 1.3)), (windows, (XS, 1.3)),
    (endless, (XS, 1.3)), (selects, (XS, 1.3)), (folds, (XS, 1.3)), (lengths, (XS, 1.3)), (numbers_tested, (1.2, 0.7)),
    (numbers_asked, (XS, 1.3)), (ranges_asked, (1.5, 7)),
    (classes, (1.2, V, Point(0.3, 0.4))), (classes_of_libraries, (1.2,)),
    (nothing_happens, (0.7, 1.2)), (nothing_happens, (1.2, 0.7)),
]


@pytest.mark.share(2)
@pytest.mark.parametrize(("f", "args"), CASES, ids=[f"{f.__name__}{i}" for i, (f, _) in enumerate(CASES)])
def test_agrees(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


@pytest.mark.parametrize("f", [
    lambda xs: functools.reduce(operator.mul, xs[4:]),
    lambda xs: sum(itertools.accumulate(xs[4:])) + math.prod(xs[4:]) + math.fsum(xs[4:]),
])
def test_of_nothing(f: Callable[..., Any]) -> None:
    agrees_in_value(f, XS)


def without_end(x: float) -> float:
    return sum(v * x for v in itertools.count())


def raises(x: float) -> float:
    with np.errstate(divided="raise"):
        return 1.0 / x


REFUSED: list[tuple[Callable[..., Any], tuple[Any, ...], str]] = [
    (without_end, (1.0,), "no end"),
    (raises, (1.0,), "`with` is not supported"),
    (lambda xs: sum(p[0] * p[1] for p in itertools.permutations(xs)), (XS,), "known one by one"),
    (lambda x: sum(itertools.accumulate([x], fun=max)), (1.0,), "no parameter `fun`"),
    (lambda x: functools.reduce(operator.add), (1.0,), "misses its argument `iterable`"),
    (lambda x: operator.add(x), (1.0,), "takes 2 arguments"),
]


@pytest.mark.parametrize(("f", "args", "message"), REFUSED, ids=[m for _, _, m in REFUSED])
def test_refused(f: Callable[..., Any], args: tuple[Any, ...], message: str) -> None:
    with pytest.raises(CompileError, match=message) as found:
        ccc.gradient(f)(*args)
    (diagnostic,) = found.value.diagnostics
    assert diagnostic.span is not None and diagnostic.span.file == __file__


class Measured:
    scale = 3.0

    @functools.singledispatchmethod
    def of(self, shape: Any) -> Any:
        raise TypeError("no shape")

    @of.register
    def _(self, shape: float) -> Any:
        return shape * self.scale

    @of.register(tuple)
    def _(self, shape: Any) -> Any:
        return sum(self.of(part) for part in shape)

    @of.register(np.ndarray)
    def _(self, shape: Any, times: float = 1.0) -> Any:
        return times * np.sum(shape)

    @functools.singledispatchmethod
    @staticmethod
    def of_class(shape: Any) -> Any:
        return 2.0 * shape

    @of_class.register(tuple)
    @staticmethod
    def _(shape: Any) -> Any:
        return shape[0]


class Other(Measured):
    scale = 4.0


def measured(x: float) -> Any:
    made, other = Measured(), Other()
    of = other.of
    other.scale = 5.0
    return made.of((x, x * x, (x,))) + made.of(np.array([x, x]), times=2.0) + of(x) + made.of_class((made.of_class(x),))


def test_methods_of_singledispatchmethod() -> None:
    agrees(measured, 1.5)


def power_of_two(x: float) -> Any:
    xs = np.array([x, 2.0 * x])
    whole = (np.log(x) / np.log(2.0)).is_integer(), np.float32(x).is_integer(), xs.sum().is_integer()
    return whole, np.sqrt(x) * 2.0 if whole[0] else np.sqrt(x)


@pytest.mark.parametrize("x", [8.0, 7.0, 8.25])
def test_numbers_of_numpy_have_methods_of_pythons(x: float) -> None:
    agrees_in_value(power_of_two, x)
    if x != 8.0:  # where it jumps
        agrees(lambda x: power_of_two(x)[1], x)
    agrees_in_value(lambda n: np.array([n, 4]).sum().bit_count(), 7)
