"""What a law is: an equation between arrows that holds for all arrows of the stated types.

>>> from ccc.theory.products import SWAP
>>> print(SWAP)
prod-swap: prod(f, g) ; swap = prod(g, f)
>>> left, right = SWAP.pattern()
>>> print(left, ":", left.dom, "to", left.cod)
prod(f, g) o prod(proj_right, proj_left) : X to (B, A)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ccc.arrows import Arrow, Chain, Const
from ccc.objects import UNIT, Object, Product, Real

Sides = tuple[Arrow, Arrow]
EXPONENTIALS = ("AdditiveMap", "Delta", "AnyDerivative")


@dataclass(frozen=True, slots=True, repr=False)
class Variable(Object):
    """An object of which a law says nothing, or, where `first_order`, only that no function is inside."""

    name: str
    first_order: bool = False

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, repr=False)
class Metavariable(Arrow):
    """An arrow of which a law says nothing but its type."""

    name: str
    dom: Object
    cod: Object

    def into(self, k: Any, *children: Any) -> Any:
        if not hasattr(k, "metavariable"):
            raise NotImplementedError(f"the arrow {self.name} of a law stands for any arrow; instantiate the law")
        return k.metavariable(self.name)


@dataclass(frozen=True, slots=True)
class Law:
    """An equation between arrows that holds for all arrows of the stated types.

    `sides` builds both sides from arrows of these types; `constants` are of first-order objects and come after the
    arrows. `strict` names the exponentials under which the law is strict; under the others it holds
    up to ≅.

    >>> from ccc.theory.products import SWAP
    >>> SWAP.name, SWAP.statement
    ('prod-swap', 'prod(f, g) ; swap = prod(g, f)')
    """

    name: str
    statement: str
    arrows: tuple[tuple[str, Object, Object], ...]
    sides: Callable[..., Sides]
    strict: frozenset[str] = frozenset(EXPONENTIALS)
    constants: tuple[tuple[str, Object], ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.statement}"

    def pattern(self) -> Sides:
        """Both sides with metavariables for the arrows, in which a rewriter reads the law."""
        arrows = [Metavariable(arrow, dom, cod) for arrow, dom, cod in self.arrows]
        return self.sides(*arrows, *[Const(UNIT, constant, a) for constant, a in self.constants])


T, S, R, U = Variable("T"), Variable("S"), Variable("R"), Variable("U")
X, A, B, C = Variable("X"), Variable("A"), Variable("B"), Variable("C")
FO = Variable("F", first_order=True)
NUMBER = Real("fraction")
UP_TO_OBSERVATION = frozenset({"AdditiveMap"})


def pair(a: Object, b: Object) -> Product:
    """The binary product.

    >>> print(pair(T, S))
    (T, S)
    """
    return Product((a, b))


def then(f: Arrow, g: Arrow) -> Arrow:
    """The composite exactly as written: neither flattened nor freed of identities, as the category laws need it."""
    return Chain((f, g))
