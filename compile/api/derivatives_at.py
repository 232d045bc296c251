"""The derivatives of a function in some arguments as functions, for libraries that differentiate them in turn.

>>> pullback_at(lambda x, y: x * y, (0, 1))((2.0, 3.0), 1.0)
(3.0, 2.0)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.compile.api.transforms import value_with_differential, value_with_pullback


def pullback_at(f: Callable[..., Any], places: tuple[int, ...]) -> Callable[..., Any]:
    """The cotangents of some arguments as a function of the arguments and the cotangent of the value.

    >>> pullback_at(lambda x, y: x * y, (0,))((2.0, 3.0), 1.0)
    (3.0,)
    """
    at = value_with_pullback(f, wrt=places)
    return lambda args, ct: at(*args)[1](ct)


def differential_at(f: Callable[..., Any], places: tuple[int, ...]) -> Callable[..., Any]:
    """The tangent of the value as a function of the arguments and the tangents of some.

    >>> differential_at(lambda x, y: x * y, (0,))((2.0, 3.0), (1.0,))
    3.0
    """
    at = value_with_differential(f, wrt=places)
    return lambda args, ds: at(*args)[1](*ds)


def by_place(f: Callable[..., Any], names: tuple[str, ...]) -> Callable[..., Any]:
    """A function that takes some arguments behind the others instead of by name.

    >>> by_place(lambda x, y, z: (x, y, z), ("z", "y"))(1, 2, 3)
    (1, 3, 2)
    """
    def called(*args: Any) -> Any:
        first = len(args) - len(names)
        return f(*args[:first], **dict(zip(names, args[first:], strict=True)))

    return called if names else f


__all__ = ["by_place", "differential_at", "pullback_at"]
