"""Programs that XLA compiles agree with plain Python and with the NumPy target, and raise what Python raises."""

from __future__ import annotations

import copy
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import numbers

import ccc

pytest.importorskip("jax")

R = np.random.default_rng(5)


def stencil(a, steps):
    b = a.copy()
    for _ in range(steps):
        b[1:-1] = 0.3 * (a[1:-1] + a[:-2] + a[2:])
        a[1:-1] = 0.3 * (b[1:-1] + b[:-2] + b[2:])
    return np.sum(a * a)


def recurrence(x):
    y = np.zeros(len(x))
    for i in range(1, len(x)):
        y[i] = y[i - 1] * 0.5 + x[i] ** 2
    return np.sum(y)


def network(w1, w2, x, y):
    return np.mean((np.tanh(x @ w1) @ w2 - y) ** 2)


def rows_kept(w, xs):
    h, kept = np.zeros(w.shape[0]), []
    for x in xs:
        h = np.tanh(w @ h + x)
        kept.append(h)
    return np.sum(np.stack(kept) ** 2)


def newton(a):
    x = a
    for _ in range(50):
        if abs(x * x - a) < 1e-12:
            break
        x = 0.5 * (x + a / x)
    return x


def adaptive(y, end):
    t, h = 0.0, 0.1
    while t < end:
        k1 = -y * y
        k2 = -(y + h * k1) * (y + h * k1)
        if abs(h * (k2 - k1) * 0.5) < 1e-4:
            t, y, h = t + h, y + 0.5 * h * (k1 + k2), h * 1.2
        else:
            h = h * 0.5
    return y


def long_while(x, n):
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
        x = x * 1.01
    return x * count


def softmax(x):
    e = np.exp(x - np.max(x))
    return -np.log(e / np.sum(e))[0]


def affine(p, x):
    return np.sum((x @ p["w"] + p["b"]) ** 2)


def gaussian(a, b):
    factor = np.linalg.cholesky(a)
    return b @ np.linalg.solve(a, b) + 2 * np.sum(np.log(np.diag(factor)))


def scaled(a, x):
    def by(y):
        return a * y

    return by(x) * by(x + 1.0)


def single(x):
    return np.sum(x * 0.1 + 1.0)


MATRIX = R.normal(size=(4, 4))
def by_functions(x):
    return sum(f(v) for f, v in zip([np.sin, lambda t: t * t, np.cos], x, strict=False))


def products(x):
    kept, total = [], 0.0
    for a in x:
        for b in x:
            kept.append(a * b)
    for v in kept:
        total = total * 0.9 + v
    return total


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...], Any]] = [
    (by_functions, (np.array([0.2, 0.4, 0.6]),), 0),
    (stencil, (R.normal(size=12), 5), 0), (recurrence, (R.normal(size=6),), 0),
    (network, (R.normal(size=(3, 4)), R.normal(size=(4, 2)), R.normal(size=(5, 3)), R.normal(size=(5, 2))), (0, 1)),
    (rows_kept, (R.normal(size=(3, 3)), R.normal(size=(6, 3))), (0, 1)), (newton, (2.0,), 0),
    (adaptive, (1.0, 3.0), 0), (long_while, (1.5, 27), 0), (softmax, (R.normal(size=5),), 0),
    (affine, ({"w": R.normal(size=(3, 2)), "b": np.zeros(2)}, R.normal(size=(4, 3))), 0),
    (gaussian, (MATRIX @ MATRIX.T + np.eye(4), np.ones(4)), (0, 1)), (scaled, (1.5, 0.5), (0, 1)),
    (single, (R.normal(size=5).astype("float32"),), 0), (products, (R.normal(size=3),), 0),
]  # fmt: skip


def spectrum(x, k):
    f = np.fft.rfft(x)
    return np.sum(np.abs(f) ** 2) + np.sum(np.fft.irfft(f * k, n=len(x)) ** 3)


def running_products(x):
    return np.sum(np.cumprod(1.0 + 0.1 * x)) + np.sum(np.cumprod(np.outer(x, x), axis=0) ** 2)


def neighbours(xs):
    ys = [x * x for x in xs]
    total, last = 0.0, 1.0
    for a, b in zip(ys, ys[1:], strict=False):  # noqa: RUF007
        total, last = total + a * b * last, np.sin(last + b)
    return total * last + max(ys)


