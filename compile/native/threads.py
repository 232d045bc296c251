"""Threads of the operating system for long loops: `ccc_share`, which programs with such loops call.

    ccc_share(part, context, cells, size, count, least)     calls part(context, start, stop, cell) for each part
                                                            of `count` runs; gives how many parts there are

A loop of few runs is one part, which the caller runs. Others are cut into as many parts as there are `least` runs in
them, at most `MOST`, each whole vectors; the threads take one after the other. Which parts there are follows from the
number of runs alone, and who calls brings together what they gather in their order: so results have the same digits
whatever the number of threads is, and whoever takes which part.

The other threads begin with the first such call and stay: each looks for the next one for some microseconds, then it
sleeps until it is woken. So loops of some microseconds are worth sharing, one behind the other; a single one wakes
nobody if it is shorter than that takes on a busy machine, and for some time nobody is asked who was late. Who calls
works too, waits for none that has
not yet begun, and does everything alone where no other thread can be started, or another call has them. A process that
was forked off has none of them, and begins anew.

`COUNT` says how many threads there are, the calling one included: as many as there are processors for this process,
at most `HIGHEST`, and no more than `CCC_THREADS` in the environment says, or else `OMP_NUM_THREADS`.

>>> [allowed(dict([x]), 4) for x in (("OMP_NUM_THREADS", "2,1"), ("CCC_THREADS", "1"), ("CCC_THREADS", "many"))]
[2, 1, 4]
"""

from __future__ import annotations

import ctypes
import os
import platform
import time
from collections.abc import Mapping, Sequence
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

# the job that the threads work on: part, context, cells, size, count, the runs of each part, and how many other threads
# are wanted; what is written while they work stands in lines of the cache of its own. A thread takes part in the job of
# a turn while that is open; who opened it closes it and waits until none takes part: then it may be another one
JOB = ("part", "context", "cells", "size", "count", "each", "wanted")
SPINS = 3000
"""So many times a thread looks for the next job before it sleeps: some 100 µs."""
YIELDS = 1 << 9
"""So many times who waits for others looks, before it lets them have its processor."""
STALLED, REST, SECOND = 100_000, 32, 10**9
"""Where others have other work, and who called waited for them so many nanoseconds, and longer than it worked itself,
calls are made alone for so many times as long, at most for a second."""
PAUSES = {"x86_64": "llvm.x86.sse2.pause()", "AMD64": "llvm.x86.sse2.pause()", "aarch64": "llvm.aarch64.hint(i32 1)",
          "arm64": "llvm.aarch64.hint(i32 1)"}  # fmt: skip
PAUSE = PAUSES.get(platform.machine(), "")
LONG = 16
"""A loop of so many times the runs that a part has at least wakes who sleeps."""
SOON = 500_000
"""So does a shorter one that begins so many nanoseconds after the one before it, or less."""
CLOCK = getattr(time, "CLOCK_MONOTONIC", 1)
LINE, ROOM = 64, 128
"""The bytes of a line of the cache, and of what is more than a lock of POSIX takes."""


def at_fields(line: str, names: Sequence[str]) -> str:
    """A line for each of some fields of the job, of which `{name}.at` is the place."""
    return "\n".join([
        f"  %{name}.at = getelementptr i64, ptr @ccc_job, i64 {JOB.index(name)}\n"
        f"  {line.format(name=f'%{name}', type='ptr' if name in JOB[:3] else 'i64')}" for name in names
    ])


def shared_word(name: str) -> str:
    """A number in a line of the cache of its own."""
    return f"@ccc_{name} = internal global [{LINE // 8} x i64] zeroinitializer, align {LINE}"


