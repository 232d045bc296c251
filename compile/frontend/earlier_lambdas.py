"""What the λs of recursive functions were found to be, in one reading.

A function around a recursive one is read in several passes, and each reads its λ anew, as each call does. The fixed
point of its types begins with what held the last time, and is reached at once where the types in the program are the
same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ccc.compile.frontend.activations import Activation, alike
from ccc.compile.frontend.values import ITEMS
from ccc.compile.program.lam import Apply, Block, Var
from ccc.objects import Array, Object

ASSUMED = ("cells", "dicts", "written", "caught", "raises", "result", "same")
"""What is assumed of a λ before it is read."""


class Earlier:
    """What held of a λ, and the types in its program."""

    def __init__(self, activation: Activation, block: Block, results: list[Object]) -> None:
        self.given, self.objects = activation.given, activation.objects
        self.assumed = {name: copied(getattr(activation, name)) for name in ASSUMED}
        self.types = [*types_in(block), results]

    def changed(self) -> list[Var]:
        """What it changes where it is called, as that is now."""
        return [*[cell.array for cell in self.assumed["cells"]], *[d.fields[ITEMS] for d in self.assumed["dicts"]]]

    def serves(self, activation: Activation) -> bool:
        """Whether it is of the same arguments, where no more exceptions are caught."""
        same = self.objects == activation.objects and alike(self.given, activation.given)
        return same and all(kinds in self.assumed["caught"] for kinds in activation.caught)


class EarlierLambdas:
    """The λs of a reading, by what was called."""

    def __init__(self) -> None:
        self.found: dict[Any, list[Earlier]] = {}
        self.begun: dict[Activation, Earlier] = {}

    def note(self, activation: Activation, block: Block, results: list[Object]) -> None:
        """A λ has settled. Those with arrays are left out: what these may be is found in the passes before."""
        if any(isinstance(p.object, Array) for p in activation.params):
            return
        others = [one for one in self.found.get(activation.key, ()) if not one.serves(activation)]
        self.found[activation.key] = [*others, Earlier(activation, block, results)]

    def begin(self, activation: Activation, home: Block) -> None:
        """Assume what held of the same λ the last time, where there is one and what it changes is known here."""
        around = set(home.ancestors())
        for one in self.found.get(activation.key, ()):
            if one.serves(activation) and all(v.home in around for v in one.changed()):
                for name, value in one.assumed.items():
                    setattr(activation, name, copied(value))
                self.begun[activation] = one
                return

    def differs(self, activation: Activation, block: Block, results: list[Object]) -> bool:
        """Whether the λ began so, and the types in its program are others than those of which that was known."""
        one = self.begun.get(activation)
        return one is not None and one.types != [*types_in(block), results]

    def drop(self, activation: Activation) -> bool:
        """Whether the λ began so, which did not hold: nothing is assumed of it any more."""
        if self.begun.pop(activation, None) is None:
            return False
        activation.cells, activation.written, activation.raises = [], [], []
        activation.result, activation.same, activation.dicts = None, {}, {}
        return True

    def forget(self, activation: Activation) -> bool:
        """Whether something was known of a function, of which nothing is assumed any more."""
        return self.found.pop(activation.key, None) is not None


def copied(value: Any) -> Any:
    return value.copy() if isinstance(value, (list, dict)) else value


def types_in(block: Block) -> Iterator[Any]:
    """The operations of a block and the types of what they take and give, in order, with those of the blocks in it."""
    yield [p.object for p in block.params]
    for let in block.lets:
        yield let.op.primitive if isinstance(let.op, Apply) else type(let.op)
        yield [a.object for a in [*let.args, *let.targets]]
        for inner in let.op.blocks:
            yield from types_in(inner)
            yield [a.object for a in inner.results]
