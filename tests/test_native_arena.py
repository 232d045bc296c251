"""Which memory large results lie in."""

from __future__ import annotations

import numpy as np
import pytest

import ccc
from ccc.compile.native import arena, target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def weighted(x):
    y = np.sin(x)
    return np.sum(y * x)


def moved(x):
    return x * 2.0 + np.cos(x)


def test_a_large_result_is_no_copy_whatever_is_kept():
    """It lies in the memory that it was computed in, also after a call that leaves much larger pieces."""
    x = np.linspace(-1.0, 1.0, 2 * arena.COSTLY // 8)
    expected = moved(x)
    code = ccc.compiled(moved, backend="native")
    assert type(code(x).base).__name__ == "PyCapsule"
    for _ in range(2):
        ccc.gradient(weighted, backend="native")(np.ones(4 * arena.COSTLY))
        found = code(x)
        assert type(found.base).__name__ == "PyCapsule"
        np.testing.assert_allclose(found, expected, rtol=1e-15, atol=1e-15)


def test_pieces_that_double_are_found_again():
    """A call whose pieces grow with what it takes finds all of them in the next call: they are not asked for anew."""
    import resource

    def f(x):
        parts = [x * float(k + 1) for k in range(12)]
        total = 0.0
        for part in parts:
            total += np.sum(part * part)
        return total

    x, code = np.ones(arena.COSTLY // 8), ccc.gradient(f, backend="native")
    for _ in range(3):
        code(x)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        code(x)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < arena.COSTLY // 4096


def test_pieces_behind_a_vast_one_are_not_as_large():
    """A small request behind a large one makes no piece of the same size, which would push out what is kept."""
    import ctypes

    def f(x, ys):
        z = np.cumsum(x)
        return z, [np.cumsum(y) for y in ys]

    code, x = ccc.compiled(f, backend="native"), np.ones(arena.GROWTH // 4)
    arena.KEPT_PIECES.value = None
    found = code(x, [np.ones(9000)] * 30)
    sizes, at = [0], arena.KEPT_PIECES.value
    while at:
        at, size = (ctypes.c_uint64 * 2).from_address(at)
        sizes.append(size)
    assert type(found[0].base).__name__ == "PyCapsule"
    assert max(sizes) <= arena.GROWTH


def test_each_large_result_of_several_is_no_copy() -> None:
    """Also where it is changed in place on the way, and where other memory of its size is taken."""
    n = arena.GIVEN // 8

    def f(x, y):
        z = x * y
        z[1:] += np.sin(x)[:-1] * np.sum(np.cos(y) * x)
        return z, z * 2.0, x + 1.0

    x, y = np.linspace(-1.0, 1.0, n), np.linspace(2.0, 3.0, n)
    code = ccc.compiled(f, backend="native")
    for _ in range(3):
        found = code(x, y)
        assert [type(z.base).__name__ for z in found] == ["PyCapsule"] * 3
        for a, b in zip(found, f(x, y), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    assert len({z.ctypes.data % arena.STAGGER for z in found}) == 3


def test_pieces_of_results_come_back() -> None:
    """What a result leaves behind serves the next call, and what is still in use is not written again."""
    x = np.linspace(-1.0, 1.0, arena.COSTLY // 8)
    code = ccc.compiled(moved, backend="native")
    kept = [code(x * k) for k in range(4)]
    places = {z.ctypes.data for z in kept}
    for k, z in enumerate(kept):
        np.testing.assert_allclose(z, moved(x * k), rtol=1e-14, atol=1e-14)
    assert len(places) == 4
    del kept, z
    assert {(code(x)).ctypes.data // arena.STAGGER for _ in range(8)} & {at // arena.STAGGER for at in places}
