"""Jacobians and Hessians, part by part: of values and in arguments that are numbers, arrays, tuples, dicts and objects.

A Jacobian has the structure of the value, and at each part that of the arguments; there it is an array with the axes of
the part of the value first, then those of the argument. Each is one compiled program.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec

import numpy as np

from ccc.compile.api.holomorphic import complex_slopes
from ccc.compile.api.sparse import in_sparse
from ccc.compile.api.transforms import compiled_for, value_with_differential, value_with_pullback
from ccc.compile.diagnostics import WrongArguments, public
from ccc.compile.frontend.complex_values import is_complex
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.memory.interface import lists
from ccc.compile.frontend.parts import items_in, mapped, of_class
from ccc.compile.frontend.values import RecordValue
from ccc.compile.frontend.wanted_parts import reach_inside
from ccc.compile.program.lam import Node, Var
from ccc.compile.terms.wanted import Step, reach
from ccc.objects import Array, List, Product, Record, is_discrete
from ccc.records import is_keyed

P = ParamSpec("P")

Within = Callable[[Any], Any]
"""What takes a direction of a part to that of the whole, which is zero elsewhere."""


# -- structures, while a program is elaborated -------------------------------------------------------------------------


def names_in(value: Any) -> list[Any]:
    """The names or positions of the parts of a tuple, record or list."""
    if isinstance(value, (RecordValue, Node)):
        return list(value.fields if isinstance(value, RecordValue) else value.names)
    return list(range(len(items_in(value) or ())))


def has_numbers(value: Any) -> bool:
    """True for what there is a direction of."""
    if isinstance(value, Var):
        return not is_discrete(value.object)
    return isinstance(value, float)


def leaves_with_ways(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The leaves of a structure, each with the names that lead to it."""
    parts = items_in(value)
    if parts is None:
        yield way, value
        return
    for name, part in zip(names_in(value), parts, strict=True):
        yield from leaves_with_ways(part, (*way, name))


def is_imaginary(value: Any, way: tuple[Any, ...]) -> bool:
    """Whether a leaf is the imaginary part of a complex number."""
    if len(way) > 1:
        return is_imaginary(dict(zip(names_in(value), items_in(value) or (), strict=True))[way[0]], way[1:])
    return is_complex(value) and way == ("imag",)


def put(e: Any, value: Any, way: tuple[Any, ...], d: Any, node: Any, frame: Any) -> Any:
    """A direction of a value that is `d` at one leaf and zero elsewhere."""
    if way:
        return mapped(value, lambda name, part: put(e, part, way[1:], d, node, frame) if name == way[0] else zero(
            e, part, node, frame))
    return d


def zero(e: Any, value: Any, node: Any, frame: Any) -> Any:
    """The direction of a value that does not move."""
    if items_in(value) is not None:
        return mapped(value, lambda _, part: zero(e, part, node, frame))
    if not has_numbers(value):
        return None
    return 0.0 if isinstance(value, float) else e.call(zeros_of, [value], {}, node, frame)


def zeros_of(x: Any) -> Any:
    return np.zeros_like(x)


def rebuilt(value: Any, leaves: Iterator[Any]) -> Any:
    """A structure like a value, of other leaves."""
    return next(leaves) if items_in(value) is None else mapped(value, lambda _, part: rebuilt(part, leaves))


class Toward:
    """A pullback or differential along directions that are zero but at one leaf."""

    def __init__(self, linear: Any, of: Any, way: tuple[Any, ...], tangents: bool) -> None:
        self.linear, self.of, self.way, self.tangents = linear, of, way, tangents

    def __call__(self, d: Any) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        d = args[0]
        if not self.tangents and is_imaginary(self.of, self.way):  # cotangents of complex numbers are conjugates
            d = e.call(operator.neg, [d], {}, node, frame)
        d = put(e, self.of, self.way, d, node, frame)
        return self.linear.apply(list(d) if self.tangents else [d], node, frame, fits=True)


class ShapeOf:
    """The shape of a value; the number of its axes is known."""

    def __call__(self, value: Any) -> Any:
        return np.shape(value)

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        (value,) = args
        if isinstance(value, Var) and isinstance(value.object, Array) and value.object.axes is None:
            raise WrongArguments("a Jacobian needs to know how many axes the value has; it may have none, or several",
                                 help="begin with an array where it begins with 0.0: np.zeros_like(x)")
        return e.call(np.shape, args, kwargs, node, frame)


shape_of = ShapeOf()


