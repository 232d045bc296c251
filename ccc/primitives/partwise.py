"""Which functions take the parts of complex arrays one by one: those that are linear in them over the complex numbers.

Linear over the reals is what the primitives say that a function is made of; that it is so over the complex numbers too
(`np.vdot` is not) is asked of NumPy, at samples.

>>> from ccc.objects import array
>>> from ccc.primitives.adaptors import np_roll
>>> from ccc.primitives.adaptors_reductions import np_max
>>> row = Moving(array("float64", ("n",)))
>>> is_linear(np_roll, [row, 1], {}), is_linear(np_max, [row], {})
(True, False)
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ccc.base import Traced
from ccc.errors import CCCError
from ccc.objects import Object
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.primitive import Primitive, sample


class NotLinear(TypeError):
    """A function is not linear in what moves."""


class Probe:
    """The base of values of which only is known what they are linear in."""

    @staticmethod
    def apply(p: Primitive, args: tuple[Any, ...], params: dict[str, Any], label: Any) -> Traced:
        """What a primitive gives. Raises `NotLinear` where it is not linear in what moves."""
        a = p.type_of(tuple([kind_of(x) for x in args]), params)
        moving = [i for i, x in enumerate(args) if isinstance(x, Moving) and i not in p.sizes]
        if not moving:
            return Still(a)
        if not p.linear_of(params).holds(moving, (), len(args)):
            raise NotLinear(p.name)
        return Moving(a)


class Still(Traced):
    """A value that stays as it is."""

    __slots__ = ()

    def __init__(self, a: Object) -> None:
        self.object, self.base = a, Probe


class Moving(Still):
    """A value in which linearity is asked for, or that is linear in such a one."""

    __slots__ = ()


def is_linear(f: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> bool:
    """Whether a function is made of primitives that are linear in the arguments that move, together."""
    try:
        return isinstance(f(*args, **named), Moving)
    except (CCCError, ArithmeticError, LookupError, TypeError, ValueError):
        return False


def asks_sizes(f: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> bool:
    """Whether a function asks of the arguments that move what sizes they have, and nothing else.

    >>> from ccc.objects import array
    >>> from ccc.primitives.adaptors import np_ones_like, np_roll
    >>> row = Moving(array("float64", ("n",)))
    >>> asks_sizes(np_ones_like, [row], {}), asks_sizes(np_roll, [row, 1], {})
    (True, False)
    """
    try:
        return not isinstance(f(*args, **named), Moving)
    except (CCCError, ArithmeticError, LookupError, TypeError, ValueError):
        return False


def over_complex_numbers(f: Callable[..., Any], args: Sequence[Any], named: Mapping[str, Any]) -> bool:
    """Whether NumPy's function takes the imaginary unit out of the arguments that move, where it can be tried.

    >>> from ccc.objects import array
    >>> row = Moving(array("float64", ("n",)))
    >>> over_complex_numbers(np.roll, [row, 1], {}), over_complex_numbers(np.vdot, [row, np.ones(2)], {})
    (True, False)
    """

    def at(unit: complex) -> Any:
        return f(*[sampled(x, unit) for x in args], **{k: sampled(x, unit) for k, x in named.items()})

    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return bool(np.all(np.asarray(at(1j)) == 1j * np.asarray(at(1.0))))
    except Exception:  # of a function that does not take such samples nothing is known
        return False


def sampled(x: Any, unit: complex) -> Any:
    """A sample for what is not known, times a unit where it moves."""
    if isinstance(x, (list, tuple)):
        return type(x)([sampled(item, unit) for item in x])  # type: ignore[reportUnknownVariableType]
    found = sample(x.object) if isinstance(x, Traced) else x
    return times(found, unit) if isinstance(x, Moving) else found


def times(x: Any, unit: complex) -> Any:
    """A number or array times a unit, or a list of such."""
    return [times(item, unit) for item in x] if isinstance(x, list) else x * unit
