"""Checks that tests share: the compiled function against plain Python, and its derivatives against each other and
against difference quotients whose error is estimated from two step sizes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.api import programs, wrapper
from ccc.compile.program.lam import Apply, Call, Lambda, lets_in
from ccc.primitives.registry import NAMES
from ccc.records import like, parts_of, taken_apart

BACKEND = "numpy"  # that of which values are plain Python's bit by bit

EXPONENTIALS = ("Delta", "AdditiveMap", "AnyDerivative")
EPS = np.finfo(float).eps


def same(a: Any, b: Any) -> bool:
    """True for values of one type, structure and bits.

    >>> same((1.0, [np.ones(2)]), (1.0, [np.ones(2)])), same(0.0, -0.0), same(1, 1.0)
    (True, False, False)
    """
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if taken_apart(a) is not None:
        return shape_of(a) == shape_of(b) and all(map(same, parts_of(a) or (), parts_of(b) or ()))
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and a.dtype == b.dtype and a.shape == b.shape and same_bits(a, b)
    if isinstance(a, float):
        return type(a) is type(b) and np.float64(a).tobytes() == np.float64(b).tobytes()
    return type(a) is type(b) and a == b


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """True for arrays of the same bits; wide floats have some that mean nothing."""
    if a.dtype != np.longdouble or a.dtype == np.float64:
        return a.tobytes() == b.tobytes()
    return np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a), np.signbit(b))


def shape_of(x: Any) -> Any:
    """The class and names of a record; None for everything else."""
    found = taken_apart(x)
    return None if found is None else found[:2]


def value_of(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The value that the compiled function gives."""
    return ccc.compiled(f, backend=BACKEND)(*args, **kwargs)


def agrees_in_value(f: Callable[..., Any], *args: Any) -> None:
    """The compiled function gives what plain Python gives, bit by bit, or raises the same exception."""
    try:
        expected = f(*args)
    except Exception as error:
        try:
            found = value_of(f, *args)
        except type(error) as raised:
            assert type(raised) is type(error), raised
            assert str(raised) == str(error)
            return
        raise AssertionError(f"plain Python raises {error!r}, the compiled function gives {found!r}") from error
    found = value_of(f, *args)
    assert same(found, expected), f"found {found!r}, plain Python gives {expected!r}"


def numbers(x: Any) -> Iterator[float]:
    """The real numbers of a value, left to right."""
    parts = parts_of(x)
    if parts is not None:
        for part in parts:
            yield from numbers(part)
    elif isinstance(x, np.ndarray):
        if x.dtype.kind == "f":
            yield from map(float, x.ravel())
    elif isinstance(x, float | np.floating):
        yield float(x)


def as_read(x: Any, ct: Any) -> Any:
    """The value with floats for those ints that have a cotangent; zero is also that of an int that says how often."""
    parts = parts_of(x)
    if parts is not None and ct is not None:
        return like(x, list(map(as_read, parts, parts_of(ct) or ())))
    return float(x) if type(x) is int and ct else x


def only_of(x: Any, ct: Any) -> Any:
    """The cotangents of the real numbers of a value."""
    parts = parts_of(x)
    if parts is not None and ct is not None:
        return like(x, list(map(only_of, parts, parts_of(ct) or ())))
    return None if type(x) is int else ct


def with_zeros(x: Any, ct: Any, d: Any) -> Any:
    """A direction of a value as one of its cotangents: zero for the ints that have one."""
    parts = parts_of(x)
    if parts is not None and ct is not None and d is not None:
        return like(x, list(map(with_zeros, parts, parts_of(ct) or (), parts_of(d) or ())))
    return 0.0 if type(x) is int and ct is not None else d


def arrays(x: Any) -> Iterator[Any]:
    """The arrays and NumPy scalars of real numbers in a value."""
    parts = parts_of(x)
    if parts is not None:
        for part in parts:
            yield from arrays(part)
    elif isinstance(x, np.ndarray | np.floating) and x.dtype.kind == "f":
        yield x


def precision(args: Sequence[Any]) -> float:
    """The relative precision of the coarsest number among the arguments."""
    return max([float(np.finfo(x.dtype).eps) for x in arrays(tuple(args))], default=EPS)


def moved(x: Any, by: Iterator[float]) -> Any:
    """The value with the next numbers of `by` added to its real numbers."""
    parts = parts_of(x)
    if parts is not None:
        return like(x, [moved(part, by) for part in parts])
    if isinstance(x, np.ndarray):
        if x.dtype.kind != "f":
            return x
        return np.asarray(x + np.array([next(by) for _ in range(x.size)], x.dtype).reshape(x.shape))
    return type(x)(x + next(by)) if isinstance(x, float | np.floating) else x


