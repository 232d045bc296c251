"""Products of large matrices and vectors in machine code: of tiles, in parts, right to the last item and no further."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from native_checks import gradients_agree, native, never_left

import ccc
from ccc.compile.native import cpus, engine, threads, tiles, variants, vector_products
from ccc.compile.native.code import Call
from ccc.compile.native.functions import Code, Function

pytest.importorskip("llvmlite")

SIZE, PLACE, FLAG = ctypes.c_int64, ctypes.c_void_p, ctypes.c_bool
PRODUCT = ctypes.CFUNCTYPE(None, *[SIZE] * 3, PLACE, SIZE, FLAG, PLACE, SIZE, FLAG, PLACE, SIZE)
HOST = engine.cpu() if engine.available() else cpus.BASELINE
KINDS = [tiles.Shape(2, 2), tiles.Shape(2, 4), tiles.Shape(4, 2), tiles.Shape(8, 4)]


@pytest.fixture(scope="module", params=KINDS, ids=str)
def product(request: pytest.FixtureRequest) -> Iterator[Callable[..., None]]:
    """The product that processors with such registers get, which this one runs too."""
    code = tiles.loaded(request.param, threads.functions().addresses)
    call = PRODUCT(code["ccc_product"])

    def multiply(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> None:
        (m, k), n = a.shape, b.shape[1]
        (a_turned, lda), (b_turned, ldb) = lead(a), lead(b)
        call(m, n, k, a.ctypes.data, lda, a_turned, b.ctypes.data, ldb, b_turned, c.ctypes.data, c.strides[0] // 8)

    yield multiply  # and keep the code in memory as long as it is called


def lead(a: np.ndarray) -> tuple[bool, int]:
    """Whether a matrix is the transpose of rows, and how far apart they are."""
    turned = a.strides[1] != 8
    return turned, a.strides[1 if turned else 0] // 8


def matrix(rng: np.random.Generator, rows: int, columns: int, turned: bool, more: int) -> np.ndarray:
    """A matrix or transpose, in rows that have so many `more` items; behind them are NaN."""
    if turned:
        return matrix(rng, columns, rows, False, more).T
    room = np.full((rows + 1, columns + more), np.nan)
    room[:rows, :columns] = rng.normal(size=(rows, columns))
    return room[:rows, :columns]


def agree(product: Callable[..., None], m: int, k: int, n: int, rng: np.random.Generator, more: int = 2) -> None:
    for a_turned in (False, True):
        for b_turned in (False, True):
            a, b = matrix(rng, m, k, a_turned, more), matrix(rng, k, n, b_turned, more)
            room = np.full((m + 2, n + 3), 7.5)
            product(a, b, room[1:-1, 1:-2])
            np.testing.assert_allclose(room[1:-1, 1:-2], a @ b, rtol=0, atol=4e-16 * (k + 8) * 4)
            room[1:-1, 1:-2] = 7.5
            assert (room == 7.5).all(), "something was written beyond the product"


HIGH, DEEP, ROWS = tiles.HIGH, tiles.DEEP, tiles.ROWS
EDGES = [(1, 1, 1), (ROWS, 1, 32), (ROWS + 1, 9, 33), (5, DEEP, 31), (13, DEEP + 1, 64), (3, 5, 7), (HIGH, 8, 8),
         (HIGH + 1, 40, 9), (2 * HIGH - 1, 2 * DEEP + 3, 65)]  # fmt: skip


@pytest.mark.parametrize("shape", EDGES, ids=str)
def test_edges_of_tiles_panels_and_blocks(product: Callable[..., None], shape: tuple[int, int, int]) -> None:
    agree(product, *shape, np.random.default_rng(shape))


def test_products_of_any_sizes(product: Callable[..., None]) -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        m, k, n = (int(x) for x in np.exp(rng.uniform(0, 6, 3)))
        agree(product, m, k, n, rng, int(rng.integers(0, 5)))


def test_a_product_of_no_terms_is_zero() -> None:
    f = ccc.compiled(lambda x, y: x @ y, backend="native")
    for m, k, n in ((50, 0, 60), (0, 70, 60), (50, 70, 0)):
        found = f(np.ones((m, k)), np.ones((k, n)))
        assert found.shape == (m, n) and not found.any()


def test_what_is_no_number_stays_in_its_row_and_column(product: Callable[..., None]) -> None:
    rng = np.random.default_rng(3)
    for row, column in ((0, 0), (6, 32), (66, 69)):
        a, b, c = rng.normal(size=(67, 50)), rng.normal(size=(50, 70)), np.empty((67, 70))
        a[row, 7], b[9, column] = np.inf, np.nan
        product(a, b, c)
        expected = ~np.isfinite(c)
        assert expected[row].all() and expected[:, column].all() and expected.sum() == 67 + 70 - 1


SHAPES = [(512, 64, 512), (300, 300, 120), (64, 256, 600), (1000, 100, 90), (257, 190, 190)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
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


def test_a_large_product_has_parts_and_a_small_one_has_none() -> None:
    seen: list[tuple[int, int]] = []
    share = ctypes.CFUNCTYPE(SIZE, PLACE, PLACE, PLACE, SIZE, SIZE, SIZE)

    def shared(part: int, context: int, cells: int, size: int, count: int, least: int) -> int:
        seen.append((count, least))
        return 1

    pretended = share(shared)
    place = ctypes.cast(pretended, PLACE).value or 0
    code = tiles.loaded(tiles.Shape.of(HOST), {"ccc_share": place})
    nothing = (PLACE(), 1, False, PLACE(), 1, False, PLACE(), 1)
    for m, n, k in ((1000, 120, 70), (40, 40, 40), (0, 5, 5), (5, 0, 5)):
        PRODUCT(code["ccc_product"])(m, n, k, *nothing)
        count, least = seen.pop()
        assert count == m and least * n * k >= tiles.PART * (n * k > 0) and (least - 1) * n * k <= tiles.PART


def test_only_programs_with_such_products_have_their_code() -> None:
    called = Function("f0", [], [Call("void", tiles.NAME, (), ())])
    assert "ccc_product" in variants.symbols(Code([called]))
    assert "ccc_product" not in variants.symbols(Code(tiles.DECLARED))
    names = vector_products.NAMES["double"]
    assert names[0] in variants.symbols(Code([Function("f0", [], [Call("void", names[0], (), ())])]))
    assert not {*names} & variants.symbols(Code(vector_products.DECLARED)).keys()


FORMS = [vector_products.Form(lanes, item) for item, lanes in (
    ("double", 2), ("double", 4), ("double", 8), ("float", 4), ("float", 8), ("float", 16))]  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_products_with_vectors(form: vector_products.Form) -> None:
    rng, dtype = np.random.default_rng(3), np.dtype(f"f{form.align}")
    _code, calls = with_vectors(form)
    for m in (0, *range(1, 19), 40):
        for n in (0, *range(1, 19), 67):
            apart = n + rng.integers(3)
            a = np.append(rng.normal(size=(m, apart)), [np.nan] * 9).astype(dtype)
            A = a[: m * apart].reshape(m, apart)[:, :n]
            for call, matrix in zip(calls, (A, A.T), strict=True):
                x = np.append(rng.normal(size=matrix.shape[1]), [np.nan] * 9).astype(dtype)
                y = np.full(len(matrix) + 2, 7.5, dtype)
                call(m, n, a.ctypes.data, apart, x.ctypes.data, y[1:].ctypes.data)
                np.testing.assert_allclose(
                    y, [7.5, *(matrix @ x[:-9]), 7.5], rtol=0, atol=np.finfo(dtype).eps * (m + n + 8) * 4)


def with_vectors(form: vector_products.Form) -> tuple[engine.Loaded, list[Any]]:
    """The code of both products, and what calls them."""
    code = vector_products.loaded(form, threads.functions().addresses)
    call = ctypes.CFUNCTYPE(None, SIZE, SIZE, PLACE, SIZE, PLACE, PLACE)
    return code, [call(code[name]) for name in vector_products.NAMES[form.item]]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_threads_share_products_with_vectors(form: vector_products.Form, monkeypatch: pytest.MonkeyPatch) -> None:
    """Digits do not depend on how many threads there are."""
    rng, dtype = np.random.default_rng(5), np.dtype(f"f{form.align}")
    _code, calls = with_vectors(form)
    for m, n in ((1000, 301), (300, 1001), (70, 5000), (9000, 17), (2, 100_000), (257, 513)):
        a = rng.normal(size=(m, n + 3)).astype(dtype)
        for call, matrix in zip(calls, (a[:, :n], a[:, :n].T), strict=True):
            x, found = rng.normal(size=matrix.shape[1]).astype(dtype), []
            for count in (1, 2, 3):
                monkeypatch.setattr(threads.COUNT, "value", count)
                y = np.full(len(matrix) + 2, 7.5, dtype)
                call(m, n, a.ctypes.data, n + 3, x.ctypes.data, y[1:].ctypes.data)
                found.append(y)
            expected = matrix.astype(float) @ x.astype(float)
            np.testing.assert_allclose(found[0], [7.5, *expected, 7.5], rtol=0,
                                       atol=np.finfo(dtype).eps * (m + n) * 4)
            assert np.array_equal(found[0], found[1]) and np.array_equal(found[0], found[2])


@ccc.value_with_gradient
def power(a: np.ndarray, b: np.ndarray, x: np.ndarray) -> float:
    for _ in range(3):
        x = np.tanh(a @ x + x @ b)
    return np.sum(x * x)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_program_takes_them_from_some_size_on(dtype: type) -> None:
    rng, native = np.random.default_rng(4), power.with_backend("native")
    for n in (3, 11, 12, 40):
        args = [rng.normal(size=size).astype(dtype) / n for size in ((n, n), (n, n), n)]
        for x, y in zip(leaves(native(*args)), leaves(power.with_backend("numpy")(*args)), strict=True):
            np.testing.assert_allclose(x, y, rtol=0, atol=40 * np.finfo(dtype).eps)


def leaves(found: object) -> list[np.ndarray]:
    value, gradient = found  # type: ignore[misc]
    return [np.asarray(value), *gradient]


@pytest.mark.parametrize("shape", [(49, 60), (97, 200), (200, 97), (96, 96), (193, 50), (500, 9), (60, 8)], ids=str)
@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=lambda x: x.__name__)
@pytest.mark.parametrize("turned", [False, True])
def test_products_of_a_matrix_with_its_transpose(shape: tuple[int, int], dtype: type, turned: bool) -> None:
    def product(x):
        return x.T @ x if turned else np.dot(x, x.T)

    x = np.random.default_rng(0).normal(size=shape).astype(dtype)
    expected = product(x)
    found = native(product, x)(x)
    assert found.dtype == dtype and (np.array_equal(found, found.T) or min(shape) < 49)
    np.testing.assert_allclose(found, expected, atol=20 * np.finfo(dtype).eps * np.abs(expected).max())


def rows_times_columns(a: np.ndarray, b: np.ndarray, i: int) -> np.ndarray:
    return a[i:, 1:-1] @ b[2:, :i]


def turned_within(a: np.ndarray, b: np.ndarray, i: int) -> np.ndarray:
    return a[:i, 2:].T @ b[:i, :]


def both_turned(a: np.ndarray, b: np.ndarray, i: int) -> np.ndarray:
    return np.transpose(a[1:, i:]) @ b[:, :-1].T[:, 1:]


def with_itself(a: np.ndarray, b: np.ndarray, i: int) -> np.ndarray:
    return a[i:, :] @ a[i:, :].T + np.sum(a[:, i:-1].T @ a[:, i:-1])


def columns_added(a: np.ndarray, b: np.ndarray, i: int) -> np.ndarray:
    return a[:, i] @ a[:, i:] + a[i:, i:].T @ a[i:, 1]


def in_place(a: np.ndarray, b: np.ndarray, i: int) -> np.ndarray:
    c = a * 1.0
    for k in range(1, len(c)):
        c[k, k:] = c[k, k:] - c[k, :k] @ c[:k, k:]
        c[k:, k - 1] = c[k:, k - 1] - c[k:, :k] @ c[:k, k - 1] * 0.1
    return c


@pytest.mark.parametrize("f", [rows_times_columns, turned_within, both_turned, with_itself, columns_added, in_place])
@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=lambda x: x.__name__)
def test_products_of_matrices_within_others(f: Callable[..., np.ndarray], dtype: type) -> None:
    rng = np.random.default_rng(7)
    for n, i in ((5, 2), (9, 9), (14, 1), (70, 3), (130, 60)):
        square, shorter = rng.normal(size=(n, n)).astype(dtype) / n, rng.normal(size=(n, n)).astype(dtype)
        if f is both_turned or n == i:
            i = 1
        compute = native(f, square, shorter, i)
        expected = f(square, shorter, i)
        for _ in range(2):
            found = compute(square, shorter, i)
            assert found.dtype == dtype and found.shape == expected.shape
            error = 60 * np.finfo(dtype).eps * (1 + np.abs(expected).max())
            np.testing.assert_allclose(found, expected, rtol=0, atol=error)


def few_terms(a: np.ndarray, b: np.ndarray, i: int) -> np.ndarray:
    return a[i:, :2] @ b[:2, :] + np.outer(a[i:, 1], b[2]) + (b[:, 1:4] @ a[:, :3].T)[i:]


def few_terms_stacked(a: np.ndarray, b: np.ndarray, i: int) -> np.ndarray:
    return np.stack([a[0], b[i]], axis=1) @ np.stack([b[0], a[i]]) + np.stack([a[1], b[1]]).T @ a[:2]


def few_terms_of_what_changes(a: np.ndarray, b: np.ndarray, i: int) -> np.ndarray:
    c, d = a * 1.0, b * 1.0
    c[:] = c[:, :2] @ c[:2, :]
    p = d[:, :3] @ d[:3, i:]
    d[1] = 7.5
    p[0] -= d[2, i:]
    return c + d + np.sum(p)


@pytest.mark.parametrize("f", [few_terms, few_terms_stacked, few_terms_of_what_changes])
@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=lambda x: x.__name__)
def test_products_of_few_terms(f: Callable[..., np.ndarray], dtype: type) -> None:
    rng = np.random.default_rng(3)
    for n, i in ((4, 2), (9, 1), (40, 3), (300, 2)):
        a, b = rng.normal(size=(n, n)).astype(dtype), rng.normal(size=(n, n)).astype(dtype)
        found, expected = native(f, a, b, i)(a, b, i), f(a, b, i)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=0, atol=60 * np.finfo(dtype).eps * np.abs(expected).max())


def stationary(a, v):
    p = a / np.sum(a, axis=0)
    for _ in range(5):
        v = 0.9 * (p @ v) + 0.1
        if v[0] > 0.5:
            v = v + 0.25 * (v @ p.T)
    return np.sum(v * v)


@pytest.mark.parametrize("n", [3, 40, 200])
def test_transposes_that_loops_read(n: int) -> None:
    rng = np.random.default_rng(n)
    with never_left():
        gradients_agree(stationary, rng.uniform(0.5, 1.5, (n, n)), rng.uniform(size=n))
