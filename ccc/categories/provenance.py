"""Provenance: reverse mode in which a cotangent is an element of a lattice, or of any commutative monoid.

    a primitive   what is asked of its result is asked of all numbers that it was computed from     g |-> (g, ..., g)
    two uses      what both ask for, together                                                      g + h

With sets of labels and their union it is which results a number went into, with numbers and their sum in how many ways.
A branch asks for what its arm asks for; tests ask for nothing, as derivatives do not. All else is reverse mode's, under
any exponential.

>>> import ccc
>>> value, asks = Provenance().behind(ccc.arrow(lambda x, y: (x * y, y + 1.0), 3.0, 4.0), (3.0, 4.0))
>>> value, asks((Labels("first"), Labels("second")))
((12.0, 5.0), (Labels('first'), Labels('first', 'second')))

Reference: R. Atkey, R. Perera, *Galois Slicing as Automatic Differentiation* (2025).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ccc.additive import ZERO, Components, Zero, dense, is_zero, parts, total
from ccc.arrows import Arrow, Prim, functor
from ccc.categories.functions import arguments
from ccc.categories.layered import STILL
from ccc.categories.reverse import Lifted, Pullback, Reverse
from ccc.errors import MissingMeaning
from ccc.objects import Array, List, Map, Object, Product, is_discrete


class Labels:
    """A set of labels; + is union.

    >>> Labels("a") + Labels("b", "a") == Labels("a", "b")
    True
    """

    __slots__ = ("of",)

    def __init__(self, *of: Any) -> None:
        self.of = frozenset(of)

    def __add__(self, other: Labels) -> Labels:
        return Labels(*(self.of | other.of))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Labels) and self.of == other.of

    def __hash__(self) -> int:
        return hash(self.of)

    def __repr__(self) -> str:
        return f"Labels({', '.join(sorted(map(repr, self.of)))})"


class Provenance(Reverse):
    """Functions with pullbacks of elements of any commutative monoid: numbers, `Labels`, or what else has a +.

    >>> import ccc
    >>> def total(rows, wanted):
    ...     return sum([n for label, n in rows if label == wanted])
    >>> rows = [(1, 10.0), (2, 20.0), (1, 30.0)]
    >>> value, asks = Provenance().behind(ccc.arrow(total, rows, 1), (rows, 1))
    >>> value, asks(Labels("sum"))[0]
    (40.0, [(None, Labels('sum')), (None, None), (None, Labels('sum'))])

    Raises `MissingMeaning` at the place of a primitive that takes or gives arrays.
    """

    differentiates = False

    def behind(self, term: Arrow, x: Any) -> tuple[Any, Callable[[Any], Any]]:
        """The value of a term, and what all numbers in its argument are asked where something is asked of the value.

        >>> import ccc
        >>> value, asks = Provenance().behind(ccc.arrow(lambda xs: (xs[0] * xs[1], xs[1]), [2.0, 3.0]), [2.0, 3.0])
        >>> value, asks((1.0, 1.0)), asks((1.0, None))
        ((6.0, 3.0), [1.0, 2.0], [1.0, 1.0])

        What is asked has the structure of the value, and the answer that of the argument, with None where nothing is.
        Raises `MissingMeaning` where there are arrays.
        """
        y, pullback = functor(self, term)(x)
        return y, lambda ct: answer(pullback(question(ct)), x)

    def primitive(self, term: Prim) -> Lifted:
        p, params, dom = term.primitive, dict(term.params), term.dom
        domains = arguments(dom.parts if isinstance(dom, Product) else dom, dom)
        skipped = [is_discrete(a) or i in p.sizes for i, a in enumerate(domains)]
        if not (all(skipped) or is_discrete(term.cod)) and any(map(has_arrays, (*domains, term.cod))):
            raise MissingMeaning(f"`{type(self).__name__}` does not say what `{p.name}` asks of the items of arrays",
                                 "take lists of numbers, or ccc.Dependence; to add it, give a class derived from it "
                                 "a `primitive`").at(term.label.span)
        if p.work in STILL:
            return super().primitive(term)

        def of_program(x: Any) -> tuple[Any, Pullback]:
            return functor(self, p.program.body)(x)

        def lifted(x: Any) -> tuple[Any, Pullback]:
            xs = arguments(x, dom)

            def asked(ct: Any) -> Any:
                everything = total(leaves(ct))
                if is_zero(everything):
                    return ZERO
                cts = [ZERO if skip else everywhere(everything, a) for skip, a in zip(skipped, xs, strict=True)]
                return tuple(cts) if isinstance(dom, Product) else cts[0]

            return self.base.apply(p, xs, params, term.label), asked

        return lifted if p.program is None or len(p.program.results) > 1 else of_program


def question(ct: Any) -> Any:
    """What is asked, as a cotangent: None asks for nothing.

    >>> question((None, [Labels(1)]))
    (ZERO, [Labels(1)])
    """
    if isinstance(ct, tuple | list):
        return type(ct)(map(question, ct))  # type: ignore[reportUnknownVariableType]
    return ZERO if ct is None else ct


def answer(ct: Any, x: Any) -> Any:
    """A cotangent of a value in the structure of that, with None for zeros.

    >>> answer(Components(2, {0: ZERO}), (1.0, [2.0]))
    (None, [None])
    """
    ct = dense(ct)
    if isinstance(x, tuple):
        cts = parts(ZERO if ct is None else ct, len(x))  # type: ignore[reportUnknownArgumentType]
        return tuple(map(answer, cts, x))  # type: ignore[reportUnknownArgumentType]
    if isinstance(x, list):
        return [answer(part, of) for part, of in zip(ct if isinstance(ct, list) else [ZERO] * len(x), x, strict=True)]  # type: ignore[reportUnknownArgumentType]
    return None if isinstance(ct, Zero) else ct


def has_arrays(a: Object) -> bool:
    """Whether there is an array in a value of the object.

    >>> from ccc.objects import REAL
    >>> has_arrays(List(Product((REAL, Array("float64", ("3",)))))), has_arrays(List(REAL))
    (True, False)
    """
    if isinstance(a, Product):
        return any(map(has_arrays, a.parts))
    return has_arrays(a.item) if isinstance(a, List | Map) else isinstance(a, Array)


def leaves(ct: Any) -> Iterable[Any]:
    """The elements of the monoid in a cotangent.

    >>> list(leaves((Labels(1), [Labels(2), ZERO])))
    [Labels(1), Labels(2)]
    """
    ct = dense(ct)
    if isinstance(ct, Components):
        ct = tuple(ct.entries.values())
    if isinstance(ct, dict):
        ct = tuple(ct.values())  # type: ignore[reportUnknownVariableType]
    if isinstance(ct, tuple | list):
        return [leaf for part in ct for leaf in leaves(part)]  # type: ignore[reportUnknownVariableType]
    return [] if ct is None or isinstance(ct, Zero) else [ct]


def everywhere(ct: Any, x: Any) -> Any:
    """A cotangent of a value that is the same at all numbers in it.

    >>> everywhere(Labels(1), [(2.0, 3.0)])
    [(Labels(1), Labels(1))]
    """
    if isinstance(x, tuple):
        return tuple([everywhere(ct, part) for part in x])  # type: ignore[reportUnknownVariableType]
    if isinstance(x, list):
        return [everywhere(ct, part) for part in x]  # type: ignore[reportUnknownVariableType]
    return ct
