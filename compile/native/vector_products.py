"""Products of a matrix and a vector: `ccc_times_vector`, a sum for each row, `ccc_vector_times`, one for each column.

    ccc_times_vector(m, n, a, lda, x, y)        y[m] = a[m, n] @ x[n]
    ccc_vector_times(m, n, a, lda, x, y)        y[n] = x[m] @ a[m, n]

All are in doubles, or in floats for those called `_float`, the rows of the matrix `lda` of them apart. The first makes
the sums of as many rows at once as a register has numbers: each in a register of its own, so that none waits for
another, and what these hold is added up in all together. The second adds so many rows at once to what was read of `y`.
Either reads the matrix once, in the order of memory; what is no whole vector is read and written under a mask. Threads
take rows, or columns, of a large matrix: no sum depends on how many they are.

>>> [Form.of(cpu).rows for cpu in (Cpu("znver4", "+avx512f,+avx2"), Cpu("haswell", "+avx2"), Cpu("", ""))]
[8, 8, 8]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from ccc.compile.native import engine, threads
from ccc.compile.native.by_hand import at, joined, loop
from ccc.compile.native.cpus import Cpu
from ccc.compile.native.dtypes import BYTES, FLOATING
from ccc.compile.native.instructions import SMIN, SUFFIX
from ccc.values import value

ADDED = 8
"""So many rows are added at once."""
PART = 1 << 15
"""A thread takes no fewer numbers of a matrix at once."""
BY_ROWS, BY_COLUMNS = "ccc_times_vector", "ccc_vector_times"
NAMES = {item: [name if item == "double" else f"{name}_{item}" for name in (BY_ROWS, BY_COLUMNS)] for item in FLOATING}
"""By the type of the items."""
FIELDS = ("i64", "%m"), ("i64", "%n"), ("ptr", "%a"), ("i64", "%lda"), ("ptr", "%x"), ("ptr", "%y")
GIVEN = ", ".join([f"{type_} {name}" for type_, name in FIELDS])
DECLARED = [f"declare void @{name}(i64, i64, ptr, i64, ptr, ptr)" for names in NAMES.values() for name in names]


@value()
class Form:
    """How many numbers of a type a register holds."""

    lanes: int
    item: str = "double"

    @staticmethod
    def of(cpu: Cpu, item: str = "double") -> Form:
        """What suits a processor."""
        return Form((cpu.lanes or 2) * BYTES["double"] // BYTES[item], item)

    @property
    def rows(self) -> int:
        """The rows whose sums are made at once: some vectors full of sums."""
        return max(self.lanes, 8)

    @property
    def vector(self) -> str:
        return f"<{self.lanes} x {self.item}>"

    @property
    def tests(self) -> str:
        return f"<{self.lanes} x i1>"

    @property
    def suffix(self) -> str:
        return f"v{self.lanes}{SUFFIX[self.item]}"

    @property
    def align(self) -> int:
        return BYTES[self.item]

    def at(self, x: str, base: str, row: str | int = 0, apart: str | int = 0, column: str | int = 0) -> str:
        """See `by_hand`."""
        return at(x, base, row, apart, column, self.item)

    def below(self, x: str, n: str) -> str:
        """The mask of the lanes whose number is less than `n`."""
        numbers, v = ", ".join(f"i64 {k}" for k in range(self.lanes)), f"<{self.lanes} x i64>"
        return f"""  {x}.one = insertelement {v} poison, i64 {n}, i64 0
  {x}.all = shufflevector {v} {x}.one, {v} poison, <{self.lanes} x i32> zeroinitializer
  {x} = icmp slt {v} <{numbers}>, {x}.all"""

    def loaded(self, x: str, place: str, mask: str = "") -> str:
        """A vector of memory, or what a mask lets through of it and zeros."""
        if not mask:
            return f"  {x} = load {self.vector}, ptr {place}, align {self.align}"
        given = f"ptr {place}, i32 {self.align}, {self.tests} {mask}, {self.vector} zeroinitializer"
        return f"  {x} = call {self.vector} @llvm.masked.load.{self.suffix}.p0({given})"

    def stored(self, x: str, place: str, mask: str = "") -> str:
        if not mask:
            return f"  store {self.vector} {x}, ptr {place}, align {self.align}"
        given = f"{self.vector} {x}, ptr {place}, i32 {self.align}, {self.tests} {mask}"
        return f"  call void @llvm.masked.store.{self.suffix}.p0({given})"

    def added(self, name: str, x: str, y: str, to: str) -> str:
        """A sum with the product of two vectors."""
        v = self.vector
        return f"  {name} = call {v} @llvm.fmuladd.{self.suffix}({v} {x}, {v} {y}, {v} {to})"


def by_rows(f: Form) -> str:
    """The sums of rows, `f.rows` at once."""
    rows = range(f.rows)
    places = joined(f"""  %i{r} = add i64 %i, {r}
  %row{r} = call i64 @llvm.smin.i64(i64 %i{r}, i64 %last)
{f.at(f"a{r}", "%a", f"%row{r}", "%lda")}""" for r in rows)
    sums = joined(f"  %sum{r} = phi {f.vector} [ zeroinitializer, %i.do ], [ %now{r}, %step.on ]" for r in rows)

    def terms(given: str, made: str, mask: str = "") -> str:
        left = joined(joined([f.at(f"{made}{r}.at", f"%a{r}", column="%p"),
                              f.loaded(f"%{made}{r}.a", f"%{made}{r}.at", mask),
                              f.added(f"%{made}{r}", f"%{made}{r}.a", f"%{made}.x", f"%{given}{r}")]) for r in rows)
        return joined([f.at(f"{made}.at", "%x", column="%p"), f.loaded(f"%{made}.x", f"%{made}.at", mask), left])

    ends = joined(f"  %end{r} = phi {f.vector} [ %sum{r}, %rest ], [ %more{r}, %tail ]" for r in rows)
    results = joined(results_of(f, [f"%end{r}" for r in range(first, first + f.lanes)], first)
                     for first in range(0, f.rows, f.lanes))
    body = f"""{places}
  br label %step
