"""What a pullback or differential gives is linear in its cotangent or tangent, where that is claimed (`Block.claim`).

A block is run on statuses instead of numbers. That of a value says how it depends on the parameters of the claim:

    ZERO      it is zero                            CONSTANT   it does not depend on them
    LINEAR    f(0) = 0 and f(s + t) = f(s) + f(t)   OTHER      anything, but its sizes do not depend on them
    WILD      anything
    UNKNOWN   the walk gave up here, and what is computed of it is neither claimed nor denied

The join of two is their union as sets of bits: what one arm gives as a constant and the other one linearly is affine,
hence OTHER. A tuple or record has a status for each part, a list, map or array the one of its items, and a function the
lets that it may come from, with what these capture: of one that is nested too deep, what its let captures anywhere.
Loops are run until their statuses stay, functions once for all statuses of their arguments.

What a primitive is linear in it says itself (`linear`), and which arguments it reads for their sizes alone. What is
chosen or counted by a value that depends on the parameters is WILD, and that is no mistake until a result depends on
it. A primitive that says nothing of itself is a user's, and its word is taken: a cotangent in is a cotangent out.

>>> from ccc.compile.frontend.elaborate import program_of
>>> program = program_of(lambda ct, x: ct * x, (1.0, 2.0))
>>> program.block.claim = Claim((program.block.params[0],))
>>> mistake(program) is None
True
>>> program.block.claim = Claim(tuple(program.block.params))
>>> mistake(program).what
'`{}` is not linear in `ct`, `x`'

References: *The Differentiable Curry* ("Need a notion of ≅ that respects 0 and +"); *Automatic Differentiation in
Swift*, "linear maps".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from ccc.compile.program.lam import (
    Absent,
    Apply,
    Block,
    Branch,
    Call,
    Claim,
    Lambda,
    Let,
    Lit,
    Loop,
    Program,
    Var,
    While,
    free_variables,
    leaves,
)
from ccc.objects import Object, Product, Record, is_discrete
from ccc.primitives.facts import CALL, ENTRIES, FOREIGN, NOTHING
from ccc.primitives.primitive import Primitive
from ccc.values import value

ZERO, CONSTANT, LINEAR, OTHER, WILD, UNKNOWN = 0, 1, 2, 3, 7, 15
DEEP, NESTED = 400, 4
"""Functions are followed through so many calls of different statuses, and tuples and functions in others so deep."""

Status: TypeAlias = "int | tuple[Status, ...] | frozenset[Closure]"
"""One of the numbers above, a tuple of statuses, or a frozenset of closures."""


@value()
class Closure:
    """A function as a status: the let that makes it, and the statuses of what it captures; None for the join of all
    that the let captures."""

    let: Let
    captured: tuple[Status, ...] | None


@value()
class Mistake:
    """A claim that does not hold: what is wrong of which variable, and the let where it goes wrong."""

    what: str
    let: Let | None
    about: Any


def claimed(program: Program) -> Iterator[Block]:
    """The blocks of a program of which linearity is claimed: its own, and those of the functions that it gives."""
    bodies = [let.op.body for let in program.block.lets if isinstance(let.op, Lambda)]
    return (block for block in (program.block, *bodies) if block.claim is not None)


def mistake(program: Program, given: bool = False) -> Mistake | None:
    """A claim of a program that does not hold; of those in which a user's own pullback takes part, where `given`."""
    blocks = [block for block in claimed(program) if block.claim is not None and block.claim.given == given]
    return _Reading(program).mistake(blocks) if blocks else None


def settle(program: Program) -> None:
    """Let claims in which a user's own pullback takes part hold, or go: it need not be linear."""
    for block in claimed(program):
        claim = block.claim
        if claim is not None and claim.given:
            wrong = _Reading(program).mistake([block])
            block.claim = None if wrong is not None else Claim(claim.of)


def join(a: Status, b: Status) -> Status:
    """The status of what is one of two values.

    >>> join(ZERO, LINEAR) == LINEAR, join(CONSTANT, LINEAR) == OTHER, join((CONSTANT, LINEAR), ZERO)
    (True, True, (1, 2))
    """
    if a is b or a == b:
        return a
    if isinstance(a, int) and isinstance(b, int):
        return a | b
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) == len(b):
            return tuple([join(x, y) for x, y in zip(a, b, strict=True)])
        return flat(a) | flat(b)
    if isinstance(a, frozenset) and isinstance(b, frozenset):
        return a | b
    if isinstance(b, int):
        a, b = b, a
    if isinstance(a, int) and isinstance(b, tuple):
        return tuple([join(a, part) for part in b])
    return b if a in (ZERO, CONSTANT) else UNKNOWN


