"""What reverse mode with elements of a semiring in the place of derivatives finds, against plain Python going forward.

    semiring-laws   plus and times are those of a semiring, or of a lattice
    paths           pb w  =  at each number the sum, over all paths from it to a result, of their weights times w there
    program-paths   the same of programs with arrays: with 1 for weights the number of paths, with slopes J v
    marks-join      what some inputs reach is what each of them reaches

Going forward a number carries, for each input, the sum of the paths from it: nothing is shared with reverse mode. Of
the project each semiring is asked in turns, a user's is asked alone.

>>> [check.name for check in WALKS]
['semiring-laws', 'paths', 'program-paths', 'marks-join']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import ccc.semirings
from ccc.additive import ZERO
from ccc.arrows import Arrow
from ccc.base import HOST
from ccc.categories.dependence import Dependence
from ccc.categories.functions import Functions
from ccc.categories.paths import answer
from ccc.categories.reverse import Reverse
from ccc.denotation import functor
from ccc.laws.asked import element, semiring_of
from ccc.laws.checks import Check, Discarded, Judged
from ccc.laws.choices import marked
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.obligations import first_order
from ccc.laws.program_meanings import items, read_in
from ccc.laws.programs import SIZE, Scope, Writer, Written, directions, flat, function_in, program, reference
from ccc.laws.scalars import EXACT, SCALARS
from ccc.laws.subjects import Subject, of_kind
from ccc.semirings import NUMBERS, OWN, Element, Monoid, Semiring

LARGE = 1000
WEIGHED = "add", "sub", "mul"
REALS = (float, *SCALARS)


def project() -> list[Monoid]:
    """The monoids and semirings of the project.

    >>> [L.name for L in project()][:3]
    ['boolean', 'lineage', 'max-plus']
    """
    found = [L for L in vars(ccc.semirings).values() if isinstance(L, Monoid) and L is not OWN]
    return sorted(found, key=lambda L: L.name)


class Reaching:
    """A number, and for each input the sum of the paths from it to here.

    >>> x, y = Reaching.inputs((2.0, 3.0), NUMBERS)
    >>> (x * y + x).to
    {0: 2, 1: 1}
    """

    __slots__ = ("L", "to", "value", "weights")

    def __init__(self, value: Any, to: dict[int, Any], L: Semiring, weights: Mapping[str, Any]) -> None:
        self.value = value
        self.to = to
        self.L = L
        self.weights = weights

    @staticmethod
    def inputs(x: Any, L: Semiring, weights: Mapping[str, Any] = {}) -> Any:
        """A value with inputs for its numbers, counted in its order."""
        count = iter(range(LARGE))

        def made(x: Any) -> Any:
            if isinstance(x, (tuple, list)):
                return type(x)(map(made, x))  # type: ignore[reportUnknownArgumentType]
            if isinstance(x, np.ndarray):
                return np.array([made(v) for v in x.tolist()], dtype=object)
            return Reaching(x, {next(count): L.one}, L, weights) if isinstance(x, REALS) else x

        return made(x)

    def by(self, name: str, value: Any, *others: Any) -> Reaching:
        """What a step gives of numbers."""
        found = dict[int, Any]()
        for x in others:
            for j, ways in x.to.items() if isinstance(x, Reaching) else ():
                ways = self.L.times(ways, self.weights[name]) if name in self.weights else ways
                found[j] = self.L.plus(found[j], ways) if j in found else ways
                if self.L is NUMBERS and found[j] > LARGE:
                    raise Discarded
        return Reaching(value, found, self.L, self.weights)

    def __add__(self, other: Any) -> Reaching:
        return self.by("add", self.value + plain(other), self, other)

    def __radd__(self, other: Any) -> Reaching:
        return self.by("add", other + self.value, other, self)

    def __sub__(self, other: Any) -> Reaching:
        return self.by("sub", self.value - plain(other), self, other)

    def __rsub__(self, other: Any) -> Reaching:
        return self.by("sub", other - self.value, other, self)

    def __mul__(self, other: Any) -> Reaching:
        return self.by("mul", self.value * plain(other), self, other)

    __rmul__ = __mul__

    def __neg__(self) -> Reaching:
        return self.by("neg", -self.value, self)

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < plain(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self.value > plain(other))


def plain(x: Any) -> Any:
    """The number itself."""
    return x.value if isinstance(x, Reaching) else x


def leaves(y: Any, x: Any) -> list[Any]:
    """The parts of a value that stand where another one has parts that have none, in its order.

    >>> leaves(((1, 2), [3]), (0.0, [0.0]))
    [(1, 2), 3]
    """
    if isinstance(x, (tuple, list)):
        return [leaf for part, of in zip(y, x, strict=True) for leaf in leaves(part, of)]  # type: ignore
    return [y]


def wanted_of(ways: Sequence[Any], asked: Sequence[Any], inputs: int, L: Any, weighed: bool) -> list[Any]:
    """What each input is asked, where each result is asked an element or nothing."""
    found = [L.zero] * inputs
    for y, g in zip(ways, asked, strict=True):
        for j, paths in y.to.items() if isinstance(y, Reaching) and g is not None else ():
            of = L.times(paths, g) if weighed else L.total([g] * paths)
            found[j] = L.plus(found[j], of)
    return found


def told(found: Sequence[Any], wanted: Sequence[Any], L: Monoid, x: Any, asked: Any) -> Judged:
    """Whether what is found is what is wanted, where None stands for zero."""
    left = [L.zero if ct is None else ct for ct in found]
    same = len(left) == len(wanted) and all(map(L.same, left, wanted))
    return Judged(None if same else Difference(f"what is asked in {L.name} differs", x, asked, left, [*wanted]))


@dataclass(frozen=True, slots=True)
class In:
    """What is drawn, and the semiring that it is read in where the subject has none."""

    L: Monoid
    drawn: Any

    def named(self) -> list[tuple[str, Any]]:
        """What is drawn."""
        return [] if self.drawn is None else self.drawn.named()

    def of(self, comparison: Any) -> Any:
        """The semiring that is asked about."""
        return semiring_of(comparison.k) or self.L

    def category(self, comparison: Any, base: Any, weight: Any) -> Any:
        """Reverse mode in it: the subject's own, or the project's under its exponential."""
        k = comparison.k
        found = k.over(base) if semiring_of(k) is not None else Reverse(k.exponential, base, L=self.L)
        found.weight = weight
        return found


def _turns(draw: Callable[[Generator, int], Any]) -> Callable[[Generator, int], In]:
    def drawn(generator: Generator, i: int) -> In:
        known = project()
        turn, k = divmod(i, len(known))
        return In(known[k], draw(generator, turn))

    return drawn


def _semiring(comparison: Any, example: In) -> Judged:
    L: Any = example.of(comparison)
    a, b, c = [element(L, comparison.draw) for _ in range(3)]
    sides = {"a + b = b + a": (L.plus(a, b), L.plus(b, a)), "a + 0 = a": (L.plus(a, L.zero), a),
             "(a + b) + c = a + (b + c)": (L.plus(L.plus(a, b), c), L.plus(a, L.plus(b, c)))}
    if isinstance(L, Semiring):
        sides |= {
            "(a b) c = a (b c)": (L.times(L.times(a, b), c), L.times(a, L.times(b, c))),
            "1 a = a": (L.times(L.one, a), a), "a 1 = a": (L.times(a, L.one), a),
            "0 a = 0": (L.times(L.zero, a), L.zero), "a 0 = 0": (L.times(a, L.zero), L.zero),
            "a (b + c) = a b + a c": (L.times(a, L.plus(b, c)), L.plus(L.times(a, b), L.times(a, c))),
            "(a + b) c = a c + b c": (L.times(L.plus(a, b), c), L.plus(L.times(a, c), L.times(b, c))),
        }
        if L.lattice:
            sides |= {"a + a b = a": (L.plus(a, L.times(a, b)), a), "a (a + b) = a": (L.times(a, L.plus(a, b)), a)}
    for law, (left, right) in sides.items():
        if not L.same(left, right):
            return Judged(Difference(f"{law} does not hold of {L.name}", (a, b, c), None, left, right))
    return Judged()


def cotangent(y: Any, asked: Any, L: Monoid) -> Any:
    """What is asked of the parts of a value, as a cotangent."""
    if isinstance(y, (tuple, list)):
        return type(y)([cotangent(part, asked, L) for part in y])  # type: ignore[reportUnknownVariableType]
    g = next(asked)
    return ZERO if g is None else Element(L, g)


def _paths(comparison: Any, example: In) -> Judged:
    L, draw = example.of(comparison), comparison.draw
    weighed = isinstance(L, Semiring)
    weights = {name: element(L, draw) for name in WEIGHED} if weighed else {}
    sample: Arrow = example.drawn.arrow
    x = draw.point(sample.dom)
    forward = Reaching.inputs(x, L if weighed else NUMBERS, weights)
    y = functor(Functions(EXACT), sample)(forward)
    k = example.category(comparison, EXACT, (lambda use: weights.get(use.name, L.one)) if weighed else None)
    value, pullback = functor(k, sample)(x)
    ways, values, points = leaves(y, y), leaves(value, value), leaves(x, x)
    if [plain(v) for v in ways] != values:
        return Judged(Difference("values differ", x, None, value, y))
    asked = [element(L, draw) if isinstance(v, REALS) and draw.chance(80) else None for v in values]
    found = leaves(answer(pullback(cotangent(value, iter(asked), L)), x), x)
    numbers = [j for j, v in enumerate(points) if isinstance(v, REALS)]
    return told([found[j] for j in numbers], wanted_of(ways, asked, len(numbers), L, weighed), L, x, asked)


class Wider(Writer):
    """Programs that also move, sum and subtract items of arrays."""

    FORMS: tuple[str, ...] = (
        "{}[::-1]", "np.cumsum({})", "np.diff({}, append=1.0)", "np.diff(np.cumsum({}), prepend=x[:1])",
        "(np.array([[1.0, -1.0, 0.0], [0.0, 2.0, -2.0], [0.0, 0.0, 1.0]]) @ {})", "np.roll({}, 1)",
        "np.convolve({}, x)[1:4]")

    @marked
    def array(self, scope: Scope, depth: int) -> str:
        if depth > 0 and self.g.chance(60):
            return self.g.pick(self.FORMS).format(self.array(scope, depth - 1))
        return super().array(scope, depth)


class Mixing(Wider):
    """Programs that also take sums of items in which some cancel."""

    FORMS = (*Wider.FORMS, "np.real(np.fft.fft({}))", "np.fft.irfft(np.fft.rfft({}) * a, 3)", "np.imag(np.fft.fft({}))",
             "np.real(np.fft.ifft({}))")


def _by(made: type[Wider]) -> Callable[[Generator, int], Written]:
    """Programs of a kind and a point; every second one is a number and an array and nothing else."""
    def draw(generator: Generator, i: int) -> Written:
        if i % 2:
            writer, scope = made(generator), Scope(("a", "b"), ("x",))
            source = f"def f(a, b, x, n):\n    return {writer.number(scope, 1)}, {writer.array(scope, 3)}\n"
        else:
            source = program(generator, made)
        return Written(source, (*directions(generator), generator.below(SIZE + 1)), directions(generator))

    return draw


def _program_paths(comparison: Any, example: In) -> Judged:
    """Paths are counted; and with slopes for their weights they are derivatives."""
    from ccc.compile.api.interpretation import interpret

    written: Written = example.drawn
    L, f, draw = example.of(comparison), function_in(written), comparison.draw
    *args, n = written.args
    expected = f(*Reaching.inputs(tuple(args), NUMBERS), n)
    ways = flat(expected)
    value, asks = interpret(f, example.category(comparison, HOST, None))(*args, n)
    if [plain(v) for v in ways] != flat(value):
        return Judged(Difference("values differ", written.args, None, flat(value), ways))
    asked = [element(L, draw) if draw.chance(80) else None for _ in ways]
    found = flat_answer(asks(as_value(value, asked)))
    judged = told(found, wanted_of(ways, asked, 2 + SIZE, L, False), L, written.args, asked)
    if judged.observed is not None or L is not NUMBERS:
        return judged
    _, slope = reference(f, written)
    seeds = [float(1 + draw.below(5)) for _ in ways]
    _, asks = interpret(f, example.category(comparison, HOST, lambda use: use.slope))(*args, n)
    cts = [0.0 if ct is None else ct for ct in flat_answer(asks(as_value(value, seeds)))]
    left = sum(ct * v for ct, v in zip(cts, flat(tuple(written.tangents)), strict=True))
    right = sum(s * d for s, d in zip(seeds, slope, strict=True))
    same = left == right
    return Judged(None if same else Difference("paths of slopes are not J v", written.args, seeds, left, right))


def as_value(value: Any, asked: Sequence[Any]) -> Any:
    """What is asked, in the structure of a number, or of a number and an array."""
    if not isinstance(value, tuple):
        return asked[0]
    array = np.empty(len(asked) - 1, object)
    for i, of in enumerate(asked[1:]):
        array[i] = of
    return asked[0], array


def flat_answer(cts: Any) -> list[Any]:
    """What two numbers and an array are asked; the count is not asked."""
    a, b, x, _ = cts
    return [a, b, *x.ravel().tolist()]


def _join(comparison: Any, written: Written) -> Judged:
    """The marks of some inputs together, and of each alone."""
    k, args = Dependence(1), written.args[:3]
    marks = [float(comparison.draw.chance(60)) for _ in range(2 + SIZE)]

    def reached(marks: Sequence[float]) -> list[bool]:
        given = [(args[0], marks[0]), (args[1], marks[1]), (args[2], np.array(marks[2:]))]
        return [bool(item[1] > 0) for item in items(read_in(k, written, given), 2)]

    alone = [reached([mark * (i == j) for j, mark in enumerate(marks)]) for i in range(len(marks))]
    each, together = [any(column) for column in zip(*alone, strict=True)], reached(marks)
    if each == together:
        return Judged()
    what = "what inputs reach together is not what each reaches"
    return Judged(Difference(what, written.args, marks, together, each))


def _own(kind: str) -> Callable[[Subject], bool]:
    """True for subjects with a semiring of their own, and for those of the project of a kind."""
    def applies(subject: Subject) -> bool:
        return semiring_of(subject.category) is not None or of_kind(kind)(subject)

    return applies


WALKS: tuple[Check, ...] = (
    Check("semiring-laws", "semirings", "plus and times are those of a semiring, or of a lattice",
          _turns(lambda generator, i: None), _semiring, applies=_own("values")),
    Check("paths", "semirings", "pb w = the sum, over all paths to a result, of their weights times w there",
          _turns(first_order), _paths, applies=_own("pullbacks")),
    Check("program-paths", "semirings", "the same of programs with arrays; with slopes for weights pb w is that of J",
          _turns(_by(Wider)), _program_paths, applies=_own("pullbacks"), share=0.15, weight=4.0),
    Check("marks-join", "semirings", "what some inputs reach, by the marks of Dependence, is what each of them reaches",
          _by(Mixing), _join, applies=of_kind("values"), share=0.25, weight=4.0),
)