step:
  %p = phi i64 [ 0, %i.do ], [ %p.next, %step.on ]
{sums}
  %in = icmp slt i64 %p, %whole
  br i1 %in, label %step.on, label %rest
step.on:
{terms("sum", "now")}
  %p.next = add i64 %p, {f.lanes}
  br label %step
rest:
  br i1 %even, label %summed, label %tail
tail:
{terms("sum", "more", "%mask")}
  br label %summed
summed:
{ends}
{results}"""
    return f"""define internal void @rows({GIVEN}) {{
  %last = sub i64 %m, 1
  %whole = and i64 %n, {-f.lanes}
  %left = sub i64 %n, %whole
  %even = icmp eq i64 %left, 0
{f.below("%mask", "%left")}
{loop("i", 0, "%m", f.rows, body)}
  ret void
}}"""


def results_of(f: Form, sums: Sequence[str], first: int) -> str:
    """Write what as many vectors as one has lanes come to, one number each: halves of two are added side by side, then
    halves of these halves."""
    lines, span = list[str](), f.lanes
    while len(sums) > 1:
        sums = list(halved(f, sums, span, lines))
        span //= 2
    place, mask = f"%y{first}", f"%rows{first}"
    left = f"  {mask}.left = sub i64 %m, %i{first}"
    return joined([*lines, left, f.below(mask, f"{mask}.left"), f.at(place[1:], "%y", column=f"%i{first}"),
                   f.stored(sums[0], place, mask)])


def halved(f: Form, sums: Sequence[str], span: int, lines: list[str]) -> Iterator[str]:
    """For each two vectors one that has both: the sums of halves of what stands in `span` lanes."""
    for a, b in zip(sums[::2], sums[1::2], strict=True):
        starts = [start + k for start in range(0, 2 * f.lanes, span) for k in range(span // 2)]
        low, high = [", ".join(f"i32 {k + more}" for k in starts) for more in (0, span // 2)]
        name = f"{a}.{span}"
        lines.extend([
            f"  {name}.{half} = shufflevector {f.vector} {a}, {f.vector} {b}, <{f.lanes} x i32> <{order}>"
            for half, order in (("low", low), ("high", high))
        ])
        lines.append(f"  {name} = fadd {f.vector} {name}.low, {name}.high")
        yield name


def rows_added(f: Form, rows: int) -> str:
    """Add so many rows, each times its number, to `y`."""
    numbers = joined(f"""{f.at(f"x{r}.at", "%x", column=r)}
  %x{r}.it = load {f.item}, ptr %x{r}.at
  %x{r}.one = insertelement {f.vector} poison, {f.item} %x{r}.it, i64 0
  %x{r} = shufflevector {f.vector} %x{r}.one, {f.vector} poison, <{f.lanes} x i32> zeroinitializer
{f.at(f"a{r}", "%a", r, "%lda")}""" for r in range(rows))

    def sums(name: str, column: str, mask: str = "") -> str:
        lines = [f.at(f"{name}.at", "%y", column=column), f.loaded(f"%{name}.y", f"%{name}.at", mask)]
        now = [f"%{name}.y", "zeroinitializer"]  # every other row, so that half as many wait for each other
        for r in range(rows):
            lines += [f.at(f"{name}{r}.at", f"%a{r}", column=column), f.loaded(f"%{name}{r}.a", f"%{name}{r}.at", mask),
                      f.added(f"%{name}{r}", f"%x{r}", f"%{name}{r}.a", now[r % 2])]
            now[r % 2] = f"%{name}{r}"
        whole = f"  %{name} = fadd {f.vector} {now[0]}, {now[1]}"
        return joined([*lines, whole, f.stored(f"%{name}", f"%{name}.at", mask)])

    return f"""define internal void @added{rows}(i64 %n, ptr %a, i64 %lda, ptr %x, ptr %y) {{
{numbers}
  %whole = and i64 %n, {-f.lanes}
  %left = sub i64 %n, %whole
  %even = icmp eq i64 %left, 0
{loop("j", 0, "%whole", f.lanes, sums("now", "%j"))}
  br i1 %even, label %end, label %tail
tail:
{f.below("%mask", "%left")}
{sums("more", "%whole", "%mask")}
  br label %end
end:
  ret void
}}"""


def by_columns(f: Form) -> str:
    """The sums of columns: rows are added to zeros, in groups, of which the last are smaller."""

    def group(name: str, row: str, rows: int) -> str:
        return f"""{f.at(f"{name}.a", "%a", row, "%lda")}
{f.at(f"{name}.x", "%x", column=row)}
  call void @added{rows}(i64 %n, ptr %{name}.a, i64 %lda, ptr %{name}.x, ptr %y)"""

    last = joined(f"""  %first{k} = and i64 %m, {-2 * k}
  %bit{k} = and i64 %m, {k}
  %some{k} = icmp ne i64 %bit{k}, 0
  br i1 %some{k}, label %add{k}, label %over{k}
