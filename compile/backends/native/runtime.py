"""What every native module needs: the arena, and the matrix product of the library that NumPy brings.

Memory comes from an arena: a first piece on the stack, then pieces that double. When the call ends the pieces are kept
for the next call, which takes for each request the smallest that serves: their pages are there already. Linux gives large pages to
large blocks, of which fewer have to be brought in. A request beyond the limit gives null, and the function leaves.

>>> "define noalias ptr @ccc_alloc" in ARENA
True
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from pathlib import Path

import numpy as np

LIMIT = 4 << 30
"""The bytes that one call may take; beyond, it is computed by another target."""
FIRST = 8192
KEPT = 256 << 20
"""The bytes of the pieces that are kept between calls, of all functions of a process together."""
FIELDS = 6
"""The words of an arena."""
HUGE = 2 << 20
"""The bytes of a large page. Pieces of two of them or more ask for such."""

KEPT_PIECES = ctypes.c_void_p(None)
"""Where the first of the pieces that are kept stands; each holds the next one."""

LARGE_PAGES = f"""
define internal void @ccc_pages(ptr %block, i64 %size) {{
  %large = icmp uge i64 %size, {2 * HUGE}
  br i1 %large, label %ask, label %done
ask:
  %base = ptrtoint ptr %block to i64
  %up = add i64 %base, 4095
  %start = and i64 %up, -4096
  %past = add i64 %base, %size
  %end = and i64 %past, -4096
  %length = sub i64 %end, %start
  %at = inttoptr i64 %start to ptr
  %ignored = call i32 @madvise(ptr %at, i64 %length, i32 14)
  br label %done
done:
  ret void
}}
"""
"""Ask Linux for large pages; whether it gives them does not matter."""
SMALL_PAGES = """
define internal void @ccc_pages(ptr %block, i64 %size) alwaysinline {
  ret void
}
"""

ARENA = f"""
; arena: next byte, end, last piece, bytes taken, where the stack begins, pieces to take; a piece holds the one before
; and its size

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
  %spare = getelementptr i64, ptr %arena, i64 5
  store ptr null, ptr %spare
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
  %spare = getelementptr i64, ptr %arena, i64 5
  %begins = icmp eq i64 %taken, 0
  br i1 %begins, label %look, label %search
look:
  %kept = atomicrmw xchg ptr @ccc_kept, ptr null acq_rel
  store ptr %kept, ptr %spare
  br label %search
search:
  %place = phi ptr [ %spare, %grow ], [ %spare, %look ], [ %piece.spare, %unfit ]
  %best = phi ptr [ null, %grow ], [ null, %look ], [ %better, %unfit ]
  %piece.spare = load ptr, ptr %place
  %last.spare = icmp eq ptr %piece.spare, null
  br i1 %last.spare, label %tried, label %measure
measure:
  %ks = getelementptr i64, ptr %piece.spare, i64 1
  %size.spare = load i64, ptr %ks
  %serves = icmp uge i64 %size.spare, %least
  %first = icmp eq ptr %best, null
  br i1 %first, label %unfit, label %compare
compare:
  %piece.best = load ptr, ptr %best
  %bs = getelementptr i64, ptr %piece.best, i64 1
  %size.best = load i64, ptr %bs
  %smaller = icmp ult i64 %size.spare, %size.best
  br label %unfit
unfit:
  %closer = phi i1 [ true, %measure ], [ %smaller, %compare ]
  %takes = and i1 %serves, %closer
  %better = select i1 %takes, ptr %place, ptr %best
  br label %search
tried:
  %lacks = icmp eq ptr %best, null
  br i1 %lacks, label %enlarge, label %unlink
unlink:
  %again = load ptr, ptr %best
  %rest = load ptr, ptr %again
  store ptr %rest, ptr %best
  %as = getelementptr i64, ptr %again, i64 1
  %size.again = load i64, ptr %as
  br label %link
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
  br i1 %failed, label %none, label %advise
advise:
  call void @ccc_pages(ptr %got, i64 %piece)
  br label %link
link:
  %new = phi ptr [ %got, %advise ], [ %again, %unlink ]
  %room = phi i64 [ %piece, %advise ], [ %size.again, %unlink ]
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
  %sp = getelementptr i64, ptr %arena, i64 5
  %spare = load ptr, ptr %sp
  br label %count
count:
  %place = phi ptr [ %l, %some ], [ %next, %within ], [ %place, %without ]
  %sum = phi i64 [ 0, %some ], [ %all, %within ], [ %sum, %without ]
  %others = phi ptr [ %spare, %some ], [ %others.left, %within ], [ %others.left, %without ]
  %own = load ptr, ptr %place
  %end = icmp eq ptr %own, null
  %next = select i1 %end, ptr %others, ptr %own
  %others.left = select i1 %end, ptr null, ptr %others
  store ptr %next, ptr %place
  %last = icmp eq ptr %next, null
  br i1 %last, label %keep, label %measure
measure:
  %ns = getelementptr i64, ptr %next, i64 1
  %size = load i64, ptr %ns
  %all = add i64 %sum, %size
  %within.limit = icmp ule i64 %all, {KEPT}
  br i1 %within.limit, label %within, label %without
within:
  br label %count
without:
  %after = load ptr, ptr %next
  call void @free(ptr %next)
  store ptr %after, ptr %place
  br label %count
keep:
  %block = load ptr, ptr %l
  %other = atomicrmw xchg ptr @ccc_kept, ptr %block acq_rel
  br label %old
old:
  %piece = phi ptr [ %other, %keep ], [ %before, %free ]
  %gone = icmp eq ptr %piece, null
  br i1 %gone, label %done, label %free
free:
  %before = load ptr, ptr %piece
  call void @free(ptr %piece)
  br label %old
done:
  ret void
}}
""" + (LARGE_PAGES if sys.platform == "linux" else SMALL_PAGES)

DECLARED = """declare ptr @malloc(i64)
declare void @free(ptr)
declare i32 @madvise(ptr, i64, i32)
declare ptr @llvm.frameaddress.p0(i32)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @ccc_dgemm(i32, i32, i32, i64, i64, i64, double, ptr, i64, ptr, i64, double, ptr, i64)""".splitlines()


LAPACK = ("dgesv", "dgetrf", "dpotrf", "dsyevd", "dgesdd")
"""The routines of LAPACK that machine code calls, as `ccc_` and their name."""


@cache
def symbols() -> dict[str, int]:
    """The addresses that modules are linked with."""
    return {"ccc_kept": ctypes.addressof(KEPT_PIECES), **library()}


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
