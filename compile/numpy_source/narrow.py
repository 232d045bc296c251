"""Cotangents of sums along an axis that need not be written out: what reads them broadcasts.

    t = expanded(ct, x, axis=1)                t = ct[:, None]
    y = t * x                                  y = t * x

The numbers are the same to the last bit.
"""

from __future__ import annotations

from ccc.compile.numpy_source.reuse import Sure, surely_array
from ccc.compile.program.lam import Apply, Block, Let, Var, blocks_in, lets_in
from ccc.objects import Array
from ccc.primitives import reductions
from ccc.primitives.primitive import elementwise


def narrow(block: Block) -> dict[Let, str]:
    """By the lets that only place an axis: the index that does so, as text."""
    sure: Sure = {}
    found = {let: index for let in lets_in(block) if (index := placed(let, sure))}
    if not found:
        return found
    wide = {let.targets[0] for let in found}
    kept = {a for here in blocks_in(block) for a in here.results}
    for let in lets_in(block):
        kept.update([a for a in wide.intersection(let.args) if not broadcasts(let, a, wide, sure)])  # type: ignore[arg-type]
    return {let: index for let, index in found.items() if let.targets[0] not in kept}


def placed(let: Let, sure: Sure) -> str:
    """The index that places the axis of a sum again; "" for other lets."""
    if not isinstance(let.op, Apply) or let.op.primitive is not reductions.expanded:
        return ""
    ct, axis, axes = let.args[0], let.op.params["axis"], getattr(let.targets[0].object, "axes", None)
    if type(axis) is not int or axis < 0 or not isinstance(ct.object, Array) or not ct.object.axes or axes is None:
        return ""
    return ", ".join([*[":"] * axis, "None"]) if len(ct.object.axes) + 1 == len(axes) and surely_array(ct, sure) else ""


def broadcasts(let: Let, var: Var, wide: set[Var], sure: Sure) -> bool:
    """Whether a let is an operation on entries that has the shape of the variable by another operand."""
    a = var.object
    if not isinstance(let.op, Apply) or let.op.primitive.type_rule is not elementwise or let.targets[0].object != a:
        return False
    others = [x for x in let.args if isinstance(x, Var) and x not in wide]
    return "?" not in a.axes and any(x.object == a and surely_array(x, sure) for x in others)  # type: ignore[union-attr]
