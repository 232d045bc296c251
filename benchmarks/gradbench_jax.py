"""GradBench's functions as users of JAX write them: jitted, in double precision, on the device, and waited for."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.special import logsumexp

from benchmarks import gradbench_formulas as formulas

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_traceback_filtering", "off")

MOST_MINORS = 6  # a recursion is traced call by call


def run(f: Callable[..., Any], static: tuple[int, ...] = ()) -> Callable[..., Callable[[], Any]]:
    """A jitted function on arguments that are on the device, waited for."""
    jitted = jax.jit(f, static_argnums=static)

    def bound(*arguments: Any) -> Callable[[], Any]:
        given = [a if i in static else jax.tree.map(jnp.asarray, a) for i, a in enumerate(arguments)]
        return lambda: jax.block_until_ready(jitted(*given))

    return bound


def square(x: Any) -> Any:
    return x * x


def least_squares(x: Any, n: int) -> Any:
    t = jnp.linspace(-1.0, 1.0, n)
    return 0.5 * jnp.sum((jnp.sign(t) - jnp.polyval(x[::-1], t)) ** 2)


def lstm_loss(weights: Any, extra: Any, start: Any, sequence: Any) -> Any:
    def step(carry: Any, seen: Any) -> Any:
        state, (now, after) = carry, seen
        x, new = now * extra[0], []
        for layer, (hidden, memory) in enumerate(state):
            w, b = weights[layer, 0], weights[layer, 1]
            forget, leave = jax.nn.sigmoid(x * w[0] + b[0]), jax.nn.sigmoid(x * w[2] + b[2])
            enter, change = jax.nn.sigmoid(hidden * w[1] + b[1]), jnp.tanh(hidden * w[3] + b[3])
            memory = memory * forget + enter * change
            x = leave * jnp.tanh(memory)
            new.append((x, memory))
        predicted = x * extra[1] + extra[2]
        return new, jnp.sum(after * (predicted - jnp.log(jnp.sum(jnp.exp(predicted)) + 2.0)))

    first = [(layer[0], layer[1]) for layer in start]
    _, terms = lax.scan(step, first, (sequence[:-1], sequence[1:]))
    return -jnp.sum(terms) / (sequence.shape[1] * (len(sequence) - 1))


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


def observed(camera: Any, point: Any, weight: Any, feature: Any) -> Any:
    return jnp.stack(formulas.reprojection_error(jnp, camera, point, weight, feature))


def ba_errors(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
    found = jax.vmap(observed)(cameras[camera_of], points[point_of], weights, features)
    return found[:, 0], found[:, 1], 1.0 - weights**2


def ba_jacobian(cameras: Any, points: Any, weights: Any, features: Any, camera_of: Any, point_of: Any) -> Any:
    n, m, p = len(cameras), len(points), len(weights)
    counted = partial(jnp.arange, dtype=jnp.int32)
    slopes = jax.vmap(jax.jacrev(observed, argnums=(0, 1, 2)))
    camera, point, weight = slopes(cameras[camera_of], points[point_of], weights, features)
    camera_of, point_of = camera_of.astype(jnp.int32), point_of.astype(jnp.int32)
    own = 11 * n + 3 * m + counted(p)
    columns = jnp.concatenate(
        [11 * camera_of[:, None] + counted(11), 11 * n + 3 * point_of[:, None] + counted(3), own[:, None]], 1
    )
    starts = jnp.concatenate([counted(0, 30 * p, 15), counted(30 * p, 31 * p + 1)])
    blocks = jnp.concatenate([camera, point, weight[:, :, None]], 2)
    both = jnp.broadcast_to(columns[:, None], blocks.shape)
    return starts, jnp.concatenate([both.ravel(), own]), jnp.concatenate([blocks.ravel(), -2.0 * weights])


def kmeans_cost(points: Any, centres: Any) -> Any:
    distances = jnp.sum(centres**2, axis=1) - 2.0 * points @ centres.T
    return jnp.sum(points**2) + jnp.sum(jnp.min(distances, axis=1))


def kmeans_direction(points: Any, centres: Any) -> Any:
    slopes, curvatures = jax.jvp(jax.grad(partial(kmeans_cost, points)), [centres], [jnp.ones_like(centres)])
    return slopes / curvatures


def ht_bound(of: Callable[[Callable[..., Any], Any, Any], Any]) -> Callable[..., Callable[[], Any]]:
    def bound(theta: Any, u: Any, hand: Any, correspondences: Any, measured: Any) -> Callable[[], Any]:
        def f(theta: Any, u: Any) -> Any:
            return formulas.distances(jnp, theta, u, hand, hand.parents, correspondences, measured)

        return run(lambda theta, u: of(f, theta, u))(theta, u)

    return bound


def ht_jacobian(f: Callable[..., Any], theta: Any, u: Any) -> Any:
    in_theta = jax.jacfwd(f)(theta, u).reshape(-1, len(theta))
    if not len(u):
        return in_theta
    moves = [jnp.broadcast_to(row, u.shape) for row in jnp.eye(2)]
    own = [jax.jvp(lambda u: f(theta, u), [u], [move])[1].reshape(-1, 1) for move in moves]
    return jnp.concatenate([*own, in_theta], 1)


def trajectory_end(x: Any, steps: int) -> Any:
    h = 2.0 / steps

    def slope(y: Any) -> Any:
        return x * jnp.concatenate([jnp.ones(1), y[:-1]])

    def step(y: Any, _: Any) -> Any:
        k1 = slope(y)
        k2 = slope(y + 0.5 * h * k1)
        k3 = slope(y + 0.5 * h * k2)
        k4 = slope(y + h * k3)
        return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), None

    return lax.scan(step, jnp.zeros_like(x), None, length=steps)[0]


def determinant(A: Any) -> Any:
    if len(A) > MOST_MINORS:
        raise ValueError(f"the recursion over {len(A)} rows is too much to trace")
    return formulas.determinant([list(row) for row in A], 0, tuple(range(len(A))))


def forward(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return jax.jacfwd(f)


def minimum(f: Callable[[Any], Any], slopes: Callable[[Any], Any], x: Any) -> Any:
    """Descent by `lax.while_loop`, through which JAX has forward mode but not reverse mode."""

    def going(s: Any) -> Any:
        return jnp.logical_not(s["done"]) & (jnp.sqrt(jnp.sum(s["gx"] ** 2)) > 1e-5)

    def step(s: Any) -> Any:
        doubled = s["downhill"] == 10
        y = s["x"] - s["step"] * s["gx"]
        near = jnp.sqrt(jnp.sum((s["x"] - y) ** 2)) <= 1e-5
        fy = f(y)
        down = fy < s["fx"]
        moves = down & ~near & ~doubled
        gy = lax.cond(moves, slopes, lambda _: s["gx"], y)
        scale = jnp.where(doubled, 2.0, jnp.where(down | near, 1.0, 0.5))
        return {
            "x": jnp.where(moves, y, s["x"]), "fx": jnp.where(moves, fy, s["fx"]), "gx": gy, "step": s["step"] * scale,
            "downhill": jnp.where(moves, s["downhill"] + 1, 0), "done": near & ~doubled,
        }  # fmt: skip

    first = {"x": x, "fx": f(x), "gx": slopes(x), "step": 1e-5, "downhill": 0, "done": False}
    return lax.while_loop(going, step, first)["x"]


def saddle(inner: Callable[..., Any], start: Any) -> Any:
    start = jnp.stack(start)

    def greatest(x: Any, gradient: Callable[..., Any]) -> Any:
        lowered = lambda y: jnp.sum(y**2) - jnp.sum(x**2)  # noqa: E731
        return minimum(lowered, gradient(lowered), start)

    def cost(x: Any) -> Any:
        return jnp.sum(x**2) - jnp.sum(greatest(x, inner) ** 2)

    x = minimum(cost, forward(cost), start)
    return x, greatest(x, forward)


def particle(inner: Callable[..., Any], w: Any) -> Any:
    def cost(w: Any) -> Any:
        def potential(x: Any) -> Any:
            far, near = x - jnp.stack([10.0, 10.0 - w[0]]), x - jnp.array([10.0, 0.0])
            return 1.0 / jnp.sqrt(jnp.sum(far**2)) + 1.0 / jnp.sqrt(jnp.sum(near**2))

        force = inner(potential)

        def fly(s: Any) -> Any:
            x, v = s
            return x + 0.1 * v, v - 0.1 * force(x)

        start = jnp.array([0.0, 8.0]), jnp.array([0.75, 0.0])
        x, v = lax.while_loop(lambda s: s[0][1] + 0.1 * s[1][1] > 0.0, fly, start)
        return (x[0] - x[1] / v[1] * v[0]) ** 2

    return minimum(cost, forward(cost), jnp.stack([w]))[0]


FUNCTIONS = {
    "hello": {"square": run(square), "double": run(jax.grad(square))},
    "llsq": {"primal": run(least_squares, (1,)), "gradient": run(jax.grad(least_squares), (1,))},
    "lstm": {"objective": run(lstm_loss), "jacobian": run(jax.grad(lstm_loss, (0, 1)))},
    "gmm": {"objective": run(log_posterior), "jacobian": run(jax.grad(log_posterior, (0, 1, 2, 3)))},
    "ba": {"objective": run(ba_errors), "jacobian": run(ba_jacobian)},
    "kmeans": {"cost": run(kmeans_cost), "dir": run(kmeans_direction)},
    "ht": {"objective": ht_bound(lambda f, theta, u: f(theta, u)), "jacobian": ht_bound(ht_jacobian)},
    "saddle": {"ff": run(partial(saddle, forward)), "fr": run(partial(saddle, jax.grad))},
    "particle": {"ff": run(partial(particle, forward)), "fr": run(partial(particle, jax.grad))},
    "ode": {
        "primal": run(trajectory_end, (1,)),
        "gradient": run(jax.grad(lambda x, steps: trajectory_end(x, steps)[-1]), (1,)),
    },
    "det": {"primal": run(determinant), "gradient": run(jax.grad(determinant))},
    "lse": {"primal": run(logsumexp), "gradient": run(jax.grad(logsumexp))},
}
