"""Where the parts of a string diagram lie: boxes in layers from left to right, and the wires routed between them.

A box lies one layer behind the last of the boxes that it reads; a wire that goes further passes through the layers
between. Within a layer the order and the heights follow what each part is joined to.

>>> from ccc.arrows import Id
>>> from ccc.objects import REAL
>>> from ccc.show.wiring import wiring
>>> placed(wiring(Id(REAL))).width
40.0
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from ccc.show.wiring import Box, Panel, Wire

PORT, GAP, MARGIN, LETTER, TITLE = 22.0, 40.0, 14.0, 7.3, 18.0
"""The distance of wires, of layers, of a bubble and its panel; the width of a letter; the height of a title."""
SWEEPS = 4

Point = tuple[float, float]


@dataclass(slots=True, eq=False)
class Placed:
    """A panel with places: how large it is, where its wires come in and go out, and what is drawn in it."""

    width: float
    height: float
    inputs: list[float]
    outputs: list[float]
    boxes: list[Slot] = field(default_factory=list)
    paths: list[tuple[Point, Point]] = field(default_factory=list)
    dots: list[Point] = field(default_factory=list)
    ends: list[Point] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Slot:
    """What lies in a layer: a box, a wire that passes, or an end of the panel. `x` is its left side, `y` its middle."""

    box: Box | None
    width: float
    height: float
    inner: list[Placed] = field(default_factory=list)
    reads: list[float] = field(default_factory=list)  # where wires run in, from the middle
    gives: list[float] = field(default_factory=list)
    x: float = 0.0
    y: float = 0.0


@dataclass(slots=True, eq=False)
class Track:
    """A wire across the layers: where it leaves each slot, and the places where it runs in, by layer."""

    leaves: dict[int, tuple[Slot, float]] = field(default_factory=dict)
    enters: dict[int, list[tuple[Slot, float]]] = field(default_factory=dict)


def spread(count: int) -> list[float]:
    """The places of so many wires about a middle.

    >>> spread(3)
    [-22.0, 0.0, 22.0]
    """
    return [(i - (count - 1) / 2) * PORT for i in range(count)]


def text_width(text: str) -> float:
    return LETTER * len(text) + 14


def slot_of(box: Box) -> Slot:
    """The slot of a box, the panels of a bubble placed one above the other."""
    if not box.panels:
        ports = max(len(box.inputs), len(box.outputs), 1)
        return Slot(box, text_width(box.title), ports * PORT + 2, [], spread(len(box.inputs)), spread(len(box.outputs)))
    inner = [placed(panel) for panel in box.panels]
    width = max([p.width for p in inner] + [text_width(box.title)]) + 2 * MARGIN
    height = sum(p.height + TITLE for p in inner) + MARGIN
    ports = max(len(box.inputs), len(box.outputs), 1)
    slot = Slot(box, width, max(height, ports * PORT + 2), inner, spread(len(box.inputs)), spread(len(box.outputs)))
    if len(inner) == 1:
        top = TITLE - slot.height / 2
        through = [top + y for y in inner[0].inputs[: box.through]]
        rest = len(box.inputs) - box.through
        below = max(through, default=-slot.height / 2) + PORT
        slot.reads = [*through, *[below + i * PORT for i in range(rest)]]
        if len(box.outputs) == len(inner[0].outputs):
            slot.gives = [top + y for y in inner[0].outputs]
        elif len(box.outputs) == 1 and inner[0].outputs:
            slot.gives = [top + sum(inner[0].outputs) / len(inner[0].outputs)]
    return slot


def layers_of(panel: Panel) -> dict[Box, int]:
    """The layer of each box, from 1; a constant lies just before what reads it first, even among the inputs."""
    made = dict.fromkeys(panel.inputs, 0)
    layer: dict[Box, int] = {}
    for box in panel.boxes:
        if not box.constant:
            layer[box] = 1 + max([made[w] for w in box.inputs], default=0)
            made.update(dict.fromkeys(box.outputs, layer[box]))
        else:
            made.update(dict.fromkeys(box.outputs, 0))
    last = 1 + max([*layer.values(), 0])
    for box in panel.boxes:
        if box.constant:
            readers = [layer[b] for b in panel.boxes if b in layer and not set(b.inputs).isdisjoint(box.outputs)]
            layer[box] = min([*readers, last]) - 1
    return layer


def placed(panel: Panel) -> Placed:
    """The panel laid out."""
    layer = layers_of(panel)
    last = 1 + max([*layer.values(), 0])
    columns: list[list[Slot]] = [[] for _ in range(last + 1)]
    tracks: dict[Wire, Track] = {}

    def leaves(wire: Wire, at: int, slot: Slot, offset: float) -> None:
        tracks.setdefault(wire, Track()).leaves[at] = (slot, offset)

    def enters(wire: Wire, at: int, slot: Slot, offset: float) -> None:
        track = tracks[wire]
        for between in range(min(track.leaves) + 1, at):
            if between not in track.leaves:
                passing = Slot(None, 0.0, PORT)
                columns[between].append(passing)
                track.enters.setdefault(between, []).append((passing, 0.0))
                track.leaves[between] = (passing, 0.0)
        track.enters.setdefault(at, []).append((slot, offset))

    sources = [Slot(None, 0.0, PORT) for _ in panel.inputs]
    for i, (wire, slot) in enumerate(zip(panel.inputs, sources, strict=True)):
        slot.y = i * PORT
        columns[0].append(slot)
        leaves(wire, 0, slot, 0.0)
    for box in sorted(panel.boxes, key=lambda box: layer[box]):
        slot = slot_of(box)
        columns[layer[box]].append(slot)
        for wire, offset in zip(box.inputs, slot.reads, strict=True):
            enters(wire, layer[box], slot, offset)
        for wire, offset in zip(box.outputs, slot.gives, strict=True):
            leaves(wire, layer[box], slot, offset)
    sinks = [Slot(None, 0.0, PORT) for _ in panel.outputs]
    for wire, slot in zip(panel.outputs, sinks, strict=True):
        columns[last].append(slot)
        enters(wire, last, slot, 0.0)
    _settle(columns, tracks, fixed=[*sources, *sinks])
    return _drawn(columns, tracks, sources, sinks)


def _settle(columns: list[list[Slot]], tracks: dict[Wire, Track], fixed: Iterable[Slot]) -> None:
    """Heights: each slot near what it reads, or what reads it where it reads nothing; ends keep their order."""
    before: dict[Slot, list[tuple[Slot, float]]] = {}
    after: dict[Slot, list[tuple[Slot, float]]] = {}
    for track in tracks.values():
        for at, (source, leaving) in track.leaves.items():
            for target, entering in track.enters.get(at + 1, ()):
                before.setdefault(target, []).append((source, leaving - entering))
                after.setdefault(source, []).append((target, entering - leaving))
    kept = set(fixed)
    for sweep in range(SWEEPS):
        for column in columns:
            wanted: dict[Slot, float] = {}
            for slot in column:
                near = before.get(slot, [])
                if (sweep and slot not in kept) or not near:
                    near = [*near, *after.get(slot, [])]
                wanted[slot] = sum(other.y + d for other, d in near) / len(near) if near else slot.y
            ends = [slot for slot in column if slot in kept]
            if column is columns[0]:
                wanted.update({slot: i * PORT for i, slot in enumerate(ends)})
            for above, slot in pairwise(ends):
                wanted[slot] = max(wanted[slot], wanted[above] + PORT)
            column.sort(key=lambda slot: wanted[slot])
            _stack(column, wanted)


def _stack(column: list[Slot], wanted: dict[Slot, float]) -> None:
    """Place the slots of a column one below the other without overlap, as near as may be to where they want to be."""
    bottom = float("-inf")
    for slot in column:
        room = 0.0 if slot.box is None else 6.0
        slot.y = max(wanted[slot], bottom + slot.height / 2 + room)
        bottom = slot.y + slot.height / 2 + room
    if column:
        shift = sum(wanted[slot] - slot.y for slot in column) / len(column)
        for slot in column:
            slot.y += shift


def _drawn(columns: list[list[Slot]], tracks: dict[Wire, Track], sources: list[Slot], sinks: list[Slot]) -> Placed:
    everything = [slot for column in columns for slot in column]
    top = min([slot.y - slot.height / 2 for slot in everything], default=0.0)
    for slot in everything:
        slot.y -= top
    found = Placed(0.0, max([slot.y + slot.height / 2 for slot in everything], default=PORT), [], [])
    sides: dict[Slot, Point] = {}  # the left and the right side of a slot's column
    x = 0.0
    for column in columns:
        width = max([slot.width for slot in column], default=0.0)
        for slot in column:
            sides[slot] = (x, x + width)
            slot.x = x if slot.box is None else x + (width - slot.width) / 2
            if slot.box is None and width:
                found.paths.append(((x, slot.y), (x + width, slot.y)))
        found.width = x + width
        x = found.width + GAP
    found.boxes = [slot for slot in everything if slot.box is not None]
    found.inputs, found.outputs = [s.y for s in sources], [s.y for s in sinks]
    for track in tracks.values():
        for at, (slot, offset) in track.leaves.items():
            targets = track.enters.get(at + 1, [])
            start = (sides[slot][1], slot.y + offset)
            if slot.box is not None and slot.x + slot.width < start[0]:
                found.paths.append(((slot.x + slot.width, start[1]), start))
            if not targets:
                found.ends.append((start[0] + 10, start[1]))
                found.paths.append((start, found.ends[-1]))
            if len(targets) > 1:
                found.dots.append((start[0] + 8, start[1]))
                found.paths.append((start, found.dots[-1]))
                start = found.dots[-1]
            for target, entering in targets:
                end = (sides[target][0], target.y + entering)
                found.paths.append((start, end))
                if target.box is not None and target.x > end[0]:
                    found.paths.append((end, (target.x, end[1])))
    return found
