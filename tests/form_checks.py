"""What is checked about a call: value, type, dtype, memory and exception against plain Python, types of cotangents and
tangents, derivatives of first and second order against differences and against their transposes."""

from __future__ import annotations

import contextlib
import io
import itertools
import math
import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from checks import EPS, arrays, dot, moved, numbers, parts_of, same, tangents
from conforming import conforming
from native_checks import near
from random_checks import (
    AGREED,
    DISAGREES,
    INCONCLUSIVE,
    INTERNAL,
    NOTHING,
    RAISED,
    REFUSED,
    Disagreement,
    Outcome,
    expect,
    filled,
    numbers_beside,
    quotients_agree,
)
from random_forms import form
from random_programs import Program

import ccc
from ccc.errors import CCCError
from ccc.records import like

BACKENDS = ("numpy", "native")


def memories(x: Any) -> Iterator[np.ndarray]:
    """The arrays in a value."""
    parts = parts_of(x)
    if parts is not None:
        for part in parts:
            yield from memories(part)
    elif isinstance(x, np.ndarray):
        yield x


def holds_complex(x: Any) -> bool:
    parts = parts_of(x)
    return np.iscomplexobj(x) if parts is None else any(map(holds_complex, parts))


def native_order(x: Any) -> Any:
    parts = parts_of(x)
    if parts is not None:
        return like(x, [native_order(part) for part in parts])
    if not isinstance(x, np.ndarray) or x.dtype.isnative:
        return x
    return x.astype(x.dtype.newbyteorder("="))


def beside_reals(x: Any) -> Any:
    """A value as the language has it: lists of numbers have floats for ints beside reals, and the iterator `.flat` is
    an array of its items."""
    if isinstance(x, np.flatiter):
        return x.copy()
    parts = parts_of(x)
    if parts is None:
        return x
    reals = isinstance(x, list) and any(isinstance(part, float | np.floating | np.ndarray) for part in parts)
    return like(x, [float(part) if reals and type(part) is int else beside_reals(part) for part in parts])


def shares(a: Any, b: Any) -> bool:
    return any(np.shares_memory(x, y) for x in memories(a) for y in memories(b))


def of_one_kind(a: Any, b: Any) -> bool:
    """Of one structure, of the same types, dtypes and shapes; what is no real number is None in a cotangent."""
    parts = parts_of(b)
    if parts is not None:
        of = parts_of(a)
        if of is None:
            return a is None and not list(numbers(b))
        return type(a) is type(b) and len(of) == len(parts) and all(map(of_one_kind, of, parts))
    if isinstance(b, np.ndarray):
        if b.dtype.kind != "f":
            return True
        return isinstance(a, np.ndarray) and a.dtype.name == b.dtype.name and a.shape == b.shape
    return type(a) is type(b) if isinstance(b, float | np.floating) else True


def shown(x: Any) -> str:
    return f"{type(x).__name__} {x!r}"


