"""Random programs: the compiled value is that of plain Python, and all derivatives agree with each other and with
difference quotients."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from random_aliases import aliases
from random_arrays import array_program
from random_checks import AGREED, DISAGREES, INCONCLUSIVE, RAISED, REFUSED, check, checked, outcome_of
from random_choices import choices
from random_classes import classes
from random_closures import closures
from random_exits import exits
from random_graphs import graphs
from random_loops import loop_program
from random_plain import without_dataclasses
from random_programs import Program, program
from random_ranges import UNSTORED, Once, run
from random_rows import rows
from random_scope import THEMES
from random_seams import seams
from random_shrinking import shrunken
from random_views import views

from ccc.primitives import elementary_math

COUNT, BLOCKS = 300, 10
MANY, CHUNK, FIRST = 20_000, 250, 100_000
FEATURES = (
    "array", "bound on some paths", "branch", "break", "carried function", "chain", "closure", "comprehension",
    "computed keys", "conditional expression", "continue", "derivative", "dict", "dict changed", "early return",
    "else of a loop", "functions in a growing list", "functions in structures", "grown function", "in place", "list",
    "list changed", "list of arrays", "list of records", "loop", "match", "None or a number", "nonlocal",
    "object changed", "out", "printing", "raising", "record", "recursion", "remembered", "stack", "structured result",
    "table", "tree made", "trees", "walrus", "while",
)  # fmt: skip


def run_seeds(seeds: range) -> Counter[str]:
    """Check the programs of the seeds; how many ended in which way."""
    return Counter(check(seed).kind for seed in seeds)


def checked_often_enough(found: Counter[str]) -> None:
    """Few points were no good for difference quotients, and few programs were refused."""
    total = found.total()
    assert found[INCONCLUSIVE] < 0.1 * total, found
    assert found[REFUSED] < 0.08 * total, found
    assert found[AGREED] + found[RAISED] > 0.85 * total, found


def test_a_program_is_a_function_of_its_seed() -> None:
    for seed in range(5):
        assert str(program(seed)) == str(program(seed))


def test_programs_use_all_of_the_subset() -> None:
    features = Counter(feature for seed in range(COUNT) for feature in program(seed).features)
    assert [f for f in FEATURES if features[f] < 3] == [], features
    assert len({frozenset(program(seed).features) for seed in range(COUNT)}) > COUNT / 2
    assert len(THEMES) > 10


@pytest.mark.share(20)
@pytest.mark.parametrize("block", range(2 * BLOCKS))
def test_random_programs(block: int) -> None:
    size = COUNT // BLOCKS // 2
    found = run_seeds(range(block * size, (block + 1) * size))
    assert found[AGREED] > 0.7 * size, found


@pytest.mark.share(10)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_with_classes_written_by_hand(block: int) -> None:
    made = map(program, range(block * 10, (block + 1) * 10))
    found = [checked(other).kind for one in made if (other := without_dataclasses(one)).source != one.source]
    assert found.count(REFUSED) < len(found) / 2, found


@pytest.mark.share(10)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_in_which_several_names_lead_to_one_thing(block: int) -> None:
    found = [checked(aliases(seed)).kind for seed in range(block * 8, (block + 1) * 8)]
    assert AGREED in found, found


@pytest.mark.parametrize("made", [rows, views], ids=lambda made: made.__name__)
@pytest.mark.share(20)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_in_which_rows_stand_in_rows_and_arrays_have_views(
    block: int, made: Callable[[int], Program]
) -> None:
    found = [checked(made(seed)).kind for seed in range(block * 10, (block + 1) * 10)]
    assert found.count(AGREED) > 1, found


@pytest.mark.parametrize("made", [array_program, loop_program], ids=lambda made: made.__name__)
@pytest.mark.share(20)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_over_arrays(block: int, made: Callable[[int], Program]) -> None:
    found = [checked(made(seed)).kind for seed in range(block * 10, (block + 1) * 10)]
    assert found.count(AGREED) > 6, found


@pytest.mark.share(10)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_in_which_functions_share_variables(block: int) -> None:
    found = [checked(closures(seed)).kind for seed in range(block * 6, (block + 1) * 6)]
    assert found.count(AGREED) > 4, found


@pytest.mark.share(10)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_whose_statements_leave_in_every_way(block: int) -> None:
    found = Counter(outcome_of(exits(seed), Once).kind for seed in range(block * 30, (block + 1) * 30))
    assert found.keys() <= {AGREED, UNSTORED, RAISED, REFUSED, INCONCLUSIVE}, found
    assert found[AGREED] > found[REFUSED], found


def test_loops_along_what_grows_in_them_end() -> None:
    made, lines = classes(910015), 0

    def counted(*_: Any) -> Any:
        nonlocal lines
        lines += 1
        assert lines < 100_000, "it does not end"
        return counted

    f = made.load()
    for call in made.calls:
        args, before = made.arguments(f, call), sys.gettrace()
        sys.settrace(counted)
        try:
            f(*args)
        finally:
            sys.settrace(before)
    assert lines > 100


@pytest.mark.share(10)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_of_classes(block: int) -> None:
    found = Counter(outcome_of(classes(seed), Once).kind for seed in range(block * 10, (block + 1) * 10))
    assert found.keys() <= {AGREED, UNSTORED, RAISED, REFUSED, INCONCLUSIVE}, found
    assert found[AGREED] > 4 * found[REFUSED], found


@pytest.mark.share(20)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_in_which_names_may_stand_for_nothing(block: int) -> None:
    found = Counter(outcome_of(choices(seed), Once).kind for seed in range(block * 8, (block + 1) * 8))
    assert found.keys() <= {AGREED, UNSTORED, RAISED, REFUSED, INCONCLUSIVE}, found
    assert found[AGREED] > 2 * found[REFUSED], found


@pytest.mark.share(20)
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_in_which_mechanisms_meet(block: int) -> None:
    found = Counter(outcome_of(seams(seed), Once).kind for seed in range(block * 6, (block + 1) * 6))
    assert found.keys() <= {AGREED, UNSTORED, RAISED, REFUSED, INCONCLUSIVE}, found
    assert found[REFUSED] < 4, found


@pytest.mark.nightly
@pytest.mark.parametrize(
    "made", [aliases, array_program, choices, classes, closures, exits, graphs, loop_program, rows, views],
    ids=lambda made: made.__name__)
@pytest.mark.parametrize("chunk", range(MANY // CHUNK))
def test_many_random_programs_of_other_kinds(chunk: int, made: Callable[[int], Program]) -> None:
    first = FIRST + chunk * CHUNK
    found = Counter(checked(made(seed)).kind for seed in range(first, first + CHUNK))
    print(f"seeds {first} to {first + CHUNK}: {dict(found)}")
    assert found[AGREED] > 0.1 * CHUNK, found


@pytest.mark.nightly
@pytest.mark.parametrize("chunk", range(MANY // CHUNK))
def test_many_random_programs(chunk: int) -> None:
    """Chunks have seeds of their own, so that any of them can be run alone."""
    first = FIRST + chunk * CHUNK
    began = time.perf_counter()
    found = run_seeds(range(first, first + CHUNK))
    rate = CHUNK / (time.perf_counter() - began)
    print(f"seeds {first} to {first + CHUNK}: {dict(found)}, {rate:.1f} programs a second")
    checked_often_enough(found)


def test_a_range_of_programs_is_checked_and_what_became_of_them_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("views", range(7, 9), processes=1) == {AGREED: 2}
    assert capsys.readouterr().out.startswith("views range(7, 9): {'agreed': 2} {} ")


SOURCE = """import math


