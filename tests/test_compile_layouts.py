"""Arrays of all real dtypes, orders, strides and sizes: values of NumPy, cotangents of their dtype, by differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.errors import CCCError

BASE = np.array([0.3, 0.8, 0.53, 0.17, 0.62, 0.41])
LAYOUTS = {
    "float16": BASE.astype("f2"), "float32": BASE.astype("f4"), "long": BASE.astype(np.longdouble),
    "backwards": BASE[::-1], "strided": np.repeat(BASE, 2)[::2], "swapped": BASE.astype(">f8"),
    "empty": np.zeros(0), "one": BASE[:1], "matrix": BASE.reshape(2, 3), "turned": BASE.reshape(3, 2).T,
    "both": BASE.reshape(2, 3)[::-1, ::-1], "no rows": np.zeros((0, 3)), "point": np.array(0.4),
}
PROGRAMS: list[Callable[[Any], Any]] = [
    lambda x: np.sin(x) * np.sqrt(x) + np.exp(-x) / (1 + x**2), lambda x: np.sum(x, axis=-1) * np.mean(x),
    lambda x: np.cumsum(x) * 2 + np.sort(x.ravel()), lambda x: np.tile(x, 2) * 3, lambda x: np.repeat(x, 2) * 2,
    lambda x: np.pad(np.tril(np.outer(x, x)), 1), lambda x: np.where(x > 0.5, x, 2 * x) + np.clip(x, 0.2, 0.6),
    lambda x: np.concatenate([x, x * x], axis=-1), lambda x: x[..., ::-2] * x[..., -1:],
    lambda x: np.vander(x.ravel(), 3),
    lambda x: np.linalg.norm(x) * np.std(x), lambda x: np.swapaxes(x[None] * x[..., None], 0, -1),
]


@pytest.mark.share(2)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("f", PROGRAMS, ids=range(len(PROGRAMS)))
def test_arrays_however_they_lie(f: Callable[[Any], Any]):
    slope = ccc.gradient(lambda x: np.sum(f(x)), backend="numpy")
    for name, x in LAYOUTS.items():
        native = x.astype(x.dtype.newbyteorder("="))
        try:
            expected = f(native if name == "swapped" else x)
        except (ValueError, IndexError) as error:
            with pytest.raises((type(error), CCCError)):
                ccc.compiled(f, backend="numpy")(x)
            continue
        found = ccc.compiled(f, backend="numpy")(x)
        assert type(found) is type(expected) and np.shape(found) == np.shape(expected), name
        assert np.asarray(found).dtype.name == np.asarray(expected).dtype.name, name
        np.testing.assert_array_equal(found, expected, name)
        if not np.isfinite(np.sum(expected)):
            continue
        gradient, room = slope(x), {2: 5e-2, 4: 1e-4}.get(x.dtype.itemsize, 1e-7)
        assert np.shape(gradient) == x.shape and np.asarray(gradient).dtype.name == x.dtype.name, name
        for place in np.ndindex(x.shape):
            h = np.zeros(x.shape)
            h[place] = 1e-6
            at = native.astype(float)
            quotient = (np.sum(f(at + h)) - np.sum(f(at - h))) / 2e-6
            assert np.asarray(gradient)[place] == pytest.approx(quotient, rel=room, abs=room), (name, place)
