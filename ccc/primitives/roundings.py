"""A number that is rounded: where marks stand in a program, and what reverse mode makes of them.

    rounded(x, e)        x + r           |r| <= |x| places + least, in the unit that e counts in
    pullback of ct       ct for x,       |ct| (|x| places + least) for e

    narrowed(x, e)       x, which a narrower format may not have
    pullback of ct       ct for x,       |ct| |x - x in that format| for e

So the derivative in `e` adds up how much of all roundings reaches a result. It is not linear in `ct`: it takes the
magnitude of each. `ccc.compile.passes.rounding_marks` puts the marks, `ccc.categories.first_order` says what those of
the first kind mean where numbers are not known.

>>> rounded.pullback(-2.0, 3.0, 3.0, 0.0, places=1.0, least=0.0)
(-2.0, 6.0)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ccc.objects import Object
from ccc.primitives.broadcasting import fit
from ccc.primitives.facts import ENTRIES, NEVER, NEW, SIZES, same
from ccc.primitives.primitive import Primitive, elementwise


def _as_it_is(p: Primitive, args: tuple[Object, ...], params: dict[str, Any]) -> Object:
    return args[0]


def _lost(x: Any, *, format: str) -> Any:
    kept = np.asarray(x).astype(format).astype(float)
    return abs(x - (kept if kept.ndim else float(kept)))


def _pullback(ct: Any, y: Any, x: Any, e: Any, *, places: float, least: float) -> tuple[Any, ...]:
    return ct, fit(reaching(ct, x, places=places, least=least), e)


rounded = Primitive(
    "rounded", lambda x, e, *, places, least: x, _as_it_is, lambda x, e, places, least: x, _pullback, exact=True,
    memory=same(), work=SIZES, sizes=(1,), raises=NEVER,
)
reaching = Primitive(
    "reaching", lambda ct, x, *, places, least: abs(ct) * (abs(x) * places + least), elementwise,
    lambda ct, x, places, least: f"abs({ct}) * (abs({x}) * {places} + {least})", precedence=70, memory=NEW,
    work=ENTRIES, raises=NEVER,
)
lost = Primitive("lost", _lost, elementwise, lambda x, format: f"lost({x}, {format!r})", memory=NEW, work=ENTRIES,
                 raises=NEVER)
narrowed = Primitive(
    "narrowed", lambda x, e, *, format: x, _as_it_is, lambda x, e, format: x,
    lambda ct, y, x, e, *, format: (ct, fit(abs(ct) * lost(x, format=format), e)), exact=True,
    memory=same(), work=SIZES, sizes=(1,), raises=NEVER,
)
