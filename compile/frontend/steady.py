"""Containers that may not change while a loop runs along them: Python looks before it takes the next item, and raises.

The class that is read in place of such a container (`numpy_functions.table.class_for`) has a method `steady`, which
gives the number that must stay as it is, and a text that says what is raised. A loop that leaves the number as it is is
read as any other; one that changes it is read again, with a look behind each of its turns.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from ccc.compile.frontend import interrupts, records
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.ends import NEXT, ON, Paths, Renamed
from ccc.compile.frontend.iterated import side_by_side
from ccc.compile.frontend.iterator_values import OnceValue
from ccc.compile.frontend.memory.interface import list_queries
from ccc.compile.frontend.parts import defined
from ccc.compile.frontend.paths import then
from ccc.compile.frontend.regions import class_behind
from ccc.compile.frontend.values import Frame


def owners(over: Any) -> Iterator[Any]:
    """The containers whose items something runs along, where these may not change meanwhile."""
    for part in side_by_side(over):
        while isinstance(part, OnceValue):
            if defined(part.owner, "steady"):
                yield part.owner
            yield from (owner for source in part.sources for owner in owners(source))
            part = part.items


class Steady:
    """What a loop runs along that may not change meanwhile."""

    def __init__(self, e: Elaboration, over: Any, node: ast.For, frame: Frame) -> None:
        self.e = e
        self.node = node
        self.frame = frame
        self.before = [(owner, self.number(owner)) for owner in owners(over)]

    def number(self, owner: Any) -> Any:
        """What must stay as it is."""
        return records.special(self.e, owner, "steady", [], {}, self.node, self.frame)

    def along(self, run: Callable[[], Paths]) -> Paths:
        """The ends of the loop that `run` reads. Raises `ByKey` where it has to be read with a look behind each turn.
        """
        checks = self.e.rows.checks
        looks = self.node in self.e.rows.by_key
        if self.before and looks:
            checks[self.node] = self.look
        try:
            ends = run()
        finally:
            checks.pop(self.node, None)
        if not looks and any(self.number(owner) is not number for owner, number in self.before):
            raise interrupts.ByKey(self.node, self.e.place(self.node, self.frame))
        return ends

    def look(self) -> Paths:
        """Raise where a container is not what it was."""
        for owner, number in self.before:
            text = class_behind(owner.cls).unsteady
            env = {"a": self.number(owner), "b": number, "text": text}
            list_queries.by_text(self.e, "unsteady", env, self.node, self.frame)
        return Paths([ON], self.frame.env)


def turn(e: Elaboration, node: ast.For | ast.While, frame: Frame) -> Paths:
    """The ends of one turn of a loop."""
    ends = Renamed(e.ends_of(node.body, frame), {NEXT: ON})
    look = e.rows.checks.get(node)
    return ends if look is None else then(e, ends, look, node, frame)
