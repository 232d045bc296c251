"""Arrays all of whose items are None, which stand where numbers will be."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeGuard

import numpy as np


class Nones:
    """An array all of whose items are None, as a program has it: it never changes, and no number is made of it.

    >>> Nones.of((1, 2)).T is Nones.of((2, 1))
    True
    """

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, shape: tuple[int, ...]) -> Nones:
        """That of a shape, the same one each time: such arrays differ in nothing else."""
        return cls(np.full(shape, None))

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
        return None if found is None else Nones.of(found.shape)

    def __len__(self) -> int:
        return len(self.array())

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    @property
    def T(self) -> Nones:
        return Nones.of(self.shape[::-1])

    def copy(self) -> Nones:
        return self


def is_nones(value: Any) -> TypeGuard[np.ndarray[Any, Any]]:
    """True for an array of NumPy's whose items are all None.

    >>> is_nones(np.array([[None]])), is_nones(np.array([None, 1.0])), is_nones(None)
    (True, False, False)
    """
    return type(value) is np.ndarray and value.dtype == object and all([x is None for x in value.flat])
