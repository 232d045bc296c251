"""Sparse Jacobians and Hessians: products with few vectors give all entries, where columns meet no row together.

The pattern is found by products too. A block of columns moves in a random direction, and the rows that move are those
that it has entries in; blocks are halved until they are columns. Halves that can meet no row together move together, so
that a banded matrix takes some products for each halving, whatever the program does: loops, gathers, changes in place.
Rows with entries in many blocks are computed by themselves, in reverse mode.

The pattern is kept for later points, and each result is compared with a product in a random direction; where a point
has entries that the pattern lacks, it is found anew.

>>> import numpy as np
>>> pattern = found(4, 4, lambda v: v + np.roll(v, 1), np.random.default_rng(0))
>>> [rows.tolist() for rows in pattern.columns], pattern.products
([[0, 1], [1, 2], [2, 3], [0, 3]], 2)

References: Curtis, Powell and Reid, *On the estimation of sparse Jacobian matrices* (1974).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from ccc.compile.api.dispatch import token
from ccc.compile.api.transforms import compiled, gradient, value_with_differential, value_with_pullback
from ccc.compile.diagnostics import WrongArguments, telling, unsupported
from ccc.locks import Lock

Product = Callable[[Any], Any]
"""What takes a vector to the matrix times it."""
MANY = 16
"""A row with entries in more blocks is computed by itself."""
KEPT = 16
"""For so many shapes patterns are kept."""
TOGETHER = 12
"""So many products are one program, at points behind the first ones."""


@dataclass(slots=True)
class Pattern:
    """The rows of the entries of each column, those of which that are computed by themselves left out; the columns that
    move together; how many products that takes. What follows from these is kept: a direction for each group and the
    rows that it gives, where the entries in their order stand in a matrix, `order`, as SciPy has it by rows, where they
    stand in all products, one behind the other, and a direction `across` all columns, along which results are compared.
    `used` is for how many points it was right, `empty` a matrix of it for each dtype."""

    columns: list[Any]
    full: list[int]
    groups: list[list[int]]
    height: int
    moves: list[Any] = field(init=False)
    rows: list[Any] = field(init=False)
    by_rows: tuple[Any, Any] = field(init=False)
    places: tuple[Any, Any] = field(init=False)
    order: Any = field(init=False)
    across: Any = field(init=False)
    used: int = field(init=False, default=0)
    flat: Any = field(init=False, default=None)
    directions: dict[Any, Any] = field(init=False, default_factory=dict)
    empty: dict[Any, Any] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        none = np.zeros(0, int)
        width, self.moves = len(self.columns), []
        for group in self.groups:
            move = np.zeros(width)
            move[group] = 1.0
            self.moves.append(move)
        self.rows = [np.concatenate([none, *[self.columns[j] for j in group]]) for group in self.groups]
        at = [np.repeat(group, [len(self.columns[j]) for j in group]) for group in self.groups]
        row, column = np.concatenate([none, *self.rows]), np.concatenate([none, *at])
        self.order, self.across = np.lexsort((column, row)), np.random.default_rng(1).normal(size=width)
        self.places = row[self.order], column[self.order]
        counts = np.bincount(row, minlength=self.height) if self.height else none
        self.by_rows = column[self.order].astype(np.int32), np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)

    @property
    def products(self) -> int:
        return len(self.groups) + len(self.full)

    def goes_together(self) -> bool:
        """Whether all products may be one program, that is written out for each."""
        return bool(self.groups) and not self.full and len(self.groups) <= TOGETHER

    def together(self, like: Any) -> tuple[Any, ...]:
        """The directions of all groups and the one across, as tangents of an array."""
        key = like.shape, like.dtype
        if key not in self.directions:
            self.directions[key] = tuple([move.reshape(like.shape).astype(like.dtype)
                                          for move in (*self.moves, self.across)])
        return self.directions[key]

    def entries(self, products: Sequence[Any]) -> Any:
        """The entries by rows, of the products with all groups."""
        if self.flat is None:
            flat = [rows + k * self.height for k, rows in enumerate(self.rows)]
            self.flat = np.concatenate([np.zeros(0, int), *flat])[self.order]
        return np.concatenate(products).take(self.flat)

    def matrix(self, values: Any) -> Any:
        """The matrix with these entries by rows, where no row is computed by itself."""
        made = self.empty.get(values.dtype)
        if made is None:
            from scipy.sparse import csr_array

            shape = self.height, len(self.columns)
            made = self.empty[values.dtype] = csr_array((np.zeros_like(values), *self.by_rows), shape=shape)
        found = copy.copy(made)
        found.data = values
        return found


def grouped(rows: Sequence[Any], height: int) -> list[list[int]]:
    """Groups of columns that have no row in common, given the rows of each.

    >>> grouped([[0, 1], [1, 2], [2, 3]], 4)
    [[0, 2], [1]]
    """
    used = [0] * height
    groups: list[list[int]] = []
    for i, at in enumerate(rows):
        taken = 0
        for row in at:
            taken |= used[row]
        k = (~taken & (taken + 1)).bit_length() - 1
        if k == len(groups):
            groups.append([])
        groups[k].append(i)
        for row in at:
            used[row] |= 1 << k
    return groups


def found(height: int, width: int, product: Product, rng: np.random.Generator) -> Pattern:
    """The pattern of a matrix, from products with it."""
    blocks, full = [np.arange(width)], set[int]()
    touched = [np.flatnonzero(product(rng.uniform(0.5, 1.5, width)))] if width else []
    while any([len(block) > 1 for block in blocks]):
        count = np.zeros(height, int)
        for rows in touched:
            count[rows] += 1
        many = np.flatnonzero(count > MANY)
        if len(full) + len(many) <= max(1, width // 8):
            full |= set(many.tolist())
            touched = [np.array([row for row in rows.tolist() if row not in full], int) for rows in touched]
        halves: list[Any] = []
        possible: list[Any] = []
        for block, rows in zip(blocks, touched, strict=True):
            middle = (len(block) + 1) // 2
            for half in (block[:middle], block[middle:]):
                if len(half):
                    halves.append(half)
                    possible.append(rows)
        touched = list(possible)
        for group in grouped([rows.tolist() for rows in possible], height):
            move = np.zeros(width)
            for i in group:
                move[halves[i]] = rng.uniform(0.5, 1.5, len(halves[i]))
            moved = product(move)
            for i in group:
                touched[i] = possible[i][moved[possible[i]] != 0]
        blocks = halves
    return Pattern(touched, sorted(full), grouped([rows.tolist() for rows in touched], height), height)


def united(a: Pattern, b: Pattern, height: int) -> Pattern:
    """The pattern of what has the entries of either."""
    full = sorted({*a.full, *b.full})
    columns = [np.setdiff1d(np.union1d(p, q), full) for p, q in zip(a.columns, b.columns, strict=True)]
    return Pattern(columns, full, grouped([rows.tolist() for rows in columns], height), height)


def compressed(pattern: Pattern, width: int, product: Product, row_of: Product) -> Any:
    """The sparse matrix, of products with it."""
    from scipy.sparse import coo_array

    found = [product(move) for move in pattern.moves]
    values = pattern.entries(found) if found else np.zeros(0)
    if not pattern.full:
        return pattern.matrix(values)
    at, entries = [np.array(pattern.places)], [values]
    for i in pattern.full:
        unit = np.zeros(pattern.height)
        unit[i] = 1.0
        row = row_of(unit)
        there = np.flatnonzero(row)
        at.append(np.array([np.full(len(there), i), there], int).reshape(2, -1))
        entries.append(row[there])
    places = np.concatenate(at, 1)
    return coo_array((np.concatenate(entries), (places[0], places[1])), shape=(pattern.height, width)).tocsr()


def agrees(pattern: Pattern, matrix: Any, there: Any) -> bool:
    """Whether a matrix takes the direction across to what the product is there."""
    here = matrix @ pattern.across
    tolerance = np.finfo(there.dtype).eps ** 0.75
    apart, allowed = there - here, np.abs(here)
    np.abs(apart, out=apart)
    allowed *= tolerance
    right = apart <= allowed
    if right.all():
        return True
    rows = np.flatnonzero(~right)  # where the terms of a sum may be larger than that
    there, here, apart = there[rows], here[rows], apart[rows]
    size = abs(matrix[rows]) @ np.abs(pattern.across)
    return bool(np.all((apart <= tolerance * size) | ~np.isfinite(there) | ~np.isfinite(here)))


def products_along(at: Callable[..., Any]) -> Callable[..., Any]:
    """The value, and the products with several directions, by the value `at` the arguments and its differential."""
    def along(moves: Any, /, *args: Any, **kwargs: Any) -> Any:
        both, differential = at(*args, **kwargs)
        return both, tuple([np.ravel(differential(move)) for move in moves])

    return along


class Sparse:
    """A Jacobian, or a Hessian, as a sparse matrix."""

    def __init__(self, f: Callable[..., Any], wrt: Any, has_aux: bool, backend: str | None, of_gradient: bool) -> None:
        verb = "hessian" if of_gradient else "jacobian"
        if isinstance(wrt, (tuple, list)):
            raise WrongArguments(f"{verb} with sparse=True is that in one argument, found {wrt!r}",
                                 help="name one argument, or a part of it")
        of = gradient(f, wrt=wrt, has_aux=has_aux, backend=backend) if of_gradient else f
        self.forward = value_with_differential(of, wrt=wrt, has_aux=has_aux, backend=backend)
        self.reverse = value_with_pullback(of, wrt=wrt, has_aux=has_aux, backend=backend)
        self.verb, self.aux, self.symmetric = verb, has_aux, of_gradient
        self.patterns: dict[Any, Pattern] = {}
        self.steady: dict[Any, Any] = {}  # by types of arguments, the shapes of the pattern, where nothing is changed
        self.along = compiled(products_along(self.forward), backend=backend)
        self.lock = Lock()
        self.__name__ = f"{verb}({getattr(f, '__name__', 'f')}, sparse=True)"

    def __repr__(self) -> str:
        return self.__name__

    @telling
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        x = self.argument(args, kwargs)
        kind = getattr(x, "shape", None), tuple(map(token, args)), tuple([(k, token(v)) for k, v in kwargs.items()])
        pattern = self.patterns.get(self.steady.get(kind))
        if pattern is not None and pattern.used >= 2:
            both, products = self.along(pattern.together(x), *args, **kwargs)
            value = both[0] if self.aux else both
            if (x.shape, np.shape(value)) == self.steady[kind]:
                matrix = pattern.matrix(pattern.entries(products[:-1]))
                if agrees(pattern, matrix, products[-1]):
                    return (matrix, both[1]) if self.aux else matrix
        return self.one_by_one(x, kind, args, kwargs)

    def one_by_one(self, x: Any, kind: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The matrix by one product after the other, with the pattern that is known or is found."""
        both, differential = self.forward(*args, **kwargs)
        value = both[0] if self.aux else both
        for what in (x, value):
            if not isinstance(what, np.ndarray):
                raise WrongArguments(f"{self.verb} with sparse=True is that of an array in an array, found "
                                     f"a {type(what).__name__}", help="leave out sparse=True, or make it an array")
        height, width = value.size, x.size

        def product(move: Any) -> Any:
            return np.ravel(differential(move.reshape(x.shape).astype(x.dtype)))

        @cache
        def pullback() -> Any:  # only where there are rows that are computed by themselves
            return self.reverse(*args, **kwargs)[1]

        def row_of(unit: Any) -> Any:
            if self.symmetric:
                return product(unit)
            return np.ravel(pullback()(unit.reshape(value.shape).astype(value.dtype)))

        matrix = self.matrix((x.shape, value.shape), height, width, product, row_of)
        if self.is_steady(args, kwargs) and self.patterns[x.shape, value.shape].goes_together():
            self.steady[kind] = x.shape, value.shape
        return (matrix, both[1]) if self.aux else matrix

    def is_steady(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether the function neither changes its arguments nor draws, so that it may be run once more."""
        code = self.forward.known(args, kwargs)
        if code is None or code.writes is not None:
            return False
        read = [found(self.forward.function) for found in code.readers]
        return not code.sources_in([*args, *kwargs.values(), *read])

    def argument(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        from ccc.compile.terms.wanted import reach

        ((i, steps),) = self.forward.parts(args, kwargs)  # type: ignore[attr-defined]
        return reach([*args, *kwargs.values()][i], steps)

    def matrix(self, key: Any, height: int, width: int, product: Product, row_of: Product) -> Any:
        """The matrix, by the pattern that is known for these shapes, or by one that is found now."""
        known = self.patterns.get(key)
        if known is not None:
            made = compressed(known, width, product, row_of)
            if agrees(known, made, product(known.across)):
                known.used += 1
                return made
        pattern = found(height, width, product, np.random.default_rng(0))
        if known is not None:
            pattern = united(known, pattern, height)
        with self.lock:
            if len(self.patterns) >= KEPT:
                self.patterns.pop(next(iter(self.patterns)))
            self.patterns[key] = pattern
        return compressed(pattern, width, product, row_of)


class InSparse:
    """What makes a sparse Jacobian or Hessian, outside of programs."""

    def __call__(
        self, f: Callable[..., Any], wrt: Any, has_aux: bool, backend: str | None, of_gradient: bool
    ) -> Sparse:
        return Sparse(f, wrt, has_aux, backend, of_gradient)

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: Any, frame: Any) -> Any:
        raise unsupported("CC003", "sparse=True inside a function that is compiled", e.place(node, frame),
                          help="leave out sparse=True, or call it outside")


in_sparse = InSparse()

__all__ = ["Sparse", "in_sparse"]
