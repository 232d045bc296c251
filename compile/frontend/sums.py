"""Values of tagged sums while a function is elaborated: what a test says about one, and what is done to each.

A variable of a sum type stands for one of several records, None or a number. Behind a test (`isinstance(t, Leaf)`,
`t is None`, a pattern) fewer alternatives are left; where one is left the variable is that record, None or number. What
is done to a value that may still be one of several becomes a branch, in which an alternative that cannot do it raises
what Python would raise.
"""

from __future__ import annotations

import ast
import contextlib
import types
from collections.abc import Callable, Iterable
from typing import Any

from ccc.compile.diagnostics import UnsupportedPython
from ccc.compile.frontend import boxed
from ccc.compile.frontend.records import MISSING, class_attribute, shaped
from ccc.compile.frontend.values import (
    ChoiceValue,
    ClosureValue,
    Frame,
    ListValue,
    RecordValue,
    SumMethod,
    TypeValue,
    is_function,
)
from ccc.compile.program.lam import Apply, Block, Branch, Lit, Node, Var
from ccc.coproducts import NONE, NoSum, alternatives, sum_of, tag_of
from ccc.objects import BOOL, Array, Bool, Coproduct, Int, List, Object, Product, Real, Record, Static
from ccc.objects_of_values import object_of
from ccc.primitives import arithmetic, effects, structure, sums
from ccc.recursive_classes import group_of

Elaboration = Any
Use = Callable[[Any], Any]
PART = "the structure that it is part of"


def is_sum(value: Any) -> bool:
    """True for a variable of a sum type."""
    return isinstance(value, Var) and isinstance(value.object, Coproduct)


# -- which alternatives are left ---------------------------------------------------------------------------------


def place_of(var: Var) -> Any:
    """A key that is equal for variables which are the same part of the same variable."""
    names: list[Any] = []
    while True:
        let = var.definition
        p = let.op.primitive if let is not None and isinstance(let.op, Apply) else None
        if let is None or p not in (structure.field, structure.part, sums.project) or not isinstance(let.args[0], Var):
            return (var, *names) if names else var
        names.append(tuple(let.op.params.items()))  # type: ignore[attr-defined]
        var = let.args[0]


class Facts:
    """What is known in each block of the sums that it sees: the tags that are left, and the one alternative, opened;
    and the objects that it takes apart."""

    def __init__(self) -> None:
        self.left: dict[Block, dict[Any, set[Any]]] = {}
        self.opened: dict[Block, dict[Any, Any]] = {}
        self.outcomes: dict[Block, dict[Var, bool]] = {}
        self.objects: dict[Block, dict[Var, Any]] = {}

    def saved(self, block: Block) -> Any:
        """What is known in a block, to be restored where it is elaborated again."""
        return [dict(known.get(block, {})) for known in (self.left, self.opened, self.outcomes, self.objects)]

    def restore(self, block: Block, saved: Any) -> None:
        self.left[block], self.opened[block], self.outcomes[block], self.objects[block] = saved

    def object(self, block: Block, var: Var, taken_apart: Callable[[Var], Any]) -> Any:
        """An object of the program with its parts, which are read where it is seen first."""
        for around in block.ancestors():
            found = self.objects.get(around, {}).get(var)
            if found is not None:
                return found
        found = self.objects.setdefault(block, {})[var] = taken_apart(var)
        return found


def left(e: Elaboration, var: Var) -> dict[Any, Object]:
    """The alternatives that a sum may still be here."""
    found = alternatives(var.object)  # type: ignore[arg-type]
    place = place_of(var)
    for block in e.recorder.block.ancestors():
        tags = e.facts.left.get(block, {}).get(place)
        if tags is not None:
            found = {tag: a for tag, a in found.items() if tag in tags}
    return found


def narrowed(e: Elaboration, var: Var) -> Any:
    """The alternative that is left of a sum, or the sum itself where there are several."""
    place = place_of(var)
    for block in e.recorder.block.ancestors():
        known = e.facts.opened.get(block, {}).get(place)
        if known is not None:
            return known[0]
    found = left(e, var)
    if len(found) != 1:
        return var
    (a,) = found.values()
    value = opened(e, var, a)
    e.facts.opened.setdefault(e.recorder.block, {})[place] = (value,)
    return value


