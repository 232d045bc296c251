r"""Terms as formulas in LaTeX: `f ; g` is first f, then g, and a fork is in angle brackets.

>>> from ccc.arrows import Prim, Prod, Proj
>>> from ccc.objects import REAL, Product
>>> from ccc.primitives.arithmetic import mul
>>> pair = Product((REAL, REAL))
>>> print(formula(Prod((Proj(pair, 1), Proj(pair, 0))) >> Prim(mul, pair, REAL)))
\langle \pi_{2}, \pi_{1} \rangle \mathbin{;} \mathrm{mult} : (\mathbb{R}, \mathbb{R}) \Rightarrow \mathbb{R}

References: J. Lambek and P. Scott, *Introduction to higher order categorical logic*, part I.
"""

from __future__ import annotations

from ccc.arrows import Arrow, Const, Curry, Fix, Prim, Scan, Unfold
from ccc.denotation import functor
from ccc.objects import Bool, Exponential, Int, List, Object, Product, Real, Record
from ccc.show.text import ON_THE_BOARD, literal

SPECIAL = {
    "\\": r"\backslash ", "_": r"\_", "{": r"\{", "}": r"\}", "%": r"\%", "#": r"\#", "$": r"\$", "&": r"\&",
    "^": r"\hat{}", "~": r"\sim ",
}  # fmt: skip


def formula(arrow: Arrow) -> str:
    """The term and its type as LaTeX for mathematics, without the dollars."""
    return f"{functor(Formulas(), arrow)} : {written(arrow.dom)} \\Rightarrow {written(arrow.cod)}"


def roman(text: str) -> str:
    r"""A name in upright letters.

    >>> print(roman("proj_left"))
    \mathrm{proj\_left}
    """
    return rf"\mathrm{{{''.join([SPECIAL.get(c, c) for c in text])}}}"


def written(a: Object) -> str:
    r"""An object as LaTeX.

    >>> from ccc.objects import REAL
    >>> print(written(Exponential(REAL, List(REAL))))
    (\mathbb{R} \Rightarrow [\mathbb{R}])
    """
    if isinstance(a, Real):
        return r"\mathbb{R}" + ("" if a.kind == "float" else f"_{{{roman(a.kind)}}}")
    if isinstance(a, Int):
        return r"\mathbb{Z}" + ("" if a.kind == "int" else f"_{{{roman(a.kind)}}}")
    if isinstance(a, Bool):
        return r"\mathbb{B}"
    if isinstance(a, Product) and not isinstance(a, Record):
        return f"({', '.join(map(written, a.parts))})" if a.parts else "1"
    if isinstance(a, Exponential):
        return rf"({written(a.dom)} \Rightarrow {written(a.cod)})"
    if isinstance(a, List):
        return f"[{written(a.item)}]"
    return roman(str(a))


def _call(name: str, *arguments: str) -> str:
    return rf"{roman(name)}({', '.join(arguments)})"


class Formulas:
    """The category whose arrows are formulas."""

    def identity(self, a: Object) -> str:
        return r"\mathrm{id}"

    def terminal(self, a: Object) -> str:
        return "{!}"

    def compose(self, *arrows: str) -> str:
        return r" \mathbin{;} ".join(arrows)

    def prod(self, *arrows: str) -> str:
        return rf"\langle {', '.join(arrows)} \rangle"

    def proj(self, a: Product, index: int) -> str:
        return rf"\pi_{{{index + 1}}}"

    def eval(self, function: Exponential) -> str:
        return r"\mathrm{eval}"

    def const(self, term: Const) -> str:
        return rf"\underline{{{roman(literal(term.value, term.cod))}}}"

    def primitive(self, term: Prim) -> str:
        name: str = term.primitive.name
        given = ", ".join(f"{key}={literal(value, None)}" for key, value in term.params)
        return roman(ON_THE_BOARD.get(name, name)) + (f"_{{{roman(given)}}}" if given else "")

    def metavariable(self, name: str) -> str:
        """An arrow of a law, which is shown by its name."""
        return name

    def curry(self, body: str, term: Curry) -> str:
        return _call("curry", body)

    def cond(self, *arrows: str) -> str:
        return _call("cond", *arrows)

    def iterate(self, *arrows: str) -> str:
        return _call("iterate", *arrows)

    def unfold(self, test: str, body: str, term: Unfold) -> str:
        return _call("unfold", test, body)

    def scan(self, body: str, term: Scan) -> str:
        return _call("scan_reverse" if term.reverse else "scan", body)

    def fix(self, body: str, term: Fix) -> str:
        return _call("fix", body)
