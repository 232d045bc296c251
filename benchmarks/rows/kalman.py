"""The log likelihood of a Kalman filter: small matrices and two linear systems a step."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks import ours as library
from benchmarks.programs.kalman import log_likelihood as primal

SIZES = {"4, 2, 100": (4, 2, 100), "4, 2, 1000": (4, 2, 1000)}
SMALL = (3, 2, 5)
WRT = (0, 1, 2, 3)
NAMES = ("A", "C", "Q", "R")


def SCALED(n: int) -> tuple[Any, ...]:
    return (4, 2, n)


def arguments(states: int, seen: int, steps: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    A = 0.9 * np.linalg.qr(rng.normal(size=(states, states)))[0]
    noise = rng.normal(size=(states, states)), rng.normal(size=(seen, seen))
    Q, R = [0.1 * (N @ N.T + np.eye(len(N))) for N in noise]
    return A, rng.normal(size=(seen, states)), Q, R, rng.normal(size=(steps, seen))


def ours(backend: str) -> Mapping[str, Any]:
    return {"primal": library.run(primal, backend), "gradient": library.gradient(primal, NAMES, backend)}


def by_hand() -> Mapping[str, Any]:
    """The filter is run backwards step by step."""

    def gradient(A: Any, C: Any, Q: Any, R: Any, ys: Any) -> Any:
        n = len(A)
        m, P = np.zeros(n), np.eye(n)
        tape = []
        for y in ys:
            before = m, P
            m, P = A @ m, A @ P @ A.T + Q
            r, S = y - C @ m, C @ P @ C.T + R
            inverse = np.linalg.inv(S)
            CP = C @ P
            K = (inverse @ CP).T
            tape.append((*before, m, P, r, inverse, CP, K))
            m, P = m + K @ r, P - K @ CP
        dA, dC, dQ, dR = np.zeros_like(A), np.zeros_like(C), np.zeros_like(Q), np.zeros_like(R)
        dm, dP = np.zeros(n), np.zeros((n, n))
        for m0, P0, m, P, r, inverse, CP, K in reversed(tape):
            z = inverse @ r
            dK = np.outer(dm, r) - dP @ CP.T
            dCP = inverse.T @ dK.T - K.T @ dP
            dr = K.T @ dm - 0.5 * (z + inverse.T @ r)
            dinverse = dK.T @ CP.T - 0.5 * np.outer(r, r)
            dS = -inverse.T @ dinverse @ inverse.T - 0.5 * inverse.T
            dC += np.outer(-dr, m) + dCP @ P.T + dS @ C @ P.T + dS.T @ C @ P
            dP = dP + C.T @ dCP + C.T @ dS @ C
            dm = dm - C.T @ dr
            dR += dS
            dQ += dP
            dA += np.outer(dm, m0) + dP @ A @ P0.T + dP.T @ A @ P0
            dm, dP = A.T @ dm, A.T @ dP @ A
        return dA, dC, dQ, dR

    return {"primal": primal, "gradient": gradient}


def likelihood(np: Any, A: Any, C: Any, Q: Any, R: Any, ys: Any) -> Any:
    """The loop in a library with the names of NumPy."""
    mean, covariance, total = A[0] * 0.0, np.eye(len(A), dtype=A.dtype), 0.0
    for y in ys:
        mean, covariance, term = filtered(np, A, C, Q, R, mean, covariance, y)
        total = total + term
    return total - 0.5 * ys.shape[0] * ys.shape[1] * math.log(2.0 * math.pi)


def filtered(np: Any, A: Any, C: Any, Q: Any, R: Any, mean: Any, covariance: Any, y: Any) -> Any:
    """A step: the next mean and covariance, and what the step adds to the likelihood."""
    mean, covariance = A @ mean, A @ covariance @ A.T + Q
    surprise, S = y - C @ mean, C @ covariance @ C.T + R
    gain = np.linalg.solve(S, C @ covariance).T
    term = -0.5 * (surprise @ np.linalg.solve(S, surprise) + np.linalg.slogdet(S)[1])
    return mean + gain @ surprise, covariance - gain @ C @ covariance, term


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    def log_likelihood(A: Any, C: Any, Q: Any, R: Any, ys: Any) -> Any:
        def step(state: Any, y: Any) -> Any:
            *state, term = filtered(jnp, A, C, Q, R, *state, y)
            return tuple(state), term

        _, terms = jax.lax.scan(step, (jnp.zeros(len(A)), jnp.eye(len(A))), ys)
        return jnp.sum(terms) - 0.5 * ys.size * math.log(2.0 * math.pi)

    return {"primal": jax.jit(log_likelihood), "gradient": jax.jit(jax.grad(log_likelihood, WRT))}


def torch() -> Mapping[str, Any]:
    import torch

    from benchmarks import with_torch

    def log_likelihood(*arguments: Any) -> Any:
        return likelihood(torch, *arguments)

    return {"primal": with_torch.value(log_likelihood), "gradient": with_torch.gradient(log_likelihood, WRT)}


def autograd() -> Mapping[str, Any]:
    import autograd.numpy as np
    from autograd import grad

    def log_likelihood(A: Any, C: Any, Q: Any, R: Any, ys: Any) -> Any:
        mean, covariance, total = np.zeros(len(A)), np.eye(len(A)), 0.0
        for y in ys:
            mean, covariance, term = filtered(np, A, C, Q, R, mean, covariance, y)
            total = total + term
        return total - 0.5 * ys.size * math.log(2.0 * math.pi)

    return {"primal": log_likelihood, "gradient": grad(log_likelihood, WRT)}


def casadi() -> Mapping[str, Any]:
    import casadi

    from benchmarks import with_casadi

    def step(n: int, m: int) -> Any:
        sizes = [(n + n * n + 1, 1), (m, 1), (n, n), (m, n), (n, n), (m, m)]
        s, y, A, C, Q, R = [casadi.SX.sym("x", *size) for size in sizes]
        mean, P = A @ s[:n], A @ casadi.reshape(s[n : n + n * n], n, n) @ A.T + Q
        r, S = y - C @ mean, C @ P @ C.T + R
        inverse = casadi.inv(S)
        gain = P.T @ C.T @ inverse.T
        total = s[-1] - 0.5 * (casadi.dot(r, inverse @ r) + casadi.log(casadi.det(S)))
        moved = casadi.vertcat(mean + gain @ r, casadi.vec(P - gain @ C @ P), total)
        return casadi.Function("step", [s, y, A, C, Q, R], [casadi.densify(moved)])

    def log_likelihood(A: Any, C: Any, Q: Any, R: Any, ys: Any) -> Any:
        n, m, steps = A.shape[0], C.shape[0], ys.shape[0]
        start = casadi.vertcat(casadi.DM.zeros(n), casadi.vec(casadi.densify(casadi.DM.eye(n))), 0.0)
        final = step(n, m).fold(steps)(start, ys.T, A, C, Q, R)
        return final[-1] - 0.5 * ys.numel() * math.log(2.0 * math.pi)

    return {"primal": with_casadi.value(log_likelihood), "gradient": with_casadi.gradient(log_likelihood, WRT)}
