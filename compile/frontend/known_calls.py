"""Calls of what SciPy and `numpy.polynomial` compute of arguments that are known: windows, filters, nodes.

    b, a = signal.butter(2, 0.3)        w = signal.get_window("hann", len(x))

No derivative is asked for there, so none has to be known: the library is asked once, while the program is read, and
each run has copies of what it gave. Whole numbers that come from sizes are settled as what they are in the call that
code is made for. What takes a source of random numbers is not one function, and what is given no number sets or shows a
state; both are left to others, as is what raises.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from ccc.additive import ZERO
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.settling import settled
from ccc.compile.frontend.values import ListValue, RecordValue
from ccc.compile.program.lam import Var
from ccc.errors import UnknownDtype, UnknownObject
from ccc.objects_of_values import object_of
from ccc.primitives.complexes import Complex
from ccc.primitives.facts import ENTRIES, NEVER, NEW
from ccc.primitives.primitive import Primitive

COMPUTING = tuple([f"scipy.{name}" for name in (
    "special", "signal", "linalg", "interpolate", "ndimage", "spatial", "stats", "integrate", "optimize", "fft",
)] + [f"numpy.polynomial.{name}" for name in (
    "polynomial", "chebyshev", "legendre", "laguerre", "hermite", "hermite_e",
)])
"""The modules whose functions give the same for the same numbers."""
DRAWN = frozenset({"rng", "seed", "random_state"})


class NotKnown(Exception):
    """An argument, or a result, is no number, text or sequence of such."""


def of_known(e: Elaboration, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What a function of a library gives for known arguments; `NotImplemented` where it is none, or they are not."""
    if not is_computing(function):
        return NotImplemented
    try:
        given, named = [known(e, a) for a in args], {name: known(e, a) for name, a in kwargs.items()}
    except NotKnown:
        return NotImplemented
    if not any(map(has_number, [*given, *named.values()])):
        return NotImplemented
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = function(*given, **named)
    except Exception:  # the library's own, which is raised where the call is read
        return NotImplemented
    try:
        return constant(e, f"known_{getattr(function, '__name__', 'function')}", found)
    except (NotKnown, UnknownObject, UnknownDtype):
        return NotImplemented


def is_computing(function: Any) -> bool:
    """Whether a function computes, the same at each call: one of a library itself, or a method of a distribution of it.
    """
    owner = getattr(function, "__self__", None) or function
    name = getattr(owner, "name", None) or getattr(owner, "__name__", "")
    if not any(getattr(sys.modules.get(module), name, None) is owner for module in COMPUTING):
        return False
    if isinstance(function, np.ufunc):
        return True
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return not DRAWN & parameters.keys() and getattr(function, "__name__", "") != "rvs"


def known(e: Elaboration, x: Any) -> Any:
    """An argument as Python has it; raises `NotKnown` for what a run computes."""
    if isinstance(x, ListValue):
        return [known(e, item) for item in x.items]
    if type(x) is tuple:
        return tuple([known(e, item) for item in x])
    if isinstance(x, Var) and (number := settled(e, x)) is not None:
        return number
    if x is None or isinstance(x, (int, float, str, bool, np.generic, np.dtype, ModuleType)) or (
            isinstance(x, type) and issubclass(x, (np.generic, int, float, complex))):
        return x
    raise NotKnown


def has_number(x: Any) -> bool:
    return any(map(has_number, x)) if isinstance(x, (list, tuple)) else isinstance(x, (int, float, np.generic))


def constant(e: Elaboration, name: str, found: Any) -> Any:
    """What was found as a value of the program, anew in each run."""
    if found is None or type(found) in (bool, int, str):
        return found
    return placed(found, iter([e.always(giving(name, x), ()) for x in leaves(found)]))


def giving(name: str, x: Any) -> Primitive:
    """A number or an array as what a run makes."""
    result = object_of(x)
    return Primitive(
        name, x.copy if isinstance(x, np.ndarray) else lambda: x, lambda p, args, params: result, f"{name}()",
        lambda ct, y: (), lambda ds, y: ZERO, memory=NEW, work=ENTRIES, raises=NEVER,
    )


def leaves(x: Any) -> Iterator[Any]:
    """The real numbers and arrays of a value, a complex one as its two parts."""
    if type(x) in (tuple, list):
        for part in x:
            yield from leaves(part)
    elif isinstance(x, (np.ndarray, np.number, float, complex)):
        yield from (np.real(x).copy(), np.imag(x).copy()) if np.iscomplexobj(x) else (x,)
    else:
        raise NotKnown


def placed(x: Any, values: Iterator[Any]) -> Any:
    """A value with those of the program in the places of its leaves."""
    if type(x) is tuple:
        return tuple([placed(part, values) for part in x])
    if type(x) is list:
        return ListValue([placed(part, values) for part in x])
    if np.iscomplexobj(x):
        return RecordValue(Complex, {"real": next(values), "imag": next(values)})
    return next(values)
