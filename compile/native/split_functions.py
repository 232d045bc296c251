"""A function with many loops as several functions, each a stretch of it.

LLVM's analyses of a loop look at every test on the way to it, so a function takes a time that grows with the square of
its loops. Stretches end where no branch leads across. What one computes and a later one reads is kept in memory, or
computed again where it is a size; memory of its own a stretch has in its own frame. LLVM makes few passes over them
(`engine`), and is not told how the index of a loop moves on: to find addresses that move with it would take longer than
all other passes, and processors have addresses that are sums.

    f0:  loops 1 ... 90     →     f0:  f0_stretch0(kept);  f0_stretch1(kept);  f0_stretch2(kept);  f0_stretch3(kept)

>>> lines = [Room("i64", "%v"), Operation("i64", "add", "%n", "1", "nsw", "%m")]
>>> for k, again, done in [(k, Label(f"head{k}", "head"), Label(f"done{k}", "done")) for k in "12"]:
...     lines += [Jump(again), Begin(again), Load("i64", "%v", name=f"%i{k}"),
...               Operation("i64", "sub", f"%i{k}", "%m", name=f"%j{k}"), Store("i64", f"%j{k}", "%v"),
...               Comparison("sgt", "i64", f"%j{k}", "0", f"%t{k}"), Fork(f"%t{k}", again, done), Begin(done)]
>>> f = Function("f0", [Param("i64", "%n")], [*lines, Return("i32", "0")], "")
>>> whole, first, second = in_stretches(Code([f]), many=2, each=1).pieces
>>> print(whole)
define internal i32 @f0(i64 %n) {
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
>>> print(second)  # doctest: +ELLIPSIS
define internal i32 @f0_stretch1(ptr %kept, i64 %n, ptr %v) noinline {
entry:
  %m = add nsw i64 %n, 1
...
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import accumulate, chain

from ccc.compile.native.batched_allocations import at_once
from ccc.compile.native.code import (
    LEAVE,
    Address,
    Begin,
    Call,
    Comparison,
    Fork,
    Instruction,
    Jump,  # noqa: F401
    Label,
    Load,
    Operation,  # noqa: F401
    Room,
    Store,
    is_name,
    item_of,
)
from ccc.compile.native.dtypes import FLOATING
from ccc.compile.native.functions import Code, Function, Param, Piece, Return
from ccc.compile.native.parallel_parts import SHARE
from ccc.compile.native.stack_allocations import computed
from ccc.compile.native.units import STRETCH
from ccc.compile.native.ways import crossings, ways_in
from ccc.values import slotted

MANY, EACH = 256, 32
"""A function with so many loops is divided into stretches of so many."""
RUNS = ("lanes", "head")
"""The blocks where a run of a loop begins, with its number."""
WORDS = frozenset({*FLOATING, "i64", "i32", "i8", "i1", "ptr"})
VECTORS = frozenset({*FLOATING, "i64", "i32"})
"""The types of what is kept from one stretch to the next, and those that vectors of it are of."""
GRAIN = 8
FEW = 8
"""What takes no more instructions is computed again."""


class Opaque(Instruction):
    """The same number, of which LLVM does not know how it changes."""

    __slots__ = ()

    def __init__(self, x: str, name: str) -> None:
        self.name, self.type, self.operands = name, "i64", (x,)

    def body(self) -> str:
        return f'call i64 asm "", "=r,0"(i64 {self.operands[0]})'


def in_stretches(code: Code, many: int = MANY, each: int = EACH) -> Code:
    """A module in which no function stands that has many loops of its own."""
    out: list[Piece] = []
    for piece in code.pieces:
        functions = list[Function]()
        if isinstance(piece, Function) and piece.result == "i32":  # one that may leave, and no part of a loop
            ends = divided(piece.lines, many, each)
            functions = Division(piece, ends).functions(code.simple) if ends else functions
        out += functions or [piece]
    return code.of(out)


def divided(lines: Sequence[Instruction], many: int, each: int) -> list[int]:
    """Where the stretches of a function end that has many loops: no way between two lines leads across."""
    ways = ways_in(lines)
    closed = Counter([n + 1 for n, to in ways if to <= n])  # loops, by the lines behind them
    if closed.total() < many:
        return []
    crossed = crossings(ways, len(lines))
    ends, loops = list[int](), 0
    for n in range(length(lines) - 1):
        loops += closed[n]
        if loops >= each and not crossed[n] and not isinstance(lines[n], Begin):
            ends.append(n)
            loops = 0
    return ends if loops else ends[:-1]


def length(lines: Sequence[Instruction]) -> int:
    """How many lines of a function are before those where it ends early."""
    return next((n for n, line in enumerate(lines) if isinstance(line, Begin) and line.label == LEAVE), len(lines))


@slotted
class Stretch:
    """Some lines of a function with the names in each, what they read that is made elsewhere, and the memory that only
    they use."""

    lines: list[Instruction]
    names: list[list[str]]
    reads: set[str]
    own: list[Instruction] = field(default_factory=list[Instruction])


class Division:
    """A function and where its stretches end."""

    def __init__(self, function: Function, ends: list[int]) -> None:
        self.whole, lines = function, function.lines
        self.params = {param.name: Param(param.type, param.name) for param in function.params}
        self.memory = {line.name: line for line in lines if isinstance(line, Room)}
        self.sizes: dict[str, list[Instruction]] = {}
        for line in lines:
            self.size(line)
        self.made: dict[str, tuple[int, Instruction]] = {}
        self.stretches: list[Stretch] = []
        for start, end in zip([0, *ends], [*ends, length(lines)], strict=True):
            before, part = at_once([line for line in lines[start:end] if not isinstance(line, Room)], self.sizes)
            part = [*before, *part]
            made = {line.name: line for line in part if line.name}
            self.made |= {name: (len(self.stretches), line) for name, line in made.items()}
            part, names = self.without_idle_sizes(part)
            self.stretches.append(Stretch(part, names, set(chain.from_iterable(names)) - made.keys()))

    def without_idle_sizes(self, lines: list[Instruction]) -> tuple[list[Instruction], list[list[str]]]:
        """The lines of a stretch without sizes that it does not read, those of memory that is requested at once; and
        the names in each. A stretch that reads such a size computes it."""
        names = [line.named() for line in lines]
        times, kept = Counter(chain.from_iterable(names)), list[tuple[Instruction, list[str]]]()
        for line, here in zip(reversed(lines), reversed(names), strict=True):
            if line.name in self.sizes and times[line.name] == 1:
                times.subtract(here)
            else:
                kept.append((line, here))
        return [line for line, _ in reversed(kept)], [here for _, here in reversed(kept)]

    def functions(self, hidden: bool) -> list[Function]:
        """The function and its stretches; none where something is kept that has another type. Indices are `hidden`
        where LLVM makes no vectors of loops."""
        crossing = {name for stretch in self.stretches for name in stretch.reads if name in self.made}
        kept = sorted(crossing - self.sizes.keys())
        types = {name: self.made[name][1].type for name in kept}
        if not all(map(slot_size, types.values())):
            return []
        shared = self.share_out(kept)
        *places, size = accumulate([slot_size(type_) for type_ in types.values()], initial=0)
        slots = dict(zip(kept, places, strict=True))
        calls, functions = list[Instruction](), list[Function]()
        for i, stretch in enumerate(self.stretches):
            sizes, loaded = self.needed(stretch, slots, types)
            params = self.taken(sizes, stretch, shared)
            last = i == len(self.stretches) - 1
            stored = [line for name in kept if self.made[name][0] == i
                      for line in stored_in(name, types[name], slots[name])]  # fmt: skip
            body = with_hidden_indices(stretch.lines) if hidden else stretch.lines
            lines = [*stretch.own, *loaded, *sizes, *body, *stored, *([] if last else [Return("i32", "0")]),
                     Begin(LEAVE), Return("i32", "1")]  # fmt: skip
            name = f"{self.whole.name}{STRETCH}{i}"
            functions.append(Function(name, params, lines, f" noinline{self.whole.attributes}"))
            status, left, on = f"%stretch{i}", f"%left{i}", Label(f"on{i}", "on")
            given, operands = tuple([p.type for p in params]), tuple([p.name for p in params])
            calls.append(Call("i32", name, given, operands, name=status))
            calls += [Return("i32", status)] if last else [
                Comparison("ne", "i32", status, "0", left), Fork(left, LEAVE, on), Begin(on)]
        lines = [*shared.values(), Room("i8", "%kept", size, GRAIN, array=True), *calls, Begin(LEAVE),
                 Return("i32", "1")]  # fmt: skip
        return [replace(self.whole, lines=lines), *functions]

    def share_out(self, kept: Sequence[str]) -> dict[str, Instruction]:
        """Give each stretch the memory that only it uses; what is left, by its names."""
        elsewhere, left = self.pointed_to(kept), dict[str, Instruction]()
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
            match line:
                case Address(at_type="ptr", operands=(at, _)) if is_name(at):
                    wholes[line.name] = at
                case Load() | Store() if is_name(line.at):
                    found.update(names[:-1])
                case Call() if line.function == SHARE:
                    pass
                case _:
                    found.update(names)
        for part, whole in reversed(wholes.items()):
            if part in found:
                found.add(whole)
        return found

    def size(self, line: Instruction) -> None:
        """Note the lines that compute a size from the arguments, in their order, if they are few."""
        found = computed(line)
        operands = [x for x in found[2:] if is_name(x) and x not in self.params] if found else []
        if found and all(x in self.sizes for x in operands):
            lines = [*dict.fromkeys([before for x in operands for before in self.sizes[x]]), line]
            if len(lines) <= FEW:
                self.sizes[line.name] = lines

    def needed(
        self, stretch: Stretch, slots: Mapping[str, int], types: Mapping[str, str]
    ) -> tuple[list[Instruction], list[Instruction]]:
        """The lines that compute the sizes that a stretch reads, and those that load what was kept for it."""
        sizes, loaded = dict[Instruction, None](), list[Instruction]()
        for name in sorted(stretch.reads & self.made.keys()):
            if name in slots:
                at = f"{name}.kept"
                loaded += [Address("i8", "%kept", str(slots[name]), name=at), Load(types[name], at, GRAIN, name)]
            else:
                sizes |= dict.fromkeys(self.sizes[name])
        return list(sizes), loaded

    def taken(
        self, sizes: Sequence[Instruction], stretch: Stretch, shared: Mapping[str, Instruction]
    ) -> list[Param]:
        """The parameters of a stretch: what is kept, and of the function's what it reads; of pointers nothing is said,
        since what is kept may point to the same memory."""
        read = stretch.reads | {name for line in sizes for name in line.named()}
        given = [param for name, param in self.params.items() if name in read]
        return [Param("ptr", "%kept"), *given, *[Param("ptr", name) for name in shared if name in read]]


def with_hidden_indices(lines: Sequence[Instruction]) -> Iterator[Instruction]:
    """The lines of a stretch, where LLVM does not know how the indices of loops change."""
    before = None
    for line in lines:
        if isinstance(before, Begin) and before.role in RUNS and isinstance(line, Load) and line.type == "i64":
            known = f"{line.name}.known"
            yield line.renamed({line.name: known})
            yield Opaque(known, line.name)
        else:
            yield line
        before = line


def stored_in(name: str, type_: str, slot: int) -> Iterator[Instruction]:
    """The lines that keep a value."""
    yield Address("i8", "%kept", str(slot), name=f"{name}.keep")
    yield Store(type_, name, f"{name}.keep", GRAIN)


def slot_size(type_: str) -> int:
    """The bytes that keep a value of a type; 0 for types that are not kept.

    >>> slot_size("double"), slot_size("<4 x i64>"), slot_size("{i64, i1}")
    (8, 32, 0)
    """
    if type_ in WORDS:
        return GRAIN
    item = item_of(type_)
    return int(type_[1 : type_.index(" ")]) * GRAIN if item in VECTORS and item != type_ else 0
