"""The arguments of a call of a library function, by what its parameters are called.

>>> taken("sum", [[1.0]], {}, "iterable / start", None, start=0)
[[1.0], 0]
"""

from __future__ import annotations

from typing import Any

from ccc.compile.diagnostics import CompileError, counted, mismatch, unsupported
from ccc.compile.frontend.values import ITEMS


def unknown_keys(where: Any) -> CompileError:
    """The refusal of `**` with a dict that may give some of the parameters."""
    return unsupported("CC003", "`**` needs a dict whose keys are known here", where, help="name the arguments")


def taken(name: str, args: list[Any], kwargs: dict[str, Any], names: str, where: Any, /, **defaults: Any) -> list[Any]:
    """The arguments of a call in the order of `names`; those before `/` are given by position, those behind `*` by
    name."""
    if ITEMS in kwargs:
        raise unknown_keys(where)
    placed, _, other = names.rpartition("/")
    either, _, named = other.partition("*")
    order, other = [*placed.split(), *either.split(), *named.split()], either + named
    most = len(order) - len(named.split())
    if len(args) > most and named:
        raise mismatch("CC027", f"`{name}` takes at most {counted(most)} by position, {len(args)} were given", where,
                       help=f"give `{named.split()[0]}` by name")
    if len(args) > most:
        raise mismatch("CC027", f"`{name}` takes at most {counted(most)}, {len(args)} were given", where,
                       help="leave out the others")
    found = dict(zip(order, args, strict=False))
    for key, value in kwargs.items():
        if key in found or key not in other.split():
            text = f"got `{key}` twice" if key in found else f"has no parameter `{key}` that can be named"
            raise mismatch("CC027", f"`{name}` {text}", where, help=f"its parameters are {', '.join(order)}")
        found[key] = value
    for key in order:
        if key not in found and key not in defaults:
            raise mismatch("CC027", f"`{name}` misses its argument `{key}`", where, help=f"give `{key}`")
    return [found[key] if key in found else defaults[key] for key in order]
