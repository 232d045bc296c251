"""Products of large matrices: `ccc_product`, which makes them of tiles that stay in registers.

    ccc_product(m, n, k, a, lda, a.turned, b, ldb, b.turned, c, ldc)        c[m, n] = a[m, k] @ b[k, n]

All matrices are in rows of doubles, or of floats for `ccc_product_float`, `ld` of them apart; one that is `turned` is
given as its transpose. `k` is not 0. A
tile is `ROWS` rows of `width` columns of the result, summed over at most `DEEP` terms. What is read of `b` for a column
of tiles lies together in a panel, which stays in the nearest cache for all of them; `a` is read where it is, or,
turned, from a copy of `HIGH` of its columns. A tile at the right edge is made in memory of its own; at the lower edge
the last row is made as often as rows are missing. This is the scheme of Goto and van de Geijn, *Anatomy of
High-Performance Matrix Multiplication* (2008), for matrices that mostly fit into caches.

Threads take parts of the rows of a large product. Which parts there are follows from the sizes, and no sum depends on
them: so the digits are the same whatever the number of threads is.

>>> [Shape.of(cpu).width for cpu in (Cpu("znver4", "+avx512f,+avx2"), Cpu("haswell", "+avx2"), Cpu("", ""))]
[32, 8, 4]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

from ccc.compile.native import engine, threads
from ccc.compile.native.by_hand import at, joined, loop
from ccc.compile.native.cpus import Cpu
from ccc.compile.native.dtypes import BYTES, FLOATING
from ccc.compile.native.instructions import SMAX, SMIN, SUFFIX
from ccc.values import value

ROWS = 6
"""The rows of a tile: with the vectors of a row of it as many sums as registers hold, beside what is added to them."""
DEEP = 128
"""The terms of a tile's sums that are added before the next tile."""
GROUP = 32
"""The columns of `b` that are copied at once, or those of a tile: to one panel or several, whole lines of the cache."""
HIGH = 192
"""The rows of a product whose part of a turned matrix is copied at once."""
PART = 500_000
"""A thread takes no fewer products of numbers at once: less takes about as long as to start it."""
NAME = "ccc_product"
NAMES = {item: NAME if item == "double" else f"{NAME}_{item}" for item in FLOATING}
"""By the type of the items."""
DECLARED = [f"declare void @{name}(i64, i64, i64, ptr, i64, i1, ptr, i64, i1, ptr, i64)" for name in NAMES.values()]
GIVEN = "i64 %m, i64 %n, i64 %k, ptr %a, i64 %lda, i1 %a.turned, ptr %b, i64 %ldb, i1 %b.turned, ptr %c, i64 %ldc"
FIELDS = [tuple(given.split()) for given in GIVEN.split(", ")]


@value()
class Shape:
    """How many numbers of a type a register holds, and how many registers a row of a tile takes."""

    lanes: int
    vectors: int
    item: str = "double"

    @staticmethod
    def of(cpu: Cpu, item: str = "double") -> Shape:
        """What suits a processor: 24 sums where it has 32 registers, 12 where it has 16."""
        lanes = (cpu.lanes or 2) * BYTES["double"] // BYTES[item]
        return Shape(lanes, 4 if cpu.has("avx512f") or cpu.has("neon") else 2, item)

    @property
    def width(self) -> int:
        """The columns of a tile."""
        return self.lanes * self.vectors

    @property
    def vector(self) -> str:
        return f"<{self.lanes} x {self.item}>"

    @property
    def group(self) -> int:
        """The columns of `b` that are copied at once."""
        return max(GROUP, self.width)

    @property
    def fma(self) -> str:
        """The name of LLVM's product and sum."""
        return f"llvm.fmuladd.v{self.lanes}{SUFFIX[self.item]}"

    def at(self, x: str, base: str, row: str | int, apart: str | int, column: str | int = 0) -> str:
        """See `by_hand`."""
        return at(x, base, row, apart, column, self.item)

    @property
    def square(self) -> int:
        """The sides of the squares that are transposed in registers."""
        return min(self.lanes, 4)

    @property
    def bytes(self) -> int:
        return BYTES[self.item] * self.lanes


