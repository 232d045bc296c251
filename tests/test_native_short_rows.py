"""Arrays whose rows are shorter than a vector: several rows at once, with the results of one row after the other."""

import numpy as np
import pytest
from native_checks import last_of_a_page, native

import ccc
from ccc.compile.native import target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")


def centred(x, y):
    """A vector taken from each row, and a number from each."""
    return x - y, x * np.sum(x, axis=-1)[..., None], np.max(x, axis=-1)


def of_three(x, y):
    return np.sum(x, axis=(-2, -1)), np.sum(x, axis=-1) + 1.0, x[:, None] + y, np.mean(x, axis=-1, keepdims=True)


def above(x, y):
    return x > y, np.all(x > y, axis=-1), np.count_nonzero(x > y, axis=-1)


def turned(x, y):
    return (x + y).T, x.T @ (x - y), (x + y) @ x.T


@pytest.mark.parametrize("f", [centred, above, turned])
def test_rows_of_every_length(f):
    code = native(f, np.ones((5, 3)), np.ones(3))
    for n in (0, 2, 3, 7, 8, 9, 40):
        for d in (2, 3, 4, 7, 8, 9, 17):
            rng = np.random.default_rng([n, d])
            x, y = rng.normal(size=(n, d)), rng.normal(size=d)
            for found, expected in zip(code(x, y), f(x, y), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)
            np.testing.assert_array_equal(code(x, y)[0], f(x, y)[0])


def test_arrays_of_rank_three():
    code = native(of_three, np.ones((5, 3, 2)), np.ones(2))
    for shape in [(2, 3, 2), (5, 2, 3), (3, 9, 2), (2, 2, 9), (7, 7, 7), (9, 10, 8)]:
        rng = np.random.default_rng(shape)
        x, y = rng.normal(size=shape), rng.normal(size=shape[-1])
        for found, expected in zip(code(x, y), of_three(x, y), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


def test_positions_are_split_into_indices_exactly():
    """The quotient is computed in floating point."""
    def outer(x, y):
        return x[:, None] + y

    code = native(outer, np.ones(5), np.ones(3))
    for d in (2, 3, 5, 6, 7):
        x, y = np.arange(100_003.0), np.arange(d) / 8
        np.testing.assert_array_equal(code(x, y), outer(x, y))


def products(a, b, c):
    return a @ b, a.T @ c, c @ b.T, b.T @ (a.T @ c)


def columns(x, y):
    return np.sum(x * y, axis=0), np.sum(x, axis=0, keepdims=True) + x, np.mean(x - y, axis=0), np.max(x, axis=0)


def of_three_items(x, w, a):
    """Rows whose length the code says."""
    moved = x @ a[:3].T
    out = np.zeros((len(x), 3))
    for i in range(w.shape[1]):
        out += w[:, i : i + 1] * moved
    return out, np.sum(out * out, axis=1), out[:, 0] - out[:, 2], out[::-1, 1]


@pytest.mark.share(4)
@pytest.mark.parametrize("k", [2, 3, 4, 5])
@pytest.mark.parametrize("inner", [1, 2, 3, 4, 9])
def test_products_of_narrow_matrices(inner, k):
    rng = np.random.default_rng([inner, k])
    several = [native(products, np.ones((7, 3)), np.ones((3, 2)), np.ones((7, 2)))]
    for n in (0, 1, 2, 3, 8, 33, 70):
        args = rng.normal(size=(n, inner)), rng.normal(size=(inner, k)), rng.normal(size=(n, k))
        if n in (3, 33):
            several.append(native(products, *args))  # the sizes are constants there
        for code in several:
            for found, expected in zip(code(*args), products(*args), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.share(4)
@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 8, 11])
def test_sums_of_columns(d):
    rng = np.random.default_rng(d)
    several = [native(columns, np.ones((5, 3)), np.ones(3))]
    for n in (1, 2, 3, 4, 7, 16, 19, 101):
        x, y = rng.normal(size=(n, d)), rng.normal(size=d)
        if n == 19:
            several.append(native(columns, x, y))
        for code in several:
            for found, expected in zip(code(x, y), columns(x, y), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.share(3)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 7, 8, 9, 24, 25, 47])
