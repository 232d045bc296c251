"""What primitives that stand for functions of SciPy say of themselves, against what SciPy does."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest
from test_ccc_primitives_facts import FORMS, each_array, wrong
from test_ccc_primitives_samples import Sample, at

import ccc.primitives
from ccc.primitives.facts import NOWHERE, view
from ccc.primitives.primitive import Primitive, elementwise

pytest.importorskip("scipy")
POINTS = (0.3, 0.7, 1.6)


def of_entries() -> list[Primitive]:
    """The primitives of SciPy that give an entry for entries."""
    modules = [import_module(f"ccc.primitives.{m.name}") for m in iter_modules(ccc.primitives.__path__)
               if m.name.startswith("scipy_")]
    found = {p for m in modules for p in vars(m).values() if isinstance(p, Primitive) and p.type_rule is elementwise}
    return sorted([p for p in found if p.name.startswith("scipy.") and p.source], key=lambda p: p.name)


def finite(p: Primitive, points: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Those points at which a primitive gives a number."""
    found = list[tuple[Any, ...]]()
    for point in points:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            y = p.value(*point)
        found += [point] * (np.ndim(y) == 0 and math.isfinite(y))
    return found


def samples(p: Primitive) -> list[Sample]:
    """Numbers and arrays that are in the domain of a primitive: orders, which come first or last, are whole."""
    n = str(p.source).count("{}")
    orders = [(*range(k, k + n - 1), x) for k in (1, 2) for x in POINTS]
    inside = finite(p, orders) or finite(p, [point[::-1] for point in orders])
    inside = inside or finite(p, itertools.product([-x for x in POINTS] if n == 1 else POINTS, repeat=n))
    columns = [np.array(x) for x in zip(*inside, strict=True)]
    rows = [at(columns[0][:1, None], *[x[:3] for x in columns[1:]])] if n > 1 else []
    return [*[at(*point) for point in inside[:3]], at(*columns), at(columns[0], *inside[0][1:]), *rows]


def wrong_at(p: Primitive, at: list[Sample]) -> list[str]:
    return [fact for s in at for form in FORMS.values()
            for fact in wrong(p, tuple([each_array(form, x) for x in s.args]), s.params)]


@pytest.mark.parametrize("p", of_entries(), ids=repr)
def test_facts_hold_for_arguments_of_all_forms(p: Primitive) -> None:
    assert not wrong_at(p, samples(p))


@pytest.mark.parametrize(("name", "planted"), [
    ("gammaln", {"turns": NOWHERE}), ("expit", {"bounds": (0.5, math.inf)}), ("xlogy", {"commutative": True}),
    ("hyp2f1", {"memory": view()}), ("psi", {"increasing": True}),
], ids=lambda x: str(x))
def test_a_planted_wrong_fact_is_found(name: str, planted: dict[str, Any]) -> None:
    p = {p.name: p for p in of_entries()}[f"scipy.special.{name}"]
    bad = replace(p, **planted)
    assert wrong_at(bad, samples(p))
