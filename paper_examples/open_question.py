"""The question that the slides leave open, put to the instrument: is there a curry that is typed simply, as cheap as
Δ, and strict?

Asked are I (`AdditiveMap`), II (`Delta`), II in boxes (`AnyDerivative`), III (CHAD, whose pullbacks are linear maps
with types), IV (Dialectica, whose arrows are a function and its answers) and V (Δ with merged keys, which
`docs/a_third_curry.md` writes out). What they are asked is computed here: the cotangent of a function by its type, the
laws that fail strictly, each with its smallest counterexample, and what is run again and pulled back, with the growth
that theory has. `paper_examples/open_question_figures.py` draws it.

>>> from ccc.objects import REAL, Exponential
>>> [typed(curry) for curry in CURRIES[:2]]
['AdditiveMap(R, R)', 'refused']
>>> grows([4, 11, 26, 57], [1, 2, 3, 4], POWERS)
'4 * 2^n - n - 3'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import ccc
from ccc import laws
from ccc.additive import parts
from ccc.base import Host
from ccc.categories.chad import CHAD
from ccc.categories.cost import Cost
from ccc.categories.dialectica import Asked, Dialectica
from ccc.combinators import curry, eval_, primitive, prod, proj_left, proj_right
from ccc.errors import CotangentMismatch
from ccc.laws.catalogue import chosen
from ccc.laws.counting import Meter, cost
from ccc.objects import REAL, Exponential, Product
from ccc.primitives.arithmetic import add, mul, neg
from paper_examples.example import Example, Outcome, claimed

DOCUMENT = "The open question"
EXACT = Host(Fraction)
PAIR, FUNCTION = Product((REAL, REAL)), Exponential(REAL, REAL)
SECTIONS = ("functions", "branches", "recursion")
PAGE = Path(__file__).parents[1] / "docs" / "a_third_curry.md"


def keyed() -> Any:
    """The exponential that the page of the third curry writes out in its first block of Python."""
    names: dict[str, Any] = {"__name__": PAGE.stem}
    block = re.search(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert block is not None
    exec(block[1], names)
    return names["Keyed"]()


CURRIES: tuple[Any, ...] = (
    *[ccc.Reverse(e, EXACT) for e in (ccc.AdditiveMap(), ccc.Delta(), ccc.AnyDerivative())], CHAD(EXACT),
    Dialectica(EXACT), ccc.Reverse(keyed(), EXACT),
)
NAMES = ("I AdditiveMap", "II Delta", "II AnyDerivative", "III CHAD", "IV Dialectica", "V merged keys")
SHORT = ("I", "II", "II box", "III", "IV", "V")
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
    expected = [sums, "refused", opaque, sums, sums, "refused"]
    return claimed(len(set(found)), found, expected=(3, expected), agree=True, checks=checks, notes=notes)


# -- strict ----------------------------------------------------------------------------------------------------------


@cache
def weak_laws() -> dict[str, dict[str, str]]:
    """Of each curry the laws that hold up to ≅ only, with the smallest example in which both sides differ strictly."""
    found: dict[str, dict[str, str]] = {}
    for name, k in zip(NAMES, CURRIES, strict=True):
        report = laws.check(k, only=SECTIONS, examples=8)
        if not report.ok:
            raise AssertionError(str(report))
        found[name] = {}
        for verdict in report.weak:
            assert verdict.counterexample is not None
            parts = "; ".join([f"{part.name} = {part.python}" for part in verdict.counterexample.parts])
            found[name][verdict.check] = f"{parts}: {verdict.counterexample.difference}"
    return found


def proved() -> list[int]:
    """How many of the laws of functions each curry has with a proof."""
    return [sum(bool(v.proof) for v in laws.check(k, only=["functions"], examples=1).verdicts) for k in CURRIES[:5]]


def strictness() -> Outcome:
    """The laws that fail strictly, all of which hold up to what programs observe, by curry."""
    found = weak_laws()
    rows = list(dict.fromkeys([law for laws_ in found.values() for law in laws_]))
    rows.sort(key=[check.name for check in chosen(SECTIONS)].index)
    cells = [("", SHORT), *[(law, ["≅" if law in found[name] else "=" for name in NAMES]) for law in rows]]
    notes = [f"{first:14} {' '.join([f'{cell:6}' for cell in rest])}" for first, rest in cells]
    notes.append("all other laws of functions, branches and recursion hold strictly (=) under each")
    for name in NAMES:
        notes += [f"{name}, {law}: {shown}" for law, shown in found[name].items()]
    moves = ["curry-eta", "curry-natural", "trimming", "fix-unroll", "fix-natural"]
    boxed = [*moves[:2], "curry-eval", "trimming", "cond-curry", *moves[3:]]
    expected = [[], moves, boxed, [], [], boxed]
    weak = [list(found[name]) for name in NAMES]
    every = len(chosen(["functions"]))
    checks = [("I to IV have proofs of all laws of functions", proved() == [every] * 5)]
    return claimed(sum(map(len, weak)), weak, expected=(19, expected), agree=True, checks=checks, notes=notes)


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
FAMILIES: dict[str, Callable[[Meter, int], Any]] = {
    "nested": nested, "called n times": called, "doubled, no functions": doubled,
}
Terms = tuple[tuple[str, Callable[[int], int]], ...]
POWERS: Terms = (("2^n", lambda n: 2**n), ("n", lambda n: n), ("1", lambda n: 1))
SQUARES: Terms = (("n^2", lambda n: n * n), *POWERS[1:])


def grows(counts: Sequence[int], sizes: Sequence[int], terms: Terms) -> str:
    """The sum of terms that is nearest to counts by least squares, if it is equal to them; "none" if it is not."""
    matrix = np.array([[term(n) for _, term in terms] for n in sizes], float)
    factors = np.rint(np.linalg.lstsq(matrix, np.array(counts, float), rcond=None)[0])
    if not np.array_equal(matrix @ factors, counts):
        return "none"
    text = ""
    for factor, (name, _) in zip(factors.astype(int).tolist(), terms, strict=True):
        if factor:
            size = str(abs(factor)) if name == "1" else name if abs(factor) == 1 else f"{abs(factor)} * {name}"
            text += (f" {'-' if factor < 0 else '+'} " if text else "-" if factor < 0 else "") + size
    return text or "0"


@cache
def works() -> dict[str, dict[str, list[int]]]:
    """The work of the pullbacks of each family of programs, under each curry, by size."""
    return {title: {name: [work(program, k, n) for n in SIZES] for name, k in zip(NAMES, CURRIES, strict=True)}
            for title, program in FAMILIES.items()}


def work_of_pullbacks() -> Outcome:
    """Work by size: the cheap ones grow as the program, the simply typed ones multiply at each level of closures."""
    notes, fits = [], []
    for title, found in works().items():
        notes.append(f"{title}, for n from {SIZES[0]} to {SIZES[-1]}, and what they are:")
        fits.append([grows(counts, SIZES, POWERS) for counts in found.values()])
        notes += [f"{name:17} {', '.join(map(str, counts))}  =  {fit}"
                  for (name, counts), fit in zip(found.items(), fits[-1], strict=True)]
    checks = [("I and III do the same work", all(each[NAMES[0]] == each[NAMES[3]] for each in works().values()))]
    sums, again, cheap = "4 * 2^n - n - 3", "6 * 2^n - n - 4", "n + 1"
    expected = [[sums, cheap, cheap, sums, again, cheap], ["3 * n", "n", "n", "3 * n", "5 * n", "n"],
                ["n", "n", "n", "n", "3 * n - 1", "n"]]
    return claimed(SIZES[-1], fits, expected=(6, expected), agree=True, checks=checks, notes=notes)


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


WORDS = {"I": "additive", "II": "delta", "II box": "any"}
ROUNDS = (2, 4, 8, 16)


@cache
def recursions() -> dict[str, list[int]]:
    """Operations of the compiled gradient of a recursion that makes closures, under each curry that is compiled."""
    return {name: [operations(recursive, (1.1, float(n)), word) for n in ROUNDS] for name, word in WORDS.items()}


def compiled_costs() -> Outcome:
    """Nothing is computed twice in compiled code, so the excess of I is gone but where recursion makes the closures."""
    nest = [operations(closures_in_closures, (2.0, 3.0), word) for word in WORDS.values()]
    fits = [grows(counts, ROUNDS, SQUARES) for counts in recursions().values()]
    notes = [f"closures made in closures: {', '.join(map(str, nest))} operations under {', '.join(WORDS)}",
             f"recursion, n of {', '.join(map(str, ROUNDS))}, and what they are:",
             *[f"{name:17} {', '.join(map(str, counts))}  =  {fit}"
               for (name, counts), fit in zip(recursions().items(), fits, strict=True)]]
    checks = [("closures in closures cost the same", len(set(nest)) == 1)]
    expected = ["n^2 + 3 * n + 1", "5 * n + 1", "5 * n + 1"]
    return claimed(nest[0], fits, expected=(4, expected), agree=True, checks=checks, notes=notes)


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
