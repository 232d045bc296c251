"""Values in layers: beside a value stand others of its shape, and a primitive moves all of them.

    of(A) = (A, T A, ..., T A)        T A the reals of A: what is discrete has nothing beside it

Tangents of any order are layers, and so are bounds. A category of this kind says what its primitives do to the layers;
what pairs, functions, branches and loops do follows. A test is one of the first layers.

>>> from ccc.arrows import Prim
>>> from ccc.denotation import functor
>>> from ccc.objects import REAL, Product
>>> from ccc.primitives import arithmetic
>>> class Bounds(Layered):
...     operations = {"sub": lambda x, y: (x[0] - y[1], x[1] - y[0])}
>>> functor(Bounds(), Prim(arithmetic.sub, Product((REAL, REAL)), REAL))(((1.0, 2.0), (1.5, 2.5)))
(-1.5, -0.5)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from ccc.additive import Zero
from ccc.arrows import Const, Curry, Fix, Prim, Scan, Unfold
from ccc.base import Standing
from ccc.categories.functions import arguments
from ccc.categories.pointwise import Pointwise
from ccc.denotation import functor
from ccc.errors import CannotStage, MissingMeaning
from ccc.objects import UNIT, Array, Bool, Exponential, Int, List, Object, Product, Real, is_discrete, of_shape
from ccc.objects_of_values import object_of
from ccc.primitives import registry, structure, zero_trees
from ccc.primitives.arithmetic import to_float
from ccc.primitives.facts import FILLING, FOREIGN, MOVEMENT, SIZES, STORAGE
from ccc.primitives.primitive import Primitive, elementwise

Layers = tuple[Any, ...]
Moved = Callable[[Layers], Layers]
NOTHING = ()
"""What stands beside a value that is discrete, or a function."""
STILL = (FILLING, MOVEMENT, SIZES, STORAGE)
"""The work of primitives that leave numbers as they are, and move them in each layer alike."""


class Layered(Pointwise):
    """Functions on values in so many `layers`, over a base; `operations` says by the name of a primitive what layers it
    makes of those of each argument.

    >>> class Duals(Layered):
    ...     operations = {"mul": lambda x, y: (x[0] * y[0], x[1] * y[0] + x[0] * y[1])}
    >>> import ccc
    >>> ccc.interpret(lambda x: x * x * 2.0, Duals())((3.0, 1.0))
    (18.0, 12.0)

    Literals and integers have zeros beside them, unless `constant` says otherwise. What moves numbers and leaves them
    as they are (an index, a list, a shape) is not asked for, nor what is computed of integers alone. Raises
    `MissingMeaning` at the place of a primitive that `operations` lacks.
    """

    layers: int = 2
    operations: ClassVar[Mapping[str, Callable[..., Any]]] = {}
    tangents: bool = False
    """Whether derivatives stand beside a value, which `ccc.without_derivative` stops."""
    of_numbers: bool = True
    """Whether layers stand for numbers, which the law `sound` asks about; the residue of a number stands for none."""

    def of(self, a: Object) -> Object:
        return Product((a, *[reals(a)] * (self.layers - 1)))

    def constant(self, value: Any) -> Layers:
        """A literal, an integer, a truth value that is computed with, or what is read from outside, in layers."""
        a = kind(value)
        truth = isinstance(a, Bool) or (isinstance(a, Array) and a.dtype == "bool")  # which has no tangent of its own
        zero = self.base.apply(zero_trees.zeros_like, (value * 0.0 if truth else value,), {}, None)
        return (value, *[zero] * (self.layers - 1))

    def element(self, number: Callable[[], Any]) -> Layers:
        """What stands for numbers that are drawn where the laws of the category are checked: by default one of them,
        as a literal. A category of which that says little draws several."""
        return self.constant(number())

    def member(self, x: Layers, below: Callable[[int], int]) -> Any:
        """One of the numbers for which an element stands, where it stands for several: `below(n)` chooses."""
        return x[0]

    def holds(self, x: Layers, value: Any) -> bool:
        """Whether a number is one of those for which an element stands: the law `sound` says that it stays so."""
        return bool(x[0] == value)

    def moving(self, term: Prim, layers: Sequence[Any]) -> list[int]:
        """The arguments of a primitive that are numbers with something beside them, in a layer that is not zero."""
        domains = term.dom.parts if isinstance(term.dom, Product) else (term.dom,)
        return [i for i, (a, x) in enumerate(zip(domains, layers, strict=True))
                if not is_discrete(a) and i not in term.primitive.sizes and not layered_zero(x)]

    def names(self, p: Primitive) -> bool:
        """Whether `operations` has a primitive: by its name, which a user's function may share with one of ours."""
        return p.name in self.operations and (p.memory is not FOREIGN or p.name not in registry.BY_NAME)

    def operation(self, term: Prim, *xs: Layers) -> Any:
        """What a primitive gives: layers, or one value where that is discrete."""
        name = term.primitive.name
        if not self.names(term.primitive):
            raise MissingMeaning(f"`{type(self).__name__}` does not say what `{name}` means",
                                 f"give its `operations` an entry {name!r}")
        return self.operations[name](*xs, **dict(term.params))

    def alone(self, value: Any) -> Layers:
        """A value with nothing beside it."""
        return (value, *[NOTHING] * (self.layers - 1))

    def together(self, xs: Sequence[Layers]) -> Layers:
        """Values in layers as the layers of a tuple of them."""
        layers = list(zip(*xs, strict=True)) or [NOTHING] * self.layers
        return layers[0], *[NOTHING if all(map(is_nothing, layer)) else layer for layer in layers[1:]]

    def apart(self, x: Layers, size: int) -> list[Layers]:
        """The layers of a tuple of so many values as theirs."""
        return [tuple([NOTHING if is_nothing(layer) else layer[i] for layer in x]) for i in range(size)]

    def lifted(self, value: Any, a: Object) -> Layers:
        """A value that is known, part by part and item by item.

        >>> from ccc.objects import REAL
        >>> class Counted(Layered):
        ...     def constant(self, value):
        ...         return value, value * 0.0 + 1.0
        >>> Counted().lifted([2.0, 3.0], List(REAL))
        ([2.0, 3.0], [1.0, 1.0])
        """
        if is_discrete(a) or isinstance(a, Exponential):
            return self.alone(value)
        if isinstance(a, Product):
            return self.together([self.lifted(x, part) for x, part in zip(value, a.parts, strict=True)])
        if isinstance(a, List) and isinstance(value, list):
            items = [self.lifted(x, a.item) for x in value]  # type: ignore[reportUnknownVariableType]
            return tuple([[item[i] for item in items] for i in range(self.layers)])
        return self.constant(value)

    # -- the combinators ---------------------------------------------------------------------------------------

    def terminal(self, a: Object) -> Moved:
        return lambda x: self.alone(())

    def prod(self, *arrows: Moved) -> Moved:
        return lambda x: self.together([f(x) for f in arrows])

    def proj(self, a: Product, index: int) -> Moved:
        return lambda x: self.apart(x, len(a.parts))[index]

    def curry(self, body: Moved, term: Curry) -> Moved:
        return lambda t: self.alone(lambda s: body(self.together((t, s))))

    def eval(self, function: Exponential) -> Moved:
        def applied(x: Layers) -> Layers:
            f, s = self.apart(x, 2)
            return f[0](s)

        return applied

    def const(self, term: Const) -> Moved:
        return lambda x: self.lifted(self.base.const(term.value, term.cod), term.cod)

    def primitive(self, term: Prim) -> Moved:
        p, params, dom = term.primitive, dict(term.params), term.dom
        domains = arguments(dom.parts if isinstance(dom, Product) else dom, dom)
        discrete = [is_discrete(a) for a in domains]
        still = all(skip or i in p.sizes for i, skip in enumerate(discrete))
        data = p.linear_of(params).arguments(len(domains))
        moved_in = [skip and i in data and isinstance(term.cod, (Array, Real)) for i, skip in enumerate(discrete)]
        """Whole numbers and truth values that become real ones: indices, sizes and tests do not."""

        def at(xs: Sequence[Any]) -> Any:
            return self.base.apply(p, tuple(xs), params, term.label)

        def moved(x: Layers) -> Layers:
            first = arguments(x[0], dom)
            if not first and isinstance(term.cod, List) and not is_discrete(term.cod):  # an empty one
                return tuple([at(()) for _ in range(self.layers)])
            if still:
                return self.lifted(at(first), term.cod)
            xs = self.apart(x, len(first)) if isinstance(dom, Product) else [x]
            named = self.names(p)
            if p.program is not None and not named:
                return self.of_program(functor(self, p.program.body)(x), p.program.results)
            if not named and is_discrete(term.cod):
                return self.alone(at(first))
            if named or p.work not in STILL:
                found = self.operation(term, *[
                    self.constant(x[0]) if number or isinstance(a, Int) else x
                    for x, a, number in zip(xs, domains, moved_in, strict=True)])
                return self.alone(found) if is_discrete(term.cod) else self.checked(p.name, found)
            if self.tangents and p.work == SIZES and len(xs) == 1 and stops(p, xs[0][1], first[0]):
                return self.lifted(at(first), term.cod)
            layers = [self.constant(x[0]) if number else (x[0],) * self.layers if skip else x
                      for x, skip, number in zip(xs, discrete, moved_in, strict=True)]
            return tuple([at(layer) for layer in zip(*layers, strict=True)])

        return moved

    def checked(self, name: str, found: Any) -> Layers:
        """What an operation gives, as layers."""
        if not isinstance(found, (tuple, list)) or len(found) != self.layers:  # type: ignore[reportUnknownArgumentType]
            what = f"{len(found)} values" if isinstance(found, (tuple, list)) else "one value"  # type: ignore[reportUnknownArgumentType]
            raise CannotStage(f"what `{type(self).__name__}` says of `{name}` is {what}, where there are "
                              f"{self.layers} layers",
                              f"let it give {self.layers}: the value and what stands beside it")
        return tuple(found)  # type: ignore[reportUnknownVariableType]

    def of_program(self, y: Layers, results: Sequence[Object]) -> Layers:
        """The results of a primitive that stands for a program, as its one value."""
        if len(results) == 1:
            return y
        ys = self.apart(y, len(results))
        return tuple([structure.pack(*[y[0 if is_discrete(a) else i] for y, a in zip(ys, results, strict=True)])
                      for i in range(self.layers)])  # fmt: skip

    def cond(self, test: Moved, then: Moved, orelse: Moved) -> Moved:
        return lambda x: self.base.cond(test(x)[0], lambda: then(x), lambda: orelse(x))

    def scan(self, body: Moved, term: Scan) -> Moved:
        lists, ys = self.columns(term.dom, 2), self.columns(term.cod, 1)

        def loop(x: Layers) -> Layers:
            g, init, xs = self.apart(x, 3)

            def step(s: Layers, elements: tuple[Any, ...]) -> tuple[Layers, tuple[Any, ...]]:
                return self.split(body(self.together((g, s, self.nested(elements, lists)))), ys)

            sequences = self.flat(xs, lists)
            state, columns = self.base.scan(step, init, sequences, self.width(ys), term.reverse)
            return self.together((state, self.nested(columns, ys)))

        return loop

    def unfold(self, test: Moved, body: Moved, term: Unfold) -> Moved:
        ys = self.columns(term.cod, 1)

        def loop(x: Layers) -> Layers:
            g, init = self.apart(x, 2)
            state, columns = self.base.iterate(
                lambda s: test(self.together((g, s)))[0],
                lambda s: self.split(body(self.together((g, s))), ys), init, self.width(ys),
            )
            return self.together((state, self.nested(columns, ys)))

        return loop

    def fix(self, body: Moved, term: Fix) -> Moved:
        function = Exponential(self.of(term.cod.dom), self.of(term.cod.cod))

        def knot(t: Layers) -> Layers:
            recursive = self.alone(lambda s: apply(s))
            apply = self.base.recursive(
                lambda s: body(self.together((self.together((t, recursive)), s))), term.name, function)
            return recursive

        return knot

    # -- the columns of loops ----------------------------------------------------------------------------------

    def columns(self, a: Product, index: int) -> list[bool]:
        """Of which of the lists in a component of a product the items have nothing beside them."""
        lists = a.parts[index]
        return [is_discrete(part) for part in lists.parts] if isinstance(lists, Product) else []

    def width(self, discrete: Sequence[bool]) -> int:
        """How many columns lists in layers are."""
        return sum(1 if skip else self.layers for skip in discrete)

    def flat(self, x: Layers, discrete: Sequence[bool]) -> tuple[Any, ...]:
        """A tuple in layers as one row: what is discrete once, all else in each layer."""
        return tuple([layer[j] for i, layer in enumerate(x) for j, skip in enumerate(discrete) if i == 0 or not skip])

    def nested(self, row: Sequence[Any], discrete: Sequence[bool]) -> Layers:
        """A row as the tuple in layers that it came from."""
        items: Iterator[Any] = iter(row)
        layers = [tuple([NOTHING if i and skip else next(items) for skip in discrete]) for i in range(self.layers)]
        return layers[0], *[NOTHING if all(map(is_nothing, layer)) else layer for layer in layers[1:]]

    def split(self, x: Layers, discrete: Sequence[bool]) -> tuple[Layers, tuple[Any, ...]]:
        """The state of a loop, and its outputs in one row."""
        state, ys = self.apart(x, 2)
        return state, self.flat(ys, discrete)


