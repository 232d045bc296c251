"""Indexing and slicing of arrays, whose cotangent is a contribution to part of the array.

The pattern of an index is constant and says what stands where; the numbers are arguments:

    "i" an integer    "s123" a slice with those of start, stop, step that are given    "a" an array    "." ...
    "+" None

>>> x = np.arange(6.0).reshape(2, 3)
>>> index(x, 1, 1, pattern=("i", "s1"))
array([4., 5.])
>>> index.pullback(1.0, 4.0, x, 1, 1, pattern=("i", "i"))[0].dense()
array([[0., 0., 0.],
       [0., 1., 0.]])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ccc.additive import ZERO, Contribution, Zero
from ccc.objects import Array, Int, Object, Real, array
from ccc.primitives import reductions
from ccc.primitives.broadcasting import broadcast_like, fit, kind_of
from ccc.primitives.domains import Known, spreads
from ccc.primitives.facts import MOVEMENT, NEW, SUMS, Memory, Refusal, jointly, view
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.sizes import ONE, Size, Sized, part
from ccc.primitives.structure import no_place
from ccc.primitives.zero_trees import filled, zeros_like

Pattern = tuple[str, ...]


def key_of(pattern: Pattern, numbers: Sequence[Any]) -> Any:
    """The Python index with `numbers` in the places of `pattern`."""
    given = iter(numbers)
    entries = [_entry(code, given) for code in pattern]
    return entries[0] if len(entries) == 1 else tuple(entries)


def _entry(code: str, given: Iterator[Any]) -> Any:
    if code in "ia":
        return next(given)
    if code == ".":
        return Ellipsis
    if code == "+":
        return None
    return slice(*[next(given) if place in code else None for place in "123"])


def key_source(pattern: Pattern, numbers: Sequence[str]) -> str:
    """The same as text.

    >>> key_source(("s2", "i"), ["n", "0"])
    ':n, 0'
    """
    given = iter(numbers)
    return ", ".join(_entry_source(code, given) for code in pattern) or "()"


def _entry_source(code: str, given: Iterator[str]) -> str:
    if code in "ia":
        return next(given)
    if code == ".":
        return "..."
    if code == "+":
        return "None"
    start, stop, step = [next(given) if place in code else "" for place in "123"]
    return f"{start}:{stop}" + (f":{step}" if step else "")


def _index_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a, *numbers = args
    if isinstance(a, Real) and a.kind not in ("float", "fraction"):  # NumPy's scalars, as arrays without axes
        a = Array(a.kind, ())
    assert isinstance(a, Array)
    if a.axes is None:
        return array(a.dtype, None)
    pattern: Pattern = params["pattern"]
    used = sum(_axes_used(code, kinds) for code, kinds in _with_arrays(pattern, numbers))
    if used > len(a.axes):
        raise IndexError(f"too many indices for an array of rank {len(a.axes)}")
    axes, places = _taken(a.axes, pattern, numbers, "1", lambda axis, *ends: "?")
    arrays = [by for by in numbers if isinstance(by, Array)]
    if arrays:
        shared = _shared(arrays)
        if shared is None:
            return array(a.dtype, None)
        axes = _with_shared(axes, places, shared)
    if axes or "." in pattern:
        return array(a.dtype, tuple(axes))
    return reductions.scalar_kind(a.dtype)


def _taken(
    axes: Sequence[Any], pattern: Pattern, kinds: Sequence[Object], one: Any, cut: Callable[..., Any],
    numbers: Sequence[Any] = (),
) -> tuple[list[Any], list[tuple[int, int]]]:
    """The axes that an index leaves, `one` for a new one and `cut(axis, start, stop, step)` for part of one, and how
    many ellipses and axes stand before each advanced index."""
    found, places, position, k, dots = list[Any](), list[tuple[int, int]](), 0, 0, 0
    used = sum(_axes_used(code, by) for code, by in _with_arrays(pattern, kinds))
    for code in pattern:
        if code == "+":
            found.append(one)
        elif code == ".":
            count = len(axes) - used
            found += axes[position : position + count]
            position += count
            dots += 1
        elif code in "ia":
            places.append((dots, len(found)))
            position += _axes_used(code, kinds[k])
            k += 1
        else:
            ends = iter([*numbers[k : k + len(code) - 1], *[None] * len(code)])
            k += len(code) - 1
            found.append(cut(axes[position], *[next(ends) if place in code else None for place in "123"])
                         if len(code) > 1 else axes[position])
            position += 1
    return [*found, *axes[position:]], places


def first_of_shared(places: Sequence[tuple[int, int]]) -> int:
    """How many axes stand before those that advanced indices give, where so many ellipses and axes stand before each of
    these: none where something is between them, as an ellipsis, although it stands for no axis.

    >>> first_of_shared([(0, 1), (0, 1)]), first_of_shared([(0, 1), (1, 1)])
    (1, 0)
    """
    return places[0][1] if len(set(places)) == 1 else 0


def _with_shared(axes: list[Any], places: list[tuple[int, int]], shared: Sequence[Any]) -> list[Any]:
    """The axes with those of the advanced indices in their place."""
    first = first_of_shared(places)
    return [*axes[:first], *shared, *axes[first:]]


def index_shape(args: Sequence[Sized], params: dict[str, Any]) -> list[Size | None] | None:
    a, *by = args
    if a.shape is None:
        return None
    kinds = [n.object for n in by]

    def cut(axis: Size, *ends: Sized | None) -> Size | None:
        numbers = [None if n is None else n.number for n in ends]
        known = all(n is None or n.number is not None for n in ends)
        return part(axis, *numbers) if known else None

    axes, places = _taken(a.shape, params["pattern"], kinds, ONE, cut, by)
    arrays = [n for n in by if isinstance(n.object, Array)]
    if not arrays:
        return axes
    shared = _shared([n.object for n in arrays if isinstance(n.object, Array)])
    alone = len(arrays) == 1 and arrays[0].object.dtype != "bool"  # type: ignore[attr-defined]
    sizes: Sequence[Size | None] | None = arrays[0].shape if alone else None
    return None if shared is None else _with_shared(axes, places, sizes or [None] * len(shared))


def _shared(arrays: Sequence[Array]) -> Sequence[str] | None:
    """The axes of indices that are arrays, broadcast together; None where their rank is unknown."""
    shapes = [("?",) if by.dtype == "bool" else by.axes for by in arrays]
    if len(shapes) == 1:
        return shapes[0]
    ranks = [len(shape) for shape in shapes if shape is not None]
    return ("?",) * max(ranks) if len(ranks) == len(shapes) else None


def _with_arrays(pattern: Pattern, numbers: Sequence[Object]) -> Iterator[tuple[str, Object | None]]:
    given = iter(numbers)
    for code in pattern:
        first = next(given) if code in "ia" else None
        if code[0] == "s":
            for _ in code[1:]:
                next(given)
        yield code, first


def _axes_used(code: str, by: Object | None) -> int:
    if code in (".", "+"):
        return 0
    if isinstance(by, Array) and by.dtype == "bool":
        return 1 if by.axes is None else len(by.axes)
    return 1


def _added(x: Any, ct: Any, *numbers: Any, pattern: Pattern) -> Any:
    found = add_at_in_place(np.array(x), ct, *numbers, pattern=pattern)
    return found if isinstance(x, np.ndarray) else found[()]


def add_at_in_place(x: Any, ct: Any, *numbers: Any, pattern: Pattern) -> Any:
    """Add `ct` to `x` at an index, repeated indices counted each time."""
    key = key_of(pattern, numbers)
    if "a" in pattern:
        np.add.at(x, key, ct)
    else:
        x[key] += ct
    return x


class Scattered(Contribution):
    """The cotangent of an array that was indexed: `ct` at the index, zero elsewhere."""

    __slots__ = ("ct", "numbers", "pattern", "x")

    def __init__(self, x: Any, ct: Any, numbers: tuple[Any, ...], pattern: Pattern) -> None:
        self.x = x
        self.ct = ct
        self.numbers = numbers
        self.pattern = pattern

    def onto(self, accumulator: Any) -> Any:
        return add_at(accumulator, self.ct, *self.numbers, pattern=self.pattern)

    def zero(self) -> Any:
        return zeros_like(self.x)

    def dense(self) -> Any:
        return self.onto(self.zero())


def _index_pullback(ct: Any, y: Any, x: Any, *numbers: Any, pattern: Pattern) -> tuple[Any, ...]:
    return (Scattered(x, ct, numbers, pattern), *[ZERO] * len(numbers))


def _add_at_pullback(g: Any, y: Any, x: Any, ct: Any, *numbers: Any, pattern: Pattern) -> tuple[Any, ...]:
    whole = kind_of(x)
    if isinstance(whole, Real) and kind_of(g) != whole:  # of Python, which has no items
        g = broadcast_like(g, x)
    return (g, fit(index(g, *numbers, pattern=pattern), ct), *[ZERO] * len(numbers))


def _add_at_differential(ds: tuple[Any, ...], y: Any, x: Any, ct: Any, *numbers: Any, pattern: Pattern) -> Any:
    dx = filled(ds[0], x)
    return dx if isinstance(ds[1], Zero) else add_at(dx, ds[1], *numbers, pattern=pattern)


def _memory_of(params: dict[str, Any]) -> Memory:
    """A view, but for an index with arrays."""
    return NEW if "a" in params["pattern"] else view()


def out_of_range(x: Known, *numbers: Known, pattern: Pattern) -> bool:
    """Where there may be no such place, or a step of zero."""
    if x.axes is None or ("." in pattern and any(code in "ia" for code in pattern)):
        return True
    given, axis = iter(numbers), 0
    for code in pattern:
        if code == "a" or (code == "i" and not next(given).names_place(x.size(axis))):
            return True
        steps = [next(given) for _ in code[1:]]
        if code.endswith("3") and steps[-1].has(0.0):
            return True
        axis += code not in ".+"
    return False


def unfit(x: Known, v: Known, *numbers: Known, pattern: Pattern) -> bool:
    """Where there may be no such place, or another number of entries in it."""
    if out_of_range(x, *numbers, pattern=pattern):
        return True
    if v.single:
        return False
    shape = index_shape([x.sized, *[n.sized for n in numbers]], {"pattern": pattern})
    return shape is None or not spreads(v, shape)


def _of_rows(objects: Sequence[Object], params: dict[str, Any]) -> bool:
    """A row, or an item along the first axis."""
    a = objects[0]
    return params["pattern"] == ("i",) and isinstance(a, Array) and bool(a.axes) and isinstance(objects[1], Int)


index = linear(
    "index", lambda x, *numbers, pattern: x[key_of(pattern, numbers)], _index_type,
    lambda x, *numbers, pattern: f"{x}[{key_source(pattern, numbers)}]",
    _index_pullback, exact=True, memory=_memory_of, work=MOVEMENT, shape=index_shape,
    raises=out_of_range, refusal=Refusal(IndexError, no_place, _of_rows), reads=1,
)
add_at = Primitive(
    "add_at", _added, lambda p, args, params: args[0],
    lambda x, ct, *numbers, pattern: f"add_at({', '.join((x, ct, *numbers))}, pattern={pattern!r})",
    _add_at_pullback, _add_at_differential, exact=True, memory=NEW, work=SUMS, overwrites=0, like=0,
    linear=jointly(0, 1), raises=unfit, adds=(0,), adding=True, writes=2,
)
