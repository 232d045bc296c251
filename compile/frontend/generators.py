"""Generators: a function that yields is read as one that collects what it yields, iterated where it is called."""

from __future__ import annotations

import ast
import copy
import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import interrupts, python_functions
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterables import known_items
from ccc.compile.frontend.iterator_values import CALLS, EnumerateValue, GeneratorValue, OnceValue, ZipValue, is_in_turn
from ccc.compile.frontend.memory.interface import stored
from ccc.compile.frontend.names import (
    FUNCTIONS,
    binds_once,
    bound,
    free_names,
    in_scope,
    local_names,
    located,
    own_parts,
    same_scope,
)
from ccc.compile.frontend.parts import parts_in
from ccc.compile.frontend.source import outer_value, source_of
from ccc.compile.frontend.values import ClosureValue, Frame, ListValue, OwnName, _serials, meant
from ccc.compile.frontend.yielding import (
    acts_when_dropped,
    is_name,
    uses_values,
    without_end,
    without_stop,
    yields,
)
from ccc.compile.program.lam import Apply, Call, Let, Var
from ccc.compile.program.raises import may_raise
from ccc.objects import Bool, Int, Real
from ccc.primitives import effects

T = TypeVar("T")
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

EACH = "_ccc_each"
"""The parameter that a generator which runs in turn calls with what it yields."""
COLLECTED = OwnName("what it yields")
GIVEN = OwnName("an item of another generator")
KEPT = "kept"
"""Marks the site of an iterator that is an object from the beginning: what it does it does when it is asked."""


@lru_cache(maxsize=1024)
def collecting(node: Any) -> ast.FunctionDef:
    """A generator as a function that returns a list of what it yields."""
    made = copy.copy(node)
    name = ast.Name(COLLECTED, ast.Store())
    begin = ast.Assign([name], ast.List([], ast.Load()))
    end = ast.Return(ast.Name(COLLECTED, ast.Load()))
    change = Collecting()
    body = [found for statement in copy.deepcopy(node.body) for found in change.statements(statement)]
    body = without_stop(node, body)
    made.body = [located(begin, node.body[0]), *body, located(end, node.body[-1])]
    return made


def is_collected(node: ast.AST | None) -> bool:
    """True for the list of what a generator yields, which nothing but what iterates it ever sees."""
    if isinstance(node, ast.List) and len(node.elts) == 1 and isinstance(node.elts[0], ast.Starred):
        node = node.elts[0].value
    return isinstance(node, ast.Name) and isinstance(node.id, OwnName) and node.id == COLLECTED


class Collecting(ast.NodeTransformer):
    """Appends what is yielded."""

    def statements(self, statement: ast.stmt) -> list[ast.stmt]:
        found = self.visit(statement)
        return found if isinstance(found, list) else [found]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        items = ast.Starred(ast.Name(COLLECTED, ast.Load()), ast.Load())
        return located(ast.Return(ast.List([items], ast.Load())), node)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        append = ast.Attribute(ast.Name(COLLECTED, ast.Load()), "append", ast.Load())
        if isinstance(node.value, ast.Yield):
            value = node.value.value or ast.Constant(None)
            return located(ast.Expr(ast.Call(append, [value], [])), node)
        if isinstance(node.value, ast.YieldFrom):
            body: list[ast.stmt] = [ast.Expr(ast.Call(append, [ast.Name(GIVEN, ast.Load())], []))]
            return located(ast.For(ast.Name(GIVEN, ast.Store()), node.value.value, body, []), node)
        return node


def refuse(e: Elaboration, node: Any, where: ast.AST, frame: Frame | None) -> None:
    """Refuse what cannot be collected: what never ends, and what is sent to a generator."""
    if uses_values(node):
        raise unsupported("CC004", "a `yield` whose value is used is not supported", e.place(where, frame),
                          "a generator is read as the list of what it yields",
                          help="write a class with a method instead")
    if any(map(without_end, own_parts(node))):
        raise unsupported("CC004", "a generator without an end is not supported", e.place(where, frame),
                          "a generator is read as the list of what it yields",
                          help="let it end: `for _ in range(n):` in place of `while True:`")


