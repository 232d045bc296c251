"""What results are made of, as categories say it, against derivatives and against each other, for every primitive."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np
import pytest
from test_ccc_primitives_samples import SAMPLES

import ccc
from ccc.additive import ZERO, dense
from ccc.arrows import Prim
from ccc.categories.functions import arguments
from ccc.categories.origins import count_of, numbers_of, origins, starts_of
from ccc.objects import Product, is_discrete
from ccc.objects_of_values import object_of
from ccc.primitives import barriers, products, registry

NUMBERS = float | np.floating | np.ndarray
PLACES = 4
"""So many numbers of an argument are looked at."""


def terms(samples: int) -> Iterator[tuple[Prim, tuple[Any, ...], Any]]:
    """Primitives at samples: those of numbers and arrays that give some."""
    for name, found in SAMPLES.items():
        p = registry.BY_NAME[name]
        dropped = p is products.all_but_one  # what it is given to drops the ones that it fills in
        for s in found[:samples] if not (p.effect or p.draws or dropped) else ():
            y = s.result(p)
            domains, cod = list(map(object_of, s.args)), object_of(y)
            if isinstance(y, NUMBERS) and not is_discrete(cod) and any(
                    [isinstance(x, NUMBERS) and not is_discrete(a) for x, a in zip(s.args, domains, strict=True)]):
                dom = domains[0] if len(domains) == 1 else Product(tuple(domains))
                yield Prim(p, dom, cod, tuple(s.params.items())), s.args, y


def domains_of(term: Prim, args: tuple[Any, ...]) -> list[tuple[int, Any]]:
    """The arguments that are real numbers, by their places."""
    parts = arguments(term.dom.parts if isinstance(term.dom, Product) else term.dom, term.dom)
    return [(i, x) for i, (x, a) in enumerate(zip(args, parts, strict=True))
            if isinstance(x, NUMBERS) and not is_discrete(a) and i not in term.primitive.sizes]


def marked(term: Prim, args: tuple[Any, ...], i: int, d: Any) -> list[bool]:
    """What `Dependence` marks where some numbers of one argument are marked."""
    k = ccc.Dependence(1)
    parts = arguments(term.dom.parts if isinstance(term.dom, Product) else term.dom, term.dom)
    layers = [(x, d if j == i else k.alone(x)[1] if is_discrete(a) else k.constant(x)[1])
              for j, (x, a) in enumerate(zip(args, parts, strict=True))]
    _, found = k.primitive(term)(layers[0] if len(layers) == 1 else k.together(layers))
    return [v != 0 for v in numbers_of(found)]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_dependence_marks_what_derivatives_move_and_provenance_asks_for_it() -> None:
    """Cross products, differences and Fourier transforms of marks cancelled."""
    looked = 0
    for term, args, y in terms(6):
        p, skipped = term.primitive, [True] * len(args)
        real, starts = domains_of(term, args), starts_of(args)
        for i, _ in real:
            skipped[i] = False
        of = origins(term, args, skipped, y)
        asked = [set(of(k)) for k in range(count_of(y))]
        for i, x in real:
            for place in range(min(count_of(x), PLACES)):
                d: Any = np.zeros(np.shape(x))
                d.flat[place] = 1.0
                d = d if isinstance(x, np.ndarray) else 1.0
                marks = marked(term, args, i, d)
                made_of = [starts[i] + place in found for found in asked]
                assert p is barriers.stop or marks == made_of, (p, args, i, place)
                moved = p.differential and dense(p.differential(
                    tuple([d if j == i else ZERO for j in range(len(args))]), y, *args, **dict(term.params)))
                if isinstance(moved, NUMBERS):
                    moves = numbers_of(np.broadcast_to(moved, np.shape(y)))
                    assert all([mark for mark, v in zip(marks, moves, strict=True) if v != 0]), (p, args, i, place)
                looked += 1
    assert looked > 2000


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_first_coefficients_of_series_are_derivatives() -> None:
    """Whole numbers that are moved had themselves for one."""
    k, r, looked = ccc.Taylor(1), random.Random(0), 0
    for term, args, y in terms(4):
        p, real = term.primitive, dict(domains_of(term, args))
        if p.differential is None or p.sizes or any([not isinstance(x, NUMBERS) for x in args]):
            continue
        ds = [shifted(x * 0.0, 1.0, r)[()] if i in real else ZERO for i, x in enumerate(args)]
        layers = [(x, d) if i in real else k.alone(x) for i, (x, d) in enumerate(zip(args, ds, strict=True))]
        _, found = k.primitive(term)(layers[0] if len(layers) == 1 else k.together(layers))
        wanted = dense(p.differential(tuple(ds), y, *args, **dict(term.params)))
        wanted = 0.0 if wanted is ZERO else wanted
        looked += 1
        assert np.allclose(found, wanted, rtol=1e-12, atol=1e-12, equal_nan=True), (p, args, ds)
    assert looked > 500


def shifted(x: Any, by: float, r: random.Random) -> Any:
    return x + by * np.reshape([r.random() for _ in range(np.size(x))], np.shape(x))


def between(low: Any, high: Any, r: random.Random) -> Any:
    """Numbers between two, or one of them."""
    chosen = np.reshape([r.choice((0.0, 0.5, 1.0)) for _ in range(np.size(low))], np.shape(low))
    return np.where(chosen == 1.0, high, low + (high - low) * chosen)[()]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_intervals_hold_what_primitives_give() -> None:
    """Those of `np.diff` did not."""
    k, r, looked = ccc.Intervals(), random.Random(0), 0
    for term, args, _ in terms(4):
        real = dict(domains_of(term, args))
        if any([not isinstance(x, NUMBERS) for x in args]) or term.primitive.sizes:
            continue
        if term.primitive.enclosed == "chosen":  # holds where the second is one of the third: in gradients of extremes
            continue

        for width in (0.1, 2.0):
            ends = [(shifted(x, -width, r), shifted(x, width, r)) if i in real else (x, ()) for i, x in enumerate(args)]
            if term.primitive.shares:  # the second is one of those behind it
                ends[1] = (reduce(np.minimum, [x[0] for x in ends[2:]]), reduce(np.maximum, [x[-1] for x in ends[2:]]))
            try:
                low, high = k.primitive(term)(ends[0] if len(ends) == 1 else k.together(ends))
            except (ccc.CCCError, ValueError):  # outside of its domain
                continue
            for _ in range(8):
                at = [between(*x, r) if i in real else x[0] for i, x in enumerate(ends)]
                at[1:2] = [r.choice(at[2:])] if term.primitive.shares else at[1:2]
                try:
                    y = term.primitive.value(*at, **dict(term.params))
                except ValueError:  # outside of its domain
                    continue
                looked += 1
                assert np.all((low <= y) & (y <= high) | np.isnan(y)), (term.primitive, ends, at)
    assert looked > 2000


@pytest.mark.share(2)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("format", [np.float32, np.float16])
def test_bounds_of_rounding_hold_what_a_format_gives(format: Any) -> None:
    """Those of `np.degrees`, whose factor is rounded as well, did not."""
    k, r, looked = ccc.Rounding(format), random.Random(0), 0
    for term, args, _ in terms(4):
        real, params = dict(domains_of(term, args)), dict(term.params)
        if any([not isinstance(x, NUMBERS) for x in args]) or term.primitive.sizes:
            continue
        for _ in range(3):
            given = [(np.asarray(x) * r.uniform(0.3, 1.7)).astype(format)[()] if i in real else x
                     for i, x in enumerate(args)]
            exact = [x.astype(float) if i in real else x for i, x in enumerate(given)]
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = [term.primitive.value(*at, **params) for at in (given, exact)]
                ends = [k.constant(x) if i in real else (x, ()) for i, x in enumerate(exact)]
                low, high = k.primitive(term)(ends[0] if len(ends) == 1 else k.together(ends))
            except (ccc.CCCError, TypeError, ValueError, ArithmeticError, np.linalg.LinAlgError):
                continue  # outside of its domain, or of what the format has
            looked += 1
            assert all([np.all((low <= y) & (y <= high) | np.isnan(y)) for y in found]), (term.primitive, given)
    assert looked > 1000