def refuse_lists(value: Any) -> None:
    """Refuse values with lists in them, whose parts are not known."""
    for _, leaf in leaves_with_ways(value):
        if lists.is_list(leaf):
            raise WrongArguments(f"a Jacobian is that of numbers and arrays; there is {described(leaf)} in the value",
                                 help="make it an array: ccc.jacobian(lambda x: np.array(f(x)))")


# -- by rows: reverse mode -------------------------------------------------------------------------------------------


def rows_of(value: Any, pull: Any, x: Any) -> Any:
    """The Jacobian of a number or array."""
    if np.ndim(value) == 0:
        return pull(1.0)
    size, shape = np.size(value), shape_of(value)
    seeds = np.reshape(np.eye(size, dtype=value.dtype), (size, *shape))
    return stacked([pull(seed) for seed in seeds], shape, x)


class Rows:
    """The Jacobian of a value, by its pullback, in the structure of the value."""

    def __call__(self, value: Any, pullback: Any, x: Any) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        value, pullback, x = args
        refuse_lists(value)
        found: list[Any] = []
        for way, leaf in leaves_with_ways(value):
            toward = Toward(pullback, value, way, tangents=False)
            there = has_numbers(leaf) or not way
            found.append(e.call(rows_of, [leaf, toward, x], {}, node, frame) if there else None)
        return rebuilt(value, iter(found))


class Stacked:
    """The rows of a Jacobian as one array, or as a tuple or record of them where the argument `x` is one."""

    def __call__(self, rows: Any, shape: Any, x: Any) -> Any:
        return stacked_rows(rows, shape, np.shape(x))

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        rows, shape, x = args
        item = rows.object.item
        if isinstance(item, List) and isinstance(item.item, (Product, List)):
            return e.call(stacked_items, [rows, shape, x], {}, node, frame)
        if not isinstance(item, Product):
            of_x = e.call(np.shape, [x], {}, node, frame)
            return e.call(stacked_rows, [rows, shape, of_x], {}, node, frame)
        names = item.names if isinstance(item, Record) else range(len(item.parts))
        read = read_fields if isinstance(item, Record) and not is_keyed(item.cls) else read_items

        def part(name: Any, a: Any, x: Any) -> Any:
            if is_discrete(a):
                return None
            return self.__ccc_inline__(e, [e.call(read, [rows, name], {}, node, frame), shape, x], {}, node, frame)

        by_name = read is read_fields
        inside = items_in(x) or [reach_inside(e, x, (Step(name, by_name),), node, frame) for name in names]
        parts = [part(name, a, of_x) for name, a, of_x in zip(names, item.parts, inside, strict=True)]
        return of_class(item.cls, item.names, parts) if isinstance(item, Record) else tuple(parts)


def stacked_rows(rows: Any, shape: Any, of_x: Any) -> Any:
    """The array of the rows, which has all its axes also where there is no row."""
    return np.reshape(np.array(rows), (*shape, *of_x))


def stacked_items(rows: Any, shape: Any, xs: Any) -> Any:
    """The Jacobians in the items of a list."""
    return [stacked([row[i] for row in rows], shape, x) for i, x in enumerate(xs)]


def read_items(rows: Any, name: Any) -> Any:
    return [row[name] for row in rows]


def read_fields(rows: Any, name: Any) -> Any:
    return [getattr(row, name) for row in rows]


class Wanted:
    """The arguments in which a transform differentiates, as its pullback gives their cotangents."""

    def __call__(self, at: Any, args: Any, kwargs: Any) -> Any:
        values = [*args, *kwargs.values()]
        found = tuple([reach(values[i], steps) for i, steps in at.parts(args, kwargs)])
        return found[0] if at.positions(args, kwargs)[1] == "bare" else found

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        at, given, named = args
        values = [*given, *named.fields.values()]
        parts = at.parts(given, named.fields)
        found = tuple([reach_inside(e, values[i], steps, node, frame) for i, steps in parts])
        return found[0] if at.positions(given, named.fields)[1] == "bare" else found


# -- by columns: forward mode ------------------------------------------------------------------------------------------


def moves_of(x: Any, toward: Any) -> Any:
    """The tangents of the value, one for each entry of an array."""
    size = np.size(x)
    return [toward(move) for move in np.reshape(np.eye(size, dtype=x.dtype), (size, *np.shape(x)))]


def stacked_columns(found: Any, value: Any, x: Any) -> Any:
    """The array of the columns, which has all its axes also where there is none."""
    columns = np.reshape(np.array(found), (np.size(x), np.size(value)))
    return np.reshape(np.transpose(columns), (*shape_of(value), *np.shape(x)))


