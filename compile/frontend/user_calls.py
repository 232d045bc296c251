"""Calls of what users write in Python: a function is inlined, of one of several each is tried."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterable
from typing import Any

from ccc.compile.diagnostics import CompileError, unsupported
from ccc.compile.frontend import alternatives, boxed, cursors, generators, misfits, records, sums
from ccc.compile.frontend.bodies import body_of, bound_arguments
from ccc.compile.frontend.closing import closing
from ccc.compile.frontend.defaults import Defaults
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterator_values import IteratorValue
from ccc.compile.frontend.memory.interface import stored
from ccc.compile.frontend.names import handed_on, written
from ccc.compile.frontend.outside import code_of
from ccc.compile.frontend.recursion import entered
from ccc.compile.frontend.source import Source, source_of
from ccc.compile.frontend.values import ClosureValue, Frame, RecordValue, SumMethod, is_function
from ccc.compile.frontend.yielding import yields
from ccc.compile.program.lam import Node, Var


def call_user(
    e: Elaboration, function: types.FunctionType, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None,
) -> Any:
    """Inline a user function."""
    source = source_of(function)
    code_of(e, function)
    if isinstance(source.node, ast.AsyncFunctionDef):
        raise unsupported("CC003", "`async def` is not supported", source.span(source.node), help="use `def`")
    if frame is not None and yields(source.node):
        def collect(made: Any, **more: Any) -> Any:
            return call_body(e, function, Source(source.file, made), args, {**kwargs, **more}, node, frame)

        return generators.called(e, source.node, [*args, *kwargs.values()], collect, node, frame, function)
    return call_body(e, function, source, args, kwargs, node, frame)


def call_body(
    e: Elaboration, function: types.FunctionType, source: Source, args: list[Any], kwargs: dict[str, Any],
    node: ast.AST, frame: Frame | None,
) -> Any:  # fmt: skip
    """The result of the body of a user function."""
    where, made = e.place(node, frame), closing(e, source.node)
    source = source if made is source.node else Source(source.file, made)
    given = bound_arguments(
        source.node, function.__name__, args, kwargs, Defaults(e, function, node, frame), where,
        cursors.as_arguments(e, node, frame), function,
    )

    given = stored.given(e, given, function, node, frame, handed_on(source.node))

    def body(values: dict[str, Any]) -> Any:
        cells = function.__closure__ or ()
        around = next((e.around_methods[id(cell)] for cell in cells if id(cell) in e.around_methods), None)
        inner = Frame(function.__name__, source.file, function, around, source.node, (node, frame))
        inner.env = dict(values)
        return body_of(e, source, inner)

    outer = e.recorder.span
    one: Any = function if function.__closure__ else function.__code__  # closures of one code are others each
    if isinstance(each := kwargs.get(generators.EACH), ClosureValue):
        one = (one, each.node)  # along one generator a loop may run in one that runs along another
    try:
        return entered(e, one, function.__name__, given, body, node, frame, e.top)
    except CompileError as error:
        if frame is not None:
            error.called_from(where)
        raise
    finally:
        e.recorder.span = outer


def unfit(function: Any, count: int, names: Iterable[str]) -> tuple[type, str] | None:
    """The exception of a call with so many arguments and with these names; None for methods of lists, dicts and arrays,
    which say themselves what they take, and for functions that take these."""
    if isinstance(function, types.MethodType) and records.is_compiled(function.__func__):
        return None
    return misfits.misfit(function, count, names)


def call_method_of_sum(
    e: Elaboration, method: SumMethod, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """The result of a method of one of several objects. Where these hold such ones, as the nodes of a tree do, it is a
    function of its own, which asks what it was given: a method that calls that of a part recurs through it, and each
    class has one body whatever the others call."""
    return recurring(e, method.owner, method.name, args, kwargs, frame, node, lambda owner, args, kwargs: (
        alternatives.call_method(e, SumMethod(owner, method.name), args, kwargs, node, frame)))


def recurring(
    e: Elaboration, owner: Var, name: str, args: list[Any], kwargs: dict[str, Any], frame: Frame, node: ast.AST,
    use: Callable[[Var, list[Any], dict[str, Any]], Any],
) -> Any:
    """What `use` gives of a tree, of which nothing is ruled out, as a function that may recur; of others as it is."""
    whole = sums.is_tree(owner) and len(sums.left(e, owner)) == len(owner.object.alternatives)  # type: ignore[attr-defined]
    if not whole or any(isinstance(value, IteratorValue) for value in [*args, *kwargs.values()]):
        return use(owner, args, kwargs)
    given: dict[str, Any] = {"self": owner, **{f"argument {i}": a for i, a in enumerate(args)}}
    given |= {f"named {key}": value for key, value in kwargs.items()}

    def body(values: dict[str, Any]) -> Any:
        inner = [values[f"argument {i}"] for i in range(len(args))]
        return as_statement(e, lambda: use(
            values["self"], inner, {key: values[f"named {key}"] for key in kwargs}), node, frame)

    return entered(e, ("of one of", name, len(args), *kwargs), name, given, body, node, frame, e.top)


class Computed:
    """A call without arguments of what the compiler computes."""

    def __init__(self, run: Callable[[], Any]) -> None:
        self.run = run

    def __ccc_inline__(self, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        return self.run()


def as_statement(e: Elaboration, run: Callable[[], Any], node: ast.AST, frame: Frame) -> Any:
    """What a function gives that no `def` writes: where exceptions are caught, by a statement, which goes on in
    branches where some of the ways through it raise one."""
    if not e.attempts.active:
        return run()
    inner = Frame("a call", frame.file, frame.function, frame)
    inner.local, inner.env = frozenset(["computed"]), {"computed": Computed(run)}
    e.frames.append(inner)
    try:
        return e.run(written("return computed()", node), inner)
    finally:
        e.frames.pop()


def call_one_of(
    e: Elaboration, function: Var, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """The result of calling one of several functions."""
    classes = tuple(sorted([
        a.cls.__name__ + str(id(a.cls)) for a in sums.left(e, function).values() if boxed.is_code(a)]))  # type: ignore[attr-defined]
    if len(classes) < len(sums.left(e, function)):
        fails = lambda f: unfit(f, len(args), kwargs) if is_function(f) or isinstance(  # noqa: E731
            f, (RecordValue, Node)) else (TypeError, f"'{alternatives.class_name(f)}' object is not callable")
        called = lambda f, args, kwargs: alternatives.dispatch(  # noqa: E731
            e, f, lambda one: e.call(one, list(args), dict(kwargs), node, frame), fails, node, frame)
        return recurring(e, function, "__call__", args, kwargs, frame, node, called)
    given: dict[str, Any] = {"function": function, **{f"argument {i}": a for i, a in enumerate(args)}}
    given |= {f"named {name}": value for name, value in kwargs.items()}

    def body(values: dict[str, Any]) -> Any:
        inner = [values[f"argument {i}"] for i in range(len(args))]
        named = {name: values[f"named {name}"] for name in kwargs}
        value = values["function"]
        value = sums.narrowed(e, value) if sums.is_sum(value) else value
        use = lambda f: e.call(f, list(inner), dict(named), node, frame)  # noqa: E731
        if not sums.is_sum(value):
            return use(value)
        fails = lambda f: unfit(f, len(inner), named)  # noqa: E731
        return alternatives.dispatch(e, value, use, fails, node, frame)

    return entered(e, ("one of", classes), "call", given, body, node, frame, e.top)
