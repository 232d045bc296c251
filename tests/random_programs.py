"""Random Python programs in the subset that compiles: the source text of a module, a function and its arguments.

A program is a pure function of its seed. Values stay near one: most assignments are squashed, so that what two
derivatives differ by is rounding. Names keep their kinds, and a name bound in one branch or in a loop's body is
forgotten behind it, as Python does not say that it is bound there.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import ccc
from compile.diagnostics import CompileError
from compile.wrapper import Transform

Kind = Any
"""`"float"`, `"int"`, ("vector", n), ("matrix", n, m), ("list", n), ("pair",), ("function",) or ("maker",)."""

FLOAT, INT, PAIR, FUNCTION, MAKER = "float", "int", ("pair",), ("function",), ("maker",)

HEADER = '''import math

import numpy as np

import ccc

SHIFT = {shift}
TABLE = np.array({table})


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


'''

UNARY = (
    "math.sin({})", "math.cos({})", "math.tanh({})", "math.atan({})", "math.exp(0.3 * {})",
    "math.sqrt({0} * {0} + 0.5)",
    "math.log({0} * {0} + 1.0)", "np.sin({})", "np.tanh({})", "np.exp(0.3 * {})", "np.sqrt(1.0 + {0} * {0})", "abs({})",
    "(1.0 / (1.0 + {0} * {0}))", "(0.3 * {} ** 2)", "(-{})", "float({})", "np.arctan({})", "math.erf({})",
)
BINARY = (
    "({} + {})", "({} - {})", "({} * {})", "({} * {})", "({} / (2.0 + abs({})))", "max({}, {})", "min({}, {})",
    "math.atan2({}, 1.5 + {} ** 2)", "np.maximum({}, {})", "np.minimum({}, {})", "math.hypot({}, {} + 1.7)",
    "np.hypot({}, 0.5 + abs({}))",
)
RAISING = ("math.log({})", "math.sqrt({})", "(1.0 / {})", "math.asin(1.4 * {})", "math.acos({} + 0.4)")
VECTOR_UNARY = (
    "np.sin({})", "np.tanh({})", "np.exp(0.3 * {})", "(0.5 * {} ** 2)", "np.sqrt({0} * {0} + 0.5)", "(-{})", "{}[::-1]",
    "np.abs({})", "np.cumsum(0.3 * {})", "np.roll({}, 1)", "np.clip({}, -0.4, 0.6)",
)
VECTOR_BINARY = (
    "({} + {})", "({} - {})", "({} * {})", "np.maximum({}, {})", "np.minimum({}, {})", "({} / (1.5 + np.abs({})))",
    "np.where({0} > 0.1, {0}, {1})", "np.where({0} < {1}, 0.5 * {1}, {0})",
)
REDUCTIONS = (
    "np.sum({})", "np.mean({})", "np.max({})", "np.min({})", "np.dot({0}, {0})", "np.linalg.norm({0} + 2.0)",
    "({0} @ {0})", "{}.sum()", "np.prod(0.5 + {})", "np.var({})",
)


@dataclass
class Program:
    """A generated program: the text of its module, and the arguments of its function `f`."""

    seed: int
    source: str
    args: tuple[Any, ...]
    features: set[str] = field(default_factory=set)

    def load(self, path: Any) -> Callable[..., Any]:
        """The function, its module written to `path`."""
        path.write_text(self.source)
        space: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
        exec(compile(self.source, str(path), "exec"), space)
        return space["f"]

    def __str__(self) -> str:
        text = self.source.partition("\n\n\ndef f(")
        return f"seed {self.seed}, arguments {self.args!r}\n{text[0]}\n\n\ndef f({text[2]}"


class Generator:
    """Writes one program, statement by statement; `scope` holds the names that are surely bound."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.scope: dict[str, Kind] = {}
        self.captured: set[str] = set()
        self.counter = 0
        self.budget = self.r.randint(3, 16)
        self.features: set[str] = set()
        self.raising = self.r.random() < 0.08
        self.deriving = self.r.random() < 0.06
        self.scalar = self.r.random() < 0.45

    # -- the whole ---------------------------------------------------------------------------------------------

    def program(self) -> Program:
        r = self.r
        args: list[Any] = []
        names: list[str] = []

        def argument(name: str, kind: Kind, value: Any) -> None:
            names.append(name)
            args.append(value)
            self.scope[name] = kind

        argument("x", FLOAT, self.number())
        if r.random() < 0.6:
            argument("y", FLOAT, self.number())
        if r.random() < 0.3:
            argument("n", INT, r.randint(0, 4))
        if not self.scalar:
            for name in r.sample(("v", "m", "xs", "p"), r.randint(1, 3)):
                kind, value = self.argument_of(name)
                argument(name, kind, value)
        header = HEADER.format(shift=self.number(), table=[self.number() for _ in range(3)])
        self.scope.update({"SHIFT": FLOAT, "TABLE": ("vector", 3)})
        self.line(0, f"def f({', '.join(names)}):")
        self.statements(1, self.budget)
        self.line(1, f"return {self.result()}")
        return Program(self.seed, header + "\n".join(self.lines) + "\n", tuple(args), self.features)

    def argument_of(self, name: str) -> tuple[Kind, Any]:
        r = self.r
        if name == "v":
            size = r.randint(1, 4)
            return ("vector", size), np.array([self.number() for _ in range(size)])
        if name == "m":
            rows, columns = r.randint(1, 3), r.randint(2, 3)
            return ("matrix", rows, columns), np.array([[self.number() for _ in range(columns)] for _ in range(rows)])
        if name == "xs":
            size = r.randint(1, 4)
            return ("list", size), [self.number() for _ in range(size)]
        return PAIR, (self.number(), self.number())

    def number(self) -> float:
        return round(self.r.uniform(-1.5, 1.5), 3)

    def result(self) -> str:
        numbers = self.named(FLOAT)
        terms = [self.r.choice(numbers) for _ in range(2)] + [self.float_(2)]
        terms += [f"np.sum({v})" for v in self.arrays() if self.r.random() < 0.5][:2]
        return " + ".join(dict.fromkeys(terms))

    # -- names -------------------------------------------------------------------------------------------------

    def line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def named(self, kind: Kind) -> list[str]:
        return [name for name, k in self.scope.items() if k == kind]

    def of_sort(self, sort: str) -> list[str]:
        return [name for name, k in self.scope.items() if isinstance(k, tuple) and k[0] == sort]

    def arrays(self) -> list[str]:
        return self.of_sort("vector") + self.of_sort("matrix")

    def fresh(self, hint: str) -> str:
        self.counter += 1
        return f"{hint}{self.counter}"

    def target(self, kind: Kind, hint: str) -> str:
        """A name to assign to: a new one, or one that has this kind already."""
        old = [n for n in self.named(kind) if n not in ("SHIFT", "TABLE")]
        return self.r.choice(old) if old and self.r.random() < 0.45 else self.fresh(hint)

    # -- expressions -------------------------------------------------------------------------------------------

    def leaf(self) -> str:
        r = self.r
        options: list[Callable[[], str]] = [lambda: r.choice(self.named(FLOAT))] * 5
        options.append(lambda: str(abs(self.number())))
        for name in self.of_sort("vector") + self.of_sort("list"):
            options.append(lambda name=name: f"{name}[{self.index(self.scope[name][1])}]")
        for name in self.of_sort("matrix"):
            _, rows, columns = self.scope[name]
            options.append(lambda name=name, a=rows, b=columns: f"{name}[{self.index(a)}, {self.index(b)}]")
        for name in self.named(PAIR):
            options.append(lambda name=name: f"{name}[{r.randint(0, 1)}]")
        for name in self.named(INT):
            options.append(lambda name=name: r.choice((name, f"(0.5 * {name})")))
        return r.choice(options)()

    def index(self, size: int) -> str:
        """An index that is in range: static, or a loop's variable whose range fits."""
        loops = [n for n, k in self.scope.items() if isinstance(k, tuple) and k[0] == "index" and k[1] <= size]
        if loops and self.r.random() < 0.7:
            name = self.r.choice(loops)
            return self.r.choice((name, name, f"-1 - {name}", f"{size - 1} - {name}"))
        if self.raising and self.r.random() < 0.05:
            return str(size)
        return str(self.r.randint(-size, size - 1))

    def float_(self, depth: int) -> str:
        r = self.r
        if depth <= 0 or r.random() < 0.15:
            return self.leaf()
        roll = r.random()
        if roll < 0.30:
            return r.choice(UNARY).format(self.float_(depth - 1))
        if roll < 0.62:
            return r.choice(BINARY).format(self.float_(depth - 1), self.float_(depth - 1))
        if roll < 0.70:
            self.features.add("conditional expression")
            return f"({self.float_(depth - 1)} if {self.test(depth - 1)} else {self.float_(depth - 1)})"
        if roll < 0.84:
            functions = self.named(FUNCTION)
            if functions:
                return self.applied(functions, depth)
        elif roll < 0.95 and not self.scalar:
            return r.choice(REDUCTIONS).format(self.vector(depth - 1, r.randint(1, 4)))
        elif roll < 0.97 and self.raising:
            self.features.add("raising")
            return r.choice(RAISING).format(self.float_(depth - 1))
        return self.leaf()

    def applied(self, functions: list[str], depth: int) -> str:
        """A call of a closure: direct, through a helper of the module, or of a function that a call returns."""
        r = self.r
        f, g, argument = r.choice(functions), r.choice(functions), self.float_(depth - 1)
        self.features.add("closure")
        forms = [f"{f}({argument})"] * 3
        forms += [f"twice({f}, {argument})", f"blend({f}, {g}, {argument})", f"follow({f}, {g})({argument})",
                  f"choose({f}, {g}, {argument})", f"({f}, {g})[{r.randint(0, 1)}]({argument})",
                  f"({f} if {self.test(0)} else {g})({argument})",
                  f"(lambda t: {f}(t) * {self.leaf()})({argument})"]
        for maker in self.named(MAKER):
            forms += [f"{maker}({self.leaf()})({argument})"] * 2
        if self.deriving:
            self.features.add("derivative")
            forms += [f"0.5 * ccc.derivative({f})({argument})", f"0.5 * ccc.gradient({g})({argument})",
                      f"0.5 * ccc.derivative(lambda t: {f}(t) * t)({argument})"]
        return r.choice(forms)

    def test(self, depth: int) -> str:
        r = self.r
        a, b = self.float_(min(depth, 1)), self.float_(min(depth, 1))
        roll = r.random()
        if roll < 0.6:
            return f"{a} {r.choice(('<', '>', '<=', '>='))} {b}"
        if roll < 0.8:
            return f"{a} > {self.leaf()} {r.choice(('and', 'or'))} {b} < {self.leaf()}"
        if roll < 0.9:
            return f"not {a} > {b}"
        return f"{self.leaf()} < {a} < 1.0"

    def vector(self, depth: int, size: int) -> str:
        r = self.r
        if depth <= 0 or r.random() < 0.25:
            return self.vector_leaf(size)
        roll = r.random()
        if roll < 0.35:
            return r.choice(VECTOR_UNARY).format(self.vector(depth - 1, size))
        if roll < 0.75:
            return r.choice(VECTOR_BINARY).format(self.vector(depth - 1, size), self.vector(depth - 1, size))
        if roll < 0.9:
            return f"({self.vector(depth - 1, size)} {r.choice('+*-')} {self.float_(depth - 1)})"
        matrices = [(n, k) for n, k in self.scope.items() if isinstance(k, tuple) and k[0] == "matrix" and k[1] == size]
        if matrices:
            name, kind = r.choice(matrices)
            return f"({name} @ {self.vector(depth - 1, kind[2])})"
        return self.vector_leaf(size)

    def vector_leaf(self, size: int) -> str:
        r = self.r
        options = list(self.named(("vector", size))) * 3
        for name in self.of_sort("vector"):
            if self.scope[name][1] == size + 1:
                options += [f"{name}[1:]", f"{name}[:-1]"]
            if self.scope[name][1] == 2 * size:
                options.append(f"{name}[::2]")
        for name in self.of_sort("matrix"):
            _, rows, columns = self.scope[name]
            if columns == size:
                options += [f"{name}[{self.index(rows)}]", f"np.sum({name}, axis=0)"]
            if rows == size:
                options += [f"{name}[:, {self.index(columns)}]", f"{name}.T[{self.index(columns)}]"]
        options += [f"np.array([{', '.join(self.leaf() for _ in range(size))}])"]
        if r.random() < 0.1:
            options.append(f"np.zeros({size})")
        return r.choice(options)

    def squashed(self, text: str) -> str:
        """A number near one."""
        return self.r.choice(("math.tanh({})", "math.sin({})", "np.tanh({})", "1.2 * math.atan({})", "math.sin({})",
                              "({0}) / (1.0 + abs({0}))")).format(text)

    # -- statements --------------------------------------------------------------------------------------------

    def statements(self, depth: int, count: int, returning: bool = True) -> None:
        for _ in range(count):
            if self.budget <= 0:
                break
            self.budget -= 1
            self.statement(depth, returning)

    def statement(self, depth: int, returning: bool) -> None:
        r = self.r
        choices: list[tuple[float, Callable[[], None]]] = [
            (4, lambda: self.assign(depth)), (1.2, lambda: self.augment(depth)), (0.7, lambda: self.several(depth)),
            (1.6, lambda: self.define(depth)),
        ]
        if not self.scalar:
            choices.append((1.5, lambda: self.assign_array(depth)))
        if depth < 4:
            choices += [(1.8, lambda: self.branch(depth, returning)), (2.0, lambda: self.loop(depth))]
        if returning and depth < 4:
            choices.append((0.35, lambda: self.early(depth)))
        if self.named(FUNCTION):
            choices.append((0.7, lambda: self.rename(depth)))
        weights, actions = zip(*choices, strict=True)
        r.choices(actions, weights)[0]()

    def assign(self, depth: int) -> None:
        text = self.squashed(self.float_(3)) if self.r.random() < 0.6 else self.float_(2)
        name = self.target(FLOAT, "t")
        self.line(depth, f"{name} = {text}")
        self.scope[name] = FLOAT

    def augment(self, depth: int) -> None:
        names = [n for n in self.named(FLOAT) if n != "SHIFT"]
        name = self.r.choice(names)
        op, factor = self.r.choice((("+", "0.3 * "), ("-", "0.2 * "), ("*", "0.8 * "), ("/", "1.5 + 0.1 * ")))
        self.line(depth, f"{name} {op}= {factor}{self.squashed(self.float_(2))}")

    def several(self, depth: int) -> None:
        names = [n for n in self.named(FLOAT) if n != "SHIFT"]
        if len(names) > 1 and self.r.random() < 0.5:
            a, b = self.r.sample(names, 2)
            self.line(depth, f"{a}, {b} = {b}, {self.squashed(f'{a} + {b}')}")
            return
        if self.r.random() < 0.5:
            name = self.target(PAIR, "q")
            self.line(depth, f"{name} = ({self.squashed(self.float_(1))}, {self.float_(1)})")
            self.scope[name] = PAIR
            return
        a, b = self.fresh("t"), self.fresh("t")
        right = self.r.choice([*self.named(PAIR), f"({self.float_(1)}, {self.float_(2)})"])
        self.line(depth, f"{a}, {b} = {right}")
        self.scope.update({a: FLOAT, b: FLOAT})

    def assign_array(self, depth: int) -> None:
        self.features.add("array")
        size = self.r.randint(1, 4)
        kind = ("vector", size)
        text = self.vector(2, size)
        if self.r.random() < 0.7:
            text = self.r.choice(("np.tanh({})", "np.sin({})", "1.5 * np.cos({})")).format(text)
        name = self.target(kind, "a")
        if self.scope.get(name) == kind and name not in self.parameters() and self.r.random() < 0.4:
            self.line(depth, f"{name} {self.r.choice('+-')}= 0.3 * {text}")
            self.features.add("in place")
        else:
            self.line(depth, f"{name} = {text}")
        self.scope[name] = kind

    def parameters(self) -> tuple[str, ...]:
        return ("v", "m", "xs", "p", "x", "y", "n")

    def inner(self, depth: int, count: int, more: dict[str, Kind], returning: bool = False) -> dict[str, Kind]:
        """Statements of a nested block; gives the names that they leave, and restores those before."""
        before = dict(self.scope)
        self.scope.update(more)
        start = len(self.lines)
        self.statements(depth, count, returning)
        if len(self.lines) == start:
            self.assign(depth)
        after, self.scope = self.scope, before
        return after

    def branch(self, depth: int, returning: bool) -> None:
        r = self.r
        self.features.add("branch")
        arms: list[dict[str, Kind]] = []
        self.line(depth, f"if {self.test(2)}:")
        arms.append(self.inner(depth + 1, r.randint(1, 3), {}, returning and r.random() < 0.3))
        if r.random() < 0.3:
            self.line(depth, f"elif {self.test(1)}:")
            arms.append(self.inner(depth + 1, r.randint(1, 2), {}, returning and r.random() < 0.3))
        if r.random() < 0.7:
            self.line(depth, "else:")
            arms.append(self.inner(depth + 1, r.randint(1, 3), {}))
            if r.random() < 0.4 and len(arms) == 2:
                return self.rejoined(depth, arms)
        return None

    def rejoined(self, depth: int, arms: list[dict[str, Kind]]) -> None:
        """The same branch again with a name that both arms bind, a number or a function."""
        name, kind = (self.fresh("t"), FLOAT) if self.r.random() < 0.5 else (self.fresh("g"), FUNCTION)
        for head in (f"if {self.test(1)}:", "else:"):
            self.line(depth, head)
            value = self.float_(2) if kind == FLOAT else f"lambda t: {self.body('t')}"
            self.line(depth + 1, f"{name} = {value}")
        self.scope[name] = kind

    def loop(self, depth: int) -> None:
        r = self.r
        self.features.add("loop")
        forms: list[tuple[str, dict[str, Kind]]] = []
        i, u, w = self.fresh("i"), self.fresh("u"), self.fresh("w")
        size = r.randint(0, 4)
        forms.append((f"{i} in range({size})", {i: ("index", size)}))
        forms.append((f"{i} in range(1, {size + 1})", {i: INT}))
        if "n" in self.scope:
            forms += [(f"{i} in range(n)", {i: INT})] * 2
        for name in self.of_sort("vector") + self.of_sort("list"):
            length = self.scope[name][1]
            forms += [
                (f"{i} in range(len({name}))", {i: ("index", length)}), (f"{u} in {name}", {u: FLOAT}),
                (f"{i}, {u} in enumerate({name})", {i: ("index", length), u: FLOAT}),
                (f"{u}, {w} in zip({name}, {r.choice(self.of_sort('vector') + self.of_sort('list'))})",
                 {u: FLOAT, w: FLOAT}),
            ]
        for name in self.of_sort("matrix"):
            _, rows, columns = self.scope[name]
            forms += [(f"{u} in {name}", {u: ("vector", columns)}),
                      (f"{i}, {u} in enumerate({name})", {i: ("index", rows), u: ("vector", columns)}),
                      (f"{i} in range({name}.shape[0])", {i: ("index", rows)})]
        if r.random() < 0.2:
            forms.append((f"{u} in ({self.float_(1)}, {self.leaf()}, {self.leaf()})", {u: FLOAT}))
        head, bound = r.choice(forms)
        if r.random() < 0.5:
            name = self.fresh("s")
            self.line(depth, f"{name} = {r.choice(('0.0', '1.0', '0', self.leaf()))}")
            self.scope[name] = FLOAT
            self.line(depth, f"for {head}:")
            self.inner(depth + 1, r.randint(1, 3), bound)
            before = dict(self.scope)
            self.scope.update(bound)
            self.line(depth + 1, f"{name} = {self.squashed(f'{name} + {self.float_(2)}')}")
            self.scope = before
        else:
            self.line(depth, f"for {head}:")
            self.inner(depth + 1, r.randint(1, 4), bound)

    def body(self, parameter: str) -> str:
        """A number computed from a parameter and from what is around."""
        had = self.scope.get(parameter)
        self.scope[parameter] = FLOAT
        text = f"math.sin({parameter} * {self.float_(2)})" if self.r.random() < 0.5 else self.squashed(self.float_(2))
        if had is None:
            del self.scope[parameter]
        else:
            self.scope[parameter] = had
        return text

    def define(self, depth: int) -> None:
        r = self.r
        self.features.add("closure")
        if r.random() < 0.2:
            name = self.fresh("make")
            self.line(depth, f"def {name}(k):")
            self.scope["k"] = FLOAT
            if r.random() < 0.5:
                self.line(depth + 1, f"return lambda t: {self.body('t')}")
            else:
                self.line(depth + 1, "def inner(t):")
                self.line(depth + 2, f"return {self.body('t')}")
                self.line(depth + 1, "return inner")
            del self.scope["k"]
            self.scope[name] = MAKER
            return
        name = self.fresh("g") if depth > 1 and r.random() < 0.9 else self.target(FUNCTION, "g")
        if r.random() < 0.5:
            self.line(depth, f"{name} = lambda t: {self.hiding(name, lambda: self.body('t'))}")
        else:
            self.line(depth, f"def {name}(t):")
            self.hiding(name, lambda: self.function_body(depth + 1))
        self.scope[name] = FUNCTION
        if r.random() < 0.35:  # rebind what the closure may have captured, before it is called
            self.augment(depth)

    def hiding(self, name: str, write: Callable[[], Any]) -> Any:
        """A body that does not call functions: a name bound again later would make it recursive."""
        functions = {n: k for n, k in self.scope.items() if k in (FUNCTION, MAKER)}
        for n in functions:
            if n == name or self.r.random() < 0.6:
                del self.scope[n]
        hidden = {n: k for n, k in functions.items() if n not in self.scope}
        kept = dict(self.scope)
        result = write()
        self.scope = {**kept, **hidden}
        return result

    def function_body(self, depth: int) -> None:
        r = self.r
        before = dict(self.scope)
        self.scope["t"] = FLOAT
        if r.random() < 0.4:
            self.line(depth, f"d = {self.float_(2)}")
            self.scope["d"] = FLOAT
        if r.random() < 0.3:
            self.line(depth, f"if {self.test(1)}:")
            self.line(depth + 1, f"return {self.squashed(self.float_(1))}")
        if r.random() < 0.2:
            self.line(depth, f"for j in range({r.randint(0, 3)}):")
            self.line(depth + 1, f"t = {self.squashed(self.float_(1))}")
        self.line(depth, f"return {self.squashed(self.float_(2))}")
        self.scope = before

    def rename(self, depth: int) -> None:
        """A function under another name, or one of two."""
        functions = self.named(FUNCTION)
        name = self.fresh("g")
        f, g = self.r.choice(functions), self.r.choice(functions)
        pair = f"({f}, {g})[{self.r.randint(0, 1)}]"
        text = self.r.choice((f, f"follow({f}, {g})", f"{f} if {self.test(1)} else {g}", pair))
        self.line(depth, f"{name} = {text}")
        self.scope[name] = FUNCTION

    def early(self, depth: int) -> None:
        self.features.add("early return")
        self.line(depth, f"if {self.test(1)}:")
        self.line(depth + 1, f"return {self.float_(2)}")


