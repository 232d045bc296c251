"""What a recursive function raises that a `try` catches, around the first call or a call within: its λ gives it beside
its value, with a bool that says whether it was raised, and each call leaves its statement with it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ccc.compile.frontend import interrupts
from ccc.compile.frontend.activations import Activation
from ccc.compile.frontend.attempts import EXCEPTION, Attempt
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import ON, RAISE, Flagged, Paths
from ccc.compile.frontend.paths import fork
from ccc.compile.frontend.trying import raised_again
from ccc.compile.frontend.values import Frame


def learnt(e: Elaboration, activation: Activation) -> bool:
    """Note what the `try`s around a call catch; True where the λ was elaborated for less."""
    kinds = [attempt.kinds for attempt in e.attempts.active]
    more = [found for found in dict.fromkeys(kinds) if found not in activation.caught]
    activation.caught += more
    return bool(more)


def given(e: Elaboration, activation: Activation, run: Callable[[], Any]) -> Any:
    """What the body gives, and what it raises that is caught."""
    if not activation.caught:
        return run()
    block = e.recorder.block
    try:
        value, raised = e.attempts.within([Attempt(kinds) for kinds in activation.caught], run), {}
    except interrupts.Caught as found:
        if found.block is not block:
            raise
        value, raised = None, {found.kind: (True, found.value)}
    except interrupts.Escape as found:
        if found.block is not block or found.again or found.node is not None or found.part is not None:
            raise
        paths, e.recorder.block = found.paths, block
        live = paths.kinds - {RAISE}
        kinds = sorted(kind for kind in live if isinstance(kind, interrupts.Raised))
        raised = {kind: (paths.flag(frozenset({kind}), live), paths.names(kind)[EXCEPTION]) for kind in kinds}
        value = found.value
    e.recorder.block = block
    activation.raises = list(raised)
    return value, tuple(raised.values())


def taken(e: Elaboration, activation: Activation, found: Any, node: ast.AST, frame: Frame | None) -> Any:
    """What a call gives; leaves the statement under way with what was raised and is caught around it, and raises what
    is not."""
    if not activation.caught:
        return found
    value, raised = found
    frame = e.frames[-1] if frame is None else frame
    flags: dict[str, Any] = {}
    extras: dict[str, Any] = {}
    for kind, (flag, error) in zip(activation.raises, raised, strict=True):
        if not e.attempts.catches(kind.cls):
            raise_where(e, kind, flag, error, node, frame)
        elif flag is True:
            raise interrupts.Caught(kind, error, e.recorder.block)
        else:
            flags[kind], extras[kind] = flag, {EXCEPTION: error}
    if not flags:
        return value
    raise interrupts.Escape(Flagged(flags, ON, {}, extras, None), e.recorder.block, value)


def raise_where(e: Elaboration, kind: Any, flag: Any, error: Any, node: ast.AST, frame: Frame) -> None:
    """Raise an exception where a bool is true."""
    def again() -> Paths:
        return raised_again(e, kind, error, node, frame)

    if flag is True:
        again()
        raise interrupts.Ends
    fork(e, flag, again, lambda: Paths([ON], frame.env), node, frame)
