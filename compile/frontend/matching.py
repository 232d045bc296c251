"""`match`: the cases as tests one after the other; each pattern is a test and the names that it binds."""

from __future__ import annotations

import ast
import collections.abc
import copy
from typing import Any

from ccc.compile.diagnostics import mismatch, unsupported
from ccc.compile.frontend import alternatives, classes_at_run, kinds_met, sums
from ccc.compile.frontend.builtin import class_looked_at
from ccc.compile.frontend.describing import class_of
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import Paths
from ccc.compile.frontend.memory.interface import stored
from ccc.compile.frontend.names import located
from ccc.compile.frontend.regions import class_behind, is_items
from ccc.compile.frontend.values import ITEMS, Frame, ListValue, RecordValue, told_by
from ccc.compile.program.lam import Block, BlockKind, Node, Var
from ccc.objects import Array, Bool, Int, List, Real

SUBJECT, LENGTH = "match subject", "length of"  # not names that a program could have


def match_(e: Elaboration, node: ast.Match, frame: Frame) -> Paths:
    """`match` as an `if` with `elif`s on the value, which is computed once."""
    value = e.expression(node.subject, frame)
    frame.env[SUBJECT] = value
    frame.env[LENGTH] = len
    frame.local |= {SUBJECT, LENGTH}
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
        if test is not None:
            chain[0].stands_for = node  # type: ignore[attr-defined]
    return e.ends_of(chain or [located(ast.Pass(), node)], frame)