def program(seed: int) -> Program:
    """The program of a seed."""
    return Generator(seed).program()


# -- checks ------------------------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What became of a program: refused (with the diagnostic), raised, compared, or skipped as not smooth there."""

    kind: str
    detail: str = ""


def reals(x: Any) -> list[float]:
    """The real numbers of a value, left to right."""
    if isinstance(x, tuple | list):
        return [number for part in x for number in reals(part)]
    if isinstance(x, np.ndarray):
        return [float(number) for number in x.ravel()]
    return [float(x)] if isinstance(x, float | np.floating) else []


def moved(x: Any, steps: list[float]) -> Any:
    """The value with steps added to its real numbers, taken from the front of `steps`."""
    if isinstance(x, tuple | list):
        return type(x)([moved(part, steps) for part in x])
    if isinstance(x, np.ndarray):
        return x + np.array([steps.pop(0) for _ in range(x.size)]).reshape(x.shape)
    return x + steps.pop(0) if isinstance(x, float) else x


def tangent(x: Any, along: list[float]) -> Any:
    """The front of `along` in the structure of a value, None for what is not differentiable."""
    if isinstance(x, tuple | list):
        return type(x)([tangent(part, along) for part in x])
    if isinstance(x, np.ndarray):
        return np.array([along.pop(0) for _ in range(x.size)]).reshape(x.shape)
    return along.pop(0) if isinstance(x, float) else None


