"""Functions of a recording, made where they are called.

The pullback of a recursive function is recorded where the function is made, and what calls it is the pullback of what
is around: another function, an arm or a loop of the program. What the pullback reads is handed there, and not the
pullback itself: a function on a tape has a cotangent that no type tells.
"""

from __future__ import annotations

from ccc.compile.program import called
from ccc.compile.program.lam import Block, Let, Tree, Var, blocks_in


def made_where_called(block: Block, result: Tree) -> None:
    """Move each function that is called and nothing else to where its calls see it, if they do not."""
    calls = called.calls_of(block, result)
    if not calls:
        return
    homes = {let: here for here in blocks_in(block) for let in here.lets}
    moved = True
    while moved:
        moved = [function for function, lets in calls.items() if is_moved(function, lets, homes)]


def is_moved(function: Var, calls: list[Let], homes: dict[Let, Block]) -> bool:
    """Whether the function was not made before its calls, and is now."""
    let, home, body = function.definition, function.home, called.body_of(function)
    assert let is not None and home is not None
    outside = [call for call in calls if body not in homes[call].ancestors()]
    if not outside:
        return False
    target = common([homes[call] for call in outside])
    first = min([target.lets.index(within(call, homes[call], target)) for call in outside])
    if home in target.ancestors() and (home is not target or home.lets.index(let) < first):
        return False
    home.lets.remove(let)
    target.lets.insert(first, let)
    homes[let] = function.home = body.parent = target
    let.adjoint = True
    return True


def common(blocks: list[Block]) -> Block:
    """The innermost block that all are in."""
    ways = [list(block.ancestors()) for block in blocks]
    return next(block for block in ways[0] if all(block in way for way in ways))


def within(let: Let, home: Block, block: Block) -> Let:
    """The statement of a block in which a let of a block in it stands."""
    while home is not block:
        assert home.owner is not None and home.parent is not None
        let, home = home.owner, home.parent
    return let
