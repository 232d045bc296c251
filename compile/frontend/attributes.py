"""Attributes: of modules, of values of the program, and of what a function reads from outside."""

from __future__ import annotations

import ast
import contextlib
import enum
import sys
import types
from typing import Any

import numpy as np

from ccc.compile.diagnostics import is_installed, mismatch, nearest, unsupported
from ccc.compile.frontend import (
    alternatives,
    class_variables,
    classes_at_run,
    decorated,
    effects,
    frozen,
    known_objects,
    members,
    outside_calls,
    presence,
    records,
    special_methods,
    sums,
    supers,
    texts,
)
from ccc.compile.frontend.captures import Entry, Fixed, Within
from ccc.compile.frontend.complex_values import is_complex
from ccc.compile.frontend.definitions import definition_of, definition_of_method
from ccc.compile.frontend.describing import as_array, class_of, class_said, described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.guards import Guard
from ccc.compile.frontend.iterator_values import IteratorValue, RangeValue
from ccc.compile.frontend.memory.interface import array_writers, dicts, list_changes, lists, stored, updates
from ccc.compile.frontend.numpy_functions.table import of_library
from ccc.compile.frontend.parts import MISSING, class_attribute
from ccc.compile.frontend.unrepeatable import is_random
from ccc.compile.frontend.values import (
    ChoiceValue,
    ClosureValue,
    Frame,
    KnownSet,
    ListValue,
    MethodValue,
    RecordValue,
    TypeValue,
    is_drawn,
    is_function,
    is_ours,
    real_of,
    told_by,
)
from ccc.compile.program.lam import Node, Var
from ccc.objects import Real
from ccc.primitives import array_methods, classes, failures, registry, texts as of_texts
from ccc.records import is_struct_sequence, is_unchanging
from ccc.sources import is_source


def attribute(e: Elaboration, node: ast.Attribute, frame: Frame) -> Any:
    return attribute_of(e, records.module_around(e, e.expression(node.value, frame), node, frame), node, frame)


def instead_of(name: str, known: list[str], otherwise: str = "compute it by a function") -> str:
    """The mend for an attribute or method that a number or an array has not here."""
    if registry.find(getattr(np, name, None)) is not None:
        return f"use a function: np.{name}(...)"
    return nearest(name, known, otherwise)


def of_module(e: Elaboration, owner: types.ModuleType, node: ast.Attribute, frame: Frame) -> Any:
    """A name of a module, read again before each call where it may change."""
    if not hasattr(owner, node.attr):
        raise mismatch("CC007", f"module `{owner.__name__}` has no attribute `{node.attr}`", e.span(node, frame),
                       help=nearest(node.attr, dir(owner), "use a name that it has"))
    value = getattr(owner, node.attr)
    known = isinstance(owner, types.ModuleType) and node.attr in owner.__dict__
    again = Entry(owner.__dict__, node.attr) if known else Within(Fixed(owner), getattr, node.attr)
    return e.read(node.attr, (id(owner.__dict__ if known else owner), node.attr), value, again, node, frame)


def items_asked(owner: Any, name: str) -> list[Any] | None:
    """The items of a tuple whose own method has this name, which a list answers in the same words; None for others."""
    if name.startswith("__") or not hasattr(tuple, name):
        return None
    if type(owner) is tuple:
        return list(owner)
    if not isinstance(owner, (RecordValue, Node)) or stored.is_reference(owner) or (
            getattr(owner.cls, name, None) is not getattr(tuple, name)):
        return None
    return list(owner.fields.values()) if isinstance(owner, RecordValue) else list(owner)


PARTS = {"real": "real_part", "imag": "imaginary_part"}
"""What gives the parts of what is a real number by its type, and may be a complex one."""


