"""Rows that change places: `g[i], g[j] = g[j], g[i]`.

Behind it each row stands in one place again, so the rows of the list are still its own and may change where they stand;
names that stand for one of them go along.
"""

from __future__ import annotations

import ast
from typing import Any

from ccc.compile.diagnostics import unsupported
from ccc.compile.frontend import interrupts
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import displays, item_updates, lists, row_provenance
from ccc.compile.frontend.memory.aliasing import (
    Field,
    alive,
    called,
    is_view_of,
    named,
    place_of,
    rename,
    under_way,
)
from ccc.compile.frontend.parts import changeable
from ccc.compile.frontend.values import Frame, Unbound
from ccc.compile.program.lam import Apply, Lit, Var
from ccc.primitives import lists as list_primitives

SIMPLE = ast.Name | ast.Constant | ast.BinOp | ast.UnaryOp | ast.operator | ast.unaryop | ast.expr_context


def exchanged(e: Elaboration, target: ast.expr, value: Any, frame: Frame) -> bool:
    """Let rows of a list change places; False where something else is assigned."""
    places = [place_of(part) for part in value] if isinstance(value, tuple) else []
    subscripts = [t for t in getattr(target, "elts", []) if isinstance(t, ast.Subscript)]
    if not isinstance(target, ast.Tuple) or not len(places) == len(subscripts) == len(target.elts):
        return False
    if any(at is None or isinstance(at[1], Field) or at[0] is not (places[0] or at)[0] for at in places):
        return False
    if not all(isinstance(part, SIMPLE) for t in subscripts for part in ast.walk(t.slice)):
        return False
    xs = places[0][0]  # type: ignore[index]
    if xs in e.rows.listed and not displays.is_held(e, xs):
        raise interrupts.Grows(e.rows.listed[xs], e.span(target, frame))
    keys = [e.target(t.slice, frame) for t in subscripts if e.target(t.value, frame) is xs]
    before = [at[1] for at in places if at is not None]
    going = permutation(before, keys)
    if going is None:
        return False
    refuse_others(e, xs, subscripts[0].value, frame)
    changed: Any = xs
    for row, key in zip(value, keys, strict=True):
        old = next(v for v, at in zip(value, before, strict=True) if same(at, key))
        changed = e.always(list_primitives.set_item, (changed, row, key, old))
        e.rows.moved.add(changed.definition)
    e.updates.append((xs, e.span(target, frame), ast.unparse(target)))
    views = [(owner, name, place_of(owner.env[name])) for owner, name, _ in named(e)
             if is_view_of(owner.env[name], xs)]
    item_updates.put_back(e, xs, changed, "cannot exchange", target, frame)
    for owner, name, at in views:
        now = next((going[i] for i, key in enumerate(before) if same(key, at[1])), None)  # type: ignore[index]
        found = Unbound("its list has exchanged items since") if now is None else item_updates.read(e, changed, now)
        rename(e, owner, name, found, frame)
    return True


def permutation(before: list[Any], after: list[Any]) -> list[Any] | None:
    """Where what stood at the indices `before` goes, where the indices `after` are the same in another order."""
    left = list(before)
    for key in after:
        i = next((i for i, other in enumerate(left) if same(key, other)), None)
        if i is None:
            return None
        del left[i]
    return after if len(before) == len(after) else None


def same(a: Any, b: Any) -> bool:
    """True for indices that are surely equal."""
    a, b = [x.value if isinstance(x, Lit) else x for x in (a, b)]
    if a is b or not isinstance(a, Var) or not isinstance(b, Var):
        return a is b or (type(a) is int and type(b) is int and a == b)
    one, other = a.definition, b.definition
    if one is None or other is None or not (isinstance(one.op, Apply) and isinstance(other.op, Apply)):
        return False
    return one.op.primitive is other.op.primitive and one.op.params == other.op.params and (
        len(one.args) == len(other.args) and all(map(same, one.args, other.args)))


def refuse_others(e: Elaboration, xs: Var, place: ast.expr, frame: Frame) -> None:
    """Refuse to exchange rows of a list that somebody else sees."""
    what, text, where = "cannot exchange rows of", ast.unparse(place), e.span(place, frame)
    made = lists.made_here(e, xs, what, text, where)

    def leads(part: Any) -> bool:
        return isinstance(part, Var) and part is not xs and changeable(part.object) and bool(
            row_provenance.reach(e, part) & made)

    for owner, name, parts in named(e):
        value = owner.env[name]
        if value is not xs and not is_view_of(value, xs) and any(map(leads, parts)) and alive(owner, name):
            seen = called(name)
            raise unsupported("CC010", f"{what} `{text}`: it is also reachable as {seen}", where,
                              help=f"put copies of the rows where {seen} gets its value")
    if any(part is xs or leads(part) for part in under_way(e)):
        raise lists.read_before(what, text, where)
