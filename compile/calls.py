"""Calls: user functions are inlined, nested functions are λs applied, library functions are primitives."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable
from typing import Any

from ccc.objects import INT, Array, Exponential, List, Product, Real, object_of
from ccc.primitives import arithmetic, registry, structure
from compile.diagnostics import mismatch, unsupported
from compile.lam import Block, Call, Lambda, Let, Lit, Var
from compile.source import Source, source_of
from compile.statements import GOES_ON
from compile.values import (
    ChoiceValue, ClosureValue, EnumerateValue, Frame, ListValue, MethodValue, RangeValue, Variant, ZipValue, atom_of,
    is_function, variables_in,
)

Elaboration = Any
DEPTH = 12  # a function that is entered this often within itself is recursive


def call(e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """The result of calling any value."""
    if isinstance(function, ClosureValue):
        return call_closure(e, function, args, kwargs, node, frame)
    if isinstance(function, ChoiceValue):
        arms = []
        for chosen in (function.then, function.orelse):
            block = Block("branch", e.recorder.block)
            arms.append((block, e.inside(block, lambda f=chosen: call(e, f, args, kwargs, node, frame))))
        return e.join(function.test, arms[0], arms[1], node, frame)
    if isinstance(function, MethodValue):
        return adapted(e, function.method, [function.owner, *args], kwargs, f".{function.name}", node, frame)
    if isinstance(function, Var) and isinstance(function.object, Exponential) and not kwargs:
        return apply_variable(e, function, args, node, frame)
    if isinstance(function, Var):
        raise mismatch("CC022", f"a value of type {function.object} cannot be called", e.span(node, frame))
    return call_known(e, function, args, kwargs, node, frame)


def apply_variable(e: Elaboration, function: Var, args: list[Any], node: ast.AST, frame: Frame) -> Any:
    """Apply a function that is an argument of the program."""
    a = function.object
    assert isinstance(a, Exponential)
    value = args[0] if len(args) == 1 else tuple(args)
    wanted = list(a.dom.parts) if isinstance(a.dom, Product) else [a.dom]
    given = variables_in(value) if not isinstance(value, int | float) else [value]
    atoms = [atom_of(float(x) if isinstance(x, int) and isinstance(w, Real) else x)
             for x, w in zip(given, wanted, strict=False)]
    if [x.object for x in atoms] != wanted:
        raise mismatch("CC027", f"a function of type {a} got {', '.join(str(x.object) for x in atoms)}",
                       e.span(node, frame))
    let = e.recorder.emit(Call(), [function, *atoms])
    if isinstance(a.cod, Product):
        return tuple([e.recorder.target(let, "", part) for part in a.cod.parts])
    return e.recorder.target(let, "", a.cod)


def as_value(e: Elaboration, function: Any, args: list[Any]) -> Any:
    """A function of the result as a variable of the program, for arguments of known types."""
    if isinstance(function, types.FunctionType):
        source = source_of(function)
        function = ClosureValue(source.node, Frame(function.__name__, source.file, function, None, source.node), {}, e.recorder.block)  # type: ignore[arg-type]
    if not isinstance(function, ClosureValue):
        return function
    given = bound_arguments(e, function.node, function.name, args, {}, function.defaults, None)
    found = specialised(e, function, given, captured_now(function))
    return function if found is None else found.function


def call_known(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of calling a Python function object."""
    builtin = BUILTINS.get(function) if isinstance(function, types.BuiltinFunctionType | type) else None
    if builtin is not None:
        return builtin(e, args, kwargs, node, frame)
    adaptor = registry.find(function)
    if adaptor is not None:
        return adapted(e, adaptor, args, kwargs, getattr(function, "__name__", "function"), node, frame)
    operator_ = OPERATORS.get(function) if isinstance(function, types.FunctionType) else None
    if operator_ is not None:
        return operator_(*args, **kwargs)
    inline = getattr(function, "__ccc_inline__", None)
    if inline is not None and not isinstance(function, type):
        return inline(e, args, kwargs, node, frame)
    if isinstance(function, types.FunctionType):
        return call_user(e, function, args, kwargs, node, frame)
    if isinstance(function, types.MethodType) and isinstance(function.__func__, types.FunctionType):
        raise unsupported("CC003", "methods of your own classes are not supported yet", place(e, node, frame),
                          help="pass the numbers as arguments of a function")
    what = getattr(function, "__qualname__", None) or type(function).__name__
    module = getattr(function, "__module__", None)
    full = f"{module}.{what}" if module and module != "builtins" else what
    if not callable(function):
        raise mismatch("CC022", f"`{what}` cannot be called", place(e, node, frame))
    raise unsupported("CC020", f"no derivative rule for `{full}`", place(e, node, frame),
                      help="use a function that has one; `docs` lists them")


