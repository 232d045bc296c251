"""Warnings and prints to the standard error, once and in order, as plain Python does."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import pytest

import ccc


class Odd(UserWarning):
    """A class of warnings of the user's."""


def checked(x: float) -> float:
    if x < 0.0:
        warnings.warn(f"negative: {x:.2f}", RuntimeWarning, stacklevel=2)
    return x * x


def f(x: float) -> float:
    y = checked(x)
    for i in range(2):
        print("step", i, y, file=sys.stderr, sep="|")
    if y > 1.0:
        warnings.warn("large", Odd)  # noqa: B028
    says = "far" if y > 3.0 else f"near: {y:.1f}"
    warnings.warn(says, stacklevel=1)
    print("done", file=sys.stdout)
    return y


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_warnings_and_errors_are_told_as_in_plain_python(backend: Any, capsys: pytest.CaptureFixture[str]):
    slope = ccc.value_with_gradient(f, backend=backend)
    for x in (0.5, -0.5, -2.0):
        seen = []
        for g in (f, slope):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                found = g(x)
            seen.append(([(w.category, str(w.message), w.filename, w.lineno) for w in told], capsys.readouterr()))
        assert seen[0] == seen[1] and found == (x * x, 2.0 * x)


def test_warnings_that_are_errors_are_raised():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(Odd, match="large"):
            ccc.gradient(f)(2.0)
