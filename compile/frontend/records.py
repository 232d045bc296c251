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

from ccc.compile.diagnostics import counted, mismatch, nearest, unsupported, without_value
from ccc.compile.frontend import alternatives, attribute_dicts, equality, frozen, guards, stores, sums
from ccc.compile.frontend.attempts import ARGS, TOLD
from ccc.compile.frontend.captures import Fixed, Reader, Within
from ccc.compile.frontend.effects import kept_arguments
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import (
    around,
    dicts,
    is_reached,
    kept,
    list_changes,
    put,
    reached_from,
    updates,
)
from ccc.compile.frontend.numpy_functions import table
from ccc.compile.frontend.parts import MISSING, class_attribute, defined, generated, is_method, of_class
from ccc.compile.frontend.regions import class_behind, is_reference
from ccc.compile.frontend.values import ITEMS, ClosureValue, Frame, RecordValue, Unbound
from ccc.compile.program.lam import Node, Var
from ccc.primitives import registry
from ccc.primitives.frozen import Frozen
from ccc.records import names_of, part_of, taken_apart
from ccc.registered import registered
from ccc.wording import in_words

LARGEST = 1000  # a dict from outside with more items stays what it is, and is read item by item


# -- from outside ------------------------------------------------------------------------------------------------


def shape_of(value: Any, label: Any = None) -> Any:
    """The class and names of a record."""
    found = taken_apart(value)
    return None if found is None else found[:2]


def field_of(value: Any, field: Any) -> Any:
    """A part of a record, which is of the class that it had."""
    return part_of(value, *field)


def own_attribute(cls: Any, name: Any) -> Any:
    """What a class itself has for an attribute, or None."""
    return cls.__dict__.get(name)


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


# -- making ------------------------------------------------------------------------------------------------------


def can_make(cls: Any) -> bool:
    """True for classes whose objects can be made while elaborating."""
    if not isinstance(cls, type) or issubclass(cls, BaseException):
        return False
    if issubclass(cls, tuple):
        return hasattr(cls, "_fields")
    if cls.__new__ not in (object.__new__, types.SimpleNamespace.__new__):
        return False
    return isinstance(cls.__init__, types.FunctionType) or cls.__dictoffset__ != 0


def make(e: Elaboration, cls: type, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None) -> Any:
    """`cls(*args, **kwargs)`."""
    if type(cls) is not type and type(cls).__call__ is not type.__call__:
        raise unsupported("CC003", f"`{cls.__name__}` has a metaclass with its own `__call__`", e.place(node, frame),
                          help="make it a dataclass")
    if issubclass(cls, tuple):
        return make_named_tuple(e, cls, args, kwargs, node, frame)
    made: Any = RecordValue(cls, {})
    if e.stores is not None:
        regions = e.stores.regions
        region = regions.at(f"objects of {cls.__name__}", "object", cls) if cls in regions.early else None
        if region is not None and not region.plain:
            return make_at_place(e, region, args, kwargs, node, frame)
        if any(getattr(other, "cls", None) is cls for other in e.stores.young):  # its `__init__` makes others of them
            place_first(e, cls, node, frame)
        e.stores.young.add(made)
    initialised(e, made, cls, args, kwargs, node, frame)
    if e.stores is not None:
        e.stores.young.discard(made)
        note_kept(e, made, node, frame)
    if (known := registered(cls)) is not None:
        parts = e.call(known.to_parts, [made], {}, node, frame)
        made = RecordValue(cls, dict(parts.fields))
    return kept(e, made, node, frame)


def note_kept(e: Elaboration, made: RecordValue, node: ast.AST, frame: Frame | None) -> None:
    """Note that a new object was kept by its own `__init__`: a place in a store would be another object then. One that
    leads to itself needs its place before what stands there."""
    assert e.stores is not None
    leads_to_itself = any(part is made for part in reached_from(tuple(made.fields.values()), []))
    if leads_to_itself:
        place_first(e, made.cls, node, frame)  # type: ignore[arg-type]
    if leads_to_itself or is_reached(e, made):
        e.stores.plain.add(made)


def place_first(e: Elaboration, cls: type, node: ast.AST, frame: Frame | None) -> None:
    """Let the objects of a class have their places before what stands there, from the next reading on."""
    regions = e.stores.regions  # type: ignore[union-attr]
    if cls not in regions.early:
        from ccc.compile.frontend.memory.interface import places

        regions.early.add(cls)
        regions.grew = True
        raise places.refused(e, "an `__init__` keeps its object", node, frame)


