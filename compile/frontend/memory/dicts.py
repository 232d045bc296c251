"""Dicts while a function is elaborated: known key by key, or finite maps of the program.

A dict whose keys are known is a record. Where it is changed at a key that is not known, or so that its keys differ
behind a branch or loop, its one part becomes a map of the program, and every name that stands for the dict sees that.
A dict that stays as it is can be read at any key: the map is made beside it.

References: `ccc.primitives.maps` has the operations on maps.
"""

from __future__ import annotations

import ast
import copy
import functools
from typing import Any

from ccc.compile.diagnostics import mismatch, nearest, unsupported, without_value
from ccc.compile.frontend import effects as effects_of_python, members, sums
from ccc.compile.frontend.describing import described, is_column, unhashable
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.interrupts import Ends, Grows
from ccc.compile.frontend.iterator_values import IteratorValue
from ccc.compile.frontend.memory import attributes, dict_item_updates, list_changes, lists
from ccc.compile.frontend.memory.aliasing import OUTSIDE
from ccc.compile.frontend.memory.exclusivity import change
from ccc.compile.frontend.parts import opened
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import is_of_reference, region_of
from ccc.compile.frontend.stores import holds_reference
from ccc.compile.frontend.values import (
    COUNTED,
    FACTORY,
    ITEMS,
    Frame,
    ListValue,
    OwnName,
    RecordValue,
    Unbound,
    variables_in,
)
from ccc.compile.program.lam import Var
from ccc.coproducts import NONE, sum_of
from ccc.objects import UNIT, Bool, Int, Map, Object, Product, Real, Static, Text
from ccc.objects_of_values import object_of
from ccc.primitives import effects, maps, structure, zero_trees
from ccc.records import is_key


def is_dict(value: Any) -> bool:
    """True for dicts, known key by key or not."""
    return isinstance(value, RecordValue) and value.cls is dict


def map_in(value: Any) -> Var | None:
    """The map of the program that a dict holds; None where its keys are known."""
    return value.fields.get(ITEMS) if is_dict(value) else None


def made_of(var: Var, shared: bool | str = False) -> RecordValue:
    """The dict that holds a map of the program."""
    return RecordValue(dict, {ITEMS: var}, shared)


def holds_nothing(var: Var) -> bool:
    """True for a map into which nothing was put so far, whatever the program runs on."""
    return isinstance(var.object, Map) and var.object.item == UNIT


def map_from(
    e: Elaboration, fields: dict[Any, Any], node: ast.AST, frame: Frame | None, owner: RecordValue | None = None
) -> Var:
    """The map of the program with these keys and items."""
    if not fields:
        return e.always(zero_trees.empty_map, (), of=Map(UNIT, UNIT))
    items = tuple([stored(e, value, node, frame) for value in fields.values()])
    if owner is not None:
        for value, atom in zip(fields.values(), items, strict=True):
            dict_item_updates.entering(e, owner, value, atom, e.place(node, frame))
    objects = [x.object if isinstance(x, Var) else object_of(x) for x in items]
    meet(e, objects)
    if NONE in objects and any([is_of_reference(a) or isinstance(a, Text) for a in objects]):
        items = tuple([sums.as_sum(e, x, sum_of(objects)) for x in items])
    keys = tuple(fields)
    try:
        if any(members.as_objects(key) is not key for key in keys):
            found = map_from(e, {}, node, frame)
            for key, part in zip(keys, items, strict=True):
                found = e.always(maps.put, (found, part, key_atom(e, key, node, frame)))
            return found
        kind = maps.map_of(keys, [UNIT] * len(keys)).key
        return e.always(maps.mapping, items, keys=keys, key=kind)
    except TypeError as error:
        raise mismatch("CC006", "this dict is read or changed at a key that is not known, so its items need one type",
                       e.place(node, frame), str(error), help="use one dict for each type") from error


def meet(e: Elaboration, objects: list[Object]) -> None:
    """Let the references in what a map holds be of one region, where they are of one kind."""
    if e.stores is None:
        return
    for other in objects[1:]:
        e.stores.regions.joined(objects[0], other)


def promoted(e: Elaboration, found: RecordValue, why: str, node: ast.AST, frame: Frame | None) -> Var:
    """A dict as a map of the program from now on."""
    place = e.place(node, frame) if isinstance(node, ast.AST) else node
    known = map_in(found)
    if known is not None:
        return known
    if found.shared:
        change(e, found, f"a dict {why}, which", node, frame)
    if e.heap.before_block(found):
        raise Grows(found, place)
    var = map_from(e, found.fields, node, frame, found)
    e.heap.write(found, {ITEMS: var})
    return var


