"""`backend="auto"` with `CCC_AUTO=estimate`: from which call on a program is machine code, and that this shows in
nothing but time and last digits. `test_native_measuring.py` has the rule of the clock."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import same
from test_corpus import PROGRAMS
from test_native_programs import close

import ccc
from benchmarks import generated
from ccc.compile.api import choice, measuring, wrapper
from ccc.compile.api.wrapper import Read
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.native import engine, native_target, target
from ccc.compile.native.native_target import NATIVE
from ccc.compile.passes.improve import improve
from ccc.compile.program.work import work
from ccc.compile.terms.plan import Plan, derived
from ccc.records import parts_of

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.optimised

VERBS = (ccc.compiled, ccc.gradient, ccc.value_with_gradient)


def code_of(g: Any) -> Any:
    """The only code of a transform."""
    ((code,),) = g.codes.values()
    return code.code if isinstance(code, Read) else code


def became_native(g: Any) -> bool:
    code = code_of(g)
    return code.waiting is None and not code.left_to


def power(x: float, n: int) -> float:
    for _ in range(n):
        x = x * 1.0001
    return x


def swings(x: Any, n: int) -> Any:
    y = 0.3
    for i in range(n):
        y = math.sin(x[i % 3] * y) * math.exp(-y * y) + 0.5
    return y


X = np.array([0.7, -0.2, 0.4])


@pytest.fixture(autouse=True)
def by_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(choice.RULE, "estimate")


@pytest.fixture
def at_third_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code as dear as two and a half calls."""
    monkeypatch.setattr(native_target, "LOWERING", 0.0)
    monkeypatch.setattr(native_target, "FIXED", 2.5e-3)
    monkeypatch.setattr(native_target, "LINE", 0.0)
    monkeypatch.setattr(choice, "SHORT", 0.0)
    monkeypatch.setattr(choice, "work", lambda *args: choice.Work(10, 10, 1e-3, 1, False))


@pytest.mark.share(9)
@pytest.mark.usefixtures("at_third_call")
@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(("f", "args"), PROGRAMS[::7], ids=[f.__name__ for f, _ in PROGRAMS[::7]])
def test_calls_are_those_of_one_backend_and_then_of_the_other(
    verb: Callable[..., Any], f: Callable[..., Any], args: tuple[Any, ...]
) -> None:
    g, first, then = verb(f), verb(f, backend="numpy")(*args), verb(f, backend="native")(*args)
    assert "native from call 3 on" in ccc.explain(g, *args).backend
    for k in range(6):
        assert same(g(*args), first if k < 2 else then) or code_of(g).left_to == target.LEAVES
    assert close(first, then) and (became_native(g) or code_of(g).left_to == target.LEAVES)


@pytest.mark.usefixtures("at_third_call")
def test_what_is_read_from_outside_and_names_of_arguments_change_nothing() -> None:
    factor = [2.0]

    def scaled(x: float, k: float = 1.0) -> float:
        return math.sin(x * k) * factor[0] * SCALE

    for verb in (ccc.compiled, partial(ccc.gradient, wrt="x"), partial(ccc.value_with_gradient, wrt="x")):
        g, other = verb(scaled), verb(scaled, backend="numpy")
        assert all(close(g(0.5, k=2.0), other(0.5, k=2.0)) for _ in range(5)) and became_native(g)
    value_with_pullback, value_with_differential = ccc.value_with_pullback(scaled), ccc.value_with_differential(scaled)
    for _ in range(5):
        value, pullback = value_with_pullback(0.5)
        again, differential = value_with_differential(0.5)
        assert value == pytest.approx(scaled(0.5)) == again and pullback(1.0) == pytest.approx(differential(1.0))
    assert became_native(value_with_pullback)


SCALE = 3.0


def test_a_call_as_long_as_making_is_machine_code_at_once() -> None:
    g = ccc.gradient(swings, wrt="x")
    assert np.all(np.isfinite(g(X, 100_000))) and became_native(g)
    assert ccc.explain(g, X, 100_000).backend == "native"


def test_the_call_is_known_at_the_first_one() -> None:
    said = ccc.explain(ccc.gradient(swings, wrt="x"), X, 400).backend
    expected = ccc.gradient(swings, wrt="x", backend="numpy")(X, 400)
    found = []
    for _ in range(2):
        wrapper.forget()
        g, calls = ccc.gradient(swings, wrt="x"), 0
        while not calls or code_of(g).waiting is not None:
            calls += 1
            assert calls < 2000 and close(expected, g(X, 400))
        found.append(calls)
    assert found[0] == found[1] > 5 and said == f"numpy, and native from call {found[0]:,} on"


