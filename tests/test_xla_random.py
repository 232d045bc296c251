"""Random programs in XLA: what it takes it gives as NumPy does up to rounding, it raises and prints the same, and what
it does not take is left to NumPy by name."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from random_generators import GENERATORS
from random_targets import LEFT, REFUSED, VERBS, within_time

jax = pytest.importorskip("jax")

SHARES, FIRST, MANY = 16, 20_000, 200


@pytest.fixture(autouse=True)
def compiled_soon() -> Iterator[None]:
    """XLA makes of a program what it says, and optimises it little, which takes a third of the time."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)


def run_seeds(generator: str, seeds: range, calls: int) -> Counter[str]:
    """Check the programs of seeds at some calls, the verbs in turns; how many ended in which way."""
    found = Counter[str]()
    for seed in seeds:
        made = GENERATORS[generator](seed)
        made.calls = made.calls[:calls]
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found[within_time(made, VERBS[seed % len(VERBS)], "xla")] += 1
    return found


@pytest.mark.parametrize("generator", ["forms", "raising"])
@pytest.mark.share(SHARES)
@pytest.mark.parametrize("block", range(SHARES))
def test_random_calls(block: int, generator: str) -> None:
    found = run_seeds(generator, range(block * 3, (block + 1) * 3), 1)
    assert found[LEFT] + found[REFUSED] < 3, found


@pytest.mark.share(2)
@pytest.mark.parametrize("generator", sorted({*GENERATORS} - {"forms", "raising"}))
@pytest.mark.share(2 * SHARES)
@pytest.mark.parametrize("block", range(SHARES))
def test_random_programs(block: int, generator: str) -> None:
    run_seeds(generator, range(block, block + 1), 1)


@pytest.mark.nightly
@pytest.mark.parametrize("generator", GENERATORS)
def test_many_random_programs(generator: str) -> None:
    found = run_seeds(generator, range(FIRST, FIRST + MANY), 3)
    print(f"{generator}: {dict(found)}")
    assert found[LEFT] < MANY, found
