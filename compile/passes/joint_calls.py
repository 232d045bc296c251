"""What one call gives together is computed by one call.

    let w = eigenvalues(a)                let both = np.linalg.eigh(a)
    ...                              =>   let w = both[0]
    let v = eigenvectors(a)               let v = both[1]
                                          ...

Results of one call are different primitives as long as a program is derived (`ccc.primitives.joint`). What is computed
at the place of the first of them raises there whatever the others would.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ccc.compile.program.lam import Apply, Atom, Block, Let, Lit, Program, blocks_in
from ccc.compile.program.simplify import identity
from ccc.primitives.raising import is_loud, under
from ccc.primitives.structure import part


def with_joint_calls(program: Program) -> bool:
    """Whether several results of one call are wanted somewhere; they are parts of it then."""
    return any([joined(block) for block in blocks_in(program.block)])


def joined(block: Block) -> bool:
    """Let calls of a block be joined, and say whether any are."""
    together: defaultdict[Any, list[Let]] = defaultdict(list)
    for let in block.lets:
        if isinstance(let.op, Apply) and let.op.primitive.one_of is not None:
            together[call_of(let, let.op)].append(let)
    several = [lets for lets in together.values() if len(lets) > 1]
    for lets in several:
        at = block.lets.index(lets[0])
        block.lets = [let for let in block.lets if let not in lets]
        block.lets[at:at] = as_parts(block, lets)
    return bool(several)


def call_of(let: Let, op: Apply) -> Any:
    """What is called, at what."""
    constants = [(name, identity(value)) for name, value in sorted(op.params.items())]
    loud = op.primitive.errors if is_loud(op.primitive.errors) else ()
    return op.primitive.one_of[0], loud, tuple(constants), tuple(map(key_of, let.args))


def key_of(atom: Atom) -> Any:
    return ("constant", identity(atom.value)) if isinstance(atom, Lit) else atom


def as_parts(block: Block, lets: Sequence[Let]) -> list[Let]:
    """One call, and its parts, which keep their names."""
    first = lets[0]
    assert isinstance(first.op, Apply)
    p = first.op.primitive
    whole = under(p.one_of[0], p.errors) if p.errors else p.one_of[0]
    call = Let(Apply(whole, first.op.params), first.args, first.span, first.adjoint, first.of)
    kind = whole.type_of(tuple([a.object for a in first.args]), first.op.params)
    call.target("", kind, block)
    for let in lets:
        assert let.application.primitive.one_of is not None
        let.op = Apply(part, {"index": let.application.primitive.one_of[1]})
        let.args = list[Atom](call.targets)
        let.adjoint = first.adjoint
    return [call, *lets]
