"""Factors, eigenvalues and singular values of complex matrices: LAPACK finds them, and each has one slope, which is
linear in what the matrix moves by; its transpose is the rule.

With x = inv v, o for products entry by entry and ^H for conjugate transposes:

    a = q r        dq = c + q (w - m)            c = da inv r,  m = q^H c,  w = low(m) - low(m)^H + i im(diagonal of m)
    a v = v w      dv = v (m o 1/(w_j - w_i)),   dw = diagonal of m,        m = x da v
    a = u s v^H    du = u (h o 1/(s_j - s_i) + k o 1/(s_j + s_i)) + (da v - u p) / s,   ds = real diagonal of p
                   dv = v (h o 1/(s_j - s_i) - k o 1/(s_j + s_i)) + (da^H u - v p^H) / s
                   p = u^H da v,  h its Hermitian part and k the rest
    a = l u        dl = l low(m),  du = up(m) u  m = inv l da inv u

Vectors are as LAPACK gives them: the diagonal of r is real; an eigenvector has the length 1 and its largest entry real,
one of a Hermitian matrix the first entry, of its upper triangle the last; of singular vectors the first entry on the
shorter side is real, which turns both of a pair. Where that entry is 0 they count as not turning, and so do vectors of
equal values among themselves. What does not depend on the phases of vectors has the same derivative with any.

>>> from ccc.compile.api.transforms import compiled
>>> def phase(a):
...     return np.linalg.slogdet(a).sign
>>> complex(compiled(phase)(2.0j * np.eye(2)))
(-1+0j)

References: Giles, *Collected matrix derivative results for forward and reverse mode algorithmic differentiation*
(2008); Boeddeker, Hanebrink, Drude, Heymann, Haeb-Umbach, *On the computation of complex-valued gradients* (2017).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.compile.api.transforms import pullback
from ccc.compile.frontend.custom import RULES
from ccc.compile.frontend.numpy_functions.table import hosted, refuse
from ccc.primitives.adaptors_linalg import EIG, EIGH, QR, SLOGDET, SVD
from ccc.primitives.complex_functions import FUNCTIONS, as_blocks, inv, lower, pivots
from ccc.primitives.complexes import Complex, as_complex
from ccc.primitives.decompositions import APART, gaps

# -- parts -------------------------------------------------------------------------------------------------------------


def stacked(a: Any) -> Any:
    """The parts of complex numbers as one array."""
    a = as_complex(np.asarray(a))
    return np.stack([a.real, a.imag])


def whole(parts: Any) -> Complex:
    return Complex(parts[0], parts[1])


def joined(parts: Any) -> Any:
    """An array of NumPy's of complex numbers."""
    return parts[0] + 1j * parts[1]


def split(z: Any, like: Any) -> Any:
    """The parts of such an array."""
    return np.stack([z.real, z.imag]).astype(like.dtype)


def wider(parts: Any) -> Any:
    """Some array with as many axes."""
    return np.concatenate([np.concatenate([parts, parts], axis=-1), np.concatenate([parts, parts], axis=-1)], axis=-2)


def adjoint(z: Complex) -> Complex:
    return Complex(np.swapaxes(z.real, -1, -2), -np.swapaxes(z.imag, -1, -2))


def diagonal(x: Any) -> Any:
    return np.diagonal(x, axis1=-2, axis2=-1)


def back(slope: Any, a: Any, ct: Any) -> Any:
    """What the transpose of a slope makes of `ct`."""
    return pullback(slope)(np.zeros_like(a))(ct)


def turn_of(entry: Complex, moved: Complex) -> Any:
    """How far an entry that is real has to turn to stay so; not, where it is zero."""
    none = np.abs(entry.real) <= APART * np.finfo(entry.real.dtype).eps
    return np.where(none, 0.0, -moved.imag / np.where(none, 1.0, entry.real))


def along(z: Complex, turn: Any) -> Complex:
    """How columns move that turn so far."""
    return Complex(-z.imag * turn[..., None, :], z.real * turn[..., None, :])


# -- orthogonal and triangular factors ---------------------------------------------------------------------------------


def factor_of(a: Any) -> Any:
    return split(np.linalg.qr(joined(a))[0], a)


def unitary(a: Any) -> Any:
    """The unitary factor of a matrix."""
    return hosted(factor_of, wider(a), a)


def upper_factor(q: Complex, a: Complex) -> Complex:
    r = adjoint(q) @ a
    return Complex(np.triu(r.real), np.triu(r.imag, 1))


