"""Recursive functions: a λ of the program that calls itself, its types brought to a fixed point.

A function is inlined until it is entered within itself at arguments of the same types; then the outer activation starts
again as a λ whose parameters have the joined types. What a call within it gives is unknown at first: such a call has no
value (`Bottom`), and a branch that meets it takes the type of the other arm. The types found so are assumed in the next
pass, until they hold.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.objects import Exponential, Object, Product, join
from compile.diagnostics import mismatch, unsupported
from compile.lam import Block, Call, Lambda, Let, Var, free_variables
from compile.records import parts_in, remade, same_names
from compile.values import Frame, atom_of

Elaboration = Any
PASSES = 12
UNROLLED = 3  # activations of one function within itself before known numbers among its arguments become parameters


class Bottom(Exception):
    """A recursive call whose type is not known yet."""


class Restart(Exception):
    """An activation turned out to be recursive, or its parameters wider than assumed."""

    def __init__(self, activation: Activation, objects: list[Object]) -> None:
        super().__init__()
        self.activation = activation
        self.objects = objects


class Activation:
    """A function being elaborated: its key, its arguments, and, once it is a λ, the variable and the assumed result."""

    __slots__ = ("function", "given", "key", "name", "objects", "result")

    def __init__(self, key: Any, name: str, given: dict[str, Any]) -> None:
        self.key = key
        self.name = name
        self.given = given
        self.function: Var | None = None
        self.objects: list[Object] = objects_in(given)
        self.result: Any = None


def leaves_of(value: Any) -> list[Any]:
    """The numbers, arrays and lists in a value that can be parameters."""
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves_of(part)]
    parts = parts_in(value)
    if parts is not None:
        return [leaf for part in parts for leaf in leaves_of(part)]
    return [value] if is_leaf(value) else []


def is_leaf(value: Any) -> bool:
    return isinstance(value, Var) or (isinstance(value, int | float) and not isinstance(value, bool))


def objects_in(given: dict[str, Any]) -> list[Object]:
    return [atom_of(leaf).object for leaf in leaves_of(given)]


def rebuilt(value: Any, leaves: Any) -> Any:
    """A value with its leaves replaced in order."""
    if isinstance(value, dict):
        return {key: rebuilt(part, leaves) for key, part in value.items()}
    parts = parts_in(value)
    if parts is not None:
        return remade(value, [rebuilt(part, leaves) for part in parts], "another call")
    return next(leaves) if is_leaf(value) else value


def alike(a: Any, b: Any) -> bool:
    """True for values that differ in numbers, arrays and lists alone."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(alike(a[key], b[key]) for key in a)
    parts, others = parts_in(a), parts_in(b)
    if parts is not None or others is not None:
        if parts is None or others is None or not same_names(a, b):
            return False
        return len(parts) == len(others) and all(map(alike, parts, others))
    if is_leaf(a) or is_leaf(b):
        return is_leaf(a) and is_leaf(b)
    return a is b or (isinstance(a, str | bool) and a == b)


def entered(
    e: Elaboration, key: Any, name: str, given: dict[str, Any], body: Callable[[dict[str, Any]], Any], node: ast.AST,
    frame: Frame | None, outermost: Block,
) -> Any:
    """The result of a function: inlined, or a call of a λ where it is recursive; `outermost` is the block that it would
    be defined in."""
    active = [a for a in e.active if a.key == key]
    for activation in active:
        if activation.function is not None and alike(activation.given, given):
            return called_within(e, activation, given)
    same = [a for a in active if alike(a.given, given)]
    if len(same) >= UNROLLED or any(repeats(activation, given) for activation in same):
        raise Restart(same[0], joined(same[0].objects, objects_in(given), name, e.place(node, frame)))
    if len(active) >= 4 * UNROLLED:
        raise unsupported("CC003", f"`{name}` calls itself with ever new functions or structures", e.place(node, frame),
                          help="pass numbers, arrays or lists, or write it as a loop")
    activation = Activation(key, name, given)
    block, start = e.recorder.block, len(e.recorder.block.lets)
    depth, frames = len(e.active), len(e.frames)
    e.active.append(activation)
    done = False
    e.heap.begin_attempt()
    try:
        found = body(given)
        done = True
        return found
    except Restart as restart:
        e.heap.end_attempt(undo=True)
        e.heap.begin_attempt()
        if restart.activation is not activation:
            raise
        del e.active[depth:], e.frames[frames:], block.lets[start:]
        e.recorder.block = block
        return recursive(e, activation, restart.objects, body, node, frame, outermost)
    finally:
        e.heap.end_attempt(undo=not done)
        del e.active[depth:]


