"""Parts of arguments that `wrt` names by a path: `"params.w"`, `"p['w']"`, `"layers[0].b"`.

>>> parsed("net.layers[-1]")
('net', (Step(key='layers', attribute=True), Step(key=-1, attribute=False)))
>>> list(map(str, labels({"w": 1.0, "b": 2.0})))
["['w']", "['b']"]
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from ccc.compile.diagnostics import WrongArguments, nearest
from ccc.compile.frontend.values import ListValue, RecordValue
from ccc.compile.program.lam import Node, Var
from ccc.compile.terms.wanted import Step, Steps, object_at, position, text_of
from ccc.objects import Array, List, Object, Product, Record
from ccc.records import is_keyed, taken_apart

SHOWN = 6
"""So many paths are listed where none is near."""
KNOWN = 200
"""Among so many the nearest is looked for."""


def parsed(text: str) -> tuple[str, Steps]:
    """The parameter that a path begins at, and the steps from there.

    Raises `WrongArguments` for what is no path.
    """
    if text.isidentifier():
        return text, ()
    steps: list[Step] = []
    try:
        node: ast.expr = ast.parse(text, mode="eval").body
        while not isinstance(node, ast.Name):
            if isinstance(node, ast.Attribute):
                steps.append(Step(node.attr, True))
                node = node.value
            elif isinstance(node, ast.Subscript):
                steps.append(Step(ast.literal_eval(node.slice)))
                node = node.value
            else:
                raise ValueError(text)
    except (SyntaxError, ValueError):
        if "." not in text and "[" not in text:
            return text, ()  # a name that Python's grammar has not: `rest[0]` of a call is found before
        raise WrongArguments(f"wrt={text!r} is no path to a part of an argument",
                             help="write names, indices and keys: \"params.w\", \"p['w']\", \"layers[0]\"") from None
    return node.id, tuple(reversed(steps))


def labels(value: Any) -> list[Step] | None:
    """The steps that lead from a value, of the caller or of a program, or from its object to its parts; None where any
    index may."""
    if isinstance(value, Var):
        return labels(value.object)
    if isinstance(value, Object):
        if isinstance(value, Record):
            return [Step(name, not is_keyed(value.cls)) for name in value.names]
        if isinstance(value, Product):
            return [Step(i) for i, _ in enumerate(value.parts)]
        return None if isinstance(value, List) else []
    if isinstance(value, (RecordValue, Node)):
        names: Sequence[Any] = tuple(value.fields) if isinstance(value, RecordValue) else value.names
        return [Step(name, not is_keyed(value.cls)) for name in names]
    if isinstance(value, ListValue):
        return [Step(i) for i, _ in enumerate(value.items)]
    if type(value) is tuple or type(value) is list:
        return [Step(i) for i, _ in enumerate(value)]  # type: ignore[reportUnknownArgumentType]
    found = taken_apart(value)
    return [] if found is None else [Step(name, not is_keyed(found[0])) for name in found[1]]


def part(value: Any, step: Step) -> Any:
    """A part of such a value, or its object."""
    if isinstance(value, Var):
        return part(value.object, step)
    if isinstance(value, Object):
        return object_at(value, (step,))
    if isinstance(value, RecordValue):
        return value.fields[step.key]
    if isinstance(value, ListValue):
        return value.items[step.key]
    if isinstance(value, Node):
        return value[position(value.names, step)]
    return getattr(value, step.key) if step.attribute else value[step.key]


def has(value: Any, step: Step) -> bool:
    """Whether a step leads anywhere; where parts are known by position, from the end also."""
    known = labels(value)
    if known is None:
        return isinstance(step.key, int) and not step.attribute
    if step in known:
        return True
    ordered = isinstance(value, (tuple, list, ListValue, Product)) and not step.attribute
    return ordered and type(step.key) is int and -len(known) <= step.key < len(known)


def paths(value: Any, name: str) -> list[str]:
    """The paths that there are, the short ones first."""
    found: list[str] = []
    todo = [(value, name)]
    while todo and len(found) < KNOWN:
        here, path = todo.pop(0)
        for step in labels(here) or ():
            found.append(path + str(step))
            todo.append((part(here, step), found[-1]))
    return found


def refuse_missing(value: Any, name: str, steps: Steps) -> None:
    """Refuse a path that leads nowhere, by the nearest that leads somewhere."""
    here: Any = value
    for i, step in enumerate(steps):
        at = text_of(name, steps[:i])
        if not has(here, step):
            text = text_of(name, steps)
            if is_array(here):
                raise WrongArguments(f"wrt={text!r}: `{at}` is an array, of which entries are no parts",
                                     help=f"write {at!r}, and take `{step}` of the gradient")
            known = paths(value, name)
            listed = ", ".join([f'"{p}"' for p in known[:SHOWN]]) + (", ..." if len(known) > SHOWN else "")
            close = nearest(text, known, f"name one of {listed}" if known else f"write {name!r}: it has no parts")
            raise WrongArguments(f"wrt={text!r}: `{at}` has no part `{step}`", help=close.replace("`", '"'))
        here = part(here, step)


def is_array(value: Any) -> bool:
    """True for arrays, also of a program."""
    return isinstance(value, (np.ndarray, Array)) or (isinstance(value, Var) and is_array(value.object))


def item_of(x: Any, key: Any) -> Any:
    return x[key]


def attribute_of(x: Any, name: str) -> Any:
    return getattr(x, name)


def reach_inside(e: Any, value: Any, steps: Steps, node: ast.AST, frame: Any) -> Any:
    """The part of a value of a program."""
    for step in steps:
        value = e.call(attribute_of if step.attribute else item_of, [value, step.key], {}, node, frame)
    return value
