"""Variants of machine code: the small sizes of the first call are constants in it.

LLVM unrolls the loops along them, and computes places when it compiles. A call with other sizes goes on to the next
variant, whose constants are those that both calls have in common, and the third has none: so a program is compiled at
most three times, and for whom sizes stay the same, once. Calls with the same sizes are computed by the same code
always.

Where the arguments of the first call are small altogether, loops that threads could share (`shares`) stay as they are,
and a call with large ones goes on to the next variant as well.

    kernels(found, name, args)     the functions of the entry points of a module, for a first call with these arguments

>>> from ccc.objects import Array, Product
>>> vector = Array("float64", ("n",))
>>> sizes([Product((vector, vector)), vector], [(np.ones(3), np.ones(1000)), np.ones(5)])
{1: 3, 5: 5}
"""

from __future__ import annotations

import re
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ccc.compile.native import capi, engine, parallel_parts, threads, tiles
from ccc.compile.native.boundary import ITEMS, address
from ccc.compile.native.layout import canonical, words
from ccc.compile.native.lowered import Lowered
from ccc.compile.native.split_functions import in_stretches
from ccc.compile.native.stack_allocations import GRAIN, in_frame, room
from ccc.compile.program.work import size
from ccc.objects import Array, Object, Product
from ccc.records import parts_of

SMALL = 32
"""The largest size that is a constant."""
FUNCTION = re.compile(r"define internal i32 @f0\((.*)\).*\nentry:\n")
OPENED = re.compile(r"define ptr @ccc_entry\(.*\n")
CALLED = re.compile(r"call i32 @f0\([^()]*(?=\))")
TAKEN = re.compile(r"  ; sizes of (\S+) from (\d+) to (\d+)\n")
"""Where an entry point has taken an argument, whose words are these."""
COUNTED = re.compile(r"  ; items in (\S+)\n")
"""Where it has counted the items of all arguments."""
OTHERS = "  ; other sizes\n"
"""Where it goes if sizes are others."""
ROLLED = (('distinct !{!1, !2, !3}', 'distinct !{!1, !3}'), ('distinct !{!4, !2}', 'distinct !{!4}'))
"""What keeps LLVM from unrolling loops whose number of runs it knows, and what does not."""


def sizes(params: Sequence[Object], args: Sequence[Any]) -> dict[int, int]:
    """The small sizes of arrays among arguments, by the number of their word."""
    found: dict[int, int] = {}
    todo, at = list(reversed(list(zip(params, args, strict=False)))), 0
    while todo:
        a, x = todo.pop()
        if isinstance(a, Product):
            parts = parts_of(x) or ()
            todo += reversed([(part, parts[i] if i < len(parts) else None) for i, part in enumerate(a.parts)])
            continue
        if isinstance(a, Array) and isinstance(x, np.ndarray) and x.ndim == len(a.axes or ()):
            found |= {at + 1 + i: n for i, n in enumerate(x.shape) if n <= SMALL}
        at += len(words(canonical(a)))
    return found


def kernels(found: Lowered, name: str, args: Sequence[Any]) -> list[Callable[..., Any]]:
    """The functions of the entry points."""
    variants = Variants(found, name)
    return variants.made(sizes(found.params, args), variants.small(args))


class Variants:
    """What is needed to make the next variant: the text of the module, and what its code holds."""

    def __init__(self, found: Lowered, name: str) -> None:
        self.text = zlib.compress(found.text.encode(), 1)
        self.entries, self.params, self.held, self.name = found.entries, found.params, found.held, name
        self.shared, self.limit = found.shared, parallel_parts.limit(found.shared)
        self.left, self.lock = 2, threading.Lock()

    def small(self, args: Sequence[Any]) -> bool:
        """Whether there are loops that threads could share, and that are short for arguments of this size."""
        return 0 < self.limit > size(args)

    def made(self, known: Mapping[int, int], small: bool) -> list[Callable[..., Any]]:
        """The functions of a variant; what they hold keeps all later ones."""
        text = zlib.decompress(self.text).decode()
        following: list[Any] = [None]
        if self.shared:
            text = parallel_parts.chosen(text, self.shared, by_name(text, known), small)
        if known or small:
            limit = self.limit if small else 0
            text = with_constants(text, known, following, kept=len(self.entries) > 1, limit=limit)
        loaded = engine.compile_ir(in_stretches(text), self.entries, symbols(text))
        keep = loaded, self.held, following
        found = [capi.function(self.name, loaded[entry], keep) for entry in self.entries]
        if known or small:
            following[0] = self.asking(known, following, small)
        return found

    def asking(self, known: Mapping[int, int], following: list[Any], small: bool) -> Callable[..., Any]:
        """What the first call with other sizes calls: it makes the next variant, which further calls find."""

        def ask(*args: Any) -> Any:
            with self.lock:
                if following[0] is ask:
                    self.left -= 1
                    now = sizes(self.params, args)
                    same = {at: n for at, n in known.items() if now.get(at) == n} if self.left else {}
                    following.append(ask)  # which threads may be in
                    following[0] = self.made(same, small and self.left > 0 and self.small(args))[0]
            return following[0](*args)

        return ask


