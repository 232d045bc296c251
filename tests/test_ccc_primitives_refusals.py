"""What primitives raise and when, as terms of a program: at edges a term holds where the value raises, nowhere else."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from ccc.objects_of_values import object_of
from ccc.primitives import arithmetic, elementary_math, maps, registry
from ccc.primitives.domains import LIMIT
from ccc.primitives.facts import Refusal
from ccc.primitives.primitive import Primitive

REFUSING = [p for p in registry.BY_NAME.values() if p.refusal is not None]
AROUND = [math.nextafter(x, to) for x in (1.0, -1.0, LIMIT) for to in (-math.inf, math.inf)]
REALS = [0.0, -0.0, 5e-324, 0.5, 1.0, -1.0, -1.5, 3.0, 1e308, LIMIT, *AROUND, math.inf, -math.inf, math.nan]
NUMBERS = [*REALS, 0, 1, -3, True, False, np.float64(0.0), np.float64(2.0)]
LISTS = [[], [1.0], [1.0, 2.0, 3.0]]
ARRAYS = [np.zeros(0), np.ones(1), np.arange(3.0), np.ones((2, 3))]
MAPS = [{0: 1.0}, {0: 1.0, 2: 3.0}]


def arguments(p: Primitive) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Arguments and parameters at the edges of what a primitive takes."""
    places = range(-4, 5)
    ways = [(x,) for x in NUMBERS], product(NUMBERS, NUMBERS), *[product(xs, places) for xs in (LISTS, MAPS, ARRAYS)]
    params = {"pattern": ("i",)} if p.name == "index" else {}
    return [(args, params) for way in ways for args in way if takes(p, args, params)]


def takes(p: Primitive, args: tuple[Any, ...], params: dict[str, Any]) -> bool:
    """Whether a term says of these arguments what the value raises."""
    objects = tuple([maps.as_map(object_of(x)) if isinstance(x, dict) else object_of(x) for x in args])
    try:
        assert p.refusal is not None
        p.refusal.test(*args, **params)
        return p.refusal.of(objects, params)
    except (AssertionError, TypeError, ValueError, LookupError, AttributeError):
        return False


def wrong(p: Primitive, refusal: Refusal) -> list[Any]:
    """The arguments at which a term says something else than the value does."""
    found: list[Any] = []
    for args, params in arguments(p):
        raised: type | None = None
        with np.errstate(all="ignore"):
            try:
                p.value(*args, **params)
            except Exception as error:  # whatever it raises
                raised = type(error)
        if raised not in (None, refusal.kind) or bool(refusal.test(*args, **params)) != (raised is not None):
            found.append((args, raised))
    return found


def test_those_that_people_catch_have_a_term():
    names = {p.name for p in REFUSING}
    assert names >= {"div", "floordiv", "mod", "item", "index", "lookup", "remove", "math.sqrt", "math.log", "math.exp"}


@pytest.mark.parametrize("p", REFUSING, ids=lambda p: p.name)
def test_a_term_holds_where_the_value_raises(p: Primitive):
    assert p.refusal is not None
    tried = [bool(p.refusal.test(*args, **params)) for args, params in arguments(p)]
    assert True in tried and False in tried
    assert wrong(p, p.refusal) == []


@pytest.mark.parametrize(("p", "test"), [
    (elementary_math.log, lambda x: arithmetic.less(x, 0.0)),
    (elementary_math.sqrt, lambda x: arithmetic.less_equal(x, 0.0)),
    (elementary_math.exp, lambda x: arithmetic.greater(x, LIMIT)),
    (arithmetic.div, lambda a, b: arithmetic.equal(a, 0)),
    (arithmetic.mod, lambda a, b: arithmetic.less_equal(b, 0)),
])
def test_a_wrong_term_is_found(p: Primitive, test: Any):
    assert p.refusal is not None
    assert wrong(p, replace(p.refusal, test=test))


def test_a_wrong_class_is_found():
    assert arithmetic.div.refusal is not None
    assert wrong(arithmetic.div, replace(arithmetic.div.refusal, kind=ValueError))


WITHIN = [p for p in REFUSING if p.refusal is not None and p.refusal.domain is not None]


@pytest.mark.parametrize("p", WITHIN, ids=lambda p: p.name)
def test_a_domain_is_where_the_value_does_not_raise(p: Primitive):
    assert p.refusal is not None and p.refusal.domain is not None
    least, most = p.refusal.domain
    for x in [*REALS, *p.refusal.domain]:
        if not math.isfinite(x):
            continue
        inside = least <= x <= most if p.refusal.closed or p.refusal.kind is OverflowError else least < x < most
        assert bool(p.refusal.test(x)) != inside, x


def test_functions_of_one_number_with_a_domain_name_it():
    assert {p.name for p in WITHIN} >= {"math.sqrt", "math.log", "math.asin", "math.atanh", "math.sin", "math.exp"}
