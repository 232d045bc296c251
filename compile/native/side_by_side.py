"""Arrays made of parts of the same sizes that lie side by side along the first or the last axis: stacked, or written
one after the other to an array of zeros.

    np.stack([y, z], axis=-1)                   one loop over the items of y and z, which are in no array of their own:
    w = zeros;  w[..., 0] = y;  w[..., 1] += z      w[2 k] = y[k];  w[2 k + 1] = z[k]

The array is made when it is read. The stores of a loop stand behind each other, at places that are together without a
gap: `windows` makes whole vectors of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ccc.compile.native.arrays import flat_of, renamed, same_axes
from ccc.compile.native.code import is_name
from ccc.compile.native.dtypes import bytes_of
from ccc.compile.native.elementwise_fusion import Group, joined
from ccc.compile.native.items import Axes, item_of, offset, store
from ccc.compile.native.layout import Arr, Lazy
from ccc.compile.native.nests import nest, product
from ccc.compile.native.table import applies, known
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num
from ccc.compile.program.lam import Atom, Let, Var
from ccc.primitives import indexing, updating

MOST = 16
"""So many parts are written by one loop."""


class Together(Lazy):
    """Zeros but for some parts along an axis, each by its index."""

    def __init__(self, m: Lowering, dtype: str, axes: Axes, axis: int, parts: Mapping[int, Any]) -> None:
        super().__init__(dtype, axes, lambda at: item_of(m, self.whole(), at).text)
        self.m = m
        self.axis = axis
        self.parts = parts
        self.made: Arr | None = None

    def whole(self) -> Arr:
        """The array in memory."""
        if self.made is None:
            self.made = by_groups(self.m, self) or by_parts(self.m, self)
        return self.made


def others(axes: Axes, axis: int) -> Axes:
    """The sizes of a part."""
    return (*axes[:axis], *axes[axis + 1 :])


def long(m: Lowering, axes: Axes) -> Axes:
    """The sizes that are not known to be 1."""
    return tuple([n for n in axes if not m.single(n)])


def room(m: Lowering, v: Together, size: str) -> str:
    """Memory for the array, zero where parts may not be all of it."""
    w = m.w
    bytes_ = w.mul(w.mul(size, v.axes[v.axis]), bytes_of(v.dtype))
    ptr, count = m.alloc(bytes_), str(len(v.parts))
    if v.axes[v.axis] != count:
        w.fill(ptr, "0", w.select("i64", w.compare("eq", v.axes[v.axis], count), "0", bytes_))
    return ptr


def by_groups(m: Lowering, v: Together) -> Arr | None:
    """The array, written by the loops that compute its parts; None where these are not read by their positions."""
    axes, found = others(v.axes, v.axis), list[tuple[int, Group, Num]]()
    for j, part in v.parts.items():
        read = flat_of(m, part, axes)
        one = joined(m, long(m, axes), read) if read is not None else None
        if one is None:
            return None
        found.append((j, *one))
    groups = sorted({group for _, group, _ in found}, key=lambda group: group.opened)
    w = m.w
    with w.within(groups[0].before):
        ptr, size = room(m, v, groups[0].count), groups[0].count
    m.order[ptr] = groups[-1].opened + 0.5
    m.owners[ptr] = groups[-1]
    for group in groups:
        with w.within(group.body):
            for j, own, x in found:
                if own is group:
                    at = (w.add(w.mul(group.now, v.axes[v.axis]), str(j)) if v.axis else
                          w.add(w.mul(str(j), size), group.now))
                    store(m, x, v.dtype, ptr, at)
    return Arr(v.dtype, ptr, v.axes)


def by_parts(m: Lowering, v: Together) -> Arr:
    """The array, each part in a loop of its own."""
    axes = others(v.axes, v.axis)
    out = Arr(v.dtype, room(m, v, product(m, axes)), v.axes)
    for j, part in v.parts.items():
        with nest(m, axes) as at:
            place = offset(m, v.axes, [*at[: v.axis], str(j), *at[v.axis :]])
            store(m, item_of(m, part, at), v.dtype, out.ptr, place)
    return out


def stacked(m: Lowering, xs: Sequence[Any], axis: int, dtype: str) -> Together | None:
    """Parts with a new first or last axis; None for another one."""
    axes = xs[0].axes
    if not axes or axis not in (0, len(axes)) or len(xs) > MOST:
        return None
    whole = (*axes[:axis], str(len(xs)), *axes[axis:])
    return Together(m, dtype, whole, axis, dict(enumerate(renamed(x, axes) for x in xs)))


def column(m: Lowering, let: Let) -> tuple[int, int] | None:
    """The axis and the index of the part that a let writes or adds to zeros that nothing else reads, or to what has
    other parts by now; None where it does anything else."""
    if not applies(let, indexing.add_at) and not applies(let, updating.set_at):
        return None
    zeros, v, *numbers = let.args
    if not isinstance(zeros, Var) or m.module.uses[zeros] != 1 or not m.w.lanes:
        return None
    x, part = m.value(zeros), m.value(v)
    if not isinstance(x, Lazy) or not (isinstance(x, Together) or known(zeros.definition).fill == 0.0):
        return None
    found = place(m, x.axes, let.application.params["pattern"], numbers)
    if found is None or (found[0] and long(m, x.axes[found[0] + 1 :])):
        return None
    axis, i, cut = found
    if isinstance(x, Together) and (x.axis != axis or i in x.parts):
        return None
    return (axis, i) if isinstance(part, Num) or fits(part, x.axes, axis, cut) else None


def fits(part: Any, axes: Axes, axis: int, cut: bool) -> bool:
    """Whether a part has all items of its place. It has an axis of size 1 there where a slice says the place, and none
    where an integer does; one that is the first may be there or not."""
    if not isinstance(part, (Arr, Lazy)):
        return False
    own, one = part.axes, len(part.axes) == len(axes)
    if axis and one != cut:
        return False
    if one:
        if own[axis] != "1":
            return False
        own = others(own, axis)
    needed = others(axes, axis)
    return len(own) == len(needed) and all((a == "1") == (b == "1") for a, b in zip(own, needed, strict=True))


def place(m: Lowering, axes: Axes, pattern: Sequence[str], numbers: Sequence[Atom]) -> tuple[int, int, bool] | None:
    """The one axis that an index says a place of, that place, and whether a slice of one item says it, or an integer,
    which are known; None for others."""
    rank = len(axes)
    codes = [code for code in pattern if code != "."]
    cuts = [i for i, code in enumerate(codes) if code != "s"]
    if rank < 2 or len(cuts) != 1 or codes[cuts[0]][0] not in "is":
        return None
    (axis,), code = cuts, codes[cuts[0]]
    if len(codes) < rank and "." in pattern and pattern.index(".") < pattern.index(code):
        axis += rank - len(codes)
    values = [m.value(x) for x in numbers]
    ends = [v.known if isinstance(v, Num) else None for v in values]
    if None in ends:
        return None
    if code == "i":
        i = ends[0]
    else:
        given = iter(ends)
        start, stop, by = [next(given) if c in code else None for c in "123"]
        if is_name(axes[axis]) or by == 0:
            return None
        taken = range(int(axes[axis]))[start:stop:by]
        i = taken[0] if len(taken) == 1 else None
    return (axis, i, code != "i") if i is not None and 0 <= i < MOST else None


def with_column(m: Lowering, x: Lazy, axis: int, j: int, part: Any) -> Together:
    """What has one part more."""
    axes = others(x.axes, axis)
    m.guard("uge", str(j), x.axes[axis])
    if not isinstance(part, Num):
        part = part if len(part.axes) == len(axes) else without(part, axis)
        same_axes(m, part.axes, axes)
        part = renamed(part, axes)
    parts = x.parts if isinstance(x, Together) else {}
    return Together(m, x.dtype, x.axes, axis, {**parts, j: part})


def without(x: Arr | Lazy, axis: int) -> Arr | Lazy:
    """An array without an axis of size 1."""
    axes = others(x.axes, axis)
    if isinstance(x, Arr):
        return Arr(x.dtype, x.ptr, axes)
    item = x.item
    return Lazy(x.dtype, axes, lambda at: item((*at[:axis], "0", *at[axis:])), x.flat)


def ready(m: Lowering, let: Let, args: list[Any]) -> list[Any]:
    """The arguments of a let, those that are to be made as a whole made now: but for one that gets a part more, and
    those of what nothing reads."""
    if not any(isinstance(x, Together) for x in args) or not let.targets or not m.module.uses[let.targets[0]]:
        return args
    more = 1 if column(m, let) else 0
    return [*args[:more], *[m.arr(x) if isinstance(x, Together) else x for x in args[more:]]]
