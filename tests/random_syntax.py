"""Random functions of all of Python's syntax, whether it makes sense or not: what is syntactically valid, and ends.

Names are mostly bound and values mostly of a type that fits, so that programs come far; loops run along short
sequences, and a `while` counts. Each program is made from a seed.

>>> print(program(3, size=3).splitlines()[0])
def f(x, y, v, n, t, xs, d, b):
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable

NAMES = ("x", "y", "v", "n", "t", "xs", "d", "b")
LOCALS = ("p", "q", "r", "s")
FUNCTIONS = (
    "math.sin", "math.sqrt", "np.sum", "np.exp", "np.dot", "abs", "len", "sum", "max", "min", "float", "int", "tuple",
    "list", "sorted", "range", "zip", "enumerate", "isinstance", "print", "round", "str", "dict", "np.zeros",
    "np.where", "ccc.gradient", "ccc.without_derivative", "map", "reversed", "any", "type", "getattr",
)
METHODS = ("append", "T", "shape", "sum", "items", "get", "copy", "keys", "real", "missing", "reshape", "pop", "sort")
OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in")
CONSTANTS = ("0", "1", "2", "3", "-1", "0.5", "2.0", "1e9", "True", "False", "None", "'a'", "'%s'", "...", "b'a'", "1j")


class Writer:
    """Writes one function."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.tame = self.r.random() < 0.6  # mostly numbers, so that most statements make sense
        self.bound: list[str] = list(NAMES)
        self.loops = 0
        self.functions = 0
        self.statements: list[Callable[[int, int], list[str]]] = [
            *[self.assignment] * 6, *[self.augmented] * 3, *[self.branch] * 3, *[self.loop] * 3, self.counting,
            *[self.function] * 2, self.nothing, self.unpacking, self.asserting, self.raising, self.deleting,
            self.matching, self.ending, self.ending, self.expression_alone, self.store, self.store, self.refused,
        ]

    # -- expressions -------------------------------------------------------------------------------------------------

    def name(self) -> str:
        if self.tame and self.r.random() < 0.98:
            return self.r.choice([name for name in self.bound if name in ("x", "y", "n", *LOCALS)])
        return self.r.choice(self.bound if self.r.random() < 0.97 else (*LOCALS, "missing"))

    def expression(self, depth: int) -> str:
        r = self.r
        if self.tame and r.random() < 0.97:
            return self.number(depth)
        if depth <= 0 or r.random() < 0.2:
            return self.name() if r.random() < 0.7 else r.choice(CONSTANTS[:8] if r.random() < 0.8 else CONSTANTS)
        e = self.expression
        kind = r.randrange(26)
        if kind < 8:
            return f"({e(depth - 1)} {r.choice(OPERATORS[:4] if r.random() < 0.8 else OPERATORS)} {e(depth - 1)})"
        if kind < 11:
            return self.call(depth)
        if kind == 11:
            return f"({e(depth - 1)} if {e(depth - 1)} else {e(depth - 1)})"
        if kind == 12:
            return f"({e(depth - 1)} {r.choice(COMPARISONS)} {e(depth - 1)})"
        if kind == 13:
            return f"({e(depth - 1)} {r.choice(('and', 'or'))} {e(depth - 1)})"
        if kind == 14:
            return f"({r.choice(('-', '+', 'not ', '~'))}{e(depth - 1)})"
        if kind < 17:
            return f"{self.name()}[{self.index(depth - 1)}]"
        if kind == 17:
            return f"({', '.join([e(depth - 1) for _ in range(r.randrange(1, 4))])},)"
        if kind == 18:
            return f"[{', '.join([e(depth - 1) for _ in range(r.randrange(4))])}]"
        if kind == 19:
            return f"{{{', '.join([f'{self.key()}: {e(depth - 1)}' for _ in range(r.randrange(3))])}}}"
        if kind < 22:
            return self.comprehension(depth)
        if kind == 22:
            return f"(lambda {r.choice(LOCALS)}={e(0)}: {e(depth - 1)})" + ("()" if r.random() < 0.8 else "")
        if kind == 23:
            return f"{self.name()}.{r.choice(METHODS)}" + (f"({e(0)})" if r.random() < 0.4 else "")
        if kind == 24:
            return f"f'{{{self.name()}}}'"
        return r.choice((f"({self.target()} := {e(depth - 1)})", f"{{{e(0)}}}", f"(*{e(0)},)", f"{{*{self.name()}}}",
                         f"({self.name()} < {self.name()} <= {e(0)})"))

    def number(self, depth: int) -> str:
        """An expression that mostly is a number."""
        r = self.r
        if depth <= 0 or r.random() < 0.3:
            names = (self.name(), self.name(), self.name())
            return r.choice((*names, "1.5", "0.5", "2", "v[0]", "xs[1]", "t[0]", "d['a']"))
        a, b = self.expression(depth - 1), self.expression(depth - 1)
        return r.choice((
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"math.sin({a})", f"({a} if {b} > {a} else {b})",
            f"max({a}, {b})", f"abs({a})", f"sum([{a} * i for i in range(3)])", f"(lambda w: w * {a})({b})",
            f"np.sum(v * {a})", f"({a} / (2.0 + abs({b})))", f"float({a})", f"(-{a})", f"xs[{r.choice('012')}]",
        ))  # fmt: skip

    def key(self) -> str:
        return self.r.choice(("'a'", "'k'", "1", self.name()))

    def index(self, depth: int) -> str:
        r = self.r
        return r.choice(("0", "1", "-1", "'a'", "n - 1", "1:", ":n", "::2", "None", "...", self.expression(depth)))

    def call(self, depth: int) -> str:
        r = self.r
        function = r.choice(FUNCTIONS) if r.random() < 0.85 else self.name()
        args = [self.expression(depth - 1) for _ in range(r.choice((1, 1, 1, 1, 2, 2, 0, 3)))]
        if r.random() < 0.05:
            args.append(r.choice(("axis=0", "key=abs", "*t", "**d", f"k={self.name()}")))
        return f"{function}({', '.join(args)})"

    def comprehension(self, depth: int) -> str:
        r = self.r
        name = r.choice(LOCALS)
        known = list(self.bound)
        along = self.sequence(depth - 1)
        self.bound = [*known, name]
        element = self.expression(depth - 1)
        test = f" if {self.expression(0)}" if r.random() < 0.2 else ""
        self.bound = known
        body = f"{element} for {name} in {along}{test}"
        return r.choice((f"[{body}]", f"[{body}]", f"sum({body})", f"tuple({body})", f"({body})", f"{{{name}: {body}}}",
                         f"{{{body}}}"))

    def sequence(self, depth: int) -> str:
        r = self.r
        if self.tame:
            return r.choice(("xs", "v", "t", "range(n)", "range(3)", "d.values()"))
        return r.choice(("xs", "v", "t", "range(n)", "range(3)", "zip(xs, t)", "enumerate(v)", "d", "d.values()",
                         self.expression(depth)))

    # -- statements --------------------------------------------------------------------------------------------------

    def target(self) -> str:
        name = self.r.choice((*LOCALS, *LOCALS, "x", "y" if self.tame else "xs"))
        if name not in self.bound:
            self.bound.append(name)
        return name

    def body(self, depth: int, indent: int) -> list[str]:
        known = list(self.bound)
        found = [line for _ in range(self.r.randrange(1, 4)) for line in self.statement(depth, indent)]
        if self.r.random() < 0.5:
            self.bound = known
        return found

    def statement(self, depth: int, indent: int) -> list[str]:
        if self.tame and self.r.random() < 0.9:
            kinds = [*[self.assignment] * 2, self.augmented, self.branch, self.loop, self.counting, self.function]
            return self.r.choice(kinds)(depth, indent)
        return self.r.choice(self.statements)(depth, indent)

    def line(self, indent: int, text: str) -> list[str]:
        return ["    " * indent + text]

    def assignment(self, depth: int, indent: int) -> list[str]:
        value = self.expression(3)
        return self.line(indent, f"{self.target()}{': float' if self.r.random() < 0.1 else ''} = {value}")

    def unpacking(self, depth: int, indent: int) -> list[str]:
        value = self.r.choice(("t", "(x, y)", "v", "xs", self.expression(2)))
        return self.line(indent, f"{self.target()}, {self.r.choice(('', '*'))}{self.target()} = {value}")

    def augmented(self, depth: int, indent: int) -> list[str]:
        operators = OPERATORS[:3] if self.tame else OPERATORS[:8]
        return self.line(indent, f"{self.name()} {self.r.choice(operators)}= {self.expression(2)}")

    def store(self, depth: int, indent: int) -> list[str]:
        where = self.r.choice((f"{self.name()}[{self.index(1)}]", f"{self.name()}.{self.r.choice(METHODS)}"))
        return self.line(indent, f"{where} {self.r.choice(('', '+', '*'))}= {self.expression(2)}")

    def branch(self, depth: int, indent: int) -> list[str]:
        if depth <= 0:
            return self.assignment(depth, indent)
        found = [*self.line(indent, f"if {self.expression(2)}:"), *self.body(depth - 1, indent + 1)]
        if self.r.random() < 0.6:
            found += [*self.line(indent, "else:"), *self.body(depth - 1, indent + 1)]
        return found

    def loop(self, depth: int, indent: int) -> list[str]:
        if depth <= 0:
            return self.assignment(depth, indent)
        along = self.sequence(1)
        names = self.target() if self.tame or self.r.random() < 0.85 else f"({self.target()}, {self.target()})"
        self.loops += 1
        found = [*self.line(indent, f"for {names} in {along}:"), *self.body(depth - 1, indent + 1)]
        if self.r.random() < 0.3:
            found += self.line(indent + 1, f"if {self.expression(1)}: {self.r.choice(('break', 'continue'))}")
        self.loops -= 1
        if self.r.random() < 0.1:
            found += [*self.line(indent, "else:"), *self.body(depth - 1, indent + 1)]
        return found

    def counting(self, depth: int, indent: int) -> list[str]:
        if depth <= 0:
            return self.assignment(depth, indent)
        counter = f"k{self.r.randrange(100)}"
        return [
            *self.line(indent, f"{counter} = 0"), *self.line(indent, f"while {counter} < {self.r.randrange(4)}:"),
            *self.line(indent + 1, f"{counter} += 1"), *self.body(depth - 1, indent + 1),
        ]

    def function(self, depth: int, indent: int) -> list[str]:
        if depth <= 0:
            return self.assignment(depth, indent)
        self.functions += 1
        name, parameter = f"g{self.functions}", self.r.choice(LOCALS)
        known = list(self.bound)
        self.bound = [*known, parameter]
        default = self.r.choice(("", "=1.0", "=x"))
        found = [*self.line(indent, f"def {name}({parameter}{default}):"), *self.body(depth - 1, indent + 1),
                 *self.line(indent + 1, f"return {self.expression(2)}")]
        self.bound = [*known, name]
        if self.r.random() < 0.8:
            found += self.line(indent, f"{self.target()} = {name}({self.expression(1)})")
        return found

    def matching(self, depth: int, indent: int) -> list[str]:
        if depth <= 0:
            return self.assignment(depth, indent)
        pattern = self.r.choice(("1", "(p, q)", "[p, *q]", "{'a': p}", "None", "float()", "p", "0.5 | 1"))
        return [
            *self.line(indent, f"match {self.expression(1)}:"), *self.line(indent + 1, f"case {pattern}:"),
            *self.body(depth - 1, indent + 2), *self.line(indent + 1, "case _:"), *self.body(depth - 1, indent + 2),
        ]

    def asserting(self, depth: int, indent: int) -> list[str]:
        return self.line(indent, f"assert {self.expression(1)}")

    def raising(self, depth: int, indent: int) -> list[str]:
        return self.line(indent, f"if {self.expression(1)}: raise {self.r.choice(('ValueError', 'KeyError(1)', 'x'))}")

    def deleting(self, depth: int, indent: int) -> list[str]:
        return self.line(indent, f"if b: del {self.r.choice((self.r.choice(self.bound), 'xs[0]', 'd[1]'))}")

    def ending(self, depth: int, indent: int) -> list[str]:
        choices = [f"return {self.expression(2)}"] if indent > 1 else ["pass"]
        return self.line(indent, self.r.choice([*choices, *(("break", "continue") if self.loops else ("pass",))]))

    def nothing(self, depth: int, indent: int) -> list[str]:
        return self.line(indent, self.r.choice(("pass", "...", "'text'")))

    def expression_alone(self, depth: int, indent: int) -> list[str]:
        choices = (self.expression(2), f"xs.append({self.expression(1)})", f"print({self.name()})")
        return self.line(indent, self.r.choice(choices))

    def refused(self, depth: int, indent: int) -> list[str]:
        if self.r.random() < 0.7:
            return self.assignment(depth, indent)
        return self.line(indent, self.r.choice((
            "import os", "global missing", "from math import sin", "with open('a') as p: pass", "class C: pass",
            "try: p = x\n" + "    " * indent + "except ValueError: pass", "async def g(): pass", "yield x",
        )))  # fmt: skip


def program(seed: int, size: int = 5) -> str:
    """A function of random syntax, with a name and parameters that are always the same."""
    attempt = 0
    while True:
        writer = Writer(seed * 1000 + attempt)
        lines = [line for _ in range(size) for line in writer.statement(2, 1)]
        text = "\n".join([f"def f({', '.join(NAMES)}):", *lines, f"    return {writer.expression(3)}"]) + "\n"
        try:
            ast.parse(text)
            compile(text, "<random>", "exec")
        except SyntaxError:
            attempt += 1
            continue
        return text
