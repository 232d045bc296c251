"""Tuples, records and lists as values of a program, and rows of arrays.

A cotangent of a list is the list of the cotangents of its items; of a tuple, the tuple of its parts'. What is not
differentiable inside one has the cotangent None.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ccc.additive import ZERO, Contribution, Zero
from ccc.base import Traced
from ccc.coproducts import alternatives, common, join, unlike
from ccc.objects import (
    INT,
    UNIT,
    Array,
    Bool,
    Coproduct,
    Int,
    List,
    Object,
    Product,
    Real,
    Record,
    array,
    is_discrete,
)
from ccc.primitives.arithmetic import both, greater_equal, less, logical_not
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.domains import Known
from ccc.primitives.facts import (
    FILLING,
    MAY,
    MOVEMENT,
    NEVER,
    NEW,
    SIZES,
    STORAGE,
    Refusal,
    holds,
    items_of,
    jointly,
    may_be,
    out_of,
    same,
    within,
)
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.sizes import along
from ccc.primitives.zero_trees import filled, of_first, sum_of_trees, zeros_like, zeros_of
from ccc.records import made, part_if_any, part_of, path_to

# -- tuples that are values of a program: items of lists ---------------------------------------------------------


def _pack_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return Product(args)


def _part_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    (a,) = args
    assert isinstance(a, Product)
    return a.parts[params["index"]]


def _pack_source(*xs: str) -> str:
    return f"({', '.join(xs)}{',' if len(xs) == 1 else ''})"


def _part_pullback(ct: Any, y: Any, x: Any, index: int) -> tuple[Any, ...]:
    whole = kind_of(x)
    if isinstance(whole, Record):  # a named tuple, read by position
        return (_touched_in(x, ct, whole.names[index]),)
    size = len(whole.parts)  # type: ignore[attr-defined]
    return (pack(*[filled(ct if i == index else ZERO, part(x, index=i)) for i in range(size)]),)


pack = Primitive(
    "pack", lambda *xs: xs, _pack_type, _pack_source,
    lambda ct, y, *xs: tuple([part(ct, index=i) for i in range(len(xs))]),
    lambda ds, y, *xs: pack(*[filled(d, x) for d, x in zip(ds, xs, strict=True)]),
    exact=True, memory=holds(), work=STORAGE, linear=jointly(), raises=NEVER,
)
part = linear(
    "part", lambda x, index: x[index], _part_type, lambda x, index: f"{x}[{index}]", _part_pullback, exact=True,
    memory=out_of(), work=STORAGE, raises=NEVER,
)


# -- records that are values of a program: items of lists --------------------------------------------------------


def _record_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return Record(args, params["cls"], params["names"])


def _touched_field(ct: Any, of: Record, name: Any) -> Any:
    return made(of.cls, of.names, [ct if other == name else None for other in of.names])


def _field_cotangent(ct: Any, x: Any, name: Any) -> Any:
    found = part_if_any(ct, name)
    return zero_of_real(x) if found is None else found


def zero_of_real(x: Any) -> Any:
    """The zero cotangent of a value that has one; of an integer that stands for a real, the number 0."""
    return 0.0 if isinstance(x, (int, np.integer)) else zeros_of(x)


def _record_source(*xs: str, cls: type, names: tuple[Any, ...]) -> str:
    if cls is dict:
        return f"{{{', '.join(f'{name!r}: {x}' for name, x in zip(names, xs, strict=True))}}}"
    return f"[{', '.join(xs)}]" if cls is list else f"{cls.__name__}({', '.join(xs)})"


record = Primitive(
    "record", lambda *xs, cls, names: made(cls, names, xs), _record_type,
    _record_source,
    lambda ct, y, *xs, cls, names: tuple([_part_ct(ct, x, n) for n, x in zip(names, xs, strict=True)]),
    lambda ds, y, *xs, cls, names: record(*[filled(d, x) for d, x in zip(ds, xs, strict=True)], cls=cls, names=names),
    exact=True, memory=holds(), work=STORAGE, linear=jointly(), raises=NEVER,
)
field = Primitive(
    "field", lambda x, cls, name, index: part_of(x, cls, name), _part_type,
    lambda x, cls, name, index: x + path_to(cls, name),
    lambda ct, y, x, cls, name, index: (_touched_in(x, ct, name),),
    lambda ds, y, x, cls, name, index: _part_ct(ds[0], y, name), exact=True,
    memory=out_of(), work=STORAGE, linear=jointly(0), raises=NEVER,
)
touched_field = linear(
    "touched_field", _touched_field, lambda p, args, params: params["of"],
    lambda ct, of, name: _record_source(*[ct if other == name else "None" for other in of.names], cls=of.cls,
                                        names=of.names),
    lambda g, y, ct, of, name: (_part_ct(g, ct, name),), exact=True, memory=holds(), work=STORAGE, raises=NEVER,
)
"""The cotangent of a record that touches one part; None stands for zero in the others."""
field_cotangent = Primitive(
    "field_cotangent", _field_cotangent, lambda p, args, params: args[1],
    lambda ct, x, name: f"field_cotangent({ct}, {x}, {name!r})",
    lambda g, y, ct, x, name: (_touched(g, ct, name), ZERO),
    lambda ds, y, ct, x, name: _part_ct(ds[0], x, name), exact=True, memory=out_of(), work=STORAGE, sizes=(1,),
    linear=jointly(0), raises=NEVER,
)


def _touched_in(x: Any, ct: Any, name: Any) -> Any:
    """The cotangent of a record that touches one part: of a program where the record is, also for a cotangent that is
    known."""
    params = {"of": _record_in(x), "name": name}
    return x.base.apply(touched_field, (ct,), params, None) if isinstance(x, Traced) else touched_field(ct, **params)


def _record_in(x: Any) -> Any:
    """The object of a record, real or traced."""
    a = kind_of(x)
    return alternatives(a)[type(x)] if isinstance(a, Coproduct) else a


def _touched(g: Any, ct: Any, name: Any) -> Any:
    """The cotangent of the cotangent of a record; of one that is None, nothing."""
    return touched_field(g, of=_record_in(ct), name=name) if isinstance(kind_of(ct), (Record, Coproduct)) else ZERO


def _part_ct(ct: Any, x: Any, name: Any) -> Any:
    """The cotangent of a part in the cotangent of a record."""
    return ZERO if isinstance(ct, Zero) or is_discrete(kind_of(x)) else field_cotangent(ct, x, name=name)


# -- lists -------------------------------------------------------------------------------------------------------


def _listing_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    if not args or "of" in params:
        return params.get("of", List(UNIT))
    item: Object = args[0]
    for other in args[1:]:
        joined = join(item, other)
        if joined is None:
            raise unlike("items of a list", item, other)
        item = joined
    return List(item)


def _item_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a = args[0]
    assert isinstance(a, List)
    whole_numbers(args[1:])
    return a.item


def whole_numbers(indices: tuple[Object, ...]) -> None:
    """Refuse real numbers for indices and counts of items."""
    if any(isinstance(a, Real) for a in indices):
        raise TypeError("indices and counts of the items of lists are integers, found a real number")


def _add_item(cts: Any, ct: Any, i: int) -> Any:
    return add_onto(cts.copy() if isinstance(cts, (list, np.ndarray)) else cts, ct, i)


def add_onto(cts: Any, ct: Any, i: int) -> Any:
    """`cts[i] += ct` of a list or of the rows of an array; the number 0 is the zero of a list that a branch did not
    make, and stays it."""
    if isinstance(cts, (list, np.ndarray)):
        cts[i] = sum_of_trees(cts[i], ct)
    return cts


class ItemContribution(Contribution):
    """The cotangent of a list that touches one item."""

    __slots__ = ("ct", "index", "xs")

    def __init__(self, xs: Any, ct: Any, index: Any) -> None:
        self.xs = xs
        self.ct = ct
        self.index = index

    def onto(self, accumulator: Any) -> Any:
        return add_item(accumulator, self.ct, self.index)

    def zero(self) -> Any:
        return zeros_like(self.xs)

    def dense(self) -> Any:
        return self.onto(self.zero())


def filled_item(d: Any, x: Any, y: Any) -> Any:
    """The tangent of an item; of an integer among reals, the number 0."""
    a = kind_of(y)
    among_reals = isinstance(a, List) and isinstance(a.item, Real) and isinstance(kind_of(x), Int)
    return 0.0 if among_reals else filled(d, x)


def _item_moved(d: Any, x: Any, y: Any) -> Any:
    """The tangent of an item of a list that moves, whose items are reals then, also where all are integers now."""
    if isinstance(kind_of(x), Int):
        return 0.0 if d is None or isinstance(d, Zero) else d
    return filled_item(d, x, y)


listing = Primitive(
    "list", lambda *xs, of=None: list(xs), _listing_type, lambda *xs, of=None: f"[{', '.join(xs)}]",
    lambda ct, y, *xs, of=None: tuple([item(ct, i) for i in range(len(xs))]),
    lambda ds, y, *xs, of=None: _tangents([_item_moved(d, x, y) for d, x in zip(ds, xs, strict=True)]),
    exact=True, memory=holds(), work=FILLING, linear=jointly(), raises=NEVER,
)


def _tangents(items: list[Any]) -> Any:
    """The list of the tangents of items, of which those that are zeros have integers where others have nothing."""
    kinds = [kind_of(x) for x in items]
    whole: Object | None = kinds[0] if kinds else None
    for a in kinds[1:]:
        whole = None if whole is None else common(whole, a)
    if whole is None or not any(isinstance(x, Traced) for x in items) or all(a == kinds[0] for a in kinds):
        return listing(*items)
    return listing(*items, of=List(whole))


def no_place(x: Any, i: Any, **params: Any) -> Any:
    """Whether a list has no item, or an array no row, at a place."""
    n = length(x)
    return logical_not(both(less(i, n), greater_equal(i, -n)))


def _of_list(objects: Sequence[Object], params: dict[str, Any]) -> bool:
    return isinstance(objects[0], List) and isinstance(objects[1], Int)


def _item(xs: Any, i: int, of: str | None = None) -> Any:
    """`xs[i]`, where `of` says what an error calls the sequence, if it is not a list in Python."""
    try:
        return xs[i]
    except IndexError:
        if of is None:
            raise
        text = "pop from empty list" if of == "pop" and not len(xs) else f"{of} index out of range"
        raise IndexError(text) from None


item = linear(
    "item", _item, _item_type, lambda xs, i, of=None: f"{xs}[{i}]" if of is None else f"item({xs}, {i}, of={of!r})",
    lambda ct, y, xs, i, of=None: (ItemContribution(xs, ct, i), ZERO), exact=True, memory=out_of(), work=STORAGE,
    raises=MAY, refusal=Refusal(IndexError, no_place, _of_list),
)
add_item = Primitive(
    "add_item", _add_item, of_first, "add_item({}, {}, {})",
    lambda g, y, cts, ct, i: (g, item(g, i), ZERO),
    lambda ds, y, cts, ct, i: add_item(filled(ds[0], cts), filled(ds[1], ct), i), exact=True,
    memory=within(0, 1), work=STORAGE, overwrites=0, like=0, linear=jointly(0, 1), adds=(0,), raises=MAY,
)
def _no_span(*xs: Known) -> bool:
    """Where the step of a range is zero."""
    return len(xs) == 3 and xs[2].has(0.0)


length = Primitive("len", len, lambda p, args, params: INT, "len({})", exact=True,
                   memory=NEW, work=SIZES, sizes=(0,), raises=NEVER,
                   shape=lambda args, params: along(args[0], 0), axis=lambda params: 0)
span = Primitive("range", range, lambda p, args, params: List(INT),
                 lambda *xs: f"range({', '.join(xs)})", exact=True, memory=NEW, work=SIZES, raises=_no_span)
pad = linear(
    "pad", lambda cts, xs: list(cts) + [zeros_of(x) for x in xs[len(cts):]], lambda p, args, params: args[1],
    "pad({}, {})",
    lambda g, y, cts, xs: (cut(g, cts), ZERO), exact=True, memory=items_of(), work=STORAGE, sizes=(1,), raises=NEVER,
)
cut = linear(
    "cut", lambda cts, like: cts[: len(like)], of_first, "cut({}, {})",
    lambda g, y, cts, like: (pad(g, cts), ZERO), exact=True, memory=may_be(0), work=STORAGE, sizes=(1,),
    raises=NEVER,
)


# -- the rows of an array as a list ------------------------------------------------------------------------------


def _row_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    (a,) = args
    assert isinstance(a, Array)
    if a.axes is None:
        return List(array(a.dtype, None))
    if len(a.axes) > 1:
        return List(array(a.dtype, a.axes[1:]))
    return List(Real(a.dtype) if a.is_real else Bool("bool_") if a.dtype == "bool" else Int(a.dtype))


def _stack_rows(cts: Any, x: Any) -> Any:
    out = np.zeros(x.shape, x.dtype)
    for i, ct in enumerate(cts):
        if not isinstance(ct, Zero):
            out[i] = ct
    return out


rows = linear("rows", lambda x: x, _row_type, "{}", lambda ct, y, x: (stack_rows(ct, x),), exact=True,
              memory=same(), work=SIZES, raises=NEVER)
stack_rows = linear(
    "stack_rows", _stack_rows, lambda p, args, params: args[1], "stack_rows({}, {})",
    lambda g, y, cts, x: (cut(rows(g), cts), ZERO), exact=True, memory=NEW, work=MOVEMENT, sizes=(1,), like=1,
    raises=MAY,
)


def _check_length(xs: Any, count: int) -> None:
    if len(xs) != count:
        if len(xs) < count:
            raise ValueError(f"not enough values to unpack (expected {count}, got {len(xs)})")
        raise ValueError(f"too many values to unpack (expected {count})")


check_length = Primitive(
    "check_length", _check_length, lambda p, args, params: UNIT,
    lambda xs, count: f"check_length({xs}, {count})", exact=True, memory=NEW, work=SIZES, sizes=(0, 1), raises=MAY,
)
