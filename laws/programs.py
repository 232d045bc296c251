"""Programs as people write them, against plain Python on dual numbers: statements, loops, recursion, arrays.

    gradient f = J f of plain Python        under every exponential and in forward mode, staged and emitted, and
                                            inside a program; `program_targets`: by machine code and XLA

The numbers are small integers held by floats and the programs polynomials, so all is exact and nothing is compared with
a tolerance. A program is a text; a choice of 0 is the simplest everywhere.

>>> from ccc.laws.choices import Replayed
>>> print(program(Generator(Replayed([0, 0, 0, 0, 0, 0, 0]))), end="")
def f(a, b, x, n):
    return a
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.choices import Marks, marked
from ccc.laws.compiling import function_of, kept_function
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.pullbacks import DualNumber
from ccc.laws.subjects import of_kind

SIZE = 3
LARGE = 2.0**50
PARAMETERS = ("a", "b", "x", "n")


@dataclass(frozen=True, slots=True)
class Scope:
    """The names in scope: numbers, arrays, functions of a number, functions of a count and a number; and the margin."""

    numbers: tuple[str, ...]
    arrays: tuple[str, ...]
    functions: tuple[str, ...] = ()
    recursive: tuple[str, ...] = ()
    margin: str = "    "


class Writer(Marks):
    """Writes a program by the choices of a generator."""

    def __init__(self, g: Generator) -> None:
        super().__init__(g)
        self.g = g
        self.count = 0
        self.lines: list[str] = []

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    # -- expressions -------------------------------------------------------------------------------------------

    @marked
    def number(self, scope: Scope, depth: int) -> str:
        g = self.g
        kinds = ["name", "name", "sum", "product", "difference", "item", "total", "dot", "choice", "negative",
                 "counted", "scaled"]
        kinds += ["call"] * 3 * bool(scope.functions) + ["recursion"] * 2 * bool(scope.recursive)
        match "name" if depth <= 0 else g.pick(kinds):
            case "name":
                return f"{1 + g.below(3)}.0" if g.chance(15) else g.pick(scope.numbers)
            case "product":
                return f"({self.number(scope, depth - 1)} * {self.number(scope, 0)})"
            case "difference":
                return f"({self.number(scope, depth - 1)} - {self.number(scope, depth - 1)})"
            case "item":
                return f"{self.array(scope, 0)}[{g.below(SIZE)}]"
            case "total":
                return f"np.sum({self.array(scope, depth - 1)})"
            case "dot":
                return f"np.dot({self.array(scope, 0)}, {self.array(scope, 0)})"
            case "choice":
                return f"({self.number(scope, depth - 1)} if {self.test(scope)} else {self.number(scope, depth - 1)})"
            case "negative":
                return f"(-{self.number(scope, depth - 1)})"
            case "counted":
                return g.pick(("float(n)", f"n * {self.number(scope, 0)}", f"x[n % {SIZE}]", "sum(x[:n])"))
            case "scaled":
                return f"({2 + g.below(2)}.0 * ({2 + g.below(2)}.0 * {self.number(scope, depth - 1)}))"
            case "call":
                return f"{g.pick(scope.functions)}({self.number(scope, depth - 1)})"
            case "recursion":
                return f"{g.pick(scope.recursive)}({self.many()}, {self.number(scope, depth - 1)})"
            case _:
                return f"({self.number(scope, depth - 1)} + {self.number(scope, depth - 1)})"

    @marked
    def array(self, scope: Scope, depth: int) -> str:
        g = self.g
        if depth <= 0 or g.chance(30):
            return g.pick(scope.arrays)
        match g.below(6):
            case 5:
                return f"({self.array(scope, depth - 1)} * {g.pick(scope.arrays)}[:1])"
            case 0:
                return f"({self.array(scope, depth - 1)} + {self.array(scope, depth - 1)})"
            case 4:
                return f"np.array([{', '.join([self.number(scope, 0) for _ in range(SIZE)])}])"
            case 1:
                return f"({self.array(scope, depth - 1)} * {self.number(scope, 0)})"
            case 2:
                return f"({self.array(scope, 0)} * {self.array(scope, 0)})"
            case _:
                return f"({self.array(scope, depth - 1)} - {self.array(scope, 0)})"

    def many(self) -> str:
        """A number of rounds, known or not."""
        return self.g.pick(("2", "n", "n", str(SIZE)))

    def test(self, scope: Scope, depth: int = 1) -> str:
        if depth and self.g.chance(25):
            tests = [self.test(scope, depth - 1) for _ in range(2)]
            return self.g.pick((f"{tests[0]} and {tests[1]}", f"{tests[0]} or {tests[1]}", f"not ({tests[0]})"))
        if self.g.chance(15):
            return f"{self.g.pick(('n', 'n', 'len(x)', 'x.ndim'))} < {1 + self.g.below(SIZE + 1)}"
        left = self.g.pick(scope.numbers)
        right = self.g.pick([name for name in scope.numbers if name != left])
        return f"{left} < {right}"

    # -- statements --------------------------------------------------------------------------------------------

    def statements(self, scope: Scope, n: int, depth: int) -> Scope:
        for _ in range(n):
            scope = self.statement(scope, depth)
        return scope

    @marked
    def statement(self, scope: Scope, depth: int) -> Scope:
        if depth <= 0:
            return self.assignment(scope)
        ways = [self.assignment, self.array_assignment, self.branch, self.loop, self.loop_over, self.while_loop,
                self.closure, self.recursion, self.array_recursion, self.comprehension, self.collection]
        return self.g.pick(ways)(scope)

    def write(self, scope: Scope, line: str) -> None:
        self.lines.append(scope.margin + line)

    def assignment(self, scope: Scope) -> Scope:
        name, value = self.name("v"), self.number(scope, 2)
        self.write(scope, f"{name} = {value}")
        return with_names(scope, numbers=name)

    def array_assignment(self, scope: Scope) -> Scope:
        name, value = self.name("y"), self.array(scope, 2)
        self.write(scope, f"{name} = {value}")
        return with_names(scope, arrays=name)

    def branch(self, scope: Scope) -> Scope:
        v, y = self.name("v"), self.name("y")
        inner = _deeper(scope)
        self.write(scope, f"{v} = {self.number(scope, 1)}")
        self.write(scope, f"{y} = {self.array(scope, 1)}")
        self.write(scope, f"if {self.test(scope)}:")
        self.updates(with_names(with_names(inner, numbers=v), arrays=y), v, y)
        if self.g.chance(60):
            self.write(scope, "else:")
            self.updates(with_names(with_names(inner, numbers=v), arrays=y), v, y)
        return with_names(with_names(scope, numbers=v), arrays=y)

    def updates(self, scope: Scope, v: str, y: str) -> None:
        """One or more statements that change a number and, at times, an array."""
        if self.g.chance(30):
            scope = self.statement(scope, self.g.below(2))
        self.write(scope, f"{v} = {self.number(scope, 2)}")
        if self.g.chance(50):
            self.write(scope, f"{y} = {self.array(scope, 2)}")

    def leaving(self, scope: Scope, ways: tuple[str, ...], v: str = "") -> None:
        """At times an arm that leaves what is around it, or leaves it on some paths, one of these ways."""
        if not self.g.chance(25):
            return
        self.write(scope, f"if {self.test(scope)}:")
        inner = _deeper(scope)
        if v:
            self.write(inner, f"{v} = {self.number(scope, 1)}")
        if self.g.chance(40):
            self.write(inner, f"if {self.test(scope)}:")
            inner = _deeper(inner)
        self.write(inner, self.g.pick(ways))
        if v and self.g.chance(40):
            self.write(scope, "else:")
            self.write(_deeper(scope), f"{v} = {self.number(scope, 1)}")

    def loop(self, scope: Scope) -> Scope:
        """A loop over indices that carries a number and, at times, an array."""
        v, y, i = self.name("v"), self.name("y"), self.name("i")
        self.write(scope, f"{v} = {self.number(scope, 1)}")
        self.write(scope, f"{y} = {self.array(scope, 1)}")
        self.write(scope, f"for {i} in range({self.many()}):")
        inner = with_names(with_names(_deeper(scope), numbers=v), arrays=y)
        item = self.name("e")
        self.write(inner, f"{item} = {self.g.pick(scope.arrays)}[{i}]")
        self.leaving(with_names(inner, numbers=item), ("break", "continue"), v)
        self.updates(with_names(inner, numbers=item), v, y)
        return with_names(with_names(scope, numbers=v), arrays=y)

    def loop_over(self, scope: Scope) -> Scope:
        """A loop along a list of numbers, or along an array."""
        v, y, e = self.name("v"), self.name("y"), self.name("e")
        items = ", ".join([self.number(scope, 1) for _ in range(2 + self.g.below(2))])
        along = self.array(scope, 1) if self.g.chance(40) else f"[{items}]"
        self.write(scope, f"{v} = {self.number(scope, 1)}")
        self.write(scope, f"{y} = {self.array(scope, 1)}")
        self.write(scope, f"for {e} in {along}:")
        inner = with_names(with_names(with_names(_deeper(scope), numbers=v), arrays=y), numbers=e)
        self.leaving(inner, ("break", "continue"), v)
        self.updates(inner, v, y)
        return with_names(with_names(scope, numbers=v), arrays=y)

    def while_loop(self, scope: Scope) -> Scope:
        v, y, k = self.name("v"), self.name("y"), self.name("k")
        self.write(scope, f"{v} = {self.number(scope, 1)}")
        self.write(scope, f"{y} = {self.array(scope, 1)}")
        self.write(scope, f"{k} = 0")
        inner = with_names(with_names(_deeper(scope), numbers=v), arrays=y)
        more = f" and {self.test(inner, 0)}" if self.g.chance(30) else ""
        self.write(scope, f"while {k} < {self.many()}{more}:")
        self.updates(inner, v, y)
        self.leaving(inner, ("break",), v)
        self.write(inner, f"{k} = {k} + 1")
        return with_names(with_names(scope, numbers=v), arrays=y)

    def closure(self, scope: Scope) -> Scope:
        h, s = self.name("h"), self.name("s")
        self.write(scope, f"def {h}({s}):")
        inner = with_names(_deeper(scope), numbers=s)
        if self.g.chance(40):
            inner = self.statement(inner, self.g.below(2))
        self.leaving(inner, (f"return {self.number(inner, 1)}",))
        self.write(inner, f"return {self.number(inner, 2)}")
        return with_names(scope, functions=h)

    def recursion(self, scope: Scope) -> Scope:
        """A recursive function of a count and a number that calls itself once or twice."""
        r, n, s, t = self.name("r"), self.name("n"), self.name("s"), self.name("t")
        self.write(scope, f"def {r}({n}, {s}):")
        inner = with_names(_deeper(scope), numbers=s)
        self.write(inner, f"if {n} < 1:")
        self.write(_deeper(inner), f"return {self.number(inner, 2)}")
        if self.g.chance(40):
            inner = self.assignment(inner)
        self.write(inner, f"{t} = {r}({n} - 1, {self.number(inner, 1)})")
        inner = with_names(inner, numbers=t)
        if self.g.chance(30):
            self.write(inner, f"if {self.test(inner)}:")
            self.write(_deeper(inner), f"{t} = {self.number(inner, 1)} + {r}({n} - 1, {self.number(inner, 1)})")
        self.write(inner, f"return {self.number(inner, 2)}")
        return with_names(scope, recursive=r)

    def array_recursion(self, scope: Scope) -> Scope:
        """A recursive function of a count, a number and an array that gives both again, and a call of it."""
        r, m, s, z = self.name("r"), self.name("n"), self.name("s"), self.name("y")
        self.write(scope, f"def {r}({m}, {s}, {z}):")
        inner = with_names(with_names(_deeper(scope), numbers=s), arrays=z)
        self.write(inner, f"if {m} < 1:")
        self.write(_deeper(inner), f"return {self.number(inner, 1)}, {self.array(inner, 1)}")
        t, y = self.name("t"), self.name("y")
        self.write(inner, f"{t}, {y} = {r}({m} - 1, {self.number(inner, 1)}, {self.array(inner, 1)})")
        after = with_names(with_names(inner, numbers=t), arrays=y)
        self.write(inner, f"return {self.number(after, 1)}, {self.array(after, 1)}")
        v, w = self.name("v"), self.name("y")
        self.write(scope, f"{v}, {w} = {r}({self.many()}, {self.number(scope, 1)}, {self.array(scope, 1)})")
        return with_names(with_names(scope, numbers=v), arrays=w)

    def collection(self, scope: Scope) -> Scope:
        """A list that a loop fills, and a loop that reads it."""
        v, ys, k, e = self.name("v"), self.name("l"), self.name("k"), self.name("e")
        self.write(scope, f"{v} = {self.number(scope, 1)}")
        self.write(scope, f"{ys} = []")
        inner = with_names(_deeper(scope), numbers=v)
        if self.g.chance(50):
            self.write(scope, f"{k} = 0")
            self.write(scope, f"while {k} < {self.many()}:")
            self.write(inner, f"{ys}.append({self.number(inner, 2)})")
            self.write(inner, f"{v} = {self.number(inner, 2)}")
            self.write(inner, f"{k} = {k} + 1")
        else:
            self.write(scope, f"for {e} in [{self.number(scope, 1)}, {self.number(scope, 1)}]:")
            inner = with_names(inner, numbers=e)
            self.write(inner, f"{v} = {self.number(inner, 2)}")
            self.write(inner, f"{ys}.append({self.number(inner, 2)})")
        read = self.name("e")
        self.write(scope, f"for {read} in {ys}:")
        self.write(inner, f"{v} = {self.number(with_names(with_names(_deeper(scope), numbers=v), numbers=read), 2)}")
        return with_names(scope, numbers=v)

    def comprehension(self, scope: Scope) -> Scope:
        v, e = self.name("v"), self.name("e")
        items = ", ".join([self.number(scope, 1) for _ in range(2 + self.g.below(2))])
        item = self.number(with_names(scope, numbers=e), 2)
        self.write(scope, f"{v} = sum([{item} for {e} in {self.g.pick((f'[{items}]', 'x[:n]'))}])")
        return with_names(scope, numbers=v)


def with_names(scope: Scope, **names: str) -> Scope:
    """A scope with a name more, which is chosen first."""
    fields = {kind: getattr(scope, kind) for kind in ("numbers", "arrays", "functions", "recursive")}
    for kind, name in names.items():
        fields[kind] = (name, *fields[kind])
    return Scope(**fields, margin=scope.margin)


def _deeper(scope: Scope) -> Scope:
    return Scope(scope.numbers, scope.arrays, scope.functions, scope.recursive, scope.margin + "    ")


def program(g: Generator, made: type[Writer] = Writer) -> str:
    """The text of a function of two numbers, an array and a count that gives a number, or a number and an array."""
    writer = made(g)
    scope = writer.statements(Scope(("a", "b"), ("x",)), g.below(4), 2)
    result = writer.number(scope, 2)
    if g.chance(70):
        result = f"{result} + {g.pick(scope.numbers[:2])} * {writer.number(scope, 1)}"
    early = writer.number(scope, 1)
    if g.chance(50):
        result, early = f"{result}, {writer.array(scope, 1)}", f"{early}, {writer.array(scope, 0)}"
    writer.leaving(scope, (f"return {early}",))
    return "\n".join([f"def f({', '.join(PARAMETERS)}):", *writer.lines, f"    return {result}", ""])


@dataclass(frozen=True, slots=True)
class Written:
    """A program and a point."""

    source: str
    args: tuple[Any, ...]
    tangents: tuple[Any, ...]

    def named(self) -> list[tuple[str, Any]]:
        """The text."""
        return [("program", self.source.rstrip())]


def directions(g: Generator) -> tuple[Any, ...]:
    """Two numbers and an array, small and not zero."""
    a, b, *x = [float(g.pick((1, -1)) * (1 + g.below(4))) for _ in range(2 + SIZE)]
    return a, b, np.array(x)


def drawn(g: Generator, i: int) -> Written:
    """A program and a point."""
    return Written(program(g), (*directions(g), g.below(SIZE + 1)), directions(g))


def reference(f: Callable[..., Any], example: Written) -> tuple[list[float], list[float]]:
    """The value and its derivative in the direction of the tangents, as flat lists, by plain Python.

    The count moves where the tangents have one for it.
    """
    a, b, x, n = example.args
    da, db, dx, *dn = example.tangents
    duals = np.array([DualNumber(p, q) for p, q in zip(x.tolist(), dx.tolist(), strict=True)], dtype=object)
    found = flat(f(DualNumber(a, da), DualNumber(b, db), duals, DualNumber(n, *dn) if dn else n))
    pairs = [(y.value, y.slope) if isinstance(y, DualNumber) else (y, 0.0) for y in found]
    if any(abs(part) > LARGE for pair in pairs for part in pair):
        raise Discarded
    return [float(v) for v, _ in pairs], [float(d) for _, d in pairs]


def flat(y: Any) -> list[Any]:
    """The numbers in a value, from left to right."""
    if isinstance(y, tuple):
        return [part for item in y for part in flat(item)]  # type: ignore[reportUnknownVariableType]
    return list(y) if isinstance(y, np.ndarray) else [y]


def _tangent(dy: Any, y: Any) -> list[float]:
    """The numbers of a tangent; None is that of integers, which sums of nothing are."""
    if isinstance(y, tuple):
        return [d for part, of in zip(dy, y, strict=True) for d in _tangent(part, of)]  # type: ignore[reportUnknownVariableType]
    return [0.0] * np.size(y) if dy is None else flat(dy)


def function_in(example: Written) -> Any:
    """The function of a program."""
    return kept_function(f"import numpy as np\n{example.source}")


def _of_a_real_count(example: Written) -> Any:
    """The program, for a count that is a dual number: `float` is the identity of those."""
    return function_of(f"import numpy as np\n{example.source.replace('float(n)', '(1.0 * n)')}")[0]


def released(f: Any) -> None:
    """Forget the text of a function."""
    linecache.cache.pop(f.__code__.co_filename, None)


def _value(comparison: Any, example: Written) -> Judged:
    f = function_in(example)
    expected = flat(f(*example.args))
    found = flat(_compiled_value(f, example.args))
    if found == expected:
        return Judged()
    return Judged(Difference("plain Python differs", example.args, None, found, expected))


def _compiled_value(f: Any, args: tuple[Any, ...]) -> Any:
    from ccc.compile.api.pipeline import build
    from ccc.compile.terms.plan import Plan

    return build(f, Plan("value", tuple(range(len(args))), None), args, {}).call(*args)


def _gradient(comparison: Any, example: Written) -> Judged:
    """The compiled pullback, against the directional derivative of plain Python."""
    from ccc.compile.api.transforms import value_with_pullback

    f = function_in(example)
    value, slope = reference(f, example)
    found, pb = value_with_pullback(f, exponential=comparison.k.exponential)(*example.args)
    if flat(found) != value:
        return Judged(Difference("values differ", example.args, None, flat(found), value))
    seeds = [float(1 + comparison.draw.below(5)) for _ in value]
    for _ in range(2):
        cts = pb((seeds[0], np.array(seeds[1:])) if isinstance(found, tuple) else seeds[0])
        if cts[-1] is not None and len(example.tangents) < len(cts):
            example = replace(example, tangents=(*example.tangents, float(1 + comparison.draw.below(5))))
            value, slope = reference(_of_a_real_count(example), example)
        left = sum(float(np.sum(ct * v)) for ct, v in zip(cts, example.tangents, strict=False))
        right = sum(s * d for s, d in zip(seeds, slope, strict=True))
        if left != right:
            what = "<pb w, v> is not <w, J v>, J of plain Python"
            return Judged(Difference(what, example.args, seeds, left, right))
        if any(np.shape(ct) != np.shape(x) for ct, x in zip(cts, example.args, strict=True)):
            return Judged(Difference("a cotangent has another shape", example.args, seeds, cts, example.args))
    return Judged()


def _differential(comparison: Any, example: Written) -> Judged:
    """The compiled differential, against plain Python."""
    from ccc.compile.api.transforms import value_with_differential

    f = function_in(example)
    value, slope = reference(f, example)
    found, differential = value_with_differential(f)(*example.args)
    if flat(found) != value:
        return Judged(Difference("values differ", example.args, None, flat(found), value))
    tangent = _tangent(differential(*example.tangents, None), found)
    return Judged(None if tangent == slope else Difference("tangents differ", example.args, None, tangent, slope))


def _inside(comparison: Any, example: Written) -> Judged:
    """The derivative taken by the program itself, along a direction that is known while it is compiled."""
    a, b, x = [_literal(v) for v in example.tangents]
    along = f"f(a + t * {a}, b + t * {b}, x + t * {x}, n)"
    f = function_in(example)
    _, slope = reference(f, example)
    lines = f"def f_along(a, b, x, n):\n    return ccc.derivative(lambda t: {along})(0.0)\n"
    g, _ = function_of(f"import ccc\nimport numpy as np\n{example.source}{lines}", "f_along")
    found = flat(_compiled_value(g, example.args))
    released(g)
    return Judged(None if found == slope else Difference("tangents differ", example.args, None, found, slope))


def _literal(v: Any) -> str:
    return f"np.array({v.tolist()})" if isinstance(v, np.ndarray) else repr(v)


def _check(name: str, statement: str, judge: Any, kind: str) -> Check:
    return Check(name, "programs", statement, drawn, judge, applies=of_kind(kind), weight=2.0)


PROGRAMS: tuple[Check, ...] = (
    _check("program-value", "compiled f = f, f a program of statements", _value, "values"),
    _check("program-pullback", "<pb w, v> = <w, J v>, J of plain Python on dual numbers", _gradient, "pullbacks"),
    _check("program-differential", "df v = J v, J of plain Python on dual numbers", _differential, "tangents"),
    _check("program-derivative", "derivative (t |-> f (x + t v)) 0 = J v, taken inside a program", _inside,
           "tangents"),
)
