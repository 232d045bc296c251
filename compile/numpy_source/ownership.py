"""Which updates may happen in place: those of a value that the program made and that nothing else can see.

A value made by an operation that returns new memory is followed through its versions. Each version may be read, as long
as no reader keeps a view of it, and then goes into the update that makes the next version: directly, in a loop that
carries it, or in both arms of a branch. If nothing reads the old version after that, the update may overwrite it.
"""

from __future__ import annotations

import math
from typing import Any

from ccc.compile.numpy_source.reuse import Sure, reused
from ccc.compile.numpy_source.whole import floats_in, may_be_whole
from ccc.compile.program.lam import (
    Absent,
    Apply,
    Block,
    BlockKind,
    Branch,
    Call,
    Lambda,
    Let,
    Lit,
    Loop,
    Var,
    While,
    blocks_in,
)
from ccc.compile.program.sharing import may_share, memory_of, mutable, takes_off
from ccc.objects import Array, List, Map
from ccc.primitives import arithmetic, boundary, inplace, maps, structure, tapes

Move = tuple[Let, int]
"""An operation or a call, and the position of an argument that it may overwrite."""

Version = tuple[Var, Block, bool]
"""A value in a block, and whether it is a list whose rows nothing else can see."""

Use = tuple[Any, int]
"""A let and the position among its arguments, or a block and the position among its results."""


