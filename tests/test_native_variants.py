"""Variants of machine code: right for all sizes, made at most three times, and for the same sizes the same digits."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from native_checks import modules

import ccc
from ccc.compile.native import target, variants
from ccc.compile.native.code import Begin, Fork, Label, Request
from ccc.compile.native.notes import Each
from ccc.compile.native.stack_allocations import in_frame
from ccc.objects import Array, List, Product

pytest.importorskip("llvmlite")

VECTOR = Array("float64", ("n",))
KEPT = "  ; kept"
"""What is said of memory that a loop hands on."""


class Cell(NamedTuple):
    w: np.ndarray
    b: np.ndarray


def energy(cell: Cell, xs: np.ndarray, k: int) -> float:
    s, h = 0.0, np.zeros(len(cell.b))
    for i in range(len(xs)):
        h = np.tanh(cell.w @ h + cell.b * xs[i])
        s += np.sum(h * h) / (k + i)
    return s


def arguments(d: int, n: int, k: int = 3) -> tuple[Cell, np.ndarray, int]:
    rng = np.random.default_rng(31 * d + n)
    return Cell(rng.normal(size=(d, d)) / (d + 1), rng.normal(size=d)), rng.normal(size=n), k


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modules of programs that LLVM is given."""
    return modules(monkeypatch)


def parts(x: Any) -> list[np.ndarray]:
    return [a for part in x for a in parts(part)] if isinstance(x, tuple) else [np.asarray(x)]


def close(a: Any, b: Any) -> bool:
    pairs = list(zip(parts(a), parts(b), strict=True))
    return all(x.shape == y.shape and np.allclose(x, y, rtol=1e-12, atol=1e-13) for x, y in pairs)


def test_sizes_that_are_constants() -> None:
    params = [Array("float64", ()), Product((VECTOR, Array("float64", ("n", "m")))), List(VECTOR), VECTOR]
    args = [1.0, (np.ones(4), np.ones((33, 0))), [np.ones(2)], np.ones(variants.SMALL)]
    assert variants.sizes(params, args) == {2: 4, 5: 0, 10: 32}
    assert variants.sizes([VECTOR, VECTOR], [np.ones((2, 2)), 1.0]) == {}, "not what the program was made for"


def test_all_sizes_are_right_and_three_variants_are_made(made: list[str]) -> None:
    found = [
        ccc.gradient(energy, wrt=("cell", "xs"), backend="native"),
        ccc.value_with_gradient(energy, wrt=("cell", "xs"), backend="native"),
    ]
    expected = ccc.gradient(energy, wrt=("cell", "xs"), backend="numpy")
    for g in found:
        del made[:]
        counts = []
        for d, n in ((3, 5), (3, 5), (3, 6), (3, 100), (3, 5), (2, 4), (4, 4), (0, 3), (3, 0), (40, 2), (3, 5)):
            result = g(*arguments(d, n))
            assert close(result if g is found[0] else result[1], expected(*arguments(d, n))), (d, n)
            counts.append(len(made))
        assert counts == [1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3]
        assert [text.count("= add i64 3, 0\n") for text in made] == [3, 3, 0], "of cell, where it stays the same"


def test_calls_with_the_same_sizes_have_the_same_digits(made: list[str]) -> None:
    g = ccc.gradient(energy, wrt=("cell", "xs"), backend="native")
    sizes = [(3, 5), (3, 7), (5, 2), (3, 5), (4, 9), (5, 2), (3, 7)]
    before: dict[tuple[int, int], list[bytes]] = {}
    for d, n in sizes:
        digits = [x.tobytes() for x in parts(g(*arguments(d, n)))]
        assert before.setdefault((d, n), digits) == digits


def test_a_pullback_reads_the_tape_of_any_variant(made: list[str]) -> None:
    f = ccc.value_with_pullback(energy, wrt=("cell", "xs"), backend="native")
    expected = ccc.gradient(energy, wrt=("cell", "xs"), backend="numpy")
    held = {size: f(*arguments(*size))[1] for size in ((3, 5), (3, 6), (2, 4), (3, 5), (5, 40))}
    assert len(made) == 3
    for size, pullback in held.items():
        assert close(pullback(1.0), expected(*arguments(*size))), size


def test_what_code_leaves_is_left_in_all_variants(made: list[str]) -> None:
    def picked(xs: np.ndarray, at: int) -> float:
        return xs[at] * np.sum(xs)

    g = ccc.gradient(picked, backend="native")
    for n in (3, 5, 4, 3):
        assert np.array_equal(g(np.ones(n), 0)[0], np.eye(n)[0] * n + 1.0)
        with pytest.raises(IndexError):
            g(np.ones(n), n)