add{k}:
{group(f"last{k}", f"%first{k}", k)}
  br label %over{k}
over{k}:""" for k in halves(ADDED))
    return f"""define internal void @columns({GIVEN}) {{
  %bytes = mul i64 %n, {f.align}
  call void @llvm.memset.p0.i64(ptr %y, i8 0, i64 %bytes, i1 false)
  %whole = and i64 %m, {-ADDED}
{loop("i", 0, "%whole", ADDED, group("all", "%i", ADDED))}
{last}
  ret void
}}"""


def halves(n: int) -> Iterator[int]:
    """The powers of two below one."""
    while n > 1:
        n //= 2
        yield n


def parted(f: Form, name: str, whole: str, along: str) -> str:
    """A product of which threads take parts along the rows or the columns, where the matrix is large."""
    words = joined(f"  %at{i} = getelementptr i64, ptr %context, i64 {i}\n  store {type_} {x}, ptr %at{i}"
                   for i, (type_, x) in enumerate(FIELDS))
    read = joined(f"  %at{i} = getelementptr i64, ptr %context, i64 {i}\n  {x} = load {type_}, ptr %at{i}"
                  for i, (type_, x) in enumerate(FIELDS))
    by_rows = along == "%m"
    counts = "i64 %some, i64 %n" if by_rows else "i64 %m, i64 %some"
    other = "%n" if by_rows else "%m"
    return f"""define internal void @{whole}_part(ptr %context, i64 %start, i64 %stop, ptr %cell) {{
{read}
  %some = sub i64 %stop, %start
{f.at("a.part", "%a", "%start", "%lda") if by_rows else f.at("a.part", "%a", column="%start")}
{f.at("y.part", "%y", column="%start")}
  call void @{whole}({counts}, ptr %a.part, i64 %lda, ptr %x, ptr %y.part)
  ret void
}}

define void @{name}({GIVEN}) {{
  %context = alloca [{len(FIELDS)} x i64]
  %items = mul i64 %m, %n
  %small = icmp slt i64 %items, {threads.FEW * PART}
  br i1 %small, label %alone, label %shared
alone:
  call void @{whole}(i64 %m, i64 %n, ptr %a, i64 %lda, ptr %x, ptr %y)
  ret void
shared:
{words}
  %least.down = udiv i64 {PART}, {other}
  %least = add i64 %least.down, 1
  %parts = call i64 @ccc_share(ptr @{whole}_part, ptr %context, ptr null, i64 0, i64 {along}, i64 %least)
  ret void
}}"""


def text(f: Form) -> str:
    """The code of both."""
    v, tests = f.vector, f.tests
    declared = f"""declare i64 @llvm.{SMIN.name}.i64(i64, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare {v} @llvm.fmuladd.{f.suffix}({v}, {v}, {v})
declare {v} @llvm.masked.load.{f.suffix}.p0(ptr, i32, {tests}, {v})
declare void @llvm.masked.store.{f.suffix}.p0({v}, ptr, i32, {tests})"""
    parts = [rows_added(f, rows) for rows in (ADDED, *halves(ADDED))]
    shared = [parted(f, name, *x) for name, x in zip(NAMES[f.item], (("rows", "%m"), ("columns", "%n")), strict=True)]
    return "\n\n".join([declared, threads.DECLARED, by_rows(f), *parts, by_columns(f), *shared])


@cache
def functions(item: str = "double") -> engine.Loaded:
    """The addresses of both, which are in memory for as long as the process runs."""
    return loaded(Form.of(engine.cpu(), item), threads.functions().addresses)


def loaded(f: Form, symbols: Mapping[str, int]) -> engine.Loaded:
    """The same for processors with such registers, where `ccc_share` is one of these symbols."""
    return engine.compile_ir(text(f), NAMES[f.item], symbols, effort=engine.Effort.NONE)
