"""Lists of iterators that hand on what they hold: nothing keeps the list, and each item of it is read once at most.

    for row in [steps(k) for k in ks]:          total(*[steps(k) for k in ks])
        for x in row: ...                       chain.from_iterable([steps(k) for k in ks])

There an iterator stays what it gives, as where it stands in the loop itself. Any other list keeps objects, which know
how far they are.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.frontend import generators, python_functions
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterator_values import IteratorValue, OnceValue, is_in_turn
from ccc.compile.frontend.memory.interface import row_provenance
from ccc.compile.frontend.names import local_names
from ccc.compile.frontend.source import outer_value
from ccc.compile.frontend.values import Frame, ListValue, meant
from ccc.compile.program.lam import Var

WRITTEN = (ast.ListComp, ast.List, ast.Tuple)


def on(node: ast.AST, handed: bool = True) -> None:
    """Note whether what is written in a place hands its items on."""
    if isinstance(node, WRITTEN):
        node.handed = handed  # type: ignore[union-attr]


def is_on(node: ast.AST) -> bool:
    return getattr(node, "handed", False)


def held(value: Any) -> list[Any]:
    """What is asked for items with a value: it, and the iterators that a list hands on."""
    items = value.items if isinstance(value, ListValue) else value if type(value) is tuple else []
    return [value, *[item for item in items if isinstance(item, IteratorValue)]]


def listed(e: Elaboration, run: Callable[[], Any], node: ast.AST, frame: Frame) -> Any:
    """What `run` makes of a list or tuple that is written. Where it hands its items on, they are objects if making one
    may have changed what another reads."""
    if not is_on(node):
        return run()
    start = len(e.updates)
    found, changed = e.heap.noting(run)
    items = found.items if isinstance(found, ListValue) else found if type(found) is tuple else ()
    left = [item for item in items if isinstance(item, IteratorValue) and not is_settled(item)]
    updated = [var for var, *_ in e.updates[start:]]
    if not left or not (changed or e.stores is not None or are_changed(e, left, updated)):
        return found
    kept = [e.handlers.iterator(e, item, node, frame) for item in items]
    return tuple(kept) if type(found) is tuple else ListValue(kept)


def are_changed(e: Elaboration, items: list[IteratorValue], changed: list[Var]) -> bool:
    """Whether lists or arrays that changed may be what iterators read."""
    if not changed:
        return False
    read = [x for item in items if isinstance(item, OnceValue) for x in item.sources if not generators.is_constant(x)]
    made = row_provenance.roots(e, read)
    known = all(isinstance(item, OnceValue) for item in items) and all(isinstance(x, Var) for x in read)
    return not known or any(made & row_provenance.roots(e, [var]) for var in changed)


def is_settled(value: IteratorValue) -> bool:
    """True for an iterator that reads nothing which may change before its turn comes."""
    return isinstance(value, OnceValue) and not is_in_turn(value) and not value.effects and all(
        map(generators.is_constant, value.sources))


def read_by(target: ast.expr, loop: ast.AST) -> None:
    """Note which loop or comprehension gives names their values."""
    for part in ast.walk(target):
        if isinstance(part, ast.Name):
            part.loop = loop  # type: ignore[attr-defined]


def consumed_next(frame: Frame, target: ast.Name, value: IteratorValue) -> bool:
    """Whether an iterator that is bound to a name is consumed where it is read next, and nowhere else."""
    loop = getattr(target, "loop", None)
    if loop is None:
        return generators.consumed_next(frame, target.id, value)
    if not is_settled(value) or generators.acts_later(value):
        return False
    node = loop if frame.node is None or not isinstance(loop, ast.For) else frame.node
    if node is not loop and target.id not in local_names(node):
        return False
    reads = [part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == target.id and isinstance(
        part.ctx, ast.Load)]
    return len(reads) == 1 and any(part is reads[0] and loops == () for part, loops in generators.with_loops(
        each_turn(loop, target)))


def each_turn(loop: Any, target: ast.Name) -> list[ast.AST]:
    """What runs in each turn of a loop, or of one of a comprehension."""
    if isinstance(loop, ast.For):
        return [*loop.body]
    found: list[ast.AST] = []
    for generator, following in zip(loop.generators, [*loop.generators[1:], None], strict=True):
        if any(part is target for part in ast.walk(generator.target)):
            found += [*generator.ifs, loop.elt if following is None else following.iter]
    return found


def by_name(frame: Frame, name: str) -> bool:
    """Whether a list that the statement under way binds to a name hands its items on: the statement behind it reads the
    name, where each item is taken."""
    at, node = frame.at, frame.node
    if node is None or at is None or name not in local_names(node):
        return False
    behind = generators.statements_behind(node, at)
    return behind is not None and generators.read_first(node, name, behind) and any(
        takes_each(part, name, frame) for statement in behind for part in ast.walk(statement))


def takes_each(part: ast.AST, name: str, frame: Frame) -> bool:
    """Whether a part takes each item of what a name stands for once."""
    if isinstance(part, (ast.For, ast.comprehension)):
        return generators.is_name(part.iter, name)
    if isinstance(part, ast.Starred):
        return generators.is_name(part.value, name)
    return isinstance(part, ast.Call) and any(generators.is_name(a, name) for a in part.args) and (
        python_functions.of(function_of(part.func, frame)).hands_on)


def function_of(node: ast.expr, frame: Frame) -> Any:
    """The function that a name stands for, or a member of a module or class; None for any other."""
    found = meant(frame, node)
    if found is None and isinstance(node, ast.Attribute) and isinstance(owner := function_of(node.value, frame), type):
        return vars(owner).get(node.attr) and getattr(owner, node.attr)
    return outer_value(node, frame.function) if found is None and frame.function is not None else found