def test_larger_arguments_are_looked_at_anew() -> None:
    g = ccc.gradient(swings, wrt="x")
    for _ in range(5):
        g(X, 10)
    assert code_of(g).waiting is not None
    g(X, 100_000)
    assert became_native(g)


def test_calls_on_smaller_arguments_count_as_the_first() -> None:
    waiting = choice.Waiting(NATIVE, elaborate(swings, [X, 1000]).program, False, [X, 1000])
    before = waiting.count
    for _ in range(3):
        assert not waiting.over([X, 10])
    assert before - waiting.calls.__length_hint__() == 3 and waiting.over([X, 5000])
    assert waiting.settle([X, 5000]) is None and 0 < waiting.count < before


@pytest.mark.usefixtures("at_third_call")
def test_no_clock_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def read() -> float:
        raise AssertionError("a clock was read")

    monkeypatch.setattr(measuring, "clock", read)
    g = ccc.gradient(swings, wrt="x")
    assert len([g(X, 20) for _ in range(6)]) == 6 and became_native(g) and code_of(g).measured is None


@pytest.mark.usefixtures("at_third_call")
def test_threads_make_machine_code_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    linked = target.linked
    monkeypatch.setattr(target, "linked", lambda found, name, *rest, **more: made.append(name) or linked(
        found, name, *rest, **more))
    g, expected = ccc.gradient(swings, wrt="x"), ccc.gradient(swings, wrt="x", backend="numpy")(X, 50)
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.extend([g(X, 50) for _ in range(4)])) for _ in range(32)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(made) == 1 and became_native(g) and len(found) == 128 and all(close(expected, y) for y in found)


# -- what stays with NumPy -----------------------------------------------------------------------------------------


def product(a: np.ndarray, b: np.ndarray) -> Any:
    return np.sum(np.tanh(a @ b))


def stays(g: Any, *args: Any) -> str:
    """Why a transform is never machine code at these arguments."""
    expected = g(*args)
    reason = code_of(g).left_to
    assert code_of(g).waiting is None and same(g(*args), expected)
    assert ccc.explain(g, *args).backend == f"numpy: {reason}"
    return reason


def test_large_products_stay_with_numpy() -> None:
    a = np.full((200, 200), 0.01)
    assert "products of large matrices" in stays(ccc.gradient(product), a, a)
    wrapper.forget()
    g = ccc.gradient(product)
    g(a[:3, :3], a[:3, :3])
    assert code_of(g).waiting is not None


@pytest.mark.parametrize(("f", "size", "why"), [
    (np.sort, 1000, "sorts"), (lambda x: np.median(x) * x, 1000, "sorts"), (np.roll, 100_000, "copies"),
    (lambda x: np.tile(np.flip(x), 3), 100_000, "copies"), (lambda x: np.max(x), 100_000, "copies"),
    (lambda x: np.linalg.inv(np.outer(x, x) + np.eye(len(x))), 5000, "products"),
    (np.sort, 10, ""), (lambda x: np.sum(np.tanh(np.roll(x, 1)) * x), 100_000, ""), (lambda x: np.max(x * x), 50, ""),
])  # fmt: skip
def test_what_numpy_does_as_well_stays_with_numpy(f: Callable[..., Any], size: int, why: str) -> None:
    args = [np.linspace(0.1, 0.9, size), *[1] * (f is np.roll)]
    program = elaborate(lambda *xs: f(*xs), args).program
    reason = choice.Waiting(NATIVE, program, False, args).reason
    assert why in reason and bool(why) == bool(reason)


def test_what_is_as_short_as_a_call_stays_with_numpy() -> None:
    assert "as short as its call" in stays(ccc.gradient(lambda x, y: x * y), 2.0, 3.0)


@pytest.mark.usefixtures("at_third_call")
def test_what_native_code_does_not_take_stays_with_numpy() -> None:
    def says(x: float) -> float:
        print({"x": x, "list": [x, None]})
        return x * x

    g = ccc.gradient(says)
    assert [g(2.0) for _ in range(5)] == [4.0] * 5
    why = f"native code does not take `show` at line {says.__code__.co_firstlineno + 1}"
    assert code_of(g).left_to == why
    assert ccc.explain(g, 2.0).backend == f"numpy: {why}"


@pytest.mark.usefixtures("at_third_call")
def test_what_takes_too_long_to_make_stays_with_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "LONGEST", 1e-3)
    g = ccc.gradient(swings, wrt="x")
    assert len({repr(g(X, 20)) for _ in range(5)}) == 1
    assert "too long to make" in code_of(g).left_to and "too long to make" in ccc.explain(g, X, 20).backend


