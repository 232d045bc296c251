"""What machine code covers: each construct against the NumPy target: values, gradients and errors, at several sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from native_checks import at_sizes
from test_native_programs import close, code_of

import ccc
from ccc.compile.api.wrapper import Read

pytest.importorskip("llvmlite")

SIZES = (0, 1, 2, 7, 8, 9, 33)


def vector(n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(n + 100 * seed).normal(size=n)


def outcome(f: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """What a call gives, or how it fails."""
    try:
        return f(*args)
    except Exception as error:
        return type(error), str(error)


@cache
def transform(verb: Any, f: Callable[..., Any], backend: str) -> Any:
    return verb(f, backend=backend)


def agrees(f: Callable[..., Any], *args: Any, leaves: bool = False) -> None:
    """Value and gradient in machine code are those of the NumPy target, and so are errors. Nothing is left to that but
    what raises, and where the test says so."""
    for verb in (ccc.value_with_gradient, ccc.compiled):
        native = transform(verb, f, "native")
        expected, found = outcome(transform(verb, f, "numpy"), args), outcome(native, args)
        assert expected == found if raised(expected) else close(expected, found), (expected, found)
        codes = [code for codes in native.codes.values() for code in codes]
        assert codes and not any(code.left_to for code in codes), [code.left_to for code in codes]
        kernel = getattr(codes[-1].call, "kernel", None)
        if kernel is not None and len(codes) == 1:
            given = codes[-1].reading(args, {})[0] if isinstance(codes[-1], Read) else args
            assert (kernel(*given) is NotImplemented) is (leaves or raised(expected)), "left when it ran"


def raised(found: Any) -> bool:
    return isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], type)


# -- integers ------------------------------------------------------------------------------------------------------


def shifts(y: float, x: Any, n: int) -> Any:
    up, down = x << n, x >> n
    return y * np.sum(up % 7 - down % 5)


@pytest.mark.parametrize("n", [0, 1, 22, 62, 63])
@pytest.mark.parametrize("x", [0, 5, -9, 2**40, 2**62, -(2**62)])
def test_shifts(x: int, n: int) -> None:
    """Where an integer grows beyond 64 bits, Python computes it."""
    agrees(shifts, 0.5, x, n, leaves=not -(2**63) <= x << n < 2**63)


@pytest.mark.parametrize("n", [0, 3, 22, 64, -1])
def test_shifts_of_arrays(n: int) -> None:
    agrees(shifts, 0.5, np.array([0, 5, -9, 2**40]), n, leaves=not 0 <= n <= 63)


def test_a_shift_by_a_negative_number_raises() -> None:
    agrees(shifts, 0.5, 3, -1)


# -- what raises ---------------------------------------------------------------------------------------------------


def checked_root(x: float, n: int) -> float:
    if x < 0.0:
        raise ValueError(f"no root of {x}")
    for i in range(n):
        if i > 3:
            raise KeyError(i)
        x = math.sqrt(x + i)
    return x


def asserted(x: np.ndarray) -> Any:
    assert len(x) > 1, "too short"
    total = 0.0
    for i in range(len(x)):
        if x[i] > 2.5:
            raise ArithmeticError
        total += x[i] * x[i]
    return total


def perhaps_unbound(x: float, n: int) -> float:
    for i in range(n):
        last = x * i
    return last * x


def recursive(x: float, n: int) -> float:
    if n == 3:
        raise NotImplementedError("three")
    return x if n == 0 else x * recursive(x, n - 1)


@pytest.mark.parametrize(("f", "args"), [
    (checked_root, (2.0, 3)), (checked_root, (-2.0, 3)), (checked_root, (2.0, 6)), (asserted, (np.arange(3.0),)),
    (asserted, (np.arange(1.0),)), (asserted, (np.arange(9.0),)), (perhaps_unbound, (2.0, 2)),
    (perhaps_unbound, (2.0, 0)), (recursive, (1.5, 2)), (recursive, (1.5, 5)),
])  # fmt: skip
def test_what_raises(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


# -- one of several alternatives -----------------------------------------------------------------------------------


@dataclass
class Circle:
    radius: float


@dataclass
class Box:
    width: float
    height: float
    count: int


def area(shape: Any) -> float:
    if isinstance(shape, Circle):
        return math.pi * shape.radius**2
    return shape.width * shape.height * shape.count


def of_shapes(x: float, y: float) -> float:
    shape = Circle(x) if x < y else Box(x, y, 3)
    other = Box(y, 2.0 * x, 2) if x > 0.0 else Circle(y)
    return area(shape) * area(other)


def perhaps_none(x: float, n: int) -> float:
    best = None
    for i in range(n):
        y = math.sin(x * i)
        if best is None or y > best:
            best = y
    return 0.5 * x if best is None else best * x


def chosen_function(x: float, n: int) -> float:
    def scaled(a: float) -> float:
        return a * x

    def moved(a: float) -> float:
        return a + x * x

    f = scaled if n > 2 else moved
    return f(x) * f(2.0)


@pytest.mark.parametrize(("f", "args"), [
    (of_shapes, (1.0, 2.0)), (of_shapes, (2.0, 1.0)), (of_shapes, (-2.0, 1.0)), (perhaps_none, (0.7, 0)),
    (perhaps_none, (0.7, 1)), (perhaps_none, (0.7, 9)), (chosen_function, (0.7, 2)), (chosen_function, (0.7, 3)),
])  # fmt: skip
def test_one_of_several_alternatives(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    agrees(f, *args)


def test_a_saddle_point_by_nested_descent() -> None:
    from benchmarks.programs import saddle

    for f in (saddle.saddle_rr, saddle.saddle_rf, saddle.saddle_fr, saddle.saddle_ff):
        native = ccc.compiled(f, backend="native")
        assert close(ccc.compiled(f)((1.0, 1.0)), native((1.0, 1.0)))
        assert not code_of(native).left_to


# -- slices and ranges whose step is computed, and lists made of lists -------------------------------------------------


def stepped(x: np.ndarray, a: int, b: int, step: int) -> Any:
    s = 0.0
    for i in range(a, b, step):
        s += i * x[0]
    return s + np.sum(x[a:b:step] ** 2) + np.sum(x[::step]) * 0.5


def stepped_lists(xs: list[float], a: int, b: int, step: int) -> Any:
    ys = xs[a:b:step]
    zs = xs[::-1] + xs[::2] + ys
    return sum(y * y for y in ys) + sum([z * xs[0] for z in zs])


STEPS = [(0, 7, 1), (0, 7, 2), (7, 0, -1), (7, 0, -3), (-1, -9, -2), (2, 5, 100), (5, 2, 1), (-100, 100, 3), (0, 7, 0)]


@pytest.mark.share(6)
@pytest.mark.parametrize("given", STEPS)
@pytest.mark.parametrize("n", [1, 2, 7, 9])
def test_steps_that_are_computed(n: int, given: tuple[int, int, int]) -> None:
    agrees(stepped, vector(n), *given)
    agrees(stepped_lists, vector(n).tolist(), *given)


def of_lists(xs: list[float], n: int) -> Any:
    rows = [[x * y for y in xs] for x in xs]
    a, b = np.array(rows), np.array([x * x for x in xs])
    pairs = np.stack([b * k for k in range(n)])
    joined = np.concatenate([b[:k] * k for k in range(1, n + 1)])
    heads = np.concatenate([pairs[:, :k] * k for k in range(1, n + 1)], axis=-1)
    columns = np.stack([b * k for k in range(n)], axis=1)
    joined = np.sum(heads**2 * np.arange(heads.shape[1])) + np.sum(columns[:2] ** 3) + joined
    return np.sum(a @ b) + np.sum(pairs * pairs) + np.sum(joined**2) + math.fsum(xs) * sum(xs)


def sorted_lists(xs: list[float]) -> Any:
    best = sorted(xs)
    worst = sorted(xs, reverse=True)
    by_size = sorted(xs, key=lambda x: x * x)
    return best[0] * worst[0] + sum(k * x * x for k, x in enumerate(by_size)) + best[-1] * xs[0]


@at_sizes(SIZES[1:], first=9)
def test_lists_made_of_lists(n: int) -> None:
    agrees(of_lists, vector(n).tolist(), 3)
    agrees(sorted_lists, vector(n).tolist())


# -- orders ------------------------------------------------------------------------------------------------------------


def orders(x: np.ndarray, y: np.ndarray) -> Any:
    k = np.argsort(x)
    places = np.searchsorted(np.sort(x), y)
    a = np.sort(np.outer(x, y), axis=0)
    weights = np.arange(len(x)) * 1.0
    return np.sum(np.sort(x) * weights) + np.sum(x[k] * weights**2) + np.sum(a[0]) * 0.5 + np.sum(y * places)


def many_numbers(n: int) -> Iterator[np.ndarray]:
    """Numbers with a few that are equal, with both zeros and what is none, in order, and of one sign."""
    x = vector(n) * 1e3
    special = np.where(x > 300.0, np.nan, np.where(x < -300.0, -np.inf, x * 0.0))
    yield from (x, np.round(x, 1), special, np.sort(x), -abs(x))


@pytest.mark.parametrize("n", [255, 256, 1500])  # merged, and by digits
def test_orders_of_many_numbers_are_those_of_numpy(n: int) -> None:
    def sorts(x: np.ndarray, k: np.ndarray) -> Any:
        return np.sort(x), np.argsort(x, kind="stable"), np.argsort(k, kind="stable")

    def backwards(xs: list[float]) -> list[float]:
        return sorted(xs, reverse=True)

    f, g = ccc.compiled(sorts, backend="native"), ccc.compiled(backwards, backend="native")
    d = ccc.gradient(lambda x, w: np.sum(np.sort(x) * w), wrt="x", backend="native")
    for x in many_numbers(n):
        k, w = np.nan_to_num(x, neginf=-5.0).astype(int), np.arange(n) * 1.0
        for found, wanted in zip(f(x, k), sorts(x, k), strict=True):
            np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(d(x, w), np.argsort(np.argsort(x, kind="stable"), kind="stable"))
        assert g(k.tolist()) == backwards(k.tolist())
        if not np.isnan(x).any():
            assert g(x.tolist()) == backwards(x.tolist())


def statistics(x: np.ndarray) -> Any:
    a = np.outer(x, np.cos(x)) + x
    rows = np.sum(np.median(a, axis=0) ** 2) + np.sum(np.quantile(a, 0.3, axis=1, keepdims=True) * a)
    return np.median(x) * np.quantile(x, 0.3) + np.percentile(x, 80.0) ** 2 + rows


@at_sizes(SIZES, first=9)
def test_orders(n: int) -> None:
    agrees(orders, vector(n), vector(3, 1))
    agrees(statistics, vector(n))


def test_orders_of_equal_items_and_of_what_is_no_number() -> None:
    agrees(orders, np.array([1.0, 2.0, 1.0, 1.0]), vector(3), leaves=True)
    x = np.array([1.0, math.nan, -1.0, 3.0, math.nan])
    assert np.array_equal(ccc.compiled(lambda x: np.sort(x), backend="native")(x), np.sort(x), equal_nan=True)
    agrees(lambda x: sorted(x)[0], [1.0, 1.0, -2.0])


def bands(a: np.ndarray, b: np.ndarray) -> Any:
    total = np.zeros(b.shape)
    for i in range(a.shape[1]):
        total += a[:, i : i + 1] * b
    return np.sum((total + a[:, 0:1]) ** 2)


PARTS = {
    ":1": lambda a: a[:, :1], "0:1": lambda a: a[:, 0:1], "1:2": lambda a: a[:, 1:2], "-1:": lambda a: a[:, -1:],
    "-2:-1": lambda a: a[:, -2:-1], "rows": lambda a: a[:1], "both": lambda a: a[-1:, :1],
    "-1:0": lambda a: a[:, -1:0], ":2": lambda a: a[:, :2], "-9:-8": lambda a: a[:, -9:-8],
}  # fmt: skip


@pytest.mark.parametrize("name", PARTS)
def test_a_part_that_is_as_long_as_its_bounds_say_is_broadcast(name: str) -> None:
    part = PARTS[name]

    def f(a: Any) -> Any:
        return np.sum((a + 3.0 * part(a)) ** 2)

    rng = np.random.default_rng(0)
    native, numpy = ccc.gradient(f, backend="native"), ccc.gradient(f, backend="numpy")
    for shape in ((3, 4), (3, 2), (2, 1), (3, 0), (0, 4), (1, 1)):
        a = rng.normal(size=shape)
        try:
            expected = numpy(a)
        except ValueError:
            with pytest.raises(ValueError):
                native(a)
            continue
        assert close(expected, native(a)), shape
        kernel = [code.call.kernel for codes in native.codes.values() for code in codes][-1]
        if name not in ("-1:0", ":2", "-9:-8") and min(shape) > 1:
            assert kernel is not None and kernel(a) is not NotImplemented, shape


def test_a_slice_of_one_item_is_broadcast() -> None:
    args = vector(12).reshape(4, 3), vector(20, 1).reshape(4, 5)
    native = transform(ccc.compiled, bands, "native")
    assert close(bands(*args), native(*args))
    assert code_of(native).call.kernel(*args) is not NotImplemented
    agrees_on_gradient = ccc.gradient(bands, backend="native")(*args), ccc.gradient(bands, backend="numpy")(*args)
    assert close(*agrees_on_gradient)


def joined_parts(x: float, n: int) -> Any:
    xs = [x * i for i in range(n)]
    ys = xs[:2] + xs[3:]
    ys.append(x * 7.0)
    xs[0] = 100.0 * x
    return sum([y * y for y in ys]) + sum(xs)


def parts_that_stay(x: float, n: int) -> Any:
    xs = [x * i for i in range(n)]
    part = xs[:2]
    xs.append(x)
    ys = part + xs[1:]
    ys[0] = x * 3.0
    xs[1] = x * x
    return sum([u * v for u, v in zip(ys, ys[::-1], strict=True)]) + sum(xs) + sum(part)


def parts_in_a_loop(x: float, n: int) -> Any:
    xs = [x * i for i in range(n)]
    for i in range(3):
        xs = [*xs[:i], x * x, *xs[i + 1 :]]
        xs.append(xs[0])
    return sum([u * (i + 1) for i, u in enumerate(xs)])


@pytest.mark.parametrize("f", [joined_parts, parts_that_stay, parts_in_a_loop])
def test_parts_that_are_joined_are_those_of_before(f: Callable[..., Any]) -> None:
    native = ccc.value_with_gradient(f, wrt="x", backend="native")
    for n in (3, 5, 9):
        value, slope = native(1.7, n)
        assert close(f(1.7, n), value)
        assert close(ccc.gradient(f, wrt="x", backend="numpy")(1.7, n), slope)
        assert code_of(native).call.kernel(1.7, n) is not NotImplemented


def halves_of_floors(x: np.ndarray, k: int) -> Any:
    """Integers behind the end of an array are divided too, and may be any."""
    places = np.floor(x).astype(int) // k
    return np.sum(x[places % len(x)] * x) + np.sum((x * 1e300) * 1e-300)


@pytest.mark.parametrize("n", [1, 3, 7, 9, 17])
def test_what_lies_behind_an_array_does_not_count(n: int) -> None:
    x = np.random.default_rng(n).normal(size=n) * 5.0
    for k in (-1, 2):
        native, numpy = (ccc.gradient(halves_of_floors, wrt="x", backend=b)(x, k) for b in ("native", "numpy"))
        assert close(numpy, native)


def test_whole_quotients_are_those_of_python_at_all_floats() -> None:
    """`-1.0 // inf` is -1, of numbers near the largest no sum is infinite, and zeros have their signs."""
    largest = float(np.finfo(float).max)
    numbers = [0.0, 1.0, 2.5, 3.0, 0.1, 1e16, 1e308, largest, 5e-324, math.inf, math.nan]
    xs = np.array([*numbers, *[-x for x in numbers]])
    with np.errstate(all="ignore"):
        quotients = ccc.compiled(lambda x, y: x // y, backend="native")
        for y in xs[xs != 0.0]:
            found, wanted = quotients(xs, float(y)), xs // y
            np.testing.assert_array_equal(found, wanted)
            np.testing.assert_array_equal(np.signbit(found), np.signbit(wanted))
    assert str(ccc.compiled(lambda x, y: x // y, backend="native")(-1.0, -2.5)) == "0.0"


def test_quotients_and_remainders_of_float32_are_those_of_float32() -> None:
    x = np.array([7.3, -7.3, 1e6, 0.7, -0.0, np.inf, 3e38], dtype=np.float32)
    found = ccc.compiled(lambda x, y: (x // y, x % y), backend="native")
    for y in np.array([0.1, -0.3, 7.0, 1e-3, np.inf], dtype=np.float32):
        with np.errstate(all="ignore"):
            for value, wanted in zip(found(x, y), (x // y, x % y), strict=True):
                assert value.dtype == wanted.dtype and repr(value.tolist()) == repr(wanted.tolist())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_powers_by_one_half_are_roots_of_arrays_as_in_numpy(dtype: str) -> None:
    def powers(x: np.ndarray, p: float) -> Any:
        return x**0.5, x**p, np.power(x, 0.5), np.float_power(x, 0.5), x ** np.full(4, 0.5), x[0] ** 0.5, x[1] ** 0.5

    x = np.array([-np.inf, -0.0, 4.0, -1.0], dtype=dtype)
    with np.errstate(all="ignore"):
        found, wanted = ccc.compiled(powers, backend="native")(x, 0.5), powers(x, 0.5)
    assert repr([y.tolist() for y in found]) == repr([y.tolist() for y in wanted])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_sign_of_a_zero_is_zero_without_one(dtype: Any) -> None:
    x = np.array([-0.0, 0.0, -2.0, math.nan, math.inf], dtype)
    found = ccc.compiled(lambda x: np.sign(x), backend="native")(x)
    np.testing.assert_array_equal(found, np.sign(x))
    np.testing.assert_array_equal(np.signbit(found[:3]), np.signbit(np.sign(x[:3])))
    assert found.dtype == dtype


# -- indices that are arrays -------------------------------------------------------------------------------------------


def masked(x: np.ndarray, y: np.ndarray) -> Any:
    big = x[x > 0.2]
    y = y.copy()
    y[x < 0.0] = 2.0 * y[x < 0.0] ** 2
    y[x > 1.0] += 3.0
    return np.sum(big**3) + np.sum(y * y) + len(big) * x[0]


def masked_rows(a: np.ndarray) -> Any:
    rows = a[a[:, 0] > 0.0]
    b = a.copy()
    b[b > 0.5] = 0.5
    c = a[:, a[0] < 0.3]
    return np.sum(rows**2) + np.sum(b**2) + np.sum(c**3)


def gathered(x: np.ndarray, a: np.ndarray, i: np.ndarray, j: np.ndarray) -> Any:
    s = np.sum(x[i] ** 2) + np.sum(a[i, j] * x[j]) + np.sum(a[i, 1] ** 2) + np.sum(a[:, j] ** 3)
    s = s + np.sum(a[i[:, None], j[None, :]] ** 2) + np.sum(a[1, j] * x[-1]) + np.sum(a[i, 1:] ** 2)
    return s + np.sum(a[0, :, None] ** 2)


def scattered(x: np.ndarray, i: np.ndarray, j: np.ndarray) -> Any:
    a = np.zeros((4, 4))
    a[i, j] = x
    a[i, 1] += x**2
    b = np.zeros((4, 3))
    b[i] += x[:, None] * 2.0
    c = x * 1.0
    c[i] = x * x
    return np.sum(a**2) + np.sum(b**3) + np.sum(c * x)


def apart(a: np.ndarray, i: np.ndarray) -> Any:
    return np.sum(a[i, :, i] * np.arange(3.0)) + np.sum(a[:, i, i] ** 2) + np.sum(a[..., i] ** 3)


@at_sizes(SIZES[1:], first=9)
def test_masks(n: int) -> None:
    agrees(masked, vector(n), vector(n, 1))
    agrees(masked_rows, vector(3 * n).reshape(n, 3))


@pytest.mark.parametrize("n", [1, 7, 8, 9, 16, 23])
def test_masks_with_few_truths_and_with_many_in_a_row(n: int) -> None:
    def chosen(x: np.ndarray, mask: np.ndarray) -> Any:
        return np.sum(x[mask] ** 3)

    x, rows = vector(n), vector(3 * n).reshape(3, n)
    for k in range(n):
        for mask in (np.arange(n) == k, np.arange(n) >= k, np.arange(n) < k):
            agrees(chosen, x, mask)
            agrees(chosen, rows, np.stack([mask, mask[::-1], mask & False]))


@pytest.mark.share(2)
@pytest.mark.parametrize(("i", "j"), [([0, 2, 1], [1, 1, 3]), ([3, -1, 3], [-4, 0, -1]), ([0, 4, 1], [1, 1, 3]),
                                      ([0, 1, 1], [1, 1, -5])])  # fmt: skip
def test_indices_that_are_arrays(i: list[int], j: list[int]) -> None:
    agrees(gathered, vector(4), vector(16).reshape(4, 4), np.array(i), np.array(j))
    agrees(scattered, vector(3), np.array(i), np.array(j))
    agrees(apart, vector(27).reshape(3, 3, 3), np.array(i))


def test_indices_that_do_not_fit() -> None:
    agrees(lambda x, i, j: np.sum(x[i, j]), vector(16).reshape(4, 4), np.array([0, 1, 2]), np.array([0, 1]))
    agrees(lambda x, y: np.sum(x[y > 0.0]), vector(4), vector(3))


def ranges(a: float, b: float, step: float, n: int, k: int) -> Any:
    x, y, z = np.arange(a, b, step), np.arange(n, -n, k), np.arange(b)
    return np.sum(x * x) + np.sum(y**2) * a + np.sum(z) * b


@pytest.mark.parametrize("given", [(0.0, 1.0, 0.1, 3, -1), (1.0, 0.0, -0.3, 5, -2), (0.0, 3.3, 5.0, -4, 3),
                                   (1.0, 0.5, 0.1, 0, 1), (1.0, 0.5, 0.1, 2, 0), (1.0, 2.0, 0.0, 2, 1)])  # fmt: skip
def test_ranges(given: Any) -> None:
    with np.errstate(all="ignore"):
        agrees(ranges, *given)


# -- matrices ----------------------------------------------------------------------------------------------------------


def systems(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Any:
    return np.sum(np.linalg.solve(a, b) ** 2) + np.sum(np.linalg.solve(a, c) * c) + np.sum(np.linalg.inv(a) ** 3)


def determinants(a: np.ndarray) -> Any:
    sign, size = np.linalg.slogdet(a)
    return np.linalg.det(a) * 0.5 + sign * size


def factors(a: np.ndarray, b: np.ndarray) -> Any:
    s = a @ a.T + np.eye(len(b))
    l = np.linalg.cholesky(s)
    return np.sum(np.linalg.solve(l, b) ** 2) + np.sum(np.log(np.diag(l))) + np.sum(l[:, 0])


def spectrum(a: np.ndarray) -> Any:
    s = (a + a.T) * 0.5
    values, vectors = np.linalg.eigh(s)
    return np.sum(np.exp(values)) + np.sum(vectors**4) + np.sum(np.linalg.eigvalsh(s) ** 2)


def powers(a: np.ndarray) -> Any:
    return np.sum(np.linalg.matrix_power(a, 3) * np.linalg.matrix_power(a, 5))


@at_sizes(SIZES[1:], first=9)
def test_matrices(n: int) -> None:
    a, b, c = vector(n * n).reshape(n, n) + 2.0 * np.eye(n), vector(n, 1), vector(2 * n, 2).reshape(n, 2)
    agrees(systems, a, b, c)
    agrees(determinants, a * 0.3)
    agrees(factors, a, b)
    agrees(spectrum, a)
    agrees(powers, a / n)


def test_matrices_that_are_singular_or_do_not_fit() -> None:
    singular = np.array([[1.0, 2.0], [2.0, 4.0]])
    agrees(systems, singular, np.ones(2), np.ones((2, 2)))
    agrees(systems, np.ones((2, 3)), np.ones(2), np.ones((2, 2)))
    agrees(systems, np.eye(2), np.ones(3), np.ones((2, 2)))
    agrees(lambda a: np.sum(np.linalg.cholesky(a)), -np.eye(2))
    agrees(lambda a: np.linalg.det(a), singular, leaves=True)
    agrees(lambda a: np.linalg.inv(a.T)[0, 1], np.array([[1.0, 2.0], [3.0, 4.0]]))


# -- items in other places ---------------------------------------------------------------------------------------------


def moved_vectors(x: np.ndarray, s: int) -> Any:
    w = np.arange(len(x)) * 1.0
    a = np.flip(x) * w + np.roll(x, s) ** 2 + np.cumsum(x) * x
    b = np.tile(x, 3) ** 2 * np.repeat(w, 3)
    c = np.sum(np.diff(x, 1) ** 3) + np.sum(np.pad(x, (1, 2)) ** 2) + np.sum(np.repeat(x, s + 5) ** 2)
    return np.sum(a) + np.sum(b) + c + np.sum(np.diag(x) ** 2) + np.sum(np.outer(x, w))


def moved_matrices(a: np.ndarray, s: int) -> Any:
    b = np.triu(a, 1) * 2.0 + np.tril(a) ** 2 + np.roll(a, s, axis=1) * a + np.roll(a, s) * np.flip(a, axis=0)
    c = np.sum(np.rot90(a) ** 3) + np.sum(np.tile(a, (2, 1)) ** 2) + np.trace(a) * a[0, 0] + np.sum(np.diag(a) ** 2)
    d = np.sum(np.cumsum(a, axis=0) ** 2) + np.sum(np.diff(a, 1, 0) ** 2) + np.sum(np.diagonal(a) ** 3)
    e = np.sum(np.moveaxis(a, 0, 1) * a.T) + np.sum(np.diag(a, 1) ** 2) + np.sum(np.repeat(a, 2, axis=0) ** 2)
    return np.sum(b * b) + c + d + e + np.sum(np.broadcast_to(a[0], (3, len(a[0]))) ** 2) + np.sum(np.cumsum(a) ** 2)


def padded(x: np.ndarray) -> Any:
    s = np.sum(np.pad(x, 2, "edge") ** 2) + np.sum(np.pad(x, 2, "reflect") ** 3)
    return s + np.sum(np.pad(x, 2, "symmetric") ** 2) + np.sum(np.pad(x, (2, 1), "wrap") ** 2)


def taken_items(a: np.ndarray, i: np.ndarray) -> Any:
    s = np.sum(np.take(a, i) ** 2) + np.sum(np.take(a, i, axis=1) ** 3) + np.take(a, 1) * a[0, 0]
    b = np.take_along_axis(a, np.argsort(a, axis=1), axis=1)
    return s + np.sum(b[:, 0] ** 2) + np.sum(np.compress(a[0] > 0.0, a, axis=1) ** 2)


@at_sizes(SIZES, first=9)
def test_items_in_other_places(n: int) -> None:
    agrees(moved_vectors, vector(n), 2)
    agrees(moved_vectors, vector(n), -3)
    if n:
        agrees(moved_matrices, vector(n * n).reshape(n, n), 1)
        agrees(moved_matrices, vector(n * (n + 2)).reshape(n, n + 2), -2)
    if n > 2:
        agrees(padded, vector(n))
        agrees(taken_items, vector(n * n).reshape(n, n), np.array([0, -1, 1, 1]))
        agrees(taken_items, vector(n * n).reshape(n, n), np.array([0, n * n]))


# -- sums of products --------------------------------------------------------------------------------------------------


def products(a: np.ndarray, b: np.ndarray, x: np.ndarray, y: np.ndarray) -> Any:
    """Of a (k, n, n), b (n, n), x (n), y (k, 1, n)."""
    s = np.sum((a @ b) ** 2) + np.sum((a @ x) ** 3) + np.sum((b @ a) ** 2) + np.sum((x @ a) * (a @ x))
    s = s + np.sum((y @ a) ** 2) + np.sum(np.dot(a, b) ** 2) + np.sum(np.inner(b, b) ** 2) + np.vdot(b, b) * x[0]
    return s + np.sum(np.dot(x, b) * x) + np.sum(np.outer(b, x) ** 2)


def by_indices(a: np.ndarray, b: np.ndarray, x: np.ndarray, y: np.ndarray) -> Any:
    s = np.sum(np.einsum("zij,jk->zik", a, b) ** 2) + np.einsum("ij,ij->", b, b) * x[0]
    s = s + np.sum(np.einsum("ij,j", b, x) ** 3) + np.sum(np.einsum("i,j,zij->z", x, x, a) ** 2)
    return s + np.sum(np.einsum("ij->ji", b) * b) + np.sum(np.einsum("zij->i", a) ** 2) + np.einsum("i->", x)


def sliding(x: np.ndarray, y: np.ndarray) -> Any:
    s = np.sum(np.convolve(x, y) ** 2) + np.sum(np.convolve(x, y, "same") ** 3)
    s = s + np.sum(np.convolve(x, y, "valid") ** 2) + np.sum(np.correlate(x, y) ** 2)
    return s + np.sum(np.correlate(x, y, "same") ** 3) + np.sum(np.correlate(x, y, "full") ** 2)


@at_sizes(SIZES, first=9)
def test_sums_of_products(n: int) -> None:
    a, b = vector(2 * n * n).reshape(2, n, n), vector(n * n).reshape(n, n)
    x, y = vector(n), vector(2 * n).reshape(2, 1, n)
    if n:
        agrees(products, a / 3.0, b / 3.0, x, y)
        agrees(by_indices, a / 3.0, b / 3.0, x, y)
    for k in (1, 2, 3):
        agrees(sliding, vector(n), vector(k, 1))


def blocks(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> Any:
    rows = a[:, :3] if len(x) == 3 else a
    return np.sum(np.kron(a, b) ** 2) + np.sum(np.kron(x, b[0]) ** 3) + np.sum(rows) * np.sum(np.kron(x, b))


def turned_vectors(x: np.ndarray, y: np.ndarray, a: np.ndarray) -> Any:
    return np.sum(np.cross(x, y) ** 2) + np.sum(np.cross(a, a * a) * a) + np.cross(y, x)[0]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_products_of_blocks_and_of_three(n: int) -> None:
    agrees(blocks, vector(2 * n).reshape(2, n), vector(n * 3, 1).reshape(n, 3), vector(n, 2))
    agrees(turned_vectors, vector(3), vector(3, 1), vector(3 * n).reshape(n, 3))


def test_products_of_what_does_not_fit() -> None:
    agrees(lambda a, b: np.sum(a @ b), np.ones((2, 3, 4)), np.ones((3, 4)))
    agrees(lambda a, b: np.sum(np.einsum("ij,jk->ik", a, b)), np.ones((2, 3)), np.ones((2, 3)))


# -- reductions --------------------------------------------------------------------------------------------------------


def moments(x: np.ndarray) -> Any:
    s = np.std(x) * np.var(x) + np.linalg.norm(x) ** 3 + np.prod(x)
    return s if np.any(x > 1.0) or np.all(x < 0.5) else s * (1.0 + np.count_nonzero(x > 0.0))


def moments_along(a: np.ndarray) -> Any:
    s = np.sum(np.std(a, axis=0)) + np.sum(np.var(a, axis=1, keepdims=True) * a)
    s = s + np.sum(np.linalg.norm(a, axis=1) ** 3) + np.sum(np.prod(a, axis=0) ** 2)
    s = s + np.sum(np.where(np.any(a > 0.5, axis=1), a[:, 0], a[:, -1] ** 2))
    s = s + np.linalg.norm(a) * np.var(a) + np.nansum(a) + np.nanmean(a) ** 2 + np.var(a, ddof=1)
    places = np.argmax(a, axis=1)
    s = s + np.sum(a[np.arange(len(a)), places] ** 2) + np.sum(np.argmin(a, axis=0) * a[0])
    return s + np.sum(np.nanmean(a, axis=0))


def dtypes(x: np.ndarray) -> Any:
    k = (x * 3.0).astype(int)
    s = np.sum(k * x) + np.sum((x > 0.0).astype(float) * x**2) + np.sum(k.astype(float) * x)
    return s + np.ndim(x) * len(np.shape(x))


def counts(a: np.ndarray) -> Any:
    k = (a * 10.0).astype(int)
    s = np.sum(np.sum(k, axis=0) * a[0]) + np.max(k) * np.min(k, axis=1)[0]
    s = s + np.sum(np.sum(k, axis=1, keepdims=True) * a)
    return s * np.mean(k) + np.sum(np.sum(a > 0.0, axis=1) * a[:, 0]) + np.sum(a > 0.3) + np.mean(a > 0.0)


def of_numbers(a: np.ndarray) -> Any:
    b = np.where(a > 1.0, math.nan, a)
    return np.nanmax(b) * np.nanmin(b) + np.sum(np.nanmin(b, axis=0) ** 2) + np.nansum(b) * np.nanmean(b)


@at_sizes(SIZES[1:], first=9)
def test_reductions(n: int) -> None:
    agrees(moments, vector(n))
    agrees(dtypes, vector(n))
    agrees(of_numbers, np.vstack([vector(2 * n).reshape(2, n), np.zeros(n)]))
    agrees(counts, vector(n * (n + 1)).reshape(n, n + 1))
    agrees(moments_along, vector(n * (n + 1)).reshape(n, n + 1))


# -- numbers -----------------------------------------------------------------------------------------------------------


def powers_of_integers(x: float, n: int, k: int) -> float:
    s = 0.0
    for i in range(-3, 4):
        s = s + i**k * x + (i + n) ** 5
    return s * x + n**k


def of_integers(x: float, n: int, k: int) -> float:
    return powers_of_integers(x, int(n), int(k))


def sets(x: np.ndarray, y: np.ndarray) -> Any:
    s = np.sum(np.fmax(x, y) * np.fmin(x, 0.3)) + np.sum(np.sinc(x)) + np.sum(np.heaviside(x, 0.5) * y)
    t = np.sum(np.where(np.logical_xor(x > 0.0, y > 0.0), x * x, y)) + np.sum(np.where(~(x > 0.5), x, y))
    return s + t + np.sum(np.round(x, 1) * y) + np.sum(np.where(np.signbit(x), y, x**3)) + np.sum(np.clip(x, -0.5, 0.5))


@pytest.mark.parametrize(("n", "k"), [(2, 0), (2, 3), (-3, 2), (1, -1), (10, 30), (2, 62), (2, 63)])
def test_powers_of_integers(n: int, k: int) -> None:
    agrees(of_integers, 1.5, n, k, leaves=k >= 30)
    if k < 30:
        agrees(powers_of_integers, 1.5, n, k)


@at_sizes(SIZES, first=9)
def test_functions_of_numbers(n: int) -> None:
    agrees(sets, vector(n), vector(n, 1))


# -- recursion, and what is done seldom --------------------------------------------------------------------------------


def product_of(x: np.ndarray, n: int) -> Any:
    return x * 0.5 if n == 0 else np.sin(x) * product_of(x * 0.9, n - 1) + n * x[0]


def inner_slope(x: np.ndarray, n: int) -> Any:
    return np.sum(ccc.gradient(lambda y: np.sum(product_of(y, n)))(x) ** 2)


def power_of(x: float, n: int) -> float:
    return 1.0 if n == 0 else x * power_of(x, n - 1)


def second_slope(x: float, n: int) -> float:
    return ccc.derivative(lambda y: power_of(y, n))(x) * x


def talking(x: float, n: int) -> float:
    for i in range(n):
        if x > 50.0:
            print("large", i)
        x = x * 1.5 + i
    return x


@pytest.mark.parametrize("n", [0, 1, 5])
def test_slopes_of_recursive_functions(n: int) -> None:
    agrees(inner_slope, vector(4), n)
    agrees(second_slope, 1.3, n)


def test_what_prints_seldom(capsys: pytest.CaptureFixture[str]) -> None:
    agrees(talking, 1.0, 3)
    assert not capsys.readouterr().out
    native = transform(ccc.compiled, talking, "native")
    assert native(40.0, 3) == talking(40.0, 3)
    assert capsys.readouterr().out == "large 1\nlarge 2\n" * 2


def pairs_on_a_stack(x: float, n: int) -> Any:
    stack = []
    for i in range(n):
        stack.append((x * i, i))
    s = 0.0
    while len(stack) > 0:
        v, i = stack.pop()
        s = s * 0.5 + v * v * i
    return s


def items_of_pairs(pairs: list[tuple[float, int]], k: int) -> Any:
    kept = [p for p in pairs if p[1] > k]
    kept.append((2.0, 1))
    return sum([a * a * i for a, i in kept]) * pairs[0][0]


@pytest.mark.parametrize("n", [0, 1, 5, 9])
def test_lists_of_pairs_with_integers(n: int) -> None:
    agrees(pairs_on_a_stack, 1.3, n)
    agrees(items_of_pairs, [(0.5, 1), (1.5, 3), (-2.0, 7)], n)


# -- what waits is computed before what it reads changes ---------------------------------------------------------------


def changed_behind(x: np.ndarray, i: np.ndarray) -> Any:
    z = x * 2.0
    a, b, c, d = z[i], np.flip(z) * 1.0, np.roll(z, 1), z[::-1] + 0.0
    e, f, g = np.tile(z, 2), np.diff(z), np.take(z, i)
    m = np.outer(z, z)
    t, u = np.tril(m), np.diag(m) * 1.0
    z[0] = 5.0
    z[1:] *= 3.0
    m[0] = 0.0
    s = np.sum(a * z[i]) + np.sum(b * z) + np.sum(c * z) + np.sum(d * z) + np.sum(e) * z[0] + np.sum(f**2)
    return s + np.sum(g * a) + np.sum(t * m) + np.sum(u * z)


def changed_in_a_loop(x: np.ndarray, n: int) -> Any:
    z, s = x * 1.0, 0.0
    for k in range(n):
        y = z[np.arange(len(x)) % 2]
        back = np.flip(z) * 1.0
        z[k % len(x)] = z[0] * 0.5 + s
        z += back * 0.1
        s = s + np.sum(y * back) + np.sum(np.sort(z) * y)
    return s + np.sum(z)


@at_sizes(SIZES[2:], first=9)
def test_what_waits_is_computed_in_time(n: int) -> None:
    agrees(changed_behind, vector(n), np.array([0, -1, 0]))
    agrees(changed_in_a_loop, vector(n) * 0.3, 4)


def squeezed(x: np.ndarray) -> Any:
    return np.sum(np.squeeze(x[None]) ** 3) + np.sum(np.squeeze(np.atleast_2d(x)))


def squeezed_slice(x: np.ndarray, k: int) -> Any:
    return np.sum(np.squeeze(x[:, :k], axis=1) ** 3)


@pytest.mark.parametrize("shape", [(4, 3), (1, 3), (4, 1)])
def test_axes_whose_size_no_type_knows_are_squeezed(shape: tuple[int, int]) -> None:
    x = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
    agrees(squeezed, x)
    agrees(squeezed_slice, x, 1)
    agrees(lambda x: np.sum(np.cov(x, rowvar=False) ** 2), x[:, :2] if shape[0] > 1 else np.ones((3, 2)))
    cases: list[tuple[Any, tuple[Any, ...]]] = [(squeezed, (x,)), (squeezed_slice, (x, 1))]
    for f, given in cases:
        verb = ccc.gradient(f, wrt=0, backend="native")
        verb(*given)
        assert str(ccc.explain(verb, *given).backend) == "native"
