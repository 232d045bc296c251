"""Kinks, edges and zeros: the subgradient of least norm, strong zeros, no exception that the primal did not raise."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from test_ccc_primitives_samples import SAMPLES

import ccc
from ccc.additive import Zero, dense
from ccc.objects import is_discrete
from ccc.objects_of_values import object_of
from ccc.primitives.registry import BY_NAME, PRIMITIVES, find

INF = math.inf
A = np.array


def slopes(name: str, *args: Any, ct: Any = None, **params: Any) -> list[Any]:
    p = BY_NAME[name]
    with np.errstate(all="ignore"):
        y = p.value(*args, **params)
    if ct is None:
        ct = 1.0 if np.ndim(y) == 0 else np.ones(np.shape(y))
    assert p.pullback is not None
    found = p.pullback(ct, y, *args, **params)
    return [0.0 if isinstance(c, Zero) else np.asarray(dense(c)).tolist() for c in found]


@pytest.mark.parametrize(("name", "args", "expected"), [
    ("abs", (0.0,), [0.0]), ("abs", (-2.0,), [-1.0]), ("abs", (A([0.0, -1.0]),), [[0.0, -1.0]]),
    ("math.fabs", (0.0,), [0.0]), ("np.absolute", (A([0.0, 3.0]),), [[0.0, 1.0]]), ("np.fabs", (0.0,), [0.0]),
    ("np.maximum", (0.0, 0.0), [0.5, 0.5]), ("np.maximum", (A([-1.0, 0.0, 1.0]), 0.0), [[0.0, 0.5, 1.0], 1.5]),
    ("np.minimum", (A([-1.0, 0.0, 1.0]), 0.0), [[1.0, 0.5, 0.0], 1.5]),
    ("np.fmax", (1.0, math.nan), [1.0, 0.0]), ("np.fmin", (math.nan, 1.0), [0.0, 1.0]),
    ("np.clip", (A([-1.0, 0.0, 0.5, 1.0, 2.0]), 0.0, 1.0), [[0.0, 0.5, 1.0, 0.5, 0.0], 1.5, 1.5]),
    ("max", (1.0, 1.0), [0.5, 0.5]), ("max", (2.0, 2.0, 2.0), [1 / 3, 1 / 3, 1 / 3]), ("min", (1.0, 2.0), [1.0, 0.0]),
    ("np.max", (A([1.0, 1.0, 0.0]),), [[0.5, 0.5, 0.0]]), ("np.min", (A([1.0, 1.0, 0.0]),), [[0.0, 0.0, 1.0]]),
    ("np.linalg.norm", (A([0.0, 0.0]),), [[0.0, 0.0]]), ("np.std", (A([2.0, 2.0]),), [[0.0, 0.0]]),
    ("math.hypot", (0.0, 0.0), [0.0, 0.0]), ("np.hypot", (0.0, 0.0), [0.0, 0.0]),
    ("math.atan2", (0.0, 0.0), [0.0, 0.0]), ("np.arctan2", (0.0, 0.0), [0.0, 0.0]), ("np.sinc", (0.0,), [0.0]),
    ("math.sqrt", (0.0,), [INF]), ("np.sqrt", (A([0.0, 4.0]),), [[INF, 0.25]]), ("math.cbrt", (0.0,), [INF]),
    ("math.asin", (1.0,), [INF]), ("math.acos", (-1.0,), [-INF]), ("math.acosh", (1.0,), [INF]),
    ("np.arcsin", (1.0,), [INF]), ("np.arccosh", (1.0,), [INF]), ("np.log", (0.0,), [INF]),
    ("power", (0.0, 0), [0.0, 0.0]), ("power", (0.0, 0.0), [0.0, 0.0]), ("power", (0.0, 1), [1.0, 0.0]),
    ("power", (0.0, 2.0), [0.0, 0.0]), ("power", (0.0, 0.5), [INF, 0.0]), ("power", (-2.0, 3), [12.0, 0.0]),
    ("power", (A([0.0, 2.0]), A([0.0, 2.0])), [[0.0, 4.0], [0.0, 4 * math.log(2.0)]]),
    ("math.pow", (0.0, 0.0), [0.0, 0.0]), ("np.power", (A([0.0, 0.0]), A([1.0, 2.0])), [[1.0, 0.0], [0.0, 0.0]]),
    ("np.prod", (A([0.0, 2.0, 3.0]),), [[6.0, 0.0, 0.0]]), ("np.prod", (A([0.0, 2.0, 0.0]),), [[0.0, 0.0, 0.0]]),
    ("np.sign", (A([0.0, 1.0]),), [0.0]), ("np.heaviside", (0.0, 0.5), [0.0, 1.0]),
    ("floordiv", (3.0, 2.0), [0.0, 0.0]),
    ("round", (2.5,), [0.0]), ("math.copysign", (0.0, 1.0), [0.0, 0.0]), ("math.copysign", (-2.0, 1.0), [-1.0, 0.0]),
    ("np.where", (A([True, False]), A([1.0, 2.0]), A([3.0, 4.0])), [0.0, [1.0, 0.0], [0.0, 1.0]]),
])
def test_kink(name: str, args: tuple[Any, ...], expected: list[Any]) -> None:
    for found, wanted in zip(slopes(name, *args), expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-15)


EDGES = (0.0, -0.0, 1.0, -1.0, INF, -INF, math.nan, 5e-324, 1e308, -1e308, 0.5, 2.0, 3.0)
OPERATORS = ["add", "sub", "mul", "div", "mod", "power", "abs", "neg", "float", "times0", "over0", "unit", "power0",
             "log0", "weight"]
POINTWISE = [
    p for p in PRIMITIVES
    if p.name in OPERATORS or ((p.name.startswith(("math.", "np.")) and getattr(p.value, "nin", 1) <= 2
                               and (p.name.startswith("math.") or isinstance(p.value, np.ufunc)))
    and p.name != "np.clip")
]


def edge_arguments(count: int) -> list[tuple[float, ...]]:
    return [(x,) for x in EDGES] if count == 1 else [(x, y) for x in EDGES for y in EDGES]


@pytest.mark.share(2)
@pytest.mark.parametrize("p", POINTWISE, ids=lambda p: p.name)
@pytest.mark.parametrize("lift", [float, np.float64, lambda x: A([x, 1.0])], ids=["float", "float64", "array"])
def test_zero_cotangent_gives_zero_and_nothing_raises(p: Any, lift: Any) -> None:
    """Where the value is finite, a zero cotangent gives zero; where there is a value, the pullback never raises."""
    tried = 0
    for count in {min(len(s.args), 2) for s in SAMPLES[p.name]}:
        for point in edge_arguments(count):
            args = tuple(map(lift, point))
            try:
                with np.errstate(all="ignore"):
                    y = p.value(*args)
            except (ArithmeticError, ValueError, TypeError):
                continue
            if isinstance(y, complex):
                continue
            if is_discrete(object_of(y)):
                break
            zero = np.zeros_like(y) if isinstance(y, np.ndarray) else type(y)(0.0)
            with np.errstate(all="ignore"):
                cts = p.pullback(zero, y, *args)
                p.pullback(zero + 1, y, *args)
            tried += 1
            ok = np.all(np.isfinite(y)) and all(np.all(np.isfinite(x)) for x in args)
            if ok:
                for ct in cts:
                    assert isinstance(ct, Zero) or np.all(np.asarray(dense(ct)) == 0), (p, args, cts)
    if not tried:
        pytest.skip("no such arguments")


ALIKE = [p for p in POINTWISE if p.pullback is not None and not isinstance(p.value, np.ufunc)]


def numbers_at(p: Any, args: tuple[Any, ...]) -> list[float] | None:
    """The value at single numbers and the slopes there; None where it has none."""
    try:
        with np.errstate(all="ignore"):
            y = p.value(*args)
            if isinstance(y, complex):
                return None
            found = [y, *p.pullback(np.ones(1) if isinstance(y, np.ndarray) else type(y)(1.0), y, *args)]
    except (ArithmeticError, ValueError, TypeError):
        return None
    return [0.0 if isinstance(x, Zero) else float(np.ravel(dense(x))[0]) for x in found]


@pytest.mark.parametrize("p", ALIKE, ids=lambda p: p.name)
def test_values_and_slopes_of_floats_are_those_of_numpys_numbers_and_of_arrays(p: Any) -> None:
    """At all edges where Python's own number has a value, infinite ones with their signs."""
    for count in {min(len(s.args), 2) for s in SAMPLES[p.name]}:
        for point in edge_arguments(count):
            plain = None if point == (-INF, 0.5) else numbers_at(p, point)  # whose root NumPy has two of
            if plain is None or is_discrete(object_of(p.value(*point))):
                continue
            for lift in (np.float64, lambda x: A([x])):
                other = numbers_at(p, tuple(map(lift, point)))
                if other is not None:
                    np.testing.assert_allclose(other, plain, rtol=1e-12, err_msg=f"{p.name} at {point}")


