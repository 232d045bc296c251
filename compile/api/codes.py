"""The codes of diagnostics: what each says, a program that it refuses, and the same program mended.

>>> print(page("CC023"))
CC023: a derivative gets lost: a real result is computed from `int(...)` of what is differentiated
<BLANKLINE>
Indices, lengths and choices may depend on `int(x)`; where a number is computed from it, its derivative is zero almost
everywhere, which is seldom meant. A draw of integers is no better.
<BLANKLINE>
Refused:
<BLANKLINE>
    def f(x):
        return float(int(x)) * x
<BLANKLINE>
    ccc.gradient(f)(2.5)
<BLANKLINE>
Mended:
<BLANKLINE>
    def f(x):
        return float(ccc.without_derivative(int(x))) * x
<BLANKLINE>
    ccc.gradient(f)(2.5)
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """What a code says: a title, more about it, a program that meets it and one that does not. Programs see `ccc`, `np`
    and `math`; `options` are those of the Python that has to run them."""

    title: str
    text: str
    refused: str
    mended: str
    options: tuple[str, ...] = ()


PAGES: dict[str, Page] = {
    "CC001": Page(
        "the source of a function cannot be read",
        "Functions are read, not traced: their file, or the cell of a notebook, has to be there.",
        """\
space = {}
exec("def f(x): return x * x", space)

ccc.gradient(space["f"])(2.5)""",
        """\
def f(x):
    return x * x

ccc.gradient(f)(2.5)""",
    ),
    "CC002": Page(
        "several lambdas on one line fit, and it cannot be told which is meant",
        "Python run without positions of code (`-X no_debug_ranges`) does not say which of two lambdas on a "
        "line a function is.",
        """\
f, g = (lambda x: x * x), (lambda x: x * x)

ccc.gradient(f)(2.5)""",
        """\
f = lambda x: x * x
g = lambda x: x * x

ccc.gradient(f)(2.5)""",
        ("-X", "no_debug_ranges"),
    ),
    "CC003": Page(
        "a construct of Python is not supported in a differentiated function",
        "`docs/language.md` lists what is. What does not belong to the derivative can move to the caller, or "
        "be hidden behind a function with a derivative of its own (`ccc.derivative_of`).",
        """\
def f(x):
    with open("factor.txt") as file:
        return x * float(file.read())

ccc.gradient(f)(2.5)""",
        """\
factor = 3.0

def f(x):
    return x * factor

ccc.gradient(f)(2.5)""",
    ),
    "CC004": Page(
        "a generator was given where a value was needed",
        "A derivative needs a value that is returned.",
        """\
def f(x):
    for k in range(3):
        yield x * k

ccc.gradient(f)(2.5)""",
        """\
def f(x):
    return sum([x * k for k in range(3)])

ccc.gradient(f)(2.5)""",
    ),
    "CC005": Page(
        "a path ends without a return value, or a recursion never ends",
        "A path without a `return` gives None; where that cannot stand beside what others give, each needs one.",
        """\
def f(x):
    return x * f(x - 1.0)

ccc.gradient(f)(2.5)""",
        """\
def f(x):
    return 1.0 if x < 0.0 else x * f(x - 1.0)

ccc.gradient(f)(2.5)""",
    ),
    "CC006": Page(
        "branches, runs of a loop or items of a list differ in type",
        "A program has one type for each variable, whatever path was taken; integers become reals where they "
        "meet.",
        """\
def f(x):
    y = (x, x) if x > 1.0 else x
    return y[0]

ccc.gradient(f)(2.5)""",
        """\
def f(x):
    y = (x, x) if x > 1.0 else (x, 0.0)
    return y[0]

ccc.gradient(f)(2.5)""",
    ),
    "CC007": Page(
        "a name may be unbound where it is read",
        "The name is not defined, or nothing has bound it on the way here.",
        """\
def f(x):
    return x * missing

ccc.gradient(f)(2.5)""",
        """\
def f(x):
    missing = 2.0
    return x * missing

ccc.gradient(f)(2.5)""",
    ),
    "CC010": Page(
        "something is changed in place that is reachable under another name",
        "A change in place is followed where it is known who sees it. Copy the one or the other before.",
        """\
def f(v):
    w = 2.0 * v
    flat = w.ravel()
    w[0] = 5.0
    return np.sum(flat) + np.sum(w)

ccc.gradient(f)(np.ones((2, 2)))""",
        """\
def f(v):
    w = 2.0 * v
    flat = w.ravel().copy()
    w[0] = 5.0
    return np.sum(flat) + np.sum(w)

ccc.gradient(f)(np.ones((2, 2)))""",
    ),
    "CC011": Page(
        "something is changed in place that is visible elsewhere, in a way that cannot be followed",
        "What a function changes of its arguments is written back when it returns; a function that is differentiated "
        "inside has no caller to write it back to.",
        """\