def called(
    e: Elaboration, node: Any, args: list[Any], run: Callable[[Any], Any], where: ast.AST, frame: Frame | None,
    function: Any = None,
) -> Any:
    """What the call of a generator gives, to be iterated once; `run` calls the function that collects, for `function`,
    which may read of what is around it."""
    sources = (*args, *read_around(function))

    def collect() -> OnceValue:
        if frame is not None and (resumed := asked_for(node)) is not None:
            return once(e, lambda: e.call(list, [run(resumed)], {}, where, frame), sources, where, frame)
        refuse(e, node, where, frame)
        made = lambda: once(e, lambda: run(collecting(node)), sources, where, frame)  # noqa: E731
        return e.attempts.value(where, made) if isinstance(where, ast.Call | ast.GeneratorExp) else made()

    site = site_of(where, frame)
    here = node in e.in_turn or site in e.in_turn or (KEPT, site) in e.in_turn
    lazy = here or any(map(is_in_turn, args)) or uses_values(node) or any(
        map(without_end, own_parts(node)))
    found = GeneratorValue(node, run, collect, sources, lazy, lazy and is_endless(node, args))
    found.made, found.acts = site, acts(node, function, set())
    if not lazy:
        if_collected(found.collected, node)
    return found


def asked_for(node: Any) -> Any:
    """A generator that uses what its yields give, as a function that gives an object which is asked for items; None for
    others, which are read as the list of what they yield."""
    if not uses_values(node) or any(map(without_end, own_parts(node))):
        return None
    from ccc.compile.frontend.resuming import resuming

    return resuming(node)


def read_around(function: Any) -> list[Any]:
    """What a function and those that it calls read of what is around them and may be another thing later; a function
    that reads a variable which is bound anew itself."""
    found, todo, seen = list[Any](), [function], set[int]()
    while todo:
        here = todo.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        if isinstance(here, ClosureValue):
            values = [(name, outer) for name in sorted(free_names(here.node)) if (outer := holder(here.frame, name))]
            todo += [outer.env.get(name) for name, outer in values]
            found += [here] if any(not binds_once(outer.node, name) for name, outer in values) else []
        elif isinstance(here, types.FunctionType):
            names = map(ast.Name, sorted({*here.__code__.co_names, *here.__code__.co_freevars}))
            found += [x for x in (outer_value(name, here) for name in names) if may_change(x)]
        elif not is_constant(here) and may_change(here):
            found.append(here)
    return found


def holder(frame: Frame | None, name: str) -> Frame | None:
    """The frame in which a name stands for something."""
    while frame is not None and name not in frame.local:
        frame = frame.outer
    return frame


def is_constant(value: Any) -> bool:
    """True for numbers and texts."""
    of = value.object if isinstance(value, Var) else None
    return isinstance(of, (Real, Int, Bool)) or (of is None and isinstance(value, (int, float, str, types.NoneType)))


def may_change(value: Any) -> bool:
    """True for what may change where it stands."""
    return not (isinstance(value, int | float | complex | str | bytes | None | types.ModuleType) or callable(value))


