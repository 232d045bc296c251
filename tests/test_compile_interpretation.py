"""`ccc.interpret` compiles a function in a category of the user: power series, intervals, and counts of operations."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from test_compile_categories import POINTS, PROGRAMS, loop

import ccc
from ccc import laws
from ccc.arrows import Const, Prim
from ccc.compile.diagnostics import WrongArguments
from ccc.denotation import functor
from ccc.errors import CannotStage, MissingMeaning
from ccc.laws.choices import Randomly
from ccc.laws.generate import Generator
from ccc.laws.layers import LayeredComparison
from ccc.objects import BOOL, INT, Object, Product
from ccc.primitives.arithmetic import smallest
from ccc.primitives.elementary_math import cos, exp, sin

BACKENDS = ("numpy", "native")


def convolved(x: Any, y: Any) -> list[Any]:
    return [sum(x[i] * y[k - i] for i in range(k + 1)) for k in range(len(x))]


def exp_series(x: Any) -> list[Any]:
    y = [exp(x[0])]
    for k in range(1, len(x)):
        y.append(sum(i * x[i] * y[k - i] for i in range(1, k + 1)) / k)
    return y


def sin_series(x: Any) -> list[Any]:
    s, c = [sin(x[0])], [cos(x[0])]
    for k in range(1, len(x)):
        s.append(sum(i * x[i] * c[k - i] for i in range(1, k + 1)) / k)
        c.append(-sum(i * x[i] * s[k - i] for i in range(1, k + 1)) / k)
    return s


class Series(ccc.Layered):
    """The coefficients of powers of t, up to an order."""

    operations: ClassVar = {
        "add": lambda x, y: [a + b for a, b in zip(x, y, strict=True)],
        "sub": lambda x, y: [a - b for a, b in zip(x, y, strict=True)],
        "neg": lambda x: [-a for a in x],
        "mul": convolved,
        "math.exp": exp_series,
        "math.sin": sin_series,
    }

    def __init__(self, order: int) -> None:
        super().__init__()
        self.layers = order + 1


class Intervals(ccc.Layered):
    """A lower and an upper bound, without rounding; a test holds where it does for all numbers in them."""

    operations: ClassVar = {
        "add": lambda x, y: (x[0] + y[0], x[1] + y[1]),
        "sub": lambda x, y: (x[0] - y[1], x[1] - y[0]),
        "math.exp": lambda x: (exp(x[0]), exp(x[1])),
        "less": lambda x, y: x[1] < y[0],
    }

    def constant(self, value: Any) -> tuple[Any, ...]:
        return value, value


class Counts(ccc.Pointwise):
    """Values, each with how many primitives were applied on the way to it."""

    def of(self, a: Object) -> Object:
        return Product((a, INT))

    def terminal(self, a: Object) -> Any:
        return lambda x: ((), x[1])

    def prod(self, *arrows: Any) -> Any:
        def fork(x: Any) -> Any:
            found, n = [], 0
            for f in arrows:
                y, m = f((x[0], 0))
                found.append(y)
                n = n + m
            return tuple(found), n + x[1]

        return fork

    def proj(self, a: Product, index: int) -> Any:
        return lambda x: (x[0][index], x[1])

    def const(self, term: Const) -> Any:
        return lambda x: (self.base.const(term.value, term.cod), x[1])

    def primitive(self, term: Prim) -> Any:
        def counted(x: Any) -> Any:
            xs = x[0] if isinstance(term.dom, Product) else (x[0],)
            return self.base.apply(term.primitive, xs, dict(term.params), term.label), x[1] + 1

        return counted

    def cond(self, test: Any, then: Any, orelse: Any) -> Any:
        def branch(x: Any) -> Any:
            holds, n = test(x)
            return self.base.cond(holds, lambda: then((x[0], n)), lambda: orelse((x[0], n)))

        return branch


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_series_hold_the_derivatives(f: Callable[[float], float], backend: str):
    series, slope = ccc.interpret(f, Series(3), backend=backend), ccc.derivative(f)
    curvature = ccc.derivative(lambda x: slope(x))
    third = ccc.derivative(lambda x: curvature(x))
    for x in POINTS:
        wanted = f(x), slope(x), curvature(x) / 2.0, third(x) / 6.0
        assert series((x, 1.0, 0.0, 0.0)) == pytest.approx(wanted, rel=1e-11)


def test_the_compiled_meaning_is_the_one_on_numbers():
    on_numbers = functor(Series(2), ccc.arrow(loop, float))
    for x in POINTS:
        assert ccc.interpret(loop, Series(2))((x, 1.0, 0.5)) == pytest.approx(on_numbers((x, 1.0, 0.5)), rel=1e-13)


@pytest.mark.parametrize("f", [lambda x: (x > 0.5) * x, lambda x: x - (x < 2.0), lambda x: True * x])
def test_truth_values_that_are_computed_with_are_numbers(f: Callable[[Any], Any]):
    for x in (1.0, np.array([1.0, 0.25])):
        series = ccc.interpret(f, Series(2))((x, x, x * 0.0))
        for layer, wanted in zip(series, (*ccc.jvp(f, (x,), (x,)), x * 0.0), strict=True):
            np.testing.assert_allclose(layer, wanted)
    low, high = ccc.interpret(f, ccc.Intervals())((0.25, 1.0))
    assert all(low <= f(x) <= high for x in (0.25, 0.5, 0.75, 1.0))


@pytest.mark.parametrize("backend", BACKENDS)
def test_intervals_hold_the_values_within(backend: str):
    def f(x: float, y: float) -> float:
        for _ in range(3):
            x = x + math.exp(y) - 1.0 if x < 10.0 else x - y
        return x - y

    low, high = ccc.interpret(f, Intervals(), backend=backend)((1.0, 1.5), (0.25, 0.5))
    found = [f(x, y) for x in np.linspace(1.0, 1.5, 5) for y in np.linspace(0.25, 0.5, 5)]
    assert low <= min(found) and max(found) <= high and high - low < 4.0


def test_a_category_that_is_not_layered():
    def f(x: float, y: float) -> float:
        z = x * y
        return math.sin(z) + z if z < 3.0 else z

    counted = ccc.interpret(f, Counts)
    assert counted((1.0, 0), (2.0, 0)) == (math.sin(2.0) + 2.0, 4)
    assert counted((2.0, 0), (2.0, 0)) == (4.0, 2)


@dataclass
class Point:
    x: float
    n: int


def test_structures_stand_for_themselves():
    k, one = Series(1), np.arange(3.0)
    scaled = ccc.interpret(lambda p: Point(p.x * p.n, p.n + 1), k)
    assert scaled((Point(3.0, 2), Point(1.0, ()))) == (Point(6.0, 3), Point(2.0, ()))  # type: ignore[arg-type]
    assert ccc.interpret(lambda d: d["a"] * d["a"], k)(({"a": 3.0}, {"a": 1.0})) == (9.0, 6.0)
    assert ccc.interpret(lambda xs: sum([x * x for x in xs]), k)(([1.0, 2.0], [1.0, 0.0])) == (5.0, 2.0)
    value, beside = ccc.interpret(lambda a: a[1:] * a[::2][1:], k)((one, np.ones(3)))
    assert value.tolist() == [2.0, 4.0] and beside.tolist() == [3.0, 4.0]

    def changed(xs: list[float]) -> list[float]:
        found = [x * i for i, x in enumerate(xs)]
        found[0] = found[1] * 2.0
        return found

    assert ccc.interpret(changed, k)(([1.0, 2.0], [1.0, 1.0])) == ([4.0, 2.0], [2.0, 1.0])


def test_functions_are_values():
    def chosen(x: float) -> float:
        f = (lambda y: x * y) if x > 1.0 else (lambda y: x + y)
        return f(f(2.0))

    series = ccc.interpret(chosen, Series(2))
    assert series((3.0, 1.0, 0.0)) == (18.0, 12.0, 2.0) and series((1.0, 1.0, 0.0)) == (4.0, 2.0, 0.0)


SCALE, WEIGHTS = 2.5, np.array([1.0, 2.0])


def test_what_stands_for_nothing_is_a_constant():
    k = Series(1)
    assert ccc.interpret(lambda x, n: x * n, k)((2.0, 1.0), 3) == (6.0, 3.0)
    assert ccc.interpret(lambda x, y: x * y, k)((2.0, 1.0), y=3.0) == (6.0, 3.0)
    value, beside = ccc.interpret(lambda a: a * WEIGHTS * SCALE, k)((np.ones(2), np.ones(2)))
    assert value.tolist() == beside.tolist() == [2.5, 5.0]


def test_verbs_have_meanings():
    assert ccc.interpret(ccc.gradient(lambda x: x * x * x), Series(2))((2.0, 1.0, 0.0)) == (12.0, 12.0, 3.0)
    assert ccc.interpret(lambda x: x * x, ccc.Forward())((3.0, 1.0)) == (9.0, 6.0)
    assert ccc.interpret(lambda x: x * x, ccc.Functions)(3.0) == 9.0


def test_rules_of_users_have_their_bodies_as_meanings():
    @ccc.checkpointed
    def square(x: float) -> float:
        return x * x

    assert ccc.interpret(lambda x: square(x) + x, Series(1))((3.0, 1.0)) == (12.0, 7.0)


def test_code_is_kept_for_categories_that_are_alike():
    f = lambda x: x * x  # noqa: E731
    one, other = ccc.interpret(f, Series(1)), ccc.interpret(f, Series(1))
    one((2.0, 1.0))
    assert one.codes and one.codes is other.codes  # type: ignore[attr-defined]
    assert not ccc.interpret(f, Series(2)).codes  # type: ignore[attr-defined]


def test_an_interpretation_is_explained():
    found = ccc.explain(ccc.interpret(lambda x: x * x, Series(1)), (3.0, 1.0))
    assert "return" in found.code and "x_0" in found.code


class NoLoops(ccc.Pointwise):
    """Functions without control."""

    def terminal(self, a: Object) -> Any:
        return lambda x: ()

    def prod(self, *arrows: Any) -> Any:
        return lambda x: tuple([f(x) for f in arrows])

    def proj(self, a: Product, index: int) -> Any:
        return lambda x: x[index]

    def const(self, term: Const) -> Any:
        return lambda x: term.value

    def primitive(self, term: Prim) -> Any:
        return lambda x: term.primitive(*(x if isinstance(term.dom, Product) else (x,)), **dict(term.params))


class Raising(ccc.Layered):
    operations: ClassVar = {"mul": lambda x, y: x[7]}


class TooMany(ccc.Layered):
    operations: ClassVar = {"mul": lambda x, y: (x[0], x[0], x[1])}


class TooFew(ccc.Layered):
    operations: ClassVar = {"mul": lambda x, y: x[0] * y[0]}


class Choosing(ccc.Layered):
    operations: ClassVar = {"mul": lambda x, y: (x[0] * y[0], max(x[1], y[1]))}


class Floats(ccc.Layered):
    operations: ClassVar = {"mul": lambda x, y: (x[0] * y[0], math.hypot(x[1], y[1]))}


def tangent(x: float) -> float:
    y = x * x
    return math.tan(y)


REFUSED: list[tuple[Any, Any, Any, type[Exception], str]] = [
    (tangent, Series(1), (1.0, 1.0), MissingMeaning, "`Series` does not say what `math.tan` means"),
    (loop, NoLoops, 1.0, MissingMeaning, "`NoLoops` does not say what `cond` means"),
    (tangent, Raising(), (1.0, 1.0), CannotStage, "what `Raising` says of `mul`: IndexError"),
    (tangent, Series(2), (1.0, 1.0), WrongArguments, "which stands for nothing in `Series`"),
    (lambda x: x * x, TooMany(), (1.0, 1.0), CannotStage, "what `TooMany` says of `mul` is 3 values, where"),
    (lambda x: x * x, TooFew(), (1.0, 1.0), CannotStage, "what `TooFew` says of `mul` is one value, where there are 2"),
    (lambda x: x * x, Choosing(), (1.0, 1.0), CannotStage, "by largest and smallest of ccc.primitives.arithmetic"),
    (lambda x: x * x, Floats(), (1.0, 1.0), CannotStage, "take functions of ccc.primitives, as elementary_math.sqrt"),
    (lambda x: x * x, Series(1), (np.ones(2), 1.0), WrongArguments, "1 axis stands there as (an array"),
    (lambda x: lambda y: x, Series(1), (1.0, 1.0), ccc.HigherOrderBoundary, "result is a function"),
]


@pytest.mark.parametrize(("f", "k", "x", "kind", "what"), REFUSED)
def test_what_a_category_cannot_say_is_refused_by_name(f: Any, k: Any, x: Any, kind: Any, what: str):
    with pytest.raises(kind) as refused:
        ccc.interpret(f, k)(x)
    assert what in str(refused.value) and ".py:" in str(refused.value) and "= help: " in str(refused.value)


def test_a_missing_primitive_is_shown_in_its_line():
    with pytest.raises(MissingMeaning) as refused:
        ccc.interpret(tangent, Series(1))((1.0, 1.0))
    assert "    return math.tan(y)\n" in str(refused.value) and "^^^^^^^^^^^" in str(refused.value)


class NotPointwise:
    def identity(self, a: Object) -> Any:
        return 0


@pytest.mark.parametrize(("given", "what"), [
    ((lambda x: x, NotPointwise()), "a function is read in a pointwise category, found NotPointwise"),
    ((lambda x: x, ccc.Reverse()), "the arrows of `Reverse` give pullbacks"),
    ((lambda x: x, Series(1), 1.0), "interpret takes a function and a category"),
    ((3, Series(1)), "interpret takes a function, found int"),
])
def test_what_is_no_function_in_a_category_is_refused(given: Any, what: str):
    with pytest.raises(WrongArguments, match=what):
        ccc.interpret(*given)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_the_verb_that_compiles_a_function_reads_it_in_a_category(backend: str):
    def f(x: float) -> float:
        y = x
        for _ in range(4):
            y = y * x if y < 10.0 else y - x
        return y

    found = ccc.compiled(f, category=ccc.Forward, backend=backend)((2.0, 1.0))
    assert found == ccc.interpret(f, ccc.Forward(), backend=backend)((2.0, 1.0)) == (14.0, 31.0)
    with pytest.raises(WrongArguments, match="from outside"):
        ccc.compiled(lambda x: ccc.compiled(f, category=ccc.Forward())((x, 1.0))[1])(2.0)


class Digits(ccc.Layered):
    """A number and how large its error may be compared with it, which nothing says of zero."""

    operations: ClassVar = {
        "add": lambda x, y: (x[0] + y[0], (abs(x[0]) * x[1] + abs(y[0]) * y[1]) / abs(x[0] + y[0])),
        "sub": lambda x, y: (x[0] - y[0], (abs(x[0]) * x[1] + abs(y[0]) * y[1]) / abs(x[0] - y[0])),
        "mul": lambda x, y: (x[0] * y[0], x[1] + y[1]),
    }


class Shortest(ccc.Layered):
    """The tropical numbers, with which sums are least ways and products sums."""

    layers = 1
    of_numbers = False
    operations: ClassVar = {"add": lambda x, y: (smallest(x[0], y[0]),), "mul": lambda x, y: (x[0] + y[0],)}


@pytest.mark.parametrize("k", [Digits(), Shortest()])
def test_a_category_of_which_some_numbers_have_no_value_obeys_the_laws(k: ccc.Layered):
    report = laws.check(k, only=["category", "products", "functions", "branches", "soundness"], examples=40)
    assert report.ok, report
    nothing = [reason for verdict in report.verdicts for reason in verdict.dropped or () if "has no value" in reason]
    assert bool(nothing) == isinstance(k, Digits)


def test_an_entry_that_raises_otherwise_breaks_the_laws():
    class Broken(ccc.Layered):
        operations: ClassVar = {"add": lambda x, y: (x[0] + y[0], x[2])}

    (verdict,) = laws.check(Broken(), only=["id-left"], examples=40).verdicts
    assert verdict.outcome == "fails" and "IndexError" in str(verdict)


def test_inside_of_programs_it_is_refused():
    square = ccc.interpret(lambda x: x * x, Series(1))
    with pytest.raises(WrongArguments, match="from outside"):
        ccc.gradient(lambda x: square((x, 1.0))[0])(3.0)


class Residues(ccc.Layered):
    """Whole numbers up to multiples of 7."""

    layers = 1
    operations: ClassVar[Any] = {
        "add": lambda x, y: ((x[0] + y[0]) % 7,),
        "mul": lambda x, y: ((x[0] * y[0]) % 7,),
        "math.sin": lambda x: ((2.0 ** (x[0] // 3.0) + 9 % (x[0] + 1.0)) % 7,),
    }

    def constant(self, value: Any) -> Any:
        return (value % 7,)


def test_entries_of_a_table_take_the_operators_of_arithmetic() -> None:
    def powers(x: float, y: float) -> float:
        for _ in range(5):
            y = y * x + 9.0
        return y

    assert ccc.interpret(powers, Residues())((3.0,), (1.0,)) == (powers(3.0, 1.0) % 7,)
    x = 5.0
    assert ccc.interpret(lambda x: math.sin(x), Residues())((x,)) == ((2.0 ** (x // 3.0) + 9 % (x + 1.0)) % 7,)


def test_one_layer_is_judged() -> None:
    assert laws.check(Residues(), only=["products", "functions", "loops"], examples=10).ok
    residue = LayeredComparison(Residues(), Generator(Randomly(0)))
    assert residue.values((True,), (False,), BOOL, None) and not residue.missed((True,), True, BOOL)


def test_a_constant_that_needs_a_known_value_is_told_with_its_place() -> None:
    class Rounded(ccc.Layered):
        def constant(self, value: Any) -> Any:
            return value, math.floor(value)

    with pytest.raises(CannotStage, match="says of constants and arguments that stand for themselves: TypeError"):
        ccc.interpret(lambda x, y: x * y, Rounded())((1.0, 1.0), 2.0)
