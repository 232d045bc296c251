"""Outer products that a reverse loop adds up are one product behind it: derivatives are the same, in both targets."""

import numpy as np
import pytest

import ccc
from ccc.compile.passes import batched_products

BACKENDS = ("numpy", "native")


def recurrent(w, u, xs, h):
    loss = 0.0
    for t in range(xs.shape[0]):
        h = np.tanh(w @ h + u @ xs[t])
        loss += np.sum(h * h)
    return loss


def samples(w, xs, ys):
    loss = 0.0
    for x, y in zip(xs, ys, strict=True):
        loss += np.sum((np.tanh(w @ x) - y) ** 2)
    return loss


def lower_products(x, scale):
    n = x.shape[1]
    out = np.zeros((n, n))
    for i in range(n):
        out[i:, i] = out[i, i:] = x[:, i] @ x[:, i:] / scale
    return np.sum(np.sin(out))


def behind(x, scale):
    n = x.shape[1]
    out = np.zeros((n, n))
    for i in range(n - 1):
        out[i + 1 :, i] = out[i, i + 1 :] = x[:, i] @ x[:, i + 1 :] * scale
    return np.sum(out**3)


def rows(x, y):
    total = 0.0
    for i in range(x.shape[0]):
        v = y[:, : x.shape[1]] @ x[i]
        total += np.sum(v * v)
    return total


def blocks(w, xs):
    loss = 0.0
    for i in range(xs.shape[0]):
        loss += np.sum(np.sin(w[1:, :-1] @ xs[i]))
    return loss


def twice(w, xs):
    loss = 0.0
    for _ in range(2):
        for i in range(xs.shape[0]):
            loss += np.sum(np.tanh(w @ np.tanh(w @ xs[i]))) * loss if i else np.sum(w @ xs[i])
    return loss


def stages(w, xs):
    loss = 0.0
    for i in range(xs.shape[0]):
        first = w @ xs[i]
        second = w @ (xs[i] + np.sin(first))
        loss += np.sum(np.cos(second) * (w @ (second - first)))
    return loss


def least_squares(w, x, rate):
    for _ in range(3):
        x = x - rate * (w.T @ (w @ x - 1.0))
    return np.sum(x * x)


def balanced(c, a, b):
    k, v = np.exp(-c), np.ones(b.shape[0])
    for _ in range(4):
        u = a / (k @ v)
        v = b / (k.T @ u)
    return np.sum(u[:, None] * k * v[None] * c)


def changing(w, xs):
    for i in range(xs.shape[0]):
        w = w * 0.9 + np.outer(np.sin(w @ xs[i]), xs[i])
    return np.sum(w * w)


R = np.random.default_rng(3)
CASES = {
    recurrent: (R.normal(size=(4, 4)) / 3, R.normal(size=(4, 2)), R.normal(size=(5, 2)), R.normal(size=4)),
    samples: (R.normal(size=(3, 4)), R.normal(size=(6, 4)), R.normal(size=(6, 3))),
    lower_products: (R.normal(size=(6, 5)), 5.0),
    behind: (R.normal(size=(6, 5)), 0.3),
    rows: (R.normal(size=(4, 3)), R.normal(size=(5, 7))),
    blocks: (R.normal(size=(4, 5)), R.normal(size=(6, 4))),
    twice: (R.normal(size=(3, 3)) / 2, R.normal(size=(4, 3))),
    stages: (R.normal(size=(3, 3)) / 2, R.normal(size=(4, 3))),
    least_squares: (R.normal(size=(4, 3)) / 2, R.normal(size=3), 0.3),
    balanced: (R.uniform(size=(4, 5)), R.uniform(0.5, 1.0, size=4), R.uniform(0.5, 1.0, size=5)),
    changing: (R.normal(size=(3, 3)) / 2, R.normal(size=(4, 3))),
}


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch):
    monkeypatch.setattr(batched_products, "LARGE", 0)
    monkeypatch.setattr(batched_products, "ROWS", 10**6)


def along(g, args, moves):
    found = g(*args)
    return sum(np.sum(a * m) for a, m in zip(found if isinstance(found, tuple) else (found,), moves, strict=True))


def quotient(f, args, moves, step=1e-4):
    def at(k):
        return f(*[a + k * step * m if isinstance(a, np.ndarray) else a for a, m in zip(args, moves, strict=True)])

    return (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12.0 * step)


def moves_of(args):
    r = np.random.default_rng(7)
    return [r.normal(size=a.shape) if isinstance(a, np.ndarray) else 0.0 for a in args]


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_gradients_are_those_of_quotients(f, backend):
    args = CASES[f]
    wrt = [i for i, a in enumerate(args) if isinstance(a, np.ndarray)]
    g = ccc.gradient(f, wrt=wrt, backend=backend)
    moves = moves_of(args)
    assert along(g, args, [moves[i] for i in wrt]) == pytest.approx(quotient(f, args, moves), rel=1e-7)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [recurrent, lower_products, blocks], ids=lambda f: f.__name__)
