"""QR factors of a matrix that changes, and functions of a matrix by its eigenvectors.

    q r  ->  factors of the matrix with rows or columns put in or left out, or with u v^T added
    f(a) = v f(w) v^-1

The factors are those of `np.linalg.qr` with the signs that SciPy's have.

>>> [part.round(12) + 0.0 for part in qr_update(np.eye(1), np.eye(1), np.ones(1), np.ones(1))]
[array([[1.]]), array([[2.]])]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from ccc.compile.frontend.numpy_functions.table import constant, definition_of, refuse

linalg: Any = scipy.linalg
VECTOR = np.zeros(2)


# -- factors -----------------------------------------------------------------------------------------------------------


def diagonal_by(run: Any, *given: Any) -> Any:
    """The signs of the diagonal of the triangular factor that SciPy finds."""
    return np.where(np.diag(run(*given)[1]) < 0.0, -1.0, 1.0)


def with_signs(a: Any, signs: Any) -> Any:
    q, r = np.linalg.qr(a)
    turned = signs * np.where(np.diagonal(r) < 0.0, -1.0, 1.0)
    return q * turned, r * turned[:, None]


def square(name: Any, Q: Any, R: Any) -> Any:
    """The matrix of the factors, which stay as they are where a square factor has no further columns."""
    if np.ndim(Q) != 2 or np.iscomplexobj(Q) or np.iscomplexobj(R):
        refuse(f"scipy.linalg.{name} has a derivative for one real matrix")
    return np.dot(np.asarray(Q) * 1.0, np.asarray(R) * 1.0)


def refuse_further(name: Any, rows: Any, columns: Any, whole: Any) -> None:
    """Columns beyond those of the matrix may be any."""
    if whole and rows > columns:
        raise ValueError(f"scipy.linalg.{name} has a derivative for factors of mode='economic', or of as many columns "
                         "as rows")


@definition_of(linalg.qr_update)
def qr_update(Q: Any, R: Any, u: Any, v: Any, overwrite_qruv: Any = False, check_finite: Any = True) -> Any:
    a = square("qr_update", Q, R)
    u, v = np.asarray(u) * 1.0, np.asarray(v) * 1.0
    refuse_further("qr_update", np.shape(a)[0], np.shape(a)[1], np.shape(Q)[0] == np.shape(Q)[1])
    added = np.outer(u, v) if np.ndim(u) == 1 else np.dot(u, np.transpose(v))
    return with_signs(a + added, constant(diagonal_by, VECTOR, linalg.qr_update, Q, R, u, v))


def placed(a: Any, u: Any, k: Any, which: Any) -> Any:
    """A matrix with rows, or columns, put in."""
    if which == "row":
        rows = u[None] if np.ndim(u) == 1 else u
        return np.concatenate([a[:k], rows, a[k:]], axis=0)
    columns = u[:, None] if np.ndim(u) == 1 else u
    return np.concatenate([a[:, :k], columns, a[:, k:]], axis=1)


@definition_of(linalg.qr_insert)
def qr_insert(Q: Any, R: Any, u: Any, k: Any, which: Any = "row", rcond: Any = None, overwrite_qru: Any = False,
              check_finite: Any = True) -> Any:
    a, u = square("qr_insert", Q, R), np.asarray(u) * 1.0
    if which not in ("row", "col") or rcond is not None:
        refuse("scipy.linalg.qr_insert has a derivative for which='row' and 'col', and rcond=None")
    found = placed(a, u, k, which)
    refuse_further("qr_insert", np.shape(found)[0], np.shape(found)[1], np.shape(Q)[0] == np.shape(Q)[1])
    return with_signs(found, constant(diagonal_by, VECTOR, linalg.qr_insert, Q, R, u, k, which))


@definition_of(linalg.qr_delete)
def qr_delete(Q: Any, R: Any, k: Any, p: Any = 1, which: Any = "row", overwrite_qr: Any = False,
              check_finite: Any = True) -> Any:
    a = square("qr_delete", Q, R)
    if which not in ("row", "col"):
        refuse("scipy.linalg.qr_delete has a derivative for which='row' and 'col'")
    found = np.delete(a, np.arange(k, k + p), axis=0 if which == "row" else 1)
    refuse_further("qr_delete", np.shape(found)[0], np.shape(found)[1], np.shape(Q)[0] == np.shape(Q)[1])
    return with_signs(found, constant(diagonal_by, VECTOR, linalg.qr_delete, Q, R, k, p, which))


# -- functions of matrices ---------------------------------------------------------------------------------------------


@definition_of(linalg.funm)
def funm(A: Any, func: Any, disp: Any = True) -> Any:
    a = np.asarray(A) * 1.0
    if np.ndim(a) != 2 or not disp:
        refuse("scipy.linalg.funm has a derivative for one matrix, and disp=True")
    w, v = np.linalg.eig(a + 0j)
    back = np.linalg.inv(v)
    if np.linalg.norm(v) * np.linalg.norm(back) > 1e7:
        raise ValueError("scipy.linalg.funm has a derivative for a matrix whose eigenvectors are a basis")
    found: Any = np.dot(v * func(w), back)
    if np.iscomplexobj(A):
        return found
    if np.max(np.abs(np.imag(found))) > 1e-8 * np.max(np.abs(np.real(found))):
        raise ValueError("scipy.linalg.funm has a derivative for a function that is real of a real matrix: give it as "
                         "complex numbers")
    return np.real(found)
