"""What a loop runs along, where its body changes that: Python reads each item when its turn comes.

A list or dict that is known item by item is read as it is then. Where it becomes one of the program meanwhile, the loop
is read again with it as one of the program; what an iterator reads (`map`, `reversed`, ...) must not change.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from ccc.compile.diagnostics import mismatch, unsupported
from ccc.compile.frontend import interrupts, python_functions, settling
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterables import known_items
from ccc.compile.frontend.iterator_values import (
    CALLS,
    ByKeyValue,
    EnumerateValue,
    OnceValue,
    RangeValue,
    ZipValue,
    is_in_turn,
    made_by_now,
    taking_turns,
)
from ccc.compile.frontend.memory.interface import row_provenance
from ccc.compile.frontend.texts import items_of_range
from ccc.compile.frontend.values import ITEMS, Frame, ListValue, Mutable, RecordValue, View
from ccc.compile.program.lam import Apply, Var
from ccc.objects import Array, List
from ccc.primitives import indexing, maps, structure

LONGEST = 2000  # how often the body of a loop is elaborated that makes the list longer along which it runs


class Along:
    """The lists and dicts that a loop runs along or that its iterators read, with what they held before it."""

    def __init__(self, e: Elaboration, over: Any, node: ast.AST, frame: Frame) -> None:
        self.e = e
        self.over = over
        self.place = e.place(node, frame)
        self.start = len(e.updates)
        self.own = {owner: owner.contents() for owner in owners(over)
                    if isinstance(owner, Mutable) and not self.became_of_program(owner)}
        read = list(sources(over))
        self.read = {owner: owner.contents() for owner in read if isinstance(owner, Mutable)}
        self.variables = [part for part in read if isinstance(part, Var)]
        self.values = [part for part in owners(over) if is_values(e, part)]
        self.node = node

    def items(self, i: int) -> list[Any]:
        """The items as they are now, where they are known one by one, before the one at an index is read. Raises
        `lists.Grows` where they are no more."""
        for owner, before in self.own.items():
            if self.became_of_program(owner):
                raise interrupts.Grows(owner, self.place)
            if isinstance(owner, RecordValue) and list(before) != list(owner.fields):
                raise mismatch("CC027", "RuntimeError: dictionary changed size during iteration", self.place,
                               help="loop over a copy: `list(...)`")
        if i >= LONGEST and any(len(owner.contents()) > len(before) for owner, before in self.own.items()):
            raise unsupported("CC011", "this loop makes the list that it runs along ever longer", self.place,
                              help="loop over a copy: `list(...)`").in_python_too()
        self.refuse_changes()
        return known_items(self.over) or []

    def one_by_one(self) -> Iterator[Any]:
        """Each item when its turn comes."""
        i = 0
        while i < len(items := self.items(i)):
            yield items[i]
            i += 1

    def check(self) -> None:
        """Behind the loop: what its iterators read is what they have read. Raises `lists.Grows` where the loop runs
        along a list or dict of the program that was known when it began, and that changed."""
        self.refuse_changes()
        for values in self.values:
            owner, let = self.e.inside_dicts.views[values], values.definition
            if owner.fields[ITEMS] is not let.args[0]:  # type: ignore[union-attr]
                raise interrupts.ByKey(self.node, self.place)
        updates = self.e.updates[self.start:]
        if self.variables and updates:
            made = row_provenance.roots(self.e, self.variables)
            if any(made & row_provenance.roots(self.e, [var]) for var, _, _ in updates):
                raise self.refused()
        if known_items(self.over) is not None:
            return
        for owner, before in self.own.items():
            if self.became_of_program(owner) or not same(before, owner.contents()):
                raise interrupts.Grows(owner, self.place)

    def refuse_changes(self) -> None:
        """Refuse where what an iterator reads is not what it was."""
        for owner, before in self.read.items():
            if self.became_of_program(owner) or not same(before, owner.contents()):
                raise self.refused()

    def became_of_program(self, owner: Mutable) -> bool:
        """True for a list or dict whose items are not known one by one any more."""
        if isinstance(owner, RecordValue):
            return ITEMS in owner.fields
        return owner in self.e.rows.promoted

    def refused(self) -> Exception:
        for part in side_by_side(self.over):
            taking_turns(part)
        return unsupported("CC011", "this loop changes what its iterator reads", self.place,
                           "Python reads each item when its turn comes", help="loop over a copy: `list(...)`")


def is_once(over: Any) -> bool:
    """True for what runs along an iterator, which makes its items in turn with the body of the loop."""
    return any(isinstance(part, OnceValue) for part in side_by_side(over))


def have_turns(values: Iterable[Any]) -> bool:
    """Whether iterators are among values the turns of whose items matter."""
    return any(isinstance(part, OnceValue) and (is_in_turn(part) or part.effects != "")
               for xs in values for part in side_by_side(xs))


def read_in_turn(over: Any, seen: bool = True, calls: bool = True) -> Any:
    """What is iterated; raises `InTurn` for an iterator the turns of whose items matter, or may raise where it is
    `seen` which were taken by then, or where what is done with one `calls` what may show that."""
    for part in side_by_side(over):
        if isinstance(part, OnceValue) and part.site is not None and not is_in_turn(part) and (
                part.effects or (seen and part.raises) or (calls and part.fails)):
            raise interrupts.InTurn(part.site)
    return over


def refuse_effects(
    e: Elaboration, over: Any, node: ast.AST, frame: Frame, calls: bool = True, fails: bool = False
) -> None:
    """Refuse to run along an iterator whose items have turns that matter: Python makes each in turn with the body.
    Without `calls`, one that calls a function which prints or changes something is no such iterator; with `fails`, one
    in which a statement raises is one."""
    for part in side_by_side(over):
        if not isinstance(part, OnceValue):
            continue
        effects = part.effects or (CALLS if fails and part.fails else "")
        if effects and (calls or effects != CALLS):
            # as one is read what `map` and `itertools` give, too
            what = "an iterator" if part.cls is types.GeneratorType else f"`{part.cls.__name__}`"
            mend = ("make a list first, `list(...)`, if it may be called for all items at once"
                    if effects == CALLS else
                    "give it the value as a default of a parameter, as in `lambda t, i=i: ...`")
            raise unsupported("CC003", f"{what} {effects}", e.place(node, frame),
                              "Python makes each item when its turn comes", help=mend)
        refuse_effects(e, part.items, node, frame, calls, fails)


def may_leave_items(over: Any) -> bool:
    """Whether an iterator may leave items of what it runs along, or asks several in turn."""
    if isinstance(over, ZipValue):
        return len(over.parts) > 1
    return isinstance(over, OnceValue) and python_functions.of(over.cls).leaves


def take_turns(e: Elaboration, over: Iterable[Any], node: ast.AST, frame: Frame, seen: bool = True) -> None:
    """Let iterators with effects run in turn that may leave items of what they run along, or ask several in turn; where
    it is `seen` which items were taken, those that may raise too."""
    for xs in filter(may_leave_items, over):
        if not is_in_turn(read_in_turn(xs, seen)):
            refuse_effects(e, xs, node, frame)


def by_key(e: Elaboration, over: Any, node: ast.AST) -> Any:
    """What a loop runs along, with the values of dicts that it changes to be read by their keys."""
    if node in e.rows.by_items:
        over = by_items(e, over)
    if node not in e.rows.by_key:
        return over
    if isinstance(over, ZipValue):
        return ZipValue(tuple([by_key(e, part, node) for part in over.parts]))
    if isinstance(over, EnumerateValue):
        return EnumerateValue(by_key(e, over.part, node), over.start)
    if isinstance(over, OnceValue) and not over.sources:
        return OnceValue(over.cls, by_key(e, over.items, node))
    if not is_values(e, over):
        return over
    values: Any = over
    return ByKeyValue(values.definition.args[1], e.inside_dicts.views[values])


def by_items(e: Elaboration, over: Any) -> Any:
    """What a loop runs along, with short ranges as tuples of their numbers, and what runs beside items that are known
    as so many of its own."""
    if isinstance(over, RangeValue):
        return items_of_range(e, over)
    if isinstance(over, ZipValue):
        parts = [by_items(e, part) for part in over.parts]
        known = [len(items) for items in map(known_items, parts) if items is not None]
        return ZipValue(tuple([first_items(e, part, min(known)) if known else part for part in parts]))
    return EnumerateValue(by_items(e, over.part), over.start) if isinstance(over, EnumerateValue) else over


def first_items(e: Elaboration, over: Any, most: int) -> Any:
    """So many items of a list or array of the program, where it is known how many it has; others as they are."""
    if not isinstance(over, Var) or not isinstance(over.object, (Array, List)):
        return over
    count = settling.settled(e, structure.length(over))
    if count is None:
        return over
    read = structure.item if isinstance(over.object, List) else partial(indexing.index, pattern=("i",))
    return tuple([read(over, i) for i in range(min(count, most))])


def is_values(e: Elaboration, value: Any) -> bool:
    """True for the values of a dict of the program, as a view of it."""
    let = value.definition if isinstance(value, Var) and value in e.inside_dicts.views else None
    return let is not None and isinstance(let.op, Apply) and let.op.primitive is maps.values_of


def same(before: Any, now: Any) -> bool:
    """True for contents that are the same one by one."""
    if isinstance(before, dict):
        return list(before) == list(now) and same(list(before.values()), list(now.values()))
    return len(before) == len(now) and all(x is y for x, y in zip(before, now, strict=True))


def side_by_side(over: Any) -> Iterator[Any]:
    """What is iterated at once: the parts of `zip` and `enumerate`, else that itself."""
    parts = over.parts if isinstance(over, ZipValue) else (over.part,) if isinstance(over, EnumerateValue) else None
    if parts is None:
        yield over
    for part in parts or ():
        yield from side_by_side(part)


def owners(over: Any) -> Iterator[Any]:
    """The lists and dicts whose items a loop reads one by one."""
    for part in side_by_side(over):
        if isinstance(part, OnceValue):
            if not part.sources:
                yield from owners(made_by_now(part))
        elif isinstance(part, View):
            yield part.owner
        elif isinstance(part, (ListValue, Var)) or (isinstance(part, RecordValue) and part.cls is dict):
            yield part


def sources(over: Any) -> Iterator[Any]:
    """What iterators read while a loop runs along them."""
    for part in side_by_side(over):
        for source in part.sources if isinstance(part, OnceValue) else ():
            yield source
            yield from owners(source)
            yield from sources(source)
