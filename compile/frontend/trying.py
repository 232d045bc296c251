"""`try`: what its body raises is one more way in which statements end, and a handler is what follows there."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import alternatives, effects, interrupts, python_functions
from ccc.compile.frontend.attempts import (
    EXCEPTION,
    LAST,
    Attempt,
    Step,
    ends_by_storing,
    is_exception,
)
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import BREAK, NEXT, ON, RAISE, RETURN, Paths, Without
from ccc.compile.frontend.interrupts import Raised
from ccc.compile.frontend.liveness import stored
from ccc.compile.frontend.names import located, read_names
from ccc.compile.frontend.paths import fork, then
from ccc.compile.frontend.sums import is_sum
from ccc.compile.frontend.values import TOLD, Frame, OwnName, RecordValue, Unbound, meant
from ccc.compile.program.lam import Node, Var
from ccc.objects import Array, Bool, Int, Real

MOST = 200
"""So many operations of a statement may be asked whether they raise."""
VALUE = "value of"
Steps = Callable[[Elaboration, ast.stmt, list[ast.stmt], Frame], Paths | None]


class Again(ast.Pass):
    """A statement of a `try` that goes on where part of it did not raise."""

    under_way: Step


class Computed(ast.Pass):
    """A statement that binds what it computes to a name of its own."""

    name: str
    compute: Callable[[], Any]


# -- a statement of a `try` --------------------------------------------------------------------------------------


def attempted(e: Elaboration, statement: ast.stmt, todo: list[ast.stmt], frame: Frame, run: Steps) -> Paths | None:
    """Execute a statement that may raise what is caught."""
    if isinstance(statement, ast.Assert):
        statement = as_branch(statement)
    under_way = statement.under_way if isinstance(statement, Again) else Step(statement)
    statement = under_way.statement
    under_way.begin(e.recorder.block)
    for node, name in under_way.taken.items():
        under_way.values[node] = e.lookup(name, node, frame)
    under_way.taken = {}
    block = e.recorder.block
    e.attempts.steps.append(under_way)
    e.once.open.append(under_way.values)
    open_ = len(e.attempts.steps), len(e.once.open), len(e.pending)
    try:
        return run(e, statement, todo, frame)
    except interrupts.AsStatement as part:
        leave(e, *open_)
        stops = any(isinstance(n, ast.Call) and part.node in n.args
                    and python_functions.of(meant(frame, n.func)).takes == "some" for n in ast.walk(statement))
        refuse_elsewhere(e, not stops, statement, frame)
        first = statements_for(part.node, frame, under_way)
        return e.ends_of([*first, resumed(under_way), *reversed(todo)], frame)
    except interrupts.Divided as found:
        leave(e, *open_)
        refuse_elsewhere(e, found.block is block and len(under_way.asked) < MOST, statement, frame)
        arm = divided(e, under_way, found.test, frame)
        paths = fork(e, found.test, arm, arm, statement, frame)
        return then(e, paths, lambda: e.ends_of([*reversed(todo)], frame), statement, frame)
    except interrupts.Caught as found:
        leave(e, *open_)
        refuse_elsewhere(e, found.block is block, statement, frame)
        return Paths([found.kind], frame.env, {found.kind: {EXCEPTION: found.value}})
    except interrupts.Escape as found:
        leave(e, *open_)
        done = found.node is LAST and ends_by_storing(statement)
        part = found.part if found.part is not None and found.part[0] is under_way else None
        known = found.again or done or part is not None or found.node in under_way.values
        refuse_elsewhere(e, found.block is block and known and len(under_way.asked) < MOST, statement, frame)
        if part is not None:
            under_way.parts[part[1]] = found.value
        elif not found.again and not done and found.node is not None:
            under_way.values[found.node] = found.value
        found.paths.env = frame.env
        rest = [*([] if done else [resumed(under_way)]), *reversed(todo)]
        return then(e, found.paths, lambda: e.ends_of(rest, frame), statement, frame)
    finally:
        leave(e, *open_)


def divided(e: Elaboration, under_way: Step, test: Var, frame: Frame) -> Callable[[], Paths]:
    """What each of two branches does in which a statement goes on, as far as it is now."""
    under_way.asked.add(("divided", test, len(under_way.asked)))
    restore = under_way.saved()

    def arm() -> Paths:
        restore()
        return e.ends_of([resumed(under_way)], frame)

    return arm


def leave(e: Elaboration, depth: int, opened: int, pending: int) -> None:
    """A statement is under way no more, nor what parts of it have given."""
    del e.attempts.steps[depth - 1:], e.once.open[opened - 1:], e.pending[pending:]


def resumed(under_way: Step) -> Again:
    """The same statement, to be gone on with."""
    found = ast.copy_location(Again(), under_way.statement)
    found.under_way = under_way
    return found


def again(e: Elaboration, node: Again, frame: Frame) -> Paths | None:
    """A statement that goes on behind the `try`."""
    return e.ends_of([node.under_way.statement], frame)


def computed(e: Elaboration, node: Computed, frame: Frame) -> None:
    """Bind what a statement computes."""
    frame.env[node.name] = node.compute()


def as_statement(
    e: Elaboration, compute: Callable[[], Any], rest: Callable[[Any], Paths], node: ast.stmt, frame: Frame
) -> Paths:
    """The ends of a computation that may raise, as any statement does, followed by `rest` of what it gives."""
    statement = ast.copy_location(Computed(), node)
    statement.stands_for = getattr(node, "stands_for", node)  # type: ignore[attr-defined]
    statement.name, statement.compute = OwnName(f"{VALUE} {node.lineno} {node.col_offset}"), compute
    return then(e, e.ends_of([statement], frame), lambda: rest(frame.env.pop(statement.name)), node, frame)


def refuse_elsewhere(e: Elaboration, here: bool, node: ast.stmt, frame: Frame) -> None:
    """Refuse what raises where no statement of the `try` can be left: inside of a function of the program."""
    if not here:
        raise unsupported("CC003", "what is raised in the test of a loop, or in a function of its own as one that is "
                          "differentiated, is not caught outside of it", e.span(node, frame),
                          help="test first, as in `y = np.sqrt(x) if x > 0 else 0.0`, or move the try to the caller")


def as_branch(node: ast.Assert) -> ast.stmt:
    """`assert` as an `if` that raises."""
    args = [] if node.msg is None else [node.msg]
    kind: Any = AssertionError
    raised = ast.Raise(ast.Call(ast.Constant(kind), args, []), None)
    found = located(ast.If(ast.UnaryOp(ast.Not(), node.test), [raised], []), node)
    found.stands_for = node
    return found


def statements_for(node: ast.expr, frame: Frame, under_way: Step) -> list[ast.stmt]:
    """Statements that bind the value of a choice, or of a comprehension, to a name of its own."""
    name = OwnName(f"{VALUE} {node.lineno} {node.col_offset}")
    frame.local |= {name}
    under_way.taken[node] = name

    def bound(value: ast.expr) -> list[ast.stmt]:
        return [ast.Assign([ast.Name(name, ast.Store())], value)]

    if isinstance(node, ast.IfExp):
        made: list[ast.stmt] = [ast.If(node.test, bound(node.body), bound(node.orelse))]
    elif isinstance(node, ast.BoolOp):
        made = bound(node.values[0])
        rest = node.values[1] if len(node.values) == 2 else ast.BoolOp(node.op, node.values[1:])
        test: ast.expr = ast.Name(name, ast.Load())
        made.append(ast.If(test if isinstance(node.op, ast.And) else ast.UnaryOp(ast.Not(), test), bound(rest), []))
    else:
        made = loop_for(node, name, frame)
    whole = under_way.statement
    for statement in made:
        located(statement, node)
        for inner in ast.walk(statement):
            if isinstance(inner, ast.stmt):
                inner.stands_for = getattr(whole, "stands_for", whole)  # type: ignore[attr-defined]
                inner.rest = read_names(whole)  # type: ignore[attr-defined]
    return made


class Apart(ast.NodeTransformer):
    """Gives the names of a comprehension names of their own."""

    def __init__(self, names: set[str]) -> None:
        self.names = {name: OwnName(f"{name} of a comprehension") for name in names}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)


def loop_for(node: Any, name: str, frame: Frame) -> list[ast.stmt]:
    """A comprehension as a loop that appends, or puts items into a dict; a set is made of what was appended."""
    apart = Apart({n for generator in node.generators for n in stored([generator.target])})
    frame.local |= set(apart.names.values())
    first = node.generators[0].iter
    generators = copy.deepcopy(node.generators)
    for generator in generators:
        generator.iter = first if generator is generators[0] else apart.visit(generator.iter)
        generator.target, generator.ifs = apart.visit(generator.target), [apart.visit(test) for test in generator.ifs]
    made = ast.Name(name, ast.Load())
    body: list[ast.stmt]
    if isinstance(node, ast.DictComp):
        key = OwnName(f"a key of {name}")
        frame.local |= {key}
        item = ast.Assign([ast.Subscript(made, ast.Name(key, ast.Load()), ast.Store())],
                          apart.visit(copy.deepcopy(node.value)))
        body = [ast.Assign([ast.Name(key, ast.Store())], apart.visit(copy.deepcopy(node.key))), item]
    else:
        append = ast.Attribute(made, "append", ast.Load())
        body = [ast.Expr(ast.Call(append, [apart.visit(copy.deepcopy(node.elt))], []))]
    for generator in reversed(generators):
        for test in reversed(generator.ifs):
            body = [ast.If(test, body, [])]
        body = [ast.For(generator.target, generator.iter, body, [])]
    empty = ast.Dict([], []) if isinstance(node, ast.DictComp) else ast.List([], ast.Load())
    last = [ast.Assign([ast.Name(name, ast.Store())], ast.Set([ast.Starred(made, ast.Load())]))] if isinstance(
        node, ast.SetComp) else []
    return [ast.Assign([ast.Name(name, ast.Store())], empty), *body, *last]


# -- try ---------------------------------------------------------------------------------------------------------


def try_(e: Elaboration, node: ast.Try, frame: Frame) -> Paths:
    """`try` with its handlers, `else` and `finally`."""
    if node.finalbody:
        return finally_(e, node, frame)
    kinds = [classes(e, handler, frame) for handler in node.handlers]
    inside = [*e.attempts.active, Attempt(tuple([kind for found in kinds for kind in found]))]
    ends = e.attempts.within(inside, lambda: e.ends_of(node.body, frame))
    todo: list[Way] = []
    for kind in sorted(ends.kinds):
        if isinstance(kind, Raised):
            fits = (h for h, found in zip(node.handlers, kinds, strict=True) if issubclass(kind.cls, found))
            if (handler := next(fits, None)) is not None:
                todo.append((kind, partial(handled, e, kind, handler, frame)))
    return ways(e, ends, todo, lambda: e.ends_of(node.orelse, frame), node, frame)


Way = tuple[Raised, Callable[[], Paths]]


def ways(
    e: Elaboration, ends: Paths, todo: list[Way], otherwise: Callable[[], Paths], node: ast.stmt, frame: Frame
) -> Paths:
    """Ends, each kind of which in `todo` goes on with what stands there, and `ON` with `otherwise`."""
    if not todo:
        return then(e, ends, otherwise, node, frame)
    (kind, run), *rest = todo
    live = ends.kinds - {RAISE}

    def on() -> Paths:
        frame.env = ends.names(kind)
        return run()

    if live == {kind}:
        return on()
    frame.env = ends.env
    test = ends.flag(frozenset({kind}), live)
    return fork(e, test, on, lambda: ways(e, Without(ends, kind), rest, otherwise, node, frame), node, frame)


def handled(e: Elaboration, kind: Raised, handler: ast.ExceptHandler, frame: Frame) -> Paths:
    """The ends of a handler."""
    value = frame.env.pop(EXCEPTION, Unbound("it is one of several exceptions"))
    if handler.name is not None:
        frame.env[handler.name] = value
    e.attempts.handling.append((kind, value))
    try:
        found = e.ends_of(handler.body, frame)
    finally:
        e.attempts.handling.pop()
    if handler.name is not None:
        found.env = {**found.env, handler.name: Unbound("the handler has ended", absent=True)}
    return found


def classes(e: Elaboration, handler: ast.ExceptHandler, frame: Frame) -> tuple[type, ...]:
    """The classes that a handler catches."""
    found = BaseException if handler.type is None else e.expression(handler.type, frame)
    kinds = found if isinstance(found, tuple) else (found,)
    if not all(isinstance(kind, type) and issubclass(kind, BaseException) for kind in kinds):
        raise unsupported("CC003", "only exceptions of known classes can be caught", e.span(handler, frame),
                          help="write `except ValueError:`")
    return kinds


# -- finally -----------------------------------------------------------------------------------------------------


def finally_(e: Elaboration, node: ast.Try, frame: Frame) -> Paths:
    """`try` with `finally`: what stands there runs before each way out of the rest."""
    body: list[ast.stmt] = node.body
    if node.handlers:
        inner = ast.copy_location(ast.Try(node.body, node.handlers, node.orelse, []), node)
        inner.stands_for = node  # type: ignore[attr-defined]
        body = [inner]
    def last() -> Paths:
        return e.ends_of(node.finalbody, frame)

    def raised(kind: Raised, value: Any) -> Paths:
        return then(e, last(), lambda: raised_again(e, kind, value, node, frame), node, frame)

    unseen = not e.attempts.active and is_quiet(node.finalbody)
    return with_exit(e, body, last, None if unseen else raised, node, frame)


def is_quiet(body: Sequence[ast.AST]) -> bool:
    """True for statements of which nothing is seen behind an exception that leaves the function: they assign."""
    return not any(isinstance(part, LOUD) for statement in body for part in ast.walk(statement))


LOUD = ast.Call | ast.Raise | ast.Return | ast.Break | ast.Continue | ast.Assert | ast.Yield | ast.YieldFrom


def with_exit(
    e: Elaboration, body: list[ast.stmt], last: Callable[[], Paths],
    raised: Callable[[Raised, Any], Paths] | None, node: ast.stmt, frame: Frame,
) -> Paths:  # fmt: skip
    """The ends of a body behind each of which `last` runs, or `raised` where it raises; None where nothing does."""
    outer = e.attempts.active
    inside = outer if raised is None else [*outer, Attempt((BaseException,))]
    depth = len(e.attempts.finals)
    e.attempts.finals.append((frame, lambda: e.attempts.within(outer, last)))
    try:
        ends = e.attempts.within(inside, lambda: e.ends_of(body, frame))
    finally:
        del e.attempts.finals[depth:]
    if raised is None:
        return then(e, ends, last, node, frame)

    def behind(kind: Raised) -> Paths:
        return raised(kind, frame.env.pop(EXCEPTION, None))

    todo = [(kind, partial(behind, kind)) for kind in sorted(ends.kinds) if isinstance(kind, Raised)]
    return ways(e, ends, todo, last, node, frame)


def raised_again(e: Elaboration, kind: Raised, value: Any, node: ast.AST, frame: Frame) -> Paths:
    """The end of statements that raise what they caught."""
    try:
        effects.raise_value(e, kind, value, node, frame)
    except interrupts.Caught as found:
        return Paths([found.kind], frame.env, {found.kind: {EXCEPTION: found.value}})
    except interrupts.Ends:
        pass
    return Paths([RAISE], frame.env)


def behind_finals(e: Elaboration, kind: str, frame: Frame, node: ast.stmt) -> Paths | None:
    """Run what stands in `finally` around a way out; gives how that ends where it does not go on."""
    finals = e.attempts.finals
    if not finals:
        return None
    for i in reversed(range(len(finals))):
        where, last = finals[i]
        if where is not frame or (last is None and kind in (BREAK, NEXT)):
            break
        if last is None:
            continue
        inner, e.attempts.finals = finals, finals[:i]
        try:
            ends = last()
        finally:
            e.attempts.finals = inner
        if ends.kinds != {ON}:
            if ends.kinds == {RETURN} or ends.kinds == {RAISE}:
                return ends
            raise unsupported("CC003", "`finally` that may itself leave is not supported here", e.span(node, frame),
                              help="assign a value, and return it behind the `try`")
        frame.env = ends.names(ON)
    return None


def as_loop(e: Elaboration, run: Callable[[], Any], frame: Frame) -> Any:
    """What a loop gives: `break` and `continue` in it leave no `finally` around it."""
    finals = e.attempts.finals
    if not finals:
        return run()
    finals.append((frame, None))
    try:
        return run()
    finally:
        finals.pop()


def beside_loop(e: Elaboration, run: Callable[[], Any]) -> Any:
    """What stands in the place of a loop gives, or its `else`: `break` and `continue` in it are of the loop around."""
    finals = e.attempts.finals
    if not finals:
        return run()
    mark = finals.pop()
    try:
        return run()
    finally:
        finals.append(mark)


def raise_(e: Elaboration, node: ast.Raise, frame: Frame) -> None:
    """`raise`; of what may be one of several exceptions, or None, each where it is that one."""
    computed = isinstance(node.exc, ast.Call) and not effects.is_class(e, node.exc.func, frame)
    named = isinstance(node.exc, (ast.Name, ast.Attribute, ast.Subscript))
    if node.exc is not None and (computed or named) and node.cause is None:
        value = e.expression(node.exc, frame)
        if is_sum(value):
            alternatives.dispatch(e, value, partial(raise_one, e, node, frame), no_exception, node, frame)
            raise interrupts.Ends
        if is_exception(value):
            caught = next((k for k, other in reversed(e.attempts.handling) if other is value), kind_of(value))
            effects.raise_value(e, caught, value, node, frame)
    effects.raise_(e, node, frame)


def no_exception(value: Any) -> tuple[type, str] | None:
    """What Python raises of None and of numbers."""
    a = value.object if isinstance(value, Var) else None
    none = value is None or isinstance(a, (Real, Int, Bool, Array))
    return (TypeError, "exceptions must derive from BaseException") if none else None


def raise_one(e: Elaboration, node: ast.Raise, frame: Frame, value: Any) -> None:
    """Raise the exception that a value is where it is one of several."""
    if isinstance(value, Node):
        value = RecordValue(value.cls, dict(zip(value.names, value, strict=True)))
    if not is_exception(value):
        raise unsupported("CC003", "only an exception of a known class can be raised", e.span(node, frame),
                          help="write `raise ValueError(...)`")
    effects.raise_value(e, kind_of(value), value, node, frame)


def kind_of(value: Any) -> Raised:
    """How a statement ends that raises an exception."""
    return Raised(value.cls, exact=TOLD not in value.fields)


__all__ = [
    "Again",
    "Computed",
    "as_loop",
    "as_statement",
    "attempted",
    "behind_finals",
    "beside_loop",
    "computed",
    "raise_",
    "raised_again",
    "try_",
    "with_exit",
]