def snapshot(e: Elaboration, found: RecordValue, node: ast.AST, frame: Frame) -> Var:
    """What a dict holds now, as a map: made once for a dict that the caller sees, where its items are."""
    fixed = found.shared == "the caller" and not e.lent.own  # what is in it may change, too
    key = id(found) if fixed else None
    known = e.snapshots.get(key)
    if known is not None and known[1].definition in known[2].lets:
        return known[1]
    if not fixed:
        var = map_from(e, found.fields, node, frame)
        e.inside_dicts.copies |= {root for root in lists.roots(e, [var]) if root is not OUTSIDE}
        return var
    homes = {v.home for v in variables_in(found)}
    around = list(e.recorder.block.ancestors())
    home = next((block for block in around if block in homes), around[-1])
    outer, e.recorder.block = e.recorder.block, home
    try:
        var = map_from(e, found.fields, node, frame)
    finally:
        e.recorder.block = outer
    e.snapshots[key] = found, var, home
    return var


def is_known(key: Any) -> bool:
    """True for keys that are known while compiling; which object one is, the program knows."""
    return is_key(key) and not variables_in(key) and not holds_reference(key)


def key_of(e: Elaboration, owner: RecordValue, key: Any, node: ast.AST, frame: Frame) -> Any:
    """A key of this dict as one atom of the program: a member that is a number or text besides is that where the dict
    has other keys than members."""
    m = map_in(owner)
    known = any(members.as_objects(k) is not k for k in owner.fields)
    has = known if m is None else members.inside(maps.as_map(m.object).key)
    empty = not owner.fields if m is None else holds_nothing(m)
    return key_atom(e, key if has or empty else members.plain(key), node, frame)


