"""Provenance: which numbers a result was computed from, by reverse mode with labels in place of cotangents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import ccc
from ccc import Labels, laws
from ccc.additive import ZERO
from ccc.errors import BoundaryMismatch
from ccc.records import mapped

EXPONENTIALS = (ccc.Delta(), ccc.AdditiveMap(), ccc.AnyDerivative())


def asked(f: Any, args: tuple[Any, ...], ct: Any, exponential: Any = None) -> Any:
    x = args[0] if len(args) == 1 else args
    return ccc.Provenance(exponential).behind(ccc.arrow(f, *args), x)[1](ct)


def total(rows: list[tuple[int, float]], wanted: int) -> float:
    return sum([n for label, n in rows if label == wanted])


def several(xs: list[float], n: int) -> float:
    y = 1.0
    for x in xs:
        y = y * x if x > 0.0 else y

    def shifted(t: float) -> float:
        return t + y * xs[0]

    while n > 0:
        y, n = y * xs[n % len(xs)], n - 1
    return shifted(2.0) - y


def power(x: float, n: int) -> float:
    return 1.0 if n < 1 else x * power(x, n - 1)


@pytest.mark.parametrize("exponential", EXPONENTIALS, ids=lambda e: e.name)
def test_the_slice_of_a_query_has_the_rows_that_were_added_up(exponential: Any) -> None:
    rows = [(1, 10.0), (2, 20.0), (1, 30.0)]
    slice_, _ = asked(total, (rows, 1), Labels("total"), exponential)
    assert [number for _, number in slice_] == [Labels("total"), None, Labels("total")]
    kept = [row for row, (_, number) in zip(rows, slice_, strict=True) if number is not None]
    assert total(kept, 1) == total(rows, 1)


@pytest.mark.parametrize("exponential", EXPONENTIALS, ids=lambda e: e.name)
def test_loops_branches_and_closures_are_followed(exponential: Any) -> None:
    assert asked(several, ([1.0, -2.0, 3.0, -4.0], 2), Labels(1), exponential)[0] == [
        Labels(1), Labels(1), Labels(1), None]
    assert asked(power, (2.0, 3), 1.0, exponential)[0] == 3.0


@dataclass
class Pair:
    a: float
    b: float
    name: str = "pair"


def pushed(xs: list[float]) -> float:
    ys: list[float] = []
    for x in xs:
        ys.insert(0, x)
    ys[1] = ys[0] * 2.0
    return ys[1]


@pytest.mark.parametrize("exponential", EXPONENTIALS, ids=lambda e: e.name)
@pytest.mark.parametrize("f, x, ct, wanted", [
    (lambda xs: xs[0] * xs[2], [1.0, 3.0, 2.0], "m", ["m", None, "m"]),
    (lambda xs: xs[-1], [1.0, 3.0], "m", [None, "m"]),
    (lambda xs: (xs[1:][0], xs[0]), [1.0, 3.0], ("m", "n"), ["n", "m"]),
    (lambda xs: (xs[0][1], xs[0][0], xs[1][1]), [(1.0, 3.0), (2.0, 5.0)], ("m", "n", None), [("n", "m"), (None, None)]),
    (lambda xs: xs[0][1] * xs[1][0], [[1.0, 3.0], [2.0, 4.0]], "m", [[None, "m"], ["m", None]]),
    (pushed, [1.0, 3.0], "m", [None, "m"]),
    (lambda d: d["a"], {"a": 1.0, "b": [2.0]}, "m", {"a": "m", "b": [None]}),
    (lambda p: p.b * 2.0, Pair(1.0, 2.0), "m", Pair(None, "m", None)),  # type: ignore[arg-type]
    (lambda ps: ps[1].b, [Pair(1.0, 2.0), Pair(3.0, 4.0)], "m",
     [Pair(None, None, None), Pair(None, "m", None)]),  # type: ignore[arg-type]
])
def test_an_item_and_a_part_are_asked_alone(f: Any, x: Any, ct: Any, wanted: Any, exponential: Any) -> None:
    found = asked(f, (x,), mapped(lambda of: of and Labels(of), ct), exponential)
    assert mapped(lambda of: of and next(iter(of.of)), found) == wanted


@pytest.mark.parametrize("x", [([1.0, 3.0],), 1.0, (1.0, [2.0])])
def test_an_argument_of_another_structure_is_refused(x: Any) -> None:
    with pytest.raises(BoundaryMismatch, match="where the argument has"):
        ccc.Provenance().behind(ccc.arrow(lambda xs: xs[0], [1.0, 3.0]), x)


def test_a_gradient_asks_for_what_it_reads() -> None:
    gradient = ccc.gradient(lambda x, y, z: x * x * y + z)
    found = asked(gradient, (2.0, 3.0, 4.0), tuple(map(Labels, "xyz")))
    assert found == (Labels("x", "y"), Labels("x"), None)


def test_a_result_of_nothing_asks_for_nothing() -> None:
    assert asked(lambda x, y: (y, 2.0), (1.0, 2.0), (Labels(1), Labels(2))) == (None, Labels(1))


def test_what_cancels_in_a_derivative_is_asked_all_the_same() -> None:
    found = asked(lambda x, y: x - x + 0.0 * y, (1.0, 2.0), Labels(1))
    assert found == (Labels(1), Labels(1))


def test_a_function_with_a_rule_of_its_own_is_read_by_its_body() -> None:
    @ccc.differentiable
    def product(x: float, y: float) -> float:
        return x * y

    @ccc.derivative_of(product)
    def product_vjp(x: float, y: float) -> Any:
        return product(x, y), lambda ct: (ct * y, 0.0)

    assert asked(lambda x, y: product(x, y), (3.0, 4.0), Labels(1)) == (Labels(1), Labels(1))


def test_arrays_are_asked_item_by_item() -> None:
    def f(a: Any, x: Any) -> Any:
        y = a @ x
        return np.cumsum(np.maximum(y[1:], 0.0) * 2.0), x[::-1].reshape(1, 3)

    def filled(x: Any) -> Any:
        out = np.zeros(4)
        for i in range(3):
            out[i + 1] = out[i] + x[i] * x[i]
        total = 0.0
        for y in out[:2]:
            total = total + y
        return out, total

    a, x, first = np.arange(9.0).reshape(3, 3), np.array([1.0, 2.0, 3.0]), Labels("first")
    rows, column = asked(f, (a, x), (np.array([first, None]), None))
    assert rows.tolist() == [[None] * 3, [first] * 3, [None] * 3] and column.tolist() == [first] * 3
    rows, column = asked(f, (a, x), (np.array([1.0, 1.0]), np.array([[1.0, None, None]])))
    assert rows.tolist() == [[None] * 3, [2.0] * 3, [1.0] * 3] and column.tolist() == [3.0, 3.0, 4.0]
    assert asked(filled, (x,), (np.array([None, None, first, None]), None)).tolist() == [first, first, None]
    assert asked(filled, (x,), (None, first)).tolist() == [first, None, None]
    assert asked(np.diff, (x,), np.array([Labels(0), Labels(1)])).tolist() == [Labels(0), Labels(0, 1), Labels(1)]


def test_interpret_gives_the_value_and_what_is_asked() -> None:
    value, asks = ccc.interpret(lambda x, y: x * x + y, ccc.Provenance())(3.0, 1.0)
    assert value == 10.0 and asks(Labels("z")) == (Labels("z"), Labels("z"))
    value, asks = ccc.interpret(sum, ccc.Provenance())([3.0, 1.0])
    assert value == 4.0 and asks(Labels("z")) == [Labels("z"), Labels("z")]


@pytest.mark.parametrize("exponential", EXPONENTIALS, ids=lambda e: e.name)
def test_its_laws_hold(exponential: Any) -> None:
    some = ["slices", "pullback-linear", "pullback-adequate", "curry-beta", "fold-cons", "fix-unroll"]
    report = laws.check(ccc.Provenance(exponential), only=some, examples=4)
    outcomes = {verdict.check: verdict.outcome for verdict in report.verdicts}
    assert report.ok, str(report)
    assert outcomes["slices"] == "tested" and outcomes["pullback-adequate"] == "not applicable"


def test_a_branch_that_asks_for_nothing_is_found() -> None:
    class Forgetful(ccc.Provenance):
        def cond(self, test: Any, then: Any, orelse: Any) -> Any:
            run = super().cond(test, then, orelse)
            return lambda x: (run(x)[0], lambda ct: ZERO)

    assert not laws.check(Forgetful(), only=["slices"], examples=60)