def layered_zero(x: Any) -> bool:
    """Whether a layer is known to be zero: a literal.

    >>> layered_zero(0.0), layered_zero(1.0), layered_zero(NOTHING)
    (True, False, True)
    """
    return is_nothing(x) or (isinstance(x, (int, float)) and not isinstance(x, bool) and x == 0)


def reals(a: Object) -> Object:
    """The object of what stands beside a value of `a`: a structure with nothing in the place of what is discrete.

    >>> from ccc.objects import INT, REAL
    >>> print(reals(Product((REAL, INT))))
    (R, 1)
    """
    if is_discrete(a):
        return UNIT
    return of_shape(a, tuple(map(reals, a.parts))) if isinstance(a, Product) else a


def is_nothing(x: Any) -> bool:
    """True for what stands beside a value that is discrete.

    >>> is_nothing(NOTHING), is_nothing(0.0)
    (True, False)
    """
    return isinstance(x, tuple) and not x


def kind(x: Any) -> Object:
    """The object of a value: known, recorded, or not there.

    >>> print(kind(2.0))
    R
    """
    return x.object if isinstance(x, Standing) else object_of(x)


def stops(p: Primitive, d: Any, x: Any) -> bool:
    """Whether a primitive that gives its argument has no derivative in it."""
    return p.differential is not None and isinstance(p.differential((d,), x, x), Zero)


def goes_by_items(term: Prim) -> bool:
    """Whether each number of a result is made of one number of each argument."""
    parts = term.dom.parts if isinstance(term.dom, Product) else (term.dom,)
    return term.primitive.type_rule is elementwise or not any(isinstance(a, (Array, List)) for a in (*parts, term.cod))


def as_before(x: Any, like: Any) -> Any:
    """A number as Python's own where another is.

    >>> import numpy as np
    >>> as_before(np.float64(1.0), 2.0)
    1.0
    """
    return x if isinstance(kind(like), Array) or kind(like) == kind(x) else to_float(x)
