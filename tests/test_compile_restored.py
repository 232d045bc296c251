"""Arrays that a derivative takes a part of and puts it back: they are left as they are."""

import re

import numpy as np
import pytest

import ccc


def accumulated(x):
    y = np.ones(4)
    for i in range(len(x)):
        y[i % 4] += x[i] ** 2
    return np.sum(y**3)


def parts(x):
    y = np.zeros((3, 3))
    y[1:, :2] += x
    y[0] += y[2]
    return np.sum(np.sin(y))


def repeated(x):
    """Items that are named twice count once."""
    y = np.zeros(3)
    places = np.array([0, 1, 1])
    y[places] += x
    return np.sum(y**2)


def between(x):
    """Something else is added between."""
    y = x * 1.0
    for i in range(1, len(x)):
        y[i] = y[i] + y[i - 1] * x[i]
    return np.sum(y**2)


def overwritten(x):
    y = x * 1.0
    for i in range(len(x) - 1):
        y[i] = y[i] * y[i] + x[i + 1]
        y[i + 1] = y[i]
    return np.sum(y**2)


def other(x):
    """What is put back is another item."""
    y = x * 1.0
    y[0] = y[1] * 3.0
    y[1] = y[0] + x[2]
    return np.sum(y**2)


def after_the_loop(x):
    """The array is read once more, as it was."""
    y = np.zeros(3)
    for i in range(3):
        y[i] += x[i]
    z = y.copy()
    for i in range(3):
        y[i] += z[i] * x[i]
    return np.sum(y**2) + np.sum(z * y)


ALL = [
    (accumulated, 11), (parts, (2, 2)), (repeated, 3), (between, 5), (overwritten, 5), (other, 3), (after_the_loop, 3),
]


@pytest.mark.parametrize(("f", "shape"), ALL)
def test_gradients_are_those_of_differences(f, shape):
    x = np.random.default_rng(3).normal(size=shape)
    found = ccc.gradient(f, backend="numpy")(x)
    for k in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[k] = 1e-6
        np.testing.assert_allclose(found[k], (f(x + step) - f(x - step)) / 2e-6, rtol=1e-6, atol=1e-7)
    hessian = ccc.hvp(f, backend="numpy")(x, np.ones_like(x))
    ahead, behind = [ccc.gradient(f, backend="numpy")(x + h) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose(hessian, (ahead - behind) / 2e-6, rtol=1e-5, atol=1e-6)


def code(f, *args):
    text = ccc.explain(ccc.gradient(f), *args).code
    return text[text.index("errstate"):]


def test_what_is_taken_and_put_back_is_only_read():
    def f(x):
        y = np.zeros(2)
        for i in range(2):
            for k in range(len(x)):
                y[i] += x[k] ** (i + 1)
        return np.sum(y * y)

    text = code(f, np.ones(3))
    assert re.search(r"= \w+\[\w+\]", text) and "] = 0.0" not in text and "own(" not in text


def test_parts_are_read_as_python_reads_them():
    """What is zero afterwards is read before."""
    def f(x):
        y = np.zeros((3, 2))
        for i in range(2):
            y[i, 0] = np.sin(x[i])
            y[1:, i] = x * x[i]
        return np.sum(y**3)

    text = code(f, np.ones(2))
    part = re.search(r"(\w+) = \w+\[1:, \w+\]\n", text)
    zeroed = re.search(r"\w+\[1:, \w+\] = 0\.0\n", text)
    assert re.search(r"= \w+\[\w+, 0\]\n", text) and part is not None and zeroed is not None
    assert not re.search(rf"\b{part[1]}\b", text[zeroed.end():])
    x = np.array([0.5, -1.25])
    moved = [(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(2)]
    np.testing.assert_allclose(ccc.gradient(f)(x), moved, rtol=1e-7)


def test_what_is_overwritten_is_set_to_zero():
    assert "] = 0.0" in code(overwritten, np.ones(3))


def test_sizes_of_arrays_that_loops_carry_are_known_outside():
    def f(x, w):
        y = np.zeros((len(x), len(w)))
        for i in range(y.shape[0]):
            for _ in range(2):
                for j in range(y.shape[1]):
                    y[i, j] += x[i] * w[j]
        return np.sum(y * y)

    text = ccc.explain(ccc.gradient(f), np.ones(3), np.ones(2)).code
    before, _, loops = text.partition("for ")
    assert "np.shape" not in loops and "range(" in before and ".append(" not in loops


def test_sizes_of_arrays_like_arguments_are_known_outside():
    def f(x, n):
        y = x.copy()
        for _ in range(n):
            v = y.copy()
            for i in range(1, y.shape[0]):
                for j in range(y.shape[1]):
                    y[i, j] += v[i - 1, j] * v[i, j]
        return np.sum(y * y)

    text = ccc.explain(ccc.gradient(f, wrt="x"), np.ones((3, 4)), 2).code
    before, _, loops = text.partition("for ")
    assert "np.shape(x)" in before and "np.shape" not in loops and "range(" not in loops
    x = np.random.default_rng(1).normal(size=(3, 4))
    found = ccc.gradient(f, wrt="x")(x, 2)
    for k in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[k] = 1e-6
        np.testing.assert_allclose(found[k], (f(x + step, 2) - f(x - step, 2)) / 2e-6, rtol=1e-6, atol=1e-7)
