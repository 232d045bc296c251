"""Errors of the core: every exception that users meet derives from `CCCError`.

>>> issubclass(BoundaryMismatch, CCCError) and issubclass(BoundaryMismatch, TypeError)
True
"""

from __future__ import annotations

from typing import Any, Self

from ccc.diagnostics import Diagnostic, as_data, call_site, shown


class CCCError(Exception):
    """The base class of every exception that this project raises on purpose.

    `code` says which page of `ccc explain` is about it, `help` what to write instead. What a verb raises is `told`: it
    has `diagnostics`, with the place in the user's code, and prints as they do.

    >>> try:
    ...     raise HigherOrderBoundary("result[1] is a function", help="apply it")
    ... except CCCError as error:
    ...     print(error, error.code, error.help)
    result[1] is a function CC071 apply it
    """

    code: str = "CC070"
    diagnostics: tuple[Diagnostic, ...] = ()

    def __init__(self, message: str = "", help: str = "") -> None:
        self.help = help
        self.span: Any = None
        super().__init__(message)

    def at(self, span: Any) -> Self:
        """The same error, which is about this place if no other is known."""
        self.span = span if self.span is None else self.span
        return self

    def told(self) -> Self:
        """The same error as a diagnostic: at its place, or at the call in the user's code.

        >>> print(HigherOrderBoundary("result[1] is a function", help="apply it").told())  # doctest: +ELLIPSIS
        error[CC071]: result[1] is a function
        ...
          = help: apply it
        """
        if not self.diagnostics:
            self.diagnostics = (Diagnostic(self.code, str(self), self.span or call_site(), (), self.help),)
            self.args = (shown(self.diagnostics),)
        return self

    def to_json(self) -> str:
        """The diagnostics as JSON: code, message, place, notes, help and the calls that led there."""
        import json

        return json.dumps([as_data(d) for d in self.diagnostics])


class CCCWarning(UserWarning):
    """The class of every warning: a derivative that is always zero, a statement without effect.

    >>> import warnings
    >>> issubclass(CCCWarning, UserWarning) and warnings.filterwarnings("ignore", category=CCCWarning) is None
    True
    """


class BoundaryMismatch(CCCError, TypeError):
    """Two arrows, or an arrow and its declared type, do not fit; the message names both boundaries. It is told at the
    call that put them together.

    >>> print(BoundaryMismatch("prod needs one domain: found R and (R, R)").help)
    give arrows whose objects fit: `f.dom` and `f.cod` are those of `f`
    """

    code = "CC051"

    def __init__(self, message: str = "", help: str = "") -> None:
        super().__init__(message, help or "give arrows whose objects fit: `f.dom` and `f.cod` are those of `f`")
        self.told()


class HigherOrderBoundary(CCCError, TypeError):
    """A pullback was asked for at a boundary that holds a function (*The Differentiable Curry*, "Artificial
    exponentials"); the message names the component.

    >>> raise HigherOrderBoundary("result[1]: R => R is a function")
    Traceback (most recent call last):
    ccc.errors.HigherOrderBoundary: result[1]: R => R is a function
    """

    code = "CC071"


class CotangentMismatch(CCCError, TypeError):
    """Two cotangents of different spaces were added, or a cotangent reached a value it does not belong to."""

    code = "CC051"


class DirectionMismatch(CCCError, TypeError):
    """A tangent or cotangent has another shape than what it belongs to.

    >>> DirectionMismatch("the tangent of `x` has the shape (3,), `x` has (2,)").code
    'CC070'
    """


class NeedsScalar(CCCError, TypeError):
    """A gradient was asked for of a result that is not one real number; this shows when it runs where the number of its
    axes is not known before.

    >>> NeedsScalar("gradient needs a scalar result; it has the shape (2,)").code
    'CC026'
    """

    code = "CC026"


class Unlike(CCCError, TypeError):
    """Items of a list, or keys or items of a dict, for which there is no common type.

    >>> Unlike("the items of a list must share a type: found None and a real number").code
    'CC006'
    """

    code = "CC006"


class UnknownExponential(CCCError, TypeError):
    """What was given as an exponential is none, and no word for one.

    >>> UnknownExponential("exponential='sum' is no exponential").code
    'CC070'
    """


class MissingDerivative(CCCError, NotImplementedError):
    """A primitive without a derivative lies between an input and the result."""

    code = "CC021"


class NotLinear(CCCError, NotImplementedError):
    """Forward mode met a custom derivative whose pullback is not linear in the cotangent: it has no transpose."""

    code = "CC043"


class InexactPrimitive(CCCError, TypeError):
    """A primitive that leaves the rationals was applied to exact scalars."""

    code = "CC028"


class UnknownDtype(CCCError, TypeError):
    """The dtype of an array depends on whether an integer is Python's or NumPy's, which shows only when it runs."""

    code = "CC006"


class UnknownObject(CCCError, TypeError):
    """A Python value has no object in the category (complex numbers, object arrays, ...)."""

    code = "CC025"


class CannotStage(CCCError, NotImplementedError):
    """A construct has a meaning on the host base but cannot be recorded as a program."""

    code = "CC006"
    chosen = ("choose without `if` and `max`: by largest and smallest of ccc.primitives.arithmetic, or where of "
              "ccc.primitives.elementary_numpy")
    taken = "take items by functions of ccc.primitives, or give one value"


class MissingMeaning(CCCError, NotImplementedError):
    """A category does not say what a combinator or a primitive of a program means.

    >>> MissingMeaning("`Intervals` does not say what `scan` means").code
    'CC053'
    """

    code = "CC053"


class NotAVectorSpace(CCCError, ValueError):
    """A class that was to be a vector space is none: its zero and sums break a law."""

    code = "CC050"
