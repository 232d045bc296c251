"""Integers of the code as polynomials in what they are computed of: sizes, positions, indices of loops.

>>> row = Operation("i64", "mul", "%i", "%n", name="%row")
>>> now = Operation("i64", "add", "%row", "%k", name="%now")
>>> polynomial("%now", {x.name: x for x in (row, now)})
{('%i', '%n'): 1, ('%k',): 1}
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping

from ccc.compile.native.code import Instruction, Operation, is_name
from ccc.compile.native.instructions import ADD, MUL, SUB

Monomial = tuple[str, ...]
Polynomial = Mapping[Monomial, int]
"""Numbers by the products of names, in order, that they are times."""
DEEP = 12
"""So many operations behind each other are looked through."""
ONE: Polynomial = {(): 1}


def polynomial(
    x: str, made: Mapping[str, Instruction], atoms: Container[str] = (), deep: int = DEEP
) -> Polynomial:
    """An integer by what makes names, but for those that are taken as they are."""
    if not is_name(x):
        return constant(int(x))
    line = made.get(x)
    if x in atoms or not isinstance(line, Operation) or line.op not in (ADD.name, SUB.name, MUL.name) or not deep:
        return {(x,): 1}
    a, b = [polynomial(y, made, atoms, deep - 1) for y in line.operands]
    return times(a, b) if line.op == MUL.name else plus(a, b, -1 if line.op == SUB.name else 1)


def constant(n: int) -> Polynomial:
    return {(): n} if n else {}


def plus(a: Polynomial, b: Polynomial, by: int = 1) -> Polynomial:
    """One and so many times the other."""
    found = dict(a)
    for monomial, n in b.items():
        found[monomial] = found.get(monomial, 0) + by * n
    return {monomial: n for monomial, n in found.items() if n}


def times(a: Polynomial, b: Polynomial) -> Polynomial:
    found: dict[Monomial, int] = {}
    for x, n in a.items():
        for y, k in b.items():
            monomial = tuple(sorted((*x, *y)))
            found[monomial] = found.get(monomial, 0) + n * k
    return {monomial: n for monomial, n in found.items() if n}


def put(a: Polynomial, new: Callable[[str], Polynomial]) -> Polynomial:
    """The same with something in the place of each name.

    >>> put({("%i", "%n"): 1, ("%k",): 1}, {"%i": {("%i",): 1}, "%n": {(): 3}, "%k": {("%i",): 1}}.__getitem__)
    {('%i',): 4}
    """
    found: Polynomial = {}
    for monomial, n in a.items():
        part = constant(n)
        for x in monomial:
            part = times(part, new(x))
        found = plus(found, part)
    return found


def renamed(a: Polynomial, name: Callable[[str], str]) -> Polynomial:
    """The same in other names, of which some may be constants."""
    return put(a, lambda x: polynomial(name(x), {}))


def names(of: Iterable[Polynomial]) -> set[str]:
    return {x for a in of for monomial in a for x in monomial}


def never_negative(a: Polynomial) -> bool:
    """Whether a polynomial is surely not negative where all of its names are 1 or more.

    >>> never_negative({("%n",): 1, (): -1}), never_negative({("%n",): 1, ("%k",): -1})
    (True, False)
    """
    return all(n >= 0 for n in put(a, lambda x: {(x,): 1, (): 1}).values())
