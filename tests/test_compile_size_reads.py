"""What is read for its sizes alone is neither computed nor kept, and what may raise still is."""

from __future__ import annotations

import numpy as np
import pytest
from checks import agrees, agrees_in_value
from test_compile_redundancy import code_of

import ccc

R = np.random.default_rng(3)
A, B = R.random(9), R.random(9)
X = np.array([3, 1, 2, 0, 1])
M, N = R.random((6, 7)), R.random((6, 7))


def jacobi(a, b, steps):
    a, b = a.copy(), b.copy()
    for _ in range(steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return np.sum(a) + np.sum(b * b)


def jacobi_2d(a, b):
    a, b = a.copy(), b.copy()
    for _ in range(4):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1])
    return np.sum(a) + np.sum(b)


def heat(a, b):
    a, b = a.copy(), b.copy()
    for _ in range(3):
        b[1:-1] = 0.125 * (a[2:] - 2.0 * a[1:-1] + a[:-2]) + a[1:-1]
        a[1:-1] = 0.125 * (b[2:] - 2.0 * b[1:-1] + b[:-2]) + b[1:-1]
    return np.sum(a)


def yee(e, steps):
    e, h = e.copy(), np.zeros((e.shape[0], e.shape[1] - 1))
    for _ in range(steps):
        h -= 0.5 * (e[:, 1:] - e[:, :-1])
        e[:, 1:-1] += 0.5 * (h[:, :-1] - h[:, 1:])
    return np.sum(e * 3.0) + np.sum(h[:, 1:])


@pytest.mark.parametrize(("f", "args"), [
    (yee, (M, 3)), (yee, (M[:, :1], 2)),
    (jacobi, (A, B, 4)), (jacobi_2d, (M, N)), (heat, (A, B)), (jacobi, (A[:3], B[:3], 2)), (jacobi, (A[:2], B[:2], 2)),
])
def test_linear_stencils_tape_nothing(f, args):
    code = code_of(ccc.gradient(f), *args)
    assert "append" not in code
    agrees(f, *args)


def through(e, eps, steps):
    e, h = e.copy(), np.zeros(e.shape[0] - 1)
    for _ in range(steps):
        h += e[1:] - e[:-1]
        e[1:-1] += 0.5 / eps[1:-1] * (h[1:] - h[:-1])
    return np.sum(e * e)


def test_what_a_reverse_loop_does_not_change_is_computed_before_it():
    code = code_of(ccc.gradient(through), A, B, 3)
    assert code.index("over0(") < code.rindex("    for ") and code.count(".append") == 1
    agrees(through, A, B, 3)


def product_of_products(a, x):
    return np.sum((a @ x) @ a)


def shifted(x):
    return np.sum(x[1:] * 2.0) + np.sum(x[:-1] + x[1:])


def joined(x, y):
    return np.sum(np.concatenate([x, y[1:-1], x]) * 3.0)


def inner_sizes(x, n):
    total = 0.0
    for i in range(n):
        total += np.mean(x[i:] @ x[i:].T)
    return total


def parts_between(x, n):
    y = np.zeros(len(x))
    for i in range(n):
        y[i : i + 3] += x[i : i + 3] * 2.0
        y[i + 1 :] -= np.sum(x[i:]) * 0.5
    return np.sum(y)


def of_sizes(x):
    y = np.exp(x[2:-1])
    return np.sum(x) * y.shape[0] + len(np.transpose(x[:-1]))


def made_of_sizes(x):
    n = x[1:-1].shape[0]
    y = np.zeros(n) + x[1 : n + 1]
    return np.sum(y * np.ones(x.shape[0] - 2))


@pytest.mark.parametrize(("f", "args"), [
    (product_of_products, (M, R.random(7))), (shifted, (A,)), (joined, (A, B)), (inner_sizes, (M, 5)),
    (parts_between, (A, 5)), (of_sizes, (A,)), (made_of_sizes, (A,)), (shifted, (A[:2],)), (shifted, (A[:1],)),
    (joined, (A[:1], B[:2])), (of_sizes, (A[:3],)), (made_of_sizes, (A[:3],)), (made_of_sizes, (A[:2],)),
])
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_programs_whose_sizes_are_known_agree(f, args, backend):
    agrees_in_value(f, *args)
    with np.errstate(all="ignore"):
        found = ccc.gradient(f, wrt=0, backend=backend)(*args)
    x, step = args[0], 1e-6
    for place in np.ndindex(x.shape):
        there = [np.where([i == place for i in np.ndindex(x.shape)], s * step, 0.0).reshape(x.shape) if x.ndim == 1
                 else bump(x.shape, place, s * step) for s in (1, -1)]
        slope = (f(x + there[0], *args[1:]) - f(x + there[1], *args[1:])) / (2 * step)
        np.testing.assert_allclose(found[place], slope, rtol=1e-5, atol=1e-6)


def bump(shape, place, by):
    found = np.zeros(shape)
    found[place] = by
    return found


def test_a_product_whose_sizes_are_equal_is_not_computed_for_its_sizes():
    code = code_of(ccc.gradient(shifted), A)
    assert "+ x" not in code and "unbroadcast" not in code


def raising(x, y):
    np.linalg.inv(np.outer(x, y))  # nobody reads it
    return np.sum(x)


def test_what_may_raise_is_computed_though_only_its_sizes_are_read():
    x = np.zeros(2)
    with pytest.raises(np.linalg.LinAlgError):
        raising(x, x)
    with pytest.raises(np.linalg.LinAlgError):
        ccc.gradient(raising)(x, x)


