"""The category of wirings: a term as boxes and the wires between them.

    identity     wires go on              prod         wires are copied, and run into each part
    composite    wires run on             projection   the other wires end
    curry        a bubble round the body: the captured wires run into it, the argument begins inside

Copying and ending are what wires do, not boxes, so terms that are equal by the laws of projections have one picture. A
product is as many wires as it has parts, the unit none.

>>> from ccc.arrows import Prim, Prod, Proj
>>> from ccc.objects import REAL, Product
>>> from ccc.primitives.arithmetic import mul
>>> pair = Product((REAL, REAL))
>>> drawn = wiring(Prod((Proj(pair, 1), Proj(pair, 0))) >> Prim(mul, pair, REAL))
>>> (box,) = drawn.boxes
>>> box.title, [drawn.inputs.index(wire) for wire in box.inputs]
('mult', [1, 0])

References: P. Selinger, *A survey of graphical languages for monoidal categories*, sections 6.1 and 7; J. Baez and
M. Stay, *Physics, topology, logic and computation*, section 2.6 (bubbles).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ccc.arrows import Arrow, Const, Curry, Fix, Prim, Scan, Unfold, postorder
from ccc.denotation import functor
from ccc.errors import CCCError
from ccc.objects import Exponential, List, Object, Product
from ccc.show.text import ON_THE_BOARD, literal
from ccc.theory.law import Metavariable

BOXES = 600  # more than this many boxes are no picture
DEPTH = 150  # nor are terms that nest deeper


class TooLargeToDraw(CCCError, ValueError):
    """A term has too many parts for a picture."""


@dataclass(slots=True, eq=False)
class Wire:
    """A wire carries an object that is no product."""

    object: Object


@dataclass(slots=True, eq=False)
class Box:
    """A box with its wires; a bubble has panels, the diagrams inside of it. Of the wires that run into a bubble with
    one panel, the first `through` run on inside."""

    title: str
    inputs: list[Wire]
    outputs: list[Wire]
    panels: list[Panel] = field(default_factory=list)
    through: int = 0
    constant: bool = False


@dataclass(slots=True, eq=False)
class Panel:
    """A diagram with open ends."""

    inputs: list[Wire]
    outputs: list[Wire] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    title: str = ""


Wires = list[Wire]
Wired = Callable[[Panel, Wires], Wires]


def wires_of(a: Object) -> Wires:
    """New wires for an object.

    >>> from ccc.objects import REAL
    >>> len(wires_of(Product((REAL, Product((REAL, REAL)), Product(())))))
    3
    """
    if isinstance(a, Product):
        return [wire for part in a.parts for wire in wires_of(part)]
    return [Wire(a)]


class Wirings:
    """The category whose arrows put boxes on a panel, from the wires that come in to those that go out."""

    def __init__(self, unknown: dict[str, Object] | None = None) -> None:
        self.count = 0
        self.unknown = unknown or {}

    def box(self, panel: Panel, box: Box) -> Wires:
        self.count += 1
        if self.count > BOXES:
            raise TooLargeToDraw(f"a term of more than {BOXES} boxes is too large to draw")
        panel.boxes.append(box)
        return box.outputs

    def inside(self, body: Wired, inputs: Wires, title: str = "") -> Panel:
        panel = Panel(inputs, title=title)
        panel.outputs = body(panel, inputs)
        return panel

    def copies(self, wires: Wires) -> Wires:
        return [Wire(wire.object) for wire in wires]

    def identity(self, a: Object) -> Wired:
        return lambda panel, xs: xs

    def compose(self, *arrows: Wired) -> Wired:
        def run(panel: Panel, xs: Wires) -> Wires:
            for f in arrows:
                xs = f(panel, xs)
            return xs

        return run

    def terminal(self, a: Object) -> Wired:
        return lambda panel, xs: []

    def prod(self, *arrows: Wired) -> Wired:
        return lambda panel, xs: [wire for f in arrows for wire in f(panel, xs)]

    def proj(self, a: Product, index: int) -> Wired:
        ends = [0]
        for part in a.parts:
            ends.append(ends[-1] + len(wires_of(part)))
        return lambda panel, xs: xs[ends[index] : ends[index + 1]]

    def const(self, term: Const) -> Wired:
        if not wires_of(term.cod):
            return lambda panel, xs: []
        title = literal(term.value, term.cod)
        return lambda panel, xs: self.box(panel, Box(title, [], wires_of(term.cod), constant=True))

    def primitive(self, term: Prim) -> Wired:
        given = ", ".join(f"{key}={literal(value, None)}" for key, value in term.params)
        name: str = term.primitive.name
        title = ON_THE_BOARD.get(name, name) + (f"[{given}]" if given else "")
        return lambda panel, xs: self.box(panel, Box(title, xs, wires_of(term.cod)))

    def metavariable(self, name: str) -> Wired:
        """An arrow of a law: a box with its name."""
        return lambda panel, xs: self.box(panel, Box(name, xs, wires_of(self.unknown[name])))

    def eval(self, function: Exponential) -> Wired:
        return lambda panel, xs: self.box(panel, Box("eval", xs, wires_of(function.cod)))

    def curry(self, body: Wired, term: Curry) -> Wired:
        def run(panel: Panel, xs: Wires) -> Wires:
            inner = self.inside(body, [*self.copies(xs), *wires_of(term.cod.dom)])
            return self.box(panel, Box("curry", xs, [Wire(term.cod)], [inner], through=len(xs)))

        return run

    def fix(self, body: Wired, term: Fix) -> Wired:
        def run(panel: Panel, xs: Wires) -> Wires:
            inner = self.inside(body, [*self.copies(xs), Wire(term.cod), *wires_of(term.cod.dom)])
            return self.box(panel, Box("fix", xs, [Wire(term.cod)], [inner], through=len(xs)))

        return run

    def cond(self, test: Wired, then: Wired, orelse: Wired) -> Wired:
        def run(panel: Panel, xs: Wires) -> Wires:
            titled = (("if", test), ("then", then), ("else", orelse))
            panels = [self.inside(f, self.copies(xs), title) for title, f in titled]
            return self.box(panel, Box("cond", xs, self.copies(panels[1].outputs), panels))

        return run

    def iterate(self, test: Wired, body: Wired) -> Wired:
        return self.loop("iterate", test, body, None)

    def unfold(self, test: Wired, body: Wired, term: Unfold) -> Wired:
        return self.loop("unfold", test, body, term.cod)

    def loop(self, title: str, test: Wired, body: Wired, cod: Object | None) -> Wired:
        """A box `while`, with wires of an object out of it, or those of its body."""
        def run(panel: Panel, xs: Wires) -> Wires:
            panels = [self.inside(f, self.copies(xs), title) for title, f in (("while", test), ("do", body))]
            outputs = self.copies(panels[1].outputs) if cod is None else wires_of(cod)
            return self.box(panel, Box(title, xs, outputs, panels))

        return run

    def scan(self, body: Wired, term: Scan) -> Wired:
        title = "scan_reverse" if term.reverse else "scan"
        lists = term.dom.parts[2]
        assert isinstance(lists, Product)
        items = Product(tuple([a.item for a in lists.parts if isinstance(a, List)]))
        kept = len(wires_of(term.dom)) - len(wires_of(lists))

        def run(panel: Panel, xs: Wires) -> Wires:
            inner = self.inside(body, [*self.copies(xs[:kept]), *wires_of(items)])
            return self.box(panel, Box(title, xs, wires_of(term.cod), [inner], through=kept))

        return run


def wiring(arrow: Arrow) -> Panel:
    """The diagram of a term.

    Raises `TooLargeToDraw` for terms of very many boxes.
    """
    deep: dict[int, int] = {}
    for node in postorder(arrow):
        deep[id(node)] = 1 + max([deep[id(child)] for child in node.children], default=0)
    if deep[id(arrow)] > DEPTH:
        raise TooLargeToDraw(f"a term that nests deeper than {DEPTH} is too large to draw")
    unknown = {node.name: node.cod for node in postorder(arrow) if isinstance(node, Metavariable)}
    run: Wired = functor(Wirings(unknown), arrow)
    panel = Panel(wires_of(arrow.dom))
    panel.outputs = run(panel, panel.inputs)
    return panel
