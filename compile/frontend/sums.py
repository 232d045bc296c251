"""Values of tagged sums while a function is elaborated: what a test says about one, and what is done to each.

A variable of a sum type stands for one of several records, None or a number. Behind a test (`isinstance(t, Leaf)`,
`t is None`, a pattern) fewer alternatives are left; where one is left the variable is that record, None or number. What
is done to a value that may still be one of several becomes a branch, in which an alternative that cannot do it raises
what Python would raise.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import Any

from ccc.compile.diagnostics import UnsupportedPython, unsupported
from ccc.compile.frontend import boxed, texts
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.parts import opened as taken_apart, parts_in, remade, shaped
from ccc.compile.frontend.regions import settled as settle_regions
from ccc.compile.frontend.values import (
    ITEMS,
    ChoiceValue,
    ClosureValue,
    RecordValue,
    TextValue,
    is_function,
)
from ccc.compile.program.lam import Apply, Block, BlockKind, Branch, Lit, Node, Var
from ccc.compile.program.sharing import memory_of
from ccc.coproducts import NONE, NoSum, alternatives, holds_itself, sum_of
from ccc.objects import BOOL, TEXT, Coproduct, Int, List, Object, Product, Real, Record, Static
from ccc.objects_of_values import object_of
from ccc.primitives import arithmetic, effects, structure, sums
from ccc.recursive_classes import group_of

PART = "the structure that it is part of"


def is_sum(value: Any) -> bool:
    """True for a variable of a sum type."""
    return isinstance(value, Var) and isinstance(value.object, Coproduct)


def is_tree(value: Any) -> bool:
    """True for a value of a sum that holds itself."""
    return is_sum(value) and holds_itself(value.object)


def has_trees(value: Any) -> bool:
    """True for a list of the program whose items are trees."""
    a = value.object if isinstance(value, Var) else None
    return isinstance(a, List) and isinstance(a.item, Coproduct) and holds_itself(a.item)


# -- which alternatives are left ---------------------------------------------------------------------------------


def place_of(var: Var) -> Any:
    """A key that is equal for variables which are the same part of the same variable."""
    names: list[Any] = []
    while True:
        let = var.definition
        if let is None or not isinstance(let.op, Apply) or not is_part(let.op, let.args):
            return (var, *names) if names else var
        names.append((let.op.primitive, *let.op.params.items()))
        var = let.args[0]  # type: ignore[assignment]


def is_part(op: Apply, args: list[Any]) -> bool:
    """True for what gives its one argument, or what is always in the same place of it."""
    return len(args) == 1 and isinstance(args[0], Var) and memory_of(op).how in ("same", "out of")


def left(e: Elaboration, var: Var, within: Block | None = None) -> dict[Any, Object]:
    """The alternatives that a sum may still be here, or in another block."""
    found = alternatives(var.object)  # type: ignore[arg-type]
    place = place_of(var)
    for block in (within or e.recorder.block).ancestors():
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


def number_left(e: Elaboration, var: Any, block: Block | None = None) -> Any:
    """The number that is left of a sum, here or in another block; the sum itself where it may be something else, and
    any other value."""
    found = list(left(e, var, block).values()) if is_sum(var) else []
    if len(found) != 1 or not isinstance(found[0], Real | Int):
        return var
    return narrowed(e, var) if block is None else e.within(block, lambda: narrowed(e, var))


def opened(e: Elaboration, var: Var, a: Object) -> Any:
    """A sum as one of its alternatives."""
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
    if isinstance(value, (RecordValue, Node, ClosureValue)):
        value.whole = var  # type: ignore[reportAttributeAccessIssue]
    return value


def assume(e: Elaboration, test: Any, truth: bool) -> None:
    """In the current block a test has this outcome."""
    if isinstance(test, Var):
        e.facts.outcomes.setdefault(e.recorder.block, {}).update(following(test, truth))
        for var, tags in allowed(test, truth).items():
            known, place = e.facts.left.setdefault(e.recorder.block, {}), place_of(var)
            known[place] = known[place] & tags if place in known else tags
            if any(block is var.home for block in e.recorder.block.ancestors()):
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
    tag: Any = None
    if p is sums.is_kind:
        tag = sums.tag_of_kind(let.op.params["kind"])
    elif p is sums.is_type and isinstance(let.args[1], Lit):
        tag = next((kind for kind, classes in sums.KINDS.items() if classes is let.args[1].value), let.args[1].value)
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
    kind = next((kind for kind in sums.HOLDS if sums.tag_of_kind(kind) == tag), None)
    beside = tag == "array" and "number" in alternatives(var.object)  # a number is none, where it may be one
    if kind is not None and not beside:
        return sums.is_kind(var, kind=kind)
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


# -- values as sums ----------------------------------------------------------------------------------------------


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
        if value.cls is dict and value.fields.keys() == {ITEMS}:
            return inside(value.fields[ITEMS])
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
    if isinstance(value, (bool, int, float, str)):
        return object_of(value) if not isinstance(value, bool) else BOOL
    raise NoSum(f"no type of the program holds {described(value)}")


def is_none(value: Any) -> bool:
    """True for None, and for a variable that can be nothing else."""
    return value is None or (isinstance(value, Var) and value.object == NONE)


def is_open(value: Any) -> bool:
    """Whether a loop that carries this may carry something of another kind later: None, a record, a function, a sum.
    What a number or list becomes is found by reading the loop again."""
    return is_none(value) or is_sum(value) or isinstance(value, (RecordValue, Node)) or is_function(value)


def one_object(e: Elaboration, a: Any, b: Any) -> Coproduct | None:
    """The sum that holds two values; None where there is none."""
    try:
        found = sum_of([TEXT if is_text(x) else object_in(e, x) for x in (a, b)])
        if e.stores is not None:  # regions that meet here are one from the next reading on
            settle_regions(found)
    except (NoSum, UnsupportedPython):
        return None
    return found if all(map(usable, found.alternatives)) else None


def is_text(value: Any) -> bool:
    """True for texts, known or not, that are no members of an enumeration."""
    return texts.is_text(value) and not isinstance(value, enum.Enum)


def text_of(e: Elaboration, value: Any) -> Any:
    """A known text as one that the program makes; anything else itself."""
    if isinstance(value, TextValue):
        return e.always(effects.text, value.values, form=value.form)
    return e.always(effects.text, (), form=(value,)) if isinstance(value, str) else value


def texts_of(e: Elaboration, blocks: Sequence[Block], values: Sequence[Any]) -> list[Any]:
    """Known texts as ones that the program makes, each in its block."""
    return [e.within(block, lambda x=x: text_of(e, x)) for block, x in zip(blocks, values, strict=True)]


def usable(a: Object) -> bool:
    """True for objects that a sum can hold while elaborating."""
    if isinstance(a, Product):
        return all(map(usable, a.parts))
    return a == NONE or not isinstance(a, Static)


def as_sum(e: Elaboration, value: Any, whole: Coproduct) -> Var:
    """A value as a variable of a sum type."""
    value = text_of(e, value) if getattr(value, "whole", None) is None else value.whole
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
        if ITEMS in value.fields:
            return value.fields[ITEMS]
    if isinstance(value, (RecordValue, Node)):
        names = tuple(value.fields) if isinstance(value, RecordValue) else value.names
        parts = value.fields.values() if isinstance(value, RecordValue) else value
        return e.always(structure.record, tuple([one_atom(e, v) for v in parts]), cls=value.cls, names=names)
    if isinstance(value, tuple):
        return e.always(structure.pack, tuple([one_atom(e, v) for v in value]))
    return value


def chosen(e: Elaboration, value: ChoiceValue) -> Var:
    """One of two functions as a variable."""
    whole = object_in(e, value)
    blocks = Block(BlockKind.BRANCH, e.recorder.block), Block(BlockKind.BRANCH, e.recorder.block)
    for block, arm in zip(blocks, (value.then, value.orelse), strict=True):
        block.results.append(e.within(block, lambda arm=arm: as_sum(e, arm, whole)))  # type: ignore[arg-type]
    let = e.recorder.emit(Branch(*blocks), [value.test])
    return e.recorder.target(let, "", whole)


def is_of_group(value: Any) -> bool:
    """True for records of a class whose objects hold objects of their own kind."""
    return isinstance(value, (RecordValue, Node)) and value.cls is not dict and group_of(value.cls) is not None


def generalised(e: Elaboration, value: Any, before: Any = None) -> Any:
    """A value with records of a group as sums, whatever their shape, and functions that differ from those before."""
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


def settled(e: Elaboration, block: Block, value: Any) -> Any:
    """What a recursive function gives, with its functions and texts as values of the program: a text that is put
    together of that of another call would be of ever more parts."""
    if isinstance(value, TextValue):
        return e.within(block, lambda: text_of(e, value))
    if isinstance(value, (ClosureValue, ChoiceValue)):
        try:
            return e.within(block, lambda: as_one(e, value))
        except NoSum as error:
            raise unsupported("CC022", "a recursive function gives a function that cannot be kept: "
                                       f"{error}", e.recorder.span, help="give numbers, and make the function "
                                                                         "of them where it is called") from error
    parts = parts_in(value)
    if parts is None:
        return value
    found = [settled(e, block, part) for part in parts]
    return value if all(x is y for x, y in zip(found, parts, strict=True)) else remade(value, found, "another call")
