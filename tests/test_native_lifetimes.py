"""Memory that loops take: given back while they go on, but for what they carry and give out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from native_lines import instructions

import ccc
from ccc.compile.native import arena, lifetimes, passes, stacks, target
from ccc.compile.native.pointers import Flow
from ccc.laws.memory import taken

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

A = 0.3 * np.random.default_rng(0).normal(size=(6, 6))


def moved(a: np.ndarray, n: int) -> Any:
    """Carries an array, anew each time."""
    x = np.ones(6)
    for _ in range(n):
        x = np.tanh(a @ x) + 0.1
    return np.sum(x)


def shifted(a: np.ndarray, n: int) -> Any:
    """What one variable holds goes to another one, and on."""
    x, y, z = np.ones(6), np.zeros(6), np.zeros(6)
    for i in range(n):
        x, y, z = a @ x + 0.5 * z, x, y + 0.1 * i / n
    return np.sum(x * y + z)


def in_lists(a: np.ndarray, n: int) -> Any:
    """Carries lists of arrays, of which items change."""
    xs = [np.ones(6), np.zeros(6), a[0]]
    for i in range(n):
        xs[i % 3] = np.tanh(a @ xs[(i + 1) % 3]) + xs[i % 3] * 0.5
    return np.sum(xs[0] + 2.0 * xs[1]) + xs[2][3]


def within(a: np.ndarray, n: int) -> Any:
    """A loop in a loop, and what the inner one gives out is read by a third."""
    x, total = np.ones(6), 0.0
    for i in range(n):
        steps = []
        for _ in range(3):
            x = np.tanh(a @ x)
            steps.append(x * 0.5 + i / n)
        for s in steps:
            total += np.sum(s * s)
            x = x + 0.01 * s
    return total + np.sum(x)


def recursive_sum(a: np.ndarray, x: np.ndarray, k: int) -> Any:
    if k == 0:
        return x
    return recursive_sum(a, np.tanh(a @ x) + 0.1, k - 1)


def calling(a: np.ndarray, n: int) -> Any:
    """The runs call a function that takes memory."""
    x = np.ones(6)
    for _ in range(n):
        x = recursive_sum(a, x, 2)
    return np.sum(x)


def while_shorter(a: np.ndarray, n: int) -> Any:
    x, count = np.ones(6), 0
    while count < n and np.sum(x * x) < 1e6:
        x = np.tanh(a @ x) + 0.1
        count += 1
    return np.sum(x) + count


def chosen(a: np.ndarray, n: int) -> Any:
    """Branches give the array that was there, or a new one."""
    x, best = np.ones(6), np.zeros(6)
    for i in range(n):
        y = np.tanh(a @ x) + 0.1
        if i % 3 == 1:
            best = y
        x = y if i % 2 == 0 else x * 0.9
    return np.sum(best * x)


def last_of_two(a: np.ndarray, n: int) -> Any:
    """What the inner loop carries is given out by the outer one, the last one alone."""
    x, total = np.ones(6), 0.0
    lasts = []
    for _ in range(min(n, 5)):
        for _ in range(n):
            x = np.tanh(a @ x) + 0.1
        lasts.append(x)
    for y in lasts:
        total += np.sum(y)
    return total


PROGRAMS = [moved, shifted, in_lists, within, calling, while_shorter, chosen, last_of_two]


def native(f: Callable[..., Any]) -> Any:
    g = ccc.compiled(f, backend="native")
    g(A, 3)
    assert [code.left_to for codes in g.codes.values() for code in codes] == [""]
    return g


@pytest.fixture(params=["often", "as it is"])
def soon(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stacks are cut back after every run, or where much was taken."""
    if request.param == "often":
        monkeypatch.setattr(lifetimes, "MANY", 0)
        monkeypatch.setattr(lifetimes, "TIMES", 0)


