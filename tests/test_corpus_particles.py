"""Particles that move as objects in a list, against linear algebra and a law of mechanics."""

from __future__ import annotations

import numpy as np
from checks import agrees
from corpus import particles

import ccc

X = [0.3, -0.8, 1.1, 0.2]
PLACES = [[1.0, 0.2], [-0.7, 0.4], [0.1, -1.2]]
SPEEDS = [[0.1, 0.9], [-0.3, -0.6], [0.8, 0.2]]
MASSES = [1.0, 0.7, 1.3]


def test_a_chain_of_springs():
    agrees(lambda xs, k: particles.chain(xs, k, 6), X, 0.7)
    L = np.diag([-1.0, -2.0, -2.0, -1.0]) + np.eye(4, k=1) + np.eye(4, k=-1)
    F, E, dt = 0.7 * L - np.eye(4), np.eye(4), 0.1
    step = np.block([[E + dt * dt * F, dt * E], [dt * F, E]])
    V = np.linalg.matrix_power(step, 6)[4:, :4]
    assert np.isclose(particles.chain(X, 0.7, 6), 0.5 * np.sum((V @ X) ** 2))
    assert np.allclose(ccc.gradient(lambda xs: particles.chain(xs, 0.7, 6))(X), V.T @ V @ X)


def test_planets_keep_their_angular_momentum():
    agrees(lambda p, v, m: particles.angular_momentum(p, v, m, 2), PLACES, SPEEDS, MASSES, second=False)
    dp, dv, dm = ccc.gradient(lambda p, v, m: particles.angular_momentum(p, v, m, 4))(PLACES, SPEEDS, MASSES)
    for p, v, m, a, b, c in zip(PLACES, SPEEDS, MASSES, dp, dv, dm, strict=True):
        assert np.allclose(a, [m * v[1], -m * v[0]])
        assert np.allclose(b, [-m * p[1], m * p[0]])
        assert np.isclose(c, p[0] * v[1] - p[1] * v[0])
