"""What a function changes of its arguments, and outside, is written back once, when it returns."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest
from checks import same

import ccc
from ccc.compile.diagnostics import CompileError, WrongArguments


@dataclass
class Model:
    w: np.ndarray
    mean: float = 0.5
    calls: int = 0
    history: list[float] = field(default_factory=list[float])
    cache: dict[str, float] = field(default_factory=dict[str, float])


@dataclass
class Pair:
    a: Model
    b: Model
    last: Any = 0.0


class Ends(NamedTuple):
    first: Any
    last: Any


def model() -> Model:
    return Model(np.array([1.0, 2.0, 3.0]))


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
X, XS, D = np.array([1.0, 2.0, 3.0]), [1.0, 2.0], {"a": 1.0, "b": 2.0}


def at(*args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Run a program at these arguments."""

    def take(f: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append((f, args))
        return f

    return take


@at(Pair(model(), model(), Ends(np.ones(2), np.zeros(2))), 2.0)
def a_named_tuple_of_what_the_caller_has(p: Any, x: Any) -> Any:
    p.last = Ends(p.last.last, p.last.first)
    return x * p.last.last[0]


# -- arrays --------------------------------------------------------------------------------------------------------


@at(X)
def assigned(x: Any) -> Any:
    x[0] = 1.5
    return np.sum(x * x)


@at(X)
def added_to(x: Any) -> Any:
    x += 1.0
    return np.sum(x * x)


@at(X)
def in_a_branch(x: Any) -> Any:
    if x[0] > 0:
        x[1] = x[0] * 2
    return np.sum(x * x)


@at(X)
def in_a_loop(x: Any) -> Any:
    for i in range(2):
        x[i + 1] += x[i]
    return np.sum(x * x)


@at(np.array([[1.0, 2.0], [3.0, 4.0]]))
def by_a_view(x: Any) -> Any:
    row = x[0]
    row[1] = 5.0
    x[1, :] *= 2.0
    return np.sum(x * x)


@at(X, X + 1.0)
def written_out(x: Any, y: Any) -> Any:
    np.multiply(x, y, out=x)
    return np.sum(x)


@at((np.array([1.0, 2.0]), 3.0))
def in_a_tuple(t: Any) -> Any:
    t[0][0] = t[1]
    return np.sum(t[0] ** 2) * t[1]


def filled(a: Any, n: int) -> Any:
    if n > 0:
        a[n] = a[n - 1] * 2.0
        return filled(a, n - 1)
    return a[0]


@at(X)
def in_a_recursion(x: Any) -> Any:
    return filled(x, 2) * np.sum(x * x)


# -- objects -------------------------------------------------------------------------------------------------------


@at(model(), 2.0)
def counts(m: Any, x: Any) -> Any:
    m.calls += 1
    m.mean = 0.9 * m.mean + 0.1 * x
    return x * np.sum(m.w) * m.mean


@at(model(), X)
def array_of_an_object(m: Any, x: Any) -> Any:
    m.w += 0.1 * x
    m.calls = m.calls + 1
    return np.sum(m.w * x)


@at(model(), X)
def another_array(m: Any, x: Any) -> Any:
    m.w = m.w + 0.1 * x
    return np.sum(m.w * x)


@at(model(), X + 3.0)
def takes_the_argument(m: Any, x: Any) -> Any:
    m.w = x
    return np.sum(m.w**2)


@at(Pair(model(), model()), 2.0)
def of_objects_in_objects(p: Any, x: Any) -> Any:
    p.a.mean = x
    p.b.w[1] = x * x
    p.last = p.a.mean * p.b.w[1]
    return p.last + np.sum(p.b.w)


@at(Pair(model(), Model(np.array([4.0, 5.0]))), 2.0)
def exchanged(p: Any, x: Any) -> Any:
    p.a, p.b = p.b, p.a
    p.a.mean = x
    return x * np.sum(p.a.w)


@at(Pair(model(), model(), None), 2.0, X)
def a_pair_of_two(p: Any, x: Any, y: Any) -> Any:
    p.last = (x * x, p.a, y)
    return x * p.last[0]


def step(m: Any, x: Any) -> Any:
    m.calls += 1
    m.w[0] = x
    return m.mean


@at(model(), 2.0)
def in_another_function(m: Any, x: Any) -> Any:
    step(m, x)
    step(m, x * x)
    return np.sum(m.w)


@at(model(), 2.0, 3)
def an_object_in_a_loop(m: Any, x: Any, n: int) -> Any:
    for _ in range(n):
        m.calls += 1
        m.mean = 0.5 * (m.mean + x)
    return m.mean


# -- lists and dicts -----------------------------------------------------------------------------------------------


@at(XS, 3.0)
def appended(xs: Any, x: Any) -> Any:
    xs.append(x * x)
    return sum(xs) * x


@at(XS, 3.0)
def appended_in_a_loop(xs: Any, x: Any) -> Any:
    for _ in range(3):
        xs.append(xs[-1] * x)
    return sum(xs)


@at(XS, 3.0)
def appended_in_a_branch(xs: Any, x: Any) -> Any:
    if x > 1:
        xs.append(x)
    return sum(xs) * x


@at(XS, 3.0)
def scaled_by_index(xs: Any, x: Any) -> Any:
    for i in range(len(xs)):
        xs[i] = xs[i] * x
    return sum(xs)


@at(XS, 3.0)
def scaled_where_it_stands(xs: Any, x: Any) -> Any:
    for _ in range(2):
        for i, y in enumerate(xs):
            xs[i] *= x * y
    return sum(xs)


@at(XS, 3.0)
def scaled_under_two_names(xs: Any, x: Any) -> Any:
    ys, i = xs, 0
    while i < len(xs):
        ys[i] = xs[i] * x
        xs[0] = xs[0] + ys[i]
        i += 1
    return sum(xs)


@at(XS, 3.0)
def taken_off(xs: Any, x: Any) -> Any:
    y = xs.pop()
    xs[0] = x
    xs.insert(0, y)
    return sum(xs) * x * y


@at(model(), 2.0)
def list_of_an_object(m: Any, x: Any) -> Any:
    m.history.append(x * x)
    return x * sum(m.history)


@at(D, 3.0)
def at_a_key(d: Any, x: Any) -> Any:
    d["a"] = x * d["b"]
    return d["a"] * x


@at(D, 3.0)
def at_a_new_key(d: Any, x: Any) -> Any:
    d["c"] = x * d["b"]
    return d["c"] * x


@at(D, 3.0)
def put_to_the_end(d: Any, x: Any) -> Any:
    del d["a"]
    d["a"] = x
    return d["b"] * x


@at({1: 1.0, 2: 2.0}, 3.0, 5)
def at_a_key_that_is_not_known(d: Any, x: Any, k: int) -> Any:
    d[k] = x * x
    return x * d[1]


@at(model(), 2.0)
def dict_of_an_object(m: Any, x: Any) -> Any:
    m.cache["k"] = x * x
    return m.cache["k"] * x


# -- against plain Python ------------------------------------------------------------------------------------------

CASES = pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])