def opened(e: Elaboration, var: Var, a: Object) -> Any:
    """A sum as one of its alternatives."""
    from ccc.compile.frontend.loops import opened as taken_apart

    if a == NONE:
        return None
    inside = sums.project(var, of=a)
    if not isinstance(a, Record):
        return taken_apart(inside)
    parts: list[Any] = []
    for i, (name, part) in enumerate(zip(a.names, a.parts, strict=True)):
        if isinstance(part, Static):
            parts.append(part.value)
        else:
            parts.append(taken_apart(structure.field(inside, cls=a.cls, name=name, index=i)))
    value: Any = shaped(a, parts, PART)
    if isinstance(value, RecordValue | Node | ClosureValue):
        value.whole = var  # type: ignore[reportAttributeAccessIssue]
    return value


def assume(e: Elaboration, test: Any, truth: bool) -> None:
    """In the current block a test has this outcome."""
    if isinstance(test, Var):
        e.facts.outcomes.setdefault(e.recorder.block, {}).update(following(test, truth))
        for var, tags in allowed(test, truth).items():
            known, place = e.facts.left.setdefault(e.recorder.block, {}), place_of(var)
            known[place] = known[place] & tags if place in known else tags
            if var.home in e.recorder.block.ancestors():
                narrowed(e, var)


def following(test: Any, truth: bool) -> dict[Var, bool]:
    """The tests that have a known outcome where one has: those under `not`, `and`, `or`."""
    found: dict[Var, bool] = {}
    todo = [(test, truth)]
    while todo:
        test, truth = todo.pop()
        if not isinstance(test, Var):
            continue
        found[test] = truth
        let = test.definition
        if let is not None and isinstance(let.op, Branch):
            i = let.targets.index(test)
            arms = [block.results[i] if i < len(block.results) else None for block in let.op.blocks]
            for arm, other, outcome in zip(arms, arms[::-1], (True, False), strict=True):
                if (isinstance(other, Lit) and other.value is (not truth)) or (
                        other is let.args[0] and outcome is truth):  # the test is false there
                    todo += [(let.args[0], outcome), (arm, truth)]
        elif let is not None and isinstance(let.op, Apply) and let.op.primitive is arithmetic.logical_not:
            todo.append((let.args[0], not truth))
    return found


def holds(e: Elaboration, test: Var) -> bool | None:
    """Whether a test is true where the program is now; None where that is not known."""
    for block in e.recorder.block.ancestors():
        known = e.facts.outcomes.get(block, {}).get(test)
        if known is not None:
            return known
    let = test.definition
    if let is not None and isinstance(let.op, Apply) and let.op.primitive is arithmetic.logical_not:
        found = holds(e, let.args[0]) if isinstance(let.args[0], Var) else None
        return None if found is None else not found
    return None


def allowed(test: Any, truth: bool) -> dict[Var, set[Any]]:
    """The tags that sums may have where a test has this outcome."""
    let = test.definition if isinstance(test, Var) else None
    if let is None:
        return {}
    if isinstance(let.op, Branch):
        i = let.targets.index(test)
        then, orelse = [block.results[i] for block in let.op.blocks]
        if isinstance(orelse, Lit) and orelse.value is False:  # `and`
            return meeting(let.args[0], then, truth)
        if isinstance(then, Lit) and then.value is True:  # `or`
            return meeting(let.args[0], orelse, truth, either=True)
        return {}
    if not isinstance(let.op, Apply):
        return {}
    p = let.op.primitive
    if p is arithmetic.logical_not:
        return allowed(let.args[0], not truth)
    if p is arithmetic.bit_or:
        return meeting(let.args[0], let.args[1], truth, either=True)
    var = let.args[0] if let.args else None
    tag = {sums.is_number: "number", sums.is_array: "array"}.get(p)
    tag = let.args[1].value if p is sums.is_type and isinstance(let.args[1], Lit) else tag
    if tag is None or not isinstance(var, Var) or not isinstance(var.object, Coproduct):
        return {}
    return {var: {t for t in alternatives(var.object) if (t == tag) is truth}}


