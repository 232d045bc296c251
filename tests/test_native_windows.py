"""Gathers from places that lie close together are loads and shuffles, with the same items."""

import ctypes
from typing import Any

import numpy as np
import pytest
from native_checks import last_of_a_page

import ccc
from ccc.compile.native import engine, target, windows

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")
LANES = 8
GATHER = f"@llvm.masked.gather.v{LANES}f64.v{LANES}p0"


def code(places, mask, further):
    """A function that gathers items of `x` at these places and `further`, in the lanes of the mask."""
    offsets = ", ".join("i64 poison" if k is None else f"i64 {k}" for k in places)
    runs = ", ".join(f"i1 {str(run).lower()}" for run in mask)
    vector = f"<{LANES} x double>"
    return f"""declare {vector} {GATHER}(<{LANES} x ptr>, i32, <{LANES} x i1>, {vector})
define void @f(ptr %out, ptr %x, i64 %by) {{
  %first = getelementptr double, ptr %x, <{LANES} x i64> <{offsets}>
  %at = getelementptr double, <{LANES} x ptr> %first, i64 {"%by" if further else "0"}
  %items = call {vector} {GATHER}(<{LANES} x ptr> %at, i32 8, <{LANES} x i1> <{runs}>, {vector} zeroinitializer)
  store {vector} %items, ptr %out, align 8
  ret void
}}
"""


def gathered(text, x, by, effort=engine.Effort.ALL):
    out = np.full(LANES, 7.0)
    loaded = engine.load([engine.object_code(text, effort=effort)], ["f"])
    run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(loaded["f"])
    run(out.ctypes.data, x.ctypes.data, by)
    return out


CASES = {
    "every second": ([0, 2, 4, 6, 8, 10, 12, 14], [True] * 8),
    "again and again": ([0, 1, 0, 1, 0, 1, 0, 1], [True] * 8),
    "one": ([3] * 8, [True] * 8),
    "three in a row": ([0, 1, 2, 0, 1, 2, 0, 1], [True] * 8),
    "three vectors": ([0, 3, 6, 9, 12, 15, 18, 21], [True] * 8),
    "four vectors": ([0, 30, 60, 90, 92, 31, 0, 63], [True] * 8),
    "rows of three, far apart": ([0, 0, 0, 22, 22, 22, 44, 44], [True] * 8),
    "each twice": ([4, 4, 5, 5, 6, 6, 7, 7], [True] * 8),
    "backwards": ([13, 11, 9, 7, 5, 3, 1, 0], [True] * 8),
    "some lanes": ([0, 2, 1, 3, None, None, None, None], [True] * 4 + [False] * 4),
    "lanes in between": ([0, 9, 5, 60, 7, 99, 2, 2], [True, False, True, False, True, False, True, True]),
}


@pytest.mark.parametrize("further", [False, True])
@pytest.mark.parametrize("places, mask", CASES.values(), ids=CASES)
def test_the_items_are_those_of_the_places(places, mask, further):
    text, x, by = code(places, mask, further), np.arange(100.0, 240.0), 3 if further else 0
    optimised = str(engine.optimised(text))
    assert "masked.gather" not in optimised[optimised.index("define") : optimised.index("\n}")]
    expected = [x[k + by] if run else 0.0 for k, run in zip(places, mask, strict=True)]
    np.testing.assert_array_equal(gathered(text, x, by), expected)


def test_names_are_those_of_a_function():
    other = code([0, 2, 4, 6, 8, 10, 12, 14], [True] * 8, False).replace("@f(", "@g(").replace("%x", "%y")
    text = code([0, 1, 2, 0, 1, 2, 0, 1], [True] * 8, False) + other[other.index("define") :]
    x = np.arange(100.0, 120.0)
    np.testing.assert_array_equal(gathered(text, x, 0), x[[0, 1, 2, 0, 1, 2, 0, 1]])
    f, g = str(engine.optimised(text)).split("\ndefine ")[1:]
    assert "= call" not in f + g and "%y" not in f and "%x" not in g


def test_values_that_llvm_has_given_numbers():
    """As those are that its passes make: a new name between them is no number."""
    text = code([0, 1, 2, 0, 1, 2, 0, 1], [True] * 8, True)
    for k, name in enumerate(("%first", "%at", "%items"), 1):
        text = text.replace(name, f"%{k}")
    text = str(engine.optimised(text, effort=engine.Effort.NONE))
    whole, x = windows.read_whole(text), np.arange(100.0, 140.0)
    assert "= call" not in whole
    found = gathered(whole, x, 3, engine.Effort.NONE)
    np.testing.assert_array_equal(found, x[3 + np.array([0, 1, 2, 0, 1, 2, 0, 1])])


@pytest.mark.parametrize("places, mask", [
    ([0, 20, 40, 60, 80, 100, 120, 140], [True] * 8),  # more than four vectors hold
    ([0, 2, 4, 6, 8, 10, 12, None], [True] * 8),  # not known where
])  # fmt: skip
def test_others_are_gathered(places, mask):
    text = str(engine.optimised(code(places, mask, False)))
    assert " = tail call <8 x double> @llvm.masked.gather" in text and windows.read_whole(text) is text


def test_nothing_beyond_the_last_place_is_read():
    """The array ends where a page ends that nobody may read beyond."""
    with last_of_a_page() as x:
        for places, mask in CASES.values():
            last = max(k for k, run in zip(places, mask, strict=True) if run)
            by = len(x) - 1 - last
            gathered(code(places, mask, True), x, by)


@pytest.mark.share(3)
@pytest.mark.parametrize("rows", [1, 7, 8, 9, 20])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_programs_along_small_axes(rows, size):
    rng = np.random.default_rng(size)
    args = 0.1 * rng.normal(size=(rows, size)), rng.normal(size=(3, size))

    def loss(x, w):
        total = 0.0
        for i in range(len(w)):
            total += np.sum(w[i] * np.exp(x - w[i]) * x) + np.sum(np.sum(x * w[i], axis=1) ** 2)
        return total

    native = ccc.gradient(loss, wrt=(0, 1), backend="native")
    wanted = ccc.gradient(loss, wrt=(0, 1), backend="numpy")(*args)
    for _ in range(3):  # the second and the third call may run code for these sizes
        for found, want in zip(native(*args), wanted, strict=True):
            np.testing.assert_allclose(found, want, rtol=1e-12, atol=1e-13)


def test_an_array_without_axes_is_an_index_as_in_numpy():
    def item(v: Any, s: Any) -> Any:
        return np.sum(v[np.where(s > 0, 1, 2).astype(np.int64)] * s)

    value, (of_v, of_s) = ccc.value_with_gradient(item, backend="native")(np.arange(4.0) + 0.5, 2.0)
    assert (value, of_v.tolist(), of_s) == (3.0, [0.0, 2.0, 0.0, 0.0], 1.5)
