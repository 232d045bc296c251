"""What a program does, against plain Python: what it gives, with its dtypes, or what it raises, and what ran before.

    outcome (compiled f) = outcome f        by every target, for integers of any size, reals of 32 bits, and errors
    outcome (gradient f) = outcome f        where f raises, and the slopes of f by dual numbers where it does not

Programs raise by what they say and by what their numbers are, integers are near the powers of two where words end, and
reals of 32 bits are rounded by every operation. One program is compiled once and run at several points, so that a point
may find what the one before it left behind.

>>> from ccc.laws.choices import Replayed
>>> print(whole_numbers(Generator(Replayed([])), 0).source, end="")
def f(a, b, n):
    return a
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from io import StringIO
from typing import Any

import numpy as np

from ccc.laws.checks import Check, Judged
from ccc.laws.choices import Marks, marked
from ccc.laws.compiling import function_of, kept_function
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.programs import released
from ccc.laws.pullbacks import DualNumber, lifted
from ccc.laws.subjects import of_kind, on_target

POINTS = 4
WORDS = (31, 32, 52, 53, 61, 62, 63, 64)
ITEMS = 3
ROUNDING = 2.0**-30


class Writer(Marks):
    """Writes programs of names that stand for numbers of one kind, `operations` of them, and `leaves`."""

    def __init__(self, g: Generator, operations: tuple[str, ...], leaves: tuple[str, ...], says: bool) -> None:
        super().__init__(g)
        self.g = g
        self.operations = operations
        self.names = leaves
        self.says = says
        self.lines: list[str] = []

    @marked
    def number(self, depth: int) -> str:
        """An expression."""
        if depth <= 0:
            return self.g.pick(self.names)
        form = self.g.pick(self.operations)
        return form.format(self.number(depth - 1), self.number(0), self.g.pick(("n", "n - 1", "n + 1")))

    def test(self) -> str:
        """A test of two numbers, or of the count."""
        return self.g.pick((f"{self.number(0)} < {self.number(1)}", f"n < {self.g.below(ITEMS)}"))

    def write(self, depth: int, line: str) -> None:
        self.lines.append("    " * depth + line)

    @marked
    def statement(self, depth: int) -> None:
        """A statement; what it says is seen where something raises later."""
        ways = [self.assignment, self.unread, self.raising, *[self.branch, self.loop] * (depth < 3)]
        self.g.pick(ways)(depth)

    def assignment(self, depth: int) -> None:
        self.write(depth, f"v = {self.number(2)}")

    def unread(self, depth: int) -> None:
        """A value that nothing reads, of which what it raises is all that is seen."""
        self.write(depth, f"u = {self.number(2)}")

    def raising(self, depth: int) -> None:
        if self.says and self.g.chance(50):
            self.write(depth, f"print({self.number(0)}, n)")
            return
        if self.g.chance(50):
            self.write(depth, f"if {self.test()}:")
            self.write(depth + 1, f"raise ValueError(f'no {{n}}, {{{self.number(0)}}}')")
        else:
            self.write(depth, f"assert {self.test()}{self.g.pick(('', ', n'))}")

    def branch(self, depth: int) -> None:
        self.write(depth, f"if {self.test()}:")
        self.statement(depth + 1)
        if self.g.chance(50):
            self.write(depth, "else:")
            self.statement(depth + 1)

    def loop(self, depth: int) -> None:
        """A loop that may not run, and whose body may read nothing that it changes; at times one like it beside it, of
        which one step more or less is what tells them apart."""
        i, many, start = f"i{depth}", self.g.pick(("n", "2", "n - 1")), len(self.lines)
        if self.g.chance(60):
            self.write(depth, f"for {i} in range({many}):")
        else:
            self.write(depth, f"{i} = 0")
            self.write(depth, f"while {i} < {many}:")
            self.write(depth + 1, f"{i} = {i} + 1")
        steps = len(self.lines)
        for _ in range(1 + self.g.below(2)):
            self.statement(depth + 1)
        if self.g.chance(70) or len(self.lines) == steps:
            self.write(depth + 1, f"v = {self.g.pick(self.operations).format('v', self.number(0), i)}")
        if self.g.chance(30):
            self.twin(depth, start, steps)

    def twin(self, depth: int, start: int, steps: int) -> None:
        """The loop that was written last, once more, of what was there before it."""
        w = f"w{len(self.lines)}"
        lines = [re.sub(r"\bv\b", w, line) for line in self.lines[start:]]
        more = f"{'    ' * (depth + 1)}u = {self.number(1)}"
        way = self.g.below(3)
        first, second = [[*self.lines[start:steps], more, *self.lines[steps:]] if way == 1 else self.lines[start:],
                         [*lines[: steps - start], more, *lines[steps - start :]] if way == 2 else lines]
        self.lines[start:] = [f"{'    ' * depth}{w} = v", *first, *second]
        self.write(depth, f"v = v - {w}" if self.g.chance(50) else f"v = {w}")


@dataclass(frozen=True, slots=True)
class Runs:
    """A program and the points that it is run at."""

    source: str
    points: tuple[tuple[Any, ...], ...]

    def named(self) -> list[tuple[str, Any]]:
        """The text."""
        return [("program", self.source.rstrip())]


def written(writer: Writer, params: str) -> str:
    """The text of a function of these parameters."""
    first = writer.number(0)
    for _ in range(writer.g.below(4)):
        writer.statement(1)
    body = [f"    v = {first}", *writer.lines] if writer.lines else []
    result = writer.number(2) if writer.lines or writer.g.chance(80) else first
    result = f"v, {result}" if body else result
    return "\n".join([f"def f({params}):", *body, f"    return {result}", ""])


WHOLE = ("{0} + {1}", "({0} - {1})", "({0}) * {1}", "(-{0})", "({0}) // {1}", "({0}) % {1}", "abs({0})",
         "[2, 3, 5][{2}] * ({0})", "({0}) * ({0})", "max({0}, {1})", "({0}) // ({2})")


def whole_number(g: Generator) -> int:
    """A small integer, or one near the end of a word."""
    sign = g.pick((1, -1))
    return sign * (g.below(4) if g.chance(40) else 2 ** g.pick(WORDS) + g.below(3) - 1)


def whole_numbers(g: Generator, i: int) -> Runs:
    """A program of integers; every second one says what it does."""
    source = written(Writer(g, WHOLE, ("a", "b", "a", "b", "n", "3"), i % 2 == 1), "a, b, n")
    return Runs(source, tuple([(whole_number(g), whole_number(g), g.below(ITEMS)) for _ in range(POINTS)]))


NARROW = ("{0} + {1}", "({0} - {1})", "({0}) * {1}", "(-{0})", "abs({0})", "({0}) * x[{2}]", "({0}) * d",
          "({0}) * n", "0.1 * ({0})", "float({0}) * 0.1", "np.float32({0})", "np.float64({0}) * {1}",
          "(x * ({0}))[{2}]", "(x * y)[{2}] + ({0})", "np.maximum({0}, {1})", "({0}) / {1}")


def narrow_numbers(g: Generator, i: int) -> Runs:
    """A program of reals of 32 bits among reals of 64, whose operations are rounded."""
    source = written(Writer(g, NARROW, ("a", "b", "d", "y[0]", "a", "x[0]"), i % 2 == 1), "a, b, d, x, y, n")

    def real() -> float:
        return g.pick((1, -1)) * (1 + g.below(3) + g.below(64) / 10)

    def point() -> tuple[Any, ...]:
        a, b, d, *items = [real() for _ in range(3 + 2 * ITEMS)]
        x, y = np.array(items[:ITEMS], np.float32), np.array(items[ITEMS:])
        return np.float32(a), np.float32(b), d, x, y, g.below(ITEMS)

    return Runs(source, tuple([point() for _ in range(POINTS)]))


DIVIDED = ("{0} + {1}", "({0} - {1})", "({0}) * {1}", "(-{0})", "({0}) / {1}", "[a, b, 2.0][{2}] * ({0})",
           "({0}) * n", "({0}) / ({2})", "({0}) * x[{2}]")


def divided_numbers(g: Generator, i: int) -> Runs:
    """A program of reals that divides and takes items, at whole numbers, which may be 0; every second one says what it
    does."""
    source = written(Writer(g, DIVIDED, ("a", "b", "a", "x[0]", "b", "2.0"), i % 2 == 1), "a, b, x, n")

    def real() -> float:
        return float(g.pick((1, -1)) * g.below(4))

    def point() -> tuple[Any, ...]:
        return real(), real(), [real() for _ in range(ITEMS)], g.below(ITEMS)

    return Runs(source, tuple([point() for _ in range(POINTS)]))


ARRAYS = ("{0} + {1}", "({0} - {1})", "({0}) * {1}", "(-{0})", "2.0 * ({0})", "abs({0})", "({0}) * {1} + {1}")


def sized_arrays(g: Generator, i: int) -> Runs:
    """A program of arrays of whole numbers, of which some points have others of other sizes."""
    writer = Writer(g, ARRAYS, ("x", "y", "x", "z"), False)
    lines = ["def f(x, y, z):", f"    v = {writer.number(2)}"]
    writer.names = ("v", "x", "v", "y")
    lines += [f"    v = {writer.number(2)}" for _ in range(g.below(3))]

    def point() -> tuple[Any, ...]:
        sizes = [g.pick((ITEMS, ITEMS, 2, 1)) for _ in "xyz"] if g.chance(60) else [ITEMS] * 3
        return tuple([np.array([float(g.below(7) - 3) for _ in range(size)]) for size in sizes])

    return Runs("\n".join([*lines, f"    return {writer.number(2)}", ""]), tuple([point() for _ in range(POINTS)]))


def outcome(f: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a call prints, and what it gives, with its types, or what it raises.

    >>> outcome(lambda x: 1 // x, (0,))
    ('', 'ZeroDivisionError', 'integer division or modulo by zero')
    """
    said = StringIO()
    try:
        with redirect_stdout(said), np.errstate(all="ignore"):
            y = f(*args)
    except (ArithmeticError, AssertionError, LookupError, ValueError) as error:
        return said.getvalue(), type(error).__name__, str(error)
    return said.getvalue(), "gives", repr([typed(part) for part in (y if isinstance(y, tuple) else (y,))])