def of_variable(e: Elaboration, owner: Var, node: ast.Attribute, frame: Frame) -> Any:
    """`owner.name` of a number, text or array of the program."""
    owned = class_of(owner)
    if owned is not None and not hasattr(owned, node.attr):
        if node.attr == "at" and issubclass(owned, np.ndarray) and "jax" in sys.modules:
            return e.call(of_library("jax_functions").At, [owner], {}, node, frame)
        known = [*array_methods.ATTRIBUTES, *array_writers.METHODS, *array_methods.METHODS]
        raise mismatch("CC027", f"`{owned.__name__}` has no attribute `{node.attr}`", e.span(node, frame),
                       help=instead_of(node.attr, [n for n in known if hasattr(owned, n)]))
    if node.attr in PARTS and isinstance(owner.object, Real) and classes_at_run.at_run(e, owner, node, frame):
        return getattr(classes, PARTS[node.attr])(owner)
    if node.attr in array_methods.ATTRIBUTES:
        return array_methods.ATTRIBUTES[node.attr](owner)
    if node.attr in array_writers.METHODS and updates.is_array(owner):
        return array_writers.method(owner, node.attr)
    if node.attr in array_methods.METHODS:
        return MethodValue(owner, node.attr, array_methods.METHODS[node.attr])
    asked = of_texts.method(node.attr) if texts.is_text(owner) else None
    if asked is not None:
        return MethodValue(owner, node.attr, asked)
    definition = definition_of_method(node.attr) if owned is None or hasattr(owned, "dtype") else None
    if definition is not None:
        return MethodValue(owner, node.attr, definition)
    python = {np.floating: float, np.integer: int}  # NumPy's numbers have methods of Python's, by the same names
    of = next((cls for its, cls in python.items() if owned is not None and issubclass(owned, its)), owned)
    method: Any = getattr(of, node.attr, None)
    if of in (int, float) and definition_of(method) is not None:
        return MethodValue(owner, node.attr, method)
    raise unsupported("CC020", f"`.{node.attr}` of {described(owner)} is not supported",
                      e.span(node, frame), help=instead_of(node.attr, [], "compute it outside of the function"))


def of_complex(name: str) -> Any:
    """What a method of complex arrays stands for; None where it is their own, or there is none."""
    from ccc.compile.frontend import complex_numbers

    return complex_numbers.method(name)


def of_type(e: Elaboration, owner: TypeValue, node: ast.Attribute, frame: Frame) -> Any:
    """`type(x).name` of what is one of several, or of what an operation raised, whose class has a name."""
    number = isinstance(owner.owner, Var) and not sums.is_sum(owner.owner)
    if number and node.attr in ("__name__", "__qualname__"):
        return e.always(classes.class_named, (owner.owner,), name=node.attr)
    if isinstance(owner.owner, Var) and not number:
        return alternatives.of_its_type(e, owner, lambda cls: attribute_of(e, cls, node, frame), node, frame)
    if node.attr in ("__name__", "__qualname__"):
        return e.always(failures.class_told, (told_by(owner.owner),), name=node.attr)
    of = "a power" if number else "what an operation may have raised"
    raise unsupported("CC003", f"`.{node.attr}` of the class of {of} is not known", e.span(node, frame),
                      help="use its name: `type(error).__name__`")


