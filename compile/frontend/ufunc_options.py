"""What elementwise functions of NumPy's take besides their arguments: where they write, in which dtype they compute."""

from __future__ import annotations

import ast
import functools
from typing import Any

import numpy as np

from ccc.compile.diagnostics import mismatch, unsupported
from ccc.compile.frontend.complex_values import is_complex
from ccc.compile.frontend.elaboration import Elaboration
from ccc.compile.frontend.memory.interface import array_writers
from ccc.compile.frontend.values import Frame, ListValue
from ccc.compile.program.lam import Var
from ccc.primitives import adaptors, complex_functions, reductions
from ccc.primitives.broadcasting import kind_of

NAMES = {"dtype", "where", "casting", "order", "subok", "signature"}
"""What elementwise functions take besides their arguments and `out`."""


def on_device(function: Any, kwargs: dict[str, Any], where: Any) -> dict[str, Any]:
    """What is given by name without the device that an array is to be made on, of which NumPy has one.

    >>> on_device(np.zeros, {"device": "cpu", "dtype": float}, None)
    {'dtype': <class 'float'>}
    """
    if kwargs["device"] not in (None, "cpu"):
        raise mismatch("CC027", f"ValueError: Device not understood. Only \"cpu\" is allowed, but received: "
                       f"{kwargs['device']}", where, help="leave `device` out")
    return {name: value for name, value in kwargs.items() if name != "device"}


def with_options(
    e: Elaboration, function: np.ufunc, args: list[Any], kwargs: dict[str, Any], node: ast.AST, frame: Frame | None
) -> Any:
    """The result of an elementwise function that computes in a `dtype` or by a `signature`, and of one that leaves
    entries of `out` as they are."""
    plain = {k: v for k, v in kwargs.items() if k not in NAMES | {"out"}}
    where, out = kwargs.get("where", True), kwargs.get("out")
    given = args
    out = out[0] if isinstance(out, tuple) and len(out) == 1 else out  # type: ignore[reportUnknownArgumentType]
    if where is not True and out is None:
        raise unsupported("CC020", f"`{function.__name__}` with `where` and without `out` is not supported",
                          e.place(node, frame), "the other entries are whatever was in memory", help="use np.where")
    given = [e.leaf(a, node, frame) if isinstance(a, (ListValue, tuple)) else a for a in given]
    given = [x if is_complex(x) else adaptors.real_array(x) for x in given]
    for i, dtype in enumerate(dtypes_of(function, given, kwargs)):
        if not isinstance(dtype, type) and dtype != dtype_of(given[i]):
            given[i] = e.call(np.asarray, [given[i], dtype], {}, node, frame)
    if where is not True and (instead := harmless(function)) is not None:  # other entries are not computed, nor warn
        given = [e.call(np.where, [where, a, instead], {}, node, frame) if is_of_numbers(a) else a for a in given]
    found = e.call(function, given, plain, node, frame)
    if kwargs.get("order", "K") == "F" and out is None:
        found = e.call(np.asarray, [found, None, "F"], {}, node, frame)
    if where is not True:
        found = chosen(e, where, found, out, node, frame)
    return found if out is None else into(e, function, given, out, found, node, frame)


def chosen(e: Elaboration, where: Any, found: Any, out: Any, node: ast.AST, frame: Frame | None) -> Any:
    """Where a mask is true what a function gives, elsewhere what is there; so for each of several results."""
    if not isinstance(found, tuple):
        return e.call(np.where, [where, found, out], {}, node, frame)
    there = out if isinstance(out, tuple) else (None,) * len(found)
    if any(x is None for x in there):
        raise unsupported("CC020", "`where` with results without `out` is not supported", e.place(node, frame),
                          "the other entries are whatever was in memory", help="use np.where")
    return tuple([e.call(np.where, [where, a, b], {}, node, frame) for a, b in zip(found, there, strict=True)])