def repeats(activation: Activation, given: dict[str, Any]) -> bool:
    """True where a call has the types of an activation around it, none of whose arguments is a known number."""
    known = [leaf for leaf in leaves_of(activation.given) if not isinstance(leaf, Var)]
    return not known and activation.objects == objects_in(given)


def joined(a: list[Object], b: list[Object], name: str, where: Any) -> list[Object]:
    """The joined types of two lists of arguments."""
    found = [join(x, y) for x, y in zip(a, b, strict=True)]
    if None in found:
        i = found.index(None)
        raise mismatch("CC006", f"`{name}` calls itself at arguments of types that have nothing in common: {a[i]} and "
                                f"{b[i]}", where)
    return [x for x in found if x is not None]


def called_within(e: Elaboration, activation: Activation, given: dict[str, Any]) -> Any:
    """A recursive call from inside the λ."""
    objects = objects_in(given)
    wide = joined(activation.objects, objects, activation.name, e.recorder.span)
    if wide != activation.objects:
        raise Restart(activation, wide)
    if activation.result is None:
        raise Bottom
    return call(e, activation, given)


def call(e: Elaboration, activation: Activation, given: dict[str, Any]) -> Any:
    """A call of the λ: fresh variables of the assumed types for the result."""
    assert activation.function is not None
    let = e.recorder.emit(Call(), [activation.function, *[atom_of(leaf) for leaf in leaves_of(given)]])
    template, objects = activation.result
    return rebuilt(template, iter([e.recorder.target(let, "", a) for a in objects]))


def recursive(
    e: Elaboration, outer: Activation, objects: list[Object], body: Callable[[dict[str, Any]], Any], node: ast.AST,
    frame: Frame | None, outermost: Block,
) -> Any:
    """Elaborate a recursive function as a λ, and call it."""
    activation = Activation(outer.key, outer.name, outer.given)
    activation.objects = objects
    home = e.recorder.block
    depth, frames = len(e.active), len(e.frames)
    for _ in range(PASSES):
        block = Block("function", home)
        names = parameter_names(activation.given)
        params = [e.recorder.param(block, name, a) for name, a in zip(names, activation.objects, strict=True)]
        let = Let(Lambda(block), [], e.place(node, frame))
        activation.function = let.target(activation.name, Exponential(Product(()), Product(())), home)
        activation.function.base = e.recorder
        e.active.append(activation)
        known = len(e.updates)
        try:
            value = e.inside(block, lambda params=params: body(rebuilt(activation.given, iter(params))))
        except Restart as restart:
            if restart.activation is not activation:
                raise
            activation.objects = restart.objects
            continue
        except Bottom:
            raise mismatch("CC005", f"`{activation.name}` never returns without calling itself", e.place(node, frame),
                           help="return a value for the smallest argument first") from None
        finally:
            del e.active[depth:], e.frames[frames:]
            e.recorder.block = home
        if e.heap.changed(block):
            raise unsupported("CC011", f"the recursive function `{activation.name}` changes an object or a list",
                              e.place(node, frame), help="return new ones")
        found = [atom_of(leaf).object for leaf in leaves_of(value)]
        assumed, before = activation.result or (None, [])
        settled = activation.result is not None and alike(assumed, value)
        wide = joined(before, found, activation.name, e.place(node, frame)) if settled else found
        if settled and wide == before:
            block.results = [atom_of(leaf) for leaf in leaves_of(value)]
            activation.function.object = Exponential(_bare(activation.objects), _bare(wide))
            around = list(outermost.ancestors())
            captured = [v for v in free_variables(block, {}) if v is not activation.function]
            if all(v.home in around for v in captured):
                home = outermost
            activation.function.home = block.parent = home
            home.lets.append(let)
            return call(e, activation, outer.given)
        del e.updates[known:]
        activation.result = (value, wide)
    raise mismatch("CC006", f"the types of `{activation.name}` do not settle", e.place(node, frame),
                   help="give its arguments and its result one type")


def parameter_names(given: dict[str, Any]) -> list[str]:
    return [name for name, value in given.items() for _ in leaves_of(value)]


def _bare(objects: list[Object]) -> Object:
    return objects[0] if len(objects) == 1 else Product(tuple(objects))

