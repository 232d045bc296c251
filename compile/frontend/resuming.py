"""A generator that is asked for one item after the other, as a function that goes on where it yielded.

    def halved(x):              def halved(x):
        while True:                 at = 0
            yield x                 def resume():
            x = x / 2                   nonlocal x, at
                                        if at == 1:
                                            x = x / 2
                                        at = 1
                                        return x
                                    return Endless(resume)

Its variables are those that the inner function writes to, so branches and loops carry them as they carry any others. It
is one loop that yields in its own statements, behind assignments which may as well be done where it is called.
"""

from __future__ import annotations

import ast
import builtins
import copy
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ccc.compile.frontend.names import assigned, in_scope, located, parameters
from ccc.compile.frontend.numpy_functions.table import of_python
from ccc.compile.frontend.values import OwnName

AT, RESUME, SENT = "_ccc_at", "_ccc_resume", "_ccc_sent"
ITERATOR = OwnName("what a generator runs along")
BEGUN, ENDED = 0, -1
Segment = tuple[list[ast.stmt], ast.expr | None]
YIELDS = ast.Yield | ast.YieldFrom
PLAIN = (ast.Name, ast.Constant, ast.Tuple, ast.List, ast.expr_context)
COMPUTED = (*PLAIN, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Call, ast.Attribute, ast.Compare, ast.cmpop)


@lru_cache(maxsize=1024)
def resuming(node: Any, of_numbers: bool) -> ast.FunctionDef | None:
    """A generator as a function that gives such an iterator; None for one that is no such loop. What stands before the
    loop may compute where it is given numbers alone."""
    found = loop_of(node, of_numbers)
    if found is None:
        return None
    before, loop = found
    parts = segments(loop.body)
    if parts is None:
        return None
    begin: list[ast.stmt] = [named(AT, ast.Constant(BEGUN))]
    first: list[ast.stmt] = []
    end: list[ast.stmt] = [named(AT, ast.Constant(ENDED)), ast.Raise(ast.Name("StopIteration", ast.Load()), None)]
    if isinstance(loop, ast.For):
        begin.append(named(ITERATOR, call("iter", loop.iter)))
        following = ast.Call(ast.Attribute(ast.Name(ITERATOR, ast.Load()), "__next__", ast.Load()), [], [])
        first.append(ast.Assign([loop.target], following))
    elif not endless(loop):
        first.append(ast.If(ast.UnaryOp(ast.Not(), loop.test), end, []))
    again = steps_of(parts, first)
    names = carried(node, before, loop, parts)
    if names is None:
        return None
    sent = ast.arguments([], [ast.arg(SENT)], None, [], [], None, [ast.Constant(None)])
    resume = ast.FunctionDef(RESUME, sent, [ast.Nonlocal(names), *again], [])
    made = copy.copy(node)
    cls = of_python("iterators").Endless if isinstance(loop, ast.While) and endless(loop) else (
        of_python("iterators").Resumed)
    kept = ast.Call(ast.Constant(cls), [ast.Name(RESUME, ast.Load())], [])
    made.body = [located(part, loop) for part in [*copy.deepcopy(before), *begin, copy.deepcopy(resume),
                                                  ast.Return(kept)]]
    return made


def loop_of(node: Any, of_numbers: bool) -> tuple[list[ast.stmt], ast.For | ast.While] | None:
    """What stands before the only loop of a generator, and the loop; None where there is more."""
    if isinstance(node, ast.Lambda):
        return None
    body: list[ast.stmt] = [part for part in node.body
                            if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]
    if not body or not isinstance(body[-1], (ast.For, ast.While)) or body[-1].orelse:
        return None
    loop = body[-1]
    own = {a.arg for a in parameters(node)} | set(assigned(body[:-1]))
    fine = all(isinstance(part, (ast.Assign, ast.AnnAssign)) and part.value is not None
               and early(part.value, own, of_numbers) for part in body[:-1])
    if isinstance(loop, ast.For):
        fine = fine and early(loop.iter, own, of_numbers) and isinstance(loop.target, ast.Name)
    return (body[:-1], loop) if fine else None


