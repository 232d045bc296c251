"""The code that `explain` shows as a file: it runs in a namespace of its own, and computes the gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from test_corpus import PROGRAMS

import ccc


def run(file: str, name: str) -> Any:
    space: dict[str, Any] = {"__name__": "written"}
    exec(compile(file, "<file>", "exec"), space)
    return space[name]


@pytest.mark.share(8)
@pytest.mark.parametrize("at", range(len(PROGRAMS)), ids=lambda at: PROGRAMS[at][0].__name__)
def test_the_file_of_a_gradient_runs_by_itself(at: int):
    f, args = PROGRAMS[at]
    try:
        verb = ccc.gradient(f, backend="numpy")
        found = ccc.explain(verb, *args)
    except ccc.CCCError:
        verb = ccc.value_with_pullback(f, backend="numpy")
        found = ccc.explain(verb, *args)
    assert "# needs" not in found.file and found.file.endswith(found.code)
    written = run(found.file, found.code.partition("(")[0].removeprefix("def "))
    if found.code.startswith(f"def {f.__name__}_gradient("):
        for ours, wanted in zip(leaves(written(*args)), leaves(verb(*args)), strict=True):
            np.testing.assert_array_equal(ours, wanted)
    else:
        assert callable(written(*args)[1])


def leaves(x: Any) -> list[Any]:
    if isinstance(x, dict):
        x = list(x.values())
    if isinstance(x, tuple | list):
        return [leaf for part in x for leaf in leaves(part)]
    return [] if x is None else leaves([getattr(x, n) for n in x.__dataclass_fields__]) if hasattr(
        x, "__dataclass_fields__") else [x]


@dataclass
class Point:
    x: float
    y: Any


WEIGHTS = np.array([1.0, np.inf, -2.0])


def test_records_functions_of_the_language_and_arrays():
    def f(p):
        near = np.where(np.isfinite(WEIGHTS), p.y, 0.0)
        return np.linalg.norm(near) * p.x

    at = Point(2.0, np.array([3.0, 1.0, 4.0]))
    found = ccc.explain(f, at)
    written = run(found.file, "f_gradient")
    wanted = ccc.gradient(f, backend="numpy")(at)
    given = (at, WEIGHTS) if written.__code__.co_argcount == 2 else (at,)
    ours = written(*given)
    assert type(ours) is Point and ours.x == wanted.x
    np.testing.assert_array_equal(ours.y, wanted.y)


def test_what_no_file_has_is_named():
    class Local:
        def __init__(self):
            self.x = 1.0

    found = ccc.explain(lambda p: p.x * p.x, Local())
    assert "# needs `" in found.file