def tile(s: Shape) -> str:
    """The sums of a tile, or what they add to it where there is `more`; rows from `%rows` on are the last one again."""
    places = [(r, v) for r in range(ROWS) for v in range(s.vectors)]
    rows = joined(f"""  %row{r} = call i64 @llvm.smin.i64(i64 %last, i64 {r})
{s.at(f"a{r}", "%a", f"%row{r}", "%apart")}
{s.at(f"c{r}", "%c", f"%row{r}", "%ldc")}""" for r in range(ROWS))
    before = joined(f"""  %c{r}.{v} = getelementptr {s.item}, ptr %c{r}, i64 {v * s.lanes}
  %was{r}.{v} = load {s.vector}, ptr %c{r}.{v}, align {BYTES[s.item]}""" for r, v in places)
    sums = joined(f"  %sum{r}.{v} = phi {s.vector} [ zeroinitializer, %entry ], [ %was{r}.{v}, %before ], "
                  f"[ %now{r}.{v}, %step ]" for r, v in places)
    right = joined(f"""{s.at(f"b{v}", "%panel", "%p", s.width, v * s.lanes)}
  %y{v} = load {s.vector}, ptr %b{v}, align {s.bytes}""" for v in range(s.vectors))
    left = joined(f"""{s.at(f"x{r}.at", f"%a{r}", "%p", "%next")}
  %x{r} = load {s.item}, ptr %x{r}.at
  %x{r}.one = insertelement {s.vector} poison, {s.item} %x{r}, i64 0
  %x{r}.all = shufflevector {s.vector} %x{r}.one, {s.vector} poison, <{s.lanes} x i32> zeroinitializer"""
        for r in range(ROWS))
    added = joined(f"  %now{r}.{v} = call {s.vector} @{s.fma}({s.vector} %x{r}.all, "
                   f"{s.vector} %y{v}, {s.vector} %sum{r}.{v})" for r, v in places)
    stored = joined(f"""  %to{r}.{v} = getelementptr {s.item}, ptr %c{r}, i64 {v * s.lanes}
  store {s.vector} %now{r}.{v}, ptr %to{r}.{v}, align {BYTES[s.item]}""" for r, v in places)
    return f"""declare {s.vector} @{s.fma}({s.vector}, {s.vector}, {s.vector})

define internal void @tile(i64 %deep, i64 %rows, ptr %a, i64 %apart, i64 %next, ptr %panel, ptr %c, i64 %ldc,
                           i1 %more) {{
entry:
  %last = sub i64 %rows, 1
{rows}
  br i1 %more, label %before, label %step
before:
{before}
  br label %step
step:
  %p = phi i64 [ 0, %entry ], [ 0, %before ], [ %p.next, %step ]
{sums}
{right}
{left}
{added}
  %p.next = add i64 %p, 1
  %again = icmp slt i64 %p.next, %deep
  br i1 %again, label %step, label %end
end:
{stored}
  ret void
}}"""


def copied(s: Shape) -> str:
    """Copy a matrix; columns from `%columns` up to `%upto` are zeros."""
    vector = f"""{s.at("v.from", "%here", 0, 0, "%v")}
{s.at("v.to", "%there", 0, 0, "%v")}
  %v.x = load {s.vector}, ptr %v.from, align {BYTES[s.item]}
  store {s.vector} %v.x, ptr %v.to, align {BYTES[s.item]}"""
    number = f"""{s.at("j.from", "%here", 0, 0, "%j")}
{s.at("j.to", "%there", 0, 0, "%j")}
  %j.x = load {s.item}, ptr %j.from
  store {s.item} %j.x, ptr %j.to"""
    zero = f"""{s.at("z.to", "%there", 0, 0, "%z")}
  store {s.item} 0.0, ptr %z.to"""
    row = f"""{s.at("here", "%from", "%i", "%from.apart")}
{s.at("there", "%to", "%i", "%to.apart")}
{loop("v", 0, "%whole", s.lanes, vector)}
{loop("j", "%whole", "%columns", 1, number)}
{loop("z", "%columns", "%upto", 1, zero)}"""
    return f"""define internal void @copied(ptr %from, i64 %from.apart, i64 %rows, i64 %columns, ptr %to, i64 %to.apart,
                             i64 %upto) {{
  %whole = and i64 %columns, {-s.lanes}
{loop("i", 0, "%rows", 1, row)}
  ret void
}}"""


def straight(s: Shape) -> str:
    """A whole group of columns, as panels."""
    vectors = joined(f"""{s.at(f"v{v}.from", "%here", 0, 0, v)}
{s.at(f"v{v}.to", "%panels", "%i", s.width, v // s.width * s.width * DEEP + v % s.width)}
  %v{v} = load {s.vector}, ptr %v{v}.from, align {BYTES[s.item]}
  store {s.vector} %v{v}, ptr %v{v}.to, align {s.bytes}""" for v in range(0, s.group, s.lanes))
    row = joined([s.at("here", "%b", "%i", "%ldb"), vectors])
    return f"""define internal void @straight(ptr %b, i64 %ldb, i64 %deep, ptr %panels) {{
{loop("i", 0, "%deep", 1, row)}
  ret void
}}"""


