"""What the NumPy code of a program computes is of the types that the program says, let by let.

Within `conforming()` the code that is made asks, behind each let, whether the value is of the object of its variable: a
number typed as a real is no array without axes (which would be a view of memory that changes), an array has the dtype
and the axes of its object. An integer may stand for a real, also in an array, zero for what is zero everywhere, and an
array for the list of its rows. Where a branch gives one of several arrays, or a loop begins with a narrow one, that may
stand for a wide one, and its items for wide numbers; beside a number whose kind shows when it runs, an array may be
wider than it is said to be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Real as Number
from typing import Any
from unittest.mock import patch

import numpy as np

from ccc.compile.numpy_source.emit import Emitter
from ccc.compile.program.lam import Absent, Apply, Block, Branch, Let, Loop, While, lets_in
from ccc.compile.terms.derive import holds
from ccc.objects import Array, Bool, Int, List, Map, Object, Real, is_of_any_kind


class Unfit(AssertionError):
    """A value is not of the object of its variable."""


def unfit(x: Any, a: Object, what: str = "") -> str:
    """How a value differs from an object; "" where it is one of its."""
    if x is None or isinstance(x, Absent) or (isinstance(x, int | float) and x == 0 and not isinstance(a, Int | Bool)):
        return ""
    match a:
        case Real(kind):
            other = kind.startswith("float") and kind != "float" and isinstance(x, np.floating) and x.dtype.name != kind
            return f"{x!r} for {a}" if other or not isinstance(x, Number | np.number | np.bool_) else ""
        case Int():
            several = isinstance(x, np.bool_) and a.kind == "any"
            return "" if several or isinstance(x, int | np.integer) else f"{x!r} for {a}"
        case Bool():
            return "" if isinstance(x, bool | np.bool_) else f"{x!r} for {a}"
        case Array():
            if isinstance(x, np.ndarray) and x.dtype == np.int8 and what == "power":
                return ""  # of bools and 2, which NumPy squares
            return "" if fits_array(x, a) else f"{x!r} for {a}"
        case List(item):
            if not isinstance(x, list | tuple | range | np.ndarray):
                return f"{x!r} for {a}"
            return next(filter(None, (unfit(part, item) for part in x)), "")
        case Map(key, item):
            if not isinstance(x, dict):
                return f"{x!r} for {a}"
            return next(filter(None, (unfit(k, key) or unfit(v, item) for k, v in x.items())), "")
        case _:
            return ""


def fits_array(x: Any, a: Array) -> bool:
    if isinstance(x, np.ndarray):
        axes = x.shape if a.axes is None else a.axes
        sizes = len(axes) == x.ndim and all(
            name not in ("1", "n") or (name == "1") is (size == 1) for name, size in zip(axes, x.shape, strict=True))
        return sizes and (x.dtype.name in (a.dtypes or (a.dtype,)) or (a.is_real and x.dtype == int))
    if isinstance(x, Number | np.generic) and not a.axes:
        return np.asarray(x).dtype.kind in ("f" if a.is_real else "") + "iub"
    return False


def fits(x: Any, a: Object, what: str) -> None:
    """Raise `Unfit` for a value that is not of an object."""
    if found := unfit(x, a, what):
        raise Unfit(f"`{what}` computes {found}")


def fits_of_several(x: Any, a: Object, what: str) -> None:
    """The same where arrays are one of several."""
    if isinstance(x, np.ndarray) and x.dtype.kind == "f" and isinstance(a, Array) and a.dtype == "float64":
        x = x.astype(float)
    if isinstance(x, np.floating) and a == Real("float64"):
        x = np.float64(x)
    fits(x, a, what)


def fits_beside_any(x: Any, a: Object, what: str) -> None:
    """The same where the kind of a number shows when it runs."""
    def narrowed(x: Any, a: Object) -> Any:
        if isinstance(a, List) and isinstance(x, list):
            return [narrowed(part, a.item) for part in x]
        single = (a.dtype if isinstance(a, Array) else getattr(a, "kind", "")) == "float32"
        wider = single and isinstance(x, np.ndarray | np.generic) and x.dtype == np.float64
        return x.astype(np.float32) if wider else x

    fits_of_several(narrowed(x, a), a, what)


def gives_one_of_several(let: Let) -> bool:
    """True for branches, and for loops that begin with another object than they carry."""
    if not isinstance(let.op, Loop | While):
        return isinstance(let.op, Branch)
    carried = let.op.body.params[: let.op.carries]
    return any(a.object != param.object for a, param in zip(let.args, carried, strict=False))


def asked_of(block: Block) -> Callable[[Any, Object, str], None]:
    """What is asked of each value of a program."""
    lets = list(lets_in(block))
    there = {target.object for let in lets for target in let.targets} | {param.object for param in block.params}
    if any(holds(a, is_of_any_kind) for a in there):
        return fits_beside_any
    return fits_of_several if any(map(gives_one_of_several, lets)) else fits


@contextmanager
def conforming() -> Iterator[None]:
    """Within it, NumPy code is made that checks the values of all lets."""
    plain = Emitter.let

    def checked(self: Emitter, let: Let, block: Block, depth: int) -> None:
        plain(self, let, block, depth)
        what = let.op.primitive.name if isinstance(let.op, Apply) else type(let.op).__name__
        effect = isinstance(let.op, Apply) and let.op.primitive.effect
        if self.within or let in self.narrow or effect:
            return
        if "_fits" not in self.namespace:
            self.namespace["_fits"] = asked_of(self.program.block)
        for target in let.targets:
            if target in self.names:
                self.namespace[name := f"_object{len(self.namespace)}"] = target.object
                self.line(depth, f"_fits({self.names[target]}, {name}, {what!r})")

    with patch.object(Emitter, "let", checked):
        yield
