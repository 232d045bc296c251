"""Long straight functions, generated: arithmetic and elementary functions that use earlier values again; of numbers, of
arrays, and of arrays with sums and slices among them.

>>> print(source("scalar", 5), end="")
import math
<BLANKLINE>
<BLANKLINE>
def long_function(x, y):
    v0 = x * y
    v1 = math.tanh(v0 - v0)
    v2 = math.tanh(v1 - y)
    v3 = math.sin(v2) * x
    v4 = math.tanh(v3 - v2)
    return v4
"""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

MODULES = {"scalar": ("import math", "math"), **dict.fromkeys(("array", "sums"), ("import numpy as np", "np"))}
FORMS = (
    "{a} * 0.5 + {b} * 0.25",
    "{m}.sin({a}) * {c}",
    "{m}.tanh({a} - {b})",
    "({a} + {c}) * ({b} - {c}) / 2.0",
    "{m}.exp(-{a} * {a}) * {b}",
    "{a} - 0.3 * {b}",
)
SUMS = (
    "{a} - {m}.mean({b}) * {c}",
    "{a} / (1.0 + {m}.sum({b} * {b}))",
    "{a}[::-1] * {c} + {b}",
    "{m}.cumsum({a}) * 0.1",
)


def source(kind: str, statements: int, seed: int = 0, library: tuple[str, str] | None = None) -> str:
    """The source of a function of `statements` assignments; `library` is another import, and the name it binds."""
    choose = random.Random(seed)
    header, module = library or MODULES[kind]
    forms = FORMS + SUMS if kind == "sums" else FORMS
    lines = [header, "", "", "def long_function(x, y):", "    v0 = x * y"]
    for i in range(1, statements):
        near, far = [f"v{choose.randrange(max(0, i - window), i)}" for window in (3, 20)]
        given = choose.choice((far, far, "x", "y"))
        lines.append(f"    v{i} = {choose.choice(forms).format(a=near, b=given, c=choose.choice('xy'), m=module)}")
    last = f"v{statements - 1}"
    lines.append(f"    return {module}.sum({last})" if kind != "scalar" else f"    return {last}")
    return "\n".join(lines) + "\n"


def load(text: str, folder: Path) -> Callable[..., Any]:
    """The function of a source, from a file, as a user has it."""
    path = folder / "long_module.py"
    path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.long_function
