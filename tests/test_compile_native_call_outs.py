"""Calls that machine code leaves to NumPy, each for itself: values, derivatives, errors, memory; and programs of which
machine code is made to take but a part, against the NumPy target."""

from __future__ import annotations

import functools
import math
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from random_arrays import array_program
from random_loops import loop_program
from random_programs import Program, program
from random_targets import TAKEN, outcome, pulled_back, valued
from test_native_programs import close

import ccc
from ccc.compile.api.choice import BOXED, declined
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.native import calls_out, module
from ccc.compile.native.layout import NotNative
from ccc.compile.native.table import TABLE, entry
from ccc.compile.program.lam import Apply, Let
from ccc.compile.program.work import Work
from ccc.primitives.registry import BY_NAME

pytest.importorskip("llvmlite")

COUNT, MANY, CHUNK, FIRST = 2, 2000, 50, 700_000
SHARES = (0.05, 0.1, 0.3, 0.6, 1.0)


@pytest.fixture
def gone(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often functions were written that call a primitive in Python, by its name."""
    found: Counter[str] = Counter()
    written = calls_out.CallsOut.function

    def noted(self: Any, name: str, let: Let, given: Any) -> None:
        assert isinstance(let.op, Apply)
        found[let.op.primitive.name] += 1
        written(self, name, let, given)

    monkeypatch.setattr(calls_out.CallsOut, "function", noted)
    return found


def agrees(f: Callable[..., Any], *args: Any, wrt: Any = 0) -> None:
    """Value and derivatives in machine code are those of the NumPy target, and machine code has computed them."""
    for verb in (ccc.compiled, functools.partial(ccc.value_with_gradient, wrt=wrt)):
        native, numpy = [verb(f, backend=backend) for backend in ("native", "numpy")]
        for _ in range(2):
            assert close(numpy(*args), native(*args)), (numpy(*args), native(*args))
        codes = [code for codes in native.codes.values() for code in codes]
        assert codes and not any(code.left_to for code in codes), [code.left_to for code in codes]
        kernels = [code.call.kernel for code in codes if getattr(code.call, "kernel", None)]
        assert all(kernel(*args) is not NotImplemented for kernel in kernels), "left when it ran"
    for exponential in (ccc.Delta(), ccc.AdditiveMap()):
        native, numpy = [ccc.value_with_pullback(f, exponential=exponential, backend=backend)
                         for backend in ("native", "numpy")]  # fmt: skip
        assert close(numpy(*args)[1](1.0), native(*args)[1](1.0))


def vector(n: int = 5) -> np.ndarray:
    return np.random.default_rng(n).normal(size=n)


# -- programs ------------------------------------------------------------------------------------------------------


def in_a_loop(x: np.ndarray, n: int) -> Any:
    s = 0.0
    for i in range(n):
        y = np.sort(np.outer(x, x * i), axis=None)
        s = s + np.sum(y[1:] * y[:-1]) + math.gcd(i, 12)
    return s


def in_a_branch(x: np.ndarray, n: int) -> Any:
    y = np.sin(x)
    s = np.sum(y)
    if n > 2:
        s = s - np.var(y, ddof=0.5) * x[0]
    return s * n


def in_a_while(x: np.ndarray, n: int) -> Any:
    s, k = 1.0, 0
    while s < 100.0 and k < n:
        s = s + np.var(x * s, ddof=0.5)
        k = k + 1
    return s


def in_a_function(x: np.ndarray, n: int) -> Any:
    def down(y: np.ndarray, k: int) -> Any:
        return np.var(y, ddof=0.5) if k == 0 else np.sum(y) + down(y * 0.5, k - 1)

    return down(x, n)


def of_lists(x: np.ndarray, n: int) -> Any:
    ys = [np.var(x * k, ddof=0.5) for k in range(1, n + 2)]
    return sum(ys) + np.sum(np.array(ys))


@pytest.mark.share(4)
@pytest.mark.parametrize("f", [in_a_loop, in_a_branch, in_a_while, in_a_function, of_lists])
def test_calls_out_in_programs(f: Callable[..., Any]) -> None:
    for n in (0, 1, 4):
        agrees(f, vector(), n)


def test_a_call_out_is_the_bits_of_numpy(gone: Counter[str]) -> None:
    def f(x: np.ndarray) -> Any:
        return np.var(x, ddof=0.5)

    for n in (2, 7, 1000):
        assert ccc.compiled(f, backend="native")(vector(n)) == f(vector(n))
    assert gone == {"np.var": 2}  # where the size of the first call is a constant, and where none is


@pytest.mark.parametrize("kind", ["strided", "fortran", "read-only", "backwards"])
def test_arrays_that_lie_otherwise(kind: str) -> None:
    a = np.random.default_rng(1).normal(size=(4, 6))
    given = {"strided": a[::2, ::3], "fortran": np.asfortranarray(a), "read-only": a, "backwards": a[::-1, ::-1]}[kind]
    given.flags.writeable = False

    def f(m: np.ndarray) -> Any:
        return np.sum(np.sort(m, axis=None)[:3]) + np.var(m, ddof=0.5) * m[0, 0]

    agrees(f, given)


# -- aliasing ------------------------------------------------------------------------------------------------------


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[Any], bool]], None]]:
    """Let primitives have no machine code."""
    takes = module.Module.takes

    def without(leaves: Callable[[Any], bool]) -> None:
        def taken(self: Any, op: Apply) -> bool:
            return takes(self, op) and (bool(entry(op.primitive).facts.ends) or not leaves(op.primitive))

        monkeypatch.setattr(module.Module, "takes", taken)

    yield without


VIEWS = {"np.transpose", "np.ravel", "own", "np.asarray", "index"}


def test_a_call_is_refused_once_for_all_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    refused, refuse = list[str](), calls_out.CallsOut.refuse

    def noted(self: Any, let: Let, reason: str) -> None:
        refused.append(reason)
        refuse(self, let, reason)

    def f(x: np.ndarray) -> Any:
        return np.var(x, ddof=0.5) + np.var(x * x, ddof=0.5)

    monkeypatch.setattr(calls_out.CallsOut, "refuse", noted)
    compiled = ccc.compiled(f, backend="native")
    for n in (2, 7, 1000):
        assert compiled(vector(n)) == f(vector(n))
    assert refused == ["a variance with this correction"]


def test_a_result_that_is_a_view_of_its_argument(missing: Any, gone: Counter[str]) -> None:
    def f(m: np.ndarray) -> Any:
        t, flat = m.T, np.ravel(m)
        s = np.sum(t[0] * flat[:3])
        n = m.copy()
        r = np.asarray(n)
        n[0, 0] = 5.0
        n[1] *= 2.0
        return s + np.sum(n * n) + np.sum(n[1:].T) + r[0, 0]

    missing(lambda p: p.name in VIEWS)
    a = np.arange(9.0).reshape(3, 3) + 0.5
    before = a.copy()
    agrees(f, a)
    assert np.array_equal(a, before) and gone["np.transpose"] and gone["np.ravel"]


# -- errors --------------------------------------------------------------------------------------------------------


def failing(x: np.ndarray, i: int, n: int) -> Any:
    s = 0.0
    for _ in range(n):
        s = s + math.comb(i, 2) + np.var(x, ddof=0.5) + math.factorial(i)
    return s * x[i]


@pytest.mark.parametrize(("i", "n"), [(2, 2), (-1, 2), (-1, 0), (7, 2), (7, 0), (-9, 0)])
def test_errors_are_those_of_python(i: int, n: int) -> None:
    def ran(f: Callable[..., Any]) -> Any:
        try:
            return f(vector(), i, n)
        except Exception as error:
            return type(error), str(error)

    found = [ran(f) for f in (failing, *[ccc.compiled(failing, backend=b) for b in ("numpy", "native", "native")])]
    assert all(close(found[0], x) if isinstance(found[0], float) else found[0] == x for x in found), found


def test_an_error_comes_at_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: np.ndarray, i: int) -> Any:
        y = x[i + 3]
        return y * math.factorial(i)

    for i, kind in ((-2, ValueError), (9, IndexError), (-99, IndexError)):
        for g in (f, ccc.compiled(f, backend="native")):
            with pytest.raises(kind):
                g(vector(), i)


class Own(Exception):
    """An error of the user's."""


class Squares:
    """A function of the user's own that cannot be read, with a derivative; its calls are counted."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.count, self.seen = 0, list[Any]()

        def square(x: float) -> float:
            async def unread() -> None:
                """What is not read in a function."""

            self.count += 1
            self.seen.append(x)
            if error is not None and x > 2.0:
                raise error
            return x * x

        @ccc.derivative_of(square)
        def rule(x: float) -> Any:
            return square(x), lambda ct: 2.0 * ct * x

        def f(x: float, n: int) -> Any:
            s = 0.0
            for i in range(n):
                s = s + square(x + i) * math.sin(x)
            return s

        self.f = f


def test_own_functions_go_out(gone: Counter[str]) -> None:
    own = Squares()
    agrees(own.f, 0.5, 4)
    assert gone["square"]
    native = ccc.compiled(own.f, backend="native")
    native(0.5, 2)
    own.count = 0
    assert native(0.5, 3) == pytest.approx(sum((0.5 + i) ** 2 for i in range(3)) * math.sin(0.5)) and own.count == 3


@pytest.mark.parametrize("error", [Own("mine"), KeyboardInterrupt("stopped"), StopIteration(1)], ids=repr)
def test_errors_of_own_functions_go_to_the_caller_as_they_are(error: BaseException) -> None:
    own = Squares(error)
    native = ccc.compiled(own.f, backend="native")
    native(0.5, 2)
    assert not any(code.left_to for codes in native.codes.values() for code in codes)
    own.count = 0
    for _ in range(3):
        with pytest.raises(type(error)) as raised:
            native(0.5, 5)
        assert raised.value is error
    assert own.count == 9 and native(0.5, 1) == 0.25 * math.sin(0.5)


def test_an_interrupt_in_a_call_of_numpy_goes_to_the_caller() -> None:
    var, stopped, errors = BY_NAME["np.var"], KeyboardInterrupt(), list[BaseException]()
    value = var.value

    def interrupted(*args: Any, **options: Any) -> Any:
        if errors:
            raise errors.pop()
        return value(*args, **options)

    def f(x: np.ndarray) -> Any:
        return np.var(x, ddof=0.25) * np.sum(x)

    object.__setattr__(var, "value", interrupted)
    try:
        native = ccc.compiled(f, backend="native")
        expected = native(vector())
        errors.append(stopped)
        with pytest.raises(KeyboardInterrupt) as raised:
            native(vector())
        errors.append(ValueError("of this call alone"))
        assert raised.value is stopped and native(vector()) == pytest.approx(expected) and not errors
    finally:
        object.__setattr__(var, "value", value)
    assert native(vector()) == expected


# -- memory, locks -------------------------------------------------------------------------------------------------


def test_memory_of_calls_is_given_back() -> None:
    resource = pytest.importorskip("resource")

    def f(x: np.ndarray, n: int) -> Any:
        s = 0.0
        for i in range(n):
            y = np.sort(np.outer(x, x * i), axis=None)
            s = s + y[0] * y[-1] + np.var(y, ddof=0.5)
        return s

    native, x = ccc.value_with_gradient(f, backend="native"), vector(30)
    compiled = ccc.compiled(f, backend="native")
    run = lambda: (native(x, 4), compiled(x, 4))  # noqa: E731
    for _ in range(100):
        run()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(2500):
        run()
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert more < 4096, f"{more} KB"


def test_references_are_given_back() -> None:
    kept = Squares()
    native = ccc.compiled(kept.f, backend="native")
    native(0.5, 3)
    kept.seen.clear()
    native(0.5, 3)
    for _ in range(100):
        native(0.5, 3)
    assert len({sys.getrefcount(x) for x in kept.seen}) == 1


def test_what_a_call_keeps_stays_as_it_was() -> None:
    held: list[np.ndarray] = []

    def total(x: np.ndarray) -> float:
        async def unread() -> None:
            """What is not read in a function."""

        held.append(x)
        return float(np.sum(x))

    @ccc.derivative_of(total)
    def rule(x: np.ndarray) -> Any:
        return total(x), lambda ct: ct * np.ones_like(x)

    def f(x: np.ndarray, n: int) -> Any:
        s = 0.0
        for i in range(n):
            s = s + total(np.sin(x * i)) * i
        return s

    native, x = ccc.compiled(f, backend="native"), vector(1000)
    native(x, 2)
    held.clear()
    native(x, 50)
    native(x * 2.0, 50)
    assert len(held) == 100
    np.testing.assert_allclose(held[49], np.sin(x * 49), rtol=1e-13)
    np.testing.assert_allclose(held[1], np.sin(x), rtol=1e-13)


def test_threads_that_call_out_at_once() -> None:
    def f(x: np.ndarray, n: int) -> Any:  # large enough to release Python's lock
        s = 0.0
        for i in range(n):
            s = s + np.var(np.sin(x + i), ddof=0.5)
        return s

    native = ccc.compiled(f, backend="native")
    xs = [np.random.default_rng(k).normal(size=20_000) for k in range(4)]
    expected = [native(x, 20) for x in xs]
    found: list[Any] = [None] * 4

    def run(k: int) -> None:
        found[k] = [native(xs[k], 20) for _ in range(5)]

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[x] * 5 for x in expected]


@dataclass
class Model:
    """Weights that a call could take out of it."""

    w: np.ndarray
    at: np.ndarray


def test_what_a_call_changes_of_records_is_not_seen_in_the_middle() -> None:
    model = Model(vector(1000), np.arange(5))

    def spoil(x: float) -> float:
        async def unread() -> None:
            """What is not read in a function."""

        model.w, model.at = np.zeros(3), np.zeros(0, int)
        return x

    @ccc.derivative_of(spoil)
    def rule(x: float) -> Any:
        return spoil(x), lambda ct: ct

    def f(m: Model, x: float) -> Any:
        return np.sum(m.w[m.at]) + spoil(x) + np.sum(m.w)

    w, at = model.w, model.at
    native = ccc.compiled(f, backend="native")
    for _ in range(3):
        model.w, model.at = w.copy(), at.copy()
        assert native(model, 1.0) == pytest.approx(np.sum(w[at]) + 1.0 + np.sum(w))


# -- what is said, and what is chosen ------------------------------------------------------------------------------


def test_explain_says_which_calls_go_out_and_why() -> None:
    text = ccc.explain(ccc.compiled(in_a_branch, backend="native"), vector(), 3).backend
    first, *lines = text.splitlines()
    line = in_a_branch.__code__.co_firstlineno + 4
    assert first == "native" and lines[0] == "calls out to numpy:"
    assert lines[1:] == [f"  np.var at line {line}: a variance with this correction"]


def of_stacked_systems(a: Any, b: Any) -> Any:
    return np.sum(np.sin(np.linalg.solve(a, b)))


def test_calls_of_derivatives_name_the_line_that_they_are_the_derivative_of() -> None:
    rng = np.random.default_rng(0)
    line = of_stacked_systems.__code__.co_firstlineno + 1
    for shapes in (((3, 2, 2), (3, 2, 1)), ((3, 2, 2), (2,)), ((1, 2, 2), (4, 1, 2, 5)), ((3, 1, 1), (1,))):
        a, b = [rng.normal(size=shape) for shape in shapes]
        a += 3.0 * np.eye(a.shape[-1])
        found = ccc.gradient(of_stacked_systems, wrt=(0, 1), backend="native")
        da, db = found(a, b)
        da2, db2 = ccc.gradient(of_stacked_systems, wrt=(0, 1), backend="numpy")(a, b)
        np.testing.assert_allclose(da, da2, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(db, db2, rtol=1e-12, atol=1e-14)
        step = 1e-6 * np.cos(np.arange(a.size)).reshape(a.shape)
        moved = (of_stacked_systems(a + step, b) - of_stacked_systems(a - step, b)) / 2
        np.testing.assert_allclose(np.sum(da * step), moved, rtol=1e-5)
        lines = ccc.explain(found, a, b).backend.splitlines()
        assert lines[:2] == ["native", "calls out to numpy:"]
        why = "a decomposition of several matrices, or of what is none"
        places = f" at line {line}", f" in the derivative of line {line}"
        assert lines[2:] == [f"  np.linalg.solve{place}: {why}" for place in places]


def changing_places(x: Any) -> Any:
    a, b = x, np.ones(4)
    for _ in range(3):
        a, b = b * 2.0, a
    return np.sum(a) + np.sum(b)


def of_few_bits(x: Any) -> Any:
    y = x * 2.0
    return np.sum(y.astype(np.float16) * 2.0)


def test_what_leaves_a_whole_program_to_numpy_is_told_with_its_line_or_in_words() -> None:
    line = of_few_bits.__code__.co_firstlineno + 2
    for f, x, why in (
        (of_few_bits, vector(), f"arrays of float16 in the derivative of line {line}"),
        (changing_places, np.ones(4, np.float32),
         "an array of float64 of rank 1 that becomes an array of float32 of rank 1"),
    ):  # fmt: skip
        found = ccc.explain(ccc.gradient(f, backend="native"), x).backend
        assert found == f"numpy: native code does not take {why}"


def test_programs_of_calls_out_stay_with_numpy_under_auto() -> None:
    most = Work(10, 1000, 1e-3, 1, False, apart=0.6e-3, calls=10)
    few = Work(10, 1000, 1e-3, 1, False, apart=0.1e-3, calls=10)
    often = Work(10, 1000, 1e-3, 1, False, apart=0.1e-3, calls=int(1e-3 / BOXED))
    made = program(0)
    f = made.load()
    elaborated = elaborate(f, made.arguments(f, made.calls[0]))
    reasons = [declined(elaborated.program, work, []) for work in (most, few, often)]
    assert reasons == ["a program most of whose time goes into calls out to NumPy", "", reasons[0]]


def test_what_cannot_cross_is_left_to_numpy_whole() -> None:
    def f(x: np.ndarray) -> Any:
        return np.sum(x.astype(np.float16))

    native = ccc.compiled(f, backend="native")
    assert native(vector()) == f(vector())
    assert [code.left_to for codes in native.codes.values() for code in codes] == ["arrays of float16"]


# -- random programs -----------------------------------------------------------------------------------------------


def restricted(seed: int, made: Program, missing: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What becomes of a program in machine code that takes but some primitives, and of which some handlers refuse
    after they have written."""
    share = random.Random(seed).choice(SHARES)

    def leaves(p: Any) -> bool:
        return not p.effect and random.Random(f"{seed} {p.name}").random() < share

    def late(handler: Any, name: str) -> Any:
        def handled(m: Any, let: Let, *args: Any) -> Any:
            found = handler(m, let, *args)
            if calls_out.may_go_out(let) and random.Random(f"{name} {seed}").random() < share / 2:
                raise NotNative(f"`{name}`, seen late")
            return found

        return handled

    missing(leaves)
    for p, handler in HANDLED.items():
        monkeypatch.setattr(TABLE[p], "lower", late(handler, p.name))
    with np.errstate(all="ignore"):
        return [outcome(made, verb, "native") for verb in (valued, pulled_back)]


HANDLED = {p: each.lower for p, each in TABLE.items() if each.lower is not None}


@pytest.mark.share(3)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("make", [program, array_program, loop_program], ids=lambda make: make.__name__)
def test_random_programs_of_which_calls_go_out(
    make: Callable[[int], Program], missing: Any, monkeypatch: pytest.MonkeyPatch, gone: Counter[str]
) -> None:
    found = [x for seed in range(COUNT) for x in restricted(seed, make(seed), missing, monkeypatch)]
    assert found.count(TAKEN) > 0.4 * len(found) and gone.total() > 20, (Counter(found), gone)


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("make", [program, array_program, loop_program], ids=lambda make: make.__name__)
@pytest.mark.parametrize("chunk", range(MANY // CHUNK))
def test_many_random_programs_of_which_calls_go_out(
    chunk: int, make: Callable[[int], Program], missing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = FIRST + chunk * CHUNK
    for seed in range(first, first + CHUNK):
        restricted(seed, make(seed), missing, monkeypatch)
