"""The compiler's own passes, over terms: staging, reading back and emission, forward and with derivatives.

    staged f        the term of the program that records `f`                           = f
    derivative f    the term of the program that records the pullback of `f`           = (x, ct) |-> pb ct
    emitted p       the Python function of a program                                   = p

>>> from ccc.laws.generate import PAIR
>>> from ccc.combinators import primitive
>>> from ccc.primitives.arithmetic import mul
>>> from ccc.categories.exponentials import Delta
>>> product = primitive(mul, NUMBER, NUMBER)
>>> print(staged(product), "|", derivative(product, Delta()).dom)
mult | ((R[fraction], R[fraction]), R[fraction])
>>> from fractions import Fraction
>>> emitted(program_of(product))((Fraction(2), Fraction(3)))
Fraction(6, 1)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ccc.additive import ZERO, parts
from ccc.arrows import Arrow, Label
from ccc.categories.functions import Functions
from ccc.categories.reverse import Reverse
from ccc.compile.numpy_source.emit import Emitter
from ccc.compile.numpy_source.numpy_target import load
from ccc.compile.passes.improve import improve
from ccc.compile.program.lam import Program, Tree, VarTree
from ccc.compile.terms.abstract import abstract
from ccc.compile.terms.derive import leaf_for
from ccc.compile.terms.readback import finished
from ccc.compile.terms.staging import Staging
from ccc.denotation import functor
from ccc.errors import CannotStage
from ccc.laws.generate import NUMBER, inside
from ccc.objects import Object, Product, Real, is_discrete


class Recording:
    """A staging with the domain of an arrow as its parameters."""

    def __init__(self, arrow: Arrow, staging: Callable[[bool], Staging] = Staging) -> None:
        exact = any(a == Real("fraction") for a in inside(arrow.dom)) or NUMBER in inside(arrow.cod)
        self.staging = staging(exact)
        self.arrow = arrow
        self.x = self.fresh("x", arrow.dom)

    def fresh(self, name: str, a: Object) -> VarTree:
        """New parameters for the components of an object."""
        if isinstance(a, Product):
            return tuple([self.fresh(f"{name}{i}", part) for i, part in enumerate(a.parts)])
        return self.staging.param(self.staging.block, name, a)

    def seed(self, a: Object) -> VarTree:
        """New parameters for the cotangent of a value of `a`, None where it is discrete."""
        if isinstance(a, Product):
            return tuple([self.seed(part) for part in a.parts])
        return None if is_discrete(a) else self.staging.param(self.staging.block, "ct", a)

    def program(self, name: str, params: list[tuple[str, VarTree]], result: Any) -> Program:
        return finished(name, params, self.staging.block, self.atoms(result))

    def atoms(self, tree: Any) -> Tree:
        if isinstance(tree, tuple):
            return tuple([self.atoms(part) for part in tree])
        return None if tree is None else self.staging.atom(tree)

    def received(self, ct: Any, x: Tree) -> Tree:
        """A cotangent with numbers for its zeros."""
        if isinstance(x, tuple):
            return tuple([self.received(c, part) for c, part in zip(parts(ct, len(x)), x, strict=True)])
        return leaf_for(self, ct, x)  # type: ignore[arg-type]


class Unsimplified(Staging):
    """A staging that records every operation, also what it could compute at once."""

    def apply(self, primitive: Any, args: tuple[Any, ...], params: dict[str, Any], label: Any) -> Any:
        return super().apply(primitive, args, params, label or Label())


def program_of(arrow: Arrow, staging: Callable[[bool], Staging] = Staging) -> Program:
    """The program that records an arrow between first-order objects.

    Raises `CannotStage` where a function is chosen at run time.
    """
    r = Recording(arrow, staging)
    return r.program("f", [("x", r.x)], functor(Functions(r.staging), arrow)(r.x))


def staged(arrow: Arrow) -> Arrow:
    """The arrow recorded, read back and abstracted again."""
    return abstract(program_of(arrow))


def unsimplified(arrow: Arrow) -> Arrow:
    """The same without simplification."""
    return abstract(program_of(arrow, Unsimplified))


def irredundant(arrow: Arrow) -> Arrow:
    """The arrow recorded and rewritten so that nothing is computed twice, or for nothing."""
    return abstract(rewritten(program_of(arrow)))


def rewritten(program: Program) -> Program:
    """The program that computes nothing twice and keeps nothing that is cheap to compute."""
    improve(program, staged=False)
    return program


def derivative_program(
    arrow: Arrow, exponential: Any, staging: Callable[[bool], Staging] = Staging
) -> Program:
    """The program `(x, ct) |-> pb ct` of an arrow between first-order objects; where a branch chooses a function, of
    the term that is `staged` first, which has none."""
    try:
        return _derivative_program(arrow, exponential, staging)
    except CannotStage:
        return _derivative_program(staged(arrow), exponential, staging)


def _derivative_program(arrow: Arrow, exponential: Any, staging: Callable[[bool], Staging]) -> Program:
    r = Recording(arrow, staging)
    _, pb = functor(Reverse(exponential, r.staging), arrow)(r.x)
    seed = r.seed(arrow.cod)
    r.staging.adjoint = True
    return r.program("f_pullback", [("x", r.x), ("ct", seed)], r.received(pb(_zeros(seed)), r.x))


def derivative(arrow: Arrow, exponential: Any) -> Arrow:
    """The pullback of an arrow as an arrow `(x, ct) |-> pb ct`."""
    return abstract(derivative_program(arrow, exponential))


def emitted(program: Program) -> Any:
    """The Python function that the back end makes of a program."""
    return load(Emitter(program).emitted())


def _zeros(seed: Tree) -> Any:
    if isinstance(seed, tuple):
        return tuple(map(_zeros, seed))
    return ZERO if seed is None else seed

