"""What is read from a list at an index that is not known may be any of its items, also the one that it is compared with
or put into. Rows of rows stand in several places once they are put into another row."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees, runs_in_stores


class Node:
    def __init__(self, v: Any) -> None:
        self.v = v
        self.next: Any = None
        self.children: list[Any] = []
        self.table: dict[str, Any] = {}


def same_in_a_list(x: float, k: int) -> Any:
    a = Node(x)
    c = deque([a, Node(2.0)])
    if c[k] is a:
        a.v *= x
    return a.v + c[1].v


def same_of_a_pair(x: float, k: int) -> Any:
    a, b = Node(x), Node(2.0)
    return x * x if (a, b)[k] is a else x


def same_of_dicts(x: float, k: int) -> Any:
    a, b = {"v": x}, {"v": x}
    return x * x if (a, b)[k] is a else x


def found_by_identity(x: float, k: int) -> Any:
    ps = [Node(x), Node(1.0)]
    return x * (1.0 + ps.index(ps[k])) * (3.0 if ps[k] in [ps[0]] else 1.0)


def appended_to_itself(x: float, k: int) -> Any:
    a = Node(x)
    c = [a, Node(x * x)]
    a.children.append(c[k])
    a.v *= 2.0
    return a.children[0].v * (1.0 + len(a.children[0].children))


def inserted_into_itself(x: float, k: int) -> Any:
    a = Node(x)
    c = [a, Node(x * x)]
    a.children.insert(0, (c[k], 1.0))
    return x * (1.0 + len(a.children[0][0].children))


def its_own_next(x: float, k: int) -> Any:
    a = Node(x)
    c = [a, Node(x * x)]
    a.next = c[k]
    return x if a.next.next is None else x * x


def in_its_own_table(x: float, k: int) -> Any:
    a = Node(x)
    c = [a, Node(x * x)]
    a.table["it"] = c[k]
    return x * (1.0 + len(a.table["it"].table))


def of_a_display(x: float, k: int) -> Any:
    a, b = Node(x), Node(2.0)
    a.children = [[a, b][k]]
    return x * (1.0 + len(a.children[0].children))


def a_row_in_itself(x: float, k: int) -> Any:
    grid: list[Any] = [[], []]
    grid[0].append(grid[k])
    return x * (1.0 + len(grid[0][0]))


def made(x: Any, n: int) -> list[Node]:
    return [Node(x * i) for i in range(n)]


def in_a_list_of_the_program(x: float, k: int) -> Any:
    c = made(x, 3)
    c[0].children.append(c[k])
    return x * (1.0 + len(c[0].children[0].children))


def by_a_name(x: float, k: int) -> Any:
    c = made(x, 3)
    d = c[1]
    d.children.insert(0, c[k])
    return x * (1.0 + len(c[1].children[0].children))


def rows(x: Any) -> list[list[list[Any]]]:
    return [[[x], [x]] for _ in range(3)]


def weighed(found: list[list[list[Any]]]) -> Any:
    return sum([(i + 1.0) * sum(q) * (j + 2.0) for i, row in enumerate(found) for j, q in enumerate(row)])


def appended_twice(x: float, k: int) -> Any:
    r = rows(x)
    r[0].append(r[k][0])
    r[k][0].append(x * x)
    return weighed(r)


def assigned_twice(x: float, k: int) -> Any:
    r = rows(x)
    r[0][1] = r[k][0]
    r[k][0].append(x * x)
    return weighed(r)


def changed_before(x: float, k: int) -> Any:
    r = rows(x)
    for i in range(3):
        r[i][0].append(x * x)
        r[i].append(r[k][0])
    return weighed(r)


def extended(x: float, k: int) -> Any:
    r = rows(x)
    r[0].extend(r[k])
    r[k][0].append(x * x)
    return weighed(r)


def arrays_in_rows(x: float, k: int) -> Any:
    r = [[np.ones(2) * x] for _ in range(3)]
    r[0].append(r[k][0])
    r[k][0][0] = x * x
    return sum([(i + 1.0) * q[0] * (j + 2.0) for i, row in enumerate(r) for j, q in enumerate(row)])


MAY_BE_THE_SAME = (
    same_in_a_list, same_of_a_pair, same_of_dicts, found_by_identity, appended_to_itself, inserted_into_itself,
    its_own_next, in_its_own_table, of_a_display, a_row_in_itself, in_a_list_of_the_program, by_a_name, appended_twice,
    assigned_twice, changed_before, extended, arrays_in_rows,
)  # fmt: skip


@pytest.mark.share(2)
@pytest.mark.parametrize("f", MAY_BE_THE_SAME, ids=lambda f: f.__name__)
def test_what_may_be_the_same_stands_in_stores(f: Callable[..., Any]) -> None:
    runs_in_stores(f, 1.5, 0)
    agrees(f, 1.5, 1, second=False, exponentials=("Delta",))


def fresh_rows(x: float, k: int) -> Any:
    r = rows(x)
    r[k].append([x])
    r[k][-1].append(x * x)
    r[0].append(list(r[k][0]))
    r[k][0].append(x)
    return weighed(r)


def test_rows_that_are_new_stay_in_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CCC_STORES", "never")
    agrees(fresh_rows, 1.5, 1, second=False)
