"""Loops of Python: `for` over what is known item by item is unrolled, every other stays a loop of the program.

A loop carries the names that it binds and that had a value before, at a fixed point of their types; a name that is
bound in the loop alone has a value behind it where the loop surely runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import CompileError, mismatch
from ccc.compile.frontend import interrupts, joins, members, reals, steady, sums
from ccc.compile.frontend.carried import alike, as_atom, leaves_of, nothing, rebuilt, replaced, unsealed, unset_like
from ccc.compile.frontend.complex_values import is_complex
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import ON, RAISE, Paths
from ccc.compile.frontend.iterables import surely_runs
from ccc.compile.frontend.loop_aliases import LoopAliases
from ccc.compile.frontend.loop_sequences import counts, same_size, sequences, whole_array
from ccc.compile.frontend.memory.interface import list_changes, lists, reread_names, stored
from ccc.compile.frontend.parts import opened, parts_in, same_names
from ccc.compile.frontend.result_trees import as_item
from ccc.compile.frontend.values import UNSET, Frame, ListValue, Mutable, OwnName, Perhaps, Unbound, atom_of
from ccc.compile.program.lam import Block, BlockKind, Loop, Var
from ccc.coproducts import difference, join
from ccc.objects import INT, UNIT, Array, Bool, Int, List, Object, Real
from ccc.primitives import indexing, structure

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


class CarriedLoop(LoopAliases):
    """A `for` that stays a loop."""

    def elaborate(self) -> None:
        e = self.e
        after = self.until_settled()
        carried = {n: (self.starts[n], self.before[n], after[n]) for n in self.carried}
        for n in self.bound:
            if self.certain and n not in self.names and leaves_of(after.get(n)) is not None and not self.forgotten(n):
                objects = [as_atom(v).object for v in leaves_of(after[n]) or []]
                outs = [e.recorder.param(Block(BlockKind.LOOP), n, a) for a in objects]
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
            except interrupts.Grows as need:
                undo()
                self.promote([need.found], need)
            except interrupts.ByIndex as need:
                undo()
                self.read_by_index(need)
            except CompileError as error:
                for n in self.carried:
                    if not getattr(error, "way", frozenset()).isdisjoint(self.starts[n]):
                        self.apart(n)
                raise
        raise mismatch("CC006", "the types of this loop's variables do not settle", self.place,
                       help="give each variable one type before the loop")

    def undoing(self) -> Callable[[], None]:
        """What forgets what is noted of the program from now on, where the body is elaborated anew."""
        e = self.e
        updates, times, pending = len(e.updates), dict(e.rows.times), len(e.pending)
        unchanged = e.versions.saved()

        def undo() -> None:
            e.rows.times = times
            unchanged()
            del e.updates[updates:], e.pending[pending:]

        return undo

    def read_by_index(self, need: interrupts.ByIndex) -> None:
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
        made = self.cells.made(self.block, self.place)
        self.before |= made
        self.bound.extend(made)
        found = {**more, **({} if made else self.cells.found(self.block))}
        self.carry(found)
        self.frame.env = after
        return bool(found or made)

    def run_body(self) -> dict[str, Any]:
        """Elaborate the body once; gives the environment at its end."""
        e, frame = self.e, self.frame
        after: dict[str, Any] = {}
        frame.env = dict(self.before)
        self.block = block = Block(BlockKind.LOOP, e.recorder.block)
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
            try:
                e.bind(self.node.target, self.make(found), frame)
                ends = steady.turn(e, self.node, frame)
            except interrupts.Ends:  # what it runs along has no such items: it raises where it runs at all
                ends = Paths([RAISE], frame.env)
            self.forget(ends)
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
            raise interrupts.FirstRun(f"`{name}`", self.place)

    def summed(self, after: dict[str, Any]) -> bool:
        """Let names that become something else (None a number, one record another) stand for a sum; True where one is
        wider than before."""
        again = False
        self.unsummed = dict(after)
        for n in self.names:
            old = self.before[n]
            if isinstance(old, Unbound) and old is not UNSET:
                continue
            first = stored.before_loop(self.e, self.frame, n, old, after.get(n))
            if first is not old:
                self.cells.store(self.before)  # its place is in a store that the loop may carry
            if is_real(first) and is_complex(after.get(n)):
                self.apart(n)
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
        if old is UNSET or new is UNSET:
            found = self.with_functions(new if old is UNSET else old)
            return (unset_like(found), found) if old is UNSET else (found, unset_like(found))
        if members.alike(old, new):
            old, new = members.as_object(old), members.as_object(new)
        if members.is_member(old) and isinstance(new, Var):
            old = self.e.leaf(old, ast.Pass(), self.frame)
            return self.fitted(old, new) if old.object == new.object else (old, new)
        parts, others = parts_in(old), parts_in(new)
        if parts is not None and others is not None and len(parts) == len(others) and same_names(old, new):
            pairs = [self.fitted(x, y) for x, y in zip(parts, others, strict=True)]
            return replaced(old, parts, [a for a, _ in pairs]), replaced(new, others, [b for _, b in pairs])
        if lists.is_of_program(old) and isinstance(new, ListValue) and joins.is_alone(self.e, new) and not any(
                isinstance(item, Mutable) for item in new.items):
            e, place = self.e, self.place
            return old, e.within(self.block, lambda: reals.listed(e, [as_item(e, x, place) for x in new.items]))
        if sums.is_text(old) and sums.is_text(new):
            return (old, old) if old == new else (sums.text_of(self.e, old), self.e.within(
                self.block, lambda: sums.text_of(self.e, new)))
        whole = sums.one_object(self.e, old, new) if sums.is_open(old) or sums.is_open(new) else None
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


def is_real(value: Any) -> bool:
    """True for a real number or array."""
    return isinstance(value.object if isinstance(value, Var) else value, (Real, Int, Bool, Array, float, int))


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


