"""Random compositions of NumPy functions: calls, operators, methods, views, reductions and writes in place.

What is called comes from the registry of primitives, in the spellings that users have; how, is found by trying: a
statement is kept where plain NumPy takes it at all arguments, and sometimes, as the last one, where it raises. A
program runs twice with the caller's arrays changed in between, and its pullback is called after that.

As a program, `python3 tests/random_compositions.py SEED [native]` checks one program and makes it smaller.
"""

from __future__ import annotations

import builtins
import inspect
import math
import random
import sys
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import numpy as np  # noqa: E402
from checks import arrays, dot, numbers, same  # noqa: E402
from native_checks import near  # noqa: E402
from random_checks import (  # noqa: E402
    AGREED,
    DOUBLE,
    FAILURES,
    HUGE,
    INCONCLUSIVE,
    NOTHING,
    Checker,
    Disagreement,
    Outcome,
    Raised,
    captured,
    expect,
    given,
    outcome_of,
    wide,
)
from random_programs import Program  # noqa: E402

import ccc  # noqa: E402
from ccc.compile.api.wrapper import Transform  # noqa: E402
from ccc.compile.diagnostics import CompileError  # noqa: E402
from ccc.compile.frontend.memory import array_writers  # noqa: E402
from ccc.errors import CCCError  # noqa: E402
from ccc.primitives import array_methods, registry  # noqa: E402
from ccc.primitives.primitive import Primitive  # noqa: E402

HEADER = "import math\n\nimport numpy as np\n\n\n"
CONSTANTS = ("0", "1", "-1", "2", "-2", "None", "(0, 1)", "(1, 0)", "3", "(-1,)", "(1, -1)", "(2, 3)", "0.5",
             "-1.25", "[0, 1]", "[1, 0, 1]", "float", "np.float64", "(1,)", "()")  # fmt: skip
BY_DEFAULT = {bool: ("True", "False"), str: ("'same'", "'valid'", "'full'", "'ij'", "'edge'", "'lower'", "'C'", "'F'")}
"""What an argument that is no value of the program may be: NumPy says whether it is."""
VIEWS = ("[::-1]", "[1:]", "[:1]", "[None]", "[..., 0]", "[0]", ".T", ".ravel()", ".reshape(-1)", "[:, None]", "[:]",
         "[..., ::2]", ".reshape(1, -1)", "[-1:]", "[..., None]", "[...]", "[0, 1]", "[:, 0]", ".real",
         "[[0, -1]]", "[:-1]", ".flatten()", ".squeeze()", "[1, :]", ".swapaxes(0, 1)", ".diagonal()")  # fmt: skip
WRAPPED = ("np.broadcast_to({0}, (2, *np.shape({0})))", "np.asarray({0})", "np.atleast_2d({0})", "np.transpose({0})",
           "np.diagonal({0})", "np.array({0}, copy=False)", "np.asarray({0}, dtype=float)", "{0} * 1.0", "{0}.copy()",
           "np.expand_dims({0}, 0)", "np.ascontiguousarray({0})", "np.float64({0})")  # fmt: skip
KEYS = ("0", "-1", "1:", ":1", "...", ":", "::2", "::-1", "[0, -1]", "..., 0", "0, 1", ":, 1", "None", "{a} > 0.7",
        "1, :", "{v} > 0.5", "np.argmax({v})", "np.abs({v}) < 0.8", "np.arange(len({v})) % 2 == 0", ":, 1:",
        "[0, 0]")  # fmt: skip
AUGMENTED = ("+", "-", "*", "/", "**")
LARGEST, TRIES = 64, 60
UNSAID = ("np.empty", "np.empty_like")
"""What they give is in no documentation."""
HALVES = ("np.linalg.cholesky", "np.linalg.eigh", "np.linalg.eigvalsh")
"""What they read of a matrix is one half, which their derivatives take for both: of no use on matrices that differ."""


@lru_cache
def names() -> dict[int, str]:
    """How functions are written, by their identity."""
    spaces = (("", builtins), ("math.", math), ("np.linalg.", np.linalg), ("np.", np))
    return {id(value): f"{text}{name}" for text, space in spaces for name, value in vars(space).items()}


