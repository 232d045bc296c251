"""Loops of Python: `for` over what is known item by item is unrolled, every other stays a loop of the program.

A loop carries the names that it binds and that had a value before, at a fixed point of their types; a name that is
bound in the loop alone has a value behind it where the loop surely runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import CompileError, mismatch, unsupported
from ccc.compile.frontend import members, presence, reals, steady, sums
from ccc.compile.frontend.branches import either
from ccc.compile.frontend.carried import alike, as_atom, is_poor, leaves_of, nothing, rebuilt, replaced, unsealed
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import ON
from ccc.compile.frontend.interrupts import ByIndex, FirstRun, Grows
from ccc.compile.frontend.iterables import surely_runs
from ccc.compile.frontend.iterator_values import ByKeyValue, EnumerateValue, OnceValue, ZipValue
from ccc.compile.frontend.joins import is_alone, is_text, text_of
from ccc.compile.frontend.liveness import liveness
from ccc.compile.frontend.memory.interface import (
    OUTSIDE,
    Cells,
    alive,
    called,
    changeable_in,
    check_again,
    dicts,
    dropped,
    is_view_of,
    list_changes,
    lists,
    memory,
    named,
    place_of,
    promoted,
    reached_from,
    reread_names,
    sealed_in,
    stored,
    surely_array,
)
from ccc.compile.frontend.names import assigned, changed, rebound
from ccc.compile.frontend.parts import opened, parts_in, same_names
from ccc.compile.frontend.result_trees import as_item
from ccc.compile.frontend.values import (
    ITEMS,
    NOT_YET,
    Frame,
    ListValue,
    Mutable,
    OwnName,
    Perhaps,
    RecordValue,
    Unbound,
    atom_of,
)
from ccc.compile.program.lam import Apply, Block, Let, Loop, Var
from ccc.coproducts import difference, join
from ccc.objects import INT, UNIT, Array, List, Object, Real
from ccc.primitives import arithmetic, indexing, maps, structure

PASSES = 20  # how often a body is elaborated before its types must have settled


def loop(
    e: Elaboration, node: ast.For, over: Any, frame: Frame, first: Callable[[], bool] = lambda: False
) -> None:
    """A `for` over `over` that nothing leaves early. Raises `FirstRun` where its `first` run may be read before it, and
    alone is given a number for an array."""
    along, make = sequences(e, over, node.iter, frame)
    before, survey = dict(frame.env), e.survey
    try:
        e.survey = None if any(xs.object == List(UNIT) for xs in along) else survey
        CarriedLoop(e, node, frame, along, make, surely_runs(over), first).elaborate()
    except CompileError:
        empty = [xs for xs in along if xs.object == List(UNIT)]
        if not empty:
            raise
        frame.env = before  # a list without items, whose type says nothing that the body could be compiled for
        for xs in empty:
            e.always(structure.check_length, (xs,), count=0)
    finally:
        e.survey = survey


Shape = tuple[list[Var], Callable[[list[Any]], Any]]


def sequences(e: Elaboration, over: Any, node: ast.AST, frame: Frame) -> Shape:
    """The lists that a loop runs along, and how the value of the loop's target is made of their elements."""
    if isinstance(over, ZipValue):
        inner = [sequences(e, p, node, frame) for p in over.parts]
        along = [xs for found, _ in inner for xs in found]

        def zipped(elements: list[Any]) -> Any:
            given = iter(elements)
            return tuple([make([next(given) for _ in found]) for found, make in inner])

        return along, zipped
    if isinstance(over, EnumerateValue):
        along, make = sequences(e, over.part, node, frame)
        count = structure.length(along[0])
        stop = count if isinstance(over.start, int) and over.start == 0 else arithmetic.add(count, over.start)
        bounds = (stop,) if isinstance(over.start, int) and over.start == 0 else (over.start, stop)
        indices = e.always(structure.span, bounds)
        return [indices, *along], lambda elements: (elements[0], make(elements[1:]))
    if isinstance(over, OnceValue):
        return sequences(e, over.items, node, frame)
    if isinstance(over, ByKeyValue):
        return [over.keys], lambda elements: value_of(e, over, elements[0], node, frame)
    return [e.sequence(over, node, frame)], lambda elements: elements[0]


