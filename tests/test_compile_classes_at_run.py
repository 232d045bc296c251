"""The classes of Python's powers, which the sign of an argument decides when a program runs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

import ccc
from ccc.compile.diagnostics import CompileError, UnsupportedPython
from ccc.errors import MissingDerivative

TARGETS = pytest.mark.parametrize("backend", ["numpy", "native"])


def kind_of(v: Any) -> str:
    if isinstance(v, int):
        return "int"
    return "float" if isinstance(v, float) else "other"


def matched(x: float, n: int) -> Any:
    match 10**n:
        case int():
            return x
        case float():
            return 2 * x
    return 3 * x


def in_a_loop(x: float, n: int) -> Any:
    s = 1
    for _ in range(3):
        if isinstance(s, int):
            x = x * 2
        s = s * 2**n
    return x


def kept_in_a_list(x: float, n: int) -> Any:
    ys = [10 ** (k + n) for k in range(3)]
    return [isinstance(y, int) for y in ys], x


def of_a_branch(x: float, n: int) -> Any:
    y = 5 if x > 10 else 2**n
    return isinstance(y, int), x


def of_a_recursion(x: float, n: int) -> Any:
    def power(m: int) -> Any:
        return power(m - 2) if m > 0 else 2**m

    return isinstance(power(n), int), x


def of_an_attribute(x: float, n: int) -> Any:
    box = Box(2**n)
    box.v = box.v + 1
    return type(box.v) is int, x


class Box:
    def __init__(self, v: Any) -> None:
        self.v = v


def shown(x: float, n: int) -> Any:
    print(type(2**n), type(2**n).__name__, f"{type(x**0.5)}", kind_of(10**n), kind_of(n), kind_of(x**0.5))
    return x


def complex_or_not(x: float, n: int) -> Any:
    v = x**0.5 * n
    return abs(v) + v.imag if isinstance(v, complex) else v * 2


def parts(x: float, n: int) -> Any:
    return [(v**0.5).real + (v**0.5).imag for v in (x, -x)], isinstance(x**n, float), isinstance(x**2, float)


FUNCTIONS = [
    matched, in_a_loop, kept_in_a_list, of_a_branch, of_a_recursion, of_an_attribute, shown, complex_or_not, parts,
    lambda x, n: isinstance(10**n, int), lambda x, n: type(10**n) is int, lambda x, n: type(10**n) in (int, bool),
    lambda x, n: isinstance(pow(2, n), float), lambda x, n: kind_of(3 ** (n - 1) * 2), lambda x, n: x if n else 1.0,
]  # fmt: skip


@TARGETS
@pytest.mark.parametrize("f", FUNCTIONS)
def test_the_class_of_a_power_is_that_of_its_value(
    f: Callable[..., Any], backend: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`10 ** n` was an int and `x ** 0.5` a float for `isinstance`, `type`, `match` and `.real`, whatever the signs."""
    compiled = ccc.compiled(f, backend=backend)
    for x in (4.0, -4.0):
        for n in (2, -1, 0, -3):
            expected = f(x, n), capsys.readouterr().out
            assert (compiled(x, n), capsys.readouterr().out) == expected


@TARGETS
@pytest.mark.parametrize("f", [matched, in_a_loop, complex_or_not])
def test_derivatives_behind_the_class_of_a_power(f: Callable[..., Any], backend: str) -> None:
    for n in (2, -1):
        slope = ccc.gradient(f, wrt="x", backend=backend)(4.0, n)
        assert slope == pytest.approx((f(4.0 + 1e-6, n) - f(4.0 - 1e-6, n)) / 2e-6, abs=1e-6)


def test_powers_whose_class_is_known_are_asked_nothing_at_run() -> None:
    def f(x: float, xs: list[float]) -> Any:
        y = (x * x + 1.0) ** 0.5 + 2 ** len(xs) + x**2 + x**-1
        return y if isinstance(y, float) and isinstance(2 ** len(xs), int) else 0.0

    assert "is_instance" not in str(ccc.explain(f, 2.0, [1.0]))


def test_a_function_chosen_by_the_class_of_a_power_is_refused_by_name() -> None:
    @functools.singledispatch
    def chosen(v: Any) -> Any:
        return v

    with pytest.raises(UnsupportedPython, match="the class that this function is chosen by is not known"):
        ccc.compiled(lambda n: chosen(10**n))(-1)


def appended(x: float, k: int) -> bool:
    xs = []
    for i in range(3):
        xs.append(i if i < k else x)
    return isinstance(xs[k], int)


def repeated(x: float, k: int) -> bool:
    xs = [x] * (k + 1)
    xs.append(1)
    return isinstance(xs[k + 1], int)


@TARGETS
@pytest.mark.parametrize("f", [
    lambda x, k: isinstance([1, x][k], int), lambda x, k: type([1, x][k]) is int,
    lambda x, k: [isinstance(y * 2, int) for y in ([1, x] if k else [x, 2])], appended, repeated,
])  # fmt: skip
def test_an_item_beside_floats_is_not_asked_whether_it_was_an_int(f: Callable[..., Any], backend: str) -> None:
    """It was said to be a float: where a list holds floats, the ints among them are floats."""
    with pytest.raises(CompileError, match=r"not known|is no int"):
        ccc.compiled(f, backend=backend)(2.5, 0)


def in_a_branch_of_the_sign(x: float) -> Any:
    y = x**0.5
    return y * 2.0 if isinstance(y, float) else x * 3.0


@TARGETS
@pytest.mark.parametrize("f", [
    lambda x: (x**0.5).real, lambda x: (x**0.5).imag, lambda x: x**0.5, lambda x: (x**1.5 * x).imag,
    lambda x: 2 / x**0.5, lambda x: pow(x, x / 4), lambda x: abs(x**0.5),
    lambda x: sum([(x**0.5).real for _ in range(3)]),
])  # fmt: skip
def test_a_complex_power_has_no_derivative(f: Callable[..., Any], backend: str) -> None:
    """Derivatives were nan, and 0 of imaginary parts."""
    assert ccc.gradient(f, backend=backend)(2.0) == pytest.approx((f(2.0 + 1e-6) - f(2.0 - 1e-6)).real / 2e-6, abs=1e-8)
    for verb in (
        ccc.gradient,
        ccc.hessian,
        lambda f, **given: lambda x: ccc.value_with_pullback(f, **given)(x)[1](1.0),
        lambda f, **given: lambda x: ccc.value_with_differential(f, **given)(x)[1](1.0),
    ):
        with pytest.raises(MissingDerivative, match=r"complex number|imaginary part") as refused:
            verb(f, backend=backend)(-2.0)
        assert "complex(x) ** 0.5" in str(refused.value.help)
    assert ccc.gradient(in_a_branch_of_the_sign, backend=backend)(-2.0) == 3.0
    assert ccc.gradient(lambda x: (complex(x) ** 0.5).imag, backend=backend)(-2.0) == pytest.approx(-(0.125**0.5))
