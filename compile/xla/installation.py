"""Whether JAX is installed; asking loads nothing of it."""

from __future__ import annotations

from importlib.util import find_spec

MISSING = "XLA needs JAX, which is not installed: python3 -m pip install 'ccc-ad[xla]'"


def installed() -> bool:
    """Whether JAX can be imported."""
    return find_spec("jax") is not None
