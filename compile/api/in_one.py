"""The derivative of a function in one of its arguments, a number or each item of an array, in the language that is
compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ccc.compile.diagnostics import WrongArguments
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.memory.interface import lists
from ccc.compile.frontend.parts import items_in
from ccc.compile.program.lam import Var
from ccc.objects import Array


class Argument:
    """The argument that a differential moves, which has to be a number or an array."""

    def __call__(self, along: Any) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        (along,) = args
        if len(along.at) != 1 or items_in(along.at[0]) is not None or lists.is_list(along.at[0]):
            found = described(along.at[0] if len(along.at) == 1 else tuple(along.at))
            raise WrongArguments(f"derivative is that in one number, or in each item of an array, found {found}",
                                 help="take ccc.gradient(f), or ccc.jacobian(f)")
        return along.at[0]


class ShapeFor:
    """The shape of a value that has to be an array with as many axes as the argument."""

    def __call__(self, value: Any, x: Any) -> Any:
        return np.shape(value)

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        value, x = args
        a = value.object if isinstance(value, Var) else None
        if not isinstance(a, Array) or (a.axes is not None and len(a.axes) != len(x.object.axes)):
            raise WrongArguments("derivative is for functions of one number, or of each item of an array; of "
                                 f"{described(x)} the value is {described(value)}",
                                 help="take ccc.gradient(f), or ccc.jacobian(f)")
        return e.call(np.shape, [value], kwargs, node, frame)


argument = Argument()
shape_for = ShapeFor()
DIGITS = 32
"""So many tangents of an item are told apart at once."""


def in_one(at: Callable[..., Any], aux: bool) -> Callable[..., Any]:
    """The derivative in one argument, from the value `at` the arguments and its differential; beside it what is handed
    out, where the value is a pair of which that is the other part."""
    def derivative(*args: Any, **kwargs: Any) -> Any:
        both, along = at(*args, **kwargs)
        x = argument(along)
        slope = along(1.0) if np.ndim(x) == 0 else item_by_item(both[0] if aux else both, x, along)
        return (slope, both[1]) if aux else slope

    return derivative


def item_by_item(y: Any, x: Any, along: Any) -> Any:
    """The derivative of each item of an array, of a value whose items depend on one item each.

    All items move at once. Moved by powers of two, which change no digit, each moves by its own power if it depends on
    itself alone; the digits of its place make the powers of any two items differ.
    """
    if shape_for(y, x) != np.shape(x):
        raise ValueError("derivative of an array: the value has another shape, so it is not computed item by item; "
                         "take ccc.jacobian(f)")
    slope = along(np.ones_like(x))
    places, least = np.reshape(np.arange(np.size(x)), np.shape(x)), np.finfo(x.dtype).tiny
    while np.any(places > 0):
        powers = 0.5 ** (places % DIGITS).astype(x.dtype)
        alone, moved = powers * slope, along(powers)
        if np.any((moved < alone - least) | (moved > alone + least)):
            raise ValueError("derivative of an array: an item of the value depends on other items of the array; "
                             "take ccc.jacobian(f), or ccc.gradient(f)")
        places = places // DIGITS
    return slope
