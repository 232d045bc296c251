"""Where two branches meet: one value for both, and the let that chooses."""

from __future__ import annotations

import ast
import types
from typing import Any

from ccc.compile.diagnostics import mismatch
from ccc.compile.frontend import interrupts, members, settling, sums
from ccc.compile.frontend.attempts import ARGS, MADE_OF, is_exception
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import is_name_of, lists, named, place_of, stored
from ccc.compile.frontend.names import read_names
from ccc.compile.frontend.parts import takes_attributes
from ccc.compile.frontend.reals import listed, widened
from ccc.compile.frontend.regions import one_class
from ccc.compile.frontend.result_trees import as_item
from ccc.compile.frontend.snapshots import in_frame
from ccc.compile.frontend.values import (
    NOT_YET,
    UNSET,
    ChoiceValue,
    ClosureValue,
    Frame,
    ListValue,
    MethodValue,
    Mutable,
    Perhaps,
    RecordValue,
    TextValue,
    Unbound,
    View,
    atom_of,
    is_function,
)
from ccc.compile.program.lam import Absent, Apply, Block, Branch, Let, Lit, Var, like
from ccc.coproducts import join as join_objects
from ccc.errors import UnknownObject
from ccc.objects import BOOL, Array, List, Map, Object, Text
from ccc.primitives import arithmetic, structure
from ccc.primitives.primitive import sample


