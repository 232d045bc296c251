"""A convolution in two dimensions, by loops; the peers have one operation for it, or sliding windows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks import ours as library
from benchmarks.programs.convolution import loss as primal

SIZES = {"16×16, 3×3": (16, 3), "128×128, 5×5": (128, 5)}
SMALL = (6, 3)
WRT = (0, 1)
NAMES = ("image", "kernel")


def SCALED(n: int) -> tuple[Any, ...]:
    return (round(n**0.5), 3)


def arguments(size: int, width: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    out = size - width + 1
    return rng.normal(size=(size, size)), rng.normal(size=(width, width)), rng.normal(size=(out, out))


def ours(backend: str) -> Mapping[str, Any]:
    return {"loss": library.run(primal, backend), "gradient": library.gradient(primal, NAMES, backend)}


def by_hand() -> Mapping[str, Any]:
    windows = np.lib.stride_tricks.sliding_window_view

    def difference(image: Any, kernel: Any, target: Any) -> Any:
        return np.tensordot(windows(image, kernel.shape), kernel) - target

    def loss(image: Any, kernel: Any, target: Any) -> Any:
        return 0.5 * np.sum(difference(image, kernel, target) ** 2)

    def gradient(image: Any, kernel: Any, target: Any) -> Any:
        d = difference(image, kernel, target)
        around = np.pad(d, [(n - 1, n - 1) for n in kernel.shape])
        return np.tensordot(windows(around, kernel.shape), kernel[::-1, ::-1]), np.tensordot(windows(image, d.shape), d)

    return {"loss": loss, "gradient": gradient}


def jax() -> Mapping[str, Any]:
    import jax
    import jax.numpy as jnp

    def loss(image: Any, kernel: Any, target: Any) -> Any:
        found = jax.lax.conv(image[None, None], kernel[None, None], (1, 1), "VALID")[0, 0]
        return 0.5 * jnp.sum((found - target) ** 2)

    return {"loss": jax.jit(loss), "gradient": jax.jit(jax.grad(loss, WRT))}


def torch() -> Mapping[str, Any]:
    import torch

    from benchmarks import with_torch

    def loss(image: Any, kernel: Any, target: Any) -> Any:
        found = torch.nn.functional.conv2d(image[None, None], kernel[None, None])[0, 0]
        return 0.5 * torch.sum((found - target) ** 2)

    return {"loss": with_torch.value(loss), "gradient": with_torch.gradient(loss, WRT)}


def autograd() -> Mapping[str, Any]:
    """The loop over the kernel alone, of whole images: autograd's own convolution is slower."""
    import autograd.numpy as np
    from autograd import grad

    def loss(image: Any, kernel: Any, target: Any) -> Any:
        rows, columns = target.shape
        found = 0.0
        for a in range(kernel.shape[0]):
            for b in range(kernel.shape[1]):
                found = found + image[a : a + rows, b : b + columns] * kernel[a, b]
        return 0.5 * np.sum((found - target) ** 2)

    return {"loss": loss, "gradient": grad(loss, WRT)}


def casadi() -> Mapping[str, Any]:
    import casadi

    from benchmarks import with_casadi

    def loss(image: Any, kernel: Any, target: Any) -> Any:
        rows, columns = target.shape
        found = -target
        for a in range(kernel.shape[0]):
            for b in range(kernel.shape[1]):
                found = found + image[a : a + rows, b : b + columns] * kernel[a, b]
        return 0.5 * casadi.sumsqr(found)

    return {"loss": with_casadi.value(loss), "gradient": with_casadi.gradient(loss, WRT)}
