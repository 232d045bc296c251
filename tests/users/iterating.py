"""Iterators with a name, selections and groups, texts and enumerations that the run decides, parsers and machines."""

# pyright: reportArgumentType=false, reportCallIssue=false, reportAttributeAccessIssue=false, reportOptionalOperand=false
from __future__ import annotations

import enum
import functools
import itertools
import math
import operator
import types
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from users_checks import agrees_with_python

NUMBERS = [1.1, 2.5, -0.5, 3.0, 0.7]


class Newton:
    """The steps of Newton's method for a root."""

    def __init__(self, a):
        self.a = a
        self.x = a

    def __iter__(self):
        return self

    def __next__(self):
        self.x = 0.5 * (self.x + self.a / self.x)
        return self.x


class Steps:
    """So many multiples."""

    def __init__(self, a, n):
        self.a, self.n, self.i = a, n, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.a * self.i


def check_iterators_of_ones_own() -> None:

    def f(x):
        steps = Steps(x, 5)
        s = next(steps) * next(steps)
        for k, v in enumerate(steps):
            s += k * v
        for root in Newton(x):
            if abs(root * root - x) < 1e-12:
                break
        return s * root + sum(a * b for a, b in zip(range(3), Newton(x))) + list(itertools.islice(Newton(x), 3))[-1]

    agrees_with_python(f, 1.3)


def check_iterator_that_is_passed_on() -> None:

    def header(rows):
        return next(rows)

    def f(xs):
        rows = iter(xs)
        first = header(rows)
        s = 0.0
        for v in rows:
            s += first * v
            if v < 0:
                break
        else:
            return 0.0
        pairs = iter(xs)
        return s * sum(rows) + sum(a * b for a, b in zip(pairs, pairs)) + next(rows, 2.0)

    agrees_with_python(f, NUMBERS)


def check_iterator_sees_what_is_appended() -> None:

    def f(xs):
        ys = [2.0 * x for x in xs]
        rest = iter(ys)
        first = next(rest)
        ys.append(first * first)
        return first + sum(rest)

    agrees_with_python(f, NUMBERS)


def check_iterator_reads_when_its_turn_comes() -> None:

    def f(xs):
        ys = xs.copy()
        squares = map(lambda v: v * v, ys)
        first = next(squares)
        ys[1] = 5.0 * xs[0]
        return first + sum(squares)

    agrees_with_python(f, np.array(NUMBERS))


def check_an_expression_reads_what_changes_when_its_turn_comes() -> None:

    def f(xs):
        k = 2.0
        scaled = (k * x for x in xs)
        first = next(scaled)
        k = 3.0
        return first + sum(scaled)

    agrees_with_python(f, NUMBERS)


def check_selections() -> None:

    def f(xs):
        s = sum(a * b * c for a, b, c in itertools.combinations(xs, 3))
        for (i, a), (j, b) in itertools.combinations(enumerate(xs), 2):
            s += (a - b) ** 2 * (j - i)
        s += sum(a * b * b for a, b in itertools.permutations(xs, 2))
        return s + sum(a * b**c for a, b, c in itertools.product(xs, xs, range(3)))

    agrees_with_python(f, np.array(NUMBERS))


def check_groups() -> None:

    def f(xs):
        s = 0.0
        for large, group in itertools.groupby(xs, key=lambda v: v > 1.0):
            found = list(group)
            s += len(found) * (max(found) - min(found)) if large else sum(found) ** 2
        return s + sum(k * len(list(g)) for k, g in itertools.groupby(xs))

    agrees_with_python(f, NUMBERS)


def check_columns() -> None:

    def f(points, rows):
        xs, ys = zip(*points)
        product = [[sum(x * y for x, y in zip(row, column)) for column in zip(*rows)] for row in rows]
        longest = sum(a * b for a, b in itertools.zip_longest(xs, ys[1:], fillvalue=1.0))
        signs = sum(a * b for a, b in zip(xs, itertools.cycle([1.0, -1.0])))
        return np.mean(xs) * max(ys) + sum(map(sum, product)) + longest + signs

    agrees_with_python(f, [(1.0, 2.0), (3.0, 4.5), (0.5, -1.0)], [[1.0, 2.0], [3.0, 0.5]])


