"""The arena: memory of calls, as IR that every module is linked with.

A first piece is on the stack, then pieces double, up to `GROWTH`. When the call ends the pieces are kept for the next
call, which takes for each request the smallest that serves: their pages are there already. Of new large pieces the
system is told that they may have large pages, as NumPy tells it. A piece that is little but a result goes to
the array that is made of it, without a copy, and comes back when that array ends. A request beyond the limit gives
null, and the function leaves.

    ccc_open(arena, first)          begin a call, whose first piece is given
    ccc_alloc(arena, size)          memory, or null
    ccc_next(arena, size)           the same, where the next bytes of the piece mostly serve
    ccc_give(arena, at, size)       the owner of the piece that an array lies in, which leaves the arena; or null
    ccc_part(stack, first, arena)   begin an arena whose pieces are of another one
    ccc_moved(arena, at, size, low, room)
                                    memory at a place, copied if that is one of so many bytes from another one on
    ccc_release(arena)              end the call
    ccc_drop(tape), ccc_back(piece) end what a pullback holds, and what an array held

>>> sorted(functions().addresses)
['ccc_alloc', 'ccc_drop', 'ccc_give', 'ccc_moved', 'ccc_release']
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache

from ccc.compile.native import engine
from ccc.compile.native.functions import Written

LIMIT = 4 << 30
"""The bytes that one call may take; beyond, it is computed by another target."""
FIRST = 8192
KEPT = 256 << 20
"""The bytes of the pieces that are kept between calls, of all functions of a process together."""
GIVEN = 1 << 16
"""The bytes of a result from which on it is no copy, if it is about half of a piece."""
COSTLY = 1 << 20
"""The bytes of a request from which on no kept piece serves that is more than twice as large as a new one would be: a
result in it would be copied."""
GROWTH = 32 << 20
"""The bytes up to which pieces double. A larger one is made for one request, and serves none that is much smaller: else
a call whose first requests are small would take what an earlier call left for its large ones."""
HUGE = 4 << 20
"""The bytes of a new piece from which on it may have large pages."""
FIELDS = 7
"""The words of an arena."""
OF_PIECE, PIECE = 4, 2
"""The first of them, which say what is free in its last piece, and how much it has taken; and which piece that is."""
LITTLE = 64
"""Requests of fewer bytes are made whole to 16 bytes, others to a line of the cache."""
SHORT = 256
"""Requests of fewer bytes in loops and in functions that the program calls are served where they are made, and lie side
by side."""

KEPT_PIECES = ctypes.c_void_p(None)
"""Where the first of the pieces that are kept stands; each holds the next one."""

DECLARED = """declare noalias ptr @ccc_alloc(ptr, i64) nounwind
declare ptr @ccc_moved(ptr, ptr, i64, i64, i64) nounwind
declare void @ccc_release(ptr) nounwind
declare ptr @ccc_give(ptr, ptr, i64) nounwind
declare void @ccc_drop(ptr)""".splitlines()
"""What modules declare."""

# an arena: next byte, end, last piece, bytes taken, where the stack begins, pieces to take, the arena they are of
# a piece begins with the one before, and its size

BEFORE = 64
"""The bytes of a piece that are before all others."""

INLINED = " alwaysinline {"
OPENING = (
    Written("void", "ccc_open", "(ptr %arena, ptr %first)", f"""{INLINED}
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
  %o = getelementptr i64, ptr %arena, i64 6
  store ptr null, ptr %o
  ret void
}}"""),
    Written("void", "ccc_part", "(ptr %stack, ptr %first, ptr %arena)", f"""{INLINED}
  call void @ccc_open(ptr %stack, ptr %first)
  %f = getelementptr i64, ptr %arena, i64 4
  %frame = load i64, ptr %f
  %s = getelementptr i64, ptr %stack, i64 4
  store i64 %frame, ptr %s
  %o = getelementptr i64, ptr %stack, i64 6
  store ptr %arena, ptr %o
  ret void
}}""", ("ccc_open",)),
    Written("ptr", "ccc_next", "(ptr %arena, i64 %size)", f"""{INLINED}
  %little = icmp ult i64 %size, {SHORT}
  %up = add i64 %size, 15
  %whole = and i64 %up, -16
  %next = load i64, ptr %arena
  %after = add i64 %next, %whole
  %e = getelementptr i64, ptr %arena, i64 1
  %end = load i64, ptr %e
  %fits = icmp ule i64 %after, %end
  %here = and i1 %little, %fits
  br i1 %here, label %take, label %ask, !prof !9
take:
  store i64 %after, ptr %arena
  %found = inttoptr i64 %next to ptr
  ret ptr %found
