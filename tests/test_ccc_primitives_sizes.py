"""Sizes as expressions (`ccc.primitives.sizes`) against what Python's slices take and NumPy's shapes are."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from test_ccc_primitives_facts import evaluated

from ccc.objects_of_values import object_of
from ccc.primitives import rearranging
from ccc.primitives.contractions import cross
from ccc.primitives.sizes import Size, Sized as Sizes, clipped, common, constant, dim, part, shape_of


class Sized:
    """An argument with one axis."""

    def __init__(self, n: int) -> None:
        self.shape = (n,)


def random_end(r: random.Random) -> int | None:
    return r.choice([None, *range(-5, 6)])


@pytest.mark.parametrize("seed", range(300))
def test_slices_of_slices_have_the_sizes_that_python_takes(seed):
    r = random.Random(seed)
    size, cuts = dim(0, 0), []
    for _ in range(r.randint(1, 4)):
        start, stop, step = random_end(r), random_end(r), r.choice([None, None, None, 1, -1, 2, -2, 3])
        cuts.append(slice(start, stop, step))
        size = part(size, *[None if x is None else constant(x) for x in (start, stop, step)])
    for n in range(14):
        places = range(n)
        for cut in cuts:
            places = places[cut]
        assert evaluated(size, (Sized(n),)) == len(places), (cuts, n)


@pytest.mark.parametrize("start", [None, *range(6)])
@pytest.mark.parametrize("less", range(-2, 6))
def test_a_slice_up_to_the_size_less_a_number(start, less):
    n = dim(0, 0)
    size = part(n, None if start is None else constant(start), n - constant(less))
    for count in range(12):
        assert evaluated(size, (Sized(count),)) == len(range(count)[start : count - less])


def test_equal_sizes_are_equal():
    n = dim("x", 0)
    less = [part(n, constant(1), constant(-1)), part(n, constant(2), None), part(n, None, constant(-2)),
            part(part(n, constant(1), None), constant(1), None), part(n, constant(1), n - constant(1))]
    assert len(set(less)) == 1
    assert less[0] != part(n, constant(1), None)
    assert part(n, None, None, constant(-1)) == part(n, constant(0), n) == n


def test_sizes_broadcast_to_the_one_that_is_not_1():
    n, m = dim("x", 0), dim("y", 0)
    assert common([n, constant(1), n]) == n
    assert common([n, m]) == common([m, n, m]) == common([common([n, m]), n])
    assert common([n, m]) != n
    assert common([constant(1)]) == constant(1)


def test_sums_of_sizes_are_sums():
    n, m = dim("x", 0), dim("y", 0)
    assert n + m - n == m and (n + n).constant == 0 and n - n == constant(0)
    assert clipped(n - m) != n - m and clipped(n + m) == n + m
    assert isinstance(n.times(3) - n - n - n, Size) and n.times(3) - n - n == n


@pytest.mark.parametrize(("left", "right"), [
    ((3,), (3,)), ((2,), (3,)), ((3,), (2,)), ((4, 3), (2,)), ((3,), (4, 3)), ((4, 2), (4, 3)), ((5, 1, 3), (4, 3)),
    ((1, 3), (0, 3)),
])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_cross_product_has_three_entries(left, right):
    args: Any = (np.ones(left), np.ones(right))
    objects = [object_of(x) for x in args]
    sizes = [tuple([dim(i, k) if n != 1 else constant(1) for k, n in enumerate(x.shape)]) for i, x in enumerate(args)]
    typed: Any = cross.type_of(tuple(objects), {})
    found: Any = shape_of(cross, [*map(Sizes, objects, sizes)], {}, typed)
    assert tuple([evaluated(size, args) for size in found]) == np.cross(*args).shape


@pytest.mark.parametrize(("p", "shapes", "params"), [
    (rearranging.pad, [(3, 4)], {"pad_width": ((1, 2), (0, 3))}), (rearranging.pad, [(3, 1)], {"pad_width": 2}),
    (rearranging.pad, [(4,)], {"pad_width": (1, 2), "mode": "edge"}), (rearranging.tile, [(3, 2)], {"reps": (2, 1, 3)}),
    (rearranging.tile, [(2, 3, 1)], {"reps": 2}), (rearranging.tile, [(3,)], {"reps": (0,)}),
    (rearranging.triu, [(3, 2)], {}), (rearranging.tril, [(3,)], {"k": 1}), (rearranging.triu, [(2, 3, 4)], {}),
    (rearranging.take, [(3, 4), (5, 2)], {"axis": 1}), (rearranging.take, [(3, 4), (5,)], {"axis": -2}),
    (rearranging.take, [(3, 4), (2, 0)], {}),
])
def test_what_stands_in_other_places_has_known_sizes(p: Any, shapes: Any, params: Any):
    args: Any = (np.ones(shapes[0]), *[np.zeros(shape, int) for shape in shapes[1:]])
    objects = [object_of(x) for x in args]
    sizes = [tuple([dim(i, k) if n != 1 else constant(1) for k, n in enumerate(x.shape)]) for i, x in enumerate(args)]
    typed: Any = p.type_of(tuple(objects), params)
    found: Any = shape_of(p, [*map(Sizes, objects, sizes)], params, typed)
    assert tuple([evaluated(size, args) for size in found]) == p.value(*args, **params).shape
