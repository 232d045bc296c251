"""Derivatives that get lost: a real number that depends on an input goes through `int` back into a real result.

    float(int(x)) + 2, int(x)      refused: the derivative of `int` is zero wherever there is one, which is seldom meant
    xs[int(x)], range(int(x)), x if int(x) > 2 else 0.0        an index, a length, a choice: nothing is lost

    rng.poisson(x)                 refused: an integer that is drawn moves with x in jumps, and its mean does not

What is wanted is said by `without_derivative(int(x))`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ccc.compile.diagnostics import UnsupportedPython, unsupported
from ccc.compile.program.lam import (
    Apply,
    Branch,
    Call,
    Lambda,
    Let,
    Loop,
    Program,
    Var,
    While,
    joined_from,
    leaves,
    lets_in,
)
from ccc.compile.program.sharing import memory_of
from ccc.compile.terms.wanted import Part, known, text_of as text_of_part
from ccc.objects import Bool, Coproduct, Int, List, Map, Product, Real, is_discrete
from ccc.primitives import arithmetic, barriers
from ccc.primitives.facts import ENTRIES
from ccc.primitives.primitive import Primitive, elementwise


def refuse_lost(program: Program, wrt: Sequence[Part]) -> None:
    """Refuse a program whose derivative gets lost on the way to its result."""
    lets = [let for let in lets_in(program.block) if isinstance(let.op, Apply)]
    drawn = [found for let in lets for found in drawn_in(let)]
    if not drawn and not any(let.application.primitive is arithmetic.to_int for let in lets):
        return
    found = Flow(program, wrt)
    for atom, let, name in drawn:
        if atom in found.active:
            raise jumping(let, name, found.active[atom])
    alone = [program.result] if program.result in found.lost else []
    for var in [*alone, *found.reaching(program)]:
        let, name = found.lost[var]
        raise unsupported(
            "CC023", "derivative lost: `int` has no derivative and its result reaches the output", let.span,
            f"it depends on `{name}`",
            help=f"if a zero derivative is meant, write ccc.without_derivative({text_of(let.span)})")


def jumping(let: Let, name: str, of: str) -> UnsupportedPython:
    """The refusal of a draw of integers that depends on what moves."""
    method = let.application.params["method"]
    return unsupported(
        "CC023", f"derivative lost: `{method}` draws integers, which have no derivative in `{name}`", let.span,
        f"it depends on `{of}`", "a mean may have one: sum over the integers, or use a score",
        help=f"if a zero derivative is meant, write ccc.without_derivative(...) of `{name}`")


def drawn_in(let: Let) -> Iterator[tuple[Any, Let, str]]:
    """The real arguments of a draw of integers, each with the draw and what it is called; of a body that stands for a
    primitive, those of the primitive."""
    p = let.application.primitive
    if not p.draws:
        return
    from ccc.primitives.drawing import draw, names_in

    if p is draw and is_discrete(let.targets[0].object):
        for name, atom in zip(names_in(let.application.params["form"]), let.args[1:], strict=True):
            if isinstance(atom, Var) and not is_discrete(atom.object):
                yield atom, let, name
    elif p.program is not None:
        for i, inner, name in p.program.jumps:
            yield let.args[i], inner, name


def jumps_of(program: Program) -> list[tuple[int, Let, str]]:
    """The parameters of a body that draws of integers in it depend on, each with the draw and what it is called there.
    """
    found = [each for let in lets_in(program.block) if isinstance(let.op, Apply) for each in drawn_in(let)]
    if not found:
        return []
    active = [Flow(program, (Part(i),)).active for i in range(len(program.params))]
    return [(i, let, name) for i, moved in enumerate(active) for atom, let, name in found if atom in moved]


def text_of(span: Any) -> str:
    """The text of a place on one line."""
    if span is None or span.line != span.end_line or not 0 < span.line <= len(span.lines):
        return "int(...)"
    return span.lines[span.line - 1][span.column : span.end_column]


def computes(p: Primitive, let: Let) -> bool:
    """True for arithmetic: its result is computed from the values of its arguments; they choose no items."""
    numbers = all(isinstance(x.object, (Real, Int, Bool)) for x in (*let.args, *let.targets))
    return p.type_rule is elementwise or (p.work == ENTRIES and numbers)


class Flow:
    """Which variables have a derivative in the inputs, by the name of one, and which integers were made of such."""

    def __init__(self, program: Program, wrt: Sequence[Part]) -> None:
        self.active: dict[Any, str] = {}
        self.lost: dict[Any, tuple[Let, str]] = {}
        self.kept: dict[Any, list[Any]] = {}  # what lost integers were computed into, and what from
        for i, steps in wrt:
            name, tree = program.params[i]
            moving = [leaf for leaf in leaves(known(tree, steps)[0]) if not is_discrete(leaf.object)]
            self.active.update(dict.fromkeys(moving, text_of_part(name, steps)))
        size = -1
        while size != len(self.active) + len(self.lost) + len(self.kept):
            size = len(self.active) + len(self.lost) + len(self.kept)
            for let in lets_in(program.block):
                self.let(let)

    def let(self, let: Let) -> None:
        op = let.op
        if isinstance(op, Apply):
            self.apply(op, let)
        elif isinstance(op, Branch):
            for block in op.blocks:
                self.flow(block.results, let.targets)
        elif isinstance(op, (Loop, While)):
            count = op.carries
            self.flow(let.args[:count], op.body.params[:count])
            self.flow(op.body.results[:count], op.body.params[:count])
            self.flow(let.args[count:], op.body.params[count:])
            self.flow(let.args[:count], let.targets[:count])
            self.flow(op.body.results, let.targets)
            if isinstance(op, While):
                self.flow(op.body.params, op.test.params)
        elif isinstance(op, Call):
            function = let.args[0].definition if isinstance(let.args[0], Var) else None
            if function is not None and isinstance(function.op, Lambda):
                self.flow(let.args[1:], function.op.body.params)
                self.flow(function.op.body.results, let.targets)

    def flow(self, sources: Sequence[Any], targets: Sequence[Any]) -> None:
        for source, target in zip(sources, targets, strict=False):
            self.becomes(source, target)

    def becomes(self, source: Any, target: Var) -> None:
        """What is known of a value is known of another that may be it."""
        if source in self.active and not is_discrete(target.object):
            self.active.setdefault(target, self.active[source])
        if source in self.lost:
            self.lost.setdefault(target, self.lost[source])

    def apply(self, op: Apply, let: Let) -> None:
        p, target = op.primitive, let.targets[0]
        active = [a for a in let.args if a in self.active]
        if p is barriers.stop:
            return
        if p is arithmetic.to_int and active:
            self.lost.setdefault(target, (let, self.active[active[0]]))
        elif not is_discrete(target.object):
            if active and (p.pullback is not None or p.program is not None):
                self.active.setdefault(target, self.active[active[0]])
            wasted = [a for a in let.args if a in self.lost and isinstance(a.object, Int)]
            if wasted and computes(p, let):
                self.kept.setdefault(target, wasted)
        elif computes(p, let) and isinstance(target.object, Int):
            for a in let.args:
                self.becomes(a, target)
        elif (memory := memory_of(op)).passes_on:  # and so gives them again
            for i, a in enumerate(let.args):
                if memory.reaches(i):
                    self.becomes(a, target)

    def reaching(self, program: Program) -> Iterator[Any]:
        """The lost integers that real results of the program are computed from."""
        todo = [leaf for leaf in leaves(program.result) if isinstance(leaf, Var)]
        seen: set[Any] = set()
        while todo:
            var = todo.pop()
            if not isinstance(var, Var) or var in seen or not flows(var.object):
                continue
            seen.add(var)
            yield from self.kept.get(var, ())
            todo += self.sources(var)

    def sources(self, var: Var) -> list[Any]:
        """What a value is computed from, apart from tests."""
        found, let = joined_from(var), var.definition
        if found is not None or let is None:
            return found or []
        if isinstance(let.op, Apply) and let.op.primitive is barriers.stop:
            return []
        function = let.args[0].definition if isinstance(let.op, Call) and isinstance(let.args[0], Var) else None
        if function is None or not isinstance(function.op, Lambda):
            return list(let.args)
        return [*let.args, function.op.body.results[let.targets.index(var)]]


def flows(a: Any) -> bool:
    """True for values that hold real numbers."""
    inside = a.parts if isinstance(a, Product) else (a.item,) if isinstance(a, (List, Map)) else ()
    return isinstance(a, Coproduct) or not is_discrete(a) or any(map(flows, inside))
