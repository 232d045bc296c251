"""Classes asked of numbers that branches, loops and lists make of several kinds."""

import math

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import TypeMismatch, UnsupportedPython

AT = (1.5, -1.5)


def chosen(x):
    y = x if x > 0 else np.sin(x)
    return y * 2 if isinstance(y, float) else y * 3


def carried(x):
    y = x
    for _ in range(3):
        y = y + np.exp(y) * 0.1
    return y * 2 if isinstance(y, (int, float)) else y * 3


def least(x):
    best = math.inf
    for v in np.array([x, 2 * x]):
        best = min(best, v)
    return best * 2 if isinstance(best, float) else best * 3


def outside_of_both(x):
    y = x if x > 0 else np.sin(x)
    return y * 2 if isinstance(y, (np.ndarray, np.float32)) else y * 3  # type: ignore


def sure_again(x):
    y = x if x > 0 else np.sin(x)
    z = y + np.cos(x)
    return z * 2 if type(z) is np.float64 else z * 3


@pytest.mark.parametrize("f", [chosen, carried, least, outside_of_both, sure_again])
def test_what_all_kinds_answer_is_known(f):
    for x in AT:
        assert ccc.compiled(f)(x) == f(x)
        assert math.isclose(ccc.gradient(f)(x), (f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel_tol=1e-6)


def of_numpy(x):
    y = x if x > 0 else np.sin(x)
    return y * 2 if isinstance(y, np.floating) else y * 3


def of_python(x):
    y = x if x > 0 else np.sin(x)
    return y * 2 if type(y) is float else y * 3


def of_few_bits(x):
    y = x if x > 0 else np.float32(2.0)
    return y * 2 if isinstance(y, float) else y * 3


def of_an_int(x):
    y = 1 if x > 0 else np.sin(x)
    return y * 2 if isinstance(y, float) else y * 3


def of_an_int_at_first(x):
    y = 0
    for v in np.array([x]):
        if v > 0:
            y += v
    return y * 2 if type(y) is np.float64 else y * 3


@pytest.mark.parametrize(("f", "kinds"), [
    (of_numpy, "float or float64"), (of_python, "float or float64"), (of_few_bits, "float or float32"),
    (of_an_int, "float or float64 or int"), (of_an_int_at_first, "float or float64 or int"),
])
def test_what_they_answer_differently_is_refused_by_their_names(f, kinds):
    with pytest.raises((UnsupportedPython, TypeMismatch), match=f"a number of {kinds} is not known"):
        ccc.compiled(f)(1.5)
