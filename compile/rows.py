"""Lists and arrays inside of lists of the program, changed where they stand: `grid[i][j] = v`.

The changed row is put back at its place, in the list that a name, an attribute or a list around it stands for. That is
Python's meaning as long as each row is one of its own and nothing but its place leads to it; so the rows are followed
to where they were put into the list and to where they were made. A name of the same function that stands for a row
sees the change too: it is read anew.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from ccc.objects import Array, List
from ccc.primitives import along, lists as list_primitives, structure
from compile import lists, nested, reals
from compile.aliasing import OUTSIDE, memory, mutable, named, place_of, results_of
from compile.diagnostics import unsupported
from compile.lam import Apply, Block, Branch, Let, Loop, Var, While
from compile.values import Frame, Mutable, Unbound

Elaboration = Any
Site = tuple[Let, int]
"""Where a row is put into a list: a let and the position of the row among its arguments or results."""


class Rows:
    """The changes of rows so far: the lists before them, and the lets that put the rows back. Which lists that were
    known item by item became rows, how often, which of these may stand in several places; and what was converted."""

    def __init__(self) -> None:
        self.changed: dict[Var, tuple[Var, str, Any]] = {}
        self.back: set[Let] = set()
        self.sources: dict[Var, Mutable] = {}
        self.times: dict[Mutable, int] = {}
        self.shared: set[Var] = set()
        self.before: dict[Var, Var] = {}

    def copied(self, e: Elaboration, found: Mutable, var: Var) -> Var:
        """Note that a variable stands for a list that was known item by item, which may be put into several places."""
        self.sources[var] = found
        self.times[found] = self.times.get(found, 0) + 1
        if e.heap.before_block(found):
            self.shared.add(var)
        return var

    def converted(self, old: Any, new: Var) -> Var:
        """Note that a list or array is another one with its items converted."""
        self.before[new] = old
        return new


def is_held(e: Elaboration, xs: Any) -> bool:
    """True for a list that something stands for now."""
    if any(part is xs for _, _, parts in named(e) for part in parts) or nested.owner_of(e, xs) is not None:
        return True
    found = place_of(xs)
    return found is not None and is_held(e, found[0])


def is_row(e: Elaboration, var: Any) -> bool:
    """True for an item of a list that something stands for now."""
    found = place_of(var)
    return found is not None and is_held(e, found[0])


def change(e: Elaboration, var: Var, new: Any, what: str, node: Any, frame: Frame) -> Any:
    """Put a changed row back where it stood; gives the row as it is found there."""
    found = place_of(var)
    assert found is not None
    xs, key = found
    where = e.place(node, frame)
    check(e, xs, var, what, where, frame)
    wide = reals.widened(e, xs, List(reals.objects_of(new)))
    old = new if keeps_sizes(var, new) else reals.converted(e, var, reals.objects_of(new))
    changed = e.always(list_primitives.set_item, (wide, new, key, old))
    e.rows.back.add(changed.definition)
    e.rows.changed[xs] = var, what, where
    e.updates.append((xs, where, what))
    views = [(name, value) for name, value in frame.env.items() if (at := place_of(value)) and at[0] is xs]
    put_back(e, xs, changed, what, node, frame)
    for name, value in views:
        _, at = place_of(value) or (None, key)
        frame.env[name] = e.always(structure.item, (changed, at))
        frame.env[name].name = value.name
    return e.always(structure.item, (changed, key))


def keeps_sizes(var: Var, new: Any) -> bool:
    """True for a row that has other numbers than before and is as long."""
    while new is not var and isinstance(new, Var) and new.definition is not None:
        op = new.definition.op
        if not isinstance(op, Apply) or op.primitive is not list_primitives.set_item:
            break
        whole, item, _, *old = new.definition.args
        if mutable(new.object.item) and old != [item]:  # type: ignore[attr-defined]
            break
        new = whole
    return new is var or isinstance(var.object, Array)


def path_of(xs: Any, key: Any) -> tuple[Any, list[Any]]:
    """The list that holds the rows around an entry, and the indices from there."""
    keys = [key]
    while (found := place_of(xs)) is not None:
        xs, inner = found
        keys.insert(0, inner)
    return xs, keys


def assign(e: Elaboration, row: Var, key: Any, v: Any, node: Any, frame: Frame) -> None:
    """`row[key] = v` for a number `v`: one entry of the list that holds the row changes."""
    what, where = "cannot assign into", e.place(node, frame)
    levels = [row]
    while (found := place_of(levels[0])) is not None:
        levels.insert(0, found[0])
    whole, keys = path_of(row, key)
    for xs, inner in itertools.pairwise(levels):
        check(e, xs, inner, what, where, frame)
        e.rows.changed[xs] = inner, what, where
        e.updates.append((xs, where, what))
    wide: Any = reals.objects_of(v)
    for _ in keys:
        wide = List(wide)
    changed = e.always(along.set_along, (reals.widened(e, whole, wide), v, *keys))
    named_rows = [(name, value) for name, value in frame.env.items() if isinstance(value, Var)]
    put_back(e, whole, changed, what, node, frame)
    now = {whole: changed}
    for xs, inner in itertools.pairwise(levels):
        for name, value in named_rows:
            at = place_of(value)
            if at is not None and at[0] is xs:
                frame.env[name] = e.always(structure.item, (now[xs], at[1]))
                frame.env[name].name = value.name
        if inner is not row:
            now[inner] = e.always(structure.item, (now[xs], keys[levels.index(xs)]))


def put_back(e: Elaboration, xs: Var, changed: Var, what: str, node: Any, frame: Frame) -> None:
    """Give a list with a changed row to what stands for it."""
    changed.name = changed.name or xs.name
    if nested.changed_inside(e, xs, changed, what, e.place(node, frame)) is not None:
        return
    if is_row(e, xs):
        change(e, xs, changed, what, node, frame)
        return
    for other, name, parts in list(named(e)):
        if not any(part is xs for part in parts):
            continue
        if other.env[name] is xs:
            if other is not frame:
                raise unsupported(
                    "CC010",
                    f"{what}: the list is also reachable as `{name}` of another function",
                    e.place(node, frame),
                    help="return the new list, and assign it where it was made",
                )
            frame.env[name] = changed
            continue
        owners = [part for part in parts if isinstance(part, Mutable)]
        held = [(owner, key) for owner in owners for key, value in lists.parts_of(owner) if value is xs]
        if not held or any(owner.shared for owner, _ in held):
            raise unsupported(
                "CC010",
                f"{what}: the list is also reachable as `{name}`",
                e.place(node, frame),
                help="give the list a name of its own",
            )
        for owner, key in held:
            lists.put_part(e, owner, key, changed)


def check(e: Elaboration, xs: Var, var: Var, what: str, where: Any, frame: Frame) -> None:
    """Refuse to change a row that something else leads to."""
    try:
        refuse_shared(e, insertions(e, xs))
    except Shared as error:
        raise unsupported(
            "CC011", f"{what} an item of a list: {error}", where, help="put a copy into the list"
        ) from None
    made = roots(e, [var])
    for found in {e.rows.sources[root] for root in made if root in e.rows.sources}:
        if e.rows.times[found] > 1 or any(part is found for _, _, parts in named(e) for part in parts):
            raise unsupported(
                "CC010",
                f"{what} an item of a list, which stands in another place too",
                where,
                help="put a copy into the list",
            )
    if made & e.rows.shared:
        raise unsupported(
            "CC010",
            f"{what} an item of a list, which may stand in several places",
            where,
            help="put a copy into the list",
        )
    above = {xs}
    while (outer := place_of(xs) or nested_in(e, xs)) is not None:
        xs = outer[0]
        above.add(xs)
    for other, name, parts in named(e):
        value = other.env[name]
        if other is frame and isinstance(value, Var) and (at := place_of(value)) is not None and at[0] in above:
            continue
        for part in parts:
            if (
                isinstance(part, Var)
                and part not in above
                and part is not var
                and mutable(part.object)
                and (roots(e, [part]) & made)
            ):
                raise unsupported(
                    "CC010",
                    f"{what} an item of a list: it is also reachable as `{name}`",
                    where,
                    help="read the item where it is used, or copy it",
                )


def nested_in(e: Elaboration, xs: Var) -> tuple[Var, Any] | None:
    """The map of a dict that a list is an item of, and the key."""
    found = nested.owner_of(e, xs)
    return None if found is None else (xs.definition.args[0], found[1])  # type: ignore[union-attr,return-value]


def roots(e: Elaboration, values: Iterable[Any]) -> set[Any]:
    """Where the lists and arrays in values were made, those too that they were converted from."""
    found: set[Any] = set()
    todo = list(values)
    while todo:
        new = (lists.roots(e, todo) | memory(e, todo)[0]) - found
        found |= new
        todo = [e.rows.before[root] for root in new if root in e.rows.before]
    return found


# -- names that stand for rows -----------------------------------------------------------------------------------------


def views(env: dict[str, Any], anew: Iterable[str]) -> dict[str, tuple[str, Any]]:
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
                env[name] = e.always(structure.item, (xs, key))
                env[name].name = name
            elif xs is not before[holder]:
                env[name] = Unbound(f"it was an item of `{holder}`")


def only_rows(e: Elaboration, xs: Any, start: Var, seen: frozenset[Var] = frozenset()) -> bool:
    """True for a list that differs from another one in what its rows hold alone."""
    if xs is start or xs in seen:
        return True
    let = xs.definition if isinstance(xs, Var) else None
    if let is None:
        return False
    seen |= {xs}
    if isinstance(let.op, Apply):
        return (let in e.rows.back or let.op.primitive is along.set_along) and only_rows(e, let.args[0], start, seen)
    if not isinstance(let.op, Branch | Loop | While):
        return False
    i = let.targets.index(xs)
    if isinstance(let.op, Branch):
        return all(only_rows(e, block.results[i], start, seen) for block in let.op.blocks)
    if i >= let.op.carries:
        return False
    body = let.op.blocks[-1]
    return only_rows(e, let.args[i], start, seen) and only_rows(e, body.results[i], body.params[i], seen)


def is_view_of(value: Any, xs: Any) -> bool:
    """True for a row of that list."""
    found = place_of(value)
    return found is not None and found[0] is xs


# -- each row is one of its own ----------------------------------------------------------------------------------------


class Shared(Exception):
    """A row may stand in two places."""


def insertions(e: Elaboration, xs: Any, seen: frozenset[Var] = frozenset()) -> dict[Site, tuple[Any, Block]]:
    """What was put into a list, and in which block. Raises `Shared` where that cannot be followed."""
    if not isinstance(xs, Var) or xs in seen:
        return {}
    seen, let = seen | {xs}, xs.definition
    if let is None:
        origins = e.origins.get(xs)
        if origins is None:
            raise Shared("the caller sees it too")
        if any(isinstance(o, Var) and isinstance(o.object, List) and o.object.item == xs.object for o in origins):
            raise Shared("a loop runs along it")
        return united([insertions(e, o, seen) for o in origins])
    if isinstance(let.op, Apply):
        return applied(e, let, let.op.primitive.name, xs, seen)
    if isinstance(let.op, Branch):
        i = let.targets.index(xs)
        return united([insertions(e, block.results[i], seen) for block in let.op.blocks])
    if isinstance(let.op, Loop | While):
        i, body = let.targets.index(xs), let.op.blocks[-1]
        if i >= let.op.carries:
            return {(let, i): (body.results[i], body)}
        return united([insertions(e, v, seen) for v in (let.args[i], body.results[i])])
    results = results_of(let)
    if results is None:
        raise Shared("it is what a call gives")
    return insertions(e, results[1][let.targets.index(xs)], seen)


def applied(e: Elaboration, let: Let, name: str, xs: Var, seen: frozenset[Var]) -> dict[Site, tuple[Any, Block]]:
    """What was put into a list that a primitive makes."""
    block = xs.home
    assert block is not None
    if name == "list":
        return {(let, i): (v, block) for i, v in enumerate(let.args)}
    if name in ("append", "set_item"):
        found = insertions(e, let.args[0], seen)
        return found if let in e.rows.back else united([found, {(let, 1): (let.args[1], block)}])
    if name in ("without_last", "sliced", "behind", "cut", "set_along"):
        return insertions(e, let.args[0], seen)
    if name == "concat":
        parts = [insertions(e, v, seen) for v in let.args]
        if parts[0].keys() & parts[1].keys():
            raise Shared("it stands in two places of the list")
        return united(parts)
    if name == "item":
        return united([insertions(e, v, seen) for v, _ in insertions(e, let.args[0], seen).values()])
    raise Shared("where it was made is not known")


def united(parts: list[dict[Site, tuple[Any, Block]]]) -> dict[Site, tuple[Any, Block]]:
    return {site: value for part in parts for site, value in part.items()}


def refuse_shared(e: Elaboration, found: dict[Site, tuple[Any, Block]]) -> None:
    """Raise `Shared` where two rows may be one: each is made in the run of a loop that puts it into the list."""
    used: set[Any] = set()
    for value, block in found.values():
        if not isinstance(value, Var):
            continue
        made = memory(e, [value])[0] if not isinstance(value.object, List) else lists.own_roots(e, [value])[0]
        if OUTSIDE in made:
            raise Shared("the caller sees it too")
        inside = roots(e, [value])
        if inside & used or any(around(root.home) is not around(block) for root in made):
            raise Shared("it may stand in two places of the list")
        used |= inside


def around(block: Block | None) -> Block | None:
    """The innermost loop or function of a block."""
    while block is not None and block.kind == "branch":
        block = block.parent
    return block


def check_again(e: Elaboration, updates: list[tuple[Var, Any, str]], ends: list[tuple[Var, Any]]) -> None:
    """Behind a loop, look again at the rows that it changes: `ends` are what it carries, before and behind a run."""
    found = [(xs, *e.rows.changed[xs]) for xs, _, _ in updates if xs in e.rows.changed]
    if not found:
        return
    for start, end in ends:
        e.origins[start] = [*e.origins.get(start, []), end]
    for xs, row, what, where in found:
        try:
            refuse_shared(e, insertions(e, xs))
        except Shared as error:
            raise unsupported(
                "CC011", f"{what} an item of a list: {error}", where, help="put a copy into the list"
            ) from None
        holders = lists.traced(e, [xs])[1]
        made = roots(e, [row])
        for start, end in ends:
            if start not in holders and isinstance(end, Var) and roots(e, [end]) & made:
                raise unsupported(
                    "CC010",
                    f"{what} an item of a list: it is also reachable as `{start.name}` in the next run of the loop",
                    where,
                    help="read the item where it is used, or copy it",
                )


__all__ = ["Rows", "change", "check_again", "is_row", "is_view_of", "take", "views"]
