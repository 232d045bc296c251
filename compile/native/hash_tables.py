"""Functions that find, enter and drop the entries of a map, by the types of the words of its keys.

    map_find(entries, length, index, slots, key ...)       the place of the entry with a key, or -1
    map_enter(entries, first, last, index, slots)          entries from `first` to below `last` get slots
    map_drop(entries, length, at, index, slots, ordered)   one entry goes: all behind it move, or the last one

Entries stand one behind the other in the order in which they came, words of keys first. The index has a power of two
slots, each with the place of an entry or -1, at most half of them taken; a key is looked for from the slot of its hash
on. Where an index has no slots, keys are compared one after the other.

Reference: Knuth, The Art of Computer Programming 3, 6.4 (linear probing, algorithms L and R).

>>> [f.name for f in functions(("i64",), 2)]
['map_hash_i64', 'map_find_i64_2', 'map_enter_i64_2', 'map_drop_i64_2']
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ccc.compile.native.by_hand import joined, loop
from ccc.compile.native.functions import Written

GOLDEN = -7046029254386353131
"""2**64 divided by the golden ratio, with a sign (Knuth, 6.4): what spreads the bits of a word."""
FEW = 8
"""Of so many entries the keys are compared one after the other."""
READS = " nounwind willreturn memory(argmem: read)"


def suffix(keys: Sequence[str], stride: int) -> str:
    """What the names of the functions end with."""
    return "_".join([*keys, str(stride)])


@cache
def functions(keys: tuple[str, ...], stride: int) -> tuple[Written, ...]:
    """The functions for keys of these words, in entries of so many."""
    hash_, end = f"map_hash_{'_'.join(keys)}", suffix(keys, stride)
    return (
        Written("i64", hash_, f"({given(keys)})", hashing(keys)),
        Written("i64", f"map_find_{end}", f"(ptr %entries, i64 %length, ptr %index, i64 %slots, {given(keys)})",
                finding(keys, stride, hash_), (hash_,)),
        Written("void", f"map_enter_{end}", "(ptr %entries, i64 %first, i64 %last, ptr %index, i64 %slots)",
                entering(keys, stride, hash_), (hash_,)),
        Written("void", f"map_drop_{end}", "(ptr %entries, i64 %length, i64 %at, ptr %index, i64 %slots, i1 %ordered)",
                dropping(keys, stride, hash_), (hash_,)),
    )  # fmt: skip


def given(keys: Sequence[str]) -> str:
    """The parameters that are a key."""
    return ", ".join([f"{type_} %k{i}" for i, type_ in enumerate(keys)])


def hashing(keys: Sequence[str]) -> str:
    """The hash of a key: equal numbers have one, so that of -0.0 is that of 0.0."""
    lines: list[str] = []
    before = "0"
    for i, type_ in enumerate(keys):
        match type_:
            case "double":
                lines += [f"  %p{i} = fadd double %k{i}, 0.0", f"  %w{i} = bitcast double %p{i} to i64"]
            case "i1":
                lines.append(f"  %w{i} = zext i1 %k{i} to i64")
            case _:
                lines.append(f"  %w{i} = add i64 %k{i}, 0")
        lines += [f"  %x{i} = xor i64 %w{i}, {before}", f"  %m{i} = mul i64 %x{i}, {GOLDEN}",
                  f"  %s{i} = lshr i64 %m{i}, 32", f"  %h{i} = xor i64 %m{i}, %s{i}"]
        before = f"%h{i}"
    return f" alwaysinline nounwind willreturn memory(none) {{\n{joined(lines)}\n  ret i64 {before}\n}}"


def read(x: str, keys: Sequence[str], stride: int) -> str:
    """`%x.k0`, ...: the words of the key of entry `%x`."""
    lines = [f"  %{x}.row = mul i64 %{x}, {stride}", f"  %{x}.p = getelementptr i64, ptr %entries, i64 %{x}.row"]
    for i, type_ in enumerate(keys):
        lines += [f"  %{x}.q{i} = getelementptr i64, ptr %{x}.p, i64 {i}",
                  f"  %{x}.k{i} = load {type_}, ptr %{x}.q{i}"]
    return joined(lines)


def same(x: str, keys: Sequence[str], stride: int) -> str:
    """`%x.same`: whether entry `%x` has the key that is looked for."""
    lines, before = [read(x, keys, stride)], "true"
    for i, type_ in enumerate(keys):
        test = "fcmp oeq" if type_ == "double" else "icmp eq"
        lines.append(f"  %{x}.e{i} = {test} {type_} %{x}.k{i}, %k{i}")
        lines.append(f"  %{x}.a{i} = and i1 {before}, %{x}.e{i}")
        before = f"%{x}.a{i}"
    return joined([*lines, f"  %{x}.same = and i1 {before}, true"])


def hashed(x: str, keys: Sequence[str], stride: int, hash_: str) -> str:
    """`%x.slot`: the slot that belongs to the hash of the key of entry `%x`."""
    key = ", ".join([f"{type_} %{x}.k{i}" for i, type_ in enumerate(keys)])
    return f"""{read(x, keys, stride)}
  %{x}.h = call i64 @{hash_}({key})
  %{x}.slot = and i64 %{x}.h, %mask"""


def probing(x: str, start: str, before: str, wanted: str, found: str) -> str:
    """From the slot `start` on, `%x` is the first one that holds `wanted`."""
    return f"""  br label %{x}.probe
{x}.probe:
  %{x} = phi i64 [ {start}, %{before} ], [ %{x}.next, %{x}.on ]
  %{x}.at = getelementptr i64, ptr %index, i64 %{x}
  %{x}.held = load i64, ptr %{x}.at
  %{x}.this = icmp eq i64 %{x}.held, {wanted}
  br i1 %{x}.this, label %{found}, label %{x}.on
{x}.on:
  %{x}.up = add i64 %{x}, 1
  %{x}.next = and i64 %{x}.up, %mask
  br label %{x}.probe"""


def finding(keys: Sequence[str], stride: int, hash_: str) -> str:
    """What finds an entry: one after the other, or from the slot of its hash on."""
    key = ", ".join([f"{type_} %k{i}" for i, type_ in enumerate(keys)])
    return f"""{READS} {{
begin:
  %few = icmp eq i64 %slots, 0
  br i1 %few, label %walk, label %hash
walk:
  %i = phi i64 [ 0, %begin ], [ %i.next, %i.on ]
  %i.in = icmp slt i64 %i, %length
  br i1 %i.in, label %i.look, label %none
i.look:
{same("i", keys, stride)}
  br i1 %i.same, label %i.found, label %i.on
i.on:
  %i.next = add i64 %i, 1
  br label %walk
i.found:
  ret i64 %i
hash:
  %h = call i64 @{hash_}({key})
  %mask = sub i64 %slots, 1
  %first = and i64 %h, %mask
  br label %probe
probe:
  %s = phi i64 [ %first, %hash ], [ %s.next, %s.on ]
  %s.at = getelementptr i64, ptr %index, i64 %s
  %j = load i64, ptr %s.at
  %free = icmp slt i64 %j, 0
  br i1 %free, label %none, label %j.look
j.look:
{same("j", keys, stride)}
  br i1 %j.same, label %j.found, label %s.on
s.on:
  %s.up = add i64 %s, 1
  %s.next = and i64 %s.up, %mask
  br label %probe
j.found:
  ret i64 %j
none:
  ret i64 -1
}}"""


def entering(keys: Sequence[str], stride: int, hash_: str) -> str:
    """What gives entries the first slots from those of their hashes on that are free."""
    body = f"""{hashed("i", keys, stride, hash_)}
{probing("s", "%i.slot", "i.do", "-1", "free")}
free:
  store i64 %i, ptr %s.at"""
    return f""" nounwind {{
  %mask = sub i64 %slots, 1
{loop("i", "%first", "%last", 1, body)}
  ret void
}}"""


def closed_up(keys: Sequence[str], stride: int, hash_: str) -> str:
    """From the slot `%s`, which is empty now, entries that are not where their hashes say move up (algorithm R)."""
    return f"""  br label %shift