class Columns:
    """The Jacobian of a value, by its differential, in the structure of the value; for `several` arguments a tuple."""

    def __call__(self, value: Any, differential: Any, verb: str, several: bool) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        value, differential, verb, several = args
        xs = tuple(differential.at)
        for _, x in leaves_with_ways(xs):
            if lists.is_list(x):
                raise self.refused(x, verb)
        refuse_lists(value)
        found: list[Callable[[tuple[Any, ...], Any], Any]] = []
        for way, x in leaves_with_ways(xs):
            toward = Toward(differential, xs, way, tangents=True)
            found.append(self.leaf(e, x, toward, node, frame))
        whole: list[Any] = []
        for way, leaf in leaves_with_ways(value):
            there = has_numbers(leaf) or not way
            across: Any = rebuilt(xs, iter([column(way, leaf) for column in found])) if there else (None,)
            whole.append(across if several and there else across[0])
        return rebuilt(value, iter(whole))

    def leaf(self, e: Any, x: Any, toward: Toward, node: Any, frame: Any) -> Callable[[tuple[Any, ...], Any], Any]:
        """The Jacobian in a number or array, of the leaf of the value at the end of a way."""
        if not has_numbers(x) and not isinstance(x, (int, float)):
            return lambda way, value: None
        if not isinstance(x, Var) or not isinstance(x.object, Array) or x.object.axes == ():
            moved = e.call(toward, [1.0], {}, node, frame)
            return lambda way, value: part_at(e, moved, way, node, frame)
        moves = e.call(moves_of, [x, toward], {}, node, frame)

        def stack(way: tuple[Any, ...], value: Any) -> Any:
            rows: Any = moves
            a: Any = moves.object.item
            for name in way:
                by_name = isinstance(a, Record) and not is_keyed(a.cls)
                rows = e.call(read_fields if by_name else read_items, [rows, name], {}, node, frame)
                a = a.item if isinstance(a, List) else a.parts[a.names.index(name) if isinstance(a, Record) else name]
            return e.call(stacked_columns, [rows, value, x], {}, node, frame)

        return stack

    def refused(self, x: Any, verb: str) -> WrongArguments:
        return WrongArguments(f"{verb} is for arguments of numbers and arrays, found {described(x)}",
                              help=f"pass a tuple: ccc.{verb}(f)(tuple(xs)), or an array: "
                                   f"ccc.{verb}(lambda v: f(list(v)))(np.array(xs))")


def part_at(e: Any, value: Any, way: tuple[Any, ...], node: Any, frame: Any) -> Any:
    """The part of a structure at the end of a way."""
    for name in way:
        parts = items_in(value)
        if parts is None:  # a list of the program
            value = e.call(operator.getitem, [value, name], {}, node, frame)
        else:
            value = dict(zip(names_in(value), parts, strict=True))[name]
    return value


# -- the verbs ---------------------------------------------------------------------------------------------------------

stacked = Stacked()
wanted = Wanted()
rows = Rows()
columns = Columns()


@public
def jacobian(
    f: Callable[P, Any], wrt: Any = 0, has_aux: bool = False, *, holomorphic: bool = False, sparse: bool = False,
    backend: str | None = None,
) -> Callable[P, Any]:
    """The Jacobian of a function in the argument `wrt`, by reverse mode, a row at a time.

    >>> import numpy as np
    >>> jacobian(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    >>> jacobian(lambda p, x: {"sum": p["a"] * x + p["b"]})({"a": 2.0, "b": 1.0}, 3.0)
    {'sum': {'a': 3.0, 'b': 1.0}}

    The result has the shape of the value followed by that of the argument; for a tuple of arguments it is a tuple, for
    an argument that is a dict or dataclass it is one of the Jacobians in its parts, and for a value that is one it is
    one of those of its parts. With `has_aux=True` the function returns a pair, and the result is the Jacobian of the
    first part and the other part. Raises what `value_with_pullback` raises.

    With `holomorphic=True` it is that of complex values in complex arguments, of complex derivatives, as `grad` has it.

    With `sparse=True` it is a `scipy.sparse.csr_array`, of an array in an array, whose entries are taken in the order
    of memory: few products with vectors give it, along columns that have no row in common. The pattern and these
    columns are found at the first call and kept, and each result is compared with a product in a random direction.

    Source: the Zygote notebook, "Jacobian".
    """
    refuse_sparse(holomorphic and sparse)
    if sparse:
        return in_sparse(f, wrt, has_aux, backend, False)
    at = value_with_pullback(f, wrt=wrt, has_aux=has_aux)

    def found(*args: Any, **kwargs: Any) -> Any:
        both, pullback = at(*args, **kwargs)
        value = both[0] if has_aux else both
        jacobian = rows(value, pullback, wanted(at, args, kwargs))
        if holomorphic:
            jacobian = complex_slopes(value, jacobian, False, True)
        return (jacobian, both[1]) if has_aux else jacobian

    return compiled_for(f, found, backend)


