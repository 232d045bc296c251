"""Sizes of arguments that are equal in a first call: code relies on that, and other calls get other code."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from test_compile_redundancy import code_of

import ccc
from ccc.compile.api import kept, wrapper
from ccc.compile.program.assumed import Axis

R = np.random.default_rng(5)
BACKENDS = ("numpy", "native", "auto")


def jacobi_2d(a, b):
    a, b = a.copy(), b.copy()
    for _ in range(3):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return np.sum(a * a) + np.sum(b)


def parts(x, y):
    return np.sum((x[1:] + y[1:]) * x[:-1] * np.sum(y[:-1]))


def apart(x, y, z):
    return nested((x, y), z)


def linear(x, y):
    """No number of x and y is read for the gradient, so nothing but the guard looks at their sizes."""
    return np.sum(x[1:] * 2.0 + y[1:])


def nested(pair, z):
    x, y = pair
    return np.sum(np.exp(x[1:] - y[1:]) * z[1:])


def cubes(x, y):
    return np.sum((x[1:] * y[:-1] + y[1:]) ** 3)


def codes_of(transform):
    return [code for codes in transform.codes.values() for code in codes]


def slope(f, args, directions, step=1e-5):
    there, back = [f(*[x + s * step * d for x, d in zip(args, directions, strict=True)]) for s in (1, -1)]
    return (there - back) / (2 * step)


def agrees(gradient, f, *args):
    """A gradient against difference quotients, and NumPy's exception where it raises one."""
    try:
        f(*args)
    except ValueError as error:
        with pytest.raises(ValueError) as raised:
            gradient(*args)
        assert str(raised.value) == str(error)
        return
    found = gradient(*args)
    assert [x.shape for x in found] == [x.shape for x in args]
    directions = [R.random(x.shape) for x in args]
    slopes = sum([np.sum(ct * d) for ct, d in zip(found, directions, strict=True)])
    np.testing.assert_allclose(slopes, slope(f, args, directions), rtol=1e-6, atol=1e-7)


SHAPES = ((5,), (2,), (1,), (0,), (6,))
MATRICES = ((4, 4), (3, 4), (3, 3), (1, 4), (2, 2), (4, 1), (0, 4))


@pytest.mark.share(4)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("f", "shapes"), [(parts, SHAPES), (cubes, SHAPES), (jacobi_2d, MATRICES)])
def test_calls_whose_sizes_are_equal_and_others_have_derivatives_that_agree(f, shapes, backend):
    gradient = ccc.gradient(f, wrt=(0, 1), backend=backend)
    pairs = list(itertools.product(shapes, repeat=2))
    for first, second in [*pairs, *[pairs[0]] * 4, *reversed(pairs)]:
        agrees(gradient, f, R.random(first), R.random(second))
    assert all(sum(bool(code.sizes) for code in codes) <= kept.PATTERNS for codes in gradient.codes.values())


@pytest.mark.share(8)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("broken", [(5, 2), (2, 5), (2, 2), (7, 7), (7, 2)])
@pytest.mark.parametrize("f", [parts, linear])
def test_a_pattern_that_breaks_is_found_however_short_the_way_to_the_code_is(f, broken, backend):
    """What is called again and again has a shorter way, at which the sizes are looked at as well."""
    for calls in range(1, 7):
        wrapper.forget()
        gradient = ccc.gradient(f, wrt=(0, 1), backend=backend)
        for _ in range(calls):
            agrees(gradient, f, R.random(5), R.random(5))
        assert all(code.sizes for code in codes_of(gradient))
        agrees(gradient, f, *map(R.random, broken))
        agrees(gradient, f, R.random(5), R.random(5))
        again = ccc.gradient(f, wrt=(0, 1), backend=backend)  # which finds the code by its family
        agrees(again, f, *map(R.random, broken))


def test_equal_sizes_are_not_fitted_to_each_other():
    x, y = R.random((4, 5)), R.random((4, 5))
    gradient = ccc.gradient(jacobi_2d, wrt=(0, 1), backend="numpy")
    assert "unbroadcast" not in code_of(gradient, x, y)
    gradient(x, y)
    (code,) = codes_of(gradient)
    assert [list(map(str, same)) for same in code.sizes] == [
        ["x0.shape[0]", "x1.shape[0]"], ["x0.shape[1]", "x1.shape[1]"]]
    of_cubes = ccc.gradient(cubes, wrt=(0, 1), backend="numpy")
    assert "unbroadcast" not in code_of(of_cubes, x[0], y[0])
    assert "unbroadcast" in code_of(of_cubes, x[0], y[0, :2])


def test_a_square_is_not_assumed_where_rows_and_columns_do_not_meet():
    gradient = ccc.gradient(jacobi_2d, wrt=(0, 1), backend="numpy")
    for shape in ((4, 4), (3, 5), (6, 3)):
        gradient(R.random(shape), R.random(shape))
    assert len(codes_of(gradient)) == 1


def sums(x, y):
    return np.sum(x * x) + np.sum(y[1:] * y[:-1])


def test_sizes_that_nothing_compares_are_not_assumed():
    gradient = ccc.gradient(sums, wrt=(0, 1), backend="numpy")
    gradient(R.random(5), R.random(5))
    gradient(R.random(5), R.random(7))
    (code,) = codes_of(gradient)
    assert not code.sizes


