"""`import` in a function: done while elaborating, so what it binds is known."""

from __future__ import annotations

import ast
import importlib
import sys
from typing import Any

from ccc.compile.frontend import effects
from ccc.compile.frontend.captures import Entry
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.values import Frame


def import_(e: Elaboration, node: ast.Import | ast.ImportFrom, frame: Frame) -> None:
    """`import`, whose modules are loaded now; what cannot be loaded raises."""
    for alias in node.names:
        try:
            found = imported(e, node, alias, frame)
        except ImportError as error:
            effects.fail_with(e, type(error), str(error), node, frame)
        frame.env[alias.asname or alias.name.partition(".")[0]] = found


def imported(e: Elaboration, node: ast.Import | ast.ImportFrom, alias: ast.alias, frame: Frame) -> Any:
    """What a name of an `import` stands for."""
    if isinstance(node, ast.Import):
        module = importlib.import_module(alias.name)
        return module if alias.asname else sys.modules[alias.name.partition(".")[0]]
    home = frame.function.__globals__.get("__package__") if node.level else None
    module = importlib.import_module("." * node.level + (node.module or ""), home)
    if hasattr(module, name := alias.name):
        value, space = getattr(module, name), vars(module)
        return value if name not in space else e.read(name, (id(space), name), value, Entry(space, name), node, frame)
    try:
        return importlib.import_module(f"{module.__name__}.{alias.name}")
    except ModuleNotFoundError:
        raise ImportError(f"cannot import name {alias.name!r} from {module.__name__!r} ({module.__file__})") from None
