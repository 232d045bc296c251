"""How a row came into its list: each is one of its own, made in the run of a loop that put it there, or it is shared.

Rows are followed from the list to the lets that put them into it. Changes of rows where they stand are no insertions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import lists
from ccc.compile.frontend.memory.aliasing import (
    OUTSIDE,
    gathered,
    memory,
    passed_on,
    results_of,
    with_sources,
)
from ccc.compile.frontend.parts import is_object
from ccc.compile.program.lam import Apply, Block, BlockKind, Let, Loop, Var, While
from ccc.compile.program.sharing import memory_of
from ccc.objects import List, Map

Site = tuple[Let, int]
"""Where a row is put into a list: a let and the position of the row among its arguments or results."""


Found = dict[Site, tuple[Any, Block]]


class Shared(Exception):
    """A row may stand in two places."""


class Walk:
    """What a walk from values to those that they were made of is within, and what it found behind others: many ways
    lead to a value behind branches and loops. What is found behind one that leads back to where the walk was before it
    holds there alone."""

    def __init__(self) -> None:
        self.within: dict[Any, int] = {}
        self.found: dict[Any, Found] = {}
        self.back = math.inf

    def once(self, key: Any, find: Callable[[], Found]) -> Found:
        """What is found behind a value."""
        if key in self.within:
            self.back = min(self.back, self.within[key])
            return {}
        known = self.found.get(key)
        if known is not None:
            return known
        before, self.back = self.back, math.inf
        at = self.within[key] = len(self.within)
        found = find()
        del self.within[key]
        if self.back >= at:
            self.found[key], self.back = found, math.inf
        self.back = min(before, self.back)
        return found


def insertions(e: Elaboration, xs: Any, walk: Walk | None = None) -> Found:
    """What was put into a list, and in which block. Raises `Shared` where that cannot be followed."""
    if not isinstance(xs, Var):
        return {}
    here = walk or Walk()
    return here.once(xs, lambda: insertions_into(e, xs, here))


def insertions_into(e: Elaboration, xs: Var, walk: Walk) -> Found:
    """What was put into a list of the program."""
    let = xs.definition
    if let is None:
        origins = e.origins.get(xs)
        if origins is None:
            raise Shared("the caller sees it too")
        if any(isinstance(o, Var) and isinstance(o.object, List) and o.object.item == xs.object for o in origins):
            raise Shared("a loop runs along it")
        return united([insertions(e, o, walk) for o in origins])
    if isinstance(let.op, Apply):
        return applied(e, let, xs, walk)
    if (passed := passed_on(xs, let)) is not None:
        return united([insertions(e, v, walk) for v in passed])
    if isinstance(let.op, (Loop, While)):
        return {(let, let.targets.index(xs)): (gathered(xs, let)[0], let.op.blocks[-1])}
    results = results_of(let)
    if results is None:
        raise Shared("it is what a call gives")
    return insertions(e, results[1][let.targets.index(xs)], walk)


def applied(e: Elaboration, let: Let, xs: Var, walk: Walk) -> Found:
    """What was put into a list that a primitive makes."""
    memory = memory_of(let.op)  # type: ignore[arg-type]
    given = [let.args[i] for i in memory.of]
    if memory.how in ("holds", "changed"):
        return put_by(e, let, xs, given, insertions, walk)
    if memory.entries == "repeated":
        raise Shared("it stands in two places of the list")
    if given and memory.how == "out of" and isinstance(given[0].object, (List, Map)):
        held = insertions(e, given[0], walk) if isinstance(given[0].object, List) else items_of(e, given[0], walk)
        return united([insertions(e, v, walk) for v, _ in held.values()])
    if memory.how == "within":  # which puts nothing into the list itself
        return insertions(e, given[0], walk)
    lists_only = bool(given) and all(isinstance(v.object, List) for v in given)
    if not lists_only or memory.how not in ("items", "may be"):
        raise Shared("where it was made is not known")
    parts = [insertions(e, v, walk) for v in given]
    if len({site for part in parts for site in part}) < sum(map(len, parts)):
        raise Shared("it stands in two places of the list")
    return united(parts)


def put_by(
    e: Elaboration, let: Let, made: Var, given: list[Any], inside: Callable[..., Found], walk: Walk
) -> Found:
    """What is in a new list or map of arguments; or in the one before it changed, and what was put there."""
    memory, block = memory_of(let.op), made.home  # type: ignore[arg-type]
    assert block is not None
    if memory.how == "holds":
        if memory.entries == "repeated":
            raise Shared("it stands in two places of the list")
        return {(let, i): (v, block) for i, v in enumerate(let.args) if memory.reaches(i)}
    found = inside(e, given[0], walk)
    if let in e.rows.back:
        return found
    return united([found, {(let, i): (let.args[i], block) for i in memory.of[1:]}])


def items_of(e: Elaboration, m: Any, walk: Walk) -> Found:
    """What was put into a map."""
    return walk.once(m, lambda: put_into_map(e, m, walk)) if isinstance(m, Var) else {}


def put_into_map(e: Elaboration, m: Var, walk: Walk) -> Found:
    """What was put into a map of the program."""
    let = m.definition
    if let is None:
        origins = e.origins.get(m)
        if origins is None:
            raise Shared("the caller sees it too")
        return united([items_of(e, o, walk) for o in origins])
    if (passed := passed_on(m, let)) is not None:
        return united([items_of(e, v, walk) for v in passed])
    if isinstance(let.op, Apply):
        memory = memory_of(let.op)
        if memory.how == "new" and not let.args:
            return {}
        if memory.how in ("holds", "changed"):
            return put_by(e, let, m, [let.args[i] for i in memory.of], items_of, walk)
    raise Shared("where it was made is not known")


def united(parts: list[Found]) -> Found:
    return {site: value for part in parts for site, value in part.items()}


def refuse_shared(e: Elaboration, found: Found) -> None:
    """Raise `Shared` where two rows may be one: each is made in the run of a loop that puts it into the list."""
    used: set[Any] = set()
    for value, block in found.values():
        if not isinstance(value, Var):
            continue
        if is_object(value.object):
            made = memory(e, [value], objects=True)[0]
        else:
            made = memory(e, [value])[0] if not isinstance(value.object, List) else lists.own_roots(e, [value])[0]
        if OUTSIDE in made:
            raise Shared("the caller sees it too")
        inside = with_sources(e, made if is_object(value.object) else roots(e, [value]))
        if inside & used or any(around(root.home) is not around(block) for root in made):
            raise Shared("it may stand in two places of the list")
        used |= inside


def around(block: Block | None) -> Block | None:
    """The innermost loop or function of a block."""
    while block is not None and block.kind is BlockKind.BRANCH:
        block = block.parent
    return block


def way(e: Elaboration, var: Var) -> set[Var]:
    """The variables through which a row came to where it is."""
    return lists.traced(e, [var], whole=False)[1] | memory(e, [var])[1] | memory(e, [var], objects=True)[1]


def roots(e: Elaboration, values: Iterable[Any]) -> set[Any]:
    """Where the lists and arrays in values were made, those too that they were converted from."""
    return converted_roots(e, values, lambda todo: lists.roots(e, todo) | memory(e, todo)[0])


def identity(e: Elaboration, var: Var) -> set[Any]:
    """Where a row was made; an object without what is in it."""
    if is_object(var.object):
        return converted_roots(e, [var], lambda todo: memory(e, todo, objects=True)[0])
    return roots(e, [var])


def reach(e: Elaboration, value: Any) -> set[Any]:
    """Where all that a value leads to was made."""
    return roots(e, [value]) | converted_roots(e, [value], lambda todo: memory(e, todo, objects=True, parts=True)[0])


def converted_roots(e: Elaboration, values: Iterable[Any], trace: Callable[[list[Any]], set[Any]]) -> set[Any]:
    """What is traced from values, and from those that they were converted from."""
    found: set[Any] = set()
    todo = list(values)
    while todo:
        new = trace(todo) - found
        found |= new
        todo = [e.rows.before[root] for root in new if root in e.rows.before]
    return found
