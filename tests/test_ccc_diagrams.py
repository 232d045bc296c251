"""String diagrams and formulas: the wires join what the term joins, and nothing overlaps."""

from __future__ import annotations

import itertools
import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from typing import Any

import pytest

import ccc
from ccc.arrows import Arrow, Id, Prod, Proj, Terminal, postorder
from ccc.laws.choices import Randomly
from ccc.laws.generate import Generator
from ccc.objects import REAL, Product
from ccc.show.latex import formula
from ccc.show.layout import Placed, placed
from ccc.show.svg import diagram
from ccc.show.wiring import BOXES, Box, Panel, TooLargeToDraw, wiring
from ccc.theory.control import BRANCHES, LOOPS, RECURSION
from ccc.theory.functions import FUNCTIONS
from ccc.theory.law import Law, Metavariable
from ccc.theory.products import CATEGORY, PRODUCTS, TERMINAL

THEORY = (*CATEGORY, *TERMINAL, *PRODUCTS, *FUNCTIONS, *BRANCHES, *LOOPS, *RECURSION)


def affine(x: Any, w: Any, b: Any) -> Any:
    return x * w + b


def shared(x: Any, y: Any) -> Any:
    return x * y + math.sin(x)


def higher_order(x: Any, y: Any) -> Any:
    def twice(h: Callable[[Any], Any], z: Any) -> Any:
        return h(h(z))

    return twice(lambda b: x * b + y, x * x)


def unread(x: Any, y: Any, z: Any) -> Any:
    return (z, x, 2.0)


def branching(x: Any, y: Any) -> Any:
    return x * math.sin(y) if x > y else y


def looping(x: Any) -> Any:
    while x < 10.0:
        x = x * 2.0 + 1.0
    return x


def folding(w: Any, h: Any, xs: Any) -> Any:
    cell = lambda h, x: math.tanh(w * h + x)  # noqa: E731
    for x in xs:
        h = cell(h, x)
    return h


def recursive(n: Any, x: Any) -> Any:
    def go(k: Any) -> Any:
        return x * go(k - 1) if k > 0 else 1.0

    return go(n)


PROGRAMS: tuple[tuple[Callable[..., Any], tuple[Any, ...]], ...] = (
    (affine, (2.0, 3.0, 5.0)), (shared, (2.0, 3.0)), (higher_order, (2.0, 3.0)), (unread, (1.0, 2.0, 3.0)),
    (branching, (3.0, 2.0)), (branching, (1.0, 2.0)), (looping, (1.5,)), (folding, (0.5, 0.1, [1.0, 2.0])),
    (recursive, (3, 2.0)),
)  # fmt: skip


def random_arrows() -> list[Arrow]:
    """Arrows with all the combinators, from fixed seeds."""
    generators = [Generator(Randomly("diagrams", seed)) for seed in range(150)]
    return [g.arrow(g.object(1), g.object(1), 2 + i % 4) for i, g in enumerate(generators)]


@pytest.fixture(params=PROGRAMS, ids=lambda program: program[0].__name__)
def drawn(request: pytest.FixtureRequest) -> tuple[Arrow, Callable[..., Any], tuple[Any, ...]]:
    f, args = request.param
    return ccc.arrow(f, *args), f, args


# -- the wires mean what the term means ----------------------------------------------------------------------------

MEANING: dict[str, Callable[..., Any]] = {
    "mult": lambda x, y: x * y, "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "math.sin": math.sin,
    "math.tanh": math.tanh, "greater": lambda x, y: x > y, "less": lambda x, y: x < y, "eval": lambda f, *xs: f(*xs),
}  # fmt: skip


def run(panel: Panel, inputs: Any) -> list[Any]:
    """The panel as a program: what its wires carry."""
    known = dict(zip(panel.inputs, inputs, strict=True))
    for box in panel.boxes:
        given = [known[wire] for wire in box.inputs]
        known.update(zip(box.outputs, meaning(box, given), strict=True))
    return [known[wire] for wire in panel.outputs]


def meaning(box: Box, given: list[Any]) -> list[Any]:
    if box.constant:
        return [float(box.title) if "." in box.title else int(box.title)]
    if not box.panels:
        return [MEANING[box.title](*given)]
    if box.title == "curry":
        return [lambda *xs: run(box.panels[0], [*given, *xs])[0]]
    if box.title == "fix":
        def function(*xs: Any) -> Any:
            return run(box.panels[0], [*given, function, *xs])[0]

        return [function]
    if box.title == "cond":
        test, then, orelse = box.panels
        return run(then if run(test, given)[0] else orelse, given)
    if box.title == "iterate":
        test, body = box.panels
        kept = len(given) - len(body.outputs)
        while run(test, given)[0]:
            given = [*given[:kept], *run(body, given)]
        return given[kept:]
    assert box.title == "scan" and len(given) == box.through + 1
    kept = box.through - len(box.panels[0].outputs)
    for element in given[-1]:
        given = [*given[:kept], *run(box.panels[0], [*given[: box.through], element]), given[-1]]
    return given[kept : box.through]


def flat(x: Any) -> list[Any]:
    return [leaf for part in x for leaf in flat(part)] if isinstance(x, tuple) else [x]


def test_the_wires_compute_what_the_program_computes(drawn: Any):
    term, f, args = drawn
    assert run(wiring(term), args) == flat(f(*args))


def test_copying_and_dropping_are_no_boxes():
    pair = Product((REAL, REAL))
    term = Prod((Proj(pair, 1), Proj(pair, 0))) >> Prod((Proj(pair, 1), Id(pair))) >> Proj(Product((REAL, pair)), 1)
    panel = wiring(term)
    assert panel.boxes == [] and panel.outputs == panel.inputs[::-1]
    assert wiring(Terminal(pair)).outputs == []


