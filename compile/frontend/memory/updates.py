"""Arrays changed in place: `a[i] = v`, `a[i] += v`, `a += v`, `out=a` and the functions that write into an array.

The array gets a new version, which all names that stand for it see; what is written to a view is written to the array
that it shows. If anything else may see the memory (the caller, an alias that cannot be seen through), it is refused.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ccc.compile.diagnostics import CompileError, mismatch, unsupported
from ccc.compile.frontend import effects, interrupts, patterns, reals
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory import item_updates
from ccc.compile.frontend.memory.aliasing import OUTSIDE, alive, called, memory, named, with_sources
from ccc.compile.frontend.memory.array_store import is_read_only, values
from ccc.compile.frontend.values import Frame, ListValue, Mutable, OwnName, is_of_project
from ccc.compile.program.lam import Apply, Branch, Node, Var
from ccc.compile.program.sharing import basic_index
from ccc.objects import INT, REAL, Array, Bool, Coproduct, Int, List, Product, Real
from ccc.primitives import adaptors, along, indexing, inplace, joining, updating
from ccc.primitives.broadcasting import kind_of

Key = tuple[tuple[str, ...], list[Any]]
WHOLE: Key = ((".",), [])
ASSIGNED, GIVEN = "assignment destination is read-only", "output array is read-only"


def is_array(value: Any) -> bool:
    """True for arrays of the program."""
    return isinstance(value, Var) and isinstance(value.object, Array) and value.object.axes != ()


def surely_array(value: Any) -> bool:
    """True for arrays of the program that are no scalars of NumPy, whatever the program runs on."""
    return is_array(value) and value.object.axes is not None


def assign_item(e: Elaboration, target: ast.Subscript, array: Var, value: Any, frame: Frame) -> None:
    """`array[key] = value`."""
    key = patterns.pattern_of(e, e.expression(target.slice, frame), target, frame)
    write(e, array, key, value, target, target.value, frame)


def augment_item(e: Elaboration, node: ast.AugAssign, array: Var, frame: Frame) -> None:
    """`array[key] op= value`: the key is computed once, then the item is read, then the value computed."""
    target = node.target
    assert isinstance(target, ast.Subscript)
    key = patterns.pattern_of(e, e.expression(target.slice, frame), target, frame)
    array, (pattern, numbers) = through(e, array, key)
    e.recorder.span = e.place(target, frame)
    old = e.attempts.named(target, lambda: at(e, array, pattern, numbers))
    by = e.expression(node.value, frame)
    value = e.operate(node.op, old, by, node, frame)
    if surely_array(old):
        castable(e, value, old, node, frame)
    if isinstance(kind_of(old), Array) and is_array(by) and not 0 <= rank_of(by) <= rank_of(old):
        value = inplace.updated(value, old)
    told = GIVEN if surely_array(old) and "a" not in pattern else ASSIGNED
    write(e, array, (pattern, numbers), value, target, target.value, frame, told)


def through(e: Elaboration, array: Var, key: Key) -> tuple[Var, Key]:
    """An item of a row of an array that changes, as an item of the array: so its cotangent is one too."""
    versions = e.versions
    while versions.base(array) in versions.cells and "a" not in key[0]:
        view = versions.array(array)
        base, let = versions.base_of(view), view.definition
        if base is None or let is None or not isinstance(let.op, Apply) or not basic_index(let.op):
            break
        pattern = let.op.params["pattern"]
        if set(pattern) != {"i"}:
            break
        array, key = base, (pattern + key[0], values(let)[1:] + key[1])
    return array, key


def at(e: Elaboration, array: Var, pattern: tuple[str, ...], numbers: list[Any]) -> Any:
    """`array[key]`; an entry of an array that was read from a list in this block is an entry of the list."""
    base = e.versions.base(array)
    unchanged = base not in e.versions.cells and base not in e.versions.places and array.home is e.recorder.block
    if unchanged and item_updates.is_entry(array, pattern):
        whole, keys = item_updates.path_of(array, *numbers)
        return e.always(along.item_along, (whole, *keys))
    return indexing.index(array, *numbers, pattern=pattern)


def augment_array(e: Elaboration, node: ast.AugAssign, array: Var, place: ast.expr, frame: Frame) -> None:
    """`array op= value`, which stays the same array."""
    new = e.operate(node.op, array, e.expression(node.value, frame), node, frame)
    refuse_read_only(e, array, node, place, frame, GIVEN)
    replace(e, array, new, node, place, frame)


def replace(
    e: Elaboration, array: Var, new: Any, node: ast.AST, place: Any, frame: Frame | None, spread: bool = False
) -> None:
    """Give an array other numbers, of its own shape and dtype; with `spread`, those that are broadcast to its shape."""
    new = e.loaded(new)  # what one of several operands gave stands in a store
    now = e.versions.now(array)
    new = fitted(e, new, now, node, frame, spread)
    commit(e, array, new, WHOLE, node, place, frame, whole=True)


def fitted(e: Elaboration, new: Any, old: Var, node: ast.AST, frame: Frame | None, spread: bool = False) -> Any:
    """What an array holds after it was changed in place: its dtype and shape stay."""
    castable(e, new, old, node, frame)
    a, b = old.object, kind_of(new)
    exact = isinstance(b, Array) and b == a and b.axes and "?" not in b.axes
    if exact and isinstance(node, ast.AugAssign):
        return new
    return inplace.updated(new, old, spread=True) if spread else inplace.updated(new, old)


def castable(e: Elaboration, new: Any, old: Var, node: ast.AST, frame: Frame | None) -> None:
    """Refuse numbers of a kind that an array cannot hold where an operator or function changes it."""
    a: Any = old.object
    b: Any = kind_of(new)
    dtype = b.dtype if isinstance(b, Array) else "bool" if isinstance(b, Bool) else (
        "int64" if isinstance(b, Int) else "float64")
    if not np.can_cast(dtype, a.dtype, "same_kind"):
        raise mismatch("CC027", f"an array of {a.dtype} cannot hold the result, which is of {dtype}",
                       e.place(node, frame), help="convert the array with .astype(...) first")


def write(
    e: Elaboration, array: Var, key: Key, value: Any, node: ast.AST, place: Any, frame: Frame | None,
    told: str = ASSIGNED,
) -> None:
    """`array[key] = value` for a key that was computed; `told` is what NumPy says of one that is read-only."""
    refuse_read_only(e, array, node, place, frame, told)
    value = e.handlers.whole(e, value, node, frame) if isinstance(value, Node) else value
    listed = isinstance(value, (ListValue, tuple, list)) or isinstance(getattr(value, "object", None), (List, Product))
    value = e.leaf(value, node, frame) if isinstance(value, (ListValue, tuple)) else value
    if isinstance(value, (ListValue, list)):
        value = joining.array_of()
    value = as_numbers(value, array) if isinstance(value, Var) else value
    if isinstance(value, Var) and stands_there(e, array, key, value):
        return
    if not isinstance(value, (Var, int, float)):
        raise mismatch("CC027", "only numbers and arrays can be assigned into an array", e.place(node, frame),
                       help="assign numbers or arrays")
    e.recorder.span = e.place(node, frame)
    if not array.object.is_real:  # type: ignore[attr-defined]
        value = adaptors.within(value, array.object.dtype)  # type: ignore[attr-defined]
    if listed and rank_of(value) > 1 and "a" not in key[0]:
        region = at(e, array, *key)
        if 0 <= rank_of(region) < rank_of(value):  # which NumPy refuses of lists, and takes of arrays
            value = inplace.updated(value, region)
    commit(e, array, value, key, node, place, frame)


def stands_there(e: Elaboration, array: Var, key: Key, value: Var) -> bool:
    """Whether a value is what was just read of the place where it is stored: `a[i] = a[i]`, which changed in place."""
    let, (pattern, numbers) = e.versions.now(value).definition, key
    if let is None or not isinstance(let.op, Apply) or not basic_index(let.op) or let.op.params["pattern"] != pattern:
        return False
    source, *read = values(let)
    return source is e.versions.now(array) and len(read) == len(numbers) and all([
        a is b or (type(a) is int and type(b) is int and a == b) for a, b in zip(read, numbers, strict=True)])


def as_numbers(value: Var, array: Var | None = None) -> Any:
    """A list or tuple of the program as an array, of the integers of another one that it is assigned into."""
    dtype = None if array is None or array.object.is_real else array.object.dtype  # type: ignore[attr-defined]
    whole = dtype if adaptors.of_integers(dtype) else None
    return adaptors.np_array(value, whole) if isinstance(value.object, (List, Product)) else value


def refuse_in_stores(e: Elaboration, base: Var, node: ast.AST, frame: Frame | None) -> None:
    """Refuse to change an array that others may see in a store."""
    from ccc.compile.frontend.memory import stored_arrays

    if (refusal := stored_arrays.refusal(e, base, node, frame)) is not None:
        raise refusal


def of_place(e: Elaboration, array: Var) -> Var:
    """An array as what its place in a store shows, where it is seen only when the program runs that it does."""
    from ccc.compile.frontend.memory import stored_arrays

    return stored_arrays.of_place(e, array)


def commit(
    e: Elaboration, array: Var, value: Any, key: Key, node: ast.AST, place: Any, frame: Frame | None,
    whole: bool = False,
) -> None:
    """Write to the array that `array` is or is a view of: `value` at a key, or (`whole`) in place of all it held."""
    versions = e.versions
    refuse_read_only(e, array, node, place, frame)
    if e.stores is not None:
        array = of_place(e, array)
    base = versions.base(array)
    if e.stores is not None:
        refuse_in_stores(e, base, node, frame)
    stored = base in versions.places
    if not stored:
        item_updates.by_index(e, base)
        item_updates.in_program(e, base, e.place(node, frame))
    place_of_row = frame if not stored and item_updates.is_row(e, base) else None
    if place_of_row is None and not stored:
        refuse_others(e, base, node, place, frame)
    e.recorder.span = e.place(node, frame)
    text = ast.unparse(place) if place is not None else base.name
    view = versions.array(array)
    while view is not base:
        let = view.definition
        assert let is not None and isinstance(let.op, Apply)
        under = let.args[0]
        assert isinstance(under, Var)
        if basic_index(let.op):
            inner = tuple(let.op.params["pattern"]), values(let)[1:]
            if whole:
                key, whole = inner, False
            elif set(inner[0]) == {"i"} and "a" not in key[0]:
                key = inner[0] + key[0], inner[1] + key[1]
            else:
                value = e.always(updating.set_at, (view, value, *key[1]), pattern=key[0])
                key = inner
        else:
            if not whole:
                value = e.always(updating.set_at, (view, value, *key[1]), pattern=key[0])
            pullback = let.op.primitive.pullback
            assert pullback is not None
            value = pullback(value, versions.now(view), versions.now(under), *values(let)[1:], **let.op.params)[0]
            key, whole = WHOLE, False
        view = versions.array(under)
    if place_of_row is not None and not whole and item_updates.is_entry(base, key[0]) and is_real(value, base):
        item_updates.assign(e, base, key[1], reals.real(value), node, place_of_row, f"cannot assign into `{text}`,")
        return
    new = value if whole else e.always(updating.set_at, (base, value, *key[1]), pattern=key[0])
    if whole and (not isinstance(new, Var) or new in versions.handles or stored):
        new = inplace.updated(new, versions.now(base))
    if place_of_row is not None:
        item_updates.change(e, base, new, f"cannot assign into `{text}`,", node, place_of_row)
        return
    versions.write(base, new)
    if stored:
        return
    symbol, target = (SYMBOLS[type(node.op)], node.target) if isinstance(node, ast.AugAssign) else ("", node)
    target = ast.unparse(target) if isinstance(target, ast.Subscript) else text
    e.updates.append((base, e.place(node, frame), f"{target} {symbol}= ..."))


def refuse_read_only(
    e: Elaboration, array: Var, node: ast.AST, place: Any, frame: Frame | None, told: str = ""
) -> None:
    """Raise what NumPy raises where an array is read-only; refuse where it may be, or NumPy says something else."""
    found = e.versions.read_only(array)
    if found and told and frame is not None:
        effects.fail_with(e, ValueError, told, node, frame)
    if found or found is None or any(is_read_only(v) is not False for v in memory(e, [array])[1]):
        text = ast.unparse(place) if place is not None else array.name or "this array"
        raise unsupported("CC010", f"cannot write to `{text}`, which {'is' if found else 'may be'} read-only",
                          e.place(node, frame), help="write to a copy: `.copy()`")


def is_real(value: Any, array: Var) -> bool:
    """True for a number that is written as it is to an array of the program: a float, or an integer as one."""
    real = value.object in (REAL, INT, Real("float64")) if isinstance(value, Var) else type(value) is not bool
    return real and array.object.dtype == "float64"  # type: ignore[attr-defined]


def refuse_others(e: Elaboration, array: Var, node: ast.AST, place: Any, frame: Frame | None) -> None:
    """Refuse where somebody sees the memory of an array who would not see that it changes."""
    made, way = memory(e, [array])
    ours = frame is not None and is_of_project(frame.function)
    text = ast.unparse(place) if place is not None else array.name or "this array"
    if made & e.versions.borrowed:
        raise interrupts.Borrowed
    if OUTSIDE in made:
        e.lent.changing(way)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            raise visible(e, node, node.target.id, "the caller", frame)
        raise unsupported(
            "CC011", f"cannot assign into {'this array' if ours else f'`{text}`'}: the caller sees that array",
            e.place(node, frame),
            help="change a copy: `.copy()`" if ours else (
                f"`{text} = {text}.copy()` first; the gradient is then with respect to the original"),
        )
    copied = with_sources(e, made)
    chosen = {v for v in way if v.definition is not None and isinstance(v.definition.op, Branch)}
    for owner, other, parts in named(e):
        if rebinds(node, owner, other, frame) or not alive(owner, other, done=is_last(owner, node, frame)):
            continue
        for part in parts:
            known = isinstance(part, Mutable) and part in copied
            if known or (isinstance(part, Var) and memory(e, [part])[0] & made and e.versions.base(part) is not array):
                if isinstance(part, Var):
                    item_updates.by_index(e, part)
                mend = IN_EACH_BRANCH if chosen - memory(e, [part])[1] else ""
                if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                    raise interrupts.reached(visible(e, node, node.target.id, f"`{other}`", frame, mend), way)
                copy = "loop over the indices" if isinstance(other, OwnName) else (
                    f"`{other} = {other}.copy()` where it gets its value" if isinstance(owner.env[other], Var) else
                    f"put a copy into `{other}`")
                way_there = called(other).removesuffix(",")
                raise interrupts.reached(unsupported(
                    "CC010", f"cannot assign into `{text}`: it is also reachable as {way_there}, perhaps",
                    e.place(node, frame), help=mend or copy), way)


def is_last(owner: Frame, node: ast.AST, frame: Frame | None) -> bool:
    """Whether what an activation does now is to store to the target of its statement: no more of that is read."""
    at, store = owner.at, node
    if owner is not frame:
        call = frame.caller if frame is not None else None
        if call is None or call[1] is not owner:
            return False
        store = call[0]
    target = at.targets[0] if isinstance(at, ast.Assign) and len(at.targets) == 1 else getattr(at, "target", None)
    return isinstance(at, (ast.Assign, ast.AugAssign)) and (store is at or store is target)


def rebinds(node: ast.AST, owner: Frame, name: str, frame: Frame | None) -> bool:
    """True for `name op= value` where a name of this activation, one of several values, is the array behind it."""
    if not isinstance(node, ast.AugAssign) or not isinstance(node.target, ast.Name) or owner is not frame:
        return False
    value = owner.env.get(name)
    return name == node.target.id and isinstance(value, Var) and isinstance(value.object, Coproduct)


IN_EACH_BRANCH = "change it in each branch of the choice, under the name that it has there"
"""What to write where an array that changes was chosen among others: a copy would change what they hold."""


def visible(
    e: Elaboration, node: ast.AugAssign, name: str, who: str, frame: Frame | None, mend: str = ""
) -> CompileError:
    """The refusal of `name op= value` where somebody else sees the array."""
    symbol = SYMBOLS[type(node.op)]
    return unsupported("CC011", f"`{name} {symbol}= ...` would change an array that is visible elsewhere",
                       e.place(node, frame), f"{who} sees it too",
                       help=mend or f"write `{name} = {name} {symbol} ...`")


SYMBOLS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.Pow: "**", ast.FloorDiv: "//",
    ast.Mod: "%", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}


def rank_of(value: Any) -> int:
    """The number of axes; -1 where it is not known."""
    a = kind_of(value)
    return 0 if not isinstance(a, Array) else -1 if a.axes is None else len(a.axes)


__all__ = ["assign_item", "augment_array", "augment_item", "is_array", "write"]
