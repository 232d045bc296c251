"""Parts of records that the function made, set to other values."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import exclusivity, item_updates
from ccc.compile.frontend.memory.exclusivity import change
from ccc.compile.frontend.values import Frame, RecordValue
from ccc.compile.program.lam import Var


def put(e: Elaboration, owner: RecordValue, name: Any, value: Any, node: ast.AST, frame: Frame) -> None:
    """Set a part of a record that the function made."""
    text = f"assigning `{name!r}` in a dict" if owner.cls is dict else f"assigning `.{name}` of `{owner.cls.__name__}`"
    if isinstance(value, Var) and owner.fields.get(name) is value:
        return
    if owner.whole is not None and item_updates.put(e, owner.whole, name, value, f"{text} would change", node, frame):
        return
    value = e.kept(value, node, frame)
    exclusivity.refuse_copies(e, owner, f"{text} would change", node, frame)
    change(e, owner, text, node, frame)
    if isinstance(value, Var) and not value.name:
        value.name = str(name)
    owner.fields[name] = value
