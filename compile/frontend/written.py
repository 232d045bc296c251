"""What the places of the function's own hold in the end, to be written to those of its caller.

    finished(e, source, values)   what is written back, and the values of the program for that
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ccc.compile.diagnostics import UnsupportedPython, unsupported, without_value
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.lent import InStore, Made, Place, Site, Stored, WriteBack, Written, places_in
from ccc.compile.frontend.memory.interface import OUTSIDE, lists, memory, reached_from
from ccc.compile.frontend.parts import changeable
from ccc.compile.frontend.place_kinds import WrittenAs
from ccc.compile.frontend.regions import Region
from ccc.compile.frontend.result_trees import known_leaf, result_tree
from ccc.compile.frontend.stores import holds_reference
from ccc.compile.frontend.values import ITEMS, ListValue, Mutable, RecordValue, Unbound
from ccc.compile.program.lam import Tree, Var, leaves, like
from ccc.compile.program.sharing import mutable
from ccc.objects import Array, Bool, Int, List, Map, Object, Product, Real

CALLERS = (True, "the caller")
"""Who sees what the function did not make."""


class Ending:
    """What the places of the function's own hold in the end, as what is written to the caller's."""

    def __init__(self, e: Elaboration, source: Any) -> None:
        self.e = e
        self.source = source
        self.state: list[Tree] = []
        self.stored: dict[Any, Stored] = {}
        self.seen: set[Any] = set()

    def refused(self, place: Place, what: str, mend: str) -> UnsupportedPython:
        where = next((w for base, w, _ in self.e.updates if base is place.value), None)
        return unsupported("CC011", f"`{place.site.name}` is changed, {what}", where or self.here(), help=mend)

    def here(self) -> Any:
        return self.source.span(self.source.node) if self.source is not None else None

    def written(self, place: Place) -> Written | None:
        """What is written to the site of a place; None where it holds what it held."""
        now, e = self.e.lent.now(place), self.e
        if holds_reference(now):
            return Written(place.site, WrittenAs.PLACE, {})
        if isinstance(now, Var) and isinstance(now.object, Array):
            if not e.versions.changed(now):
                return None
            return Written(place.site, WrittenAs.ARRAY, {0: self.store(place, e.versions.now(now))})
        if isinstance(now, Var):
            if now is place.value:
                return None
            self.refuse_lost_ints(place, place.value, now)
            return Written(place.site, WrittenAs.LIST, {0: self.store(place, now)})
        assert isinstance(now, Mutable)
        if isinstance(now, ListValue):
            same = len(now.items) == len(place.first) and all(map(self.is_same, now.items, place.first))
            items = {i: self.part(place, item) for i, item in enumerate(now.items)}
            return None if same else Written(place.site, WrittenAs.ITEMS, items)
        assert isinstance(now, RecordValue)
        if hasattr(now.cls, "__ccc_gives__"):
            for label, first in place.first.items():
                self.refuse_lost_ints(place, first, now.fields[label])
            return Written(place.site, WrittenAs.WHOLE, {0: self.store(place, now)})
        return self.record(place, now)

    def refuse_lost_ints(self, place: Place, before: Any, now: Any) -> None:
        if isinstance(before, Var) and isinstance(now, Var) and loses_ints(before.object, now.object):
            raise self.refused(place, "and the ints in it would become floats", "write them as floats, `1.0`")

    def stores(self) -> tuple[tuple[InStore, ...], list[tuple[Site, Object]]]:
        """What stands in stores in the end, and what was moved there of the caller's, with its type there."""
        e = self.e
        if e.stores is None:
            return (), []
        from ccc.compile.frontend.memory.interface import moved_out, places

        own = e.lent.places
        moved = [(site, places.object_in(place.value)) for site, place in own.items() if holds_reference(place.value)]
        found, state = moved_out.ends_of_stores(e, [a for _, a in moved] + [
            leaf.object for tree in self.state for leaf in leaves(tree) if isinstance(leaf, Var)], len(self.state))
        self.state += state
        roots = [(site, a) for site, a in moved if not any(
            site.is_below(other) for other, place in own.items() if other != site and holds_reference(place.value))]
        return found, roots

    def record(self, place: Place, now: RecordValue) -> Written | None:
        """What is written to an object or dict."""
        if ITEMS in now.fields:
            same = now.fields[ITEMS] is place.first.get(ITEMS)
            return None if same else Written(place.site, WrittenAs.MAP, {0: self.store(place, now.fields[ITEMS])})
        anew = list(now.fields) != list(place.first)
        gone = [name for name in place.first if name not in now.fields] if now.cls is not dict else []
        if gone:
            raise unsupported("CC011", f"`.{gone[0]}` of an object of the caller's is deleted", self.here(),
                              help="let it be None from then on")
        changed = {label: value for label, value in now.fields.items()
                   if anew or not self.is_same(value, place.first[label])}
        if not anew and not changed:
            return None
        how = WrittenAs.OBJECT if now.cls is not dict else WrittenAs.ANEW if anew else WrittenAs.DICT
        parts = {label: self.part(place, value, label) for label, value in changed.items()}
        return Written(place.site, how, parts)

    def is_same(self, a: Any, b: Any) -> bool:
        """True for a part that is what it was, a list of the caller's that has changed itself among them."""
        if a is b:
            return True
        if isinstance(a, tuple) and isinstance(b, tuple):
            return type(a) is type(b) and len(a) == len(b) and all(map(self.is_same, a, b))
        site = self.site_of(a)
        return site is not None and site == self.site_of(b)

    def part(self, place: Place, value: Any, label: Any = None) -> Any:
        """What a part of an object, dict or list is in the end."""
        site = self.site_of(value)
        if site is not None:
            return site
        if isinstance(value, Unbound):
            raise without_value(value, f".{label}", self.here())
        if isinstance(value, tuple) and any(self.site_of(part) is not None for part in reached_from(value, [])):
            return Made(like(value, [None] * len(value)), tuple([self.part(place, part, label) for part in value]))
        return self.store(place, value)

    def site_of(self, value: Any) -> Site | None:
        """Where the caller has what a value is; None for what the function made."""
        if isinstance(value, Var):
            value = self.e.versions.array(value)
        if not isinstance(value, (Var, Mutable)):
            return None
        lists_now = {self.e.lent.now(place): place.site for place in self.e.lent.places.values()
                     if isinstance(place.value, Var)}
        return lists_now.get(value) or self.e.lent.sites.get(value)

    def store(self, place: Place, value: Any) -> Stored | Any:
        """A value of the program to be written back, made by the function itself: nothing that the caller has."""
        e = self.e
        key = value if isinstance(value, (Var, Mutable)) else None
        if key is not None and key in self.stored:
            return self.stored[key]
        own = {e.versions.base(p.value) for p in e.lent.places.values() if isinstance(p.value, Var)}
        parts = list(reached_from(value, []))
        made = memory(e, filter(has_memory, parts))[0] | lists.roots(e, parts)
        for part in parts:
            if isinstance(part, Mutable) and part is not value and part in self.seen:
                raise self.refused(place, "and something new is put into two places of it", "put copies into it")
        self.seen |= {part for part in parts if isinstance(part, Mutable)}
        callers = any(isinstance(part, Mutable) and (part.shared in CALLERS or part in e.lent.sites) for part in parts
                      if part is not place.value)
        placed = any(isinstance(root, Region) for root in made)  # a view of an array in a store
        if callers or placed or OUTSIDE in made or (own - own_memory(e, place.value)) & made:
            raise self.refused(place, "and what is put into it holds something of the caller's", "put a copy into it")
        leaf = known_leaf(value) if not isinstance(value, Var) else None
        tree = leaf or result_tree(e, value, self.source)
        found = self.stored[key] = Stored(len(self.state))
        self.state.append(tree)
        return found