def value_of(e: Elaboration, over: ByKeyValue, key: Any, node: ast.AST, frame: Frame) -> Any:
    """The value that a dict has now at a key."""
    return dicts.item(e, over.owner, key, node, frame)


class CarriedLoop:
    """A `for` that stays a loop."""

    def __init__(
        self, e: Elaboration, node: ast.For, frame: Frame, along: list[Var], make: Callable[[list[Any]], Any],
        certain: bool, first: Callable[[], bool] = lambda: False,
    ) -> None:
        self.first = first
        self.e = e
        self.node = node
        self.frame = frame
        self.lists = along
        self.make = make
        self.certain = certain
        self.place = e.span(node, frame)
        self.before = dict(frame.env)
        anew, whole = assigned([node]), rebound([node])
        self.bound = [n for n in changed([node]) if n in (
            anew if isinstance(self.before.get(n), RecordValue) else whole if stays(e, self.before.get(n)) else [n])]
        self.names = [n for n in self.bound if n in self.before and not is_poor(self.before[n])]
        self.carried = [n for n in self.names if leaves_of(self.before[n]) is not None]
        self.objects = {n: [as_atom(v).object for v in leaves_of(self.before[n]) or []] for n in self.carried}
        self.starts: dict[str, list[Var]] = {}
        self.unsummed: dict[str, Any] = {}  # what names stand for behind one run, before any becomes one of a sum
        self.cells = Cells(e, frame)
        where = lambda test, run: either(e, test, run, lambda: None, node, frame)  # noqa: E731
        self.drops = dropped.drops(e, where) if e.stores is not None else None
        self.seen: set[str] = set()
        self.block = Block("loop", e.recorder.block)
        self.along = [xs for xs in along if not counts(xs)]
        self.row_names = reread_names.row_names(self.before, anew)
        self.lost: set[str] = set()
        self.twins: dict[str, str] = {}
        self.by_index: dict[Var, str] = {}
        self.indices: dict[Var, Any] = {}
        self.changed = [n for n in self.bound if n in self.row_names]
        self.bound, self.names, self.carried = [
            [n for n in found if n not in self.row_names] for found in (self.bound, self.names, self.carried)]
        for n in [n for n in self.before if isinstance(n, OwnName)]:  # what a loop around this one runs along
            twin = self.twin_of(n, self.before[n]) if n not in self.carried else None
            if twin is not None:
                self.twins[n] = twin
                self.bound.append(n)
        self.read = self.behind = frozenset[str]()
        if frame.node is not None:
            self.read, self.behind = liveness(frame.node).within(node), liveness(frame.node).behind(node)

    def elaborate(self) -> None:
        e = self.e
        after = self.until_settled()
        carried = {n: (self.starts[n], self.before[n], after[n]) for n in self.carried}
        for n in self.bound:
            if self.certain and n not in self.names and leaves_of(after.get(n)) is not None:
                objects = [as_atom(v).object for v in leaves_of(after[n]) or []]
                outs = [e.recorder.param(Block("loop"), n, a) for a in objects]
                carried[n] = outs, rebuilt(after[n], iter(map(nothing, objects))), after[n]
        self.finish(carried, after)

    def until_settled(self) -> dict[str, Any]:
        """Elaborate the body until it gives back what it was given; gives the environment at its end."""
        e = self.e
        for _ in range(PASSES):
            updates, undo = len(e.updates), self.undoing()
            try:
                after = self.run_body()
                if not self.carry_changes() and self.settled(after):
                    self.check_updates(after, e.updates[updates:])
                    self.check_copies(after)
                    return after
                undo()
            except Grows as need:
                undo()
                self.promote([need.found], need)
            except ByIndex as need:
                undo()
                self.read_by_index(need)
        raise mismatch("CC006", "the types of this loop's variables do not settle", self.place,
                       help="give each variable one type before the loop")

    def undoing(self) -> Callable[[], None]:
        """What forgets what is noted of the program from now on, where the body is elaborated anew."""
        e = self.e
        updates, times, pending = len(e.updates), dict(e.rows.times), len(e.pending)
        written = {root: dict(changes) for root, changes in e.versions.written.items()}

        def undo() -> None:
            e.rows.times, e.versions.written = times, written
            del e.updates[updates:], e.pending[pending:]

        return undo

    def read_by_index(self, need: ByIndex) -> None:
        """Read what the loop runs along by the index from now on, under a name of its own."""
        if not any(xs is need.xs for xs in self.along):
            raise need
        self.frame.env = dict(self.before)
        name = OwnName(f"what the loop at {self.place} runs along, {len(self.by_index)}")
        self.e.recorder.span = self.place
        self.by_index[need.xs] = name
        self.indices[need.xs] = self.e.always(structure.span, (structure.length(need.xs),))
        array = whole_array(need.xs)
        self.before[name] = need.xs if array is None else array
        twin = self.twin_of(name, need.xs)
        if twin is not None:
            self.twins[name] = twin
            self.bound.append(name)
        self.along = [xs for xs in self.along if xs is not need.xs]

    def carry_changes(self) -> bool:
        """Carry what the body changed of lists and records from now on; True where there is more of it."""
        after, self.frame.env = self.frame.env, dict(self.before)
        more = {n: v for n, v in self.before.items() if n not in self.bound and after.get(n, v) is not v and not (
            n in self.row_names or (isinstance(v, Perhaps) and after[n] is v.value))}  # the body read it
        grown: list[Any] = [v for n, v in more.items() if isinstance(v, ListValue) and lists.is_of_program(after[n])]
        grown = grown or self.cells.grown(self.block)
        if grown:
            self.promote(grown)
            return True
        found = {**more, **self.cells.found(self.block, self.place)}
        self.carry(found)
        self.frame.env = after
        return bool(found)

    def promote(self, grown: list[Any], need: Exception | None = None) -> None:
        """Make lists of the program, before the loop, of those that the body changes in a way that is not known."""
        self.frame.env = dict(self.before)
        for found in dict.fromkeys(grown):
            if need is not None and not lists.stands_for(self.e, found):
                raise need
            promoted(self.e, found, "changes in a loop in a way that is not known", self.place)
        found = {n: v for n, v in self.frame.env.items() if v is not self.before.get(n)}
        self.bound = [n for n in self.bound if n not in found]
        self.names = [n for n in self.names if n not in found]
        for n in self.carried:  # what they stand for may hold such a list
            leaves = leaves_of(self.before[n]) or []
            if len(leaves) != len(self.objects[n]):
                self.objects[n] = [as_atom(v).object for v in leaves]
        self.carry(found)

    def carry(self, found: dict[str, Any], anew: bool = True) -> None:
        """Carry more names, from now on; `anew` those that the body was not known to change."""
        for name, value in sorted(found.items(), key=lambda pair: depth(pair[1])):
            self.before[name] = value
            self.bound += [name] if anew and name not in self.bound else []
            twin = self.twin_of(name, value)
            view = self.row_of(name, value)
            if twin is not None:
                self.twins[name] = twin
                continue
            if view is not None:
                self.row_names[name] = view
                self.changed.append(name)
                self.bound.remove(name)
                continue
            self.names.append(name)
            leaves = leaves_of(value)
            if leaves is not None:
                self.carried.append(name)
                self.objects[name] = [as_atom(v).object for v in leaves]

    def twin_of(self, name: str, value: Any) -> str | None:
        """A carried name that stands for the same list."""
        if name in self.lost or not lists.is_of_program(value):
            return None
        return next((n for n in self.carried if n != name and self.before[n] is value), None)

    def row_of(self, name: str, value: Any) -> tuple[str, Any] | None:
        """The name of the list that a row which a name stands for is an item of, and the index."""
        found = place_of(value)
        if found is None or name in self.lost:
            return None
        holder = next((n for n in [*self.carried, *self.twins, *self.row_names] if self.before[n] is found[0]), None)
        return None if holder is None else (holder, found[1])

    def join_twins(self, env: dict[str, Any]) -> None:
        """Let the names that stand for one list stand for one again."""
        for name, twin in self.twins.items():
            env[name] = env[twin]

    def split_twins(self, after: dict[str, Any]) -> bool:
        """Carry names that do not stand for one list any more behind a run; True where there are some."""
        found = [n for n, twin in self.twins.items() if after.get(n) is not after.get(twin)]
        for n in found:
            del self.twins[n]
            self.lost.add(n)
            self.carry({n: self.before[n]})
        return bool(found)

    def run_body(self) -> dict[str, Any]:
        """Elaborate the body once; gives the environment at its end."""
        e, frame = self.e, self.frame
        after: dict[str, Any] = {}
        frame.env = dict(self.before)
        self.block = block = Block("loop", e.recorder.block)
        self.starts = {n: [e.recorder.param(block, n, o) for o in self.objects[n]] for n in self.carried}
        frame.env.update(self.later())
        own = self.own()
        for n in self.carried:
            frame.env[n] = rebuilt(self.before[n], iter(self.starts[n]))
            for start, init in zip(self.starts[n], leaves_of(self.before[n]) or [], strict=True):
                e.origins[start] = [init]
        self.join_twins(frame.env)
        elements = [e.recorder.param(block, "", INT if xs in self.by_index else xs.object.item)  # type: ignore[attr-defined]
                    for xs in self.lists]
        e.origins.update({element: [xs] for element, xs in zip(elements, self.lists, strict=True)})
        e.rows.counted.update({v: self.node.iter for v, xs in zip(elements, self.lists, strict=True) if counts(xs)})
        e.rows.elements[block] = {element: xs for element, xs in zip(elements, self.lists, strict=True)
                                  if xs not in self.by_index}

        def body() -> None:
            nonlocal after
            reread_names.take(e, self.row_names, self.before, frame.env)
            self.cells.load(frame.env)
            self.take(own)
            if self.drops is not None:
                self.drops.begun(block)
            found = [self.element(xs, v) for xs, v in zip(self.lists, elements, strict=True)]
            e.bind(self.node.target, self.make(found), frame)
            ends = steady.turn(e, self.node, frame)
            frame.env = ends.names(ON) if ON in ends.kinds else ends.env
            for xs in self.along:
                same_size(e, xs)
            if self.drops is not None and ON in ends.kinds:
                self.drops.ended()
            self.cells.store(frame.env)
            after = frame.env

        e.inside(block, body)
        frame.env = after
        return after

    def element(self, xs: Var, var: Var) -> Any:
        """The element of a run of the body: what the loop gives, or what stands at the index that it gives."""
        if xs not in self.by_index:
            return opened(var)
        found = self.frame.env[self.by_index[xs]]
        if whole_array(xs) is not None:
            return indexing.index(found, var, pattern=("i",))
        return list_changes.at(self.e, found, var)

    def own(self) -> set[str]:
        """The carried names that alone lead to their lists and records: a run of the body may change these."""
        return {n for n in self.carried if n not in self.seen and n not in self.cells.places
                and self.alone(n, self.before[n])}

    def alone(self, name: str, value: Any) -> bool:
        """True for lists and records that nothing leads to but one name."""
        inside = [part for part in reached_from(value, []) if isinstance(part, Mutable)]
        return not any(part.shared for part in inside) and len({*inside}) == len(inside) and not any(
            part in inside
            for frame, other, parts in named(self.e) if frame is not self.frame or other != name
            for part in parts if isinstance(part, Mutable))

    def take(self, own: set[str]) -> None:
        """Let the body change what these names stand for."""
        for n in own:
            unsealed(self.frame.env[n])

    def given_away(self, after: dict[str, Any]) -> bool:
        """True where something else leads to what a name stands for behind one run: no run may change it then."""
        found = {n for n in self.own() if n in after and not self.alone(n, after[n])}
        self.seen |= found
        return bool(found)

    def awaited(self) -> list[str]:
        """The names without a value before the loop that are read where a run of the body may have bound them."""
        wanted = self.read | self.behind
        return [n for n in self.bound if n in wanted and n not in self.carried and n not in self.frame.cells
                and presence.absent(self.before.get(n, NOT_YET))]

    def later(self) -> dict[str, Any]:
        """What stands for such names that an earlier run may have bound, until it is known what they are."""
        found = [n for n in self.awaited() if n in self.read and not self.at_start(n)]
        return {n: Unbound(f"bound only inside the loop at {self.place}", absent=True, raises=True) for n in found}

    def at_start(self, n: str) -> bool:
        """True for names that the test of a loop reads."""
        return False

    def carry_awaited(self, after: dict[str, Any]) -> bool:
        """Carry names that the body binds from now on, with a bool that says whether it did; True where there are more.
        """
        for n in self.carried:
            if isinstance(self.before[n], Perhaps) and n in after:
                after[n] = presence.lifted(after[n], rebuilt(self.before[n], iter(self.starts[n])))
        again = False
        for n in self.awaited():
            value = after.get(n, NOT_YET)
            surely = self.certain and n not in self.read and not isinstance(value, Unbound)
            value = value.value if isinstance(value, Perhaps) else value
            leaves = None if surely or self.at_start(n) else leaves_of(value)
            if leaves is not None:
                objects = [as_atom(v).object for v in leaves]
                self.carry({n: Perhaps(rebuilt(value, iter(map(nothing, objects))), False)}, anew=False)
                again = True
        return again

    def settled(self, after: dict[str, Any]) -> bool:
        """True where the body gives back what it was given; else what it is given next is wider."""
        if self.split_twins(after) or self.drop_row_names(after) or self.carry_awaited(after):
            return False
        if self.summed(after) or self.given_away(after):
            return False
        again = False
        for n in list(self.carried):
            ends = leaves_of(after.get(n))
            same = ends is not None and len(ends) == len(self.objects[n]) and alike(self.before[n], after[n])
            wider = [join(a, as_atom(v).object) for a, v in zip(self.objects[n], ends or [], strict=False)]
            if not same or None in wider:
                if isinstance(self.before[n], ListValue) and self.other_length(n, after.get(n)):
                    self.carried.remove(n)
                    self.promote([self.before[n]])
                    return False
                self.carried.remove(n)
                self.before[n] = Unbound(self.changed_type(n, after.get(n)), "`{}` changes its type in a loop", "CC006")
                again = True
            elif wider != self.objects[n]:
                found = [as_atom(v).object for v in ends or []]
                if any(map(by_first_run, self.objects[n], found, wider)):
                    self.apart(n)
                self.objects[n] = [w for w in wider if w is not None]
                again = True
        for n in self.names:
            old = self.before[n]
            if n not in self.carried and n not in self.twins and not isinstance(old, Unbound) and after.get(
                    n) is not old:
                self.before[n] = Unbound(
                    f"before the loop at {self.place}, which binds it anew, it is {described(old)}",
                    "a loop cannot carry `{}` yet", "CC006")
                again = True
        return not again

    def changed_type(self, name: str, new: Any) -> str:
        """What is told of a variable that is another value behind a run."""
        old = self.before[name]
        inside = isinstance(old, Var) and isinstance(new, Var) and isinstance(old.object, List)
        told = f": {difference(old.object, new.object, name)}" if inside else ""
        return f"before the loop at {self.place} it is {described(old)}, behind one run {described(new)}{told}"

    def apart(self, name: str) -> None:
        """Raise `FirstRun` where that may be read before the loop."""
        if self.first():
            raise FirstRun(f"`{name}`", self.place)

    def drop_row_names(self, after: dict[str, Any]) -> bool:
        """Let names of rows stand for themselves where a list changes otherwise than in its rows; True for such."""
        lost = [n for n, (holder, _) in self.row_names.items() if holder in self.carried and not all(
            reread_names.only_rows(self.e, end, start)
            for start, end in zip(self.starts[holder], leaves_of(after.get(holder)) or [None], strict=False))]
        while more := [n for n, (holder, _) in self.row_names.items() if holder in lost and n not in lost]:
            lost += more
        for n in lost:
            del self.row_names[n]
            self.lost.add(n)
            if n in self.changed:
                self.carry({n: self.before[n]})
        return bool(lost)

    def summed(self, after: dict[str, Any]) -> bool:
        """Let names that become something else (None a number, one record another) stand for a sum; True where one is
        wider than before."""
        again = False
        self.unsummed = dict(after)
        for n in self.names:
            old = self.before[n]
            if isinstance(old, Unbound):
                continue
            first = stored.before_loop(self.e, self.frame, n, old, after.get(n))
            if first is not old:
                self.cells.store(self.before)  # its place is in a store that the loop may carry
            before, after[n] = self.fitted(first, after.get(n))
            if before is not old:
                self.before[n] = before
                leaves = leaves_of(before)
                if leaves is not None:
                    self.objects[n] = [atom_of(v).object for v in leaves]
                    self.carried += [] if n in self.carried else [n]
                again = True
        return again

    def fitted(self, old: Any, new: Any) -> tuple[Any, Any]:
        """A value before the loop and behind one run, as sums where they differ in kind."""
        if old is new or (isinstance(old, Var) and isinstance(new, Var) and old.object == new.object):
            return old, new
        if members.alike(old, new):
            old, new = members.as_object(old), members.as_object(new)
        parts, others = parts_in(old), parts_in(new)
        if parts is not None and others is not None and len(parts) == len(others) and same_names(old, new):
            pairs = [self.fitted(x, y) for x, y in zip(parts, others, strict=True)]
            return replaced(old, parts, [a for a, _ in pairs]), replaced(new, others, [b for _, b in pairs])
        if lists.is_of_program(old) and isinstance(new, ListValue) and is_alone(self.e, new) and not any(
                isinstance(item, Mutable) for item in new.items):
            e, place = self.e, self.place
            return old, e.within(self.block, lambda: reals.listed(e, [as_item(e, x, place) for x in new.items]))
        if is_text(old) and is_text(new):
            return old if old == new else text_of(self.e, old), self.e.within(
                self.block, lambda: text_of(self.e, new))
        whole = sums.one_object(self.e, old, new)
        if whole is None:
            return old, new
        if sums.is_sum(old) and old.object == whole:
            return old, self.e.within(self.block, lambda: sums.as_sum(self.e, new, whole))
        return sums.as_sum(self.e, old, whole), new

    def other_length(self, n: str, value: Any) -> bool:
        """True where a name that stands for a list stands for another list behind the body, of a length of its own."""
        if isinstance(value, Unbound):
            return value.code == "CC006"
        return lists.is_of_program(value) or (
            isinstance(value, ListValue) and len(value.items) != len(self.before[n].items))

    def check_updates(self, after: dict[str, Any], updates: list[tuple[Var, Any, str]]) -> None:
        """An array that the body changes in place must not be seen by others in the next run either."""
        pairs = [(start, leaf) for n in self.carried
                 for start, leaf in zip(self.starts[n], leaves_of(after[n]) or [], strict=True)]
        check_again(self.e, updates, pairs)
        for name in self.by_index.values():
            carried = self.twins.get(name, name)
            if carried in self.carried and not reread_names.as_long(after[name], self.starts[carried][0]):
                raise unsupported("CC011", "this loop changes the length of the list that it runs along", self.place,
                                  help="loop over a copy, or use `while`")
        for var, span, text in updates:
            of_list = isinstance(var.object, List)
            own, reach = (lists.own_roots, lists.traced) if of_list else (memory, memory)
            along = own(self.e, self.along)[0]
            made, way = own(self.e, [var])
            for xs in self.along if of_list else []:
                if isinstance(xs.object, List) and own(self.e, [xs])[0] & made:
                    raise ByIndex(xs)
            if made & along:
                raise unsupported("CC011", f"`{text}` would change what the loop runs along", span,
                                  f"the loop at {self.place} reads its items from the same array",
                                  help="loop over a copy, or over the indices")
            own_carry = any(var is start for starts in self.starts.values() for start in starts)
            outer = {root for root in made if root is OUTSIDE or self.block not in list(root.home.ancestors())}
            for n in self.carried:
                ends = leaves_of(after[n]) or []
                for start, end in zip(self.starts[n], ends, strict=True):
                    if not of_list and not own_carry and n not in self.cells.places and memory(
                            self.e, [end])[0] & outer:
                        raise unsupported("CC011", f"`{text}` would change an array that is visible elsewhere", span,
                                          f"in the next run of the loop at {self.place} `{n}` sees it too",
                                          help=f"put a copy where `{n}` gets its value: `.copy()`")
                    beside = [v for v in ends if v is not end]
                    if start in way and n not in self.cells.places and self.seen_elsewhere(n, end, beside, own, reach):
                        what = f"the list `{n}` changes, which" if of_list else f"`{text}` would change an array that"
                        copied = f"put a copy there: `list({n})`" if of_list else (
                            f"write `{n} = {n} ...` with the operator spelled out")
                        raise unsupported("CC011", f"{what} is visible elsewhere", span,
                                          f"in the next run of the loop at {self.place} another name sees it too",
                                          help=copied)

    def copied(self, after: dict[str, Any]) -> list[tuple[str, list[Any]]]:
        """The carried names behind which the lists and objects that they may lead to stand as copies, which see no
        change of these."""
        own = self.own()
        copied = [(n, [self.before[n], after[n]]) for n in self.carried if n not in own]
        return copied + [(n, [end]) for n, end in self.unsummed.items() if n in self.carried and end is not after[n]]

    def check_copies(self, after: dict[str, Any]) -> None:
        """Refuse a body that changes a list or object which a carried name may lead to otherwise than by itself."""
        changed = self.e.heap.changed(self.block)
        for n, values in self.copied(after):
            for part in [part for part in changeable_in(values) if part in changed]:
                raise unsupported("CC011", f"this loop changes {described(part)} that is visible elsewhere", self.place,
                                  f"in its next run {called(n)} may see it too",
                                  help=f"put a copy where {called(n)} gets its value")

    def seal_copied(self, after: dict[str, Any]) -> None:
        """Let nothing change from now on that a carried name may lead to otherwise than by itself."""
        for n, values in self.copied(after):
            sealed_in(values, f"{called(n)}, which may be the same behind the loop at {self.place},")

    def seen_elsewhere(
        self, name: str, end: Any, beside: list[Any], own: Callable[..., Any], reach: Callable[..., Any]
    ) -> bool:
        made, _ = own(self.e, [end])
        if OUTSIDE in made or reach(self.e, beside)[0] & made:
            return True
        return any(
            reach(self.e, [p for p in parts if p is not self.before[name]])[0] & made and alive(
                frame, other, done=frame is self.frame)
            for frame, other, parts in named(self.e) if (frame is not self.frame or other != name)
            and not is_view_of(frame.env[other], end) and self.twins.get(other, "") != name
            and self.e.slots.get((frame, other)) not in [owner for owner, _ in self.cells.places.values()]
        )

    def finish(self, carried: dict[str, tuple[list[Var], Any, Any]], after: dict[str, Any]) -> None:
        """Record the loop; carried names stand for its targets from now on."""
        e, block = self.e, self.block
        params = [v for starts, _, _ in carried.values() for v in starts]
        objects = [v.object for v in params]
        inits = [as_atom(v) for _, init, _ in carried.values() for v in leaves_of(init) or []]
        inits = [reals.widened(e, v, a) for v, a in zip(inits, objects, strict=True)]
        ends = [v for _, _, end in carried.values() for v in leaves_of(end) or []]
        block.results = [at_end(e, v, block, a) for v, a in zip(ends, objects, strict=True)]
        for param in params:
            param.home = block
        block.params = [*params, *block.params[sum(map(len, self.starts.values())):]]
        along = [self.indices.get(xs, xs) for xs in self.lists]
        e.recorder.span = self.place
        let = e.recorder.emit(Loop(block, len(params), False), [*inits, *along])
        env, own = dict(self.before), self.own()
        self.seal_copied(after)
        for n, (starts, _, end) in carried.items():
            env[n] = rebuilt(end, iter([e.recorder.target(let, v.name, v.object) for v in starts]))
            env[n] = unsealed(env[n]) if n in own else env[n]
            if isinstance(end, Perhaps) and end.bound is True and self.certain:
                env[n] = env[n].value
        self.join_twins(env)
        for n in self.bound:
            if n not in carried and n not in self.twins and (
                    n not in self.names or after.get(n) is not self.before[n]):
                env[n] = self.before[n] if n in self.names and isinstance(self.before[n], Unbound) else Unbound(
                    f"bound only inside the loop at {self.place}, which may run zero times")
        reread_names.take(e, self.row_names, self.before, env)
        self.cells.load(env)
        for name in self.by_index.values():
            del env[name]
        self.frame.env = env


