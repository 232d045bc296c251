"""Products of arrays: `dot`, `matmul` and their kin, each bilinear.

    d (a @ b) = da @ b + a @ db        <ct, da @ b> = <left(ct, b), da>        <ct, a @ db> = <right(ct, a), db>

The transposes `left` and `right` of a product are products too: for ranks 1 and 2 they are written as such, for all
others they are found at run time; their derivatives are again the product and its transposes.

>>> matmul.pullback(np.ones(2), np.ones(2), np.eye(2), np.array([3.0, 4.0]))
(array([[3., 4.],
       [3., 4.]]), array([1., 1.]))
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero, add as sum_of
from ccc.objects import Array, Bool, Int, Object, Real, array, is_of_any_kind
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.domains import Known, not_single
from ccc.primitives.facts import MAY, NEVER, NEW, PRODUCTS, Raises, separately
from ccc.primitives.primitive import Primitive, TypeRule, elementwise
from ccc.primitives.reductions import dtype_of, scalar_kind
from ccc.primitives.shaping import astype, dim, reshape, reshape_like, transpose
from ccc.wording import in_words

Product = Callable[..., Any]


def rank_of(x: Any) -> int | None:
    """The rank of a value, or None where it is not known yet."""
    kind = kind_of(x)
    if not isinstance(kind, Array):
        return 0
    return None if kind.axes is None else len(kind.axes)


def cast(ct: Any, x: Any) -> Any:
    """`ct` in the dtype of the real array `x`: products of two dtypes have cotangents of both."""
    a, b = kind_of(ct), kind_of(x)
    mixed = isinstance(a, Array) and isinstance(b, Array) and b.is_real and a.dtype != b.dtype
    return astype(ct, dtype=dtype_of(b)) if mixed else ct


def same_shape(ct: Any, x: Any) -> Any:
    """`ct` summed over the axes along which `x` was broadcast."""
    shape = np.shape(x)
    extra = np.ndim(ct) - len(shape)
    axes = tuple(range(extra)) + tuple(
        i + extra for i, size in enumerate(shape) if size == 1 and np.shape(ct)[i + extra] != 1
    )
    return np.reshape(np.sum(ct, axis=axes), shape)[()] if axes else np.reshape(ct, shape)[()]


def _matmul_left(ct: Any, a: Any, b: Any) -> Any:
    ct = np.expand_dims(ct, -1) if np.ndim(b) == 1 else ct
    ct = np.expand_dims(ct, -2) if np.ndim(a) == 1 else ct
    matrix = np.expand_dims(b, -1) if np.ndim(b) == 1 else b
    found = np.matmul(ct, np.swapaxes(matrix, -1, -2))
    return same_shape(np.squeeze(found, -2) if np.ndim(a) == 1 else found, a)


def _matmul_right(ct: Any, a: Any, b: Any) -> Any:
    ct = np.expand_dims(ct, -1) if np.ndim(b) == 1 else ct
    ct = np.expand_dims(ct, -2) if np.ndim(a) == 1 else ct
    matrix = np.expand_dims(a, -2) if np.ndim(a) == 1 else a
    found = np.matmul(np.swapaxes(matrix, -1, -2), ct)
    return same_shape(np.squeeze(found, -1) if np.ndim(b) == 1 else found, b)


def _dot_left(ct: Any, a: Any, b: Any) -> Any:
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return same_shape(np.multiply(ct, b), a)
    kept = np.ndim(b) - 1
    b = np.moveaxis(b, -2, -1) if np.ndim(b) > 1 else b
    last = list(range(np.ndim(ct) - kept, np.ndim(ct)))
    return np.tensordot(ct, b, (last, list(range(kept))))


def _dot_right(ct: Any, a: Any, b: Any) -> Any:
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return same_shape(np.multiply(a, ct), b)
    kept = list(range(np.ndim(a) - 1))
    found = np.tensordot(a, ct, (kept, kept))
    return np.moveaxis(found, 0, -2) if np.ndim(b) > 1 else found


def _inner_as_dot(b: Any) -> Any:
    return np.moveaxis(b, -1, -2) if np.ndim(b) > 1 else b


def _inner_left(ct: Any, a: Any, b: Any) -> Any:
    return _dot_left(ct, a, _inner_as_dot(b) if np.ndim(a) else b)


def _inner_right(ct: Any, a: Any, b: Any) -> Any:
    if np.ndim(a) == 0:
        return _dot_right(ct, a, b)
    found = _dot_right(ct, a, _inner_as_dot(b))
    return np.moveaxis(found, -2, -1) if np.ndim(b) > 1 else found


def _outer_left(ct: Any, a: Any, b: Any) -> Any:
    return np.reshape(np.matmul(ct, np.ravel(b)), np.shape(a))[()]


def _outer_right(ct: Any, a: Any, b: Any) -> Any:
    return np.reshape(np.matmul(np.ravel(a), ct), np.shape(b))[()]


def _vdot_left(ct: Any, a: Any, b: Any) -> Any:
    return np.reshape(np.multiply(ct, np.ravel(b)), np.shape(a))[()]


def _vdot_right(ct: Any, a: Any, b: Any) -> Any:
    return np.reshape(np.multiply(ct, np.ravel(a)), np.shape(b))[()]


# -- types -----------------------------------------------------------------------------------------------------------


def _dtype(args: tuple[Object, ...]) -> str:
    """The dtype of a product of entries: a number of Python has the kind of the array beside it, as far as it can."""
    plain: dict[Object, Any] = {Real("float"): 1.0, Int("int"): 1, Bool("bool"): True}
    return np.result_type(*[1.0 if is_of_any_kind(a) else plain.get(a, dtype_of(a)) for a in args]).name


def _strong(args: tuple[Object, ...]) -> str:
    """The dtype of a product that makes arrays of its arguments: numbers count as much as arrays."""
    return np.result_type(*[dtype_of(a) for a in args]).name


def _result(dtype: str, axes: tuple[str, ...]) -> Object:
    return array(dtype, axes) if axes else scalar_kind(dtype)


def _contract(name: str, x: str, y: str) -> None:
    if "?" not in (x, y) and x != y:
        raise ValueError(f"`{name}` contracts axes of different sizes: one of size 1 with one of another size")


def _dot_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any], last: bool = False) -> Object:
    """Of the last axis of one array and the last but one of the other, or of both `last` ones."""
    a, b = args
    if not isinstance(a, Array) or not isinstance(b, Array) or a.axes == () or b.axes == ():
        return elementwise(p, args, params)
    dtype = _dtype(args)
    if a.axes is None or b.axes is None:
        return array(dtype, None)
    contracted = -1 if last or len(b.axes) == 1 else -2
    _contract(p.name, a.axes[-1], b.axes[contracted])
    rest = b.axes[:-1] if contracted == -1 else (*b.axes[:-2], b.axes[-1])
    return _result(dtype, (*a.axes[:-1], *rest))


def _matmul_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    a, b = args
    if not isinstance(a, Array) or not isinstance(b, Array) or a.axes == () or b.axes == ():
        raise TypeError(f"`{p.name}` needs arrays of rank 1 or more: found {in_words(a)} and {in_words(b)}")
    dtype = _dtype(args)
    if a.axes is None or b.axes is None:
        return array(dtype, None)
    _contract(p.name, a.axes[-1], b.axes[-2:][0])
    rank = max(len(a.axes), len(b.axes), 2) - 2
    batches = [("1",) * (rank - len(x.axes[:-2])) + x.axes[:-2] for x in (a, b)]  # type: ignore[index]
    batch = map(_spread, *batches)
    return _result(dtype, (*batch, *a.axes[-2:-1], *(b.axes[-1:] if len(b.axes) > 1 else ())))


def _spread(x: str, y: str) -> str:
    """The axis to which two are broadcast: one of them, where it is known which."""
    if "1" in (x, y):
        return y if x == "1" else x
    return x if x == "n" else y if y == "n" else "?"


def _outer_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return array(_strong(args), tuple(_raveled(a) for a in args))


def _raveled(a: Object) -> str:
    axes = a.axes if isinstance(a, Array) else ()
    if axes is None or "?" in axes:
        return "?"
    if len(axes) == 1:
        return axes[0]
    return "n" if "n" in axes else "1"


def _vdot_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return scalar_kind(_strong(args))


def _transpose_type(place: int) -> TypeRule:
    def rule(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
        like = args[place]
        dtype = _dtype((args[0], args[3 - place]))
        return _result(dtype, like.axes) if isinstance(like, Array) and like.axes is not None else (
            array(dtype, None) if isinstance(like, Array) else scalar_kind(dtype)
        )

    return rule


def _uncontracted(a: Known, b: Known) -> bool:
    """Where the axes that a product sums along have several sizes."""
    if a.axes is None or b.axes is None:
        return True
    if not a.axes or not b.axes:
        return False
    around = [(-i, axes) for i, *axes in zip(range(3, 1 << 30), a.axes[-3::-1], b.axes[-3::-1], strict=False)]
    apart = [i for i, axes in around if axes != ["1", "1"] and not a.has_size(i, b.size(i))]
    return bool(apart) or not a.has_size(-1, b.size(max(-2, -len(b.axes))))


def _uncontracted_last(a: Known, b: Known) -> bool:
    """The same of the last axes."""
    if a.axes is None or b.axes is None:
        return True
    return bool(a.axes and b.axes) and not a.has_size(-1, b.size(-1))


# -- a product with its two transposes -------------------------------------------------------------------------------


def bilinear(
    name: str, value: Product, source: str, type_rule: TypeRule, left_value: Product, right_value: Product,
    short: Callable[[Any, Any, Any], tuple[Any, Any] | None] = lambda ct, a, b: None, precedence: int = 100,
    raises: Raises = MAY, adding: bool = True, **facts: Any,
) -> tuple[Primitive, Primitive, Primitive]:
    """A bilinear product and its transposes; `short` writes them as products where it can. `raises` and further facts
    are of the product: the transposes may raise, at cotangents of other sizes."""
    word = name.replace(".", "_")

    def pullback(ct: Any, y: Any, a: Any, b: Any) -> tuple[Any, ...]:
        ct_a, ct_b = short(ct, a, b) or (left(ct, a, b), right(ct, a, b))
        return cast(ct_a, a), cast(ct_b, b)

    def two(product: Primitive, d: tuple[Any, Any], x: tuple[Any, Any], *fixed: tuple[int, Any]) -> Any:
        found: Any = ZERO
        for pair in ((d[0], x[1]), (x[0], d[1])):
            if not any(isinstance(z, Zero) for z in pair):
                args = list(pair)
                for place, z in fixed:
                    args.insert(place, z)
                found = sum_of(found, product(*args))
        return found

    product = Primitive(
        name, value, type_rule, source, pullback, lambda ds, y, a, b: two(product, ds, (a, b)), precedence=precedence,
        memory=NEW, work=PRODUCTS, linear=separately(0, 1), raises=raises, adding=adding, **facts,
    )
    left = Primitive(
        f"{word}_left", left_value, _transpose_type(1), f"{word}_left({{}}, {{}}, {{}})",
        lambda g, y, ct, a, b: (cast(product(g, b), ct), ZERO, cast(right(ct, g, b), b)),
        lambda ds, y, ct, a, b: two(left, (ds[0], ds[2]), (ct, b), (1, a)),
        memory=NEW, work=PRODUCTS, sizes=(1,), like=1, linear=separately(0, 2), raises=MAY, adding=adding,
    )
    right = Primitive(
        f"{word}_right", right_value, _transpose_type(2), f"{word}_right({{}}, {{}}, {{}})",
        lambda g, y, ct, a, b: (cast(product(a, g), ct), cast(left(ct, a, g), a), ZERO),
        lambda ds, y, ct, a, b: two(right, (ds[0], ds[1]), (ct, a), (2, b)),
        memory=NEW, work=PRODUCTS, sizes=(2,), like=2, linear=separately(0, 1), raises=MAY, adding=adding,
    )
    return product, left, right


def _short(ct: Any, a: Any, b: Any) -> tuple[Any, Any] | None:
    match rank_of(a), rank_of(b):
        case 1, 1:
            return ct * b, a * ct
        case 2, 1:
            return outer(ct, b), matmul(transpose(a), ct)
        case 1, 2:
            return matmul(b, ct), outer(a, ct)
        case 2, 2:
            return matmul(ct, transpose(b)), matmul(transpose(a), ct)
        case n, 2 if n is not None and n > 2:
            rows, by = _as_matrix(a, n), _as_matrix(ct, n)
            return reshape_like(matmul(by, transpose(b)), a), matmul(transpose(rows), by)
        case _:
            return None


def _as_matrix(x: Any, rank: int) -> Any:
    """The matrices of an array below each other, as one."""
    rows = dim(x, axis=0)
    for axis in range(1, rank - 1):
        rows = rows * dim(x, axis=axis)
    return reshape(x, rows, dim(x, axis=rank - 1))


def _short_inner(ct: Any, a: Any, b: Any) -> tuple[Any, Any] | None:
    return (ct * b, a * ct) if rank_of(a) == rank_of(b) == 1 else None


def _short_outer(ct: Any, a: Any, b: Any) -> tuple[Any, Any] | None:
    return (matmul(ct, b), matmul(a, ct)) if rank_of(a) == rank_of(b) == 1 else None


matmul, matmul_left, matmul_right = bilinear(
    "matmul", operator.matmul, "{} @ {}", _matmul_type, _matmul_left, _matmul_right, _short, precedence=70,
    raises=_uncontracted,
)


def multiplies_matrices(p: Primitive) -> bool:
    """Whether a primitive gives the product of two matrices, or of one and a vector, as `@` does."""
    return p.type_rule is _matmul_type


np_matmul, np_matmul_left, np_matmul_right = bilinear(
    "np.matmul", np.matmul, "np.matmul({}, {})", _matmul_type, _matmul_left, _matmul_right, _short,
    raises=_uncontracted,
)
dot, dot_left, dot_right = bilinear("np.dot", np.dot, "np.dot({}, {})", _dot_type, _dot_left, _dot_right, _short,
                                   raises=_uncontracted)
inner, inner_left, inner_right = bilinear(
    "np.inner", np.inner, "np.inner({}, {})", partial(_dot_type, last=True), _inner_left, _inner_right, _short_inner,
    raises=_uncontracted_last,
)
outer, outer_left, outer_right = bilinear(
    "np.outer", np.outer, "np.outer({}, {})", _outer_type, _outer_left, _outer_right, _short_outer,
    raises=NEVER,
)
vdot, vdot_left, vdot_right = bilinear(
    "np.vdot", np.vdot, "np.vdot({}, {})", _vdot_type, _vdot_left, _vdot_right, _short_inner,
    raises=not_single,
)
