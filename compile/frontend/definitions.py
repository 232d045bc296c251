"""Library functions by their definition in Python: `ccc.compile.frontend.prelude` is read where one of them is called.

What a definition does stands at the place of the call, so a message about it points at the program of the user.
"""

from __future__ import annotations

import ast
import functools
import inspect
import types
from typing import Any

import numpy as np

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import generators, numpy_functions, prelude
from ccc.compile.frontend.attempts import PLACE, stands_at
from ccc.compile.frontend.bodies import bound_arguments
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import GOES_ON
from ccc.compile.frontend.iterables import known_items
from ccc.compile.frontend.iterator_values import IteratorValue, OnceValue, RangeValue, taking_turns
from ccc.compile.frontend.memory.interface import list_changes, stored
from ccc.compile.frontend.names import local_names
from ccc.compile.frontend.numpy_functions import table
from ccc.compile.frontend.regions import region_of
from ccc.compile.frontend.source import source_of
from ccc.compile.frontend.values import ITEMS, ClosureValue, Frame, RecordValue, TextValue
from ccc.compile.program.lam import Var
from ccc.objects import UNIT, Coproduct, Object
from ccc.primitives import complexes

PLACES = (numpy_functions.__name__, "ccc.compile.libraries")
"""Where definitions stand."""


@functools.cache
def definitions() -> dict[str, ast.FunctionDef]:
    """The functions of the prelude by name."""
    tree = ast.parse(inspect.getsource(prelude))
    return {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}


def defined(e: Elaboration, name: str, args: list[Any], node: ast.AST, frame: Frame) -> Any:
    """The result of a function of the prelude, read as if it stood at `node`."""
    definition = definitions()[name]
    inner = Frame(name, frame.file, getattr(prelude, name), None, None, (node, frame))
    inner.local = local_names(definition)
    spec = definition.args
    inner.env.update(zip([a.arg for a in spec.args], args, strict=spec.vararg is None))
    if spec.vararg is not None:
        inner.env[spec.vararg.arg] = tuple(args[len(spec.args):])
    body = [moved(statement, node) for statement in definition.body if not is_text(statement)]
    e.frames.append(inner)
    try:
        found = e.attempts.part(lambda: e.run(body, inner))
        return None if found is GOES_ON else found
    finally:
        e.frames.pop()


@functools.cache
def syntax(definition: Any) -> ast.FunctionDef:
    """The syntax of a definition, below its decorator."""
    tree = source_of(inspect.unwrap(definition)).node
    assert isinstance(tree, ast.FunctionDef)
    for parameter in [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]:
        parameter.annotation = None  # which messages do not show
    return tree


