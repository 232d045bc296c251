"""What machine code does beside giving the right numbers: it computes all of a program, item by item, in time that
grows as the program does.

    stays        arithmetic that raises nothing at its arguments is left to no other target
    elementwise  a function of items gives of arrays and numbers what NumPy gives
    in place     a gradient of a loop over n items takes no time that grows with n²
    views        a function of items takes of views of arrays a few times what it takes of arrays, at most
    memory       what is computed of items on the way to a gradient needs no memory of its own, but for what is read
                 more than once and no open loop can keep: one array a gradient, on average

>>> [check.name for check in MACHINE_CODE][2:-1]
['machine-code-in-place', 'machine-code-views', 'machine-code-memory']
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from time import thread_time
from typing import Any

import numpy as np

from ccc.categories.exponentials import Delta
from ccc.laws.checks import Check, Judged
from ccc.laws.compiling import function_of, kept_function
from ccc.laws.economy import Text
from ccc.laws.equality import Difference
from ccc.laws.generate import Generator
from ccc.laws.program_targets import by_target
from ccc.laws.programs import Written, released
from ccc.laws.subjects import on_target
from ccc.laws.taylor import curvature, recurring, weighted

SMALL, LARGE, TIMES = 1_000, 16_000, 6.0
ROWS, OF_VIEWS = 150, 3.0
SEVERAL = 10


def quotients(g: Generator, names: tuple[str, ...], depth: int) -> str:
    """An expression that divides by what is never 0."""
    if depth <= 0:
        return g.pick(names)
    one, other = quotients(g, names, depth - 1), quotients(g, names, depth - 1)
    return g.pick((f"({one} + {other})", f"({one} * {other})", f"{one} / 2.0", f"{one} / a", f"abs({one} - {other})",
                   f"{one} / (1.0 + {other} * {other})", f"math.sin({one})"))


def _staying(g: Generator, i: int) -> Text:
    lines = [f"s = {quotients(g, ('a', 'b'), 2)}"]
    if g.chance(60):
        lines += ["for i in range(len(x)):", f"    s = s + {quotients(g, ('a', 's', 'x[i]'), 2)}"]
    lines.append(f"return s + np.sum({quotients(g, ('x', 'a', 'x'), 1).replace('math.', 'np.')})")
    return Text("import math\nimport numpy as np\ndef f(a, b, x):\n    " + "\n    ".join(lines) + "\n")


def _stays(comparison: Any, example: Text) -> Judged:
    f, args = kept_function(example.source), (2.0, 3.0, np.array([1.0, 0.5, 2.0]))
    try:
        found, _ = by_target(f, Delta(), args, "native")
    except NotImplementedError as error:
        return Judged(Difference("machine code leaves the program", args, None, str(error), "nothing"))
    expected = f(*args)
    same = bool(np.allclose(found, expected, rtol=1e-12, atol=0.0))
    return Judged(None if same else Difference("values differ", args, None, found, expected))


# -- items -----------------------------------------------------------------------------------------------------------

ONE = ("sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "arctan", "abs", "square", "negative", "reciprocal", "sign")
TWO = (
    "add", "subtract", "multiply", "divide", "power", "float_power", "maximum", "minimum", "hypot", "arctan2", "fmod",
    "floor_divide", "remainder", "logaddexp", "copysign",
)
FORMS = (("x", "y"), ("x", "a"), ("a", "x"), ("x", "2.0"), ("x", "y[:1]"), ("x", "0.5"))


def _items(g: Generator, i: int) -> Text:
    """Functions of NumPy's at two arrays, at an array and a number that is known or not, or at arrays of one item."""
    one, other = FORMS[i % len(FORMS)]
    found = [f"np.{name}({one}, {other}) * 1.0" for name in TWO]
    found += [f"np.{name}({one}) * 1.0" for name in ONE if one == "x" and other == "y"]
    return Text(f"import numpy as np\ndef f(a, x, y):\n    return ({', '.join(found)})\n")


