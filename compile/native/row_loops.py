"""What the runs of a loop along rows read and write: which of it are items of their own rows.

    for i: y[i] = Σ_k x[i * n + k]                                   run i has n items of x for its own, and 1 of y
    for i: for k: z[i * n + k] = x[i * n + k] / y[i] * c[k]          c is nobody's own

Reference: Wolfe, High Performance Compilers for Parallel Computing, 1996, chapter 5 (dependence of indices).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from ccc.compile.native.code import SPOILED, Address, Call, Instruction, Load, Store, Variable, made
from ccc.compile.native.polynomials import ONE, Polynomial, names, never_negative, plus, times
from ccc.compile.native.sizes import Sizes
from ccc.values import slotted

READING = ("masked.load", "masked.gather")
WRITING = ("masked.store", "masked.scatter")


@slotted
class Touched:
    """What a loop does with an array: of how many items each run has a row of its own, which is None where it touches
    others; how many bytes an item has; and whether it writes to it."""

    row: Polynomial | None
    bytes_: int
    writes: bool = False


@slotted
class Rows:
    """A loop along `count` rows, each of which is `scale` of its runs: what it does with arrays, which sizes are equal
    at its place, what sizes are in the first call; the variables that it writes, and all that it uses."""

    count: str
    scale: Polynomial
    touched: dict[str, Touched]
    sizes: Sizes
    at_first: Callable[[str], int | None]
    written: set[str] = field(default_factory=set[str])
    used: set[str] = field(default_factory=set[str])


def own_row(index: Polynomial, row: str, bounds: Mapping[str, Polynomial]) -> Polynomial | None:
    """Of how many items a run has a row of its own, if an index lies in that; None where it may not. `bounds` are what
    the indices of loops within stay below.

    >>> own_row({("%i", "%n"): 1, ("%k",): 1}, "%i", {"%k": {("%n",): 1}})
    {('%n',): 1}
    >>> own_row({("%i", "%n"): 1, ("%k",): 1, (): 1}, "%i", {"%k": {("%n",): 1}}) is None
    True
    """
    own: dict[tuple[str, ...], int] = {}
    least: Polynomial = {}
    most: Polynomial = {}
    for monomial, n in index.items():
        if row in monomial:
            others = list(monomial)
            others.remove(row)
            if row in others or not bounds.keys().isdisjoint(others):
                return None
            own[tuple(others)] = n
            continue
        inner = [x for x in monomial if x in bounds]
        if len(inner) > 1:
            return None
        if not inner:
            least, most = plus(least, {monomial: n}), plus(most, {monomial: n})
            continue
        rest = list(monomial)
        rest.remove(inner[0])
        end = times({tuple(rest): n}, plus(bounds[inner[0]], ONE, -1))
        if n > 0:
            most = plus(most, end)
        else:
            least = plus(least, end)
    if not own or not names([most, least]) <= names([own, *bounds.values()]):
        return None
    fits = never_negative(least) and never_negative(plus(plus(own, ONE, -1), most, -1))
    return own if fits else None


def completed(rows: Rows, lines: Sequence[Instruction], makers: Mapping[str, Instruction]) -> Rows | None:
    """What the lines of a loop tell of it: which arrays they write to, and what they touch besides; None where that is
    not known of all."""
    here = made(lines)

    def root(at: str) -> str:
        while isinstance(line := here.get(at) or makers.get(at), Address):
            at = line.operands[0]
        return at

    def touch(at: str, writes: bool, known: bool) -> None:
        if isinstance(at, Variable) or at == SPOILED:
            rows.used.add(at)
            rows.written.update([at] if writes else ())
            return
        found = rows.touched.setdefault(root(at), Touched(None, 0))
        found.writes |= writes
        if not known:
            found.row = None

    for line in lines:
        match line:
            case Load():
                touch(line.at, False, line.at in here)
            case Store():
                if line.of == "ptr":
                    return None
                touch(line.at, True, line.at in here)
            case Call():
                pointers = [x for x, type_ in zip(line.operands, line.given, strict=True) if "ptr" in type_]
                for x in pointers:
                    known = line.intrinsic in (*READING, *WRITING)
                    touch(x, line.intrinsic not in READING, known)
            case _:
                continue
    if any(x in here for x in rows.touched):
        return None  # it is chosen or read within
    return rows
