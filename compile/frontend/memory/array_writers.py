"""Functions and methods that write into arrays: `out=`, `np.copyto`, `np.put`, `np.add.at`, `fill`."""

from __future__ import annotations

import ast
import types
from typing import Any

import numpy as np

from ccc.compile.diagnostics import mismatch, unsupported
from ccc.compile.frontend import effects, patterns
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.aliasing import memory, reached_from
from ccc.compile.frontend.memory.updates import (
    ASSIGNED,
    GIVEN,
    WHOLE,
    as_numbers,
    castable,
    commit,
    is_array,
    rank_of,
    refuse_read_only,
    replace,
    surely_array,
    write,
)
from ccc.compile.frontend.parameters import taken
from ccc.compile.frontend.values import Frame, ListValue, MethodValue
from ccc.compile.program.lam import Var
from ccc.objects import Array, Bool, Real
from ccc.primitives import (
    adaptors,
    adaptors_arrays,
    arithmetic,
    creation,
    indexing,
    joining,
    shaping,
    updating,
)
from ccc.primitives.broadcasting import kind_of


def with_out(
    e: Elaboration, function: Any, args: list[Any], given: Any, result: Any, node: ast.AST, frame: Frame | None
) -> Any:
    """What a call with `out=` gives: the array that it writes the result to."""
    out: Any = given[0] if isinstance(given, tuple) and len(given) == 1 else given  # type: ignore[reportUnknownArgumentType]
    if not surely_array(out):
        raise unsupported("CC013", "`out=` needs an array whose rank is known", e.place(node, frame),
                          help="assign the result to a name")
    place = next((k.value for k in getattr(node, "keywords", []) if k.arg == "out"), None)
    if place is None and isinstance(node, ast.Call):
        place = node.args[-1]
    elementwise = isinstance(function, np.ufunc) and function.signature is None
    of_vectors = isinstance(function, np.ufunc) and rank_of(result) == rank_of(out) == 1  # NumPy refuses other sizes
    if not elementwise and not of_vectors and spreads(result, out):
        raise unsupported("CC013", f"`out=` of `{called_as(function)}` needs an array of the result's shape",
                          e.place(node, frame), help="assign the result to a name")
    if not isinstance(function, np.ufunc) and overlaps(e, args, out):
        what = f"`out=` of `{called_as(function)}` shares memory with what is given, which is written while it is read"
        raise unsupported("CC013", what, e.place(node, frame), help="assign the result to a name")
    if not isinstance(function, np.ufunc) and dtype_of(result) != out.object.dtype:
        what = f"`out=` of {out.object.dtype}, in which NumPy computes then, for a result of {dtype_of(result)}"
        raise unsupported("CC013", what, e.place(node, frame), help="convert what is given with .astype(...) first")
    if elementwise and spreads(result, out):
        castable(e, result, out, node, frame)
        write(e, out, WHOLE, result, node, place, frame, GIVEN)
    else:
        refuse_read_only(e, out, node, place, frame, GIVEN if isinstance(function, np.ufunc) else "")
        replace(e, out, result, node, place, frame, spread=elementwise and may_spread(result, out))
    return out


def called_as(function: Any) -> str:
    """A function or method in a message."""
    return f".{function.name}" if isinstance(function, MethodValue) else f"np.{function.__name__}"


def overlaps(e: Elaboration, args: list[Any], out: Var) -> bool:
    """True where an argument may share memory with `out` and is not `out` itself."""
    made, versions = memory(e, [out])[0], e.versions
    parts = [part for part in reached_from(tuple(args), []) if isinstance(part, Var) and isinstance(part.object, Array)]
    return any(versions.array(part) is not versions.array(out) and memory(e, [part])[0] & made for part in parts)


def dtype_of(value: Any) -> str:
    """The dtype of an array, or of the array that a number makes."""
    a = kind_of(value)
    if isinstance(a, Real):
        return "float64" if a.kind == "float" else a.kind
    return getattr(a, "dtype", "bool" if isinstance(a, Bool) else "int64")


