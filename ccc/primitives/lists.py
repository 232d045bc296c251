"""Lists that grow, shrink and change, as functions: each gives a new list, which code that owns the old one may make in
its place.

>>> append([1.0], 2.0), without_last([1.0, 2.0]), set_item([1.0, 2.0], 5.0, 0), concat([1.0], [2.0])
([1.0, 2.0], [1.0], [5.0, 2.0], [1.0, 2.0])
>>> append.pullback([3.0, 4.0], None, [1.0], 2.0)
([3.0], 4.0)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ccc.additive import ZERO, Zero
from ccc.coproducts import common, unlike
from ccc.objects import INT, REAL, UNIT, Array, Coproduct, List, Map, Object, Product
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.domains import Known
from ccc.primitives.facts import MAY, NEVER, NEW, ORDER, STORAGE, changed, items_of, jointly, repeats
from ccc.primitives.pointwise import no_cotangents, no_tangent
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.reductions import call_source
from ccc.primitives.sizes import Size, Sized, part
from ccc.primitives.structure import cut, filled_item, item, whole_numbers
from ccc.primitives.zero_trees import add_trees, zero_for, zeros_like


def common_item(a: Object, b: Object) -> Object:
    """The object of the items of a list that holds both. Raises `Unlike` where there is none."""
    if UNIT in (a, b):
        return b if a == UNIT else a
    joined = common(a, b)
    if joined is None:
        raise unlike("items of a list", a, b)
    return joined


def _with(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    xs = args[0]
    assert isinstance(xs, List)
    return List(common_item(xs.item, args[1]))


def _joined(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    xs, ys = args
    assert isinstance(xs, List) and isinstance(ys, List)
    return List(common_item(xs.item, ys.item))


def _same(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return args[0]


def _selected(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    whole_numbers(args[1:])
    return args[0]


def _replaced(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    whole_numbers(args[2:3])
    return _with(p, args[:2], params)


def _set(xs: list[Any], v: Any, i: int, old: Any = None) -> list[Any]:
    ys = list(xs)
    ys[i] = v
    return ys


def _key(numbers: tuple[Any, ...], places: str) -> slice:
    given = dict(zip(places, numbers, strict=True))
    return slice(given.get("1"), given.get("2"), given.get("3"))


def _sliced(xs: Any, *numbers: Any, places: str) -> list[Any]:
    return list(xs[_key(numbers, places)])


def _slice_shape(args: Sequence[Sized], params: dict[str, Any]) -> list[Size | None] | None:
    """How many items a slice takes."""
    xs, *numbers = args
    given = {place: n.number for place, n in zip(params["places"], numbers, strict=True)}
    if xs.shape is None or None in given.values():
        return None
    return [part(xs.shape[0], given.get("1"), given.get("2"), given.get("3"))]


def _spread(cts: list[Any], xs: list[Any], *numbers: Any, places: str) -> list[Any]:
    found = zeros_like.value(list(xs))
    found[_key(numbers, places)] = cts
    return found


def _folded(cts: Any, xs: Any, n: int) -> list[Any]:
    found = zeros_like.value(list(xs))
    for i, ct in enumerate(cts):
        found[i % len(xs)] = add_trees.value(found[i % len(xs)], ct)
    return found


def _no_step(xs: Known, *numbers: Known, places: str) -> bool:
    """Where the step of a slice is zero."""
    return "3" in places and numbers[-1].has(0.0)


def _misspread(cts: Known, xs: Known, *numbers: Known, places: str) -> bool:
    """Where a slice with a step takes another number of items."""
    return "3" in places


def _slice_source(x: str, *numbers: str, places: str) -> str:
    given = dict(zip(places, numbers, strict=True))
    text = f"{given.get('1', '')}:{given.get('2', '')}"
    return f"[*{x}[{text}{':' + given['3'] if '3' in given else ''}]]"


def _zero_item(xs: Any, i: Any) -> Any:
    return zero_for(item(xs, i))


def _append_pullback(ct: Any, y: Any, xs: Any, v: Any) -> tuple[Any, ...]:
    last = item(ct, -1)  # read first, so that the rest may be made in place
    return without_last(ct), last


append = Primitive(
    "append", lambda xs, v: [*xs, v], _with, "[*{}, {}]",
    _append_pullback,
    lambda ds, y, xs, v: append(filled_list(ds[0], xs), filled_item(ds[1], v, y)), exact=True,
    memory=changed(0, 1), work=STORAGE, overwrites=0, linear=jointly(0, 1), raises=NEVER,
    in_place="{0}.append({1})",
)
without_last = linear(
    "without_last", lambda xs: list(xs[:-1]), _same, "{}[:-1]",
    lambda ct, y, xs: (append(ct, _zero_item(xs, -1)),), exact=True, memory=changed(0), work=STORAGE, overwrites=0,
    raises=NEVER,
    in_place="del {0}[-1]",
)
def _set_pullback(ct: Any, y: Any, xs: Any, v: Any, i: Any, *old: Any) -> tuple[Any, ...]:
    written = item(ct, i)
    before = old[0] if old else item(xs, i) if is_sized(kind_of(v)) else v
    zero = filled_item(ZERO, before, xs)
    sizes = [] if before is not v and not old else [zero if before is v else written]
    return set_item(ct, zero, i, *sizes), written, *[ZERO] * (1 + len(old))


def is_sized(a: Object) -> bool:
    """True for values of one object that may be of several sizes."""
    inside = a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else ()
    return isinstance(a, (Array, List, Map)) or any(map(is_sized, inside))


set_item = Primitive(
    "set_item", _set, _replaced,
    lambda xs, v, i, old="": f"set_item({xs}, {v}, {i})",
    _set_pullback,
    lambda ds, y, xs, v, i, *old: set_item(
        filled_list(ds[0], xs), filled_item(ds[1], v, y), i, *[
            filled_item(ds[1], v, y) if x is v else filled_item(d, x, y) for d, x in zip(ds[3:], old, strict=True)]),
    exact=True, memory=changed(0, 1), work=STORAGE, overwrites=0, like=0, sizes=(3,), linear=jointly(0, 1), raises=MAY,
    in_place=lambda xs, v, i, *old: f"{xs}[{i}] = {v}",
)
"""A list with another item; a fourth argument has the sizes of the item before, where these may be others."""
concat = Primitive(
    "concat", lambda xs, ys: [*xs, *ys], _joined, "[*{}, *{}]",
    lambda ct, y, xs, ys: (cut(ct, xs), behind(ct, xs)),
    lambda ds, y, xs, ys: concat(filled_list(ds[0], xs), filled_list(ds[1], ys)), exact=True,
    memory=items_of(0, 1), work=STORAGE, overwrites=0, linear=jointly(0, 1), raises=NEVER,
    in_place="{0}.extend({1})",
)
behind = linear(
    "behind", lambda cts, xs: list(cts[len(xs):]), _same, "{0}[len({1}):]",
    lambda g, y, cts, xs: (concat(cut(zeros_like(cts), xs), g), ZERO), exact=True,
    memory=items_of(), work=STORAGE, sizes=(1,), raises=NEVER,
)
as_floats = Primitive(
    "as_floats", lambda xs: list(map(float, xs)), lambda p, args, params: List(REAL), "[float(item) for item in {}]",
    lambda ct, y, xs: (ZERO,), lambda ds, y, xs: ZERO, memory=NEW, work=STORAGE,
    linear=jointly(0), raises=NEVER,
)
sliced = linear(
    "sliced", _sliced, _selected, _slice_source,
    lambda ct, y, xs, *numbers, places: (spread(ct, xs, *numbers, places=places), *[ZERO] * len(numbers)), exact=True,
    memory=items_of(), work=STORAGE, raises=_no_step, shape=_slice_shape,
)
spread = linear(
    "spread", _spread, lambda p, args, params: args[1],
    lambda *xs, places: f"spread({', '.join(xs)}, places={places!r})",
    lambda g, y, cts, xs, *numbers, places: (sliced(g, *numbers, places=places), ZERO, *[ZERO] * len(numbers)),
    exact=True, memory=items_of(), work=STORAGE, sizes=(1,), raises=_misspread,
)
repeated = linear(
    "repeated", lambda xs, n: list(xs) * n, _selected, "{} * {}",
    lambda ct, y, xs, n: (folded(ct, xs, n), ZERO), exact=True, memory=repeats(), work=STORAGE, raises=NEVER,
)
folded = linear(
    "folded", _folded, lambda p, args, params: args[1], "folded({}, {}, {})",
    lambda g, y, cts, xs, n: (repeated(g, n), ZERO, ZERO), exact=True, memory=items_of(), work=STORAGE, sizes=(1,),
    raises=MAY,
)
"""The sums of the cotangents of the copies of each item of a list that is `repeated`."""


def filled_list(ct: Any, xs: Any) -> Any:
    """The cotangent or tangent of a list as a list; None for each item that is not differentiable."""
    return zeros_like(xs) if isinstance(ct, Zero) or not isinstance(kind_of(xs), List) else ct


def _order(keys: Any, reverse: bool = False) -> list[int]:
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


order = Primitive(
    "order", _order, lambda p, args, params: List(INT), call_source("order"), no_cotangents, no_tangent, exact=True,
    memory=NEW, work=ORDER, raises=NEVER,
)
"""The places of the keys of a list in the order of the keys, as `sorted` would put them."""