def _by_items(comparison: Any, example: Text) -> Judged:
    f, g = kept_function(example.source), comparison.draw
    x, y = [np.array([float(1 + g.below(6)) / 2.0 for _ in range(5)]) for _ in range(2)]
    args = g.pick((0.5, 1.5, 2.0, 3.0)), x, y
    found, _ = by_target(f, Delta(), args, "native")
    for name, one, other in zip((*TWO, *ONE), found, f(*args), strict=False):
        if np.shape(one) != np.shape(other) or not np.allclose(one, other, rtol=1e-12, atol=1e-15):
            return Judged(Difference(f"np.{name} differs", args, None, one, other))
    return Judged()


# -- time ------------------------------------------------------------------------------------------------------------


def _looping(g: Generator, i: int) -> Text:
    """A loop over an array, of which it adds up what it reads, or writes to one of its own."""
    item = quotients(g, ("x[i]", "a", "x[i - 1]"), 2)
    ways = (
        ["s = a", "for i in range(1, len(x)):", f"    s = s + {item}", "return s"],
        ["y = np.zeros(len(x))", "for i in range(1, len(x)):", f"    y[i] = {item} + y[i - 1] / 2.0",
         "return np.sum(y * y)"],
        ["y = x * a", "for i in range(1, len(x)):", f"    y[i] += {item}", "return np.sum(y * y)"],
    )
    return Text("import math\nimport numpy as np\ndef f(x, a):\n    " + "\n    ".join(g.pick(ways)) + "\n")


def _in_time(comparison: Any, example: Text) -> Judged:
    from ccc.compile.api.transforms import gradient

    f, _ = function_of(example.source)
    code = gradient(f, wrt="x", backend="native")
    times = [_least(code, np.linspace(1.0, 2.0, n), 1.5) for n in (SMALL, LARGE)]
    released(f)
    most = TIMES * LARGE / SMALL * max(times[0], 1e-4)
    return Judged(None if times[1] <= most else Difference("time grows faster", (SMALL, LARGE), None, times[1], most))


def _least(code: Any, *args: Any) -> float:
    """The least time of the processor that a call takes, of nine; the first one compiles."""
    found: list[float] = []
    code(*args)
    for _ in range(9):
        start = thread_time()
        code(*args)
        found.append(thread_time() - start)
    return min(found)


VIEWS = "x.T", "x[::-1]", "x[k]", "x[:, k]", "x[::-1, ::-1]", "x[k].T", "np.roll(x, 1, axis=0)"
SLOW = "exp", "sin", "cos", "tanh", "log1p", "expm1"


def _viewing(g: Generator, i: int) -> Text:
    """A function of the items of an array and of a view of it."""
    item = f"np.{g.pick(SLOW)}(y * a)"
    if g.chance(50):
        item = f"np.{g.pick(SLOW)}({item}) + {g.pick(('y', 'a'))}"
    view = VIEWS[i % len(VIEWS)]
    return Text(f"import numpy as np\ndef f(x, k, a):\n    y = {view}\n    return {item}\n")


def _of_views(comparison: Any, example: Text) -> Judged:
    from ccc.compile.api.transforms import compiled

    x, k = np.linspace(0.1, 1.0, ROWS * ROWS).reshape(ROWS, ROWS), np.arange(ROWS)[::-1].copy()
    times: list[float] = []
    for source in re.sub("y = .*", "y = x", example.source), example.source:
        f, _ = function_of(source)
        times.append(_least(compiled(f, backend="native"), x, k, 0.5))
        released(f)
    plain, viewed = times
    most = OF_VIEWS * plain
    return Judged(None if viewed <= most else Difference("of a view it takes longer", ROWS, None, viewed, most))


# -- memory ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sums(Text):
    """The sum over items of their product, and sums of several functions of them."""

    others: tuple[str, ...] = ()

    def named(self) -> list[tuple[str, Any]]:
        """The texts of the functions."""
        return [(f"f{i}", text.rstrip()) for i, text in enumerate(self.others)]


