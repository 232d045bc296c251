"""Custom derivatives: rules of functions, in every mode and order, inside programs of every kind."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from checks import agrees, agrees_in_value

import ccc
from ccc.compile.diagnostics import CompileError, WrongArguments
from ccc.compile.frontend import custom
from ccc.errors import MissingDerivative, NotLinear

SCALE = 2.0
BIAS = np.array([1.0, 2.0])


def cube(x: Any) -> Any:
    return x * x * x


@ccc.derivative_of(cube)
def cube_rule(x: Any) -> Any:
    return cube(x), lambda ct: ct * 3.0 * x * x


def product(x: Any, y: Any) -> Any:
    return x * y


@ccc.derivative_of(product)
def product_rule(x: Any, y: Any) -> Any:
    def pullback(ct: Any) -> Any:
        return ct * y, ct * x

    return x * y, pullback


def test_a_rule_is_the_derivative_and_not_the_body():
    def f(x: float) -> float:
        return x * x

    @ccc.derivative_of(f)
    def rule(x: float) -> Any:
        return x * x, lambda ct: ct * 100.0

    assert f(3.0) == 9.0
    assert ccc.gradient(f)(3.0) == 100.0
    assert ccc.gradient(lambda x: f(x) + x)(3.0) == 101.0
    assert ccc.value_with_pullback(f)(3.0)[1](2.0) == 200.0
    assert ccc.derivative(f)(3.0) == 100.0
    assert ccc.value_with_differential(f)(3.0)[1](2.0) == 200.0


def test_the_value_is_that_of_the_rule_where_a_derivative_is_taken():
    def f(x: float) -> float:
        return x

    @ccc.derivative_of(f)
    def rule(x: float) -> Any:
        return x + 1.0, lambda ct: ct

    assert ccc.value_with_gradient(f)(2.0) == (3.0, 1.0)
    assert ccc.compiled(f)(2.0) == 2.0


PROGRAMS = [
    lambda x: cube(x),
    lambda x: math.sin(cube(x)) * x + cube(cube(x) * 0.1),
    lambda x: product(cube(x), x) if x > 0.5 else product(x, x),
    lambda x: product(x, 3.0) + product(2.0, x),
]


def in_a_loop(x: float) -> float:
    s = x
    for k in range(4):
        s = cube(s) * 0.3 + product(s, x) if k % 2 else product(s, s) * 0.2 + s
    return s


def in_a_while(x: float) -> float:
    s = x
    while s < 3.0:
        s = s + cube(s) * 0.4 + 0.1
    return s


def in_a_closure(x: float) -> float:
    def g(y: float) -> float:
        return cube(y) * x

    return g(x) + g(2.0 * x) + max(map(g, [x, 0.5]))


def in_a_recursion(x: float) -> float:
    def go(n: int, s: float) -> float:
        return s if n == 0 else go(n - 1, cube(s) * 0.3 + product(s, x))

    return go(3, x)


def as_a_value(x: float) -> float:
    return functools.reduce(lambda s, f: f(s) * 0.5, [cube, math.sin, cube], x)


def with_a_derivative_inside(x: float) -> float:
    return ccc.gradient(lambda y: cube(y) * x)(x) + ccc.derivative(cube)(x)


@pytest.mark.parametrize(
    "f", [*PROGRAMS, in_a_loop, in_a_while, in_a_closure, in_a_recursion, as_a_value], ids=lambda f: f.__name__
)
@pytest.mark.parametrize("x", [0.7, 1.3])
def test_rules_in_programs(f: Any, x: float):
    agrees(f, x)


def test_rules_in_derivatives_inside_programs():
    assert ccc.gradient(with_a_derivative_inside)(1.5) == pytest.approx(9.0 * 1.5**2 + 6.0 * 1.5)
    assert ccc.compiled(with_a_derivative_inside)(1.5) == pytest.approx(3.0 * 1.5**3 + 3.0 * 1.5**2)


def test_derivatives_of_every_order_go_through_the_rule():
    third = ccc.derivative(ccc.derivative(ccc.derivative(cube)))
    assert [ccc.derivative(cube)(2.0), ccc.derivative(ccc.derivative(cube))(2.0), third(2.0)] == [12.0, 12.0, 6.0]
    assert ccc.gradient(ccc.gradient(ccc.gradient(cube)))(2.0) == 6.0


def test_arrays_and_their_shapes():
    agrees(lambda a: np.sum(cube(a) * 2.0), np.array([0.5, -1.0, 2.0]))
    agrees(lambda a, b: np.sum(product(a, b)), np.ones((2, 3)), np.full((2, 3), 2.0))
    assert ccc.gradient(lambda a: np.sum(cube(a)))(np.array([2.0], np.float32)).dtype == np.float32


def test_a_cotangent_of_another_shape_is_refused_when_it_runs():
    with pytest.raises(ccc.CCCError, match=r"gives a cotangent of shape \(3,\) for b of shape \(1,\)"):
        ccc.gradient(lambda a, b: np.sum(product(a, b)))(np.ones(3), np.ones(1))


@dataclass
class Point:
    x: float
    y: float

    def norm(self) -> float:
        return math.hypot(self.x, self.y)

    @property
    def area(self) -> float:
        return self.x * self.y


def test_methods_and_properties():
    @ccc.derivative_of(Point.norm)
    def norm_rule(self: Point) -> Any:
        r = self.norm()
        return r, lambda ct: Point(ct * self.x / r, 10.0)

    @ccc.derivative_of(Point.area)  # type: ignore[arg-type]
    def area_rule(self: Point) -> Any:
        return self.x * self.y, lambda ct: Point(ct * self.y, ct * 7.0)

    p = Point(3.0, 4.0)
    assert ccc.gradient(lambda p: p.norm())(p) == Point(0.6, 10.0)
    assert ccc.gradient(Point.norm)(p) == Point(0.6, 10.0)
    assert ccc.gradient(lambda p: 2.0 * p.area)(p) == Point(8.0, 14.0)


def test_structures_as_arguments_and_values():
    def f(p: Point, pair: Any, n: int) -> Any:
        return (p.x * pair[0] * n, {"a": pair[1] * p.y})

    @ccc.derivative_of(f)
    def rule(p: Point, pair: Any, n: int) -> Any:
        def pullback(ct: Any) -> Any:
            a, b = ct[0], ct[1]["a"]
            return Point(a * pair[0] * n, b * pair[1]), (a * p.x * n, b * p.y), None

        return f(p, pair, n), pullback

    def use(p: Point, u: float, v: float) -> float:
        first, second = f(p, (u, v), 3)
        return first * 2.0 + math.sin(second["a"])

    agrees(use, Point(1.5, 0.5), 0.3, 0.8)


def test_lists():
    def total(xs: Any) -> Any:
        return sum(xs)

    @ccc.derivative_of(total)
    def rule(xs: Any) -> Any:
        return sum(xs), lambda ct: [ct for _ in xs]

    agrees(lambda xs: total(xs) * xs[0], [1.0, 2.0, 3.0])


def test_zero_and_missing_cotangents():
    def f(x: float, y: float, n: int) -> float:
        return x * n + y

    @ccc.derivative_of(f)
    def rule(x: float, y: float, n: int) -> Any:
        return f(x, y, n), lambda ct: (ct * n, None, None)

    assert ccc.gradient(f)(1.0, 2.0, 3) == (3.0, 0.0, 0.0)


def test_keyword_arguments_and_defaults():
    def f(x: float, scale: float = 2.0) -> float:
        return x * scale

    @ccc.derivative_of(f)
    def rule(x: float, scale: float = 2.0) -> Any:
        return f(x, scale), lambda ct: (ct * scale, ct * x)

    assert ccc.gradient(lambda x, s: f(x, scale=s))(3.0, 5.0) == (5.0, 3.0)
    assert ccc.gradient(lambda x: f(x))(3.0) == 2.0
    assert ccc.gradient(f)(3.0) == 2.0


def scaled(x: Any) -> Any:
    return SCALE * x


@ccc.derivative_of(scaled)
def scaled_rule(x: Any) -> Any:
    return scaled(x), lambda ct: ct * SCALE * BIAS[0]


def test_what_body_and_rule_read_from_outside_is_read_anew():
    global SCALE
    f = ccc.gradient(lambda x: scaled(x) * x)
    assert f(3.0) == 12.0
    try:
        SCALE = 5.0
        assert f(3.0) == 30.0
        BIAS[0] = 10.0
        assert f(3.0) == 15.0 + 150.0
        assert ccc.derivative(ccc.derivative(lambda x: scaled(x) * x))(3.0) == 100.0
    finally:
        SCALE, BIAS[0] = 2.0, 1.0


def test_a_rule_that_comes_later_is_seen():
    def f(x: float) -> float:
        return x * x

    g = ccc.gradient(lambda x: f(x))
    assert [g(3.0), g(3.0), g(3.0)] == [6.0] * 3

    @ccc.derivative_of(f)
    def rule(x: float) -> Any:
        return x * x, lambda ct: ct * -1.0

    assert g(3.0) == -1.0


def test_recursive_functions_with_a_rule():
    def power(x: float, n: int) -> float:
        return 1.0 if n == 0 else x * power(x, n - 1)

    @ccc.derivative_of(power)
    def rule(x: float, n: int) -> Any:
        return power(x, n), lambda ct: (ct * n * power(x, max(n - 1, 0)), None)

    def use(x: float) -> float:
        return power(x, 4) + power(x, 2)

    agrees(use, 1.3)
    assert ccc.derivative(ccc.derivative(ccc.derivative(use)))(2.0) == 48.0


def test_loops_and_branches_in_rules():
    def horner(x: float, xs: Any) -> float:
        s = 0.0
        for c in xs:
            s = s * x + c
        return s

    @ccc.derivative_of(horner)
    def rule(x: float, xs: Any) -> Any:
        value, slope = 0.0, 0.0
        for c in xs:
            slope = slope * x + value
            value = value * x + c

        def pullback(ct: float) -> Any:
            found = []
            p = ct
            for _ in xs:
                found.append(p)
                p = p * x
            return ct * slope, found[::-1]

        return value, pullback

    agrees(lambda x, xs: horner(x, xs) * x, 1.3, [1.0, -2.0, 0.5])


def test_functions_of_other_modules(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(custom, "RULES", {**custom.RULES})  # that of the project knows what j1 is at zero
    special: Any = pytest.importorskip("scipy.special")

    @ccc.derivative_of(special.j0)
    def j0_rule(x: Any) -> Any:
        return special.j0(x), lambda ct: -ct * special.j1(x)

    @ccc.derivative_of(special.j1)
    def j1_rule(x: Any) -> Any:
        return special.j1(x), lambda ct: ct * (special.j0(x) - special.j1(x) / x)

    agrees(lambda x: special.j0(x) * x, 1.3)
    agrees(lambda a: np.sum(special.j0(a) * a), np.array([1.3, 0.4]))


def test_functions_that_cannot_be_read():
    def risky(x: float) -> float:
        try:
            return math.log(x)
        except ValueError:
            return -math.inf

    @ccc.derivative_of(risky)
    def risky_rule(x: float) -> Any:
        return risky(x), lambda ct: ct / x

    agrees(lambda x: risky(x) * x, 1.3)
    agrees_in_value(lambda x: risky(x), -1.0)


def test_a_rule_takes_the_place_of_a_known_one():
    @ccc.derivative_of(np.tanh)
    def rule(x: Any) -> Any:
        y = np.tanh(x)
        return y, lambda ct: ct * (1.0 - y * y) * 2.0

    try:
        assert ccc.gradient(lambda x: np.tanh(x))(0.0) == 2.0
        assert ccc.compiled(lambda x: np.tanh(x))(0.3) == np.tanh(0.3)
    finally:
        from ccc.compile.api import wrapper
        from ccc.compile.frontend import custom

        del custom.RULES[np.tanh]
        wrapper.forget()


def test_a_rule_that_cannot_be_compiled_is_called_as_it_is():
    def f(x: Any, y: float) -> Any:
        return x * y

    @ccc.derivative_of(f)
    def rule(x: Any, y: float) -> Any:
        async def unread() -> None:
            """What is not read in a function."""

        return x * y, lambda ct: (ct * y, float(np.sum(ct * x)))

    assert ccc.gradient(lambda x, y: f(x, y) * x)(1.5, 0.5) == (1.5, 2.25)
    found = ccc.gradient(lambda x, y: np.sum(f(x, y)))(np.array([1.0, 2.0]), 3.0)
    assert np.array_equal(found[0], [3.0, 3.0]) and found[1] == 3.0
    with pytest.raises(MissingDerivative, match=r"derivative of `f` is called as it is.*`async` is not supported"):
        ccc.gradient(ccc.gradient(lambda x: f(x, 2.0)))(1.0)
    with pytest.raises(MissingDerivative):
        ccc.derivative(lambda x: f(x, 2.0))(1.0)


def test_effects_of_a_function_with_a_rule(capsys: pytest.CaptureFixture[str]):
    def loud(x: float) -> float:
        print("computing", x)
        return math.exp(x)

    @ccc.derivative_of(loud)
    def rule(x: float) -> Any:
        y = loud(x)
        return y, lambda ct: ct * y

    assert ccc.gradient(loud)(0.0) == 1.0
    assert capsys.readouterr().out == "computing 0.0\n"
    assert ccc.compiled(lambda x: 2.0 * loud(x))(0.0) == 2.0
    assert capsys.readouterr().out == "computing 0.0\n"
    assert ccc.value_with_differential(loud)(0.0)[1](1.0) == 1.0
    ccc.compiled(lambda x: (loud(x), x)[1])(1.0)
    capsys.readouterr()
    assert ccc.gradient(lambda x: loud(x) + loud(x))(0.0) == 2.0
    assert capsys.readouterr().out == "computing 0.0\ncomputing 0.0\n"


def test_a_function_with_a_rule_raises_what_it_raises():
    def safe(x: float) -> float:
        if x < 0.0:
            raise ValueError("negative")
        return math.sqrt(x)

    @ccc.derivative_of(safe)
    def rule(x: float) -> Any:
        y = safe(x)
        return y, lambda ct: ct * 0.5 / y

    agrees(lambda x: safe(x) * x, 2.0)
    agrees_in_value(lambda x: (safe(x), x)[1], -1.0)
    with pytest.raises(ValueError, match="negative"):
        ccc.gradient(safe)(-1.0)


def test_machine_code_takes_the_programs():
    for f in (in_a_loop, in_a_while, in_a_closure):
        native = ccc.gradient(f, backend="native")
        assert native(0.7) == pytest.approx(ccc.gradient(f)(0.7), rel=1e-12)
        assert ccc.explain(ccc.gradient(f, backend="native"), 0.7).backend == "native"
    a = np.array([0.5, 2.0])
    assert np.allclose(ccc.gradient(lambda a: np.sum(cube(a)), backend="native")(a), 3.0 * a * a)


def test_a_function_known_by_its_rule():
    multiply = ccc.differentiable_function(lambda x, y: (x * y, lambda v: (v * y, v * x)))
    assert multiply(2.0, 3.0) == 6.0
    assert ccc.gradient(multiply)(2.0, 3.0) == (3.0, 2.0)
    assert ccc.gradient(multiply, wrt="y")(2.0, 3.0) == 2.0
    agrees(lambda x, y: multiply(x, math.sin(y)) * multiply(x, x), 2.0, 0.5)
    assert repr(multiply) == "differentiable_function(<lambda>)"


def test_a_function_known_by_its_rule_inside_a_program():
    def f(x: float, n: int) -> float:
        g = ccc.differentiable_function(lambda y: (y**n, lambda ct: ct * n * y ** (n - 1)))
        return g(x) + g(g(x))

    agrees(lambda x: f(x, 3), 1.2)


def test_a_rule_does_not_see_what_it_captures():
    def f(x: float, w: float) -> float:
        g = ccc.differentiable_function(lambda y: (y * w, lambda ct: ct * w))
        return g(x)

    with pytest.raises(CompileError, match=r"CC042.*does not see `w`"):
        ccc.gradient(f)(2.0, 3.0)

    def stopped(x: float, w: float) -> float:
        v = ccc.without_derivative(w)
        g = ccc.differentiable_function(lambda y: (y * v, lambda ct: ct * v))
        return g(x)

    assert ccc.gradient(stopped)(2.0, 3.0) == (3.0, 0.0)


def wrong_count(x: float, y: float) -> Any:
    return x * y, lambda ct: ct * y


def too_many(x: float, y: float) -> Any:
    return x * y, lambda ct: (ct, ct, ct)


def no_pullback(x: float, y: float) -> Any:
    return x * y


def another_value(x: float, y: float) -> Any:
    return (x, y), lambda ct: ct


def an_array(x: float, y: float) -> Any:
    return x * y, lambda ct: (np.ones(3), ct)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (wrong_count, "1 cotangent for 2 arguments"),
        (too_many, "3 cotangents for 2 arguments"),
        (no_pullback, "the rule of `f` gives a real number"),
        (another_value, r"a value of another structure|gives no value"),
        (an_array, "for `x`, which is a real number"),
    ],
)
def test_rules_that_give_something_else(rule: Any, message: str):
    def f(x: float, y: float) -> float:
        return x * y

    ccc.derivative_of(f)(rule)
    with pytest.raises(CompileError, match=message) as raised:
        ccc.gradient(lambda x, y: f(x, y))(2.0, 3.0)
    (found,) = raised.value.diagnostics
    assert found.code == "CC040"
    assert found.span is not None and found.span.file.endswith("test_compile_custom.py")


def test_a_pullback_that_is_not_linear_has_no_forward_mode():
    def f(x: float) -> float:
        return x

    @ccc.derivative_of(f)
    def rule(x: float) -> Any:
        return x, lambda ct: ct * abs(ct)

    assert ccc.gradient(f)(2.0) == 1.0
    with pytest.raises(NotLinear, match="the pullback of `f` is not linear"):
        ccc.derivative(f)(2.0)


def test_what_is_no_function_has_no_rule():
    with pytest.raises(WrongArguments):
        ccc.derivative_of(3.0)  # type: ignore[arg-type]
    with pytest.raises(WrongArguments):
        ccc.derivative_of(math.sin)(3.0)  # type: ignore[type-var]
    with pytest.raises(WrongArguments):
        ccc.differentiable_function(3.0)  # type: ignore[arg-type]


def test_the_exact_scalars():
    from fractions import Fraction

    assert ccc.gradient(cube)(Fraction(1, 3)) == Fraction(1, 3)


def squared(x: float) -> float:
    return x * x


@ccc.derivative_of(squared)
def squared_rule(x: float) -> Any:
    print("rule")

    def pullback(ct: float) -> float:
        print("pullback", ct)
        if ct > 50.0:
            raise OverflowError(f"exploded: {ct}")
        return ct * 2.0 * x

    return squared(x), pullback


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_what_a_pullback_prints_and_raises_happens_where_it_runs(capsys: pytest.CaptureFixture[str], backend: str):
    def printed() -> list[str]:
        return capsys.readouterr().out.splitlines()

    assert ccc.gradient(squared, backend=backend)(3.0) == 6.0
    assert printed() == ["rule", "pullback 1.0"]
    _, pullback = ccc.value_with_pullback(squared, backend=backend)(3.0)
    assert printed() == ["rule"]
    assert (pullback(1.0), pullback(2.0)) == (6.0, 12.0)
    assert printed() == ["pullback 1.0", "pullback 2.0"]
    with pytest.raises(OverflowError, match="exploded: 51") as raised:
        pullback(51.0)
    assert 'raise OverflowError(f"exploded: {ct}")' in raised.value.__notes__[0]
    printed()
    assert ccc.gradient(ccc.gradient(squared), backend=backend)(3.0) == 2.0
    assert printed() == ["rule", "pullback 1.0"]
    assert ccc.value_with_differential(squared, backend=backend)(3.0)[1](1.0) == 6.0
    assert not any(line.startswith("pullback") for line in printed())

    def loop(x: float, n: int) -> float:
        for _ in range(n):
            x = ccc.replace_gradient(x, shown) * 3.0
        return x

    assert ccc.gradient(loop, wrt="x", backend=backend)(1.0, 2) == 9.0
    assert printed() == ["cotangent 3.0", "cotangent 9.0"]


def shown(ct: float) -> float:
    print("cotangent", ct)
    return ct


@dataclass
class Layer:
    w: Any
    b: float


def layer(p: Layer, x: Any) -> Any:
    return {"y": np.tanh(p.w @ x + p.b), "n": 3}


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (layer, (Layer(np.full((2, 3), 0.1), 0.2), np.arange(3.0))),
        (lambda x: np.sum(np.abs(x)), (np.array([0.0, 1.0, -2.0]),)),
        (lambda x: np.sum(x**2), (np.linspace(0.0, 1.0, 50),)),
        (lambda x, n: x**n, (2.0, 3)),
    ],
)
def test_right_derivatives_agree_with_differences(f: Any, args: Any):
    ccc.check_derivative(f, *args)


def test_wrong_derivatives_do_not_agree_with_differences():
    wrong = ccc.differentiable_function(lambda x: (np.sum(x * x), lambda ct: ct * x))
    with pytest.raises(CompileError, match=r"CC041.*disagrees with differences") as raised:
        ccc.check_derivative(wrong, np.array([0.0, 1.0]))
    (found,) = raised.value.diagnostics
    assert found.notes[0].startswith("`x[1]` at 1.0: the derivative gives 1, differences 1.9999")
    assert found.span is not None and found.span.file == __file__ and found.help == "correct the cotangent of `x`"
    wrong = ccc.differentiable_function(lambda x: (np.sum(x * x), lambda ct: ct * np.sign(x)))
    with pytest.raises(CompileError, match="CC041"):
        ccc.check_derivative(wrong, np.linspace(0.0, 1.0, 50))


def test_tangents_argument_by_argument():
    """`defjvps` is JAX's: both modes, every order, an argument without derivative."""
    @ccc.custom_jvp
    def wave(x, y, n):
        return math.sin(x) * y + n

    wave.defjvps(lambda dx, value, x, y, n: (value - n) / math.tan(x) * dx, lambda dy, value, x, y, n: math.sin(x) * dy,
                 None)
    x, y = 0.3, 2.0
    assert ccc.gradient(wave)(x, y, 1.0) == pytest.approx((math.cos(x) * y, math.sin(x), 0.0), rel=1e-14)
    value, tangent = ccc.jvp(wave, (x, y, 1.0), (1.0, 0.5, 7.0))
    assert value == wave(x, y, 1.0) and tangent == pytest.approx(math.cos(x) * y + 0.5 * math.sin(x), rel=1e-14)
    second = ccc.gradient(ccc.gradient(wave, wrt="x"), wrt=("x", "y"))(x, y, 1.0)
    assert second == pytest.approx((-math.sin(x) * y, math.cos(x)), rel=1e-12)


