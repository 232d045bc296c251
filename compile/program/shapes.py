"""The sizes of the arrays of a program, as expressions of those of its parameters (`ccc.primitives.sizes`).

They are found for value numbers, so an element of a tape has the sizes of what was taped; a carry has those of its
initial value where its updates have. What may be a number that stands for an array of zeros has none.

References: Alpern, Wegman, Zadeck, Detecting Equality of Variables in Programs.
"""

from __future__ import annotations

from typing import Any

from ccc.compile.program.lam import Atom, Program, Var, leaves
from ccc.compile.program.numbering import Numbering
from ccc.objects import Array, Int, Object
from ccc.primitives.primitive import Primitive
from ccc.primitives.sizes import ONE, Number, Shape, Size, Sized, constant, dim, number_of, of_atom, shape_of

DEEP = 32
"""So many sums of whole numbers are looked through for the sizes that they are of."""


class Shapes:
    """The shapes of the values of a program, whose parameters surely are arrays where their objects are."""

    def __init__(self, program: Program, numbering: Numbering) -> None:
        self.numbering = numbering
        self.objects: dict[int, Object] = {numbering.numbers[v]: v.object for v in numbering.numbers}
        given = [leaf for _, tree in program.params for leaf in leaves(tree)]
        self.params = {numbering.numbers[v] for v in given if isinstance(v, Var)}
        self.found: dict[int, Shape | None] = {}
        self.numbers: dict[Size, int] = {}

    def of(self, atom: Atom) -> Shape | None:
        """The sizes of an array along its axes."""
        if not isinstance(atom, Var) or not isinstance(atom.object, Array) or atom not in self.numbering.numbers:
            return None
        return self.shape(self.numbering.numbers[atom])

    def size(self, atom: Atom) -> Size:
        """The number that a whole number is."""
        return self.number(self.numbering.of(atom))

    def shape(self, number: int) -> Shape | None:
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

    def axes(self, number: int) -> tuple[str, ...]:
        """The axes that an array is known to have, none for one of unknown rank."""
        a = self.objects.get(number)
        return a.axes or () if isinstance(a, Array) else ()

    def before(self, number: int) -> list[int]:
        """The values of which `computed` asks for the shape, as far as chains of them may be long."""
        key = self.numbering.keys[number]
        if number in self.params or not isinstance(key[0], Primitive) or not self.axes(number):
            return []
        return [n for n in key[1] if self.axes(n)]

    def computed(self, number: int) -> Shape | None:
        key = self.numbering.keys[number]
        if number in self.params:
            return self.own(number)
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

    def own(self, number: int, known: Any = None) -> Shape | None:
        """The sizes of an array that are those of nothing else, but for those that are known."""
        axes = self.axes(number)
        sizes = known or [None] * len(axes)
        return tuple([ONE if axis == "1" else dim(number, k) if size is None else size
                      for k, (axis, size) in enumerate(zip(axes, sizes, strict=True))]) or None

    def of_result(self, number: int, p: Primitive, args: tuple[int, ...], params: tuple[Any, ...]) -> Shape | None:
        a = self.object(number)
        if not isinstance(a, Array) or not a.axes or any(self.object(n) is None for n in args):
            return self.own(number)
        known = shape_of(p, [self.sized(n) for n in args], dict(params), a)
        return None if known is None else self.own(number, known)

    def object(self, number: int) -> Object | None:
        """The object of a variable or a constant."""
        found = self.objects.get(number)
        return getattr(self.numbering.constants.get(number), "object", None) if found is None else found

    def sized(self, number: int, deep: int = DEEP) -> Sized:
        """What is known of an argument of an operation."""
        a = self.object(number)
        assert a is not None
        if not isinstance(a, Int):
            return Sized(a, self.shape(number))
        size = self.number(number, deep)
        self.numbers.setdefault(size, number)
        return Sized(a, None, size)

    def number(self, number: int, deep: int = DEEP) -> Size:
        """A whole number of the program: of which sizes it is a sum."""
        key, own = self.numbering.keys[number], of_atom(Number(number))
        if number in self.numbering.constants:
            x = self.numbering.constants[number].value
            return constant(x) if type(x) is int else own
        if not isinstance(key[0], Primitive) or not deep or any(self.object(n) is None for n in key[1]):
            return own
        p, args, params = key
        found = number_of(p, [self.sized(n, deep - 1) for n in args], dict(params))
        return own if found is None else found

    def of_carry(self, number: int, key: tuple[Any, ...]) -> Shape | None:
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

