"""Strategies for hypothesis: objects, typed arrows, λ-terms and points, which shrink to the smallest.

>>> from random import Random
>>> from hypothesis import find
>>> from ccc.objects import Exponential
>>> find(objects(), lambda a: isinstance(a, Exponential))
Exponential(Real('fraction'), Real('fraction'))
>>> from ccc.laws.generate import PAIR
>>> print(find(arrows(PAIR, NUMBER), lambda f: True))
proj_left
>>> from ccc.laws.lambda_terms import expression
>>> print(expression(find(terms(), lambda term: "+" in expression(term), random=Random(0))))
x + x

Where the package is installed, `st.from_type(Arrow)` draws any arrow: see `ccc.laws.hooks`.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ccc.arrows import Arrow
from ccc.laws.choices import Asked
from ccc.laws.generate import EVERYTHING, FIRST_ORDER, HIGHER_ORDER, NUMBER, Generator
from ccc.laws.lambda_terms import Context, Term, TermGenerator
from ccc.objects import Object


def _generator(draw: Any, features: frozenset[str] = EVERYTHING) -> Generator:
    return Generator(Asked(lambda n: draw(st.integers(0, n - 1))), features)


@st.composite
def generators(draw: Any) -> Generator:
    """Generators whose every choice is hypothesis'."""
    return _generator(draw)


def objects(*, order: int = 1) -> st.SearchStrategy[Object]:
    """Objects; those of order 0 hold no functions."""
    return st.sampled_from(FIRST_ORDER if order == 0 else FIRST_ORDER + HIGHER_ORDER)


@st.composite
def arrows(
    draw: Any, dom: Object | None = None, cod: Object | None = None, *, depth: int = 3,
    features: frozenset[str] = EVERYTHING,
) -> Arrow:
    """Typed arrows `dom => cod`, between drawn objects where these are not given, of the combinators in `features`."""
    a = draw(objects()) if dom is None else dom
    b = draw(objects()) if cod is None else cod
    return _generator(draw, features).arrow(a, b, depth)


@st.composite
def terms(draw: Any, goal: Object = NUMBER, context: Context = (("x", NUMBER),), *, depth: int = 3) -> Term:
    """Typed λ-terms of the object `goal`, with the variables of the context."""
    return TermGenerator(Asked(lambda n: draw(st.integers(0, n - 1)))).term(context, goal, depth)


@st.composite
def points(draw: Any, a: Object) -> Any:
    """Points of a first-order object, in exact rationals."""
    return _generator(draw).point(a)

