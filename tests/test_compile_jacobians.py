"""Jacobians in arguments that are dicts, tuples and dataclasses: each part has that of difference quotients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import CompileError

V = np.array([0.5, 2.0])
M = np.array([[0.3, 1.0], [2.0, 0.7]])


@dataclass
class Layer:
    weight: Any
    bias: Any


def differences(f: Callable[[Any], Any], x: Any) -> np.ndarray[Any, Any]:
    """Central differences in a number or array, the axes of the value first."""
    h, columns = 1e-6, list[Any]()
    for i in range(np.size(x)):
        d = np.zeros(np.size(x))
        d[i] = h
        step = np.reshape(d, np.shape(x))
        columns.append((f(x + step) - f(x - step)) / (2 * h))
    return np.reshape(np.stack(columns, -1), (*np.shape(columns[0]), *np.shape(x)))


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_jacobian_in_a_dict_is_a_dict_of_jacobians(backend: str) -> None:
    """It was refused with a word about `*`."""
    def f(d: Any) -> Any:
        return np.sin(d["w"] @ d["v"]) * d["a"] * d["n"]

    x = {"a": 2.0, "v": V, "w": M, "n": 3}
    found = ccc.jacobian(f, backend=backend)(x)
    assert list(found) == list(x)
    for name in x:
        wanted = differences(lambda part, name=name: f({**x, name: part}), x[name])
        assert np.shape(found[name]) == np.shape(wanted)
        np.testing.assert_allclose(found[name], wanted, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_jacobian_in_tuples_and_dataclasses_has_their_structure(backend: str) -> None:
    def f(p: Any) -> Any:
        layer, scale = p
        return scale * (layer.weight @ V + layer.bias)

    layer, scale = ccc.jacobian(f, backend=backend)((Layer(M, V), 3.0))
    assert type(layer) is Layer
    np.testing.assert_allclose(layer.weight, differences(lambda w: f((Layer(w, V), 3.0)), M), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(layer.bias, differences(lambda b: f((Layer(M, b), 3.0)), V), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(scale, M @ V + V, rtol=1e-12)


def test_what_has_no_jacobian_as_one_array_is_refused() -> None:
    for verb in (ccc.jacfwd, ccc.hessian):
        with pytest.raises(ccc.CCCError, match=rf"error.CC070.: {verb.__name__} is for arguments"):
            verb(lambda x: x[0] * x[1])([1.0, 2.0])
        assert type(verb(lambda x: x[0] * x[1])((1.0, 2.0))) is tuple
    with pytest.raises(ccc.CCCError, match=r"error.CC070.: a Jacobian is that of numbers and arrays; .* list"):
        ccc.jacobian(lambda xs: [2.0 * x for x in xs])([1.0, 2.0])


def test_a_value_that_begins_as_a_number_has_a_jacobian_where_the_loop_surely_runs():
    """The refusal was about `*` in a tuple, which the user had not written."""
    def added(x: np.ndarray, s: Any) -> Any:
        for i in range(3):
            s = s + x * i
        return s

    def added_up_to(x: np.ndarray, s: Any) -> Any:
        while np.sum(s) < 3.0:
            s = s + x
        return s

    for verb in (ccc.jacobian, ccc.jacfwd):
        with pytest.raises(CompileError, match="a Jacobian needs to know how many axes the value has"):
            verb(lambda x: added_up_to(x, 0.0))(np.ones(2))
        for s in (0.0, np.zeros(2)):
            assert verb(lambda x, s=s: added(x, s))(np.ones(2)).tolist() == [[3.0, 0.0], [0.0, 3.0]]


def test_second_derivatives_in_no_numbers_are_empty() -> None:
    cubes = ccc.hessian(lambda x: np.sum(x**3))
    for shape in ((2, 2), (0, 2), (2, 2)):
        assert cubes(np.ones(shape)).shape == (*shape, *shape)
    assert ccc.jacfwd(lambda x: np.outer(x, x) + x)(np.zeros(0)).shape == (0, 0, 0)
    assert ccc.jacfwd(lambda x: x[:0])(np.ones(3)).shape == (0, 3)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_the_jacobian_of_no_numbers_has_the_axes_of_the_argument(backend: str) -> None:
    first = ccc.jacobian(lambda x, k: x[:k] * x[1], wrt=0, backend=backend)
    for k in (2, 0, 3, 0):
        assert first(np.ones(3), k).shape == (k, 3)
    assert ccc.jacobian(lambda x: x[:0], backend=backend)(np.ones((3, 2))).shape == (0, 2, 3, 2)
    assert ccc.jacobian(lambda x: x * x, backend=backend)(np.ones((0, 2))).shape == (0, 2, 0, 2)
    parts = ccc.jacobian(lambda d: d["a"][:0] * d["b"][0], backend=backend)({"a": np.ones(3), "b": (2.0, 1.0)})
    assert parts["a"].shape == (0, 3) and [part.shape for part in parts["b"]] == [(0,), (0,)]