def unitary_rule(a: Any) -> Any:
    found = unitary(a)

    def slope(d: Any) -> Any:
        q, n = whole(found), np.shape(found)[-1]
        c = whole(d[..., :n]) @ inv(upper_factor(q, whole(a[..., :n])))
        m = adjoint(q) @ c
        below, one = Complex(np.tril(m.real, -1), np.tril(m.imag, -1)), np.eye(n, dtype=m.real.dtype)
        return stacked(c + q @ (below - adjoint(below) + Complex(m.real * 0.0, m.imag * one) - m))

    return found, lambda ct: (back(slope, a, ct),)


RULES[unitary] = unitary_rule


def qr(a: Any, mode: Any = "reduced") -> Any:
    if mode not in ("reduced", "r"):
        refuse("np.linalg.qr of complex numbers has a derivative for mode='reduced' and mode='r'")
    a = as_complex(np.asarray(a))
    q = whole(unitary(stacked(a)))
    r = upper_factor(q, a)
    return r if mode == "r" else QR(q, r)


# -- eigenvalues -------------------------------------------------------------------------------------------------------


def pairs_of(a: Any) -> Any:
    w, v = np.linalg.eig(joined(a))
    return split(np.concatenate([w[..., None, :], v], axis=-2), a)


def eigenpairs(a: Any) -> Any:
    """Eigenvalues in a first row, their vectors in columns below."""
    return hosted(pairs_of, wider(a), a)


def inverse_gaps(w: Complex) -> Complex:
    """`1 / (w_j - w_i)`, and 0 where the two are equal up to rounding."""
    real, imag = [x[..., None, :] - x[..., :, None] for x in (w.real, w.imag)]
    most = np.max(np.abs(w), axis=-1, keepdims=True, initial=0.0)[..., None]
    size = real * real + imag * imag
    equal = size <= (APART * np.finfo(size.dtype).eps * most) ** 2
    scale = np.where(equal, 0.0, 1.0 / np.where(equal, 1.0, size))
    return Complex(real * scale, -imag * scale)


def eigenpairs_rule(a: Any) -> Any:
    found = eigenpairs(a)

    def slope(d: Any) -> Any:
        w, v = whole(found[..., 0, :]), whole(found[..., 1:, :])
        m = inv(v) @ whole(d) @ v
        u = v @ (m * inverse_gaps(w))
        size = np.where(v.imag == 0.0, np.abs(v.real), -1.0)
        largest = np.arange(np.shape(size)[-2])[:, None] == np.argmax(size, axis=-2)[..., None, :]
        turn = turn_of(*[Complex(np.sum(np.where(largest, z.real, 0.0), axis=-2),
                                 np.sum(np.where(largest, z.imag, 0.0), axis=-2)) for z in (v, u)])
        longer = np.sum(v.real * u.real + v.imag * u.imag, axis=-2, keepdims=True)
        moved = u + along(v, turn) - v * longer
        return stacked(np.concatenate([Complex(diagonal(m.real), diagonal(m.imag))[..., None, :], moved], axis=-2))

    return found, lambda ct: (back(slope, a, ct),)


RULES[eigenpairs] = eigenpairs_rule


def eig(a: Any) -> Any:
    found = whole(eigenpairs(stacked(a)))
    return EIG(found[..., 0, :], found[..., 1:, :])


def eigvals(a: Any) -> Any:
    return eig(a)[0]


def hermitian_pairs(run: Any, a: Any, UPLO: Any) -> Any:
    """Eigenvalues in a first row, their vectors in columns below, as `run` finds them of a triangle."""
    return hosted(pairs_by, wider(a), run, a, UPLO)


def pairs_by(run: Any, a: Any, UPLO: Any) -> Any:
    w, v = run(joined(a), UPLO)
    return split(np.concatenate([w[..., None, :] + 0j, v], axis=-2), a)


def hermitian_rule(run: Any, a: Any, UPLO: Any) -> Any:
    found = hermitian_pairs(run, a, UPLO)

    def slope(d: Any) -> Any:
        w, v = found[0][..., 0, :], whole(found[..., 1:, :])
        m = adjoint(v) @ whole(d) @ v
        u = v @ (m * gaps(w))
        at = 0 if UPLO in ("L", "l") else -1
        moved = u + along(v, turn_of(v[..., at, :], u[..., at, :]))
        values = diagonal(m.real)[..., None, :]
        return np.stack([np.concatenate([values, moved.real], axis=-2),
                         np.concatenate([values * 0.0, moved.imag], axis=-2)])

    return found, lambda ct: (None, back(slope, a, ct), None)


RULES[hermitian_pairs] = hermitian_rule


def eigh_by(run: Any, a: Any, UPLO: Any) -> Any:
    """The eigenvalues, and the vectors, that `run` finds of a triangle."""
    found = hermitian_pairs(run, stacked(lower(as_complex(np.asarray(a)), UPLO)), UPLO)
    return found[0][..., 0, :], whole(found[..., 1:, :])


def eigh(a: Any, UPLO: Any = "L") -> Any:
    w, v = eigh_by(np.linalg.eigh, a, UPLO)
    return EIGH(w, v)