def f(v):
    def g(w):
        w[0] = 1.0
        return np.sum(w * w)
    return np.sum(ccc.gradient(g)(v))

ccc.gradient(f)(np.array([1.0, 2.0]))""",
        """\
def f(v):
    def g(w):
        w = w.copy()
        w[0] = 1.0
        return np.sum(w * w)
    return np.sum(ccc.gradient(g)(v))

ccc.gradient(f)(np.array([1.0, 2.0]))""",
    ),
    "CC012": Page(
        "a variable outside of the function is written",
        "A derivative must not depend on how often the function runs.",
        """\
def f(x):
    global total
    total = x
    return x * x

ccc.gradient(f)(2.5)""",
        """\
def f(x):
    return x * x, x

ccc.value_with_pullback(f)(2.5)""",
    ),
    "CC013": Page(
        "`out=` is given an array of unknown rank",
        "It has to be known which entries are written; an assignment says the same.",
        """\
def f(x, k):
    y = np.zeros(3) if k else x
    np.sin(x, out=[y])
    return np.sum(y)

ccc.gradient(f)(np.ones(3), True)""",
        """\
def f(x):
    y = np.sin(x)
    return np.sum(y)

ccc.gradient(f)(np.ones(3))""",
    ),
    "CC020": Page(
        "a function has no derivative rule for these arguments",
        "It is no function of Python that could be read. Give it a derivative with `ccc.derivative_of`.",
        """\
def f(x):
    return math.nextafter(x, 9.0)

ccc.gradient(f)(2.5)""",
        """\
@ccc.derivative_of(math.nextafter)
def rule(x, y):
    return math.nextafter(x, y), lambda ct: (ct, None)

def f(x):
    return math.nextafter(x, 9.0)

ccc.gradient(f)(2.5)""",
    ),
    "CC021": Page(
        "what is differentiated goes through something that has no derivative",
        "A rule that cannot be read is called as it is, and has no derivative itself; the keys of a dict have "
        "none, nor have some functions of SciPy in their parameters.",
        """\
def noisy(x):
    return float(str(math.sin(x)))

@ccc.derivative_of(noisy)
def rule(x):
    return noisy(x), lambda ct: ct * float(str(math.cos(x)))

ccc.gradient(ccc.gradient(noisy))(2.5)""",
        """\
def noisy(x):
    return float(str(math.sin(x)))

@ccc.derivative_of(noisy)
def rule(x):
    return noisy(x), lambda ct: ct * math.cos(x)

ccc.gradient(ccc.gradient(noisy))(2.5)""",
    ),
    "CC022": Page(
        "what is to be called or differentiated is no function that is known inside the program",
        "Functions may be arguments and results inside a program; what is called has to be one.",
        """\
def f(x):
    return x(1.0)

ccc.gradient(f)(2.5)""",
        """\
def f(x):
    g = lambda y: y * x
    return g(1.0)

ccc.gradient(f)(2.5)""",
    ),
    "CC023": Page(
        "a derivative gets lost: a real result is computed from `int(...)` of what is differentiated",
        "Indices, lengths and choices may depend on `int(x)`; where a number is computed from it, its "
        "derivative is zero almost everywhere, which is seldom meant. A draw of integers is no better.",
        """\
def f(x):
    return float(int(x)) * x

ccc.gradient(f)(2.5)""",
        """\
def f(x):
    return float(ccc.without_derivative(int(x))) * x

ccc.gradient(f)(2.5)""",
    ),
    "CC024": Page(
        "warning: the result does not depend on an argument that is differentiated",
        "Its derivative is always zero. `wrt` says which arguments are differentiated; "
        "`ccc.without_derivative(x)` in the function says that the zero is meant.",
        """\
def f(x, y):
    return y * y

ccc.gradient(f)(2.5, 1.0)""",
        """\
def f(x, y):
    return y * y

ccc.gradient(f, wrt="y")(2.5, 1.0)""",
    ),
    "CC025": Page(
        "a value has no real numbers to differentiate in",
        "Integers, complex numbers and objects have no derivative here.",
        """\
def f(x):
    return np.sum(x * x)

ccc.gradient(f)(np.array([1, 2]))""",
        """\
def f(x):
    return np.sum(x * x)

ccc.gradient(f)(np.array([1.0, 2.0]))""",
    ),
    "CC026": Page(
        "a gradient was asked for of a result that is not one real number",
        "A gradient is the cotangent for 1; of a result with several numbers ask for the Jacobian or the "
        "pullback.",
        """\
def f(x):
    return x * x

ccc.gradient(f)(np.ones(3))""",
        """\
def f(x):
    return x * x

