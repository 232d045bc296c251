"""Python's built-in functions on values of the front end; the others are primitives."""

from __future__ import annotations

import ast
import builtins
import collections
import dataclasses
import enum
import functools
import math
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.diagnostics import mismatch, unsupported
from ccc.compile.frontend import (
    alternatives,
    classes_at_run,
    effects,
    interrupts,
    kinds_met,
    known_objects,
    known_sets,
    outside_sets,
    presence,
    python_functions,
    record_making,
    records,
    refused_builtins,
    settling,
    sums,
    supers,
    texts,
)
from ccc.compile.frontend.describing import as_array, class_of, described, is_column
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterables import known_items
from ccc.compile.frontend.iterator_values import EnumerateValue, OnceValue, RangeValue, ZipValue
from ccc.compile.frontend.memory.interface import dict_making, dicts, stored
from ccc.compile.frontend.numpy_functions.table import PACKAGES
from ccc.compile.frontend.parameters import taken
from ccc.compile.frontend.parts import defined, opened
from ccc.compile.frontend.regions import class_behind, is_items
from ccc.compile.frontend.values import Frame, ListValue, RecordValue, TypeValue, is_function, told_by
from ccc.compile.program.lam import Lit, Node, Var
from ccc.later import deferred
from ccc.objects import INT, Array, Bool, Int, List, Product, Real, Text
from ccc.primitives import (
    adaptors,
    classes as class_primitives,
    complexes,
    effects as effects_of_programs,
    indexing,
    structure,
    texts as of_texts,
)
from ccc.primitives.primitive import sample
from ccc.records import Nones, is_key


