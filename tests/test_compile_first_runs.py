"""Loops that begin with a number and carry an array: the first run is read before the loop, where there is one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from checks import differences

import ccc
from ccc.compile.frontend.elaborate import elaborate
from ccc.compile.program.lam import Loop, While, lets_in
from ccc.objects import Array

RNG = np.random.default_rng(3)
X, W, ROWS = RNG.normal(size=9), RNG.normal(size=4), RNG.normal(size=(3, 9))
NONE = np.zeros(0)


def filtered(x, w):
    n = x.shape[0] - w.shape[0] + 1
    y = 0.0
    for k in range(w.shape[0]):
        y = y + w[k] * x[k : k + n]
    return np.sum(y * y)


def by_rows(x, a):
    y = 1.0
    for row in a:
        y = 0.5 * y + np.sin(row * x)
    return np.sum(y * x)


def side_by_side(x, a):
    y = 0
    for i, (p, q) in enumerate(zip(a, a[::-1], strict=True)):
        y = y * x + i * p + q
    return np.sum(y * x)


def with_a_continue(x, w):
    y = 0.0
    for k in range(len(w) - 1, -1, -1):
        y = 0.5 * y + x
        if w[k] < 0.0:
            continue
        y = y * w[k]
    return np.sum(y * y)


def nested(x, w):
    def sums(scale):
        y = 0.0
        for _ in range(2):
            for k in range(len(w)):
                y = 0.9 * y + scale * w[k] * x
        return y

    return np.sum(sums(1.0) * sums(2.0))


def in_place(x, a):
    y = 0.0
    a = a.copy()
    for i, row in enumerate(a):
        y = y + row * x
        a[i] = 2.0 * row
    return np.sum(y * x) + np.sum(a * a)


def of_a_list(x, w):
    n = x.shape[0] - w.shape[0] + 1
    y = sum([w[k] * x[k : k + n] for k in range(w.shape[0])])
    return np.sum(y * y)


def counted(x, n):
    y = 0.0
    for i in range(2, n):
        y = y * 0.5 + x / i
    return np.sum(y * y)


def to_a_limit(x, n):
    y, k = 0.0, 0
    while k < n and k < 7:
        y = y * 0.5 + x
        if y[0] > 1.9:
            break
        k += 1
    else:
        y = y * 2.0
    return np.sum(y * y)


def to_a_fixed_point(x, a):
    y, moved = 0.0, 1.0
    while moved > 1e-2:
        z = np.cos(0.3 * y + x)
        moved = np.max(np.abs(z - y))
        y = z
    return np.sum(y * y) + np.sum(a)


def left_early(x, w):
    y = 0.0
    for k, v in enumerate(w):
        y = y * 0.5 + v * x
        if k > 1:
            break
        y = np.tanh(y)
    return np.sum(y * y)


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (filtered, (X, W)), (by_rows, (X, ROWS)), (side_by_side, (X, ROWS)), (with_a_continue, (X, W)), (nested, (X, W)),
    (in_place, (X, ROWS)), (of_a_list, (X, W)), (counted, (X, 5)), (to_a_limit, (X, 5)), (left_early, (X, W)),
    (to_a_fixed_point, (X, ROWS)),
]  # fmt: skip


def unranked(f: Any, args: Any) -> list[Any]:
    return [t for let in lets_in(elaborate(f, args, settles=True).program.block) if isinstance(let.op, Loop | While)
            for t in let.targets if isinstance(t.object, Array) and t.object.axes is None]


def wider_numbers(x):
    s = np.float32(0.1)
    for v in x:
        s = s * 0.3 + v
    return s


def wider_arrays(x):
    h = np.full(2, 0.1, dtype=np.float32)
    k = np.arange(2)
    for v in x:
        h = h * 0.3 + v
        k = 0.5 * k + v
    return np.sum(h * k)


@pytest.mark.parametrize("f", [wider_numbers, wider_arrays])
def test_the_first_run_alone_has_numbers_of_another_width(f: Any) -> None:
    for backend in ("numpy", "native"):
        for n in (5, 0, 1, 2):
            value, found = ccc.value_with_gradient(f, backend=backend)(X[:n])
            assert np.isclose(value, f(X[:n]), rtol=1e-14) and type(value) is type(f(X[:n]))
            assert np.allclose(found, differences(f, X[:n]), atol=1e-6)
    verb = ccc.gradient(f, backend="native")
    verb(X)
    assert str(ccc.explain(verb, X).backend) == "native"


@pytest.mark.share(4)
@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_the_arrays_have_a_rank_and_both_targets_give_the_derivative(f: Any, args: Any) -> None:
    wrt = tuple([i for i, a in enumerate(args) if isinstance(a, np.ndarray)])
    assert bool(unranked(f, args)) == (f is in_place)  # which changes what it runs along
    assert ccc.compiled(f, backend="numpy")(*args) == f(*args)
    for options in ({"backend": "numpy"}, {"backend": "native"}, {"exponential": ccc.AdditiveMap()}):
        value, found = ccc.value_with_gradient(f, wrt=wrt, **options)(*args)  # type: ignore[call-overload]
        assert np.isclose(value, f(*args), rtol=1e-12)
        for i, g in zip(wrt, found, strict=True):
            wanted = differences(lambda a, i=i: f(*args[:i], a, *args[i + 1 :]), args[i])
            assert np.allclose(g, wanted, rtol=1e-6, atol=1e-8)


def test_a_loop_that_does_not_run_leaves_the_number() -> None:
    for backend in ("numpy", "native"):
        derive = ccc.gradient(filtered, wrt=(0, 1), backend=backend)
        for w in (W, NONE, W[:2], NONE, W[:3]):
            value = ccc.compiled(filtered, backend=backend)(X, w)
            assert np.isclose(value, filtered(X, w), rtol=1e-12)
            for i, g in enumerate(derive(X, w)):
                args = [X, w]
                wanted = differences(lambda a, i=i, args=args: filtered(*[*args[:i], a, *args[i + 1 :]]), args[i])
                assert np.allclose(g, wanted, rtol=1e-6, atol=1e-8)
    for f in (counted, to_a_limit):
        for n in (5, 2, 0, 3):
            assert np.allclose(ccc.gradient(f)(X, n)[0], differences(lambda x, f=f, n=n: f(x, n), X), atol=1e-8)


def test_a_derivative_inside_a_program_has_the_first_run_apart() -> None:
    def squared(x, w):
        return np.sum(ccc.gradient(filtered, wrt="x")(x, w) ** 2)

    for w in (W, NONE):
        wanted = differences(lambda x, w=w: squared(x, w), X)
        assert np.allclose(ccc.gradient(squared, wrt="x")(X, w), wanted, atol=1e-6)


def test_what_has_another_rank_in_each_run_is_read_whole() -> None:
    def grows(x, n):
        y = 0.0
        for _ in range(n):
            y = np.atleast_1d(y)[None] + x
        return np.sum(y * y)

    assert unranked(grows, (X, 3))
    assert np.allclose(ccc.gradient(grows)(X, 3)[0], differences(lambda x: grows(x, 3), X), atol=1e-6)


def test_an_array_that_a_call_changes_stays_one_where_the_loop_is_read_again() -> None:
    """What was noted of its changes outlived the attempt to read the first run apart: it was refused as shared."""

    def moved(state, v):
        state[0] += v * state[1]
        return state

    def path(x, v, end):
        state, time = np.array(x), 0.0
        rows = np.array(state)
        while time <= end:
            state = moved(state, v)
            rows = np.vstack((rows, state))
            time += 0.25
        return rows[-1, 0] * rows[1, 0]

    for end in (1.0, 0.0):
        assert ccc.compiled(path)(X, 0.5, end) == path(X, 0.5, end)
        wanted = differences(lambda x, end=end: path(x, 0.5, end), X)
        assert np.allclose(ccc.gradient(path, wrt="x")(X, 0.5, end), wanted, atol=1e-6)


def total_of_a_list(rows, x):
    y = 0.0
    for row in rows:
        y = y + row * x
    return np.sum(y * y)


def of_each_by_its_place(rows, x):
    y = 0
    for i in range(len(rows)):
        y = y + rows[i] * x * i
    return np.sum(y * y)


def by_sum(rows, x):
    return np.sum(sum(np.sin(row * x) for row in rows) ** 2)


def beside_its_copy(rows, x):
    y = 1.0
    for row, made in zip(rows, [row * x for row in rows], strict=False):
        y = 0.5 * y + row * made
    return np.sum(y)


def in_a_record(record, x):
    y = 0.0
    for row in record["rows"]:
        y = y * 0.9 + row * x
    return np.sum(y * record["scale"])


@pytest.mark.parametrize("f", [total_of_a_list, of_each_by_its_place, by_sum, beside_its_copy, in_a_record])
def test_a_list_of_arrays_has_items_or_other_code(f: Any) -> None:
    """How many items a list has is a condition of the code, as the sizes of arrays are."""
    rows = [RNG.normal(size=3) for _ in range(5)]
    x = RNG.normal(size=3)
    for backend in ("numpy", "native"):
        verb = ccc.value_with_gradient(f, wrt="x", backend=backend)
        for n in (5, 0, 1, 3, 0, 2):
            given = {"rows": rows[:n], "scale": 0.5} if f is in_a_record else rows[:n]
            value, found = verb(given, x)
            assert np.isclose(value, f(given, x), rtol=1e-13)
            wanted = differences(lambda x, given=given: f(given, x), x)
            assert np.allclose(found, wanted, rtol=1e-6, atol=1e-8)
    given = {"rows": rows, "scale": 0.5} if f is in_a_record else rows
    assert not unranked(f, (given, x))
    assert str(ccc.explain(verb, given, x).backend) == "native"


def test_an_array_that_is_kept_in_each_run_is_refused_with_a_mend() -> None:
    """It was told that the first run gives it another type, and not what to write."""

    def kept(arrays, x):
        total, found = 0.0, []
        for a in arrays:
            total += a * x
            found.append(total)
        return sum(np.sum(t) for t in found)

    with pytest.raises(ccc.CCCError, match=r"CC011[\s\S]*write `total = total \+ ...`"):
        ccc.gradient(kept, wrt="x")([np.ones(3), np.ones(3)], 0.5)


def steps(x, y, n):
    for _ in range(n):
        x += 0.1 * y
        x = np.sin(x)
    return np.sum(x)


def under_two_names(x, y, n):
    v = x
    for i in range(n):
        x += 0.1 * y * i
        x = np.sin(x) * v
    return np.sum(x) * np.sum(v)


def an_item(x, y, n):
    z = x.copy()
    first = z
    for _ in range(n):
        z[0] = y[1] * z[1]
        z = np.sin(z) + x
    return np.sum(z) * first[0]


def within_a_loop(x, y, n):
    for _ in range(n):
        for j in range(2):
            x += y * j
            y = np.cos(y) * x
        x = np.sin(x)
    return np.sum(x) + np.sum(y)


@pytest.mark.parametrize("f", [steps, under_two_names, an_item, within_a_loop], ids=lambda f: f.__name__)
def test_the_first_run_alone_changes_what_others_see(f: Any) -> None:
    """What it changes gives way to an array of the run's own, so the others need no places in stores."""
    x, y = np.array([0.3, 0.5, 0.7]), np.array([0.2, 0.1, 0.9])
    for backend in ("numpy", "native"):
        for n in (3, 1, 0, 2):
            theirs, ours = [(x.copy(), y.copy()) for _ in range(2)]
            expected = f(*theirs, n)
            assert np.isclose(ccc.compiled(f, backend=backend)(*ours, n), expected, rtol=1e-13)
            assert np.allclose(ours, theirs, rtol=1e-14)
            found = ccc.grad(f, argnums=(0, 1), backend=backend)(x.copy(), y.copy(), n)
            wanted = [differences(lambda v, n=n: f(v.copy(), y.copy(), n), x),
                      differences(lambda v, n=n: f(x.copy(), v.copy(), n), y)]
            assert np.allclose(found, wanted, rtol=1e-6, atol=1e-8)
    assert not ccc.explain(f, x.copy(), y.copy(), 3).places
