"""Tangents and cotangents as users give them: each has the structure, the sizes and the kinds of what it belongs to.

>>> fitted(np.ones(2), [1, 2], "x", "tangent")
array([1., 2.])
>>> fitted(np.ones(2), np.ones(3), "x", "tangent")
Traceback (most recent call last):
ccc.errors.DirectionMismatch: the tangent of `x` has the shape (3,), `x` has (2,)
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ccc.errors import DirectionMismatch
from ccc.records import apart_as, class_in_words, like, mapped, parts_of, path_to, taken_apart
from ccc.spaces import space_of

NOWHERE = bytes(16)
NUMBERS = (int, float, np.floating, np.integer, np.bool_, Fraction)


def fitted(x: Any, d: Any, path: str, word: str) -> Any:
    """The direction `d` of `x`, in its dtypes, its names in their order; `word` is "tangent" or "cotangent". What is no
    real number has none: None, or anything like it, stands there; of an int that a program needs, zero.

    Raises `DirectionMismatch`, naming the part of `path` that does not fit.
    """
    if type(d) is float and type(x) is float:
        return d
    if isinstance(x, np.ndarray):
        return of_array(x, d, path, word)  # type: ignore[reportUnknownArgumentType]
    if isinstance(x, NUMBERS):
        return of_number(x, d, path, word)
    if isinstance(x, list):
        return of_list(x, d, path, word)  # type: ignore[reportUnknownArgumentType]
    if space_of(x) is not None and taken_apart(x) is None:
        if not isinstance(d, type(x)):
            raise unlike(path, word, f"a {type(x).__name__}", d)
        return d
    parts = parts_of(x)
    return None if parts is None else of_parts(x, list(parts), d, path, word)


def of_array(x: np.ndarray[Any, Any], d: Any, path: str, word: str) -> Any:
    if type(d) is np.ndarray and d.dtype == x.dtype and d.shape == x.shape:  # type: ignore[reportUnknownMemberType]
        return d  # type: ignore[reportUnknownVariableType]
    if d is None and x.dtype.kind != "f":
        return None
    found = d
    if isinstance(d, (list, *NUMBERS)):
        try:
            found = np.asarray(d)  # type: ignore[reportUnknownArgumentType]
        except ValueError:  # rows of several lengths
            found = None
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "fiub":  # type: ignore[reportUnknownMemberType]
        raise unlike(path, word, "an array like it", d)
    if found.shape != x.shape:
        raise DirectionMismatch(f"the {word} of `{path}` has the shape {found.shape}, `{path}` has {x.shape}",
                                f"give an array of the shape {x.shape}")
    return found if found.dtype == x.dtype else found.astype(x.dtype)  # type: ignore[reportUnknownVariableType]


def of_number(x: Any, d: Any, path: str, word: str) -> Any:
    discrete = isinstance(x, (int, np.integer, np.bool_))
    if d is None and discrete:
        return None
    if isinstance(d, np.ndarray) and d.ndim == 0:
        d = d[()]  # type: ignore[reportUnknownVariableType]
    if not isinstance(d, NUMBERS):
        raise unlike(path, word, "a number", d)
    if isinstance(x, (float, np.floating)) and not isinstance(d, Fraction):
        return d if type(d) is type(x) else (type(x) if isinstance(x, np.floating) else float)(d)
    return float(d) if type(d) is int and not discrete else d


def of_list(xs: list[Any], d: Any, path: str, word: str) -> Any:
    if not isinstance(d, (list, tuple, np.ndarray)) or (isinstance(d, np.ndarray) and d.ndim == 0):
        raise unlike(path, word, f"a list of {len(xs)}", d)
    given: Any = list(d) if not isinstance(d, list) else d  # type: ignore[reportUnknownArgumentType]
    if len(given) != len(xs):
        raise DirectionMismatch(f"the {word} of `{path}` is a list of {len(given)}, `{path}` is one of {len(xs)}",
                                f"give a list of {len(xs)}")
    if xs and {type(xs[0]), *map(type, given)} == {float}:
        return given
    return [fitted(x, part, f"{path}[{i}]", word) for i, (x, part) in enumerate(zip(xs, given, strict=True))]


def of_parts(x: Any, parts: list[Any], d: Any, path: str, word: str) -> Any:
    """The direction of a tuple or record."""
    record = taken_apart(x)
    if record is None:
        if not isinstance(d, (tuple, list)) or len(d) != len(parts):  # type: ignore[reportUnknownArgumentType]
            raise unlike(path, word, f"a tuple of {len(parts)}", d)
        pairs = enumerate(zip(parts, d, strict=True))  # type: ignore[reportUnknownArgumentType]
        return like(x, [fitted(part, inner, f"{path}[{i}]", word) for i, (part, inner) in pairs])
    cls, names, _ = record
    found = apart_as(cls, d)
    if found is None or found[0] is not cls or set(found[1]) != set(names):
        keys = f"a dict with the keys {', '.join(map(repr, names))}"
        raise unlike(path, word, keys if cls is dict else f"a {class_in_words(cls)} like it", d)
    given = dict(zip(found[1], found[2], strict=True))
    labels = [path + path_to(cls, name) for name in names]
    of = zip(names, parts, labels, strict=True)
    return like(x, [fitted(part, given[name], label, word) for name, part, label in of])


def unlike(path: str, word: str, wanted: str, d: Any) -> DirectionMismatch:
    found = type(d).__name__
    if isinstance(d, np.ndarray):
        found = f"array of {d.dtype}"  # type: ignore[reportUnknownMemberType]
    elif isinstance(d, (tuple, list)):
        found = f"{found} of {len(d)}"  # type: ignore[reportUnknownArgumentType]
    elif isinstance(d, dict):
        found = f"dict with the keys {', '.join(map(repr, d))}"  # type: ignore[reportUnknownArgumentType]
    return DirectionMismatch(f"the {word} of `{path}` is {wanted}, found {found}", f"give {wanted}")


def outline(x: Any) -> Any:
    """What has the structure and the sizes of a value, to compare cotangents with when the value is gone: its arrays
    take no memory."""
    return sizes_of(x) if isinstance(x, np.ndarray) else mapped(sizes_of, x, ends=is_of_floats)


def is_of_floats(x: Any) -> bool:
    """True for a list of numbers, which is copied at once."""
    return isinstance(x, list) and bool(x) and type(x[0]) is float  # type: ignore[reportUnknownArgumentType]


def sizes_of(x: Any) -> Any:
    """What a leaf of an outline is."""
    if isinstance(x, np.ndarray):
        return np.ndarray(x.shape, x.dtype, NOWHERE, 0, (0,) * x.ndim)  # type: ignore[reportUnknownMemberType]
    return list(x) if isinstance(x, list) else x  # type: ignore[reportUnknownVariableType]
