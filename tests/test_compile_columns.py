"""The columns of `zip(*rows)`: lists of the program, and tuples where Python is asked what they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from checks import agrees, runs_in_stores, value_of

import ccc

LISTS = [[1.3, 2.0], [3.0, 0.4]]
PAIRS = [(1.3, 2.0), (3.0, 0.4), (0.5, 1.0)]


def asked(rows: Any) -> Any:
    """`isinstance` said that a column was a list."""
    found, mine = 0.0, [row[0] for row in rows]
    columns = list(zip(*rows))  # noqa: B905
    for column in zip(*rows):  # noqa: B905
        found += sum(column) * len(column) if isinstance(column, tuple) else 100.0
        own = list(column)
        own.append(2.0)
        found *= sum(own) if isinstance(own, list) else 100.0
    found += sum(mine) if isinstance(mine, list) else 100.0
    return found * (columns[0][0] if type(columns[1]) is tuple else 100.0)


def told(rows: Any) -> Any:
    columns = list(zip(*rows))  # noqa: B905
    first, *_ = zip(*rows)  # noqa: B905
    print(columns, first, f"{first}")
    return columns[1][0]


@pytest.mark.parametrize("rows", [LISTS, PAIRS], ids=["lists", "pairs"])
def test_columns_are_tuples(rows: Any, capsys: pytest.CaptureFixture[str]) -> None:
    agrees(asked, rows, second=False)
    told(rows)
    expected = capsys.readouterr().out
    for backend in ("numpy", "native"):
        assert ccc.value_with_gradient(told, backend=backend)(rows)[0] == rows[0][1]
        assert capsys.readouterr().out == expected


def test_what_may_be_a_column_is_not_asked() -> None:
    def either(rows: Any, n: int) -> Any:
        column = next(iter(zip(*rows))) if n > 1 else rows[0]  # noqa: B905
        return sum(column) if isinstance(column, tuple) else 0.0

    with pytest.raises(ccc.CCCError, match="is not known while compiling|types"):
        ccc.gradient(either, wrt=0)(LISTS, 2)


def tuples_of(rows: Any) -> Any:
    columns = tuple(zip(*rows))  # noqa: B905
    kept = tuple(x * x for row in rows for x in row if x > 0.5)
    longer = kept[:1] + kept + (rows[0][0],) + kept * 2
    print(kept, isinstance(kept, tuple), type(longer) is tuple, len(longer))
    return sum(map(sum, columns)) * columns[0][1] + sum(longer) * longer[-1] + max(kept[1:])


def test_what_is_as_long_as_the_data_says_is_a_tuple(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [[0.7, 0.2, 0.6], [0.9, 0.3, 0.8]]
    expected, told = tuples_of(rows), capsys.readouterr().out
    assert value_of(tuples_of, rows) == expected
    assert capsys.readouterr().out == told
    agrees(tuples_of, rows)


class Held:
    def __init__(self, items: tuple[Any, ...] = ()) -> None:
        self.items = items


def held(values: Any) -> Any:
    """Tuples of different lengths in objects: none is a list, and none changes with another."""
    each = [Held(), Held((values[0],)), Held((values[0], values[1]))]
    first, found = each[2].items, 0.0
    for i, value in enumerate(values):
        one = each[i]
        one.items += (value,)
        found += sum(one.items) * len(one.items) + (3.0 * value if one.items[1:] == (values[1],) else value)
        found += 100.0 if isinstance(one.items, list) or one.items == list(one.items) else value * one.items[-1]
    print(first, each[0].items, f"{each[1].items}")
    return found + sum(first) * max(*each[2].items)


def grown(values: Any) -> Any:
    """Tuples of different lengths under one name."""
    path: Any = (values[0],)
    if values[1] > 0.25:
        path = (values[1], values[0] * values[1])
    for value in values:
        path = (*path, path[-1] * value) if value > 0.5 else path + (value,)  # noqa: RUF005
    kinds, so_far = [(), path, path[:1]], {}
    for i, value in enumerate(values):
        so_far[i] = so_far.get(i - 1, ()) + (value * i,)  # noqa: RUF005
    found = sum([sum(kinds[i % 3]) for i, _ in enumerate(values)])
    return sum(map(sum, so_far.values())) + sum(path) * len(path) + found


def grown_in_a_branch(values: Any) -> Any:
    path: Any = ()
    for value in values:
        if value > 0.5:
            path += (value * value,)
    rest: Any = ()
    i = 0
    while i < len(values):
        if values[i] < 0.65:
            rest = (values[i], *rest)
        i += 1
    return sum(path) * sum(rest) + len(path)


def grown_in_a_tuple(values: Any) -> Any:
    """Tuples of different lengths in tuples under one name."""
    state: Any = ((), ((), 1.0))
    for value in values:
        one, (other, last) = state
        state = ((*one, value * last), (other, last * value))
        if value > 0.5:
            state = one, ((value, *other), last + value)
    return sum(state[0]) * sum(state[1][0]) * state[1][1] + len(state[0])


@pytest.mark.parametrize("f", [held, grown, grown_in_a_branch, grown_in_a_tuple])
def test_tuples_of_different_lengths_stand_at_places(f: Any, capsys: pytest.CaptureFixture[str]) -> None:
    values = [0.7, 0.2, 0.6]
    expected, told = f(values), capsys.readouterr().out
    assert value_of(f, values) == expected
    assert capsys.readouterr().out == told
    runs_in_stores(f, values)


COMPARED: list[tuple[Any, float]] = [
    (lambda kept, values: kept == list(kept), 0.0),
    (lambda kept, values: kept == tuple(list(kept)), 1.0),
    (lambda kept, values: kept == (values[0], values[1]), 1.0),
    (lambda kept, values: [*kept] == kept, 0.0),
    (lambda kept, values: kept != [values[0], values[1]], 1.0),
    (lambda kept, values: kept in [[values[0], values[1]], [values[0]]], 0.0),
]


@pytest.mark.parametrize(("test", "expected"), COMPARED)
def test_a_tuple_of_unknown_length_equals_no_list(test: Any, expected: float) -> None:
    def f(values: Any) -> Any:
        return 1.0 * test(tuple(x for x in values if x > 0.5), values)

    assert f([0.7, 0.9, 0.2]) == value_of(f, [0.7, 0.9, 0.2]) == expected


@dataclass
class Item:
    value: float
    count: int


GIVEN_BACK: dict[str, Any] = {
    "columns": lambda rows: [c for c in zip(*rows)],  # noqa: B905
    "tuple": lambda rows: tuple(x for row in rows for x in row if x > 0.5),
    "in a dict": lambda rows: {"rows": tuple([*row, 1.0] for row in rows), "count": (tuple(rows[0]), 2)},
    "of objects": lambda rows: tuple(Item(x, 1) for x in rows[0]),
    "of tuples": lambda rows: tuple((x, 2) for x in rows[0]),
    "a list of them": lambda rows: [tuple(x * row[0] for x in row) for row in rows],
    "a list of lists": lambda rows: [list(row) for row in zip(*rows)],  # noqa: B905
}


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("name", GIVEN_BACK)
def test_tuples_of_unknown_length_are_given_back(name: str, backend: Any) -> None:
    f, rows = GIVEN_BACK[name], [[0.7, 0.2], [0.9, 0.3]]
    assert ccc.compiled(f, backend=backend)(rows) == f(rows)


def test_derivatives_of_tuples_of_unknown_length() -> None:
    def f(xs: Any) -> Any:
        return tuple(x * x for x in xs if x > 0.5)

    value, pullback = ccc.value_with_pullback(f)([0.7, 0.2, 0.9])
    assert value == (0.7 * 0.7, 0.9 * 0.9) and pullback((1.0, 2.0)) == [1.4, 0.0, 3.6]
    assert ccc.jvp(f, ([0.7, 0.2, 0.9],), ([1.0, 1.0, 0.5],))[1] == (1.4, 0.9)
    assert ccc.gradient(lambda xs: sum(f(xs)))([0.7, 0.2, 0.9]) == [1.4, 0.0, 1.8]
    _, pullback = ccc.value_with_pullback(GIVEN_BACK["columns"])([[0.7, 0.2], [0.9, 0.3]])
    assert pullback([(1.0, 2.0), (3.0, 4.0)]) == [[1.0, 3.0], [2.0, 4.0]]
