"""Which values that are typed as reals may hold integers when the program runs.

An integer stands for a real where a loop starts from `0`, a list holds both, or a branch gives one or the other; Python
keeps it an integer, and an array made of it is one of integers until a real is added. Such an array cannot be added to
in place.
"""

from __future__ import annotations

from typing import Any

from ccc.objects import Array, Bool, Int, Real
from ccc.primitives import arithmetic, elementary_math, elementary_numpy, gamma
from ccc.primitives.primitive import Primitive
from compile.lam import Apply, Branch, Lambda, Let, Lit, Loop, Var, While

REALS = frozenset({
    arithmetic.div, arithmetic.to_float,
    *[p for module in (elementary_math, gamma, elementary_numpy) for p in vars(module).values()
      if isinstance(p, Primitive)],
})
"""What makes reals of integers."""


Known = dict[Var, bool]


def may_be_whole(atom: Any, known: Known | None = None) -> bool:
    """True for a real, or an array of reals, that may be one of integers when the program runs.

    `known` is false while a variable is being looked at, so that loops give the least solution.
    """
    if isinstance(atom, Lit):
        return isinstance(atom.value, int) or getattr(getattr(atom.value, "dtype", None), "kind", "f") in "iub"
    a = atom.object
    if isinstance(a, Int | Bool):
        return True
    if not isinstance(a, Real) and not (isinstance(a, Array) and a.is_real):
        return False
    known = {} if known is None else known
    if atom in known:
        return known[atom]
    known[atom] = False
    one_of = sources(atom)
    if made_of_whole(atom, known) if one_of is None else any(may_be_whole(source, known) for source in one_of):
        known[atom] = True
    else:
        del known[atom]  # it may have been looked at while one that it depends on was
    return atom in known


def sources(var: Var) -> list[Any] | None:
    """What a variable is one of; None where an operation made it."""
    let = var.definition
    if let is None:
        owner = owner_of(var)
        if owner is None or not isinstance(owner.op, Loop | While) or var not in owner.op.body.params:
            return None
        i = owner.op.body.params.index(var)
        return [owner.args[i], owner.op.body.results[i]] if i < owner.op.carries else None
    if isinstance(let.op, Branch):
        return [block.results[let.targets.index(var)] for block in let.op.blocks]
    if isinstance(let.op, Loop | While):
        i = let.targets.index(var)
        return [let.args[i], let.op.body.results[i]] if i < let.op.carries else None
    return None


def owner_of(param: Var) -> Let | None:
    """The let whose block takes a parameter; None for a parameter of the program."""
    return None if param.home is None else param.home.owner


def made_of_whole(var: Var, known: Known) -> bool:
    """The operation that made a variable gives integers where it is given integers only."""
    let = var.definition
    if let is None:
        owner = owner_of(var)
        return isinstance(var.object, Real) and owner is not None and isinstance(owner.op, Lambda | Loop | While)
    if not isinstance(let.op, Apply):
        return isinstance(var.object, Real)
    p = let.op.primitive
    if p in REALS or p.name == "zeros_like":
        return False
    given = [a for a in let.args if isinstance(a.object, Real | Int | Bool | Array)]
    if p.name in ("updated", "index", "set_at", "add_at"):
        given = given[:1]
    if isinstance(var.object, Real) and len(given) < len(let.args):  # an item of a list
        return True
    return bool(given) and all(may_be_whole(a, known) for a in given)
