"""What users of CasADi write around a formula: an expression of symbols, and a function of it that is built once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import casadi


def value(f: Callable[..., Any], symbol: Any = casadi.MX) -> Callable[..., Any]:
    return built(lambda arguments: [f(*arguments)], symbol)


def gradient(f: Callable[..., Any], wrt: Sequence[int], symbol: Any = casadi.MX) -> Callable[..., Any]:
    return built(lambda arguments: slopes(f(*arguments), [arguments[i] for i in wrt]), symbol)


def slopes(value: Any, chosen: Sequence[Any]) -> list[Any]:
    """The gradients of a number in some symbols, by one sweep."""
    whole = casadi.gradient(value, casadi.veccat(*chosen))
    parts, start = [], 0
    for part in chosen:
        parts.append(casadi.reshape(whole[start : start + part.numel()], *part.shape))
        start += part.numel()
    return parts


def built(make: Callable[[Any], list[Any]], symbol: Any = casadi.MX) -> Callable[..., Any]:
    """A function of matrices made at its first call, for their shapes; what is no matrix is known."""
    known: list[Any] = []

    def call(*arguments: Any) -> Any:
        given = [a for a in arguments if isinstance(a, casadi.DM)]
        if not known:
            named = [symbol.sym(f"x{i}", *a.shape) if isinstance(a, casadi.DM) else a for i, a in enumerate(arguments)]
            symbols = [s for s, a in zip(named, arguments, strict=True) if isinstance(a, casadi.DM)]
            known.append(casadi.Function("f", symbols, make(named)))
        return known[0](*given)

    return call
