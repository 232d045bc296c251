"""Variants of machine code: the small sizes of the first call are constants in it.

LLVM unrolls the loops along them, and computes places when it compiles. A call with other sizes goes on to the next
variant, whose constants are those that both calls have in common, and the third has none: so a program is compiled at
most three times, and for whom sizes stay the same, once. Calls with the same sizes are computed by the same code
always. A program that has machine code only where such a size is known is left to the other target for other sizes.

Where the arguments of the first call are small altogether, loops that threads could share (`shares`) stay as they are,
and a call with large ones goes on to the next variant as well.

    kernels(found, name, args)     the functions of the entry points of a module, for a first call with these arguments

>>> from ccc.objects import Array, Product
>>> vector = Array("float64", ("n",))
>>> sizes([Product((vector, vector)), vector], [(np.ones(3), np.ones(1000)), np.ones(5)])
{1: 3, 5: 5}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from ccc.compile.native import capi, engine, parallel_parts, radix_sort, threads, tiles, vector_products
from ccc.compile.native.boundary import ITEMS, address
from ccc.compile.native.code import (
    ARENA,
    LIKELY,
    Address,
    Begin,
    Call,
    Comparison,
    Fork,
    Instruction,
    Label,
    Load,
    Operation,
    Room,
)
from ccc.compile.native.functions import FIRST, Code, Function, Handled, Param, Piece, Return
from ccc.compile.native.layout import NotNative, canonical, words
from ccc.compile.native.lowered import Lowered
from ccc.compile.native.notes import Items, OtherSizes, Sizes
from ccc.compile.native.sizes import SMALL
from ccc.compile.native.split_functions import in_stretches
from ccc.compile.native.stack_allocations import GRAIN, in_frame, room
from ccc.compile.program.work import size
from ccc.locks import Lock
from ccc.objects import Array, Object, Product
from ccc.records import parts_of

ROLLED = {"!1 = distinct !{!1, !2, !3}": "!1 = distinct !{!1, !3}", "!4 = distinct !{!4, !2}": "!4 = distinct !{!4}"}
"""What keeps LLVM from unrolling loops whose number of runs it knows, and what does not."""
OTHERS = Label("others", "others")
"""Where an entry point goes if sizes are others."""


def sizes(params: Sequence[Object], args: Sequence[Any]) -> dict[int, int]:
    """The small sizes of arrays among arguments, by the number of their word."""
    return {at: n for at, n in all_sizes(params, args).items() if n <= SMALL}


def all_sizes(params: Sequence[Object], args: Sequence[Any]) -> dict[int, int]:
    """The sizes of arrays among arguments, by the number of their word."""
    found: dict[int, int] = {}
    todo, at = list(reversed(list(zip(params, args, strict=False)))), 0
    while todo:
        a, x = todo.pop()
        if isinstance(a, Product):
            parts = parts_of(x) or ()
            todo += reversed([(part, parts[i] if i < len(parts) else None) for i, part in enumerate(a.parts)])
            continue
        if isinstance(a, Array) and isinstance(x, np.ndarray) and x.ndim == len(a.axes or ()):
            found |= {at + 1 + i: n for i, n in enumerate(x.shape)}
        at += len(words(canonical(a)))
    return found


def kernels(found: Lowered, name: str, args: Sequence[Any]) -> list[Callable[..., Any]]:
    """The functions of the entry points, which may be made for another call than that whose sizes are constants."""
    variants = Variants(found, name)
    return variants.made(found, found.known, variants.small(found, args))


class Variants:
    """What is needed to make the next variant: the module, which is written anew where others of its sizes are
    constants."""

    def __init__(self, found: Lowered, name: str) -> None:
        self.first, self.name = found, name
        self.left, self.lock = 2, Lock()

    def small(self, found: Lowered, args: Sequence[Any]) -> bool:
        """Whether there are loops that threads could share, and that are short for arguments of this size."""
        return 0 < parallel_parts.limit(found.shared) > size(args)

    def made(self, found: Lowered, known: Mapping[int, int], small: bool) -> list[Callable[..., Any]]:
        """The functions of a variant; what they hold keeps all later ones."""
        code, following, entries = found.code, list[Any]([None]), found.entries
        if found.shared:
            code = parallel_parts.chosen(code, found.shared, by_name(code, known), small)
        if known or small:
            limit = parallel_parts.limit(found.shared) if small else 0
            code = with_constants(code, known, following, kept=len(entries) > 1, limit=limit)
        loaded = engine.compile_ir(in_stretches(code), entries, symbols(code))
        keep = loaded, found.held, following
        functions = [capi.function(self.name, loaded[entry], keep) for entry in entries]
        if known or small:
            following[0] = self.asking(found, known, following, small)
        return functions

    def asking(
        self, last: Lowered, known: Mapping[int, int], following: list[Any], small: bool
    ) -> Callable[..., Any]:
        """What the first call with other sizes calls: it makes the next variant, which further calls find."""

        def ask(*args: Any) -> Any:
            with self.lock:
                if following[0] is ask:
                    left = self.left - 1
                    now = sizes(self.first.params, args)
                    same = {at: n for at, n in known.items() if now.get(at) == n} if left else {}
                    try:
                        found = self.written(last, args, same)
                        unshared = (small or not last.shared) and left > 0 and self.small(found, args)
                        then = self.made(found, same, unshared)[0]
                    except NotNative:  # of a size that is no constant now
                        then = left_to_other
                    following.append(ask)  # which threads may be in
                    following[0], self.left = then, left
                    if not left:
                        self.first.anew = None
            return following[0](*args)

        return ask

    def written(self, last: Lowered, args: Sequence[Any], known: Mapping[int, int]) -> Lowered:
        """The module with these constants, in whose code there are no others."""
        if last.known.items() <= known.items():
            return last
        assert self.first.anew is not None
        return self.first.anew(args, known.keys())


def left_to_other(*args: Any) -> Any:
    """What takes no arguments: another target computes the result."""
    return NotImplemented


def symbols(code: Code) -> dict[str, int]:
    """The addresses that a module is linked with."""
    shared = threads.functions().addresses if parallel_parts.SHARE in code.reads else {}
    products = {name: tiles.functions(item).addresses[name] for item, name in tiles.NAMES.items() if name in code.reads}
    of_vectors = {name: vector_products.functions(item).addresses[name]
                  for item, names in vector_products.NAMES.items() for name in names if name in code.reads}
    orders = radix_sort.functions().addresses if radix_sort.NAME in code.reads else {}
    return {**capi.symbols(), **shared, **products, **of_vectors, **orders}


def first(code: Code) -> Function:
    """The function that a program is."""
    return next(f for f in code.functions() if f.name == FIRST)


def by_name(code: Code, known: Mapping[int, int]) -> dict[str, int]:
    """Sizes by the names of their words in the code."""
    params = first(code).params
    return {params[at + 2].name: n for at, n in known.items()}


def with_constants(code: Code, known: Mapping[int, int], following: list[Any], kept: bool, limit: int) -> Code:
    """The module with these sizes for constants, and for fewer items than a limit if there is one; for others its first
    entry point calls what `following` begins with. What is not `kept` when a call ends, and of a size that follows from
    these, gets a place in its frame."""
    f = first(code)
    params, inside, places = list(f.params), list[Instruction](), dict[str, int]()
    for at, n in known.items():
        type_, name, told = params[at + 2]
        params[at + 2] = Param(type_, f"{name}.given", told)
        inside.append(Operation("i64", "add", str(n), "0", name=name))
    inside += f.lines
    if known and not kept:
        inside, places = in_frame(inside)
    params += [Param("ptr", name, "noalias nonnull") for name in places]
    rooms = [Room("i8", f"%place{i}", room(n), GRAIN, array=True) for i, n in enumerate(places.values())]

    def entered(line: str | Instruction) -> Sequence[str | Instruction]:
        match line:
            case Call() if line.function == FIRST:
                types = *line.given, *[x.type for x in rooms]
                operands = *line.operands, *[x.name for x in rooms]
                return [Call(line.type, FIRST, types, operands, inner=True, name=line.name)]
            case Sizes(words=words, operands=(into,)):
                return [x for at, n in known.items() if at in words for x in requirement(into, at, n)]
            case Items(operands=(items,)) if limit:
                return fewer(items, limit)
            case OtherSizes():
                return passed_on(following)
            case _:
                return [line]

    def piece(x: Piece) -> Piece:
        if x is f:
            return replace(f, params=params, lines=inside)
        if isinstance(x, Handled) and x.name == "ccc_entry":
            return replace(x, lines=[*rooms, *chain.from_iterable(map(entered, x.lines))])
        return ROLLED.get(x, x) if isinstance(x, str) and known and code.simple else x

    return code.of(map(piece, code.pieces))


def requirement(into: str, at: int, n: int) -> list[Instruction]:
    """Require a word to be a number."""
    x, on = f"%size{at}", Label(f"size{at}.known", "on")
    return [
        Address("i64", into, str(at), name=f"{x}.place"),
        Load("i64", f"{x}.place", name=x),
        Comparison("eq", "i64", x, str(n), f"{x}.is"),
        Fork(f"{x}.is", on, OTHERS, LIKELY),
        Begin(on),
    ]


def fewer(items: str, limit: int) -> list[Instruction]:
    """Require the items of all arguments to be fewer than a limit."""
    on = Label("few.known", "on")
    return [
        Load("i64", items, name="%items"),
        Comparison("slt", "i64", "%items", str(limit), "%items.few"),
        Fork("%items.few", on, OTHERS, LIKELY),
        Begin(on),
    ]


def passed_on(following: list[Any]) -> list[Instruction]:
    """End the call, and call what follows with its arguments."""
    given = ("ptr", "%following"), ("ptr", "%args"), ("i64", "%count"), ("ptr", "null")
    types, operands = zip(*given, strict=True)
    return [
        Address("i8", address(following), str(ITEMS), name="%following.place"),
        Load("ptr", "%following.place", name="%following.items"),
        Load("ptr", "%following.items", name="%following"),
        Call("void", "ccc_release", ("ptr",), (ARENA,)),
        Call("ptr", "PyObject_Vectorcall", types, operands, name="%followed"),
        Return("ptr", "%followed"),
    ]
