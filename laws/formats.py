"""What a format of floats computes: each operation is the exact one, rounded once, by every target.

    compiled f  =  f on fractions, each result of which is rounded to the nearest number of the format, to even at a tie
    Rounding    holds what the format gives, and what exact numbers give

The reference has no floats at all; it shares nothing with NumPy, LLVM or XLA. XLA computes no subnormal numbers on a
CPU, but 0 in their place: where there are some, the law says nothing of it.

>>> third = nearest(Fraction(1, 3), SINGLE)
>>> third == Fraction(float(np.float32(1.0) / np.float32(3.0))), nearest(Fraction(2) ** -150, SINGLE)
(True, Fraction(0, 1))
>>> nearest(Fraction(2) ** -140, SINGLE) == Fraction(2) ** -140
True

Reference: IEEE Standard 754 for Floating-Point Arithmetic, section 4.3.1.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from ccc.categories.rounding import Rounding
from ccc.errors import CannotStage
from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.compiling import function_of
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.outcomes import ITEMS, POINTS, Runs, Writer, written
from ccc.laws.programs import released
from ccc.laws.subjects import of_kind, on_target


@dataclass(frozen=True, slots=True)
class Format:
    """A format of floats, and whether its subnormal numbers are computed with."""

    dtype: Any
    subnormal: bool = True


SINGLE, NORMAL = Format(np.float32), Format(np.float32, subnormal=False)
OPERATIONS = ("{0} + {1}", "({0} - {1})", "({0}) * {1}", "(-{0})", "({0}) / {1}", "({0}) * 0.1", "({0}) + n",
              "(x * ({0}))[{2}]", "(x + x[::-1])[{2}] * ({0})", "abs({0})")
LITERALS = ("({0}) * 1.00000006", "({0}) * -0.50000003", "({0}) * 4.0000002", "({0}) + 1.00000006", "(-{0})",
            "abs({0})")
"""Operations on literals that lie in the middle between two numbers of 32 bits, just above a power of two: rounding one
is as far off as rounding can be."""


def nearest(x: Fraction, format: Format) -> Fraction:
    """The number of a format that is nearest, the one whose last bit is 0 at a tie.

    Raises `Discarded` for what is too large for it, or subnormal where there is no such number.
    """
    info = np.finfo(format.dtype)
    if not x:
        return x
    exponent = abs(x.numerator).bit_length() - x.denominator.bit_length()
    exponent -= abs(x) < Fraction(2) ** exponent
    unit = Fraction(2) ** (max(exponent, int(info.minexp)) - int(info.nmant))
    found = round(x / unit) * unit
    least = 0 if format.subnormal else Fraction(float(info.smallest_normal))
    if not least <= abs(found) <= Fraction(float(info.max)):
        raise Discarded
    return found


class Rounded:
    """A number of a format; an operation is that of fractions, rounded once. With no format numbers are exact.

    >>> tenth = Rounded(Fraction(1), SINGLE) / 10
    >>> tenth.value == Fraction(1, 10), float(tenth.value) == float(np.float32(0.1))
    (False, True)
    """

    __slots__ = ("format", "value")

    def __init__(self, value: Any, format: Format | None = SINGLE) -> None:
        self.format = format
        self.value = Fraction(value) if format is None else nearest(Fraction(value), format)

    def by(self, operation: Callable[[Fraction, Fraction], Fraction], other: Any) -> Rounded:
        """An operation with a number, which is one of the format first."""
        value = other.value if isinstance(other, Rounded) else Rounded(other, self.format).value
        try:
            return Rounded(operation(self.value, value), self.format)
        except ZeroDivisionError as error:
            raise Discarded from error

    def __add__(self, other: Any) -> Rounded:
        return self.by(operator.add, other)

    def __sub__(self, other: Any) -> Rounded:
        return self.by(operator.sub, other)

    def __mul__(self, other: Any) -> Rounded:
        return self.by(operator.mul, other)

    def __truediv__(self, other: Any) -> Rounded:
        return self.by(operator.truediv, other)

    def __neg__(self) -> Rounded:
        return Rounded(-self.value, self.format)

    def __abs__(self) -> Rounded:
        return Rounded(abs(self.value), self.format)

    def __lt__(self, other: Rounded) -> bool:
        return self.value < other.value


class Arithmetic(Writer):
    """Writes programs that raise nothing themselves."""

    def raising(self, depth: int) -> None:
        self.assignment(depth)


def drawn(g: Generator, i: int, operations: tuple[str, ...] = OPERATIONS) -> Runs:
    """A program of numbers of a format, at numbers of which some are as small or as large as it has."""
    source = written(Arithmetic(g, operations, ("a", "b", "a", "b", "x[0]", "x[1]"), False), "a, b, x, n")

    def real() -> np.float32:
        size = 2.0 ** g.pick((0, 0, 0, 0, -70, -130, 60, 100))
        return np.float32(g.pick((1, -1)) * (1 + g.below(2**12) / 2**11) * size)

    return Runs(source, tuple([
        (real(), real(), np.array([real() for _ in range(ITEMS)], np.float32), g.below(ITEMS)) for _ in range(POINTS)]))


def as_fractions(args: tuple[Any, ...], format: Format | None = SINGLE) -> tuple[Any, ...]:
    """The arguments of a program with fractions for their floats."""
    a, b, x, n = args
    return (*[Rounded(float(v), format) for v in (a, b)],
            np.array([Rounded(float(v), format) for v in x], dtype=object), n)


def results(y: Any) -> list[Any]:
    """The numbers that a program gives, one or two, as fractions."""
    return [part.value if isinstance(part, Rounded) else Fraction(float(part))
            for part in (y if isinstance(y, tuple) else (y,))]


def reference(f: Callable[..., Any], args: tuple[Any, ...], format: Format | None = SINGLE) -> list[Any] | None:
    """What the program gives on fractions; None where one is too large for the format, divided by zero or no item."""
    try:
        return results(f(*as_fractions(args, format)))
    except (Discarded, IndexError):
        return None


def _by(backend: str, format: Format) -> Callable[[Any, Runs], Judged]:
    def judge(comparison: Any, example: Runs) -> Judged:
        from ccc.compile.api.transforms import compiled

        f, _ = function_of(f"import numpy as np\n{example.source}")
        g, looked = compiled(f, backend=backend), 0
        try:
            for args in example.points:
                expected = reference(f, args, format)
                if expected is None:
                    continue
                looked += 1
                with np.errstate(all="ignore"):
                    found = g(*args)
                if results(found) != expected:
                    return Judged(Difference("it is not rounded once an operation", args, None, found,
                                             [float(v) for v in expected]))
        finally:
            released(f)
        if not looked:
            raise Discarded
        return Judged()

    return judge


def _bounded(comparison: Any, example: Runs) -> Judged:
    """The bounds of a program against what the format gives, infinities too, and what fractions give."""
    from ccc.compile.api.interpretation import interpret

    f, _ = function_of(f"import numpy as np\n{example.source}")
    k = Rounding(np.float32)
    bounds = interpret(f, k)
    steady = not any(sign in example.source for sign in "/<")  # nothing is divided by what may be 0, or decided
    try:
        for args in example.points:
            *reals, n = args
            exact = reference(f, args, None)
            with np.errstate(all="ignore"):
                if exact is None:
                    continue
                given = f(*args)
                try:
                    found = bounds(*[k.exactly(x.astype(float)[()]) for x in reals], n)
                except IndexError:  # in an arm that is not taken, of a test that is not decided
                    continue
            rounded = [float(v) for v in (given if isinstance(given, tuple) else (given,))]
            pairs = list(zip(*found, strict=True)) if isinstance(given, tuple) else [found]
            known = steady and reference(f, args) is not None
            for (low, high), one, other in zip(pairs, exact, rounded, strict=True):
                if known and not math.isfinite(high - low):
                    return Judged(Difference("the bounds are infinite of what is not", args, None, (low, high), one))
                if not (low <= one <= high and (low <= other <= high or other != other)):
                    return Judged(Difference("the bounds do not hold it", args, None, (low, high), (one, other)))
    except CannotStage as error:
        raise Discarded from error
    finally:
        released(f)
    return Judged()


def _check(
    name: str, statement: str, backend: str, share: float, weight: float, format: Format = SINGLE
) -> Check:
    return Check(name, "formats", statement, drawn, _by(backend, format), applies=on_target("values", backend),
                 share=share, weight=weight)


FORMATS: tuple[Check, ...] = (
    _check("format-once", "compiled f rounds each operation of 32 bits once, to the nearest", "numpy", 0.5, 2.0),
    _check("format-once-machine-code", "the same by machine code", "native", 0.1, 20.0),
    _check("format-once-xla", "the same by XLA, where no number is subnormal", "xla", 0.02, 100.0, NORMAL),
    Check("format-bounds", "formats", "bounds of rounding hold what 32 bits give, and what exact numbers give", drawn,
          _bounded, applies=of_kind("values"), share=0.15, weight=4.0),
    Check("format-literals", "formats", "the same, of literals that the format does not have",
          lambda g, i: drawn(g, i, LITERALS), _bounded, applies=of_kind("values"), share=0.1, weight=4.0),
)