def statistics_of_some(x, y):
    m = x > 0.0
    some = x[m]
    kept = np.zeros(len(x))
    kept[m] = np.log(some) / (1.0 + y[m] ** 2)
    kept[~m] += np.mean(some) - np.max(some)
    return kept @ y + np.std(some) * some.size + np.linalg.norm(some) / len(some) + some @ some


def some_rows(a):
    a = a.copy()
    m = a[:, 0] > 0.0
    for i in range(3):
        m = a[:, 0] > 0.2 * i
        a[m, 1:] = 0.5 * a[m, 1:] ** 2
        a[~m] *= 0.9
    return np.sum(a[m].mean(axis=0)) + np.sum(np.sqrt(a[a > 0.1]))


def some_integers(x, k):
    m = k != 0
    found = np.zeros(len(k))
    found[m] = 10 // k[m] * x[m]
    return np.sum(found ** 2) + np.sum(10 % k[m]) * x[0]


OTHERS = [
    (statistics_of_some, (R.normal(size=6), R.normal(size=6)), None), (some_rows, (R.normal(size=(5, 3)),), None),
    (some_integers, (R.normal(size=4), np.array([3, 0, 4, -3])), 0),
    (spectrum, (R.normal(size=8), R.normal(size=5)), None), (spectrum, (R.normal(size=5), R.normal(size=3)), None),
    (running_products, (R.normal(size=5),), None), (running_products, (np.array([0.5, 0.0, -0.3]),), None),
    (neighbours, ([0.5, 2.0, -1.0, 0.3],), None),
]
"""Selections by masks, transforms, running products, and loops along lists of several lengths."""


def agree(found: Any, wanted: Any, tolerance: float = 1e-9) -> None:
    assert type(found) is type(wanted)
    assert np.allclose(list(numbers(found)), list(numbers(wanted)), rtol=tolerance, atol=tolerance)


def taken(f: Callable[..., Any], *args: Any) -> bool:
    """Whether XLA computes a verb at these arguments."""
    return ccc.explain(f, *copy.deepcopy(args)).backend == "xla"


@pytest.mark.share(12)
@pytest.mark.parametrize(("f", "args", "wrt"), [*PROGRAMS, *OTHERS], ids=lambda x: getattr(x, "__name__", ""))
def test_values_gradients_and_pullbacks_agree(f: Callable[..., Any], args: tuple[Any, ...], wrt: Any):
    tolerance = 1e-5 if f is single else 1e-9
    agree(ccc.compiled(f, backend="xla")(*copy.deepcopy(args)), f(*copy.deepcopy(args)), tolerance)
    gradient = ccc.gradient(f, wrt=wrt, backend="xla")
    wanted = ccc.gradient(f, wrt=wrt, backend="numpy")(*copy.deepcopy(args))
    agree(gradient(*copy.deepcopy(args)), wanted, tolerance)
    agree(ccc.pullback(f, wrt=wrt, backend="xla")(*copy.deepcopy(args))(1.0), wanted, tolerance)
    assert taken(gradient, *args) and taken(ccc.compiled(f, backend="xla"), *args)


def test_one_compiled_function_serves_other_sizes_and_longer_tapes():
    gradient = ccc.gradient(long_while, backend="xla")
    wanted = ccc.gradient(long_while, backend="numpy")
    for n in (1, 7, 97, 871):  # up to 178 turns
        agree(gradient(1.5, n), wanted(1.5, n))
    gradient, wanted = ccc.gradient(recurrence, backend="xla"), ccc.gradient(recurrence, backend="numpy")
    for n in (1, 3, 8):
        agree(gradient(np.arange(n) * 1.0), wanted(np.arange(n) * 1.0))


def raises(f: Callable[..., Any], *args: Any) -> None:
    for verb in (ccc.compiled, ccc.gradient):
        compiled = verb(f, backend="xla")
        with pytest.raises(Exception) as plain:
            f(*args)
        with pytest.raises(type(plain.value), match=None) as found:
            compiled(*args)
        assert str(found.value) == str(plain.value)


def test_what_python_raises_is_raised():
    def at(xs, i):
        return xs[i] * xs[-1]

    def root(x):
        return math.sqrt(x)

    def quotient(x, y):
        return x / y

    def checked(x):
        if x < 0:
            raise ValueError(f"negative: {x}")
        return x * x

    raises(at, np.ones(3), 5)
    raises(at, [1.0, 2.0], -3)
    raises(root, -1.0)
    raises(quotient, 1.0, 0.0)
    raises(checked, -2.0)
    f: Any
    for f, args in ((at, (np.ones(3), 1)), (root, (2.0,)), (checked, (3.0,))):
        agree(ccc.compiled(f, backend="xla")(*args), f(*args))
        assert taken(ccc.gradient(f, backend="xla"), *args)


