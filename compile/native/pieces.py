"""The pieces of memory of an arena, as IR: how they are taken, given to Python and kept for the next call.

>>> sorted(functions().addresses)
['ccc_alloc', 'ccc_drop', 'ccc_give', 'ccc_moved', 'ccc_own', 'ccc_release', 'ccc_swept']
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache

from ccc.compile.native import engine, sweeping
from ccc.compile.native.arena import (
    BEFORE,
    COSTLY,
    FIELDS,
    GIVEN,
    GROWTH,
    HUGE,
    KEPT,
    KEPT_PIECES,
    LATEST,
    LIMIT,
    LITTLE,
    STAGGER,
)

KEEPING = f"""
@ccc_kept = external global ptr
declare ptr @malloc(i64)
declare void @free(ptr)

define noalias ptr @ccc_alloc(ptr %arena, i64 %size) noinline {{
  %negative = icmp slt i64 %size, 0
  br i1 %negative, label %none, label %round
round:
  %next = load i64, ptr %arena
  %e = getelementptr i64, ptr %arena, i64 1
  %end = load i64, ptr %e
  %little = icmp ult i64 %size, {LITTLE}
  %grain = select i1 %little, i64 -16, i64 -64
  %gap = select i1 %little, i64 15, i64 63
  %up = add i64 %size, %gap
  %whole = and i64 %up, %grain
  %past.next = add i64 %next, %gap
  %start = and i64 %past.next, %grain
  %after = add i64 %start, %whole
  %fits = icmp ule i64 %after, %end
  br i1 %fits, label %here, label %grow
here:
  store i64 %after, ptr %arena
  %found = inttoptr i64 %start to ptr
  ret ptr %found
grow:
  %t = getelementptr i64, ptr %arena, i64 3
  %taken = load i64, ptr %t
  %least = add i64 %whole, 192
  %more = icmp ugt i64 %least, 65536
  %enough = select i1 %more, i64 %least, i64 65536
  %grows = icmp ult i64 %taken, {GROWTH}
  %growth = select i1 %grows, i64 %taken, i64 {GROWTH}
  %doubles = icmp ugt i64 %growth, %enough
  %piece = select i1 %doubles, i64 %growth, i64 %enough
  %most = shl i64 %piece, 1
  %costly = icmp uge i64 %whole, {COSTLY}
  %os = getelementptr i64, ptr %arena, i64 6
  %owner = load ptr, ptr %os
  %new.piece = call ptr @ccc_piece(ptr %owner, i64 %least, i64 %most, i1 %costly, i64 %piece)
  %failed = icmp eq ptr %new.piece, null
  br i1 %failed, label %none, label %link
link:
  %rs = getelementptr i64, ptr %new.piece, i64 1
  %room = load i64, ptr %rs
  call void @ccc_linked(ptr %owner, ptr %new.piece, ptr %arena, i64 %room)
  %l = getelementptr i64, ptr %arena, i64 2
  store ptr %new.piece, ptr %l
  %base = ptrtoint ptr %new.piece to i64
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

define internal ptr @ccc_piece(ptr %owner, i64 %least, i64 %most, i1 %costly, i64 %new.size) {{
  %spare = getelementptr i64, ptr %owner, i64 5
  %known = load ptr, ptr %spare
  %unknown = icmp eq ptr %known, null
  br i1 %unknown, label %look, label %search
look:
  %kept = atomicrmw xchg ptr @ccc_kept, ptr null acq_rel
  store ptr %kept, ptr %spare
  br label %search
search:
  %place = phi ptr [ %spare, %0 ], [ %spare, %look ], [ %piece, %unfit ]
  %best = phi ptr [ null, %0 ], [ null, %look ], [ %better, %unfit ]
  %piece = load ptr, ptr %place
  %last = icmp eq ptr %piece, null
  br i1 %last, label %tried, label %measure
measure:
  %ks = getelementptr i64, ptr %piece, i64 1
  %size = load i64, ptr %ks
  %holds = icmp uge i64 %size, %least
  %far = icmp ugt i64 %size, %most
  %vast = icmp ugt i64 %size, {GROWTH}
  %wanted = or i1 %costly, %vast
  %wasteful = and i1 %wanted, %far
  %serves = select i1 %wasteful, i1 false, i1 %holds
  %first = icmp eq ptr %best, null
  br i1 %first, label %unfit, label %compare
compare:
  %piece.best = load ptr, ptr %best
  %bs = getelementptr i64, ptr %piece.best, i64 1
  %size.best = load i64, ptr %bs
  %smaller = icmp ult i64 %size, %size.best
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
  ret ptr %again
enlarge:
  %b = getelementptr i64, ptr %owner, i64 9
  %bytes = load i64, ptr %b
  %sum = add i64 %bytes, %new.size
  %over = icmp ugt i64 %sum, {LIMIT}
  br i1 %over, label %none, label %new
new:
  %got = call ptr @malloc(i64 %new.size)
  %failed = icmp eq ptr %got, null
  br i1 %failed, label %none, label %told
told:
  call void @ccc_told(ptr %got, i64 %new.size)
  %ns = getelementptr i64, ptr %got, i64 1
  store i64 %new.size, ptr %ns
  ret ptr %got
none:
  ret ptr null
}}

define noalias ptr @ccc_own(ptr %arena, i64 %size) noinline {{
  %small = icmp slt i64 %size, {GIVEN}
  br i1 %small, label %shares, label %alone
shares:
  %given = call ptr @ccc_alloc(ptr %arena, i64 %size)
  ret ptr %given
alone:
  %least = add i64 %size, {BEFORE + 64 + STAGGER}
  %half = lshr i64 %least, 1
  %most = add i64 %least, %half
  %os = getelementptr i64, ptr %arena, i64 6
  %owner = load ptr, ptr %os
  %piece = call ptr @ccc_piece(ptr %owner, i64 %least, i64 %most, i1 true, i64 %least)
  %failed = icmp eq ptr %piece, null
  br i1 %failed, label %none, label %link
link:
  %number = call i64 @ccc_numbered(ptr %owner, ptr %piece, ptr null)
  %base = ptrtoint ptr %piece to i64
  %turn = mul i64 %number, {3 * 64}
  %later = and i64 %turn, {STAGGER - 64}
  %past = add i64 %base, {BEFORE + 63}
  %line = and i64 %past, -64
  %at = add i64 %line, %later
  %found = inttoptr i64 %at to ptr
  ret ptr %found
none:
  ret ptr null
}}

define internal i64 @ccc_numbered(ptr %owner, ptr %piece, ptr %stack) {{
  %c = getelementptr i64, ptr %owner, i64 7
  %last = load ptr, ptr %c
  store ptr %last, ptr %piece
  store ptr %piece, ptr %c
  %n = getelementptr i64, ptr %owner, i64 8
  %before = load i64, ptr %n
  %number = add i64 %before, 1
  store i64 %number, ptr %n
  %s = getelementptr i64, ptr %piece, i64 1
  %size = load i64, ptr %s
  %b = getelementptr i64, ptr %owner, i64 9
  call void @ccc_counted(ptr %b, i64 %size)
  %ps = getelementptr i64, ptr %piece, i64 2
  store ptr %stack, ptr %ps
  %pn = getelementptr i64, ptr %piece, i64 3
  store i64 %number, ptr %pn
  %ph = getelementptr i64, ptr %piece, i64 4
  store i64 0, ptr %ph
  ret i64 %number
}}

define internal void @ccc_linked(ptr %owner, ptr %piece, ptr %stack, i64 %size) {{
  %number = call i64 @ccc_numbered(ptr %owner, ptr %piece, ptr %stack)
  %t = getelementptr i64, ptr %stack, i64 3
  call void @ccc_counted(ptr %t, i64 %size)
  %y = getelementptr i64, ptr %stack, i64 {LATEST}
  store i64 %number, ptr %y
  ret void
}}

define internal void @ccc_counted(ptr %at, i64 %more) alwaysinline {{
  %before = load i64, ptr %at
  %after = add i64 %before, %more
  store i64 %after, ptr %at
  ret void
}}

define void @ccc_release(ptr %arena) {{
  %l = getelementptr i64, ptr %arena, i64 7
  %taken = load ptr, ptr %l
  %sp = getelementptr i64, ptr %arena, i64 5
  %left = load ptr, ptr %sp
  %no.taken = icmp eq ptr %taken, null
  %no.left = icmp eq ptr %left, null
  %none = and i1 %no.taken, %no.left
  br i1 %none, label %done, label %some
some:
  %unknown = icmp eq ptr %left, null
  br i1 %unknown, label %fetch, label %join
fetch:
  %kept = atomicrmw xchg ptr @ccc_kept, ptr null acq_rel
  br label %join
join:
  %spare = phi ptr [ %left, %some ], [ %kept, %fetch ]
  br label %count
count:
  %place = phi ptr [ %l, %join ], [ %next, %within ], [ %place, %without ]
  %sum = phi i64 [ 0, %join ], [ %all, %within ], [ %sum, %without ]
  %others = phi ptr [ %spare, %join ], [ %others.left, %within ], [ %others.left, %without ]
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
"""
"""Requests, and the end of calls."""

MEMORY = "\n".join([KEEPING, sweeping.SWEEPING])
"""What arenas need of memory."""

ADVISED = f"""
declare i32 @madvise(ptr, i64, i32)

define internal void @ccc_told(ptr %piece, i64 %size) {{
  %huge = icmp uge i64 %size, {HUGE}
  br i1 %huge, label %tell, label %done
tell:
  %at = ptrtoint ptr %piece to i64
  %up = add i64 %at, 4095
  %first = and i64 %up, -4096
  %start = inttoptr i64 %first to ptr
  %before = sub i64 %first, %at
  %left = sub i64 %size, %before
  %told = call i32 @madvise(ptr %start, i64 %left, i32 14)
  br label %done
done:
  ret void
}}
"""
"""Tells Linux by `MADV_HUGEPAGE` that a new piece may have large pages: fewer are asked for."""
SILENT = """
define internal void @ccc_told(ptr %piece, i64 %size) alwaysinline {
  ret void
}
"""

GIVING = f"""
declare ptr @PyCapsule_New(ptr, ptr, ptr)
declare ptr @PyCapsule_GetPointer(ptr, ptr)
declare void @PyErr_Clear()

define ptr @ccc_give(ptr %arena, ptr %x, i64 %size) {{
  %large = icmp uge i64 %size, {GIVEN}
  %known = icmp ne ptr %arena, null
  %may = and i1 %large, %known
  br i1 %may, label %look, label %none
look:
  %l = getelementptr i64, ptr %arena, i64 7
  %start = ptrtoint ptr %x to i64
  br label %search
search:
  %place = phi ptr [ %l, %look ], [ %piece, %other ]
  %piece = load ptr, ptr %place
  %last = icmp eq ptr %piece, null
  br i1 %last, label %none, label %try
try:
  %ps = getelementptr i64, ptr %piece, i64 1
  %room = load i64, ptr %ps
  %base = ptrtoint ptr %piece to i64
  %after = sub i64 %start, %base
  %inside = icmp ult i64 %after, %room
  br i1 %inside, label %compare, label %other
other:
  br label %search
compare:
  %half = lshr i64 %room, 1
  %least = sub i64 %half, 256
  %enough = icmp uge i64 %size, %least
  br i1 %enough, label %unlink, label %none
unlink:
  %before = load ptr, ptr %piece
  store ptr %before, ptr %place
  %capsule = call ptr @PyCapsule_New(ptr %piece, ptr null, ptr @ccc_back)
  %failed = icmp eq ptr %capsule, null
  br i1 %failed, label %lost, label %given
given:
  ret ptr %capsule
lost:
  call void @PyErr_Clear()
  store ptr %piece, ptr %place
  br label %none
none:
  ret ptr null
}}

define void @ccc_drop(ptr %capsule) {{
  %arena = alloca [{FIELDS} x i64]
  %tape = call ptr @PyCapsule_GetPointer(ptr %capsule, ptr null)
  call void @llvm.memcpy.p0.p0.i64(ptr %arena, ptr %tape, i64 {8 * FIELDS}, i1 false)
  call void @ccc_release(ptr %arena)
  ret void
}}

define void @ccc_back(ptr %capsule) {{
  %arena = alloca [{FIELDS} x i64]
  %piece = call ptr @PyCapsule_GetPointer(ptr %capsule, ptr null)
  store ptr null, ptr %piece
  %last = getelementptr i64, ptr %arena, i64 7
  store ptr %piece, ptr %last
  %spare = getelementptr i64, ptr %arena, i64 5
  store ptr null, ptr %spare
  call void @ccc_release(ptr %arena)
  ret void
}}
"""
"""What capsules own: the piece that an array lies in, and the arena of a tape."""


@cache
def functions() -> engine.Loaded:
    """The addresses of the functions, which are in memory for as long as the process runs."""
    names = ["ccc_alloc", "ccc_own", "ccc_moved", "ccc_swept", "ccc_release", "ccc_give", "ccc_drop"]
    symbols = {"ccc_kept": ctypes.addressof(KEPT_PIECES)}
    told = ADVISED if sys.platform == "linux" else SILENT
    return engine.compile_ir("\n".join([told, MEMORY, GIVING]), names, symbols, effort=engine.Effort.NONE)