def attribute_of(e: Elaboration, owner: Any, node: ast.Attribute, frame: Frame) -> Any:
    """`owner.name` of a value."""
    e.recorder.span = e.span(node, frame)
    owner = e.handlers.text(e, e.loaded(owner), node, frame)
    if node.attr.startswith("__") and (special := special_methods.method(e, owner, node.attr, node, frame)) is not None:
        return special
    if members.is_chosen(owner):
        for member in members.enumeration(owner):
            note_member(e, member, node.attr)
        if (found := members.by_name(owner, node.attr)) is not None:
            return dicts.item(e, RecordValue(dict, found), members.name_of(owner), node, frame)
        owner = members.asked(owner, node.attr)
    if stored.is_container(owner):
        return stored.attribute(e, owner, node.attr, node, frame)
    if alternatives.is_uncertain(e, owner) and not sums.is_sum(owner):
        alternatives.able(e, None, alternatives.without_attribute(node.attr), node, frame)
    if isinstance(owner, TypeValue):
        return of_type(e, owner, node, frame)
    if e.attempts.catches(AttributeError) and presence.has(owner, node.attr) is False:
        text = f"'{alternatives.class_name(owner)}' object has no attribute '{node.attr}'"
        effects.fail_with(e, AttributeError, text, node, frame)
    if sums.is_sum(owner) and node.attr == "__class__":
        return alternatives.type_of(e, owner, node, frame)
    if sums.is_sum(owner):
        return alternatives.attribute(e, owner, node, lambda value: attribute_of(e, value, node, frame), frame)
    if (items := items_asked(owner, node.attr)) is not None:
        return list_changes.attribute(e, ListValue(items), node, frame)
    if is_complex(owner) and (method := of_complex(node.attr)) is not None:
        return MethodValue(owner, node.attr, method)
    if isinstance(owner, (RecordValue, Node)):
        if not is_ours(frame.function):
            presence.refuse_inner(e, owner, node.attr, node, frame)
        return records.attribute(e, owner, node.attr, node, frame)
    if lists.is_list(owner):
        return list_changes.attribute(e, owner, node, frame)
    if isinstance(owner, supers.SuperValue):
        return supers.super_attribute(e, owner, node.attr, node, frame)
    if is_drawn(owner):
        return of_drawn(e, owner, node, frame)
    if isinstance(owner, Var):
        return of_variable(e, owner, node, frame)
    if isinstance(owner, types.ModuleType):
        return of_module(e, owner, node, frame)
    found = of_known(e, owner, node, frame)
    if found is not MISSING:
        return found
    refuse_missing(e, owner, node, frame)
    return attribute_from_outside(e, owner, node, frame)


def of_known(e: Elaboration, owner: Any, node: ast.Attribute, frame: Frame) -> Any:
    """An attribute of a class, a function, a range or what else is known as it is; MISSING where it has none such."""
    if node.attr == "__call__" and is_function(owner) and not isinstance(owner, type):
        return owner
    if isinstance(owner, class_variables.Owner) and (held := class_variables.now(e, owner, node.attr)) is not MISSING:
        return held
    if isinstance(owner, type) and isinstance(class_attribute(owner, node.attr), (classmethod, staticmethod)):
        found = class_attribute(owner, node.attr)
        return records.through_class(e, owner, found, owner, node.attr, node, frame)
    if owner is object and node.attr == "__setattr__":
        return object.__setattr__
    if isinstance(owner, (type, types.FunctionType)) and hasattr(owner, node.attr):
        value = getattr(owner, node.attr)
        return e.read(node.attr, (id(owner), node.attr), value, Within(e.only(owner), getattr, node.attr), node, frame)
    if isinstance(owner, ClosureValue) and (known := decorated.described(owner, node.attr)) is not MISSING:
        return known
    if is_struct_sequence(owner) and hasattr(owner, node.attr):
        return getattr(owner, node.attr)
    if isinstance(owner, RangeValue) and (found := of_range(owner, node.attr)) is not None:
        return found
    if isinstance(owner, frozenset) and hasattr(frozenset, node.attr) and (real := real_of(owner)) is not None:
        return getattr(real, node.attr)
    return MISSING


def of_range(owner: RangeValue, name: str) -> Any:
    """A bound, the step or a method of a range; None for what else may be asked of it."""
    bounds = owner.bounds if len(owner.bounds) > 1 else (0, *owner.bounds)
    bounds = bounds if len(bounds) > 2 else (*bounds, 1)
    if name in ("index", "count"):
        return MethodValue(bounds, name, getattr(range, name))
    names = ("start", "stop", "step")
    return bounds[names.index(name)] if name in names else None


def refuse_missing(e: Elaboration, owner: Any, node: ast.Attribute, frame: Frame) -> None:
    """Refuse attributes that values do not have, here or in Python."""
    if isinstance(owner, (ClosureValue, ChoiceValue, MethodValue, tuple, RangeValue, IteratorValue)):
        raise unsupported("CC003", f"`.{node.attr}` of {described(owner)} is not supported", e.span(node, frame),
                          help="use a function or an operator")
    if isinstance(owner, KnownSet) and hasattr(set, node.attr):
        raise unsupported("CC003", f"`.{node.attr}` of a set", e.span(node, frame),
                          help="use a dict, whose keys may vary")
    if not hasattr(owner, node.attr):
        raise mismatch("CC027", f"{described(owner)} has no attribute `{node.attr}`", e.span(node, frame),
                       help=nearest(node.attr, dir(owner), "compute it by a function"))


