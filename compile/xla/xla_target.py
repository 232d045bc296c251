"""The XLA target: λ-programs that JAX traces and XLA compiles. What loads JAX is loaded when it is needed.

>>> XLA.name, XLA.asked_only
('xla', True)
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any

from ccc.compile.passes.engine import Change
from ccc.compile.program.lam import Let, Program
from ccc.compile.xla.installation import MISSING, installed
from ccc.compile.xla.limits import tape_limit

if TYPE_CHECKING:
    from ccc.compile.xla.calling import Compiled

MAKING = 0.2
"""About how many seconds XLA takes to compile a program."""


class Traced:
    """A program as XLA has it."""

    out: Mapping[Let, str] = {}

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled

    @property
    def text(self) -> str:
        """The program as JAX writes it."""
        return self.compiled.text()

    def making(self) -> float:
        return MAKING

    def function(self, other: Callable[..., Any], args: Sequence[Any], tried: bool = True) -> Callable[..., Any]:
        """What calls it; the other function computes a call in which Python would raise."""
        from ccc.compile.xla.citizens import Within

        call = self.compiled.function(other)
        call.within = Within(self.compiled, other)  # type: ignore[attr-defined]
        return call


class ArraysOfJAX:
    """The arrays of JAX, in a process that has loaded it."""

    library = "JAX"

    def __init__(self, cls: type) -> None:
        self.cls = cls

    def is_unknown(self, x: Any) -> bool:
        from ccc.compile.xla.handing import is_unknown

        return is_unknown(x)

    def on_host(self, x: Any) -> Any:
        from ccc.compile.xla.handing import on_host

        return on_host(x)

    def on_device(self, x: Any) -> Any:
        from ccc.compile.xla.handing import on_device

        return on_device(x)


class XLATarget:
    """`backend="xla"`."""

    name = "xla"
    compiler = "XLA"
    asked_only = True

    def arrays(self) -> ArraysOfJAX | None:
        cls = getattr(sys.modules.get("jax"), "Array", None)
        return None if cls is None else ArraysOfJAX(cls)

    def missing(self) -> str:
        return "" if installed() else MISSING

    def unavailable(self) -> str:
        return self.missing()

    def making(self, lets: int) -> float:
        return MAKING

    def lower(
        self, program: Program, pullback: bool, args: Sequence[Any], changes: list[Change] | None = None
    ) -> Traced:
        from ccc.compile.xla.calling import Compiled

        return Traced(Compiled(program, pullback, args))

    def limited(self, call: Callable[..., Any], nbytes: int) -> Callable[..., Any]:
        """A function that this target made, within a limit of what loops keep."""

        @wraps(call)
        def run(*args: Any) -> Any:
            with tape_limit(nbytes):
                return call(*args)

        return run


XLA = XLATarget()
