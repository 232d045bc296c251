"""Integers of every dtype in machine code, or left to NumPy: values, types and warnings are NumPy's, wrapped or not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

DTYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
OPERATIONS: list[Callable[[Any, Any], Any]] = [
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    lambda a, b: a // b,
    lambda a, b: a % b,
    lambda a, b: a**b,
    lambda a, b: a**2,
    lambda a, b: np.power(a, 3),
    lambda a, b: a << b,
    lambda a, b: a >> b,
    lambda a, b: a & b,
    lambda a, b: a | b,
    lambda a, b: a ^ b,
    lambda a, b: ~a,
    lambda a, b: -a,
    lambda a, b: abs(a),
    lambda a, b: a < b,
    lambda a, b: a == b,
    lambda a, b: a * 7 - 1,
    lambda a, b: np.sum(a),
    lambda a, b: np.cumsum(a),
    lambda a, b: np.dot(a, b),
    lambda a, b: np.prod(a),
    lambda a, b: np.max(a),
]


def outcome(f: Callable[..., Any], a: np.ndarray, b: np.ndarray) -> tuple[Any, ...]:
    """What a call comes to: the bytes and the type of its result, or the class of its error, and the warnings."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            y = f(a, b)
            found = type(y), y.dtype, y.shape, y.tobytes()
        except ValueError as error:  # integers to negative powers
            found = (type(error),)
    return *found, sorted({str(w.message) for w in told})


@pytest.mark.share(4)
@pytest.mark.parametrize("dtype", DTYPES)
def test_operations_on_integers_wrap_and_warn_as_those_of_numpy(dtype: str) -> None:
    random, ends = np.random.default_rng(DTYPES.index(dtype)), np.iinfo(dtype)
    for f in OPERATIONS:
        found = ccc.compiled(f, backend="native")
        for top in (None, None, 5):
            a, b = [random.integers(ends.min, ends.max, 7, dtype=dtype, endpoint=True) for _ in range(2)]
            b = b if top is None else (b % top).astype(dtype)
            assert outcome(found, a, b) == outcome(f, a, b), OPERATIONS.index(f)


def generator(x: Any, s: Any, n: int) -> Any:
    """A walk along what a linear congruential generator draws, by its upper bits."""
    y = 0.0
    for _ in range(n):
        s = s * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        y = y * 0.9 + x * (float(s >> np.uint64(11)) / 2.0**53 - 0.5) + float(s % np.uint64(3)) * (s > np.uint64(2**63))
    return y * x