def spreads(result: Any, out: Var) -> bool:
    """True where a result has fewer axes than what it is written to, or axes of size 1 where that has longer ones."""
    a, b = kind_of(result), out.object
    axes = a.axes if isinstance(a, Array) else ()
    assert isinstance(b, Array) and b.axes is not None
    if axes is None or len(axes) != len(b.axes):
        return axes is not None and len(axes) < len(b.axes)
    return any(x == "1" != y for x, y in zip(axes, b.axes, strict=True))


def may_spread(result: Any, out: Var) -> bool:
    """True where only the sizes, when the program runs, say whether a result has the shape of what it is written to."""
    a, b = kind_of(result), out.object
    assert isinstance(a, Array) and isinstance(b, Array) and b.axes is not None
    return a.axes is None or any(x == "?" and y != "1" for x, y in zip(a.axes, b.axes, strict=False))


def target_of(e: Elaboration, value: Any, name: str, node: ast.AST, frame: Frame) -> Var:
    if not is_array(value):
        raise mismatch("CC027", f"`{name}` writes into an array", e.place(node, frame), help="give an array")
    return value


def expression_of(node: ast.AST, index: int = 0) -> Any:
    """The argument of a call that is written to."""
    if not isinstance(node, ast.Call):
        return None
    if isinstance(node.func, ast.Attribute) and index < 0:
        return node.func.value
    return node.args[index] if index < len(node.args) else None