class Checker:
    """The checks of one program for one target; each raises `Disagreement` where something differs."""

    def __init__(self, made: Program, backend: str) -> None:
        self.made, self.backend = made, backend
        self.f = made.load()
        self.r = random.Random(made.seed)

    def args(self) -> tuple[Any, ...]:
        return self.made.arguments(self.f, self.made.calls[0])

    def run(self) -> Outcome:
        args, kept = self.args(), self.args()
        try:
            expected = beside_reals(self.plainly())
            again = [self.after(number, expected) for number in (0.0, 7.25)]
        except Exception as error:
            return self.raises(error)
        if holds_complex(expected) or not all(same(expected, y) for y in again):
            return Outcome(NOTHING)
        self.eps = max([float(np.finfo(x.dtype).eps) for x in arrays((args, expected))], default=EPS)
        args = self.args()
        found = ccc.compiled(self.f, backend=self.backend)(*args)
        self.value(native_order(found), expected)
        expect(same(args, kept), f"the arguments became {args!r}")
        again = self.args()
        there = self.f(*again)
        plain = [shares(there, x) for x in again]
        ours = [shares(found, x) for x in args]
        swapped = not all(x.dtype.isnative for x in memories(args))  # plain Python had others
        new = self.backend == "native" and not any(ours)  # results of machine code are new
        lazy = isinstance(there, np.flatiter)  # whose items are nowhere yet
        expect(lazy or swapped or new or ours == plain, f"shares memory with arguments {ours}, plain Python {plain}")
        self.precision = 1e-9 if self.eps < 1e-10 else 1e-3
        if not list(numbers(expected)) or not list(numbers(args)) or not all(map(math.isfinite, numbers(expected))):
            return Outcome(NOTHING)
        self.expected = expected
        return self.derivatives()

    def plainly(self) -> Any:
        """The value of plain Python on arrays in the byte order of this machine, in which others are read."""
        return self.f(*native_order(self.args()))

    def after(self, number: float, expected: Any) -> Any:
        """The value where memory that was let go holds other numbers, which an array that is not filled shows."""
        args = self.args()
        for x in memories(expected):
            np.full(x.size, number).astype(x.dtype)
        return beside_reals(self.f(*native_order(args)))

    def raises(self, error: Exception) -> Outcome:
        try:
            found = ccc.compiled(self.f, backend=self.backend)(*self.args())
        except CCCError as refusal:
            return Outcome(REFUSED, getattr(refusal, "code", type(refusal).__name__))
        except Exception as other:
            like = isinstance(other, type(error)) or isinstance(error, type(other))
            expect(like, f"raises {other!r}, plain Python {error!r}")
            return Outcome(RAISED)
        raise Disagreement(f"plain Python raises {error!r}, the compiled function gives {found!r}")

    def kind(self, a: Any, b: Any) -> bool:
        """Of one kind, where machine code may give a number of Python or of NumPy."""
        return of_one_kind(a, b) or (self.backend == "native" and {type(a), type(b)} == {float, np.float64})

    def value(self, found: Any, expected: Any) -> None:
        if self.backend == "numpy" and all(x.flags.c_contiguous and x.dtype.isnative for x in memories(self.args())):
            expect(same(found, expected), f"found {shown(found)}, plain Python gives {shown(expected)}")
        else:
            said = near(lambda *args: beside_reals(self.f(*args)), native_order(self.args()), found, expected,
                        0.0 if self.eps < 1e-10 else 16 * self.eps)
            expect(not said, said)

    def derivatives(self) -> Outcome:
        f, backend, args = self.f, self.backend, self.args()
        kept = self.args()
        weights = [self.r.choice((-1.0, 1.0)) * self.r.uniform(0.3, 1.0) for _ in numbers(self.expected)]
        along = [self.r.choice((-1.0, 1.0)) * self.r.uniform(0.3, 1.0) for _ in numbers(args)]
        ct = self.cotangent(self.expected, iter(weights))
        value, pullback = ccc.vjp(f, *args, backend=backend)
        self.value(native_order(value), self.expected)
        cts = pullback(ct)
        for c, x in zip(cts, args, strict=True):
            expect(of_one_kind(c, x), f"the cotangent of {shown(x)} is {shown(c)}")
        expect(same(args, kept), f"the pullback changed the arguments to {args!r}")
        expect(not shares(cts, args), "a cotangent shares memory with an argument")
        expect(not shares(cts, ct), "a cotangent shares memory with the cotangent given")
        direction = tangents(args, along)
        _, tangent = ccc.jvp(f, args, tuple(direction), backend=backend)
        expect(self.kind(tangent, self.expected), f"the tangent of {shown(self.expected)} is {shown(tangent)}")
        back = dot(cts, along) if self.counted(cts, args) else math.nan
        forth = dot(list(numbers_beside(tangent, self.expected)), weights)
        scale = 1 + sum(map(abs, numbers(cts))) + sum(map(abs, numbers(tangent)))
        expect(math.isnan(back) or abs(back - forth) <= self.precision * scale or not math.isfinite(scale),
               f"reverse {back}, forward {forth}")
        if not math.isfinite(back) or not math.isfinite(forth):
            return Outcome(INCONCLUSIVE)
        again = ccc.gradient(self.scalar(weights), wrt=tuple(range(len(args))), backend=backend)
        found = again(*self.args())
        expect(same_numbers(found, cts, self.precision * scale), f"gradient {found!r}, pullback {cts!r}")
        for c, x in zip(found, args, strict=True):
            expect(of_one_kind(c, x), f"the gradient in {shown(x)} is {shown(c)}")
        if self.precision > 1e-6:
            return Outcome(AGREED)
        good, said = quotients_agree(lambda t: dot(self.plain(along, t), weights), back, 4.0, 1e-7)
        expect(good or not said, said)
        self.second(again, along, len(args))
        return Outcome(AGREED if good else INCONCLUSIVE)

    def plain(self, along: Sequence[float], t: float) -> Any:
        try:
            return self.f(*moved(self.args(), iter([t * d for d in along])))
        except TypeError:
            raise ValueError from None

    def cotangent(self, value: Any, weights: Iterator[float]) -> Any:
        """A cotangent of a value; that of one number may be a number of any kind."""
        parts = parts_of(value)
        if parts is not None or isinstance(value, np.ndarray):
            found = filled(value, weights)
            return found.astype(value.dtype) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else found
        return self.r.choice((float, np.float64))(next(weights))

    def counted(self, cts: Any, args: Any) -> bool:
        return len(list(numbers(cts))) == len(list(numbers(args)))

    def scalar(self, weights: Sequence[float]) -> Callable[..., Any]:
        """The sum of the results, weighted: a function with a gradient."""
        f, given = self.f, filled(self.expected, iter(weights))
        if isinstance(self.expected, tuple | list):
            return lambda *xs: sum([np.sum(y * w) for y, w in zip(f(*xs), given, strict=True)])
        return lambda *xs: np.sum(f(*xs) * given)

    def second(self, gradient: Callable[..., Any], along: Sequence[float], count: int) -> None:
        """The derivative of the gradient: forward over reverse, reverse over reverse, and by differences."""
        args = self.args()
        u = [self.r.uniform(-1.0, 1.0) for _ in along]
        direction = tuple(tangents(args, along))
        value, change = ccc.jvp(gradient, args, direction, backend=self.backend)
        forth = dot(change, u)
        _, pullback = ccc.vjp(gradient, *args, backend=self.backend)
        twice = pullback(self.seeds(value, iter(u)))
        back = dot(twice, along)
        for c, x in zip(twice, args, strict=True):
            expect(of_one_kind(c, x), f"the second derivative in {shown(x)} is {shown(c)}")
        scale = 1 + sum(map(abs, numbers(change))) + sum(map(abs, numbers(twice)))
        if not math.isfinite(scale):
            steep = not math.isnan(scale) and self.grows(gradient, along, u)
            expect(steep or not math.isfinite(dot(value, u)),
                   f"{change!r} and {twice!r} at a finite gradient {value!r}")
            return
        near_by = abs(forth - back) <= self.precision * scale
        expect(near_by, f"forward over reverse {forth}, reverse over reverse {back}")
        there = lambda t: dot(gradient(*moved(args, iter([t * d for d in along]))), u)  # noqa: E731
        good, said = quotients_agree(there, forth, 4.0, 1e-7)
        expect(good or not said, f"second derivative {said}")

    def grows(self, gradient: Callable[..., Any], along: Sequence[float], u: Sequence[float]) -> bool:
        """True where quotients of a gradient grow as their steps become short, as at an end of a domain."""
        found: list[float] = []
        for step in (2.0**-8, 2.0**-16, 2.0**-24):
            steps = [iter([t * d for d in along]) for t in (step, 0.0, -step)]
            try:
                there = [dot(gradient(*moved(self.args(), by)), u) for by in steps]
            except (ArithmeticError, ValueError):
                return True
            found.append(max(abs(a - b) / step for a, b in itertools.pairwise(there) if not math.isnan(a - b)))
        return found[0] * 1.2 < found[1] and found[1] * 1.2 < found[2]

    def seeds(self, value: Any, weights: Iterator[float]) -> Any:
        parts = parts_of(value)
        if parts is not None:
            return type(value)([self.seeds(part, weights) for part in parts])
        if isinstance(value, np.ndarray):
            return filled(value, weights)
        return type(value)(next(weights)) if isinstance(value, float | np.floating) else None


def same_numbers(a: Any, b: Any, error: float) -> bool:
    xs, ys = list(numbers(a)), list(numbers(b))
    return len(xs) == len(ys) and all(abs(x - y) <= error for x, y in zip(xs, ys, strict=True))


def check(seed: int, backend: str) -> Outcome:
    """What becomes of the program of a seed."""
    return checked(form(seed), backend)


def checked(made: Program, backend: str) -> Outcome:
    try:
        quiet = contextlib.redirect_stdout(io.StringIO())
        with warnings.catch_warnings(), np.errstate(all="ignore"), quiet, conforming():
            warnings.simplefilter("ignore")
            return Checker(made, backend).run()
    except CCCError as error:
        return Outcome(REFUSED, getattr(error, "code", "") or type(error).__name__, str(error))
    except Disagreement as error:
        return Outcome(DISAGREES, str(error))
    except Exception as error:
        return Outcome(INTERNAL, f"{type(error).__name__}: {error}")
