"""Which function of NumPy's a definition stands for, and how one refuses what it does not take.

>>> definition_of(len)(lambda xs: 0)([1])
0
>>> del DEFINED[len]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

DEFINED: dict[Any, Any] = {}
"""The definition of each function, a function of Python."""


def definition_of(*functions: Any) -> Callable[[Any], Any]:
    """Enter a definition as that of these functions."""

    def enter(definition: Any) -> Any:
        DEFINED.update(dict.fromkeys(functions, definition))
        return definition

    return enter


def refuse(text: str) -> None:
    """Refuse a call, for what `text` says of it.

    Raises `TypeError`; where a program is read, the call is refused at its place.
    """
    raise TypeError(text)
