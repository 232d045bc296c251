"""Results: functions in IR that make an object of Python from the words of a layout.

    ptr make(arena, at)    null where Python has no memory left, with its error set

>>> making = Making()
>>> making.of(Product((REAL, List(REAL))), Parts((Word("double"), Items(Word("double")))))
'make3'
"""

from __future__ import annotations

from typing import Any

import numpy as np

import ccc.records as records
from ccc.compile.native.boundary import DATA, DTYPES, ITEMS, QUICKLY, Handling, address
from ccc.compile.native.dtypes import IN_WORD, INTEGERS, SHORT, item_dtype
from ccc.compile.native.functions import Constant, Handled, Written
from ccc.compile.native.layout import (
    ITEM,
    Block,
    Choice,
    Entries,
    Items,
    Node,
    Nothing,
    NotNative,
    Parts,
    Word,
    canonical,
    ordered,
    words,
)
from ccc.compile.native.nodes import alternatives
from ccc.compile.native.object_helpers import DEPTH, RECORD
from ccc.compile.native.told_kinds import Told
from ccc.objects import (
    REAL,
    Array,
    Bool,
    Coproduct,
    Int,
    List,
    Map,
    Object,
    Product,
    Real,
    Record,
    Source,
    Static,
    Text,
)
from ccc.wording import in_words

CARRAY = 0x501
"""NumPy's flags of an array that is contiguous, aligned and writeable."""
DEEPEST = 4000
"""The nodes on the way to one of a tree."""
SMALL = 2048
"""So many bytes of arrays at most are copied into one memory."""


def in_memory(f: Handling, type_: str) -> str:
    """Where the number is that a word of the value says."""
    if type_ not in IN_WORD:
        return "%at"
    place = f.local(type_)
    f.do(f"store {type_} {f.word('%at', 0, type_)}, ptr {place}")
    return place


