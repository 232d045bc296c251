"""Loops that are left before their sequence ends or their test fails: what they carry says how they ended."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import conditions, loop_sequences, reals, steady, sums
from ccc.compile.frontend.attempts import EXCEPTION
from ccc.compile.frontend.carried import as_atom, leaves_of, rebuilt, unsealed
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import BREAK, DONE, NEXT, ON, RAISE, RETURN, Flagged, Paths, Renamed, exits
from ccc.compile.frontend.interrupts import Ends, Raised
from ccc.compile.frontend.iterated import side_by_side
from ccc.compile.frontend.iterator_values import (
    ByKeyValue,
    EnumerateValue,
    OnceValue,
    RangeValue,
    ZipValue,
)
from ccc.compile.frontend.joins import unread
from ccc.compile.frontend.liveness import order
from ccc.compile.frontend.loop_sequences import value_of
from ccc.compile.frontend.loops import CarriedLoop, at_end
from ccc.compile.frontend.memory.interface import list_changes, reread_names, walking
from ccc.compile.frontend.names import assigned, changed, in_scope
from ccc.compile.frontend.parts import opened, parts_in, remade
from ccc.compile.frontend.paths import fork, then
from ccc.compile.frontend.values import Frame, ListValue, Mutable, Perhaps, TextValue, Unbound, is_function
from ccc.compile.program.lam import Absent, Block, BlockKind, Lit, Var, While
from ccc.objects import BOOL, INT, Array, List
from ccc.primitives import arithmetic, indexing, structure


class Walk:
    """What a `for` runs along, by an index: how many elements there are, and the one at an index."""

    def __init__(self, e: Elaboration, over: Any, node: ast.AST, frame: Frame) -> None:
        self.along = iterated(over)
        self.by_index: dict[Var, str] = {}
        self.start: Any = 0
        self.step: Any = 1
        bounds: list[Any] = list(over.bounds) if isinstance(over, RangeValue) else []
        step = bounds[2] if len(bounds) == 3 else 1
        if bounds and type(step) is int and step != 0:
            self.start, self.stop = (0, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
            self.step = step
            self.at: Callable[[Any], Any] = lambda i: i
        else:
            counts, self.at = walk(self, e, over, node, frame)
            self.stop = counts[0] if len(counts) == 1 else arithmetic.smallest(*counts)

    def more(self, i: Var) -> Any:
        """Whether there is an element at the index."""
        return arithmetic.less(i, self.stop) if self.step > 0 else arithmetic.greater(i, self.stop)


class Rereading(Walk):
    """What a `for` runs along that changes meanwhile: whether there is another element is asked anew each time."""

    def __init__(self, e: Elaboration, over: Any, node: ast.AST, frame: Frame) -> None:
        self.along, self.by_index, self.start, self.step = [], {}, 0, 1
        self.has, self.at = walking.turns(e, over, node, frame)

    def more(self, i: Var) -> Any:
        return self.has(i)


def walk(
    whole: Walk, e: Elaboration, over: Any, node: ast.AST, frame: Frame
) -> tuple[list[Any], Callable[[Any], Any]]:
    """The lengths of what is run along, and the element at an index."""
    if isinstance(over, OnceValue):
        return walk(whole, e, over.items, node, frame)
    if isinstance(over, ZipValue):
        parts = [walk(whole, e, part, node, frame) for part in over.parts]
        return [n for counts, _ in parts for n in counts], lambda i: tuple([at(i) for _, at in parts])
    if isinstance(over, EnumerateValue):
        counts, at = walk(whole, e, over.part, node, frame)
        first = over.start
        return counts, lambda i: (i if isinstance(first, int) and first == 0 else arithmetic.add(i, first), at(i))
    if isinstance(over, ByKeyValue):
        counts, at = walk(whole, e, over.keys, node, frame)
        return counts, lambda i: value_of(e, over, at(i), node, frame)
    if isinstance(over, Var) and isinstance(over.object, Array):
        return [structure.length(over)], lambda i: indexing.index(over, i, pattern=("i",))
    items = e.sequence(over, node, frame)

    def element(i: Var) -> Any:
        if items in whole.by_index:
            return list_changes.at(e, frame.env[whole.by_index[items]], i)
        found = structure.item(items, i)
        e.rows.elements.setdefault(e.recorder.block, {})[found] = items
        return opened(found)

    return [structure.length(items)], element


def iterated(over: Any) -> list[Var]:
    """The arrays and lists that something runs along."""
    found: list[Var] = []
    for part in side_by_side(over):
        if isinstance(part, OnceValue):
            found += iterated(part.items)
        elif isinstance(part, (ByKeyValue, Var)):
            found.append(part.keys if isinstance(part, ByKeyValue) else part)
    return found


class ChangedByTest(Exception):
    """The test of a `while` changes what was there before the loop: it belongs to the body, which carries that."""


class LeftLoop(CarriedLoop):
    """A loop of Python as a `while` of the program; `walk` is None for a `while`."""

    def __init__(
        self, e: Elaboration, node: ast.For | ast.While, frame: Frame, walk: Walk | None, certain: bool,
        first: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(e, node, frame, [], lambda elements: None, certain, first)  # type: ignore[arg-type]
        self.walk = walk
        self.along = walk.along if walk is not None else []
        if walk is not None:
            walk.by_index = self.by_index
        parts = [node.target, *node.body] if isinstance(node, ast.For) else [node.test, *node.body]
        within = changed(in_scope(parts))
        self.bound = [n for n in self.bound if n in within]
        self.names = [n for n in self.names if n in self.bound]
        self.carried = [n for n in self.carried if n in self.bound]
        self.objects = {n: self.objects[n] for n in self.carried}
        self.test = node.test if isinstance(node, ast.While) else None
        self.tested = self.test is not None and not isinstance(self.test, ast.Constant)
        leaving = bool(exits(node.body) & {BREAK, RETURN} or e.attempts.active)
        self.inward = self.test is not None and self.tested and (leaving or bool(assigned([self.test])))
        self.ends = Paths([ON], {})
        self.index: Var | None = None
        self.mine: set[str] = set()

    # -- one run ---------------------------------------------------------------------------------------------------

    def run_body(self) -> dict[str, Any]:
        e, frame = self.e, self.frame
        self.block = block = Block(BlockKind.LOOP, e.recorder.block)
        self.mine = self.own()
        self.starts = self.opening(block)
        for n in self.carried:
            for start, init in zip(self.starts[n], leaves_of(self.before[n]) or [], strict=True):
                e.origins[start] = [init]
        self.index = e.recorder.param(block, "i", INT) if self.walk is not None else None
        if self.index is not None and isinstance(self.node, ast.For):
            e.rows.counted[self.index] = self.node.iter
        e.inside(block, self.once)
        frame.env = self.ends.env
        return frame.env

    def opening(self, block: Block) -> dict[str, list[Var]]:
        """Parameters of a block for the carried names, which stand for them from now on."""
        e, frame = self.e, self.frame
        starts = {n: [e.recorder.param(block, n, o) for o in self.objects[n]] for n in self.carried}
        frame.env = {**self.before, **self.later()}
        for n in self.carried:
            frame.env[n] = rebuilt(self.before[n], iter(starts[n]))
        self.join_twins(frame.env)
        return starts

    def at_start(self, n: str) -> bool:
        return self.test is not None and n in order(self.test)[0]

    def once(self) -> None:
        """Elaborate the body; how it ends is kept."""
        e, node, frame = self.e, self.node, self.frame
        reread_names.take(e, self.row_names, self.before, frame.env)
        self.cells.load(frame.env)
        self.take(self.mine)
        if self.drops is not None:
            self.drops.begun(self.block)
        if self.walk is not None:
            e.bind(node.target, e.attempts.surely(lambda: self.walk.at(self.index)), frame)  # type: ignore[union-attr]
        run: Callable[[], Paths] = lambda: self.checked(steady.turn(e, node, frame))  # noqa: E731
        if self.inward:
            assert self.test is not None
            test = conditions.condition(e, self.test, frame)
            done: Callable[[], Paths] = lambda: Paths([DONE], frame.env)  # noqa: E731
            ends = fork(e, test, run, done, node, frame) if isinstance(test, Var) else (run if test else done)()
        else:
            self.assume()
            ends = run()
        self.ends = Renamed(ends, {NEXT: ON})
        self.cells.store(self.ends.env)

    def checked(self, ends: Paths) -> Paths:
        """The ends of the body; a dict that the loop runs along has as many keys where it goes on."""
        e, frame = self.e, self.frame
        along = [] if self.walk is None else [xs for xs in self.walk.along if loop_sequences.changed_along(e, xs)]
        self.forget(ends)

        def check() -> Paths:
            for xs in along:
                loop_sequences.same_size(e, xs)
            if self.drops is not None:
                self.drops.ended()
            return Paths([ON], frame.env)

        return then(e, Renamed(ends, {NEXT: ON}), check, self.node, frame) if along or self.drops else ends

    def assume(self) -> None:
        """In the body the test holds, which may say what a sum is."""
        if self.tested and self.test is not None and pure(self.test) and any(
                sums.is_sum(v) for v in self.frame.env.values()):
            sums.assume(self.e, conditions.condition(self.e, self.test, self.frame), True)

    def narrow_behind(self, env: dict[str, Any]) -> None:
        """Behind the loop the test does not hold, which may say that a sum is a number."""
        several = [n for n, v in env.items() if sums.is_sum(v)]
        if not several or self.test is None or not self.tested or not pure(self.test):
            return
        before, self.frame.env = self.frame.env, env
        sums.assume(self.e, conditions.condition(self.e, self.test, self.frame), False)
        self.frame.env = before
        for n in several:
            env[n] = sums.number_left(self.e, env[n])

    # -- the whole -------------------------------------------------------------------------------------------------

    def elaborate(self) -> Paths:  # type: ignore[override]
        undo = self.undoing()
        try:
            self.until_settled()
            return self.closed(Carries(self))
        except ChangedByTest:
            undo()
            self.inward = True
            self.until_settled()
            return self.closed(Carries(self))

    def closed(self, carries: Carries) -> Paths:
        """Record the loop; gives its ends, with the names that each kind leaves."""
        e, ends = self.e, self.ends
        live = ends.kinds - {RAISE}
        exhausted = self.walk is not None or (self.tested and not self.inward)
        outs = sorted(live - {ON}, key=lambda kind: (not isinstance(kind, Raised), ORDER.get(kind, 0), kind))
        for n in self.carried:
            carries.add(self.starts[n], leaves_of(self.before[n]) or [], leaves_of(ends.env[n]) or [])
        if self.walk is not None and self.index is not None:
            following = carries.inside(lambda: arithmetic.add(self.index, self.walk.step))  # type: ignore[union-attr]
            carries.add([self.index], [self.walk.start], [following])
        going = carries.flag(ends, "going", {ON}, live, True) if outs else None
        told = ([DONE] if exhausted else []) + outs
        flags: dict[str, Any] = {}
        for kind in told[:-1]:
            name = NAMES.get(kind, "raised")
            flags[kind] = going if kind == DONE and exhausted else carries.flag(ends, name, {kind}, live, False)
        value = carries.out(ends.value, self.place) if RETURN in live else None
        extras = {kind: self.left(carries, kind) for kind in told if kind != RETURN}
        test = self.testing(carries, going)
        let = e.recorder.emit(While(test, carries.block), carries.inits)
        for param in carries.block.params:
            e.recorder.target(let, param.name, param.object)
        env, own = dict(self.before), self.own()
        self.seal_copied(ends.env)
        for n in self.carried:
            env[n] = carries.last(rebuilt(ends.env[n], iter(self.starts[n])), let)
            env[n] = unsealed(env[n]) if n in own else env[n]
        self.join_twins(env)
        for n in self.bound:
            if n not in self.carried and n not in self.twins and (
                    n not in self.names or ends.env.get(n) is not self.before[n]):
                old = self.before.get(n)
                env[n] = old if n in self.names and isinstance(old, Unbound) else Unbound(
                    f"bound only inside the loop at {self.place}, which may run zero times")
        reread_names.take(e, self.row_names, self.before, env)
        self.cells.load(env)
        for name in self.by_index.values():
            del env[name]
        if not outs:
            self.narrow_behind(env)
        found = {kind: {n: carries.last(v, let) for n, v in names.items()} for kind, names in extras.items()}
        if not told:
            return Paths([RAISE], env)
        bools = {kind: carries.last(flag, let) for kind, flag in flags.items()}
        return Flagged(bools, told[-1], env, found, carries.last(value, let))

    def left(self, carries: Carries, kind: str) -> dict[str, Any]:
        """What names that had no value before the loop are where it was left in one way."""
        if kind == DONE and not self.inward:
            names = self.ends.names(ON) if self.certain and ON in self.ends.kinds else {}
        else:
            names = self.ends.names(kind)
        found: dict[str, Any] = {}
        for n in [n for n in self.bound if not self.forgotten(n)]:
            value = names.get(n)
            known = n in self.twins or (n in self.names and not isinstance(self.before[n], Unbound))
            if not known and n in names and not isinstance(value, Unbound) and leaves_of(value) is not None:
                found[n] = carries.out(value, self.place) if can_leave(value) else Unbound(
                    f"it is a function or a list display of a run of the loop at {self.place}",
                    "`{}` cannot leave its loop", "CC003")
        if EXCEPTION in names and isinstance(kind, Raised):
            found[EXCEPTION] = carries.out(names[EXCEPTION], self.place)
        return found

    def starting(self, twins: dict[Var, Var]) -> None:
        """The names and what changes as they are where the test is read."""
        self.frame.env = dict(self.before)
        for n in self.carried:
            self.frame.env[n] = rebuilt(self.before[n], iter([twins[v] for v in self.starts[n]]))
        self.join_twins(self.frame.env)
        reread_names.take(self.e, self.row_names, self.before, self.frame.env)
        self.cells.load(self.frame.env)

    def testing(self, carries: Carries, going: Var | None) -> Block:
        """The block that says whether the body runs again."""
        e, frame = self.e, self.frame
        block = Block(BlockKind.TEST, e.recorder.block)
        twins = {p: e.recorder.param(block, p.name, p.object) for p in carries.block.params}

        def tested() -> Any:
            if isinstance(self.walk, Rereading):
                self.starting(twins)
            if self.walk is not None and self.index is not None:
                more = self.walk.more(twins[self.index])
                return more if going is None else arithmetic.both(twins[going], more)
            if going is not None:
                return twins[going]
            if not self.tested:
                return True
            assert self.test is not None
            asked = self.test
            self.starting(twins)
            found, changes = e.heap.noting(lambda: conditions.condition(e, asked, frame))
            if changes:
                raise ChangedByTest
            return found

        try:
            test = e.inside(block, tested)
        except Ends:  # it raises whenever it is asked, so it does before the first run
            if self.test is None:
                raise
            frame.env = dict(self.before)
            conditions.condition(e, self.test, frame)
            raise
        block.results = [test if isinstance(test, Var) else Lit(bool(test), BOOL)]
        return block


def pure(test: ast.expr) -> bool:
    """True for a test that calls nothing but `isinstance` and `callable`."""
    return all(isinstance(inner.func, ast.Name) and inner.func.id in ("isinstance", "callable")
               for inner in ast.walk(test) if isinstance(inner, ast.Call))


def can_leave(value: Any) -> bool:
    """True for what a loop can leave behind: no functions, no lists known item by item."""
    parts = parts_in(value)
    if isinstance(value, ListValue) or (parts is None and not isinstance(value, Var) and is_function(value)):
        return False
    return parts is None or all(map(can_leave, parts))


ORDER = {DONE: 0, RETURN: 1, BREAK: 2}
NAMES = {DONE: "done", RETURN: "returned", BREAK: "broken"}


class Carries:
    """What a loop carries: parameters of its body, their first values, and what the body makes of them."""

    def __init__(self, loop: LeftLoop) -> None:
        self.e = loop.e
        self.block = loop.block
        self.block.params = []
        self.inits: list[Any] = []
        self.outs: dict[Var, Var] = {}

    def inside(self, run: Callable[[], Any]) -> Any:
        """What `run` gives, recorded at the end of the body."""
        recorder = self.e.recorder
        outer, recorder.block = recorder.block, self.block
        try:
            return run()
        finally:
            recorder.block = outer

    def add(self, params: list[Var], inits: list[Any], ends: list[Any]) -> None:
        self.block.params += params
        self.inits += [reals.widened(self.e, as_atom(v), p.object) for v, p in zip(inits, params, strict=True)]
        self.block.results += [at_end(self.e, v, self.block, p.object) for v, p in zip(ends, params, strict=True)]

    def flag(self, ends: Paths, name: str, wanted: set[str], live: frozenset[str], init: bool) -> Var:
        """A bool that says how the last run ended."""
        found = self.inside(lambda: ends.flag(frozenset(wanted), live))
        param = self.e.recorder.param(Block(BlockKind.LOOP), name, BOOL)
        param.home = self.block
        self.add([param], [init], [found if isinstance(found, Var) else bool(found)])
        return param

    def out(self, value: Any, place: Any) -> Any:
        """A value that one way out leaves behind, as parameters that nothing reads: absent until then."""
        if self.outlives(value):
            return value
        if isinstance(value, TextValue):
            value = self.inside(lambda text=value: sums.text_of(self.e, text))
        parts = parts_in(value)
        if parts is not None:
            return remade(value, [self.out(part, place) for part in parts], "another run of the loop")
        if not isinstance(value, Var):
            if is_function(value) or isinstance(value, ListValue):
                raise unsupported("CC003", "a function or a list display cannot leave a loop like this", place,
                                  help="return numbers, arrays and tuples of them")
            return value
        param = self.outs.get(value)
        if param is None:
            param = self.outs[value] = self.e.recorder.param(Block(BlockKind.LOOP), value.name or "found", value.object)
            param.home = self.block
            init = unread(value.object) if not isinstance(value.object, (Array, List)) else None
            self.add([param], [init or Lit(Absent(value.object), value.object)], [value])
        return param

    def outlives(self, value: Any) -> bool:
        """True for a list or record that was there before the loop: what the loop changes of it is carried."""
        return isinstance(value, Mutable) and self.e.heap.older(self.block, value)

    def last(self, value: Any, let: Any) -> Any:
        """The value behind the loop of what parameters stand for."""
        if isinstance(value, Perhaps):
            return Perhaps(self.last(value.value, let), self.last(value.bound, let))
        if self.outlives(value):
            return value
        parts = value.items if isinstance(value, ListValue) else parts_in(value)
        if parts is not None:
            found = [self.last(part, let) for part in parts]
            return ListValue(found, value.shared) if isinstance(value, ListValue) else remade(value, found, "")
        if isinstance(value, Var) and value in self.block.params:
            return let.targets[self.block.params.index(value)]
        return value
