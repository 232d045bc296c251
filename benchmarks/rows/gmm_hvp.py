"""The product of the Hessian of a mixture's log posterior with a direction: forward mode over reverse mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import ccc
from benchmarks import ours as library
from benchmarks.programs import gmm as program
from benchmarks.rows import gmm

SIZES = {"2,5,10": (2, 5, 10), "10,10,200": (10, 10, 200)}
SMALL = (3, 2, 4)
WRT = (0, 1, 2, 3)


def arguments(d: int, k: int, n: int) -> tuple[Any, ...]:
    """Those of the mixture, and then the direction."""
    rng = np.random.default_rng(1)
    given = gmm.arguments(d, k, n)
    return *given, *[rng.normal(size=np.shape(given[i])) for i in WRT]


def primal(*arguments: Any) -> Any:
    return program.log_posterior(*arguments[:8])


def check(what: str, arguments: Sequence[Any], result: Any) -> str:
    """Against difference quotients of the gradient that is written by hand."""
    from benchmarks.rows import as_quotients, close, flat

    if what == "objective":
        return close(result, primal(*arguments), 1e-9)
    gradient = gmm.by_hand()["jacobian"]
    return as_quotients(flat(result), lambda *a: gradient(*a[:8]), arguments, WRT, arguments[8:])


def objective(
    alpha: Any, means: Any, q: Any, l: Any, x: Any, gamma: float, m: int, normaliser: float,
    dalpha: Any, dmeans: Any, dq: Any, dl: Any,
) -> Any:  # fmt: skip
    return program.log_posterior(alpha, means, q, l, x, gamma, m, normaliser)


def product(
    alpha: Any, means: Any, q: Any, l: Any, x: Any, gamma: float, m: int, normaliser: float,
    dalpha: Any, dmeans: Any, dq: Any, dl: Any,
) -> Any:  # fmt: skip
    slopes = ccc.gradient(program.log_posterior, wrt=("alpha", "means", "q", "l"))
    _, along = ccc.value_with_differential(slopes, wrt=("alpha", "means", "q", "l"))(
        alpha, means, q, l, x, gamma, m, normaliser
    )
    return along(dalpha, dmeans, dq, dl)


def ours(backend: str) -> Mapping[str, Any]:
    return {"objective": library.run(objective, backend), "hvp": library.run(product, backend)}


def jax() -> Mapping[str, Any]:
    import jax

    f = gmm.jax_posterior()

    def product(*arguments: Any) -> Any:
        given, rest, direction = arguments[:4], arguments[4:8], arguments[8:]
        return jax.jvp(lambda *given: jax.grad(f, WRT)(*given, *rest), given, direction)[1]

    return {"objective": jax.jit(lambda *arguments: f(*arguments[:8])), "hvp": jax.jit(product)}


def torch() -> Mapping[str, Any]:
    import torch

    from benchmarks import with_torch

    f = gmm.torch_posterior()

    def product(*arguments: Any) -> Any:
        given, direction = arguments[:4], arguments[8:]
        slopes = torch.autograd.grad(f(*arguments[:8]), given, create_graph=True)
        return torch.autograd.grad(slopes, given, grad_outputs=direction)

    return {"objective": with_torch.value(lambda *arguments: f(*arguments[:8])), "hvp": product}


def autograd() -> Mapping[str, Any]:
    from autograd import make_hvp

    f = gmm.autograd_posterior()

    def product(*arguments: Any) -> Any:
        given, rest, direction = arguments[:4], arguments[4:8], arguments[8:]
        return make_hvp(lambda given: f(*given, *rest))(given)[0](direction)

    return {"objective": lambda *arguments: f(*arguments[:8]), "hvp": product}
