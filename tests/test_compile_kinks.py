"""Kinks are told by `check_derivative` at the step of the program that has them; curvature is none."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ccc

ZEROS = np.zeros(2)
KINKS: dict[str, tuple[Callable[[Any], Any], Any, str]] = {
    "abs": (lambda x: x + abs(x - 1.0), 1.0, "abs(x - 1.0)"),
    "max": (lambda x: max(x, 0.0) * 2.0, 0.0, "max(x, 0.0)"),
    "an array": (lambda v: np.sum(np.abs(v) * 2.0), ZEROS, "np.abs(v)"),
    "a norm": (lambda v: np.linalg.norm(v) * 2.0, ZEROS, "np.linalg.norm(v)"),
    "in a loop": (lambda xs: sum([abs(v) for v in xs]), [1.0, 0.0], "abs(v)"),
    "a branch": (lambda x: 2.0 * x if x > 0.0 else x, 0.0, "ccc.check_derivative(f, at)"),
}


@pytest.mark.parametrize("name", KINKS)
def test_a_kink_is_told_where_it_is(name: str):
    f, at, text = KINKS[name]
    with pytest.warns(ccc.CCCWarning) as found:
        ccc.check_derivative(f, at)
    (told,) = [d for w in found for d in w.message.diagnostics]  # type: ignore[union-attr]
    assert told.code == "CC030" and told.span.file == __file__
    assert told.span.lines[told.span.line - 1][told.span.column : told.span.end_column] == text
    assert "to the left and" in told.notes[0]


@pytest.mark.parametrize(("f", "at"), [
    (lambda x: math.exp(20.0 * x), 1.0), (lambda x: math.sin(100.0 * x), 1.0), (lambda x: x * x, 1e6),
    (lambda v: np.sum(np.tanh(v) ** 2), np.ones(3)), (abs, 0.5), (lambda x: math.sqrt(x * x + 1e-4), 0.0),
])  # fmt: skip
def test_curvature_is_no_kink(f: Any, at: Any):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ccc.check_derivative(f, at)


def test_what_is_defined_on_one_side_only_is_refused():
    for f in (math.sqrt, lambda x: x ** 2.5):
        with pytest.raises(ccc.CCCError, match=r"CC070.*not defined on both sides"):
            ccc.check_derivative(f, 0.0)


LENGTHS: dict[str, Any] = {
    "root of a sum": lambda x: np.sqrt(np.sum(x * x)), "root of a product": lambda x: np.sqrt(x @ x),
    "power of a sum": lambda x: np.sum(x ** 2) ** 0.5,
    "root of numbers": lambda x: math.sqrt(x[0] * x[0] + x[1] * x[1]),
    "norm": lambda x: np.linalg.norm(x), "hypot": lambda x: math.hypot(x[0], x[1]), "std": lambda x: np.std(x),
}


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("name", LENGTHS)
def test_a_length_at_zero_has_the_slope_of_its_primitives(name: str, backend: str):
    """A root of squares has none in reverse mode; a primitive that is a length has 0."""
    f, zero, d = LENGTHS[name], np.zeros(2), np.array([1.0, 0.0])
    slope = math.nan if name.startswith(("root", "power")) else 0.0
    np.testing.assert_array_equal(ccc.gradient(f, backend=backend)(zero), [slope, slope])
    assert ccc.jvp(f, (zero,), (d,), backend=backend)[1] == 0.0
    assert ccc.value_with_pullback(f, backend=backend)(zero)[1](0.0).tolist() == [0.0, 0.0]
