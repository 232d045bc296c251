"""Random programs: the compiled value is that of plain Python, and all derivatives agree with each other and with
difference quotients."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from random_programs import check, program

COUNT, BLOCKS = 300, 10


def run_seeds(seeds: range, path: Path, second_every: int) -> Counter[str]:
    """Check the programs of the seeds; how many were compared, skipped, raised or refused."""
    found: Counter[str] = Counter()
    for seed in seeds:
        found[check(seed, path / f"program_{seed}.py", second=seed % second_every == 0).kind] += 1
    return found


def checked_often_enough(found: Counter[str]) -> None:
    """Few points were no good for difference quotients, and few programs were outside the subset."""
    total = found.total()
    assert found["skipped"] < 0.2 * total, found
    assert found["refused"] < 0.1 * total, found
    assert found["compared"] > 0.7 * total, found


def test_a_program_is_a_function_of_its_seed() -> None:
    for seed in range(5):
        assert str(program(seed)) == str(program(seed))


def test_programs_use_all_of_the_subset() -> None:
    features = Counter(feature for seed in range(COUNT) for feature in program(seed).features)
    for feature in ("array", "branch", "closure", "conditional expression", "derivative", "early return", "in place",
                    "loop", "raising"):
        assert features[feature] >= 3, (feature, features)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs(block: int, tmp_path: Path) -> None:
    size = COUNT // BLOCKS
    run_seeds(range(block * size, (block + 1) * size), tmp_path, second_every=3)


def test_most_random_programs_can_be_compared(tmp_path: Path) -> None:
    checked_often_enough(run_seeds(range(10_000, 10_060), tmp_path, second_every=1_000_000))


@pytest.mark.nightly
def test_many_random_programs(tmp_path: Path) -> None:
    checked_often_enough(run_seeds(range(20_000, 40_000), tmp_path, second_every=3))
