"""Calls: user functions are inlined, nested functions are λs applied, library functions are primitives."""

from __future__ import annotations

import ast
import enum
import functools
import types
import typing
from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.diagnostics import CompileError, mismatch
from ccc.compile.frontend import (
    alternatives,
    branches,
    closures,
    cursors,
    custom,
    effects,
    frozen,
    function_values,
    known_objects,
    numpy_arguments,
    numpy_functions,
    outside_calls,
    protocols,
    python_functions,
    record_making,
    records,
    sums,
    texts,
    ufunc_options,
    wrapped_calls,
)
from ccc.compile.frontend.builtin import class_looked_at, folded
from ccc.compile.frontend.comparing import constant_value
from ccc.compile.frontend.complex_values import are_complex, is_complex
from ccc.compile.frontend.definitions import by_definition, defined, definition_of, of_ufunc, sequence
from ccc.compile.frontend.describing import as_array, described, is_array_of_others
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.functional import attribute_of, cached, called_object
from ccc.compile.frontend.generators import KEPT, site_of
from ccc.compile.frontend.iterables import known_items
from ccc.compile.frontend.iterator_values import IteratorValue, is_in_turn
from ccc.compile.frontend.known_functions import (
    COPIERS,
    LIBRARY,
    OPERATORS,
    copying,
    draws,
    frame_of,
    is_read,
    kept_as_they_are,
    kept_by_users,
    read_for,
)
from ccc.compile.frontend.library_calls import adapted, as_method, is_of_numpy
from ccc.compile.frontend.memory.interface import array_writers, lists, stored
from ccc.compile.frontend.numpy_functions import table
from ccc.compile.frontend.parts import class_attribute, is_method
from ccc.compile.frontend.unread_calls import differing, full_name, instead_of, is_of_libraries, no_rule
from ccc.compile.frontend.unrepeatable import is_maker, source_and_method, unrepeatable
from ccc.compile.frontend.user_calls import call_method_of_sum, call_one_of, call_user
from ccc.compile.frontend.values import (
    ChoiceValue,
    ClosureValue,
    Frame,
    LinearValue,
    MethodValue,
    RecordValue,
    SumMethod,
    is_drawn,
    is_function,
    number_chosen,
    variables_in,
)
from ccc.compile.program.lam import Node, Var
from ccc.objects import Array, Bool, Exponential, Int, List, Real, Record, Text
from ccc.primitives import complexes, registry
from ccc.primitives.arguments import Left
from ccc.primitives.frozen import FROZEN
from ccc.primitives.primitive import Primitive

OF_CLASSES = (types.MethodDescriptorType, types.WrapperDescriptorType)
UNCALLABLE = "'{}' object is not callable"
"""What Python says of what is no function."""


