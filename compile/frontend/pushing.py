"""Loops along generators that run in turn with them: the body of the loop becomes a function, which the generator calls
where it yields.

    for x in steps(a):          def each(x):                    def steps(a, each):
        total += x                  nonlocal total                  while True:
        if x < 0.1:                 total += x                          if each(a):
            break                   if x < 0.1:                             return
                                        return True                     a = a / 2
                                    return False
                                steps(a, each)

So what a generator prints or changes comes in its turn, and one without an end ends with the loop.
"""

from __future__ import annotations

import ast
import copy
import functools
import itertools
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import interrupts
from ccc.compile.frontend.cursors import is_iterator, not_strict
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import BREAK, RETURN, Paths, exits
from ccc.compile.frontend.generators import EACH, KEPT, site_of
from ccc.compile.frontend.iterated import is_once, read_in_turn
from ccc.compile.frontend.iterator_values import GeneratorValue, IteratorValue, ZipValue, is_in_turn
from ccc.compile.frontend.liveness import liveness
from ccc.compile.frontend.memory.interface import dicts, lists, stored
from ccc.compile.frontend.names import Own, assigned, located, own_parts
from ccc.compile.frontend.numpy_functions.table import of_python
from ccc.compile.frontend.parts import cell, is_cell
from ccc.compile.frontend.paths import then
from ccc.compile.frontend.values import ClosureValue, Frame, ListValue, Perhaps, Unbound
from ccc.compile.frontend.yielding import YIELDS, hears, without_stop
from ccc.compile.program.lam import Var
from ccc.coproducts import Coproduct
from ccc.objects import Static

ITEM, GIVEN = "_ccc_item", "_ccc_item_of_another"


def in_turn(e: Elaboration, over: Any, body: Sequence[ast.stmt], frame: Frame) -> Any:
    """What a loop runs along; raises `InTurn` for what has to run in turn with it: has effects, or may raise where a
    loop's body may show which items were taken by then."""
    if not is_once(over):
        return over
    parts = [part for statement in body for part in ast.walk(statement)]
    seen = bool(exits(list(body)) & {BREAK, RETURN}) or any(
        isinstance(part, (ast.Raise, ast.Assert)) or (isinstance(part, ast.Expr) and may_show(e, part.value, frame))
        for part in parts)
    ends = isinstance(over, ZipValue)  # with its shortest part
    return read_in_turn(over, seen, seen or ends or any(may_show(e, part, frame) for part in parts))


def may_show(e: Elaboration, node: ast.AST, frame: Frame) -> bool:
    """Whether a part of a body may show that it ran where something is raised behind it: it calls what may print, or a
    method of a list or dict that is looked at where that is caught."""
    if not isinstance(node, ast.Call):
        return False
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    value = frame.env.get(owner.id) if isinstance(owner, ast.Name) else None
    own = isinstance(value, ListValue) or lists.is_list(value) or dicts.is_dict(value) or stored.is_container(value)
    return not own or bool(e.attempts.active) or any(isinstance(x, ast.Call) for a in node.args for x in ast.walk(a))


def through(
    e: Elaboration, function: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """What an iterator of Python's library gives of a generator that runs in turn with what consumes it: another one.
    `NotImplemented` for all else."""
    lazy, turns = [is_in_turn(a) for a in args], of_python("turns")
    kwargs = not_strict(kwargs)
    if frame is None or not any(lazy) or function not in turns.INSTEAD or (kwargs and function is zip):
        return NotImplemented
    if function is itertools.chain:
        return functools.reduce(lambda second, first: e.call(turns.chained, [first, second], {}, node, frame),
                                reversed(args))
    if function is map and len(args) > 2:
        rows = e.call(zip, args[1:], kwargs, node, frame)
        return e.call(turns.mapped_with, [args[0], rows], {}, node, frame)
    if function is not zip:
        return e.call(turns.instead_of(function, len(args)), args, kwargs, node, frame)
    if len(args) != 2 or not all(a_lazy or is_sequence(a) for a, a_lazy in zip(args, lazy, strict=True)) or all(lazy):
        raise interrupts.InTurn((KEPT, site_of(node, frame)))
    if lazy[0]:
        return e.call(turns.first_of_two, [args[0], e.sequence(args[1], node, frame)], {}, node, frame)
    return e.call(turns.second_of_two, [e.sequence(args[0], node, frame), args[1]], {}, node, frame)


def is_sequence(value: Any) -> bool:
    """True for what is no iterator, and has a length."""
    return not isinstance(value, IteratorValue) and not is_iterator(value)


def is_asked(e: Elaboration, over: GeneratorValue, node: ast.AST, frame: Frame) -> bool:
    """Whether a loop asks a generator for its items: the body is not called where it yields, as what is raised there
    would be caught there."""
    if (KEPT, over.made) in e.in_turn:
        return True
    if not hears(over.node):
        return False
    if over.acts:
        raise unsupported("CC004", "a generator that catches what is raised where it yields, and does something "
                          "where it is dropped, runs in turn with a loop", e.place(node, frame),
                          help="let it yield outside of the `try`")
    return True


# -- the generator ---------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def calling(node: Any) -> ast.FunctionDef:
    """A generator as a function that calls another one with each of what it yields, until that gives True."""
    made = copy.copy(node)
    made.args = copy.copy(node.args)
    made.args.kwonlyargs = [*node.args.kwonlyargs, located(ast.arg(EACH), node)]
    made.args.kw_defaults = [*node.args.kw_defaults, None]
    change = Calling()
    made.body = without_stop(
        node, [found for statement in copy.deepcopy(node.body) for found in change.statements(statement)])
    return made


class Calling(Own):
    """Calls a function with what is yielded, and returns where that gives True."""

    def visit_Return(self, node: ast.Return) -> Any:
        return located(ast.Return(None), node)

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Yield):
            return given(node.value.value or located(ast.Constant(None), node), node)
        if isinstance(node.value, ast.YieldFrom):
            body = [given(located(ast.Name(GIVEN, ast.Load()), node), node)]
            return located(ast.For(ast.Name(GIVEN, ast.Store()), node.value.value, body, []), node)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        if not isinstance(node.value, ast.Yield):
            return node
        none = located(ast.Assign(node.targets, ast.Constant(None)), node)
        return [given(node.value.value or located(ast.Constant(None), node), node), none]


