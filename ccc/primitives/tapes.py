"""Tapes of recursive functions: tuples of what an activation computed, tapes of inner activations among them.

Their object is nominal (`Boxed`), since a tape may hold tapes of its own kind. As a cotangent None stands for zero.

>>> tape = Boxed("f")
>>> unroll(roll(1.5, 2.5, tape=tape), index=1, of=REAL)
2.5
>>> roll.pullback((None, 1.0), None, 1.5, 2.5, tape=tape)
(0.0, 1.0)
"""

from __future__ import annotations

from typing import Any

from ccc.additive import ZERO
from ccc.objects import REAL, Boxed, Object
from ccc.primitives.facts import FILLING, NEVER, STORAGE, holds, jointly, out_of
from ccc.primitives.primitive import Primitive
from ccc.primitives.zero_trees import filled, zeros_like


def _of_tape(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return params["tape"]


def _of_part(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return params["of"]


def _second(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return args[1]


def _tuple_source(*xs: str, tape: Any) -> str:
    return f"({', '.join(xs)}{',' if len(xs) == 1 else ''})"


def _touched(ct: Any, t: Any, index: int) -> Any:
    return tuple([ct if i == index else None for i in range(len(t))])


def _part_of_cotangent(ct: Any, x: Any, index: int) -> Any:
    found = None if ct is None else ct[index]
    if found is None:
        return ZERO if callable(x) else zeros_like.value(x)  # of a function no other zero is known
    return found


roll = Primitive(
    "roll", lambda *xs, tape: xs, _of_tape, _tuple_source,
    lambda ct, y, *xs, tape: tuple([part_of_cotangent(ct, x, index=i) for i, x in enumerate(xs)]),
    lambda ds, y, *xs, tape: roll(*[filled(d, x) for d, x in zip(ds, xs, strict=True)], tape=tape), exact=True,
    memory=holds(), work=FILLING, linear=jointly(), raises=NEVER,
)
unroll = Primitive(
    "unroll", lambda t, index, of: t[index], _of_part, lambda t, index, of: f"{t}[{index}]",
    lambda ct, y, t, index, of: (touched(ct, t, index=index),),
    lambda ds, y, t, index, of: unroll(ds[0], index=index, of=of), exact=True,
    memory=out_of(), work=STORAGE, linear=jointly(0), raises=NEVER,
)
touched = Primitive(
    "touched", _touched, _second, lambda ct, t, index: f"touched({ct}, {t}, {index})",
    lambda g, y, ct, t, index: (part_of_cotangent(g, ct, index=index), ZERO),
    lambda ds, y, ct, t, index: touched(ds[0], t, index=index), exact=True, memory=holds(0), work=STORAGE,
    linear=jointly(0), raises=NEVER,
)
part_of_cotangent = Primitive(
    "part_of_cotangent", _part_of_cotangent, _second, lambda ct, x, index: f"part_of_cotangent({ct}, {x}, {index})",
    lambda g, y, ct, x, index: (touched(g, ct, index=index), ZERO),
    lambda ds, y, ct, x, index: part_of_cotangent(ds[0], x, index=index), exact=True,
    memory=out_of(), work=STORAGE, sizes=(1,), linear=jointly(0), raises=NEVER,
)

__all__ = ["REAL", "Boxed", "part_of_cotangent", "roll", "touched", "unroll"]
