"""The question that the slides leave open, put to the instrument: is there a curry that is typed simply, as cheap as
Δ, and strict?

Asked are I (`AdditiveMap`), II (`Delta`), II in boxes (`AnyDerivative`), III (CHAD, whose pullbacks are linear maps
with types) and IV (Dialectica, whose arrows are a function and its answers). What they are asked is computed here: the
cotangent of a function by its type alone, the laws of functions, and what is run again and pulled back.

>>> from ccc.objects import REAL, Exponential
>>> [typed(curry) for curry in CURRIES[:2]]
['AdditiveMap(R, R)', 'refused']
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import ccc
from ccc import laws
from ccc.additive import parts
from ccc.base import Host
from ccc.categories.chad import CHAD
from ccc.categories.cost import Cost
from ccc.categories.dialectica import Asked, Dialectica
from ccc.combinators import curry, eval_, primitive, prod, proj_left, proj_right
from ccc.errors import CotangentMismatch
from ccc.laws.counting import Meter, cost
from ccc.objects import REAL, Exponential, Product
from ccc.primitives.arithmetic import add, mul, neg
from paper_examples.example import Example, Outcome, claimed

DOCUMENT = "The open question"
EXACT = Host(Fraction)
PAIR, FUNCTION = Product((REAL, REAL)), Exponential(REAL, REAL)
TELLING = ["curry-beta", "curry-eta", "curry-natural", "curry-eval", "trimming"]
CURRIES: tuple[Any, ...] = (
    *[ccc.Reverse(e, EXACT) for e in (ccc.AdditiveMap(), ccc.Delta(), ccc.AnyDerivative())], CHAD(EXACT),
    Dialectica(EXACT),
)
NAMES = ("I AdditiveMap", "II Delta", "II AnyDerivative", "III CHAD", "IV Dialectica")
T, S = Fraction(2), Fraction(3)


def table(rows: list[tuple[str, list[Any]]]) -> list[str]:
    """Lines that begin with the name of a curry."""
    return [f"{name:17} {', '.join(map(str, cells))}" for name, cells in rows]


# -- typed by S and R ------------------------------------------------------------------------------------------------


def typed(k: Any) -> str:
    """G[R => R], asked of the type alone."""
    try:
        return str(k.exponential.cotangent(FUNCTION))
    except CotangentMismatch:
        return "refused"


def simply_typed() -> Outcome:
    """What the type of a function says of its cotangent; and that a linear map of CHAD knows its spaces."""
    found = [typed(k) for k in CURRIES]
    sums, opaque = "AdditiveMap(R, R)", "static['AnyDerivative']"
    _, pullback = ccc.functor(CHAD(), curry(primitive(mul, REAL, REAL)))(2.0)
    notes = [*table([(name, [f"G[R => R] = {what}"]) for name, what in zip(NAMES, found, strict=True)]),
             f"the pullback of curry mult in CHAD: {pullback}"]
    checks = [("CHAD says between which spaces a pullback goes", str(pullback) == f"{sums} -o R")]
    expected = [sums, "refused", opaque, sums, sums]
    return claimed(len(set(found)), found, expected=(3, expected), agree=True, checks=checks, notes=notes)


# -- strict ----------------------------------------------------------------------------------------------------------


def strictness() -> Outcome:
    """The laws of functions that fail strictly, all of which hold up to what programs observe."""
    weak: list[list[str]] = []
    notes, checks = [], []
    for name, k in zip(NAMES, CURRIES, strict=True):
        report = laws.check(k, only=TELLING, examples=8)
        weak.append([v.check for v in report.verdicts if v.outcome == "up to ≅"])
        proved = sum(bool(v.proof) for v in report.verdicts)
        checks.append((f"{name}: all laws hold, each with a proof", report.ok and proved == len(report.verdicts)))
        notes.append(f"{name:17} {proved} proved, strictly all but {', '.join(weak[-1]) or 'none'}")
        for verdict in report.weak[:1]:
            assert verdict.counterexample is not None
            shown = [f"{part.name} = {part.python}" for part in verdict.counterexample.parts]
            notes.append(f"    {verdict.check}: {'; '.join(shown)}")
    moves = ["curry-eta", "curry-natural", "trimming"]
    expected = [[], moves, [*moves[:2], "curry-eval", moves[2]], [], []]
    return claimed(sum(map(len, weak)), weak, expected=(7, expected), agree=True, checks=checks, notes=notes)


# -- cheap -----------------------------------------------------------------------------------------------------------


def nested(meter: Meter, depth: int) -> Any:
    """`λs. t s`, called in a λ, called in a λ, ...: each made in the body of the next."""
    body = primitive(meter.counted(mul), REAL, REAL)
    for _ in range(depth):
        call = prod(proj_left(PAIR) >> curry(body), proj_right(PAIR)) >> eval_(FUNCTION)
        body = call >> primitive(meter.counted(neg), REAL)
    return body


def called(meter: Meter, n: int) -> Any:
    """`let g = λs. t s in g (g (... (g s)))`, n calls."""
    context = Product((FUNCTION, REAL))
    start = prod(proj_left(PAIR) >> curry(primitive(meter.counted(mul), REAL, REAL)), proj_right(PAIR))
    once = prod(proj_left(context), eval_(FUNCTION))
    return ccc.compose(start, *[once] * n, proj_right(context))


def doubled(meter: Meter, n: int) -> Any:
    """`x + x`, n times over: no function at all."""
    twice = prod(ccc.id_(REAL), ccc.id_(REAL)) >> primitive(meter.counted(add), REAL, REAL)
    return prod(proj_left(PAIR), proj_right(PAIR)) >> proj_left(PAIR) >> ccc.compose(*[twice] * n)


def work(program: Callable[[Meter, int], Any], k: Any, size: int) -> int:
    """Primitives that the pullback runs again and pulls back."""
    meter = Meter()
    found = cost(program(meter, size), (T, S), Fraction(1), meter, category=k)
    return found.rerun + found.backward


SIZES = range(1, 7)


def work_of_pullbacks() -> Outcome:
    """Work by size: the cheap ones grow as the program, the simply typed ones multiply at each level of closures."""
    notes, found = [], {}
    for title, program in (("nested", nested), ("called n times", called), ("doubled, no functions", doubled)):
        found[title] = {name: [work(program, k, n) for n in SIZES] for name, k in zip(NAMES, CURRIES, strict=True)}
        notes += [f"{title}, for {SIZES[0]} to {SIZES[-1]}:", *table(list(found[title].items()))]
    linear = [n + 1 for n in SIZES]
    nest, calls, plain = found.values()
    checks = [
        ("I and III do the same work", all(each[NAMES[0]] == each[NAMES[3]] for each in found.values())),
        ("nested, I does 2^(d + 2) - d - 3", nest[NAMES[0]] == [2 ** (d + 2) - d - 3 for d in SIZES]),
        ("nested, II is linear", nest[NAMES[1]] == nest[NAMES[2]] == linear),
        ("nested, IV does 6 * 2^d - d - 4", nest[NAMES[4]] == [6 * 2**d - d - 4 for d in SIZES]),
        ("called, II is linear", calls[NAMES[1]] == list(SIZES)),
        ("without functions all but IV run nothing again", all(plain[name] == list(SIZES) for name in NAMES[:4])),
    ]
    last = [nest[name][-1] for name in NAMES]
    return claimed(SIZES[-1], last, expected=(6, [247, 7, 7, 247, 374]), agree=True, checks=checks, notes=notes)


# -- cheap, by the cost category, after the compiler -----------------------------------------------------------------


def closures_in_closures(t: Any, s: Any) -> Any:
    def outer(x: Any) -> Any:
        def middle(y: Any) -> Any:
            def inner(z: Any) -> Any:
                return t * z * z

            return inner(y) * y

        return middle(x) * x

    return outer(s) * s


def recursive(t: Any, n: Any) -> Any:
    def power(n: Any) -> Any:
        return t if n < 1.0 else t * power(n - 1.0)

    return power(n)


def operations(f: Callable[..., Any], args: tuple[float, float], exponential: Any) -> int:
    """Operations of the compiled gradient, by the cost category."""
    gradient = ccc.gradient(f, wrt=0, exponential=exponential)
    return int(ccc.interpret(gradient, Cost())(*[(x, 0.0) for x in args])[1])


def compiled_costs() -> Outcome:
    """Nothing is computed twice in compiled code, so the excess of I is gone but where recursion makes the closures."""
    nest = [operations(closures_in_closures, (2.0, 3.0), e) for e in ("additive", "delta", "any")]
    sizes = (2, 4, 8, 16)
    calls = [[operations(recursive, (1.1, float(n)), e) for n in sizes] for e in ("additive", "delta", "any")]
    notes = [f"closures made in closures: {', '.join(map(str, nest))} operations under I, II, II in boxes",
             *table([(f"recursion, {name}", row) for name, row in zip(("I", "II", "boxes"), calls, strict=True)])]
    checks = [("closures in closures cost the same", len(set(nest)) == 1)]
    expected = [[n * n + 3 * n + 1 for n in sizes], *[[5 * n + 1 for n in sizes]] * 2]
    return claimed(nest[0], calls, expected=(4, expected), agree=True, checks=checks, notes=notes)


# -- Dialectica with formal sums of counters at numbers too ----------------------------------------------------------


class Bag:
    """A formal sum of counters of a number, none of which is added up."""

    def __init__(self, *counters: Any) -> None:
        self.counters = counters

    def __add__(self, other: Any) -> Bag:
        return Bag(*self.counters, *other.counters) if isinstance(other, Bag) else self

    __radd__ = __add__


class Bags(Dialectica):
    """Dialectica as it is for logic: each counter is answered by itself."""

    def primitive(self, term: Any) -> Asked:
        summed, size = super().primitive(term), len(parts_of_domain(term))

        def reverse(x: Any, bag: Any) -> Any:
            answers = [parts(summed.reverse(x, counter), size) for counter in bag.counters]
            return tuple([Bag(*[answer[i] for answer in answers]) for i in range(size)])

        return Asked(summed.value, reverse)


def parts_of_domain(term: Any) -> tuple[Any, ...]:
    """The objects that a primitive takes."""
    return term.dom.parts if isinstance(term.dom, Product) else (term.dom,)


def counters_apart() -> Outcome:
    """Where counters of numbers stay a formal sum, a program without functions answers once for each path."""
    found, sums = [], []
    for n in SIZES:
        meter = Meter()
        arrow = doubled(meter, n)
        image = ccc.functor(Bags(EXACT), arrow)
        _, pullback = image((T, S))
        bag = parts(pullback(Bag(Fraction(1))), 2)[0]
        found.append(len(bag.counters))
        sums.append(sum(bag.counters))
    notes = [f"counters of x after x + x, {SIZES[0]} to {SIZES[-1]} times: {', '.join(map(str, found))}"]
    powers = [2**n for n in SIZES]
    checks = [("their sum is the derivative", sums == powers)]
    return claimed(found[-1], found, expected=(64, powers), agree=True, checks=checks, notes=notes)


EXAMPLES = (
    Example("typed by S and R alone", DOCUMENT, simply_typed),
    Example("strict, and up to ≅", DOCUMENT, strictness),
    Example("the work of pullbacks", DOCUMENT, work_of_pullbacks),
    Example("operations, compiled", DOCUMENT, compiled_costs),
    Example("counters that stay apart", DOCUMENT, counters_apart),
)
