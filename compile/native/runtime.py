"""What the code of a program calls in libraries: the linear algebra that NumPy brings.

>>> set(library()) <= {f"ccc_{name}" for name in LAPACK}
True
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

DECLARED = """declare ptr @llvm.frameaddress.p0(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)""".splitlines()

LAPACK = ("dgesv", "dtrtrs", "dgetrf", "dpotrf", "dsyevd", "dgesdd")
"""The routines of LAPACK that machine code calls, as `ccc_` and their name."""
NAMES = {f"ccc_{f}": f"scipy_{f}_64_" for f in LAPACK}


@cache
def brought() -> Any:
    """The library that NumPy brings; None where there is none that we know."""
    folders = [Path(np.__file__).parent.parent / "numpy.libs", Path(np.__file__).parent / ".dylibs"]
    for file in [f for folder in folders if folder.is_dir() for f in sorted(folder.glob("*openblas64*"))]:
        try:
            library = ctypes.CDLL(str(file))
        except OSError:
            continue
        if addresses(library, NAMES):
            return library
    return None


def addresses(library: Any, names: Mapping[str, str]) -> dict[str, int]:
    """Where the functions of a library are, as far as it has them."""
    given = {name: getattr(library, symbol) for name, symbol in names.items() if hasattr(library, symbol)}
    return {name: ctypes.cast(f, ctypes.c_void_p).value or 0 for name, f in given.items()}


@cache
def library() -> dict[str, int]:
    """The addresses of what is called in the library."""
    return addresses(brought(), NAMES)