def site_of(node: ast.AST, frame: Frame | None) -> Any:
    """Where something is made: the same for an expression that is read again as another one."""
    if frame is None:
        return None
    place = [getattr(node, name, 0) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")]
    return (type(node), frame.file, *place)


def if_collected(collect: Callable[[], T], site: Any) -> T:
    """What collects all items; raises `InTurn` for a site where that ends early: what was yielded before has been used
    by then."""
    try:
        return collect()
    except (interrupts.Caught, interrupts.Ends, interrupts.Escape, interrupts.WithoutEnd):
        if site is None:
            raise
        raise interrupts.InTurn(site) from None


def is_endless(node: Any, args: list[Any]) -> bool:
    """True for a generator that surely never ends by itself."""
    if any(isinstance(part, (ast.Return, ast.Break, ast.Raise)) for part in own_parts(node)):
        return False
    along = any(isinstance(a, GeneratorValue) and a.endless for a in args)
    return any(without_end(part) or (along and isinstance(part, ast.For) and isinstance(part.iter, ast.Name))
               for part in node.body)


def once(
    e: Elaboration, run: Callable[[], Any], sources: tuple[Any, ...], where: ast.AST, frame: Frame | None
) -> OnceValue:
    """What `run` collects, as a generator that reads `sources`."""
    lets = e.recorder.block.lets
    start, first = len(lets), next(_serials)
    items, changed = e.heap.noting(run)
    found = OnceValue(types.GeneratorType, stored.shown(e, items))  # nothing else leads to the list
    found.sources = sources
    from ccc.compile.frontend.iterated import have_turns, refuse_effects

    found.effects = CALLS if changed or shows(lets[start:]) else reads_later(items, first)
    found.raises = raising(lets[start:])
    found.fails = fails(lets[start:])
    if found.effects and frame is not None:
        for xs in sources:
            if not is_in_turn(xs):  # one that is has given each item in its turn
                refuse_effects(e, xs, where, frame)
    elif have_turns(sources):
        found.effects = CALLS
    return found


def reads_later(items: Any, first: int) -> str:
    """Says of functions among items that they read a variable which is bound anew before the next item, in a frame that
    was made while the items were (no sooner than `first`)."""
    todo, seen = [items], set[int]()
    while todo:
        here = todo.pop()
        if id(here) in seen:
            continue
        seen.add(id(here))
        todo += (here.items if isinstance(here, ListValue) else parts_in(here)) or ()
        if not isinstance(here, ClosureValue):
            continue
        for name in sorted(free_names(here.node)):
            frame = holder(here.frame, name)
            if frame is not None and frame.serial > first and not binds_once(frame.node, name):
                return f"gives a function that reads `{name}`, which is bound anew before the next item"
    return ""


def some(lets: list[Let], holds: Callable[[Let], bool]) -> bool:
    """Whether something holds of one of these lets, or of one in what they run: blocks, functions that they call."""
    todo, seen = [*lets], set[int]()
    while todo:
        let = todo.pop()
        if holds(let):
            return True
        called = getattr(let.args[0], "definition", None) if isinstance(let.op, Call) else None
        for block in (*getattr(let.op, "blocks", ()), *getattr(getattr(called, "op", None), "blocks", ())):
            if id(block) not in seen:
                seen.add(id(block))
                todo += block.lets
    return False


def shows(lets: list[Let]) -> bool:
    """True where something happens on the way: is printed or drawn."""
    return some(lets, lambda let: isinstance(let.op, Apply) and let.op.primitive is not effects.fail and bool(
        let.op.primitive.effect or let.op.primitive.draws))


def fails(lets: list[Let]) -> bool:
    """True where a statement raises on the way, or what Python raises of None."""
    return some(lets, lambda let: isinstance(let.op, Apply) and let.op.primitive is effects.fail)


def raising(lets: list[Let]) -> bool:
    """True where something may raise on the way."""
    return some(lets, may_raise)


def acts(node: Any, function: Any, seen: set[Any]) -> bool:
    """Whether a generator does something where it is dropped, or one that it calls does, which is dropped with it."""
    seen.add(node)
    if acts_when_dropped(node):
        return True
    for part in own_parts(node):
        inner = meant(function, part.func) if isinstance(part, ast.Call) else None
        made = generator_of(inner)
        if made is not None and made not in seen and acts(made, inner, seen):
            return True
    return False


def generator_of(function: Any) -> Any:
    """The definition of a function that yields; None for any other."""
    if isinstance(function, ClosureValue):
        return function.node if yields(function.node) else None
    written = isinstance(function, types.FunctionType) and inspect.isgeneratorfunction(function)
    return source_of(function).node if written else None


def acts_later(value: Any) -> bool:
    """True for an iterator along such a generator."""
    if isinstance(value, GeneratorValue) and value.acts:
        return True
    parts = value.parts if isinstance(value, ZipValue) else (value.part,) if isinstance(value, EnumerateValue) else (
        value.sources if isinstance(value, OnceValue) else ())
    return any(map(acts_later, parts)) or (type(value) is OnceValue and acts_later(value.items))


def takes_all(node: Any, name: str, within: Any) -> bool:
    """Whether what reads an iterator by its name takes all its items; `within` is the function, or its activation."""
    loops = [part for part in own_parts(node) if isinstance(part, ast.For) and is_name(part.iter, name)]
    calls = [part for part in own_parts(node) if isinstance(part, ast.Call) and any(is_name(a, name) for a in part.args)
             and python_functions.of(meant(within, part.func)).takes == "all"]
    return bool(loops or calls) and not any(
        isinstance(part, (ast.Break, ast.Return, ast.Raise)) and not hasattr(part, "of_consumer")
        for loop in loops for part in in_scope(loop.body))


def consumed_next(frame: Frame, name: str, value: Any) -> bool:
    """Whether what a statement binds to a name is read once, in the statement behind it; where all that it gives is
    known by now, in any statement that runs as often. What acts when it is dropped is dropped when it has no items."""
    at = frame.at
    if frame.node is None or at is None or name not in local_names(frame.node):  # another call may read it
        return False
    if acts_later(value) and not takes_all(frame.node, name, frame):
        return False
    whole = isinstance(value, OnceValue) and not is_in_turn(value)
    known = whole and not value.sources and known_items(value) is not None
    if known and read_as_often(frame.node, name):
        return True
    behind = statements_behind(frame.node, at)
    return behind is not None and read_first(frame.node, name, behind)


def statements_behind(node: Any, at: ast.stmt) -> list[ast.stmt] | None:
    """The statements that follow one of a function's own in the same body."""
    body, i = places_of_statements(node).get(at, (None, 0))
    return None if body is None else body[i + 1:]


@lru_cache(maxsize=64)
def places_of_statements(node: Any) -> dict[ast.AST, tuple[list[ast.stmt], int]]:
    """The body that each statement of a function's own stands in, and where there."""
    bodies = [body for part in [node, *own_parts(node)] for field in ("body", "orelse", "finalbody")
              if isinstance(body := getattr(part, field, None), list)]
    return {statement: (body, i) for body in bodies for i, statement in enumerate(body)}


def read_as_often(node: Any, name: str) -> bool:
    """Whether a name is bound in one place and read in one, in the same loops."""
    found: dict[type, list[tuple[ast.AST, ...]]] = {ast.Load: [], ast.Store: [], ast.Del: []}
    for part, loops in with_loops(ast.iter_child_nodes(node)):
        if isinstance(part, ast.Name) and part.id == name:
            found[type(part.ctx)].append(loops)
    return len(found[ast.Load]) == 1 and found[ast.Load] == found[ast.Store]


def with_loops(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.AST, tuple[ast.AST, ...]]]:
    """The parts of these, each with the loops, comprehensions and functions in them that may run it several times."""
    todo: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(node, ()) for node in nodes]
    while todo:
        part, loops = todo.pop()
        yield part, loops
        inside = (*loops, part) if isinstance(part, (ast.For, ast.While, COMPREHENSIONS, FUNCTIONS)) else loops
        head = part.iter if isinstance(part, ast.For) else part.generators[0].iter if isinstance(
            part, COMPREHENSIONS) else None
        for inner in ast.iter_child_nodes(part):
            parts = ast.iter_child_nodes(inner) if isinstance(inner, ast.comprehension) else [inner]
            todo += [(x, loops if x is head else inside) for x in parts]


