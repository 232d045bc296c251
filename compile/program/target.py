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
from ccc.diagnostics import Span


class NotTaken(Exception):
    """A target does not take a program; the message says what of it, and `at` which let that is, if it is one."""

    at: Let | None = None

    def told(self, target: str) -> str:
        """The message, with the line of the user's program.

        >>> NotTaken("arrays of float16").told("native")
        'native code does not take arrays of float16'
        """
        return f"{target} code does not take {self}{line_of(self.at)}"


def line_of(let: Let | None) -> str:
    """Where in the user's program a let stands, or what it is the derivative of."""
    span, of = (let.span, let.of) if let is not None else (None, None)
    if isinstance(span, Span):
        return f" at line {span.line}"
    return f" in the derivative of line {of.line}" if isinstance(of, Span) else ""


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


class Unsaid:
    """Base of the classes of whole numbers that stand for ones that nobody knows yet: their values mean nothing."""


class Arrays(Protocol):
    """The arrays of a library that are not NumPy's; `cls` is their class, as messages name the library."""

    @property
    def cls(self) -> type: ...

    @property
    def library(self) -> str: ...

    def is_unknown(self, x: Any) -> bool:
        """Whether a value stands for numbers that nobody knows yet, since the library traces what computes with it."""
        ...

    def on_host(self, x: Any) -> Any:
        """A value with arrays and numbers of NumPy in their places."""
        ...

    def on_device(self, x: Any) -> Any:
        """A value with such arrays in the places of numbers and of arrays of NumPy."""
        ...


class Hosting(Protocol):
    """How a target computes a program on arrays of its own: the attribute `within` of a function that it makes."""

    @property
    def params(self) -> Sequence[tuple[str, Any]]:
        """The parameters of the program."""
        ...

    def computed(self, args: Sequence[Any]) -> Any:
        """The result, of which every number is such an array; with a pullback, that as a function."""
        ...

    def differentiable(self, args: Sequence[Any], pulled: Callable[[Sequence[int]], Hosting]) -> Any:
        """The result for arguments of which some are not known, because the target's library traces the call: one that
        the library can differentiate; `pulled` makes the same with the pullback in arguments at some positions."""
        ...


class Target(Protocol):
    """What makes functions of programs. `name` is that which users write, `compiler` is what makes its functions, as
    messages name it; one that is `asked_only` computes what names it alone, never what is left to `auto`."""

    @property
    def name(self) -> str: ...

    @property
    def compiler(self) -> str: ...

    @property
    def asked_only(self) -> bool: ...

    def arrays(self) -> Arrays | None:
        """The arrays that it computes with, where these are not NumPy's and there may be some in this process. A call
        with one of them is the target's, whose results are such arrays then; `Hosting` says how."""
        ...

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
