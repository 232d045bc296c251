"""Objects of Python's library that never change, and what they give: dates, durations, fractions, patterns.

    (date(2024, 7, 1) - date(2024, 1, 1)).days        re.findall(r"[a-z]+", text)        Fraction(1, 3)

They are computed while the program is read, of what is known then, as Python computes them. What is asked of today or
of now is not one function, and is left to others, as is what raises.
"""

from __future__ import annotations

import enum
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ccc.compile.frontend import outside_sets, python_functions, settling
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterator_values import RangeValue
from ccc.compile.frontend.regions import Region, is_reference, region_of
from ccc.compile.frontend.unrepeatable import NOW
from ccc.compile.frontend.values import KnownSet, ListValue, RecordValue, View, plain_int, real_of
from ccc.compile.program.lam import Var
from ccc.coproducts import NONE
from ccc.errors import CCCError
from ccc.nones import Nones, is_nones
from ccc.objects import Real
from ccc.records import UNCHANGING, is_key, is_unchanging

VALUES = (str, bytes, int, float, complex)
"""Classes of Python's whose objects never change, of which methods of the class are asked: `str.maketrans`."""
RESULTS = (str, bytes, int, float, type(None))


class NotKnown(Exception):
    """An argument, or a result, is nothing that is known while a program is read."""


