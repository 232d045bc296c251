"""Which names a loop carries: those that its body binds or changes and that have a value before it or behind it.

Two names of one list are carried as one, and a name of a row is read again where the list that holds it is carried.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import UnsupportedPython
from ccc.compile.frontend import boxed, branches, presence, sums
from ccc.compile.frontend.carried import as_atom, holds_functions, is_poor, leaves_of, nothing, rebuilt
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import Paths
from ccc.compile.frontend.liveness import liveness
from ccc.compile.frontend.loop_sequences import counts
from ccc.compile.frontend.memory.interface import (
    Cells,
    dropped,
    is_named,
    lists,
    place_of,
    promoted,
    reread_names,
    surely_array,
)
from ccc.compile.frontend.names import bound, changed, in_scope, rebound
from ccc.compile.frontend.values import NOT_YET, Frame, Mutable, OwnName, Perhaps, RecordValue, Unbound
from ccc.compile.program.lam import Block, BlockKind, Var


class LoopNames:
    """The names of a `for`, before it and in a run of its body."""

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
        self.before: dict[str, Any] = dict(frame.env)
        parts = in_scope([node])
        anew, whole = bound(parts), rebound(parts)
        self.bound = [n for n in changed(parts) if n in (
            anew if isinstance(self.before.get(n), RecordValue) else whole if stays(e, self.before.get(n)) else [n])]
        self.names = [n for n in self.bound if n in self.before and not is_poor(self.before[n])]
        self.carried = [n for n in self.names if leaves_of(self.before[n]) is not None]
        self.objects = {n: [as_atom(v).object for v in leaves_of(self.before[n]) or []] for n in self.carried}
        self.starts: dict[str, list[Var]] = {}
        self.unsummed: dict[str, Any] = {}  # what names stand for behind one run, before any becomes one of a sum
        self.cells = Cells(e, frame)
        where = lambda test, run: branches.either(e, test, run, lambda: None, node, frame)  # noqa: E731
        self.drops = dropped.drops(e, where) if e.stores is not None else None
        self.seen: set[str] = set()
        self.block = Block(BlockKind.LOOP, e.recorder.block)
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
        self.names, self.carried = [[n for n in found if not self.forgotten(n)] for found in (self.names, self.carried)]

    def forgotten(self, n: str) -> bool:
        """True for a name that nothing reads when a run has ended, where a run drops what none leads to: what the name
        showed is gone then, and the loop neither carries it nor hands it out."""
        known = self.frame.node is not None and self.node in liveness(self.frame.node).heads
        return self.drops is not None and known and not isinstance(n, OwnName) and n not in self.frame.cells and (
            n not in self.read | self.behind)

    def forget(self, ends: Paths) -> None:
        """Let such names stand for nothing, however a run has ended: joined, they would be read."""
        for env in (ends.env, *ends.extras.values()):
            env.update({n: Unbound("nothing reads it again") for n in self.bound if n in env and self.forgotten(n)})

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

    def promote(self, grown: list[Any], need: Exception | None = None) -> None:
        """Make lists of the program, before the loop, of those that the body changes in a way that is not known."""
        self.frame.env = dict(self.before)
        for found in dict.fromkeys(grown):
            if need is not None and not is_named(self.e, found):
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

    def awaited(self) -> list[str]:
        """The names without a value before the loop that are read where a run of the body may have bound them."""
        wanted = self.read | self.behind | self.cells.first_assigned
        return [n for n in self.bound if n in wanted and n not in self.carried and n not in self.frame.cells
                and presence.absent(self.before.get(n, NOT_YET))]

    def later(self) -> dict[str, Any]:
        """What stands for such names that an earlier run may have bound, until it is known what they are."""
        found = [n for n in self.awaited() if n in self.read and not self.at_start(n)]
        why = f"bound only inside the loop at {self.place}"
        inside = {n: Unbound(why) for n in [*self.made_within(), *[n for n in found if n in self.lost]]}
        return {n: Unbound(why, absent=True, raises=True) for n in found} | inside

    def made_within(self) -> list[str]:
        """The variables which inner functions write to that the body binds first and an earlier run may have bound.
        With stores they stand in one from the next reading on, where a loop carries them as it does any name."""
        found = [n for n in self.bound if n in self.frame.cells and presence.absent(self.before.get(n, NOT_YET))]
        for n in found:
            if n in self.read | self.behind:
                boxed.share(self.e, self.frame, n)
        return [n for n in found if n in self.read]

    def at_start(self, n: str) -> bool:
        """True for names that the test of a loop reads."""
        return False

    def carry_awaited(self, after: dict[str, Any]) -> bool:
        """Carry names that the body binds from now on, with a bool that says whether it did; True where there are more.
        """
        for n in self.carried:
            if isinstance(self.before[n], Perhaps) and n in after:
                value = presence.lifted(after[n], rebuilt(self.before[n], iter(self.starts[n])))
                if isinstance(value, Perhaps):
                    value = Perhaps(self.carriable(value.value), value.bound)
                after[n] = value
        again = False
        for n in self.awaited():
            value = after.get(n, NOT_YET)
            surely = self.certain and n not in self.read | self.cells.first_assigned and not isinstance(value, Unbound)
            value = value.value if isinstance(value, Perhaps) else value
            if surely or self.at_start(n) or n in self.lost:
                continue
            value = self.carriable(value)
            leaves = leaves_of(value)
            if leaves is None and not isinstance(value, Unbound) and n in self.read:
                self.lost.add(n)
                again = True
            if leaves is not None:
                objects = [as_atom(v).object for v in leaves]
                self.carry({n: Perhaps(rebuilt(value, iter(map(nothing, objects))), False)}, anew=False)
                again = True
        return again

    def as_variable(self, value: Any) -> Any:
        """A function, a text, or what holds some, as a variable of the program."""
        e = self.e
        return e.within(self.block, lambda: sums.text_of(e, e.leaf(value, self.node, self.frame)))

    def with_functions(self, value: Any) -> Any:
        """A value that functions are reached from as a variable of the program, and any other as it is."""
        return self.as_variable(value) if holds_functions(value) else value

    def carriable(self, value: Any) -> Any:
        """A value as one that a loop carries; itself where it is one, or there is none."""
        if isinstance(value, Unbound) or leaves_of(value) is not None:
            return value
        try:
            return self.as_variable(value)
        except UnsupportedPython:
            return value

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


def depth(value: Any) -> int:
    """How many lists and objects a row stands in."""
    found = place_of(value)
    return 0 if found is None else 1 + depth(found[0])


def stays(e: Elaboration, value: Any) -> bool:
    """True for what Python changes in place where a name of it stands left of `+=`; of lists of the program for those
    that the caller sees."""
    lent = lists.is_of_program(value) and e.lent.lends(value)
    return lent or isinstance(value, Mutable) or surely_array(value)
