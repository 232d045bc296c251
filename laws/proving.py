"""Proof of laws by normal forms: both sides at opaque arrows, run by the category itself on symbols, compared.

The arrows of a law become opaque: of `f : A => B` nothing is known but its type, its pullback is additive and may
vanish anywhere. The combinators of the category then run as they are, and both sides are read back
(`ccc.laws.normal_forms`). What is decided:

    Theorem. Let a law be made of id, composition, terminal, products, curry, eval, constants and cond, and of loops
    over lists of known length. If in every case (which truth values hold, which cotangents vanish) both sides have one
    normal form, then the law holds in the category for all arrows with additive pullbacks, at all objects.

The free cartesian closed category on the opaque arrows has βη-long normal forms, and its pullbacks are sums of atoms in
a free commutative monoid; both decide equality there, and every instance is an image of it. The theorem supposes

    of the category      that its combinators treat objects alike. A point refuses what would tell it from another, and
                         the law is decided again with each of its objects replaced by 1, by a pair and by a function
                         object, and with cotangents of products as tuples and as those of a few components
    of cotangents        that they are commutative monoids, which floats are not
    of primitives        that their pullbacks are additive

Those are laws of their own. Not decided, and so tested only: loops over lists of any length, loops and recursion that
run while they have fuel, laws with more than `ccc.laws.free.QUESTIONS` open questions, categories and exponentials of
which it is not known what an opaque arrow or closure of theirs is.

Where the two sides differ strictly but no context can tell, functions are observed by applying them (`uncurry`) to a
generic argument, in a world that is generic: this is ≅, and the strict difference is the counterexample.

>>> from ccc.theory.functions import CURRY_BETA, CURRY_ETA
>>> from ccc.laws.subjects import standard
>>> for subject in standard()[:3]:
...     print(subject.name, "|", proof(CURRY_BETA, subject).extent, "|", proof(CURRY_ETA, subject).extent)
Functions | strictly | strictly
Reverse(AdditiveMap) | strictly | strictly
Reverse(Delta) | strictly | up to ≅

References: *The Differentiable Curry* ("Need a notion of ≅ that respects 0 and +"); Ulrich Berger and Helmut
Schwichtenberg, *An inverse of the evaluation functional for typed λ-calculus* (1991).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ccc.arrows import (
    Arrow,
    Chain,
    Cond,
    Const,
    Curry,
    Eval,
    Id,
    Iterate,
    Prim,
    Prod,
    Proj,
    Scan,
    Terminal,
    Unfold,
    compose,
    postorder,
)
from ccc.categories.forward import Forward
from ccc.categories.functions import Functions, arguments
from ccc.categories.reverse import Reverse
from ccc.combinators import uncurry
from ccc.denotation import functor
from ccc.laws.checks import Check
from ccc.laws.free import Cases, Stuck, every_case, prepared, written_term
from ccc.laws.generate import inside, is_first_order
from ccc.laws.normal_forms import Pullbacks, Tangents, Values
from ccc.laws.scalars import RATIONALS
from ccc.laws.subjects import Subject
from ccc.laws.verdicts import Counterexample, Part, Proof
from ccc.laws.without_functions import once
from ccc.objects import UNIT, Bool, Exponential, Object, Product, Real
from ccc.primitives.structure import listing
from ccc.theory import LAWS, Law
from ccc.theory.law import Metavariable, Sides, Variable

FRAGMENT = (Id, Chain, Terminal, Prod, Proj, Curry, Eval, Const, Prim, Cond, Metavariable, Scan, Iterate, Unfold)
LOOPS = (Scan, Iterate, Unfold)
Renaming = dict[Variable, Object]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Where two sides have different normal forms."""

    what: str
    left: str
    right: str
    sides: Sides

    def __str__(self) -> str:
        return f"{self.what} differ at x: {self.left} and {self.right}"


def prove(check: Check, subject: Subject) -> Proof | None:
    """The proof of a check that is a law of the theory; None where it is not decided, or not so.

    >>> from ccc.laws.catalogue import all_checks
    >>> from ccc.laws.subjects import standard
    >>> print(prove(all_checks()["prod-left"], standard()[2]).argument)
    one normal form in 10 instances, 16 cases, products of 2
    """
    law = LAWS.get(check.name)
    return proof(law, subject) if law is not None and law.statement == check.statement else None


def proof(law: Law, subject: Subject) -> Proof | None:
    """The proof of a law in a category, strictly or up to ≅; None where neither is decided."""
    if not in_fragment(law) or subject.numbers is not RATIONALS:
        return None
    strict = decided(law, subject)
    if isinstance(strict, str):
        return Proof("strictly", strict)
    if strict is None:
        return None
    weak = decided(law, subject, observed=True)
    if not isinstance(weak, str):
        return None
    left, right = strict.sides
    parts = [Part(name, f"any arrow {dom} ⇒ {cod}", "") for name, dom, cod in law.arrows]
    parts += [Part("left", str(left), ""), Part("right", str(right), "")]
    return Proof("up to ≅", weak, Counterexample(tuple(parts), str(strict), "it holds of no opaque arrows"))


