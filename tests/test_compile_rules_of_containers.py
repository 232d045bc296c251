"""Rules for functions of containers: cotangents are like the arguments, or like what these are below."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from typing import Any

import pytest
from scipy.interpolate import CubicSpline

import ccc
from ccc.compile.diagnostics import WrongArguments


class Params(dict):  # type: ignore[type-arg]
    pass


class Row(list):  # type: ignore[type-arg]
    pass


def area(d: Any) -> Any:
    return d["a"] * d["b"]


@ccc.derivative_of(area)
def area_rule(d: Any) -> Any:
    return area(d), lambda ct: {"a": ct * d["b"], "b": ct * d["a"]}


def product(xs: Any) -> Any:
    return xs[0] * xs[1]


@ccc.derivative_of(product)
def product_rule(xs: Any) -> Any:
    return product(xs), lambda ct: [ct * xs[1], ct * xs[0]]


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("made", [dict, Params, OrderedDict, Counter, lambda **of: defaultdict(float, **of)])
def test_a_dict_is_the_cotangent_of_one_of_a_class_below(made: Any, backend: str):
    found = ccc.gradient(area, backend=backend)(made(a=2.0, b=3.0))
    assert type(found) is type(made(a=2.0, b=3.0)) and dict(found) == {"a": 3.0, "b": 2.0}
    ccc.check_derivative(area, made(a=2.0, b=3.0))


@pytest.mark.parametrize("made", [list, Row, tuple])
def test_a_list_is_the_cotangent_of_a_tuple_and_of_one_of_a_class_below(made: Any):
    found = ccc.gradient(product)(made([2.0, 3.0]))
    assert list(found) == [3.0, 2.0]


class Net:
    def __init__(self, w: float, b: float) -> None:
        self.w, self.b = w, b


def loss(net: Net) -> float:
    return net.w * net.b


@ccc.derivative_of(loss)
def loss_rule(net: Net) -> Any:
    return loss(net), lambda ct: {"w": ct * net.b, "b": ct * net.w}


def test_what_is_not_like_an_argument_is_refused_by_its_name():
    with pytest.raises(ccc.CCCError, match="a `dict` with w, b for `net`, which is a `Net` with w, b"):
        ccc.gradient(loss)(Net(1.0, 2.0))


class Doubled:
    def __call__(self, x: float) -> float:
        return 2.0 * x


def test_rules_that_nothing_would_ask_are_refused():
    with pytest.raises(WrongArguments, match="`__call__` is a method of a library's class"):
        ccc.derivative_of(CubicSpline.__call__)
    with pytest.raises(WrongArguments, match="found an object of `Doubled`"):
        ccc.derivative_of(Doubled())
    spline = CubicSpline([0.0, 1.0, 2.0], [0.0, 1.0, 4.0])
    ccc.derivative_of(spline)(lambda x: (spline(x), lambda ct: 7.0 * ct))
    assert ccc.gradient(lambda x: spline(x))(1.5) == 7.0
