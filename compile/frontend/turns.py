"""A function is read again where it is refused for what it changes: then its places of allocation stand in stores.

What compiles as it is is not touched. What is not known of the places at first, that two of them meet or that a type is
wider, is found on the way, and the function is read again with it; this only grows. What is refused then too is refused
as it was first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ccc.compile.diagnostics import CompileError
from ccc.compile.frontend import switch
from ccc.compile.frontend.regions import Regions

T = TypeVar("T")
TURNS = 40  # how often a function is read with its places in stores, before what is known of them must have settled


def in_turns(reading: Callable[[Regions | None], T]) -> T:
    """What is read of a function, as it is or else with stores."""
    asked = switch.when()
    if asked == switch.ALWAYS:
        found = with_stores(reading)
        return reading(None) if found is None else found
    try:
        return reading(None)
    except CompileError as error:
        asks = any(found.code in switch.ASKING for found in error.diagnostics[:1])
        found = with_stores(reading) if asked == switch.REFUSED and asks else None
        if found is None:
            raise
        return found


def with_stores(reading: Callable[[Regions | None], T]) -> T | None:
    """What is read of a function with its places in stores, until nothing more is learnt of them; None where it is
    refused."""
    regions = Regions()
    for _ in range(TURNS):
        try:
            found = reading(regions)
            if not regions.grew:
                return found
        except CompileError:
            if not regions.grew:
                return None
        except Exception:
            if not regions.grew:  # else it may follow from what is not known yet
                raise
    return None
