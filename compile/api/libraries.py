"""What of a program's work on arrays NumPy leaves to libraries, or does as fast as memory allows.

>>> import numpy as np
>>> from ccc.compile.frontend.elaborate import program_of
>>> a = np.ones((2, 2))
>>> uses_libraries(program_of(lambda a: np.sum(a @ a), (a,))), uses_libraries(program_of(lambda a: np.sum(a * a), (a,)))
(True, False)
"""

from __future__ import annotations

from collections import Counter

from ccc.compile.program.lam import Apply, Let, Program, lets_in
from ccc.compile.program.sharing import may_share
from ccc.objects import Array
from ccc.primitives.facts import EXTREMA, FILLING, MOVEMENT, ORDER, PRODUCTS, SIZES, SYSTEMS, Work

LIBRARIES = (PRODUCTS, SYSTEMS, ORDER, MOVEMENT, EXTREMA)
"""The kinds of work on arrays in which other targets are no faster where these are large."""


def uses_libraries(program: Program) -> bool:
    """Whether other targets may be slower at large arguments though they are faster at small ones."""
    works = operations(program)
    return any(works[kind] for kind in LIBRARIES)


def operations(program: Program) -> Counter[Work]:
    """How often each kind of work on arrays stands in a program, but for what gives views, sizes or zeros."""
    applied = [(let, let.op) for let in lets_in(program.block) if isinstance(let.op, Apply)]
    return Counter([op.primitive.work for let, op in applied if counts(let, op)])


def counts(let: Let, op: Apply) -> bool:
    """Whether a primitive computes or moves entries of arrays; a library gains nothing at products of vectors."""
    ranks = [len(a.object.axes or ("?", "?")) for a in (*let.args, *let.targets) if isinstance(a.object, Array)]
    if not ranks or op.primitive.work in (SIZES, FILLING) or may_share(op):
        return False
    return op.primitive.work != PRODUCTS or max(ranks) > 1
