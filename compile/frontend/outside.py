"""What a function reads from outside: numbers and arrays are hidden arguments, everything else guards the code.

A hidden argument is read anew at each call; its type guards the code. Functions, modules, ints, strings and tuples of
them are known while compiling, and the code holds as long as the same is found there again.
"""

from __future__ import annotations

import ast
import operator
import types
from typing import Any

import numpy as np

from ccc.compile.diagnostics import mismatch
from ccc.compile.frontend import class_variables, records
from ccc.compile.frontend.captures import CodeOf, Entry, Reader, Within, field_of, inner
from ccc.compile.frontend.counterparts import counterpart
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.guards import Guard, Hidden
from ccc.compile.frontend.lending import lend, refuse_changes
from ccc.compile.frontend.lent import Site
from ccc.compile.frontend.memory.interface import reached_from
from ccc.compile.frontend.numpy_functions import tables
from ccc.compile.frontend.values import Frame, ListValue, RecordValue, is_ours
from ccc.compile.program.lam import like
from ccc.errors import CCCError
from ccc.nones import Nones, is_nones
from ccc.objects import INT, Object, Product, Static
from ccc.objects_of_values import object_of
from ccc.paired import is_complex
from ccc.primitives import complexes
from ccc.records import is_struct_sequence, parts_of, path_to
from ccc.recursive_classes import group_of
from ccc.registered import is_container
from ccc.sources import is_source
from ccc.spaces import space_of
from ccc.unpatched import original

NUMBERS = (float, np.ndarray, np.generic)
DEEP = 8
"""The first depth at which a part of something outside may be seen to hold itself."""


class Same:
    """An object that equals itself only."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def kind(x: Any, formal: bool = False) -> Any:
    """What of a value from outside the code depends on: the type of numbers and arrays, all of everything else; of
    functions nothing where the form of the function that is called tells which they are.

    >>> kind((1.0, 2)) == kind((5.0, 2)), kind((1.0, 2)) == kind((1.0, 2.0)), kind(np.ones(3)) == kind(np.ones(1))
    (True, False, False)
    """
    if is_nones(x):
        return ("value", Same(Nones.of(x.shape)))
    if isinstance(x, np.ndarray):
        return ("array", x.dtype.name, *[n == 1 for n in x.shape])
    if isinstance(x, (float, np.generic)):
        return ("number", type(x).__name__)
    if isinstance(x, tuple):
        return ("tuple", *[kind(part, formal) for part in x])
    if isinstance(x, list):
        return ("list", str(object_of(x))) if holds_number(x) else ("list", *[kind(part, formal) for part in x])
    if isinstance(x, (int, str)):
        return (type(x).__name__, x)
    if is_source(x):
        return ("source", type(x).__name__)
    if records.is_record(x) and group_of(type(x)) is None:
        return (Same(type(x)), *[kind(part, formal) for part in parts_of(x) or ()])
    if group_of(type(x)) is not None:
        return ("of", object_of(x))
    return "function" if formal and inner(x) is not None else ("value", Same(x))


def outline(x: Any, label: Any = None) -> Any:
    """What code depends on of a tuple or list whose items it reads one by one: each of these has a guard of its own.

    >>> outline((1.0, "a")) == outline((2.0, 3)), outline((1.0,)) == outline([1.0])
    (True, False)
    """
    return type(x), len(x) if isinstance(x, (tuple, list)) else None


def holds_number(value: Any) -> bool:
    """True where a value holds a real number or an array, or is a list of integers, or holds a record of some."""
    if isinstance(value, tuple) and not records.is_record(value):
        return any(map(holds_number, value))
    parts = value if isinstance(value, list) else parts_of(value) if records.is_record(value) else None
    if parts is not None:
        return any((isinstance(x, int) and not isinstance(x, bool)) or holds_number(x) for x in parts)
    return isinstance(value, NUMBERS) or space_of(value) is not None


def of_one_kind(value: Any, a: Object) -> bool:
    """True where the items of each list in a value have a type in common."""
    if not isinstance(a, Product):
        return True
    return not isinstance(value, list) and all(map(of_one_kind, parts_of(value) or (), a.parts))


def never_changes(x: Any) -> bool:
    """True for tuples that hold no list, and for what is no tuple nor list."""
    return all(map(never_changes, x)) if isinstance(x, tuple) else not isinstance(x, list)


def class_of(x: Any, label: Any) -> type:
    """A reader's part: the class."""
    return type(x)


