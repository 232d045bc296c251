"""Objects, named tuples and dicts while a function is elaborated: made, read, changed, and what their classes define.

A record is a product whose parts are known one by one. Methods and properties are functions of their first argument and
are inlined as user functions are; the `__init__` that `dataclass` generates is understood, one that is written by hand
is inlined too.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import types
from collections.abc import Callable, Iterable
from typing import Any

from ccc.compile.diagnostics import mismatch, nearest, unsupported, without_value
from ccc.compile.frontend import (
    alternatives,
    attribute_dicts,
    cached_properties,
    class_variables,
    effects,
    equality,
    frozen,
    global_names,
    guards,
    presence,
    record_making,
    stores,
)
from ccc.compile.frontend.attempts import ARGS
from ccc.compile.frontend.captures import Fixed, Reader, Within, field_of, shape_of
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import (
    array_writers,
    dict_methods,
    dicts,
    kept,
    put,
)
from ccc.compile.frontend.numpy_functions import table
from ccc.compile.frontend.parts import (
    IN_A_LIST,
    MISSING,
    cell,
    class_attribute,
    defined,
    generated,
    is_cell,
    is_method,
    is_written,
    of_class,
)
from ccc.compile.frontend.regions import class_behind, is_reference
from ccc.compile.frontend.values import (
    FACTORY,
    ITEMS,
    TOLD,
    ClosureValue,
    Frame,
    Perhaps,
    RecordValue,
    TypeValue,
    Unbound,
    is_ours,
    told_by,
)
from ccc.compile.program.lam import Node, Var
from ccc.later import deferred
from ccc.primitives.frozen import Frozen
from ccc.records import names_of, stands_before, taken_apart
from ccc.registered import registered
from ccc.wording import in_words

LARGEST = 1000  # a dict from outside with more items stays what it is, and is read item by item


def is_record(value: Any) -> bool:
    """True for records of Python that are taken apart while elaborating."""
    found = None if isinstance(value, Node) or is_exponential(type(value)) else taken_apart(value)
    return found is not None and (found[0] is not dict or len(found[1]) <= LARGEST)


def is_exponential(cls: type) -> bool:
    """True for classes whose objects say what the cotangent of a function is: they are known, not taken apart."""
    return callable(getattr(cls, "curry", None)) and callable(getattr(cls, "eval", None))


def read(
    e: Elaboration, name: str, key: Any, value: Any, again: Reader, node: ast.AST, frame: Frame | None
) -> Any:
    """A record from outside: each part is read as a name would be."""
    found = taken_apart(value)
    assert found is not None
    cls, names, parts = found
    e.guards[key, "shape"] = guards.Guard(Within(again, shape_of, None), shape_of(value))
    static = dict(names_of(cls) or ()) if cls is not dict else {}
    values: list[Any] = []
    for label, part in zip(names, parts, strict=True):
        reread = Within(again, field_of, (cls, label))
        if static.get(label):
            e.guards[key, label] = guards.Guard(reread, part)
            values.append(part)
        else:
            values.append(e.read(f"{name}_{label}", (key, label), part, reread, node, frame))
    return of_class(cls, names, values, "the caller")


def attribute(e: Elaboration, value: RecordValue | Node, name: str, node: ast.AST, frame: Frame) -> Any:
    """`value.name`."""
    methods = dict_methods.METHODS if value.cls is dict else TUPLE_METHODS if isinstance(value, Node) else {}
    if name in methods:
        return types.MethodType(methods[name], value)
    cls = class_behind(value.cls)
    if isinstance(class_attribute(cls, "__getattribute__"), types.FunctionType):
        raise unsupported("CC003", f"`{cls.__name__}` has its own `__getattribute__`", e.span(node, frame),
                          help="use a method or a property")
    if isinstance(value, Node) and is_reference(value):
        return of_place(e, value, name, node, frame)
    if name == "__class__":
        return TypeValue(value) if isinstance(value, RecordValue) and told_by(value) is not None else value.cls
    if name == "__dict__":
        return attribute_dicts.of(e, value, node, frame)
    fields = value.fields if isinstance(value, RecordValue) else dict(zip(value.names, value, strict=True))
    if name == "value" and value.cls is StopIteration and ARGS in fields:
        return effects.value_of_stop(e, fields[ARGS], node, frame)
    found = class_attribute(value.cls, name)
    own = name in fields and value.cls is not dict  # the keys of a dict are no attributes
    if own and (not stands_before(found) or registered(value.cls) is not None):
        part = fields[name]
        if isinstance(part, Perhaps) and presence.is_alone(value, name):
            return presence.attribute(e, f"'{cls.__name__}' object has no attribute '{name}'", part, node, frame)
        if isinstance(part, Unbound):
            raise without_value(part, f".{name}", e.span(node, frame))
        return part
    if TOLD in fields:
        raise unsupported("CC003", f"`.{name}` of what an operation may have raised is not known", e.span(node, frame),
                          help="use what it says: `str(error)`")
    if found is MISSING and isinstance(value, RecordValue) and issubclass(value.cls, Frozen):
        bound_method = frozen.method(value, name)
        if bound_method is None:
            raise mismatch("CC027", f"`{value.cls.__name__}` has no method `{name}`", e.span(node, frame),
                           help=nearest(name, dir(value.cls.of), "use a method that it has"))
        return bound_method
    if isinstance(value, RecordValue) and value.cls is dict and FACTORY in value.fields:
        raise unsupported("CC003", f"`.{name}` of a `defaultdict` or `Counter`", e.span(node, frame),
                          help="write it as a loop over its items")
    if found is MISSING and class_attribute(value.cls, "__getattr__") is not MISSING:
        return special(e, value, "__getattr__", [name], {}, node, frame)
    if found is MISSING:
        declared, keyed = dataclasses.is_dataclass(value.cls), value.cls is dict and name in fields
        hint = "an object of a dataclass has the fields that its class declares" if declared else ""
        raise mismatch("CC027", f"`{value.cls.__name__}` has no attribute `{name}` here", e.span(node, frame),
                       *([hint] if hint else []), help=f'write `["{name}"]`, the item of this key' if keyed else
                       nearest_attribute(name, value.cls, () if value.cls is dict else fields))
    return through_class(e, value, found, value.cls, name, node, frame)


def of_place(e: Elaboration, value: Node, name: str, node: ast.AST, frame: Frame) -> Any:
    """`value.name` of an object in a store."""
    cls = class_behind(value.cls)
    found = class_attribute(cls, name)
    if name == "__class__":
        return cls
    if name == "__dict__":
        return attribute_dicts.of(e, value, node, frame)

    from ccc.compile.frontend.memory.interface import places

    if places.has_field(value, name) and (not stands_before(found) or registered(cls) is not None):
        return places.field_at(e, value, name)
    if found is MISSING and class_attribute(cls, "__getattr__") is not MISSING:
        return special(e, value, "__getattr__", [name], {}, node, frame)
    if found is MISSING:
        raise mismatch("CC027", f"`{cls.__name__}` has no attribute `{name}` here", e.span(node, frame),
                       help=nearest_attribute(name, cls, ()))
    return through_class(e, value, found, cls, name, node, frame)


def nearest_attribute(name: str, cls: type, fields: Iterable[Any]) -> str:
    """The mend for an attribute that an object has not."""
    fields = () if cls.__module__.startswith(table.PYTHON) else fields  # which are ours
    known = [*dict.fromkeys([*map(str, fields), *[n for n in vars(cls) if not n.startswith("_")]])]
    return nearest(name, known, f"it has {', '.join(known) or 'none'}; give it the attribute where it is made")


def through_class(
    e: Elaboration, value: Any, found: Any, cls: type, name: str, node: ast.AST, frame: Frame | None
) -> Any:
    """An attribute that a class defines, as the object has it."""
    owner = record_making.owner_of(cls, name)
    if not hasattr(type(found), "__get__"):
        return of_class_itself(e, owner, name, found, node, frame)
    read = Within(Fixed(owner), class_variables.own_attribute, name)
    e.guards[id(owner), "attribute", name] = guards.Guard(read, vars(owner)[name])
    if isinstance(found, property):
        return e.call(found.fget, [value], {}, node, frame)
    if isinstance(found, functools.cached_property):
        return cached_properties.read(e, value, found, name, node, frame)
    if isinstance(found, staticmethod):
        return found.__func__
    if isinstance(found, classmethod):
        return types.MethodType(found.__func__, cls)
    if isinstance(found, types.FunctionType) or is_method(found):
        return types.MethodType(found, value)
    if isinstance(found, functools.singledispatchmethod):
        return e.call(functools.partial, [found, value], {}, node, frame)
    if isinstance(found, functools.partialmethod):
        method = types.MethodType(found.func, value)
        return e.call(functools.partial, [method, *found.args], found.keywords, node, frame)
    if is_written(found, "__get__") and type(found).__module__ != "functools":
        return special(e, of_class_itself(e, owner, name, found, node, frame), "__get__", [value, cls], {}, node, frame)
    own = callable(found) or type(found).__module__ != "builtins"
    text = "use a method or a property" if own else "keep what it gives in an attribute of your own"
    raise unsupported("CC003", f"`{cls.__name__}.{name}` is a descriptor of type `{type(found).__name__}`",
                      e.place(node, frame), help=text)


def of_class_itself(e: Elaboration, owner: type, name: str, found: Any, node: ast.AST, frame: Frame | None) -> Any:
    """What a class has itself for an attribute, read from outside."""
    held = class_variables.held_at(e, (id(owner), name))
    reread = Within(Fixed(owner), class_variables.own_attribute, name)
    return e.read(name, (id(owner), name), found, reread, node, frame) if held is MISSING else held


def generated_init(
    owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> None:
    cls, value = owner
    record_making.initialise(e, value, cls, args, kwargs, node, frame)


def arguments_kept(
    value: RecordValue, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> None:
    """`super().__init__(...)` of an exception."""
    value.fields[ARGS] = tuple(effects.kept_arguments(e, args, node, frame))


def call_method(
    e: Elaboration, method: types.MethodType, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None,
) -> Any:
    """Call a bound method: a function of its first argument."""
    function: Any = method.__func__
    owner: Any = method.__self__
    if is_compiled(function):
        return function(owner, e, args, kwargs, node, frame)
    if not isinstance(owner, (RecordValue, Node, type)):
        instance = owner
        if not is_record(owner):
            what = f"{type(owner).__name__}.{getattr(function, '__name__', 'method')}"
            raise unsupported("CC003", f"`{what}` is a method of an object that is not read", e.place(node, frame),
                              help="make its class a dataclass, or pass the numbers as arguments of a function")
        owner = e.read(type(owner).__name__, (id(instance), "self"), instance, e.reader(instance), node, frame)
    if isinstance(function, types.FunctionType) and not isinstance(owner, type) and generated(
            class_behind(owner.cls), function.__name__):
        if function.__name__ == "__init__":
            cls = record_making.owner_of(owner.cls, "__init__")
            return record_making.initialise(e, owner, cls, args, kwargs, node, frame)
        if function.__name__ in equality.OPERATORS and len(args) == 1 and frame is not None:
            return equality.by_fields(e, equality.OPERATORS[function.__name__], owner, args[0], node, frame)
        raise unsupported("CC003", f"`{function.__qualname__}` was generated and is not supported",
                          e.place(node, frame), help="write it out")
    return e.call(function, [owner, *args], kwargs, node, frame)


def partial(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`functools.partial(function, ...)`."""
    return types.MethodType(partly_applied, (args[0], tuple(args[1:]), tuple(kwargs), tuple(kwargs.values())))


