"""Containers that C implements have the attributes of Python's classes, whatever is read for them."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

import pytest

import ccc


class Listing(list[float]):
    def __init__(self, items: Any = ()) -> None:
        super().__init__(items)
        self.calls = 2


class Table(collections.OrderedDict[str, float]):
    def __init__(self, scale: float) -> None:
        super().__init__()
        self.scale = scale


def items_of_a_queue(x: Any) -> Any:
    q: Any = collections.deque([x])
    return q.items


def table_of_a_set(x: Any) -> Any:
    s: Any = {int(x), 2}
    return s.table


def method_of_a_set(x: Any) -> Any:
    s: Any = {int(x), 2}
    s.is_turned()
    return len(s)


def entries_of_a_counter(x: Any) -> Any:
    c: Any = collections.Counter()
    c[1] = x
    return c.kept_entries


def items_below_a_list(x: Any) -> Any:
    xs: Any = Listing([x])
    return xs.kept_items


def set_on_a_queue(x: Any) -> Any:
    q: Any = collections.deque([x])
    q.items = 3
    return len(q)


def length_of_a_queue(x: Any) -> Any:
    q: Any = collections.deque([x], maxlen=4)
    q.maxlen = 3
    return len(q)


def set_by_name_on_a_set(x: Any) -> Any:
    s: Any = {int(x), 2}
    setattr(s, "more", 1)  # noqa: B010
    return len(s)


def deleted_of_a_queue(x: Any) -> Any:
    q: Any = collections.deque([x])
    del q.items
    return len(q)


def dict_of_a_queue(x: Any) -> Any:
    q: Any = collections.deque([x])
    return q.__dict__


MISSING: list[Callable[[Any], Any]] = [
    items_of_a_queue, table_of_a_set, method_of_a_set, entries_of_a_counter, items_below_a_list, set_on_a_queue,
    length_of_a_queue, set_by_name_on_a_set, deleted_of_a_queue, dict_of_a_queue,
]


@pytest.mark.parametrize("f", MISSING, ids=lambda f: f.__name__)
def test_what_python_has_not_is_refused(f: Any) -> None:
    with pytest.raises(AttributeError):
        f(2.0)
    with pytest.raises(ccc.CCCError, match="has no attribute|not writable"):
        ccc.compiled(f)(2.0)


def test_what_a_try_catches_is_raised() -> None:
    def f(x: Any) -> Any:
        q: Any = collections.deque([x])
        try:
            return q.items
        except AttributeError:
            return -x

    assert ccc.compiled(f)(2.0) == f(2.0) == -2.0


@pytest.mark.parametrize("given", [lambda: Listing([1.0]), lambda: Table(2.0)], ids=["list", "dict"])
def test_objects_below_containers_have_their_own(given: Any) -> None:
    def asked(xs: Any, x: Any) -> Any:
        names = ["calls", "scale", "kept_items", "kept_entries", "append", "move_to_end"]
        return [hasattr(xs, name) for name in names], getattr(xs, "kept_items", x), vars(xs)

    def changed(xs: Any, x: Any) -> Any:
        xs.calls = 3
        xs.more = x
        return xs.calls, xs.more

    assert ccc.compiled(asked)(given(), 3.0) == asked(given(), 3.0)
    mine, ours = given(), given()
    assert ccc.compiled(changed)(ours, 3.0) == changed(mine, 3.0) and vars(ours) == vars(mine)