class Ownership:
    """The uses of every variable, and the updates found to be safe."""

    def __init__(self, block: Block, entries: bool = False) -> None:
        self.entries = False
        self.copied = False
        self.uses: dict[Var, list[Use]] = {}
        self.places: dict[Let, tuple[Block, int]] = {}
        self.marked: set[Move] = set()
        self.whole: dict[Var, bool] = {}
        self.sure: Sure = {}
        self.given: dict[tuple[Block, int], int | None] = {}
        made: list[tuple[Var, Block]] = []
        todo = [block]
        while todo:
            here = todo.pop()
            for n, let in enumerate(here.lets):
                self.places[let] = (here, n)
                for i, atom in enumerate(let.args):
                    if isinstance(atom, Var):
                        self.uses.setdefault(atom, []).append((let, i))
                made += [(t, here) for t in let.targets if is_new(let, t)]
                todo += let.op.blocks
            for i, atom in enumerate(here.results):
                if isinstance(atom, Var):
                    self.uses.setdefault(atom, []).append((here, i))
        self.mixed = len(floats_in(block)) > 1
        self.arguments(block)
        self.entries = entries and not self.mixed  # of new values alone: what is given to a function stays as it is
        self.marked |= self.updates_of(block, made)
        self.entries = False
        for here in blocks_in(block):
            for let in list(here.lets):
                if isinstance(let.op, (Loop, While)):
                    self.copied_first(let, let.op, here)
        self.copied_for_calls()

    def overwritten(self) -> dict[Let, int]:
        """The lets whose result may overwrite an argument, and its position: the first one, where two may be."""
        moves = [(let, position) for let, position in self.marked if isinstance(let.op, Apply)]
        return dict(sorted(moves, key=lambda move: -move[1]))

    # -- functions of the program ----------------------------------------------------------------------------------

    def arguments(self, block: Block) -> None:
        """Find the arguments that a function may overwrite if its callers give them away, and which result holds the
        last version: what is assumed of all is dropped until it holds."""
        possible: dict[tuple[Block, int], list[int | None]] = {}
        for here in blocks_in(block):
            for let in here.lets:
                if isinstance(let.op, Lambda) and self.calls_of(let) is not None:
                    body = let.op.body
                    for i, param in enumerate(body.params):
                        if isinstance(param.object, Map) or (
                                isinstance(param.object, Array) and param.object.axes != ()):
                            same = [r for r, x in enumerate(body.results) if x.object == param.object]
                            possible[body, i] = [*same, None]
        self.given = {key: results.pop(0) for key, results in possible.items()}
        while True:
            wrong = [key for key in self.given if not self.holds(key)]
            if not wrong:
                break
            for key in wrong:
                if possible[key]:
                    self.given[key] = possible[key].pop(0)
                else:
                    del self.given[key]
        for home, i in self.given:
            self.marked.update(self.follow(home.params[i], home)[1])

    def updates_of(self, block: Block, made: list[tuple[Var, Block]]) -> set[Move]:
        """The safe updates of new values; those of calls are new where the function gives what it made itself, which
        is assumed of all functions and dropped where it does not hold."""
        results: dict[tuple[Block, int], list[tuple[Var, Block]]] = {}
        for here in blocks_in(block):
            for let in here.lets:
                if isinstance(let.op, Lambda) and (calls := self.calls_of(let)) is not None:
                    for r, atom in enumerate(let.op.body.results):
                        if isinstance(atom.object, Array) and atom.object.axes != ():
                            results[let.op.body, r] = [(call.targets[r], self.places[call][0]) for call in calls]
        while True:
            marked, ends = self.followed([*made, *[found for calls in results.values() for found in calls]])
            wrong = [key for key in results if key not in ends]
            if not wrong:
                return marked
            for key in wrong:
                del results[key]

    def followed(self, made: list[tuple[Var, Block]]) -> tuple[set[Move], set[tuple[Block, int]]]:
        """The safe updates of new values, and the results of blocks that are the last versions of new values."""
        marked, ends = {*self.marked}, set[tuple[Block, int]]()
        seen: dict[Version, int | None] = {}
        todo = list(reversed(made))
        while todo:
            var, home = todo.pop()
            if is_overwriting(var.definition, marked):  # an older version of it was followed already
                continue
            _, marks, end, _ = self.follow(var, home, self.has_rows(var), seen)
            marked.update(marks)
            if end is None or (home, end) in ends:
                continue
            ends.add((home, end))
            let = home.owner
            if home.kind is BlockKind.BRANCH and let is not None and all(
                (arm, end) in ends or is_absent(arm.results[end]) for arm in let.op.blocks
            ):
                todo.append((let.targets[end], self.places[let][0]))
        return marked, ends

    def holds(self, key: tuple[Block, int]) -> bool:
        """True where an argument ends in the result that is assumed."""
        result = self.given[key]
        end = self.follow(key[0].params[key[1]], key[0])[2]
        return end == result and (result is not None or self.consumed(key))

    def consumed(self, key: tuple[Block, int]) -> bool:
        """True where nothing reads an argument, or a version of it, behind its last update."""
        var, marks, *_ = self.follow(key[0].params[key[1]], key[0])
        return bool(marks) and not self.uses.get(var)

    def calls_of(self, let: Let) -> list[Let] | None:
        """The calls of a function of the program; None where it is more than called."""
        uses = [use for target in let.targets for use in self.uses.get(target, ())]
        calls = [user for user, i in uses if isinstance(user, Let) and isinstance(user.op, Call) and i == 0]
        return calls if len(calls) == len(uses) else None

    def copied_for_calls(self) -> None:
        """Copy the arguments that a function overwrites where a caller does not give them away."""
        useful = {key for key in self.given if any(isinstance(let.op, Apply) for let, _ in self.marks_of(key))}
        while True:
            more = {key for key in self.given if key not in useful and any(
                isinstance(let.op, Call) and self.callee(let, i) in useful for let, i in self.marks_of(key))}
            if not more:
                break
            useful |= more
        for body, i in [key for key in self.given if key in useful]:
            assert body.owner is not None
            for call in self.calls_of(body.owner) or ():
                arg = call.args[i + 1]
                if (call, i + 1) not in self.marked and isinstance(arg, Var):
                    home, _ = self.places[call]
                    self.copied_before(call, i + 1, arg, home)

    def copied_before(self, let: Let, position: int, arg: Var, home: Block) -> None:
        """Give a let a copy of one of its arguments."""
        self.copied = True
        copied = maps.copied if isinstance(arg.object, Map) else boundary.own
        copy = Let(Apply(copied, {}), [arg], let.span, let.adjoint, let.of)
        home.lets.insert(home.lets.index(let), copy)
        let.args[position] = copy.target(arg.name, arg.object, home)
        self.uses[arg] = [(copy, 0) if use == (let, position) else use for use in self.uses[arg]]
        self.uses[let.args[position]] = [(let, position)]  # type: ignore[index]
        self.places.update({found: (home, n) for n, found in enumerate(home.lets)})

    def marks_of(self, key: tuple[Block, int]) -> list[Move]:
        return self.follow(key[0].params[key[1]], key[0])[1]

    def callee(self, call: Let, position: int) -> tuple[Block, int] | None:
        """The argument of a function that a position of a call gives."""
        function = call.args[0]
        made = function.definition if isinstance(function, Var) else None
        return (made.op.body, position - 1) if made is not None and isinstance(made.op, Lambda) else None

    # -- versions --------------------------------------------------------------------------------------------------

    def copied_first(self, let: Let, op: Loop | While, home: Block) -> None:
        """A loop that updates an array or map that others see: one copy before it, instead of one in each run."""
        for position, param in enumerate(op.body.params[: op.carries]):
            init = let.args[position]
            rows = holds_rows(param.object)
            if not (rows or isinstance(param.object, (Array, Map))) or not isinstance(init, Var):
                continue
            _, marks, end, after = self.follow(param, op.body, rows)
            if rows and not after:  # the next run begins with rows that something else may see
                continue
            if end != position or not marks or self.marked.issuperset(marks):
                continue
            if rows and not any(map(is_along, marks)):
                continue
            if all(isinstance(let.op, Apply) and let.op.primitive is arithmetic.add for let, _ in marks):
                continue
            self.copied_before(let, position, init, home)
            self.marked.update(marks)

    def follow(
        self, var: Var, home: Block, rows: bool = False, seen: dict[Version, int | None] | None = None
    ) -> tuple[Var, list[Move], int | None, bool]:
        """The last version of a value in a block, the safe updates up to it, and where it is a result of the block.
        `rows` says whether the value is a list whose rows nothing else can see; whether that of the last version is one
        is given back. Where several values become one, the updates behind that are given the first time alone, if what
        was `seen` so far is given."""
        marks: list[Move] = []
        passed: list[Version] = []
        while True:
            here = var, home, rows
            if seen is not None and here in seen:
                end = seen[here]
                break
            passed.append(here)
            following, found, end, rows = self.next_version(*here)
            marks += found
            if following is None:
                break
            var = following
        if seen is not None:
            seen.update(dict.fromkeys(passed, end))
        return var, marks, end, rows

    def next_version(self, var: Var, home: Block, rows: bool) -> tuple[Var | None, list[Move], int | None, bool]:
        """The version after one, if there is any, with the updates that make it; else where that one is a result."""
        uses = self.within(var, home)
        results = [position for user, position, _, _ in uses if isinstance(user, Block) and user is home]
        if results:
            others = [use for use in uses if use[0] is not home]
            alone, rows = self.are_over(others, var, home, math.inf, rows)
            return None, [], results[0] if alone and len(results) == 1 else None, rows
        if not uses:
            return None, [], None, rows
        last = max(n for _, _, n, _ in uses)
        before = [use for use in uses if use[2] < last and not (
            isinstance(use[0], Let) and takes_off(home.lets[last], use[0]))]
        over, rows = self.are_over(before, var, home, last, rows)
        if not over:
            return None, [], None, rows
        step = self.step(home.lets[last], [use for use in uses if use[2] == last], var, rows)
        return (None, [], None, rows) if step is None else (step[0], step[1], None, step[2])

    def are_over(
        self, uses: list[tuple[Any, int, int, list[Block]]], var: Var, home: Block, end: float, rows: bool
    ) -> tuple[bool, bool]:
        """Whether all these uses of a value are over at a position of a block, so that it may change; and whether
        nothing else can see its rows then: what reads an item of a list keeps that, and a change of the list changes no
        item, but one of what is in a row."""
        if all(self.is_over(user, position, path, home, end) for user, position, _, path in uses):
            return True, rows
        return isinstance(var.object, List) and all(
            self.is_over(user, position, path, home, end, kept=True) for user, position, _, path in uses), False

    def within(self, var: Var, home: Block) -> list[tuple[Any, int, int, list[Block]]]:
        """The uses of a variable inside a block: user, position, the let of the block that holds it, blocks between."""
        found: list[tuple[Any, int, int, list[Block]]] = []
        for user, position in self.uses.get(var, ()):
            if user is home:
                found.append((user, position, len(home.lets), []))
                continue
            block, n = (user, -1) if isinstance(user, Block) else self.places[user]
            path: list[Block] = []
            while block is not home:
                path.append(block)
                if block.owner is None or block.owner not in self.places:
                    break
                block, n = self.places[block.owner]
            else:
                found.append((user, position, n, path))
        return found

    def is_read(self, user: Any, position: int, path: list[Block]) -> bool:
        """The use computes something that shares no memory with what it reads, and does so when its turn comes."""
        if isinstance(user, Block) or calls_later(path):
            return False
        op = user.op
        if not isinstance(op, Apply):
            return False
        memory = memory_of(op)
        of_map = isinstance(user.args[position].object, Map) and memory.passes_on and memory.how != "holds"
        if of_map and position in memory.of and (memory.how in ("out of", "items") or memory.of == (0,)):
            return True  # an update of a map changes no item
        return not (memory.shares and any(mutable(t.object) or isinstance(t.object, tapes.Boxed) for t in user.targets))

    def is_over(
        self, user: Any, position: int, path: list[Block], home: Block, end: float, kept: bool = False
    ) -> bool:
        """The use is a read, or a view that is read before the let at a position of a block and then never again. An
        item of a list may be `kept` where that is asked for."""
        todo, seen = [(user, position, path, home, end)], set[tuple[Var, Block]]()
        while todo:
            user, position, path, home, end = todo.pop()
            if self.is_read(user, position, path) or self.runs_along(user, position, path):
                continue
            if kept and is_item(user, position) and not calls_later(path):
                continue
            if isinstance(user, Block) or not isinstance(user.op, Apply) or calls_later(path):
                return False
            view = user.targets[0]
            if not isinstance(view.object, (Array, List)) or user.op.primitive.effect:
                return False
            home, end = (path[0], math.inf) if path else (home, end)
            if (view, home) in seen:
                continue
            seen.add((view, home))
            for other, position, n, path, within in self.uses_of(view, home):
                if within is None or n >= end:
                    return False
                todo.append((other, position, path, home, end))
        return True

    def runs_along(self, user: Any, position: int, path: list[Block]) -> bool:
        """The use is a loop along a list of numbers, which keeps nothing of the list."""
        if isinstance(user, Block) or not isinstance(user.op, Loop) or position < user.op.carries:
            return False
        a = user.args[position].object
        return isinstance(a, List) and not mutable(a.item) and not calls_later(path)

    def uses_of(self, var: Var, home: Block) -> list[tuple[Any, int, int, list[Block], Block | None]]:
        """All uses of a variable, those that are not inside a block too, with None for the block."""
        found = self.within(var, home)
        outside = len(self.uses.get(var, ())) - len(found)
        kept: list[tuple[Any, int, int, list[Block], Block | None]] = [(*use, home) for use in found]
        return kept + [(home, 0, 0, [], None)] * outside

    def step(
        self, let: Let, uses: list[tuple[Any, int, int, list[Block]]], var: Var, rows: bool
    ) -> tuple[Var | None, list[Move], bool] | None:
        """The next version of a value that a let makes of it."""
        op = let.op
        direct = [(user, position) for user, position, _, _ in uses]
        if isinstance(op, Apply):
            if op.primitive.overwrites == 0 and memory_of(op).by_row and not rows:
                return None
            if direct == [(let, 0)] and op.primitive.overwrites == 0 and overwritable(let, self.whole, self.mixed):
                return let.targets[0], [(let, 0)], rows and self.keeps_rows(let)
            if direct == [(let, 0)] and op.primitive is inplace.updated:
                return let.targets[0], [], False
            if self.entries and all(user is let for user, _ in direct):
                i = reused(let, [position for _, position in direct], self.whole, self.sure)
                if i is not None:
                    return let.targets[0], [(let, i)], False
            return None
        if isinstance(op, Call):
            key = self.callee(*direct[0]) if len(direct) == 1 and direct[0][0] is let and direct[0][1] else None  # type: ignore[arg-type]
            if key is None or key not in self.given:
                return None
            result = self.given[key]
            return (None if result is None else let.targets[result]), [(let, direct[0][1])], False
        if isinstance(op, (Loop, While)):
            if len(direct) != 1 or direct[0][0] is not let or direct[0][1] >= op.carries:
                return None
            position = direct[0][1]
            _, marks, end, after = self.follow(op.body.params[position], op.body, rows)
            if rows and not after:  # the next run begins with what this one leaves
                _, marks, end, _ = self.follow(op.body.params[position], op.body)
            return (let.targets[position], marks, rows and after) if end == position else None
        if isinstance(op, Branch):
            arms = [self.follow(var, arm, rows) for arm in op.blocks]
            ends = {end for _, _, end, _ in arms}
            if len(ends) != 1 or None in ends or (let, 0) in direct:
                return None
            position = ends.pop()
            assert position is not None
            return let.targets[position], arms[0][1] + arms[1][1], arms[0][3] and arms[1][3]
        return None

    # -- rows of lists ---------------------------------------------------------------------------------------------

    def has_rows(self, var: Var) -> bool:
        """True for a new list of lists or arrays whose rows nothing else can see."""
        let = var.definition
        if let is None or not holds_rows(var.object):
            return False
        if isinstance(let.op, (Loop, While)):
            i, body = let.targets.index(var), let.op.blocks[-1]
            return i >= let.op.carries and self.is_only_there(body.results[i], body)
        if not isinstance(let.op, Apply):
            return False
        if let.op.primitive is structure.listing:
            return len({*let.args}) == len(let.args) and all(self.is_only_there(v, let) for v in let.args)
        return memory_of(let.op).how == "new"

    def is_only_there(self, row: Any, place: Any) -> bool:
        """True for a new row that is put into one place and read nowhere else."""
        if not isinstance(row, Var) or row.definition is None or not isinstance(row.object, (Array, List)):
            return False
        if not is_new(row.definition, row) or any(user is not place for user, _ in self.uses.get(row, ())):
            return False
        home = place if isinstance(place, Block) else self.places[place][0]
        return self.places[row.definition][0] is home and (not holds_rows(row.object) or self.has_rows(row))

    def keeps_rows(self, let: Let) -> bool:
        """True for an update behind which nothing else can see the rows either."""
        memory = memory_of(let.op)  # type: ignore[arg-type]
        if is_along((let, 0)):
            return True
        return memory.how == "changed" and all(self.is_only_there(let.args[i], let) for i in memory.of[1:])


