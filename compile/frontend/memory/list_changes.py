"""Lists that a function makes and changes.

A list whose items are known one by one changes while elaborating, for all names that stand for it. Where its length or
an index is not known, it becomes a list of the program: a change gives the names that stand for it a new one, which is
what Python does as long as nobody else sees it.
"""

from __future__ import annotations

import ast
import types
from typing import Any

from ccc.compile.diagnostics import mismatch, nearest, unsupported, without_value
from ccc.compile.frontend import result_trees
from ccc.compile.frontend.describing import is_column
from ccc.compile.frontend.effects import fail_with
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.interrupts import Ends, Grows
from ccc.compile.frontend.memory import dict_item_updates, item_updates
from ccc.compile.frontend.memory.aliasing import alive, called, is_named, named, rename, under_way, with_sources
from ccc.compile.frontend.memory.displays import display_of, entering, held, may_hold
from ccc.compile.frontend.memory.exclusivity import change
from ccc.compile.frontend.memory.lists import (
    as_item,
    give,
    holds_list,
    is_made,
    kept_items,
    keyed_parts,
    made_here,
    put_part,
    read_before,
    refuse_part,
    roots,
    seal,
)
from ccc.compile.frontend.parts import changeable, opened
from ccc.compile.frontend.reals import alike_in, converted, fitted_in, listed, objects_of, widened
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.stores import COMPILED
from ccc.compile.frontend.values import Frame, ListValue, Mutable, OwnName, RecordValue, Unbound, plain_int
from ccc.compile.program.lam import Node, Var
from ccc.coproducts import with_texts
from ccc.objects import UNIT, Coproduct, Int, List
from ccc.primitives import along, lists, structure


class Place:
    """Where a list of the program stands in the source: what a change of it is assigned to."""

    __slots__ = ("frame", "made", "node", "var")

    def __init__(self, node: ast.expr, var: Var, frame: Frame, made: bool = False) -> None:
        self.node = node
        self.var = var
        self.frame = frame
        self.made = made  # by the expression itself, so that nobody else sees it


def refuse_others(e: Elaboration, place: Place, what: str) -> None:
    """Refuse to change a list that somebody else sees."""
    text, where = ast.unparse(place.node), e.span(place.node, place.frame)
    made = made_here(e, place.var, what, text, where)
    if made & e.inside_dicts.copies:
        raise unsupported("CC010", f"{what} `{text}`: it stands in a dict, at a key that is not known", where,
                          help=f"change a copy, `list({text})`, and put it into the dict")
    own: Any = place.var
    if any(p is own or (isinstance(p, Var) and may_hold(p.object, own.object) and roots(e, [p]) & made)
           for p in under_way(e)):
        raise read_before(what, text, where)
    copied = with_sources(e, made)
    for frame, name, parts in named(e):
        if frame.env[name] is not place.var and alive(frame, name, place.node) and any(
                p in copied if isinstance(p, Mutable) else p is not place.var and isinstance(p, Var) and bool(
                    roots(e, [p]) & made) for p in parts):
            of_caller = isinstance(name, OwnName)
            raise unsupported("CC010", f"{what} `{text}`: it is also reachable as {called(name)}", where,
                              help=f"`{text} = list({text})` first" if of_caller else
                              f"`{name} = list({name})` where it gets its value")