def key_atom(e: Elaboration, key: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A key as one atom of the program."""
    key = members.as_objects(e.handlers.text(e, key, node, frame))
    refuse_unhashable(e, key, node, frame)
    found = key if is_known(key) else e.leaf(key, node, frame)
    if isinstance(found, Var) and can_be_key(found.object):
        return found
    if isinstance(found, RecordValue) and found.cls is not dict:
        raise unsupported("CC003", f"{described(found)} as the key of a dict", e.place(node, frame),
                          help="use numbers, texts or tuples of them, as that of its fields")
    if not is_known(found):
        raise unsupported("CC003", f"{described(found)} as the key of a dict", e.place(node, frame),
                          help="use numbers, texts or tuples of them; int(...) makes an array of one number an int")
    return found


def refuse_unhashable(e: Elaboration, key: Any, node: ast.AST, frame: Frame | None) -> None:
    """Raise what Python raises of a key, or an item of a set, that has no hash, where the program comes here."""
    what = unhashable(key) if is_column(e, key) is False else None
    text = f"unhashable type: '{what}'"
    if what is not None and frame is not None and (
            e.attempts.catches(TypeError) or not e.recorder.surely_runs()):
        effects_of_python.fail_with(e, TypeError, text, node, frame)
    if what is not None:
        raise mismatch("CC027", f"TypeError: {text}", e.place(node, frame), help="use a tuple")


def can_be_key(a: Object) -> bool:
    """True for objects whose values Python can hash, each by what it is."""
    if is_of_reference(a):
        return is_told_apart(region_of(a))
    if isinstance(a, Product):
        return all(map(can_be_key, a.parts))
    return isinstance(a, (Int, Bool, Real, Text)) or (isinstance(a, Static) and is_key(a.value))


def is_told_apart(region: Any) -> bool:
    """True for objects that are the keys that they are by which object they are."""
    own = region.cls
    return region.kind is StoredAs.OBJECT and own.__eq__ is object.__eq__ and own.__hash__ is object.__hash__


def item(e: Elaboration, owner: RecordValue, key: Any, node: ast.AST, frame: Frame) -> Any:
    """`owner[key]`."""
    m = map_in(owner)
    if m is None and is_known(key):
        return known_item(e, owner, key, node, frame)
    if m is None and members.is_member(key) and len(owner.fields) == len(members.enumeration(key)) and all(
            members.alike(key, k) for k in owner.fields):
        by_name = RecordValue(dict, {members.name_of(k): part for k, part in owner.fields.items()})
        return item(e, by_name, members.name_of(key), node, frame)
    k = key_of(e, owner, key, node, frame)
    if FACTORY in owner.fields:
        return of_default(e, owner, k, node, frame)
    m = snapshot(e, owner, node, frame) if m is None else m
    return read(e, m, k, node, frame)


def read(e: Elaboration, m: Var, k: Any, node: ast.AST, frame: Frame) -> Any:
    """The item of a map under a key; the path ends here where the map has none."""
    e.recorder.span = e.place(node, frame)
    if holds_nothing(m):
        e.always(maps.lookup, (m, k))
        raise Ends
    return opened(e.always(maps.lookup, (m, k)))


def nearest_key(key: Any, owner: RecordValue) -> str:
    """The key that may be meant."""
    found = {repr(known): repr(known) for known in owner.fields}
    return nearest(repr(key), found, "ask before: `if key in d`")


def is_plain(key: Any) -> bool:
    """True for numbers, texts and tuples of them."""
    return all(map(is_plain, key)) if type(key) is tuple else isinstance(key, (str, int, float))


def known_item(e: Elaboration, owner: RecordValue, key: Any, node: ast.AST, frame: Frame) -> Any:
    """An item of a dict whose keys are known."""
    if key not in owner.fields:
        if is_plain(key) and not e.recorder.surely_runs():
            text = isinstance(key, str)
            e.always(effects.fail, (KeyError,) if text else (KeyError, key), forms=((key,) if text else None,))
            raise Ends
        raise mismatch("CC027", f"KeyError: {key!r}", e.place(node, frame),
                       f"the keys are {', '.join(map(repr, owner.fields)) or 'none'}",
                       help=nearest_key(key, owner))
    part = owner.fields[key]
    if isinstance(part, Unbound):
        raise without_value(part, f"[{key!r}]", e.span(node, frame))
    return part


def contains(e: Elaboration, key: Any, owner: RecordValue, node: ast.AST, frame: Frame) -> Any:
    """`key in owner`."""
    m = map_in(owner)
    if m is None and (is_known(key) or not owner.fields):
        return is_known(key) and key in owner.fields
    k = key_of(e, owner, key, node, frame)
    m = snapshot(e, owner, node, frame) if m is None else m
    return False if holds_nothing(m) else e.always(maps.has_key, (m, k))


def length(e: Elaboration, owner: RecordValue) -> Any:
    """`len(owner)`."""
    m = map_in(owner)
    return len(owner.fields) if m is None else structure.length(m)


def keys_list(e: Elaboration, owner: RecordValue) -> Any:
    """The keys of a map, as a list of the program."""
    found = e.always(maps.keys_of, (map_in(owner),))
    e.key_lists[found] = owner
    return found


def among_keys(e: Elaboration, key: Any, xs: Any, node: ast.AST, frame: Frame) -> Any:
    """`key in d.keys()`; None where the list is no such one."""
    owner = e.key_lists.get(xs) if isinstance(xs, Var) else None
    if owner is None or xs.definition is None or xs.definition.args[0] is not map_in(owner):
        return None
    return contains(e, key, owner, node, frame)


def put_item(e: Elaboration, owner: RecordValue, key: Any, new: Any, node: ast.AST, frame: Frame) -> None:
    """`owner[key] = new`."""
    new = e.kept(new, node, frame)
    if isinstance(new, IteratorValue):
        raise unsupported("CC003", "an iterator cannot be an item of a dict", e.place(node, frame),
                          "it would be empty when it is used again", help="put a list there: `list(...)`")
    m = map_in(owner)
    if m is None and is_known(key) and not hasattr(owner.shared, "original"):
        attributes.put(e, owner, key, new, node, frame)
        return
    inner = dict_item_updates.owner_of(e, m) is not None
    if not inner:
        changing(e, owner, key, "assigning", node, frame, new)
    k = key_of(e, owner, key, node, frame)
    v = stored(e, new, node, frame)
    dict_item_updates.entering(e, owner, new, v, e.place(node, frame))
    m = promoted(e, owner, "is assigned to at a key that is not known", node, frame)
    e.recorder.span = e.place(node, frame)
    renew(e, owner, e.always(maps.put, (m, v, k)), e.place(node, frame))


def changing(
    e: Elaboration, owner: RecordValue, key: Any, what: str, node: ast.AST, frame: Frame, *holds: Any
) -> None:
    original = getattr(owner.shared, "original", None)
    if original is not None and is_dict(original):
        raise Grows(original, e.place(node, frame))
    text = repr(key) if is_known(key) else "a key"
    change(e, owner, f"{what} {text} in a dict", node, frame, *holds)


def renew(e: Elaboration, owner: RecordValue, new: Var, place: Any = None) -> None:
    """Give a dict another map, and what holds the dict too."""
    if owner.shared:
        new = dict_item_updates.changed_inside(e, owner.fields[ITEMS], new, "cannot change", place) or new
    new.name = new.name or owner.fields[ITEMS].name or name_of(e, owner)
    dict_item_updates.renew(e, owner, new)


def name_of(e: Elaboration, owner: RecordValue) -> str:
    """A name that stands for a dict."""
    named = ((n, v) for frame in reversed(e.frames) for n, v in frame.env.items())
    return next((n for n, v in named if v is owner and not isinstance(n, OwnName)), "")


def stored(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value as an item of a map: what is stored so is seen there too, so it does not change from now on."""
    if type(value) is str:
        return e.always(effects.text, (), form=(value,))
    if is_dict(value) and not value.fields:
        lists.seal(value, "a dict")
        return map_from(e, {}, node, frame)
    lists.seal(value, "a dict")
    if map_in(value) is not None:
        return kept_map(e, value, node, frame)
    found = lists.as_item(e, value, node, frame)
    if found == [] or isinstance(found, ListValue):
        return e.always(structure.listing, ())
    return found


def kept_map(e: Elaboration, value: RecordValue, node: ast.AST, frame: Frame | None) -> Var:
    """The map that a dict holds, for a list or dict that does not say what a missing item is."""
    if FACTORY in value.fields:
        raise unsupported("CC003", "a `defaultdict` or `Counter` in a list or dict", e.place(node, frame),
                          "it would not be known there what a missing item is",
                          help="put a dict there, and read `d.get(key, 0)`")
    return value.fields[ITEMS]


def removed(e: Elaboration, owner: RecordValue, key: Any, node: ast.AST, frame: Frame) -> None:
    """`del owner[key]`."""
    changing(e, owner, key, "removing", node, frame)
    m = map_in(owner)
    if m is None and is_known(key):
        known_item(e, owner, key, node, frame)
        owner.fields = {k: v for k, v in owner.fields.items() if k != key}
        return
    k = key_of(e, owner, key, node, frame)
    m = promoted(e, owner, "loses a key that is not known", node, frame)
    e.recorder.span = e.place(node, frame)
    new = e.always(maps.remove, (m, k))
    if holds_nothing(m):
        raise Ends
    renew(e, owner, new)


def delete(e: Elaboration, node: ast.Delete, frame: Frame) -> None:
    """`del owner[key]` for dicts and lists."""
    for target in node.targets:
        owner: Any = e.target(target.value, frame) if isinstance(target, ast.Subscript) else None
        if isinstance(target, ast.Subscript) and e.handlers.deleted(e, owner, target, frame):
            continue
        if isinstance(target, ast.Subscript) and lists.is_list(owner):
            list_changes.delete(e, owner, e.key(target.slice, frame), target, frame)
            continue
        if not isinstance(target, ast.Subscript) or not is_dict(owner):
            raise unsupported("CC003", "`del` is supported for items of dicts and lists", e.span(node, frame),
                              help="assign what it is from then on")
        removed(e, owner, e.key(target.slice, frame), target, frame)


TEXTS = {
    "get": "return d[k] if k in d else v",
    "setdefault": "if k not in d: d[k] = v\nreturn d[k]",
    "pop": "found = d[k]\ndel d[k]\nreturn found",
    "pop_or": "if k in d:\n  found = d[k]\n  del d[k]\nelse: found = v\nreturn found",
    "popitem": "if not d: raise KeyError('popitem(): dictionary is empty')\nk = d.__ccc_last__()\nreturn k, d.pop(k)",
    "default": "if k not in d: d[k] = v()",
    "update": "for k, v in xs: d[k] = v",
    "count": "for k in xs: d[k] = d[k] + 1",
    "mapping": "for k in xs.keys(): d[k] = xs[k]",
    "fromkeys": "for k in xs: d[k] = v",
}


@functools.cache
def text_of(name: str) -> list[ast.stmt]:
    body = "\n".join([f" {line}" for line in TEXTS[name].split("\n")])
    return ast.parse(f"def f():\n{body}").body[0].body  # type: ignore[attr-defined]


def written(e: Elaboration, name: str, env: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """What statements of Python do that stand for a method, as if they stood at `node`."""
    inner = Frame(f"{dict_item_updates.WRITTEN}{name}", frame.file, frame.function, None, None, (node, frame))
    inner.local = frozenset([*env, "found", "k", "v"])
    inner.env.update(env)
    body = copy.deepcopy(text_of(name))
    for statement in body:
        for part in ast.walk(statement):
            if isinstance(part, (ast.expr, ast.stmt)):
                ast.copy_location(part, node)
    e.frames.append(inner)
    try:
        return e.run(body, inner)
    finally:
        e.frames.pop()


def of_default(e: Elaboration, owner: RecordValue, k: Any, node: ast.AST, frame: Frame) -> Any:
    """An item of a `defaultdict` or `Counter`."""
    factory = owner.fields[FACTORY]
    if factory is COUNTED:
        return written(e, "get", {"d": made_of(owner.fields[ITEMS]), "k": k, "v": 0}, node, frame)
    written(e, "default", {"d": owner, "k": k, "v": factory}, node, frame)
    return read(e, owner.fields[ITEMS], k, node, frame)


def one_of(e: Elaboration, a: Any, b: Any) -> Any:
    """`a in b` for a known set, or a tuple of known things, and something that is not known."""
    return e.always(maps.has_key, (frozenset(b), a))
