"""Bases: what a category stands on. A category says what combinators mean; a base says what values and control are.

The *host* base has real values and Python's own `if` and `for`: it is the reference semantics. The *staged* base of the
compiler has symbolic values and records. Both have the methods of `Base`, so a category is written once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ccc.additive import ZERO, Zero, add
from ccc.errors import InexactPrimitive

Thunk = Callable[[], Any]


class Traced:
    """A value that stands for one of a later run; primitives applied to it are recorded by its base. `object` is its
    object."""

    __slots__ = ("base", "object")
    base: Any
    object: Any


class Base(Protocol):
    """What a category may ask of its base."""

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

    def recursive(self, body: Callable[[Any], tuple[Any, Any]], term: Any, closure: Any) -> Callable[[Any], Any]:
        """A body that calls itself through `closure`, as what `closure` applies: `s |-> (r, pullback)`."""
        ...

    def recursive_value(self, body: Callable[[Any], Any], term: Any) -> Callable[[Any], Any]:
        """The same for bodies on values alone: `s |-> r`."""
        ...

    def recursive_dual(self, body: Callable[[Any], Any], term: Any) -> Callable[[Any], Any]:
        """The same for bodies on values with tangents: `(s, ds) |-> (r, dr)`."""
        ...

    def unrolled(self, called: Callable[[Any], tuple[Any, Any]], calls: Any, like: Any, term: Any) -> Any:
        """The sum of the cotangents of `like` that formal sums of calls of a recursive function mean: `called(s)` is a
        result and its pullback, `gr |-> (ct, calls)`, which says what one call does, and which calls it makes."""
        ...

    def zero_of(self, value: Any) -> Any:
        """The zero cotangent of `value`: symbolic, yet able to become numbers."""
        ...

    def empty_sum(self, value: Any) -> Any:
        """The same zero, to begin a loop with that does nothing but add cotangents of `value` to it."""
        ...

    def spreading(self, pullback: Any, state: Any, init: Any, count: int) -> Any:
        """The pullback of one run of a loop's body to `count` cotangents, the second of which is that of the state: a
        zero of it has the sizes of the value before this run."""
        ...

    def linear(self, name: str, run: Thunk, seeds: Sequence[Any]) -> Any:
        """What `run` gives, the derivative at `seeds` of the pullback of `name`; that is linear if this depends on none
        of them.

        Raises `NotLinear` where it does."""
        ...

    def given(self, pullback: Any, ct: Any) -> Any:
        """What a pullback that a user wrote gives: what it prints and raises is meant, also where that of a body which
        is only run again is not."""
        ...

    def ruled(self, rule: Any, x: Any) -> Any:
        """What a rule that a user wrote gives: what it prints and raises is meant, also where what its function does is
        not, since another program computes the value."""
        ...

    def pad(self, ct: Any, like: Any) -> Any:
        """The cotangents of the first items of the list `like`, followed by zeros for the rest."""
        ...

    def recorded(self, value: Any, like: Any) -> Any:
        """A tuple, record, list or map that is known, as a value of the program where `like` is one."""
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

    def recursive(self, body: Callable[[Any], tuple[Any, Any]], term: Any, closure: Any) -> Callable[[Any], Any]:
        return body

    def recursive_value(self, body: Callable[[Any], Any], term: Any) -> Callable[[Any], Any]:
        return body

    def recursive_dual(self, body: Callable[[Any], Any], term: Any) -> Callable[[Any], Any]:
        return body

    def unrolled(self, called: Callable[[Any], tuple[Any, Any]], calls: Any, like: Any, term: Any) -> Any:
        result: Any = ZERO
        todo = [calls]
        while todo:
            made = todo.pop()
            if isinstance(made, Zero):
                continue
            for s, gr in made.terms():
                ct, further = called(s)[1](gr)
                result = add(result, ct)
                todo.append(further)
        return result

    def zero_of(self, value: Any) -> Any:
        return ZERO

    def empty_sum(self, value: Any) -> Any:
        return ZERO

    def spreading(self, pullback: Any, state: Any, init: Any, count: int) -> Any:
        return pullback

    def linear(self, name: str, run: Thunk, seeds: Sequence[Any]) -> Any:
        return run()

    def given(self, pullback: Any, ct: Any) -> Any:
        return pullback(ct)

    def ruled(self, rule: Any, x: Any) -> Any:
        return rule(x)

    def pad(self, ct: Any, like: Any) -> Any:
        return ct if isinstance(ct, Zero) else list(ct) + [ZERO] * (len(like) - len(ct))

    def recorded(self, value: Any, like: Any) -> Any:
        return value


HOST = Host()