def early(value: ast.expr, own: set[str], of_numbers: bool) -> bool:
    """True for what is the same where the generator is called and where it is first asked."""
    heads = {part.func for part in ast.walk(value) if isinstance(part, ast.Call)}
    heads |= {part.value for part in ast.walk(value) if isinstance(part, ast.Attribute) and part in heads}
    return all(isinstance(part, COMPUTED if of_numbers else PLAIN) for part in ast.walk(value)) and all(
        part.id in own if part not in heads else part.id not in own and (
            hasattr(builtins, part.id) or not any(part is head for head in direct(value)))
        for part in ast.walk(value) if isinstance(part, ast.Name))


def direct(value: ast.expr) -> list[ast.expr]:
    """What is called by its name, and not as an attribute."""
    return [part.func for part in ast.walk(value) if isinstance(part, ast.Call)]


def segments(body: Sequence[ast.stmt]) -> list[Segment] | None:
    """The statements of a loop up to each `yield`, with what that yields, and those behind the last one; None where one
    yields elsewhere, or the loop is left or goes on in the middle. They begin with what gets the value that is sent."""
    found: list[Segment] = []
    here: list[ast.stmt] = []
    for statement in body:
        given = statement.value if isinstance(statement, (ast.Expr, ast.Assign)) else None
        if isinstance(given, ast.Yield):
            found.append((here, given.value or ast.Constant(None)))
            here = [] if isinstance(statement, ast.Expr) else [
                ast.Assign(statement.targets, ast.Name(SENT, ast.Load()))]  # type: ignore[reportAttributeAccessIssue]
            continue
        if any(isinstance(part, (YIELDS, ast.Return, ast.Break, ast.Continue)) for part in in_scope([statement])):
            return None
        here.append(statement)
    return [*found, (here, None)] if found else None


def steps_of(parts: list[Segment], first: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that go on behind the yield that `AT` counts, up to the next one."""
    (before, value), *others = parts
    error = call("TypeError", ast.Constant("can't send non-None value to a just-started generator"))
    early_sent = ast.Compare(ast.Name(SENT, ast.Load()), [ast.IsNot()], [ast.Constant(None)])
    unready = ast.If(ast.BoolOp(ast.And(), [early_sent, at(BEGUN)]), [ast.Raise(error, None)], [])
    last = len(others)
    found: list[ast.stmt] = []
    for i, (statements, given) in enumerate(others, 1):
        do: list[ast.stmt] = [*statements] if given is None else [
            *statements, named(AT, ast.Constant(i + 1)), ast.Return(given)]
        if do:
            found.append(ast.If(at(last if given is None else i), do, []))
    stop: list[ast.stmt] = [ast.If(at(ENDED), [ast.Raise(ast.Name("StopIteration", ast.Load()), None)], [])]
    return [unready, *(stop if first else []), *found, *first, *before, named(AT, ast.Constant(1)), ast.Return(value)]


def at(i: int) -> ast.expr:
    return ast.Compare(ast.Name(AT, ast.Load()), [ast.Eq()], [ast.Constant(i)])


def named(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def call(name: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), [*args], [])


def carried(
    node: Any, before: list[ast.stmt], loop: ast.For | ast.While, parts: list[Segment],
) -> list[str] | None:
    """The variables that the loop changes; None where one is read behind a yield that is bound in the loop alone."""
    target = [ast.Assign([loop.target], ast.Constant(None))] if isinstance(loop, ast.For) else []
    there = {a.arg for a in parameters(node)} | set(assigned(before))
    bound = set(assigned([*target, *loop.body]))
    for name in bound - there:
        if sum(any(isinstance(part, ast.Name) and part.id == name for statement in [*statements, value or ast.Pass()]
                   for part in ast.walk(statement)) for statements, value in parts) > 1:
            return None
    read = {part.id for statements, value in parts[1:] for statement in [*statements, value or ast.Pass()]
            for part in ast.walk(statement) if isinstance(part, ast.Name)}
    if isinstance(loop, ast.For) and set(assigned(target)) & (read - there):
        return None
    return sorted({AT} | (bound & there))


def endless(loop: ast.While) -> bool:
    """True for `while True:`."""
    return isinstance(loop.test, ast.Constant) and bool(loop.test.value)


__all__ = ["resuming"]
