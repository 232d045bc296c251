"""Derivatives compared with differences of the function, at arguments that a user gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ccc.compile.api.derivative_overrides import Called
from ccc.compile.api.kinks import first_kink, kinked, sides, step_at
from ccc.compile.api.transforms import value_with_differential, value_with_pullback
from ccc.compile.diagnostics import CompileError, WrongArguments, telling, warned
from ccc.compile.frontend import custom
from ccc.compile.frontend.derivation import names_of
from ccc.compile.frontend.source import source_of
from ccc.diagnostics import Diagnostic, Span, call_site
from ccc.errors import CCCError
from ccc.paired import is_complex
from ccc.primitives import boundary
from ccc.records import like, parts_of

DIRECTIONS = 8  # how many directions of an array are tried where it has more entries


class WrongDerivative(CompileError, ValueError):
    """A derivative disagrees with differences of the function."""


@telling
def check_derivative(f: Callable[..., Any], *args: Any, tolerance: float = 1e-4) -> None:
    """Compare the derivative of a function with differences of its values, at these arguments: to check a rule.

    >>> from ccc.compile.api.derivative_overrides import differentiable_function
    >>> check_derivative(differentiable_function(lambda a, b: (a * b, lambda ct: (ct * b, ct * a))), 2.0, 3.0)
    >>> try:
    ...     check_derivative(differentiable_function(lambda a, b: (a * b, lambda ct: (ct * a, ct * a))), 2.0, 3.0)
    ... except WrongDerivative as error:
    ...     print(error.diagnostics[0].notes[0])
    `a` at 2.0: the derivative gives 2, differences 3 to the left and 3 to the right

    Arguments and values are floats, arrays of real dtype, and structures of them; of an array with many entries some
    directions are tried. Both modes are compared, where the function has both. An int that is read as a float moves as
    one, and a rule that gives None for it is wrong where the value depends on it; of one that the function needs as an
    integer nothing is said. At a kink each slope between the two sides is right, and a `CCCWarning` tells of it.
    `tolerance` is relative to the slope. Raises `WrongDerivative` where they disagree, and what `value_with_pullback`
    raises.

    Source: *Differentiable functions and differentiation APIs*, `@differentiating`.
    """
    told = False
    own = boundary.own.value  # each call starts from the same, whatever the function changes of it
    at = value_with_pullback(f, wrt=tuple([i for i, _ in enumerate(args)]))
    refuse_outside(at, args)
    value, pullback = at(*map(own, args))
    seed = weighted(value, np.random.default_rng(0))
    cts = pullback(seed)
    tangent_at = forward_at(f, tuple(map(own, args)), cts)
    for i, (name, found) in enumerate(zip(names_of(f, len(args), {}), cts, strict=True)):
        for path, slope, at, moved, moves in slopes(args[i], found, name):

            def along(t: float, i: int = i, moved: Any = moved) -> float:
                return inner(seed, f(*map(own, args[:i]), own(moved(t)), *map(own, args[i + 1 :])))

            try:
                left, right = sides(along, step_at(at))
            except (ArithmeticError, ValueError, TypeError) as error:
                if isinstance(at, int) and isinstance(error, TypeError) and slope == 0.0:
                    continue  # an integer that the function needs
                raise WrongArguments(f"the function is not defined on both sides of `{path}` at {at}: {error}",
                                     help="check it inside of its domain") from error
            slack = tolerance * max(1.0, abs(left), abs(right))
            tangent = None if tangent_at is None else inner(seed, tangent_at(i, moves))
            for given, what in ((slope, "derivative"), (tangent, "derivative in forward mode")):
                if given is not None and not min(left, right) - slack <= given <= max(left, right) + slack:
                    differences = f"{left:.6g} to the left and {right:.6g} to the right"
                    text = f"the {what} gives {given:.6g}, differences {differences}"
                    raise WrongDerivative(Diagnostic("CC041", "a derivative disagrees with differences of the function",
                                                     place_of(f), (f"`{path}` at {at}: {text}",),
                                                     f"correct the {'cotangent' if given is slope else 'tangent'} of "
                                                     f"`{name}`"))
            if not told and kinked(along, at, tolerance):
                told = True
                text = f"slopes {left:.6g} to the left and {right:.6g} to the right, the derivative gives {slope:.6g}"
                tell_kink(f, args, f"`{path}` at {at}: {text}")


def forward_at(f: Callable[..., Any], args: tuple[Any, ...], cts: tuple[Any, ...]) -> Callable[[int, Any], Any] | None:
    """The tangent of the value as one argument moves; None where the function has no forward mode."""
    moving = tuple([i for i, ct in enumerate(cts) if ct is not None])
    try:
        _, differential = value_with_differential(f, wrt=moving)(*args)
    except CCCError:
        return None

    def tangent(i: int, moves: Any) -> Any:
        return differential(*[moves if k == i else still(cts[k]) for k in moving])

    return tangent


def still(ct: Any) -> Any:
    """The tangent of what does not move, in the structure of its cotangent."""
    inside = parts_of(ct)
    if inside is not None:
        return like(ct, list(map(still, inside)))
    return None if ct is None else np.zeros_like(ct) if isinstance(ct, np.ndarray) else type(ct)(0.0)


def refuse_outside(at: Any, args: tuple[Any, ...]) -> None:
    """Refuse a function that changes what it reads from outside: each call would start from another state."""
    writes = at.found(args, {})[2].writes
    for name in () if writes is None else [one.site.name for one in writes.found.written if one.site.again is not None]:
        raise WrongArguments(f"each call of the function changes `{name}`, which it reads from outside", "CC011",
                             "give that as an argument, of which the check makes a copy for each call")


def tell_kink(f: Callable[..., Any], args: tuple[Any, ...], note: str) -> None:
    """Warn of a kink, at the step of the program that has it where that is found."""
    what, place = first_kink(f, args)
    warned(Diagnostic("CC030", f"`{what or getattr(f, '__name__', 'f')}` has no derivative here", place or place_of(f),
                      (note,), help="smooth it if it matters, or check beside the kink", severity="warning"))


def place_of(f: Any) -> Span | None:
    """Where the rule of a function stands, or else the call that compares."""
    rule = getattr(f, "rule", None) or (f.function if isinstance(f, Called) else custom.RULES.get(f))
    try:
        source = source_of(rule) if rule is not None and rule.__code__.co_filename != __file__ else None
    except (CompileError, AttributeError):
        source = None
    return call_site() if source is None else source.span(source.node)


def weighted(value: Any, draw: np.random.Generator) -> Any:
    """A cotangent of a value, with weights that are no round numbers; 1 for a number."""
    if isinstance(value, np.ndarray) and not is_complex(value):
        return draw.uniform(0.5, 1.5, value.shape).astype(value.dtype)
    if isinstance(value, (float, np.floating)):
        return type(value)(1.0)
    inside = parts_of(value)
    return None if inside is None else like(value, [weighted(part, draw) for part in inside])


def inner(ct: Any, value: Any) -> float:
    """The sum of the products of a cotangent with a value, of complex numbers the real part of it."""
    if ct is None:
        return 0.0
    if is_complex(value):
        if not is_complex(ct):
            raise TypeError("it is a complex number there")
        return float(np.sum(ct * value).real)
    inside = parts_of(value)
    if inside is None:
        return float(np.sum(np.asarray(ct, float) * np.asarray(value, float)))
    return sum([inner(a, b) for a, b in zip(parts_of(ct) or (), inside, strict=True)])


def slopes(x: Any, ct: Any, path: str) -> Iterator[tuple[str, float, Any, Callable[[float], Any], Any]]:
    """The directions to try in an argument: a name, what the cotangent gives along it, where it starts, the moved
    argument, and the tangent of that."""
    if ct is None:
        return
    if isinstance(x, np.ndarray) and not is_complex(x):
        count, draw = x.size, np.random.default_rng(1)
        rows = np.eye(count) if count <= DIRECTIONS else draw.uniform(-1.0, 1.0, (DIRECTIONS, count))
        for k, row in enumerate(rows):
            d = row.reshape(x.shape)
            index = ", ".join(map(str, np.unravel_index(k, x.shape))) if count <= DIRECTIONS else ""
            name, at = (f"{path}[{index}]", x.flat[k]) if index else (f"{path}, direction {k}", x)
            yield name, float(np.sum(ct * d)), at, lambda t, d=d: (x + t * d).astype(x.dtype), d.astype(x.dtype)
        return
    inside = parts_of(x)
    if inside is None:
        real: Any = float if isinstance(x, int) else type(x)
        yield path, float(ct), x, lambda t: real(x + t), real(1.0)
        return
    cts = parts_of(np.conj(ct) if is_complex(x) else ct) or ()
    for k, (part, inner_ct) in enumerate(zip(inside, cts, strict=True)):
        for name, slope, at, moved, moves in slopes(part, inner_ct, f"{path}[{k}]"):
            tangent = like(ct, [moves if i == k else still(other) for i, other in enumerate(cts)])
            yield (name, slope, at,
                   lambda t, k=k, moved=moved: like(x, [*inside[:k], moved(t), *inside[k + 1 :]]), tangent)


__all__ = ["check_derivative"]
