"""Which attributes an object of a plain class has, as far as machine code has to look."""

from __future__ import annotations

import types
from collections.abc import Sequence
from functools import cached_property

from ccc.records import slots_of, written_in


def kept_in_dict(cls: type, names: Sequence[str]) -> int | None:
    """How many entries the dict of an object of a plain class has, of which these are all attributes; None where that
    may have others, which properties cache.

    >>> class Point:
    ...     __slots__ = ("x", "__dict__")
    >>> kept_in_dict(Point, ("x", "y", "z"))
    2
    """
    if any(isinstance(x, cached_property) for base in cls.__mro__ for x in vars(base).values()):
        return None
    return len([name for name in names if name not in slots_of(cls)])


def left_empty(cls: type, names: Sequence[str]) -> tuple[str, ...]:
    """The slots of a class that objects with these attributes have nothing in.

    >>> class Point:
    ...     __slots__ = ("x", "y")
    >>> left_empty(Point, ("x",))
    ('y',)
    """
    return tuple([name for name in slots_of(cls) if name not in names
                  and isinstance(written_in(cls, name), types.MemberDescriptorType)])
