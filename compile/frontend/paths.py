"""How statements end: on which path they go on, leave a loop, return or raise.

Where a test that is not known decides it, both ways are elaborated, and what they yield meets in a `Paths`: the kinds
of ends there are, the names as each kind of end leaves them, the returned value, and, where it is asked for, a bool of
the program that says which end was reached.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from ccc.compile.diagnostics import CompileError, mismatch
from ccc.compile.frontend import interrupts, joins, presence, snapshots, sums
from ccc.compile.frontend.attempts import EXCEPTION, leaving
from ccc.compile.frontend.describing import described
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import LEAVING, MISSING, ON, RAISE, RETURN, Kinds, Names, Paths, Without, surely_ends
from ccc.compile.frontend.values import NOT_YET, Frame, Unbound
from ccc.compile.program.lam import Block, BlockKind, Lit, Var
from ccc.objects import BOOL
from ccc.primitives import arithmetic


class Fork(Paths):
    """The ends of two branches, joined by a let of the program."""

    def __init__(self, e: Elaboration, joining: joins.Join, left: Paths, right: Paths) -> None:
        super().__init__(left.kinds | right.kinds, {})
        self.e = e
        self.joining = joining
        self.sides = (left, right)
        self.flags: dict[tuple[Kinds, Kinds], Any] = {}

    def decided(self, wanted: Kinds, live: Kinds) -> Any:
        key = (wanted, live)
        if key not in self.flags:
            blocks = self.joining.blocks
            found: list[Any] = []
            outer = self.e.recorder.block
            for block, side in zip(blocks, self.sides, strict=True):
                self.e.recorder.block = block
                flag = side.flag(wanted, live)
                found.append(False if flag is None else flag)
            self.e.recorder.block = outer
            self.flags[key] = self.chosen(*found)
        return self.flags[key]

    def chosen(self, left: Any, right: Any) -> Any:
        if left is True and right is False:
            return self.joining.test
        if left is False and right is True:
            return self.opposite()
        for block, flag in zip(self.joining.blocks, (left, right), strict=True):
            block.results.append(flag if isinstance(flag, Var) else Lit(flag, BOOL))
        target = self.joining.let.target("", BOOL, self.joining.home)
        target.base = self.e.recorder
        return target

    def opposite(self) -> Var:
        """`not` of the test, right behind the branch."""
        recorder, home, joined = self.e.recorder, self.joining.home, self.joining.let
        outer, recorder.block = recorder.block, Block(BlockKind.BRANCH, home.parent)
        found = arithmetic.logical_not(self.joining.test)
        made, recorder.block = recorder.block.lets, outer
        found.home = home
        i = home.lets.index(joined) + 1
        home.lets[i:i] = made
        return found


class UnderWay:
    """What two arms have computed that an expression around them goes on with: the one sees nothing of the other's."""

    def __init__(self, e: Elaboration) -> None:
        self.e = e
        self.mark = len(e.pending)
        self.computed: list[Any] = []

    def arm_ends(self) -> None:
        self.computed += self.e.pending[self.mark:]
        del self.e.pending[self.mark:]

    def meet(self) -> None:
        self.e.pending += self.computed


# -- building ----------------------------------------------------------------------------------------------------


def fork(
    e: Elaboration, test: Var, then: Callable[[], Paths], orelse: Callable[[], Paths], node: ast.AST, frame: Frame
) -> Paths:
    """The ends of one of two computations, by a test."""
    before = frame.env
    blocks: list[Block] = []
    sides: list[Paths] = []
    under_way = UnderWay(e)
    for truth, run in ((True, then), (False, orelse)):
        frame.env = dict(before)
        blocks.append(Block(BlockKind.BRANCH, e.recorder.block))
        try:
            side = e.inside(blocks[-1], partial(assuming, e, test, truth, run))
        except interrupts.Bottom:  # what this arm gives is not known yet: the other arm says
            continue
        finally:
            under_way.arm_ends()
        if RETURN in side.kinds:
            side.value = snapshots.Snapshots(e, frame, frame.env).of(side.value)
        sides.append(side)
    under_way.meet()
    frame.env = before
    if not sides:
        raise interrupts.Bottom
    if len(sides) == 1:
        sides[0].env = presence.of_one_arm(sides[0].env, frame)
        return sides[0]
    joining = joins.Join(e, test, (blocks[0], blocks[1]), e.span(node, frame), frame)
    joined = Fork(e, joining, sides[0], sides[1])
    joined.value = returned(e, joining, sides, node, frame)
    Meeting(e, joining, sides, before, node, frame).into(joined)
    joining.finish()
    for i, side in enumerate(sides):
        if side.kinds == {RAISE}:
            sums.assume(e, test, i == 1)
    return joined


def assuming(e: Elaboration, test: Var, truth: bool, run: Callable[[], Paths]) -> Paths:
    """The ends of a computation where a test has an outcome."""
    sums.assume(e, test, truth)
    return run()


def then(e: Elaboration, paths: Paths, rest: Callable[[], Paths], node: ast.AST, frame: Frame) -> Paths:
    """The ends of `paths` followed, where it goes on, by `rest`."""
    if ON not in paths.kinds:
        frame.env = paths.env
        return paths
    test = paths.flag(frozenset({ON}), paths.kinds - {RAISE})
    if test is True:
        frame.env = paths.names(ON)
        return rest()

    def on() -> Paths:
        frame.env = paths.names(ON)
        return rest()

    frame.env = paths.env
    return fork(e, test, on, lambda: Without(paths, ON), node, frame)


