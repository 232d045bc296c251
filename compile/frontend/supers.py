"""`super()` while a function is elaborated: an object whose attributes are looked up behind a class."""

from __future__ import annotations

import ast
import types
from typing import Any

from ccc.compile.diagnostics import mismatch, nearest, unsupported
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.names import located
from ccc.compile.frontend.numpy_functions.below import place_in
from ccc.compile.frontend.parts import generated
from ccc.compile.frontend.records import arguments_kept, attribute_set, generated_init, through_class
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.values import Frame, RecordValue
from ccc.compile.program.lam import Node
from ccc.primitives import registry


class SuperValue:
    """`super()`: attributes are looked up behind a class."""

    __slots__ = ("after", "value")

    def __init__(self, after: type, value: Any) -> None:
        self.after = after
        self.value = value


def super_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """`super()` in a method, and `super(Class, self)`."""
    if len(args) == 2 and not kwargs and isinstance(args[0], type) and is_below(args[1], args[0]):
        return SuperValue(args[0], args[1])
    function = frame.function
    free = function.__code__.co_freevars
    first = function.__code__.co_varnames[:1]
    if args or kwargs or "__class__" not in free or not first:
        raise unsupported("CC003", "`super` is supported inside a method, without arguments or of the method's object",
                          e.span(node, frame), help="write `super().name(...)` in a method")
    return SuperValue(function.__closure__[free.index("__class__")].cell_contents,
                      e.expression(located(ast.Name(first[0], ast.Load()), node), frame))


def is_below(value: Any, cls: type) -> bool:
    """Whether a value is known to be an object of a class or of one below, or such a class."""
    if isinstance(value, (RecordValue, Node)):
        value = class_behind(value.cls)
        value = getattr(value, "__ccc_class__", value)
    return isinstance(value, type) and issubclass(value, cls)


def super_attribute(e: Elaboration, found: SuperValue, name: str, node: ast.AST, frame: Frame) -> Any:
    """`super().name`."""
    value = found.value
    if registry.is_holder(value):
        return getattr(super(found.after, value), name)
    cls = value if isinstance(value, type) else class_behind(value.cls)
    mro = cls.__mro__
    for base in mro[place_in(mro, found.after) + 1:]:
        if name in base.__dict__:
            if base is object and name == "__init__":
                return lambda *_: None
            if base is object and name == "__setattr__" and not isinstance(value, type):
                return types.MethodType(attribute_set, value)
            if name == "__init__" and isinstance(value, RecordValue) and isinstance(value.cls, type) and issubclass(
                    value.cls, BaseException) and not isinstance(base.__init__, types.FunctionType):
                return types.MethodType(arguments_kept, value)
            if name == "__init__" and generated(base, "__init__"):
                return types.MethodType(generated_init, (base, value))
            return through_class(e, value, base.__dict__[name], base, name, node, frame)
    raise mismatch("CC027", f"no base of `{found.after.__name__}` has an attribute `{name}`", e.span(node, frame),
                   help=nearest(name, [n for base in mro[place_in(mro, found.after) + 1:] for n in vars(base)],
                                "call a method that a base has"))
