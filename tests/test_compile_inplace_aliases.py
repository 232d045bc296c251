"""An array has one identity: a change of it is seen under every name, in records, through views and in helpers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from checks import agrees, agrees_in_value, runs_in_stores

import ccc
from ccc.compile.diagnostics import CompileError

X = np.array([0.5, 0.61, 0.7, 0.8])
M = np.array([[0.5, 0.6, 0.1], [0.2, 0.9, 0.4], [0.3, 0.35, 0.8]])


def seen_through_a_view(x):
    a = x * 1.0
    b = a[1:]
    a[1] = x[0] * 3.0
    return np.sum(b * b)


def written_through_a_view(x):
    a = x * 1.0
    b = a[1:]
    b[0] = x[0] ** 2
    b *= 2.0
    b[::-2] += x[:2]
    return np.sum(a * a)


def rows(m):
    a = m * 1.0
    row = a[1]
    row += a[0] * 2
    row[0] = m[2, 2]
    a[1][2] = m[0, 0] * m[1, 1]
    for i in range(3):
        r = a[i]
        r += m[0]
        r[i] = m[i, 0] * r[i - 1]
    return np.sum(a * a)


def transposed(m):
    a = m * 1.0
    a.T[0] = m[1] * m[2]
    a.T[1, 2] = m[0, 0] ** 2
    t = a.T
    t += m
    return np.sum(a * a * m)


def reshaped(x):
    a = np.zeros((2, 2))
    a.reshape(-1)[1] = x[0] ** 2
    f = a.reshape(4)
    f[2:] = x[:2] * x[1]
    return np.sum(a * a) + f[1]


def keys(m):
    a = m * 1.0
    a[..., 0] = m[1]
    a[:, None][1] = m[0, 0]
    a[:, -1] = 1.5 * m[0]
    a[1] = 2.0
    a[[0, 2]] = a[[2, 0]]
    c = m[0] * 1.0
    large = m[0] > 0.3
    c[large] = m[1, 1]
    c[~large] *= 3.0
    c[np.array([0, 1, 0])] += m[2]
    return np.sum(a * a * m) + np.sum(c * c)


def two_names(x):
    w = u = x * 2
    f = lambda v=w: np.sum(v * v)  # noqa: E731
    w += x
    return np.sum(u * w) + f()


def add_first(a, v):
    a[0] += v
    return a


def in_helpers(x):
    def fill(b, v):
        b[0] = v * v

    a = x * 1.0
    fill(a, x[1])
    fill(a[1:], x[2])
    b = add_first(a, x[1])
    b[1] = x[3] * x[2]
    return np.sum(a * x) + b[0]


def within_an_expression(x):
    a = x * 1.0
    return a[0] * 1.0 + add_first(a, x[1])[0] * a[0]


def smooth(a):
    for i in range(1, len(a)):
        a[i] += 0.5 * a[i - 1]


def helpers_in_loops_and_branches(x):
    a = x * x
    for k in range(3):
        smooth(a)
        if a[0] * k > 0.3:
            smooth(a[1:])
    i = 1
    while i < len(x) and a[i - 1] < 5.0:
        smooth(a)
        a[i] *= 1.5
        i += 1
    a[0] += a[3]
    return np.sum(a * x)


def read_by_a_closure(x):
    a = x * 1.0

    def total():
        return np.sum(a * x)

    s = total()
    a[0] = x[1] * 5
    return s * total()


@dataclass
class Layer:
    w: np.ndarray
    b: np.ndarray

    def scale(self, k):
        self.w *= k
        self.b[0] = k


def in_records(m):
    layer = Layer(m * 1.0, np.zeros(3))
    layer.w[0, 0] = m[1, 1] ** 2
    layer.w += m
    layer.b[1:] += m[0, 1:] * 2
    layer.scale(m[2, 0])
    d = {"x": np.ones(3), "layer": layer}
    d["x"][1] = m[0, 0]
    d["layer"].w[2, 2] = 3 * m[1, 2]
    d["x"] += m[1]
    t = (d["x"], layer)
    t[0][0] = m[2, 0]
    xs = [np.zeros(3), np.ones(3)]
    xs[0][1] = m[0, 1]
    xs[1] += m[2]
    xs[1][0] *= m[0, 0]
    return np.sum(layer.w * layer.w) + np.sum(layer.b) + np.sum(d["x"] ** 2) + np.sum(xs[0] * xs[1])


def records_in_loops(m):
    layer = Layer(m * 1.0, np.zeros(3))
    for i in range(3):
        layer.b[i] = m[i, i] * layer.w[0, i]
        if m[i, 0] > 0.25:
            layer.w[i] += layer.b
        else:
            layer.w[0, i] = m[i, i]
    return np.sum(layer.w * layer.w) + np.sum(layer.b)


def with_out(m):
    buf = np.zeros((3, 3))
    np.matmul(m, m, out=buf)
    np.add(buf, m, buf)
    np.sin(m[1:], out=buf[1:])
    np.sum(m, axis=0, out=buf[0])
    c = np.zeros(3)
    np.cumsum(m[0], out=c)
    np.clip(c, 0.1, 1.0, out=c)
    np.multiply(m[0], 2.0, out=buf)
    wide = np.ones((2, 3))
    np.add(c, m[1], out=wide)
    return np.sum(buf * m) + np.sum(c * c) + np.sum(wide * wide)


def with_functions_that_write(x):
    a = np.zeros((2, 4))
    np.copyto(a, x)
    np.copyto(a[0], x * x, where=x > 0.65)
    a[1].fill(x[0])
    b = np.zeros(3)
    np.add.at(b, np.array([0, 1, 0, 2]), x * x)
    np.subtract.at(b, [0, 0], x[:2])
    np.put(b, [1], x[3] ** 2)
    return np.sum(a * a) + np.sum(b * b)


def memoized(memo, n, x):
    if n < 2:
        memo[n] = x[n]
    else:
        memoized(memo, n - 1, x)
        memo[n] = memo[n - 1] * x[0] + memo[n - 2] * x[1]
    return memo[n]


def by_recursion(x):
    memo = np.zeros((2, 7))
    v = memoized(memo[1], len(x) + 2, x)
    return np.sum(memo * memo) + v


def returned(memo, n, x):
    if n == 0:
        return memo
    memo[n] = memo[n - 1] * x[n % 4] + x[0]
    return returned(memo, n - 1, x)


def by_a_recursion_that_returns_it(x):
    memo = x * 2.0
    again = returned(memo, 3, x)
    again[0] = x[1] ** 3
    return np.sum(memo * memo * x)


def halves(a, low, high, x):
    if high - low < 2:
        a[low] = a[low] * x[0]
        return
    middle = (low + high) // 2
    halves(a, low, middle, x)
    halves(a, middle, high, x)
    s = a[low] + a[middle]
    a[low] = s * x[1]
    a[middle] = s - a[high - 1]


def by_halves(x):
    a = x * x
    halves(a, 0, len(x), x)
    return np.sum(a * a)


def by_a_closure_in_loops(x):
    a = np.zeros(4)

    def down(n):
        if n > 0:
            a[n] += x[n] * a[n - 1]
            down(n - 1)

    for k in range(3):
        a[0] = x[k]
        if x[k] > 0.55:
            down(3)
        else:
            a *= 2.0
    return np.sum(a * a)


def of_a_record(x):
    layer = Layer(x * 1.0, x * 2.0)

    def train(n):
        if n > 0:
            layer.w -= 0.1 * layer.w * x
            layer.w[n] = 0.5 * x[0]
            train(n - 1)

    train(3)
    return np.sum(layer.w**2)


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [
    seen_through_a_view, written_through_a_view, rows, transposed, reshaped, keys, two_names, in_helpers,
    within_an_expression, helpers_in_loops_and_branches, read_by_a_closure, in_records, records_in_loops, with_out,
    with_functions_that_write, by_recursion, by_a_recursion_that_returns_it, by_halves, by_a_closure_in_loops,
    of_a_record,
])
def test_changes_agree(f: Callable[..., Any]):
    agrees(f, M.copy() if f.__code__.co_varnames[0] == "m" else X.copy())


def narrower(x):
    a = np.zeros(4, dtype=np.float32)
    a[1:3] = x[1:3]
    n = np.zeros(4, dtype=int)
    n[1] = x[1] * 10
    n[2:] = x[:2] * 10
    return a, n


def wrong_shape(x):
    a = np.zeros(3)
    a[:] = x
    return a


def out_of_range(x):
    a = np.zeros(3)
    a[len(x)] = 1.0
    return a


def out_of_another_shape(x):
    a = np.zeros(3)
    np.multiply(x, x, out=a)
    return a


def rows_of_wrong_shape(x):
    a = np.zeros((2, 3))
    np.copyto(a, x)
    return a


@pytest.mark.parametrize("f", [narrower, wrong_shape, out_of_range, rows_of_wrong_shape])
def test_casts_and_errors_are_those_of_numpy(f: Callable[..., Any]):
    agrees_in_value(f, X.copy())


def test_a_buffer_of_another_shape_is_an_error():
    with pytest.raises(ValueError, match="shape"):
        ccc.gradient(lambda x: np.sum(out_of_another_shape(x)))(X)


def one_of_two(x):
    a = x * 1.0
    b = a if x[0] > 0 else x * 2.0
    b[0] = 1.0
    return np.sum(a)


def twice_in_a_recursion(x):
    def f(p, q, n):
        if n == 0:
            return 0.0
        p[0] = q[1] * 2
        return f(p, q, n - 1) + p[0]

    a = x * 1.0
    return f(a, a, int(x[0] + 3.0))


def perhaps_a_view_held(x):
    a = x.reshape(2, 2) * 1.0
    return np.sum(a.reshape(4)[:2] * add_first(a, x[0])[0])


@pytest.mark.parametrize(("f", "message"), [
    (perhaps_a_view_held, "may share memory with `a`, which was changed in place"),
])
def test_what_cannot_be_seen_through_is_refused_by_name(f: Callable[..., Any], message: str):
    with pytest.raises(CompileError) as caught:
        ccc.value_with_pullback(f)(X.copy())
    assert message in str(caught.value)


@pytest.mark.parametrize(("f", "message"), [
    (one_of_two, "cannot assign into `b`: it is also reachable as `a`"),
    (twice_in_a_recursion, "cannot assign into `p`: it is also reachable as `q`"),
])
def test_what_two_names_lead_to_stands_in_a_store(f: Callable[..., Any], message: str):
    runs_in_stores(lambda x: np.sum(f(x)), X.copy(), says=message)


def product_into(v: np.ndarray, n: int) -> float:
    out = np.zeros(n)
    np.matmul(np.array([[1.0, v[0]]]), v, out=out)
    return out[0] * v[1]


def product_into_a_column(v: np.ndarray, n: int) -> float:
    out = np.zeros((n, 1))
    np.matmul(np.array([[1.0, v[0]]]), v, out=out)
    return out[0, 0]


def test_products_are_not_broadcast_to_what_they_are_written_to():
    v = np.array([2.0, 3.0])
    agrees(lambda v: product_into(v, 1), v)
    for f in (product_into, ccc.compiled(product_into)):
        with pytest.raises(ValueError, match="shape|mismatch"):
            f(v, 3)
    with pytest.raises(ccc.CCCError, match="shape"):
        ccc.compiled(product_into_a_column)(v, 3)


def sums_into(v: np.ndarray, m: np.ndarray) -> float:
    out = np.zeros(2)
    np.cumsum(m, out=out)
    return np.sum(out * v)


def test_sums_are_written_to_arrays_of_their_own_dtype():
    """NumPy adds up in the dtype of `out`, whatever that of the argument is."""
    v = np.array([2.0, 3.0])
    agrees(sums_into, v, v)
    with pytest.raises(ccc.CCCError, match="float32"):
        ccc.compiled(sums_into)(v, v.astype(np.float32))


def made_anew_beside_a_sum(x: np.ndarray) -> float:
    """The loop is read again once it is known what it carries; what the first reading changed does not count then."""
    c, total = x.copy(), 0.0
    for _ in range(3):
        c[0] += 1.0
        c = c * 2.0
        total += c[-1]
    return np.sum(c * c) + total


def made_anew_beside_a_list(x: np.ndarray) -> float:
    c, left = x.copy(), []
    for _ in range(3):
        c[0] += x[1]
        c = c * 0.5
        left.append(c[-1])
    return np.sum(c * c) + sum(left)


def made_anew_under_another_name(x: np.ndarray) -> float:
    c, d, total = x.copy(), x.copy(), 0.0
    for _ in range(3):
        d = c
        d[0] += 1.0
        total += c[0]
        c = c * 2.0
    return np.sum(c) + total + np.sum(d * d)


@pytest.mark.parametrize("f", [made_anew_beside_a_sum, made_anew_beside_a_list, made_anew_under_another_name])
def test_an_array_that_a_loop_changes_may_be_made_anew(f: Callable[..., Any]):
    agrees(f, X)


IN_ORDER: list[Callable[[Any], Any]] = [
    lambda a: a[1],
    lambda a: a[1:],
    lambda a: a[...],
    lambda a: a[None, 1:],
    lambda a: a[1, :1],
    lambda a: a[[2, 0, 1]],
    lambda a: a[1:] * 2.0,
]
ELSEWHERE: list[Callable[[Any], Any]] = [
    lambda a: a[:, 1:],
    lambda a: a[::2],
    lambda a: a.T[1:],
    lambda a: a.T[[1, 0]],
    lambda a: a[:, [1, 0]],
]


def folded(x: float, taken: Callable[[Any], Any]) -> Any:
    a = np.arange(18.0).reshape(3, 3, 2) * x
    b = taken(a)
    b.reshape(-1)[1] = 5.0 * x
    b.ravel()[0] += x
    return np.sum(a * a) + 3.0 * np.sum(b * b)


@pytest.mark.parametrize("taken", IN_ORDER)
def test_a_reshape_of_rows_that_lie_one_behind_another_is_a_view(taken: Callable[[Any], Any]) -> None:
    """It was refused where the rows are part of an array, or taken at places."""
    agrees(lambda x: folded(x, taken), 1.5, second=False)


@pytest.mark.parametrize("taken", ELSEWHERE)
def test_a_reshape_of_other_parts_is_what_numpy_makes_or_refused(taken: Callable[[Any], Any]) -> None:
    try:
        found = ccc.gradient(lambda x: folded(x, taken))(1.5)
    except CompileError:
        return
    assert found == pytest.approx((folded(1.5 + 1e-6, taken) - folded(1.5 - 1e-6, taken)) / 2e-6, rel=1e-6)


class Trained:
    def __init__(self, w: Any) -> None:
        self.w = w
        self.seen: list[Any] = []

    def step(self, g: float) -> None:
        self.w -= 0.5 * g
        self.seen.append(self.w)


def in_a_list(x: float, n: int) -> float:
    a, seen = np.zeros(2), []
    for i in range(n):
        a += x * (i + 1.0)
        seen.append(a)
    return float(sum([v[0] * (k + 1.0) for k, v in enumerate(seen)]))


def in_a_dict_and_a_tuple(x: float, n: int) -> float:
    a, by_run, pairs = np.zeros(2), {}, ()
    for i in range(n):
        a[i % 2] = x + i
        by_run[i] = a
        pairs += ((i, a),)
    return float(sum([v[0] for v in by_run.values()]) + sum([k * v[1] for k, v in pairs]))


def rows_in_a_list(x: float, n: int) -> float:
    m, seen = np.zeros((2, 2)), []
    for i in range(n):
        row = m[i % 2]
        row += x
        seen.append(row)
    return float(sum([v.sum() * (k + 1.0) for k, v in enumerate(seen)]))


def in_an_object(x: float, n: int) -> float:
    model = Trained(np.array([x, 1.0]))
    for i in range(n):
        model.step(1.0 + i)
    return float(sum([v[0] * (k + 1.0) for k, v in enumerate(model.seen)]))


@pytest.mark.parametrize("n", [0, 3])
@pytest.mark.parametrize("f", [in_a_list, in_a_dict_and_a_tuple, rows_in_a_list, in_an_object])
def test_what_a_loop_puts_somewhere_sees_what_its_next_runs_change(f: Callable[..., float], n: int) -> None:
    agrees(f, 1.3, n, second=False)