def test_selections_go_together_where_their_masks_are_the_same():
    def product(x, y):
        return np.sum(x[x > 0.0] * y[y > 0.0])

    def largest(x):
        return np.max(x[x > 0.0])

    up, mixed = np.array([1.0, 2.0, -1.0]), np.array([-1.0, 2.0, 3.0])
    for verb in (ccc.compiled, ccc.gradient):
        agree(verb(product, backend="xla")(up, up), verb(product, backend="numpy")(up, up))
        agree(verb(product, backend="xla")(up, mixed), verb(product, backend="numpy")(up, mixed))
        assert taken(verb(product, backend="xla"), up, up)
    raises(product, up, np.ones(3))
    raises(largest, -np.ones(3))
    agree(ccc.compiled(lambda x: x[x > 0.0] * 2.0, backend="xla")(up), np.array([2.0, 4.0]))


def test_integers_of_python_that_are_too_large_are_left_to_python():
    def power(x, n):
        k = 1
        for _ in range(n):
            k = k * 7
        return x * k

    compiled = ccc.compiled(power, backend="xla")
    for n in (3, 40):
        agree(compiled(2.0, n), power(2.0, n))


def test_what_is_not_taken_says_so():
    def drawn(x, names):
        return x * len(names)

    def factorial(x, n):
        return x if n == 0 else n * factorial(x, n - 1)

    gradient = ccc.gradient(factorial, wrt="x", backend="xla")
    said = ccc.explain(gradient, 2.0, 3).backend
    assert said.startswith("numpy: xla code does not take") and "calls itself" in said
    assert gradient(2.0, 3) == 6.0
    assert ccc.gradient(drawn, wrt="x", backend="xla")(2.0, ["a", "b"]) == 2.0


def named_by_sign(x):
    name = "small" if x < 0.0 else "large"
    return x * len(name) if name == "small" else x


def test_values_of_classes_that_jax_does_not_have_are_named() -> None:
    gradient = ccc.gradient(named_by_sign, backend="xla")
    said = "values of the class `str` of which a branch or a loop gives one or another"
    assert ccc.explain(gradient, 2.0).backend == f"numpy: xla code does not take {said}"
    assert gradient(-2.0) == 5.0 and gradient(2.0) == 1.0


def some_kept(x):
    kept = []
    for v in x:
        if v > 0.0:
            kept.append(v)
    return sum(kept) * len(kept)


def kept_by_while(x):
    kept = []
    for v in x:
        while v < 1.0:
            v = v * 1.5 + 0.4
            kept.append(v)
    return sum(kept)


@pytest.mark.parametrize("f", [some_kept, kept_by_while])
def test_a_list_made_longer_in_some_turns_is_left_to_numpy(f: Callable[..., Any]):
    x = np.array([0.3, -0.4, 0.5])
    gradient = ccc.gradient(f, backend="xla")
    assert ccc.explain(gradient, x).backend.endswith("a list that a loop makes longer in some turns")
    agree(gradient(x), ccc.gradient(f, backend="numpy")(x))


def test_auto_does_not_choose_what_is_only_for_those_who_ask():
    from ccc.compile.api.targets import TARGETS, candidate

    chosen = candidate()
    assert TARGETS["xla"].asked_only and chosen is not None and chosen.name != "xla"


def kept_from_the_end(x):
    last, kept = 0.0, np.zeros((len(x), 2))
    for i in range(len(x) - 1, -1, -1):
        last = 0.9 * last + x[i] ** 2
        kept[i, 1] = last
    return np.sum(kept ** 2)


def from_the_one_before(x):
    y = x.copy()
    for i in range(1, len(x)):
        y[i] = y[i - 1] * x[i]
    return np.sum(y ** 2)


def from_the_next(x):
    y = x.copy()
    for i in range(len(x) - 1):
        y[i] = y[i + 1] ** 2
    return np.sum(y ** 2)


def from_itself(x):
    y = x.copy()
    for i in range(len(x)):
        y[i] = y[i] ** 2 + y[i - 1]
    return np.sum(y ** 2)


def shifted_again(x):
    y = x.copy()
    for i in range(len(x) - 2):
        y[i + 1] = x[i] * 2.0
        y[i + 2] = x[i] * y[i + 1]
    return np.sum(y ** 2)


