"""String diagrams as SVG: read from left to right, boxes are primitives, bubbles are functions.

A dot is a wire that is copied, a ring one that ends; what begins inside of a bubble is the argument of its function.

>>> from ccc.arrows import Id
>>> from ccc.objects import REAL
>>> print(diagram(Id(REAL)).splitlines()[2])
<rect class="page" x="0" y="0" width="92.4" height="46" rx="4"/>

References: P. Selinger, *A survey of graphical languages for monoidal categories*.
"""

from __future__ import annotations

import html

from ccc.arrows import Arrow
from ccc.show.layout import LETTER, MARGIN, TITLE, Placed, Point, Slot, placed
from ccc.show.wiring import Box, Panel, TooLargeToDraw, wiring

RULES = {
    "path": "fill:none;stroke:#345;stroke-width:1.3", "rect": "fill:#fff;stroke:#345;stroke-width:1.3",
    "rect.page": "fill:#fff;stroke:none", "rect.bubble": "fill:#eef4fa", "rect.panel": "stroke:#9ab;stroke-width:1",
    "rect.constant": "fill:#fdf6e3;stroke:#ba8", "text": "font:12px monospace;fill:#123;text-anchor:middle",
    "text.type": "font-size:10px;fill:#567", "text.title": "font-size:11px;fill:#567", "text.equals": "font-size:20px",
    "circle.dot": "fill:#345",
    "circle.end": "fill:#fff;stroke:#345;stroke-width:1.3",
}  # fmt: skip
EDGE, STUB, EQUALS = 12.0, 14.0, 36.0
"""The margin of a page, the length of the ends of open wires, the room of an equals sign."""
STYLE = "".join([f".string-diagram {element}{{{rule}}}" for element, rule in RULES.items()])
"""Of this picture alone: a page that holds it has paths and texts of its own."""


def diagram(*arrows: Arrow) -> str:
    """The string diagram of a term; of several, an equation of diagrams.

    Raises `TooLargeToDraw` for terms of very many boxes.
    """
    panels = [wiring(arrow) for arrow in arrows]
    places = [placed(panel) for panel in panels]
    height = max(place.height for place in places) + 2 * EDGE
    drawing = _Drawing()
    x = 0.0
    for panel, place in zip(panels, places, strict=True):
        if panel is not panels[0]:
            drawing.text(x + EQUALS / 2, height / 2, "=", "equals")
            x += EQUALS
        x += drawing.open_panel(panel, place, x, (height - place.height) / 2)
    size = f'viewBox="0 0 {_n(x)} {_n(height)}" width="{_n(x)}" height="{_n(height)}"'
    title = html.escape(f"{arrows[0].dom} => {arrows[0].cod}")
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" class="string-diagram" {size} role="img">',
        f"<title>{title}</title><style>{STYLE}</style>",
        f'<rect class="page" x="0" y="0" width="{_n(x)}" height="{_n(height)}" rx="4"/>',
        *drawing.lines,
        "</svg>",
    ])


def diagram_or_none(arrow: Arrow) -> str | None:
    """The string diagram of a term; None where it is too large for one.

    >>> from ccc.arrows import Id
    >>> from ccc.objects import REAL
    >>> diagram_or_none(Id(REAL)) == diagram(Id(REAL))
    True
    """
    try:
        return diagram(arrow)
    except TooLargeToDraw:
        return None


def _n(x: float) -> str:
    return f"{x:.1f}".removesuffix(".0")


