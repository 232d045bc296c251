"""What is refused of tests that are not decided in an interval is told at the line of the test."""

from __future__ import annotations

from typing import Any

import pytest

import ccc


def counting(x: float) -> float:
    n = 0
    if x > 0.5:  # the test
        n = 3
    return n * x


def counting_by_two_tests(x: float) -> float:
    n = 0
    if x > 0.2 and x < 0.5:  # the test
        n = 3
    return n * x


def collecting(x: float) -> float:
    xs = [x]
    while x < 3.0:  # the test
        xs.append(x)
        x = x + 1.0
    return sum(xs)


def in_a_loop(x: float) -> float:
    y = x * 2.0
    for k in range(3):
        if y * x > 0.5:  # the test
            k = k + 1
        y = y + k
    return y


def kept(x: float) -> float:
    found: list[float] = []
    for k in range(4):
        if len(found) < 3:
            found.append(x * k)
    return max(found) * min(found)  # the test


def told(f: Any) -> Any:
    """The one diagnostic of what is refused between 0 and 1."""
    with pytest.raises(ccc.CCCError) as raised:
        ccc.interpret(f, ccc.Intervals())((0.0, 1.0))
    (found,) = raised.value.diagnostics
    return found


@pytest.mark.parametrize("f", [counting, counting_by_two_tests, collecting, in_a_loop, ccc.gradient(counting),
                               ccc.gradient(collecting), ccc.gradient(kept)])  # fmt: skip
def test_a_join_that_is_refused_names_the_line_of_its_test(f: Any):
    found = told(f)
    assert found.code == "CC006" and "test" in found.message and found.help
    assert found.span is not None and found.span.file == __file__
    assert found.span.lines[found.span.line - 1].rstrip().endswith("# the test")


def test_a_list_that_a_loop_makes_is_refused_by_name():
    """It was a TypeError of the category's own."""
    assert told(collecting).message == "a list, each item a real number depends on a `while` whose test is not decided"
