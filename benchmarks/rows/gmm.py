"""The log posterior of a mixture of Gaussians; the peers have all components in one array."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks import gradbench_evals as evals, ours as library
from benchmarks.programs.gmm import log_posterior as primal

EVAL = "gmm"
SIZES = {"2,5,10": (2, 5, 10), "20,25,1000": (20, 25, 1000)}
SMALL = (3, 2, 4)
WRT = (0, 1, 2, 3)
NAMES = ("alpha", "means", "q", "l")


def SCALED(n: int) -> tuple[Any, ...]:
    return (2, 5, n)


def given(d: int, k: int, n: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        "d": d, "k": k, "n": n, "gamma": 1.0, "m": 0, "x": rng.normal(size=(n, d)).tolist(),
        "alpha": rng.normal(size=k).tolist(), "mu": rng.random((k, d)).tolist(),
        "q": rng.normal(size=(k, d)).tolist(), "l": rng.normal(size=(k, d * (d - 1) // 2)).tolist(),
    }  # fmt: skip


def arguments(d: int, k: int, n: int) -> tuple[Any, ...]:
    return evals.gmm_arguments(given(d, k, n))


def ours(backend: str) -> Mapping[str, Any]:
    return {"objective": library.run(primal, backend), "jacobian": library.gradient(primal, NAMES, backend)}


def by_hand() -> Mapping[str, Any]:
    def gradient(alpha: Any, means: Any, q: Any, l: Any, x: Any, gamma: float, m: int, _: float) -> Any:
        n, d = x.shape
        k = len(alpha)
        rows, columns = np.tril_indices(d, -1)
        order = np.argsort(columns, kind="stable")
        rows, columns = rows[order], columns[order]
        Q = np.zeros((k, d, d))
        Q[:, rows, columns] = l
        Q[:, range(d), range(d)] = np.exp(q)
        centred = x - means[:, None]
        moved = centred @ Q.transpose(0, 2, 1)
        scores = (alpha + np.sum(q, axis=1))[:, None] - 0.5 * np.sum(moved**2, axis=2)
        shares = np.exp(scores - np.max(scores, axis=0))
        shares /= np.sum(shares, axis=0)
        weighted = shares[:, :, None] * moved
        counts = np.sum(shares, axis=1)
        dQ = -(weighted.transpose(0, 2, 1) @ centred) - gamma**2 * Q
        dmeans = (np.sum(weighted, axis=1)[:, None] @ Q)[:, 0]
        dq = dQ[:, range(d), range(d)] * np.exp(q) + (counts + m)[:, None]
        prior = np.exp(alpha - np.max(alpha))
        return counts - n * prior / np.sum(prior), dmeans, dq, dQ[:, rows, columns]

    return {"objective": primal, "jacobian": gradient}


def jax_posterior() -> Any:
    import jax
    import jax.numpy as jnp
    from jax.scipy.special import logsumexp

    def log_posterior(alpha: Any, means: Any, q: Any, l: Any, x: Any, gamma: Any, m: Any, normaliser: Any) -> Any:
        n, d = x.shape
        columns, rows = np.triu_indices(d, 1)  # column by column below the diagonal
        diagonals = jnp.exp(q)
        Q = jax.vmap(jnp.diag)(diagonals).at[:, rows, columns].set(l)
        moved = jnp.einsum("kij,nkj->nki", Q, x[:, None] - means)
        volumes = jnp.sum(q, axis=1)
        scores = alpha + volumes - 0.5 * jnp.sum(moved**2, axis=2)
        prior = jnp.sum(m * volumes) - 0.5 * gamma**2 * (jnp.sum(diagonals**2) + jnp.sum(l**2))
        likelihood = jnp.sum(logsumexp(scores, axis=1)) - n * (0.5 * d * jnp.log(2.0 * jnp.pi) + logsumexp(alpha))
        return likelihood + prior + normaliser

    return log_posterior


def jax() -> Mapping[str, Any]:
    import jax

    f = jax_posterior()
    return {"objective": jax.jit(f), "jacobian": jax.jit(jax.grad(f, WRT))}


def torch_posterior() -> Any:
    import torch

    def log_posterior(alpha: Any, means: Any, q: Any, l: Any, x: Any, gamma: Any, m: int, normaliser: Any) -> Any:
        n, d = x.shape
        columns, rows = torch.triu_indices(d, d, 1)
        diagonals = torch.exp(q)
        every = torch.arange(len(alpha))[:, None]
        below = torch.zeros(len(alpha), d, d, dtype=q.dtype).index_put((every, rows, columns), l)
        moved = torch.einsum("kij,nkj->nki", torch.diag_embed(diagonals) + below, x[:, None] - means)
        volumes = torch.sum(q, dim=1)
        scores = alpha + volumes - 0.5 * torch.sum(moved**2, dim=2)
        prior = torch.sum(m * volumes) - 0.5 * gamma**2 * (torch.sum(diagonals**2) + torch.sum(l**2))
        constant = n * (0.5 * d * np.log(2.0 * np.pi) + torch.logsumexp(alpha, 0))
        return torch.sum(torch.logsumexp(scores, 1)) - constant + prior + normaliser

    return log_posterior


def torch() -> Mapping[str, Any]:
    from benchmarks import with_torch

    f = torch_posterior()
    return {"objective": with_torch.value(f), "jacobian": with_torch.gradient(f, WRT)}


def autograd_posterior() -> Any:
    import autograd.numpy as np
    from autograd.scipy.special import logsumexp

    def lower(q: Any, l: Any, d: int) -> Any:
        """The triangular factor from its columns, since autograd does not assign in place."""
        columns, start = [], 0
        for j in range(d):
            end = start + d - j - 1
            columns.append(np.concatenate([np.zeros(j), np.exp(q[j : j + 1]), l[start:end]]))
            start = end
        return np.stack(columns, axis=1)

    def log_posterior(alpha: Any, means: Any, q: Any, l: Any, x: Any, gamma: Any, m: int, normaliser: Any) -> Any:
        n, d = x.shape
        factors = [lower(q[i], l[i], d) for i in range(len(alpha))]
        volumes = np.sum(q, axis=1)
        squares = [np.sum(((x - mean) @ Q.T) ** 2, axis=1) for mean, Q in zip(means, factors, strict=True)]
        scores = alpha + volumes - 0.5 * np.stack(squares, axis=1)
        prior = np.sum(m * volumes) - 0.5 * gamma**2 * sum([np.sum(Q**2) for Q in factors])
        constant = n * (0.5 * d * np.log(2.0 * np.pi) + logsumexp(alpha))
        return np.sum(logsumexp(scores, axis=1)) - constant + prior + normaliser

    return log_posterior


def autograd() -> Mapping[str, Any]:
    from autograd import grad

    f = autograd_posterior()
    return {"objective": f, "jacobian": grad(f, WRT)}
