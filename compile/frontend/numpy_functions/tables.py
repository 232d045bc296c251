"""Structured arrays that stand outside of a function: each field as an array of its own, and rows of all fields.

>>> import numpy as np
>>> pairs = table_of(np.dtype([("x", float), ("y", float)]))(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
>>> pairs["y"], len(pairs), float(pairs[1]["x"]), [float(x + y) for x, y in pairs]
(array([3., 4.]), 2, 2.0, [4.0, 6.0])
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np

from ccc.compile.frontend.numpy_functions.table import refuse


class Fields:
    """Values by the names of their fields."""

    __ccc_record__ = True

    fields: tuple[str, ...] = ()
    row: Any = None


class Row(Fields):
    """One row: a number of each field."""

    def __getitem__(self, key: Any) -> Any:
        return getattr(self, key if isinstance(key, str) else self.fields[key])

    def __len__(self) -> int:
        return len(self.fields)

    def __iter__(self) -> Any:
        return iter(tuple([getattr(self, name) for name in self.fields]))


class Table(Fields):
    """Arrays of one shape."""

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return getattr(self, key)
        if isinstance(key, list) and len(key) > 0 and isinstance(key[0], str):
            refuse("several fields of a structured array at once", "take each by its name: `table['x'], table['y']`")
        found = tuple([getattr(self, name)[key] for name in self.fields])
        return self.row(*found) if np.ndim(found[0]) == 0 else type(self)(*found)

    def __setitem__(self, key: Any, value: Any) -> None:
        refuse("a structured array that stands outside is not written to here",
               "write to an array of its own: `column = table['x'].copy()`")

    def __len__(self) -> int:
        return len(getattr(self, self.fields[0]))

    def __iter__(self) -> Any:
        return iter([self[i] for i in range(len(self))])

    @property
    def shape(self) -> Any:
        return np.shape(getattr(self, self.fields[0]))

    @property
    def size(self) -> Any:
        return np.size(getattr(self, self.fields[0]))

    @property
    def ndim(self) -> Any:
        return np.ndim(getattr(self, self.fields[0]))


@functools.cache
def table_of(dtype: Any) -> Any:
    """The class of the arrays of a dtype with fields."""
    names = tuple(dtype.names)
    shown = [(name, Any) for name in names]
    row = dataclasses.make_dataclass("Row", shown, bases=(Row,), eq=False, namespace={"fields": names})
    return dataclasses.make_dataclass("Table", shown, bases=(Table,), eq=False, namespace={"fields": names, "row": row})


def is_table(value: Any) -> bool:
    """True for arrays of a dtype whose fields have numbers and names of their own; not for those of a class that may
    compute otherwise."""
    names = getattr(getattr(value, "dtype", None), "names", None)
    return type(value) is np.ndarray and value.ndim > 0 and bool(names) and all(
        value.dtype[name].kind in "biuf" and name.isidentifier() and not hasattr(Table, name) for name in names)
