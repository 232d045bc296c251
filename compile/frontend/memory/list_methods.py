"""Methods of lists that are written in Python, as statements on the list `xs`."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.names import written
from ccc.compile.frontend.sameness import identity_counts
from ccc.compile.frontend.values import Frame

ALIKE = "(identity_counts(x, v) and x is v) or x == v"
"""What Python asks of an item `x` and what is looked for."""
WRITTEN = {
    "index": "n = len(xs)\na = max(a + n, 0) if a < 0 else a\nb = b + n if b < 0 else b\n"
             f"for i, x in enumerate(xs):\n  if a <= i < b and ({ALIKE}): return i\n"
             "raise ValueError(f'{v!r} is not in list' if plain else 'it is not in list')",
    "count": f"found = 0\nfor x in xs:\n  if {ALIKE}: found += 1\nreturn found",
    "remove": f"for i in range(len(xs)):\n  x = xs[i]\n  if {ALIKE}:\n    del xs[i]\n    return\n"
              "raise ValueError('list.remove(x): x not in list')",
    "first": f"for i, x in enumerate(xs):\n  if {ALIKE}: return i\nraise ValueError('list.remove(x): x not in list')",
    "assign": "if len(v) != len(found): raise ValueError(f'attempt to assign sequence of size {len(v)} '\n"
              "                                         f'to extended slice of size {len(found)}')\n"
              "for i, x in zip(found, v): xs[i] = x",
    "unset": "if a is b: raise AttributeError(text)",
    "unsteady": "if a != b: raise RuntimeError(text)",
    "delete": "for i in found: del xs[i]",
}
"""Methods as statements on the list `xs`."""
HELPERS = {"range": range, "len": len, "max": max, "min": min, "zip": zip, "enumerate": enumerate,
           "ValueError": ValueError, "AttributeError": AttributeError, "RuntimeError": RuntimeError,
           "identity_counts": identity_counts}


def by_text(e: Elaboration, name: str, env: dict[str, Any], node: ast.AST, frame: Frame) -> Any:
    """What statements of Python give that stand for a method."""
    inner = Frame(f"list.{name}", frame.file, frame.function, None, None, (node, frame))
    inner.local = frozenset([*env, *HELPERS, "found", "i", "x", "n"])
    inner.env.update(HELPERS, **env)
    e.frames.append(inner)
    try:
        text = "\n".join([f" {line}" for line in WRITTEN[name].split("\n")])
        (function,) = written(f"def f():\n{text}", node)
        return e.run(function.body, inner)  # type: ignore[attr-defined]
    finally:
        e.frames.pop()
