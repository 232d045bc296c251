"""The native target: λ-programs to machine code. What asks, lowers and links is loaded when it is needed.

>>> NATIVE.name, making(1000) > NATIVE.making(0)
('native', True)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ccc.compile.native.installation import MISSING, installed
from ccc.compile.passes.engine import Change
from ccc.compile.program.lam import Let, Program

if TYPE_CHECKING:
    from ccc.compile.native.lowered import Lowered

FIXED, LINE = 0.012, 11e-5
"""What it takes to make a function of machine code, and more for each line of the text that LLVM is given."""
LOWERING = 13e-4
"""What it takes to write that text, for each let of the program."""


def making(lines: int) -> float:
    """About how long it takes to make machine code of a text of so many lines."""
    return FIXED + LINE * lines


class MachineCode:
    """A program as LLVM IR."""

    def __init__(self, lowered: Lowered, name: str) -> None:
        self.lowered, self.name = lowered, name

    @property
    def text(self) -> str:
        return self.lowered.text

    @property
    def out(self) -> Mapping[Let, str]:
        return self.lowered.out

    def making(self) -> float:
        return making(self.text.count("\n"))

    def function(self, other: Callable[..., Any], args: Sequence[Any], tried: bool = True) -> Callable[..., Any]:
        """The machine code behind a Python function. Raises `RuntimeError` for what LLVM does not take."""
        from ccc.compile.native.target import linked

        return linked(self.lowered, self.name, other, args, tried)


class NativeTarget:
    """`backend="native"`."""

    name = "native"
    compiler = "LLVM"
    asked_only = False

    def arrays(self) -> None:
        return None

    def missing(self) -> str:
        return "" if installed() else MISSING

    def unavailable(self) -> str:
        from ccc.compile.native.target import available

        return available()

    def making(self, lets: int) -> float:
        return FIXED + LOWERING * lets

    def lower(
        self, program: Program, pullback: bool, args: Sequence[Any], changes: list[Change] | None = None
    ) -> MachineCode:
        from ccc.compile.native.target import lowered

        return MachineCode(lowered(program, pullback, args, changes, None), program.name)


NATIVE = NativeTarget()
