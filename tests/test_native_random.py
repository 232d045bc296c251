"""Random programs by every backend: machine code gives what NumPy gives up to rounding, raises and prints the same, and
what it does not take is left to NumPy by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from random_arrays import array_program
from random_layouts import layouts
from random_loops import loop_program
from random_programs import Program, program
from random_ranks import ranks
from random_targets import TAKEN, outcome, pulled_back, valued

pytest.importorskip("llvmlite")

COUNT, BLOCKS, FIRST = 96, 8, 500_000
MANY, CHUNK = 4000, 100


def run_seeds(seeds: range, both: bool = False, made: Callable[[int], Program] = program) -> Counter[str]:
    """Check values and pullbacks in turn, or both; how many programs ended in which way."""
    verbs = valued, pulled_back
    tried = [(seed, verb) for seed in seeds for i, verb in enumerate(verbs) if both or seed % 2 == i]
    with np.errstate(all="ignore"):
        return Counter(outcome(made(seed), verb, "native") for seed, verb in tried)


@pytest.mark.share(6)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_in_machine_code(block: int) -> None:
    size = COUNT // BLOCKS
    found = run_seeds(range(block * size, (block + 1) * size))
    assert found[TAKEN] > 0.2 * found.total(), found


@pytest.mark.parametrize("made", [array_program, loop_program, ranks], ids=lambda made: made.__name__)
@pytest.mark.share(9)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_over_arrays_in_machine_code(block: int, made: Callable[[int], Program]) -> None:
    found = run_seeds(range(block * 4, (block + 1) * 4), made=made)
    assert found[TAKEN] > 1, found


@pytest.mark.nightly
@pytest.mark.parametrize("made", [program, array_program, layouts, loop_program, ranks], ids=lambda made: made.__name__)
@pytest.mark.parametrize("chunk", range(MANY // CHUNK))
def test_many_random_programs_in_machine_code(chunk: int, made: Callable[[int], Program]) -> None:
    first = FIRST + chunk * CHUNK
    found = run_seeds(range(first, first + CHUNK), both=True, made=made)
    print(f"seeds {first} to {first + CHUNK}: {dict(found)}")
    assert found[TAKEN] > 0.3 * found.total(), found
