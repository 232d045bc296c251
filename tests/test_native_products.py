"""Products of matrices in the library that NumPy brings: how many threads it takes for them."""

from __future__ import annotations

import ctypes
import math
import threading

import numpy as np
import pytest

import ccc
from compile.backends.native import runtime, threads, variants

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


SHAPES = [(512, 64, 512), (300, 300, 120), (64, 256, 600), (1000, 100, 90), (257, 190, 190)]


@pytest.mark.skipif(not runtime.products(), reason="another library, or none")
@pytest.mark.parametrize("shape", SHAPES)
def test_rows_of_products_are_shared(shape: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Digits do not depend on how many threads there are; all four combinations of transposes are right."""
    def products(x: np.ndarray, y: np.ndarray, u: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
        return [x @ y, u.T @ y, x @ v.T, u.T @ v.T]

    m, k, n = shape
    rng = np.random.default_rng(shape)
    x, y, u, v = (rng.normal(size=size) for size in ((m, k), (k, n), (k, m), (n, k)))
    code = ccc.compiled(products, backend="native")
    found = code(x, y, u, v)
    for one, expected in zip(found, products(x, y, u, v), strict=True):
        np.testing.assert_allclose(one, expected, rtol=1e-12, atol=1e-12 * k)
    monkeypatch.setattr(threads.COUNT, "value", 1)
    for one, again in zip(found, code(x, y, u, v), strict=True):
        np.testing.assert_array_equal(one, again)


def test_the_parts_of_a_product_are_its_rows() -> None:
    """Each part is whole rows of the result, of all of which every one is computed once."""
    seen: list[tuple[int, int, int]] = []
    lock = threading.Lock()

    def library(order: int, first: int, second: int, m: int, n: int, k: int, *rest: float) -> None:
        with lock:
            seen.append((m, int(rest[1]), int(rest[6])))  # rows, and where the first matrix and the result begin

    functions = {
        "library": DGEMM(library),
        "threads": ctypes.CFUNCTYPE(INT)(lambda: 1),
        "set_threads": ctypes.CFUNCTYPE(None, INT)(lambda n: None),
    }
    loaded = runtime.limited({name: ctypes.cast(f, PLACE).value or 0 for name, f in functions.items()})
    product = DGEMM(loaded["ccc_dgemm"])
    for first, apart in ((111, 70), (112, 1)):
        del seen[:]
        product(101, first, 111, 1000, 120, 70, 1.0, 4096, 70 if first == 111 else 1000, 64, 120, 0.0, 8192, 120)
        rows = 0
        for m, a, c in sorted(seen, key=lambda part: part[2]):
            assert (a - 4096, c - 8192) == (8 * rows * apart, 8 * rows * 120)
            rows += m
        assert rows == 1000 and len(seen) > 3
