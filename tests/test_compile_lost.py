"""Derivatives that get lost on their way through `int`: refused where a result is computed from it, and only there."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import ccc
from ccc.compile.diagnostics import CompileError


def straight(x: float) -> float:
    return float(int(x)) + 2


def in_arithmetic(x: float) -> float:
    return x * int(x + 1.0)


def through_a_loop(x: float) -> float:
    n, s = int(x), 0.0
    for _ in range(3):
        n = n + 1
        s = s + n * 2.0
    return s


def through_a_branch(x: float) -> float:
    n = int(x) if x > 1.0 else 3
    return n * 2.0


def through_a_closure(x: float) -> float:
    f = lambda y: int(y)  # noqa: E731
    return f(x) + x


def through_a_list(x: float) -> float:
    return sum([1.0 * n for n in [int(x), 2]])


def in_a_while(x: float) -> float:
    n, s = int(x), 1.0
    while s < 5.0:
        s = s + n
    return s


def in_a_root(x: float) -> float:
    """`np.sqrt` of it was refused, and `math.sqrt` was not."""
    return x * math.sqrt(int(x))


def in_a_power(x: float) -> float:
    return math.pow(int(x), 2) + x


def in_a_divisor(x: float) -> float:
    return math.gcd(int(x), 4) * x


@pytest.mark.parametrize("f", [
    straight, in_arithmetic, through_a_loop, through_a_branch, through_a_closure, through_a_list, in_a_while, in_a_root,
    in_a_power, in_a_divisor,
])
def test_it_is_refused_at_the_conversion(f: Any):
    for verb in (ccc.gradient, ccc.value_with_pullback, ccc.derivative, ccc.value_with_differential):
        with pytest.raises(CompileError, match=r"CC023.*derivative lost: `int`") as raised:
            verb(f)(2.5)
        (found,) = raised.value.diagnostics
        assert found.span is not None
        assert found.span.lines[found.span.line - 1][found.span.column :].startswith("int(")
        assert "depends on `x`" in str(found) and "ccc.without_derivative(int(" in found.help
    assert ccc.compiled(f)(2.5) == f(2.5)


def chooses(x: float, xs: list[float], n: int) -> float:
    k = int(x)
    total = xs[k] * x + (x if k > 2 else 0.0) + float(int(n)) * x
    for _ in range(k):
        total = total + x
    if k == 100:
        return float(xs[k - 1])
    return total * np.zeros(k + 2).size


def test_indices_lengths_and_choices_lose_nothing():
    assert ccc.gradient(chooses)(2.0, [1.0, 2.0, 3.0], 4)[0] == 4.0 * (3.0 + 4.0 + 2.0)


def test_what_is_no_result_or_no_input_loses_nothing():
    assert ccc.gradient(lambda x: (x * x, float(int(x)))[0])(3.0) == 6.0
    assert ccc.gradient(lambda x, y: x * int(y), wrt="x")(3.0, 2.5) == 2.0
    assert ccc.gradient(lambda x: x * int(ccc.without_derivative(x)))(3.0) == 3.0
    assert ccc.gradient(lambda x: x * ccc.without_derivative(int(x)))(3.0) == 3.0


def test_derivatives_inside_programs():
    with pytest.raises(CompileError, match="CC023"):
        ccc.compiled(lambda x: ccc.derivative(lambda y: y * int(y))(x))(2.0)
    with pytest.raises(CompileError, match="CC023"):
        ccc.compiled(lambda x: ccc.pullback(lambda y: y * int(y))(x)(1.0))(2.0)


@pytest.mark.parametrize("text", ["float(list())", "float([])", "int((x, x))", "float({'a': x})"])
def test_what_holds_several_values_is_no_number(text: str, tmp_path: Any):
    (tmp_path / "m.py").write_text(f"def f(x):\n    y = {text}\n    return x\n")
    space: dict[str, Any] = {}
    exec(compile((tmp_path / "m.py").read_text(), str(tmp_path / "m.py"), "exec"), space)
    with pytest.raises(TypeError):
        space["f"](1.0)
    with pytest.raises(CompileError, match="CC027"):
        ccc.gradient(space["f"])(1.0)


def stored_as_ints(x: Any) -> Any:
    y = np.array([0, 0, 0])
    for i in range(3):
        y[i] = x[i] ** 2
    return y.sum() * 1.0


def added_to_ints(x: Any) -> Any:
    y = np.zeros(3, dtype=int)
    y[0] += x[0]
    np.add.at(y, [1, 2], x[:2])
    return y.sum() * 1.0


@pytest.mark.parametrize(("f", "count"), [(stored_as_ints, 1), (added_to_ints, 2)])
def test_what_is_stored_in_an_array_of_ints_is_told(f: Any, count: int):
    x = np.array([1.5, 2.5, 3.5])
    with pytest.warns(ccc.CCCWarning) as told:
        assert np.array_equal(ccc.gradient(f)(x), np.zeros(3))
    found = ["warning[CC023]: what is stored here in an array of ints" in str(w.message) for w in told]
    assert found == [True] * count


def chosen(x: Any) -> Any:
    y = np.zeros(4, dtype=int)
    y[0] = int(x[0])
    y[1] = np.floor(x[1])
    y[2] = np.argmax(x)
    y[3] = ccc.without_derivative(x[2])
    y[x > 2.0] += 1
    return x[y[0] - 1] * y[1] + y.sum()


def test_ints_that_are_meant_are_stored_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ccc.gradient(chosen)(np.array([1.5, 2.5, 3.5, 0.5])).tolist() == [3.0, 0.0, 0.0, 0.0]
