"""Maps: Python's dicts whose keys the run knows, and sets.

What updates a map of its own does so in its place, others copy it (`entries`). A cotangent of a map may lack keys, at
which it is zero, and has no order.
"""

from __future__ import annotations

from typing import Any

from ccc.compile.native.cotangents import added, zeros
from ccc.compile.native.entries import (
    as_map,
    dropped,
    duplicate,
    empty,
    entered,
    find,
    in_variables,
    is_there,
    item_of_entry,
    key_at,
    keyed,
    owned,
    updated,
)
from ccc.compile.native.layout import (
    Dct,
    Fixed,
    Lst,
    Nothing,
    Num,
    Parts,
    Word,
    as_key,
    canonical,
    layout_of,
    words,
)
from ccc.compile.native.lists import new
from ccc.compile.native.meeting import joined
from ccc.compile.native.sequences import as_item, item_at, listed, place
from ccc.compile.native.table import Facts, handles
from ccc.compile.native.under_way import Lowering, Variables
from ccc.compile.program.lam import Let, Lit
from ccc.objects_of_values import object_of
from ccc.primitives import maps, zero_trees

KEYS = Facts(sameness=True)
"""Of keys, maps ask whether two are the same."""


def typed(m: Lowering, let: Let, xs: Dct) -> Dct:
    """A map whose entries are laid out as the type of what a let gives says."""
    wanted = canonical(let.targets[0].object)
    return m.brought(xs, wanted) if xs.entries.layout is None else xs


# -- maps --------------------------------------------------------------------------------------------------------------


@handles(zero_trees.empty_map)
def empty_map(m: Lowering, let: Let) -> Dct:
    return empty()


@handles(maps.mapping, facts=KEYS)
def mapping(m: Lowering, let: Let, *xs: Any) -> Dct:
    """A dict of known keys, of which each is once; the last of those with one key counts."""
    params = let.application.params
    out = typed(m, let, empty())
    for i, (key, x) in enumerate(zip(params["keys"], xs, strict=True)):
        out = updated(m, out, keyed(m, m.value(Lit(key, object_of(key)))), m.there(as_item(m, let, x, i)))
    return out


@handles(maps.put, facts=KEYS)
def put(m: Lowering, let: Let, xs: Any, v: Any, key: Any) -> Dct:
    v = m.there(as_item(m, let, v, 1))
    return updated(m, typed(m, let, owned(m, let, xs)), keyed(m, key), v)


@handles(maps.lookup, facts=KEYS)
def lookup(m: Lowering, let: Let, xs: Any, key: Any) -> Any:
    found = as_map(xs)
    at = find(m, found, keyed(m, key))
    m.w.leave(m.w.compare("slt", at, "0"))
    return item_of_entry(m, found, at) if found.entries.layout is not None else Fixed(None)


@handles(maps.has_key, facts=KEYS)
def has_key(m: Lowering, let: Let, xs: Any, key: Any) -> Num:
    return Num("i1", is_there(m, find(m, as_map(xs), keyed(m, key))))


@handles(maps.last_key, facts=KEYS)
def last_key(m: Lowering, let: Let, xs: Any) -> Any:
    found = as_map(xs)
    m.w.leave(m.w.compare("eq", found.entries.length, "0"))
    return key_at(m, found, m.w.sub(found.entries.length, "1")) if found.entries.layout is not None else Fixed(None)


@handles(maps.check_size, facts=KEYS)
def check_size(m: Lowering, let: Let, xs: Any, size: Any) -> Fixed:
    m.w.leave(m.w.compare("ne", as_map(xs).entries.length, m.number(size, "i64").text))
    return Fixed(())


@handles(maps.remove, facts=KEYS)
def remove(m: Lowering, let: Let, xs: Any, key: Any) -> Dct:
    found = owned(m, let, xs)
    at = find(m, found, keyed(m, key))
    m.w.leave(m.w.compare("slt", at, "0"))
    return found if found.entries.layout is None else dropped(m, found, at, True)


@handles(maps.merged, facts=KEYS)
def merged(m: Lowering, let: Let, xs: Any, ys: Any) -> Dct:
    return entered(m, typed(m, let, owned(m, let, xs)), typed(m, let, as_map(ys)))


@handles(maps.copied, facts=KEYS)
def copied(m: Lowering, let: Let, xs: Any) -> Dct:
    return duplicate(m, as_map(xs))


@handles(maps.keys_of, facts=KEYS)
def keys_of(m: Lowering, let: Let, xs: Any) -> Lst:
    return part_of_entries(m, as_map(xs), 0)


@handles(maps.values_of, facts=KEYS)
def values_of(m: Lowering, let: Let, xs: Any, keys: Any) -> Lst:
    return part_of_entries(m, as_map(xs), 1)


