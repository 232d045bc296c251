"""Codes of what is said of derivatives: that there is none, that one gets lost, or that one that was given is wrong."""

from __future__ import annotations

from ccc.compile.api.code_pages import Page

OF_DERIVATIVES: dict[str, Page] = {
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
        "derivative is zero almost everywhere, which is seldom meant. A draw of integers is no better. Where a number "
        "that is differentiated is stored in an array of ints, this is a warning.",
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
        "Integers and objects have no derivative here.",
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
}
