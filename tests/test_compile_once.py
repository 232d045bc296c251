"""Python evaluates once what stands left of an assignment or of a method's name; so do compiled programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees


class Box:
    def __init__(self, xs: Any) -> None:
        self.xs = xs


def counting(value: Any) -> tuple[Callable[..., Any], list[float]]:
    calls = [0.0]

    def get() -> Any:
        calls[0] += 1.0
        return value

    return get, calls


def a_method_of_a_part(x: float, n: int) -> Any:
    box = Box([x * i for i in range(n)])
    get, calls = counting(box)
    get().xs.append(x)
    return sum(box.xs) * calls[0]


def a_method_of_an_item(x: float, n: int) -> Any:
    boxes = {"a": [x * i for i in range(n)]}
    get, calls = counting(boxes)
    last = get()["a"].pop()
    return sum(boxes["a"]) * calls[0] + last


def a_method(x: float, n: int) -> Any:
    xs = [x * i for i in range(n)]
    get, calls = counting(xs)
    get().append(x)
    return sum(xs) * calls[0]


def an_item(x: float, n: int) -> Any:
    box = Box([x * i for i in range(n)])
    get, calls = counting(box)
    get().xs[1] = x * x
    get().xs[2] += x
    return sum(box.xs) * calls[0]


def an_attribute(x: float, n: int) -> Any:
    box = Box(x)
    get, calls = counting(box)
    get().xs += x * x
    get().xs = get().xs * x
    return box.xs * calls[0]


def an_index(x: float, n: int) -> Any:
    get, calls = counting(1)
    rows, array, table = [[x * i] for i in range(n)], np.array([x, 1.0, 2.0]), {1: x}
    rows[get()].append(x)
    rows[get()][0] += x
    array[get()] *= x
    table[get()] += x
    return (sum(rows[1]) + np.sum(array) + table[1]) * calls[0]


def an_array(x: float, n: int) -> Any:
    box = Box(np.array([x, 1.0]))
    get, calls = counting(box)
    get().xs[0] += x
    get().xs *= 2.0
    return np.sum(box.xs) * calls[0]


def an_object_of_a_list(x: float, n: int) -> Any:
    boxes = [Box([x * i]) for i in range(n)]
    get, calls = counting(1)
    boxes[get()].xs.append(x)
    boxes[get()].xs[0] += x
    return sum(boxes[1].xs) * calls[0]


def a_subject(x: float, n: int) -> Any:
    get, calls = counting((x, 1))
    match get():
        case (a, 0):
            total = a
        case (a, 1):
            total = 2.0 * a
        case _:
            total = 0.0
    for part in get():
        total += part
    return total * calls[0]


def in_a_comprehension(x: float, n: int) -> Any:
    box = Box([x * i for i in range(n)])
    get, calls = counting(box)
    taken = [get().xs.pop() for _ in range(2)]
    return sum(box.xs) * calls[0] + taken[0] * 3.0 + taken[1]


@pytest.mark.parametrize(
    "f",
    [a_method_of_a_part, a_method_of_an_item, a_method, an_item, an_attribute, an_index, an_array, an_object_of_a_list,
     a_subject, in_a_comprehension],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_calls_on_the_way_are_made_once(f: Callable[..., Any]) -> None:
    agrees(f, 1.3, 4)
