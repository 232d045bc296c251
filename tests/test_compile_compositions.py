"""Random compositions of NumPy functions, views and writes in place: value, exceptions, memory and all derivatives,
with the caller's arrays changed between calls and the pullback kept, by both targets."""

from __future__ import annotations

from collections import Counter

import pytest
from random_checks import AGREED, DISAGREES, Outcome
from random_compositions import calls, checked, composition, methods, outcome_by, writers
from random_programs import Program
from random_shrinking import shrunken

from ccc.compile.api.wrapper import Transform
from ccc.primitives import elementary_numpy

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""`np.put` into an array of which it takes a copy raises, and once more where NumPy gives the copy up."""

BLOCKS, COUNT = 6, {"numpy": 20, "native": 5}
FIRST, MANY, CHUNK = 600_000, {"numpy": 20_000, "native": 2_000}, 100
PLAIN = """import numpy as np


def f(x):
    y = np.sin(x) * 2.0
    y[1:] = np.cos(x[0])
    z = y.reshape(1, -1)
    return np.sum(z * z) + np.sum(x)
"""


def run_seeds(seeds: range, backend: str) -> Counter[str]:
    """Check the compositions of the seeds; how many ended in which way."""
    if backend == "native":
        pytest.importorskip("llvmlite")
    return Counter(checked(seed, backend).kind for seed in seeds)


def test_a_composition_is_a_function_of_its_seed() -> None:
    for seed in range(5):
        assert str(composition(seed)) == str(composition(seed))


@pytest.mark.nightly
def test_compositions_use_what_the_registry_has() -> None:
    spelled = {name for name, *_ in calls()} | {f".{name}" for name, *_ in methods()}
    assert len(spelled) > 200 and len(writers()) >= 6
    sources = "".join(composition(seed).source for seed in range(2 * len(spelled)))
    used = [name for name in spelled if f"{name}(" in sources]
    assert len(used) > 0.7 * len(spelled), sorted(spelled - set(used))
    assert all(text in sources for text in ("out=", "] = ", "+= ", ".T", "[::-1]", "np.copyto(", "np.add.at("))


@pytest.mark.share(12)
@pytest.mark.parametrize("backend", COUNT)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_compositions(block: int, backend: str) -> None:
    size = COUNT[backend]
    first = block * size
    found = run_seeds(range(first, first + size), backend)
    assert found[AGREED] > 0.25 * size, found


@pytest.mark.nightly
@pytest.mark.parametrize(("backend", "chunk"), [(b, i) for b, many in MANY.items() for i in range(many // CHUNK)])
def test_many_random_compositions(backend: str, chunk: int) -> None:
    first = FIRST + chunk * CHUNK
    found = run_seeds(range(first, first + CHUNK), backend)
    print(f"seeds {first} to {first + CHUNK} by {backend}: {dict(found)}")
    assert found[AGREED] > 0.4 * CHUNK, found


def outcome(source: str, backend: str = "numpy") -> Outcome:
    numbers = ["np.array([0.3, 0.9, -0.4])", "np.array([0.5, 0.2, 0.8])"]
    return outcome_by(backend)(Program(0, source, numbers))


def test_wrong_slopes_are_seen_and_the_program_made_smaller() -> None:
    assert outcome(PLAIN).kind == AGREED
    sine, right = elementary_numpy.sin, elementary_numpy.sin.pullback
    assert right is not None
    object.__setattr__(sine, "pullback", lambda ct, y, x: (1.001 * right(ct, y, x)[0],))
    try:
        made = Program(0, PLAIN, ["np.array([0.3, 0.9, -0.4])", "np.array([0.5, 0.2, 0.8])"])
        found = outcome_by("numpy")(made)
        assert found.kind == DISAGREES, found
        smaller = shrunken(made, found, outcome=outcome_by("numpy"))
    finally:
        object.__setattr__(sine, "pullback", right)
    assert "np.sin" in smaller.source and len(smaller.source) < len(PLAIN)


@pytest.mark.parametrize(("source", "off"), [(PLAIN, 1e-3), (PLAIN.replace("(x) *", "(np.single(x)) *"), 1e-1)])
def test_a_slope_that_is_wrong_in_both_modes_is_seen(source: str, off: float) -> None:
    """By differences alone, also where numbers of single precision leave steps of few sizes."""
    assert outcome(source).kind == AGREED
    sine, pulled, pushed = elementary_numpy.sin, elementary_numpy.sin.pullback, elementary_numpy.sin.differential
    assert pulled is not None and pushed is not None
    object.__setattr__(sine, "pullback", lambda ct, y, x: ((1 + off) * pulled(ct, y, x)[0],))
    object.__setattr__(sine, "differential", lambda ds, y, x: (1 + off) * pushed(ds, y, x))
    try:
        found = outcome(source)
    finally:
        object.__setattr__(sine, "pullback", pulled)
        object.__setattr__(sine, "differential", pushed)
    assert found.kind == DISAGREES and "slope" in found.text, found


def test_memory_that_is_the_callers_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result that is the argument has the right value at first; its memory tells."""
    monkeypatch.setattr(Transform, "__call__", lambda self, x: x)
    found = outcome("import numpy as np\n\n\ndef f(x):\n    return x * 1.0\n")
    assert found.kind == DISAGREES and ("share memory" in found.text or "value" in found.text), found