class Making:
    """The functions that make the results of a program."""

    def __init__(self) -> None:
        self.functions: list[Handled | Written | Constant] = []
        self.names: dict[Any, str] = {}
        self.held: list[Any] = []
        self.texts = False

    def of(self, a: Object, layout: Any) -> str:
        """The name of the function for values of an object in a layout.

        Raises `NotNative` for what cannot be handed out.
        """
        known = self.names.get((a, layout))
        if known is None:
            if isinstance(layout, Items) and layout.item is not None and isinstance(a, List):
                self.of(a.item, layout.item)
            if isinstance(layout, Entries) and layout.entry is not None and isinstance(a, Map):
                for part, inner in zip((a.key, a.item), layout.entry.parts, strict=True):
                    self.of(part, inner)
            if isinstance(layout, Parts) and isinstance(a, Product):
                for part, inner in zip(a.parts, layout.parts, strict=True):
                    self.of(part, inner)
            if isinstance(layout, Choice) and isinstance(a, Coproduct):
                for one, inner in zip(ordered(a), layout.alternatives, strict=True):
                    self.of(one, inner)
            if (a, layout) in self.names:  # as a part of a tree that it holds
                return self.names[a, layout]
            known = f"make{len(self.names) + 1}"
            if isinstance(layout, Node) and isinstance(a, Coproduct):  # whose parts are of the same
                self.names[a, layout] = known
                for one, inner in zip(ordered(a), alternatives(layout), strict=True):
                    self.of(one, inner)
            text = self.written(known, a, layout)
            self.names[a, layout] = known
            self.functions.append(text)
        return known

    @property
    def trees(self) -> bool:
        """Whether trees are made, of which some may be too deep."""
        return DEPTH in self.functions

    def helped(self, helper: Written | Constant) -> None:
        """Let the functions read one of those that all share."""
        if helper not in self.functions:
            self.functions.append(helper)

    def written(self, name: str, a: Object, layout: Any) -> Handled:
        f = Handling("ptr", name, "ptr %arena, ptr %at", mark="" if isinstance(layout, Items) else QUICKLY)
        f.ends["none"] = ["  ret ptr null"]
        if isinstance(a, Static) and isinstance(a.value, bool | str | None) and layout != Nothing(None):
            layout = Nothing(a.value)
        match layout:
            case Word(type_) if isinstance(a, Array) and a.axes == () and ITEM.get(item_dtype(a.dtype)) == type_:
                return f.finished(self.array(f, a.dtype, 0, in_memory(f, type_)))
            case Word(type_) if isinstance(a, Text):
                return f.finished(self.text(f, in_memory(f, type_)))
            case Word(type_):
                return f.finished(self.number(f, a, type_, in_memory(f, type_)))
            case Block(dtype, rank) if isinstance(a, Array) and a.dtype in SHORT:
                return f.finished(self.short(f, a.dtype, rank))
            case Block(dtype, rank) if isinstance(a, Array):
                return f.finished(self.array(f, a.dtype, rank, f.op("load ptr, ptr %at")))
            case Block(dtype, 0) if DTYPES[dtype].kind == {Real: "f", Int: "i", Bool: "b"}.get(type(a)):
                return f.finished(self.from_block(f, a, dtype, f.op("load ptr, ptr %at")))
            case Items(item) if isinstance(a, List):
                return f.finished(self.list_(f, a, item))
            case Entries(entry) if isinstance(a, Map):
                return f.finished(self.map_(f, a, entry))
            case Parts(parts) if isinstance(a, Product):
                return f.finished(self.record(f, a, parts))
            case Choice(alternatives) if isinstance(a, Coproduct):
                return f.finished(self.choice(f, a, alternatives))
            case Node() if isinstance(a, Coproduct):
                return f.finished(self.node(f, a, layout))
            case Nothing(value) if value is None or value is True or value is False or isinstance(value, str):
                self.held.append(value)
                return f.finished(self.constant(f, address(value)))
            case _:
                raise NotNative(f"a result that is {in_words(a)}")

    def constant(self, f: Handling, x: str) -> str:
        f.do(f"call void @Py_IncRef(ptr {x})")
        return x

    def scalar(self, f: Handling, dtype: str, data: str) -> str:
        """A scalar of NumPy."""
        return f.op(f"call ptr @ccc_scalar(ptr {data}, ptr {address(DTYPES[dtype])}, ptr null)")

    def from_block(self, f: Handling, a: Object, dtype: str, data: str) -> str:
        """A number that lies in an array without axes: of the kind that its object says."""
        plain = a.kind in ("float", "int")  # type: ignore[attr-defined]
        if plain:
            return self.number(f, a, ITEM[dtype], data)
        return self.scalar(f, a.kind if isinstance(a, Int) and a.kind in INTEGERS else dtype, data)

    def text(self, f: Handling, at: str) -> str:
        """The object that stands for a text (`living_texts`)."""
        self.texts = True
        x = f.op(f"inttoptr i64 {f.op(f'load i64, ptr {at}')} to ptr")
        return self.constant(f, f.there(x, "none"))

    def number(self, f: Handling, a: Object, type_: str, at: str) -> str:
        if isinstance(a, Source) or canonical(a) != Word(type_):
            raise NotNative(f"a result that is {in_words(a)}")
        kind = a.kind  # type: ignore[attr-defined]
        if kind == "float":
            return f.op(f"call ptr @PyFloat_FromDouble(double {f.op(f'load double, ptr {at}')})")
        if kind == "float32":
            return self.scalar(f, kind, at)
        if kind == "float64" or (kind == "any" and isinstance(a, Real)):  # as which NumPy's float is right too
            return self.scalar(f, "float64", at)
        if kind == "int":
            return f.op(f"call ptr @PyLong_FromLongLong(i64 {f.op(f'load i64, ptr {at}')})")
        if isinstance(a, Int):  # the first bytes of the word
            return self.scalar(f, "int64" if kind == "any" else kind, at)
        if not isinstance(a, Bool):
            raise NotNative(f"a result that is {in_words(a)}")
        false, true = (False, True) if kind == "bool" else (np.False_, np.True_)
        test = f.op(f"load i1, ptr {at}")
        return self.constant(f, f.op(f"select i1 {test}, ptr {address(true)}, ptr {address(false)}"))

    def told(self, f: Handling) -> str:
        """A float of NumPy's, or of Python's, as the truth value behind it tells."""
        numpys, pythons, done, out = f.label("numpys"), f.label("pythons"), f.label("done"), f.local("ptr")
        f.do(f"br i1 {f.word('%at', 8, 'i1')}, label %{numpys}, label %{pythons}")
        for label, a in ((numpys, Real("float64")), (pythons, REAL)):
            f.start(label)
            f.do(f"store ptr {self.number(f, a, 'double', '%at')}, ptr {out}")
            f.do(f"br label %{done}")
        f.start(done)
        return f.op(f"load ptr, ptr {out}")

    def array(self, f: Handling, dtype: str, rank: int, source: str) -> str:
        """An array of the memory at `source`: that itself where the arena gives it, else a copy."""
        before, sizes = self.described(f, dtype, rank, "%at"), f.at("%at", 8)
        size = str(DTYPES[dtype].itemsize)
        for i in range(rank):
            size = f.op(f"mul i64 {size}, {f.field(sizes, 8 * i, 'i64')}")
        owner = f.op(f"call ptr @ccc_give(ptr %arena, ptr {source}, i64 {size})") if rank else "null"
        own, copy, done = f.label("own"), f.label("copy"), f.label("done")
        out = f.local("ptr")
        if rank:
            f.do(f"br i1 {f.op(f'icmp eq ptr {owner}, null')}, label %{copy}, label %{own}")
            f.start(own)
            view = f.op(f"call ptr @ccc_new_array({before}, ptr {source}, i32 {CARRAY}, ptr null)")
            f.ends["unowned"] = [f"  call void @Py_DecRef(ptr {owner})", "  ret ptr null"]
            f.there(view, "unowned")
            f.do(f"call i32 @ccc_set_base(ptr {view}, ptr {owner})")
            f.do(f"store ptr {view}, ptr {out}")
            f.do(f"br label %{done}")
            f.start(copy)
        made = f.op(f"call ptr @ccc_new_array({before}, ptr null, i32 0, ptr null)")
        f.there(made, "none")
        f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {f.field(made, DATA)}, ptr {source}, i64 {size}, i1 false)")
        if not rank:
            return made
        f.do(f"store ptr {made}, ptr {out}")
        f.do(f"br label %{done}")
        f.start(done)
        return f.op(f"load ptr, ptr {out}")

    def short(self, f: Handling, dtype: str, rank: int) -> str:
        """A new array of the last bits of the items of one of int64."""
        form = self.described(f, dtype, rank, "%at")
        made = f.there(f.op(f"call ptr @ccc_new_array({form}, ptr null, i32 0, ptr null)"), "none")
        count, bits = "1", f"i{8 * DTYPES[dtype].itemsize}"
        for i in range(rank):
            count = f.op(f"mul i64 {count}, {f.field('%at', 8 + 8 * i, 'i64')}")
        source, items = f.op("load ptr, ptr %at"), f.field(made, DATA)
        with f.counted(count) as k:
            item = f.op(f"load i64, ptr {f.op(f'getelementptr i64, ptr {source}, i64 {k}')}")
            place = f.op(f"getelementptr {bits}, ptr {items}, i64 {k}")
            f.do(f"store {bits} {f.op(f'trunc i64 {item} to {bits}')}, ptr {place}")
        return made

    def together(self, f: Handling, parts: list[tuple[Any, Any, str, str]], out: str) -> None:
        """Arrays of a tuple. Where they are small, they have one memory: that saves a third of what it costs to make
        them."""
        sizes: list[str] = []
        for _, layout, at, _ in parts:
            sizes.append(str(DTYPES[layout.dtype].itemsize))
            for i in range(layout.rank):
                sizes[-1] = f.op(f"mul i64 {sizes[-1]}, {f.field(at, 8 + 8 * i, 'i64')}")
        ends = ["0"]
        for size in sizes:  # each on a multiple of the largest item
            end = f.op(f"add i64 {ends[-1]}, {size}")
            ends.append(f.op(f"and i64 {f.op(f'add i64 {end}, 7')}, -8"))
        small, large, done = f.label("small"), f.label("large"), f.label("done")
        f.do(f"br i1 {f.op(f'icmp ule i64 {ends[-1]}, {SMALL}')}, label %{small}, label %{large}")
        f.start(large)
        for inner, layout, at, slot in parts:
            f.do(f"store ptr {self.part(f, inner, layout, at, out)}, ptr {slot}")
        f.do(f"br label %{done}")
        f.start(small)
        memory = f.op(f"call ptr @PyByteArray_FromStringAndSize(ptr null, i64 {ends[-1]})")
        f.ends["failed"] = [f"  call void @Py_DecRef(ptr {out})", "  ret ptr null"]
        f.there(memory, "failed")
        data = f.op(f"call ptr @PyByteArray_AsString(ptr {memory})")
        f.ends["unshared"] = [f"  call void @Py_DecRef(ptr {memory})", *f.ends["failed"]]
        for (inner, layout, at, slot), size, start in zip(parts, sizes, ends, strict=False):
            source, place = f.op(f"load ptr, ptr {at}"), f.at(data, start)
            f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {place}, ptr {source}, i64 {size}, i1 false)")
            view = f.op(f"call ptr @ccc_new_array({self.described(f, inner.dtype, layout.rank, at)}, ptr {place}, "
                        f"i32 {CARRAY}, ptr null)")
            f.there(view, "unshared")
            f.do(f"call void @Py_IncRef(ptr {memory})")
            f.do(f"call i32 @ccc_set_base(ptr {view}, ptr {memory})")
            f.do(f"store ptr {view}, ptr {slot}")
        f.do(f"call void @Py_DecRef(ptr {memory})")
        f.do(f"br label %{done}")
        f.start(done)

    def described(self, f: Handling, dtype: str, rank: int, at: str) -> str:
        """What NumPy is told of an array whose words are at a place."""
        descr = address(DTYPES[dtype])
        f.do(f"call void @Py_IncRef(ptr {descr})")
        return f"ptr {address(np.ndarray)}, ptr {descr}, i32 {rank}, ptr {f.at(at, 8)}, ptr null"

    def part(self, f: Handling, a: Object, layout: Any, at: str, out: str) -> str:
        """A part of what `out` will hold; without it that is given back."""
        made = f.op(f"call ptr @{self.names[a, layout]}(ptr %arena, ptr {at})")
        f.ends["failed"] = [f"  call void @Py_DecRef(ptr {out})", "  ret ptr null"]
        return f.there(made, "failed")

    def list_(self, f: Handling, a: List, item: Any) -> str:
        length = "0" if item is None else f.field("%at", 8, "i64")
        out = f.there(f.op(f"call ptr @PyList_New(i64 {length})"), "none")
        if item is None:
            return out
        items, memory = f.field(out, ITEMS), f.op("load ptr, ptr %at")
        with f.counted(length) as k:
            at = f.at(memory, f.op(f"mul i64 {k}, {8 * len(words(item))}"))
            made = self.part(f, a.item, item, at, out)
            f.do(f"store ptr {made}, ptr {f.op(f'getelementptr ptr, ptr {items}, i64 {k}')}")
        return out

    def map_(self, f: Handling, a: Map, entry: Parts | None) -> str:
        """A dict of the entries, in their order."""
        out = f.there(f.op("call ptr @PyDict_New()"), "none")
        if entry is None:
            return out
        memory, step = f.op("load ptr, ptr %at"), 8 * len(words(entry))
        with f.counted(f.field("%at", 8, "i64")) as k:
            at = f.at(memory, f.op(f"mul i64 {k}, {step}"))
            key = self.part(f, a.key, entry.parts[0], at, out)
            behind = f.at(at, 8 * len(words(entry.parts[0])))
            item = f.op(f"call ptr @{self.names[a.item, entry.parts[1]]}(ptr %arena, ptr {behind})")
            f.ends["keyed"] = [f"  call void @Py_DecRef(ptr {key})", *f.ends["failed"]]
            f.there(item, "keyed")
            put = f.op(f"call i32 @PyDict_SetItem(ptr {out}, ptr {key}, ptr {item})")
            for x in (key, item):
                f.do(f"call void @Py_DecRef(ptr {x})")
            f.require(f.op(f"icmp eq i32 {put}, 0"), "failed")
        return out

    def node(self, f: Handling, a: Coproduct, layout: Node) -> str:
        """The alternative that a node is; null, without an error, where a tree is too deep."""
        self.helped(DEPTH)
        depth = f.op(f"load i64, ptr @{DEPTH.name}")
        f.require(f.op(f"icmp slt i64 {depth}, {DEEPEST}"), "none")
        f.do(f"store i64 {f.op(f'add i64 {depth}, 1')}, ptr @{DEPTH.name}")
        out = self.choice(f, a, tuple(alternatives(layout)), f.op("load ptr, ptr %at"), overlaid=True)
        f.do(f"store i64 {depth}, ptr @{DEPTH.name}")
        return out

    def choice(
        self, f: Handling, a: Coproduct, layouts: tuple[Any, ...], place: str = "%at", overlaid: bool = False
    ) -> str:
        """The alternative that the tag tells; None where it is none. Those that are `overlaid` begin at one word."""
        tag, out, done, at = f.op(f"load i64, ptr {place}"), f.local("ptr"), f.label("done"), 8
        for k, (one, layout) in enumerate(zip(ordered(a), layouts, strict=True)):
            this, other = f.label("this"), f.label("other")
            f.do(f"br i1 {f.op(f'icmp eq i64 {tag}, {k + 1}')}, label %{this}, label %{other}")
            f.start(this)
            made = f.op(f"call ptr @{self.names[one, layout]}(ptr %arena, ptr {f.at(place, at)})")
            f.do(f"store ptr {made}, ptr {out}")
            f.do(f"br label %{done}")
            f.start(other)
            at += 0 if overlaid else 8 * len(words(layout))
        f.do(f"store ptr {self.constant(f, address(None))}, ptr {out}")
        f.do(f"br label %{done}")
        f.start(done)
        return f.op(f"load ptr, ptr {out}")

    def with_attributes(self, f: Handling, a: Record, parts: str) -> str:
        """A record that has the items of a tuple as attributes; the tuple is given back."""
        self.helped(RECORD)
        new, names = records.bare(a.cls, a.names), tuple(a.names)
        self.held += [new, names, a.cls]
        given = ", ".join(f"ptr {address(x)}" for x in (new, a.cls, names))
        made = f.op(f"call ptr @{RECORD.name}({given}, ptr {parts})")
        f.do(f"call void @Py_DecRef(ptr {parts})")
        return made

    def record(self, f: Handling, a: Product, layouts: tuple[Any, ...]) -> str:
        """A tuple, and what a record makes of it."""
        if isinstance(a, Record) and a.cls is Told:
            return self.told(f)
        out = f.there(f.op(f"call ptr @PyTuple_New(i64 {len(layouts)})"), "none")
        places = [f.at("%at", 8 * sum([len(words(x)) for x in layouts[:i]])) for i in range(len(layouts))]
        slots = [f.at(out, ITEMS + 8 * i) for i in range(len(layouts))]
        parts = list(zip(a.parts, layouts, places, slots, strict=True))
        arrays = [part for part in parts if isinstance(part[0], Array) and isinstance(part[1], Block) and part[1].rank
                  and part[0].dtype not in SHORT]
        others = [part for part in parts if part not in arrays] if len(arrays) > 1 else parts
        if others is not parts:
            self.together(f, arrays, out)
        for inner, layout, at, slot in others:
            f.do(f"store ptr {self.part(f, inner, layout, at, out)}, ptr {slot}")
        if not isinstance(a, Record):
            return out
        if records.has_attributes(a.cls):
            return self.with_attributes(f, a, out)
        cls, names = a.cls, a.names

        def maker(*parts: Any) -> Any:
            return records.made(cls, names, parts)

        self.held.append(maker)
        found = f.op(f"call ptr @PyObject_Call(ptr {address(maker)}, ptr {out}, ptr null)")
        f.do(f"call void @Py_DecRef(ptr {out})")
        return found