def test_masked_infinite_slopes() -> None:
    """`np.where(x > 0, f(x), 0)` has slope 0 at 0, although f has none."""
    x = A([0.0, 4.0])
    where = BY_NAME["np.where"]
    for name, slope in (("np.sqrt", 0.25), ("np.log", 0.25), ("np.reciprocal", -0.0625), ("np.log2", None)):
        p = BY_NAME[name]
        with np.errstate(all="ignore"):
            y = p.value(x)
        inner = where.pullback(np.ones(2), where.value(x > 0, y, 0.0), x > 0, y, 0.0)[1]  # type: ignore[misc]
        (ct,) = p.pullback(inner, y, x)  # type: ignore[misc]
        assert ct[0] == 0.0 and (slope is None or ct[1] == slope)
    with np.errstate(all="ignore"):
        y = np.divide(1.0, x)
    assert BY_NAME["div"].pullback(A([0.0, 1.0]), y, 1.0, x)[1].tolist() == [0.0, -0.0625]  # type: ignore[misc]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("add", [np.logaddexp, np.logaddexp2])
def test_sums_of_logarithms_at_infinities(add: Any, backend: str) -> None:
    """Impossible alternatives, whose logarithm is -inf, had the slope nan, and so had all that they were added to."""
    f = lambda a, b, c: add(add(a, b), c)  # noqa: E731
    for args, wanted in [((-INF, -INF, 1.0), (0.0, 0.0, 1.0)), ((-INF, -INF, -INF), (0.25, 0.25, 0.5)),
                         ((INF, 2.0, 1.0), (1.0, 0.0, 0.0)), ((INF, INF, 1.0), (0.5, 0.5, 0.0)),
                         ((-INF, 1.0, 1.0), (0.0, 0.5, 0.5))]:
        assert ccc.gradient(f, backend=backend)(*args) == pytest.approx(wanted, abs=1e-15)
        assert float(ccc.jvp(f, args, (1.0, 2.0, 3.0), backend=backend)[1]) == pytest.approx(
            np.dot(wanted, [1.0, 2.0, 3.0]), abs=1e-15)
    bend = ccc.hessian(lambda x: f(x[0], x[1], x[2]), backend=backend)(np.array([-INF, 0.0, 0.0]))
    base = 1.0 if add is np.logaddexp else np.log(2.0)
    np.testing.assert_allclose(bend, base * 0.25 * np.array([[0, 0, 0], [0, 1, -1], [0, -1, 1]]), atol=1e-15)


