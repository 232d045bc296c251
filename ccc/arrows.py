"""Arrow terms `T => S`: the syntax of the cartesian closed category, typed on construction and frozen.

    Id : A => A                     Chain(f : A => B, g : B => C, ...) : A => C         Terminal : A => 1
    Prod(f : X => A, g : X => B, ...) : X => (A, B, ...)                                Proj(i) : (A, B, ...) => A_i
    Curry(f : (T, S) => R) : T => (S => R)                                              Eval : ((S => R), S) => R
    Const(c) : A => B                                                                   Prim(p) : A => B
    Cond(p : X => bool, f : X => R, g : X => R) : X => R
    Iterate(p : (G, S) => bool, f : (G, S) => S) : (G, S) => S                          while
    Unfold(p : (G, S) => bool, f : (G, S) => (S, Y)) : (G, S) => (S, [Y])               while, with outputs
    Scan(f : (G, S, E) => (S, Y)) : (G, S, Es) => (S, Ys)                               fold, with outputs
    Fix(f : ((T, (S => R)), S) => R) : T => (S => R)                                    recursion

Products are n-ary inside, binary on paper. A term is a value: equal terms are equal, sharing is kept, no pass changes
a node, and every traversal is iterative.

>>> from ccc.objects import REAL
>>> print(compose(Proj(Product((REAL, REAL)), 0), Id(REAL)) == Proj(Product((REAL, REAL)), 0))
True

References: *The Differentiable Curry* ("Then implement T => S and combinators").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, fields
from functools import cache
from typing import Any

from ccc.errors import BoundaryMismatch
from ccc.objects import BOOL, UNIT, Exponential, List, Object, Product
from ccc.shown import SHOWN
from ccc.values import value

READABLE = 60  # nodes of a term that `repr` writes out


@value()
class Label:
    """What the user called the result of a step, and where it stands in the user's source; or that only a derivative
    computes it, and where the step stands that it is the derivative of."""

    name: str = ""
    span: Any = None
    derived: bool = False
    of: Any = None

    @property
    def place(self) -> Any:
        """Where the step stands, or that of which it is the derivative."""
        return self.span or self.of


class Arrow:
    """A typed term of the category; `f >> g` is first `f`, then `g`.

    >>> from ccc.objects import REAL
    >>> f = Proj(Product((REAL, REAL)), 1)
    >>> print((f >> Id(REAL)).dom)
    (R, R)

    Raises `BoundaryMismatch` where the codomain of the first is not the domain of the second.
    """

    __slots__ = ()
    dom: Object
    cod: Object

    @property
    def children(self) -> tuple[Arrow, ...]:
        return ()

    def into(self, k: Any, *children: Any) -> Any:
        """This combinator in the category `k`, given its children there."""
        raise NotImplementedError

    def __rshift__(self, other: Arrow) -> Arrow:
        return compose(self, other)

    def __eq__(self, other: object) -> bool:
        """Equality of terms, without recursion; what two terms share is compared once."""
        if not isinstance(other, Arrow):
            return NotImplemented
        todo: list[tuple[Arrow, Arrow]] = [(self, other)]
        seen: set[tuple[int, int]] = set()
        while todo:
            a, b = todo.pop()
            if a is b or (id(a), id(b)) in seen:
                continue
            seen.add((id(a), id(b)))
            if type(a) is not type(b) or len(a.children) != len(b.children) or own(a) != own(b):
                return False
            todo += zip(a.children, b.children, strict=True)
        return True

    def __hash__(self) -> int:
        found: dict[int, int] = {}
        for node in postorder(self):
            found[id(node)] = hash((type(node), own(node), *[found[id(child)] for child in node.children]))
        return found[id(self)]

    def __repr__(self) -> str:
        """Python that re-creates a term of readable size; a larger one is written as `str` does."""
        if not self._readable():
            return str(self)
        given = [f"{f.name}={getattr(self, f.name)!r}" for f in fields(self) if f.init and f.repr]  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(given)})"

    def __str__(self) -> str:
        return SHOWN["text"](self)

    def _repr_svg_(self) -> str | None:
        """The string diagram of the term, for notebooks; None where it is too large for one."""
        return SHOWN["drawing"](self)

    def _repr_latex_(self) -> str | None:
        """The term as a formula, for notebooks; None where it is too large for one."""
        return f"${SHOWN['formula'](self)}$" if self._readable() else None

    def _readable(self) -> bool:
        """True for a term that has few nodes where it is written out."""
        size: dict[int, int] = {}
        for node in postorder(self):
            size[id(node)] = 1 + sum(size[id(child)] for child in node.children)
        return size[id(self)] <= READABLE


@cache
def own_fields(cls: type) -> tuple[str, ...]:
    """The fields that make a node equal to another beside its children: labels and derived types do not."""
    return tuple([f.name for f in fields(cls) if f.compare and f.type not in ("Arrow", "tuple[Arrow, ...]")])


def own(node: Arrow) -> tuple[Any, ...]:
    """What of a node is not in its children."""
    return tuple([getattr(node, name) for name in own_fields(type(node))])


def _set(node: Arrow, dom: Object, cod: Object) -> None:
    object.__setattr__(node, "dom", dom)
    object.__setattr__(node, "cod", cod)


def _fit(what: str, found: Object, wanted: Object) -> None:
    if found is not wanted and found != wanted:
        raise BoundaryMismatch(f"{what}: found {found}, wanted {wanted}")


@value(eq=False, repr=False, checked=True)
class Id(Arrow):
    """The identity `A => A`."""

    dom: Object
    cod: Object = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cod", self.dom)

    def into(self, k: Any, *children: Any) -> Any:
        return k.identity(self.dom)


@value(eq=False, repr=False, checked=True)
class Chain(Arrow):
    """The composite of two or more steps, none of them a chain or an identity: build it with `compose`."""

    steps: tuple[Arrow, ...]
    dom: Object = field(init=False, repr=False, compare=False)
    cod: Object = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for f, g in zip(self.steps, self.steps[1:], strict=False):
            if f.cod is not g.dom and f.cod != g.dom:
                raise BoundaryMismatch(
                    f"arrows do not compose: {f.dom} => {f.cod}, then {g.dom} => {g.cod}"
                )
        _set(self, self.steps[0].dom, self.steps[-1].cod)

    @property
    def children(self) -> tuple[Arrow, ...]:
        return self.steps

    def into(self, k: Any, *children: Any) -> Any:
        return k.compose(*children)


@value(eq=False, repr=False, checked=True)
class Terminal(Arrow):
    """The unique arrow `A => 1`, called bang."""

    dom: Object
    cod: Object = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cod", UNIT)

    def into(self, k: Any, *children: Any) -> Any:
        return k.terminal(self.dom)


@value(eq=False, repr=False, checked=True)
class Prod(Arrow):
    """The fork `x |-> (f x, g x, ...)` of arrows with one domain (`prod` of the slides)."""

    arrows: tuple[Arrow, ...]
    dom: Object = field(init=False, repr=False, compare=False)
    cod: Object = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        dom = self.arrows[0].dom
        for f in self.arrows:
            if f.dom is not dom and f.dom != dom:
                raise BoundaryMismatch(f"prod needs one domain: found {dom} and {f.dom}")
        _set(self, dom, Product(tuple([f.cod for f in self.arrows])))

    @property
    def children(self) -> tuple[Arrow, ...]:
        return self.arrows

    def into(self, k: Any, *children: Any) -> Any:
        return k.prod(*children)


@value(eq=False, repr=False, checked=True)
class Proj(Arrow):
    """The i-th projection of a product."""

    dom: Product
    index: int
    cod: Object = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.dom, Product) or not 0 <= self.index < len(self.dom.parts):  # type: ignore[reportUnnecessaryIsInstance]
            raise BoundaryMismatch(f"projection {self.index} needs a product that long: found {self.dom}")
        object.__setattr__(self, "cod", self.dom.parts[self.index])

    def into(self, k: Any, *children: Any) -> Any:
        return k.proj(self.dom, self.index)


@value(eq=False, repr=False, checked=True)
class Curry(Arrow):
    """`curry f : T => (S => R)` of `f : (T, S) => R`: the closure that captures `T`."""

    body: Arrow
    label: Label = field(default=Label(), compare=False, repr=False)
    dom: Object = field(init=False, repr=False, compare=False)
    cod: Exponential = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        pair = self.body.dom
        if not isinstance(pair, Product) or len(pair.parts) != 2:
            raise BoundaryMismatch(f"curry needs an arrow from a pair: found {pair} => {self.body.cod}")
        _set(self, pair.parts[0], Exponential(pair.parts[1], self.body.cod))

    @property
    def children(self) -> tuple[Arrow, ...]:
        return (self.body,)

    def into(self, k: Any, *children: Any) -> Any:
        return k.curry(children[0], self)


@value(eq=False, repr=False, checked=True)
class Eval(Arrow):
    """Application `((S => R), S) => R`, function first."""

    function: Exponential
    dom: Product = field(init=False, repr=False, compare=False)
    cod: Object = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _set(self, Product((self.function, self.function.dom)), self.function.cod)

    def into(self, k: Any, *children: Any) -> Any:
        return k.eval(self.function)


@value(eq=False, repr=False, checked=True)
class Const(Arrow):
    """The constant arrow `A => B` at a value of a first-order object."""

    dom: Object
    value: Any
    cod: Object
    label: Label = field(default=Label(), compare=False, repr=False)

    def into(self, k: Any, *children: Any) -> Any:
        return k.const(self)


@value(eq=False, repr=False, checked=True)
class Prim(Arrow):
    """A primitive; several arguments make its domain a product. `params` are constants such as an axis."""

    primitive: Any
    dom: Object
    cod: Object
    params: tuple[tuple[str, Any], ...] = ()
    label: Label = field(default=Label(), compare=False, repr=False)

    def into(self, k: Any, *children: Any) -> Any:
        return k.primitive(self)


@value(eq=False, repr=False, checked=True)
class Cond(Arrow):
    """`x |-> f x if p x else g x`: only the taken branch runs, forward and backward."""

    test: Arrow
    then: Arrow
    orelse: Arrow
    dom: Object = field(init=False, repr=False, compare=False)
    cod: Object = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _fit("the branches of cond need the domain of its test", self.then.dom, self.test.dom)
        _fit("the branches of cond need the domain of its test", self.orelse.dom, self.test.dom)
        _fit("the branches of cond need one codomain", self.orelse.cod, self.then.cod)
        if not isinstance(self.test.cod, type(BOOL)):
            raise BoundaryMismatch(f"the test of cond must give bool: found {self.test.cod}")
        _set(self, self.test.dom, self.then.cod)

    @property
    def children(self) -> tuple[Arrow, ...]:
        return (self.test, self.then, self.orelse)

    def into(self, k: Any, *children: Any) -> Any:
        return k.cond(*children)


def _fit_while(verb: str, test: Arrow, body: Arrow, state: Object, form: str) -> Product:
    """The domain (G, S) of a loop `while`, whose body leaves a state and whose test gives a bool."""
    pair = body.dom
    if not isinstance(pair, Product) or len(pair.parts) != 2:
        raise BoundaryMismatch(f"{verb} needs a body (G, S) => {form}: found {pair} => {body.cod}")
    _fit(f"{verb} must give back the state it takes", state, pair.parts[1])
    _fit(f"the test of {verb} needs the domain of its body", test.dom, pair)
    if not isinstance(test.cod, type(BOOL)):
        raise BoundaryMismatch(f"the test of {verb} must give bool: found {test.cod}")
    return pair


@value(eq=False, repr=False, checked=True)
class Iterate(Arrow):
    """`while`: from `(g, s)`, replace `s` by `f (g, s)` as long as `p (g, s)`."""

    test: Arrow
    body: Arrow
    dom: Product = field(init=False, repr=False, compare=False)
    cod: Object = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _set(self, _fit_while("iterate", self.test, self.body, self.body.cod, "S"), self.body.cod)

    @property
    def children(self) -> tuple[Arrow, ...]:
        return (self.test, self.body)

    def into(self, k: Any, *children: Any) -> Any:
        return k.iterate(*children)


@value(eq=False, repr=False, checked=True)
class Unfold(Arrow):
    """`while` with outputs: from `(g, s)`, replace `s` and give `(y, ...)` by `f (g, s)` as long as `p (g, s)`; to the
    last state and the lists of the outputs."""

    test: Arrow
    body: Arrow
    dom: Product = field(init=False, repr=False, compare=False)
    cod: Product = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        result = self.body.cod
        if not isinstance(result, Product) or len(result.parts) != 2 or not isinstance(result.parts[1], Product):
            raise BoundaryMismatch(f"unfold needs a body (G, S) => (S, Y): found {self.body.dom} => {result}")
        lists = Product(tuple([List(y) for y in result.parts[1].parts]))
        state = result.parts[0]
        _set(self, _fit_while("unfold", self.test, self.body, state, "(S, Y)"), Product((state, lists)))

    @property
    def children(self) -> tuple[Arrow, ...]:
        return (self.test, self.body)

    def into(self, k: Any, *children: Any) -> Any:
        return k.unfold(*children, self)


def _scan_parts(body: Arrow) -> tuple[Object, Object, Product, Product]:
    """The context G, state S, elements E and outputs Y of a scan's body `(G, S, E) => (S, Y)`."""
    dom, cod = body.dom, body.cod
    if isinstance(dom, Product) and isinstance(cod, Product) and len(dom.parts) == 3 and len(cod.parts) == 2:
        context, state, elements = dom.parts
        outputs = cod.parts[1]
        if isinstance(elements, Product) and elements.parts and isinstance(outputs, Product):
            _fit("scan must give back the state it takes", cod.parts[0], state)
            return context, state, elements, outputs
    raise BoundaryMismatch(f"scan needs a body (G, S, (E, ...)) => (S, (Y, ...)): found {dom} => {cod}")