class Replaced(ast.NodeTransformer):
    """Puts the parts of the subject for the names that a pattern binds."""

    def __init__(self, names: dict[str, ast.expr]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.names.get(node.id, node)


def known(value: Any) -> ast.expr:
    """An expression that is a value of the compiler."""
    return ast.Constant(value)


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
        return either(node, [pattern(e, p, value, subject, frame) for p in node.patterns])
    if isinstance(node, ast.MatchClass):
        return of_class(e, node, value, subject, frame)
    if isinstance(node, ast.MatchSequence | ast.MatchMapping):
        refuse_others(e, node, value, frame)
    if isinstance(node, ast.MatchSequence):
        return sequence(e, node, value, subject, frame)
    if isinstance(node, ast.MatchMapping):
        return mapping(e, node, value, subject, frame)
    raise unsupported("CC003", f"the pattern `{type(node).__name__}` is not supported", e.span(node, frame),
                      help="match literals, names and tuples, or use if and elif")


def refuse_others(e: Elaboration, node: ast.pattern, value: Any, frame: Frame) -> None:
    """Refuse a pattern of items or keys of an object whose class says what these are."""
    if not isinstance(value, (RecordValue, Node)) or class_behind(value.cls) in (list, dict):
        return
    cls, of = class_of(value) or object, "list" if isinstance(node, ast.MatchSequence) else "dict"
    wanted = collections.abc.Sequence if of == "list" else collections.abc.Mapping
    if issubclass(cls, wanted) and not issubclass(cls, tuple):
        raise unsupported("CC003", f"a pattern of the items of a `{cls.__name__}`", e.span(node, frame),
                          help=f"match `{of}(...)` of it")


def of_class(
    e: Elaboration, node: ast.MatchClass, value: Any, subject: ast.expr, frame: Frame
) -> tuple[Test, Named]:
    """A pattern of a class, matched attribute by attribute."""
    cls = e.expression(node.cls, frame)
    if sums.is_sum(value) and isinstance(cls, type):
        return of_sum(e, node, cls, value, subject, frame)
    told = told_by(value) is not None or classes_at_run.at_run(e, value, node, frame) or kinds_met.is_of_several(
        value, integers=True)
    if told and isinstance(cls, type) and not node.patterns and not node.kwd_patterns:
        return located(ast.Call(known(isinstance), [subject, known(cls)], []), node), []
    found = class_looked_at(e, value)
    if not isinstance(cls, type) or found is None:
        raise unsupported("CC003", "this pattern of a class is not known while compiling", e.span(node, frame),
                          help="use if and elif")
    if not issubclass(found, cls):
        return located(ast.Constant(False), node), []
    names = [*getattr(cls, "__match_args__", ())[: len(node.patterns)], *node.kwd_attrs]
    patterns = [*node.patterns, *node.kwd_patterns]
    if len(names) < len(patterns) and not (len(patterns) == 1 and cls in (int, float, str, bool, list, tuple, dict)):
        raise mismatch("CC027", f"`{cls.__name__}` takes fewer positional patterns", e.span(node, frame),
                       help="name the attributes: `C(x=...)`")
    if not names and patterns:
        return pattern(e, patterns[0], value, subject, frame)
    tests: list[ast.expr] = []
    bound: Named = []
    for name, inner in zip(names, patterns, strict=True):
        place = located(ast.Attribute(subject, name, ast.Load()), inner)
        test, more = pattern(e, inner, e.expression(place, frame), place, frame)
        tests += [] if test is None else [test]
        bound += more
    return all_of(tests, node), bound


def all_of(tests: list[ast.expr], node: ast.AST) -> Test:
    """The test that all tests hold."""
    return None if not tests else tests[0] if len(tests) == 1 else located(ast.BoolOp(ast.And(), tests), node)


def fails(test: Test) -> bool:
    """Whether a pattern never matches."""
    if isinstance(test, ast.BoolOp):
        return (any if isinstance(test.op, ast.And) else all)(map(fails, test.values))
    return isinstance(test, ast.Constant) and test.value is False


def either(node: ast.MatchOr, found: list[tuple[Test, Named]]) -> tuple[Test, Named]:
    """Patterns of which the first that matches binds the names."""
    found = [one for one in found if not fails(one[0])] or found[:1]  # what fails binds nothing
    last = next((i for i, (test, _) in enumerate(found) if test is None), len(found) - 1)
    found = [*found[:last], found[last]]
    names: Named = []
    for name, _ in found[0][1]:
        part = dict(found[-1][1])[name]
        for test, others in reversed(found[:-1]):
            part = located(ast.IfExp(test, dict(others)[name], part), node)  # type: ignore[arg-type]
        names.append((name, part))
    tests = [test for test, _ in found if test is not None]
    whole = tests[0] if len(tests) == 1 else located(ast.BoolOp(ast.Or(), tests), node) if tests else None
    return (whole if len(tests) == len(found) else None), names


def mapping(
    e: Elaboration, node: ast.MatchMapping, value: Any, subject: ast.expr, frame: Frame
) -> tuple[Test, Named]:
    """A pattern of a dict whose keys are known, matched key by key."""
    keys_unknown = isinstance(value, RecordValue) and ITEMS in value.fields
    if keys_unknown or stored.is_container(value) or (isinstance(value, Node) and value.cls is dict):
        raise unsupported("CC003", "a pattern of keys needs a dict whose keys are known", e.span(node, frame),
                          help="use if and elif")
    if not isinstance(value, RecordValue) or value.cls is not dict:
        if isinstance(value, int | float | str | tuple | ListValue | RecordValue | None) or is_number(value):
            return located(ast.Constant(False), node), []
        raise unsupported("CC003", "a pattern of keys needs a dict whose keys are known", e.span(node, frame),
                          help="use if and elif")
    tests: list[ast.expr] = []
    names: Named = []
    taken: list[Any] = []
    for key, inner in zip(node.keys, node.patterns, strict=True):
        known = e.expression(key, frame)
        if known not in value.fields:
            return located(ast.Constant(False), node), []
        taken.append(known)
        place = located(ast.Subscript(subject, ast.Constant(known), ast.Load()), inner)
        test, found = pattern(e, inner, value.fields[known], place, frame)
        tests += [] if test is None else [test]
        names += found
    if node.rest is not None:
        keys = [key for key in value.fields if key not in taken]
        parts = [ast.Subscript(subject, ast.Constant(key), ast.Load()) for key in keys]
        names.append((node.rest, located(ast.Dict([ast.Constant(key) for key in keys], list(parts)), node)))
    return all_of(tests, node), names


def is_number(value: Any) -> bool:
    """True for numbers and arrays of the program."""
    return isinstance(value, Var) and isinstance(value.object, (Real, Int, Bool, Array))


def of_sum(
    e: Elaboration, node: ast.MatchClass, cls: type, value: Var, subject: ast.expr, frame: Frame
) -> tuple[Test, Named]:
    """A pattern of a class, matched with what may be one of several: its parts are looked at where the test holds."""
    test = located(ast.Call(known(isinstance), [subject, known(cls)], []), node)
    classes = {tag: alternatives.class_of_alternative(a) or object for tag, a in sums.left(e, value).items()}
    tags = [tag for tag, found in classes.items() if issubclass(found, cls)]
    if issubclass(cls, BaseException) and object in classes.values() and not node.patterns and not node.kwd_patterns:
        return test, []  # of what an operation raised
    if not tags:
        return located(ast.Constant(False), node), []

    def matched() -> tuple[Test, Named]:
        e.facts.left.setdefault(e.recorder.block, {})[sums.place_of(value)] = set(tags)
        inner = sums.narrowed(e, value)
        if not sums.is_sum(inner):
            return pattern(e, node, inner, subject, frame)
        if not node.patterns and not node.kwd_patterns:
            return None, []
        stored.one_region(sums.left(e, value).values())
        raise unsupported("CC003", "this pattern matches several classes and looks at their parts", e.span(node, frame),
                          help="write one case for each class")

    more, names = e.inside(Block(BlockKind.BRANCH, e.recorder.block), matched)
    return (test if more is None else located(ast.BoolOp(ast.And(), [test, more]), node)), names


def sequence(
    e: Elaboration, node: ast.MatchSequence, value: Any, subject: ast.expr, frame: Frame
) -> tuple[Test, Named]:
    """A pattern of a tuple or list, matched part by part."""
    if stored.is_container(value):
        raise unsupported("CC003", "a pattern of parts cannot be matched with this", e.span(node, frame),
                          help="match tuples and lists")
    items = value.items if isinstance(value, ListValue) else value
    if isinstance(items, Node) and not is_items(items):
        return located(ast.Constant(False), node), []
    if is_number(items) or isinstance(items, int | float | str | RecordValue | None):
        return located(ast.Constant(False), node), []
    stars = [i for i, p in enumerate(node.patterns) if isinstance(p, ast.MatchStar)]
    fixed = len(node.patterns) - len(stars)
    before = stars[0] if stars else fixed
    tests: list[ast.expr] = []
    if isinstance(items, Var) and isinstance(items.object, List):
        length = located(ast.Call(ast.Name(LENGTH, ast.Load()), [subject], []), node)
        wanted = [ast.GtE() if stars else ast.Eq()]
        tests.append(located(ast.Compare(length, wanted, [ast.Constant(fixed)]), node))  # type: ignore[arg-type]
        parts = [e.argument_like(items.object.item)] * fixed
    elif isinstance(items, (tuple, list)):
        if len(items) < fixed or (len(items) > fixed and not stars):
            return located(ast.Constant(False), node), []
        parts = [*items[:before], *items[len(items) - (fixed - before):]] if stars else list(items)
    else:
        raise unsupported("CC003", "a pattern of parts cannot be matched with this", e.span(node, frame),
                          help="match tuples and lists")
    names: Named = []
    given = iter(parts)
    for i, inner in enumerate(node.patterns):
        behind = i - len(node.patterns) if stars and i >= before else i
        if isinstance(inner, ast.MatchStar):
            if inner.name is not None:
                names.append((inner.name, located(rest_of(items, subject, before, fixed - before), inner)))
            continue
        place = located(ast.Subscript(subject, ast.Constant(behind), ast.Load()), inner)
        test, found = pattern(e, inner, next(given), place, frame)
        tests += [] if test is None else [test]
        names += found
    return all_of(tests, node), names


def rest_of(items: Any, subject: ast.expr, before: int, behind: int) -> ast.expr:
    """The list that a star binds."""
    if isinstance(items, Var):
        stop = ast.Constant(-behind) if behind else None
        return ast.Subscript(subject, ast.Slice(ast.Constant(before), stop), ast.Load())
    positions = range(before, len(items) - behind)
    return ast.List([ast.Subscript(subject, ast.Constant(i), ast.Load()) for i in positions], ast.Load())
