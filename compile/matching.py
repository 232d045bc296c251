"""`match`: the cases as tests one after the other; each pattern is a test and the names that it binds."""

from __future__ import annotations

import ast
import copy
from typing import Any

from ccc.objects import Array, Bool, Int, List, Real
from compile.builtin import class_of
from compile.diagnostics import mismatch, unsupported
from compile.lam import Var
from compile.paths import Paths
from compile.values import Frame, ListValue

Elaboration = Any
SUBJECT = "match subject"  # not a name that a program could have


def match_(e: Elaboration, node: ast.Match, frame: Frame) -> Paths:
    """`match` as an `if` with `elif`s on the value, which is computed once."""
    value = e.expression(node.subject, frame)
    frame.env[SUBJECT] = value
    frame.local |= {SUBJECT}
    subject = ast.copy_location(ast.Name(SUBJECT, ast.Load()), node.subject)
    chain: list[ast.stmt] = []
    for case in reversed(node.cases):
        test, names = pattern(e, case.pattern, value, subject, frame)
        binds = [located(ast.Assign([ast.Name(n, ast.Store())], part), case.pattern) for n, part in names]
        if case.guard is not None:
            guard = Replaced(dict(names)).visit(copy.deepcopy(case.guard))
            test = guard if test is None else located(ast.BoolOp(ast.And(), [test, guard]), case.pattern)
        body = [*binds, *case.body]
        chain = body if test is None else [located(ast.If(test, body, chain), case.pattern)]
    return e.ends_of(chain or [located(ast.Pass(), node)], frame)


class Replaced(ast.NodeTransformer):
    """Puts the parts of the subject for the names that a pattern binds."""

    def __init__(self, names: dict[str, ast.expr]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.names.get(node.id, node)


def located(made: Any, node: ast.AST) -> Any:
    """A made node at the place of another."""
    for inner in ast.walk(made):
        if isinstance(inner, ast.expr | ast.stmt) and not hasattr(inner, "lineno"):
            ast.copy_location(inner, node)
    return made


Test = ast.expr | None
Named = list[tuple[str, ast.expr]]


def pattern(e: Elaboration, node: ast.pattern, value: Any, subject: ast.expr, frame: Frame) -> tuple[Test, Named]:
    """The test of a pattern, None where it always matches, and the names that it binds."""
    if isinstance(node, ast.MatchValue):
        return located(ast.Compare(subject, [ast.Eq()], [node.value]), node), []
    if isinstance(node, ast.MatchSingleton):
        return located(ast.Compare(subject, [ast.Is()], [ast.Constant(node.value)]), node), []
    if isinstance(node, ast.MatchAs):
        test, names = (None, []) if node.pattern is None else pattern(e, node.pattern, value, subject, frame)
        return test, names if node.name is None else [*names, (node.name, subject)]
    if isinstance(node, ast.MatchOr):
        found = [pattern(e, p, value, subject, frame) for p in node.patterns]
        if any(names for _, names in found):
            raise unsupported("CC003", "`|` between patterns that bind names is not supported", e.span(node, frame),
                              help="write one case for each")
        tests = [test for test, _ in found if test is not None]
        return (None if len(tests) < len(found) else located(ast.BoolOp(ast.Or(), tests), node)), []
    if isinstance(node, ast.MatchClass):
        return of_class(e, node, value, subject, frame)
    if isinstance(node, ast.MatchSequence):
        return sequence(e, node, value, subject, frame)
    raise unsupported("CC003", f"the pattern `{type(node).__name__}` is not supported", e.span(node, frame),
                      help="match literals, names and tuples, or use if and elif")


def of_class(
    e: Elaboration, node: ast.MatchClass, value: Any, subject: ast.expr, frame: Frame
) -> tuple[Test, Named]:
    """A pattern of a class, matched attribute by attribute."""
    cls = e.expression(node.cls, frame)
    found = class_of(value)
    if not isinstance(cls, type) or found is None:
        raise unsupported("CC003", "this pattern of a class is not known while compiling", e.span(node, frame),
                          help="use if and elif")
    if not issubclass(found, cls):
        return located(ast.Constant(False), node), []
    names = [*getattr(cls, "__match_args__", ())[: len(node.patterns)], *node.kwd_attrs]
    patterns = [*node.patterns, *node.kwd_patterns]
    if len(names) < len(patterns) and not (len(patterns) == 1 and cls in (int, float, str, bool, list, tuple, dict)):
        raise mismatch("CC027", f"`{cls.__name__}` takes fewer positional patterns", e.span(node, frame))
    if not names and patterns:
        return pattern(e, patterns[0], value, subject, frame)
    tests: list[ast.expr] = []
    bound: Named = []
    for name, inner in zip(names, patterns, strict=True):
        place = located(ast.Attribute(subject, name, ast.Load()), inner)
        test, more = pattern(e, inner, e.expression(place, frame), place, frame)
        tests += [] if test is None else [test]
        bound += more
    if not tests:
        return None, bound
    return (tests[0] if len(tests) == 1 else located(ast.BoolOp(ast.And(), tests), node)), bound


def sequence(
    e: Elaboration, node: ast.MatchSequence, value: Any, subject: ast.expr, frame: Frame
) -> tuple[Test, Named]:
    """A pattern of a tuple, matched part by part."""
    items = value.items if isinstance(value, ListValue) else value
    a = items.object if isinstance(items, Var) else None
    if isinstance(a, Real | Int | Bool | Array) or isinstance(items, int | float | str | None):
        return located(ast.Constant(False), node), []
    if not isinstance(items, tuple | list) or any(isinstance(p, ast.MatchStar) for p in node.patterns):
        what = "a list of unknown length" if isinstance(items, Var) and isinstance(items.object, List) else "this"
        raise unsupported("CC003", f"a pattern of parts cannot be matched with {what}", e.span(node, frame),
                          help="match tuples, part by part, without `*`")
    if len(items) != len(node.patterns):
        return located(ast.Constant(False), node), []
    tests: list[ast.expr] = []
    names: Named = []
    for i, (part, inner) in enumerate(zip(items, node.patterns, strict=True)):
        place = located(ast.Subscript(subject, ast.Constant(i), ast.Load()), inner)
        test, found = pattern(e, inner, part, place, frame)
        tests += [] if test is None else [test]
        names += found
    if not tests:
        return None, names
    return (tests[0] if len(tests) == 1 else located(ast.BoolOp(ast.And(), tests), node)), names


