"""The entries of maps: how one is found by its key, made, changed in its place and dropped.

What is changed is a map of its own (`owned`): entries in a list that grows, and, where they are more than `FEW`, an
index of hashes, which `hash_tables` keeps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.compile.native.dtypes import FLOATING
from ccc.compile.native.hash_tables import FEW, functions, suffix
from ccc.compile.native.layout import (
    Dct,
    Entries,
    Fixed,
    Lst,
    NotNative,
    Parts,
    Tup,
    absent,
    as_key,
    described,
    layout_of,
    operands,
    words,
)
from ccc.compile.native.sequences import appended, copied, in_layout, item_at, place, with_parts_of
from ccc.compile.native.under_way import Lowering, Variables
from ccc.compile.program.lam import Let

FIRST = 32
"""So many slots has the first index."""
NOWHERE = "-1"
"""The place of an entry that is not there."""


def empty(entry: Parts | None = None) -> Dct:
    """The map without entries."""
    return Dct(Lst(entry, "null", "0", "0"), absent(Entries(None)).index)


def entry_layout(xs: Dct) -> Parts:
    """The layout of the entries of a map that has some."""
    found = xs.entries.layout
    if found is None:
        raise NotNative("an entry of a dict that has none")
    return found


def as_map(v: Any) -> Dct:
    """A value that is a map."""
    if not isinstance(v, Dct):
        raise NotNative("a dict with known keys where one of others has to be")
    return v


def called(m: Lowering, xs: Dct, what: str) -> str:
    """The name of the function of this kind for the entries of a map, which the module then has."""
    layout = entry_layout(xs)
    keys, stride = tuple(words(layout.parts[0])), len(words(layout))
    m.module.helpers |= {f.name: f for f in functions(keys, stride)}
    return f"map_{what}_{suffix(keys, stride)}"


def whole(xs: Dct) -> list[tuple[str, str]]:
    """The arguments that say where a map is."""
    return [("ptr", xs.entries.ptr), ("i64", xs.entries.length), ("ptr", xs.index.ptr), ("i64", xs.index.length)]


def find(m: Lowering, xs: Dct, key: Any) -> str:
    """Where the entry with a key stands; less than 0 where there is none. Leaves for what is no number: Python
    compares objects first."""
    if xs.entries.layout is None:
        return NOWHERE
    check_key(xs, key)
    given = list(zip(words(layout_of(key)), operands(key), strict=True))
    for type_, text in given:
        if type_ in FLOATING:
            m.w.leave(m.w.compared("uno", type_, text, text))
    return m.w.call("i64", called(m, xs, "find"), *whole(xs), *given)


def check_key(xs: Dct, key: Any) -> None:
    """Raises `NotNative` where a key is not of the kind that a map has: numbers of two kinds may be equal."""
    want, have = entry_layout(xs).parts[0], layout_of(key)
    if have != want:
        raise NotNative(f"{described(have)} as the key of a dict whose keys are each {described(want)}")


def is_there(m: Lowering, at: str) -> str:
    """Whether a place is that of an entry."""
    return "false" if at == NOWHERE else m.w.compare("sge", at, "0")


def key_at(m: Lowering, xs: Dct, k: str) -> Any:
    """The key of an entry that is there."""
    return m.read(entry_layout(xs).parts[0], place(m, xs.entries, k))


def item_place(m: Lowering, xs: Dct, k: str) -> str:
    """The address of the item of an entry."""
    at, before = place(m, xs.entries, k), len(words(entry_layout(xs).parts[0]))
    return m.w.at_index("i64", at, str(before))


def item_of_entry(m: Lowering, xs: Dct, k: str) -> Any:
    """The item of an entry that is there."""
    return m.read(entry_layout(xs).parts[1], item_place(m, xs, k))


def duplicate(m: Lowering, xs: Dct) -> Dct:
    """A map in new memory."""
    return xs if xs.entries.layout is None else Dct(copied(m, xs.entries), copied(m, xs.index))


def owned(m: Lowering, let: Let, v: Any) -> Dct:
    """A map that a let may change: its first argument, or a copy."""
    xs = as_map(v)
    return xs if let in m.module.overwritten else duplicate(m, xs)


def in_variables(m: Lowering, xs: Dct) -> Variables:
    """A map that is made in several blocks, as it is before."""
    out = Variables(m, layout_of(xs))
    out.keep(xs)
    return out


def fitting(m: Lowering, xs: Dct, entry: Parts) -> Dct:
    """A map whose entries also have the parts that only another entry has."""
    have = xs.entries.layout
    if have is None:
        return empty(Parts((as_key(entry.parts[0]), entry.parts[1])))
    if have.parts[0] != entry.parts[0]:
        raise NotNative("a dict whose keys are of two kinds")
    want = Parts((have.parts[0], with_parts_of(have.parts[1], entry.parts[1])))
    return Dct(in_layout(m, xs.entries, want), xs.index)


def updated(m: Lowering, xs: Dct, key: Any, v: Any, both: Callable[[Any, Any], Any] | None = None) -> Dct:
    """A map of its own with an item under a key: `v`, or what `both` makes of it and what is there already."""
    w = m.w
    xs = fitting(m, xs, Parts((layout_of(key), layout_of(v))))
    at, out = find(m, xs, key), in_variables(m, xs)

    def new() -> None:
        with m.scope():
            entries = appended(m, xs.entries, Tup((key, v)))
            out.keep(Dct(entries, indexed(m, entries, xs.index)))

    def old() -> None:
        with m.scope():
            item = v if both is None else both(item_of_entry(m, xs, at), v)
            m.write(item, entry_layout(xs).parts[1], item_place(m, xs, at))

    w.choose(is_there(m, at), old, new)
    return out.now()


def indexed(m: Lowering, entries: Lst, index: Lst) -> Lst:
    """The index with the last entry too; a new one where that had more than half of the slots taken."""
    w, count, xs = m.w, entries.length, Dct(entries, index)
    out = Variables(m, layout_of(index))

    def enter(first: str) -> None:
        found = out.now()
        w.run(called(m, xs, "enter"), ("ptr", entries.ptr), ("i64", first), ("i64", count), ("ptr", found.ptr),
              ("i64", found.length))

    def larger() -> None:
        size = w.call("i64", "llvm.smax.i64", ("i64", w.mul(index.length, "2")), ("i64", str(FIRST)))
        bytes_ = w.mul(size, "8")
        ptr = m.alloc(bytes_)
        w.fill(ptr, NOWHERE, bytes_)
        out.keep(Lst(index.layout, ptr, size, size))
        enter("0")

    def has_room() -> None:
        w.choose(w.compare("ne", index.length, "0"), lambda: enter(w.sub(count, "1")), lambda: None)

    out.keep(index)
    many, full = w.compare("sgt", count, str(FEW)), w.compare("sgt", w.mul(count, "2"), index.length)
    w.choose(w.binary("and", "i1", many, full), larger, has_room)
    return out.now()


def dropped(m: Lowering, xs: Dct, at: str, ordered: bool) -> Dct:
    """A map of its own without an entry that is there; `ordered` says whether the others keep their order."""
    m.w.run(called(m, xs, "drop"), *whole(xs)[:2], ("i64", at), *whole(xs)[2:],
            ("i1", "true" if ordered else "false"))
    shorter = m.w.sub(xs.entries.length, "1")
    return Dct(Lst(xs.entries.layout, xs.entries.ptr, shorter, xs.entries.capacity), xs.index)


def entered(m: Lowering, xs: Dct, others: Dct, both: Callable[[Any, Any], Any] | None = None,
            where: Callable[[Any], str] | None = None) -> Dct:
    """A map of its own with the entries of another one, or those `where` a test of their keys holds."""
    if others.entries.layout is None:
        return xs
    w = m.w
    xs = fitting(m, xs, others.entries.layout)
    out = in_variables(m, xs)
    with w.counted(others.entries.length) as k, m.scope():
        key, v = item_at(m, others.entries, k).parts

        def take() -> None:
            with m.scope():
                out.keep(updated(m, out.now(), key, v, both))

        if where is None:
            take()
        else:
            w.choose(where(key), take, lambda: None)
    return out.now()


def keyed(m: Lowering, v: Any) -> Any:
    """A value as a key: in registers."""
    found = m.there(v)
    if isinstance(found, Fixed):
        raise NotNative("a dict with a key that is no number, text or tuple of these")
    return found
