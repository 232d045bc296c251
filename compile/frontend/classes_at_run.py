"""Questions for the class of a number that are answered when the program runs.

    y = 10 ** n                    an int, or a float where n is negative
    z = x ** 0.5                   a float, or a complex number where x is negative
    isinstance(y, int)             asked of y itself

A power of Python's has one type in a program, and a value of the class that Python gives it. So whoever asks for the
class of what may come from such a power asks the value. Which questions these are shows when a function has been read,
since a loop may give a name what it computes further down; it is read again then. Whether an item of a list is an int
cannot be asked where ints became reals to stand beside some.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.generators import site_of
from ccc.compile.frontend.interrupts import InTurn
from ccc.compile.frontend.values import Frame
from ccc.compile.program.lam import Apply, Atom, BlockKind, Lambda, Let, Lit, Var, joined_from, lets_in
from ccc.compile.program.ranges import not_negative
from ccc.errors import CCCError
from ccc.objects import BOOL, INT, REAL, Bool, Int, List, Map, Object, Product, Real
from ccc.primitives import arithmetic
from ccc.primitives.domains import OF_PYTHON
from ccc.primitives.primitive import Primitive

AT_RUN = "class at run"
NUMBERS = OF_PYTHON - {"bool", "fraction"}


def at_run(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> bool:
    """Whether the class of a value is asked when the program runs; that it is asked is noted."""
    if not isinstance(value, Var) or not is_of_python(value.object):
        return False
    asked = (AT_RUN, site_of(node, frame))
    if asked not in e.in_turn:
        e.class_questions.append((value, asked))
        return False
    return not sure(e, value)


def refuse_made(e: Elaboration, value: Any, node: ast.AST, frame: Frame) -> None:
    """Note that a value is asked whether it is an int, which an item of a list with reals that was one is no more."""
    if isinstance(value, Var) and isinstance(value.object, Real) and value.object.kind in NUMBERS:
        e.kept_classes.append((value, e.place(node, frame)))


def settle(e: Elaboration) -> None:
    """Have a function read again that asks for the class of a number which is not what its type says. Raises
    `InTurn`."""
    for value, place in e.kept_classes if e.makes_reals else ():
        if any(isinstance(var.object, (List, Map)) for var in behind(e, value)):
            raise unsupported("CC003", "whether this item was an int is not known: ints beside floats are floats",
                              place, help="make floats of all of them, or keep what they are beside them")
    if not e.class_questions or not any(map(depends, lets_in(e.top))):
        return
    for value, asked in e.class_questions:
        if not sure(e, value):
            raise InTurn(asked)


def is_of_python(a: Object) -> bool:
    """Whether it is the type of Python's own numbers."""
    return isinstance(a, (Int, Real)) and a.kind in NUMBERS


def depends(let: Let) -> bool:
    """Whether it computes a power whose class depends on the sign of an argument."""
    if not isinstance(let.op, Apply) or let.op.primitive is not arithmetic.power:
        return False
    base, exponent = let.args
    if not all(is_of_python(x.object) or isinstance(x.object, Bool) for x in (base, exponent)):
        return False
    if not isinstance(exponent.object, Real):
        return not isinstance(base.object, Real) and not not_negative(exponent)
    whole = isinstance(exponent, Lit) and float(exponent.value).is_integer()
    return not whole and not not_negative(base)


HOLDING = (Bool, Int, List, Map, Product, Real)


def sure(e: Elaboration, value: Var) -> bool:
    """Whether a number surely has the class that its type says: no such power leads to it."""
    return not any(map(is_open, behind(e, value)))


def is_given(var: Var) -> bool:
    """Whether it is a parameter of a whole program."""
    return var.definition is None and var.home is not None and var.home.kind is BlockKind.TOP


def is_open(var: Var) -> bool:
    """Whether the class of a variable depends on a sign, or nothing is known of it."""
    let = var.definition
    if joined_from(var) is not None or is_given(var):
        return False
    return let is None or not isinstance(let.op, (Apply, Lambda)) or depends(let)


def behind(e: Elaboration, value: Var) -> Iterator[Var]:
    """The variables that lead to a value, itself among them, as far as they may say of which class it is."""
    seen: set[Atom] = set()
    todo: list[Atom] = [value]
    while todo:
        atom = todo.pop()
        if atom in seen or not isinstance(atom, Var) or not isinstance(atom.object, HOLDING):
            continue
        seen.add(atom)
        yield atom
        let, met = atom.definition, joined_from(atom)
        if met is not None:
            todo += met
        elif is_given(atom):
            todo += [outer] if isinstance(outer := e.stands_for.get(atom), Var) else []
        elif let is not None and isinstance(let.op, Apply) and not is_of_one_class(let.op.primitive):
            todo += let.args


@cache
def is_of_one_class(p: Primitive) -> bool:
    """Whether what a primitive gives of a number is of one class, whatever that of the number is.

    >>> is_of_one_class(arithmetic.to_float), is_of_one_class(arithmetic.absolute)
    (True, False)
    """
    with suppress(CCCError, TypeError, ValueError, LookupError, AssertionError):  # of one that takes no number
        return len({p.type_of((a,), {}) for a in (BOOL, INT, REAL)}) == 1 and p.memory_of({}).how == "new"
    return False
