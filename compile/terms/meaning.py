"""The meaning of a program in any pointwise category, as a program.

    program : A, B => C, category K        K.of(A), K.of(B) |-> K.of(C)

Its term is read in the category on staged values and read back, so pairs and functions of the category are gone.

>>> from ccc.categories.forward import Forward
>>> from ccc.compile.frontend.elaborate import program_of
>>> from ccc.compile.program.pretty import program_text
>>> print(program_text(meaning(program_of(lambda x: x * x, (3.0,)), Forward())))
λ (x_0:R, x_1:R).
  t = x_0 * x_0
  t2 = x_1 * x_0
  t3 = t2 + t2
  (t, t3)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ccc.additive import Components, Zero, dense, parts
from ccc.arrows import Const, Prim, Unfold
from ccc.categories.pointwise import Pointwise
from ccc.category import Category
from ccc.compile.program.lam import Node, Program, Tree, VarTree
from ccc.compile.terms.derive import Recording, value_of
from ccc.compile.terms.staging import Staging
from ccc.denotation import functor
from ccc.errors import CannotStage, CCCError, MissingMeaning
from ccc.objects import UNIT, Bool, Object, Product, Record


def meaning(program: Program, category: Pointwise, stands: Sequence[bool] | None = None) -> Program:
    """The program of what a program means in a category, from what stands there for its parameters. Of a parameter that
    does not stand for one there, as `stands` says, the value is given, and is a constant of the category.

    Raises `MissingMeaning` for what the category does not say, `CannotStage` for what it says of no recorded values.
    """
    r = Recording(program)
    k: Any = Told(category.over(r.staging))
    known = [True] * len(r.params) if stands is None else [*stands, *[False] * (len(r.params) - len(stands))]
    params = [(name, parameter(r.staging, name, category.of(object_at(tree))) if stands_for else tree)
              for (name, tree), stands_for in zip(r.params, known, strict=True)]
    values = [value_of([tree]) for _, tree in params]
    unit = next((k.terminal(UNIT)(x) for x, stands_for in zip(values, known, strict=True) if stands_for), ())
    points = [pointing(x) if stands_for else k.const(Const(UNIT, x, object_at(tree)))
              for x, stands_for, (_, tree) in zip(values, known, r.params, strict=True)]
    y = functor(k, r.term)(points[0](unit) if len(points) == 1 else k.prod(*points)(unit))
    return r.finished("meaning", Result(r.staging, k.name).of(category.of(object_at(program.result)), y), params)


def pointing(x: Any) -> Callable[[Any], Any]:
    """The arrow that gives this, whatever it is given."""
    return lambda _: x


def object_at(tree: Tree) -> Object:
    """The object of a tree of atoms, a record where that is one."""
    if tree is None:
        return UNIT
    if not isinstance(tree, tuple):
        return tree.object
    found = tuple(map(object_at, tree))
    return Record(found, tree.cls, tree.names) if isinstance(tree, Node) else Product(found)


def parameter(staging: Staging, name: str, a: Object) -> VarTree:
    """A parameter of an object, a product as a tuple or record."""
    if not isinstance(a, Product):
        return staging.param(staging.block, name, a)
    labels = a.names if isinstance(a, Record) else range(len(a.parts))
    return product(a, [parameter(staging, f"{name}_{i}", part) for i, part in zip(labels, a.parts, strict=True)])


def product(a: Product, found: Sequence[Any]) -> Any:
    """The parts of a product as the tuple or record that it is."""
    return Node.of(a.cls, a.names, found) if isinstance(a, Record) else tuple(found)


class Result:
    """How what a category gives becomes the result of a program."""

    def __init__(self, staging: Staging, name: str) -> None:
        self.staging = staging
        self.name = name

    def of(self, a: Object, y: Any) -> Tree:
        """What stands for a value of an object."""
        if a == UNIT:
            if not isinstance(y, (tuple, Zero, Components)):
                raise CannotStage(f"a result is not decided: `{self.name}` knows of several that it may be",
                                  "test it in the program, or give back real numbers")
            return ()
        if isinstance(a, Product) and isinstance(y, (tuple, Zero, Components)):
            if isinstance(y, tuple) and len(y) != len(a.parts):
                raise self.misfit(a, y)
            return product(a, [self.of(b, part) for b, part in zip(a.parts, parts(y, len(a.parts)), strict=True)])
        if isinstance(y, tuple) or callable(y):
            raise self.misfit(a, y)
        return self.staging.settled(dense(y), y)

    def misfit(self, a: Object, y: Any) -> CannotStage:
        what = f"{len(y)} values" if isinstance(y, tuple) else f"a `{type(y).__name__}`"
        return CannotStage(f"what `{self.name}` gives for a result is {what}, where it says {a}",
                           "let its `of` say what stands for a value, and its arrows take and give that")


NOT_KNOWN = ("values are not known yet, so take functions of ccc.primitives, as elementary_math.sqrt, and for arrays "
             "elementary_numpy.maximum")


Moved = Callable[[Any], Any]
"""An arrow of a pointwise category."""


def layers_of(y: Any) -> tuple[Any, ...]:
    """The layers of what an arrow gives, or it alone."""
    return y if isinstance(y, tuple) and y else (y,)


class Told:
    """A category that is told of its errors at the place in the program that they are about."""

    def __init__(self, category: Pointwise) -> None:
        self.category = category
        self.name = type(category).__name__
        self.span: Any = None
        self.running: Any = None  # the place of what was computed last
        self.tests: dict[int, tuple[Any, Any]] = {}  # truth values, and the places of what they came from

    def __getattr__(self, name: str) -> Any:
        """What a combinator means: of one that is not said, that."""
        found = getattr(self.category, name, None)
        if found is None or getattr(type(self.category), name, None) is getattr(Category, name, None):
            raise MissingMeaning(f"`{self.name}` does not say what `{name}` means",
                                 f"give it a method `{name}`, or derive it from ccc.Layered").at(self.span)
        return found

    def primitive(self, term: Prim) -> Callable[[Any], Any]:
        """What a primitive means, with its place."""
        self.span = term.label.span or self.span
        name = term.primitive.name
        help = f"mend it, or what it says stands for the arguments of `{name}`; {NOT_KNOWN}"
        arrow, place = self.told(self.__getattr__("primitive")(term), f"`{name}`", help), self.span
        return (lambda x: self.noted(arrow(x), place)) if isinstance(term.cod, Bool) else arrow

    def const(self, term: Const) -> Callable[[Any], Any]:
        """What a constant means, with the place of what is behind it."""
        help = f"mend its `const`, or the method that this calls, as `constant` of ccc.Layered; {NOT_KNOWN}"
        return self.told(self.__getattr__("const")(term), "constants and arguments that stand for themselves", help)

    def cond(self, test: Moved, then: Moved, orelse: Moved) -> Moved:
        """What a branch means: what it refuses is about its test."""
        return self.about_test(test, lambda tested: self.__getattr__("cond")(tested, then, orelse))

    def iterate(self, test: Moved, body: Moved) -> Moved:
        """What a `while` means: what it refuses is about its test."""
        return self.about_test(test, lambda tested: self.__getattr__("iterate")(tested, body))

    def unfold(self, test: Moved, body: Moved, term: Unfold) -> Moved:
        """What a `while` with outputs means: what it refuses is about its test."""
        return self.about_test(test, lambda tested: self.__getattr__("unfold")(tested, body, term))

    def about_test(self, test: Moved, make: Callable[[Moved], Moved]) -> Moved:
        """An arrow that asks a test, at whose place it raises what has no other: what it gives may be a test again."""
        place: Any = None

        def tested(x: Any) -> Any:
            nonlocal place
            y = test(x)
            place = self.tests.get(id(layers_of(y)[0]), (y, place))[1]
            return y

        arrow = make(tested)

        def asked(x: Any) -> Any:
            try:
                return self.noted(arrow(x), place)
            except CCCError as error:
                error.at(place or self.running)  # a test that a derivative has kept has none: what hangs on it has
                raise

        return asked

    def noted(self, y: Any, place: Any) -> Any:
        """What may be a truth value, known to come from a place."""
        for layer in layers_of(y):
            if not isinstance(layer, (tuple, bool)):
                self.tests.setdefault(id(layer), (layer, place))
        return y

    def told(self, arrow: Callable[[Any], Any], what: str, help: str) -> Callable[[Any], Any]:
        """An arrow that says at which place it raises, of what, and the mend."""
        place = self.span

        def told(x: Any) -> Any:
            self.running = place or self.running
            try:
                return arrow(x)
            except CCCError as error:
                error.at(place)
                raise
            except Exception as error:
                raise CannotStage(f"what `{self.name}` says of {what}: {type(error).__name__}: {error}",
                                  help).at(place) from error

        return told
