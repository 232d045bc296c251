"""The body of a loop, as it is read for several runs: what is known of its names, and how vectors are written.

Each value is of a `Kind`. Memory that a body takes for itself holds one item for all runs while these are the same,
else an item for each lane, side by side.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from ccc.compile.native.builder import Builder, Splat, splat
from ccc.compile.native.code import LEAVE, Instruction, Label, is_name
from ccc.compile.native.dtypes import BYTES
from ccc.compile.native.instructions import SUFFIX
from ccc.compile.native.lane_kinds import Kind
from ccc.values import slotted, value

SUM = "reassoc nsz contract"
"""What may be done to additions whose order is free."""


class Unfit(Exception):
    """A body that this does not take."""


@slotted
class Gathered:
    """A place in memory in which all items come together: of which type, by which operation, and the flags of that."""

    place: str
    type: str
    how: str
    flags: str
    before: str
    item: str
    slots: list[str] = field(default_factory=list[str])


@value()
class Group:
    """Which of the `copies` of vectors that go together this is, and where the first one begins, at a multiple of
    the items of all of them."""

    start: str
    copy: int
    copies: int


Arms = tuple[str, ...]
"""The arms of branches that differ between runs, from outside to inside, by their labels."""


def shared(a: Arms, b: Arms) -> Arms:
    """The arms around both of two places."""
    return tuple([x for i, x in enumerate(a) if a[: i + 1] == b[: i + 1]])


@slotted
class Parted:
    """A branch under way. Where its `test` differs between runs, both arms run, each under a mask of its own, if it has
    any run; else that is empty."""

    test: str
    mask: str
    then: Label
    orelse: Label
    join: Label | None = None


class Region:
    """Memory of one origin: taken by the body, or from `outside`; with what its pointers point to."""

    def __init__(self, outside: bool, own: bool = False, added: bool = False, name: str = "") -> None:
        self.name = name
        self.outside = outside
        self.own = own
        self.added = added
        self.private = False
        self.arms: Arms = ()
        self.points_to: Region | None = None
        self.same_as: Region | None = None
        self.joins = False  # whether it is that of several pointers

    def root(self) -> Region:
        return self if self.same_as is None else self.same_as.root()


class Body(Builder):
    """What is known of a body as it is read."""

    def __init__(self, now: str, lanes: int, w: Any, own: frozenset[str] | None, free: Any) -> None:
        self.now = now
        self.lanes = lanes
        self.w = w
        self.own_memory = own
        self.added = free.added
        self.written = free.written
        self.made: set[str] = set()
        self.definitions: dict[str, Any] = {}
        self.rooms: dict[str, str] = {}
        self.count = ""  # of the runs
        self.known: dict[str, int] = {}  # sizes that are these numbers here
        self.aligned = False  # whether vectors go in whole groups from the first run on
        self.group: Group | None = None
        self.shadows: dict[str, Any] = {}
        self.meanings: dict[str, str] = {}  # see `slides`
        self.slides: dict[tuple[str, ...], Any] = {}
        self.declared: set[str] = set()
        self.before: list[Instruction] = []
        self.outside: dict[tuple[str, Kind], str] = {}
        self.sums: dict[str, tuple[str, str]] = {}
        self.regions: dict[str, Region] = {}  # of memory, by the name of what points to its beginning
        self.slots: dict[str, tuple[str, str]] = {}  # variables that differ between runs: type, and where they are
        self.held: dict[str, Region] = {}  # what the pointers in variables point to
        self.sizes: set[str] = set()
        self.arms_of: dict[str, Arms] = {}  # of variables: those around all places that name them
        self.lines: list[Instruction] = []
        self.begin()

    def begin(self) -> None:
        """Start to read the body, once more."""
        self.lines = []
        self.kinds: dict[str, Kind] = {}
        self.rename: dict[str, str] = {}
        self.splats: dict[tuple[str, Kind], str] = {}
        self.pointees: dict[str, Region] = {}
        self.keys: dict[str, tuple[str, ...]] = {}
        self.spots: dict[str, tuple[str, tuple[int, ...] | str]] = {}  # see `spots`
        self.forms: dict[str, tuple[tuple[str, ...], int]] = {}
        self.additions: dict[tuple[str, ...], list[tuple[int, str, str]]] = {}  # see `slides`
        self.sum_loads: dict[str, str] = {}
        self.sum_adds: dict[str, tuple[str, str]] = {}
        self.labels: dict[Label, Label] = {}
        self.arrays: dict[str, str] = {}
        self.skipped: Label | None = None
        self.within = 0  # loops of the body around this place
        self.forked = False  # whether another fork was passed, of which there is no telling where its arms meet
        self.mask = self.tail = ""
        self.filled: set[str] = set()
        self.parted: list[Parted] = []
        self.arms: Arms = ()
        self.changed = False
        self.rename.update({name: str(n) for name, n in self.known.items()})

    def label(self, label: Label) -> Label:
        """The label that stands for one of the loop that takes one run at a time."""
        if label == LEAVE:
            return label
        if label not in self.labels:
            self.labels[label] = self.w.block(label.role)
        return self.labels[label]

    def vector(self, type_: str) -> str:
        return f"<{self.lanes} x {type_}>"

    def give(self, i: Instruction) -> str:
        i.name = f"%{self.w.fresh()}"
        self.lines.append(i)
        return i.name

    def do(self, i: Instruction) -> None:
        self.lines.append(i)

    def kind(self, x: str) -> Kind:
        """The kind of an operand."""
        kind = self.kinds.get(x, Kind.SAME)
        if kind is Kind.SUM:
            raise Unfit
        return kind

    def own(self, x: str) -> str:
        """The name of an operand in this copy of the body."""
        return self.rename.get(x, x)

    def spread(self, x: str, type_: str) -> str:
        """An operand as a vector."""
        kind, name = self.kind(x), self.own(x)
        if kind is Kind.VECTOR:
            return name
        if kind in (Kind.PLACES, Kind.PAIR, Kind.PRIVATE):
            raise Unfit
        if not is_name(name):
            return self.numbered(kind.step, int(name)) if kind.step else splat(type_, name)
        fixed = kind is Kind.SAME and x not in self.made
        known = self.outside if fixed else self.splats
        found = known.get((name, kind))
        if found is None:
            lines, self.lines = self.lines, self.before if fixed else self.lines
            found = self.splat(name, type_)
            if kind.step:
                found = self.binary("add", self.vector("i64"), found, self.numbered(kind.step))
            self.lines = lines
            known[name, kind] = found
        return found

    def splat(self, x: str, type_: str) -> str:
        """A vector of the same in all lanes."""
        vector = self.vector(type_)
        return self.shuffled(vector, self.placed(vector, "poison", x, "0"), "poison", "zeroinitializer")

    def numbered(self, step: int = 1, first: int = 0) -> str:
        """The numbers of the lanes, times a number, from a first one on."""
        return f"<{', '.join(f'i64 {first + step * i}' for i in range(self.lanes))}>"

    def below(self, count: str) -> str:
        """The mask of the first lanes; `count` is a vector of how many."""
        return self.compared("slt", self.vector("i64"), self.numbered(), count)

    def turned(self, x: str, type_: str) -> str:
        """A vector with its items in reverse."""
        if isinstance(x, Splat):
            return x
        order = ", ".join(f"i32 {i}" for i in reversed(range(self.lanes)))
        vector = self.vector(type_)
        return self.shuffled(vector, x, "poison", f"<{order}>")

    def lowest(self, at: str, type_: str) -> str:
        """Where the last of items at falling places stands."""
        return self.address(type_, at, str(1 - self.lanes))

    def intrinsic(self, name: str, result: str, *types: str) -> str:
        """The name of an intrinsic on vectors, which is declared."""
        self.declared.add(f"declare {result} @{name}({', '.join(types)})")
        return name

    def masked(self, type_: str) -> str:
        return f"v{self.lanes}{SUFFIX[type_]}"

    def all(self) -> str:
        return self.mask or splat("i1", "true")

    def masked_item(self, x: str, type_: str, neutral: str) -> str:
        """A vector that is neutral in the lanes that do not count."""
        if not self.mask:
            return x
        vector = self.vector(type_)
        return self.chosen(vector, self.mask, x, splat(type_, neutral), self.vector("i1"))

    def reduced(self, how: str, type_: str, x: str, start: str = "") -> str:
        """One item from those of all lanes."""
        vector = self.vector(type_)
        name = f"llvm.vector.reduce.{'f' + how if how[0] == 'm' else how}.{self.masked(type_)}"
        if how in ("fadd", "fmul"):
            called = self.intrinsic(name, type_, type_, vector)
            return self.call(type_, called, (type_, start), (vector, x), flags="reassoc nsz")
        flags = "nsz" if how[0] == "m" else ""  # of zeros of both signs any is the least
        return self.call(type_, self.intrinsic(name, type_, vector), (vector, x), flags=flags)

    def region(self, at: str) -> Region:
        """The memory that a pointer points into."""
        found = self.pointees.get(at)
        if found is None:
            found = self.regions.get(at)
            if found is None:
                own = self.own_memory is None or at in self.own_memory
                found = self.regions[at] = Region(True, own)
        return found.root()

    def joined(self, a: Region, b: Region) -> Region:
        """Two memories that one pointer may point into."""
        a, b = a.root(), b.root()
        if a is b:
            return a
        if a.added != b.added:
            raise Unfit
        keeps, goes = (a, b) if a.outside else (b, a)
        goes.same_as = keeps
        keeps.joins = True
        keeps.own = keeps.own and goes.own
        keeps.name, keeps.arms = "", shared(keeps.arms, goes.arms)
        self.differ(keeps, keeps.private or goes.private)
        if goes.points_to is not None:
            keeps.points_to = goes.points_to if keeps.points_to is None else self.joined(
                keeps.points_to, goes.points_to)
        self.changed = True
        return keeps

    def differ(self, region: Region, differs: bool = True) -> None:
        """Note that the items of a memory differ between runs."""
        if differs and not region.private:
            if region.outside:
                raise Unfit
            region.private = self.changed = True

    def reaches(self, at: str, memory: set[str]) -> bool:
        """Whether an address is that of the number of this run in such memory, and only runs beyond the end are masked:
        a whole vector is there. What a masked store wrote is slow to be read again."""
        type_, *way = self.keys.get(at, ("",))
        return self.mask == self.tail and BYTES.get(type_, 0) > 1 and len(way) == 2 and (
            way[0] in memory and way[1] == self.now)

    def everywhere(self, name: str) -> bool:
        """Whether a variable that is set here is of no use to the runs that are not in this arm."""
        around = self.arms_of.setdefault(name, self.arms)
        if around != self.arms[: len(around)]:
            around = self.arms_of[name] = shared(around, self.arms)
            self.changed = True
        return around == self.arms

    def slot(self, name: str, type_: str) -> str:
        """Where a variable that differs between runs is."""
        if name not in self.slots:
            self.slots[name] = type_, self.w.local(self.vector(type_))
            self.changed = True
        return self.slots[name][1]
