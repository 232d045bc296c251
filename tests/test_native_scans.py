"""Running sums and products and recurrences in machine code, without a call of NumPy's."""

import numpy as np
import pytest
from native_checks import gradients_agree, never_left

import ccc
from ccc.compile.native import target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

RNG = np.random.default_rng(0)


def flat(x):
    return np.sum(np.cumprod(x) ** 2)


def along_rows(x):
    return np.sum(np.cumprod(x, axis=-1) * np.cumsum(x, axis=0))


def along_columns(x):
    return np.sum(np.sin(np.cumprod(x, axis=0)))


@pytest.mark.share(2)
@pytest.mark.parametrize("f", [flat, along_rows, along_columns])
@pytest.mark.parametrize("shape", [(5,), (1,), (0,), (3, 4), (4, 1), (0, 3), (2, 0), (2, 3, 17)])
def test_running_sums_and_products_are_numpy_s(f, shape):
    x = 1.0 + 0.1 * RNG.normal(size=shape)
    x.ravel()[2:3] = 0.0  # where no quotient gives the product of the others
    gradients_agree(f, x)
    gradients_agree(lambda x: np.sum(ccc.gradient(f)(x) ** 2), x)


@pytest.mark.parametrize("x", [np.arange(1, 9), np.arange(6) > 0, np.array([1.5, -0.0, 3.0], np.float32)], ids=str)
def test_running_products_have_the_dtype_that_numpy_gives(x):
    for f in (np.cumprod, np.cumsum):
        found = ccc.compiled(lambda x, f=f: f(x), backend="native")(x)
        np.testing.assert_array_equal(found, f(x))
        assert found.dtype == f(x).dtype


def test_a_running_sum_keeps_the_sign_of_zero():
    x = np.array([-0.0, -0.0, 0.0])
    np.testing.assert_array_equal(np.signbit(ccc.compiled(np.cumsum, backend="native")(x)), [True, True, False])


def test_a_running_product_is_not_numpy_s_call():
    explained = ccc.explain(ccc.gradient(along_rows, backend="native"), np.ones((3, 4)))
    assert explained.backend == "native"


def test_a_recurrence_from_an_infinite_factor_begins_with_its_first_term():
    with never_left():
        x = np.array([np.inf, 0.5, 2.0])
        want = ccc.gradient(flat, backend="numpy")(x)
        np.testing.assert_array_equal(ccc.gradient(flat, backend="native")(x), want)