def is_unranked(a: Object | None) -> bool:
    """Whether what is of an object may be a number or an array."""
    return isinstance(a, Array) and a.axes is None


def by_first_run(before: Object, behind: Object, wider: Object | None) -> bool:
    """Whether a loop carries what is of two objects, of which no more is known than that it is `wider`, for its first
    run alone: a number for an array, or numbers of other widths."""
    widths = {width(before), width(behind)}
    return (is_unranked(wider) and not is_unranked(before)) or (len(widths) == 2 and None not in widths)


def width(a: Object) -> str | None:
    """The dtype of an array or of a number of NumPy's; those of Python have none of their own."""
    if isinstance(a, Array):
        return a.dtype
    return a.kind if isinstance(a, Real) and a.kind in ("float32", "float64") else None


def at_end(e: Elaboration, value: Any, block: Block, a: Object) -> Any:
    """A value as what one run of a body leaves of a variable of an object."""
    if not isinstance(value, Var):
        return as_atom(value)
    return e.within(block, lambda: reals.widened(e, e.versions.now(value, block), a))


def depth(value: Any) -> int:
    """How many lists and objects a row stands in."""
    found = place_of(value)
    return 0 if found is None else 1 + depth(found[0])


def counts(xs: Var) -> bool:
    """True for the numbers of a range."""
    let = xs.definition
    return let is not None and isinstance(let.op, Apply) and let.op.primitive is structure.span


def whole_array(xs: Var) -> Any:
    """The array whose rows a loop runs along."""
    let = xs.definition
    rows_of = let is not None and isinstance(let.op, Apply) and let.op.primitive is structure.rows
    return let.args[0] if rows_of else None  # type: ignore[union-attr]


def stays(e: Elaboration, value: Any) -> bool:
    """True for what Python changes in place where a name of it stands left of `+=`; of lists of the program for those
    that the caller sees."""
    lent = lists.is_of_program(value) and e.lent.lends(value)
    return lent or isinstance(value, Mutable) or surely_array(value)


def changed_along(e: Elaboration, xs: Var) -> Any:
    """The map that a dict holds now whose keys a loop runs along; None where it is still the same."""
    owner = e.key_lists.get(xs)
    m = owner.fields[ITEMS] if owner is not None else None
    return m if m is not None and isinstance(xs.definition, Let) and xs.definition.args[0] is not m else None


def same_size(e: Elaboration, xs: Var) -> None:
    """Where a loop runs along the keys of a dict and changes it: raise what Python raises where it has more now."""
    m = changed_along(e, xs)
    if m is not None:
        e.always(maps.check_size, (m, structure.length(xs)))
