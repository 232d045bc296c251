"""Pullbacks and differentials as users hold them: functions of cotangents or tangents, made by an ordinary call.

Inside a program they are `ccc.compile.frontend.values.LinearValue`s. One that was made outside and is called inside
becomes one: the function is differentiated again at the arguments that it was made at, where these and what it read are
numbers, which nobody can change.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.diagnostics import WrongArguments, unsupported
from ccc.compile.frontend.captures import Fixed, Reader, Within
from ccc.compile.frontend.outside import watched
from ccc.compile.terms.plan import Kind
from ccc.directions import fitted
from ccc.errors import DirectionMismatch

FIXED = (float, int, bool, str, type(None))


def never_changes(x: Any) -> bool:
    """True for numbers, strings and tuples of them."""
    return all(map(never_changes, x)) if type(x) is tuple else type(x) in FIXED


def direction(x: Any, d: Any, path: str, word: str) -> Any:
    """A tangent or cotangent that a user gives, as one of `x`; refused at the call where it does not fit."""
    try:
        return fitted(x, d, path, word)
    except DirectionMismatch as error:
        raise error.told() from None


def still(linear: Any, label: Any) -> bool:
    """A reader's part: whether a pullback or differential would read what it read."""
    return linear.still()


class Linear:
    """A pullback or differential at the arguments of one call."""

    __slots__ = ("args", "kwargs", "read", "readers", "run", "transform")

    def __init__(
        self,
        run: Callable[..., Any],
        transform: Any,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        readers: Sequence[Reader],
    ) -> None:
        self.run = run
        self.transform = transform
        self.readers = readers
        read = [found(transform.function) for found in readers]
        fixed = all(map(never_changes, [*args, *kwargs.values(), *read]))
        self.args = tuple(args) if fixed else None
        self.kwargs = kwargs if fixed else {}
        self.read = read if fixed else []

    def __call__(self, *given: Any) -> Any:
        if len(given) != 1 and self.transform.kind is Kind.PULLBACK:
            raise WrongArguments(f"a pullback takes one cotangent, {len(given)} were given",
                                 help="give that of the value, a tuple where it is one")
        return self.run(*given)

    def __repr__(self) -> str:
        return f"{self.transform} at {', '.join(map(repr, self.args)) if self.args is not None else 'some arguments'}"

    def still(self) -> bool:
        """True as long as the function would read what it read."""
        return [found(self.transform.function) for found in self.readers] == self.read

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        """The function met inside a program that is compiled."""
        kind = self.transform.kind
        if self.args is None or not watched(e, (id(self), "read"), Within(Fixed(self), still, None)):
            raise unsupported(
                "CC022",
                f"this {kind} was made outside of the program, at what may change since",
                e.place(node, frame),
                help=f"take the {kind} inside the program",
            )
        _, inside = self.transform.taken(e, list(self.args), dict(self.kwargs), node, frame)
        return e.call(inside, args, kwargs, node, frame)
