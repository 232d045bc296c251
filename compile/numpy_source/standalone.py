"""The source of a program as a file that runs by itself: its imports, and what else it needs of this process.

>>> from ccc.compile.frontend.elaborate import program_of
>>> from ccc.compile.numpy_source.numpy_target import NUMPY
>>> print(file_of(NUMPY.lower(program_of(lambda x: np.sin(x), (3.0,)), False, ()).emitted))
import numpy as np
<BLANKLINE>
def f(x):
    t = np.sin(x)
    return t
"""

from __future__ import annotations

import functools
import importlib
import re
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from ccc.compile.numpy_source.emit import Emitted
from ccc.objects import Object
from ccc.primitives import registry

LARGEST = 1000
"""The items of an array that stands in a file."""
LITERALS = (bool, int, float, str, bytes, types.NoneType)


class File:
    """The lines before a source."""

    def __init__(self) -> None:
        self.imports: dict[str, None] = {}
        self.given: list[str] = []
        self.missing: list[str] = []

    def name(self, name: str, x: Any) -> None:
        """Let a name stand for an object."""
        text = self.imported(x, name) or self.text(x)
        if text is None and registry.names().get(name) is x:
            self.imports["from ccc.primitives import registry"] = None
            text = f"registry.names()[{name!r}]"
        if text is None:
            self.missing.append(f"# needs `{name}`, which only the process has that wrote this: {type(x).__name__}")
        elif text != name:
            self.given.append(f"{name} = {text}")

    def imported(self, x: Any, name: str = "") -> str | None:
        """What an object is called, imported under a name; None where no module has it."""
        if isinstance(x, types.ModuleType):
            self.imports[f"import {x.__name__}" + (f" as {name}" if name not in ("", x.__name__) else "")] = None
            return name or x.__name__
        module, path = getattr(x, "__module__", None), getattr(x, "__qualname__", None)
        if isinstance(x, np.ufunc) and getattr(np, x.__name__, None) is x:
            module, path = "numpy", x.__name__
        if not isinstance(module, str) or not isinstance(path, str) or module == "__main__":
            return None
        try:
            found: Any = functools.reduce(getattr, path.split("."), importlib.import_module(module))
        except (AttributeError, ImportError):
            return None
        if found is not x:
            return None
        first, _, rest = path.partition(".")
        if module == "builtins":
            return path
        alias = name if name and not rest else first
        self.imports[f"from {module} import {first}" + (f" as {alias}" if alias != first else "")] = None
        return alias + (f".{rest}" if rest else "")

    def text(self, x: Any) -> str | None:
        """An expression for an object; None where there is none."""
        if type(x) in LITERALS:
            return repr(x) if not isinstance(x, float) or np.isfinite(x) else f'float("{x!r}")'
        if type(x) is tuple:
            parts = self.all_of(x)
            return None if parts is None else f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        if type(x) is np.ndarray and x.dtype.kind in "fiub" and x.size <= LARGEST:
            self.imports["import numpy as np"] = None
            return f'np.frombuffer(bytes.fromhex("{x.tobytes().hex()}"), {x.dtype.str!r}).reshape({x.shape!r})'
        if isinstance(x, np.dtype):
            self.imports["import numpy as np"] = None
            return f"np.dtype({x.str!r})"
        if type(x) is functools.partial:
            parts = self.all_of([x.func, *x.args, *x.keywords.values()])
            if parts is None:
                return None
            self.imports["import functools"] = None
            names = [*[""] * (1 + len(x.args)), *[f"{name}=" for name in x.keywords]]
            return f"functools.partial({', '.join([f'{n}{part}' for n, part in zip(names, parts, strict=True)])})"
        if isinstance(x, Object):
            return self.of_fields(x)
        return self.imported(x)

    def of_fields(self, x: Any) -> str | None:
        """The call that makes an object of the language."""
        parts = self.all_of([type(x), *[getattr(x, field) for field in x.__dataclass_fields__]])
        return None if parts is None else f"{parts[0]}({', '.join(parts[1:])})"

    def all_of(self, xs: Sequence[Any]) -> list[str] | None:
        found = [self.text(x) for x in xs]
        return None if any([text is None for text in found]) else [text for text in found if text is not None]


def file_of(emitted: Emitted) -> str:
    """The text of a file: imports, names for what a program calls, and its source. What no file can have is named in
    comments."""
    file = File()
    used = set(re.findall(r"[A-Za-z_]\w*", emitted.source))
    for name, x in emitted.namespace.items():
        if name in used:
            file.name(name, x)
    head = ["\n".join(lines) for lines in (sorted(file.imports), file.missing, file.given)]
    return "\n\n".join([*filter(None, head), emitted.source.strip()])


__all__ = ["file_of"]
