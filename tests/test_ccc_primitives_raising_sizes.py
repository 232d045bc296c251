"""Where primitives say that they do not raise at arguments some of whose sizes are equal: they do not, whatever these
sizes are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product
from typing import Any

import numpy as np
import pytest
from test_ccc_primitives_samples import SAMPLES, Sample

from ccc.objects import Array, Int, Object
from ccc.objects_of_values import object_of
from ccc.primitives import bilinear, broadcasting, contractions, indexing, inplace, joining, registry, updating
from ccc.primitives.arithmetic import add
from ccc.primitives.domains import Sizes
from ccc.primitives.facts import NEVER
from ccc.primitives.primitive import Primitive
from ccc.primitives.raising import may_raise
from ccc.primitives.sizes import ONE, Sized, constant, dim

OTHERS = (0, 2, 3, 6)
"""What the sizes of arguments are changed to, each to another one or to the same."""


def sized(objects: Sequence[Object], args: Sequence[Any], apart: int) -> list[Sized]:
    """What is known of the sizes of arguments: which are equal among all, but for those of the argument `apart`."""
    found = list[Sized]()
    for i, (a, x) in enumerate(zip(objects, args, strict=True)):
        if isinstance(a, Array) and a.axes:
            of = "apart" if i == apart else "all"
            found.append(Sized(a, tuple([ONE if n == 1 else dim(of, n) for n in x.shape])))
        else:
            found.append(Sized(a, None, constant(x) if isinstance(a, Int) and type(x) is int else None))
    return found


def resized(args: Sequence[Any], apart: int) -> Iterator[list[Any]]:
    """The same arguments with other sizes, equal where they are known to be."""
    of = [(i == apart, n) for i, x in enumerate(args) if isinstance(x, np.ndarray) for n in x.shape if n != 1]
    names = list(dict.fromkeys(of))
    for sizes in islice(product(OTHERS, repeat=len(names)), 200):
        others = dict(zip(names, sizes, strict=True))
        yield [np.resize(np.append(x, np.zeros(1, x.dtype)), [others.get((i == apart, n), 1) for n in x.shape])
               if isinstance(x, np.ndarray) else x for i, x in enumerate(args)]


def misjudged(p: Primitive) -> list[Any]:
    """Arguments at which a primitive raises that says it does not."""
    found = list[Any]()
    for s in SAMPLES[p.name]:
        objects = [object_of(x) for x in s.args]
        for apart in (-1, *range(len(objects))):
            if not says(p, objects, s, apart):
                found += [xs for xs in resized(s.args, apart) if raises(p, xs, s.params)]
    return found


def says(p: Primitive, objects: Sequence[Object], s: Sample, apart: int) -> bool:
    literals = {i: x for i, x in enumerate(s.args) if type(x) in (int, float)}
    return may_raise(p, objects, s.params, lambda: list(literals.items()),
                     lambda: Sizes(sized(objects, s.args, apart)))


def raises(p: Primitive, args: Sequence[Any], params: dict[str, Any]) -> bool:
    try:
        with np.errstate(all="ignore"):
            p.value(*args, **params)
    except Exception:
        return True
    return False


WITH_ARRAYS = [p for p in registry.PRIMITIVES if p.name in SAMPLES and not p.effect and p.raises is not None
               and any(isinstance(x, np.ndarray) for s in SAMPLES[p.name] for x in s.args)]


@pytest.mark.parametrize("p", WITH_ARRAYS, ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_what_does_not_raise_where_sizes_are_equal_does_not(p: Primitive) -> None:
    assert not misjudged(p)


@pytest.mark.parametrize("p", [
    bilinear.matmul, bilinear.inner, joining.concatenate, joining.stack, contractions.einsum, updating.set_at,
    indexing.add_at, inplace.updated, broadcasting.broadcast_like,
], ids=repr)  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_a_planted_one_that_never_raises_is_found(p: Primitive) -> None:
    assert misjudged(replace(p, raises=NEVER))


MATRIX, VECTOR = Array("float64", ("n", "n")), Array("float64", ("n",))
N, M, K = dim("x", 0), dim("x", 1), dim("y", 0)
CASES: list[tuple[Primitive, list[Sized], dict[str, Any], bool]] = [
    (add, [Sized(MATRIX, (N, M)), Sized(VECTOR, (M,))], {}, False),
    (add, [Sized(MATRIX, (N, M)), Sized(VECTOR, (N,))], {}, True),
    (bilinear.matmul, [Sized(MATRIX, (N, M)), Sized(MATRIX, (M, K))], {}, False),
    (bilinear.matmul, [Sized(VECTOR, (N,)), Sized(MATRIX, (N, K))], {}, False),
    (bilinear.matmul, [Sized(VECTOR, (N,)), Sized(MATRIX, (K, N))], {}, True),
    (bilinear.inner, [Sized(VECTOR, (N,)), Sized(MATRIX, (K, N))], {}, False),
    (joining.concatenate, [Sized(MATRIX, (N, M)), Sized(MATRIX, (K, M))], {"axis": 0}, False),
    (joining.concatenate, [Sized(MATRIX, (N, M)), Sized(MATRIX, (K, M))], {"axis": 1}, True),
    (joining.concatenate, [Sized(MATRIX, (N, M)), Sized(MATRIX, (N, K))], {"axis": -1}, False),
    (joining.stack, [Sized(VECTOR, (N,)), Sized(VECTOR, (N,))], {"axis": 0}, False),
    (joining.stack, [Sized(VECTOR, (N,)), Sized(VECTOR, (M,))], {"axis": 0}, True),
    (contractions.einsum, [Sized(MATRIX, (N, M)), Sized(MATRIX, (M, K))], {"subscripts": "ij,jk->ik"}, False),
    (contractions.einsum, [Sized(MATRIX, (N, M)), Sized(MATRIX, (M, K))], {"subscripts": "ij,kj->ik"}, True),
    (updating.set_at, [Sized(MATRIX, (N, M)), Sized(VECTOR, (M,))], {"pattern": ("s",)}, False),
    (updating.set_at, [Sized(MATRIX, (N, M)), Sized(VECTOR, (N,))], {"pattern": ("s",)}, True),
    (inplace.updated, [Sized(VECTOR, (N,)), Sized(VECTOR, (N,))], {}, False),
    (broadcasting.broadcast_like, [Sized(VECTOR, (M,)), Sized(MATRIX, (N, M))], {}, False),
]  # fmt: skip


@pytest.mark.parametrize(("p", "args", "params", "expected"), CASES)
def test_sizes_say_whether_an_operation_may_raise(p, args, params, expected):
    objects = [x.object for x in args]
    assert may_raise(p, objects, params)
    assert may_raise(p, objects, params, sizes=lambda: Sizes(args)) is expected
