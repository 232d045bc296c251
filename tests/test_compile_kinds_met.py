"""Classes asked of numbers that branches, loops and lists make of several kinds."""

import math
from typing import NamedTuple

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


def of_a_lambda(x):
    f = lambda a: a * 2.0 if a > 0 else a * 3.0  # noqa: E731
    return x if isinstance(f(x), int) else 2 * x * f(x)


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


@pytest.mark.parametrize("f", [chosen, carried, of_a_lambda, least, outside_of_both, sure_again])
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


def matched(x):
    y = 1.0 if x > 0 else np.sin(x)
    match y:
        case np.floating():
            return y * x
    return 2 * x


def named(x):
    y = x
    for v in np.array([x, 2.0]):
        if v > 1.75:
            y = y * v
    return y * len(type(y).__name__)


def of_rows(x):
    rows = [[0.0] * 2 for _ in range(2)]
    v = np.array([x, 2.0])
    for i in range(2):
        if v[i] > 0:
            rows[i][1] = v[i] * v[1]
    return rows[0][1] * 2 if isinstance(rows[0][1], np.floating) else x * 3


def of_rows_that_grow(x):
    rows = [[1.0] for _ in range(2)]
    for v in np.array([x, 2.0]):
        rows[0 if v > 1.6 else 1].append(v)
    return rows[0][-1] * x if isinstance(rows[0][-1], np.floating) else x * 3


RUN = [of_numpy, of_python, of_few_bits, matched, named, of_rows, of_rows_that_grow]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", RUN)
def test_what_they_answer_differently_is_asked_when_it_runs(f, backend):
    """It was refused, and of rows whose entries are assigned it was said to be no float of NumPy's."""
    for x in AT:
        assert ccc.compiled(f, backend=backend)(x) == f(x)
        slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
        assert math.isclose(ccc.gradient(f, backend=backend)(x), slope, rel_tol=1e-6)


@pytest.mark.parametrize(("f", "kinds"), [
    (of_an_int, "float or float64 or int"), (of_an_int_at_first, "float or float64 or int"),
])
def test_where_an_int_may_have_become_a_float_it_is_refused(f, kinds):
    with pytest.raises((UnsupportedPython, TypeMismatch), match=f"a number of {kinds} is not known"):
        ccc.compiled(f)(1.5)


class Box:
    def __init__(self, q):
        self.q = q


def list_in_an_object(x, xs, k):
    v = Box(xs) if k else None
    xs[0] = x * x
    return v.q[0] * x if v is not None else x


def list_in_a_tuple(x, xs, k):
    v = (xs, 1.0) if k else x
    xs[0] = x * x
    return v[0][0] * x if isinstance(v, tuple) else v


def list_or_a_number(x, xs, k):
    v = xs if k else x
    xs.append(x * x)
    return v[-1] * x if isinstance(v, list) else v


def list_or_a_tuple(x, xs, k):
    v = xs if k else (x, x)
    for i in range(len(xs)):
        xs[i] = xs[i] * x
    return v[0] * v[-1]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [list_in_an_object, list_in_a_tuple, list_or_a_number, list_or_a_tuple])
def test_what_may_be_a_list_sees_how_the_list_changes(f, backend):
    """It saw the list as it was before, where the list stood in what may be of another kind."""
    def found(x, k):
        return f(x, [1.0, 2.0], k)

    for k in (0, 1):
        value, slope = ccc.value_with_gradient(f, wrt="x", backend=backend)(1.5, [1.0, 2.0], k)
        assert value == found(1.5, k)
        assert math.isclose(slope, (found(1.5 + 1e-6, k) - found(1.5 - 1e-6, k)) / 2e-6, rel_tol=1e-6)


class Pair(NamedTuple):
    a: float
    b: float


def summed(x, k):
    v = Pair(x, 2 * x) if k else (x, x)
    return sum(v)


def walked(x, k):
    v = Pair(x, 2 * x) if k else [x]
    return sum([q * q for q in v]) * len(v) + max(v) * v[0]


def taken_apart(x, k):
    v = Pair(x, 2 * x) if k else {"a": x, "b": x}
    first, *_ = v
    return x if k == 0 else first * v[1]  # type: ignore


def is_derived(f, backend):
    for k in (0, 1):
        value, slope = ccc.value_with_gradient(f, wrt="x", backend=backend)(1.5, k)
        assert value == f(1.5, k)
        assert math.isclose(slope, (f(1.5 + 1e-6, k) - f(1.5 - 1e-6, k)) / 2e-6, rel_tol=1e-6)


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [summed, walked, taken_apart])
def test_named_tuples_among_other_kinds_do_what_tuples_do(f, backend):
    """They had no items and could not be iterated, which ended with a `TypeError` of Python's."""
    is_derived(f, backend)


def dict_of_a_chosen_object(x, k):
    kept = {1: x, 2: 2 * x}
    v = [Box(kept), lambda: x][0 if k else 1]
    kept[1] = x * x
    return v.q[1] * x if isinstance(v, Box) else v()


def dict_that_changes_in_a_loop(x, k):
    kept = {1: x, 2: 2 * x}
    found = [Box(kept), lambda: x]
    v = found[0 if k else 1]
    for key in list(kept):
        kept[key] = kept[key] * x
    return v.q[1] * x if isinstance(v, Box) else v()


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [dict_of_a_chosen_object, dict_that_changes_in_a_loop])
def test_what_is_in_an_object_among_functions_changes_there(f, backend):
    """The object that was chosen held the dict as it was before."""
    is_derived(f, backend)


def array_after_a_number(x, k):
    w = x
    for _ in range(3):
        w = np.array([x, x * x]) if k else None
    return float(np.sum(w * w)) if isinstance(w, np.ndarray) else 1.0


def number_after_an_array(x, k):
    w = np.array([x, x])
    for _ in range(3):
        w = x * x if k else None
    return float(np.sum(w * x)) if w is not None else 1.0


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", [array_after_a_number, number_after_an_array])
def test_what_a_loop_carries_may_be_a_number_and_then_an_array(f, backend):
    """The zero of the number reached the array: "'float' object is not subscriptable"."""
    is_derived(f, backend)


def number_or_array_or_nothing(x, k):
    w = x * x if k else np.array([x, x]) if x > 5 else None
    return w * x if isinstance(w, float) else 1.0


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_number_that_might_be_an_array_is_no_array(backend):
    """`isinstance(w, float)` was False."""
    for k in (0, 1):
        f = number_or_array_or_nothing
        assert ccc.compiled(f, backend=backend)(1.5, k) == f(1.5, k)
        assert ccc.gradient(f, wrt="x", backend=backend)(1.5, k) == pytest.approx(3 * 1.5**2 * k)
