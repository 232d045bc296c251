"""What the caller lends and a function changes, in stores: each place of the caller's becomes a place there.

The places of a region are numbered in the order in which they are moved in: what an object, list or dict holds before
itself, attributes and keys in the order of `lent.in_order`. The boundary goes the same way through what the caller has
(`ccc.compile.api.places_of_caller`), so it knows which place is which of the caller's objects.
"""

from __future__ import annotations

import ast
import types
from typing import Any

import numpy as np

from ccc.compile.frontend import sums
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.lent import Site, in_order
from ccc.compile.frontend.memory import places, stored_views
from ccc.compile.frontend.memory.keeping import MAKING, PLAIN, kinds_of
from ccc.compile.frontend.parts import changeable, is_changeable_class, opened
from ccc.compile.frontend.place_kinds import StoredAs
from ccc.compile.frontend.regions import Region, class_behind, is_reference
from ccc.compile.frontend.source import File
from ccc.compile.frontend.stores import COMPILED
from ccc.compile.frontend.values import ITEMS, Frame, RecordValue
from ccc.compile.program.lam import Var, like
from ccc.coproducts import NoSum
from ccc.objects import UNIT, Array, Coproduct, List, Map, Record
from ccc.primitives import lists, maps, shaping
from ccc.registered import read_for

TEXTS = {
    "list": "return [into(x) for x in xs]",
    "dict": "found = {}\nfor k in sorted(xs):\n  found[k] = into(xs[k])\n"
            "return [k for k in xs], [found[k] for k in xs]",
    "sum": "def into(x):\n{}  return x\nreturn into(xs)",
    "alternative": "  if isinstance(x, class_{0}):\n    return alternative(x, into)\n",
}
"""How what stands in a list, dict or sum moves, as statements of Python."""


def moved_in(e: Elaboration, site: Site, tree: Any) -> Any:
    """What the caller has at a site, with references to places in stores where Python could change it."""
    return Moving(e, site.name).moved(tree, "")


