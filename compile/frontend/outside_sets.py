"""Sets that stand outside of a function: their items are known while it is read, as long as the sets hold these.

A program that was read so holds for calls that find the same items, of the same classes, in the same order. A function
that changes such a set as well is refused: what it would find there is known to a run alone.
"""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.diagnostics import CompileError, unsupported
from ccc.compile.frontend.captures import Fixed, Within
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.guards import Guard
from ccc.compile.frontend.values import Frame


def is_plain(x: Any) -> bool:
    """True for numbers, texts, None and tuples of them, which are what they are."""
    return all(map(is_plain, x)) if type(x) is tuple else x is None or type(x) in (bool, int, float, str)


def is_of_plain(value: Any) -> bool:
    """True for a set from outside that holds such things alone."""
    return type(value) is set and all(map(is_plain, value))


def told_apart(x: Any) -> Any:
    """What equal things differ in that a set holds: their classes, and the signs of zeros.

    >>> told_apart(1) == told_apart(True), told_apart((0.0,)) == told_apart((-0.0,)), told_apart(1.5) == told_apart(2.5)
    (False, False, True)
    """
    if type(x) is tuple:
        return tuple([told_apart(part) for part in x])
    return type(x) if type(x) is not float or x else repr(x)


def in_order(of: set[Any], _: None) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The items of a set in its order, and what equal ones would differ in.

    >>> in_order({3}, None)
    ((3,), (<class 'int'>,))
    """
    return tuple(of), tuple([told_apart(x) for x in of])


def items_of(e: Elaboration, of: set[Any], node: ast.AST | None, frame: Frame | None) -> tuple[Any, ...]:
    """The items of a set, which a call has to find there."""
    if (id(of), "changed") in e.outside_values:
        raise refusal(e, node, frame)
    read = Within(Fixed(of), in_order, None)
    found = read(e.root)
    e.guards[id(of), "items"] = Guard(read, found)
    return found[0]


def changing(e: Elaboration, of: set[Any], node: ast.AST, frame: Frame | None) -> None:
    """Note that the program changes a set when it runs."""
    if (id(of), "items") in e.guards:
        raise refusal(e, node, frame)
    e.outside_values[id(of), "changed"] = of


def refusal(e: Elaboration, node: ast.AST | None, frame: Frame | None) -> CompileError:
    where = e.recorder.span if node is None else e.place(node, frame)
    return unsupported("CC011", "a set from outside is asked, and is changed in the same function", where,
                       help="pass the set as an argument")
