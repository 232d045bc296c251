"""Names that stand for rows of lists: they are read anew where the list is another one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import item_updates
from ccc.compile.frontend.memory.aliasing import place_of
from ccc.compile.frontend.values import Unbound
from ccc.compile.program.lam import Apply, Branch, Loop, Var, While
from ccc.compile.program.sharing import memory_of


def row_names(env: dict[str, Any], anew: Iterable[str]) -> dict[str, tuple[str, Any]]:
    """The names that stand for rows of lists that other names stand for, none of them bound `anew`: list and index."""
    left = [name for name in env if name not in anew]
    holders = {id(env[name]): name for name in reversed(left) if isinstance(env[name], Var)}
    found: dict[str, tuple[str, Any]] = {}
    for name in left:
        at = place_of(env[name])
        if at is not None and id(at[0]) in holders:
            found[name] = holders[id(at[0])], at[1]
    return found


def take(e: Elaboration, found: dict[str, tuple[str, Any]], before: dict[str, Any], env: dict[str, Any]) -> None:
    """Read names that stand for rows anew, where the lists are others than before."""
    todo = dict(found)
    while todo:
        ready = [name for name, (holder, _) in todo.items() if holder not in todo]
        for name in ready:
            holder, key = todo.pop(name)
            xs = env.get(holder)
            if isinstance(xs, Var) and xs is not before[holder]:
                env[name] = item_updates.read(e, xs, key)
                env[name].name = name
            elif xs is not before[holder]:
                env[name] = Unbound(f"it was an item of `{holder}`")


def only_rows(e: Elaboration, xs: Any, start: Var) -> bool:
    """True for a list that differs from another one in what its rows hold alone."""
    return changed_by(xs, start, lambda let: let in e.rows.back or memory_of(let.op).by_row)


def as_long(xs: Any, start: Var) -> bool:
    """True for a list that is another one with other items, as many."""
    return changed_by(xs, start, lambda let: let.op.primitive.like_of(let.op.params) == 0)


def changed_by(xs: Any, start: Var, change: Callable[[Any], bool], seen: frozenset[Var] = frozenset()) -> bool:
    """True for a list that such changes alone have made of another one, in branches and loops too."""
    if xs is start or xs in seen:
        return True
    let = xs.definition if isinstance(xs, Var) else None
    if let is None:
        return False
    seen |= {xs}
    if isinstance(let.op, Apply):
        return change(let) and changed_by(let.args[0], start, change, seen)
    if not isinstance(let.op, (Branch, Loop, While)):
        return False
    i = let.targets.index(xs)
    if isinstance(let.op, Branch):
        return all(changed_by(block.results[i], start, change, seen) for block in let.op.blocks)
    if i >= let.op.carries:
        return False
    body = let.op.blocks[-1]
    return changed_by(let.args[i], start, change, seen) and changed_by(body.results[i], body.params[i], change, seen)
