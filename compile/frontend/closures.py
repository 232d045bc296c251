"""Nested functions: a λ of the program for each signature that one is called with, applied at each call.

A captured name has the value that Python would find at the call, so a λ serves as long as nothing that it captured was
bound anew; a function that takes or gives functions is inlined instead.
"""

from __future__ import annotations

import ast
import types
from typing import Any

from ccc.compile.diagnostics import CompileError
from ccc.compile.frontend import cursors, generators
from ccc.compile.frontend.bodies import body_of, bound_arguments
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.interrupts import Borrowed, Ends
from ccc.compile.frontend.iterator_values import IteratorValue, RangeValue
from ccc.compile.frontend.memory.interface import stored
from ccc.compile.frontend.names import handed_on, read_names
from ccc.compile.frontend.outside import code_of
from ccc.compile.frontend.parts import is_object
from ccc.compile.frontend.recursion import entered
from ccc.compile.frontend.source import Source, source_of
from ccc.compile.frontend.values import (
    ChoiceValue,
    ClosureValue,
    Frame,
    ListValue,
    RecordValue,
    Variant,
    is_function,
    variables_in,
)
from ccc.compile.program.lam import Block, BlockKind, Call, Lambda, Let, Var, free_variables, like
from ccc.objects import Array, Exponential, Product

MUTABLE = ListValue | RecordValue
Captured = dict[tuple[int, str], Any]


