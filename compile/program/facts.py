"""What is known of a program: value numbers and the shapes of values, found when first asked for, and kept.

A variable has one value as long as a program has the variable: passes let other variables stand for it, or other lets
compute it, so what is known of it stays true, and pass after pass asks for it. Who looks for what is equal by now asks
anew: a program in which one variable stands for two says more. Of the lets that a pass adds nothing is known, so behind
one that adds some what is known is forgotten.
"""

from __future__ import annotations

from ccc.compile.program.lam import Program
from ccc.compile.program.numbering import Numbering
from ccc.compile.program.shapes import Shapes


def shapes_of(program: Program) -> Shapes:
    """The shapes of the values of a program, with the numbers that they are found for."""
    found = program.facts
    return found if isinstance(found, Shapes) else shapes_now(program)


def shapes_now(program: Program) -> Shapes:
    """The same, found from the program as it is now."""
    found = program.facts = Shapes(program, Numbering(program.block))
    return found


def forget(program: Program) -> None:
    """What is known of a program is looked for anew."""
    program.facts = None
