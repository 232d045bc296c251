"""What a loop changes of the lists and records that were there before it: each changed part is carried like a name."""

from __future__ import annotations

from typing import Any

from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import lists
from ccc.compile.frontend.memory.undo_log import is_name_of
from ccc.compile.frontend.parts import takes_attributes
from ccc.compile.frontend.values import Frame, ListValue, Mutable, OwnName, RecordValue, Unbound
from ccc.compile.program.lam import Block


class Cells:
    """The parts that a loop carries, under names that no program can have."""

    def __init__(self, e: Elaboration, frame: Frame) -> None:
        self.e = e
        self.frame = frame
        self.places: dict[str, tuple[Mutable, Any]] = {}
        self.first_assigned: set[str] = set()

    def changed(self, block: Block) -> list[tuple[Mutable, dict[Any, Any], dict[Any, Any]]]:
        """What a block changed, with its parts before and after."""
        heap = self.e.heap
        found = [owner for owner in heap.changed(block) if not is_name_of(owner, self.frame)]
        return [(owner, parts(owner.contents()), parts(heap.after(block, owner))) for owner in found]

    def grown(self, block: Block) -> list[Any]:
        """The lists whose length the body changes and the dicts whose keys it does, and lists of the program now."""
        found: list[Any] = []
        for owner, before, after in self.changed(block):
            if isinstance(owner, ListValue) and len(before) != len(after):
                found.append(owner)
                continue
            if isinstance(owner, RecordValue) and owner.cls is dict and before.keys() != after.keys():
                found.append(owner)
                continue
            for key, value in before.items():
                if isinstance(value, ListValue) and lists.is_of_program(after.get(key)):
                    found.append(value)
        return found

    def found(self, block: Block) -> dict[str, Any]:
        """The parts that the body changes and that are not carried yet, with the values before the loop."""
        new: dict[str, Any] = {}
        carried = set(self.places.values())
        for owner, before, after in self.changed(block):
            for key, value in before.items():
                if (owner, key) not in carried and after[key] is not value:
                    name = f".{key}" if isinstance(owner, RecordValue) and owner.cls is not dict else f"[{key!r}]"
                    name = OwnName(f"{name} of {owner.serial}")
                    self.places[name] = owner, key
                    new[name] = value
        return new

    def made(self, block: Block, place: Any) -> dict[str, Any]:
        """The attributes that the body is the first to assign. Before the loop, and where a run begins, they have no
        value: the body was read without one. What they hold behind the loop is what its last run has left."""
        new: dict[str, Any] = {}
        why = Unbound(f"assigned only inside the loop at {place}", absent=True)
        for owner, before, after in self.changed(block):
            more = [key for key in after if key not in before] if takes_attributes(owner) else []
            for key in more:
                name = OwnName(f".{key} of {owner.serial}")
                self.places[name] = owner, key
                self.first_assigned.add(name)
                new[name] = why
            if more:
                self.e.heap.write(owner, {**owner.contents(), **dict.fromkeys(more, why)})
        return new

    def load(self, env: dict[str, Any]) -> None:
        """Put the carried values where they belong."""
        values = {name: env.pop(name) for name in self.places}
        for name, (owner, key) in self.places.items():
            contents = owner.contents()
            contents[key] = values[name]
            self.e.heap.write(owner, contents)

    def store(self, env: dict[str, Any]) -> None:
        """Take the values of the carried parts as names."""
        for name, (owner, key) in self.places.items():
            env[name] = owner.contents()[key]


def parts(contents: Any) -> dict[Any, Any]:
    """The contents of a list or record by position or name."""
    return contents if isinstance(contents, dict) else dict(enumerate(contents))

