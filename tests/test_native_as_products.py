"""Sums of products by their indices as products of matrices: any order of indices, sizes of one and of none."""

from typing import Any

import numpy as np
import pytest
from native_checks import gradients_agree

import ccc
from ccc.compile.native import target
from ccc.compile.native.as_products import parted
from ccc.compile.native.contractions import order_of

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

RNG = np.random.default_rng(0)
FORMS = ["nd,hdk->hnk", "hnk,hmk->hnm", "hnm,hmk->hnk", "hnk,hkd->nd", "bchwij,ocij->bohw", "ij,jk->ki", "aij,jib->ab",
         "zij,zkj->izk", "ijz,kjz->zki"]  # fmt: skip
SIZES = dict(zip("ndhkmbcwijozap", [40, 33, 3, 17, 38, 2, 3, 6, 35, 36, 5, 2, 7, 4], strict=True))


def arrays(form, sizes=SIZES, dtype: type[np.floating[Any]] = np.float64):
    rng = np.random.default_rng([*form.encode(), *sizes.values()])
    return [rng.normal(size=[sizes[c] for c in part]).astype(dtype) for part in form.partition("->")[0].split(",")]


@pytest.mark.parametrize("form", FORMS)
def test_einsum_and_its_gradient_are_numpy_s(form):
    gradients_agree(lambda a, b: np.sum(np.sin(0.1 * np.einsum(form, a, b))), *arrays(form), precision=1e-11)


@pytest.mark.share(4)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("letter", list("ijkhnm"))
@pytest.mark.parametrize("size", [0, 1])
def test_an_index_may_have_one_value_or_none(form, letter, size):
    if letter not in form:
        return
    given = arrays(form, SIZES | {letter: size})
    gradients_agree(lambda a, b: np.sum(np.einsum(form, a, b) ** 2), *given, precision=1e-11)


@pytest.mark.parametrize("shapes", [((3, 40, 30), (30, 35)), ((40, 30), (3, 30, 35)), ((2, 3, 40, 30), (3, 30, 35)),
                                    ((2, 1, 40, 30), (1, 3, 30, 35)), ((1, 40, 30), (4, 30, 1)), ((0, 4, 30), (30, 5))])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_of_stacked_matrices_are_numpy_s(shapes, dtype):
    a, b = [RNG.normal(size=shape).astype(dtype) for shape in shapes]
    f = lambda a, b: np.sum(np.tanh(0.1 * (a @ b)))  # noqa: E731
    gradients_agree(f, a, b, precision=1e-11 if dtype is np.float64 else 2e-4)
    assert ccc.compiled(lambda a, b: a @ b, backend="native")(a, b).dtype == dtype


def test_other_sizes_than_those_of_the_first_call():
    f = ccc.compiled(lambda a, b: np.einsum("hnk,hmk->mhn", a, b), backend="native")
    for n in (3, 50, 4, 1):
        a, b = RNG.normal(size=(2, n, 20)), RNG.normal(size=(2, 7, 20))
        np.testing.assert_allclose(f(a, b), np.einsum("hnk,hmk->mhn", a, b), rtol=1e-12, atol=1e-12)


def test_what_no_product_of_matrices_is_stays_a_loop():
    assert parted("ij", "ij", "i") is None
    assert parted("ii", "ij", "j") is None
    assert parted("ik", "kj", "ij") is not None


MANY = ["abc,ia,jb,oc->ijo", "ij,jk->ik", "i,i,i->", "ia,ab,bj,jk->ik", "ab,b,b->a", "a,bc,c,ad->bd", "nd,dm,mk->"]


@pytest.mark.share(2)
@pytest.mark.parametrize("form", MANY)
@pytest.mark.parametrize("size", [1, 3])
def test_products_of_several_arrays_are_numpy_s(form, size):
    sizes = SIZES | {"a": size, "b": 4, "c": 2}
    for dtype, precision in ((np.float64, 1e-10), (np.float32, 2e-3)):
        f = lambda *xs: np.sum(np.tanh(0.01 * np.einsum(form, *xs)))  # noqa: E731
        gradients_agree(f, *arrays(form, sizes, dtype), precision=precision)


def test_products_of_several_arrays_go_by_pairs_where_that_is_less_work():
    sizes = dict.fromkeys("abc", 8) | dict.fromkeys("ijk", 48)
    pairs, work = order_of(["abc", "ia", "jb", "kc"], "ijk", sizes)
    assert len(pairs) == 2
    assert work < 8**3 * 48**3 / 40
