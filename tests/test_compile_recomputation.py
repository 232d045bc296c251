"""What a reverse loop computes again instead of reading it from a tape, and what it has to read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.passes.improve import improve
from ccc.compile.program.lam import Loop
from ccc.compile.program.pretty import program_text
from ccc.compile.terms.plan import Plan, derived


def loops_of(f: Any, *args: Any) -> list[str]:
    """The heads of the loops of the gradient program."""
    program = derived(Plan("gradient", (0,), ccc.Delta), elaborate(f, list(args)).program)
    improve(program)
    return [line.strip() for line in program_text(program).splitlines() if " for " in line]


def filtered(image: np.ndarray, kernel: np.ndarray) -> float:
    total = 0.0
    for i in range(len(image) - len(kernel) + 1):
        for j in range(len(kernel)):
            total += image[i + j] * kernel[j]
    return total


def kept(heads: list[str]) -> set[str]:
    """The lists that one loop makes and another one runs along."""
    made = {name for head in heads for name in head.split(" = for ")[0].split(", ")}
    return {
        name
        for head in heads
        for name in head.split(" in ")[1].split(" from ")[0].removeprefix("reversed ").split(", ")
        if name in made
    }


def test_indices_and_items_of_arguments_are_not_kept():
    x, w = np.arange(6.0), np.array([1.0, -2.0])
    heads = loops_of(filtered, x, w)
    assert sum("reversed" in head for head in heads) == 2
    assert not kept(heads)
    agrees(filtered, x, w)


def overwritten(x: np.ndarray) -> float:
    a = x * 2.0
    total = 0.0
    for i in range(len(x)):
        total += a[i] * x[i]
        a[i] = total
    return total


def overwritten_after(x: np.ndarray) -> float:
    a = x * 2.0
    total = 0.0
    for i in range(len(x)):
        total += a[i] * x[i] * a[i]
    for i in range(len(x)):
        a[i] = total
    return total + a[0] * a[1]


@pytest.mark.parametrize("f", [overwritten, overwritten_after])
def test_items_of_arrays_that_change_are_kept(f: Any):
    """To read them again would take a copy of each version."""
    x = np.array([0.5, -1.5, 2.0])
    assert kept(loops_of(f, x))
    agrees(f, x)


def weighted(x: np.ndarray, w: np.ndarray) -> float:
    total = 0.0
    for i in range(len(x)):
        row = w[i]
        total += row[0] * x[i] + row[1] * x[i] ** 2
    return total


def test_a_pullback_keeps_what_its_caller_may_change():
    x, w = np.array([1.0, 2.0]), np.array([[1.0, 3.0], [-1.0, 0.5]])
    for backend in ("numpy", "native"):
        for exponential in (ccc.Delta, ccc.AdditiveMap):
            wanted = ccc.gradient(weighted, wrt=(0, 1))(x, w)
            changing, others = x.copy(), w.copy()
            _, pullback = ccc.value_with_pullback(weighted, wrt=(0, 1), exponential=exponential, backend=backend)(
                changing, others
            )
            changing[:], others[:] = 7.0, -7.0
            for found, want in zip(pullback(1.0), wanted, strict=True):
                np.testing.assert_allclose(found, want, rtol=1e-14)


def views(w: np.ndarray) -> float:
    kept = []
    for i in range(len(w)):
        row = w[i].copy()
        row[0] = row[0] * row[1]
        kept.append(row)
    return sum([row[0] * row[1] for row in kept])


def counting(x: np.ndarray) -> float:
    total, n = 0.0, 0
    for v in x:
        if v > 0:
            n = n + 2
        total = total * v + n
    return total


def paths(x: np.ndarray) -> float:
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            k = i - j
            if k > 1:
                total = total * x[k] + x[i] * x[j]
    return total


@pytest.mark.parametrize("f", [views, counting, paths, weighted, filtered])
def test_values_and_derivatives_stay(f: Any):
    x = np.array([0.5, -1.5, 2.0, 0.25])
    args = {views: (np.outer(x, x) + 1.0,), weighted: (x, np.outer(x, x[:2])), filtered: (x, x[:2])}.get(f, (x,))
    agrees(f, *args)


def stencil(u: np.ndarray, k: np.ndarray) -> float:
    """Two steps, of which each reads the items of an array that the step before has made."""
    for _ in range(2):
        v = u.copy()
        for i in range(1, len(u) - 1):
            v[i] = u[i] + k[i] * (u[i - 1] - 2 * u[i] + u[i + 1])
        u = v
    return np.sum(u * u)


def in_place(u: np.ndarray, k: np.ndarray) -> float:
    """Each step reads a copy that lives as long as the step, along both axes."""
    u = u.copy()
    for _ in range(2):
        v = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] += k[i, j] * (v[i - 1, j] - v[i, j]) + k[i, j] * (v[i, j + 1] - v[i, j])
    return np.sum(u * u)


def nested(u: np.ndarray, k: np.ndarray) -> float:
    """The array is made in a loop inside of a loop."""
    total = 0.0
    for _ in range(2):
        for s in range(2):
            v = np.sin(u * (s + 0.5))
            for i in range(len(u) - 1):
                total += k[i] * (v[i + 1] - v[i]) * v[i]
    return total


def scaled(u: np.ndarray, k: np.ndarray) -> float:
    """A product with a number costs less than to keep it."""
    total = 0.0
    for s in range(2):
        v = u * (s + 0.5) - k
        total += np.sum(v * v)
    return total


def gauss_seidel(u: np.ndarray, k: np.ndarray) -> float:
    u = u.copy()
    for _ in range(2):
        for i in range(1, len(u) - 1):
            u[i] = k[i] * (u[i - 1] + u[i + 1])
    return np.sum(u * u)


def few_items(u: np.ndarray, k: np.ndarray) -> float:
    """Three items of an array of any length are less than the array."""
    total = 0.0
    for _ in range(2):
        v = np.sin(u * k)
        for i in range(3):
            total += k[i] * (v[i + 1] - v[i])
    return total


def items_of_another(u: np.ndarray, k: np.ndarray) -> float:
    """As many items as another array has, which may be few."""
    total = 0.0
    for s in range(2):
        v = np.sin(u * (s + 0.5))
        for i in range(len(k) - 1):
            total += k[i] * (v[i + 1] - v[i])
    return total


def pairs(u: np.ndarray, k: np.ndarray) -> float:
    """Differences of all pairs of items: the items are kept, and not the differences."""
    total = 0.0
    for _ in range(2):
        d = u[:, None] - u[None, :]
        u = np.sin(k @ (d * d * d))
        total += np.sum(u)
    return total


def scaled_rows(u: np.ndarray, k: np.ndarray) -> float:
    """Products of rows and numbers are made again of the matrix, which is kept anyway, and of the numbers."""
    total = 0.0
    for _ in range(2):
        v = np.tanh(np.outer(u, u))
        w = v * u[:, None]
        u = np.sin(k @ (w * w * w))
        total += np.sum(u)
    return total


def tapes(f: Any, *args: Any) -> list[str]:
    """The kinds of lists that a loop outside of all others makes and that one runs back along."""
    program = derived(Plan("gradient", (0, 1), ccc.Delta), elaborate(f, list(args)).program)
    improve(program)
    loops = [(let, let.op.carries) for let in program.block.lets if isinstance(let.op, Loop)]
    made = {target for let, carries in loops for target in let.targets[carries:]}
    return sorted({str(x.object) for let, carries in loops for x in let.args[carries:] if x in made})


@pytest.mark.parametrize("f, kinds", [
    (stencil, ["[float64[n]]"]), (in_place, ["[float64[n,n]]"]), (nested, ["[[float64[n]]]"]),
    (gauss_seidel, ["[[R[float64]]]"]), (few_items, ["[[R[float64]]]"]),
    (items_of_another, ["[[R[float64]]]"]), (scaled, []),
    (pairs, ["[float64[n]]"]), (scaled_rows, ["[float64[n,n]]", "[float64[n]]"]),
])  # fmt: skip
def test_an_array_is_kept_instead_of_what_is_computed_from_its_items(f: Any, kinds: list[str]):
    x = np.array([0.5, -1.5, 2.0, 0.25, 1.0])
    args = (np.outer(x, x), np.outer(x, 1 - x)) if f is in_place else (x, 1 - x)
    assert tapes(f, *args) == kinds
    agrees(f, *args)


def test_what_is_read_for_its_shape_alone_is_not_kept():
    """Rows are summed to numbers, whose cotangents have the shape of what the squares are taken of."""
    def f(x, w):
        total = 0.0
        for i in range(2):
            v = np.sin(x @ w[i])
            total += np.sum(np.exp(np.sum(v**2, axis=1)))
        return total

    x, w = np.random.default_rng(1).normal(size=(2, 3, 3))
    w = np.stack([w, w.T])
    text = ccc.explain(ccc.gradient(f), x, w).code
    assert text.count(".append(") == 3  # the product, its sine, and the exponential of the sums
    agrees(f, x, w)
