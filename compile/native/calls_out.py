"""Calls out to NumPy: what machine code does not take of a program, for that call only.

    %status = call i32 @f7(ptr %arena, ptr %results, the words of the arguments)

`f7` makes objects of Python of the arguments, copies that may be kept or changed, and calls the value of the primitive
under Python's lock. What that gives has to be of the object of the result; it is copied into the arena, so it shares
memory with nothing. Arguments and results are numbers, arrays, and lists, tuples and records of these; constants and
parameters stay with the callable.

A call that raises lets the code leave, as what cannot go on does everywhere: what computes the program then raises the
same, at its place. What a user's own function raises goes to the caller as it is, so that the function is not called
twice; and so does what is no `Exception`, as an interrupt.

Which calls go out is known before any text is written: those whose primitive has no handler, and those that a handler
has refused. A refusal ends the attempt, and the text is written anew with that call going out, so a handler may refuse
when it likes and leaves no trace.

What prints, warns, reads a clock or calls what it does not look into goes out too, and is noted: should the code leave
later, what computes the program from its beginning does not do that again (`ccc.journal`).

>>> from ccc.objects import INT, REAL, Text
>>> crosses(Product((REAL, List(INT)))), crosses(Array("float64", ("n",))), crosses(Array("float16", ("n",)))
(True, True, False)
>>> crosses(Map(Text(), REAL))
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from ccc.compile.native.boundary import QUICKLY, Handling, address
from ccc.compile.native.box_results import Making
from ccc.compile.native.code import Instruction
from ccc.compile.native.dtypes import INTEGERS, item_dtype
from ccc.compile.native.functions import Handled
from ccc.compile.native.layout import ITEM, NotNative, Parts, words
from ccc.compile.native.living_sources import drawing, making
from ccc.compile.native.moved_texts import looks_into
from ccc.compile.native.ranks import Anew
from ccc.compile.native.told_kinds import Told, happens_once
from ccc.compile.native.unbox_arguments import Taking
from ccc.compile.program.lam import Absent, Apply, Atom, Block, Branch, Let, Lit, lets_in
from ccc.compile.program.sharing import is_foreign
from ccc.journal import Once
from ccc.objects import INT, UNIT, Array, Bool, Int, List, Map, Object, Product, Real, Record, Source, Static, Text

DECLARED = """declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare i32 @PyErr_ExceptionMatches(ptr)
declare ptr @PyErr_Occurred()""".splitlines()
"""What modules declare in which calls go out."""
KINDS = {Real: ("float", "float64", "float32"), Int: ("int", *INTEGERS), Bool: ("bool", "bool_")}
"""The kinds of numbers that machine code tells from each other."""
MOST = 64
"""A program of which so many different calls are refused stays with NumPy."""
CONSTANTS = (None, True, False)


def crosses(a: Object) -> bool:
    """Whether values of an object can be arguments and results of a call out."""
    match a:
        case Real() | Int() | Bool():
            return a.kind in KINDS[type(a)]
        case Text():
            return True
        case Array(dtype, axes):
            return item_dtype(dtype) in ITEM and axes is not None
        case List(item):
            return crosses(item)
        case Map(key, item):
            return item == UNIT or (crosses(key) and crosses(item))
        case Product(parts):
            return all(map(crosses, parts)) or (isinstance(a, Record) and a.cls is Told)
        case Static(value):
            return any(value is x for x in CONSTANTS)
        case _:
            return False


def constant(x: Atom) -> Any:
    """The value of an argument that stays with the callable; `NotImplemented` for others."""
    if isinstance(x, Lit):
        return NotImplemented if isinstance(x.value, Absent) else x.value
    return x.object.value if isinstance(x.object, Static) else NotImplemented


def is_constant(x: Atom) -> bool:
    """Whether an argument stays with the callable."""
    return constant(x) is not NotImplemented


def in_words_of(a: Object) -> Object:
    """The object of what stands in machine code for a value: a number for a source."""
    return INT if isinstance(a, Source) else a


def may_go_out(let: Let) -> bool:
    """Whether a let can be a call out: of a primitive that has a value in Python, and no effect but of a source, or one
    that happens once."""
    op = let.op
    if not isinstance(op, Apply) or len(let.targets) > 1:
        return False
    if op.primitive.effect and not happens_once(let) and not any(
            isinstance(x.object, Source) for x in (*let.args, *let.targets)):
        return False
    # one of several numbers is of its own kind
    if op.primitive.chooses and len({x.object for x in (*let.args[-2:], *let.targets)}) > 1:
        return False
    calls = any(mode in ("call", "print", "log") for _, mode in op.primitive.errors)
    given = all(is_constant(x) or (not isinstance(x, Lit) and crosses(in_words_of(x.object))) for x in let.args)
    return not calls and given and all(crosses(in_words_of(v.object)) for v in let.targets)


def surely_few(block: Block) -> bool:
    """Whether a program makes its sources in no loop and no function: they live until it returns."""
    outside, todo = set[Let](), [block]
    while todo:
        lets = todo.pop().lets
        outside.update(lets)
        todo += [inner for let in lets if isinstance(let.op, Branch) for inner in let.op.blocks]
    return all(let in outside for let in lets_in(block) if makes_source(let))


def makes_source(let: Let) -> bool:
    return any(isinstance(x.object, Source) for x in let.targets) and isinstance(let.op, Apply)


def form(let: Let) -> Any:
    """What a refusal depends on, mostly."""
    op = let.op
    assert isinstance(op, Apply)
    return op.primitive, repr(op.params), [x.object for x in (*let.args, *let.targets)]


def callable_of(let: Let) -> Callable[..., Any]:
    """A function of the arguments of a let that are no constants."""
    op = let.op
    assert isinstance(op, Apply)
    value = op.primitive.value
    value = value.noted if isinstance(value, Once) else value
    value = partial(value, **op.params) if op.params else value
    places = [i for i, x in enumerate(let.args) if isinstance(x.object, Source)]
    if places:
        value = drawing(partial(op.primitive.source, **op.params), len(let.args), places)  # type: ignore[arg-type]
    value = making(value) if makes_source(let) else value
    if not any(map(is_constant, let.args)):
        return value
    known = list(map(constant, let.args))

    def called(*given: Any) -> Any:
        left = iter(given)
        return value(*[next(left) if x is NotImplemented else x for x in known])

    return called


class CallsOut:
    """Which calls of a program go out, with the reasons, and the functions that make them."""

    def __init__(
        self, block: Block, taken: Callable[[Apply], bool], pullback: bool, refused: Iterable[tuple[Any, str]] = ()
    ) -> None:
        self.lets = [let for let in lets_in(block) if isinstance(let.op, Apply)]
        # what a pullback or a function of a user's own does is not told from what the program does
        self.alone = not pullback and not any(is_foreign(let.application.primitive) for let in self.lets)
        self.reasons = {let: f"`{let.application.primitive.name}`" for let in self.lets
                        if (looks_into(let) or not taken(let.op)) and self.may_go_out(let)}  # type: ignore[arg-type]
        self.refused = list[tuple[Any, str]]()
        for wanted, reason in refused:
            self.go_out(wanted, reason)
        self.acts = any(map(happens_once, self.reasons))
        self.draws = any(map(makes_source, self.reasons))
        if self.draws and not surely_few(block):
            raise NotNative("a source of random numbers that is made in a loop or function")
        self.refusals = 0
        self.begin()

    def may_go_out(self, let: Let) -> bool:
        """Whether a let can be a call out of this program."""
        return may_go_out(let) and (self.alone or not happens_once(let))

    def begin(self) -> None:
        """Forget what was written."""
        self.making, self.taking = Making(), Taking(copies=True)
        self.functions: list[Handled] = []
        self.held: list[Any] = []

    def refuse(self, let: Let, reason: str) -> None:
        """Let a call that a handler has refused go out, and those like it, which raises `Anew`, or do nothing where it
        cannot."""
        self.refusals += 1
        if let in self.reasons or not self.may_go_out(let) or self.refusals > MOST:
            return
        self.go_out(form(let), reason)
        raise Anew

    def go_out(self, wanted: Any, reason: str) -> None:
        """Let all calls of a form go out, and keep that for when the program is written for other sizes."""
        self.refused.append((wanted, reason))
        left = [x for x in self.lets if x not in self.reasons and self.may_go_out(x)]
        self.reasons |= {x: reason for x in left if form(x) == wanted}

    def function(self, name: str, let: Let, given: Sequence[tuple[Object, Any]]) -> None:
        """Write the function of this name that makes the call of a let, whose arguments are of objects in layouts."""
        called = callable_of(let)
        params, stored = ["ptr %arena", "ptr %results"], list[tuple[str, str]]()
        for layout in [layout for _, layout in given]:
            for type_ in words(layout):
                stored.append((type_, f"%a{len(stored)}"))
        f = Handling("i32", name, ", ".join([*params, *map(" ".join, stored)]), mark=QUICKLY)
        state = f.op("call i32 @PyGILState_Ensure()")
        at = f.local(f"[{max(len(stored), 1)} x i64]")
        for i, (type_, word) in enumerate(stored):
            f.put_word(type_, word, f.at(at, 8 * i))
        objects, layouts = tuple([a for a, _ in given]), tuple([layout for _, layout in given])
        make = self.making.of(Product(objects), Parts(layouts))
        args = f.there(f.op(f"call ptr @{make}(ptr null, ptr {at})"), "failed")
        found = f.op(f"call ptr @PyObject_Call(ptr {address(called)}, ptr {args}, ptr null)")
        f.do(f"call void @Py_DecRef(ptr {args})")
        f.there(found, "failed")
        fits = "true"
        if let.targets and let.targets[0].object != UNIT:
            items = f.local("i64")
            f.do(f"store i64 0, ptr {items}")
            take = self.taking.of(in_words_of(let.targets[0].object))
            fits = f.op(f"call i1 @{take}(ptr %arena, ptr {items}, ptr {found}, ptr %results)")
        f.do(f"call void @Py_DecRef(ptr {found})")
        f.require(fits, "left")
        f.do(f"call void @PyGILState_Release(i32 {state})")
        leaves: list[str | Instruction] = ["  br label %left"]
        if not is_foreign(let.application.primitive):
            leaves = [
                f"  %may = call i32 @PyErr_ExceptionMatches(ptr {address(Exception)})",
                "  %ordinary = icmp ne i32 %may, 0", "  br i1 %ordinary, label %clear, label %left",
                "clear:", "  call void @PyErr_Clear()", "  br label %left",
            ]  # fmt: skip
        f.ends["failed"] = leaves
        f.ends["left"] = [f"  call void @PyGILState_Release(i32 {state})", "  ret i32 1"]
        self.held.append(called)
        self.functions.append(f.finished("0"))