def test_rows_whose_length_the_code_says(n):
    rng = np.random.default_rng(n)
    code = native(of_three_items, np.ones((5, 4)), np.ones((5, 2)), np.ones((4, 4)))
    for bones in (1, 2, 22):
        args = rng.normal(size=(n, 4)), rng.normal(size=(n, bones)), rng.normal(size=(4, 4))
        for found, expected in zip(code(*args), of_three_items(*args), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
        for found, expected in zip(native(of_three_items, *args)(*args), of_three_items(*args), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("d", [2, 3, 4, 5, 7])
def test_nothing_beyond_an_array_is_read(d):
    def f(x, y):
        return x - y, np.sum(x * x, axis=1), x @ np.ones((d, 2)), x[:, 0] * x[:, d - 1], np.sum(x, axis=0), x[::-1]

    with last_of_a_page() as memory:
        y = memory[len(memory) - d :].copy()
        for n in (1, 4, 12, 25):
            x = memory[len(memory) - n * d :].reshape(n, d)
            for code in (native(f, np.ones((5, d)), y), native(f, x, y)):
                for found, expected in zip(code(x, y), f(x, y), strict=True):
                    np.testing.assert_array_equal(found, expected)


def test_sizes_that_do_not_fit_are_refused_on_both_ways():
    def f(x, y, z):
        return (x - y) * z

    code = native(f, np.ones((5, 3)), np.ones(3), np.ones((5, 3)))
    for d in (3, 12):
        with pytest.raises(ValueError, match="broadcast"):
            code(np.ones((5, d)), np.ones(d), np.ones((5, d + 1)))
        with pytest.raises(ValueError, match="broadcast"):
            code(np.ones((5, d)), np.ones(d + 1), np.ones((5, d)))


def test_gradients_of_short_rows():
    def loss(x, y):
        return np.sum(np.sum((x - y) ** 2, axis=1) * np.exp(x[:, 0]))

    for n, d in [(3, 2), (10, 2), (9, 7), (4, 8), (5, 11)]:
        x, y = np.random.default_rng(n).normal(size=(n, d)), np.linspace(0, 1, d)
        found = ccc.gradient(loss, backend="native")(x, y)
        expected = ccc.gradient(loss, backend="numpy")(x, y)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.skipif(not target.engine.cpu().lanes, reason="no vectors here")
@pytest.mark.parametrize("d", ["n", 3])
def test_the_way_is_chosen_by_the_length_of_rows(d, monkeypatch):
    made, lower = [], target.lowered
    monkeypatch.setattr(target, "lowered", lambda *args: made.append(lower(*args)) or made[-1])

    def f(x, y):
        return np.zeros((len(x), 3)) + y if d == 3 else x - y

    g = ccc.compiled(f, backend="native")
    for n, length in ((6, 3), (7, 3 if d == 3 else 2)):  # the first sizes are constants, others are not
        x, y = np.ones((n, length)), np.ones(length)
        np.testing.assert_array_equal(g(x, y), f(x, y))
    text = made[-1].text.partition("@f0(")[2].partition("\n}")[0]
    assert ("many" in text) is (d == "n")
    assert text.count("lanes") > 0


@pytest.mark.parametrize("n", [5, 4096, 20_000])
@pytest.mark.parametrize("d", [2, 3, 5, 7])
def test_sums_of_many_short_rows(n, d):
    """They are gathered by one loop over the rows, beside what else runs along them."""

    def f(x, w):
        y = x - np.mean(x, axis=0)
        v = np.sum(y * y, axis=0, keepdims=True) / len(x)
        return np.sum((y / np.sqrt(v + 0.1)) ** 3 * w) + np.sum(np.sum(x * w, axis=0) ** 2)

    rng = np.random.default_rng(n)
    x, w = rng.normal(size=(n, d)), rng.normal(size=d)
    found, expected = [ccc.value_with_gradient(f, wrt=["x", "w"], backend=b)(x, w) for b in ("native", "numpy")]
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12)
    for a, b in zip(found[1], expected[1], strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10 * np.max(np.abs(b)))


def patterns(x, y, w):
    """What is broadcast to rows of a known length, read several times and summed up."""
    z = np.tanh(x * y + w[:, None])
    u = z - y * np.sum(z)
    return np.sum(u * z), np.sum(u * u * y), u, np.max(z - y)


@pytest.mark.parametrize("d", [2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 31, 32])
def test_short_rows_of_a_known_length_join_loops_over_items(d):
    for n in (7, 8, 100, 1):
        rng = np.random.default_rng([n, d])
        x, y, w = rng.normal(size=(n, d)), rng.normal(size=d), rng.normal(size=n)
        code = native(patterns, x, y, w)
        for k in (n, n + 1, 3 * n + 2):  # whose rows are as long
            rng = np.random.default_rng(k)
            args = rng.normal(size=(k, d)), rng.normal(size=d), rng.normal(size=k)
            for found, expected in zip(code(*args), patterns(*args), strict=True):
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("d", [3, 12])
def test_gradients_of_patterns(d):
    rng = np.random.default_rng(d)
    args = rng.normal(size=(50, d)), rng.normal(size=d), rng.normal(size=50)
    f, g = [ccc.gradient(lambda x, y, w: sum(patterns(x, y, w)[:2]), wrt=["x", "y", "w"], backend=b)(*args)
            for b in ("native", "numpy")]
    for a, b in zip(f, g, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("d", [2, 3, 4, 8, 16])
def test_patterns_in_patterns(d):
    """Where vectors begin with a row, places in it are the numbers of the lanes, of which there are remainders too."""

    def f(x):
        return np.tile(np.tile(x, 2), 2), np.tile(np.repeat(x, 2, axis=1), 3), np.hstack([np.tile(x, 2), x])

    for n in (1, 3, 64):
        x = np.random.default_rng(n).normal(size=(n, d))
        code, back = native(f, x), ccc.value_with_pullback(f, backend="native")
        value, pullback = back(x)
        for found, again, expected in zip(code(x), value, f(x), strict=True):
            np.testing.assert_array_equal(found, expected)
            np.testing.assert_array_equal(again, expected)
        cts = tuple(np.random.default_rng(d).normal(size=y.shape) for y in value)
        np.testing.assert_allclose(
            pullback(cts), ccc.value_with_pullback(f, backend="numpy")(x)[1](cts), rtol=1e-12, atol=1e-12)
