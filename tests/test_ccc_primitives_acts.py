"""What primitives say of what happens when they run, and of what stands beside their numbers, against what they do."""

from __future__ import annotations

import contextlib
import io
import itertools
import math
import pickle
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from checks import parts_of
from test_ccc_primitives_facts import bits, reals, sampled
from test_ccc_primitives_samples import SAMPLES, Sample

from ccc.categories.bounds import FAR
from ccc.primitives import (
    arithmetic,
    decompositions,
    drawing,
    effects,
    elementary_numpy,
    factorisations,
    failures,
    gamma,
    outside,
    reductions,
    registry,
    scipy_special,
    structure,
)
from ccc.primitives.drawing import Given
from ccc.primitives.primitive import Primitive
from ccc.records import like
from ccc.sources import CLASSES, is_source, seeded

pytestmark = pytest.mark.always

# -- what happens ------------------------------------------------------------------------------------------------------

NORMAL = {"method": "normal", "form": (("loc", Given()),)}
BAD = {"method": "normal", "form": (("loc", Given()), ("scale", Given()))}


def generator() -> Any:
    return np.random.default_rng(1)


def said_once() -> Callable[[], float]:
    """A clock that goes on."""
    ticks = iter(range(100))
    return lambda: float(next(ticks))


def kept_back() -> Callable[..., bool]:
    """The end of a manager that keeps back what is raised the second time."""
    answers = iter((False, True))
    return lambda kind, *_: next(answers)


ACTS: list[tuple[Primitive, Callable[[], Sample]]] = [
    (effects.show, lambda: Sample((1.5,), {"forms": (None,), "options": ()})),
    (effects.warn, lambda: Sample((UserWarning,), {"forms": (("so",),), "place": ("f.py", 3), "module": ""})),
    (effects.fail, lambda: Sample((ValueError,), {"forms": (("so",),)})),
    (effects.fail, lambda: Sample((ValueError, KeyError), {"forms": (("so",),), "causes": ()})),
    (effects.attempt, lambda: Sample((1.0, 0.0), {"of": arithmetic.div, "params": ()})),
    (failures.raise_again, lambda: Sample(("builtins ValueError ('x',)",))),
    (drawing.draw, lambda: Sample((generator(), 0.5), NORMAL)),
    (drawing.refusal, lambda: Sample((generator(), 0.5, -1.0), BAD)),
    (drawing.made_source, lambda: Sample((), {"of": "default_rng", "form": ()})),
    (drawing.made_random, lambda: Sample(())),
    (drawing.kept_sources, lambda: Sample((generator(), seeded(2)))),
    (drawing.again_from, lambda: Sample((generator(),))),
    (outside.done, lambda: Sample((print, 1.5), {"forms": (None,), "names": ()})),
    (outside.clock, lambda: Sample((said_once(),))),
    (outside.left, lambda: Sample((kept_back(), None))),
]
"""Arguments at which what acts can be seen to act."""


def seen(x: Any) -> Any:
    """What can be told of a value: its bits, and the states of sources in it."""
    if isinstance(x, tuple | list):
        return type(x), list(map(seen, x))
    return pickle.dumps(x) if is_source(x) else bits(x)


def run(p: Primitive, s: Sample) -> tuple[Any, Any]:
    """What a primitive gives, and what else can be seen of it: what it prints, warns of, raises."""
    printed, result, raised = io.StringIO(), None, ""
    with warnings.catch_warnings(record=True) as warned, contextlib.redirect_stdout(printed), np.errstate(all="ignore"):
        warnings.simplefilter("always", UserWarning)
        try:
            result = seen(p.value(*s.args, **s.params))
        except (ValueError, ArithmeticError) as error:
            raised = repr(error)
    return result, [printed.getvalue(), [str(w.message) for w in warned if w.category is UserWarning], raised]


def moved_on(x: Any) -> Any:
    """A source of the same class from which was drawn."""
    if not is_source(x):
        return x
    y = deepcopy(x)
    (y.random if hasattr(y, "random") else y.standard_normal)()
    return y


