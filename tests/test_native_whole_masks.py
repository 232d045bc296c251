"""What is computed at a mask, computed of all items in machine code: the same values, derivatives and kinds."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from native_checks import codes, native

import ccc
from ccc.compile.native import target
from ccc.compile.native.functions import Code

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def folded(x):
    y = x * 1.0
    y[y > 0.6] = y[y > 0.6] - 1.2
    y[y < 0] = 0.0
    m = y > 0.3
    y[m] = np.sqrt(y[m]) * x[m]
    y[m] += 1.5
    return np.sum(y * y) + np.sum(y[m])


def mean_and_number(x):
    v = x[x > 0]
    return v.mean() + len(v) * np.sum(v * v) / v.size


def both_sides(x):
    y, m = np.zeros_like(x), x > 0
    y[m] = np.log(x[m])
    y[~m] = x[~m] ** 2
    return np.sum(y * x)


def in_a_loop(x):
    s = x * 1.0
    for _ in range(4):
        s = s * 1.1 + x
        s[s > 1.0] = 0.25 * x[s > 1.0]
        s[s < -1.0] *= 0.5
    return np.sum(s * s)


def carried(x):
    s = np.zeros_like(x)
    for k in range(3):
        s[x > k] = x[x > k] * 2.0
        s[x < -k] += 1.0
    return np.sum(s * s)


def by_numbers_of_another_kind(x):
    y = x * 1.0
    i = np.arange(x.size).reshape(x.shape) % 4
    y[i > 1] = 7
    y[i > 1] += x[i > 1]
    return np.sum(y * y)


def in_order(x):
    y = x * 1.0
    y[y > 0] = np.sort(y[y > 0])
    return np.sum(y * np.arange(float(y.size)).reshape(y.shape))


def without(x):
    y = x * 1.0
    y[np.abs(y) < 0.5] = np.nan
    return np.nansum(y * y)


FUNCTIONS = [folded, mean_and_number, both_sides, in_a_loop, carried, by_numbers_of_another_kind, in_order, without]


@pytest.mark.parametrize("shape", [(20, 7), (20, 1), (0, 5), (33,)], ids=str)
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_they_are_those_of_numpy(f: Callable[..., Any], shape: tuple[int, ...]) -> None:
    x = np.random.default_rng(1).normal(size=shape)
    with np.errstate(all="ignore"), pytest.warns() if f is mean_and_number and not x.size else np.errstate():
        found, expected = [ccc.value_with_gradient(f, backend=backend)(x) for backend in ("native", "numpy")]
        assert type(found[0]) is type(expected[0])
        np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
        np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-13)


def test_a_mask_of_another_shape_raises_what_numpy_raises() -> None:
    def f(x, m):
        y = x * 1.0
        y[m] = y[m] * 2.0
        return np.sum(y)

    found = native(f, np.ones((3, 4)), np.ones((3, 4)) > 0)
    for x, m in ((np.ones((3, 4)), np.ones((3, 1)) > 0), (np.ones((1, 4)), np.ones((3, 4)) > 0)):
        with pytest.raises(IndexError, match="boolean index"):
            found(x, m)
        with pytest.raises(IndexError, match="boolean index"):
            ccc.compiled(f, backend="native")(x, m)


def test_nothing_is_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    def indices(code: Code) -> bool:
        return ", -8" in str(code.functions()[0])  # where eight truths are looked at together

    found = codes(monkeypatch, indices)
    ccc.value_with_gradient(folded, backend="native")(np.linspace(-1.0, 2.0, 50))
    ccc.value_with_gradient(in_order, backend="native")(np.linspace(-1.0, 2.0, 50))
    assert found[0] is False and True in found
