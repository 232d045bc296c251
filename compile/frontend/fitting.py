"""What to write instead where values do not fit: by what Python, NumPy or a rule says of them.

>>> mend("IndexError: tuple index out of range")
'use an index that is there'
"""

from __future__ import annotations

import re

MENDS = (
    (r"must be real number, not (list|tuple)", "write it for each item, or use NumPy's function"),
    (r"only 0-dimensional arrays can be converted", "use NumPy's function, which takes arrays"),
    (r"argument must be .*, not '?(list|tuple)", "convert the items one by one"),
    (r"bad operand type|unsupported operand|can only concatenate|can't multiply", "use numbers and arrays"),
    (r"needs a number", "give a number"),
    (r"out of bounds for u?int", "make it an array first, which goes round: `np.array(n).astype(...)`"),
    (r"index out of range|out of bounds", "use an index that is there"),
    (r"too many indices", "give one index for each axis"),
    (r"may have no axes", "put arrays and numbers that belong together into a tuple: `(a, b)` for `[a, b]`"),
    (r"must have the same rank", "give each of them the same number of axes"),
    (r"keys of a dict must share a type", "give keys of one type"),
    (r"must share a type", "give items of one type"),
    (r"compares scalars", "use NumPy's function, which takes arrays"),
    (r"needs arrays of rank 1 or more", "multiply numbers by `*`"),
    (r"takes matrices|for matrices", "give an array with two axes"),
    (r"depends on how the array lies", "write order='C' or order='F'"),
    (r"must be a constant", "write the number itself"),
    (r"an array holds numbers, not records", "write a dict of arrays, one for each field"),
    (r"an array holds numbers", "use a list, or a dtype of numbers"),
    (r"sizes of an array are integers: found a list", "give a tuple: `(2,) * n`, or `tuple(n for n in ...)`"),
    (r"sizes of an array are integers", "int(...) makes one"),
)
"""What is said of values that do not fit, and what to write instead."""


def mend(text: str) -> str:
    """What to write instead of what an error is about."""
    return next((found for said, found in MENDS if re.search(said, text)), "give values whose types and shapes fit")
