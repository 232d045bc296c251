"""Statements that have an effect: `assert`, `raise` and `print`, and the texts that values make."""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

from ccc.compile.diagnostics import mismatch, unsupported
from ccc.compile.frontend.attempts import ARGS, MADE_OF, is_exception
from ccc.compile.frontend.describing import is_column, of_columns
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.forms import Mixed, form_of
from ccc.compile.frontend.interrupts import Ends, Raised
from ccc.compile.frontend.iterator_values import SpreadValue
from ccc.compile.frontend.names import located
from ccc.compile.frontend.parts import class_defines, items_in
from ccc.compile.frontend.reals import objects_of
from ccc.compile.frontend.stores import holds_reference
from ccc.compile.frontend.values import (
    TOLD,
    Frame,
    ListValue,
    RecordValue,
    TextValue,
    TypeValue,
    View,
    is_function,
    told_by,
)
from ccc.compile.frontend.viewed_dicts import iterated_view
from ccc.compile.program.lam import Apply, Let, Var, lets_in
from ccc.compile.program.sharing import mutable
from ccc.handed_out import Form
from ccc.objects import Array, Bool, Exponential, Int, List, Object, Product, Real, Text
from ccc.primitives import classes, effects, failures
from ccc.primitives.primitive import sample


def piece(
    e: Elaboration, conversion: str, spec: str, value: Any, node: ast.AST, frame: Frame
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The form and the values of a text that a value makes."""
    if leads_back(value):
        value, conversion = e.handlers.to_show(e, conversion, spec, value, node, frame)
    if conversion == "r" and (text := told_by(value)) is not None:
        conversion, value = "", e.always(failures.represented, (text,))
    value = shown_class(e, value)
    plain = not spec or (conversion == "%" and spec in ("s", "r"))
    if plain and (text := of_view(e, value, node, frame)) is not None:
        return text
    if is_exception(value) and conversion in ("", "s", "%"):
        value = message(e, value, node, frame)
    if is_exception(value) and conversion == "r" and class_defines(value.cls, "__repr__"):
        value, conversion = e.call(types.MethodType(value.cls.__repr__, value), [], {}, node, frame), ""
    if is_exception(value) and ARGS in value.fields and conversion == "r":
        parts = [piece(e, "r", "", a, node, frame) for a in value.fields[ARGS]]
        form = [p for i, (found, _) in enumerate(parts) for p in ((", ",) if i else ()) + found]
        return (f"{value.cls.__name__}(", *form, ")"), tuple([v for _, values in parts for v in values])
    if isinstance(value, str) and spec in ("", "s") and conversion in ("", "s"):
        return (value,), ()
    if isinstance(value, TextValue) and conversion in ("", "s", "%") and spec in ("", "s"):
        return value.form, value.values
    if isinstance(value, TextValue):
        value = e.always(effects.text, value.values, form=value.form)
    if is_known(value):
        return (taken(e, conversion, spec, value, node, frame),), ()
    found = shown(e, value, node, frame)
    a = objects_of(found)
    if spec and samples(a):
        taken(e, conversion, spec, sample(a), node, frame)
    form = ((conversion, spec),)
    if isinstance(found, Var) and mutable(found.object):  # which may change before the text is read
        return (("", ""),), (e.always(effects.text, (found,), form=form),)
    e.attempts.ask(effects.text, (found,), form=form)
    return form, (found,)


def to_show(
    e: Elaboration, conversion: str, spec: Any, value: Any, node: ast.AST, frame: Frame
) -> tuple[Any, str]:
    """What a value gives to what shows it, without references, and the conversion that is left."""
    if holds_reference(value) or leads_back(value):
        return e.handlers.to_show(e, conversion, spec, value, node, frame)
    return value, conversion


def of_view(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """The form and the values of the text of the keys, values or items of a dict; None for what is none of these."""
    found = iterated_view(e, value)
    if found is None:
        return None
    owner, kind = found
    items = ListValue([*value]) if isinstance(value, View) else e.call(list, [value], {}, node, frame)
    form, values = piece(e, "r", "", items, node, frame)
    return (f"{type(getattr(owner.cls(), kind)()).__name__}(", *form, ")"), values


def message(e: Elaboration, value: RecordValue, node: ast.AST, frame: Frame) -> Any:
    """What an exception says: its one argument, or the tuple of them; what its class says of itself."""
    if TOLD in value.fields:
        return e.always(failures.told, (value.fields[TOLD],))
    if class_defines(value.cls, "__str__"):
        return e.call(types.MethodType(value.cls.__str__, value), [], {}, node, frame)
    args = value.fields[ARGS]
    says: Any = next(base for base in value.cls.__mro__ if "__str__" in vars(base))  # which is one of Python's
    if says is not BaseException and all(map(is_known, args)):
        return str(says(*args))
    if says not in (BaseException, KeyError):
        raise unsupported("CC003", f"what `{value.cls.__name__}` says of values is not known", e.span(node, frame),
                          help="make it of one known text, or raise `ValueError(...)`")
    if says is KeyError and len(args) == 1:
        return TextValue(*piece(e, "r", "", args[0], node, frame))
    return "" if not args else args[0] if len(args) == 1 else args


def shown_class(e: Elaboration, value: Any) -> Any:
    """The text of the class of what an operation raised; any other value as it is."""
    if isinstance(value, TypeValue) and isinstance(value.owner, Var) and isinstance(value.owner.object, (Int, Real)):
        return e.always(classes.class_named, (value.owner,), name="__repr__")
    text = told_by(value.owner) if isinstance(value, TypeValue) else None
    return value if text is None else e.always(failures.class_told, (text,), name="__repr__")


def taken(e: Elaboration, conversion: str, spec: str, value: Any, node: ast.AST, frame: Frame) -> str:
    """The text of a value, whose type may not take the format."""
    try:
        return effects.formatted(((conversion, spec),), [value])
    except (TypeError, ValueError) as error:
        if e.recorder.surely_runs():
            raise mismatch("CC027", f"{type(error).__name__}: {error}", e.span(node, frame),
                           help="write a format that its type takes") from error
        fail_with(e, type(error), str(error), node, frame)


def samples(a: Object) -> bool:
    """Whether formats say of one sample of an object what they say of all its values."""
    if isinstance(a, Array):
        return a.axes is not None
    return isinstance(a, (Bool, Int, Real, List)) or type(a) is Product


def is_known(value: Any) -> bool:
    """True for numbers, texts and tuples that are known while compiling."""
    if isinstance(value, tuple):
        return all(map(is_known, value))
    return isinstance(value, int | float | str | type | None)


def form_shown(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Form:
    """The form of a list or dict of the program in which there are tuples whose length is not known."""
    if is_column(e, value):
        return tuple, None
    try:
        return (list, (tuple, None)) if of_columns(e, value) else form_of(e, value)
    except Mixed:
        raise unsupported("CC003", "what is a tuple and what is a list are items of one list that is shown",
                          e.span(node, frame), help="let them be of one class: `list(...)`") from None


def shown(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """A value as one atom whose text is that of the value in plain Python."""
    refused = isinstance(value, Var) and isinstance(value.object, Exponential)
    refused = refused or is_exception(value) or isinstance(value, (TextValue, TypeValue))
    if refused or (is_function(value) and not isinstance(value, type)):
        raise unsupported("CC003", "this value cannot be shown as a text", e.span(node, frame),
                          help="show numbers, arrays, lists and tuples")
    form = form_shown(e, value, node, frame)
    if form is not None:
        return e.always(effects.as_tuple, (value,), form=form)
    if isinstance(value, ListValue) and any(is_column(e, x) for x in value.items):
        value = ListValue([shown(e, x, node, frame) if is_column(e, x) else x for x in value.items])
    if isinstance(value, ListValue) and not is_of_one_kind(value):
        items = tuple([shown(e, x, node, frame) for x in value.items])
        return e.always(effects.as_list, (e.leaf(items, node, frame),))
    if type(value) is tuple and (e.columns or e.transposed):
        value = tuple([shown(e, x, node, frame) if isinstance(x, (Var, RecordValue, ListValue, tuple)) else x
                       for x in value])
    found = e.leaf(value, node, frame)
    if isinstance(found, ListValue):
        return []
    form = None if found is value else form_shown(e, found, node, frame)
    return found if form is None else e.always(effects.as_tuple, (found,), form=form)


def leads_back(x: Any, around: tuple[Any, ...] = (), done: set[int] | None = None) -> bool:
    """Whether a list, dict or object that is known is among its parts, or theirs; `around` are those in which it
    stands."""
    if any(x is one for one in around):
        return True
    done, items = set() if done is None else done, items_in(x)
    if not items or id(x) in done:
        return False
    done.add(id(x))
    return any(leads_back(part, (*around, x), done) for part in items)


def is_of_one_kind(value: ListValue) -> bool:
    """Whether the items of a list are shown alike where they are made those of a list of the program."""
    kinds = {x.object if isinstance(x, Var) else type(x) for x in value.items}
    return len(kinds) <= 1 and not kinds & {ListValue, tuple}


def arguments(e: Elaboration, values: list[Any], node: ast.AST, frame: Frame) -> tuple[tuple[Any, ...], list[Any]]:
    """The forms of the arguments of a call that shows them, and their values."""
    forms: list[Any] = []
    found: list[Any] = []
    for value in values:
        value = e.handlers.to_show(e, "s", "", value, node, frame)[0] if leads_back(value) else value
        value = message(e, value, node, frame) if is_exception(value) else shown_class(e, value)
        text = of_view(e, value, node, frame)
        value = value if text is None else TextValue(*text)
        if isinstance(value, SpreadValue):
            forms.append(effects.SPREAD)
            found.append(value.items)
        elif isinstance(value, TextValue):
            forms.append(value.form)
            found += value.values
        elif isinstance(value, str):
            forms.append((value,))
        else:
            forms.append(None)
            found.append(value if is_known(value) and not isinstance(value, tuple) else shown(e, value, node, frame))
    return tuple(forms), found


def print_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    names = [name for name in ("stdout", "stderr") if "file" in kwargs and kwargs["file"] is getattr(sys, name)]
    kwargs = {**kwargs, "file": names[0]} if names else kwargs
    known = all(isinstance(v, str | bool | None) for v in kwargs.values())
    if set(kwargs) - {"sep", "end", "flush", "file"} or not known:
        raise unsupported("CC003", "`print` with these arguments is not supported", e.place(node, frame),
                          help="print to the standard output or error, with a separator and an end that are known")
    forms, values = arguments(e, args, node, frame)
    e.always(effects.show, tuple(values), forms=forms, options=tuple(kwargs.items()))


def warn_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    """`warnings.warn(message, category, stacklevel)`, where it stands or where the function around it was called."""
    given = dict(zip(("message", "category", "stacklevel"), args, strict=False)) | kwargs
    kind, level = given.get("category"), given.get("stacklevel", 1)
    says = given.get("message")
    text = isinstance(says, (str, TextValue)) or isinstance(getattr(says, "object", None), Text)
    fits = kind is None or (isinstance(kind, type) and issubclass(kind, Warning))
    if set(given) - {"message", "category", "stacklevel"} or not text or not fits or type(level) is not int:
        raise unsupported("CC003", "`warnings.warn` with these arguments is not supported", e.place(node, frame),
                          help="give a text and a class of warnings that is known")
    where, around = node, frame
    while level > 1 and around.caller is not None and around.caller[1] is not None:
        (where, around), level = around.caller, level - 1
    forms, values = arguments(e, [says], node, frame)
    place = e.span(where, around)
    module = around.function.__globals__.get("__name__", "")
    e.always(effects.warn, (kind or UserWarning, *values), forms=forms, place=(place.file, place.line), module=module)


def raised(
    e: Elaboration, node: ast.expr, frame: Frame, named: bool = True
) -> tuple[Any, list[Any], tuple[str, ...]]:
    """The class and the arguments of the exception that is raised, and the names of the last of these, if they may be
    `named`."""
    args: list[Any] = []
    names: tuple[str, ...] = ()
    kind = node
    if isinstance(node, ast.Call) and not is_class(e, node.func, frame):
        return of_an_exception(e, e.expression(node, frame), node, frame), args, names
    if isinstance(node, ast.Call) and is_given_singly(node) and (named or not node.keywords):
        kind = node.func
        args = [e.expression(a, frame) for a in [*node.args, *[k.value for k in node.keywords]]]
        names = tuple([k.arg for k in node.keywords if k.arg is not None])
    found = e.expression(kind, frame) if isinstance(kind, (ast.Name, ast.Attribute, ast.Constant)) else None
    if is_exception(found) and kind is node:
        return found, args, names
    return of_an_exception(e, found, node, frame), args, names


def is_class(e: Elaboration, node: ast.expr, frame: Frame) -> bool:
    """Whether a name or attribute stands for a class."""
    return isinstance(node, (ast.Name, ast.Attribute)) and isinstance(e.expression(node, frame), type)


def of_an_exception(e: Elaboration, value: Any, node: ast.expr, frame: Frame) -> Any:
    """A value, which is an exception or a class of exceptions; of another one, a refusal."""
    if not is_exception(value) and not (isinstance(value, type) and issubclass(value, BaseException)):
        raise unsupported("CC003", "only an exception of a known class can be raised", e.span(node, frame),
                          help=raised_instead(node))
    return value


def is_given_singly(node: ast.Call) -> bool:
    """Whether a call spreads no sequence and no dict."""
    return all(k.arg is not None for k in node.keywords) and not any(isinstance(a, ast.Starred) for a in node.args)


def raised_instead(node: ast.expr) -> str:
    """How to write what is raised by an expression that is no call of a class."""
    if isinstance(node, ast.IfExp):
        return "raise each in a branch of its own: `if ...: raise ...`"
    if isinstance(node, ast.Call) and (node.keywords or not is_given_singly(node)):
        return "give the arguments one by one, without names: `raise ValueError(a, b)`"
    return "write `raise ValueError(...)`"


def raise_(e: Elaboration, node: ast.Raise, frame: Frame) -> None:
    if node.exc is None:
        if not e.attempts.handling:
            raise unsupported("CC003", "only `raise` of a new exception is supported", e.span(node, frame),
                              help="write `raise ValueError(...)`")
        raise_value(e, *e.attempts.handling[-1], node, frame)
    kind, args, names = raised(e, node.exc, frame)
    if is_exception(kind):
        caught = next((k for k, value in reversed(e.attempts.handling) if value is kind), Raised(kind.cls))
        raise_value(e, caught, kind, node, frame)
    if e.attempts.catches(kind):
        e.attempts.raised(kind, made(e, kind, args, node, frame, names))
    cause: Any
    bare = node.cause is None or _is_none(node.cause)
    cause, others = (None, []) if node.cause is None or bare else raised(e, node.cause, frame, False)[:2]
    if is_exception(cause):
        text = told_by(cause)
        cause, others = (cause.cls, of_class(cause)) if text is None else (failures.found, [text])
    if cause is None:
        fail(e, kind, args, node, frame, node.cause is not None and _is_none(node.cause), names)
    else:
        fail(e, kind, args, node, frame, names=names, origin=(cause, others))
    raise Ends


def made(
    e: Elaboration, kind: type, args: list[Any], node: ast.AST, frame: Frame, names: tuple[str, ...] = ()
) -> RecordValue:
    """An exception with its arguments, and the attributes that its own `__init__` gives it."""
    shown = kept_arguments(e, args, node, frame)
    places = len(shown) - len(names)
    first = tuple(shown[:places])
    found = RecordValue(kind, {ARGS: first})
    if isinstance(kind.__init__, types.FunctionType):
        given, named = by_place(kind, [found, *first], dict(zip(names, shown[places:], strict=True)))
        found.fields[MADE_OF] = tuple(given[1:])
        e.call(kind.__init__, given, named, node, frame)
        if named or (names and found.fields[ARGS] is first):  # it would be raised again with other arguments
            raise unsupported("CC003", f"a `{kind.__name__}` with named arguments is caught here", e.span(node, frame),
                              "its class has them by their names alone, or hands none to `super().__init__`",
                              help="give the arguments one by one, without names: `raise ValueError(a, b)`")
    return found


def by_place(kind: type, args: list[Any], named: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of the `__init__` of an exception, those with names in their places, where it has them so."""
    if not named:
        return args, named
    try:
        given = inspect.signature(kind.__init__).bind(*args, **named)
    except TypeError:  # which the call raises
        return args, named
    given.apply_defaults()
    return list(given.args), given.kwargs


def kept_arguments(e: Elaboration, args: list[Any], node: ast.AST, frame: Frame) -> list[Any]:
    """The arguments of an exception: texts that are made of values are made now."""
    shown = [message(e, a, node, frame) if is_exception(a) else a for a in args]
    return [e.always(effects.text, a.values, form=a.form) if isinstance(a, TextValue) else a for a in shown]


def of_class(value: RecordValue) -> list[Any]:
    """What an exception is made of."""
    return list(value.fields.get(MADE_OF, value.fields[ARGS]))


def raise_value(e: Elaboration, kind: Raised, value: Any, node: ast.AST, frame: Frame) -> NoReturn:
    """Raise an exception that was caught."""
    if not is_exception(value):
        raise mismatch("CC006", "what is raised again may be one of several exceptions", e.span(node, frame),
                       help="raise a new one: `raise ValueError(...)`")
    e.attempts.again(kind, value)
    e.recorder.span = e.span(node, frame)
    if TOLD in value.fields:
        e.always(failures.raise_again, (value.fields[TOLD],))
        raise Ends
    fail(e, kind.cls, of_class(value), node, frame)
    raise Ends


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def fail(
    e: Elaboration, kind: type, args: list[Any], node: ast.AST, frame: Frame, alone: bool = False,
    names: tuple[str, ...] = (), origin: tuple[Any, list[Any]] | None = None,
) -> None:
    """Record that an exception is raised here; `alone` hides the one that is being handled, and `origin` is the class
    of its cause, with arguments."""
    forms, values = arguments(e, args, node, frame)
    options: dict[str, Any] = {"alone": True} if alone else {}
    if names:
        options["names"] = names
    if origin is not None:
        options["causes"], more = arguments(e, origin[1], node, frame)
        values = (*values, origin[0], *more)
    e.recorder.span = e.span(node, frame)
    e.always(effects.fail, (kind, *values), forms=forms, **options)


def as_in_python(e: Elaboration, run: Callable[[], Any], node: ast.AST, frame: Frame) -> Any:
    """What Python gives of known values; that it does not take them is raised where the program comes here, if it may
    come here."""
    try:
        return run()
    except TypeError as error:
        if e.recorder.surely_runs():
            raise
        fail_with(e, TypeError, str(error), node, frame)


def fail_with(e: Elaboration, kind: type, text: str, node: ast.AST, frame: Frame) -> NoReturn:
    """Raise an exception here with a text that is known."""
    e.recorder.span = e.span(node, frame)
    e.always(effects.fail, (kind,), forms=((text,),))
    raise Ends


def drawn_from_outside(lets: list[Let]) -> bool:
    """True where something draws from a source that is not made there."""
    each = [inner for let in lets for inner in [let, *(i for b in getattr(let.op, "blocks", ()) for i in lets_in(b))]]
    of_sources = [let for let in each if isinstance(let.op, Apply) and let.op.primitive.draws]
    if not of_sources:
        return False
    from ccc.primitives.drawing import made_source

    made_here = {v for let in of_sources if let.application.primitive is made_source for v in let.targets}
    return any(let.application.primitive is not made_source and let.args[0] not in made_here for let in of_sources)


def value_of_stop(e: Elaboration, args: Any, node: ast.AST, frame: Frame) -> Any:
    """What `.value` of a `StopIteration` gives: its first argument, or None where it has none."""
    if type(args) is tuple:
        return args[0] if args else None
    given, length = ast.Constant(args), len  # there are as many as the path says that raised it
    count: Any = ast.Constant(length)  # type: ignore[arg-type]
    first = ast.Subscript(given, ast.Constant(0), ast.Load())
    return e.expression(located(ast.IfExp(ast.Call(count, [given], []), first, ast.Constant(None)), node), frame)
