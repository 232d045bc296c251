"""Random programs whose names stand for a list, dict, array or object on some paths, and on others for nothing, a
number, a text or a tuple; what stands there changes under the one name or the other, and is read under both or one."""

from __future__ import annotations

import random

from random_programs import Program

HEADER = """import numpy as np


class Box:
    def __init__(self, q):
        self.q = q


"""
CALLS = ["1.3, 0.9", "-0.7, 0.3"]
MADE = {
    "list": "[{v} * i for i in range(n)]", "rows": "[[{v} * i, {w}] for i in range(n)]", "array": "np.ones(n) * {v}",
    "dict": "{{i: {v} * i for i in range(n)}}", "known": "[{v}, {w}, {v}]", "object": "Box({v})",
    "arrays": "[np.ones(3) * {v} * i for i in range(n)]",
}
CHANGED = {
    "list": ("{o}[0] = {v}", "{o}.append({v})", "{o}[1] += {v}", "{o}.reverse()"),
    "known": ("{o}[0] = {v}", "{o}[1] *= {v}"),
    "rows": ("{o}[0][1] = {v}", "{o}.append([x, {v}])", "{o}[1] = [x, {v}]", "{o}[0], {o}[1] = {o}[1], {o}[0]"),
    "array": ("{o}[0] = {v}", "{o}[1:] += {v}", "{o} *= 1.5"), "dict": ("{o}[0] = {v}", "{o}[n + 1] = {v}"),
    "object": ("{o}.q = {v}", "{o}.q += {v}"),
    "arrays": ("{o}[0][1] = {v}", "{o}[1] = np.ones(3) * {v}", "{o}[0] *= 2.0"),
}
READ = {
    "list": "{o}[0] + 3.0 * {o}[-1] * len({o})", "known": "{o}[0] * 2.0 + {o}[1]", "object": "{o}.q * 3.0",
    "rows": "{o}[0][1] + 3.0 * {o}[-1][0]", "array": "{o}[0] * 3.0 + np.sum({o})",
    "dict": "sum({o}.values()) + {o}[0]", "arrays": "np.sum({o}[0]) * 2.0 + {o}[1][0]",
}
OTHERS = {
    "None": "{o} is not None", "'none'": "not isinstance({o}, str)", "2.0": "not isinstance({o}, float)",
    "(x, x)": "not isinstance({o}, tuple)",
}
ITEMS = {"rows": "known", "arrays": "array"}


class Choices:
    """Writes one program of two numbers, of which the second decides."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines = ["    n = int(c * 4) + 2"]
        self.own: list[tuple[str, str]] = []
        self.chosen: list[tuple[str, str, str]] = []  # a name, what it may stand for, and for what else

    def program(self) -> Program:
        for i in range(self.r.randint(1, 2)):
            kind = self.r.choice(list(MADE))
            self.lines.append(f"    a{i} = {self.filled(MADE[kind])}")
            self.own.append((f"a{i}", kind))
        for i in range(self.r.randint(1, 3)):
            self.choose(f"b{i}")
        for _ in range(self.r.randint(1, 3)):
            self.change()
        self.lines.append("    s = x")
        for name, kind in self.own:
            if self.r.random() < 0.4:
                self.lines.append(f"    s = s + {READ[kind].format(o=name)}")
        for name, kind, other in self.chosen:
            self.where_it_is(name, other, f"s = s * 1.25 + {READ[kind].format(o=name)}")
        return Program(self.seed, HEADER + "def f(x, c):\n" + "\n".join([*self.lines, "    return s"]) + "\n", CALLS)

    def value(self) -> str:
        return self.r.choice(("x", "2.0 * x", "x * x", "1.5", "c * x"))

    def filled(self, text: str, name: str = "") -> str:
        return text.format(v=self.value(), w=self.value(), o=name)

    def where_it_is(self, name: str, other: str, what: str) -> None:
        self.lines += [f"    if {OTHERS[other].format(o=name)}:", f"        {what}"]

    def choose(self, name: str) -> None:
        """Let a name stand for one thing or another."""
        (source, kind), other = self.r.choice(self.own), self.r.choice(list(OTHERS))
        if kind in ITEMS and self.r.random() < 0.5:
            source, kind = f"{source}[0]", ITEMS[kind]
        self.lines += self.r.choice((
            [f"    {name} = {source} if c > 0.5 else {other}"],
            ["    if c > 0.5:", f"        {name} = {source}", "    else:", f"        {name} = {other}"],
            [f"    def g{name}():", "        if c > 0.5:", f"            return {source}", f"        return {other}",
             f"    {name} = g{name}()"],
            [f"    {name} = ({source} if c > 0.5 else {other}, 1)[0]"],
            [f"    {name} = {other}", "    for i in range(n):", "        if i > 2:", f"            {name} = {source}"],
        ))  # fmt: skip
        self.chosen.append((name, kind, other))

    def change(self) -> None:
        """Change something under its own name, or under one that may stand for it."""
        if self.r.random() < 0.6:
            name, kind = self.r.choice(self.own)
            self.lines.append("    " + self.filled(self.r.choice(CHANGED[kind]), name))
        else:
            name, kind, other = self.r.choice(self.chosen)
            self.where_it_is(name, other, self.filled(self.r.choice(CHANGED[kind]), name))


def choices(seed: int) -> Program:
    """The program of a seed."""
    return Choices(seed).program()
