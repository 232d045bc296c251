"""Of which kind a number is where it is one of several: a branch, a loop or the largest of some gives it as it is, and
what is computed of it is of the kind that it has then.

    y = n if x > 0.0 else x         an int or a float: such a result is left to NumPy
    2 * y                           so is this one; y / 2 is a float
    s = 0                           an int where the loop does not run: then the code leaves
    for x in xs: s = s + x

Machine code has one kind for each variable. Whether a float is Python's or NumPy's is told beside it (`told_kinds`).
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any

from ccc.compile.native.layout import NotNative
from ccc.compile.native.table import known
from ccc.compile.program.lam import Apply, Atom, Block, Let, Lit, Loop, Var, While, joined_from, lets_in
from ccc.objects import BOOL, INT, Bool, Int, List, Object, Real, is_of_any_kind

MOST = 64
"""So many kinds together of the arguments of one operation are looked at."""
FEW = 8
"""So many loops are looked at one by one."""


class Kinds:
    """Of which kinds numbers are, for results that depend on them; `runs` are loops that have to run for that."""

    def __init__(self, block: Block, results: Iterable[Atom]) -> None:
        self.block = block
        self.found: dict[Atom, set[Object]] = {}
        self.runs: set[Let] = set()
        for x in results:
            if is_number(x.object) and mixed(x.object, self.of(x)):
                self.leave_out(x)

    def of(self, atom: Atom) -> set[Object]:
        """The objects of what a number may be when it runs.

        >>> from ccc.compile.program.lam import BlockKind
        >>> from ccc.objects import BOOL
        >>> print(*Kinds(Block(BlockKind.TOP), []).of(Lit(True, BOOL)))
        bool
        """
        if atom not in self.found:
            self.trace(atom)
        return self.found[atom]

    def trace(self, atom: Atom) -> None:
        """Find the kinds of a number, and of those that it is computed from."""
        todo, order = [atom], dict[Atom, tuple[Atom, ...]]()
        while todo:
            x = todo.pop()
            if x not in order and x not in self.found:
                order[x] = self.sources(x)
                todo += order[x]
        for x in order:
            self.found[x] = set()
        again = True
        while again:
            again = False
            for x, sources in reversed(order.items()):
                new = self.one(x, sources)
                if not new <= self.found[x]:
                    self.found[x] |= new
                    again = True

    def sources(self, x: Atom) -> tuple[Atom, ...]:
        """The numbers that say of which kind a number is; none for one that is of its own kind always."""
        if not isinstance(x, Var):
            return ()
        let = x.definition
        if isinstance(let, Let) and isinstance(let.op, Apply):
            numbers = tuple([a for a in let.args if is_number(a.object)])
            return numbers if let.op.primitive.chooses or len(numbers) == len(let.args) else ()
        found = joined_from(x) or []
        if isinstance(let, Let) and let in self.runs and let.targets.index(x) < let.op.carries:  # type: ignore[union-attr]
            found = found[:1]
        return tuple([a for a in found if is_number(a.object)])

    def one(self, x: Atom, sources: tuple[Atom, ...]) -> set[Object]:
        """The kinds of a number by those that are known of its sources."""
        if not sources:
            return {plain(x)}
        let: Any = x.definition if isinstance(x, Var) else None
        given = [self.found[a] for a in sources]
        if let is None or not isinstance(let.op, Apply) or let.op.primitive.chooses:
            return set().union(*given)
        if not all(given):
            return set()
        if all(kinds == {a.object} for kinds, a in zip(given, sources, strict=True)):
            return {x.object}
        found: set[Object] = set()
        for one in [*product(*given)][:MOST]:
            found.add(let.op.primitive.gives(one, let.op.params) or x.object)
        return found

    def leave_out(self, result: Atom) -> None:
        """Let loops run on which it depends of which kind a result is, as few as may be, if it is of one kind then."""
        before = set(self.runs)
        begun = {let for x in self.found if (let := begins(x)) is not None and let not in before}
        last = [let for let in lets_in(self.block) if let in begun][-FEW:] if begun else []
        tries = [begun, *[{let} for let in last]]
        good = [more for more in tries if self.is_right(result, before | more)]
        self.runs, self.found = before | (good[-1] if good else set()), {}

    def is_right(self, result: Atom, runs: set[Let]) -> bool:
        """Whether a result is of one kind where these loops run."""
        self.runs, self.found = runs, {}
        return not mixed(result.object, self.of(result))

    def check(self, atom: Atom) -> None:
        """Raise `NotNative` for a result that machine code would give as a number that it is not."""
        if is_number(atom.object):
            why = mixed(atom.object, self.of(atom))
            if why:
                raise NotNative(f"a result that is {why}")
        elif isinstance(atom.object, List) and isinstance(atom, Var) and known(atom.definition).structural:
            let: Any = atom.definition
            for x in [a for a in let.args if a.object != atom.object and is_number(a.object)]:
                self.check(x)


def begins(x: Atom) -> Let | None:
    """The loop that gives a number which it begins as one of another kind; None for other numbers."""
    let = x.definition if isinstance(x, Var) else None
    if not isinstance(let, Let) or not isinstance(let.op, (Loop, While)) or let.targets.index(x) >= let.op.carries:  # type: ignore[arg-type]
        return None
    start = let.args[let.targets.index(x)]  # type: ignore[arg-type]
    kind = of_widened(start)
    return let if is_number(x.object) and kind in (INT, BOOL) and x.object != kind else None


def of_widened(x: Atom) -> Object:
    """The kind of a number that is seen at a wider one."""
    while isinstance(x, Var) and isinstance(x.definition, Let) and isinstance(x.definition.op, Apply) and (
            x.definition.op.primitive.chooses and len(x.definition.args) == 1):
        x = x.definition.args[0]
    return plain(x)


def plain(x: Atom) -> Object:
    """The object of a number; that of a constant is its own, whatever it is seen as."""
    if isinstance(x, Lit) and isinstance(x.object, Real) and type(x.value) in (int, bool):
        return INT if type(x.value) is int else BOOL
    return x.object


def is_number(a: Object) -> bool:
    return isinstance(a, (Real, Int, Bool))


def mixed(a: Object, found: set[Object]) -> str:
    """What a number of some kinds is, where machine code would give it as one that it is not; "" where it is right."""
    if len(found) < 2 and (not found or type(a) is type(next(iter(found)))):
        return ""
    if Real("float32") in found:
        return "a float32 or another number"
    if len({type(x) for x in found}) > 1 or type(a) is not type(next(iter(found))):
        return "of several kinds of numbers, as an int or a float"
    return "" if isinstance(a, Real) else "an integer or truth value of NumPy or another one"


def check_width(a: Object, type_: str) -> None:
    """Raise `NotNative` for a float32 that is one of several kinds of numbers."""
    if is_of_any_kind(a) and type_ == "float":
        raise NotNative("a float32 where a number is of a kind that is not known")
