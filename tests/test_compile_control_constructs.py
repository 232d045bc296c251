"""Constructs of Python that steer a program: the value as in plain Python bit for bit, the gradient against
differences, and where plain Python raises, the same exception."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value, value_of

import ccc
from ccc.compile.diagnostics import CompileError

XS = np.array([1.0, 2.0, 3.5, -0.5])


# -- leaving -----------------------------------------------------------------------------------------------------------


def out_of_for_else(xs: Any) -> float:
    for x in xs:
        if x < 0:
            for i in range(3):
                if x * i < -0.7:
                    return x * i
    else:
        return xs[0] ** 2
    return 1.0


def out_of_while_else(x: float) -> float:
    while x < 10:
        x = x * x
        if x > 5:
            break
    else:
        return x * 3
    return x


def out_of_match(x: float, n: int) -> float:
    for i in range(5):
        match i:
            case 0:
                continue
            case 3 if n > 2:
                return x * i
            case 4:
                break
            case k:
                x = x * k + 1.0
    return x * x


def out_of_with(x: np.ndarray) -> Any:
    for i in range(3):
        with np.errstate(all="ignore"):
            if i == 2:
                return np.sum(np.log(x) * i)
        x = x * 2.0
    return np.sum(x)


def out_of_three_loops(x: float) -> float:
    for i in range(3):
        for j in range(3):
            for k in range(3):
                x = x * 1.1
                if x > 1.53:
                    return x * (i + 1) * (j + 1) * (k + 1)
    return x


LEAVING: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (out_of_for_else, (XS,)), (out_of_for_else, (np.abs(XS),)), (out_of_while_else, (1.7,)),
    (out_of_while_else, (11.0,)), (out_of_match, (1.7, 1)), (out_of_match, (1.7, 3)),
    (out_of_with, (np.array([0.5, 0.7]),)), (out_of_three_loops, (0.72,)), (out_of_three_loops, (0.07,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), LEAVING, ids=lambda x: getattr(x, "__name__", ""))
def test_leaving_from_anywhere(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


# -- tests -------------------------------------------------------------------------------------------------------------


def chained(x: float) -> float:
    return x * x if 0.0 < x <= 1.0 < x + 1 != 5.0 else -x


def chained_with_a_binding(x: float) -> float:
    y = 1.0
    return y if 0 < (y := x * 2) < 1 else y * 3


def conditionals(x: float) -> float:
    return x if x > 1 else x * x if x > 0.5 else (x**3 if x > 0.2 else -x)


def operands(x: float) -> float:
    first = (x > 0.5 and x * 2) or 3 * x
    return first * (x - 1.0 or x) * (x if not (x > 1 or x < 0) else -x)


@pytest.mark.parametrize("x", [2.0, 0.7, 0.3, 0.1, -0.4])
@pytest.mark.parametrize("f", [chained, chained_with_a_binding, conditionals, operands])
def test_tests(f: Callable[[float], float], x: float) -> None:
    agrees(f, x)


# -- match -------------------------------------------------------------------------------------------------------------


@dataclass
class Point:
    x: float
    y: float


@dataclass
class Circle:
    center: Point
    radius: float


@dataclass
class Box:
    low: Point
    high: Point


def starred(x: float) -> float:
    match [x, x * x, 2.0, 3.0]:
        case [a]:
            return a
        case [a, b, *rest]:
            return a * b * sum(rest) * len(rest)
    return 0.0


def starred_in_the_middle(x: float) -> float:
    match (x, (x * x, 2.0, 3.0 * x)):
        case (a, (*_, b)):
            return a * b
    return 0.0


def of_a_list(xs: list[float]) -> float:
    match xs:
        case []:
            return 0.0
        case [a]:
            return a
        case [a, b]:
            return a * b
        case [first, *middle, last]:
            return first * last * sum(middle) * len(middle)
    return 1.0


def summed(xs: list[float]) -> float:
    match xs:
        case [a, *rest]:
            return math.sin(a) + a * summed(rest)
    return 0.5


def of_a_dict(d: Any) -> float:
    match d:
        case {"kind": "line", "a": a}:
            return a
        case {"a": a, "b": {"c": c}, **rest} if a > c:
            return a * c * len(rest)
        case {"a": a}:
            return a * a
    return 1.0


def alternatives(x: float, n: int) -> float:
    match (n, x):
        case (0, v) | (v, 1.0):
            return v * x
        case (1 | 2 as k, v) | (k, v):
            return v * k
    return x


def shapes(s: Any) -> float:
    match s:
        case Circle(Point(x, y), radius=r) if r > 0:
            return x * y * r
        case Box(low=Point(x=a), high=Point(b)):
            return a * b
        case Circle() | Box():
            return 0.5 * (s.center.x if isinstance(s, Circle) else 0.0)
    return 0.0


def singletons(x: float, b: Any) -> float:
    match b:
        case True:
            return x
        case None:
            return x**3
    return x * x


def of_a_comparison(x: float) -> float:
    match x > 0.5:
        case True:
            return x
        case _:
            return x * x


def kinds(x: float) -> float:
    match x:
        case [a]:
            return a
        case {"a": a}:
            return a
        case str():
            return 1.0
        case (float() | int()) as v:
            return v * v
    return 0.0


def words(x: float, kind: Any) -> float:
    match kind:
        case "a" | "b":
            return x
        case "c":
            return x * x
        case str():
            return x**3
        case None:
            return -x
    return 0.0


P = Point(0.3, 0.4)
MATCHES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (starred, (0.7,)), (starred_in_the_middle, (0.7,)), (summed, ([0.3, 0.4, 0.5],)),
    *[(of_a_list, ([0.3, 0.4, 0.5, 0.6][:n],)) for n in (1, 2, 3, 4)],
    (of_a_dict, ({"kind": "line", "a": 0.7},)), (of_a_dict, ({"a": 0.7, "b": {"c": 0.2}, "d": 0.1},)),
    (of_a_dict, ({"a": 0.1, "b": {"c": 0.2}},)), (of_a_dict, ({"a": 0.1},)), (of_a_dict, ({"z": 0.1},)),
    *[(alternatives, (0.7, n)) for n in (0, 1, 2, 3)],
    (shapes, (Circle(P, 2.0),)), (shapes, (Box(P, Point(0.5, 0.6)),)), (shapes, (Circle(P, -2.0),)),
    *[(singletons, (0.7, b)) for b in (True, False, None)],
    (of_a_comparison, (0.7,)), (of_a_comparison, (0.3,)), (kinds, (0.7,)),
    *[(words, (0.7, k)) for k in ("a", "c", "z", None)],
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), MATCHES, ids=lambda x: getattr(x, "__name__", ""))
def test_match(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def of_a_pair(x: float) -> float:
    pair = other = [x, 2.0]
    match pair:
        case {"a": a}:
            return a
        case [p, q]:
            return p * q + other[0]
    return 0.0


def of_a_kept_dict(x: float) -> float:
    kept = other = {"a": [x, {"k": x}], "b": 3}
    match kept:
        case {"a": [p, {"k": q}]}:
            return p * q + other["b"]
    return 0.0


def kinds_in_either_order(x: float) -> float:
    found = 0.0
    for v in (x, 3):
        match v:
            case int(n) | float(n):
                found += n * n
        match v:
            case float(n) | int(n):
                found += n * x
    return found


@dataclass
class Pair:
    p: float
    q: float


def is_no_sequence(pairs: list[Pair]) -> float:
    found = 0.0
    for pair in pairs:
        match pair:
            case [p, q]:
                found += p * q
            case _:
                found += 7.0 * pair.p
    return found


@pytest.mark.parametrize("stores", ["never", "always"])
def test_match_where_there_are_stores(stores: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No pattern of parts matched a list or dict in a store, so another case ran."""
    monkeypatch.setenv("CCC_STORES", stores)
    for f in (of_a_pair, of_a_kept_dict, kinds_in_either_order):
        agrees(f, 1.5)
    agrees(is_no_sequence, [Pair(1.5, 2.0), Pair(2.0, 3.0)])