def dtype_of(x: Any, label: Any) -> Any:
    """A reader's part: the dtype of an array, None of what is none."""
    return getattr(x, "dtype", None)


def read(e: Elaboration, name: str, key: Any, value: Any, again: Reader, node: ast.AST, frame: Frame | None) -> Any:
    """The value of something outside, which `again` reads; where the function changes it, what that holds now. What
    users call by the names of Python's and NumPy's modules is that as long as they put nothing else there."""
    if isinstance(again, Entry) and (held := class_variables.held_at(e, key)) is not class_variables.MISSING:
        return held
    instead = counterpart(value)
    if instead is not value and not isinstance(value, (types.ModuleType, types.FunctionType)):  # an object, called
        e.guards[key] = Guard(again, value)
        return instead
    return counterpart(as_it_is(e, name, key, value, again, node, frame))


def as_it_is(
    e: Elaboration, name: str, key: Any, value: Any, again: Reader, node: ast.AST, frame: Frame | None
) -> Any:
    """The same, where a wrapper of NumPy's modules and functions is itself."""
    first = original(again.space, again.name) if isinstance(again, Entry) else None
    if first is not None and frame is not None and is_ours(frame.function):
        return first
    if first is not None and value is first:
        e.guards[key] = Guard(again, value)
        return value
    known = e.outside_values.get(key)
    if known is None:
        found = read_anew(e, name, key, value, again, node, frame)
        if (of := class_variables.of_program(e, again)) is not None:
            keep(e, name, found, of)
            return found
        site = Site(key, (), again, shown(name, key, again))
        if (cls := container_around(again)) is not None:
            refuse_changes(e, site, found, cls.__name__)
            known = e.outside_values[key] = found
            return known
        known = lend(e, site, found, value)
        if known is not found:
            e.outside_values[key] = known
    return e.lent.standing(known)


def container_around(again: Reader) -> type | None:
    """The class below one of Python's containers of an object that holds what is read."""
    while isinstance(again, Within):
        if again.part is field_of and again.label[0] is not dict and is_container(again.label[0]):
            return again.label[0]
        again = again.owner
    return None


def keep(e: Elaboration, name: str, found: Any, of: tuple[type, str]) -> None:
    """Have the statement of such a class make what changes of what it holds, else refuse that: the class is made once,
    and Python makes it anew in each call."""
    def refusal() -> BaseException:
        return class_variables.begun(e, *of) or class_variables.refusal(e, name)

    e.lent.refusals.update(dict.fromkeys(reached_from(found, []), refusal))


def shown(name: str, key: Any, again: Reader) -> str:
    """The name of something outside in messages: of a part of an object, that of the object and its own."""
    if not isinstance(again, Within) or again.part is not field_of:
        return name
    cls, label = again.label
    if not name.endswith(f"_{label}"):
        return name
    owner = shown(name.removesuffix(f"_{label}"), key[0], again.owner)
    return owner + path_to(cls, label)


def holds_itself(e: Elaboration, value: Any, again: Reader) -> bool:
    """Whether something outside is a part of itself. It is asked at few depths, which what leads back passes."""
    around = list[Reader]()
    while isinstance(again, Within):
        again = again.owner
        around.append(again)
    depth = len(around)
    return depth >= DEEP and depth & (depth - 1) == 0 and any(of(e.root) is value for of in around)


