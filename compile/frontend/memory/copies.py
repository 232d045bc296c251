"""Lists and objects that stand as copies, part by part, behind a loop or a call: a change of one is not seen in others.

References: `ccc.compile.frontend.loops` and `ccc.compile.frontend.recursion` make such copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ccc.compile.frontend.memory.aliasing import reached_from
from ccc.compile.frontend.values import Mutable


def changeable_in(values: Iterable[Any]) -> list[Mutable]:
    """The lists and objects that values lead to."""
    return [part for value in values for part in reached_from(value, []) if isinstance(part, Mutable)]


def sealed_in(values: Iterable[Any], who: str, but: Callable[[Mutable], bool] = lambda part: False) -> None:
    """What values lead to does not change from now on, since `who` may stand for it too; `but` some do."""
    for part in changeable_in(values):
        part.shared = part.shared or (not but(part) and who)
