"""What is negated to be added is subtracted, and what is negated to be subtracted is added.

    x + -y                                 x - y
    x - -y                                 x + y

Arrays of floats are the same bit for bit, by what IEEE says a difference is, so this is done to what a user wrote too:
a function that returns `-np.log(p)` is often added to others. An array is passed over once less, where nothing else
reads the negative; numbers cost nothing. Integers of fixed width stay as they are: the negative of a narrow one may
wrap where a difference does not.
"""

from __future__ import annotations

from ccc.compile.passes.readers import FLOATS, Readers
from ccc.compile.passes.steady import steady
from ccc.compile.program.lam import Apply, Atom, Let, Program, Var, lets_in
from ccc.objects import Array, Real
from ccc.primitives import arithmetic
from ccc.primitives.primitive import Primitive


def with_differences(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    found = [let for let in lets_in(program.block) if other(let) is not None and negated(let.args[1], let) is not None]
    if not found:
        return False
    readers, kept, changed = Readers(program), steady(program), False
    for let in found:
        opposite, p = negated(let.args[1], let), other(let)
        if p is not None and opposite in kept and readers.only(let.args[1]) is let:
            let.op, let.args[1] = Apply(p, {}), opposite
            changed = True
    return changed


def other(let: Let) -> Primitive | None:
    """A difference for a sum, and a sum for a difference; None for what is neither."""
    p = let.op.primitive if isinstance(let.op, Apply) else None
    return arithmetic.sub if p is arithmetic.add else arithmetic.add if p is arithmetic.sub else None


def negated(atom: Atom, reader: Let) -> Var | None:
    """What a float or array of floats is the negative of, in the block of its reader, which gives an array; None where
    it is not one."""
    made = atom.definition if isinstance(atom, Var) and atom.home is reader.targets[0].home else None
    if made is None or not isinstance(made.op, Apply) or made.op.primitive is not arithmetic.neg or not isinstance(
            reader.targets[0].object, Array):
        return None
    a, x = reader.args[0].object, made.args[0]
    return x if isinstance(x, Var) and is_float(x.object) and is_float(a) else None


def is_float(a: object) -> bool:
    return isinstance(a, Real) or (isinstance(a, Array) and a.dtype in FLOATS)
