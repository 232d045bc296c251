"""Lists and objects that were known one by one, read at a key that is not known and changed: no copy of one changes
in its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from checks import agrees, runs_in_stores


@dataclass
class Box:
    xs: list[float]
    v: float


def put(xs: list[float], x: float) -> None:
    xs[0] = x


def two(x: float) -> list[Box]:
    return [Box([1.0, x], x), Box([x, 1.0], 2.5)]


def a_list_in_an_object(x: float, n: int) -> Any:
    boxes = two(x)
    put(boxes[n - 2].xs, x * x)
    return boxes[1].xs[0] * x


def after_a_change(x: float, n: int) -> Any:
    boxes = two(x)
    boxes[1].xs.extend([x, 1.0])
    put(boxes[n - 2].xs, x * x)
    return sum(boxes[1].xs) * x


def before_an_exchange_with_another(x: float, n: int) -> Any:
    boxes = two(x)
    put(boxes[n - 3].xs, x * x)
    boxes[n - 2] = Box([x], x)
    return sum(boxes[0].xs) * boxes[1].v


def a_name_of_a_part(x: float, n: int) -> Any:
    boxes = [Box([x * i], x) for i in range(n)]
    xs, other = boxes[n - 2].xs, boxes[n - 1]
    xs.append(x)
    other.v = x * x
    return sum(xs) * other.v + sum(boxes[1].xs) + boxes[2].v


def two_fields_of_one(x: float, n: int) -> Any:
    box = two(x)[n - 2]
    return box.v + box.xs[0]


def two_fields_in_a_tuple(x: float, n: int) -> Any:
    boxes = (Box([1.0, 2.5], x), Box([x + 1.0, x * 2.0], x + 1.0))
    return boxes[n - 2].v + sum(boxes[n - 2].xs) + boxes[0].v


def fields_in_a_dict(x: float, n: int) -> Any:
    boxes = {i: Box([x, x + i], x * i) for i in range(n)}
    return boxes[0].v + boxes[1].v + sum(boxes[1].xs) + boxes[2].xs[0]


RIGHT = [
    a_list_in_an_object, after_a_change, before_an_exchange_with_another, a_name_of_a_part, two_fields_of_one,
    two_fields_in_a_tuple, fields_in_a_dict,
]  # fmt: skip


@pytest.mark.parametrize("f", RIGHT, ids=lambda f: f.__name__)
def test_objects_and_their_parts_at_unknown_places(f: Callable[..., Any]) -> None:
    agrees(f, 1.3, 3)


def a_copy_with_a_name(x: float, n: int) -> Any:
    boxes = two(x)
    box = boxes[n - 2]
    boxes[1].xs[0] = x * x
    return sum(box.xs) * x


def of_a_dict_put_back(x: float, n: int) -> Any:
    found = {0: [2.5], 1: [x + 1.0, x]}
    found[n - 3] = found[n - 2] if x > 0.0 else found[n % 2]
    put(found[n - 2], x * x)
    return sum(found[0]) * x


def one_object_in_two_places(x: float, n: int) -> Any:
    boxes = two(x)
    boxes.append(boxes[(n + 1) % 2])
    boxes[n - 2] = Box([x], x)
    boxes[n - 3].xs.append(x)
    return sum(boxes[2].xs) * x


@pytest.mark.parametrize("f", [a_copy_with_a_name, of_a_dict_put_back, one_object_in_two_places])
def test_what_else_leads_to_stands_in_stores(f: Callable[..., Any]) -> None:
    runs_in_stores(f, 1.3, 3, says="CC010|CC011")
