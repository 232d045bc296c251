"""`with`: what a context manager does before and behind a body, whose ends are those of `try` and `finally`."""

from __future__ import annotations

import ast
import contextlib
import sys
import threading
import types
import warnings
from collections.abc import Callable, Hashable
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import alternatives, decorated, outside_calls, records, refused_builtins
from ccc.compile.frontend.bodies import bound_arguments
from ccc.compile.frontend.closures import frame_for
from ccc.compile.frontend.conditions import truth
from ccc.compile.frontend.defaults import Defaults
from ccc.compile.frontend.definitions import definition_of
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import ON, Paths
from ccc.compile.frontend.grammar import message_for
from ccc.compile.frontend.interrupts import Raised
from ccc.compile.frontend.outside import code_of
from ccc.compile.frontend.parts import defined
from ccc.compile.frontend.paths import fork
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.source import source_of
from ccc.compile.frontend.trying import as_statement, is_quiet, raised_again, try_, with_exit
from ccc.compile.frontend.values import ClosureValue, Frame, OwnName, TypeValue, told_by
from ccc.compile.program.lam import Var

NO_MANAGER = alternatives.lacking("__enter__", "'{}' object does not support the context manager protocol")
GENERATED = contextlib.contextmanager(lambda: iter(())).__code__
"""That of functions which `contextlib.contextmanager` decorates."""


def with_(e: Elaboration, node: ast.With, frame: Frame) -> Paths:
    """`with`, one manager after the other."""
    if len(node.items) > 1:
        inner = ast.copy_location(ast.With(node.items[1:], node.body), node)
        outer = ast.copy_location(ast.With(node.items[:1], [inner]), node)
        inner.stands_for = outer.stands_for = getattr(node, "stands_for", node)  # type: ignore[attr-defined]
        return e.ends_of([outer], frame)
    call = node.items[0].context_expr
    function = e.expression(call.func, frame) if isinstance(call, ast.Call) else None
    if isinstance(call, ast.Call) and function is contextlib.suppress and not call.keywords:
        return suppressed(e, call, node, frame)
    if isinstance(call, ast.Call) and function is contextlib.nullcontext:
        args, kwargs = given(e, call, frame)
        value = next(iter([*args, *kwargs.values()]), None)
        return entered(e, node, value, lambda: Paths([ON], frame.env), None, frame)
    if isinstance(call, ast.Call) and function is warnings.catch_warnings and node.items[0].optional_vars is None:
        args, kwargs = given(e, call, frame)
        return outside(e, Nested(lambda: warnings.catch_warnings(*args, **kwargs)), node, frame)
    if isinstance(call, ast.Call) and is_generated(function):
        return generated(e, call, function, node, frame)
    manager = None if is_of_library(function) and definition_of(function) is None else e.expression(call, frame)
    if alternatives.asks_method(e, manager, "__enter__"):
        manager = alternatives.able(e, manager, NO_MANAGER, node, frame)
        return alternatives.paths(e, manager, lambda one: managed(e, one, node, frame), node, frame)
    if defined(manager, "__enter__") and defined(manager, "__exit__"):
        return managed(e, manager, node, frame)
    if node.items[0].optional_vars is None and outside_calls.is_manager(manager):
        return outside(e, manager, node, frame)
    if manager is None and isinstance(function, Hashable) and function in refused_builtins.MENDS:
        e.expression(call, frame)  # which says why
    code, message, mend = message_for("With")
    raise unsupported(code, message, e.span(node, frame), help=mend)


def given(e: Elaboration, call: ast.Call, frame: Frame) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of the call of a manager."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        raise unsupported("CC003", "`with` of a call with `*` or `**` is not supported", e.span(call, frame),
                          help="write the arguments out")
    args = [e.expression(a, frame) for a in call.args]
    return args, {str(k.arg): e.expression(k.value, frame) for k in call.keywords}


def entered(
    e: Elaboration, node: ast.With, value: Any, last: Callable[[], Paths],
    raised: Callable[[Raised, Any], Paths] | None, frame: Frame,
) -> Paths:  # fmt: skip
    """The ends of a body behind what a manager gives at its beginning."""
    target = node.items[0].optional_vars
    if target is not None:
        e.bind(target, value, frame)
    return with_exit(e, node.body, last, raised, node, frame)


def suppressed(e: Elaboration, call: ast.Call, node: ast.With, frame: Frame) -> Paths:
    """`with contextlib.suppress(...)` as a `try` whose handler does nothing."""
    kinds = ast.copy_location(ast.Tuple(list(call.args), ast.Load()), call)
    handler = ast.copy_location(ast.ExceptHandler(kinds, None, [ast.copy_location(ast.Pass(), call)]), call)
    made = ast.copy_location(ast.Try(node.body, [handler], [], []), node)
    made.stands_for = node  # type: ignore[attr-defined]
    return try_(e, made, frame)