def parameters_of(of: Any, function: Any) -> tuple[int, list[tuple[str, tuple[str, ...]]]]:
    """How many arguments have to be given, and the names of those that may be, with what they may be."""
    if isinstance(function, np.ufunc):
        return function.nin, []
    try:
        found = list(inspect.signature(function if isinstance(of, Primitive) else of).parameters.values())
    except (TypeError, ValueError):
        return 1, []
    free = [p for p in found if p.kind is not p.VAR_KEYWORD]
    most = [p for p in free if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    return max(len(most), 1), [
        (p.name, BY_DEFAULT.get(type(p.default), CONSTANTS)) for p in free if p.default is not p.empty
    ]


@lru_cache
def calls() -> list[tuple[str, int, tuple[Any, ...], bool]]:
    """The functions of the registry that have a name: how they are written, what they take, whether `out=` too."""
    found = []
    for function, of in registry.FUNCTIONS.items():
        name = names().get(id(function))
        if name is not None and name not in UNSAID + HALVES:
            least, more = parameters_of(of, function)
            found.append((name, least, tuple(more), isinstance(function, np.ufunc)))
    return found


@lru_cache
def methods() -> list[tuple[str, int, tuple[Any, ...]]]:
    found = []
    for name, of in array_methods.METHODS.items():
        least, more = parameters_of(of.value if isinstance(of, Primitive) else of, of)
        found.append((name, least - 1, tuple(more)))
    return found


@lru_cache
def operators() -> list[str]:
    return [p.source for p in registry.OPERATORS.values() if isinstance(p.source, str)]  # type: ignore[attr-defined]


@lru_cache
def writers() -> list[str]:
    """The functions and methods that write into an array."""
    found = [f"{names().get(id(f)) or 'np.' + f.__qualname__}({{v}}, " for f in array_writers.WRITERS
             if id(f) in names()]  # fmt: skip
    return [*found, "np.add.at({v}, ", "np.subtract.at({v}, ", *[f"{{v}}.{name}(" for name in array_writers.METHODS]]


class Compositions:
    """Writes one program, statement by statement, and runs what there is of it after each."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.r = random.Random(seed)
        self.lines: list[str] = []
        self.own: list[str] = []
        self.bound: list[str] = []
        self.parameters: list[str] = []
        self.calls: list[str] = []

    def program(self) -> Program:
        r = self.r
        self.arguments()
        self.shown = self.tried()
        for _ in range(r.randint(2, 6)):
            for _ in range(TRIES):
                if self.statement():
                    break
            else:
                break
        if r.random() < 0.06:
            self.raising()
        return Program(self.seed, self.source([*self.lines, f"return {self.result()}"]), self.calls)

    def source(self, lines: list[str]) -> str:
        return HEADER + f"def f({', '.join(self.parameters)}):\n" + "".join(f"    {line}\n" for line in lines)

    # -- arguments -----------------------------------------------------------------------------------------------

    def arguments(self) -> None:
        r = self.r
        several = [self.argument() for _ in range(r.choice((1, 1, 2, 2, 3)))]
        self.parameters = ["x", "y", "w"][: len(several)]
        self.calls = [", ".join(form.format(*[self.number() for _ in range(n)]) for form, n in several)
                      for _ in range(2)]  # fmt: skip
        self.bound = list(self.parameters)

    def number(self) -> float:
        return round(self.r.choice((1.0, 1.0, -1.0)) * self.r.uniform(0.2, 1.8), 3)

    def argument(self) -> tuple[str, int]:
        """The text of an argument with places for its numbers."""
        r = self.r
        shape = r.choice(((3,), (3,), (4,), (2,), (1,), (2, 3), (2, 2), (3, 3), (1, 3), (3, 1), (2, 3, 2), ()))
        size = math.prod(shape)
        text = ", ".join(["{}"] * size)
        array = f"np.array([{text}]).reshape{shape}" if shape else "np.array({})"
        form = r.random()
        if form < 0.1:
            return r.choice(("{}", "np.float64({})")), 1
        if form < 0.16:
            return f"np.asfortranarray({array})", size
        if form < 0.22 and shape:
            return f"np.array([{text}]).reshape{shape}[::-1]", size
        if form < 0.26 and shape:
            return f"np.repeat(np.array([{text}]), 2)[::2].reshape{shape}", size
        if form < 0.31 and shape:
            return f"np.array([{text}], np.float32).reshape{shape}", size
        return array, size

    # -- running -------------------------------------------------------------------------------------------------

    def tried(self, *more: str, first: bool = False) -> list[dict[str, Any]] | None:
        """What the names are after the statements at each call or the first; None where one raises or is too large."""
        space: dict[str, Any] = {}
        exec(compile(self.source([*self.lines, *more, "return dict(locals())"]), "<tried>", "exec"), space)
        found = []
        for call in self.calls[:1] if first else self.calls:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("error")
                try:
                    found.append(space["f"](*eval(f"({call},)", space)))
                except Exception as error:
                    self.error = error
                    return None
        good = all(fitting(value) for at in found for value in at.values())
        return found if good else None

    def keep(self, *lines: str, own: str = "") -> bool:
        """Add statements where NumPy takes them."""
        found = self.tried(*lines)
        if found is None:
            return False
        self.lines += lines
        self.shown = found
        self.bound = [*self.parameters, *[n for n in found[0] if n not in self.parameters]]
        if own:
            self.own.append(own)
        return True

    # -- expressions ---------------------------------------------------------------------------------------------

    def name(self) -> str:
        return self.r.choice(self.bound[-3:] if self.r.random() < 0.6 else self.bound)

    def operand(self, depth: int = 0) -> str:
        r = self.r
        choice = r.random()
        if choice < 0.5:
            return self.name()
        if choice < 0.72:
            return self.name() + r.choice(VIEWS)
        if choice < 0.8:
            return r.choice(WRAPPED).format(self.name())
        if choice < 0.88:
            return str(self.number())
        if choice < 0.93:
            return r.choice(("[{}, {}]", "({}, {})", "[{}]")).format(self.name(), self.name())
        if depth < 1:
            return self.called(depth + 1)
        return self.name()

    def argument_of(self, first: bool, depth: int) -> str:
        return self.operand(depth) if first or self.r.random() < 0.6 else self.r.choice(CONSTANTS)

    def filled(self, least: int, more: tuple[Any, ...], depth: int) -> str:
        """The arguments of a call."""
        r = self.r
        given = [self.argument_of(i == 0, depth) for i in range(least)]
        for name, choices in more:
            if r.random() < 0.6 / len(more):
                given.append(f"{name}={r.choice(choices)}")
        return ", ".join(given)

    def called(self, depth: int = 0) -> str:
        r = self.r
        choice = r.random()
        if choice < 0.22:
            return f"({r.choice(operators()).format(self.operand(depth), self.operand(depth))})"
        if choice < 0.4:
            name, least, more = r.choice(methods())
            if choice < 0.25:
                return f"{self.name()}.{r.choice(list(array_methods.ATTRIBUTES))}"
            given = [r.choice(CONSTANTS) for _ in range(least)]
            given += [f"{n}={r.choice(choices)}" for n, choices in more if r.random() < 0.6 / len(more)]
            return f"{self.name()}.{name}({', '.join(given)})"
        if choice < 0.5:
            return self.name() + r.choice(VIEWS)
        elementwise = r.random() < 0.35
        several = [call for call in calls() if call[3] is elementwise]
        name, least, more, _ = r.choice(several)
        return f"{name}({self.filled(least, more, depth)})"

    # -- statements ----------------------------------------------------------------------------------------------

    def statement(self) -> bool:
        r = self.r
        if r.random() < 0.68:
            return self.binding()
        target = self.name() if r.random() < 0.12 else r.choice(self.own) if self.own else ""
        before: list[str] = []
        if not target:
            target = f"t{len(self.bound)}"
            before = [f"{target} = {self.name()} * {abs(self.number())}"]
        return self.keep(*before, self.written(target), own=target)

    def binding(self) -> bool:
        r, new, text = self.r, f"t{len(self.bound)}", self.called()
        if not self.keep(f"{new} = {text}"):
            return False
        value, other = [at[new] for at in self.shown or ()]
        if r.random() < 0.75 and (not has_reals(value) or same(value, other)):  # of no interest
            self.lines.pop()
            self.bound.pop()
            return False
        if isinstance(value, list | tuple):  # of which one item is taken
            self.lines.pop()
            self.bound.pop()
            self.keep(f"{new} = {text}[{r.choice((0, -1))}]")
        if isinstance(value, np.ndarray) and value.dtype == float and value.flags.owndata and value.flags.writeable:
            self.own.append(new)
        return True

    def written(self, v: str) -> str:
        r = self.r
        choice = r.random()
        key = r.choice(KEYS).format(v=v, a=self.name())
        if choice < 0.35:
            return f"{v}[{key}] = {self.operand()}"
        if choice < 0.55:
            return f"{v}[{key}] {r.choice(AUGMENTED)}= {self.operand()}"
        if choice < 0.68:
            return f"{v} {r.choice(AUGMENTED)}= {self.operand()}"
        if choice < 0.84:
            name, least, _, _ = r.choice([call for call in calls() if call[3] or r.random() < 0.2])
            return f"{name}({self.filled(least, (), 1)}, out={v}{r.choice(('', '', key_of_view(r)))})"
        text = r.choice(writers())
        more = [self.operand()]
        if r.random() < 0.6:
            more = [*more, f"where={v} > 0.5"] if text.startswith("np.copyto") else [r.choice(CONSTANTS), *more]
        return f"{text.format(v=v)}{', '.join(more)})"

    def raising(self) -> None:
        """A last statement that raises at the first arguments."""
        for _ in range(TRIES):
            new = f"t{len(self.bound)}"
            line = f"{new} = {self.called()}" if self.r.random() < 0.7 or not self.own else self.written(self.own[-1])
            self.error: Exception = KeyError()
            failed = self.tried(line, first=True) is None
            if failed and isinstance(self.error, ValueError | IndexError | ZeroDivisionError):
                self.lines.append(line)
                return

    def result(self) -> str:
        r = self.r
        values, _ = self.shown or ({}, {})
        real = [n for n in self.bound if is_real(values[n])] or self.parameters[:1]
        late = real[-3:]
        if r.random() < 0.5:
            forms = ("np.sum({} * 1.5)", "np.sum(np.sin({}))", "np.sum({0} * {0})", "np.sum({0} * np.cos({0}))")
            return " + ".join(r.choice(forms).format(n) for n in late)
        if r.random() < 0.5:
            return late[-1] + (r.choice(VIEWS[:4]) if r.random() < 0.15 and np.ndim(values[late[-1]]) else "")
        return f"({', '.join(late)}{',' if len(late) == 1 else ''})"


def key_of_view(r: random.Random) -> str:
    return r.choice(("[1:]", "[:1]", "[0]", "[::-1]", ".T"))


def is_real(value: Any) -> bool:
    return isinstance(value, float | np.floating) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")


def has_reals(value: Any) -> bool:
    return any(map(has_reals, value)) if isinstance(value, list | tuple) else is_real(value)


def fitting(value: Any) -> bool:
    """True for numbers and small arrays of moderate numbers, and tuples and lists of them."""
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(map(fitting, value))
    if isinstance(value, np.ndarray):
        fits = value.size <= LARGEST and value.dtype.kind in "fib"
        return fits and bool(np.all(np.isfinite(value)) and np.all(np.abs(value * 1.0) < 1e4))
    return isinstance(value, float | int | np.number | np.bool_) and math.isfinite(value) and bool(abs(value) < 1e4)


def composition(seed: int) -> Program:
    """The program of a seed."""
    return Compositions(seed).program()


# -- what is checked -------------------------------------------------------------------------------------------------


def places(values: Any, args: Any) -> list[tuple[int, int]]:
    """Which arrays of a result share memory with which of the arguments."""
    found = [x for x in arrays(values) if isinstance(x, np.ndarray)]
    around = [x for x in arrays(args) if isinstance(x, np.ndarray)]
    return [(i, j) for i, x in enumerate(found) for j, y in enumerate(around) if np.shares_memory(x, y)]


def written_over(args: Any, by: Any) -> None:
    """Give the caller's arrays the numbers of others, as a program that goes on would."""
    for x, y in zip(arrays(args), arrays(by), strict=True):
        if isinstance(x, np.ndarray):
            x[...] = y


def values_of(made: Program, taken: Callable[[Any], Any] = lambda args: args) -> list[Any]:
    """All numbers and arrays that have a name in a program, run on its arguments or what is made of them."""
    lines = made.source.splitlines()
    last = next(i for i in reversed(range(len(lines))) if lines[i].lstrip().startswith("return "))
    result = lines[last].lstrip().removeprefix("return ")
    lines[last] = f"    result = {result}\n    return dict(locals())"
    space: dict[str, Any] = {}
    exec(compile("\n".join(lines), "<values>", "exec"), space)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            found = space["f"](*taken(eval(f"({made.calls[0]},)", space))).values()
        except Exception:  # which is checked elsewhere
            return []
    return [x for value in found for x in (value if isinstance(value, list | tuple) else [value])]


def precision_of(made: Program, taken: Callable[[Any], Any] = lambda args: args) -> float:
    """The largest rounding error among the kinds of numbers that a program computes with."""
    if any(word in made.source for word in ("single", "float32", "half", "float16")):
        return float(np.finfo(np.float32).eps)  # in what has no name
    kinds = {np.asarray(x).dtype for x in values_of(made, taken)}
    return max([float(np.finfo(kind).eps) for kind in kinds if kind.kind == "f"], default=DOUBLE)


def lies_otherwise(made: Program) -> bool:
    """True for a program whose last bits follow how arrays lie in memory, where they do not lie by rows."""
    found = [x for x in values_of(made) if isinstance(x, np.ndarray)]
    return "out=" in made.source or not all(x.flags.c_contiguous for x in found)


class Composed(Checker):
    """The checks of one composition by one target."""

    def __init__(self, made: Program, f: Callable[..., Any], backend: str) -> None:
        super().__init__(made, f)
        self.backend = backend
        self.exact = backend == "numpy" and not lies_otherwise(made)
        self.precision = precision_of(made)
        if self.precision > DOUBLE:
            self.eps = max(1e-4, 16 * self.precision)
        self.finest = precision_of(made, wide)

    def run(self) -> Outcome:
        plain = self.fresh()
        expected, text = captured(self.f, *plain)
        if isinstance(expected, Raised):
            return self.raises(expected.error, text)
        self.changes = not same(plain, self.fresh())
        reals = list(numbers(expected))
        if not reals or not all(abs(x) < HUGE for x in reals):  # NaN too
            return Outcome(NOTHING)
        self.value = expected
        self.scalar = isinstance(expected, float | np.floating)
        self.weights = [1.0] if self.scalar else [self.r.uniform(0.5, 1.5) for _ in reals]
        self.values(expected, plain)
        cotangents = self.pullbacks(expected)
        gradient = list(numbers(cotangents))
        expect(len(gradient) == self.size, f"{cotangents!r} for {self.args!r}")
        product = dot(cotangents, self.along)
        if not math.isfinite(product):  # a slope of infinity at zero
            return Outcome(INCONCLUSIVE)
        try:
            self.forward(gradient, product)
            self.linear(gradient)
        except Disagreement:
            if self.shaky(product, 1e-4 * self.scale(gradient)):  # at a matrix that is nearly singular
                return Outcome(INCONCLUSIVE)
            raise
        expect(same(self.args, self.fresh()), f"the arguments have become {self.args!r}")
        conclusive = self.differences(gradient, product)
        if self.scalar:
            conclusive = self.second() and conclusive
        return Outcome(AGREED if conclusive else INCONCLUSIVE)

    def compare(self, found: Any, expected: Any) -> None:
        if self.exact or isinstance(found, Raised) or isinstance(expected, Raised):
            super().compare(found, expected)
            return
        wrong = near(self.f, self.fresh(), found, expected, 0.0 if self.precision == DOUBLE else 16 * self.precision)
        expect(not wrong, f"value {wrong}")

    def values(self, expected: Any, plain: Any) -> None:
        """The value, whose memory is the caller's where plain Python's is, at two calls on arrays that change."""
        run, args = Transform(self.f, backend=self.backend), self.fresh()
        value = given(run, *args)
        self.compare(value, expected)
        expect(same(args, plain), f"the arguments have become {args!r}, in plain Python {plain!r}")
        more = [pair for pair in places(value, args) if pair not in places(expected, plain)]
        expect(not more, f"results share memory with arguments: {more}")
        inside = [x for x in arrays(value) if isinstance(x, np.ndarray)]
        others = [x for x in arrays(expected) if isinstance(x, np.ndarray)]
        for i, x in enumerate(inside):
            for j in range(i):
                shared = np.shares_memory(x, inside[j]) and not np.shares_memory(others[i], others[j])
                expect(not shared, f"results {i} and {j} share memory")
        if not places(expected, plain):
            written_over(args, self.fresh(1))
            self.compare(value, expected)
        self.compare(given(run, *self.fresh(1)), self.f(*self.fresh(1)))
        self.compare(given(run, *self.fresh()), expected)

    def pullbacks(self, expected: Any) -> Any:
        """The cotangents, the same where the pullback is kept until the caller's arrays have changed."""
        transform, args = ccc.value_with_pullback(self.f, backend=self.backend), self.fresh()
        seed = self.seed_of(expected)
        value, pullback = given(transform, *args)
        self.compare(value, expected)
        first = self.taken(given(pullback, seed))
        unshared(first, (args, seed, value))
        args = self.fresh()
        kept = given(transform, *args)[1]
        written_over(args, self.fresh(1))
        between, _ = captured(transform, *args)
        if not isinstance(between, Raised):  # as plain Python may, at arguments of both calls
            other, second = between
            given(second, self.seed_of(other, [1.0] * sum(np.size(x) for x in (*numbers(other), *arrays(other)))))
        again = self.taken(given(kept, seed))
        expect(alike_or_nan(again, first), f"a pullback that is kept gives {again!r}, at once {first!r}")
        return first


def unshared(cotangents: Any, others: Any) -> None:
    """Each array of the cotangents is new, and may be written to."""
    found = [x for x in arrays(cotangents) if isinstance(x, np.ndarray)]
    around = [x for x in arrays(others) if isinstance(x, np.ndarray)]
    for i, x in enumerate(found):
        expect(x.flags.writeable, f"the cotangent {x!r} is read-only")
        expect(not any(np.shares_memory(x, y) for y in found[:i] + around), f"the cotangent {x!r} shares its memory")


def alike_or_nan(a: Any, b: Any) -> bool:
    xs, ys = list(numbers(a)), list(numbers(b))
    return len(xs) == len(ys) and all(x == y or (x != x and y != y) for x, y in zip(xs, ys, strict=True))


def outcome_by(backend: str) -> Callable[[Program], Outcome]:
    """What becomes of a composition by one target."""
    return lambda made: outcome_of(made, lambda made, f: Composed(made, f, backend), by_name)


def by_name(error: CCCError) -> bool:
    """True for a refusal with a place and a reason: also one that an adaptor words where a call has no derivative."""
    behind = error.__cause__
    words = (CCCError, TypeError, ValueError, IndexError, ArithmeticError)
    return isinstance(error, CompileError) and bool(error.diagnostics) and (behind is None or isinstance(behind, words))


def checked(seed: int, backend: str) -> Outcome:
    """Check the composition of a seed; a failure raises with a smaller one."""
    made, outcome = composition(seed), outcome_by(backend)
    found = outcome(made)
    if found.kind in FAILURES:
        from random_shrinking import shrunken

        smaller = shrunken(made, found, outcome=outcome)
        again = f"To reproduce it: python3 tests/random_compositions.py {seed} {backend}"
        raise AssertionError(f"{found.kind}: {outcome(smaller).text}\n{smaller}\n{again}")
    return found


def main(seed: int, backend: str = "numpy") -> None:
    print(composition(seed))
    print(checked(seed, backend))


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