def typed(y: Any) -> tuple[str, Any]:
    """A value with its type, or the dtype of an array or a real: Python's floats are reals of 64 bits.

    >>> typed(1.5) == typed(np.float64(1.5)), typed(np.float32(1.5)), typed(1)
    (True, ('float32', 1.5), ('int', 1))
    """
    if isinstance(y, np.ndarray):
        return f"array of {y.dtype}", y.tolist()
    return ("float64" if isinstance(y, float) else type(y).__name__), (float(y) if isinstance(y, np.floating) else y)


def _by(backend: str) -> Callable[[Any, Runs], Judged]:
    def judge(comparison: Any, example: Runs) -> Judged:
        from ccc.compile.api.transforms import compiled

        f, _ = function_of(f"import numpy as np\n{example.source}")
        g = compiled(f, backend=backend)
        try:
            for args in example.points:
                expected = outcome(f, args)
                found = outcome(g, args)
                if found != expected:
                    return Judged(Difference("plain Python does otherwise", args, None, found, expected))
        finally:
            released(f)
        return Judged()

    return judge


def _gradients(comparison: Any, example: Runs) -> Judged:
    """A value with its pullback prints and raises what plain Python does, and its slopes are those of dual numbers."""
    from ccc.compile.api.transforms import value_with_pullback

    f = kept_function(f"import numpy as np\n{example.source}")
    g = value_with_pullback(f, wrt=("a", "b", "x"), exponential=comparison.k.exponential)
    for args in example.points:
        pullbacks: list[Any] = []

        def run(*args: Any, pullbacks: list[Any] = pullbacks) -> Any:
            y, pullback = g(*args)
            pullbacks.append(pullback)
            return y

        expected, found = outcome(f, args), outcome(run, args)
        if found != expected:
            return Judged(Difference("plain Python does otherwise", args, None, found, expected))
        if pullbacks:
            difference = _slopes(comparison.draw, f, args, pullbacks[0])
            if difference is not None:
                return Judged(difference)
    return Judged()


