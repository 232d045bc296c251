"""Rearrangements: the same entries in another shape or order, transposed by the opposite rearrangement.

    transpose_p  ~>  transpose_(p^-1)        reshape, ravel, squeeze, expand_dims  ~>  reshape_like the argument

`axis`, `axes` and `k` are parameters, known when a program is compiled; the sizes of a new shape are arguments.

>>> transpose.pullback(np.ones((3, 2)), np.ones((3, 2)), np.ones((2, 3)))[0].shape
(2, 3)
>>> reshape(np.arange(4.0), 2, -1)
array([[0., 1.],
       [2., 3.]])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ccc.additive import ZERO
from ccc.errors import UnknownObject
from ccc.objects import INT, Array, Bool, Int, List, Object, Real, Static, array
from ccc.primitives.broadcasting import fit, kind_of
from ccc.primitives.domains import OF_PYTHON, Known, negative_sizes, not_single, unranked
from ccc.primitives.facts import (
    AS_GIVEN,
    ENTRIES,
    FILLING,
    IN_ORDER,
    MOVEMENT,
    NEVER,
    NEW,
    NOT_LINEAR,
    SIZES,
    Memory,
    Raises,
    broadcast,
    jointly,
    may_be,
    refolded,
    turned,
    wrapped,
)
from ccc.primitives.pointwise import no_cotangents, no_tangent
from ccc.primitives.primitive import Primitive, TypeRule, by_sampling, linear
from ccc.primitives.reductions import call_source, dtype_of, places_of, scalar_kind
from ccc.primitives.sizes import Dim, Sized, along, dim as size_of_axis, made_of, number_of, reshaped
from ccc.wording import in_words


def axes_of(a: Object) -> tuple[str, ...] | None:
    """The axes of an object seen as an array."""
    return a.axes if isinstance(a, Array) else ()


def raveled(a: Object) -> str:
    """The one axis of `a` after raveling: sizes other than 1 never have the product 1."""
    axes = axes_of(a)
    if axes is None or ("?" in axes and "n" not in axes):
        return "?"
    return "?" if "?" in axes else "n" if "n" in axes else "1"


def _moved(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    """Axes permuted: found by moving their names as NumPy moves sizes."""
    a = args[0]
    axes = axes_of(a)
    if axes is None:
        return array(dtype_of(a), None)
    if not isinstance(a, Array):
        return by_sampling(p, args, params)
    sizes = p.value(np.empty(tuple(range(2, len(axes) + 2)), np.bool_), **params).shape if axes else ()
    return array(a.dtype, tuple(axes[size - 2] for size in sizes))


def _inverse(axes: tuple[int, ...] | None) -> tuple[int, ...] | None:
    return None if axes is None else tuple(int(i) for i in np.argsort([axis % len(axes) for axis in axes]))


def _transpose_source(x: str, axes: tuple[int, ...] | None = None) -> str:
    return f"np.transpose({x})" if axes is None else f"np.transpose({x}, {axes!r})"


transpose = linear(
    "np.transpose", np.transpose, _moved, _transpose_source,
    lambda ct, y, x, axes=None: (transpose(ct, axes=_inverse(axes)) if axes is not None else transpose(ct),),
    memory=turned(), work=MOVEMENT, raises=unranked,
)
swapaxes = linear(
    "np.swapaxes", lambda x, axis1, axis2: np.swapaxes(x, axis1, axis2), _moved,
    lambda x, axis1, axis2: f"np.swapaxes({x}, {axis1}, {axis2})",
    lambda ct, y, x, axis1, axis2: (swapaxes(ct, axis1=axis1, axis2=axis2),), memory=turned(), work=MOVEMENT,
    raises=unranked,
)
moveaxis = linear(
    "np.moveaxis", lambda x, source, destination: np.moveaxis(x, source, destination), _moved,
    lambda x, source, destination: f"np.moveaxis({x}, {source}, {destination})",
    lambda ct, y, x, source, destination: (moveaxis(ct, source=destination, destination=source),),
    memory=turned(), work=MOVEMENT, raises=unranked,
)


def _same(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a = args[0]
    if not isinstance(a, Array) or a.axes == ():
        return by_sampling(p, args, params)
    if a.axes is not None:
        places_of(len(a.axes), params.get("axis"), p is roll)
    return a


flip = linear(
    "np.flip", np.flip, _same, call_source("np.flip"), lambda ct, y, x, axis=None: (flip(ct, axis=axis),),
    memory=turned(), work=MOVEMENT, raises=unranked,
)
roll = linear(
    "np.roll", lambda x, shift, axis=None: np.roll(x, shift, axis), _same, call_source("np.roll"),
    lambda ct, y, x, shift, axis=None: (roll(ct, 0 - shift, axis=axis), ZERO), memory=NEW, work=MOVEMENT, like=0,
    raises=unranked,
)


# -- new shapes ------------------------------------------------------------------------------------------------------


def _reshape(x: Any, *sizes: Any, known: tuple[str, ...] | None = None) -> Any:
    return np.reshape(x, sizes)


def shape_text(sizes: tuple[str, ...]) -> str:
    """A shape as Python writes it."""
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def _sizes_type(dtype: str, sizes: tuple[Object, ...], known: tuple[str, ...] | None) -> Object:
    return array(dtype, known or ("?",) * len(sizes))


def known_axes(sizes: tuple[Any, ...]) -> tuple[str, ...] | None:
    """What sizes say about axes: 1 is one, the size of an axis is as much as that, -1 and what is not known yet may be
    any.

    >>> known_axes((1, 3, -1))
    ('1', 'n', '?')
    """
    return tuple(axis_of(n) if not isinstance(n, int) or n < 0 else "1" if n == 1 else "n" for n in sizes) or None


def axis_of(n: Any) -> str:
    """What is known of an axis whose size is a number of the program: `len(x)` and `x.shape[i]` are those of x."""
    let = getattr(n, "definition", None)
    p = getattr(let.op, "primitive", None) if let is not None else None
    if let is None or p is None:
        return "?"
    objects = [a.object for a in let.args]
    args = [Sized(a, tuple([size_of_axis(i, k) for k in range(len(axes_of(a) or ()))])) for i, a in enumerate(objects)]
    size = number_of(p, args, let.op.params)
    if size is None or len(size.terms) != 1 or size.constant:
        return "?"
    (atom, times), = size.terms
    return objects[atom.of].axes[atom.axis] if isinstance(atom, Dim) and times == 1 else "?"


def _unfit(x: Known, *sizes: Known, **params: Any) -> bool:
    """Where the new sizes may hold another number of entries."""
    if _refolds(x, sizes):
        return False
    ends = [(n.low, n.high) for n in sizes]
    free = ends.count((-1, -1))
    return free > 1 or any(end not in ((-1, -1), (1, 1)) for end in ends) or not (free or x.single)


def _refolds(x: Known, sizes: Sequence[Known]) -> bool:
    """Whether the new sizes surely are the old ones, but for those of 1."""
    left = [x.size(i) for i, axis in enumerate(x.axes or ()) if axis != "1"] if x.axes is not None else [None]
    for n in [n.sized.number for n in sizes if (n.low, n.high) != (1, 1)]:
        found = next((i for i, size in enumerate(left) if size and n and x.same(size, n)), None)
        if found is None:
            return False
        del left[found]
    return not left


reshape = linear(
    "np.reshape", _reshape, lambda p, args, params: _sizes_type(dtype_of(args[0]), args[1:], params.get("known")),
    lambda x, *sizes, known=None: f"np.reshape({x}, {shape_text(sizes)})",
    lambda ct, y, x, *sizes, known=None: (reshape_like(ct, x), *[ZERO] * len(sizes)),
    memory=refolded(strided=True), work=MOVEMENT, shape=reshaped, raises=_unfit,
)


def _like_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    x, like = args
    if isinstance(like, Array):
        return array(like.dtype if like.is_real else dtype_of(x), axes_of(like))
    return like if isinstance(like, Real) else scalar_kind(dtype_of(x))


def _reshape_like(x: Any, like: Any) -> Any:
    """A cotangent with the sizes of `like`, and of its kind where that is real."""
    if isinstance(like, (float, np.floating)):
        return type(like)(x if np.ndim(x) == 0 else np.reshape(x, ()))
    found = np.reshape(x, np.shape(like))
    real = isinstance(like, np.ndarray) and like.dtype.kind == "f" and found.dtype != like.dtype
    return (found.astype(like.dtype) if real else found)[()]


reshape_like = linear(
    "reshape_like", _reshape_like, _like_type, "reshape_like({}, {})",
    lambda g, y, x, like: (reshape_like(g, x), ZERO), memory=may_be(0), work=MOVEMENT, sizes=(1,), like=1,
    raises=not_single,
)


def _reshaping(
    name: str, value: Callable[..., Any], rule: TypeRule, memory: Memory, raises: Raises = NEVER
) -> Primitive:
    return linear(
        name, value, rule, call_source(name), lambda ct, y, x, **params: (reshape_like(ct, x),),
        memory=memory, work=MOVEMENT, raises=raises,
    )


def _ravel_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return array(dtype_of(args[0]), (raveled(args[0]),))


def _expand_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a, axis = args[0], params["axis"]
    axes = axes_of(a)
    if axes is None:
        return array(dtype_of(a), None)
    rank = len(axes) + (1 if isinstance(axis, int) else len(axis))
    places = places_of(rank, axis)
    left = iter(axes)
    return array(dtype_of(a), tuple("1" if i in places else next(left) for i in range(rank)))


def _squeeze_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a, axis = args[0], params.get("axis")
    axes = axes_of(a)
    if isinstance(a, (Real, Int, Bool)) and a.kind not in OF_PYTHON and axis in (None, ()):
        return a  # a scalar of NumPy stays one
    if axes is None or (axis is None and "?" in axes):
        return array(dtype_of(a), None)
    if axis is None:
        return array(dtype_of(a), tuple(name for name in axes if name != "1"))
    places = places_of(len(axes), axis)
    if any(axes[i] == "n" for i in places):
        raise ValueError("np.squeeze removes axes of size 1 only")
    return array(dtype_of(a), tuple(name for i, name in enumerate(axes) if i not in places))


def _atleast_2d_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    axes = axes_of(args[0])
    return array(dtype_of(args[0]), None if axes is None else ("1",) * (2 - len(axes)) + axes)


def _no_ones(x: Known, axis: Any = None) -> bool:
    """Where axes of another size than 1 may be removed."""
    if axis is None:
        return False
    return x.axes is None or any(x.axes[i] != "1" for i in ((axis,) if isinstance(axis, int) else axis))


ravel = _reshaping("np.ravel", np.ravel, _ravel_type, refolded())
flat = _reshaping("flat", np.ravel, _ravel_type, refolded())
"""`a.flat`, all of whose slices are copies."""
squeeze = _reshaping("np.squeeze", np.squeeze, _squeeze_type, wrapped(), raises=_no_ones)
expand_dims = _reshaping("np.expand_dims", lambda x, axis: np.expand_dims(x, axis), _expand_type, wrapped(),
    raises=unranked)
atleast_1d = _reshaping(
    "np.atleast_1d", np.atleast_1d, lambda p, args, params: array(dtype_of(args[0]), axes_of(args[0]) or ("1",))
    if axes_of(args[0]) is not None else array(dtype_of(args[0]), None), wrapped(),
)
atleast_2d = _reshaping("np.atleast_2d", np.atleast_2d, _atleast_2d_type, wrapped())
def _unspread(x: Known, *sizes: Known, **params: Any) -> bool:
    """Where an array may not be broadcast to sizes."""
    return not x.single or negative_sizes(*sizes)


broadcast_to = linear(
    "np.broadcast_to", lambda x, *sizes, known=None: np.broadcast_to(x, sizes),
    lambda p, args, params: _sizes_type(dtype_of(args[0]), args[1:], params.get("known")),
    lambda x, *sizes, known=None: f"np.broadcast_to({x}, {shape_text(sizes)})",
    lambda ct, y, x, *sizes, known=None: (fit(ct, x), *[ZERO] * len(sizes)), memory=broadcast(), read_only=True,
    work=MOVEMENT, shape=made_of, raises=_unspread,
)


# -- copies and dtypes -----------------------------------------------------------------------------------------------


def _copied_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a = args[0]
    if not isinstance(a, Static):
        return a if isinstance(a, Array) else array(dtype_of(a), ())
    found = np.asarray(a.value)  # of what another library may have as an array
    if found.dtype.kind not in "biuf":
        raise UnknownObject(f"needs numbers or arrays: found {in_words(a)}",
                            "make it one outside: np.asarray(..., dtype=float)")
    return array(found.dtype.name, ("?",) * found.ndim)


copy = linear(
    "np.copy", np.copy, _copied_type, call_source("np.copy"), lambda ct, y, x, order=None: (fit(ct, x),),
    memory=lambda params: {"C": IN_ORDER, "F": NEW}.get(params.get("order"), AS_GIVEN), work=FILLING, like=0,
    raises=NEVER,
)


def _astype_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a = args[0]
    return array(params["dtype"], a.axes) if isinstance(a, Array) else scalar_kind(params["dtype"])


def _astype_pullback(ct: Any, y: Any, x: Any, dtype: str) -> tuple[Any, ...]:
    a = kind_of(x)
    return (astype(ct, dtype=dtype_of(a)) if isinstance(kind_of(ct), Array) else ct,)


def _astype_differential(ds: tuple[Any, ...], y: Any, x: Any, dtype: str) -> Any:
    return astype(ds[0], dtype=dtype) if isinstance(kind_of(ds[0]), Array) else ds[0]


astype = Primitive(
    "astype", lambda x, dtype: x.astype(dtype), _astype_type, lambda x, dtype: f"{x}.astype({dtype!r})",
    _astype_pullback, _astype_differential, memory=AS_GIVEN, work=ENTRIES, like=0, adding=True,
    linear=lambda params: jointly(0) if np.dtype(params["dtype"]).kind == "f" else NOT_LINEAR, raises=NEVER,
    unchanged=lambda params: np.dtype(params["dtype"]) == np.float64,  # as an array of an empty list is, whatever it is
)


def wide(x: Any, y: Any) -> Any:
    """An argument in the dtype of a real result, in which its squares are as they are: small integers overflow.

    >>> wide(np.array([100], np.int8), np.ones(1)) ** 2
    array([10000.])
    """
    a, b = kind_of(x), kind_of(y)
    of_numpy = isinstance(a, Array) or (isinstance(a, (Int, Real)) and a.kind not in OF_PYTHON)
    real = isinstance(b, Real) or (isinstance(b, Array) and b.is_real)
    return astype(x, dtype=dtype_of(b)) if of_numpy and real and dtype_of(a) != dtype_of(b) else x


# -- shapes as numbers -----------------------------------------------------------------------------------------------


def _int_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return INT


def _number(
    name: str, value: Callable[..., Any], source: Any, rule: TypeRule = _int_type, raises: Raises = NEVER,
    **facts: Any,
) -> Primitive:
    return Primitive(
        name, value, rule, source, no_cotangents, no_tangent, exact=True, memory=NEW, work=SIZES, sizes=(0,),
        raises=raises, **facts,
    )


dim = _number(
    "dim", lambda x, axis: np.shape(x)[axis], lambda x, axis: f"np.shape({x})[{axis}]", raises=unranked,
    shape=lambda args, params: along(args[0], params["axis"]), axis=lambda params: params["axis"],
)
size = _number("np.size", np.size, "np.size({})")
ndim = _number("np.ndim", np.ndim, "np.ndim({})")
shape = _number("np.shape", lambda x: list(np.shape(x)), "list(np.shape({}))", lambda p, args, params: List(INT),
                as_tuple=True)
"""The shape of an array of unknown rank, as a list."""
