"""What a program does with texts: machine code moves them and tells whether two are the same; more goes out.

>>> from ccc.objects import REAL
>>> holds_text(List(Product((Text(), REAL)))), holds_text(List(REAL))
(True, False)
"""

from __future__ import annotations

from functools import cache

from ccc.compile.native.table import entry
from ccc.compile.program.lam import Apply, Atom, Let, Lit
from ccc.objects import Coproduct, List, Map, Object, Product, Text
from ccc.primitives.facts import FILLING, NOT_LINEAR, SIZES


@cache
def holds_text(a: Object) -> bool:
    """Whether values of an object are texts, or hold some."""
    match a:
        case List(item):
            return holds_text(item)
        case Product(parts) | Coproduct(parts):
            return any(map(holds_text, parts))
        case Map(key, item):
            return holds_text(key) or holds_text(item)
        case _:
            return isinstance(a, Text)


def looks_into(let: Let) -> bool:
    """Whether the let of a primitive does more with texts than to pass them on, to read sizes or make something of a
    size, or to tell whether two are the same. Where texts stand in a structure, cotangents of it have nothing."""
    op = let.op
    if not isinstance(op, Apply) or not any(holds_text(x.object) for x in (*let.args, *let.targets)):
        return False
    alone = list(map(is_text, let.args))
    keyed = any(isinstance(x.object, Map) for x in (*let.args, *let.targets))
    if (all(alone) or keyed) and entry(op.primitive).facts.sameness:
        return False
    given, linear = [x.object for x in let.args], op.primitive.linear_of(op.params) != NOT_LINEAR
    if linear and not any(alone) and all(v.object in given for v in let.targets):
        return False
    memory = op.primitive.memory_of(op.params)
    if not memory.passes_on and memory.how != "same" and op.primitive.work not in (SIZES, FILLING):
        return bool(let.args)  # a text of nothing is known
    return any(alone) and not any(holds_text(x.object) for x in let.targets)


def is_text(x: Atom) -> bool:
    return isinstance(x.object, Text) or (isinstance(x, Lit) and type(x.value) is str)
