"""The memory that a stretch of a function requests, requested at once.

    %x = ccc_alloc(8 n)                      %room = ccc_alloc(3 * size)    size: 8 n bytes as whole lines of the cache
    ...                                      %x = %room
    %y = ccc_alloc(8 n)              →       ...
    ...                                      %y = %room + size
    %z = ccc_alloc(8 n)                      ...
                                             %z = %room + 2 size

Each request is a call, a test and a branch; in long functions they are a fourth of what LLVM has to read. What is
requested outside of loops and branches stays until the function ends, so it may as well be there from the beginning.

>>> lines = '''  %s = mul nsw i64 %n, 8
...   %x = call ptr @ccc_alloc(ptr %arena, i64 %s)
...   %e = icmp eq ptr %x, null
...   br i1 %e, label %leave, label %on1, !prof !0
... on1:
...   %t = mul nsw i64 %n, 8
...   %y = call ptr @ccc_alloc(ptr %arena, i64 %t)
...   %f = icmp eq ptr %y, null
...   br i1 %f, label %leave, label %on2, !prof !0
... on2:
...   store double 0.0, ptr %y'''.splitlines()
>>> before, after = at_once(lines, {"%s": lines[:1], "%t": lines[5:6]})
>>> print(*before, *after, sep="\\n")
  %s.room0 = mul nsw i64 %n, 8
  %room0.up = add i64 %s.room0, 63
  %room0.size = and i64 %room0.up, -64
  %room0.all = mul i64 %room0.size, 2
  %room0 = call ptr @ccc_alloc(ptr %arena, i64 %room0.all)
  %room0.null = icmp eq ptr %room0, null
  br i1 %room0.null, label %leave, label %room0.on, !prof !0
room0.on:
  %s = mul nsw i64 %n, 8
  %x = getelementptr [0 x i8], ptr %room0, i64 %room0.size
  %t = mul nsw i64 %n, 8
  %y = getelementptr [1 x i8], ptr %room0, i64 %room0.size
  store double 0.0, ptr %y
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ccc.compile.native.ways import LABEL, crossings, ways_in

REQUEST = re.compile(r"  (%\S+) = call ptr @ccc_alloc\(ptr %arena, i64 (\S+)\)$")
TESTED = re.compile(r"  (%\S+) = icmp eq ptr (%\S+), null$")
PASSED = re.compile(r"  br i1 (%\S+), label %leave, label %([\w.]+), !prof !0$")
NAME = re.compile(r"%[\w.]+")
WHOLE = re.compile(r"\(and i64 \(add nsw i64 (.*), 56\), -64\)$")
"""A size as whole lines of the cache."""
LINE = 64
"""The bytes of a line of the cache."""


def at_once(lines: Sequence[str], sizes: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """What requests the memory, and the lines without the requests. `sizes` are the lines that compute a size from the
    arguments of the function."""
    crossed = crossings(ways_in(lines), len(lines))
    groups: dict[str, list[tuple[int, str, str]]] = {}
    for n, line in enumerate(lines[:-3]):
        found = REQUEST.match(line) if not crossed[n] else None
        if found and follows(lines, n, found[1]) and (found[2] in sizes or not found[2].startswith("%")):
            groups.setdefault(meaning(found[2], sizes), []).append((n, found[1], found[2]))
    before: list[str] = []
    instead: dict[int, str] = {}
    for k, requests in enumerate(group for group in groups.values() if len(group) > 1):
        room = f"%room{k}"
        before += requested(room, requests[0][2], len(requests), sizes)
        for i, (n, x, _) in enumerate(requests):
            instead[n] = f"  {x} = getelementptr [{i} x i8], ptr {room}, i64 {room}.size"
    gone = {n + k for n in instead for k in (1, 2, 3)}
    return before, [instead.get(n, line) for n, line in enumerate(lines) if n not in gone]


def follows(lines: Sequence[str], n: int, x: str) -> bool:
    """Whether behind a request is left where there is no memory, and nothing else."""
    test, branch, label = TESTED.match(lines[n + 1]), PASSED.match(lines[n + 2]), LABEL.match(lines[n + 3])
    return bool(test and branch and label and test[2] == x and branch[1] == test[1] and branch[2] == label[1])


def meaning(size: str, sizes: Mapping[str, Sequence[str]]) -> str:
    """The same text for sizes that are computed in the same way, or take as many lines of the cache."""
    named: dict[str, str] = {}

    def text(line: str) -> str:
        return NAME.sub(lambda name: named.get(name[0], name[0]), line)

    for line in sizes.get(size, ()):
        name, rest = line.strip().split(" = ", 1)
        named[name] = f"({text(rest)})"
    found = named.get(size, size)
    whole = WHOLE.match(found)
    return whole[1] if whole else found


def requested(room: str, size: str, count: int, sizes: Mapping[str, Sequence[str]]) -> list[str]:
    """The request of so many pieces of memory of a size as one."""
    lines = sizes.get(size, ())
    own = {line.strip().split(" = ")[0] for line in lines}

    def renamed(text: str) -> str:
        return NAME.sub(lambda name: name[0] + "." + room[1:] if name[0] in own else name[0], text)

    return [
        *map(renamed, lines),
        f"  {room}.up = add i64 {renamed(size)}, {LINE - 1}",
        f"  {room}.size = and i64 {room}.up, {-LINE}",
        f"  {room}.all = mul i64 {room}.size, {count}",
        f"  {room} = call ptr @ccc_alloc(ptr %arena, i64 {room}.all)",
        f"  {room}.null = icmp eq ptr {room}, null",
        f"  br i1 {room}.null, label %leave, label {room}.on, !prof !0",
        f"{room[1:]}.on:",
    ]
