"""Sums of products of arrays by their indices: `einsum`, products of any rank with their transposes, convolutions.

    matmul of ranks 3 and 2:    zij, jk -> zik        its transposes:    zik, jk -> zij    zij, zik -> jk

An index along which an operand has size 1 is broadcast; in a transpose it is summed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ccc.compile.native import conversions
from ccc.compile.native.arrays import DTYPES, dtype_of, filled, in_dtype, renamed
from ccc.compile.native.as_products import as_products
from ccc.compile.native.body import SUM
from ccc.compile.native.items import Axes, item_of, load, offset, store
from ccc.compile.native.layout import ITEM, Arr, Lazy, NotNative, number
from ccc.compile.native.nests import nest, product
from ccc.compile.native.rearranging import flattened
from ccc.compile.native.table import handles
from ccc.compile.native.totals import plus, summed
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.primitives import bilinear, contractions
from ccc.primitives.contractions import explicit, order_of
from ccc.values import slotted

Letters = Sequence[str]
UNKNOWN = 100
"""What a size is taken to be that is not known when code is made."""


@slotted
class Operand:
    """An array, or a number, with the names of its indices."""

    value: Any
    letters: Letters

    @property
    def axes(self) -> Axes:
        return self.value.axes if isinstance(self.value, (Arr, Lazy)) else ()


def sizes_of(m: Lowering, operands: Sequence[Operand]) -> dict[str, str]:
    """The size of each index; leaves where two that are not surely 1 differ."""
    sizes: dict[str, str] = {}
    for x in operands:
        if len(x.axes) != len(x.letters):
            raise NotNative("a sum of products of arrays of other ranks")
        for letter, n in zip(x.letters, x.axes, strict=True):
            have = sizes.get(letter, "1")
            if have == "1":
                sizes[letter] = n
            elif n != "1":
                m.same_size(have, n)
    return sizes


def contracted(m: Lowering, operands: Sequence[Operand], out: Letters, dtype: str) -> Any:
    """The sum of the products of all operands over the indices that `out` has not; those of `out` that no operand has
    get size 1."""
    operands = by_pairs(m, operands, out, dtype)
    multiplied = in_matrices(m, operands, out, dtype)
    if multiplied is not None:
        return multiplied
    if dtype == "float32":
        found = contracted(m, operands, out, "float64")
        return conversions.converted(m.w, found, ITEM[dtype]) if isinstance(found, Num) else m.arr(
            in_dtype(m, found, dtype))
    w, type_ = m.w, number(dtype)
    if type_ not in ("double", "i64"):
        raise NotNative("a sum of products of bools")
    operands = [Operand(m.arr(x.value) if x.axes else m.number(x.value), x.letters if x.axes else ())
                for x in operands]
    sizes = sizes_of(m, operands)
    gone = [letter for letter in sizes if letter not in out]
    axes = tuple([sizes.get(letter, "1") for letter in out])
    zero = real(0.0) if type_ == "double" else "0"

    def term(at: dict[str, str]) -> Num:
        xs = [conversions.converted(w, item_of(m, x.value, [at[c] for c in x.letters]), type_) for x in operands]
        found = xs[0]
        for x in xs[1:]:
            f = f"fmul {SUM}" if type_ == "double" else "mul"
            found = Num(type_, w.binary(f, type_, found.text, x.text))
        return found

    def added(before: str, x: Num) -> str:
        return plus(m, before, x) if type_ == "double" else w.binary("add", type_, before, x.text)

    if not gone and out:
        return m.arr(Lazy(dtype, axes, lambda at: conversions.converted(
            w, term(dict(zip(out, at, strict=True))), number(dtype)).text))
    if not out or (gone and contiguous(operands, gone) and not contiguous(operands, [out[-1]])):
        place = w.local(type_)
        ptr = m.alloc(w.mul(product(m, axes), "8")) if out else ""
        with loops(m, out, axes, ordered=True) as at:
            w.store(type_, zero, place)
            with loops(m, gone, [sizes[c] for c in gone]) as inner:
                w.store(type_, added(w.load(type_, place), term({**at, **inner})), place)
            if not out:
                return Num(type_, w.load(type_, place))
            store(m, Num(type_, w.load(type_, place)), dtype, ptr, offset(m, axes, [at[c] for c in out]))
        return Arr(dtype, ptr, axes)
    ptr = m.alloc(w.mul(product(m, axes), "8"))
    with w.each(product(m, axes)) as k:
        w.store(type_, zero, w.at_index(type_, ptr, k))
    order = [*out[:-1], *gone, out[-1]]
    with loops(m, order, [sizes.get(c, "1") for c in order]) as at:
        k = offset(m, axes, [at[c] for c in out])
        now = added(load(m, dtype, ptr, k), term(at))
        store(m, Num(type_, now), dtype, ptr, k)
    return Arr(dtype, ptr, axes)


def by_pairs(m: Lowering, operands: Sequence[Operand], out: Letters, dtype: str) -> Sequence[Operand]:
    """Two operands at most of the same sum, where sums of products of two take less than half of the work."""
    if len(operands) < 3 or any(len(x.axes) != len(x.letters) for x in operands):
        return operands
    sizes: dict[str, int] = {}
    for x in operands:
        for letter, n in zip(x.letters, x.axes, strict=True):
            sizes[letter] = max(sizes.get(letter, 1), int(n) if n.isdigit() else UNKNOWN)
    pairs, work = order_of([x.letters for x in operands], out, sizes)
    if 2 * work >= math.prod(sizes.values()):
        return operands
    found = list(operands)
    for i, j, kept in pairs:
        b, a = found.pop(j), found.pop(i)
        value = contracted(m, [a, b], kept, dtype)
        found.append(Operand(value, kept))
    return found


def in_matrices(m: Lowering, operands: Sequence[Operand], out: Letters, dtype: str) -> Arr | None:
    """The sum of the products of two arrays as products of matrices; None where loops make it."""
    if len(operands) != 2 or any(not x.axes or x.value.dtype != dtype for x in operands):
        return None
    a, b = [Operand(m.arr(x.value), x.letters) for x in operands]
    return as_products(m, (a.value, a.letters), (b.value, b.letters), out, sizes_of(m, [a, b]))


def contiguous(operands: Sequence[Operand], letters: Letters) -> bool:
    """Whether some operand has one of these indices last, so that its items follow each other in memory."""
    return any(x.letters and x.letters[-1] in letters for x in operands)


@contextmanager
def loops(m: Lowering, letters: Letters, axes: Sequence[str], ordered: bool = False) -> Iterator[dict[str, str]]:
    """Loops over indices, of which the innermost may take several items at once."""
    with nest(m, axes, ordered) as at:
        yield dict(zip(letters, at, strict=True))


# -- einsum --------------------------------------------------------------------------------------------------------


@handles(contractions.einsum)
def einsum(m: Lowering, let: Let, *xs: Any) -> Any:
    given, out = explicit(let.application.params["subscripts"])
    operands = [Operand(x, tuple(letters)) for x, letters in zip(xs, given, strict=True)]
    return contracted(m, operands, tuple(out), dtype_of(let.targets[0].object))


@handles(contractions.aligned)
def aligned(m: Lowering, let: Let, a: Any, b: Any) -> Any:
    """The first of two arrays, of which the axes that meet are as long."""
    for i, j in let.application.params["pairs"]:
        if a.axes[i] != b.axes[j]:
            m.same_size(a.axes[i], b.axes[j])
    return a


@handles(contractions.matched)
def matched(m: Lowering, let: Let, ct: Any, x: Any) -> Any:
    """A cotangent summed along axes of size 1 and repeated along those where it has size 1."""
    if not isinstance(x, (Arr, Lazy)) or not isinstance(ct, (Arr, Lazy)) or not x.axes:
        return ct
    gone = [i for i, (have, want) in enumerate(zip(ct.axes, x.axes, strict=True)) if want == "1" and have != "1"]
    found = m.arr(in_dtype(m, summed(m, ct, gone, gone), ct.dtype) if gone else ct)
    for have, want in zip(found.axes, x.axes, strict=True):
        if have != "1":
            m.same_size(have, want)
    found = renamed(found, x.axes)
    if found.axes == x.axes:
        return found
    return Lazy(found.dtype, x.axes, lambda at: item_of(m, found, at).text)


# -- products of two arrays ----------------------------------------------------------------------------------------


@slotted
class Indices:
    """The names of the indices of two factors and of their product."""

    a: Letters
    b: Letters
    out: Letters
    flat: bool = False


def of_matmul(n: int, k: int) -> Indices:
    if not n or not k:
        raise NotNative("a matrix product with a number")
    batch = [f"z{i}" for i in range(max(n, k, 2) - 2, 0, -1)]
    a = [*batch[len(batch) - (n - 2) :], "i", "k"] if n > 1 else ["k"]
    b = [*batch[len(batch) - (k - 2) :], "k", "j"] if k > 1 else ["k"]
    return Indices(a, b, [*batch, *["i"] * (n > 1), *["j"] * (k > 1)])


def of_dot(n: int, k: int) -> Indices:
    left, right = [f"a{i}" for i in range(n)], [f"b{i}" for i in range(k)]
    if not n or not k:
        return Indices(left, right, [*left, *right])
    left[-1] = right[-2 if k > 1 else -1] = "k"
    return Indices(left, right, [c for c in [*left, *right] if c != "k"])


def of_inner(n: int, k: int) -> Indices:
    left, right = [f"a{i}" for i in range(n)], [f"b{i}" for i in range(k)]
    if not n or not k:
        return Indices(left, right, [*left, *right])
    left[-1] = right[-1] = "k"
    return Indices(left, right, [c for c in [*left, *right] if c != "k"])


def of_outer(n: int, k: int) -> Indices:
    return Indices(["i"], ["j"], ["i", "j"], flat=True)


def of_vdot(n: int, k: int) -> Indices:
    return Indices(["k"], ["k"], [], flat=True)


Named = Callable[[int, int], Indices]
"""The names of the indices of a product of two arrays of some ranks."""


def rank(x: Any) -> int:
    return len(x.axes) if isinstance(x, (Arr, Lazy)) else 0


def multiplied(m: Lowering, let: Let, a: Any, b: Any, of: Named) -> Any:
    """A product of two arrays of any rank."""
    names = of(rank(a), rank(b))
    if names.flat:
        a, b = as_row(m, a), as_row(m, b)
    for letter in [x for x in names.a if x in names.b and x not in names.out]:  # an axis of size 1 is not stretched
        one, other = a.axes[names.a.index(letter)], b.axes[names.b.index(letter)]
        if one != other:
            m.same_size(one, other)
    return contracted(m, [Operand(a, names.a), Operand(b, names.b)], names.out, dtype_of(let.targets[0].object))


def as_row(m: Lowering, x: Any) -> Arr:
    """All items of an array, or one number, as a vector."""
    if isinstance(x, (Arr, Lazy)) and x.axes:
        return flattened(m, x)
    one = m.number(x)
    return m.arr(filled(m, DTYPES[one.type], ("1",), one))


@handles(bilinear.matmul_left, bilinear.np_matmul_left, of=of_matmul, left=True)
@handles(bilinear.matmul_right, bilinear.np_matmul_right, of=of_matmul, left=False)
@handles(bilinear.dot_left, of=of_dot, left=True)
@handles(bilinear.dot_right, of=of_dot, left=False)
@handles(bilinear.inner_left, of=of_inner, left=True)
@handles(bilinear.inner_right, of=of_inner, left=False)
@handles(bilinear.outer_left, of=of_outer, left=True)
@handles(bilinear.outer_right, of=of_outer, left=False)
@handles(bilinear.vdot_left, of=of_vdot, left=True)
@handles(bilinear.vdot_right, of=of_vdot, left=False)
def turned(m: Lowering, let: Let, ct: Any, a: Any, b: Any, of: Named, left: bool) -> Any:
    """A transpose of a product: the cotangent of one factor from that of the product and the other factor."""
    names = of(rank(a), rank(b))
    whole, other = (a, b) if left else (b, a)
    if names.flat:
        other = as_row(m, other)
    letters, others = (names.a, names.b) if left else (names.b, names.a)
    axes = (whole.axes if isinstance(whole, (Arr, Lazy)) else ())
    inside = (product(m, axes),) if names.flat else axes
    operands = [Operand(ct, names.out), Operand(other, others)]
    sizes = sizes_of(m, [Operand(m.arr(x.value), x.letters) for x in operands if x.axes])
    for letter, n in zip(letters, inside, strict=False):
        if n != "1" and sizes.get(letter, "1") not in ("1", n):
            m.same_size(n, sizes[letter])
    own = [c if n != "1" or sizes.get(c, "1") == "1" else f"{c} summed" for c, n in zip(letters, inside, strict=False)]
    if any(c not in sizes and n != "1" for c, n in zip(own, inside, strict=True)):
        raise NotNative("a transpose of a product along an index of its own")
    dtype = dtype_of(let.targets[0].object)
    found = contracted(m, operands, own, dtype)
    if not isinstance(found, Arr):
        return found if not axes else m.arr(filled(m, dtype, axes, found))
    return Arr(found.dtype, found.ptr, axes) if axes else item_of(m, found, ["0"] * len(found.axes))


# -- Kronecker products, and cross products of vectors with three entries ---------------------------------------------


def blocks(m: Lowering, a: Any, b: Any) -> tuple[Arr, Arr, list[str], list[str], list[str]]:
    """Two arrays at one rank, the names of their indices, and those of the blocks of their product."""
    if not all(isinstance(x, (Arr, Lazy)) and x.axes for x in (a, b)):
        raise NotNative("`np.kron` of numbers")
    n = max(rank(a), rank(b))
    wide = [Arr(x.dtype, m.arr(x).ptr, (*["1"] * (n - rank(x)), *x.axes)) for x in (a, b)]
    left, right = [f"a{i}" for i in range(n)], [f"b{i}" for i in range(n)]
    return wide[0], wide[1], left, right, [c for pair in zip(left, right, strict=True) for c in pair]


@handles(contractions.kron)
def kron(m: Lowering, let: Let, a: Any, b: Any) -> Arr:
    one, two, left, right, both = blocks(m, a, b)
    found = contracted(m, [Operand(one, left), Operand(two, right)], both, dtype_of(let.targets[0].object))
    axes = [m.w.mul(n, k) for n, k in zip(one.axes, two.axes, strict=True)]
    return Arr(found.dtype, found.ptr, tuple(axes))


@handles(contractions.kron_left, left=True)
@handles(contractions.kron_right, left=False)
def kron_turned(m: Lowering, let: Let, ct: Any, a: Any, b: Any, left: bool) -> Arr:
    one, two, first, second, both = blocks(m, a, b)
    given = m.arr(ct)
    for have, n, k in zip(given.axes, one.axes, two.axes, strict=True):
        m.same_size(have, m.w.mul(n, k))
    pairs = tuple([n for pair in zip(one.axes, two.axes, strict=True) for n in pair])
    ct_ = Operand(Arr(given.dtype, given.ptr, pairs), both)
    other, out, whole = (Operand(two, second), first, a) if left else (Operand(one, first), second, b)
    dtype = dtype_of(let.targets[0].object)
    return Arr(dtype, contracted(m, [ct_, other], out, dtype).ptr, whole.axes)


def crossed(m: Lowering, a: Any, b: Any, like: Any) -> Lazy:
    """The cross products of the vectors along the last axes of two arrays of the same sizes, which `like` has too."""
    w = m.w
    arrays = [x for x in (a, b, like) if isinstance(x, (Arr, Lazy)) and x.axes and x.dtype == "float64"]
    if len({rank(x) for x in arrays}) != 1 or len(arrays) < 3:
        raise NotNative("`np.cross` of these values")
    for n, *others in zip(*[x.axes for x in arrays], strict=True):
        for k in dict.fromkeys(others):
            m.same_size(n, k)
    m.same_size(a.axes[-1], "3")
    x, y = m.arr(a), m.arr(b)

    def at(ks: Sequence[str]) -> str:
        up, down = (w.binary("urem", "i64", w.add(ks[-1], str(i)), "3") for i in (1, 2))

        def product_of(i: str, j: str) -> str:
            xs = [item_of(m, v, [*ks[:-1], k]).text for v, k in ((x, i), (y, j))]
            return w.binary("fmul", "double", xs[0], xs[1])

        return w.binary("fsub", "double", product_of(up, down), product_of(down, up))

    return Lazy("float64", x.axes, at)


@handles(contractions.cross)
def cross(m: Lowering, let: Let, a: Any, b: Any) -> Lazy:
    return crossed(m, a, b, a)


@handles(contractions.cross_left)
def cross_left(m: Lowering, let: Let, ct: Any, a: Any, b: Any) -> Lazy:
    return crossed(m, b, ct, a)


@handles(contractions.cross_right)
def cross_right(m: Lowering, let: Let, ct: Any, a: Any, b: Any) -> Lazy:
    return crossed(m, ct, a, b)


# -- convolutions --------------------------------------------------------------------------------------------------


class Sliding:
    """A convolution or correlation of two vectors: how long it is, and where it begins in the full one."""

    def __init__(self, m: Lowering, mode: str, turned: bool, a: Any, b: Any) -> None:
        w = m.w
        if rank(a) != 1 or rank(b) != 1 or a.dtype != "float64" or b.dtype != "float64":
            raise NotNative("a convolution of these values")
        self.m = m
        self.a, self.b = m.arr(a), m.arr(b)
        self.turned = turned  # a correlation
        self.n, self.k = self.a.axes[0], self.b.axes[0]
        m.guard("slt", self.n, "1")
        m.guard("slt", self.k, "1")
        least = w.call("i64", "llvm.smin.i64", ("i64", self.n), ("i64", self.k))
        most = w.call("i64", "llvm.smax.i64", ("i64", self.n), ("i64", self.k))
        if mode == FULL:
            self.start, self.length = "0", w.sub(w.add(self.n, self.k), "1")
        elif mode == VALID:
            self.start = w.sub(least, "1")
            self.length = w.sub(most, self.start)
        else:
            swapped = w.cast("zext", "i1", w.compare("sgt", self.k, self.n), "i64") if self.turned else "0"
            before = w.sub(w.add(least, swapped), "1")
            self.start, self.length = w.binary("lshr", "i64", before, "1"), most

    def pairs(self, f: Callable[[str, str, str], None]) -> None:
        """Call for each pair of items of the factors and the place in the result that they meet at."""
        w = self.m.w
        with w.counted(self.n) as i, w.counted(self.k) as j:
            other = w.sub(w.sub(self.k, "1"), j) if self.turned else j
            place = w.sub(w.add(i, other), self.start)
            inside = w.compare("ult", place, self.length)
            then, on = w.block("meets"), w.block("on")
            w.fork(inside, then, on)
            w.label(then)
            f(i, j, place)
            w.jump(on)
            w.label(on)

    def total(self, count: str, f: Callable[[str, str, str], tuple[str, str, str]]) -> Arr:
        """A vector to whose items products are added: `f` gives the place and the two factors."""
        m, w = self.m, self.m.w
        out = m.alloc(w.mul(count, "8"))
        with w.each(count) as k:
            w.store("double", real(0.0), w.at_index("double", out, k))

        def meet(i: str, j: str, place: str) -> None:
            at, x, y = f(i, j, place)
            here = w.at_index("double", out, at)
            both = Num("double", w.binary("fmul", "double", x, y))
            w.store("double", plus(m, w.load("double", here), both), here)

        self.pairs(meet)
        return Arr("float64", out, (count,))


FULL = "full"
SAME = "same"
VALID = "valid"


@handles(contractions.convolve_full, mode=FULL, turned=False)
@handles(contractions.convolve_same, mode=SAME, turned=False)
@handles(contractions.convolve_valid, mode=VALID, turned=False)
@handles(contractions.correlate_full, mode=FULL, turned=True)
@handles(contractions.correlate_same, mode=SAME, turned=True)
@handles(contractions.correlate_valid, mode=VALID, turned=True)
def convolve(m: Lowering, let: Let, a: Any, b: Any, mode: str, turned: bool) -> Arr:
    s = Sliding(m, mode, turned, a, b)
    return s.total(s.length, lambda i, j, k: (
        k, load(m, "float64", s.a.ptr, i), load(m, "float64", s.b.ptr, j)))


@handles(contractions.convolve_full_left, mode=FULL, turned=False, left=True)
@handles(contractions.convolve_full_right, mode=FULL, turned=False, left=False)
@handles(contractions.convolve_same_left, mode=SAME, turned=False, left=True)
@handles(contractions.convolve_same_right, mode=SAME, turned=False, left=False)
@handles(contractions.convolve_valid_left, mode=VALID, turned=False, left=True)
@handles(contractions.convolve_valid_right, mode=VALID, turned=False, left=False)
@handles(contractions.correlate_full_left, mode=FULL, turned=True, left=True)
@handles(contractions.correlate_full_right, mode=FULL, turned=True, left=False)
@handles(contractions.correlate_same_left, mode=SAME, turned=True, left=True)
@handles(contractions.correlate_same_right, mode=SAME, turned=True, left=False)
@handles(contractions.correlate_valid_left, mode=VALID, turned=True, left=True)
@handles(contractions.correlate_valid_right, mode=VALID, turned=True, left=False)
def convolve_turned(m: Lowering, let: Let, ct: Any, a: Any, b: Any, mode: str, turned: bool, left: bool) -> Arr:
    s, given = Sliding(m, mode, turned, a, b), m.arr(ct)
    m.same_size(given.axes[0], s.length)

    def meet(i: str, j: str, k: str) -> tuple[str, str, str]:
        other = load(m, "float64", *((s.b.ptr, j) if left else (s.a.ptr, i)))
        return i if left else j, load(m, "float64", given.ptr, k), other

    return s.total(s.n if left else s.k, meet)
