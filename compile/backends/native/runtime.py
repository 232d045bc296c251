"""What the code of a program calls in libraries: the linear algebra that NumPy brings.

A product of middling size is computed by one thread of the library. It would take several, which wait for each other
without sleeping: where a processor has other work too, that can take a hundred times as long as the product. Our own
threads take the rows of the result in parts, if there are enough; which parts there are follows from the sizes alone.

>>> set(library()) <= {"ccc_dgemm", *[f"ccc_{name}" for name in LAPACK]}
True
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from compile.backends.native import engine, threads

DECLARED = """declare ptr @llvm.frameaddress.p0(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @ccc_dgemm(i32, i32, i32, i64, i64, i64, double, ptr, i64, ptr, i64, double, ptr, i64)""".splitlines()


LAPACK = ("dgesv", "dgetrf", "dpotrf", "dsyevd", "dgesdd")
"""The routines of LAPACK that machine code calls, as `ccc_` and their name."""
NAMES = {"ccc_dgemm": "scipy_cblas_dgemm64_", **{f"ccc_{f}": f"scipy_{f}_64_" for f in LAPACK}}
COUNTING = {"threads": "scipy_openblas_get_num_threads64_", "set_threads": "scipy_openblas_set_num_threads64_"}
"""What says how many threads the library takes, and sets it."""
MIDDLING = 30_000_000
"""So many products of numbers are too many for one thread."""
SHARED = 8_000_000
"""From so many products on the rows of the result are computed in parts, which `threads` take: less takes about as long
as to wake another processor."""
TURNED = 112
"""What says that the first matrix is given as its transpose."""
GIVEN = (
    "i32 %order, i32 %first, i32 %second, i64 %m, i64 %n, i64 %k, double %alpha, ptr %a, i64 %lda, ptr %b, i64 %ldb, "
    "double %beta, ptr %c, i64 %ldc"
)
FIELDS = [(type_, name) for type_, name in map(str.split, GIVEN.split(", ")) if name != "%m"]
STORED = "\n".join(
    f"  %at{i} = getelementptr i64, ptr %context, i64 {i}\n  store {type_} {name}, ptr %at{i}"
    for i, (type_, name) in enumerate(FIELDS))  # fmt: skip
LOADED = "\n".join(
    f"  %at{i} = getelementptr i64, ptr %context, i64 {i}\n  {name} = load {type_}, ptr %at{i}"
    for i, (type_, name) in enumerate(FIELDS))  # fmt: skip
PRODUCT = f"""
declare void @library(i32, i32, i32, i64, i64, i64, double, ptr, i64, ptr, i64, double, ptr, i64)
declare i32 @threads()
declare void @set_threads(i32)

declare i64 @ccc_share(ptr, ptr, ptr, i64, i64, i64)

define void @ccc_dgemm({GIVEN}) {{
  %items = mul i64 %m, %n
  %products = mul i64 %items, %k
  %middling = icmp ult i64 %products, {MIDDLING}
  br i1 %middling, label %look, label %compute
look:
  %threads = call i32 @threads()
  %several = icmp sgt i32 %threads, 1
  br i1 %several, label %quiet, label %begin
quiet:
  call void @set_threads(i32 1)
  br label %begin
begin:
  %row = mul i64 %n, %k
  %shared = icmp uge i64 %products, {SHARED}
  br i1 %shared, label %share, label %alone
share:
  %context = alloca [{len(FIELDS)} x i64]
{STORED}
  %least = udiv i64 {SHARED // threads.FEW}, %row
  %parts = call i64 @ccc_share(ptr @part, ptr %context, ptr null, i64 0, i64 %m, i64 %least)
  br label %end
alone:
  call void @library({GIVEN})
  br label %end
end:
  br i1 %several, label %restore, label %done
restore:
  call void @set_threads(i32 %threads)
  ret void
compute:
  call void @library({GIVEN})
  ret void
done:
  ret void
}}

define internal void @part(ptr %context, i64 %start, i64 %stop, ptr %cell) {{
{LOADED}
  %rows = sub i64 %stop, %start
  %turned = icmp eq i32 %first, {TURNED}
  %apart = select i1 %turned, i64 1, i64 %lda
  %a.moved = mul i64 %start, %apart
  %a.here = getelementptr double, ptr %a, i64 %a.moved
  %c.moved = mul i64 %start, %ldc
  %c.here = getelementptr double, ptr %c, i64 %c.moved
  call void @library(i32 %order, i32 %first, i32 %second, i64 %rows, i64 %n, i64 %k, double %alpha, ptr %a.here,
                     i64 %lda, ptr %b, i64 %ldb, double %beta, ptr %c.here, i64 %ldc)
  ret void
}}
"""
"""Who finds one thread leaves it at that: so the number that stays is never one that somebody else set for a while."""


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


def dgemm() -> int:
    """The address of the matrix product of that library, or 0."""
    return library().get("ccc_dgemm", 0)


@cache
def products() -> dict[str, int]:
    """The address of the matrix product that programs call, where it is not the library's own."""
    symbols = {"library": dgemm(), **addresses(brought(), COUNTING)}
    if len(symbols) < 3 or not all(symbols.values()):
        return {}
    HELD.append(limited(symbols))
    return HELD[-1].addresses


HELD: list[engine.Loaded] = []
"""Code that is in memory for as long as the process runs."""


def limited(symbols: Mapping[str, int]) -> engine.Loaded:
    """The matrix product of a library, which computes one of middling size, or each part of it, by one thread."""
    return engine.compile_ir(f"{engine.SELDOM}\n{PRODUCT}", ["ccc_dgemm"], {**threads.functions().addresses, **symbols})