def store(e: Elaboration, place: Place, new: Any, what: str) -> None:
    """Give a changed list to all that stands for it."""
    node, frame, var = place.node, place.frame, place.var
    item_updates.by_index(e, var)
    of_program_first(e, place)
    if dict_item_updates.changed_inside(e, var, new, what, e.span(node, frame)) is not None:
        return
    if item_updates.is_row(e, var):
        item_updates.change(e, var, new, what, node, frame)
        return
    others = [(f, n) for f, n, parts in named(e) if any(p is var for p in parts)]
    if not others:  # what is read from outside has no name here
        refuse_others(e, place, what)
    if isinstance(node, ast.Name):
        who = next((f"as `{n}`" for f, n in others if f.env[n] is not var), None if others else "by another name")
        if who is not None:
            raise unsupported("CC010", f"{what} `{node.id}`: it is also reachable {who}", e.span(node, frame),
                              help=f"change a copy, `list({node.id})`, and use that")
        refuse_others(e, place, what)
        e.updates.append((var, e.span(node, frame), f"{node.id}[...] = ..."))
        for owner, name in others:
            rename(e, owner, name, new, frame)
        new.name = new.name or others[0][1]
        return
    refuse_others(e, place, what)

    def reachable(name: str) -> Exception:
        return unsupported("CC011", f"{what} `{ast.unparse(node)}`", e.span(node, frame),
                           f"it is reachable as {called(name)} too" if name else "nothing is known to hold it",
                           help="change the list before it is put there, under a name of its own")

    if not others:
        raise reachable("")
    for owner in {part: None for _, _, parts in named(e) for part in parts if isinstance(part, Mutable)
                  and any(value is var for _, value in keyed_parts(part))}:
        change(e, owner, f"{what} `{ast.unparse(node)}`, which", node, frame)
    e.updates.append((var, e.span(node, frame), f"{ast.unparse(node)}[...] = ..."))
    give(e, var, new, frame, reachable)


def renew(e: Elaboration, xs: Var, new: Var, what: str, node: ast.AST, frame: Frame) -> None:
    """Give a list that a call changes its new items; it is the first argument of the call."""
    given = [*node.args, *[k.value for k in node.keywords]] if isinstance(node, ast.Call) else []
    if not given:
        raise unsupported("CC003", f"{what} a list here", e.span(node, frame), help="write the call where it happens")
    place = Place(given[0], xs, frame)
    current(e, place)
    store(e, place, new, what)


def promoted(e: Elaboration, found: ListValue, why: str, place: Any) -> Var:
    """The list as one of the program, given to the one name or attribute that stands for it."""
    names: dict[tuple[int, str], tuple[Frame, str]] = {}
    fields: dict[tuple[int, Any], tuple[Mutable, Any]] = {}
    hidden = bool(found.shared)
    for frame, name, parts in named(e):
        if frame.env[name] is found:
            names[id(frame), name] = frame, name
            continue
        held = [(owner, key) for owner in parts if isinstance(owner, Mutable)
                for key, value in keyed_parts(owner) if value is found]
        fields.update({(id(r), key): (r, key) for r, key in held})
        hidden = hidden or (not held and any(part is found for part in parts))
    frames = {id(frame) for frame, _ in names.values()}
    if e.heap.before_block(found):
        raise Grows(found, place)
    if hidden or (names and fields) or len(frames) > 1 or len(fields) > 1 or not (names or fields):
        raise unsupported("CC011", f"a list {why}, and more than one name or object stands for it", place,
                          *[f"`{name}` does" for _, name in names.values()],
                          help="use `list(...)` for a list of its own, or return the new list")
    for item in found.items:
        seal(item)
    try:
        var = listed(e, [result_trees.as_item(e, item, place) for item in alike_in(e, found.items)])
    except TypeError as error:
        raise mismatch("CC006", f"a list {why}, but its items differ in type", place, str(error),
                       help="give all items one type") from error
    e.rows.promoted.add(found)
    for frame, name in names.values():
        frame.env[name] = var
        var.name = var.name or name
    for owner, key in fields.values():
        put_part(e, owner, key, var)
    return var