def partly_applied(
    owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    function, first, names, values = owner
    return e.call(function, [*first, *args], {**dict(zip(names, values, strict=True)), **kwargs}, node, frame)


partly_applied.__ccc_class__ = functools.partial  # type: ignore[attr-defined]


def is_partial(function: Any) -> bool:
    """True for what `functools.partial` gives inside a program."""
    return isinstance(function, types.MethodType) and function.__func__ is partly_applied


def call_record(
    e: Elaboration, value: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """`value(...)` of an object with `__call__`."""
    return special(e, value, "__call__", args, kwargs, node, frame)


def special(
    e: Elaboration, value: Any, name: str, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """Call a special method that the class defines."""
    if not defined(value, name):
        what = value.cls.__name__
        e.attempts.lacks_method(value, name)
        raise mismatch("CC027", f"`{what}` has no `{name}`", e.place(node, frame), help="define it, or use a field")
    cls = class_behind(value.cls)
    method = through_class(e, value, class_attribute(cls, name), cls, name, node, frame)
    return e.call(method, args, kwargs, node, frame)


def described(value: Any) -> str:
    """What a value is, for a message."""
    if isinstance(value, RecordValue) and ITEMS in value.fields:
        return in_words(value.fields[ITEMS].object)
    if isinstance(value, (RecordValue, Node)):
        return f"`{value.cls.__name__}`"
    return in_words(value.object) if isinstance(value, Var) else f"`{type(value).__name__}`"


def assign(e: Elaboration, owner: Any, name: str, value: Any, node: ast.AST, frame: Frame) -> None:
    """`owner.name = value`."""
    where = e.span(node, frame)
    if (owner is None or e.stores is not None) and alternatives.is_uncertain(e, owner):
        fails = lambda x: None if isinstance(x, (Node, RecordValue)) else (  # noqa: E731
            AttributeError, f"'{alternatives.class_name(x)}' object has no attribute '{name}'")
        alternatives.dispatch(e, owner, lambda x: assign(e, x, name, value, node, frame), fails, node, frame)
        return
    if isinstance(owner, Node) and not is_reference(owner):
        raise mismatch("CC027", f"`{owner.cls.__name__}` is a named tuple: its field `{name}` is fixed", where,
                       help=f"make a new one: `._replace({name}=...)`")
    if isinstance(owner, ClosureValue):
        put_of_function(e, owner, name, value, node, frame)
        return
    owner = module_around(e, owner, node, frame)
    if isinstance(owner, (RecordValue, Node)) and record_making.assigned_by_class(e, owner, name, value, node, frame):
        return
    if isinstance(owner, type) or (
            isinstance(owner, types.FunctionType | types.ModuleType) and class_variables.is_variable(owner, name)):
        put_of_class(e, owner, name, value, node, frame)
        return
    if not isinstance(owner, (RecordValue, Node)) or class_behind(owner.cls) in (dict, list):
        raise unsupported("CC011", f"cannot assign to the attribute `.{name}` of {described(owner)}", where,
                          help="assign to a name")
    cls = class_behind(owner.cls)
    own = cls if is_ours(frame.function) else getattr(cls, "__ccc_class__", cls)
    if (error := record_making.untaken(own, name)) is not None:
        record_making.fails_here(e, error, node, frame)
        frozen = isinstance(error, dataclasses.FrozenInstanceError)
        raise mismatch("CC027", f"{type(error).__name__}: {error}", where, help=(
            f"make a new one: `dataclasses.replace(..., {name}=...)`" if frozen else "assign to a field"))
    if e.cached:
        cached_properties.refuse_stale(e, owner, node, frame)
    put_attribute(e, owner, name, value, node, frame)


def put_attribute(
    e: Elaboration, owner: RecordValue | Node, name: str, value: Any, node: ast.AST, frame: Frame
) -> None:
    """Set an attribute of an object, as `object` does: through a property or descriptor of its class."""
    cls = class_behind(owner.cls)
    found = class_attribute(cls, name)
    if isinstance(found, property):
        e.attempts.last(lambda: e.call(found.fset, [owner, value], {}, node, frame))
    elif is_written(found, "__set__"):
        descriptor = of_class_itself(e, record_making.owner_of(cls, name), name, found, node, frame)
        e.attempts.last(lambda: special(e, descriptor, "__set__", [owner, value], {}, node, frame))
    else:
        put_field(e, owner, name, value, node, frame)


def put_field(e: Elaboration, owner: RecordValue | Node, name: str, value: Any, node: ast.AST, frame: Frame) -> None:
    """Set an attribute of an object, wherever it stands, whatever its class says."""
    if isinstance(owner, RecordValue):
        put(e, owner, name, value, node, frame)
        return
    from ccc.compile.frontend.memory.interface import places

    places.put_field(e, owner, name, kept(e, value, node, frame), node, frame)


def module_around(e: Elaboration, owner: Any, node: ast.AST, frame: Frame) -> Any:
    """The module of the function that is read, for what stands for it where that writes variables of its own; any other
    value itself."""
    if owner is not Ellipsis:
        return owner
    module = global_names.module_of(frame.function)
    name = getattr(node, "attr", "")
    if module is None or not class_variables.is_variable(module, name):
        raise unsupported("CC012", "`global` writes a variable outside of the function", e.span(node, frame),
                          "the function stands in no module" if module is None else f"`{name}` has no value there yet",
                          help="return the value instead: `return y, total`")
    return module


def put_of_class(
    e: Elaboration, cls: class_variables.Owner, name: str, value: Any, node: ast.AST, frame: Frame
) -> None:
    """`cls.name = value`, and `function.name = value` of a function outside."""
    own = cls in class_variables.OF_PROGRAMS
    if not (own or e.lent.writes) or not class_variables.is_variable(cls, name):
        raise unsupported("CC011", f"cannot assign to the attribute `.{name}` of the class `{cls.__name__}`",
                          e.span(node, frame), help=f"keep it in an object: `self.{name} = ...`")
    put_field(e, class_variables.place(e, cls, name), class_variables.PART, value, node, frame)


def put_of_function(
    e: Elaboration, owner: ClosureValue, name: str, value: Any, node: ast.AST, frame: Frame
) -> None:
    """`f.name = value` of a nested function, which is given the attribute where it is made, since what was read before
    may rest on what was there."""
    held: Any = owner.attributes.get(name)
    if is_cell(held) and held.shared:
        raise unsupported("CC003", f"a function that is kept has an attribute that changes, `{name}`",
                          e.span(node, frame), help=IN_A_LIST.format(name))
    if is_cell(held):
        put(e, held, name, value, node, frame)
        return
    if owner.block is e.recorder.block and owner.attributes.get(name, value) is value:
        owner.attributes[name] = cell(name, e.kept(value, node, frame))
        return
    raise unsupported("CC011", f"`{owner.name}.{name} = ...` stands elsewhere than where the function is made",
                      e.span(node, frame), help=f"give it a value there, behind its `def`: `{owner.name}.{name} = ...`")


def set_attribute(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    """`object.__setattr__(record, name, value)`."""
    owner, name, value = args
    if not (isinstance(owner, RecordValue) or is_reference(owner)) or not isinstance(name, str):
        raise unsupported("CC011", "`__setattr__` needs an object of a class and a known name", e.span(node, frame),
                          help="write `self.name = ...`")
    put_attribute(e, owner, name, value, node, frame)


def attribute_set(
    value: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> None:
    """`super().__setattr__(name, value)` where that is the one of `object`."""
    set_attribute(e, [value, *args], kwargs, node, frame)


def item(e: Elaboration, value: RecordValue | Node, key: Any, node: ast.AST, frame: Frame) -> Any:
    """`value[key]`."""
    if isinstance(value, Node) or value.cls is not dict:
        return special(e, value, "__getitem__", [key], {}, node, frame)
    return dicts.item(e, value, key, node, frame)


def put_item(e: Elaboration, value: RecordValue | Node, key: Any, new: Any, node: ast.AST, frame: Frame) -> None:
    """`value[key] = new`."""
    if isinstance(value, Node) or value.cls is not dict:
        e.attempts.last(lambda: special(e, value, "__setitem__", [key, new], {}, node, frame))
        return
    dicts.put_item(e, value, key, new, node, frame)


TUPLE_METHODS: dict[str, Callable[..., Any]] = {
    "_replace": deferred(record_making, "replaced_parts"), "_asdict": deferred(record_making, "as_dict"),
}
COMPILED: set[Any] = {
    *TUPLE_METHODS.values(), *array_writers.METHODS.values(), arguments_kept, attribute_set, generated_init,
    partly_applied, frozen.called,
}
"""Methods that run while elaborating: functions of the owner, then as a builtin."""


def is_compiled(function: Any) -> bool:
    """Whether a method is one of those, and not read as what a user writes."""
    return function in COMPILED or function in stores.COMPILED
