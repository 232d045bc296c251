"""Iterators that are bound to one name one after the other: each is consumed before the next, or kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checks import agrees

import ccc
from ccc.compile.frontend import elaborate


def reads_of(function: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often a function is read while it is compiled."""
    count, read = [0], elaborate.read_program

    def counted(*args: Any) -> Any:
        count[0] += 1
        return read(*args)

    monkeypatch.setattr(elaborate, "read_program", counted)
    ccc.compiled(function, backend="numpy")(0.7)
    return count[0]


@pytest.mark.parametrize("consumed", ["y = sum(v)", "y = next(v)\n    y = y + next(v)"], ids=["at once", "one by one"])
def test_many_generators_under_one_name_are_read_once(
        consumed: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    found = set[int]()
    for n in (3, 9):
        text = "def f(y):\n" + f"    v = (t * 0.5 for t in (y, y + 0.1))\n    {consumed}\n" * n + "    return y\n"
        path, names = tmp_path / f"many_{n}.py", dict[str, Any]()
        path.write_text(text)
        exec(compile(text, str(path), "exec"), names)
        found.add(reads_of(names["f"], monkeypatch))
        agrees(names["f"], 0.7)
    assert len(found) == 1 and max(found) < 6


def bound_anew_in_a_loop(xs: list[float]) -> float:
    s = 0.0
    for x in xs:
        v = map(lambda t: t * x, xs)
        s += sum(v)
        v = zip(xs, xs, strict=True)
        s += sum(a * b for a, b in v)
        v = enumerate(xs)
        for i, a in v:
            s += i * a
    return s


def read_by_what_is_called_later(xs: list[float]) -> float:
    v = (t * 2 for t in xs)

    def later() -> float:
        return sum(v)

    a = sum(v)
    v = (t * 3 for t in xs)
    return a + later()


def read_where_it_is_caught(xs: list[float]) -> float:
    v = (t * 2 for t in xs)
    try:
        a = sum(v)
        if a > 1.0:
            raise ValueError
        v = (t * 3 for t in xs)
        a += sum(v)
    except ValueError:
        a = 10.0 + sum(v)
    return a


def bound_anew_in_a_branch(xs: list[float]) -> float:
    v = (t * 2 for t in xs)
    a = sum(v)
    if a > 1.0:
        v = (t * 3 for t in xs)
    return a + sum(v)


def bound_anew_behind_a_return(xs: list[float]) -> float:
    v = (t * 2 for t in xs)
    if xs[0] > 0:
        v = list(v)
        return sum(v)
    return sum(v)


def read_twice_before(xs: list[float]) -> float:
    v = (t * 2 for t in xs)
    a = sum(v)
    b = sum(v)
    v = (t * 3 for t in xs)
    return a + b + sum(v)


@pytest.mark.parametrize("f", [
    bound_anew_in_a_loop, read_by_what_is_called_later, read_where_it_is_caught, bound_anew_in_a_branch,
    bound_anew_behind_a_return, read_twice_before,
])
def test_a_name_stands_for_one_iterator_until_it_is_bound_anew(f: Callable[..., float]):
    agrees(f, [0.5, 0.75])
    agrees(f, [0.1, 0.2])
