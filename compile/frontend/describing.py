"""What a value is, for a message: its type in words, and its class where that is known."""

from __future__ import annotations

import ast
import types
from collections import Counter, defaultdict
from typing import Any

import numpy as np

from ccc.compile.frontend.complex_values import is_complex
from ccc.compile.frontend.iterator_values import EnumerateValue, IteratorValue, OnceValue, RangeValue, ZipValue
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import class_behind, is_tuple, kind_of
from ccc.compile.frontend.values import (
    COUNTED,
    FACTORY,
    ITEMS,
    ChoiceValue,
    ClosureValue,
    KnownSet,
    ListValue,
    MethodValue,
    RecordValue,
    TextValue,
    TypeValue,
    Unbound,
    View,
    atom_of,
    is_function,
    told_by,
)
from ccc.compile.program.lam import Apply, BlockKind, Loop, Node, Var
from ccc.objects import Array, Bool, Int, List, Map, Real, Source, Text
from ccc.primitives.structure import item
from ccc.records import Nones
from ccc.wording import called_in_words, in_words


def described(value: Any) -> str:
    """The type of a value, for a message."""
    if isinstance(value, tuple):
        return f"({', '.join(map(described, value))})"
    if isinstance(value, RecordValue) and ITEMS in value.fields:
        return in_words(value.fields[ITEMS].object)
    if is_complex(value):
        return "a complex number"
    if isinstance(value, RecordValue):
        return f"a `{value.cls.__name__}` with {', '.join(map(str, value.fields)) or 'nothing'}"
    if isinstance(value, ListValue):
        return f"a list of {len(value.items)}"
    if isinstance(value, Var):
        return in_words(value.object)
    if is_function(value):
        return called_in_words(value)
    if isinstance(value, (RangeValue, IteratorValue)):
        return "a range" if isinstance(value, RangeValue) else "an iterator"
    if isinstance(value, str):
        return f"the text {value!r}"
    if isinstance(value, Nones):
        return "an array of None"
    if isinstance(value, (int, float)):
        return in_words(atom_of(value).object)
    if isinstance(value, frozenset):
        return "a set"
    return "None" if value is None else class_said(value)


def class_said(value: Any) -> str:
    """The class of a value, as the user knows it: what stands for one of Python's is called as that."""
    if isinstance(value, Unbound):
        return "a name that may have no value here"
    cls = class_of(value)
    return f"`{type(value).__name__ if cls is None else cls.__name__}`"


def is_array_of_others(value: Any) -> bool:
    """True for arrays and tables of another library, as far as NumPy can make arrays of them."""
    others = not isinstance(value, (np.ndarray, np.generic, type, Var, RecordValue, Node))
    return others and hasattr(type(value), "__array__")


def as_array(value: Any, node: ast.AST, part: str = "") -> str:
    """The mend for a value that is an array or table of another library, or for a `part` of it that stands at a place;
    empty for others. Its methods are not NumPy's: they leave out what is missing, and divide by n - 1."""
    if not is_array_of_others(value):
        return ""
    if part and not hasattr(getattr(value, part, None), "__array__"):
        node = node.value  # type: ignore[attr-defined] - an attribute
    own = any(isinstance(name, ast.Name) and not name.id.isidentifier() for name in ast.walk(node))
    of = "..." if own or not isinstance(node, ast.expr) else ast.unparse(node)
    return f"make an array of it outside: `xs = np.asarray({of})`, and use `xs` here"


def is_column(e: Any, value: Any) -> bool | None:
    """Whether a list of the program is a tuple in Python, as a column of `zip(*rows)` is; None where it may be one."""
    if e.stores is not None and isinstance(value, Var):
        value = e.stores.loaded.get(value, value)  # what stands at a place is what leads there
    if kind_of(value) is StoredAs.LIST:
        return is_tuple(value)
    kinds = [type(v.object.item) for v in e.columns] + [type(v.object.item.item) for v in e.transposed]
    if not kinds or not isinstance(value, Var) or not isinstance(value.object, List):
        return False
    let = value.definition
    if let is None and value.home is not None and value.home.kind is BlockKind.TOP:
        return value in e.columns  # the caller's
    op = None if let is None else let.op
    first = let.args[0] if let is not None and isinstance(op, Apply) and op.primitive is item else None
    if value in e.columns or of_columns(e, first) or any(of_columns(e, xs) for xs in e.origins.get(value, ())):
        return True
    made = isinstance(op, Loop) and not op.carries
    made = made or (isinstance(op, Apply) and op.primitive.memory_of(op.params).is_new)
    return None if type(value.object.item) in kinds and not made else False