shift:
  %hole = phi i64 [ %s, %empty ], [ %hole, %stays ], [ %f, %fill ]
  %f.old = phi i64 [ %s, %empty ], [ %f, %stays ], [ %f, %fill ]
  %f.up = add i64 %f.old, 1
  %f = and i64 %f.up, %mask
  %f.at = getelementptr i64, ptr %index, i64 %f
  %hole.at = getelementptr i64, ptr %index, i64 %hole
  %e = load i64, ptr %f.at
  %ends = icmp slt i64 %e, 0
  br i1 %ends, label %clear, label %look
look:
{hashed("e", keys, stride, hash_)}
  %from.home = sub i64 %f, %e.slot
  %far = and i64 %from.home, %mask
  %from.hole = sub i64 %f, %hole
  %near = and i64 %from.hole, %mask
  %reaches = icmp uge i64 %far, %near
  br i1 %reaches, label %fill, label %stays
stays:
  br label %shift
fill:
  store i64 %e, ptr %hole.at
  br label %shift
clear:
  store i64 -1, ptr %hole.at
  br label %move"""


def dropping(keys: Sequence[str], stride: int, hash_: str) -> str:
    """What frees the slot of an entry, and closes the gap that it leaves."""
    bytes_ = 8 * stride
    return f""" nounwind {{
begin:
  %last = sub i64 %length, 1
  %mask = sub i64 %slots, 1
  %is.last = icmp eq i64 %at, %last
  %few = icmp eq i64 %slots, 0
  br i1 %few, label %move, label %find
find:
{hashed("at", keys, stride, hash_)}
{probing("s", "%at.slot", "find", "%at", "empty")}
empty:
{closed_up(keys, stride, hash_)}
move:
  br i1 %is.last, label %done, label %gap
gap:
  %at.by = mul i64 %at, {bytes_}
  %into = getelementptr i8, ptr %entries, i64 %at.by
  br i1 %ordered, label %together, label %swap
swap:
  %last.by = mul i64 %last, {bytes_}
  %from = getelementptr i8, ptr %entries, i64 %last.by
  br i1 %few, label %take, label %rename
rename:
{hashed("last", keys, stride, hash_)}
{probing("l", "%last.slot", "rename", "%last", "renamed")}
renamed:
  store i64 %at, ptr %l.at
  br label %take
take:
  call void @llvm.memmove.p0.p0.i64(ptr %into, ptr %from, i64 {bytes_}, i1 false)
  br label %done
together:
  %behind = getelementptr i8, ptr %into, i64 {bytes_}
  %rest = sub i64 %last, %at
  %rest.by = mul i64 %rest, {bytes_}
  call void @llvm.memmove.p0.p0.i64(ptr %into, ptr %behind, i64 %rest.by, i1 false)
{loop("d", 0, "%slots", 1, LOWER)}
  br label %done
done:
  ret void
}}"""


LOWER = """  %d.at = getelementptr i64, ptr %index, i64 %d
  %d.held = load i64, ptr %d.at
  %d.less = sub i64 %d.held, 1
  %d.behind = icmp sgt i64 %d.held, %at
  %d.now = select i1 %d.behind, i64 %d.less, i64 %d.held
  store i64 %d.now, ptr %d.at"""
DECLARED = ["declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)", "declare i64 @llvm.ctlz.i64(i64, i1)",
            "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"]
"""What modules declare that have these functions, and make an index."""
