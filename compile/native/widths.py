"""Numbers that are surely float32 where the program itself says only that they are reals of some kind.

    total = 0.0                     any: Python's float first, which has no width of its own, and float32 from the
    for x in xs:                    first run on; where there is no run, the code leaves
        total = total + x

Python's numbers take the width of what they meet. So a loop that begins with one, and gives float32 in each run,
carries float32, if what is computed of the first number alone is the same in both widths: that is found by computing
it. Who is given such a number must not be able to tell: it may be carried, computed with and kept for the reverse loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from ccc.compile.native.table import entry, known
from ccc.compile.program.lam import (
    Apply,
    Atom,
    Block,
    Branch,
    Let,
    Lit,
    Loop,
    Tree,
    Var,
    While,
    joined_from,
    leaves,
    lets_in,
)
from ccc.objects import Array, Bool, Int, List, Object, Real, innermost, is_of_any_kind
from ccc.values import value

FLOAT32 = Real("float32")
WEAK = {Real("float"), Int("int"), Bool("bool")}
"""Numbers without a width of their own."""
OTHER = Real("")
"""Stands for any kind that is not known."""


@value()
class Known:
    """What is known of a number: its kinds, and what it is where it is one of Python's; None where it may be one that
    is not known."""

    kinds: frozenset[Object] = frozenset()
    weak: frozenset[Any] | None = frozenset()

    def __or__(self, other: Known) -> Known:
        weak = None if self.weak is None or other.weak is None else self.weak | other.weak
        return Known(self.kinds | other.kinds, None if weak is None or len(weak) > 1 else weak)

    @property
    def strong(self) -> Known:
        """The same without Python's numbers."""
        return Known(self.kinds - WEAK)

    @property
    def settled(self) -> bool:
        """Whether it may be float32 in all cases."""
        return FLOAT32 in self.kinds and self.kinds <= WEAK | {FLOAT32} and self.weak is not None


NOTHING = Known()
UNKNOWN = Known(frozenset({OTHER}), None)