ask:
  %given = call ptr @ccc_alloc(ptr %arena, i64 %size)
  ret ptr %given
}}"""),
)
"""What stands in each module, to be inlined."""

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
  %spare = getelementptr i64, ptr %arena, i64 5
  %os = getelementptr i64, ptr %arena, i64 6
  %owner = load ptr, ptr %os
  %whole.arena = icmp eq ptr %owner, null
  br i1 %whole.arena, label %begin, label %enlarge
begin:
  %begins = icmp eq i64 %taken, 0
  br i1 %begins, label %look, label %search
look:
  %kept = atomicrmw xchg ptr @ccc_kept, ptr null acq_rel
  store ptr %kept, ptr %spare
  br label %search
search:
  %place = phi ptr [ %spare, %begin ], [ %spare, %look ], [ %piece.spare, %unfit ]
  %best = phi ptr [ null, %begin ], [ null, %look ], [ %better, %unfit ]
  %piece.spare = load ptr, ptr %place
  %last.spare = icmp eq ptr %piece.spare, null
  br i1 %last.spare, label %tried, label %measure
measure:
  %ks = getelementptr i64, ptr %piece.spare, i64 1
  %size.spare = load i64, ptr %ks
  %holds = icmp uge i64 %size.spare, %least
  %far = icmp ugt i64 %size.spare, %most
  %vast = icmp ugt i64 %size.spare, {GROWTH}
  %wanted = or i1 %costly, %vast
  %wasteful = and i1 %wanted, %far
  %serves = select i1 %wasteful, i1 false, i1 %holds
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
  %sum = add i64 %taken, %piece
  %over = icmp ugt i64 %sum, {LIMIT}
  br i1 %over, label %none, label %ask
ask:
  br i1 %whole.arena, label %new, label %part
part:
  %lent = call ptr @ccc_alloc(ptr %owner, i64 %piece)
  %refused = icmp eq ptr %lent, null
  br i1 %refused, label %none, label %link
new:
  %got = call ptr @malloc(i64 %piece)
  %failed = icmp eq ptr %got, null
  br i1 %failed, label %none, label %told
told:
  call void @ccc_told(ptr %got, i64 %piece)
  br label %link
link:
  %new.piece = phi ptr [ %got, %told ], [ %again, %unlink ], [ %lent, %part ]
  %room = phi i64 [ %piece, %told ], [ %size.again, %unlink ], [ %piece, %part ]
  %total = add i64 %taken, %room
  %l = getelementptr i64, ptr %arena, i64 2
  %last = load ptr, ptr %l
  store ptr %last, ptr %new.piece
  %ns = getelementptr i64, ptr %new.piece, i64 1
  store i64 %room, ptr %ns
  store ptr %new.piece, ptr %l
  store i64 %total, ptr %t
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

declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)

define ptr @ccc_moved(ptr %arena, ptr %at, i64 %size, i64 %low, i64 %room) noinline {{
  %place = ptrtoint ptr %at to i64
  %above = sub i64 %place, %low
  %inside = icmp ult i64 %above, %room
  br i1 %inside, label %move, label %stay
move:
  %new = call ptr @ccc_alloc(ptr %arena, i64 %size)
  %none = icmp eq ptr %new, null
  br i1 %none, label %full, label %copy
copy:
  call void @llvm.memcpy.p0.p0.i64(ptr %new, ptr %at, i64 %size, i1 false)
  ret ptr %new
full:
  ret ptr null
stay:
  ret ptr %at
}}

define void @ccc_release(ptr %arena) {{
  %t = getelementptr i64, ptr %arena, i64 3
  %taken = load i64, ptr %t
  %none = icmp eq i64 %taken, 0
  br i1 %none, label %done, label %some
some:
  %l = getelementptr i64, ptr %arena, i64 2
  %sp = getelementptr i64, ptr %arena, i64 5
  %left = load ptr, ptr %sp
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
  %l = getelementptr i64, ptr %arena, i64 2
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
  %last = getelementptr i64, ptr %arena, i64 2
  store ptr %piece, ptr %last
  %taken = getelementptr i64, ptr %arena, i64 3
  store i64 1, ptr %taken
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
    names = ["ccc_alloc", "ccc_moved", "ccc_release", "ccc_give", "ccc_drop"]
    symbols = {"ccc_kept": ctypes.addressof(KEPT_PIECES)}
    told = ADVISED if sys.platform == "linux" else SILENT
    return engine.compile_ir("\n".join([told, KEEPING, GIVING]), names, symbols, effort=engine.Effort.NONE)