def alike(a: Any, b: Any, bits: bool) -> bool:
    """Whether two values are the same, to the bit or to some ulps."""
    if bits or not isinstance(a, float | np.ndarray):
        return same(a, b)
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=1e-12, atol=0.0))


@CASES
@pytest.mark.parametrize("backend", ["numpy", pytest.param("native", marks=pytest.mark.nightly)])
def test_values_and_what_is_written(f: Callable[..., Any], args: tuple[Any, ...], backend: str) -> None:
    expected, found, call = copy.deepcopy(args), copy.deepcopy(args), ccc.compiled(f, backend=backend)
    for _ in range(5):  # the later calls go the short way, and see what the earlier ones wrote
        assert alike(call(*found), f(*expected), backend == "numpy")
        assert same(found, expected)


@CASES
def test_derivatives_are_those_at_the_values_passed_in(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    expected, found = copy.deepcopy(args), copy.deepcopy(args)
    y = f(*expected)
    value, pullback = ccc.value_with_pullback(f, backend="numpy")(*found)
    assert same(value, y) and same(found, expected)
    cts = pullback(1.0)
    assert same(pullback(1.0), cts) and same(found, expected)  # only the call writes, no pullback
    cts = cts if len(args) > 1 else (cts,)
    for i, x in enumerate(args):
        for place in np.ndindex(np.shape(x)) if isinstance(x, float | np.ndarray) else ():
            ct = cts[i][place] if place else cts[i]
            assert ct == pytest.approx(slope(f, args, i, place), rel=1e-5, abs=1e-6)
    again = copy.deepcopy(args)
    assert same(ccc.value_with_gradient(f, backend="numpy")(*again), (y, cts if len(args) > 1 else cts[0]))
    assert same(again, expected)
    again = copy.deepcopy(args)
    assert same(ccc.gradient(f, backend="numpy")(*again), cts if len(args) > 1 else cts[0])
    assert same(again, expected)


def slope(f: Callable[..., Any], args: tuple[Any, ...], i: int, place: tuple[int, ...], e: float = 1e-6) -> float:
    """The difference quotient in a number of an argument, each time from the same state."""

    def moved(by: float) -> float:
        here = list(copy.deepcopy(args))
        if place:
            here[i][place] += by
        else:
            here[i] += by
        return f(*here)

    return (moved(e) - moved(-e)) / (2 * e)


@CASES
def test_forward_mode_writes_when_the_value_is_computed(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    if any(not isinstance(x, float | np.ndarray) for x in args):
        wrt = [i for i, x in enumerate(args) if isinstance(x, float | np.ndarray)]
    else:
        wrt = list(range(len(args)))
    expected, found = copy.deepcopy(args), copy.deepcopy(args)
    y, differential = ccc.value_with_differential(f, wrt=wrt, backend="numpy")(*found)
    assert same(y, f(*expected)) and same(found, expected)
    tangent = differential(*[np.ones_like(args[i]) if np.ndim(args[i]) else 1.0 for i in wrt])
    assert same(found, expected)
    cts = ccc.gradient(f, wrt=wrt, backend="numpy")(*copy.deepcopy(args))
    assert tangent == pytest.approx(sum([float(np.sum(ct)) for ct in cts]))


NATIVE = [counts, list_of_an_object]


@pytest.mark.parametrize("f", NATIVE, ids=[f.__name__ for f in NATIVE])
def test_machine_code_writes_the_same(f: Callable[..., Any]) -> None:
    pytest.importorskip("llvmlite")
    args = next(args for g, args in PROGRAMS if g is f)
    expected, found = copy.deepcopy(args), copy.deepcopy(args)
    call = ccc.value_with_gradient(f, wrt=len(args) - 1, backend="native")
    for _ in range(4):
        value, _ = call(*found)
        assert value == pytest.approx(f(*expected))
        assert str(found) == str(expected)


# -- when nothing is written ---------------------------------------------------------------------------------------


def raises_behind_changes(m: Any, xs: Any, x: Any, k: int) -> Any:
    m.calls += 1
    m.w[0] = x
    xs.append(x)
    return xs[k] * x


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_call_that_raises_writes_nothing(backend: str) -> None:
    m, xs = model(), [1.0, 2.0]
    call = ccc.value_with_gradient(raises_behind_changes, wrt="x", backend=backend)
    for _ in range(4):
        with pytest.raises(IndexError):
            call(m, xs, 3.0, 17)
    assert same(m, model()) and xs == [1.0, 2.0]
    assert call(m, xs, 3.0, 2) == (9.0, 6.0) and m.calls == 1 and xs == [1.0, 2.0, 3.0]


def test_what_is_not_changed_is_not_touched() -> None:
    x = X.copy()
    x.flags.writeable = False
    assert ccc.compiled(in_a_branch)(-X) == np.sum(X * X)

    def f(x: Any, y: float) -> Any:
        if y > 0.0:
            x[0] = y
        return np.sum(x)

    assert ccc.compiled(f)(x, -1.0) == 6.0
    with pytest.raises(ValueError, match="read-only"):
        ccc.compiled(f)(x, 5.0)


# -- what one object is --------------------------------------------------------------------------------------------


def sums(x: Any, y: Any) -> Any:
    x[0] = y[1]
    y[1] = 7.0
    return np.sum(x * y)


def test_an_array_given_twice_is_one_place() -> None:
    call = ccc.compiled(sums)
    for _ in range(4):
        a, b = X.copy(), X.copy()
        assert call(a, a) == sums(b, b) and same(a, b)
        a, b, c, d = X.copy(), X * 2, X.copy(), X * 2
        assert call(a, b) == sums(c, d) and same((a, b), (c, d))
    with pytest.raises(WrongArguments, match="`x` and `y` are one object, which the function changes"):
        ccc.gradient(sums)(*[X.copy()] * 2)


def test_an_object_given_twice_is_one_place() -> None:
    def f(m: Any, n: Any, x: Any) -> Any:
        m.mean = x
        n.mean = n.mean * 2.0
        return m.mean * x

    call, m, n = ccc.gradient(f, wrt="x"), model(), model()
    assert call(m, m, 3.0) == 12.0 and m.mean == 6.0
    assert call(m, n, 3.0) == 6.0 and (m.mean, n.mean) == (3.0, 1.0)


@pytest.mark.share(2)
@pytest.mark.parametrize("verb", [ccc.jacobian, ccc.jacfwd, ccc.hessian, lambda f: ccc.compiled(
    lambda *args: ccc.gradient(f, wrt=0)(*args))], ids=["jacobian", "jacfwd", "hessian", "inside"])
def test_one_place_has_no_derivative_inside_a_program(verb: Any) -> None:
    def counted(x: Any, m: Any, n: Any) -> Any:
        m.calls += 1
        n.calls += m.calls
        return x * x * n.calls

    def outside(x: Any) -> Any:
        LATEST[0] = x[1] * 2.0
        return np.sum(x**2)

    call, m = verb(counted), model()
    call(3.0, model(), model())
    with pytest.raises(CompileError, match="(one object|share memory), (which|and) the function"):
        call(3.0, m, m)
    assert same(m, model())
    call = verb(outside)
    call(X.copy())
    before = LATEST.copy()
    with pytest.raises(CompileError, match="(one object|share memory), (which|and) the function"):
        call(LATEST)
    assert same(LATEST, before)


LATEST = np.array([1.0, 2.0, 3.0])


def test_arrays_that_overlap_are_refused_at_the_call() -> None:
    call, a = ccc.compiled(sums), np.arange(6.0)
    with pytest.raises(WrongArguments, match="share memory, and the function changes `[xy]`"):
        call(a[:4], a[2:])
    assert same(a, np.arange(6.0))
    assert call(a[:3], a[3:]) == 4.0 * 3.0 + 1.0 * 7.0 + 2.0 * 5.0


def test_what_a_list_or_dict_holds_is_looked_at() -> None:
    def f(xs: Any, x: Any) -> Any:
        x[0] = 9.0
        return np.sum(xs[0])

    call, x = ccc.compiled(f), X.copy()
    assert call([X, X], x) == 6.0 and call([x], X.copy()) == 14.0
    with pytest.raises(WrongArguments, match="`x` and `xs` share memory"):
        call([X, x], x)

    def g(ms: Any, m: Any, x: Any) -> Any:
        m.mean = x
        return ms[0].mean * x

    m = model()
    with pytest.raises(WrongArguments, match="`m` and `ms` share memory"):
        ccc.gradient(g, wrt="x")([model(), m], m, 3.0)
    assert ccc.gradient(g, wrt="x")([model()], m, 3.0) == 0.5 and m.mean == 3.0


def test_a_dict_that_is_read_at_any_key_shows_what_changed_in_it() -> None:
    def f(d: Any, k: int, x: Any) -> Any:
        before = np.sum(d[k])
        d[1][0] = x
        return before * np.sum(d[k])

    def at(k: int) -> Any:
        return {1: X.copy(), 2: X * 2.0}, k, 5.0

    for k in (1, 2):
        assert ccc.compiled(f)(*at(k)) == f(*at(k))


def test_other_views_of_the_caller_see_the_change() -> None:
    a = np.zeros((2, 3))
    ccc.compiled(added_to)(a[1])
    assert same(a, np.array([[0.0] * 3, [1.0] * 3]))


def test_what_is_put_into_an_object_is_the_argument_itself() -> None:
    m, x = model(), X + 3.0
    w = m.w
    ccc.compiled(takes_the_argument)(m, x)
    assert m.w is x and same(w, X)
    ccc.compiled(array_of_an_object)(m, X.copy())
    assert m.w is x and x[0] == 4.1


# -- what is read from outside -------------------------------------------------------------------------------------

shared, total = model(), np.zeros(3)


def test_what_is_read_from_outside_is_written_back() -> None:
    steps = [0.5]

    def f(x: float) -> Any:
        shared.calls += 1
        shared.w[0] = x
        total[:] += shared.w * x
        steps.append(x)
        return sum(steps) * np.sum(total)

    shared.__dict__.update(model().__dict__)
    total[:] = 0.0
    call, found = ccc.value_with_gradient(f), list[Any]()
    for _ in range(5):
        found.append(call(2.0))
    state = copy.deepcopy(shared), total.copy(), list(steps)
    shared.__dict__.update(model().__dict__)
    total[:] = 0.0
    steps[:] = [0.5]
    assert [value for value, _ in found] == [f(2.0) for _ in range(5)]
    assert same((shared, total.copy(), steps), state) and shared.calls == 5
    # sum(steps) = 2.5 and x * (x + 2 + 3) = 14: 14 + 2.5 * (2 x + 5)
    assert found[0][1] == 14.0 + 2.5 * 9.0


def test_what_a_closure_holds_is_written_back() -> None:
    def call(m: Any) -> Callable[..., Any]:
        def f(x: float) -> Any:
            m.history.append(x)
            m.w[0] *= x
            m.calls += 1
            return np.sum(m.w) * sum(m.history)

        return f

    m, expected = model(), model()
    found = ccc.value_with_gradient(call(m))
    for _ in range(3):
        assert found(2.0)[0] == call(expected)(2.0) and same(m, expected)
    # w = [8, 2, 3] and history = [2, 2, 2] before: (8 x + 5) (6 + x)
    assert found(2.0)[1] == 8.0 * 8.0 + (8.0 * 2.0 + 5.0)


@dataclass(frozen=True)
class Frozen:
    w: np.ndarray
    xs: list[float]
    m: Model


def test_what_a_frozen_object_holds_may_change() -> None:
    def f(o: Any, x: Any) -> Any:
        o.w[0] = x
        o.xs.append(x)
        o.m.calls += 1
        return x * o.w[0] * sum(o.xs)

    found, expected = (Frozen(X.copy(), [1.0], model()) for _ in range(2))
    assert ccc.value_with_gradient(f, wrt="x")(found, 3.0) == (f(expected, 3.0), 6.0 * 4.0 + 9.0)
    assert same(found, expected)


def test_a_check_of_a_derivative_changes_nothing() -> None:
    m, x = Pair(model(), model()), X.copy()
    ccc.check_derivative(of_objects_in_objects, m, 2.0)
    ccc.check_derivative(in_a_loop, x)
    assert same(m, Pair(model(), model())) and same(x, X)


# -- derivatives inside of programs --------------------------------------------------------------------------------


def loss(m: Any, x: Any) -> Any:
    m.calls += 1
    m.mean = 0.5 * m.mean + x
    m.w[0] *= x
    m.history.append(x * x)
    m.cache["k"] = x
    return x * m.mean * np.sum(m.w) * sum(m.history)


def by_gradient(m: Any, x: Any) -> Any:
    g = ccc.gradient(loss, wrt=1)(m, x)
    return g * m.mean * len(m.history) + m.calls + m.cache["k"]


def by_pullback(m: Any, x: Any) -> Any:
    value, pullback = ccc.value_with_pullback(loss, wrt=1)(m, x)
    m.mean = 7.0
    return value + pullback(1.0) * m.calls


def by_differential(m: Any, x: Any) -> Any:
    value, differential = ccc.value_with_differential(loss, wrt=1)(m, x)
    m.mean = 7.0
    return value + differential(1.0) * m.calls


def in_runs(m: Any, x: Any) -> Any:
    t = 0.0
    for _ in range(3):
        if x > 1.0:
            t = t + ccc.gradient(counted, wrt=1)(m, x)
    return t * m.mean + m.calls


def counted(m: Any, x: Any) -> Any:
    m.calls += 1
    m.mean = 0.5 * m.mean + x
    return m.mean * x


@pytest.mark.parametrize("f", [by_gradient, by_pullback, by_differential, in_runs], ids=lambda f: f.__name__)
def test_a_function_that_is_differentiated_inside_changes_what_the_program_has(f: Callable[..., Any]) -> None:
    expected, found, call = model(), model(), ccc.compiled(f, backend="numpy")
    for _ in range(2):
        assert call(found, 2.0) == pytest.approx(f(expected, 2.0))  # here the verbs inside write to the argument
        assert same(found, expected)


@pytest.mark.share(2)
@pytest.mark.parametrize("verb", [
    lambda f, x: ccc.hessian(f)(x), lambda f, x: ccc.hvp(f)(x, 1.0), lambda f, x: ccc.jacobian(f)(x),
    lambda f, x: ccc.jvp(f, (x,), (1.0,)), lambda f, x: ccc.vjp(f, x), lambda f, x: ccc.derivative(f)(x),
])  # fmt: skip
def test_every_verb_writes_once(verb: Callable[..., Any]) -> None:
    def f(x: float) -> Any:
        shared.calls += 1
        shared.mean = shared.mean + x
        shared.w[1] += 1.0
        steps.append(x)
        return shared.mean * x * x * shared.w[1] * len(steps)

    steps = [1.0]
    shared.__dict__.update(model().__dict__)
    verb(f, 2.0)
    assert (shared.calls, shared.mean, shared.w[1], steps) == (1, 2.5, 3.0, [1.0, 2.0])


# -- ints ----------------------------------------------------------------------------------------------------------


def test_ints_that_are_read_as_floats_are_written_as_ints() -> None:
    def f(m: Any, xs: Any, x: Any) -> Any:
        m.a.calls += 2
        xs.append(m.a.calls)
        m.last = x
        m.b.mean = x if x > 2 else None
        return m.a.calls * x

    m, xs = Pair(model(), model()), [1, 2]
    ccc.gradient(f)(m, xs, 3)
    assert type(m.b.mean) is int and m.b.mean == 3
    assert type(m.a.calls) is int and m.a.calls == 2 and type(m.last) is int and m.last == 3
    assert xs == [1, 2, 2] and {*map(type, xs)} == {int}


def test_a_list_of_ints_gets_no_floats() -> None:
    xs = [1, 2]
    for verb in (ccc.compiled, ccc.gradient):
        with pytest.raises(CompileError, match="`xs` is changed, and the ints in it would become floats"):
            verb(appended)(xs, 2.5)
    assert xs == [1, 2] and {*map(type, xs)} == {int}


# -- what is refused -----------------------------------------------------------------------------------------------


def a_row_of_the_caller(m: Any, x: Any) -> Any:
    m.last = [x]
    return np.sum(x)


def a_view_of_the_caller(m: Any, x: Any) -> Any:
    m.last = x[1:]
    return np.sum(x)


def test_a_row_of_the_callers_is_that_in_what_is_written() -> None:
    m, x = Pair(model(), model()), X.copy()
    ccc.compiled(a_row_of_the_caller)(m, x)
    assert type(m.last) is list and len(m.last) == 1 and m.last[0] is x


def test_a_view_of_the_callers_is_that_in_what_is_written() -> None:
    m, x = Pair(model(), model()), X.copy()
    ccc.compiled(a_view_of_the_caller)(m, x)
    m.last[0] = 9.0
    assert x[1] == 9.0 and len(m.last) == len(x) - 1


@ccc.custom_vjp
def with_a_rule(m: Any, x: float) -> float:
    m.calls += 1
    return x * x


@ccc.custom_vjp
def with_a_rule_that_changes(m: Any, x: float) -> float:
    return x * x + m.mean


def counting_rule(m: Any, x: float) -> Any:
    m.calls += 1
    return x * x + m.mean, x


with_a_rule.defvjp(lambda m, x: (x * x, x), lambda x, ct: (None, 2.0 * x * ct))
with_a_rule_that_changes.defvjp(counting_rule, lambda x, ct: (None, 2.0 * x * ct))


@pytest.mark.parametrize("f", [with_a_rule, with_a_rule_that_changes], ids=["value", "rule"])
def test_what_has_a_rule_changes_nothing_of_the_callers(f: Callable[..., Any]) -> None:
    m = model()
    for verb in (ccc.compiled, ccc.gradient):
        with pytest.raises(CompileError, match=r"CC011.*`\.calls` of `Model`"):
            verb(lambda m, x: f(m, x))(m, 2.0)
    assert same(m, model())


FACTORS = np.array([1.0 + 2.0j, 3.0j])


def test_complex_arrays_from_outside_are_read():
    assert ccc.gradient(lambda x: np.sum(np.abs(FACTORS * x) ** 2))(2.0) == 2 * 2.0 * 14.0
