"""How the rest of the front end enters the model of memory: everything else in this package is its own affair.

    dicts, lists, list_changes, updates   what is done to dicts, lists and arrays of the program
    dict_making, dict_methods             how dicts are made, and their methods
    array_writers                         functions and methods that write into arrays
    list_queries                          what lists are asked
    slice_changes                         items that are assigned at an index or a slice
    kept_functions                        lists that functions hold which are kept
    reread_names                          names that stand for rows, read anew behind loops
    put, put_of_array, remove             an attribute that is assigned or deleted
    change                                what others may not see
    refuse_hidden                         attributes behind descriptors
    otherwise, promoted, retried          what was known item by item becomes part of the program
    named, is_named, is_reached, place_of  who sees a value, and where it stands
    copies                                what stands as copies, and must not change
    item_updates, dict_item_updates       rows and items of dicts that change
    kept, places, stored                  what stands in stores: kept there, read and written, read through
    dropped                               arrays in stores that nothing leads to any more
    keeping, moved_out, walking           stores that loops and calls hand on
    shared_variables, stored_arrays       variables that functions share, arrays in stores
    memory, row_provenance, OUTSIDE       where values were made
    Cells                                 what a loop changes of them
"""

from __future__ import annotations

from ccc.compile.frontend.memory import (
    array_writers,
    copies,
    dict_item_updates,
    dict_making,
    dict_methods,
    dicts,
    dropped,
    item_updates,
    keeping,
    kept_functions,
    list_changes,
    list_queries,
    lists,
    moved_out,
    places,
    reread_names,
    row_provenance,
    shared_variables,
    slice_changes,
    stored,
    stored_arrays,
    updates,
    walking,
)
from ccc.compile.frontend.memory.aliasing import (
    OUTSIDE,
    alive,
    called,
    is_named,
    is_reached,
    is_view_of,
    memory,
    named,
    other_name,
    place_of,
    reached_from,
)
from ccc.compile.frontend.memory.attributes import put, put_of_array, refuse_hidden, remove
from ccc.compile.frontend.memory.exclusivity import change, check_again
from ccc.compile.frontend.memory.loop_changes import Cells
from ccc.compile.frontend.memory.promotion import otherwise, promoted, retried, undone
from ccc.compile.frontend.memory.stored import kept
from ccc.compile.frontend.memory.undo_log import is_name_of
from ccc.compile.frontend.memory.updates import surely_array
from ccc.compile.frontend.parts import seal

__all__ = [
    "OUTSIDE", "Cells", "alive", "array_writers", "called", "change", "check_again", "copies", "dict_item_updates",
    "dict_making", "dict_methods", "dicts", "dropped", "is_name_of", "is_named", "is_reached",
    "is_view_of", "item_updates", "keeping", "kept", "kept_functions", "list_changes", "list_queries", "lists",
    "memory", "moved_out", "named", "other_name", "otherwise", "place_of", "places", "promoted", "put",
    "put_of_array", "reached_from", "refuse_hidden", "remove", "reread_names", "retried", "row_provenance", "seal",
    "shared_variables", "slice_changes", "stored", "stored_arrays", "surely_array", "undone", "updates", "walking",
]