@pytest.mark.share(2)
@pytest.mark.parametrize(("f", "number"), [
    (kept_from_the_end, 1), (from_the_one_before, 1), (from_the_next, 0), (from_itself, 0), (shifted_again, 1)])
def test_a_store_that_no_later_turn_looks_at_is_made_behind_the_loop(
    f: Callable[..., Any], number: int, monkeypatch: pytest.MonkeyPatch
):
    from ccc.compile.xla import stores

    made, real = set(), stores.made
    monkeypatch.setattr(stores, "made", lambda e, store, x: made.add(store.let) or real(e, store, x))
    x = R.normal(size=5)
    agree(ccc.gradient(f, backend="xla")(x), ccc.gradient(f, backend="numpy")(x))
    assert len(made) == number


def test_differentials_and_directions():
    x, d = R.normal(size=4), np.ones(4)
    for backend in ("numpy", "xla"):
        value, differential = ccc.value_with_differential(softmax, backend=backend)(x)
        moved = differential(d)
        if backend == "numpy":
            wanted = value, moved, ccc.jvp(softmax, (x,), (d,)), ccc.hvp(softmax)(x, d)
        else:
            second = ccc.hvp(softmax, backend="xla")(x, d)
            found = value, moved, ccc.jvp(softmax, (x,), (d,), backend="xla"), second
            assert np.allclose(list(numbers(found)), list(numbers(wanted)))


def says(x, n):
    for i in range(n):
        print("turn", i, x)
        x = x * 1.5
    if x > 100.0:
        raise ValueError("large")
    return x


def test_threads_trace_in_their_own_way():
    from ccc.compile.xla.saying import Saying

    saying, ways = Saying(True), []
    saying.way.inside = True  # where this thread is inside of what JAX traces, another is not
    other = threading.Thread(target=lambda: ways.append((saying.way.inside, saying.way.ordered)))
    other.start()
    other.join()
    assert ways == [(False, True)] and saying.way.inside


def test_what_is_printed_is_printed_once_and_in_order(capsys: pytest.CaptureFixture[str]):
    import jax

    compiled, gradient = ccc.compiled(says, backend="xla"), ccc.gradient(says, wrt="x", backend="xla")
    assert taken(gradient, 2.0, 2)
    for run, x in ((compiled, 2.0), (gradient, 2.0), (compiled, 90.0)):
        said = f"turn 0 {x}\nturn 1 {1.5 * x}\n"
        if x > 40.0:  # it raises at the end, and NumPy computes it again
            with pytest.raises(ValueError, match="large"):
                run(x, 2)
        else:
            run(x, 2)
        assert capsys.readouterr().out == said
    jax.jit(compiled)(np.float32(2.0), 2)
    jax.effects_barrier()
    assert sorted(capsys.readouterr().out.splitlines()) == ["turn 0 2.0", "turn 1 3.0"]


def primitives_in(jaxpr: Any) -> set[str]:
    """The names of all primitives of JAX in what it traced."""
    import jax

    found = {equation.primitive.name for equation in jaxpr.eqns}
    for inner in jax.tree.leaves([equation.params for equation in jaxpr.eqns]):
        if hasattr(inner, "eqns"):
            found |= primitives_in(getattr(inner, "jaxpr", inner))
    return found


@pytest.mark.parametrize(("f", "args"), [(stencil, (np.ones(6), 2)), (adaptive, (1.0, 3.0)), (says, (1.0, 2))])
def test_nothing_is_called_back(f: Callable[..., Any], args: tuple[Any, ...]):
    from ccc.compile.api.wrapper import Transform

    gradient: Any = ccc.gradient(f, wrt=0, backend="xla")
    assert isinstance(gradient, Transform)
    code = gradient.found(args, {})[2]
    found = primitives_in(code.call.within.compiled.first.jaxpr)  # type: ignore[attr-defined]
    called = {name for name in found if "callback" in name}
    assert {"while", "scan"} & found and called == ({"debug_callback"} if f is says else set())


def test_a_differential_says_at_once_that_it_is_not_taken():
    def factorial(x, n):
        return x if n == 0 else n * factorial(x, n - 1)

    differential = ccc.value_with_differential(factorial, wrt="x", backend="xla")
    assert "calls itself" in ccc.explain(differential, 2.0, 3).backend
    assert differential(2.0, 3)[1](1.0) == 6.0
