"""Derivatives that are stopped, replaced and computed again."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import EXPONENTIALS, agrees

import ccc
from ccc.compile.diagnostics import CompileError, WrongArguments
from ccc.errors import NotLinear


def clip(ct: Any) -> Any:
    return max(min(ct, 1.0), -1.0)


def count(f: Callable[..., Any], *args: Any, of: str) -> int:
    """How often a name stands in the code of the gradient, which has no loops here."""
    return len(re.findall(re.escape(of), ccc.explain(f, *args).code))


# -- without_derivative ------------------------------------------------------------------------------------------------


def test_a_value_is_a_constant():
    assert ccc.gradient(lambda x: x * ccc.without_derivative(x))(3.0) == 3.0
    assert ccc.derivative(lambda x: x * ccc.without_derivative(math.sin(x)))(3.0) == math.sin(3.0)
    assert ccc.gradient(ccc.gradient(lambda x: x * x * ccc.without_derivative(x)))(3.0) == 6.0
    assert ccc.gradient(lambda x: ccc.without_derivative(x) * 2.0)(3.0) == 0.0


def test_structures_are_constants_part_by_part():
    @dataclass
    class Pair:
        a: float
        b: Any

    def f(x: float, y: Any) -> float:
        p = ccc.without_derivative(Pair(x, [y, x]))
        q = ccc.without_derivative((y, {"k": x}))
        return p.a * x + p.b[0] * y + q[0] + q[1]["k"]

    assert ccc.gradient(f)(2.0, 5.0) == (2.0, 5.0)
    found = ccc.gradient(lambda a: np.sum(ccc.without_derivative(a) * a))(np.array([1.0, 2.0]))
    assert np.array_equal(found, [1.0, 2.0])


def test_outside_of_derivatives_it_is_the_value():
    a = np.ones(2)
    assert ccc.without_derivative(a) is a
    assert ccc.compiled(lambda x: ccc.without_derivative(x) + 1.0)(2.0) == 3.0
    assert ccc.replace_gradient(2.0, clip) == 2.0


def test_what_shares_memory_with_an_array_is_seen():
    def f(a: Any) -> Any:
        b = a * 2.0
        c = ccc.without_derivative(b)
        b[0] = 7.0
        return np.sum(c)

    try:
        assert ccc.compiled(f)(np.ones(2)) == 9.0
    except CompileError as error:
        assert error.diagnostics[0].code == "CC010"


# -- replace_gradient --------------------------------------------------------------------------------------------------


def recurrent(w: float, xs: Any) -> float:
    h = 0.0
    for x in xs:
        h = math.tanh(w * h + x) * 5.0
        h = ccc.replace_gradient(h, clip)
    return h * h


def by_hand(w: float, xs: Any) -> tuple[float, list[float]]:
    hs = [0.0]
    for x in xs:
        hs.append(math.tanh(w * hs[-1] + x) * 5.0)
    ct, dw, dxs = 2.0 * hs[-1], 0.0, list[float]()
    for before, after in list(itertools.pairwise(hs))[::-1]:
        ct = clip(ct) * 5.0 * (1.0 - (after / 5.0) ** 2)
        dxs.append(ct)
        dw, ct = dw + ct * before, ct * w
    return dw, dxs[::-1]


@pytest.mark.parametrize("exponential", EXPONENTIALS)
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_gradient_clipping_in_a_loop(exponential: str, backend: str):
    xs = [0.3, -0.2, 0.9, 0.1]
    found = ccc.gradient(recurrent, exponential=getattr(ccc, exponential)(), backend=backend)(0.7, xs)
    expected = by_hand(0.7, xs)
    assert found[0] == pytest.approx(expected[0], rel=1e-12)
    assert found[1] == pytest.approx(expected[1], rel=1e-12)


@pytest.mark.parametrize("exponential", EXPONENTIALS)
def test_a_barrier_gets_the_whole_cotangent_once(exponential: str):
    def f(x: float) -> float:
        y = ccc.replace_gradient(x, clip)
        return 0.75 * y + 0.75 * y

    def captured(x: float) -> float:
        y = ccc.replace_gradient(x, clip)
        g = lambda a: a * y  # noqa: E731
        return g(0.75) + g(0.75)

    def inside(x: float) -> float:
        g = lambda a: a * ccc.replace_gradient(x, clip)  # noqa: E731
        return g(1.75) + g(1.75)

    kind = getattr(ccc, exponential)()
    assert ccc.gradient(f, exponential=kind)(1.0) == 1.0
    assert ccc.gradient(captured, exponential=kind)(1.0) == 1.0
    assert ccc.gradient(inside, exponential=kind)(1.0) == 2.0


def test_the_cotangent_has_the_structure_of_the_value():
    def f(x: float, y: float) -> float:
        p, q = ccc.replace_gradient((x, {"k": y}), lambda ct: (ct[0] * 10.0, {"k": ct[0] + ct[1]["k"]}))
        return 2.0 * p + 3.0 * q["k"]

    assert ccc.gradient(f)(1.0, 1.0) == (20.0, 5.0)
    found = ccc.gradient(lambda a: np.sum(ccc.replace_gradient(a, lambda g: np.clip(g, -1.0, 1.0)) * a))(
        np.array([0.5, 4.0]))
    assert np.array_equal(found, [1.0, 5.0])
    with pytest.raises(CompileError, match="CC040"):
        ccc.gradient(lambda a: np.sum(ccc.replace_gradient(a, np.sum) * 1.0))(np.ones(3))


def test_what_the_function_captures_is_a_constant_of_the_first_order():
    def f(x: float, c: float) -> float:
        return ccc.replace_gradient(x, lambda ct: ct * c) * x

    assert ccc.gradient(f)(3.0, 5.0) == (18.0, 0.0)
    second = ccc.gradient(lambda x, c: ccc.gradient(f)(x, c)[0])(3.0, 5.0)
    assert second == (1.0 + 5.0, 3.0)


def test_forward_mode_has_what_is_linear():
    assert ccc.derivative(lambda x: ccc.replace_gradient(x, lambda ct: 2.0 * ct) * x)(3.0) == 9.0
    with pytest.raises(NotLinear, match="the pullback of `replace_gradient_clip` is not linear"):
        ccc.derivative(lambda x: ccc.replace_gradient(x, clip) * x)(3.0)
    assert ccc.hvp(lambda x: ccc.replace_gradient(x, clip) ** 2)(0.25, 1.0) == 2.0


def test_no_function():
    with pytest.raises(WrongArguments):
        ccc.replace_gradient(1.0, 2.0)  # type: ignore[arg-type]


# -- checkpoints -------------------------------------------------------------------------------------------------------


def deep(x: Any) -> Any:
    return math.sin(math.sin(math.sin(x)))


def test_recomputes_as_often_as_said():
    assert count(lambda x: deep(x) * x, 0.5, of="math.sin") == 3
    assert count(lambda x: ccc.checkpointed(deep)(x) * x, 0.5, of="math.sin") == 3 + 2  # the outermost is not read
    nested = ccc.checkpointed(lambda x: ccc.checkpointed(deep)(math.exp(x)) * x)
    assert count(lambda x: nested(x) * x, 0.5, of="math.sin") == 3 + 3 + 2
    assert count(lambda x: nested(x) * x, 0.5, of="math.exp") == 2


def test_a_loop_keeps_the_states_alone():
    def step(h: float, x: float) -> float:
        return math.tanh(math.sin(math.exp(h * 0.1)) * x + h)

    def loop(f: Callable[[float, float], float]) -> Callable[..., float]:
        def run(h: float, xs: Any) -> float:
            for x in xs:
                h = f(h, x)
            return h

        return run

    plain, kept = loop(step), loop(ccc.checkpointed(step))
    xs = [0.1, 0.4, -0.3]
    assert ccc.gradient(kept)(0.5, xs) == ccc.gradient(plain)(0.5, xs)
    forward = [ccc.explain(f, 0.5, xs).code.partition("reversed")[0] for f in (plain, kept)]
    assert [text.count(".append(") for text in forward] == [3, 1]


def with_captures(x: float, w: float) -> float:
    f = ccc.checkpointed(lambda y: math.sin(w * y) + (y if y > 0.2 else y * y))
    return f(x) * f(w) + x


def with_loops(x: float, n: int) -> float:
    def body(y: float) -> float:
        for _ in range(n):
            y = math.sin(y) + x
        return y

    return ccc.checkpointed(body)(x)


def with_recursion(x: float) -> float:
    def go(n: int, y: float) -> float:
        return y if n == 0 else go(n - 1, math.sin(y) * x)

    return ccc.checkpointed(lambda y: go(3, y))(x)


@ccc.checkpointed
def pair(x: Any, y: Any) -> Any:
    return {"a": np.sin(x) * y, "b": (y, x + y)}


def with_structures(x: Any, y: float) -> Any:
    found = pair(x, y)
    return np.sum(found["a"]) * found["b"][0] + np.sum(found["b"][1])


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (with_captures, (0.3, 0.8)),
        (lambda x: with_loops(x, 3), (0.4,)),
        (with_recursion, (0.4,)),
        (with_structures, (np.array([0.3, 0.5]), 0.8)),
        (lambda x: ccc.checkpointed(ccc.checkpointed(deep))(x) * ccc.checkpointed(math.exp)(x), (0.3,)),
    ],
)
def test_checkpoints_change_no_derivative(f: Any, args: Any):
    agrees(f, *args)


def test_checkpoints_in_machine_code():
    for f, args in [(with_captures, (0.3, 0.8)), (lambda x: with_loops(x, 3), (0.4,))]:
        assert ccc.gradient(f, backend="native")(*args) == pytest.approx(ccc.gradient(f)(*args), rel=1e-12)
        assert ccc.explain(ccc.gradient(f, backend="native"), *args).backend == "native"


def test_effects_happen_once(capsys: pytest.CaptureFixture[str]):
    @ccc.checkpointed
    def loud(x: float) -> float:
        print("computing", x)
        return math.sin(math.sin(x))

    ccc.gradient(lambda x: loud(x) * x)(0.5)
    assert capsys.readouterr().out == "computing 0.5\n"
    assert loud(0.0) == 0.0
    assert repr(loud) == "checkpointed(loud)"


def test_methods():
    @dataclass
    class Layer:
        w: float

        @ccc.checkpointed
        def __call__(self, x: float) -> float:
            return math.sin(self.w * x)

        @ccc.checkpointed
        def twice(self, x: float) -> float:
            return self(self(x))

    def f(w: float, x: float) -> float:
        layer = Layer(w)
        return layer(x) + layer.twice(x)

    agrees(f, 0.5, 0.8)
    assert Layer(0.5).twice(1.0) == math.sin(0.5 * math.sin(0.5))


def test_decorators_of_nested_functions():
    def f(x: float, w: float) -> float:
        @ccc.checkpointed
        def g(y: float) -> float:
            return math.sin(math.sin(y * w))

        @ccc.differentiable_function
        def h(y: float) -> Any:
            return y * y, lambda ct: ct * 2.0 * y

        def twice(k: Any) -> Any:
            return lambda y: k(k(y))

        @twice
        @twice
        def k(y: float) -> float:
            return y * 0.5 + w

        return g(x) * h(x) + g(h(x)) + k(x)

    agrees(f, 0.7, 1.3)
    assert count(lambda x: f(x, 1.3), 0.7, of="math.cos") == 4


def test_what_is_said_once_for_all_is_said_outside():
    def f(x: float) -> float:
        def g(y: float) -> float:
            return y * y

        @ccc.derivative_of(g)
        def rule(y: float) -> Any:
            return y * y, lambda ct: ct

        return g(x)

    with pytest.raises(CompileError, match="CC003.*`derivative_of` inside a function that is compiled"):
        ccc.gradient(f)(2.0)
