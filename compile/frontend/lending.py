"""Places of the function's own for what it changes of its caller's: copies that it begins with.

    lend(e, site, tree, value)   what the function sees of a value that the caller has there
    read_first(e)                what it changes outside is read before all else
"""

from __future__ import annotations

from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import class_variables
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.lent import Place, Site, in_order, part_at
from ccc.compile.frontend.parts import changeable
from ccc.compile.frontend.regions import is_reference
from ccc.compile.frontend.values import ITEMS, ListValue, Mutable, RecordValue
from ccc.compile.program.lam import Node, Var, like
from ccc.compile.program.sharing import mutable
from ccc.objects import UNIT, Array, List, Map, Object
from ccc.primitives import complexes, lists, shaping, structure
from ccc.records import Code
from ccc.registered import read_for

NOWHERE: Any = None


def lend(e: Elaboration, site: Site, tree: Any, value: Any) -> Any:
    """What the function sees of a value that the caller has at a site: the tree of its parameters, with copies where
    it is changed. What is changed and stands at two sites is one place."""
    lent = e.lent
    if isinstance(tree, RecordValue) and tree.cls is complexes.Complex:  # the parts of an array are views of it
        tree.fields = {label: lend(e, site.part(label, False), part, part_of(value, label))
                       for label, part in tree.fields.items()}
        return tree
    below = read_for(tree.cls) if isinstance(tree, RecordValue) else None
    if below is not None:
        return lend_container(e, site, tree, value, below)
    if not is_mutable(tree) and not (e.stores is not None and isinstance(tree, Var) and changeable(tree.object)):
        if not isinstance(tree, tuple) or is_reference(tree):  # which leads to a place already
            return tree
        return with_parts(e, site, tree, value)
    changed = id(value) in lent.changed
    if changed and id(value) in lent.known:
        lent.sites.setdefault(tree, site)  # of one that is read from outside by itself, too
        return lent.known[id(value)]
    site = lent.sites.setdefault(tree, site)
    if isinstance(tree, RecordValue) and ITEMS not in tree.fields:
        for label in in_order(tree.fields):
            tree.fields[label] = lend(e, site.part(label, tree.cls is dict), tree.fields[label], part_of(value, label))
    if isinstance(tree, ListValue):
        tree.items = [lend(e, site.part(i, True), part, value[i]) for i, part in enumerate(tree.items)]
    if not (changed or site in lent.own) or site in lent.places:
        return tree
    own = owned(e, site, tree)
    place = lent.places[site] = Place(site, own)
    lent.names.env[place.name] = own
    if isinstance(own, (Var, Mutable)):
        lent.sites[own] = site
    if changed:
        lent.known[id(value)] = own
    return own


def lend_container(e: Elaboration, site: Site, tree: RecordValue, value: Any, below: Any) -> RecordValue:
    """What the function sees of an object of a container class below Python's, or of one that is made in C, as which
    that of another is read: it is written back as a whole where its parts are containers of what never changes."""
    lent, stores = e.lent, e.stores is not None
    inside = {label: tree.fields[label] for label in in_order(tree.fields)}
    parts = {label: x for label, x in inside.items() if isinstance(x, (Var, Mutable)) and is_mutable(x)}
    own = id(value) in lent.changed or site in lent.own
    if hasattr(below, "__ccc_lent__"):
        tree.fields |= below.__ccc_lent__(own)
    plain = all(is_content(below, label) and is_plain_table(part) for label, part in parts.items())
    if site.again is not None or not (stores or plain):
        for label, part in parts.items() if site.again is None else ():  # where readings with stores find it
            tree.fields[label] = lend_part(e, site, label, part, value, is_content(below, label))
        refuse_changes(e, site, tree, type(value).__name__)
        return tree
    if issubclass(tree.cls, set):  # the items are its keys, which have no derivative
        e.looked_at += [x for part in parts.values() for x in held_by(part) if isinstance(x, Var)]
    tree.cls = below
    site = lent.sites.setdefault(tree, site)
    if id(value) in lent.changed and id(value) in lent.known:
        return lent.known[id(value)]
    if not own:
        lent.sites |= {part: site for label, part in parts.items() if is_content(below, label)}
    for label, part in parts.items():
        lent_part = lend_part(e, site, label, part, value, is_content(below, label)) if stores else part
        tree.fields[label] = owned(e, site, lent_part) if own and is_content(below, label) else lent_part
    if not own:
        return tree
    tree.shared = False
    now = owned(e, site, tree) if stores else tree
    place = lent.places[site] = Place(site, now)
    lent.names.env[place.name] = lent.known[id(value)] = now
    return now