@pytest.mark.parametrize("p", [p for p in PRIMITIVES if p.exact and p.pullback], ids=lambda p: p.name)
def test_exact_primitives_stay_exact(p: Any) -> None:
    """Value and derivative of rationals are rationals."""
    for args in ((Fraction(3, 2),), (Fraction(3, 2), Fraction(2, 5)), (Fraction(3, 2), 2), (Fraction(2), Fraction(2))):
        if p.name in ("power", "power0") and not isinstance(args[-1], int):
            continue
        try:
            y = p.value(*args)
            object_of(y)
        except Exception:
            continue
        if not isinstance(y, Fraction) or p.name in ("log0", "rows", "widen", "inject", "project"):
            continue
        cts = p.pullback(Fraction(1), y, *args)
        for ct, x in zip(cts, args, strict=True):
            assert isinstance(x, int) or isinstance(dense(ct), Zero | Fraction | int), (p, args, cts)


# -- what users call ---------------------------------------------------------------------------------------------------

X = np.array([[0.3, -1.2, 0.7], [1.1, 0.2, -0.4]])
CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (np.sum, (X,), {}), (np.sum, (X, 0), {}), (np.sum, (X,), {"axis": 1, "keepdims": True}),
    (np.sum, ([1.0, 2.0],), {}),
    (np.mean, (X, -1), {}), (np.max, (X, 1), {}), (np.amin, (X,), {"axis": (0, 1)}), (np.var, (X,), {"ddof": 1}),
    (np.std, (X,), {"axis": 0, "ddof": 1}), (np.argmax, (X, 1), {}), (np.any, (X > 1,), {}), (np.all, (X > 1, 0), {}),
    (np.prod, (X,), {"axis": 1}), (np.cumsum, (X, 1), {}), (np.linalg.norm, (X,), {}),
    (np.linalg.norm, (X,), {"axis": 1}),
    (np.linalg.norm, (X[0], 2), {}), (np.dot, (X, X[0]), {}), (np.matmul, (X, X.T), {}), (np.outer, ([1.0], [2.0]), {}),
    (np.inner, (X, X), {}), (np.vdot, (X, X), {}), (np.transpose, (X,), {}), (np.transpose, (X, (1, 0)), {}),
    (np.reshape, (X, (3, 2)), {}), (np.reshape, (X, -1), {}), (np.ravel, (X,), {}), (np.squeeze, (X[:1],), {"axis": 0}),
    (np.expand_dims, (X, 1), {}), (np.expand_dims, (X,), {"axis": (0, -1)}), (np.swapaxes, (X, 0, 1), {}),
    (np.moveaxis, (X, 0, 1), {}), (np.flip, (X,), {}), (np.roll, (X, 1), {"axis": 1}),
    (np.broadcast_to, (X[0], (2, 3)), {}),
    (np.atleast_2d, (X[0],), {}), (np.shape, (X,), {}), (np.ndim, (X,), {}), (np.size, (X,), {}),
    (np.array, ([1.0, 2],), {}), (np.array, ([[1.0, 2.0], [3.0, 4.0]],), {}), (np.array, ((X, X),), {}),
    (np.array, ([1, 2],), {"dtype": float}), (np.asarray, (X,), {}), (np.copy, (X,), {}),
    (np.stack, ([X, X],), {"axis": 1}),
    (np.concatenate, ([X, X],), {"axis": 1}), (np.concatenate, ((X, X), None), {}), (np.vstack, ([X[0], X],), {}),
    (np.hstack, ([X[0], X[1]],), {}), (np.hstack, ([X, X],), {}), (np.column_stack, ([X[:, 0], X],), {}),
    (np.zeros, (3,), {}), (np.zeros, ((2, 1),), {"dtype": np.float32}), (np.ones, ((2, 3),), {}),
    (np.full, ((2,), 1.5), {}),
    (np.eye, (2,), {}), (np.eye, (2, 3), {}), (np.identity, (3,), {}), (np.zeros_like, (X,), {}),
    (np.ones_like, (X,), {}),
    (np.arange, (4,), {}), (np.linspace, (0.0, 1.0, 5), {}), (np.where, (X > 0, X, 0.0), {}),
    (np.clip, (X, -0.5, 0.5), {}),
    (np.clip, (X, None, 0.5), {}), (np.clip, (X, 0.1, None), {}), (np.round, (X, 1), {}), (np.round, (X,), {}),
    (np.diag, (X[0],), {}), (np.diag, (X, 1), {}), (np.trace, (X[:, :2],), {}), (np.linalg.inv, (X[:, :2],), {}),
    (np.linalg.solve, (X[:, :2], X[:, 0]), {}), (np.linalg.det, (X[:, :2],), {}), (np.abs, (X,), {}),
    (abs, (-1.5,), {}),
    (max, (1.0, 2.0), {}), (max, ([1.0, 3.0, 2.0],), {}), (min, (1.0, 2.0, 0.5), {}), (round, (1.7,), {}),
    (round, (1.789, 2), {}), (float, (3,), {}), (int, (3.7,), {}), (bool, (0.0,), {}), (pow, (2.0, 3), {}),
    (len, ([1],), {}),
    (math.log, (8.0, 2.0), {}), (math.log, (8.0,), {}), (math.hypot, (1.0, 2.0, 3.0), {}), (math.tanh, (0.7,), {}),
    (np.tanh, (0.7,), {}), (np.float32, (1.5,), {}), (np.power, (X * X, 1.5), {}),
    *[(np.linalg.norm, (X, order), {"keepdims": True}) for order in (None, 1, -1, 2, -2, np.inf, -np.inf, "nuc")],
    *[(np.linalg.norm, (X, order, -1), {}) for order in (None, 0, 1, 2, 3, 0.5, -2, np.inf, -np.inf)],
    *[(np.linalg.norm, (np.stack([X, X * X]), order, (2, 0)), {"keepdims": True}) for order in (1, -np.inf, 2, "nuc")],
    (np.linalg.vector_norm, (np.stack([X, X * X]),), {"axis": (0, 2), "keepdims": True, "ord": 3}),
    *[(np.linalg.cond, (X[:, :2], order), {}) for order in (None, -2)],
    *[(np.linalg.cond, (X @ X.T, order), {}) for order in (1, "fro", "nuc")],
    (np.linalg.svd, (X,), {"compute_uv": False}), (np.linalg.qr, (X,), {"mode": "r"}), (np.linalg.pinv, (X, 1e-9), {}),
    (np.linalg.matrix_rank, (X,), {}), (np.linalg.matrix_rank, (np.stack([X, X]),), {}), (np.linalg.outer, X[:2], {}),
    (np.linalg.multi_dot, ([X[0], X.T, X[:, 0]],), {}), (np.tensordot, (X, X), {"axes": ((0, 1), (0, 1))}),
    (np.linalg.vecdot, (X, X), {"axis": 0}), (np.trace, (X, 1), {}), (np.linalg.diagonal, (X,), {"offset": -1}),
    (np.linalg.matrix_transpose, (X,), {}), (np.linalg.cross, (X[:2, :3], X[:2, :3] ** 2), {}),
    (np.fft.fftfreq, (7, 0.5), {}), (np.fft.rfftfreq, (8,), {}), (np.fft.fftshift, (X,), {}),
    (np.fft.ifftshift, (X, 0), {}), (np.fft.irfft, (X, 5), {}), (np.fft.hfft, (X,), {"axis": 0, "norm": "ortho"}),
]


@pytest.mark.parametrize(("function", "args", "keywords"), CALLS, ids=lambda x: getattr(x, "__name__", ""))
def test_call_computes_what_the_user_named(function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    adapted = find(function)
    assert adapted is not None
    found, wanted = adapted(*args, **keywords), function(*args, **keywords)
    assert type(found) is type(wanted)
    assert np.asarray(found).dtype == np.asarray(wanted).dtype and np.shape(found) == np.shape(wanted)
    assert np.asarray(found).tobytes() == np.asarray(wanted).tobytes()


def test_keywords_without_a_derivative_are_refused() -> None:
    total, factors = find(np.sum), find(np.linalg.qr)
    assert total is not None and factors is not None
    with pytest.raises(TypeError, match="out"):
        total(X, out=X)
    with pytest.raises(TypeError, match="found 'raw'"):
        factors(X, mode="raw")
