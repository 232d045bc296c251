"""What every native module needs: the arena, and the matrix product of the library that NumPy brings.

Memory comes from an arena: a first piece on the stack, then pieces that double. When the call ends they are freed, and
one block as large as all of them is kept for the next call, whose pages are there already. A request beyond the limit
gives null, and the function leaves.

>>> "define noalias ptr @ccc_alloc" in ARENA
True
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import numpy as np

LIMIT = 4 << 30
"""The bytes that one call may take; beyond, it is computed by another target."""
FIRST = 8192
KEPT = 256 << 20
"""The largest block, in bytes, that is kept between calls; there is one for all functions of a process."""

KEPT_BLOCK = ctypes.c_void_p(None)
"""Where the block that is kept stands."""

ARENA = f"""
; arena: next byte, end, last piece, bytes taken, where the stack begins; a piece holds the one before and its size

@ccc_kept = external global ptr

define internal void @ccc_open(ptr %arena, ptr %first) alwaysinline {{
  %start = ptrtoint ptr %first to i64
  %end = add i64 %start, {FIRST}
  store i64 %start, ptr %arena
  %e = getelementptr i64, ptr %arena, i64 1
  store i64 %end, ptr %e
  %l = getelementptr i64, ptr %arena, i64 2
  store ptr null, ptr %l
  %t = getelementptr i64, ptr %arena, i64 3
  store i64 0, ptr %t
  %s = getelementptr i64, ptr %arena, i64 4
  %frame = call ptr @llvm.frameaddress.p0(i32 0)
  %stack = ptrtoint ptr %frame to i64
  store i64 %stack, ptr %s
  ret void
}}

define noalias ptr @ccc_alloc(ptr %arena, i64 %size) noinline {{
  %negative = icmp slt i64 %size, 0
  br i1 %negative, label %none, label %round
round:
  %up = add i64 %size, 63
  %whole = and i64 %up, -64
  %next = load i64, ptr %arena
  %e = getelementptr i64, ptr %arena, i64 1
  %end = load i64, ptr %e
  %after = add i64 %next, %whole
  %fits = icmp ule i64 %after, %end
  br i1 %fits, label %here, label %grow
here:
  store i64 %after, ptr %arena
  %found = inttoptr i64 %next to ptr
  ret ptr %found
grow:
  %t = getelementptr i64, ptr %arena, i64 3
  %taken = load i64, ptr %t
  %least = add i64 %whole, 192
  %begins = icmp eq i64 %taken, 0
  br i1 %begins, label %look, label %enlarge
look:
  %kept = atomicrmw xchg ptr @ccc_kept, ptr null acq_rel
  %nothing = icmp eq ptr %kept, null
  br i1 %nothing, label %enlarge, label %measure
measure:
  %ks = getelementptr i64, ptr %kept, i64 1
  %size.kept = load i64, ptr %ks
  %serves = icmp uge i64 %size.kept, %least
  br i1 %serves, label %link, label %drop
drop:
  call void @free(ptr %kept)
  br label %enlarge
enlarge:
  %more = icmp ugt i64 %least, 65536
  %enough = select i1 %more, i64 %least, i64 65536
  %doubles = icmp ugt i64 %taken, %enough
  %piece = select i1 %doubles, i64 %taken, i64 %enough
  %sum = add i64 %taken, %piece
  %over = icmp ugt i64 %sum, {LIMIT}
  br i1 %over, label %none, label %ask
ask:
  %got = call ptr @malloc(i64 %piece)
  %failed = icmp eq ptr %got, null
  br i1 %failed, label %none, label %link
link:
  %new = phi ptr [ %got, %ask ], [ %kept, %measure ]
  %room = phi i64 [ %piece, %ask ], [ %size.kept, %measure ]
  %total = add i64 %taken, %room
  %l = getelementptr i64, ptr %arena, i64 2
  %last = load ptr, ptr %l
  store ptr %last, ptr %new
  %ns = getelementptr i64, ptr %new, i64 1
  store i64 %room, ptr %ns
  store ptr %new, ptr %l
  store i64 %total, ptr %t
  %base = ptrtoint ptr %new to i64
  %past = add i64 %base, 127
  %aligned = and i64 %past, -64
  %used = add i64 %aligned, %whole
  store i64 %used, ptr %arena
  %stop = add i64 %base, %room
  store i64 %stop, ptr %e
  %given = inttoptr i64 %aligned to ptr
  ret ptr %given
none:
  ret ptr null
}}

define internal void @ccc_release(ptr %arena) {{
  %t = getelementptr i64, ptr %arena, i64 3
  %taken = load i64, ptr %t
  %none = icmp eq i64 %taken, 0
  br i1 %none, label %done, label %some
some:
  %l = getelementptr i64, ptr %arena, i64 2
  %first = load ptr, ptr %l
  %second = load ptr, ptr %first
  %one = icmp eq ptr %second, null
  %large = icmp ugt i64 %taken, {KEPT}
  %free = xor i1 %one, true
  %frees = or i1 %free, %large
  br i1 %frees, label %head, label %keep
head:
  %piece = phi ptr [ %first, %some ], [ %before, %body ]
  %end = icmp eq ptr %piece, null
  br i1 %end, label %freed, label %body
body:
  %before = load ptr, ptr %piece
  call void @free(ptr %piece)
  br label %head
freed:
  br i1 %large, label %done, label %again
again:
  %got = call ptr @malloc(i64 %taken)
  %failed = icmp eq ptr %got, null
  br i1 %failed, label %done, label %sized
sized:
  %gs = getelementptr i64, ptr %got, i64 1
  store i64 %taken, ptr %gs
  br label %keep
keep:
  %block = phi ptr [ %first, %some ], [ %got, %sized ]
  %other = atomicrmw xchg ptr @ccc_kept, ptr %block acq_rel
  call void @free(ptr %other)
  br label %done
done:
  ret void
}}
"""

DECLARED = """declare ptr @malloc(i64)
declare void @free(ptr)
declare ptr @llvm.frameaddress.p0(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @ccc_dgemm(i32, i32, i32, i64, i64, i64, double, ptr, i64, ptr, i64, double, ptr, i64)""".splitlines()


LAPACK = ("dgesv", "dgetrf", "dpotrf", "dsyevd", "dgesdd")
"""The routines of LAPACK that machine code calls, as `ccc_` and their name."""


@cache
def symbols() -> dict[str, int]:
    """The addresses that modules are linked with."""
    return {"ccc_kept": ctypes.addressof(KEPT_BLOCK), **library()}


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
