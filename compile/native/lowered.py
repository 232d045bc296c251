"""A program as a module, and what is needed to make functions of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

from ccc.compile.native.functions import Code
from ccc.compile.native.ints_among_reals import Readers
from ccc.compile.native.parallel_parts import Shared
from ccc.compile.program.assumed import Bound, Class
from ccc.compile.program.lam import Let
from ccc.objects import Object
from ccc.values import slotted


@slotted
class Lowered:
    """A module, its entry points, and the objects of the arguments; `held` are the objects that it names.
    `exact` says that the first entry point looks at all that the program depends on in its arguments, `shared` are the
    loops that several threads can share, and `out` are the lets that are calls out to NumPy, with the reasons."""

    code: Code
    params: list[Object]
    entries: list[str]
    exact: bool
    held: list[Any]
    shared: dict[str, Shared]
    out: dict[Let, str]
    result: tuple[Object, Any]
    """The object of the value, and its layout in words."""
    sizes: Sequence[Class | Bound]
    """What the program takes to hold of the sizes of arguments."""
    draws: bool
    """Whether it makes sources of random numbers."""
    texts: bool
    """Whether it is given texts, or gives some."""
    acts: bool
    """Whether calls out have effects."""
    readers: Readers
    """What makes floats of the ints among the reals of its arguments."""
    known: Mapping[int, int] = field(default_factory=dict[int, int])
    """The words of arguments that are constants in it, by their numbers."""
    anew: Callable[[Sequence[Any], Collection[int]], Lowered] | None = None
    """What writes the module anew for arguments of other sizes, with fewer constants."""

    @cached_property
    def text(self) -> str:
        return str(self.code)
