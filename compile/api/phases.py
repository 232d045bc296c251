"""A derivative in the phases of the whitepaper: what the function computes and keeps, and what is done with it.

    f_primal             : (T0, ..., Tn) -> (C_f, U)          computes the result and writes the tape C_f
    f_adjoint            : (C_f, U) -> (T0, ..., Tn)          reads the tape, from the seed to the cotangents
    f_canonical_gradient : (T0, ..., Tn, U) -> (U, T0, ..., Tn)
    f_gradient           : (T0, ..., Tn) -> (T0, ..., Tn)     the canonical gradient at the seed 1

The whitepaper hands the arguments and the result to the adjoint beside the tape; here the tape holds all that the
adjoint reads and nothing else. The primal and the adjoint are the pullback's program, cut where the pullback begins.

>>> from ccc.compile.frontend.elaborate import elaborate
>>> print(phases(elaborate(lambda x, y: x * y, (2.0, 3.0)), (Part(0), Part(1)), None, False).primal)
# f_primal : (R, R) -> (C_f, R)
def f_primal(x, y):
    t = x * y
    return ((y, x), t)

References: *Automatic Differentiation in Swift*, "Automatic Differentiation in the Swift compiler".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ccc.categories.reverse import Reverse
from ccc.compile.frontend.elaborate import Elaborated
from ccc.compile.numpy_source.emit import Emitted, Emitter
from ccc.compile.passes.improve import improve
from ccc.compile.program.lam import (
    BlockKind,
    Branch,
    Lambda,
    Lit,
    Loop,
    Node,
    Program,
    Tree,
    Var,
    free_variables,
    leaves,
    two,
)
from ccc.compile.terms import derive, scalar_results
from ccc.compile.terms.wanted import Part, Steps, known, object_at
from ccc.objects import is_discrete


@dataclass(frozen=True, slots=True)
class Phases:
    """The texts of the phases, and the functions of the first and the third, which run; `kept` are the names, objects
    and places of what is on the tape."""

    name: str
    kept: list[tuple[str, Any, str]]
    primal: str
    tape: str
    adjoint: str
    canonical: str
    final: str
    primal_code: Emitted
    adjoint_code: Emitted


def phases(elaborated: Elaborated, wrt: Sequence[Part], exponential: Any, bare: bool, aux: bool = False) -> Phases:
    """The phases of the derivative of a program with respect to these parts of its parameters.

    Raises what making the pullback raises, `CannotStage` among it.
    """
    name = elaborated.program.name
    program = derive.pullback(elaborated.program, wrt, Reverse(exponential), bare, aux)
    improve(program)
    value, function = two(program.result)
    made = function.definition if isinstance(function, Var) else None
    assert made is not None and isinstance(made.op, Lambda)
    body = made.op.body
    tape = free_variables(body, {})
    program.block.lets.remove(made)
    first = Program(f"{name}_primal", program.params, program.block, (tuple(tape), value))
    program.block.results = [leaf for leaf in leaves(first.result) if isinstance(leaf, Var)]
    emitter = Emitter(first)
    primal = emitter.emitted()
    kept = [(emitter.text(v), v.object, made_by(v)) for v in tape]
    for v, (text, _, _) in zip(tape, kept, strict=True):
        v.name = text
    seeds = derive.seeded(scalar_results.pulled_result(elaborated.program, aux), iter(body.params))
    body.kind, body.parent, body.owner = BlockKind.TOP, None, None
    body.params = [*tape, *body.params]
    adjoint = Emitter(Program(f"{name}_adjoint", [("tape", tuple(tape)), ("seed", seeds)], body, body.tree)).emitted()

    whole = tuple([tree_at(program.params[i][1], steps) for i, steps in wrt])
    result, cotangents = _type(value), _type(whole[0] if bare else whole, cotangent=True)
    seed = _type(two(value)[0]) if aux else result
    given = ", ".join([_type(tree) for _, tree in program.params])
    names = [param for param, _ in program.params]
    call = ", ".join(names)
    canonical = "\n".join([
        f"# {name}_canonical_gradient : ({given}, {seed}) -> ({result}, {cotangents})",
        f"def {name}_canonical_gradient({call}, seed):",
        f"    tape, value = {primal.name}({call})",
        f"    return value, {adjoint.name}(tape, seed)",
    ])  # fmt: skip
    final = "\n".join([
        f"# {name}_gradient : ({given}) -> {cotangents}",
        f"def {name}_gradient({call}):",
        f"    value, cotangents = {name}_canonical_gradient({call}, 1.0)",
        f"    return {'cotangents, value[1]' if aux else 'cotangents'}",
    ])  # fmt: skip
    try:
        scalar_results.seed_for(elaborated.program, aux)
    except scalar_results.NotScalar as error:
        final = f"none: {error.diagnostics[0].message}"
    return Phases(
        name, kept,
        f"# {primal.name} : ({given}) -> (C_{name}, {result})\n{primal.source.rstrip()}",
        _table(name, kept),
        f"# {adjoint.name} : (C_{name}, {seed}) -> {cotangents}\n{adjoint.source.rstrip()}",
        canonical, final, primal, adjoint,
    )  # fmt: skip


def tree_at(tree: Tree, steps: Steps) -> Tree:
    """The part of a tree; that of the value of a leaf stands as its object."""
    found, rest = known(tree, steps)
    return Lit(None, object_at(found.object, rest)) if rest else found


def _type(tree: Tree, cotangent: bool = False) -> str:
    """The type of a tree, or of its cotangent: there is none of what is discrete."""
    if isinstance(tree, tuple):
        parts = [_type(part, cotangent) for part in tree]
        if isinstance(tree, Node):
            return f"{tree.cls.__name__}{{{', '.join(f'{n}: {t}' for n, t in zip(tree.names, parts, strict=True))}}}"
        return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
    return "None" if tree is None or (cotangent and is_discrete(tree.object)) else str(tree.object)


def made_by(v: Var) -> str:
    """Where a value comes from: the user's expression and its line, what a branch or a loop gives, or a parameter."""
    let = v.definition
    if let is None:
        return "parameter"
    op, i = let.op, let.targets.index(v)
    if isinstance(op, (Branch, Loop)):
        blocks = (op.then, op.orelse) if isinstance(op, Branch) else (op.body,)
        inside = [found for block in blocks if isinstance(found := block.results[i], Var) and found is not v]
        texts = [made_by(found) for found in inside if found.definition is not None]
        texts += [f"the {found.name or 'state'} of each run" for found in inside if found in blocks[0].params]
        return next(filter(None, texts), "")
    span = let.span
    if span is None or span.line > len(span.lines):
        return ""
    if isinstance(op, Lambda):
        return f"function, line {span.line}"
    text = span.lines[span.line - 1].rstrip("\n")
    end = span.end_column if span.end_line == span.line else len(text)
    return f"{text[span.column : end].strip()}, line {span.line}"


def _table(name: str, kept: list[tuple[str, Any, str]]) -> str:
    """The tape as a table of names, objects and places."""
    if not kept:
        return f"C_{name} is empty: the adjoint reads nothing"
    widths = [max(len(str(row[i])) for row in kept) for i in (0, 1)]
    rows = [f"  {text:{widths[0]}}  {a!s:{widths[1]}}  {place}".rstrip() for text, a, place in kept]
    return "\n".join([f"C_{name}", *rows])
