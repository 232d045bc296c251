"""Random programs by every backend: machine code gives what NumPy gives up to rounding, raises and prints the same, and
what it does not take is left to NumPy by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import numbers, same
from native_checks import near, ran
from random_arrays import array_program
from random_checks import filled
from random_loops import LONG_SUMS, loop_program
from random_programs import Program, program

import ccc
from ccc.compile.api.wrapper import Transform
from ccc.compile.diagnostics import CompileError

pytest.importorskip("llvmlite")

COUNT, BLOCKS, FIRST = 96, 8, 500_000
MANY, CHUNK = 4000, 100
TAKEN, LEFT, REFUSED = "taken", "left to NumPy", "refused"


def with_cotangents(f: Callable[..., Any], backend: str) -> tuple[Any, Callable[..., Any]]:
    """The transform that pulls back, and a function that gives the value and what a pullback gives."""
    transform = ccc.value_with_pullback(f, backend=backend)

    def run(*args: Any) -> Any:
        value, pullback = transform(*args)
        if not list(numbers(value)):
            return value, None
        return value, pullback(filled(value, iter([1.0 + 0.25 * (i % 3) for i, _ in enumerate(numbers(value))])))

    return transform, run


def valued(f: Callable[..., Any], backend: str) -> tuple[Any, Callable[..., Any]]:
    transform = Transform(f, backend=backend)
    return transform, transform


def outcome(made: Program, verb: Callable[..., Any]) -> str:
    """What becomes of a program in machine code."""
    f = made.load()
    transform, run = verb(f, "native")
    _, other = verb(f, "numpy")
    for call in made.calls:
        fresh = [made.arguments(f, call) for _ in range(3)]
        try:
            expected = ran(other, *fresh[0])
        except CompileError as refusal:
            with pytest.raises(CompileError) as again:
                run(*fresh[1])
            assert str(again.value) == str(refusal)
            return REFUSED
        found = ran(run, *fresh[1])
        where = f"\n{made}\nat {call}"
        assert found.text == expected.text, f"printed {found.text!r} in place of {expected.text!r}{where}"
        assert type(found.error) is type(expected.error), f"{found.error!r} in place of {expected.error!r}{where}"
        assert same(fresh[1], fresh[2]), f"the arguments have become {fresh[1]!r}{where}"
        if expected.error is None:
            wrong = near(other, fresh[2], found.value, expected.value, 1e-7 if LONG_SUMS in made.features else 0.0)
            assert not wrong, f"{wrong}{where}"
    reasons = [code.left_to for codes in transform.codes.values() for code in codes]
    assert all("\n" not in reason for reason in reasons), reasons
    return LEFT if not reasons or any(reasons) else TAKEN


def run_seeds(seeds: range, both: bool = False, made: Callable[[int], Program] = program) -> Counter[str]:
    """Check values and pullbacks in turn, or both; how many programs ended in which way."""
    verbs = valued, with_cotangents
    tried = [(seed, verb) for seed in seeds for i, verb in enumerate(verbs) if both or seed % 2 == i]
    with np.errstate(all="ignore"):
        return Counter(outcome(made(seed), verb) for seed, verb in tried)


@pytest.mark.share(3)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_in_machine_code(block: int) -> None:
    size = COUNT // BLOCKS
    found = run_seeds(range(block * size, (block + 1) * size))
    assert found[TAKEN] > 0.2 * found.total(), found


@pytest.mark.parametrize("made", [array_program, loop_program], ids=lambda made: made.__name__)
@pytest.mark.share(3)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_over_arrays_in_machine_code(block: int, made: Callable[[int], Program]) -> None:
    found = run_seeds(range(block * 4, (block + 1) * 4), made=made)
    assert found[TAKEN] > 1, found


@pytest.mark.nightly
@pytest.mark.parametrize("made", [program, array_program, loop_program], ids=lambda made: made.__name__)
@pytest.mark.parametrize("chunk", range(MANY // CHUNK))
def test_many_random_programs_in_machine_code(chunk: int, made: Callable[[int], Program]) -> None:
    first = FIRST + chunk * CHUNK
    found = run_seeds(range(first, first + CHUNK), both=True, made=made)
    print(f"seeds {first} to {first + CHUNK}: {dict(found)}")
    assert found[TAKEN] > 0.3 * found.total(), found
