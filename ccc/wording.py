"""Types in words, for people who have not read what they are called inside.

>>> print(in_words(array("float64", ("n", "1"))), "|", in_words(Product((REAL, INT))), "|", in_words(List(REAL)))
an array of float64 with 2 axes | (a real number, an integer) | a list, each item a real number
"""

from __future__ import annotations

import types
from typing import Any

from ccc.objects import (
    INT,
    REAL,
    Array,
    Bool,
    Coproduct,
    Exponential,
    Int,
    Itself,
    List,
    Map,
    Object,
    Product,
    Real,
    Record,
    Source,
    Space,
    Static,
    Text,
    array,
    may_be_pythons,
)


def in_words(a: Object) -> str:
    """What a value of an object is, in the words of Python."""
    match a:
        case Real(kind):
            return "a real number" if may_be_pythons(a) else f"a number of {kind}"
        case Int(kind):
            return "an integer" if may_be_pythons(a) else f"an integer of {kind}"
        case Bool():
            return "a bool"
        case Array(dtype, axes):
            if axes is None:
                return f"an array of {dtype}"
            return f"an array of {dtype} with {len(axes)} {'axis' if len(axes) == 1 else 'axes'}"
        case Record(_, cls):
            return f"a `{cls.__name__}`"
        case Product(()):
            return "an empty tuple"
        case List(Product(())):
            return "a list"
        case Map(_, Product(())):
            return "a dict"
        case Product(parts):
            return f"({', '.join(map(in_words, parts))})"
        case List(item):
            return f"a list, each item {in_words(item)}"
        case Map(_, item):
            return f"a dict, each item {in_words(item)}"
        case Coproduct(alternatives):
            return " or ".join(map(in_words, alternatives))
        case Exponential():
            return "a function"
        case Text():
            return "a text"
        case Static(value):
            if isinstance(value, str | None):
                return "None" if value is None else f"the text {value!r}"
            if isinstance(value, type):
                return f"the class `{value.__name__}`"
            return "a function" if callable(value) else f"the constant {value!r}"
        case Source():
            return "a source of random numbers"
        case Space(cls):
            return f"a `{cls.__name__}`"
        case Itself():
            return "the same"
        case _:
            return str(a)


def is_called_object(value: Any) -> bool:
    """True for objects of a class with a `__call__` of its own, which are no functions for people."""
    return isinstance(vars(type(value)).get("__call__"), types.FunctionType)


def called_in_words(value: Any) -> str:
    """What can be called, in the words of Python.

    >>> called_in_words(len)
    'a function'
    """
    return f"a `{type(value).__name__}`" if is_called_object(value) else "a function"


__all__ = ["INT", "REAL", "array", "called_in_words", "in_words", "is_called_object"]
