"""The two curries: what the cotangent of a function is.

    AdditiveMap    G[S => R] = AdditiveMap(S, G[R])     formal sums of (argument, cotangent of the output)
    Delta          G[S => R] = the cotangent of the environment that the closure captured
    AnyDerivative  Delta as Swift had to write it: an opaque type with 0 and +

An exponential says what `curry` and `eval` are in reverse mode; nothing else of the category depends on it.

>>> from ccc.arrows import Curry, Id
>>> from ccc.denotation import functor
>>> from ccc.categories.reverse import Reverse
>>> from ccc.objects import REAL, Product
>>> closure, pullback = functor(Reverse(AdditiveMap()), Curry(Id(Product((REAL, REAL)))))(2.0)
>>> value, pb = closure.apply(3.0)
>>> value, pb((1.0, 10.0)), pullback(FormalSum((3.0, (1.0, 10.0))))
((2.0, 3.0), 10.0, 1.0)

References: *The Differentiable Curry* ("Results (I): a simply-typed curry", "Results (II): an efficient curry via
dependent types", "Dependent types? Swift is not dependently-typed…").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ccc.additive import ZERO, Components, EmptySum, Zero, ZeroLike, add, is_zero, parts, total
from ccc.arrows import Curry, Fix
from ccc.base import Base
from ccc.categories.pointwise import FunctionValue
from ccc.errors import CotangentMismatch, UnknownExponential
from ccc.objects import Bool, Exponential, Int, List, Map, Object, Product, Source, Static, Text
from ccc.values import value

Lifted = Callable[[Any], tuple[Any, Callable[[Any], Any]]]


class Closure(FunctionValue):
    """A function value in reverse mode: the captured environment, and `apply(s) = (r, pullback)`."""

    __slots__ = ("apply", "space")

    def __init__(
        self, environment: Any, apply: Lifted, space: Any = None, zero: Callable[[Any], Any] = lambda env: ZERO,
    ) -> None:
        super().__init__(environment, zero)
        self.apply = apply
        self.space = space

    def __call__(self, s: Any) -> Any:
        return self.apply(s)[0]


def discarded(s: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The body of a recursive closure before the knot is tied."""
    raise RecursionError("a recursive function was called before it was defined")


def apply_closure(x: Any) -> tuple[Any, Callable[[Any], Any]]:
    """`eval` where the pullback of a closure already yields (function cotangent, argument cotangent)."""
    function, s = x
    return function.apply(s)


class Space:
    """The cotangent space of the closures that one `curry` or `fix` of a term makes: its label and its body.

    Bodies are compared by identity, so two lambdas that look alike are told apart, and running one term again, or
    reading it in a category again, gives the same space.

    >>> from ccc.arrows import Id
    >>> pair = Product((Product(()), Product(())))
    >>> f, g = Curry(Id(pair)), Curry(Id(pair))
    >>> Space(f) == Space(f), Space(f) == Space(g)
    (True, False)
    """

    __slots__ = ("body", "label")

    def __init__(self, term: Curry | Fix) -> None:
        self.label = term.label
        self.body = term.body

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.body is other.body and self.label == other.label

    def __hash__(self) -> int:
        return id(self.body)

    def __str__(self) -> str:
        return f"`{self.label.name}`" if self.label.name else "an unnamed closure"


