"""Stacks of memory in the text of a function: marked, cut back, and what is of use moved.

What a stack is, and its pieces: `arena`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ccc.compile.native import arena
from ccc.compile.native.code import LIKELY
from ccc.compile.native.dtypes import bytes_of
from ccc.compile.native.layout import Block, Choice, Entries, Items, Parts, words
from ccc.compile.native.writer import Writer
from ccc.values import value

POISONED = False
"""Whether memory that is given back is overwritten, so that what still reads it is found (`tests/conftest.py`)."""


@value()
class Mark:
    """A stack, and where is kept what it is cut back to: how far it reached, in which piece; and how many pieces the
    call had taken by then."""

    stack: str
    top: str
    piece: str
    since: str


def stack_of(level: int) -> str:
    return f"%stack{level}" if level else "%arena"


def frame_of(level: int) -> str:
    """The first piece of a stack: it ends with the frame of the function."""
    return f"%first{level}"


def piece_of(w: Writer, stack: str) -> str:
    """The piece that the next byte of a stack lies in."""
    return w.load("ptr", w.at_index("i64", stack, str(arena.PIECE)))


def taken(w: Writer, stack: str) -> str:
    """The bytes of the pieces of a stack."""
    return w.load("i64", w.at_index("i64", stack, str(arena.TAKEN)))


def latest(w: Writer, stack: str) -> str:
    """The number of the piece that a stack has taken last."""
    return w.load("i64", w.at_index("i64", stack, str(arena.LATEST)))


def marked(w: Writer, stack: str, own: bool = False) -> Mark:
    """Where is kept how far a stack reaches now. Of a loop's own one, which is empty when it begins, all pieces were
    taken since."""
    mark = Mark(stack, w.local("i64"), w.local("ptr"), w.local("i64"))
    w.store("i64", w.load("i64", stack), mark.top)
    w.store("ptr", piece_of(w, stack), mark.piece)
    w.store("i64", "0" if own else latest(w, stack), mark.since)
    return mark


def settled(w: Writer, mark: Mark) -> str:
    """The top of a stack. Where it has gone on in another piece, the mark is the beginning of that."""
    last, moved_, stays = piece_of(w, mark.stack), w.block("piece"), w.block("stays")
    same = w.compared("eq", "ptr", last, w.load("ptr", mark.piece))
    w.fork(same, stays, moved_, LIKELY)
    w.label(moved_)
    start = w.cast("ptrtoint", "ptr", last, "i64")
    w.store("i64", w.binary("add", "i64", start, str(arena.BEFORE)), mark.top)
    w.store("ptr", last, mark.piece)
    w.jump(stays)
    w.label(stays)
    return w.load("i64", mark.stack)


def cut_back(w: Writer, stack: str, top: str, piece: str, since: str) -> None:
    """Write what cuts a stack back to where it reached, in which piece, when which was its latest one; nothing on it is
    of use."""
    fill = str(int(POISONED))
    w.run("ccc_cut", ("ptr", stack), ("i64", top), ("ptr", piece), ("i64", since), ("i64", fill))


def overwritten(w: Writer, mark: Mark) -> None:
    """Write what overwrites what a cut to a mark gives back of the piece, where tests ask for that."""
    if POISONED:
        top = w.load("i64", mark.top)
        same = w.compared("eq", "ptr", piece_of(w, mark.stack), w.load("ptr", mark.piece))
        poisoned(w, top, w.select("i64", same, w.load("i64", mark.stack), top))


def swept(w: Writer, mark: Mark, to: str, until: str) -> None:
    """Let others take the pieces that a stack has taken since its mark, but for those that are held: they go to another
    stack, if that is another one."""
    since = w.load("i64", mark.since)
    w.run("ccc_swept", ("ptr", mark.stack), ("ptr", to), ("i64", since), ("i64", until), ("i64", str(int(POISONED))))


def poisoned(w: Writer, low: str, high: str) -> None:
    """Fill what is given back with NaNs and large numbers, where tests ask for that."""
    if POISONED:
        w.fill(w.cast("inttoptr", "i64", low, "ptr"), "-1", w.sub(high, low))


def moved_out(w: Writer, carried: Sequence[tuple[Any, list[str]]], mark: Mark, level: int, to: str) -> None:
    """Copy what still lies in the frame of the function where a stack has gone on in other pieces: an array that runs
    have changed in place, or passed on, since the first one."""
    piece, out, on = piece_of(w, mark.stack), w.block("out"), w.block("on")
    w.fork(w.compared("eq", "ptr", piece, "null"), on, out)
    w.label(out)
    low = w.cast("ptrtoint", "ptr", frame_of(level), "i64")
    moved(w, carried, to, low, w.add(low, str(arena.FIRST)), mark)
    w.jump(on)
    w.label(on)


def moved(
    w: Writer, carried: Sequence[tuple[Any, list[str]]], to: str, low: str, high: str, mark: Mark, until: str = "",
) -> str:
    """Copy what lies from `low` to below `high`, or in the pieces taken since a mark, or hold their pieces; gives the
    bytes that were copied or looked at."""
    size = w.binary("sub", "i64", high, low)
    live = w.local("i64")
    piece, since = w.load("ptr", mark.piece), w.load("i64", mark.since)
    until = w.load("i64", until) if until else str(arena.ALL)
    taken_since = [("ptr", mark.stack), ("ptr", piece), ("i64", since), ("i64", until)]
    w.store("i64", "0", live)

    def counted(bytes_: str) -> None:
        w.store("i64", w.binary("add", "i64", w.load("i64", live), bytes_), live)

    def copied(at: str, count: str) -> None:
        old = w.load("ptr", at)
        at_most = [("ptr", old), ("i64", count), ("i64", low), ("i64", size)]
        new = w.call("ptr", "ccc_moved", ("ptr", to), *at_most, *taken_since)
        stays = w.compared("eq", "ptr", new, old)
        none = w.compared("eq", "ptr", new, "null")
        w.leave(w.binary("and", "i1", none, w.binary("xor", "i1", stays, "true")), guards=False)
        w.store("ptr", new, at)
        counted(w.select("i64", stays, "0", count))

    def visit(layout: Any, at: Sequence[str]) -> None:
        match layout:
            case Block(dtype, rank):
                count = bytes_of(dtype)
                for place in at[1 : 1 + rank]:
                    count = w.binary("mul", "i64", count, w.load("i64", place))
                copied(at[0], count)
            case Items(item) if item is not None:
                inside = len(words(item))
                if not inside:
                    return
                copied(at[0], w.binary("mul", "i64", w.load("i64", at[2]), str(8 * inside)))
                if "ptr" in words(item):
                    items, length = w.load("ptr", at[0]), w.load("i64", at[1])
                    counted(w.binary("mul", "i64", length, str(8 * inside)))
                    with w.counted(length) as k:
                        first = w.mul(k, str(inside))
                        visit(item, [w.at_index("i64", items, w.add(first, str(j))) for j in range(inside)])
            case Parts(parts) | Entries(parts=parts):
                follow(parts, at)
            case Choice(alternatives):
                follow(alternatives, at[1:])
            case _:
                pass

    def follow(layouts: Sequence[Any], at: Sequence[str]) -> None:
        for layout in layouts:
            count = len(words(layout))
            visit(layout, at[:count])
            at = at[count:]

    for layout, slots in carried:
        visit(layout, slots)
    return w.load("i64", live)
