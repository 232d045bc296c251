"""Branches of Python: `if`, conditional expressions, `and`, `or`, chained comparisons.

A test that is known chooses while elaborating; one that is not becomes a branch of the program. Both sides are
elaborated in environments of their own, which are joined name by name.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from ccc.compile.frontend import presence, sums
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import ENDED, ON, RAISE, Paths, exits, surely_ends
from ccc.compile.frontend.interrupts import Bottom, Ends
from ccc.compile.frontend.joins import Differ, Join, differ
from ccc.compile.frontend.paths import UnderWay, fork, then
from ccc.compile.frontend.values import NOT_YET, Frame, Unbound
from ccc.compile.program.lam import Block, BlockKind, Var


def either(
    e: Elaboration, test: Var, then: Callable[[], Any], orelse: Callable[[], Any], node: ast.AST, frame: Frame
) -> Any:
    """The value of one of two computations; what they bind is joined too."""
    before = frame.env
    blocks: list[Block] = []
    values: list[Any] = []
    envs: list[dict[str, Any]] = []
    under_way = UnderWay(e)
    for truth, compute in ((True, then), (False, orelse)):
        frame.env = dict(before)
        blocks.append(Block(BlockKind.BRANCH, e.recorder.block))
        try:
            run = partial(assuming, e, test, truth, partial(unless_ended, compute))
            value, env = e.inside(blocks[-1], lambda run=run: (run(), frame.env))
        except Bottom:  # what this arm gives is not known yet: the other arm says
            frame.env = before
            other = orelse if truth else then
            value = e.inside(Block(BlockKind.BRANCH, e.recorder.block), partial(assuming, e, test, not truth, other))
            frame.env = presence.of_one_arm(frame.env, frame)
            return value
        under_way.arm_ends()
        values.append(value)
        envs.append(env)
    under_way.meet()
    frame.env = before
    joining = Join(e, test, (blocks[0], blocks[1]), e.span(node, frame), frame)
    if ENDED in values:
        return one_side(joining, values, envs, frame)
    try:
        result = joining.merge(values[0], values[1])
    except Differ:
        joining.unlike()
        raise differ(e, values[0], values[1], node, frame) from None
    rebind(e, joining, envs[0], envs[1], node, frame)
    joining.finish()
    return result


def assuming(e: Elaboration, test: Var, truth: bool, compute: Callable[[], Any]) -> Any:
    """The value of a computation where a test has an outcome."""
    sums.assume(e, test, truth)
    return compute()


def unless_ended(compute: Callable[[], Any]) -> Any:
    """The value of a computation, or `ENDED` where it surely raises."""
    try:
        return compute()
    except Ends:
        return ENDED


def one_side(joining: Join, values: list[Any], envs: list[dict[str, Any]], frame: Frame) -> Any:
    """The value and the names of the one side that does not raise."""
    if values[0] is ENDED and values[1] is ENDED:
        joining.finish()
        raise Ends
    side = 0 if values[1] is ENDED else 1
    result = joining.portable(values[side], side)
    before = frame.env
    frame.env = {
        name: value if value is before.get(name) else joining.portable(value, side)
        for name, value in envs[side].items()
    }
    joining.finish()
    sums.assume(joining.e, joining.test, side == 0)  # behind the branch, as what it may be is read from here on
    return result


def rebind(
    e: Elaboration, joining: Join, one: dict[str, Any], other: dict[str, Any], node: ast.AST, frame: Frame
) -> None:
    """Give every name that a branch bound the value of the taken one."""
    place = e.span(node, frame)
    after = dict(frame.env)
    for name in {**one, **other}:
        a, b = one.get(name, NOT_YET), other.get(name, NOT_YET)
        if a is b:
            after[name] = a
        else:
            unsure = isinstance(a, Unbound) or isinstance(b, Unbound)
            try:
                value = presence.joined(joining, a, b, name, node, frame) if unsure else joining.merge(a, b)
                after[name] = value if not unsure or value is not None else Unbound(
                    f"bound only in one branch of the `if` at {place}")
            except Differ:
                joining.unlike()
                after[name] = Unbound(f"one branch of the `if` at {place} gives another type than the other",
                                      "`{}` has two types here", "CC006")
                continue
            if isinstance(value, Var) and value.definition is joining.let:
                value.name = name
    frame.env = after


# -- statements --------------------------------------------------------------------------------------------------


def statement(e: Elaboration, node: ast.If, test: Var, rest: list[ast.stmt], frame: Frame) -> Paths | None:
    """`if` by a test that is not known: None where execution goes on behind it, else how it and all that follows may
    end. What follows goes into the one arm that goes on, where there is but one."""
    def arm(body: list[ast.stmt]) -> Callable[[], Paths]:
        return lambda: e.ends_of(body, frame)

    arms = node.body, node.orelse
    leaving = [exits(body) for body in arms]
    if not leaving[0] and not leaving[1] and not e.attempts.active:
        either(e, test, lambda: e.run(node.body, frame), lambda: e.run(node.orelse, frame), node, frame)
        return None
    if any(found - {RAISE} and surely_ends(body) for body, found in zip(arms, leaving, strict=True)):
        one, other = [body if surely_ends(body) else [*body, *rest] for body in arms]
        return fork(e, test, arm(one), arm(other), node, frame)
    ends = fork(e, test, arm(node.body), arm(node.orelse), node, frame)
    if ends.flows:
        frame.env = ends.names(ON)
        return None
    return then(e, ends, arm(rest), node, frame)
