"""The axioms of Cartesian differential and of reverse derivative categories, each under its number.

    CD   D[f] : (x, v) |-> dy     1 f + g    2 additive in v    3 id, projections    4 pairs    5 chain rule
                                  6 D[D f](x, v, 0, w) = D f(x, w)    7 D[D f](x, v, u, 0) = D[D f](x, u, v, 0)
    RD   R[f] : (x, w) |-> pb w   1 to 5 the same                     6 R f is linear in w, with D f for its transpose
                                  7 <u, H v> = <v, H u>, H the derivative of R f(x, w) in x

The derivative of a derivative is that of the program which the compiler makes of it, read in the category again.

>>> [check.name for check in AXIOMS][:7]
['cd-1', 'cd-2', 'cd-3', 'cd-4', 'cd-5', 'cd-6', 'cd-7']

References: Blute, Cockett, Seely, *Cartesian Differential Categories* (2009); Cockett, Cruttwell, Gallagher, Lemay,
MacAdam, Plotkin, Pronk, *Reverse Derivative Categories* (2020).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ccc.additive import ZERO, add, parts
from ccc.arrows import Arrow, Id, Prod, Proj, Terminal, compose
from ccc.categories.forward import Forward
from ccc.categories.functions import Functions
from ccc.combinators import primitive
from ccc.compile.terms.abstract import abstract
from ccc.compile.terms.meaning import meaning
from ccc.denotation import functor
from ccc.errors import CannotStage
from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.cotangents import same_cotangent
from ccc.laws.equality import Difference
from ccc.laws.generate import NUMBER, PAIR, Generator
from ccc.laws.pullbacks import inner
from ccc.laws.scalars import EXACT, RATIONALS
from ccc.laws.staging import derivative, program_of
from ccc.laws.subjects import Subject
from ccc.objects import UNIT, Object, Product
from ccc.primitives.arithmetic import add as plus

Derived = Callable[[Any, Any], Any]  # (x, v) |-> D f(x, v) or R f(x, v)


@dataclass(frozen=True, slots=True)
class Three:
    """Two arrows from one object to one, and one after them."""

    f: Arrow
    g: Arrow
    h: Arrow

    def named(self) -> list[tuple[str, Arrow]]:
        """The arrows."""
        return [("f", self.f), ("g", self.g), ("h", self.h)]


def drawn(generator: Generator, i: int) -> Three:
    """Arrows of numbers and pairs.

    >>> from ccc.laws.choices import Replayed
    >>> print(drawn(Generator(Replayed([])), 0).h)
    id
    """
    a, b, c = [generator.pick((NUMBER, PAIR)) for _ in range(3)]
    return Three(generator.arrow(a, b, 3), generator.arrow(a, b, 2), generator.arrow(b, c, 2))


def derived(k: Any, f: Arrow) -> Derived:
    """The derivative of an arrow in a category of derivatives, as a function of a point and what is moved there."""
    image = functor(k, f)
    if isinstance(k, Forward):
        return lambda x, v: image((x, v))[1]
    return lambda x, w: image(x)[1](w)


def again(k: Any, f: Arrow) -> Callable[[Any, Any, Any], Any]:
    """The derivative of the derivative, at ((x, v), d): of a tangent in direction d, of a pullback for cotangent d."""
    try:
        term = abstract(meaning(program_of(f), Forward())) if isinstance(k, Forward) else derivative(f, k.exponential)
    except CannotStage as error:
        raise Discarded from error
    image = functor(k, term)
    if isinstance(k, Forward):
        return lambda x, v, d: parts(image(((x, v), d))[1], 2)[1]
    return lambda x, v, d: parts(image((x, v))[1](d), 2)


class At:
    """What an axiom speaks of: arrows, a point and what is moved there."""

    def __init__(self, comparison: Any, example: Three) -> None:
        self.k, self.comparison = comparison.k, comparison
        self.f, self.g, self.h = example.f, example.g, example.h
        self.forward = isinstance(self.k, Forward)
        self.x = comparison.draw.point(self.f.dom)

    def moved(self, before: Object, after: Object) -> Any:
        """A tangent of the one or a cotangent of the other."""
        return self.comparison.draw.point(before if self.forward else after)

    def d(self, f: Arrow) -> Derived:
        return derived(self.k, f)

    def value(self, f: Arrow) -> Any:
        return functor(Functions(EXACT), f)(self.x)


Facts = list[tuple[str, Any, Any]]


def _sums(at: At) -> Facts:
    f, g = [compose(a, Proj(a.cod, 0)) if isinstance(a.cod, Product) else a for a in (at.f, at.g)]
    v = at.moved(f.dom, NUMBER)
    total = compose(Prod((f, g)), primitive(plus, NUMBER, NUMBER))
    return [("of f + g", at.d(total)(at.x, v), add(at.d(f)(at.x, v), at.d(g)(at.x, v)))]


def _additive(at: At) -> Facts:
    v, w, d = at.moved(at.f.dom, at.f.cod), at.moved(at.f.dom, at.f.cod), at.d(at.f)
    return [("at v + w", d(at.x, add(v, w)), add(d(at.x, v), d(at.x, w))), ("at 0", d(at.x, ZERO), ZERO)]


def _structure(at: At) -> Facts:
    a = Product((at.f.dom, at.f.cod))
    x, v = (at.x, at.value(at.f)), at.comparison.draw.point(at.f.dom)
    w = at.comparison.draw.point(at.f.cod)
    first, second = at.d(Proj(a, 0)), at.d(Proj(a, 1))
    if at.forward:
        return [("of id", at.d(Id(a))(x, (v, w)), (v, w)), ("of proj 0", first(x, (v, w)), v),
                ("of proj 1", second(x, (v, w)), w)]
    return [("of id", at.d(Id(a))(x, (v, w)), (v, w)), ("of proj 0", first(x, v), (v, ZERO)),
            ("of proj 1", second(x, w), (ZERO, w))]


def _pairs(at: At) -> Facts:
    both, none = at.d(Prod((at.f, at.g))), at.d(Terminal(at.f.dom))
    nothing = ("of terminal", none(at.x, at.moved(at.f.dom, UNIT)), ZERO)
    if at.forward:
        v = at.moved(at.f.dom, at.f.cod)
        return [nothing, ("of a pair", both(at.x, v), (at.d(at.f)(at.x, v), at.d(at.g)(at.x, v)))]
    v, w = at.moved(at.f.dom, at.f.cod), at.moved(at.f.dom, at.f.cod)
    return [nothing, ("of a pair", both(at.x, (v, w)), add(at.d(at.f)(at.x, v), at.d(at.g)(at.x, w)))]


def _chain(at: At) -> Facts:
    v, y = at.moved(at.f.dom, at.h.cod), at.value(at.f)
    f, h = at.d(at.f), at.d(at.h)
    expected = h(y, f(at.x, v)) if at.forward else f(at.x, h(y, v))
    return [("of f ; h", at.d(compose(at.f, at.h))(at.x, v), expected)]


def _linear(at: At) -> Facts:
    second, draw, a, b = again(at.k, at.f), at.comparison.draw.point, at.f.dom, at.f.cod
    v, w = draw(a), draw(a)
    if at.forward:
        return [("of D f in v", second(at.x, v, (ZERO, w)), at.d(at.f)(at.x, w))]
    ct, other = draw(b), draw(b)
    return [("of R f in w", inner(second(at.x, ct, v)[1], other), inner(at.d(at.f)(at.x, other), v))]


def _symmetric(at: At) -> Facts:
    second, draw, a, b = again(at.k, at.f), at.comparison.draw.point, at.f.dom, at.f.cod
    u, v = draw(a), draw(a)
    if at.forward:
        return [("of D D f", second(at.x, v, (u, ZERO)), second(at.x, u, (v, ZERO)))]
    ct = draw(b)
    return [("of R R f", inner(second(at.x, ct, v)[0], u), inner(second(at.x, ct, u)[0], v))]


AXIOMS_OF: tuple[tuple[Callable[[At], Facts], str, str], ...] = (
    (_sums, "D[f + g] = D[f] + D[g]", "R[f + g] = R[f] + R[g]"),
    (_additive, "D f(x, v + w) = D f(x, v) + D f(x, w), D f(x, 0) = 0", "R f(x, v + w) = R f(x, v) + R f(x, w)"),
    (_structure, "D[id](x, v) = v, D[proj i](x, v) = proj i v", "R[id](x, w) = w, R[proj 0](x, w) = (w, 0)"),
    (_pairs, "D[prod(f, g)] = prod(D f, D g)", "R[prod(f, g)](x, (v, w)) = R f(x, v) + R g(x, w)"),
    (_chain, "D[f ; h](x, v) = D h(f x, D f(x, v))", "R[f ; h](x, w) = R f(x, R h(f x, w))"),
    (_linear, "D[D f](x, v, 0, w) = D f(x, w)", "R f is linear in w: <R[R f](x, a, v)_1, b> = <v, R f(x, b)>"),
    (_symmetric, "D[D f](x, v, u, 0) = D[D f](x, u, v, 0)", "<u, R[R f](x, w, v)_0> = <v, R[R f](x, w, u)_0>"),
)


def _axiom(number: int, forward: bool) -> Check:
    facts, *statements = AXIOMS_OF[number - 1]

    def judge(comparison: Any, example: Three) -> Judged:
        at = At(comparison, example)
        wrong = next((fact for fact in facts(at) if not _same(*fact[1:])), None)
        return Judged(None if wrong is None else Difference(f"derivatives {wrong[0]} differ", at.x, None, *wrong[1:]))

    def applies(subject: Subject) -> bool:
        kind = "tangents" if forward else "pullbacks"
        return subject.kind == kind and subject.known and subject.numbers is RATIONALS

    name, section = ("cd", "differential axioms") if forward else ("rd", "reverse axioms")
    return Check(f"{name}-{number}", section, statements[0 if forward else 1], drawn, judge, applies=applies,
                 share=0.5, weight=2.0 if number > 5 else 1.0)


def _same(left: Any, right: Any) -> bool:
    return left == right if isinstance(left, int) or isinstance(right, int) else same_cotangent(left, right)


AXIOMS: tuple[Check, ...] = tuple([_axiom(number, forward) for forward in (True, False) for number in range(1, 8)])
