"""What a call changes of its arguments, and of what it reads from outside: written back once, when it returns.

    WritingBack(found)             what a code writes back
    w.begin(function, args)        where that is in a call; refuses what shares memory there
    w.end(there, result)           writes it, and gives the result without it
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ccc.compile.api.places_of_caller import Places, Shared, held_by, overlap
from ccc.compile.diagnostics import WrongArguments, telling
from ccc.compile.frontend.elaborate import Elaborated
from ccc.compile.frontend.lent import Site, WriteBack, Written, places_in, reading
from ccc.compile.frontend.objects_at_places import write_whole
from ccc.compile.frontend.place_kinds import WrittenAs
from ccc.compile.frontend.shown_integers import integers_at
from ccc.compile.program.lam import Tree, valued
from ccc.compile.terms.plan import Kind, apart
from ccc.objects import UNIT
from ccc.primitives.effects import as_integers
from ccc.records import like, parts_of

Integers = Sequence[Callable[[Any], Any]]
"""For each value that is written back, what makes the ints of it that plain Python has."""


class WritingBack:
    """What a code writes back: where, what, and where that stands in what the code gives."""

    __slots__ = ("arrays", "aux", "found", "kind", "written")

    def __init__(self, found: WriteBack, kind: Kind, aux: bool) -> None:
        self.found = found
        self.kind = kind
        self.aux = aux
        places = {site: i for i, site in enumerate(found.seen)}
        self.written = [
            (one, places[one.site], [(label, reading(part, places, valued)) for label, part in one.parts.items()])
            for one in found.written
        ]
        self.arrays = [i for i, one in zip(found.changed, found.written, strict=True) if one.kind is WrittenAs.ARRAY]

    # -- before the call ---------------------------------------------------------------------------------------

    def begin(self, function: Any, args: Sequence[Any]) -> list[Any] | None:
        """What the caller has; None where the code is not for what is one object there. Refuses arrays that overlap
        with one that is changed."""
        there = [site.value(function, args) for site in self.found.seen]
        if places_in(there, self.found.changed) != self.found.same:
            return None
        for i in self.arrays:
            if not there[i].flags.forc and folded(there[i]):
                self.refuse_folded(i)
        if len(there) > 1 and (self.arrays or self.found.holders):
            self.refuse_overlaps(there)
        if self.found.stores:
            there.append(self.places(there))
        return there

    @telling
    def places(self, there: Sequence[Any]) -> Places:
        """Which of the caller's objects the places in stores are."""
        try:
            return Places(self.found, there)
        except Shared as error:
            raise WrongArguments(f"what stands in two places shares memory, one of them in `{error.name}`, and the "
                                 "function changes it", "CC011", "pass copies, made one by one: `copy.deepcopy`"
                                 ) from None

    @telling
    def refuse_folded(self, i: int) -> None:
        name = self.found.seen[i].name
        raise WrongArguments(f"entries of `{name}` share memory, and the function changes `{name}`", "CC011",
                             f"pass a copy: `{name}.copy()`")

    @telling
    def refuse_overlaps(self, there: Sequence[Any]) -> None:
        """Refuse what is changed and shares memory with something else, or is held by a list or dict."""
        changed = {id(there[i]): i for i in self.found.changed}
        for j, other in enumerate(there):
            held = list(held_by(other)) if j in self.found.holders else [other]
            for i in [changed[id(x)] for x in held if id(x) in changed and x is not other]:
                raise self.overlapping(i, j)
            arrays = [x for x in held if isinstance(x, np.ndarray)]
            for i in self.arrays if arrays else ():
                if any(x is not there[i] and overlap(there[i], x) for x in arrays):
                    raise self.overlapping(i, j)

    def overlapping(self, i: int, j: int) -> WrongArguments:
        """The refusal of two things that share memory, of which the first one is changed."""
        a, b = self.found.seen[i].name, self.found.seen[j].name
        return WrongArguments(f"`{a}` and `{b}` share memory, and the function changes `{a}`", "CC011",
                              f"pass a copy: `copy.deepcopy({b})`")

    # -- behind it ---------------------------------------------------------------------------------------------

    def end(self, there: Sequence[Any], result: Any, integers: Integers | None = None) -> Any:
        """Write back what a call gave, and give its result without that; `integers` make ints of what is one."""
        result, state = apart(self.kind, self.aux, result)
        if integers is not None:
            state = [back(value) for back, value in zip(integers, state, strict=True)]
        state, writes = there[-1].filled(state) if self.found.stores else (state, [])
        todo = [(one, there[at], {label: part(state, there) for label, part in parts})
                for one, at, parts in self.written]
        for one, place, parts in todo:
            refuse_read_only(one, place, parts)
        for one, place, parts in todo:
            WRITERS[one.kind](place, parts)
        for write in writes:
            write()
        return result