def meeting(a: Any, b: Any, truth: bool, either: bool = False) -> dict[Var, set[Any]]:
    """What both of two tests say where both have the outcome, or what they agree on where one has."""
    first, second = allowed(a, truth), allowed(b, truth)
    if truth is not either:
        return {v: first.get(v, second.get(v, set())) & second.get(v, first.get(v, set())) for v in {**first, **second}}
    return {v: first[v] | second[v] for v in first if v in second}


def test_of(e: Elaboration, var: Var, tag: Any) -> Var:
    """Whether a sum is the alternative of a tag."""
    if tag == "number":
        return sums.is_number(var)
    if tag == "array":
        return sums.is_array(var)
    return e.always(sums.is_type, (var, tag if isinstance(tag, type) else sums.KINDS[tag]))


def is_one_of(e: Elaboration, var: Var, tags: Iterable[Any]) -> Any:
    """Whether a sum is one of some alternatives: known, or a test of the program."""
    there = list(left(e, var))
    wanted = [tag for tag in there if tag in set(tags)]
    if not wanted or len(wanted) == len(there):
        return bool(wanted)
    others = [tag for tag in there if tag not in wanted]
    few, inverted = (others, True) if len(others) < len(wanted) else (wanted, False)
    test = test_of(e, var, few[0])
    for tag in few[1:]:
        test = arithmetic.bit_or(test, test_of(e, var, tag))
    return arithmetic.logical_not(test) if inverted else test


def class_of_alternative(a: Object) -> type | None:
    """The class of the values of an alternative."""
    from ccc.compile.frontend.builtin import class_of

    if isinstance(a, Record):
        return a.cls
    return type(None) if a == NONE else tuple if isinstance(a, Product) else class_of(Var("", a))


# -- what is done to each alternative ----------------------------------------------------------------------------


def dispatch(
    e: Elaboration, var: Var, use: Use, fails: Callable[[Any], tuple[type, str] | None], node: ast.AST, frame: Frame
) -> Any:
    """What `use` gives for the alternative that a sum is; where `fails` gives an exception, it is raised instead."""
    from ccc.compile.frontend.branches import either

    value = able(e, var, fails, node, frame)
    if not is_sum(value):
        return use(value)
    tag = next(iter(left(e, var)))
    return either(e, test_of(e, var, tag), lambda: use(narrowed(e, var)),
                  lambda: dispatch(e, var, use, never, node, frame), node, frame)


def able(
    e: Elaboration, var: Var, fails: Callable[[Any], tuple[type, str] | None], node: ast.AST, frame: Frame
) -> Any:
    """What a sum is where it is none of the alternatives that `fails` gives an exception for, which is raised."""
    from ccc.compile.frontend.effects import fail_with
    from ccc.compile.frontend.joins import Join
    from ccc.compile.frontend.paths import Ends

    there = left(e, var)
    wrong: dict[Any, tuple[type, str]] = {}
    for tag, a in there.items():
        found = e.inside(Block("branch", e.recorder.block), lambda a=a: fails(opened(e, var, a)))
        if found is not None:
            wrong[tag] = found
    for tag, (kind, text) in wrong.items():
        if len(left(e, var)) == 1:
            fail_with(e, kind, text, node, frame)
        test = test_of(e, var, tag)
        blocks = Block("branch", e.recorder.block), Block("branch", e.recorder.block)
        joining = Join(e, test, blocks, e.span(node, frame))
        with contextlib.suppress(Ends):
            e.inside(blocks[0], lambda kind=kind, text=text: fail_with(e, kind, text, node, frame))
        joining.finish()
        assume(e, test, False)
    return narrowed(e, var)


def never(value: Any) -> None:
    """No alternative fails."""


def class_name(value: Any) -> str:
    from ccc.compile.frontend.builtin import class_of

    found = class_of(value)
    return "float" if found is None else found.__name__


