"""The arena: memory of calls, as IR that every module is linked with.

A first piece is on the stack, then pieces double, up to `GROWTH`. When the call ends the pieces are kept for the next
call, which takes for each request the smallest that serves: their pages are there already. Of new large pieces the
system is told that they may have large pages, as NumPy tells it. A piece that is little but a result goes to
the array that is made of it, without a copy, and comes back when that array ends. A request beyond the limit gives
null, and the function leaves.

    ccc_open(arena, first)          begin a call, whose first piece is given
    ccc_alloc(arena, size)          memory, or null
    ccc_next(arena, size)           the same, where the next bytes of the piece mostly serve
    ccc_own(arena, size)            memory of what a program gives: where it is large, a piece of its own
    ccc_give(arena, at, size)       the owner of the piece that an array lies in, which leaves the arena; or null
    ccc_release(arena)              end the call
    ccc_drop(tape), ccc_back(piece) end what a pullback holds, and what an array held

A call has one arena, and may have *stacks* in it, which are cut back while it goes on: each takes pieces of its own,
and ends with the call. The arena is one of them. A piece knows its stack, and when it was taken; the last is first.

    ccc_part(stack, first, arena)   begin a stack
    ccc_moved(to, at, size, low, room, stack, piece, since, until)
                                    memory at a place: copied, if that is one of so many bytes from another one on, in
                                    a piece, or in the pieces that a stack has taken since, until; or where it is, if
                                    it is a large part of its piece, which is held then
    ccc_swept(stack, to, since, until, fill)
                                    let others take the pieces of a stack that are not held; those held go `to` another
    ccc_cut(stack, mark, piece, since, fill)
                                    cut a stack back to a mark in a piece, where nothing is held
    ccc_before(piece, since)        the number of the pieces before one, which is let go of
    ccc_bare(stack, piece)          whether a stack is in a piece still, and that is not held
"""

from __future__ import annotations

import ctypes

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
STAGGER = 4096
"""Pieces of their own begin at different lines of so many bytes: where one is written, items at the same places of
another one are not to be taken for what was just stored."""
GROWTH = 32 << 20
"""The bytes up to which pieces double. A larger one is made for one request, and serves none that is much smaller: else
a call whose first requests are small would take what an earlier call left for its large ones."""
HUGE = 4 << 20
"""The bytes of a new piece from which on it may have large pages."""
FIELDS = 12
"""The words of an arena."""
PIECE, TAKEN, BASE, LATEST, TEXTS = 2, 3, 4, 10, 11
"""Those of them which say in which piece the next byte lies, how many bytes its pieces have, where the stack of the
processor was when the call began, and the number of the piece taken last: those taken later have higher numbers; and
the dict of the texts of the call, once it was asked for."""
LARGE = 4
"""What is as large as one in so many parts of its piece stays where it is, and the piece with it."""
LITTLE = 64
"""Requests of fewer bytes are made whole to 16 bytes, others to a line of the cache."""
SHORT = 256
"""Requests of fewer bytes in loops and in functions that the program calls are served where they are made, and lie side
by side."""

KEPT_PIECES = ctypes.c_void_p(None)
"""Where the first of the pieces that are kept stands; each holds the next one."""

DECLARED = """declare noalias ptr @ccc_alloc(ptr, i64) nounwind
declare noalias ptr @ccc_own(ptr, i64) nounwind
declare ptr @ccc_moved(ptr, ptr, i64, i64, i64, ptr, ptr, i64, i64) nounwind
declare void @ccc_swept(ptr, ptr, i64, i64, i64) nounwind
declare void @ccc_release(ptr) nounwind
declare ptr @ccc_give(ptr, ptr, i64) nounwind
declare void @ccc_drop(ptr)""".splitlines()
"""What modules declare."""

# a stack: next byte, end, the piece they are in, bytes taken, where the frames begin, pieces to take, the arena; and in
# an arena: the piece that was taken last, how many were, their bytes; and of a stack, the number of its latest one
# a piece: the one before, its size, its stack, its number, whether it is held

BEFORE = 64
"""The bytes of a piece that are before all others."""
ALL = 1 << 62
"""More than the number of any piece."""

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
  store ptr %arena, ptr %o
  %c = getelementptr i64, ptr %arena, i64 7
  store ptr null, ptr %c
  %n = getelementptr i64, ptr %arena, i64 8
  store i64 0, ptr %n
  %b = getelementptr i64, ptr %arena, i64 9
  store i64 0, ptr %b
  %y = getelementptr i64, ptr %arena, i64 {LATEST}
  store i64 0, ptr %y
  %x = getelementptr i64, ptr %arena, i64 {TEXTS}
  store ptr null, ptr %x
  ret void
}}"""),
    Written("void", "ccc_part", "(ptr %stack, ptr %first, ptr %arena)", f"""{INLINED}
  call void @ccc_open(ptr %stack, ptr %first)
  %f = getelementptr i64, ptr %arena, i64 4
  %frame = load i64, ptr %f
  %s = getelementptr i64, ptr %stack, i64 4
  store i64 %frame, ptr %s
  %of = getelementptr i64, ptr %arena, i64 6
  %owner = load ptr, ptr %of
  %o = getelementptr i64, ptr %stack, i64 6
  store ptr %owner, ptr %o
  ret void
}}""", ("ccc_open",)),
    Written("void", "ccc_cut", "(ptr %stack, i64 %mark, ptr %piece, i64 %since, i64 %fill)", f"""{INLINED}
  %p = getelementptr i64, ptr %stack, i64 {PIECE}
  %last = load ptr, ptr %p
  %same = icmp eq ptr %last, %piece
  br i1 %same, label %back, label %sweep, !prof !9
back:
  store i64 %mark, ptr %stack
  ret void
sweep:
  call void @ccc_swept(ptr %stack, ptr %stack, i64 %since, i64 {ALL}, i64 %fill)
  %base = ptrtoint ptr %last to i64
  %start = add i64 %base, {BEFORE}
  store i64 %start, ptr %stack
  ret void
}}"""),
    Written("i64", "ccc_before", "(ptr %piece, i64 %since)", f"""{INLINED}
  %frame = icmp eq ptr %piece, null
  br i1 %frame, label %none, label %ask
none:
  ret i64 %since
ask:
  %h = getelementptr i64, ptr %piece, i64 4
  store i64 0, ptr %h
  %n = getelementptr i64, ptr %piece, i64 3
  %number = load i64, ptr %n
  %before = sub i64 %number, 1
  ret i64 %before
}}"""),
    Written("i1", "ccc_bare", "(ptr %stack, ptr %piece)", f"""{INLINED}
  %p = getelementptr i64, ptr %stack, i64 {PIECE}
  %last = load ptr, ptr %p
  %same = icmp eq ptr %last, %piece
  br i1 %same, label %look, label %no
look:
  %frame = icmp eq ptr %piece, null
  br i1 %frame, label %yes, label %ask
ask:
  %h = getelementptr i64, ptr %piece, i64 4
  %held = load i64, ptr %h
  %free = icmp eq i64 %held, 0
  ret i1 %free
yes:
  ret i1 true
no:
  ret i1 false
}}"""),
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
