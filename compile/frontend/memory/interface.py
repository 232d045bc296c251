"""How the rest of the front end enters the model of memory: everything else in this package is its own affair.

    dicts, lists, list_changes, updates   what is done to dicts, lists and arrays of the program
    dict_making, dict_methods             how dicts are made, and their methods
    array_writers                         functions and methods that write into arrays
    list_queries                          what lists are asked
    kept_functions                        lists that functions hold which are kept
    reread_names                          names that stand for rows, read anew behind loops
    put, put_of_array, exchanged, change  an attribute that is assigned, rows that change places, any other change
    refuse_hidden                         attributes behind descriptors
    otherwise, promoted, retried          what was known item by item becomes part of the program
    named, alive, is_reached, place_of    who sees a value, and where it stands
    changeable_in, sealed_in              what stands as copies, and must not change
    kept, places, stored                  what stands in stores: kept there, read and written, read through
    dropped                               arrays in stores that nothing leads to any more
    memory, roots, OUTSIDE, Cells         where values were made, and what a loop changes of them
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ccc.compile.frontend.memory import (
    array_writers,
    dict_making,
    dict_methods,
    dicts,
    kept_functions,
    list_changes,
    list_queries,
    lists,
    reread_names,
    stored,
    updates,
)
from ccc.compile.frontend.memory.aliasing import (
    OUTSIDE,
    alive,
    called,
    is_reached,
    is_view_of,
    memory,
    named,
    other_name,
    place_of,
    reached_from,
)
from ccc.compile.frontend.memory.attributes import put, put_of_array, refuse_hidden
from ccc.compile.frontend.memory.copies import changeable_in, sealed_in
from ccc.compile.frontend.memory.dict_item_updates import renew
from ccc.compile.frontend.memory.exclusivity import change, check_again
from ccc.compile.frontend.memory.item_updates import same_object, unknown_object
from ccc.compile.frontend.memory.loop_changes import Cells
from ccc.compile.frontend.memory.promotion import otherwise, promoted, retried, undone
from ccc.compile.frontend.memory.row_provenance import around, roots
from ccc.compile.frontend.memory.row_swaps import exchanged
from ccc.compile.frontend.memory.stored import kept
from ccc.compile.frontend.memory.undo_log import is_name_of
from ccc.compile.frontend.memory.updates import surely_array
from ccc.compile.frontend.parts import seal

if TYPE_CHECKING:
    from ccc.compile.frontend.memory import (
        dropped,
        keeping,
        moved_out,
        places,
        shared_variables,
        stored_arrays,
        walking,
    )

LATER = ("dropped", "keeping", "moved_out", "places", "shared_variables", "stored_arrays", "walking")
"""What only programs with stores need, or loops, loaded where it is first asked for."""


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__package__}.{name}")


__all__ = [
    "OUTSIDE", "Cells", "alive", "around", "array_writers", "called", "change", "changeable_in",
    "check_again", "dict_making", "dict_methods", "dicts", "dropped", "exchanged", "is_name_of",
    "is_reached", "is_view_of", "keeping", "kept", "kept_functions", "list_changes",
    "list_queries", "lists", "memory", "moved_out", "named", "other_name", "otherwise", "place_of", "places",
    "promoted", "put", "put_of_array", "reached_from", "refuse_hidden", "renew", "reread_names", "retried", "roots",
    "same_object", "seal", "sealed_in", "shared_variables", "stored", "stored_arrays", "surely_array", "undone",
    "unknown_object", "updates", "walking",
]
