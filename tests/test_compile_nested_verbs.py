"""Every differential verb inside compiled programs: on closures and arguments, as a value, composed, in any mode; and
the programs that confuse perturbations where derivatives share tags or tapes, in every combination of modes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value, value_of

import ccc
import ccc.compile.terms.host
from ccc.compile.diagnostics import CompileError

EXPONENTIALS = (ccc.Delta, ccc.AdditiveMap, ccc.AnyDerivative)
X = np.array([0.3, 0.7])


@pytest.fixture(autouse=True)
def staged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here runs on the host base."""

    def refused(*_: Any) -> None:
        raise AssertionError("the program was not staged")

    monkeypatch.setattr(ccc.compile.terms.host, "on_host", refused)


# -- each verb, of closures over outer variables -----------------------------------------------------------------------


def cube(v: Any) -> Any:
    return np.array([v[0] ** 3 * v[1], math.sin(v[0]) + v[1] ** 2, v[1]])


def quartic(v: Any) -> Any:
    return np.sum((v - 1.0) ** 4) + v[0] * v[1]


def with_gradient(x: float) -> float:
    value, slope = ccc.value_with_gradient(lambda t: t * t * x)(x)
    return value * slope


def with_pullback(x: float) -> float:
    value, pullback = ccc.value_with_pullback(lambda a: (a * x, a**2))(x)
    return ccc.derivative(lambda c: pullback((c * c, c)) * x)(x) + value[1]


def with_differential(x: float) -> float:
    value, differential = ccc.value_with_differential(lambda t: t * t * x)(x)
    total = value * differential(x) + differential(2)
    for i in range(3):
        total = total + differential(x * i) * value
    return total


def differential_of_several(x: float) -> float:
    _, differential = ccc.value_with_differential(lambda a, b, n: (a * b * x, a**n))(x, 2.0 * x, 3)
    down, across = differential(1.0, x, None)
    return down * across


def differential_of_some(x: float) -> float:
    _, differential = ccc.value_with_differential(lambda a, b: a * b * b * x, wrt="b")(x, 2.0 * x)
    return differential(x)


def jax_vjp(x: float) -> float:
    value, pullback = ccc.vjp(lambda a, b: (a * b * x, a), x, 2.0 * x)
    return pullback((value[0], 1.0))[0] * pullback((1.0, x))[1]


def jax_jvp(x: float) -> float:
    value, tangent = ccc.jvp(lambda a, b: (a * b * x, a), (x, 2.0 * x), (1.0, x))
    return tangent[0] * tangent[1] * value[0]


def jax_grad(x: float) -> float:
    f = lambda a, b: a * b * b  # noqa: E731
    value, slope = ccc.value_and_grad(f)(x, x)
    return value * slope + ccc.grad(f, 1)(x, x) + sum(ccc.grad(f, argnums=(0, 1))(x, x))


def newton(x: np.ndarray) -> Any:
    for _ in range(3):
        x = x - np.linalg.solve(ccc.hessian(quartic)(x), ccc.gradient(quartic)(x))
    return np.sum(x)


