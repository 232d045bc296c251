"""Which reads of an array that a loop changes see what it holds in the end: no later run changes these places.

    for i in range(n):                          for i in range(n):
        ... x[:i] ...                               for j in range(i):
        x[i] = e                                        a[i, j] = a[i, j] - a[i, :j] @ a[j, :j]

There `x[:i]` is the same of the array that the loop leaves, and so are `a[i, :j]` and `a[j, :j]`: a reverse loop reads
them there. Between which places an index lies is a linear form in counters of loops, sizes and numbers; two that do not
meet are told apart on one axis by the first and last number of each counter, where a later run has a later number.

References: Feautrier, Dataflow Analysis of Array and Scalar References; Strout, Hovland, Linearity Analysis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ccc.compile.program.lam import Apply, Atom, Block, Branch, Let, Lit, Loop, Program, Var, blocks_in
from ccc.compile.program.shapes import Shapes
from ccc.objects import Int
from ccc.primitives import indexing
from ccc.primitives.primitive import is_update
from ccc.primitives.sizes import ONE, Dim, Number, Size, Sized, constant, number_of, of_atom
from ccc.primitives.structure import span
from ccc.values import value

DEEP = 16
"""So many operations are looked through for the linear form of a number."""


class Run(NamedTuple):
    """A number of the run of a loop that is looked at, or of a later one."""

    var: Var
    later: bool


class Span(NamedTuple):
    """The first place that an index may name on an axis, and one behind the last one, None where it is not known."""

    low: Size
    high: Size | None


@value()
class Counter:
    """A variable that runs along a range: its first and last number, and whether it grows."""

    low: Atom | None
    high: Atom
    past: int
    grows: bool


@value()
class Sweep:
    """An array that a loop carries, and what changes it in a run: the step behind which each version is made."""

    let: Let
    carry: int
    steps: list[list[Let]]


class SettledReads:
    """The reads of a program that are those of an array which a loop leaves."""

    def __init__(self, program: Program, shapes: Shapes) -> None:
        self.shapes = shapes
        self.counters: dict[Var, Counter] = {}
        self.depths: dict[Block, int] = {}
        self.versions: dict[Var, tuple[Sweep, int]] = {}
        self.found: dict[Let, list[Var]] = {}
        for block in blocks_in(program.block):
            self.depths[block] = len(list(block.ancestors()))
            if block.owner is not None and isinstance(block.owner.op, Loop):
                self.count(block.owner, block.owner.op)
        for block in blocks_in(program.block):
            if block.owner is not None and isinstance(block.owner.op, Loop):
                self.sweep(block.owner, block.owner.op)

    def of(self, let: Let) -> list[Var]:
        """The arrays that loops leave, the outermost first, of which a let reads what it reads."""
        if let not in self.found:
            self.found[let] = self.settled(let)
        return self.found[let]

    # -- what loops do -----------------------------------------------------------------------------------------------

    def count(self, let: Let, op: Loop) -> None:
        """Note what the variables of a loop count."""
        for var, xs in zip(op.body.params[op.carries :], let.args[op.carries :], strict=True):
            made = xs.definition if isinstance(xs, Var) else None
            if made is None or not isinstance(made.op, Apply) or made.op.primitive is not span:
                continue
            start, stop = [None, *made.args][-2:] if len(made.args) < 3 else made.args[:2]
            step = made.args[2] if len(made.args) == 3 else None
            if step is None:
                assert stop is not None
                self.counters[var] = Counter(start, stop, -1, not op.reverse)
            elif isinstance(step, Lit) and step.value == -1 and start is not None and stop is not None:
                self.counters[var] = Counter(stop, start, 1, op.reverse)

    def sweep(self, let: Let, op: Loop) -> None:
        """Note the versions of the arrays that a loop changes in part."""
        for k, result in enumerate(op.body.results[: op.carries]):
            found = self.chain(op.body, result)
            if found is None or found[0][0] is not op.body.params[k] or len(found) == 1:
                continue
            known = Sweep(let, k, [changes for _, changes in found[1:]])
            for i, (version, _) in enumerate(found):
                self.versions[version] = known, i

    def chain(self, block: Block, result: Atom) -> list[tuple[Var, list[Let]]] | None:
        """The versions of an array that a block changes in part, each with what it was changed by, the first one, which
        stands outside or is a parameter, with nothing."""
        found: list[tuple[Var, list[Let]]] = []
        while isinstance(result, Var):
            let = result.definition
            if result.home is not block or let is None:
                return [(result, []), *reversed(found)]
            step = self.step(let, result)
            if step is None:
                return None
            found.append((result, step[0]))
            result = step[1]
        return None

    def step(self, let: Let, target: Var) -> tuple[list[Let], Atom] | None:
        """What changes an array in a let, and the array before; None where more is done to it."""
        op, k = let.op, next(k for k, var in enumerate(let.targets) if var is target)
        if isinstance(op, Apply):
            return ([let], let.args[0]) if is_update(op.primitive) and "pattern" in op.params else None
        if isinstance(op, Loop) and k < op.carries:
            found = self.chain(op.body, op.body.results[k])
            if found is None or found[0][0] is not op.body.params[k]:
                return None
            return [change for _, changes in found for change in changes], let.args[k]
        if isinstance(op, Branch):
            arms = [self.chain(arm, arm.results[k]) for arm in op.blocks]
            known = [arm for arm in arms if arm is not None]
            if len(known) == len(arms) and len({arm[0][0] for arm in known}) == 1:
                return [change for arm in known for _, changes in arm for change in changes], known[0][0][0]
        return None

    # -- what is read ------------------------------------------------------------------------------------------------

    def settled(self, let: Let) -> list[Var]:
        op, found = let.op, list[Var]()
        if not isinstance(op, Apply) or op.primitive is not indexing.index or not isinstance(let.args[0], Var):
            return []
        array = let.args[0]
        places = self.places(op, let.args[1:], None)
        while array in self.versions:
            sweep, i = self.versions[array]
            loop = sweep.let.op
            assert isinstance(loop, Loop)
            behind = [(change, False) for changes in sweep.steps[i:] for change in changes]
            behind += [(change, True) for changes in sweep.steps for change in changes]
            if not all(self.apart(places, change, loop.body, later) for change, later in behind):
                break
            array = sweep.let.targets[sweep.carry]
            found.insert(0, array)
        return found

    def apart(self, places: list[Span], change: Let, body: Block, later: bool) -> bool:
        """Whether a change in the body of a loop is none of the places that are read: in the same run, where loops
        inside may have reached any of theirs, or in later runs."""
        home = change.targets[0].home
        inside = body if later or home is None else next((b for b in home.ancestors() if b.parent is body), None)
        assert isinstance(change.op, Apply)
        changed = self.places(change.op, change.args[2:], inside)
        return any(
            (x.high is not None and self.natural(y.low - x.high, inside, later))
            or (y.high is not None and self.natural(x.low - y.high, inside, later))
            for x, y in zip(places, changed, strict=False)
        )

    def places(self, op: Apply, numbers: Sequence[Atom], inside: Block | None) -> list[Span]:
        """Between which places an index lies on each of the first axes."""
        found, given = list[Span](), iter(numbers)
        for code in op.params["pattern"]:
            if code == "i":
                n = self.form(next(given), inside)
                known = self.natural(n, inside)
                found.append(Span(n, n + ONE) if known else Span(constant(0), None))
            elif code[0] == "s":
                start, stop, step = [next(given) if place in code else None for place in "123"]
                forwards = step is None or (isinstance(step, Lit) and type(step.value) is int and step.value > 0)
                ends = [None if x is None or not forwards else self.form(x, inside) for x in (start, stop)]
                low, high = [x if x is not None and self.natural(x, inside) else None for x in ends]
                found.append(Span(constant(0) if low is None else low, high))
            elif code != "+":
                break
        return found

    # -- numbers -----------------------------------------------------------------------------------------------------

    def form(self, atom: Atom, inside: Block | None, deep: int = DEEP) -> Size:
        """A number as a linear form; what a block inside which it may be another run's binds is of that one."""
        if not isinstance(atom, Var):
            value = atom.value
            return constant(value) if type(value) is int else of_atom(Run(Var("", atom.object), False))
        own = of_atom(Run(atom, inside is not None and atom.home is not None and inside in atom.home.ancestors()))
        let = atom.definition
        if atom in self.counters:
            return own
        if let is not None and isinstance(let.op, Apply) and deep and all(isinstance(a.object, Int) for a in let.args):
            given = [Sized(a.object, None, self.form(a, inside, deep - 1)) for a in let.args]
            found = number_of(let.op.primitive, given, let.op.params)
            return own if found is None or not all(is_plain(x) for x, _ in found.terms) else found
        size = self.shapes.size(atom)
        return size if all(isinstance(x, (Dim, Number)) and x.of in self.shapes.params for x, _ in size.terms) else own

    def natural(self, size: Size, inside: Block | None, later: bool = False) -> bool:
        """Whether a number is not negative for all numbers of the counters in it."""
        while True:
            runs = [(x, n) for x, n in size.terms if isinstance(x, Run)]
            if not runs:
                return self.shapes.natural(size)
            if len(runs) > DEEP or any(x.var not in self.counters for x, _ in runs):
                return False
            (run, n) = max(runs, key=lambda found: (self.depth(found[0]), found[0].later))
            end = self.end(run, n < 0, inside, later)
            size = size - of_atom(run).times(n) + end.times(n)

    def depth(self, run: Run) -> int:
        return 0 if run.var.home is None else self.depths.get(run.var.home, 0)

    def end(self, run: Run, last: bool, inside: Block | None, later: bool) -> Size:
        """The first or last number of a counter; in a later run it is behind that of the run that is looked at."""
        counter = self.counters[run.var]
        if later and run.later and run.var.home is inside and counter.grows != last:
            return of_atom(Run(run.var, False)) + constant(1 if counter.grows else -1)
        here = inside if run.later else None
        if last:
            high = self.form(counter.high, here)
            return high + constant(min(counter.past, 0))
        low = constant(0) if counter.low is None else self.form(counter.low, here)
        return low + constant(max(counter.past, 0))


def is_plain(atom: object) -> bool:
    return isinstance(atom, (Run, Dim, Number))



