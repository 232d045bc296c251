"""Machine code at float32: values and dtypes of the NumPy target, gradients of differences in float64."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from checks import parts_of

import ccc
from ccc.compile.native import calls_out, elementary
from ccc.compile.program.lam import Let

pytest.importorskip("llvmlite")

SIZES = (0, 1, 7, 8, 9, 33)
EPS = float(np.finfo(np.float32).eps)


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).normal(size=shape).astype(np.float32)


def leaves(x: Any) -> Iterator[Any]:
    """The numbers and arrays of a value."""
    parts = parts_of(x)
    if parts is None:
        yield x
    for part in parts or ():
        yield from leaves(part)


def close(found: Any, want: Any, ulps: float) -> bool:
    """Of one type, and equal to some units in the last place of the largest number; bit for bit for none."""
    if type(found) is not type(want) or getattr(found, "dtype", 0) != getattr(want, "dtype", 0):
        return False
    a, b = np.asarray(found), np.asarray(want)
    if a.dtype.kind != "f" or not ulps:
        return a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    largest = float(np.max(np.abs(b[np.isfinite(b)]), initial=1e-30))
    return a.shape == b.shape and np.allclose(a, b, rtol=0, atol=ulps * EPS * largest, equal_nan=True)


@pytest.fixture(autouse=True)
def nothing_goes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test has a call that goes out to NumPy."""

    def function(self: calls_out.CallsOut, name: str, let: Let, given: Any) -> None:
        raise AssertionError(f"a call out: {self.reasons[let]}")

    monkeypatch.setattr(calls_out.CallsOut, "function", function)


def agrees(f: Callable[..., Any], *calls: tuple[Any, ...], verb: Any = ccc.compiled, ulps: float = 64) -> None:
    """Machine code gives what the NumPy target gives, of one type, and leaves nothing to it."""
    native, plain = verb(f, backend="native"), verb(f, backend="numpy")
    for args in calls:
        with np.errstate(all="ignore"):
            found, want = native(*copy.deepcopy(args)), plain(*copy.deepcopy(args))
        xs, ys = list(leaves(found)), list(leaves(want))
        assert len(xs) == len(ys) and all(close(x, y, ulps) for x, y in zip(xs, ys, strict=True)), (found, want)
    codes = [code for codes in native.codes.values() for code in codes]
    assert codes and not any(code.left_to for code in codes), [code.left_to for code in codes]


def gradients_agree(f: Callable[..., Any], *args: Any, ulps: float = 256) -> None:
    """Gradients have the dtypes of their arguments; they are those of NumPy, and of differences in float64."""
    wrt = tuple([i for i, a in enumerate(args) if getattr(a, "dtype", None) == np.float32])
    agrees(f, args, args, verb=lambda g, backend: ccc.gradient(g, wrt=wrt, backend=backend), ulps=ulps)
    found = ccc.gradient(f, wrt=wrt, backend="native")(*copy.deepcopy(args))
    r = np.random.default_rng(1)
    ways = {i: r.normal(size=np.shape(args[i])) for i in wrt}

    def at(h: float) -> float:
        moved = [np.float64(a) + h * ways[i] if i in ways else a for i, a in enumerate(args)]
        return float(f(*[x if np.ndim(x) else np.float64(x) for x in moved]))

    h = 1e-5
    slope = (at(h) - at(-h)) / (2 * h)
    terms = [np.float64(part) * ways[i] for part, i in zip(found, wrt, strict=True)]
    size = sum(float(np.sum(np.abs(t))) for t in terms)
    assert abs(sum(float(np.sum(t)) for t in terms) - slope) <= 1e-5 * max(size, 1e-3)


# -- arithmetic, and what numbers are together -----------------------------------------------------------------------


def together(x: Any, y: Any) -> Any:
    return x + y, x - y, y - x, x * y, x / y, y / x, x < y, x == y, np.maximum(x, y), np.where(x > y, x, y)


