"""Where emitted code ignores NumPy's warnings: what only derivatives compute warns of nothing.

In each function of the program that part comes last and stands in one `with np.errstate`. A function that is called in
such parts alone needs none of its own, so a recursion enters it once and not in each activation.
"""

from __future__ import annotations

from ccc.compile.program.lam import Apply, Atom, Block, Call, Lambda, Let, Var
from ccc.objects import Array, Real
from ccc.primitives import arithmetic
from ccc.primitives.facts import FILLING, MOVEMENT, SIZES, STORAGE

QUIET = (MOVEMENT, FILLING, STORAGE, SIZES)
"""The kinds of work in which nothing is computed."""


class Warned:
    """The functions of a program, which of them warn, and which are called only where warnings are ignored."""

    def __init__(self, block: Block) -> None:
        self.functions: dict[Var, Block] = {}
        self.homes: dict[Let, Block] = {}
        called_first: set[Atom] = set()
        todo = [block]
        while todo:
            here = todo.pop()
            for let in here.lets:
                self.homes[let] = here
                if isinstance(let.op, Lambda):
                    self.functions[let.targets[0]] = let.op.body
                last = isinstance(let.op, Call) and self.is_last(let, here)
                called_first.update(let.args[1:] if last else let.args)
                todo += let.op.blocks
            called_first.update(here.results)
        self.called_last = {body for f, body in self.functions.items() if f not in called_first}
        self.warning: set[Block] = set()
        while more := {body for body in self.functions.values() if self.body_warns(body)} - self.warning:
            self.warning |= more

    def is_last(self, let: Let, block: Block) -> bool:
        """True for a let in the last part of the function that it is in."""
        while not block.kind.is_called:
            assert block.owner is not None
            let = block.owner
            block = self.homes[let]
        return any(let is other for other in block.lets[first_of_last(block):])

    def ignored(self, block: Block) -> bool:
        """True where the last part of a function, or of the whole program, has to ignore warnings itself."""
        return block not in self.called_last and any(map(self.may_warn, block.lets[first_of_last(block):]))

    def may_warn(self, let: Let) -> bool:
        """True for arithmetic on NumPy's numbers, which warns of overflow and of invalid values."""
        op = let.op
        if isinstance(op, Apply):
            a = let.targets[0].object if let.targets else None
            numpy = isinstance(a, Array) or (isinstance(a, Real) and a.kind not in ("float", "fraction"))
            return numpy and op.primitive.work not in QUIET and op.primitive is not arithmetic.neg
        if isinstance(op, Call):
            function = let.args[0]
            return isinstance(function, Var) and self.functions.get(function) in self.warning
        return any(self.may_warn(inner) for block in op.blocks for inner in block.lets)

    def body_warns(self, body: Block) -> bool:
        return any(map(self.may_warn, body.lets))


def first_of_last(block: Block) -> int:
    """Where the part of a function begins that only derivatives compute."""
    split = len(block.lets)
    while split and block.lets[split - 1].adjoint:
        split -= 1
    return split
