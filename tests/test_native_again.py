"""Arrays that machine code computes again where they are read: which ones, and that they keep their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.native import module
from ccc.compile.native.again import computed_again

pytest.importorskip("llvmlite")


def differences(x: np.ndarray, y: np.ndarray) -> Any:
    d = x[:, None] - y[None, :]
    return np.sum(d * d * np.exp(-d)), np.sum(d, axis=1)


def centred(x: np.ndarray, y: np.ndarray) -> Any:
    m = np.tanh(np.outer(x, y))
    z = m - np.mean(m, axis=0)
    return np.sum(z * z * y)


def changed_meanwhile(x: np.ndarray, y: np.ndarray) -> Any:
    """What is computed again is computed of what was there."""
    a = x * 1.0
    d = a[:, None] - y[None, :]
    first = np.sum(d * d)
    a[0] = 7.0
    y = a * 2.0 if len(x) == len(y) else y * 2.0
    return first, np.sum(d * np.sin(d), axis=0), np.sum(a), np.sum(y)


def changed_in_a_loop(x: np.ndarray, y: np.ndarray) -> Any:
    a, total = x * 1.0, 0.0
    for k in range(3):
        d = a[:, None] * y
        total = total + np.sum(d * d) + np.sum(d)
        a += k
        total = total + np.sum(d, axis=0)[0]
    return total


def read_elsewhere(x: np.ndarray, y: np.ndarray) -> Any:
    """Read in a loop, by a product, and given out."""
    d = x[:, None] - y[None, :]
    e, f = x[:, None] + y[None, :], x[:, None] * y[None, :]
    total = 0.0
    for k in range(2):
        total = total + np.sum(d) * k
    return total, e.T @ e, f + np.sum(f)


def quotients(x: np.ndarray, y: np.ndarray) -> Any:
    """Neither a quotient nor what is made of two arrays of its size."""
    q = x[:, None] / (y[None, :] ** 2 + 1.0)
    s = q + np.sin(q)
    return np.sum(q * q), np.sum(s * s)


def sliced(x: np.ndarray, y: np.ndarray) -> Any:
    """Slices of differences of slices, and what is of one array, however often it is read."""
    m = np.outer(np.sin(x), y)
    d = m[1:] - m[:-1]
    e = d[:, 1:]
    f = m[:, 1:] * m[:, :-1]
    return np.sum(e * e * np.exp(e)), np.sum(f) + np.sum(f * f * f * np.sin(f)) + np.sum(np.cumsum(f, axis=0))


def of_two(x: np.ndarray, y: np.ndarray) -> Any:
    """Of two arrays for two readers, but not for four."""
    a, b = np.outer(np.sin(x), y), np.outer(np.cos(x), y)
    d, e = a[1:] * b[:-1], a[1:] + b[:-1]
    return np.sum(np.exp(d)) + np.sum(d, axis=0)[0], np.sum(e, axis=0) + np.sum(e * e * np.exp(e)), np.sum(a * b)


PROGRAMS = [differences, centred, changed_meanwhile, changed_in_a_loop, read_elsewhere, quotients, sliced, of_two]


@pytest.mark.parametrize("f", PROGRAMS)
def test_they_keep_their_values(f: Callable[..., Any]) -> None:
    rng = np.random.default_rng(0)
    for n, k in ((1, 1), (3, 5), (8, 8), (9, 33), (40, 3)):
        args = rng.normal(size=n), rng.normal(size=k)
        for verb in (ccc.compiled, lambda g, backend: ccc.value_with_gradient(
                lambda x, y: sum_of(g(x, y)), backend=backend)):
            found, wanted = verb(f, backend="native")(*args), verb(f, backend="numpy")(*args)
            for a, b in zip(leaves(found), leaves(wanted), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11)


def sum_of(found: Any) -> Any:
    if isinstance(found, tuple):
        total = 0.0
        for part in found:
            total = total + np.sum(part)
        return total
    return found


def leaves(x: Any) -> list[Any]:
    return [leaf for part in x for leaf in leaves(part)] if isinstance(x, tuple) else [x]


@pytest.mark.parametrize(("f", "names"), [
    (differences, {"d"}), (centred, {"z"}), (changed_meanwhile, {"d"}), (read_elsewhere, {"d", "f"}),
    (quotients, set()), (sliced, {"d", "e", "f"}), (of_two, {"d"}),
])
def test_which_ones_they_are(f: Callable[..., Any], names: set[str], monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[set[str]] = []

    def noted(*args: Any) -> Any:
        again = computed_again(*args)
        found.append({var.name for var in again if var.name and len(getattr(var.object, "axes", ())) == 2})
        return again

    monkeypatch.setattr(module, "computed_again", noted)
    ccc.compiled(f, backend="native")(np.ones(30), np.ones(20))
    assert found and found[-1] == names
