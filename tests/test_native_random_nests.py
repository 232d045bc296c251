"""Random programs of loops in loops in machine code, with memory given back as early as can be, and as it is for users:
values, gradients, and gradients in a limit of memory are those that NumPy computes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from native_checks import near, ran
from random_nests import nest_program

import ccc
from ccc.compile.diagnostics import CompileError
from ccc.compile.native import lifetimes, stacks, target

pytestmark = pytest.mark.skipif(bool(target.available()), reason="no native code here")

LIMIT = 600_000
EARLY = ((0, 0), (1 << 11, 4), (1 << 15, 4))
"""When stacks are cut back: the bytes that are taken before that, and how often those of what the loop carries."""
PRECISION = 1e-7
COUNT, FIRST, MANY, CHUNK = 24, 300_000, 1200, 20
TAKEN, LEFT, REFUSED = "taken", "left to NumPy", "refused"


def verb(f: Any, backend: str, seed: int) -> Any:
    """Values, gradients, or gradients in a limit of memory."""
    if seed % 4 == 1:
        return ccc.compiled(f, backend=backend)
    named: dict[str, Any] = {"memory_limit": LIMIT} if seed % 4 == 3 else {}
    return ccc.value_with_gradient(f, wrt=("x", "w"), backend=backend, **named)


def outcome(seed: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """What becomes of the program of a seed in machine code."""
    for name, many in zip(("MANY", "TIMES"), EARLY[seed % 3], strict=True):
        monkeypatch.setattr(lifetimes, name, many)
    made = nest_program(seed)
    f = made.load()
    native, numpy = (verb(f, backend, seed) for backend in ("native", "numpy"))
    for call in made.calls:
        args = made.arguments(f, call)
        if seed % 10 == 9:
            args = tuple(a.astype(np.float32) if isinstance(a, np.ndarray) else a for a in args)
        try:
            expected = ran(numpy, *args)
        except CompileError as refusal:
            with pytest.raises(CompileError) as again:
                native(*args)
            assert str(again.value).partition("\n")[0] == str(refusal).partition("\n")[0]
            return REFUSED
        found = ran(native, *args)
        where = f"\n{made}\nat {call}"
        assert type(found.error) is type(expected.error), f"{found.error!r} in place of {expected.error!r}{where}"
        if expected.error is None:
            wrong = near(numpy, args, found.value, expected.value, PRECISION)
            assert not wrong, f"{wrong}{where}"
            value = expected.value if isinstance(expected.value, float | np.floating) else expected.value[0]
            np.testing.assert_allclose(value, f(*args), rtol=1e-3 if seed % 10 == 9 else 1e-9, err_msg=where)
    return LEFT if any(code.left_to for codes in native.codes.values() for code in codes) else TAKEN


def run_seeds(seeds: range, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    with np.errstate(all="ignore"):
        return Counter(outcome(seed, monkeypatch) for seed in seeds)


@pytest.mark.share(6)
@pytest.mark.parametrize("block", range(COUNT // 4))
def test_nested_loops_in_machine_code(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run_seeds(range(4 * block, 4 * block + 4), monkeypatch)
    assert found[TAKEN] > 1, found


@pytest.mark.nightly
@pytest.mark.parametrize("poisoned", [False, True])
@pytest.mark.parametrize("chunk", range(MANY // CHUNK))
def test_many_nested_loops_in_machine_code(chunk: int, poisoned: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stacks, "POISONED", poisoned)
    first = FIRST + chunk * CHUNK
    found = run_seeds(range(first, first + CHUNK), monkeypatch)
    print(f"seeds {first} to {first + CHUNK}: {dict(found)}")
    assert found[TAKEN] > 0.5 * found.total(), found
