"""Identities that a derivative or an optimisation stops at, and the check of what a custom derivative gives.

    stop(x)        x, of which nothing is differentiated
    again(x)       x, of which everything is computed anew: the program does not share it with what it computed before
    shaped(ct, x)  ct, which must have the shape and dtype of x

>>> stop(3.0), again(3.0), shaped(np.ones(2), np.zeros(2))
(3.0, 3.0, array([1., 1.]))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.additive import ZERO
from ccc.errors import CotangentMismatch
from ccc.objects import Object
from ccc.primitives.primitive import Primitive


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


stop = Primitive(
    "stop", lambda x: x, _first, "{}", lambda ct, y, x: (ZERO,), lambda ds, y, x: ZERO, exact=True,
)
again = Primitive("again", lambda x: x, _first, "{}", lambda ct, y, x: (ct,), lambda ds, y, x: ds[0], exact=True)
shaped = Primitive(
    "shaped", _shaped, _second, lambda ct, x, of: f"shaped({ct}, {x}, {of!r})",
    lambda g, y, ct, x, of: (g, ZERO), lambda ds, y, ct, x, of: ds[0], exact=True,
)