def in_fragment(law: Law) -> bool:
    """True where normal forms may decide: no recursion, and no loop that runs as long as fuel lasts.

    >>> from ccc.theory.control import FIX_UNROLL, FOLD_CONS, ITERATE_UNROLL
    >>> in_fragment(FOLD_CONS), in_fragment(ITERATE_UNROLL), in_fragment(FIX_UNROLL)
    (True, False, False)
    """
    nodes = [node for side in law.pattern() for node in postorder(side)]
    if not all(isinstance(node, FRAGMENT) for node in nodes):
        return False
    fuelled = any(isinstance(a, Bool) for _, dom, cod in law.arrows for a in (*inside(dom), *inside(cod)))
    return not (fuelled and any(isinstance(node, LOOPS) for node in nodes))


def decided(law: Law, subject: Subject, observed: bool = False) -> str | Mismatch | None:
    """How it is seen that a law holds, or where it does not; None where normal forms do not decide it."""
    instances, cases = 0, 0
    objects = [a for _, dom, cod in law.arrows for a in (dom, cod)] + [a for _, a in law.constants]
    for renaming in renamings(objects):
        instances += 1
        for sparse in (False, True):
            try:
                count, found, represented = once(
                    subject, sides_at(law, renaming), (law.name, tuple(renaming.items()), sparse, observed),
                    lambda: in_cases(law, subject, renaming, sparse, observed),  # noqa: B023
                )
            except (Stuck, NotImplementedError):
                return None
            except Exception as error:  # whatever a category raises on symbols
                return Mismatch(f"{type(error).__name__}: {error};", "an error", "a value", law.pattern())
            cases += count
            if found is not None:
                return found
            if not represented:  # so there is nothing to represent in another way
                break
    return f"one normal form in {instances} instances, {cases} cases{arity(law)}"


def in_cases(
    law: Law, subject: Subject, renaming: Renaming, sparse: bool, observed: bool
) -> tuple[int, Mismatch | None, bool]:
    """In how many cases the sides were compared, where they differ, and whether cotangents of products were made."""
    count, represented = 0, False
    ready = prepared(lambda cases: sides_in(law, subject, renaming, cases, sparse, observed))

    def one(cases: Cases) -> tuple[Mismatch | None, bool]:
        symbols, pairs, sides = ready(cases)
        return compared(symbols, pairs, sides), symbols.represented

    for found, made in every_case(one):
        count, represented = count + 1, represented or made
        if found is not None:
            break
    else:
        found = None
    return count, found, represented


def arrows_at(law: Law, renaming: Renaming) -> list[Arrow]:
    """The arrows of a law, opaque."""
    return [Metavariable(name, renamed(dom, renaming), renamed(cod, renaming)) for name, dom, cod in law.arrows]


def sides_at(law: Law, renaming: Renaming) -> Sides:
    """The sides of a law at opaque arrows and constants."""
    constants = [Const(UNIT, name, renamed(a, renaming)) for name, a in law.constants]
    return law.sides(*arrows_at(law, renaming), *constants)


def arity(law: Law) -> str:
    """How wide the products are that a law writes: its proof says nothing of wider ones.

    >>> from ccc.theory.products import ID_LEFT, PROD_MIDDLE
    >>> arity(PROD_MIDDLE), arity(ID_LEFT)
    (', products of 3', '')
    """
    nodes = [node for side in law.pattern() for node in postorder(side)]
    widths = {len(node.arrows) for node in nodes if isinstance(node, Prod)}
    widths |= {len(a.parts) for node in nodes for whole in (node.dom, node.cod) for a in inside(whole)
               if isinstance(a, Product) and a.parts}
    return f", products of {' and '.join(map(str, sorted(widths)))}" if widths else ""


def renamings(objects: Iterable[Object]) -> Iterator[Renaming]:
    """The variables in these objects: all opaque, and then one after another 1, a pair, a function object.

    >>> from ccc.theory.law import X
    >>> [", ".join(f"{v} = {a}" for v, a in renaming.items()) for renaming in renamings([X])]
    ['', 'X = 1', 'X = (X1, X2)', 'X = X1 => X2']
    """
    yield {}
    variables = {a: None for whole in objects for a in inside(whole) if isinstance(a, Variable)}
    for v in variables:
        first, second = Variable(f"{v}1", v.first_order), Variable(f"{v}2", v.first_order)
        yield {v: UNIT}
        yield {v: Product((first, second))}
        if not v.first_order:
            yield {v: Exponential(first, second)}


