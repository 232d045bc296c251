"""Recursive functions at lists of known lengths: copies for few items give what the functions do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from native_checks import at_sizes, gradients_agree

import ccc
from benchmarks.programs.det import determinant
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.native import specialised, target
from ccc.compile.passes.improve import improve
from ccc.compile.program.lam import Call, Lambda, Loop, Program, lets_in
from ccc.compile.program.pretty import program_text
from ccc.compile.terms.plan import Plan, derived
from ccc.objects import List

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

SIZES = [1, 2, 3, 4, 5, 6, 7, 8]


def matrix(n: int) -> np.ndarray:
    return np.random.default_rng(n).normal(size=(n, n)) + 1.5


def vector(n: int) -> np.ndarray:
    return np.random.default_rng(n).normal(size=n) + 0.3


# -- lists of integers -------------------------------------------------------------------------------------------------


def permanent(A: np.ndarray) -> Any:
    """Sums that begin at an integer, along the list itself."""
    def rows_from(row: int, columns: list[int]) -> Any:
        if not columns:
            return 1.0
        total = 0
        for j, c in enumerate(columns):
            total = total + A[row, c] * rows_from(row + 1, [*columns[:j], *columns[j + 1 :]])
        return total

    return rows_from(0, list(range(len(A))))


def shortest_tour(D: np.ndarray) -> Any:
    """Branches that depend on numbers, a list that is searched."""
    def onward(at: int, left: list[int]) -> Any:
        if len(left) == 0:
            return D[at, 0]
        best = D[at, at] * 0.0 + 1e9
        for k in left:
            length = D[at, k] ** 2 + onward(k, [m for m in left if m != k])
            if length < best:
                best = length
        return best

    return onward(0, list(range(1, len(D))))


def tour_by_places(D: np.ndarray) -> Any:
    def onward(at: int, left: list[int]) -> Any:
        if len(left) == 0:
            return D[at, 0]
        best = 1e9
        for j in range(len(left)):
            length = D[at, left[j]] ** 2 + onward(left[j], left[:j] + left[j + 1 :])
            if length < best:
                best = length
        return best

    return onward(0, list(range(1, len(D))))


def halves(A: np.ndarray) -> Any:
    """Slices by computed ends, two calls of one length."""
    def product(places: list[int]) -> Any:
        n = len(places)
        if n == 1:
            return A[places[0], places[0]]
        return product(places[: n // 2]) * 0.7 + np.tanh(product(places[n // 2 :])) + A[places[0], places[-1]]

    return product(list(range(len(A))))


# -- lists of reals ----------------------------------------------------------------------------------------------------


def from_the_head(x: np.ndarray) -> Any:
    def energy(xs: list[float]) -> Any:
        if len(xs) == 0:
            return 0.0
        return np.sin(xs[0]) * xs[0] + 0.5 * energy(xs[1:])

    return energy([x[i] for i in range(len(x))])


def neighbours(x: np.ndarray) -> Any:
    """Each activation makes a new list of numbers."""
    def smooth(xs: list[float]) -> Any:
        if len(xs) == 1:
            return xs[0]
        return smooth([xs[i] * xs[i + 1] for i in range(len(xs) - 1)]) + sum(xs)

    return smooth([x[i] * 0.5 for i in range(len(x))])


def by_means(x: np.ndarray) -> Any:
    """A list that is changed, and one that grows."""
    def folded(xs: list[float], weight: float) -> Any:
        if len(xs) <= 1:
            return weight * xs[0]
        ys = []
        for i in range(0, len(xs) - 1, 2):
            ys.append(0.5 * (xs[i] + xs[i + 1]) * weight)
        ys[0] = ys[0] + xs[-1]
        return folded(ys, weight * 0.9)

    return folded([v for v in x], x[0])


def until(x: np.ndarray) -> Any:
    """A `while` loop in the body: there are no copies."""
    def reduced(xs: list[float]) -> Any:
        if len(xs) == 1:
            return xs[0]
        t = xs[0]
        while t > 0.5:
            t = t * 0.5
        return t + reduced(xs[1:])

    return reduced([v for v in x])


def many_calls(x: np.ndarray) -> Any:
    """What would be large if all calls were written out."""
    def f(xs: list[float], a: float) -> Any:
        if len(xs) == 1:
            return np.exp(-a * xs[0])
        total = 0.0
        for i in range(len(xs)):
            for j in range(len(xs)):
                for k in range(len(xs)):
                    total += xs[i] * xs[j] * xs[k] * np.cos(a + i - j + k)
        return total + f(xs[1:], a * 0.5) + f(xs[:-1], a * 0.25)

    return f([v for v in x], x[0])


MATRICES = [determinant, permanent, shortest_tour, tour_by_places, halves]
VECTORS = [from_the_head, neighbours, by_means, until, many_calls]


@pytest.mark.share(8)
@at_sizes(SIZES, first=5)
@pytest.mark.parametrize("f", MATRICES)
def test_functions_of_lists_of_places_agree(f: Callable[..., Any], n: int) -> None:
    if n == 8 and f is not determinant:
        if f is not halves:
            return
        n = 20
    A = matrix(n)
    assert ccc.compiled(f, backend="native")(A) == pytest.approx(f(A), rel=1e-11)
    gradients_agree(f, A, precision=1e-10)


@pytest.mark.share(2)
@at_sizes([*SIZES, 30], first=5)
@pytest.mark.parametrize("f", VECTORS)
def test_functions_of_lists_of_numbers_agree(f: Callable[..., Any], n: int) -> None:
    if f is many_calls and n > 7:
        return
    x = vector(n)
    assert ccc.compiled(f, backend="native")(x) == pytest.approx(f(x), rel=1e-11)
    gradients_agree(f, x, precision=1e-10)


def test_one_compilation_serves_all_sizes() -> None:
    f, g = ccc.compiled(determinant, backend="native"), ccc.gradient(determinant, backend="native")
    for n in [5, 2, 8, 6, 1, 7, 3, 4]:
        A = matrix(n)
        d = np.linalg.det(A)
        assert f(A) == pytest.approx(d, rel=1e-10)
        np.testing.assert_allclose(g(A), d * np.linalg.inv(A).T, rtol=1e-9)


@pytest.mark.share(2)
@pytest.mark.parametrize("n", [3, 6, 7])
def test_pullbacks_and_second_derivatives_agree(n: int) -> None:
    A, D = matrix(n), vector(n * n).reshape(n, n)
    d, inverse = np.linalg.det(A), np.linalg.inv(A)
    value, pullback = ccc.value_with_pullback(determinant, backend="native")(A)
    assert value == pytest.approx(d, rel=1e-10)
    for ct in (2.0, -0.5):
        np.testing.assert_allclose(pullback(ct), ct * d * inverse.T, rtol=1e-9)
    expected = d * (np.trace(inverse @ D) * inverse.T - (inverse @ D @ inverse).T)
    for backend in ("native", "numpy"):
        np.testing.assert_allclose(ccc.hvp(determinant, backend=backend)(A, D), expected, rtol=1e-8, atol=1e-8)
    _, tangent = ccc.value_with_differential(determinant, backend="native")(A)
    assert tangent(D) == pytest.approx(d * np.trace(inverse @ D), rel=1e-9)


def refusing(x: np.ndarray, n: int) -> Any:
    def f(xs: list[float]) -> Any:
        if len(xs) == 2:
            raise ValueError(f"two left: {len(xs)}")
        if xs[0] > 100.0:
            return xs[0]
        return xs[0] + f(xs[1:]) * xs[1]

    return f([x[i] for i in range(n)])


def beyond(x: np.ndarray, n: int) -> Any:
    def f(xs: list[float]) -> Any:
        return xs[0] if xs[0] > 100.0 else xs[0] + f(xs[1:])

    return f([x[i] for i in range(n)])


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("f", [refusing, beyond])
def test_what_raises_in_python_raises_the_same(f: Callable[..., Any], n: int) -> None:
    x = vector(7)
    with pytest.raises((ValueError, IndexError)) as expected:
        f(x, n)
    for run in (ccc.compiled(f, backend="native"), ccc.gradient(f, wrt="x", backend="native")):
        with pytest.raises(type(expected.value)) as found:
            run(x, n)
        assert str(found.value).splitlines()[0] == str(expected.value)


def test_an_index_out_of_range_raises() -> None:
    def f(A: np.ndarray) -> Any:
        def g(row: int, columns: list[int]) -> Any:
            if len(columns) == 0:
                return 0.0
            return A[row, columns[0]] + g(row + 2, columns[1:])

        return g(0, list(range(len(A))))

    assert ccc.compiled(f, backend="native")(matrix(1)) == f(matrix(1))
    for run in (ccc.compiled(f, backend="native"), ccc.gradient(f, backend="native")):
        with pytest.raises(IndexError):
            run(matrix(3))


# -- the copies themselves ---------------------------------------------------------------------------------------------


def program_of(f: Callable[..., Any], kind: str, *args: Any) -> Program:
    program = derived(Plan(kind, (0,), ccc.Delta(), True), elaborate(f, args, {}).program)
    improve(program)
    return program


@pytest.mark.parametrize("kind", ["value", "gradient"])
def test_copies_hold_neither_lists_nor_loops(kind: str) -> None:
    program = program_of(determinant, kind, matrix(3))
    assert specialised.specialise(program)
    functions = {let.targets[0].name: let.op.body for let in program.block.lets if isinstance(let.op, Lambda)}
    for n in range(2, specialised.LONGEST + 1):
        for name in [f"minor_{n}", f"minor_pullback_{n}"][: 1 if kind == "value" else 2]:
            lets = list(lets_in(functions[name]))
            assert not any(isinstance(let.op, Loop) for let in lets)
            assert not any(isinstance(target.object, List) for let in lets for target in let.targets)
    calls = [let for let in lets_in(functions["minor_6"]) if isinstance(let.op, Call)]
    assert {let.args[0].name for let in calls} == {"minor_5"}  # type: ignore[union-attr]
    assert len(calls) == 6


def test_what_small_copies_compute_twice_is_computed_once() -> None:
    """The minors of two rows are those of two of the columns: six of four, of which each is read twice."""
    program = program_of(determinant, "value", matrix(3))
    specialised.specialise(program)
    (minor,) = [let.op.body for let in program.block.lets if let.targets[0].name == "minor_4"
                if isinstance(let.op, Lambda)]
    names = [let.op.primitive.name for let in lets_in(minor)]  # type: ignore[attr-defined]
    assert names.count("index") == 16
    assert names.count("mul") == 2 * 6 + 3 * 4 + 4


def test_other_programs_stay_as_they_are() -> None:
    def squares(x: np.ndarray) -> Any:
        return sum([v * v for v in x])

    def power(x: float, n: int) -> Any:
        return 1.0 if n == 0 else x * power(x, n - 1)

    for program in (program_of(squares, "gradient", vector(3)), program_of(power, "gradient", 2.0, 3),
                    program_of(until, "gradient", vector(3))):
        before = program_text(program)
        assert not specialised.specialise(program)
        assert program_text(program) == before


def test_long_lists_are_not_known_item_by_item() -> None:
    def f(x: np.ndarray) -> Any:
        def g(xs: list[float]) -> Any:
            if len(xs) == 0:
                return 0.0
            table = [xs[0]] * (1000000000 * len(xs))
            return table[7] + g(xs[1:])

        return g([v for v in x])

    assert not specialised.specialise(program_of(f, "value", vector(3)))


def test_copies_stay_small() -> None:
    program = program_of(many_calls, "gradient", vector(3))
    specialised.specialise(program)
    assert sum(1 for _ in lets_in(program.block)) < 2 * specialised.LETS
    assert math.isfinite(many_calls(vector(5)))
