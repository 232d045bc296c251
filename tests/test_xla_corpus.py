"""The programs of the corpus in XLA: values and gradients of the NumPy target, or a reason why they are left to it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import numbers
from random_arrays import array_program
from test_corpus import PROGRAMS

import ccc
from ccc.errors import CCCError

pytest.importorskip("jax")

SHARE = 12
"""One program in so many is tried in the tests of every day."""
LEFT = 5
"""So many gradients are left to NumPy: of what calls itself, and of slices whose sizes are known only when it runs."""


def is_left(f: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    """Whether the gradient is left to NumPy; where it is not, both targets agree."""
    for verb in (ccc.compiled, ccc.gradient):
        found = list(numbers(verb(f, backend="xla")(*copy.deepcopy(args))))
        wanted = list(numbers(verb(f, backend="numpy")(*copy.deepcopy(args))))
        assert np.allclose(found, wanted, rtol=1e-7, atol=1e-9), f.__name__
    said = ccc.explain(ccc.gradient(f, backend="xla"), *copy.deepcopy(args)).backend
    assert said == "xla" or said.startswith("numpy: xla code does not take"), f.__name__
    return said != "xla"


def test_some_programs_of_the_corpus():
    left = [f.__name__ for f, args in PROGRAMS[::SHARE] if is_left(f, args)]
    assert len(left) <= 2, left


@pytest.mark.nightly
def test_all_programs_of_the_corpus():
    left = [f.__name__ for f, args in PROGRAMS if is_left(f, args)]
    assert len(left) <= LEFT, left


def random_ones_agree(seeds: range) -> int:
    """How many random programs on arrays have a gradient in NumPy, which is that in XLA."""
    tried = 0
    for seed in seeds:
        made = array_program(seed)
        f = made.load()
        try:
            wanted = list(numbers(ccc.gradient(f, backend="numpy")(*made.arguments(f, made.calls[0]))))
        except (CCCError, ValueError):  # no number, or what NumPy refuses
            continue
        found = list(numbers(ccc.gradient(f, backend="xla")(*made.arguments(f, made.calls[0]))))
        assert np.allclose(found, wanted, rtol=1e-6, atol=1e-8, equal_nan=True), str(made)
        tried += 1
    return tried


def test_some_random_programs():
    assert random_ones_agree(range(100, 103)) >= 1


@pytest.mark.nightly
def test_random_programs():
    assert random_ones_agree(range(1000, 1060)) >= 30