def shifted(x: Any, s: Any, n: int) -> Any:
    """A generator that shifts, on an array of short integers, which change in place."""
    s, y = s.copy(), 0.0
    for _ in range(n):
        s ^= s << np.uint32(13)
        s ^= s >> np.uint32(17)
        y = y + np.sum(np.sin(x * (s / 4294967296.0))) + x * np.max(s[1:] // 7)
    return y


def hashed(x: Any, words: Any, n: int) -> Any:
    """A hash of bytes as the places of what is read."""
    h, weights = np.full(words.shape[0], 2166136261, dtype=np.uint32), x * np.arange(1.0, 14.0)
    for c in range(n):
        h = (h ^ words[:, c]) * np.uint32(16777619)
    return np.sum(weights[h % np.uint32(13)] ** 2)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize(("f", "given"), [
    (generator, np.uint64(12345)), (shifted, np.arange(1, 9, dtype=np.uint32) * 400000009),
    (hashed, np.arange(24, dtype=np.uint8).reshape(4, 6) * np.uint8(11)),
])
def test_integers_that_wrap_have_machine_code(f: Callable[..., Any], given: Any) -> None:
    gradient = ccc.value_with_gradient(f, wrt="x", backend="native")
    value, slope = gradient(0.7, given, 6)
    assert ccc.explain(gradient, 0.7, given, 6).backend == "native"
    assert value == pytest.approx(f(0.7, given, 6), rel=1e-13)
    assert slope == pytest.approx(ccc.gradient(f, wrt="x", backend="numpy")(0.7, given, 6), rel=1e-13)


NUMBERS = [*OPERATIONS[:16], lambda a, b: (a, b * a), lambda a, b: max(a, b), lambda a, b: float(a) * 0.5 + b]


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("dtype", ["int8", "uint32", "uint64"])
def test_numbers_of_numpy_wrap_in_machine_code(dtype: str) -> None:
    ends, kind = np.iinfo(dtype), np.dtype(dtype).type
    for f in NUMBERS:
        found = ccc.compiled(f, backend="native")
        for a, b in ((ends.max, 3), (ends.max // 2 + 2, ends.max - 1), (ends.min, 5)):
            y, expected = found(kind(a), kind(b)), f(kind(a), kind(b))
            assert type(y) is type(expected) and repr(y) == repr(expected), NUMBERS.index(f)


def kept(a: Any) -> list[Any]:
    xs: list[Any] = []
    for x in a:
        xs.append(x ^ x // 3)
    return xs


LISTS: list[Callable[[Any], Any]] = [
    lambda a: sum(kept(a)), lambda a: max(kept(a)), lambda a: sorted(kept(a)), lambda a: np.array(kept(a)) * 0.5,
    lambda a: np.median(a), lambda a: np.where(a > 9, a, 0.5), lambda a: np.concatenate([a, np.arange(3)]),
    lambda a: (a[0], (a[2], a * a)), lambda a: a.astype(np.int64), lambda a: np.searchsorted(np.sort(a), a),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.parametrize("dtype", ["uint16", "uint64"])
def test_what_a_sign_would_matter_to_is_that_of_numpy(dtype: str) -> None:
    a = np.array([2**63 + 5, 3, 2**64 - 1, 7], dtype=np.uint64).astype(dtype)
    for f in LISTS:
        assert repr(ccc.compiled(f, backend="native")(a)) == repr(f(a)), LISTS.index(f)


def inverse(a: Any) -> Any:
    return np.fft.irfft(a)


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "int32"])
def test_inverse_transforms_of_short_integers_are_of_float64(dtype: str, backend: str) -> None:
    x = np.arange(32).reshape(4, 8).astype(dtype)
    found, expected = ccc.compiled(inverse, backend=backend)(x), inverse(x)
    assert found.dtype == expected.dtype == np.float64
    assert np.allclose(found, expected, rtol=1e-13, atol=1e-13)


def counted(a: Any, x: float) -> float:
    s = 0.0
    for i in range(len(a)):
        s += float(a[i] >> np.uint64(3)) * x + a.shape[0] * x + a.size
    return s


def test_sizes_of_uint64_are_read_without_a_call() -> None:
    a = np.array([5, 2**63 + 9, 120], dtype="uint64")
    assert ccc.compiled(counted, backend="native")(a, 1.5) == counted(a, 1.5)
    assert "calls out" not in str(ccc.explain(counted, a, 1.5).backend)


def put(n: int, key: Any, value: Callable[[int], Any]) -> Any:
    x = np.zeros((2, 2), dtype=np.uint8)
    x[key] = value(n)
    return x


def left_unread(n: int) -> int:
    np.array([i * n for i in range(2)], dtype=np.int8)
    return n


SMALL = np.zeros(2, dtype=np.uint8)
OF_PYTHON: list[Callable[[int], Any]] = [
    lambda n: np.uint8(n), lambda n: np.int8(n) + 0, lambda n: np.int16(n * 300.5), lambda n: np.uint32(n),
    lambda n: np.array([n, 1], dtype=np.uint8), lambda n: np.array([[n, 1], [2, 3]], dtype=np.int8),
    lambda n: np.array([7, *[i * n for i in range(3)]], dtype=np.uint8), lambda n: np.asarray(n, dtype=np.uint8),
    lambda n: np.array([i * 1.5 * n for i in range(3)], dtype=np.uint8), lambda n: np.full(2, n, dtype=np.int8),
    lambda n: np.full_like(SMALL, n), lambda n: np.arange(n, n + 9, 4, dtype=np.uint8),
    lambda n: put(n, (0, 1), lambda n: n),
    lambda n: put(n, 0, lambda n: [n, 1]), lambda n: put(n, 1, lambda n: [i * n for i in range(2)]),
    lambda n: SMALL + n, lambda n: SMALL // n, lambda n: np.maximum(SMALL, n), lambda n: np.less(SMALL, n), left_unread,
    lambda n: np.array([np.int64(n), 1], dtype=np.uint8), lambda n: np.array([n]).astype(np.uint8),
]
"""What makes integers of small dtypes of those of Python, which raise where there is none; those of NumPy go round."""


def made(f: Callable[[int], Any], n: int) -> tuple[Any, ...]:
    try:
        y = f(n)
        return type(y), getattr(y, "dtype", int), np.asarray(y).tolist()
    except OverflowError as error:
        return OverflowError, str(error).partition("\n")[0]


@pytest.mark.share(2)
@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("backend", ["numpy", "native", "xla"])
def test_integers_of_python_that_a_dtype_has_not_raise(backend: str) -> None:
    if backend == "xla":
        pytest.importorskip("jax")
    for f in OF_PYTHON:
        found = ccc.compiled(f, backend=backend)
        for n in (5, 300, -1):
            assert made(found, n) == made(f, n), (OF_PYTHON.index(f), n)


def test_the_least_integer_has_an_opposite_that_is_no_64_bit_integer():
    f = ccc.compiled(lambda a, b: abs(a) + b, backend="native")
    assert (f(-5, 1), f(-(2**63), 7)) == (6, 2**63 + 7)