class Moving:
    """What stands at one site moves into stores."""

    def __init__(self, e: Elaboration, name: str) -> None:
        self.e = e
        self.name = name
        self.sums: dict[Coproduct, Any] = {}

    def moved(self, value: Any, way: str) -> Any:
        """A value whose places are in stores; `way` says where it stands, by types alone."""
        whole = getattr(value, "whole", None)
        return self.taken_apart(value if not sums.is_sum(whole) else whole, way)

    def taken_apart(self, value: Any, way: str) -> Any:
        """The same of a value that is known to be this one of those that a sum may be."""
        if isinstance(value, tuple):
            return value if is_reference(value) else like(value, [
                self.moved(part, f"{way}.{i}") for i, part in enumerate(value)])
        if isinstance(value, RecordValue):
            return self.record(value, way)
        a = value.object if isinstance(value, Var) else None
        if a is None or not changeable(a):
            return value
        if isinstance(a, Array):
            return self.array(value, way)
        if isinstance(a, Coproduct):
            known = self.sums.get(a)
            return self.by_text("sum", value, way) if known is None else self.e.call(
                known, [value], {}, ast.Pass(), None)
        if isinstance(a, Map):
            return self.record(RecordValue(dict, {ITEMS: value}), way)
        if isinstance(a, List):
            inside = changeable(a.item)
            held = self.unboxed(self.by_text("list", value, way)) if inside else self.e.always(
                lists.sliced, (value,), places="")
            return self.stored(list, held, way, {"item": a.item})
        found = opened(value)
        return value if isinstance(found, Var) else self.moved(found, way)

    def array(self, value: Var, way: str) -> Any:
        """A copy of an array."""
        stores = places.stores_of(self.e)
        if not stores.regions.arrays:
            return value
        region = self.region(way, StoredAs.ARRAY, np.ndarray)
        region.scattered = True  # the caller's may lie in any order
        own = self.e.always(shaping.copy, (value,))
        if region.plain:
            return value
        try:
            if stores.regions.views:  # which has the dtype that it has, or stands in no store
                found = stored_views.allocated(self.e, region, own)
            else:
                found = places.allocated(self.e, region, places.fitted(self.e, region, "item", own))
                stores.lent.append((region, "item", value.object))
        except NoSum:
            return value
        stores.roots.add(own)
        return found

    def record(self, value: RecordValue, way: str) -> Any:
        """An object or dict."""
        if value.cls.__name__ in PLAIN:
            return value
        if (below := read_for(value.cls)) is not None:
            lent = below.__ccc_lent__(True) if hasattr(below, "__ccc_lent__") else {}
            value = RecordValue(below, {**value.fields, **lent})
        if ITEMS in value.fields:
            m = value.fields[ITEMS]
            before: Any = m.object
            if changeable(m.object.item):
                keys, items = self.by_text("dict", value, way)
                m = self.e.always(maps.from_pairs, (keys, self.unboxed(items)))
            return self.stored(dict, RecordValue(dict, {ITEMS: m}), way, {"key": before.key, "item": before.item})
        moved = {name: self.moved(value.fields[name], f"{way}.{name}") for name in in_order(value.fields)}
        fields = {name: moved[name] for name in value.fields}
        if value.cls is not dict and not is_changeable_class(value.cls):
            return value.like(list(fields.values()))
        value.shared = False
        if any(part is not value.fields[name] for name, part in fields.items()):
            value.fields = fields
        types = {name: places.object_in(part) if isinstance(part, Var) else None for name, part in fields.items()}
        return self.stored(value.cls, RecordValue(value.cls, fields), way, types, value)

    def unboxed(self, xs: Any) -> Any:
        """A list of the only parts of tuples: what stands there alone would be read as what it leads to."""
        def read(item: Var) -> Any:
            (part,) = opened(item)
            return self.e.leaf(part, ast.Pass(), None)

        if not isinstance(xs, Var) or not isinstance(xs.object, List) or xs.object.item == UNIT:
            return xs  # what an item is is not known yet
        return places.mapped(self.e, xs, read, xs.object.item)

    def stored(self, cls: type, held: Any, way: str, before: dict[Any, Any], otherwise: Any = None) -> Any:
        """A reference to a new place for what stands there; where there can be none, `otherwise`."""
        e, stores = self.e, places.stores_of(self.e)
        for kind in kinds_of(stores.regions, cls, held):
            region = self.region(way, kind, cls)
            try:
                if region.plain:
                    raise NoSum(region.plain)
                found = MAKING[kind](e, region, held, ast.Pass(), None)
            except NoSum:
                continue
            joined = kind is StoredAs.DICT and "item" not in before
            types = {"item": next(iter(before.values()), None)} if joined else before
            stores.lent += [(region, part, a) for part, a in types.items() if a is not None]
            return found
        if otherwise is not None:
            stores.plain.add(otherwise)
        return held if otherwise is None else otherwise

    def region(self, way: str, kind: StoredAs, cls: type) -> Region:
        return places.stores_of(self.e).regions.at(f"`{self.name}{way}`, which the caller sees", kind, cls)

    # -- what stands in lists, dicts and sums ----------------------------------------------------------------------

    def by_text(self, name: str, xs: Any, way: str) -> Any:
        """What the statements give that move what stands in a list, dict or sum."""
        e, text = self.e, TEXTS[name]
        frame = Frame("the caller", File(__file__, ()), moved_in, None, None)
        frame.local = frozenset(["found", "into", "k", "x", "xs"])
        into = Into(self, f"{way}[...]")
        frame.env.update(xs=xs, into=types.MethodType(inside, into))
        if name == "sum":
            classes = [a.cls for a in xs.object.alternatives if isinstance(a, Record)]
            text = text.format("".join([TEXTS["alternative"].format(i) for i, _ in enumerate(classes)]))
            frame.env.update({f"class_{i}": cls for i, cls in enumerate(classes)})
            frame.env.update(alternative=types.MethodType(alternative, Into(self, way, xs.object)))
            frame.local |= {"alternative", *frame.env}
        (function,) = ast.parse("def f():\n" + "\n".join([f" {line}" for line in text.split("\n")])).body
        e.frames.append(frame)
        try:
            return e.run(function.body, frame)  # type: ignore[attr-defined]
        finally:
            e.frames.pop()


class Into:
    """Where what the statements move stands, in which sum."""

    def __init__(self, moving: Moving, way: str, of: Any = None) -> None:
        self.moving = moving
        self.way = way
        self.of = of


def inside(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """An item, moved, in a tuple."""
    return (owner.moving.moved(args[0], owner.way),)


def alternative(
    owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """One of several records, moved; those in it by the same function."""
    value, owner.moving.sums[owner.of] = args
    return owner.moving.taken_apart(value, f"{owner.way}:{class_behind(getattr(value, 'cls', None)).__name__}")


COMPILED.update([inside, alternative])
