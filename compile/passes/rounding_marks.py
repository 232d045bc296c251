"""Marks where a program rounds: the derivative in a parameter of their own adds up how much of it reaches the result.

    y = p(x)      becomes      t = p(x); y = rounded(t, e)
    d/de          becomes      sum over roundings of |dresult/dy| |y|

Every operation on real numbers is marked, but those that give one of their numbers, move it or turn its sign. A sum of
an array, in whatever order, is off by as much as if each number were off by a place for each of them. Of what else
takes arrays apart nothing is known, and it is refused.

>>> from ccc.compile.frontend.elaborate import program_of
>>> from ccc.compile.program.pretty import program_text
>>> program = program_of(lambda x, y: -x * y, (3.0, 2.0))
>>> e = with_rounding_marks(program, Roundings())
>>> print(program_text(program))
λ x:R, y:R, rounding:R.
  t = -x
  t2 = t * y
  t3 = t2
  t3
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ccc.categories.layered import STILL
from ccc.compile.program.lam import (
    Apply,
    Atom,
    Block,
    Branch,
    Call,
    Let,
    Lit,
    Loop,
    Program,
    Var,
    While,
    blocks_in,
    leaves,
)
from ccc.errors import MissingMeaning
from ccc.objects import REAL, Array, List, Product, Real, is_discrete
from ccc.primitives import arithmetic, shaping
from ccc.primitives.facts import ENTRIES
from ccc.primitives.primitive import Primitive, elementwise
from ccc.primitives.roundings import narrowed, rounded
from ccc.values import value


@value()
class Roundings:
    """What is rounded to a format, and by how much: functions other than `+ - * /` by so many times half a unit in the
    last place; arguments by half a unit, where these are; and literals to the format from what they are, or from the
    decimals that are written."""

    format: str = "float64"
    functions: float = 8.0
    arguments: bool = False
    decimals: bool = False

    @property
    def unit(self) -> float:
        """By how much a number may be off, for its size."""
        return float(np.finfo(self.format).eps) / 2.0

    @property
    def least(self) -> float:
        """By how much any number may be off, in units: half of what is between the least."""
        return float(np.finfo(self.format).smallest_subnormal) / self.unit / 2.0

    def off(self, x: Any) -> float:
        """By how many units of 1 a literal is off.

        >>> Roundings().off(0.1), Roundings("float32").off(0.5), Roundings("float16", decimals=True).off(0.1) < 0.06
        (0.0, 0.0, True)
        """
        if type(x) is not float or not math.isfinite(x):
            return 0.0
        kept = float(np.dtype(self.format).type(x))
        exact = Fraction(repr(x)) if self.decimals else Fraction(x)
        off = abs(exact - Fraction(kept)) / Fraction(self.unit) if math.isfinite(kept) else Fraction(0)
        return math.nextafter(float(off), math.inf) if off else 0.0


def with_rounding_marks(program: Program, roundings: Roundings, given: int | None = None) -> Var:
    """Put the marks, in place; gives the parameter that counts, which is the last one of the program. So many
    parameters are given, all if nothing is said; the others are numbers that it reads from outside.

    Raises `MissingMeaning` at an operation of which it is not known how it rounds.
    """
    parts = [[x for x in leaves(tree) if of_reals(x)] for _, tree in program.params]
    count = len(parts) if given is None else given
    rounds = [roundings.arguments] * count + [roundings.arguments or roundings.format != "float64"] * len(parts)
    e = program.block.param("rounding", REAL)
    program.params.append(("rounding", e))
    marking = Marking(e, roundings)
    rewritten(program, marking)
    first: list[Let] = []
    for found, needed in zip(parts, rounds, strict=False):
        for x in found if needed else ():
            marking.argument(program, x, first, marking.mark(1.0))
    program.block.lets[:0] = first
    return e


def with_variable_marks(program: Program, format: str) -> dict[str, Var]:
    """Mark the numbers that the program gives names, in place: a parameter for each name counts what is lost where
    these are of a narrower format; these come last.
    """
    given = [(x, x.name) for _, tree in program.params for x in leaves(tree) if of_reals(x)]
    marking = Naming(program, format)
    rewritten(program, marking)
    first: list[Let] = []
    for x, name in given:
        marking.argument(program, x, first, marking.mark_of(name))
    program.block.lets[:0] = first
    return marking.counts


def rewritten(program: Program, marking: Marking | Naming) -> None:
    """Write the lets of all blocks again."""
    for block in blocks_in(program.block):
        lets, block.lets = block.lets, []
        for let in lets:
            marking.let(let, block)
        block.results = [marking.literal(x, block) for x in block.results]
    program.result = marking.literal(program.result, program.block)


def of_reals(x: Any) -> bool:
    """Whether it is a real number or an array of some."""
    return isinstance(x.object, Real) or (isinstance(x.object, Array) and not is_discrete(x.object))


Mark = Callable[[Atom], Let]
"""The let that marks a number or array, whose target is still to be named."""


class Writing:
    """A walk that writes the lets of blocks again, with marks."""

    def literal(self, x: Any, block: Block) -> Any:
        """What stands for a literal."""
        return x

    def result(self, let: Let, at: int, block: Block, mark: Mark) -> None:
        """The mark of a result, which takes its variable."""
        y = let.targets[at]
        before = Var("", y.object, block, let)
        let.targets[at] = before
        after = mark(before)
        after.targets.append(y)
        y.definition = after
        block.lets.append(after)

    def argument(self, program: Program, x: Var, lets: list[Let], mark: Mark) -> None:
        """The mark of an argument, which takes its variable; another one is the parameter."""
        param = self.parameter(program.block, x, lets, mark)
        program.params = [(name, replaced(tree, x, param)) for name, tree in program.params]

    def parameter(self, block: Block, x: Var, lets: list[Let], mark: Mark) -> Var:
        """The mark of a parameter of a block, which takes its variable; gives the parameter that stands there now."""
        param = Var(x.name, x.object, block)
        block.params[block.params.index(x)] = param
        after = mark(param)
        after.targets.append(x)
        x.definition = after
        lets.append(after)
        return param

    def written(self, x: Atom, block: Block, mark: Mark) -> Var:
        """A number or array behind its mark."""
        let = mark(x)
        block.lets.append(let)
        return let.target("", x.object, block)


class Marking(Writing):
    """Marks of what rounds."""

    def __init__(self, e: Var, roundings: Roundings) -> None:
        self.e, self.roundings = e, roundings

    def let(self, let: Let, block: Block) -> None:
        """A let, and what marks its arguments or its result."""
        let.args = [self.literal(a, block) for a in let.args]
        block.lets.append(let)
        if not isinstance(let.op, Apply) or is_discrete(let.targets[0].object):
            return
        p, params = let.op.primitive, let.op.params
        if p.work in STILL or p.chooses:
            return
        if p.work == ENTRIES and goes_by_items(let) and of_reals(let.targets[0]):
            places = self.places(p, params, let.args)
            if places is not None:
                self.result(let, 0, block, self.mark(places))
            return
        groups = p.linear_of(params).groups(len(let.args))
        one = len(groups) == 1 or (len(groups) == 2 and isinstance(let.targets[0].object, Real))
        arrays = [i for i in groups[0] if isinstance(let.args[i].object, Array)] if groups and p.adding and one else []
        if not arrays:
            raise MissingMeaning(f"how `{p.name}` rounds is not known", "write a loop of operations on numbers").at(
                let.span)
        block.lets.pop()
        for i in arrays:
            let.args[i] = self.written(let.args[i], block, self.mark(1.0, self.times_size(let.args[i], block)))
        block.lets.append(let)

    def places(self, p: Primitive, params: dict[str, Any], args: list[Atom]) -> float | None:
        """By how many units the result of an elementwise operation is off; None where it is always exact."""
        linear = p.linear_of(params).arguments(len(args))
        moving = [i for i, a in enumerate(args) if not isinstance(a, Lit)]
        if not linear:
            return self.roundings.functions
        factor = scale(p, params, args) if len(moving) == 1 and moving[0] in linear else 0.0
        if factor:
            return None if factor == 1.0 else 0.0
        return self.roundings.functions if len(args) == 1 else 1.0

    def times_size(self, x: Atom, block: Block) -> Var:
        """The unit of what is added up: so many times as large as there are numbers."""
        size = Let(Apply(shaping.size, {}), [x])
        count = Let(Apply(arithmetic.mul, {}), [self.e, size.target("", shaping.size.type_of((x.object,), {}), block)])
        block.lets += [size, count]
        return count.target("", REAL, block)

    def literal(self, x: Any, block: Block) -> Any:
        """A literal behind its mark, where the format does not have it; else what is given."""
        off = self.roundings.off(x.value) if isinstance(x, Lit) and isinstance(x.object, Real) else 0.0
        return self.written(x, block, self.mark(0.0, least=off)) if off else x

    def mark(self, places: float, e: Var | None = None, least: float | None = None) -> Mark:
        """The mark of what is off by so many units."""
        params = {"places": places, "least": self.roundings.least * max(places, 1.0) if least is None else least}
        return lambda x: Let(Apply(rounded, dict(params)), [x, self.e if e is None else e])


class Naming(Writing):
    """Marks of what has names: what is computed, chosen, or put into an array under one."""

    def __init__(self, program: Program, format: str) -> None:
        self.program, self.format = program, format
        self.counts: dict[str, Var] = {}

    def mark_of(self, name: str) -> Mark:
        """The mark of a variable of this name."""
        if name not in self.counts:
            e = self.counts[name] = self.program.block.param(name, REAL)
            self.program.params.append((f"of {name}", e))
        return lambda x: Let(Apply(narrowed, {"format": self.format}), [x, self.counts[name]])

    def carried(self, body: Block, carries: int) -> None:
        """The marks of what a loop carries under a name and computes under another one."""
        first: list[Let] = []
        for x, after in zip(body.params[:carries], body.results[:carries], strict=True):
            other = isinstance(after, Var) and after is not x and after.name not in ("", x.name)
            if other and x.name.isidentifier() and of_reals(x):
                self.parameter(body, x, first, self.mark_of(x.name))
        body.lets[:0] = first

    def let(self, let: Let, block: Block) -> None:
        """A let, and what marks its results, or what it puts into an array."""
        moves = isinstance(let.op, Apply) and let.op.primitive.work in STILL
        names = [y.name if of_reals(y) and y.name.isidentifier() else "" for y in let.targets]
        if moves and names[0]:
            for i, x in enumerate(let.args):
                if i and isinstance(x, Var) and of_reals(x) and not x.name:
                    let.args[i] = self.written(x, block, self.mark_of(names[0]))
        block.lets.append(let)
        if isinstance(let.op, Loop | While):
            self.carried(let.op.body, len(let.op.body.params) if isinstance(let.op, While) else let.op.carries)
        for i, name in enumerate(names):
            chosen = isinstance(let.op, Branch) and name not in [
                getattr(arm.results[i], "name", "") for arm in let.op.blocks]
            if name and not moves and (isinstance(let.op, (Apply, Call)) or chosen):
                self.result(let, i, block, self.mark_of(name))


def replaced(tree: Any, x: Var, by: Var) -> Any:
    """A tree of parameters with another one in the place of one."""
    if isinstance(tree, tuple):
        return type(tree)(replaced(part, x, by) for part in tree)
    return by if tree is x else tree


def goes_by_items(let: Let) -> bool:
    """Whether each number of a result is made of one number of each argument."""
    objects = [x.object for x in (*let.args, *let.targets)]
    return let.application.primitive.type_rule is elementwise or not any(
        isinstance(a, (Array, List, Product)) for a in objects)


def scale(p: Primitive, params: dict[str, Any], args: list[Atom]) -> float:
    """The power of two that the one number is multiplied by which is not known, without its sign; else 0.

    >>> scale(arithmetic.mul, {}, [Var("x", REAL), Lit(-2.0, REAL)]), scale(arithmetic.neg, {}, [Var("x", REAL)])
    (2.0, 1.0)
    """
    zero, one = [p.value(*[a.value if isinstance(a, Lit) else x for a in args], **params) for x in (0.0, 1.0)]
    return abs(one) if isinstance(one, (int, float)) and zero == 0 and abs(math.frexp(one)[0]) == 0.5 else 0.0
