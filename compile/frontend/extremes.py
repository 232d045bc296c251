"""`max(xs)` and `min(xs)` of a list whose length is not known, as the loop that they stand for."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.frontend.comprehensions import inner_frame
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.names import written
from ccc.compile.frontend.values import Frame
from ccc.compile.program.lam import Var
from ccc.objects import is_discrete
from ccc.primitives.ties import moving_as

EXTREME = """
if len(xs) == 0:
    raise ValueError('of nothing')
best = xs[0]
for i in range(1, len(xs)):
    best = extreme(best, xs[i])
"""
PLAIN = "return best"
TIED = """
tied, count = 0.0, 0.0
for x in xs:
    if x == best:
        tied, count = tied + x, count + 1.0
middle = tied / max(count, 1.0) if count > 0.0 else best
return moving(best, middle)
"""


def moving(best: Any, middle: Any) -> Any:
    """A value whose derivative is that of another."""
    return best


moving.__ccc_inline__ = lambda e, args, kwargs, node, frame: moving_as(*args)  # type: ignore[attr-defined]


def of_nothing(function: Any) -> str:
    """What the running Python says of `max` or `min` of nothing."""
    try:
        function(())
    except ValueError as error:
        return str(error)
    return ""


def extreme(e: Elaboration, function: Any, xs: Var, node: ast.AST, frame: Frame) -> Any:
    """`max(xs)` or `min(xs)` of a list whose length is not known; all that are equal to it share its derivative."""
    name = function.__name__
    inner = inner_frame(frame, [])
    python = {"len": len, "max": max, "range": range, "ValueError": ValueError}
    known = {**python, "xs": xs, "moving": moving, name: function}
    inner.local |= {*known, "i", "best", "tied", "count", "middle", "x"}
    inner.env.update(known)
    real = not is_discrete(xs.object.item)  # type: ignore[attr-defined]
    text = (EXTREME + (TIED if real else PLAIN)).replace("'of nothing'", repr(of_nothing(function)))
    body = written(text.replace("extreme(", f"{name}("), node)
    e.frames.append(inner)
    try:
        return e.attempts.part(lambda: e.run(body, inner))
    finally:
        e.frames.pop()