def lend_part(e: Elaboration, site: Site, label: str, part: Any, value: Any, content: bool) -> Any:
    """Lend an attribute of a container, or one by one what it holds, as far as that is known so."""
    if not content:
        return lend(e, site.part(label, False), part, part_of(value, label))
    inside = Site(site.root, (*site.path, label), site.again, site.name)
    if isinstance(part, ListValue):
        part.items = [lend(e, inside.part(i, True), x, part_of(part_of(value, label), i))
                      for i, x in enumerate(part.items)]
    elif isinstance(part, RecordValue) and ITEMS not in part.fields:
        part.fields = {key: lend(e, inside.part(key, True), x, part_of(part_of(value, label), key))
                       for key, x in part.fields.items()}
    return part


def is_content(below: Any, label: str) -> bool:
    """Whether a part of such an object is what the container holds, and no attribute beside it."""
    return not hasattr(below, "__ccc_filled__") or label == below.__ccc_filled__[0]


def is_plain_table(part: Any) -> bool:
    """Whether nothing that a list or dict holds could change."""
    if isinstance(part, Var):
        return not holds_changeable(part.object)
    return not any(isinstance(x, Mutable) or (isinstance(x, Var) and changeable(x.object)) for x in held_by(part))


def held_by(part: Any) -> list[Any]:
    """What stands in a list or dict, or itself where its items are not known one by one."""
    return list(part.items) if isinstance(part, ListValue) else list(part.fields.values()) if isinstance(
        part, RecordValue) else [part]


def holds_changeable(a: Object) -> bool:
    """Whether a list or map, or what is none, holds something that could change."""
    return changeable(a.item) if isinstance(a, (List, Map)) else changeable(a)


def refuse_changes(e: Elaboration, site: Site, tree: Any, of: str) -> None:
    """Read a container of a class below Python's by its parts, and refuse what would change it or something in it."""
    def refusal() -> BaseException:
        text = f"`{site.name}` is of class `{of}`, or stands in one of it, and the function changes it"
        return unsupported("CC011", text, NOWHERE,
                           help=f"change a copy, `copy.deepcopy({site.name})`, or pass a plain dict or list")

    todo = [tree]
    while todo:
        here = todo.pop()
        if isinstance(here, RecordValue):
            here.cls = read_for(here.cls) or here.cls
        if isinstance(here, (Var, Mutable)):
            e.lent.refusals[here] = refusal
        todo += here.fields.values() if isinstance(here, RecordValue) else here.items if isinstance(
            here, ListValue) else here if isinstance(here, tuple) else ()


def with_parts(e: Elaboration, site: Site, tree: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    """A tuple with what the function sees of its parts."""
    labels = tree.names if isinstance(tree, Node) else range(len(tree))
    found = [lend(e, site.part(label, False), part, part_of(value, label))
             for label, part in zip(labels, tree, strict=True)]
    return tree if all(a is b for a, b in zip(found, tree, strict=True)) else like(tree, found)


def part_of(value: Any, label: Any) -> Any:
    """A part of a value that the caller has; of an object of the program, that."""
    return value if isinstance(value, Object) else part_at(value, label)


def is_mutable(tree: Any) -> bool:
    """True for what Python could change where it stands, or has parts that could be others once they have changed."""
    if isinstance(tree, RecordValue):
        return not issubclass(tree.cls, (Code, complexes.Complex))
    return isinstance(tree, ListValue) or (isinstance(tree, Var) and mutable(tree.object))


def owned(e: Elaboration, site: Site, tree: Any) -> Any:
    """A place of the function's own that begins with what the caller has."""
    if e.stores is not None:
        if isinstance(tree, ListValue):  # in a store it is one list, of one type
            tree = e.leaf(tree, NOWHERE, None) if tree.items else e.always(structure.listing, ())
        moved = e.handlers.moved_in(e, site, tree)
        if moved is not tree:
            return moved
    if isinstance(tree, Mutable):
        tree.shared = False
        return tree
    if tree.object == List(UNIT):  # of which all is known
        return ListValue([])
    if isinstance(tree.object, Array):
        own = e.always(shaping.copy, (tree,))
    elif isinstance(tree.object, List):
        own = e.always(lists.sliced, (tree,), places="")
    else:
        return tree
    own.name = tree.name
    return own


def read_first(e: Elaboration) -> None:
    """Read what the function changes outside before anything else, since it is older than what the function makes."""
    for site in sorted([site for site in e.lent.own if site.again is not None], key=lambda site: site.name):
        assert site.again is not None
        value = site.again(e.root)
        if isinstance(value, class_variables.Variable):
            class_variables.begin(e, value, lambda tree, site=site, value=value: lend(e, site, tree, value))
            continue
        e.read(site.name, site.root, value, site.again, NOWHERE, None)
