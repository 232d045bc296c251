"""Code has the loops that the sizes of the first call need, and is right for all others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_native_programs import close

import ccc
from ccc.compile.native.code import Call, Choice, Comparison, Instruction, Operation
from ccc.compile.native.first_sizes import evaluated

pytest.importorskip("llvmlite")

SIZES = [(40, 50), (3, 50), (40, 3), (5, 1), (1, 5), (2, 2), (0, 4), (4, 0), (33, 34)]


def matrices(n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n + 100 * k)
    return rng.normal(size=(n, k)), rng.normal(size=(k, n))


def scaled_rows(a: np.ndarray, b: np.ndarray) -> Any:
    return np.sum(a / (1.0 + np.sum(a * a, axis=1, keepdims=True)) + np.tanh(b[:, 0]))


def of_parts(a: np.ndarray, b: np.ndarray) -> Any:
    half = a.shape[1] // 2
    left, right = a[:, :half], a[:, half : 2 * half]
    return np.sum(left * right.sum(axis=0)) + np.sum(np.exp(-b * b) * a.T)


def products(a: np.ndarray, b: np.ndarray) -> Any:
    return np.sum(np.tanh(a @ b) @ a) + np.sum((b @ a) * np.sin(b @ a))


def of_vectors(a: np.ndarray, b: np.ndarray) -> Any:
    return np.sum(np.sin(a @ b[:, 0]) + np.cos(a[:, 0] @ a @ b))


def heads(a: np.ndarray, b: np.ndarray) -> Any:
    n, k = a.shape
    q = (a @ b).reshape(n, 1, n).transpose(1, 0, 2)
    return np.sum(np.exp(-np.square(q @ q.swapaxes(-1, -2))) * q.sum(axis=-1, keepdims=True)) / (1 + k)


@pytest.mark.parametrize("f", [scaled_rows, of_parts, products, of_vectors, heads], ids=lambda f: f.__name__)
@pytest.mark.parametrize("first", [(40, 50), (3, 3), (64, 1)], ids=str)
def test_other_sizes_than_the_first_call_had(f: Callable[..., Any], first: tuple[int, int]) -> None:
    fast, plain = (ccc.gradient(f, wrt=(0, 1), backend=b) for b in ("native", "numpy"))
    fast(*matrices(*first))
    for sizes in SIZES:
        args = matrices(*sizes)
        try:
            expected = plain(*args)
        except IndexError:
            with pytest.raises(IndexError):
                fast(*args)
            continue
        found = fast(*args)
        assert all([close(x, y) for x, y in zip(expected, found, strict=True)]), sizes


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 8, 9, 17])
def test_sums_of_rows_are_made_side_by_side(rows: int) -> None:
    a = np.random.default_rng(rows).normal(size=(rows, 37))
    f = ccc.compiled(lambda a: np.sum(a * 1.5, axis=1), backend="native")
    assert close(f(a), np.sum(a * 1.5, axis=1))


def test_what_follows_from_known_sizes() -> None:
    lines: list[Instruction] = [
        Operation("i64", "sdiv", "%n", "-2", name="%a"),
        Operation("i64", "srem", "%n", "4", name="%b"),
        Comparison("slt", "i64", "%a", "0", name="%c"),
        Choice("i64", "%c", "%b", "%n", name="%d"),
        Call("i64", "llvm.smax.i64", ("i64", "i64"), ("%d", "%m"), name="%e"),
        Operation("double", "fadd", "%x", "%x", name="%f"),
        Operation("i64", "sdiv", "%n", "0", name="%g"),
    ]
    made = {line.name: line for line in lines}
    known: dict[str, int | None] = {"%n": 7, "%m": 2}
    found = {name: evaluated(name, known, made) for name in [*made, "%unknown", "5", "-3", "true"]}
    assert found == {"%a": -3, "%b": 3, "%c": 1, "%d": 3, "%e": 3, "%f": None, "%g": 0, "%unknown": None, "5": 5,
                     "-3": -3, "true": 1}  # fmt: skip
