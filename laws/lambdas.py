"""Arrows as Python: the category of expressions, in which a counterexample is shown.

    id  is  lambda x: x        prod(f, g)  is a pair        curry f  is a lambda        f ; eval  is a call

>>> from ccc.laws.generate import NUMBER, PAIR
>>> from ccc.combinators import curry, primitive
>>> from ccc.primitives.arithmetic import mul
>>> print(python(primitive(mul, NUMBER, NUMBER)))
lambda x, y: x * y
>>> print(python(curry(primitive(mul, NUMBER, NUMBER))))
lambda x: lambda s: x * s
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from ccc.arrows import Arrow, Const, Curry, Fix, Prim, Scan, Unfold
from ccc.denotation import functor
from ccc.objects import Exponential, Object, Product

Written = Callable[[Any], Any]
LONGEST = 1500


class Expressions:
    """The category whose arrows take expressions to expressions; a pair of expressions is a tuple."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}

    def fresh(self, name: str) -> str:
        n = self.names[name] = self.names.get(name, 0) + 1
        return name if n == 1 else f"{name}{n}"

    def identity(self, a: Object) -> Written:
        return lambda x: x

    def compose(self, *arrows: Written) -> Written:
        def composite(x: Any) -> Any:
            for f in arrows:
                x = f(x)
            return x

        return composite

    def terminal(self, a: Object) -> Written:
        return lambda x: ()

    def prod(self, *arrows: Written) -> Written:
        return lambda x: tuple([f(x) for f in arrows])

    def proj(self, a: Product, index: int) -> Written:
        return lambda x: x[index] if isinstance(x, tuple) else f"{_tight(x)}[{index}]"

    def curry(self, body: Written, term: Curry) -> Written:
        def closure(t: Any) -> str:
            s = self.fresh("s")
            return f"lambda {s}: {text(body((t, s)))}"

        return closure

    def eval(self, function: Exponential) -> Written:
        def applied(x: Any) -> str:
            f, s = x if isinstance(x, tuple) else (f"{_tight(x)}[0]", f"{_tight(x)}[1]")
            return f"{_tight(f)}({text(s)})"

        return applied

    def const(self, term: Const) -> Written:
        return lambda x: literal(term.value)

    def primitive(self, term: Prim) -> Written:
        p, params = term.primitive, dict(term.params)

        def applied(x: Any) -> str:
            xs = x if isinstance(term.dom, Product) else (x,)
            if not isinstance(xs, tuple):
                xs = [f"{_tight(xs)}[{i}]" for i in range(len(term.dom.parts))]  # type: ignore[attr-defined]
            atoms = [_tight(part) for part in xs]
            return p.source.format(*atoms) if isinstance(p.source, str) else p.source(*atoms, **params)

        return applied

    def cond(self, test: Written, then: Written, orelse: Written) -> Written:
        return lambda x: f"({_whole(then(x))} if {_whole(test(x))} else {_whole(orelse(x))})"

    def iterate(self, test: Written, body: Written) -> Written:
        return self.loop("iterate", test, body)

    def unfold(self, test: Written, body: Written, term: Unfold) -> Written:
        return self.loop("unfold", test, body)

    def loop(self, verb: str, test: Written, body: Written) -> Written:
        def written(x: Any) -> str:
            g, init = _two(x)
            s = self.fresh("s")
            return f"{verb}(lambda {s}: {text(test((g, s)))}, lambda {s}: {text(body((g, s)))}, {text(init)})"

        return written

    def scan(self, body: Written, term: Scan) -> Written:
        verb = "scan_reverse" if term.reverse else "scan"

        def loop(x: Any) -> str:
            g, init, lists = x if isinstance(x, tuple) else [f"{_tight(x)}[{i}]" for i in range(3)]
            s, e = self.fresh("s"), self.fresh("e")
            return f"{verb}(lambda {s}, {e}: {text(body((g, s, e)))}, {text(init)}, {text(lists)})"

        return loop

    def fix(self, body: Written, term: Fix) -> Written:
        def knot(t: Any) -> str:
            f, s = self.fresh("rec"), self.fresh("s")
            return f"fix(lambda {f}: lambda {s}: {text(body(((t, f), s)))})"

        return knot

    def metavariable(self, name: str) -> Written:
        return lambda x: f"{name}({text(x)})"


def _two(x: Any) -> tuple[Any, Any]:
    return x if isinstance(x, tuple) else (f"{_tight(x)}[0]", f"{_tight(x)}[1]")


def text(x: Any) -> str:
    """An expression or a tuple of them as source.

    >>> text(("x", ("y",)))
    '(x, (y,))'
    """
    if isinstance(x, tuple):
        return f"({', '.join(map(text, x))}{',' if len(x) == 1 else ''})"
    return x


def _whole(x: Any) -> str:
    """An expression that can stand in a conditional one."""
    found = text(x)
    return f"({found})" if found.startswith("lambda") else found


def _tight(x: Any) -> str:
    """An expression that can stand beside an operator or before a call."""
    found = text(x)
    plain = found.replace(".", "").replace("_", "").isalnum() or (found.startswith("(") and _closes_last(found))
    call = found[:1].isalpha() and found.endswith((")", "]")) and not found.startswith("lambda") and _one_call(found)
    return found if plain or call else f"({found})"


def _closes_last(found: str) -> bool:
    """True where the first parenthesis is closed by the last character."""
    depth = 0
    for i, c in enumerate(found):
        depth += (c in "([") - (c in ")]")
        if depth == 0:
            return i == len(found) - 1
    return False


def _one_call(found: str) -> bool:
    """True for a name with calls and indices and nothing else outside of brackets."""
    depth = 0
    for c in found:
        depth += (c in "([") - (c in ")]")
        if depth == 0 and not (c.isalnum() or c in "_.)]"):
            return False
    return True


def literal(value: Any) -> str:
    """A constant as source: a rational as an integer where it is one.

    >>> literal((Fraction(3), Fraction(1, 2), True))
    '(3, Fraction(1, 2), True)'
    """
    if isinstance(value, tuple):
        return text(tuple(map(literal, value)))
    if isinstance(value, Fraction):
        return str(value) if value.denominator == 1 else repr(value)
    return repr(value)


def python(arrow: Arrow) -> str:
    """The arrow as a Python lambda; the term of the board where that would be very long.

    >>> from ccc.laws.generate import FUNCTION
    >>> from ccc.arrows import Eval
    >>> print(python(Eval(FUNCTION)))
    lambda x, y: x(y)
    """
    dom = arrow.dom
    parts = dom.parts if isinstance(dom, Product) else (dom,)
    names = ("x", "y", "z", *[f"x{i}" for i in range(3, len(parts))])[: len(parts)]
    x: Any = tuple(names) if isinstance(dom, Product) else names[0]
    try:
        body = text(functor(Expressions(), arrow)(x))
    except NotImplementedError:
        return str(arrow)
    found = f"lambda {', '.join(names)}: {body}".replace("lambda :", "lambda:")
    return found if len(found) <= LONGEST else str(arrow)
