"""Errors of the core: every exception that users meet derives from `CCCError`.

>>> issubclass(BoundaryMismatch, CCCError) and issubclass(BoundaryMismatch, TypeError)
True
"""

from __future__ import annotations


class CCCError(Exception):
    """The base class of every exception that this project raises on purpose.

    >>> try:
    ...     raise HigherOrderBoundary("result[1] is a function")
    ... except CCCError as error:
    ...     print(error)
    result[1] is a function
    """


class CCCWarning(UserWarning):
    """The class of every warning: a derivative that is always zero, a statement without effect.

    >>> import warnings
    >>> issubclass(CCCWarning, UserWarning) and warnings.filterwarnings("ignore", category=CCCWarning) is None
    True
    """


class BoundaryMismatch(CCCError, TypeError):
    """Two arrows, or an arrow and its declared type, do not fit; the message names both boundaries."""


class HigherOrderBoundary(CCCError, TypeError):
    """A pullback was asked for at a boundary that holds a function (*The Differentiable Curry*, "Artificial
    exponentials"); the message names the component.

    >>> raise HigherOrderBoundary("result[1]: R => R is a function")
    Traceback (most recent call last):
    ccc.errors.HigherOrderBoundary: result[1]: R => R is a function
    """


class CotangentMismatch(CCCError, TypeError):
    """Two cotangents of different spaces were added, or a cotangent reached a value it does not belong to."""


class MissingDerivative(CCCError, NotImplementedError):
    """A primitive without a derivative lies between an input and the result."""


class NotLinear(CCCError, NotImplementedError):
    """Forward mode met a custom derivative whose pullback is not linear in the cotangent: it has no transpose."""


class InexactPrimitive(CCCError, TypeError):
    """A primitive that leaves the rationals was applied to exact scalars."""


class UnknownObject(CCCError, TypeError):
    """A Python value has no object in the category (complex numbers, object arrays, ...)."""


class CannotStage(CCCError, NotImplementedError):
    """A construct has a meaning on the host base but cannot be recorded as a program."""


class NotAVectorSpace(CCCError, ValueError):
    """A class that was to be a vector space is none: its zero and sums break a law."""