def managed(e: Elaboration, manager: Any, node: ast.With, frame: Frame) -> Paths:
    """`with` of an object whose class has `__enter__` and `__exit__`."""
    value = records.special(e, manager, "__enter__", [], {}, node, frame)

    def exited(cls: Any, found: Any, rest: Callable[[Any], Paths]) -> Paths:
        def leave() -> Any:
            return records.special(e, manager, "__exit__", [cls, found, None], {}, node, frame)

        return as_statement(e, leave, rest, node, frame)

    def last() -> Paths:
        return exited(None, None, lambda _: Paths([ON], frame.env))

    def raised(kind: Raised, found: Any) -> Paths:
        again = lambda: raised_again(e, kind, found, node, frame)  # noqa: E731

        def behind(given: Any) -> Paths:
            test = truth(e, given, node, frame)
            if isinstance(test, Var):
                return fork(e, test, lambda: Paths([ON], frame.env), again, node, frame)
            return Paths([ON], frame.env) if test else again()

        return exited(kind.cls if told_by(found) is None else TypeValue(found), found, behind)

    method = getattr(class_behind(manager.cls), "__exit__", None)
    source = source_of(method).node if isinstance(method, types.FunctionType) else None
    quiet = isinstance(source, ast.FunctionDef) and is_quiet(source.body)
    unseen = quiet and not e.attempts.active
    held = Frame("a manager", frame.file, None, None)
    held.env[OwnName("the manager of a `with`")] = manager
    e.frames.append(held)  # until it is left, the manager sees what changes of it
    try:
        return entered(e, node, value, last, None if unseen else raised, frame)
    finally:
        e.frames.remove(held)


def outside(e: Elaboration, manager: Any, node: ast.With, frame: Frame) -> Paths:
    """`with` of an object outside, as a lock: it is entered and left as it is."""
    outside_calls.enter(e, manager)

    def last() -> Paths:
        outside_calls.leave(e, manager, None)
        return Paths([ON], frame.env)

    def raised(kind: Raised, found: Any) -> Paths:
        test = outside_calls.leave(e, manager, kind.cls)
        again = lambda: raised_again(e, kind, found, node, frame)  # noqa: E731
        return fork(e, test, lambda: Paths([ON], frame.env), again, node, frame)

    return entered(e, node, None, last, raised, frame)


class Nested:
    """A manager as it is made anew each time that it is entered.

    >>> with Nested(warnings.catch_warnings):
    ...     warnings.simplefilter("ignore")
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make
        self.kept = threading.local()

    def __enter__(self) -> None:
        self.kept.__dict__.setdefault("entered", []).append(made := self.make())
        made.__enter__()

    def __exit__(self, *raised: Any) -> Any:
        return self.kept.entered.pop().__exit__(*raised)


def is_generated(function: Any) -> bool:
    """True for functions that `contextlib.contextmanager` decorates, outside and in the program."""
    if isinstance(function, (types.FunctionType, types.MethodType)):
        return getattr(function, "__code__", None) is GENERATED
    return decorated.manages(function)


def is_of_library(function: Any) -> bool:
    """True for managers of Python's library and of NumPy's."""
    home = (getattr(function, "__module__", None) or "").partition(".")[0]
    return home in sys.stdlib_module_names or home == "numpy"


# -- contextlib.contextmanager -----------------------------------------------------------------------------------


def generated(e: Elaboration, call: ast.Call, function: Any, node: ast.With, frame: Frame) -> Paths:
    """`with` of a generator that `contextlib.contextmanager` decorates: its statements before `yield`, the body, and
    those behind it."""
    args, kwargs = given(e, call, frame)
    if isinstance(function, types.MethodType):
        args, function = [function.__self__, *args], function.__func__
    if isinstance(function, ClosureValue):
        syntax, name, defaults = function.node, function.name, function.defaults
        inner, of = frame_for(function, {}), function
    else:
        of = function.__wrapped__
        source = source_of(of)
        code_of(e, of)
        syntax, name, defaults = source.node, of.__name__, Defaults(e, of, node, frame)
        inner = Frame(name, source.file, of, None, syntax, (node, frame))
    before, value, behind, always = around_yield(e, syntax, node, frame)
    inner.env = dict(bound_arguments(syntax, name, args, kwargs, defaults, e.place(node, frame), users=of))
    e.frames.append(inner)

    def run(body: list[ast.stmt], env: dict[str, Any]) -> Paths:
        inner.env = dict(env)
        ends = e.ends_of(body, inner)
        if not ends.flows:
            raise unsupported("CC003", "a manager that leaves or raises behind its `yield` is not supported",
                              e.span(node, frame), help="let the statements behind `yield` go on")
        inner.env = ends.names(ON)
        return Paths([ON], frame.env)

    def raised(kind: Raised, found: Any) -> Paths:
        run(always, env)
        return raised_again(e, kind, found, node, frame)

    try:
        run(before, inner.env)
        shown = None if value is None else e.expression(value, inner)
        env = dict(inner.env)
        seen = bool(always) and not (is_quiet(always) and not e.attempts.active)
        return entered(e, node, shown, lambda: run([*behind, *always], env), raised if seen else None, frame)
    finally:
        e.frames.remove(inner)


def around_yield(
    e: Elaboration, function: Any, node: ast.With, frame: Frame
) -> tuple[list[ast.stmt], ast.expr | None, list[ast.stmt], list[ast.stmt]]:
    """The statements before the one `yield` of a function, what it gives, the statements behind it, and those that run
    behind it whatever is raised."""
    body: list[ast.stmt] = function.body
    yields = [n for statement in body for n in ast.walk(statement) if isinstance(n, (ast.Yield, ast.YieldFrom))]
    for i, statement in enumerate(body):
        if len(yields) == 1 and isinstance(statement, ast.Expr) and statement.value is yields[0]:
            return body[:i], yields[0].value, body[i + 1:], []
        if len(yields) == 1 and isinstance(statement, ast.Try) and not statement.handlers and not statement.orelse:
            first = statement.body[0]
            if isinstance(first, ast.Expr) and first.value is yields[0] and i == len(body) - 1:
                return body[:i], yields[0].value, statement.body[1:], statement.finalbody
    raise unsupported("CC003", "this manager is more than statements around one `yield`", e.span(node, frame),
                      help="write `yield` once, as a statement of its function or of its last `try` with `finally`")


__all__ = ["with_"]
