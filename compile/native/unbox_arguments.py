"""Arguments: functions in IR that check an object of Python and take it apart into the words of its layout.

    i1 take(arena, size, x, into)    false where x is not what the program was made for

Arrays are read where they lie, unless they are not contiguous or `copies` are asked for; lists are copied into the
arena. `size` counts the items
of arrays and lists, and what integers say. What the types of the arguments have settled, strings for example, is not
looked at: `exact` says that nothing was left out, so that the function can be called with any arguments.

What is called once a call is compiled quickly, what is called for each item of a list is compiled well.

>>> taking = Taking()
>>> taking.of(Product((REAL, List(REAL)))), len(taking.functions), taking.exact
('take4', 4, True)
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ccc.compile.native import arena, hash_tables
from ccc.compile.native.boundary import (
    DATA,
    DESCR,
    FLAGS,
    ITEMS,
    KIND,
    KIND_MASK,
    NUMBER,
    QUICKLY,
    RANK,
    SIZES,
    TYPE,
    UNKNOWN,
    Handling,
    address,
)
from ccc.compile.native.code import Instruction
from ccc.compile.native.dtypes import INTEGERS, SHORT
from ccc.compile.native.functions import Handled, Written
from ccc.compile.native.layout import Node, NotNative, canonical, ordered, words
from ccc.compile.native.nodes import STACK
from ccc.compile.native.object_attributes import kept_in_dict, left_empty
from ccc.compile.native.object_helpers import ATTRIBUTE, COPY, COUNTED, SAME_KEY, TEXT, widening
from ccc.coproducts import holds_itself
from ccc.objects import (  # noqa: F401
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
    Static,
    Text,
    is_of_any_kind,
)
from ccc.paired import PAIRS
from ccc.records import is_plain
from ccc.registered import registered
from ccc.wording import in_words

PARAMS = "ptr %arena, ptr %size, ptr %x, ptr %into"
FLOATS = {"float": (float,), "float64": (np.float64,), "float32": (np.float32,), "any": (float, np.float64)}
COMPLEX = {"float": complex, "float64": np.complex128, "float32": np.complex64}
ORDINARY = 257
"""The flags of an array whose items lie one behind the other in the order of C, each where its type may lie."""


class Taking:
    """The functions that take the arguments of a program; with `copies` nothing that they give lies in an object."""

    def __init__(self, copies: bool = False) -> None:
        self.copies = copies
        self.functions: list[Handled] = []
        self.helpers: dict[str, Written] = {}
        self.names: dict[tuple[Object, bool], str] = {}
        self.held: list[Any] = []
        self.exact, self.texts = True, False
        self.often = False
        self.nested = False
        """Whether arrays are read that lists or records hold, which other threads may take out of them."""

    def of(self, a: Object, inside: bool = False, often: bool = False) -> str:
        """The name of the function for arguments of an object, `inside` of a list or record, `often` in a call.

        Raises `NotNative` for objects that native code does not take.
        """
        self.nested = self.nested or (inside and isinstance(a, Array))
        known = self.names.get((a, often))
        if known is None:
            tree = isinstance(canonical(a), Node)
            parts = isinstance(a, (List, Map, Coproduct)) or (isinstance(a, Record) and not issubclass(a.cls, tuple))
            if not tree:
                self.with_parts(a, inside or parts, often or isinstance(a, (List, Map)))
            if (a, often) in self.names:  # as a part of a tree that it holds
                return self.names[a, often]
            known = self.names[a, often] = f"{'copy' if self.copies else 'take'}{len(self.names) + 1}"
            if tree:  # whose parts are of the same
                self.with_parts(a, True, often)
            self.functions.append(self.written(known, a, often))
        return known

    def with_parts(self, a: Object, inside: bool, often: bool) -> None:
        """Write the functions for what an object is made of."""
        for x in ordered(a) if isinstance(a, Coproduct) else inner(a):
            self.of(x, inside, often)

    def written(self, name: str, a: Object, often: bool) -> Handled:
        loops = isinstance(a, (List, Map)) or isinstance(canonical(a), Node)
        mark = "" if loops else " alwaysinline" if often else QUICKLY
        f = Handling("i1", name, PARAMS, mark=mark)
        self.often = often
        f.ends["refuse"] = ["  ret i1 false"]
        if isinstance(a, Real):
            self.real(f, a)
        elif isinstance(a, Int):
            self.int_(f, a)
        elif isinstance(a, Bool):
            self.bool_(f, a)
        elif isinstance(a, Text):
            self.text(f)
        elif isinstance(a, Array):
            self.array(f, a)
        elif isinstance(a, List):
            self.list_(f, a)
        elif isinstance(a, Map):
            self.map_(f, a)
        elif isinstance(a, Record) and a.cls in PAIRS:
            self.pair(f, a)
        elif isinstance(a, Record) and not issubclass(a.cls, tuple):
            self.record(f, a)
        elif isinstance(a, Product):
            self.tuple_(f, a)
        elif isinstance(a, Static):
            self.static(f, a)
        elif isinstance(a, Coproduct) and holds_itself(a):
            self.node(f, a)
        elif isinstance(a, Coproduct):
            self.choice(f, a, "%into")
        else:
            raise NotNative(f"an argument that is {in_words(a)}")
        return f.finished("true")

    def helped(self, helper: Written) -> str:
        """The name of a function that those of arguments call."""
        self.helpers[helper.name] = helper
        return helper.name

    def kind(self, f: Handling, *classes: type) -> None:
        f.is_(f.field("%x", TYPE), *classes)

    def of_dtype(self, f: Handling, dtype: str) -> None:
        """An array of a dtype."""
        self.kind(f, np.ndarray)
        descr = f.field(f.field("%x", DESCR), KIND, "i64")
        f.require(f.op(f"icmp eq i64 {f.op(f'and i64 {descr}, {KIND_MASK}')}, {number_of(dtype)}"))

    def real(self, f: Handling, a: Real) -> None:
        if a.kind not in FLOATS:
            raise NotNative(f"an argument that is {in_words(a)}")
        self.kind(f, *FLOATS[a.kind])
        type_ = canonical(a).type
        f.put_word(type_, f.field("%x", NUMBER, type_), "%into")

    def int_(self, f: Handling, a: Int) -> None:
        if a.kind in INTEGERS:
            dtype = np.dtype(a.kind)
            self.kind(f, dtype.type)
            found = f.field("%x", NUMBER, f"i{8 * dtype.itemsize}")
            if dtype.itemsize < 8:
                extend = "zext" if dtype.kind == "u" else "sext"
                found = f.op(f"{extend} i{8 * dtype.itemsize} {found} to i64")
            f.do(f"store i64 {found}, ptr %into")
            return self.counts(f, found)
        if a.kind != "int":
            raise NotNative(f"an argument that is {in_words(a)}")
        self.kind(f, int)
        overflow = f.local("i32")
        found = f.op(f"call i64 @PyLong_AsLongLongAndOverflow(ptr %x, ptr {overflow})")
        f.require(f.op(f"icmp eq i32 {f.op(f'load i32, ptr {overflow}')}, 0"))
        f.do(f"store i64 {found}, ptr %into")
        self.counts(f, found)

    def counts(self, f: Handling, n: str) -> None:
        """Loops may run as often as an integer says."""
        small = f.op(f"icmp ult i64 {n}, {1 << 32}")
        many = f.op(f"select i1 {f.op(f'icmp slt i64 {n}, 0')}, i64 0, i64 {1 << 32}")
        self.add(f, f.op(f"select i1 {small}, i64 {n}, i64 {many}"))

    def bool_(self, f: Handling, a: Bool) -> None:
        own = a.kind == "bool"
        self.kind(f, bool if own else np.bool_)
        true = f.op(f"icmp eq ptr %x, {address(True)}" if own else f"icmp ne i8 {f.field('%x', NUMBER, 'i8')}, 0")
        f.do(f"store i1 {true}, ptr %into")

    def text(self, f: Handling) -> None:
        """The address of the object that stands for a text (`living_texts`), which lives while the code runs."""
        self.texts = True
        self.kind(f, str)
        f.do(f"store i64 {f.op(f'call i64 @{self.helped(TEXT)}(ptr %arena, ptr %x)')}, ptr %into")
        f.require(f.op(f"icmp ne i64 {f.op('load i64, ptr %into')}, 0"))

    def array(self, f: Handling, a: Array) -> None:
        axes = a.axes or ()
        self.of_dtype(f, a.dtype)
        f.require(f.op(f"icmp eq i32 {f.field('%x', RANK, 'i32')}, {len(axes)}"))
        sizes = f.field("%x", SIZES) if axes else ""
        count = "1"
        for i, axis in enumerate(axes):
            n = f.field(sizes, 8 * i, "i64")
            if axis in ("1", "n"):  # the program is another one for the other sizes
                f.require(f.op(f"icmp {'eq' if axis == '1' else 'ne'} i64 {n}, 1"))
            f.do(f"store i64 {n}, ptr {f.at('%into', 8 * (i + 1))}")
            count = n if i == 0 else f.op(f"mul i64 {count}, {n}")
        self.add(f, count)
        place, ordinary, copied, on = f.local("ptr"), f.label("lies"), f.label("copy"), f.label("on")
        f.do(f"store ptr {f.field('%x', DATA)}, ptr {place}")
        flags = f.op(f"and i32 {f.field('%x', FLAGS, 'i32')}, {ORDINARY}")
        f.do(f"br i1 {f.op(f'icmp eq i32 {flags}, {ORDINARY}')}, label %{ordinary}, label %{copied}, !prof !9")
        f.start(copied)
        size = f.op(f"mul i64 {count}, {np.dtype(a.dtype).itemsize}")
        memory = f.there(f.op(f"call ptr @ccc_alloc(ptr %arena, i64 {size})"))
        f.require(f.op(f"call i1 @{self.helped(COPY)}(ptr %x, ptr {memory}, i64 {size})"))
        f.do(f"store ptr {memory}, ptr {place}")
        f.do(f"br label %{on}")
        f.start(ordinary)
        if self.copies and a.dtype not in SHORT:
            size = f.op(f"mul i64 {count}, {np.dtype(a.dtype).itemsize}")
            memory = f.there(f.op(f"call ptr @ccc_alloc(ptr %arena, i64 {size})"))
            source = f.op(f"load ptr, ptr {place}")
            f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {memory}, ptr {source}, i64 {size}, i1 false)")
            f.do(f"store ptr {memory}, ptr {place}")
        f.do(f"br label %{on}")
        f.start(on)
        items = f.op(f"load ptr, ptr {place}")
        if a.dtype in SHORT:
            source, items = items, f.there(f.op(f"call ptr @ccc_alloc(ptr %arena, i64 {f.op(f'mul i64 {count}, 8')})"))
            f.do(f"call void @{self.helped(widening(a.dtype))}(ptr {source}, ptr {items}, i64 {count})")
        f.do(f"store ptr {items}, ptr %into")

    def add(self, f: Handling, count: str) -> None:
        before = f.op("load i64, ptr %size")
        f.do(f"store i64 {f.op(f'add i64 {before}, {count}')}, ptr %size")

    def list_(self, f: Handling, a: List) -> None:
        if mixed(a.item):
            raise NotNative("a list of numbers of several kinds")
        self.kind(f, list)
        length = f.field("%x", NUMBER, "i64")
        self.add(f, length)
        step = 8 * len(words(canonical(a.item)))
        memory = f.there(f.op(f"call ptr @ccc_alloc(ptr %arena, i64 {f.op(f'mul i64 {length}, {step}')})"))
        items, self.often = f.field("%x", ITEMS), True
        with f.counted(length) as k:
            x = f.op(f"load ptr, ptr {f.op(f'getelementptr ptr, ptr {items}, i64 {k}')}")
            f.require(self.part(f, a.item, x, f.at(memory, f.op(f"mul i64 {k}, {step}"))))
        f.do(f"store ptr {memory}, ptr %into")
        for place in (8, 16):
            f.do(f"store i64 {length}, ptr {f.at('%into', place)}")

    def map_(self, f: Handling, a: Map) -> None:
        """A dict: its entries, and where more than a few are, an index of their hashes."""
        entry = canonical(a).entry
        if mixed(a) or entry is None:
            raise NotNative("a dict of numbers of several kinds, or without entries")
        self.kind(f, dict)
        size = f.op("call i64 @PyDict_Size(ptr %x)")
        self.add(f, size)
        keys, step = words(entry.parts[0]), len(words(entry))
        memory = f.there(f.op(f"call ptr @ccc_alloc(ptr %arena, i64 {f.op(f'mul i64 {size}, {8 * step}')})"))
        place, key, item = f.local("i64"), f.local("ptr"), f.local("ptr")
        f.do(f"store i64 0, ptr {place}")
        self.often = True
        with f.counted(size) as k:
            more = f.op(f"call i32 @PyDict_Next(ptr %x, ptr {place}, ptr {key}, ptr {item})")
            f.require(f.op(f"icmp ne i32 {more}, 0"))
            at = f.at(memory, f.op(f"mul i64 {k}, {8 * step}"))
            f.require(self.part(f, a.key, f.op(f"load ptr, ptr {key}"), at))
            for i, type_ in enumerate(keys):
                if type_ == "double":  # what is no number is compared as an object
                    number = f.field(at, 8 * i, type_)
                    f.require(f.op(f"fcmp ord double {number}, {number}"))
            f.require(self.part(f, a.item, f.op(f"load ptr, ptr {item}"), f.at(at, 8 * len(keys))))
        index, slots = self.index(f, memory, size, tuple(keys), step)
        given = [("ptr", memory), ("i64", size), ("i64", size), ("ptr", index), ("i64", slots), ("i64", slots)]
        for i, (type_, text) in enumerate(given):
            f.do(f"store {type_} {text}, ptr {f.at('%into', 8 * i)}")

    def index(self, f: Handling, memory: str, size: str, keys: tuple[str, ...], step: int) -> tuple[str, str]:
        """The index of entries, and how many slots it has: a power of two, twice as many as entries at least."""
        self.helpers |= {g.name: g for g in hash_tables.functions(keys, step)}
        many = f.op(f"icmp sgt i64 {size}, {hash_tables.FEW}")
        used = f.op(f"select i1 {many}, i64 {size}, i64 0")
        least = f.op(f"sub i64 {f.op(f'mul i64 {size}, 2')}, 1")
        zeros = f.op(f"call i64 @llvm.ctlz.i64(i64 {least}, i1 false)")
        places = f.op(f"and i64 {f.op(f'sub i64 64, {zeros}')}, 63")
        power = f.op(f"shl i64 1, {places}")
        slots = f.op(f"select i1 {many}, i64 {power}, i64 0")
        bytes_ = f.op(f"mul i64 {slots}, 8")
        index = f.there(f.op(f"call ptr @ccc_alloc(ptr %arena, i64 {bytes_})"))
        f.do(f"call void @llvm.memset.p0.i64(ptr {index}, i8 -1, i64 {bytes_}, i1 false)")
        f.do(f"call void @map_enter_{hash_tables.suffix(keys, step)}(ptr {memory}, i64 0, i64 {used}, ptr {index}, "
             f"i64 {slots})")
        return index, slots

    def part(self, f: Handling, a: Object, x: str, into: str) -> str:
        return f.op(f"call i1 @{self.names[a, self.often]}(ptr %arena, ptr %size, ptr {x}, ptr {into})")

    def tuple_(self, f: Handling, a: Product) -> None:
        cls = a.cls if isinstance(a, Record) else tuple
        self.kind(f, cls)
        self.held.append(a)
        f.require(f.op(f"icmp eq i64 {f.field('%x', NUMBER, 'i64')}, {len(a.parts)}"))
        items, first = (f.field("%x", ITEMS), 0) if cls is list else ("%x", ITEMS)
        at = 0
        for i, inner in enumerate(a.parts):
            f.require(self.part(f, inner, f.field(items, first + 8 * i), f.at("%into", at)))
            at += 8 * len(words(canonical(inner)))

    def record(self, f: Handling, a: Record) -> None:
        """A dict with keys in their order, or a dataclass."""
        if registered(a.cls) is not None:
            raise NotNative(f"an argument of the class `{a.cls.__name__}`, which was registered")
        self.kind(f, a.cls)
        self.held.append(a)
        at = 0
        if is_plain(a.cls):
            self.attributes(f, a)
        if a.cls is dict:
            size = f.op("call i64 @PyDict_Size(ptr %x)")
            f.require(f.op(f"icmp eq i64 {size}, {len(a.parts)}"))
            place, key, item = f.local("i64"), f.local("ptr"), f.local("ptr")
            f.do(f"store i64 0, ptr {place}")
        for name, inner in zip(a.names, a.parts, strict=True):
            into = f.at("%into", at)
            at += 8 * len(words(canonical(inner)))
            if a.cls is dict:
                more = f.op(f"call i32 @PyDict_Next(ptr %x, ptr {place}, ptr {key}, ptr {item})")  # type: ignore[reportPossiblyUnbound]
                f.require(f.op(f"icmp ne i32 {more}, 0"))
                found = f.op(f"load ptr, ptr {key}")  # type: ignore[reportPossiblyUnbound]
                f.require(f.op(f"call i1 @{self.helped(SAME_KEY)}(ptr {found}, ptr {address(name)})"))
                f.require(self.part(f, inner, f.op(f"load ptr, ptr {item}"), into))  # type: ignore[reportPossiblyUnbound]
                continue
            x = f.there(f.op(f"call ptr @{self.helped(ATTRIBUTE)}(ptr %x, ptr {address(name)})"))
            f.require(self.part(f, inner, x, into))

    def pair(self, f: Handling, a: Record) -> None:
        """A complex number, which is two numbers, or an array, of which the two parts are copied apart."""
        one, other = a.parts
        if isinstance(one, Array) and isinstance(other, Array):
            self.of_dtype(f, np.result_type(one.dtype, "complex64").name)
            cleared: list[str | Instruction] = ["  call void @PyErr_Clear()", "  ret i1 false"]
            into, f.ends["failed"] = "%into", cleared
            for name, part in zip(map(sys.intern, a.names), a.parts, strict=True):
                self.held.append(name)
                view = f.there(f.op(f"call ptr @PyObject_GetAttr(ptr %x, ptr {address(name)})"), "failed")
                taken = self.part(f, part, view, into)
                f.do(f"call void @Py_DecRef(ptr {view})")  # whose items are those of the array, or copied
                f.require(taken)
                into = f.at("%into", 8 * len(words(canonical(part))))
        elif isinstance(one, Real) and one == other and one.kind in COMPLEX:
            self.kind(f, COMPLEX[one.kind])
            type_ = canonical(one).type
            size = 4 if type_ == "float" else 8
            for i in range(2):
                f.put_word(type_, f.field("%x", NUMBER + size * i, type_), f.at("%into", 8 * i))
        else:
            raise NotNative("a complex number of parts of several kinds")

    def attributes(self, f: Handling, a: Record) -> None:
        """An object of a plain class has these attributes and no others."""
        count = kept_in_dict(a.cls, a.names)
        if count is None:
            self.exact = False
        elif a.cls.__dictoffset__:
            f.require(f.op(f"call i1 @{self.helped(COUNTED)}(ptr %x, i64 {count})"))
        for name in map(sys.intern, left_empty(a.cls, a.names)):
            self.held.append(name)
            found = f.op(f"call ptr @{self.helped(ATTRIBUTE)}(ptr %x, ptr {address(name)})")
            f.require(f.op(f"icmp eq ptr {found}, null"))

    def static(self, f: Handling, a: Static) -> None:
        """What the compiler knows has to be that: an equal text or whole number, the same object of another kind."""
        value = a.value
        if type(value) in (float, tuple) or a == UNKNOWN:
            self.exact = False
        elif type(value) in (str, int, bytes):
            self.held.append(value)
            f.require(f.op(f"call i1 @{self.helped(SAME_KEY)}(ptr %x, ptr {address(value)})"))
        else:
            self.held.append(value)
            f.is_("%x", value)

    def node(self, f: Handling, a: Coproduct) -> None:
        """A tree: a node of the alternative that takes it, unless the stack grows too deep."""
        base = f.field("%arena", 8 * arena.BASE, "i64")
        here = f.op(f"ptrtoint ptr {f.op('call ptr @llvm.frameaddress.p0(i32 0)')} to i64")
        f.require(f.op(f"icmp slt i64 {f.op(f'sub i64 {base}, {here}')}, {STACK}"))
        size = 8 + 8 * max(len(words(canonical(one))) for one in ordered(a))
        memory = f.there(f.op(f"call ptr @ccc_alloc(ptr %arena, i64 {size})"))
        self.add(f, "1")
        self.choice(f, a, memory, overlaid=True)
        f.do(f"store ptr {memory}, ptr %into")

    def choice(self, f: Handling, a: Coproduct, into: str, overlaid: bool = False) -> None:
        """One of several alternatives: the first that takes it, since their types of Python differ. Those that are
        `overlaid` begin at one word."""
        layouts = [canonical(one) for one in ordered(a)]
        for i in range(1, 1 + sum(len(words(layout)) for layout in layouts) if not overlaid else 1):
            f.do(f"store i64 0, ptr {f.at(into, 8 * i)}")
        done, at = f.label("done"), 8
        for k, (one, layout) in enumerate(zip(ordered(a), layouts, strict=True)):
            taken, other = f.label("taken"), f.label("other")
            f.do(f"br i1 {self.part(f, one, '%x', f.at(into, at))}, label %{taken}, label %{other}")
            f.start(taken)
            f.do(f"store i64 {k + 1}, ptr {into}")
            f.do(f"br label %{done}")
            f.start(other)
            at += 0 if overlaid else 8 * len(words(layout))
        f.do("br label %refuse")
        f.start(done)


def inner(a: Object) -> tuple[Object, ...]:
    """The objects that an object is made of."""
    if isinstance(a, Coproduct):
        return a.alternatives
    if isinstance(a, Map):
        return a.key, a.item
    return (a.item,) if isinstance(a, List) else a.parts if isinstance(a, Product) else ()


def mixed(a: Object) -> bool:
    """Whether values of an object hold floats of which the kinds are not known."""
    return is_of_any_kind(a) or any(map(mixed, inner(a)))


def number_of(dtype: str) -> int:
    """How a dtype begins in memory: its kind, byte order and number."""
    found = np.dtype(dtype)
    parts = (ord(found.kind), ord(found.char), ord("=" if found.itemsize > 1 else "|"), 0)
    return sum(part << (8 * i) for i, part in enumerate(parts)) + (found.num << 32)
