"""Functions as values of the program: carried by loops, held by lists, made and given by recursion."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, runs_in_stores, same, value_of

import ccc
from ccc.compile.api.wrapper import Transform
from ccc.compile.diagnostics import CompileError


def composed_in_a_loop(x: Any, a: Any) -> Any:
    k = lambda y: y  # noqa: E731
    for i in range(4):
        k = lambda y, k=k, i=i: math.sin(k(y)) * a + i  # noqa: E731
    return k(x)


def compose(f: Any, g: Any) -> Any:
    return lambda y: f(g(y))


def composed_of_a_list(ws: Any, x: Any) -> Any:
    h = lambda y: y  # noqa: E731
    for w in ws:
        h = compose(lambda y, w=w: w * y + 1.0, h)
    return h(x)


def continuation(n: Any, x: Any) -> Any:
    def go(n: Any, k: Any) -> Any:
        if n == 0:
            return k(x)
        return go(n - 1, lambda y: k(y) * x + n)

    return go(n, lambda y: y * y)


def counted_continuations(n: Any, x: Any) -> Any:
    return continuation(int(n), x)


def continuation_along(xs: Any, x: Any) -> Any:
    def go(i: Any, k: Any) -> Any:
        if i == len(xs):
            return k(x)
        return go(i + 1, lambda y: k(y) * xs[i] + y)

    return go(0, lambda y: y * y)


def power(f: Any, n: Any) -> Any:
    if n == 0:
        return lambda x: x
    g = power(f, n - 1)
    return lambda x: f(g(x))


def powered(xs: Any, x: Any) -> Any:
    return power(lambda y: y * x + 1.0, len(xs))(x)


def list_of_functions(xs: Any, y: Any) -> Any:
    fs = [lambda z, x=x: z * x for x in xs]
    s = 0.0
    for f in fs:
        s = s + f(y) ** 2
    return s + fs[len(xs) - 1](y)


def appended(xs: Any, y: Any) -> Any:
    fs: list[Any] = []
    for x in xs:
        if x > 1.5:
            fs.append(lambda z, x=x: z * x)
        else:
            fs.append(lambda z, x=x: z + x)
    r = y
    for f in fs:
        r = f(r)
    return r


def hook(x: Any, on: Any) -> Any:
    h = None
    if on > 0:
        h = lambda y: y * x  # noqa: E731
    return x if h is None else h(x * 2.0)


def switched(xs: Any, x: Any) -> Any:
    f = math.sin
    for v in xs:
        f = math.cos if f(v) > 0.2 else math.sin
    return f(x)


def doubled(k: Any, x: Any) -> Any:
    two = lambda f: lambda y: f(f(y))  # noqa: E731
    g = lambda y: y * 1.01 + x  # noqa: E731
    for _ in range(3):
        g = two(g)
    return g(x) + k


def table(i: Any, x: Any) -> Any:
    fs = [math.sin, math.cos, lambda y: y * y]
    return fs[i](x)


def until(x: Any) -> Any:
    k = lambda y: y * x  # noqa: E731
    n = 0
    while k(1.0) < 50.0:
        k = lambda y, k=k: k(y) * 2.0 + x  # noqa: E731
        n += 1
    return k(x) * n


def built(n: Any, x: Any) -> Any:
    def build(n: Any) -> Any:
        if n <= 1:
            return lambda y: y * x
        left, right = build(n - 1), build(n - 2)
        return lambda y: left(y) + right(y * 0.5)

    return build(n)(x)


def suspended(x: Any) -> Any:
    g = lambda: x * x  # noqa: E731
    for _ in range(3):
        g = lambda g=g: g() + x  # noqa: E731
    return g()


def over_arrays(w: Any, n: Any) -> Any:
    layer = lambda v: np.tanh(v @ w)  # noqa: E731
    for i in range(n):
        layer = lambda v, f=layer, i=i: f(v) * 0.5 + np.sin(v @ w) * i  # noqa: E731
    return np.sum(layer(w[0]) ** 2)


def named_anew(xs: Any) -> Any:
    def step(v: Any) -> Any:
        return v * 2.0

    s = step(xs[0])
    for x in xs:
        def step(v: Any) -> Any:
            return v * x  # noqa: B023 (called before the next run)

        s = s + step(x)
    return s


def slopes_of_a_growing_function(x: Any) -> Any:
    f = lambda y: y * y  # noqa: E731
    s = 0.0
    for i in range(3):
        f = lambda y, f=f, i=i: math.sin(f(y)) + i * y * x  # noqa: E731
        s = s + ccc.derivative(f)(x)
    return s


def slope_of_what_a_loop_made(xs: Any, x: Any) -> Any:
    f = lambda y: y  # noqa: E731
    for w in xs:
        f = lambda y, f=f, w=w: math.sin(w * f(y))  # noqa: E731
    return ccc.derivative(f)(x) * f(x)


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (composed_in_a_loop, (0.5, 1.5)), (composed_of_a_list, ([1.0, 2.0, 3.0], 0.5)), (counted_continuations, (3, 1.2)),
    (continuation_along, ([1.0, 2.0, 3.0], 0.7)), (powered, ([1.0, 1.0], 1.5)), (list_of_functions, ([1.0, 2.0], 3.0)),
    (appended, ([1.0, 2.0, 3.0], 0.5)), (hook, (2.0, 1.0)), (hook, (2.0, -1.0)), (switched, ([1.0, 2.0], 0.5)),
    (doubled, (1, 0.3)), (table, (2, 0.5)), (table, (0, 0.5)), (until, (1.3,)), (built, (5, 1.1)), (suspended, (1.5,)),
    (over_arrays, (np.array([[0.5, -1.0], [0.25, 0.75]]), 3)), (named_anew, ([1.0, 2.0],)),
    (slopes_of_a_growing_function, (0.7,)), (slope_of_what_a_loop_made, ([1.0, 2.0], 0.5)),
]  # fmt: skip


def methods_of_lists_among_functions(x: Any) -> Any:
    log: list[Any] = []
    hooks: list[Any] = []
    hooks.append(lambda v: log.append(v * x))
    hooks.append(log.append)
    for i in range(3):
        for hook in hooks:
            hook(float(i))
    return sum([i * v for i, v in enumerate(log)])


def test_methods_of_lists_stand_among_functions():
    agrees(methods_of_lists_among_functions, 1.5, exponentials=("Delta",))


@pytest.mark.share(4)
@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=lambda x: getattr(x, "__name__", ""))
def test_programs(f: Callable[..., Any], args: tuple[Any, ...]):
    agrees(f, *args)


def late(xs: Any, y: Any) -> Any:
    fs: list[Any] = []
    for x in xs:
        fs.append(lambda z: z * x)  # noqa: B023 (all of them read the last `x`)
    s = 0.0
    for f in fs:
        s = s + f(y)
    return s


def late_in_a_comprehension(xs: Any, y: Any) -> Any:
    fs = [lambda z: z * x for x in xs]  # noqa: B023
    s = 0.0
    for f in fs:
        s = s + f(y)
    return s


def rebound_behind(xs: Any, y: Any) -> Any:
    k = y
    f = lambda z: z + k  # noqa: E731
    for x in xs:
        f = lambda z, f=f: f(z) * x  # noqa: B023, E731
    k = 2.0 * y
    return f(k)


@pytest.mark.parametrize("f", [late, late_in_a_comprehension, rebound_behind])
def test_what_is_bound_anew_before_the_call_is_right_or_refused_by_name(f: Callable[..., Any]):
    args = ([1.0, 2.0, 3.0], 0.5)
    try:
        found = value_of(f, *args)
    except CompileError as error:
        assert "bound anew" in str(error) or "cannot carry" in str(error) or "CC006" in str(error)
        return
    assert same(found, f(*args))


def test_a_function_of_the_program_is_no_result():
    def chosen(xs: Any) -> Any:
        f = lambda y: y  # noqa: E731
        for x in xs:
            f = lambda y, f=f, x=x: f(y) * x  # noqa: E731
        return f

    with pytest.raises(ccc.HigherOrderBoundary):
        ccc.value_with_pullback(chosen)([1.0, 2.0])


def test_the_same_code_serves_any_number_of_functions():
    g = ccc.gradient(composed_of_a_list)
    for n in (1, 2, 5, 50):
        ws = [1.0 + 0.01 * i for i in range(n)]
        dws, dx = g(ws, 0.5)
        product = math.prod(ws)
        assert math.isclose(dx, product, rel_tol=1e-12) and len(dws) == n
    (codes,) = g.codes.values()
    assert len(codes) == 1
    assert isinstance(g, Transform)


@pytest.mark.parametrize("grown", [False, True])
def test_lists_that_change_behind_functions_that_are_kept(grown: bool):
    def f(x, n):
        rows = [x, 2.0] if not grown else [x * i for i in range(n)]
        kept = []
        for i in range(n):
            kept.append(lambda k, i=i: rows[i % 2] * k)
            rows[i % 2] += x
        total = 0.0
        for g in kept:
            total += g(x)
        return total

    runs_in_stores(f, 1.3, 3)


LAYERS = [{"kind": "scale", "k": 2.0}, {"kind": "shift", "k": -1.0}, {"kind": "scale", "k": 0.5}]


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_functions_that_capture_records_with_texts_are_chosen_by_these(backend: Any):
    def f(x: Any, layers: Any) -> Any:
        for layer in layers:
            x = {"scale": lambda v: v * layer["k"], "shift": lambda v: v + layer["k"]}[layer["kind"]](x)  # noqa: B023
        return x * x

    dx, dlayers = ccc.gradient(f, backend=backend)(2.0, LAYERS)
    assert f(2.0, LAYERS) == 2.25 and dx == 3.0 and [d["k"] for d in dlayers] == [3.0, 1.5, 9.0]
    assert ccc.hvp(f, backend=backend)(2.0, LAYERS, 1.0) == 2.0


def number_or_function(x: Any, n: Any) -> Any:
    return x if n < 3 else (lambda: x * x)


def bounced(function: Any, *args: Any) -> Any:
    found = function(*args)
    while callable(found):
        found = found()
    return found


def evens(n: Any, total: Any) -> Any:
    return total if n == 0 else (lambda: odds(n - 1, total * 2.0))


def odds(n: Any, total: Any) -> Any:
    return total * 3.0 if n == 0 else (lambda: evens(n - 1, total * total))


class Answers:
    def __call__(self) -> float:
        return 2.0


def asked(x: Any, n: Any) -> Any:
    return x * 5.0 if callable(number_or_function(x, n)) else x


def called_or_tripled(x: Any, n: Any) -> Any:
    v = number_or_function(x, n)
    return v() if callable(v) else v * 3.0


def called_first(x: Any, n: Any) -> Any:
    v = number_or_function(x, n)
    if callable(v):
        v = v()
    return v


def answered(x: Any, n: Any) -> Any:
    v = Answers() if n < 3 else "none"
    return x * v() if callable(v) else x * 7.0  # type: ignore[operator]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize("f", [
    asked, called_or_tripled, called_first, answered, lambda x, n: bounced(evens, n, x),
    lambda x, n: bounced(number_or_function, x, n)])
def test_whether_what_may_be_a_function_can_be_called_is_asked_when_it_runs(f: Any, n: int, backend: Any):
    assert ccc.compiled(f, backend=backend)(1.5, n) == f(1.5, n)
    slope = (f(1.5 + 1e-5, n) - f(1.5 - 1e-5, n)) / 2e-5
    assert ccc.gradient(f, wrt="x", backend=backend)(1.5, n) == pytest.approx(slope, rel=1e-6)
    assert ccc.jvp(lambda x: f(x, n), (1.5,), (1.0,), backend=backend)[1] == pytest.approx(slope, rel=1e-6)
