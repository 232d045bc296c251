"""The sizes of results as expressions of the sizes of arguments, so that equal sizes are known to be equal.

    x[1:-1], x[2:]                 both have the size of x less 2, and not below 0
    x + y                          the sizes of x and y broadcast: one of them where the other is the same, or 1
    a @ b, np.sum(a, axis=0)       axes of the arguments, as the type rule moves them
    np.zeros(n), np.full(n, 1.0)   the number n

A size is a sum of a constant and multiples of *atoms*: the size of an axis of which nothing more is known, a number of
the program, what is cut off at 0, part of a size, sizes broadcast together.

>>> n = dim("x", 0)
>>> part(n, constant(1), constant(-1)) == part(n, constant(2), None) == clipped(n - constant(2))
True
>>> part(n, None, constant(-1)) == n
False
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ccc.objects import Array, Object
from ccc.primitives.facts import CALL
from ccc.primitives.primitive import Primitive, elementwise
from ccc.values import value


@value()
class Size:
    """A whole number: a constant and multiples of atoms."""

    constant: int
    terms: frozenset[tuple[Hashable, int]] = frozenset()

    def __add__(self, other: Size) -> Size:
        return combined(self, other, 1)

    def __sub__(self, other: Size) -> Size:
        return combined(self, other, -1)

    def times(self, factor: int) -> Size:
        """A multiple."""
        found = frozenset([(atom, n * factor) for atom, n in self.terms]) if factor else frozenset[Any]()
        return Size(self.constant * factor, found)


class Dim(NamedTuple):
    """The size of an axis of a value, of which no more is known than that it is not negative."""

    of: Any
    axis: int


class Number(NamedTuple):
    """A whole number of a program."""

    of: Any


class Clip(NamedTuple):
    """A number, or 0 where that is negative, and no more than `most` where that is given."""

    size: Size
    most: int | None


class Made(NamedTuple):
    """A number that an array was made with, so that it is not negative wherever the array is."""

    number: Size


class Told(NamedTuple):
    """A number that an array of a shape was folded by, beside others: where it is -1 it stands for what these leave."""

    number: Size
    shape: tuple[Size, ...]
    others: tuple[Size, ...]


class Part(NamedTuple):
    """How many places of a size a slice takes."""

    size: Size
    start: Size | None
    stop: Size | None
    step: Size | None


class Common(NamedTuple):
    """The size to which sizes are broadcast."""

    sizes: frozenset[Size]


Shape = tuple[Size, ...]


def combined(a: Size, b: Size, factor: int) -> Size:
    if not b.terms:
        return Size(a.constant + factor * b.constant, a.terms)
    counts = Counter[Hashable](dict(a.terms))
    for atom, n in b.terms:
        counts[atom] += factor * n
    return Size(a.constant + factor * b.constant, frozenset([(atom, n) for atom, n in counts.items() if n]))


def constant(n: int) -> Size:
    """A size that is known."""
    return Size(n)


def of_atom(atom: Hashable) -> Size:
    """A size that is one atom."""
    return Size(0, frozenset([(atom, 1)]))


def dim(of: Hashable, axis: int) -> Size:
    """The size of an axis of a value."""
    return of_atom(Dim(of, axis))


ONE = constant(1)


def is_size(n: Size) -> bool:
    """Whether a number surely is not negative."""
    return n.constant >= 0 and all(k > 0 and not isinstance(atom, Number) for atom, k in n.terms)


def clipped(n: Size, most: int | None = None) -> Size:
    """A number, or 0 where it is negative, and no more than `most`.

    >>> clipped(constant(-3)), clipped(dim("x", 0)) == dim("x", 0)
    (Size(constant=0, terms=frozenset()), True)
    """
    if most is not None and most <= 0:
        return constant(0)
    if not n.terms:
        found = max(n.constant, 0)
        return constant(found if most is None else min(found, most))
    if most is None and is_size(n):
        return n
    atom, times = next(iter(n.terms)) if len(n.terms) == 1 else (None, 0)
    if times == 1 and n.constant <= 0:  # fewer of what is not negative
        if isinstance(atom, Clip) and atom.most is None:
            return clipped(atom.size + constant(n.constant), most)
        if isinstance(atom, Made):
            return clipped(atom.number + constant(n.constant), most)
    return of_atom(Clip(n, most))


def part(n: Size, start: Size | None, stop: Size | None, step: Size | None = None) -> Size:
    """How many of `n` places a slice takes.

    >>> n = dim("x", 0)
    >>> part(n, ONE, constant(-1), constant(2)) == part(n, constant(2), None, constant(2))
    True
    """
    if step is not None and not step.terms and step.constant:
        if step.constant > 0:
            return every(part(n, start, stop), step.constant)
        if start is None and stop is None:
            return every(n, -step.constant)
    if start == constant(0) and step is None:
        start = None
    if stop == n and step is None:
        stop = None
    if start is None and stop is None and step is None:
        return n
    known = [x.constant if x is not None and not x.terms else None for x in (start, stop, step)]
    given = [x is None or not x.terms for x in (start, stop, step)]
    if all(given) and not n.terms and known[2] != 0:
        return constant(len(range(n.constant)[slice(*known)]))
    first, last = known[0] or 0, known[1]
    if not given[1] and stop is not None and given[0]:  # x[1 : n - 1], where n is the size of x
        gap = n - stop
        if not gap.terms and gap.constant >= 1 and first >= max(gap.constant - 2, 0):
            last, given[1] = -gap.constant, True
    if not all(given) or step is not None:
        return of_atom(Part(n, start, stop, step))
    if first >= 0 and (last is None or last < 0):
        return clipped(n - constant(first - (last or 0)))
    if first >= 0 and last is not None:
        return clipped(n - constant(first), last - first)
    if last is None:
        return clipped(n, -first)
    if last < 0:
        return clipped(n + constant(last), last - first)
    return of_atom(Part(n, start, stop, step))


def every(n: Size, step: int) -> Size:
    """How many of `n` places are one in so many, the first one among them."""
    if step == 1:
        return n
    return of_atom(Part(n, None, None, constant(step))) if n.terms else constant(-(-n.constant // step))


def dims_in(n: Size) -> Iterator[Dim | Number]:
    """The sizes of axes and the numbers that a size is an expression of."""
    todo: list[Any] = [n]
    while todo:
        x = todo.pop()
        if isinstance(x, (Dim, Number)):
            yield x
        elif isinstance(x, Size):
            todo += [atom for atom, _ in x.terms]
        elif isinstance(x, Told):
            todo += [x.number, *x.shape, *x.others]
        elif isinstance(x, (Clip, Made, Part)):
            todo += [inner for inner in x if isinstance(inner, Size)]
        elif isinstance(x, Common):
            todo += x.sizes


def with_dims(n: Size, same: Mapping[Dim | Number, Dim | Number]) -> Size:
    """A size in which sizes of axes, and numbers, stand for others. A number that an array was made with is what is
    left where it is cut off at 0, as where a slice takes so many.

    >>> n, m = dim("x", 0), dim("y", 0)
    >>> size = common([part(n, ONE, None), part(m, None, constant(-1))])
    >>> with_dims(size, {Dim("y", 0): Dim("x", 0)}) == clipped(n - ONE)
    True
    """
    found = constant(n.constant)
    for atom, k in n.terms:
        found += _with_dims(atom, same).times(k)
    return found


def _with_dims(atom: Hashable, same: Mapping[Dim | Number, Dim | Number]) -> Size:
    match atom:
        case Dim() | Number():
            return of_atom(same.get(atom, atom))
        case Clip(size, most):
            return clipped(with_dims(size, same), most)
        case Made(number):
            return clipped(with_dims(number, same))
        case Told(number, shape, others):
            found = with_dims(number, same)
            return found if is_size(found) else of_atom(
                Told(found, tuple([with_dims(n, same) for n in shape]), tuple([with_dims(n, same) for n in others])))
        case Part():
            size, *ends = [None if n is None else with_dims(n, same) for n in atom]
            return part(size or constant(0), *ends)
        case Common(sizes):
            return common([with_dims(size, same) for size in sizes])
        case _:
            return of_atom(atom)


def value_of(n: Size, known: Callable[[Any], int | None]) -> int | None:
    """The number that a size is where axes and numbers are `known`, None where one of them is not.

    >>> n = dim("x", 0)
    >>> [value_of(part(n, ONE, constant(-1)), {Dim("x", 0): k}.get) for k in (5, 1)]
    [3, 0]
    """
    found = n.constant
    for atom, k in n.terms:
        value = _value_of(atom, known)
        if value is None:
            return None
        found += value * k
    return found


def _value_of(atom: Any, known: Callable[[Any], int | None]) -> int | None:
    match atom:
        case Clip(size, most):
            n = value_of(size, known)
            return None if n is None else max(n, 0) if most is None else min(max(n, 0), most)
        case Made(number):
            return value_of(number, known)
        case Told(number, shape, others):
            n = value_of(number, known)
            return n if n != -1 else left(*[[value_of(size, known) for size in sizes] for sizes in (shape, others)])
        case Part(size, start, stop, step):
            ends = (start, stop, step)
            n, values = value_of(size, known), [None if end is None else value_of(end, known) for end in ends]
            given = all((x is None) == (end is None) for x, end in zip(values, ends, strict=True))
            return len(range(n)[slice(*values)]) if n is not None and given and values[2] != 0 else None
        case Common(sizes):
            values = [value_of(size, known) for size in sizes]
            return None if None in values else max([n for n in values if n is not None])
        case _:
            return known(atom)


def left(shape: Sequence[int | None], folded: Sequence[int | None]) -> int | None:
    """What -1 stands for among the sizes that an array of a shape is folded by; None where that is not known.

    >>> left((3, 4), (6, -1)), left((3, None), (3, -1)), left((0, 4), (0, -1))
    (2, None, None)
    """
    if None in shape or None in folded:
        return None
    entries, others = math.prod([n or 0 for n in shape]), math.prod([n or 0 for n in folded if n != -1])
    return entries // others if others else None


class Sized(NamedTuple):
    """What is known of an argument: its object, the sizes of an array, the number that a whole number is, and the
    numbers between which that lies."""

    object: Object
    shape: Shape | None = None
    number: Size | None = None
    ends: tuple[Size, Size] | None = None


def broadcast(args: Sequence[Sized], rank: int) -> Shape | None:
    """The sizes to which arrays and numbers are broadcast, None where those of an argument are not known."""
    known = [(a.object.axes, a.shape) for a in args if isinstance(a.object, Array) and a.object.axes]
    found = list[Size]()
    for place in range(-rank, 0):
        column = [(axes[place], None if shape is None else shape[place])
                  for axes, shape in known if len(axes) >= -place]
        sure = [size for axis, size in column if axis == "n" and size is not None]
        sizes = {size for _, size in column}
        if sure:
            found.append(sure[0])
        elif None in sizes:
            return None
        else:
            found.append(common([size for _, size in column if size is not None]))
    return tuple(found)


def common(sizes: Iterable[Size]) -> Size:
    """The size to which sizes are broadcast."""
    found = set[Size]()
    for n in sizes:
        (atom, k), *more = n.terms or [(None, 0)]
        found.update(atom.sizes if isinstance(atom, Common) and k == 1 and not more and not n.constant else [n])
    others = frozenset(found - {ONE})
    return ONE if not others else next(iter(others)) if len(others) == 1 else of_atom(Common(others))


class _Axis(str):
    """The name of an axis that remembers whose it is. Its hash is its own, so nothing remembered is found for it."""

    __slots__ = ("place",)
    place: tuple[int, int]

    def __hash__(self) -> int:
        return id(self)


def axes_kept(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> tuple[tuple[int, int] | None, ...]:
    """Of each axis of a result, which axis of which argument it is, as the type rule moves their names; None where it
    is none.

    >>> from ccc.primitives.bilinear import matmul
    >>> axes_kept(matmul, (Array("float64", ("n", "n")), Array("float64", ("n", "n"))), {})
    ((0, 0), (1, 1))
    """
    key = (args, tuple(params.items()))
    try:
        found = p.kept.get(key)
    except TypeError:  # a parameter without a hash
        return ()
    if found is None:
        found = p.kept[key] = _axes_kept(p, args, params)
    return found


def _axes_kept(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> tuple[tuple[int, int] | None, ...]:
    named = list[Object]()
    for i, a in enumerate(args):
        if isinstance(a, Array) and a.axes is not None:
            axes = [_Axis(name) for name in a.axes]
            for k, axis in enumerate(axes):
                axis.place = (i, k)
            a = Array(a.dtype, tuple(axes))
        named.append(a)
    result = p.type_rule(p, tuple(named), params)
    axes = result.axes if isinstance(result, Array) and result.axes is not None else ()
    return tuple([getattr(axis, "place", None) for axis in axes])


def shape_of(
    p: Primitive, args: Sequence[Sized], params: dict[str, Any], result: Array
) -> Sequence[Size | None] | None:
    """The sizes of a result, None for one of which nothing is known; or None where it may be a number."""
    axes = result.axes or ()
    like = p.like_of(params)
    if like is not None:
        shape = args[like].shape
        return shape if shape is None or len(shape) == len(axes) else None
    if p.type_rule is elementwise:
        return broadcast(args, len(axes))
    found: Sequence[Size | None] | None = p.shape(args, params) if p.shape is not None else None
    if found is None and p.work != CALL:
        places = axes_kept(p, tuple([a.object for a in args]), params)
        shapes = [None if place is None else args[place[0]].shape for place in places]
        found = [None if place is None or shape is None else shape[place[1]]
                 for place, shape in zip(places, shapes, strict=True)]
    return found if found is not None and len(found) == len(axes) else [None] * len(axes)


def number_of(p: Primitive, args: Sequence[Sized], params: dict[str, Any]) -> Size | None:
    """The whole number that a result is, where that is a sum of sizes and numbers."""
    found = p.shape(args, params) if p.shape is not None else None
    return found if isinstance(found, Size) else None  # an item of an array has a shape, which is no number


# -- rules -----------------------------------------------------------------------------------------------------------


def added(a: Size | None, b: Size | None, factor: int) -> Size | None:
    """The sum, or difference, of whole numbers."""
    return None if a is None or b is None else combined(a, b, factor)


def at_least(numbers: Sequence[Size | None]) -> Size | None:
    """The larger one of a number and 0."""
    others = [n for n in numbers if n != constant(0)]
    return clipped(others[0]) if len(numbers) == 2 and len(others) == 1 and others[0] is not None else None


def at_most(numbers: Sequence[Size | None]) -> Size | None:
    """The smaller one of a size and a constant."""
    known = [n.constant for n in numbers if n is not None and not n.terms]
    others = [n for n in numbers if n is None or n.terms]
    fits = len(known) == len(others) == 1 and others[0] is not None and is_size(others[0]) and known[0] >= 0
    return clipped(others[0], known[0]) if fits and others[0] is not None else None


def along(a: Sized, axis: int) -> Size | None:
    """The size of an array along an axis."""
    return a.shape[axis] if a.shape is not None and -len(a.shape) <= axis < len(a.shape) else None


def made(args: Sequence[Sized], params: dict[str, Any]) -> list[Size | None]:
    """Of what is made with the numbers given: NumPy refuses those that are negative."""
    return [None if n is None else n if is_size(n) else of_atom(Made(n)) for n in [a.number for a in args]]


def made_of(args: Sequence[Sized], params: dict[str, Any]) -> list[Size | None]:
    """The same, where the first argument says the entries."""
    return made(args[1:], params)


def reshaped(args: Sequence[Sized], params: dict[str, Any]) -> list[Size | None]:
    """The same, where a number may be -1: that is what is left."""
    shape, numbers = args[0].shape, tuple([a.number for a in args[1:]])
    whole = [n for n in numbers if n is not None]
    if shape is None or len(whole) < len(numbers):
        return [None if n is None or not is_size(n) else n for n in numbers]
    return [n if is_size(n) else of_atom(Told(n, shape, tuple(whole))) for n in whole]


def ranged(args: Sequence[Sized], params: dict[str, Any]) -> list[Size | None]:
    """From 0 or another number to a number, one by one."""
    numbers = [a.number for a in args]
    start, stop = (constant(0), numbers[0]) if len(numbers) == 1 else numbers[:2]
    stepped = len(numbers) == 3 and numbers[2] != ONE
    return [None if start is None or stop is None or stepped else clipped(stop - start)]


def joined(args: Sequence[Sized], params: dict[str, Any]) -> list[Size | None] | None:
    """Of arrays put one behind the other along an axis."""
    shapes = [a.shape for a in args]
    first, axis = shapes[0], params.get("axis", 0)
    if first is None:
        return None
    found: list[Size | None] = list(first)
    total: Size | None = constant(0)
    for shape in shapes:
        total = None if total is None or shape is None else total + shape[axis]
    found[axis] = total
    return found


def stacked(args: Sequence[Sized], params: dict[str, Any]) -> list[Size | None] | None:
    """Of arrays put beside each other along a new axis."""
    shape = args[0].shape if isinstance(args[0].object, Array) else ()
    if shape is None:
        return None
    axis = params.get("axis", 0) % (len(shape) + 1)
    return [*shape[:axis], constant(len(args)), *shape[axis:]]
