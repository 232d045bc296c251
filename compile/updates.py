"""Assignment into arrays: `a[i] = v` and `a[i] += v` as new values of the names that stand for the array.

It is what Python does only if every name that sees the array gets the new value. Names of the same function that stand
for the very array do; if anything else may see its memory (an argument, a view, another function), it is refused.
"""

from __future__ import annotations

import ast
from typing import Any

from ccc.objects import Array
from ccc.primitives import indexing, updating
from compile.aliasing import OUTSIDE, memory, named
from compile.diagnostics import mismatch, unsupported
from compile.lam import Var
from compile.values import Frame, ListValue

Elaboration = Any


def is_array(value: Any) -> bool:
    """True for arrays of the program."""
    return isinstance(value, Var) and isinstance(value.object, Array) and value.object.axes != ()


def assign_item(e: Elaboration, target: ast.Subscript, array: Var, value: Any, frame: Frame) -> None:
    """`array[key] = value`."""
    pattern, numbers = e.pattern(e.expression(target.slice, frame), target, frame)
    write(e, target, array, pattern, numbers, value, frame)


def augment_item(e: Elaboration, node: ast.AugAssign, array: Var, frame: Frame) -> None:
    """`array[key] op= value`: the key is computed once, then the item is read, then the value computed."""
    target = node.target
    assert isinstance(target, ast.Subscript)
    pattern, numbers = e.pattern(e.expression(target.slice, frame), target, frame)
    e.recorder.span = e.span(target, frame)
    old = indexing.index(array, *numbers, pattern=pattern)
    value = e.operate(node.op, old, e.expression(node.value, frame), node, frame)
    write(e, target, array, pattern, numbers, value, frame)


def write(
    e: Elaboration, target: ast.Subscript, array: Var, pattern: tuple[str, ...], numbers: list[Any], value: Any,
    frame: Frame,
) -> None:
    """Give the new array to all names that stand for it."""
    text = ast.unparse(target.value)
    if not isinstance(target.value, ast.Name):
        raise unsupported("CC011", f"cannot assign into `{text}`", e.span(target, frame),
                          help="give the array a name first, and assign into that")
    names = [name for name, other in frame.env.items() if other is array]
    if not names:
        raise unsupported("CC011", f"cannot assign into `{text}`: it belongs to another function",
                          e.span(target, frame), help="return the new values, and assign where the array was made")
    check_alone(e, array, names, target, frame)
    value = e.leaf(value, target, frame) if isinstance(value, ListValue | tuple) else value
    if not isinstance(value, Var | int | float):
        raise mismatch("CC027", "only numbers and arrays can be assigned into an array", e.span(target, frame))
    e.recorder.span = e.span(target, frame)
    new = e.always(updating.set_at, (array, value, *numbers), pattern=pattern)
    new.name = array.name or names[0]
    e.updates.append((array, e.span(target, frame), f"{ast.unparse(target)} = ..."))
    for name in names:
        frame.env[name] = new


def check_alone(e: Elaboration, array: Var, names: list[str], target: ast.Subscript, frame: Frame) -> None:
    """Refuse where somebody else sees the memory of the array."""
    text = names[0]
    made, _ = memory(e, [array])
    if OUTSIDE in made:
        raise unsupported(
            "CC011", f"cannot assign into `{text}`: the caller sees that array", e.span(target, frame),
            help=f"`{text} = {text}.copy()` first; the gradient is then with respect to the original",
        )
    for other_frame, other, parts in named(e):
        if (other_frame is not frame or other not in names) and memory(e, parts)[0] & made:
            raise unsupported("CC010", f"cannot assign into `{text}`: it is also reachable as `{other}`",
                              e.span(target, frame), help=f"`{other} = {other}.copy()` where it gets its value")
