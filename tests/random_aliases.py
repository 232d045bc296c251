"""Random programs in which several names lead to one list, object or array, and change it.

Containers of known and of unknown length hold lists, objects or arrays; their items are read by name, at known and
unknown keys, by helpers, conditional expressions and loops, and changed through each of these. Most programs of this
kind cannot be compiled: each is refused by name, or its value is that of plain Python.
"""

from __future__ import annotations

import random

from random_programs import Program

HEADER = """import copy
from dataclasses import dataclass

import numpy as np


@dataclass
class Data:
    xs: list
    v: float


class Plain:
    def __init__(self, xs, v):
        self.xs = xs
        self.v = v

    def push(self, x):
        self.xs.append(x)

    def set(self, x):
        self.v = x


def push(xs, x):
    xs.append(x)


def put(xs, x):
    xs[0] = x


def pick(c, k):
    return c[k]


def same(c):
    return c


def either(a, b, x):
    if x > 1.0:
        return a
    return b


"""
ITEMS = ("list", "object", "array")
SEQUENCE, DICT, TUPLE = "sequence", "dict", "tuple"
CALLS = ["1.5, 3, 0", "0.5, 2, 1", "1.1, 3, 1"]


class Aliases:
    """Writes one program. `names` are the items that names stand for, by kind; `containers` the others, by the form
    and the kind of the items."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.names: dict[str, str] = {}
        self.containers: dict[str, tuple[str, str]] = {}
        self.indices: list[str] = []
        self.count = 0
        self.along = 0
        self.cls = self.r.choice(("Data", "Plain"))
        self.kinds = self.r.sample(ITEMS, self.r.choice((1, 1, 2)))

    def program(self) -> Program:
        r = self.r
        for _ in range(r.randint(1, 2)):
            self.container(1)
        for _ in range(r.randint(2, 7)):
            self.statement(1, 2)
        parts = [self.total(n, kind, w) for w, (n, kind) in enumerate(self.names.items(), 1)]
        for w, (n, (_, kind)) in enumerate(self.containers.items(), 5):
            parts += [self.total(f"{n}[{i}]", kind, w + i) for i in range(2)]
        body = "\n".join([*self.lines, f"    return float({' + '.join(parts)})"])
        return Program(self.seed, f"{HEADER}def f(x, n, k):\n{body}\n", CALLS)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    @staticmethod
    def total(item: str, kind: str, weight: int) -> str:
        """A number that tells two contents of an item apart."""
        return {
            "list": f"{weight}.5 * sum({item}) + {item}[0] * {item}[-1]",
            "object": f"{weight}.0 * {item}.v + {weight}.25 * sum({item}.xs) + {item}.xs[0]",
            "array": f"{weight}.5 * np.sum({item}) + {item}[0] * {item}[1]",
        }[kind]

    # -- expressions ---------------------------------------------------------------------------------------------

    def number(self) -> str:
        return self.r.choice(("x", "1.0", "x * 2.0", "2.5", "x + 1.0", "float(n)"))

    def key(self, form: str = SEQUENCE) -> str:
        if self.r.random() < 0.35:
            return self.r.choice("01")
        return self.r.choice(["k", "(n + k) % 2", *(["1 - k"] if form == DICT else ["n - 2", "n - 3"]), *self.indices])

    def made(self, kind: str) -> str:
        """A new item, or one that has a name."""
        r = self.r
        named = [n for n, other in self.names.items() if other == kind]
        if named and r.random() < 0.25:
            return r.choice(named)
        numbers = [self.number() for _ in range(r.randint(1, 2))]
        if kind == "list":
            return f"list({r.choice(named)})" if named and r.random() < 0.15 else f"[{', '.join(numbers)}]"
        if kind == "object":
            return f"{self.cls}({self.made('list')}, {numbers[0]})"
        return f"np.array([{numbers[0]}, {self.number()}])"

    def item(self, kind: str) -> str:
        """An item that stands in a container, or that a name stands for."""
        r = self.r
        found: list[str] = []
        for n, (form, of) in self.containers.items():
            if of == kind:
                found += [f"{n}[{self.key(form)}]"] * 3 + [f"pick({n}, {self.key(form)})"]
                found += [f"{n}.get({self.key(form)}, {self.made(kind)})"] if form == DICT else []
            if of == "object" and kind == "list":
                found.append(f"{n}[{self.key(form)}].xs")
        for n, of in self.names.items():
            found += [n, n, f"same({n})"] if of == kind else []
            found += [f"{n}.xs"] if of == "object" and kind == "list" else []
        if not found:
            return self.made(kind)
        if len(found) > 1 and r.random() < 0.15:
            a, b = r.choice(found), r.choice(found)
            return r.choice((f"({a} if x > {r.choice(('0.0', '1.0'))} else {b})", f"either({a}, {b}, x)"))
        return r.choice(found)

    def either(self, kind: str) -> str:
        return self.r.choice((self.made, self.item))(kind)

    # -- statements ----------------------------------------------------------------------------------------------

    def container(self, depth: int) -> None:
        r, name, kind = self.r, self.new("c"), self.r.choice(self.kinds)
        of_form = {
            SEQUENCE: "[{}, {}]", DICT: "{{0: {}, 1: {}}}", TUPLE: "({}, {})",
        }  # fmt: skip
        form = r.choice((SEQUENCE, SEQUENCE, DICT, DICT, TUPLE))
        text = of_form[form].format(self.either(kind), self.either(kind))
        if r.random() < 0.25 and form != TUPLE:
            item = self.made(kind)
            text = f"[{item} for i in range(n)]" if form == SEQUENCE else f"{{i: {item} for i in range(n)}}"
        others = [n for n, (f, of) in self.containers.items() if (f, of) == (form, kind)]
        if others and r.random() < 0.25:
            other = r.choice(others)
            text = r.choice((other, f"same({other})") + {
                SEQUENCE: (f"list({other})", f"{other}[:]", f"{other}[::-1]", f"{other} + [{self.made(kind)}]"),
                DICT: (f"dict({other})", f"{other}.copy()", f"{{**{other}}}"),
                TUPLE: (f"{other}[:2]",),
            }[form])  # fmt: skip
        self.line(depth, f"{name} = {text}")
        self.containers[name] = form, kind

    def changed(self, item: str, kind: str) -> str:
        """A statement that changes an item."""
        r, new = self.r, self.number()
        if kind == "list":
            return r.choice((
                f"{item}.append({new})", f"{item}[0] = {new}", f"{item}[-1] += x", f"push({item}, {new})",
                f"put({item}, {new})", f"{item}.extend([x, 1.0])", f"{item}.insert(0, {new})", f"{item}.reverse()",
            ))  # fmt: skip
        if kind == "object":
            methods = [f"{item}.push(x)", f"{item}.set({new})"] if self.cls == "Plain" else []
            return r.choice((
                f"{item}.v = {new}", f"{item}.v += x", f"{item}.xs.append({new})", f"{item}.xs[0] = {new}",
                f"{item}.xs = {self.made('list')}", f"put({item}.xs, {new})", *methods,
            ))  # fmt: skip
        return r.choice((f"{item}[0] = {new}", f"{item}[1] += x", f"{item}[:] = {new}", f"put({item}, {new})",
                         f"{item} += 1.0" if item.isidentifier() else f"{item}[0] -= 1.0"))  # fmt: skip

    def stored(self, depth: int) -> None:
        """A container gets another item, loses one, or two of its items change places."""
        r = self.r
        found = [(n, form, kind) for n, (form, kind) in self.containers.items() if form != TUPLE]
        if not found:
            return
        n, form, kind = r.choice(found)
        ways = [f"{n}[{self.key(form)}] = {self.either(kind)}"] * 2
        grows = f"if len({n}) < 6: " if self.along else ""
        if form == SEQUENCE:
            ways += [f"{grows}{n}.append({self.either(kind)})", f"{n}[0], {n}[1] = {n}[1], {n}[0]",
                     f"{grows}{n}.insert(0, {self.made(kind)})", f"{n}.reverse()",
                     f"if len({n}) > 2: {n}.pop()"]  # fmt: skip
        elif not self.along:
            ways += [f"{n}[{r.choice(('2', 'n', 'n - 1'))}] = {self.either(kind)}",
                     f"{n}.update({{1: {self.either(kind)}}})", f"{n}.setdefault(n, {self.made(kind)})"]  # fmt: skip
        self.line(depth, r.choice(ways))

    def statement(self, depth: int, nesting: int) -> None:
        r = self.r
        kind = r.choice(self.kinds)
        choice = r.random()
        if choice < 0.16:
            name = self.new(kind[0])
            self.line(depth, f"{name} = {self.item(kind)}")
            self.names[name] = kind
        elif choice < 0.5:
            item = self.item(kind)
            if not item.startswith(("[", "list(", "np.", self.cls)):
                self.line(depth, self.changed(item, kind))
        elif choice < 0.68:
            self.stored(depth)
        elif choice < 0.76:
            self.container(depth)
        elif nesting:
            self.nested(depth, nesting)

    def block(self, depth: int, nesting: int) -> None:
        """Statements whose names are forgotten behind them."""
        names, containers = dict(self.names), dict(self.containers)
        for _ in range(self.r.randint(1, 3)):
            self.statement(depth, nesting - 1)
        self.line(depth, "pass")
        self.names, self.containers = names, containers

    def nested(self, depth: int, nesting: int) -> None:
        r = self.r
        indices, names = list(self.indices), dict(self.names)
        form = r.random()
        if form < 0.35:
            self.line(depth, f"if {r.choice(('x > 1.0', 'n > 2', 'x < 0.0'))}:")
            self.block(depth + 1, nesting)
            if r.random() < 0.4:
                self.line(depth, "else:")
                self.block(depth + 1, nesting)
        elif form < 0.6 or not self.containers:
            i = f"i{depth}"
            self.line(depth, f"for {i} in range({r.choice(('2', 'n - 1'))}):")
            self.indices.append(i)
            self.block(depth + 1, nesting)
        elif form < 0.7:
            self.line(depth, "def inner():")
            self.block(depth + 1, nesting)
            self.line(depth, "inner()")
        else:
            self.iteration(depth, nesting)
        self.indices, self.names = indices, names

    def iteration(self, depth: int, nesting: int) -> None:
        """A loop along a container."""
        r = self.r
        n = r.choice(list(self.containers))
        form, kind = self.containers[n]
        name, i = self.new(kind[0]), f"i{depth}"
        if form == DICT:
            head = r.choice((f"{name} in {n}.values()", f"{i}, {name} in {n}.items()", f"{i} in {n}"))
        else:
            head = r.choice((f"{name} in {n}", f"{name} in {n}", f"{i}, {name} in enumerate({n})",
                             f"{i}, {name} in zip(range(2), {n})", f"{name} in {n}[::-1]",
                             f"{name} in reversed({n})"))  # fmt: skip
        self.line(depth, f"for {head}:")
        if name in head:
            self.names[name] = kind
        if i in head and "range(2)" not in head and form == DICT:
            self.indices.append(i)
        self.along += 1
        self.block(depth + 1, nesting)
        self.along -= 1


def aliases(seed: int) -> Program:
    """The program of a seed."""
    return Aliases(seed).program()
