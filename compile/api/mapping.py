"""A function of one example as a function of a batch of them: `vmap`, with JAX's signature.

The program has a loop over the batch, in which the function is read as it is; it is differentiated as any loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.api.jacobians import names_in, read_fields, read_items
from ccc.compile.api.linear import Linear
from ccc.compile.api.transforms import compiled
from ccc.compile.diagnostics import WrongArguments, public
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.parts import mapped, of_class, parts_in
from ccc.compile.frontend.values import ListValue, RecordValue
from ccc.compile.program.lam import Node, Var
from ccc.objects import Array, Bool, Int, List, Object, Product, Real, Record, Static
from ccc.records import is_keyed, mapped as in_each


@public
def vmap(
    f: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0, *, backend: str | None = None
) -> Callable[..., Any]:
    """A function of one example, mapped along an axis of its arguments, with JAX's signature.

    >>> import numpy as np
    >>> from ccc.compile.api.transforms import gradient
    >>> loss = lambda w, x: np.sum(w * x) ** 2
    >>> vmap(gradient(loss, wrt="w"), in_axes=(None, 0))(np.array([1.0, 2.0]), np.array([[1.0, 0.0], [1.0, 1.0]]))
    array([[2., 0.],
           [6., 6.]])

    `in_axes` says of each positional argument along which axis it is mapped, None for one that all examples share; of
    an argument that is a tuple, dict or object it may be a structure like it, and of one number holds for all its
    arrays. Keyword arguments are mapped along their first axes. The results are stacked along `out_axes`, part by part.
    A pullback, or a differential, that a call has given is called once for each example.

    >>> from ccc.compile.api.verbs import vjp
    >>> value, pullback = vjp(lambda x: np.array([x[0] * x[1], x[1]]), np.array([2.0, 3.0]))
    >>> vmap(pullback)(np.eye(2))
    (array([[3., 2.],
           [0., 1.]]),)

    Raises `WrongArguments` for axes that there are not and for what cannot be stacked, and `ValueError` where the axes
    have several sizes, or none.

    Source: the Zygote notebook, "Jacobian".
    """
    if is_made(f):
        return over_calls(f, in_axes, out_axes)
    inside, outside = known_axes(in_axes), known_axes(out_axes)

    def over_batch(*args: Any, **kwargs: Any) -> Any:
        given, named = moved_first((args, kwargs), (axes_of(args, inside), 0))
        rows = [
            f(*example(given, axes_of(args, inside), i), **example(named, 0, i))
            for i in range(size_of((given, named), (axes_of(args, inside), 0)))
        ]
        return stacked(rows, outside)

    return compiled(over_batch, backend=backend)


class IsMade:
    """Whether a function is a pullback or differential of arrays, which was made outside of all programs."""

    def __call__(self, f: Any) -> bool:
        return isinstance(f, Linear) and f.args is None

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> bool:
        return False  # where a program calls it, it is refused by name


is_made = IsMade()


def over_calls(f: Callable[..., Any], in_axes: Any, out_axes: Any) -> Callable[..., Any]:
    """A function of one example mapped over a batch by calls of it."""
    def over_batch(*args: Any) -> Any:
        axes = AxesOf().checked(args, tuple(in_axes) if isinstance(in_axes, list) else in_axes)
        sizes: set[int] = set()
        for x, axis in zip(args, axes, strict=True):
            in_each(lambda a, axis=axis: sizes.add(np.shape(along(a, axis))[0]), x if axis is not None else ())
        if len(sizes) > 1:
            raise ValueError(f"vmap: the axes that are mapped have several sizes, {min(sizes)} and {max(sizes)}")
        rows = [
            f(*[x if axis is None else in_each(lambda a, axis=axis, i=i: along(a, axis)[i], x)
                for x, axis in zip(args, axes, strict=True)])
            for i in range(some(sizes.pop()) if sizes else no_axis())
        ]
        whole = not isinstance(out_axes, tuple) or type(rows[0]) is not tuple
        return stack_calls(rows, out_axes) if whole else tuple(
            [stack_calls([row[k] for row in rows], axis) for k, axis in enumerate(AxesOf().checked(rows[0], out_axes))])

    return over_batch


def along(x: Any, axis: Any) -> Any:
    """An array with the axis that is mapped as its first."""
    if type(axis) is not int or not -np.ndim(x) <= axis < np.ndim(x):
        axes = "1 axis" if np.ndim(x) == 1 else f"{np.ndim(x)} axes"
        raise WrongArguments(f"vmap along axis {axis!r} of an array of {axes}",
                             help="name an axis that the array has, or None for what all examples share")
    return np.moveaxis(np.asarray(x), axis, 0)


def stack_calls(rows: list[Any], axis: Any) -> Any:
    """The results of calls as one, part by part."""
    if type(axis) is not int:
        raise not_stacked(axis)
    return in_each(lambda *xs: None if xs[0] is None else np.stack(xs, axis), rows[0], *rows[1:])


def no_axis() -> int:
    raise WrongArguments("vmap needs an argument that is mapped: no array is",
                         help="write in_axes=0, or one for each argument: in_axes=(None, 0)")


def not_stacked(axes: Any) -> WrongArguments:
    return WrongArguments(f"vmap stacks results along an axis, found out_axes={axes!r}",
                          help="write out_axes=0, or one for each part of the result")


class KnownAxes:
    """Axes as constants of a program: a dict of them is one of the caller's, which may change, as a tuple is not."""

    def __call__(self, axes: Any) -> Any:
        if isinstance(axes, dict):
            return (KEYS, *[(key, self(part)) for key, part in axes.items()])  # type: ignore[reportUnknownVariableType]
        return tuple(map(self, axes)) if isinstance(axes, (tuple, list)) else axes  # type: ignore[reportUnknownArgumentType]

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        return args[0]


