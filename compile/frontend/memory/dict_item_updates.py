"""Lists, arrays and dicts inside of a dict of the program, changed where they stand: `graph[u].append(v)`.

The changed item is put back under its key. That is Python's meaning as long as nothing else sees the item: no name, no
other key, no other dict. So what is put into a dict is followed, and what may be seen elsewhere is refused by name.
"""

from __future__ import annotations

from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import lists
from ccc.compile.frontend.memory.aliasing import alive, called, is_named, memory, named, with_sources
from ccc.compile.frontend.values import ITEMS, ListValue, Mutable, OwnName, RecordValue, View
from ccc.compile.program.lam import Apply, Var
from ccc.compile.program.sharing import mutable
from ccc.objects import Map
from ccc.primitives import maps

WRITTEN = "a dict's "  # how frames of methods that are written in Python begin


def owner_of(e: Elaboration, var: Any) -> tuple[RecordValue, Any] | None:
    """The dict that holds the value of a variable now, and the key."""
    let = var.definition if isinstance(var, Var) else None
    if let is None or not isinstance(let.op, Apply) or let.op.primitive is not maps.lookup:
        return None
    m, key = let.args
    for _, _, parts in named(e):
        for part in parts:
            if isinstance(part, RecordValue) and part.fields.get(ITEMS) is m:
                return part, key if isinstance(key, Var) else key.value
    return None


def changed_inside(e: Elaboration, var: Var, new: Var, what: str, place: Any) -> Var | None:
    """Put a changed item back where it stood; gives the item as it is found there. None where it is in no dict."""
    found = owner_of(e, var)
    if found is None:
        return None
    owner, key = found
    check(e, owner, var, what, place)
    m = owner.fields[ITEMS]
    outer = owner_of(e, m) if owner.shared else None
    if owner.shared and outer is None:
        e.lent.changing([owner])
        raise unsupported("CC011", f"{what} an item of a dict that is visible elsewhere", place,
                          f"{owner.shared if isinstance(owner.shared, str) else 'the caller'} sees it too",
                          help="make a new dict")
    changed = e.always(maps.put, (m, new, key))
    e.rows.back.add(changed.definition)
    if outer is not None:
        inner = changed_inside(e, m, changed, what, place)
        assert inner is not None
        changed = inner
    renew(e, owner, changed)
    e.inside_dicts.changed[owner] = place
    e.updates.append((var, place, what))
    again = e.always(maps.lookup, (changed, key))
    for frame, name, _ in list(named(e)):
        if frame.env[name] is var:
            frame.env[name] = again
    return again


def renew(e: Elaboration, owner: RecordValue, new: Var) -> None:
    """Give a dict another map; the values read from it before stay what they are."""
    refuse_views(e, owner, e.recorder.span)
    e.heap.before_change(owner)
    new.name = new.name or owner.fields[ITEMS].name
    owner.fields[ITEMS] = new


def refuse_views(e: Elaboration, owner: Any, place: Any) -> None:
    """Refuse to change a dict while a name stands for its keys, values or items."""
    if owner not in e.inside_dicts.viewed:
        return

    def shows(part: Any) -> bool:
        if isinstance(part, View):
            return part.shows(owner)
        return isinstance(part, Var) and any(shown is owner for shown in e.inside_dicts.viewed_by(part))

    for frame, name, parts in named(e):
        if any(map(shows, parts)) and alive(frame, name):
            if isinstance(name, OwnName):
                raise unsupported("CC011", "a comprehension changes the dict along which it runs", place,
                                  help="run along a copy: `list(...)`")
            raise unsupported("CC010", f"a dict changes while `{name}` is a view of it", place,
                              help=f"`{name} = list(...)` of the keys or values")


def check(e: Elaboration, owner: RecordValue, var: Var, what: str, place: Any) -> None:
    """Refuse to change an item that somebody else sees."""
    if owner in e.inside_dicts.seen:
        raise unsupported("CC010", f"{what} an item of a dict: it may also be reachable otherwise", place,
                          "what was put into the dict had a name, or stood in another place",
                          help="put a copy into the dict")
    made = memory_of(e, var)
    inner = owner.fields[ITEMS]
    chain = {inner}
    while (above := owner_of(e, inner)) is not None:
        inner = above[0].fields[ITEMS]
        chain.add(inner)
    for frame, name, parts in named(e):
        for part in parts:
            known = part in made if isinstance(part, Mutable) else part is var and frame.env[name] is not var
            if known or (isinstance(part, Var) and part is not var and part not in chain and mutable(part.object)
                         and memory_of(e, part) & made):
                raise unsupported("CC010", f"{what} an item of a dict: it is also reachable as {called(name)}", place,
                                  help="read the item where it is used, or copy it")


def entering(e: Elaboration, owner: RecordValue, value: Any, atom: Any, place: Any) -> None:
    """Note what is put into a dict, and whether something else may see it."""
    if isinstance(value, Mutable):
        alone = not any(occurrences(parts, value) > occurrences(parts, owner)
                        for frame, _, parts in named(e) if not frame.name.startswith(WRITTEN))
        fresh = alone and value not in e.inside_dicts.put and not nested(value)
        e.inside_dicts.put.add(value)
    elif isinstance(atom, Var) and mutable(atom.object):
        made = memory_of(e, atom)
        block = e.recorder.block
        known = [root for root in made if isinstance(root, Mutable)]
        fresh = not made & e.inside_dicts.put and not any(is_named(e, root) for root in known) and all(
            isinstance(root, Var) and root.home is not None and block in root.home.ancestors()
            for root in made.difference(known))
        e.inside_dicts.put |= made
    else:
        return
    if not fresh:
        e.inside_dicts.seen[owner] = place
        if owner in e.inside_dicts.changed:
            raise unsupported("CC010", "this may be seen elsewhere, and items of the dict change where they stand",
                              place, f"an item changes at {e.inside_dicts.changed[owner]}",
                              help="put a copy into the dict")


def memory_of(e: Elaboration, value: Var) -> set[Any]:
    """Where the lists and arrays in a value were made, and the known ones that it is a copy of."""
    return with_sources(e, lists.roots(e, [value]) | memory(e, [value])[0])


def nested(value: Any) -> bool:
    """True for lists and dicts that hold others."""
    inside = value.items if isinstance(value, ListValue) else value.fields.values()
    return any(isinstance(part, (Mutable, tuple)) or (isinstance(part, Var) and mutable(part.object)
                                                     and not isinstance(part.object, Map)) for part in inside)


def occurrences(parts: list[Any], value: Any) -> int:
    return sum(part is value for part in parts)