def copy_to(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    """`np.copyto(dst, src, where=mask)`."""
    dst, src, casting, where = taken("copyto", args, kwargs, "/ dst src casting where", e.place(node, frame),
                                     casting="same_kind", where=True)
    if casting != "same_kind":
        raise unsupported("CC020", "`copyto` with these arguments is not supported", e.place(node, frame),
                          help="write `a[...] = b`")
    dst = target_of(e, dst, "copyto", node, frame)
    refuse_read_only(e, dst, node, expression_of(node), frame, ASSIGNED)
    src = e.leaf(src, node, frame)
    src = as_numbers(src) if isinstance(src, Var) else src
    dtype = getattr(src.object, "dtype", None) if isinstance(src, Var) else None
    if dtype is not None and not np.can_cast(dtype, dst.object.dtype, "same_kind"):  # type: ignore[attr-defined]
        raise mismatch("CC027", "TypeError: Cannot cast array data according to the rule 'same_kind'",
                       e.place(node, frame), help="convert it: .astype(...)")
    if where is True:
        write(e, dst, WHOLE, src, node, expression_of(node), frame)
        return
    now = e.versions.now(dst)
    if is_array(src) and not 0 <= rank_of(src) <= rank_of(dst):
        src = e.always(updating.set_at, (now, src), pattern=WHOLE[0])
    replace(e, dst, e.call(np.where, [where, src, now], {}, node, frame), node, expression_of(node), frame)


def put_at(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    """`np.put(a, indices, values)`: indices along the array as if it were flat."""
    a, at, given, mode = taken("put", args, kwargs, "/ a ind v mode", e.place(node, frame), mode="raise")
    a = target_of(e, a, "put", node, frame)
    if mode != "raise":
        raise unsupported("CC020", "`put` with a mode is not supported", e.place(node, frame),
                          help="give indices that are there")
    if a.object.axes is None or len(a.object.axes) != 1:  # type: ignore[attr-defined]
        a = shaping.flat(a)
    _, (places,) = patterns.pattern_of(e, ListValue(list(at)) if isinstance(at, tuple) else at, node, frame)
    if dtype_of(places) == "bool":  # they are the numbers 0 and 1, no mask
        places = shaping.astype(places, dtype="int64")
    known = isinstance(given, (ListValue, tuple)) and isinstance(at, (ListValue, tuple))
    if not (known and len(known_items(given)) == len(known_items(at)) and not any(map(is_array, known_items(given)))):
        places, given = repeated(e, given, places, node, frame)
    key = ("a" if rank_of(places) else "i",), [places]
    write(e, a, key, given, node, expression_of(node), frame, f"put: {GIVEN}")


def known_items(value: ListValue | tuple[Any, ...]) -> Any:
    """The items of a list or tuple that are known one by one."""
    return value.items if isinstance(value, ListValue) else value


def repeated(e: Elaboration, given: Any, places: Any, node: ast.AST, frame: Frame) -> tuple[Any, Any]:
    """Where `np.put` writes, and what: the first values, from the beginning again where there are too few."""
    given = e.leaf(given, node, frame) if isinstance(given, (ListValue, tuple)) else given
    given = as_numbers(given) if isinstance(given, Var) else given
    if not is_array(given):
        return places, given
    flat = adaptors.np_ravel(given)
    places = joining.array_of(places) if rank_of(places) == 0 else adaptors.np_ravel(places)
    there = arithmetic.smallest(shaping.size(flat), 1)  # of no values at all none is written
    places = indexing.index(places, arithmetic.mul(shaping.size(places), there), pattern=("s2",))
    turns = arithmetic.mod(creation.arange(shaping.size(places)), arithmetic.largest(shaping.size(flat), 1))
    return places, adaptors_arrays.np_take(flat, turns)


def add_all(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    """`np.add.at(a, indices, values)`: repeated indices add up."""
    added(e, taken("add.at", args, kwargs, "a indices b /", e.place(node, frame)), node, frame, negative=False)


def subtract_all(e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    """`np.subtract.at(a, indices, values)`."""
    added(e, taken("subtract.at", args, kwargs, "a indices b /", e.place(node, frame)), node, frame, negative=True)


def added(e: Elaboration, args: list[Any], node: ast.AST, frame: Frame, negative: bool) -> None:
    a, at, given = args
    a = target_of(e, a, "at", node, frame)
    given = e.leaf(given, node, frame)
    given = as_numbers(given) if isinstance(given, Var) else given
    if a.object.dtype == "bool":  # type: ignore[attr-defined]
        raise unsupported("CC013", "`at` of an array of bools", e.place(node, frame),
                          help="convert it with .astype(int) first")
    if negative and isinstance(given, Var):
        real = dtype_of(given).startswith("float") or not a.object.is_real  # type: ignore[attr-defined]
        given = arithmetic.neg(given) if real else arithmetic.mul(given, -1.0)  # -0.0, too, of a float
    elif negative:
        given = -given if isinstance(given, float) else -1.0 * given if a.object.is_real else -given  # type: ignore[attr-defined]
    pattern, numbers = patterns.pattern_of(e, at, node, frame)
    e.recorder.span = e.place(node, frame)
    new = e.always(indexing.add_at, (e.versions.now(a), given, *numbers), pattern=pattern)
    commit(e, a, new, WHOLE, node, expression_of(node), frame, whole=True)


def fill(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    (value,) = taken("fill", args, kwargs, "/ value", e.place(node, frame))
    if is_array(value) and rank_of(value) > 0 and owner.object.dtype == "bool":
        raise unsupported("CC013", "`.fill` of an array of bools with an array", e.place(node, frame),
                          help="fill it with bool(...) of one item")
    if is_array(value) and rank_of(value) > 0:
        effects.fail_with(e, ValueError, "setting an array element with a sequence.", node, frame)
        return
    write(e, owner, WHOLE, value, node, expression_of(node, -1), frame)


def put(owner: Any, e: Elaboration, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame) -> None:
    put_at(e, [owner, *args], kwargs, node, frame)


METHODS: dict[str, Any] = {"fill": fill, "put": put}
WRITERS: dict[Any, Any] = {
    np.copyto: copy_to, np.put: put_at, np.add.at: add_all, np.subtract.at: subtract_all,
}


def writer(function: Any) -> Any:
    """What runs a function of NumPy that writes into an array; None for others."""
    return WRITERS.get(function) if isinstance(function, types.BuiltinFunctionType | type(np.copyto)) else None


def method(owner: Var, name: str) -> Any:
    """A method that writes to an array, not called yet."""
    return types.MethodType(METHODS[name], owner)
