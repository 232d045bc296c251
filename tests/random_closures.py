"""Random programs over functions that are kept and share variables: counters, those of factories, late and early ones
of loops and comprehensions, in lists, dicts, tuples and attributes, partly applied, as bound methods and callbacks.

They are called at known and unknown places, passed on, exchanged and replaced. Each program that compiles gives what
plain Python gives.
"""

from __future__ import annotations

import random

from random_programs import Program

HEADER = """from functools import partial


class Holder:
    def __init__(self, call, a):
        self.call = call
        self.a = a

    def moved(self, t):
        self.a = 0.5 * self.a + t
        return self.a

    def both(self, t):
        return self.call(t) + self.moved(t)


class Bus:
    def __init__(self):
        self.calls = []

    def on(self, call):
        self.calls.append(call)
        return len(self.calls)

    def fire(self, t):
        found = 0.0
        for call in self.calls:
            found = 0.5 * found + call(t)
        return found


def twice(call, t):
    return call(call(t))


def after(call, other):
    return lambda t: other(0.5 * call(t))


def step(w, t, shift=0.0):
    return w * t + shift


def soft(t):
    return t / (1.0 + t * t)


"""
CALLS = ["1.3, 3, 0", "0.6, 2, 1", "1.1, 3, 1"]
UPDATES = ("{v} = 0.5 * {v} + t", "{v} += t", "{v} -= 0.5 * t", "{v} = t * a + 0.25 * {v}", "{v} *= 0.75")


