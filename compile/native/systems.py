"""Linear systems and decompositions of matrices, by the LAPACK of the library that NumPy brings: as NumPy calls it.

    solve, inv        dgesv        det, slogdet      dgetrf       cholesky      dpotrf
    of triangles      dtrtrs       eigh, eigvalsh    dsyevd       cofactors     dgesdd

A system whose matrix is a triangle of finite numbers, as a Cholesky factor, needs no factorisation: it is solved here,
or by LAPACK where it is large. LAPACK has matrices column by column, so each is copied. Where it says that a matrix is
singular, or not positive, the code leaves, and NumPy raises.

References: Anderson and others, LAPACK Users' Guide, third edition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ccc.compile.native import conversions, runtime
from ccc.compile.native.code import is_name
from ccc.compile.native.items import Axes, item_of, load, offset, store
from ccc.compile.native.layout import Arr, Lazy, NotNative, Tup
from ccc.compile.native.matrix_products import times_matrix
from ccc.compile.native.nests import product
from ccc.compile.native.table import handles
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num, real
from ccc.compile.program.lam import Let
from ccc.primitives import decompositions, matrices

SMALL = str(128 * 128)
"""Below so many numbers on the right, triangles are solved here: `dtrtrs` starts threads for two right sides of any
size, which takes longer than the work, and as long as the system likes where processors are busy."""


def routine(m: Lowering, name: str, given: Sequence[tuple[str, str]]) -> None:
    """A call of LAPACK: pointers, integers and letters, all by reference. Leaves where it reports a failure."""
    w = m.w
    if f"ccc_{name}" not in runtime.library():
        raise NotNative(f"`{name}` of LAPACK, which is not there")
    texts: list[tuple[str, str]] = []
    letters = 0
    for type_, x in given:
        if type_ == "ptr":
            texts.append(("ptr", x))
            continue
        slot = w.local(type_)
        letters += type_ == "i8"
        w.store(type_, str(ord(x)) if type_ == "i8" and not is_name(x) else x, slot)
        texts.append(("ptr", slot))
    info = w.local("i64")
    w.store("i64", "0", info)
    texts += [("ptr", info), *[("i64", "1")] * letters]  # the lengths of texts come last
    types = ", ".join(type_ for type_, _ in texts)
    m.w.declared.add(f"declare void @ccc_{name}({types})")
    w.run(f"ccc_{name}", *texts)
    w.leave(w.compare("ne", w.load("i64", info), "0"))


def least(m: Lowering, n: str) -> str:
    """A leading size, which is never 0."""
    return m.w.call("i64", "llvm.smax.i64", ("i64", n), ("i64", "1")) if is_name(n) or n == "0" else n


def square(m: Lowering, a: Any) -> str:
    """The size of a square matrix of reals; leaves where it is not square."""
    if not isinstance(a, (Arr, Lazy)) or len(a.axes) != 2 or a.dtype not in ("float64", "int64"):
        raise NotNative("a decomposition of several matrices, or of what is none")
    m.same_size(*a.axes)
    return a.axes[0]


def columns(m: Lowering, a: Any) -> str:
    """A copy of a matrix or vector in memory of its own, column by column."""
    w = m.w
    axes = a.axes
    ptr = m.alloc(w.mul(w.add(product(m, axes), "1"), "8"))
    source = a if isinstance(a, Lazy) and a.view else m.arr(a)
    if len(axes) == 1:
        with w.each(axes[0]) as i:
            store(m, item_of(m, source, [i]), "float64", ptr, i)
        return ptr
    with w.counted(axes[1]) as j, w.each(axes[0]) as i:
        store(m, item_of(m, source, [i, j]), "float64", ptr, offset(m, (axes[1], axes[0]), [j, i]))
    return ptr


def rows(m: Lowering, ptr: str, axes: Axes) -> Arr:
    """A matrix that lies column by column, row by row."""
    w = m.w
    if len(axes) == 1:
        return Arr("float64", ptr, axes)
    out = Arr("float64", m.alloc(w.mul(product(m, axes), "8")), axes)
    with w.counted(axes[0]) as i, w.each(axes[1]) as j:
        x = load(m, "float64", ptr, offset(m, (axes[1], axes[0]), [j, i]))
        store(m, Num("double", x), "float64", out.ptr, offset(m, axes, [i, j]))
    return out


# -- systems -------------------------------------------------------------------------------------------------------


def solved(m: Lowering, a: Any, b: str, n: str, count: str) -> None:
    """Write the solutions of a system over its right sides, which lie column by column."""
    pivots = m.alloc(m.w.mul(m.w.add(n, "1"), "8"))
    lead = least(m, n)
    matrix = columns(m, a)
    triangle, letter = triangular(m, matrix, n)

    def system(count: str) -> list[tuple[str, str]]:
        return [("i64", n), ("i64", count), ("ptr", matrix), ("i64", lead)]

    def substituted(b: str, count: str) -> None:
        routine(m, "dtrtrs", [("i8", letter), *[("i8", "N")] * 2, *system(count), ("ptr", b), ("i64", lead)])

    def of_triangle() -> None:
        few = m.w.compare("slt", m.w.mul(n, count), SMALL)
        upper = m.w.compared("eq", "i8", letter, str(ord("U")))
        m.w.choose(few, lambda: substitution(m, upper, matrix, b, n, count), lambda: substituted(b, count))

    m.w.choose(
        triangle, of_triangle, lambda: routine(m, "dgesv", [*system(count), ("ptr", pivots), ("ptr", b), ("i64", lead)])
    )


def substitution(m: Lowering, upper: str, matrix: str, b: str, n: str, count: str) -> None:
    """Substitute in the right sides of a triangle, column by column of it, from the last one where it is `upper`, so
    that each is read once. Leaves where it is singular."""
    w = m.w
    with w.counted(n) as k:
        w.leave(w.compared("oeq", "double", load(m, "float64", matrix, offset(m, (n, n), [k, k])), real(0.0)))
    with w.counted(n) as k:
        left = w.sub(w.sub(n, "1"), k)
        place = w.select("i64", upper, left, k)
        first = w.select("i64", upper, "0", w.add(place, "1"))
        column = w.at_index("double", matrix, w.mul(place, n))
        factors, divisor = w.at_index("double", column, first), load(m, "float64", column, place)
        with w.counted(count) as j:
            right = w.at_index("double", b, w.mul(j, n))
            x = w.binary("fdiv", "double", load(m, "float64", right, place), divisor)
            store(m, Num("double", x), "float64", right, place)
            rest = w.at_index("double", right, first)
            with w.each(left) as i:
                moved = w.binary("fmul", "double", x, load(m, "float64", factors, i))
                y = w.binary("fsub", "double", load(m, "float64", rest, i), moved)
                store(m, Num("double", y), "float64", rest, i)


def triangular(m: Lowering, matrix: str, n: str) -> tuple[str, str]:
    """Whether a matrix, column by column, is a triangle of finite numbers, and the letter of that: L or U. Of one
    without a 0 in two opposite corners no more is read than these."""
    w = m.w
    above, below, zeros = w.local("i1"), w.local("i1"), w.local("double")
    for slot in (above, below):
        w.store("i1", "true", slot)
    w.store("double", real(0.0), zeros)

    def nonzero(at: str) -> str:
        return w.compared("une", "double", load(m, "float64", matrix, at), real(0.0))

    def corners() -> None:
        last = w.sub(n, "1")
        w.store("i1", nonzero(w.mul(last, n)), above)
        w.store("i1", nonzero(last), below)

    def entries() -> None:
        with w.counted(n) as j, w.counted(n) as i:
            at = offset(m, (n, n), [j, i])
            there = nonzero(at)
            for slot, side in ((above, "slt"), (below, "sgt")):
                here = w.binary("and", "i1", there, w.compare(side, i, j))
                w.store("i1", w.binary("or", "i1", w.load("i1", slot), here), slot)
            nothing = w.binary("fmul", "double", load(m, "float64", matrix, at), real(0.0))
            w.store("double", w.binary("fadd", "double", w.load("double", zeros), nothing), zeros)

    def both() -> str:
        return w.binary("and", "i1", w.load("i1", above), w.load("i1", below))

    w.choose(w.compare("sgt", n, "1"), corners, lambda: None)
    w.choose(both(), lambda: None, entries)
    finite = w.compared("oeq", "double", w.load("double", zeros), real(0.0))
    one_sided = w.binary("xor", "i1", both(), "true")
    return w.binary("and", "i1", finite, one_sided), w.select("i8", w.load("i1", above), str(ord("U")), str(ord("L")))


@handles(matrices.solve)
def solve(m: Lowering, let: Let, a: Any, b: Any) -> Arr:
    n = square(m, a)
    if not isinstance(b, (Arr, Lazy)) or len(b.axes) not in (1, 2) or b.dtype not in ("float64", "int64"):
        raise NotNative("`np.linalg.solve` of several systems")
    m.same_size(n, b.axes[0])
    found = columns(m, b)
    solved(m, a, found, n, b.axes[1] if len(b.axes) == 2 else "1")
    return rows(m, found, (n, *b.axes[1:]))


@handles(matrices.inv)
def inv(m: Lowering, let: Let, a: Any) -> Arr:
    w, n = m.w, square(m, a)
    found = m.alloc(w.mul(w.mul(n, n), "8"))
    with w.counted(n) as j, w.each(n) as i:
        one = w.select("double", w.compare("eq", i, j), real(1.0), real(0.0))
        w.store("double", one, w.at_index("double", found, offset(m, (n, n), [j, i])))
    solved(m, a, found, n, n)
    return rows(m, found, (n, n))


@handles(decompositions.between_inverses)
def between_inverses(m: Lowering, let: Let, x: Any, a: Any) -> Arr:
    """Two systems: what solves the first one, turned over, is the right side of the second, and so is the result."""
    n = square(m, a)
    m.same_size(n, square(m, x))
    found = columns(m, x)
    solved(m, a, found, n, n)
    found = rows(m, found, (n, n)).ptr
    solved(m, a, found, n, n)
    return Arr("float64", found, (n, n))


# -- determinants --------------------------------------------------------------------------------------------------


def determinant(m: Lowering, a: Any) -> tuple[str, str]:
    """The sign of a determinant and the logarithm of its size; leaves where it is 0."""
    w, n = m.w, square(m, a)
    matrix = columns(m, a)
    pivots = m.alloc(w.mul(w.add(n, "1"), "8"))
    routine(m, "dgetrf", [("i64", n), ("i64", n), ("ptr", matrix), ("i64", least(m, n)), ("ptr", pivots)])
    sign, size = w.local("double"), w.local("double")
    w.store("double", real(1.0), sign)
    w.store("double", real(0.0), size)
    with w.counted(n) as i:
        x = load(m, "float64", matrix, offset(m, (n, n), [i, i]))
        pivot = w.load("i64", w.at_index("i64", pivots, i))
        moved = w.compare("ne", pivot, w.add(i, "1"))
        below = w.compared("olt", "double", x, real(0.0))
        turns = w.binary("xor", "i1", moved, below)
        before = w.load("double", sign)
        w.store("double", w.select("double", turns, w.negative("double", before), before), sign)
        log = conversions.call(w, "ccc_log", conversions.call(w, "llvm.fabs.f64", x))
        w.store("double", w.binary("fadd", "double", w.load("double", size), log), size)
    return w.load("double", sign), w.load("double", size)


@handles(matrices.det)
def det(m: Lowering, let: Let, a: Any) -> Num:
    sign, size = determinant(m, a)
    return Num("double", m.w.binary("fmul", "double", sign, conversions.call(m.w, "ccc_exp", size)))


@handles(decompositions.logabsdet)
def logabsdet(m: Lowering, let: Let, a: Any) -> Num:
    return Num("double", determinant(m, a)[1])


@handles(decompositions.signdet)
def signdet(m: Lowering, let: Let, a: Any) -> Num:
    return Num("double", determinant(m, a)[0])


@handles(decompositions.slogdet)
def slogdet(m: Lowering, let: Let, a: Any) -> Tup:
    return Tup(tuple([Num("double", found) for found in determinant(m, a)]))


def singular(m: Lowering, a: Any) -> tuple[Arr, str, Arr, str]:
    """The singular values of a square matrix between its vectors, and the product of the signs of these."""
    w, n = m.w, square(m, a)
    lead, whole = least(m, n), w.mul(n, n)
    size = w.mul(w.add(whole, "1"), "8")
    left, right, values = m.alloc(size), m.alloc(size), m.alloc(size)
    integers = m.alloc(w.mul(w.add(n, "1"), "64"))
    room = w.add(w.mul(w.mul(lead, w.add(w.mul(lead, "4"), "100")),
                                    "2"), "100")
    work = m.alloc(w.mul(room, "8"))
    matrix = columns(m, a)
    routine(m, "dgesdd", [
        ("i8", "A"), ("i64", n), ("i64", n), ("ptr", matrix), ("i64", lead), ("ptr", values), ("ptr", left),
        ("i64", lead), ("ptr", right), ("i64", lead), ("ptr", work), ("i64", room), ("ptr", integers)])  # fmt: skip
    u, vt = rows(m, left, (n, n)), rows(m, right, (n, n))
    return u, values, vt, w.binary("fmul", "double", turn(m, u), turn(m, vt))


@handles(matrices.cofactor)
def cofactor(m: Lowering, let: Let, a: Any) -> Arr:
    """The matrix of cofactors by singular values: finite where the matrix is singular."""
    w = m.w
    u, values, vt, sign = singular(m, a)
    n = u.axes[0]
    size = w.mul(w.add(w.mul(n, n), "1"), "8")
    scaled = Arr("float64", m.alloc(size), (n, n))
    with w.counted(n) as j:
        others = w.local("double")
        w.store("double", sign, others)
        with w.counted(n) as k:
            x = w.select("double", w.compare("eq", j, k), real(1.0), load(m, "float64", values, k))
            w.store("double", w.binary("fmul", "double", w.load("double", others), x), others)
        factor = w.load("double", others)
        with w.counted(n) as i:
            x = load(m, "float64", u.ptr, offset(m, (n, n), [i, j]))
            store(m, Num("double", w.binary("fmul", "double", x, factor)), "float64", scaled.ptr,
                  offset(m, (n, n), [i, j]))
    return times_matrix(m, scaled, vt)


@handles(matrices.cofactor_slope)
def cofactor_slope(m: Lowering, let: Let, d: Any, a: Any) -> Arr:
    """Its derivative along `d`: between the vectors, by products of all singular values but two."""
    w = m.w
    m.same_size(square(m, d), square(m, a))
    u, values, vt, sign = singular(m, a)
    n = u.axes[0]
    size = w.mul(w.add(w.mul(n, n), "1"), "8")
    within = times_matrix(m, times_matrix(m, transposed(m, u), m.arr(d)), transposed(m, vt))
    found = Arr("float64", m.alloc(size), (n, n))
    with w.counted(n) as i:
        diagonal = w.local("double")
        w.store("double", real(0.0), diagonal)
        with w.counted(n) as j:
            same = w.compare("eq", i, j)
            others = w.local("double")
            w.store("double", w.select("double", same, real(0.0), sign), others)
            with w.counted(n) as k:
                one = w.binary("or", "i1", w.compare("eq", i, k), w.compare("eq", j, k))
                x = w.select("double", one, real(1.0), load(m, "float64", values, k))
                w.store("double", w.binary("fmul", "double", w.load("double", others), x), others)
            factor = w.load("double", others)
            on = load(m, "float64", within.ptr, offset(m, (n, n), [j, j]))
            term = w.binary("fmul", "double", factor, on)
            w.store("double", w.binary("fadd", "double", w.load("double", diagonal), term), diagonal)
            beside = load(m, "float64", within.ptr, offset(m, (n, n), [j, i]))
            turned = w.negative("double", w.binary("fmul", "double", factor, beside))
            store(m, Num("double", turned), "float64", found.ptr, offset(m, (n, n), [i, j]))
        store(m, Num("double", w.load("double", diagonal)), "float64", found.ptr, offset(m, (n, n), [i, i]))
    return times_matrix(m, times_matrix(m, u, found), vt)


def transposed(m: Lowering, a: Arr) -> Arr:
    """A square matrix with its rows as columns, in memory of its own."""
    return Arr("float64", columns(m, a), a.axes)


def turn(m: Lowering, a: Arr) -> str:
    """The determinant of an orthogonal matrix: 1 or -1."""
    return determinant(m, a)[0]


# -- decompositions ------------------------------------------------------------------------------------------------


@handles(decompositions.cholesky)
def cholesky(m: Lowering, let: Let, a: Any) -> Arr:
    w, n = m.w, square(m, a)
    matrix = columns(m, a)
    upper = let.application.params.get("upper", False)
    routine(m, "dpotrf", [("i8", "U" if upper else "L"), ("i64", n), ("ptr", matrix), ("i64", least(m, n))])
    out = Arr("float64", m.alloc(w.mul(w.mul(n, n), "8")), (n, n))
    with w.counted(n) as i, w.counted(n) as j:
        x = load(m, "float64", matrix, offset(m, (n, n), [j, i]))
        x = w.select("double", w.compare("slt" if upper else "sgt", j, i), real(0.0), x)
        store(m, Num("double", x), "float64", out.ptr, offset(m, (n, n), [i, j]))
    return out


@handles(decompositions.half_lower)
def half_lower(m: Lowering, let: Let, x: Any) -> Lazy:
    """The lower triangle with half of the diagonal."""
    w, source = m.w, one_matrix(m, x)

    def at(ks: Sequence[str]) -> str:
        here = item_of(m, source, ks).text
        half = w.binary("fmul", "double", here, real(0.5))
        on = w.select("double", w.compare("eq", ks[0], ks[1]), half, here)
        return w.select("double", w.compare("sgt", ks[1], ks[0]), real(0.0), on)

    return Lazy("float64", x.axes, at, view=True)


def one_matrix(m: Lowering, x: Any) -> Arr:
    if not isinstance(x, (Arr, Lazy)) or len(x.axes) != 2 or x.dtype != "float64":
        raise NotNative("a triangle of several matrices")
    return m.arr(x)


@handles(decompositions.symmetric_from, onto=False)
@handles(decompositions.onto_triangle, onto=True)
def of_triangle(m: Lowering, let: Let, x: Any, onto: bool) -> Lazy:
    """The symmetric matrix of which one triangle is given, or `onto` that triangle what both received."""
    w, source = m.w, one_matrix(m, x)
    m.same_size(*source.axes)
    outside = "sgt" if let.application.params["of"] == "L" else "slt"

    def at(ks: Sequence[str]) -> str:
        here, there = [item_of(m, source, places).text for places in (ks, ks[::-1])]
        out = w.compare(outside, ks[1], ks[0])
        if not onto:
            return w.select("double", out, there, here)
        both = w.select("double", w.compare("eq", ks[0], ks[1]), here, w.binary("fadd", "double", here, there))
        return w.select("double", out, real(0.0), both)

    return Lazy("float64", source.axes, at)


def eigen(m: Lowering, let: Let, a: Any, vectors: bool) -> tuple[str, str, str]:
    """The eigenvalues of a symmetric matrix and its eigenvectors as columns, and how many."""
    triangle = let.application.params.get("UPLO", "L")
    w, n = m.w, square(m, a)
    lead = least(m, n)
    matrix = columns(m, a)
    values = m.alloc(w.mul(w.add(n, "1"), "8"))
    room = w.add(w.mul(lead, w.add(w.mul(lead, "2"), "70")), "1")
    integers = w.add(w.mul(lead, "5"), "3")
    work, places = m.alloc(w.mul(room, "8")), m.alloc(w.mul(integers, "8"))
    routine(m, "dsyevd", [
        ("i8", "V" if vectors else "N"), ("i8", triangle), ("i64", n), ("ptr", matrix), ("i64", lead), ("ptr", values),
        ("ptr", work), ("i64", room), ("ptr", places), ("i64", integers)])  # fmt: skip
    return values, matrix, n


@handles(decompositions.eigenvalues, vectors=True)
@handles(decompositions.eigvalsh, vectors=False)
def eigenvalues(m: Lowering, let: Let, a: Any, vectors: bool) -> Arr:
    values, _, n = eigen(m, let, a, vectors)
    return Arr("float64", values, (n,))


@handles(decompositions.eigenvectors)
def eigenvectors(m: Lowering, let: Let, a: Any) -> Arr:
    _, matrix, n = eigen(m, let, a, True)
    return rows(m, matrix, (n, n))


@handles(decompositions.eigh)
def eigh(m: Lowering, let: Let, a: Any) -> Tup:
    values, matrix, n = eigen(m, let, a, True)
    return Tup((Arr("float64", values, (n,)), rows(m, matrix, (n, n))))


@handles(decompositions.gaps)
def gaps(m: Lowering, let: Let, x: Any) -> Lazy:
    """`1 / (x_j - x_i)`, and 0 where the two are equal up to rounding."""
    if not isinstance(x, (Arr, Lazy)) or len(x.axes) != 1 or x.dtype != "float64":
        raise NotNative("gaps between eigenvalues of several matrices")
    w, source, largest = m.w, m.arr(x), m.w.local("double")
    w.store("double", real(0.0), largest)
    with w.counted(x.axes[0]) as i:
        size, before = conversions.call(w, "llvm.fabs.f64", item_of(m, source, [i]).text), w.load("double", largest)
        w.store("double", w.select("double", w.compared("ogt", "double", size, before), size, before), largest)
    eps = decompositions.APART * 2.0**-52
    margin = w.binary("fmul", "double", w.load("double", largest), real(eps))

    def at(ks: Sequence[str]) -> str:
        a, b = [item_of(m, source, [k]).text for k in ks]
        gap = w.binary("fsub", "double", b, a)
        none = w.compared("ole", "double", conversions.call(w, "llvm.fabs.f64", gap), margin)
        return w.select("double", none, real(0.0), w.binary("fdiv", "double", real(1.0), gap))

    return Lazy("float64", (x.axes[0], x.axes[0]), at, view=True)


@handles(decompositions.matrix_power)
def matrix_power(m: Lowering, let: Let, a: Any) -> Any:
    """A power: products as NumPy makes them, by halving."""
    square(m, a)
    exponent = let.application.params["n"]
    if not 1 <= exponent <= 64 or a.dtype != "float64":
        raise NotNative("`np.linalg.matrix_power` by this exponent")
    base = m.arr(a)
    if exponent == 3:
        return times_matrix(m, times_matrix(m, base, base), base)
    found: Any = None
    while exponent:
        if exponent % 2:
            found = base if found is None else times_matrix(m, found, base)
        exponent //= 2
        if exponent:
            base = times_matrix(m, base, base)
    return found