OTHERS = {
    "float": 0.1, "large": 1e300, "small": 1e-60, "int": 3, "bool": True, "float64": np.float64(0.1),
    "float32": np.float32(0.1), "floats": np.linspace(-1.0, 2.0, 9), "ints": np.arange(9) - 4,
    "bools": np.arange(9) % 2 == 0, "int64": np.int64(16777217),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_dtypes_together(name: str) -> None:
    """Python's numbers have no width of their own; what is computed is rounded at each operation, as in NumPy."""
    agrees(together, (numbers(9), OTHERS[name]), ulps=0)
    if name not in ("floats", "ints", "bools"):
        agrees(together, (np.float32(0.7), OTHERS[name]), ulps=0)


def rounded_each_time(x: Any, y: Any) -> Any:
    a = 0.1 * x + y * y - x / 3
    b = np.sqrt(np.abs(a)) * 0.7 - 1
    return a, b, -b, a * a * a, np.floor(b) + np.rint(a), np.square(b) - np.reciprocal(a), np.sign(a), a**2, abs(b)


def test_each_operation_is_rounded() -> None:
    agrees(rounded_each_time, *[(numbers(n), numbers(n, seed=1)) for n in SIZES], ulps=0)


def test_numbers_that_are_none() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 3e38, 1e-45, 1.0], np.float32)
    agrees(together, (x, x[::-1].copy()), (x, 0.0), ulps=0)
    agrees(lambda x: (np.max(x), np.min(x), np.sum(x), np.isnan(x), np.fmax(x, 1.0), np.argmax(x[3:])), (x,), ulps=0)


def by_doubles(x: Any) -> Any:
    return (np.sin(x), np.cos(x), np.arctan(x), np.abs(x) ** 1.5, np.sinh(x), np.hypot(x, 2.0), np.arctan2(x, 3.0),
            np.logaddexp(x, 1.0), np.cbrt(x), np.log2(np.abs(x)))  # fmt: skip


def by_floats(x: Any) -> Any:
    return np.exp(x), np.exp2(x), np.expm1(x), np.log(x), np.log1p(x), np.tanh(x)


def ranges(count: int) -> np.ndarray:
    """Numbers of all sizes, and those at edges."""
    rest = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e-39, 3e38, -3e38, 88.72, 88.73, -87.4, -103.9]
    return np.concatenate([*[numbers(count) * np.float32(10.0**k) for k in range(-6, 3)], np.array(rest, np.float32)])


@pytest.mark.parametrize("f", [by_doubles, by_floats])
def test_elementary_functions(f: Callable[..., Any]) -> None:
    """Errors in units of the last place are what the functions state; others are rounded correctly but for ties."""
    x = ranges(500)
    bounds = [e.ulps for e in elementary.FLOATS.values()] if f is by_floats else [0.51] * 10
    native = ccc.compiled(f, backend="native")
    with np.errstate(all="ignore"):
        for found, exact, bound in zip(native(x), f(np.float64(x)), bounds, strict=True):
            unit = np.spacing(np.maximum(np.abs(np.float32(exact)), np.float32(1e-38)))
            near = np.abs(found - exact) <= bound * unit
            same = (found == np.float32(exact)) & (np.signbit(found) == np.signbit(exact))
            same |= np.isnan(found) & np.isnan(exact)
            assert found.dtype == np.float32 and np.all(np.where(exact, near, False) | same), x[~(near | same)]


# -- arrays ----------------------------------------------------------------------------------------------------------


def reductions(x: Any) -> Any:
    return (np.sum(x), np.mean(x), np.sum(x, axis=0), np.mean(x, axis=1), np.max(x, axis=0), np.min(x, axis=1),
            np.var(x), np.std(x, axis=0), np.linalg.norm(x), np.any(x > 0.5, axis=0), np.argmax(x, axis=1),
            np.sum(x, axis=1, keepdims=True), np.cumsum(x, axis=0), np.count_nonzero(x))  # fmt: skip


def test_reductions() -> None:
    agrees(reductions, *[(numbers(n, k),) for n, k in ((1, 1), (7, 9), (33, 8), (8, 40))])


def test_a_sum_of_many_is_no_worse_than_numpys() -> None:
    x = np.random.default_rng(0).uniform(size=1_000_001).astype(np.float32)
    exact = float(np.sum(np.float64(x)))
    found = ccc.compiled(lambda x: np.sum(x), backend="native")(x)
    assert type(found) is np.float32 and abs(float(found) - exact) <= max(
        abs(float(np.sum(x)) - exact), float(np.spacing(np.float32(exact))))


def shapes(x: Any, y: Any) -> Any:
    joined = np.concatenate([x, y])
    return (x.T @ y, joined, np.stack([x, y]), x.reshape(-1)[::2], joined[1:, ::-1], np.outer(x[0], y[0]), x[:, 0] @ y,
            x @ y[0], np.einsum("ij,ij->i", x, y), x.astype(np.float64), x.astype(np.int64), np.where(x > 0, x, y),
            np.zeros_like(x), np.diff(x[0]), x[0] @ y[0], np.transpose(x), np.tile(x[0], 2), x[np.array([0, 0])])


