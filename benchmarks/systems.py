"""The columns: what is beside this library, how its arguments are made, and how its results are waited for.

A row says in a function named after a system how its own users write the program (`benchmarks.rows`). Here is only what
is the same for all programs of a system.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Convert = Callable[[Sequence[Any], Sequence[int]], list[Any]]


def as_they_are(arguments: Sequence[Any], wrt: Sequence[int]) -> list[Any]:
    return list(arguments)


def on_device(arguments: Sequence[Any], wrt: Sequence[int]) -> list[Any]:
    """Arrays and floats of JAX, in double precision."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    return [jax.tree.map(lambda x: jnp.asarray(x) if isinstance(x, float | np.ndarray) else x, a) for a in arguments]


def tensors(arguments: Sequence[Any], wrt: Sequence[int]) -> list[Any]:
    """Tensors, of which those that are differentiated are leaves."""
    import torch

    def tensor(x: Any) -> Any:
        if isinstance(x, tuple) and hasattr(x, "_fields"):
            return type(x)(*map(tensor, x))
        if isinstance(x, tuple | list):
            return torch.tensor(x, dtype=torch.float64)
        if isinstance(x, float):
            return torch.tensor(x, dtype=torch.float64)
        return torch.from_numpy(np.array(x)) if isinstance(x, np.ndarray) else x

    found = [tensor(a) for a in arguments]
    return [a.requires_grad_() if i in wrt else a for i, a in enumerate(found)]


def dense(arguments: Sequence[Any], wrt: Sequence[int]) -> list[Any]:
    """Matrices of CasADi; a vector is a column."""
    import casadi

    return [casadi.DM(x) if isinstance(x, float | np.ndarray | list) else x for x in arguments]


def at_once(found: Any) -> Any:
    return found


def waited(found: Any) -> Any:
    import jax

    return jax.block_until_ready(found)


@dataclass(frozen=True)
class System:
    """A column: the module it needs, the function of a row that has its programs, and what is done around a call.

    Systems of one family are not compared with each other where the fastest other one is sought."""

    module: str
    version: str
    convert: Convert = as_they_are
    wait: Callable[[Any], Any] = at_once
    backend: str = ""
    warm: Callable[[], Any] = lambda: None
    tool: str = ""

    @property
    def family(self) -> str:
        return self.version or self.tool

    def bound(self, function: Callable[..., Any], wrt: Sequence[int]) -> Callable[..., Callable[[], Any]]:
        """A function of arguments as NumPy has them that gives a call, waited for."""

        def call_of(*arguments: Any) -> Callable[[], Any]:
            given = self.convert(arguments, wrt)
            if self.wait is at_once:
                return functools.partial(function, *given)
            return lambda: self.wait(function(*given))

        return call_of

    def installed(self) -> bool:
        return importlib.util.find_spec(self.module) is not None


def warm_ccc() -> None:
    import ccc

    for backend in ("numpy", "native"):
        ccc.gradient(lambda x: x * x, backend=backend)(1.0)


def warm_jax() -> None:
    import jax

    on_device([], ())
    jax.jit(jax.grad(lambda x: x * x))(1.0).block_until_ready()


def warm_torch() -> None:
    import torch

    x = torch.tensor(1.0, requires_grad=True)
    torch.autograd.grad(x * x, x)


def warm_autograd() -> None:
    import autograd

    autograd.grad(lambda x: x * x)(1.0)


def warm_casadi() -> None:
    import casadi

    x = casadi.SX.sym("x")
    casadi.Function("f", [x], [casadi.gradient(x * x, x)])(1.0)


SYSTEMS = {
    "ccc numpy": System("numpy", "ours", backend="numpy", warm=warm_ccc),
    "ccc native": System("llvmlite", "ours", backend="native", warm=warm_ccc),
    "ccc auto": System("llvmlite", "ours", backend="auto", warm=warm_ccc),
    "ccc xla": System("jax", "ours", on_device, waited, backend="xla", warm=warm_jax),
    "by hand": System("numpy", "by_hand"),
    "JAX": System("jax", "jax", on_device, waited, warm=warm_jax),
    "PyTorch": System("torch", "torch", tensors, warm=warm_torch),
    "autograd": System("autograd", "autograd", warm=warm_autograd),
    "CasADi": System("casadi", "casadi", dense, warm=warm_casadi),
}
TOOLS = {
    "manual": System("numpy", "", tool="manual"),
    "Tapenade": System("numpy", "", tool="tapenade"),
}
"""The columns that a checkout of GradBench adds."""


def missing() -> list[str]:
    return [name for name, system in SYSTEMS.items() if not system.installed()]


def flat(result: Any) -> np.ndarray:
    """The numbers of a result in a row, whatever library they are of.

    >>> flat((1.0, [np.ones(2), 3]))
    array([1., 1., 1., 3.])
    """
    if isinstance(result, tuple | list):
        return np.concatenate([flat(part) for part in result]) if result else np.empty(0)
    if hasattr(result, "detach"):
        result = result.detach()
    elif hasattr(result, "full"):
        result = result.full()
    return np.ravel(np.asarray(result, dtype=float))