def attribute(e: Elaboration, owner: Any, node: ast.Attribute, frame: Frame) -> Any:
    """`xs.name` of a list."""
    if is_column(e, owner) and not hasattr(tuple, node.attr):
        raise mismatch("CC027", f"AttributeError: 'tuple' object has no attribute '{node.attr}'", e.span(node, frame),
                       help="make a list of it: `list(...)`")
    method = METHODS.get(node.attr) or e.handlers.list_methods.get(node.attr)
    if method is None:
        methods = [*METHODS, *e.handlers.list_methods]
        raise unsupported("CC003", f"the list method `.{node.attr}` is not supported", e.span(node, frame),
                          help=nearest(node.attr, methods, f"there are {', '.join(methods)}"))
    if isinstance(owner, ListValue):
        return types.MethodType(method, owner)
    made = not isinstance(node.value, ast.Name | ast.Attribute) and is_made(e, owner)
    return types.MethodType(method, Place(node.value, owner, frame, made))


def current(e: Elaboration, place: Place) -> Var:
    """The list, which must still be what stands at its place."""
    if dict_item_updates.owner_of(e, place.var) is not None or item_updates.is_row(e, place.var):
        return place.var
    of_program_first(e, place)
    nameless = isinstance(place.node, ast.Call) and not is_named(e, place.var)
    if nameless or e.target(place.node, place.frame) is not place.var:
        if isinstance(place.node, ast.Call):
            raise unsupported("CC003", "a method changes a list that has no name", e.span(place.node, place.frame),
                              help="give the list a name first")
        if isinstance(place.node, ast.Subscript):
            text = ast.unparse(place.node)
            raise unsupported("CC003", f"a method changes the list `{text}`, whose place is not known",
                              e.span(place.node, place.frame), help=f"put a new list there: `{text} = [*{text}, ...]`")
        raise unsupported("CC003", "a method of a list that has changed since", e.span(place.node, place.frame),
                          help="write the method where it is called")
    return place.var


def read(e: Elaboration, place: Place) -> Var:
    """The list that a method reads; one that no name led to, when the method was looked up, is as it was then."""
    return place.var if place.made else current(e, place)


def of_program_first(e: Elaboration, place: Place) -> None:
    """Read the statement again where the list was read of a known one at any index, with that as one of the program."""
    display = display_of(e, place.var)
    if display is not None and (display in e.rows.promoted or is_named(e, display)):
        raise Grows(display, e.span(place.node, place.frame))


def with_item(e: Elaboration, xs: Var, value: Any, node: ast.AST, frame: Frame) -> tuple[Any, Any]:
    """A list and an item for it, each with reals where the other has them."""
    assert isinstance(xs.object, List)
    value = e.kept(value, node, frame)
    fresh = item_updates.is_fresh(e, value)
    seal(value)
    item = as_item(e, fitted_in(e, value, xs.object.item), node, frame)
    wide = with_texts(objects_of(item)) if xs.object.item == UNIT else with_texts(xs.object.item, objects_of(item))
    v = converted(e, item, wide)
    if not fresh:
        entering(e, xs, v)
    found = widened(e, xs, List(objects_of(v)))
    lists.common_item(found.object.item, objects_of(v))
    return found, v