# -- singular values ---------------------------------------------------------------------------------------------------


def columns_of(a: Any, full: bool) -> Any:
    """Singular values in a first row, the vectors of both sides below, with zeros beside those that are fewer."""
    u, s, vh = np.linalg.svd(joined(a), full_matrices=full)
    columns = [s[..., None, :], u, np.conj(np.swapaxes(vh, -1, -2))]
    width = max([x.shape[-1] for x in columns])
    filled = [np.concatenate([x, np.zeros((*x.shape[:-1], width - x.shape[-1]))], axis=-1) for x in columns]
    return split(np.concatenate(filled, axis=-2), a)


def singular(a: Any, full: Any) -> Any:
    return hosted(columns_of, wider(a), a, full)


def sides(found: Any, a: Any, full: Any) -> Any:
    """The singular values, and the vectors on either side in columns."""
    m, n = np.shape(a)[-2:]
    k = min(m, n)
    u, v = whole(found[..., 1:1 + m, :]), whole(found[..., 1 + m:, :])
    return found[0][..., 0, :k], u[..., :(m if full else k)], v[..., :(n if full else k)]


def slopes_of_vectors(d: Complex, s: Any, u: Complex, v: Complex, first: Any) -> Any:
    """How the singular values and the vectors of both sides move, of which the left ones have a real entry first."""
    moved, other = d @ v, adjoint(d) @ u
    p = adjoint(u) @ moved
    h, k = (p + adjoint(p)) * 0.5, (p - adjoint(p)) * 0.5
    both = s[..., None, :] + s[..., :, None]
    h, k = h * gaps(s), k * np.where(both == 0.0, 0.0, 1.0 / np.where(both == 0.0, 1.0, both))
    over = np.where(s == 0.0, 0.0, 1.0 / np.where(s == 0.0, 1.0, s))[..., None, :]
    du = u @ (h + k) + (moved - u @ p) * over
    dv = v @ (h - k) + (other - v @ adjoint(p)) * over
    turn = turn_of(u[..., 0, :], du[..., 0, :]) if first else turn_of(v[..., 0, :], dv[..., 0, :])
    return diagonal(p.real), du + along(u, turn), dv + along(v, turn)


def singular_rule(a: Any, full: Any) -> Any:
    found = singular(a, full)

    def slope(d: Any) -> Any:
        m, n = np.shape(a)[-2:]
        k = min(m, n)
        s, u, v = sides(found, a, full)
        one, other = u[..., :k], v[..., :k]
        ds, du, dv = slopes_of_vectors(whole(d), s, one, other, m < n)
        if full and m > n:
            du = np.concatenate([du, -one @ (adjoint(du) @ u[..., k:])], axis=-1)
        if full and m < n:
            dv = np.concatenate([dv, -other @ (adjoint(dv) @ v[..., k:])], axis=-1)
        wide = np.shape(found)[-1]
        rows = [filled(Complex(ds[..., None, :], ds[..., None, :] * 0.0), wide), filled(du, wide), filled(dv, wide)]
        return stacked(np.concatenate(rows, axis=-2))

    return found, lambda ct: (back(slope, a, ct), None)


def filled(z: Any, wide: Any) -> Complex:
    """With zeros behind its columns."""
    more = np.zeros((*np.shape(z)[:-1], wide - np.shape(z)[-1]), z.real.dtype)
    return np.concatenate([z, Complex(more, more)], axis=-1)  # type: ignore[return-value]


RULES[singular] = singular_rule


def svd(a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False) -> Any:
    if hermitian:
        refuse("np.linalg.svd of complex numbers has a derivative for hermitian=False", "use np.linalg.eigh")
    if not compute_uv:
        return np.linalg.svdvals(a)
    full = bool(full_matrices)
    parts = stacked(a)
    s, u, v = sides(singular(parts, full), parts, full)
    return SVD(u, s, adjoint(v))


# -- by real matrices of twice the size --------------------------------------------------------------------------------


def slogdet(a: Any) -> Any:
    """The phase, and the logarithm of the size."""
    found = pivots(as_complex(np.asarray(a)))
    size = np.abs(found)
    none = size == 0.0
    return SLOGDET(np.prod(Complex(np.where(none, 0.0, found.real / np.where(none, 1.0, size)),
                                   np.where(none, 0.0, found.imag / np.where(none, 1.0, size))), axis=-1),
                   np.sum(np.log(size), axis=-1))


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    a, b = as_complex(np.asarray(a)), as_complex(np.asarray(b))
    n = np.shape(a)[1]
    x, rest, rank, s = np.linalg.lstsq(as_blocks(a), np.concatenate([b.real, b.imag], axis=0), rcond)
    return Complex(x[:n], x[n:]), rest, rank // 2, s[::2]


