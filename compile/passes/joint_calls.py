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

from ccc.compile.program.lam import Apply, Atom, Block, Let, Lit, Program, blocks_in, leaves
from ccc.compile.program.simplify import identity
from ccc.objects import INT, Array
from ccc.primitives import indexing
from ccc.primitives.primitive import Primitive
from ccc.primitives.raising import is_loud, under
from ccc.primitives.structure import part


def part_of(let: Let) -> tuple[Primitive, int, dict[str, Any]] | None:
    """The primitive that gives together what one gives a part of, the number of the part, and the parameters without
    it; None for what gives no part."""
    if not isinstance(let.op, Apply):
        return None
    p, params = let.op.primitive, let.op.params
    if isinstance(p.one_of, str):
        return (p, params[p.one_of], without(p.one_of, params)) if p.one_of in params else None
    return None if p.one_of is None else (*p.one_of, params)


def without(one: str, params: dict[str, Any]) -> dict[str, Any]:
    """All parameters but one."""
    return {name: value for name, value in params.items() if name != one}


def with_joint_calls(program: Program) -> bool:
    """Whether several results of one call are wanted somewhere; they are parts of it then. What nothing reads goes: it
    raises what the others do."""
    read = {x for block in blocks_in(program.block) for let in block.lets for x in let.args}
    read |= {x for block in blocks_in(program.block) for x in block.results} | set(leaves(program.result))
    return any([joined(block, read) for block in blocks_in(program.block)])


def joined(block: Block, read: set[Any]) -> bool:
    """Let calls of a block be joined, and say whether any are."""
    together: defaultdict[Any, list[Let]] = defaultdict(list)
    for let in block.lets:
        if (whole := part_of(let)) is not None:
            together[call_of(let, whole[0], whole[2])].append(let)
    several = [lets for lets in together.values() if len(lets) > 1]
    for lets in several:
        at = block.lets.index(lets[0])
        block.lets = [let for let in block.lets if let not in lets]
        wanted = [let for let in lets if not read.isdisjoint(let.targets)] or lets[:1]
        block.lets[at:at] = as_parts(block, wanted) if len(wanted) > 1 else wanted
    return bool(several)


def call_of(let: Let, whole: Primitive, params: dict[str, Any]) -> Any:
    """What is called, at what."""
    constants = [(name, identity(value)) for name, value in sorted(params.items())]
    errors = let.application.primitive.errors
    loud = errors if is_loud(errors) else ()
    return whole, loud, tuple(constants), tuple(map(key_of, let.args))


def key_of(atom: Atom) -> Any:
    return ("constant", identity(atom.value)) if isinstance(atom, Lit) else atom


def as_parts(block: Block, lets: Sequence[Let]) -> list[Let]:
    """One call, and its parts, which keep their names."""
    first, parts = lets[0], [found for let in lets if (found := part_of(let)) is not None]
    p, (whole, _, params) = first.application.primitive, parts[0]
    whole = under(whole, p.errors) if p.errors and whole is not p else whole
    call = Let(Apply(whole, params), first.args, first.span, first.adjoint, first.of)
    kind = whole.type_of(tuple([a.object for a in first.args]), params)
    made = call.target("", kind, block)
    for let, (_, i, _) in zip(lets, parts, strict=True):
        in_array = isinstance(kind, Array)  # the parts one behind another
        let.op = Apply(indexing.index, {"pattern": ("i",)}) if in_array else Apply(part, {"index": i})
        let.args = [made, *([Lit(i, INT)] if in_array else [])]
        let.adjoint = first.adjoint
    return [call, *lets]
