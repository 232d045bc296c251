"""Identities that a derivative or an optimisation stops at, and the checks of what users give as derivatives.

    stop(x)        x, of which nothing is differentiated
    again(x)       x, of which everything is computed anew: the program does not share it with what it computed before
    shaped(ct, x)  ct, which must have the shape and dtype of x

    check_like(d, x)    raises where a tangent or cotangent d has other sizes than x
    unit_seed(y)        the cotangent 1 of a number y; raises where y is an array with axes, or no number

>>> stop(3.0), again(3.0), shaped(np.ones(2), np.zeros(2))
(3.0, 3.0, array([1., 1.]))
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ccc.additive import ZERO
from ccc.errors import CotangentMismatch, DirectionMismatch, NeedsScalar
from ccc.objects import REAL, UNIT, Object
from ccc.primitives.domains import not_single, ranked, shapes_differ
from ccc.primitives.facts import NEVER, NEW, SIZES, jointly, may_be, same
from ccc.primitives.primitive import Primitive
from ccc.records import parts_of, taken_apart

NUMBERS = int | float | np.number | np.bool_ | Fraction


def _first(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return args[0]


def _second(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return args[1]


def _shaped(ct: Any, x: Any, of: str = "an argument") -> Any:
    if np.shape(ct) != np.shape(x):
        raise CotangentMismatch(
            f"the custom derivative gives a cotangent of shape {np.shape(ct)} for {of} of shape {np.shape(x)}",
            "let the rule give one of that shape: sum over the axes that were broadcast",
        )
    return np.asarray(ct, dtype=x.dtype)


def _check_like(d: Any, x: Any, word: str, path: str) -> None:
    inside = None
    if isinstance(x, np.ndarray):
        if np.shape(d) != x.shape:
            raise DirectionMismatch(f"the {word} of `{path}` has the shape {np.shape(d)}, `{path}` has {x.shape}",
                                    f"give an array of the shape {x.shape}")
    elif isinstance(x, NUMBERS):
        if np.ndim(d):
            raise DirectionMismatch(f"the {word} of `{path}` has the shape {np.shape(d)}, `{path}` is a number",
                                    "give a number")
    elif isinstance(x, list):
        count, wanted = len(d), len(x)  # type: ignore[reportUnknownArgumentType]
        if count != wanted:
            raise DirectionMismatch(f"the {word} of `{path}` is a list of {count}, `{path}` is one of {wanted}",
                                    f"give a list of {wanted}")
        inside = None if x and type(x[0]) is float else zip(d, x, strict=True)  # type: ignore[reportUnknownArgumentType]
    elif isinstance(x, tuple):
        inside = zip(d, x, strict=True)  # type: ignore[reportUnknownArgumentType]
    elif (record := taken_apart(x)) is not None:
        inside = zip(parts_of(d) or (), record[2], strict=True)
    for i, (part, whole) in enumerate(inside or ()):  # type: ignore[reportUnknownArgumentType]
        _check_like(part, whole, word, f"{path}[{i}]")


def _unit_seed(y: Any) -> float:
    if np.ndim(y):
        raise NeedsScalar(f"a scalar result is needed; it has the shape {np.shape(y)}",
                          "ccc.jacobian(f), or return np.sum(...) of it")
    if not isinstance(y, (NUMBERS, np.ndarray)):
        found = "None" if y is None else f"a `{type(y).__name__}`"
        raise NeedsScalar(f"a scalar result is needed; it is {found} here",
                          "return a number on each path, or raise an exception")
    return 1.0


stop = Primitive(
    "stop", lambda x: x, _first, "{}", lambda ct, y, x: (ZERO,), lambda ds, y, x: ZERO, exact=True,
    memory=same(), work=SIZES, linear=jointly(0), raises=NEVER,
)
again = Primitive("again", lambda x: x, _first, "{}", lambda ct, y, x: (ct,), lambda ds, y, x: ds[0], exact=True,
                  memory=same(), work=SIZES, linear=jointly(0), raises=NEVER)
shaped = Primitive(
    "shaped", _shaped, _second, lambda ct, x, of: f"shaped({ct}, {x}, {of!r})",
    lambda g, y, ct, x, of: (g, ZERO), lambda ds, y, ct, x, of: ds[0], exact=True,
    memory=may_be(0), work=SIZES, sizes=(1,), like=1, linear=jointly(0), raises=not_single,
)
check_like = Primitive(
    "check_like", _check_like, lambda p, args, params: UNIT,
    lambda d, x, word, path: f"check_like({d}, {x}, {word!r}, {path!r})", exact=True,
    memory=NEW, work=SIZES, sizes=(0, 1), raises=shapes_differ,
)
unit_seed = Primitive(
    "unit_seed", _unit_seed, lambda p, args, params: REAL, "unit_seed({})", lambda ct, y, x: (ZERO,),
    lambda ds, y, x: ZERO, memory=NEW, work=SIZES, sizes=(0,), raises=ranked,
)