def calls_later(path: list[Block]) -> bool:
    """Whether a use stands in a function, which may be called at any time."""
    return any(block.kind is BlockKind.FUNCTION for block in path)


def is_item(user: Any, position: int) -> bool:
    """Whether a use reads an item of a list."""
    if not isinstance(user, Let) or not isinstance(user.op, Apply) or not isinstance(user.args[position].object, List):
        return False
    memory = memory_of(user.op)
    return memory.how == "out of" and position in memory.of


def holds_rows(a: Any) -> bool:
    """True for lists of lists and of arrays."""
    return isinstance(a, List) and (isinstance(a.item, List) or (isinstance(a.item, Array) and a.item.axes != ()))


def is_along(mark: Move) -> bool:
    """True for a change of a row."""
    op = mark[0].op
    return isinstance(op, Apply) and memory_of(op).by_row


def is_overwriting(let: Let | None, marked: set[Move]) -> bool:
    """True for an operation whose result is found to take the memory of an argument."""
    return let is not None and isinstance(let.op, Apply) and any((let, i) in marked for i in range(len(let.args)))


def is_absent(atom: Any) -> bool:
    """True for what stands for a value of a branch that was not taken."""
    return isinstance(atom, Lit) and isinstance(atom.value, Absent)


def is_new(let: Let, var: Var) -> bool:
    """The value was made by an operation that returns new memory."""
    op = let.op
    if isinstance(op, (Loop, While)) and isinstance(var.object, List):
        return var not in let.targets[: op.carries]
    if not isinstance(op, Apply):
        return False
    if isinstance(var.object, (List, Map)):
        return memory_of(op).is_new and op.primitive is not structure.span  # a range cannot be changed
    return isinstance(var.object, Array) and var.object.axes != () and not may_share(op)


def overwritable(let: Let, whole: dict[Var, bool], mixed: bool) -> bool:
    """The result has the dtype and shape of what it overwrites; `whole` are the answers of `may_be_whole` so far, and
    `mixed` says whether an array may have another dtype than its object, which is that of several."""
    if not isinstance(let.op, Apply) or let.op.primitive is not arithmetic.add:
        return True
    if mixed:
        return False
    a, b, y = let.args[0].object, let.args[1].object, let.targets[0].object
    if not (isinstance(a, Array) and a == y and a.axes and "?" not in a.axes):
        return False
    if isinstance(b, Array) and (b.dtype != a.dtype or b.axes is None):
        return False
    if not isinstance(b, Array) and a.dtype != "float64" and not isinstance(let.args[1], Lit):
        return False  # what may be one of Python's floats or of NumPy's decides the dtype when it runs
    return not may_be_whole(let.args[0], whole)
