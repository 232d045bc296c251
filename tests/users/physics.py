"""Simulations: motion, orbits, circuits, heat, waves, populations; derivatives by what is known of the answer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import ccc


def projectile(speed: float, angle: float, dt: float = 0.01) -> float:
    """How far a ball flies, by small steps, to where it lands."""
    x, y, vx, vy = 0.0, 0.0, speed * math.cos(angle), speed * math.sin(angle)
    while True:
        nx, ny, nvy = x + dt * vx, y + dt * vy - 0.5 * 9.81 * dt * dt, vy - 9.81 * dt
        if ny < 0.0:
            return x + (nx - x) * y / (y - ny)
        x, y, vy = nx, ny, nvy


def check_projectile() -> None:
    reach, slope = ccc.value_with_gradient(projectile, wrt="speed")(20.0, 0.7)
    assert abs(reach - 400.0 * math.sin(1.4) / 9.81) < 1e-3 and abs(slope - 2.0 * reach / 20.0) < 1e-2


def pendulum(theta: float, steps: int = 200, dt: float = 0.01) -> float:
    """The energy of a pendulum after some steps of leapfrog."""
    omega = 0.0
    for _ in range(steps):
        omega -= 0.5 * dt * math.sin(theta)
        theta += dt * omega
        omega -= 0.5 * dt * math.sin(theta)
    return 0.5 * omega**2 - math.cos(theta)


def check_energy_is_kept() -> None:
    energy, slope = ccc.value_with_gradient(pendulum)(0.8)
    assert abs(energy + math.cos(0.8)) < 1e-4 and abs(slope - math.sin(0.8)) < 1e-3


@dataclass
class Body:
    """A body with a mass, a place and a velocity."""

    mass: float
    place: Any
    velocity: Any

    def kinetic(self) -> float:
        return 0.5 * self.mass * np.dot(self.velocity, self.velocity)


def total_energy(bodies: list[Body]) -> float:
    energy = sum(body.kinetic() for body in bodies)
    for i, a in enumerate(bodies):
        for b in bodies[:i]:
            energy -= a.mass * b.mass / np.linalg.norm(a.place - b.place)
    return energy  # pyright: ignore[reportReturnType]


def check_forces_of_bodies() -> None:
    bodies = [Body(1.0, np.array([0.0, 0.0]), np.array([0.0, 1.0])), Body(2.0, np.array([2.0, 0.0]), np.zeros(2)),
              Body(3.0, np.array([0.0, 3.0]), np.zeros(2))]
    slope = ccc.gradient(total_energy)(bodies)
    assert np.allclose(sum(body.place for body in slope), 0.0)
    assert np.allclose(slope[0].velocity, [0.0, 1.0]) and np.allclose(slope[0].place, [-0.5, -1.0 / 3.0])


def orbit(state: Any, steps: int = 50, dt: float = 0.02) -> Any:
    """Steps of the classical Runge-Kutta method around a star."""
    def rate(s: Any) -> Any:
        r3 = (s[0] ** 2 + s[1] ** 2) ** 1.5
        return np.array([s[2], s[3], -s[0] / r3, -s[1] / r3])

    for _ in range(steps):
        k1 = rate(state)
        k2 = rate(state + 0.5 * dt * k1)
        k3 = rate(state + 0.5 * dt * k2)
        k4 = rate(state + dt * k3)
        state = state + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return state


def check_the_flow_of_an_orbit_keeps_volumes() -> None:
    start = np.array([1.0, 0.0, 0.0, 1.0])
    assert np.allclose(orbit(start), [math.cos(1.0), math.sin(1.0), -math.sin(1.0), math.cos(1.0)], atol=1e-6)
    assert abs(np.linalg.det(ccc.jacobian(orbit)(start)) - 1.0) < 1e-5


class Spring:
    def __init__(self, stiffness: float, damping: float = 0.0) -> None:
        self.stiffness = stiffness
        self.damping = damping

    def force(self, x: float, v: float) -> float:
        return -self.stiffness * x - self.damping * v

    def simulate(self, x: float, steps: int, dt: float) -> list[float]:
        v, path = 0.0, [x]
        for _ in range(steps):
            v += dt * self.force(x, v)
            x += dt * v
            path.append(x)
        return path


def check_stiffness_is_found_from_a_path() -> None:
    seen = Spring(4.0).simulate(1.0, 60, 0.02)
    misfit = ccc.value_with_gradient(lambda k: sum((a - b) ** 2 for a, b in zip(
        Spring(k).simulate(1.0, 60, 0.02), seen, strict=True)))
    k = 3.0
    for _ in range(60):
        _, slope = misfit(k)
        k -= 0.1 * slope
    assert abs(k - 4.0) < 1e-3


def heat(u: Any, conductivity: float, steps: int = 30) -> Any:
    """Heat along a rod whose ends are cold."""
    for _ in range(steps):
        inner = u[1:-1] + conductivity * (u[2:] - 2.0 * u[1:-1] + u[:-2])
        u = np.concatenate([[0.0], inner, [0.0]])
    return u


def check_heat_decays() -> None:
    x = np.linspace(0.0, 1.0, 21)
    u = np.sin(np.pi * x)
    factor = 1.0 - 4.0 * 0.2 * math.sin(math.pi / 40.0) ** 2
    peak = ccc.value_with_gradient(lambda k: heat(u, k)[10])
    value, slope = peak(0.2)
    assert abs(value - factor**30) < 1e-12
    assert abs(slope + 30.0 * factor**29 * 4.0 * math.sin(math.pi / 40.0) ** 2) < 1e-10


def wave_energy(u: Any, c: float = 0.5, steps: int = 40) -> float:
    """The energy of a string after some steps, its ends held."""
    before = now = u
    for _ in range(steps):
        after = np.zeros_like(now)
        after[1:-1] = 2.0 * now[1:-1] - before[1:-1] + c**2 * (now[2:] - 2.0 * now[1:-1] + now[:-2])
        before, now = now, after
    return np.sum((now - before) ** 2) + c**2 * np.sum((now[1:] - now[:-1]) * (before[1:] - before[:-1]))


def check_the_energy_of_a_wave_is_quadratic() -> None:
    u = np.sin(np.pi * np.linspace(0.0, 1.0, 15))
    energy, slope = ccc.value_with_gradient(wave_energy)(u)
    assert abs(energy - wave_energy(u, steps=0)) < 1e-12 and abs(slope @ u - 2.0 * energy) < 1e-12


def ising(spins: Any, coupling: float) -> float:
    """The energy of spins on a ring of rows and columns, with a smooth coupling."""
    return -coupling * np.sum(spins * np.roll(spins, 1, axis=0) + spins * np.roll(spins, 1, axis=1))


def check_ising() -> None:
    spins = np.where(np.random.default_rng(0).random((5, 5)) < 0.5, -1.0, 1.0)
    slope = ccc.gradient(ising, wrt="spins")(spins, 0.7)
    around = sum(np.roll(spins, s, axis=a) for s, a in [(1, 0), (-1, 0), (1, 1), (-1, 1)])
    assert np.allclose(slope, -0.7 * around)


def predators(rates: dict[str, float], steps: int = 400, dt: float = 0.01) -> float:
    """What prey and predators keep between them, after some steps."""
    prey, hunters = 1.2, 0.8
    for _ in range(steps):
        prey, hunters = (prey + dt * prey * (rates["birth"] - rates["hunt"] * hunters),
                         hunters + dt * hunters * (rates["feed"] * prey - rates["death"]))
    return prey + hunters


def check_rates_by_name() -> None:
    rates = {"birth": 1.0, "hunt": 1.0, "feed": 1.0, "death": 1.0}
    slope = ccc.gradient(predators)(rates)
    assert set(slope) == set(rates)
    for name in rates:
        more, less = ({**rates, name: rates[name] + h} for h in (1e-5, -1e-5))
        assert abs(slope[name] - (predators(more) - predators(less)) / 2e-5) < 1e-6


def epidemic(beta: float, gamma: float = 0.1, days: int = 60) -> tuple[float, float]:
    """The peak of the ill, and those who never were."""
    s, i, r = 0.99, 0.01, 0.0
    peak = i
    for _ in range(days):
        new, well = beta * s * i, gamma * i
        s, i, r = s - new, i + new - well, r + well
        peak = max(peak, i)
    assert abs(s + i + r - 1.0) < 1e-9, "people are lost"
    return peak, s


def check_an_epidemic_peaks_higher_with_more_contacts() -> None:
    slope = ccc.gradient(lambda beta: epidemic(beta)[0])(0.3)
    assert abs(slope - (epidemic(0.3 + 1e-6)[0] - epidemic(0.3 - 1e-6)[0]) / 2e-6) < 1e-5 and slope > 0.0


def discharge(resistance: float, capacity: float) -> Iterator[float]:
    """The voltages of a capacitor, one a millisecond."""
    voltage = 1.0
    for _ in range(100):
        yield voltage
        voltage -= 1e-3 * voltage / (resistance * capacity)


def check_a_circuit_discharges() -> None:
    slope = ccc.gradient(lambda r: list(discharge(r, 0.1))[-1])(2.0)
    assert abs(slope - 99 * (1.0 - 1e-3 / 0.2) ** 98 * 1e-3 / 0.4) < 1e-12


def fringe(wavelength: float, slits: int = 4) -> float:
    """The brightness behind slits, by complex amplitudes."""
    amplitude = np.sum(np.exp(2j * np.pi * np.arange(slits) * 0.3 / wavelength))
    return (amplitude * np.conj(amplitude)).real


def check_interference() -> None:
    value, slope = ccc.value_with_gradient(fringe)(0.8)
    phase = math.pi * 0.3 / 0.8
    assert abs(value - (math.sin(4 * phase) / math.sin(phase)) ** 2) < 1e-10
    assert abs(slope - (fringe(0.8 + 1e-6) - fringe(0.8 - 1e-6)) / 2e-6) < 1e-6
