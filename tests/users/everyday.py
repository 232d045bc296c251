"""Small programs as they are written every day: keys as sets, stars among arguments, tries, generic classes."""

from __future__ import annotations

import collections
import functools
import math
import operator
import random
import statistics
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from users_checks import agrees_with_python

import ccc

T = TypeVar("T")


def distance(p: dict[str, float], q: dict[str, float]) -> float:
    if p.keys() == q.keys():
        return sum((p[k] - q[k]) ** 2 for k in p)
    if p.keys() <= q.keys():
        return 100.0 + sum(p.values()) * sum(q.values())
    common, all_of_them = p.keys() & q.keys(), sorted(p.keys() | q.keys())
    missing = sum(p.get(k, 0.0) + q.get(k, 0.0) for k in sorted(p.keys() ^ q.keys()))
    return sum(p[k] * q[k] for k in sorted(common)) + missing * len(all_of_them)


def check_keys_are_compared_as_sets() -> None:
    agrees_with_python(distance, {"a": 1.0, "b": 2.0}, {"b": 5.0, "a": 3.0})
    agrees_with_python(distance, {"c": 1.0, "b": 2.0}, {"a": 1.0, "b": 5.0, "c": 3.0})
    agrees_with_python(distance, {"a": 1.0, "b": 2.0}, {"b": 5.0, "c": 3.0})


def changed(old: dict[str, float], new: dict[str, float]) -> float:
    """Items are equal as sets of pairs, values never, and keys to no list."""
    score = 1.0 if old.items() == new.items() else 2.0
    score += 10.0 if old.values() == old.values() else 20.0
    return (score + (100.0 if old.keys() == ["a", "b"] else 200.0)) * old["a"]


def check_items_are_compared_as_sets() -> None:
    agrees_with_python(changed, {"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.5})
    assert ccc.value_with_gradient(changed, wrt=0)({"a": 1.0, "b": 2.0}, {"b": 2.0, "a": 1.0})[0] == 221.0


def overlap(x: float, n: int) -> float:
    """Keys that only the run knows, put in by two orders."""
    up = {i: x * i for i in range(n)}
    down: dict[int, float] = {}
    for i in range(n + 2):
        down[n + 1 - i] = x + i
    same = 1.0 if up.keys() == down.keys() else 3.0
    return same * sum(up[k] * down[k] for k in sorted(up.keys() & down.keys())) + len(down.keys() - up.keys()) * x


def check_keys_that_the_run_knows() -> None:
    agrees_with_python(overlap, 1.5, 4)


class Poly:
    def __init__(self, *c: float) -> None:
        self.c = list(c)

    def __call__(self, x: float) -> float:
        return functools.reduce(lambda r, a: r * x + a, reversed(self.c), 0.0)

    def __getitem__(self, i: int) -> float:
        return self.c[i] if i < len(self.c) else 0.0

    def __setitem__(self, i: int, v: float) -> None:
        while len(self.c) <= i:
            self.c.append(0.0)
        self.c[i] = v

    def __len__(self) -> int:
        return len(self.c)

    def __add__(self, o: Poly) -> Poly:
        return Poly(*[self[i] + o[i] for i in range(max(len(self), len(o)))])

    def __mul__(self, o: Any) -> Poly:
        if not isinstance(o, Poly):
            return Poly(*[a * o for a in self.c])
        r = Poly(*([0.0] * (len(self) + len(o) - 1)))
        for i, a in enumerate(self.c):
            for j, b in enumerate(o.c):
                r[i + j] += a * b
        return r

    __rmul__ = __mul__

    def __sub__(self, o: Poly) -> Poly:
        return self + -1.0 * o

    def __pow__(self, n: int) -> Poly:
        return functools.reduce(operator.mul, [self] * n, Poly(1.0))

    def deriv(self) -> Poly:
        return Poly(*[i * a for i, a in enumerate(self.c)][1:])


def polynomials(x: float) -> float:
    p, q = Poly(1.0, x, x * x), Poly(x, 2.0)
    r = (p * q - 3 * q) ** 2
    r[6] = x
    return r(0.5) + r.deriv()(x) + p[10]


def check_polynomials() -> None:
    agrees_with_python(polynomials, 0.7)


def spread(xs: list[float]) -> float:
    def span(*values: float) -> float:
        return max(values) - min(values)

    scaled = Poly(*xs, 2.0, *xs[:1])
    print(*xs, "end", sep="|")
    return max(*xs, 2.5) * min(-1.0, *xs) + span(0.1, *xs, 3.5) + scaled(0.5) + functools.partial(span)(*xs[1:])


def check_stars_among_arguments() -> None:
    agrees_with_python(spread, [1.0, 2.0, 3.0])


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []

    def push(self, x: T) -> Stack[T]:
        self.items.append(x)
        return self

    def pop(self) -> T:
        return self.items.pop()


def calculated(x: float) -> float:
    stack, env = Stack[float](), dict[str, float](x=x)
    operations = {"+": operator.add, "*": operator.mul, "^": operator.pow}
    for token in "x 3 * x 2 ^ + 1 +".split():
        if token in operations:
            b, a = stack.pop(), stack.pop()
            stack.push(operations[token](a, b))
        else:
            stack.push(env[token] if token in env else float(token))
    return stack.pop()


def check_generic_classes() -> None:
    agrees_with_python(calculated, 2.0)


def trie(values: list[float]) -> float:
    root: dict[str, Any] = {}
    for word, value in zip(["to", "tea", "ten"], values, strict=False):
        node = root
        for letter in word:
            node = node.setdefault(letter, {})
        node["$"] = value

    def total(n: dict[str, Any]) -> Any:
        return sum(x * x if k == "$" else 2.0 * total(x) for k, x in n.items())

    return total(root)


def check_a_trie() -> None:
    agrees_with_python(trie, [1.0, 2.0, 3.0])
    for product in (ccc.hvp, ccc.vhp):
        assert np.allclose(product(trie)([1.0, 2.0, 3.0], [1.0, 0.0, 0.5]), [8.0, 0.0, 8.0])


@dataclass
class Kernel:
    scale: float

    def __call__(self, r: float) -> float:
        return math.exp(-r * r / self.scale)


class Rough(Kernel):
    def __call__(self, r: float) -> float:
        return (1.0 + r / self.scale) * math.exp(-r / self.scale)


def kernels(scale: float) -> float:
    registry = {"smooth": Kernel, "rough": Rough}
    return sum((i + 1) * cls(scale)(0.4) for i, (_, cls) in enumerate(sorted(registry.items())))


class Activation(Enum):
    RELU = "relu"
    TANH = "tanh"

    def __call__(self, x: Any) -> Any:
        return np.maximum(x, 0.0) if self is Activation.RELU else np.tanh(x)


def activated(x: Any) -> Any:
    chosen = Activation("tanh")
    return sum(np.sum(a(x)) * (i + 1) for i, a in enumerate(Activation)) + np.sum(chosen(x))


def check_members_are_called() -> None:
    agrees_with_python(activated, np.array([0.5, -0.3, 1.2]))


class Point(NamedTuple):
    x: float
    y: float = 1.0


def places(p: Point) -> float:
    """Asks tuples for places and numbers of items."""
    both = (p.x, p.y, p.x)
    return both.count(p.x) * p.y + both.index(p.y) * p.x + p.index(p.y) * p.x * p.y + p.count(3.0)


def check_what_tuples_are_asked() -> None:
    agrees_with_python(places, Point(2.0, 3.0))


def check_a_registry_in_order() -> None:
    agrees_with_python(kernels, 0.8)


def noisy(x: float) -> float:
    r = random.Random(0)
    return x * r.random() + r.gauss(0, 1) * x + r.choice([x, 2.0 * x])


def check_random_numbers_of_python() -> None:
    agrees_with_python(noisy, 1.5)


def check_harmonic_mean() -> None:
    agrees_with_python(lambda xs: statistics.harmonic_mean(xs), [1.0, 3.0, 2.0, 5.0])


def check_hull_of_a_set_of_points() -> None:

    def cross(o, a, b):
        return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])

    def half(points):
        found = []
        for p in points:
            while len(found) >= 2 and cross(found[-2], found[-1], p) <= 0:
                found.pop()
            found.append(p)
        return found[:-1]

    def area(cs):
        points = [(0.0, 0.0), (1.0, cs[0]), (cs[1], 1.0), (cs[2], 2.0), (1.5, cs[3]), (0.0, 0.0)]
        points = sorted(set(points))
        hull = half(points) + half(list(reversed(points)))
        return abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(hull, hull[1:] + hull[:1]))) / 2

    agrees_with_python(area, [0.3, 0.9, 2.0, 0.1])


