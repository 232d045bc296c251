"""Who sees a row that changes where it stands: it is refused by name where anything but its place leads to it.

A row is followed to where it was put into the list and to where it was made, and so is all that is alive.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import interrupts
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import dict_item_updates, displays, exclusivity, lists, row_provenance
from ccc.compile.frontend.memory.aliasing import (
    alive,
    called,
    named,
    place_of,
    under_way,
    way_from,
    with_sources,
)
from ccc.compile.frontend.parts import changeable, defined, is_object
from ccc.compile.frontend.values import Frame, Mutable, OwnName, RecordValue, closed, is_ours
from ccc.compile.program.lam import Var


def check(e: Elaboration, xs: Var, var: Var, what: str, where: Any, frame: Frame) -> None:
    """Refuse to change a row that something else leads to."""
    found = place_of(var)
    assert found is not None
    if row_provenance.way(e, var) & e.versions.borrowed:
        raise interrupts.Borrowed
    with each_of_its_own(what, where):
        row_provenance.refuse_shared(e, row_provenance.insertions(e, xs))
        made = row_provenance.identity(e, var)
    made = with_sources(e, made)
    for source in {e.rows.sources[root] for root in made if root in e.rows.sources}:
        if e.rows.times.get(source, 0) > 1 or any(
            part is source for other, name, parts in seen_now(e) if alive(other, name) for part in parts
        ):
            raise unsupported(
                "CC010",
                f"{what} an item of a list, which stands in another place too",
                where,
                help="put a copy into the list",
            )
    refuse_several(e, made, what, where)
    above = {xs}
    while (outer := place_of(xs) or nested_in(e, xs)) is not None:
        xs = outer[0]
        above.add(xs)
    for other, name, parts in seen_now(e):
        value = other.env[name] if other is not None else None
        if any(way_from(holder, value) is not None for holder in above):
            continue
        kept = other is not None and value is not var and any(part is var for part in parts)
        if (kept or any(leads_to(e, part, var, above, made) for part in parts)) and alive(other, name):
            raise unsupported(
                "CC010",
                f"{what} an item of a list: it is also reachable as {called(name)}",
                where,
                help=instead(name, value, var),
            )


@contextmanager
def each_of_its_own(what: str, where: Any) -> Iterator[None]:
    """Refuse to change a row where it is found that it may stand in two places."""
    try:
        yield
    except row_provenance.Shared as error:
        raise unsupported("CC011", f"{what} an item of a list: {error}", where,
                          help="put a copy into the list") from None


def refuse_several(e: Elaboration, made: set[Any], what: str, where: Any) -> None:
    """Refuse to change what rows were given that may be seen where it was before, too."""
    if made & e.rows.shared:
        raise unsupported("CC010", f"{what} an item of a list, which may stand in several places", where,
                          help="put a copy into the list")


def instead(name: str, value: Any, var: Var) -> str:
    """What to write where a name stands for an item that changes, or for what holds it."""
    holds = isinstance(value, (Mutable, tuple)) or (isinstance(value, Var) and value.object != var.object)
    if holds and not isinstance(name, OwnName):
        return f"put a copy into `{name}`"
    return "read the item where it is used, or copy it"


def leads_to(e: Elaboration, part: Any, var: Var, above: set[Var], made: set[Any]) -> bool:
    """True for what may be the row of a variable, or hold it, and does not see that it changes."""
    if isinstance(part, RecordValue):
        if closed(part) is not part:
            return bool(with_sources(e, row_provenance.reach(e, part.whole)) & made)
        a: Any = var.object
        return is_object(a) and part.cls is a.cls and bool(part.shared) and part.shared != "the caller"
    if not isinstance(part, Var) or part in above or part is var:
        return False
    return changeable(part.object) and bool(with_sources(e, row_provenance.reach(e, part)) & made)


def refuse_copies(e: Elaboration, owner: Mutable, what: str, node: ast.AST, frame: Frame | None) -> None:
    """Refuse to change a known list or object that a name may stand for as an item of a list that was read at any
    index."""
    if owner not in e.rows.times and owner not in e.rows.sources.values():
        return
    for other, name, parts in seen_now(e):
        if any(isinstance(part, Var) and changeable(part.object)
               and owner in with_sources(e, row_provenance.reach(e, part)) for part in parts) and alive(other, name):
            raise unsupported("CC010", f"{what} an item of a list: it is also reachable as {called(name)}",
                              e.place(node, frame), help="read the item where it is used, or copy it")


def seen_now(e: Elaboration) -> Iterator[tuple[Any, str, list[Any]]]:
    """Every name that is alive, and what the expressions under way have computed, with what they lead to."""
    yield from named(e)
    yield None, "a part of this statement", under_way(e)


def nested_in(e: Elaboration, xs: Var) -> tuple[Var, Any] | None:
    """The map of a dict that a list is an item of, and the key."""
    found = dict_item_updates.owner_of(e, xs)
    return None if found is None else (xs.definition.args[0], found[1])  # type: ignore[union-attr,return-value]


def check_again(e: Elaboration, updates: list[tuple[Var, Any, str]], ends: list[tuple[Var, Any]]) -> None:
    """Behind a loop, look again at the rows that it changes: `ends` are what it carries, before and behind a run."""
    found = [(xs, *e.rows.changed[xs]) for xs, _, _ in updates if xs in e.rows.changed]
    if not found:
        return
    for start, end in ends:
        e.origins[start] = [*e.origins.get(start, []), end]
    for xs, row, what, where in found:
        with each_of_its_own(what, where):
            row_provenance.refuse_shared(e, row_provenance.insertions(e, xs))
        holders = lists.traced(e, [xs])[1]
        made = row_provenance.identity(e, row)
        refuse_several(e, made, what, where)
        for start, end in ends:
            if start not in holders and isinstance(end, Var) and row_provenance.reach(e, end) & made:
                raise unsupported(
                    "CC010",
                    f"{what} an item of a list: it is also reachable as `{start.name}` in the next run of the loop",
                    where,
                    help="keep its index, and read the item where it is used",
                )


def copy_of(found: Mutable) -> str:
    """How a copy is made."""
    cls = getattr(found, "cls", list)
    return f"{cls.__name__}(...)" if cls in (list, dict) else "dataclasses.replace(...)"


def change(e: Elaboration, found: Mutable, what: str, node: ast.AST, frame: Frame | None, *holds: Any) -> None:
    """Refuse to change what others see, or what may be in what it is to hold; else note that it changes now."""
    if found.shared:
        e.lent.changing([found])
        who = found.shared if isinstance(found.shared, str) else "the caller"
        if is_ours(getattr(found, "cls", list)) and defined(found, "__next__"):
            raise unsupported("CC011", "an iterator is asked for an item where it may be one of several",
                              e.place(node, frame), f"{who} sees how far it has come",
                              help="take what it gives as a list: `list(...)`")
        raise unsupported("CC011", f"{what} would change something that is visible elsewhere", e.place(node, frame),
                          f"{who} sees it too", help=f"change a copy, and return it: {copy_of(found)}")
    dict_item_updates.refuse_views(e, found, e.place(node, frame))
    with e.meanwhile(*holds):
        exclusivity.refuse_copies(e, found, f"{what} would change", node, frame)
    if any(displays.may_be_one_of(e, value, found) for value in holds):
        raise unsupported("CC010", f"{what} would change an item of a list, which it is to hold", e.place(node, frame),
                          help="read the item where it is used, or copy it")
    e.heap.before_change(found)
