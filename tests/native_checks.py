"""What a result of machine code and one of NumPy may differ by.

Sums are added in another order and elementary functions have other last places, so the bound is that of rounding:
`ULPS` units in the last place of the largest number of the result, and `SPREAD` times what the result in NumPy moves
when the arguments move by `MOVES` units in their last places, which says how much a rounding error may grow.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import io
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import EPS, moved, numbers, parts_of, shape_of

import ccc
from ccc.compile.api import wrapper
from ccc.compile.native import engine, module, target
from ccc.compile.native.functions import Code
from ccc.compile.program.lam import Let, Program, lets_in
from ccc.errors import CCCError

ULPS, SPREAD, MOVES = 256, 64, 4
FLOATS = (float, np.float64)


@dataclass
class Ran:
    """What a call gave: a value or an exception, and what it printed."""

    value: Any
    error: Exception | None
    text: str


def ran(run: Callable[..., Any], *args: Any) -> Ran:
    """What `run` does with arguments; refusals are raised."""
    text = io.StringIO()
    try:
        with contextlib.redirect_stdout(text), np.errstate(all="ignore"):
            return Ran(run(*args), None, text.getvalue())
    except CCCError:
        raise
    except Exception as error:
        return Ran(None, error, text.getvalue())


def alike(a: Any, b: Any) -> bool:
    """Of one structure and of the same types, and equal but for real numbers."""
    if type(a) is type(b) is list and len(a) == len(b) and all(type(x) in FLOATS for x in (*a, *b)):
        return True  # which of them an item of a list is may differ
    parts = parts_of(b)
    if parts is not None:
        of = parts_of(a)
        same = type(a) is type(b) and shape_of(a) == shape_of(b) and of is not None and len(of) == len(parts)
        return same and all(map(alike, of or (), parts))
    if isinstance(b, np.ndarray):
        same = isinstance(a, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape
        return same and (b.dtype.kind == "f" or np.array_equal(a, b))
    return type(a) is type(b) and (isinstance(b, float | np.floating) or a == b)


def near(run: Callable[..., Any], args: Sequence[Any], found: Any, expected: Any, precision: float = 0.0) -> str:
    """How `found` differs from `expected`, what `run` gives in NumPy, by more than rounding; "" where it does not.
    Where sums of many numbers are read again, rounding is less than a `precision`."""
    if not alike(found, expected):
        return f"{found!r} in place of {expected!r}"
    xs, ys, eps = list(floats(found)), list(floats(expected)), unit((tuple(args), expected))
    largest = max([abs(y) for y in ys if math.isfinite(y)], default=0.0)
    bounds = [max(ULPS * eps, precision) * max(largest, 1.0)] * len(ys)
    if all(within(x, y, bound) for x, y, bound in zip(xs, ys, bounds, strict=True)):
        return ""
    r = random.Random(1)
    for _ in range(4):
        along = (r.choice((-1.0, 1.0)) * MOVES * eps * (abs(x) or 1.0) for x in numbers(tuple(args)))
        there = ran(run, *moved(tuple(args), along))
        if there.error is not None or not alike(there.value, expected):
            return ""  # a jump is as near as rounding
        bounds = [max(b, SPREAD * abs(z - y)) for b, y, z in zip(bounds, ys, floats(there.value), strict=True)]
    wrong = [(x, y, b) for x, y, b in zip(xs, ys, bounds, strict=True) if not within(x, y, b)]
    return f"{wrong[0][0]!r} in place of {wrong[0][1]!r} ± {wrong[0][2]:.1e}" if wrong else ""


def unit(x: Any) -> float:
    """The unit of rounding of the narrowest reals in a value."""
    parts = parts_of(x)
    if parts is not None:
        return max(map(unit, parts), default=EPS)
    return float(np.finfo(x.dtype).eps) if getattr(x, "dtype", None) == np.float32 else EPS


def floats(x: Any) -> Iterator[float]:
    """The numbers of a value, left to right."""
    parts = parts_of(x)
    if parts is not None:
        for part in parts:
            yield from floats(part)
    elif isinstance(x, np.ndarray):
        yield from map(float, x.ravel() if x.dtype.kind in "fiub" else ())
    elif isinstance(x, float | int | np.number):
        yield float(x)


def within(a: float, b: float, error: float) -> bool:
    return a == b or abs(a - b) <= error or (not math.isfinite(a) and not math.isfinite(b)) or math.isnan(error)


def native(f: Callable[..., Any], *args: Any) -> Any:
    """A function in machine code, which has computed it at these arguments."""
    found = ccc.compiled(f, backend="native")
    found(*args)
    assert not any(code.left_to for codes in found.codes.values() for code in codes)
    return found


def at_sizes(sizes: Sequence[int], first: int) -> Callable[[Callable[..., None]], Any]:
    """A test at a size `n` as a test at several, one call after the other: by the code that is made for the first size,
    by that for what it has in common with the second, and by that for any. Each size comes first once, one of them by
    day and the others at night."""

    def decorate(test: Callable[..., None]) -> Any:
        @functools.wraps(test)
        def at_all(*, n: int, **given: Any) -> None:
            at = list(sizes).index(n)
            for size in (*sizes[at:], *sizes[:at]):
                test(n=size, **given)

        firsts = [pytest.param(n, marks=[] if n == first else [pytest.mark.nightly]) for n in sizes]
        return pytest.mark.parametrize("n", firsts)(at_all)

    return decorate


@contextlib.contextmanager
def never_left() -> Iterator[None]:
    """Machine code that is made from now on and leaves a call to NumPy, which computes as well, fails the test."""
    def linked(found: Any, name: str, other: Callable[..., Any], *rest: Any) -> Callable[..., Any]:
        return made(found, name, unasked, *rest)

    def unasked(*args: Any) -> Any:
        raise AssertionError("machine code left a call to NumPy")

    made = target.linked
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target, "linked", linked)
        yield


@contextlib.contextmanager
def last_of_a_page() -> Iterator[np.ndarray]:
    """Numbers that end where a page ends that nobody may read beyond."""
    mmap = pytest.importorskip("mmap")
    libc, page = ctypes.CDLL(None, use_errno=True), mmap.PAGESIZE
    memory = mmap.mmap(-1, 2 * page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if libc.mprotect(ctypes.c_void_p(start + page), page, 0):
        pytest.skip("pages cannot be closed here")
    try:
        yield np.frombuffer(memory, count=page // 8)
    finally:
        libc.mprotect(ctypes.c_void_p(start + page), page, mmap.PROT_READ | mmap.PROT_WRITE)


def gradients_agree(f: Callable[..., Any], *args: Any, precision: float = 1e-12) -> None:
    """The value of a function and its gradient in all arguments by machine code are those of NumPy: sums in another
    order differ by what is small beside the largest of their kind, also where they nearly cancel."""
    wrt = tuple(range(len(args)))
    native, numpy = [ccc.value_with_gradient(f, wrt=wrt, backend=backend) for backend in ("native", "numpy")]
    value, cotangents = numpy(*args)
    for _ in range(3):  # the code for these sizes, and that for any
        found, parts = native(*args)
        np.testing.assert_allclose(found, value, rtol=precision)
        for part, want in zip(parts, cotangents, strict=True):
            largest = np.max(np.abs(want), initial=10.0)
            np.testing.assert_allclose(part, want, rtol=precision, atol=precision / 100 * largest)
    assert not any(code.left_to for codes in native.codes.values() for code in codes)


def seen(look: Callable[[list[Let]], Any], f: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, *args: Any) -> Any:
    """What `look` finds in the lets of a gradient once its loops have their order."""
    wrapper.forget()
    found: list[Any] = []
    made = module.Module.__init__

    def noted(self: module.Module, program: Program, sizes: Any, changes: Any = None, *more: Any) -> None:
        made(self, program, sizes, None, *more)
        found.append(look(list(lets_in(program.block))))

    with monkeypatch.context() as patch:
        patch.setattr(module.Module, "__init__", noted)
        ccc.gradient(f, backend="native")(*args)
    return found[-1]


def codes(monkeypatch: pytest.MonkeyPatch, of: Callable[[Code], Any] = lambda code: code) -> list[Any]:
    """A list into which the modules of programs go, or what is asked `of` them, that LLVM is given from now on."""
    found: list[Any] = []
    original = engine.compile_ir

    def seen(code: str | Code, names: Any, *rest: Any, **options: Any) -> Any:
        if isinstance(code, Code):
            found.append(of(code))
        return original(code, names, *rest, **options)

    monkeypatch.setattr(engine, "compile_ir", seen)
    return found


def modules(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The same of their texts."""
    return codes(monkeypatch, str)
