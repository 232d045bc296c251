"""An order that several lets of a block ask for is found once.

    y = np.sort(x)                          k = argsort_by(x, kind='stable')
    dx = unsorted(dy, x)         becomes    y = np.take_along_axis(x, k, axis=-1)
                                            dx = take_along_axis_onto(dy, x, k, axis=-1)

To find the order of many numbers takes far longer than to move them.
"""

from __future__ import annotations

from ccc.compile.native.table import known
from ccc.compile.program.lam import Apply, Atom, Block, Let, Program, blocks_in
from ccc.compile.program.numbering import Numbering
from ccc.objects import Array
from ccc.primitives import positions


def share_orders(program: Program) -> bool:
    """Rewrite a program in place; true where it changed."""
    found = [(block, lets) for block in blocks_in(program.block) if len(lets := list(filter(asks, block.lets))) > 1]
    if not found:
        return False
    numbering = Numbering(program.block)
    return any([share(block, lets, numbering) for block, lets in found])


def asks(let: Let) -> bool:
    """Whether a let moves what it is given by the order of the items of an array, its last argument."""
    a = let.args[-1].object if let.args else None
    return known(let).by_order is not None and isinstance(a, Array) and bool(a.axes)


def share(block: Block, lets: list[Let], numbering: Numbering) -> bool:
    """Rewrite those lets of a block that ask for the same order as another one."""
    alike: dict[tuple[int, int], list[Let]] = {}
    for let in lets:
        alike.setdefault((numbering.of(let.args[-1]), axis_of(let)), []).append(let)
    several = [(axis, same) for (_, axis), same in alike.items() if len(same) > 1]
    for axis, same in several:
        keys = same[0].args[-1]
        params = {"kind": "stable", "axis": axis}
        order = Let(Apply(positions.argsort_by, params), [keys], adjoint=True)
        found = order.target("", positions.argsort_by.type_of((keys.object,), params), block)
        block.lets.insert(block.lets.index(same[0]), order)
        for let in same:
            move(let, found, axis)
    return bool(several)


def axis_of(let: Let) -> int:
    """The axis of an order, from the front."""
    assert isinstance(let.op, Apply)
    a = let.args[-1].object
    assert isinstance(a, Array) and a.axes is not None
    return let.op.params.get("axis", -1) % len(a.axes)


def move(let: Let, order: Atom, axis: int) -> None:
    """Let a let move items by an order that is known."""
    moves = known(let).by_order
    assert moves is not None
    p, count = moves
    let.op, let.args = Apply(p, {"axis": axis}), [*let.args[:count], order]