def test_shapes_and_products() -> None:
    agrees(shapes, *[(numbers(n, k), numbers(n, k, seed=1)) for n, k in ((2, 3), (9, 8), (33, 40))])


def test_large_products() -> None:
    agrees(lambda a, b: a @ b + a.T @ b.T, (numbers(65, 65), numbers(65, 65, seed=1)))


def stencil(u: Any, steps: int) -> Any:
    for _ in range(steps):
        u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
    return u


def test_arrays_that_change() -> None:
    agrees(stencil, (numbers(9, 12), 3), (numbers(20, 33), 2), ulps=0)
    gradients_agree(lambda u: np.sum(stencil(u.copy(), 3) ** 2), numbers(7, 9))


# -- numbers in loops ------------------------------------------------------------------------------------------------


def total(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] * x[i]
    return s


def recurrence(x: Any, w: Any) -> Any:
    s = 0.0
    for v in x:
        s = np.tanh(w * s + v)
    return s * w


def average(x: Any) -> Any:
    """0.1 * 1.0 is not the same number in float32; what it becomes with the next one is."""
    s = 1.0
    for v in x:
        s = 0.1 * s + v
    return s


def store(x: Any) -> Any:
    out = np.zeros_like(x)
    for i in range(1, x.shape[0] - 1):
        out[i] = 0.5 * (x[i - 1] + x[i + 1]) - x[i]
    return out


@pytest.mark.parametrize("f", [total, recurrence, average, store], ids=lambda f: f.__name__)
def test_loops_over_items(f: Callable[..., Any]) -> None:
    """Without a run, what a loop begins with is Python's own number."""
    more = (np.float32(0.3),) if f is recurrence else ()
    agrees(f, *[(numbers(n), *more) for n in (33, 7, 1, 0)])
    if f is not store:
        gradients_agree(f, numbers(11), *more)


def test_a_number_of_one_kind_or_another_is_left() -> None:
    f = ccc.compiled(lambda x, c: x[0] if c else 0.5, backend="native")
    assert type(f(numbers(3), False)) is float and type(f(numbers(3), True)) is np.float32
    assert type(ccc.compiled(begun, backend="native")(numbers(3), 0.3)) is np.float32
    assert ccc.compiled(begun, backend="native")(numbers(3), 0.3) == begun(numbers(3), 0.3)


def begun(x: Any, s: float) -> Any:
    """The first product is one of doubles."""
    for v in x:
        s = s * 0.1 + v
    return s


# -- gradients -------------------------------------------------------------------------------------------------------


def network(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, y: Any) -> Any:
    p = np.tanh(x @ w1 + b1) @ w2 + b2
    return np.mean((p - y) ** 2)


def cross_entropy(w: Any, x: Any, y: Any) -> Any:
    z = x @ w
    z = z - np.max(z, axis=1, keepdims=True)
    return -np.mean(np.sum(y * (z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))), axis=1)) + 0.1 * np.sum(w * w)


@pytest.mark.parametrize("n", [3, 40])
def test_gradients_of_networks(n: int) -> None:
    gradients_agree(network, numbers(3, n), numbers(n), numbers(n, 2), numbers(2), numbers(n, 3), numbers(n, 2))
    gradients_agree(cross_entropy, numbers(4, 3), numbers(n, 4), np.abs(numbers(n, 3)))


def step(w: Any, x: Any, rate: float) -> Any:
    return w - rate * ccc.gradient(lambda w: np.sum(np.maximum(x @ w, 0.0) ** 2), backend="numpy")(w)


def test_a_step_of_training() -> None:
    agrees(step, (numbers(4, 5), numbers(6, 4), 0.1), (numbers(4, 5), numbers(6, 4), np.float32(0.1)))


def test_a_pullback_that_is_kept() -> None:
    x, found = numbers(9), dict[str, Any]()
    for backend in ("native", "numpy"):
        value, pull = ccc.vjp(lambda x: x * np.exp(x[0]), x, backend=backend)
        found[backend] = value, pull(np.ones(9, np.float32))
    native, plain = [list(leaves(part)) for part in found.values()]
    assert all(close(a, b, 64) for a, b in zip(native, plain, strict=True))