VERBS: dict[str, tuple[Callable[..., Any], Any]] = {
    "gradient": (lambda x: ccc.gradient(lambda t: t**3 * x)(x), 0.7),
    "derivative": (lambda x: np.sum(ccc.derivative(lambda t: np.array([t, t * t * x]))(x) ** 2), 0.7),
    "value_with_gradient": (with_gradient, 0.7),
    "value_with_pullback": (with_pullback, 0.7),
    "value_with_differential": (with_differential, 0.7),
    "value_with_differential, several arguments": (differential_of_several, 0.7),
    "value_with_differential, wrt": (differential_of_some, 0.7),
    "hvp": (lambda x: np.sum(ccc.hvp(lambda v: np.sum(v**3) * v[0])(x, x * 2.0)), X),
    "hvp of a number": (lambda x: ccc.hvp(lambda v: v**3 * x)(x, x), 0.7),
    "jacobian": (lambda x: np.sum(ccc.jacobian(cube)(x) ** 2), X),
    "jacobian of a number": (lambda x: ccc.jacobian(lambda t: t**3 * x)(x), 0.7),
    "jacobian of a matrix": (
        lambda x: np.sum(ccc.jacobian(lambda m: m @ m)(x) ** 2),
        np.array([[0.1, 0.2], [0.3, 0.4]]),
    ),
    "jacfwd": (lambda x: np.sum(ccc.jacfwd(cube)(x) ** 2), X),
    "jacfwd at a number": (lambda x: np.sum(ccc.jacfwd(lambda t: np.array([t, t * t * x]))(x) ** 2), 0.7),
    "jacrev": (lambda x: np.sum(ccc.jacrev(cube)(x) ** 2), X),
    "hessian": (lambda x: np.linalg.det(ccc.hessian(lambda v: np.sum(v**3) * v[0])(x)), X),
    "hessian of a number": (lambda x: ccc.hessian(lambda v: v**3 * x)(x), 0.7),
    "newton": (newton, X),
    "grad, value_and_grad": (jax_grad, 0.7),
    "vjp": (jax_vjp, 0.7),
    "jvp": (jax_jvp, 0.7),
}


@pytest.mark.share(2)
@pytest.mark.parametrize("name", VERBS)
def test_each_verb(name: str) -> None:
    agrees(*VERBS[name])


def test_the_verbs_agree_with_each_other() -> None:
    forward, backward = ccc.jacfwd(cube)(X), ccc.jacrev(cube)(X)
    assert np.allclose(forward, backward, rtol=1e-15)
    assert np.allclose(ccc.hessian(quartic)(X) @ X, ccc.hvp(quartic)(X, X), rtol=1e-15)
    assert np.allclose(ccc.jvp(cube, (X,), (X,))[1], forward @ X, rtol=1e-15)
    assert np.allclose(ccc.vjp(cube, X)[1](np.ones(3))[0], np.ones(3) @ forward, rtol=1e-15)


# -- as values ---------------------------------------------------------------------------------------------------------


def applied(operator: Callable[..., Any], f: Callable[..., Any], x: float) -> float:
    return operator(f)(x)


def of_the_sum(f: Callable[[float], float]) -> Callable[[float], float]:
    return ccc.gradient(lambda t: f(t) * t)


by_b = partial(ccc.gradient, wrt="b")


def chosen(x: float) -> float:
    operator = ccc.gradient if x > 0 else ccc.derivative
    h = operator(lambda t: t * t * x) if x > 1 else operator(lambda t: t**3 * x)
    return h(x)


def stored(x: float) -> float:
    total = 0.0
    for operator in (ccc.gradient, ccc.derivative, ccc.grad, ccc.jacfwd, ccc.jacrev, ccc.hessian, ccc.jacobian):
        total += operator(lambda t: t**3 * x)(x)  # type: ignore[operator]
    held = {"first": ccc.gradient(math.sin), "second": [ccc.derivative(lambda t: t * x)]}
    return total * held["first"](x) + held["second"][0](x)  # type: ignore[operator, index]


def repeated(f: Callable[..., Any], n: int) -> Callable[..., Any]:
    return f if n == 0 else repeated(ccc.gradient(f), n - 1)


def in_parts(x: float) -> float:
    f = lambda a, b, c: a * b * b * x * c  # noqa: E731
    third, first = ccc.gradient(f, wrt=("c", "a"))(x, 2.0 * x, 3.0)
    named = ccc.gradient(f, wrt="c")(x, b=2.0 * x, c=3.0 * x)
    return third * first + named + partial(ccc.gradient, wrt=1)(f)(x, x, x) + by_b(lambda a, b: a * b * b)(x, x)


def of_a_choice(x: float) -> float:
    f = (lambda t: t * t * x) if x > 1 else (lambda t: t**3 * x)
    return ccc.gradient(f)(x)


def of_structures(x: float) -> float:
    f = lambda v: v[0] * v[1] * x  # noqa: E731
    a, b = ccc.gradient(f)((x, 2.0 * x))
    held = ccc.gradient(lambda v: v["a"] * v["b"][0])({"a": x, "b": (x, 1.0)})
    return a * b + sum(ccc.gradient(f)([x, 2.0 * x])) + held["a"] * held["b"][0]


