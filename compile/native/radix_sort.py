"""Orders of many numbers: `ccc_order`, which sorts by one digit after the other.

    ccc_order(n, pairs, spare)      pairs of a key and a place, in the order of the keys; gives one of the two memories

A pair is two integers of 64 bits, keys have no sign, and pairs with equal keys stay as they stood. A first walk counts
how often each byte of the keys has each value, and ends where the keys are in order already; then there is one walk for
each byte that is not the same in all keys. So the time grows with n alone, where that of merging grows with n log n.

Reference: Knuth, The Art of Computer Programming 3, 5.2.5 (sorting by distribution).

>>> text().count("define")
1
"""

from __future__ import annotations

from functools import cache

from ccc.compile.native import engine
from ccc.compile.native.by_hand import joined, loop

NAME = "ccc_order"
DECLARED = [f"declare ptr @{NAME}(i64, ptr, ptr)"]
LEAST = 256
"""So many numbers are sorted by digits, fewer by merging: a digit costs as much as to look at this many counts."""
BYTES = 8
VALUES = 256
PAIR = "{ i64, i64 }"
"""A key and its place."""


def counting() -> str:
    """What counts the bytes of a key, and sees whether it falls."""
    counted = joined(f"""  %shifted{d} = lshr i64 %key, {8 * d}
  %byte{d} = and i64 %shifted{d}, {VALUES - 1}
  %count{d} = getelementptr [{VALUES} x i64], ptr %counts, i64 {d}, i64 %byte{d}
  %old{d} = load i64, ptr %count{d}
  %new{d} = add i64 %old{d}, 1
  store i64 %new{d}, ptr %count{d}""" for d in range(BYTES))
    return f"""  %at = getelementptr {PAIR}, ptr %pairs, i64 %i
  %key = load i64, ptr %at
  %before = load i64, ptr %latest
  %falls = icmp ult i64 %key, %before
  %fell = load i1, ptr %unordered
  %falls.now = or i1 %fell, %falls
  store i1 %falls.now, ptr %unordered
  store i64 %key, ptr %latest
{counted}"""


def by_digit() -> str:
    """What sorts by one byte of the keys, unless it is alike in all."""
    begins = """  %c = getelementptr i64, ptr %row, i64 %v
  %so.many = load i64, ptr %c
  %sum.now = load i64, ptr %sum
  store i64 %sum.now, ptr %c
  %sum.next = add i64 %sum.now, %so.many
  store i64 %sum.next, ptr %sum"""
    move = f"""  %p = getelementptr {PAIR}, ptr %a, i64 %k
  %x = load i64, ptr %p
  %q = getelementptr {PAIR}, ptr %p, i64 0, i32 1
  %place = load i64, ptr %q
  %y = lshr i64 %x, %places
  %z = and i64 %y, {VALUES - 1}
  %r = getelementptr i64, ptr %row, i64 %z
  %to = load i64, ptr %r
  %to.next = add i64 %to, 1
  store i64 %to.next, ptr %r
  %s = getelementptr {PAIR}, ptr %b, i64 %to
  store i64 %x, ptr %s
  %t = getelementptr {PAIR}, ptr %s, i64 0, i32 1
  store i64 %place, ptr %t"""
    return f"""  %a = load ptr, ptr %source
  %b = load ptr, ptr %target
  %row = getelementptr [{VALUES} x i64], ptr %counts, i64 %d
  %places = mul i64 %d, 8
  %one = load i64, ptr %a
  %one.moved = lshr i64 %one, %places
  %one.byte = and i64 %one.moved, {VALUES - 1}
  %of.one = getelementptr i64, ptr %row, i64 %one.byte
  %alike = load i64, ptr %of.one
  %same = icmp eq i64 %alike, %n
  br i1 %same, label %d.on, label %differ
differ:
  store i64 0, ptr %sum
{loop("v", 0, VALUES, 1, begins)}
{loop("k", 0, "%n", 1, move)}
  store ptr %b, ptr %source
  store ptr %a, ptr %target
  br label %d.on
d.on:"""


def text() -> str:
    """The code of `ccc_order`."""
    words = BYTES * VALUES
    return f"""declare void @llvm.memset.p0.i64(ptr, i8, i64, i1 immarg)

define ptr @{NAME}(i64 %n, ptr noalias %pairs, ptr noalias %spare) {{
  %counts = alloca [{words} x i64]
  %source = alloca ptr
  %target = alloca ptr
  %sum = alloca i64
  %latest = alloca i64
  %unordered = alloca i1
  store ptr %pairs, ptr %source
  store ptr %spare, ptr %target
  store i64 0, ptr %latest
  store i1 false, ptr %unordered
  call void @llvm.memset.p0.i64(ptr %counts, i8 0, i64 {8 * words}, i1 false)
{loop("i", 0, "%n", 1, counting())}
  %sorts = load i1, ptr %unordered
  br i1 %sorts, label %sort, label %sorted
sort:
{loop("d", 0, BYTES, 1, by_digit())}
  br label %sorted
sorted:
  %found = load ptr, ptr %source
  ret ptr %found
}}"""


@cache
def functions() -> engine.Loaded:
    """The address of `ccc_order`, which is in memory for as long as the process runs."""
    return engine.compile_ir(text(), [NAME])