def dot(a: list[float], b: list[float]) -> float:
    return math.fsum(x * y for x, y in zip(a, b, strict=True))


def slope(f: Callable[..., Any], args: tuple[Any, ...], along: list[float]) -> tuple[float, float]:
    """A directional derivative and a bound of its error, infinite where the function is not smooth.

    Central quotients with steps h and h/2, combined so that the error of order h² cancels; what they differ by bounds
    what is left. At a kink the quotients from the left and the right differ by a number that does not shrink with h.
    """
    h = 2.0**-11

    def at(step: float) -> float:
        return float(f(*moved(args, [step * a for a in along])))

    try:
        middle, values = at(0.0), {s: at(s) for s in (h, -h, h / 2, -h / 2, 3 * h, -3 * h)}
    except (ArithmeticError, ValueError):
        return 0.0, math.inf
    coarse, fine = [(values[s] - values[-s]) / (2 * s) for s in (h, h / 2)]
    bends = [abs(values[s] + values[-s] - 2 * middle) / s for s in (3 * h, h, h / 2)]
    scale = 1 + abs(fine)
    noise = 16 * np.finfo(float).eps * (1 + sum(map(abs, values.values()))) / h
    smooth = bends[2] <= 0.6 * bends[1] + 4 * noise and bends[1] <= 0.45 * bends[0] + 4 * noise
    error = abs(fine - coarse) / 3 + noise
    return fine + (fine - coarse) / 3, error if smooth and error < 1e-4 * scale else math.inf


