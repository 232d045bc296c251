"""Reals that an array of integers takes without what is behind the point: where the integers that the array is made of
are read as reals, it is an array of reals, and the same statement keeps all of them.

    def f(x, n):                     f(x, 2) reads 2 at the end; with 2.0 for 2 it read 2.5,
        a = np.full(3, n)            so `n` stays an integer, which has no derivative
        a[0] += 0.5
        return x * a[0]
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from ccc.compile.frontend.integers import WHOLE
from ccc.compile.program.lam import Apply, Atom, Let, Lit, Program, lets_in
from ccc.objects import Array, Int, Map, Object, Real


def is_same(program: Program, whole: Program) -> bool:
    """Whether a program for reals is `whole`, the same one for integers: it makes integers of reals wherever that does,
    knows no other fractions, and its questions were answered alike."""
    return (truncated(whole) <= truncated(program) and fractions(program) <= fractions(whole)
            and program.answers == whole.answers)


def fractions(program: Program) -> set[Hashable]:
    """Where numbers are known that are not whole."""
    return {(let.op.primitive, let.span, i, number) for let in lets_in(program.block) if isinstance(let.op, Apply)
            for i, x in enumerate(let.args) if isinstance(x, Lit) for number in not_whole(x.value)}


def not_whole(x: Any) -> list[float]:
    if not isinstance(x, (float, np.floating, np.ndarray)) or np.asarray(x).dtype.kind != "f":
        return []
    numbers = np.ravel(x)
    return numbers[np.isfinite(numbers) & (numbers != np.floor(numbers))].tolist()


def truncated(program: Program) -> set[Hashable]:
    """Where integers are made of reals, and by what."""
    return {(let.op.primitive, let.span) for let in lets_in(program.block)
            if isinstance(let.op, Apply) and is_whole(let.targets[0].object) and of_reals(let)}


def is_whole(a: Object) -> bool:
    """Whether a value is of integers, or may be."""
    return isinstance(a, Int) or (isinstance(a, Array) and (not a.is_real or not WHOLE.isdisjoint(a.dtypes)))


def of_reals(let: Let) -> bool:
    """Whether there are reals among what is read; those by which an item of a dict is found are none of it."""
    return any(map(is_real, let.args)) and not any(isinstance(a.object, Map) for a in let.args)


def is_real(x: Atom) -> bool:
    a = x.object
    return isinstance(a, Real) or (isinstance(a, Array) and not is_whole(a))