def of_call(e: Elaboration, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What a call gives that such objects take part in; `NotImplemented` for others, where arguments are not known, and
    where it raises."""
    facts = python_functions.of(function)
    counts = facts.asks == "numbers"
    if not (is_making(function) or (facts.asks and any(holds_unchanging(a, counts) for a in args))):
        return NotImplemented
    if facts.takes == "all" and len(args) == 1:
        args = [ListValue([*x.fields]) if isinstance(x, RecordValue) and x.cls is dict else x for x in args]
    if isinstance(getattr(function, "__self__", None), (set, frozenset)):  # which take dicts for their keys
        args = [RecordValue(dict, dict.fromkeys(x.fields)) if isinstance(x, RecordValue) and x.cls is dict else x
                for x in args]
    try:
        given, named = [known(a) for a in args], {name: known(a) for name, a in kwargs.items()}
    except NotKnown:
        return NotImplemented
    if type(owner := getattr(function, "__self__", None)) is set:
        outside_sets.items_of(e, owner, None, None)
    try:
        return as_value(function(*given, **named))
    except NotKnown:
        return NotImplemented
    except CCCError:
        raise
    except Exception as error:  # plain Python's, raised where the program runs
        if e.attempts.active:
            e.attempts.met(error)
        return NotImplemented


def of_nones(e: Elaboration, function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What a function of NumPy's gives of arrays, lists or tuples of None, or of None to fill an array with, where that
    holds no numbers or is a size of such; `NotImplemented` for others."""
    if fills_with_none(function, args, kwargs):
        args = [x if (n := settling.settled(e, x)) is None else n for x in args]
    elif not any(type(a) is Nones or is_of_nones(a) for a in args):
        for region in {region for a in args for region in places_of_nones(a)}:
            region.regions.give_up(region, "a list of None, which a function of NumPy's is given")
        return NotImplemented
    try:
        found = function(*[known(a) for a in args], **{name: known(a) for name, a in kwargs.items()})
        return Nones.of(found.shape) if is_nones(found) else as_value(found)
    except CCCError:
        raise
    except Exception:  # NotKnown, and Python's own where None is no number
        return NotImplemented


def fills_with_none(function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> bool:
    """Whether a call fills an array with None."""
    if not any(x is None for x in (*args, *kwargs.values())):
        return False
    try:
        given = inspect.signature(function).bind(*args, **kwargs).arguments
    except (TypeError, ValueError):
        return False
    return given.get("fill_value", 0) is None


def is_of_nones(x: Any) -> bool:
    """True for a list or tuple of None, or of such."""
    items = x.items if isinstance(x, ListValue) else x if isinstance(x, tuple) else ()
    return len(items) > 0 and all(item is None or is_of_nones(item) for item in items)


def places_of_nones(x: Any) -> Iterator[Region]:
    """The places in stores of lists that hold None alone, of which such a list or tuple consists."""
    if is_reference(x):
        region = region_of(x.cls)
        if region is not None and region.cls is list and region.parts.get("item") == NONE:
            yield region
    elif isinstance(x, (ListValue, tuple)):
        for item in x.items if isinstance(x, ListValue) else x:
            yield from places_of_nones(item)


def is_making(function: Any) -> bool:
    """Whether a function makes such objects or asks one: a class, a function of their module, a method.

    >>> import datetime, re
    >>> is_making(datetime.date), is_making(re.findall), is_making(datetime.timedelta(1).total_seconds), is_making(len)
    (True, True, True, False)
    >>> is_making(datetime.date.today), is_making(str.maketrans), is_making("a".upper)
    (False, True, False)
    """
    name = getattr(function, "__name__", None)
    if name is None or name in NOW or not isinstance(getattr(function, "__module__", ""), str | None):
        return False
    owner = getattr(function, "__self__", None)
    if isinstance(owner, type):
        return owner in VALUES or owner.__module__ in UNCHANGING
    if owner is None and isinstance(function, types.BuiltinFunctionType) and getattr(str, name, None) is function:
        return True
    if isinstance(owner, (int, float, set, frozenset)) and isinstance(function, types.BuiltinFunctionType):
        return not isinstance(owner, set) or hasattr(frozenset, name)  # what a set alone has changes it
    return is_unchanging(owner) or getattr(function, "__module__", None) in UNCHANGING


def is_numbered(x: Any) -> bool:
    """Whether a value is a member of an enumeration whose members are whole numbers, or such an enumeration."""
    return (isinstance(x, int) and isinstance(x, enum.Enum)) or (isinstance(x, enum.EnumType) and issubclass(x, int))


def holds_unchanging(x: Any, numbered: bool = False) -> bool:
    """Whether a value is such an object, or a sequence with some; with `numbered` members of an `IntEnum` are."""
    items = x.items if isinstance(x, ListValue) else (*x.fields,) if isinstance(x, RecordValue) and x.cls is dict else x
    if isinstance(items, (tuple, list)):
        return any(holds_unchanging(item, numbered) for item in items)
    return is_unchanging(x) or (numbered and is_numbered(x))


def pythons_view(parts: tuple[Any, ...], kind: str) -> Any:
    """The keys, values or items of a dict as the view that Python has of them.

    >>> pythons_view((1, "a"), "keys"), pythons_view((0, 0), "values"), pythons_view(((1, 2),), "items")
    (dict_keys([1, 'a']), dict_values([0, 0]), dict_items([(1, 2)]))
    """
    made = dict(parts if kind == "items" else enumerate(parts) if kind == "values" else zip(parts, parts, strict=True))
    return getattr(made, kind)()


def known(x: Any) -> Any:
    """An argument as Python has it; raises `NotKnown` for what a run computes."""
    if isinstance(x, ListValue):
        return [known(item) for item in x.items]
    if isinstance(x, tuple):
        parts = tuple([known(item) for item in x])
        return pythons_view(parts, x.kind) if isinstance(x, View) else parts
    if isinstance(x, RecordValue) and x.cls is dict and all(map(is_key, x.fields)):
        return {key: known(item) for key, item in x.fields.items()}
    if isinstance(x, RangeValue) and all(isinstance(b, int) for b in x.bounds):
        return range(*x.bounds)
    if isinstance(x, frozenset) and (real := real_of(x)) is not None:
        return real
    if isinstance(x, Nones):
        return x.array()
    if is_key(x) or is_unchanging(x) or isinstance(x, type):
        return x
    raise NotKnown


def as_value(found: Any) -> Any:
    """What Python gives, as a value of programs; an iterator is the list of what it has."""
    if isinstance(found, (*RESULTS, type)) or is_unchanging(found):
        return found
    if type(found) is tuple:
        return tuple([as_value(x) for x in found])
    if type(found) is set or type(found) is frozenset:
        return KnownSet(found, found)
    if type(found) is dict and all(map(is_key, found)):
        return RecordValue(dict, {key: as_value(x) for key, x in found.items()})
    if type(found) is list or isinstance(found, Iterator):
        return ListValue([as_value(x) for x in found])
    raise NotKnown


def beside_reals(x: Any, other: Any, exponent: bool = False) -> Any:
    """A fraction as the float that Python makes of it where it meets one of the program, and a member of an `IntEnum`
    as its number."""
    x = plain_int(x) if isinstance(other, Var) else x
    meets = is_unchanging(x) and hasattr(x, "numerator") and isinstance(other, Var)
    if not meets or not isinstance(other.object, Real):
        return x
    return x.numerator if exponent and x.denominator == 1 and x.numerator >= 0 else float(x)


def attribute(owner: Any, name: str) -> Any:
    """An attribute of such an object: a value, or a method."""
    found = getattr(owner, name)
    return found if callable(found) or isinstance(found, np.dtype) else as_value(found)


def item(owner: Any, key: Any) -> Any:
    """An item of such an object, as a group of what a pattern found."""
    return as_value(owner[key])


__all__ = ["attribute", "beside_reals", "holds_unchanging", "is_making", "item", "known", "of_call", "of_nones"]