def slope(f: Callable[..., float], args: Sequence[Any], along: Sequence[float]) -> tuple[float, float]:
    """The directional derivative by central differences, and a bound of its error.

    With step h the quotient errs by c*h**2 and by rounding; Richardson's combination of h and h/2 removes the first,
    and what the two differ by bounds what is left.
    """
    eps = precision(args)
    h = 2.0**-10 if eps == EPS else 2.0**-6

    def quotient(step: float) -> tuple[float, float]:
        up = float(f(*moved(tuple(args), iter([step * d for d in along]))))
        down = float(f(*moved(tuple(args), iter([-step * d for d in along]))))
        return (up - down) / (2 * step), 64 * eps * (abs(up) + abs(down) + 1) / step

    (coarse, _), (fine, rounding) = quotient(h), quotient(h / 2)
    return fine + (fine - coarse) / 3, abs(fine - coarse) / 3 + rounding


def differences(f: Callable[[Any], Any], x: Any, h: float = 1e-4) -> Any:
    """The gradient at an array by differences of order 6; that of each entry of an array, in its last axes."""
    found = []
    for place in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[place] = h
        d1, d2, d3 = [f(x + k * e) - f(x - k * e) for k in (1, 2, 3)]
        found.append((45 * d1 - 9 * d2 + d3) / (60 * h))
    slopes = np.array(found, x.dtype)
    return slopes.reshape(x.shape + slopes.shape[1:])


def slopes_agree(f: Callable[[Any], Any], x: Any, u: Any, h: float = 1e-4, error: float = 1e-7) -> None:
    """The value of a function with a real result is plain Python's, its gradient that of differences, and its
    derivative in a direction that of its gradient."""
    value, slope = ccc.value_with_gradient(f, backend="numpy")(x)
    assert value == pytest.approx(f(x), rel=1e-12)
    np.testing.assert_allclose(slope, differences(f, x, h), rtol=error, atol=error)
    assert ccc.jvp(f, (x,), (u,))[1] == pytest.approx(np.sum(slope * u), rel=1e-10)


def bends_agree(
    f: Callable[[Any], Any], x: Any, u: Any, h: float = 1e-4, rtol: float = 1e-6, atol: float = 1e-6
) -> None:
    """The gradient of a function's slope in a direction is that of differences."""
    slope = ccc.gradient(f, backend="numpy")
    along = lambda x: np.sum(slope(x) * u)  # noqa: E731
    np.testing.assert_allclose(ccc.gradient(along, backend="numpy")(x), differences(along, x, h), rtol=rtol, atol=atol)


def close(a: float, b: float, error: float) -> bool:
    """Equal up to an error."""
    return abs(a - b) <= error or (math.isnan(a) and math.isnan(b))


def directions(size: int) -> list[list[float]]:
    """One direction for each number where they are few, and one that mixes all."""
    mixed = [math.cos(3.0 * i + 1.0) for i in range(size)]
    units = [[float(i == j) for j in range(size)] for i in range(size)] if 1 < size <= 4 else []
    return [*units, mixed]


def dot(cotangents: Any, along: Sequence[float]) -> float:
    products = [c * d for c, d in zip(numbers(cotangents), along, strict=True)]
    return math.fsum(products) if all(map(math.isfinite, products)) else sum(products)


def asked_of(f: Callable[..., Any], args: Sequence[Any], exponentials: Sequence[str]) -> Sequence[str]:
    """Those exponentials that may give code of their own: without functions in its program none is asked for anything,
    and one stands for all (`test_without_functions_all_exponentials_give_one_code`)."""
    try:
        found = programs.read(f, args, {})
    except ccc.CCCError:  # of ints that stand for floats
        return exponentials
    ops = [let.op for let in lets_in(found.program.block)]
    programs.done(found)
    asked = any(isinstance(op, Lambda | Call) or (isinstance(op, Apply) and op.primitive.program) for op in ops)
    return exponentials if asked else exponentials[:1]


def second_of(name: str) -> bool:
    """True where the second order of a function of this name is checked, in this test of this run."""
    return True


