"""Sums of products of two arrays by their indices, as products of matrices where these are long.

    bchwij, ocij -> bohw        rows b h w, columns o, terms c i j: one product, whose result is put in order
    hnk, hmk -> hnm             for each h one of rows n, columns m, terms k

The indices that both have and the result has not are the terms; those that all three have number the products. An
operand lies as a matrix already, or as its transpose, or is put in order first, which takes as long as reading it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ccc.compile.native.arrays import forced
from ccc.compile.native.code import is_name
from ccc.compile.native.dtypes import ITEM, REALS, bytes_of
from ccc.compile.native.items import Axes, item_of
from ccc.compile.native.layout import Arr, Lazy
from ccc.compile.native.matrix_products import multiplied_into, of_matrix
from ccc.compile.native.nests import product
from ccc.compile.native.under_way import Lowering
from ccc.values import slotted

Letters = Sequence[str]
SMALL = 2048
"""Where the first call has fewer products of numbers in each matrix product, loops over all indices take no longer."""


@slotted
class Parted:
    """The indices of a sum of products: those that number matrix products, of rows, of columns, and of terms."""

    batch: list[str]
    rows: list[str]
    columns: list[str]
    inner: list[str]

    def result(self) -> list[str]:
        return [*self.batch, *self.rows, *self.columns]


def parted(a: Letters, b: Letters, out: Letters) -> Parted | None:
    """The parts of these indices, the last one of the result among the columns if any is; None where these are no
    products of matrices."""
    both = [c for c in a if c in b]
    found = Parted([c for c in out if c in both], [c for c in out if c in a and c not in b],
                   [c for c in out if c in b and c not in a], [c for c in both if c not in out])
    alone = [c for c in [*a, *b] if c not in out and c not in both]
    repeats = any(len(set(x)) < len(x) for x in (a, b, out))
    return None if alone or repeats or not (found.rows and found.columns and found.inner) else found


def as_products(
    m: Lowering, a: tuple[Arr, Letters], b: tuple[Arr, Letters], out: Letters, sizes: dict[str, str]
) -> Arr | None:
    """The sum of products of two arrays, each with the names of its indices; None where it is left to loops."""
    dtype = a[0].dtype
    if dtype not in REALS or b[0].dtype != dtype:
        return None
    left, right = [without_ones(*x) for x in (a, b)]
    order = [c for c in out if sizes.get(c, "1") != "1"]
    multiplied = with_vector(m, left, right, order)
    if multiplied is not None:
        return Arr(dtype, multiplied.ptr, tuple([sizes.get(c, "1") for c in out]))
    if order and order[-1] in left[1]:
        left, right = right, left
    parts = parted(left[1], right[1], order)
    if parts is None or short(m, parts, sizes):
        return None
    if [c for c in right[1] if c in parts.inner] == right[1][-len(parts.inner):]:
        parts.inner = [c for c in right[1] if c in parts.inner]
    else:
        parts.inner = [c for c in left[1] if c in parts.inner]
    A, a_turned = as_matrices(m, *left, parts.batch, parts.rows, parts.inner)
    B, b_turned = as_matrices(m, *right, parts.batch, parts.inner, parts.columns)
    found = products(m, A, a_turned, B, b_turned, [[sizes[c] for c in part] for part in (
        parts.batch, parts.rows, parts.inner, parts.columns)])
    axes = tuple([sizes[c] for c in parts.result()])
    whole = in_order(m, Arr(dtype, found.ptr, axes), parts.result(), order)
    return Arr(dtype, whole.ptr, tuple([sizes.get(c, "1") for c in out]))


def with_vector(m: Lowering, a: tuple[Arr, list[str]], b: tuple[Arr, list[str]], out: list[str]) -> Arr | None:
    """The product of a matrix as it lies with a vector, whose indices are its first ones, or its last ones; None where
    the arrays are others."""
    for (matrix, letters), (vector, inner) in ((a, b), (b, a)):
        if inner and out and len({*letters}) == len(letters) and letters in ([*out, *inner], [*inner, *out]):
            by_rows = letters == [*out, *inner]
            split = len(out if by_rows else inner)
            axes = product(m, matrix.axes[:split]), product(m, matrix.axes[split:])
            whole = Arr(matrix.dtype, matrix.ptr, axes)
            return of_matrix(m, whole, Arr(vector.dtype, vector.ptr, (axes[by_rows],)), by_rows)
    return None


def without_ones(x: Arr, letters: Letters) -> tuple[Arr, list[str]]:
    """An array without its axes of size 1."""
    kept = [(n, c) for n, c in zip(x.axes, letters, strict=True) if n != "1"]
    return Arr(x.dtype, x.ptr, tuple([n for n, _ in kept])), [c for _, c in kept]


def short(m: Lowering, parts: Parted, sizes: dict[str, str]) -> bool:
    """Whether the matrix products of the first call are known to be small."""
    known = [m.usual(sizes[c]) for c in [*parts.rows, *parts.columns, *parts.inner]]
    return None not in known and reduce(lambda x, y: x * y, [n for n in known if n is not None]) < SMALL


def as_matrices(
    m: Lowering, x: Arr, have: list[str], batch: list[str], rows: list[str], columns: list[str]
) -> tuple[Arr, bool]:
    """An array in the order of a batch of matrices, and whether they are transposed."""
    if have == [*batch, *columns, *rows]:
        return x, True
    return in_order(m, x, have, [*batch, *rows, *columns]), False


def in_order(m: Lowering, x: Arr, have: list[str], want: list[str]) -> Arr:
    """An array with its axes in another order; those that stay side by side are copied as one."""
    if have == want:
        return x
    joined = side_by_side(have, want)
    whole = Arr(x.dtype, x.ptr, tuple([product(m, [x.axes[have.index(c)] for c in part]) for part in joined]))
    order = sorted(range(len(joined)), key=lambda i: want.index(joined[i][0]))
    places = [order.index(i) for i in range(len(joined))]
    axes: Axes = tuple([whole.axes[i] for i in order])
    found = forced(m, Lazy(x.dtype, axes, lambda at: item_of(m, whole, [at[k] for k in places]).text))
    return Arr(x.dtype, found.ptr, tuple([x.axes[have.index(c)] for c in want]))


def side_by_side(have: Letters, want: Letters) -> list[list[str]]:
    """Indices in parts, which follow each other in two orders.

    >>> side_by_side("ncijkl", "nijckl")
    [['n'], ['c'], ['i', 'j'], ['k', 'l']]
    """
    parts: list[list[str]] = []
    for c in have:
        at = want.index(c)
        if parts and at and want[at - 1] == parts[-1][-1]:
            parts[-1].append(c)
        else:
            parts.append([c])
    return parts


def products(m: Lowering, A: Arr, a_turned: bool, B: Arr, b_turned: bool, sizes: list[list[str]]) -> Arr:
    """Matrix products, one behind the other in memory."""
    w, dtype = m.w, A.dtype
    many, rows, inner, columns = [product(m, part) for part in sizes]
    for n in (many, inner):  # without terms nothing is written
        if is_name(n):
            m.guard("slt", n, "1")
    out = m.alloc(w.mul(w.mul(many, w.mul(rows, columns)), bytes_of(dtype)))
    spans = [w.mul(rows, inner), w.mul(inner, columns), w.mul(rows, columns)]
    type_ = ITEM[dtype]
    if b_turned and many != "1":
        B, b_turned = turned_back(m, B, many, inner, columns), False
    with w.counted(many) as k:
        here = [w.at_index(type_, ptr, w.mul(k, span)) for ptr, span in zip((A.ptr, B.ptr, out), spans, strict=True)]
        one = Arr(dtype, here[0], (inner, rows) if a_turned else (rows, inner))
        other = Arr(dtype, here[1], (columns, inner) if b_turned else (inner, columns))
        multiplied_into(m, one, a_turned, other, b_turned, Arr(dtype, here[2], (rows, columns)), inner)
    return Arr(dtype, out, (many, rows, columns))


def turned_back(m: Lowering, B: Arr, many: str, inner: str, columns: str) -> Arr:
    """Matrices, each of which stands for its transpose, as they are read: once, and not in each product."""
    source = Arr(B.dtype, B.ptr, (many, columns, inner))
    return forced(m, Lazy(B.dtype, (many, inner, columns), lambda at: item_of(m, source, [at[0], at[2], at[1]]).text))