@public
def jacfwd(
    f: Callable[P, Any], argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, *,
    backend: str | None = None,
) -> Callable[P, Any]:
    """The Jacobian in one argument, by forward mode, a column at a time.

    >>> import numpy as np
    >>> jacfwd(lambda x: x * x)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])

    The result is that of `jacobian`; the signature is JAX's. Raises what `value_with_differential` raises.

    Source: *Automatic Differentiation in Swift*, "Forward mode".
    """
    return by_columns(f, argnums, has_aux, backend, "jacfwd", holomorphic)


def by_columns(
    f: Callable[..., Any], argnums: Any, has_aux: bool, backend: str | None, verb: str, holomorphic: bool
) -> Any:
    """The Jacobian by forward mode; the function runs once, also for several arguments."""
    several = isinstance(argnums, (tuple, list))
    at = value_with_differential(f, wrt=tuple(argnums) if several else (argnums,), has_aux=has_aux)

    def found(*args: Any, **kwargs: Any) -> Any:
        both, differential = at(*args, **kwargs)
        value = both[0] if has_aux else both
        jacobian = columns(value, differential, verb, several)
        if holomorphic:
            jacobian = complex_slopes(value, jacobian, False, False)
        return (jacobian, both[1]) if has_aux else jacobian

    return compiled_for(f, found, backend)


@public
def jacrev(
    f: Callable[P, Any], argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, *,
    backend: str | None = None,
) -> Callable[P, Any]:
    """The Jacobian in one argument, by reverse mode: `jacobian` with JAX's signature.

    >>> import numpy as np
    >>> jacrev(lambda x, y: x * y, argnums=1)(np.array([1.0, 2.0]), 3.0)
    array([1., 2.])

    Shapes, dtypes and errors are those of `jacobian`.

    Source: the Zygote notebook, "Jacobian".
    """
    return jacobian(f, argnums, has_aux, holomorphic=holomorphic, backend=backend)


@public
def hessian(
    f: Callable[P, Any], argnums: Any = 0, has_aux: bool = False, holomorphic: bool = False, *,
    sparse: bool = False, backend: str | None = None,
) -> Callable[P, Any]:
    """The second derivatives of a function, forward mode over reverse mode.

    >>> import numpy as np
    >>> hessian(lambda x: x[0] ** 2 * x[1])(np.array([1.0, 3.0]))
    array([[6., 2.],
           [2., 0.]])
    >>> hessian(lambda p: p["a"] ** 2 * p["b"])({"a": 1.0, "b": 3.0})
    {'a': {'a': 6.0, 'b': 2.0}, 'b': {'a': 2.0, 'b': 0.0}}
    >>> hessian(lambda x: x**3)(np.array([1.0, 2.0])).shape
    (2, 2, 2)

    The result has the axes of the argument twice, and its structure twice where it is a tuple, dict or object; so it
    has for several arguments, a tuple `argnums`. Where the function has an array or a structure as its result, it has
    the axes and the structure of that before. With `sparse=True` it is sparse, as a `jacobian` is, of a scalar result.
    The signature is JAX's. Raises what `jacobian` raises.

    Source: the Zygote notebook, "Hessian".
    """
    refuse_sparse(holomorphic and sparse)
    if sparse:
        return in_sparse(f, argnums, has_aux, backend, True)
    slopes = complex_gradient(f, argnums, has_aux) if holomorphic else jacobian(f, argnums, has_aux)
    return by_columns(slopes, argnums, has_aux, backend, "hessian", holomorphic)


def complex_gradient(
    f: Callable[..., Any], argnums: Any, has_aux: bool, with_value: bool = False, backend: str | None = None
) -> Callable[..., Any]:
    """The complex derivatives of a function with one complex number as its result."""
    at = value_with_pullback(f, wrt=argnums, has_aux=has_aux)

    def found(*args: Any, **kwargs: Any) -> Any:
        both, pullback = at(*args, **kwargs)
        value = both[0] if has_aux else both
        slopes = complex_slopes(value, rows(value, pullback, wanted(at, args, kwargs)), True, True)
        if with_value:
            return both, slopes
        return (slopes, both[1]) if has_aux else slopes

    return compiled_for(f, found, backend)


def refuse_sparse(both: bool) -> None:
    """Refuse sparse matrices of complex derivatives."""
    if both:
        raise WrongArguments("holomorphic=True has no sparse matrices", "CC025", "leave out sparse=True")
