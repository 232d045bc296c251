"""Tangents as users give them, which have the structure and the shapes of the arguments.

>>> check(np.ones(2), np.ones(3), "`x`")  # doctest: +ELLIPSIS
Traceback (most recent call last):
compile.diagnostics.WrongArguments: error[CC070]: the tangent of `x` has the shape (3,), `x` has (2,)
...
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ccc.objects import is_discrete, object_of
from ccc.records import taken_apart
from compile.diagnostics import WrongArguments

NUMBERS = (int, float, np.number, Fraction)


def check(x: Any, d: Any, path: str) -> None:
    """Refuse a tangent that does not belong to an argument."""
    if d is None or isinstance(d, str):
        if isinstance(d, str) or not is_discrete(object_of(x)):
            raise unlike(path, "a number" if isinstance(x, NUMBERS) else "an array like it", d)
    elif isinstance(x, np.ndarray):
        shape: Any = np.shape(d)
        if isinstance(d, (np.ndarray, list, *NUMBERS)) and shape != x.shape:
            raise WrongArguments(f"the tangent of {path} has the shape {shape}, {path} has {x.shape}",
                                 help=f"give an array of the shape {x.shape}")
    elif isinstance(x, NUMBERS):
        if np.ndim(d):
            raise unlike(path, "a number", d)
    elif isinstance(x, list):
        if not isinstance(d, list | tuple | np.ndarray) or len(d) != len(x):  # type: ignore[reportUnknownArgumentType]
            raise unlike(path, f"a list of {len(x)}", d)  # type: ignore[reportUnknownArgumentType]
        for first, other in zip(x[:1], d[:1], strict=True):  # type: ignore[reportUnknownArgumentType]
            check(first, other, f"{path}[0]")
    elif (record := taken_apart(x)) is not None:
        other = taken_apart(d)
        if other is None or set(other[1]) != set(record[1]):
            raise unlike(path, f"a {type(x).__name__} like it", d)
        given = dict(zip(other[1], other[2], strict=True))
        for name, part in zip(record[1], record[2], strict=True):
            check(part, given[name], f"{path}[{name!r}]" if isinstance(x, dict) else f"{path}.{name}")
    elif isinstance(x, tuple):
        if not isinstance(d, tuple | list) or len(d) != len(x):  # type: ignore[reportUnknownArgumentType]
            raise unlike(path, f"a tuple of {len(x)}", d)  # type: ignore[reportUnknownArgumentType]
        for i, (part, inner) in enumerate(zip(x, d, strict=True)):  # type: ignore[reportUnknownArgumentType]
            check(part, inner, f"{path}[{i}]")


def unlike(path: str, wanted: str, d: Any) -> WrongArguments:
    return WrongArguments(f"the tangent of {path} is {wanted}, found {type(d).__name__}", help=f"give {wanted}")
