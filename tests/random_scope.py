"""What a random program holds while it is written: its lines, its names with their kinds, its features.

A kind says what a name stands for. A number is `"float"` or `"int"`; everything else is a tuple whose head names the
sort: ("vector", n), ("matrix", n, m), ("list", n) of an argument, ("items",) a local list that is never empty,
("bag",) one that may be, ("pair",), ("record", class), ("dict", key, ...), ("function",), ("maker",), ("caller",),
("chain",) a linked list or None, ("tree",) a tree, ("grower",) what makes a function of one, ("filler",) what fills an
array. Names of parts are names too: `p.x`, `d["a"]`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Kind = Any

FLOAT, INT, PAIR, FUNCTION, MAKER, CALLER, ITEMS, BAG = (
    "float", "int", ("pair",), ("function",), ("maker",), ("caller",), ("items",), ("bag",),
)  # fmt: skip

THEMES = {
    "numpy": 0.5, "structures": 0.35, "mutable": 0.3, "lists": 0.35, "in place": 0.35, "recursion": 0.4, "while": 0.45,
    "derivative": 0.12, "raising": 0.08, "printing": 0.1, "match": 0.2, "dicts": 0.25, "functions": 0.5, "leaving": 0.4,
    "structured result": 0.2, "kinds": 0.08, "single": 0.04, "trees": 0.1,
    "values": 0.12, "chains": 0.1, "keys": 0.12, "paths": 0.12, "outer": 0.1, "tables": 0.1,
}  # fmt: skip
"""What a program may use, and how often: each program has a few of them, so that they meet in each other."""


@dataclass
class Record:
    """A class of the program's module: its fields with their kinds, and what can be done with an instance."""

    name: str
    fields: list[tuple[str, Kind]]
    mutable: bool = False
    tuple_like: bool = False
    reads: list[str] = field(default_factory=list)
    """Numbers of an instance: `{p}.size`, `{p}.at({t})`."""
    makes: list[str] = field(default_factory=list)
    """Instances from instances: `{p}.moved({t})`, `({p} + {q})`."""
    changes: list[str] = field(default_factory=list)
    """Statements that change an instance: `{p}.push({t})`."""


class Scope:
    """Lines and names; `scope` holds the names that are surely bound where the next line is written."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.scope: dict[str, Kind] = {}
        self.outer: set[str] = set()
        self.locked: set[str] = set()
        self.owned: set[str] = set()
        self.records: dict[str, Record] = {}
        self.forms: dict[str, Callable[[], str]] = {}
        self.counter = 0
        self.budget = 0
        self.in_loop = ""
        self.returns: Callable[[], str] = lambda: "0.0"
        self.features: set[str] = set()
        self.themes = {name for name, share in THEMES.items() if self.r.random() < share}

    def number(self) -> float:
        return round(self.r.uniform(-1.5, 1.5), 3)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def fresh(self, hint: str) -> str:
        self.counter += 1
        return f"{hint}{self.counter}"

    def bind(self, name: str, kind: Kind) -> None:
        """A name, and the names of its parts."""
        self.scope[name] = kind
        if isinstance(kind, tuple) and kind[0] == "record":
            for part, of in self.records[kind[1]].fields:
                self.bind(f"{name}.{part}", of)
        elif isinstance(kind, tuple) and kind[0] == "dict":
            for key in kind[1:]:
                self.scope[f'{name}["{key}"]'] = FLOAT

    def named(self, kind: Kind) -> list[str]:
        return [name for name, k in self.scope.items() if k == kind]

    def of_sort(self, sort: str) -> list[str]:
        return [name for name, k in self.scope.items() if isinstance(k, tuple) and k[0] == sort]

    def local(self, names: list[str]) -> list[str]:
        """Those that an assignment may bind here: whole names of this function."""
        return [n for n in names if n.isidentifier() and n not in self.outer and n not in self.locked]

    def changing(self, names: list[str]) -> list[str]:
        """Those that stand for a thing that this function made and that may change here."""
        return [n for n in names if n in self.owned and n not in self.outer and n not in self.locked]

    def target(self, kind: Kind, hint: str) -> str:
        """A name to assign to: a new one, or one that has this kind already."""
        old = self.local(self.named(kind))
        return self.r.choice(old) if old and self.r.random() < 0.45 else self.fresh(hint)

    @contextmanager
    def block(self, more: dict[str, Kind] | None = None, loop: str | None = None) -> Iterator[None]:
        """A nested block: what it binds is forgotten behind it."""
        before, owned, locked, in_loop = dict(self.scope), set(self.owned), set(self.locked), self.in_loop
        for name, kind in (more or {}).items():
            self.bind(name, kind)
        if loop is not None:
            self.in_loop = loop
        yield
        self.scope = before
        self.owned = {n for n in owned & self.owned if n in before}
        self.locked, self.in_loop = locked, in_loop

    @contextmanager
    def function(self, parameters: dict[str, Kind], returns: Callable[[], str]) -> Iterator[None]:
        """The body of a nested function: it sees what is around and binds names of its own."""
        outer, saved, before = set(self.outer), self.returns, dict(self.scope)
        self.outer |= set(self.scope)
        self.outer -= set(parameters)
        self.returns = returns
        with self.block(parameters, loop=""):
            yield
        self.outer, self.returns, self.scope = outer, saved, before

    @contextmanager
    def without(self, hidden: set[str]) -> Iterator[None]:
        """The same scope, some names out of sight."""
        kept = {n: k for n, k in self.scope.items() if n in hidden}
        self.scope = {n: k for n, k in self.scope.items() if n not in hidden}
        yield
        self.scope |= kept
