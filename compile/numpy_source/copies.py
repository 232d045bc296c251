"""Copies of what is overwritten while something else reads it, and which updates may happen in place then.

    t = d[i, :]                      t = d[i, :].copy()
    d = set_at(d, row, i)            d[i, :] = row             where t is read later: each run copied all of d
    ts.append(t)                     ts.append(t)
"""

from __future__ import annotations

from typing import Any

from ccc.compile.numpy_source.ownership import Ownership
from ccc.compile.passes import engine
from ccc.compile.passes.engine import Pass
from ccc.compile.program.lam import Apply, Block, BlockKind, Let, Lit, Program, Tree, Var, leaves, like
from ccc.compile.program.sharing import basic_index, is_change, memory_of, mutable
from ccc.objects import Array
from ccc.primitives import boundary


class Copies:
    """The last pass of a target: copies of what is overwritten while something else reads it. It finds on the way which
    lets may overwrite an argument, with those of operations on entries (see `reuse`) if these are wanted."""

    def __init__(self, entries: bool = False) -> None:
        self.entries = entries
        self.overwritten: dict[Let, int] = {}

    @property
    def stage(self) -> Pass:
        return Pass("copies", "What is overwritten while something else reads it, or given out twice, is copied.",
                    self.rewrite, needs=("opened", "unmirrored"))

    def rewrite(self, program: Program) -> bool:
        """Insert the copies; true where there are some."""
        twice = given_out_apart(program)
        ownership, copied = owned(program.block, self.entries)
        self.overwritten = verified(program.block, ownership.overwritten())
        return twice or copied


def given_out_apart(program: Program) -> bool:
    """Give out copies of what a program makes and gives out already, whole or in part: what is one value may be two
    arrays in plain Python. True where there are some."""
    given: set[Any] = set()
    block = program.block

    def apart(tree: Tree) -> Tree:
        if isinstance(tree, tuple):
            return like(tree, map(apart, tree))
        if not isinstance(tree, Var) or not mutable(tree.object) or (made := origin(tree)).definition is None:
            return tree
        if made not in given:
            given.add(made)
            return tree
        copy = Let(Apply(boundary.own, {}), [tree])
        block.lets.append(copy)
        return copy.target(tree.name, tree.object, block)

    before = list(leaves(program.result))
    program.result = apart(program.result)
    after = list(leaves(program.result))
    block.results = [atom for atom in after if isinstance(atom, (Var, Lit))]
    return after != before


def origin(var: Var) -> Var:
    """What an array is a view of."""
    let = var.definition
    while let is not None and isinstance(let.op, Apply) and memory_of(let.op).how in ("same", "view", "may be"):
        under = let.args[memory_of(let.op).of[0]] if memory_of(let.op).of else None
        if not isinstance(under, Var) or not isinstance(under.object, Array):
            break
        var, let = under, under.definition
    return var


def in_place(block: Block, entries: bool = False) -> dict[Let, int]:
    """The lets of a block whose result may overwrite an argument, and its position; copies are put in for some."""
    return verified(block, owned(block, entries)[0].overwritten())


def owned(block: Block, entries: bool) -> tuple[Ownership, bool]:
    """What may be overwritten in a block, and whether copies were put in for that."""
    ownership = Ownership(block, entries)
    rows = kept_rows(ownership)
    for let in rows:
        copy_result(ownership, let)
    return (Ownership(block, entries), True) if rows else (ownership, ownership.copied)


def kept_rows(ownership: Ownership) -> list[Let]:
    """Views of rows that are read behind a change of their array, where these are all that keeps it from being made in
    place: a run of a loop would copy the array, and copies the rows instead.

    A view counts as one of rows if it has fewer axes than the array, so it is the smaller one by far; or if it is the
    only one, which is no larger than the array.
    """
    found: dict[Let, None] = {}
    for change, (home, at) in ownership.places.items():
        if not is_repeated_change(change, home) or (change, 0) in ownership.marked:
            continue
        array = change.args[0]
        uses = ownership.within(array, home) if isinstance(array, Var) else []
        kept = [use[0] for use in uses if use[0] is not change
                and not (use[2] < at and ownership.is_over(use[0], use[1], use[3], home, at))]
        views = [user for user in kept if isinstance(user, Let) and ownership.places[user][0] is home
                 and basic_index(user.op) and (is_row(user) or len(kept) == 1)]
        if len(views) == len(kept):
            found.update(dict.fromkeys(views))
    return list(found)


def is_repeated_change(let: Let, home: Block) -> bool:
    """Whether an item or part of an array is changed in a loop."""
    return home.kind is BlockKind.LOOP and is_change(let.op)


def is_row(view: Let) -> bool:
    """Whether a view has fewer axes than the array."""
    pattern = view.application.params["pattern"]
    return "i" in pattern and "+" not in pattern


def copy_result(ownership: Ownership, let: Let) -> None:
    """Let all who read what a let gives read a copy of it."""
    home, _ = ownership.places[let]
    (view,) = let.targets
    copy = Let(Apply(boundary.own, {}), [view], let.span, let.adjoint, let.of)
    copied = copy.target(view.name, view.object, home)
    for user, position in ownership.uses.get(view, ()):
        (user.results if isinstance(user, Block) else user.args)[position] = copied
    home.lets.insert(home.lets.index(let) + 1, copy)


def verified(block: Block, found: dict[Let, int]) -> dict[Let, int]:
    """What was found of a block, looked at again where programs are verified."""
    if engine.VERIFIED:
        from ccc.compile.numpy_source.later_readers import verify_in_place

        verify_in_place(block, found)
    return found