def symbols(text: str) -> dict[str, int]:
    """The addresses that a module is linked with."""
    shared = threads.functions().addresses if parallel_parts.CALL in text else {}
    products = tiles.functions().addresses if tiles.CALL in text else {}
    return {**capi.symbols(), **shared, **products}


def by_name(text: str, known: Mapping[int, int]) -> dict[str, int]:
    """Sizes by the names of their words in the text."""
    found = FUNCTION.search(text)
    assert found is not None
    params = found[1].split(", ")
    return {params[at + 2].split()[1]: n for at, n in known.items()}


def with_constants(text: str, known: Mapping[int, int], following: list[Any], kept: bool, limit: int) -> str:
    """The text with these sizes for constants, and for fewer items than a limit if there is one; for others its first
    entry point calls what `following` begins with. What is not `kept` when a call ends, and of a size that follows from
    these, gets a place in its frame."""
    found = FUNCTION.search(text)
    assert found is not None
    params = found[1].split(", ")
    constants = ""
    for at, n in known.items():
        word = params[at + 2]
        params[at + 2] = f"{word}.given"
        constants += f"  {word.split()[1]} = add i64 {n}, 0\n"
    end = text.index("\n}", found.end())
    inside, places = (constants + text[found.end() : end]).split("\n"), dict[str, int]()
    if known and not kept:
        inside, places = in_frame(inside)
    params += [f"ptr noalias nonnull {name}" for name in places]
    head = found[0].replace(found[1], ", ".join(params)) + "\n".join(inside)
    body = text[end:]
    if places:
        rooms = [f"  %place{i} = alloca [{room(n)} x i8], align {GRAIN}\n" for i, n in enumerate(places.values())]
        body = OPENED.sub(lambda line: line[0] + "".join(rooms), body, count=1)
        given = "".join([f", ptr %place{i}" for i in range(len(places))])
        body = CALLED.sub(lambda line: line[0] + given, body, count=1)
    if known and text.startswith(engine.SIMPLE):
        for rolled, free in ROLLED:
            body = body.replace(rolled, free)

    def compared(taken: re.Match[str]) -> str:
        into, first, last = taken[1], int(taken[2]), int(taken[3])
        return "".join([requirement(into, at, n) for at, n in known.items() if first <= at < last])

    if limit:
        body = COUNTED.sub(lambda line: fewer(line[1], limit), body, count=1)
    return text[: found.start()] + head + TAKEN.sub(compared, body).replace(OTHERS, passed_on(following), 1)


def requirement(into: str, at: int, n: int) -> str:
    """Require a word to be a number."""
    x = f"%size{at}"
    return (
        f"  {x}.place = getelementptr i64, ptr {into}, i64 {at}\n  {x} = load i64, ptr {x}.place\n"
        f"  {x}.is = icmp eq i64 {x}, {n}\n  br i1 {x}.is, label {x}.known, label %others, !prof !9\n"
        f"{x[1:]}.known:\n"
    )


def fewer(items: str, limit: int) -> str:
    """Require the items of all arguments to be fewer than a limit."""
    return (
        f"  %items = load i64, ptr {items}\n  %items.few = icmp slt i64 %items, {limit}\n"
        "  br i1 %items.few, label %few.known, label %others, !prof !9\nfew.known:\n"
    )


def passed_on(following: list[Any]) -> str:
    """End the call, and call what follows with its arguments."""
    return (
        f"  %following.place = getelementptr i8, ptr {address(following)}, i64 {ITEMS}\n"
        "  %following.items = load ptr, ptr %following.place\n  %following = load ptr, ptr %following.items\n"
        "  call void @ccc_release(ptr %arena)\n"
        "  %followed = call ptr @PyObject_Vectorcall(ptr %following, ptr %args, i64 %count, ptr null)\n"
        "  ret ptr %followed\n"
    )
