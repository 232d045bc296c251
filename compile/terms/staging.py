"""The staged base: a recorder on which functions may call themselves.

>>> st = Staging()
>>> x = st.param(st.block, "x", REAL)
>>> print((x * x).definition.op.primitive.name, st.cond(True, lambda: x, lambda: 0.0) is x)
mul True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.compile.terms.stage import Recorder
from ccc.objects import REAL, Exponential


class Staging(Recorder):
    """A recorder with the methods of `ccc.base.Base`."""

    def recursive(
        self, body: Callable[[Any], Any], name: str, function: Exponential, closure: Any = None, alone: bool = False
    ) -> Callable[[Any], Any]:
        from ccc.compile.terms.staged_recursion import ContextKnot, Knot, ValueKnot

        if closure is None:
            return ValueKnot(self, body, name, function).apply
        return (ContextKnot if alone else Knot)(self, body, name, function, closure).apply


__all__ = ["REAL", "Staging"]