def folded(a: np.ndarray[Any, Any]) -> bool:
    """Whether entries of an array may share memory, as those of a broadcast do.

    >>> x = np.arange(6.0)
    >>> folded(np.broadcast_to(x, (2, 6))), folded(x.reshape(2, 3).T[::2, ::-1])
    (True, False)
    """
    reach = a.itemsize
    for stride, n in sorted([(abs(stride), n) for stride, n in zip(a.strides, a.shape, strict=True) if n > 1]):
        if stride < reach:
            return True
        reach += stride * (n - 1)
    return False


def refuse_read_only(one: Written, place: Any, parts: dict[Any, Any]) -> None:
    """Raise what NumPy raises where an array that is read-only would change."""
    if one.kind is not WrittenAs.ARRAY or place.flags.writeable:
        return
    if not np.array_equal(place, parts[0], equal_nan=True):
        raise ValueError("assignment destination is read-only")


def write_array(place: Any, parts: dict[Any, Any]) -> None:
    if place.flags.writeable:
        place[...] = parts[0]


def write_nothing(place: Any, parts: dict[Any, Any]) -> None:
    """What stands in a store is written by `Places`."""


def write_list(place: Any, parts: dict[Any, Any]) -> None:
    place[:] = parts[0]


def write_items(place: Any, parts: dict[Any, Any]) -> None:
    place[:] = parts.values()


def write_object(place: Any, parts: dict[Any, Any]) -> None:
    for name, value in parts.items():
        object.__setattr__(place, name, value)


def write_dict(place: Any, parts: dict[Any, Any]) -> None:
    place.update(parts)


def write_anew(place: Any, parts: dict[Any, Any]) -> None:
    if list(parts)[: len(place)] != list(place):
        place.clear()
    place.update(parts)


def write_map(place: Any, parts: dict[Any, Any]) -> None:
    write_anew(place, parts[0])


def write_container(place: Any, parts: dict[Any, Any]) -> None:
    write_whole(place, parts[0])


WRITERS: dict[WrittenAs, Callable[[Any, dict[Any, Any]], None]] = {
    WrittenAs.ARRAY: write_array, WrittenAs.LIST: write_list, WrittenAs.ITEMS: write_items,
    WrittenAs.OBJECT: write_object, WrittenAs.DICT: write_dict, WrittenAs.ANEW: write_anew, WrittenAs.MAP: write_map,
    WrittenAs.WHOLE: write_container, WrittenAs.PLACE: write_nothing,
}
"""How each kind of place is written."""


def as_it_is(x: Any) -> Any:
    return x


def back_to_integers(program: Elaborated | None) -> Integers | None:
    """What makes ints of what a program writes back that has ints read as floats."""
    whole, found = (None, None) if program is None else (program.of_integers, program.writes)
    if whole is None or found is None:
        return None
    if told(whole) != told(found):
        for sites in whole.several():
            raise one_object(sites)
        raise WrongArguments("the function changes its arguments otherwise where ints in them are read as floats",
                             "CC011", "write the ints as floats, `1.0`")
    return [integers_of(a, b) for a, b in zip(whole.state, found.state, strict=True)]


def one_object(sites: Sequence[Site], inside: bool = False) -> WrongArguments:
    """The refusal of what is changed and stands in several places; `inside` says that programs differentiate in it."""
    one, other = sites[0].name, sites[1].name
    return WrongArguments(f"`{one}` and `{other}` are one object, which the function changes", "CC011",
                          "pass a copy of one of them" + ("" if inside else ", or leave both out of `wrt`"))


def told(found: WriteBack) -> Any:
    """What is written where, in what."""
    stores = [(one.kind, one.cls, one.names, one.index) for one in found.stores]
    return [(one.site, one.kind, one.parts) for one in found.written], stores


def integers_of(whole: Tree, found: Tree) -> Callable[[Any], Any]:
    """What makes ints of the floats in a value that are ints where the arguments are."""
    if isinstance(whole, tuple) and isinstance(found, tuple):
        parts = [integers_of(a, b) for a, b in zip(whole, found, strict=True)]
        return lambda x: like(x, [part(v) for part, v in zip(parts, parts_of(x) or (), strict=True)])
    where = integers_at(getattr(found, "object", UNIT), getattr(whole, "object", UNIT))
    return partial(as_integers.value, where=where) if where else as_it_is
