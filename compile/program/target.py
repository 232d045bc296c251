"""A target: what makes Python functions of λ-programs, as one object.

    Target.lower(program, pullback, args) : Module          Module.function(other, args) : Python function

A target lives in a package of its own and is registered in `ccc.compile.api.targets`; nothing else asks which one it
has. One of the targets, the reference, takes every program. What another one leaves, whole programs or single calls,
the reference computes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ccc.compile.program.lam import Let, Program


class NotTaken(Exception):
    """A target does not take a program; the message says what of it."""


class Module(Protocol):
    """A program as a target writes it."""

    @property
    def text(self) -> str:
        """The source that is shown."""
        ...

    @property
    def out(self) -> Mapping[Let, str]:
        """The lets that the module leaves to the reference, for each call of theirs alone, with the reasons."""
        ...

    def making(self) -> float:
        """About how many seconds it takes to make a function of it."""
        ...

    def function(self, other: Callable[..., Any], args: Sequence[Any], tried: bool = True) -> Callable[..., Any]:
        """The function, for a first call with these arguments; `other` computes what it leaves. One that is not
        `tried` yet stays with the other if it leaves its first call.

        It may have attributes: `left_to` says why calls stay with the other, `kernel` is a function that looks at all
        that matters in its arguments itself and gives `NotImplemented` for others, `gated` makes the shortest way to
        that one.
        """
        ...


class Target(Protocol):
    """What makes functions of programs. `name` is that which users write, `compiler` is what makes its functions, as
    messages name it."""

    @property
    def name(self) -> str: ...

    @property
    def compiler(self) -> str: ...

    def missing(self) -> str:
        """Why it is not installed; "" where it is. Asking loads nothing."""
        ...

    def unavailable(self) -> str:
        """Why it does not work in this process; "" where it does."""
        ...

    def making(self, lets: int) -> float:
        """About how many seconds it takes to make a function of a program of so many lets, before it is written."""
        ...

    def lower(
        self, program: Program, pullback: bool, args: Sequence[Any], changes: list[Any] | None = None
    ) -> Module:
        """The program as the target writes it, for a first call with these arguments; with `pullback` it gives a value
        and a function. It comes from the passes that all targets share; what the target's own do goes to `changes`.

        Raises `NotTaken` with the reason where the target does not take it.
        """
        ...
