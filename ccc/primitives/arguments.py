"""Arguments of functions of NumPy's as their adaptors take them: what is known to the compiler, and sequences.

>>> static("axis", [0, 1]), flag("keepdims", np.True_), given(axis=None, ddof=1), sizes_of(3)
((0, 1), True, {'ddof': 1}, (3,))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.base import Traced
from ccc.objects import Array, Bool, Int, List, Object, Product, Real, Static
from ccc.primitives.broadcasting import kind_of
from ccc.primitives.structure import part
from ccc.wording import in_words


class Left(TypeError):
    """What an adaptor leaves to a definition in Python, where there is one."""


def kinds(x: Any) -> Object | None:
    """The object of a traced value or of a number or array, None for a Python sequence of values."""
    return None if isinstance(x, (list, tuple)) else kind_of(x)


def items(xs: Any) -> list[Any]:
    """The items of a sequence that the compiler can count."""
    if isinstance(xs, (list, tuple)):
        return list(xs)  # type: ignore[reportUnknownArgumentType]
    a = kind_of(xs)
    if isinstance(a, Product):
        return [part(xs, index=i) for i in range(len(a.parts))]
    raise TypeError(f"needs a tuple or list whose length is known: found {in_words(a)}")


class NotConstant(TypeError):
    """A `value` is known only when the program runs, and has to be known to the compiler."""

    def __init__(self, name: str, value: Any) -> None:
        super().__init__(f"`{name}` must be a constant: found {in_words(value.object)} that is computed")
        self.value = value


def static(name: str, value: Any) -> Any:
    """`value`, which must be known to the compiler; lists become tuples.

    Raises `NotConstant` for a value that is known only when the program runs, `TypeError` for what is no number.
    """
    if isinstance(value, (list, tuple)):
        return tuple([static(name, entry) for entry in value])  # type: ignore[reportUnknownVariableType]
    if isinstance(value, Traced):
        raise NotConstant(name, value)
    if not isinstance(value, int | float | np.integer | np.bool_ | str | None):
        raise TypeError(f"`{name}` must be a number or a tuple of numbers: found {value!r}")
    return int(value) if isinstance(value, (np.integer, np.bool_, bool)) else value


def flag(name: str, value: Any) -> bool:
    """An option that is on or off, known to the compiler."""
    return bool(integer(name, value))


def integer(name: str, value: Any) -> int:
    """An integer that is known to the compiler.

    Raises `TypeError` for everything else.
    """
    found = static(name, value)
    if not isinstance(found, int):
        raise TypeError(f"`{name}` must be an integer: found {found!r}")
    return found


def given(*, keepdims: Any = False, ddof: Any = 0, **params: Any) -> dict[str, Any]:
    """The parameters that differ from NumPy's defaults."""
    found = {k: static(k, v) for k, v in params.items() if v is not None}
    less = static("ddof", ddof)
    if not isinstance(less, (int, float)):
        raise TypeError(f"`ddof` must be a number: found {ddof!r}")
    if less:
        found["ddof"] = less
    return found | ({"keepdims": True} if flag("keepdims", keepdims) else {})


def over(function: Any, a: Any, axis: Any) -> Any:
    """The axis of a reduction: a number has none, but some functions of NumPy take its first and its last.

    Raises what the function raises where it takes none.
    """
    kind = kinds(a)
    if axis is None or not (isinstance(kind, (Real, Int, Bool)) or (isinstance(kind, Array) and kind.axes == ())):
        return axis
    function(1.0, axis=static("axis", axis))
    return None


def sizes_of(shape: Any) -> tuple[Any, ...]:
    """The sizes of a shape given as an int or a tuple."""
    a = kinds(shape)
    sizes = tuple(items(shape)) if a is None or isinstance(a, Product) else (shape,)
    for size in map(kind_of, sizes):
        if isinstance(size, (Real, Static, List)) or (isinstance(size, Array) and (size.is_real or size.axes != ())):
            raise TypeError(f"the sizes of an array are integers: found {in_words(size)}")
    return sizes


def dtype_name(dtype: Any) -> str:
    """The name of a dtype. Raises `TypeError` for one that is not of numbers."""
    found = np.dtype(dtype)
    if found.kind not in "biufc":
        raise TypeError(f"an array holds numbers, not {'records' if found.names else found.name}")
    return found.name


LEFT_OUT: Any = object()
"""Stands for an option that is not given."""


def is_of_reals(dtype: Any) -> bool:
    return np.dtype(dtype_name(dtype)).kind not in "iub"


def real_dtype(dtype: Any) -> str:
    """The name of a dtype of reals, in which sums are made."""
    name = dtype_name(dtype)
    if not name.startswith("float"):
        raise TypeError(f"`dtype` of a sum is one of reals here: found {name}")
    return name