def _beside(comparison: Any, example: Runs) -> Judged:
    """A program that takes the value and the derivative of another one raises what that does, and gives both."""
    from ccc.compile.api.transforms import compiled

    part = "[0]" if "return v, " in example.source else ""
    lines = (f"def h(a, b, x, n):\n    y = f(a, b, x, n){part}\n"
             f"    return y, ccc.derivative(lambda t: f(a + t, b, x, n){part})(0.0)\n")
    f, _ = function_of(f"import ccc\nimport numpy as np\n{example.source}")
    h, _ = function_of(f"import ccc\nimport numpy as np\n{example.source}{lines}", "h")
    g = compiled(h, backend="numpy")
    try:
        for args in example.points:
            expected, found = outcome(f, args), outcome(g, args)
            if (expected if expected[1] != "gives" else "gives") != (found if found[1] != "gives" else "gives"):
                return Judged(Difference("plain Python does otherwise", args, None, found, expected))
            if expected[1] == "gives":
                a, b, x, n = args
                y = f(DualNumber(Fraction(a), Fraction(1)), Fraction(b), list(map(Fraction, x)), n)
                slope = float(lifted(y[0] if isinstance(y, tuple) else y).slope)
                value = g(*args)[1]
                if abs(value - slope) > ROUNDING * (1.0 + abs(slope)):
                    return Judged(Difference("the derivative differs", args, None, value, slope))
    finally:
        released(f)
        released(h)
    return Judged()


