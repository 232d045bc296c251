"""What values are in native code: numbers in registers, arrays and lists as pointers with sizes.

    Num                  a number; a bool is an i1
    Arr                  an array: pointer to contiguous items and its sizes, known or computed
    Lazy                 an array that is not there yet: how to compute an item from its indices
    Lst                  a list: pointer to its items, length, capacity; an item takes a fixed number of words
    Dct                  a map: the list of its entries, and where each stands by the hash of its key
    Rng                  a range; Rows: the rows of an array as a list; Column: a part of each tuple in a list
    Tup                  a tuple or record
    Sum                  one of several alternatives, which its tag tells: 1, 2, ..., or 0 for none of them
    Ref                  one of a sum that holds itself: pointer to its tag and its words; Twig: one not written yet
    Static               nothing at all: a value that the type knows

A *layout* says how a value stands in memory, as words of eight bytes: what a loop carries, what a list holds, what a
function takes. `canonical(object)` is the one that a type alone determines.

>>> canonical(List(Product((REAL, Array("float64", ("n", "n"))))))
Items(item=Parts(parts=(Word(type='double'), Block(dtype='float64', rank=2))))
>>> words(canonical(Array("float64", ("n", "n"))))
['ptr', 'i64', 'i64']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ccc.compile.native.dtypes import ITEM, item_dtype
from ccc.compile.native.writer import Num, real
from ccc.compile.program.target import NotTaken
from ccc.coproducts import holds_itself, order, unfolded
from ccc.objects import (
    REAL,  # noqa: F401
    UNIT,
    Array,
    Bool,
    Boxed,
    Coproduct,
    Int,
    List,
    Map,
    Object,
    Product,
    Real,
    Record,  # noqa: F401
    Source,
    Static,
    Text,
)
from ccc.values import slotted, value
from ccc.wording import in_words


class NotNative(NotTaken):
    """A program, or a part of one, that native code does not take: another target does, with the same result."""


# -- values --------------------------------------------------------------------------------------------------------


@slotted
class Arr:
    """An array in memory. `axes` are operands; "1" is written where a size is surely 1."""

    dtype: str
    ptr: str
    axes: tuple[str, ...]


@slotted
class Lazy:
    """An array as a function from indices to items, `flat` from positions, `by_row` from a position, that of the row
    and the place in it. It may be the transpose of the matrix `turned`. One whose rows lie in memory, or its columns,
    says `in_rows` where: those rows, whose second size says how far apart they are, and whether this is the transpose.
    An item of a `view` costs nothing, and may as well be read several times; all items of one that is `alike` are one
    number, another is of memory, and says where its items lie if they are equally far apart along each axis."""

    dtype: str
    axes: tuple[str, ...]
    item: Callable[[Any], str]
    flat: Callable[[str], str] | None = None
    turned: Any = None
    view: bool = False
    alike: bool = False
    in_rows: Callable[[], tuple[Arr, bool]] | None = None
    strided: Any = None
    by_row: Callable[[str, str, str], str] | None = None

    def __post_init__(self) -> None:
        if self.flat is None and len(self.axes) == 1:
            self.flat = lambda k, item=self.item: item((k,))
        self.view = self.view or self.alike


class Lst:
    """A list in memory; `layout` is that of an item, None for one that has no items and no type yet."""

    __slots__ = ("capacity", "layout", "length", "ptr")

    def __init__(self, layout: Any, ptr: str, length: str, capacity: str) -> None:
        self.layout = layout
        self.ptr = ptr
        self.length = length
        self.capacity = capacity


class Dct:
    """A map: the list of its entries, each a key and an item, in the order in which they came, and of a longer one the
    index (`hash_tables`)."""

    __slots__ = ("entries", "index")

    def __init__(self, entries: Lst, index: Lst) -> None:
        self.entries = entries
        self.index = index


class Rng:
    """A range of integers."""

    __slots__ = ("length", "start", "step", "stop")

    def __init__(self, start: str, stop: str, step: str, length: str) -> None:
        self.start = start
        self.stop = stop
        self.step = step
        self.length = length


class Rows:
    """The rows of an array, read as a list."""

    __slots__ = ("array",)

    def __init__(self, array: Arr) -> None:
        self.array = array


class Column:
    """One part of each item of a list of tuples, as a list that loops run along: where it begins in an item, in words,
    and its layout; of arrays the sizes too, where all have the same."""

    __slots__ = ("at", "axes", "layout", "table")

    def __init__(self, table: Lst, at: int, layout: Any, axes: tuple[str, ...] = ()) -> None:
        self.table = table
        self.at = at
        self.layout = layout
        self.axes = axes


class Tup:
    """A tuple or a record."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts


@slotted
class Sum:
    """One of several alternatives, or `by_rank` of ranks: `tag` says which, counted from 1; the others are zeros."""

    tag: str
    parts: tuple[Any, ...]
    by_rank: bool = False