def test_match_of_nothing() -> None:
    assert value_of(of_a_list, []) == 0.0
    assert value_of(summed, []) == 0.5


# -- exceptions --------------------------------------------------------------------------------------------------------


class Bad(Exception):
    """An exception of the user's own."""


class Worse(ValueError):
    def __init__(self, why: str, x: float) -> None:
        super().__init__(f"{why}: {x:.2f}")
        self.x = x


def raises(x: float) -> float:
    assert x > 0, f"x must be positive: {x=}"
    assert x < 10, ("too large", 1)
    if x > 5:
        raise Worse("worse", x) from Bad("first", x)
    if x > 3:
        raise Bad("a", 3, x)
    if x > 2:
        raise Bad
    if x > 1.5:
        raise Worse("hidden", x) from None
    n = 3
    if x > 1:
        raise KeyError(f"{n:03d}|{n=}|{x:.3e}|{x!r:>20}|{n:>{n}}") from ZeroDivisionError
    return math.log(x)


@pytest.mark.parametrize("x", [-0.5, 11.0, 6.0, 4.0, 2.5, 1.7, 1.2, 0.7])
def test_exceptions(x: float) -> None:
    if 0 < x < 1:
        return agrees(raises, x)
    if 0 < x < 10:  # pytest adds to assertions
        agrees_in_value(raises, x)
    with pytest.raises(Exception) as expected:
        raises(x)
    for run in (ccc.gradient(raises), ccc.value_with_pullback(raises), lambda x: value_of(raises, x)):
        with pytest.raises(type(expected.value)) as found:
            run(x)
        assert found.value.args == expected.value.args or isinstance(expected.value, AssertionError)
        assert type(found.value.__cause__) is type(expected.value.__cause__)
        assert getattr(found.value.__cause__, "args", ()) == getattr(expected.value.__cause__, "args", ())
        assert found.value.__suppress_context__ == expected.value.__suppress_context__
        notes = vars(found.value).pop("__notes__", [])  # the line of the program
        assert all("test_compile_control_constructs.py" in note for note in notes)
        assert vars(found.value) == vars(expected.value) or isinstance(expected.value, AssertionError)


