"""Classes of objects that the tests of lists of objects change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class P:
    x: float
    v: float

    def kick(self, f: float) -> None:
        self.v += f
        self.x += self.v


@dataclass
class A:
    pos: Any
    vel: Any


@dataclass
class M:
    pos: Any
    m: float


@dataclass
class N:
    p: P
    w: float


@dataclass
class T:
    trail: list[float]
    m: float


@dataclass
class W:
    ps: list[P]
    t: float

    def step(self, dt: float) -> None:
        for p in self.ps:
            p.x += p.v * dt
        self.t += dt