@value(eq=False, repr=False, checked=True)
class Scan(Arrow):
    """A loop over lists of equal reach: `(g, s, (es, ...)) |-> (last s, (ys, ...))`; `reverse` starts at the end
    and writes each output at the position of its element. With no outputs it is `fold`."""

    body: Arrow
    reverse: bool = False
    dom: Product = field(init=False, repr=False, compare=False)
    cod: Product = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        context, state, elements, outputs = _scan_parts(self.body)
        lists = Product(tuple(List(e) for e in elements.parts))
        _set(self, Product((context, state, lists)), Product((state, Product(tuple(List(y) for y in outputs.parts)))))

    @property
    def children(self) -> tuple[Arrow, ...]:
        return (self.body,)

    def into(self, k: Any, *children: Any) -> Any:
        return k.scan(children[0], self)


@value(eq=False, repr=False, checked=True)
class Fix(Arrow):
    """`fix f : T => (S => R)` of `f : ((T, (S => R)), S) => R`: the closure that may call itself."""

    body: Arrow
    label: Label = field(default=Label(), compare=False, repr=False)
    dom: Object = field(init=False, repr=False, compare=False)
    cod: Exponential = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        match self.body.dom:
            case Product((Product((context, Exponential() as function)), argument)):
                _fit("fix needs the function it defines in its context", function, Exponential(argument, self.body.cod))
                _set(self, context, function)
            case _:
                found = f"{self.body.dom} => {self.body.cod}"
                raise BoundaryMismatch(f"fix needs a body ((T, (S => R)), S) => R: found {found}")

    @property
    def children(self) -> tuple[Arrow, ...]:
        return (self.body,)

    @property
    def name(self) -> str:
        """What the function is called."""
        return self.label.name or "recursive"

    def into(self, k: Any, *children: Any) -> Any:
        return k.fix(children[0], self)


