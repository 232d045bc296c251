"""The columns of `zip(*rows)`: lists of the program, and tuples where Python is asked what they are."""

from __future__ import annotations

from typing import Any

import pytest
from checks import agrees

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
