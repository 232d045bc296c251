"""Where complex numbers are: values of the program, dtypes and functions. What is done with them is loaded where there
are some (`complex_numbers`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ccc.compile.frontend.values import ListValue, RecordValue
from ccc.compile.program.lam import Var
from ccc.objects import List, Record, innermost
from ccc.primitives import complexes


def is_complex(value: Any) -> bool:
    """True for a complex number of the program."""
    return isinstance(value, RecordValue) and value.cls is complexes.Complex


def is_list_of_complex(value: Any) -> bool:
    """True for a list of complex numbers, or of arrays or lists of such, whose length is not known."""
    if not isinstance(value, Var) or not isinstance(value.object, List):
        return False
    item = innermost(value.object)
    return isinstance(item, Record) and item.cls is complexes.Complex


def leaves(x: Any) -> Iterator[Any]:
    """The values in lists and tuples."""
    if isinstance(x, ListValue):
        x = x.items
    if isinstance(x, (list, tuple)):
        for item in x:
            yield from leaves(item)
    else:
        yield x


def real_dtype_of(x: Any) -> np.dtype[Any] | None:
    """The dtype of the parts of a complex one; None for what is no complex dtype."""
    named = isinstance(x, np.dtype) or (isinstance(x, type) and issubclass(x, (complex, np.complexfloating)))
    if not named and not (isinstance(x, str) and (x.startswith("complex") or x in ("c16", "c8"))):
        return None
    return np.dtype(np.dtype(x).type(0).real.dtype) if np.dtype(x).kind == "c" else None


def are_complex(function: Any, values: list[Any]) -> bool:
    """Whether a call is of complex numbers, or may give some: by its function, a dtype or another argument.

    >>> import cmath
    >>> are_complex(cmath.sqrt, [1.0]), are_complex(np.zeros, [3, complex]), are_complex(np.zeros, [3])
    (True, True, False)
    """
    if getattr(function, "__module__", None) == "cmath" or is_complex_dtype(function):
        return True
    return any(is_list_of_complex(x) if type(x) is Var else is_complex_dtype(x) or any(map(is_complex, leaves(x)))
               for x in values)


def is_complex_dtype(x: Any) -> bool:
    return isinstance(x, (type, np.dtype, str)) and real_dtype_of(x) is not None