def turned(s: Shape) -> str:
    """The transpose of `%columns` rows of a matrix, as a panel; columns from there on are the last one again."""
    n = s.square
    vector = f"<{n} x {s.item}>"
    rows = joined(f"""  %j{r} = add i64 %j, {r}
  %row{r} = call i64 @llvm.smin.i64(i64 %last, i64 %j{r})
{s.at(f"b{r}", "%b", f"%row{r}", "%ldb")}""" for r in range(n))
    loaded = joined(f"""{s.at(f"v{r}.from", f"%b{r}", 0, 0, "%v")}
  %x1.{r} = load {vector}, ptr %v{r}.from, align {BYTES[s.item]}""" for r in range(n))
    exchanged = joined(exchange(s.item, n, 1 << bit, r) for bit in range(n.bit_length() - 1) for r in range(n))
    stored = joined(f"""  %v{r} = add i64 %v, {r}
{s.at(f"v{r}.to", "%panel", f"%v{r}", s.width, "%j")}
  store {vector} %x{n}.{r}, ptr %v{r}.to, align {BYTES[s.item] * n}""" for r in range(n))
    numbers = joined(f"""{s.at(f"p{r}.from", f"%b{r}", 0, 0, "%p")}
{s.at(f"p{r}.to", "%panel", "%p", s.width, f"%j{r}")}
  %p{r}.x = load {s.item}, ptr %p{r}.from
  store {s.item} %p{r}.x, ptr %p{r}.to""" for r in range(n))
    vectors = joined([loaded, exchanged, stored])
    group = joined([rows, loop("v", 0, "%whole", n, vectors), loop("p", "%whole", "%deep", 1, numbers)])
    return f"""define internal void @turned(ptr %b, i64 %ldb, i64 %deep, i64 %columns, ptr %panel) {{
  %last = sub i64 %columns, 1
  %whole = and i64 %deep, {-n}
{loop("j", 0, s.width, n, group)}
  ret void
}}"""


def exchange(item: str, n: int, span: int, r: int) -> str:
    """Vector `r` of a square after one step of its transpose: one bit of the row and of the column change places."""
    low, high, mine = r & ~span, r | span, span if r & span else 0
    places = ", ".join(f"i32 {(c & ~span | mine) + (n if c & span else 0)}" for c in range(n))
    first, second = (f"<{n} x {item}> %x{span}.{row}" for row in (low, high))
    return f"  %x{2 * span}.{r} = shufflevector {first}, {second}, <{n} x i32> <{places}>"


def rows_of_tile(s: Shape) -> str:
    """A tile, or what there is of it at an edge."""
    here = "i64 %deep, i64 %rows, ptr %tile.a, i64 %apart, i64 %next, ptr %panel"
    return f"""  %rows.left = sub i64 %height, %i
  %rows = call i64 @llvm.smin.i64(i64 %rows.left, i64 {ROWS})
{s.at("tile.a", "%a.here", "%i", "%apart")}
  %row = add i64 %high, %i
{s.at("tile.c", "%c", "%row", "%ldc", "%column")}
  br i1 %whole, label %inside, label %edge
inside:
  call void @tile({here}, ptr %tile.c, i64 %ldc, i1 %more)
  br label %i.over
edge:
  br i1 %more, label %edge.more, label %edge.tile
edge.more:
  call void @copied(ptr %tile.c, i64 %ldc, i64 %rows, i64 %columns, ptr %own, i64 {s.width}, i64 %columns)
  br label %edge.tile
edge.tile:
  call void @tile({here}, ptr %own, i64 {s.width}, i1 %more)
  call void @copied(ptr %own, i64 {s.width}, i64 %rows, i64 %columns, ptr %tile.c, i64 %ldc, i64 %columns)"""


def columns_of_tiles(s: Shape) -> str:
    """The tiles below each other that read one panel of `b`, which is laid out first."""
    return f"""  %column = add i64 %j, %g
  %columns.left = sub i64 %n, %column
  %columns = call i64 @llvm.smin.i64(i64 %columns.left, i64 {s.width})
  %whole = icmp eq i64 %columns, {s.width}
{s.at("panel", "%panels", "%g", DEEP)}
  br i1 %b.turned, label %b.turn, label %b.here
b.turn:
{s.at("b.rows", "%b", "%column", "%ldb", "%depth")}
  call void @turned(ptr %b.rows, i64 %ldb, i64 %deep, i64 %columns, ptr %panel)
  br label %tiles
b.here:
  br i1 %b.straight, label %tiles, label %b.part
b.part:
{s.at("b.columns", "%b", "%depth", "%ldb", "%column")}
  call void @copied(ptr %b.columns, i64 %ldb, i64 %deep, i64 %columns, ptr %panel, i64 {s.width}, i64 {s.width})
  br label %tiles
tiles:
{loop("i", 0, "%height", ROWS, rows_of_tile(s))}"""