def check_calls_on_what_has_come() -> None:

    def f(x):
        taken = [0]

        def tick():
            taken[0] += 1
            return taken[0]

        ids = itertools.count(1)
        return sum(x**k for k in iter(tick, 4)) + next(ids) * x + next(ids)

    agrees_with_python(f, 2.0)


@dataclass(order=True)
class Version:
    major: float
    minor: float = 0.0
    name: str = field(default="", compare=False)


@functools.total_ordering
class Money:
    def __init__(self, amount):
        self.amount = amount

    def __eq__(self, other):
        return self.amount == other.amount

    def __lt__(self, other):
        return self.amount < other.amount

    def __hash__(self):
        return hash(self.amount)


def check_comparisons_that_python_writes() -> None:

    def f(x):
        a, b = Version(x, 1.0, "a"), Version(2.0, x)
        s = min(a, b).major + sorted([b, a])[-1].minor + (1.0 if a == Version(x, 1.0) else 0.0)
        m, n = Money(x), Money(1.5)
        return s * (m if m >= n else n).amount + (x if m != n else 0.0) + max([a, b]).major

    agrees_with_python(f, 1.3)


class Circle:
    def __init__(self, r):
        self.r = r

    @functools.cached_property
    def area(self):
        return math.pi * self.r**2

    def __getattr__(self, name):
        if name == "diameter":
            return 2.0 * self.r
        raise AttributeError(name)


def check_cached_property_keeps_its_value() -> None:

    def f(x):
        circle = Circle(x)
        area = circle.area
        circle.r = 3.0 * x
        ns = types.SimpleNamespace(a=x, b=2.0)
        ns.c = ns.a * ns.b
        return area * circle.area + circle.r + circle.diameter + ns.c**2

    agrees_with_python(f, 1.3)


class Pid:
    def __init__(self, kp, ki=0.0, kd=0.0, target=1.0):
        self.kp, self.ki, self.kd, self.target = kp, ki, kd, target
        self.total, self.last = 0.0, None

    def __call__(self, y, dt):
        error = self.target - y
        self.total += error * dt
        slope = 0.0 if self.last is None else (error - self.last) / dt
        self.last = error
        return self.kp * error + self.ki * self.total + self.kd * slope


class Point(NamedTuple):
    x: float
    y: float = 2.0


def check_classes_are_given_lists() -> None:

    def f(gains):
        pid, y, v, cost = Pid(*gains, target=1.2), 0.0, 0.0, 0.0
        for _ in range(20):
            v += (pid(y, 0.05) - 0.5 * v) * 0.05
            y += v * 0.05
            cost += (y - 1.0) ** 2
        return cost + Point(*gains[:1]).y

    agrees_with_python(f, [2.0, 0.5])


class Mode(enum.Enum):
    OFF = "off"
    HEAT = "heat"

    def power(self):
        return 3.0 if self is Mode.HEAT else 0.0


WEIGHTS = {Mode.OFF: 1.0, Mode.HEAT: 0.5}


def check_thermostat() -> None:

    def f(temperatures):
        mode, energy, inside = Mode.OFF, 0.0, 18.0
        for outside in temperatures:
            if mode is Mode.OFF and inside < 17.5:
                mode = Mode.HEAT
            elif mode is Mode.HEAT and inside > 20.0:
                mode = Mode.OFF
            inside += 0.3 * (outside - inside) + mode.power()
            energy += mode.power() * inside * WEIGHTS[mode] + (0.1 if mode in (Mode.HEAT,) else 0.0)
        return energy + inside + len(["x"]) * (1.0 if mode.value == "heat" else 2.0)

    agrees_with_python(f, [18.0, 15.0, 14.5, 17.0, 19.5])


class Machine:
    def __init__(self):
        self.state, self.energy = "idle", 0.0

    def step(self, x):
        if self.state == "idle":
            if x > 0.3:
                self.state = "busy"
        elif self.state == "busy":
            self.energy += x * x
            if self.energy > 1.0:
                self.state, self.energy = "idle", 0.0