# -- names and calls ---------------------------------------------------------------------------------------------------


def deleted(x: float) -> float:
    y, z = x * x, 2.0
    if x > 0:
        w = y * z
        del y, z
    else:
        w = y
    y = w * x
    return y * w


def by_defaults(x: float) -> float:
    first = lambda t, s=x * 2.0, *, c=3.0: t * s * c  # noqa: E731
    second = lambda t, s=x: t * s * x  # noqa: E731
    return first(x) + first(x, 2.0) + first(x, c=x) + second(x) * second(x, s=3.0)


def collected(*args: float, scale: float = 2.0, **others: float) -> float:
    return sum(args) * scale * others.get("k", 1.0)


def placed(a: float, /, b: float, *, c: float = 1.0) -> float:
    return a * b**2 * c


def by_kinds_of_parameters(x: float) -> float:
    def inside(a: float, *rest: float, k: float = 1.0, **others: float) -> float:
        return a * k + sum(rest) + others["z"]

    parts, named = (x, 2 * x), {"c": x}
    total = collected(x, 2 * x, 3.0, scale=x, k=x) + collected(x) + placed(x, b=2 * x) + placed(x, x, c=x)
    return total + placed(*parts, **named) + inside(x, x * x, 2.0, k=x, z=x)


def by_recursive_closures(x: float, n: int) -> float:
    def even(n: int, a: float) -> float:
        return a if n <= 0 else odd(n - 1, a * x)

    def odd(n: int, a: float) -> float:
        return a + 1 if n <= 0 else even(n - 1, a + x)

    def go(n: int) -> float:
        return x if n == 0 else x * go(n - 1) + 1.0

    return even(n, 1.0) * go(n)