def folded(e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The value of a call of known scalars that can be computed now; NotImplemented where it cannot, or raises."""
    if isinstance(getattr(function, "__self__", None), str):
        return from_text(e, function, args, kwargs)
    if function is np.dtype and len(args) == 1 and not kwargs and isinstance(args[0], (type, str, np.dtype)):
        return np.dtype(args[0])
    if not python_functions.of(function).of_numbers:
        return NotImplemented
    if not all(type(a) in (int, float, bool, str) for a in [*args, *kwargs.values()]):
        return NotImplemented
    try:
        found = function(*args, **kwargs)
    except Exception as error:  # plain Python's, raised where the program runs
        if any(isinstance(a, str) for a in args):
            return raised(e, error)
        e.attempts.met(error)
        return NotImplemented
    return found if type(found) in (int, float, bool, str) else NotImplemented


def raised(e: Elaboration, error: Exception) -> Any:
    """Raise what Python raises of known texts where the program runs, if it may come here; else `NotImplemented`, of
    which the compiler tells."""
    e.attempts.met(error)
    if e.recorder.surely_runs():
        return NotImplemented
    e.always(effects_of_programs.fail, (type(error),), forms=((str(error),),))
    raise interrupts.Ends


def from_text(e: Elaboration, method: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What a method of a known text gives, with known arguments; NotImplemented where it gives nothing, or raises."""
    try:
        given, named = [known_objects.known(a) for a in args], {k: known_objects.known(a) for k, a in kwargs.items()}
    except known_objects.NotKnown:
        return NotImplemented
    try:
        found = method(*given, **named)
    except Exception as error:  # plain Python's, raised where the program runs
        return raised(e, error)
    return ListValue(found) if isinstance(found, list) else found if is_key(found) else NotImplemented


def only_argument(name: str, args: list[Any], kwargs: dict[str, Any], where: Any) -> Any:
    """The one argument of a call."""
    if kwargs or len(args) != 1:
        raise mismatch("CC027", f"`{name}` takes one argument, {len(args) + len(kwargs)} were given", where,
                       help="give one argument")
    return args[0]


def range_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    if kwargs or not 1 <= len(args) <= 3:
        raise mismatch("CC027", "range takes one to three integers", e.place(node, frame),
                       help="give one to three integers")
    for a in args:
        if (isinstance(a, (Var, Lit)) and not isinstance(a.object, type(INT))) or isinstance(a, float):
            raise mismatch("CC027", "range needs integers", e.place(node, frame), help="int(...) makes one")
    if len(args) == 3 and not (isinstance(args[2], int) and args[2]):
        e.always(structure.span, tuple(args))  # which raises where the step is zero, though nothing is iterated
    return RangeValue(tuple(args))


LENGTH = "object of type '{}' has no len()"
"""What Python says of what has no length."""


def len_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    value = e.handlers.text(e, only_argument("len", args, kwargs, e.place(node, frame)), node, frame)
    if isinstance(value, Var) and isinstance(value.object, Text):
        return of_texts.size(value)
    if alternatives.is_uncertain(e, value):
        fails = alternatives.lacking("__len__", LENGTH)
        use = lambda x: e.call(len, [x], {}, node, frame)  # noqa: E731  # which shows what a reference leads to
        return alternatives.dispatch(e, value, use, fails, node, frame)
    if isinstance(value, ListValue):
        return len(value.items)
    if isinstance(value, (enum.EnumType, Nones)):
        return len(value)
    if isinstance(value, RangeValue):
        return structure.length(e.sequence(value, node, frame))
    if isinstance(value, Var):
        if not isinstance(value.object, (Array, List)):
            e.attempts.lacks(value, LENGTH)
            raise mismatch("CC027", f"{described(value)} has no length", e.place(node, frame),
                           help="give an array, a list, a tuple or a dict")
        return structure.length(value)
    if defined(value, "__len__"):
        return records.special(e, value, "__len__", [], {}, node, frame)
    if dicts.is_dict(value):
        return dicts.length(e, value)
    if is_items(value) or isinstance(value, (str, bytes, frozenset, set)):
        return len(outside_sets.items_of(e, value, node, frame) if isinstance(value, set) else value)
    e.attempts.lacks(value, LENGTH, "__len__")
    inside = node.args[0] if isinstance(node, ast.Call) and node.args else node
    raise mismatch("CC027", f"{described(value)} has no length here", e.place(node, frame),
                   help=as_array(value, inside) or "give an array, a list, a tuple or a dict")


SHORT = 32  # a range of at most as many integers is taken item by item where a function of Python lists it


def short_range(value: Any) -> list[int] | None:
    """The integers of a range that is known and short."""
    if not isinstance(value, RangeValue) or not all(type(b) is int for b in value.bounds):
        return None
    known = range(*value.bounds)
    return list(known) if len(known) <= SHORT else None


def tuple_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    if not args and not kwargs:
        return ()
    value = only_argument("tuple", args, kwargs, e.place(node, frame))
    if isinstance(value, tuple):
        return value
    if isinstance(value, RangeValue):
        bounds = tuple([settling.settled(e, b) if isinstance(b, Var) else b for b in value.bounds])
        value = value if None in bounds else RangeValue(bounds)
    items = short_range(value) if isinstance(value, RangeValue) else known_items(value)
    if items is not None:
        return tuple(items)
    items = settled_items(e, value, node, frame)
    if items is not None:
        return items
    found = stored.shown(e, e.call(list, [value], {}, node, frame))
    if isinstance(found, ListValue):
        return tuple(found.items)
    e.columns.add(found)
    return found


def settled_items(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> tuple[Any, ...] | None:
    """The items of an array, or of a list of numbers, whose length follows from sizes and whole numbers of the call and
    is short; None for all else."""
    if isinstance(value, (OnceValue, RangeValue, ZipValue, EnumerateValue)):
        value = e.call(list, [value], {}, node, frame)
    if not isinstance(value, Var) or not (
            (isinstance(value.object, Array) and value.object.axes != ())
            or (isinstance(value.object, List) and of_numbers(value.object.item))):
        return None
    known = settling.settled(e, structure.length(value))
    if known is None or known > SHORT:
        return None
    if isinstance(value.object, Array):
        return tuple([indexing.index(value, i, pattern=("i",)) for i in range(known)])
    return tuple([opened(structure.item(value, i)) for i in range(known)])


def of_numbers(a: Any) -> bool:
    """True for numbers, texts and tuples of them."""
    return all(map(of_numbers, a.parts)) if type(a) is Product else isinstance(a, (Real, Int, Bool, Text))


def slice_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    if kwargs or not 1 <= len(args) <= 3:
        raise mismatch("CC027", "slice takes one to three arguments", e.place(node, frame), help="give one to three")
    return slice(*args)


def limits(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`np.finfo(dtype)` and `np.iinfo(dtype)`: of numbers and arrays, those of their dtype."""
    given = [*args, *[value for name, value in kwargs.items() if name in ("dtype", "type")]]
    others = {name: value for name, value in kwargs.items() if name not in ("dtype", "type")}
    of = only_argument("np.finfo", given, others, e.place(node, frame))
    dtype = adaptors.np_dtype(of) if isinstance(of, (Var, int, float)) else np.dtype(of)
    return np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)


OF_LISTS = (np.iscomplexobj, np.isrealobj, np.isscalar)
"""Those that make an array of what they are given, or take anything."""


def of_dtypes(function: Any) -> Callable[..., Any]:
    """A function that looks at the dtypes of its arguments, which are known."""

    def handler(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
        if function is np.isscalar and len(args) == 1:
            (value,) = args
            if sums.is_sum(value):
                return alternatives.asked_of_each(e, value, lambda x: handler(e, [x], {}, node, frame), node, frame)
            if isinstance(value, Var) and isinstance(value.object, Array) and value.object.axes is None:
                return e.call(isinstance, [value, (float, int, np.generic)], {}, node, frame)

        def sampled(value: Any) -> Any:
            """A value like this, of the same dtype."""
            if isinstance(value, Var):
                return sample(value.object)
            if isinstance(value, ListValue) and function in OF_LISTS:
                return [sampled(item) for item in value.items]
            if isinstance(value, RecordValue) and value.cls is complexes.Complex:
                return sampled(value.fields["real"]) * 1j
            if isinstance(value, (ListValue, RecordValue)):
                raise unsupported("CC003", f"`np.{function.__name__}` of a list is not supported", e.place(node, frame),
                                  help="give arrays, numbers or dtypes")
            return value

        found = function(*[sampled(a) for a in args], **kwargs)
        return np.dtype(found) if isinstance(found, type) else found

    return handler


def class_looked_at(e: Elaboration, value: Any) -> type | None:
    """The class of a value; where it is that of an integer, the program needs one."""
    found = tuple if (column := is_column(e, value)) else None if column is None else class_of(value)
    if found is complexes.Complex:
        return class_of_complex(value, np.generic)
    if found is int and isinstance(value, Var):
        e.looked_at.append(value)
    return found


def class_of_complex(value: RecordValue, classes: Any) -> type | None:
    """The class of what is complex, as far as it matters for being among some: parts of a number do not say whether it
    is Python's or NumPy's."""
    arrays = np.ndarray in map(class_of, value.fields.values())
    return np.ndarray if arrays else kinds_met.only_answer(classes, (complex, np.complex128))


def isinstance_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    if kwargs or len(args) != 2:
        raise mismatch("CC027", "`isinstance` takes two arguments", e.place(node, frame),
                       help="give a value and a class")
    value, classes = args
    if sums.is_sum(value) or told_by(value) is not None:
        found = alternatives.is_instance(e, value, classes, node, frame)
        if found is not None:
            return found
    if (found := of_library(value, classes)) is not NotImplemented:
        if found is None:
            name = class_behind(value.cls).__name__
            raise unsupported("CC003", f"which class of its library a `{name}` has is not known",
                              e.place(node, frame), help="test it in the caller")
        return found
    known = class_of(value)
    if (column := is_column(e, value)) is not False:
        known = tuple if column or issubclass(list, classes) is issubclass(tuple, classes) else None
    if isinstance(value, Var) and isinstance(value.object, Real):
        known = kinds_met.only_answer(classes, kinds_met.classes_of(value))
    if known is None and isinstance(value, Var) and isinstance(value.object, Array):
        scalar = np.dtype(value.object.dtype).type
        python = [type(scalar(0).item())] if value.object.axes is None else []  # or a number of Python's
        known = kinds_met.only_answer(classes, (np.ndarray, scalar, *python))
    if issubclass(int, classes) is not issubclass(float, classes):
        classes_at_run.refuse_made(e, value, node, frame)
    if of_sign(value, classes) and classes_at_run.at_run(e, value, node, frame):
        return e.always(class_primitives.is_instance, (value,), kinds=classes)
    ours = complexes.Complex in (classes if isinstance(classes, tuple) else (classes,))
    if isinstance(value, RecordValue) and known is complexes.Complex and not ours:
        known = class_of_complex(value, classes)
    if known is None and kinds_met.is_of_several(value, issubclass(int, classes) is issubclass(float, classes)):
        return e.always(class_primitives.is_instance, (value,), kinds=classes)
    if known is None:
        raise unsupported("CC003", f"`isinstance` of {kinds_met.in_kinds(value)} is not known while compiling",
                          e.place(node, frame), help="convert it first, as by `float(x)`, or test it in the caller")
    if issubclass(int, classes) is not issubclass(float, classes):
        class_looked_at(e, value)
    return issubclass(known, classes)


def of_sign(value: Any, classes: Any) -> bool:
    """Whether the two classes that a power of a number's type may have differ in being among some classes."""
    ways = (int, float) if class_of(value) is int else (float, complex)
    return isinstance(value, Var) and len({issubclass(way, classes) for way in ways}) == 2


OURS = "ccc.compile.libraries."
"""Where the classes are written that stand for some of a library."""


def of_library(value: Any, classes: Any) -> Any:
    """Whether what stands for an object of a library is of some of these classes: for sure it is of those that ours
    names in `__ccc_bases__`, and of ours. None where that does not tell, NotImplemented for other values."""
    behind: Any = class_behind(value.cls) if isinstance(value, (RecordValue, Node)) else None
    if behind is None or not behind.__module__.startswith(OURS):
        return NotImplemented
    asked = classes if isinstance(classes, tuple) else (classes,)
    if any(cls.__module__.startswith(OURS) for cls in asked):  # which definitions of this library ask
        return issubclass(behind, asked) or issubclass(class_of(value) or behind, asked)
    if "__ccc_class__" in vars(behind):
        return NotImplemented
    bases: Any = getattr(behind, "__ccc_bases__", ())
    if callable(bases):  # of what lies in a store, what fields hold is not known
        bases = bases(value.fields if isinstance(value, RecordValue) else collections.defaultdict(lambda: None))
    if any(issubclass(base, asked) for base in bases or (behind,)):
        return True
    open_for = bases or tuple([cls for cls in asked if cls.__module__.partition(".")[0] in PACKAGES - {"numpy"}])
    return None if any(issubclass(cls, open_for) for cls in asked) else False


def issubclass_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    if args and isinstance(args[0], TypeValue):
        owner = args[0].owner
        return isinstance_(e, [owner, *args[1:]], kwargs, node, frame)
    if kwargs or len(args) != 2 or not isinstance(args[0], type):
        raise mismatch("CC027", "`issubclass` takes two classes", e.place(node, frame), help="give a class and a class")
    return issubclass(args[0], args[1])


def index(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`operator.index`: an integer as it is."""
    value = only_argument("index", args, kwargs, e.place(node, frame))
    found = class_looked_at(e, value)
    if found is None or not hasattr(found, "__index__"):
        raise mismatch("CC027", f"{described(value)} is no integer", e.place(node, frame), help="give an integer")
    return e.call(int, [value], {}, node, frame)


def callable_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`callable(x)`: of an object, whether its class says what a call of it is."""
    value = only_argument("callable", args, kwargs, e.place(node, frame))
    if sums.is_sum(value):
        return alternatives.asked_of_each(e, value, lambda x: callable_(e, [x], {}, node, frame), node, frame)
    if isinstance(value, (RecordValue, Node)):
        return presence.in_class(class_of(value) or value.cls, "__call__")
    return is_function(value)


def id_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`id(x)` of what stands in a store: a number that no other object has."""
    value = only_argument("id", args, kwargs, e.place(node, frame))
    if value is not None and alternatives.is_uncertain(e, value):
        again = lambda x: id_(e, [x], {}, node, frame)  # noqa: E731
        return alternatives.dispatch(e, value, again, alternatives.never, node, frame)
    found = -1 if value is None else stored.identity(value)
    if found is None:
        raise unsupported("CC003", "`id` of what is no object, list or dict of this function",
                          e.place(node, frame), help="compare with `is`")
    return found


def over_value(e: Elaboration, function: Any, over: Any, others: list[Any], node: ast.AST, frame: Frame) -> Any:
    from ccc.compile.frontend import comprehensions

    return comprehensions.over_value(e, function, over, others, {}, node, frame)


def any_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    over = only_argument("any", args, kwargs, e.place(node, frame))
    return over_value(e, builtins.any, over, [], node, frame)


def all_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    over = only_argument("all", args, kwargs, e.place(node, frame))
    return over_value(e, builtins.all, over, [], node, frame)


def list_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    if not args and not kwargs:
        return ListValue([])
    from ccc.compile.frontend import comprehensions

    return comprehensions.copied(e, only_argument("list", args, kwargs, e.place(node, frame)), node, frame)


def from_function(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`np.frompyfunc(function, nin, nout)`, whose results are arrays of numbers here, and of objects in NumPy."""
    function, count, results = taken("np.frompyfunc", args, kwargs, "func nin nout /", e.place(node, frame))
    if results != 1 or not isinstance(count, int):
        raise unsupported("CC003", "np.frompyfunc has a derivative for one result", e.place(node, frame),
                          help="make a function for each of them")
    from ccc.compile.frontend.numpy_functions import functional

    return records.partial(e, [functional.item_by_item, function], {}, node, frame)


def vectorize(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`np.vectorize(function)`."""
    names = "pyfunc otypes doc excluded cache signature"
    function, otypes, _, excluded, _, signature = taken(
        "np.vectorize", args, kwargs, names, e.place(node, frame), otypes=None, doc=None, excluded=None, cache=False,
        signature=None)
    if isinstance(otypes, ListValue):
        otypes = list(otypes.items)
    from ccc.compile.frontend.numpy_functions import functional

    chosen = np.vectorize(math.sin, otypes, None, signature=signature)  # which reads what is asked for
    out = None if otypes is None else tuple(vars(chosen)["otypes"])
    if signature is not None:
        cores = tuple([len(core) for core in chosen._in_and_out_core_dims[0]])  # type: ignore[attr-defined]
        return records.partial(e, [functional.by_signature, function, out, cores], {}, node, frame)
    fixed = () if excluded is None else tuple(excluded.items if isinstance(excluded, ListValue) else excluded)
    return records.partial(e, [functional.vectorized, function, out, fixed], {}, node, frame)


BUILTINS: dict[Any, Callable[..., Any]] = {
    builtins.range: range_,
    builtins.len: len_,
    builtins.tuple: tuple_,
    builtins.slice: slice_,
    operator.index: index,
    **{function: of_dtypes(function) for function in (
        np.iscomplexobj, np.isrealobj, np.issubdtype, np.isdtype, np.result_type, np.promote_types, np.can_cast,
        np.common_type, np.isscalar,
    )},
    np.finfo: limits,
    np.iinfo: limits,
    builtins.isinstance: isinstance_,
    builtins.issubclass: issubclass_,
    builtins.print: deferred(effects, "print_"), warnings.warn: deferred(effects, "warn_"),
    builtins.list: list_,
    builtins.any: any_,
    builtins.all: all_,
    builtins.callable: callable_,
    builtins.id: id_,
    builtins.dict: deferred(dict_making, "dict_of"),
    builtins.dict.fromkeys: deferred(dict_making, "from_keys"),
    builtins.set: deferred(known_sets, "set_of"),
    builtins.frozenset: deferred(known_sets, "frozen_set_of"),
    collections.defaultdict: deferred(dict_making, "default_dict"),
    collections.Counter: deferred(dict_making, "counter"),
    builtins.super: supers.super_,
    dataclasses.replace: deferred(record_making, "replaced"),
    functools.partial: records.partial,
    object.__setattr__: records.set_attribute,
    builtins.str: texts.of_values("s"),
    builtins.repr: texts.of_values("r"),
    builtins.ascii: texts.of_values("a"),
    builtins.format: texts.of_values(""),
    builtins.bin: texts.in_base(bin, "#b"),
    builtins.oct: texts.in_base(oct, "#o"),
    builtins.hex: texts.in_base(hex, "#x"),
    np.vectorize: vectorize, np.frompyfunc: from_function,
    **refused_builtins.HANDLERS,
}
