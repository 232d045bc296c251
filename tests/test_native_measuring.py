"""`backend="auto"`, the default: the faster of the two targets is kept, as a clock says that these tests wind."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from paced_targets import NUMPY, Clock, Paced, begun
from test_native_programs import close

import ccc
from ccc.compile.api import measuring
from ccc.compile.api.kept import Code
from ccc.compile.api.measuring import CERTAIN, CLOSE, FEW, LONG, MORE, SPARE, Samples, Trial
from ccc.compile.api.wrapper import Read
from ccc.compile.frontend.elaborate import program_of
from ccc.compile.program.deep import LOCK
from ccc.compile.program.target import NotTaken

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.optimised

X = np.array([0.7, -0.2, 0.4])


@pytest.fixture
def paced(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Clock, Paced]]:
    """Let calls take so long by NumPy and by machine code, and making so long."""
    return partial(begun, monkeypatch)


def code_of(g: Any) -> Code:
    """The only code of a transform."""
    ((code,),) = g.codes.values()
    return code.code if isinstance(code, Read) else code


def kept(g: Any) -> str:
    """The target that computes calls, if it is decided."""
    code = code_of(g)
    assert code.measured is not None
    return code.measured.told(()).partition(":")[0]


def swings(x: Any, n: int) -> Any:
    y = 0.3
    for i in range(n):
        y = math.sin(x[i % 3] * y) * math.exp(-y * y) + 0.5
    return y


def smooth(x: Any) -> Any:
    return np.sum(np.tanh(x * x) * x)


def product(a: Any) -> Any:
    return np.sum(np.tanh(a @ a))


# -- which one is kept ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("by_numpy", "native", "faster"), [
    (2e-3, 1e-3, "native"), (1e-3, 2e-3, NUMPY), (2e-6, 1e-6, "native"), (1e-6, 2e-6, NUMPY), (0.2, 0.15, "native"),
    (0.15, 0.2, NUMPY), (9.0, 2.0, "native"), (2.0, 9.0, NUMPY),
])  # fmt: skip
def test_the_faster_is_kept_and_each_call_is_run_once(paced: Any, by_numpy: float, native: float, faster: str) -> None:
    clock, target = paced(by_numpy, native, price=20e-6 if by_numpy < 1e-3 else 0.01)
    g, expected = ccc.gradient(smooth), ccc.gradient(smooth, backend=NUMPY)(X)
    clock.calls.clear()
    before = 0
    for k in range(1, 60):
        assert close(expected, g(X)) and clock.calls.total() == k
        before = before or k * (kept(g) != "")
    assert kept(g) == faster and target.made == 1 and clock.calls[faster] > 40
    assert clock.calls[{NUMPY: "native", "native": NUMPY}[faster]] <= max(MORE, 1 + math.ceil(target.price / by_numpy))
    assert before <= 4 if by_numpy > LONG else before <= 2 * MORE + 1 + math.ceil(target.price / by_numpy)


def test_the_first_call_is_of_numpy_and_machine_code_waits_until_calls_have_taken_as_long(paced: Any) -> None:
    clock, target = paced(1e-3, 1e-4, price=7.5e-3)
    g = ccc.gradient(smooth)
    for k in range(1, 10):
        g(X)
        assert clock.calls == {NUMPY: k} and not target.made
    g(X)  # the first call is longer than others, and does not count
    assert clock.calls == {NUMPY: 9, "native": 1} and target.made == 1


@pytest.mark.share(2)
@pytest.mark.parametrize("outlier", range(16))
@pytest.mark.parametrize(("by_numpy", "native", "faster"), [(2e-3, 1e-3, "native"), (2e-6, 3e-6, NUMPY)])
def test_one_call_that_was_held_up_does_not_count(
    paced: Any, outlier: int, by_numpy: float, native: float, faster: str
) -> None:
    for name in (NUMPY, "native"):
        clock, _ = paced(by_numpy, native, price=4 * by_numpy, single={(name, outlier): 0.3})
        ccc.compile.api.wrapper.forget()
        g = ccc.gradient(smooth)
        for _ in range(40):
            g(X)
        assert kept(g) == faster and clock.calls[faster] > 20


def test_once_settled_no_clock_is_read_and_machine_code_is_called_directly(paced: Any) -> None:
    for native, faster in ((1e-3, "native"), (4e-3, NUMPY)):
        clock, _ = paced(2e-3, native)
        ccc.compile.api.wrapper.forget()
        g = ccc.gradient(smooth)
        for _ in range(30):
            g(X)
        read = clock.read
        for _ in range(5):
            g(X)
        assert clock.read == read and kept(g) == faster
        assert (code_of(g).waiting is None) == (faster == "native")


def test_machine_code_that_looks_at_its_arguments_itself_is_kept_where_a_microsecond_would_decide(paced: Any) -> None:
    for exact, faster in ((True, "native"), (False, NUMPY)):
        paced(1e-6, 1.5e-6, price=1e-5, exact=exact)
        ccc.compile.api.wrapper.forget()
        g = ccc.gradient(smooth)
        for _ in range(40):
            assert close(g(X), ccc.gradient(smooth, backend="native")(X))
        assert kept(g) == faster
        assert ("and a longer way to it" in ccc.explain(g, X).backend) == exact
        assert (type(g.__call__).__name__ == "builtin_function_or_method") == exact  # type: ignore[operator]


def test_a_call_that_would_take_far_longer_than_making_is_machine_code_at_once(paced: Any) -> None:
    clock, _ = paced(2.0, 1e-3, price=1e-3)
    g, expected = ccc.gradient(swings, wrt="x"), ccc.gradient(swings, wrt="x", backend=NUMPY)(X, 100_000)
    clock.calls.clear()
    assert all([close(expected, g(X, 100_000)) for _ in range(20)])
    assert clock.calls == {"native": 20} and "as estimated" in ccc.explain(g, X, 100_000).backend
    clock, _ = paced(1e-3, 0.5, price=1e-3)  # the estimate was wrong: NumPy is tried when that cannot take long
    ccc.compile.api.wrapper.forget()
    g = ccc.gradient(swings, wrt="x")
    for _ in range(20):
        g(X, 100_000)
    assert clock.calls[NUMPY] > 10 and kept(g) == NUMPY


# -- sizes ---------------------------------------------------------------------------------------------------------


def test_larger_arguments_are_tried_anew_where_libraries_compute(paced: Any) -> None:
    clock, target = paced(2e-4, 1e-4, price=1e-3)
    g = ccc.gradient(product)
    small, large = np.full((3, 3), 0.1), np.full((40, 40), 0.01)
    for _ in range(40):
        g(small)
    assert kept(g) == "native"
    clock.seconds |= {NUMPY: 3e-3, "native": 6e-3}
    for _ in range(60):
        g(large)
    assert ccc.explain(g, large).backend.startswith("numpy: 3 ms a call, native 6 ms")
    assert ccc.explain(g, small).backend.startswith("native: 100 µs a call, numpy 200 µs")
    clock.calls.clear()
    for x, faster in ((small, "native"), (large, NUMPY), (small, "native")):
        g(x)
        assert clock.calls.pop(faster) == 1 and not clock.calls.total()
    assert target.made == 1


def test_what_is_far_slower_is_tried_at_larger_arguments_only_when_that_takes_little(paced: Any) -> None:
    clock, _ = paced(1e-1, 1e-3, price=1e-3)
    g = ccc.gradient(product)
    for _ in range(30):
        g(np.full((3, 3), 0.1))
    assert kept(g) == "native"
    clock.seconds |= {NUMPY: 10.0, "native": 0.1}
    clock.calls.clear()
    while not clock.calls[NUMPY]:
        g(np.full((40, 40), 0.01))
    assert clock.calls["native"] == pytest.approx(SPARE * 100, abs=2)


def test_what_uses_no_library_is_settled_for_all_sizes(paced: Any) -> None:
    clock, _ = paced(2e-3, 1e-3)
    g = ccc.gradient(smooth)
    for _ in range(30):
        g(X)
    clock.calls.clear()
    for n in (1, 10, 10_000):
        g(np.linspace(0.1, 0.9, n))
    assert clock.calls[NUMPY] <= 1  # one item is another type, with code of its own


def test_figures() -> None:
    samples = Samples()
    for seconds in (9.0, 1.0, 2.0, 3.0):
        samples.add(seconds)
    assert samples.seconds == 2.0 and samples.enough() and samples.spent == 15.0
    cold = Samples()
    for seconds in (LONG / 2, LONG / 4):
        cold.add(seconds)
    assert cold.spent == LONG / 4
    for n, seconds in ((FEW, 5e-3), (MORE, 1e-6), (1, LONG)):
        samples = Samples()
        for k in range(n):
            assert not samples.enough(), k
            samples.add(seconds)
        assert samples.enough()
    trial = Trial((NUMPY, "native"))
    for name, seconds in ((NUMPY, CERTAIN / 2), ("native", CERTAIN / 4)):
        assert trial.due() == name
        trial.of[name].add(seconds)
    assert trial.due() == NUMPY  # it may have been held up
    trial.of[NUMPY].add(CERTAIN / 8)
    assert trial.due() == "native"
    trial.of["native"].add(CERTAIN / 4)
    assert trial.due() is None and trial.faster() == NUMPY


def test_a_long_first_call_that_lost_by_little_is_repeated() -> None:
    """The system gives it its memory, which later calls find again."""
    for times, again in ((1.5, True), (CLOSE + 0.5, False)):
        trial = Trial((NUMPY, "native"))
        trial.of[NUMPY].add(2.0 * CERTAIN)
        trial.of["native"].add(times * 2.0 * CERTAIN)
        assert trial.due() == ("native" if again else None)
    trial = Trial((NUMPY, "native"))
    trial.of[NUMPY].add(2.0 * CERTAIN)
    for seconds in (3.0 * CERTAIN, CERTAIN / 2):
        assert trial.due() == "native"
        trial.of["native"].add(seconds)
    assert trial.due() is None and trial.faster() == "native"


def test_ranks_of_sizes() -> None:
    sizes = [0, 1, 5, 100, 4**9 - 1, 4**9]
    assert [measuring.rank(n) for n in sizes] == [0, 1, 2, 4, 9, 10]
    assert all(n <= measuring.largest(measuring.rank(n)) < 4 * max(n, 1) for n in sizes)


# -- pullbacks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("faster", [NUMPY, "native"])
def test_what_pullbacks_take_counts_and_those_that_were_kept_stay_right(paced: Any, faster: str) -> None:
    slow = {NUMPY: 1e-3, "native": 1e-3} | {"native" if faster == NUMPY else NUMPY: 5e-3}
    forward = {NUMPY: 1.5e-3, "native": 1e-3} if faster == NUMPY else {NUMPY: 1e-3, "native": 1.5e-3}
    clock, _ = paced(forward[NUMPY], forward["native"], pulls=slow)
    g, expected = ccc.value_with_pullback(smooth), ccc.gradient(smooth, backend="native")(X)
    found = []
    for _ in range(40):
        value, pullback = g(X)
        assert value == pytest.approx(smooth(X)) and close(expected, pullback(1.0))
        found.append(pullback)
    assert kept(g) == faster and clock.calls[NUMPY] >= 2 and clock.calls["native"] >= 2
    assert all(close(2.0 * expected, pullback(2.0)) for pullback in found)


# -- verbs, arguments ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("native", [1e-3, 4e-3])
def test_values_are_those_of_numpy_through_all_calls(paced: Any, native: float) -> None:
    factor = [2.0]

    def scaled(x: Any, k: float = 1.0) -> Any:
        return np.sum(np.sin(x * k) * x) * factor[0]

    paced(2e-3, native)
    hessian, by_numpy = ccc.hessian(scaled), ccc.hessian(scaled, backend=NUMPY)
    assert all([close(by_numpy(X), hessian(X)) for _ in range(40)])
    for verb in (ccc.gradient, ccc.value_with_gradient, ccc.compiled):
        g, other = verb(scaled), verb(scaled, backend=NUMPY)
        for k in range(60):
            factor[0] = 2.0 + k % 3
            x = np.linspace(0.1, 0.9, 3 + k % 4)
            assert close(other(x), g(x)) and close(other(x, k=2.0), g(x, k=2.0))
    jvp, expected = ccc.value_with_differential(scaled), ccc.value_with_differential(scaled, backend=NUMPY)
    for _ in range(40):
        (value, differential), (again, by_numpy) = jvp(X), expected(X)
        assert value == pytest.approx(again) and differential(X) == pytest.approx(by_numpy(X))


def test_shapes_of_another_type_and_functions_made_anew_find_the_right_code(paced: Any) -> None:
    paced(2e-3, 1e-3)
    for k in range(40):
        scale = 1.0 + k

        def f(x: Any, scale: float = scale) -> Any:
            return np.sum(x * x) * scale

        assert close(ccc.gradient(f)(X), 2.0 * X * scale)
        assert close(ccc.gradient(lambda x: np.sum(x * x) * scale)(np.outer(X, X)), 2.0 * np.outer(X, X) * scale)  # noqa: B023


# -- what machine code does not do ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("broken", "reason"), [
    (NotTaken("`show`"), "native code does not take `show`"),
    (RuntimeError("no such instruction"), "LLVM does not take it: no such instruction"),
])  # fmt: skip
def test_what_is_not_taken_stays_with_numpy(paced: Any, broken: Exception, reason: str) -> None:
    clock, target = paced(1e-2, 1e-3)
    target.broken = broken
    g = ccc.gradient(smooth)
    assert len({repr(g(X)) for _ in range(10)}) == 1 and clock.calls == {NUMPY: 10}
    assert code_of(g).left_to == reason and code_of(g).waiting is None
    assert ccc.explain(g, X).backend == f"numpy: {reason}"


def test_what_breaks_while_it_is_made_is_told_once(paced: Any) -> None:
    clock, target = paced(1e-2, 1e-3)
    target.broken = KeyboardInterrupt()
    g = ccc.gradient(smooth)
    g(X)
    g(X)
    with pytest.raises(KeyboardInterrupt):
        g(X)
    assert all([close(g(X), ccc.gradient(smooth, backend="native")(X)) for _ in range(5)])
    assert code_of(g).left_to == "an error while it was made" and clock.calls == {NUMPY: 7}


def grown(x: float) -> float:
    k = 1
    while k < 100:
        k = k * 3 + 1
    return x * (k * k * k * k * k * k * k * k * k * k * k * k)


def test_code_that_leaves_its_first_call_is_not_called_again(paced: Any) -> None:
    clock, _ = paced(1e-2, 1e-3)
    expected = ccc.gradient(grown, backend=NUMPY)(2.0)
    clock.calls.clear()
    g = ccc.gradient(grown)
    assert [g(2.0) for _ in range(10)] == [expected] * 10
    assert "leaves its first call" in code_of(g).left_to and clock.calls["native"] == 1


def test_errors_are_those_of_python_whoever_computes_and_count_for_nothing(paced: Any) -> None:
    paced(2e-3, 1e-3)
    g, x = ccc.gradient(lambda x, i: x[i] * x[i]), np.arange(3.0)
    for _ in range(40):
        with pytest.raises(IndexError):
            g(x, 3)
        assert np.array_equal(g(x, 1)[0], [0.0, 2.0, 0.0])
    assert kept(g) == "native"


# -- threads -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("native", [1e-3, 8e-3])
def test_threads_get_right_results_and_make_machine_code_once(paced: Any, native: float) -> None:
    _, target = paced(4e-3, native)
    g, expected = ccc.gradient(swings, wrt="x"), ccc.gradient(swings, wrt="x", backend=NUMPY)(X, 50)
    found: list[Any] = []
    failed: list[BaseException] = []

    def calls() -> None:
        try:
            found.extend([g(X, 50) for _ in range(25)])
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=calls) for _ in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed and len(found) == 400 and all(close(expected, y) for y in found)
    assert target.made == 1 and kept(g) in (NUMPY, "native")


def test_no_call_waits_for_machine_code_that_another_thread_makes(paced: Any) -> None:
    clock, _ = paced(1e-2, 1e-3)
    g = ccc.gradient(smooth)
    g(X)
    with LOCK:
        other = threading.Thread(target=lambda: [g(X) for _ in range(5)])
        other.start()
        other.join(20.0)
        assert not other.is_alive() and clock.calls == {NUMPY: 6}
    g(X)
    assert clock.calls["native"] == 1


# -- explanations --------------------------------------------------------------------------------------------------


def test_explain_says_what_is_kept_and_both_figures(paced: Any) -> None:
    paced(2e-3, 1.25e-3)
    g = ccc.gradient(smooth)
    plan = "numpy, and native when calls have taken 10 ms in all; the faster is kept"
    assert ccc.explain(g, X).backend == plan == ccc.explain(smooth, X).backend
    for _ in range(30):
        g(X)
    said = "native: 1.25 ms a call, numpy 2 ms"
    assert ccc.explain(g, X).backend == said == ccc.explain(smooth, X).backend
    paced(1e-3, 2e-3)
    ccc.compile.api.wrapper.forget()
    for _ in range(30):
        g(X)
    assert ccc.explain(g, X).backend == "numpy: 1 ms a call, native 2 ms" == code_of(g).left_to


def test_a_measured_program_is_what_it_was(paced: Any) -> None:
    clock, target = paced(2e-3, 1e-3)
    program = program_of(smooth, (X,))
    found = measuring.Measuring(target, program, False, [X], clock.paced(NUMPY, smooth))  # type: ignore[arg-type]
    assert all([found(X) == pytest.approx(smooth(X)) for _ in range(20)])
    assert found.final is not None and found.program is None and clock.calls.total() == 20
