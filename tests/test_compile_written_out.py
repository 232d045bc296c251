"""Recursions and loops that end by what is known, written out where they cannot be λs and loops of the program: parsers
of known texts, searches in known structures."""

from __future__ import annotations

import math

import pytest

import ccc

BACKENDS = ("numpy", "native")


class Parser:
    """Sums, products and calls: each method goes on in the tokens where the one before it has stopped."""

    def __init__(self, text, env):
        self.tokens = self.split(text)
        self.at = 0
        self.env = env

    @staticmethod
    def split(text):
        found, i = [], 0
        while i < len(text):
            if text[i].isspace():
                i += 1
                continue
            j = i + 1
            if text[i].isalnum():
                while j < len(text) and (text[j].isalnum() or text[j] == "."):
                    j += 1
            found.append(text[i:j])
            i = j
        return found

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def next(self):
        token = self.tokens[self.at]
        self.at += 1
        return token

    def sum(self):
        value = self.product()
        while self.peek() in ("+", "-"):
            value = value + self.product() if self.next() == "+" else value - self.product()
        return value

    def product(self):
        value = self.factor()
        while self.peek() in ("*", "/"):
            operator, other = self.next(), self.factor()
            value = value * other if operator == "*" else value / other
        return value

    def factor(self):
        token = self.next()
        if token == "-":
            return -self.factor()
        if token == "(":
            value = self.sum()
            self.next()
            return value
        if token in ("sin", "exp"):
            self.next()
            value = self.sum()
            self.next()
            return math.sin(value) if token == "sin" else math.exp(value)
        return float(token) if token[0].isdigit() else self.env[token]


TEXTS = [
    "x*y - (x - y)",
    "2.5*x + sin(x*y) - (x - y)/exp(-y)",
    "((((((x*y)))) - (x - y))) * ((x + (y*(x+(y-(2.5))))))/exp(-(-(-(y))))",
]


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("text", TEXTS)
def test_a_parser_of_a_known_text(text: str, backend: str):
    def f(x, y):
        return Parser(text, {"x": x, "y": y}).sum()

    value, found = ccc.value_with_gradient(f, backend=backend)(1.2, 0.7)
    assert value == pytest.approx(f(1.2, 0.7), rel=1e-15)
    assert found[0] == pytest.approx((f(1.2 + 1e-6, 0.7) - f(1.2 - 1e-6, 0.7)) / 2e-6, rel=1e-7)
    assert found[1] == pytest.approx((f(1.2, 0.7 + 1e-6) - f(1.2, 0.7 - 1e-6)) / 2e-6, rel=1e-7)


def test_what_a_known_text_gives_is_known():
    def f(x):
        tokens = Parser.split("x1 + (y)")
        return x if tokens == ["x1", "+", "(", "y", ")"] else 2.0 * x

    assert ccc.explain(ccc.gradient(f), 2.0).code == "def f_gradient(x):\n    return 1.0"


def orders(xs):
    if len(xs) <= 1:
        return [xs]
    return [[xs[i], *rest] for i in range(len(xs)) for rest in orders(xs[:i] + xs[i + 1:])]


def over_orders(x, y, z):
    return sum(p[0] * p[1] ** 2 * p[2] ** 3 for p in orders([x, y, z]))


@pytest.mark.parametrize("backend", BACKENDS)
def test_all_orders_of_a_known_list(backend: str):
    assert ccc.value_with_gradient(over_orders, backend=backend)(1.0, 2.0, 3.0) == (
        over_orders(1.0, 2.0, 3.0), (426.0, 300.0, 234.0))


class Endless:
    def __init__(self):
        self.count = 0
        self.seen = []

    def turn(self, x):
        self.count += 1
        self.seen.append("a" if self.count % 2 else None)
        return self.turn(x)


@pytest.mark.nightly
def test_a_recursion_that_nothing_ends_is_refused():
    with pytest.raises(ccc.errors.CCCError, match="`turn` never returns without calling itself"):
        ccc.compiled(lambda x: Endless().turn(x))(2.0)
