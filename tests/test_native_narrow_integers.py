"""Arrays of integers of fewer than 64 bits among the arguments of machine code."""

from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.native import target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

W = np.linspace(0.5, 2.0, 12)
NARROW = ["int8", "int16", "int32", "uint8", "uint16", "uint32"]


def many(w: np.ndarray, data: tuple[Any, ...]) -> Any:
    """Indices, conversions, comparisons, parts, sums, divisions, beside arrays of all kinds."""
    i, more = data
    j = more["rows"]
    total = np.sum(w[i] * i) + np.sum(np.where(i[1:] > 2, w[: len(i) - 1], 0.0)) + np.mean(i) * w[0] + w[i[2]]
    total += np.sum(w[j.T[0]] ** 2) + np.sum(w[np.argmax(i)] * j.astype(np.float64)) + np.sum(j / 2 * w[1])
    return total + np.sum((i == 3) * w[: len(i)]) + len(i) * w[2] + np.sum(np.sin(i * 1.0) * w[: len(i)])


@pytest.mark.parametrize("dtype", ["int32", "uint8"])
def test_narrow_integers_are_taken_as_they_are(dtype: str):
    low = 0 if dtype.startswith("u") else -3
    i = np.array([4, low, 3, 11, 3], dtype=dtype)
    for rows in (np.arange(6).reshape(3, 2), np.arange(24).reshape(6, 4)[::2, ::2] // 2):
        found = [ccc.gradient(many, wrt="w", backend=b) for b in ("native", "numpy")]
        native, numpy = [g(W, (i, {"rows": rows.astype(dtype).T.copy().T})) for g in found]
        np.testing.assert_allclose(native, numpy, rtol=1e-13)
        assert not any(code.left_to for codes in found[0].codes.values() for code in codes)


def values(w: np.ndarray, i: np.ndarray) -> Any:
    return np.sum(w[: len(i)] * i)


@pytest.mark.parametrize("dtype", NARROW)
def test_each_value_is_that_of_numpy(dtype: str):
    ends = np.iinfo(dtype)
    i = np.array([ends.min, ends.max, 0, 1], dtype=dtype)
    value, slope = ccc.value_with_gradient(values, wrt="w", backend="native")(W, i)
    assert slope[:4].tolist() == i.astype(float).tolist()
    assert value == pytest.approx(float(np.sum(W[:4] * i)), rel=1e-14)


def wraps(w, i):
    return np.sum(w[: len(i)] * (i * i))


def in_turn(w, i):
    return sum([w[k] * k for k in i])


def given_back(w, i):
    return np.sum(w), i[1:]


@pytest.mark.parametrize("f", [wraps, in_turn])
def test_what_wraps_around_is_numpy_s(f):
    gradients = [ccc.gradient(f, wrt="w", backend=b) for b in ("native", "numpy")]
    i = np.array([3, 11, 7], dtype="int8") if f is in_turn else np.array([3, 100, 120], dtype="int8")
    native, numpy = [g(W, i) for g in gradients]
    assert native.tolist() == numpy.tolist()


def test_what_is_given_back_has_its_dtype():
    i = np.array([3, 100, 120], dtype="int16")
    gradient, found = ccc.gradient(given_back, wrt="w", has_aux=True, backend="native")(W, i)
    assert found.dtype == i.dtype and found.tolist() == [100, 120] and gradient.tolist() == [1.0] * len(W)
