"""Arguments by name that a method hands on, where what it changes of its object stands in stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checks import agrees


def moved(point: Any, dt: Any, drag: Any = 0.0) -> Any:
    return np.array([point[0] + dt * point[1], point[1] * (1.0 - drag)])


class Cloud:
    def __init__(self, move: Any) -> None:
        self.move = move
        self.mean = np.array([1.0, 0.5])
        self.points = np.zeros((3, 2))

    def spread(self) -> Any:
        return np.stack([self.mean, self.mean + 0.1, self.mean - 0.1])

    def step(self, dt: Any, **options: Any) -> None:
        for i, point in enumerate(self.spread()):
            self.points[i] = self.move(point, dt, **options)
        self.mean = np.dot(np.ones(3) / 3.0, self.points)
        self.points = self.spread()


def stepped(xs: Any, dt: Any) -> Any:
    cloud = Cloud(moved)
    for x in xs:
        cloud.step(dt)
        cloud.mean = cloud.mean + x * np.sum(cloud.points) * 0.1
    return np.sum(cloud.mean**2)


def test_names_that_are_handed_on_where_none_are_given():
    """The empty dict of them was one whose keys are not known."""
    agrees(stepped, np.array([0.3, -0.2, 0.7]), 0.1)


class Diary:
    def __init__(self) -> None:
        self.pages: list[Any] = []
        self.other: Any = None
        self.weights = np.zeros(2)

    def put(self, page: Any, weights: Any, k: Any = 1.0) -> None:
        page.append(k)
        weights[0] += k
        self.pages.append(page)

    def write(self, **entries: Any) -> None:
        self.put(**entries)
        self.put(**entries)
        entries["weights"][1] += 3.0

    def write_often(self, n: int, **entries: Any) -> None:
        if n > 0:
            self.write(**entries)
            self.write_often(n - 1, **entries)


def written_by_two(x: Any) -> Any:
    first, second = Diary(), Diary()
    first.other, second.other = second, first
    page = [x[0]]
    for diary in (first, second.other, first.other):
        diary.write(page=page, weights=first.weights, k=x[1])
    second.write_often(2, page=first.pages[0], weights=second.weights, k=x[0])
    return sum(page) + 2.0 * np.sum(first.weights) + np.sum(second.weights) + len(second.pages[0]) + len(first.pages)


def written_in_turn(x: Any) -> Any:
    diaries, page = [Diary(), Diary()], [1.0]
    for i in range(4):
        diaries[i % 2].other = diaries[(i + 1) % 2]
        diaries[i % 2].write(page=page, weights=diaries[i % 2].other.weights, k=x[0])
    return sum(page) + np.sum(diaries[0].weights * x)


@pytest.mark.parametrize("f", [written_by_two, written_in_turn])
def test_entries_that_are_handed_on_in_stores(f: Callable[[Any], Any]):
    """Each entry is one place, however often it is handed on."""
    agrees(f, np.array([0.4, -0.6]))
