"""Solutions of equations, by the implicit function theorem.

    f(x, c) = 0      =>      dx = -(df/dx)^-1 (df/dc) dc

A library finds the solution in its own way; the rule asks only what it solves, so it is one for all ways. What it
computes has `x` in it, which is the solution of the same equation: derivatives are of every order. Where the library
stops before the equation holds, the derivative is that at the place where it stopped.

Source: *The Implicit Function Theorem* (Krantz, Parks), 3.3; *Efficient and Modular Implicit Differentiation* (Blondel
et al.).
"""

from __future__ import annotations

from typing import Any

from ccc.compile.api.solvers import of_captured
from ccc.compile.frontend.custom import RULES
from ccc.compile.frontend.numpy_functions.table import hosted, lifted


def solution(residual: Any, captured: Any, solve: Any, given: Any, start: Any) -> Any:
    """Where `residual(x, *captured)` is zero, as `solve(*given)` finds it; like `start`.

    >>> solution(lambda x: x * x - 2.0, (), lambda x: 1.5, (1.0,), 1.0)
    1.5
    """
    return hosted(solve, start, *given)


def by_implicit_function(residual: Any, captured: Any, solve: Any, given: Any, start: Any) -> Any:
    """The derivative of `solution` in what is captured."""
    x = solution(residual, captured, solve, given, start)
    return x, lambda ct: (None, of_captured(residual, captured, x, ct), None, None, None)


RULES[solution] = by_implicit_function


def solved(residual: Any, solve: Any, given: Any, start: Any) -> Any:
    """Where a function is zero, as `solve(*given)` finds it."""
    closed, captured = lifted(residual, start)
    return solution(closed, captured, solve, given, start)
