"""The sizes of the arrays of a program, as expressions of those of its parameters (`ccc.primitives.sizes`).

They are found for value numbers, so an element of a tape has the sizes of what was taped; a carry has those of its
initial value where its updates have. What may be a number that stands for an array of zeros has none.

References: Alpern, Wegman, Zadeck, Detecting Equality of Variables in Programs.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ccc.compile.program.assumed import LENGTH, NUMBER, Assumed, Axis, Label
from ccc.compile.program.lam import Absent, Atom, Node, Program, Tree, Var, leaves
from ccc.compile.program.numbering import Numbering
from ccc.objects import Array, Bool, Int, List, Object
from ccc.primitives.domains import Sizes
from ccc.primitives.primitive import Primitive
from ccc.primitives.sizes import (
    ONE,
    Clip,
    Common,
    Dim,
    Number,
    Shape,
    Size,
    Sized,
    Told,
    clipped,
    constant,
    dim,
    dims_in,
    is_size,
    number_of,
    of_atom,
    shape_of,
    value_of,
    with_dims,
)
from ccc.primitives.structure import length, rows, span

DEEP = 32
"""So many sums of whole numbers are looked through for the sizes that they are of."""


class Shapes:
    """The shapes of the values of a program, whose parameters surely are arrays where their objects are."""

    def __init__(self, program: Program, numbering: Numbering) -> None:
        self.numbering = numbering
        self.objects: dict[int, Object] = {number: v.object for v, number in numbering.numbers.items()}
        self.ranked: dict[int, tuple[str, ...]] = {
            number: a.axes for number, a in self.objects.items() if type(a) is Array and a.axes}
        given = [leaf for _, tree in program.params for leaf in leaves(tree)]
        self.params = {numbering.numbers[v] for v in given if isinstance(v, Var)}
        self.found: dict[int, Shape | None] = {}
        self.numbers: dict[Size, int] = {}
        self.assumed: Assumed | None = program.assumed
        self.axis: dict[Dim | Number, Axis] = {}
        self.classes: dict[Dim | Number, int] = {}
        if self.assumed is not None:
            self.assume(program, self.assumed)

    def assume(self, program: Program, assumed: Assumed) -> None:
        """Note which sizes of parameters are assumed to be equal."""
        classes = {axis: i for i, same in enumerate(assumed.classes) for axis in same}
        for first, var in variables(program):
            number = self.numbering.of(var)
            axes = range(len(self.axes(number)))
            sizes = ([Number(number)] if first.axis == NUMBER else [Dim(number, LENGTH)] if first.axis == LENGTH else
                     [Dim(number, k) for k in axes])
            for k, size in enumerate(sizes, first.axis):
                self.axis[size] = axis = first._replace(axis=k)
                if axis in classes:
                    self.classes[size] = classes[axis]

    def equal(self, a: Shape | None, b: Shape | None) -> bool:
        """Whether arrays of two shapes surely have the same sizes; what is assumed for that is relied on then."""
        if a is None or b is None or len(a) != len(b):
            return False
        return self.all_equal(zip(a, b, strict=True))

    def all_equal(self, pairs: Iterable[tuple[Size, Size]]) -> bool:
        """Whether the sizes of each pair surely are the same."""
        found = [self.assumption(x, y) for x, y in pairs if x != y]
        known = [same for same in found if same is not None]
        if len(known) < len(found):
            return False
        for same in known:
            self.rely_on(same)
        return True

    def example(self, size: Size) -> int | None:
        """The size in the call that code is made for; None where it is not that of arguments alone."""
        return value_of(size, self._example)

    def _example(self, atom: Any) -> int | None:
        axis = self.axis.get(atom)
        return None if axis is None or self.assumed is None else self.assumed.sizes.get(axis)

    def runs(self, sequence: Atom) -> int | None:
        """How often a loop runs along a sequence in that call."""
        found = self.count(self.numbering.of(sequence))
        return None if found is None else self.example(found)

    def count(self, number: int) -> Size | None:
        """How many items a sequence has."""
        return self.least(self.numbering.lengths(number))

    def least(self, sequences: Iterable[int]) -> Size | None:
        """How often a loop runs along sequences: as often as the shortest of them has items."""
        found = [self.length(n) for n in sorted(sequences)]
        known = [n for n in found if n is not None]
        return functools.reduce(self.smaller, known) if known and len(known) == len(found) else None

    def smaller(self, a: Size, b: Size) -> Size:
        """The smaller one of two sizes."""
        more = a - b
        return b if self.natural(more) else a if self.natural(b - a) else a - clipped(more)

    def length(self, number: int) -> Size | None:
        """How many items a range has, or a list that is a parameter or a slice of one, or an array rows."""
        if number in self.params and isinstance(self.objects[number], List):
            return dim(number, LENGTH)
        ends = self.ends(number)
        if ends is not None:
            return clipped(ends[1] - ends[0])
        made = self.numbering.keys[number]
        if isinstance(made[0], Primitive) and made[0].shape is not None and isinstance(self.object(number), List):
            found = made[0].shape([self.counted(n) for n in made[1]], dict(made[2]))
            return found[0] if isinstance(found, list) else None
        shape = self.shape(made[1][0]) if made[0] is rows else None
        return None if shape is None else shape[0]

    def counted(self, number: int) -> Sized:
        """What is known of an argument of what gives a list: of a list, how many items it has."""
        a = self.object(number)
        count = self.count(number) if isinstance(a, List) else None
        return self.sized(number) if count is None or a is None else Sized(a, (count,))

    def rely_on(self, same: Mapping[Dim | Number, Dim | Number]) -> None:
        if self.assumed is not None:
            self.assumed.used.update([(self.axis[x], self.axis[y]) for x, y in same.items()])

    def settled(self, shape: Shape) -> Shape:
        """The same sizes, where those that are broadcast together are one if they are assumed to be equal, and what an
        array is folded by is a number where that is not negative then."""
        return tuple([self.one(size) for size in shape])

    def one(self, size: Size) -> Size:
        (atom, _), *more = size.terms or [(None, 0)]
        if isinstance(atom, Told) and size == of_atom(atom):
            return atom.number if self.natural(atom.number) else size
        if more or not isinstance(atom, Common) or size != of_atom(atom):
            return size
        first, *others = sorted(atom.sizes, key=repr)
        return first if self.all_equal([(first, other) for other in others]) else size

    def assumption(self, a: Size, b: Size) -> dict[Dim | Number, Dim | Number] | None:
        """The sizes of parameters that have to be equal for two sizes to be; None where these are not assumed to be.
        That of an axis stands for numbers, since it is not negative."""
        same = self.replacements(a, b) if self.classes else {}
        equal = with_dims(a, same) == with_dims(b, same)
        return {x: y for x, y in same.items() if x != y} if equal else None

    def replacements(self, *sizes: Size) -> dict[Dim | Number, Dim | Number]:
        """What may stand for the sizes of parameters in others, if those are equal that are assumed to be."""
        found = {x for size in sizes for x in dims_in(size) if x in self.classes}
        numbers = [x for x in found if isinstance(x, Number)]
        axes = [x for x in [*self.classes, *found] if isinstance(x, Dim)] if numbers else found
        first = {self.classes[x]: x for x in [*sorted(numbers, reverse=True), *sorted(axes, reverse=True)]}
        return {x: first[self.classes[x]] for x in found}

    def of(self, atom: Atom) -> Shape | None:
        """The sizes of an array along its axes."""
        if not isinstance(atom, Var) or not isinstance(atom.object, Array) or atom not in self.numbering.numbers:
            return None
        return self.shape(self.numbering.numbers[atom])

    def size(self, atom: Atom) -> Size:
        """The number that a whole number is."""
        return self.number(self.numbering.of(atom))

    def shape(self, number: int) -> Shape | None:
        if number in self.found:
            return self.found[number]
        todo = [number]
        while todo:
            here = todo[-1]
            before = self.before(here)
            if before:
                todo += before
                continue
            todo.pop()
            if here not in self.found:
                self.found[here] = None  # where it depends on itself
                self.found[here] = self.computed(here)
        return self.found[number]

    def note(self, number: int, a: Object) -> None:
        """Take in a value that has been added to the program."""
        self.objects.setdefault(number, a)
        if isinstance(a, Array) and a.axes:
            self.ranked.setdefault(number, a.axes)

    def axes(self, number: int) -> tuple[str, ...]:
        """The axes that an array is known to have, none for one of unknown rank."""
        return self.ranked.get(number, ())

    def before(self, number: int) -> list[int]:
        """The values of which `computed` asks for the shape, as far as it is not found. None is under way then that a
        carry may ask for."""
        found, ranked = self.found, self.ranked
        if number in self.params or number not in ranked:
            return []
        key = self.numbering.keys[number]
        of = key[0]
        asked = (key[1] if isinstance(of, Primitive) else key[1:2] if of == "last" else key[2:4] if of == "chosen"
                 else key[3:4] if of == "carry" else ())
        return [n for n in asked if n in ranked and n not in found]

    def computed(self, number: int) -> Shape | None:
        key = self.numbering.keys[number]
        if number in self.params:
            return self.own(number)
        if isinstance(key[0], Primitive):
            return self.of_result(number, *key)
        if key[0] == "carry":
            return self.of_carry(number, key)
        if key[0] == "last":
            shape = self.shape(key[1])
            return self.of_last(key[1]) if shape is None else shape
        if key[0] == "chosen":
            x, y = self.shape(key[2]), self.shape(key[3])
            return x if self.equal(x, y) else None
        return None

    def own(self, number: int, known: Any = None) -> Shape | None:
        """The sizes of an array that are those of nothing else, but for those that are known."""
        axes = self.axes(number)
        sizes = known or [None] * len(axes)
        return tuple([ONE if axis == "1" else dim(number, k) if size is None else size
                      for k, (axis, size) in enumerate(zip(axes, sizes, strict=True))]) or None

    def of_result(self, number: int, p: Primitive, args: tuple[int, ...], params: tuple[Any, ...]) -> Shape | None:
        a, given = self.object(number), list[Sized]()
        if not isinstance(a, Array) or not a.axes:
            return self.own(number)
        for n in args:
            if self.object(n) is None:
                return self.own(number)
            given.append(self.sized(n))
        known = shape_of(p, given, dict(params), a)
        return None if known is None else self.own(number, known)

    def object(self, number: int) -> Object | None:
        """The object of a variable or a constant."""
        found = self.objects.get(number)
        if found is None and number in self.numbering.constants:
            return self.numbering.constants[number].object
        return found

    def sized(self, number: int, deep: int = DEEP) -> Sized:
        """What is known of an argument of an operation."""
        a = self.object(number)
        assert a is not None
        if not isinstance(a, Int):
            return Sized(a, self.shape(number))
        size = self.number(number, deep)
        self.numbers.setdefault(size, number)
        return Sized(a, None, size)

    def known(self, args: Sequence[Atom]) -> Sizes:
        """What is known of the sizes of arguments of an operation, and whether two sizes are the same."""
        return Sizes(
            [self.as_number(a) if isinstance(a.object, Int) else Sized(a.object, self.of(a)) for a in args],
            lambda x, y: self.equal((x,), (y,)), self.natural,
        )  # fmt: skip

    def as_number(self, atom: Atom) -> Sized:
        """The number that a whole number is, and between which it lies: those of a range lie in it."""
        size = self.size(atom)
        return Sized(atom.object, None, size, (self.end(size, 0), self.end(size, 1)))

    def end(self, size: Size, last: int) -> Size:
        """The least number, or the last one, that a number may be."""
        found = constant(size.constant)
        for atom, k in size.terms:
            ends = self.range_of(atom.of) if isinstance(atom, Number) else None
            found += (of_atom(atom) if ends is None else ends[last if k > 0 else 1 - last]).times(k)
        return found

    def range_of(self, number: int) -> tuple[Size, Size] | None:
        """The first and the last number of the range that a loop runs along, of an item of it."""
        key = self.numbering.keys[number]
        found = self.ends(key[2]) if key[0] == "element" else None
        return None if found is None else (found[0], found[1] - ONE)

    def ends(self, number: int) -> tuple[Size, Size] | None:
        """The first number of a range, and the one behind its last one."""
        made: tuple[Any, ...] = self.numbering.keys[number]
        if made[0] is not span or len(made[1]) > 2:
            return None
        start, stop = [constant(0), *[self.number(n) for n in made[1]]][-2:]
        return start, stop

    def natural(self, size: Size) -> bool:
        """Whether a number surely is not negative; what is assumed for that is relied on then."""
        if is_size(size):
            return True
        same = self.replacements(size) if self.classes else {}
        found = with_dims(size, same)
        if not is_size(found) and not self.large_enough(found):
            return False
        self.rely_on({x: y for x, y in same.items() if x != y})
        return True

    def large_enough(self, size: Size) -> bool:
        """Whether a number is not negative where the size of an argument is no less than it is assumed to be."""
        if self.assumed is None or not is_size(Size(0, size.terms)):
            return False
        for atom, _ in size.terms:
            if isinstance(atom, Clip) and atom.most is None and self.large_enough(atom.size + constant(size.constant)):
                return True
            axis = self.axis.get(atom) if isinstance(atom, Dim) else None
            if axis is not None and self.assumed.at_least(axis, -size.constant):
                return True
        return False

    def number(self, number: int, deep: int = DEEP) -> Size:
        """A whole number of the program: of which sizes it is a sum."""
        key, own = self.numbering.keys[number], of_atom(Number(number))
        if number in self.numbering.constants:
            x = self.numbering.constants[number].value
            return constant(x) if type(x) is int else own
        if not isinstance(key[0], Primitive) or not deep or any(self.object(n) is None for n in key[1]):
            return own
        p, args, params = key
        found = self.count(args[0]) if p is length else None
        if found is None:
            found = number_of(p, [self.sized(n, deep - 1) for n in args], dict(params))
        return own if found is None else found

    def of_last(self, carry: int) -> Shape | None:
        """The shape of what a loop leaves that begins with nothing: that of each update, where it surely runs."""
        key: tuple[Any, ...] = self.numbering.keys[carry]
        init = self.numbering.constants.get(key[3]) if key[0] == "carry" else None
        if init is None or not isinstance(init.value, Absent) or not self.runs_surely(key[1]):
            return None
        first, *others = [self.shape(n) for n in self.numbering.updates[carry].values()]
        return first if all(self.equal(other, first) for other in [*others, first]) else None

    def runs_surely(self, context: int) -> bool:
        """Whether the loops of a context run at least once."""
        found = self.least(self.numbering.keys[context][1])
        return found is not None and self.natural(found - ONE)

    def of_carry(self, number: int, key: tuple[Any, ...]) -> Shape | None:
        """The shape of the initial value, where it being that of the carry makes it that of each update."""
        init = key[3]
        shape, a = self.shape(init), self.objects.get(number)
        if shape is None or not isinstance(a, Array) or self.object(init) != a:
            return None
        before = dict(self.found)
        self.found[number] = shape
        if all(self.equal(self.shape(result), shape) for result in self.numbering.updates.get(number, {}).values()):
            return shape
        self.found = before
        return None


def assumed_in(program: Program, args: Sequence[Any]) -> Assumed:
    """That the sizes are equal which are in a call with these arguments.

    >>> from ccc.compile.frontend.elaborate import program_of
    >>> x, y, n = np.ones((2, 3)), np.ones(3), 2
    >>> program = program_of(lambda x, y, n: (x, y, n), (x, y, n))
    >>> [sorted(map(str, same)) for same in assumed_in(program, (x, y, n)).classes]
    [['x0.shape[0]', 'x2'], ['x0.shape[1]', 'x1.shape[0]']]
    """
    found = {axis: n for i, ((_, tree), x) in enumerate(zip(program.params, args, strict=False))
             for axis, n in axes_of(tree, x, i, ())}
    sizes = dict[int, list[Axis]]()
    for axis, n in found.items():
        if axis.axis != LENGTH:  # which is equal to others by chance
            sizes.setdefault(n, []).append(axis)
    return Assumed([tuple(axes) for axes in sizes.values() if len(axes) > 1], found)


def axes_of(tree: Tree, x: Any, argument: int, path: tuple[int, ...]) -> Iterator[tuple[Axis, int]]:
    """The axes of the arrays of an argument, but for those of size 1, and its whole numbers, with their sizes."""
    if isinstance(tree, Var):
        if isinstance(tree.object, Int) and type(x) is int:
            yield Axis(argument, path, NUMBER), x
        if isinstance(tree.object, List) and type(x) is list:
            yield Axis(argument, path, LENGTH), len(x)
        axes = tree.object.axes if isinstance(tree.object, Array) else None
        if type(x) is np.ndarray and axes is not None and len(axes) == x.ndim:
            for k, (axis, n) in enumerate(zip(axes, x.shape, strict=True)):
                if axis == "n":
                    yield Axis(argument, path, k), n
    elif type(tree) is tuple and type(x) is tuple:
        for i, (part, inner) in enumerate(zip(tree, x, strict=False)):
            yield from axes_of(part, inner, argument, (*path, i))


def variables(program: Program) -> Iterator[tuple[Axis, Var]]:
    """The arrays among the parameters of a program, each with its first axis, the lists, whole numbers and truth
    values."""
    todo: list[tuple[Tree, int, tuple[int, ...]]] = [(tree, i, ()) for i, (_, tree) in enumerate(program.params)]
    while todo:
        tree, argument, path = todo.pop()
        if isinstance(tree, tuple):
            labels = ([Label.of(i, tree.cls, name) for i, name in enumerate(tree.names)] if isinstance(tree, Node)
                      else range(len(tree)))
            todo += [(part, argument, (*path, i)) for i, part in zip(labels, tree, strict=True)]
        elif isinstance(tree, Var) and isinstance(tree.object, (Array, Bool, Int)):
            yield Axis(argument, path, 0 if isinstance(tree.object, Array) else NUMBER), tree
        elif isinstance(tree, Var) and isinstance(tree.object, List):
            yield Axis(argument, path, LENGTH), tree