def higher_order(x: float) -> float:
    def squared(f: Callable[[float], float]) -> Callable[[float], float]:
        return lambda t: f(t) ** 2

    return ccc.gradient(squared(ccc.gradient(squared(math.sin))))(x)


VALUES: dict[str, Callable[[float], Any]] = {
    "passed": lambda x: applied(ccc.gradient, lambda t: t * t * x, x) + applied(ccc.derivative, math.sin, x),
    "composed": lambda x: ccc.gradient(ccc.gradient(lambda t: t**4 * x))(x),
    "an operator of the user's": lambda x: of_the_sum(of_the_sum(math.sin))(x),
    "chosen": chosen,
    "stored": stored,
    "repeated": lambda x: repeated(lambda t: t**5 * x, 3)(x),
    "wrt": in_parts,
    "of a choice": of_a_choice,
    "of structures": of_structures,
    "of a function of functions": higher_order,
    "partial": lambda x: partial(ccc.jvp, lambda a: a**3 * x)((x,), (1.0,))[1],
}


@pytest.mark.parametrize("name", VALUES)
def test_verbs_are_values(name: str) -> None:
    agrees(VALUES[name], 0.7)


# -- in loops ----------------------------------------------------------------------------------------------------------


def descended(x: float, n: int) -> float:
    s = x
    for i in range(n):
        _, differential = ccc.value_with_differential(lambda t: (t * t - x) ** 2 * (i + 1))(s)  # noqa: B023
        s = s - 0.1 * differential(1.0)
    return s


def until_flat(x: float) -> float:
    s = x
    while abs(slope := ccc.derivative(lambda t: (t * t - x) ** 2)(s)) > 1e-3:
        s = s - 0.1 * slope
    return s


def jacobians(x: np.ndarray, n: int) -> Any:
    for _ in range(n):
        x = x - 0.1 * ccc.jacfwd(lambda v: v * v * np.sum(x))(x) @ x  # noqa: B023
    return np.sum(x)


def test_verbs_in_loops() -> None:
    agrees(descended, 0.7, 4)
    agrees(descended, 0.7, 0)
    agrees(until_flat, 0.7)
    agrees(jacobians, X, 3)


# -- pullbacks from outside --------------------------------------------------------------------------------------------


def test_a_pullback_of_an_earlier_call_is_known_inside() -> None:
    _, pullback = ccc.value_with_pullback(lambda a, b: a * a * b)(2.0, 3.0)
    _, differential = ccc.value_with_differential(lambda a: (a**3, a))(2.0)

    def f(x: float) -> float:
        return pullback(x * x)[0] * differential(x)[0]

    agrees(f, 0.7)
    assert ccc.gradient(f)(0.7) == pytest.approx(3 * 12.0 * 12.0 * 0.49)


def test_one_at_arrays_is_refused_by_name() -> None:
    _, pullback = ccc.value_with_pullback(lambda a: a * a)(X)
    with pytest.raises(CompileError, match="this pullback was made outside of the program"):
        ccc.gradient(lambda x: np.sum(pullback(x)))(X)


def test_one_whose_function_reads_another_number_now_is_refused_by_name() -> None:
    scale = 2.0
    _, pullback = ccc.value_with_pullback(lambda a: a * scale)(1.0)
    f = ccc.gradient(lambda x: pullback(x * x))
    assert f(3.0) == 12.0
    scale = 5.0
    with pytest.raises(CompileError, match="this pullback was made outside of the program"):
        f(3.0)


# -- refusals ----------------------------------------------------------------------------------------------------------


def ever_deeper(x: float, n: int) -> float:
    return x if n == 0 else ccc.derivative(lambda t: ever_deeper(t, n - 1) * t)(x)


