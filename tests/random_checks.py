"""What is checked about a random program, and what becomes of it.

The value, its type, the printed text and the exception are those of plain Python; the gradient is the same under every
exponential, that of forward mode and of difference quotients; pullbacks are linear, arguments stay as they are, results
share no memory, and other arguments get answers of their own.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import math
import os
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
from checks import (
    BACKEND,
    arrays,
    as_read,
    dot,
    moved,
    numbers,
    only_of,
    parts_of,
    same,
    shape_of,
    tangents,
    with_zeros,
)
from conforming import conforming
from random_programs import Program, program

import ccc
from ccc.compile.api.wrapper import Transform
from ccc.compile.diagnostics import TRACEBACK, CompileError
from ccc.errors import BoundaryMismatch, CCCError
from ccc.records import like

AGREED, RAISED, REFUSED, INCONCLUSIVE, NOTHING, DISAGREES, INTERNAL = (
    "agreed", "raised", "refused", "inconclusive", "no number", "disagrees", "internal error",
)  # fmt: skip
FAILURES = (DISAGREES, INTERNAL)
HUGE = 1e6
ROUNDED = "sums of another order"
"""The feature of a program whose value is that of plain Python up to rounding: a copy has another layout."""


@dataclass
class Outcome:
    """What became of a program, with what is said about it: a code, an exception, a difference."""

    kind: str
    detail: str = ""
    text: str = ""


class Disagreement(AssertionError):
    """Two ways to compute the same thing gave different things."""


class Raised:
    """An exception in the place of a value."""

    def __init__(self, error: Exception) -> None:
        self.error = error


def expect(true: bool, text: str) -> None:
    if not true:
        raise Disagreement(text)


def alike(a: Any, b: Any) -> bool:
    """Equal bits and types, where an int may have become a float."""
    parts = parts_of(b)
    if parts is not None:
        of = parts_of(a)
        return (
            type(a) is type(b)
            and shape_of(a) == shape_of(b)
            and of is not None
            and len(of) == len(parts)
            and all(map(alike, of, parts))
        )
    return same(a, b) or (type(b) is int and type(a) is float and a == b)


def wide(x: Any) -> Any:
    """The value in double precision."""
    parts = parts_of(x)
    if parts is not None:
        return like(x, [wide(part) for part in parts])
    if isinstance(x, np.ndarray) and x.dtype.kind == "f":
        return x.astype(float)
    return np.float64(x) if isinstance(x, np.floating) else x


def filled(value: Any, weights: Iterator[float]) -> Any:
    """The structure of a value with the next weights as its real numbers, and with 0 for its whole numbers."""
    parts = parts_of(value)
    if parts is not None:
        return like(value, [filled(part, weights) for part in parts])
    if isinstance(value, np.ndarray):
        real = value.dtype.kind == "f"
        return np.array([next(weights) if real else 0.0 for _ in range(value.size)]).reshape(value.shape)
    return next(weights) if isinstance(value, float | np.floating) else 0.0


def numbers_beside(x: Any, value: Any) -> Iterator[float]:
    """The numbers of `x` where the value has real numbers."""
    parts = parts_of(value)
    if parts is not None:
        for a, b in zip(parts_of(x) or (), parts, strict=True):
            yield from numbers_beside(a, b)
    elif list(numbers(value)):
        yield from numbers(x)


def captured(run: Callable[..., Any], *args: Any) -> tuple[Any, str]:
    """What `run` gives, or the exception that it raises, and what it prints."""
    text = io.StringIO()
    try:
        with contextlib.redirect_stdout(text):
            found = run(*args)
    except CCCError:
        raise
    except Exception as error:
        found = Raised(error)
    return found, text.getvalue()


def given(run: Callable[..., Any], *args: Any) -> Any:
    """What `run` gives; what it prints is forgotten."""
    with contextlib.redirect_stdout(io.StringIO()):
        return run(*args)


DOUBLE = float(np.finfo(float).eps)


def slope(f: Callable[[float], float], h: float, eps: float = DOUBLE) -> tuple[float, float]:
    """The derivative at 0 and a bound of its error, infinite where the function is not smooth.

    Central quotients with steps `h` and half of it, combined so that the error of order h² cancels; what they differ
    by bounds what is left. At a kink the quotients from the left and the right differ by a number that does not shrink
    with h. `eps` is that of the numbers that the function computes with.
    """
    try:
        middle, values = f(0.0), {s: f(s) for s in (h, -h, h / 2, -h / 2, 3 * h, -3 * h)}
    except (ArithmeticError, ValueError, IndexError, AssertionError):
        return 0.0, math.inf
    coarse, fine = [(values[s] - values[-s]) / (2 * s) for s in (h, h / 2)]
    bends = [abs(values[s] + values[-s] - 2 * middle) / s for s in (3 * h, h, h / 2)]
    noise = 16 * eps * (1 + sum(map(abs, values.values()))) / h
    smooth = bends[2] <= 0.6 * bends[1] + 4 * noise and bends[1] <= 0.45 * bends[0] + 4 * noise
    error = abs(fine - coarse) / 3 + noise
    good = smooth and error < (1e-4 if eps == DOUBLE else 1e-2) * (1 + abs(fine))  # false for NaN
    return fine + (fine - coarse) / 3, error if good else math.inf


def quotients_agree(
    f: Callable[[float], float], found: float, factor: float, spare: float = 0.0, eps: float = DOUBLE
) -> tuple[bool, str]:
    """Whether a step size says something of the slope at 0, and what those say that do: "" where one agrees. A step may
    reach over a kink that shows in a shorter one alone."""
    said: list[str] = []
    for step in (2.0**-11, 2.0**-15, 2.0**-19) if eps == DOUBLE else (2.0**-5, 2.0**-8):
        try:
            expected, error = slope(f, step, eps)
        except ValueError:  # another number of results
            break
        if not math.isfinite(error):
            continue
        if abs(found - expected) <= factor * error + spare:
            return True, ""
        said.append(f"{found}, slope {expected} ± {error}")
    if eps != DOUBLE and len(said) < 2:  # a step as long as those of rounding may see its staircase as a slope
        return False, ""
    return bool(said), " and ".join(said)


class Checker:
    """The checks of one program; each raises `Disagreement` where something differs."""

    def __init__(self, made: Program, f: Callable[..., Any]) -> None:
        self.made = made
        self.f = f
        self.backend = BACKEND
        self.r = random.Random(made.seed + 1)
        self.changes = False
        self.steady = self.fresh()
        self.size = len(list(numbers(self.args)))
        self.bare = len(self.args) == 1
        self.along = [self.r.choice((-1.0, 1.0)) * self.r.uniform(0.3, 1.0) for _ in range(self.size)]
        self.eps = 1e-11 if "np.float32" not in made.calls[0] else 1e-4
        self.precision = self.finest = DOUBLE  # of the program, and of the same one at arguments in double precision

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments, as they are before a call that changes them."""
        return self.fresh() if self.changes else self.steady

    def fresh(self, call: int = 0) -> tuple[Any, ...]:
        return self.made.arguments(self.f, self.made.calls[call])

    def run(self) -> Outcome:
        seed = self.made.seed
        plain, args = self.fresh(), self.fresh()
        expected, text = captured(self.f, *plain)
        if isinstance(expected, Raised):
            return self.raises(expected.error, text)
        self.changes = not same(plain, args)
        huge = ROUNDED in self.made.features and not abs(expected) < HUGE  # true for NaN
        if huge or not list(numbers(expected)):
            return Outcome(NOTHING)
        found, printed = captured(Transform(self.f, backend=self.backend), *args)
        self.compare(found, expected)
        expect(same(args, plain), f"the arguments have become {args!r}, in plain Python {plain!r}")
        expect(printed == text, f"printed {printed!r}, plain Python prints {text!r}")
        self.value = expected
        self.scalar = isinstance(expected, float | np.floating)
        self.weights = [1.0] if self.scalar else [self.r.uniform(0.5, 1.5) for _ in numbers(expected)]
        cotangents = self.exponentials(expected, text, all_of_them=seed % 2 == 0)
        gradient = list(numbers(cotangents))
        product = dot(cotangents, self.along)
        self.forward(gradient, product)
        if seed % 3 == 1:
            self.linear(gradient)
        self.others(full=seed % 4 == 0)
        expect(same(self.args, self.fresh()), f"the arguments have become {self.args!r}")
        conclusive = self.differences(gradient, product)
        if seed % 3 == 0 and self.scalar:
            conclusive = self.second() and conclusive
        return Outcome(AGREED if conclusive else INCONCLUSIVE)

    def raises(self, error: Exception, text: str) -> Outcome:
        """The compiled program raises the same exception, its gradient too, after it has printed the same."""
        by: dict[str, Any] = {"backend": self.backend}
        for transform in (Transform(self.f, **by), ccc.value_with_pullback(self.f, **by)):
            try:
                found, printed = captured(transform, *self.args)
            except CompileError as refusal:
                return Outcome(
                    REFUSED, f"{refusal.diagnostics[0].code} where plain Python raises {error!r}", str(refusal)
                )
            got = found.error if isinstance(found, Raised) else found
            expect(type(got) is type(error), f"plain Python raises {error!r}, the compiled function gives {got!r}")
            expect(printed == text, f"printed {printed!r}, plain Python prints {text!r}")
        return Outcome(RAISED, type(error).__name__)

    def compare(self, found: Any, expected: Any) -> None:
        """The value is that of plain Python; up to rounding where that takes derivatives itself or adds otherwise."""
        if isinstance(found, Raised):
            raise found.error
        good = alike(found, expected)
        if self.made.features & {"derivative", ROUNDED}:
            a, b = list(numbers(found)), list(numbers(expected))
            good = len(a) == len(b) and all(
                math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-9) or (math.isnan(x) and math.isnan(y))
                for x, y in zip(a, b, strict=True)
            )
        expect(good, f"value {found!r}, plain Python gives {expected!r}")

    def scale(self, gradient: list[float]) -> float:
        return 1.0 + math.fsum([abs(x) for x in gradient if math.isfinite(x)])

    def close(self, a: float, b: float, scale: float) -> bool:
        return abs(a - b) <= self.eps * scale or (not math.isfinite(a) and not math.isfinite(b))

    def seed_of(self, value: Any, weights: list[float] | None = None) -> Any:
        """The cotangent of a result that weighs its numbers; zero for whole numbers, which may stand for reals."""
        return filled(value, iter(weights or self.weights))

    def taken(self, cotangents: Any) -> Any:
        return (cotangents,) if self.bare else cotangents

    def reals(self, cotangents: Any) -> Any:
        """The cotangents of the real numbers among the arguments; ints that stand for reals have some too."""
        return only_of(self.args, self.taken(cotangents))

    def value_and_cotangents(self, exponential: Any) -> Callable[[], tuple[Any, Any]]:
        """A function that gives both, by the same code each time."""
        if self.scalar:
            gradient = ccc.value_with_gradient(self.f, exponential=exponential, backend=self.backend)
            return lambda: gradient(*self.args)
        transform = ccc.value_with_pullback(self.f, exponential=exponential, backend=self.backend)

        def run() -> tuple[Any, Any]:
            value, pullback = transform(*self.args)
            return value, pullback(self.seed_of(self.value))

        return run

    def exponentials(self, value: Any, text: str, all_of_them: bool) -> Any:
        """The cotangents, the same under each exponential up to the order of sums, and safe to write to."""
        first: Any = None
        for exponential in (ccc.Delta(), ccc.AdditiveMap(), ccc.AnyDerivative())[: 3 if all_of_them else 2]:
            run = self.value_and_cotangents(exponential)
            result, printed = captured(run)
            if isinstance(result, Raised):
                raise result.error
            again, cts = result[0], self.taken(result[1])
            self.compare(again, value)
            expect(printed == text, f"{exponential}: printed {printed!r}, plain Python prints {text!r}")
            if first is None:
                first = cts
                self.not_shared(cts, run)
            a, b = list(numbers(cts)), list(numbers(first))
            count = len(list(numbers(only_of(self.args, cts))))
            expect(count == self.size, f"{exponential}: {cts!r} for {self.args!r}")
            good = all(self.close(x, y, self.scale(b)) for x, y in zip(a, b, strict=True))
            expect(good, f"{exponential}: {a}, Delta gives {b}")
        self.integers(first)
        return only_of(self.args, first)

    def integers(self, cotangents: Any) -> None:
        """Ints that have cotangents have those of the floats that they are equal to."""
        floats = tuple(map(as_read, self.args, cotangents))
        if same(floats, self.args):
            return
        _, pullback = given(ccc.value_with_pullback(self.f, backend=self.backend), *floats)
        a, b = list(numbers(self.taken(given(pullback, self.seed_of(self.value))))), list(numbers(cotangents))
        good = len(a) == len(b) and all(self.close(x, y, self.scale(b)) for x, y in zip(a, b, strict=True))
        expect(good, f"at {floats!r} {a}, at {self.args!r} {b}")

    def not_shared(self, cotangents: Any, run: Callable[[], Any]) -> None:
        """Each array of the cotangents is fresh: writing into it changes nothing else."""
        found = [x for x in arrays(cotangents) if isinstance(x, np.ndarray)]
        kept = [x.copy() for x in found]
        around = [x for x in arrays(self.args) if isinstance(x, np.ndarray)]
        for i, x in enumerate(found):
            expect(x.flags.writeable, f"the cotangent {x!r} is read-only")
            expect(
                not any(np.shares_memory(x, y) for y in found[:i] + around), f"the cotangent {x!r} shares its memory"
            )
        for x in found:
            x[...] = np.nan
        again = [x for x in arrays(self.taken(given(run)[1])) if isinstance(x, np.ndarray)]
        for x, y, second in zip(found, kept, again, strict=True):
            expect(same(y, second), f"the second call gives {second!r}, the first {y!r}")
            x[...] = y

    def forward(self, gradient: list[float], product: float) -> None:
        _, differential = given(ccc.value_with_differential(self.f, backend=self.backend), *self.args)
        tangent = given(differential, *tangents(self.args, self.along))
        reals = list(numbers_beside(tangent, self.value))
        found = math.fsum(x * w for x, w in zip(reals, self.weights, strict=True))
        expect(self.close(found, product, self.scale(gradient)), f"forward {found}, reverse {product}")

    def shaky(self, product: float, by: float) -> bool:
        """True where a slope moves by so much when the arguments move by their last places."""
        for seed in range(4):
            r = random.Random(seed)
            along = [r.choice((-4.0, 4.0)) * self.precision * (abs(x) or 1.0) for x in numbers(self.args)]
            there = moved(self.args, iter(along))
            try:
                _, pullback = given(ccc.value_with_pullback(self.f, backend=self.backend), *there)
            except (ArithmeticError, ValueError, IndexError):
                return True
            found = dot(self.reals(given(pullback, self.seed_of(self.value))), self.along)
            if not abs(found - product) < by:
                return True
        return False

    def linear(self, gradient: list[float]) -> None:
        """A pullback takes a multiple of a seed to the multiple, a sum to the sum, and can be used again."""
        _, pullback = given(ccc.value_with_pullback(self.f, backend=self.backend), *self.args)
        other = [self.r.uniform(-1.0, 1.0) for _ in self.weights]
        both = [3.0 * x - y for x, y in zip(self.weights, other, strict=True)]
        a, b, c = [
            list(numbers(self.reals(given(pullback, self.seed_of(self.value, w))))) for w in (self.weights, other, both)
        ]
        scale = self.scale([*a, *b])
        for x, y, z, one in zip(a, b, c, gradient, strict=True):
            expect(self.close(3.0 * x - y, z, 8 * scale), f"pullbacks {a}, {b}, of 3 and -1 of them {c}")
            expect(self.close(x, one, scale), f"a pullback gives {a}, gradient {gradient}")

    def others(self, full: bool) -> None:
        """The same compiled code, or what the cache makes of it, with other numbers and other sizes."""
        transform = Transform(self.f, backend=self.backend)
        captured(transform, *self.args)
        for call in range(1, len(self.made.calls) if full else 2):
            args = self.fresh(call)
            expected, text = captured(self.f, *self.fresh(call))
            try:
                found, printed = captured(transform, *args)
            except CompileError as refusal:  # what Python raises was found where the function was compiled
                if isinstance(expected, Raised) and type(refusal.__cause__) is type(expected.error):
                    continue
                raise
            if isinstance(expected, Raised) or isinstance(found, Raised):
                a, b = [of.error if isinstance(of, Raised) else of for of in (found, expected)]
                expect(type(a) is type(b), f"call {call}: {a!r}, plain Python gives {b!r}")
            else:
                self.compare(found, expected)
                expect(printed == text, f"printed {printed!r}, plain Python prints {text!r}")

    def differences(self, gradient: list[float], product: float) -> bool:
        """The slope along a direction is that of difference quotients; false where these say nothing."""
        args, spare = wide(self.args), 0.0 if self.eps < 1e-10 else 1e-3 * self.scale(gradient)
        widened, _ = captured(self.f, *wide(self.fresh()))
        if isinstance(widened, Raised) or not all(
            math.isclose(a, b, rel_tol=self.eps, abs_tol=self.eps)
            for a, b in zip(numbers(widened), numbers(self.value), strict=True)
        ):  # in double precision it is another program: what made a copy is the array itself
            return False

        def at(step: float) -> float:
            return dot(given(self.f, *moved(args, iter([step * a for a in self.along]))), self.weights)

        conclusive, text = quotients_agree(at, product, 4, spare, self.finest)
        expect(not text, f"gradient {text}")
        return conclusive

    def second(self) -> bool:
        """The Hessian times a direction: forward over reverse, reverse over reverse, differences of gradients."""
        gradient = ccc.gradient(self.f, backend=self.backend)
        direction = tuple(tangents(self.args, self.along))
        _, differential = given(ccc.value_with_differential(gradient, backend=self.backend), *self.args)
        first, pullback = given(ccc.value_with_pullback(gradient, backend=self.backend), *self.args)
        seed = with_zeros(self.args, self.taken(first), direction)
        a = list(numbers(self.reals(given(differential, *direction))))
        b = list(numbers(self.reals(given(pullback, seed[0] if self.bare else seed))))
        expect(len(a) == len(b) == self.size, f"{a} and {b} for {self.args!r}")
        for x, y in zip(a, b, strict=True):
            good = abs(x - y) <= 100 * self.eps * self.scale(a) or not math.isfinite(x + y)
            expect(good, f"forward over reverse {a}, reverse over reverse {b}")
        if self.eps > 1e-10:
            return True
        weights = [math.cos(3.0 * i + 1.0) for i in range(self.size)]
        product = math.fsum(x * w for x, w in zip(a, weights, strict=True))

        def at(step: float) -> float:
            return dot(self.reals(given(gradient, *moved(self.args, iter([step * d for d in self.along])))), weights)

        conclusive, text = quotients_agree(at, product, 8)
        expect(not text, f"second derivative {text}")
        return conclusive


