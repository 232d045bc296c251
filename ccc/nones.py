"""Arrays all of whose items are None, which stand where numbers will be."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


class Nones:
    """An array all of whose items are None, as a program has it: it never changes, and no number is made of it.

    >>> Nones(np.array([[None, None]])).T.shape
    (2, 1)
    """

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.shape, self.ndim, self.size, self.dtype = array.shape, array.ndim, array.size, array.dtype

    def __repr__(self) -> str:
        return "array of None"

    def array(self) -> np.ndarray[Any, Any]:
        return np.full(self.shape, None)

    def __bool__(self) -> bool:
        return bool(self.array())

    def __getitem__(self, key: Any) -> Any:
        found: Any = self.array()[key]
        return None if found is None else Nones(found)

    def __len__(self) -> int:
        return len(self.array())

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    @property
    def T(self) -> Nones:
        return Nones(self.array().T)

    def copy(self) -> Nones:
        return self