def test_what_is_refused() -> None:
    with pytest.raises(CompileError, match="a derivative of `ever_deeper` inside `ever_deeper` itself"):
        ccc.gradient(ever_deeper)(0.7, 3)
    with pytest.raises(CompileError, match="takes 2 tangents"):
        value_of(lambda x: ccc.value_with_differential(lambda a, b: a * b)(x, x)[1](1.0), 0.5)
    with pytest.raises(CompileError, match="a pullback takes one cotangent"):
        value_of(lambda x: ccc.value_with_pullback(lambda a: a)(x)[1](1.0, 2.0), 0.5)


def test_what_the_function_raises_is_raised() -> None:
    agrees_in_value(lambda x: ccc.gradient(lambda t: math.log(t))(x), -1.0)
    agrees_in_value(lambda x: ccc.value_with_differential(lambda t: 1.0 / t)(x)[1](1.0), 0.0)


# -- confusion of perturbations and sensitivities ----------------------------------------------------------------------


def forward(f: Callable[[float], float]) -> Callable[[float], float]:
    """The derivative by forward mode."""
    return lambda x: ccc.value_with_differential(f)(x)[1](1.0)


def reverse_under(exponential: Any) -> Callable[..., Any]:
    """The derivative by reverse mode under an exponential."""
    return lambda f: ccc.gradient(f, exponential=exponential())


def modes() -> dict[str, Callable[..., Any]]:
    return {"forward": forward, **{e.__name__: reverse_under(e) for e in EXPONENTIALS}}


MODES = tuple(modes())
CONFUSING: dict[str, tuple[Callable[[Any, Any], Callable[[float], Any]], float, float]] = {
    # what is differentiated, made of the outer and the inner derivative; where; and the exact answer
    "x D(x + y)": (lambda D, d: D(lambda x: x * d(lambda y: x + y)(1.0)), 1.0, 1.0),
    "x D(x y)": (lambda D, d: D(lambda x: x * d(lambda y: x * y)(2.0)), 1.0, 2.0),
    "x D(x y) at x": (lambda D, d: D(lambda x: x * d(lambda y: x * y)(x)), 3.0, 6.0),
    "D(y x D(x y z))": (lambda D, d: D(lambda x: d(lambda y: y * D(lambda z: x * y * z)(3.0))(x)), 0.5, 4.0 * 0.5),
    "captured result": (lambda D, d: D(lambda x: d(lambda y: x * x * y)(x * x * x)), 2.0, 4.0),
    "a curried function": (
        lambda D, d: D(lambda x: d((lambda a: lambda y: a * y * y)(x * x))(x)),
        2.0,
        3.0 * 2.0 * 4.0,
    ),
    "a function that is returned": (lambda D, d: (lambda held: d(held)(3.0))(D(lambda x: x**3)), 3.0, 18.0),
    "an inner derivative of the outer variable": (lambda D, d: D(lambda x: d(lambda x: x * x)(x) * x), 3.0, 12.0),
    "an inner constant": (lambda D, d: D(lambda x: x * d(lambda y: 5.0 * x)(2.0)), 3.0, 0.0),
    "twice": (lambda D, d: D(lambda x: d(lambda y: d(lambda z: x * y * z * z)(y))(x)), 2.0, 4.0 * 2.0 * 2.0),
    "a second derivative": (lambda D, d: D(d(lambda x: x**4)), 2.0, 48.0),
}


@pytest.mark.share(2)
@pytest.mark.parametrize("inner", MODES)
@pytest.mark.parametrize("outer", MODES)
@pytest.mark.parametrize("name", CONFUSING)
def test_perturbations_are_not_confused(name: str, outer: str, inner: str) -> None:
    make, x, exact = CONFUSING[name]
    D, d = modes()[outer], modes()[inner]
    if name == "a function that is returned":
        assert make(D, d) == exact
        assert value_of(lambda x: d(D(lambda t: t**3))(x), x) == exact
        return
    assert make(D, d)(x) == exact
    assert value_of(lambda x: make(D, d)(x), x) == exact