def place(e: Elaboration, node: ast.AST, frame: Frame | None) -> Any:
    return None if frame is None else e.span(node, frame)


def adapted(
    e: Elaboration, adaptor: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], name: str, node: ast.AST,
    frame: Frame | None,
) -> Any:
    """A library function: arguments as it takes them, a refusal that names what it does not take."""
    plain = [natural(e, a, node, frame) for a in args]
    named = {k: natural(e, v, node, frame) for k, v in kwargs.items()}
    if not any(variables_in(natural_tree(a)) for a in [*plain, *named.values()]):
        return constant_call(e, adaptor, plain, named, name, node, frame)
    try:
        return adaptor(*plain, **named)
    except TypeError as error:
        text = str(error)
        if "unexpected keyword" in text or "positional argument" in text or "required" in text:
            raise unsupported("CC020", f"`{name}` with these arguments is not supported", place(e, node, frame), text,
                              help="leave out the keyword, or compute it in two steps") from error
        raise


def constant_call(
    e: Elaboration, adaptor: Callable[..., Any], args: list[Any], kwargs: dict[str, Any], name: str, node: ast.AST,
    frame: Frame | None,
) -> Any:
    """A call whose arguments are all known: scalars are computed now, arrays are made anew in each run."""
    from ccc.primitives.primitive import Primitive

    if isinstance(adaptor, Primitive):
        return e.always(adaptor, tuple(args), **kwargs)
    seed = Marker(e.recorder)
    value = seed.run(adaptor, args, kwargs)
    return value


