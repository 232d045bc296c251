"""Whole numbers that have to be known to read a function and are only known when it runs: they are settled as what they
are in the call that code is made for.

    def f(x, axis): np.sum(x, axis=axis)      axis is 1 in this call
    np.fft.irfft(z, len(x))                   x has 128 items in this call

The code is then for such calls alone: the sizes and whole numbers of arguments that they come from are conditions of it
(`ccc.compile.program.assumed`), and other calls have other code. What depends on the entries of arrays, or on a `for`,
stays unknown. A nested function that needs one of its own parameters is inlined, since its calls may differ.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ccc.compile.diagnostics import Span
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.interrupts import Borrowed, ByItems
from ccc.compile.frontend.values import Frame
from ccc.compile.program.assumed import LENGTH, NUMBER, measured
from ccc.compile.program.lam import Apply, Block, Branch, Loop, Program, Var, While
from ccc.compile.program.numbering import Numbering
from ccc.compile.program.shapes import Shapes
from ccc.objects import Array, Bool, Int, List, Real
from ccc.primitives.facts import SIZES
from ccc.primitives.primitive import Primitive
from ccc.primitives.sizes import Clip, Dim, Number, Size, of_atom, value_of

NUMBERS = (bool, int, float)
TURNS = 1024
"""How many turns of a `while` are computed to find what it gives."""
DEEP = 16
"""How many branches within each other are looked through."""


def settled(e: Elaboration, x: Any) -> int | None:
    """The number that a variable is in the call that code is made for; None where that is not known."""
    if not e.settles or not isinstance(x, Var) or not isinstance(x.object, (Int, Bool)):
        return None
    searches = list[Search]()
    found = sought(e, x, searches)
    if not isinstance(found, int):
        return None
    for search in searches:
        search.e.settled |= search.used
        search.e.looked_at += search.whole
    return found


def tested(e: Elaboration, test: Any, node: ast.AST, frame: Frame) -> Any:
    """The test of an `if`, as it is in the call where its arms were found unlike and the function was refused, or where
    sizes say so that are known by then, or in every call."""
    if not isinstance(test, Var):
        return test
    if e.span(node, frame) not in e.in_turn:
        return of_settled(e, test) if e.in_turn.unlike or is_of_sizes(test) else test
    return test if (found := settled(e, test)) is None else found


def is_of_sizes(test: Var) -> bool:
    """Whether a test is computed of sizes alone, as `x.size == 1` is."""
    todo, seen = list[Any]([test]), set[Var]()
    while todo:
        x = todo.pop()
        if not isinstance(x, Var) or x in seen:
            continue
        seen.add(x)
        if x.definition is None or not isinstance(x.definition.op, Apply) or not isinstance(x.object, (Int, Bool)):
            return False
        todo += [] if x.definition.op.primitive.work == SIZES else x.definition.args
    return True


def sought(e: Elaboration, x: Var, searches: list[Search]) -> Any:
    """What a variable is, noting the searches for it; None where that is not known. The program is numbered for it only
    where what it is computed of may be known."""
    return Search(e, searches).value(x) if may_be_known(e, x) else None


def may_be_known(e: Elaboration, x: Var, deep: int = 0) -> bool:
    """Whether a search may find a number, or how long a list is, for all that is seen at once of what it is computed
    of: an entry of a list, what a function gives that is a value and a parameter of what is read now stay unknown."""
    todo, seen = [x], {x}
    while todo:
        x = todo.pop()
        let = x.definition
        if let is None:
            if x not in e.given and x not in e.stands_for and x not in e.versions.borrowed:
                return False
            continue
        if isinstance(let.op, Branch) and deep < DEEP:
            i = let.targets.index(x)
            arms = [a for a in (let.op.then.results[i], let.op.orelse.results[i]) if isinstance(a, Var)]
            of = [a for a in let.args[:1] if isinstance(a, Var)] if arms else []
            if not all([may_be_known(e, a, deep + 1) for a in of]) and not all([
                    may_be_known(e, a, deep + 1) for a in arms]):
                return False
        elif isinstance(let.op, Apply):
            taken = computed_of(x, let.op.primitive, list(let.args))
            if taken is None:
                return False
            todo += [a for a in taken if a not in seen]
            seen.update(taken)
        elif not isinstance(let.op, Branch | Loop | While):
            return False
    return True


def computed_of(x: Var, p: Primitive, args: list[Any]) -> list[Var] | None:
    """Of what a primitive computes a number or a list as long as it is: the numbers, and the lists for their lengths;
    None where it reads an entry."""
    if isinstance(x.object, List):
        return [a for a in args if isinstance(a, Var) and a.object == x.object]
    if isinstance(x.object, Bool) and not all([isinstance(a.object, Int | Bool | Real | Array | List) for a in args if (
            isinstance(a, Var))]):  # which of several kinds a value is
        return None
    if p.work == SIZES:
        return [a for a in args if isinstance(a, Var) and isinstance(a.object, List)]
    taken = [a for i, a in enumerate(args) if isinstance(a, Var) and i not in p.sizes]
    return taken if all([isinstance(a.object, (Int, Bool, Real)) for a in taken]) else None


def of_settled(e: Elaboration, test: Var) -> Any:
    """A test as what it is where sizes and numbers say so that are settled already; else itself."""
    searches = list[Search]()
    try:
        found = sought(e, test, searches)
    except Borrowed:
        return test
    known = found is not None and all(search.used.keys() <= search.e.settled.keys() for search in searches)
    return found if known else test


def note_unlike(e: Elaboration, test: Var, place: Span) -> None:
    """Note that the arms of an `if` are unlike, where sizes and whole numbers of the call say which is taken."""
    try:
        known = e.settles and sought(e, test, []) is not None
    except Borrowed:
        known = True
    if known:
        e.in_turn.unlike.add(place)


def no_less(e: Elaboration, x: Any, least: int, factor: int = 1, items: bool = False) -> bool:
    """Whether `factor` times a whole number is no less than `least` in the call that code is made for, or how many
    `items` an array or list has. It is then in all calls that the code is for."""
    if not e.settles or not isinstance(x, Var):
        return False
    search = Search(e, [])
    number = search.numbering.numbers.get(x)
    if number is None:
        return False
    axis = LENGTH if isinstance(x.object, List) else 0
    size = search.size(x, axis) if items else search.shapes.number(number)
    return size is not None and search.no_less(size.times(factor), least)


def read_by_items(e: Elaboration, values: list[Var]) -> None:
    """Read a loop item by item whose numbers have to be known in one of these."""
    seen: set[Var] = set()
    todo = list(values)
    while todo:
        v = todo.pop()
        if v in seen:
            continue
        seen.add(v)
        node = e.rows.counted.get(v)
        if node is not None and node not in e.rows.by_items:
            raise ByItems(node, v)
        let = v.definition
        if let is not None and isinstance(let.op, Apply):
            todo += [x for x in let.args if isinstance(x, Var)]


def needed(e: Elaboration, x: Any) -> Any:
    """A whole number that has to be known where it is read, as what it is in the call that code is made for; itself
    where that is not known. What a loop along a short range counts is read item by item."""
    if not isinstance(x, Var):
        return x
    read_by_items(e, [x])
    return x if (number := settled(e, x)) is None else number


def blocks_around(e: Elaboration) -> list[Block]:
    """The blocks around what is read now, from the inside out, those around closed programs among them."""
    found = [*e.recorder.block.ancestors()]
    while (outer := e.read_in.get(found[-1])) is not None:
        found += outer.ancestors()
    return found


class Search:
    """Looks for what numbers of a program are, and notes the sizes of parameters that they come from."""

    def __init__(self, e: Elaboration, searches: list[Search]) -> None:
        searches.append(self)
        self.e = e
        self.searches = searches
        self.outer: Search | None = None
        self.numbering = numbering = Numbering(e.top)
        for block in blocks_around(e)[::-1]:
            if block is not e.top:
                for param in block.params:
                    numbering.alone(param)
                numbering.block(block)
        known = [var for var in [*e.given, *e.stands_for, *e.versions.borrowed] if var in numbering.numbers]
        self.shapes = Shapes(Program("f", [(var.name, var) for var in known], e.top, ()), numbering)
        self.params = {numbering.numbers[var]: var for var in known}
        self.whole: list[Var] = []
        self.used: dict[tuple[Var, int], int] = {}
        self.turn: dict[int, Any] = {}
        self.known: dict[int, Any] = {}

    def value(self, x: Any) -> Any:
        """What a variable is; None where that is not known."""
        number = self.numbering.numbers.get(x)
        return None if number is None else self.of(number)

    def axis(self, x: Any, axis: int) -> int | None:
        """The size of an axis of an array."""
        size = self.size(x, axis)
        return None if size is None else value_of(size, self.atom)

    def size(self, x: Any, axis: int) -> Size | None:
        """The size of an axis of an array, or how many items a list has, as an expression."""
        if axis == LENGTH:
            return self.shapes.count(self.numbering.numbers[x])
        shape = self.shapes.of(x)
        return None if shape is None else shape[axis]

    def of(self, number: int) -> Any:
        """What a number is, in this turn of a `while` where one is computed; each is computed once."""
        if number in self.turn:
            return self.turn[number]
        if number not in self.known:
            self.known[number] = self.found(number)
        return self.known[number]

    def found(self, number: int) -> Any:
        constant = self.numbering.constants.get(number)
        if constant is not None:
            return constant.value if isinstance(constant.value, NUMBERS) else None
        if not isinstance(self.shapes.object(number), Int):
            return self.computed(number)
        size = self.shapes.number(number)
        return self.computed(number) if size == of_atom(Number(number)) else value_of(size, self.atom)

    def atom(self, atom: Any) -> int | None:
        """The size of an axis of a parameter, or a number."""
        if isinstance(atom, Number):
            return self.of(atom.of)
        return self.given(self.params[atom.of], atom.axis) if isinstance(atom, Dim) and atom.of in self.params else None

    def no_less(self, size: Size, least: int) -> bool:
        """Whether a size is no less than a number, as the size of an axis of one parameter, or a number that is one,
        says; that it has to be is noted."""
        least -= size.constant
        if not size.terms:
            return least <= 0
        (atom, factor), *others = size.terms
        if isinstance(atom, Clip) and not others and atom.most is None and least > 0 and factor > 0:
            return self.no_less(atom.size, -(-least // factor))
        var = self.params.get(atom.of) if isinstance(atom, (Dim, Number)) else None
        if others or factor < 1 or var is None:
            return False
        axis, least = atom.axis if isinstance(atom, Dim) else NUMBER, -(-least // factor)
        if var in self.e.versions.borrowed:
            raise Borrowed
        if var in self.e.given:
            x = self.e.given[var]
            found = measured(x, axis) >= least
            if found:
                self.e.least[var, axis] = max(least, self.e.least.get((var, axis), 0))
                self.e.looked_at += [var] if axis == NUMBER else []
            return found
        x = self.e.stands_for[var]
        if not isinstance(x, Var):
            return type(x) is int and x >= least
        inside = x in self.numbering.numbers
        around = self if inside else Search(self.e.around, self.searches) if self.e.around is not None else None
        number = around.numbering.numbers.get(x) if around is not None else None
        if around is None or number is None:
            return False
        there = around.shapes.number(number) if axis == NUMBER else around.size(x, axis)
        return there is not None and around.no_less(there, least)

    def given(self, var: Var, axis: int) -> Any:
        """What a parameter is in the call, or the size of an axis of it."""
        self.whole += [var] if axis == NUMBER else []
        if var in self.e.versions.borrowed:
            raise Borrowed
        if var not in self.e.given:
            x = self.e.stands_for[var]
            if not isinstance(x, Var) or x in self.numbering.numbers:
                there = self
            else:
                there = self.outer = self.outer or (Search(self.e.around, self.searches) if self.e.around else None)
            return None if there is None else there.value(x) if axis == NUMBER else there.axis(x, axis)
        x = self.e.given[var]
        found = self.used[var, axis] = measured(x, axis)
        return found

    def computed(self, number: int) -> Any:
        """A number that is no sum of others: that of a parameter, or what an operation on such numbers gives."""
        a = self.shapes.object(number)
        if number in self.params:
            var = self.params[number]
            return self.given(var, NUMBER) if isinstance(a, (Int, Bool)) else None
        p, *rest = self.numbering.keys[number]
        if p == "chosen":
            test = self.of(rest[0])
            return None if test is None else self.of(rest[1 if test else 2])
        if p == "last":
            return self.ended(rest[0])
        if not isinstance(p, Primitive) or p.effect or not isinstance(a, (Int, Bool, Real)):
            return None
        values = [self.in_size(n) if i in p.sizes else self.of(n) for i, n in enumerate(rest[0])]
        try:
            return None if any(x is None for x in values) else p.value(*values, **dict(rest[1]))
        except ArithmeticError:
            return None

    def ended(self, token: int) -> Any:
        """What a carry of a `while` is behind it, turn by turn: a power of two that is no less than a size, say."""
        let, *others = self.numbering.updates[token]
        if others or not isinstance(let.op, While):
            return None
        of, op, outer, known = self.numbering.of, let.op, self.turn, self.known
        tokens = [of(param) for param in op.test.params]
        following = [of(x) for x in op.body.results]
        values = [self.of(of(x)) for x in let.args]
        try:
            for _ in range(TURNS):
                self.turn, self.known = {**outer, **dict(zip(tokens, values, strict=True))}, {}
                goes_on = self.of(of(op.test.results[0]))
                if not goes_on:
                    return None if goes_on is None else self.turn[token]
                values = [self.of(number) for number in following]
        finally:
            self.turn, self.known = outer, known
        return None

    def in_size(self, number: int) -> Any:
        """An array of the sizes that one has, or a number, for what reads no more; None where they are not known."""
        a, shape = self.shapes.object(number), self.shapes.shape(number)
        if not isinstance(a, Array) or shape is None:
            return self.of(number)
        sizes = [value_of(n, self.atom) for n in shape]
        known = [n for n in sizes if n is not None]
        return np.broadcast_to(np.zeros((), a.dtype), known) if len(known) == len(sizes) else None
