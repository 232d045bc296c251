"""Calls of functions outside, as they are: what they do is done once and in order, what they give is not read.

    done(function, *values, forms=, names=)     a call of any function, by copies of what may change
    left(exit, kind)                            `__exit__` of a manager, which may keep an exception back
    clock(function, of=)                        what a clock says

>>> seen = []
>>> done(lambda *xs: seen.append(xs), 1.5, [2.0], forms=(("x is ", ("", ".1f")), None), names=())
()
>>> seen
[('x is 1.5', [2.0])]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ccc.additive import ZERO
from ccc.errors import CCCError
from ccc.journal import Once
from ccc.objects import BOOL, UNIT, Object
from ccc.primitives.effects import Form, shown
from ccc.primitives.facts import EFFECT, MAY, NEW
from ccc.primitives.primitive import Primitive


def copied(x: Any) -> Any:
    """A value as what is called may keep it: containers anew, and arrays that cannot be written to."""
    if isinstance(x, np.ndarray):
        x = x.copy()
        x.flags.writeable = False
        return x
    if isinstance(x, dict):
        return {k: copied(v) for k, v in x.items()}
    if isinstance(x, list):
        return list(map(copied, x))
    if isinstance(x, tuple):
        made = map(copied, x)
        return type(x)(*made) if hasattr(x, "_fields") else tuple(made)
    return x


def inside(x: Any) -> Iterator[Any]:
    """What containers hold, and how much each of them does."""
    if isinstance(x, (dict, list, tuple)):
        yield len(x)
        for part in [*x, *x.values()] if isinstance(x, dict) else x:
            yield from inside(part)
    else:
        yield x


@Once
def _done(function: Callable[..., Any], *values: Any, forms: tuple[Form | None, ...], names: tuple[str, ...]) -> Any:
    given = [copied(x) for x in shown(forms, values)]
    before = [list(inside(x)) for x in given]
    count = len(given) - len(names)
    function(*given[:count], **dict(zip(names, given[count:], strict=True)))
    for x, was in zip(given, before, strict=True):
        now = list(inside(x))
        if len(now) != len(was) or any(a is not b and a != b for a, b in zip(now, was, strict=True)):
            name = getattr(function, "__qualname__", "function")
            raise CCCError(f"`{name}` changes what it is given, and a compiled function gives it a copy; call it in "
                           "the caller")
    return ()


@Once
def _left(leave: Callable[..., Any], kind: type[BaseException] | None) -> bool:
    return bool(leave(kind, None if kind is None else kind.__new__(kind), None))


@Once
def _read(function: Callable[[], Any], of: Object | None = None) -> Any:
    return function()


done = Primitive(
    "done", _done, lambda p, args, params: UNIT,
    lambda function, *texts, forms, names: f"done({', '.join([function, *texts])}, forms={forms!r}, names={names!r})",
    exact=True, effect=True, memory=NEW, work=EFFECT, raises=MAY)
left = Primitive("left", _left, lambda p, args, params: BOOL, "left({}, {})", lambda ct, y, *xs: (ZERO, ZERO),
                 lambda ds, y, *xs: ZERO, exact=True, effect=True, draws=True, memory=NEW, work=EFFECT, raises=MAY)
clock = Primitive("clock", _read, lambda p, args, params: params["of"], lambda function, of: f"clock({function})",
                  lambda ct, y, *xs: (ZERO,), lambda ds, y, *xs: ZERO,
                  exact=True, effect=True, draws=True, memory=NEW, work=EFFECT, raises=MAY)
"""A clock: its reading is a constant of the derivative."""