def read_anew(
    e: Elaboration, name: str, key: Any, value: Any, again: Reader, node: ast.AST, frame: Frame | None
) -> Any:
    """The value of something outside that was not read before."""
    if is_struct_sequence(value):
        e.guards[key] = Guard(again, value)
        return value
    if is_complex(value):
        parts = {part: read(e, f"{name}.{part}", (key, part), getattr(value, part), Within(again, getattr, part), node,
                            frame) for part in ("real", "imag")}
        known = e.outside_values[key] = RecordValue(complexes.Complex, parts, shared=True)
        return known
    if records.is_record(value) and group_of(type(value)) is None and not isinstance(value, set):
        if holds_itself(e, value, again):
            raise mismatch("CC025", f"an object of the class `{type(value).__name__}`, which stands outside of the "
                                    "function, holds itself", e.place(node, frame), help="make it in the function")
        known = e.outside_values[key] = records.read(e, name, key, value, again, node, frame)
        return known
    array: Any = value
    if getattr(getattr(array, "dtype", None), "names", None) and tables.is_table(array):
        e.guards[key] = Guard(Within(again, dtype_of, None), array.dtype)
        columns = {part: read(e, f"{name}_{part}", (key, part), array[part], Within(again, operator.getitem, part),
                              node, frame) for part in array.dtype.names}
        known = e.outside_values[key] = RecordValue(tables.table_of(array.dtype), columns, shared=True)
        return known
    formal = e.met(value, again)
    if is_nones(value):
        e.guards[key] = Guard(Within(again, kind, formal), kind(value, formal))
        return Nones.of(value.shape)
    if is_source(value):
        guard = Guard(Within(again, kind, formal), kind(value, formal), again)
        return hidden(e, name, key, value, object_of(value), again, guard)
    if not isinstance(value, set) and (group_of(type(value)) is not None or holds_number(value)):  # a set stays itself
        try:
            a = object_of(value)
        except CCCError as error:
            fields = getattr(getattr(value, "dtype", None), "names", None)
            text = "read numbers and arrays of numbers alone" if not fields else (
                f"read its fields in the caller, each as an array of its own: `{fields[0]} = {name}['{fields[0]}']`")
            raise mismatch("CC025", str(error), e.place(node, frame), help=text) from error
        if not isinstance(a, Static) and of_one_kind(value, a):
            return hidden(e, name, key, value, a, again, Guard(Within(again, kind, formal), kind(value, formal), again))
    if type(value) is int and again in e.general:
        return hidden(e, name, key, value, INT, again, Guard(Within(again, class_of, None), int, again))
    if isinstance(value, (tuple, list)):
        steady = again if never_changes(value) else None
        items: Any = value
        each = holds_number(value) or any(records.is_record(x) or is_source(x) for x in value)  # each is read by itself
        e.guards[key] = Guard(Within(again, outline, None), outline(value), steady=steady) if each else Guard(
            Within(again, kind, formal), kind(value, formal), steady=steady)
        if each:
            items = [read(e, f"{name}[{i}]", (key, i), x, Within(again, operator.getitem, i), node, frame)
                     for i, x in enumerate(value)]
        known = ListValue(list(items), shared=True) if isinstance(value, list) else tuple(items)
        e.outside_values[key] = known
        return known
    if not formal:
        e.guards[key] = Guard(again, value)
    return value


def hidden(e: Elaboration, name: str, key: Any, value: Any, a: Object, again: Reader, guard: Guard) -> Any:
    """A parameter for something outside that a call reads anew."""
    tree = e.parameter(name, a, value)
    e.hidden[key] = Hidden(name, again, as_read(tree), key)
    e.guards[key, "kind"] = guard
    e.outside_values[key] = tree
    return tree


def as_read(tree: Any) -> Any:
    """A tree of parameters that stays as it is when the function has places of its own for parts of it."""
    if isinstance(tree, RecordValue):
        return tree.like(list(map(as_read, tree.fields.values())))
    return like(tree, list(map(as_read, tree))) if isinstance(tree, tuple) else tree


def code_of(e: Elaboration, function: Any) -> None:
    """A function whose source is read: the program holds as long as that is its code."""
    if (function.__module__ or "").partition(".")[0] not in ("ccc", "compile"):
        read = CodeOf(e.reader(function))
        e.guards["code", read] = Guard(read, None if read.rooted else function.__code__, formal=read.rooted)


def watched(e: Elaboration, key: Any, again: Reader) -> Any:
    """A known fact about something outside, such as whether a dict has a key; it guards the code."""
    value = again(e.root)
    e.guards[key] = Guard(again, value)
    return value