def given(value: ast.expr, node: ast.AST) -> ast.stmt:
    """Call the function that is given each item with one, and leave where it wants no more."""
    test = ast.Call(ast.Name(EACH, ast.Load()), [value], [])
    leave = ast.Return(None)
    leave.of_consumer = True  # type: ignore[attr-defined]
    return located(ast.If(test, [leave], []), node)


# -- the loop --------------------------------------------------------------------------------------------------------


class Flags:
    """What the names are called that say how a loop was left."""

    def __init__(self, node: ast.For) -> None:
        place = f"{node.lineno}_{node.col_offset}"
        self.broken = f"_ccc_was_left_{place}"
        self.returned = f"_ccc_has_returned_{place}"
        self.result = f"_ccc_returned_{place}"

    def first(self, name: str) -> Any:
        """What such a name is before the loop."""
        return None if name == self.result else False


def returned(value: Any, name: str) -> Any:
    """A value that is returned in a loop, of which it is noted whether it may be None."""
    return value


def noted(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None) -> Any:
    value, name = args
    if value is None or (isinstance(value, Var) and isinstance(value.object, (Coproduct, Static))):
        e.may_be_none.add(name)
    return value


returned.__ccc_inline__ = noted  # type: ignore[attr-defined]


class Leaving(Own):
    """The statements of a loop's body as those of a function, which gives True where the loop is left."""

    def __init__(self, flags: Flags) -> None:
        self.depth = 0
        self.flags = flags
        self.found: set[str] = set()

    def inner(self, node: Any) -> Any:
        self.depth += 1
        node.body = [found for statement in node.body for found in self.statements(statement)]
        self.depth -= 1
        node.orelse = [found for statement in node.orelse for found in self.statements(statement)]
        return node

    visit_For = visit_While = inner

    def leave(self, name: str, node: ast.stmt, *before: ast.stmt) -> list[ast.stmt]:
        self.found.add(name)
        flag = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(True))
        return [located(made, node) for made in [*before, flag, ast.Return(ast.Constant(True))]]

    def visit_Break(self, node: ast.Break) -> Any:
        return node if self.depth else self.leave(self.flags.broken, node)

    def visit_Continue(self, node: ast.Continue) -> Any:
        return node if self.depth else located(ast.Return(ast.Constant(False)), node)

    def visit_Return(self, node: ast.Return) -> Any:
        given: list[ast.expr] = [node.value or ast.Constant(None), ast.Constant(self.flags.result)]
        value = ast.Call(ast.Constant(returned), given, [])  # pyright: ignore[reportArgumentType]
        self.found.add(self.flags.result)
        return self.leave(self.flags.returned, node, ast.Assign([ast.Name(self.flags.result, ast.Store())], value))


@lru_cache(maxsize=1024)
def as_function(node: ast.For, outer: tuple[str, ...]) -> tuple[ast.FunctionDef, frozenset[str]]:
    """The body of a loop as a function of an item, which writes some names of that around it, and how it is left."""
    change = Leaving(Flags(node))
    body = [found for statement in copy.deepcopy(node.body) for found in change.statements(statement)]
    names = sorted({*outer, *change.found})
    declared = [located(ast.Nonlocal(names), node)] if names else []
    item = located(ast.Assign([node.target], ast.Name(ITEM, ast.Load())), node)
    end = located(ast.Return(ast.Constant(False)), node)
    arguments = ast.arguments([], [ast.arg(ITEM)], None, [], [], None, [])
    made = ast.FunctionDef(EACH, arguments, [*declared, item, *body, end], [])
    return located(made, node), frozenset(change.found)


