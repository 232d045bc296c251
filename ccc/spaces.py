"""Vector spaces of users: classes whose values are their own cotangents.

`vector_space` says of a class what its zero and its sums are. Where cotangents of that class meet, its own `add`
is called, and where there is none, its own `zero`; the gradient at such a value is of its class.

A dataclass or named tuple stays what it is in programs: a product of its fields. Any other class is one value, known
to the functions alone that have a derivative of their own (`ccc.primitives.primitive.Primitive`).

>>> @vector_space(zero=lambda p: Polynomial(()), add=lambda p, q: p + q)
... class Polynomial:
...     def __init__(self, terms):
...         self.terms = tuple(terms)
...     def __add__(self, other):
...         longest = max(len(self.terms), len(other.terms))
...         pairs = zip(*[(*p.terms, *[0.0] * (longest - len(p.terms))) for p in (self, other)])
...         return Polynomial(a + b for a, b in pairs)
>>> p = Polynomial([1.0, 2.0])
>>> space_of(p).add(p, space_of(p).zero(p)).terms
(1.0, 2.0)

References: *Automatic Differentiation in Swift* (`VectorNumeric`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, overload

from ccc.errors import NotAVectorSpace
from ccc.values import value

C = TypeVar("C", bound=type)
Zero = Callable[[Any], Any]
Add = Callable[[Any, Any], Any]


@value(checked=True)
class VectorSpace:
    """The zero of the space of a value, and sums."""

    cls: type
    zero: Zero
    add: Add


_spaces: dict[type, VectorSpace] = {}


@overload
def vector_space(cls: C, /, *, zero: Zero, add: Add, samples: Iterable[Any] = ()) -> C: ...
@overload
def vector_space(*, zero: Zero, add: Add, samples: Iterable[Any] = ()) -> Callable[[C], C]: ...
def vector_space(cls: Any = None, /, *, zero: Zero, add: Add, samples: Iterable[Any] = ()) -> Any:
    """Make a class a vector space: `zero(value)` is the zero of the space that `value` lies in, `add(a, b)` a sum.

    A decorator, or a call with the class. The laws of a commutative monoid are checked on `samples`, where such are
    given: 0 + a = a, a + b = b + a, (a + b) + c = a + (b + c), by the class's own `==`.

    >>> from dataclasses import dataclass
    >>> @vector_space(zero=lambda v: Vector(0.0, 0.0), add=lambda v, w: Vector(v.x + w.x, v.y + w.y))
    ... @dataclass
    ... class Vector:
    ...     x: float
    ...     y: float
    >>> from ccc.additive import add
    >>> add(Vector(1.0, 2.0), Vector(3.0, 4.0))
    Vector(x=4.0, y=6.0)
    >>> vector_space(Vector, zero=lambda v: v, add=lambda v, w: v, samples=[Vector(1.0, 2.0), Vector(0.0, 1.0)])
    Traceback (most recent call last):
    ccc.errors.NotAVectorSpace: `Vector`: a + b = b + a fails, with a = Vector(x=1.0, y=2.0), b = Vector(x=0.0, y=1.0)

    Raises `NotAVectorSpace` where a law fails on the samples, or for a class that has a vector space already.
    """
    if cls is None:
        return lambda found: vector_space(found, zero=zero, add=add, samples=samples)
    if not isinstance(cls, type) or cls in BUILT_IN:
        raise NotAVectorSpace(f"a class of one's own is needed: found {cls!r}", "write a class that holds it")
    space = VectorSpace(cls, zero, add)
    check_laws(space, list(samples))
    _spaces[cls] = space
    return cls


BUILT_IN = frozenset([float, int, bool, complex, tuple, list, dict, str, object, type(None)])


def space_of(value: Any) -> VectorSpace | None:
    """The vector space that the class of a value was made; None for values of other classes."""
    return _spaces.get(type(value)) if _spaces else None


def is_space(cls: type) -> bool:
    """Whether a class was made a vector space."""
    return cls in _spaces


def check_laws(space: VectorSpace, samples: list[Any]) -> None:
    """Raises `NotAVectorSpace` with the law and the samples for which it fails."""
    name, add = space.cls.__name__, space.add
    for a in samples:
        if type(a) is not space.cls:
            raise NotAVectorSpace(f"`{name}`: the sample {a!r} is of another class",
                                   "give objects of the class as samples")

    def require(law: str, left: Any, right: Any, **given: Any) -> None:
        if type(left) is not space.cls or left != right:
            shown = ", ".join([f"{key} = {value!r}" for key, value in given.items()])
            raise NotAVectorSpace(f"`{name}`: {law} fails, with {shown}", "mend `zero` or `add`")

    for a in samples:
        for b in samples:
            require("a + b = b + a", add(a, b), add(b, a), a=a, b=b)
            for c in samples:
                require("(a + b) + c = a + (b + c)", add(add(a, b), c), add(a, add(b, c)), a=a, b=b, c=c)
    for a in samples:
        require("0 + a = a", add(space.zero(a), a), a, a=a)
