"""Cotangents are commutative monoids: proved by induction on the object, in every representation.

    (a + b) + c = a + (b + c)        a + b = b + a        a + 0 = a = 0 + a

A cotangent of a pair is 0, a tuple or a few components; one of a function is a formal sum, a cotangent of what was
captured, or a box of one. With opaque components, of which each may be 0, all sums of three representations are formed
and read back: that is the step of the induction. Its start are numbers, which are a monoid. The quotient of formal sums
is proved on what the pullback of `curry` makes of them:

    {s ↦ 0} = 0        {s ↦ a} + {s ↦ b} = {s ↦ a + b}        {s ↦ a} + {r ↦ b} = {r ↦ b} + {s ↦ a}

>>> from ccc.laws.catalogue import all_checks
>>> from ccc.laws.subjects import standard
>>> print(prove(all_checks()["sum-unit"], standard()[2]).argument)
by induction on the object: 44 sums of all representations at 6 objects

References: *The Differentiable Curry* ("Need a notion of ≅ that respects 0 and +").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from ccc.additive import ZERO, Components, add
from ccc.arrows import Curry, Id
from ccc.categories.exponentials import Closure, FormalSum
from ccc.denotation import functor
from ccc.laws.checks import Check
from ccc.laws.free import Cases, Stuck, Term, every_case
from ccc.laws.normal_forms import Pullbacks, frozen
from ccc.laws.proving import Renaming, opaque, renamed, renamings, symbols_of
from ccc.laws.scalars import RATIONALS
from ccc.laws.subjects import Subject
from ccc.laws.verdicts import Proof
from ccc.laws.without_functions import once
from ccc.objects import UNIT, Exponential, List, Object, Product
from ccc.theory.law import A, B, C, Metavariable, R, S, T, pair

Sums = Callable[..., tuple[Any, Any]]
SUMS: dict[str, tuple[int, Sums]] = {
    "sum-associative": (3, lambda a, b, c: (add(add(a, b), c), add(a, add(b, c)))),
    "sum-commutative": (2, lambda a, b: (add(a, b), add(b, a))),
    "sum-unit": (1, lambda a: ((add(a, ZERO), add(ZERO, a)), (a, a))),
}
OBJECTS: tuple[Object, ...] = (A, UNIT, pair(A, B), Product((A, B, C)), List(A), Exponential(A, B))


def prove(check: Check, subject: Subject) -> Proof | None:
    """The proof that cotangents are commutative monoids, or formal sums a quotient; None where it is not decided."""
    if subject.kind != "pullbacks" or subject.numbers is not RATIONALS or check.section != "cotangents":
        return None
    try:
        if check.name in SUMS:
            return _sums(subject, *SUMS[check.name])
        if check.name == "formal-sums":
            return _quotient(subject)
    except Exception:  # whatever a category raises on symbols
        return None
    return None


def _sums(subject: Subject, size: int, sides: Sums) -> Proof | None:
    symbols, count = symbols_of(subject, Cases(), sparse=False, vanishing=False), 0
    for a in OBJECTS:
        found = once(subject, [Id(a)], ("sums", sides, a), lambda: _count(symbols, a, size, sides))  # noqa: B023
        if not found:
            return None
        count += found
    argument = f"by induction on the object: {count} sums of all representations at {len(OBJECTS)} objects"
    return Proof("strictly", argument)


def _count(symbols: Pullbacks, a: Object, size: int, sides: Sums) -> int:
    """At how many sums both sides are equal; 0 where they are not at one of them."""
    v = [symbols.reflect(("x", i), a.item) for i in range(2)] if isinstance(a, List) else symbols.reflect("x", a)
    count = 0
    for cts in product(*[list(representations(symbols, i, v, a)) for i in range(size)]):
        left, right = sides(*cts)
        both = [(left, right)] if size > 1 else list(zip(left, right, strict=True))
        if any(symbols.atoms(one, v, a) != symbols.atoms(other, v, a) for one, other in both):
            return 0
        count += 1
    return count


def representations(symbols: Pullbacks, label: Term, v: Any, a: Object) -> Iterator[Any]:
    """The cotangents of `v` of this label, with opaque parts or 0 for each, in every representation.

    >>> symbols = Pullbacks(None, Cases(), vanishing=False)
    >>> list(representations(symbols, 0, symbols.reflect("x", A), A))
    [ZERO, γ]
    """
    yield ZERO
    if isinstance(a, Product):
        n = len(a.parts)
        parts = [list(representations(symbols, (label, i), x, a.parts[i])) for i, x in enumerate(v)]
        yield from product(*parts)
        entries = [[None, *(part if n < 3 else part[1:])] for part in parts]  # None: this component is absent
        for chosen in product(*entries):
            yield Components(n, {i: ct for i, ct in enumerate(chosen) if ct is not None})
    elif isinstance(a, List):
        items = [list(representations(symbols, (label, i), x, a.item)) for i, x in enumerate(v)]
        yield from map(list, product(*items))
    elif isinstance(a, Exponential):
        yield symbols.generic(("seed", label), v, a)
        if symbols.formal:
            s = symbols.reflect("s", a.dom)
            yield from (FormalSum(), FormalSum((s, ZERO)))
            yield FormalSum((s, symbols.generic(("seed", label, "s"), v.apply(s)[0], a.cod)))
        elif isinstance(v, Closure):
            yield v.zero(ZERO)
    else:
        yield symbols.generic(("seed", label), v, a)


def _quotient(subject: Subject) -> Proof | None:
    cases, instances = 0, 0
    for renaming in renamings([T, S, R]):
        instances += 1
        for sparse in (False, True):
            for respected in every_case(lambda c: _respected(subject, renaming, c, sparse)):  # noqa: B023
                cases += 1
                if not respected:
                    return None
    return Proof("strictly", f"one normal form in {instances} instances, {cases} cases")


def _respected(subject: Subject, renaming: Renaming, cases: Cases, sparse: bool) -> bool:
    """True where the pullback of `curry f` does not tell equal formal sums apart."""
    symbols = symbols_of(subject, cases, sparse, vanishing=not renaming)
    if not symbols.formal:
        raise Stuck("cotangents of functions are no formal sums")
    term = Curry(Metavariable("f", renamed(pair(T, S), renaming), renamed(R, renaming)))
    x = symbols.reflect("x", term.dom)
    v, pb = functor(opaque(subject.category, symbols, [term]), term)(x)
    s, r = symbols.reflect("s", term.cod.dom), symbols.reflect("r", term.cod.dom)
    named = (("a", s), ("b", s), ("c", r))
    a, b, c = [symbols.generic(("seed", name), v.apply(at)[0], term.cod.cod) for name, at in named]
    equal: list[tuple[Any, Any]] = [
        (FormalSum((s, ZERO)), ZERO),
        (FormalSum(), ZERO),
        (FormalSum((s, a)) + FormalSum((s, b)), FormalSum((s, add(a, b)))),
        (FormalSum((s, a)) + FormalSum((s, a)), FormalSum((s, add(a, a)))),
        (FormalSum((s, a)) + FormalSum((r, c)), FormalSum((r, c)) + FormalSum((s, a))),
    ]
    pulled = [(frozen(symbols.atoms(pb(m), x, term.dom)), frozen(symbols.atoms(pb(n), x, term.dom))) for m, n in equal]
    return all(left == right for left, right in pulled) and all(
        symbols.atoms(m, v, term.cod) == symbols.atoms(n, v, term.cod) for m, n in equal
    )
