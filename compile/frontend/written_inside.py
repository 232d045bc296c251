"""What a function that is differentiated inside a program changes of its caller's: done to what that is there.

The caller is the program, so each place is changed as any statement of the program would change it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import class_variables
from ccc.compile.frontend.captures import Within, field_of
from ccc.compile.frontend.elaborate import Elaborated
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.guards import Hidden
from ccc.compile.frontend.lent import Site, WriteBack, Written, reading
from ccc.compile.frontend.memory.interface import (
    OUTSIDE,
    change,
    dicts,
    list_changes,
    places,
    put,
    row_provenance,
    updates,
)
from ccc.compile.frontend.parts import MISSING
from ccc.compile.frontend.place_kinds import StoredAs, WrittenAs
from ccc.compile.frontend.regions import is_reference, kind_of
from ccc.compile.frontend.standing import as_argument
from ccc.compile.frontend.values import Frame, ListValue, RecordValue, variables_in
from ccc.compile.program.lam import Var, leaves, like
from ccc.objects_of_values import object_of


def there(e: Elaboration, found: WriteBack, args: Sequence[Any], node: ast.AST, frame: Frame | None) -> dict[Site, Any]:
    """What the program has at the sites of a function that it calls."""
    at: dict[Site, Any] = {}
    for site in found.seen:
        if site.again is None:
            at[site] = site.value(None, args)
        elif isinstance(variable := site.again(e.root), class_variables.Variable):
            at[site] = class_variables.place(e, variable.cls(), variable.name)  # type: ignore[arg-type]
        else:
            read = e.read(site.name, site.root, site.again(e.root), site.again, node, frame)
            stands = current(e, site.root)
            whole = read if stands is None else stands
            at[site] = Site(0, site.path).value(None, [whole])
    return at


def refuse_shared(
    e: Elaboration, found: WriteBack, at: dict[Site, Any], node: ast.AST, frame: Frame | None
) -> None:
    """Refuse that what a function changes is something else that it sees, too, where it was not read as that."""
    for i in found.changed:
        for j, other in enumerate(found.seen):
            if found.same[j] != i and shares(e, at[found.seen[i]], at[other]):
                names = f"`{found.seen[i].name}` and `{other.name}`"
                raise unsupported("CC011", f"{names} share memory, and the function that is differentiated changes "
                                  f"`{found.seen[i].name}`", e.place(node, frame), help="pass a copy of one of them")


def refuse_stored(e: Elaboration, node: ast.AST, frame: Frame | None) -> None:
    """Refuse that a function that is differentiated changes what may stand in a store: it is given what stands there,
    and no place."""
    if e.stores is not None:
        raise places.refused(e, "a function that is differentiated changes it", node, frame)


def shares(e: Elaboration, a: Any, b: Any) -> bool:
    """Whether two values of the program may be one place; what two arguments share is seen at the call."""
    if a is b:
        return True
    return isinstance(a, Var) and isinstance(b, Var) and bool(
        (row_provenance.roots(e, [a]) & row_provenance.roots(e, [b])) - {OUTSIDE})


def standing(e: Elaboration, hidden: Hidden, node: ast.AST, frame: Frame | None) -> Any:
    """What stands now where a function that is differentiated reads from outside; None where the program has not read
    that. Refuses what the program has changed into something of another kind."""
    found = current(e, hidden.key)
    if found is None:
        return None
    found = as_argument(e, found, node, frame)
    before = [v.object for v in variables_in(hidden.tree)]
    if isinstance(found, (int, float)):
        alike = before == [object_of(found)]
    else:
        alike = [v.object for v in variables_in(found)] == before and [*leaves(found)] == variables_in(found)
    if alike:
        return found
    raise unsupported("CC011", f"a function that is differentiated inside a program reads `{hidden.name}`, which the "
                      "program has made something else", e.place(node, frame), help="pass it as an argument")


def refuse_known(e: Elaboration, inner: Elaborated, node: ast.AST, frame: Frame | None) -> None:
    """Refuse a function that is differentiated and read with what the program has changed before, as an int is."""
    for key, guard in inner.guard_table.items():
        found = current(e, key) if isinstance(key, tuple) and not guard.formal else None
        if isinstance(found, (Var, int, float, str)) and (type(found), found) != (type(guard.value), guard.value):
            raise unsupported("CC011", "a function that is differentiated inside a program reads a number that has to "
                              f"be known (`{key[1]}`), which the program has changed", e.place(node, frame),
                              help="pass it as an argument")


def current(e: Elaboration, key: Any) -> Any:
    """What the program has now at a key of something outside, a part of an object where that is."""
    found = standing_at(e, key)
    return None if found is None else e.handlers.whole(e, found, ast.Pass(), None)


def standing_at(e: Elaboration, key: Any) -> Any:
    """What stands there, which may be a reference."""
    if (held := class_variables.held_at(e, key)) is not MISSING:
        return held
    owner: Any = standing_at(e, key[0]) if isinstance(key, tuple) and len(key) == 2 else None
    if isinstance(owner, RecordValue) and key[1] in owner.fields:
        return e.lent.standing(owner.fields[key[1]])
    place: Any = owner if is_reference(owner) else None
    if place is not None and kind_of(place) is StoredAs.OBJECT and key[1] in places.region_at(place).parts:
        return places.field_at(e, place, key[1])
    if place is not None and is_part(e, key):
        what = "a function that is differentiated reads what stands in a list or dict"
        raise places.refused(e, what, ast.Pass(), None)
    known = e.outside_values.get(key)
    return None if known is None else e.lent.standing(known)


def is_part(e: Elaboration, key: Any) -> bool:
    """True where a key is that of a part which the program has read."""
    guard = e.guards.get(key)
    return key in e.outside_values or (
        guard is not None and isinstance(guard.read, Within) and guard.read.part is field_of)


def write(
    e: Elaboration, found: WriteBack, state: Sequence[Any], at: dict[Site, Any], node: ast.AST, frame: Frame | None
) -> None:
    """Change what the function has changed."""
    at, here = dict(at), {site: site for site in at}
    for one in sorted(found.written, key=lambda one: one.kind is not WrittenAs.LIST):
        # a list is another one once it has changed
        parts = {label: reading(part, here, like)(state, at) for label, part in one.parts.items()}
        written(e, one, at[one.site], parts, node, frame)
        if one.kind is WrittenAs.LIST:
            at[one.site] = parts[0]


def written(
    e: Elaboration, one: Written, place: Any, parts: dict[Any, Any], node: ast.AST, frame: Frame | None
) -> None:
    """Change one place of the program."""
    what = f"the call that is differentiated changes `{one.site.name}`, which"
    if one.kind is WrittenAs.ARRAY:
        updates.replace(e, place, parts[0], node, None, frame)
    elif one.kind in (WrittenAs.OBJECT, WrittenAs.DICT):
        for label, value in parts.items():
            put(e, place, label, value, node, frame)  # type: ignore[arg-type]
    elif one.kind is WrittenAs.ANEW:
        change(e, place, what, node, frame)
        place.fields = dict(parts)
    elif one.kind is WrittenAs.LIST:
        written_list(e, place, parts[0], what, node, frame)
    elif one.kind is WrittenAs.MAP:
        change(e, place, what, node, frame)
        dicts.promoted(e, place, "changes in a way that is not known", node, frame)
        dicts.renew(e, place, parts[0], e.place(node, frame))
    else:
        change(e, place, what, node, frame)
        place.items = list(parts.values())


def written_list(e: Elaboration, place: Any, new: Var, what: str, node: ast.AST, frame: Frame | None) -> None:
    """Give a list of the program, known item by item or not, other items."""
    if isinstance(place, ListValue):
        change(e, place, what, node, frame)
        place = list_changes.promoted(e, place, "changes in a way that is not known", e.place(node, frame))
    elif isinstance(node, ast.expr) and frame is not None:
        list_changes.store(e, list_changes.Place(node, place, frame), new, "cannot change what is given to")
        return
    else:  # nothing but the caller's names leads to it
        e.lent.changing([place])
    list_changes.put_new(e, place, new)


def refuse_integers(e: Elaboration, inner: Elaborated, node: ast.AST, frame: Frame | None) -> None:
    """Refuse what is written back where ints are read as floats: what is an int there would be one no more."""
    assert inner.writes is not None
    if any(isinstance(leaf, Var) for tree in inner.writes.state for leaf in leaves(tree)):
        raise unsupported("CC011", "a function that is differentiated inside a program changes what it is given, and "
                          "ints there are read as floats", e.place(node, frame), help="write them as floats, `1.0`")