def test_terms_equal_by_the_laws_of_projections_have_one_picture():
    pair = Product((REAL, REAL))
    assert diagram(Prod((Proj(pair, 0), Proj(pair, 1)))) == diagram(Id(pair))
    f = ccc.arrow(shared, 1.0, 2.0)
    assert diagram(Prod((Proj(pair, 0), Proj(pair, 1))) >> f) == diagram(f)


@pytest.mark.parametrize("law", THEORY, ids=lambda law: law.name)
def test_both_sides_of_a_law_are_drawn(law: Law):
    left, right = law.pattern()
    laid_out_well(left)
    laid_out_well(right)
    ElementTree.fromstring(text := diagram(left, right))
    named = {node.name for side in (left, right) for node in postorder(side) if isinstance(node, Metavariable)}
    assert named and all(f">{name}</text>" in text for name in named)


# -- nothing overlaps ----------------------------------------------------------------------------------------------


def places(place: Placed) -> list[Placed]:
    return [place, *[inner for slot in place.boxes for panel in slot.inner for inner in places(panel)]]


def laid_out_well(term: Arrow) -> None:
    """Boxes lie apart and inside, wires pass between them and end at their sides."""
    near = 1e-6
    for place in places(placed(wiring(term))):
        boxes = [(s.x, s.y - s.height / 2, s.x + s.width, s.y + s.height / 2) for s in place.boxes]
        for a, b in itertools.combinations(boxes, 2):
            apart = (a[2] - b[0], b[2] - a[0], a[3] - b[1], b[3] - a[1])
            assert min(apart) <= near
        for left, top, right, bottom in boxes:
            assert left >= -near and top >= -near and right <= place.width + near and bottom <= place.height + near
            for (x1, y1), (x2, y2) in place.paths:
                between = x1 < right - near and x2 > left + near
                assert not (between and max(y1, y2) > top + near and min(y1, y2) < bottom - near)
        for slot in place.boxes:
            assert all(abs(y) <= slot.height / 2 + near for y in (*slot.reads, *slot.gives))


def test_boxes_lie_apart_and_wires_pass_them(drawn: Any):
    laid_out_well(drawn[0])


def test_random_arrows_are_drawn():
    drawn_kinds: set[str] = set()
    for term in random_arrows():
        laid_out_well(term)
        ElementTree.fromstring(diagram(term))
        assert " : " in formula(term)
        drawn_kinds |= {type(node).__name__ for node in postorder(term)}
    assert drawn_kinds >= {"Curry", "Eval", "Cond", "Iterate", "Unfold", "Scan", "Fix"}


def test_every_wire_ends_somewhere(drawn: Any):
    for place in places(placed(wiring(drawn[0]))):
        starts = {start for start, _ in place.paths}
        assert {*place.dots, *[(0.0, y) for y in place.inputs]} <= starts
        stops = {end for _, end in place.paths}
        assert {*place.ends, *[(place.width, y) for y in place.outputs]} <= stops


# -- what is written -----------------------------------------------------------------------------------------------


def test_the_picture_is_well_formed_and_shows_each_box(drawn: Any):
    term, f, args = drawn
    text = diagram(term)
    root = ElementTree.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    shown = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]

    def titles(panel: Panel) -> list[str]:
        inner = [t for box in panel.boxes for p in box.panels for t in [p.title or box.title, *titles(p)]]
        return inner + [box.title for box in panel.boxes if not box.panels]

    panel = wiring(term)
    types = [str(wire.object) for wire in (*panel.inputs, *panel.outputs)]
    assert sorted(str(t) for t in shown) == sorted(titles(panel) + types)
    assert text == diagram(ccc.arrow(f, *args))  # no ids, no counters


def test_a_bubble_holds_its_argument():
    (box,) = wiring(curried()).boxes
    assert (box.title, box.through, len(box.panels[0].inputs)) == ("curry", 1, 2)


def curried() -> Arrow:
    return ccc.curry(ccc.arrow(lambda x, y: x * y, 1.0, 1.0))


def test_large_terms_are_left_out():
    one = ccc.arrow(lambda x: x * x, 1.0)
    large = one
    for _ in range(12):
        large = large >> large
    assert large._repr_svg_() is None and large._repr_latex_() is None
    with pytest.raises(TooLargeToDraw, match=f"more than {BOXES} boxes"):
        diagram(large)
    deep = one
    for _ in range(200):
        deep = Prod((deep, deep)) >> Proj(Product((REAL, REAL)), 0)
    assert deep._repr_svg_() is None


def test_formulas():
    assert formula(ccc.arrow(affine, 1.0, 1.0, 1.0)) == (
        r"\langle \langle \pi_{1}, \pi_{2} \rangle \mathbin{;} \mathrm{mult}, \pi_{3} \rangle \mathbin{;} \mathrm{add}"
        r" : (\mathbb{R}, \mathbb{R}, \mathbb{R}) \Rightarrow \mathbb{R}"
    )
    assert curried()._repr_latex_() == (
        r"$\mathrm{curry}(\langle \pi_{1}, \pi_{2} \rangle \mathbin{;} \mathrm{mult})"
        r" : \mathbb{R} \Rightarrow (\mathbb{R} \Rightarrow \mathbb{R})$"
    )


def test_a_formula_closes_what_it_opens(drawn: Any):
    text = formula(drawn[0])
    braces = re.sub(r"\\[{}]", "", text)
    depth = list(itertools.accumulate((c == "{") - (c == "}") for c in braces))
    assert min(depth) >= 0 and depth[-1] == 0
    assert text.count(r"\langle") == text.count(r"\rangle")