@pytest.mark.parametrize("backend", BACKENDS)
def test_arrays_in_tuples_and_from_outside(backend):
    gradient = ccc.gradient(apart, wrt=(0, 1, 2), backend=backend)
    in_pairs = ccc.gradient(nested, backend=backend)
    weights = R.random(5)

    def weighted(x):
        return np.sum(np.exp(x[1:] * weights[1:]))

    outside = ccc.gradient(weighted, backend=backend)
    for n, m, k in ((5, 5, 5), (5, 2, 5), (5, 5, 2), (2, 2, 2), (2, 5, 5), (5, 5, 5), (6, 6, 6)) * 2:
        x, y, z = R.random(n), R.random(m), R.random(k)
        agrees(gradient, apart, x, y, z)
        (dx, dy), dz = in_pairs((x, y), z)
        for found, expected in zip((dx, dy, dz), gradient(x, y, z), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12)
        weights = y
        agrees(lambda x: (outside(x),), weighted, x)


def columns(f, z, step=1e-6):
    """The Jacobian of a function of a vector, by difference quotients."""
    return np.array([(f(z + step * e) - f(z - step * e)) / (2 * step) for e in np.eye(len(z))]).T


def rooted(x, y):
    return (x[1:] * y[:-1] + y[1:]) ** 3


@pytest.mark.parametrize("backend", BACKENDS)
def test_verbs_of_second_order_and_of_many_directions(backend):
    hessians = [ccc.hessian(cubes, argnums=i, backend=backend) for i in (0, 1)]
    jacobian = ccc.jacobian(rooted, wrt=(0, 1), backend=backend)
    gradients = [ccc.gradient(cubes, wrt=i, backend="numpy") for i in (0, 1)]
    for n, m in ((5, 5), (5, 2), (2, 2), (2, 5), (3, 3), (1, 1)) * 2:
        x, y = R.random(n), R.random(m)
        np.testing.assert_allclose(
            hessians[0](x, y), columns(lambda z, y=y: gradients[0](z, y), x), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(
            hessians[1](x, y), columns(lambda z, x=x: gradients[1](x, z), y), rtol=1e-5, atol=1e-6)
        whole = columns(lambda z, n=n: rooted(z[:n], z[n:]), np.concatenate([x, y]))
        np.testing.assert_allclose(np.concatenate(jacobian(x, y), axis=-1), whole, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("backend", BACKENDS)
def test_pullbacks_and_differentials_of_calls_with_other_sizes(backend):
    pullback = ccc.value_with_pullback(parts, backend=backend)
    differential = ccc.value_with_differential(parts, backend=backend)
    for n, m in ((5, 5), (5, 2), (2, 2), (2, 5), (3, 3)) * 3:
        x, y = R.random(n), R.random(m)
        dx, dy = R.random(n), R.random(m)
        expected = slope(parts, (x, y), (dx, dy))
        cx, cy = pullback(x, y)[1](1.0)
        np.testing.assert_allclose(np.sum(cx * dx) + np.sum(cy * dy), expected, rtol=1e-6)
        np.testing.assert_allclose(differential(x, y)[1](dx, dy), expected, rtol=1e-6)


def test_there_are_no_more_codes_than_patterns_and_one():
    def many(a, b, c, d, e, f):
        return np.sum((a[1:] + b[1:]) ** 2) * np.sum((c[1:] + d[1:]) ** 2) * np.sum((e[1:] + f[1:]) ** 2)

    gradient = ccc.gradient(many, wrt=(0, 1, 2, 3, 4, 5), backend="numpy")
    for alike in itertools.product((True, False), repeat=3):
        args = [R.random(n) for n, same in zip((3, 4, 5), alike, strict=True) for n in (n, n if same else 2)]
        for _ in range(3):
            agrees(gradient, many, *args)
    assert len(codes_of(gradient)) == kept.PATTERNS + 1
    assert sum(not code.sizes for code in codes_of(gradient)) == 1


def test_axes_are_named_as_in_python():
    assert str(Axis(2, (0, 1), 1)) == "x2[0][1].shape[1]"


def diffused(a, b):
    b = b.copy()
    b[1:-1] = 0.125 * (a[2:] - 2.0 * a[1:-1]) + 0.125 * (a[:-2] - 2.0 * a[1:-1])
    return np.sum(b)


def test_what_is_equal_where_nothing_is_fitted_is_computed_once():
    """The products of the cotangent with 0.125 stood there twice: they had been fitted to two parts."""
    code = code_of(ccc.gradient(diffused, wrt=(0, 1)), R.random(6), R.random(6))
    assert code.count("* 0.125") == 1
    agrees(ccc.gradient(diffused, wrt=(0, 1)), diffused, R.random(6), R.random(6))


def of_stencil(a, b):
    a, b = a.copy(), b.copy()
    for _ in range(3):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[2:, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[2:, 1:-1])
    return np.sum(a)


@pytest.mark.parametrize("f", [of_stencil, diffused])
def test_a_linear_stencil_of_two_arrays_tapes_and_runs_nothing_of_its_value(f):
    code = code_of(ccc.gradient(f, wrt=(0, 1)), R.random((5, 6)), R.random((5, 6)))
    assert "append" not in code and "unbroadcast" not in code and "np.sum" not in code and code.count("for ") <= 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_sizes_of_what_is_not_read_at_all_are_looked_at(backend):
    gradient = ccc.gradient(linear, wrt=0, backend=backend)
    for _ in range(6):
        np.testing.assert_array_equal(gradient(np.ones(5), np.ones(5)), [0.0, 2.0, 2.0, 2.0, 2.0])
    np.testing.assert_array_equal(gradient(np.ones(2), np.ones(5)), [0.0, 8.0])