def check_items_of_sets_have_derivatives() -> None:

    def f(xs):
        squares, large, seen = {x * x for x in xs}, {x for x in xs if x > 0.5}, set()
        for x in xs:
            seen.add(x)
        found = sorted(squares | large)[2] ** 2 + sorted(squares - {min(squares)})[0] * len(squares & large)
        return found + sum(i * x for i, x in enumerate(sorted(seen))) - min(large)

    agrees_with_python(f, [0.3, 0.9, 2.0, 0.7])


def check_rows_of_a_name_and_a_score() -> None:

    def f(scores):
        board, best = [], {}
        for name, score in zip(["ann", "bob", "cy"], scores):
            board.append([name, score * score])
            best[name] = [name.upper(), score]
        board = [row for row in board if row[0] != "bob" or row[1] > 1.0]
        board.sort(key=lambda row: row[1], reverse=True)
        print(board, max(board), best)
        return sum(score / (i + 1) for i, (_, score) in enumerate(board)) + sum(x * len(n) for n, x in best.values())

    agrees_with_python(f, [1.0, 2.0, 1.5])


def check_critical_path() -> None:

    def f(length):
        needs = {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"]}
        left = {name: len(names) for name, names in needs.items()}
        after = collections.defaultdict(list)
        for name, names in needs.items():
            for other in names:
                after[other].append(name)
        ready, end = collections.deque(name for name, k in left.items() if k == 0), {}
        while ready:
            name = ready.popleft()
            end[name] = length[name] + max((end[other] for other in needs[name]), default=0.0)
            for other in after[name]:
                left[other] -= 1
                if not left[other]:
                    ready.append(other)
        return max(end.values()) ** 2

    agrees_with_python(f, {"a": 3.0, "b": 2.0, "c": 4.0, "d": 1.0})
