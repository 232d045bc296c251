"""Random programs of numbers of several kinds: values with their classes and what is printed, as in plain Python."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from random_checks import captured
from random_kinds import kinds

import ccc
from ccc.compile.diagnostics import CompileError
from ccc.compile.native.installation import installed


def told(value: Any) -> Any:
    """A result with the classes of all that is in it; the error that was raised, by its class."""
    if isinstance(value, dict):
        return {name: told(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value), *map(told, value)
    error = getattr(value, "error", None)
    if error is not None:
        return type(error)
    return type(value), value.tolist() if isinstance(value, np.ndarray) else repr(value)


def check(seed: int, backend: str) -> str:
    """How the program of a seed ended."""
    made = kinds(seed)
    f = made.load()
    compiled = ccc.compiled(f, backend=backend)
    for call in made.calls:
        expected, text = captured(f, *made.arguments(f, call))
        try:
            found, printed = captured(compiled, *made.arguments(f, call))
        except CompileError:
            return "refused"
        assert (told(found), printed) == (told(expected), text), f"{made}\n# {call}: {found!r}, {expected!r}"
    return "agrees"


@pytest.mark.share(10)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("block", range(10))
def test_random_programs_of_numbers_of_several_kinds(block: int, backend: str) -> None:
    if backend == "native" and not installed():
        pytest.skip("llvmlite is not installed")
    count = 30 if backend == "numpy" else 8
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = Counter(check(1000 * block + i, backend) for i in range(count))
    assert 4 * found["agrees"] > found["refused"], found
