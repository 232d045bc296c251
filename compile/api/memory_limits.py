"""Derivatives in bounded memory: loops whose tapes would take more run again in segments, from the states between.

    for x in xs from s:  body                   keeps what each run has computed: n runs of it

    for k in range(0, n, size) from s:          keeps a state for each segment, n / size of them,
        for x in xs[k : k + size] from s:       and on the way back what the runs of one segment have computed,
            body                                after they ran again

A segment is a checkpoint, and may have segments itself where that is not enough: each level computes the runs once
more. With states of c bytes and t bytes kept by a run, n c / size + size t is least at size = sqrt(n c / t). How many
bytes there are is known from the sizes in the call that code is made for, so these are a condition of the code.

Source: Griewank, *Achieving logarithmic growth of temporal and spatial complexity in reverse automatic differentiation*
(1992); Chen, Xu, Zhang, Guestrin, *Training deep nets with sublinear memory cost* (2016).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ccc.categories.rules import Checkpoint
from ccc.compile.api.loop_tapes import Bytes
from ccc.compile.diagnostics import WrongArguments
from ccc.compile.frontend.on_host import OnHost
from ccc.compile.frontend.standing import one_object
from ccc.compile.passes.improve import improve
from ccc.compile.passes.inline_program_primitives import substitute
from ccc.compile.passes.inlining import copy_of_program
from ccc.compile.program.facts import shapes_of
from ccc.compile.program.lam import (
    Absent,
    Apply,
    Atom,
    Block,
    BlockKind,
    Let,
    Lit,
    Loop,
    Program,
    Var,
    While,
    free_variables,
    lets_in,
)
from ccc.compile.program.raises import may_raise
from ccc.compile.program.shapes import assumed_in
from ccc.compile.terms.abstract import abstract
from ccc.compile.terms.plan import Plan, derived
from ccc.objects import INT, Array, Bool, Int, List, Real
from ccc.primitives import arithmetic, indexing, structure
from ccc.primitives.primitive import Primitive, blurred
from ccc.primitives.registry import BY_NAME

FEWEST = 4
"""A loop of fewer runs is no use to part."""
BESIDE = 3
"""On each level so many states more are held: that which a segment came to, and cotangents."""
LEVELS = 6
"""Segments stand within each other so deep, at most: each level computes the runs once more."""


def within(plan: Plan, program: Program, limit: int, args: Sequence[Any]) -> str:
    """Part the loops of a program in place, so that what the loops of its derivative keep takes no more than so many
    bytes at these arguments; what was done is told.

    Raises `WrongArguments` where the loops that can be parted do not suffice.
    """
    kept, total, known = kept_by_runs(plan, program, args)
    beside = "" if known else ", beside what is not known before it runs"
    if total <= limit:
        return f"loops keep {total:,} bytes, memory_limit={limit:,}{beside}"
    program.assumed = assumed_in(program, args)
    work = Bytes(shapes_of(program))
    program.assumed = None
    loops = [found for let in program.block.lets if (found := measured(let, kept.get(let, 0), work)) is not None]
    fixed = total - sum(loop.runs * loop.tape for loop in loops)
    room = limit - fixed
    parted = sum(loop.runs * loop.tape for loop in loops)
    for loop in loops:
        loop.sizes = sizes(loop, room * loop.runs * loop.tape // max(parted, 1)) if room > 0 else None
    if not loops or any(loop.sizes is None for loop in loops):
        least = fixed + sum(loop.least() for loop in loops)
        raise WrongArguments(f"what loops keep for the derivative takes {total:,} bytes, and {least:,} at least by "
                             f"checkpoints, which is more than memory_limit={limit:,}",
                             help=f"write memory_limit={2 * least}")
    for loop in loops:
        segmented(program.block, loop.let, loop.sizes or [])
    parts = [f"\n{loop.runs} runs in segments of {', '.join(map(str, loop.sizes))}" for loop in loops if loop.sizes]
    return f"loops would keep {total:,} bytes, memory_limit={limit:,}{beside}{''.join(parts)}"


@dataclass
class Measured:
    """A loop, how many runs it has, and the bytes of a state and of what a run keeps; the sizes of segments, the
    outermost first."""

    let: Let
    runs: int
    state: int
    tape: int
    sizes: list[int] | None = None

    def ways(self) -> Iterator[tuple[int, list[int]]]:
        """How many bytes segments of some sizes need: a state for each that stands within another, and at the end what
        the runs of the innermost keep; with fewer levels first."""
        for levels in range(1, LEVELS + 1):
            for last in innermost(self.runs):
                each = max(2, math.ceil((self.runs / last) ** (1.0 / levels)))
                found = [last]
                for _ in range(levels - 1):
                    found.insert(0, found[0] * each)
                within_each = [math.ceil(a / b) for a, b in zip([self.runs, *found], found, strict=False)]
                if min(within_each) > 1:
                    yield (sum(within_each) + BESIDE * levels) * self.state + last * self.tape, found

    def least(self) -> int:
        """The fewest bytes that segments need."""
        return min([need for need, _ in self.ways()], default=self.runs * self.tape)


def innermost(runs: int) -> list[int]:
    """Sizes of segments to try: each a quarter more than the one before."""
    found = [1]
    while found[-1] * 2 <= runs:
        found.append(max(found[-1] + 1, found[-1] * 5 // 4))
    return found


def sizes(loop: Measured, room: int) -> list[int] | None:
    """The sizes of segments with which a loop keeps no more than so many bytes, in as few levels as that takes; None
    where no sizes do."""
    if loop.runs * loop.tape <= room:
        return []
    fits = [(len(found), need, found) for need, found in loop.ways() if need <= room]
    return min(fits)[2] if fits else None


def kept_by_runs(plan: Plan, program: Program, args: Sequence[Any]) -> tuple[dict[Let, int], int, bool]:
    """The bytes that the derivatives of the loops of a program keep for loops that run along, those of all, and whether
    these are known of all."""
    found = derived(plan, copy_of_program(program))
    found.assumed = assumed_in(found, args)
    improve(found, plan.staged)
    loops = [(let, let.op) for let in found.block.lets if isinstance(let.op, Loop)]
    read = {a for let, op in loops for a in let.args[op.carries :]}
    work = Bytes(shapes_of(found))
    of = {let: steps for let in program.block.lets if isinstance(let.op, Loop) and (steps := steps_of(let))}
    kept: dict[Let, int] = {}
    total = 0
    known = not any(isinstance(let.op, While) and len(let.targets) > let.op.carries for let in found.block.lets)
    for let, op in loops:
        counts = [work.of(v, let) for v in let.targets[op.carries :] if v in read]
        count, steps = sum(one.most for one in counts if one is not None), steps_of(let)
        total, known = total + count, known and None not in counts
        source = max(of, key=lambda one: len(of[one] & steps), default=None)
        if source is not None and of[source] & steps:
            kept[source] = kept.get(source, 0) + count
    return kept, total, known


def steps_of(let: Let) -> set[Any]:
    """Where the steps of a loop stand."""
    return {one.span for one in lets_in(let.op.blocks[0]) if one.span is not None}


def measured(let: Let, kept: int, work: Bytes) -> Measured | None:
    """What is known of a loop that can be parted; None of another one."""
    op = let.op
    if not isinstance(op, Loop) or op.reverse or len(let.targets) != op.carries or not kept:
        return None
    inits, sequences = let.args[: op.carries], let.args[op.carries :]
    free = free_variables(op.body, {})
    if not all(map(plain, [*op.body.params[: op.carries], *free])) or any(map(is_absent, inits)):
        return None
    lets = lets_in(op.body)
    if not all(map(cuttable, sequences)) or any(
            isinstance(one.op, Apply) and (one.op.primitive.effect or one.op.primitive.draws) for one in lets):
        return None
    runs = min([found.most for xs in sequences if (found := work.runs(xs)) is not None], default=0)
    states = [work.of(x, x.definition if isinstance(x, Var) else None) for x in inits]
    if runs < FEWEST or None in states:
        return None
    return Measured(let, runs, max(8, sum(found.most for found in states if found is not None)),
                    max(1, -(-kept // runs)))


def plain(x: Var) -> bool:
    """Whether a variable is a number or an array of a known rank."""
    a = x.object
    return isinstance(a, (Real, Int, Bool)) or (isinstance(a, Array) and a.axes is not None)


def is_absent(x: Atom) -> bool:
    return isinstance(x, Lit) and isinstance(x.value, Absent)


def made(xs: Atom) -> tuple[Primitive | None, list[Atom]]:
    """The primitive that made a sequence, and its arguments."""
    let = xs.definition if isinstance(xs, Var) else None
    return (let.op.primitive, let.args) if let is not None and isinstance(let.op, Apply) else (None, [])


def cuttable(xs: Atom) -> bool:
    """Whether the items of a sequence are a range, or rows of an array."""
    primitive, args = made(xs)
    if primitive is structure.rows:
        return isinstance(args[0], Var) and isinstance(xs.object, List)
    return primitive is structure.span and (len(args) < 3 or isinstance(args[2], Lit))


def call(home: Block, primitive: Primitive, args: Sequence[Atom], a: Any, span: Any, **params: Any) -> Var:
    """A let of a primitive behind those of a block, and its result."""
    let = Let(Apply(primitive, params), list(args), span)
    home.lets.append(let)
    return let.target("", a, home)


def segmented(home: Block, let: Let, parts: Sequence[int]) -> None:
    """Let a loop of a block run in segments, each of which is a checkpoint."""
    if not parts:
        return
    op, at, span = let.op, home.lets.index(let), let.span
    assert isinstance(op, Loop)
    before, after = home.lets[:at], home.lets[at + 1 :]
    home.lets = before
    inits, sequences = let.args[: op.carries], let.args[op.carries :]
    counts = [call(home, structure.length, [xs], INT, span) for xs in sequences]
    n = counts[0]
    for other in counts[1:]:
        n = call(home, BY_NAME["min"], [n, other], INT, span)
    size = Lit(parts[0], INT)
    starts = call(home, structure.span, [Lit(0, INT), n, size], List(INT), span)
    body = Block(BlockKind.LOOP, home)
    states = [body.param(x.name, x.object) for x in op.body.params[: op.carries]]
    start = body.param("", INT)
    end = call(body, BY_NAME["min"], [call(body, arithmetic.add, [start, size], INT, span), n], INT, span)
    given: list[Var] = [*states, start, end]
    for xs in sequences:
        primitive, (cut, *_) = made(xs)
        if primitive is structure.rows:
            a = indexing.index.type_of((cut.object, INT, INT), {"pattern": ("s12",)})
            given.append(call(body, indexing.index, [cut, start, end], a, span, pattern=("s12",)))
    ends = [v for xs in sequences if made(xs)[0] is structure.span for v in made(xs)[1] if isinstance(v, Var)]
    captured = [v for v in dict.fromkeys([*free_variables(op.body, {}), *ends]) if v not in given]
    primitive, several = checkpoint_of(let, given, captured, parts[1:])
    one = call(body, primitive, [*given, *captured], one_object([x.object for x in states]), span)
    body.results = [call(body, structure.part, [one], x.object, span, index=i) for i, x in enumerate(states)
                    ] if several else [one]
    let.op, let.args = Loop(body, op.carries, False), [*inits, starts]
    body.owner = let
    home.lets = [*home.lets, let, *after]


def checkpoint_of(let: Let, given: list[Var], captured: list[Var], parts: Sequence[int]) -> tuple[Primitive, bool]:
    """A segment of a loop as a primitive, and whether it gives several results: of the states, where it begins and
    ends, the rows that it runs along, and what the body captures."""
    op, span = let.op, let.span
    assert isinstance(op, Loop)
    block = Block(BlockKind.FUNCTION)
    same: dict[Var, Atom] = {v: block.param(v.name, v.object) for v in [*given, *captured]}
    states, (start, end), rows = [*block.params[: op.carries]], block.params[op.carries : op.carries + 2], iter(
        block.params[op.carries + 2 :])
    along: list[Atom] = []
    for xs in let.args[op.carries :]:
        primitive, args = made(xs)
        if primitive is structure.rows:
            along.append(call(block, structure.rows, [next(rows)], xs.object, span))
        else:
            numbers = [same[v] if isinstance(v, Var) else v for v in args]
            along.append(part_of_range(block, numbers, start, end, span))
    inner = Let(Loop(op.body, op.carries, False), [*states, *along], span)
    op.body.parent = block
    block.lets.append(inner)
    targets = [inner.target(x.name, x.object, block) for x in op.body.params[: op.carries]]
    block.results = list(targets)
    program = Program("segment", [(v.name, v) for v in block.params], block, targets[0] if len(targets) == 1 else tuple(
        targets))
    substitute(program, same)
    raises = any(map(may_raise, lets_in(block)))
    segmented(block, inner, parts)
    checkpoint = Checkpoint(abstract(program), [x.object for x in targets])
    checkpoint.raises = raises
    params = [v.object for v in block.params]
    one = one_object([x.object for x in targets])
    primitive = Primitive(
        "segment", OnHost(checkpoint, params, True),
        lambda p, args, params_: one if list(args) == params else blurred(one, args),
        lambda *xs: f"segment({', '.join(xs)})", exact=True, program=checkpoint,
    )
    return primitive, len(targets) > 1


def part_of_range(block: Block, numbers: list[Atom], start: Var, end: Var, span: Any) -> Var:
    """The items of a range from one place to another."""
    first = numbers[0] if len(numbers) > 1 else Lit(0, INT)
    step = numbers[2] if len(numbers) > 2 else Lit(1, INT)

    def place(k: Var) -> Var:
        moved = call(block, arithmetic.mul, [k, step], INT, span)
        return call(block, arithmetic.add, [first, moved], INT, span)

    return call(block, structure.span, [place(start), place(end), step], List(INT), span)
