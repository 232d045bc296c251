"""The pieces of memory of a stack, as IR: which of them are held when it is cut back, and others given back.

Nothing is copied that is a large part of its piece: the piece is held where it is, as garbage collectors do with large
objects, and the rest of it waits. All else that is of use is copied, so that its pieces are free.

Reference: Ungar and Jackson, Tenuring policies for generation-based storage reclamation, OOPSLA 1988 (large objects).
"""

from __future__ import annotations

from ccc.compile.native.arena import BEFORE, LARGE

SWEEPING = f"""
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1 immarg)

define ptr @ccc_moved(
  ptr %to, ptr %at, i64 %size, i64 %low, i64 %room, ptr %stack, ptr %of, i64 %since, i64 %until
) noinline {{
  %place = ptrtoint ptr %at to i64
  %above = sub i64 %place, %low
  %inside = icmp ult i64 %above, %room
  br i1 %inside, label %here, label %find
here:
  %frame = icmp eq ptr %of, null
  br i1 %frame, label %move, label %young
young:
  %on = getelementptr i64, ptr %of, i64 3
  %number.of = load i64, ptr %on
  %newer = icmp sgt i64 %number.of, %since
  br i1 %newer, label %weigh, label %move
find:
  %os = getelementptr i64, ptr %stack, i64 6
  %owner = load ptr, ptr %os
  %c = getelementptr i64, ptr %owner, i64 7
  br label %search
search:
  %link = phi ptr [ %c, %find ], [ %piece, %next ]
  %piece = load ptr, ptr %link
  %end = icmp eq ptr %piece, null
  br i1 %end, label %stay, label %measure
measure:
  %pn = getelementptr i64, ptr %piece, i64 3
  %number = load i64, ptr %pn
  %old = icmp sle i64 %number, %since
  br i1 %old, label %stay, label %compare
compare:
  %ps = getelementptr i64, ptr %piece, i64 1
  %bytes = load i64, ptr %ps
  %base = ptrtoint ptr %piece to i64
  %after = sub i64 %place, %base
  %within = icmp ult i64 %after, %bytes
  br i1 %within, label %found, label %next
next:
  br label %search
found:
  %pt = getelementptr i64, ptr %piece, i64 2
  %of.stack = load ptr, ptr %pt
  %own = icmp eq ptr %of.stack, %stack
  %before = icmp sle i64 %number, %until
  %goes = and i1 %own, %before
  br i1 %goes, label %weigh, label %stay
weigh:
  %weighed = phi ptr [ %of, %young ], [ %piece, %found ]
  %ws = getelementptr i64, ptr %weighed, i64 1
  %all = load i64, ptr %ws
  %part = udiv i64 %all, {LARGE}
  %large = icmp uge i64 %size, %part
  br i1 %large, label %hold, label %move
hold:
  %wh = getelementptr i64, ptr %weighed, i64 4
  store i64 1, ptr %wh
  br label %stay
move:
  %new = call ptr @ccc_alloc(ptr %to, i64 %size)
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

declare void @llvm.memset.p0.i64(ptr, i8, i64, i1 immarg)

define void @ccc_swept(ptr %stack, ptr %to, i64 %since, i64 %until, i64 %fill) noinline {{
  %os = getelementptr i64, ptr %stack, i64 6
  %owner = load ptr, ptr %os
  %c = getelementptr i64, ptr %owner, i64 7
  %spare = getelementptr i64, ptr %owner, i64 5
  %b = getelementptr i64, ptr %owner, i64 9
  %t = getelementptr i64, ptr %stack, i64 3
  %l = getelementptr i64, ptr %stack, i64 2
  %e = getelementptr i64, ptr %stack, i64 1
  %leaves = icmp ne ptr %stack, %to
  br label %search
search:
  %link = phi ptr [ %c, %0 ], [ %piece, %on ], [ %link, %gone ]
  %going = phi ptr [ null, %0 ], [ %going, %on ], [ %going.now, %gone ]
  %piece = load ptr, ptr %link
  %end = icmp eq ptr %piece, null
  br i1 %end, label %give, label %ask
ask:
  %pn = getelementptr i64, ptr %piece, i64 3
  %number = load i64, ptr %pn
  %old = icmp sle i64 %number, %since
  br i1 %old, label %give, label %own
own:
  %pt = getelementptr i64, ptr %piece, i64 2
  %of = load ptr, ptr %pt
  %mine = icmp eq ptr %of, %stack
  %before = icmp sle i64 %number, %until
  %goes = and i1 %mine, %before
  br i1 %goes, label %look, label %on
look:
  %ph = getelementptr i64, ptr %piece, i64 4
  %held = load i64, ptr %ph
  store i64 0, ptr %ph
  %ps = getelementptr i64, ptr %piece, i64 1
  %size = load i64, ptr %ps
  %last = load ptr, ptr %l
  %current = icmp eq ptr %piece, %last
  %free = icmp eq i64 %held, 0
  br i1 %free, label %dead, label %live
dead:
  br i1 %current, label %on, label %return
live:
  br i1 %leaves, label %leave, label %on
on:
  br label %search
return:
  %fills = icmp ne i64 %fill, 0
  br i1 %fills, label %overwrite, label %back
overwrite:
  %content = getelementptr i8, ptr %piece, i64 {BEFORE}
  %rest = sub i64 %size, {BEFORE}
  call void @llvm.memset.p0.i64(ptr %content, i8 -1, i64 %rest, i1 false)
  br label %back
back:
  %less = sub i64 0, %size
  call void @ccc_counted(ptr %b, i64 %less)
  %next.spare = load ptr, ptr %spare
  br label %unlink
leave:
  br i1 %current, label %bare, label %moved
bare:
  store i64 64, ptr %stack
  store i64 64, ptr %e
  store ptr null, ptr %l
  br label %moved
moved:
  br label %unlink
unlink:
  %behind = phi ptr [ %next.spare, %back ], [ %going, %moved ]
  %place = phi ptr [ %spare, %back ], [ null, %moved ]
  %fewer = sub i64 0, %size
  call void @ccc_counted(ptr %t, i64 %fewer)
  %after = load ptr, ptr %piece
  store ptr %after, ptr %link
  store ptr %behind, ptr %piece
  %is.spare = icmp ne ptr %place, null
  br i1 %is.spare, label %kept, label %gone
kept:
  store ptr %piece, ptr %spare
  br label %gone
gone:
  %going.now = phi ptr [ %going, %kept ], [ %piece, %unlink ]
  br label %search
give:
  %one = phi ptr [ %going, %search ], [ %going, %ask ], [ %other, %given ]
  %done = icmp eq ptr %one, null
  br i1 %done, label %ready, label %given
given:
  %other = load ptr, ptr %one
  %ss = getelementptr i64, ptr %one, i64 1
  %bytes = load i64, ptr %ss
  %negative = sub i64 0, %bytes
  call void @ccc_counted(ptr %b, i64 %negative)
  call void @ccc_linked(ptr %owner, ptr %one, ptr %to, i64 %bytes)
  br label %give
ready:
  ret void
}}
"""
"""Joined with `pieces.KEEPING`."""
