"""Products of derivatives: numbers are multiplied with what is small, and products with a common factor are one."""

from __future__ import annotations

import numpy as np
import pytest
from checks import agrees
from test_compile_redundancy import code_of

import ccc

R = np.random.default_rng(11)
A, B, X = R.random((4, 5)), R.random((4, 5)), R.random(5)


def scaled_sum(alpha, beta, a, b, x):
    return np.sum(alpha * a @ x + b / beta @ x)


def scaled_products(s, a, x):
    return np.sum(np.exp((-a * s) @ x)) - s * np.sum(a.T @ (a @ x) * 3.0)


def gram(x):
    return np.sum(np.sin(x.T @ x)) + np.sum(np.cos(x @ x.T))


def second_reader(s, a, x):
    b = s * a
    return np.sum(b @ x) + np.sum(b * b)


def covariances(m, x):
    x = x - np.mean(x, axis=0)
    c = np.zeros((m, m))
    for i in range(m):
        c[i:m, i] = c[i, i:m] = x[:, i] @ x[:, i:m] / (len(x) - 1.0)
    return np.sum(c * np.sqrt(1.0 + c))


def three_products(a, b, c):
    return np.sum(np.exp(a @ b) + np.exp(a @ c) + 2.0 * (a @ (b + c)) + a @ b)


def in_a_loop(a, xs):
    s = 0.0
    for x in xs:
        s = s + np.sum(np.tanh(2.0 * a @ x)) + np.sum(np.exp(a.T @ (a @ x)))
    return s


def there_and_back(a, x, y):
    return np.sum(np.sin((a @ x) @ a)) + np.sum(np.exp(a.T @ y)) + np.sum(a)


@pytest.mark.parametrize(("f", "args"), [
    (there_and_back, (A, X, X[:4])), (there_and_back, (A[:1], X, X[:1])), (there_and_back, (A[:, :1], X[:1], X[:4])),
    (there_and_back, (A[:0], X, X[:0])),
    (scaled_sum, (1.5, 2.5, A, B, X)), (scaled_products, (0.5, A, X)), (gram, (A,)), (second_reader, (0.5, A, X)),
    (covariances, (5, A)), (covariances, (3, A)), (three_products, (A, A.T + 0.1, B.T)),
    (in_a_loop, (A[:, :4], R.random((3, 4)))), (scaled_sum, (1.5, 2.5, A[:0], B[:0], X)), (gram, (A[:1],)),
])
def test_gradients_with_factors_that_moved_agree(f, args):
    agrees(f, *args)


def test_no_array_as_large_as_a_matrix_is_made_for_a_number():
    code = code_of(ccc.gradient(scaled_sum, wrt=("a", "b", "x")), 1.5, 2.5, A, B, X)
    assert "* a\n" not in code and "b /" not in code and "alpha * a" not in code
    assert code.count("np.outer(") == 2


def test_the_derivative_of_a_gram_matrix_is_one_product_and_so_is_that_of_its_rows():
    assert code_of(ccc.gradient(lambda x: np.sum(np.sin(x.T @ x))), A).count(" @ ") == 2
    x = R.random((40, 36))
    code = code_of(ccc.gradient(covariances, wrt="x"), 36, x)
    assert code[code.index("errstate") :].count(" @ ") == 1


def test_a_vector_that_several_matrices_are_multiplied_by_is_no_common_factor():
    def f(x, y, m):
        return np.sum(np.exp(m @ (x * y) + m.T @ (x * y)) + np.exp(m @ (x + y)))

    code = code_of(ccc.gradient(f, wrt=("x", "y")), X, 1.0 - X, np.outer(X, X * X))
    assert code.count("m + ") == 0
    agrees(f, X, 1.0 - X, np.outer(X, X * X))


def test_outer_products_that_are_added_up_are_one_product():
    code = code_of(ccc.gradient(there_and_back), A, X, X[:4])
    assert "np.outer(" not in code and code.count("np.stack(") == 2
    code = code_of(ccc.gradient(scaled_sum, wrt="a"), 1.5, 2.5, A, B, X)
    assert code.count("np.outer(") == 1 and "np.stack(" not in code


def doubled(y):
    y = y + y
    y = y + y
    y = y + y
    return y + y


def test_sums_of_a_value_with_itself_are_each_looked_at_once():
    """40 sums, one of the other: 2**40 ways lead from the last to the product."""
    def f(a, x):
        y = a @ x
        y = doubled(doubled(doubled(doubled(doubled(y)))))
        return np.sum(doubled(doubled(doubled(doubled(doubled(y))))))

    a, x = ccc.gradient(f)(A, X)
    np.testing.assert_array_equal(x, 2.0**40 * A.sum(axis=0))
    np.testing.assert_array_equal(a, np.broadcast_to(2.0**40 * X, A.shape))
