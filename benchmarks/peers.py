"""The other systems: which are installed, and what they make of a program.

A peer is a module with one function per program, of the program's arguments; it gives a call without arguments, which
returns the gradient or its first cotangent.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

PEERS = {
    "JAX": ("jax", "benchmarks.with_jax"),
    "autograd": ("autograd", "benchmarks.with_autograd"),
    "PyTorch": ("torch", "benchmarks.with_torch"),
}


def installed(name: str) -> bool:
    """Whether a peer can be imported; nothing is."""
    return importlib.util.find_spec(PEERS[name][0]) is not None


def missing() -> list[str]:
    return [name for name in PEERS if not installed(name)]


def module_of(name: str) -> ModuleType:
    return importlib.import_module(PEERS[name][1])


def calls_of(program: str, *arguments: Any) -> dict[str, Callable[[], Any]]:
    """The calls of a program's gradient by each peer that is installed."""
    return {name: getattr(module_of(name), program)(*arguments) for name in PEERS if installed(name)}


def same_gradient(calls: Mapping[str, Callable[[], Any]]) -> None:
    """Make each call once and compare: what is timed is the same gradient."""
    first, *others = [(name, first_cotangent(call())) for name, call in calls.items()]
    for name, found in others:
        np.testing.assert_allclose(found, first[1], rtol=1e-6, atol=1e-9, err_msg=f"{name} is not {first[0]}")


def first_cotangent(gradient: Any) -> Any:
    return np.asarray(gradient[0] if isinstance(gradient, tuple | list) else gradient)
