"""Control at scale: code that does not grow with trip counts, a million steps of every kind of loop also when their
tapes are freed, and recursion as deep as plain Python's."""

from __future__ import annotations

import gc
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checks import value_of

import ccc
from ccc.compile.api.wrapper import Transform
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.numpy_source.numpy_target import emit
from ccc.compile.terms.plan import Plan, derived

MILLION = 1_000_000


def summed(x: float, n: int) -> float:
    for i in range(n):
        x = math.sin(x) + 1e-6 * i
    return x


def repeated(x: float, n: int) -> float:
    i = 0
    while i < n:
        x = x * 0.999 + 0.001 * math.sin(x)
        i += 1
    return x


def appended(x: float, n: int) -> float:
    ys = []
    for _ in range(n):
        x = x * 0.999 + 0.5 * math.cos(x)
        ys.append(x)
    return sum(ys)


def left(x: float, n: int) -> float:
    for _ in range(n):
        x = math.cos(x)
        if x < -2.0:
            return x * 2
    return x


def listed(x: float, n: int) -> float:
    return sum([math.sin(x * i) for i in range(n)])


def called(x: float, n: int) -> float:
    g = lambda t: math.sin(t) * x  # noqa: E731
    y = g(x)
    for _ in range(n):
        y = g(y)
    return y


LOOPS = [summed, repeated, appended, left, listed, called]


def second(f: Callable[..., Any]) -> Callable[..., Any]:
    return ccc.gradient(lambda x, n: ccc.gradient(f, wrt=0)(x, n), wrt=0)


def under_additive_map(f: Callable[..., Any]) -> Callable[..., Any]:
    return ccc.gradient(f, exponential=ccc.AdditiveMap())