def own_memory(e: Elaboration, value: Any) -> set[Any]:
    """The memory of a place, which what it holds may share."""
    return {e.versions.base(value)} if isinstance(value, Var) else set()


def has_memory(part: Any) -> bool:
    """True for variables whose memory may be seen elsewhere: arrays, and what holds something that changes."""
    a = part.object if isinstance(part, Var) else None
    return a is not None and mutable(a.item if isinstance(a, (List, Map)) else a)


def loses_ints(before: Object, now: Object) -> bool:
    """True where ints or bools in lists of one object are numbers of another kind in the other.

    >>> loses_ints(List(Int()), List(Real())), loses_ints(List(Real()), List(Real()))
    (True, False)
    """
    if isinstance(before, Product) and isinstance(now, Product):
        return any(map(loses_ints, before.parts, now.parts))
    if isinstance(before, List) and isinstance(now, List):
        return loses_ints(before.item, now.item)
    return isinstance(before, (Int, Bool)) and isinstance(now, (Int, Real)) and before != now


def finished(e: Elaboration, source: Any, values: Sequence[Any]) -> WriteBack | None:
    """What is written back, and the values of the program for that; None where there is nothing. `values` are the
    arguments."""
    if not e.lent.places:
        return None
    ending = Ending(e, source)
    found = [ending.written(place) for place in e.lent.places.values()]
    written = tuple([one for one in found if one is not None])
    if not written:
        return None
    stores, moved = ending.stores()
    seen = tuple(dict.fromkeys(e.lent.sites.values()))
    changed = tuple([seen.index(one.site) for one in written])
    holders = {site for value, site in e.lent.sites.items() if holds_places(value)}
    return WriteBack(written, tuple(ending.state), seen, changed, places_in(there(seen, e.root, values), changed),
                     tuple([i for i, site in enumerate(seen) if site in holders]),
                     stores, tuple([(seen.index(site), a) for site, a in moved]))


def holds_places(value: Any) -> bool:
    """True for what holds arrays, lists or objects that have no sites of their own: lists, maps, trees."""
    if isinstance(value, RecordValue):
        return ITEMS in value.fields and holds_places(value.fields[ITEMS])
    a = value.object if isinstance(value, Var) else None
    if isinstance(a, (List, Map)):
        return changeable(a.item)
    return a is not None and not isinstance(a, Array) and changeable(a)


def there(sites: Iterable[Site], function: Any, values: Sequence[Any]) -> list[Any]:
    """What the caller has at sites."""
    return [site.value(function, values) for site in sites]