def flat(x: Status) -> int:
    """The status of a value as one number."""
    if isinstance(x, int):
        return x
    found = ZERO if isinstance(x, tuple) else CONSTANT
    for part in x if isinstance(x, tuple) else [part for closure in x for part in captured_by(closure)]:
        found |= flat(part)
    return found


def captured_by(closure: Closure) -> tuple[Status, ...]:
    """The statuses of what a function captures, where it says so itself."""
    return (UNKNOWN,) if closure.captured is None else closure.captured


def shallow(x: Status, levels: int = NESTED) -> Status:
    """A status without what is nested deeper: what a loop builds may have any depth.

    >>> shallow((LINEAR, (CONSTANT, LINEAR)), 1) == (LINEAR, UNKNOWN), shallow((LINEAR, (ZERO, LINEAR)), 1)
    (True, (2, 2))
    """
    if isinstance(x, int):
        return x
    if isinstance(x, frozenset):
        return frozenset([Closure(closure.let, None if not levels or closure.captured is None else tuple(
            [shallow(part, levels - 1) for part in closure.captured])) for closure in x])
    if levels:
        return tuple([shallow(part, levels - 1) for part in x])
    found = flat(x)
    return UNKNOWN if found & OTHER == OTHER else found


def moves(x: Status) -> bool:
    """Whether a value depends on the parameters."""
    return bool(flat(x) & LINEAR)


def of_constant(value: Any) -> int:
    """The status of a constant.

    >>> of_constant(0.0) == of_constant(None) == of_constant([]) == ZERO, of_constant(1.0) == CONSTANT
    (True, True)
    """
    if value is None or isinstance(value, Absent):
        return ZERO
    if isinstance(value, (list, tuple)):
        return CONSTANT if any(map(of_constant, value)) else ZERO  # type: ignore[reportUnknownArgumentType]
    if isinstance(value, np.ndarray):
        return CONSTANT if value.dtype.kind not in "fiu" or value.any() else ZERO
    number = isinstance(value, (int, float, Fraction, np.number)) and not isinstance(value, bool)
    return ZERO if number and value == 0 else CONSTANT


# -- primitives --------------------------------------------------------------------------------------------------------


def applied(let: Let, args: Sequence[Status]) -> Status:
    """The status of what a primitive gives."""
    op, a = let.op, let.targets[0].object
    assert isinstance(op, Apply)
    p, params = op.primitive, op.params
    how = p.memory_of(params).how
    if how == "holds" and isinstance(a, Product):
        args = [shallow(x, NESTED - 1) for x in args]
        if isinstance(a, Record) and "name" in params:
            return tuple([args[0] if name == params["name"] else ZERO for name in a.names])
        if len(a.parts) == len(args):
            return tuple(args)
    if how == "out of" and isinstance(args[0], tuple) and isinstance(let.args[0].object, Product):
        args = [part_of(args[0], let.args[0].object, params), *args[1:]]
    return by_parts(p, params, args, [x.object for x in let.args])


def part_of(x: tuple[Status, ...], a: Product, params: dict[str, Any]) -> Status:
    """The status of the part of a tuple or record that is read; where the value may be of another class, of them
    all."""
    at = params["index"] if "index" in params else a.names.index(params["name"])  # type: ignore[attr-defined]
    return x[at] if len(x) == len(a.parts) else flat(x)


def by_parts(p: Primitive, params: dict[str, Any], args: Sequence[Status], objects: Sequence[Object]) -> Status:
    """The status of what moves whole values, for each part of these on its own."""
    if all([type(x) is int for x in args]):
        return of_primitive(p, params, args, objects)  # type: ignore[arg-type]
    sizes = {len(x) for x in args if isinstance(x, tuple)}
    if len(sizes) == 1:
        parts = [[x[i] if isinstance(x, tuple) else x for x in args] for i in range(sizes.pop())]
        return tuple([by_parts(p, params, part, objects) for part in parts])
    functions = [x for x in args if isinstance(x, frozenset)]
    if functions:
        return frozenset[Closure]().union(*functions)
    return of_primitive(p, params, [flat(x) for x in args], objects)