SHARING = f"""
@ccc_threads = external global i64
@ccc_job = internal global [{LINE // 8} x i64] zeroinitializer, align {LINE}
{chr(10).join(map(shared_word, ("next", "turn", "open", "active", "asleep", "lock")))}
@ccc_owner = internal global i32 0
@ccc_started = internal global i64 0
@ccc_began = internal global i64 0
@ccc_rested = internal global i64 0
@ccc_mutex = internal global [{ROOM} x i8] zeroinitializer, align {LINE}
@ccc_woken = internal global [{ROOM} x i8] zeroinitializer, align {LINE}
{f"declare void @{PAUSE.partition('(')[0]}({'i32' if 'i32' in PAUSE else ''})" if PAUSE else ""}

define i64 @ccc_share(ptr %part, ptr %context, ptr %cells, i64 %size, i64 %count, i64 %least) {{
  %id = alloca i64
  %enough = mul i64 %least, {FEW}
  %short = icmp slt i64 %count, %enough
  br i1 %short, label %whole, label %several
whole:
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
  %threads = load i64, ptr @ccc_threads
  %half = lshr i64 %parts, 1
  %many = icmp ugt i64 %threads, %half
  %together = select i1 %many, i64 %half, i64 %threads
  %wanted = sub i64 %together, 1
  %none = icmp slt i64 %wanted, 1
  br i1 %none, label %alone, label %ask
ask:
  %process = call i32 @getpid()
  %owner = load atomic i32, ptr @ccc_owner acquire, align 4
  %mine = icmp eq i32 %process, %owner
  br i1 %mine, label %take, label %new
new:
  %beginning = icmp eq i32 %owner, -1
  br i1 %beginning, label %alone, label %first
first:
  %owned = cmpxchg ptr @ccc_owner, i32 %owner, i32 -1 seq_cst seq_cst
  %is.first = extractvalue {{i32, i1}} %owned, 1
  br i1 %is.first, label %prepare, label %alone
prepare:
  store i64 0, ptr @ccc_started
  store i64 0, ptr @ccc_open
  store i64 0, ptr @ccc_active
  store i64 0, ptr @ccc_asleep
  store i64 0, ptr @ccc_lock
  %locked = call i32 @pthread_mutex_init(ptr @ccc_mutex, ptr null)
  %waiting = call i32 @pthread_cond_init(ptr @ccc_woken, ptr null)
  store atomic i32 %process, ptr @ccc_owner seq_cst, align 4
  br label %take
take:
  %lock = cmpxchg ptr @ccc_lock, i64 0, i64 1 seq_cst seq_cst
  %taken = extractvalue {{i64, i1}} %lock, 1
  br i1 %taken, label %begin, label %alone
begin:
  %now = call i64 @ccc_now()
  %began = load i64, ptr @ccc_began
  store i64 %now, ptr @ccc_began
  %rested = load i64, ptr @ccc_rested
  %rests = icmp slt i64 %now, %rested
  br i1 %rests, label %leave, label %ready
ready:
  %started = load i64, ptr @ccc_started
  %more = icmp slt i64 %started, %wanted
  br i1 %more, label %start, label %open
start:
  %refused = call i32 @pthread_create(ptr %id, ptr null, ptr @ccc_worker, ptr null)
  %begun = icmp eq i32 %refused, 0
  br i1 %begun, label %one, label %some
one:
  %thread = load i64, ptr %id
  %detached = call i32 @pthread_detach(i64 %thread)
  %started.now = add i64 %started, 1
  store i64 %started.now, ptr @ccc_started
  br label %ready
some:
  %without = icmp eq i64 %started, 0
  br i1 %without, label %leave, label %open
leave:
  store atomic i64 0, ptr @ccc_lock seq_cst, align 8
  br label %alone
open:
{at_fields("store {type} {name}, ptr {name}.at", JOB)}
  store i64 0, ptr @ccc_next
  %since = sub i64 %now, %began
  %soon = icmp slt i64 %since, {SOON}
  %long.least = mul i64 %least, {LONG}
  %long = icmp sge i64 %count, %long.least
  %worth = or i1 %soon, %long
  %turn = load i64, ptr @ccc_turn
  %turn.now = add i64 %turn, 1
  store atomic i64 %turn.now, ptr @ccc_open seq_cst, align 8
  store atomic i64 %turn.now, ptr @ccc_turn seq_cst, align 8
  %asleep = load atomic i64, ptr @ccc_asleep seq_cst, align 8
  %some.sleep = icmp sgt i64 %asleep, 0
  %any = and i1 %some.sleep, %worth
  br i1 %any, label %wake, label %work
wake:
  %held = call i32 @pthread_mutex_lock(ptr @ccc_mutex)
  %told = call i32 @pthread_cond_broadcast(ptr @ccc_woken)
  %given = call i32 @pthread_mutex_unlock(ptr @ccc_mutex)
  br label %work
work:
  call void @ccc_work()
  store atomic i64 0, ptr @ccc_open seq_cst, align 8
  %worked = call i64 @ccc_now()
  br label %wait
wait:
  %times = phi i64 [ 1, %work ], [ %times.now, %again ]
  %active = load atomic i64, ptr @ccc_active seq_cst, align 8
  %idle = icmp eq i64 %active, 0
  br i1 %idle, label %done, label %pause
pause:
  {f"call void @{PAUSE}" if PAUSE else ""}
  %times.now = add i64 %times, 1
  %beyond = and i64 %times.now, {YIELDS - 1}
  %often = icmp eq i64 %beyond, 0
  br i1 %often, label %yield, label %again
yield:
  %yielded = call i32 @sched_yield()
  br label %again
again:
  br label %wait
done:
  %over = call i64 @ccc_now()
  %waited = sub i64 %over, %worked
  %own = sub i64 %worked, %now
  %longer = icmp sgt i64 %waited, %own
  %late = icmp sgt i64 %waited, {STALLED}
  %stalled = and i1 %longer, %late
  %times.waited = mul i64 %waited, {REST}
  %far = icmp sgt i64 %times.waited, {SECOND}
  %rest = select i1 %far, i64 {SECOND}, i64 %times.waited
  %until = add i64 %over, %rest
  %rested.now = select i1 %stalled, i64 %until, i64 %rested
  store i64 %rested.now, ptr @ccc_rested
  store atomic i64 0, ptr @ccc_lock seq_cst, align 8
  ret i64 %parts
alone:
  br label %next
next:
  %k = phi i64 [ 0, %alone ], [ %k.now, %run ]
  %start.k = mul i64 %k, %each
  %left = icmp slt i64 %start.k, %count
  br i1 %left, label %run, label %end
run:
  %past = add i64 %start.k, %each
  %within = icmp slt i64 %past, %count
  %stop = select i1 %within, i64 %past, i64 %count
  %before = mul i64 %k, %size
  %cell = getelementptr i8, ptr %cells, i64 %before
  call void %part(ptr %context, i64 %start.k, i64 %stop, ptr %cell)
  %k.now = add i64 %k, 1
  br label %next
end:
  ret i64 %parts
}}

define internal i64 @ccc_now() {{
  %clock = alloca [2 x i64]
  %timed = call i32 @clock_gettime(i32 {CLOCK}, ptr %clock)
  %seconds = load i64, ptr %clock
  %rest.at = getelementptr i64, ptr %clock, i64 1
  %rest = load i64, ptr %rest.at
  %whole = mul i64 %seconds, 1000000000
  %now = add i64 %whole, %rest
  ret i64 %now
}}

define internal ptr @ccc_worker(ptr %x) {{
  br label %look
look:
  %last = phi i64 [ 0, %0 ], [ %turn, %over ]
  br label %spin
spin:
  %times = phi i64 [ 0, %look ], [ %times.now, %pause ]
  %turn.seen = load atomic i64, ptr @ccc_turn acquire, align 8
  %new = icmp ne i64 %turn.seen, %last
  br i1 %new, label %enter, label %stay
stay:
  %times.now = add i64 %times, 1
  %tired = icmp sgt i64 %times.now, {SPINS}
  br i1 %tired, label %sleep, label %pause
pause:
  {f"call void @{PAUSE}" if PAUSE else ""}
  br label %spin
sleep:
  %locked = call i32 @pthread_mutex_lock(ptr @ccc_mutex)
  %one.more = atomicrmw add ptr @ccc_asleep, i64 1 seq_cst
  br label %check
check:
  %turn.slept = load atomic i64, ptr @ccc_turn seq_cst, align 8
  %still = icmp eq i64 %turn.slept, %last
  br i1 %still, label %wait, label %wake
wait:
  %waited = call i32 @pthread_cond_wait(ptr @ccc_woken, ptr @ccc_mutex)
  br label %check
wake:
  %one.less = atomicrmw sub ptr @ccc_asleep, i64 1 seq_cst
  %unlocked = call i32 @pthread_mutex_unlock(ptr @ccc_mutex)
  br label %enter
enter:
  %turn = phi i64 [ %turn.seen, %spin ], [ %turn.slept, %wake ]
  %in = atomicrmw add ptr @ccc_active, i64 1 seq_cst
  %open = load atomic i64, ptr @ccc_open seq_cst, align 8
  %is.open = icmp eq i64 %open, %turn
  br i1 %is.open, label %count, label %over
count:
{at_fields("{name} = load {type}, ptr {name}.at", ("wanted",))}
  %is.wanted = icmp slt i64 %in, %wanted
  br i1 %is.wanted, label %work, label %over
work:
  call void @ccc_work()
  br label %over
over:
  %out = atomicrmw sub ptr @ccc_active, i64 1 seq_cst
  br label %look
}}

define internal void @ccc_work() {{
{at_fields("{name} = load {type}, ptr {name}.at", JOB[:-1])}
  br label %take
take:
  %k = atomicrmw add ptr @ccc_next, i64 1 monotonic
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
POSIX = {
    "pthread_create": "i32 (ptr, ptr, ptr, ptr)", "pthread_detach": "i32 (i64)",
    "pthread_mutex_init": "i32 (ptr, ptr)", "pthread_mutex_lock": "i32 (ptr)", "pthread_mutex_unlock": "i32 (ptr)",
    "pthread_cond_init": "i32 (ptr, ptr)", "pthread_cond_wait": "i32 (ptr, ptr)", "pthread_cond_broadcast": "i32 (ptr)",
    "sched_yield": "i32 ()", "getpid": "i32 ()", "clock_gettime": "i32 (i32, ptr)",
}  # fmt: skip
"""The functions of POSIX that are called, and their types."""
THREADS = "\n".join([f"declare {type_.replace('(', f'@{name}(')}" for name, type_ in POSIX.items()])
NO_THREADS = "\n".join([
    f"define internal {type_.replace('(', f'@{name}(')} {{\n  ret i32 1\n}}" for name, type_ in POSIX.items()
])
"""What stands for them where this process has none: threads cannot be started."""


@cache
def functions() -> engine.Loaded:
    """The address of `ccc_share`, which is in memory for as long as the process runs: so long its threads may."""
    here = ctypes.CDLL(None) if os.name == "posix" else None
    posix = {name: getattr(here, name) for name in POSIX if hasattr(here, name)}
    there = {name: ctypes.cast(f, ctypes.c_void_p).value or 0 for name, f in posix.items()}
    found = sharing(there if len(there) == len(POSIX) else {})
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(found))
    return found


def sharing(posix: Mapping[str, int]) -> engine.Loaded:
    """The same where the functions of POSIX are at these addresses, or nowhere."""
    text = "\n".join([SHARING, THREADS if posix else NO_THREADS])
    symbols = {**posix, "ccc_threads": ctypes.addressof(COUNT)}
    return engine.compile_ir(text, ["ccc_share"], symbols, effort=engine.Effort.SELDOM)