class _Drawing:
    """Elements of SVG, in the order in which they are painted."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def path(self, start: Point, end: Point) -> None:
        (x1, y1), (x2, y2) = start, end
        if abs(y1 - y2) < 0.05:
            self.lines.append(f'<path d="M{_n(x1)} {_n(y1)}H{_n(x2)}"/>')
        else:
            half = _n((x1 + x2) / 2)
            self.lines.append(f'<path d="M{_n(x1)} {_n(y1)}C{half} {_n(y1)} {half} {_n(y2)} {_n(x2)} {_n(y2)}"/>')

    def circle(self, at: Point, kind: str) -> None:
        self.lines.append(f'<circle class="{kind}" cx="{_n(at[0])}" cy="{_n(at[1])}" r="3"/>')

    def text(self, x: float, y: float, text: str, kind: str = "") -> None:
        given = f' class="{kind}"' if kind else ""
        self.lines.append(f'<text{given} x="{_n(x)}" y="{_n(y + 4)}">{html.escape(text)}</text>')

    def rect(self, x: float, y: float, width: float, height: float, round_: float, kind: str = "") -> None:
        given = f' class="{kind}"' if kind else ""
        self.lines.append(
            f'<rect{given} x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" rx="{_n(round_)}"/>'
        )

    def open_panel(self, panel: Panel, place: Placed, x: float, y: float) -> float:
        """A panel with the types of its open wires on both sides; gives its width."""
        ins, outs = ([str(wire.object) for wire in wires] for wires in (panel.inputs, panel.outputs))
        left, right = (LETTER * 0.85 * max([len(text) for text in texts] or [0]) + 6 for texts in (ins, outs))
        begin, end = x + left + STUB, x + left + STUB + place.width
        for text, at in zip(ins, place.inputs, strict=True):
            self.text(x + left / 2, y + at, text, "type")
            self.path((begin - STUB, y + at), (begin, y + at))
        for text, at in zip(outs, place.outputs, strict=True):
            self.path((end, y + at), (end + STUB, y + at))
            self.text(end + STUB + right / 2, y + at, text, "type")
        self.placed(place, begin, y)
        return end + STUB + right - x

    def placed(self, place: Placed, x: float, y: float) -> None:
        for (x1, y1), (x2, y2) in place.paths:
            self.path((x1 + x, y1 + y), (x2 + x, y2 + y))
        for slot in place.boxes:
            assert slot.box is not None
            self.box(slot.box, slot, x, y)
        for points, kind in ((place.dots, "dot"), (place.ends, "end")):
            for px, py in points:
                self.circle((px + x, py + y), kind)

    def box(self, box: Box, slot: Slot, x: float, y: float) -> None:
        left, top = x + slot.x, y + slot.y - slot.height / 2
        if not slot.inner:
            kind, corner = ("constant", slot.height / 2) if box.constant else ("", 3.0)
            self.rect(left, top, slot.width, slot.height, corner, kind)
            self.text(left + slot.width / 2, y + slot.y, box.title)
            return
        self.rect(left, top, slot.width, slot.height, 16.0, "bubble")
        down = top
        for panel, inner in zip(box.panels, slot.inner, strict=True):
            start = left + (slot.width - inner.width) / 2
            self.text(left + slot.width / 2, down + TITLE / 2, panel.title or box.title, "title")
            down += TITLE
            if len(box.panels) > 1:
                self.rect(left + MARGIN / 3, down, slot.width - 2 * MARGIN / 3, inner.height, 6.0, "panel")
            self.ends_of(box, panel, inner, left, start, down, slot.width)
            self.placed(inner, start, down)
            down += inner.height

    def ends_of(
        self, box: Box, panel: Panel, inner: Placed, left: float, start: float, down: float, width: float
    ) -> None:
        """The wires of a panel to the side of the bubble: what runs through, and what begins inside."""
        edge = left if len(box.panels) == 1 else left + MARGIN / 3
        for i, y in enumerate(inner.inputs):
            begins = len(box.panels) == 1 and i >= box.through
            if begins:
                self.circle((start - MARGIN / 2, down + y), "dot")
            self.path((start - MARGIN / 2 if begins else edge, down + y), (start, down + y))
        far = left + width - (0 if len(box.panels) == 1 else MARGIN / 3)
        whole = len(box.panels) == 1 and len(box.outputs) == len(inner.outputs)
        for y in inner.outputs:
            self.path((start + inner.width, down + y), (far if whole or len(box.panels) > 1 else far - 4, down + y))