def consumed(node: Any, name: str, value: Any, users: Any) -> bool:
    """Whether an iterator may stay one where it is given by this name to a function, the `users` one or one of ours."""
    handed = isinstance(node, ast.Lambda) or isinstance(node.body[0], ast.Return)
    if users is not None and acts_later(value) and not handed and not takes_all(node, name, users):
        return False
    return consumed_in_turn(node, name) if is_in_turn(value) else consumed_first(node, name)


def consumed_first(node: Any, name: str) -> bool:
    """Whether a parameter is read once, before a function has done more than give names to constants and new lists."""
    if isinstance(node, ast.Lambda):
        return read_once(reads_in(node).get(name, []), node.body)
    return read_first(node, name, node.body)


def consumed_in_turn(node: Any, name: str) -> bool:
    """Whether a parameter is read in one place that runs at most once."""
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    return [loops for part, loops in with_loops(body) if is_name(part, name)] in ([], [()])


def read_first(node: Any, name: str, body: Sequence[ast.stmt]) -> bool:
    """Whether what a name stands for is read once, in the first of these statements that does more than give names to
    constants and to new lists and dicts of them."""
    made = ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.Load
    for statement in body:
        plain = isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Expr)) and statement.value is not None and all(
            isinstance(part, made) for part in ast.walk(statement.value))
        written = any(isinstance(part, (ast.Attribute, ast.Subscript)) for part in ast.walk(statement))
        if plain and not written and all(
                binds_once(node, n) or is_own(node, n) for n in bound([*ast.walk(statement)])):
            continue
        return read_once(reads_until_bound(node, name, body), statement)
    return False


