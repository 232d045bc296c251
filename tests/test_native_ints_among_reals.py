"""Machine code computes with lists in which ints stand among reals, where no result may be one of these ints."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import ccc


@dataclass
class Link:
    length: float
    turn: float


LINKS = [Link(1, 0.5), Link(0.5, 0)]
KNOTS = [0, 0.5, 2]


def reach(x):
    return sum(link.length * (x + link.turn) ** 2 for link in LINKS)


def along(x):
    return sum(abs(x - k) * (i + k) for i, k in enumerate(KNOTS))


def of_arguments(x, rows):
    return sum(a * x + b for a, b in rows)


def largest(x):
    return max(KNOTS), x * x


def told(x):
    print(KNOTS[0])
    return x * KNOTS[1]


def left(gradient, *args):
    return "left to numpy when called" in str(ccc.explain(gradient, *args).backend)


@pytest.mark.parametrize(("f", "args"), [(reach, (1.5,)), (along, (1.3,)), (of_arguments, (2.0, [(1, 2.5), (0.5, 3)]))])
def test_ints_among_reals_are_read_as_floats(f, args):
    gradient = ccc.value_with_gradient(f, wrt=0, backend="native")
    for _ in range(3):
        value, slope = gradient(*args)
    h = 1e-6
    assert value == f(*args) and type(value) is float and not left(gradient, *args)
    assert abs(slope - (f(args[0] + h, *args[1:]) - f(args[0] - h, *args[1:])) / (2 * h)) < 1e-6


def test_a_result_that_may_be_one_of_these_ints_is_one():
    value = ccc.compiled(largest, backend="native")(3.0)
    assert value == (2, 9.0) and type(value[0]) is int


def test_what_is_shown_of_them_is_an_int(capsys):
    assert ccc.gradient(told, backend="native")(3.0) == 0.5
    assert capsys.readouterr().out == "0\n"


def test_lists_of_ints_alone_stay_such():
    gradient = ccc.value_with_gradient(of_arguments, wrt=0, backend="native")
    for rows in ([(1, 2.5), (0.5, 3)], [(1, 2), (3, 4)], [(1.0, 2.0)], [(2**60, 0.5), (0.5, 1)]):
        assert gradient(2.0, rows)[0] == of_arguments(2.0, rows)
    with pytest.raises(OverflowError):
        gradient(2.0, [(10**400, 0.5), (0.5, 1)])
