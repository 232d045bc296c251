"""GradBench's functions as users of PyTorch write them, eagerly, in double precision on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch.func import jacfwd, jacrev, jvp, vmap

from benchmarks import gradbench_formulas as formulas

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)


def tensor(x: Any) -> Any:
    return torch.from_numpy(np.ascontiguousarray(x)) if isinstance(x, np.ndarray) else x


def run(f: Callable[..., Any]) -> Callable[..., Callable[[], Any]]:
    def bound(*arguments: Any) -> Callable[[], Any]:
        given = list(map(tensor, arguments))
        return lambda: f(*given)

    return bound


def gradient(f: Callable[..., Any], wrt: tuple[int, ...] = (0,)) -> Callable[..., Callable[[], Any]]:
    def bound(*arguments: Any) -> Callable[[], Any]:
        given = [tensor(a).requires_grad_() if i in wrt else tensor(a) for i, a in enumerate(arguments)]
        leaves = [given[i] for i in wrt]

        def call() -> Any:
            found = torch.autograd.grad(f(*given), leaves)
            return found if len(wrt) > 1 else found[0]

        return call

    return bound


def square_bound(differentiated: bool) -> Callable[[float], Callable[[], Any]]:
    def bound(x: float) -> Callable[[], Any]:
        a = torch.tensor(x, requires_grad=True)
        return (lambda: torch.autograd.grad(a * a, a)[0]) if differentiated else (lambda: (a * a).detach())

    return bound


def least_squares(x: Any, n: int) -> Any:
    t = torch.linspace(-1.0, 1.0, n)
    return 0.5 * torch.sum((torch.sign(t) - torch.vander(t, len(x), increasing=True) @ x) ** 2)


def lstm_loss(weights: Any, extra: Any, start: Any, sequence: Any) -> Any:
    state = [(layer[0], layer[1]) for layer in start]
    total: Any = 0.0
    for now, after in pairwise(sequence):
        x = now * extra[0]
        for layer, (hidden, memory) in enumerate(state):
            w, b = weights[layer, 0], weights[layer, 1]
            forget, leave = torch.sigmoid(x * w[0] + b[0]), torch.sigmoid(x * w[2] + b[2])
            enter, change = torch.sigmoid(hidden * w[1] + b[1]), torch.tanh(hidden * w[3] + b[3])
            memory = memory * forget + enter * change
            x = leave * torch.tanh(memory)
            state[layer] = (x, memory)
        predicted = x * extra[1] + extra[2]
        total = total + torch.sum(after * (predicted - torch.log(torch.sum(torch.exp(predicted)) + 2.0)))
    return -total / (sequence.shape[1] * (len(sequence) - 1))


def log_posterior(alpha: Any, means: Any, q: Any, l: Any, x: Any, gamma: float, m: int, normaliser: float) -> Any:
    n, d = x.shape
    columns, rows = torch.triu_indices(d, d, 1)
    diagonals = torch.exp(q)
    below = torch.zeros(len(alpha), d, d).index_put((slice_of(alpha), rows, columns), l) if d > 1 else 0.0
    moved = torch.einsum("kij,nkj->nki", torch.diag_embed(diagonals) + below, x[:, None] - means)
    volumes = torch.sum(q, dim=1)
    scores = alpha + volumes - 0.5 * torch.sum(moved**2, dim=2)
    prior = torch.sum(m * volumes) - 0.5 * gamma**2 * (torch.sum(diagonals**2) + torch.sum(l**2))
    constant = n * (0.5 * d * np.log(2.0 * np.pi) + torch.logsumexp(alpha, 0))
    return torch.sum(torch.logsumexp(scores, 1)) - constant + prior + normaliser


def slice_of(alpha: Any) -> Any:
    return torch.arange(len(alpha))[:, None]


def observed(camera: Any, point: Any, weight: Any, feature: Any) -> Any:
    return torch.stack(formulas.reprojection_error(torch, camera, point, weight, feature))


def ba_errors(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
    u, v = formulas.reprojection_error(torch, cameras[camera_of].T, points[point_of].T, weights, features.T)
    return u, v, 1.0 - weights**2


def ba_jacobian(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
    n, m, p = len(cameras), len(points), len(weights)
    slopes = vmap(jacrev(observed, argnums=(0, 1, 2)))
    camera, point, weight = slopes(cameras[camera_of], points[point_of], weights, features)
    own = 11 * n + 3 * m + torch.arange(p)
    columns = torch.cat(
        [11 * camera_of[:, None] + torch.arange(11), 11 * n + 3 * point_of[:, None] + torch.arange(3), own[:, None]], 1
    )
    starts = torch.cat([torch.arange(0, 30 * p, 15), torch.arange(30 * p, 31 * p + 1)])
    blocks = torch.cat([camera, point, weight[:, :, None]], 2)
    both = columns[:, None].expand(blocks.shape)
    return starts, torch.cat([both.flatten(), own]), torch.cat([blocks.flatten(), -2.0 * weights])


def kmeans_cost(points: Any, centres: Any) -> Any:
    distances = torch.sum(centres**2, dim=1) - 2.0 * points @ centres.T
    return torch.sum(points**2) + torch.sum(torch.min(distances, dim=1).values)


def kmeans_direction(points: Any, centres: Any) -> Any:
    centres = centres.detach().requires_grad_()
    (slopes,) = torch.autograd.grad(kmeans_cost(points, centres), centres, create_graph=True)
    (curvatures,) = torch.autograd.grad(torch.sum(slopes), centres)
    return (slopes / curvatures).detach()


def ht_bound(of: Callable[[Callable[..., Any], Any, Any], Any]) -> Callable[..., Callable[[], Any]]:
    def bound(theta: Any, u: Any, hand: Any, correspondences: Any, measured: Any) -> Callable[[], Any]:
        tensors = type(hand)(*map(tensor, hand))
        rest = tensor(correspondences), tensor(measured)

        def f(theta: Any, u: Any) -> Any:
            return formulas.distances(torch, theta, u, tensors, hand.parents, *rest)

        return lambda: of(f, tensor(theta), tensor(u))

    return bound


def ht_jacobian(f: Callable[..., Any], theta: Any, u: Any) -> Any:
    in_theta = jacfwd(f)(theta, u).reshape(-1, len(theta))
    if not len(u):
        return in_theta
    moves = [row.expand(u.shape) for row in torch.eye(2)]
    own = [jvp(lambda u: f(theta, u), (u,), (move,))[1].reshape(-1, 1) for move in moves]
    return torch.cat([*own, in_theta], 1)


def trajectory_end(x: Any, steps: int) -> Any:
    h = 2.0 / steps

    def slope(y: Any) -> Any:
        return x * torch.cat([torch.ones(1), y[:-1]])

    y = torch.zeros_like(x)
    for _ in range(steps):
        k1 = slope(y)
        k2 = slope(y + 0.5 * h * k1)
        k3 = slope(y + 0.5 * h * k2)
        k4 = slope(y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def determinant(A: Any) -> Any:
    return formulas.determinant([row.unbind() for row in A.unbind()], 0, tuple(range(len(A))))


FUNCTIONS = {
    "hello": {"square": square_bound(False), "double": square_bound(True)},
    "llsq": {"primal": run(least_squares), "gradient": gradient(least_squares)},
    "lstm": {"objective": run(lstm_loss), "jacobian": gradient(lstm_loss, (0, 1))},
    "gmm": {"objective": run(log_posterior), "jacobian": gradient(log_posterior, (0, 1, 2, 3))},
    "ba": {"objective": run(ba_errors), "jacobian": run(ba_jacobian)},
    "kmeans": {"cost": run(kmeans_cost), "dir": run(kmeans_direction)},
    "ht": {"objective": ht_bound(lambda f, theta, u: f(theta, u)), "jacobian": ht_bound(ht_jacobian)},
    "ode": {
        "primal": run(trajectory_end),
        "gradient": gradient(lambda x, steps: trajectory_end(x, steps)[-1]),
    },
    "det": {"primal": run(determinant), "gradient": gradient(determinant)},
    "lse": {"primal": run(lambda x: torch.logsumexp(x, 0)), "gradient": gradient(lambda x: torch.logsumexp(x, 0))},
}