def check_states_are_texts() -> None:

    def f(xs):
        machine, s, lines = Machine(), 0.0, []
        for x in xs:
            machine.step(x)
            s += machine.energy * (2.0 if machine.state == "busy" else 1.0)
            lines.append(f"{machine.state}: {x:.2f}")
        print("\n".join(lines))
        size = "large" if s > 2.0 else "small"
        return s * {"large": 2.0, "small": xs[0]}[size]

    agrees_with_python(f, [0.1, 0.5, 0.8, 1.2, 0.4, 0.9])


class Lexer:
    def __init__(self, text):
        self.text, self.at = text, 0

    def tokens(self):
        found = []
        while self.at < len(self.text):
            c = self.text[self.at]
            if c.isspace():
                self.at += 1
                continue
            begin = self.at
            self.at += 1
            if c.isdigit():
                while self.at < len(self.text) and (self.text[self.at].isdigit() or self.text[self.at] == "."):
                    self.at += 1
                found.append(("number", float(self.text[begin:self.at])))
            elif c.isalpha():
                found.append(("name", c))
            else:
                found.append(("sign", c))
        return [*found, ("end", None)]


class Parser:
    SIGNS: dict[str, Callable[[Any, Any], Any]] = {
        "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}

    def __init__(self, tokens, env):
        self.tokens, self.at, self.env = tokens, 0, env

    def advance(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def sum(self):
        left = self.product()
        while self.tokens[self.at][1] in ("+", "-"):
            _, sign = self.advance()
            left = self.SIGNS[sign](left, self.product())
        return left

    def product(self):
        left = self.atom()
        while self.tokens[self.at][1] in ("*", "/"):
            _, sign = self.advance()
            left = self.SIGNS[sign](left, self.atom())
        return left

    def atom(self):
        kind, value = self.advance()
        if kind == "number":
            return value
        if kind == "name":
            return self.env[value]
        if value == "(":
            found = self.sum()
            self.advance()
            return found
        raise SyntaxError(value)


def check_interpreter() -> None:

    def f(x):
        return Parser(Lexer("3.5*x*x - (x + 2) / (1 + x*x)").tokens(), {"x": x}).sum()

    agrees_with_python(f, 1.4)


class Momentum:
    def __init__(self, rate, keep=0.9):
        self.rate, self.keep, self.v = rate, keep, None

    def update(self, w, slope):
        if self.v is None:
            self.v = [0.0] * len(w)
        self.v = [self.keep * v - self.rate * s for v, s in zip(self.v, slope)]
        return [a + v for a, v in zip(w, self.v)]


def check_optimiser_that_begins_with_none() -> None:

    def f(rate):
        optimiser, w = Momentum(rate), [1.0, -2.0]
        for _ in range(5):
            w = optimiser.update(w, [2.0 * w[0], 4.0 * w[1]])
        return w[0] ** 2 + 2.0 * w[1] ** 2

    agrees_with_python(f, 0.1)


def check_turtle() -> None:

    def f(angle):
        path = "F"
        for _ in range(2):
            path = path.replace("F", "F+F-F")
        x = y = heading = 0.0
        for c in path:
            if c == "F":
                x, y = x + math.cos(heading), y + math.sin(heading)
            else:
                heading += angle if c == "+" else -angle
        return x * x + y

    agrees_with_python(f, 0.4)


@dataclass
class Good:
    name: str
    price: float
    number: int = 1

    @property
    def total(self):
        return self.price * self.number


def check_goods_with_names() -> None:

    def f(goods, p):
        own = [Good("pear", p, 3), Good("plum", 1.0), Good("fig", p * p)]
        dear = sorted([g for g in own if g.price > 1.5], key=lambda g: -g.total)
        counts = Counter(["pear", "fig", "pear"])
        for name, n in counts.items():
            print(f"{name:<6} x{n}")
        return sum(g.total for g in dear) + sum(g.price for g in goods if g.name == "plum") * dear[0].price

    agrees_with_python(f, [Good("plum", 2.0), Good("fig", 1.5)], 2.5)
