"""Where a function makes lists, dicts, sets, objects and arrays, and what each is in its program, with the reason.

>>> from ccc.compile.frontend.elaborate import elaborate
>>> def sums(x, n):
...     xs = [x]
...     for _ in range(n):
...         xs.append(xs[-1] * x)
...     pair = [x, 2.0]
...     return xs[-1] * pair[1]
>>> for line in allocations(elaborate(sums, (1.5, 3))):
...     print(line.split("`", 1)[1])
[x]`: a list of the program, [R]: its length or an index is known when the program runs alone
[x, 2.0]`: known part by part: all that leads to it is known while the function is read
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ccc.compile.frontend.elaborate import Elaborated
from ccc.compile.frontend.source import Source
from ccc.compile.program.lam import Let, Var, blocks_in, lets_in
from ccc.compile.program.sharing import mutable
from ccc.objects import Array, List, Map, Object

DISPLAYS = (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Set, ast.SetComp)
KNOWN = "known part by part: all that leads to it is known while the function is read"
GIVEN = "a part of what it is put into, or an argument: that is read of it"
PERHAPS = f"{KNOWN}; a map of the program from where a key is not"
REASONS: dict[type[Object], str] = {
    List: "a list of the program, {}: its length or an index is known when the program runs alone",
    Map: "a map of the program, {}: its keys are known when the program runs alone",
    Array: "an array of the program, {}: the variable is the array, and views of it are taken anew",
}


def allocations(elaborated: Elaborated) -> list[str]:
    """A line for each place of the function where something is made that could change."""
    source, stored = elaborated.source, stored_at(elaborated)
    if source is None:
        return []
    made, named = made_at(elaborated), by_name(elaborated)
    names = {node.value: target for node in ast.walk(source.node) if isinstance(node, ast.Assign)
             for target in node.targets if isinstance(target, ast.Name)}
    why = elaborated.places[0].removeprefix("places stand in stores: ") if elaborated.places else ""
    found = list[str]()
    for node in sorted(nodes_of(source), key=lambda node: (node.lineno, node.col_offset)):
        span, name = source.span(node), names.get(node)
        a, text = made.get(str(span)), " ".join(ast.unparse(node).split())
        held = stored.get(str(span)) or (stored.get(str(source.span(name))) if name is not None else None)
        if name is not None and not isinstance(a, Array):
            a = named.get(name.id, a)
        if held is not None:
            what = f"{held}; since without stores it is refused: {why}"
        elif isinstance(node, ast.Call) and not isinstance(a, Array) and not is_class(node, source):
            continue  # it makes nothing, or what a function of the user's makes
        elif a is None:
            maps = isinstance(node, (ast.Dict, ast.DictComp)) and any(isinstance(x, Map) for x in named.values())
            what = GIVEN if name is None and not isinstance(node, ast.Call) else PERHAPS if maps else KNOWN
        else:
            what = REASONS[type(a)].format(a)
        found.append(f"{span}: `{text}`: {what}")
    return found


def nodes_of(source: Source) -> Iterator[ast.expr]:
    """The displays, comprehensions and calls of a function."""
    yield from [node for node in ast.walk(source.node) if isinstance(node, (*DISPLAYS, ast.Call))]


def is_class(node: ast.Call, source: Source) -> bool:
    """Whether a call is written as that of a class: `Node(x)`, `deque()`."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name[:1].isupper() or name in ("list", "dict", "set", "deque", "defaultdict")


def made_at(elaborated: Elaborated) -> dict[str, Object]:
    """The objects of the lists, maps and arrays that the program makes, by their places in the source."""
    found = dict[str, Object]()
    for let in lets_in(elaborated.program.block):
        for x in let.targets:
            if let.span is not None and isinstance(x.object, (List, Map, Array)) and is_made(let, x):
                found.setdefault(str(let.span), x.object)
    return found


def by_name(elaborated: Elaborated) -> dict[str, Object]:
    """The lists and maps of the program that a name of the function stands for."""
    blocks = blocks_in(elaborated.program.block)
    carried = [x for block in blocks for x in (*block.params, *[x for let in block.lets for x in let.targets])]
    return {x.name: x.object for x in carried if x.name and isinstance(x.object, (List, Map))}


def is_made(let: Let, x: Var) -> bool:
    """Whether a let makes what it gives."""
    return mutable(x.object) and not (isinstance(x.object, Array) and x.object.axes == ())


def stored_at(elaborated: Elaborated) -> dict[str, str]:
    """What stands in stores, by its place in the source."""
    found = dict[str, str]()
    for line in elaborated.places[1:]:
        at, _, what = line.partition(": ")
        place = at.rpartition(" at ")[2].partition(",")[0]
        if at.startswith("Call ") or place not in found:  # a class is read in the place of a container
            found[place] = what
    return found