def make_at_place(
    e: Elaboration, region: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """An object whose `__init__` keeps it: its place is there before what stands there."""
    from ccc.compile.frontend.memory.interface import places

    made = places.begun(e, region)
    making = places.stores_of(e).making
    making.append((made, set()))
    try:
        initialised(e, made, region.cls, args, kwargs, node, frame)
    finally:
        making.pop()
    return made


def initialised(
    e: Elaboration, made: Any, cls: type, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> None:
    """Run the `__init__` of a class on a new object."""
    init = cls.__init__
    if init is types.SimpleNamespace.__init__ and not args:
        for name, value in kwargs.items():
            put_first(e, made, name, kept(e, value, node, frame), node, frame)
    elif not isinstance(init, types.FunctionType):
        if args or kwargs:
            raise mismatch("CC027", f"`{cls.__name__}` takes no arguments", e.place(node, frame), help="leave them out")
    elif generated(cls, "__init__"):
        initialise(e, made, owner_of(cls, "__init__"), args, kwargs, node, frame)
    else:
        e.call(init, [made, *args], kwargs, node, frame)


def owner_of(cls: type, name: str) -> type:
    """The class that defines an attribute of `cls`."""
    return next(base for base in cls.__mro__ if name in base.__dict__)


def make_named_tuple(
    e: Elaboration, cls: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    given = bound(e, cls.__name__, list(cls._fields), args, kwargs, node, frame)
    for name in cls._fields:
        if name not in given:
            if name not in cls._field_defaults:
                raise mismatch("CC027", f"`{cls.__name__}` misses `{name}`", e.place(node, frame),
                               help=f"give `{name}`")
            given[name] = cls._field_defaults[name]
    return Node.of(cls, cls._fields, [given[name] for name in cls._fields])


def bound(
    e: Elaboration, what: str, names: list[str], args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None, only_named: Iterable[str] = (),
) -> dict[str, Any]:
    """Arguments by name, as a generated constructor takes them."""
    if len(args) > len(names):
        raise mismatch("CC027", f"`{what}` takes {counted(len(names))}, {len(args)} were given", e.place(node, frame),
                       help=f"give {', '.join(names) or 'none'}")
    given = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name in given or (name not in names and name not in only_named):
            text = f"got `{name}` twice" if name in given else f"has no parameter `{name}`"
            raise mismatch("CC027", f"`{what}` {text}", e.place(node, frame),
                           help=f"it takes {', '.join([*names, *only_named])}")
        given[name] = value
    return given


def initialise(
    e: Elaboration, made: Any, cls: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None,
) -> None:
    """What the `__init__` that `dataclass` generated for `cls` does."""
    fields: list[Any] = [f for f in cls.__dataclass_fields__.values() if f._field_type.name != "_FIELD_CLASSVAR"]
    taken = [f for f in fields if f.init]
    only_named = [f.name for f in taken if f.kw_only]
    given = bound(e, cls.__name__, [f.name for f in taken if not f.kw_only], args, kwargs, node, frame, only_named)
    later: list[Any] = []
    for f in fields:
        if f.name not in given or not f.init:
            value = default_of(e, f, cls, node, frame)
            if value is MISSING and f.init:
                raise mismatch("CC027", f"`{cls.__name__}` misses its argument `{f.name}`", e.place(node, frame),
                               help=f"give `{f.name}`")
            if value is MISSING:
                continue
        else:
            value = given[f.name]
        if f._field_type.name == "_FIELD_INITVAR":
            later.append(value)
        else:
            put_first(e, made, f.name, kept(e, value, node, frame), node, frame)
    after = getattr(class_behind(made.cls), "__post_init__", None)
    if after is not None:
        e.call(after, [made, *later], {}, node, frame)


def put_first(e: Elaboration, made: Any, name: str, value: Any, node: ast.AST, frame: Frame | None) -> None:
    """Set a field of an object that is being made."""
    if isinstance(made, RecordValue):
        made.fields[name] = value
        return
    from ccc.compile.frontend.memory.interface import places

    places.put_field(e, made, name, value, node, frame)


def default_of(e: Elaboration, f: Any, cls: type, node: ast.AST, frame: Frame | None) -> Any:
    """The default of a field, made anew where it has a factory."""
    if f.default_factory is not MISSING:
        return e.call(f.default_factory, [], {}, node, frame)
    if f.default is MISSING or isinstance(f.default, int | float | str | types.NoneType):
        return f.default
    return e.read(f.name, (id(f), "default"), f.default, Fixed(f.default), node, frame)


def replaced(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`dataclasses.replace(record, name=value, ...)`."""
    (value,) = args
    if sums.is_sum(value):
        fails = lambda x: None if isinstance(x, RecordValue) else (  # noqa: E731
            TypeError, "replace() should be called on dataclass instances")
        return alternatives.dispatch(e, value, lambda x: replaced(e, [x], kwargs, node, frame), fails, node, frame)
    if not isinstance(value, RecordValue) or not dataclasses.is_dataclass(value.cls):
        raise mismatch("CC027", "replace needs an object of a dataclass", e.place(node, frame),
                       help="give an object of a dataclass")
    given = dict(kwargs)
    for f in dataclasses.fields(value.cls):
        if f.init and f.name not in given:
            given[f.name] = value.fields[f.name]
        elif not f.init and f.name in given:
            raise mismatch("CC027", f"`{f.name}` is made by `{value.cls.__name__}` itself", e.place(node, frame),
                           help="leave it out")
    return make(e, value.cls, [], given, node, frame)


def replaced_parts(
    value: Node, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """`value._replace(name=part, ...)` of a named tuple."""
    for name in kwargs:
        if name not in value.names:
            raise mismatch("CC027", f"`{value.cls.__name__}` has no field `{name}`", e.place(node, frame),
                           help=nearest(name, value.names, f"its fields are {', '.join(value.names)}"))
    return value.like([kwargs.get(name, part) for name, part in zip(value.names, value, strict=True)])


def as_dict(value: Node, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`value._asdict()` of a named tuple."""
    return RecordValue(dict, dict(zip(value.names, value, strict=True)))


# -- reading -----------------------------------------------------------------------------------------------------


def attribute(e: Elaboration, value: RecordValue | Node, name: str, node: ast.AST, frame: Frame) -> Any:
    """`value.name`."""
    methods = dicts.METHODS if value.cls is dict else TUPLE_METHODS if isinstance(value, Node) else {}
    if name in methods:
        return types.MethodType(methods[name], value)
    cls = class_behind(value.cls)
    if isinstance(class_attribute(cls, "__getattribute__"), types.FunctionType):
        raise unsupported("CC003", f"`{cls.__name__}` has its own `__getattribute__`", e.span(node, frame),
                          help="use a method or a property")
    if isinstance(value, Node) and is_reference(value):
        return of_place(e, value, name, node, frame)
    if name == "__class__":
        return value.cls
    if name == "__dict__":
        return attribute_dicts.of(e, value, node, frame)
    fields = value.fields if isinstance(value, RecordValue) else dict(zip(value.names, value, strict=True))
    found = class_attribute(value.cls, name)
    if name in fields and (not isinstance(found, property) or registered(value.cls) is not None):
        part = fields[name]
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
    if isinstance(value, RecordValue) and value.cls is dict and dicts.FACTORY in value.fields:
        raise unsupported("CC003", f"`.{name}` of a `defaultdict` or `Counter`", e.span(node, frame),
                          help="write it as a loop over its items")
    if found is MISSING and class_attribute(value.cls, "__getattr__") is not MISSING:
        return special(e, value, "__getattr__", [name], {}, node, frame)
    if found is MISSING:
        declared = dataclasses.is_dataclass(value.cls)
        hint = "an object of a dataclass has the fields that its class declares" if declared else ""
        raise mismatch("CC027", f"`{value.cls.__name__}` has no attribute `{name}` here", e.span(node, frame),
                       *([hint] if hint else []), help=nearest_attribute(name, value.cls, fields))
    return through_class(e, value, found, value.cls, name, node, frame)


def of_place(e: Elaboration, value: Node, name: str, node: ast.AST, frame: Frame) -> Any:
    """`value.name` of an object in a store."""
    cls = class_behind(value.cls)
    found = class_attribute(cls, name)
    if name == "__class__":
        return cls

    from ccc.compile.frontend.memory.interface import places

    if places.has_field(value, name) and (not isinstance(found, property) or registered(cls) is not None):
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
    owner = owner_of(cls, name)
    e.guards[id(owner), "attribute", name] = guards.Guard(Within(Fixed(owner), own_attribute, name), found)
    if isinstance(found, property):
        return e.call(found.fget, [value], {}, node, frame)
    if isinstance(found, functools.cached_property):
        return cached(e, value, found, name, node, frame)
    if isinstance(found, staticmethod):
        return found.__func__
    if isinstance(found, classmethod):
        return types.MethodType(found.__func__, cls)
    if isinstance(found, types.FunctionType) or is_method(found):
        return types.MethodType(found, value)
    if hasattr(type(found), "__get__"):
        raise unsupported("CC003", f"`{cls.__name__}.{name}` is a descriptor of type `{type(found).__name__}`",
                          e.place(node, frame), help="use a method or a property")
    return e.read(name, (id(owner), name), found, Within(Fixed(owner), own_attribute, name), node, frame)


def cached(e: Elaboration, value: Any, found: Any, name: str, node: ast.AST, frame: Frame | None) -> Any:
    """A cached property: an attribute of an object that is made here, from now on; of others, and in loops, it is
    computed anew, and nothing that they have may be assigned behind it."""
    made = kept(e, e.call(found.func, [value], {}, node, frame), node, frame)
    block = e.recorder.block
    if isinstance(value, RecordValue) and not value.shared and not e.heap.older(block, value) and (
            around(block) in (None, e.top)):
        value.fields[name] = made
    else:
        e.cached.append((class_behind(value.cls), name))
    return made


def refuse_stale(e: Elaboration, owner: Any, node: ast.AST, frame: Frame) -> None:
    """Refuse to assign an attribute where a cached property that was read would be another one now."""
    cls = class_behind(owner.cls)
    found = [f"{of.__name__}.{name}" for of, name in e.cached if issubclass(cls, of)]
    begun = [f.function.__name__ in ("__init__", "__post_init__") and owner in f.env.values()
             for f in e.frames if isinstance(f.function, types.FunctionType)]
    if found and not any(begun):
        raise unsupported("CC011", f"an attribute is assigned behind the cached property `{found[0]}`",
                          e.span(node, frame), "Python keeps what was computed first",
                          help="make it a property, or make a new object")


class SuperValue:
    """`super()`: attributes are looked up behind a class."""

    __slots__ = ("after", "value")

    def __init__(self, after: type, value: Any) -> None:
        self.after = after
        self.value = value


def super_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`super()` in a method."""
    function = frame.function
    free = function.__code__.co_freevars
    first = function.__code__.co_varnames[:1]
    if args or kwargs or "__class__" not in free or not first:
        raise unsupported("CC003", "`super` is supported without arguments, inside a method", e.span(node, frame),
                          help="write `super().name(...)` in a method")
    return SuperValue(function.__closure__[free.index("__class__")].cell_contents, frame.env[first[0]])


def super_attribute(e: Elaboration, found: SuperValue, name: str, node: ast.AST, frame: Frame) -> Any:
    """`super().name`."""
    value = found.value
    if registry.is_holder(value):
        return getattr(super(found.after, value), name)
    cls = value if isinstance(value, type) else class_behind(value.cls)
    mro = cls.__mro__
    for base in mro[mro.index(found.after) + 1:]:
        if name in base.__dict__:
            if base is object and name == "__init__":
                return lambda *_: None
            if name == "__init__" and isinstance(value, RecordValue) and isinstance(value.cls, type) and issubclass(
                    value.cls, BaseException) and not isinstance(base.__init__, types.FunctionType):
                return types.MethodType(arguments_kept, value)
            if name == "__init__" and generated(base, "__init__"):
                return types.MethodType(generated_init, (base, value))
            return through_class(e, value, base.__dict__[name], base, name, node, frame)
    raise mismatch("CC027", f"no base of `{found.after.__name__}` has an attribute `{name}`", e.span(node, frame),
                   help=nearest(name, [n for base in mro[mro.index(found.after) + 1:] for n in vars(base)],
                                "call a method that a base has"))


def generated_init(
    owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> None:
    cls, value = owner
    initialise(e, value, cls, args, kwargs, node, frame)


def arguments_kept(
    value: RecordValue, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> None:
    """`super().__init__(...)` of an exception."""
    value.fields[ARGS] = tuple(kept_arguments(e, args))


def call_method(
    e: Elaboration, method: types.MethodType, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None,
) -> Any:
    """Call a bound method: a function of its first argument."""
    function: Any = method.__func__
    owner: Any = method.__self__
    if function in COMPILED or function in stores.COMPILED:
        return function(owner, e, args, kwargs, node, frame)
    if not isinstance(owner, RecordValue | Node | type):
        instance = owner
        if not is_record(owner):
            what = f"{type(owner).__name__}.{getattr(function, '__name__', 'method')}"
            raise unsupported("CC003", f"`{what}` is a method of an object that is not read", e.place(node, frame),
                              help="make its class a dataclass, or pass the numbers as arguments of a function")
        owner = e.read(type(owner).__name__, (id(instance), "self"), instance, e.reader(instance), node, frame)
    if isinstance(function, types.FunctionType) and not isinstance(owner, type) and generated(
            class_behind(owner.cls), function.__name__):
        if function.__name__ == "__init__":
            return initialise(e, owner, owner_of(owner.cls, "__init__"), args, kwargs, node, frame)
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
        raise mismatch("CC027", f"`{what}` has no `{name}`", e.place(node, frame), help="define it, or use a field")
    cls = class_behind(value.cls)
    method = through_class(e, value, class_attribute(cls, name), cls, name, node, frame)
    return e.call(method, args, kwargs, node, frame)


# -- operators ---------------------------------------------------------------------------------------------------

NAMES: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitOr: "or", ast.BitAnd: "and", ast.BitXor: "xor",
    ast.LShift: "lshift", ast.RShift: "rshift",
}
COMPARED: dict[type, tuple[str, str]] = {
    ast.Lt: ("__lt__", "__gt__"), ast.LtE: ("__le__", "__ge__"), ast.Gt: ("__gt__", "__lt__"),
    ast.GtE: ("__ge__", "__le__"), ast.Eq: ("__eq__", "__eq__"), ast.NotEq: ("__ne__", "__ne__"),
}
UNARY: dict[type, str] = {ast.USub: "__neg__", ast.UAdd: "__pos__", ast.Invert: "__invert__"}


def overloads(op: Any, a: Any, b: Any) -> bool:
    """True where an operator of two values is a method of one of them."""
    if isinstance(op, ast.operator):
        name = NAMES[type(op)]
        return defined(a, f"__{name}__") or defined(b, f"__r{name}__") or any(
            isinstance(x, RecordValue) for x in (a, b))
    if type(op) not in COMPARED:
        return False
    return any(isinstance(x, RecordValue) for x in (a, b)) or any(defined(x, COMPARED[type(op)][0]) for x in (a, b))


def operate(e: Elaboration, op: Any, a: Any, b: Any, node: ast.AST, frame: Frame) -> Any:
    """`a op b` by the methods of their classes, in Python's order."""
    if isinstance(op, ast.operator):
        names = f"__{NAMES[type(op)]}__", f"__r{NAMES[type(op)]}__"
    else:
        names = COMPARED[type(op)]
    both = all(isinstance(x, RecordValue) and x.cls is dict for x in (a, b))
    if both and isinstance(op, ast.BitOr):
        return dicts.united(e, a, b, node, frame)
    order = [(a, names[0], b), (b, names[1], a)]
    cls_a, cls_b = class_behind(getattr(a, "cls", None)), class_behind(getattr(b, "cls", None))
    if isinstance(cls_a, type) and isinstance(cls_b, type) and cls_b is not cls_a and issubclass(cls_b, cls_a):
        order.reverse()
    for value, name, other in order:
        if defined(value, name):
            found = special(e, value, name, [other], {}, node, frame)
            if found is not NotImplemented:
                return found
    if isinstance(op, ast.Eq | ast.NotEq):
        return equality.equal(e, op, a, b, node, frame)
    if not isinstance(op, ast.operator):
        found = equality.by_fields(e, op, a, b, node, frame)
        if found is not NotImplemented:
            return found
    raise mismatch("CC027", f"no `{names[0]}` for {described(a)} and {described(b)}", e.place(node, frame),
                   help="define it, or write the fields out")


def negated(e: Elaboration, op: ast.unaryop, value: Any, node: ast.AST, frame: Frame) -> Any:
    """`-value`, `+value`, `~value`."""
    return special(e, value, UNARY[type(op)], [], {}, node, frame)


def described(value: Any) -> str:
    """What a value is, for a message."""
    if isinstance(value, RecordValue) and ITEMS in value.fields:
        return in_words(value.fields[ITEMS].object)
    if isinstance(value, RecordValue | Node):
        return f"`{value.cls.__name__}`"
    return in_words(value.object) if isinstance(value, Var) else f"`{type(value).__name__}`"


# -- changing ----------------------------------------------------------------------------------------------------


def assign(e: Elaboration, owner: Any, name: str, value: Any, node: ast.AST, frame: Frame) -> None:
    """`owner.name = value`."""
    where = e.span(node, frame)
    if (owner is None or e.stores is not None) and alternatives.is_uncertain(e, owner):
        fails = lambda x: None if isinstance(x, Node | RecordValue) else (  # noqa: E731
            AttributeError, f"'{alternatives.class_name(x)}' object has no attribute '{name}'")
        alternatives.dispatch(e, owner, lambda x: assign(e, x, name, value, node, frame), fails, node, frame)
        return
    if isinstance(owner, Node) and not is_reference(owner):
        raise mismatch("CC027", f"`{owner.cls.__name__}` is a named tuple: its field `{name}` is fixed", where,
                       help=f"make a new one: `._replace({name}=...)`")
    if isinstance(owner, ClosureValue):
        put_of_function(e, owner, name, value, node, frame)
        return
    if isinstance(owner, type):
        raise unsupported("CC011", f"cannot assign to the attribute `.{name}` of the class `{owner.__name__}`", where,
                          help=f"keep it in an object: `self.{name} = ...`")
    if not isinstance(owner, RecordValue | Node) or class_behind(owner.cls) in (dict, list):
        raise unsupported("CC011", f"cannot assign to the attribute `.{name}` of {described(owner)}", where,
                          help="assign to a name")
    cls = class_behind(owner.cls)
    params: Any = getattr(cls, "__dataclass_params__", None)
    if params is not None and params.frozen:
        raise mismatch("CC027", f"FrozenInstanceError: cannot assign to field '{name}'", where,
                       help=f"make a new one: `dataclasses.replace(..., {name}=...)`")
    found = class_attribute(cls, name)
    if e.cached:
        refuse_stale(e, owner, node, frame)
    if isinstance(found, property):
        if found.fset is None:
            raise mismatch("CC027", f"property `{name}` of `{owner.cls.__name__}` has no setter", where,
                           help="assign to a field")
        e.attempts.last(lambda: e.call(found.fset, [owner, value], {}, node, frame))
        return
    if isinstance(class_attribute(type(found), "__set__"), types.FunctionType):
        raise unsupported("CC003", f"`{cls.__name__}.{name}` is a descriptor of type `{type(found).__name__}`", where,
                          help="use a method or a property")
    own = class_attribute(cls, "__setattr__")
    if own is not MISSING and not isinstance(own, types.WrapperDescriptorType):
        raise unsupported("CC003", f"`{owner.cls.__name__}` has its own `__setattr__`", where,
                          help="make a new object with dataclasses.replace")
    if isinstance(owner, Node):
        from ccc.compile.frontend.memory.interface import places

        places.put_field(e, owner, name, kept(e, value, node, frame), node, frame)
    else:
        put(e, owner, name, value, node, frame)


def put_of_function(
    e: Elaboration, owner: ClosureValue, name: str, value: Any, node: ast.AST, frame: Frame
) -> None:
    """`f.name = value` of a nested function: a known value, given once where the function is made, since what was read
    before may rest on what was there."""
    known = value is None or isinstance(value, bool | int | float | str)
    if known and owner.block is e.recorder.block and owner.attributes.get(name, value) is value:
        owner.attributes[name] = value
        return
    raise unsupported("CC011", f"`{owner.name}.{name} = ...` has a known value, once, where the function is made",
                      e.span(node, frame), help="assign to a name")


def set_attribute(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    """`object.__setattr__(record, name, value)`."""
    owner, name, value = args
    if not isinstance(owner, RecordValue) or not isinstance(name, str):
        raise unsupported("CC011", "`__setattr__` needs an object of a class and a known name", e.span(node, frame),
                          help="write `self.name = ...`")
    put(e, owner, name, value, node, frame)


# -- dicts -------------------------------------------------------------------------------------------------------


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


TUPLE_METHODS: dict[str, Callable[..., Any]] = {"_replace": replaced_parts, "_asdict": as_dict}
COMPILED: set[Any] = {
    *TUPLE_METHODS.values(), *dicts.METHODS.values(), *list_changes.METHODS.values(), *updates.METHODS.values(),
    arguments_kept, generated_init, partly_applied, frozen.called,
}
"""Methods that run while elaborating: functions of the owner, then as a builtin."""
