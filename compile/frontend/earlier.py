"""What was read of a function before it is read anew: what would be read as it was is not read again.

A function is read from the beginning once more where a generator turns out to run in turn with what consumes it
(`interrupts.InTurn`), where it is refused and a test of sizes has unlike arms (`settling.tested`), and where the items
of the caller's empty lists may be others. Most of what was refused before is refused then too, for the same: a reading
notes which sites it asked for, and whether it asked for these items.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ccc.compile.diagnostics import CompileError
from ccc.compile.frontend.lent import Changed, Site
from ccc.compile.frontend.regions import Regions
from ccc.objects import Object

T = TypeVar("T")
Way = tuple[bool, bool, bool]


class Sites:
    """Where what runs in turn with its consumer is made, where a test is what it is in the call, and for which sites a
    reading asked. `unlike` are the tests of sizes whose two arms give something values that have no type in common, or
    one that says little; `endless` the calls of functions that call themselves and that nothing known ends."""

    def __init__(self) -> None:
        self.known: set[Any] = set()
        self.asked: dict[Any, int] = {}  # each with how often any was asked for by then
        self.count = 0
        self.unlike: set[Any] = set()
        self.endless: set[Any] = set()

    def __contains__(self, site: Any) -> bool:
        self.count += 1
        self.asked.setdefault(site, self.count)
        return site in self.known

    def learn(self, site: Any, since: int) -> bool:
        """Let what is made at a site run in turn from now on, if no reading asked for it before; whether none did."""
        if self.asked.get(site, 0) <= since:
            return False
        del self.asked[site]
        self.known.add(site)
        return True

    def add(self, site: Any) -> None:
        """Let what is made at a site run in turn from now on."""
        self.known.add(site)

    def settle(self) -> bool:
        """Let the tests whose arms are unlike be what they are in the call from now on; whether there is another."""
        others = self.unlike - self.known
        self.known |= others
        return bool(others)


class Items:
    """The items of the caller's empty lists, and whether a reading asked for them.

    >>> from ccc.objects import REAL
    >>> items = Items(REAL)
    >>> items.asked, items.object(), items.asked
    (False, Real('float'), True)
    """

    def __init__(self, of_empty: Object) -> None:
        self.of_empty = of_empty
        self.asked = False

    def object(self) -> Object:
        """What they are."""
        self.asked = True
        return self.of_empty


class Asked:
    """What readings asked for: `sites` that were not known, and the `items` of empty lists that they had, if any."""

    def __init__(self) -> None:
        self.sites: set[Any] = set()
        self.items: Object | None = None


class Tried:
    """A way of reading a function with stores: what is known of its places, whether it was `refused`, which `others`
    were for what stores have no part in, and what its readings asked for."""

    def __init__(self, regions: Regions) -> None:
        self.regions = regions
        self.refused = False
        self.others: list[CompileError] = []
        self.asked = Asked()


class Earlier:
    """What was read of a function: what its readings were refused for, by the places that were their own, and the ways
    that were tried with stores. `items` gives the items of the caller's empty lists now."""

    def __init__(self, sites: Sites, items: Callable[[], Items]) -> None:
        self.sites = sites
        self.items = items
        self.refused: dict[frozenset[Site], tuple[Asked, CompileError | Changed]] = {}
        self.seen: set[Site] = set()  # where the caller has what could change
        self.changed: set[Site] = set()  # where it surely has what the function changes, with stores or without
        self.tried: dict[Way, Tried] = {}

    def holds(self, asked: Asked) -> bool:
        """Whether readings that asked for this would be given the same now."""
        return not asked.sites & self.sites.known and asked.items in (None, self.items().of_empty)

    def noting(self, asked: Asked, read: Callable[[Items], T]) -> T:
        """What is read, with a note of what that asks for."""
        items, known, before = self.items(), set(self.sites.known), self.sites.asked
        outer, items.asked, self.sites.asked = items.asked, False, {}
        over = False
        try:
            found, over = read(items), True
            return found
        except Exception:
            over = True
            raise
        finally:
            if over:  # else it is read again with one site more, as nothing was learnt of the places
                asked.sites |= self.sites.asked.keys() - known
            self.sites.asked = self.sites.asked | before
            if items.asked:
                asked.items = items.of_empty
            items.asked = items.asked or outer

    def plain(self, own: frozenset[Site], read: Callable[[Items], T], lends: bool) -> T:
        """What is read without stores; raises what was raised before where that would be raised again. Whether the
        caller `lends` what changes to readings with stores, too."""
        found = self.refused.get(own)
        if found is not None and self.holds(found[0]):
            raise found[1].with_traceback(None)
        asked = Asked()
        try:
            return self.noting(asked, read)
        except (CompileError, Changed) as error:
            self.refused[own] = asked, error
            if lends and isinstance(error, Changed) and error.surely:
                self.changed |= error.sites
            raise

    def lent(self) -> frozenset[Site]:
        """What is known to change of what the caller has, with all below it."""
        return frozenset([site for site in self.seen | self.changed if any(
            site.is_below(one) for one in self.changed)])

    def way(self, way: Way, why: str) -> Tried:
        """A way of reading it with stores, as far as that was tried."""
        found = self.tried.get(way)
        if found is not None and not self.holds(found.asked):
            self.forget(way)
            found = None
        if found is None:
            arrays, views, records = way
            found = self.tried[way] = Tried(Regions(arrays, why, self.lent(), views, records))
        found.regions.why = why
        return found

    def forget(self, *ways: Way) -> None:
        """Forget what is known of the places in these ways, which are over."""
        for way in ways:
            self.tried.pop(way).regions.forget()