@pytest.mark.parametrize("first", MODES)
@pytest.mark.parametrize("second", MODES)
def test_the_mixed_law(first: str, second: str) -> None:
    """The gradient of <grad f, v> is the Hessian times v, in every combination of modes, and exact on integers."""
    D, d = modes()[first], modes()[second]

    def f(x: float, y: float) -> float:
        return x**3 * y + 2.0 * x * y * y

    def slope(x: float, y: float, v: float, w: float) -> float:
        return v * d(lambda a: f(a, y))(x) + w * d(lambda b: f(x, b))(y)

    found = D(lambda x: slope(x, 5.0, 7.0, -2.0))(3.0), D(lambda y: slope(3.0, y, 7.0, -2.0))(5.0)
    hxx, hxy, hyy = 6 * 3 * 5, 3 * 9 + 4 * 5, 4 * 3
    assert found == (7 * hxx - 2 * hxy, 7 * hxy - 2 * hyy)


# -- what is captured from outside, read inside a nested derivative and outside ----------------------------------------

CONSTANT = 3.0


@dataclass
class Settings:
    scale: float
    weights: np.ndarray


SETTINGS = Settings(2.0, np.array([1.0, 3.0]))


def scaled(p: float) -> float:
    return CONSTANT * p * p


def weighted(p: float) -> Any:
    return SETTINGS.scale * np.sum(SETTINGS.weights * p * p)


def square_times(c: float) -> Callable[[float], float]:
    return lambda p: c * p * p


THREE, FOUR = square_times(3.0), square_times(4.0)


def sum_of_both(p: float) -> float:
    return THREE(p) + FOUR(p)


READ_TWICE: list[tuple[Callable[[float], Any], Callable[[float], float]]] = [
    (lambda p: ccc.grad(scaled)(p) * CONSTANT, lambda p: 18.0 * p),
    (lambda p: CONSTANT * ccc.grad(scaled)(p), lambda p: 18.0 * p),
    (lambda p: scaled(ccc.grad(scaled)(p)), lambda p: 108.0 * p * p),
    (lambda p: ccc.grad(lambda q: ccc.grad(scaled)(q) * CONSTANT * q)(p) * scaled(p), lambda p: 108.0 * p**3),
    (lambda p: ccc.grad(weighted)(p) * SETTINGS.scale, lambda p: 32.0 * p),
    (lambda p: SETTINGS.scale * ccc.grad(weighted)(p) * np.sum(SETTINGS.weights), lambda p: 128.0 * p),
    (lambda p: ccc.value_with_pullback(scaled)(p)[1](CONSTANT) * CONSTANT, lambda p: 54.0 * p),
    (lambda p: ccc.jvp(scaled, (p,), (CONSTANT,))[1] * scaled(p), lambda p: 54.0 * p**3),
    (lambda p: ccc.grad(sum_of_both)(p) * THREE(p), lambda p: 42.0 * p**3),
]


@pytest.mark.parametrize(("f", "by_hand"), READ_TWICE)
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_is_captured_is_read_inside_a_derivative_and_outside(f: Any, by_hand: Any, backend: str):
    """The name had no value, or that of another closure."""
    slope = (by_hand(1.5 + 1e-4) - by_hand(1.5 - 1e-4)) / 2e-4
    assert ccc.compiled(f, backend=backend)(1.5) == pytest.approx(by_hand(1.5), rel=1e-14)
    assert ccc.gradient(f, backend=backend)(1.5) == pytest.approx(slope, rel=1e-7)
    assert ccc.value_with_differential(f, backend=backend)(1.5)[1](1.0) == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_the_mean_of_a_gradient_of_a_mean_is_derived(backend: str):
    """The product of two numbers, each spread to an array, was a number: one that was summed counted once."""
    def f(x: np.ndarray) -> Any:
        return np.mean(ccc.gradient(lambda x: x[0] * np.mean(x * x[1]))(x))

    assert np.allclose(ccc.gradient(f, backend=backend)(np.array([0.5, 2.0, 3.0])), [14 / 9, 19 / 18, 5 / 18])
    assert np.allclose(
        ccc.gradient(lambda x, p: np.sum(ccc.gradient(lambda x: np.sum(x ** p))(x)), wrt="x", backend=backend)(
            np.array([0.0, 2.0]), 2.0),
        [2.0, 2.0])