def test_second_derivatives_are_those_of_quotients(f, backend):
    args = CASES[f]
    moves = moves_of(args)

    def slope(*xs):
        g = ccc.gradient(f)(*xs)
        return np.sum(np.sin(g[0] if isinstance(g, tuple) else g))

    g = ccc.gradient(slope, backend=backend)
    first = [moves[0], *[0.0 * m for m in moves[1:]]]
    found = g(*args)
    found = found[0] if isinstance(found, tuple) else found
    assert np.sum(found * moves[0]) == pytest.approx(quotient(slope, args, first), rel=1e-6)


@pytest.mark.parametrize("f", [f for f in CASES if f is not changing], ids=lambda f: f.__name__)
def test_the_loop_has_no_outer_product(f):
    args = CASES[f]
    wrt = [i for i, a in enumerate(args) if isinstance(a, np.ndarray)]
    code = ccc.explain(ccc.gradient(f, wrt=wrt, backend="numpy"), *args).code
    assert "np.outer" not in code or f is twice
    assert "@" in code.partition("errstate")[2]
    assert "np.stack" not in code


@pytest.mark.share(2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [recurrent, lower_products, stages], ids=lambda f: f.__name__)
def test_gradients_in_floats_are_those_in_doubles(f, backend):
    args = [a for a in CASES[f] if isinstance(a, np.ndarray)]
    rest = CASES[f][len(args) :]
    g = ccc.gradient(f, wrt=list(range(len(args))), backend=backend)
    expected = g(*args, *rest)
    for dtypes in ([np.float32] * len(args), [(np.float32, np.float64)[i % 2] for i in range(len(args))]):
        given = [a.astype(dtype) for a, dtype in zip(args, dtypes, strict=True)]
        for x, y, a in zip(g(*given, *rest), expected, given, strict=True):
            assert x.dtype == a.dtype and np.allclose(x, y, rtol=0, atol=1e-5 * np.max(np.abs(y)))
    assert "np.outer" not in ccc.explain(g, *[a.astype(np.float32) for a in args], *rest).code


def test_a_sum_that_the_loop_reads_stays():
    code = ccc.explain(ccc.gradient(changing, wrt="w", backend="numpy"), *CASES[changing]).code
    assert "np.outer" in code.partition("errstate")[2]


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_run_and_one_run(backend):
    w = R.normal(size=(3, 4))
    g = ccc.gradient(samples, wrt="w", backend=backend)
    for n in (2, 0, 1):
        xs, ys = R.normal(size=(n, 4)), R.normal(size=(n, 3))
        move = R.normal(size=w.shape)
        expected = quotient(samples, (w, xs, ys), (move, 0.0 * xs, 0.0 * ys))
        assert np.sum(g(w, xs, ys) * move) == pytest.approx(expected, rel=1e-7, abs=1e-12)


def test_a_small_array_is_added_to_in_the_loop(monkeypatch):
    monkeypatch.setattr(batched_products, "LARGE", 1024)
    code = ccc.explain(ccc.gradient(samples, wrt="w", backend="numpy"), *CASES[samples]).code
    assert "np.outer" in code


def test_many_runs_keep_no_rows(monkeypatch):
    monkeypatch.setattr(batched_products, "ROWS", 4)
    monkeypatch.setattr(batched_products, "FEW", 50)
    w = np.ones((3, 4))
    for n, batched in ((4, True), (400, False)):
        xs, ys = np.ones((n, 4)), np.ones((n, 3))
        code = ccc.explain(ccc.gradient(samples, wrt="w", backend="numpy"), w, xs, ys).code
        assert ("np.outer" not in code) == batched


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_array_that_only_the_loop_makes_may_be_missing(backend):
    """Its sizes are those of each run where there surely is one, and no others are known else."""

    def at_times(c, a, n):
        k = np.exp(-c)
        for _ in range(n):
            u = a / (k @ a)
            a = np.sqrt(u)
        return np.sum(u[:, None] * k)

    c, a = R.uniform(size=(4, 4)), R.uniform(0.5, 1.0, size=4)
    g = ccc.gradient(at_times, wrt="c", backend=backend)
    for n in (3, 1):
        move = R.normal(size=c.shape)
        expected = quotient(at_times, (c, a, n), (move, 0.0 * a, 0))
        assert np.sum(g(c, a, n) * move) == pytest.approx(expected, rel=1e-7)
    with pytest.raises(UnboundLocalError):
        g(c, a, 0)
