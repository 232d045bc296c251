"""What is known of sizes at a place: which are equal, what is left of them in parts, what has been tested.

A block within another one knows what that knows, and what it finds out itself is forgotten behind it.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from ccc.values import slotted

SMALL = 32
"""The largest size that is a constant in code for the sizes of a first call."""


@slotted
class Sizes:
    """Sizes by the names of operands: under which name those go that are equal to an older one (`equal`), the names of
    what is left of an axis in a part of it (`parts`, by the size and the numbers that say which), and the comparisons
    that hold for none any more (`tested`)."""

    equal: dict[str, str] = field(default_factory=dict[str, str])
    parts: dict[tuple[str, Any], str] = field(default_factory=dict[tuple[str, Any], str])
    tested: set[tuple[str, str, str]] = field(default_factory=set[tuple[str, str, str]])

    def copy(self) -> Sizes:
        return Sizes(dict(self.equal), dict(self.parts), set(self.tested))

    def known(self) -> Sizes:
        """Which are equal here, alone."""
        return Sizes(dict(self.equal))

    def name(self, size: str) -> str:
        """The name of a size under which all that are equal to it go.

        >>> Sizes({"%3": "%1", "%4": "%3"}).name("%4")
        '%1'
        """
        while size in self.equal:
            size = self.equal[size]
        return size
