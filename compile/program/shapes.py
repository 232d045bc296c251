"""Which arrays of a program have one shape.

An operation on entries has the shape of an argument whose axes are those of its result, none of which may be of size 1
by chance; a carry has the shape of its initial value where its updates have. Shapes are found for value numbers, so an
element of a tape has that of what was taped. What may be a number that stands for an array of zeros has none.
"""

from __future__ import annotations

from typing import Any

from ccc.compile.program.lam import Atom, Program, Var, leaves
from ccc.compile.program.numbering import Numbering
from ccc.objects import Array
from ccc.primitives.primitive import Primitive, elementwise

Shape = Any
"""A key that is equal for equal shapes, or None."""


class Shapes:
    """The shapes of the values of a program, whose parameters surely are arrays where their objects are."""

    def __init__(self, program: Program, numbering: Numbering) -> None:
        self.numbering = numbering
        self.objects = {numbering.numbers[v]: v.object for v in numbering.numbers}
        given = [leaf for _, tree in program.params for leaf in leaves(tree)]
        self.params = {numbering.numbers[v] for v in given if isinstance(v, Var)}
        self.found: dict[int, Shape] = {}

    def of(self, atom: Atom) -> Shape:
        """The shape of an array."""
        if not isinstance(atom, Var) or not isinstance(atom.object, Array) or atom not in self.numbering.numbers:
            return None
        return self.shape(self.numbering.numbers[atom])

    def shape(self, number: int) -> Shape:
        todo = [] if number in self.found else [number]
        seen = {number}
        while todo:
            here = todo[-1]
            before = [n for n in self.before(here) if n not in self.found and n not in seen]
            if before:
                todo += before
                seen.update(before)
                continue
            todo.pop()
            if here not in self.found:
                self.found[here] = None  # where it depends on itself
                self.found[here] = self.computed(here)
        return self.found[number]

    def before(self, number: int) -> list[int]:
        """The values of which `computed` asks for the shape, as far as chains of them may be long."""
        key = self.numbering.keys[number]
        if number in self.params or not isinstance(key[0], Primitive):
            return []
        return self.like(number, *key) or []

    def like(self, number: int, p: Primitive, args: tuple[int, ...], params: tuple[Any, ...]) -> list[int] | None:
        """The arguments of an operation one of whose shapes its result has; None where that is none."""
        a = self.objects.get(number)
        if not isinstance(a, Array) or not a.axes:
            return []
        place = p.like_of(dict(params))
        if place is not None:
            return [args[place]]
        if p.type_rule is elementwise:
            same = [n for n in args if isinstance(b := self.objects.get(n), Array) and b.axes == a.axes]
            return same if "?" not in a.axes else []
        return None

    def computed(self, number: int) -> Shape:
        key = self.numbering.keys[number]
        a = self.objects.get(number)
        if number in self.params:
            return ("shape", number) if isinstance(a, Array) else None
        if isinstance(key[0], Primitive):
            return self.of_result(number, *key)
        if key[0] == "carry":
            return self.of_carry(number, key)
        if key[0] == "last":
            return self.shape(key[1])
        if key[0] == "chosen":
            x, y = self.shape(key[2]), self.shape(key[3])
            return x if x == y else None
        return None

    def of_result(self, number: int, p: Primitive, args: tuple[int, ...], params: tuple[Any, ...]) -> Shape:
        like = self.like(number, p, args, params)
        if like is not None:
            return next((shape for n in like if (shape := self.shape(n)) is not None), None)
        if p.name in ("np.zeros", "np.ones"):
            sizes = tuple(map(self.size, args))
            whole = sizes[0][0] if isinstance(sizes[0], tuple) else None
            if whole is not None and sizes == tuple([(whole, axis) for axis in range(self.rank(whole))]):
                return whole
            return ("sizes", sizes)
        return ("shape", number)

    def size(self, number: int) -> Any:
        """The size that a number of the program stands for: of which shape and axis, where it is one."""
        key = self.numbering.keys[number]
        if isinstance(key[0], Primitive) and key[0].name in ("len", "dim"):
            shape = self.shape(key[1][0])
            return number if shape is None else (shape, dict(key[2]).get("axis", 0))
        return number

    def rank(self, shape: Shape) -> int:
        a = self.objects.get(shape[1]) if shape[0] == "shape" else None
        return len(a.axes) if isinstance(a, Array) and a.axes is not None else -1

    def of_carry(self, number: int, key: tuple[Any, ...]) -> Shape:
        """The shape of the initial value, where it being that of the carry makes it that of each update; of the carries
        of loops around it, too, where it begins with theirs."""
        carries, init = [number], key[3]
        while init not in self.found and self.numbering.keys[init][0] == "carry":
            carries.append(init)
            init = self.numbering.keys[init][3]
        shape, a = self.shape(init), self.objects.get(init)
        if shape is None or not isinstance(a, Array) or any(self.objects.get(n) != a for n in carries):
            return None
        before = dict(self.found)
        self.found.update(dict.fromkeys(carries, shape))
        if all(self.shape(result) == shape for n in carries
               for result in self.numbering.updates.get(n, {}).values()):
            return shape
        self.found = before
        return None
