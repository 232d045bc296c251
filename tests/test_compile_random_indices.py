"""Random sums over named indices and random indices: values are plain Python's, derivatives of both orders in
both modes those of differences."""

from __future__ import annotations

import pytest
from form_checks import checked
from random_checks import AGREED, INCONCLUSIVE
from random_indices import einsum, indexing

from ccc.compile.native.installation import installed


def check(made: object, backend: str) -> None:
    found = checked(made, backend)  # type: ignore[arg-type]
    assert found.kind in (AGREED, INCONCLUSIVE), f"{found.detail}\n{made}"


@pytest.mark.parametrize("seed", [1, 2])
def test_sums_over_named_indices(seed: int):
    check(einsum(seed), "numpy")


@pytest.mark.parametrize("seed", [0, 3, 6])
def test_indices(seed: int):
    check(indexing(seed), "numpy")


@pytest.mark.skipif(not installed(), reason="llvmlite is not installed")
def test_machine_code():
    check(einsum(5), "native")


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_more_of_them(seed: int):
    backend = "native" if seed % 4 == 0 and installed() else "numpy"
    check(einsum(seed), backend)
    check(indexing(seed), backend)