def loop(e: Elaboration, node: ast.For, over: GeneratorValue, frame: Frame) -> Paths:
    """The ends of a loop along a generator that runs in turn with its body."""
    refuse_sent(e, over.node, node.iter, frame)
    bound = assigned([located(ast.Assign([node.target], ast.Constant(None)), node), *node.body])
    if frame.node is not None:
        read = liveness(frame.node).within(node) | liveness(frame.node).behind(node) | frame.cells
        bound = [n for n in bound if n in read or n not in frame.local]
    own = [n for n in bound if n in frame.local and n not in frame.cells]
    each, flags = as_function(node, tuple(bound))
    unset = [n for n in own if isinstance(frame.env.get(n, Unbound("")), Unbound)
             and not isinstance(frame.env.get(n), Perhaps)]
    if (over.node, each) in e.running:
        raise unsupported("CC004", "a generator that runs in turn with a loop calls itself", e.place(node.iter, frame),
                          "it prints or changes something, or what it reads changes meanwhile",
                          help="let it only yield, or append to a list that is given to it")
    local, cells = frame.local, frame.cells
    frame.local, frame.cells = local | flags, cells | flags | frozenset(own)
    for name in own:
        frame.env[name] = cell(name, None if name in unset else frame.env[name])
    for name in flags:
        frame.env[name] = cell(name, Flags(node).first(name))
    e.running.append((over.node, each))

    def run() -> None:
        over.run(calling(over.node), **{EACH: ClosureValue(each, frame, {}, e.recorder.block)})

    def rest() -> Paths:
        return e.ends_of(behind(node, unset, flags, e.may_be_none, over.endless), frame)

    try:
        ends = e.ends_of([as_statement(run, node, frame)], frame)
        for env in {id(env): env for env in (frame.env, ends.env, *ends.extras.values())}.values():
            for name in [*own, *flags]:
                held = env.get(name)
                if held is not None and is_cell(held):
                    env[name] = held.fields[name]
        frame.cells = cells
        return then(e, ends, rest, node, frame)
    finally:
        e.running.pop()
        frame.local, frame.cells = local, cells
        for name in flags:
            frame.env.pop(name, None)


def as_statement(run: Callable[[], None], node: ast.For, frame: Frame) -> ast.stmt:
    """The call of a generator as a statement: what it raises may be caught."""
    made = located(ast.Expr(ast.Call(ast.Constant(Running(run)), [], [])), node)  # pyright: ignore[reportArgumentType]
    made.stands_for = node
    if frame.node is not None:
        made.rest = liveness(frame.node).within(node) | liveness(frame.node).behind(node)
    return made


class Running:
    """Calls a generator that runs in turn with a loop."""

    def __init__(self, run: Callable[[], None]) -> None:
        self.run = run

    def __call__(self) -> None:
        self.run()

    def __ccc_inline__(
        self, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
    ) -> None:
        self.run()


def behind(
    node: ast.For, unset: Sequence[str], flags: frozenset[str], may_be_none: set[str], endless: bool
) -> list[ast.stmt]:
    """What follows a loop: names that no run has bound have no value, and a `return` in it returns."""
    found = [ast.If(ast.Compare(ast.Name(n, ast.Load()), [ast.Is()], [ast.Constant(None)]),
                    [ast.Delete([ast.Name(n, ast.Del())])], []) for n in unset]
    names = Flags(node)
    if names.returned in flags:
        value = ast.Name(names.result, ast.Load())
        there = ast.Assert(ast.Compare(value, [ast.IsNot()], [ast.Constant(None)]), None)
        body = [*([] if names.result in may_be_none else [there]), ast.Return(value)]
        found += body if endless and names.broken not in flags else [
            ast.If(ast.Name(names.returned, ast.Load()), body, [])]
    orelse: list[ast.stmt] = node.orelse
    if names.broken in flags and orelse:
        orelse = [located(ast.If(ast.UnaryOp(ast.Not(), ast.Name(names.broken, ast.Load())), orelse, []), node)]
    for made in found:
        located(made, node)
        made.stands_for = node  # type: ignore[attr-defined]
    return [*found, *orelse]


def refuse_sent(e: Elaboration, node: Any, where: ast.AST, frame: Frame) -> None:
    """Refuse a generator that uses the value of a `yield` in a larger expression."""
    parts = own_parts(node)
    plain = {part.value for part in parts if isinstance(part, (ast.Expr, ast.Assign))}
    if any(isinstance(part, YIELDS) and part not in plain for part in parts):
        raise unsupported("CC004", "a `yield` whose value is used is not supported", e.place(where, frame),
                          "a generator is read as the list of what it yields",
                          help="write a class with a method instead")


__all__ = ["in_turn", "loop", "through"]