def acts(p: Primitive, s: Sample) -> tuple[bool, bool]:
    """Whether something happens when it runs, and whether it depends on what happened before, or a later run does."""
    before = list(map(seen, s.args))
    first, shown = run(p, s)
    changes = list(map(seen, s.args)) != before
    reads = run(p, s)[0] != first
    if any(map(is_source, s.args)):
        again = [run(p, replace(s, args=tuple([change(deepcopy(x)) for x in s.args])))[0]
                 for change in (lambda x: x, moved_on)]
        reads = reads or again[0] != again[1]
    return shown != ["", [], ""] or changes or reads, changes or reads


@pytest.mark.parametrize(("p", "s"), ACTS, ids=lambda x: getattr(x, "name", None))
def test_what_acts_says_so(p: Primitive, s: Callable[[], Sample]) -> None:
    assert (p.effect, p.draws) == acts(p, s())


def test_all_that_act_are_tried() -> None:
    assert {p for p in (*registry.PRIMITIVES, *registry.TAPES) if p.effect} <= {p for p, _ in ACTS}


@pytest.mark.parametrize("p", sampled(), ids=repr)
def test_nothing_happens_where_nothing_is_said_to(p: Primitive) -> None:
    for s in SAMPLES[p.name]:
        assert acts(p, s) == (False, False)


@pytest.mark.parametrize(("p", "planted"), [
    *[(p, {"effect": not p.effect}) for p, _ in ACTS], *[(p, {"draws": not p.draws}) for p, _ in ACTS],
], ids=lambda x: getattr(x, "name", None))  # fmt: skip
def test_a_planted_wrong_act_is_found(p: Primitive, planted: dict[str, Any]) -> None:
    false = replace(p, **planted)
    assert (false.effect, false.draws) != acts(false, dict(ACTS)[p]())


@pytest.mark.parametrize("planted", [{"effect": True}, {"draws": True}], ids=str)
def test_a_planted_act_of_what_is_quiet_is_found(planted: dict[str, Any]) -> None:
    for p in (arithmetic.mul, reductions.sum_, structure.item):
        false = replace(p, **planted)
        assert (false.effect, false.draws) != acts(false, SAMPLES[p.name][0])


def test_sources_of_each_class_move_on() -> None:
    for make in CLASSES.values():
        assert seen(make()) == seen(make()) != seen(moved_on(make()))


# -- results that are given together -----------------------------------------------------------------------------------


def is_one_of(p: Primitive) -> bool:
    """Whether it is, at all samples, the result of another primitive that it says."""
    if isinstance(p.one_of, str):
        one = [s for s in SAMPLES[p.name] if p.one_of in s.params]
        whole = [without(s, p.one_of).result(p)[s.params[p.one_of]] for s in one]
        return bool(one) and all(bits(s.result(p)) == bits(found) for s, found in zip(one, whole, strict=True))
    assert p.one_of is not None
    whole, index = p.one_of
    return all(bits(s.result(p)) == bits(s.result(whole)[index]) for s in SAMPLES[p.name])


def without(s: Any, name: str) -> Any:
    """A sample without a parameter."""
    return replace(s, params={key: value for key, value in s.params.items() if key != name})


@pytest.mark.parametrize("p", [p for p in registry.PRIMITIVES if p.one_of is not None], ids=repr)
def test_what_is_given_together_is_the_same(p: Primitive) -> None:
    assert is_one_of(p)


@pytest.mark.parametrize(("p", "planted"), [
    (decompositions.eigenvalues, (decompositions.eigh, 1)), (decompositions.signdet, (decompositions.slogdet, 1)),
    (factorisations.right_vectors, (factorisations.svd, 0)), (factorisations.residuals, (factorisations.lstsq, 2)),
    (factorisations.orthogonal_factor, (factorisations.svd, 0)),
], ids=repr)  # fmt: skip
def test_a_planted_other_result_is_found(p: Primitive, planted: tuple[Primitive, int]) -> None:
    assert not is_one_of(replace(p, one_of=planted))


# -- numbers that are places -------------------------------------------------------------------------------------------


def nudged(x: Any) -> Any:
    """A value whose real numbers are others, in the same order."""
    parts = parts_of(x)
    if parts is not None:
        return like(x, list(map(nudged, parts)))
    if isinstance(x, np.ndarray):
        return (x * (1 + 1e-6) + 1e-8).astype(x.dtype) if x.dtype.kind == "f" else x
    return type(x)(x * (1 + 1e-6) + 1e-8) if isinstance(x, float | np.floating) else x