def test_a_fault_of_ours_is_not_taken_for_a_statement_that_is_not_read(monkeypatch: pytest.MonkeyPatch):
    """It was: the error named the statement instead."""
    from ccc.compile.frontend import opaque

    @ccc.custom_vjp
    def square(x):
        return float(eval("x * x"))

    def broken(*args):
        raise AssertionError("ours")

    square.defvjp(lambda x: (square(x), x), lambda x, ct: (2 * x * ct,))
    assert ccc.gradient(lambda x: 2 * square(x))(3.0) == 12.0
    monkeypatch.setattr(opaque, "opened", broken)
    with pytest.raises(ccc.CCCError, match="AssertionError: ours"):
        ccc.gradient(lambda x: 3 * square(x))(3.0)


def mul(x: float, y: float) -> float:
    """A sum, as a function that is called as it is."""
    return float(eval("x + y"))


@ccc.derivative_of(mul)
def mul_rule(x: float, y: float) -> Any:
    return mul(x, y), lambda ct: (ct, ct)


class Duals(ccc.Layered):
    operations: ClassVar[Any] = {"mul": lambda x, y: (x[0] * y[0], x[1] * y[0] + x[0] * y[1])}


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_function_with_the_name_of_a_primitive_is_not_that(backend: Any):
    """Machine code multiplied."""
    def f(x: float, y: float) -> float:
        total = 0.0
        for _ in range(3):
            total += mul(x, y) * x
        return total

    assert ccc.value_and_grad(f, argnums=(0, 1), backend=backend)(2.0, 3.0) == (30.0, (21.0, 6.0))
    with pytest.raises(ccc.MissingMeaning, match="what `mul` means"):
        ccc.interpret(lambda x: mul(x, x) * x, Duals(), backend=backend)((2.0, 1.0))