def part_of_entries(m: Lowering, xs: Dct, i: int) -> Lst:
    """The keys or the items of a map as a list."""
    found = xs.entries
    if found.layout is None:
        return Lst(None, "null", "0", "0")
    out = new(m, found.layout.parts[i], found.length)
    with m.w.counted(found.length) as k:
        m.write(item_at(m, found, k).parts[i], out.layout, place(m, out, k))
    return out


@handles(maps.from_pairs, facts=KEYS)
def from_pairs(m: Lowering, let: Let, keys: Any, xs: Any) -> Dct:
    """The map of keys and items, as many as there are of both."""
    ks, vs = listed(m, keys), listed(m, xs)
    if ks.layout is None or vs.layout is None:
        return empty()
    w = m.w
    out = in_variables(m, entries_like(m, ks, vs))
    count = w.call("i64", "llvm.smin.i64", ("i64", ks.length), ("i64", vs.length))
    with w.counted(count) as k, m.scope():
        out.keep(updated(m, out.now(), item_at(m, ks, k), item_at(m, vs, k)))
    return out.now()


def entries_like(m: Lowering, keys: Lst, xs: Lst) -> Dct:
    """The empty map with keys and items such as the items of two lists."""
    return empty(Parts((as_key(keys.layout), xs.layout)))


# -- their cotangents --------------------------------------------------------------------------------------------------


@handles(maps.entry, facts=KEYS)
def entry(m: Lowering, let: Let, ct: Any, x: Any, key: Any) -> Any:
    return cotangent_at(m, ct, x, keyed(m, key))


def cotangent_at(m: Lowering, ct: Any, x: Any, key: Any) -> Any:
    """The cotangent of an item that has a key: zero where the cotangent of its map lacks that."""
    w = m.w
    if isinstance(ct, Fixed) or as_map(ct).entries.layout is None:
        return zeros(m, x)
    item = ct.entries.layout.parts[1]
    if isinstance(item, Nothing):
        return zeros(m, x)
    at, arms = find(m, ct, key), list[tuple[Any, Any]]()

    def there() -> None:
        with m.scope():
            arms.append((item_of_entry(m, ct, at), w.gap()))

    def lacks() -> None:
        with m.scope():
            arms.append((m.there(zeros(m, x)), w.gap()))

    w.choose(is_there(m, at), there, lacks)
    out = Variables(m, joined(layout_of(arms[0][0]), layout_of(arms[1][0])))
    for v, gap in arms:
        with w.within(gap):
            out.keep(v)
    return out.now()


@handles(maps.add_entry, facts=KEYS)
def add_entry(m: Lowering, let: Let, cts: Any, ct: Any, key: Any) -> Dct:
    return updated(m, owned(m, let, cts), keyed(m, key), m.there(ct), lambda x, y: added(m, x, y))


@handles(maps.without_entry, facts=KEYS)
def without_entry(m: Lowering, let: Let, ct: Any, key: Any) -> Dct:
    found = owned(m, let, ct)
    if found.entries.layout is None:
        return found
    at, out = find(m, found, keyed(m, key)), in_variables(m, found)
    m.w.choose(is_there(m, at), lambda: out.keep(dropped(m, found, at, False)), lambda: None)
    return out.now()


@handles(maps.inside, facts=KEYS)
def inside(m: Lowering, let: Let, ct: Any, xs: Any) -> Dct:
    return entered(m, empty(), as_map(ct), where=lambda key: is_there(m, find(m, as_map(xs), key)))


@handles(maps.outside, facts=KEYS)
def outside(m: Lowering, let: Let, ct: Any, xs: Any) -> Dct:
    return entered(m, empty(), as_map(ct), where=lambda key: m.w.binary(
        "xor", "i1", is_there(m, find(m, as_map(xs), key)), "true"))


@handles(maps.gathered, facts=KEYS)
def gathered(m: Lowering, let: Let, ct: Any, keys: Any, xs: Any) -> Lst:
    """The cotangents of the items of `dict(zip(keys, xs))`; a later one hides an earlier."""
    w, ks, vs = m.w, listed(m, keys), listed(m, xs)
    if ks.layout is None or vs.layout is None:
        return vs
    last = in_variables(m, entries_like(m, ks, Lst(Word("i64"), "null", "0", "0")))
    count = w.call("i64", "llvm.smin.i64", ("i64", ks.length), ("i64", vs.length))
    with w.counted(count) as k, m.scope():
        last.keep(updated(m, last.now(), item_at(m, ks, k), Num("i64", k)))
    latest = last.now()
    out = zeros(m, vs)
    if not isinstance(out, Lst) or not words(out.layout):
        return out
    with w.counted(count) as k, m.scope():
        key = item_at(m, ks, k)
        now = item_of_entry(m, latest, find(m, latest, key))

        def take(k: str = k, key: Any = key) -> None:
            with m.scope():
                m.write(cotangent_at(m, ct, item_at(m, vs, k), key), out.layout, place(m, out, k))

        w.choose(w.compare("eq", m.number(now).text, k), take, lambda: None)
    return out