def same(a: Any, b: Any) -> bool:
    """Equal bits, where an int may have become a float."""
    return np.float64(a).tobytes() == np.float64(b).tobytes() and (type(a) is type(b) or isinstance(b, int))


class Checker:
    """Compares the compiled derivatives of a program with each other and with difference quotients."""

    def __init__(self, program: Program, f: Callable[..., Any]) -> None:
        self.program = program
        self.f = f
        self.args = program.args
        self.bare = len(self.args) == 1
        r = random.Random(program.seed + 1)
        self.size = len(reals(self.args))
        self.along = [r.choice((-1.0, 1.0)) * r.uniform(0.3, 1.0) for _ in range(self.size)]

    def run(self, second: bool) -> Outcome:
        try:
            expected: Any = self.f(*self.args)
        except CompileError as error:  # a derivative taken inside
            return Outcome("refused", str(error))
        except (ArithmeticError, ValueError, IndexError) as error:
            return self.raises(error)
        try:
            return self.compares(expected, second)
        except CompileError as error:
            assert error.diagnostics and "AttributeError" not in str(error), error
            return Outcome("refused", str(error))

    def raises(self, error: Exception) -> Outcome:
        """The compiled program raises the same exception, its gradient too."""
        for transform in (Transform(self.f), ccc.gradient(self.f)):
            try:
                transform(*self.args)
            except type(error):
                continue
            except CompileError as refusal:
                return Outcome("refused", str(refusal))
            raise AssertionError(f"plain Python raises {error!r}, {transform} does not")
        return Outcome("raised", repr(error))

    def compares(self, expected: Any, second: bool) -> Outcome:
        found = Transform(self.f)(*self.args)
        if "derivative" in self.program.features:  # code of a derivative spliced in may round otherwise
            assert math.isclose(found, expected, rel_tol=1e-12, abs_tol=1e-12), f"value {found!r}, not {expected!r}"
        else:
            assert same(found, expected), f"value {found!r}, plain Python gives {expected!r}"
        gradient = self.exponentials(found)
        product = self.forward(gradient)
        if second:
            self.second()
        expected_slope, error = slope(self.f, self.args, self.along)
        if not math.isfinite(error):
            return Outcome("skipped")
        assert abs(product - expected_slope) <= 4 * error, f"gradient {product}, slope {expected_slope} ± {error}"
        return Outcome("compared")

    def scale(self, numbers: list[float]) -> float:
        return 1.0 + math.fsum(map(abs, numbers))

    def exponentials(self, value: Any) -> list[float]:
        """The gradient; under each exponential it is the same, up to the order of sums."""
        first: list[float] = []
        for exponential in (ccc.Delta(), ccc.AdditiveMap(), ccc.AnyDerivative()):
            again, cts = ccc.value_with_gradient(self.f, exponential=exponential)(*self.args)
            assert same(again, value), f"{exponential}: value {again!r}, not {value!r}"
            found = reals(cts)
            assert len(found) == self.size, f"{exponential}: {cts!r} for {self.args!r}"
            first = first or found
            for a, b in zip(first, found, strict=True):
                assert abs(a - b) <= 1e-11 * self.scale(first), f"{exponential}: {found}, Delta gives {first}"
        return first

    def forward(self, gradient: list[float]) -> float:
        """The product of gradient and direction, by which forward mode is measured."""
        _, differential = ccc.value_with_differential(self.f)(*self.args)
        given = list(self.along)
        found = float(differential(*[tangent(a, given) for a in self.args]))
        product = dot(gradient, self.along)
        assert abs(found - product) <= 1e-11 * self.scale(gradient), f"forward {found}, reverse {product}"
        return product

    def second(self) -> None:
        """The Hessian times a direction: forward over reverse, and reverse over reverse."""
        gradient = ccc.gradient(self.f)
        given = list(self.along)
        direction = tuple([tangent(a, given) for a in self.args])
        _, differential = ccc.value_with_differential(gradient)(*self.args)
        _, pullback = ccc.value_with_pullback(gradient)(*self.args)
        a, b = reals(differential(*direction)), reals(pullback(direction[0] if self.bare else direction))
        assert len(a) == len(b) == self.size
        for x, y in zip(a, b, strict=True):
            assert abs(x - y) <= 1e-9 * self.scale(a), f"forward over reverse {a}, reverse over reverse {b}"


def check(seed: int, path: Any, second: bool) -> Outcome:
    """Run every check on the program of a seed; a failure says the program."""
    made = program(seed)
    f = made.load(path)
    try:
        with np.errstate(all="ignore"):
            return Checker(made, f).run(second)
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}: {error}\n{made}") from error
