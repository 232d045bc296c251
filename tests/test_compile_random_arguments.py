"""Every verb on random structures of arguments, with every kind of leaf, against differences and each other."""

from __future__ import annotations

import warnings

import pytest
from random_arguments import Arguments, findings

from ccc.compile.native.installation import installed
from ccc.errors import CCCWarning


def check(seed: int, backend: str) -> None:
    made = Arguments(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CCCWarning)
        found = list(findings(made, backend))
    assert not found, f"{found}\n{made.args}\n{made.source}"


@pytest.mark.share(12)
@pytest.mark.parametrize("seed", range(40))
def test_every_verb_on_random_arguments(seed: int) -> None:
    check(seed, "numpy")


@pytest.mark.share(4)
@pytest.mark.skipif(not installed(), reason="llvmlite is not installed")
@pytest.mark.parametrize("seed", range(100, 106))
def test_every_verb_in_machine_code_on_random_arguments(seed: int) -> None:
    check(seed, "native")


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(1000, 3000))
def test_every_verb_on_more_random_arguments(seed: int) -> None:
    check(seed, "native" if seed % 8 == 0 and installed() else "numpy")