class Delta:
    """The existential curry: the cotangent of a closure is that of its environment.

    >>> from ccc.objects import REAL
    >>> print(Delta().cotangent(Exponential(REAL, REAL), environment=REAL))
    R

    References: *The Differentiable Curry*, "Results (II)".
    """

    name = "Delta"

    def pack(self, env: Any, space: Space) -> Any:
        """A cotangent of the environment as a cotangent of the closure: here they are the same."""
        return env

    def unpack(self, ct: Any, space: Space) -> Any:
        """A cotangent of the closure as a cotangent of its environment."""
        return ct

    def zero(self, env: Any, space: Space) -> Any:
        """The zero of the closure, made of that of the environment."""
        return env

    def curry(self, body: Lifted, term: Curry) -> Lifted:
        space = Space(term)

        def new_f(t: Any) -> tuple[Any, Callable[[Any], Any]]:
            def g(s: Any) -> tuple[Any, Callable[[Any], Any]]:
                r, pullback = body((t, s))

                def call_pullback(gr: Any) -> Any:
                    ct_t, ct_s = parts(pullback(gr), 2)
                    return self.pack(ct_t, space), ct_s

                return r, call_pullback

            def new_pb(env: Any) -> Any:
                return self.unpack(env, space)

            return Closure(t, g, space, lambda env: self.zero(env, space)), new_pb

        return new_f

    def eval(self) -> Lifted:
        return apply_closure

    def fix(self, body: Lifted, term: Fix, base: Base) -> Lifted:
        space = Space(term)

        def knot(t: Any) -> tuple[Any, Callable[[Any], Any]]:
            def tied(self_reference: Closure) -> Lifted:
                def g(s: Any) -> tuple[Any, Callable[[Any], Any]]:
                    r, pullback = body(((t, self_reference), s))

                    def call_pullback(gr: Any) -> Any:
                        captured, ct_s = parts(pullback(gr), 2)
                        ct_t, ct_self = parts(captured, 2)  # what the self reference gets is a cotangent of t as well
                        return self.pack(add(ct_t, self.unpack(ct_self, space)), space), ct_s

                    return r, call_pullback

                return g

            def knot_pullback(env: Any) -> Any:
                return self.unpack(env, space)

            self_reference = Closure(t, discarded, space, lambda env: self.zero(env, space))
            self_reference.apply = base.recursive(tied(self_reference), term.name, term.cod, self_reference)
            return self_reference, knot_pullback

        return knot

    def supplied(self, function: Lifted) -> tuple[Closure, Callable[[Any], Any]]:
        """A function from outside as a closure, and how to read the calls off its cotangent: an environment with
        AdditiveMap as its cotangent space, the free choice of Delta."""

        def recording(s: Any) -> tuple[Any, Callable[[Any], Any]]:
            r, pb = function(s)
            return r, lambda gr: (ZERO, ZERO) if is_zero(gr) else (FormalSum((s, gr)), pb(gr))

        return Closure((), recording), lambda ct: ct

    def cotangent(self, a: Object, environment: Object | None = None) -> Any:
        """G[a]; for a function it is that of the environment's object, which the type alone does not know."""
        if isinstance(a, Exponential):
            if environment is None:
                raise CotangentMismatch(f"G[{a}] depends on the environment of the function under Delta: pass it")
            return self.cotangent(environment)
        return _structural(a, self.cotangent)


class FormalSum:
    """An element of `AdditiveMap(S, M)`: a formal sum of pairs (s, m), by default empty. Only `fold` may look inside.

    >>> (FormalSum((2.0, 1.0)) + FormalSum((3.0, 1.0))).fold(lambda s, m: s * m)
    5.0
    """

    __slots__ = ("left", "right")

    def __init__(self, left: Any = None, right: FormalSum | None = None) -> None:
        self.left = left  # a pair (s, m), or what folds itself; or, where there is a right, another sum
        self.right = right

    def __add__(self, other: Any) -> FormalSum:
        if isinstance(other, Zero):
            return self
        if not isinstance(other, FormalSum):
            raise CotangentMismatch(f"AdditiveMap: a formal sum and {type(other).__name__} cannot be added")
        return FormalSum(self, other)

    __radd__ = __add__  # only ever reached by a zero on the left, and + commutes

    def terms(self) -> Iterator[Any]:
        todo: list[Any] = [self]
        while todo:
            node = todo.pop()
            if node.right is not None:
                todo += (node.right, node.left)
            elif node.left is not None:
                yield node.left

    def fold(self, h: Callable[[Any, Any], Any], like: Any = None) -> Any:
        """The sum of `h(s, m)` over the pairs; `h` must be additive in m. Where the pairs are not known yet, `like` is
        a value that the sum is a cotangent of."""
        return total([h(*term) if isinstance(term, tuple) else term.fold(h, like) for term in self.terms()])