ccc.jacobian(f)(np.ones(3))""",
    ),
    "CC027": Page(
        "arguments, types or shapes do not fit",
        "What Python or NumPy would raise, seen before it runs.",
        """\
def f(x):
    return np.sum(np.ones((3, 4)) @ x)

ccc.gradient(f)(np.ones((2, 2, 2)), 1)""",
        """\
def f(x):
    return np.sum(np.ones((3, 4)) @ x)

ccc.gradient(f)(np.ones(4))""",
    ),
    "CC028": Page(
        "a function leaves the exact scalars that its arguments are",
        "Fractions are differentiated exactly, with + - * / and integer powers; what has irrational values takes "
        "floats.",
        """\
from fractions import Fraction

def f(x):
    return math.sin(x)

ccc.gradient(f)(Fraction(1, 2))""",
        """\
from fractions import Fraction

def f(x):
    return x - x**3 / 6

ccc.gradient(f)(Fraction(1, 2))""",
    ),
    "CC030": Page(
        "warning: a function has a kink at the arguments at which its derivative is checked",
        "To the left and to the right of a kink the slopes differ. The derivative is one between them: of primitives "
        "that of least norm, 0 for `abs` at 0.",
        """\
def f(x):
    return 3.0 * abs(x)

ccc.check_derivative(f, 0.0)""",
        """\
def f(x):
    return 3.0 * math.sqrt(x * x + 1e-6)

ccc.check_derivative(f, 0.0)""",
    ),
    "CC031": Page(
        "warning: a statement has no effect on the result",
        "Its value is computed and forgotten.",
        """\
def f(x):
    y = x
    y * 2.0
    return y

ccc.gradient(f)(2.5)""",
        """\
def f(x):
    y = x
    y = y * 2.0
    return y

ccc.gradient(f)(2.5)""",
    ),
    "CC032": Page(
        "a function gives something else at each call: a source of random numbers without a seed, the time",
        "A derivative is that of one function. What differs at each call is an argument of it, or a value that it "
        "reads from outside; a source of random numbers that is made in it has a seed.",
        """\
def f(x):
    return x * np.random.default_rng().normal()

ccc.gradient(f)(2.5)""",
        """\
def f(x, rng):
    return x * rng.normal()

ccc.gradient(f, wrt="x")(2.5, np.random.default_rng(0))""",
    ),
    "CC033": Page(
        "the result of a call that is watched holds NaN or infinity",
        "`ccc.debug_nans` tells the first step that made it of finite numbers, in the function or in its derivative. "
        "The square root has an infinite slope at 0, also where what it is of does not move.",
        """\
def f(x):
    return math.sqrt(x * x)

ccc.debug_nans(ccc.gradient(f))(0.0)""",
        """\
def f(x):
    return math.sqrt(x * x + 1e-12)

ccc.debug_nans(ccc.gradient(f))(0.0)""",
    ),
    "CC040": Page(
        "a custom derivative gives something else than a value and the cotangents of the arguments",
        "A rule gives the value and a pullback; the pullback gives one cotangent for each argument, None for "
        "none, bare for the only one.",
        """\
def g(x, y):
    return x * y

@ccc.derivative_of(g)
def rule(x, y):
    return x * y, lambda ct: ct * y

ccc.gradient(g)(2.0, 3.0)""",
        """\
def g(x, y):
    return x * y

@ccc.derivative_of(g)
def rule(x, y):
    return x * y, lambda ct: (ct * y, ct * x)

ccc.gradient(g)(2.0, 3.0)""",
    ),
    "CC041": Page(
        "a derivative that was given disagrees with differences of the function",
        "`ccc.check_derivative` compares them at arguments that you choose: the slope to the left, to the right, and "
        "that of the rule.",
        """\
def g(x, y):
    return x * y

@ccc.derivative_of(g)
def rule(x, y):
    return x * y, lambda ct: (ct * x, ct * x)

ccc.check_derivative(g, 2.0, 3.0)""",
        """\
def g(x, y):
    return x * y

@ccc.derivative_of(g)
def rule(x, y):
    return x * y, lambda ct: (ct * y, ct * x)

ccc.check_derivative(g, 2.0, 3.0)""",
    ),
    "CC042": Page(
        "a function with a custom derivative captures what is differentiated",
        "Its rule gives the cotangents of arguments only: what it captured would get none.",
        """\
def f(x):
    g = ccc.differentiable_function(lambda y: (y * x, lambda ct: ct * x))
    return g(2.0)

ccc.gradient(f)(2.5)""",
        """\
def f(x):
    g = ccc.differentiable_function(lambda y, w: (y * w, lambda ct: (ct * w, ct * y)))
    return g(2.0, x)

ccc.gradient(f)(2.5)""",
    ),
    "CC043": Page(
        "forward mode goes through a custom pullback that is not linear in the cotangent",
        "Forward mode is the transpose of the pullback, which exists where that is linear. One that clips has none.",
        """\
