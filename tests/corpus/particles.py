"""Particles as objects in a list, moved by their names and by their indices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Particle:
    position: float
    velocity: float
    force: float = 0.0


def chain(positions: Any, stiffness: Any, steps: int, dt: float = 0.1) -> Any:
    """The kinetic energy of particles on springs behind some steps, each held at the origin by a spring too."""
    particles = [Particle(x, 0.0) for x in positions]
    for _ in range(steps):
        for p in particles:
            p.force = -p.position
        for i in range(len(particles) - 1):
            a, b = particles[i], particles[i + 1]
            pull = stiffness * (b.position - a.position)
            a.force += pull
            b.force -= pull
        for p in particles:
            p.velocity += p.force * dt
            p.position += p.velocity * dt
    return sum([0.5 * p.velocity * p.velocity for p in particles])


@dataclass
class Planet:
    place: Any
    speed: Any
    mass: float

    def drift(self, dt: float) -> None:
        self.place += self.speed * dt


def kick(planets: list[Planet], dt: float) -> None:
    """Let each planet pull all others."""
    for a in planets:
        for b in planets:
            if a is not b:
                apart = b.place - a.place
                a.speed += dt * b.mass * apart / (0.1 + np.sum(apart * apart)) ** 1.5


def angular_momentum(places: Any, speeds: Any, masses: Any, steps: int, dt: float = 0.05) -> Any:
    """What no step of this integrator changes: forces along the line between two planets turn nothing."""
    planets = [Planet(np.array(p), np.array(v), m) for p, v, m in zip(places, speeds, masses, strict=True)]
    for _ in range(steps):
        kick(planets, dt)
        for planet in planets:
            planet.drift(dt)
    return sum([p.mass * (p.place[0] * p.speed[1] - p.place[1] * p.speed[0]) for p in planets])
