"""Programs with habits of Python: compartments of an `IntEnum`, a mapping of one's own, names bound in filters."""

from __future__ import annotations

import enum
import logging
import math
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any

import numpy as np
from users_checks import agrees_with_python

log = logging.getLogger(__name__)


class Group(enum.IntEnum):
    S = 0
    E = 1
    I = 2  # noqa: E741
    R = 3


def epidemic(beta: float, sigma: float, gamma: float) -> float:
    people: Any = np.zeros(len(Group))
    peak = 0.0
    people[Group.S] = 0.99
    people[Group.I] = 0.01
    for _ in range(15):
        flows = {(Group.S, Group.E): beta * people[Group.S] * people[Group.I],
                 (Group.E, Group.I): sigma * people[Group.E], (Group.I, Group.R): gamma * people[Group.I]}
        new = people.copy()
        for (source, target), rate in flows.items():
            new[source] -= rate
            new[target] += rate
        people = new
        peak = max(peak, people[Group.I])
    parts = [*people]
    parts[Group.E] = 2.0 * parts[Group.E]
    return peak + Group.E * people[Group.R] + (Group.I + 1) * parts[Group.E] + people[Group.E :].sum()


def check_members_that_are_numbers_are_places() -> None:
    agrees_with_python(epidemic, 0.6, 0.3, 0.15)


class Params(MutableMapping[str, Any]):
    def __init__(self, **items: Any) -> None:
        self.items_ = dict(items)

    def __getitem__(self, key: str) -> Any:
        return self.items_[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.items_[key] = value

    def __delitem__(self, key: str) -> None:
        del self.items_[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.items_)

    def __len__(self) -> int:
        return len(self.items_)

    def map(self, f: Callable[[Any], Any]) -> Params:
        return Params(**{key: f(value) for key, value in self.items()})


def mapped(a: float, b: float) -> float:
    p = Params(a=a, b=b)
    q = p.map(lambda v: v * v + 1.0)
    q.update(c=a * b)
    p["a"] *= 3.0
    del q["b"]
    r = {**q, "d": a}
    return sum(q.values()) + p["a"] * len(q) + q.get("e", 2.0) * p.pop("b") + r["c"] * r["d"] + q.setdefault("f", b)


def check_what_a_mapping_inherits_is_read() -> None:
    agrees_with_python(mapped, 0.7, 1.2)


def nearest(spheres: list[tuple[float, float]], x: float, far: float) -> float:
    def hit(center: float, radius: float) -> float | None:
        inside = radius * radius - (x - center) ** 2
        return center - math.sqrt(inside) if inside > 0.0 else None

    hits = [h for sphere in spheres if (h := hit(*sphere)) is not None]
    near = [h * 2.0 for c, _ in spheres if c > 0.1 and (h := c * x) > 0.2]
    nearest = min(hits, key=lambda h: abs(h - 0.1))
    return nearest + sum(near) + sorted([h * h for h in hits], reverse=far > x)[0]


def check_names_bound_in_filters_and_an_order_either_way() -> None:
    spheres = [(0.5, 0.8), (1.2, 1.1), (5.0, 0.3)]
    agrees_with_python(nearest, spheres, 0.7, 2.0)
    agrees_with_python(nearest, spheres, 0.7, 0.0)


class Model:
    def __init__(self, params: dict[str, Any], **more: Any) -> None:
        self.__dict__.update(params)
        self.__dict__.update(more)
        vars(self)["steps"] = 3

    def __call__(self, x: float) -> float:
        for _ in range(self.steps):  # type: ignore[attr-defined]
            x = math.tanh(self.w * x + self.b)  # type: ignore[attr-defined]
        return x


def check_attributes_set_by_their_dict() -> None:
    agrees_with_python(lambda params, x: Model(params, b=x)(x) + sum(vars(Model(params)).values()), {"w": 1.3}, 0.4)


def careful(xs: list[float], scale: float) -> float:
    def logarithm(x: float) -> float:
        try:
            return math.log(x)
        except ValueError as error:
            log.debug("no logarithm: %s", error)
            return x - 10.0

    total = 0.0
    for x in xs:
        total += logarithm(x - 0.5) * scale / x
    return total


def check_an_exception_is_logged() -> None:
    agrees_with_python(careful, [0.2, 1.3, 2.5], 1.4)


def check_formula_read_by_a_pattern() -> None:
    import re

    def mass(w):
        total = 0.0
        for sym, n in re.findall("([A-Z][a-z]?)(\\d*)", "C6H12O6"):
            total += w[sym] * int(n or 1)
        return total**2 / 100

    agrees_with_python(mass, {"C": 12.0, "H": 1.008, "O": 16.0})