def f(x):
    return 3.0 * ccc.replace_gradient(x, lambda ct: max(min(ct, 1.0), -1.0))

ccc.value_with_differential(f)(2.5)""",
        """\
def f(x):
    return 3.0 * ccc.replace_gradient(x, lambda ct: 0.5 * ct)

ccc.value_with_differential(f)(2.5)""",
    ),
    "CC050": Page(
        "a class that was to be a vector space breaks a law of vector spaces",
        "Cotangents are added in any order, and zero is what adds nothing: `zero` and `add` are checked on the "
        "samples.",
        """\
class Length:
    def __init__(self, metres):
        self.metres = metres

    def __eq__(self, other):
        return self.metres == other.metres

def add(a, b):
    return Length(a.metres + b.metres)

ccc.vector_space(Length, zero=lambda x: Length(1.0), add=add, samples=[Length(1.0)])""",
        """\
class Length:
    def __init__(self, metres):
        self.metres = metres

    def __eq__(self, other):
        return self.metres == other.metres

def add(a, b):
    return Length(a.metres + b.metres)

ccc.vector_space(Length, zero=lambda x: Length(0.0), add=add, samples=[Length(1.0)])""",
    ),
    "CC051": Page(
        "arrows do not compose, or a value does not belong to an arrow's boundary",
        "The codomain of the first is the domain of the second.",
        """\
twice = ccc.arrow(lambda x: (x, x), float)
square = ccc.arrow(lambda x: x * x, float)
twice >> square""",
        """\
twice = ccc.arrow(lambda x: (x, x), float)
square = ccc.arrow(lambda x: x * x, float)
twice >> ccc.proj_left(twice.cod) >> square""",
    ),
    "CC052": Page(
        "what is to be judged by the laws is no category, rule or pass, or has another name",
        "`laws.check` takes a category, `laws.check_rule` a primitive; `python3 -m laws --list` shows the names of "
        "laws.",
        """\
from ccc import laws

laws.check(ccc.Reverse(), only=["curry-bata"])""",
        """\
from ccc import laws

laws.check(ccc.Reverse(), only=["curry-beta"], examples=10)""",
    ),
    "CC053": Page(
        "a category does not say what a combinator or a primitive means",
        "A program is read in a category of yours with `ccc.interpret`. The category says what each primitive and each "
        "combinator of the program means; `ccc.Layered` leaves it the primitives.",
        """\
class Duals(ccc.Layered):
    operations = {}

ccc.interpret(lambda x: x * x, Duals())((3.0, 1.0))""",
        """\
class Duals(ccc.Layered):
    operations = {"mul": lambda x, y: (x[0] * y[0], x[1] * y[0] + x[0] * y[1])}

ccc.interpret(lambda x: x * x, Duals())((3.0, 1.0))""",
    ),
    "CC060": Page(
        "a program is nested too deeply, or without end",
        "Python's parser, or the stack, ends before the program does. Many operations belong into a loop or "
        "several assignments; a function that is known by its rule alone cannot be what the rule computes its "
        "value with.",
        """\
def rule(x):
    return f(x), lambda ct: ct

f = ccc.differentiable_function(rule)

ccc.gradient(f)(2.5)""",
        """\
def rule(x):
    return x * 2.0, lambda ct: ct * 2.0

f = ccc.differentiable_function(rule)

ccc.gradient(f)(2.5)""",
    ),
    "CC070": Page(
        "an operator is called with arguments that it cannot take",
        "`gradient` takes a function and gives a function; `wrt` names its parameters by name or position.",
        """\
def f(x):
    return x * x

ccc.gradient(f, wrt="y")(2.5)""",
        """\
def f(x):
    return x * x

ccc.gradient(f, wrt="x")(2.5)""",
    ),
    "CC071": Page(
        "a function stands where a cotangent of it would be needed",
        "Functions may be made and passed inside. As a result, or as an argument that is differentiated, a "
        "function has no cotangent that a caller could give or take.",
        """\
def f(x):
    return lambda y: x * y

ccc.gradient(f)(2.5)""",
        """\
def f(x):
    g = lambda y: x * y
    return g(3.0)

ccc.gradient(f)(2.5)""",
    ),
}
CODES: dict[str, str] = {code: found.title for code, found in PAGES.items()}


def page(code: str) -> str | None:
    """What a code says; None where there is no such code.

    >>> page("CC999") is None
    True
    """
    found = PAGES.get(code)
    if found is None:
        return None
    text = textwrap.fill(found.text, 120)
    programs = [textwrap.indent(program, "    ") for program in (found.refused, found.mended)]
    return f"{code}: {found.title}\n\n{text}\n\nRefused:\n\n{programs[0]}\n\nMended:\n\n{programs[1]}"