@functools.cache
def harmless(function: np.ufunc) -> int | None:
    """A number at which an elementwise function neither warns nor raises; None where it may do so nowhere, or at all
    that are tried.

    >>> harmless(np.divide), harmless(np.arctanh), harmless(np.logical_and)
    (1, 0, None)
    """
    if function.types and all(kinds[-1] == "?" or "O" in kinds for kinds in function.types):
        return None
    for instead in (1, 0, 2):
        try:
            with np.errstate(all="raise"):
                function(*[float(instead)] * function.nin)
        except (FloatingPointError, TypeError):
            continue
        return instead
    return None


def is_of_numbers(x: Any) -> bool:
    """True for an array or number of the program that is no truth value."""
    return isinstance(x, Var) and np.dtype(reductions.dtype_of(kind_of(x))).kind in "fiu"


def into(
    e: Elaboration, function: Any, args: list[Any], out: Any, found: Any, node: ast.AST, frame: Frame | None
) -> Any:
    """What a call with `out` gives, which may be several arrays or None for results of their own, and a complex one."""
    if is_complex(out):
        found = complex_of(e, found, node, frame)
        for name, part in out.fields.items():
            array_writers.with_out(e, function, args, part, found.fields[name], node, frame)
        return out
    if is_complex(found):
        raise mismatch("CC027", "UFuncTypeError: Cannot cast output from complex numbers to real ones",
                       e.place(node, frame), help="give an `out` of a complex dtype")
    if not isinstance(out, tuple) or not isinstance(found, tuple):
        return array_writers.with_out(e, function, args, out, found, node, frame)
    pairs = list(zip(out, found, strict=True))  # type: ignore[reportUnknownArgumentType]
    return tuple([new if a is None else array_writers.with_out(e, function, args, a, new, node, frame)
                  for a, new in pairs])


def into_parts(
    e: Elaboration, function: Any, writer: Any, args: list[Any], kwargs: dict[str, Any], node: ast.AST,
    frame: Frame | None
) -> Any:
    """What a function does that writes values into an array, and so into both parts of a complex one."""
    if not args or not is_complex(args[0]):
        return writer(e, args, kwargs, node, frame)
    at = 1 if function is np.copyto else 2
    for name, part in args[0].fields.items():
        of = complex_functions.real if name == "real" else complex_functions.imag
        written = [e.call(of, [complex_of(e, x, node, frame)], {}, node, frame) for x in args[at : at + 1]]
        writer(e, [part, *args[1:at], *written, *args[at + 1:]], kwargs, node, frame)
    return None


def complex_of(e: Elaboration, x: Any, node: ast.AST, frame: Frame | None) -> Any:
    """A value as a complex one."""
    x = e.call(np.asarray, [x], {}, node, frame) if isinstance(x, (ListValue, tuple)) else x
    return e.call(complex_functions.widened, [x], {}, node, frame)


def dtype_of(x: Any) -> np.dtype[Any]:
    """The dtype of a number or array of the program."""
    if not is_complex(x):
        return np.dtype(reductions.dtype_of(kind_of(x)))
    return np.result_type(reductions.dtype_of(kind_of(x.fields["real"])), np.complex64)


def dtypes_of(function: np.ufunc, args: list[Any], kwargs: dict[str, Any]) -> list[np.dtype[Any] | type]:
    """The dtypes that an elementwise function converts its arguments to, classes of Python for numbers that follow.

    Raises what NumPy raises where that is not allowed.
    """
    given = [type(a) if type(a) in (int, float) else dtype_of(a) for a in args]
    signature, dtype = kwargs.get("signature"), kwargs.get("dtype")
    if dtype is not None:
        signature = (*[None] * function.nin, *[np.dtype(dtype)] * function.nout)
    elif isinstance(signature, tuple):
        signature = tuple([None if name is None else np.dtype(name) for name in signature])  # type: ignore[reportUnknownArgumentType]
    chosen: dict[str, Any] = {} if signature is None else {"signature": signature}
    found = function.resolve_dtypes((*given, *[None] * function.nout), casting=kwargs.get("casting", "same_kind"),  # type: ignore[arg-type]
                                    **chosen)
    return [old if type(old) is type else new for old, new in zip(given, found, strict=False)
            ] if dtype is None and signature is None else list(found[: function.nin])
