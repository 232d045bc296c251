"""The shortest way from a call with arrays of another library to code that is known, as `dispatch` has it for NumPy's.

>>> import numpy as np
>>> from ccc.compile.api.dispatch import direct
>>> pair = token_of({"w": np.ones(3), "n": 2}, np.ndarray)
>>> way = direct(lambda p: p["n"], [pair], [], [], [], len, bound=True)
>>> way({"w": np.zeros(4), "n": 5}), way({"w": np.zeros(4)}), way({"w": np.zeros((4, 2)), "n": 5})
(5, NotImplemented, NotImplemented)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ccc.compile.api.dispatch import Conditions, Own, direct, token
from ccc.compile.api.kept import Code, Read
from ccc.compile.program.assumed import NUMBER, Bound
from ccc.compile.program.target import Hosting, NotTaken
from ccc.records import names_of
from ccc.values import value


@value()
class Same(Own):
    """An array of a class, of this dtype and number of axes, of which these have one item."""

    cls: type
    dtype: Any
    ones: tuple[bool, ...]

    def tests(self, c: Conditions, x: str) -> None:
        c.tests += [f"type({x}) is {c.name(self.cls)}", f"{x}.dtype == {c.name(self.dtype)}"]
        c.tests.append(f"len({x}.shape) == {len(self.ones)}")
        if any(self.ones):
            c.tests += [f"{x}.shape[{i}] {'==' if one else '!='} 1" for i, one in enumerate(self.ones)]
        elif self.ones:
            c.tests.append(f"1 not in {x}.shape")


@value()
class Parts(Own):
    """A record, tuple or list of a class with these parts, and what each of them is."""

    cls: type
    names: tuple[Any, ...]
    parts: tuple[Any, ...]

    def tests(self, c: Conditions, x: str) -> None:
        c.tests.append(f"type({x}) is {c.name(self.cls)}")
        if self.cls is dict:
            c.tests.append(f"(*{x},) == {c.name(self.names)}")
        elif issubclass(self.cls, (tuple, list)):
            c.tests.append(f"len({x}) == {len(self.parts)}")
        by_name = not issubclass(self.cls, (dict, tuple, list))
        for name, part in zip(self.names, self.parts, strict=True):
            c.argument(f"{x}.{name}" if by_name else f"{x}[{c.name(name)}]", part)


def token_of(x: Any, cls: type) -> Any:
    """What of an argument the code depends on, which may hold arrays of a class; None where that takes longer to say
    than the long way."""
    if isinstance(x, cls):
        return Same(type(x), np.dtype(x.dtype), tuple([n == 1 for n in x.shape]))  # type: ignore[attr-defined]
    kind = type(x)
    fields = names_of(kind)
    if kind is dict:
        names = tuple(x)
        values = list(x.values())
    elif kind in (tuple, list) or (fields is not None and issubclass(kind, tuple)):
        names = tuple(range(len(x)))
        values = list(x)
    elif fields is not None and len(getattr(x, "__dict__", ())) <= len(fields):
        names = tuple([name for name, _ in fields])
        values = [getattr(x, name) for name in names]
    else:
        return token(x)
    parts = tuple([token_of(value, cls) for value in values])
    return Parts(kind, names, parts) if any([isinstance(part, Own) for part in parts]) else token(x)


def way(
    code: Code, given: Code | Read, within: Hosting, args: Sequence[Any], cls: type, function: Any
) -> Callable[..., Any] | None:
    """What calls the code at once where it is for the arguments, and gives `NotImplemented` where it is not, or the
    long way has something to say. None where that has to look at values."""
    reading = given.reading.readers if isinstance(given, Read) else ()
    if any([reader is not None and type(x) is not int for reader, x in zip(reading, args, strict=False)]):
        return None
    for bound in code.sizes:
        axis = bound.axis if isinstance(bound, Bound) else bound[0]
        if axis.axis == NUMBER and not (axis.argument < len(args) and type(args[axis.argument]) is int):
            return None

    def run(*values: Any) -> Any:
        try:
            return within.computed(values)
        except NotTaken:
            return NotImplemented

    tokens = [token_of(x, cls) for x in args]
    return direct(run, tokens, code.names, code.guards, code.readers, function, True, reading=reading, sizes=code.sizes)


__all__ = ["token_of", "way"]