def append(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    (value,) = args
    if isinstance(owner, Place):
        what = "cannot append to"
        xs, v = with_item(e, current(e, owner), value, node, frame)
        if may_change_along(e, owner, xs) and not changeable(objects_of(v)):
            item_updates.changed_along(e, xs, [], what, owner.node, frame, lambda whole, keys: e.always(
                along.append_along, (whole, v, *keys)))
        else:
            with e.meanwhile(*held(value, v, xs)):
                store(e, owner, e.always(lists.append, (xs, v)), what)
        return
    change(e, owner, "appending to a list", node, frame, value)
    owner.items = [*owner.items, e.kept(value, node, frame)]


def may_change_along(e: Elaboration, place: Place, xs: Any) -> bool:
    """True for a row that keeps its type where its end changes."""
    item_updates.by_index(e, place.var)
    return xs is place.var and xs.object.item != UNIT and item_updates.stands_in_list(e, xs)


def whole(e: Elaboration, more: Any, node: ast.AST, frame: Frame) -> Any:
    """What a list takes at once: of an object that is iterated, an iterator with a name or one of several, its list."""
    of = class_behind(more.cls) if isinstance(more, (RecordValue, Node)) else list
    of = object if isinstance(more, Var) and isinstance(more.object, Coproduct) else of
    return more if issubclass(of, (list, tuple, dict)) else e.call(list, [more], {}, node, frame)  # type: ignore[attr-defined]


def extend(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    more = whole(e, args[0], node, frame)
    refuse_part(e, more, node, frame)
    items = kept_items(e, more, node, frame)
    if isinstance(owner, Place):
        xs, others = current(e, owner), e.sequence(more, node, frame)
        if changeable(objects_of(others).item) and not item_updates.is_fresh(e, more):
            entering(e, xs, others)
        store(e, owner, both(e, xs, others), "cannot extend")
    elif items is None:
        change(e, owner, "extending a list", node, frame)
        var = promoted(e, owner, "is extended by items that are not known one by one", e.place(node, frame))
        put_new(e, var, both(e, var, e.sequence(more, node, frame)))
    else:
        change(e, owner, "extending a list", node, frame, *items)
        owner.items = [*owner.items, *items]


def put_new(e: Elaboration, old: Var, new: Var) -> None:
    """Give a new list to the names and attributes that stand for the old one."""
    new.name = new.name or old.name
    for frame, name, parts in list(named(e)):
        if frame.env[name] is old:
            frame.env[name] = new
        for owner in [part for part in parts if isinstance(part, Mutable)]:
            for key, value in keyed_parts(owner):
                if value is old:
                    put_part(e, owner, key, new)


def pop(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame,
        of: str = "pop") -> Any:
    if isinstance(owner, Place):
        index = args[0] if args else -1
        if type(index) is not int:
            raise unsupported("CC003", "`pop` needs an index that is known", e.place(node, frame),
                              help="slice the list")
        xs = current(e, owner)
        kind: Any = xs.object
        if index == -1 and may_change_along(e, owner, xs) and not changeable(kind.item):
            value = at(e, xs, -1, of=of)
            item_updates.changed_along(e, xs, [], "cannot pop from", owner.node, frame, lambda whole, keys: e.always(
                along.without_last_along, (whole, *keys)))
            return value
        value = at(e, xs, index, of=of) if kind.item == UNIT else opened(structure.item(xs, index, of=of))
        if index == -1:
            rest = e.always(lists.without_last, (xs,))
        else:
            parts = [e.always(lists.sliced, (xs, i), places=place) for i, place in ((index, "2"), (index + 1, "1"))]
            rest = e.always(lists.concat, tuple(parts))
        store(e, owner, rest, "cannot pop from")
        return value
    index = args[0] if args else -1
    if type(index) is not int:
        raise unsupported("CC003", "`pop` needs an index that is known", e.place(node, frame),
                          help="take the last item, or slice the list")
    if not -len(owner.items) <= index < len(owner.items):
        text = f"{of} index out of range" if owner.items or of != "pop" else "pop from empty list"
        if not e.recorder.surely_runs():
            fail_with(e, IndexError, text, node, frame)
        raise mismatch("CC027", f"IndexError: {text}", e.place(node, frame), help="use an index that the list has")
    change(e, owner, "popping from a list", node, frame)
    value, owner.items = owner.items[index], [*owner.items[:index], *owner.items[index:][1:]]
    return value


def insert(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    index, value = args
    if isinstance(owner, Place):
        xs = current(e, owner)
        xs, v = with_item(e, xs, value, node, frame)
        before, behind = [e.always(lists.sliced, (xs, index), places=place) for place in ("2", "1")]
        new = both(e, before, e.always(structure.listing, (v,)))
        with e.meanwhile(*held(value, v, xs)):
            store(e, owner, both(e, new, behind), "cannot insert into")
        return
    known(e, owner, "insert", node, frame, index)
    change(e, owner, "inserting into a list", node, frame, value)
    items = list(owner.items)
    items.insert(index, e.kept(value, node, frame))
    owner.items = items


def reverse(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    if isinstance(owner, Place):
        new = e.always(lists.sliced, (current(e, owner), -1), places="3")
        store(e, owner, new, "cannot reverse")
        return
    change(e, owner, "reversing a list", node, frame)
    owner.items = owner.items[::-1]


def clear(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    if isinstance(owner, Place):
        store(e, owner, e.always(lists.sliced, (current(e, owner), 0), places="2"), "cannot clear")
        return
    change(e, owner, "clearing a list", node, frame)
    owner.items = []


def copy(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    if args or kwargs:
        raise mismatch("CC027", "`copy` of a list takes no arguments", e.place(node, frame), help="leave them out")
    if isinstance(owner, Place):
        return e.always(lists.sliced, (read(e, owner),), places="")
    return ListValue(list(owner.items))


def known(e: Elaboration, owner: Any, name: str, node: ast.AST, frame: Frame, index: Any = 0) -> None:
    """Refuse a method of a list whose length is not known."""
    if isinstance(owner, Place) or type(index) is not int:
        raise unsupported("CC003", f"`.{name}` needs an index that is known here", e.place(node, frame),
                          help="make a new list: `xs[:i] + [x] + xs[i:]`")


METHODS: dict[str, Any] = {
    "append": append, "extend": extend, "pop": pop, "insert": insert, "reverse": reverse, "clear": clear, "copy": copy,
}
COMPILED.update(METHODS.values())


def set_item(e: Elaboration, owner: Any, target: ast.Subscript, key: Any, value: Any, frame: Frame) -> None:
    """`xs[key] = value`."""
    where, key = e.span(target, frame), plain_int(key)
    if is_column(e, owner):
        raise mismatch("CC027", "TypeError: 'tuple' object does not support item assignment", where,
                       help="make a list of it: `list(...)`")
    if isinstance(owner, Var):
        if isinstance(key, slice) or not (type(key) is int or (isinstance(key, Var) and isinstance(key.object, Int))):
            raise unsupported("CC003", "assignment to a slice of a list of unknown length", where, help="loop over it")
        xs, v = with_item(e, owner, value, target, frame)
        item_updates.by_index(e, owner)
        if item_updates.is_row(e, owner) and not changeable(objects_of(v)):
            item_updates.assign(e, owner, [key], v, target.value, frame)
            return
        new = e.always(lists.set_item, (xs, v, key))
        store(e, Place(target.value, owner, frame), new, "cannot assign into")
        return
    if isinstance(key, Var) and isinstance(key.object, Int):
        change(e, owner, "assigning into a list", target, frame, value)
        var = promoted(e, owner, "is assigned to at an index that is not known", where)
        put_new(e, var, e.always(lists.set_item, (*with_item(e, var, value, target, frame), key)))
        return
    if isinstance(key, slice):
        items = kept_items(e, whole(e, value, target, frame), target, frame)
        if items is None or not all(type(x) in (int, type(None)) for x in (key.start, key.stop, key.step)):
            raise unsupported("CC003", "this assignment to a slice of a list is not known", where, help="loop over it")
        new_items = list(owner.items)
        new_items[key] = items
    elif type(key) is int:
        new_items = list(owner.items)
        value = new_items[key] = e.kept(value, target, frame)
    else:
        raise mismatch("CC027", "this index is not an integer", where, help="int(...) makes it one")
    change(e, owner, "assigning into a list", target, frame, value)
    owner.items = new_items


def delete(e: Elaboration, owner: Any, key: Any, target: ast.Subscript, frame: Frame) -> None:
    """`del xs[key]`."""
    if not isinstance(owner, ListValue) or not isinstance(key, slice):
        owner = owner if isinstance(owner, ListValue) else Place(target.value, owner, frame)
        pop(owner, e, [key], {}, target, frame, of="list assignment")
        return
    if not all(type(x) in (int, type(None)) for x in (key.start, key.stop, key.step)):
        raise unsupported("CC003", "`del` of a slice of a list needs bounds that are known", e.span(target, frame),
                          help="make a new list: `xs[:i] + xs[j:]`")
    change(e, owner, "deleting from a list", target, frame)
    items = list(owner.items)
    del items[key]
    owner.items = items


def item(e: Elaboration, owner: Any, key: Any, node: ast.AST, frame: Frame) -> Any:
    """`xs[key]` of a list and one index."""
    if isinstance(owner, ListValue) and type(key) is int:
        found = owner.items[key]
        if isinstance(found, Unbound):
            raise without_value(found, f"[{key}]", e.place(node, frame))
        return found
    return at(e, owner if isinstance(owner, Var) else e.sequence(owner, node, frame), key)


def at(e: Elaboration, xs: Var, key: Any, **of: str) -> Any:
    """The item of a list of the program at an index; the path ends here where nothing was put into the list so far."""
    if xs.object == List(UNIT):
        e.always(structure.item, (xs, key), **of)
        raise Ends
    whole, keys = item_updates.path_of(xs, key)
    if len(keys) > 1 and not changeable(xs.object.item):  # type: ignore[attr-defined]
        return opened(e.always(along.item_along, (whole, *keys)))
    return opened(structure.item(xs, key, **of))


def slice_of(e: Elaboration, xs: Var, key: slice, node: ast.AST, frame: Frame) -> Var:
    """`xs[a:b:c]` of a list of the program."""
    found = [(str(i + 1), x) for i, x in enumerate((key.start, key.stop, key.step)) if x is not None]
    for _, x in found:
        if not (type(x) is int or (isinstance(x, Var) and isinstance(x.object, Int))):
            raise mismatch("CC027", "a slice needs integers", e.place(node, frame), help="make them integers: int(...)")
    return e.always(lists.sliced, (xs, *[x for _, x in found]), places="".join([place for place, _ in found]))


def joined(e: Elaboration, a: Any, b: Any, node: ast.AST, frame: Frame) -> Any:
    """`a + b` of two lists, one of them of unknown length."""
    return both(e, e.sequence(a, node, frame), e.sequence(b, node, frame))


def both(e: Elaboration, xs: Any, ys: Any) -> Var:
    """The items of two lists; integers become reals among reals."""
    wide = None if e.stores is None else e.stores.regions.joined(objects_of(xs), objects_of(ys))
    if wide is not None:  # regions that meet here are one from the next reading on
        from ccc.compile.frontend.memory import places

        xs, ys = [places.converted(e, x, wide) for x in (xs, ys)]
    return e.always(lists.concat, (widened(e, xs, ys.object), widened(e, ys, xs.object)))


def repeated(e: Elaboration, xs: Any, n: Any, node: ast.AST, frame: Frame) -> Var:
    """`xs * n` of a list where one of them is of the program. Its items stand in several places of the new list, so
    they must not change."""
    items = xs.items if isinstance(xs, ListValue) else [xs]
    objects = [x.object for x in items if isinstance(x, Var)]
    inside = [a.item if isinstance(a, List) and xs is items[0] else a for a in objects]
    if any(isinstance(x, Mutable) for x in items) or any(map(holds_list, inside)):
        raise unsupported("CC003", "a list of lists or objects is repeated", e.place(node, frame),
                          help="write `[[...] for _ in range(n)]`, so that each item is one of its own")
    return e.always(lists.repeated, (e.sequence(xs, node, frame), n))


def display(e: Elaboration, parts: list[tuple[bool, Any]], node: ast.AST, frame: Frame) -> Var:
    """`[*xs, x, ...]` with a list of unknown length among its parts."""
    found: Any = None
    for starred, value in parts:
        if starred:
            more = e.sequence(value, node, frame)
        else:
            more = e.always(structure.listing, (as_item(e, value, node, frame),))
        found = more if found is None else both(e, found, more)
    return found if len(parts) > 1 else e.always(lists.sliced, (found,), places="")
