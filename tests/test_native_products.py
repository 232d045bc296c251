"""Products of matrices in the library that NumPy brings: how many threads it takes for them."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest

import ccc
from compile.backends.native import runtime, variants

pytest.importorskip("llvmlite")

INT, SIZE, REAL, PLACE = ctypes.c_int, ctypes.c_int64, ctypes.c_double, ctypes.c_void_p
DGEMM = ctypes.CFUNCTYPE(None, *[INT] * 3, *[SIZE] * 3, REAL, PLACE, SIZE, PLACE, SIZE, REAL, PLACE, SIZE)


def test_one_thread_computes_a_product_of_middling_size() -> None:
    events: list[tuple[str, int]] = []
    threads = [4]

    def set_threads(n: int) -> None:
        threads[0] = n
        events.append(("set", n))

    def library(*args: float) -> None:
        assert args == (101, 111, 112, *sizes, 1.0, 8, 9, 16, 10, 0.5, 24, 11)
        events.append(("product", threads[0]))

    functions = {
        "library": DGEMM(library),
        "threads": ctypes.CFUNCTYPE(INT)(lambda: threads[0]),
        "set_threads": ctypes.CFUNCTYPE(None, INT)(set_threads),
    }
    loaded = runtime.limited({name: ctypes.cast(f, PLACE).value or 0 for name, f in functions.items()})
    product, side = DGEMM(loaded["ccc_dgemm"]), math.ceil(runtime.MIDDLING ** (1 / 3))
    for n, sizes, expected in (
        (4, (64, 32, 100), [("set", 1), ("product", 1), ("set", 4)]),
        (1, (64, 32, 100), [("product", 1)]),
        (4, (side, side, side), [("product", 4)]),
        (4, (side, 0, side), [("set", 1), ("product", 1), ("set", 4)]),
    ):
        threads[0] = n
        del events[:]
        product(101, 111, 112, *sizes, 1.0, 8, 9, 16, 10, 0.5, 24, 11)
        assert events == expected and threads == [n], (n, sizes)


@pytest.mark.skipif(not runtime.products(), reason="another library, or none")
def test_the_library_has_its_threads_again_after_a_product() -> None:
    def product(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return x @ y

    count = ctypes.CFUNCTYPE(INT)(runtime.addresses(runtime.brought(), runtime.COUNTING)["threads"])
    f, before = ccc.compiled(product, backend="native"), count()
    for m, k, n in ((100, 120, 90), (320, 330, 340)):
        x, y = np.random.default_rng(m).normal(size=(m, k)), np.random.default_rng(n).normal(size=(k, n))
        assert np.allclose(f(x, y), x @ y, rtol=1e-12, atol=1e-12)
        assert count() == before
    assert variants.symbols("call void @ccc_dgemm(")["ccc_dgemm"] == runtime.products()["ccc_dgemm"]
    assert variants.symbols("")["ccc_dgemm"] == runtime.dgemm()
