"""Values of several ranks (`ranks`): a number or an array as one of both, and what is done to each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ccc.compile.native.layout import Choice, Fixed, NotNative, Sum, absent, layout_of
from ccc.compile.native.meeting import rank_of
from ccc.compile.native.ranks import Anew, TooMany
from ccc.compile.native.sums import renamed
from ccc.compile.native.under_way import Lowering
from ccc.compile.native.writer import Num
from ccc.compile.program.lam import Atom, Let, Var
from ccc.objects import BOOL, Int, Object, Real

OBJECTS: dict[str, Object] = {"double": Real("float64"), "float": Real("float32"), "i64": Int("int64"), "i1": BOOL}
"""Of numbers, by their types in registers."""


def one_of(m: Lowering, v: Any, layout: Choice) -> Sum:
    """A number, an array, or one of fewer ranks, as one of several ranks."""
    ranks = list(map(rank_of, layout.alternatives))
    parts, have = (v.parts, v.tag) if isinstance(v, Sum) else ((v,), "1")
    of_rank = {rank_of(layout_of(x)): x for x in parts}
    if not of_rank.keys() <= set(ranks):
        raise NotNative("an array of another rank than what it belongs to")
    tag = renamed(m, have, {k: 1 + ranks.index(rank) for k, rank in enumerate(of_rank, 1)})
    return Sum(tag, tuple([m.brought(of_rank[rank], one) if rank in of_rank else absent(one)
                           for rank, one in zip(ranks, layout.alternatives, strict=True)]), by_rank=True)  # fmt: skip


def each_rank(m: Lowering, let: Let, lower: Callable[[], None]) -> None:
    """What a let gives for each rank that the first of its arguments has which are of several.

    Raises `NotNative` where there is no rank for which machine code takes it. One for which it does not is one that it
    never has, mostly, since others of its arguments then have theirs: the code leaves there.
    """
    x = next(x for x in let.args if isinstance(x, Var) and is_one_of(m, x))
    whole, before, never = m.values[x], m.reads.copy(), m.module.ranks.never
    first, *rest = whole.parts
    refused = list[NotNative]()
    m.module.ranks.branched()

    def way(part: Any) -> list[Any]:
        m.reads = before.copy()  # one way is gone
        m.values[x] = part
        here = let, tuple([layout_of(m.value(x)) for x in let.args])
        if isinstance(part, Num) and not takes_number(m, let):
            never[here] = NotNative("an operation on arrays, of a number")
        if here in never:
            refused.append(never[here])
            m.w.leave("true")
            return [Fixed(None) for _ in let.targets]
        around = m.of_integer
        m.of_integer |= isinstance(part, Num) and part.type == "i64"
        try:
            lower()
        except TooMany:
            raise
        except NotNative as reason:
            never[here] = reason
            raise Anew from reason
        m.of_integer = around
        return [m.values[target] for target in let.targets]

    def others() -> list[Any]:
        return way(Sum(m.w.sub(whole.tag, "1"), tuple(rest), by_rank=True) if len(rest) > 1 else rest[0])

    m.forked(m.w.compare("eq", whole.tag, "1"), [partial(way, first), others], let.targets)
    m.values[x] = whole
    if len(refused) == 2:
        raise refused[0]


def takes_number(m: Lowering, let: Let) -> bool:
    """Whether a primitive takes numbers where the values of its arguments are numbers."""
    op = let.application
    objects = [OBJECTS[v.type] if isinstance(v := m.value(x), Num) else x.object for x in let.args]
    return op.primitive.gives(tuple(objects), op.params) is not None


def is_one_of(m: Lowering, x: Atom) -> bool:
    """Whether a value is one of several ranks."""
    v = m.values.get(x) if isinstance(x, Var) else None
    return isinstance(v, Sum) and v.by_rank