def f(x, y):
    t = x * y
    if t > 0.1:
        s = math.sin(t)
        t = t + s
    return t * x + y
"""


def test_a_slope_that_is_a_little_off_is_seen_and_the_program_made_smaller() -> None:
    made = Program(0, SOURCE, ["0.7, 0.9", "0.1, 0.2"])
    assert outcome_of(made).kind == outcome_of(made, Once).kind == AGREED
    sine = elementary_math.sin
    right = sine.pullback, sine.differential
    assert right[0] is not None and right[1] is not None
    object.__setattr__(sine, "pullback", lambda ct, y, x: (1.0001 * right[0](ct, y, x)[0],))  # type: ignore[misc]
    try:
        assert outcome_of(made).kind == DISAGREES  # reverse with forward mode
        object.__setattr__(sine, "differential", lambda ds, y, x: 1.0001 * right[1](ds, y, x))  # type: ignore[misc]
        found = outcome_of(made)
        assert found.kind == DISAGREES, found  # both with difference quotients
        assert outcome_of(made, Once).kind == DISAGREES
        smaller = shrunken(made, found)
    finally:
        object.__setattr__(sine, "pullback", right[0])
        object.__setattr__(sine, "differential", right[1])
    assert "math.sin" in smaller.source
    assert len(smaller.source.splitlines()) < len(SOURCE.splitlines())
    assert outcome_of(smaller).kind == AGREED