def forward(f: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, n: ccc.value_with_differential(f)(x, n)[1](1.0, None)


def dropped(f: Callable[..., Any]) -> Callable[..., Any]:
    """The value, with a pullback that nobody calls."""
    return lambda x, n: ccc.value_with_pullback(f)(x, n)[0]


@pytest.mark.share(24)
@pytest.mark.parametrize("how", [ccc.gradient, under_additive_map, second, forward, dropped])
@pytest.mark.parametrize("f", LOOPS)
def test_a_million_steps(f: Callable[..., Any], how: Callable[..., Any]) -> None:
    found = how(f)(0.5, MILLION)
    if how is dropped:
        expected = f(0.5, MILLION)
        assert math.isclose(found, expected, rel_tol=1e-12)
        assert ccc.value_with_pullback(f, backend="numpy")(0.5, MILLION)[0] == expected
    del found
    gc.collect()


def test_a_pullback_over_a_million_steps_is_freed_and_right() -> None:
    value, pullback = ccc.value_with_pullback(repeated, backend="numpy")(0.5, MILLION)
    assert value == repeated(0.5, MILLION)
    assert pullback(1.0)[0] == ccc.gradient(repeated, backend="numpy")(0.5, MILLION)[0]
    del pullback
    gc.collect()


@pytest.mark.share(4)
@pytest.mark.parametrize("kind", ["value", "gradient", "pullback", "differential", "derivative of the gradient"])
@pytest.mark.parametrize("exponential", [ccc.Delta, ccc.AdditiveMap, ccc.AnyDerivative])
@pytest.mark.parametrize("f", LOOPS)
def test_the_code_does_not_depend_on_the_trip_count(f: Callable[..., Any], exponential: Any, kind: str) -> None:
    def code(n: int) -> str:
        inner: Any = lambda x: f(x, n)  # noqa: E731
        if kind == "derivative of the gradient":
            return source("derivative", ccc.gradient(inner, exponential=exponential()), exponential)
        return source(kind, inner, exponential)

    assert code(12).count("\n") == code(100_003).count("\n")
    assert code(12) == code(100_003).replace("100003", "12")


def source(kind: str, f: Any, exponential: Any) -> str:
    plan = Plan(kind, (0,), exponential(), True)
    elaborated = elaborate(Transform(f).function if not isinstance(f, Transform) else f, [0.5])
    return emit(derived(plan, elaborated.program), plan.pullback).source


def nested(x: float, n: int) -> float:
    return x if n == 0 else math.sin(nested(x, n - 1)) + x


def in_a_closure(x: float, n: int) -> float:
    def go(k: int, a: float) -> float:
        return a if k == 0 else go(k - 1, a * x * 1.0001)

    return go(n, 1.0)


def mutual(x: float, n: int) -> float:
    def even(k: int, a: float) -> float:
        return a if k == 0 else odd(k - 1, math.sin(a * x))

    def odd(k: int, a: float) -> float:
        return a if k == 0 else even(k - 1, a + x)

    return even(n, 1.0)


RECURSIVE = [nested, in_a_closure, mutual]
DEEP = {"value": lambda f: lambda *args: value_of(f, *args), "gradient": ccc.gradient, "second": second,
        "forward": forward, "dropped": dropped}  # fmt: skip


def room() -> int:
    """How many calls fit on the stack here."""
    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back  # type: ignore[assignment]
    return sys.getrecursionlimit() - depth


@pytest.mark.parametrize("how", DEEP)
@pytest.mark.parametrize("f", RECURSIVE)
def test_recursion_is_as_deep_as_in_plain_python(f: Callable[..., Any], how: str) -> None:
    DEEP[how](f)(0.5, 3)  # compiled once: the compiler needs the stack for itself
    depth = room() - 30
    f(0.5, depth)
    DEEP[how](f)(0.5, depth)


@pytest.mark.parametrize("how", DEEP)
@pytest.mark.parametrize("f", RECURSIVE)
def test_what_is_too_deep_for_plain_python_is_the_same_error(f: Callable[..., Any], how: str) -> None:
    depth = room() * 3
    with pytest.raises(RecursionError):
        f(0.5, depth)
    with pytest.raises(RecursionError):
        DEEP[how](f)(0.5, depth)
    assert DEEP[how](f)(0.5, 3) is not None  # and the compiled code goes on working


@pytest.mark.parametrize("f", RECURSIVE)
def test_recursion_under_additive_map(f: Callable[..., Any]) -> None:
    assert math.isclose(under_additive_map(f)(0.5, 60)[0], ccc.gradient(f)(0.5, 60)[0], rel_tol=1e-12)


class Met:
    def __init__(self, state: int, cost: float) -> None:
        self.state = state
        self.cost = cost


def within(x: float, limit: int) -> Any:
    stack = [Met(0, x)]
    while stack:
        met = stack.pop()
        if met.state == 3:
            return met
        if met.state < limit:
            stack.append(Met(met.state + 1, met.cost * 2.0))
    return "cutoff"


@pytest.mark.parametrize("limits", [range(sys.maxsize), range(10**30)])
def test_a_search_ever_deeper_makes_no_list_of_its_depths(limits: range) -> None:
    last = limits.stop

    def f(x: float) -> Any:
        for limit in range(last):
            found = within(x, limit)
            if found != "cutoff":
                return found.cost

    assert ccc.value_and_grad(f)(4.0) == (32.0, 8.0)


STATEMENTS = {
    "names bound anew": "    y = y * 0.999 + math.sin(y) * 0.001\n",
    "arrays changed in place": "    a[0] = a[1] * 0.5 + y\n    a[1] = a[0] * 0.5\n",
    "iterators": "    v = (t * 0.5 for t in (y, a[0]))\n    y = sum(v)\n",
}


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_statements_are_read_in_linear_time(statement: str, tmp_path: Path):
    """What is written as often takes as long: no statement looks at all others."""
    def time_of(count: int) -> float:
        file = tmp_path / f"chain_{count}.py"
        file.write_text("import math\ndef f(x, a):\n    y = x\n    a = a * 1.0\n" + statement * count
                        + "    return y + a[1]\n")
        space: dict[str, Any] = {}
        exec(compile(file.read_text(), str(file), "exec"), space)
        start = time.process_time()
        assert 0.0 <= ccc.gradient(space["f"], wrt="x", backend="numpy")(1.0, np.ones(2)) < 2.0
        return time.process_time() - start

    time_of(10)
    assert time_of(800) < 8.0 * max(time_of(200), 0.1)