def agrees(f: Callable[..., Any], *args: Any, second: bool = True, exponentials: Sequence[str] = EXPONENTIALS) -> None:
    """A function with a real result: value as in plain Python, gradient as by differences under every exponential,
    forward mode equal to reverse mode, and both again for its gradient, where that is checked in this run."""
    agrees_in_value(f, *args)
    value = f(*args)
    first: Any = None
    for name in asked_of(f, args, exponentials):
        found, cts = ccc.value_with_gradient(f, exponential=getattr(ccc, name)(), backend=BACKEND)(*args)
        assert same(found, value), f"{name}: found the value {found!r}, plain Python gives {value!r}"
        cts = (cts,) if len(args) == 1 else cts
        first = first if first is not None else cts
        scale = 1 + max(map(abs, numbers(first)), default=0.0)
        for a, b in zip(numbers(cts), numbers(first), strict=True):
            assert close(a, b, 64 * precision(args) * scale), f"{name}: {cts} differs from {first}"
    check_integers(f, args, first)
    first = only_of(args, first)
    size = len(list(numbers(args)))
    for along in directions(size):
        expected, error = slope(f, args, along)
        assert close(dot(first, along), expected, error), f"gradient {first}, slope {expected} ± {error}"
    check_forward(f, args, first, size)
    if second and second_of(getattr(f, "__name__", "f")):
        check_second(f, args, size)


def runs_in_stores(f: Callable[..., Any], *args: Any, says: str = "", still: bool = False) -> None:
    """What is refused, in these words, where lists, dicts, objects and arrays are known part by part, runs with their
    places in stores as plain Python does, with the derivatives that differences give; or is `still` refused, in the
    same words."""
    is_refused_without_stores(f, *args, says=says, still=still)
    if not still:
        agrees(f, *args, second=False, exponentials=("Delta",))


def is_refused_without_stores(f: Callable[..., Any], *args: Any, says: str = "", still: bool = False) -> None:
    """It is refused, in these words, where everything is known part by part; and if `still`, with stores too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CCC_STORES", "never")
        with pytest.raises(ccc.CCCError, match=says or None) as first:
            ccc.gradient(f)(*args)
    if still:
        with pytest.raises(ccc.CCCError) as again:
            ccc.gradient(f)(*args)
        assert str(again.value) == str(first.value)


def tangents(args: Sequence[Any], along: Sequence[float]) -> list[Any]:
    """`along` in the structure of the arguments, None for what is not differentiable."""
    given = iter(along)

    def tangent(x: Any) -> Any:
        parts = parts_of(x)
        if parts is not None:
            return like(x, [tangent(part) for part in parts])
        if isinstance(x, np.ndarray) and x.dtype.kind == "f":
            return np.array([next(given) for _ in range(x.size)], x.dtype).reshape(x.shape)
        return type(x)(next(given)) if isinstance(x, float | np.floating) else None

    return [tangent(a) for a in args]


def check_integers(f: Callable[..., Any], args: Sequence[Any], gradient: Any) -> None:
    """Ints that have cotangents have those of the floats that they are equal to."""
    floats = tuple(map(as_read, args, gradient))
    if same(floats, tuple(args)):
        return
    found = ccc.gradient(f, backend=BACKEND)(*floats)
    assert same((found,) if len(args) == 1 else found, gradient), f"at {args} {gradient}, at {floats} {found}"


def check_forward(f: Callable[..., Any], args: Sequence[Any], gradient: Any, size: int) -> None:
    along = directions(size)[-1]
    _, differential = ccc.value_with_differential(f, backend=BACKEND)(*args)
    found = float(differential(*tangents(args, along)))
    expected = dot(gradient, along)
    scale = 1 + math.fsum([abs(c * d) for c, d in zip(numbers(gradient), along, strict=True)])
    assert close(found, expected, 256 * precision(args) * scale), f"forward {found}, reverse {expected}"


def check_second(f: Callable[..., Any], args: Sequence[Any], size: int) -> None:
    """The derivative of a fixed combination of the gradient: by differences, forward over reverse, reverse twice."""
    weights = directions(size)[-1]
    gradient = ccc.gradient(f, backend=BACKEND)

    def combined(*xs: Any) -> float:
        found = gradient(*xs)
        return dot(only_of(args, (found,) if len(args) == 1 else found), weights)

    along = [1.0 / (1 + i) for i in range(size)]
    expected, error = slope(combined, args, along)
    _, differential = ccc.value_with_differential(gradient, backend=BACKEND)(*args)
    found = differential(*tangents(args, along))
    assert close(dot(only_of(args, (found,) if len(args) == 1 else found), weights), expected, 4 * error), (
        f"forward over reverse {found}, slope {expected} ± {error}"
    )
    if len(args) == 1 and isinstance(args[0], float):
        again = ccc.gradient(gradient, backend=BACKEND)(*args)
        assert close(again * weights[0] * along[0], expected, 4 * error), f"gradient of the gradient {again}"


def counted(names: Iterable[str], monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often code that is emitted from now on, which is all, has called each of these primitives."""
    wrapper.forget()
    calls = Counter[str]()

    def counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def inner(*args: Any, **kwargs: Any) -> Any:
            calls[name] += 1
            return function(*args, **kwargs)

        return inner

    for name in names:
        monkeypatch.setitem(NAMES, name, counting(name, NAMES[name]))
    return calls
