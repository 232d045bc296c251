"""Parts of records that the function made, and attributes of arrays, set to other values."""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import item_updates, updates
from ccc.compile.frontend.memory.exclusivity import change
from ccc.compile.frontend.parts import MISSING, class_attribute
from ccc.compile.frontend.values import AttributesValue, Frame, RecordValue, Unbound
from ccc.compile.program.lam import Var
from ccc.primitives import adaptors, arithmetic, creation, rearranging, shaping
from ccc.records import KEPT_ELSEWHERE, stands_before
from ccc.registered import registered


def put(e: Elaboration, owner: RecordValue, name: Any, value: Any, node: ast.AST, frame: Frame) -> None:
    """Set a part of a record that the function made; of the dict of its attributes, that of the object."""
    if isinstance(owner, AttributesValue) and isinstance(name, str):
        refuse_hidden(e, owner.now().cls, name, node, frame)
        owner = owner.owner
        if not isinstance(owner, RecordValue):
            from ccc.compile.frontend.memory import places

            places.put_field(e, owner, name, e.kept(value, node, frame), node, frame)
            return
    text = f"assigning `{name!r}` in a dict" if owner.cls is dict else f"assigning `.{name}` of `{owner.cls.__name__}`"
    if isinstance(value, Var) and owner.fields.get(name) is value:
        return
    if owner.whole is not None:
        item_updates.refuse_part(e, owner.whole, f"{text} would change", node, frame)
    value = e.kept(value, node, frame)
    change(e, owner, text, node, frame, value)
    if isinstance(value, Var) and not value.name:
        value.name = str(name)
    owner.fields[name] = value


def remove(e: Elaboration, owner: Any, target: ast.Attribute, frame: Frame) -> None:
    """`del owner.name` of an object that the function made."""
    name = target.attr
    own = isinstance(owner, RecordValue) and owner.whole is None and name in owner.fields and not isinstance(
        owner.fields[name], Unbound) and class_attribute(owner.cls, "__delattr__") is MISSING and not stands_before(
        class_attribute(owner.cls, name)) and registered(owner.cls) is None
    if not own:
        raise unsupported("CC003", "`del` is supported for items of dicts and lists, and for attributes of objects "
                          "that the function makes", e.place(target, frame), help="assign what it is from then on")
    change(e, owner, f"deleting `.{name}` of `{owner.cls.__name__}`", target, frame)
    e.heap.write(owner, {key: part for key, part in owner.fields.items() if key != name})


def refuse_hidden(e: Elaboration, cls: type, name: str, node: ast.AST, frame: Frame | None) -> None:
    """Refuse an attribute that the class asks a descriptor for: what reads it finds what the descriptor gives."""
    if stands_before(class_attribute(cls, name)):
        raise unsupported("CC003", f"`.{name}` of `{cls.__name__}` would stand behind a descriptor of that name",
                          e.place(node, frame), help=KEPT_ELSEWHERE)


INSTEAD = {"shape": "write `a = a.reshape(...)`", "dtype": "write `a = a.astype(...)`"}


def put_of_array(e: Elaboration, owner: Var, name: str, value: Any, node: ast.Attribute, frame: Frame) -> None:
    """`a.flat = values`, which are repeated as often as there is room, and `a.real = values`."""
    if name == "real":
        updates.write(e, owner, updates.WHOLE, value, node, node.value, frame)
        return
    if name != "flat":
        raise unsupported("CC011", f"cannot assign to the attribute `.{name}` of an array", e.place(node, frame),
                          help=INSTEAD.get(name, "assign to a name"))
    entries, given = shaping.flat(owner), adaptors.np_ravel(e.leaf(value, node, frame))
    turns = arithmetic.mod(creation.arange(shaping.size(entries)), shaping.size(given))
    updates.write(e, entries, updates.WHOLE, rearranging.take(given, turns), node, node, frame)
