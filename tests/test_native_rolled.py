"""Rolled arrays in machine code: along the last axis, where items next to each other are read together."""

import functools

import numpy as np
import pytest
from native_checks import gradients_agree

from ccc.compile.native import target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def rolled(x, s):
    """By a number that is not known, of views, of what is rolled already, and of what is computed."""
    y = np.roll(x, s, axis=-1) * x + np.roll(x[:, ::-1], 2, axis=1)
    z = np.roll(np.roll(x.T, s, axis=0), -1, axis=1) + np.roll(np.exp(x), -s, axis=1).T
    return np.sum(y * np.roll(z, 3, axis=1).T) + np.sum(np.roll(x, s) * x) + np.sum(np.roll(x[0], s) ** 2)


def test_rolled_arrays_are_those_of_numpy():
    for shape in (3, 7), (4, 8), (5, 3), (2, 0):
        x = np.arange(1.0, 1.0 + shape[0] * shape[1]).reshape(shape) / 9.0
        for s in (1, 0, -1, shape[1], -3 * shape[1] - 2):
            gradients_agree(functools.partial(rolled, s=s), x)
