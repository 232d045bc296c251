"""Threads of the operating system for long loops: `ccc_share`, which programs with such loops call.

    ccc_share(part, context, cells, size, count, least)     calls part(context, start, stop, cell) for each part
                                                            of `count` runs; gives how many parts there are

A loop of few runs is one part, which the caller runs. Others are cut into as many parts as there are `least` runs in
them, at most `MOST`, each whole vectors; the threads take one after the other. Which parts there are follows from the
number of runs alone, and who calls brings together what they gather in their order: so results have the same digits
whatever the number of threads is, and whoever takes which part.

Threads begin with the call and end with it: there is nothing to shut down, and nothing that a fork would lose. The
calling thread works too. It does everything where no other thread can be started, and waits for none that has not yet
begun when all parts are taken: such a thread finds its place marked, and ends.

`COUNT` says how many threads there are, the calling one included: as many as there are processors for this process,
at most `HIGHEST`, and no more than `CCC_THREADS` in the environment says, or else `OMP_NUM_THREADS`.

>>> [allowed(dict([x]), 4) for x in (("OMP_NUM_THREADS", "2,1"), ("CCC_THREADS", "1"), ("CCC_THREADS", "many"))]
[2, 1, 4]
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from functools import cache

from ccc.compile.native import engine
from ccc.compile.program.apart import processors

HIGHEST = 8
"""The most threads of a call."""
MOST = 32
"""The most parts of a loop."""
FEW = 4
"""A loop of fewer times as many runs as a part has at least is not parted."""
GRAIN = 64
"""The runs of a part are a multiple of this: whole vectors, and lines of the cache that no other part writes."""
VARIABLES = ("CCC_THREADS", "OMP_NUM_THREADS")


def allowed(environment: Mapping[str, str], there: int) -> int:
    """How many threads a call may use where so many processors are there."""
    first = [environment.get(name, "").partition(",")[0].strip() for name in VARIABLES]
    return max(1, min(there, HIGHEST, *[int(x) for x in first if x.isdigit()][:1]))


COUNT = ctypes.c_int64(allowed(os.environ, processors()))

DECLARED = "declare i64 @ccc_share(ptr, ptr, ptr, i64, i64, i64)"

# a job: part, context, cells, size, count, the runs of each part, the next part, who still refers to the job, and a
# place for each other thread: 0 until the thread begins, 1 from then on, 2 if it is too late; and the job
FIELDS = 8

SHARING = f"""
@ccc_threads = external global i64
declare ptr @malloc(i64)
declare void @free(ptr)

define i64 @ccc_share(ptr %part, ptr %context, ptr %cells, i64 %size, i64 %count, i64 %least) {{
  %ids = alloca [{HIGHEST} x i64]
  %enough = mul i64 %least, {FEW}
  %short = icmp slt i64 %count, %enough
  br i1 %short, label %alone, label %several
alone:
  call void %part(ptr %context, i64 0, i64 %count, ptr %cells)
  ret i64 1
several:
  %count.up = add i64 %count, {MOST - 1}
  %even = udiv i64 %count.up, {MOST}
  %large = icmp ugt i64 %even, %least
  %each.least = select i1 %large, i64 %even, i64 %least
  %each.up = add i64 %each.least, {GRAIN - 1}
  %each = and i64 %each.up, {-GRAIN}
  %each.less = sub i64 %each, 1
  %parts.up = add i64 %count, %each.less
  %parts = udiv i64 %parts.up, %each
  %job = call ptr @malloc(i64 {8 * FIELDS + 16 * HIGHEST})
  %full = icmp eq ptr %job, null
  br i1 %full, label %alone, label %share
share:
  store ptr %part, ptr %job
  %context.at = getelementptr i64, ptr %job, i64 1
  store ptr %context, ptr %context.at
  %cells.at = getelementptr i64, ptr %job, i64 2
  store ptr %cells, ptr %cells.at
  %size.at = getelementptr i64, ptr %job, i64 3
  store i64 %size, ptr %size.at
  %count.at = getelementptr i64, ptr %job, i64 4
  store i64 %count, ptr %count.at
  %each.at = getelementptr i64, ptr %job, i64 5
  store i64 %each, ptr %each.at
  %next.at = getelementptr i64, ptr %job, i64 6
  store i64 0, ptr %next.at
  %users.at = getelementptr i64, ptr %job, i64 7
  store i64 1, ptr %users.at
  %threads = load i64, ptr @ccc_threads
  %half = lshr i64 %parts, 1
  %many = icmp ugt i64 %threads, %half
  %wanted = select i1 %many, i64 %half, i64 %threads
  br label %begin
begin:
  %started = phi i64 [ 0, %share ], [ %started.now, %next ]
  %started.now = add i64 %started, 1
  %more = icmp ult i64 %started.now, %wanted
  br i1 %more, label %start, label %work
start:
  %place = call ptr @ccc_place(ptr %job, i64 %started)
  store i64 0, ptr %place
  %job.at = getelementptr i64, ptr %place, i64 1
  store ptr %job, ptr %job.at
  %users = atomicrmw add ptr %users.at, i64 1 monotonic
  %id = getelementptr i64, ptr %ids, i64 %started
  %refused = call i32 @pthread_create(ptr %id, ptr null, ptr @ccc_begun, ptr %place)
  %begun = icmp eq i32 %refused, 0
  br i1 %begun, label %next, label %none
next:
  br label %begin
none:
  call void @ccc_leave(ptr %job)
  br label %work
work:
  call void @ccc_work(ptr %job)
  br label %end
end:
  %ended = phi i64 [ 0, %work ], [ %ended.now, %over ]
  %left = icmp ult i64 %ended, %started
  br i1 %left, label %see, label %done
see:
  %id.ended = getelementptr i64, ptr %ids, i64 %ended
  %thread = load i64, ptr %id.ended
  %place.ended = call ptr @ccc_place(ptr %job, i64 %ended)
  %was = atomicrmw xchg ptr %place.ended, i64 2 acq_rel
  %works = icmp eq i64 %was, 1
  br i1 %works, label %wait, label %forget
wait:
  %joined = call i32 @pthread_join(i64 %thread, ptr null)
  call void @ccc_leave(ptr %job)
  br label %over
forget:
  %detached = call i32 @pthread_detach(i64 %thread)
  br label %over
over:
  %ended.now = add i64 %ended, 1
  br label %end
done:
  call void @ccc_leave(ptr %job)
  ret i64 %parts
}}