class AdditiveMap:
    """The simply typed curry: the cotangent of a function is a formal sum of (argument, output cotangent).

    Pulling it back runs the body again at every argument; that is its cost.

    >>> from ccc.objects import REAL
    >>> print(AdditiveMap().cotangent(Exponential(REAL, REAL)))
    AdditiveMap(R, R)

    References: *The Differentiable Curry*, "Results (I)".
    """

    name = "AdditiveMap"

    def curry(self, body: Lifted, term: Curry) -> Lifted:
        def new_f(t: Any) -> tuple[Any, Callable[[Any], Any]]:
            def new_g(s: Any) -> tuple[Any, Callable[[Any], Any]]:
                r, pullback = body((t, s))
                return r, lambda gr: parts(pullback(gr), 2)[1]

            def new_pb(ss_grs: Any) -> Any:
                if isinstance(ss_grs, Zero):
                    return ZERO
                return ss_grs.fold(lambda s, gr: parts(body((t, s))[1](gr), 2)[0], t)

            return Closure(t, new_g, Space(term)), new_pb

        return new_f

    def eval(self) -> Lifted:
        def applied(x: Any) -> tuple[Any, Callable[[Any], Any]]:
            g, s = x
            r, pb = g.apply(s)

            def eval_pullback(gr: Any) -> Any:
                return (ZERO, ZERO) if is_zero(gr) else (FormalSum((s, gr)), pb(gr))

            return r, eval_pullback

        return applied

    def fix(self, body: Lifted, term: Fix, base: Base) -> Lifted:
        space = Space(term)

        def knot(t: Any) -> tuple[Any, Callable[[Any], Any]]:
            def tied() -> Closure:
                paired = Closure(t, discarded)

                def g(s: Any) -> tuple[Any, Callable[[Any], Any]]:
                    r, pullback = paired.apply(s)
                    return r, lambda gr: parts(pullback(gr), 2)[1]

                self_reference = Closure(t, g, space)

                def step(s: Any) -> tuple[Any, Callable[[Any], Any]]:
                    r, pullback = body(((t, self_reference), s))
                    return r, lambda gr: (ZERO, parts(pullback(gr), 2)[1])

                paired.apply = base.recursive(step, term.name, term.cod, paired)
                return self_reference

            def knot_pullback(ss_grs: Any) -> Any:
                if isinstance(ss_grs, Zero):
                    return ZERO
                again = tied()

                def called(s: Any) -> tuple[Any, Callable[[Any], Any]]:
                    r, pullback = body(((t, again), s))

                    def call_pullback(gr: Any) -> Any:
                        ct_t, calls = parts(parts(pullback(gr), 2)[0], 2)
                        return add(ct_t, through(calls))

                    return r, call_pullback

                def through(calls: Any) -> Any:
                    return ZERO if isinstance(calls, Zero) else calls.fold(lambda s, gr: unrolled.apply(s)[1](gr), t)

                unrolled = Closure(t, discarded)
                unrolled.apply = base.recursive(called, term.name, term.cod, unrolled, alone=True)
                return through(ss_grs)

            return tied(), knot_pullback

        return knot

    def supplied(self, function: Lifted) -> tuple[Closure, Callable[[Any], Any]]:
        """A function from outside as a closure, and how to read the calls off its cotangent, which lists them."""
        return Closure((), function), lambda ct: ct

    def cotangent(self, a: Object, environment: Object | None = None) -> Any:
        """G[a], a function of the type alone."""
        if isinstance(a, Exponential):
            return Sums(a.dom, self.cotangent(a.cod))
        return _structural(a, self.cotangent)


@value(repr=False)
class Sums(Object):
    """The object `AdditiveMap(S, M)` of formal sums."""

    key: Object
    weight: Any

    def __str__(self) -> str:
        return f"AdditiveMap({self.key}, {self.weight})"


def _structural(a: Object, cotangent: Callable[[Object], Any]) -> Any:
    """G on everything but functions: reals and arrays are their own cotangents, discrete objects have the unit."""
    if isinstance(a, Product):
        return Product(tuple(cotangent(part) for part in a.parts))
    if isinstance(a, List):
        return List(cotangent(a.item))
    if isinstance(a, Map):
        return Map(a.key, cotangent(a.item))
    return Product(()) if isinstance(a, (Bool, Int, Text, Source, Static)) else a


class Opaque:
    """A boxed cotangent of Swift's `AnyDerivative`: the payload belongs to one space, that of its closure.

    Adding boxes of different spaces raises `CotangentMismatch`; the opaque zero is `ZERO`.

    >>> Opaque("site", 1.0) + Opaque("site", 2.0) == Opaque("site", 3.0)
    True
    """

    __slots__ = ("payload", "space")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, space: Any, payload: Any) -> None:
        self.space = space
        self.payload = payload

    def __add__(self, other: Any) -> Opaque:
        if isinstance(other, Zero):
            return self
        if not isinstance(other, Opaque) or other.space != self.space:
            raise CotangentMismatch("AnyDerivative: cotangents of two different closures cannot be added")
        return Opaque(self.space, add(self.payload, other.payload))

    __radd__ = __add__  # only ever reached by a zero on the left, and + commutes

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Zero):
            return _vanishes(self.payload)
        return isinstance(other, Opaque) and self.space == other.space and _same(self.payload, other.payload)

    def __repr__(self) -> str:
        return f"AnyDerivative({self.payload!r})"


