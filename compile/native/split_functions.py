"""A function with many loops as several functions, each a stretch of it.

LLVM's analyses of a loop look at every test on the way to it, so a function takes a time that grows with the square of
its loops. Stretches end where no branch leads across. What one computes and a later one reads is kept in memory, or
computed again where it is a size; memory of its own a stretch has in its own frame. LLVM makes few passes over them
(`engine`), and is not told how the index of a loop moves on: to find addresses that move with it would take longer than
all other passes, and processors have addresses that are sums.

    f0:  loops 1 ... 90     →     f0:  f0_stretch0(kept);  f0_stretch1(kept);  f0_stretch2(kept);  f0_stretch3(kept)

>>> loop = '''  br label %head{0}
... head{0}:
...   %i{0} = load i64, ptr %v
...   %j{0} = sub i64 %i{0}, %m
...   store i64 %j{0}, ptr %v
...   %t{0} = icmp sgt i64 %j{0}, 0
...   br i1 %t{0}, label %head{0}, label %done{0}
... done{0}:
... '''
>>> start = "define internal i32 @f0(i64 %n) {\\nentry:\\n  %v = alloca i64\\n  %m = add nsw i64 %n, 1\\n"
>>> text = start + loop.format(1) + "  %a = load i64, ptr %v\\n" + loop.format(2) + "  ret i32 0\\n}\\n"
>>> whole, first, second = in_stretches(text, many=2, each=1).split("define ")[1:]
>>> print(whole)
internal i32 @f0(i64 %n) {
entry:
  %v = alloca i64
  %kept = alloca [0 x i8], align 8
  %stretch0 = call i32 @f0_stretch0(ptr %kept, i64 %n, ptr %v)
  %left0 = icmp ne i32 %stretch0, 0
  br i1 %left0, label %leave, label %on0
on0:
  %stretch1 = call i32 @f0_stretch1(ptr %kept, i64 %n, ptr %v)
  ret i32 %stretch1
leave:
  ret i32 1
}
<BLANKLINE>
>>> second.splitlines()  # doctest: +ELLIPSIS
['internal i32 @f0_stretch1(ptr %kept, i64 %n, ptr %v) noinline {', 'entry:', '  %m = add nsw i64 %n, 1', ...]
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import accumulate, chain

from ccc.compile.native import engine
from ccc.compile.native.batched_allocations import at_once
from ccc.compile.native.parallel_parts import CALL
from ccc.compile.native.stack_allocations import COMPUTED, EXTREMUM
from ccc.compile.native.units import STRETCH
from ccc.compile.native.ways import LABEL, LEAVE, TARGET, crossings, ways_in

MANY, EACH = 256, 32
"""A function with so many loops is divided into stretches of so many."""
FUNCTION = re.compile(r"^define internal i32 @(f\d+)\((.*)\)(.*) \{\nentry:\n", re.M)
NAME = re.compile(r"%[\w.]+")
INDEX = re.compile(r"^((?:lanes|head)\d+:\n)  (%\S+) = (load i64, ptr %\S+)$", re.M)
"""Where a run of a loop begins with its number, and the same number of which LLVM does not know how it changes."""
HIDDEN = r"""\1  \2.known = \3
  \2 = call i64 asm "", "=r,0"(i64 \2.known)"""
OWN = re.compile(r"  (%\S+) = alloca ")
PART = re.compile(r"  (%\S+) = getelementptr (?:inbounds )?[^%]*ptr (%[\w.]+),")
PLACE = re.compile(r"  (?:%\S+ = load [^,]+|store .*), ptr (%[\w.]+)(?:, align \d+)?$")
MADE = re.compile(r"  (%\S+) = (\w+)(.*)")
TYPE = re.compile(r"(?<![\w%@.])(?:double|ptr|i\d+|<\d+ x \w+>)(?![\w.])")
WORDS = frozenset({"double", "i64", "i32", "i8", "i1", "ptr"})
VECTOR = re.compile(r"<(\d+) x (double|i64|i32)>")
"""The types of what is kept from one stretch to the next, with those in `WORDS`."""
GRAIN = 8
FEW = 8
"""What takes no more instructions is computed again."""


def in_stretches(text: str, many: int = MANY, each: int = EACH) -> str:
    """The text of a module in which no function stands that has many loops of its own."""
    out: list[str] = []
    done, hidden = 0, text.startswith(engine.SIMPLE)
    for found in FUNCTION.finditer(text):
        end = text.index("\n}\n", found.end())
        lines = text[found.end() : end].split("\n")
        ends = divided(lines, many, each)
        functions = Division(found[1], found[2], found[3], lines, ends).functions(hidden) if ends else []
        if functions:
            out += [text[done : found.start()], *functions]
            done = end + len("\n}\n")
    return "".join([*out, text[done:]])


def divided(lines: Sequence[str], many: int, each: int) -> list[int]:
    """Where the stretches of a function end that has many loops: no way between two lines leads across."""
    ways = ways_in(lines)
    closed = Counter([n + 1 for n, to in ways if to <= n])  # loops, by the lines behind them
    if closed.total() < many:
        return []
    crossed = crossings(ways, len(lines))
    ends, loops = list[int](), 0
    for n in range(length(lines) - 1):
        loops += closed[n]
        if loops >= each and not crossed[n] and not LABEL.match(lines[n]):
            ends.append(n)
            loops = 0
    return ends if loops else ends[:-1]


def length(lines: Sequence[str]) -> int:
    """How many lines of a function are before those where it ends early."""
    with suppress(ValueError):
        return lines.index(f"{LEAVE}:")
    return len(lines)


@dataclass
class Stretch:
    """Some lines of a function with the names in each, what they read that is made elsewhere, and the memory that only
    they use."""

    lines: list[str]
    names: list[list[str]]
    reads: set[str]
    own: list[str] = field(default_factory=list[str])


class Division:
    """A function and where its stretches end."""

    def __init__(self, name: str, params: str, attributes: str, lines: list[str], ends: list[int]) -> None:
        self.name = name
        self.attributes = attributes
        self.head = f"define internal i32 @{name}({params}){attributes} {{"
        self.params = {param.split()[-1]: param for param in params.split(", ")} if params else {}
        self.memory = {found[1]: line for line in lines if (found := OWN.match(line))}
        self.sizes: dict[str, list[str]] = {}
        for line in lines:
            if " i64 " in line:
                self.size(line)
        self.made: dict[str, tuple[int, str]] = {}
        self.stretches: list[Stretch] = []
        for start, end in zip([0, *ends], [*ends, length(lines)], strict=True):
            before, part = at_once([line for line in lines[start:end] if not OWN.match(line)], self.sizes)
            part = [*before, *part]
            made = {found[1]: line for line in part if (found := MADE.match(line))}
            self.made |= {name: (len(self.stretches), line) for name, line in made.items()}
            part, names = self.without_idle_sizes(part)
            self.stretches.append(Stretch(part, names, set(chain.from_iterable(names)) - made.keys()))

    def without_idle_sizes(self, lines: list[str]) -> tuple[list[str], list[list[str]]]:
        """The lines of a stretch without sizes that it does not read, those of memory that is requested at once; and
        the names in each. A stretch that reads such a size computes it."""
        names = list(map(names_in, lines))
        times, kept = Counter(chain.from_iterable(names)), list[tuple[str, list[str]]]()
        for line, here in zip(reversed(lines), reversed(names), strict=True):
            if here and here[0] in self.sizes and times[here[0]] == 1 and line.startswith(f"  {here[0]} = "):
                times.subtract(here)
            else:
                kept.append((line, here))
        return [line for line, _ in reversed(kept)], [here for _, here in reversed(kept)]

    def functions(self, hidden: bool) -> list[str]:
        """The texts of the function and of its stretches; none where something is kept that has another type. Indices
        are `hidden` where LLVM makes no vectors of loops."""
        crossing = {name for stretch in self.stretches for name in stretch.reads if name in self.made}
        kept = sorted(crossing - self.sizes.keys())
        types = {name: type_of(self.made[name][1]) for name in kept}
        if not all(map(slot_size, types.values())):
            return []
        shared = self.share_out(kept)
        *places, size = accumulate([slot_size(type_) for type_ in types.values()], initial=0)
        slots = dict(zip(kept, places, strict=True))
        calls, functions = list[str](), list[str]()
        for i, stretch in enumerate(self.stretches):
            sizes, loaded = self.needed(stretch, slots, types)
            params = self.taken(sizes, stretch, shared)
            last = i == len(self.stretches) - 1
            stored = [line for name in kept if self.made[name][0] == i
                      for line in stored_in(name, types[name], slots[name])]  # fmt: skip
            name, body = f"{self.name}{STRETCH}{i}", "\n".join(stretch.lines)
            functions.append("\n".join([
                f"define internal i32 @{name}({', '.join(params)}) noinline{self.attributes} {{", "entry:",
                *stretch.own, *loaded, *sizes, INDEX.sub(HIDDEN, body) if hidden else body, *stored,
                *([] if last else ["  ret i32 0"]),
                f"{LEAVE}:", "  ret i32 1", "}", "",
            ]))  # fmt: skip
            calls.append(f"  %stretch{i} = call i32 @{name}({', '.join(params)})")
            calls += [f"  ret i32 %stretch{i}"] if last else [
                f"  %left{i} = icmp ne i32 %stretch{i}, 0",
                f"  br i1 %left{i}, label %{LEAVE}, label %on{i}", f"on{i}:"]
        whole = [self.head, "entry:", *shared.values(), f"  %kept = alloca [{size} x i8], align {GRAIN}", *calls,
                 f"{LEAVE}:", "  ret i32 1", "}", ""]  # fmt: skip
        return ["\n".join(whole), *functions]

    def share_out(self, kept: Sequence[str]) -> dict[str, str]:
        """Give each stretch the memory that only it uses; what is left, by its names."""
        elsewhere, left = self.pointed_to(kept), dict[str, str]()
        for name, line in self.memory.items():
            users = [stretch for stretch in self.stretches if name in stretch.reads]
            if len(users) == 1 and name not in elsewhere:
                users[0].own.append(line)
            elif users:
                left[name] = line
        return left

    def pointed_to(self, kept: Sequence[str]) -> set[str]:
        """The names that may lead to memory behind the end of a stretch: what is kept, and addresses that are not only
        read from, written to or shared by threads, with what these are parts of."""
        found, wholes = set(kept), dict[str, str]()
        for line, names in chain.from_iterable([zip(x.lines, x.names, strict=True) for x in self.stretches]):
            if names and (part := PART.match(line)):
                wholes[part[1]] = part[2]
            elif names and CALL not in line:
                found.update(names[:-1] if PLACE.match(line) else names)
        for part, whole in reversed(wholes.items()):
            if part in found:
                found.add(whole)
        return found

    def size(self, line: str) -> None:
        """Note the lines that compute a size from the arguments, in their order, if they are few."""
        found = COMPUTED.match(line) or EXTREMUM.match(line)
        operands = [x for x in found.groups()[2:] if x.startswith("%") and x not in self.params] if found else []
        if found and all(x in self.sizes for x in operands):
            lines = [*dict.fromkeys([before for x in operands for before in self.sizes[x]]), line]
            if len(lines) <= FEW:
                self.sizes[found[1]] = lines

    def needed(
        self, stretch: Stretch, slots: Mapping[str, int], types: Mapping[str, str]
    ) -> tuple[list[str], list[str]]:
        """The lines that compute the sizes that a stretch reads, and those that load what was kept for it."""
        sizes, loaded = dict[str, None](), list[str]()
        for name in sorted(stretch.reads & self.made.keys()):
            if name in slots:
                at = f"{name}.kept"
                loaded += [f"  {at} = getelementptr i8, ptr %kept, i64 {slots[name]}",
                           f"  {name} = load {types[name]}, ptr {at}, align {GRAIN}"]  # fmt: skip
            else:
                sizes |= dict.fromkeys(self.sizes[name])
        return list(sizes), loaded

    def taken(self, sizes: Sequence[str], stretch: Stretch, shared: Mapping[str, str]) -> list[str]:
        """The parameters of a stretch: what is kept, and of the function's what it reads; of pointers nothing is said,
        since what is kept may point to the same memory."""
        read = stretch.reads | {name for line in sizes for name in names_in(line)}
        given = [f"{param.split()[0]} {name}" for name, param in self.params.items() if name in read]
        return ["ptr %kept", *given, *[f"ptr {name}" for name in shared if name in read]]


def stored_in(name: str, type_: str, slot: int) -> Iterator[str]:
    """The lines that keep a value."""
    yield f"  {name}.keep = getelementptr i8, ptr %kept, i64 {slot}"
    yield f"  store {type_} {name}, ptr {name}.keep, align {GRAIN}"


def slot_size(type_: str) -> int:
    """The bytes that keep a value of a type; 0 for types that are not kept."""
    found = VECTOR.fullmatch(type_)
    return int(found[1]) * GRAIN if found else GRAIN if type_ in WORDS else 0


def names_in(line: str) -> list[str]:
    """The names of values in a line."""
    return NAME.findall(TARGET.sub("", line) if "label %" in line else line)


def type_of(line: str) -> str:
    """The type of what an instruction gives.

    >>> type_of("  %a = fadd reassoc nsz double %x, %y"), type_of("  %b = icmp slt i64 %i, %n")
    ('double', 'i1')
    >>> type_of("  %s = shufflevector <8 x double> %x, <8 x double> poison, <4 x i32> zeroinitializer")
    '<4 x double>'
    >>> type_of("  %c = sitofp i64 %n to double"), type_of("  %d = getelementptr double, ptr %p, i64 %i")
    ('double', 'ptr')
    """
    found = MADE.match(line)
    assert found is not None
    if found[2] in ("getelementptr", "alloca"):
        return "ptr"
    types = TYPE.findall(found[3])
    if found[2] in ("icmp", "fcmp"):
        return "i1" if types and not types[0].startswith("<") else ""
    if found[2] == "select":
        return types[1] if len(types) > 1 else ""
    if found[2] == "shufflevector":
        return types[0].replace(types[0].split()[0], types[-1].split()[0])
    if found[2] in ("extractelement", "extractvalue") or "{" in found[3]:
        return ""
    return types[-1] if " to " in found[3] else types[0] if types else ""
