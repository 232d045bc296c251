"""Comprehensions, and what `sum`, `any`, `all` and `list` make of what is iterated.

A comprehension over what is known item by item, or a few numbers, is unrolled; over everything else a list is a loop
with one output.
`sum` and its like are the loops that they stand for, elaborated as statements in a frame of their own.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import alternatives, cursors, handing, python_functions, records
from ccc.compile.frontend.attempts import LOOPS
from ccc.compile.frontend.conditions import condition
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.generators import KEPT, if_collected, once, site_of
from ccc.compile.frontend.interrupts import Bottom, ByIndex, ByItems, Ends
from ccc.compile.frontend.iterables import few_items, known_items
from ccc.compile.frontend.iterated import Along, by_key, read_in_turn, refuse_effects, take_turns
from ccc.compile.frontend.iterator_values import OnceValue, is_in_turn
from ccc.compile.frontend.loop_sequences import counts, sequences
from ccc.compile.frontend.memory import interface
from ccc.compile.frontend.memory.interface import kept, lists, seal, undone
from ccc.compile.frontend.names import located, read_names
from ccc.compile.frontend.parts import opened
from ccc.compile.frontend.values import ClosureValue, Frame, ListValue, OwnName, RecordValue, atom_of
from ccc.compile.program.lam import Block, BlockKind, Lit, Loop, Var
from ccc.objects import List
from ccc.primitives import effects, structure

COMPENSATED = sys.version_info >= (3, 12)
"""Whether `sum` of floats keeps what rounding loses; then it is called as it is, and not read as additions."""
OVER, TOTAL, FIRST, STOP, DICT = map(
    OwnName, ("what is iterated", "the result so far", "the first item", "the end", "the dict so far"))

GIVEN = "_ccc_over"
"""The parameter of a generator expression that is read as a function."""


def inner_frame(frame: Frame, targets: Sequence[ast.AST]) -> Frame:
    """The scope of a comprehension: its targets are names of its own."""
    inner = Frame("a comprehension", frame.file, frame.function, frame)
    names = [n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]
    inner.local = frozenset([*names, OVER, TOTAL, FIRST, STOP])
    inner.site = targets[0] if targets else None
    return inner


def shared(e: Elaboration, inner: Frame) -> None:
    """Let the targets stand in stores that functions share which are kept."""
    if e.stores is not None:
        interface.shared_variables.begun(e, inner)


def named_within(node: ast.AST) -> list[ast.expr]:
    """What `:=` in a comprehension names."""
    return [part.target for part in ast.walk(node) if isinstance(part, ast.NamedExpr)]


def refuse_bindings(e: Elaboration, node: ast.AST, frame: Frame) -> None:
    """Let a comprehension that is a loop keep what it names by `:=`; refuse where something else reads it, and what is
    asynchronous."""
    named = {part.id: part for part in named_within(node) if isinstance(part, ast.Name)}
    around: Frame | None = frame
    while named and around is not None and around.node is None:
        around = around.outer
    for name, where in named.items():
        if around is not None and is_used(around.node, name, node):
            raise unsupported("CC003", "a name that `:=` in a comprehension binds is used outside of it",
                              e.span(where, frame), help="use a loop")
    frame.local |= named.keys()
    if any(getattr(inner, "is_async", 0) for inner in ast.walk(node)):
        raise unsupported("CC003", "`async` in a comprehension is not supported", e.span(node, frame),
                          help="use a loop")


def is_used(node: Any, name: str, besides: ast.AST) -> bool:
    """Whether a variable of a function is used in `node`, but in a comprehension that binds it by `:=`; that what binds
    it first has set it elsewhere is no use."""
    first = binds_first(besides, name)
    todo: list[Any] = [node]
    while todo:
        part = todo.pop()
        if part is besides or (part is not node and binds(part, name)):
            continue
        if isinstance(part, ast.Name) and part.id == name and not (first and isinstance(part.ctx, ast.Store)):
            return True
        if (isinstance(part, ast.arg) and part.arg == name and not first) or (
                isinstance(part, ast.Nonlocal) and name in part.names):
            return True
        todo += ast.iter_child_nodes(part)
    return False


def binds(node: ast.AST, name: str) -> bool:
    """Whether a name stands for another variable in a function or comprehension, or for what that binds first."""
    if isinstance(node, (ast.Lambda, ast.FunctionDef)):
        return any(a.arg == name for a in ast.walk(node.args) if isinstance(a, ast.arg))
    if not isinstance(node, LOOPS):
        return False
    targets = [n for g in node.generators for n in ast.walk(g.target)]
    return any(isinstance(n, ast.Name) and n.id == name for n in targets) or binds_first(node, name)


def conjuncts(test: ast.expr) -> list[ast.expr]:
    """The tests that a test by `and` is made of, in their order."""
    both = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)
    return [x for value in test.values for x in conjuncts(value)] if both else [test]  # type: ignore[attr-defined]


def binds_first(node: Any, name: str) -> bool:
    """Whether a comprehension binds a name by `:=` in an `if`, at each item that passes it, before it reads it."""
    for part in [x for g in node.generators for test in (g.iter, *g.ifs) for x in conjuncts(test)]:
        always = [part]
        for inner in always:
            always += [inner.left] if isinstance(inner, ast.Compare) else [inner.operand] if isinstance(
                inner, ast.UnaryOp) else []
        named = [x for x in always if isinstance(x, ast.NamedExpr) and x.target.id == name]
        if named:
            return not any(isinstance(x, ast.Name) and x.id == name for x in ast.walk(named[0].value))
        if any(isinstance(x, ast.Name) and x.id == name for x in ast.walk(part)):
            return False
    return False


def listed(e: Elaboration, node: ast.ListComp, frame: Frame) -> Any:
    """A list comprehension: a list display where its items are known one by one, else a list of the program."""
    return handing.listed(e, lambda: collected(e, node, frame), node, frame)


def collected(e: Elaboration, node: ast.ListComp, frame: Frame) -> Any:
    """What a list comprehension or a generator expression collects."""
    inner = inner_frame(frame, [g.target for g in node.generators])
    e.frames.append(inner)
    try:
        shared(e, inner)
        over = source(e, node, node.generators[0], frame)
        return alternatives.iterated(e, over, lambda xs: listed_along(e, node, xs, inner), node, frame)
    finally:
        e.frames.pop()


def listed_along(e: Elaboration, node: ast.ListComp, over: Any, inner: Frame) -> Any:
    """A list comprehension, of what its first `for` runs along."""
    block = e.recorder.block
    while True:
        try:
            return undone(e, lambda: else_appended(
                e, lambda: made(e, node, node.generators, over, inner), node, over, inner), ByItems, inner)
        except ByItems as need:
            if need.is_around(block):
                raise
            assert need.node not in e.rows.by_items  # it would be read so for ever
            e.rows.by_items.add(need.node)


def else_appended(e: Elaboration, run: Callable[[], Any], node: ast.ListComp, over: Any, inner: Frame) -> Any:
    """What `run` gives; where it is not known which items there are, the list that a loop appends them to."""
    try:
        return undone(e, run, Unknown, inner)
    except Unknown:
        return appended(e, node, over, inner)


def source(e: Elaboration, node: Any, generator: ast.comprehension, frame: Frame) -> Any:
    """What a generator runs along; what has effects runs in turn where something is computed meanwhile, which may show
    them, or is refused."""
    handing.on(generator.iter)
    handing.read_by(generator.target, node)
    over = e.iterated(generator.iter, frame)
    take_turns(e, [over], generator.iter, frame, False)
    alone = isinstance(node.elt, ast.Name) and not any(g.ifs for g in node.generators)
    if not alone and not is_in_turn(read_in_turn(over, False, False)):
        refuse_effects(e, over, generator.iter, frame)
    return over


def made(e: Elaboration, node: ast.ListComp, generators: list[ast.comprehension], over: Any, frame: Frame) -> Any:
    """The list for the generators that are left, the first of them over `over`."""
    first, rest = generators[0], generators[1:]
    if is_in_turn(over):  # to ask for its items would run it
        raise Unknown
    over = by_key(e, over, first.iter)
    if (numbers := few_items(over)) is not None:
        over = tuple(numbers)
    along = Along(e, over, first.iter, frame)
    in_turn = cursors.is_known(over)
    if not in_turn and known_items(over) is None:
        if first is not node.generators[0]:
            raise Unknown
        if rest or first.ifs or cursors.is_iterator(over):
            return appended(e, node, over, frame)
        whole = looped(e, node, first, over, frame)
        along.check()
        return whole
    found: list[Any] = []
    for item in asked(e, over, first.iter, frame) if in_turn else along.one_by_one():
        e.bind(first.target, item, frame)
        if not all(passes(e, test, frame) for test in first.ifs):
            continue
        if not rest:
            found.append(put(e, node, frame))
            continue
        over = source(e, node, rest[0], frame)
        part = alternatives.iterated(e, over, lambda xs: made(e, node, rest, xs, frame), node, frame)
        if not isinstance(part, ListValue):
            raise Unknown
        found += part.items
    along.check()
    return ListValue(found)


def put(e: Elaboration, node: ast.ListComp, frame: Frame) -> Any:
    """An item, which a list keeps; a generator expression hands it on, and so does a list behind a star."""
    return (kept if handing.is_on(node) else Elaboration.kept)(e, e.expression(node.elt, frame), node.elt, frame)


def asked(e: Elaboration, over: Any, node: ast.AST, frame: Frame) -> Iterator[Any]:
    """What an iterator gives, asked in turn. Raises `Unknown` where it is not known whether there is one more."""
    while (more := records.special(e, over, "__ccc_more__", [], {}, node, frame)) is True:
        yield records.special(e, over, "__next__", [], {}, node, frame)
    if more is not False:
        raise Unknown


class Unknown(Exception):
    """The length of a list is not known."""


def passes(e: Elaboration, test: ast.expr, frame: Frame) -> bool:
    """Whether an item passes a condition. Raises `Unknown` where that is not known."""
    found = condition(e, test, frame)
    if isinstance(found, Var):
        raise Unknown
    return bool(found)


def appended(e: Elaboration, node: ast.ListComp, over: Any, frame: Frame) -> Any:
    """A list whose length is not known, as the loop that appends its items."""
    refuse_bindings(e, node, frame)
    frame.env[OVER] = over
    frame.env[TOTAL] = ListValue([])
    append = ast.Attribute(ast.Name(TOTAL, ast.Load()), "append", ast.Load())
    step: ast.stmt = ast.Expr(ast.Call(append, [node.elt], []))
    body = [located(nested(node.generators, step), node), located(ast.Return(ast.Name(TOTAL, ast.Load())), node)]
    return e.attempts.part(lambda: e.run(body, frame))


def nested(generators: list[ast.comprehension], step: ast.stmt) -> ast.stmt:
    """The loops and tests of a comprehension around a statement; the first loop runs over `OVER`."""
    for i, generator in reversed(list(enumerate(generators))):
        for test in reversed([part for whole in generator.ifs for part in conjuncts(whole)]):
            step = ast.If(test, [step], [])
        iterated = generator.iter if i else ast.Name(OVER, ast.Load())
        step = ast.For(generator.target, iterated, [step], [])
    return step


def shows_parts(e: Elaboration, over: Any) -> bool:
    """True for arrays in stores whose rows are known as what they show of them."""
    from ccc.compile.frontend.memory.interface import walking

    return any(map(walking.has_parts, walking.along(e, over)))


def looped(e: Elaboration, node: ast.ListComp, generator: ast.comprehension, over: Any, frame: Frame) -> Var:
    """A list as the output of a loop."""
    refuse_bindings(e, node, frame)
    if e.stores is not None and shows_parts(e, over):  # its items are read by their indices
        raise Unknown
    along, make = sequences(e, over, generator.iter, frame)
    block = Block(BlockKind.LOOP, e.recorder.block)
    elements = [e.recorder.param(block, "", xs.object.item) for xs in along]  # type: ignore[attr-defined]
    e.origins.update({element: [xs] for element, xs in zip(elements, along, strict=True)})
    e.rows.counted.update({v: generator.iter for v, xs in zip(elements, along, strict=True) if counts(xs)})
    e.rows.elements[block] = dict(zip(elements, along, strict=True))

    def body() -> Any:
        e.bind(generator.target, make([opened(v) for v in elements]), frame)
        found = e.kept(e.expression(node.elt, frame), node.elt, frame)
        seal(found)
        return e.leaf(found, node.elt, frame)

    try:
        item = e.inside(block, body)
    except Bottom:
        return e.always(structure.listing, ())  # what an item is is not known yet
    except (ByIndex, Ends):  # an item that surely raises does so where the loop runs at all
        raise Unknown from None
    if e.heap.changed(block):  # the loop that it stands for carries what a call in it changes
        raise Unknown
    if isinstance(item, ListValue | None):  # an empty list, or None: more is said where something is put there
        raise Unknown
    if isinstance(item, str):
        item = e.within(block, lambda: e.always(effects.text, (), form=(item,)))
    if not isinstance(item, (Var, int, float)):
        raise lists.no_item(item, e.place(node.elt, frame))
    result = atom_of(item)
    block.results = [Lit(item, result.object) if not isinstance(item, Var) else e.versions.now(item, block)]
    e.recorder.span = e.span(node, frame)
    let = e.recorder.emit(Loop(block, 0, False), [*along])
    return e.recorder.target(let, "", List(result.object))


def generator(e: Elaboration, node: ast.GeneratorExp, frame: Frame) -> OnceValue:
    """A generator expression that is given to something else than a builtin."""
    site = None if named_within(node) else site_of(node, frame)
    asked = (KEPT, site) in e.in_turn
    if site in e.in_turn or asked:
        along = node.generators[0].iter
        over = cursors.begun(e, e.expression(along, frame), node, frame) if asked else e.iterated(along, frame)
        return e.call(ClosureValue(as_function(node), frame, {}, e.recorder.block), [over], {}, node, frame)
    given = tuple([frame.env[name] for name in sorted(read_names(node)) if name in frame.env])
    made = located(ast.ListComp(node.elt, node.generators), node)
    handing.on(made)
    found = if_collected(lambda: once(e, lambda: collected(e, made, frame), given, node, frame), site)
    found.site = site
    return found


@lru_cache(maxsize=1024)
def as_function(node: ast.GeneratorExp) -> ast.FunctionDef:
    """A generator expression as the function that yields, of what its first loop runs along."""
    step = nested(node.generators, ast.Expr(ast.Yield(node.elt)))
    for part in ast.walk(step):
        if isinstance(part, ast.Name) and part.id == OVER:
            part.id = GIVEN
    arguments = ast.arguments([], [ast.arg(GIVEN)], None, [], [], None, [])
    return located(ast.FunctionDef("genexpr", arguments, [step], []), node)


# -- what folds a sequence ---------------------------------------------------------------------------------------------


def consumed(
    e: Elaboration, function: Any, node: ast.GeneratorExp, args: list[Any], kwargs: dict[str, Any], where: ast.AST,
    frame: Frame,
) -> Any:
    """`sum(... for ...)` and its like."""
    if function not in FOLDS or (function is builtins.sum and COMPENSATED):
        items = listed(e, located(ast.ListComp(node.elt, node.generators), node), frame)
        return e.call(function, [items, *args], kwargs, where, frame)
    refuse_bindings(e, node, frame)
    over = source(e, node, node.generators[0], frame)
    return alternatives.iterated(
        e, over, lambda xs: folded(e, function, node, xs, args, kwargs, frame), where, frame)


def over_value(
    e: Elaboration, function: Any, over: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """`sum(xs)` and its like for a sequence whose items are not known one by one."""
    if python_functions.of(function).takes == "some" and not is_in_turn(read_in_turn(over)):
        refuse_effects(e, over, node, frame)
    item = ast.Name(FIRST, ast.Store())
    generator = ast.comprehension(item, ast.Name(OVER, ast.Load()), [], 0)
    made_up = located(ast.GeneratorExp(ast.Name(FIRST, ast.Load()), [generator]), node)
    return folded(e, function, made_up, over, args, kwargs, frame)


def added(item: ast.expr, inner: Frame, args: list[Any]) -> tuple[ast.stmt, ast.stmt]:
    """What `sum` does with each item, and then."""
    total = ast.Name(TOTAL, ast.Load())
    inner.env[TOTAL] = args[0] if args else 0
    return ast.Assign([ast.Name(TOTAL, ast.Store())], ast.BinOp(total, ast.Add(), item)), ast.Return(total)


def first(item: ast.expr, inner: Frame, args: list[Any]) -> tuple[ast.stmt, ast.stmt]:
    """What `next` does with each item, and where there is none."""
    inner.env |= {STOP: StopIteration, TOTAL: args[0] if args else None}
    none = ast.Return(ast.Name(TOTAL, ast.Load())) if args else ast.Raise(ast.Name(STOP, ast.Load()))
    return ast.Return(item), none


def some(item: ast.expr, inner: Frame, args: list[Any]) -> tuple[ast.stmt, ast.stmt]:
    """What `any` does with each item, and then."""
    return ast.If(item, [ast.Return(ast.Constant(True))], []), ast.Return(ast.Constant(False))


def every(item: ast.expr, inner: Frame, args: list[Any]) -> tuple[ast.stmt, ast.stmt]:
    """What `all` does with each item, and then."""
    test = ast.UnaryOp(ast.Not(), item)
    return ast.If(test, [ast.Return(ast.Constant(False))], []), ast.Return(ast.Constant(True))


FOLDS: dict[Any, Callable[..., tuple[ast.stmt, ast.stmt]]] = {
    builtins.sum: added, builtins.next: first, builtins.any: some, builtins.all: every}
"""The functions of Python's that are read as the loops they stand for."""


