"""Sums of products by their indices, and other products: `einsum`, `kron`, `convolve`, `cross`, `vecdot`, `multi_dot`.

    d einsum(s, a, b) = einsum(s, da, b) + einsum(s, a, db)

>>> einsum.pullback(1.0, 11.0, np.array([1.0, 2.0]), np.array([3.0, 4.0]), subscripts="i,i->")[0]
array([3., 4.])
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ccc.additive import ZERO, Zero, add, total
from ccc.errors import UnknownObject
from ccc.objects import Array, Object, array
from ccc.primitives.arithmetic import add as plus
from ccc.primitives.bilinear import bilinear, cast, rank_of, same_shape
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.domains import Known, not_single
from ccc.primitives.facts import MAY, NEVER, NEW, PRODUCTS, SIZES, SUMS, may_be, same, separately
from ccc.primitives.primitive import Primitive, linear
from ccc.primitives.reductions import call_source, dtype_of, scalar_kind
from ccc.primitives.shaping import axes_of, expand_dims, transpose
from ccc.primitives.sizes import Size, Sized, broadcast, constant

# -- sums of products ------------------------------------------------------------------------------------------------


def _matched(ct: Any, x: Any) -> Any:
    if np.shape(ct) == np.shape(x):
        return ct
    one = tuple([i for i, n in enumerate(np.shape(x)) if n == 1])
    found = np.broadcast_to(np.sum(ct, axis=one, keepdims=True), np.shape(x))
    return found if np.ndim(found) else found[()]


matched = linear(
    "matched", _matched, lambda p, args, params: array(dtype_of(args[0]), axes_of(args[1])), "matched({}, {})",
    lambda g, y, ct, x: (matched(g, ct), ZERO), memory=may_be(0), read_only=None, work=SUMS, raises=not_single,
)
"""A cotangent summed along axes of size 1 and repeated along those where it has size 1."""


def explicit(subscripts: str) -> tuple[list[str], str]:
    """The indices of the operands and of the result.

    >>> explicit("ij,jk"), explicit("ij -> ji")
    ((['ij', 'jk'], 'ik'), (['ij'], 'ji'))

    Raises `TypeError` for what has no derivative here: an ellipsis, an index twice in one operand.
    """
    text = subscripts.replace(" ", "")
    given, arrow, out = text.partition("->")
    operands = given.split(",")
    if "." in text:
        raise TypeError("np.einsum has a derivative for named indices: found an ellipsis")
    if any(len(set(part)) < len(part) for part in operands):
        raise TypeError("np.einsum has a derivative where no operand has an index twice; use np.diagonal or np.trace")
    if not arrow:
        out = "".join(sorted({c for c in given if c != "," and given.count(c) == 1}))
    return operands, out


def _einsum_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    operands, out = explicit(params["subscripts"])
    if len(operands) != len(args):
        raise ValueError(f"np.einsum was given {len(args)} operands for {len(operands)}")
    for part, a in zip(operands, args, strict=True):
        axes = axes_of(a)
        if axes is not None and len(axes) != len(part):
            raise ValueError(f"np.einsum: the operand `{part}` has rank {len(axes)}")
    dtype = np.result_type(*[dtype_of(a) for a in args]).name
    return array(dtype, ("?",) * len(out)) if out else scalar_kind(dtype)


def order_of(
    given: Sequence[Sequence[str]], out: Sequence[str], sizes: Mapping[str, int]
) -> tuple[list[tuple[int, int, Sequence[str]]], int]:
    """Which two factors are multiplied first, until two are left, and the indices of their product, which goes behind
    the others; with the work of all. First is what takes least work, then what is smallest. Indices of the result stand
    in its order, so that what is multiplied next mostly lies as it is read.

    >>> order_of(["ab", "bc", "c"], "a", {"a": 9, "b": 9, "c": 9})
    ([(1, 2, ['b'])], 162)
    """
    factors, pairs, work = list(given), list[tuple[int, int, Sequence[str]]](), 0

    def size(letters: Iterable[str]) -> int:
        return math.prod([sizes[c] for c in letters])

    while len(factors) > 2:
        best: tuple[Any, ...] = ()
        for i, j in combinations(range(len(factors)), 2):
            others = {*out}.union(*[x for k, x in enumerate(factors) if k not in (i, j)])
            both = list(dict.fromkeys([*factors[i], *factors[j]]))
            kept = [c for c in [*out, *[c for c in both if c not in out]] if c in both and c in others]
            choice = size(both), size(kept), i, j, kept
            best = min(best or choice, choice)
        pairs.append(best[2:])
        work += best[0]
        del factors[best[3]], factors[best[2]]
        factors.append(best[4])
    return pairs, work + size({*factors[0], *factors[1]})


SAME = 100
"""What all sizes are taken to be where a derivative decides which factors are multiplied first."""


def _einsum_pullback(ct: Any, y: Any, *xs: Any, subscripts: str) -> tuple[Any, ...]:
    operands, out = explicit(subscripts)
    if len(xs) > 2:
        sizes = dict.fromkeys("".join(operands), SAME)
        pairs, work = order_of(operands, out, sizes)
        if 2 * work <= len(xs) * math.prod(sizes.values()):
            return _pullback_by_pairs(ct, operands, out, xs, pairs)
    found: list[Any] = []
    for i, (part, x) in enumerate(zip(operands, xs, strict=True)):
        others = [(s, z) for j, (s, z) in enumerate(zip(operands, xs, strict=True)) if j != i]
        known = set(out).union(*[s for s, _ in others])
        kept = "".join([c for c in part if c in known])
        made = einsum(ct, *[z for _, z in others], subscripts=f"{','.join([out, *[s for s, _ in others]])}->{kept}")
        missing = tuple([k for k, c in enumerate(part) if c not in known])
        if missing:
            made = expand_dims(made, axis=missing)
        found.append(cast(made if not missing and sizes_agree(part, operands, xs) else matched(made, x), x))
    return tuple(found)


def _pullback_by_pairs(
    ct: Any, operands: list[str], out: str, xs: tuple[Any, ...], pairs: list[tuple[int, int, Sequence[str]]]
) -> tuple[Any, ...]:
    """The cotangents of the factors of sums of products that are made two factors at a time: what is known of a product
    of two serves both, and what it is multiplied by."""
    factors = list(enumerate(zip(operands, xs, strict=True)))
    made: list[tuple[str, list[int], list[Any]]] = []
    for i, j, kept in [*pairs, (0, 1, out)]:
        two = factors[i], factors[j]
        del factors[j], factors[i]
        subscripts, values = f"{two[0][1][0]},{two[1][1][0]}->{''.join(kept)}", [x for _, (_, x) in two]
        made.append((subscripts, [number for number, _ in two], values))
        if factors:
            factors.append((len(xs) + len(made) - 1, ("".join(kept), einsum(*values, subscripts=subscripts))))
    cts: dict[int, Any] = {len(xs) + len(made) - 1: ct}
    for at, (subscripts, numbers, values) in reversed([*enumerate(made, len(xs))]):
        cts.update(zip(numbers, _einsum_pullback(cts[at], None, *values, subscripts=subscripts), strict=True))
    return tuple([cts[i] for i in range(len(xs))])


def sizes_agree(part: str, operands: list[str], xs: tuple[Any, ...]) -> bool:
    """True where no operand is stretched along the indices of one of them."""
    names = [dict(zip(s, axes_of(kind_of(z)) or (), strict=False)) for s, z in zip(operands, xs, strict=True)]
    return all(found.get(c, "n" if c not in s else "?") == "n" for c in part
               for s, found in zip(operands, names, strict=True))


def _einsum_differential(ds: tuple[Any, ...], y: Any, *xs: Any, subscripts: str) -> Any:
    total: Any = ZERO
    for i, d in enumerate(ds):
        if not isinstance(d, Zero):
            total = add(total, einsum(*xs[:i], d, *xs[i + 1 :], subscripts=subscripts))
    return total


def _unequal_indices(*xs: Known, subscripts: str) -> bool:
    """Where an index has several sizes."""
    operands, _ = explicit(subscripts)
    if any(x.axes is None for x in xs):
        return True
    sizes: dict[str, tuple[Known, int]] = {}
    for part, x in zip(operands, xs, strict=True):
        for i, (c, axis) in enumerate(zip(part, x.axes or (), strict=False)):
            of, place = sizes.setdefault(c, (x, i)) if axis != "1" else (x, i)
            if (of, place) != (x, i) and not x.has_size(i, of.size(place)):
                return True
    return False


einsum = Primitive(
    "np.einsum", lambda *xs, subscripts: np.einsum(subscripts, *xs), _einsum_type,
    lambda *xs, subscripts: f"np.einsum({', '.join([repr(subscripts), *xs])})",
    _einsum_pullback, _einsum_differential, memory=may_be(), work=PRODUCTS, linear=separately(), adding=True,
    raises=_unequal_indices,
)


# -- Kronecker products ----------------------------------------------------------------------------------------------


def _kron_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    ranks = [axes_of(a) for a in args]
    dtype = np.result_type(*[dtype_of(a) for a in args]).name
    known = [len(axes) for axes in ranks if axes is not None]
    if known == [0, 0]:
        return scalar_kind(dtype)
    return array(dtype, None if len(known) < 2 else ("?",) * max(known))


def _blocks(ct: Any, a: Any, b: Any) -> tuple[Any, Any, Any, list[int], list[int]]:
    """The cotangent with an axis for each axis of each factor, and the factors at one rank."""
    rank = max(np.ndim(a), np.ndim(b))
    a, b = [np.reshape(x, (1,) * (rank - np.ndim(x)) + np.shape(x)) for x in (a, b)]
    shape = [n for pair in zip(a.shape, b.shape, strict=True) for n in pair]
    return np.reshape(ct, shape), a, b, list(range(0, 2 * rank, 2)), list(range(1, 2 * rank, 2))


def _kron_left(ct: Any, a: Any, b: Any) -> Any:
    blocks, _, wide, _, odd = _blocks(ct, a, b)
    return np.reshape(np.tensordot(blocks, wide, (odd, list(range(wide.ndim)))), np.shape(a))[()]


def _kron_right(ct: Any, a: Any, b: Any) -> Any:
    blocks, wide, _, even, _ = _blocks(ct, a, b)
    return np.reshape(np.tensordot(blocks, wide, (even, list(range(wide.ndim)))), np.shape(b))[()]


kron, kron_left, kron_right = bilinear(
    "np.kron", np.kron, "np.kron({}, {})", _kron_type, _kron_left, _kron_right, raises=NEVER
)


# -- cross products of vectors with three entries ----------------------------------------------------------------------


def _in_space(v: Any) -> Any:
    """Vectors of the plane as vectors of the space."""
    return np.concatenate([v, np.zeros_like(v[..., :1])], -1) if np.shape(v)[-1] == 2 else v


def _cross(a: Any, b: Any) -> Any:
    """The product of vectors, one of which may be of the plane: of two of these it is a number, by a form that NumPy
    gives up, and how many axes there are would be known only when the program runs."""
    if np.shape(a)[-1:] == np.shape(b)[-1:] == (2,):
        raise UnknownObject("np.cross of vectors with two entries, which NumPy gives up, is not supported",
                            "write a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]")
    return np.cross(a, b)


def _cross_shape(args: Sequence[Sized], params: dict[str, Any]) -> list[Size | None] | None:
    """Three entries, along what the other axes are broadcast to."""
    around = [Sized(Array(a.object.dtype, a.object.axes[:-1]), a.shape and a.shape[:-1]) for a in args
              if isinstance(a.object, Array) and a.object.axes]
    rank = max([len(a.object.axes or ()) for a in around if isinstance(a.object, Array)], default=0)
    found = broadcast(around, rank) if len(around) == 2 else None
    return None if found is None else [*found, constant(3)]


cross, cross_left, cross_right = bilinear(
    "cross", _cross, "cross({}, {})", lambda p, args, params: plus.type_of(args, {}),
    lambda ct, a, b: same_shape(np.cross(_in_space(b), ct)[..., : np.shape(a)[-1]], a),
    lambda ct, a, b: same_shape(np.cross(ct, _in_space(a))[..., : np.shape(b)[-1]], b), shape=_cross_shape,
    adding=False,
)


# -- convolutions ----------------------------------------------------------------------------------------------------


def _row_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return array(np.result_type(*[dtype_of(a) for a in args]).name, ("?",))


def _in_full(ct: Any, a: Any, b: Any, mode: str, swapped: bool = False) -> Any:
    """The cotangent of a part of a convolution as that of all of it."""
    n, m = len(a), len(b)
    full = np.zeros(n + m - 1, np.asarray(ct).dtype)
    least = min(n, m)
    start = {"full": 0, "same": least // 2 if swapped else (least - 1) // 2, "valid": least - 1}[mode]
    full[start : start + len(ct)] = ct
    return full


def _sliding(ct: Any, b: Any) -> Any:
    return np.correlate(ct, b, "valid")


def _convolution(mode: str) -> tuple[Primitive, Primitive, Primitive]:
    return bilinear(
        f"np.convolve_{mode}", lambda a, b: np.convolve(a, b, mode), f"np.convolve({{}}, {{}}, {mode!r})", _row_type,  # type: ignore[reportArgumentType]
        lambda ct, a, b: _sliding(_in_full(ct, a, b, mode), b), lambda ct, a, b: _sliding(_in_full(ct, a, b, mode), a),
    )


def _correlation(mode: str) -> tuple[Primitive, Primitive, Primitive]:
    def full(ct: Any, a: Any, b: Any) -> Any:
        return _in_full(ct, a, b, mode, len(b) > len(a))

    return bilinear(
        f"np.correlate_{mode}", lambda a, b: np.correlate(a, b, mode), f"np.correlate({{}}, {{}}, {mode!r})", _row_type,  # type: ignore[reportArgumentType]
        lambda ct, a, b: _sliding(full(ct, a, b), b[::-1]), lambda ct, a, b: _sliding(full(ct, a, b), a)[::-1],
    )


convolve_full, convolve_full_left, convolve_full_right = _convolution("full")
convolve_same, convolve_same_left, convolve_same_right = _convolution("same")
convolve_valid, convolve_valid_left, convolve_valid_right = _convolution("valid")
correlate_full, correlate_full_left, correlate_full_right = _correlation("full")
correlate_same, correlate_same_left, correlate_same_right = _correlation("same")
correlate_valid, correlate_valid_left, correlate_valid_right = _correlation("valid")


def _aligned(a: Any, b: Any, pairs: tuple[tuple[int, int], ...]) -> Any:
    if any(np.shape(a)[i] != np.shape(b)[j] for i, j in pairs):
        raise ValueError("shape-mismatch for sum")
    return a


aligned = linear(
    "aligned", _aligned, lambda p, args, params: args[0], call_source("aligned"),
    lambda ct, y, a, b, pairs: (ct, ZERO), memory=same(), work=SIZES, sizes=(1,), like=0, raises=MAY,
)
"""The first of two arrays, which raises what `np.tensordot` raises where pairs of axes differ in size."""


# -- products of vectors along an axis, and of many matrices -----------------------------------------------------------


def _vecdot_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    both = plus.type_of(args, {})
    axes = axes_of(both)
    if not isinstance(both, Array) or axes == ():
        raise TypeError(f"`{p.name}` needs arrays of rank 1 or more")
    return array(both.dtype, None) if axes is None else (
        scalar_kind(both.dtype) if len(axes) == 1 else array(both.dtype, axes[:-1]))


vecdot, vecdot_left, vecdot_right = bilinear(
    "np.vecdot", np.vecdot, "np.vecdot({}, {})", _vecdot_type,
    lambda ct, a, b: same_shape(np.expand_dims(ct, -1) * b, a),
    lambda ct, a, b: same_shape(np.expand_dims(ct, -1) * a, b),
    lambda ct, a, b: (ct * b, a * ct) if rank_of(a) == rank_of(b) == 1 else None,
)
"""The products of the vectors along the last axes."""


def _chain_type(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    if any(len(axes_of(a) or ("", "")) != 2 for a in args):
        raise ValueError("np.linalg.multi_dot takes matrices, and vectors at both ends")
    first, last = axes_of(args[0]), axes_of(args[-1])
    dtype = np.result_type(*[dtype_of(a) for a in args]).name
    return array(dtype, (first[0] if first else "?", last[1] if last else "?"))


def _chain_pullback(ct: Any, y: Any, *xs: Any) -> tuple[Any, ...]:
    back = [transpose(x) for x in xs]
    return tuple([cast(multi_dot(*back[:i][::-1], ct, *back[i + 1 :][::-1]), x) for i, x in enumerate(xs)])


def _chain_differential(ds: tuple[Any, ...], y: Any, *xs: Any) -> Any:
    return total([multi_dot(*xs[:i], d, *xs[i + 1 :]) for i, d in enumerate(ds) if not isinstance(d, Zero)])


multi_dot = Primitive(
    "multi_dot", lambda *xs: np.linalg.multi_dot(xs), _chain_type,
    lambda *xs: f"np.linalg.multi_dot([{', '.join(xs)}])", _chain_pullback, _chain_differential, memory=NEW,
    work=PRODUCTS, linear=separately(), raises=MAY,
)
"""The product of two or more matrices, in the order that takes least work."""