def _items_of(g: Generator, depth: int) -> str:
    if depth <= 0:
        return g.pick(("x", "y", "a", "x"))
    one, other = _items_of(g, depth - 1), _items_of(g, depth - 1)
    return g.pick((f"({one} + {other})", f"({one} * {other})", f"({one} - {other})", f"np.{g.pick(SLOW)}({one})"))


def _summed(g: Generator, i: int) -> Sums:
    text = "import numpy as np\ndef f(x, y, a):\n    return np.sum({})\n"
    return Sums(text.format("x * y * a"), tuple([text.format(f"x * y * {_items_of(g, 3)}") for _ in range(SEVERAL)]))


def _requests(source: str) -> int:
    """At how many places the code for a gradient asks for memory."""
    from ccc.compile.frontend.elaborate import elaborate
    from ccc.compile.native.target import lowered
    from ccc.compile.passes.improve import improve
    from ccc.compile.terms.plan import Plan, derived

    f, args = function_of(source)[0], (np.ones(5), np.ones(5), 2.0)
    program = derived(Plan("gradient", (0,), Delta()), elaborate(f, args).program)
    improve(program)
    found = lowered(program, False, args).text.count("@ccc_alloc(")
    released(f)
    return found


def _between(comparison: Any, example: Sums) -> Judged:
    least, found = _requests(example.source), list(map(_requests, example.others))
    wrong = sum(n - least for n in found) > SEVERAL
    return Judged(Difference("they ask for more memory", example.source, None, found, least) if wrong else None)


# -- second derivatives ----------------------------------------------------------------------------------------------


def _second(comparison: Any, example: Written) -> Judged:
    """<v, H v> by the gradient of a gradient, both in one program in machine code."""
    h = kept_function(f"import numpy as np\n{weighted(example.source)}", "h")
    expected = curvature(h, example)
    a, b, x = [f"np.array({v.tolist()})" if isinstance(v, np.ndarray) else repr(v) for v in example.tangents]
    text = (f"import ccc\nimport numpy as np\n{weighted(example.source)}\n"
            "slope = ccc.gradient(h, wrt=('a', 'b', 'x'))\n\ndef k(a, b, x, n):\n    p, q, r = slope(a, b, x, n)\n"
            f"    return p * {a} + q * {b} + np.sum(r * {x})\n")
    k, _ = function_of(text, "k")
    try:
        value, pull = by_target(k, Delta(), example.args, "native")
    finally:
        released(k)
    cts = pull(type(value)(1.0))
    found = sum(float(np.sum(ct * v)) for ct, v in zip(cts, example.tangents, strict=False))
    return Judged(None if found == expected else Difference("<v, H v> differs", example.args, None, found, expected))


MACHINE_CODE: tuple[Check, ...] = (
    Check("machine-code-stays", "programs", "machine code leaves nothing of arithmetic that raises nothing", _staying,
          _stays, applies=on_target("values", "native"), share=0.03, weight=20.0),
    Check("elementwise-machine-code", "programs", "f of items in machine code = f of NumPy", _items, _by_items,
          applies=on_target("values", "native"), share=0.03, weight=40.0),
    Check("machine-code-in-place", "costs", "gradients of loops over n items take no time that grows with n²",
          _looping, _in_time, applies=on_target("values", "native"), share=0.01, weight=40.0),
    Check("machine-code-views", "programs", "f of items takes of a view at most three times what it takes of an array",
          _viewing, _of_views, applies=on_target("values", "native"), share=0.01, weight=40.0),
    Check("machine-code-memory", "programs", "gradients of sums over items keep one array each at most, on average",
          _summed, _between, applies=on_target("values", "native"), share=0.02, weight=20.0),
    Check("program-second-machine-code", "programs", "<v, H v> by machine code = that of plain Python, f calls itself",
          lambda g, i: recurring(g, 1), _second, applies=on_target("values", "native"), share=0.02, weight=40.0),
)
