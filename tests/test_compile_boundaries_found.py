"""What programs written by hand, and random calls, found where two rules meet: each was wrong, or was lost."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
import pytest
from checks import agrees
from conforming import conforming

import ccc
from ccc.compile.diagnostics import CompileError
from ccc.errors import CCCError

both = pytest.mark.parametrize("backend", [
    "numpy", pytest.param("native", marks=pytest.mark.skipif(not find_spec("llvmlite"), reason="no machine code")),
])  # fmt: skip


# -- derivatives of derivatives where a loop carries arrays and structures ---------------------------------------------


@dataclass
class P:
    a: float
    b: float


def sums_of_an_array(x: Any) -> Any:
    y = np.array([1.0, x])
    for _ in range(2):
        y = y + np.sum(y) * x
    return np.sum(y)


def items_of_an_array(x: Any) -> Any:
    y = np.array([1.0, x])
    for _ in range(2):
        y = y + y[0] * x
    return np.sum(y)


def until_large(x: Any) -> Any:
    y = np.array([x, 1.0])
    while np.sum(y) < 50.0:
        y = y + np.sum(y) * x
    return np.sum(y)


def pairs_of_lists(x: Any) -> Any:
    pairs = [(1.0, x) for _ in range(3)]
    for _ in range(2):
        pairs[0] = (pairs[0][0] + x, x)
    return pairs[0][0] * x


def made_again(x: Any) -> Any:
    pairs = [(x, 1.0) for _ in range(2)]
    for _ in range(3):
        pairs = [(x, x * i) for i in range(2)]
    return pairs[0][0] * pairs[1][1]


def of_records(x: Any) -> Any:
    ps = [P(1.0, x) for _ in range(2)]
    for _ in range(2):
        ps = [P(p.a * x, p.b) for p in ps]
    return ps[0].a * ps[1].b


def growing(x: Any) -> Any:
    xs = [x, 1.0]
    for _ in range(2):
        xs.append(0.5)
        xs = [v * x + 1.0 for v in xs]
    return xs[0] * xs[2]


@pytest.mark.share(8)
@both
@pytest.mark.parametrize("f", [
    sums_of_an_array, items_of_an_array, until_large, pairs_of_lists, made_again, of_records, growing,
])  # fmt: skip
def test_every_order_of_two_derivatives_agrees(f: Callable[..., Any], backend: str) -> None:
    agrees(f, 1.3)
    second = ccc.grad(ccc.grad(f))(1.3)
    h = 2.0**-13
    assert second == pytest.approx((f(1.3 + h) - 2 * f(1.3) + f(1.3 - h)) / h**2, rel=1e-5, abs=1e-4)
    verbs = [ccc.derivative, ccc.grad]
    for outer in verbs:
        for inner in verbs:
            assert outer(inner(f), backend=backend)(1.3) == pytest.approx(second), (outer.__name__, inner.__name__)


def test_a_third_derivative_along_an_array() -> None:
    third = ccc.derivative(ccc.derivative(ccc.derivative(sums_of_an_array)))
    assert third(1.3) == pytest.approx(24.0)  # of (1 + x)(1 + 2x)²


def read_as_rows_and_as_a_list(y: Any) -> Any:
    columns = np.column_stack(y)
    return np.sum(np.sin(columns / columns[0, 0])) + np.sum(np.cos(np.hstack(y)) * y)


@both
def test_cotangents_of_rows_and_of_a_list_are_added(backend: str) -> None:
    y, d = np.array([0.4, -1.8, 1.1]), np.array([1.0, 0.5, -0.3])
    agrees(read_as_rows_and_as_a_list, y)
    gradient = ccc.gradient(read_as_rows_and_as_a_list, backend=backend)
    expected = (gradient(y + 1e-6 * d) - gradient(y - 1e-6 * d)) / 2e-6
    np.testing.assert_allclose(ccc.vjp(gradient, y, backend=backend)[1](d)[0], expected, rtol=1e-6)


# -- the truth of objects ----------------------------------------------------------------------------------------------


@dataclass
class Weighed:
    a: float

    def __bool__(self) -> bool:
        return self.a > 2.0


@dataclass
class Sized:
    a: float
    n: int

    def __len__(self) -> int:
        return self.n


class Named(NamedTuple):
    a: float

    def __bool__(self) -> bool:
        return self.a > 2.0


TRUTHS = [
    lambda w, x: x if w else 2.0 * x,
    lambda w, x: x if not w else 2.0 * x,
    lambda w, x: x * bool(w) + (x if all([w, w]) else 3.0 * x),
    lambda w, x: sum([x for v in filter(None, [w, w])]) + (2.0 * x if any([w]) else x),
    lambda w, x: sum([x for v in (w, w) if v], 0.5 * x),
]


@pytest.mark.parametrize(
    "w", [Weighed(0.5), Weighed(3.0), Sized(1.0, 0), Sized(1.0, 2), Named(1.0), Named(3.0)], ids=str
)
@pytest.mark.parametrize("f", TRUTHS)
def test_objects_are_as_true_as_their_classes_say(f: Callable[..., Any], w: Any) -> None:
    assert ccc.compiled(f)(w, 1.3) == f(w, 1.3)
    assert ccc.gradient(f, wrt="x")(w, 1.3) == pytest.approx(f(w, 1.0))


@both
@pytest.mark.parametrize(("f", "args"), [
    (lambda a: (a,) == (1.0,), (1.0,)), (lambda a: (a,) != (1.0, 2.0), (np.float32(1.0),)),
    (lambda a: (a, a) == (1.0, 1.0), (np.ones(1),)), (lambda a: (a, 2.0) != (1.0, 2.0), (np.float64(1.0),)),
    (lambda a, b: (a, (b, 1)) == (b, (a, 1)), (1.0, 2.0)),
])  # fmt: skip
def test_tuples_are_equal_or_not_as_bools(f: Callable[..., Any], args: Any, backend: str) -> None:
    found = ccc.compiled(f, backend=backend)(*args)
    assert found is f(*args)


# -- subclasses that may compute otherwise, and what hides their attributes --------------------------------------------


class Times100(float):
    def __mul__(self, other: Any) -> float:
        return 100.0


class Counted(int):
    pass


class Matrix(np.ndarray):
    def __mul__(self, other: Any) -> Any:
        return np.matmul(self, other)


class Doubled(tuple[float, ...]):
    def __getitem__(self, i: Any) -> Any:
        return 2.0 * tuple.__getitem__(self, i)


@pytest.mark.parametrize("value", [
    Times100(2.0), Counted(2), Doubled((2.0,)), np.ones(2).view(Matrix), np.ma.masked_equal(np.array([1.0, 2.0]), 2.0),
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_subclasses_of_numbers_are_refused_by_name(value: Any) -> None:
    for verb in (ccc.compiled, ccc.gradient, lambda f: ccc.gradient(f, wrt="x")):
        with pytest.raises(CCCError, match=f"a {type(value).__name__} is an? "):
            verb(lambda v, x: x * v[0] if isinstance(v, tuple) else np.sum(x * v))(value, 1.0)


def test_memory_of_a_file_is_an_array(tmp_path: Any) -> None:
    x = np.memmap(tmp_path / "x", np.float64, "w+", shape=(3,))
    x[:] = 1.0, 2.0, 3.0
    np.testing.assert_array_equal(ccc.grad(lambda x: np.sum(x * x))(x), [2.0, 4.0, 6.0])


# -- bools and integers beside reals -----------------------------------------------------------------------------------


def squares(xs: Any) -> Any:
    return sum([x * x for x in xs])


@pytest.mark.parametrize("verb", [
    lambda: ccc.gradient(squares)([True, 2.0]), lambda: ccc.jvp(squares, ([True, 2.0],), ([None, 1.0],)),
    lambda: ccc.vjp(squares, [2.0, np.int64(3)]),
])  # fmt: skip
def test_a_bool_among_the_reals_of_a_list_is_refused(verb: Callable[[], Any]) -> None:
    with pytest.raises(CCCError, match="bool|int64"):
        verb()


def test_the_number_beside_an_integer_does_not_change_its_reading() -> None:
    assert ccc.jvp(squares, ([2, np.float64(3)],), ([1.0, 1.0],)) == ccc.jvp(squares, ([2, 3.0],), ([1.0, 1.0],))
    assert ccc.gradient(lambda p, i: p[i] * 2.0)([1, 2, 3.0], 1) == ([0.0, 2.0, 0.0], None)
    assert ccc.gradient(lambda p, i: p[i] * 2.0)([1, 2, 3], 1) == ([0.0, 2.0, 0.0], None)


def needed_as_integer(xs: Any) -> Any:
    return sum([x * 0.5 for x in xs]) + [10.0, 20.0, 30.0, 40.0][xs[0]]


def test_lists_of_integers_that_are_needed_have_no_cotangent() -> None:
    assert ccc.gradient(needed_as_integer)([1, 2, 3]) is None
    assert ccc.vjp(needed_as_integer, [1, 2, 3])[1](1.0) == (None,)


def test_what_does_not_move_takes_no_tangent() -> None:
    f = lambda b, x: x * 2.0 if b else x  # noqa: E731
    for rest in (None, 0.0, False):
        assert ccc.jvp(f, (True, 2.0), (rest, 1.0)) == (4.0, 2.0)
    g = lambda i, x: x * np.sum(i)  # noqa: E731
    whole = np.array([1, 2])
    assert ccc.jvp(g, (whole, 2.0), (np.zeros(2), 1.0)) == (6.0, 3.0)
    inside = lambda b, x, d: ccc.jvp(lambda b, x: x * 2.0 + np.sum(b), (b, x), (d, 0.0))  # noqa: E731
    for run in (
        lambda: ccc.jvp(f, (True, 2.0), (1.0, 0.0)), lambda: ccc.jvp(g, (whole, 2.0), (np.ones(2), 0.0)),
        lambda: ccc.compiled(inside)(np.arange(3), 2.0, np.ones(3)),
    ):  # fmt: skip
        with pytest.raises(CCCError, match="bool|int64"):
            run()
    assert ccc.compiled(inside)(np.arange(3), 2.0, np.zeros(3)) == (7.0, 0.0)


# -- kinds, errors and what may not be read ----------------------------------------------------------------------------


@both
def test_averages_are_computed_in_the_kind_of_the_result(backend: str) -> None:
    a = np.array([100, 110, 120], np.int8)
    f = lambda a: np.average(a, weights=a)  # noqa: E731
    assert ccc.compiled(f, backend=backend)(a) == f(a)


@both
def test_a_weight_may_be_an_integer(backend: str) -> None:
    for f, x in ((lambda x: np.average(x, weights=2), 1.5), (lambda x: np.average(x, weights=2), np.float64(1.5))):
        assert ccc.compiled(f, backend=backend)(x) == f(x)
        assert ccc.grad(f, backend=backend)(x) == pytest.approx(1.0)


@both
def test_weights_of_another_shape_are_refused(backend: str) -> None:
    for f, x in (
        (lambda x: np.average(x, weights=(0.0, 1.0)), np.ones(1)),
        (lambda x: np.average(x, 0, np.ones((1, 2))), np.eye(2)),
        (lambda x: np.average(x, weights=x[:1]), np.ones(3)),
    ):  # fmt: skip
        with pytest.raises((TypeError, ValueError)) as plain:
            f(x)
        with pytest.raises(type(plain.value), match=r"[Ss]hapes? of"):
            ccc.compiled(f, backend=backend)(x)


@both
def test_an_integer_that_no_float_holds_stays_what_it_is(backend: str) -> None:
    f = lambda x, y: x if y > 0 else 1.5  # noqa: E731
    assert ccc.compiled(f, backend=backend)(2**53 + 1, 1.0) == 2**53 + 1


def unread_power(x: Any) -> Any:
    _ = np.array([2, 3]) ** -1
    return x


def twice_the_same(x: Any) -> Any:
    return np.sum(x, axis=(0, -1))


def squeezed_twice(x: Any) -> Any:
    return np.squeeze(x[None], axis=(0, 0))


def expanded_twice(x: Any) -> Any:
    return np.expand_dims(x, (0, 0))


def flipped_beyond(x: Any) -> Any:
    return np.flip(x, axis=(0, 3))


def unread_maximum(x: Any) -> Any:
    np.max(x, axis=3)
    return 1.0


def summed(x: Any) -> Any:
    return sum(x)


@both
@pytest.mark.parametrize(("f", "x"), [
    (unread_power, 1.0), (summed, np.array(2.0)),
    *[(f, np.arange(3.0)) for f in (twice_the_same, squeezed_twice, expanded_twice, flipped_beyond, unread_maximum)],
])  # fmt: skip
def test_what_python_raises_is_raised_or_refused(f: Callable[..., Any], x: Any, backend: str) -> None:
    with pytest.raises((ValueError, TypeError)) as plain:
        f(x)
    with pytest.raises((type(plain.value), CompileError)):
        ccc.compiled(f, backend=backend)(x)


@both
def test_overflow_in_a_region_that_raises(backend: str) -> None:
    def f(x: Any) -> Any:
        with np.errstate(over="raise"):
            return (x * 1e300).astype(np.float32)

    for at in (1e-270, 1.0):
        found = []
        for run in (f, ccc.compiled(f, backend=backend)):
            try:
                found.append(run(np.array([at])).tolist())
            except FloatingPointError as error:
                found.append(type(error))
        assert found[0] == found[1]


PAIRS: Any = ((1, 0),)
ONE: Any = (0,)


@pytest.mark.parametrize("f", [
    lambda x: np.take_along_axis(x, PAIRS, 0), lambda x: np.swapaxes(x, ONE, 1), lambda x: np.roll(x, (PAIRS,)),
])  # fmt: skip
def test_forms_that_numpy_does_not_take_are_refused(f: Callable[..., Any]) -> None:
    x = np.arange(4.0).reshape(2, 2)
    with pytest.raises((TypeError, AttributeError, ValueError)):
        f(x)
    with pytest.raises((CompileError, ValueError), match="array|integer|scalars"):
        ccc.compiled(f)(x)


def test_kinds_of_what_is_small() -> None:
    with conforming():
        assert type(ccc.compiled(lambda x: np.kron(x, np.radians(x)))(2.0)) is np.float64
        x = np.array([2.0, 1.0, 1.0], np.float32)
        second = ccc.jvp(ccc.gradient(lambda x: np.sum(np.min(x, keepdims=True) ** 2)), (x,), (np.ones_like(x),))[1]
        assert second.dtype == np.float32
        np.testing.assert_allclose(second, [0.0, 1.0, 1.0])


@pytest.mark.parametrize("n", [0, 1])
def test_the_cotangent_of_a_narrow_array_is_narrow_beside_a_number_of_any_kind(n: int) -> None:
    """One of NumPy's makes the product wide, one of Python's does not: which it is shows when it runs."""
    def scaled(x: Any, n: int) -> Any:
        return x * [np.sum(WIDE), 0.3][n]

    x = np.array([2.0, 1.0], np.float32)
    for backend in ("numpy", "native"):
        value, pullback = ccc.value_with_pullback(scaled, wrt="x", backend=backend)(x, n)
        assert value.dtype == scaled(x, n).dtype
        assert pullback(np.ones_like(value)).dtype == np.float32
        several = ccc.value_with_pullback(lambda x: [np.sum(x * x) + np.sum(WIDE), 0.3], backend=backend)(x)[1]
        assert several([1.0, 1.0]).dtype == np.float32


WIDE = np.array([1.0, 2.0])


def test_the_tape_of_what_no_run_has_made_yet_is_a_zero() -> None:
    def f(m: Any) -> Any:
        for _ in range(3):
            return WIDE * 0.5 + np.sum(m)

    with conforming():
        found = ccc.value_with_pullback(f)(np.ones((1, 2)))[1](np.ones(2))
    np.testing.assert_array_equal(found, [[2.0, 2.0]])


@pytest.mark.parametrize("names", [("a", "b"), ("c",)])
def test_names_of_positions_may_be_those_of_the_rest(names: tuple[str, ...]) -> None:
    def inner(a: Any, *args: Any) -> Any:
        return a * sum(args) * len(names)

    f = lambda x: inner(x, x, 2.0) + math.prod([x, x])  # noqa: E731
    agrees(f, 1.7)


def a_test_without_order(x: float) -> float:
    bound = None
    while bound >= 0:  # type: ignore[operator]
        x += 1.0
    return x


def a_test_of_no_key(x: float) -> float:
    while LIMITS["high"] > x:
        x += 1.0
    return x


LIMITS = {"low": 1.0}


@both
@pytest.mark.parametrize("f", [a_test_without_order, a_test_of_no_key])
def test_what_the_test_of_a_while_surely_raises_is_not_lost(f: Callable[..., Any], backend: Any) -> None:
    """It was 0, as of a function that nothing leaves."""
    with pytest.raises((TypeError, KeyError)) as expected:
        f(2.0)
    with pytest.raises((CompileError, type(expected.value)), match="NoneType|high"):
        ccc.compiled(f, backend=backend)(2.0)


class Word:
    def __init__(self, weight: Callable[[float], float], x: float) -> None:
        self.weight, self.x = weight, x

    def __lt__(self, other: Any) -> bool:
        return self.weight(self.x) < self.weight(other.x)


def by_own_order(xs: list[float]) -> float:
    first = sorted(xs, key=lambda x: Word(lambda y: -y, x))[0]
    key: Any = functools.cmp_to_key(lambda a, b: b * b - a * a)  # type: ignore[operator]
    second = sorted(xs, key=key, reverse=True)
    return first * second[0] * second[0]


def test_keys_that_say_themselves_what_is_less() -> None:
    """They were compared where the code runs, where functions in them are no functions."""
    agrees(by_own_order, [1.5, -0.5, 2.5, 2.0])


def test_texts_are_joined_of_what_is_known() -> None:
    def f(x: float, unit: str) -> str:
        if unit not in LIMITS:
            raise ValueError(f"{unit} is none of {', '.join(LIMITS)} or {'/'.join(k + '!' for k in LIMITS)}")
        return f"{x * LIMITS[unit]}"

    assert ccc.compiled(f)(2.0, "low") == "2.0"
    with pytest.raises(ValueError, match="m is none of low or low!"):
        ccc.compiled(f)(2.0, "m")


ALONG_PAIRS: list[Callable[..., Any]] = [
    lambda rows: [a for a, b in rows], lambda rows: {a: b for a, b in rows}, lambda rows: sum(a * b for a, b in rows),
    lambda rows: sorted((a, i) for i, (a, b) in enumerate(rows)),
]


def along_pairs(rows: list[Any], x: float = 2.0) -> float:
    for a, b in rows:
        x = x * a + b
    return x


@pytest.mark.parametrize("f", [*ALONG_PAIRS, along_pairs])
def test_no_pairs_are_gone_through(f: Callable[..., Any]) -> None:
    """Of an empty list nothing says that its items are pairs; the result was 0.0, as if all of the function raised."""
    for rows in ([], [(3.0, 1.0)]):
        assert ccc.compiled(f)(rows) == f(rows)
    assert ccc.gradient(along_pairs, wrt="x")([], 2.0) == 1.0