def call(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of calling any value."""
    if isinstance(function, ClosureValue):
        return closures.call_closure(e, function, args, kwargs, node, frame)
    if isinstance(function, ChoiceValue):
        assert frame is not None  # one of two functions is met in an activation
        then, orelse = [lambda f=f: call(e, f, args, kwargs, node, frame) for f in (function.then, function.orelse)]
        known = sums.holds(e, function.test)
        if known is not None:
            return then() if known else orelse()
        return e.attempts.divided(function.test, lambda: branches.either(e, function.test, then, orelse, node, frame))
    if isinstance(function, MethodValue) and is_drawn(function.owner):
        return draws().called(e, function.owner, function.name, args, kwargs, node, frame)
    if isinstance(function, MethodValue) and is_complex(function.owner):
        return call(e, function.method, [function.owner, *args], kwargs, node, frame)
    args, kwargs = numpy_arguments.of_method(function, args, kwargs)
    if isinstance(function, MethodValue) and kwargs.get("out") is not None:
        found = call(e, function, args, {k: v for k, v in kwargs.items() if k != "out"}, node, frame)
        return ufunc_options.into(e, function, [function.owner, *args], kwargs["out"], found, node, frame)
    if isinstance(function, SumMethod):
        assert frame is not None
        return call_method_of_sum(e, function, args, kwargs, node, frame)
    if isinstance(function, Var) and sums.is_sum(function):
        assert frame is not None
        return call_one_of(e, function, args, kwargs, node, frame)
    if isinstance(function, MethodValue) and are_complex(function, [*args, *kwargs.values()]):
        from ccc.compile.frontend import complex_numbers

        found = complex_numbers.widened(e, function, None, args, kwargs, node, frame)
        if found is not NotImplemented:
            return found
    if isinstance(function, MethodValue) and definition_of(function.method) is not None:
        return by_definition(e, function.method, [function.owner, *args], kwargs, node, frame)  # type: ignore[arg-type]
    if isinstance(function, MethodValue):
        return adapted(e, function.method, [function.owner, *args], kwargs, f".{function.name}", node, frame,
                       function=functools.partial(as_method, function.name))
    if isinstance(function, LinearValue):
        return function_values.linear(e, function, args, kwargs, node, frame)
    if isinstance(function, (RecordValue, Node)):
        return records.call_record(e, function, args, kwargs, node, frame)
    if isinstance(function, Var) and isinstance(function.object, Exponential) and not kwargs:
        return function_values.apply_variable(e, function, args, node, frame)
    if isinstance(function, Var):
        e.attempts.lacks(function, UNCALLABLE)
        raise mismatch("CC022", f"{described(function)} cannot be called", e.place(node, frame), help="call a function")
    return call_known(e, function, args, kwargs, node, frame)


def before_rules(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of a function that says itself how it is called, whatever its arguments are: of one with a rule of the
    user's, a draw, a copy, a class; NotImplemented for others."""
    if frame is not None and (KEPT, site_of(node, frame)) in e.in_turn:
        found = cursors.from_the_beginning(e, function, args, kwargs, node, frame, call_user)
        if found is not NotImplemented:
            return found
    if is_of_numpy(function):
        refuse_arrays_of_others(e, function, args, node, frame)
        if (found := known_objects.of_nones(e, function, args, kwargs)) is not NotImplemented:
            return found
    rule = custom.rule_of(e, function)
    if rule is not None:
        return custom.custom(e, function, rule, values(e, args, kwargs, node, frame), node, frame)
    if is_maker(function):
        return draws().made(e, function, args, kwargs, node, frame)
    drawn = source_and_method(function)
    if drawn is not None:
        return draws().called(e, draws().source_of(e, drawn[0], node, frame), drawn[1], args, kwargs, node, frame)
    if outside_calls.is_clock(function) and not args and not kwargs:
        return outside_calls.read_clock(e, function)
    if unrepeatable(function):
        raise differing(e, function, node, frame)
    if frame is not None and isinstance(function, types.FunctionType) and function.__module__ in COPIERS:
        found = copying().copied(e, function, args, kwargs, node, frame)
        if found is not NotImplemented:
            return found
    instead = read_for(e, function, args)
    if instead is not None and not (frame is not None and frame.of_library):
        make = record_making.make if isinstance(instead, type) else call
        return make(e, instead, args, kwargs, node, frame)
    if isinstance(function, enum.EnumType) and len(args) == 1 and not kwargs and constant_value(args[0]):
        return member(e, function, lambda: function(args[0]), node, frame)
    if isinstance(function, enum.EnumType) and len(args) == 1 and not kwargs and frame is not None:
        return defined(e, "member_with", [args[0], tuple(function), function.__qualname__], node, frame)
    return NotImplemented if e.stores is None else through(e, function, args, kwargs, node, frame)


def refuse_arrays_of_others(
    e: Elaboration, function: Any, args: list[Any], node: ast.AST, frame: Frame | None
) -> None:
    """Refuse arrays and tables of another library: functions of NumPy's ask their methods, which are not NumPy's."""
    for i, value in enumerate(args):
        if is_array_of_others(value):
            inside = node.args[i] if isinstance(node, ast.Call) and i < len(node.args) else node
            raise mismatch("CC027", f"a function of NumPy's met {described(value)}", e.place(node, frame),
                           help=as_array(value, inside))


def may_be_complex(e: Elaboration, value: Any) -> bool:
    """True for what is a real number or array, or a complex one."""
    found = list(sums.left(e, value).values()) if sums.is_sum(value) else []
    others = [a for a in found if not (isinstance(a, Record) and a.cls is complexes.Complex)]
    return len(others) < len(found) and all(isinstance(a, (Real, Int, Bool, Array)) for a in others)


def call_known(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of calling a Python function object."""
    found = before_rules(e, function, args, kwargs, node, frame)
    found = known_objects.of_call(e, function, args, kwargs) if found is NotImplemented else found
    if found is not NotImplemented:
        return found
    args = numpy_arguments.from_sequences(e, function, args, node, frame)
    if isinstance(function, (types.BuiltinFunctionType, type, types.FunctionType, types.WrapperDescriptorType)):
        found, args = as_python(e, function, args, kwargs, node, frame)
        if found is not NotImplemented:
            return found
    if isinstance(function, type(np.copyto)) and function in LIBRARY:
        return LIBRARY[function](e, args, kwargs, node, frame)
    if frame is not None and (found := called_object(e, function, args, kwargs, node, frame)) is not NotImplemented:
        return found
    if (writer := array_writers.writer(function)) is not None:
        return ufunc_options.into_parts(e, function, writer, args, kwargs, node, frame)
    if "device" in kwargs and is_of_numpy(function):
        kwargs = ufunc_options.on_device(function, kwargs, e.place(node, frame))
    args, kwargs = numpy_arguments.as_declared(function, args, kwargs)
    if isinstance(function, np.ufunc) and kwargs.keys() & ufunc_options.NAMES:
        return ufunc_options.with_options(e, function, args, kwargs, node, frame)
    i = next((i for i, a in enumerate(args) if may_be_complex(e, a)), None)
    if i is not None and frame is not None:  # `sum` of complex numbers begins at 0
        use = lambda a: call_known(e, function, [*args[:i], a, *args[i + 1:]], kwargs, node, frame)  # noqa: E731
        return alternatives.dispatch(e, args[i], use, alternatives.never, node, frame)
    adaptor = function if isinstance(function, Primitive) else registry.find(function)
    if kwargs.get("out") is not None and (adaptor or of_ufunc(function) or definition_of(function)) is not None:
        found = call_known(e, function, args, {k: v for k, v in kwargs.items() if k != "out"}, node, frame)
        return ufunc_options.into(e, function, args, kwargs["out"], found, node, frame)
    args = [sums.narrowed(e, a) if sums.is_sum(a) else a for a in args]
    i = next((i for i, a in enumerate(args) if alternatives.may_be_none(e, a)), None)
    if i is not None and frame is not None and (adaptor is not None or is_of_numpy(function)):
        use = lambda a: call_known(e, function, [*args[:i], a, *args[i + 1:]], kwargs, node, frame)  # noqa: E731
        fails = alternatives.without_rule(function, args, i, kwargs)
        if fails(None) is not None:
            return alternatives.dispatch(e, args[i], use, fails, node, frame)
    if are_complex(function, [*args, *kwargs.values()]):
        from ccc.compile.frontend import complex_numbers

        found = complex_numbers.called(e, function, adaptor, args, kwargs, node, frame)
        if found is not NotImplemented:
            return found
    if kwargs and has_places(function, adaptor):
        args, kwargs = frozen.by_place(function, args, kwargs)
    if frame is not None and (each := table.over_stack(function, args, kwargs, rank_of)) is not None:
        return by_definition(e, each, args, kwargs, node, frame)
    if adaptor is not None:
        return by_rule(e, function, adaptor, args, kwargs, node, frame)
    if registry.is_holder(function) and (cls := FROZEN.get(function)) is not None:
        return frozen.made(cls, args, kwargs)
    if (found := of_ufunc(function)) is not None and frame is not None:
        instead, first, named = found
        axis = {} if len(args) > 1 else named
        return call_known(e, instead, [*first, *args], axis | kwargs, node, frame)
    definition, here = definition_of(function), frame or frame_of(function)
    if definition is not None and here is not None:
        return by_definition(e, definition, args, kwargs, node, here)
    return call_plain(e, function, args, kwargs, node, frame)


def has_places(function: Any, adaptor: Any) -> bool:
    """Whether what stands for a function knows its arguments by their places alone."""
    if isinstance(adaptor, Primitive):
        return not isinstance(function, np.ufunc)
    return isinstance(function, types.MethodType) and registry.is_holder(function.__self__)


def rank_of(x: Any) -> int:
    """How many axes an argument has; those of a list are none."""
    x = x.fields["real"] if isinstance(x, RecordValue) and x.cls is complexes.Complex else x
    axes = x.object.axes if isinstance(x, Var) and isinstance(x.object, Array) else None
    return np.ndim(x) if isinstance(x, np.ndarray) else len(axes or ())


def as_python(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> tuple[Any, list[Any]]:
    """The result of a function as what Python does with it: asks a method of a class, goes along an iterator, folds;
    NotImplemented for others, and the arguments as they are after that."""
    if python_functions.of(function).asks == "numbers" or function in (range, pow):
        args = [number_chosen(a) for a in args]
    found = protocols.as_method(e, function, args, kwargs, node, frame)
    if found is not NotImplemented:
        return found, args
    args = protocols.arguments(e, function, args, kwargs, node, frame)
    if frame is not None and any(isinstance(a, IteratorValue) for a in args):
        from ccc.compile.frontend.iterated import side_by_side, take_turns

        whole = protocols.taken_whole(function, args)
        take_turns(e, whole, node, frame)
        if whole and not python_functions.of(function).iterating and any(map(is_in_turn, side_by_side(whole[0]))):
            args = [e.call(list, whole, {}, node, frame), *args[1:]]
    args, found = cursors.given(e, function, args, kwargs, node, frame)
    if found is not NotImplemented:
        return found, args
    if any(map(is_in_turn, args)):
        from ccc.compile.frontend import pushing

        found = pushing.through(e, function, args, kwargs, node, frame)
        if found is not NotImplemented:
            return found, args
    builtin = LIBRARY.get(function)
    if builtin is not None:
        return builtin(e, args, kwargs, node, frame), args
    found = folded(e, function, args, kwargs)
    if found is not NotImplemented:
        return found, args
    found = method_of_text(e, function, args, kwargs, node, frame)
    return NotImplemented if found is None else found, args


def member(
    e: Elaboration, cls: enum.EnumType, found: Callable[[], Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The member of an enumeration for a value or name that is known."""
    try:
        return found()
    except (ValueError, KeyError) as error:
        e.attempts.met(error)
        raise mismatch("CC027", f"{type(error).__name__}: {error}", e.place(node, frame),
                       help=f"give one of {', '.join([repr(m.value) for m in cls])}") from error  # type: ignore[attr-defined]


def through(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of a call where there are stores: what is read here is given references, what is a library's own is
    given what they lead to. `NotImplemented` where no reference is given."""
    if is_read(function) or not any(map(stored.holds_reference, [*args, *kwargs.values()])):
        return NotImplemented
    if hasattr(function, "__ccc_same__"):
        from ccc.compile.frontend.memory.interface import places

        raise places.refused(e, "what stands in a store is given to what gives it back", node, frame)
    hashable = type(function).__hash__ is not None
    found = protocols.as_method(e, function, args, kwargs, node, frame) if hashable else NotImplemented
    if found is not NotImplemented:
        return found
    if hashable and function in LIBRARY:
        if python_functions.of(function).shows:
            return LIBRARY[function](e, *values(e, args, kwargs, node, frame), node, frame)
        if function is iter and frame is not None and kept_by_users(args, frame):
            return cursors.begun(e, args[0], node, frame)
        args = protocols.arguments(e, function, args, kwargs, node, frame)
        args, found = cursors.given(e, function, args, kwargs, node, frame)
        if found is not NotImplemented:
            return found
        args = [a if kept_as_they_are(function, a) else stored.shown(e, a) for a in args]
        kwargs = {name: stored.shown(e, a) for name, a in kwargs.items()}
        return LIBRARY[function](e, args, kwargs, node, frame)
    return call_known(e, function, *values(e, args, kwargs, node, frame), node, frame)


def values(
    e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> tuple[list[Any], dict[str, Any]]:
    """Arguments without references: what they lead to stands in their place."""
    return ([stored.whole(e, a, node, frame) for a in args],
            {name: stored.whole(e, a, node, frame) for name, a in kwargs.items()})


def by_rule(
    e: Elaboration, function: Any, adaptor: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None,
) -> Any:
    """The result of a function that primitives stand for; `out` is written into."""
    numpys = isinstance(adaptor, Primitive) and is_of_numpy(function)
    operators = isinstance(adaptor, Primitive) and registry.is_operator(adaptor) and any(
        isinstance(a, Var) and isinstance(a.object, Array) for a in args)
    arrays = numpys or operators or isinstance(function, np.ufunc)
    if not arrays and (getattr(function, "__module__", None) or "").startswith("scipy.special"):
        args = [e.call(np.asarray, [x], {}, node, frame) if lists.is_list(x) else x for x in args]
    try:
        return adapted(e, adaptor, args, kwargs, getattr(function, "__name__", "function"), node, frame, arrays,
                       function if is_of_numpy(function) else None)
    except Left:
        definition = numpy_functions.left_by_adaptor(function)
        if definition is None or frame is None:
            raise
        return by_definition(e, definition, args, kwargs, node, frame)
    except (TypeError, CompileError):  # of what has no rule, and is a constant
        found = made_of_known(e, function, args, kwargs, node)
        if found is NotImplemented:
            raise
        return found


def call_plain(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of what is written in Python, by reading it."""
    operator_ = OPERATORS.get(function) if isinstance(function, types.FunctionType) else None
    if operator_ is not None:
        return operator_(*args, **kwargs)
    if isinstance(function, types.MethodType) and is_method(function.__func__):
        return call(e, function.__func__, [function.__self__, *args], kwargs, node, frame)  # type: ignore[arg-type]
    if isinstance(function, types.MethodWrapperType) and function.__name__ == "__get__" and args:
        return e.call(functools.partial, [function.__self__, args[0]], {}, node, frame)  # `setter.__get__(x)` of attrs
    if full_name(function).startswith("numpy.ma."):
        raise no_rule(e, function, args, node, frame)
    if (found := made_of_known(e, function, args, kwargs, node)) is not NotImplemented:
        return found
    inline = getattr(function, "__ccc_inline__", None)
    if inline is not None and not isinstance(function, type):
        return inline(e, args, kwargs, node, frame)
    if outside_calls.looks_up(function, args, kwargs):
        return function(*args, **kwargs)
    if frame is not None and outside_calls.is_unused(node, frame) and outside_calls.is_foreign(function) and not (
            outside_calls.is_inherited(function, args)):
        return outside_calls.call(e, function, args, kwargs, node, frame)
    if isinstance(function, types.FunctionType):
        return call_function(e, function, args, kwargs, node, frame)
    if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
        return wrapped_calls.call_bound(e, function, args, kwargs, node, frame)
    if isinstance(function, functools.partial):
        given, named = wrapped_calls.given_by_partial(e, function, node, frame)
        return call(e, function.func, [*given, *args], {**named, **kwargs}, node, frame)  # type: ignore[arg-type]
    if isinstance(function, type) and records.is_exponential(function) and not any(map(variables_in, args)):
        return function(*args, **kwargs)
    if isinstance(function, enum.Enum) and isinstance(method := class_attribute(type(function), "__call__"),
                                                      types.FunctionType):
        return call(e, types.MethodType(method, function), args, kwargs, node, frame)
    if isinstance(origin := typing.get_origin(function), type):  # `Stack[float](...)`
        return call(e, origin, args, kwargs, node, frame)
    if record_making.can_make(function):
        return record_making.make(e, function, args, kwargs, node, frame)  # type: ignore[arg-type]
    if isinstance(function, type) and issubclass(function, BaseException) and not kwargs and frame is not None:
        return effects.made(e, function, args, node, frame)
    if not isinstance(function, type) and (stands := frozen.from_outside(e, function, node, frame)) is not None:
        return call(e, stands, args, kwargs, node, frame)  # type: ignore[arg-type]
    if isinstance(class_attribute(type(function), "__call__"), types.FunctionType) and records.is_record(function):
        name = str(type(function).__name__)
        instance = e.read(name, (id(function), "self"), function, e.reader(function), node, frame)
        return call(e, instance, args, kwargs, node, frame)  # type: ignore[arg-type]
    if isinstance(function, functools._lru_cache_wrapper):
        return cached(e, function, args, kwargs, node, frame)
    if type(function) is np.vectorize and frame is not None:
        return wrapped_calls.call_vectorized(e, function, args, kwargs, node, frame)  # type: ignore[arg-type]
    if isinstance(function, OF_CLASSES) and frame is not None and is_of(e, function, args):
        owner = call(e, float, args[:1], {}, node, frame) if function.__objclass__ is float else args[0]
        others = args[1:]  # `str.strip(text)`, as `map(str.strip, texts)` calls it
        return call(e, attribute_of(e, owner, function.__name__, node, frame), others, kwargs, node, frame)
    if not is_function(function):
        e.attempts.lacks(function, UNCALLABLE, "__call__")
        raise mismatch("CC022", f"{described(function)} cannot be called", e.place(node, frame), help="call a function")
    raise no_rule(e, function, args, node, frame)


def made_of_known(e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST) -> Any:
    """What a library's function gives for values that are known, or the class that it makes; else `NotImplemented`."""
    if is_of_libraries(function):
        from ccc.compile.frontend import known_calls

        if (found := known_calls.of_known(e, function, args, kwargs)) is not NotImplemented:
            return found
    if outside_calls.makes_class(function):
        from ccc.compile.frontend import local_classes

        return local_classes.of_known(e, function, args, kwargs, node)
    return NotImplemented


def is_of(e: Elaboration, method: Any, args: list[Any]) -> bool:
    """Whether a method of a class of Python's or NumPy's is called with an object of that class."""
    found = class_looked_at(e, args[0]) if args else None
    return found is not None and issubclass(found, method.__objclass__)


def call_function(
    e: Elaboration, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None,
) -> Any:
    """The result of a function, by reading it."""
    if hasattr(function, "__wrapped__") and function.__code__ is wrapped_calls.DECORATED:
        return wrapped_calls.under_modes(e, function, args, kwargs, node, frame)
    if instead_of(function) is not None:
        raise no_rule(e, function, args, node, frame)
    return call_user(e, function, args, kwargs, node, frame)


def method_of_text(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """What a method of a known text gives for texts with values in them; None for others."""
    owner = getattr(function, "__self__", None)
    if not isinstance(owner, str) or frame is None:
        return None
    joins = function.__name__ == "join" and len(args) == 1
    over = e.handlers.iterated(e, args[0], node, frame) if joins else None
    known = known_items(over)
    found = texts.by_method(e, owner, function.__name__, args if known is None else [(*known,)], kwargs, node, frame)
    if found is None and joins:
        items = sequence(e, over, node, frame)
        if isinstance(items, Var) and isinstance(items.object, List) and isinstance(items.object.item, Text):
            return defined(e, "joined", [owner, items], node, frame)
    return found
