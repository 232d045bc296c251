"""What users hold with `backend="native"`: the verbs, and what goes in and comes out of machine code."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

pytest.importorskip("llvmlite")


def only_code(g: Any) -> Any:
    """The only code of a transform."""
    ((code,),) = g.codes.values()
    return code


def alike(a: Any, b: Any) -> bool:
    """Equal in structure and kinds, and in numbers up to rounding."""
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(alike(a[key], b[key]) for key in a)
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b, 1e-12)
    if isinstance(a, float):
        return type(a) is type(b) and math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-14)
    if hasattr(a, "__dataclass_fields__"):
        return type(a) is type(b) and all(alike(getattr(a, name), getattr(b, name)) for name in a.__dataclass_fields__)
    return type(a) is type(b) and a == b


# -- verbs ---------------------------------------------------------------------------------------------------------


def energy(x: np.ndarray) -> Any:
    return np.sum(np.sin(x) * x[0]) + x[1] ** 3


def field(x: np.ndarray) -> Any:
    return np.sin(x) * x[0]


POINT = np.array([0.3, 0.5, 1.2])
MOVE = np.array([1.0, 2.0, -1.0])


@pytest.mark.parametrize(("verb", "f", "args"), [
    (ccc.gradient, energy, (POINT,)), (ccc.value_with_gradient, energy, (POINT,)), (ccc.compiled, field, (POINT,)),
    (ccc.derivative, math.sin, (0.7,)), (ccc.hvp, energy, (POINT, MOVE)), (ccc.hessian, energy, (POINT,)),
    (ccc.jacobian, field, (POINT,)), (ccc.jacobian, math.exp, (0.5,)), (ccc.jacobian, lambda x: x * MOVE, (2.0,)),
    (ccc.jacfwd, field, (POINT,)), (ccc.jacrev, field, (POINT,)), (ccc.grad, energy, (POINT,)),
    (ccc.value_and_grad, energy, (POINT,)),
])  # fmt: skip
def test_every_verb_takes_a_backend(verb: Callable[..., Any], f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    expected = verb(f)(*args)
    g = verb(f, backend="native")
    assert alike(expected, g(*args)) and alike(expected, g(*args))
    assert alike(expected, verb(f, backend="numpy")(*args))


def test_pullbacks_and_differentials_take_a_backend() -> None:
    for backend in ("numpy", "native"):
        value, pullback = ccc.value_with_pullback(field, backend=backend)(POINT)
        plain, expected = ccc.value_with_pullback(field)(POINT)
        assert alike(plain, value) and alike(expected(MOVE), pullback(MOVE)) and alike(expected(POINT), pullback(POINT))
        assert alike(expected(MOVE), ccc.pullback(field, backend=backend)(POINT)(MOVE))
        assert alike((expected(MOVE),), ccc.vjp(field, POINT, backend=backend)[1](MOVE))
        value, differential = ccc.value_with_differential(field, backend=backend)(POINT)
        plain, expected = ccc.value_with_differential(field)(POINT)
        assert alike(plain, value) and alike(expected(MOVE), differential(MOVE))
        assert alike((plain, expected(MOVE)), ccc.jvp(field, (POINT,), (MOVE,), backend=backend))


def test_a_backend_named_inside_a_program_is_that_of_the_program() -> None:
    def inside(x: np.ndarray) -> Any:
        return np.sum(ccc.hvp(energy, backend="native")(x, x)) + ccc.compiled(energy, backend="native")(x)

    def plain(x: np.ndarray) -> Any:
        return np.sum(ccc.hvp(energy)(x, x)) + energy(x)

    expected = ccc.gradient(plain)(POINT)
    assert alike(expected, ccc.gradient(inside)(POINT))
    assert alike(expected, ccc.gradient(inside, backend="native")(POINT))


# -- a function compiled -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_compiled_function_is_the_function(backend: str) -> None:
    def divided(x: int, y: int) -> Any:
        return x // y, x / y, x > y

    def chosen(x: Any, name: str) -> Any:
        return x * 2 if name == "double" else x

    f = ccc.compiled(divided, backend=backend)
    assert f(7, 2) == (3, 3.5, True) and f(-7, 2) == (-4, -3.5, False)
    with pytest.raises(ZeroDivisionError, match="integer division or modulo by zero"):
        f(1, 0)
    g = ccc.compiled(chosen, backend=backend)
    assert g(3, "double") == 6 and g(3, "not") == 3 and g(1.5, "double") == 3.0
    assert repr(g) == "compiled(chosen)"


def test_derivatives_in_a_compiled_function_are_one_program() -> None:
    def newton(x: float) -> float:
        while abs(x * x * x - 2.0) > 1e-12:
            x = x - (x * x * x - 2.0) / ccc.derivative(lambda y: y * y * y)(x)
        return x

    for backend in ("numpy", "native"):
        f = ccc.compiled(newton, backend=backend)
        assert math.isclose(f(1.0), 2.0 ** (1 / 3), rel_tol=1e-12)
        assert not only_code(f).left_to
