"""Every primitive in JAX gives what it gives in NumPy, at its samples, or is not taken."""

from __future__ import annotations

import math

import numpy as np
import pytest
from primitive_programs import known, left, outcome_in
from test_ccc_primitives_samples import SAMPLES, Sample

import ccc
from ccc.primitives import registry
from ccc.primitives.primitive import Primitive

pytest.importorskip("jax")

from ccc.compile.xla.calling import Compiled

NOT_TAKEN = 82
"""Of so many primitives the first sample is not taken: of maps, texts, sums of types, least squares, sizes that numbers
decide."""
SHARE = 8
"""One primitive in so many is tried in the tests of every day."""


def outcome(p: Primitive, sample: Sample) -> str:
    """What becomes of a sample in JAX."""
    return outcome_in(lambda found, sample: Compiled(found, False, sample.args).function(left), p, sample)


def refused(few: list[tuple[Primitive, list[Sample]]]) -> list[str]:
    return [p.name for p, samples in few if outcome(p, samples[0]) != "agrees"]


def test_primitives_agree_at_a_sample_each():
    found = refused(known()[::SHARE])
    assert len(found) <= NOT_TAKEN / SHARE + 5, found


@pytest.mark.nightly
def test_all_primitives_agree_at_a_sample_each():
    found = refused(known())
    assert len(found) <= NOT_TAKEN, found


@pytest.mark.nightly
def test_primitives_agree_at_all_samples():
    found = [outcome(p, sample) for p, samples in known() for sample in samples]
    assert found.count("agrees") > 1900


def decompositions(a):
    w, v = np.linalg.eigh(a @ a.T)
    q, r = np.linalg.qr(a)
    sign, size = np.linalg.slogdet(a)
    return np.sum(w * w[0]) + np.sum((v @ v.T) * a) + np.sum(q * a) + r[0, 0] ** 2 + sign * size + np.linalg.det(a)


def test_decompositions_that_are_one_call_for_all_their_results_are_taken():
    a = np.array([[2.0, 0.3, -0.1], [0.5, 1.5, 0.2], [-0.4, 0.1, 1.0]])
    found, wanted = [ccc.value_with_gradient(decompositions, backend=backend) for backend in ("xla", "numpy")]
    for x, y in zip(found(a), wanted(a), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-11)
    assert ccc.explain(found, a).backend == "xla"


def mixed(i, k, x, yes):
    return (np.sqrt(i), np.tanh(yes * i), i * x, i / x, np.mean(i), np.sum(k), np.concatenate([i, x]), i < x, i == x,
            np.where(x > 2.0, i, x), np.dot(i, x), np.maximum(k, i), math.tan(yes), math.hypot(yes, 2.0), np.cumsum(k))


def test_types_that_jax_takes_to_single_precision_have_the_digits_of_numpy():
    args = (np.array([2**24 + 1, 3], "int32"), np.array([100, 100], "int8"), np.array([2.0**24, 1.1], "float32"), True)
    found, wanted = [ccc.compiled(mixed, backend=backend) for backend in ("xla", "numpy")]
    for a, b in zip(found(*args), wanted(*args), strict=True):
        assert np.result_type(a) == np.result_type(b)
        np.testing.assert_allclose(a, b, rtol=1e-15)
    assert ccc.explain(found, *args).backend == "xla"


def test_a_form_that_is_wrong_is_found(monkeypatch: pytest.MonkeyPatch):
    from ccc.compile.xla import forms

    monkeypatch.setitem(forms.TABLE, registry.BY_NAME["np.exp"], forms.Entry(lambda e, x: x))
    p = registry.BY_NAME["np.exp"]
    with pytest.raises(AssertionError):
        outcome(p, SAMPLES["np.exp"][2])
