"""`copy.copy` of what stands in stores."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import read_through, stored_dicts, stored_lists
from ccc.compile.frontend.memory.keeping import placed
from ccc.compile.frontend.regions import kind_of
from ccc.compile.frontend.values import Frame


def copied(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None) -> Any:
    """`copy.copy(value)`."""
    (value,) = args
    kind = kind_of(value)
    if kind == "list":
        return placed(e, stored_lists.sliced(e, read_through.shown(e, value)), node, frame)
    if kind == "dict":
        return placed(e, stored_dicts.shown(e, value), node, frame)
    return placed(e, read_through.shown(e, value), node, frame)
