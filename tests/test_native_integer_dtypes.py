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


@pytest.mark.parametrize("dtype", DTYPES)
def test_operations_on_integers_wrap_and_warn_as_those_of_numpy(dtype: str) -> None:
    random, ends = np.random.default_rng(DTYPES.index(dtype)), np.iinfo(dtype)
    for f in OPERATIONS:
        found = ccc.compiled(f, backend="native")
        for top in (None, None, 5):
            a, b = [random.integers(ends.min, ends.max, 7, dtype=dtype, endpoint=True) for _ in range(2)]
            b = b if top is None else (b % top).astype(dtype)
            assert outcome(found, a, b) == outcome(f, a, b), OPERATIONS.index(f)


def inverse(a: Any) -> Any:
    return np.fft.irfft(a)


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "int32"])
def test_inverse_transforms_of_short_integers_are_of_float64(dtype: str, backend: str) -> None:
    x = np.arange(32).reshape(4, 8).astype(dtype)
    found, expected = ccc.compiled(inverse, backend=backend)(x), inverse(x)
    assert found.dtype == expected.dtype == np.float64
    assert np.allclose(found, expected, rtol=1e-13, atol=1e-13)