def _slopes(draw: Generator, f: Callable[..., Any], args: tuple[Any, ...], pullback: Callable[..., Any]) -> Any:
    """Where a pullback is not the transpose of what plain Python finds on rational dual numbers."""
    *moving, n = args
    along = [_like(x, lambda: float(1 + draw.below(5))) for x in moving]
    with redirect_stdout(StringIO()):
        y = f(*map(_perturbed, moving, along), n)
    slopes = [lifted(part).slope for part in (y if isinstance(y, tuple) else (y,))]
    seeds = [float(1 + draw.below(5)) for _ in slopes]
    cts = _flat(pullback(tuple(seeds) if isinstance(y, tuple) else seeds[0]))
    found = sum([ct * v for ct, v in zip(cts, _flat(along), strict=True)])
    expected = float(sum([Fraction(w) * d for w, d in zip(seeds, slopes, strict=True)]))
    size = 1.0 + sum([abs(ct * v) for ct, v in zip(cts, _flat(along), strict=True)])
    close = abs(found - expected) <= ROUNDING * size
    return None if close else Difference("<pb w, v> is not <w, J v>, J of plain Python", args, seeds, found, expected)


def _like(x: Any, number: Callable[[], Any]) -> Any:
    return [number() for _ in x] if isinstance(x, list) else number()  # type: ignore[reportUnknownVariableType]


def _perturbed(x: Any, v: Any) -> Any:
    return list(map(_perturbed, x, v)) if isinstance(x, list) else DualNumber(Fraction(x), Fraction(v))  # type: ignore[reportUnknownVariableType]


def _flat(x: Any) -> list[float]:
    return [part for item in x for part in _flat(item)] if isinstance(x, (list, tuple)) else [x]  # type: ignore[reportUnknownVariableType]


def _check(name: str, statement: str, draw: Any, backend: str, share: float) -> Check:
    native = backend == "native"
    return Check(name, "programs", statement, draw, _by(backend), applies=on_target("values", backend),
                 share=share, weight=20.0 if native else 2.0)


OUTCOMES: tuple[Check, ...] = (
    _check("outcome", "compiled f = f on integers of any size, in what it gives, raises and prints", whole_numbers,
           "numpy", 0.5),
    _check("outcome-machine-code", "the same by machine code", whole_numbers, "native", 0.15),
    _check("outcome-narrow", "compiled f = f on reals of 32 bits, in what it gives, of which type, and raises",
           narrow_numbers, "numpy", 0.25),
    _check("outcome-sizes", "compiled f = f on arrays, in what it gives, and says where sizes differ",
           sized_arrays, "numpy", 0.25),
    Check("outcome-gradient", "programs", "a gradient raises and prints what f does; else its slopes are those of f",
          divided_numbers, _gradients, applies=of_kind("pullbacks"), share=0.25, weight=2.0),
    Check("outcome-derivative", "programs", "a value beside a derivative raises what f does; else both are those of f",
          lambda g, i: divided_numbers(g, 2 * i), _beside, applies=of_kind("values"), share=0.5, weight=2.0),
    _check("outcome-divided-machine-code", "compiled f = f by machine code, where f divides and takes items",
           divided_numbers, "native", 0.1),
    _check("outcome-narrow-machine-code", "the same by machine code", narrow_numbers, "native", 0.1),
)
