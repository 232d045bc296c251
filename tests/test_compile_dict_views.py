"""Views of dicts under other names: as arguments, results, attributes and of either of two dicts. They show what the
dict holds whenever they are asked, so where that changes meanwhile this is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees

import ccc
from ccc.compile.diagnostics import CompileError


class Held:
    def __init__(self, values: Any) -> None:
        self.values = values


def doubled(d: Any, values: Any) -> Any:
    d["a"] = d["a"] * 2
    return sum(values)


def many(x: Any) -> dict[int, Any]:
    d: dict[int, Any] = {}
    for w in np.linspace(0.0, 1.0, 50):
        d[round(w * 10)] = x * w
    return d


def in_a_nested_function(x: Any) -> Any:
    d = {"a": x}

    def f(keys: Any) -> Any:
        d["b"] = x
        return len(keys)

    return f(d.keys()) * x


def in_a_function(x: Any) -> Any:
    d = {"a": x}
    return doubled(d, d.values())


def in_a_recursion(x: Any) -> Any:
    d = {"a": x}

    def f(n: int, values: Any) -> Any:
        if n == 0:
            return sum(values)
        d["a"] = d["a"] * 2
        return f(n - 1, values)

    return f(3, d.values())


def in_a_loop(x: Any) -> Any:
    d = {"a": x}

    def f(values: Any, n: int) -> Any:
        for _ in range(n):
            d["a"] += x
        return sum(values)

    return f(d.values(), 3)


def given_back(x: Any) -> Any:
    d = {"a": x}
    pair = (lambda: (d.keys(), d.values()))()
    d["b"] = x * x
    return len(pair[0]) * sum(pair[1])


def among_starred(x: Any) -> Any:
    d = {"a": x}

    def f(*values: Any) -> Any:
        d["a"] = 9.0 * x
        return sum(values[0])

    return f(d.values())


def of_an_object(x: Any) -> Any:
    d = {"a": x}
    held = Held(d.values())
    d["a"] = x * x
    return sum(held.values)


def of_either(x: Any) -> Any:
    d, e = {"a": x}, {"b": 2.0}
    values = d.values() if x > 0 else e.values()
    d["a"] = x * 7
    return sum(values)


def of_either_of_many(x: Any) -> Any:
    d, e = many(x), many(x * x)
    values = d.values() if x < 0 else e.values()
    e[0] = 7.0 * x
    return sum(values)


def of_many(x: Any) -> Any:
    d = many(x)
    values = (lambda values: values)(d.values())
    d[0] = 5 * x
    d[77] = x
    return sum(values)


def of_others_in_a_loop(x: Any) -> Any:
    d, e = {"a": x}, {"a": 2.0 * x}
    values, total = d.values(), 0.0
    for v in np.linspace(0.0, 1.0, 60):
        total = total * v + sum(values)
        values = e.values()
    return total


CHANGED = [in_a_nested_function, in_a_function, in_a_recursion, in_a_loop, given_back, among_starred, of_an_object,
           of_either, of_either_of_many, of_many]


@pytest.mark.parametrize("f", CHANGED)
def test_a_dict_that_changes_while_a_view_is_read_is_refused(f: Callable[..., Any]):
    with pytest.raises(CompileError, match=r"a dict changes while `\w+` is a view of it"):
        ccc.gradient(f)(1.3)


def test_a_name_that_shows_another_dict_in_each_turn_is_refused():
    with pytest.raises(CompileError, match="`values` changes its type in a loop"):
        ccc.gradient(of_others_in_a_loop)(1.3)


def read(x: Any) -> Any:
    d, e = {"a": x, "b": 2.0}, {"b": 2.0 * x, "c": 1.0}
    values = d.values() if x < 0 else e.values()
    items = d.items() if x < 0 else e.items()
    more = many(x).values() if x < 0 else many(x * x).values()

    def norm(values: Any) -> Any:
        return sum(v * v for v in values) ** 0.5 + len(values)

    c = {"a": x, "b": x * x}
    n = norm(c.values())
    for k in c:
        c[k] = c[k] / n
    texts = (lambda keys: f"{keys}")(d.keys()), (lambda keys: isinstance(keys, tuple))(d.keys())
    return sum(values) + sum(v for _, v in items) + sum(more) + norm(c.values()) * c["a"] + len(str(texts)) * x


def test_views_under_other_names_are_read():
    agrees(read, 1.3)
    assert ccc.compiled(lambda x: (lambda keys: f"{keys}")({"a": x}.keys()))(1.0) == "dict_keys(['a'])"
