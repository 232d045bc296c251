"""Random Python programs in the subset that compiles: the source text of a module, its function `f` and calls of it.

A program is a pure function of its seed. Values stay near one: most assignments are squashed, so that what two
derivatives differ by is rounding. Names keep their kinds, and a name bound in one branch or in a loop's body is
forgotten behind it, as Python does not say that it is bound there. Loops and recursions have bounds.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from random_declarations import Declarations
from random_paths import Paths
from random_scope import FLOAT, INT, PAIR, Kind
from random_structures import Structures
from random_trees import TREE, Trees

HEADER = """import functools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

import ccc

SHIFT = {shift}
TABLE = np.array({table})


def soft(t):
    return t / (1.0 + abs(t))


def twice(f, t):
    return f(f(t))


def blend(f, g, t):
    return 0.5 * f(t) + 0.5 * g(t)


def follow(f, g):
    return lambda t: g(f(t))


def choose(f, g, t):
    if t > SHIFT:
        return f(t)
    return g(t)


"""


@dataclass
class Program:
    """A generated program: the text of its module, and the arguments of its function `f` for several calls.

    The second call has other numbers, the third, where there is one, arrays and lists of other sizes.
    """

    seed: int
    source: str
    calls: list[str]
    features: set[str] = field(default_factory=set)

    def load(self) -> Callable[..., Any]:
        """The function `f`, in a module of its own."""
        module = ModuleType(f"program_{self.seed}")
        path = str(Path("random") / f"{module.__name__}.py")
        module.__file__ = path
        linecache.cache[path] = (len(self.source), None, self.source.splitlines(keepends=True), path)
        sys.modules[module.__name__] = module  # where dataclasses look their annotations up
        exec(compile(self.source, path, "exec"), module.__dict__)
        return module.__dict__["f"]

    def arguments(self, f: Callable[..., Any], call: str) -> tuple[Any, ...]:
        """Fresh arguments of a call, evaluated where the program can see its classes."""
        return eval(f"({call},)", f.__globals__)  # type: ignore[attr-defined]

    def __str__(self) -> str:
        return f"{self.source}\n# f({self.calls[0]})"


class Generator(Declarations, Structures, Trees, Paths):
    """Writes one program."""

    def program(self) -> Program:
        r = self.r
        header = HEADER.format(shift=self.number(), table=[self.number() for _ in range(3)])
        self.scope.update({"SHIFT": FLOAT, "TABLE": ("vector", 3)})
        self.classes()
        if "recursion" in self.themes:
            self.recursive_functions()
        self.helpers()
        self.outer = set(self.scope)
        parameters = self.parameters()
        self.line(0, f"def f({', '.join(parameters)}):")
        for name, kind in parameters.items():
            self.bind(name, kind)
        self.returns = self.result_form()
        self.budget = r.randint(3, 14)
        self.statements(1, self.budget)
        self.line(1, f"return {self.returns()}")
        variants = [False, False, True] if any(isinstance(k, tuple) for k in parameters.values()) else [False, False]
        calls = [", ".join(self.argument(kind, resized) for kind in parameters.values()) for resized in variants]
        return Program(self.seed, header + "\n".join(self.lines) + "\n", calls, self.features)

    def parameters(self) -> dict[str, Kind]:
        r = self.r
        found: dict[str, Kind] = {"x": FLOAT}
        if r.random() < 0.6:
            found["y"] = FLOAT
        if r.random() < 0.35:
            found["n"] = INT
        more: dict[str, Kind] = {}
        if self.themes & {"numpy", "in place", "lists"}:
            more = {
                "v": ("vector", r.randint(1, 4)),
                "m": ("matrix", r.randint(1, 3), r.randint(2, 3)),
                "xs": ("list", r.randint(1, 4)),
                "p": PAIR,
            }
        for name, of in self.records.items():
            if not self.holds_function(of):
                more[name.lower()] = ("record", name)
        if "trees" in self.themes:
            more["tree"] = TREE
        for name in r.sample(list(more), min(len(more), r.randint(1, 3))):
            found[name] = more[name]
        return found

    def argument(self, kind: Kind, resized: bool) -> str:
        """The text of an argument of a kind."""
        r = self.r
        if kind == FLOAT:
            return f"np.float64({self.number()})" if "kinds" in self.themes and r.random() < 0.5 else str(self.number())
        if kind == INT:
            return str(r.randint(0, 4))
        if kind == PAIR:
            return f"({self.number()}, {self.number()})"
        if kind[0] == "record":
            return f"{kind[1]}({', '.join(self.argument(k, resized) for _, k in self.records[kind[1]].fields)})"
        if kind == TREE:
            return self.shape(2, self.number)
        more = r.randint(1, 2) if resized else 0
        if kind[0] == "list":
            return str([self.number() for _ in range(kind[1] + more)])
        dtype = ", np.float32" if "single" in self.themes else ""
        if kind[0] == "vector":
            return f"np.array({[self.number() for _ in range(kind[1] + more)]}{dtype})"
        return f"np.array({[[self.number() for _ in range(kind[2])] for _ in range(kind[1] + more)]}{dtype})"

    def result_form(self) -> Callable[[], str]:
        """What the function gives: mostly a number, else a structure of numbers and arrays."""
        r = self.r
        forms: list[Callable[[], str]] = [
            lambda: f"({self.total()}, {self.float_(1)})",
            lambda: f'{{"loss": {self.total()}, "at": {self.float_(1)}}}',
            lambda: f"[{self.total()}, {self.float_(1)}, {self.float_(1)}]",
            lambda: f"({self.total()}, ({self.float_(1)}, {self.int_()}))",
            lambda: f"({self.vector(1, 2)}, {self.total()})",
            lambda: f"{self.vector(1, 3)} * {self.total()}",
        ]
        for name, of in self.records.items():
            if not self.holds_function(of):
                forms.append(lambda name=name: self.record(1, name))
        if "structured result" in self.themes:
            self.features.add("structured result")
            return r.choice(forms)
        return self.total

    def total(self) -> str:
        """A number of what was computed."""
        numbers = self.named(FLOAT)
        terms = [self.r.choice(numbers) for _ in range(2)] + [self.float_(2)]
        terms += [f"np.sum({v})" for v in self.arrays() if self.r.random() < 0.4][:2]
        terms += [f"sum({ys})" for ys in self.lists() if self.r.random() < 0.4][:2]
        return " + ".join(dict.fromkeys(terms))


def program(seed: int) -> Program:
    """The program of a seed."""
    return Generator(seed).program()
