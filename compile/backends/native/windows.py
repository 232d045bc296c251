"""Gathers from places that lie close together, in known order, as loads and one shuffle.

    gather x[0], x[2], x[4], x[6]    →    load x[0:4], load x[3:7], shuffle

A processor gathers item by item. What a vector takes along a small axis, once the size of that is known, are items of a
short piece of memory: the places are constants then. The piece is read from the first of them to the last, no further.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

GATHER = re.compile(
    r"  (%[\w.]+) = (?:tail )?call <(\d+) x double> @llvm\.masked\.gather\.\w+\.\w+"
    r"\(<\d+ x ptr> (?:align 8 )?(%[\w.]+), <\d+ x i1> (splat \(i1 true\)|<[^>]*>), "
    r"<\d+ x double> (\w+|splat \([^)]*\)|<[^>]*>)\)"
)
PLACES = re.compile(r"  (%[\w.]+) = getelementptr [\w ]*?double, ptr (%[\w.]+), <\d+ x i64> <([^>]*)>")
FURTHER = re.compile(r"  (%[\w.]+) = getelementptr [\w ]*?double, <\d+ x ptr> (%[\w.]+), i64 ([%\w.-]+)")

Places = tuple[str, list[str], list["int | None"]]
"""Where lanes read: a pointer, what is added to it in all lanes, and the constant of each."""


def read_whole(ir: str) -> str:
    """A text of IR with such gathers replaced; the same text where there are none."""
    if "masked.gather" not in ir:
        return ir
    known: dict[str, Places] = {}
    lines = ir.split("\n")
    for line in lines:
        found = PLACES.match(line)
        if found:
            known[found[1]] = found[2], [], [constant(x) for x in found[3].split(", ")]
    for line in lines:
        found = FURTHER.match(line)
        if found and found[2] in known:
            ptr, steps, items = known[found[2]]
            known[found[1]] = ptr, [*steps, found[3]], items
    changed = False
    for i, line in enumerate(lines):
        found = GATHER.match(line)
        new = replaced(found, known) if found else None
        if new is not None:
            lines[i] = "\n".join(new)
            changed = True
    return "\n".join(lines) if changed else ir


def constant(text: str) -> int | None:
    number = text.split(" ")[1]
    return None if number == "poison" else int(number)


def replaced(found: re.Match[str], known: Mapping[str, Places]) -> list[str] | None:
    """The lines that read what a gather does; None where its places are not known or far apart."""
    name, lanes, at, mask, rest = found[1], int(found[2]), found[3], found[4], found[5]
    if at not in known:
        return None
    ptr, steps, items = known[at]
    runs = [True] * lanes if mask.startswith("splat") else [x.endswith("true") for x in mask[1:-1].split(", ")]
    places = [x if run else None for x, run in zip(items, runs, strict=True)]
    there = [x for x in places if x is not None]
    if not there or any(run and x is None for run, x in zip(runs, places, strict=True)):
        return None
    first, span = min(there), max(there) - min(there) + 1
    size = 1 << (min(span, lanes).bit_length() - 1)
    if span > 2 * size:
        return None
    lines, base = list[str](), ptr
    for k, step in enumerate([*steps, str(first)]):
        lines.append(f"  {name}.at{k} = getelementptr double, ptr {base}, i64 {step}")
        base = f"{name}.at{k}"
    lines.append(f"  {name}.low = load <{size} x double>, ptr {base}, align 8")
    high = "poison"
    if span > size:
        lines.append(f"  {name}.end = getelementptr double, ptr {base}, i64 {span - size}")
        lines.append(f"  {name}.high = load <{size} x double>, ptr {name}.end, align 8")
        high = f"{name}.high"
    order = [None if x is None else x - first if x - first < size else x - first - (span - size) + size for x in places]
    shuffle = ", ".join("i32 poison" if k is None else f"i32 {k}" for k in order)
    plain = rest == "poison" or all(runs)
    lines.append(f"  {name if plain else name + '.all'} = shufflevector <{size} x double> {name}.low, "
                 f"<{size} x double> {high}, <{lanes} x i32> <{shuffle}>")
    if not plain:
        lines.append(f"  {name} = select <{lanes} x i1> {mask}, <{lanes} x double> {name}.all, "
                     f"<{lanes} x double> {rest}")
    return lines
