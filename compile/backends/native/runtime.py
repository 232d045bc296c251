"""What the code of a program calls in libraries: the linear algebra that NumPy brings.

>>> set(library()) <= {"ccc_dgemm", *[f"ccc_{name}" for name in LAPACK]}
True
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import numpy as np

DECLARED = """declare ptr @llvm.frameaddress.p0(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @ccc_dgemm(i32, i32, i32, i64, i64, i64, double, ptr, i64, ptr, i64, double, ptr, i64)""".splitlines()


LAPACK = ("dgesv", "dgetrf", "dpotrf", "dsyevd", "dgesdd")
"""The routines of LAPACK that machine code calls, as `ccc_` and their name."""


@cache
def library() -> dict[str, int]:
    """The addresses of what is called in the library that NumPy brings; nothing where there is none that we know."""
    folders = [Path(np.__file__).parent.parent / "numpy.libs", Path(np.__file__).parent / ".dylibs"]
    for file in [f for folder in folders if folder.is_dir() for f in sorted(folder.glob("*openblas64*"))]:
        try:
            found = ctypes.CDLL(str(file))
        except OSError:
            continue
        names = {"ccc_dgemm": "scipy_cblas_dgemm64_", **{f"ccc_{f}": f"scipy_{f}_64_" for f in LAPACK}}
        given = {name: ctypes.cast(getattr(found, symbol), ctypes.c_void_p).value
                 for name, symbol in names.items() if hasattr(found, symbol)}
        if any(given.values()):
            return {name: address for name, address in given.items() if address}
    return {}


def dgemm() -> int:
    """The address of the matrix product of that library, or 0."""
    return library().get("ccc_dgemm", 0)
