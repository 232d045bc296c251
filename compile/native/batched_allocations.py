"""The memory that a stretch of a function requests, requested at once.

    %x = ccc_alloc(8 n)                      %room = ccc_alloc(3 * size)    size: 8 n bytes as whole lines of the cache
    ...                                      %x = %room
    %y = ccc_alloc(8 n)              →       ...
    ...                                      %y = %room + size
    %z = ccc_alloc(8 n)                      ...
                                             %z = %room + 2 size

Each request is a call, a test and a branch; in long functions they are a fourth of what LLVM has to read. What is
requested outside of loops and branches stays until the function ends, so it may as well be there from the beginning.

>>> sizes = [Operation("i64", "mul", "%n", "8", "nsw", name) for name in ("%s", "%t")]
>>> lines = []
>>> for size, x, on in zip(sizes, ("%x", "%y"), (Label("on1"), Label("on2")), strict=True):
...     lines += [size, Request(size.name, name=x), Comparison("eq", "ptr", x, "null", f"{x}.null"),
...               Fork(f"{x}.null", LEAVE, on, UNLIKELY), Begin(on)]
>>> before, after = at_once([*lines, Store("double", "0.0", "%y")], {size.name: [size] for size in sizes})
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

from collections.abc import Mapping, Sequence

from ccc.compile.native.code import (
    ARENA,
    LEAVE,
    UNLIKELY,
    Address,
    Begin,
    Comparison,
    Fork,
    Instruction,
    Label,
    Operation,
    Request,
    Store,  # noqa: F401
    is_name,
)
from ccc.compile.native.stack_allocations import computed
from ccc.compile.native.ways import crossings, ways_in

Meaning = str | tuple["Meaning", ...]
"""How a size is computed."""
LINE = 64
"""The bytes of a line of the cache."""


def at_once(
    lines: Sequence[Instruction], sizes: Mapping[str, Sequence[Instruction]]
) -> tuple[list[Instruction], list[Instruction]]:
    """What requests the memory, and the lines without the requests. `sizes` are the lines that compute a size from the
    arguments of the function."""
    crossed = crossings(ways_in(lines), len(lines))
    groups: dict[Meaning, list[tuple[int, str, str]]] = {}
    for n, line in enumerate(lines[:-3]):
        if crossed[n] or not isinstance(line, Request) or line.kept or line.take != "ccc_alloc":
            continue
        size = line.size
        if line.operands[0] == ARENA and follows(lines, n, line.name) and (size in sizes or not is_name(size)):
            groups.setdefault(meaning(size, sizes), []).append((n, line.name, size))
    before: list[Instruction] = []
    instead: dict[int, Instruction] = {}
    for k, requests in enumerate(group for group in groups.values() if len(group) > 1):
        room = f"%room{k}"
        before += requested(room, requests[0][2], len(requests), sizes)
        for i, (n, x, _) in enumerate(requests):
            instead[n] = Address(f"[{i} x i8]", room, f"{room}.size", name=x)
    gone = {n + k for n in instead for k in (1, 2, 3)}
    return before, [instead.get(n, line) for n, line in enumerate(lines) if n not in gone]


def follows(lines: Sequence[Instruction], n: int, x: str) -> bool:
    """Whether behind a request is left where there is no memory, and nothing else."""
    match lines[n + 1 : n + 4]:
        case [Comparison(relation="eq", operands=(place, "null")) as test, Fork() as fork, Begin() as on]:
            return place == x and fork.operands[0] == test.name and fork.targets == (LEAVE, on.label)
        case _:
            return False


def meaning(size: str, sizes: Mapping[str, Sequence[Instruction]]) -> Meaning:
    """The same for sizes that are computed in the same way, or take as many lines of the cache."""
    named: dict[str, Meaning] = {}
    for line in sizes.get(size, ()):
        op, flags, a, b = computed(line) or ("", "", "", "")
        named[line.name] = op, flags, named.get(a, a), named.get(b, b)
    match named.get(size, size):
        case ("and", "", ("add", "nsw", whole, "56"), "-64"):  # as whole lines of the cache
            return whole
        case found:
            return found


def requested(
    room: str, size: str, count: int, sizes: Mapping[str, Sequence[Instruction]]
) -> list[Instruction]:
    """The request of so many pieces of memory of a size as one."""
    lines = sizes.get(size, ())
    own = {line.name: f"{line.name}.{room[1:]}" for line in lines}
    on = Label(f"{room[1:]}.on", "on")
    return [
        *[line.renamed(own) for line in lines],
        Operation("i64", "add", own.get(size, size), str(LINE - 1), name=f"{room}.up"),
        Operation("i64", "and", f"{room}.up", str(-LINE), name=f"{room}.size"),
        Operation("i64", "mul", f"{room}.size", str(count), name=f"{room}.all"),
        Request(f"{room}.all", name=room),
        Comparison("eq", "ptr", room, "null", f"{room}.null"),
        Fork(f"{room}.null", LEAVE, on, UNLIKELY),
        Begin(on),
    ]