KEYS = "the axes at these keys"


class AxesOf:
    """The axes of arguments: one for each."""

    def __call__(self, args: Any, axes: Any) -> Any:
        return self.checked(args, axes)

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        return self.checked(args[0], args[1])

    def checked(self, args: Any, axes: Any) -> Any:
        if isinstance(axes, ListValue):
            axes = tuple(axes.items)
        if type(axes) is int:
            return (axes,) * len(args)
        if not isinstance(axes, tuple) or axes[:1] == (KEYS,):
            raise WrongArguments("vmap has no axes for its arguments: in_axes is neither a number nor a tuple",
                                 help="write in_axes=0, or one for each argument: in_axes=(None, 0)")
        if len(axes) != len(args):
            raise WrongArguments(f"vmap has axes for {len(axes)} arguments, {len(args)} were given",
                                 help="give one for each argument, None for one that is not mapped: in_axes=(None, 0)")
        return axes


def axis_at(axes: Any, name: Any) -> Any:
    """The axis of a part: that of the whole, where it has one."""
    if axes is None or isinstance(axes, int):
        return axes
    found: Any = axes.fields if isinstance(axes, RecordValue) else axes
    if isinstance(found, tuple) and found[:1] == (KEYS,):
        found = dict(found[1:])
    if isinstance(found, Node):
        return found[found.names.index(name)]
    if isinstance(found, (dict, tuple, list)):
        try:
            return found[name]  # type: ignore[reportUnknownVariableType]
        except (KeyError, IndexError, TypeError):
            pass
    raise WrongArguments(f"vmap has no axis for the part `{name}` of an argument",
                         help="give in_axes the structure of the argument, or one axis for all of it")


class Walk:
    """What is done with each array of arguments that is mapped along an axis."""

    def __init__(self, leaf: Callable[..., Any]) -> None:
        self.leaf = leaf

    def __call__(self, value: Any, axes: Any, *further: Any) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        value, axes, *further = args
        return self.walk(e, value, axes, further, node, frame)

    def walk(self, e: Any, value: Any, axes: Any, further: list[Any], node: Any, frame: Any) -> Any:
        if axes is None:
            return value
        if parts_in(value) is not None:
            return mapped(value, lambda name, part: self.walk(e, part, axis_at(axes, name), further, node, frame))
        if isinstance(value, ListValue):
            return ListValue([self.walk(e, part, axis_at(axes, i), further, node, frame)
                              for i, part in enumerate(value.items)])
        if isinstance(value, Var) and isinstance(value.object, List) and isinstance(axes, int):
            item = value.object.item
            if isinstance(item, Array) and item.axes:
                return e.call(each_of, [value, self, axes, *further], {}, node, frame)
        if isinstance(value, (Static, str)) or value is None:
            return value
        a = value.object if isinstance(value, Var) else None
        if isinstance(a, List):
            raise WrongArguments(f"vmap along an axis of {described(value)}",
                                 help="pass an array: np.array(xs); or None for what all examples share")
        count = len(a.axes) if isinstance(a, Array) and a.axes is not None else 0
        if type(axes) is not int or not -count <= axes < count:
            raise WrongArguments(f"vmap along axis {axes!r} of {described(value)}",
                                 help="name an axis that the array has, or None for what all examples share")
        return e.call(self.leaf, [value, axes, *further], {}, node, frame)