define internal ptr @ccc_place(ptr %job, i64 %thread) {{
  %twice = mul i64 %thread, 2
  %word = add i64 %twice, {FIELDS}
  %place = getelementptr i64, ptr %job, i64 %word
  ret ptr %place
}}

define internal void @ccc_leave(ptr %job) {{
  %users.at = getelementptr i64, ptr %job, i64 7
  %users = atomicrmw sub ptr %users.at, i64 1 acq_rel
  %last = icmp eq i64 %users, 1
  br i1 %last, label %free, label %done
free:
  call void @free(ptr %job)
  br label %done
done:
  ret void
}}

define internal ptr @ccc_begun(ptr %place) {{
  %job.at = getelementptr i64, ptr %place, i64 1
  %job = load ptr, ptr %job.at
  %was = atomicrmw xchg ptr %place, i64 1 acq_rel
  %late = icmp eq i64 %was, 2
  br i1 %late, label %leave, label %work
leave:
  call void @ccc_leave(ptr %job)
  ret ptr null
work:
  call void @ccc_work(ptr %job)
  ret ptr null
}}

define internal void @ccc_work(ptr %job) {{
  %part = load ptr, ptr %job
  %context.at = getelementptr i64, ptr %job, i64 1
  %context = load ptr, ptr %context.at
  %cells.at = getelementptr i64, ptr %job, i64 2
  %cells = load ptr, ptr %cells.at
  %size.at = getelementptr i64, ptr %job, i64 3
  %size = load i64, ptr %size.at
  %count.at = getelementptr i64, ptr %job, i64 4
  %count = load i64, ptr %count.at
  %each.at = getelementptr i64, ptr %job, i64 5
  %each = load i64, ptr %each.at
  %next.at = getelementptr i64, ptr %job, i64 6
  br label %take
take:
  %k = atomicrmw add ptr %next.at, i64 1 monotonic
  %start = mul i64 %k, %each
  %left = icmp slt i64 %start, %count
  br i1 %left, label %run, label %done
run:
  %past = add i64 %start, %each
  %within = icmp slt i64 %past, %count
  %stop = select i1 %within, i64 %past, i64 %count
  %before = mul i64 %k, %size
  %cell = getelementptr i8, ptr %cells, i64 %before
  call void %part(ptr %context, i64 %start, i64 %stop, ptr %cell)
  br label %take
done:
  ret void
}}
"""
THREADS = """
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i32 @pthread_detach(i64)
"""
NO_THREADS = """
define internal i32 @pthread_create(ptr %id, ptr %attributes, ptr %f, ptr %x) {
  ret i32 1
}

define internal i32 @pthread_join(i64 %thread, ptr %result) {
  ret i32 0
}

define internal i32 @pthread_detach(i64 %thread) {
  ret i32 0
}
"""
"""What stands for them where this process has none: they cannot be started."""
POSIX = ("pthread_create", "pthread_join", "pthread_detach")


@cache
def functions() -> engine.Loaded:
    """The address of `ccc_share`, which is in memory for as long as the process runs."""
    here = ctypes.CDLL(None) if os.name == "posix" else None
    found = {name: getattr(here, name) for name in POSIX if hasattr(here, name)}
    there = {name: ctypes.cast(f, ctypes.c_void_p).value or 0 for name, f in found.items()}
    return sharing(there if len(there) == len(POSIX) else {})


def sharing(posix: Mapping[str, int]) -> engine.Loaded:
    """The same where the functions of POSIX are at these addresses, or nowhere."""
    text = "\n".join([SHARING, THREADS if posix else NO_THREADS])
    symbols = {**posix, "ccc_threads": ctypes.addressof(COUNT)}
    return engine.compile_ir(text, ["ccc_share"], symbols, effort=engine.Effort.SELDOM)