def of_other_sizes(x, y):
    return np.sum(x[1:] + y[1:])


def test_sizes_that_differ_still_raise():
    with pytest.raises(ValueError, match="broadcast"):
        ccc.gradient(of_other_sizes)(A, B[:5])
    found = ccc.gradient(of_other_sizes)(A, B[:2])
    np.testing.assert_array_equal(found[1], [0.0, 8.0])
    np.testing.assert_array_equal(ccc.gradient(of_other_sizes)(A[:2], B)[0], [0.0, 8.0])


def at_places(x, places):
    y = np.zeros(len(x))
    for i in range(len(places)):
        y[places[i] : places[i] + 2] += x[places[i] : places[i] + 2] * 2.0
    return np.sum(y)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_number_may_be_an_item_of_an_array(backend):
    found = ccc.gradient(at_places, wrt=0, backend=backend)(A, X)
    np.testing.assert_array_equal(found, [2.0, 6.0, 6.0, 4.0, 2.0, 0.0, 0.0, 0.0, 0.0])


def atax(a, x):
    return np.sum((a @ x) @ a)


def unread(a, b, x):
    _ = np.concatenate([a[1:] * b[1:], b])
    _ = (a @ x) @ a
    for _ in range(3):
        c = b.copy()
        c[1:] = 2.0 * a[1:] + b[:-1]
    return np.sum(x)


def test_a_product_that_nobody_reads_is_not_computed_where_its_sizes_fit():
    code = code_of(ccc.gradient(atax, wrt=(0, 1)), M, R.random(7))
    assert code.count("@") == 4  # a @ x, what the cotangents are, and the sum of two outer products
    code = code_of(ccc.gradient(unread, wrt=2), M, M, R.random(7))
    assert "@" not in code and "for t" not in code and "concatenate" not in code


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("b", [M[:3], M[:, :3], M[:5, :5], M[:2], M[:1]])
def test_what_nobody_reads_raises_where_sizes_do_not_fit(b, backend):
    gradient = ccc.gradient(unread, wrt=2, backend=backend)
    for _ in range(4):
        np.testing.assert_array_equal(gradient(M, M, R.random(7)), np.ones(7))
    x = R.random(7)
    with pytest.raises(ValueError) as expected:
        unread(M, b, x)
    with pytest.raises(ValueError) as found:
        gradient(M, b, x)
    assert str(found.value) == str(expected.value)
    with pytest.raises(ValueError, match="matmul"):
        gradient(M, M, R.random(6))


def test_of_every_second_place_the_sizes_are_known():
    def smoothed(u):
        u = u.copy()
        for _ in range(3):
            u[1:-1:2] = 0.5 * u[1:-1:2] + 0.25 * (u[:-2:2] + u[2::2])
            u[2:-1:2] = 0.5 * u[2:-1:2] + 0.25 * (u[1:-2:2] + u[3::2])
        return np.sum(u * u)

    code = ccc.explain(ccc.gradient(smoothed, backend="numpy"), np.ones(6)).code
    assert "unbroadcast" not in code and "append" not in code
    for n in range(9):
        agrees(smoothed, np.sin(np.arange(n + 0.0)))


def differences_of(xs):
    return [len(xs) * (b - a) for a, b in zip(xs, xs[1:], strict=False)]  # noqa: RUF007


LISTS = [
    lambda x: differences_of(differences_of([*x]))[0],
    lambda x: len([a * b for a, b in zip(x, x[2:], strict=False)]) * x[0],
    lambda x: len([a * b for a, b in zip(x[1:], x, strict=False)]) * x[0],
    lambda x: sum([len(differences_of(x)) * a for a, _ in zip(differences_of(x), x[3:], strict=False)]),
]


@pytest.mark.parametrize("f", LISTS)
def test_a_list_made_along_sequences_is_as_long_as_the_shortest(f):
    for n in (9, 5, 4):
        agrees(f, R.random(n))


def last_of_some(x, y):
    for a, b in zip(x, y, strict=False):
        last = np.exp(a * b)
    return last.sum()


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_a_loop_surely_runs_where_its_shortest_sequence_has_items(backend):
    x = R.random((3, 4))
    for n in (2, 3, 5):
        agrees(last_of_some, x, R.random((n, 4)))
    with pytest.raises(UnboundLocalError):
        ccc.gradient(last_of_some, backend=backend)(x, R.random((0, 4)))


def emitted(seen, A, B, first):
    for _ in range(2):
        alpha = np.zeros((len(seen), 2))
        alpha[0] = first * B[:, seen[0]]
        for t in range(1, len(seen)):
            alpha[t] = (alpha[t - 1] @ A) * B[:, seen[t]]
        new = B.copy()
        for k in range(B.shape[1]):
            new[:, k] = alpha[np.array(seen) == k].sum(0)
        B = new / alpha.sum(0)[:, None]
    return (B**2).sum()


def test_rows_made_for_the_items_of_a_list_are_as_many_as_these():
    assert "-2" not in ccc.explain(emitted, [0, 1, 2, 1], R.random((2, 2)), R.random((2, 3)), R.random(2)).code
    for found in ([0, 1, 2, 1, 2], [0, 2, 1]):
        agrees(lambda A, B, first, seen=found: emitted(seen, A, B, first),
               R.random((2, 2)), R.random((2, 3)), R.random(2))