def folded(
    e: Elaboration, function: Any, node: ast.GeneratorExp, over: Any, args: list[Any], kwargs: dict[str, Any],
    frame: Frame,
) -> Any:
    """The loop that a call stands for; what it is given to begin with is kept, as what the loop leaves is."""
    inner = inner_frame(frame, [*[g.target for g in node.generators], *named_within(node)])
    inner.env[OVER] = over
    first = [kept(e, start, node, frame) for start in (*args, *kwargs.values())]
    step, last = FOLDS[function](node.elt, inner, first)
    body = [located(nested(node.generators, step), node), located(last, node)]
    e.frames.append(inner)
    try:
        shared(e, inner)
        return e.attempts.part(lambda: e.run(body, inner))
    finally:
        e.frames.pop()


def copied(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> Any:
    """`list(xs)`: a new list of the same items."""
    items = known_items(value)
    if items is not None:
        return ListValue([e.handlers.iterator(e, item, node, frame) for item in items])
    item = ast.Name(FIRST, ast.Store())
    generator = ast.comprehension(item, ast.Name(OVER, ast.Load()), [], 0)
    comprehension = located(ast.ListComp(ast.Name(FIRST, ast.Load()), [generator]), node)
    inner = inner_frame(frame, [item])

    def whole() -> Any:
        """The items of a generator that nothing else runs beside, where they are known when it has run."""
        items = known_items(value.items) if is_in_turn(value) and not value.endless else None
        return looped(e, comprehension, generator, value, inner) if items is None else ListValue(items)

    e.frames.append(inner)
    try:
        return else_appended(e, whole, comprehension, value, inner)
    finally:
        e.frames.pop()


def of_dict(e: Elaboration, node: ast.DictComp, frame: Frame) -> Any:
    """`{key: value for ... in ...}`: the loops that it stands for."""
    refuse_bindings(e, node, frame)
    inner = inner_frame(frame, [*[g.target for g in node.generators], *named_within(node)])
    inner.local |= {DICT}
    inner.env[DICT] = RecordValue(dict, {})
    made = ast.Name(DICT, ast.Load())
    step: ast.stmt = ast.Assign([ast.Subscript(made, node.key, ast.Store())], node.value)
    for generator in reversed(node.generators):
        for test in reversed(generator.ifs):
            step = ast.If(test, [step], [])
        step = ast.For(generator.target, generator.iter, [step], [])
    e.frames.append(inner)
    try:
        shared(e, inner)
        return e.run([located(step, node), located(ast.Return(made), node)], inner)
    finally:
        e.frames.pop()
