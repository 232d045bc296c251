"""Which integers among its arguments a program needs as integers; the others are read as reals and have derivatives.

    lambda x, n: x * n                 n is a number like any other: 3 is read as 3.0
    lambda x, n: x ** len(range(n))    a range is of integers: n stays one, and has no derivative

A program is elaborated for integers, so it says what plain Python computes. Then its objects are found once more with
reals for the integers of arguments. Each is an integer where an operation refuses the real, makes an integer of it, is
one of whole numbers (`Primitive.whole`), takes it for a key of a dict, or where the program has looked at its class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ccc.compile.diagnostics import CompileError, WrongArguments
from ccc.compile.program.lam import Apply, Branch, Call, Lambda, Let, Loop, Program, Tree, Var, While, leaves, lets_in
from ccc.compile.terms.wanted import Part, Steps, known, object_at, position
from ccc.coproducts import join
from ccc.objects import (
    INT,
    REAL,
    Array,
    Bool,
    Coproduct,
    Int,
    List,
    Map,
    Object,
    Product,
    Real,
    Record,
    Source,
    array,
    is_discrete,
    of_shape,
)
from ccc.primitives.facts import ENTRIES, MOVEMENT
from ccc.primitives.primitive import by_sampling, elementwise, sample
from ccc.records import like, mapped, parts_of, path_to
from ccc.recursive_classes import group_of

Path = tuple[int, ...]
FLOATS = {float}
WHOLE = frozenset(np.dtype(code).name for code in np.typecodes["AllInteger"])
DISCRETE = (int, np.integer, np.bool_)
NONE: frozenset[type] = frozenset()


def paths_in(a: Object, all_classes: bool = False) -> Iterator[Path]:
    """The places of Python ints in an object: positions of parts, 0 for the items of a list or map. Those in records
    with operators of their own count with `all_classes` only: their class says what is differentiated."""
    if a == INT:
        yield ()
    elif isinstance(a, Record) and group_of(a.cls) is not None and not all_classes:
        return
    elif isinstance(a, Product):
        yield from ((i, *path) for i, part in enumerate(a.parts) for path in paths_in(part, all_classes))
    elif isinstance(a, (List, Map)):
        yield from ((0, *path) for path in paths_in(a.item, all_classes))
    elif isinstance(a, Coproduct):
        yield from ((i, *path) for i, part in enumerate(a.alternatives) for path in paths_in(part, all_classes))


def holds_integers(a: Object) -> bool:
    """Whether there is a Python int in an object."""
    return next(paths_in(a), None) is not None


@lru_cache(maxsize=1024)
def may_mix(a: Object) -> bool:
    """Whether there may be ints where an object has reals."""
    if isinstance(a, Product):
        return any(map(may_mix, a.parts))
    if isinstance(a, Coproduct):
        return next(paths_in(a, True), None) is None and not is_discrete(a)
    return isinstance(a, (List, Map)) and not is_discrete(a)


def mixes(x: Any, a: Object) -> bool:
    """Whether there are ints where an object has reals: in its lists.

    >>> mixes([1, 2.0], List(REAL)), mixes([1.0, 2.0], List(REAL)), mixes((1, 2.0), Product((INT, REAL)))
    (True, False, False)
    """
    return may_mix(a) and int in strays(x, a)


def strays(x: Any, a: Object) -> frozenset[type]:
    """The classes of the integers and bools in a value that stand where its object has reals.

    >>> strays([1, 2.0], List(REAL)), strays([1.0, True], List(REAL)), strays([1, True], List(INT))
    (frozenset({<class 'int'>}), frozenset({<class 'bool'>}), frozenset())
    """
    if isinstance(a, Real):
        return frozenset([type(x)]) if isinstance(x, DISCRETE) else NONE
    if isinstance(a, Product):
        return NONE.union(*map(strays, parts_of(x) or (), a.parts))
    if isinstance(a, Coproduct):
        return frozenset([type(leaf) for leaf in leaves_of(x) if type(leaf) is int]) if may_mix(a) else NONE
    if not isinstance(a, (List, Map)) or is_discrete(a) or (type(x) is list and set(map(type, x)) == FLOATS):
        return NONE
    return NONE.union(*[strays(item, a.item) for item in (x.values() if type(x) is dict else x)])


def leaves_of(x: Any) -> Iterator[Any]:
    """The leaves of a value of any depth."""
    todo = [x]
    while todo:
        here = todo.pop()
        parts = parts_of(here)
        if parts is None:
            yield here
        else:
            todo += parts


def with_reals(a: Object, paths: Iterable[Path]) -> Object:
    """The object with reals at these places.

    >>> print(with_reals(Product((INT, List(INT))), [(1, 0)]))
    (int, [R])
    """
    chosen = list(paths)
    if not chosen:
        return a
    if () in chosen:
        return REAL

    def part(i: int, b: Object) -> Object:
        return with_reals(b, [path[1:] for path in chosen if path[0] == i])

    if isinstance(a, Product):
        return of_shape(a, tuple([part(i, b) for i, b in enumerate(a.parts)]))
    if isinstance(a, Coproduct):
        return Coproduct(tuple([part(i, b) for i, b in enumerate(a.alternatives)]))
    return Map(a.key, part(0, a.item)) if isinstance(a, Map) else List(part(0, a.item))  # type: ignore[attr-defined]


def keys_in(a: Object) -> list[Object]:
    """The keys of the maps in an object."""
    if isinstance(a, Map):
        return [a.key, *keys_in(a.item)]
    inside = a.parts if isinstance(a, Product) else (a.item,) if isinstance(a, List) else ()
    return [key for part in inside for key in keys_in(part)]


def element(a: Object) -> Object | None:
    """The object of what a loop over a value takes."""
    if isinstance(a, List):
        return a.item
    if isinstance(a, Array) and a.axes:
        return array(a.dtype, a.axes[1:]) if len(a.axes) > 1 else Real(a.dtype) if a.is_real else Int(a.dtype)
    return None


class Flow:
    """The objects of a program where leaves of its parameters have other objects: `needed` are the leaves that cannot,
    `doubtful` those of which it is not known."""

    def __init__(self, program: Program, looked_at: Sequence[Any], given: dict[Var, Object]) -> None:
        self.objects: dict[Any, Object] = dict(given)
        self.sources: dict[Any, frozenset[Var]] = {leaf: frozenset([leaf]) for leaf in given}
        self.needed: set[Var] = set()
        self.doubtful: set[Var] = set()
        lets = list(lets_in(program.block))
        again = True
        while again:
            self.moved = False
            for let in lets:
                self.let(let)
            again = self.moved
        for var in looked_at:
            self.needed |= self.sources.get(var, frozenset())

    def of(self, atom: Any) -> Object:
        found = self.objects.get(atom)
        return atom.object if found is None else found

    def of_all(self, atoms: Iterable[Any]) -> frozenset[Var]:
        return frozenset().union(*[self.sources.get(atom, frozenset()) for atom in atoms])

    def let(self, let: Let) -> None:
        op = let.op
        if isinstance(op, Apply):
            if any(a in self.sources for a in let.args):
                self.apply(op, let)
        elif isinstance(op, Branch):
            for block in op.blocks:
                self.flow(block.results, let.targets)
        elif isinstance(op, (Loop, While)):
            count = op.carries
            self.flow(let.args[:count], op.body.params[:count])
            self.flow(op.body.results[:count], op.body.params[:count])
            for sequence, param in zip(let.args[count:], op.body.params[count:], strict=False):
                self.becomes(param, element(self.of(sequence)), [sequence])
            self.flow(op.body.params[:count], let.targets[:count])
            for result, target in zip(op.body.results[count:], let.targets[count:], strict=False):
                self.becomes(target, List(self.of(result)), [result])
            if isinstance(op, While):
                self.flow(op.body.params, op.test.params)
        elif isinstance(op, Call):
            function = let.args[0].definition if isinstance(let.args[0], Var) else None
            if function is not None and isinstance(function.op, Lambda):
                self.flow(let.args[1:], function.op.body.params)
                self.flow(function.op.body.results, let.targets)
            else:
                self.doubtful |= self.of_all(let.args)

    def flow(self, sources: Sequence[Any], targets: Sequence[Any]) -> None:
        for source, target in zip(sources, targets, strict=False):
            self.becomes(target, self.of(source), [source])

    def becomes(self, target: Any, a: Object | None, sources: Iterable[Any]) -> None:
        """A variable may hold values of this object, made of these."""
        found = self.of_all(sources)
        if not found:
            return
        wide = None if a is None else join(self.of(target), a)
        if wide is None:
            self.doubtful |= found
        elif wide != target.object:
            found |= self.sources.get(target, frozenset())
            if wide != self.of(target) or found != self.sources.get(target):
                self.objects[target], self.sources[target] = wide, found
                self.moved = True

    def apply(self, op: Apply, let: Let) -> None:
        p, target = op.primitive, let.targets[0]
        read = [a for a in let.args if a in self.sources]
        before = target.object

        def typed(only: Sequence[Any]) -> Object | None:
            try:
                return p.type_of(tuple([self.of(a) if a in only else a.object for a in let.args]), op.params)
            except Exception:  # it is for integers: whatever it raises of a sample says so
                return None

        after = typed(read)
        if after is None:
            one_of_several = any(isinstance(self.of(a), Coproduct) for a in let.args)
            found = self.doubtful if one_of_several else self.needed
            found |= self.of_all([a for a in read if typed([a]) is None] or read)
            return
        whole = p.whole and all(is_discrete(a.object) for a in let.args)
        as_key = isinstance(self.of(let.args[0]), Map) and read[-1] is let.args[-1] is not let.args[0]
        keyed = as_key or keys_in(after) != keys_in(before)
        if whole or keyed or self.makes_whole(p, after, read) or self.is_place(p, let, read):
            self.needed |= self.of_all(read)
        elif after != before:
            self.becomes(target, after, read)

    def makes_whole(self, p: Any, after: Object, read: list[Any]) -> bool:
        """Whether an operation makes an integer of a real, integers of the items of an array, or a source of a seed."""
        given = [self.of(a) for a in read]
        if isinstance(after, Array) and after.dtype in WHOLE and p.work in (ENTRIES, MOVEMENT):
            return any(isinstance(a, Real) or (isinstance(a, Array) and a.is_real) for a in given)
        return isinstance(after, (Int, Source)) and any(isinstance(a, Real) for a in given)

    def is_place(self, p: Any, let: Let, read: list[Any]) -> bool:
        """Whether an operation wants an integer for a number: it says which or how many, and nothing is computed of
        it; or a sample with a real fails where one with an integer does not."""
        if p.effect or p.program is not None or not any(isinstance(self.of(a), Real) for a in read):
            return False
        if p.places and any(isinstance(self.of(a), Real) for a in let.args[1:] if a in read):
            return True
        if p.pullback is None and p.type_rule is not elementwise:
            return True
        if p.type_rule in (elementwise, by_sampling):
            return False

        def works(objects: list[Object]) -> bool:
            try:
                p.value(*map(sample, objects), **op_params(let))
            except Exception:  # what a sample raises says that it is none
                return False
            return True

        return works([a.object for a in let.args]) and not works([self.of(a) for a in let.args])


def op_params(let: Let) -> dict[str, Any]:
    return let.application.params


Places = dict[Var, list[Path]]


def integers_at(program: Program, wrt: Sequence[Part]) -> Places:
    """The places of integers in these parts of the parameters."""
    places: Places = {}
    for i, steps in wrt:
        tree, rest = known(program.params[i][1], steps)
        for leaf in leaves(tree):
            if isinstance(leaf, Var):
                way = path_of(leaf.object, rest)
                found = [path for path in paths_in(leaf.object) if path[: len(way)] == way]
                places.setdefault(leaf, []).extend([path for path in found if path not in places.get(leaf, ())])
    return {leaf: paths for leaf, paths in places.items() if paths}


def path_of(a: Object, steps: Steps) -> Path:
    """The path to a part of a value, of which items of a list are all at one place."""
    found: list[int] = []
    for step in steps:
        found.append(0 if isinstance(a, (List, Map)) else position(a.names if isinstance(a, Record) else None, step))
        a = object_at(a, (step,))
    return tuple(found)


def readable(program: Program, looked_at: Sequence[Any], wrt: Sequence[Part]) -> tuple[Places, Places]:
    """The places of integers in the parts in `wrt` that are read as reals, and those of which that is doubtful."""
    places = integers_at(program, wrt)

    def found(chosen: dict[Var, list[Path]]) -> Flow:
        return Flow(program, looked_at, {leaf: with_reals(leaf.object, paths) for leaf, paths in chosen.items()})

    doubtful: set[Var] = set()
    while places:
        flow = found(places)
        doubtful = flow.doubtful
        if not flow.needed:
            break
        for leaf in [leaf for leaf in places if leaf in flow.needed]:
            one_by_one = places.pop(leaf)
            alone = [path for path in one_by_one if len(one_by_one) > 1 and leaf not in found({leaf: [path]}).needed]
            if len(alone) < len(one_by_one) and alone:
                places[leaf] = alone
    sure = {leaf: paths for leaf, paths in places.items() if leaf not in doubtful}
    return sure, {leaf: paths for leaf, paths in places.items() if leaf in doubtful}


# -- reading values ------------------------------------------------------------------------------------------------


Reader = Callable[[Any], Any]


def as_float(x: Any) -> Any:
    """An int as a float; anything else as it is.

    >>> as_float(3), as_float(True), as_float(2.5)
    (3.0, True, 2.5)
    """
    if type(x) is not int:
        return x
    try:
        return float(x)
    except OverflowError:
        raise TooLarge(f"an int of {x.bit_length()} bits is read as a float, and there is none so large", "CC025",
                             help="leave the argument out of `wrt`: then it stays an int") from None


def reader(a: Object) -> Reader | None:
    """What makes floats of ints where an object has reals; None where it has none."""
    if isinstance(a, Real):
        return as_float if a.kind != "fraction" else None
    if isinstance(a, Coproduct):
        return floats_in if not any(map(holds_integers, a.alternatives)) else None
    if isinstance(a, Product):
        inner = [reader(part) for part in a.parts]
        return None if not any(inner) else lambda x: parted(x, inner)
    item = reader(a.item) if isinstance(a, (List, Map)) else None
    if item is None:
        return None
    if isinstance(a, Map):
        return lambda x: {key: item(part) for key, part in x.items()}
    return lambda xs: list(map(item, xs))


def parted(x: Any, readers: Sequence[Reader | None]) -> Any:
    """A tuple or record, read part by part."""
    parts = parts_of(x) or ()
    return like(x, [part if read is None else read(part) for read, part in zip(readers, parts, strict=True)])


def floats_in(x: Any) -> Any:
    """A value with floats for its ints, all the way down."""
    return mapped(as_float, x)


def reader_of(tree: Tree, places: dict[Var, list[Path]], mixed: bool) -> Reader | None:
    """What makes floats of the ints of an argument that stand at these places of its parameter; with `mixed`, also of
    those among the reals of its lists."""
    if isinstance(tree, Var):
        a = tree.object
        return reader(with_reals(a, places.get(tree, []))) if mixed or tree in places else None
    if not isinstance(tree, tuple):
        return None
    inner = [reader_of(part, places, mixed) for part in tree]
    return None if not any(inner) else lambda x: parted(x, inner)


def unmoved(x: Any, read: Any, d: Any) -> Any:
    """A tangent with zeros for None where an int was read as a float."""
    if type(x) is int:
        return 0.0 if d is None and type(read) is float else d
    xs, reads, ds = parts_of(x), parts_of(read), parts_of(d)
    if xs is None or reads is None or ds is None or not len(xs) == len(reads) == len(ds) or x is read:
        return d
    return like(d, list(map(unmoved, xs, reads, ds)))


def refuse_moving(a: Object, d: Any, path: str) -> None:
    """Refuse a tangent that is not zero of what has no derivative: a bool, an array of integers, an integer that the
    program needs as one."""
    if is_leaf(a):
        numbers = isinstance(d, (np.ndarray, int, float, np.number, list)) and np.asarray(d).dtype.kind in "fiub"
        if numbers and np.any(np.asarray(d) != 0):
            raise moving(path, a)
    elif isinstance(a, (Product, List)):
        given = [*d] if isinstance(d, np.ndarray) else parts_of(d) or ()
        objects = a.parts if isinstance(a, Product) else [a.item] * len(given)
        cls, names = (a.cls, a.names) if isinstance(a, Record) else (list, range(len(given)))
        labels = [path + path_to(cls, name) for name in names]
        if isinstance(d, dict):
            given = [d.get(name) for name in names]
        for part, inner, label in zip(objects, given, labels, strict=False):
            refuse_moving(part, inner, label)


def is_leaf(a: Object) -> bool:
    """Whether an object is of integers, bools or arrays of them."""
    return isinstance(a, (Int, Bool)) or (isinstance(a, Array) and not a.is_real)


def holds_discrete(a: Object) -> bool:
    """Whether there is one of them in an object."""
    inside = a.parts if isinstance(a, Product) else (a.item,) if isinstance(a, List) else ()
    return is_leaf(a) or any(map(holds_discrete, inside))


def moving(path: str, a: Object = INT) -> WrongArguments:
    """The refusal of a tangent of what has no derivative."""
    what = "is a bool" if isinstance(a, Bool) else f"is an array of {a.dtype}" if isinstance(a, Array) else "is an int"
    why = f"the function needs `{path}` as an integer" if a == INT else f"`{path}` {what}"
    return WrongArguments(f"the tangent of `{path}` is not zero: {why}, which has no derivative", "CC070",
                          help="give 0.0 or None for it")


class TooLarge(WrongArguments):
    """An int that no float is near to."""


def as_read(tree: Tree, x: Any) -> Any:
    """An argument with floats for its ints where its parameter has reals."""
    if isinstance(tree, Var):
        read = reader(tree.object) if mixes(x, tree.object) or type(x) is int else None
        return x if read is None else read(x)
    return parted(x, [lambda part, inner=inner: as_read(inner, part) for inner in tree]) if isinstance(
        tree, tuple) else x


class Reading:
    """The arguments of a call with floats for those ints that are read as floats."""

    __slots__ = ("readers",)

    def __init__(self, readers: list[Reader | None]) -> None:
        self.readers = readers

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        values = [*args, *kwargs.values()]
        found = [x if read is None else read(x) for read, x in zip(self.readers, values, strict=True)]
        return tuple(found[: len(args)]), dict(zip(kwargs, found[len(args):], strict=True))


def settled(
    sure: Places, doubtful: Places, attempt: Callable[[Places], Any]
) -> tuple[Places, Any]:
    """The places at which a program can be elaborated with reals for integers, and what the attempt with them gave,
    which gives None where it would be another program; None with no places where there are none."""
    candidates: list[Places] = [sure | doubtful, sure] if doubtful else [sure]
    for places in candidates:
        if places and (found := attempted(attempt, places)) is not None:
            return places, found
    each = [{leaf: paths} for leaf, paths in (sure | doubtful).items()]
    possible: Places = {}
    for places in each if len(each) > 1 else []:
        if attempted(attempt, possible | places) is not None:
            possible |= places
    return (possible, attempt(possible)) if possible else ({}, None)


def attempted(attempt: Callable[[Places], Any], places: Places) -> Any:
    try:
        return attempt(places)
    except TooLarge:
        raise
    except CompileError:
        return None
