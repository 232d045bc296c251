"""The Zygote notebook (Julia の関数 f に対してその微分が f' で得られる仕組み).

"`'` って何?" (`f'`), "`gradient` and `pullback`" (`mygradient` and its rules, `tan`, `sin(x^2)`) and
"`Zygote.@code_ir`" (`poly`, its code, its adjoint code and the pullback written from that).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from math import cos, pi, sin, tan
from typing import Any

import ccc
from paper_examples.example import ROUNDING, Example, Outcome, close, compared

DOCUMENT = "Zygote notebook"
WithPullback = tuple[Any, Callable[[Any], Any]]


# -- ' って何? ------------------------------------------------------------------------------------------------------


def f(x: float) -> float:
    return x**2


def f_prime() -> Outcome:
    """`x = 3; @assert f'(x) == 2x == 6`."""
    x = 3
    checks = [
        ("f'(3) == 2x == 6", ccc.derivative(f)(x) == 2 * x == 6),
        ("f'' is 2", ccc.derivative(ccc.derivative(f))(3.0) == 2.0),
        ("adjoint(f)(x) == f'(x)", ccc.gradient(f)(x) == ccc.derivative(f)(x)),
    ]
    return compared(f, 3.0, expected=(9.0, 6.0), checks=checks)


# -- gradient and pullback -----------------------------------------------------------------------------------------


def square(x: float) -> float:
    return x * x


def pullback_for_sin(x: float) -> WithPullback:
    return sin(x), lambda ȳ: ȳ * cos(x)


def pullback_for_cos(x: float) -> WithPullback:
    return cos(x), lambda ȳ: ȳ * -sin(x)


def pullback_for_square(x: float) -> WithPullback:
    return x * x, lambda ȳ: ȳ * 2 * x


def mygradient(mypullback: Callable[[float], WithPullback], x: float) -> float:
    _, back = mypullback(x)
    return back(1)


def gradient_by_pullback(g: Callable[[float], float], x: float) -> float:
    """`function gradient(f, x)`: `y, back = pullback(f, x); return back(1)`."""
    _, back = ccc.value_with_pullback(g)(x)
    return back(1)


def rules() -> Outcome:
    """`@assert mygradient(sin, x) ≈ sin'(x) ≈ cos(x)`, and so for `cos` and `square`."""
    x = pi / 6
    checks = []
    for name, g, mypullback, formula in (
        ("sin", lambda x: math.sin(x), pullback_for_sin, cos(x)),
        ("cos", lambda x: math.cos(x), pullback_for_cos, -sin(x)),
        ("square", square, pullback_for_square, 2 * x),
    ):
        found = (mygradient(mypullback, x), gradient_by_pullback(g, x), ccc.derivative(g)(x))
        checks.append((f"mygradient({name}, x) ≈ {name}'(x)", close(found, (formula,) * 3, ROUNDING)))
    return compared(square, x, expected=(x * x, 2 * x), tolerance=ROUNDING, checks=checks)


def tangent(x: float) -> float:
    return tan(x)


def tan_prime() -> Outcome:
    """`tan'(x), 1/(cos(x))^2, 1 + (tan(x))^2` printed as `(1.3333333333333333, 1.333333333333333,
    1.3333333333333333)`; `@scalar_rule tan(x) 1 + Ω ^ 2`."""
    x = pi / 6
    found = ccc.derivative(tangent)(x)
    checks = [
        ("tan'(x) is 4/3", close(found, 4 / 3, ROUNDING)),
        ("tan'(x) is the 1.3333333333333333 of the notebook", close(found, 1.3333333333333333, ROUNDING)),
        ("tan'(x) is 1/cos(x)^2", close(found, 1 / cos(x) ** 2, ROUNDING)),
    ]
    return compared(tangent, x, expected=(1 / math.sqrt(3), 4 / 3), tolerance=ROUNDING, checks=checks)


# -- z(x) = sin(x^2) -----------------------------------------------------------------------------------------------


def inner(x: float) -> float:
    return square(x)


def outer(y: float) -> float:
    return sin(y)


def z(x: float) -> float:
    """`z(x) = (g ∘ f)(x)`."""
    return outer(inner(x))


def pullback_for_z(x: float) -> WithPullback:
    y, back_for_f = pullback_for_square(x)
    z, back_for_g = pullback_for_sin(y)

    def back_for_z(z̄: float) -> float:
        ȳ = back_for_g(z̄)
        x̄ = back_for_f(ȳ)
        return x̄

    return z, back_for_z


def gradient_of_z() -> Outcome:
    """`@assert mygradient(z, x) ≈ (z)'(x) ≈ 2x * cos(x^2)`."""
    x = pi / 6
    checks = [
        ("mygradient(z, x) ≈ z'(x)", close(mygradient(pullback_for_z, x), ccc.derivative(z)(x), ROUNDING)),
        ("the term of z is that of f, then that of g", ccc.arrow(z, x) == ccc.arrow(inner, x) >> ccc.arrow(outer, x)),
    ]
    expected = (sin(x**2), 2 * x * cos(x**2))
    return compared(z, x, expected=expected, tolerance=ROUNDING, checks=checks, notes=[f"z = {ccc.arrow(z, x)}"])


# -- Zygote.@code_ir -----------------------------------------------------------------------------------------------


def poly(x: Any) -> Any:
    return 3 * x * x + 2 * x + 1


def pullback_for_add(x: Any, y: Any, z: Any) -> WithPullback:
    return x + y + z, lambda Δ: (Δ, Δ, Δ)


def pullback_for_mul(x: Any, y: Any) -> WithPullback:
    return x * y, lambda Δ: (Δ * y, Δ * x)


def pullback_for_poly(x: Any) -> WithPullback:
    out6, back7 = pullback_for_mul(3, x)
    out9, back10 = pullback_for_mul(out6, x)
    out12, back13 = pullback_for_mul(2, x)
    out15, back16 = pullback_for_add(out9, out12, 1)

    def back_for_poly(ā: Any) -> Any:
        x̄3, ȳ4, _ = back16(ā)
        _, ȳ6 = back13(ȳ4)
        x̄8, ȳ9 = back10(x̄3)
        _, ȳ11 = back7(x̄8)
        ō12 = sum([ȳ6, ȳ9, ȳ11])
        return ō12

    return out15, back_for_poly


def gradient_of_poly() -> Outcome:
    """`@assert mygradient(poly, x) ≈ (poly)'(x) ≈ 6x + 2`, here equal, at exact points."""
    checks = []
    for x in (Fraction(0), Fraction(2, 7), Fraction(-5, 3)):
        value, back = ccc.value_with_pullback(poly)(x)
        by_hand, back_by_hand = pullback_for_poly(x)
        checks.append((f"poly({x}), by hand and ours", value == by_hand == 3 * x**2 + 2 * x + 1))
        checks.append((f"poly'({x}), by hand and ours", back(Fraction(1)) == back_by_hand(1) == 6 * x + 2))
        checks.append((f"back(3/2) at {x}", back(Fraction(3, 2)) == back_by_hand(Fraction(3, 2))))
    x = Fraction(2, 7)
    notes = ["poly is " + "; ".join(line.strip() for line in ccc.explain(poly, 1.0).lam.splitlines()[1:])]
    return compared(poly, x, expected=(Fraction(89, 49), Fraction(26, 7)), checks=checks, notes=notes)


CODE_OF_POLY = """1: (%1, %2)
  %3 = 3 * %2
  %4 = %3 * %2
  %5 = 2 * %2
  %6 = %4 + %5
  %7 = %6 + 1
  return %7"""


def code_of_poly() -> Outcome:
    """`Zygote.@code_ir poly(1.)`: the same but for the last sum, which has three parts in Julia and two here; and
    `Zygote.@code_ir z(1.)`, where we see what `g ∘ f` does."""
    of_poly, of_z = ccc.code_ir(poly, 1.0), ccc.code_ir(z, 1.0)
    checks = [
        ("the code of poly", str(of_poly) == CODE_OF_POLY),
        ("the code of z", str(of_z) == "1: (%1, %2)\n  %3 = %2 * %2\n  %4 = math.sin(%3)\n  return %4"),
    ]
    notes = [*str(of_poly).splitlines(), *str(of_z).splitlines()]
    return compared(poly, 1.0, expected=(6.0, 8.0), checks=checks, notes=notes)


def adjoint_code_of_poly() -> Outcome:
    """`Zygote.@code_adjoint poly(1)`: a step is its value and its pullback, and these are called backward. The code is
    run, and read as the notebook reads it: what each pullback gives is what `pullback_for_poly` has for it."""
    code = ccc.code_adjoint(poly, 1)
    checks = []
    for x in (Fraction(0), Fraction(2, 7), Fraction(-5, 3)):
        value, back = code(x)
        by_hand, back_by_hand = pullback_for_poly(x)
        checks.append((f"the code at {x}", (value, back(Fraction(3, 2))) == (by_hand, (back_by_hand(Fraction(3, 2)),))))
    lines = str(code).splitlines()
    checks += [
        ("five steps", sum("_pullback" in line for line in lines) == 5),
        ("called backward", [line.split("(")[1][:-1] for line in lines if "(@" in line]
         == ["@17", "@14", "@11", "@8", "@5"]),
        ("three cotangents meet in x", any("accum(%8, %11, %13)" in line for line in lines)),
    ]  # fmt: skip
    return compared(poly, 1.0, expected=(6.0, 8.0), checks=checks, notes=lines)


EXAMPLES = (
    Example("f(x) = x^2, f'", DOCUMENT, f_prime),
    Example("mygradient: sin, cos, square", DOCUMENT, rules),
    Example("tan' = 1 + Ω^2 at π/6", DOCUMENT, tan_prime),
    Example("z(x) = sin(x^2) at π/6", DOCUMENT, gradient_of_z),
    Example("poly(x) = 3x*x + 2x + 1", DOCUMENT, gradient_of_poly),
    Example("@code_ir poly(1.), z(1.)", DOCUMENT, code_of_poly),
    Example("@code_adjoint poly(1)", DOCUMENT, adjoint_code_of_poly),
)
