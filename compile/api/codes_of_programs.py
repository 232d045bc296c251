"""Codes of what is said where a program is read: its source, its statements, and what it changes."""

from __future__ import annotations

from ccc.compile.api.code_pages import Page

OF_PROGRAMS: dict[str, Page] = {
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
}
