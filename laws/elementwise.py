"""sympy proves the elementwise rules: pullback and differential are the derivative of a formula, on open pieces of the
domain.

    p.pullback(g, y, x1, ...)_i = g dy/dxi       p.differential((d1, ...), y, x1, ...) = d1 dy/dx1 + ...

A rule is written with primitives, so it runs on expressions as on numbers. The formula of a primitive is given here and
compared with its value at points of each piece. Excluded are the points between pieces (kinks, jumps, poles, ends of
the domain), where the rules take a slope that is theirs, and primitives that are locally constant. A float in a rule
stands for the real number that it is a float next to. `sympy` is optional: without it nothing is proved.

>>> from ccc.primitives.arithmetic import absolute, mul
>>> print(*proved(mul) + proved(absolute), sep="; ")
real a, b; x > 0; x < 0

References: *The Differentiable Curry* ("AD by lifting primitives equipped with pullbacks").
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from ccc.additive import ZERO, Zero
from ccc.base import Traced
from ccc.laws.verdicts import Proof
from ccc.objects import REAL
from ccc.primitives import arithmetic, elementary_math, elementary_numpy, gamma, guarded, sinc
from ccc.primitives.operators import Operators
from ccc.primitives.primitive import Primitive

AVAILABLE = importlib.util.find_spec("sympy") is not None
MODULES = (arithmetic, guarded, elementary_math, gamma, sinc, elementary_numpy)


class Unproved(Exception):
    """sympy does not see that a rule is the derivative, or that it is not."""


@dataclass(frozen=True, slots=True)
class Piece:
    """An open piece of a domain: what it is called, its points by free parameters, and the value there.

    `at` has an expression for each argument, or a number that stays one; `value` makes the formula of the arguments.
    """

    name: str
    at: tuple[Any, ...]
    value: Callable[..., Any]


class Expressions:
    """The base whose values are expressions."""

    deriving: Any = None

    def apply(self, primitive: Primitive, args: tuple[Any, ...], params: dict[str, Any], label: Any) -> Any:
        """The formula of a primitive at expressions."""
        meaning = meanings().get(primitive.name)
        if meaning is None or params:
            raise Unproved(f"`{primitive.name}` has no formula")
        return Expression(meaning(*map(expression, args)))


class Expression(Operators, Traced):
    """An expression of sympy as a real number that rules compute with."""

    __slots__ = ("expr",)

    def __init__(self, expr: Any) -> None:
        self.base = Expressions()
        self.object = REAL
        self.expr = expr


def expression(x: Any) -> Any:
    """What an argument of a primitive is to sympy.

    >>> expression(0.5), expression(math.log(2.0)), expression(True)
    (1/2, log(2), True)
    """
    import sympy as sp

    if isinstance(x, Expression):
        return x.expr
    if isinstance(x, Zero):
        return sp.Integer(0)
    if isinstance(x, bool):
        return x
    if isinstance(x, float):
        near = [c for c in constants() if math.isclose(x, float(c), rel_tol=2.0**-52)]
        return near[0] if near else sp.Rational(x)
    return sp.sympify(x)


@cache
def constants() -> tuple[Any, ...]:
    """The irrational numbers whose floats occur in rules."""
    import sympy as sp

    two, ten = sp.log(2), sp.log(10)
    return (two, ten, 1 / two, 1 / ten, 2 / sp.sqrt(sp.pi), sp.pi, 180 / sp.pi, sp.pi / 180)


def _larger(a: Any, b: Any) -> bool:
    import sympy as sp

    found = sp.expand(a - b).is_positive
    if found is None:
        raise Unproved(f"which of {a} and {b} is larger depends on the point")
    return bool(found)


def _share(d: Any, y: Any, x: Any, *others: Any) -> Any:
    import sympy as sp

    if any(sp.expand(other - x) == 0 for other in others):
        raise Unproved("at a tie")
    return d if sp.expand(y - x) == 0 else sp.Integer(0)


@cache
def meanings() -> dict[str, Callable[..., Any]]:
    """The formulas of the primitives that hold on all of their domain, by name."""
    import sympy as sp

    one: dict[str, Callable[..., Any]] = {
        "exp": sp.exp, "exp2": lambda x: 2**x, "expm1": lambda x: sp.exp(x) - 1, "log": sp.log,
        "log1p": lambda x: sp.log(1 + x), "log2": lambda x: sp.log(x) / sp.log(2),
        "log10": lambda x: sp.log(x) / sp.log(10), "sqrt": sp.sqrt, "sin": sp.sin, "cos": sp.cos, "tan": sp.tan,
        "asin": sp.asin, "acos": sp.acos, "atan": sp.atan, "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh,
        "asinh": lambda x: sp.log(x + sp.sqrt(x**2 + 1)), "acosh": lambda x: sp.log(x + sp.sqrt(x**2 - 1)),
        "atanh": lambda x: sp.log((1 + x) / (1 - x)) / 2, "degrees": lambda x: x * 180 / sp.pi,
        "radians": lambda x: x * sp.pi / 180, "fabs": sp.Abs, "hypot": lambda *xs: sp.sqrt(sum(x**2 for x in xs)),
        "atan2": sp.atan2, "copysign": lambda x, s: sp.Abs(x) * sp.sign(s), "pow": lambda a, n: a**n,
    }
    found = {f"math.{name}": formula for name, formula in one.items()}
    found |= {"math.erf": sp.erf, "math.erfc": sp.erfc, "math.lgamma": sp.loggamma, "math.gamma": sp.gamma,
              "polygamma": sp.polygamma,
              "sinc_slope": lambda n, x: sp.diff(sp.sin(sp.pi * (z := sp.Dummy())) / (sp.pi * z), z, n).subs(z, x)}
    renamed = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
               "atanh": "arctanh", "atan2": "arctan2", "pow": "power"}
    found |= {f"np.{renamed.get(name, name)}": formula for name, formula in one.items()}
    found |= {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
        "neg": lambda a: -a, "pos": lambda a: a, "power": lambda a, n: a**n, "abs": sp.Abs, "float": lambda a: a,
        "np.float64": lambda a: a, "np.float32": lambda a: a, "times0": lambda d, x: d * x, "both0": lambda d, x: d * x,
        "where_real": lambda d, a, n: d,
        "unit": lambda x, n: x / n, "weight": lambda a, b: sp.exp(a) / (sp.exp(a) + sp.exp(b)),
        "over0": lambda d, x: d / x, "power0": lambda a, n: a**n, "log0": sp.log, "signum": sp.sign, "share": _share,
        "positive": lambda x: sp.Integer(1 if x.is_positive else 0),
        "np.add": lambda a, b: a + b, "np.subtract": lambda a, b: a - b, "np.multiply": lambda a, b: a * b,
        "np.divide": lambda a, b: a / b, "np.negative": lambda a: -a, "np.positive": lambda a: a,
        "np.float_power": lambda a, n: a**n, "np.square": lambda x: x**2, "np.reciprocal": lambda x: 1 / x,
        "np.logaddexp": lambda a, b: sp.log(sp.exp(a) + sp.exp(b)),
        "np.sinc": lambda x: sp.sin(sp.pi * x) / (sp.pi * x),
        "np.deg2rad": one["radians"], "np.rad2deg": one["degrees"], "np.absolute": sp.Abs,
        "np.maximum": lambda a, b: a if _larger(a, b) else b, "np.minimum": lambda a, b: b if _larger(a, b) else a,
        "np.where": lambda c, a, b: a if c else b,
    }
    return found


@cache
def pieces(name: str) -> tuple[Piece, ...]:
    """The pieces of the domain of a primitive; none where it has no formula.

    >>> [piece.name for piece in pieces("np.maximum")]
    ['a > b', 'a < b']
    """
    short = name.removeprefix("math.").removeprefix("np.")
    found = chosen_pieces(name, short) or power_pieces(name, short)
    formula = meanings().get(name)
    if found or formula is None or name in ("share", "positive", "signum"):
        return found
    return divided_pieces(name, short, formula) or whole_pieces(short, formula)


def symbols() -> tuple[Any, ...]:
    """Two positive numbers `t` and `u`, and three real ones `x`, `a` and `b`."""
    import sympy as sp

    return *sp.symbols("t u", positive=True), *sp.symbols("x a b", real=True)


def chosen_pieces(name: str, short: str) -> tuple[Piece, ...]:
    """The pieces of what gives one of its arguments."""
    t, u, x, a, b = symbols()
    if short in ("max", "min", "maximum", "minimum", "fmax", "fmin"):
        first, second = (0, 1) if short in ("max", "maximum", "fmax") else (1, 0)
        return (
            Piece("a > b", (b + t, b), lambda *xs: xs[first]), Piece("a < b", (a, a + t), lambda *xs: xs[second]),
        )
    if name == "np.clip":
        return (
            Piece("x < low < high", (x, x + t, x + t + u), lambda x, low, high: low),
            Piece("low < x < high", (x, x - t, x + u), lambda x, low, high: x),
            Piece("low < high < x", (x, x - t - u, x - t), lambda x, low, high: high),
        )
    if name == "np.where":
        return (
            Piece("true", (True, a, b), lambda c, a, b: a), Piece("false", (False, a, b), lambda c, a, b: b),
        )
    return ()


def power_pieces(name: str, short: str) -> tuple[Piece, ...]:
    """The pieces of roots and powers, whose formulas differ from piece to piece."""
    import sympy as sp

    t, _, _, _, b = symbols()
    if short == "cbrt":
        third = sp.Rational(1, 3)
        return (Piece("x > 0", (t,), lambda x: x**third), Piece("x < 0", (-t,), lambda x: -((-x) ** third)))
    if short in ("pow", "power", "float_power", "power0"):
        whole = [] if name in ("np.power", "np.float_power") else [0, 1, 2, 3, -1]
        powers = [Piece(f"n = {n}, a > 0", (t, n), lambda a, n: a**n) for n in (*whole, 0.5, 2.0, 3.0, -2.0)]
        real = Piece("a > 0", (t, b), lambda a, n: a**n)
        return (real, *powers)
    return ()


def divided_pieces(name: str, short: str, formula: Callable[..., Any]) -> tuple[Piece, ...]:
    """The pieces of one formula where it holds on several."""
    t, u, _, a, b = symbols()
    if short in ("abs", "fabs", "absolute", "cbrt", "reciprocal", "sinc"):
        return (Piece("x > 0", (t,), formula), Piece("x < 0", (-t,), formula))
    if short == "copysign":
        return tuple([
            Piece(f"x {'>' if p > 0 else '<'} 0, s {'>' if q > 0 else '<'} 0", (p * t, q * u), formula)
            for p in (1, -1) for q in (1, -1)
        ])
    if short in ("div", "divide", "over0"):
        return (Piece("b > 0", (a, t), formula), Piece("b < 0", (a, -t), formula))
    if short == "hypot":
        both = Piece("a > 0, real b", (t, b), formula), Piece("a < 0, real b", (-t, b), formula)
        return (*both, Piece("x > 0, real a, b", (t, a, b), formula)) if name == "math.hypot" else both
    if short in ("atan2", "arctan2"):
        return (Piece("b > 0", (a, t), formula), Piece("a > 0", (t, b), formula), Piece("a < 0", (-t, b), formula))
    if name == "where_real":
        return (Piece("a > 0", (a, t, b), formula), Piece("a < 0, n = 2", (a, -t, 2), formula))
    if name == "sinc_slope":
        return tuple([Piece(f"n = {n}, x > 0", (n, t), formula) for n in range(1, 4)])
    if name == "polygamma":
        return tuple([Piece(f"n = {n}, x > 0", (n, t), formula) for n in range(4)])
    return ()


def whole_pieces(short: str, formula: Callable[..., Any]) -> tuple[Piece, ...]:
    """The one piece of a formula: a part of the line, the line or the plane."""
    t, u, x, a, b = symbols()
    if short in ("log", "log2", "log10", "log0", "sqrt", "lgamma", "gamma"):
        return (Piece("x > 0", (t,), formula),)
    if short == "log1p":
        return (Piece("x > -1", (t - 1,), formula),)
    if short in ("acosh", "arccosh"):
        return (Piece("x > 1", (1 + t,), formula),)
    if short in ("asin", "acos", "atanh", "arcsin", "arccos", "arctanh"):
        return (Piece("-1 < x < 1", ((t - u) / (t + u),), formula),)
    size = formula.__code__.co_argcount if hasattr(formula, "__code__") else 1
    if short in ("add", "sub", "subtract", "mul", "multiply", "times0", "both0", "logaddexp"):
        size = 2
    return (Piece("real x", (x,), formula),) if size == 1 else (Piece("real a, b", (a, b), formula),)


SAMPLES = ({"t": 0.75, "u": 1.25, "v": 0.5, "x": 0.625, "a": 1.5, "b": -0.875},
           {"t": 1.5, "u": 0.25, "v": 2.0, "x": -1.375, "a": -0.5, "b": 2.25})


def proved(p: Primitive) -> list[str]:
    """The pieces of the domain on which sympy proves the rule of a primitive; none where it has no formula.

    Raises `Unproved` where the formula is not the value, or a rule not its derivative.
    """
    found: list[str] = []
    if not AVAILABLE or p.pullback is None or p.differential is None:
        return found
    for piece in pieces(p.name):
        _value_agrees(p, piece)
        _rules_agree(p, piece)
        found.append(piece.name)
    return found


@cache
def primitives() -> tuple[Primitive, ...]:
    """The primitives of this project with a formula, short names first.

    >>> len(primitives()) > 90
    True
    """
    if not AVAILABLE:
        return ()
    found = {p.name: p for module in MODULES for p in vars(module).values() if isinstance(p, Primitive)}
    return tuple([found[name] for name in sorted(found, key=lambda name: (len(name), name)) if pieces(name)])


def rule_proof(p: Primitive) -> Proof | None:
    """The proof of the rule of one primitive; None where there is none.

    >>> from ccc.primitives.arithmetic import div
    >>> print(rule_proof(div).argument)
    by sympy, for b > 0, b < 0
    """
    try:
        found = proved(p)
    except Unproved:
        return None
    return Proof("strictly", f"by sympy, for {', '.join(found)}") if found else None


@cache
def every_proof() -> Proof | None:
    """The proof of the rules of all `primitives`; None where one is missing."""
    proofs = [rule_proof(p) for p in primitives()]
    if not proofs or None in proofs:
        return None
    count = sum(len(pieces(p.name)) for p in primitives())
    return Proof("strictly", f"by sympy: {len(proofs)} primitives on {count} open pieces of their domains")


def _value_agrees(p: Primitive, piece: Piece) -> None:
    import sympy as sp

    for sample in SAMPLES:
        point = [x if isinstance(x, (bool, int, float)) else _at(x, sample) for x in piece.at]
        reals = [sp.Float(x, 30) if isinstance(x, float) else x for x in point]
        expected = float(sp.N(sp.sympify(piece.value(*reals))))
        if not math.isclose(float(p.value(*point)), expected, rel_tol=1e-6, abs_tol=1e-9):
            raise Unproved(f"`{p.name}` is not its formula at {point}")


def _at(x: Any, sample: dict[str, float]) -> float:
    return float(x.subs({symbol: sample[symbol.name] for symbol in x.free_symbols}))


def _rules_agree(p: Primitive, piece: Piece) -> None:
    import sympy as sp

    g, *ds = sp.symbols(f"g d:{len(piece.at)}", real=True)
    xs = [sp.Dummy(f"x{i}", real=True) for i in range(len(piece.at))]
    free = [i for i, x in enumerate(piece.at) if isinstance(x, sp.Expr)]
    formula = sp.sympify(piece.value(*[xs[i] if i in free else expression(x) for i, x in enumerate(piece.at)]))
    here: Any = {xs[i]: piece.at[i] for i in free}
    slopes = {i: sp.diff(formula, xs[i]).subs(here) for i in free}
    args = [Expression(x) if i in free else x for i, x in enumerate(piece.at)]
    y = Expression(formula.subs(here))
    assert p.pullback is not None and p.differential is not None
    cts = p.pullback(Expression(g), y, *args)
    pairs = [(expression(cts[i]), g * slopes[i]) for i in free]
    tangents = tuple([Expression(ds[i]) if i in free else ZERO for i in range(len(args))])
    pairs.append((expression(p.differential(tangents, y, *args)), sum(ds[i] * slopes[i] for i in free)))
    for rule, slope in pairs:
        if not vanishes(rule - slope):
            raise Unproved(f"`{p.name}` where {piece.name}: {rule} is not {slope}")


def vanishes(difference: Any) -> bool:
    """True where sympy simplifies an expression to 0."""
    import sympy as sp

    for simpler in (sp.together, sp.cancel, lambda x: sp.expand(x, log=False), sp.simplify):
        difference = simpler(difference)
        if difference == 0:
            return True
    return False
