"""Lists: where they were made, what holds them, and what they hold.

A list of the program is traced back to what made it, so two that may be one list are known to be so.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from ccc.compile.diagnostics import CompileError, mismatch, unsupported
from ccc.compile.frontend import interrupts
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.iterables import known_items
from ccc.compile.frontend.iterator_values import is_in_turn
from ccc.compile.frontend.memory import aliasing
from ccc.compile.frontend.memory.aliasing import OUTSIDE, named, rename
from ccc.compile.frontend.parts import seal
from ccc.compile.frontend.values import Frame, ListValue, Mutable
from ccc.compile.program.lam import Apply, Let, Var
from ccc.compile.program.sharing import memory_of
from ccc.objects import Coproduct, List, Map, Product
from ccc.primitives import effects
from ccc.primitives.facts import SIZES

# -- who sees a list ---------------------------------------------------------------------------------------------


def roots(e: Elaboration, values: Iterable[Any]) -> set[Any]:
    """Where the lists in values were made, those inside of lists too."""
    return traced(e, values)[0]


def own_roots(e: Elaboration, values: Iterable[Any]) -> tuple[set[Any], set[Var]]:
    """Where lists themselves were made, without the lists inside, and all variables on the way."""
    return traced(e, values, whole=False)


def traced(e: Elaboration, values: Iterable[Any], whole: bool = True) -> tuple[set[Any], set[Var]]:
    """Where the lists in values were made, and all variables on the way."""
    def of_item(var: Var, origin: Any) -> tuple[set[Any], set[Var]] | None:
        along = not whole and is_of_program(origin) and origin.object != var.object and holds_list(origin.object.item)
        return traced(e, [origin]) if along else None

    return aliasing.traced(e, values, holds_list, lambda var, let: made_by(e, var, let, whole), (), of_item)


def made_by(e: Elaboration, var: Var, let: Let, whole: bool) -> tuple[set[Any], list[Any]]:
    """Where the lists in what a primitive gives were made, as far as it says, and the arguments that they are in."""
    if not isinstance(let.op, Apply):
        return {var}, aliasing.gathered(var, let) if whole else []
    memory = memory_of(let.op)  # type: ignore[arg-type]
    given = [a for i, a in enumerate(let.args) if memory.reaches(i)]
    if isinstance(var.object, List) and memory.goes_on:
        return set(), given if whole else [let.args[memory.of[0]]]
    if isinstance(var.object, List) and memory.is_new and let.application.primitive.work != SIZES:
        return {var}, given if whole and holds_list(var.object.item) else []
    if not memory.passes_on:
        return {OUTSIDE}, let.args
    taken = memory.how == "out of" and any(isinstance(a.object, (List, Map)) for a in given)
    return roots(e, given) if taken and not whole else set(), given


def holds_list(a: Any) -> bool:
    """True for lists, and for tuples, objects and values of one of several kinds that hold one."""
    if isinstance(a, Map):
        return holds_list(a.item)
    inside = a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else ()
    return isinstance(a, List) or any(map(holds_list, inside))


def made_here(e: Elaboration, xs: Var, what: str, text: str, where: Any) -> set[Any]:
    """Where a list was made that changes under a name. Raises `Borrowed` for one that a nested function was given, and
    a refusal for one that the caller sees."""
    made, way = own_roots(e, [xs])
    if way & e.versions.borrowed:
        raise interrupts.Borrowed
    if OUTSIDE in made:
        e.lent.changing(way)
        raise unsupported("CC011", f"{what} `{text}`: the caller sees that list", where,
                          help=f"`{text} = list({text})` first")
    return made


def is_made(e: Elaboration, xs: Var) -> bool:
    """True for a list that an expression made, to which no name leads."""
    made = own_roots(e, [xs])[0]
    return OUTSIDE not in made and not any(
        part is xs or own_roots(e, [part])[0] & made
        for _, _, parts in named(e) for part in parts if isinstance(part, Var) and isinstance(part.object, List))


def read_before(what: str, text: str, where: Any) -> CompileError:
    """The refusal to change a list that the expression under way has read."""
    return unsupported("CC010", f"{what} `{text}`: another part of the statement, read before, stands for it too",
                       where, help="read it in a statement of its own")


def give(e: Elaboration, old: Var, new: Var, frame: Frame, reachable: Callable[[str], Exception]) -> None:
    """Give a new list to the names, lists and objects that hold an old one; what else leads to the old one, or is
    visible elsewhere, is refused."""
    for other, name, parts in list(named(e)):
        if other.env[name] is old:
            rename(e, other, name, new, frame)
            continue
        for owner in [part for part in parts if isinstance(part, Mutable)]:
            for key in [key for key, value in keyed_parts(owner) if value is old]:
                if owner.shared:
                    raise reachable(name)
                put_part(e, owner, key, new)
    for _, name, parts in named(e):
        if any(part is old for part in parts):
            raise reachable(name)


def keyed_parts(owner: Mutable) -> list[tuple[Any, Any]]:
    """The parts of a list or record by position or name."""
    return list(enumerate(owner.items) if isinstance(owner, ListValue) else owner.contents().items())


def put_part(e: Elaboration, owner: Mutable, key: Any, value: Any) -> None:
    """Give one part of a list or record another value."""
    contents = owner.contents()
    contents[key] = value
    e.heap.write(owner, contents)


def is_of_program(value: Any) -> bool:
    """True for lists of the program, whose length is not known."""
    return isinstance(value, Var) and isinstance(value.object, List)


def as_item(e: Elaboration, value: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value as an item of a list of the program."""
    seal(value)
    found = e.item(value, node, frame)
    if isinstance(found, str):  # which the other items need not be
        found = e.always(effects.text, (), form=(found,))
    if not isinstance(found, Var | int | float | None):
        raise no_item(value, e.place(node, frame))
    return found


def kept_items(e: Elaboration, more: Any, node: ast.AST, frame: Frame) -> list[Any] | None:
    """The items that a list takes at once, as it keeps them, where they are known one by one."""
    items = known_items(more)
    return items and [e.handlers.iterator(e, item, node, frame) for item in items]


def no_item(value: Any, where: Any) -> CompileError:
    """The refusal of an item of a list of the program that no type holds."""
    return mismatch("CC006", f"{described(value)} cannot be an item of a list here", where,
                    help="collect numbers, arrays, lists, tuples and records of them")


def is_list(value: Any) -> bool:
    """True for lists."""
    return isinstance(value, ListValue) or (isinstance(value, Var) and isinstance(value.object, List))


def refuse_part(e: Elaboration, more: Any, node: ast.AST, frame: Frame) -> None:
    """Refuse to extend a list in a `try` by what may raise after some items: Python has put these there by then."""
    if e.attempts.active and is_in_turn(more):
        raise unsupported("CC003", "a list is extended in a `try` by a generator that may raise", e.span(node, frame),
                          "Python keeps the items before", help="write a loop that appends each")
