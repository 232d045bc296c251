"""What a gradient asks of a result: that it is one real number, of which the cotangent is 1.

>>> from ccc.compile.frontend.elaborate import elaborate
>>> seed_for(elaborate(lambda x: 2.0 * x, (1.0,)).program)
1.0
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ccc.additive import ZERO
from ccc.compile.diagnostics import CompileError, Diagnostic
from ccc.compile.program.lam import Lit, Node, Program, Tree, Var, leaves
from ccc.errors import NeedsScalar
from ccc.objects import Array, Bool, Coproduct, Int, List, Object, Real
from ccc.primitives import barriers
from ccc.wording import in_words


class NotScalar(CompileError, NeedsScalar):
    """A gradient was asked for of a result that is not one real number."""


def seed_for(program: Program, aux: bool = False, verb: str = "gradient") -> Any:
    """The cotangent 1 of a scalar result; with `aux`, of the first of two, of which the other is only handed out.
    `verb` is what needs it."""
    result = program.result
    if aux:
        first = pulled_result(program, aux)
        return seed_for(Program(program.name, program.params, program.block, first), verb=verb), ZERO
    a = result.object if isinstance(result, (Var, Lit)) else None
    if isinstance(a, Array) and a.axes == ():
        return 1.0
    if not isinstance(a, Real) and not shows_when_it_runs(a):
        if isinstance(a, Int):
            return ZERO
        raise not_scalar(program, f"{verb} needs a scalar result; `{program.name}` returned")
    return Fraction(1) if a == Real("fraction") else 1.0


def shows_when_it_runs(a: Object | None) -> bool:
    """Whether a value is one real number shows when it runs: of an array of unknown axes, and of what may be None."""
    return (isinstance(a, Array) and a.axes is None) or (
        isinstance(a, Coproduct) and any(isinstance(one, Real) for one in a.alternatives))


def checked(seed: Any, y: Any, program: Program, aux: bool) -> Any:
    """The seed for the value y of the result."""
    pulled = pulled_result(program, aux)
    if not shows_when_it_runs(pulled.object if isinstance(pulled, (Var, Lit)) else None):
        return seed
    return (barriers.unit_seed(y[0]), ZERO) if aux else barriers.unit_seed(y)


def span_of(tree: Tree) -> Any:
    """Where the user's program computes a value."""
    found = [leaf.definition.span for leaf in leaves(tree) if isinstance(leaf, Var) and leaf.definition is not None]
    return next((span for span in found if span is not None), None)


def pulled_result(program: Program, aux: bool) -> Tree:
    """What of the result is differentiated: with `aux`, the first part of a pair."""
    result = program.result
    if not aux:
        return result
    if type(result) is not tuple or len(result) != 2:
        claim = f"with has_aux=True `{program.name}` returns a pair; it returned"
        raise not_scalar(program, claim, "return value, aux")
    return result[0]


def not_scalar(program: Program, claim: str, mend: str = "") -> NotScalar:
    """The refusal of a gradient of what is not one real number."""
    result = program.result
    what = f"({', '.join(map(shown, result))})" if type(result) is tuple else shown(result)
    if isinstance(result, Node):
        what = f"a `{result.cls.__name__}`"
    a = result.object if isinstance(result, (Var, Lit)) else None
    help = "return one number, or ask for the pullback: ccc.value_with_pullback(f)"
    if what == "None":
        help = "return a value"
    elif isinstance(a, Bool):
        help = "return the number, and compare it in the caller"
    elif isinstance(a, Array):
        help = "ccc.jacobian(f), or return np.sum(...) of it"
    elif isinstance(a, List):
        help = "return sum(...) of it, or ask for the pullback: ccc.value_with_pullback(f)"
    return NotScalar(Diagnostic("CC026", f"{claim} {what}", span_of(result), help=mend or help))


def shown(tree: Tree) -> str:
    if isinstance(tree, tuple):
        return f"({', '.join(map(shown, tree))})"
    return "None" if tree is None else in_words(tree.object)
