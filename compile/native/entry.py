"""Entry points: the functions in IR that Python calls.

    ccc_entry(arguments)     the results, or NotImplemented where another target has to compute them; or (value, tape)
    ccc_pull(tape, ...)      the cotangents of a pullback

Python's lock is released for long work: where arrays and lists hold more than `LONG` items, where integers are that
large, or where nothing says how long a program runs. Other threads may change the arrays meanwhile. Then the items that
are read are those of before or of after the change, as in NumPy; positions and masks are copied first, so no item
outside of an array is ever read. What only lists, dicts and dataclasses hold could be freed by another thread: such
programs keep the lock.

Where calls go out (`calls_out`), what they run may change the arguments as well: positions and masks are copied first
then, and what lists and records hold. Where such a call has set an error, that is what the entry point gives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ccc.compile.native import arena, capi
from ccc.compile.native.boundary import DTYPES, QUICKLY, TYPE, Handling, address
from ccc.compile.native.box_results import Making
from ccc.compile.native.code import ARENA, Call
from ccc.compile.native.dtypes import REALS
from ccc.compile.native.functions import FIRST, Handled
from ccc.compile.native.layout import canonical, ordered, words
from ccc.compile.native.notes import Items, OtherSizes, Sizes
from ccc.compile.native.told_kinds import Told
from ccc.compile.native.unbox_arguments import Taking
from ccc.compile.program.assumed import LENGTH, Axis, Bound, Class
from ccc.objects import Array, Coproduct, List, Object, Product, Record
from ccc.values import slotted

SIGNED = {"==": "eq", ">=": "sge"}
"""How relations of whole numbers are compared."""
LONG = 4096
"""The items of arrays and lists above which a call is long."""
LOCK = {"never": False, "sized": None, "always": True}
TAPED = 8 * arena.FIELDS
HEAD = TAPED + 8
"""The bytes of a tape before what the pullback reads: its arena, and how many items the arguments had."""


@slotted
class Taken:
    """What an entry point gives the code of a program: objects of the arguments, when the work is long, and what the
    program takes to hold of the sizes of arguments."""

    params: Sequence[Object]
    taking: Taking
    long: str
    sizes: Sequence[Class | Bound]
    out: bool = False
    """Whether calls go out."""

    @property
    def types(self) -> list[str]:
        return [word for a in self.params for word in words(canonical(a))]


def entry(taken: Taken, result: tuple[Object, Any], making: Making, size: int) -> Handled:
    """The function that calls `f0` and makes its results; `size` is how many words they are."""
    f = opened("ccc_entry", len(taken.params), size, taken.out)
    into, items = arguments(f, taken, 0)
    call(f, FIRST, taken, into, items, [])
    return handed_out(f, result, making)


def handed_out(f: Handling, result: tuple[Object, Any], making: Making) -> Handled:
    """The function that gives its results; what has no object, without an error, another target computes."""
    out = f.op(f"call ptr @{making.of(*result)}(ptr {giving(result[0])}, ptr %results)")
    f.do("call void @ccc_release(ptr %arena)")
    if making.trees:
        unmade(f, out)
    return f.finished(out)


def unmade(f: Handling, out: str) -> None:
    """Leave where a tree is too deep."""
    asked, on = f.label("asked"), f.label("on")
    f.do(f"br i1 {f.op(f'icmp eq ptr {out}, null')}, label %{asked}, label %{on}")
    f.start(asked)
    f.require(f.op(f"icmp ne ptr {f.op('call ptr @PyErr_Occurred()')}, null"), "nothing")
    f.do(f"br label %{on}")
    f.start(on)


def tape_entry(taken: Taken, result: tuple[Object, Any], making: Making, size: int, kept: int) -> Handled:
    """The function that gives the value of `f0` and the tape: what is kept in the `kept` words behind the value."""
    f = opened("ccc_entry", len(taken.params), size + kept, taken.out)
    taken_bytes = f.op("getelementptr i64, ptr %arena, i64 3")
    end = f.op("getelementptr i64, ptr %arena, i64 1")
    f.do(f"store i64 1, ptr {taken_bytes}")  # as if the piece on the stack were used up
    f.do(f"store i64 {f.op('load i64, ptr %arena')}, ptr {end}")
    tape = f.there(f.op(f"call ptr @ccc_alloc(ptr %arena, i64 {HEAD + 8 * kept})"), "nothing")
    into, items = arguments(f, taken, 0)
    call(f, FIRST, taken, into, items, [])
    value = f.op(f"call ptr @{making.of(*result)}(ptr null, ptr %results)")
    if making.trees:
        unmade(f, value)
    f.there(value, "failed")
    f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {tape}, ptr %arena, i64 {TAPED}, i1 false)")
    f.do(f"store i64 {f.op(f'load i64, ptr {items}')}, ptr {f.at(tape, TAPED)}")
    rest = f.at("%results", 8 * size)
    f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {f.at(tape, HEAD)}, ptr {rest}, i64 {8 * kept}, i1 false)")
    capsule = f.op(f"call ptr @PyCapsule_New(ptr {tape}, ptr null, ptr @ccc_drop)")
    f.there(capsule, "lost")
    out = f.there(f.op("call ptr @PyTuple_New(i64 2)"), "untied")
    f.do(f"store ptr {value}, ptr {f.at(out, 24)}")
    f.do(f"store ptr {capsule}, ptr {f.at(out, 32)}")
    drop = f"  call void @Py_DecRef(ptr {value})"
    f.ends["untied"] = [drop, f"  call void @Py_DecRef(ptr {capsule})", "  ret ptr null"]
    f.ends["lost"] = [drop, "  br label %failed"]
    return f.finished(out)


def pull_entry(taken: Taken, kept: Sequence[str], function: str, result: tuple[Object, Any], making: Making,
               size: int) -> Handled:  # fmt: skip
    """The function that takes a tape, whose words are of the types `kept`, and cotangents to cotangents."""
    f = opened("ccc_pull", len(taken.params) + 1, size, taken.out)
    capsule = f.op("load ptr, ptr %args")
    f.is_(f.field(capsule, TYPE), capi.CAPSULE)
    tape = f.op(f"call ptr @PyCapsule_GetPointer(ptr {capsule}, ptr null)")
    f.there(tape)
    read = [(type_, f.word(tape, HEAD + 8 * i, type_)) for i, type_ in enumerate(kept)]
    into, items = arguments(f, taken, 1)
    f.do(f"store i64 {f.field(tape, TAPED, 'i64')}, ptr {items}")
    call(f, function, taken, into, items, read)
    return handed_out(f, result, making)


def opened(name: str, count: int, size: int, out: bool) -> Handling:
    """An entry point that takes `count` arguments and has room for `size` words of results, with its arena open. Where
    calls go `out`, it gives the error that one has set."""
    f = Handling("ptr", name, "ptr %self, ptr %args, i64 %count", "", QUICKLY)
    f.head += [
        f"  %arena = alloca [{arena.FIELDS} x i64]", f"  %first = alloca [{arena.FIRST} x i8], align 64",
        f"  %results = alloca [{max(size, 1)} x i64]",
    ]  # fmt: skip
    other = address(NotImplemented)
    f.ends["refuse"] = ["  call void @ccc_release(ptr %arena)", "  br label %nothing"]
    if out:
        f.ends["refuse"][1:] = [
            "  %error = call ptr @PyErr_Occurred()", "  %none = icmp eq ptr %error, null",
            "  br i1 %none, label %nothing, label %raised",
        ]  # fmt: skip
        f.ends["raised"] = ["  ret ptr null"]
    f.ends["nothing"] = [f"  call void @Py_IncRef(ptr {other})", f"  ret ptr {other}"]
    f.ends["failed"] = ["  call void @ccc_release(ptr %arena)", "  ret ptr null"]
    f.ends["others"] = [OtherSizes(), "  br label %refuse"]
    f.require(f.op(f"icmp eq i64 %count, {count}"), "nothing")
    f.do("call void @ccc_open(ptr %arena, ptr %first)")
    return f


def arguments(f: Handling, taken: Taken, first: int) -> tuple[str, str]:
    """Take the arguments from a position on; gives where their words are, and where the number of items is."""
    into, items = f.local(f"[{max(len(taken.types), 1)} x i64]"), f.local("i64")
    f.do(f"store i64 0, ptr {items}")
    at = 0
    for i, a in enumerate(taken.params):
        x = f.field("%args", 8 * (first + i))
        f.require(f.op(f"call i1 @{taken.taking.of(a)}(ptr %arena, ptr {items}, ptr {x}, ptr {f.at(into, at)})"))
        start, at = at, at + 8 * len(words(canonical(a)))
        if not first:
            f.note(Sizes(into, range(start // 8, at // 8)))
    if not first:
        f.note(Items(items))
        for one in taken.sizes:
            require_sizes(f, one, into, taken.params)
    return into, items


def require_sizes(f: Handling, one: Class | Bound, into: str, params: Sequence[Object]) -> None:
    """Leave where something does not hold of the sizes of arguments."""
    axes = [one.axis] if isinstance(one, Bound) else one
    size, *others = [f.field(into, 8 * word_of(axis, params), "i64") for axis in axes]
    if isinstance(one, Bound):
        f.require(f.op(f"icmp {SIGNED[one.relation]} i64 {size}, {one.size}"))
    for other in others:
        f.require(f.op(f"icmp eq i64 {size}, {other}"))


def word_of(axis: Axis, params: Sequence[Object]) -> int:
    """The number of the word of all arguments that is the size of an axis.

    >>> from ccc.objects import INT, Product
    >>> matrix = Array("float64", ("n", "n"))
    >>> word_of(Axis(1, (1,), 1), [INT, Product((matrix, matrix))])
    6
    """
    at, among = 0, params
    for place in (axis.argument, *axis.path):
        at += sum([len(words(canonical(a))) for a in among[:place]])
        found = among[place]
        among = found.parts if isinstance(found, Product) else ()
    return at + (1 if axis.axis == LENGTH else 1 + axis.axis)


def call(f: Handling, function: str, taken: Taken, into: str, items: str, before: Sequence[tuple[str, str]]) -> None:
    """Call the code of the program, without Python's lock where the work is long; leave where its result does not
    count."""
    long = LOCK["never" if taken.taking.nested else taken.long]
    state, positions = "null", discrete(taken.params)
    if taken.out:
        for at, dtype, rank in positions:
            copied(f, f.at(into, at), dtype, rank)
    if long is not False:
        place, let_go, on = f.local("ptr"), f.label("let_go"), f.label("on")
        f.do(f"store ptr null, ptr {place}")
        test = "true" if long else f.op(f"icmp sgt i64 {f.op(f'load i64, ptr {items}')}, {LONG}")
        f.do(f"br i1 {test}, label %{let_go}, label %{on}")
        f.start(let_go)
        for at, dtype, rank in () if taken.out else positions:
            copied(f, f.at(into, at), dtype, rank)
        f.do(f"store ptr {f.op('call ptr @PyEval_SaveThread()')}, ptr {place}")
        f.do(f"br label %{on}")
        f.start(on)
        state = f.op(f"load ptr, ptr {place}")
    args = [(type_, f.word(into, 8 * i, type_)) for i, type_ in enumerate(taken.types)]
    types, operands = zip(("ptr", ARENA), ("ptr", "%results"), *before, *args, strict=True)
    status = f.give(Call("i32", function, types, operands, inner=True))
    if long is not False:
        back, on = f.label("back"), f.label("on")
        f.do(f"br i1 {f.op(f'icmp eq ptr {state}, null')}, label %{on}, label %{back}")
        f.start(back)
        f.do(f"call void @PyEval_RestoreThread(ptr {state})")
        f.do(f"br label %{on}")
        f.start(on)
    f.require(f.op(f"icmp eq i32 {status}, 0"))


def giving(a: Object) -> str:
    """The arena that arrays of a result may be given memory of. Where a record is made, its class could end one of them
    while the others are still to be made."""
    todo = [a]
    while todo:
        a = todo.pop()
        if isinstance(a, Record) and a.cls is not Told:
            return "null"
        todo += a.parts if isinstance(a, Product) else [a.item] if isinstance(a, List) else (
            ordered(a) if isinstance(a, Coproduct) else [])
    return "%arena"


def discrete(params: Sequence[Object]) -> list[tuple[int, str, int]]:
    """Where among the words of arguments the arrays of positions and of masks are, with their dtype and rank."""
    found: list[tuple[int, str, int]] = []
    at, todo = 0, list(reversed(params))
    while todo:
        a = todo.pop()
        if isinstance(a, Product):
            todo += reversed(a.parts)
            continue
        if isinstance(a, Array) and a.dtype not in REALS:
            found.append((at, canonical(a).dtype, len(a.axes or ())))
        at += 8 * len(words(canonical(a)))
    return found


def copied(f: Handling, place: str, dtype: str, rank: int) -> None:
    """Let the words of an array stand for a copy that nobody else sees."""
    size = str(DTYPES[dtype].itemsize)
    for i in range(rank):
        size = f.op(f"mul i64 {size}, {f.field(place, 8 * (i + 1), 'i64')}")
    memory = f.there(f.op(f"call ptr @ccc_alloc(ptr %arena, i64 {size})"))
    source = f.op(f"load ptr, ptr {place}")
    f.do(f"call void @llvm.memcpy.p0.p0.i64(ptr {memory}, ptr {source}, i64 {size}, i1 false)")
    f.do(f"store ptr {memory}, ptr {place}")
