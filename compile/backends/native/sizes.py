"""What is known of sizes at a place: which are equal, what is left of them without a few items, what has been tested.

A block within another one knows what that knows, and what it finds out itself is forgotten behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Sizes:
    """Sizes by the names of operands: under which name those go that are equal to an older one (`equal`), the names of
    what is left without so many items (`shorter`), and the comparisons that hold for none any more (`tested`)."""

    equal: dict[str, str] = field(default_factory=dict[str, str])
    shorter: dict[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    tested: set[tuple[str, str, str]] = field(default_factory=set[tuple[str, str, str]])

    def copy(self) -> Sizes:
        return Sizes(dict(self.equal), dict(self.shorter), set(self.tested))

    def name(self, size: str) -> str:
        """The name of a size under which all that are equal to it go.

        >>> Sizes({"%3": "%1", "%4": "%3"}).name("%4")
        '%1'
        """
        while size in self.equal:
            size = self.equal[size]
        return size
