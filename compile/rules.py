"""Derivatives that users give, with JAX's name and signature: `custom_vjp`.

It makes a rule as `derivative_of` takes it, a function of the arguments that gives the value and the pullback; so
derivatives of every order, forward mode and calls inside programs are those of such rules.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from compile import custom
from compile.diagnostics import WrongArguments
from compile.surgery import Called


class custom_vjp(Called):
    """A decorator: a function whose derivative is given by `defvjp(fwd, bwd)`.

    >>> import math
    >>> from compile.api import gradient
    >>> @custom_vjp
    ... def f(x, y):
    ...     return math.sin(x) * y
    >>> f.defvjp(lambda x, y: (f(x, y), (math.cos(x), math.sin(x), y)),
    ...          lambda kept, ct: (kept[0] * ct * kept[2], kept[1] * ct))
    >>> gradient(f)(0.0, 3.0)
    (3.0, 0.0)

    `fwd` takes the arguments and gives the value and what is kept for `bwd`, which takes this and the cotangent of the
    value, and gives a tuple of the cotangents of the arguments, of their shapes and dtypes, None for none. Arguments
    at `nondiff_argnums` come first to `bwd`, which gives no cotangents of them. A derivative raises `WrongArguments`
    before `defvjp`; other errors are those of `derivative_of`.

    Source: *Differentiable functions and differentiation APIs*, `@differentiating`.
    """

    what = "custom_vjp"

    def __init__(self, fun: Callable[..., Any], nondiff_argnums: Sequence[int] = ()) -> None:
        super().__init__(fun)
        self.fixed = tuple(sorted(nondiff_argnums))
        self.rule: Callable[..., Any] | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        if self.rule is None:
            raise WrongArguments(f"`{self.__name__}` has no derivative yet",
                                 help=f"give it one: {self.__name__}.defvjp(fwd, bwd)")
        return custom.custom(e, self.function, self.rule, (args, kwargs), node, frame)

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Give the function its derivative."""
        fixed = self.fixed

        def rule(*args: Any) -> Any:
            value, kept = fwd(*args)

            def pullback(ct: Any) -> Any:
                found = bwd(*[args[i] for i in fixed], kept, ct)
                for i in fixed:
                    found = (*found[:i], None, *found[i:])
                return found

            return value, pullback

        self.rule = rule


__all__ = ["custom_vjp"]