def by_definition(
    e: Elaboration, definition: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """The result of a function of NumPy's by a definition, read as if it stood at `node`; another function of a library
    is called."""
    if not (isinstance(definition, types.FunctionType) and (definition.__module__ or "").startswith(PLACES)):
        return e.call(definition, args, kwargs, node, frame)
    tree = syntax(definition)
    if generators.yields(tree):
        def read(made: Any, **more: Any) -> Any:
            return read_as(e, definition, made, args, {**kwargs, **more}, node, frame)

        found = generators.called(e, tree, [*args, *kwargs.values()], read, node, frame)
        found.called = generators.site_of(node, frame)
        return found
    return read_as(e, definition, tree, args, kwargs, node, frame)


def read_as(
    e: Elaboration, definition: Any, tree: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """The result of a definition with this syntax."""
    where = e.place(node, frame)
    in_turn = definition.__module__ == table.TURNS
    of_python = (definition.__module__ or "").startswith(table.PYTHON) and not in_turn
    as_object = taking_turns if in_turn else (
        lambda xs: collected(e, xs, node, frame)) if of_python else None
    given = bound_arguments(tree, definition.__name__, args, kwargs, defaults_of(definition), where, as_object)
    inner = Frame(definition.__name__, frame.file, definition, None, None, (node, frame))
    inner.local = local_names(tree)
    if of_python:
        given = stored.given(e, given, definition, node, frame)
    inner.env.update(given)
    e.frames.append(inner)
    try:
        found = e.attempts.part(lambda: e.run([moved(s, node) for s in tree.body if not is_text(s)], inner))
        return None if found is GOES_ON else found
    finally:
        e.frames.pop()


def collected(e: Elaboration, xs: Any, node: ast.AST, frame: Frame) -> Any:
    """The list of what an iterator without effects gives, whenever it is asked."""
    from ccc.compile.frontend.iterated import refuse_effects

    refuse_effects(e, xs, node, frame)
    return e.call(list, [xs], {}, node, frame)


def defaults_of(definition: Any) -> dict[str, Any]:
    """The defaults of a definition's parameters, which are constants."""
    parameters = inspect.signature(definition).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def definition_of(function: Any) -> Any:
    """The definition of a function of NumPy's or SciPy's, or the function itself where it is part of one; None for
    others."""
    if isinstance(function, types.FunctionType) and (function.__module__ or "").startswith(PLACES):
        return function
    return table.found(function)


def definition_of_method(name: str, of_complex: bool = False) -> Any:
    """The definition of a method of arrays, or of complex ones; None where there is none."""
    if not hasattr(np.ndarray, name):
        return None
    from ccc.compile.frontend.numpy_functions import elementwise

    if of_complex and name in elementwise.METHODS_OF_COMPLEX:
        return elementwise.METHODS_OF_COMPLEX[name]
    if name in elementwise.METHODS:
        return elementwise.METHODS[name]
    return definition_of(getattr(np, name, None))


def of_ufunc(method: Any) -> tuple[Any, list[Any], dict[str, Any]] | None:
    """What to call in place of a method of an elementwise function of two arguments, what to give it first, and what
    where the method is given an array alone; None for what is no such method."""
    owner, name = getattr(method, "__self__", None), getattr(method, "__name__", "")
    if not isinstance(owner, np.ufunc) or owner.nout != 1 or owner.signature is not None:
        return None
    if owner.nin != (2 if name != "at" else owner.nin):
        return None
    from ccc.compile.frontend.numpy_functions import functional

    reduction = functional.REDUCTIONS.get(owner)
    if name == "reduce" and reduction is not None:
        return reduction, [], {"axis": 0}
    if name == "accumulate" and owner in functional.RUNNING:
        return functional.RUNNING[owner], [], {"axis": 0}
    if name == "reduceat" and reduction is not None:
        return functional.reduced_between, [reduction], {}
    definition = functional.METHODS.get(name)
    return None if definition is None else (definition, [owner], {})


def of_slices(e: Elaboration, value: Any, key: Any, node: ast.AST, frame: Frame) -> Any:
    """What `np.s_`, `np.r_`, `np.c_`, `np.mgrid` and `np.ogrid` give at an index; None for other values."""
    if isinstance(value, type(np.s_)):
        return (key,) if value.maketuple and not isinstance(key, tuple) else key
    if isinstance(value, Var):
        return None
    from ccc.compile.frontend.numpy_functions import shapes

    definition = shapes.AT_INDEX.get(type(value))
    if definition is None:
        return None
    given = key if isinstance(key, tuple) else (key,)
    if isinstance(given[0], str) and definition is shapes.rows_joined:
        definition, given = shapes.joined_along, (*along(e, given[0], node, frame), *given[1:])
    points = shapes.on_grid if definition in (shapes.dense, shapes.sparse) else np.linspace
    entries = [ranged(e, entry, points, node, frame) for entry in given]
    return by_definition(e, definition, entries, {}, node, frame)


def along(e: Elaboration, text: str, node: ast.AST, frame: Frame) -> tuple[int, int]:
    """The axis that a text at the beginning of `np.r_[...]` names, and how many axes there are at least."""
    numbers = [int(part) for part in text.split(",") if part.strip().removeprefix("-").isdecimal()]
    if len(numbers) != len(text.split(",")) or len(numbers) > 2:
        raise unsupported("CC020", f"`np.r_` with the text {text!r} is not supported", e.place(node, frame),
                          "one of an axis, or of an axis and a number of axes, is",
                          help="use np.concatenate with an axis")
    return numbers[0], numbers[1] if len(numbers) > 1 else 1


def ranged(e: Elaboration, entry: Any, points: Any, node: ast.AST, frame: Frame) -> Any:
    """A slice as the range that it says, or as so many points as its imaginary step says, everything else as it is."""
    if isinstance(entry, (str, TextValue)):
        raise unsupported("CC020", "a text in such an index is not supported", e.place(node, frame),
                          help="use np.concatenate with an axis")
    if not isinstance(entry, slice):
        return entry
    start = 0 if entry.start is None else entry.start
    if isinstance(entry.step, RecordValue) and entry.step.cls is complexes.Complex:
        count = entry.step.fields["imag"]
        if not isinstance(count, (int, float)):
            raise unsupported("CC020", "the number of points of such a slice must be known", e.place(node, frame),
                              help="use np.linspace")
        return e.call(points, [start, entry.stop, int(abs(count))], {}, node, frame)
    return e.call(np.arange, [start, entry.stop, 1 if entry.step is None else entry.step], {}, node, frame)


def joined(e: Elaboration, parts: list[tuple[bool, Any]], node: ast.AST, frame: Frame) -> Any:
    """The list of items and of what stands behind a star, of which one is a list of unknown length."""
    return list_changes.display(e, [(starred, sequence(e, value, node, frame) if starred else value)
                                    for starred, value in parts], node, frame)


def refused_by_definition(
    e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """Refuse what a definition does not take, with the mend that it names."""
    mend = args[1] if len(args) > 1 else "compute it by functions that have a derivative"
    raise unsupported("CC020", args[0], e.place(node, frame), help=mend)


def parameters_counted(
    e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> int:
    """How many parameters a function has that are not only named."""
    (function,) = args
    if isinstance(function, ClosureValue):
        return len(function.node.args.posonlyargs) + len(function.node.args.args)
    if isinstance(function, types.FunctionType):
        return function.__code__.co_argcount
    raise unsupported("CC020", "how many parameters this function has is not known", e.place(node, frame),
                      help="write a lambda around it, with the parameters that it has")


def parameter_found(
    e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> bool:
    """Whether a function has a parameter of a name."""
    function, name = args
    if isinstance(function, ClosureValue):
        given = function.node.args
        return name in [a.arg for a in [*given.posonlyargs, *given.args, *given.kwonlyargs]]
    try:
        return table.has_parameter(function, name)
    except (TypeError, ValueError):
        raise unsupported("CC020", "which parameters this function has is not known", e.place(node, frame),
                          help="write a lambda around it, with the parameters that it has") from None


def are_by_address(
    e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> bool:
    """Whether the keys of a dict are objects in a store without a hash of their own, or there are none."""
    m = args[0].fields.get(ITEMS)
    return not args[0].fields if m is None else is_by_address(m.object.key)


def known_as_few(
    e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> bool:
    """Whether a whole number is known, and positive, and no more than another one."""
    n, most = args
    return type(n) is int and 0 < n <= most


def is_by_address(a: Object) -> bool:
    """True for objects of references to what is told apart by its address."""
    region = region_of(a)
    if isinstance(a, Coproduct):
        return all(map(is_by_address, a.alternatives))
    return a == UNIT or (region is not None and region.cls.__hash__ is object.__hash__)


def moved(part: Any, node: Any) -> Any:
    """A copy of syntax that stands at `node`, whose parts go on to be told apart by where they are `written`."""
    place = {name: getattr(node, name) for name in PLACE if hasattr(node, name)}

    def copied(part: Any) -> Any:
        if isinstance(part, list):
            return [copied(inner) for inner in part]
        if not isinstance(part, ast.AST) or not (part._fields or part._attributes):
            return part  # as `ast.Load()`, of which one serves all
        fields = {name: copied(getattr(part, name)) for name in part._fields if hasattr(part, name)}
        copy = type(part)(**fields, **(place if part._attributes else {}))
        if part._attributes:
            copy.written = getattr(part, "written", None) or stands_at(part)  # type: ignore[attr-defined]
        return copy

    return copied(part)


def is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def sequence(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """What is iterated, as what can be indexed: of a range or an iterator, the list of what it gives."""
    if isinstance(value, OnceValue):
        return sequence(e, value.items, node, frame)
    if isinstance(value, (IteratorValue, RangeValue)):
        from ccc.compile.frontend import comprehensions

        return comprehensions.copied(e, value, node, frame)
    if isinstance(value, RecordValue) and value.cls is dict:
        keys = known_items(value)
        return tuple(keys) if keys is not None else e.sequence(value, node, frame)
    return value
