"""What the code of a program calls in libraries: the linear algebra that NumPy brings, and its Fourier transforms.

>>> set(library()) <= {f"ccc_{name}" for name in LAPACK}
True
"""

from __future__ import annotations

import ctypes
import importlib
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
TRANSFORMS = ("fft", "ifft", "rfft_n_even", "rfft_n_odd", "irfft")
"""The ufuncs whose loops machine code calls, as `ccc_`, their name and the dtype of their reals."""
EMPTY = ctypes.c_int64(0)
"""What a loop is given that is given nothing."""
DTYPES = {"float64": "d", "float32": "f"}
COUNTS, LOOPS, DATA = (16, 20, 24, 48), 32, 40
"""Where a ufunc has how many arguments and loops it has, these loops, and what each of them is given."""


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


def counts(ufunc: np.ufunc) -> tuple[int, ...]:
    """How many arguments and loops a ufunc has, as it lies in memory."""
    return tuple([ctypes.c_int.from_address(id(ufunc) + at).value for at in COUNTS])


@cache
def transforms() -> dict[str, int]:
    """The addresses of the loops of NumPy's Fourier transforms, and of what each is given; none where they are not
    found."""
    try:
        module = importlib.import_module("numpy.fft._pocketfft_umath")
    except ImportError:
        return {}
    found = {}
    for name in TRANSFORMS:
        ufunc = getattr(module, name, None)
        if not isinstance(ufunc, np.ufunc) or counts(ufunc) != (ufunc.nin, ufunc.nout, ufunc.nargs, ufunc.ntypes):
            return {}
        loops, data = [ctypes.c_void_p.from_address(id(ufunc) + at).value or 0 for at in (LOOPS, DATA)]
        for dtype, letter in DTYPES.items():
            i = next((i for i, types in enumerate(ufunc.types) if types[1] == letter), None)
            if i is None or not loops:
                return {}
            symbol = f"ccc_{name}_{dtype}"
            found[symbol] = ctypes.c_void_p.from_address(loops + 8 * i).value or 0
            given = ctypes.c_void_p.from_address(data + 8 * i).value if data else None
            found[f"{symbol}_data"] = given or ctypes.addressof(EMPTY)
    return found
