"""Programs with numbered variables, each assigned once, as Zygote lists them, and the code of their adjoints.

    %5 = _pullback(*, %3, %2)      the value and the pullback of one step
    %6 = getindex(%5, 1)           the value
    %7 = getindex(%5, 2)           the pullback
    ...
    %8 = (@7)(%4)                  the pullback of the first block, called in the second
    %9 = gradindex(%8, 2)          the cotangent of the first argument; 1 is that of the function itself

Numbers start at 1. What branches and loops run is nested under their line, and reads the variables around it.

>>> from ccc.compile.frontend.elaborate import program_of
>>> print(Listing(program_of(lambda x: 3 * x * x + 1, (1.0,))))
1: (%1, %2)
  %3 = 3 * %2
  %4 = %3 * %2
  %5 = %4 + 1
  return %5

References: the Zygote notebook, "`Zygote.@code_ir`".
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from typing import Any

from ccc.additive import ZERO, Zero, add, parts
from ccc.arrows import Arrow, Id
from ccc.categories.reverse import Reverse
from ccc.compile.api.linear import direction
from ccc.compile.api.wrapper import Transform
from ccc.compile.diagnostics import telling
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.frontend.integers import as_read
from ccc.compile.program.deep import deeply
from ccc.compile.program.lam import (
    Apply,
    Block,
    BlockKind,
    Branch,
    Call,
    Lambda,
    Let,
    Loop,
    Program,
    Tree,
    Var,
    VarTree,
    While,
    free_variables,
    valued,
)
from ccc.compile.program.pretty import Printer
from ccc.compile.terms import derive
from ccc.compile.terms.abstract import Abstraction, environment
from ccc.denotation import functor
from ccc.directions import outline
from ccc.objects import is_discrete
from ccc.primitives.boundary import conform
from ccc.probes import materialised
from ccc.records import parts_of

Lifted = Callable[[Any], tuple[Any, Callable[[Any], Any]]]


class Listing:
    """A program with numbered variables, as text and in notebooks.

    >>> from ccc.compile.frontend.elaborate import program_of
    >>> str(Listing(program_of(lambda x: -x, (1.0,)))).splitlines()
    ['1: (%1, %2)', '  %3 = -%2', '  return %3']
    """

    def __init__(self, program: Program) -> None:
        self.text = "\n".join(Numbered().listed(program, lambda writer, let: writer.let(let, 1)))

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


class Numbered(Printer):
    """Writes programs with numbered variables; %1 is the function."""

    def __init__(self) -> None:
        super().__init__()
        self.last = 1

    def number(self) -> int:
        self.last += 1
        return self.last

    def name(self, var: Var) -> str:
        if var not in self.names:
            self.names[var] = f"%{self.number()}"
        return self.names[var]

    def listed(self, program: Program, write: Callable[[Numbered, Let], None]) -> list[str]:
        """The lines of a program, those of each let of its first block by `write`."""
        self.lines.append(f"1: ({', '.join(['%1', *[self.tree(tree) for _, tree in program.params]])})")
        for let in program.block.lets:
            write(self, let)
        self.line(1, f"return {self.tree(program.result)}")
        return self.lines

    def let(self, let: Let, depth: int) -> None:
        if let.targets or not let.op.blocks or any(block.lets for block in let.op.blocks):
            super().let(let, depth)

    def results(self, block: Block, depth: int) -> None:
        self.line(depth, "yield " + ", ".join(map(self.atom, block.results)))

    def tree(self, tree: Tree) -> str:
        return "_" if tree is None else super().tree(tree)


class Step:
    """A let of the first block: its arrow, the variables that it reads in their order, and the numbers of its value and
    its pullback."""

    def __init__(self, let: Let) -> None:
        self.let = let
        memo: dict[int, list[Var]] = {}
        inner = dict.fromkeys(v for block in let.op.blocks for v in free_variables(block, memo))
        captured = [v for v in inner if v not in let.targets]
        places = {i: Var(a.name, a.object) for i, a in enumerate(let.args) if isinstance(a, Var)}
        first = 1 if isinstance(let.op, Call) else 2
        self.arguments: list[Any] = [*let.args, *captured]
        self.read = {i + first: a for i, a in enumerate(self.arguments) if isinstance(a, Var)}
        self.lifted: Lifted = functor(Reverse(), _alone(let, places, captured))
        values = [v.object for v in let.targets], [v.object for v in self.read.values()]
        self.differentiable = all(any(not is_discrete(a) for a in objects) for objects in values)
        self.pullback = 0

    def listed(self, listing: Numbered) -> None:
        """Write the lines of the step."""
        let = self.let
        if not self.differentiable:
            listing.let(let, 1)
            return
        texts = [] if isinstance(let.op, Call) else [symbol(let)]
        texts += map(listing.atom, self.arguments)
        pair = listing.number()
        listing.line(1, f"%{pair} = _pullback({', '.join(texts)})")
        for i, block in enumerate(let.op.blocks, 1):
            listing.line(2, f"{i}: ({', '.join(map(listing.name, block.params))})")
            listing.inner(block, 2)
        if len(let.targets) == 1:
            listing.line(1, f"{listing.name(let.targets[0])} = getindex(%{pair}, 1)")
        else:
            value = listing.number()
            listing.line(1, f"%{value} = getindex(%{pair}, 1)")
            for i, target in enumerate(let.targets, 1):
                listing.line(1, f"{listing.name(target)} = getindex(%{value}, {i})")
        self.pullback = listing.number()
        listing.line(1, f"%{self.pullback} = getindex(%{pair}, 2)")

    def run(self, known: dict[Var, Any]) -> Callable[[Any], Any]:
        """Compute the targets; gives the pullback."""
        values = [known[v] for v in self.read.values()]
        value, pullback = self.lifted(values[0] if len(values) == 1 else tuple(values))
        known.update(zip(self.let.targets, [value] if len(self.let.targets) == 1 else value, strict=True))
        return pullback


def _alone(let: Let, places: dict[int, Var], captured: list[Var]) -> Arrow:
    """The arrow of one let, from what its arguments and what it captures hold, each place by itself."""
    own = Let(let.op, [places.get(i, a) for i, a in enumerate(let.args)], let.span)
    own.targets = let.targets
    block = Block(BlockKind.TOP)
    block.lets = [own]
    variables = [*places.values(), *captured]
    result = let.targets[0] if len(let.targets) == 1 else tuple(let.targets)
    return Abstraction().block(block, variables, Id(environment(variables)), result)


def symbol(let: Let) -> str:
    """What a step does, in a word: `*`, `math.sin`, `for`.

    >>> from ccc.compile.frontend.elaborate import program_of
    >>> [symbol(let) for let in program_of(lambda x: -abs(x) * x, (1.0,)).block.lets]
    ['abs', '-', '*']
    """
    if not isinstance(let.op, Apply):
        words = {Branch: "if", Loop: "for", While: "while", Lambda: "new"}
        return words[type(let.op)]
    source = let.op.primitive.source
    text = source if isinstance(source, str) else ""
    bare = text.replace("({})", "").replace("({}, {})", "").replace("{}", "").strip()
    given = "".join(f", {key}={value!r}" for key, value in let.op.params.items())
    return (bare if bare and "(" not in bare and "{" not in bare else let.op.primitive.name) + given


class CodeAdjoint:
    """The adjoint code of a program: a block that computes the value and the pullbacks of its steps, and one that calls
    these backward. Calling it runs the blocks and gives (value, pullback).

    >>> from ccc.compile.frontend.elaborate import program_of
    >>> code = CodeAdjoint(program_of(lambda x: 3 * x, (1.0,)), 1)
    >>> print(code)
    Adjoint(1: (%1, %2)
      %3 = _pullback(*, 3, %2)
      %4 = getindex(%3, 1)
      %5 = getindex(%3, 2)
      return %4,
    1: (%1)
      %2 = (@5)(%1)
      %3 = gradindex(%2, 3)
      %4 = tuple(nothing, %3)
      return %4)
    >>> value, pullback = code(2.0)
    >>> value, pullback(1.0)
    (6.0, (3.0,))
    """

    def __init__(self, program: Program, given: int) -> None:
        derive.check_first_order(program)
        self.program = program
        self.given = given
        self.steps = [Step(let) for let in program.block.lets]
        steps = {step.let: step for step in self.steps}
        self.primal = Numbered().listed(program, lambda writer, let: steps[let].listed(writer))
        self.adjoint = Backward(self).lines

    def __str__(self) -> str:
        return "\n".join(["Adjoint(" + self.primal[0], *self.primal[1:]]) + ",\n" + "\n".join(self.adjoint) + ")"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def __call__(self, *args: Any) -> tuple[Any, Callable[[Any], Any]]:
        known: dict[Var, Any] = {}
        trees = [tree for _, tree in self.program.params]
        args = tuple([as_read(tree, value) for tree, value in zip(trees, args, strict=True)])
        for tree, value in zip(trees, args, strict=True):
            known.update(_leaves(tree, value))
        pullbacks = {step.pullback: step.run(known) for step in self.steps}
        value = _valued(self.program.result, known)
        like = outline(value)

        def pullback(ct: Any) -> Any:
            cts = Backward(self, pullbacks, direction(like, ct, "value", "cotangent")).cotangents
            return tuple([_whole(tree, cts, known) for tree in trees[: self.given]])

        return value, pullback


class Backward:
    """The second block, listed and, where the pullbacks of the steps are given, run."""

    def __init__(self, code: CodeAdjoint, pullbacks: dict[int, Callable[[Any], Any]] | None = None, ct: Any = ZERO):
        self.lines: list[str] = []
        self.values: dict[int, Any] = {}
        self.found: dict[Var, list[int]] = {}
        self.pullbacks = pullbacks
        seeds = self.seeds(code.program.result, ct)
        self.lines.append(f"1: ({seeds})")
        for step in reversed(code.steps):
            if step.differentiable and any(self.found.get(target) for target in step.let.targets):
                self.step(step)
        self.cotangents: dict[Var, Any] = {}
        trees = [tree for _, tree in code.program.params][: code.given]
        total = self.assigned(f"tuple({', '.join(['nothing', *map(self.whole, trees)])})", ZERO)
        self.lines.append(f"  return %{total}")

    def seeds(self, tree: Tree, ct: Any) -> str:
        if isinstance(tree, tuple):
            cts = [ZERO] * len(tree) if isinstance(ct, Zero) else parts_of(ct) or ()
            return f"({', '.join([self.seeds(part, c) for part, c in zip(tree, cts, strict=True)])})"
        number = len(self.values) + 1
        self.values[number] = ct
        if isinstance(tree, Var) and not is_discrete(tree.object):
            self.found.setdefault(tree, []).append(number)
        return f"%{number}"

    def assigned(self, text: str, value: Any) -> int:
        number = len(self.values) + 1
        self.values[number] = value
        self.lines.append(f"  %{number} = {text}")
        return number

    def total(self, var: Var) -> int:
        """The number of the cotangent of a variable; 0 where nothing reached it."""
        numbers = self.found.get(var, [])
        if len(numbers) > 1:
            value: Any = ZERO
            for number in numbers:
                value = add(value, self.values[number])
            numbers = self.found[var] = [self.assigned(f"accum({', '.join([f'%{n}' for n in numbers])})", value)]
        return numbers[0] if numbers else 0

    def step(self, step: Step) -> None:
        totals = [self.total(target) for target in step.let.targets]
        cts = tuple([self.values[n] if n else ZERO for n in totals])
        seed = totals[0]
        if len(totals) > 1:
            seed = self.assigned(f"tuple({', '.join([f'%{n}' if n else 'nothing' for n in totals])})", cts)
        ct: Any = ZERO
        if self.pullbacks is not None:
            ct = self.pullbacks[step.pullback](cts[0] if len(cts) == 1 else cts)
        number = self.assigned(f"(@{step.pullback})(%{seed})", ct)
        found = (ct,) if len(step.read) == 1 else parts(ct, len(step.read))
        for (index, var), value in zip(step.read.items(), found, strict=True):
            if not is_discrete(var.object):
                self.found.setdefault(var, []).append(self.assigned(f"gradindex(%{number}, {index})", value))

    def whole(self, tree: Tree) -> str:
        if isinstance(tree, tuple):
            return f"({', '.join(map(self.whole, tree))}{',' if len(tree) == 1 else ''})"
        number = self.total(tree) if isinstance(tree, Var) else 0
        if number and isinstance(tree, Var):
            self.cotangents[tree] = self.values[number]
        return f"%{number}" if number else "nothing"


def _leaves(tree: VarTree, value: Any) -> Iterator[tuple[Var, Any]]:
    """The variables of a parameter with what they hold."""
    if isinstance(tree, tuple):
        for part, x in zip(tree, parts_of(value) or (), strict=True):
            yield from _leaves(part, x)
    elif tree is not None:
        yield tree, value


def _valued(tree: Tree, known: dict[Var, Any]) -> Any:
    if isinstance(tree, tuple):
        return valued(tree, [_valued(part, known) for part in tree])
    return known[tree] if isinstance(tree, Var) else getattr(tree, "value", tree)


def _whole(tree: VarTree, cts: dict[Var, Any], known: dict[Var, Any]) -> Any:
    """The cotangent of a parameter, with numbers for zeros."""
    if isinstance(tree, tuple):
        return valued(tree, [_whole(part, cts, known) for part in tree])
    if tree is None or is_discrete(tree.object):
        return None
    value = known[tree]
    return conform.value(materialised(cts.get(tree, ZERO), value, tree.object), value)


@telling
@deeply
def code_ir(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Listing:
    """The program of a function at these arguments with numbered variables, each assigned once; %1 is the function.

    >>> code_ir(lambda x: 3 * x * x + 2 * x + 1, 1.0)
    1: (%1, %2)
      %3 = 3 * %2
      %4 = %3 * %2
      %5 = 2 * %2
      %6 = %4 + %5
      %7 = %6 + 1
      return %7

    The arguments are those that the gradient would be called with: numbers, arrays, and lists, tuples and records of
    them; only their types matter. Raises `CompileError` for what cannot be compiled.

    Source: the Zygote notebook, "`Zygote.@code_ir`".
    """
    args, kwargs = Transform(f).prepared(args, kwargs)
    return Listing(elaborate(f, args, kwargs).program)


@telling
@deeply
def code_adjoint(f: Callable[..., Any], *args: Any, **kwargs: Any) -> CodeAdjoint:
    """The adjoint code of a function at these arguments: its program with each step replaced by its value and pullback,
    and the block that calls these pullbacks backward.

    >>> code_adjoint(lambda x: 3 * x, 1.0)
    Adjoint(1: (%1, %2)
      %3 = _pullback(*, 3, %2)
      %4 = getindex(%3, 1)
      %5 = getindex(%3, 2)
      return %4,
    1: (%1)
      %2 = (@5)(%1)
      %3 = gradindex(%2, 3)
      %4 = tuple(nothing, %3)
      return %4)

    The result is called with arguments of the types given, and runs what it lists: it gives the value and the pullback
    to a tuple with one cotangent for each argument, of its shape and dtype, None where nothing is differentiable.
    Raises `CompileError` for what cannot be compiled, `HigherOrderBoundary` for a result that holds a function.

    Source: the Zygote notebook, "`Zygote.@code_adjoint`".
    """
    args, kwargs = Transform(f).prepared(args, kwargs)
    return CodeAdjoint(elaborate(f, args, kwargs).program, len(args) + len(kwargs))