class Closures:
    """Writes one program. `single` are expressions of functions of one number, `several` names of lists, tuples and
    dicts of at least two such functions, `pairs` those of lists of dicts or tuples of functions of one variable."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.single: list[str] = []
        self.several: dict[str, str] = {}
        self.pairs: dict[str, str] = {}
        self.count = 0
        self.along = 0
        self.bus = ""

    def program(self) -> Program:
        r = self.r
        factories = self.factories()
        self.line(1, f"s, total, row = {self.value()}, x, [x, 0.5]")
        for _ in range(r.randint(1, 2)):
            self.container(1)
        if r.random() < 0.7:
            self.function(1)
        for _ in range(r.randint(3, 6)):
            self.statement(1, 1)
        parts = ["s", "total", "row[0]", f"0.5 * {self.call('x')}"]
        body = "\n".join([*self.lines, f"    return float({' + '.join(parts)})"])
        return Program(self.seed, f"{HEADER}{factories}def f(x, n, k):\n{body}\n", CALLS)

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    # -- factories -----------------------------------------------------------------------------------------------

    def factories(self) -> str:
        """One function that gives one of its own, and one that gives two that share a variable."""
        r = self.r
        one, other, third = [r.choice(UPDATES).format(v="v") for _ in range(3)]
        result = r.choice(("v", "0.5 * v + t", "v * a"))
        form = r.choice(("add, now", "[add, now]", "{'add': add, 'now': now}"))
        self.keys = ("'add'", "'now'") if form[0] == "{" else ("0", "1")
        now = r.choice(("def now(t):\n        return v * t", "now = lambda t: t * v + a"))
        if r.random() < 0.4:
            now = f"def now(t):\n        nonlocal v\n        {third}\n        return 0.5 * v"
        return (
            f"def make(a):\n    v = 0.5 * a\n\n    def add(t):\n        nonlocal v\n        {one}\n"
            f"        return {result}\n\n    return add\n\n\n"
            f"def share(a):\n    v = a\n\n    def add(t):\n        nonlocal v\n        {other}\n        return v\n\n"
            f"    {now}\n\n    return {form}\n\n\n")

    # -- expressions ---------------------------------------------------------------------------------------------

    def value(self) -> str:
        return self.r.choice(("x", "1.5", "0.5 * x", "x * x", *(["s"] if self.lines else []),
                              *["0.5 * i", "x * i"] * self.along))

    def key(self) -> str:
        return self.r.choice(("0", "1", "k", "1 - k", "(n + k) % 2", *["i % 2"] * self.along))

    def inline(self) -> str:
        """A function that reads variables of `f`, or is one of a library of them."""
        r = self.r
        ways = ["lambda t: t * total", "lambda t: 0.5 * t + s", "lambda t: t + row[0]", "soft", "make(x)",
                f"make({self.value()})", f"partial(step, {self.value()})", "partial(step, x, shift=0.5)",
                f"lambda t, a={self.value()}: a * t", f"Holder(soft, {self.value()}).moved"]
        if self.along:
            ways += ["lambda t: t * i", "lambda t, i=i: t * i + s", "make(x * i)"] * 2
        if self.single or self.several:
            ways += [f"after({self.known()}, soft)", f"Holder({self.known()}, x).both", self.known()]
        return r.choice(ways)

    def known(self) -> str:
        """A function that is there."""
        r = self.r
        found = [*self.single, *[f"{name}[{self.key()}]" for name in self.several],
                 *[f"{name}[{self.key()}][{r.choice(self.keys)}]" for name in self.pairs]]
        if not found:
            return "soft"
        return r.choice(found)

    def call(self, t: str) -> str:
        r = self.r
        if r.random() < 0.15:
            return f"twice({self.known()}, {t})"
        if r.random() < 0.1 and self.single:
            return f"({self.known()} if x > 1.0 else {self.known()})({t})"
        return f"{self.known()}({t})"

    # -- statements ----------------------------------------------------------------------------------------------

    def function(self, depth: int) -> None:
        """A function of `f` that changes its variables."""
        r, name = self.r, self.new("g")
        what = r.choice(("total", "s", "total"))
        body = [f"nonlocal {what}", r.choice(UPDATES).format(v=what).replace("a", "x") if what == "s" else
                "total = 0.5 * total + t", r.choice(("row[0] += 0.5 * t", "row[1] = t", "pass"))]
        self.line(depth, f"def {name}(t):")
        for text in body:
            self.line(depth + 1, text)
        self.line(depth + 1, f"return {what} * 0.5 + t")
        self.single.append(name)

    def container(self, depth: int) -> None:
        r, choice = self.r, self.r.random()
        if choice < 0.25:
            name = self.new("c")
            self.along += 1
            item = self.inline()
            self.along -= 1
            self.line(depth, f"{name} = [{item} for i in range({r.choice(('2', 'n', 'n'))})]")
            self.several[name] = "list"
        elif choice < 0.5:
            name = self.new("c")
            self.line(depth, f"{name} = []")
            self.line(depth, f"for i in range({r.choice(('2', 'n', 'n'))}):")
            self.along += 1
            if r.random() < 0.4:
                self.line(depth + 1, "w = x * i")
                self.line(depth + 1, f"{name}.append(lambda t: w * t + 0.5)")
            else:
                self.line(depth + 1, f"{name}.append({self.inline()})")
            self.along -= 1
            self.several[name] = "list"
        elif choice < 0.65:
            name = self.new("c")
            self.line(depth, f"{name} = {r.choice(('[{}, {}]', '({}, {})'))}".format(self.inline(), self.inline()))
            self.several[name] = "list" if self.lines[-1].endswith("]") else "tuple"
        elif choice < 0.75:
            name = self.new("d")
            self.line(depth, f"{name} = {{0: {self.inline()}, 1: {self.inline()}}}")
            self.several[name] = "dict"
        else:
            name = self.new("p")
            self.line(depth, f"{name} = [share(x * (i + 1)) for i in range({r.choice(('2', 'n'))})]")
            self.pairs[name] = "list"

    def statement(self, depth: int, nesting: int) -> None:
        r, choice = self.r, self.r.random()
        if choice < 0.3:
            self.line(depth, f"s = 0.5 * s + {self.call(self.value())}")
        elif choice < 0.4:
            self.line(depth, r.choice(("total = total * 0.5 + s", "row[0] = s", "row = [s, x]", "total += x")))
        elif choice < 0.5 and any(form != "tuple" for form in self.several.values()):
            name = r.choice([name for name, form in self.several.items() if form != "tuple"])
            ways = [f"{name}[{self.key()}] = {self.inline()}", f"{name}[0], {name}[1] = {name}[1], {name}[0]"]
            if self.several[name] == "list":
                ways += [f"{name}.append({self.inline()})", f"{name}.insert(0, {self.inline()})"]
            self.line(depth, r.choice(ways))
        elif choice < 0.58 and depth == 1:
            self.container(depth)
        elif choice < 0.66 and depth == 1:
            name = self.new("h")
            self.line(depth, f"{name} = {self.inline()}")
            self.single.append(name)
        elif choice < 0.72 and depth == 1:
            name = self.new("o")
            self.line(depth, f"{name} = Holder({self.inline()}, {self.value()})")
            self.single += [f"{name}.call", f"{name}.both", f"{name}.moved"]
        elif choice < 0.8 and depth == 1:
            self.callbacks(depth)
        elif choice < 0.88 and nesting:
            self.line(depth, f"if {r.choice(('x > 1.0', 'k == 0', 's > total'))}:")
            self.statement(depth + 1, nesting - 1)
        elif nesting:
            name = r.choice([*self.several, ""])
            self.along += 1
            if name and self.several[name] != "dict" and r.random() < 0.5:
                self.line(depth, f"for i, call in enumerate({name}):")
                self.line(depth + 1, "s = 0.5 * s + call(x) * (i + 1)")
            else:
                self.line(depth, f"for i in range({r.choice(('2', 'n'))}):")
                self.statement(depth + 1, nesting - 1)
            self.along -= 1
        else:
            self.line(depth, f"s = 0.5 * s + {self.call(self.value())}")

    def callbacks(self, depth: int) -> None:
        if not self.bus:
            self.bus = self.new("b")
            self.line(depth, f"{self.bus} = Bus()")
        for _ in range(self.r.randint(1, 2)):
            self.line(depth, f"{self.bus}.on({self.inline()})")
        self.line(depth, f"s = 0.5 * s + {self.bus}.fire({self.value()})")


def closures(seed: int) -> Program:
    """The program of a seed."""
    return Closures(seed).program()
