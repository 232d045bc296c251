"""How what comes from outside is read again, and what a program assumes of it: readers, and guards that hold them."""

from __future__ import annotations

from typing import Any

from ccc.compile.frontend.captures import Fixed, Reader, Within, inner
from ccc.compile.frontend.guards import Guard
from ccc.compile.frontend.values import ListValue


class Readings:
    """How each value from outside is read, and which have to be what they are."""

    def __init__(self) -> None:
        self.readers: dict[int, tuple[Any, Reader]] = {}
        self.guards: dict[Any, Guard] = {}

    def met(self, value: Any, reader: Reader) -> bool:
        """Note how functions in a value from outside are read; true where the form of the function that is called
        tells which they are."""
        parts = inner(value)
        if parts is None:
            return False
        holds = isinstance(value, (tuple, list))
        if not holds:
            _, known = self.readers.setdefault(id(value), (value, reader))
            if reader.rooted:
                self.guards["form", reader] = Guard(reader, None, formal=True)
            for one, other in ((known, reader), (reader, known)):
                if one.rooted and not other.rooted:
                    self.guards["only", one] = Guard(one, value)
        for how, which, part in parts:
            self.note(part, Within(reader, how, which))
        return reader.rooted

    def note(self, value: Any, reader: Reader) -> None:
        """Note how something from outside is read."""
        if not self.met(value, reader):
            self.readers.setdefault(id(value), (value, reader))

    def reader(self, value: Any) -> Reader:
        """How something from outside is read."""
        found = self.readers.get(id(value))
        return found[1] if found is not None else Fixed(value)

    def only(self, value: Any) -> Reader:
        """How something from outside is read, in a program that is for no other in its place."""
        reader = self.reader(value)
        if reader.rooted:
            self.guards["only", reader] = Guard(reader, value)
        return reader

    def told_apart(self, *values: Any) -> None:
        """Functions among these are compared: which they are matters, not what they do alone."""
        for value in values:
            if isinstance(value, (tuple, ListValue)):
                self.told_apart(*(value.items if isinstance(value, ListValue) else value))
            elif id(value) in self.readers:
                self.only(value)