def test_arrays_from_outside_have_sizes_too(made: list[str]) -> None:
    weights = np.arange(3.0)

    def weighted(x: np.ndarray) -> float:
        return np.sum(weights * x * x)

    g = ccc.gradient(weighted, backend="native")
    for n in (3, 4, 50, 3):
        weights = np.arange(float(n))
        assert np.array_equal(g(np.ones(n)), 2.0 * weights)


def test_threads_that_meet_other_sizes_make_one_variant(made: list[str]) -> None:
    g = ccc.gradient(energy, wrt=("cell", "xs"), backend="native")
    expected = ccc.gradient(energy, wrt=("cell", "xs"), backend="numpy")
    g(*arguments(3, 5))
    sizes: list[tuple[int, int]] = list(itertools.product((3, 4), range(6, 14)))
    right = {size: expected(*arguments(*size)) for size in sizes}
    start, wrong = threading.Barrier(len(sizes)), []

    def call(size: tuple[int, int]) -> None:
        start.wait()
        for _ in range(20):
            if not close(g(*arguments(*size)), right[size]):
                wrong.append(size)

    threads = [threading.Thread(target=call, args=(size,)) for size in sizes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(made) <= 3


def recurrence(w: np.ndarray, xs: np.ndarray) -> float:
    """A tape of arrays, and others that are of no use when a run ends."""
    total = 0.0
    for x in xs:
        a = w @ (x * w + total)
        b = np.exp(-(a @ a))
        total = np.tanh(total + np.sum(np.tanh(a @ b)))
    return total


def test_what_is_of_no_use_when_a_run_ends_lies_in_the_frame(made: list[str]) -> None:
    f = ccc.gradient(recurrence, wrt=("w", "xs"), backend="native")
    plain = ccc.gradient(recurrence, wrt=("w", "xs"), backend="numpy")
    rng = np.random.default_rng(0)
    for d, n in ((3, 4), (3, 4), (3, 1), (2, 4), (5, 50), (3, 0)):
        args = 0.3 * rng.normal(size=(d, d)), rng.normal(size=n)
        assert close(f(*args), plain(*args))
    code = made[0][made[0].index("@f0(") : made[0].index("@take1(")].split("\n")
    kept = [line for line in code if "@ccc_next(" in line]
    assert kept and all(line.endswith(KEPT) for line in kept), "all others have places"
    assert str(Each(True)) in made[0]


def test_requests_of_inner_loops_and_those_that_are_kept_have_no_place() -> None:
    a, b, c, d, e = [Request("24", take="ccc_next", name=f"%{x}") for x in "abcde"]
    b.kept = True
    out, into, on, done = [Label(x) for x in ("out", "in", "on", "done")]
    body = [a, b, Begin(into), c, Fork("%m", into, on), Begin(on), d]
    first, last = Begin(out), [Fork("%n", out, done), Begin(done)]
    assert list(in_frame([first, Each(True), *body, Each(False), *last])[1]) == ["%a", "%d"]
    assert not in_frame([first, *body, *last])[1]
    assert list(in_frame([first, *body, Each(True), e, Each(False), *last])[1]) == ["%e"]


def test_small_sizes_are_constants_of_the_program_that_is_written(made: list[str]) -> None:
    """Places along a short axis are known: parts of a third of it are planes, in one loop. Sizes that are others later
    are none."""

    def f(x: np.ndarray) -> np.ndarray:
        a, b, c = np.split(x, 3, axis=-1)
        return np.sum(np.maximum(a, b) * c)

    x = np.random.default_rng(0).normal(size=(50, 12))
    g, plain = [ccc.gradient(f, backend=backend) for backend in ("native", "numpy")]
    for shape in ((50, 3), (40, 3), (5, 3), (50, 12), (3, 3), (50, 6)):
        x = np.random.default_rng(0).normal(size=shape)
        assert close(g(x), plain(x))
    first, other = [text.partition("@f0(")[2].partition("\n}")[0] for text in made]
    assert len(first) < len(other)


@pytest.mark.parametrize("sizes", [*itertools.permutations([(3, 2), (3, 40), (40, 2), (1, 1), (2, 0)], 3)])
def test_tests_of_sizes_hold_for_other_sizes(sizes: tuple[tuple[int, int], ...]) -> None:
    """What is the same in the first call need not be in another one: branches on sizes, broadcasting, errors."""

    def f(x: np.ndarray, y: np.ndarray) -> Any:
        z = np.sum(x * y, axis=1) if len(x) > 2 else x[:, 0] * y[-1]
        if x.shape[1] == 40:
            z = z + len(y) / len(x)
        return np.sum(z * z) / x.shape[1]

    g, plain = [ccc.gradient(f, wrt=["x", "y"], backend=backend) for backend in ("native", "numpy")]
    for n, d in sizes:
        rng = np.random.default_rng(n)
        for y in (rng.normal(size=d), rng.normal(size=1)):
            x = rng.normal(size=(n, d))
            found = []
            for call in (g, plain):
                try:
                    found.append(call(x, y))
                except (IndexError, ZeroDivisionError, ValueError) as error:
                    found.append(str(error))
            assert isinstance(found[0], str) == isinstance(found[1], str)
            assert found[0] == found[1] if isinstance(found[0], str) else close(*found)


def integer_of_a_slice(x: np.ndarray) -> Any:
    z = np.zeros((3, x.shape[0], x.shape[1]))
    z[0] = x[None]
    z[1:2] = 2.0 * x
    z[2:3] = (3.0 * x)[None]
    return z


def slice_of_a_vector(x: np.ndarray) -> Any:
    z = np.zeros(x.shape)
    z[:, 0:1] = x[:, 0]
    return z


def slice_of_a_row(x: np.ndarray) -> Any:
    z = np.zeros(x.shape)
    z[:, 0:1] = x[0]
    return z


def integer_of_a_column(x: np.ndarray) -> Any:
    z = np.zeros(x.shape)
    z[:, 0] = x[:, :1]
    return z


def slices_between(x: np.ndarray) -> Any:
    z = np.zeros((x.shape[0], x.shape[1], 2))
    z[:, :, 0:1] = x
    z[:, :, 1:] = x[:, :, None]
    return z


@pytest.mark.parametrize(
    "f", [integer_of_a_slice, slice_of_a_vector, slice_of_a_row, integer_of_a_column, slices_between],
    ids=lambda f: f.__name__)  # fmt: skip
@pytest.mark.parametrize("first", [(2, 2), (3, 2), (1, 2), (1, 1), (40, 2)])
def test_parts_of_another_rank_than_their_places(f: Callable[..., Any], first: tuple[int, int]) -> None:
    """What NumPy broadcasts to a place it takes, what it does not raises, for the first sizes and for others."""
    g, h = ccc.compiled(f, backend="native"), ccc.value_with_pullback(f, backend="native")
    for shape in (first, (2, 2), (3, 3), (1, 1), (5, 2)):
        x = np.random.default_rng(0).normal(size=shape)
        try:
            expected = f(x)
        except ValueError:
            for call in (g, h):
                with pytest.raises(ValueError, match="could not"):
                    call(x)
            continue
        value, pullback = h(x)
        assert np.array_equal(g(x), expected) and np.array_equal(value, expected)
        ct = np.random.default_rng(1).normal(size=expected.shape)
        assert close(pullback(ct), ccc.value_with_pullback(f, backend="numpy")(x)[1](ct))


def rounded_to_length(x: np.ndarray) -> Any:
    return x + np.round(x, len(x))


@pytest.mark.parametrize("verb", [ccc.compiled, ccc.value_with_pullback], ids=lambda verb: verb.__name__)
def test_what_needs_the_first_sizes_is_left_for_others(verb: Callable[..., Any]) -> None:
    g = verb(rounded_to_length, backend="native")
    for n in (3, 4, 2, 40, 3, 25):
        x = np.linspace(0.11, 0.9, n)
        found = g(x)
        value = found if verb is ccc.compiled else found[0]
        assert np.array_equal(value, rounded_to_length(x))
        if verb is ccc.value_with_pullback:
            assert np.array_equal(found[1](x), x)


def test_a_variant_that_is_interrupted_is_made_by_a_later_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: np.ndarray) -> np.ndarray:
        return x * len(x)

    g, made = ccc.compiled(f, backend="native"), variants.Variants.made
    g(np.ones(3))

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    for n in (4, 5, 4, 6):
        monkeypatch.setattr(variants.Variants, "made", interrupted)
        with pytest.raises(KeyboardInterrupt):
            g(np.ones(n))
    monkeypatch.setattr(variants.Variants, "made", made)
    for n in (6, 40, 3, 5):
        assert np.array_equal(g(np.ones(n)), np.full(n, float(n)))


@pytest.mark.parametrize("later", [(5, 2), (5, 3), (4, 3), (200, 5)])
def test_code_may_be_made_for_another_call_than_it_was_written_for(
    later: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As under `auto`, which writes a program at one call and makes its function at a later one."""

    def f(x: np.ndarray) -> np.ndarray:
        return np.sum(x * x, axis=1) + x.shape[1]

    written, linked = [], target.linked

    def noted(*args: Any) -> Any:
        written.append(args)
        return linked(*args)

    monkeypatch.setattr(target, "linked", noted)
    ccc.compiled(f, backend="native")(np.ones((5, 3)))
    found, name, other, _, tried = written[0]
    x = np.arange(float(np.prod(later))).reshape(later)
    made = linked(found, name, other, (x,), tried)
    for y in (x, np.ones((5, 3)), x + 1.0, np.ones((7, 4))):
        assert np.array_equal(made(y), f(y))
