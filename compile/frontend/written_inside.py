"""What a function that is differentiated inside a program changes of its caller's: done to what that is there.

The caller is the program, so each place is changed as any statement of the program would change it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.elaborate import Elaborated
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.lent import Site, WriteBack, Written, value_of
from ccc.compile.frontend.memory.interface import change, dicts, list_changes, put, updates
from ccc.compile.frontend.values import Frame, ListValue
from ccc.compile.program.lam import Var, leaves


def there(e: Elaboration, found: WriteBack, args: Sequence[Any], node: ast.AST, frame: Frame | None) -> dict[Site, Any]:
    """What the program has at the sites of a function that it calls."""
    at: dict[Site, Any] = {}
    for site in found.seen:
        if site.again is None:
            at[site] = site.value(None, args)
        else:
            whole = e.read(site.name, site.root, site.again(e.root), site.again, node, frame)
            at[site] = Site(0, site.path).value(None, [whole])
    return at


def write(
    e: Elaboration, found: WriteBack, state: Sequence[Any], at: dict[Site, Any], node: ast.AST, frame: Frame | None
) -> None:
    """Change what the function has changed."""
    at = dict(at)
    for one in sorted(found.written, key=lambda one: one.kind != "list"):  # a list is another one once it has changed
        parts = {label: value_of(part, state, at) for label, part in one.parts.items()}
        written(e, one, at[one.site], parts, node, frame)
        if one.kind == "list":
            at[one.site] = parts[0]


def written(
    e: Elaboration, one: Written, place: Any, parts: dict[Any, Any], node: ast.AST, frame: Frame | None
) -> None:
    """Change one place of the program."""
    what = f"the call that is differentiated changes `{one.site.name}`, which"
    if one.kind == "array":
        updates.replace(e, place, parts[0], node, None, frame)
    elif one.kind in ("object", "dict"):
        for label, value in parts.items():
            put(e, place, label, value, node, frame)  # type: ignore[arg-type]
    elif one.kind == "anew":
        change(e, place, what, node, frame)
        place.fields = dict(parts)
    elif one.kind == "list":
        written_list(e, place, parts[0], what, node, frame)
    elif one.kind == "map":
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