def renamed(a: Object, renaming: Renaming) -> Object:
    """An object with other objects for its variables."""
    if isinstance(a, Variable):
        return renaming.get(a, a)
    if isinstance(a, Product):
        return Product(tuple([renamed(part, renaming) for part in a.parts]))
    return Exponential(renamed(a.dom, renaming), renamed(a.cod, renaming)) if isinstance(a, Exponential) else a


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sides as arrows of the category, between two objects."""

    left: Any
    right: Any
    dom: Object
    cod: Object


def sides_in(
    law: Law, subject: Subject, renaming: Renaming, cases: Cases, sparse: bool, observed: bool
) -> tuple[Any, list[Pair], Sides]:
    """The symbols, what is compared, as the category reads it, and the sides that it is of."""
    symbols = symbols_of(subject, cases, sparse, vanishing=not renaming)
    arrows = arrows_at(law, renaming)
    constants = [(name, renamed(a, renaming)) for name, a in law.constants]
    sides = law.sides(*arrows, *[Const(UNIT, symbols.reflect(name, a), a) for name, a in constants])
    pairs = pairs_of(*sides) if observed else [sides]
    k = opaque(subject.category, symbols, [side for pair in pairs for side in pair])
    return symbols, [Pair(functor(k, f), functor(k, g), f.dom, f.cod) for f, g in pairs], sides


def compared(symbols: Any, pairs: Iterable[Pair], sides: Sides) -> Mismatch | None:
    """Where the sides differ in one case."""
    for pair in pairs:
        images = [symbols.images(f, pair.dom, pair.cod) for f in (pair.left, pair.right)]
        for (what, one), (_, other) in zip(*images, strict=True):
            if one != other:
                return Mismatch(what, written_term(one), written_term(other), sides)
    return None


def pairs_of(f: Arrow, g: Arrow, depth: int = 0) -> list[Sides]:
    """What is observed of two sides: functions applied to generic arguments, in a generic world."""
    if not is_first_order(f.dom):
        world = Metavariable(f"world {depth}", Variable(f"W{depth}"), f.dom)
        f, g = compose(world, f), compose(world, g)
    if is_first_order(f.cod):
        return [(f, g)]
    if isinstance(f.cod, Product):
        components = [Proj(f.cod, i) for i in range(len(f.cod.parts))]
        return [pair for p in components for pair in pairs_of(compose(f, p), compose(g, p), depth + 1)]
    return pairs_of(uncurry(f), uncurry(g), depth + 1)


def symbols_of(subject: Subject, cases: Cases, sparse: bool, vanishing: bool = True) -> Any:
    """Symbols for what the arrows of a category are.

    Raises `Stuck` where that is not known.
    """
    k = subject.category
    if subject.point is None and subject.same is None:
        if isinstance(k, Functions) and subject.kind == "values":
            return Values(cases)
        if isinstance(k, Reverse) and subject.kind == "pullbacks":
            return Pullbacks(k.exponential, cases, sparse, vanishing)
        if isinstance(k, Forward) and subject.kind == "tangents":
            return Tangents(cases, sparse, vanishing)
    raise Stuck(f"what an opaque arrow of {subject.name} is, is not known")


def opaque(k: Any, symbols: Any, arrows: Iterable[Arrow]) -> Any:
    """The category with arrows for metavariables, its primitives on numbers applied to symbols."""
    types = {node.name: node for f in arrows for node in postorder(f) if isinstance(node, Metavariable)}
    category = copy.copy(k)
    interpreted: Callable[[Prim], Any] = category.primitive
    category.metavariable = lambda name: symbols.arrow(name, types[name].dom, types[name].cod)
    category.primitive = lambda term: interpreted(_opaque_primitive(term, symbols))
    return category


def _list_of(dxs: tuple[Any, ...], y: Any, *xs: Any) -> list[Any]:
    return list(dxs)


def _opaque_primitive(term: Prim, symbols: Any) -> Prim:
    """A primitive that gives a number, as an opaque one whose pullback and differential are linear."""
    p, dom = term.primitive, term.dom
    if p is listing:  # what its derivatives ask of numbers is nothing that they answer here
        return replace(term, primitive=replace(p, pullback=lambda ct, y, *xs: tuple(ct), differential=_list_of))
    if isinstance(term.cod, Bool):
        return term
    if not isinstance(term.cod, Real):
        raise Stuck(f"what `{p.name}` does to {dom} is not known")

    def named(xs: tuple[Any, ...]) -> tuple[Any, ...]:
        return ("of", p.name, symbols.reify(xs if isinstance(dom, Product) else xs[0], dom))

    def value(*xs: Any, **params: Any) -> Any:
        return symbols.reflect(named(xs), term.cod)

    def pullback(ct: Any, y: Any, *xs: Any, **params: Any) -> tuple[Any, ...]:
        atoms = symbols.atoms(ct, y, term.cod)
        parts = zip(xs, arguments(dom.parts if isinstance(dom, Product) else dom, dom), strict=True)
        return tuple([symbols.spread(atoms, ("pulled", (*named(xs), i)), x, a) for i, (x, a) in enumerate(parts)])

    def differential(dxs: tuple[Any, ...], y: Any, *xs: Any, **params: Any) -> Any:
        whole = isinstance(dom, Product)
        atoms = symbols.atoms(dxs if whole else dxs[0], xs if whole else xs[0], dom)
        return symbols.spread(atoms, ("pushed", named(xs)), y, term.cod)

    return replace(term, primitive=replace(p, value=value, pullback=pullback, differential=differential))
