"""Finite maps, as functions: each update gives a new map, which code that owns the old one may make in its place.

A cotangent of a map has the cotangents of items under their keys; a key that it lacks stands for zero. So reading or
writing one item costs one item, also backward. `lookup` and `remove` raise what Python raises; `entry` and
`without_entry` do the same to cotangents, and never raise.

>>> put({"a": 1.0}, 2.0, "b"), remove({"a": 1.0, "b": 2.0}, "a"), merged({1: 1.0}, {1: 3.0, 2: 4.0})
({'a': 1.0, 'b': 2.0}, {'b': 2.0}, {1: 3.0, 2: 4.0})
>>> put.pullback({"a": 3.0, "b": 4.0}, None, {"a": 1.0}, 2.0, "b")
({'a': 3.0}, 4.0, ZERO)
>>> lookup.pullback(5.0, None, {"a": 1.0, "b": 2.0}, "b")[0].dense()
{'b': 5.0}
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ccc.additive import ZERO, Contribution, Zero
from ccc.coproducts import common, join_keys, unlike
from ccc.errors import MissingDerivative
from ccc.objects import BOOL, UNIT, List, Map, Object, Real, Record, Static, is_discrete
from ccc.objects_of_values import object_of
from ccc.primitives.arithmetic import logical_not
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.domains import Known, trees_differ
from ccc.primitives.facts import (
    FILLING,
    MAY,
    NEVER,
    NEW,
    STORAGE,
    Refusal,
    changed,
    holds,
    items_of,
    jointly,
    out_of,
    within,
)
from ccc.primitives.lists import filled_list
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.zero_trees import add_trees, empty_like, empty_map, zero_for, zeros_like

# -- types -------------------------------------------------------------------------------------------------------


def map_of(keys: Iterable[Any], items: Iterable[Object]) -> Map:
    """The map whose keys these values are and whose items have these objects.

    >>> print(map_of(["a", "b"], [Real(), Real()]))
    {text: R}

    Raises `TypeError` where the keys or the items have no type in common.
    """
    found = Map(UNIT, UNIT)
    for key, item in zip(keys, items, strict=True):
        found = with_entry(found, key_object(key), item)
    return found


def key_object(key: Any) -> Object:
    """The object of a key: a known string is a text.

    >>> print(key_object(("a", 1)))
    (text, int)
    """
    a = object_of(key)
    return join_keys(a, a) or a


def with_entry(a: Map, key: Object, item: Object) -> Map:
    """The maps that also hold such a key and item."""
    kind = key if a.item == UNIT else join_keys(a.key, key)
    joined = item if a.item == UNIT else common(a.item, item)
    if kind is None or joined is None:
        what, x, y = ("keys", a.key, key) if kind is None else ("items", a.item, item)
        raise unlike(f"{what} of a dict", x, y)
    return Map(join_keys(kind, kind) or kind, joined)


def as_map(a: Object) -> Map:
    """A dict with constant keys as a map; a map stays itself."""
    if isinstance(a, Record):
        return map_of(a.names, a.parts)
    assert isinstance(a, Map)
    return a


def _first(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return as_map(args[0])


def _display_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    found = map_of(params["keys"], args)
    return Map(params["key"], found.item)


def _item_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return as_map(args[0]).item


def _entry_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    item = as_map(args[0]).item
    return item if isinstance(args[1], Real) and item != UNIT else args[1]


def _put_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return with_entry(as_map(args[0]), args[2], args[1])


def _merged_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a, b = map(as_map, args)
    return b if a.item == UNIT else a if b.item == UNIT else with_entry(a, b.key, b.item)


def _pairs_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    keys, items = args
    assert isinstance(keys, List) and isinstance(items, List)
    return Map(keys.item, items.item)


# -- cotangents of maps ------------------------------------------------------------------------------------------


def _entry(ct: Any, x: Any, k: Any) -> Any:
    found = ct.get(k) if isinstance(ct, dict) else None  # type: ignore[reportUnknownVariableType]
    return zeros_like.value(x) if found is None or isinstance(found, Zero) else found  # type: ignore[reportUnknownVariableType]


def _lacking(ct: Any, k: Any) -> Any:
    return {key: item for key, item in ct.items() if key != k}


def _gathered(ct: Any, keys: Any, xs: Any) -> list[Any]:
    last = {key: i for i, key in zip(range(len(xs)), keys, strict=False)}
    zeros = [zeros_like.value(x) for x in xs]
    for key, i in last.items():
        zeros[i] = _entry(ct, xs[i], key)
    return zeros


class EntryContribution(Contribution):
    """The cotangent of a map that touches one item."""

    __slots__ = ("ct", "key", "m")

    def __init__(self, m: Any, ct: Any, key: Any) -> None:
        self.m = m
        self.ct = ct
        self.key = key

    def onto(self, accumulator: Any) -> Any:
        return add_entry(accumulator, self.ct, self.key)

    def zero(self) -> Any:
        return empty_like(self.m)

    def dense(self) -> Any:
        return self.onto(self.zero())


def entry_of(ct: Any, x: Any, k: Any) -> Any:
    """What a cotangent or tangent of a map has at a key, where the item is `x`: ZERO where it is not differentiable."""
    if isinstance(ct, Zero) or is_discrete(kind_of(x)):
        return ZERO
    return entry(ct, zero_for(x) if isinstance(kind_of(x), Real) else x, k)


def _tangent(d: Any, m: Any) -> Any:
    return empty_like(m) if isinstance(d, Zero) else d


def _put_pullback(ct: Any, y: Any, m: Any, v: Any, k: Any) -> tuple[Any, ...]:
    written = entry_of(ct, v, k)  # read first, so that the rest may be made in place
    return without_entry(ct, k), written, ZERO


def _not_as_number(ct: Any) -> tuple[Any, ...]:
    """The cotangent of what only keys say: there is none, so a key that is a real is no number to compute with."""
    if not isinstance(ct, Zero):
        raise MissingDerivative("the keys of a dict have no derivative",
                                "keep the reals among them in a list beside it")
    return (ZERO,)


def _pairs_differential(ds: tuple[Any, ...], y: Any, keys: Any, xs: Any) -> Any:
    _not_as_number(ds[0])
    return from_pairs(keys, filled_list(ds[1], xs))


def _put_differential(ds: tuple[Any, ...], y: Any, m: Any, v: Any, k: Any) -> Any:
    _not_as_number(ds[2])
    if isinstance(ds[1], Zero) or is_discrete(kind_of(v)):
        return ZERO if isinstance(ds[0], Zero) else without_entry(ds[0], k)
    return put(_tangent(ds[0], m), ds[1], k)


def _merged_differential(ds: tuple[Any, ...], y: Any, m: Any, n: Any) -> Any:
    dm = ZERO if isinstance(ds[0], Zero) else outside(ds[0], n)
    if isinstance(ds[1], Zero):
        return dm
    return ds[1] if isinstance(dm, Zero) else merged(dm, ds[1])


def _items_differ(cts: Known, ct: Known, k: Known) -> bool:
    """Where an item and what is added to it have other sizes."""
    return trees_differ(Known(as_map(cts.object).item), ct)


def _lacks(m: Known, *keys: Known) -> bool:
    """Where a map may lack a key; a dict with constant keys has the constants that it is asked for."""
    return isinstance(m.object, Map) or not all(isinstance(k.object, Static) for k in keys)


entry = linear(
    "entry", _entry, _entry_type, "entry({}, {}, {})",
    lambda g, y, ct, x, k: (EntryContribution(ct, g, k), ZERO, ZERO), exact=True, memory=out_of(), work=STORAGE,
    raises=NEVER,
)
"""`entry(ct, x, k)`: the cotangent of the item `x` under the key `k`."""

add_entry = Primitive(
    "add_entry", lambda cts, ct, k: {**cts, k: add_trees.value(cts.get(k), ct)}, _put_type, "add_entry({}, {}, {})",
    lambda g, y, cts, ct, k: (g, entry_of(g, ct, k), ZERO),
    lambda ds, y, cts, ct, k: (
        ds[0] if isinstance(ds[1], Zero) else add_entry(_tangent(ds[0], cts), ds[1], k)
    ), exact=True, memory=within(0, 1), work=STORAGE, overwrites=0, linear=jointly(0, 1), adds=(0,),
    raises=_items_differ,
)
without_entry = linear(
    "without_entry", _lacking, _first, "without_entry({}, {})",
    lambda g, y, ct, k: (without_entry(g, k), ZERO), exact=True, memory=changed(0), work=STORAGE, overwrites=0,
    raises=NEVER,
    in_place="{0}.pop({1}, None)",
)
inside = linear(
    "inside", lambda ct, m: {key: item for key, item in ct.items() if key in m}, _first, "inside({}, {})",
    lambda g, y, ct, m: (inside(g, m), ZERO), exact=True, memory=items_of(), work=STORAGE, raises=NEVER,
)
outside = linear(
    "outside", lambda ct, m: {key: item for key, item in ct.items() if key not in m}, _first, "outside({}, {})",
    lambda g, y, ct, m: (outside(g, m), ZERO), exact=True, memory=items_of(), work=STORAGE, raises=NEVER,
)
gathered = linear(
    "gathered", _gathered, lambda p, args, params: args[2], "gathered({}, {}, {})",
    lambda g, y, ct, keys, xs: (from_pairs(keys, g), ZERO, ZERO), exact=True, memory=items_of(), work=STORAGE,
    raises=NEVER,
)
"""`gathered(ct, keys, xs)`: the cotangents of the items `xs` of `dict(zip(keys, xs))`; a later one hides an earlier."""


# -- maps --------------------------------------------------------------------------------------------------------


def _display_source(*xs: str, keys: tuple[Any, ...], key: Object) -> str:
    return f"{{{', '.join(f'{key!r}: {x}' for key, x in zip(keys, xs, strict=True))}}}"


def _display_differential(ds: tuple[Any, ...], y: Any, *xs: Any, keys: tuple[Any, ...], key: Object) -> Any:
    moving = [i for i, x in enumerate(xs) if not is_discrete(kind_of(x)) and not isinstance(ds[i], Zero)]
    if not moving:
        return ZERO
    return mapping(*[ds[i] for i in moving], keys=tuple([keys[i] for i in moving]), key=key)


NO_KEY = Refusal(KeyError, lambda m, k: logical_not(has_key(m, k)), lambda objects, params: isinstance(objects[0], Map))
"""What is raised where a map lacks a key."""
mapping = Primitive(
    "mapping", lambda *xs, keys, key: dict(zip(keys, xs, strict=True)), _display_type, _display_source,
    lambda ct, y, *xs, keys, key: tuple([entry_of(ct, x, k) for x, k in zip(xs, keys, strict=True)]),
    _display_differential, exact=True, memory=holds(), work=FILLING, linear=jointly(), raises=NEVER,
)
lookup = Primitive(
    "lookup", lambda m, k: m[k], _item_type, "{}[{}]",
    lambda ct, y, m, k: (EntryContribution(m, ct, k), ZERO), lambda ds, y, m, k: entry_of(ds[0], y, k), exact=True,
    memory=out_of(), work=STORAGE, linear=jointly(0), raises=_lacks, refusal=NO_KEY,
)
has_key = Primitive(
    "has_key", lambda m, k: k in m, lambda p, args, params: BOOL, "({1} in {0})", exact=True, memory=NEW, work=STORAGE,
    raises=NEVER,
)
last_key = Primitive(
    "last_key", lambda m: next(reversed(m)), lambda p, args, params: as_map(args[0]).key, "next(reversed({}))",
    lambda ct, y, m: _not_as_number(ct), lambda ds, y, m: ZERO, exact=True, memory=NEW, work=STORAGE, raises=_lacks,
)
def _check_size(m: Any, size: int) -> None:
    if len(m) != size:
        raise RuntimeError("dictionary changed size during iteration")


check_size = Primitive("check_size", _check_size, lambda p, args, params: UNIT, "check_size({}, {})", exact=True,
                       memory=NEW, work=STORAGE, raises=MAY)
put = Primitive(
    "put", lambda m, v, k: {**m, k: v}, _put_type, "{{**{0}, {2}: {1}}}", _put_pullback, _put_differential, exact=True,
    memory=changed(0, 1), work=STORAGE, overwrites=0, linear=jointly(0, 1), raises=NEVER,
    in_place="{0}[{2}] = {1}",
)

def _removed(m: Any, k: Any) -> Any:
    found = dict(m)
    del found[k]
    return found


remove = Primitive(
    "remove", _removed, _first, "remove({}, {})",
    lambda ct, y, m, k: (ct, ZERO),
    lambda ds, y, m, k: ZERO if isinstance(ds[0], Zero) else without_entry(ds[0], k), exact=True,
    memory=changed(0), work=STORAGE, overwrites=0, linear=jointly(0), raises=_lacks, refusal=NO_KEY,
    in_place="del {0}[{1}]",
)
merged = Primitive(
    "merged", lambda m, n: {**m, **n}, _merged_type, "{{**{}, **{}}}",
    lambda ct, y, m, n: (outside(ct, n), inside(ct, n)), _merged_differential, exact=True,
    memory=items_of(0, 1), work=STORAGE, overwrites=0, linear=jointly(0, 1), raises=NEVER,
    in_place="{0}.update({1})",
)
copied = linear(
    "copied", dict, _first, "{{**{}}}", lambda ct, y, m: (ct,), exact=True, memory=items_of(), work=FILLING,
    raises=NEVER,
)
keys_of = Primitive(
    "keys_of", lambda m: [*m], lambda p, args, params: List(as_map(args[0]).key), "[*{}]",
    lambda ct, y, m: _not_as_number(ct), lambda ds, y, m: ZERO, exact=True, memory=items_of(), work=STORAGE,
    raises=NEVER,
)
values_of = Primitive(
    "values_of", lambda m, keys: [*m.values()], lambda p, args, params: List(as_map(args[0]).item), "[*{0}.values()]",
    lambda ct, y, m, keys: (from_pairs(keys, ct), ZERO),
    lambda ds, y, m, keys: ZERO if isinstance(ds[0], Zero) else gathered(ds[0], keys, y), exact=True,
    memory=items_of(), work=STORAGE, linear=jointly(0), raises=NEVER,
)
"""`values_of(m, keys_of(m))`: the items in order; the keys are for the derivative, which then need not keep the map."""

from_pairs = Primitive(
    "from_pairs", lambda keys, xs: dict(zip(keys, xs, strict=False)), _pairs_type, "dict(zip({}, {}))",
    lambda ct, y, keys, xs: (ZERO, gathered(ct, keys, xs)),
    _pairs_differential, exact=True, memory=items_of(1), work=STORAGE, linear=jointly(1), raises=NEVER,
)

__all__ = [
    "EntryContribution", "add_entry", "as_map", "check_size", "copied", "empty_map", "entry", "entry_of", "from_pairs",
    "gathered", "has_key", "inside", "key_object", "keys_of", "last_key", "lookup", "map_of", "mapping", "merged",
    "outside", "put", "remove", "values_of", "with_entry", "without_entry",
]