def columns_copied_at_once(s: Shape) -> str:
    """The columns whose panels are laid out together where `b` is straight."""
    return f"""  %group.left = sub i64 %n, %j
  %group = call i64 @llvm.smin.i64(i64 %group.left, i64 {s.group})
  %group.whole = icmp eq i64 %group, {s.group}
  %b.straight = select i1 %b.turned, i1 false, i1 %group.whole
  br i1 %b.straight, label %b.all, label %panels.begin
b.all:
{s.at("b.first", "%b", "%depth", "%ldb", "%j")}
  call void @straight(ptr %b.first, i64 %ldb, i64 %deep, ptr %panels)
  br label %panels.begin
panels.begin:
{loop("g", 0, "%group", s.width, columns_of_tiles(s))}"""


def terms_added_at_once(s: Shape) -> str:
    """So many terms of all sums, with what is read of a turned `a` copied first."""
    return f"""  %deep.left = sub i64 %k, %depth
  %deep = call i64 @llvm.smin.i64(i64 %deep.left, i64 {DEEP})
  %more = icmp sgt i64 %depth, 0
  %a.row = select i1 %a.turned, i64 %depth, i64 %high
  %a.column = select i1 %a.turned, i64 %high, i64 %depth
{s.at("a.first", "%a", "%a.row", "%lda", "%a.column")}
  br i1 %a.copied, label %a.copy, label %columns.begin
a.copy:
  call void @copied(ptr %a.first, i64 %lda, i64 %deep, i64 %height, ptr %block, i64 {HIGH}, i64 %height)
  br label %columns.begin
columns.begin:
  %a.here = select i1 %a.copied, ptr %block, ptr %a.first
{loop("j", 0, "%n", s.group, columns_copied_at_once(s))}"""


def part(s: Shape) -> str:
    """The rows of a product from `%start` to `%stop`."""
    fields = joined(f"  %at{i} = getelementptr i64, ptr %context, i64 {i}\n  {name} = load {type_}, ptr %at{i}"
                    for i, (type_, name) in enumerate(FIELDS))
    heights = f"""  %height.left = sub i64 %stop, %high
  %height = call i64 @llvm.smin.i64(i64 %height.left, i64 {HIGH})
{loop("depth", 0, "%k", DEEP, terms_added_at_once(s))}"""
    return f"""declare ptr @malloc(i64)
declare void @free(ptr)

define internal void @part(ptr %context, i64 %start, i64 %stop, ptr %cell) noinline optnone {{
entry:
  %panels = alloca [{DEEP * s.group} x {s.item}], align 64
  %own = alloca [{ROWS * s.width} x {s.item}], align 64
{fields}
  %apart = select i1 %a.turned, i64 1, i64 %lda
  br i1 %a.turned, label %room, label %begin
room:
  %room.got = call ptr @malloc(i64 {BYTES[s.item] * DEEP * HIGH})
  br label %begin
begin:
  %block = phi ptr [ null, %entry ], [ %room.got, %room ]
  %a.copied = icmp ne ptr %block, null
  %a.apart = select i1 %a.copied, i64 {HIGH}, i64 %lda
  %next = select i1 %a.turned, i64 %a.apart, i64 1
{loop("high", "%start", "%stop", HIGH, heights)}
  call void @free(ptr %block)
  ret void
}}"""


def product(s: Shape) -> str:
    """The whole product, in parts that threads take."""
    fields = joined(f"  %at{i} = getelementptr i64, ptr %context, i64 {i}\n  store {type_} {name}, ptr %at{i}"
                    for i, (type_, name) in enumerate(FIELDS))
    return f"""{threads.DECLARED}

define void @{NAMES[s.item]}({GIVEN}) noinline optnone {{
  %context = alloca [{len(FIELDS)} x i64]
{fields}
  %row = mul i64 %n, %k
  %row.or = call i64 @llvm.smax.i64(i64 %row, i64 1)
  %least.down = udiv i64 {PART}, %row.or
  %least = add i64 %least.down, 1
  %parts = call i64 @ccc_share(ptr @part, ptr %context, ptr null, i64 0, i64 %m, i64 %least)
  ret void
}}"""


def text(s: Shape) -> str:
    """The code of `ccc_product`."""
    parts: list[Callable[[Shape], str]] = [tile, copied, straight, turned, part]
    numbers = [f"declare i64 @llvm.{name}.i64(i64, i64)" for name in (SMIN.name, SMAX.name)]
    return "\n\n".join([*numbers, *[f(s) for f in parts], product(s)])


@cache
def functions(item: str = "double") -> engine.Loaded:
    """The address of `ccc_product`, which is in memory for as long as the process runs."""
    return loaded(Shape.of(engine.cpu(), item), threads.functions().addresses)


def loaded(s: Shape, symbols: Mapping[str, int]) -> engine.Loaded:
    """The same for processors with such registers, where `ccc_share` is one of these symbols."""
    return engine.compile_ir(text(s), [NAMES[s.item]], symbols, effort=engine.Effort.NONE)