def of_drawn(e: Elaboration, owner: Any, node: ast.Attribute, frame: Frame) -> Any:
    """`owner.name` of a source of random numbers."""
    from ccc.compile.frontend import draws

    return draws.method(e, owner, node.attr, node, frame)


NUMBERS = np.ndarray | np.generic | int | float
"""What a program reads of a library's object, anew at each call."""
OF_MEMBERS = int | float | str | tuple | types.MethodType


def is_value(found: Any) -> bool:
    """True for an attribute that is no method or function."""
    return not callable(found) or isinstance(found, type)


def of_member(e: Elaboration, owner: enum.Enum, found: Any, node: ast.Attribute, frame: Frame) -> Any:
    """An attribute of a member of an enumeration: what a property gives, or what it has as long as it has that."""
    read = class_attribute(type(owner), node.attr)
    if isinstance(read, property) and isinstance(read.fget, types.FunctionType):
        return e.call(read.fget, [owner], {}, node, frame)
    if not isinstance(read, property):
        note_member(e, owner, node.attr)
    return found


def note_member(e: Elaboration, owner: enum.Enum, name: str) -> None:
    """Note that a member has an attribute as it is now."""
    own = vars(owner)
    for key in (name, f"_{name}_"):
        if key in own:
            e.guards[id(owner), "member", key] = Guard(Entry(own, key), own[key])
            return


def attribute_from_outside(e: Elaboration, owner: Any, node: ast.Attribute, frame: Frame) -> Any:
    """An attribute of an object that is no value of programs."""
    if isinstance(owner, enum.Enum) and isinstance(found := getattr(owner, node.attr), OF_MEMBERS):
        return of_member(e, owner, found, node, frame)
    if is_unchanging(owner):
        with contextlib.suppress(known_objects.NotKnown):
            return known_objects.attribute(owner, node.attr)
    if isinstance(owner, np.ufunc) or registry.is_holder(owner):
        return getattr(owner, node.attr)
    if isinstance(owner, slice) and node.attr in ("start", "stop", "step"):
        return getattr(owner, node.attr)
    if isinstance(owner, slice) and node.attr == "indices":
        return MethodValue(owner, node.attr, definition_of(slice.indices))
    given = frozen.from_outside(e, owner, node, frame)
    if given is not None and (node.attr in given.fields or hasattr(given.cls, node.attr)
                              or not isinstance(getattr(owner, node.attr), NUMBERS)):
        return records.attribute(e, given, node.attr, node, frame)
    if isinstance(owner, (np.finfo, np.iinfo)):
        found = getattr(owner, node.attr)
        return e.call(type(found), [found.item()], {}, node, frame) if isinstance(found, np.generic) else found
    if is_source(owner):
        from ccc.compile.frontend import draws

        return draws.method(e, draws.source_of(e, owner, node, frame), node.attr, node, frame)
    if isinstance(owner, (int, float, str, np.dtype)) or is_random(owner):
        return getattr(owner, node.attr)
    if isinstance(frame.at, ast.Expr) and outside_calls.of_method(frame.at.value, node):
        found = getattr(owner, node.attr)
        if outside_calls.is_foreign(found):
            return found
    if (is_installed(type(owner)) or isinstance(owner, enum.Enum)) and is_value(found := getattr(owner, node.attr)):
        return e.read(node.attr, (id(owner), node.attr), found, Within(e.only(owner), getattr, node.attr), node, frame)
    raise unsupported("CC003", f"attributes of {class_said(owner)} objects are not supported yet",
                      e.span(node, frame), help=as_array(owner, node, node.attr) or (
                          "use it in the caller" if is_installed(type(owner)) else
                          "make its class a dataclass, or pass the numbers as arguments"))