def call_closure(
    e: Elaboration, function: ClosureValue, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """Apply a nested function: a λ for these types, applied; inlined where it takes or gives functions."""
    if generators.yields(function.node):
        def collect(made: Any, **more: Any) -> Any:
            twin = function.twin(made, function.frame, function.defaults, function.block)
            return call_closure(e, twin, args, {**kwargs, **more}, node, frame)

        return generators.called(e, function.node, [*args, *kwargs.values()], collect, node, frame, function)
    where = e.place(node, frame)
    given = bound_arguments(function.node, function.name, args, kwargs, function.defaults, where,
                            cursors.as_arguments(e, node, frame), function)
    given = stored.given(e, given, function.frame.function, node, frame, handed_on(function.node))
    outer = e.recorder.span
    key = (id(function.node), id(function.frame))

    def body(values: dict[str, Any]) -> Any:
        return inlined(e, function, values)

    try:
        if not e.attempts.active and not calls_itself(e, function) and all(first_order(e, v) for v in given.values()):
            result = applied(e, function, given, where)
            if result is not NotImplemented:
                return result
        return entered(e, key, function.name, given, body, node, frame, function.block)
    except CompileError as error:
        error.called_from(where)
        raise
    finally:
        e.recorder.span = outer


def calls_itself(e: Elaboration, function: ClosureValue) -> bool:
    """True where the body of a nested function reads names that stand for it, directly or through others; with other
    syntax, as a generator that is collected, it is the same function."""
    found = captured_now(e, function).values()
    return any(isinstance(value, ClosureValue) and value.attributes is function.attributes for value in found)


def first_order(e: Elaboration, value: Any) -> bool:
    """True where a value can be an argument of a λ: numbers, arrays, lists, tuples of them, known things; no view of a
    dict, which shows what that holds whenever it is asked."""
    if stored.is_view(e, value):
        return False
    if isinstance(value, tuple):
        return all([first_order(e, part) for part in value])
    if isinstance(value, Var) and is_object(value.object):
        return False
    return not is_function(value) and not isinstance(value, (MUTABLE, RangeValue, IteratorValue))


def frame_for(function: ClosureValue, given: dict[str, Any]) -> Frame:
    outer = function.frame
    inner = Frame(function.name, outer.file, outer.function, outer, function.node)
    inner.env = dict(given)
    return inner


def inlined(e: Elaboration, function: ClosureValue, given: dict[str, Any]) -> Any:
    """The body at the place of the call, where the captured variables have the values that Python would find."""
    return body_of(e, Source(function.frame.file, function.node), frame_for(function, given))


def applied(e: Elaboration, function: ClosureValue, given: dict[str, Any], where: Any) -> Any:
    """A λ for the types of the arguments, and its application; NotImplemented where the body changes what was there
    before or the result holds a function. For such a λ a body is read once: functions within functions that are read
    twice at each call would be read as often as two to the power of their depth."""
    key = tuple([(name, signature(value)) for name, value in given.items()])
    captured = captured_now(e, function)
    known = function.variants.get(key)
    if known is None or not (unchanged(known.captured, captured) and visible(e, known)):
        if (id(function.node), key) in e.inlined:
            return NotImplemented
        known = specialised(e, function, given, captured)
        if known is None:
            e.inlined[id(function.node), key] = function, given
            return NotImplemented
        function.variants[key] = known
    e.recorder.span = where
    args = [v for value in given.values() for v in variables_in(value)]
    for param, arg in zip(known.params, args, strict=True):
        e.origins.get(param, []).append(arg)
    let = e.recorder.emit(Call(), [known.function, *args])
    return instantiated(e, known.result, let)


def signature(value: Any) -> Any:
    if isinstance(value, tuple):
        return (getattr(value, "cls", tuple), *map(signature, value))
    if isinstance(value, Var):
        return value.object
    return (type(value), value if isinstance(value, (int, float, str, bool)) else id(value))


def captured_now(e: Elaboration, function: ClosureValue) -> Captured:
    """What the free names of the function, and of the functions among them, stand for at this moment."""
    found: Captured = {}
    if e.stores is not None:
        found.update(e.stores.contents())
    todo: list[Any] = [function]
    seen: set[int] = set()
    while todo:
        value = todo.pop()
        if isinstance(value, tuple):
            todo += value
        elif isinstance(value, MUTABLE) and id(value) not in seen:
            seen.add(id(value))
            parts = value.items if isinstance(value, ListValue) else value.fields.values()
            found.update({(id(value), str(i)): part for i, part in enumerate(parts)})
            found.update({(id(value), f"{i} holds"): e.versions.held(part) for i, part in enumerate(parts)})
            todo += parts
        elif isinstance(value, types.MethodType):
            todo.append(value.__self__)
        elif isinstance(value, ChoiceValue):
            todo += [value.then, value.orelse]
        elif isinstance(value, ClosureValue) and id(value) not in seen:
            seen.add(id(value))
            todo += value.defaults.values()
            for name in read_names(value.node):
                frame: Frame | None = value.frame
                while frame is not None and name not in frame.local:
                    frame = frame.outer
                if frame is not None and name in frame.env:
                    found[id(frame), name] = frame.env[name]
                    found[id(frame), f"{name} holds"] = e.versions.held(frame.env[name])
                    todo.append(frame.env[name])
    return found


def unchanged(before: Captured, now: Captured) -> bool:
    return before.keys() == now.keys() and all(before[key] is value for key, value in now.items())


def visible(e: Elaboration, known: Variant) -> bool:
    """True where a λ can be applied here: its block encloses this one within the same program, and still binds it, as
    what is elaborated again is taken away first."""
    var, position = known.function, known.position
    for block in e.recorder.block.ancestors():
        if block is var.home:
            return position < len(block.lets) and block.lets[position] is var.definition
        if block.kind is BlockKind.TOP:
            return False
    return False


def specialised(
    e: Elaboration, function: ClosureValue, given: dict[str, Any], captured: Captured
) -> Variant | None:
    """A new λ for arguments of these types, bound here."""
    block = Block(BlockKind.FUNCTION, e.recorder.block)

    def parameter(name: str, value: Any) -> Any:
        if isinstance(value, tuple):
            return like(value, [parameter(f"{name}_{i}", v) for i, v in enumerate(value)])
        return e.recorder.param(block, name, value.object) if isinstance(value, Var) else value

    params = {name: parameter(name, value) for name, value in given.items()}
    frames, active = len(e.frames), len(e.active)
    e.origins.update({param: [] for param in block.params if isinstance(param.object, Array)})
    e.versions.borrowed.update(block.params)
    try:
        result = e.inside(block, lambda: inlined(e, function, params))
    except (Ends, Borrowed):
        del e.frames[frames:], e.active[active:]
        return None
    finally:
        e.versions.borrowed.difference_update(block.params)
    if not returnable(result) or e.heap.changed(block):
        return None
    atoms = results_in(result)
    block.results = [e.versions.now(a, block) for a in atoms]
    let = Let(Lambda(block), [], e.recorder.span)
    home = block.parent = home_for(e, block)
    home.lets.append(let)
    dom = _object([p.object for p in block.params])
    cod = _object([a.object for a in atoms])
    var = let.target(function.name if function.name != "function" else "fn", Exponential(dom, cod), home)
    var.base = e.recorder
    return Variant(var, result, captured, list(block.params), len(home.lets) - 1)


def home_for(e: Elaboration, block: Block) -> Block:
    """Where a λ is bound: outside the λs that call it, as far as what it captures is known there. So a chain of
    functions stays a chain, each captured by the next, and is not nested."""
    home = e.recorder.block
    captured = free_variables(block, {})
    while home.kind is BlockKind.FUNCTION and home.parent is not None:
        around = list(home.parent.ancestors())
        if not all(v.home in around for v in captured):
            break
        home = home.parent
    return home


def _object(objects: list[Any]) -> Any:
    return objects[0] if len(objects) == 1 else Product(tuple(objects))


def returnable(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(returnable, value))
    if isinstance(value, Var) and is_object(value.object):
        return False
    return not is_function(value) and not isinstance(value, (RangeValue, IteratorValue, MUTABLE))


def results_in(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [a for part in value for a in results_in(part)]
    return [value] if isinstance(value, Var) else []


def instantiated(e: Elaboration, template: Any, let: Let) -> Any:
    """The result of a call: fresh variables for those of the body."""
    if isinstance(template, tuple):
        return like(template, [instantiated(e, part, let) for part in template])
    if isinstance(template, Var):
        return e.recorder.target(let, "", template.object)
    return template


def as_value(e: Elaboration, function: Any, args: list[Any]) -> Any:
    """A function of the result as a variable of the program, for arguments of known types."""
    if isinstance(function, types.FunctionType):
        source = source_of(function)
        code_of(e, function)
        frame = Frame(function.__name__, source.file, function, None, source.node)
        function = ClosureValue(source.node, frame, {}, e.recorder.block)  # type: ignore[arg-type]
    if not isinstance(function, ClosureValue):
        return function
    given = bound_arguments(function.node, function.name, args, {}, function.defaults, None, users=function)
    found = specialised(e, function, given, captured_now(e, function))
    return function if found is None else found.function
