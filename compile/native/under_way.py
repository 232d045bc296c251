"""One function of a program under way: what is known in it at a place, and the memory that it takes.

What lowers a let is given the `Lowering`. How values become arrays in memory, numbers, or others of another layout is
said by who knows all of them (`lowering`), and is abstract here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ccc.compile.native.closures import Function
from ccc.compile.native.code import is_name
from ccc.compile.native.dtypes import bytes_of
from ccc.compile.native.first_sizes import evaluated
from ccc.compile.native.layout import Arr, operands, rebuilt, words
from ccc.compile.native.module import Module
from ccc.compile.native.sizes import SMALL, Sizes
from ccc.compile.native.writer import Gap, Num, Writer
from ccc.compile.program.lam import Atom, Block, Let, Var
from ccc.primitives.primitive import Primitive
from ccc.values import slotted


class OpenLoop(ABC):
    """A loop over items that is still being written (`elementwise_fusion`)."""

    before: Gap
    opened: int
    closed: bool

    @abstractmethod
    def open(self) -> bool:
        """Whether an operation may join it that is written now."""

    @abstractmethod
    def there(self, name: str) -> bool:
        """Whether what a name stands for can be read in the loop."""

    @abstractmethod
    def end(self) -> None:
        """Write the loop: no more can be added."""


@slotted
class KeptColumns:
    """A matrix, the rows that its columns are copied to, and a byte for each that says whether it is (`columns`)."""

    matrix: Arr
    turned: str
    copied: str


class Counted:
    """What is known of the index of a loop over a range: it starts at `start` and stays below `stop`, which the place
    before the loop can read; `var` may be used in checks there, and `blocks` says in how many tests the loop stands."""

    def __init__(self, start: str, stop: str, gap: Gap, depth: int) -> None:
        self.start = start
        self.stop = stop
        self.gap = gap
        self.depth = depth


class Lowering(ABC):
    """One function under way."""

    def __init__(self, module: Module, w: Writer) -> None:
        self.module = module
        self.w = w
        self.values: dict[Var, Any] = {}
        self.pending: list[Var] = []
        self.captured: dict[Var, list[tuple[Var, Any]]] = {}  # what an array that waits is made of, and its values then
        self.changes = False  # whether this let changes an array in place
        self.apart = False  # whether what this let adds to an array in place lies elsewhere
        self.of_integer = False  # whether this let has an integer for an array of floats (`by_rank`)
        self.sure = False  # whether the indices of this let surely name items
        self.reads: Counter[Var] = Counter()  # by operations, which have computed it or wait for it themselves
        self.functions: dict[Var, Function] = {}
        self.counted: dict[str, tuple[Counted, int]] = {}
        self.moved: dict[str, tuple[str, int]] = {}
        self.flat: dict[tuple[str, ...], tuple[tuple[str, ...], str]] = {}  # sizes and position, by indices
        self.sums: set[Let] = set()
        self.inner = False  # whether this is a function that the program calls
        self.gives = False  # whether what is made now may be a result
        self.handed_out: Any = None
        """The function that the program gives: nothing in it calls it, so its results stay laid out as they are."""
        self.groups: list[OpenLoop] = []
        self.open_from = 0  # those before are closed: what closes one closes all that were opened before
        self.columns: dict[Var, KeptColumns] = {}
        self.inside: OpenLoop | None = None
        self.owners: dict[str, OpenLoop] = {}  # of the memory of their arrays
        self.taken: set[str] = set()  # the memory of new arrays
        self.windows: list[Any] = []  # that wait to be added to an array
        self.began = 0  # how many names there were when this let began
        self.order: dict[str, float] = {}
        self.sizes = Sizes()
        self.first: dict[str, int] = {}
        """The sizes of the arguments of the first call, by their names."""
        self.follows: dict[str, int | None] = {}
        """These, and what is known by them of others."""

    # -- what is said by who knows all values ------------------------------------------------------------------------

    @abstractmethod
    def value(self, atom: Atom) -> Any:
        """The value of an atom."""

    @abstractmethod
    def fitted(self, atom: Atom, target: Var) -> Any:
        """The value of an atom that becomes that of a variable, which may be one of several alternatives."""

    @abstractmethod
    def arr(self, v: Any) -> Arr:
        """An array in memory."""

    @abstractmethod
    def there(self, v: Any) -> Any:
        """A value all of which is in memory or in registers."""

    @abstractmethod
    def settle(self, changed: Atom | None = None) -> None:
        """Compute the arrays that are not there yet: what they are made of may change; or that of one array."""

    @abstractmethod
    def number(self, v: Any, type_: str | None = None) -> Num:
        """A number, perhaps of a type."""

    @abstractmethod
    def brought(self, v: Any, layout: Any) -> Any:
        """A value in another layout of the same type."""

    @abstractmethod
    def operated(self, p: Primitive, let: Let, args: list[Any]) -> Any:
        """What a primitive gives that is an operation on numbers."""

    @abstractmethod
    def forked(self, test: str, ways: Sequence[Callable[[], list[Any]]], targets: Sequence[Var]) -> None:
        """Write both ways on from a test, and let variables stand for what they give."""

    @abstractmethod
    def block(self, block: Block) -> None:
        """The lets of a block, in order."""

    # -- what is known -----------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Let no operation join the loops that are under way."""
        for group in self.groups[self.open_from :]:
            group.closed = True
        self.open_from = len(self.groups)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A block within another one: its groups are its own."""
        outer = self.groups, self.open_from, self.sizes
        self.groups, self.open_from, self.sizes = [], 0, self.sizes.copy()
        yield
        for group in self.groups:
            group.end()
        self.groups, self.open_from, self.sizes = outer

    def usual(self, size: str) -> int | None:
        """What a size is in the first call; None where that is large or not known."""
        size = self.sizes.name(size)
        found = self.first.get(size)
        return int(size) if not is_name(size) else found if found is not None and found <= SMALL else None

    def at_first(self, x: str) -> int | None:
        """What a size, or a test of sizes, is in the first call, however large; None where that is not known."""
        return evaluated(self.sizes.name(x), self.follows, self.w.makers)

    def same_size(self, a: str, b: str) -> None:
        """Leave where two sizes differ."""
        a, b = self.sizes.name(a), self.sizes.name(b)
        if a == b:
            return
        self.guard("ne", a, b)
        old, new = sorted([a, b], key=self.age)
        self.sizes.equal[new] = old

    def guard(self, what: str, a: str, b: str) -> None:
        """Leave where a comparison holds: before the groups that may rely on that, if it can be made there."""
        if (what, a, b) in self.sizes.tested:
            return
        self.sizes.tested.add((what, a, b))
        w = self.w
        for group in self.groups[self.open_from :]:
            if group.open() and all(not is_name(x) or group.there(x) for x in (a, b)):
                with w.within(group.before):
                    w.leave(w.compare(what, a, b), guards=False)
                return
            group.closed = True
        w.leave(w.compare(what, a, b))

    def single(self, size: str) -> bool:
        """Whether a size is 1, or has been tested to be."""
        return size == "1" or ("ne", size, "1") in self.sizes.tested

    def age(self, name: str) -> float:
        """When an operand was there: constants first."""
        if not is_name(name):
            return -1
        found = self.order.get(name)
        if found is None:
            found = self.order[name] = self.w.ages[name]
        return found

    # -- memory ------------------------------------------------------------------------------------------------------

    def alloc(self, size: str) -> str:
        """Memory for so many bytes, until the call ends."""
        take = "ccc_next" if self.inner or self.w.loops else "ccc_own" if self.gives else "ccc_alloc"
        ptr = self.w.request(size, take=take)
        self.w.leave(self.w.compared("eq", "ptr", ptr, "null"), guards=False)
        self.taken.add(ptr)
        return ptr

    def memory(self, dtype: str, count: str) -> str:
        """Memory for so many items, in whole vectors where they are numbers."""
        item = bytes_of(dtype)
        size = self.w.mul(count, item)
        if item == "1" or size == item or not self.w.lanes:
            return self.alloc(size)
        whole = 8 * self.w.lanes
        more = self.w.add(size, str(whole - int(item)))
        ptr = self.alloc(self.w.binary("and", "i64", more, str(-whole)) if is_name(more) else
                         str(int(more) // whole * whole))  # fmt: skip
        self.w.padded.add(ptr)
        return ptr

    def write(self, v: Any, layout: Any, ptr: str) -> None:
        """Store the words of a value, brought into a layout."""
        v = self.brought(v, layout)
        for i, (type_, text) in enumerate(zip(words(layout), operands(v), strict=True)):
            self.w.put_word(type_, text, self.w.at_index("i64", ptr, str(i)) if i else ptr)

    def read(self, layout: Any, ptr: str) -> Any:
        """The value whose words stand somewhere."""
        texts = [self.w.word(type_, self.w.at_index("i64", ptr, str(i)) if i else ptr)
                 for i, type_ in enumerate(words(layout))]
        return rebuilt(layout, iter(texts))

    def unspoiled(self) -> None:
        """Leave where the result does not count already: what is called must not see numbers that nobody has made."""
        self.w.leave(self.w.load("i1", "%spoiled"), guards=False)


class Variables:
    """The words of a value that several blocks write."""

    def __init__(self, m: Lowering, layout: Any) -> None:
        self.m, self.layout = m, layout
        self.slots = [m.w.local(type_) for type_ in words(layout)]

    def keep(self, v: Any) -> None:
        """Write a value, brought into the layout."""
        found = operands(self.m.brought(v, self.layout))
        for slot, type_, text in zip(self.slots, words(self.layout), found, strict=True):
            self.m.w.store(type_, text, slot)

    def now(self) -> Any:
        """The value that was written last."""
        texts = [self.m.w.load(type_, slot) for slot, type_ in zip(self.slots, words(self.layout), strict=True)]
        return rebuilt(self.layout, iter(texts))