def has_places(p: Primitive) -> bool:
    """Whether real numbers behind the first argument say at most an order, and results are real where that is."""
    for s in SAMPLES[p.name]:
        y = s.result(p)
        if bits(y) != bits(p.value(s.args[0], *map(nudged, s.args[1:]), **s.params)):
            return False
        if reals(s.args[0]) and reals(y, "biu"):
            return False
    return True


@pytest.mark.parametrize("p", [p for p in registry.PRIMITIVES if p.places], ids=repr)
def test_what_stands_behind_the_first_argument_are_places(p: Primitive) -> None:
    assert has_places(p)


@pytest.mark.parametrize("p", [
    arithmetic.mul, arithmetic.div, arithmetic.less, elementary_numpy.less, structure.length, reductions.argmax,
], ids=repr)  # fmt: skip
def test_planted_places_are_found(p: Primitive) -> None:
    assert not p.places
    assert not has_places(replace(p, places=True))


# -- how far results near zero are off ---------------------------------------------------------------------------------


def zeros(f: Callable[[float], float], least: float, most: float) -> Iterator[float]:
    """Numbers in a range at which a function of floats changes its sign, to the last place."""
    ends = [k / 16 + 1 / 32 for k in range(-80, 80)]
    for low, high in itertools.pairwise([x for x in ends if least < x < most]):
        with contextlib.suppress(ValueError, ArithmeticError):
            if not f(low) * f(high) < 0.0:
                continue
            while low < (middle := (low + high) / 2) < high:
                low, high = (middle, high) if f(low) * f(middle) > 0.0 else (low, middle)
            yield from [x for x in (low, high) if abs(f(x)) < 1.0]  # no pole


def off(p: Primitive, exact: Callable[..., Any], kept: tuple[Any, ...]) -> float:
    """How far results near zeros are from those of exact numbers, beyond some places of them."""
    mp = pytest.importorskip("mpmath").mp
    worst = 0.0
    with mp.workdps(60), np.errstate(all="ignore"):
        for x in zeros(lambda x: float(p.value(*kept, x)), *p.within):
            for k in range(-2, 3):
                at = x + k * math.ulp(x)
                wanted = exact(mp, *map(mp.mpf, kept), mp.mpf(at))
                worst = max(worst, float(abs(mp.mpf(float(p.value(*kept, at))) - wanted) - FAR * abs(wanted)))
    return worst


NEAR_ZERO: list[tuple[Primitive, Callable[..., Any], tuple[Any, ...]]] = [
    *[(p, lambda mp, x: mp.log(abs(mp.gamma(x))), ()) for p in (gamma.lgamma, scipy_special.gammaln)],
    (scipy_special.psi, lambda mp, x: mp.digamma(x), ()),
    *[(p, lambda mp, n, x: mp.psi(int(n), x), (0,)) for p in (gamma.polygamma, scipy_special.polygamma)],
    *[(elementary_numpy.logaddexp, lambda mp, a, b: mp.log(mp.exp(a) + mp.exp(b)), (a,)) for a in (-0.4, -0.7, -2.5)],
    *[(elementary_numpy.logaddexp2, lambda mp, a, b: mp.log(2**a + 2**b, 2), (a,)) for a in (-0.4, -1.0, -2.5)],
    *[(getattr(elementary_numpy, name), lambda mp, x, name=name: getattr(mp, name)(x), ())
      for name in ("sin", "cos", "tan", "log", "expm1", "sinh", "tanh", "log1p", "log10")],
]


@pytest.mark.parametrize(("p", "exact", "kept"), NEAR_ZERO, ids=lambda x: getattr(x, "name", None))
def test_results_near_zero_are_as_near_as_is_said(p: Primitive, exact: Callable[..., Any], kept: Any) -> None:
    assert off(p, exact, kept) <= p.absolute


def test_what_is_said_of_results_near_zero_is_tried() -> None:
    assert {p for p in registry.PRIMITIVES if p.absolute} <= {p for p, _, _ in NEAR_ZERO}


@pytest.mark.parametrize("p", [gamma.lgamma, gamma.polygamma, elementary_numpy.logaddexp,
                               elementary_numpy.logaddexp2], ids=repr)  # fmt: skip
def test_a_planted_distance_is_found(p: Primitive) -> None:
    false = replace(p, absolute=p.absolute * 2.0**-12)
    assert any(off(false, exact, kept) > false.absolute for q, exact, kept in NEAR_ZERO if q is p)
