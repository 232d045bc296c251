"""How the rows call this library: a program as it is, and its gradient, by a target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ccc


def run(f: Callable[..., Any], backend: str) -> Callable[..., Any]:
    """A program compiled, its derivatives inside it included."""
    return ccc.compiled(f, backend=backend)


def gradient(f: Callable[..., Any], wrt: Any, backend: str) -> Callable[..., Any]:
    return ccc.gradient(f, wrt=wrt, backend=backend)
