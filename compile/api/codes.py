"""The codes of diagnostics: what each says, a program that it refuses, and the same program mended.

>>> print(page("CC023"))
CC023: a derivative gets lost: a real result is computed from `int(...)` of what is differentiated
<BLANKLINE>
Indices, lengths and choices may depend on `int(x)`; where a number is computed from it, its derivative is zero almost
everywhere, which is seldom meant. A draw of integers is no better. Where a number that is differentiated is stored in
an array of ints, this is a warning.
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

from ccc.compile.api.code_pages import Page
from ccc.compile.api.codes_of_derivatives import OF_DERIVATIVES
from ccc.compile.api.codes_of_programs import OF_PROGRAMS

PAGES: dict[str, Page] = OF_PROGRAMS | OF_DERIVATIVES | {
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
    return None if found is None else found.written(code)