def empty_sum(zero: Any) -> Any:
    """A zero, for a sum to begin at to which nothing but cotangents is added.

    >>> empty_sum((ZERO, ZERO))
    (ZERO, ZERO)
    """
    if isinstance(zero, tuple):
        return tuple(map(empty_sum, zero))  # type: ignore[arg-type]
    if isinstance(zero, Opaque):
        return Opaque(zero.space, empty_sum(zero.payload))
    return EmptySum(zero.witness) if isinstance(zero, ZeroLike) else zero


def _vanishes(ct: Any) -> bool:
    if isinstance(ct, (tuple, list)):
        return all(map(_vanishes, ct))  # type: ignore[arg-type]
    if isinstance(ct, Components):
        return all(map(_vanishes, ct.entries.values()))
    return isinstance(ct, Zero) or bool(ct == 0) or bool(ct == ZERO)

def _same(a: Any, b: Any) -> bool:
    """Equality of cotangents, a symbolic zero being equal to the number."""
    if isinstance(a, Zero) or isinstance(b, Zero):
        return _vanishes(b if isinstance(a, Zero) else a)
    if isinstance(a, Components) or isinstance(b, Components):
        size = a.size if isinstance(a, Components) else b.size
        a, b = parts(a, size), parts(b, size)
    if isinstance(a, (tuple, list)) and type(b) is type(a):  # type: ignore[reportUnknownArgumentType]
        return len(a) == len(b) and all(map(_same, a, b))  # type: ignore[arg-type]
    return bool(a == b)


class AnyDerivative(Delta):
    """Delta in its opaque encoding: function cotangents are boxed, tagged with the closure's space, and unboxed by
    the pullback of `curry`. The opaque zero is `ZERO`.

    >>> from ccc.arrows import Id
    >>> from ccc.denotation import functor
    >>> from ccc.categories.reverse import Reverse
    >>> from ccc.objects import REAL
    >>> closure, pullback = functor(Reverse(AnyDerivative()), Curry(Id(Product((REAL, REAL)))))(2.0)
    >>> _, pb = closure.apply(3.0)
    >>> pb((1.0, 10.0)), pullback(pb((1.0, 10.0))[0])
    ((AnyDerivative(1.0), 10.0), 1.0)

    Raises `CotangentMismatch` where a cotangent is not boxed, or boxed for another closure.

    References: *The Differentiable Curry*, "Dependent types? Swift is not dependently-typed…".
    """

    name = "AnyDerivative"

    def pack(self, env: Any, space: Any) -> Any:
        return ZERO if isinstance(env, Zero) else Opaque(space, env)

    def unpack(self, ct: Any, space: Any) -> Any:
        if isinstance(ct, Zero):
            return ZERO
        if not isinstance(ct, Opaque):
            raise CotangentMismatch(f"AnyDerivative: {type(ct).__name__} is not a boxed cotangent of {space}")
        if ct.space != space:
            raise CotangentMismatch(f"AnyDerivative: a cotangent of {ct.space} reached {space}")
        return ct.payload

    def zero(self, env: Any, space: Any) -> Any:
        return Opaque(space, env)

    def supplied(self, function: Lifted) -> tuple[Closure, Callable[[Any], Any]]:
        closure, _ = super().supplied(function)

        def boxing(s: Any) -> tuple[Any, Callable[[Any], Any]]:
            r, pb = closure.apply(s)

            def boxing_pullback(gr: Any) -> Any:
                calls, ct_s = pb(gr)
                return self.pack(calls, function), ct_s

            return r, boxing_pullback

        return Closure((), boxing, function), lambda ct: self.unpack(ct, function)

    def cotangent(self, a: Object, environment: Object | None = None) -> Any:
        """G[a]: opaque at functions."""
        return Static("AnyDerivative") if isinstance(a, Exponential) else _structural(a, self.cotangent)


EXPONENTIALS: dict[str, Any] = {"delta": Delta(), "additive": AdditiveMap(), "any": AnyDerivative()}
"""The exponentials by the words that the command line and all verbs take for them."""


def exponential_of(given: Any) -> Any:
    """The exponential that is meant by a word, its class, or itself; `Delta` by None.

    >>> exponential_of("additive").name, exponential_of(Delta).name, exponential_of(None).name
    ('AdditiveMap', 'Delta', 'Delta')

    Raises `UnknownExponential` for what is neither.
    """
    if given is None or (isinstance(given, str) and given in EXPONENTIALS):
        return EXPONENTIALS[given or "delta"]
    if not all(callable(getattr(given, name, None)) for name in ("curry", "eval")):
        raise UnknownExponential(f"exponential={given!r} is no exponential", "write exponential=ccc.Delta(), or "
                                 f"one of the words {', '.join(map(repr, EXPONENTIALS))}")
    return given() if isinstance(given, type) else given
