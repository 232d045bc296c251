"""Special methods of numbers, arrays, lists, dicts and texts that are asked for by name, and `slice.indices`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import differences

import ccc
from ccc.compile.diagnostics import CompileError

V = np.array([0.7, -1.9, 1.2, 2.6])


def changed(v, x):
    y = v.copy()
    y.__setitem__(0, x)
    y.__iadd__(1.0)
    return np.sum(y * y)


def of_a_dict(v, x):
    d = {"a": x, "b": v[1]}
    d.__setitem__("c", x * v[2])
    return sum(map(d.__getitem__, ["a", "b", "c"])) * d.__len__() + d.__contains__("a")


CASES: dict[str, Callable[..., Any]] = {
    "numbers": lambda v, x: x.__add__(2) * x.__rsub__(1.0) + x.__abs__() + x.__neg__() + x.__pow__(3),
    "constants": lambda v, x: (2.0).__rtruediv__(x) + x * (3).__add__(4) * True.__add__(1),
    "arrays": lambda v, x: np.sum(v.__mul__(x) + v.__radd__(1) + v.__rsub__(x) / v.__truediv__(2.0)),
    "products": lambda v, x: v.__matmul__(v) * x + v.__getitem__(1) * v.__len__(),
    "keys": lambda v, x: x * max(range(len(v)), key=v.__getitem__),
    "lists": lambda v, x: [x, v[0]].__getitem__(1) * [x].__len__() + (x, 1.0).__getitem__(0),
    "dicts": of_a_dict,
    "changes": changed,
    "of a class": lambda v, x: functools.reduce(float.__mul__, [x, 2.0, 3.0]) + list.__len__([x]) * v[0],
    "comparisons": lambda v, x: x if x.__lt__(2.0) and v.__getitem__(0).__ge__(0.0) else -x,
    "classes": lambda v, x: x.__class__(2) * x * v[0] * (v.__class__.__name__ == "ndarray"),
    "iterators": lambda v, x: sum([t * x for t in v.__iter__()]),
    "slices": lambda v, x: x * sum([v[j] for j in range(*slice(1, None, 2).indices(len(v)))]),
    "slices backwards": lambda v, x: x * sum([v[j] * j for j in range(*slice(None, -9, -1).indices(len(v)))]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_special_method_is_what_asks_for_it(name: str, backend: str):
    f = CASES[name]
    value, (dv, dx) = ccc.value_with_gradient(f, backend=backend)(V, 1.7)
    assert np.isclose(value, f(V, 1.7), rtol=1e-12)
    assert np.allclose(dv, differences(lambda v: f(v, 1.7), V), rtol=1e-6, atol=1e-7)
    assert np.isclose(dx, (f(V, 1.7 + 1e-6) - f(V, 1.7 - 1e-6)) / 2e-6, rtol=1e-6, atol=1e-7)


def test_classes_are_those_of_python():
    def f(x):
        return (x > 0).__and__(True), x.__int__(), x.__float__(), (2).__mul__(3), x.__round__(1), x.__eq__(1.7)

    g = lambda v: [float.__mul__(v[0], 2.0), v[0].__mul__(2.0), len(v).__add__(1)]  # noqa: E731
    cases: list[tuple[Any, Any]] = [(f, 1.7), (g, V)]
    for h, x in cases:
        found, expected = ccc.compiled(h)(x), h(x)
        assert [*found] == [*expected] and [*map(type, found)] == [*map(type, expected)]


@pytest.mark.parametrize("f", [lambda x: (3).__add__(x), lambda x: x.__mul__(np.ones(2)), lambda x: (3).__radd__(x)])
def test_what_gives_notimplemented_is_refused(f: Callable[[Any], Any]):
    assert f(2.0) is NotImplemented
    with pytest.raises(CompileError, match="NotImplemented"):
        ccc.compiled(f)(2.0)
