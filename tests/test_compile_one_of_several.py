"""What is one of several objects: the methods that Python asks of it, in loops, `with` and `try`; which one it is."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value


class Base:
    def __init__(self, v: float) -> None:
        self.v = v
        self.log = [v]

    def put(self, t: float) -> None:
        self.v += t
        self.log.append(t)

    def __iter__(self) -> Iterator[float]:
        yield self.v
        yield 2.0

    def __enter__(self) -> float:
        self.v += 0.25
        return self.v

    def __exit__(self, *raised: Any) -> bool:
        self.v *= 0.5
        return raised[0] is ValueError

    def __float__(self) -> float:
        return self.v * 3.0

    def __iadd__(self, other: Base) -> Base:
        self.v -= 0.5 * other.v
        return self


class Other(Base):
    tag = 2.0

    def put(self, t: float) -> None:
        super().put(2.0 * t)

    def __iter__(self) -> Iterator[float]:
        return iter([self.v, 0.5, self.v * self.v])

    def __abs__(self) -> float:
        return self.v * self.v


def with_loops(x: float, n: int) -> float:
    both = [Base(x), Other(2.0 * x)]
    s = 0.0
    for t in both[n % 2]:
        s += t * x
    return s + sum([t * t for t in both[n % 2]]) + max(both[n % 2]) + list(both[n % 2])[-1] + float(both[n % 2])


def with_managers(x: float, n: int) -> float:
    both = [Base(x), Other(2.0 * x)]
    with both[n % 2] as m:
        both[0].put(m)
        if n == 3:
            raise ValueError
    return both[0].v + 10.0 * both[1].v + m


def with_augmented_items(x: float, n: int) -> float:
    both = [Base(x), Other(2.0 * x)]
    try:
        both[n] += both[1]
    except IndexError:
        return x
    return both[0].v + 10.0 * both[1].v


def with_super_of_an_item(x: float, n: int) -> float:
    by_name = {"p": Other(x), "q": Other(2.0 * x)}
    by_name["q" if x > 1.0 else "p"].put(x)
    xs = [Other(x * i) for i in range(n + 2)]
    xs[n].put(x)
    return by_name["p"].v + 10.0 * by_name["q"].v + sum(o.v for o in xs)


def with_chosen_functions(x: float, n: int) -> float:
    def low(t: float) -> float:
        if t < 1.0:
            raise ValueError("low")
        return t

    def twice(t: float) -> float:
        return 2.0 * t if n < 3 else [t][n]

    chosen = low if x > 1.0 else twice
    try:
        return chosen(2.0 * x - 1.5) + x
    except (ValueError, IndexError) as error:
        return 5.0 * x + len(str(error))


def with_attributes(x: float, n: int) -> float:
    chosen = Base(x) if n % 2 else Other(2.0 * x)
    s = getattr(chosen, "tag", 0.5 * x) + getattr(chosen, "missing", x)
    if hasattr(chosen, "tag"):
        s += 10.0
    try:
        s += chosen.tag * x  # type: ignore[attr-defined]
    except AttributeError:
        s -= 3.0 * x
    try:
        s += abs(chosen)  # type: ignore[arg-type]
    except TypeError:
        s += 100.0
    return s


SEVERAL = [with_loops, with_managers, with_augmented_items, with_super_of_an_item, with_chosen_functions,
           with_attributes]  # fmt: skip


@pytest.mark.share(4)
@pytest.mark.parametrize("x", [0.7, 1.3])
@pytest.mark.parametrize("n", [0, 1, 2, 3])
@pytest.mark.parametrize("f", SEVERAL, ids=lambda f: f.__name__)
def test_each_alternative_answers_by_its_own_methods(f: Callable[..., float], n: int, x: float) -> None:
    agrees(f, x, n, second=False)


class Computed:
    def __init__(self, v: float) -> None:
        self.v = v
        self.asked = 0.0

    @property
    def bounded(self) -> float:
        self.asked += 1.0
        if self.v < 1.0:
            raise AttributeError("no bound")
        return self.v * 2.0

    def __getattr__(self, name: str) -> float:
        if name == "other":
            return self.v * 3.0
        raise AttributeError(name)


class Asked(Computed):
    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no {name}")


@pytest.mark.parametrize("x", [0.7, 1.3])
def test_attributes_that_are_computed_may_be_missing(x: float) -> None:
    def f(x: float) -> float:
        a, b = Computed(x), Asked(x)
        s = getattr(a, "bounded", 0.25 * x) + getattr(a, "missing", 0.5) + getattr(a, "other", 7.0)
        s += getattr(b, "bounded", 5.0 * x) + getattr(b, "other", x)
        for i, there in enumerate((hasattr(a, "bounded"), hasattr(a, "other"), hasattr(a, "missing"))):
            s += 10.0**i * there
        return s + a.asked + 0.5 * b.asked

    agrees(f, x, second=False)


class Unequal:
    def __init__(self, v: float) -> None:
        self.v = v

    def __eq__(self, other: object) -> bool:
        return False

    __hash__ = None  # type: ignore[assignment]


class Same(Unequal):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unequal) and self.v == other.v


@pytest.mark.parametrize("x", [0.7, 1.3])
def test_items_are_asked_for_identity_first(x: float) -> None:
    def f(x: float) -> float:
        a, b, c = Unequal(x), Unequal(x), Same(x)
        xs = [a, b]
        found = [a in xs, Unequal(x) in xs, [a] == [a], [a] == [b], (a, 1.0) < (a, 2.0), c in [Same(2.0), Same(x)]]
        either = c if x > 1.0 else a
        return x * sum([2.0**i * there for i, there in enumerate(found)]) + xs.index(b) + xs.count(a) + (either in xs)

    agrees_in_value(f, x)


class Minus:
    def __init__(self, v: float) -> None:
        self.v = v

    def __sub__(self, other: Any) -> Minus:
        return Minus(self.v - other.v + 1.0) if isinstance(other, Minus) else NotImplemented

    def __rsub__(self, other: Any) -> Minus:
        return Minus(100.0 * self.v)

    def __add__(self, other: Any) -> Any:
        return NotImplemented

    def __radd__(self, other: Any) -> Minus:
        return Minus(5.0)

    def __lt__(self, other: Minus) -> bool:
        return self.v < other.v

    def __gt__(self, other: Minus) -> bool:
        return True


class Inherits(Minus):
    pass


class Reflects(Minus):
    def __rsub__(self, other: Any) -> Minus:
        return Minus(7.0 * self.v)

    def __gt__(self, other: Minus) -> bool:
        return False


def test_a_reflected_method_comes_first_where_the_class_below_has_its_own() -> None:
    def f(x: float) -> float:
        a, b, c = Minus(x), Inherits(2.0 * x), Reflects(3.0 * x)
        s = (a - b).v + 10.0 * (a - c).v + 100.0 * (b - a).v + (3.0 - a).v + 11.0 * (b - c).v + 13.0 * (c - b).v
        s += 0.5 * (a < b) + 0.25 * (a < c) + 0.125 * (b < a) + (a + b if x < 0.0 else c).v
        try:
            return s + (a + a).v  # type: ignore[operator]
        except TypeError:
            return s + 3.0

    agrees(f, 0.7, second=False)


KNOWN = [
    "[1.0, 2.0][5]", "(1.0, 2.0)[5]", "{'a': 1.0}['b']", "1 / 0", "int('abc')", "math.sqrt(-1.0)", "'a' + 1", "len(3)",
    "None + 1", "np.zeros(3)[7]", "np.ones(2) + np.ones(3)", "np.concatenate([np.ones(2), np.ones((2, 2))])", "max([])",
    "np.concatenate([np.ones(2) * x, np.ones((2, 2))])", "[1.0].index(9.0)", "'abc'.index('z')", "x.missing", "iter(3)",
    "[1.0].missing", "x(3)", "x[0]", "len(x)", "list(3)", "zip([1], 3)", "[][0]", "sorted([1, 'a'])[0]",
    "np.linalg.inv(np.zeros((2, 2)))", "divmod(1, 0)[0]", "int(float('nan'))", "math.exp(1e4)", "abs('a')",
]  # fmt: skip
"""What surely raises."""


@pytest.mark.parametrize("text", KNOWN)
def test_what_surely_raises_is_caught(text: str) -> None:
    with pytest.raises(Exception) as found:
        eval(text, {"math": math, "np": np, "x": 0.7})
    source = f"def f(x):\n    try:\n        y = {text}\n        return 1.0 * x\n" + (
        f"    except {found.type.__name__} as e:\n        return 2.0 * x + len(str(e))\n")
    path = f"surely_raises_{KNOWN.index(text)}.py"
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    names: dict[str, Any] = {"math": math, "np": np, "LinAlgError": np.linalg.LinAlgError}
    exec(compile(source, path, "exec"), names)
    agrees_in_value(names["f"], 0.7)
