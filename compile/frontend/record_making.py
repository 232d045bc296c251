"""How records are made: by calls of their classes, and from others."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import types
from collections.abc import Iterable
from typing import Any

from ccc.compile.diagnostics import counted, mismatch, nearest, unsupported
from ccc.compile.frontend import alternatives, sums
from ccc.compile.frontend.captures import Fixed
from ccc.compile.frontend.effects import fail_with
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import is_reached, kept, reached_from, refuse_hidden
from ccc.compile.frontend.numpy_functions import below
from ccc.compile.frontend.parameters import unknown_keys
from ccc.compile.frontend.parts import MISSING, class_attribute, generated
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.values import ITEMS, Frame, RecordValue
from ccc.compile.program.lam import Node
from ccc.registered import is_container, registered


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
    refuse_abstract(e, cls, node, frame)
    made: Any = e.attempts.part(lambda: RecordValue(cls, {}))
    if e.stores is not None:
        regions = e.stores.regions
        region = regions.at(f"objects of {cls.__name__}", StoredAs.OBJECT, cls) if cls in regions.early else None
        if region is not None and not region.plain:
            return make_at_place(e, region, args, kwargs, node, frame)
        if any(getattr(other, "cls", None) is cls for other in e.stores.young):  # its `__init__` makes others of them
            place_first(e, cls, node, frame)
        e.stores.young.add(made)
    begun(e, made, node, frame)
    initialised(e, made, cls, args, kwargs, node, frame)
    if e.stores is not None:
        e.stores.young.discard(made)
        note_kept(e, made, node, frame)
    if (known := registered(cls)) is not None:
        parts = e.call(known.to_parts, [made], {}, node, frame)
        made = RecordValue(cls, dict(parts.fields))
    return kept(e, made, node, frame)


def refuse_abstract(e: Elaboration, cls: type, node: ast.AST, frame: Frame | None) -> None:
    """Raise what Python raises for an object of a class with abstract methods."""
    if not inspect.isabstract(cls):
        return
    try:
        object.__new__(cls)
    except TypeError as error:
        fails_here(e, error, node, frame)
        raise mismatch("CC027", f"TypeError: {error}", e.place(node, frame),
                       help="make an object of a class that defines them") from None


def untaken(cls: type, name: str) -> AttributeError | None:
    """What Python raises where an attribute is assigned that objects of a class do not take: of a frozen class, a
    property without a setter, and one that is none of `__slots__`.

    >>> untaken(type("Point", (), {"__slots__": ("x",)}), "y"), untaken(type("Point", (), {"__slots__": ("x",)}), "x")
    (AttributeError("'Point' object has no attribute 'y'"), None)
    """
    found = class_attribute(cls, name)
    params: Any = getattr(cls, "__dataclass_params__", None)
    frozen = params is not None and params.frozen
    runs_code = found is not MISSING and hasattr(type(found), "__set__") and not isinstance(
        found, types.MemberDescriptorType | types.GetSetDescriptorType | property)
    if not frozen and (runs_code or (isinstance(found, property) and found.fset is not None)):
        return None
    put: Any = cls.__setattr__ if frozen else object.__setattr__
    try:
        bare: Any = (cls if is_container(cls) else object).__new__(cls)  # type: ignore[reportCallIssue]
    except TypeError:  # one of Python's own kinds, whose objects have a dict
        return None
    try:
        put(bare, name, None)
    except AttributeError as error:
        return error
    except TypeError:  # it takes values of a kind alone
        return None
    return None


def fails_here(e: Elaboration, error: Exception, node: ast.AST, frame: Frame | None) -> None:
    """Raise an error of Python's when the program runs, where that may not come here or may catch it."""
    if frame is not None and (e.attempts.active or not e.recorder.surely_runs()):
        fail_with(e, type(error), str(error), node, frame)


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

    made = e.attempts.part(lambda: places.begun(e, region))
    making = places.stores_of(e).making
    making.append((made, set()))
    try:
        begun(e, made, node, frame)
        initialised(e, made, region.cls, args, kwargs, node, frame)
    finally:
        making.pop()
    return made


def begun(e: Elaboration, made: Any, node: ast.AST, frame: Frame | None) -> None:
    """Give a new object of a class below a container its empty contents, as `__new__` does."""
    begin = class_attribute(class_behind(made.cls), "__ccc_begin__")
    if begin is not MISSING:
        e.call(begin, [made], {}, node, frame)


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
    return below.original(next(base for base in cls.__mro__ if name in base.__dict__), name)


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
    if ITEMS in kwargs:
        raise unknown_keys(e.place(node, frame))
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
    later = e.attempts.part(lambda: put_fields(e, made, cls, fields, given, node, frame))
    after = getattr(class_behind(made.cls), "__post_init__", None)
    if after is not None:
        e.call(after, [made, *later], {}, node, frame)


def put_fields(
    e: Elaboration, made: Any, cls: Any, fields: list[Any], given: dict[str, Any], node: ast.AST, frame: Frame | None
) -> list[Any]:
    """Set the fields of an object to what is given, or to their defaults; gives what `__post_init__` is given."""
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
    return later


def put_first(e: Elaboration, made: Any, name: str, value: Any, node: ast.AST, frame: Frame | None) -> None:
    """Set a field of an object that is being made."""
    refuse_hidden(e, class_behind(made.cls), name, node, frame)
    if (own := own_setter(class_behind(made.cls))) is not None:
        e.call(types.MethodType(own, made), [name, value], {}, node, frame)
        return
    if isinstance(made, RecordValue):
        made.fields[name] = value
        return
    from ccc.compile.frontend.memory.interface import places

    places.put_field(e, made, name, value, node, frame)


def own_setter(cls: type) -> Any:
    """The `__setattr__` that a class has of its own, written by hand; None where it has none.

    >>> own_setter(type("Point", (), {"__setattr__": lambda self, name, value: None})) is None, own_setter(list)
    (False, None)
    """
    found = class_attribute(cls, "__setattr__")
    return found if isinstance(found, types.FunctionType) and not generated(cls, "__setattr__") else None


def assigned_by_class(
    e: Elaboration, owner: RecordValue | Node, name: str, value: Any, node: ast.AST, frame: Frame
) -> bool:
    """Whether the class of an object says itself how attributes are assigned, which it did then. Refuses to assign the
    dict of them all."""
    cls = class_behind(owner.cls)
    own = own_setter(cls)
    if own is not None:
        e.attempts.last(lambda: e.call(types.MethodType(own, owner), [name, value], {}, node, frame))
    elif name == "__dict__":
        below = issubclass(getattr(cls, "__ccc_class__", cls), dict)
        raise unsupported("CC003", "`__dict__` is assigned", e.span(node, frame), help=(
            "give the class `def __getattr__(self, name): return self[name]` and `def __setattr__(self, name, value): "
            "self[name] = value`" if below else "write `self.__dict__.update(...)`"))
    return own is not None


def default_of(e: Elaboration, f: Any, cls: type, node: ast.AST, frame: Frame | None) -> Any:
    """The default of a field, made anew where it has a factory."""
    if f.default_factory is not MISSING:
        return e.call(f.default_factory, [], {}, node, frame)
    if f.default is MISSING or isinstance(f.default, (int, float, str, types.NoneType)):
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
