"""Where two branches meet: one value for both, and the let that chooses."""

from __future__ import annotations

import ast
from typing import Any

from ccc.objects import Object, join as join_objects
from compile.diagnostics import mismatch
from compile.lam import Block, Branch, Let, Tree, Var
from compile.values import ChoiceValue, ClosureValue, Frame, ListValue, atom_of, is_function

Elaboration = Any


def join(
    e: Elaboration, test: Var, then: tuple[Block, Any], orelse: tuple[Block, Any], node: ast.AST, frame: Frame
) -> Any:
    """The value `then[1]` or `orelse[1]` by the test; what is the same in both needs no choice."""
    blocks = (then[0], orelse[0])
    let = Let(Branch(*blocks), [test], e.span(node, frame))

    def merge(a: Any, b: Any) -> Any:
        if a is b:
            return a
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
            return tuple([merge(x, y) for x, y in zip(a, b, strict=True)])
        if isinstance(a, ListValue) and isinstance(b, ListValue) and len(a.items) == len(b.items):
            return ListValue([merge(x, y) for x, y in zip(a.items, b.items, strict=True)])
        if is_function(a) and is_function(b):
            return ChoiceValue(test, a, b)
        if not isinstance(a, Var) and not isinstance(b, Var) and type(a) is type(b):
            if isinstance(a, ClosureValue | ListValue | tuple):
                pass
            elif a == b and not (isinstance(a, float) and (a == 0 or a != a)):
                return a
        if isinstance(a, Var | int | float) and isinstance(b, Var | int | float):
            atoms = atom_of(a), atom_of(b)
            wide = join_objects(atoms[0].object, atoms[1].object)
            if wide is not None:
                blocks[0].results.append(atoms[0])
                blocks[1].results.append(atoms[1])
                var = let.target(_common_name(a, b), wide, e.recorder.block)
                var.base = e.recorder
                return var
        raise mismatch(
            "CC006", "branches give different types", e.span(node, frame),
            f"one gives {_described(a)}", f"the other gives {_described(b)}", help="return the same shape from both",
        )

    result = merge(then[1], orelse[1])
    e.recorder.block.lets.append(let)
    return result


def _common_name(a: Any, b: Any) -> str:
    names = {x.name for x in (a, b) if isinstance(x, Var)}
    return names.pop() if len(names) == 1 else ""


def _described(value: Any) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_described, value))})"
    if isinstance(value, ListValue):
        return f"a list of {len(value.items)}"
    if isinstance(value, Var):
        return str(value.object)
    if is_function(value):
        return "a function"
    return "None" if value is None else str(atom_of(value).object)


def result_tree(e: Elaboration, value: Any, source: Any) -> Tree:
    """The result of a program as a tree of atoms."""
    if isinstance(value, tuple):
        return tuple([result_tree(e, part, source) for part in value])
    if isinstance(value, ListValue):
        from ccc.primitives import structure

        return e.always(structure.listing, tuple([_atom(e, v) for v in value.items]))
    if isinstance(value, Var):
        return value
    if value is None or isinstance(value, str) or is_function(value):
        return FunctionLeaf(value) if is_function(value) else atom_of(value)
    return atom_of(value)


def _atom(e: Elaboration, value: Any) -> Any:
    from ccc.primitives import structure

    if isinstance(value, tuple):
        return e.always(structure.pack, tuple([_atom(e, v) for v in value]))
    if isinstance(value, ListValue):
        return e.always(structure.listing, tuple([_atom(e, v) for v in value.items]))
    return value


class FunctionLeaf:
    """A function in the result of a program: a higher-order boundary."""

    __slots__ = ("function", "object")

    def __init__(self, function: Any) -> None:
        self.function = function
        from ccc.objects import UNIT, Exponential

        self.object: Object = Exponential(UNIT, UNIT)
