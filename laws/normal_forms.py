"""Normalisation by evaluation: what a category computes on symbols, read back as η-long normal forms.

`reflect` makes a value of an object from a name: tuples at products, closures at exponentials, points elsewhere.
`reify` reads a value back: a closure is applied to a bound point and pulled back from a generic cotangent. Two values
of the free cartesian closed category are equal exactly where what is read back is. Linear maps are kept by what they
do to atoms:

    pb (n a + m b) = n pb a + m pb b        pb 0 = 0        pb (a, b) = pb (a, 0) + pb (0, b)

so a cotangent is read back as a sum of atoms in the free commutative monoid. Any atom of a pullback may vanish: which
ones do is a case. What a closure owes depends on the exponential: a formal sum of calls, or a cotangent of what was
captured.

>>> from ccc.objects import Exponential, Product
>>> from ccc.theory.law import A, B
>>> values = Values(Cases())
>>> values.reify(values.reflect("h", Exponential(A, B)), Exponential(A, B))
('function', ('tuple', ('app', 'h', ('index', 1))))

References: Ulrich Berger and Helmut Schwichtenberg, *An inverse of the evaluation functional for typed λ-calculus*
(1991).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from ccc.additive import ZERO, Components, Zero, add, dense, parts
from ccc.categories.exponentials import AdditiveMap, AnyDerivative, Closure, Delta, FormalSum
from ccc.categories.forward import TangentClosure
from ccc.errors import CotangentMismatch
from ccc.laws.free import Cases, Form, Point, Stuck, Term, Truth, closed
from ccc.objects import Bool, Exponential, List, Object, Product
from ccc.theory.law import Variable

Atoms = dict[Term, int]


@dataclass(frozen=True, slots=True)
class Site:
    """The cotangent space of an opaque closure."""

    term: Hashable


class Values:
    """Values and functions between them: arrows `x |-> y`.

    `represented` says whether a cotangent of a product was made, of which there are two kinds.
    """

    represented = False

    def __init__(self, cases: Cases) -> None:
        self.cases = cases

    def reflect(self, term: Term, a: Object) -> Any:
        """The value of this name."""
        if type(a) is Variable:
            return Point(term)
        if isinstance(a, Product):
            return tuple([self.reflect(("at", i, term), part) for i, part in enumerate(a.parts)])
        if isinstance(a, Bool):
            return Truth(term, self.cases)
        return self.function(term, a) if isinstance(a, Exponential) else Point(term)

    def reify(self, v: Any, a: Object) -> Term:
        """The normal form of a value.

        Raises `Stuck` where it is no value of the object.
        """
        if type(a) is Variable and type(v) is Point:
            return v.term
        if isinstance(a, Product):
            if type(v) is not tuple or len(v) != len(a.parts):  # type: ignore[reportUnknownArgumentType]
                raise Stuck(f"{type(v).__name__} is no value of {a}")
            return ("tuple", *[self.reify(x, part) for x, part in zip(v, a.parts, strict=True)])  # type: ignore[reportUnknownArgumentType]
        if isinstance(a, Bool):
            return bool(v)
        if isinstance(a, List):
            return ("list", *[self.reify(x, a.item) for x in v])
        if isinstance(a, Exponential):
            level = self.cases.level
            self.cases.level += 1
            try:
                return closed(("tuple", *self.abstraction(v, a, level)), level)
            finally:
                self.cases.level = level
        return leaf(v)

    def function(self, term: Term, a: Exponential) -> Any:
        """The opaque function of this name."""
        return lambda s: self.reflect(("app", term, self.reify(s, a.dom)), a.cod)

    def abstraction(self, v: Any, a: Exponential, level: int) -> tuple[Term, ...]:
        """What a function does to a bound point."""
        return (self.reify(v(self.reflect(("bound", level), a.dom)), a.cod),)

    def arrow(self, name: str, dom: Object, cod: Object) -> Any:
        """The opaque arrow of this name."""
        return lambda x: self.reflect(("of", name, self.reify(x, dom)), cod)

    def images(self, f: Any, dom: Object, cod: Object) -> list[tuple[str, Term]]:
        """What an arrow does to the generic point of its domain."""
        return [("values", self.reify(f(self.reflect("x", dom)), cod))]


class Linear(Values):
    """What pullbacks and tangents share: sums of atoms, read off a cotangent of a value and spread over one.

    `sparse` is how cotangents of products are represented: as those of a few components, or as tuples. `vanishing` says
    whether linear maps may give 0."""

    exponential: Any = Delta()

    def __init__(self, cases: Cases, sparse: bool = False, vanishing: bool = True) -> None:
        super().__init__(cases)
        self.sparse = sparse
        self.vanishing = vanishing

    def atoms(self, ct: Any, v: Any, a: Object | None) -> Atoms:
        """The normal form of a cotangent of `v`.

        Raises `CotangentMismatch` where it is a cotangent of something else.
        """
        if type(v) is Point and type(ct) is Form and ct.space == v.term:
            return ct.atoms
        ct = dense(ct)
        if isinstance(ct, Zero) or isinstance(v, (bool, Truth)):
            return {}
        if isinstance(v, tuple):
            items = a.parts if isinstance(a, Product) else [None] * len(v)  # type: ignore[reportUnknownArgumentType]
            found = [self.atoms(c, x, b) for c, x, b in zip(parts(ct, len(v)), v, items, strict=True)]  # type: ignore[reportUnknownArgumentType]
            return _tagged(found)
        if isinstance(v, list):
            if not isinstance(ct, list) or len(ct) != len(v):  # type: ignore[reportUnknownArgumentType]
                raise CotangentMismatch("this is no cotangent of a list")
            item = a.item if isinstance(a, List) else None
            return _tagged([self.atoms(c, x, item) for c, x in zip(ct, v, strict=True)])  # type: ignore[reportUnknownArgumentType]
        if isinstance(v, (Closure, TangentClosure)):
            return self.of_function(ct, v, a)
        if not isinstance(ct, Form) or ct.space != leaf(v):
            raise CotangentMismatch(f"{ct!r} is no cotangent of {v!r}")
        return ct.atoms

    def of_function(self, ct: Any, v: Any, a: Object | None) -> Atoms:
        """The normal form of a cotangent of a function: that of what it captured."""
        return self.atoms(self.exponential.unpack(ct, getattr(v, "space", None)), v.environment, None)

    def spread(self, atoms: Atoms, label: Term, v: Any, a: Object | None, path: tuple[int, ...] = ()) -> Any:
        """The cotangent of `v` that the linear map of this label makes of these atoms; any part of it may vanish."""
        if not atoms:
            return ZERO
        if type(v) is Point:
            made: Atoms = {("linear", label, path, atom): n for atom, n in atoms.items()}
            left = {x: n for x, n in made.items() if not self.cases.decide(("vanishes", x))} if self.vanishing else made
            return Form(v.term, left) if left else ZERO
        if isinstance(v, (bool, Truth)):
            return ZERO
        if isinstance(v, (tuple, list)):
            item = a.item if isinstance(a, List) else None
            items = a.parts if isinstance(a, Product) else [item] * len(v)  # type: ignore[reportUnknownArgumentType]
            found = [self.spread(atoms, label, x, b, (*path, i)) for i, (x, b) in enumerate(zip(v, items, strict=True))]  # type: ignore[reportUnknownArgumentType]
            if isinstance(v, list):
                return found
            self.represented = True
            if self.sparse:
                entries = {i: ct for i, ct in enumerate(found) if not isinstance(ct, Zero)}
                return Components(len(found), entries) if entries else ZERO
            return tuple(found)
        if isinstance(v, (Closure, TangentClosure)):
            return self.spread_function(atoms, label, v, a, path)
        return self.spread(atoms, label, Point(leaf(v)), a, path)

    def spread_function(self, atoms: Atoms, label: Term, v: Any, a: Object | None, path: tuple[int, ...]) -> Any:
        """The cotangent of a function: of what it captured."""
        ct = self.spread(atoms, label, v.environment, None, path)
        return ZERO if isinstance(ct, Zero) else self.exponential.pack(ct, getattr(v, "space", None))

    def generic(self, label: Term, v: Any, a: Object | None) -> Any:
        """Any cotangent of `v`."""
        return self.spread({(): 1}, label, v, a)

    def spaces(self, v: Any) -> Term:
        """The cotangent space of a value, where it depends on the value."""
        if isinstance(v, (tuple, list)):
            return tuple(map(self.spaces, v))  # type: ignore[reportUnknownArgumentType]
        if isinstance(v, (Closure, TangentClosure)):
            inside = self.spaces(v.environment)
            tagged = type(self.exponential).pack is not Delta.pack
            return ("in", v.space, inside) if tagged and isinstance(v, Closure) else inside
        return () if isinstance(v, (bool, Truth)) else ("G", leaf(v))


class Pullbacks(Linear):
    """Values with pullbacks: arrows `x |-> (y, pullback)`, with an exponential of formal sums or of environments.

    Raises `Stuck` for functions under another exponential.
    """

    def __init__(self, exponential: Any, cases: Cases, sparse: bool = False, vanishing: bool = True) -> None:
        super().__init__(cases, sparse, vanishing)
        self.exponential = exponential
        self.formal = isinstance(exponential, AdditiveMap)
        self.known = self.formal or getattr(type(exponential), "unpack", None) in (Delta.unpack, AnyDerivative.unpack)

    def function(self, term: Term, a: Exponential) -> Closure:
        if not self.known:
            raise Stuck(f"what a cotangent of {a} is under {type(self.exponential).__name__} is not known")
        env, site = Point(("environment", term)), Site(term)

        def apply(s: Any) -> tuple[Any, Callable[[Any], Any]]:
            called = ("app", term, self.reify(s, a.dom))
            r = self.reflect(called, a.cod)

            def pullback(ct: Any) -> Any:
                atoms = self.atoms(ct, r, a.cod)
                argument = self.spread(atoms, ("argument", called), s, a.dom)
                if self.formal:
                    return argument
                return self.exponential.pack(self.spread(atoms, ("captured", called), env, None), site), argument

            return r, pullback

        if self.formal:
            return Closure(env, apply, site)
        return Closure(env, apply, site, lambda zero: self.exponential.zero(zero, site))

    def abstraction(self, v: Any, a: Exponential, level: int) -> tuple[Term, ...]:
        if not isinstance(v, Closure):
            raise Stuck(f"{type(v).__name__} is no closure")
        s = self.reflect(("bound", level), a.dom)
        r, pb = v.apply(s)
        ct = pb(self.generic(("seed", ("bound", level)), r, a.cod))
        value = self.reify(r, a.cod)
        if self.formal:
            return value, frozen(self.atoms(ct, s, a.dom))
        captured, argument = parts(ct, 2)
        return value, frozen(self.atoms(argument, s, a.dom)), frozen(self.of_function(captured, v, a)), self.spaces(v)

    def of_function(self, ct: Any, v: Any, a: Object | None) -> Atoms:
        if not self.formal:
            return super().of_function(ct, v, a)
        if isinstance(ct, Zero):
            return {}
        if not isinstance(ct, FormalSum) or not isinstance(a, Exponential):
            raise CotangentMismatch(f"{ct!r} is no formal sum")
        found: Atoms = {}
        for entry in ct.terms():
            if type(entry) is not tuple:
                raise Stuck("a formal sum is folded later")
            s, weight = entry  # type: ignore[reportUnknownVariableType]
            key = self.reify(s, a.dom)
            for atom, n in self.atoms(weight, v.apply(s)[0], a.cod).items():
                found[("call", key, atom)] = found.get(("call", key, atom), 0) + n
        return found

    def spread_function(self, atoms: Atoms, label: Term, v: Any, a: Object | None, path: tuple[int, ...]) -> Any:
        if not self.formal:
            return super().spread_function(atoms, label, v, a, path)
        assert isinstance(a, Exponential)
        result: Any = ZERO
        for atom, n in atoms.items():
            for i in (0, 1, 0) * n:  # three calls of which two are the same
                s = self.reflect(("key", i, label, path, atom), a.dom)
                weight = self.generic(("weight", i, label, path, atom), v.apply(s)[0], a.cod)
                if not isinstance(weight, Zero):
                    result = add(result, FormalSum((s, weight)))
        return result

    def arrow(self, name: str, dom: Object, cod: Object) -> Any:
        def lifted(x: Any) -> tuple[Any, Callable[[Any], Any]]:
            term = ("of", name, self.reify(x, dom))
            y = self.reflect(term, cod)
            return y, lambda ct: self.spread(self.atoms(ct, y, cod), ("pulled", term), x, dom)

        return lifted

    def images(self, f: Any, dom: Object, cod: Object) -> list[tuple[str, Term]]:
        x = self.reflect("x", dom)
        y, pb = f(x)
        seed = self.generic(("seed",), y, cod)
        first, zero, again = pb(seed), pb(ZERO), pb(seed)
        return [
            ("values", self.reify(y, cod)),
            ("pullbacks", frozen(self.atoms(first, x, dom))),
            ("pullbacks of 0", frozen(self.atoms(zero, x, dom))),
            ("pullbacks called again", frozen(self.atoms(again, x, dom))),
        ]

    def sums(self, f: Any, dom: Object, cod: Object) -> list[tuple[Term, Term]]:
        """The pullback of a sum and the sum of the pullbacks; the pullback of 0 and 0."""
        x = self.reflect("x", dom)
        y, pb = f(x)
        a, b = [self.generic(("seed", name), y, cod) for name in ("a", "b")]
        whole, apart = pb(add(a, b)), add(pb(a), pb(b))
        return [
            (frozen(self.atoms(whole, x, dom)), frozen(self.atoms(apart, x, dom))),
            (frozen(self.atoms(pb(ZERO), x, dom)), frozen({})),
        ]


class Tangents(Linear):
    """Values with tangents: arrows `(x, dx) |-> (y, dy)`; a tangent of a function is one of what it captured."""

    def function(self, term: Term, a: Exponential) -> TangentClosure:
        env = Point(("environment", term))

        def apply(denv: Any, dual: tuple[Any, Any]) -> tuple[Any, Any]:
            s, ds = dual
            called = ("app", term, self.reify(s, a.dom))
            r = self.reflect(called, a.cod)
            atoms = _tagged([self.atoms(denv, env, None), self.atoms(ds, s, a.dom)])
            return r, self.spread(atoms, ("pushed", called), r, a.cod)

        return TangentClosure(env, apply)

    def abstraction(self, v: Any, a: Exponential, level: int) -> tuple[Term, ...]:
        if not isinstance(v, TangentClosure):
            raise Stuck(f"{type(v).__name__} is no closure")
        s = self.reflect(("bound", level), a.dom)
        denv = self.generic(("seed", ("bound", level), 0), v.environment, None)
        ds = self.generic(("seed", ("bound", level), 1), s, a.dom)
        r, dr = v.apply(denv, (s, ds))
        return self.reify(r, a.cod), frozen(self.atoms(dr, r, a.cod)), self.spaces(v)

    def arrow(self, name: str, dom: Object, cod: Object) -> Any:
        def pushed(dual: tuple[Any, Any]) -> tuple[Any, Any]:
            x, dx = dual
            term = ("of", name, self.reify(x, dom))
            y = self.reflect(term, cod)
            return y, self.spread(self.atoms(dx, x, dom), ("pushed", term), y, cod)

        return pushed

    def images(self, f: Any, dom: Object, cod: Object) -> list[tuple[str, Term]]:
        x = self.reflect("x", dom)
        (y, dy), (_, none) = f((x, self.generic(("seed",), x, dom))), f((x, ZERO))
        return [
            ("values", self.reify(y, cod)),
            ("tangents", frozen(self.atoms(dy, y, cod))),
            ("tangents of 0", frozen(self.atoms(none, y, cod))),
        ]

    def sums(self, f: Any, dom: Object, cod: Object) -> list[tuple[Term, Term]]:
        """The tangent at a sum and the sum of the tangents; the tangent at 0 and 0."""
        x = self.reflect("x", dom)
        a, b = [self.generic(("seed", name), x, dom) for name in ("a", "b")]
        (y, whole), (_, first), (_, second), (_, none) = [f((x, dx)) for dx in (add(a, b), a, b, ZERO)]
        return [
            (frozen(self.atoms(whole, y, cod)), frozen(self.atoms(add(first, second), y, cod))),
            (frozen(self.atoms(none, y, cod)), frozen({})),
        ]


def leaf(v: Any) -> Term:
    """The name of a value that has no parts.

    >>> leaf(Point("x")), leaf(2)
    ('x', ('int', '2'))
    """
    if isinstance(v, Point):
        return v.term
    if isinstance(v, (tuple, list)) or callable(v):
        raise Stuck(f"{type(v).__name__} is a value with parts")
    return (type(v).__name__, repr(v))


def frozen(atoms: Atoms) -> Term:
    """A sum of atoms as a term."""
    return frozenset(atoms.items())


def _tagged(found: list[Atoms]) -> Atoms:
    return {("at", i, atom): n for i, atoms in enumerate(found) for atom, n in atoms.items()}