def of_a_rule(error: CCCError) -> bool:
    """True for a refusal by name: no other exception is behind it."""
    if not isinstance(error, CompileError):
        return not isinstance(error, BoundaryMismatch)  # between parts of a program there is no boundary of a user
    behind = error.__cause__
    return bool(error.diagnostics) and (behind is None or isinstance(behind, CCCError))


OVERLAPPING = re.compile(r"^(?!.*\], \w+\[.* = )(\s*(\w+)\[.*\] = )(\2\[.*\])$", re.MULTILINE)
"""An assignment from an array to itself: where a row overlaps a column, NumPy may write what it reads later."""


def outcome_of(
    made: Program, checker: Callable[[Program, Callable[..., Any]], Checker] = Checker,
    refused: Callable[[CCCError], bool] = of_a_rule,
) -> Outcome:
    """Run every check on a program; `refused` tells refusals from what a defect makes of itself."""
    f = made.load()
    try:
        full = patch.dict(os.environ, {TRACEBACK: "full"})  # with what is behind an error
        with np.errstate(all="ignore"), full, conforming():
            return checker(made, f).run()
    except Disagreement as error:
        if OVERLAPPING.search(made.source):
            made = dataclasses.replace(made, source=OVERLAPPING.sub(r"\1np.copy(\3)", made.source))
            return outcome_of(made, checker, refused)
        return Outcome(DISAGREES, essence(str(error), 12), str(error))
    except CCCError as error:
        return Outcome(REFUSED if refused(error) else INTERNAL, code_of(error), str(error))
    except Exception as error:
        return Outcome(INTERNAL, essence(f"{type(error).__name__}: {error}", 60), f"{type(error).__name__}: {error}")


def essence(text: str, length: int) -> str:
    """The beginning of a message without the names and numbers in it."""
    return re.sub(r"`[^`]*`|[\d.]+|'[^']*'", "_", text)[:length]


def code_of(error: CCCError) -> str:
    """The code of a refusal and what it says."""
    if not isinstance(error, CompileError) or not error.diagnostics:
        return type(error).__name__
    return f"{error.diagnostics[0].code} {essence(error.diagnostics[0].message, 60)}"


def check(seed: int) -> Outcome:
    """Run every check on the program of a seed; a failure raises with a smaller program that fails in the same way."""
    return checked(program(seed), f"To reproduce it: python3 tests/random_shrinking.py {seed}")


def checked(made: Program, again: str = "") -> Outcome:
    """Run every check on a program; a failure raises with a smaller one, and says how to see it again."""
    found = outcome_of(made)
    if found.kind in FAILURES:
        from random_shrinking import shrunken

        smaller = shrunken(made, found)
        raise AssertionError(
            f"{found.kind}: {outcome_of(smaller).text}\n{smaller}\n{again}"
        )
    return found