def of_primitive(p: Primitive, params: dict[str, Any], args: Sequence[int], objects: Sequence[Object]) -> int:
    """The status of what a primitive gives, by what it says of itself."""
    if args and max(args) >= WILD:
        return max(args)
    if p.bounds == NOTHING:
        return ZERO
    read = [i for i in range(len(args)) if i not in p.sizes]
    moving, zero = [i for i in read if args[i] & LINEAR], [i for i, x in enumerate(args) if x == ZERO]
    linear = p.linear_of(params)
    if not moving:
        return ZERO if any(all(i in zero for i in group) for group in linear.groups(len(args))) else CONSTANT
    if any(args[i] == OTHER for i in moving):
        chosen = p.work != ENTRIES and any(is_discrete(objects[i]) for i in moving)
        return WILD if chosen else OTHER
    claims = p.program is not None or (p.memory is FOREIGN and p.work == CALL)
    return LINEAR if claims or linear.holds(moving, zero, len(args)) else OTHER


# -- blocks ------------------------------------------------------------------------------------------------------------

Statuses = dict[Var, Status]


class _Reading:
    """A walk through a program on statuses, repeated until what its functions give stays."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.free: dict[int, list[Var]] = {}
        self.given: dict[Any, list[Status]] = {}
        self.entered = set[Any]()
        self.kept: dict[Let, tuple[Status, ...]] = {}
        self.last: Statuses = {}
        self.awaited: Statuses = {}
        self.changed = False

    def mistake(self, blocks: Sequence[Block]) -> Mistake | None:
        """The first claim of some blocks that does not hold."""
        top = self.program.block
        own = top.claim.of if top.claim is not None and top in blocks else ()
        env: Statuses = {}
        while True:
            self.changed = False
            self.entered.clear()
            self.awaited.clear()
            env = {param: LINEAR if param in own else CONSTANT for param in top.params}
            self.last.update(env)
            self.run(top, env)
            for block in blocks:
                if block is not top:
                    self.linear(block, env)
            late = any(self.last.get(var, ZERO) != x for var, x in self.awaited.items())
            if not self.changed and not late:
                break
        return next(filter(None, map(self.wrong, blocks)), None)

    def linear(self, block: Block, env: Statuses) -> None:
        """Run the body of a function at the parameters of its claim."""
        assert block.claim is not None
        inside = dict(env)
        self.bind(inside, block.params, [LINEAR if p in block.claim.of else CONSTANT for p in block.params])
        self.run(block, inside)

    def wrong(self, block: Block) -> Mistake | None:
        """What a claimed block gives that is not linear."""
        assert block.claim is not None
        results = leaves(self.program.result if block is self.program.block else block.tree)
        for atom in results if block is self.program.block or block.tree is not None else block.results:
            x = self.last.get(atom, CONSTANT) if isinstance(atom, Var) else of_constant(getattr(atom, "value", None))
            if flat(x) in (CONSTANT, OTHER, WILD) and not is_discrete(atom.object):
                return self.explained(atom, flat(x), ", ".join([f"`{p}`" for p in block.claim.of]))
        return None

    def explained(self, atom: Any, x: int, of: str) -> Mistake:
        """Where a value goes wrong."""
        if x == CONSTANT:
            let = atom.definition if isinstance(atom, Var) else None
            return Mistake(f"`{{}}` is added to what is linear in {of}", let, atom)
        seen, todo = set[Any](), [atom]
        let, about = None, atom
        while todo:
            here = todo.pop()
            if not isinstance(here, Var) or here in seen or not flat(self.last.get(here, ZERO)) & CONSTANT:
                continue
            seen.add(here)
            if not moves(self.last[here]) or here.definition is None:
                continue
            let, about = here.definition, here
            todo += [a for a in let.args if isinstance(a, Var) and flat(self.last.get(a, ZERO)) in (OTHER, WILD)]
        return Mistake(f"`{{}}` is not linear in {of}", let, about)

    # -- lets ----------------------------------------------------------------------------------------------------------

    def bind(self, env: Statuses, variables: Sequence[Var], statuses: Sequence[Status]) -> None:
        for var, x in zip(variables, statuses, strict=True):
            env[var] = self.last[var] = x

    def value(self, env: Statuses, atom: Any) -> Status:
        if not isinstance(atom, Var):
            return of_constant(atom.value) if isinstance(atom, Lit) else CONSTANT
        found = env.get(atom)
        if found is None:  # bound behind the function that reads it
            found = self.awaited[atom] = self.last.get(atom, ZERO)
        return found

    def run(self, block: Block, env: Statuses) -> list[Status]:
        """The statuses of what a block gives."""
        for let in block.lets:
            self.bind(env, let.targets, self.let(let, env))
        return [self.value(env, atom) for atom in block.results]

    def let(self, let: Let, env: Statuses) -> Sequence[Status]:
        op = let.op
        args = [self.value(env, a) for a in let.args]
        match op:
            case Apply():
                return [applied(let, args)]
            case Branch():
                return self.branch(op, args[0], env)
            case Loop():
                return self.loop(op, args, env)
            case While():
                return self.repeated(op, args, env)
            case Lambda():
                return [self.closure(let, env)]
            case Call():
                return self.call(let, args)
            case _:
                return [UNKNOWN] * len(let.targets)

    def branch(self, op: Branch, test: Status, env: Statuses) -> list[Status]:
        then, orelse = self.run(op.then, env), self.run(op.orelse, env)
        return [max(WILD, flat(test))] * len(then) if moves(test) else list(map(join, then, orelse))

    def loop(self, op: Loop, args: list[Status], env: Statuses) -> list[Status]:
        carried, along = args[: op.carries], args[op.carries :]
        results = self.stable(op.body, carried, along, env)
        runs = max([flat(x) for x in along if not isinstance(x, frozenset)], default=CONSTANT)
        return [runs] * len(results) if runs >= WILD else [*carried, *results[op.carries :]]

    def repeated(self, op: While, args: list[Status], env: Statuses) -> list[Status]:
        carried = list(args)
        results = self.stable(op.body, carried, [], env)
        self.bind(env, op.test.params, carried)
        (test,) = self.run(op.test, env)
        return [max(WILD, flat(test))] * len(results) if moves(test) else [*carried, *results[len(carried) :]]

    def stable(self, body: Block, carried: list[Status], along: list[Status], env: Statuses) -> list[Status]:
        """What a body gives when what it carries stays; `carried` becomes that."""
        while True:
            self.bind(env, body.params, [*carried, *along])
            results = self.run(body, env)
            after = list(map(join, carried, results[: len(carried)]))
            if after == carried:
                return results
            carried[:] = after

    # -- functions -----------------------------------------------------------------------------------------------------

    def captured(self, let: Let) -> list[Var]:
        """What a function reads of the blocks around it, but for itself."""
        return [var for var in free_variables(let.op.blocks[0], self.free) if var is not let.targets[0]]

    def closure(self, let: Let, env: Statuses) -> Status:
        captured = tuple([self.value(env, var) for var in self.captured(let)])
        self.keep(let, captured)
        return shallow(frozenset({Closure(let, captured)}))

    def keep(self, let: Let, captured: tuple[Status, ...]) -> None:
        """Join what a let captures to what it was found to capture before."""
        captured = tuple([shallow(x, 0) if isinstance(x, frozenset) else shallow(x, 1) for x in captured])
        before = self.kept.get(let)
        after = captured if before is None else tuple(map(join, before, captured))
        if after != before:
            self.kept[let] = after
            self.changed = True

    def call(self, let: Let, args: list[Status]) -> Sequence[Status]:
        function, *given = args
        count = len(let.targets)
        if not isinstance(function, frozenset):  # zero: it was not met yet
            return [ZERO if function == ZERO else UNKNOWN if any(map(moves, args)) else CONSTANT] * count
        found: list[Status] = [ZERO] * count
        for closure in sorted(function, key=lambda c: c.let.targets[0].name):
            found = list(map(join, found, self.activation(closure, tuple(given), count)))
        return found

    def activation(self, closure: Closure, args: tuple[Status, ...], count: int) -> list[Status]:
        """What a function gives at some arguments: what it was found to give, in another call or the walk before."""
        key = closure, args
        if key in self.entered:
            return self.given.get(key) or [ZERO] * count
        if len(self.entered) > DEEP:
            return [UNKNOWN] * count
        self.entered.add(key)
        let, body = closure.let, closure.let.op.blocks[0]
        captured = self.kept[let] if closure.captured is None else closure.captured
        env = dict(zip(self.captured(let), captured, strict=True))
        env[let.targets[0]] = frozenset({closure})
        self.bind(env, body.params, args)
        found = self.run(body, env)
        before = self.given.get(key) or [ZERO] * count
        found = list(map(join, before, found))
        if found != before:
            self.given[key] = found
            self.changed = True
        return found