def without(name: str) -> Callable[[Any], tuple[type, str] | None]:
    """The error of a value that has no attribute of this name."""
    def fails(value: Any) -> tuple[type, str] | None:
        if isinstance(value, RecordValue | Node):
            fields = value.fields if isinstance(value, RecordValue) else value.names
            there = name in fields or class_attribute(value.cls, name) is not MISSING
        else:
            there = value is not None
        return None if there else (AttributeError, f"'{class_name(value)}' object has no attribute '{name}'")

    return fails


def attribute(e: Elaboration, var: Var, node: ast.Attribute, use: Use, frame: Frame) -> Any:
    """`t.name` of a sum: a method is not looked up before it is called."""
    classes = [a.cls for a in left(e, var).values() if isinstance(a, Record)]
    functions = types.FunctionType | classmethod | staticmethod
    if any(isinstance(class_attribute(cls, node.attr), functions) for cls in classes):
        return SumMethod(var, node.attr)
    return dispatch(e, var, use, without(node.attr), node, frame)


def call_method(
    e: Elaboration, method: SumMethod, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame
) -> Any:
    """`t.name(...)` of a sum."""
    from ccc.compile.frontend.expressions import attribute_of

    place: Any = node.func if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    place = place or ast.copy_location(ast.Attribute(ast.Name("_"), method.name), node)

    def use(value: Any) -> Any:
        return e.call(attribute_of(e, value, place, frame), list(args), dict(kwargs), node, frame)

    return dispatch(e, method.owner, use, without(method.name), node, frame)


def operand(symbol: str, other: Any, swapped: bool, text: str) -> Callable[[Any], tuple[type, str] | None]:
    """The error of an operator at None; `text` says it with the symbol and the two classes."""
    def fails(value: Any) -> tuple[type, str] | None:
        if value is not None:
            return None
        names = [class_name(value), class_name(other)]
        return TypeError, text.format(symbol, *(names[::-1] if swapped else names))

    return fails


def truth(e: Elaboration, var: Var, node: ast.AST, frame: Frame) -> Any:
    """The truth of a sum: a record is true, None is not."""
    from ccc.compile.frontend import branches

    there = left(e, var)
    plain = [tag for tag, a in there.items() if isinstance(a, Record) and a.cls is not dict and not any(
        hasattr(a.cls, name) for name in ("__bool__", "__len__"))]
    if set(there) - set(plain) <= {type(None)}:
        return is_one_of(e, var, plain)
    return dispatch(e, var, lambda value: branches.truth(e, value, node, frame), never, node, frame)


# -- values as sums ----------------------------------------------------------------------------------------------


def type_of(e: Elaboration, var: Var, node: ast.AST, frame: Frame) -> Any:
    """`type(t)` of a sum, to be compared with classes."""
    found = narrowed(e, var)
    if is_sum(found):
        return TypeValue(var)
    return type(None) if found is None else class_of_alternative(*left(e, var).values())


def compared_types(e: Elaboration, value: TypeValue, cls: Any) -> Any:
    """Whether the type of a sum is a class."""
    return is_one_of(e, value.owner, [tag for tag, a in left(e, value.owner).items() if class_of_alternative(a) is cls])


def object_in(e: Elaboration, value: Any) -> Object:
    """The object that a value would have as one variable. Raises `NoSum` for what cannot be one, as lists that change.
    """
    def inside(part: Any) -> Object:
        return object_in(e, part)

    if isinstance(value, Var):
        return value.object
    if getattr(value, "whole", None) is not None:
        return value.whole.object
    if isinstance(value, RecordValue):
        if value.cls is dict:
            raise NoSum("a dict")
        return Record(tuple(map(inside, value.fields.values())), value.cls, tuple(value.fields))
    if isinstance(value, Node):
        return Record(tuple(map(inside, value)), value.cls, value.names)
    if isinstance(value, tuple):
        return Product(tuple(map(inside, value)))
    if value is None:
        return NONE
    if isinstance(value, ChoiceValue):
        return sum_of((inside(value.then), inside(value.orelse)))
    if is_function(value):
        return boxed.object_in(e, value, inside)
    if isinstance(value, bool | int | float | str):
        return object_of(value) if not isinstance(value, bool) else BOOL
    raise NoSum("a value of the compiler")