class Ref:
    """A value of a sum that holds itself, a tree: where its node is, which stays as it is; null is nothing at all."""

    __slots__ = ("layout", "ptr")

    def __init__(self, layout: Node, ptr: str) -> None:
        self.layout = layout
        self.ptr = ptr


class Twig:
    """A node that is not written yet: which alternative it is, and the value of that."""

    __slots__ = ("layout", "part", "tag")

    def __init__(self, layout: Node, tag: int, part: Any) -> None:
        self.layout = layout
        self.tag = tag
        self.part = part


class Fixed:
    """A value that takes no words."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Box:
    """A tape of a recursive function: a pointer to words that stay as they are."""

    __slots__ = ("ptr",)

    def __init__(self, ptr: str) -> None:
        self.ptr = ptr


# -- layouts -------------------------------------------------------------------------------------------------------


@value()
class Word:
    """One number."""

    type: str


@value()
class Block:
    """An array: a pointer and its sizes."""

    dtype: str
    rank: int


@value()
class Items:
    """A list: pointer, length, capacity."""

    item: Any


@value()
class Entries:
    """A map: its entries and its index, as lists; None for one that has no entries and no type yet."""

    entry: Parts | None

    @property
    def parts(self) -> tuple[Any, ...]:
        return Items(self.entry), Items(Word("i64"))


@value()
class Span:
    """A range: start, stop, step, length."""


@value()
class Parts:
    """A tuple: its parts one after the other."""

    parts: tuple[Any, ...]


@value()
class Choice:
    """One of several alternatives: the tag, then the words of all of them. Those `by_rank` are a number and arrays."""

    alternatives: tuple[Any, ...]
    by_rank: bool = False


@value()
class Node:
    """One of a sum that holds itself: a pointer to the tag and the words of the alternative that it is. What is `given
    out` as a cotangent has no words where the value has an integer."""

    whole: Coproduct
    given_out: bool = False


@value()
class Nothing:
    """No words."""

    value: Any = None


@value()
class Pointer:
    """A tape."""


def words(layout: Any) -> list[str]:
    """The types of the words of a layout."""
    match layout:
        case Word(type_):
            return [type_]
        case Block(_, rank):
            return ["ptr", *["i64"] * rank]
        case Items():
            return ["ptr", "i64", "i64"]
        case Span():
            return ["i64"] * 4
        case Parts(parts) | Entries(parts=parts):
            return [word for part in parts for word in words(part)]
        case Choice(alternatives):
            return ["i64", *[word for part in alternatives for word in words(part)]]
        case Pointer() | Node():
            return ["ptr"]
        case _:
            return []


def described(layout: Any) -> str:
    """A layout in words.

    >>> described(Block("float64", 1)), described(Word("i64"))
    ('an array of float64 of rank 1', 'a number that is an i64')
    """
    match layout:
        case Block(dtype, rank):
            return f"an array of {dtype} of rank {rank}"
        case Word(type_):
            return f"a number that is an {type_}" if type_ in ("i64", "i1") else f"a number that is a {type_}"
        case Items(item):
            return f"a list, each item {described(item)}"
        case Parts(parts):
            return f"a tuple of {len(parts)} parts"
        case Entries():
            return "a dict"
        case _:
            return f"a {type(layout).__name__.lower()}"


def operands(value: Any) -> list[str]:
    """The words of a value, in the order of its layout."""
    match value:
        case Num():
            return [value.text]
        case Arr():
            return [value.ptr, *value.axes]
        case Lst():
            return [value.ptr, value.length, value.capacity]
        case Dct():
            return [*operands(value.entries), *operands(value.index)]
        case Rng():
            return [value.start, value.stop, value.step, value.length]
        case Tup():
            return [text for part in value.parts for text in operands(part)]
        case Sum():
            return [value.tag, *[text for part in value.parts for text in operands(part)]]
        case Box() | Ref():
            return [value.ptr]
        case Fixed():
            return []
        case _:
            raise NotNative(f"a {type(value).__name__} has no words")


def rebuilt(layout: Any, texts: Iterator[str]) -> Any:
    """The value of a layout whose words are these operands."""
    match layout:
        case Word(type_):
            return Num(type_, next(texts))
        case Block(dtype, rank):
            return Arr(dtype, next(texts), tuple([next(texts) for _ in range(rank)]))
        case Items(item):
            return Lst(item, next(texts), next(texts), next(texts))
        case Entries(parts=parts):
            return Dct(*[rebuilt(part, texts) for part in parts])
        case Span():
            return Rng(next(texts), next(texts), next(texts), next(texts))
        case Parts(parts):
            return Tup(tuple([rebuilt(part, texts) for part in parts]))
        case Choice(alternatives, ranks):
            return Sum(next(texts), tuple([rebuilt(part, texts) for part in alternatives]), ranks)
        case Pointer():
            return Box(next(texts))
        case Node():
            return Ref(layout, next(texts))
        case Nothing(value):
            return Fixed(value)
        case _:
            raise NotNative("an empty list whose items are of no type")


def known_axes(v: Any, a: Object) -> Any:
    """A value of an object, with the sizes of 1 that the object knows: words do not say them.

    >>> known_axes(Arr("float64", "%p", ("%m", "%n")), Array("float64", ("n", "1"))).axes
    ('%m', '1')
    """
    if isinstance(v, Tup) and isinstance(a, Product):
        return Tup(tuple(map(known_axes, v.parts, a.parts)))
    if not isinstance(v, Arr) or not isinstance(a, Array) or a.axes is None or "1" not in a.axes:
        return v
    return Arr(v.dtype, v.ptr, tuple(["1" if kind == "1" else n for n, kind in zip(v.axes, a.axes, strict=True)]))


def layout_of(value: Any) -> Any:
    """The layout of a value as it is."""
    match value:
        case Num():
            return Word(value.type)
        case Arr():
            return Block(value.dtype, len(value.axes))
        case Lazy():
            return Block(value.dtype, len(value.axes))
        case Lst():
            return Items(value.layout)
        case Dct():
            return Entries(value.entries.layout)
        case Rng():
            return Span()
        case Rows():
            a = value.array
            return Items(Word(number(a.dtype)) if len(a.axes) == 1 else Block(a.dtype, len(a.axes) - 1))
        case Tup():
            return Parts(tuple(map(layout_of, value.parts)))
        case Sum():
            return Choice(tuple(map(layout_of, value.parts)), value.by_rank)
        case Box():
            return Pointer()
        case Ref() | Twig():
            return value.layout
        case _:
            return Nothing(value.value)


def number(dtype: str) -> str:
    """The type of an item of an array once it is in a register."""
    return "i1" if dtype == "bool" else ITEM[dtype]


def canonical(a: Object) -> Any:
    """The layout of values of an object.

    Raises `NotNative` for objects that native code does not have, functions for example.
    """
    match a:
        case Real("float32"):
            return Word("float")
        case Real("float16" | "longdouble" | "fraction" | "complex128"):
            raise NotNative(f"numbers of kind {a.kind}")
        case Real():
            return Word("double")
        case Int("any", kinds) if not {"int", "int64"}.issuperset(kinds):
            raise NotNative("an integer of which the dtype is not known")
        case Int():
            return Word("i64")
        case Bool():
            return Word("i1")
        case Array(dtype, axes):
            if item_dtype(dtype) not in ITEM:
                raise NotNative(f"arrays of {dtype}")
            if axes is None:
                raise NotNative("arrays of unknown rank")
            return Block(item_dtype(dtype), len(axes))
        case List(item):
            return Items(None if item == UNIT else canonical(item))
        case Map(key, item):
            return Entries(None if item == UNIT else Parts((as_key(canonical(key)), canonical(item))))
        case Product(parts):
            return Parts(tuple(map(canonical, parts)))
        case Coproduct() if holds_itself(a):
            for one in a.alternatives:  # what native code does not have is refused here
                canonical(unfolded(one, UNIT))
            return Node(a)
        case Coproduct():
            return Choice(tuple(map(canonical, ordered(a))))
        case Boxed():
            return Pointer()
        case Source() | Text():  # a number, see `living_sources`, and an address, see `living_texts`
            return Word("i64")
        case Static(value):
            return Nothing(value)
        case _:
            raise NotNative(f"values that are {in_words(a)}")


def as_key(layout: Any) -> Any:
    """The layout of the keys of maps. Raises `NotNative` for what numbers of several kinds, which may be equal, or more
    than words tell."""
    if not words(layout) or not KEYS.issuperset(words(layout)) or holds_choice(layout):
        raise NotNative(f"a dict whose keys are each {described(layout)}")
    return layout


def holds_choice(layout: Any) -> bool:
    """Whether a layout is one of several alternatives, or has such parts."""
    return isinstance(layout, Choice) or (isinstance(layout, Parts) and any(map(holds_choice, layout.parts)))


def ordered(a: Coproduct) -> list[Object]:
    """The alternatives of a sum in an order that depends on nothing but them, each with the sum where it holds it."""
    return [unfolded(one, a) for one in sorted(a.alternatives, key=order)]


def absent(layout: Any) -> Any:
    """The value of a layout that stands for one which is not there: zeros, and nothing in memory."""
    return rebuilt(layout, iter([ZERO_OF[word] for word in words(layout)]))


KEYS = {"i64", "double", "i1"}
"""The words of keys."""
ZERO_OF = {"double": real(0.0), "float": real(0.0), "i64": "0", "i1": "false", "ptr": "null"}