def compose(*arrows: Arrow) -> Arrow:
    """First the first arrow, then the second, and so on; identities and nested chains are flattened away.

    >>> from ccc.objects import REAL
    >>> compose(Id(REAL), Terminal(REAL))
    Terminal(dom=Real('float'))

    Raises `BoundaryMismatch` where neighbours do not fit, naming both boundaries.
    """
    if not arrows:
        raise BoundaryMismatch("compose needs at least one arrow; the identity on A is Id(A)")
    steps: list[Arrow] = []
    previous = arrows[0]
    for f in arrows:
        if f is not previous and previous.cod is not f.dom and previous.cod != f.dom:
            raise BoundaryMismatch(
                f"arrows do not compose: {previous.dom} => {previous.cod}, then {f.dom} => {f.cod}",
                f"put an arrow {previous.cod} => {f.dom} between them, such as a projection",
            )
        previous = f
        if isinstance(f, Chain):
            steps += f.steps
        elif not isinstance(f, Id):
            steps.append(f)
    return Chain(tuple(steps)) if len(steps) > 1 else steps[0] if steps else arrows[0]


def postorder(arrow: Arrow) -> Iterator[Arrow]:
    """Every distinct node (by identity), children first, without recursion.

    >>> from ccc.objects import REAL
    >>> [type(node).__name__ for node in postorder(compose(Terminal(REAL), Id(Product(()))))]
    ['Terminal']
    """
    seen: set[int] = set()
    todo: list[tuple[Arrow, bool]] = [(arrow, False)]
    while todo:
        node, ready = todo.pop()
        if ready:
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            todo.append((node, True))
            todo += [(child, False) for child in reversed(node.children)]
