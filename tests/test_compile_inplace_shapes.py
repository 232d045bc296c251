"""What is written to an array has another shape than the place that it is written to: NumPy drops axes of size 1 in
front where it assigns, not where it operates in place; `np.put` repeats; each refuses what it refuses."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.api.wrapper import Transform

X, ALONG = np.array([0.3, 0.9, -0.4]), np.array([0.7, -0.2, 0.5])
MODULE = """import numpy as np


def f(v):
    s = np.sum(np.sin(v)) * 0.7 + 1.3
    z = np.arange(4.0) * s
    m = np.arange(8.0).reshape(2, 4) * s * s
    {}
    return np.sum(z * np.arange(1.0, 5.0) * z) + np.sum(np.sin(m) * np.arange(8.0).reshape(2, 4))
"""
TAKEN = (
    "z[1:] = s * np.ones((1, 1))", "z[1:] = (v * s).reshape(1, 1, 3)", "z[...] = np.append(v, s)[None]",
    "z[:] = s * np.ones((1, 1, 1))", "z[[0, 1]] = v[None, :2]", "z[[0, 1]] = np.ones((1, 1)) * s",
    "m[[0, 1], [1, 2]] = v[None, :2] * s", "m[0] = np.append(v, s)[None]", "m[:, 1] = v[None, :2]",
    "m[0, 1:3] = np.ones((1, 1)) * s", "m[:1] += np.ones((1, 4)) * s", "m[0, 1, ...] = np.ones((1, 1)) * s",
    "m[0, ...] = np.ones((1, 1, 4)) * s", "m.T[1] = v[None, :2]", "m[0][1:] = v[None] * s",
    "z[None] = np.ones((1, 1, 4)) * s", "z[::2] = v[None, ::2]", "z[::-1] = np.append(v, s)[None]",
    "z[1:][:] = v[None, None]", "z[1:2] = v[None, :1]", "y = v[None] * s; y[0, :] = y; z *= np.sum(y)",
    "y = v[None] * s; y[0, 1:] = y[:, :2].copy(); z *= np.sum(y)", "np.copyto(z, np.ones((1, 4)) * s)",
    "np.copyto(z, np.ones((1, 1)) * s)", "np.copyto(z, np.append(v, s)[None], where=z > 1.0)",
    "np.copyto(z, np.ones((1, 1)) * s, where=z > 1.0)", "np.multiply(v[:1], s, out=z)", "np.add(v[1:2], z, out=z)",
    "np.put(z, [0, 1], v[None, 1:])", "np.put(z, [0, 1], np.ones((2, 2)) * s)", "np.put(z, [0, 1, 2], v[:2])",
    "np.put(z, 1, v[:2])", "np.put(z, [0, -1], v)", "np.put(z, np.array([0, 1, 2, 0, 1]), v[:2])",
    "np.put(z, np.array([[0, 1], [2, 3]]), v)", "np.put(z, (0, 1), v)", "np.put(z, [0, 1, 2], [s, s * 2.0])",
    "np.put(z, z > 1.0, v)", "np.put(z, z > 1.0, s)", "z.put([0, 1], v)", "z.fill(np.asarray(s))",
)  # fmt: skip
REFUSED = (
    "z[0] = s * np.ones(1)", "z[0] = np.ones((1, 1)) * s", "z[[0, 1]] = np.ones((2, 2)) * s",
    "z[z > 1.0] = v[None, 1:]", "z[z > 1.0] = np.ones((1, 1)) * s", "m[0, 1] = np.ones((1, 1)) * s",
    "z[1:] += np.ones((1, 1)) * s", "z += np.ones((1, 4)) * s", "m[0] *= np.ones((1, 1)) * s",
    "z[[0, 1]] += np.ones((1, 2)) * s", "z[0] += np.ones(1) * s", "z[z > 1.0] += np.ones((1, 1)) * s",
    "np.copyto(z, s * 1.0, where=(z > 1.0).reshape(1, 4))", "np.add.at(z, [0, 1], np.ones((1, 2)) * s)",
    "np.add.at(z, 0, np.ones((1, 1)) * s)", "np.add(z, np.ones((1, 4)) * s, out=z)",
    "np.add(v[:1], np.ones((1, 1)) * s, out=z)", "np.cumsum(np.ones((1, 4)) * s, axis=1, out=z)",
    "np.sum(np.ones((2, 1, 4)) * s, axis=0, out=z)", "z.fill(np.ones(1) * s)", "z.fill(np.ones((1, 1)) * s)",
    "z[1:3] = [v[:2]]", "z[1:3] = [[s, s]]", "z[1:3] = ((s, s * 2.0),)", "z[1:2] = v[None, :2]",
)  # fmt: skip


def both(lines: tuple[str, ...]) -> Any:
    """Each line by the NumPy target, and every fourth in machine code; the others nightly."""
    given = [pytest.param(line, "numpy") for line in lines]
    later = [() if i % 4 == 0 else pytest.mark.nightly for i in range(len(lines))]
    return given + [pytest.param(line, "native", marks=mark) for line, mark in zip(lines, later, strict=True)]


def function(line: str) -> Callable[..., Any]:
    """The function in which the line stands."""
    source, path = MODULE.format(line), f"<{line}>"
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    module = ModuleType("shapes")
    exec(compile(source, path, "exec"), module.__dict__)
    return module.__dict__["f"]


@pytest.mark.share(12)
@pytest.mark.parametrize(("line", "backend"), both(TAKEN))
def test_what_numpy_takes_has_its_value_and_derivatives(line: str, backend: str) -> None:
    if backend == "native":
        pytest.importorskip("llvmlite")
    f, step = function(line), 1e-5
    gradient = ccc.gradient(f, backend=backend)
    assert Transform(f, backend=backend)(X) == pytest.approx(f(X), rel=1e-13)
    slope = (f(X + step * ALONG) - f(X - step * ALONG)) / (2 * step)
    assert gradient(X) @ ALONG == pytest.approx(slope, rel=1e-6)
    assert ccc.value_with_differential(f, backend=backend)(X)[1](ALONG) == pytest.approx(slope, rel=1e-6)
    bends = (gradient(X + step * ALONG) - gradient(X - step * ALONG)) / (2 * step)
    np.testing.assert_allclose(ccc.value_with_differential(gradient, backend=backend)(X)[1](ALONG), bends, 1e-5, 1e-5)
    np.testing.assert_allclose(ccc.value_with_pullback(gradient, backend=backend)(X)[1](ALONG), bends, 1e-5, 1e-5)


@pytest.mark.share(2)
@pytest.mark.parametrize(("line", "backend"), both(REFUSED))
def test_what_numpy_refuses_raises_the_same(line: str, backend: str) -> None:
    if backend == "native":
        pytest.importorskip("llvmlite")
    f = function(line)
    with pytest.raises((ValueError, TypeError)) as plain:
        f(X)
    for run in (Transform(f, backend=backend), ccc.gradient(f, backend=backend)):
        with pytest.raises(plain.type):
            run(X)


def test_machine_code_assigns_arrays_with_more_axes() -> None:
    pytest.importorskip("llvmlite")
    for line in TAKEN[:4]:
        f = function(line)
        for run in (Transform(f, backend="native"), ccc.gradient(f, backend="native")):
            run(X)
            codes = run.codes if isinstance(run, Transform) else {}
            assert [code.left_to for found in codes.values() for code in found if code.left_to] == []
