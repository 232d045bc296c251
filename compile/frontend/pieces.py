"""Pieces of code: each function that is a value of the program is an object of the class of its piece."""

from __future__ import annotations

import dataclasses
import types
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from ccc.compile.frontend.recorder import Recorder
from ccc.compile.frontend.values import ClosureValue, Frame
from ccc.compile.program.lam import Block, BlockKind
from ccc.records import Code

ITSELF = object()


def leaves(owner: Any, way: str = "self") -> Iterator[tuple[str, Any]]:
    """What a method is bound to; of a tuple, as that of what is partly applied, its items, each with a name.

    >>> list(leaves((1.0, ("a", 2.0))))
    [('self_0', 1.0), ('self_1_0', 'a'), ('self_1_1', 2.0)]
    """
    if type(owner) is not tuple:
        yield way, owner
        return
    for i, part in enumerate(owner):
        yield from leaves(part, f"{way}_{i}")


def with_leaves(owner: Any, found: Mapping[str, Any], way: str = "self") -> Any:
    """The same with others in their places.

    >>> with_leaves((1.0, ("a", 2.0)), {"self_0": 3.0, "self_1_0": "b", "self_1_1": 4.0})
    (3.0, ('b', 4.0))
    """
    if type(owner) is not tuple:
        return found[way]
    return tuple([with_leaves(part, found, f"{way}_{i}") for i, part in enumerate(owner)])


class Piece:
    """A piece of code and the known things that it captured: what a class of functions is made of."""

    def __init__(self, recorder: Recorder, function: Any, names: tuple[str, ...], known: dict[str, Any]) -> None:
        self.recorder: Recorder | None = recorder
        self.function: Any = function
        self.known = known
        name = getattr(function, "name", None) or getattr(function, "__name__", "function")
        label = "function" if not str(name).isidentifier() else str(name)
        fields = [(n, Any) for n in names]
        self.cls = dataclasses.make_dataclass(label, fields, bases=(Code,), namespace={"piece": self}, eq=False)
        self.cls.__module__ = "functions of a program"

    def of_class(self, cls: Any) -> None:
        """Let the class be one that was made of the same code before."""
        cls.piece = self
        self.cls = cls

    def close(self) -> None:
        """Forget the elaboration, which is over."""
        self.recorder = None
        if isinstance(self.function, ClosureValue):
            self.function = self.function.twin(self.function.node, self.frame(), {}, Block(BlockKind.TOP))
        if isinstance(self.function, types.MethodType):
            owner = with_leaves(self.function.__self__, defaultdict(lambda: ITSELF))
            self.function = types.MethodType(self.function.__func__, owner)

    def resume(self, recorder: Recorder) -> None:
        """Let another reading of the same function go on with the code, which a value may be of before that is read."""
        self.recorder = recorder

    def forget(self) -> None:
        """Forget the function, of which there is no other reading: the class may be remembered for long."""
        self.function = None
        self.known = {}

    def frame(self) -> Frame:
        """An activation of the function that the code stands in, in which nothing has a value."""
        outer = self.function.frame
        return Frame(outer.name, outer.file, outer.function, None)

    def opened(self, parts: dict[str, Any]) -> Any:
        """The function that captured these values."""
        function = self.function
        if isinstance(function, types.MethodType):
            return types.MethodType(function.__func__, with_leaves(function.__self__, {**self.known, **parts}))
        if not isinstance(function, ClosureValue):
            return function
        assert self.recorder is not None
        frame = self.frame()
        found = function.twin(function.node, frame, {}, self.recorder.block)
        for name, value in {**self.known, **parts}.items():
            value = found if value is ITSELF else value
            if name.startswith("default_"):
                found.defaults[name[len("default_"):]] = value
            else:
                frame.env[name] = value
        frame.local = frozenset(frame.env)
        return found