class Marker:
    """Runs an adaptor whose primitives must be recorded though their arguments are known."""

    def __init__(self, recorder: Any) -> None:
        self.recorder = recorder

    def run(self, adaptor: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
        from ccc.primitives.primitive import recording

        with recording(self.recorder):
            return adaptor(*args, **kwargs)


def natural(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value as a library function takes it."""
    if isinstance(value, ListValue):
        return [natural(e, v, node, frame) for v in value.items]
    if isinstance(value, RangeValue):
        return e.sequence(value, node, frame)
    if isinstance(value, ClosureValue | ChoiceValue | MethodValue):
        raise unsupported("CC022", "a function cannot be passed to this library function", place(e, node, frame))
    return value


def natural_tree(value: Any) -> Any:
    return tuple(map(natural_tree, value)) if isinstance(value, list) else value


# -- user functions ----------------------------------------------------------------------------------------------


def bound_arguments(
    e: Elaboration, node: Any, name: str, args: list[Any], kwargs: dict[str, Any], defaults: dict[str, Any],
    where: Any,
) -> dict[str, Any]:
    """Parameters and their values, as Python binds them."""
    spec = node.args
    positional = [a.arg for a in [*spec.posonlyargs, *spec.args]]
    found = dict(zip(positional, args, strict=False))
    if len(args) > len(positional):
        if spec.vararg is None:
            raise mismatch("CC027", f"`{name}` takes {len(positional)} arguments, {len(args)} were given", where)
    if spec.vararg is not None:
        found[spec.vararg.arg] = tuple(args[len(positional):])
    if spec.kwarg is not None:
        raise unsupported("CC003", f"`**{spec.kwarg.arg}` is not supported yet", where, help="name the parameters")
    only_named = [a.arg for a in spec.kwonlyargs]
    for key, value in kwargs.items():
        if key not in positional and key not in only_named:
            raise mismatch("CC027", f"`{name}` has no parameter `{key}`", where)
        if key in found:
            raise mismatch("CC027", f"`{name}` got `{key}` twice", where)
        found[key] = value
    for key in [*positional, *only_named]:
        if key not in found:
            if key not in defaults:
                raise mismatch("CC027", f"`{name}` misses its argument `{key}`", where)
            found[key] = defaults[key]
    return found


def call_user(
    e: Elaboration, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None,
) -> Any:
    """Inline a user function."""
    source = source_of(function)
    if isinstance(source.node, ast.AsyncFunctionDef):
        raise unsupported("CC003", "`async def` is not supported", source.span(source.node), help="use `def`")
    code = function.__code__
    if e.active.count(code) >= DEPTH:
        raise unsupported("CC003", f"`{function.__name__}` calls itself; recursion is not supported yet",
                          place(e, node, frame), help="write it as a loop")
    defaults = default_values(e, function, node, frame)
    where = place(e, node, frame)
    inner = Frame(function.__name__, source.file, function, None, source.node, (node, frame))
    inner.env = bound_arguments(e, source.node, function.__name__, args, kwargs, defaults, where)
    e.active.append(code)
    outer = e.recorder.span
    try:
        return body_of(e, source, inner)
    finally:
        e.active.pop()
        e.recorder.span = outer


def default_values(e: Elaboration, function: types.FunctionType, node: ast.AST, frame: Frame | None) -> dict[str, Any]:
    """The defaults of a function: numbers and arrays among them are hidden arguments."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    values = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
    values.update(function.__kwdefaults__ or {})
    return values


def body_of(e: Elaboration, source: Source, frame: Frame) -> Any:
    """What the body of a function gives in a new activation."""
    node = source.node
    e.frames.append(frame)
    try:
        if isinstance(node, ast.Lambda):
            return e.expression(node.body, frame)
        for inner in ast.walk(node):
            if isinstance(inner, ast.Yield | ast.YieldFrom):
                raise unsupported("CC004", "`yield` makes this a generator; derivatives need a returned value",
                                  e.span(inner, frame), help="collect the values in a tuple and return it")
        outcome = e.run(node.body, frame)
        return None if outcome is GOES_ON else outcome
    finally:
        e.frames.pop()


# -- nested functions --------------------------------------------------------------------------------------------


def call_closure(
    e: Elaboration, function: ClosureValue, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """Apply a nested function: a λ for these types, applied; inlined where it takes or gives functions."""
    where = e.span(node, frame)
    given = bound_arguments(e, function.node, function.name, args, kwargs, function.defaults, where)
    if e.active.count(id(function.node)) >= DEPTH:
        raise unsupported("CC003", f"`{function.name}` calls itself; recursion is not supported yet", where,
                          help="write it as a loop")
    e.active.append(id(function.node))
    outer = e.recorder.span
    try:
        if all(first_order(v) for v in given.values()):
            result = applied(e, function, given, where)
            if result is not NotImplemented:
                return result
        return inlined(e, function, given)
    finally:
        e.active.pop()
        e.recorder.span = outer


def first_order(value: Any) -> bool:
    """True where a value can be an argument of a λ: numbers, arrays, lists, tuples of them, known things."""
    if isinstance(value, tuple):
        return all(map(first_order, value))
    return not is_function(value) and not isinstance(value, ListValue | RangeValue | ZipValue | EnumerateValue)


def frame_for(function: ClosureValue, given: dict[str, Any]) -> Frame:
    outer = function.frame
    inner = Frame(function.name, outer.file, outer.function, outer, function.node)
    inner.env = dict(given)
    return inner


def inlined(e: Elaboration, function: ClosureValue, given: dict[str, Any]) -> Any:
    """The body at the place of the call, where the captured variables have the values that Python would find."""
    return body_of(e, Source(function.frame.file, function.node), frame_for(function, given))


def applied(e: Elaboration, function: ClosureValue, given: dict[str, Any], where: Any) -> Any:
    """A λ for the types of the arguments, and its application; NotImplemented where the result holds a function."""
    key = tuple([(name, signature(value)) for name, value in given.items()])
    captured = captured_now(function)
    known = function.variants.get(key)
    if known is not None and not (known_captures(function, captured) and visible(e, known.function)):
        known = None
    if known is None:
        known = specialised(e, function, given, captured)
        if known is None:
            return NotImplemented
        function.variants[key] = known
        function.captured = captured
    e.recorder.span = where
    args = [v for value in given.values() for v in variables_in(value)]
    let = e.recorder.emit(Call(), [known.function, *args])
    return instantiated(e, known.result, let)


def signature(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(signature, value))
    if isinstance(value, Var):
        return value.object
    return (type(value), value if isinstance(value, int | float | str | bool) else id(value))


def captured_now(function: ClosureValue) -> dict[str, Any]:
    """What the free names of the function stand for at this moment."""
    found: dict[str, Any] = {}
    names = {n.id for n in ast.walk(function.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    here: Frame | None = function.frame
    while here is not None:
        for name in names:
            if name in here.env and name not in found:
                found[name] = here.env[name]
        here = here.outer
    return found


def known_captures(function: ClosureValue, captured: dict[str, Any]) -> bool:
    return function.captured.keys() == captured.keys() and all(
        function.captured[name] is value for name, value in captured.items()
    )


def visible(e: Elaboration, var: Var) -> bool:
    return any(block is var.home for block in e.recorder.block.ancestors())


def specialised(e: Elaboration, function: ClosureValue, given: dict[str, Any], captured: dict[str, Any]) -> Variant | None:
    """A new λ for arguments of these types, bound here."""
    block = Block("function", e.recorder.block)

    def parameter(name: str, value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple([parameter(f"{name}_{i}", v) for i, v in enumerate(value)])
        return e.recorder.param(block, name, value.object) if isinstance(value, Var) else value

    params = {name: parameter(name, value) for name, value in given.items()}
    result = e.inside(block, lambda: inlined(e, function, params))
    if not returnable(result):
        return None
    atoms = results_in(result)
    block.results = list(atoms)
    let = Let(Lambda(block), [], e.recorder.span)
    e.recorder.block.lets.append(let)
    dom = _object([p.object for p in block.params])
    cod = _object([a.object for a in atoms])
    var = let.target(function.name if function.name != "function" else "fn", Exponential(dom, cod), e.recorder.block)
    var.base = e.recorder
    return Variant(var, result)


def _object(objects: list[Any]) -> Any:
    return objects[0] if len(objects) == 1 else Product(tuple(objects))


def returnable(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(returnable, value))
    return not is_function(value) and not isinstance(value, RangeValue | ZipValue | EnumerateValue | ListValue)


def results_in(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [a for part in value for a in results_in(part)]
    return [value] if isinstance(value, Var) else []


def instantiated(e: Elaboration, template: Any, let: Let) -> Any:
    """The result of a call: fresh variables for those of the body."""
    if isinstance(template, tuple):
        return tuple([instantiated(e, part, let) for part in template])
    if isinstance(template, Var):
        return e.recorder.target(let, "", template.object)
    return template


# -- builtins ----------------------------------------------------------------------------------------------------


def plain_only(name: str, args: list[Any], kwargs: dict[str, Any], e: Elaboration, node: ast.AST, frame: Any) -> None:
    if kwargs:
        raise unsupported("CC003", f"keywords of `{name}` are not supported", place(e, node, frame))


def range_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    plain_only("range", args, kwargs, e, node, frame)
    if not 1 <= len(args) <= 3:
        raise mismatch("CC027", "range takes one to three integers", place(e, node, frame))
    for a in args:
        if isinstance(a, Var | Lit) and not isinstance(a.object, type(INT)) or isinstance(a, float):
            raise mismatch("CC027", "range needs integers", place(e, node, frame), help="int(...) makes one")
    return RangeValue(tuple(args))


def zip_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    if set(kwargs) - {"strict"} or not args:
        raise unsupported("CC003", "`zip` with these arguments is not supported", place(e, node, frame))
    return ZipValue(tuple(args))


def enumerate_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    if set(kwargs) - {"start"}:
        raise unsupported("CC003", "`enumerate` with these arguments is not supported", place(e, node, frame))
    return EnumerateValue(args[0], kwargs.get("start", args[1] if len(args) > 1 else 0))


def len_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    (value,) = args
    if isinstance(value, ListValue):
        return len(value.items)
    if isinstance(value, RangeValue):
        return structure.length(e.sequence(value, node, frame))
    if isinstance(value, Var):
        if not isinstance(value.object, Array | List):
            raise mismatch("CC027", f"a value of type {value.object} has no length", place(e, node, frame))
        return structure.length(value)
    return len(value)


def tuple_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    if not args:
        return ()
    (value,) = args
    if isinstance(value, tuple):
        return value
    if isinstance(value, ListValue):
        return tuple(value.items)
    raise unsupported("CC003", "`tuple` of a value of unknown length is not supported", place(e, node, frame))


def isinstance_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    import numpy as np

    from ccc.objects import Bool, Int

    value, classes = args
    if not isinstance(value, Var):
        stand_in: Any = list() if isinstance(value, ListValue) else value
        return isinstance(stand_in, classes)
    kinds: dict[type, tuple[type, ...]] = {Bool: (bool,), Int: (int,), Array: (np.ndarray,), List: (list,)}
    a = value.object
    known = kinds.get(type(a))
    if isinstance(a, Real):
        known = (float,) if a.kind == "float" else (np.dtype(a.kind).type,) if a.kind.startswith("float") else None
    if known is None:
        raise unsupported("CC003", f"`isinstance` of a value of type {a} is not known", place(e, node, frame))
    return issubclass(known[0], classes)


def sum_(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    items = args[0].items if isinstance(args[0], ListValue) else args[0]
    if not isinstance(items, tuple | list):
        raise unsupported("CC003", "`sum` of a value of unknown length is not supported yet", place(e, node, frame),
                          help="np.sum, or a loop")
    result: Any = args[1] if len(args) > 1 else kwargs.get("start", 0)
    for item in items:
        result = arithmetic.add(result, item) if isinstance(result, Var) or isinstance(item, Var) else result + item
    return result


OPERATORS: dict[Any, Callable[..., Any]] = {}
"""Differential operators, which give a transform of a function met inside a program; `compile.api` enters them."""

BUILTINS: dict[Any, Callable[..., Any]] = {
    builtins.range: range_,
    builtins.zip: zip_,
    builtins.enumerate: enumerate_,
    builtins.len: len_,
    builtins.tuple: tuple_,
    builtins.isinstance: isinstance_,
    builtins.sum: sum_,
}


__all__ = ["BUILTINS", "atom_of", "call", "call_known", "object_of"]