def each_of(values: Any, walk: Any, axes: Any, *further: Any) -> Any:
    return [walk(x, axes, *further) for x in values]


def first(x: Any, axis: Any) -> Any:
    return np.moveaxis(x, axis, 0)


def item(x: Any, axis: Any, i: Any) -> Any:
    return x[i]


class SizeOf:
    """The size of the batch, which all arrays that are mapped have."""

    def __call__(self, value: Any, axes: Any) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        value, axes = args
        found: list[Any] = []

        def collect(value: Any, axes: Any) -> None:
            if axes is None:
                return
            parts = tuple(value.items) if isinstance(value, ListValue) else parts_in(value)
            if parts is not None:
                names = names_in(parts if isinstance(value, ListValue) else value)
                for name, part in zip(names, parts, strict=True):
                    collect(part, axis_at(axes, name))
            elif isinstance(value, Var):
                found.append(value)

        collect(value, axes)
        if not found:
            no_axis()
        size = None
        for x in found:
            listed = isinstance(x.object, List)
            size = e.call(same_sizes if listed else same_size, [x, size], {}, node, frame)
        return e.call(some, [size], {}, node, frame)


def same_size(x: Any, size: Any) -> Any:
    if size is not None and np.shape(x)[0] != size:
        raise ValueError(f"vmap: the axes that are mapped have several sizes, {size} and {np.shape(x)[0]}")
    return np.shape(x)[0]


def same_sizes(xs: Any, size: Any) -> Any:
    for x in xs:
        same_size(x, np.shape(xs[0])[0])
    return same_size(xs[0], size)


def some(size: Any) -> Any:
    if size == 0:
        raise ValueError("vmap: the axes that are mapped have no items")
    return size


class Stack:
    """The results of all examples, stacked part by part."""

    def __call__(self, rows: Any, axes: Any) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        rows, axes = args
        return self.part(e, rows, rows.object.item, axes, node, frame)

    def part(self, e: Any, rows: Any, a: Object, axes: Any, node: Any, frame: Any) -> Any:
        if a == Static(None):
            return None
        if isinstance(a, Product):
            names = a.names if isinstance(a, Record) else range(len(a.parts))
            read = read_fields if isinstance(a, Record) and not is_keyed(a.cls) else read_items
            parts = [None if inner == Static(None) else self.part(
                         e, e.call(read, [rows, name], {}, node, frame), inner, axis_at(axes, name), node, frame)
                     for name, inner in zip(names, a.parts, strict=True)]
            return of_class(a.cls, a.names, parts) if isinstance(a, Record) else tuple(parts)
        if type(axes) is not int:
            raise not_stacked(axes)
        if isinstance(a, List):
            return e.call(of_lists, [rows, self, axes], {}, node, frame)
        if not isinstance(a, (Real, Int, Bool, Array)):
            raise WrongArguments("vmap stacks numbers and arrays; there is something else in the result",
                                 help="return numbers and arrays, or tuples, dicts and objects of them")
        if isinstance(a, Array) and a.axes is None and axes in (0, -1):  # there at any number of axes
            return e.call(stack, [rows, axes], {}, node, frame)
        count = len(a.axes) if isinstance(a, Array) and a.axes is not None else 0
        if not -count - 1 <= axes <= count:
            raise WrongArguments(f"vmap has out_axes={axes!r} for a result of {count} axes",
                                 help=f"write an axis from {-count - 1} to {count}")
        return e.call(stack, [rows, axes], {}, node, frame)


def of_lists(rows: Any, stacked: Any, axes: Any) -> Any:
    for row in rows:
        if len(row) != len(rows[0]):
            raise ValueError("vmap: the lists of the examples have several lengths")
    return [stacked([row[i] for row in rows], axes) for i in range(len(rows[0]))]


def stack(rows: Any, axis: Any) -> Any:
    return np.moveaxis(np.array(rows), 0, axis)


known_axes = KnownAxes()
axes_of = AxesOf()
moved_first = Walk(first)
example = Walk(item)
size_of = SizeOf()
stacked = Stack()

__all__ = ["vmap"]