def matrix_rank(A: Any, tol: Any = None, hermitian: Any = False, *, rtol: Any = None) -> Any:
    s = np.linalg.svdvals(A)
    m, n = np.shape(A)[-2:]
    share = np.finfo(s.dtype).eps * max(m, n) if rtol is None else rtol
    least = np.max(s, axis=-1, keepdims=True, initial=0.0) * share if tol is None else tol
    return np.sum(s > least, axis=-1)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    if ord not in (2, -2, "nuc") or isinstance(axis, int) or (axis is None and np.ndim(x) == 1):
        return np.linalg.norm(np.abs(x), ord, axis, keepdims)
    rank = np.ndim(x)
    rows, columns = (0, 1) if axis is None else (axis[0] % rank, axis[1] % rank)
    s = np.linalg.svdvals(np.moveaxis(x, (rows, columns), (-2, -1)))
    found = np.sum(s, axis=-1) if ord == "nuc" else np.max(s, axis=-1) if ord == 2 else np.min(s, axis=-1)
    return np.expand_dims(found, (rows, columns)) if keepdims else found


def cond(x: Any, p: Any = None) -> Any:
    if p is None or p == 2:
        s = np.linalg.svdvals(x)
        return s[..., 0] / s[..., -1]
    if p == -2:
        s = np.linalg.svdvals(x)
        return s[..., -1] / s[..., 0]
    return norm(x, p, (-2, -1)) * norm(np.linalg.inv(x), p, (-2, -1))


def matrix_norm(x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> Any:
    return norm(x, ord, (-2, -1), keepdims)


def vector_norm(x: Any, /, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    return np.linalg.vector_norm(np.abs(x), axis=axis, keepdims=keepdims, ord=ord)


# -- products ----------------------------------------------------------------------------------------------------------


def of_products(function: Any) -> Any:
    """The definition of a function that is linear in either of two arrays."""

    def definition(a: Any, b: Any, *args: Any, **options: Any) -> Any:
        x, y = as_complex(np.asarray(a)), as_complex(np.asarray(b))
        return Complex(function(x.real, y.real, *args, **options) - function(x.imag, y.imag, *args, **options),
                       function(x.real, y.imag, *args, **options) + function(x.imag, y.real, *args, **options))

    return definition


def of_conjugate(function: Any) -> Any:
    """The definition of a function that is linear in the conjugate of the first of two arrays, and in the second."""

    def definition(x1: Any, x2: Any, /, **options: Any) -> Any:
        x, y = as_complex(np.asarray(x1)), as_complex(np.asarray(x2))
        return Complex(function(x.real, y.real, **options) + function(x.imag, y.imag, **options),
                       function(x.real, y.imag, **options) - function(x.imag, y.real, **options))

    return definition


def multi_dot(arrays: Any) -> Any:
    found = as_complex(np.asarray(arrays[0]))
    for i in tuple(range(1, len(arrays))):
        found = np.dot(found, as_complex(np.asarray(arrays[i])))
    return found


def product(sizes: Any) -> Any:
    total = 1
    for size in sizes:
        total = total * size
    return total


def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    z, w = as_complex(np.asarray(a)), as_complex(np.asarray(b))
    rank = z.ndim
    if axes is not None:
        axes = tuple([i % rank for i in axes])
        z = np.transpose(z, tuple([i for i in tuple(range(rank)) if i not in axes]) + axes)
    sizes = z.shape[-(rank - w.ndim):]
    return np.reshape(np.linalg.solve(np.reshape(z, (-1, product(sizes))), np.ravel(w)), sizes)


def tensorinv(a: Any, ind: Any = 2) -> Any:
    z = as_complex(np.asarray(a))
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    front, behind = z.shape[:ind], z.shape[ind:]
    return np.reshape(np.linalg.inv(np.reshape(z, (product(behind), -1))), (*behind, *front))


FUNCTIONS.update({f: of_products(f) for f in (np.cross, np.linalg.cross, np.tensordot, np.linalg.tensordot)})
FUNCTIONS.update({f: of_conjugate(f) for f in (np.vecdot, np.linalg.vecdot)})
FUNCTIONS.update({
    np.linalg.qr: qr, np.linalg.eig: eig, np.linalg.eigvals: eigvals, np.linalg.eigh: eigh, np.linalg.svd: svd,
    np.linalg.slogdet: slogdet, np.linalg.lstsq: lstsq, np.linalg.matrix_rank: matrix_rank, np.linalg.norm: norm,
    np.linalg.cond: cond, np.linalg.matrix_norm: matrix_norm, np.linalg.vector_norm: vector_norm,
    np.linalg.multi_dot: multi_dot, np.linalg.tensorsolve: tensorsolve, np.linalg.tensorinv: tensorinv,
})
