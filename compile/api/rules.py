"""Derivatives that users give, with JAX's names and signatures: `custom_vjp` and `custom_jvp`.

Both make a rule as `derivative_of` takes it, a function of the arguments that gives the value and the pullback; so
derivatives of every order, both modes and calls inside programs are those of such rules.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.api.derivative_overrides import Called
from ccc.compile.api.transforms import value_with_pullback
from ccc.compile.diagnostics import Diagnostic, TypeMismatch, WrongArguments
from ccc.compile.frontend import custom
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.source import source_of


def with_none(cts: Any, fixed: Sequence[int]) -> Any:
    """Cotangents of all arguments: None for those that are not differentiated, which `cts` leaves out.

    >>> with_none((1.0, 2.0), (0, 2))
    (None, 1.0, None, 2.0)
    """
    for i in fixed:
        cts = (*cts[:i], None, *cts[i:])
    return cts


class Pair:
    """What a part of a derivative gives, which is a pair."""

    def __call__(self, found: Any, part: Callable[..., Any]) -> Any:
        if type(found) is not tuple or len(found) != 2:  # type: ignore[reportUnknownArgumentType]
            raise no_pair(type(found).__name__, part)
        return found  # type: ignore[reportUnknownVariableType]

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        found, part = args
        if type(found) is not tuple or len(found) != 2:  # type: ignore[reportUnknownArgumentType]
            raise no_pair(described(found), part)
        return found  # type: ignore[reportUnknownVariableType]


pair = Pair()


def no_pair(what: str, part: Any) -> TypeMismatch:
    """The error for a part of a derivative that gives no pair."""
    name, place = getattr(part, "__name__", "it"), None
    if isinstance(part, types.FunctionType):
        source = source_of(part)
        place = source.span(source.node)
    return TypeMismatch(Diagnostic("CC040", f"`{name}` gives {what}, it must give two values", place, (),
                                   help="return the value and what belongs to it: `return y, ...`"))


class Ruled(Called):
    """A function whose derivative is given after it."""

    giver = ""

    def __init__(self, fun: Callable[..., Any], nondiff_argnums: Sequence[int] = ()) -> None:
        super().__init__(fun)
        self.fixed = tuple(sorted(nondiff_argnums))
        self.rule: Callable[..., Any] | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __ccc_inline__(self, e: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Any) -> Any:
        if self.rule is None:
            raise WrongArguments(f"`{self.__name__}` has no derivative yet",
                                 help=f"give it one: {self.__name__}.{self.giver}")
        return custom.custom(e, self.function, self.rule, (args, kwargs), node, frame)


class custom_vjp(Ruled):
    """A decorator: a function whose derivative is given by `defvjp(fwd, bwd)`.

    >>> import math
    >>> from ccc.compile.api.transforms import gradient
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

    what, giver = "custom_vjp", "defvjp(fwd, bwd)"

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Give the function its derivative."""
        fixed = self.fixed

        def rule(*args: Any) -> Any:
            value, kept = pair(fwd(*args), fwd)

            def pullback(ct: Any) -> Any:
                return with_none(bwd(*[args[i] for i in fixed], kept, ct), fixed)

            return value, pullback

        self.rule = rule


class custom_jvp(Ruled):
    """A decorator: a function whose derivative is given by `defjvp(jvp)`.

    >>> import math
    >>> from ccc.compile.api.transforms import gradient
    >>> @custom_jvp
    ... def f(x, y):
    ...     return math.sin(x) * y
    >>> @f.defjvp
    ... def f_jvp(primals, tangents):
    ...     (x, y), (dx, dy) = primals, tangents
    ...     return f(x, y), math.cos(x) * dx * y + math.sin(x) * dy
    >>> gradient(f)(0.0, 3.0)
    (3.0, 0.0)

    `jvp` takes the tuple of the arguments and that of their tangents, which have their shapes and dtypes, and gives the
    value and its tangent; it must be linear in the tangents, since the pullback is its transpose. Arguments at
    `nondiff_argnums` come first to `jvp`, each by itself. A derivative raises `WrongArguments` before `defjvp`; other
    errors are those of `derivative_of`.

    Source: *Automatic Differentiation in Swift*, "Forward mode".
    """

    what, giver = "custom_jvp", "defjvp(jvp)"

    def defjvp(self, jvp: Callable[..., Any]) -> Callable[..., Any]:
        """Give the function its derivative; gives `jvp`, so that it decorates."""
        fixed = self.fixed

        def rule(*args: Any) -> Any:
            first = [args[i] for i in fixed]
            primals = tuple([a for i, a in enumerate(args) if i not in fixed])

            def tangent(*tangents: Any) -> Any:
                return pair(jvp(*first, primals, tangents), jvp)[1]

            def pullback(ct: Any) -> Any:
                # linear in the tangents, so its pullback is the same at all of them
                found = value_with_pullback(tangent, wrt=tuple([i for i, _ in enumerate(primals)]))(*primals)[1](ct)
                return with_none(found, fixed)

            return pair(jvp(*first, primals, primals), jvp)[0], pullback

        self.rule = rule
        return jvp

    def defjvps(self, *jvps: Callable[..., Any] | None) -> None:
        """Give the function its derivative argument by argument, with the name and signature of JAX's: each function
        takes the tangent of its argument, the value and the arguments, and gives the tangent of the value; None is for
        an argument without derivative.

        >>> from ccc.compile.api.transforms import gradient
        >>> @custom_jvp
        ... def product(x, y):
        ...     return x * y
        >>> product.defjvps(lambda dx, value, x, y: dx * y, lambda dy, value, x, y: x * dy)
        >>> gradient(product)(2.0, 3.0)
        (3.0, 2.0)
        """
        fixed = self.fixed
        if not all([jvp is None or callable(jvp) for jvp in jvps]) or all([jvp is None for jvp in jvps]):
            raise WrongArguments("defjvps takes a function for each argument, None for one without derivative",
                                 help=f"write {self.__name__}.defjvps(lambda dx, value, x: ...)")
        ruled: Any = self
        slopes: Any = jvps
        places = tuple([i for i, jvp in enumerate(jvps) if jvp is not None])

        def rule(*args: Any) -> Any:
            value = ruled(*args)
            moving = [i for i, _ in enumerate(args) if i not in fixed]

            def pullback(ct: Any) -> Any:
                cts: Any = tuple([one(ct, k, args[moving[k]]) if k in places else None for k, _ in enumerate(moving)])
                return with_none(cts if len(cts) > 1 or fixed else cts[0], fixed)

            def one(ct: Any, k: int, x: Any) -> Any:
                return value_with_pullback(lambda dx: slopes[k](dx, value, *args))(x)[1](ct)

            return value, pullback

        self.rule = rule


__all__ = ["custom_jvp", "custom_vjp"]