class Widths:
    """The numbers of a program that are made float32, in place; `runs` are the loops that have to run for that."""

    def __init__(self, block: Block, result: Tree) -> None:
        self.found: dict[Var, Known] = {}
        self.runs: set[Let] = set()
        self.lets = lets_in(block)
        self.inner = [inner for let in self.lets for inner in let.op.blocks]
        if not any((isinstance(a, Array) and a.dtype == "float32") or a == FLOAT32 for a in self.objects(block)):
            return
        self.open = [x for let in self.lets for x in let.targets if is_open(x)]
        self.open += [x for inner in self.inner for x in inner.params if is_open(x)]
        while self.again():
            pass
        good = {x for x in self.open if self.found.get(x, NOTHING).settled}
        seen = set(leaves(result))
        while bad := {x for x in good if not self.fits(x, good, seen)}:
            good -= bad
        self.settle(good)

    def objects(self, block: Block) -> list[Object]:
        return [x.object for x in (*block.params, *[t for let in self.lets for t in let.targets],
                                   *[x for inner in self.inner for x in inner.params])]

    def again(self) -> bool:
        """Look at all once more; true where something new was found."""
        changed = False
        for x in self.open:
            new = self.found.get(x, NOTHING) | self.one(x)
            if new != self.found.get(x, NOTHING):
                self.found[x] = new
                changed = True
        return changed

    def of(self, atom: Atom) -> Known:
        """What is known of a number, or of the items of a list."""
        a = innermost(atom.object)
        if isinstance(atom, Var) and is_of_any_kind(a):
            return self.found.get(atom, NOTHING)
        if isinstance(atom, Lit):
            weak = frozenset({as_number(atom.value)}) if a in WEAK and as_number(atom.value) is not None else None
            return Known(frozenset({a}), weak if a in WEAK else frozenset())
        return Known(frozenset({a}), None if a in WEAK else frozenset())

    def one(self, x: Var) -> Known:
        """What is known of a variable by what it is one of, or by what computes it."""
        let = x.definition
        sources = joined_from(x)
        if isinstance(let, Let) and isinstance(let.op, Apply) and (let.op.primitive.chooses or known(let).structural):
            sources = [a for a in let.args if isinstance(innermost(a.object), Real)]
        if sources is not None:
            found = NOTHING
            for source in sources:
                found = found | self.of(source)
            return self.run(let, x, found)
        applied = isinstance(let, Let) and isinstance(let.op, Apply) and not isinstance(x.object, List)
        return self.computed(let) if applied else UNKNOWN  # type: ignore[arg-type]

    def run(self, let: Any, x: Var, found: Known) -> Known:
        """What a loop gives that has run: what its last run gives."""
        if isinstance(let, Let) and isinstance(let.op, Loop) and let.targets.index(x) < let.op.carries:
            last = self.of(let.op.body.results[let.targets.index(x)])
            return last if FLOAT32 in last.kinds or not last.kinds else found
        return found

    def computed(self, let: Let) -> Known:
        """What an operation gives, by running its rule for all kinds of its arguments."""
        op: Any = let.op
        given = [self.of(a) for a in let.args]
        if any(not isinstance(a.object, (Real, Int, Bool, Array)) for a in let.args):
            return UNKNOWN
        kinds: set[Object] = set()
        for one in product(*[sorted(k.kinds, key=str) for k in given]):
            found = OTHER if OTHER in one else op.primitive.gives(one, op.params)
            if found is None:
                return UNKNOWN
            kinds.add(found)
        if not all(k.kinds & WEAK for k in given) or not kinds & WEAK:
            return Known(frozenset(kinds))
        if any(k.weak is None or len(k.weak) != 1 for k in given):
            return Known(frozenset(kinds), None)
        return Known(frozenset(kinds), weakly(op, [x for k in given for x in k.weak or ()], is_open(let.targets[0])))

    def fits(self, x: Var, good: set[Var], seen: set[Any]) -> bool:
        """Whether a number may be made float32 where these others are."""
        let, sources = x.definition, joined_from(x) or []
        if isinstance(let, Let):
            sources = [*sources, *(let.args if isinstance(let.op, Apply) else ())]
            if isinstance(let.op, (Loop, While)) and let.targets.index(x) < let.op.carries:
                sources.append(let.op.body.params[let.targets.index(x)])
        elif x.home is not None and x.home.owner is not None and isinstance(x.home.owner.op, (Loop, While)):
            sources += [t for t, p in zip(x.home.owner.targets, x.home.params, strict=False) if p is x]
        if any(is_open(a) and a not in good for a in sources):
            return False
        return not self.found[x].kinds & WEAK or not (x in seen or any(
            x in let.args and self.tells(let) for let in self.lets))

    def tells(self, let: Let) -> bool:
        """Whether what a let gives may say that a number is one of Python's."""
        if not isinstance(let.op, Apply):
            return not isinstance(let.op, (Loop, While, Branch))
        if entry(let.op.primitive).number is None:
            return True
        return not is_open(let.targets[0]) and self.computed(let).weak is None

    def settle(self, good: set[Var]) -> None:
        """Make numbers float32, and Python's that become theirs."""
        self.before = {(let, i): self.of(a) for let in self.lets for i, a in enumerate(let.args)}
        for x in good:
            x.object = List(FLOAT32) if isinstance(x.object, List) else FLOAT32
        for let in self.lets:
            op = let.op
            if isinstance(op, (Loop, While)):
                for i, param in enumerate(op.body.params[: op.carries]):
                    let.args[i] = settled(let.args[i], param, good)
            if isinstance(op, (Loop, While, Branch)):
                for inner in op.blocks:
                    targets = let.targets if inner is not getattr(op, "test", None) else ()
                    for i, target in enumerate(targets):
                        inner.results[i] = settled(inner.results[i], target, good)
            if isinstance(op, Loop) and any(
                    x in good and self.begun(let, i) for i, x in enumerate(let.targets[: op.carries])):
                self.runs.add(let)

    def begun(self, let: Let, i: int) -> bool:
        """Whether what a loop carries begins with a number of Python's."""
        return bool(self.before[let, i].kinds & WEAK)


def is_open(x: Any) -> bool:
    """Whether a variable is a number, or a list of numbers, of which the kind is not known."""
    return isinstance(x, Var) and is_of_any_kind(innermost(x.object))


def as_number(x: Any) -> float | None:
    """A number of Python's as one that is compared."""
    return float(x) if isinstance(x, (bool, int, float)) and x == x and abs(x) < 2.0**53 else None


def weakly(op: Apply, xs: Sequence[float], rounds: bool) -> frozenset[Any] | None:
    """What is computed of Python's numbers, if it is the same of float32, or `rounds` to that."""
    value = op.primitive.value
    try:
        with np.errstate(all="raise"):
            found, narrow = value(*xs, **op.params), value(*map(np.float32, xs), **op.params)
            same = found == narrow or (rounds and np.float32(found) == narrow)
    except Exception:  # of what raises in one of them nothing is said
        return None
    return frozenset({float(found)}) if type(found) in (float, int, bool) and same else None


def settled(atom: Atom, target: Var, good: set[Var]) -> Atom:
    """What becomes a number that is float32."""
    weak = target in good and isinstance(atom, Lit) and atom.object in WEAK
    return Lit(np.float32(atom.value), FLOAT32) if weak else atom  # type: ignore[union-attr]