def test_a_program_that_is_too_long_is_not_kept(tmp_path: Path) -> None:
    f = generated.load(generated.source("scalar", 2500), tmp_path)
    g = ccc.gradient(f)
    g(0.7, 0.4)
    assert "too long to make" in code_of(g).left_to and code_of(g).waiting is None


@pytest.mark.usefixtures("at_third_call")
def test_without_llvm_all_is_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    for asked in (engine, native_target):
        monkeypatch.setattr(asked, "installed", lambda: False)
    g = ccc.gradient(swings, wrt="x")
    assert len({repr(g(X, 20)) for _ in range(5)}) == 1 and "pip install llvmlite" in code_of(g).left_to


@pytest.mark.usefixtures("at_third_call")
def test_what_llvm_does_not_take_stays_with_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("no such instruction")

    monkeypatch.setattr(target, "linked", broken)
    g = ccc.gradient(swings, wrt="x")
    assert len({repr(g(X, 20)) for _ in range(5)}) == 1 and "no such instruction" in code_of(g).left_to


def grown(x: float) -> float:
    k = 1
    while k < 100:
        k = k * 3 + 1
    return x * (k * k * k * k * k * k * k * k * k * k * k)


@pytest.mark.usefixtures("at_third_call")
def test_code_that_leaves_its_first_call_is_not_called_again() -> None:
    g = ccc.gradient(grown)
    expected = ccc.gradient(grown, backend="numpy")(2.0)
    assert [g(2.0) for _ in range(6)] == [expected] * 6 and code_of(g).left_to == target.LEAVES
    p = ccc.value_with_pullback(grown)
    assert [p(2.0)[1](1.0) for _ in range(6)] == [expected] * 6 and code_of(p).left_to == target.LEAVES
    h = ccc.gradient(lambda x, i: x[i] * x[i])
    x = np.arange(3.0)
    for _ in range(5):
        with pytest.raises(IndexError):
            h(x, 3)  # that it ends with an error says nothing
    assert np.array_equal(h(x, 1)[0], [0.0, 2.0, 0.0]) and became_native(h)


# -- estimates -----------------------------------------------------------------------------------------------------


def test_estimates_grow_with_the_program_and_its_arguments() -> None:
    def of_matrix(a: np.ndarray) -> Any:
        s = 0.0
        for i in range(a.shape[0]):
            for j in range(len(a)):
                s += math.sin(a[i, j])
        return s

    program = elaborate(of_matrix, [np.ones((2, 2))]).program
    few, many = work(program, [np.ones((10, 5))]), work(program, [np.ones((20, 5))])
    assert 3.5 < many.steps / few.steps < 4.5 and many.loops == few.loops == 2 and not many.unbounded
    assert 3.5 < many.seconds / few.seconds < 4.5
    assert native_target.making(2000) > native_target.making(1000) > 0


def test_how_large_arguments_are() -> None:
    assert choice.size([np.ones((2, 3)), 4, 2.5, [1.0, 2.0], (np.ones(2), "text"), None, True]) == 15
    assert parts_of(2.0) is None


def module(kind: str, statements: int, folder: Path) -> Any:
    """The native code of the gradient of a straight program."""
    f = generated.load(generated.source(kind, statements), folder)
    args = (0.7, 0.4) if kind == "scalar" else (np.linspace(0.1, 0.9, 5), np.linspace(0.5, 0.2, 5))
    plan = Plan("gradient", (0, 1), ccc.Delta())
    program = derived(plan, elaborate(f, args).program)
    improve(program)
    return target.lowered(program)


@pytest.mark.share(2)
@pytest.mark.parametrize("kind", ["scalar", "array"])
def test_native_code_is_linear_in_the_program(kind: str, tmp_path: Path) -> None:
    lines = [module(kind, n, tmp_path).text.count("\n") for n in (100, 200, 400)]
    assert (lines[2] - lines[1]) < 2.3 * (lines[1] - lines[0])
    per_statement = (lines[2] - lines[1]) / 200
    assert native_target.making(lines[2] + int(600 * per_statement)) < choice.LONGEST  # 1,000 statements


def test_the_work_of_a_loop_that_carries_a_literal_is_estimated():
    def f(x: float, v: np.ndarray) -> float:
        q = (max(2, v[0]) + sum([v * i for i in range(3)])) / 2.0  # noqa: F841 - it has the sizes of an array behind
        return x

    assert ccc.gradient(f, backend="auto")(1.5, np.array([0.5, 2.0]))[0] == 1.0
