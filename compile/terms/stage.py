"""The staged base: symbolic values that record the primitives applied to them.

A category's pointwise code runs on these values as on numbers. Pairs, closures and pullbacks are then Python objects of
the compiler and vanish; what is left is a block of a λ-program. A value recorded in one block may be read in another
that does not see it (a pullback reads what the forward loop computed): `ccc.compile.terms.readback` builds the tapes
for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeGuard

import numpy as np

from ccc.additive import ZERO, Components, Contribution, EmptySum, Zero, ZeroLike, add, dense, parts
from ccc.base import Effectful
from ccc.categories import rules
from ccc.categories.exponentials import FormalSum, Opaque, empty_sum
from ccc.categories.pointwise import FunctionValue
from ccc.compile.program.lam import (
    Absent,
    Apply,
    Atom,
    Block,
    BlockKind,
    Branch,
    Lambda,
    Let,
    Lit,
    Loop,
    Op,
    Var,
    While,
    derived_from,
)
from ccc.compile.program.simplify import identity, simplified
from ccc.compile.terms import sparse_cotangents
from ccc.compile.terms.loops_again import Found, Recording
from ccc.compile.terms.staged import Staged, Tape
from ccc.compile.terms.states import Slot, leaves_in, rebuilt, shaped
from ccc.coproducts import common, join
from ccc.errors import CannotStage
from ccc.objects import UNIT, Array, Boxed, Coproduct, List, Map, Object, Product, Record, Space, Text, is_discrete
from ccc.objects_of_values import object_of
from ccc.primitives import effects, structure, zero_trees
from ccc.primitives.facts import FILLING
from ccc.primitives.raising import is_loud
from ccc.records import parts_of, taken_apart


class SumOfRuns:
    """The calls that the runs of a loop made, as one part of a formal sum: to fold it is a loop along the tape."""

    __slots__ = ("recorder", "tape")

    def __init__(self, recorder: Recorder, tape: Tape) -> None:
        self.recorder = recorder
        self.tape = tape

    def fold(self, h: Callable[[Any, Any], Any], like: Any) -> Any:
        def step(state: Any, elements: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
            return add(add(self.recorder.zero_of(like), state), elements[0].fold(h, like)), ()

        return self.recorder.scan(step, empty_sum(self.recorder.zero_of(like)), (self.tape,), 0)[0]


class SumOfArms:
    """The calls that one of two branches made."""

    __slots__ = ("arms", "recorder", "test")

    def __init__(self, recorder: Recorder, test: Staged, then: Any, orelse: Any) -> None:
        self.recorder = recorder
        self.test = test
        self.arms = (then, orelse)

    def fold(self, h: Callable[[Any, Any], Any], like: Any) -> Any:
        then, orelse = [lambda ct=ct: add(self.recorder.zero_of(like), self.folded(ct, h, like)) for ct in self.arms]
        return self.recorder.cond(self.test, then, orelse)

    def folded(self, ct: Any, h: Callable[[Any, Any], Any], like: Any) -> Any:
        return ZERO if isinstance(ct, Zero) else ct.fold(h, like)


class Recorder(Effectful):
    """Values, branches and loops of the staged base."""

    def __init__(self, exact: bool = False) -> None:
        self.block = Block(BlockKind.TOP)
        self.seen: dict[Block, dict[Any, Staged]] = {}
        self.exact = exact
        self.adjoint = False
        self.recording = Recording([])
        self.meant = False
        self.alike = False  # what is run again draws from sources that give the same
        self.given_in = False  # whether a user's own pullback has been run
        self.apart = False  # the value is computed, and its effects are done, by another program
        self.deriving: Any = None  # where the step stands whose derivative is recorded

    # -- values ------------------------------------------------------------------------------------------------

    def param(self, block: Block, name: str, a: Object) -> Staged:
        var = Staged(name, a, block)
        var.base = self
        block.params.append(var)
        return var

    def atom(self, value: Any) -> Atom:
        if isinstance(value, Staged):
            return value
        return Lit(value, value.object if isinstance(value, Absent) else object_of(value))

    def emit(self, op: Op, args: list[Any], span: Any = None, derived: bool = False, of: Any = None) -> Let:
        let = Let(op, [self.atom(a) for a in args], span, self.adjoint or derived, of)
        self.block.lets.append(let)
        return let

    def target(self, let: Let, name: str, a: Object, home: Block | None = None) -> Staged:
        var = Staged(name, a, home or self.block, let)
        var.base = self
        let.targets.append(var)
        return var

    def const(self, value: Any, a: Object) -> Any:
        if isinstance(a, Map):  # what nothing reads
            return self.apply(zero_trees.empty_map, (), {"of": a}, None)
        if isinstance(a, Text) and isinstance(value, str):  # by itself, which would be a static one
            return self.apply(effects.text, (), {"form": (value,)}, None)
        if _holds_text(a) and (parts_here := parts_of(value)) is not None:
            made = [self.const(x, part) for x, part in zip(parts_here, a.parts, strict=True)]
            return self.apply(structure.record, tuple(made), {"cls": a.cls, "names": a.names}, None)
        return Fraction(value) if self.exact and isinstance(value, float) else value

    def apply(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], label: Any) -> Any:
        if primitive.unseen:
            return args[0]
        if primitive.draws and (self.adjoint or self.apart) and not self.alike:
            raise rules.drawn_again(primitive.name)
        if primitive.program is not None and primitive.effect:
            let = self.emit(Apply(primitive, params), list(args), label.span if label else None, self.apart)
            return self.target(let, label.name if label else "", primitive.type_of(self.objects(args), params))
        if primitive.effect:
            return self.effect(primitive, args, params, label)
        if label is None and (simpler := simplified(primitive, args, params)) is not None:
            return simpler
        key = (primitive, tuple([identity(a) for a in args]), tuple(params.items()))
        alone = (not args and primitive.work == FILLING) or is_loud(primitive.errors)  # each is changed on its own
        known = None if alone else self.lookup(key)
        if known is not None:
            if known.definition is not None and not (self.adjoint or label is None or label.derived):
                known.definition.adjoint = False
            return known
        a = primitive.type_of(self.objects(args), params)
        of = self.deriving or derived_from(args)
        span, derived, of = (label.span, label.derived, label.of) if label else (None, True, of)
        let = self.emit(Apply(primitive, params), list(args), span, derived, of)
        var = self.target(let, label.name if label else "", a)
        self.seen.setdefault(self.block, {})[key] = var
        return var

    def effect(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], label: Any) -> Any:
        """What the program does beside computing: never merged with its like, and not done again by a pullback."""
        if (self.adjoint or self.apart) and not (self.meant or primitive.draws):
            return ()
        outer, self.adjoint = self.adjoint, False
        let, self.adjoint = self.emit(Apply(primitive, params), list(args), label.span if label else None), outer
        return self.target(let, "", primitive.type_of(self.objects(args), params))

    def objects(self, args: Sequence[Any]) -> tuple[Object, ...]:
        """The objects of arguments."""
        return tuple([self.atom(x).object for x in args])

    def given(self, part: rules.Part, run: Callable[[], Any]) -> Any:
        """What a part of a derivative of the user gives, with what it does beside where that is meant."""
        if part == "again":
            outer, self.alike = self.alike, True
            found = run()
            self.alike = outer
            return found
        outer = self.adjoint, self.meant
        self.given_in = self.given_in or part != "rule"
        self.adjoint = self.adjoint or part == "transpose"
        meant = part == "pullback" or self.meant or (self.apart and not self.adjoint)
        self.meant = part != "transpose" and meant
        found = run()
        self.adjoint, self.meant = outer
        return found

    def lookup(self, key: Any) -> Staged | None:
        block: Block | None = self.block
        while block is not None:
            found = self.seen.get(block)
            if found is not None and key in found:
                return found[key]
            block = block.parent
        return None

    def zero_of(self, value: Any, since: Any = None) -> Any:
        if since is not None:
            return self.spread_like(value, since)
        if isinstance(value, tuple):
            return tuple([self.zero_of(part) for part in value])
        if isinstance(value, FunctionValue):
            return value.zero(self.zero_of(value.environment))
        if isinstance(value, Staged) and (_holds_nothing(value.object) or not is_discrete(value.object)):
            return ZeroLike(value)
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            return ZeroLike(value)  # of an array that is known: what is added to its tangent is broadcast to it
        return ZERO

    def spread_like(self, state: Any, init: Any) -> Any:
        """Zeros in the sizes that lists and arrays have in one run of a loop."""
        if isinstance(init, tuple):
            found = [self.spread_like(x, y) for x, y in zip(state, init, strict=True)]
            return ZERO if all(zero is ZERO for zero in found) else tuple(found)
        if not isinstance(state, Staged) or is_discrete(state.object):
            return ZERO
        if isinstance(init, Absent) and isinstance(init.object, Array):
            return ZeroLike(zero_trees.spread_zero(state))
        return ZeroLike(state) if isinstance(state.object, (Array, List)) else ZERO

    # -- blocks ------------------------------------------------------------------------------------------------

    def inside(self, block: Block, run: Callable[[], Any]) -> Any:
        """What `run` returns, having recorded into `block`."""
        outer, self.block = self.block, block
        try:
            return run()
        finally:
            self.block = outer

    def function(self, params: Sequence[tuple[str, Any]], run: Callable[[Sequence[Any]], Any]) -> tuple[Staged, Any]:
        """A closure of the program; `params` are names and objects. Also returns what `run` returned."""
        block = Block(BlockKind.FUNCTION, self.block)
        variables = [self.param(block, name, a) for name, a in params]
        result = self.inside(block, lambda: run(variables))
        let = self.emit(Lambda(block), [])
        from ccc.objects import Exponential

        dom = Product(tuple([v.object for v in variables]))
        return self.target(let, "pullback", Exponential(dom, Product(()))), (block, result)

    # -- control -----------------------------------------------------------------------------------------------

    def cond(self, test: Any, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        if not isinstance(test, Staged):
            return then() if test else orelse()
        blocks = Block(BlockKind.BRANCH, self.block), Block(BlockKind.BRANCH, self.block)
        a, b = self.inside(blocks[0], then), self.inside(blocks[1], orelse)
        let = Let(Branch(*blocks), [test], None, self.adjoint)
        result = self.joined(test, let, blocks, a, b)
        self.block.lets.append(let)
        return result

    def joined(self, test: Staged, let: Let, blocks: tuple[Block, Block], a: Any, b: Any) -> Any:
        """One value for what the two branches returned, part by part."""
        if isinstance(a, Components) or isinstance(b, Components):
            size = a.size if isinstance(a, Components) else b.size
            a, b = parts(a, size), parts(b, size)
        if isinstance(a, tuple) or isinstance(b, tuple):
            if isinstance(a, Zero) and isinstance(b, Zero):
                return ZERO
            size = len(a) if isinstance(a, tuple) else len(b)
            pairs = zip(parts(a, size), parts(b, size), strict=True)
            return tuple([self.joined(test, let, blocks, x, y) for x, y in pairs])
        if isinstance(a, Zero) and isinstance(b, Zero):
            around = list(self.block.ancestors())
            return next((z for z in (a, b) if isinstance(z, ZeroLike) and (
                not isinstance(z.witness, Staged) or z.witness.home in around)), ZERO)
        if isinstance(a, Opaque) and isinstance(b, Opaque) and a.space == b.space:
            return Opaque(a.space, self.joined(test, let, blocks, a.payload, b.payload))
        if any(isinstance(x, FormalSum) for x in (a, b)) and all(isinstance(x, (FormalSum, Zero)) for x in (a, b)):
            return FormalSum(SumOfArms(self, test, a, b))
        if isinstance(a, (FunctionValue, FormalSum, Opaque)):
            raise CannotStage("a function chosen at run time by a branch")
        if callable(a) and callable(b):
            return lambda *args: self.cond(test, lambda: a(*args), lambda: b(*args))
        if isinstance(a, Staged) and a is b:
            return a
        if not isinstance(a, (Staged, Contribution, Zero)) and type(a) is type(b) and identity(a) == identity(b):
            return a
        if any(isinstance(x, Contribution) for x in (a, b)) and all(
                isinstance(x, (Contribution, Zero)) for x in (a, b)):
            return sparse_cotangents.Chosen(self, test, let, a, b)
        like_a, like_b = a, b
        a = self.inside(blocks[0], lambda: self.settled(like_a, like_b))
        b = self.inside(blocks[1], lambda: self.settled(like_b, like_a))
        atoms = self.atom(a), self.atom(b)
        wide = join(atoms[0].object, atoms[1].object)
        if wide is None:
            raise CannotStage(f"branches that give {atoms[0].object} and {atoms[1].object}")
        blocks[0].results.append(atoms[0])
        blocks[1].results.append(atoms[1])
        name = a.name if isinstance(a, Staged) else b.name if isinstance(b, Staged) else ""
        return self.target(let, name, wide)

    def more(self, let: Let, home: Block, arms: list[Callable[[], Any]]) -> Any:
        """One more result of a branch that was recorded."""
        found = [self.inside(block, arm) for block, arm in zip(let.op.blocks, arms, strict=True)]
        for block, value in zip(let.op.blocks, found, strict=True):
            block.results.append(self.atom(value))
        return self.target(let, "", found[0].object, home)

    def settled(self, ct: Any, other: Any) -> Any:
        """`ct` as a value: contributions made dense, and a zero made of its witness or of the other side's object."""
        if isinstance(ct, Contribution):
            return ct.dense()
        if isinstance(ct, ZeroLike):
            return zero_trees.zero_for(ct.witness)
        if isinstance(ct, Zero):
            a = other.object if isinstance(other, (Staged, Absent)) else None
            if isinstance(a, Map):
                return self.apply(zero_trees.empty_map, (), {"of": a}, None)
            if isinstance(a, (Array, Boxed, Coproduct, List, Product, Space)):
                return Absent(a, "0.0" if isinstance(a, Array) else "None")
            return Fraction(0) if self.exact else 0.0
        return ct

    def scan(
        self, step: Callable[[Any, tuple[Any, ...]], tuple[Any, tuple[Any, ...]]], init: Any,
        sequences: Sequence[Any], outputs: int, reverse: bool = False,
    ) -> tuple[Any, tuple[Any, ...]]:
        sequences = [self.apply(structure.rows, (xs,), {}, None) if isinstance(xs, np.ndarray) else xs
                     for xs in sequences]  # a tangent of numbers that are known
        known = [xs for xs in sequences if not isinstance(xs, Zero)]
        lists = [xs for xs in known if not isinstance(xs, Tape)]

        def elements(block: Block) -> tuple[Any, ...]:
            found: list[Any] = []
            for xs in sequences:
                if isinstance(xs, Zero):
                    found.append(ZERO)
                elif isinstance(xs, Tape):
                    block.mirror = xs.body
                    found.append(xs.tree)
                else:
                    found.append(self.param(block, "", self.atom(xs).object.item))  # type: ignore[attr-defined]
            return tuple(found)

        def run(block: Block, carry: Any) -> tuple[Any, Any]:
            return step(carry, elements(block))

        final, body, carries, inits, (_, ys) = self.loop(run, init)
        let = Let(Loop(body, len(carries), reverse), [self.atom(v) for v in [*inits, *lists]], None, self.adjoint)
        state = self.closing(let, body, final, carries)
        return self.deferred(state, init, let), self.columns(let, body, ys)

    def deferred(self, state: Any, init: Any, let: Let) -> Any:
        """Arrays, lists and maps that the loop summed up from zero, as contributions: the sum may start at what it is
        added to."""
        if isinstance(state, tuple):
            return tuple([self.deferred(x, y, let) for x, y in zip(state, init, strict=True)])
        if isinstance(state, Staged) and isinstance(init, EmptySum) and isinstance(state.object, (Array, List, Map)):
            return sparse_cotangents.Accumulated(self, let, let.targets.index(state), state, init.witness)
        return state

    def iterate(
        self, test: Callable[[Any], Any], step: Callable[[Any], tuple[Any, tuple[Any, ...]]], init: Any, outputs: int
    ) -> tuple[Any, tuple[Any, ...]]:
        def run(block: Block, carry: Any) -> tuple[Any, Any]:
            return step(carry)

        final, body, carries, inits, (_, ys) = self.loop(run, init)
        check = Block(BlockKind.TEST, self.block)
        variables = [self.param(check, p.name, p.object) for p in body.params]
        fresh = iter(variables)
        tree = rebuilt(final, lambda leaf: next(fresh) if isinstance(leaf, Slot) else leaf)
        check.results.append(self.atom(self.inside(check, lambda: test(tree))))
        let = Let(While(check, body), [self.atom(v) for v in inits], None, self.adjoint)
        return self.closing(let, body, final, carries), self.columns(let, body, ys)

    def loop(self, run: Callable[[Block, Any], tuple[Any, Any]], init: Any) -> Any:
        """Record a body until its carries are stable: which leaves are not zero, and at which objects."""
        before = leaves_in(init, sums=True)
        leaves: list[Any] = [ZERO if isinstance(leaf, FormalSum) else leaf for leaf in before]
        known = self.recording.next(len(leaves))
        active, values, objects = self.begun(leaves, known)
        while True:
            block = Block(BlockKind.LOOP, self.block)
            carried = [
                self.param(block, _name_of_zero(leaf) if isinstance(leaf, ZeroLike) else _name(v), o) if on else v
                for leaf, v, o, on in zip(leaves, values, objects, active, strict=True)
            ]
            following = iter(carried)
            start = rebuilt(init, lambda leaf, following=following: next(following))
            state, ys = self.again(known, block, lambda block=block, start=start: run(block, start))
            after = leaves_in(shaped(state, init, sums=True), sums=True)
            added = [x if isinstance(x, FormalSum) else None for x in after]
            after = [ZERO if isinstance(x, FormalSum) else x for x in after]
            after = [
                self.inside(block, lambda x=x, c=c: self.settled(x, c)) if on or not isinstance(x, Zero) else x
                for x, c, on in zip(after, carried, active, strict=True)
            ]
            stable = True
            for i, x in enumerate(after):
                if isinstance(x, Zero):
                    continue
                if not active[i]:
                    active[i], values[i], known.shown[i] = True, self.woken(leaves[i], x), x
                    objects[i], stable = self.atom(values[i]).object, False
                wide = common(objects[i], self.atom(x).object)
                if wide is None:
                    raise CannotStage(f"a loop that turns {objects[i]} into {self.atom(x).object}")
                if wide != objects[i]:
                    objects[i], stable = wide, False
            if stable:
                break
        known.objects = objects
        block.results = [self.atom(x) for x, on in zip(after, active, strict=True) if on]
        slots = iter([
            Slot() if on else leaf if found is None else add(leaf, FormalSum(SumOfRuns(self, Tape(block, found))))
            for leaf, on, found in zip(before, active, added, strict=True)
        ])
        final = rebuilt(init, lambda leaf: next(slots))
        carries = [p for p, on in zip(carried, active, strict=True) if on]
        inits = [v for v, on in zip(values, active, strict=True) if on]
        return final, block, carries, inits, (None, ys)

    def begun(self, leaves: list[Any], known: Found) -> tuple[list[bool], list[Any], list[Any]]:
        """Which leaves of a first state are not zero, as far as is known, their values and objects."""
        active = [not isinstance(leaf, Zero) for leaf in leaves]
        values = [self.settled(leaf, leaf) if on else leaf if x is None else self.woken(leaf, x)
                  for leaf, on, x in zip(leaves, active, known.shown, strict=True)]
        active = [on or x is not None for on, x in zip(active, known.shown, strict=True)]
        objects = [self.atom(v).object if on else None for v, on in zip(values, active, strict=True)]
        return active, values, [a if a is None or b is None else common(a, b) or a
                                for a, b in zip(objects, known.objects, strict=True)]

    def woken(self, leaf: Any, x: Any) -> Any:
        """The value of a zero that becomes one like `x`."""
        if not isinstance(leaf, ZeroLike):
            return self.settled(ZERO, x)
        value = self.settled(leaf, x)
        if isinstance(value, Staged):
            value.name = value.name or _name_of_zero(leaf)
        return value

    def again(self, known: Found, block: Block, run: Callable[[], Any]) -> Any:
        """One more recording of the body of a loop."""
        outer, self.recording = self.recording, Recording(known.inside)
        try:
            return self.inside(block, run)
        finally:
            known.inside, self.recording = self.recording.now, outer

    def closing(self, let: Let, body: Block, final: Any, carries: list[Staged]) -> Any:
        """The last carries as targets of the loop, in the shape of the state."""
        self.block.lets.append(let)
        targets = iter([
            self.target(let, c.name or _name(r), c.object)
            for c, r in zip(carries, body.results[: len(carries)], strict=True)
        ])
        return rebuilt(final, lambda leaf: next(targets) if isinstance(leaf, Slot) else leaf)

    def columns(self, let: Let, body: Block, ys: tuple[Any, ...]) -> tuple[Any, ...]:
        """What the outputs of all runs are outside: lists, or tapes of compile-time values."""
        found: list[Any] = []
        for y in ys:
            if isinstance(y, Zero):
                found.append(ZERO)
            elif isinstance(y, (Staged, float, int, Contribution, Absent, list)):
                value = self.inside(body, lambda y=y: self.whole(dense(y)))
                body.results.append(self.atom(value))
                found.append(self.target(let, "", List(self.atom(value).object)))
            else:
                found.append(Tape(body, y))
        return tuple(found)

    def whole(self, value: Any) -> Any:
        """A structure of known numbers and of variables as a value of the program, made anew in each run."""
        if type(value) is list:
            return self.apply(structure.listing, tuple(map(self.whole, value)), {}, None)
        if type(value) is tuple:
            return self.apply(structure.pack, tuple(map(self.whole, value)), {}, None)
        found = taken_apart(value)
        if found is None:
            return value
        cls, names, parts = found
        return self.apply(structure.record, tuple(map(self.whole, parts)), {"cls": cls, "names": names}, None)


def _holds_text(a: Object) -> TypeGuard[Record]:
    """Whether a record holds a text that is not known."""
    return isinstance(a, Record) and any([isinstance(part, Text) or _holds_text(part) for part in a.parts])


def _holds_nothing(a: Object) -> bool:
    """True for an empty list or map, which will hold anything."""
    return isinstance(a, (List, Map)) and a.item == UNIT


def _name_of_zero(zero: ZeroLike) -> str:
    """What the tangent or cotangent that begins as a zero is called."""
    return f"d{zero.witness.name}" if isinstance(zero.witness, Staged) else ""


def _name(x: Any) -> str:
    return x.name if isinstance(x, Var) else ""
