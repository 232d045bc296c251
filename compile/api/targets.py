"""The targets that there are, each registered by one line, and how one of them makes the function of a program.

>>> list(TARGETS), backends()
(['numpy', 'native', 'xla'], ('numpy', 'native', 'xla', 'auto'))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.compile.native.native_target import NATIVE
from ccc.compile.numpy_source.numpy_target import NUMPY
from ccc.compile.program.lam import Program
from ccc.compile.program.target import NotTaken, Target
from ccc.compile.xla.xla_target import XLA

REFERENCE = NUMPY
"""The target that takes every program: it computes what others leave."""
REGISTERED: tuple[Target, ...] = (
    REFERENCE,
    NATIVE,
    XLA,
)
TARGETS = {target.name: target for target in REGISTERED}
"""The targets by what users call them."""
AUTO = "auto"
"""The reference first, then another target as well, and the faster of both from then on: see `choice`."""


def backends() -> tuple[str, ...]:
    """What `backend` may be."""
    return *TARGETS, AUTO


def candidate() -> Target | None:
    """The first target beside the reference that is installed and that is not used only where it is asked for, or else
    the first one; None where the reference is all there is.

    >>> candidate().name
    'native'
    """
    others = [target for target in TARGETS.values() if target is not REFERENCE and not target.asked_only]
    return next((target for target in others if not target.missing()), others[0] if others else None)


def made_by(
    target: Target, program: Program, pullback: bool, other: Callable[..., Any], args: Sequence[Any]
) -> tuple[Callable[..., Any], str]:
    """The function of a program by a target, for a first call with these arguments, or the other one, with the
    reason."""
    reason = target.unavailable()
    try:
        return (other, reason) if reason else (target.lower(program, pullback, args).function(other, args), "")
    except NotTaken as error:
        return other, str(error)
