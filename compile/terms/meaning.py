"""The meaning of a program in any pointwise category, as a program.

    program : A => B, category K        K.of(A) |-> K.of(B)

Its term is read in the category on staged values and read back, so pairs and functions of the category are gone.

>>> from ccc.categories.forward import Forward
>>> from ccc.compile.frontend.elaborate import program_of
>>> from ccc.compile.program.pretty import program_text
>>> print(program_text(meaning(program_of(lambda x: x * x, (3.0,)), Forward())))
λ (x_0:R, x_1:R).
  t = x_0 * x_0
  t2 = x_1 * x_0
  t3 = t2 + t2
  (t, t3)
"""

from __future__ import annotations

from ccc.additive import dense
from ccc.categories.pointwise import Pointwise
from ccc.compile.program.lam import Program, Tree
from ccc.compile.terms.derive import Recording
from ccc.compile.terms.staged_recursion import leaves_at, value_at
from ccc.compile.terms.staging import Staging
from ccc.objects import Object, Product


def meaning(program: Program, category: Pointwise) -> Program:
    """The program of what a program means in a category, from what stands there for its argument, all parameters in a
    tuple where there are several.

    Raises `CannotStage` where a function is chosen at run time.
    """
    r = Recording(program)
    x = parameter(r.staging, "x", category.of(r.term.dom))
    cod = category.of(r.term.cod)
    found = [r.staging.settled(dense(leaf), leaf) for leaf in leaves_at(cod, r.read(category, x))]
    return r.finished("meaning", value_at(cod, iter(found)), [("x", x)])


def parameter(staging: Staging, name: str, a: Object) -> Tree:
    """A parameter of an object, a product as a tuple."""
    if isinstance(a, Product):
        return tuple([parameter(staging, f"{name}_{i}", part) for i, part in enumerate(a.parts)])
    return staging.param(staging.block, name, a)
