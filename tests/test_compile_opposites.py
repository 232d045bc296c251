"""What a derivative takes away: it is subtracted, where its opposite could be computed and added."""

from __future__ import annotations

import numpy as np
import pytest
from checks import agrees

import ccc
from benchmarks.programs.rk4 import orbit_end


def predators(x, y):
    return x * (1.5 - y) * (y - 2.0 * x) - y * (0.5 - x * y) ** 2


def distances(x, y):
    """The cotangent of what is broadcast is the opposite of a sum."""
    found = np.zeros((len(y), len(x)))
    for i in range(len(y)):
        found[i] = np.sum((x - y[i]) ** 2, axis=1)
    return np.sum(found**2)


def accumulated(x, y):
    """A loop makes a sum of opposites."""
    total = 0.0
    for i in range(len(x)):
        total += np.sin(x[i] - y) - y * x[i]
    return total


def gradient_code(f, *args):
    return ccc.explain(ccc.gradient(f), *args).code


X = np.array([0.5, -1.25, 2.0])


@pytest.mark.parametrize("f, args", [
    (predators, (0.5, -1.25)), (distances, (np.outer(X, 1 - X), np.outer(X, X))), (accumulated, (X, 0.25)),
])  # fmt: skip
def test_derivatives_stay(f, args):
    agrees(f, *args)


def test_no_opposite_is_computed_where_a_difference_will_do():
    assert " = -" not in gradient_code(predators, 0.5, -1.25)
    code = gradient_code(orbit_end, *[0.5] * 6, 10)
    assert code.count(" = -") == 2  # what the first stages add to the sums of all steps


def test_a_sum_is_negated_and_not_what_is_summed():
    code = gradient_code(distances, np.outer(X, 1 - X), np.outer(X, X)).splitlines()
    opposites = [line.split(" = ")[0].strip() for line in code if " = -" in line]
    assert len(opposites) == 1 and not any(f"unbroadcast({name}," in line for line in code for name in opposites)


def test_the_sum_of_a_loop_stays_one():
    code = gradient_code(accumulated, X, 0.25)
    assert "dy = dy + " in code


def test_what_is_broadcast_by_its_reader_is_not_written_out():
    code = gradient_code(distances, np.outer(X, 1 - X), np.outer(X, X))
    assert "[:, None]" in code and "expanded(" not in code
