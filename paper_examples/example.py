"""What an example is, and what its run has to show.

An example compiles a function of a document and differentiates it six times: by the generated code and by the term
read on the host, each with the simply typed curry, the dependent one and its opaque encoding. What it is compared with
comes from elsewhere: formulas by hand, numbers printed in the document, exact rationals, plain NumPy.

>>> def square(x):
...     return x * x
>>> compared(square, 3.0, expected=(9.0, 6.0)).passed
True
>>> compared(square, 3.0, expected=(9.0, 5.0)).wrong
('gradient: found 6, expected 5',)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import ccc
from ccc.primitives.boundary import conform
from ccc.probes import vjp
from ccc.records import like, parts_of, taken_apart
from ccc.recursive_classes import group_of

CURRIES = (ccc.AdditiveMap(), ccc.Delta(), ccc.AnyDerivative())
ROUNDING = 4 * sys.float_info.epsilon  # a few roundings apart, for numbers near 1


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an example found: `expected` is the (value, gradient) that it should have, `wrong` says what is not so."""

    value: Any
    gradient: Any
    expected: tuple[Any, Any]
    curries_agree: bool | None  # None where the run did not come that far
    wrong: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return self.curries_agree is True and not self.wrong


@dataclass(frozen=True, slots=True)
class Example:
    """One worked example of a document; `run` computes it."""

    name: str
    document: str
    run: Callable[[], Outcome]


def close(found: Any, expected: Any, tolerance: float = 0.0) -> bool:
    """Equality of values or cotangents of one structure, relative to `tolerance`; 0 means equal numbers.

    >>> close((1.0, [2.0]), (1.0, [2.0])), close(1.0, 1.0 + 1e-9), close(1.0, 1.0 + 1e-9, 1e-8), close((1.0,), [1.0])
    (True, False, True, False)
    """
    if isinstance(expected, tuple | list):
        return (
            type(found) is type(expected)
            and len(found) == len(expected)
            and all(close(a, b, tolerance) for a, b in zip(found, expected, strict=True))
        )
    if isinstance(expected, np.ndarray):
        return (
            isinstance(found, np.ndarray)
            and found.shape == expected.shape
            and bool(np.all(np.abs(found - expected) <= tolerance * np.maximum(1.0, np.abs(expected))))
        )
    if isinstance(found, tuple | list | np.ndarray):
        return False
    if taken_apart(expected) is not None:
        both = [tuple(parts_of(x) or ()) for x in (found, expected)]
        return type(found) is type(expected) and close(both[0], both[1], tolerance)
    if isinstance(expected, str | None) or found is None:
        return found == expected
    return bool(abs(found - expected) <= tolerance * max(1, abs(expected)))


def by_code(f: Callable[..., Any], args: Sequence[Any], wrt: Any, exponential: Any) -> tuple[Any, Any]:
    """Value and gradient by the generated code."""
    return ccc.value_with_gradient(f, wrt=wrt, exponential=exponential)(*args)


def in_tuples(x: Any) -> Any:
    """A value with each record in it replaced by the tuple of its parts, which is what the host computes with; a tree
    stays as it is."""
    parts = None if group_of(type(x)) is not None else parts_of(x)
    return x if parts is None else (list if isinstance(x, list) else tuple)(map(in_tuples, parts))


def in_records(x: Any, shape: Any) -> Any:
    """A value made of tuples in the structure of `shape`."""
    if group_of(type(shape)) is not None:
        return conform.value(x, shape)
    parts = parts_of(shape)
    return x if parts is None else like(shape, [in_records(a, b) for a, b in zip(x, parts, strict=True)])


def numbers(x: Any) -> list[Any]:
    """The numbers and arrays in a value."""
    parts = parts_of(x)
    return [x] if parts is None else [number for part in parts for number in numbers(part)]


def by_model(f: Callable[..., Any], args: Sequence[Any], wrt: int | None, exponential: Any) -> tuple[Any, Any]:
    """Value and gradient by the compiled term, read in reverse mode on the host; exactly for exact arguments."""
    exact = any(isinstance(a, Fraction) for a in numbers(args))
    derivative = vjp(ccc.arrow(f, *args), exponential=exponential, base=ccc.Host(Fraction if exact else None))
    value, pullback = derivative(in_tuples(tuple(args) if len(args) > 1 else args[0]))
    cts = pullback(Fraction(1) if exact else 1.0)
    if len(args) == 1:
        return value, in_records(cts, args[0])
    return value, in_records(cts, tuple(args)) if wrt is None else in_records(cts[wrt], args[wrt])


def compared(
    f: Callable[..., Any], *args: Any, expected: tuple[Any, Any], wrt: int | None = None, tolerance: float = 0.0,
    checks: Iterable[tuple[str, bool]] = (), notes: Iterable[str] = (),
) -> Outcome:  # fmt: skip
    """The value and gradient of `f` at `args` by every way there is, against what is expected; `checks` are further
    claims of the example, each with whether it holds."""
    found = [by(f, args, wrt, exponential) for by in (by_code, by_model) for exponential in CURRIES]
    agree = all(close(other, found[0], tolerance) for other in found[1:])
    value, gradient = found[0]
    wrong = [
        f"{what}: found {short(now, 60)}, expected {short(then, 60)}"
        for what, now, then in (("value", value, expected[0]), ("gradient", gradient, expected[1]))
        if not close(now, then, tolerance)
    ]
    wrong += [claim for claim, holds in checks if not holds]
    return Outcome(value, gradient, expected, agree, tuple(wrong), tuple(notes))


def claimed(
    value: Any, gradient: Any, *, expected: tuple[Any, Any], agree: bool, tolerance: float = 0.0,
    checks: Iterable[tuple[str, bool]] = (), notes: Iterable[str] = (),
) -> Outcome:  # fmt: skip
    """An outcome from numbers found already, for what is not one gradient of one function."""
    wrong = [] if close((value, gradient), expected, tolerance) else [f"found {short((value, gradient), 80)}, expected "
                                                                      f"{short(expected, 80)}"]
    wrong += [claim for claim, holds in checks if not holds]
    return Outcome(value, gradient, expected, agree, tuple(wrong), tuple(notes))


def refusal(error: type[Exception], call: Callable[[], Any]) -> str:
    """The message with which a call refuses; empty where it does not.

    >>> refusal(ZeroDivisionError, lambda: 1 // 0)
    'integer division or modulo by zero'
    >>> refusal(ZeroDivisionError, lambda: 1)
    ''
    """
    try:
        call()
    except error as refused:
        return str(refused).splitlines()[0]
    return ""


def short(x: Any, width: int) -> str:
    """A value in at most `width` characters.

    >>> short((0.1 + 0.2, Fraction(1, 3), np.zeros((2, 3))), 40), short("abcdefgh", 5)
    ('(0.3, 1/3, 2×3 array 0 0 0 0 0 0)', 'abcd…')
    """
    text = _text(x)
    return text if len(text) <= width else text[: width - 1] + "…"


def _text(x: Any) -> str:
    if isinstance(x, tuple | list):
        inner = ", ".join(map(_text, x))
        return f"[{inner}]" if isinstance(x, list) else f"({inner},)" if len(x) == 1 else f"({inner})"
    if isinstance(x, np.ndarray):
        return f"{'×'.join(map(str, x.shape))} array {' '.join(map(_text, x.ravel().tolist()))}"
    record = taken_apart(x)
    if record is not None:
        cls, _, parts = record
        return f"{cls.__name__}({', '.join(map(_text, parts))})"
    return f"{x:.6g}" if isinstance(x, float) else str(x)