@pytest.mark.share(2)
@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_gradients_are_those_of_numpy(f: Callable[..., Any]) -> None:
    for n in (0, 1, 2, 3, 50, 700):
        assert np.isclose(native(f)(A, n), f(A, n), rtol=1e-12)
        if f is not while_shorter or n:
            slopes = [ccc.gradient(f, wrt="a", backend=backend)(A, n) for backend in ("native", "numpy")]
            np.testing.assert_allclose(slopes[0], slopes[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("f", PROGRAMS)
def test_memory_does_not_grow_with_the_runs(f: Callable[..., Any]) -> None:
    g = native(f)
    assert taken(g, A, 30_000) <= taken(g, A, 300) + (1 << 18)


def test_what_is_given_out_stays() -> None:
    def steps(a: np.ndarray, n: int) -> list[np.ndarray]:
        x, found = np.ones(6), []
        for _ in range(n):
            x = np.tanh(a @ x) + 0.1
            found.append(2.0 * x)
        return found

    g = ccc.compiled(steps, backend="native")
    for n in (0, 1, 400):
        for x, y in zip(g(A, n), steps(A, n), strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-13)


def test_a_list_that_grows_in_a_loop() -> None:
    def growing(a: np.ndarray, n: int) -> Any:
        xs, x, total = [np.ones(6)], np.ones(6), 0.0
        count = 0
        while count < n:
            x = np.tanh(a @ x) + 0.1
            if count % 7 == 0:
                xs.append(x)
            count += 1
        for y in xs:
            total += np.sum(y)
        return total

    g = native(growing)
    for n in (1, 8, 5000):
        assert np.isclose(g(A, n), growing(A, n), rtol=1e-12)


def in_place_throughout(x: np.ndarray, w: np.ndarray) -> Any:
    """One array that all runs change in place, beside one that each makes anew."""
    anew = np.outer(x, w)
    kept = anew.copy()
    for _ in w:
        kept[1:] -= 0.2
        anew = anew - np.tanh(w)
    return np.sum(anew * kept)


def test_what_a_loop_ends_with_outlives_the_call() -> None:
    """Also where it lies in the frame of the function, and the stack of the loop has gone on elsewhere."""
    native, numpy = [ccc.value_with_pullback(in_place_throughout, backend=b) for b in ("native", "numpy")]
    w = np.array([0.4, -0.7, 2.17])
    for rows in range(4, 64):
        x = np.sin(2.17 + 2.3 * np.arange(rows))
        (_, pull), (_, expected) = native(x, w), numpy(x, w)
        for a, b in zip(pull(1.0), expected(1.0), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10)


def sums_of_more_and_more(x: np.ndarray, n: int) -> Any:
    """Carries one number, and each run keeps more than the one before while it goes on."""
    b = np.cumsum(x)
    c = np.cumsum(b)
    total = 0.0
    for i in range(n):
        a = x[: len(x) * (i + 1) // n] * (1.0 + 0.1 * i) + c[i]
        steps = []
        for _ in range(i):
            a = np.sin(a) + 0.1 * np.cumsum(a) / len(a)
            a = np.sin(a) + 0.1 * np.cumsum(a[::-1]) / len(a)
            steps.append(a * 0.5)
        for step in reversed(steps):
            total += np.sum(step * step)
    return total + np.sum(c * b)


@pytest.mark.parametrize("poisoned", [False, True])
def test_runs_that_leave_a_number_behind(poisoned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stacks of the loops in them have gone on in what such runs give back."""
    monkeypatch.setattr(stacks, "POISONED", poisoned)
    native, numpy = [ccc.gradient(sums_of_more_and_more, wrt="x", backend=b) for b in ("native", "numpy")]
    x = np.linspace(0.1, 1.0, 300)
    for n in (5, 20, 41):
        np.testing.assert_allclose(native(x, n), numpy(x, n), rtol=1e-9)


def large_arrays(a: np.ndarray, n: int) -> Any:
    """Each run makes arrays that are a large part of the largest pieces of memory."""
    x = np.resize(a, arena.GROWTH // 16)
    for _ in range(n):
        y = np.cumsum(np.cumsum(x) * 1e-7 + 0.5) * 1e-7
        x = x[::-1] * 0.5 + y
    return np.sum(x[:40])


def large_arrays_within(a: np.ndarray, n: int) -> Any:
    """A loop of them in another one, whose lists are read after it."""
    total, x = 0.0, np.resize(a, arena.GROWTH // 32)
    for _ in range(n):
        steps = []
        for k in range(3):
            x = np.cumsum(x) * 1e-7 + x[::-1] * (0.5 + k)
            steps.append(x[:40] * 2.0)
        for step in steps:
            total += np.sum(step)
    return total + np.sum(x[:40])


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [large_arrays, large_arrays_within])
def test_large_arrays_stay_where_they_are(f: Callable[..., Any]) -> None:
    """Their pieces are given back as the runs pass, and none is copied for that."""
    g = native(f)
    assert taken(g, A, 24) <= taken(g, A, 6) < 8 * arena.GROWTH
    assert np.isclose(g(A, 6), f(A, 6), rtol=1e-12)


def test_a_tape_takes_little_more_than_its_arrays() -> None:
    """The gradient keeps two arrays of six numbers a run."""
    n = 20_000
    gradient = ccc.gradient(moved, wrt="a", backend="native")
    arrays = 2 * 64 * n
    assert taken(gradient, A, n) < 4 * arrays


def text_of(f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, *args: Any) -> str:
    """The code of the gradient."""
    texts: list[str] = []
    lowered = target.lowered

    def noted(*given: Any) -> Any:
        found = lowered(*given)
        texts.append(found.text)
        return found

    monkeypatch.setattr(target, "lowered", noted)
    ccc.gradient(f, wrt="a", backend="native")(*args)
    return texts[-1]


def test_a_loop_that_runs_back_over_arrays_fetches_them_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    assert text_of(moved, monkeypatch, A, 3).count("call void @llvm.prefetch") > 0


def test_numbers_are_not_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    def numbers(a: float, n: int) -> float:
        x = 1.0
        for _ in range(n):
            x = a * x * (1.0 - x)
        return x

    assert "prefetch" not in text_of(numbers, monkeypatch, 0.3, 3)


def test_what_is_cheap_to_compute_again_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a logistic function the exponential is kept, and neither the sum nor the quotient."""
    def gates(a: np.ndarray, n: int) -> Any:
        x = np.ones(6)
        for i in range(n):
            x = x * (1.0 / (1.0 + np.exp(-(a[i] * x))))
        return np.sum(x)

    given_out: list[int] = []
    recompute = passes.recompute

    def noted(program: Any, cheap: Any) -> bool:
        changed = recompute(program, cheap)
        given_out.append(max(len(let.targets) - let.op.carries for let in program.block.lets if let.op.blocks))
        return changed

    monkeypatch.setattr(passes, "recompute", noted)
    found = ccc.gradient(gates, wrt="a", backend="native")(A, 6)
    assert given_out == [2]
    np.testing.assert_allclose(found, ccc.gradient(gates, wrt="a", backend="numpy")(A, 6), rtol=1e-12)


# -- where pointers go -------------------------------------------------------------------------------------------------

TEXT = """
  %p = call ptr @ccc_next(ptr %arena, i64 64)
  %q = call ptr @ccc_alloc(ptr %arena, i64 64)
  %r = call ptr @ccc_next(ptr %arena, i64 64)
  %s = getelementptr inbounds i64, ptr %q, i64 2
  store ptr %p, ptr %s
  store ptr %q, ptr %v7
  %at = getelementptr inbounds i64, ptr %outside, i64 %k
""".splitlines()[1:]
CALL = "  %e = call i32 @f2(ptr %arena, ptr %v9, ptr %p)"


def given_out(*lines: str) -> list[int]:
    """The requests of the text, by the line, that are given out."""
    flow = Flow(instructions([*TEXT, *lines]))
    found = flow.given_out([])
    return [n for n, memory in flow.requests.items() if memory.root() in found]


@pytest.mark.parametrize(("lines", "expected"), [
    ((), []),
    (("  store ptr %p, ptr %at",), [0]),
    (("  store ptr %r, ptr %at",), [2]),
    (("  store ptr %q, ptr %at",), [0, 1]),
    (("  %x = load ptr, ptr %v7", "  store ptr %x, ptr %at"), [0, 1]),
    (("  %x = load ptr, ptr %v7", "  %y = load ptr, ptr %x", "  store ptr %y, ptr %at"), [0]),
    (("  %x = select i1 %c, ptr %r, ptr %p", "  store ptr %x, ptr %at"), [0, 2]),
    (("  call void @llvm.memcpy.p0.p0.i64(ptr %at, ptr %q, i64 8, i1 false)",), [0]),
    (("  %x = getelementptr double, ptr %r, <8 x i64> %i",
      "  call void @llvm.masked.scatter.v8p0.v8p0(<8 x ptr> %x, <8 x ptr> %at, i32 8, <8 x i1> %m)"), [2]),
    ((CALL, "  %x = load ptr, ptr %v9", "  store ptr %x, ptr %at"), [0, 7]),
    ((CALL,), []),
])  # fmt: skip
def test_requests_that_are_given_out(lines: tuple[str, ...], expected: list[int]) -> None:
    assert given_out(*lines) == expected