def reads_until_bound(node: Any, name: str, body: Sequence[ast.stmt]) -> list[ast.Name]:
    """Where a name of a function may be read that stands for what it does before these statements: in those up to the
    one that binds it anew, if none leads past that and nothing reads the name later; else everywhere."""
    every = reads_in(node).get(name, [])
    if len(every) < 2 or name in read_later(node):
        return every
    found: list[ast.Name] = []
    for statement in body:
        found += [part for part in ast.walk(statement) if isinstance(part, ast.Name) and part.id == name
                  and isinstance(part.ctx, ast.Load)]
        if any(isinstance(part, (ast.Break, ast.Continue)) for part in ast.walk(statement)):
            return every
        again = isinstance(statement, ast.Assign) and any(is_name(to, name) for to in statement.targets)
        if again or isinstance(statement, ast.Return):
            return found
    return every


@lru_cache(maxsize=64)
def read_later(node: Any) -> set[str]:
    """The names that a function reads where it may be led past what binds them: in what it makes to be called, and
    everywhere if it catches exceptions."""
    if any(isinstance(part, (ast.Try, ast.With)) for part in own_parts(node)):
        return set(reads_in(node))
    later = [part for part in ast.walk(node) if part is not node and isinstance(part, (FUNCTIONS, COMPREHENSIONS))]
    heads = {id(inner) for part in later if isinstance(part, COMPREHENSIONS)
             for inner in ast.walk(part.generators[0].iter)}
    return {inner.id for part in later for inner in ast.walk(part)
            if isinstance(inner, ast.Name) and id(inner) not in heads}


def is_own(node: Any, name: str) -> bool:
    """Whether nothing that a function makes reads one of its variables later."""
    later = [part for part in ast.walk(node) if part is not node and isinstance(part, (FUNCTIONS, ast.GeneratorExp))]
    return name in local_names(node) and not any(
        isinstance(inner, ast.Name) and inner.id == name for part in later for inner in ast.walk(part))


@lru_cache(maxsize=64)
def reads_in(node: Any) -> dict[str, list[ast.Name]]:
    """Where each name is read in a function and in those in it."""
    found: dict[str, list[ast.Name]] = {}
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
            found.setdefault(part.id, []).append(part)
    return found


def read_once(reads: Sequence[ast.Name], where: ast.AST) -> bool:
    """Whether there is one read, in a part of a function that runs as often as the part does."""
    head = where.iter if isinstance(where, ast.For) else where
    if isinstance(where, (ast.For, ast.While, ast.If, ast.Try, ast.With, ast.Match, FUNCTIONS)) and head is where:
        return False
    direct, todo = list[ast.AST](), [head]
    while todo:
        part = todo.pop()
        direct.append(part)
        if isinstance(part, COMPREHENSIONS):
            todo.append(part.generators[0].iter)
        else:
            todo += [inner for inner in same_scope(part) if not isinstance(inner, ast.Lambda)]
    return len(reads) == 1 and any(part is reads[0] for part in direct)


__all__ = ["called", "consumed", "consumed_next", "once", "shows", "yields"]