def returned(e: Elaboration, joining: joins.Join, sides: list[Paths], node: ast.AST, frame: Frame) -> Any:
    """The value that is returned in one branch or the other."""
    a, b = sides
    if RETURN in a.kinds and RETURN in b.kinds:
        try:
            return joining.merge(a.value, b.value)
        except joins.Differ:
            raise joins.differ(e, a.value, b.value, node, frame) from None
    for i, side in enumerate(sides):
        if RETURN in side.kinds:
            return joining.portable(side.value, i)
    return None


class Meeting:
    """The names where two branches meet: one value where both ways lead on, that of one branch where only it does."""

    def __init__(
        self, e: Elaboration, joining: joins.Join, sides: list[Paths], before: Names, node: ast.AST, frame: Frame
    ) -> None:
        self.joining = joining
        self.sides = sides
        self.before = before
        self.node = node
        self.frame = frame
        self.place = e.span(node, frame)

    def into(self, joined: Fork) -> None:
        joined.env = dict(self.before)
        flows = [side.kinds - LEAVING for side in self.sides]
        if not (flows[0] or flows[1]):
            return
        names = dict.fromkeys(n for side in self.sides for space in (side.env, *side.extras.values()) for n in space)
        for n in names:
            values = [self.at(side, kinds, n) for side, kinds in zip(self.sides, flows, strict=True)]
            value = joined.env[n] = self.both(n, *values)
            if isinstance(value, Unbound):
                for kind in sorted(flows[0] | flows[1]):
                    one = [self.at(side, kinds & {kind}, n) for side, kinds in zip(self.sides, flows, strict=True)]
                    found = self.both(n, *one)
                    if not isinstance(found, Unbound):
                        joined.extras.setdefault(kind, {})[n] = found

    def at(self, side: Paths, kinds: Kinds, n: str) -> Any:
        """The value of a name at ends of these kinds: None where there is no such end, MISSING where it differs."""
        found = [side.extras.get(kind, {}).get(n, side.env.get(n, NOT_YET)) for kind in kinds]
        if not found:
            return None, False
        return (found[0] if all(v is found[0] for v in found) else MISSING), True

    def both(self, n: str, one: tuple[Any, bool], other: tuple[Any, bool]) -> Any:
        for i, (value, there) in enumerate((one, other)):
            if not (other, one)[i][1]:
                return self.alone(n, value, i) if there else Unbound(f"no way through the branch at {self.place}")
        a, b = one[0], other[0]
        if a is b and a is not MISSING:
            return a
        if a is MISSING or b is MISSING:
            return Unbound(f"bound only in one branch of the `if` at {self.place}")
        try:
            if isinstance(a, Unbound) or isinstance(b, Unbound):
                found = presence.joined(self.joining, a, b, n, self.node, self.frame)
                return Unbound(f"bound only in one branch of the `if` at {self.place}") if found is None else found
            value = self.joining.merge(a, b)
        except joins.Differ:
            self.joining.unlike()
            return Unbound(f"one branch of the `if` at {self.place} gives another type than the other",
                           "`{}` has two types here", "CC006")
        if isinstance(value, Var) and value.definition is self.joining.let:
            value.name = n
        return value

    def alone(self, n: str, value: Any, side: int) -> Any:
        if value is MISSING:
            return Unbound(f"not bound on every way through the branch at {self.place}")
        return value if value is self.before.get(n) else self.joining.portable(value, side)


# -- syntax ------------------------------------------------------------------------------------------------------


def result(e: Elaboration, paths: Paths, node: ast.AST, frame: Frame) -> Any:
    """What a function gives whose body ends so: the returned value, None where it ends without."""
    live = paths.kinds - {RAISE}
    if not live:
        raise interrupts.Ends
    if raised := [kind for kind in sorted(live) if isinstance(kind, interrupts.Raised)]:
        raise caught(e, paths, raised, node, frame)
    if ON not in live:
        return paths.value
    if RETURN not in live or paths.value is None:
        return None
    try:
        return result(e, then(e, paths, lambda: Paths([RETURN], frame.env), node, frame), node, frame)
    except CompileError as error:
        if error.diagnostics[0].code != "CC006":
            raise
        note = "execution goes on behind this statement, where the function ends"
        if isinstance(node, ast.If) and surely_ends(node.body) != surely_ends(node.orelse):
            note = f"no `return` is reached when this test is {'false' if surely_ends(node.body) else 'true'}"
        raise mismatch(
            "CC005", f"this path ends without a return value, where others give {described(paths.value)}",
            e.span(node, frame), note,
            help="add `else: return ...`" if isinstance(node, ast.If) else "add `return ...` at the end") from None


def caught(e: Elaboration, paths: Paths, raised: list[interrupts.Raised], node: ast.AST, frame: Frame) -> Exception:
    """What leaves a call whose body raises on some paths what a `try` around the call catches."""
    block = e.recorder.block
    if len(paths.kinds - {RAISE}) == 1:
        return interrupts.Caught(raised[0], paths.names(raised[0])[EXCEPTION], block)
    rest = paths
    for kind in raised:
        rest = Without(rest, kind)
    value = result(e, rest, node, frame) if rest.kinds - {RAISE} else None
    escape = leaving(paths, block, {})
    escape.value = value
    return escape
