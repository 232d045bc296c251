"""Which values share memory with others, as far as the operation that makes them tells."""

from __future__ import annotations

from typing import Any

from ccc.compile.program.lam import Apply, Let, Lit
from ccc.objects import Array, Coproduct, List, Map, Object, Product
from ccc.primitives import indexing, lists, structure
from ccc.primitives.facts import FOREIGN, Memory
from ccc.primitives.primitive import Primitive


def memory_of(op: Apply) -> Memory:
    """Whose memory the result of a primitive has."""
    return op.primitive.memory_of(op.params)


def may_share(op: Apply) -> bool:
    """True where the result of a primitive may share memory with an argument."""
    return memory_of(op).shares


def is_foreign(p: Primitive) -> bool:
    """True for primitives that a user declared and of whose results nothing is known."""
    return p.memory is FOREIGN


def basic_index(op: Any) -> bool:
    """True for an index without arrays in its key, which gives a view."""
    return isinstance(op, Apply) and op.primitive is indexing.index and may_share(op)


def is_change(op: Any) -> bool:
    """True for what changes a part of its first argument."""
    return isinstance(op, Apply) and op.primitive.writes is not None


def is_written(op: Any) -> bool:
    """True for what puts something in the place of a part of an array."""
    return is_change(op) and not op.primitive.adds


def keeps_order(op: Apply) -> bool:
    """True for what shows entries that lie in memory as C would have them, where those of its argument do."""
    memory = memory_of(op)
    return bool(memory.of) and (memory.entries == "in order" or (basic_index(op) and is_run(op.params["pattern"])))


def are_slices(pattern: tuple[str, ...]) -> bool:
    """True for an index of slices without steps.

    >>> are_slices(("s", "s12")), are_slices(("s13",)), are_slices(("i",))
    (True, False, False)
    """
    return all(code[0] == "s" and "3" not in code for code in pattern)


def is_run(pattern: tuple[str, ...]) -> bool:
    """True for a basic index of entries one behind another: integers, part of an axis, and all of the axes behind it.

    >>> is_run(("i", "s12", "s")), is_run((".",)), is_run(("s", "i")), is_run(("s13",))
    (True, True, False, False)
    """
    codes = [code for code in pattern if code != "+"]
    while codes and codes[0] == "i":
        del codes[0]
    if codes and codes[0].startswith("s") and "3" not in codes[0]:
        del codes[0]
    return all(code in ("s", ".") for code in codes)


def takes_off(update: Let, reader: Let) -> bool:
    """True where an update takes off a list what a reader reads of it, or puts another item there: no later version of
    a list whose rows nothing else sees leads to that item."""
    if not isinstance(update.op, Apply) or not isinstance(reader.op, Apply) or update.args[0] is not reader.args[0]:
        return False
    if reader.op.primitive is not structure.item:
        return False
    if update.op.primitive is lists.set_item:
        return reader.args[1] is update.args[2]
    last = isinstance(reader.args[1], Lit) and reader.args[1].value == -1
    return last and update.op.primitive is lists.without_last


def mutable(a: Object) -> bool:
    """True for values that can be changed or that hold such values."""
    inside = a.parts if isinstance(a, Product) else a.alternatives if isinstance(a, Coproduct) else ()
    return isinstance(a, (Array, List, Map)) or any(map(mutable, inside))
