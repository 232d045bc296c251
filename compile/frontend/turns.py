"""A function is read again where it is refused for what it changes: then its places of allocation stand in stores.

What compiles as it is is not touched. What is not known of the places at first, that two of them meet or that a type is
wider, is found on the way, and the function is read again with it; this only grows. What is refused then too is refused
as it was first, unless it is by then for something that no stores mend: that is what has to be written otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ccc.compile.diagnostics import CompileError
from ccc.compile.frontend import interrupts, switch
from ccc.compile.frontend.earlier import Asked, Earlier, Way
from ccc.compile.frontend.lent import Changed
from ccc.compile.frontend.regions import Regions
from ccc.compile.passes import engine
from ccc.compile.program.deep import is_larger
from ccc.errors import CCCError

T = TypeVar("T")
PLAIN, ARRAYS, VIEWS = (False, False), (True, False), (True, True)
"""Whether arrays stand in stores too, and whether what leads to them says which entries it shows; a way says too
whether dicts stand there as objects do."""
TURNS = 40  # how often a function is read with its places in stores, before what is known of them must have settled


def in_turns(reading: Callable[[Regions | None, Asked], T], earlier: Earlier) -> T:
    """What is read of a function, as it is or else with stores."""
    asked = switch.when()
    if asked == switch.ALWAYS:
        found = with_stores(reading, earlier, ways(ARRAYS, PLAIN), "they always are")
        return reading(None, Asked()) if found is None else found
    try:
        return reading(None, Asked())
    except CompileError as error:
        asks = not error.of_python and any(found.code in switch.ASKING for found in error.diagnostics[:1])
        why = str(error).partition("\n")[0]
        others: list[CompileError] = []
        found = None
        if asked == switch.REFUSED and asks:  # entries are shown last: they cost more than dicts
            found = with_stores(reading, earlier, [*ways(PLAIN, ARRAYS), *ways(VIEWS)], why, others)
        if found is not None:
            return found
        if others:
            raise next(filter(is_deep, others), others[0]) from None
        raise


def is_deep(error: CompileError) -> bool:
    """Whether a reading is refused that goes on where there is a larger stack."""
    return error.code == "CC060" and not is_larger()


def ways(*some: tuple[bool, bool]) -> list[Way]:
    """Some ways, with dicts that stand in no store, and then with those that stand there as objects do."""
    return [(*each, records) for records in (False, True) for each in some]


def with_stores(
    reading: Callable[[Regions | None, Asked], T], earlier: Earlier, tried: Sequence[Way], why: str,
    others: list[CompileError] | None = None,
) -> T | None:
    """What is read of a function with its places in stores, in the first way in which it is read; None where all are
    refused. To `others` come refusals for what stores have no part in."""
    dicts, held = False, False  # whether some dict stands in no store, whether some array stands in one
    for way in tried:
        _, views, records = way
        if (records and not dicts) or (views and not held):
            continue  # that reading is as the one before
        one = earlier.way(way, why)
        try:
            found = None if one.refused else settled(lambda now, one=one: reading(now, one.asked), one.regions,
                                                     one.others)
        except interrupts.InTurn:
            if one.regions.grew:  # by what does not run in turn, perhaps
                earlier.forget(way)
            raise
        if found is not None:
            return found
        one.refused = True
        dicts, held = dicts or one.regions.knows_dicts(), held or one.regions.holds_arrays()
        if others is not None:
            others += one.others
    return None


def settled(
    reading: Callable[[Regions | None], T], regions: Regions, others: list[CompileError] | None = None
) -> T | None:
    """What is read of a function with stores, until nothing more is learnt of them; None where it is refused."""
    before, turns = None, 0
    while turns < TURNS:
        turns += 1
        now = regions.known()
        if now == before:  # what a reading asks for it never gets
            return None
        before = regions.before = now
        try:
            found = reading(regions)
            if not regions.grew:
                return found
        except interrupts.Begun:
            turns -= 1
        except Changed as changed:
            regions.lend(changed.sites)
        except CompileError as error:
            if not regions.grew and not regions.lend(regions.sites):
                asks = error.of_python or error.__cause__ is not None or error.diagnostics[0].code in switch.ASKING
                asks = asks and not isinstance(error, interrupts.Recurs) and not is_deep(error)
                if others is not None and not asks:  # nor is it what went wrong on the way
                    others.append(error)
                return None
        except Exception as error:  # it may follow from what is not known yet
            ours = engine.VERIFIED and not isinstance(error, CCCError)  # where programs are verified, a mistake is told
            if not regions.grew and (ours or switch.when() == switch.ALWAYS):
                raise
            if not regions.grew:
                return None
    return None
