"""The elementary functions of `math` and NumPy as LLVM IR: accurate, free of branches, taken by the loop vectoriser.

    source(names, fma) : the text of `define internal double @ccc_exp(double %x) alwaysinline ...` and what it needs
    parts(wanted, fma) : the same as a set of declarations and the definitions, to merge with other code
    NAMES              : primitive → function, `np.exp` → `exp`

With `lanes` above one the functions are `<lanes x double> @ccc_exp_v8(<lanes x double> %x)` instead. `fma` says whether
the CPU has a fused multiply-add (`engine.cpu().has_fma`); without, more parts and products of halves take its place.

A loop that calls the scalar functions is vectorised by `engine.optimised`, `sin cos tan` included: beyond their `limit`
(1e9, or 8e6 without fused multiply-add) they call the C library behind a branch, see `Formula.rarely`. `sin_small`,
`cos_small` and `tan_small` leave that out and are wrong there. Where the CPU has 512-bit vectors,
`"prefer-vector-width"="512"` on the function with the loop makes it use them.

Special values are those of C and NumPy: signed zeros, infinities, subnormal numbers, NaN outside the domain. The
functions of `math` raise where NumPy gives NaN of numbers, or an infinity of finite numbers: who calls for `math.*`
has to look for that in the result. `x ** y` on Python's floats is `power` for `x >= 0` only, else it may be complex.

Largest error in units in the last place (ulp) of the exact result, over the whole range, as `FUNCTIONS` states and the
tests measure against mpmath; the largest that up to 80,000 points showed, with fused multiply-add and without; and time
for each of 10,000 elements with 512-bit vectors (AMD Zen 5, the least of many runs; about twice that with 256 bits),
beside NumPy's:

    | function | ulp | without fma | ns | NumPy, ns |
    |---|---|---|---|---|
    | exp | 1.00 | 0.95 | 0.34 | 0.59 |
    | exp2 | 0.90 | 1.15 | 0.27 | 0.57 |
    | expm1 | 1.13 | 1.20 | 0.45 | 0.75 |
    | log | 0.75 | 0.73 | 0.54 | 0.52 |
    | log1p | 0.68 | 0.68 | 0.65 | 0.61 |
    | log2 | 0.92 | 0.92 | 0.57 | 0.55 |
    | log10 | 0.83 | 0.90 | 0.58 | 0.56 |
    | power | 0.86 | 0.89 | 2.84 | 1.31 |
    | logaddexp | 1.38 | 1.38 | 1.87 | 12.81 |
    | sigmoid | 1.87 | 1.87 | 0.45 | 1.12 |
    | sinh | 1.76 | 1.76 | 0.89 | 0.73 |
    | cosh | 1.40 | 1.40 | 0.38 | 0.59 |
    | tanh | 2.13 | 2.13 | 0.60 | 0.79 |
    | arcsinh | 1.34 | 1.34 | 1.46 | 1.28 |
    | arccosh | 2.09 | 2.09 | 1.35 | 1.44 |
    | arctanh | 1.31 | 1.30 | 1.02 | 0.85 |
    | sin | 1.04 | 1.25 | 0.54 | 8.21 |
    | cos | 1.06 | 1.20 | 0.48 | 8.35 |
    | tan | 2.24 | 2.60 | 0.59 | 0.90 |
    | sin_small | 1.04 | 1.25 | 0.48 | 8.17 |
    | cos_small | 1.06 | 1.20 | 0.47 | 8.35 |
    | tan_small | 2.20 | 2.60 | 0.52 | 0.91 |
    | arcsin | 1.01 | 1.01 | 0.43 | 0.75 |
    | arccos | 1.08 | 1.08 | 0.45 | 0.80 |
    | arctan | 1.63 | 1.63 | 0.42 | 0.69 |
    | arctan2 | 2.00 | 2.00 | 0.85 | 1.32 |
    | sqrt | 0.50 | 0.50 | 0.20 | 0.96 |
    | cbrt | 0.50 | 0.50 | 0.93 | 0.51 |
    | hypot | 0.93 | 1.09 | 0.26 | 6.67 |
    | erf | 1.17 | 1.22 | 1.02 | – |
    | erfc | 1.87 | 1.89 | 1.61 | – |

Of floats exp, exp2, expm1, log, log1p and tanh have the same formulas with fewer terms (`FLOATS`), twice as many to a
register: the largest errors that were seen are 1.01, 0.87, 1.16, 0.93, 0.94 and 2.26 ulp, NumPy's 2.42, 0.51, 0.76,
3.19, 0.81 and 1.37. All others are computed in doubles and rounded once.

The error of `logaddexp` is in units of the larger of its result and its arguments, since these cancel near a result of
zero, in NumPy as well. NumPy's functions are not rounded correctly either, and differ from these in the last places.

>>> "define internal double @ccc_hypot(double %x, double %y) alwaysinline" in source(["hypot"], fma=True)
True
>>> FUNCTIONS["arctan"].numpy, FUNCTIONS["arctan"].python, FUNCTIONS["arctan"].ulps
((Primitive('np.arctan'),), (Primitive('math.atan'),), 2.0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ccc.compile.native import circular, error_function, exponentials, hyperbolic, roots
from ccc.compile.native.formula import WIDTHS, Formula, Value, pool, rare_definitions
from ccc.compile.native.functions import Constant, Written
from ccc.primitives import elementary_math as math_, elementary_numpy as np_
from ccc.primitives.primitive import Primitive
from ccc.values import value


@value()
class Elementary:
    """A function: its formula, how many arguments it takes, the bound of its error, the primitives that it computes:
    those of NumPy, which give infinities and nans, and those of Python, which raise."""

    formula: Callable[..., Value]
    count: int
    ulps: float
    numpy: tuple[Primitive, ...] = ()
    python: tuple[Primitive, ...] = ()
    item: str = "double"


FUNCTIONS: dict[str, Elementary] = {
    f.formula.__name__: f for f in (
        Elementary(exponentials.exp, 1, 1.5, (np_.exp,), (math_.exp,)),
        Elementary(exponentials.exp2, 1, 1.5, (np_.exp2,), (math_.exp2,)),
        Elementary(exponentials.expm1, 1, 1.5, (np_.expm1,), (math_.expm1,)),
        Elementary(exponentials.log, 1, 1.0, (np_.log,), (math_.log,)),
        Elementary(exponentials.log1p, 1, 1.0, (np_.log1p,), (math_.log1p,)),
        Elementary(exponentials.log2, 1, 1.5, (np_.log2,), (math_.log2,)),
        Elementary(exponentials.log10, 1, 1.0, (np_.log10,), (math_.log10,)),
        Elementary(exponentials.power, 2, 1.0, (), (math_.pow_,)),
        Elementary(exponentials.logaddexp, 2, 2.0, (np_.logaddexp,)),
        Elementary(exponentials.sigmoid, 1, 2.5),
        Elementary(hyperbolic.sinh, 1, 2.0, (np_.sinh,), (math_.sinh,)),
        Elementary(hyperbolic.cosh, 1, 2.0, (np_.cosh,), (math_.cosh,)),
        Elementary(hyperbolic.tanh, 1, 3.5, (np_.tanh,), (math_.tanh,)),
        Elementary(hyperbolic.arcsinh, 1, 2.0, (np_.arcsinh,), (math_.asinh,)),
        Elementary(hyperbolic.arccosh, 1, 2.5, (np_.arccosh,), (math_.acosh,)),
        Elementary(hyperbolic.arctanh, 1, 2.0, (np_.arctanh,), (math_.atanh,)),
        Elementary(circular.sin, 1, 1.5, (np_.sin,), (math_.sin,)),
        Elementary(circular.cos, 1, 1.5, (np_.cos,), (math_.cos,)),
        Elementary(circular.tan, 1, 3.0, (np_.tan,), (math_.tan,)),
        Elementary(circular.sin_small, 1, 1.5),
        Elementary(circular.cos_small, 1, 1.5),
        Elementary(circular.tan_small, 1, 3.0),
        Elementary(circular.arcsin, 1, 1.5, (np_.arcsin,), (math_.asin,)),
        Elementary(circular.arccos, 1, 1.5, (np_.arccos,), (math_.acos,)),
        Elementary(circular.arctan, 1, 2.0, (np_.arctan,), (math_.atan,)),
        Elementary(circular.arctan2, 2, 2.5, (np_.arctan2,), (math_.atan2,)),
        Elementary(roots.sqrt, 1, 0.5, (np_.sqrt,), (math_.sqrt,)),
        Elementary(roots.cbrt, 1, 1.0, (np_.cbrt,), (math_.cbrt,)),
        Elementary(roots.hypot, 2, 1.5, (np_.hypot,)),
        Elementary(error_function.erf, 1, 1.5, (), (math_.erf,)),
        Elementary(error_function.erfc, 1, 2.5, (), (math_.erfc,)),
    )
}  # fmt: skip
"""Those of doubles by their names."""
FLOATS: dict[str, Elementary] = {
    f"{f.formula.__name__}_float": f for f in (
        Elementary(exponentials.exp, 1, 1.5, (np_.exp,), item="float"),
        Elementary(exponentials.exp2, 1, 1.5, (np_.exp2,), item="float"),
        Elementary(exponentials.expm1, 1, 1.5, (np_.expm1,), item="float"),
        Elementary(exponentials.log, 1, 1.5, (np_.log,), item="float"),
        Elementary(exponentials.log1p, 1, 1.5, (np_.log1p,), item="float"),
        Elementary(hyperbolic.tanh, 1, 3.5, (np_.tanh,), item="float"),
    )
}  # fmt: skip
"""Those of floats: the same formulas, of fewer terms. All others are computed in doubles and rounded once."""
ALL = {**FUNCTIONS, **FLOATS}


def symbol(name: str, lanes: int = 1) -> str:
    """The name of a function in the IR.

    >>> symbol("exp"), symbol("exp", 8)
    ('@ccc_exp', '@ccc_exp_v8')
    """
    return f"@ccc_{name}" + ("" if lanes == 1 else f"_v{lanes}")


LANES = (1, 2, 4, 8, 16)
SYMBOLS = {symbol(name, lanes)[1:]: (name, lanes) for name in ALL for lanes in LANES}
"""The functions by what they are called."""


def parts(
    wanted: Iterable[tuple[str, int, int | None]], fma: bool, widths: Sequence[int] = WIDTHS
) -> tuple[set[str], list[Constant | Written]]:
    """The declarations, and the definitions, of functions; of each its name, its lanes, and the lines up to which it is
    inlined, None for any number. `widths` are those of the vectors that LLVM may make of their loops."""
    declarations: set[str] = set()
    constants: set[str] = set()
    rare: set[tuple[str, int]] = set()
    definitions: list[Written] = []
    for name, lanes, most in wanted:
        function = ALL[name]
        f = Formula(fma, lanes, function.item)
        arguments = [f.argument(x) for x in "xy"[: function.count]]
        found = function.formula(f, *arguments)
        inline = most is None or len(f.lines) <= most
        definitions.append(f.define(symbol(name, lanes)[1:], arguments, found, inline))
        declarations |= f.declarations
        constants |= set(f.constants)
        rare |= {(g, lanes) for g in f.rare}
    more, behind = rare_definitions(rare, widths)
    return declarations | more, [*pool(constants), *definitions, *behind]


def source(names: Iterable[str], fma: bool, lanes: int = 1) -> str:
    """The IR of these functions with all that they need."""
    declarations, definitions = parts([(name, lanes, None) for name in dict.fromkeys(names)], fma)
    return "\n".join([*sorted(declarations), *map(str, definitions)])
