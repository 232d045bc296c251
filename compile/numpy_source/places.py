"""Where the lines of generated code come from: an exception that one raises says which line of the user's it is.

>>> from ccc.compile.api.transforms import gradient
>>> def inverse(x):
...     return 1.0 / x
>>> try:
...     gradient(inverse)(0.0)
... except ZeroDivisionError as error:
...     print(error.__notes__[0].splitlines()[1])
  2 |     return 1.0 / x
"""

from __future__ import annotations

import linecache
from collections import OrderedDict
from typing import Any

from ccc.errors import CCCError

PREFIX = "<ccc "
KEPT = 4096  # programs whose lines are remembered
PLACES: OrderedDict[str, dict[int, Any]] = OrderedDict()


def remember(filename: str, places: dict[int, Any]) -> None:
    """Keep where the lines of a generated file come from."""
    PLACES[filename] = places
    if len(PLACES) > KEPT:
        oldest, _ = PLACES.popitem(last=False)
        linecache.cache.pop(oldest, None)


def annotate(error: BaseException) -> None:
    """Note the user's line at an exception that generated code raised, once; one of ours says it itself."""
    notes = getattr(error, "__notes__", ())
    if getattr(error, "diagnostics", None) or any(text.startswith("  --> ") for text in notes):
        return
    trace, found = error.__traceback__, None
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.startswith(PREFIX):
            found = PLACES.get(name, {}).get(trace.tb_lineno, found)
        trace = trace.tb_next
    if found is not None and not found.line:
        found = None  # of a function that was called as it is
    if isinstance(error, CCCError):
        error.at(found).told()
    elif found is not None:
        error.add_note("\n".join([f"  --> {found}", *found.excerpt()]))
