"""Programs with the idioms that people write without thinking of them."""

from __future__ import annotations

import collections
import datetime
import enum
import itertools
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from users_checks import agrees_with_python, is_refused

import ccc


@dataclass
class Split:
    weights: np.ndarray
    bias: float
    left: Split | Leaf
    right: Split | Leaf

    def __call__(self, x: np.ndarray) -> float:
        p = 1.0 / (1.0 + math.exp(-(self.weights @ x + self.bias)))
        return p * self.left(x) + (1.0 - p) * self.right(x)


@dataclass
class Leaf:
    value: float

    def __call__(self, x: np.ndarray) -> float:
        return self.value


def check_a_tree_that_is_called_is_differentiated_by_position() -> None:
    tree = Split(np.array([0.3, -0.2]), 0.1, Leaf(1.0), Split(np.array([1.0, 0.4]), -0.3, Leaf(-1.0), Leaf(0.5)))

    def loss(tree: Split, x: np.ndarray) -> float:
        return (tree(x) - 0.2) ** 2

    agrees_with_python(loss, tree, np.array([0.5, 1.0]))
    assert ccc.gradient(loss, wrt=0)(tree, np.array([0.5, 1.0])).bias == \
        ccc.gradient(loss)(tree, np.array([0.5, 1.0]))[0].bias


def bars(nodes: dict[str, tuple[float, float]]) -> float:
    stiffness, fixed = np.zeros((4, 4)), {*(0, 1), 3}
    for p, q in [("a", "b"), ("b", "a")]:
        d = np.subtract(nodes[q], nodes[p])
        length = np.hypot(*d)
        stiffness[:2, :2] += np.outer(d, d) / length
    return np.sum(stiffness[[i for i in range(4) if i not in fixed]]) + math.hypot(*nodes["a"]) + stiffness[0, 1]


def check_lengths_of_what_an_array_spreads() -> None:
    agrees_with_python(bars, {"a": (0.3, 0.1), "b": (1.0, 0.7)})
    agrees_with_python(lambda xs: math.atan2(*xs), [3.0, 4.0])
    agrees_with_python(lambda x: math.hypot(*(x * 2.0)), np.array([3.0, 4.0, 5.0]))


def run(gain: float, decay: float, rate: float, steps: int) -> float:
    found = 0.0
    for _ in range(steps):
        found += rate * (gain - decay * found)
    return found


def settings(gains: list[float], steps: int) -> float:
    return run(*gains, steps) + run(*gains[:1], *(0.3, 0.1), steps)  # type: ignore[reportCallIssue]


def check_arguments_behind_a_list_keep_their_kinds() -> None:
    """Whole numbers behind `*gains` were floats, which no range takes."""
    agrees_with_python(settings, [2.0, 0.5, 0.1], 4)


def rates(k: dict[str, float]) -> float:
    c = {"A": 1.0, "B": 0.8, "C": 0.0}
    for _ in range(3):
        for reaction, name in (("A + B -> C", "forward"), ("C -> A + B", "back")):
            left, right = map(str.strip, reaction.split("->"))
            rate = k[name] * math.prod(c[s] for s in map(str.strip, left.split("+")))
            for s in map(str.strip, left.split("+")):
                c[s] -= 0.1 * rate
            for s in map(str.strip, right.split("+")):
                c[s] += 0.1 * rate
    return c["C"] * len(str.upper("ab")) + sum(map(list.pop, [[c["A"], c["B"]]]))


def check_methods_of_classes_as_functions() -> None:
    agrees_with_python(rates, {"forward": 0.5, "back": 0.1})
    agrees_with_python(lambda x: float(sum(map(np.ndarray.sum, [x, 2.0 * x]))), np.array([1.0, 2.0]))


def check_polynomials_of_many_points() -> None:
    polynomial: Callable[[Any], Any] = lambda x: np.polyval(np.append(np.array([1.0]), x[0]), x[1])
    points = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert np.array_equal(ccc.vmap(polynomial)(points), [polynomial(x) for x in points])


def messages(couplings: dict[tuple[str, str], float]) -> float:
    neighbours: dict[str, set[str]] = collections.defaultdict(set)
    for u, v in couplings:
        neighbours[u].add(v)
        neighbours[v].add(u)
    return sum(couplings.values()) + sum(u < v for u in sorted(neighbours) for v in neighbours[u])


class Kind(enum.Enum):
    COST = -1.0
    GAIN = 1.0


START, TOKENS = datetime.date(2024, 1, 1), re.compile(r"\s*(?:(\d+\.?\d*)|(.))")


def present_value(flows: dict[datetime.date, float]) -> float:
    year, rate = datetime.timedelta(days=365), float(Fraction(1, 20))
    last = max(flows)
    return sum(v / (1.0 + rate) ** ((d - START) / year) for d, v in flows.items()) + flows[last] * last.month


