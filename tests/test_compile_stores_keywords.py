"""Arguments by name that a method hands on, where what it changes of its object stands in stores."""

from __future__ import annotations

from typing import Any

import numpy as np
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
