"""What a program says while it runs: callbacks that hand it on, once and in order.

In a call of its own it is kept until the call is over, since the program may run again with more memory, or be left to
the other function, which says it itself. Inside of what JAX traces it is said at once, and JAX keeps no order.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import jax

from ccc.compile.xla.values import is_traced


class Way(threading.local):
    """How a thread traces a program: `inside` of what JAX traces, or by itself, `ordered` where on one device."""

    inside, ordered = False, True


class Saying:
    """What one program says, of which it is known whether it `speaks`."""

    def __init__(self, speaks: bool) -> None:
        self.kept: list[tuple[Callable[..., None], list[Any]]] = []
        self.speaks, self.way = speaks, Way()

    def says(self, say: Callable[..., None], values: Sequence[Any]) -> None:
        """Say something of values, of which some may be traced."""
        inside = self.way.inside
        traced = [is_traced(x) for x in values]

        def heard(*given: Any) -> None:
            rest = iter(given)
            found = [next(rest) if one else x for x, one in zip(values, traced, strict=True)]
            if inside:
                say(*found)
            else:
                self.kept.append((say, found))

        given = [x for x, one in zip(values, traced, strict=True) if one]
        jax.debug.callback(heard, *given, ordered=self.way.ordered and not inside)

    def over(self, is_told: bool) -> None:
        """The call is over: what it said is told, or forgotten."""
        if not self.speaks:
            return
        jax.effects_barrier()
        found, self.kept = self.kept, []
        for say, values in found if is_told else ():
            say(*values)