def by_a_fixed_point(x: float) -> float:
    fix = lambda f: (lambda y: f(lambda v: y(y)(v)))(lambda y: f(lambda v: y(y)(v)))  # noqa: E731
    return fix(lambda self: lambda n: x if n < 1 else n * self(n - 1))(3)


def by_comprehensions(x: float) -> float:
    pairs = sum(i * j * x**i for i in range(4) for j in range(i) if (i + j) % 2 == 0)
    rows = [[x * i + j for j in range(3)] for i in range(2)]
    columns = [[row[k] for row in rows] for k in range(3)]
    return pairs + sum(columns[2]) * columns[0][1]


def by_unpacking(x: float) -> float:
    a = b = x
    a, b = b * 2, a
    (c, (d, *rest)) = (a, (b, x, 3.0))
    a += 1
    b *= a
    c -= b
    d /= c
    d **= 2
    return d * sum(rest)


def by_unpacking_what_is_iterated(x: float, ws: list[float], n: int) -> float:
    *hidden, (w, b) = zip(ws, [0.1, 0.2, 0.3], strict=True)
    for v, c in hidden:
        x = math.tanh(x * v + c)
    first, *others = map(lambda t: t * x, range(1, n))
    name, *letters = "abc"
    key, *keys = {"k": x, "l": x * x}
    return (x * w + b) * first * sum(others) * len(letters) + (x if name == "a" and key == "k" else len(keys))


NAMES: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (deleted, (0.7,)), (deleted, (-0.7,)), (by_defaults, (0.7,)), (by_kinds_of_parameters, (0.7,)),
    (by_recursive_closures, (0.7, 5)), (by_a_fixed_point, (0.7,)), (by_comprehensions, (0.7,)), (by_unpacking, (0.7,)),
    (by_unpacking_what_is_iterated, (0.7, [1.0, 2.0, 0.5], 5)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), NAMES, ids=lambda x: getattr(x, "__name__", ""))
def test_names_and_calls(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def read_after_deletion(x: float) -> float:
    y = x * x
    del y
    return y  # noqa: F821  # pyright: ignore[reportUnboundVariable] - it was deleted


def with_async(x: float) -> float:
    async def local() -> None:
        """What is not read in a function."""

    return -x


@pytest.mark.parametrize(
    ("f", "message"),
    [(read_after_deletion, "`y` may be unbound here"), (with_async, "`async` is not supported")],
)
def test_what_is_refused_is_refused_by_name(f: Callable[..., Any], message: str) -> None:
    with pytest.raises(CompileError, match=message):
        ccc.gradient(f)(0.7)


def match_of_numpy(x: np.ndarray) -> Any:
    match x[0] > 0:
        case True:
            return x[0] ** 2
        case _:
            return x[0] * 7.0


def match_of_python(x: np.ndarray) -> Any:
    match (bool(x[0] > 0), x[1] > 0):
        case (True, False):
            return x[0] ** 2
        case (True, _):
            return x[0] * 5.0
    return x[0] * 7.0


@pytest.mark.parametrize("f", [match_of_numpy, match_of_python])
def test_the_truth_values_of_numpy_are_no_singletons(f: Callable[..., Any]) -> None:
    for xs in ([3.0, 4.0], [3.0, -4.0], [-3.0, 4.0]):
        agrees(f, np.array(xs))


def one_of_two_fails(x: float, r: float) -> Any:
    pair = Nested(x, Nested(r, 2.0))
    match pair:
        case Nested(Nested(a, b), 1.0) | Nested(_, Nested(a, b)):
            return a * b * x
    return x


@dataclass
class Nested:
    first: Any
    second: Any


def test_a_pattern_that_fails_in_a_part_binds_nothing() -> None:
    """The names of the other pattern were taken for unbound."""
    agrees(one_of_two_fails, 0.7, 3.0)
