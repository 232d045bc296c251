"""Solvers of one's own, whose derivatives are those of the equation that they solve: `implicit`.

    r(x, c) = 0      =>      dx = -(dr/dx)^-1 (dr/dc) dc

The solver is run as it is and is not differentiated. What it finds and what the residual gives are vectors here, of the
real numbers in their structures; a rule in these vectors serves all solvers, in both modes and all orders.

Source: *The Implicit Function Theorem* (Krantz, Parks), 3.3; *Efficient and Modular Implicit Differentiation* (Blondel
et al.).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ccc.compile.api.derivative_overrides import Called, without_derivative
from ccc.compile.api.jacobians import jacobian
from ccc.compile.api.transforms import derivative, pullback
from ccc.compile.diagnostics import Diagnostic, TypeMismatch, UnsupportedPython, WrongArguments
from ccc.compile.frontend import custom, known_functions
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.lifted import lifted
from ccc.compile.frontend.memory.interface import lists
from ccc.compile.frontend.parts import mapped, parts_in
from ccc.compile.frontend.values import is_function
from ccc.compile.program.lam import Var
from ccc.objects import is_discrete


def weights(residual: Any, captured: Any, x: Any, ct: Any) -> Any:
    """The cotangent of the residual that belongs to one of the solution `x`, a number or a vector.

    >>> weights(lambda x, c: x * x - c, (4.0,), 2.0, 1.0)
    -0.25
    """
    if np.ndim(x) == 0:
        return -ct / derivative(lambda x: residual(x, *captured))(x)
    return -np.linalg.solve(np.transpose(jacobian(lambda x: residual(x, *captured))(x)), ct)


def of_captured(residual: Any, captured: Any, x: Any, ct: Any) -> Any:
    """The cotangent of what the residual captured that belongs to one of the solution; None where that is nothing.

    >>> of_captured(lambda x, c: x * x - c, (4.0,), 2.0, 1.0)
    (0.25,)
    """
    if len(captured) == 0:
        return None
    def at(moved: Any) -> Any:
        return residual(x, *[m if is_inexact(c) else c for m, c in zip(moved, captured, strict=True)])

    return pullback(at)(captured)(weights(residual, captured, x, ct))


def is_inexact(x: Any) -> bool:
    """Whether a number, or those of an array, are real or complex; a derivative is given no others, but as real ones.

    >>> is_inexact(1.5), is_inexact(3), is_inexact(np.arange(3))
    (True, False, False)
    """
    return np.issubdtype(np.asarray(x).dtype, np.inexact)


def solution_at(residual: Any, captured: Any, x: Any) -> Any:
    """`x`, as the place where `residual(x, *captured)` is zero.

    >>> solution_at(lambda x: x * x - 4.0, (), 2.0)
    2.0
    """
    return x


def by_implicit_function(residual: Any, captured: Any, x: Any) -> Any:
    """The derivative of `solution_at` in what is captured."""
    x = solution_at(residual, captured, x)  # whose own derivatives are those of the solution
    return x, lambda ct: (None, of_captured(residual, captured, x, ct), None)


custom.RULES[solution_at] = by_implicit_function


# -- structures as vectors ---------------------------------------------------------------------------------------------


def is_real(value: Any) -> bool:
    """Whether a leaf of a structure is a real number or array."""
    return isinstance(value, float) or (isinstance(value, Var) and not is_discrete(value.object))


def leaves_in(value: Any) -> Iterator[Any]:
    """The leaves of a structure, left to right."""
    parts = parts_in(value)
    if parts is None:
        yield value
        return
    for part in parts:
        yield from leaves_in(part)


def joined(parts: Any) -> Any:
    return np.concatenate([np.ravel(np.asarray(x)) for x in parts])


def part_at(v: Any, at: Any, like: Any) -> Any:
    return v[at] if np.ndim(like) == 0 else np.reshape(v[at : at + np.size(like)], np.shape(like))


def end_of(at: Any, like: Any) -> Any:
    return at + np.size(like)


class Residual:
    """The residual of a solver as a function of a vector, which holds the real numbers of what the solver gave."""

    def __init__(self, solver: Implicit, found: Any, args: list[Any], kwargs: dict[str, Any]) -> None:
        self.solver, self.found, self.args, self.kwargs = solver, found, args, kwargs
        self.__name__ = getattr(solver.residual, "__name__", "residual")

    def __call__(self, v: Any) -> Any:
        raise NotImplementedError("it is read in programs")

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        x = self.structure(e, args[0], node, frame)
        off = e.call(self.solver.residual, [x, *self.args], self.kwargs, node, frame)
        wanted = [leaf for leaf in leaves_in(self.found) if is_real(leaf)]
        given = [leaf for leaf in leaves_in(off) if is_real(leaf)]
        if len(given) != len(wanted) or any([lists.is_list(leaf) for leaf in given]):
            text = f"the residual of `{self.solver.__name__}` gives {described(off)}, the solver "
            raise self.solver.mismatch(e, text + described(self.found), node, frame)
        return self.vector(e, given, node, frame)

    def vector(self, e: Any, given: list[Any], node: ast.AST, frame: Any) -> Any:
        """The vector of real leaves; a number alone stays one."""
        alone = parts_in(self.found) is None and self.is_number(self.found)
        return given[0] if alone else e.call(joined, [tuple(given)], {}, node, frame)

    def is_number(self, value: Any) -> bool:
        return isinstance(value, float) or not getattr(value.object, "axes", ())

    def structure(self, e: Any, v: Any, node: ast.AST, frame: Any) -> Any:
        """What the solver gave, with the real numbers of a vector."""
        if parts_in(self.found) is None and self.is_number(self.found):
            return v
        at: Any = 0

        def leaf(value: Any) -> Any:
            nonlocal at
            if parts_in(value) is not None:
                return mapped(value, lambda _, part: leaf(part))
            if not is_real(value):
                return value
            found = e.call(part_at, [v, at, value], {}, node, frame)
            at = e.call(end_of, [at, value], {}, node, frame)
            return found

        return leaf(self.found)


class Implicit(Called):
    """A solver whose derivative is that of the solution of an equation."""

    what = "implicit"

    def __init__(self, function: Any, residual: Callable[..., Any]) -> None:
        super().__init__(function)
        self.residual = residual

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __get__(self, owner: Any, cls: Any = None) -> Any:
        if owner is None:
            return self
        residual = self.residual
        return Implicit(self.function.__get__(owner, cls), lambda x, *args, **kw: residual(x, owner, *args, **kw))

    def __ccc_form__(self) -> Any:
        return Implicit, self.residual

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        found = e.call(without_derivative, [self.run(e, args, kwargs, node, frame)], {}, node, frame)
        real = [leaf for leaf in leaves_in(found) if is_real(leaf)]
        if not real or any([lists.is_list(leaf) for leaf in real]):
            raise self.mismatch(e, f"`{self.__name__}` gives {described(found)}, which is no solution", node, frame,
                                "return numbers and arrays, or tuples, dicts and objects of them")
        residual = Residual(self, found, args, kwargs)
        x = residual.vector(e, real, node, frame)
        closed, captured = lifted(e, [residual, x], {}, node, frame)
        return residual.structure(e, e.call(solution_at, [closed, captured, x], {}, node, frame), node, frame)

    def run(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        """What the solver gives; one that cannot be read is called."""
        try:
            return custom.checkpoint(e, self.function, (args, kwargs), node, frame)
        except UnsupportedPython as error:
            if any(d.code == "CC011" for d in error.diagnostics):
                raise
        fixed = [e.call(without_derivative, [a], {}, node, frame) for a in args]  # of which both modes ask no rule
        return custom.custom(e, self.function, constant_rule(self.function), (fixed, kwargs), node, frame)

    def mismatch(self, e: Any, message: str, node: ast.AST, frame: Any, help: str = "") -> TypeMismatch:
        return TypeMismatch(Diagnostic("CC040", message, e.place(node, frame), (),
                                       help or "let the residual give as many numbers and arrays as the solver"))


class Solving:
    """What makes a solver of a function, given the residual."""

    def __init__(self, residual: Any) -> None:
        self.residual = residual

    def __call__(self, solver: Callable[..., Any]) -> Callable[..., Any]:
        return Implicit(solver, self.residual)

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        return self(*args, **kwargs)


def constant_rule(function: Any) -> Callable[..., Any]:
    """The rule of a function that is a constant of derivatives."""

    def rule(*args: Any) -> Any:
        return function(*args), lambda ct: tuple([None for _ in args])

    return rule


def implicit(residual: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: a solver whose derivative is that of the equation it solves, by the implicit function theorem.

    >>> from ccc.compile.api.transforms import gradient, value_with_differential
    >>> @implicit(lambda x, start, a: x ** 3 - a)
    ... def cube_root(start, a):
    ...     x = start
    ...     while abs(x ** 3 - a) > 1e-12:
    ...         x = x - (x ** 3 - a) / (3.0 * x * x)
    ...     return x
    >>> gradient(cube_root)(1.0, 8.0)
    (0.0, 0.08333333333333333)
    >>> value_with_differential(cube_root)(1.0, 8.0)[1](0.0, 12.0)
    1.0

    Where the solver gives `x` at `args`, `self` included, `residual(x, *args)` is zero: numbers and arrays, as many as
    in `x`, which is a number, an array, or a structure of them. Integers in it are constants. Arguments may be
    functions that read what is differentiated. The solver is run and not differentiated, and is called as it is where
    it cannot be read, as `derivative_of` says; the residual is compiled, so there are derivatives of every order, in
    both modes. The derivative is that of the place which the solver gives, also where the residual is not zero there:
    it is as exact as the solver. Raises `WrongArguments` where the residual is no function, `TypeMismatch` where it
    gives another number of numbers, and `numpy.linalg.LinAlgError` where its slope in an array `x` is singular; in a
    number that is infinite.

    Source: *Efficient and Modular Implicit Differentiation* (Blondel et al.).
    """
    if not callable(residual) and not is_function(residual):
        raise WrongArguments(f"implicit takes the residual, a function, found {type(residual).__name__}",
                             help="write `@ccc.implicit(lambda x, *args: ...)` above the solver")
    return Solving(residual)


known_functions.OPERATORS[implicit] = implicit
__all__ = ["implicit"]