def same_class(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """True for two tuples, and for two named tuples of one class."""
    return one_class(getattr(a, "cls", tuple), getattr(b, "cls", tuple))


def view_of_either(a: Any, b: Any, merged: Any) -> Any:
    """What is merged of two tuples, which may be views of dicts. Raises `Differ` where one is and the other is not, or
    where more than two dicts are shown."""
    if not isinstance(a, View) and not isinstance(b, View):
        return merged
    if not isinstance(a, View) or not isinstance(b, View) or a.kind != b.kind:
        raise Differ
    owners = dict.fromkeys([x for x in (a.owner, a.other, b.owner, b.other) if x is not None])
    if len(owners) > 2:
        raise Differ
    merged.owner, merged.other = [*owners, None][:2]
    return merged


class Differ(Exception):
    """Two values that no one value can stand for."""


class Join:
    """A branch that is being finished: what its two blocks computed becomes the targets of one let."""

    def __init__(
        self, e: Elaboration, test: Var, blocks: tuple[Block, Block], span: Any, frame: Frame | None = None
    ) -> None:
        self.e = e
        self.frame = frame
        self.test = test
        self.blocks = blocks
        self.home = e.recorder.block
        self.let = Let(Branch(*blocks), [test], span)
        self.exported: dict[Var, Var] = {}
        self.merged: dict[tuple[Any, Any], Any] = {}
        self.partners: set[Any] = set()
        self.moved: dict[tuple[Any, int], Any] = {}
        self.frames: dict[Frame, Frame] = {}
        self.behind: list[Let] = []

    def merge(self, a: Any, b: Any) -> Any:
        """The value that is `a` or `b` by the test. Raises `Differ` where there is none."""
        if a is b or a is UNSET or b is UNSET:
            return a if a is b else self.portable(b, 1) if a is UNSET else self.portable(a, 0)
        if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b) and same_class(a, b):
            return view_of_either(a, b, like(a, [self.merge(x, y) for x, y in zip(a, b, strict=True)]))
        if (isinstance(a, RecordValue) and isinstance(b, RecordValue)) or (
                isinstance(a, ListValue) and isinstance(b, ListValue)):
            try:
                return self.one_of(a, b)
            except Differ:
                if is_exception(a) or is_exception(b):
                    raise
                return self.sum_of(a, b) if isinstance(a, RecordValue) else self.list_of(a, b)
        if (pair := stored.tuples_together(self.e, a, b, self.let.span, self.blocks)) is not None:
            return self.merge(*pair)
        if any(isinstance(x, ListValue) and lists.is_of_program(y) for x, y in ((a, b), (b, a))):
            return self.list_of(a, b)
        if isinstance(a, Unbound) or isinstance(b, Unbound):
            raise Differ
        if is_function(a) and is_function(b):
            return ChoiceValue(self.test, self.portable(a, 0), self.portable(b, 1))
        if equal(a, b):
            return a
        row = self.row(a, b)
        if row is not None:
            return row
        if members.alike(a, b):
            return self.one_of(members.as_object(a), members.as_object(b))
        if sums.is_text(a) and sums.is_text(b):
            a, b = sums.texts_of(self.e, self.blocks, (a, b))
        a, b = [sums.number_left(self.e, x, block) for x, block in zip((a, b), self.blocks, strict=True)]
        if isinstance(a, (Var, int, float)) and isinstance(b, (Var, int, float)):
            known = self.merged.get((a, b)) if isinstance(a, Var) and isinstance(b, Var) else None
            if known is not None:
                return known
            atoms = [self.left(x, block) for x, block in zip((a, b), self.blocks, strict=True)]
            wide = join_objects(atoms[0].object, atoms[1].object)
            if wide is not None and not (sums.is_sum(a) and wide not in [atom.object for atom in atoms]):
                if isinstance(wide, Array) and (wide.axes is None or wide.dtypes):
                    self.unlike()
                self.give(atoms, wide)
                found = self.target(_common_name(a, b), wide)
                if shown := [owner for x in (a, b) for owner in self.e.inside_dicts.viewed_by(x)]:
                    self.e.inside_dicts.either[found] = shown
                if isinstance(a, Var) and isinstance(b, Var) and isinstance(wide, (Array, List)):
                    self.merged[a, b] = found
                return found
        return self.sum_of(a, b)

    def unlike(self) -> None:
        """Note that the two sides give something of different types."""
        if self.let.span is not None:
            settling.note_unlike(self.e, self.test, self.let.span)

    def row(self, a: Any, b: Any) -> Any:
        """Where both stand for the row of one index, that of the list that both branches leave."""
        one, other = place_of(a), place_of(b)
        if one is None or other is None or not (one[1] is other[1] or equal(one[1], other[1])):
            return None
        if not self.is_outside(one[1]):
            return None
        xs = self.merge(one[0], other[0])
        return self.item(xs, one[1], _common_name(a, b)) if isinstance(xs, Var) else None

    def is_outside(self, value: Any) -> bool:
        """True for what is known or bound before the branch."""
        return not isinstance(value, Var) or value.home is None or value.home in list(self.home.ancestors())

    def item(self, xs: Var, key: Any, name: str) -> Var:
        """A row of a list that the branch gives, read behind it."""
        let = Let(Apply(structure.item, {}), [xs, atom_of(key)], self.let.span)
        (self.home.lets if self.let in self.home.lets else self.behind).append(let)
        return self.e.recorder.target(let, name, xs.object.item, self.home)  # type: ignore[attr-defined]

    def give(self, atoms: list[Any], wide: Object) -> None:
        """Let each branch give its atom, at the object of both."""
        for block, x in zip(self.blocks, atoms, strict=True):
            block.results.append(self.e.within(block, lambda x=x: widened(self.e, x, wide)))

    def sum_of(self, a: Any, b: Any) -> Any:
        """The sum that is one or the other: a record or another, something or None, a number or a text."""
        if not sums.is_open(a) and not sums.is_open(b):
            self.unlike()
        whole = sums.one_object(self.e, a, b)
        if whole is None:
            raise Differ
        for block, value in zip(self.blocks, (a, b), strict=True):
            found = self.e.within(block, lambda value=value: sums.as_sum(self.e, value, whole))
            block.results.append(found)
        return self.target(_common_name(a, b), whole)

    def one_of(self, a: Any, b: Any) -> Any:
        """The list or record that is `a` or `b`: what may be seen under another name too is not to be changed."""
        known = self.merged.get((a, b))
        if known is None:
            heap, (then, orelse) = self.e.heap, self.blocks
            if isinstance(a, RecordValue) and a.cls is not b.cls:
                raise Differ
            found = self.contents(a, heap.after(then, a), heap.after(orelse, b))
            seen = a.shared or b.shared or any(
                heap.older(block, x) or x in self.partners for block, x in zip(self.blocks, (a, b), strict=True))
            known = RecordValue(a.cls, found) if isinstance(a, RecordValue) else ListValue(found)
            if seen:
                known.shared = a.shared = b.shared = a.shared or b.shared or "a name that stands for one of two"
            self.merged[a, b] = known
            self.partners |= {a, b}
        return known

    def list_of(self, a: Any, b: Any) -> Var:
        """The list of the program that is one or the other, made of lists that nothing else stands for."""
        known = self.merged.get((a, b))
        if known is not None:
            return known
        heap, place = self.e.heap, self.let.span
        for block, x in zip(self.blocks, (a, b), strict=True):
            if not isinstance(x, ListValue):
                continue
            if heap.older(block, x) and is_alone(self.e, x):
                raise interrupts.Grows(x, place)  # the branch is read again with it as a list of the program
            if x.shared or heap.older(block, x) or x in self.partners:
                raise Differ

        def made(block: Block, x: Any) -> Var:
            if isinstance(x, Var):
                return x
            items = heap.after(block, x)
            if any(isinstance(item, Mutable) for item in items):  # others may stand for it
                raise Differ
            return self.e.within(block, lambda: listed(self.e, [as_item(self.e, item, place) for item in items]))

        try:
            found = [made(block, x) for block, x in zip(self.blocks, (a, b), strict=True)]
        except TypeError:
            raise Differ from None
        wide = join_objects(found[0].object, found[1].object)
        if wide is None:
            raise Differ
        self.give(found, wide)
        self.merged[a, b] = known = self.target(_common_name(*found), wide)
        self.partners |= {a, b}
        return known

    def contents(self, kind: Any, a: Any, b: Any) -> Any:
        """What a list or record holds behind two branches."""
        if len(a) != len(b):
            raise Differ
        if not isinstance(kind, RecordValue):
            return [self.merge(x, y) for x, y in zip(a, b, strict=True)]
        if a.keys() != b.keys():
            raise Differ
        given = {name: self.arguments(a[name], b[name]) for name in (ARGS, MADE_OF) if is_exception(kind) and name in a}
        return {name: given[name] if name in given else self.merge(x, b[name]) for name, x in a.items()}

    def arguments(self, a: tuple[Any, ...], b: tuple[Any, ...]) -> Any:
        """The arguments of an exception behind two branches."""
        if len(a) != len(b):
            return self.merge(a, b)
        return tuple([self.argument(x, y) for x, y in zip(a, b, strict=True)])

    def argument(self, a: Any, b: Any) -> Any:
        """An argument of an exception, which may be one of two texts."""
        if (isinstance(a, str) or isinstance(b, str)) and a != b:
            a, b = sums.texts_of(self.e, self.blocks, (a, b))
        return self.merge(a, b)

    def merge_changes(self) -> None:
        """Join what the branches changed of the lists and records that were there before, each before any is."""
        heap, (then, orelse) = self.e.heap, self.blocks
        joined: list[tuple[Mutable, Any]] = []
        for found in heap.changed(then, orelse):
            if is_name_of(found, self.frame):
                continue
            a, b = heap.after(then, found), heap.after(orelse, found)
            a, b, known = self.apart(a, b) if takes_attributes(found) else (a, b, {})
            try:
                contents = self.contents(found, a, b)
                joined.append((found, {**contents, **known} if known else contents))
            except Differ:
                learnt = stored.as_learnt(self.e, found)
                if learnt is not None:
                    joined.append((found, learnt))
                    continue
                self.unlike()
                if isinstance(found, ListValue) or (isinstance(found, RecordValue) and found.cls is dict):
                    raise interrupts.Grows(found, self.let.span) from None
                raise mismatch("CC006", f"one branch changes {described(found)} so that it differs in its parts",
                               self.let.span, help="change it in the same way in both branches") from None
        for found, contents in joined:
            heap.write(found, contents)

    def apart(self, a: dict[str, Any], b: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
        """The attributes of an object that have a value behind both branches, in each; the others, which have none that
        could be used."""
        without = {name: x for side, other in ((a, b), (b, a)) for name, x in side.items()
                   if isinstance(x, Unbound) and x is not other.get(name)}
        missing = Unbound(f"assigned in one branch only at {self.let.span}")
        others = {name: self.on_some_paths(a.get(name, NOT_YET), b.get(name, NOT_YET), missing) for name in {**a, **b}
                  if name in without or name not in a or name not in b}
        first, second = [{name: x for name, x in side.items() if name not in others} for side in (a, b)]
        return first, second, others

    def on_some_paths(self, a: Any, b: Any, missing: Unbound) -> Unbound:
        """An attribute that has a value behind one branch alone, or on some of its paths; `missing` where that is not
        known, or the values differ in type."""
        if any(isinstance(v, Unbound) and not (v.absent or isinstance(v, Perhaps)) for v in (a, b)):
            return missing
        try:
            return together(self, a, b)
        except Differ:
            return missing

    def target(self, name: str, a: Object) -> Var:
        return self.e.recorder.target(self.let, name, a, self.home)

    def finish(self) -> None:
        self.merge_changes()
        self.home.lets += [self.let, *self.behind]

    # -- what a function value from one branch needs outside ---------------------------------------------------

    def portable(self, value: Any, side: int) -> Any:
        """The value with what one branch computed for it handed out of that branch."""
        if isinstance(value, Mutable):
            if self.e.heap.older(self.blocks[side], value):
                return value
            if (value, side) not in self.moved:
                self.moved[value, side] = self.taken_out(value, side)
            return self.moved[value, side]
        return self.taken_out(value, side)

    def taken_out(self, value: Any, side: int) -> Any:
        if isinstance(value, Var):
            if any(block is value.home for block in self.e.recorder.block.ancestors()):
                return value
            found, at = self.export(value, side), place_of(value)
            if at is not None and self.is_outside(at[1]):
                found.row = self.portable(at[0], side), at[1]
            return found
        if isinstance(value, Perhaps):
            return Perhaps(self.portable(value.value, side), self.portable(value.bound, side))
        if isinstance(value, tuple):
            return like(value, [self.portable(part, side) for part in value])
        if isinstance(value, RecordValue):
            return value.like([self.portable(part, side) for part in value.fields.values()], value.shared)
        if isinstance(value, types.MethodType):
            return types.MethodType(value.__func__, self.portable(value.__self__, side))
        if isinstance(value, ListValue):
            return ListValue([self.portable(part, side) for part in value.items], value.shared)
        if isinstance(value, ChoiceValue):
            return ChoiceValue(*[self.portable(part, side) for part in (value.test, value.then, value.orelse)])
        if isinstance(value, MethodValue):
            return MethodValue(self.portable(value.owner, side), value.name, value.method)
        if isinstance(value, TextValue):
            return TextValue(value.form, tuple([self.portable(part, side) for part in value.values]))
        if isinstance(value, ClosureValue):
            return in_frame(value, self.portable_frame(value.frame, read_names(value.node), side),
                            {name: self.portable(v, side) for name, v in value.defaults.items()}, self.e)
        return value

    def portable_frame(self, frame: Frame, names: frozenset[str], side: int) -> Frame:
        """A finished activation, with the variables of these names handed out; one that goes on stays itself."""
        if frame in self.e.frames:
            return frame
        twin = self.frames.get(frame)
        if twin is None:
            twin = self.frames[frame] = frame.copy()
        for name, value in list(frame.env.items()):
            if name in names and name not in twin.env:
                twin.env[name] = value
                twin.env[name] = self.portable(value, side)
        if frame.outer is not None:
            twin.outer = self.portable_frame(frame.outer, names, side)
        return twin

    def left(self, value: Any, block: Block) -> Any:
        """A value as an atom, an array as one of the branches leaves it."""
        return self.e.versions.now(value, block) if isinstance(value, Var) else atom_of(value)

    def export(self, var: Var, side: int) -> Var:
        """A variable of one branch as a target; the other branch gives any value of its type, which nothing reads."""
        known = self.exported.get(var)
        if known is None:
            self.blocks[side].results.append(self.left(var, self.blocks[side]))
            self.blocks[1 - side].results.append(unread(var.object))
            known = self.exported[var] = self.target(var.name, var.object)
        return known


def unread(a: Object) -> Lit:
    """A constant of an object, which nothing reads."""
    if isinstance(a, Text):
        return Lit(Absent(a), a)
    try:
        return Lit({} if isinstance(a, Map) else sample(a), a)
    except UnknownObject:
        return Lit(Absent(a), a)


def equal(a: Any, b: Any) -> bool:
    """True for known values that are the same in every respect."""
    if isinstance(a, Var) or isinstance(b, Var) or type(a) is not type(b):
        return False
    if not isinstance(a, (int, float, str, bytes)):
        return False
    return a == b and not (isinstance(a, float) and a == 0)


def join(
    e: Elaboration, test: Var, then: tuple[Block, Any], orelse: tuple[Block, Any], node: ast.AST, frame: Frame
) -> Any:
    """The value `then[1]` or `orelse[1]` by the test; what is the same in both needs no choice."""
    joining = Join(e, test, (then[0], orelse[0]), e.span(node, frame))
    try:
        result = joining.merge(then[1], orelse[1])
    except Differ:
        raise differ(e, then[1], orelse[1], node, frame) from None
    joining.finish()
    return result


def differ(e: Elaboration, a: Any, b: Any, node: ast.AST, frame: Frame) -> Exception:
    """The error for branches that give values of different types."""
    return mismatch(
        "CC006", "branches give different types", e.span(node, frame),
        f"one gives {described(a)}", f"the other gives {described(b)}", help="return the same shape from both",
    )


def is_alone(e: Elaboration, found: ListValue) -> bool:
    """True for a list that one name alone leads to."""
    holders = [parts for _, _, parts in named(e) for part in parts if part is found]
    return not found.shared and len(holders) == 1 and holders[0][0] is found


def _common_name(a: Any, b: Any) -> str:
    names = {x.name for x in (a, b) if isinstance(x, Var)}
    return names.pop() if len(names) == 1 else ""


# -- what has a value on some paths ------------------------------------------------------------------------------------


def absent(value: Any) -> bool:
    """True for a name that surely has no value."""
    return isinstance(value, Unbound) and value.absent


def together(joining: Join, a: Any, b: Any) -> Perhaps:
    """What has a value on some paths behind two branches, one of which gives it one. Raises `Differ` where its values
    differ in type."""
    sides = a, b
    values = [v.value if isinstance(v, Perhaps) else v for v in sides]
    if not absent(a) and not absent(b):
        kept = next(v for v in sides if isinstance(v, Perhaps))
        both = isinstance(a, Perhaps) and isinstance(b, Perhaps)
        if values[0] is values[1] and not both and not made_within(joining, kept.bound):
            return kept  # one branch read it
        return Perhaps(joining.merge(*values), flag(joining, a, b))
    side = 1 if absent(a) else 0
    return Perhaps(joining.portable(values[side], side), flag(joining, a, b))


def made_within(joining: Join, found: Any) -> bool:
    """True for a bool that one of the branches made."""
    return isinstance(found, Var) and any(found.home is block for block in joining.blocks)


def flag(joining: Join, a: Any, b: Any) -> Any:
    """Whether a name has a value behind two branches."""
    found = [bound(a), bound(b)]
    if found == [True, False]:
        return joining.test
    if found == [False, True]:
        return arithmetic.logical_not(joining.test)
    if not any(isinstance(v, Var) for v in found) and found[0] == found[1]:
        return found[0]
    if found[0] is found[1]:
        return found[0]
    for block, v in zip(joining.blocks, found, strict=True):
        block.results.append(v if isinstance(v, Var) else Lit(v, BOOL))
    return joining.target("", BOOL)


def bound(value: Any) -> Any:
    """Whether a name has a value: known, or a bool of the program."""
    return value.bound if isinstance(value, Perhaps) else not absent(value)