@ccc.without_derivative
def doubled(x: float) -> float:
    return x * 2.0


FIXED_SINE = ccc.without_derivative(np.sin)


class Scaled:
    def __init__(self, w: float) -> None:
        self.w = w

    @ccc.without_derivative
    def at(self, x: float) -> float:
        return self.w * x


def with_a_closure(x: float) -> float:
    def inner(y: float) -> float:
        return y * x

    return ccc.without_derivative(inner)(x) * x


@pytest.mark.parametrize(("f", "slope"), [
    (lambda x: doubled(x) * x, 6.0), (with_a_closure, 9.0), (lambda x: FIXED_SINE(x) * x, math.sin(3.0)),
    (lambda x: ccc.without_derivative(functools.partial(np.power, x))(2.0) * x, 9.0),
    (lambda x: Scaled(x).at(x) + x, 1.0),
])
def test_the_results_of_a_function_without_derivative_are_constants(f: Any, slope: float):
    """As a decorator it did nothing."""
    assert ccc.gradient(f)(3.0) == ccc.jvp(f, (3.0,), (1.0,))[1] == slope
    assert ccc.interpret(f, ccc.Taylor(1))((3.0, 1.0)) == (f(3.0), slope)
    assert doubled.__name__ == "doubled" and doubled(2.0) == 4.0