def may_hold_columns(e: Any, value: Any) -> bool:
    """True for a list of the program read of a store, with lists in it of a kind of which some are tuples in Python."""
    if e.stores is None or not (e.columns or e.transposed) or not isinstance(value, Var):
        return False
    kinds = [type(v.object.item) for v in e.columns] + [type(v.object.item.item) for v in e.transposed]
    inside = value.object.item if isinstance(value.object, List) else None
    while isinstance(inside, List) and type(inside.item) not in kinds:
        inside = inside.item
    return isinstance(inside, List)


def of_columns(e: Any, value: Any) -> bool:
    """True for a list of the program whose items are tuples in Python: what was transposed, a copy of it, and what a
    loop collects of such."""
    if not isinstance(value, Var) or value in e.transposed or value.definition is None:
        return isinstance(value, Var) and value in e.transposed
    op, args = value.definition.op, value.definition.args
    if isinstance(op, Loop) and op.carries == 0 and op.body.results[value.definition.targets.index(value)] in e.columns:
        return True
    copied = isinstance(op, Loop) and op.carries == 0 and len(args) == 1 and op.body.results == op.body.params
    return copied and of_columns(e, args[0])


def class_of(value: Any) -> type | None:
    """The class that a value has when it exists, None where that is not known."""
    if not isinstance(value, Var):
        if isinstance(value, (RecordValue, Node)):
            return class_of_record(value)
        if isinstance(value, ClosureValue):
            return types.FunctionType
        if isinstance(value, View):
            return type(getattr({}, value.kind)())
        if isinstance(value, ChoiceValue):
            classes = {class_of(value.then), class_of(value.orelse)}
            return classes.pop() if len(classes) == 1 else None
        if isinstance(value, OnceValue):
            return value.cls
        classes_of = {ListValue: list, RangeValue: range, ZipValue: zip, EnumerateValue: enumerate, KnownSet: set,
                      TextValue: str, TypeValue: type, MethodValue: types.BuiltinMethodType, Nones: np.ndarray}
        if isinstance(value, types.MethodType) and is_of_compiler(value.__func__):
            return getattr(value.__func__, "__ccc_class__", types.BuiltinMethodType)
        return classes_of.get(type(value), None if is_of_compiler(type(value)) else type(value))
    a = value.object
    if isinstance(a, Text):
        return str
    if isinstance(a, (Array, List)):
        return None if isinstance(a, Array) and a.axes is None else np.ndarray if isinstance(a, Array) else list
    if isinstance(a, Source):
        return a.cls
    if isinstance(a, (Bool, Int, Real)):
        plain = {"bool": bool, "int": int, "float": float}.get(a.kind)
        return plain if plain is not None else None if a.kind == "any" else getattr(np, a.kind, None)
    return None


HEAP = 1 << 9
"""The flag of classes that are written in Python, which errors call by their bare names."""


def unhashable(value: Any) -> str | None:
    """What errors call the class of a value that has no hash, or of the first part of a tuple that has none.

    >>> unhashable((1, ListValue([]))), unhashable(np.ones(2)), unhashable((1, "a"))
    ('list', 'numpy.ndarray', None)
    """
    cls = class_of(value)
    if isinstance(value, tuple) and cls is tuple:
        return next(filter(None, map(unhashable, value)), None)
    if isinstance(value, Var) and isinstance(value.object, Map):
        cls = dict
    if cls is None or cls.__hash__ is not None or is_complex(value):
        return None
    plain = cls.__flags__ & HEAP or cls.__module__ == "builtins"
    return cls.__name__ if plain else f"{cls.__module__}.{cls.__name__}"


def class_of_record(value: RecordValue | Node) -> type | None:
    """The class of an object, whose class may be written here in the place of Python's or NumPy's."""
    cls = class_behind(value.cls)
    if told_by(value) is not None:
        return None
    if isinstance(value, RecordValue) and FACTORY in value.fields:
        return Counter if value.fields[FACTORY] is COUNTED else defaultdict
    return getattr(cls, "__ccc_class__", cls)


def is_of_compiler(x: Any) -> bool:
    """True for classes and functions of the front end, which stand for some of Python's."""
    return str(x.__module__).startswith(__package__ or __name__)