def by_month(x: float) -> float:
    day, total = START, Fraction(1, 3) * x
    for _ in range(4):
        day += datetime.timedelta(days=30)
        total += x * day.day if day.weekday() < 5 else x * x
    return total * len(f"{day:%Y-%m}")


@dataclass
class Flow:
    when: datetime.date
    amount: float


def duration(flows: list[Flow], start: datetime.date) -> float:
    return sum(f.amount * (f.when - start).days for f in flows)


def polynomial(x: float) -> float:
    total = 0.0
    for number, sign in TOKENS.findall("2*x + 3.5"):
        total += float(number) * x if number else {"x": x * x}.get(sign, 0.0)
    for found in re.finditer(r"(?P<name>[a-z])(\d)", "a1 b2".translate(str.maketrans("b", "c"))):
        total += {"a": x, "c": x ** 3}[found["name"]] * int(found[2])
    return total


def check_dates_patterns_and_fractions() -> None:
    agrees_with_python(present_value, {START: -1.0, datetime.date(2024, 6, 1): 0.5, datetime.date(2025, 1, 1): 0.7})
    agrees_with_python(by_month, 1.5)
    agrees_with_python(polynomial, 1.5)
    slope = ccc.gradient(duration, wrt=0)
    for days in (1, 4):  # other dates, other code
        flows = [Flow(START + datetime.timedelta(days), 1.0), Flow(START + datetime.timedelta(9), 2.0)]
        agrees_with_python(duration, flows, START)
        assert [s.amount for s in slope(flows, START)] == [days, 9.0]
    is_refused(lambda x: x * datetime.date.today().year, 2.0, says="differs at each call")


def check_members_of_enumerations_as_keys() -> None:
    """The names of parameters were written as members show themselves, which is no Python."""
    agrees_with_python(lambda d: sum(v * k.value for k, v in d.items()) ** 2, {Kind.COST: 1.5, Kind.GAIN: 2.0})
    agrees_with_python(lambda d: sum(d[k, 1] ** 2 * k.value for k in Kind), {(Kind.COST, 1): 1.5, (Kind.GAIN, 1): 2.0})
    assert ccc.compiled(lambda x: {Kind.COST: x, (Kind.GAIN, 0): 2.0 * x})(1.5) == {Kind.COST: 1.5, (Kind.GAIN, 0): 3.0}


def retried(x: float) -> float:
    last: Any = None
    for attempt in range(3):
        try:
            return math.log(x - attempt - 1.0)
        except ValueError as error:
            last = error
    raise last


def retried_by_hand(x: float) -> float:
    last: Any = None
    for attempt in range(3):
        try:
            if x < attempt + 2.0:
                raise ValueError(f"attempt {attempt}", x)
            return x * attempt
        except ValueError as error:
            last = error
    raise last


def collected(x: float) -> float:
    errors = []
    for k in range(3):
        try:
            if x < k:
                raise ValueError(k)
            x = x * 2.0
        except ValueError as error:
            errors.append(error)
    if errors:
        raise errors[-1]
    return x


def prepared(x: float) -> float:
    error = OverflowError("too large")
    if x > 3.0:
        raise error
    return x * x


def check_exceptions_that_are_kept_and_raised() -> None:
    for f in (retried, retried_by_hand, collected, prepared):
        for x in (4.5, 2.5, -1.0):
            agrees_with_python(f, x)


def pairs(xs: Iterable[float]) -> Iterable[tuple[float, float]]:
    a, b = itertools.tee(xs)
    next(b, None)
    return zip(a, b)


def teed(xs: list[float]) -> float:
    first, second, third = itertools.tee((x * k for k, x in enumerate(xs)), 3)
    return sum(u * v for u, v in pairs(xs)) + sum(first) * next(second) + max(third) + next(second)


def check_iterators_that_are_doubled() -> None:
    agrees_with_python(teed, [1.0, 2.0, 4.0])


def masked(x: np.ndarray) -> float:
    with np.errstate(all="raise"):
        inverse = np.divide(1.0, x - 1.0, out=np.zeros_like(x), where=x != 1.0)
        logarithm = np.log(x - 1.0, out=np.full(3, 2.0), where=x > 1.0)
        shares = np.array([1, 2, 3]), np.array([0, 1, 2])
        wholes = np.floor_divide(*shares, out=np.zeros(3, int), where=[False, True, True])
    return inverse @ x + np.sum(logarithm) + np.power(x, wholes, out=np.zeros((2, 3)), where=x > 2.0).sum()


def check_entries_that_a_mask_leaves_out_raise_and_warn_of_nothing() -> None:
    agrees_with_python(masked, np.array([0.5, 1.5, 3.0]))
    value, slope = ccc.value_with_gradient(masked)(np.array([1.0, 2.0, 3.0]))
    assert value == masked(np.array([1.0, 2.0, 3.0])) and slope[0] == 0.0


def check_what_no_place_in_a_store_mends_is_said() -> None:
    is_refused(messages, {("a", "b"): 0.5, ("b", "c"): -0.3}, says="the order of a set is not known")
