"""Bases: what a category stands on. A category says what combinators mean; a base says what values and control are.

The *host* base has real values and Python's own `if` and `for`: it is the reference semantics. The *staged* base of the
compiler has symbolic values and records. Both have the methods of `Base`, so a category is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

from ccc.additive import ZERO, Zero
from ccc.errors import InexactPrimitive
from ccc.objects import Exponential

Thunk = Callable[[], Any]


class Standing:
    """What stands for a value of the object that it names: for one of a later run, or for one that is not there."""

    __slots__ = ("object",)
    object: Any


class Traced(Standing):
    """A value that stands for one of a later run; primitives applied to it are recorded by its base."""

    __slots__ = ("base",)
    base: Any

    def recorded(self, value: Any) -> Any:
        """A tuple, record, list or map that is known, as one of these values where this one is such a structure."""
        raise NotImplementedError

    def reads(self, others: Sequence[Any]) -> bool:
        """True where one of the others may decide this value, and not only its size."""
        raise NotImplementedError

    def padded(self, like: Any) -> Any:
        """A list of the cotangents of the first items of `like`, followed by zeros for the rest."""
        raise NotImplementedError


def recorded(value: Any, like: Any) -> Any:
    """What the rule of a primitive gives for `like`, recorded where that is.

    >>> recorded((1.0, 2.0), (0.0, 0.0))
    (1.0, 2.0)
    """
    return like.recorded(value) if isinstance(like, Traced) else value


def padded(ct: Any, like: Any) -> Any:
    """The cotangents of the first items of the list `like`, as a loop gives them, followed by zeros for the rest.

    >>> padded([1.0], [2.0, 3.0])
    [1.0, ZERO]
    """
    if isinstance(ct, Zero):
        return ct
    return [*ct, *[ZERO] * (len(like) - len(ct))] if isinstance(ct, list) else ct.padded(like)


class Base(Protocol):
    """What a category may ask of its base. `deriving` is where the step stands whose derivative is being computed."""

    deriving: Any

    def apply(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], label: Any) -> Any:
        """The value of a primitive at `args`."""
        ...

    def const(self, value: Any, a: Any) -> Any:
        """A literal of the program as a value of the object `a`."""
        ...

    def cond(self, test: Any, then: Thunk, orelse: Thunk) -> Any:
        """`then()` or `orelse()`; what they return may hold Python functions, which are joined too."""
        ...

    def scan(
        self, step: Callable[[Any, tuple[Any, ...]], tuple[Any, tuple[Any, ...]]], init: Any,
        sequences: Sequence[Any], outputs: int, reverse: bool = False,
    ) -> tuple[Any, tuple[Any, ...]]:
        """Run `step(state, elements) -> (state, outputs)` along the sequences; `outputs` says how many. Outputs may
        hold Python functions.

        A sequence may be `ZERO`, which stands for as many zeros as the others have elements."""
        ...

    def iterate(
        self, test: Callable[[Any], Any], step: Callable[[Any], tuple[Any, tuple[Any, ...]]], init: Any, outputs: int
    ) -> tuple[Any, tuple[Any, ...]]:
        """While `test(state)`: `step(state) -> (state, outputs)`; `outputs` says how many. Gives the last state and the
        sequences of outputs."""
        ...

    def recursive(
        self, body: Callable[[Any], Any], name: str, function: Exponential, closure: Any = None, alone: bool = False
    ) -> Callable[[Any], Any]:
        """A body that calls itself through what this gives, under a name. `function` has the objects of what stands for
        its argument and result; a result may be a value with a pullback, to cotangents of `closure` and the argument,
        or of what that captured `alone`: then nothing but the pullbacks of results is asked for."""
        ...

    def zero_of(self, value: Any, since: Any = None) -> Any:
        """The zero cotangent of `value`: symbolic, yet able to become numbers. Of the state of a loop that began as
        `since`, only what the zero of that does not say: arrays and lists may have other sizes now."""
        ...


class Host:
    """Python's own values and control flow. `scalar=Fraction` reads literals as exact rationals.

    >>> Host().cond(True, lambda: 1, lambda: 2)
    1
    >>> Host().scan(lambda s, e: (s + e[0], (s,)), 0, [[1, 2, 3]], 1)
    (6, ([0, 1, 3],))
    >>> from fractions import Fraction
    >>> Host(scalar=Fraction).const(0.5, None)
    Fraction(1, 2)
    """

    deriving: Any = None

    def __init__(self, scalar: Callable[[Any], Any] | None = None) -> None:
        self.scalar = scalar

    def apply(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], label: Any = None) -> Any:
        if self.scalar is not None and not primitive.exact:
            raise InexactPrimitive(
                f"`{primitive.name}` leaves the rationals", "exact scalars need + - * / and integer powers"
            )
        if primitive.program is not None:
            return primitive.program.value(self, args)
        return primitive.value(*args, **params)

    def const(self, value: Any, a: Any) -> Any:
        return self.scalar(value) if self.scalar is not None and isinstance(value, float) else value

    def cond(self, test: Any, then: Thunk, orelse: Thunk) -> Any:
        return then() if test else orelse()

    def scan(
        self, step: Callable[[Any, tuple[Any, ...]], tuple[Any, tuple[Any, ...]]], init: Any,
        sequences: Sequence[Any], outputs: int, reverse: bool = False,
    ) -> tuple[Any, tuple[Any, ...]]:
        known = [xs for xs in sequences if not isinstance(xs, Zero)]
        length = min(map(len, known))
        columns: list[list[Any]] = [[] for _ in range(outputs)]
        state = init
        for i in reversed(range(length)) if reverse else range(length):
            state, ys = step(state, tuple([ZERO if isinstance(xs, Zero) else xs[i] for xs in sequences]))
            for column, y in zip(columns, ys, strict=True):
                column.append(y)
        return state, tuple([column[::-1] if reverse else column for column in columns])

    def iterate(
        self, test: Callable[[Any], Any], step: Callable[[Any], tuple[Any, tuple[Any, ...]]], init: Any, outputs: int
    ) -> tuple[Any, tuple[Any, ...]]:
        columns: list[list[Any]] = [[] for _ in range(outputs)]
        state = init
        while test(state):
            state, ys = step(state)
            for column, y in zip(columns, ys, strict=True):
                column.append(y)
        return state, tuple(columns)

    def recursive(
        self, body: Callable[[Any], Any], name: str, function: Exponential, closure: Any = None, alone: bool = False
    ) -> Callable[[Any], Any]:
        return body

    def zero_of(self, value: Any, since: Any = None) -> Any:
        return ZERO


HOST = Host()


Part = Literal["rule", "pullback", "transpose", "again"]
"""Of a derivative that a user gave."""


class Effectful:
    """A base on which primitives may have effects, and which is told what a part of a given derivative is run for."""

    def given(self, part: Part, run: Callable[[], Any]) -> Any:
        """What `run` gives: the `rule` of a user, and the `pullback` that it gave, are meant to do what they do beside;
        the `transpose` of that pullback is not, and what is run `again` draws what it drew."""
        raise NotImplementedError
