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
from types import FrameType
from typing import Any

from ccc.errors import CCCError

PREFIX = "<ccc "
KEPT = 4096  # programs whose lines are remembered
PLACES: OrderedDict[str, tuple[dict[int, Any], dict[int, str]]] = OrderedDict()


def remember(filename: str, places: dict[int, Any], expressions: dict[int, str]) -> None:
    """Keep where the lines of a generated file come from, and which expressions those stand for that overwrite an
    operand."""
    PLACES[filename] = places, expressions
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
            places, expressions = PLACES.get(name, ({}, {}))
            found = places.get(trace.tb_lineno, found)
            if trace.tb_next is None and trace.tb_lineno in expressions:
                reword(error, expressions[trace.tb_lineno], trace.tb_frame)
        trace = trace.tb_next
    if found is not None and not found.line:
        found = None  # of a function that was called as it is
    if isinstance(error, CCCError):
        error.at(found).told()
    elif found is not None:
        error.add_note("\n".join([f"  --> {found}", *found.excerpt()]))


def reword(error: BaseException, expression: str, frame: FrameType) -> None:
    """Let an error say what it says where no operand is overwritten: NumPy names the sizes of that twice. Sizes are
    compared before anything is written, so the operands are still what they were.

    >>> import numpy as np
    >>> from ccc.compile.api.transforms import compiled
    >>> try:
    ...     compiled(lambda x: x * 2.0 + np.ones(4), backend="numpy")(np.ones(3))
    ... except ValueError as error:
    ...     print(str(error).strip())
    operands could not be broadcast together with shapes (3,) (4,)
    """
    if type(error) is not ValueError:
        return
    try:
        eval(expression, frame.f_globals, frame.f_locals)
    except ValueError as plain:
        error.args = plain.args