def one_object(e: Elaboration, a: Any, b: Any) -> Coproduct | None:
    """The sum that holds two values, one of which is None, a record, a function or a sum; None where there is none."""
    if not any(v is None or is_sum(v) or isinstance(v, RecordValue | Node) or is_function(v) for v in (a, b)):
        return None
    try:
        found = sum_of((object_in(e, a), object_in(e, b)))
    except (NoSum, UnsupportedPython):
        return None
    return found if all(map(usable, found.alternatives)) else None


def usable(a: Object) -> bool:
    """True for objects that a sum can hold while elaborating."""
    if isinstance(a, Product):
        return all(map(usable, a.parts))
    return a == NONE or not isinstance(a, Static)


def as_sum(e: Elaboration, value: Any, whole: Coproduct) -> Var:
    """A value as a variable of a sum type."""
    if getattr(value, "whole", None) is not None:
        value = value.whole
    if isinstance(value, Var) and value.object == whole:
        return value
    return e.always(sums.inject, (one_atom(e, value),), into=whole)


def as_one(e: Elaboration, value: Any) -> Var:
    """A record or function as a variable of the sum of its own object alone."""
    a = object_in(e, value)
    return as_sum(e, value, a if isinstance(a, Coproduct) else sum_of((a,)))


def one_atom(e: Elaboration, value: Any) -> Any:
    """A value as one variable or constant; records seen so do not change any more."""
    if getattr(value, "whole", None) is not None:
        return value.whole
    if isinstance(value, ChoiceValue):
        return chosen(e, value)
    if boxed.boxable(value):
        return boxed.record_of(e, value, lambda part: one_atom(e, part))
    if isinstance(value, RecordValue):
        value.shared = value.shared or "a structure that holds it"
    if isinstance(value, RecordValue | Node):
        names = tuple(value.fields) if isinstance(value, RecordValue) else value.names
        parts = value.fields.values() if isinstance(value, RecordValue) else value
        return e.always(structure.record, tuple([one_atom(e, v) for v in parts]), cls=value.cls, names=names)
    if isinstance(value, tuple):
        return e.always(structure.pack, tuple([one_atom(e, v) for v in value]))
    return value


def chosen(e: Elaboration, value: ChoiceValue) -> Var:
    """One of two functions as a variable."""
    whole = object_in(e, value)
    blocks = Block("branch", e.recorder.block), Block("branch", e.recorder.block)
    for block, arm in zip(blocks, (value.then, value.orelse), strict=True):
        block.results.append(e.within(block, lambda arm=arm: as_sum(e, arm, whole)))  # type: ignore[arg-type]
    let = e.recorder.emit(Branch(*blocks), [value.test])
    return e.recorder.target(let, "", whole)


def is_of_group(value: Any) -> bool:
    """True for records of a class whose objects hold objects of their own kind."""
    return isinstance(value, RecordValue | Node) and value.cls is not dict and group_of(value.cls) is not None


def generalised(e: Elaboration, value: Any, before: Any = None) -> Any:
    """A value with records of a group as sums, whatever their shape, and functions that differ from those before."""
    from ccc.compile.frontend.records import parts_in, remade

    if isinstance(value, dict):
        return {key: generalised(e, part, before[key]) for key, part in value.items()}
    if is_of_group(value) or ((boxed.boxable(value) or isinstance(value, ChoiceValue)) and value is not before):
        try:
            return as_one(e, value)
        except NoSum:
            return value
    parts = parts_in(value)
    if parts is None:
        return value
    found = [generalised(e, part) for part in parts]
    return value if all(x is y for x, y in zip(found, parts, strict=True)) else remade(value, found, "another call")


__all__ = ["Array", "Bool", "Facts", "Int", "List", "ListValue", "Real", "SumMethod", "as_sum", "assume", "dispatch",
           "effects", "generalised", "is_one_of", "is_sum", "left", "narrowed", "one_object", "tag_of", "truth"]
